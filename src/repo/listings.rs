//! What is kept of the names in each folder, from one walk to the next and on disk.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::Cache;
use super::names::{EntryKind, Names};
use super::read::Stamp;
use crate::hash;

/// About how many bytes the remembered folders may take.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// A folder whose names take more is listed each time, in bytes.
const MAX_NAMES_BYTES: usize = 512 * 1024;

/// What a folder takes beside its path and its names, in bytes.
const OF_FOLDER: usize = 128;

/// An entry is written again if one folder in this many was newly listed.
const WORTH_WRITING: usize = 50;

/// The most bytes of names that are searched for one: asking the system costs less than searching
/// more.
const MAX_SEARCHED: usize = 8 * 1024;

/// Which walk it was; a later one has a higher number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WalkNumber(u64);

/// What is known of the folders of a repository.
#[derive(Default)]
pub(super) struct Listings {
    folders: HashMap<String, Listed, RandomState>,
    bytes: usize,
    /// How many were newly listed since an entry was written.
    fresh: usize,
    /// Whether there was no room for one.
    is_full: bool,
    walk: WalkNumber,
}

/// A folder that was listed.
#[derive(Serialize, Deserialize)]
struct Listed {
    stamp: Stamp,
    names: Packed,
    /// The last walk that visited it.
    #[serde(skip)]
    seen: WalkNumber,
}

/// Names of a folder in one text, in their order: before each a slash and a letter that says what
/// it is.
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
    /// Packs names; `None` if these are not all names, or too many.
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

    /// Whether there is certainly nothing of this name, in whatever case: some folders ignore case,
    /// and how a non-ASCII letter is composed.
    fn lack(&self, name: &str) -> bool {
        let is_it = |(known, _): (&str, EntryKind)| known.eq_ignore_ascii_case(name);
        self.text.len() <= MAX_SEARCHED && name.is_ascii() && !self.iter().any(is_it)
    }
}

impl Listings {
    /// Begins a walk.
    pub(super) fn begin_walk(&mut self) {
        self.walk.0 += 1;
    }

    /// Returns the last walk that began.
    pub(super) fn last_walk(&self) -> WalkNumber {
        self.walk
    }

    /// Returns the names of a folder, if it was in this state when it was listed.
    pub(super) fn get(&mut self, folder: &str, stamp: &Stamp) -> Option<Names> {
        let listed = self.folders.get_mut(folder)?;
        (listed.stamp == *stamp).then(|| {
            listed.seen = self.walk;
            listed.names.open()
        })
    }

    /// Remembers the listing of a folder that had this stamp before.
    pub(super) fn keep(&mut self, folder: &str, stamp: Stamp, names: &Names) {
        let seen = self.walk;
        self.forget(folder);
        let Some(names) = Packed::of(names) else {
            return;
        };
        let listed = Listed { stamp, names, seen };
        // What has no room is listed each time, and would have the entry written each time.
        self.fresh += usize::from(self.insert(folder.to_owned(), listed));
    }

    /// Adds a folder; returns `false` if there is no room for it.
    fn insert(&mut self, folder: String, listed: Listed) -> bool {
        let bytes = self.bytes + bytes_of(&folder, &listed);
        let has_room = bytes <= MAX_BYTES;
        if has_room {
            self.bytes = bytes;
            self.folders.insert(folder, listed);
        }
        self.is_full |= !has_room;
        has_room
    }

    fn forget(&mut self, folder: &str) {
        if let Some(listed) = self.folders.remove(folder) {
            self.bytes -= bytes_of(folder, &listed);
        }
    }

    /// Whether there is nothing at a path because a folder above it lacks a name, as this walk or a
    /// later one saw.
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

    /// Writes what is known, if that many folders are new; if `all`, one is enough.
    pub(super) fn write(&mut self, cache: &Cache, root: &str, all: bool) -> Result<(), String> {
        let many = if all {
            1
        } else {
            1 + self.folders.len() / WORTH_WRITING
        };
        let makes_room = self.is_full && self.folders.values().any(Listed::is_unseen);
        if self.fresh < many && !makes_room {
            return Ok(());
        }
        self.forget_unseen();
        let rows: Vec<(&String, &Listed)> = self.folders.iter().collect();
        cache.write(&name_of(root), root, &rows)?;
        self.fresh = 0;
        Ok(())
    }

    /// Forgets the folders that are gone and, if there is no room for others, all that no walk
    /// visited.
    fn forget_unseen(&mut self) {
        let mut names = HashMap::new();
        let folders = self.folders.iter();
        let unseen = folders.filter(|(_, listed)| listed.is_unseen());
        let unseen = unseen.filter(|(path, _)| self.is_full || self.is_gone(path, &mut names));
        let unseen: Vec<String> = unseen.map(|(path, _)| path.clone()).collect();
        for path in unseen {
            self.forget(&path);
            self.is_full = false;
        }
    }

    /// Whether a folder above a path that a walk visited lacks a name. The names of each of these
    /// are collected once, because there may be many, and many folders that are gone.
    fn is_gone<'a>(&'a self, path: &str, names: &mut HashMap<&'a str, HashSet<&'a str>>) -> bool {
        let mut path = path;
        while !path.is_empty() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let known = self.folders.get_key_value(folder);
            if let Some((folder, listed)) = known.filter(|(_, listed)| !listed.is_unseen()) {
                let all = || listed.names.iter().map(|(name, _)| name).collect();
                return !names.entry(folder).or_insert_with(all).contains(name);
            }
            path = folder;
        }
        false
    }
}

impl Listed {
    /// Whether no walk visited it.
    fn is_unseen(&self) -> bool {
        self.seen == WalkNumber::default()
    }
}

fn bytes_of(folder: &str, listed: &Listed) -> usize {
    folder.len() + listed.names.text.len() + OF_FOLDER
}

/// Returns the name of the entry in which the folders of a repository are kept.
fn name_of(root: &str) -> String {
    format!("{}-folders", hash::digits(root))
}

#[cfg(test)]
impl Listings {
    /// Returns the folders, in order.
    pub(super) fn folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self.folders.keys().map(String::as_str).collect();
        folders.sort_unstable();
        folders
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Repo, RepoPath};
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
            prop_assert!(!packed.lack("é, as one of sixteen or more"));
        }
    }

    #[test]
    fn folders_for_which_there_is_no_room_are_not_written_each_time() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("any"), "").unwrap();
        let any = RepoPath::parse("any").unwrap();
        let stamp = Repo::open(folder.path()).unwrap().stamp(&any).unwrap();
        let cache = Cache::new(folder.path());
        let mut names = Names::default();
        for number in 0..1000 {
            names.push(Some(&format!("{number:0200}")), EntryKind::File);
        }
        let mut listings = Listings::default();
        listings.begin_walk();
        while listings.bytes + names.bytes() < MAX_BYTES {
            let folder = listings.folders.len().to_string();
            listings.keep(&folder, stamp, &names);
        }
        listings.write(&cache, "root", false).unwrap();
        assert_eq!(listings.fresh, 0);
        for number in 0..10 {
            listings.keep(&format!("more {number}"), stamp, &names);
        }
        assert_eq!(listings.fresh, 0);
        // Those by which no walk came make room.
        let mut listings = Listings::read(&cache, "root");
        listings.begin_walk();
        assert!(listings.get("0", &stamp).is_some());
        listings.keep("more", stamp, &names);
        listings.write(&cache, "root", false).unwrap();
        assert_eq!(Listings::read(&cache, "root").folders(), ["0"]);
        listings.keep("more", stamp, &names);
        listings.write(&cache, "root", false).unwrap();
        assert_eq!(Listings::read(&cache, "root").folders(), ["0", "more"]);
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
