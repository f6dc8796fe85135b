//! Names and words of a corpus that lead somewhere.

use std::collections::HashMap;

use crate::index::corpus::Corpus;
use crate::index::words::{is_common, words};

/// How many names of the targets, or of a change, are searched for elsewhere.
const TELLING: usize = 80;

/// The rarity of a name that three of four files have.
const LEAST_RARITY: f64 = 0.3;

/// Returns the numbers of the words of a name that may be searched for.
pub(super) fn of_words(corpus: &Corpus, name: &str) -> impl Iterator<Item = u32> {
    let known = words(name).into_iter().filter(|word| !is_common(word));
    known.filter_map(|word| corpus.word(&word))
}

/// Returns the most telling of these names, the most telling first.
pub(super) fn most_telling(corpus: &Corpus, weights: HashMap<u32, f64>) -> Vec<(u32, f64)> {
    let mut telling = by_name(corpus, weights);
    // A name that is nowhere else leads nowhere, and one that is everywhere too.
    telling.retain(|(name, _)| corpus.files_with(*name) > 1 && corpus.rarity(*name) > LEAST_RARITY);
    telling.sort_by(|a, b| b.1.total_cmp(&a.1));
    telling.truncate(TELLING);
    telling
}

/// Sorts by the names themselves, because their numbers depend on what was known before.
pub(super) fn by_name(corpus: &Corpus, weights: HashMap<u32, f64>) -> Vec<(u32, f64)> {
    let names = &corpus.vocabulary.names;
    let mut weights: Vec<(u32, f64)> = weights.into_iter().collect();
    weights.sort_unstable_by(|a, b| names.name(a.0).cmp(names.name(b.0)));
    weights
}
