//! What one look at the disk found out, for everyone who may share it.
//!
//! The rule: a question that was asked before a look began may be answered with what the look
//! finds, because a run started at that time could have found the same. The findings of an older
//! look are used again only if a new one shows that they still hold: a file whose [`Stamp`] is the
//! same, and was settled when it was read; a history whose newest commit is the same.
//!
//! [`Stamp`]: super::Stamp

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;

use super::walk::Folder;
use super::{Changed, Repo, RepoPath, Tracked, WantedChange};
use crate::error::Error;

/// What the remembered folders of a look may take, in bytes.
const MAX_FOLDERS: usize = 12 * 1024 * 1024;

/// The most changes that are remembered: requests rarely ask for more than one or two.
const MAX_CHANGES: usize = 8;

/// Which changes were looked for, and what was found.
type Changes = Vec<(WantedChange, Arc<Changed>)>;

/// The findings of one look, and of earlier ones.
#[derive(Default)]
pub(super) struct Look {
    /// Which look it is, from 1.
    number: u64,
    folders: RefCell<Folders>,
    changes: RefCell<Changes>,
    /// What others keep, by its type.
    kept: RefCell<HashMap<TypeId, Box<dyn Any + Send>>>,
}

#[derive(Default)]
struct Folders {
    listed: HashMap<RepoPath, Arc<Folder>>,
    bytes: usize,
}

impl Look {
    /// Returns a folder that was listed in this look.
    pub(super) fn folder(&self, path: &RepoPath) -> Option<Arc<Folder>> {
        self.folders.borrow().listed.get(path).cloned()
    }

    /// Remembers the content of a folder, if there is room for it.
    pub(super) fn listed(&self, path: &RepoPath, folder: &Arc<Folder>) {
        let mut folders = self.folders.borrow_mut();
        folders.bytes += path.as_str().len() + folder.bytes();
        if folders.bytes <= MAX_FOLDERS {
            folders.listed.insert(path.clone(), Arc::clone(folder));
        }
    }
}

impl Repo {
    /// Begins a look: from now on, findings on disk are shared until the next look begins. Without
    /// one nothing is shared.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Repo::open).
    pub fn look_again(&mut self) -> Result<(), Error> {
        let opened = Repo::open(&self.given)?;
        let is_same = opened.root == self.root && opened.id == self.id;
        let look = self.look.take().filter(|_| is_same).unwrap_or_default();
        let listings = Some(take(&mut self.listings)).filter(|_| is_same);
        *self = Repo {
            look: Some(Look {
                number: look.number + 1,
                kept: look.kept,
                ..Look::default()
            }),
            cache: self.cache.take(),
            listings: listings.unwrap_or_default(),
            ..opened
        };
        if let Some(listings) = self.listings.get() {
            listings.borrow_mut().begin_walk();
        }
        Ok(())
    }

    /// Returns which look this is; `None` if nothing is shared.
    pub fn look(&self) -> Option<u64> {
        Some(self.look.as_ref()?.number)
    }

    /// Keeps something for whoever asks for this type next, in this look or a later one. Without
    /// looks it is forgotten.
    pub fn remember<T: Any + Send>(&self, thing: T) {
        if let Some(look) = &self.look {
            let mut kept = look.kept.borrow_mut();
            kept.insert(TypeId::of::<T>(), Box::new(thing));
        }
    }

    /// Takes what was kept of this type.
    pub fn recall<T: Any + Send>(&self) -> Option<T> {
        let kept = self
            .look
            .as_ref()?
            .kept
            .borrow_mut()
            .remove(&TypeId::of::<T>())?;
        Some(*kept.downcast().ok()?)
    }

    /// Returns the tracked files, if git can be asked.
    pub fn tracked(&self) -> Option<&Tracked> {
        Some(self.git().ok()?.tracked())
    }

    /// Returns what somebody in this look found of a change, or what `look` finds now.
    pub(super) fn shared_change(
        &self,
        which: &WantedChange,
        look: impl FnOnce() -> Changed,
    ) -> Arc<Changed> {
        let Some(shared) = &self.look else {
            return Arc::new(look());
        };
        // What a caller brought is read faster than it is found among all that were brought.
        if matches!(which, WantedChange::Given(_)) {
            return Arc::new(look());
        }
        let known = |changes: &Changes| {
            let mut changes = changes.iter();
            Some(Arc::clone(&changes.find(|(asked, _)| asked == which)?.1))
        };
        if let Some(found) = known(&shared.changes.borrow()) {
            return found;
        }
        let found = Arc::new(look());
        let mut changes = shared.changes.borrow_mut();
        if changes.len() < MAX_CHANGES {
            changes.push((which.clone(), Arc::clone(&found)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(repo: &Repo) -> Vec<String> {
        struct All(Vec<String>);
        impl super::super::Visitor for All {
            fn enter(&mut self, _: &RepoPath) -> bool {
                true
            }
            fn found(&mut self, found: super::super::Found) {
                self.0.push(found.path.to_string());
            }
        }
        let mut all = All(Vec::new());
        repo.walk(&RepoPath::root(), &mut all);
        all.0
    }

    #[test]
    fn a_look_is_shared_until_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(folder.path().join(name), "x").unwrap();
        write("a");
        let mut repo = Repo::open(folder.path()).unwrap();
        assert_eq!(names(&repo), ["a"]);
        write("b");
        assert_eq!(names(&repo), ["a", "b"]);
        repo.look_again().unwrap();
        assert_eq!(names(&repo), ["a", "b"]);
        write("c");
        assert_eq!(names(&repo), ["a", "b"]);
        repo.look_again().unwrap();
        assert_eq!(names(&repo), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_kept_outlives_a_look_and_not_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir(&root).unwrap();
        let mut repo = Repo::open(&root).unwrap();
        repo.remember(1u8);
        assert_eq!(repo.recall::<u8>(), None);
        repo.look_again().unwrap();
        repo.remember(2u8);
        repo.look_again().unwrap();
        assert_eq!((repo.recall::<u8>(), repo.recall::<u8>()), (Some(2), None));
        repo.remember(3u8);
        // Another folder of the same name is another repository.
        fs::rename(&root, outer.path().join("old")).unwrap();
        fs::create_dir(&root).unwrap();
        repo.look_again().unwrap();
        assert_eq!(repo.recall::<u8>(), None);
        fs::remove_dir(&root).unwrap();
        assert!(repo.look_again().is_err());
    }
}
