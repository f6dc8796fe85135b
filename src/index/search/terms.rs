//! Names and words as numbers that are the same in every run, and how often a text has each.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;

use super::super::reading::{Counts, Reader};
use super::super::vocabulary::Vocabulary;

/// A name, or a word of names. Once in some billions, two have the same number, and then count as
/// one.
pub type Term = u64;

/// How often a text has a term, and whether it declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times(u32);

impl Times {
    fn new(count: u32, declares: bool) -> Times {
        Times(count.min(u32::from(u16::MAX)) << 1 | u32::from(declares))
    }

    /// Returns it as a number in which small counts are small.
    pub fn packed(self) -> u32 {
        self.0
    }

    /// Returns what [`packed`](Times::packed) packed.
    pub fn unpacked(number: u32) -> Times {
        Times(number)
    }

    /// Returns how often.
    pub fn count(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is a declaration's name, or a word of one.
    pub fn declares(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Terms with how often each is there.
pub type Counted = Vec<(Term, Times)>;

/// The terms of a text, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Its names.
    pub names: Counted,
    /// The words that they are made of.
    pub words: Counted,
    /// How many names there are in all.
    pub length: u32,
}

impl Terms {
    /// Returns names and words.
    pub fn iter(&self) -> impl Iterator<Item = &(Term, Times)> {
        self.names.iter().chain(&self.words)
    }
}

/// Returns the number of a name.
pub fn of_name(name: &str) -> Term {
    FixedState::with_seed(1).hash_one(name)
}

/// Returns the number of a word, given as a stem.
pub fn of_word(stem: &str) -> Term {
    FixedState::with_seed(2).hash_one(stem)
}

/// After this many names a reader forgets everything: what it knows only saves time.
const MANY_NAMES: usize = 40_000;

/// Reads one text after another.
#[derive(Default)]
pub struct TermReader {
    reader: Reader,
    vocabulary: Vocabulary,
    /// The terms of its names and words, by their numbers.
    names: Vec<Term>,
    words: Vec<Term>,
}

impl TermReader {
    /// Returns the terms of a text, whatever was read before.
    pub fn read(&mut self, text: &str) -> Terms {
        if self.vocabulary.names.len() > MANY_NAMES {
            *self = TermReader::default();
        }
        let mut found = self.reader.names(&mut self.vocabulary, text);
        // Some names found no number. Those of a single text all do.
        if self.vocabulary.is_full() {
            *self = TermReader::default();
            found = self.reader.names(&mut self.vocabulary, text);
        }
        let (uses, mut declares, length) = found;
        self.number();
        declares.sort_unstable();
        let (names, words) = self.terms(&uses, &declares);
        Terms {
            names,
            words,
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    /// Finds the terms of names and words that came since.
    fn number(&mut self) {
        let (names, words) = (&self.vocabulary.names, &self.vocabulary.words);
        for number in self.names.len()..names.len() {
            let name = names.name(u32::try_from(number).unwrap_or(u32::MAX));
            self.names.push(of_name(name));
        }
        for number in self.words.len()..words.len() {
            let word = words.name(u32::try_from(number).unwrap_or(u32::MAX));
            self.words.push(of_word(word));
        }
    }

    /// Returns the names with these numbers, and their words.
    fn terms(&self, uses: &Counts, declares: &[u32]) -> (Counted, Counted) {
        let mut names = Vec::with_capacity(uses.len());
        let mut words: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * uses.len());
        for (name, count) in uses {
            let declares = declares.binary_search(name).is_ok();
            let count = u32::from(*count);
            names.push((self.names[*name as usize], Times::new(count, declares)));
            let of_name = self.vocabulary.words_of(*name).iter();
            words.extend(of_name.map(|word| (*word, count, declares)));
        }
        words.sort_unstable();
        let words = words.chunk_by(|a, b| a.0 == b.0).map(|same| {
            let count = same.iter().map(|(_, count, _)| *count).sum();
            let declares = same.iter().any(|(_, _, declares)| *declares);
            (self.words[same[0].0 as usize], Times::new(count, declares))
        });
        (names, words.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(terms: &Terms, term: Term) -> Option<(u32, bool)> {
        let mut all = terms.iter();
        let (_, times) = all.find(|(found, _)| *found == term)?;
        Some((times.count(), times.declares()))
    }

    #[test]
    fn a_text_has_names_and_their_words_each_once() {
        let terms = TermReader::default().read("fn parse_all() { parse_all(x1); Parsed::all() }");
        assert_eq!(times(&terms, of_name("parse_all")), Some((2, true)));
        assert_eq!(times(&terms, of_name("Parsed")), Some((1, false)));
        assert_eq!(times(&terms, of_word("pars")), Some((3, true)));
        assert_eq!(times(&terms, of_word("all")), Some((3, true)));
        assert_eq!(times(&terms, of_name("pars")), None);
        assert_eq!(terms.length, 5);
    }

    #[test]
    fn what_was_read_before_changes_nothing() {
        let text = "class Reader { read(text) { return this.text } }";
        let mut reader = TermReader::default();
        let alone = reader.read(text);
        let many: Vec<String> = (0..3 * MANY_NAMES).map(|n| format!("name_{n}_a")).collect();
        for names in many.chunks(3000) {
            reader.read(&names.join(" "));
            assert_eq!(reader.read(text), alone);
        }
    }
}
