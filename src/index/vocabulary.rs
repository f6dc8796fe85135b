//! Numbers that stand for names and words wherever they are counted.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use super::packed::{numbers, rising};
use super::words::each_word;

/// The most names that are known, and the most words.
const MAX_NAMES: usize = 300_000;

/// The most bytes of all names together, and of all words. Hand-written names have about twelve.
const MAX_TEXT: usize = 6 * 1024 * 1024;

/// Texts, each with a number, counted from 0 in the order in which they came.
#[derive(Default)]
pub struct Numbers {
    listed: Listed,
    places: HashTable<u32>,
    /// Seeded anew for each process, so that the author of a repository cannot make names collide.
    hasher: RandomState,
    /// Whether a text was turned away.
    is_full: bool,
}

/// Consecutive texts, as they are kept in a cache.
#[derive(Default, Serialize, Deserialize)]
pub struct Listed {
    text: String,
    /// Where each ends.
    #[serde(with = "rising")]
    ends: Vec<u32>,
}

impl Listed {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn push(&mut self, text: &str) -> Option<()> {
        let end = u32::try_from(self.text.len() + text.len()).ok()?;
        self.text.push_str(text);
        self.ends.push(end);
        Some(())
    }

    /// Returns the text of a number. Whatever the cache held, there is one.
    pub fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let end = self.ends.get(at).copied().unwrap_or_default();
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }
}

impl Numbers {
    pub fn of(listed: Listed) -> Numbers {
        let mut numbers = Numbers {
            places: HashTable::with_capacity(listed.len()),
            listed,
            hasher: RandomState::default(),
            is_full: false,
        };
        for number in 0..u32::try_from(numbers.len()).unwrap_or_default() {
            let hash = numbers.hasher.hash_one(numbers.listed.get(number));
            let (listed, hasher) = (&numbers.listed, &numbers.hasher);
            let again = |number: &u32| hasher.hash_one(listed.get(*number));
            numbers.places.insert_unique(hash, number, again);
        }
        numbers
    }

    pub fn len(&self) -> usize {
        self.listed.len()
    }

    pub fn name(&self, number: u32) -> &str {
        self.listed.get(number)
    }

    pub fn get(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        let is_it = |number: &u32| self.listed.get(*number) == text;
        self.places.find(hash, is_it).copied()
    }

    /// Returns the number of a text. One without a number gets one, if any is left.
    pub fn number(&mut self, text: &str) -> Option<u32> {
        let (listed, hasher) = (&mut self.listed, &self.hasher);
        let hash = hasher.hash_one(text);
        let known = self
            .places
            .find(hash, |number| listed.get(*number) == text)
            .copied();
        if known.is_some() {
            return known;
        }
        let next = u32::try_from(listed.len()).ok()?;
        if listed.len() == MAX_NAMES || listed.text.len() + text.len() > MAX_TEXT {
            self.is_full = true;
            return None;
        }
        listed.push(text)?;
        let again = |number: &u32| hasher.hash_one(listed.get(*number));
        self.places.insert_unique(hash, next, again);
        Some(next)
    }
}

/// Names and the words that they are made of.
#[derive(Default)]
pub struct Vocabulary {
    pub names: Numbers,
    pub words: Numbers,
    /// The numbers of the words of all names, one after the other.
    words_of: Vec<u32>,
    /// Where those of each name end.
    ends: Vec<u32>,
    /// The words in paths, which each run finds out anew.
    pub in_paths: Numbers,
}

/// A vocabulary as it is kept in a cache.
#[derive(Default, Deserialize)]
pub struct KeptVocabulary {
    names: Listed,
    words: Listed,
    #[serde(with = "numbers")]
    words_of: Vec<u32>,
    #[serde(with = "rising")]
    ends: Vec<u32>,
}

/// What is kept, as it is written.
#[derive(Serialize)]
struct Keeping<'a> {
    names: &'a Listed,
    words: &'a Listed,
    #[serde(with = "numbers")]
    words_of: &'a [u32],
    #[serde(with = "rising")]
    ends: &'a [u32],
}

impl Vocabulary {
    /// Returns what was kept; `None` if it contradicts itself.
    pub fn of(kept: KeptVocabulary) -> Option<Vocabulary> {
        let is_whole = kept.names.is_whole()
            && kept.words.is_whole()
            && kept.ends.len() == kept.names.len()
            && kept.ends.is_sorted()
            && kept
                .ends
                .last()
                .is_none_or(|end| *end as usize == kept.words_of.len())
            && kept
                .words_of
                .iter()
                .all(|word| (*word as usize) < kept.words.len());
        is_whole.then(|| Vocabulary {
            names: Numbers::of(kept.names),
            words: Numbers::of(kept.words),
            words_of: kept.words_of,
            ends: kept.ends,
            in_paths: Numbers::default(),
        })
    }

    /// Returns what is worth keeping of it.
    pub fn kept(&self) -> impl Serialize {
        Keeping {
            names: &self.names.listed,
            words: &self.words.listed,
            words_of: &self.words_of,
            ends: &self.ends,
        }
    }

    /// Whether a name or a word found no number left.
    pub fn is_full(&self) -> bool {
        self.names.is_full || self.words.is_full
    }

    /// Returns the words of a name, each as often as it is there.
    pub fn words_of(&self, name: u32) -> &[u32] {
        let at = name as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words_of[start as usize..self.ends[at] as usize]
    }

    /// Returns the number of a name. One without a number gets one, with its words.
    pub fn number(&mut self, name: &str) -> Option<u32> {
        let known = self.names.len();
        let number = self.names.number(name)?;
        if self.names.len() > known {
            // What has a version is searched for as a whole.
            if !name.contains(' ') {
                each_word(name, |word| self.words_of.extend(self.words.number(word)));
            }
            self.ends.push(u32::try_from(self.words_of.len()).ok()?);
        }
        Some(number)
    }
}

impl Listed {
    /// Whether each text ends after the one before, at a character boundary.
    fn is_whole(&self) -> bool {
        self.len() <= MAX_NAMES
            && self.ends.is_sorted()
            && self
                .ends
                .iter()
                .all(|end| self.text.is_char_boundary(*end as usize))
            && self
                .ends
                .last()
                .is_none_or(|end| *end as usize == self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number_and_its_words() {
        let mut vocabulary = Vocabulary::default();
        let first = vocabulary.number("parse_all").unwrap();
        let second = vocabulary.number("allParsed").unwrap();
        assert_eq!(vocabulary.number("parse_all"), Some(first));
        assert_eq!(vocabulary.names.get("allParsed"), Some(second));
        assert_eq!(vocabulary.names.get("all"), None);
        let words = |name| -> Vec<&str> {
            let numbers = vocabulary.words_of(name).iter();
            numbers.map(|word| vocabulary.words.name(*word)).collect()
        };
        assert_eq!(words(first), ["pars", "all"]);
        assert_eq!(words(second), ["all", "pars"]);
    }
}
