//! All files of a repository, found by their names, by their folders, and by the names of those.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::path::{folder, name};
use crate::repo::{Found, Repo, RepoPath, Visitor};
use crate::truncate::last_that;

/// The most bytes of the paths of all listed files together.
pub const MAX_PATHS: usize = 8 * 1024 * 1024;

/// The most files among which an import is searched for. Only a few monorepos are larger.
pub const MAX_LISTED: usize = 50_000;

/// Paths in their order.
pub(super) enum Paths {
    /// Paths that somebody else has listed, too.
    Listed(Arc<[String]>),
    /// One after the other in a text, each with its end: there may be very many.
    Joined { text: String, ends: Vec<usize> },
}

impl Paths {
    /// Joins paths that are in order.
    pub(super) fn joined(paths: &[&str]) -> Paths {
        let mut text = String::with_capacity(paths.iter().map(|path| path.len()).sum());
        let mut ends = Vec::with_capacity(paths.len());
        for path in paths {
            text.push_str(path);
            ends.push(text.len());
        }
        Paths::Joined { text, ends }
    }

    fn get(&self, at: usize) -> Option<&str> {
        match self {
            Paths::Listed(all) => all.get(at).map(String::as_str),
            Paths::Joined { text, ends } => {
                let end = *ends.get(at)?;
                let start = at.checked_sub(1).map_or(0, |before| ends[before]);
                text.get(start..end)
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Paths::Listed(all) => all.len(),
            Paths::Joined { ends, .. } => ends.len(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// Returns the first path that is not before this text.
    fn from(&self, text: &str) -> Option<&str> {
        let is_before = |path: &str| path < text;
        let before = last_that(0, self.len(), |paths| {
            self.get(paths - 1).is_some_and(is_before)
        });
        self.get(before)
    }
}

/// The files of a repository, found by their names.
pub(super) struct Listing {
    /// Sorted.
    files: Paths,
    by_name: OnceCell<Places>,
    in_folder: OnceCell<Places>,
    /// The first file of each folder, by the last part of the folder.
    by_folder_name: OnceCell<Places>,
    /// Whether there are more than are listed.
    pub(super) more: bool,
}

/// Positions of files by the hash of a part of their paths.
type Places = hashbrown::HashMap<u64, Vec<u32>, RandomState>;

impl Listing {
    /// Lists the files that are found on disk.
    pub(super) fn walked(repo: &Repo) -> Listing {
        let mut all = All::default();
        // What cannot be listed is told by the sources that were asked for it.
        let _ = repo.walk(&RepoPath::root(), &mut all);
        all.files.sort_unstable();
        Listing::sorted(Paths::Listed(all.files.into()), all.more)
    }

    /// Makes a listing of these files, which are in order.
    pub(super) fn sorted(files: Paths, more: bool) -> Listing {
        Listing {
            files,
            by_name: OnceCell::new(),
            in_folder: OnceCell::new(),
            by_folder_name: OnceCell::new(),
            more,
        }
    }

    /// Returns the files with `text` as the part that `part` selects, in order.
    fn with<'s>(
        &'s self,
        places: &'s OnceCell<Places>,
        part: fn(&str) -> &str,
        text: &'s str,
    ) -> impl Iterator<Item = &'s str> {
        let places = places.get_or_init(|| {
            let mut places = Places::default();
            for (at, path) in (0..).zip(self.files.iter()) {
                let hash = places.hasher().hash_one(part(path));
                places.entry(hash).or_default().push(at);
            }
            places
        });
        self.of(places, text).filter(move |path| part(path) == text)
    }

    /// Returns the files at the positions of a text, and of others with the same hash.
    fn of<'s>(&'s self, places: &'s Places, text: &str) -> impl Iterator<Item = &'s str> {
        let hash = places.hasher().hash_one(text);
        let found = places.get(&hash).into_iter().flatten();
        found.filter_map(|at| self.files.get(*at as usize))
    }

    /// Returns the folders whose last part is `text` and that hold files, in order.
    pub(super) fn folders_named<'s>(&'s self, text: &'s str) -> Vec<&'s str> {
        let places = self.by_folder_name.get_or_init(|| {
            let mut places = Places::default();
            let mut seen: HashSet<&str, RandomState> = HashSet::default();
            for (at, path) in (0..).zip(self.files.iter()) {
                let folder = folder(path);
                if !folder.is_empty() && seen.insert(folder) {
                    let hash = places.hasher().hash_one(name(folder));
                    places.entry(hash).or_default().push(at);
                }
            }
            places
        });
        let mut folders: Vec<&str> = self
            .of(places, text)
            .map(folder)
            .filter(|folder| name(folder) == text)
            .collect();
        folders.sort_unstable();
        folders
    }

    /// Whether there are files below a folder.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let first = self.files.from(&below);
        first.is_some_and(|file| file.starts_with(&below))
    }

    /// Returns every file, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter()
    }

    /// Returns every file of this name, in order.
    pub(super) fn named<'s>(&'s self, wanted: &'s str) -> impl Iterator<Item = &'s str> {
        self.with(&self.by_name, name, wanted)
    }

    /// Returns the files directly in a folder, in order.
    pub(super) fn files_in<'s>(&'s self, wanted: &'s str) -> impl Iterator<Item = &'s str> {
        self.with(&self.in_folder, folder, wanted)
    }
}

/// What a walk finds.
#[derive(Default)]
struct All {
    files: Vec<String>,
    bytes: usize,
    more: bool,
}

impl Visitor for All {
    fn enter(&mut self, _: &RepoPath) -> bool {
        !self.more
    }

    fn found(&mut self, found: Found) {
        // A link leads to a file that is found anyway, or to one that is not looked at.
        if found.link {
            return;
        }
        self.bytes += found.path.as_str().len();
        if self.files.len() == MAX_LISTED || self.bytes > MAX_PATHS {
            self.more = true;
        } else {
            self.files.push(found.path.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_joined_are_found_as_those_that_are_listed() {
        let files = ["a", "a/b", "a/c/d", "b.rs", "c/é", "d"];
        let joined = Paths::joined(&files);
        let listed = Paths::Listed(files.map(str::to_owned).into());
        for paths in [&joined, &listed] {
            assert_eq!(paths.iter().collect::<Vec<_>>(), files);
            for text in ["", "a/", "a/c", "b.rs", "c", "zz"] {
                let first = files.into_iter().find(|path| *path >= text);
                assert_eq!(paths.from(text), first, "{text}");
            }
        }
        assert_eq!(Paths::joined(&[]).from(""), None);
    }

    #[test]
    fn a_folder_is_found_by_its_first_file() {
        let files = ["a/b/1", "a/b/c/2", "a/b/d", "a/e", "b/3"].map(str::to_owned);
        let listing = Listing::sorted(Paths::Listed(files.into()), false);
        assert_eq!(listing.folders_named("b"), ["a/b", "b"]);
        let places = listing.by_folder_name.get().unwrap();
        assert_eq!(
            listing.of(places, "b").collect::<Vec<_>>(),
            ["a/b/1", "b/3"]
        );
    }
}
