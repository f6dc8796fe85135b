//! The limits on reading roles.

use std::cell::{Cell, OnceCell};

use super::yaml::Size;

/// The most values of all roles that are read together: as many as a few thousand ordinary roles
/// have.
const MAX_VALUES: usize = 60_000;

/// The most bytes of their files, each counted as at least [`OF_FILE`].
const MAX_BYTES: usize = 8 * 1024 * 1024;
const OF_FILE: usize = 4096;

/// One account for all roles that are read together, and what is known of them meanwhile. Each role
/// may be read together with others that it extends, so the same files are read again and again.
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

    /// Whether another role may be read. A role that was begun is read to its end, which has limits
    /// of its own.
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
