//! What parts of texts are worth if no model was learned for them: by the words of the task in
//! them.

use std::collections::{HashMap, HashSet};

use crate::index::corpus::rarity;
use crate::index::words::{each_word, is_common};

/// How much the first line of a task counts: it says what the task is about.
const TITLE: f64 = 1.5;

/// How much a word in a target's path counts compared with one of the task.
const OF_TARGET: f64 = 0.5;

/// How much more often a word would have to appear to count twice as much (BM25).
const OFTEN: f64 = 1.2;

/// How much a word in the title of a part counts compared with one in its text.
const IN_TITLE: f64 = 2.0;

/// A part's length adds this share of what all words together are worth, so that of two parts that
/// do not mention the task, the first comes first.
const LENGTH: f64 = 0.02;

/// The words that are searched for, with their weight.
pub struct Words {
    weights: HashMap<String, f64>,
    /// All words of the task itself.
    asked: HashSet<String>,
}

/// Adds this weight to the words of a text.
fn add(weights: &mut HashMap<String, f64>, text: &str, weight: f64) {
    each_word(text, |word| {
        if !is_common(word) {
            *weights.entry(word.to_owned()).or_default() += weight;
        }
    });
}

/// A part of a text.
pub struct TextPart<'a> {
    /// What is above it: the file's path and its headings.
    pub titles: String,
    /// Its text.
    pub text: &'a str,
    /// What it is worth in addition to its words, where 1 is as much as the best of them.
    pub general: f64,
}

impl Words {
    /// Returns the words of a task, and of the paths of its targets.
    pub fn of<'a>(task: &str, targets: impl IntoIterator<Item = &'a str>) -> Words {
        let mut weights: HashMap<String, f64> = HashMap::new();
        for (row, line) in task.lines().enumerate() {
            add(&mut weights, line, if row == 0 { TITLE } else { 1.0 });
        }
        let mut asked = HashSet::new();
        each_word(task, |word| {
            asked.insert(word.to_owned());
        });
        for path in targets {
            add(&mut weights, path, OF_TARGET);
        }
        for weight in weights.values_mut() {
            *weight = weight.sqrt();
        }
        Words { weights, asked }
    }

    /// Returns how often each of these words is in a text.
    fn count(&self, text: &str) -> HashMap<&str, f64> {
        let mut counts = HashMap::new();
        if self.weights.is_empty() {
            return counts;
        }
        each_word(text, |word| {
            if let Some((word, _)) = self.weights.get_key_value(word) {
                *counts.entry(word.as_str()).or_default() += 1.0;
            }
        });
        counts
    }

    /// Whether the task itself has one of the words of a text that say something about code.
    pub fn are_asked_for(&self, text: &str) -> bool {
        let mut are = false;
        each_word(text, |word| are |= !is_common(word) && self.have(word));
        are
    }

    /// Whether the task itself has a word, given as a stem.
    pub fn have(&self, stem: &str) -> bool {
        self.asked.contains(stem)
    }

    /// Returns what each part is worth, as a share of one; `None` if nothing speaks for any of
    /// them.
    ///
    /// A part that matches the task in several ways is worth far more than one that happens to have
    /// one of its words: scores count squared, just as learned ones count by their exponent.
    pub fn worth(&self, parts: &[TextPart<'_>]) -> Option<Vec<f64>> {
        let counted = parts.iter();
        let counted: Vec<_> = counted
            .map(|part| (self.count(&part.titles), self.count(part.text)))
            .collect();
        let mut spread: HashMap<&str, usize> = HashMap::new();
        for (titles, text) in &counted {
            let only_in_title = titles.keys().filter(|word| !text.contains_key(*word));
            for word in text.keys().chain(only_in_title) {
                *spread.entry(word).or_default() += 1;
            }
        }
        let says = |word: &&str| self.weights[*word] * rarity(spread[*word], parts.len());
        let scores: Vec<f64> = counted
            .iter()
            .map(|(titles, text)| {
                let often = |count: &f64| count / (count + OFTEN);
                let in_text = exact_sum(text.iter().map(|(w, count)| says(w) * often(count)));
                let in_titles = exact_sum(titles.keys().map(|word| says(word) * IN_TITLE));
                in_text + in_titles
            })
            .collect();
        let most = scores.iter().copied().fold(0.0, f64::max);
        let best = if most > 0.0 { most } else { 1.0 };
        let of_words = parts.iter().zip(&scores);
        let of_words = of_words.map(|(part, score)| (score + part.general * best).powi(2));
        let of_words: Vec<f64> = of_words.collect();
        let speaks = of_words.iter().any(|worth| *worth > 0.0);
        speaks.then(|| with_length(of_words, parts))
    }
}

/// Returns what each part is worth if only their lengths are known.
pub fn by_length(parts: &[TextPart<'_>]) -> Vec<f64> {
    with_length(vec![0.0; parts.len()], parts)
}

/// Returns a sum that is the same in every order, because a map has none.
fn exact_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(super::question::exact).sum()
}

/// Returns shares of one, in which length counts a little.
fn with_length(worth: Vec<f64>, parts: &[TextPart<'_>]) -> Vec<f64> {
    let total: f64 = worth.iter().sum();
    let length = |part: &TextPart<'_>| part.text.len().max(1) as f64;
    let lengths: f64 = parts.iter().map(length).sum();
    let for_length = if total > 0.0 { total * LENGTH } else { 1.0 };
    let all = total + for_length;
    let worth = worth.into_iter().zip(parts);
    worth
        .map(|(own, part)| (own + for_length * length(part) / lengths.max(1.0)) / all)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(task: &str, texts: &[(&str, &str)]) -> Vec<f64> {
        let parts: Vec<TextPart<'_>> = texts
            .iter()
            .map(|(titles, text)| TextPart {
                titles: (*titles).to_owned(),
                text,
                general: 0.0,
            })
            .collect();
        let words = Words::of(task, []);
        words.worth(&parts).unwrap_or_else(|| by_length(&parts))
    }

    #[test]
    fn what_speaks_of_the_task_is_worth_more_and_in_its_title_most() {
        let texts = [
            ("guide", "how to install it"),
            ("guide", "the timeout of a socket"),
            ("timeouts", "how long to wait"),
        ];
        let worth = worth("Make the timeout configurable", &texts);
        assert!(worth[2] > worth[1] && worth[1] > worth[0], "{worth:?}");
        assert!((worth.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_word_in_common_length_alone_counts() {
        let worth = worth("", &[("a", "four"), ("b", "eight ch")]);
        assert!((worth[1] - 2.0 * worth[0]).abs() < 1e-9);
    }
}
