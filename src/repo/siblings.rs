//! What is known of the folders above a file, for the next file of the same folder.
//!
//! Whether a file may be read depends on every folder above it: on their ignore rules, and on
//! whether one of them is a git folder. Files come folder by folder, so one folder is remembered,
//! and only as long as somebody [asks for many](Repo::ask_for_many).

use std::cell::{Cell, RefCell};

use super::rules::Above;
use super::{Repo, RepoPath};

/// The folder that was asked about last.
#[derive(Default)]
pub(super) struct Siblings {
    /// How many ask for many.
    asking: Cell<usize>,
    last: RefCell<Folder>,
}

/// What was found out about a folder and those above it.
#[derive(Default)]
pub(super) struct Folder {
    path: Option<RepoPath>,
    pub(super) is_in_git: Option<bool>,
    pub(super) rules: Option<Above>,
}

/// Somebody who asks for many files. Findings about a folder hold until this ends: asking for all
/// files at once could have found the same.
#[must_use]
pub struct AskingForMany<'a>(Vec<&'a Siblings>);

impl Drop for AskingForMany<'_> {
    fn drop(&mut self) {
        for siblings in &self.0 {
            siblings.asking.set(siblings.asking.get() - 1);
            siblings.last.take();
        }
    }
}

impl Repo {
    /// Begins to ask for many files.
    pub fn ask_for_many(&self) -> AskingForMany<'_> {
        // The rules of the work tree around this folder count too.
        let around = self.around().map(|(tree, _)| &tree.siblings);
        let all: Vec<&Siblings> = around.into_iter().chain([&self.siblings]).collect();
        for siblings in &all {
            siblings.asking.set(siblings.asking.get() + 1);
        }
        AskingForMany(all)
    }

    /// Returns what is known of the folder that something is in, or what `find` finds now.
    pub(super) fn of_folder<T: Clone>(
        &self,
        folder: &RepoPath,
        known: fn(&mut Folder) -> &mut Option<T>,
        find: impl FnOnce() -> T,
    ) -> T {
        if self.siblings.asking.get() == 0 {
            return find();
        }
        let mut last = self.siblings.last.take();
        if last.path.as_ref() != Some(folder) {
            last = Folder {
                path: Some(folder.clone()),
                ..Folder::default()
            };
        }
        let found = known(&mut last).take().unwrap_or_else(find);
        *known(&mut last) = Some(found.clone());
        self.siblings.last.replace(last);
        found
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Asker;
    use super::*;

    #[test]
    fn what_is_found_of_a_folder_holds_while_many_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for name in ["a/b/one", "a/b/two", "a/three", ".gitignore"] {
            write(name, "");
        }
        let repo = Repo::open(folder.path()).unwrap();
        let may = |path: &str| {
            let path = RepoPath::parse(path).unwrap();
            repo.admit(&path, Asker::Repository).is_ok()
        };
        let asking = repo.ask_for_many();
        assert!(may("a/b/one"));
        write(".gitignore", "b\n*e\n");
        assert!(may("a/b/two") && may("a/b/one"));
        // Of another folder it is asked anew.
        assert!(!may("a/three") && !may("a/b/two"));
        write(".gitignore", "");
        assert!(!may("a/b/two"));
        drop(asking);
        assert!(may("a/b/two") && may("a/b/one"));
    }

    #[test]
    fn files_of_a_git_folder_are_hidden_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["objects", "refs"] {
            fs::create_dir_all(folder.path().join("x").join(name)).unwrap();
        }
        for name in ["x/HEAD", "x/config", "x/refs/a", "y"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let repo = Repo::open(folder.path()).unwrap();
        let _asking = repo.ask_for_many();
        for (path, may) in [
            ("y", true),
            ("x/HEAD", false),
            ("x/config", false),
            ("x/refs/a", false),
            ("y", true),
        ] {
            let path = RepoPath::parse(path).unwrap();
            assert_eq!(repo.admit(&path, Asker::Caller).is_ok(), may, "{path}");
        }
    }
}
