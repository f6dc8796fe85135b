//! What could be shown next, and what was shown.

use std::cmp::Ordering;

use super::file::Shown;

/// A part that could be shown next.
#[derive(Clone, Copy)]
pub struct Next {
    pub density: f64,
    pub file: usize,
    pub part: usize,
    pub shown: Shown,
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        self.density
            .total_cmp(&other.density)
            .then(other.file.cmp(&self.file))
            .then(other.part.cmp(&self.part))
            .then((self.shown == Shown::Whole).cmp(&(other.shown == Shown::Whole)))
    }
}

/// One more step in what is shown.
#[derive(Clone, Copy)]
pub enum Step {
    /// More of a part, of which another amount was shown before.
    Part {
        file: usize,
        part: usize,
        shown: Shown,
        before: Shown,
    },
    /// The name of a file.
    Name { file: usize },
    /// What a file is for that is only named.
    Purpose { file: usize },
}

impl Step {
    pub fn file(self) -> usize {
        match self {
            Step::Part { file, .. } | Step::Name { file } | Step::Purpose { file } => file,
        }
    }
}
