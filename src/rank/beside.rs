//! What files are worth that change beside the source: the changelog, documents, settings.
//!
//! They do not compete with the source: how likely one of them must change does not depend on how
//! many source files match the task. So each is valued against all source together, which counts as
//! 1.

/// The most that all of them are worth together.
const MOST_TOGETHER: f64 = 1.0;

/// The weights are learned from commits that each changed something beside the source. About this
/// share of all commits do.
const OF_ALL_COMMITS: f64 = 0.4;

/// Returns what each is worth by its score, where all source together is worth 1.
pub(super) fn worths(scores: &[f64]) -> Vec<f64> {
    // A score that high cannot come from sound signals.
    let worth = |score: &f64| score.min(10.0).exp() * OF_ALL_COMMITS;
    let worths: Vec<f64> = scores.iter().map(worth).collect();
    let total: f64 = worths.iter().sum();
    let scale = (MOST_TOGETHER / total.max(MOST_TOGETHER)).min(1.0);
    worths.into_iter().map(|worth| worth * scale).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever their scores, the source is never worth less than all of them together.
        #[test]
        fn they_are_never_worth_more_than_the_source(
            scores in prop::collection::vec(-50.0..50.0f64, 0..40),
        ) {
            let worths = worths(&scores);
            prop_assert_eq!(worths.len(), scores.len());
            prop_assert!(worths.iter().sum::<f64>() <= MOST_TOGETHER + 1e-9);
            prop_assert!(worths.iter().all(|worth| *worth > 0.0));
        }
    }
}
