//! The files that git knows, as its index lists them.

use std::fs;
use std::hash::BuildHasher as _;
use std::path::Path;

use foldhash::fast::RandomState;
use git2::{Index, IndexEntry};
use hashbrown::HashTable;

use super::belongs::MAX_INDEX;
use super::cached::Remembered;
use super::differing::Side;
use super::{Git, cached, words};
use crate::memory::with_less;
use crate::repo::{Refusal, RepoPath, read_regular_bytes};

/// The most files of the index that are listed, and the most bytes of their paths.
const MAX_FILES: usize = 200_000;
const MAX_BYTES: usize = 12 * 1024 * 1024;

/// The paths of the files that git knows, with or without a conflict.
#[derive(Default)]
pub struct Tracked {
    /// The paths behind one another, in the order of their bytes.
    text: Vec<u8>,
    /// Where each ends.
    ends: Vec<u32>,
    /// The number of each by its hash.
    places: HashTable<u32>,
    hasher: RandomState,
    /// Whether there are more than are listed.
    more: bool,
}

impl Tracked {
    /// Whether a file is one of them.
    pub fn contains(&self, path: &str) -> bool {
        let hash = self.hasher.hash_one(path.as_bytes());
        let is_it = |number: &u32| self.path(*number) == path.as_bytes();
        self.places.find(hash, is_it).is_some()
    }

    /// Those that are UTF-8, in the order of their bytes.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let paths = (0..self.ends.len()).map(|at| self.nth(at));
        paths.filter_map(|path| str::from_utf8(path).ok())
    }

    /// Whether one of them lies in this folder.
    fn has_below(&self, folder: &str) -> bool {
        let below = [folder.as_bytes(), b"/"].concat();
        let first = self.partition(&below);
        first < self.ends.len() && self.nth(first).starts_with(&below)
    }

    /// How many of them come before a path.
    fn partition(&self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.nth(middle) < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn nth(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[at] as usize]
    }

    fn path(&self, number: u32) -> &[u8] {
        self.nth(number as usize)
    }

    /// Takes in the next entry of an index.
    fn take(&mut self, entry: &IndexEntry) {
        let last = self.ends.len().checked_sub(1).map(|at| self.nth(at));
        // A file with a conflict has an entry for each side.
        if last == Some(&entry.path[..]) {
            return;
        }
        let end = self.text.len() + entry.path.len();
        let (true, Ok(end)) = (
            self.ends.len() < MAX_FILES && end <= MAX_BYTES,
            u32::try_from(end),
        ) else {
            self.more = true;
            return;
        };
        self.text.extend_from_slice(&entry.path);
        self.ends.push(end);
    }

    /// What an index lists.
    fn of(index: &Index) -> Tracked {
        let mut tracked = Tracked::default();
        for entry in index.iter() {
            tracked.take(&entry);
        }
        tracked.find_places();
        tracked
    }

    fn find_places(&mut self) {
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let hash = |number: &u32| {
            let at = *number as usize;
            let start = at.checked_sub(1).map_or(0, |before| ends[before]);
            hasher.hash_one(&text[start as usize..ends[at] as usize])
        };
        let mut places = HashTable::with_capacity(ends.len());
        for number in (0..).take(ends.len()) {
            places.insert_unique(hash(&number), number, hash);
        }
        self.places = places;
    }
}

impl Git {
    /// The files of the index, the first 200,000 of them; none if it cannot be read.
    pub fn tracked(&self) -> &Tracked {
        if self.tracked.get().is_none() {
            let _ = with_less(|| self.index());
        }
        self.tracked.get_or_init(Tracked::default)
    }

    /// The index as it was when somebody asked first. It is never written back.
    pub(super) fn index(&self) -> Result<Index, git2::Error> {
        if let Some(fault) = self.index_fault.get() {
            return Err(git2::Error::from_str(fault));
        }
        if self.tracked.get().is_some_and(|tracked| !tracked.more) {
            return self.repository.index();
        }
        let mut index = self.read_index()?;
        // So that it is read once, also for the attributes that a diff looks up in it.
        self.repository.set_index(&mut index)?;
        Ok(index)
    }

    /// The index, read from disk once more.
    pub(super) fn read_index(&self) -> Result<Index, git2::Error> {
        let path = self.repository.path().join("index");
        let state = || {
            fs::metadata(&path)
                .ok()
                .map(|meta| (meta.len(), meta.modified().ok()))
        };
        let before = state();
        let looked_at = look_at(&path).map_err(|fault| git2::Error::from_str(&fault));
        let index = looked_at.and_then(|trees| Ok((Index::open(&path)?, trees)));
        let (index, trees) = match index {
            Ok(read) => read,
            // What was read before is good.
            Err(error) if self.tracked.get().is_some() => return Err(error),
            Err(error) => {
                self.index_fault.get_or_init(|| words(&error));
                // So that the library does not read it either, for the attributes of a diff.
                self.repository.set_index(&mut Index::new()?)?;
                return Err(error);
            }
        };
        if self.tracked.get().is_none() {
            self.tracked.get_or_init(|| Tracked::of(&index));
            // They are its own if nobody wrote another one meanwhile.
            if state() == before {
                self.remembered.get_or_init(|| trees);
            }
        }
        Ok(index)
    }

    /// What is staged, by an index that [`index`](Git::index) gave.
    pub(super) fn staged_side<'a>(&'a self, index: &'a Index) -> Side<'a> {
        // An index of which not all is listed is read anew each time.
        let is_the_same = self.tracked.get().is_some_and(|tracked| !tracked.more);
        // Libraries put a conflict into a folder and leave its tree as it was.
        let is_plain = is_the_same && !index.has_conflicts();
        match self.remembered.get().filter(|_| is_plain) {
            Some(trees) => Side::Staged(index, trees),
            None => Side::Index(index),
        }
    }

    /// Whether it cannot be told what is in the index.
    pub(in crate::repo) fn lacks_index(&self) -> bool {
        self.tracked();
        self.index_fault.get().is_some()
    }

    /// Whether a file is in the index, with or without a conflict.
    pub(in crate::repo) fn tracks(&self, path: &RepoPath) -> bool {
        let tracked = self.tracked();
        tracked.contains(path.as_str())
            || tracked.more
                && self.asks(|index| {
                    let at = |stage| index.get_path(Path::new(path.as_str()), stage);
                    (0..=3).any(|stage| at(stage).is_some())
                })
    }

    /// Whether there is a file in the index that lies in this folder.
    pub(in crate::repo) fn tracks_below(&self, folder: &RepoPath) -> bool {
        let tracked = self.tracked();
        tracked.has_below(folder.as_str())
            || tracked.more && self.asks(|index| index.find_prefix(format!("{folder}/")).is_ok())
    }

    /// Asks the index itself, of which not all is listed; it is read once for all who ask.
    fn asks(&self, ask: impl FnOnce(&Index) -> bool) -> bool {
        with_less(|| self.repository.index().is_ok_and(|index| ask(&index)))
    }
}

/// The trees that an index remembers, or why it must not be read.
fn look_at(path: &Path) -> Result<Remembered, String> {
    let again = "without that file `git reset` makes a new one";
    match read_regular_bytes(path, MAX_INDEX) {
        Ok(bytes) if !bytes.starts_with(b"DIRC") => Err(format!("its index is damaged; {again}")),
        Ok(bytes) if !cached::can_be_read(&bytes) => Err(format!(
            "folders that its index remembers lie too deep; {again}"
        )),
        Ok(bytes) => Ok(Remembered::of(&bytes)),
        // Without one nothing is tracked.
        Err(Refusal::Missing) => Ok(Remembered::default()),
        Err(refusal) => Err(format!("its index cannot be read: {refusal}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, stage: u16) -> IndexEntry {
        let none = git2::IndexTime::new(0, 0);
        IndexEntry {
            ctime: none,
            mtime: none,
            dev: 0,
            ino: 0,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id: git2::Oid::ZERO_SHA1,
            flags: stage << 12,
            flags_extended: 0,
            path: path.into(),
        }
    }

    fn of(paths: &[(&str, u16)]) -> Tracked {
        let mut tracked = Tracked::default();
        for (path, stage) in paths {
            tracked.take(&entry(path, *stage));
        }
        tracked.find_places();
        tracked
    }

    #[test]
    fn files_are_found_by_their_paths_and_their_folders() {
        let tracked = of(&[("a", 0), ("a.b/c", 1), ("a.b/c", 2), ("d/e/f", 0), ("g", 0)]);
        assert_eq!(tracked.paths().count(), 4);
        assert!(
            ["a", "a.b/c", "d/e/f", "g"]
                .iter()
                .all(|path| tracked.contains(path))
        );
        assert!(!tracked.contains("d/e") && !tracked.contains("b"));
        assert!(
            ["a.b", "d", "d/e"]
                .iter()
                .all(|folder| tracked.has_below(folder))
        );
        assert!(
            !["a", "d/e/f", "h", "c"]
                .iter()
                .any(|folder| tracked.has_below(folder))
        );
        assert!(!of(&[]).contains("a") && !of(&[]).has_below("a"));
    }

    #[test]
    fn there_is_an_end_to_what_is_listed() {
        let long = "x".repeat(1024 * 1024);
        let mut tracked = Tracked::default();
        for number in 10..30 {
            tracked.take(&entry(&format!("{number}{long}"), 0));
        }
        assert!(tracked.more && tracked.paths().count() == 11);
    }
}
