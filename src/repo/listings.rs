//! What is kept of the names in each folder, from one walk to the next and on disk.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::Cache;
use super::names::{EntryKind, Names};
use super::read::Stamp;
use crate::hash;

/// What the folders that are remembered may take, in bytes, roughly.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A folder whose names take more is listed each time, in bytes.
const MAX_NAMES_BYTES: usize = 512 * 1024;

/// What a folder takes beside its path and its names, in bytes.
const OF_FOLDER: usize = 128;

/// An entry is written again if one folder in this many was listed anew.
const WORTH_WRITING: usize = 50;

/// The most bytes of names among which one is searched for: a question to the system costs less.
const MAX_SEARCHED: usize = 8 * 1024;

/// Which walk it was; a later one has a higher number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WalkNumber(u64);

/// What is known of the folders of a repository.
#[derive(Default)]
pub(super) struct Listings {
    folders: HashMap<String, Listed, RandomState>,
    bytes: usize,
    /// How many were listed anew since an entry was written.
    fresh: usize,
    walk: WalkNumber,
}

/// A folder that was listed.
#[derive(Serialize, Deserialize)]
struct Listed {
    stamp: Stamp,
    names: Packed,
    /// The last walk that came by.
    #[serde(skip)]
    seen: WalkNumber,
}

/// Names of a folder in one text, in their order: before each a slash and a letter that says
/// what it is.
#[derive(Serialize, Deserialize)]
struct Packed {
    text: String,
    unnameable: usize,
}

const KINDS: [(EntryKind, char); 4] = [
    (EntryKind::Folder, 'd'),
    (EntryKind::File, 'f'),
    (EntryKind::Link, 'l'),
    (EntryKind::Other, 'o'),
];

impl Packed {
    /// `None` if these are not all names, or too many.
    fn of(names: &Names) -> Option<Packed> {
        if names.left_out > 0 || names.bytes() > MAX_NAMES_BYTES {
            return None;
        }
        let mut text = String::new();
        for (name, kind) in names.iter() {
            let (_, letter) = KINDS.iter().find(|(known, _)| *known == kind)?;
            text.push('/');
            text.push(*letter);
            text.push_str(name);
        }
        text.shrink_to_fit();
        let unnameable = names.unnameable;
        Some(Packed { text, unnameable })
    }

    fn iter(&self) -> impl Iterator<Item = (&str, EntryKind)> {
        let entries = self.text.split('/').skip(1);
        entries.filter_map(|entry| {
            let mut name = entry.chars();
            let letter = name.next()?;
            let (kind, _) = KINDS.iter().find(|(_, known)| *known == letter)?;
            Some((name.as_str(), *kind))
        })
    }

    fn open(&self) -> Names {
        Names::of_all(self.iter(), self.text.len(), self.unnameable)
    }

    /// Whether it is sure that there is nothing of this name, in whatever case: some folders
    /// mind none.
    fn lack(&self, name: &str) -> bool {
        let is_it = |(known, _): (&str, EntryKind)| known.eq_ignore_ascii_case(name);
        self.text.len() <= MAX_SEARCHED && !self.iter().any(is_it)
    }
}

impl Listings {
    /// A walk begins.
    pub(super) fn begin_walk(&mut self) {
        self.walk.0 += 1;
    }

    /// The last walk that began.
    pub(super) fn last_walk(&self) -> WalkNumber {
        self.walk
    }

    /// The names of a folder, if it was in this state when it was listed.
    pub(super) fn get(&mut self, folder: &str, stamp: &Stamp) -> Option<Names> {
        let listed = self.folders.get_mut(folder)?;
        (listed.stamp == *stamp).then(|| {
            listed.seen = self.walk;
            listed.names.open()
        })
    }

    /// Remembers what was listed of a folder that looked so before.
    pub(super) fn keep(&mut self, folder: &str, stamp: Stamp, names: &Names) {
        let seen = self.walk;
        self.forget(folder);
        let Some(names) = Packed::of(names) else {
            return;
        };
        let listed = Listed { stamp, names, seen };
        self.fresh += usize::from(self.insert(folder.to_owned(), listed));
    }

    /// Whether there was room for it.
    fn insert(&mut self, folder: String, listed: Listed) -> bool {
        let bytes = self.bytes + bytes_of(&folder, &listed);
        let has_room = bytes <= MAX_BYTES;
        if has_room {
            self.bytes = bytes;
            self.folders.insert(folder, listed);
        }
        has_room
    }

    fn forget(&mut self, folder: &str) {
        if let Some(listed) = self.folders.remove(folder) {
            self.bytes -= bytes_of(folder, &listed);
        }
    }

    /// Whether there is nothing at a path, since a folder above it lacks a name, as this walk or
    /// a later one saw.
    pub(super) fn lack(&self, path: &str, since: WalkNumber) -> bool {
        let mut path = path;
        while !path.is_empty() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let listed = self.folders.get(folder);
            if let Some(listed) = listed.filter(|listed| listed.seen >= since) {
                return listed.names.lack(name);
            }
            path = folder;
        }
        false
    }

    /// Reads what an earlier run kept of the repository at `root`.
    pub(super) fn read(cache: &Cache, root: &str) -> Listings {
        let mut listings = Listings::default();
        let rows: Option<Vec<(String, Listed)>> = cache.read(&name_of(root), root);
        let rows = rows.unwrap_or_default();
        listings.folders.reserve(rows.len());
        for (path, listed) in rows {
            listings.insert(path, listed);
        }
        listings
    }

    /// Writes what is known, if that many folders are new: if `all`, one is enough.
    pub(super) fn write(&mut self, cache: &Cache, root: &str, all: bool) -> Result<(), String> {
        let many = if all {
            1
        } else {
            1 + self.folders.len() / WORTH_WRITING
        };
        if self.fresh < many {
            return Ok(());
        }
        let first = WalkNumber(1);
        let is_gone = |path: &str, listed: &Listed| listed.seen < first && self.lack(path, first);
        let folders = self.folders.iter();
        let rows: Vec<(&String, &Listed)> = folders
            .filter(|(path, listed)| !is_gone(path, listed))
            .collect();
        cache.write(&name_of(root), root, &rows)?;
        self.fresh = 0;
        Ok(())
    }
}

fn bytes_of(folder: &str, listed: &Listed) -> usize {
    folder.len() + listed.names.text.len() + OF_FOLDER
}

/// The name of the entry in which the folders of a repository are kept.
fn name_of(root: &str) -> String {
    format!("{:016x}-folders", hash::of(&[root]))
}

#[cfg(test)]
impl Listings {
    /// The folders, in order.
    pub(super) fn folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.folders.keys().map(String::as_str).collect();
        folders.sort_unstable();
        folders
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_what_they_were(
            given in prop::collection::btree_map("[^/]{1,12}", 0..4usize, 0..40),
            unnameable in 0..3usize,
        ) {
            let mut names = Names::default();
            for (name, kind) in given.iter().rev() {
                names.push(Some(name), KINDS[*kind].0);
            }
            names.unnameable = unnameable;
            names.sort();
            let packed = Packed::of(&names).unwrap();
            let opened = packed.open();
            let all = |names: &Names| -> Vec<(String, EntryKind)> {
                names.iter().map(|(name, kind)| (name.to_owned(), kind)).collect()
            };
            prop_assert_eq!(all(&opened), all(&names));
            prop_assert_eq!(opened.unnameable, unnameable);
            prop_assert_eq!(opened.tells(".gitignore"), names.tells(".gitignore"));
            for name in given.keys() {
                prop_assert!(!packed.lack(name) && !packed.lack(&name.to_ascii_uppercase()));
            }
            prop_assert!(packed.lack("a name of sixteen or more"));
        }
    }

    #[test]
    fn what_has_no_room_is_not_new_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let stamp: Stamp = postcard::from_bytes(&[0; 5]).unwrap();
        let mut names = Names::default();
        names.push(Some(&"n".repeat(250)), EntryKind::File);
        let mut listings = Listings::default();
        let list = |listings: &mut Listings| {
            for number in 0..MAX_BYTES / 300 {
                listings.keep(&number.to_string(), stamp, &names);
            }
        };
        list(&mut listings);
        let known = listings.folders.len();
        assert!(known < MAX_BYTES / 300 && listings.fresh == known);
        listings.write(&cache, "", false).unwrap();
        let mut listings = Listings::read(&cache, "");
        assert_eq!((listings.folders.len(), listings.fresh), (known, 0));
        listings.keep("one more", stamp, &names);
        assert_eq!(listings.fresh, 0);
    }

    #[test]
    fn names_of_which_some_are_not_known_are_not_kept() {
        let mut names = Names::default();
        for number in 0..60_000 {
            names.push(Some(&format!("{number}")), EntryKind::File);
        }
        assert!(Packed::of(&names).is_none());
        let mut names = Names::default();
        names.push(Some("a"), EntryKind::File);
        assert!(Packed::of(&names).is_some());
        names.left_out = 1;
        assert!(Packed::of(&names).is_none());
    }
}
