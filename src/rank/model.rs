//! One test as a model for someone who must write one.

use super::ranking::{Ranking, Why};
use super::scores::scores_of;
use crate::index::corpus::Corpus;
use crate::syntax::parts::Role;

/// The worth of seeing, without a target, one test of the likeliest test file: it shows how the
/// project writes tests. Otherwise, only what must change has worth.
const MODEL_WORTH: f64 = 0.006;

/// The same for one test of what the target declares: it says what must keep working, and is where
/// the next test is written.
const OWN_TEST_WORTH: f64 = 0.01;

/// A test with more lines is not a model.
const LONGEST_MODEL: usize = 40;

impl Ranking {
    /// Singles out a test as a model for someone who must write one; with a target, one of its own
    /// tests.
    pub fn with_model(mut self, corpus: &Corpus) -> Ranking {
        let worth = if self.has_targets() {
            OWN_TEST_WORTH
        } else {
            MODEL_WORTH
        };
        if let Some(model) = self.model(corpus) {
            self.single_out(model, worth, Why::Model);
        }
        self
    }

    /// Returns the part that the task most likely means in the likeliest test file; with a target,
    /// in the one that has its name or changed with it.
    fn model(&self, corpus: &Corpus) -> Option<(usize, usize)> {
        let is_test = |at: usize| corpus.files[at].facts.is_test && self.signals[at].beside == 0.0;
        let has_name = |at: usize| self.signals[at].same_stem > 0.0;
        let is_own = |at: usize| has_name(at) || self.histories[at].times > 0;
        let counts = |at: &usize| {
            let is_meant = !self.has_targets() || is_own(*at) && !self.targets.contains(at);
            is_test(*at) && is_meant
        };
        let tests = self.candidates.iter().map(|(at, _)| *at);
        let tests = tests.filter(counts);
        let at = tests.max_by(|one, other| {
            let likelier = self.likely[*one].total_cmp(&self.likely[*other]);
            has_name(*one).cmp(&has_name(*other)).then(likelier)
        })?;
        let parts = self.parts.get(&at)?;
        let scores = scores_of(
            self.weights,
            parts.iter().map(|(read, signals)| (read, signals)),
        );
        let is_model = |place: &usize| {
            let part = &parts[*place].0.part;
            matches!(part.role, Role::Function | Role::Block) && part.lines.len() <= LONGEST_MODEL
        };
        let models = (0..parts.len()).filter(is_model);
        let model = models.max_by(|one, other| scores[*one].total_cmp(&scores[*other]))?;
        Some((at, model))
    }
}
