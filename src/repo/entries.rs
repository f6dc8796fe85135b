//! The entries of a folder, as the system lists them.
//!
//! Listing a folder takes four system calls; asking for its stamp takes one. When a name is added
//! or removed, its folder's stamp changes. So a folder with the stamp that it had before it was
//! listed has the same names, if it had settled by then. Not every file system follows that rule;
//! folders are remembered only on some that do.

use std::cell::RefCell;
use std::time::SystemTime;

use super::listings::{Listings, WalkNumber};
use super::names::{EntryKind, Names};
#[cfg(target_os = "linux")]
use super::read::stamp_of_statx;
use super::read::{Stamp, reason};
use super::{Repo, RepoPath};

impl Repo {
    fn listings(&self) -> &RefCell<Listings> {
        self.listings.get_or_init(|| {
            let root = self.root().to_string_lossy();
            let read = self.cache().map(|cache| Listings::read(cache, &root));
            RefCell::new(read.unwrap_or_default())
        })
    }

    /// Begins a walk; within a look, all are one.
    pub(super) fn begin_walk(&self) {
        let mut listings = self.listings().borrow_mut();
        if self.look().is_none() || listings.last_walk() == WalkNumber::default() {
            listings.begin_walk();
        }
    }

    /// Returns the last walk that began.
    pub fn last_walk(&self) -> WalkNumber {
        self.listings().borrow().last_walk()
    }

    /// Whether there is nothing at a path, as this walk or a later one saw; `false` if none visited
    /// it, or it is not known.
    pub fn lacks(&self, path: &str, since: WalkNumber) -> bool {
        self.listings().borrow().lack(path, since)
    }

    /// Returns the entries of a folder that a walk has reached, in the order of their names.
    pub(super) fn reached(&self, folder: &RepoPath) -> Result<Names, String> {
        let before = self.state_of_folder(folder);
        let known =
            before.and_then(|stamp| self.listings().borrow_mut().get(folder.as_str(), &stamp));
        if let Some(names) = known {
            return Ok(names);
        }
        let now = SystemTime::now();
        let (names, before) = self.listed(folder, before)?;
        if let Some(stamp) = before.filter(|stamp| stamp.was_settled(now)) {
            self.listings()
                .borrow_mut()
                .keep(folder.as_str(), stamp, &names);
        }
        Ok(names)
    }

    /// Writes the names of newly listed folders, if there are many or all are wanted.
    ///
    /// # Errors
    ///
    /// Says why they could not be written.
    pub fn keep_names(&self, all: bool) -> Result<(), String> {
        let Some(cache) = self.cache() else {
            return Ok(());
        };
        let mut listings = self.listings().borrow_mut();
        listings.write(cache, &self.root().to_string_lossy(), all)
    }

    /// Returns what tells whether names in a folder changed, if this file system does tell.
    #[cfg(target_os = "linux")]
    fn state_of_folder(&self, folder: &RepoPath) -> Option<Stamp> {
        let stat = self
            .keeps()
            .then(|| self.door.stat_folder(folder.as_str()))?;
        stamp_of_statx(&stat?)
    }

    #[cfg(not(target_os = "linux"))]
    fn state_of_folder(&self, _: &RepoPath) -> Option<Stamp> {
        None
    }

    /// Returns the folder's entries in the order of their names.
    pub(super) fn entries(&self, folder: &RepoPath) -> Result<Names, String> {
        Ok(self.listed(folder, None)?.0)
    }

    /// Returns the entries, with the folder's earlier stamp if that belongs to the folder that was
    /// listed: a folder above it may have been renamed since, and back again, and neither changes
    /// its stamp.
    #[cfg(unix)]
    fn listed(
        &self,
        folder: &RepoPath,
        before: Option<Stamp>,
    ) -> Result<(Names, Option<Stamp>), String> {
        use rustix::fs::FileType;
        let mut dir = self.door.list(folder.as_str()).map_err(|e| reason(&e))?;
        let before = before.filter(|before| stamp_of_open(&dir) == Some(*before));
        let mut names = Names::default();
        while let Some(entry) = dir.read() {
            let entry = entry.map_err(|e| reason(&e.into()))?;
            let name = entry.file_name().to_str().ok();
            if matches!(name, Some("." | "..")) {
                continue;
            }
            let mut file_type = entry.file_type();
            if file_type == FileType::Unknown {
                // Some file systems do not tell without being asked again.
                let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
                if let Ok(stat) = dir
                    .fd()
                    .and_then(|fd| rustix::fs::statat(fd, entry.file_name(), flags))
                {
                    file_type = FileType::from_raw_mode(stat.st_mode);
                }
            }
            let kind = match file_type {
                FileType::Directory => EntryKind::Folder,
                FileType::RegularFile => EntryKind::File,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Other,
            };
            names.push(name, kind);
        }
        names.sort();
        Ok((names, before))
    }

    #[cfg(not(unix))]
    fn listed(
        &self,
        folder: &RepoPath,
        _: Option<Stamp>,
    ) -> Result<(Names, Option<Stamp>), String> {
        let list = self.door.list(folder.as_str()).map_err(|e| reason(&e))?;
        let mut names = Names::default();
        for entry in list {
            let entry = entry.map_err(|e| reason(&e))?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => EntryKind::Link,
                Ok(kind) if kind.is_dir() => EntryKind::Folder,
                Ok(kind) if kind.is_file() => EntryKind::File,
                _ => EntryKind::Other,
            };
            names.push(entry.file_name().to_str(), kind);
        }
        names.sort();
        Ok((names, None))
    }
}

/// Returns the stamp of an open folder.
#[cfg(target_os = "linux")]
fn stamp_of_open(dir: &rustix::fs::Dir) -> Option<Stamp> {
    use rustix::fs::{AtFlags, StatxFlags, statx};
    let folder = dir.fd().ok()?;
    stamp_of_statx(&statx(folder, "", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS).ok()?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn stamp_of_open(_: &rustix::fs::Dir) -> Option<Stamp> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::thread;
    use std::time::Duration;

    use super::super::faults::tests::{Fault, Plan, during};
    use super::super::{Cache, Found, Visitor};
    use super::*;

    #[derive(Default)]
    struct All(Vec<String>);

    impl Visitor for All {
        fn enter(&mut self, folder: &RepoPath) -> bool {
            self.0.push(format!("{folder}/"));
            true
        }

        fn found(&mut self, found: Found) {
            let link = if found.link { " ->" } else { "" };
            self.0.push(format!("{}{link}", found.path));
        }

        fn ignored(&mut self, folder: &RepoPath) {
            self.0.push(format!("{folder} ignored"));
        }
    }

    fn walked(repo: &Repo) -> Vec<String> {
        walked_from("", repo)
    }

    fn walked_from(start: &str, repo: &Repo) -> Vec<String> {
        let mut all = All::default();
        let notes = repo.walk(&RepoPath::parse(start).unwrap(), &mut all);
        let notes = notes.into_iter().map(|note| note.message);
        all.0.into_iter().chain(notes).collect()
    }

    /// Counts how often a walk asks the door for something.
    fn calls(root: &Path, walk: impl FnOnce()) -> usize {
        let plan = Plan {
            at: usize::MAX,
            fault: Fault::Error,
            root: root.into(),
            secret: root.into(),
            seen: 0,
            hit: None,
        };
        during(plan, walk).1.seen
    }

    fn kept(root: &Path, cache: &Path) -> Repo {
        let mut repo = Repo::open(root).unwrap();
        repo.set_cache(Cache::new(cache));
        repo
    }

    /// Makes a tree that has settled, the folder for its cache, and a walk of it that was kept.
    fn tree() -> (tempfile::TempDir, tempfile::TempDir) {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["a/deep", "b", "c", "out"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["top", "a/x", "a/deep/é", "b/x", "c/x", "c/y", "out/o"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::write(folder.path().join(".gitignore"), "out\n").unwrap();
        thread::sleep(Duration::from_millis(3200));
        let repo = kept(folder.path(), cache.path());
        walked(&repo);
        repo.keep_names(false).unwrap();
        (folder, cache)
    }

    #[test]
    fn a_walk_with_kept_names_finds_what_one_without_finds() {
        let (folder, cache) = tree();
        let root = folder.path();
        let at = |name: &str| root.join(name);
        let changes: [(&str, &dyn Fn()); 9] = [
            ("nothing", &|| {}),
            ("a file comes", &|| fs::write(at("a/new"), "").unwrap()),
            ("one goes", &|| fs::remove_file(at("b/x")).unwrap()),
            ("one is called otherwise", &|| {
                fs::rename(at("c/x"), at("c/z")).unwrap();
            }),
            ("one becomes a link", &|| {
                fs::remove_file(at("c/y")).unwrap();
                symlink("../top", at("c/y")).unwrap();
            }),
            ("a folder becomes a link to where it went", &|| {
                fs::rename(at("a"), at("b/a")).unwrap();
                symlink("b/a", at("a")).unwrap();
            }),
            ("another folder is put in its place", &|| {
                fs::remove_file(at("a")).unwrap();
                fs::rename(at("c"), at("a")).unwrap();
            }),
            ("a file becomes a folder", &|| {
                fs::remove_file(at("top")).unwrap();
                fs::create_dir(at("top")).unwrap();
                fs::write(at("top/in"), "").unwrap();
            }),
            ("what was ignored is not any more", &|| {
                fs::write(at(".gitignore"), "z\n").unwrap();
            }),
        ];
        let mut batch = kept(root, cache.path());
        for (what, change) in changes {
            change();
            let fresh = walked(&Repo::open(root).unwrap());
            assert_eq!(walked(&kept(root, cache.path())), fresh, "{what}");
            batch.look_again().unwrap();
            assert_eq!(walked(&batch), fresh, "{what}, in a batch");
            let from = |repo: &Repo| walked_from("a/deep", repo);
            let fresh = from(&Repo::open(root).unwrap());
            assert_eq!(
                from(&kept(root, cache.path())),
                fresh,
                "{what}, from a folder"
            );
        }
    }

    #[test]
    fn a_folder_that_did_not_change_is_not_listed() {
        let (folder, cache) = tree();
        let root = folder.path();
        let without = Repo::open(root).unwrap();
        let with = kept(root, cache.path());
        // Where folders are not dated, as on a disk of another machine, all are listed.
        let is_dated = with.state_of_folder(&RepoPath::root()).is_some();
        assert!(without.state_of_folder(&RepoPath::root()).is_none());
        let listed = calls(root, || drop(walked(&without)));
        let asked = calls(root, || drop(walked(&with)));
        assert_eq!(asked, if is_dated { listed } else { listed + 5 });
        fs::write(root.join("b/new"), "").unwrap();
        let again = kept(root, cache.path());
        let asked = calls(root, || drop(walked(&again)));
        assert_eq!(asked, if is_dated { listed + 1 } else { listed + 5 });
    }

    #[test]
    fn names_are_not_kept_of_another_folder_than_was_looked_at() {
        let (folder, cache) = tree();
        let repo = kept(folder.path(), cache.path());
        let [one, other] = ["b", "c"].map(|path| RepoPath::parse(path).unwrap());
        let (before, of_other) = (repo.state_of_folder(&one), repo.state_of_folder(&other));
        let listed = |before| repo.listed(&one, before).unwrap().1;
        assert_eq!(listed(before), before);
        assert_eq!(listed(of_other), None);
    }

    #[test]
    fn what_a_walk_did_not_see_is_not_there() {
        let (folder, cache) = tree();
        let root = folder.path();
        let repo = kept(root, cache.path());
        let before = repo.last_walk();
        walked(&repo);
        let since = repo.last_walk();
        assert!(since > before);
        if repo.state_of_folder(&RepoPath::root()).is_none() {
            return;
        }
        for path in ["none", "a/none", "a/deep/none/x", "none/a/x"] {
            assert!(repo.lacks(path, since), "{path}");
        }
        // The second may be the same name for a disk that minds no case; into the third nobody
        // looked.
        for path in ["a/x", "a/X", "out/none", "a/deep", "a"] {
            assert!(!repo.lacks(path, since), "{path}");
        }
        // What came since changes nothing of what the walk saw.
        fs::write(root.join("a/none"), "").unwrap();
        assert!(repo.lacks("a/none", since));
        walked(&repo);
        assert!(!repo.lacks("a/none", repo.last_walk()));
        assert!(repo.lacks("b/none", repo.last_walk()));
    }

    #[test]
    fn folders_that_are_gone_are_forgotten() {
        let (folder, cache) = tree();
        let root = folder.path();
        let cached = || Listings::read(&Cache::new(cache.path()), &root.to_string_lossy());
        let known = kept(root, cache.path());
        if known.state_of_folder(&RepoPath::root()).is_none() {
            return;
        }
        assert_eq!(cached().folders(), ["", "a", "a/deep", "b", "c"]);
        fs::remove_dir_all(root.join("a")).unwrap();
        // However many others there are.
        for number in 0..100 {
            fs::write(root.join(format!("{number:0100}")), "").unwrap();
        }
        fs::write(root.join("c/new"), "").unwrap();
        thread::sleep(Duration::from_millis(3200));
        walked(&known);
        known.keep_names(true).unwrap();
        assert_eq!(cached().folders(), ["", "b", "c"]);
    }
}
