//! The names of one folder. A folder may hold a million of them, so they are all in one text, and a
//! rule that does not depend on the order in which a file system lists them decides which are left
//! out if there is no room.

use std::ops::Range;

/// What the names of one folder may take while they are listed, in bytes: a name and [`OF_ENTRY`]
/// each. If there are more, those that come after the first half of the room, in the order of
/// names, are left out. Four hundred thousand names of ten bytes fit.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// What an entry takes beside its name, in bytes.
const OF_ENTRY: usize = size_of::<Entry>();

/// Names that mean something for the folder that they are in.
const TELLING: [&str; 6] = [
    ".git",
    ".ignore",
    ".gitignore",
    "HEAD",
    "objects",
    "commondir",
];

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Folder,
    File,
    Link,
    /// A device, a socket, a FIFO.
    Other,
    /// A folder that the ignore rules hide.
    Ignored,
    /// One that they hide, in which git tracks something.
    Hidden,
}

/// One name, as a part of the text of all.
#[derive(Debug, Clone, Copy)]
struct Entry {
    at: u32,
    bytes: u16,
    kind: EntryKind,
}

impl Entry {
    fn range(self) -> Range<usize> {
        let at = self.at as usize;
        at..at + usize::from(self.bytes)
    }

    fn costs(self) -> usize {
        usize::from(self.bytes) + OF_ENTRY
    }
}

/// The entries of one folder, in the order of their names once they are [sorted](Self::sort).
#[derive(Debug, Clone)]
pub(super) struct Names {
    /// What they may take, in bytes.
    room: usize,
    text: String,
    entries: Vec<Entry>,
    /// The first name that had no room: none after it has.
    end: Option<String>,
    /// Which of [`TELLING`] there are, whether or not they have room.
    telling: [bool; TELLING.len()],
    /// How many had no room.
    pub(super) left_out: usize,
    /// How many have a name that is not UTF-8.
    pub(super) unnameable: usize,
}

impl Default for Names {
    fn default() -> Names {
        Names::with_room(MAX_BYTES)
    }
}

impl Names {
    fn with_room(room: usize) -> Names {
        Names {
            room,
            text: String::new(),
            entries: Vec::new(),
            end: None,
            telling: [false; TELLING.len()],
            left_out: 0,
            unnameable: 0,
        }
    }

    /// Makes names in their order, with none left out, of about `bytes` bytes.
    pub(super) fn of_all<'a>(
        all: impl Iterator<Item = (&'a str, EntryKind)>,
        bytes: usize,
        unnameable: usize,
    ) -> Names {
        let mut names = Names {
            text: String::with_capacity(bytes),
            unnameable,
            ..Names::default()
        };
        for (name, kind) in all {
            names.push(Some(name), kind);
        }
        names
    }

    /// Takes an entry as the system lists it.
    pub(super) fn push(&mut self, name: Option<&str>, kind: EntryKind) {
        let Some(name) = name else {
            self.unnameable += 1;
            return;
        };
        if let Some(which) = TELLING.iter().position(|telling| *telling == name) {
            self.telling[which] = true;
        }
        if self.end.as_deref().is_some_and(|end| name >= end) {
            self.left_out += 1;
            return;
        }
        let (Ok(at), Ok(bytes)) = (self.text.len().try_into(), name.len().try_into()) else {
            self.left_out += 1;
            return;
        };
        self.reserve(name.len());
        self.text.push_str(name);
        self.entries.push(Entry { at, bytes, kind });
        if self.text.len() + self.entries.len() * OF_ENTRY > self.room {
            self.cut();
        }
    }

    /// Makes room for a name, and for as many more as there are, but not for more than fit.
    fn reserve(&mut self, bytes: usize) {
        if self.text.capacity() - self.text.len() < bytes {
            let left = self.room.saturating_sub(self.text.len());
            self.text
                .reserve_exact(bytes.max(left.min(self.text.len().max(256))));
        }
    }

    /// Sorts the entries, and frees the memory that they do not need.
    pub(super) fn sort(&mut self) {
        if self.end.is_some() {
            self.cut();
        } else {
            self.order();
        }
        self.text.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    /// Keeps the first names that take half of the room together.
    ///
    /// These are the same in whatever order they came: whenever some are left out, none of these
    /// is, because each of them has room even with everything before it.
    fn cut(&mut self) {
        self.order();
        let mut left = self.room / 2;
        let has_room = |entry: &Entry| {
            let rest = left.checked_sub(entry.costs());
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let kept = self.entries.iter().copied().take_while(has_room).count();
        let Some(first_out) = self.entries.get(kept).copied() else {
            return;
        };
        self.end = Some(self.text[first_out.range()].to_owned());
        self.left_out += self.entries.len() - kept;
        self.entries.truncate(kept);
        let mut text = String::with_capacity(self.room / 2);
        for entry in &mut self.entries {
            let range = entry.range();
            // Not longer than the text before.
            entry.at = u32::try_from(text.len()).unwrap_or(u32::MAX);
            text.push_str(&self.text[range]);
        }
        self.text = text;
    }

    fn order(&mut self) {
        let text = &self.text;
        let name = |entry: &Entry| &text[entry.range()];
        self.entries.sort_unstable_by(|a, b| name(a).cmp(name(b)));
    }

    /// Whether there is an entry that means something for its folder.
    pub(super) fn tells(&self, name: &str) -> bool {
        let which = TELLING.iter().position(|telling| *telling == name);
        which.is_some_and(|which| self.telling[which])
    }

    /// Returns the entries in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, EntryKind)> {
        let entries = self.entries.iter();
        entries.map(|entry| (&self.text[entry.range()], entry.kind))
    }

    /// Returns what they take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Names>() + self.text.len() + self.entries.len() * OF_ENTRY
    }

    /// Sets what each entry is, or leaves it out.
    pub(super) fn sift(&mut self, mut what: impl FnMut(&str, EntryKind) -> Option<EntryKind>) {
        let text = &self.text;
        self.entries.retain_mut(|entry| {
            let kind = what(&text[entry.range()], entry.kind);
            entry.kind = kind.unwrap_or(entry.kind);
            kind.is_some()
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn listed(room: usize, given: &[String]) -> Names {
        let mut names = Names::with_room(room);
        for name in given {
            names.push(Some(name), EntryKind::File);
        }
        names.sort();
        names
    }

    fn shown(names: &Names) -> Vec<&str> {
        names.iter().map(|(name, _)| name).collect()
    }

    proptest! {
        #[test]
        fn what_has_room_does_not_depend_on_the_order(
            names in prop::collection::btree_set("[a-c]{1,9}", 0..60),
            shuffled in any::<prop::sample::Index>(),
            room in 60..900usize,
        ) {
            let mut names: Vec<String> = names.into_iter().collect();
            let sorted = listed(room, &names);
            let cost = |name: &str| name.len() + OF_ENTRY;
            let total: usize = names.iter().map(|name| cost(name)).sum();
            let kept = shown(&sorted);
            prop_assert!(names.iter().map(String::as_str).take(kept.len()).eq(kept.iter().copied()));
            prop_assert_eq!(sorted.left_out, names.len() - kept.len());
            if total <= room {
                prop_assert_eq!(sorted.left_out, 0);
            } else {
                let used: usize = kept.iter().map(|name| cost(name)).sum();
                let next = cost(&names[kept.len()]);
                prop_assert!(used <= room / 2 && used + next > room / 2);
            }
            let turn = shuffled.index(names.len().max(1));
            names.rotate_left(turn);
            names.reverse();
            let other = listed(room, &names);
            prop_assert_eq!(shown(&other), kept);
            prop_assert_eq!(other.left_out, sorted.left_out);
        }
    }

    #[test]
    fn what_tells_of_the_folder_is_known_where_it_has_no_room() {
        let mut names = Names::with_room(40);
        for name in ["!a", "!b", "!c", "!d", "!e", ".gitignore", "HEAD"] {
            names.push(Some(name), EntryKind::File);
        }
        names.push(None, EntryKind::File);
        names.sort();
        assert_eq!(shown(&names), ["!a", "!b"]);
        assert_eq!((names.left_out, names.unnameable), (5, 1));
        assert!(names.tells(".gitignore") && names.tells("HEAD"));
        assert!(!names.tells(".ignore") && !names.tells("!a"));
    }
}
