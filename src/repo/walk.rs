//! Walks the repository: every file that git would not ignore.
//!
//! The rules of ignore files are those of the `ignore` crate. Its own walker is not used, because
//! it opens ignore files itself: in a hostile repository a `.gitignore` can be a FIFO, a device or
//! three gigabytes of nothing. Here they are read through the same door as every other file, the
//! order is that of the names, and whole folders are skipped before they are listed.

use std::sync::Arc;

use super::git_folder::{is_git_name, names_git};
use super::names::{EntryKind, Names};
use super::path::MAX_DEPTH;
use super::policy::Readable;
use super::rules::{Account, By, Cost, Full, Rules};
use super::{Git, Quota, Repo, RepoPath};
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};

/// The most single notes of a walk.
const MAX_TOLD: usize = 100;

/// The most names of a folder that are returned as a list.
pub const MAX_NAMES: usize = 20_000;

/// An entry that the walk found and that is not a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Where.
    pub path: RepoPath,
    /// Whether it is a symbolic link.
    pub link: bool,
    _walked: Walked,
}

/// Only a walk finds anything.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Walked;

impl Found {
    fn at(path: RepoPath, link: bool) -> Found {
        Found {
            path,
            link,
            _walked: Walked,
        }
    }

    /// Returns the file, which every asker may read; `None` for a link, of which that is not known.
    pub fn readable(&self) -> Option<Readable> {
        let here = || self.path.clone();
        (!self.link).then(|| Readable::admitted(here(), here()))
    }
}

/// What a walk does with what it visits.
pub trait Visitor {
    /// Whether to enter this folder.
    fn enter(&mut self, folder: &RepoPath) -> bool;
    /// Takes a file or a link.
    fn found(&mut self, found: Found);
    /// Learns of a folder that the ignore rules hide.
    fn ignored(&mut self, _folder: &RepoPath) {}
    /// Learns that there is more than fits: names of a folder, or a folder, which counts as one.
    fn missed(&mut self, _names: usize) {}
}

/// What a folder holds, as a walk visits it.
#[derive(Default)]
pub(super) struct Folder {
    names: Names,
    rules: Option<Arc<Rules>>,
    /// What went wrong before its entries were looked at.
    notes: Vec<Note>,
    /// Whether it has rules for which there was no room.
    lacks_rules: bool,
    /// Whether its rules could not all be read.
    unknown_rules: bool,
    /// What its rules take of the account of a walk.
    cost: Cost,
}

impl Folder {
    /// Returns about how many bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Folder>() + self.names.bytes()
    }
}

/// The notes of a walk, which are limited: a repository may cause one for every folder.
#[derive(Default)]
struct Told {
    notes: Vec<Note>,
    more: usize,
}

impl Told {
    fn tell(&mut self, notes: impl IntoIterator<Item = Note>) {
        for note in notes {
            if self.notes.len() < MAX_TOLD {
                self.notes.push(note);
            } else {
                self.more += 1;
            }
        }
    }

    fn into_notes(mut self) -> Vec<Note> {
        if self.more > 0 {
            let message = format!("{} like these not shown", counted(self.more, "warning"));
            self.notes.push(Note::new(NoteKind::Skipped, message));
        }
        self.notes
    }
}

impl Repo {
    /// Walks `start` and everything below it in the order of names, never into `.git` and never
    /// through links, and notes what could not be listed.
    ///
    /// `start` itself is entered even if it is ignored, but not inside `.git`.
    pub fn walk(&self, start: &RepoPath, visitor: &mut dyn Visitor) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.is_in_git(start) {
            notes.extend((!names_git(start.as_str())).then(|| gits_own(start)));
            return notes;
        }
        let above = self.rules_above(start, &mut notes);
        let mut told = Told::default();
        told.tell(notes);
        let account = Account::new();
        let mut folders = Quota::default();
        let mut todo = vec![(start.clone(), 0, above)];
        self.begin_walk();
        while let Some((path, depth, above)) = todo.pop() {
            let folder = self.folder(&path, depth, above, &account);
            told.tell(folder.notes.iter().cloned());
            if folder.lacks_rules {
                account.lack();
                visitor.missed(1);
            }
            let first = todo.len();
            for (name, kind) in folder.names.iter() {
                let entry = path.entry(name);
                match kind {
                    EntryKind::Ignored => visitor.ignored(&entry),
                    EntryKind::Folder | EntryKind::Hidden if !visitor.enter(&entry) => {}
                    EntryKind::Folder | EntryKind::Hidden if depth == MAX_DEPTH => {
                        told.tell([too_deep(&entry)]);
                    }
                    EntryKind::Folder | EntryKind::Hidden if !folders.takes(entry.as_str()) => {
                        visitor.missed(1);
                    }
                    EntryKind::Folder => todo.push((entry, depth + 1, folder.rules.clone())),
                    EntryKind::Hidden => {
                        let rules = folder.rules.as_ref().map(|rules| rules.of_hidden(&entry));
                        todo.push((entry, depth + 1, rules));
                    }
                    EntryKind::File => visitor.found(Found::at(entry, false)),
                    EntryKind::Link => visitor.found(Found::at(entry, true)),
                    EntryKind::Other => {}
                }
            }
            todo[first..].reverse();
            visitor.missed(folder.names.left_out);
            told.tell(left_out(&path, &folder.names));
        }
        told.tell(account.note());
        told.tell(folders.note("folder"));
        told.into_notes()
    }

    /// Returns what a folder holds, at this depth of a walk, under the rules of the folders above.
    fn folder(
        &self,
        path: &RepoPath,
        depth: usize,
        above: Option<Arc<Rules>>,
        account: &Account,
    ) -> Arc<Folder> {
        let known = self.look.as_ref().and_then(|look| look.folder(path));
        // What is known costs no less: what a walk finds must not depend on those before.
        if let Some(folder) = known.filter(|folder| account.pays(folder.cost)) {
            return folder;
        }
        let before = account.left();
        // Of where a walk starts it is not known whether a link leads there.
        let is_reached = depth > 0 || path.is_root();
        let names = if is_reached {
            self.reached(path)
        } else {
            self.entries(path)
        };
        let mut folder = self.list(path, names, above, account);
        folder.cost = account.cost_since(before);
        let folder = Arc::new(folder);
        let is_known = !folder.lacks_rules && !folder.unknown_rules;
        if let Some(look) = self.look.as_ref().filter(|_| is_known) {
            look.listed(path, &folder);
        }
        folder
    }

    fn list(
        &self,
        path: &RepoPath,
        names: Result<Names, String>,
        above: Option<Arc<Rules>>,
        account: &Account,
    ) -> Folder {
        let mut folder = Folder::default();
        let mut names = match names {
            Ok(names) => names,
            Err(why) => {
                let shown = quoted(path.as_str());
                let message = format!("cannot list the folder `{shown}`: {why}");
                let note = Note::new(NoteKind::Unreadable, message).on(path.as_str());
                folder.notes.push(note);
                return folder;
            }
        };
        if has_form(&names) && self.is_in_git(path) {
            folder.notes.push(gits_own(path));
            return folder;
        }
        let rules = self.rules(path, &names, above, account, &mut folder.notes);
        let Ok(rules) = rules else {
            // What they hide is not known, so nothing is shown.
            folder.lacks_rules = true;
            return folder;
        };
        let mut entry = String::new();
        folder.unknown_rules = rules.are_unknown();
        names.sift(|name, kind| {
            if is_git_name(name) || kind == EntryKind::Other {
                return None;
            }
            path.write_entry(name, &mut entry);
            let is_folder = kind == EntryKind::Folder;
            let is_tracked = || {
                let path = path.entry(name);
                if is_folder {
                    self.tracks_below(&path)
                } else {
                    self.tracks(&path)
                }
            };
            match rules.ignores(&entry, is_folder, &account.steps) {
                None if !is_folder && rules.are_unknown() && !is_tracked() => None,
                None => Some(kind),
                Some(By::Git) if is_tracked() => {
                    Some(if is_folder { EntryKind::Hidden } else { kind })
                }
                Some(_) => is_folder.then_some(EntryKind::Ignored),
            }
        });
        if !account.steps.are_left() {
            folder.lacks_rules = true;
            return folder;
        }
        folder.names = names;
        folder.rules = Some(rules);
        folder
    }

    /// Returns the names of everything except folders in one folder, ignored or not, in order; none
    /// if it cannot be listed. At most [`MAX_NAMES`]. Anything that is not a file is refused when
    /// it is read.
    pub fn names(&self, folder: &RepoPath) -> Vec<String> {
        self.try_names(folder).unwrap_or_default()
    }

    /// Returns the same names.
    ///
    /// # Errors
    ///
    /// Why the folder cannot be listed.
    pub fn try_names(&self, folder: &RepoPath) -> Result<Vec<String>, String> {
        let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Link | EntryKind::Other);
        self.names_of(folder, is_file)
    }

    /// Returns the names of everything in one folder, ignored or not, in order; none if it cannot
    /// be listed. At most [`MAX_NAMES`].
    pub fn all_names(&self, folder: &RepoPath) -> Vec<String> {
        self.names_of(folder, |_| true).unwrap_or_default()
    }

    fn names_of(
        &self,
        folder: &RepoPath,
        counts: impl Fn(EntryKind) -> bool,
    ) -> Result<Vec<String>, String> {
        let names = self.entries(folder)?;
        let names = names.iter().filter(|(_, kind)| counts(*kind));
        Ok(names
            .take(MAX_NAMES)
            .map(|(name, _)| name.to_owned())
            .collect())
    }

    /// Reads the folder's own ignore files, if it has any.
    fn rules(
        &self,
        folder: &RepoPath,
        names: &Names,
        above: Option<Arc<Rules>>,
        account: &Account,
        notes: &mut Vec<Note>,
    ) -> Result<Arc<Rules>, Full> {
        let may_leave_out = || self.git().is_ok_and(Git::may_leave_out);
        let wanted = [
            names.tells(".ignore"),
            names.tells(".gitignore") || may_leave_out(),
            folder.is_root() || names.tells(".git"),
        ];
        self.rules_of(folder, wanted, above, account, notes)
    }
}

/// Whether a folder with these names may have the form of a git folder.
fn has_form(names: &Names) -> bool {
    names.tells("HEAD") && (names.tells("objects") || names.tells("commondir"))
}

fn gits_own(folder: &RepoPath) -> Note {
    let shown = match folder.as_str() {
        "" => "this folder".into(),
        folder => format!("`{}`", quoted(folder)),
    };
    let message = format!("{shown} is left out: it is a git folder");
    Note::new(NoteKind::Skipped, message).on(folder.as_str())
}

fn too_deep(path: &RepoPath) -> Note {
    let shown = quoted(path.as_str());
    let message =
        format!("folders below `{shown}` are left out: they are more than {MAX_DEPTH} levels deep");
    Note::new(NoteKind::Skipped, message).on(path.as_str())
}

/// Notes which entries of a folder are not visited.
fn left_out(folder: &RepoPath, names: &Names) -> Vec<Note> {
    if names.unnameable + names.left_out == 0 {
        return Vec::new();
    }
    let shown = match folder.as_str() {
        "" => "the root".into(),
        folder => format!("`{}`", quoted(folder)),
    };
    let mut notes = Vec::new();
    let mut tell = |number: usize, why: &str| {
        if number > 0 {
            let names = counted(number, "name");
            let message = format!("{names} in {shown} left out: {why}");
            notes.push(Note::new(NoteKind::Skipped, message).on(folder.as_str()));
        }
    };
    tell(names.unnameable, "not UTF-8");
    tell(names.left_out, "those before have 4 MiB together");
    notes
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::with_files;
    use super::*;

    struct All(Vec<String>);

    impl Visitor for All {
        fn enter(&mut self, folder: &RepoPath) -> bool {
            folder.as_str() != "closed"
        }

        fn found(&mut self, found: Found) {
            self.0.push(found.path.as_str().to_owned());
        }
    }

    fn walk(root: &Path) -> (Vec<String>, Vec<Note>) {
        let mut all = All(Vec::new());
        let notes = Repo::open(root).unwrap().walk(&RepoPath::root(), &mut all);
        (all.0, notes)
    }

    #[test]
    fn folders_whose_rules_are_too_much_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..20 {
            let inside = folder.path().join(format!("{number:02}"));
            fs::create_dir(&inside).unwrap();
            fs::write(inside.join(".gitignore"), "#".repeat(60_000) + "\nb").unwrap();
            for name in ["a", "b"] {
                fs::write(inside.join(name), "").unwrap();
            }
        }
        fs::create_dir(folder.path().join("20")).unwrap();
        fs::write(folder.path().join("20/a"), "").unwrap();
        let mut repo = Repo::open(folder.path()).unwrap();
        repo.look_again().unwrap();
        // The second time it is known what the folders hold.
        for _ in 0..2 {
            let mut all = All(Vec::new());
            let notes = repo.walk(&RepoPath::root(), &mut all);
            let listed = all.0.iter().filter(|path| path.ends_with("/a")).count();
            assert_eq!(listed, 18);
            assert!(!all.0.iter().any(|path| path.ends_with("/b")));
            assert_eq!(notes.len(), 1, "{notes:?}");
            let said = "3 folders left out: the ignore files before theirs take 1 MiB together";
            assert_eq!(notes[0].message, said);
        }
    }

    #[test]
    fn wildcards_that_are_too_much_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let pattern = "*a".repeat(2000) + "b\n";
        fs::write(folder.path().join(".gitignore"), pattern.repeat(2)).unwrap();
        let path = RepoPath::parse(&"a".repeat(255)).unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        let rules = repo.rules_above(&path, &mut Vec::new()).unwrap();
        let account = Account::new();
        let mut asked = 0;
        while account.steps.are_left() {
            assert!(
                rules
                    .ignores(path.as_str(), false, &account.steps)
                    .is_none()
            );
            asked += 1;
            assert!(asked < 100_000, "nothing was spent");
        }
        account.lack();
        let said = account.note().unwrap().message;
        assert_eq!(
            said,
            "1 folder left out: the ignore files have too many wildcards for the files to match"
        );
    }

    #[test]
    fn ignore_files_are_honoured_in_gits_order() {
        let folder = with_files([
            (".git/info/exclude", "*.tmp\n"),
            (".gitignore", "*.log\n/build/\n!sub/keep.log\n"),
            ("sub/.gitignore", "local.txt\n!kept.tmp\n"),
            (".ignore", "!wanted.log\n"),
            ("a.log", ""),
            ("wanted.log", ""),
            ("a.tmp", ""),
            ("build/out.rs", ""),
            ("sub/keep.log", ""),
            ("sub/kept.tmp", ""),
            ("sub/local.txt", ""),
            ("sub/build/in.rs", ""),
            ("closed/x.rs", ""),
        ]);
        let (found, notes) = walk(folder.path());
        assert_eq!(
            found,
            [
                ".gitignore",
                ".ignore",
                "sub/.gitignore",
                "sub/keep.log",
                "sub/kept.tmp",
                "sub/build/in.rs",
            ]
        );
        assert_eq!(notes, []);
    }

    #[test]
    fn a_folder_too_deep_is_left_out_with_a_note() {
        let folder = tempfile::tempdir().unwrap();
        let deep = "d/".repeat(MAX_DEPTH + 2);
        fs::create_dir_all(folder.path().join(deep)).unwrap();
        let (found, notes) = walk(folder.path());
        assert!(found.is_empty());
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].kind, NoteKind::Skipped);
    }
}
