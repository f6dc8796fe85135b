//! The files among which imports are looked for, what project files say, and how much may be looked
//! at altogether.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::super::reading::Exports;
use super::listing::{Listing, Paths};
use super::path::{ends_with, folder, join, name, normal, resolved};
use crate::repo::{Asker, Kind, MAX_NAMES, Repo, RepoPath, Stamp};

/// The largest project file, such as one that names a package, in bytes.
const MAX_MANIFEST: u64 = 128 * 1024;

/// The most bytes of all project files, because what they say is remembered. A thousand packages
/// have about two megabytes.
const MAX_MANIFESTS: usize = 3 * 1024 * 1024;

/// The most that is remembered of all project files, in values of about a hundred bytes each,
/// whatever the language.
const MAX_VALUES: usize = 60_000;

/// The bytes that count as one value.
const BYTES_A_VALUE: usize = 100;

/// What the path of a folder takes beside its letters and its names, in bytes.
const FOLDER: usize = 64;

/// The most folders whose names are remembered.
const MAX_FOLDERS: usize = 4000;

/// What these names take together, in bytes.
const MAX_FOLDER_NAMES: usize = 4 * 1024 * 1024;

/// The most places that are looked at in one run, which takes about a second; five thousand real
/// files take a tenth of it.
const MAX_LOOKS: usize = 4_000_000;

/// The bytes that take as long to read as one look.
const BYTES_A_LOOK: usize = 64;

/// The bytes that take as long to search as one look.
const SEARCHED_A_LOOK: usize = 256;

/// The bytes of a path that take as long to build and compare as one look.
const PATH_A_LOOK: usize = 256;

/// The values of a list in memory that take as long to go through as one look.
const VALUES_A_LOOK: usize = 16;

/// The cost of a look on disk, compared with one at what is known.
const DISK_LOOK: usize = 20;

/// The path of a file whose text was asked for, and its stamp before that; `None` if there was
/// none.
pub type Consulted = (String, Option<Stamp>);

/// How much was looked at and read.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Effort {
    pub(super) looks: usize,
    /// What each project file cost, and what was made of it. Reading it again costs no more.
    projects: BTreeMap<String, Cost>,
}

/// What is remembered of a project file.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Cost {
    /// Bytes of its text.
    read: usize,
    /// Values in it.
    values: usize,
}

impl Effort {
    /// Whether something may not have been found because of it, with `paths` bytes of paths that
    /// were asked for.
    pub fn is_too_much(&self, paths: usize) -> bool {
        let (read, values) = self.of_projects();
        self.looks >= MAX_LOOKS || read + paths >= MAX_MANIFESTS || values > MAX_VALUES
    }

    /// Returns how many bytes of project files were read, and how many values are in them.
    pub fn of_projects(&self) -> (usize, usize) {
        let of = |cost: fn(&Cost) -> usize| self.projects.values().map(cost).sum();
        (of(|cost| cost.read), of(|cost| cost.values))
    }

    /// Adds the cost of another search.
    pub fn add(&mut self, more: Effort) {
        self.looks = self.looks.saturating_add(more.looks);
        for (path, cost) in more.projects {
            let known = self.projects.entry(path).or_default();
            known.read = known.read.max(cost.read);
            known.values = known.values.max(cost.values);
        }
    }
}

/// The files among which imports are looked for.
pub(super) struct Files<'a> {
    repo: &'a Repo,
    /// Whether the files in `exports` are all that there are.
    is_known: bool,
    /// What files export, as far as it is known.
    exports: hashbrown::HashMap<&'a str, &'a Exports, RandomState>,
    /// How many places may still be looked at.
    looks: Cell<usize>,
    /// How many bytes of project files may still be read.
    left: Cell<usize>,
    /// How many values of project files are remembered, or would be.
    values: Cell<usize>,
    /// What each of them cost.
    projects: RefCell<BTreeMap<String, Cost>>,
    consulted: RefCell<Vec<Consulted>>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
    folders: RefCell<HashMap<String, Rc<[String]>>>,
    /// How many bytes the names in `folders` may still take.
    left_of_folders: Cell<usize>,
    listing: OnceCell<Listing>,
}

impl<'a> Files<'a> {
    /// Makes the files of a repository, some of which are known to export this; with `is_known`
    /// there are no others.
    pub(super) fn new(
        repo: &'a Repo,
        exports: impl IntoIterator<Item = (&'a str, &'a Exports)>,
        is_known: bool,
    ) -> Files<'a> {
        Files {
            repo,
            is_known,
            exports: exports.into_iter().collect(),
            looks: Cell::new(MAX_LOOKS),
            left: Cell::new(MAX_MANIFESTS),
            values: Cell::default(),
            projects: RefCell::default(),
            consulted: RefCell::default(),
            texts: RefCell::default(),
            folders: RefCell::default(),
            left_of_folders: Cell::new(MAX_FOLDER_NAMES),
            listing: OnceCell::new(),
        }
    }

    /// Avoids listing the repository: these are all of its files, without links, in order.
    pub(super) fn listed(self, files: Arc<[String]>) -> Files<'a> {
        Files {
            listing: OnceCell::from(Listing::sorted(Paths::Listed(files), false)),
            ..self
        }
    }

    /// Returns how much was looked at and read so far.
    pub(super) fn effort(&self) -> Effort {
        Effort {
            looks: MAX_LOOKS - self.looks.get(),
            projects: self.projects.borrow().clone(),
        }
    }

    /// Returns the files whose text was asked for since the last call; none if nobody keeps what is
    /// found.
    pub(super) fn consulted(&self) -> Vec<Consulted> {
        self.consulted.take()
    }

    /// Counts values of the project file at a path, or of a project in a folder, with texts of this
    /// many bytes. Returns `false` if they are too many to be remembered.
    pub(super) fn remember(&self, path: &str, values: usize, bytes: usize) -> bool {
        let values = values + bytes / BYTES_A_VALUE;
        self.of_project(path, |cost| cost.values = values);
        self.values.set(self.values.get().saturating_add(values));
        self.values.get() <= MAX_VALUES
    }

    fn of_project(&self, path: &str, count: impl FnOnce(&mut Cost)) {
        count(
            self.projects
                .borrow_mut()
                .entry(path.to_owned())
                .or_default(),
        );
    }

    /// Whether nothing more is looked for, because too much was.
    pub(super) fn is_exhausted(&self) -> bool {
        self.looks.get() == 0
    }

    /// Counts what is looked at. Returns `false` once it is too much.
    pub(super) fn look(&self, places: usize) -> bool {
        self.looks.set(self.looks.get().saturating_sub(places));
        !self.is_exhausted()
    }

    /// Counts a path that is built or compared. Returns `false` once it is too much.
    pub(super) fn look_at(&self, path: &str) -> bool {
        self.look(1 + path.len() / PATH_A_LOOK)
    }

    /// Counts a list that is gone through in memory. Returns `false` once it is too much.
    pub(super) fn look_through(&self, values: usize) -> bool {
        self.look(1 + values / VALUES_A_LOOK)
    }

    /// Counts a text that is read once more. Returns `false` once it is too much.
    pub(super) fn read(&self, text: &str) -> bool {
        self.look(1 + text.len() / BYTES_A_LOOK)
    }

    /// Counts a text that is searched. Returns `false` once it is too much.
    pub(super) fn search(&self, text: &str) -> bool {
        self.look(1 + text.len() / SEARCHED_A_LOOK)
    }

    /// Returns the file at a path, in which `.` and `..` are resolved.
    pub(super) fn file(&self, path: &str) -> Option<RepoPath> {
        if !self.look_at(path) {
            return None;
        }
        let path = resolved(path)?;
        if self.is_known {
            return self
                .exports
                .contains_key(path.as_ref())
                .then(|| RepoPath::parse(&path).ok())?;
        }
        // Most places are empty, and a folder is listed once for all of them.
        let names = self.names(folder(&path));
        let is_listed = |name: &str| {
            let place = names.binary_search_by(|known| known.as_str().cmp(name));
            place.is_ok() || names.len() >= MAX_NAMES
        };
        if !is_listed(name(&path)) {
            return None;
        }
        let path = RepoPath::parse(&path).ok()?;
        matches!(self.kind(&path), Kind::File(_)).then_some(path)
    }

    /// Returns what is at a path on disk, which takes a look for each of its parts.
    fn kind(&self, path: &RepoPath) -> Kind {
        let parts = 1 + path.as_str().matches('/').count();
        if self.look(parts * DISK_LOOK) {
            self.repo.kind(path)
        } else {
            Kind::Missing
        }
    }

    /// Whether there is a folder at a path in its plain form.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        if self.is_known {
            return self.look(1) && self.listing().has_folder(path);
        }
        let path = RepoPath::parse(path);
        path.is_ok_and(|path| matches!(self.kind(&path), Kind::Folder(_)))
    }

    /// Returns the first of these paths at which there is a file.
    pub(super) fn first(
        &self,
        candidates: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Option<RepoPath> {
        let mut candidates = candidates.into_iter();
        candidates.find_map(|path| self.file(path.as_ref()))
    }

    /// Returns the text of a project file, if there is one in this folder and those read before
    /// leave room. Callers that go through it each time must count that.
    pub(super) fn text(&self, folder: &str, name: &str) -> Option<Rc<str>> {
        let path = normal(&join(folder, name))?;
        if let Some(text) = self.texts.borrow().get(&path) {
            return text.clone();
        }
        if self.has_no_room() {
            return None;
        }
        let text = self.source(&path, MAX_MANIFEST);
        let bytes = path.len() + text.as_ref().map_or(0, |text| text.len());
        if let Some(text) = &text {
            self.of_project(&path, |cost| cost.read = text.len());
        }
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or_default());
        left?;
        self.texts.borrow_mut().insert(path, text.clone());
        text
    }

    /// Returns that text, to be gone through; also `None` if that would be too much.
    pub(super) fn text_to_read(&self, folder: &str, name: &str) -> Option<Rc<str>> {
        self.text(folder, name).filter(|text| self.read(text))
    }

    /// Returns what a file exports, if that is known.
    pub(super) fn exports(&self, path: &str) -> Option<&'a Exports> {
        self.exports.get(path).copied()
    }

    /// Returns the text of a file, if it has at most `limit` bytes.
    pub(super) fn source(&self, path: &str, limit: u64) -> Option<Rc<str>> {
        let path = RepoPath::parse(path)
            .ok()
            .filter(|_| self.look(DISK_LOOK))?;
        if self.repo.keeps() {
            let stamp = self.repo.stamp(&path);
            self.consulted.borrow_mut().push((path.to_string(), stamp));
        }
        let file = self.repo.read_for(Asker::Repository, &path, limit).ok()?;
        self.read(&file.text);
        Some(file.text.into())
    }

    /// Returns the names of the files in a folder, sorted.
    pub(super) fn names(&self, folder: &str) -> Rc<[String]> {
        if let Some(names) = self.folders.borrow().get(folder) {
            return Rc::clone(names);
        }
        let names: Rc<[String]> = if self.is_known {
            let names = self.listing().files_in(folder);
            names.map(|path| name(path).to_owned()).collect()
        } else if let Some(path) = RepoPath::parse(folder)
            .ok()
            .filter(|_| self.look(DISK_LOOK))
        {
            self.repo.names(&path).into()
        } else {
            Rc::default()
        };
        self.look(names.len());
        let bytes: usize = names
            .iter()
            .map(|name| size_of::<String>() + name.len())
            .sum();
        let mut folders = self.folders.borrow_mut();
        let bytes = bytes + FOLDER + folder.len();
        let left = self.left_of_folders.get().checked_sub(bytes);
        if let Some(left) = left.filter(|_| folders.len() < MAX_FOLDERS) {
            self.left_of_folders.set(left);
            folders.insert(folder.to_owned(), Rc::clone(&names));
        }
        names
    }

    /// Whether a folder has a file whose name satisfies this.
    pub(super) fn has_name(&self, folder: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
        let names = self.names(folder);
        self.look_through(names.len()) && names.iter().any(|name| is_wanted(name))
    }

    /// Returns all files, which are listed on first use.
    pub(super) fn listing(&self) -> &Listing {
        self.listing.get_or_init(|| {
            if !self.is_known {
                return Listing::walked(self.repo);
            }
            let mut files: Vec<&str> = self.exports.keys().copied().collect();
            files.sort_unstable();
            Listing::sorted(Paths::joined(&files), false)
        })
    }

    /// Whether project files were left unread, because there are too many or they say too much.
    pub(super) fn has_unread(&self) -> bool {
        self.has_no_room() || self.values.get() > MAX_VALUES
    }

    fn has_no_room(&self) -> bool {
        self.left.get() == 0
    }

    /// Whether there are more files than were searched.
    pub(super) fn has_more(&self) -> bool {
        self.listing.get().is_some_and(|listing| listing.more)
    }

    /// Returns files whose path ends with these parts, in order.
    pub(super) fn ending_with<'s>(&'s self, path: &'s str) -> Vec<&'s str> {
        self.those_ending_with(path, self.listing().named(name(path)).collect())
    }

    /// Returns folders with files in them whose path ends with these parts, in order.
    pub(super) fn folders_ending_with<'s>(&'s self, path: &'s str) -> Vec<&'s str> {
        self.those_ending_with(path, self.listing().folders_named(name(path)))
    }

    fn those_ending_with<'s>(&self, path: &str, mut named: Vec<&'s str>) -> Vec<&'s str> {
        self.look(named.len());
        self.look_at(path);
        named.retain(|found| ends_with(found, path));
        named
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_too_long_for_a_path_is_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        for number in 0..100 {
            assert_eq!(
                files.file(&format!("{}{number}", "a/".repeat(60_000))),
                None
            );
            assert_eq!(files.text(&"a/".repeat(60_000), "go.mod"), None);
        }
        assert!(files.folders.borrow().is_empty() && files.texts.borrow().is_empty());
        assert!(files.effort().looks >= 100 * 120_000 / PATH_A_LOOK);
    }

    #[test]
    fn paths_of_folders_take_room_as_names_do() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        let long = vec!["a".repeat(100); 40].join("/");
        for number in 0..MAX_FOLDERS {
            files.names(&format!("{number}/{long}"));
        }
        let folders = files.folders.borrow();
        assert!(folders.keys().map(String::len).sum::<usize>() <= MAX_FOLDER_NAMES);
    }

    #[test]
    fn where_no_room_is_left_no_project_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a".repeat(100 * 1024);
        for number in 0..40 {
            fs::write(folder.path().join(format!("{number}.toml")), &text).unwrap();
        }
        let repo = Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        let read = (0..40).filter(|number| files.text("", &format!("{number}.toml")).is_some());
        assert_eq!(read.count(), 30);
        assert!(files.has_unread());
        let looks = files.effort().looks;
        assert_eq!(files.text("", "39.toml"), None);
        assert_eq!(files.effort().looks, looks);
    }

    #[test]
    fn what_project_files_say_has_one_account() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        assert!(files.remember("a", MAX_VALUES / 2, 0));
        assert!(files.remember("b", 0, MAX_VALUES / 2 * BYTES_A_VALUE));
        assert!(!files.has_unread() && !files.remember("c", 1, 0) && files.has_unread());
    }
}
