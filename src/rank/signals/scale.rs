//! Scores relative to each other, and the positions of the words that are asked for.

use super::super::question::Wanted;
use crate::index::corpus::Corpus;

/// How a score compares with others.
#[derive(Clone, Copy, Default)]
pub struct Scaled {
    /// As a share of the highest.
    pub share: f64,
    /// 1 for the first, ½ for the fourth, ¼ for the tenth.
    pub rank: f64,
}

/// Sets scores in relation to each other; a score that is not above 0 stays at 0.
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

/// Sets scores in relation to each other: source against all files, and files beside it among
/// themselves.
pub fn scaled_apart(scores: &[f64], is_beside: &[bool]) -> Vec<Scaled> {
    let own = scores.iter().zip(is_beside);
    let own = own.map(|(score, is_beside)| if *is_beside { *score } else { 0.0 });
    let beside = scaled(&own.collect::<Vec<f64>>()).into_iter();
    let both = scaled(scores).into_iter().zip(beside).zip(is_beside);
    both.map(|((all, beside), is_beside)| if *is_beside { beside } else { all })
        .collect()
}

/// Returns 1 for yes, 0 for no.
pub fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// Returns the weights of what is wanted.
pub fn weights(wanted: &Wanted) -> Vec<f64> {
    wanted.all.iter().map(|(_, weight)| *weight).collect()
}

/// Returns the positions of the wanted words that are in names, in order, each once.
pub fn places<'a>(
    corpus: &Corpus,
    wanted: &Wanted,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for name in names {
        corpus.each_word(name, |word| {
            places.extend(wanted.place(word).map(|place| place as usize));
        });
    }
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_source_is_set_against_its_own() {
        let scaled = scaled_apart(&[2.0, 8.0, 4.0, 0.0], &[false, false, true, true]);
        let shares: Vec<f64> = scaled.iter().map(|score| score.share * 4.0).collect();
        assert_eq!(shares, [1.0, 4.0, 4.0, 0.0]);
    }
}
