//! Remembers what was found out, by the path that it is about.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The bytes that are remembered of one kind: of ten thousand folders.
const ROOM: usize = 1024 * 1024;

/// What a path takes beside its letters, in bytes.
const ENTRY: usize = 64;

/// Remembers values by paths, as long as there is room for both. What does not fit is found out
/// anew each time, which the caller must count.
pub(super) struct Memo<V> {
    known: RefCell<HashMap<String, V, RandomState>>,
    left: Cell<usize>,
}

impl<V> Default for Memo<V> {
    fn default() -> Memo<V> {
        Memo::with_room(ROOM)
    }
}

impl<V> Memo<V> {
    /// Makes one that takes `bytes`.
    pub(super) fn with_room(bytes: usize) -> Memo<V> {
        Memo {
            known: RefCell::default(),
            left: Cell::new(bytes),
        }
    }
}

impl<V: Clone> Memo<V> {
    /// Returns what is known of a path, or what `find` finds now.
    pub(super) fn of(&self, path: &str, find: impl FnOnce() -> V) -> V {
        self.weighed(path, find, |_| 0)
    }

    /// Does the same for values that take as many bytes as `bytes` says.
    pub(super) fn weighed(
        &self,
        path: &str,
        find: impl FnOnce() -> V,
        bytes: impl FnOnce(&V) -> usize,
    ) -> V {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let value = find();
        let bytes = ENTRY + path.len() + bytes(&value);
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            let mut known = self.known.borrow_mut();
            known.insert(path.to_owned(), value.clone());
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_not_remembered() {
        let memo = Memo::with_room(2 * ENTRY + 10);
        let found = |path, number, bytes| memo.weighed(path, || number, |_| bytes);
        for (path, number, bytes) in [("a", 1, 5), ("b", 2, 5), ("c", 3, 2)] {
            assert_eq!(found(path, number, bytes), number);
        }
        assert_eq!(["a", "b", "c"].map(|path| memo.of(path, || 0)), [1, 0, 3]);
    }
}
