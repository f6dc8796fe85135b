//! The tracked files, as git's index lists them.

use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use git2::Oid;
use hashbrown::HashTable;

use super::Git;
use super::staging::Staging;
use crate::memory::with_less;
use crate::repo::RepoPath;

/// The paths of the tracked files, with or without a conflict.
#[derive(Default)]
pub struct Tracked {
    staging: Staging,
    /// The entry of each path by its hash.
    places: HashTable<u32>,
    hasher: RandomState,
    /// Why there are none.
    fault: Option<String>,
}

impl Tracked {
    /// Whether a file is one of them.
    pub fn contains(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    /// Returns where a file is in the index.
    fn place(&self, path: &str) -> Option<usize> {
        let hash = self.hasher.hash_one(path.as_bytes());
        let is_it = |at: &u32| self.staging.path(*at as usize) == path.as_bytes();
        self.places.find(hash, is_it).map(|at| *at as usize)
    }

    /// Returns the object with the text of a file that a sparse checkout leaves out.
    pub(super) fn not_checked_out(&self, path: &str) -> Option<Oid> {
        let entry = self.staging.entry(self.place(path)?);
        entry.is_not_checked_out().then_some(entry.id)
    }

    /// Returns the paths that are UTF-8, in the order of their bytes.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let paths = (0..self.staging.len()).filter(|at| self.staging.is_first(*at));
        paths.filter_map(|at| str::from_utf8(self.staging.path(at)).ok())
    }

    /// Whether one of them is in this folder.
    fn has_below(&self, folder: &str) -> bool {
        let below = [folder.as_bytes(), b"/"].concat();
        let first = self.staging.partition(&below);
        first < self.staging.len() && self.staging.path(first).starts_with(&below)
    }

    /// Makes it of what an index lists; empty if it cannot be read.
    fn of(staging: Result<Staging, String>) -> Tracked {
        let hasher = RandomState::default();
        let (staging, fault) = match staging {
            Ok(staging) => (staging, None),
            Err(fault) => (Staging::default(), Some(fault)),
        };
        let hash = |at: &u32| hasher.hash_one(staging.path(*at as usize));
        let mut places = HashTable::with_capacity(staging.len());
        for at in (0..).take(staging.len()) {
            if staging.is_first(at as usize) {
                places.insert_unique(hash(&at), at, hash);
            }
        }
        Tracked {
            staging,
            places,
            hasher,
            fault,
        }
    }
}

impl Git {
    /// Returns the files of the index as it was when somebody first asked; none if it cannot be
    /// read.
    pub fn tracked(&self) -> &Tracked {
        let tracked = || with_less(|| Tracked::of(Staging::read(&self.folder)));
        self.tracked.get_or_init(tracked)
    }

    /// Returns the index itself.
    ///
    /// # Errors
    ///
    /// Says in one line why it cannot be read.
    pub(super) fn staging(&self) -> Result<&Staging, String> {
        let tracked = self.tracked();
        match &tracked.fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(&tracked.staging),
        }
    }

    /// Whether the content of the index cannot be determined.
    pub(in crate::repo) fn lacks_index(&self) -> bool {
        self.staging().is_err()
    }

    /// Whether a file is in the index, with or without a conflict.
    pub(in crate::repo) fn tracks(&self, path: &RepoPath) -> bool {
        self.tracked().contains(path.as_str())
    }

    /// Whether there is a file in the index that is in this folder.
    pub(in crate::repo) fn tracks_below(&self, folder: &RepoPath) -> bool {
        self.tracked().has_below(folder.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::staging::index;
    use super::*;

    fn of(paths: &[(&str, u16)]) -> Tracked {
        Tracked::of(Ok(Staging::parse(&index(2, paths)).unwrap()))
    }

    #[test]
    fn files_are_found_by_their_paths_and_their_folders() {
        let tracked = of(&[("a", 0), ("a.b/c", 1), ("a.b/c", 2), ("d/e/f", 0), ("g", 0)]);
        let paths: Vec<&str> = tracked.paths().collect();
        assert_eq!(paths, ["a", "a.b/c", "d/e/f", "g"]);
        assert!(paths.iter().all(|path| tracked.contains(path)));
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
}
