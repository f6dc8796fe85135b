//! Texts that are being parsed, and their results, in order.

use std::collections::VecDeque;
use std::time::Duration;

use super::account::{OF_END, bound};
use super::verdicts::{Mark, Verdict, mark};
use crate::split;
use crate::syntax::Parsed;

/// A text to parse.
pub struct Source {
    /// The caller's own number for it.
    pub number: usize,
    /// The file, for a note.
    pub path: String,
    /// A language that [has a grammar](crate::syntax::has_grammar).
    pub language: &'static str,
    /// The text itself.
    pub text: String,
}

/// The result for a text.
pub enum Outcome {
    Parsed(Duration, Parsed),
    /// It was tried now or earlier, at this cost.
    Failed(Duration, Verdict),
    /// It was not tried.
    Untried,
}

/// Texts that wait until those before them are done.
#[derive(Default)]
pub struct Waiting {
    /// The number of the first.
    first: usize,
    texts: VecDeque<(Source, Option<Outcome>)>,
    /// How many bytes they have together.
    pub bytes: usize,
}

impl Source {
    /// Returns how many lines it has.
    pub fn lines(&self) -> usize {
        split::count_lines(&self.text)
    }
}

impl Waiting {
    /// Gives up on everything that is not done.
    pub fn give_up(&mut self) {
        for (_, outcome) in &mut self.texts {
            outcome.get_or_insert(Outcome::Untried);
        }
    }

    /// Adds a text with its result, if that is known, and returns its number.
    pub fn push(&mut self, source: Source, outcome: Option<Outcome>) -> usize {
        self.bytes += source.text.len();
        self.texts.push_back((source, outcome));
        self.first + self.texts.len() - 1
    }

    pub fn source(&self, number: usize) -> Option<&Source> {
        let at = number.checked_sub(self.first)?;
        self.texts.get(at).map(|(source, _)| source)
    }

    pub fn set(&mut self, number: usize, outcome: Outcome) {
        let at = number.checked_sub(self.first);
        if let Some((_, place)) = at.and_then(|at| self.texts.get_mut(at)) {
            *place = Some(outcome);
        }
    }

    pub fn next_done(&mut self) -> Option<(Source, Outcome)> {
        self.texts.front()?.1.as_ref()?;
        let (source, outcome) = self.texts.pop_front()?;
        self.first += 1;
        self.bytes -= source.text.len();
        Some((source, outcome?))
    }
}

/// Returns the mark that identifies a text.
pub fn mark_of(source: &Source) -> Mark {
    mark(source.language, &source.text)
}

/// Returns the cost of a text that cannot be parsed: the same each time.
pub fn cost(verdict: Verdict, source: &Source) -> Duration {
    match verdict {
        Verdict::Late => bound(source.text.len()),
        Verdict::Ended | Verdict::Unsound => OF_END + bound(source.text.len()) / 4,
    }
}
