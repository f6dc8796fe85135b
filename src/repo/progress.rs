//! How far the reading of a large repository is, for whoever waits.

use std::sync::Arc;

/// How far the reading of a large repository is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many files are read, or were known from earlier.
    pub done: usize,
    /// How many there are.
    pub files: usize,
}

/// Who is told of it.
pub type Listener = Arc<dyn Fn(Progress) + Send + Sync>;
