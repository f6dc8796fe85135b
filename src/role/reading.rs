//! What reading roles may cost.

use std::cell::{Cell, OnceCell};

use super::yaml::Size;

/// The most values of all roles that are read together: those of a few thousand ordinary
/// ones.
const MAX_VALUES: usize = 60_000;

/// The most bytes of their files, each counted as [`OF_FILE`] at least.
const MAX_BYTES: usize = 8 * 1024 * 1024;
const OF_FILE: usize = 4096;

/// One account for all roles that are read together, and what is known of them meanwhile.
/// Each role may be read with others that it extends, so that their files are read over and
/// over.
pub(super) struct Reading {
    values: Cell<usize>,
    bytes: Cell<usize>,
    /// The names of all roles, once somebody asked for them.
    pub(super) names: OnceCell<Vec<String>>,
}

impl Reading {
    pub(super) fn new() -> Reading {
        Reading {
            values: Cell::new(MAX_VALUES),
            bytes: Cell::new(MAX_BYTES),
            names: OnceCell::new(),
        }
    }

    /// Whether another role may be read. One that was begun is read to its end, which has
    /// bounds of its own.
    pub(super) fn has_room(&self) -> bool {
        self.values.get() > 0 && self.bytes.get() > 0
    }

    /// Counts a file that was read.
    pub(super) fn charge(&self, size: Size, bytes: usize) {
        let take = |left: &Cell<usize>, cost| left.set(left.get().saturating_sub(cost));
        take(&self.values, size.values);
        take(&self.bytes, bytes.max(OF_FILE));
    }
}
