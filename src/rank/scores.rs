//! Scores of files and parts, and the shares of one made from them.

use super::signals::{FileSignals, PartSignals, Weights};
use super::{beside, weights};
use crate::index::parts::ReadPart;
use crate::syntax::parts::Role;

/// The score of what nobody looks for: its share is nothing.
const UNWANTED: f64 = -1000.0;

/// Returns what the signals of each part add up to. Text about the licence is not looked for.
pub(super) fn scores_of<'a>(
    weights: &'static Weights,
    parts: impl IntoIterator<Item = (&'a ReadPart, &'a PartSignals)>,
) -> Vec<f64> {
    let score = |(read, signals): (&ReadPart, &PartSignals)| match read.part.role {
        Role::Licence => UNWANTED,
        _ => {
            let weights = of_kind(weights, signals.beside);
            signals.weighed(&weights.parts).sum()
        }
    };
    parts.into_iter().map(score).collect()
}

/// Does the same for files that are not source, where `beside` is above 0.
pub(super) fn of_kind(weights: &'static Weights, beside: f64) -> &'static Weights {
    if beside > 0.0 {
        &weights::BESIDE
    } else {
        weights
    }
}

/// Returns scores of files as shares of one over the source that counts, and for other files what
/// they are worth beside it.
pub(super) fn apart(
    scores: &[f64],
    signals: &[FileSignals],
    counts: impl Fn(&usize) -> bool,
) -> Vec<f64> {
    let is_beside = |at: &usize| signals[*at].beside > 0.0;
    let mut apart = shares(scores, |at| counts(at) && !is_beside(at));
    let others: Vec<usize> = (0..scores.len())
        .filter(|at| counts(at) && is_beside(at))
        .collect();
    let of_others: Vec<f64> = others.iter().map(|at| scores[*at]).collect();
    for (at, worth) in others.into_iter().zip(beside::worths(&of_others)) {
        apart[at] = worth;
    }
    apart
}

/// Returns scores as shares of one (softmax), over those that count.
pub(super) fn shares(scores: &[f64], counts: impl Fn(&usize) -> bool) -> Vec<f64> {
    let places = || (0..scores.len()).filter(|at| counts(at));
    let most = places()
        .map(|at| scores[at])
        .fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = places().map(|at| (scores[at] - most).exp()).sum();
    (0..scores.len())
        .map(|at| {
            if counts(&at) {
                (scores[at] - most).exp() / total
            } else {
                0.0
            }
        })
        .collect()
}
