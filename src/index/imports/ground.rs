//! The files among which imports are looked for, and what is known of them.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::ops::Add;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::cargo::Packages;
use super::declared::Declared;
use super::go::Modules;
use super::jvm::Spaces;
use super::php::Autoload;
use super::python::Roots;
use super::script::{MAX_VALUES, Projects};
use crate::repo::{Found, Kind, Repo, RepoPath, Stamp, Visitor};
use crate::syntax::imports::Offer;

/// A project file, such as one that names a package, is at most this large, in bytes.
const MAX_MANIFEST: u64 = 128 * 1024;

/// All project files together are read up to this many bytes, since what they say is
/// remembered. A thousand packages have about two megabytes.
const MAX_MANIFESTS: usize = 3 * 1024 * 1024;

/// The names in so many folders are remembered.
const MAX_FOLDERS: usize = 4000;

/// The paths of all files that are listed have at most so many bytes.
pub const MAX_PATHS: usize = 8 * 1024 * 1024;

/// Where an import has to be searched for, it is among so many files. Larger are a few
/// monorepos only.
pub const MAX_LISTED: usize = 50_000;

/// Project files are looked for in so many folders upwards. Deeper trees are rare.
pub(super) const MAX_UP: usize = 32;

/// In one run so many places are looked at, which takes about a second; five thousand
/// real files take a tenth of it.
const MAX_LOOKS: usize = 4_000_000;

/// To read so many bytes takes as long as one look.
pub(super) const BYTES_A_LOOK: usize = 64;

/// What it takes to look on disk, compared with looking into what is known.
const DISK_LOOK: usize = 20;

/// What a file says of itself.
#[derive(Clone, Copy, Default)]
pub struct Said<'a> {
    /// What it belongs to ([`package`](crate::syntax::imports::package)).
    pub package: Option<&'a str>,
    /// What others may import from it.
    pub offers: &'a [Offer],
}

/// A path that was asked for, and what lay there; `None` for nothing.
pub type Asked = (String, Option<Stamp>);

/// What was spent on looking.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub struct Spent {
    looks: usize,
    /// Bytes of project files.
    read: usize,
    /// Values in the `package.json` of scripts.
    values: usize,
}

impl Spent {
    /// Whether something may not have been found for it.
    pub fn is_too_much(self) -> bool {
        self.looks >= MAX_LOOKS || self.read >= MAX_MANIFESTS || self.values > MAX_VALUES
    }
}

impl Add for Spent {
    type Output = Spent;

    fn add(self, more: Spent) -> Spent {
        Spent {
            looks: self.looks.saturating_add(more.looks),
            read: self.read.saturating_add(more.read),
            values: self.values.saturating_add(more.values),
        }
    }
}

/// The files among which imports are looked for.
pub struct Ground<'a> {
    repo: &'a Repo,
    /// Whether the files in `said` are all that there are.
    is_known: bool,
    /// What files say of themselves, as far as it is known.
    said: hashbrown::HashMap<&'a str, Said<'a>, RandomState>,
    looks: Cell<usize>,
    /// What project files may still be read, in bytes.
    left: Cell<usize>,
    /// The files whose text was asked for, with what they looked like before.
    asked: RefCell<Vec<Asked>>,
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
    folders: RefCell<HashMap<String, Rc<[String]>>>,
    listing: OnceCell<Listing>,
    pub(super) autoload: Autoload,
    pub(super) declared: Declared,
    pub(super) modules: Modules,
    pub(super) packages: Packages,
    pub(super) projects: Projects,
    pub(super) roots: Roots,
    pub(super) spaces: Spaces,
}

impl<'a> Ground<'a> {
    /// The files of a repository, each looked for where it should be.
    pub fn new(repo: &'a Repo) -> Ground<'a> {
        Ground {
            repo,
            is_known: false,
            said: hashbrown::HashMap::default(),
            looks: Cell::new(MAX_LOOKS),
            left: Cell::new(MAX_MANIFESTS),
            asked: RefCell::default(),
            texts: RefCell::default(),
            folders: RefCell::default(),
            listing: OnceCell::new(),
            autoload: Autoload::default(),
            declared: Declared::default(),
            modules: Modules::default(),
            packages: Packages::default(),
            projects: Projects::default(),
            roots: Roots::default(),
            spaces: Spaces::default(),
        }
    }

    /// These files of a repository and no others.
    pub fn of(repo: &'a Repo, files: impl IntoIterator<Item = (&'a str, Said<'a>)>) -> Ground<'a> {
        Ground {
            is_known: true,
            ..Ground::knowing(repo, files)
        }
    }

    /// The files of a repository, some of which say this.
    pub fn knowing(
        repo: &'a Repo,
        files: impl IntoIterator<Item = (&'a str, Said<'a>)>,
    ) -> Ground<'a> {
        Ground {
            said: files.into_iter().collect(),
            ..Ground::new(repo)
        }
    }

    /// What was spent on looking so far.
    pub fn spent(&self) -> Spent {
        Spent {
            looks: MAX_LOOKS - self.looks.get(),
            read: MAX_MANIFESTS - self.left.get(),
            values: self.projects.values(),
        }
    }

    /// The files whose text was asked for, with what they looked like before; nothing if
    /// nobody keeps what is found.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.borrow().clone()
    }

    /// Spares listing the repository: these are all of its files, without links, in order.
    pub fn listed(self, files: Arc<[String]>) -> Ground<'a> {
        let listing = Listing::sorted(files, false);
        Ground {
            listing: OnceCell::from(listing),
            ..self
        }
    }

    /// Whether nothing more is looked for, since too much was.
    pub(super) fn is_exhausted(&self) -> bool {
        self.looks.get() == 0
    }

    /// Counts what is looked at; `false` once it is too much.
    pub(super) fn look(&self, places: usize) -> bool {
        self.looks.set(self.looks.get().saturating_sub(places));
        !self.is_exhausted()
    }

    /// The file at a path, in which `.` and `..` are resolved.
    pub(super) fn file(&self, path: &str) -> Option<RepoPath> {
        if !self.look(1) {
            return None;
        }
        let path = resolved(path)?;
        if self.is_known {
            return self
                .said
                .contains_key(path.as_ref())
                .then(|| RepoPath::parse(&path).ok())?;
        }
        // Most places are empty, and a folder is listed once for all of them.
        let names = self.names(folder(&path));
        let is_listed = |name: &str| names.binary_search_by(|known| known.as_str().cmp(name));
        is_listed(name(&path)).ok()?;
        let path = RepoPath::parse(&path).ok()?;
        matches!(self.kind(&path), Kind::File(_)).then_some(path)
    }

    /// What lies at a path on disk, which takes a look for each of its parts.
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

    /// The first of these paths at which there is a file.
    pub(super) fn first(
        &self,
        candidates: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Option<RepoPath> {
        let mut candidates = candidates.into_iter();
        candidates.find_map(|path| self.file(path.as_ref()))
    }

    /// The text of a project file, if there is one in this folder.
    pub(super) fn text(&self, folder: &str, name: &str) -> Option<Rc<str>> {
        let path = normal(&join(folder, name))?;
        if let Some(text) = self.texts.borrow().get(&path) {
            return text.clone();
        }
        let text = self.source(&path, MAX_MANIFEST);
        let bytes = path.len() + text.as_ref().map_or(0, |text| text.len());
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.unwrap_or_default());
        left?;
        self.texts.borrow_mut().insert(path, text.clone());
        text
    }

    /// What a file says of itself, if that is known.
    pub(super) fn said(&self, path: &str) -> Option<Said<'a>> {
        self.said.get(path).copied()
    }

    /// The text of a file of at most so many bytes.
    pub(super) fn source(&self, path: &str, limit: u64) -> Option<Rc<str>> {
        let path = RepoPath::parse(path)
            .ok()
            .filter(|_| self.look(DISK_LOOK))?;
        if self.repo.keeps() {
            let stamp = self.repo.stamp(&path);
            self.asked.borrow_mut().push((path.to_string(), stamp));
        }
        let file = self.repo.read_visible(&path, limit).ok()?;
        self.look(file.text.len() / BYTES_A_LOOK);
        Some(file.text.into())
    }

    /// The names of the files in a folder, sorted.
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
        let mut folders = self.folders.borrow_mut();
        if folders.len() < MAX_FOLDERS {
            folders.insert(folder.to_owned(), Rc::clone(&names));
        }
        names
    }

    /// All files, which are listed when they are first asked for.
    pub(super) fn listing(&self) -> &Listing {
        self.listing.get_or_init(|| {
            let mut all = All::default();
            if self.is_known {
                all.files = self.said.keys().map(|path| (*path).to_owned()).collect();
            } else {
                // What cannot be listed is told by the sources that were asked for it.
                let _ = self.repo.walk(&RepoPath::root(), &mut all);
            }
            Listing::of(all)
        })
    }

    /// Whether project files were left unread, since there are too many.
    pub fn has_unread(&self) -> bool {
        self.left.get() == 0
    }

    /// Whether there are more files than were searched.
    pub fn has_more(&self) -> bool {
        self.listing.get().is_some_and(|listing| listing.more)
    }

    /// Files whose path ends with these parts, in order.
    pub(super) fn ending_with<'s>(&'s self, path: &'s str) -> Vec<&'s str> {
        let named: Vec<&str> = self.listing().named(name(path)).collect();
        self.look(named.len());
        named
            .into_iter()
            .filter(|found| ends_with(found, path))
            .collect()
    }

    /// Folders with files in them whose path ends with these parts, in order.
    pub(super) fn folders_ending_with<'s>(&'s self, path: &'s str) -> Vec<&'s str> {
        let folders = self.listing().folders_named(name(path));
        self.look(folders.len());
        folders
            .into_iter()
            .filter(|found| ends_with(found, path))
            .collect()
    }
}

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

/// The files of a repository, found by their names.
pub(super) struct Listing {
    /// Sorted.
    files: Arc<[String]>,
    by_name: OnceCell<Places>,
    in_folder: OnceCell<Places>,
    /// The files of which each is the first in its folder, by the last part of that.
    by_folder_name: OnceCell<Places>,
    /// Whether there are more than are listed.
    pub(super) more: bool,
}

/// Places of files by the hash of a part of their paths.
type Places = hashbrown::HashMap<u64, Vec<u32>, RandomState>;

impl Listing {
    fn of(all: All) -> Listing {
        let All {
            mut files, more, ..
        } = all;
        files.sort_unstable();
        Listing::sorted(files.into(), more)
    }

    fn sorted(files: Arc<[String]>, more: bool) -> Listing {
        Listing {
            files,
            by_name: OnceCell::new(),
            in_folder: OnceCell::new(),
            by_folder_name: OnceCell::new(),
            more,
        }
    }

    /// The files with `text` as the part that `part` tells, in order.
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
        let hash = places.hasher().hash_one(text);
        let found = places.get(&hash).into_iter().flatten();
        let paths = found.map(|at| self.files[*at as usize].as_str());
        paths.filter(move |path| part(path) == text)
    }

    /// The folders whose last part is `text` and that hold files, in order.
    fn folders_named<'s>(&'s self, text: &'s str) -> Vec<&'s str> {
        let mut folders: Vec<&str> = self
            .with(&self.by_folder_name, |path| name(folder(path)), text)
            .map(folder)
            .filter(|folder| !folder.is_empty())
            .collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// Whether there are files below a folder.
    fn has_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let at = self
            .files
            .partition_point(|file| file.as_str() < below.as_str());
        self.files
            .get(at)
            .is_some_and(|file| file.starts_with(&below))
    }

    /// Every file, in order.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Every file of this name, in order.
    pub(super) fn named<'s>(&'s self, wanted: &'s str) -> impl Iterator<Item = &'s str> {
        self.with(&self.by_name, name, wanted)
    }

    /// The files that lie in a folder itself, in order.
    pub(super) fn files_in<'s>(&'s self, wanted: &'s str) -> impl Iterator<Item = &'s str> {
        self.with(&self.in_folder, folder, wanted)
    }
}

/// The folder that a path lies in; the root is the empty path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path below a folder.
pub(super) fn join(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// The folder of a file and those above it, the nearest first, the root the last.
pub(super) fn upwards(file: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder(file));
    let folders = std::iter::from_fn(move || {
        let here = next?;
        next = (!here.is_empty()).then(|| folder(here));
        Some(here)
    });
    folders.take(MAX_UP)
}

/// Resolves `.` and `..`; `None` if the path climbs out.
pub(super) fn normal(path: &str) -> Option<String> {
    resolved(path).map(Cow::into_owned)
}

fn resolved(path: &str) -> Option<Cow<'_, str>> {
    if is_normal(path) {
        return Some(Cow::Borrowed(path));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(Cow::Owned(parts.join("/")))
}

/// Whether no part of a path is empty, `.` or `..`. Most are.
fn is_normal(path: &str) -> bool {
    let mut before = b'/';
    let mut is_dotted = false;
    for byte in path.bytes().chain([b'/']) {
        match (before, byte) {
            (b'/', b'/') => return path.is_empty(),
            (_, b'/') if is_dotted => return false,
            (b'/', b'.') => is_dotted = true,
            (_, b'.') => {}
            _ => is_dotted = false,
        }
        before = byte;
    }
    true
}

/// Whether the last parts of a path are these.
pub(super) fn ends_with(path: &str, parts: &str) -> bool {
    path.strip_suffix(parts)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// How many parts two paths have in common at their beginning.
pub(super) fn common(a: &str, b: &str) -> usize {
    let pairs = a.split('/').zip(b.split('/'));
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cut_and_joined() {
        assert_eq!(upwards("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(normal("a/./b/../c"), Some("a/c".into()));
        assert_eq!(normal("a/../../b"), None);
        for plain in ["", "a", "a/b.c/d", ".a/..b/c.."] {
            assert!(is_normal(plain), "{plain}");
        }
        for other in ["/", "/a", "a/", "a//b", ".", "..", "a/.", "./a", "a/../b"] {
            assert!(!is_normal(other), "{other}");
        }
        assert!(ends_with("a/b/c.h", "b/c.h") && !ends_with("a/bb/c.h", "b/c.h"));
        assert_eq!(common("a/b/c", "a/b/d"), 2);
    }
}
