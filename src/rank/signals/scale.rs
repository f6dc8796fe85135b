//! Scores, set against one another, and where the words that are asked for stand.

use super::super::question::Wanted;
use crate::index::corpus::Corpus;
use crate::index::words::each_word;

/// How a score stands among others.
#[derive(Clone, Copy, Default)]
pub struct Scaled {
    /// As a share of the highest.
    pub share: f64,
    /// 1 for the first, ½ for the fourth, ¼ for the tenth.
    pub rank: f64,
}

/// Sets scores against one another; what is not above 0 stays at 0.
pub fn scaled(scores: &[f64]) -> Vec<Scaled> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut scaled = vec![Scaled::default(); scores.len()];
    for (rank, at) in order.into_iter().enumerate() {
        scaled[at] = Scaled {
            share: scores[at] / most,
            rank: 1.0 / (1.0 + rank as f64 / 3.0),
        };
    }
    scaled
}

/// Sets scores against one another, and hands each on to its signals.
pub fn set<Signals>(all: &mut [Signals], scores: &[f64], put: impl Fn(&mut Signals, Scaled)) {
    for (signals, score) in all.iter_mut().zip(scaled(scores)) {
        put(signals, score);
    }
}

/// Yes as 1, no as 0.
pub fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// The weights of what is wanted.
pub fn weights(wanted: &Wanted) -> Vec<f64> {
    wanted.all.iter().map(|(_, weight)| *weight).collect()
}

/// The places of those wanted words that are in names, in order, each once.
pub fn places<'a>(
    corpus: &Corpus,
    wanted: &Wanted,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for name in names {
        each_word(name, |word| {
            let number = corpus.word(word);
            let place = number.and_then(|number| wanted.place(number));
            places.extend(place.map(|place| place as usize));
        });
    }
    places.sort_unstable();
    places.dedup();
    places
}
