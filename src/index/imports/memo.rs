//! What was found out, by the path that it is about.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use foldhash::fast::RandomState;

/// What is remembered of one kind, in bytes: of ten thousand folders.
const ROOM: usize = 1024 * 1024;

/// What a path takes beside its letters, in bytes.
const ENTRY: usize = 64;

/// Remembers values by paths, as long as there is room for both. What has none is found out
/// anew each time, which has to be charged to those who ask.
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
    /// One that takes `bytes`.
    pub(super) fn with_room(bytes: usize) -> Memo<V> {
        Memo {
            known: RefCell::default(),
            left: Cell::new(bytes),
        }
    }
}

impl<V: Clone> Memo<V> {
    /// What is known of a path.
    pub(super) fn get(&self, path: &str) -> Option<V> {
        self.known.borrow().get(path).cloned()
    }

    /// Remembers a value of `bytes`, if there is room.
    pub(super) fn keep(&self, path: &str, bytes: usize, value: &V) {
        let bytes = ENTRY + path.len() + bytes;
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            let mut known = self.known.borrow_mut();
            known.insert(path.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_not_remembered() {
        let memo = Memo::with_room(2 * ENTRY + 10);
        memo.keep("a", 5, &1);
        memo.keep("b", 5, &2);
        memo.keep("c", 2, &3);
        assert_eq!(
            ["a", "b", "c"].map(|path| memo.get(path)),
            [Some(1), None, Some(3)]
        );
    }
}
