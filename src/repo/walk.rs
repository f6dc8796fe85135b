//! Walks the repository: every file that git would not ignore.
//!
//! The rules of ignore files are those of the `ignore` crate. Its own walker is
//! not used, because it opens ignore files itself: in a hostile repository a
//! `.gitignore` can be a FIFO, a device or three gigabytes of nothing. Here they
//! are read through the same door as every other file, the order is that of the
//! names, and whole folders are skipped before they are listed.

use std::sync::Arc;

use super::git_folder::{is_git_name, names_git};
use super::policy::Readable;
use super::rules::{Account, Full, Rules};
use super::{Repo, RepoPath};
use crate::section::{Note, NoteKind};
use crate::show::visible;

/// How deep folders are entered. The deepest real trees (of `node_modules`) have about
/// 40 levels.
const MAX_DEPTH: usize = 256;

/// An entry that the walk found and that is no folder.
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

    /// The file, which every asker may read; `None` for a link, of which that is not known.
    pub fn readable(&self) -> Option<Readable> {
        let here = || self.path.clone();
        (!self.link).then(|| Readable::admitted(here(), here()))
    }
}

/// What is visited, as the walk asks for it.
pub trait Visitor {
    /// Whether to enter this folder.
    fn enter(&mut self, folder: &RepoPath) -> bool;
    /// Takes a file or a link.
    fn found(&mut self, found: Found);
    /// Learns of a folder that the ignore rules hide.
    fn ignored(&mut self, _folder: &RepoPath) {}
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    Folder,
    File,
    Link,
    Other,
}

/// An entry of a folder: its name, or `Err` if that is not UTF-8, and its kind.
type Entry = (Result<String, ()>, EntryKind);

/// What a folder holds, as a walk visits it.
#[derive(Default, Clone)]
pub(super) struct Folder {
    /// In the order of their names.
    entries: Vec<(RepoPath, What)>,
    rules: Option<Arc<Rules>>,
    /// What went wrong before they were looked at.
    notes: Vec<Note>,
    /// How many more have a name that is not UTF-8.
    unnameable: usize,
    /// Whether it has rules for which there was no room.
    lacks_rules: bool,
}

impl Folder {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// What a walk does with an entry.
#[derive(Clone, Copy)]
enum What {
    Folder,
    File,
    Link,
    /// A folder that the ignore rules hide.
    Ignored,
}

impl Repo {
    /// Walks `start` and all below it in the order of names, never into `.git` and
    /// never through links, and says what could not be listed.
    ///
    /// `start` itself is entered even where it is ignored, but not inside `.git`.
    pub fn walk(&self, start: &RepoPath, visitor: &mut dyn Visitor) -> Vec<Note> {
        let mut notes = Vec::new();
        if self.is_in_git(start) {
            notes.extend((!names_git(start.as_str())).then(|| gits_own(start)));
            return notes;
        }
        let above = self.rules_above(start, &mut notes);
        let account = Account::new();
        let mut todo = vec![(start.clone(), 0, above)];
        while let Some((path, depth, above)) = todo.pop() {
            let folder = self.folder(&path, above, &account);
            // What nobody shares need not be copied.
            let Folder {
                entries,
                rules,
                notes: before,
                unnameable: nameless,
                lacks_rules,
            } = Arc::unwrap_or_clone(folder);
            notes.extend(before);
            if lacks_rules {
                account.lack();
            }
            let mut folders = Vec::new();
            for (entry, what) in entries {
                match what {
                    What::Ignored => visitor.ignored(&entry),
                    What::Folder if !visitor.enter(&entry) => {}
                    What::Folder if depth == MAX_DEPTH => notes.push(too_deep(&entry)),
                    What::Folder => folders.push((entry, depth + 1, rules.clone())),
                    What::File => visitor.found(Found::at(entry, false)),
                    What::Link => visitor.found(Found::at(entry, true)),
                }
            }
            notes.extend((0..nameless).map(|_| unnameable(&path)));
            todo.extend(folders.into_iter().rev());
        }
        notes.extend(account.note());
        notes
    }

    /// What a folder holds, to which the rules of those above it apply.
    fn folder(&self, path: &RepoPath, above: Option<Arc<Rules>>, account: &Account) -> Arc<Folder> {
        let known = self.look.as_ref().and_then(|look| look.folder(path));
        known.unwrap_or_else(|| {
            let folder = Arc::new(self.list(path, above, account));
            if let Some(look) = &self.look {
                look.listed(path, &folder);
            }
            folder
        })
    }

    fn list(&self, path: &RepoPath, above: Option<Arc<Rules>>, account: &Account) -> Folder {
        let mut folder = Folder::default();
        let entries = match self.entries(path) {
            Ok(entries) => entries,
            Err(why) => {
                let shown = visible(path.as_str());
                let message = format!("cannot list the folder `{shown}`: {why}");
                let note = Note::new(NoteKind::Unreadable, message).on(path.as_str());
                folder.notes.push(note);
                return folder;
            }
        };
        if has_form(&entries) && self.is_in_git(path) {
            folder.notes.push(gits_own(path));
            return folder;
        }
        let rules = self.rules(path, &entries, above, account, &mut folder.notes);
        let Ok(rules) = rules else {
            // What they hide is not known, so nothing is shown.
            folder.lacks_rules = true;
            return folder;
        };
        folder.entries.reserve(entries.len());
        for (name, kind) in entries {
            let Ok(name) = name else {
                folder.unnameable += 1;
                continue;
            };
            let entry = path.entry(&name);
            let is_folder = kind == EntryKind::Folder;
            if is_git_name(&name) {
                continue;
            }
            let what = match kind {
                _ if rules.ignores(&entry, is_folder) => is_folder.then_some(What::Ignored),
                EntryKind::Folder => Some(What::Folder),
                EntryKind::File => Some(What::File),
                EntryKind::Link => Some(What::Link),
                EntryKind::Other => None,
            };
            folder.entries.extend(what.map(|what| (entry, what)));
        }
        folder.rules = Some(rules);
        folder
    }

    /// The names of the files and links in one folder, ignored or not, in order;
    /// none if it cannot be listed.
    pub fn names(&self, folder: &RepoPath) -> Vec<String> {
        let entries = self.entries(folder).unwrap_or_default();
        entries
            .into_iter()
            .filter(|(_, kind)| matches!(kind, EntryKind::File | EntryKind::Link))
            .filter_map(|(name, _)| name.ok())
            .collect()
    }

    /// The names of everything in one folder, ignored or not, in order; none if it cannot
    /// be listed.
    pub fn all_names(&self, folder: &RepoPath) -> Vec<String> {
        let entries = self.entries(folder).unwrap_or_default();
        entries
            .into_iter()
            .filter_map(|(name, _)| name.ok())
            .collect()
    }

    /// Reads the folder's own ignore files, if it has any.
    fn rules(
        &self,
        folder: &RepoPath,
        entries: &[Entry],
        above: Option<Arc<Rules>>,
        account: &Account,
        notes: &mut Vec<Note>,
    ) -> Result<Arc<Rules>, Full> {
        let has = |name: &str| entries.iter().any(|(n, _)| n.as_deref() == Ok(name));
        let wanted = [has(".ignore"), has(".gitignore"), folder.is_root()];
        self.rules_of(folder, wanted, above, account, notes)
    }

    /// The folder's entries in the order of their names; a name that is not UTF-8
    /// is an `Err`.
    #[cfg(unix)]
    fn entries(&self, folder: &RepoPath) -> Result<Vec<Entry>, String> {
        use rustix::fs::FileType;
        let mut dir = self
            .door
            .list(folder.as_str())
            .map_err(|e| super::read::reason(&e))?;
        let mut entries = Vec::new();
        while let Some(entry) = dir.read() {
            let entry = entry.map_err(|e| super::read::reason(&e.into()))?;
            let name = entry.file_name().to_str().map(str::to_owned);
            if matches!(name.as_deref(), Ok("." | "..")) {
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
            entries.push((name.map_err(|_| ()), kind));
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }

    #[cfg(not(unix))]
    fn entries(&self, folder: &RepoPath) -> Result<Vec<Entry>, String> {
        let list = self
            .door
            .list(folder.as_str())
            .map_err(|e| super::read::reason(&e))?;
        let mut entries = Vec::new();
        for entry in list {
            let entry = entry.map_err(|e| super::read::reason(&e))?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => EntryKind::Link,
                Ok(kind) if kind.is_dir() => EntryKind::Folder,
                Ok(kind) if kind.is_file() => EntryKind::File,
                _ => EntryKind::Other,
            };
            entries.push((entry.file_name().into_string().map_err(|_| ()), kind));
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }
}

/// Whether a folder with these entries may have the form of a git folder.
fn has_form(entries: &[Entry]) -> bool {
    let has = |name: &str| {
        let place = entries.binary_search_by(|(n, _)| n.as_deref().cmp(&Ok(name)));
        place.is_ok()
    };
    has("HEAD") && (has("objects") || has("commondir"))
}

fn gits_own(folder: &RepoPath) -> Note {
    let shown = match folder.as_str() {
        "" => "this folder".into(),
        folder => format!("`{}`", visible(folder)),
    };
    let message = format!("{shown} is left out: it is a git folder");
    Note::new(NoteKind::Skipped, message).on(folder.as_str())
}

fn too_deep(path: &RepoPath) -> Note {
    let shown = visible(path.as_str());
    let message = format!("folders below `{shown}` are deeper than {MAX_DEPTH} and left out");
    Note::new(NoteKind::Skipped, message).on(path.as_str())
}

fn unnameable(folder: &RepoPath) -> Note {
    let shown = match folder.as_str() {
        "" => "the root".into(),
        folder => format!("`{}`", visible(folder)),
    };
    Note::new(
        NoteKind::Skipped,
        format!("an entry of {shown} has a name that is not UTF-8 and is left out"),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

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

    fn files(paths: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in paths {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
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
            let said = "3 folders left out: the ignore files before theirs have 1 MiB together";
            assert_eq!(notes[0].message, said);
        }
    }

    #[test]
    fn ignore_files_are_honoured_in_gits_order() {
        let folder = files(&[
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
                "wanted.log",
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
        let folder = files(&[]);
        let deep = "d/".repeat(MAX_DEPTH + 2);
        fs::create_dir_all(folder.path().join(deep)).unwrap();
        let (found, notes) = walk(folder.path());
        assert!(found.is_empty());
        assert_eq!(notes.len(), 1);
        assert_eq!(notes[0].kind, NoteKind::Skipped);
    }
}
