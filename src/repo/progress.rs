//! The progress of reading a large repository, for whoever waits.

use std::sync::Arc;

/// The progress of reading a large repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many files have been read, or were known from earlier.
    pub done: usize,
    /// How many there are.
    pub files: usize,
}

/// Who is told about it.
pub type Listener = Arc<dyn Fn(Progress) + Send + Sync>;
