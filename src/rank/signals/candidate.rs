//! What speaks for a likely file once its parts are known.

use super::part::PartSignals;

signals! {
    /// What speaks for a likely file once its parts are known, in addition to what spoke for it
    /// before.
    CandidateSignals {
        /// The likelihood before.
        log_likely,
        /// Of the sum over the scores of its parts.
        log_parts_sum,
        /// The best score of a part.
        best_part,
        /// The highest value of a signal among its parts, and so on.
        best_task_words,
        best_three_task_words,
        best_log_task_names,
        best_title_rarity,
        best_covered_rarity,
        best_log_focus,
        best_log_uses_focus,
        best_log_like_focus,
        best_title_words,
        best_title_named,
        /// How many parts it has.
        log_parts,
        best_log_task_words,
        best_headline_words,
        best_log_headline_words,
        best_quoted_words,
        best_headline_title,
    }
}

impl CandidateSignals {
    /// Returns the signals of a file with this likelihood, whose parts have these signals and these
    /// scores.
    pub fn of(likely: f64, parts: &[PartSignals], scores: &[f64]) -> CandidateSignals {
        let log_likely = likely.max(1e-12).ln();
        if parts.is_empty() {
            return CandidateSignals {
                log_likely,
                ..CandidateSignals::default()
            };
        }
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        let mut by_task: Vec<f64> = parts.iter().map(|part| part.task_words).collect();
        by_task.sort_by(|a, b| b.total_cmp(a));
        by_task.truncate(3);
        let best = |signal: fn(&PartSignals) -> f64| parts.iter().map(signal).fold(0.0, f64::max);
        CandidateSignals {
            log_likely,
            log_parts_sum: most + sum.ln(),
            best_part: most,
            best_task_words: by_task[0],
            best_three_task_words: by_task.iter().sum::<f64>() / by_task.len() as f64,
            best_log_task_names: best(|part| part.log_task_names),
            best_title_rarity: best(|part| part.title_rarity),
            best_covered_rarity: best(|part| part.covered_rarity),
            best_log_focus: best(|part| part.log_focus),
            best_log_uses_focus: best(|part| part.log_uses_focus),
            best_log_like_focus: best(|part| part.log_like_focus),
            best_title_words: best(|part| part.title_words),
            best_title_named: best(|part| part.title_named),
            log_parts: (parts.len() as f64).ln_1p(),
            best_log_task_words: best(|part| part.log_task_words),
            best_headline_words: best(|part| part.headline_words),
            best_log_headline_words: best(|part| part.log_headline_words),
            best_quoted_words: best(|part| part.quoted_words),
            best_headline_title: best(|part| part.headline_title),
        }
    }
}
