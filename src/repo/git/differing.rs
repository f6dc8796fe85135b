//! Which files differ between two commits, or a commit and an index.
//!
//! libgit2 compares texts and writes diffs. It gets two indexes in memory that contain only what
//! differs.

use std::cmp::Ordering;

use git2::{Diff, DiffOptions, Index, Oid};

use super::cached::Remembered;
use super::listed::{File, Listed, entry};
use super::objects::{Entry, Fault, Tree, pairs};
use super::staging::Staging;
use super::worktree::WorkTree;
use super::{Git, MAX_DIFF_FILES, MAX_DIFF_PATHS, failed, words};

/// The most entries of trees and of an index that are looked at.
const MAX_ENTRIES: usize = 500_000;

/// The most entries of files that differ, and the most bytes of their paths. A diff has fewer; the
/// rest is counted.
const MAX_DIFFERING: usize = 2 * MAX_DIFF_FILES;
const MAX_PATHS: usize = 4 * MAX_DIFF_PATHS;

const TOO_MANY: Fault = Fault::Otherwise("there are too many files, or folders nested too deep");

/// The deepest nesting of trees.
const MAX_DEPTH: usize = 256;

/// What is compared.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    /// Nothing, as before the first commit.
    Nothing,
    /// What a commit has.
    Tree(Oid),
    /// What the index lists.
    Staged(&'a Staging),
    /// What is on disk.
    OnDisk(&'a WorkTree<'a>),
}

/// What differs.
pub(super) struct Differing<'a> {
    pub(super) diff: Diff<'a>,
    /// Files that are not compared or of which no diff can be made, each with the reason.
    pub(super) left_out: Vec<(String, String)>,
    /// How many more there are.
    pub(super) more: usize,
}

impl Git {
    /// Finds what differs.
    pub(super) fn differing(
        &self,
        old: Side<'_>,
        new: Side<'_>,
        options: &mut DiffOptions,
    ) -> Result<Differing<'_>, String> {
        let mut pair = Pair::new().map_err(|e| failed(&words(&e)))?;
        let told = |fault: Fault| self.cannot_tell(&fault);
        match (old, new) {
            (Side::Tree(old), Side::Tree(new)) => {
                let read = |id| self.objects.tree(id).map_err(told);
                let (old, new) = (read(old)?, read(new)?);
                pair.trees(self, (Some(&old), Some(&new)), &mut Vec::new(), 0)
                    .map_err(told)?;
            }
            (Side::Staged(_), Side::OnDisk(tree)) => pair.changed(self, tree),
            (old, Side::Staged(new)) => {
                let known = new.trees();
                let is_root = |old| known.is_some_and(|known| known.is(b"", old));
                if !matches!(old, Side::Tree(old) if is_root(old)) {
                    let mut walk = Walk::of(self, old, known).map_err(told)?;
                    let staged = new.iter().filter(|(_, entry)| !entry.is_intended());
                    let listed = staged.map(|(path, entry)| Listed::of_entry(path, entry));
                    pair.index(self, &mut walk, listed).map_err(told)?;
                }
            }
            (old, Side::OnDisk(tree)) => {
                let mut walk = Walk::of(self, old, None).map_err(told)?;
                pair.index(self, &mut walk, tree.listed()).map_err(told)?;
            }
            _ => {}
        }
        let diff = self
            .repository
            .diff_index_to_index(&pair.old, &pair.new, Some(options));
        let diff = diff.map_err(|e| failed(&words(&e)))?;
        let Pair { odd, mut more, .. } = pair;
        let mut left_out = odd;
        if let Side::OnDisk(tree) = new {
            left_out.splice(..0, tree.left_out.iter().cloned());
            more += tree.more;
        }
        Ok(Differing {
            diff,
            left_out,
            more,
        })
    }
}

/// Two indexes with what differs.
struct Pair {
    old: Index,
    new: Index,
    odd: Vec<(String, String)>,
    /// How many entries there are, how many bytes their paths have, and how many more there are.
    entries: usize,
    paths: usize,
    more: usize,
    left: usize,
}

impl Pair {
    fn new() -> Result<Pair, git2::Error> {
        Ok(Pair {
            old: Index::new()?,
            new: Index::new()?,
            odd: Vec::new(),
            entries: 0,
            paths: 0,
            more: 0,
            left: MAX_ENTRIES,
        })
    }

    fn count(&mut self, entries: usize) -> Result<(), Fault> {
        self.left = self.left.checked_sub(entries).ok_or(TOO_MANY)?;
        Ok(())
    }

    /// Whether there is room for a file whose path has `path` bytes. If not, it is counted.
    fn has_room(&mut self, path: usize) -> bool {
        self.paths += path;
        let has_room = self.entries < MAX_DIFFERING && self.paths <= MAX_PATHS;
        self.more += usize::from(!has_room);
        has_room
    }

    /// Takes in what is at a path, on the old side or the new one.
    fn add(&mut self, git: &Git, path: &[u8], file: File, is_new: bool) {
        self.entries += 1;
        let index = if is_new { &mut self.new } else { &mut self.old };
        if let Err(error) = index.add(&entry(git, path, file)) {
            let path = String::from_utf8_lossy(path).into_owned();
            if self.odd.last().is_none_or(|(last, _)| *last != path) {
                self.odd.push((path, words(&error)));
            }
        }
    }

    /// Takes in both sides of a file, as far as there is room.
    fn add_both(&mut self, git: &Git, path: &[u8], old: Option<File>, new: Option<File>) {
        if self.has_room(path.len()) {
            for (is_new, file) in [(false, old), (true, new)] {
                if let Some(file) = file {
                    self.add(git, path, file, is_new);
                }
            }
        }
    }

    /// Takes in what changed on disk.
    fn changed(&mut self, git: &Git, tree: &WorkTree<'_>) {
        for (path, old, new) in tree.against_index() {
            if old.is_some() || new.is_some() {
                self.add_both(git, path, old, new);
            }
        }
    }

    /// Compares what a commit has with what is listed, both in the order of paths.
    fn index<'b>(
        &mut self,
        git: &Git,
        walk: &mut Walk<'_>,
        mut listed: impl Iterator<Item = Listed<'b>>,
    ) -> Result<(), Fault> {
        let mut before = walk.next(self)?;
        let mut after = listed.next();
        loop {
            let ordering = match (&before, &after) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), Some(listed)) => walk.path.as_slice().cmp(listed.path),
            };
            if let (Some(Step::Same), Ordering::Less | Ordering::Equal) = (&before, ordering) {
                while after
                    .take_if(|listed| listed.path.starts_with(&walk.path))
                    .is_some()
                {
                    self.count(1)?;
                    after = listed.next();
                }
                before = walk.next(self)?;
                continue;
            }
            let old = before.as_ref().and_then(Step::file);
            let old = old.filter(|_| ordering.is_le());
            let new = after.take_if(|_| ordering.is_ge());
            if new.is_some() {
                self.count(1)?;
                after = listed.next();
            }
            match new {
                Some(new) if new.in_conflict => {
                    // It has an entry for each side, and none that is staged.
                    while after.take_if(|side| side.path == new.path).is_some() {
                        self.count(1)?;
                        after = listed.next();
                    }
                    if self.has_room(new.path.len()) {
                        self.entries += 1;
                        let path = String::from_utf8_lossy(new.path).into_owned();
                        self.odd.push((path, "it is in conflict".into()));
                    }
                }
                Some(new) if !old.is_some_and(|old| old.is(&new.file)) => {
                    self.add_both(git, new.path, old, Some(new.file));
                }
                Some(_) => {}
                None => self.add_both(git, &walk.path, old, None),
            }
            if old.is_some() {
                before = walk.next(self)?;
            }
        }
    }

    /// Compares two folders of commits.
    fn trees(
        &mut self,
        git: &Git,
        (old, new): (Option<&Tree>, Option<&Tree>),
        folder: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), Fault> {
        let entries = |tree: Option<&Tree>| tree.map_or(0, Tree::len);
        self.count(entries(old) + entries(new))?;
        if depth > MAX_DEPTH {
            return Err(TOO_MANY);
        }
        let same =
            |one: &Entry<'_>, other: &Entry<'_>| (one.mode, one.id) == (other.mode, other.id);
        for (before, after) in pairs(old, new) {
            if let (Some(before), Some(after)) = (&before, &after)
                && same(before, after)
            {
                continue;
            }
            let Some(name) = after.as_ref().or(before.as_ref()).map(|entry| entry.name) else {
                continue;
            };
            let length = folder.len();
            folder.extend_from_slice(name);
            let is_file = |entry: &Entry<'_>| !entry.is_tree();
            let any_file = [&before, &after].into_iter().flatten().any(is_file);
            let has_room = any_file && self.has_room(folder.len());
            let mut below = [None, None];
            for (is_new, entry) in [before, after].into_iter().enumerate() {
                match entry {
                    Some(entry) if entry.is_tree() => {
                        below[is_new] = Some(git.objects.tree(entry.id)?);
                    }
                    Some(entry) if has_room => {
                        let file = File {
                            mode: entry.mode,
                            id: entry.id,
                            bytes: 0,
                        };
                        self.add(git, folder, file, is_new == 1);
                    }
                    _ => {}
                }
            }
            if let [Some(_), _] | [_, Some(_)] = &below {
                folder.push(b'/');
                let [old, new] = &below;
                self.trees(git, (old.as_ref(), new.as_ref()), folder, depth + 1)?;
            }
            folder.truncate(length);
        }
        Ok(())
    }
}

/// What comes next in a commit.
enum Step {
    File(File),
    /// A folder, with a slash at the end of its path, that is the same as in an index.
    Same,
}

impl Step {
    fn file(&self) -> Option<File> {
        match self {
            Step::File(file) => Some(*file),
            Step::Same => None,
        }
    }
}

/// Goes over the files of a commit, in the order of their paths.
struct Walk<'a> {
    git: &'a Git,
    /// The trees of folders that need not be looked through.
    known: Option<&'a Remembered>,
    /// The folders that are open: each with the number of its next entry, and the length of the
    /// path that leads to it.
    open: Vec<(Tree, usize, usize)>,
    /// The path of the current file.
    path: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn of(git: &'a Git, side: Side<'_>, known: Option<&'a Remembered>) -> Result<Walk<'a>, Fault> {
        let open = match side {
            Side::Tree(id) => vec![(git.objects.tree(id)?, 0, 0)],
            _ => Vec::new(),
        };
        Ok(Walk {
            git,
            known,
            open,
            path: Vec::new(),
        })
    }

    fn next(&mut self, pair: &mut Pair) -> Result<Option<Step>, Fault> {
        while let Some((tree, next, length)) = self.open.last_mut() {
            self.path.truncate(*length);
            let Some(entry) = tree.get(*next) else {
                self.open.pop();
                continue;
            };
            *next += 1;
            self.path.extend_from_slice(entry.name);
            if !entry.is_tree() {
                return Ok(Some(Step::File(File {
                    mode: entry.mode,
                    id: entry.id,
                    bytes: 0,
                })));
            }
            let id = entry.id;
            let is_same = self.known.is_some_and(|known| known.is(&self.path, id));
            self.path.push(b'/');
            if is_same {
                return Ok(Some(Step::Same));
            }
            if self.open.len() > MAX_DEPTH {
                return Err(TOO_MANY);
            }
            let below = self.git.objects.tree(id)?;
            pair.count(below.len())?;
            self.open.push((below, 0, self.path.len()));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use git2::{Repository, Signature};
    use proptest::prelude::*;

    use super::super::listed::{File, entry_of};
    use crate::repo::Repo;

    /// Paths that are files, folders, and paths that sort between these.
    const PATHS: [&str; 9] = [
        "a", "a-b/c", "a.b", "a/b", "a/b.c", "a/b/c", "a/b/c/d", "b/x/y", "c",
    ];

    /// Adds or removes a file; what is above or below its path is removed.
    fn put(index: &mut git2::Index, path: &str, content: Option<u8>) {
        let is_related = |other: &str| {
            other.starts_with(&format!("{path}/")) || path.starts_with(&format!("{other}/"))
        };
        for other in PATHS.iter().filter(|other| is_related(other)) {
            let _ = index.remove_path(other.as_ref());
        }
        let Some(content) = content else {
            let _ = index.remove_path(path.as_ref());
            return;
        };
        let file = File {
            mode: 0o100_644,
            id: git2::Oid::ZERO_SHA1,
            bytes: 0,
        };
        let entry = entry_of(path.as_bytes(), file);
        let text = format!("content {content} of {path}\n");
        index.add_frombuffer(&entry, text.as_bytes()).unwrap();
    }

    /// Libraries put a conflict into an index that remembers its folders as they were.
    #[test]
    fn a_conflict_is_told_whatever_an_index_remembers() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let mut index = repository.index().unwrap();
        put(&mut index, "a/b", Some(1));
        put(&mut index, "b/x/y", Some(1));
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let who = Signature::now("a", "a@b").unwrap();
        repository
            .commit(Some("HEAD"), &who, &who, "a", &tree, &[])
            .unwrap();
        index.write().unwrap();
        let path = folder.path().join(".git/index");
        let mut bytes = fs::read(&path).unwrap();
        let name = memchr::memmem::find(&bytes, b"a/b\0").unwrap();
        // The number of a side stands in the flags before the name. No checksum is one, too.
        bytes[name - 2] |= 0x20;
        let end = bytes.len() - 20;
        bytes[end..].fill(0);
        fs::write(&path, bytes).unwrap();
        let repo = Repo::open(fs::canonicalize(folder.path()).unwrap()).unwrap();
        let git = repo.git().unwrap();
        let staged = git.staged().unwrap().items;
        assert!(git.staging().unwrap().trees().is_none());
        assert_eq!(staged.len(), 1);
        assert!(staged[0].path == "a/b" && staged[0].text.contains("conflict"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// Whatever an index remembers of its folders, what is staged is what libgit2 finds by
        /// looking at every file.
        #[test]
        fn what_is_staged_is_found_past_what_an_index_remembers(
            committed in prop::collection::vec((0..PATHS.len(), 0..3_u8), 0..8),
            staged in prop::collection::vec((0..PATHS.len(), prop::option::of(0..3_u8)), 0..4),
            version in 2..=4_u32,
            is_remembered in any::<bool>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let repository = Repository::init(folder.path()).unwrap();
            let mut index = repository.index().unwrap();
            for (path, content) in committed {
                put(&mut index, PATHS[path], Some(content));
            }
            let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
            let who = Signature::now("a", "a@b").unwrap();
            repository.commit(Some("HEAD"), &who, &who, "a", &tree, &[]).unwrap();
            for (path, content) in staged {
                put(&mut index, PATHS[path], content);
            }
            if is_remembered {
                index.write_tree().unwrap();
            }
            index.set_version(version).unwrap();
            index.write().unwrap();
            let theirs = repository.diff_tree_to_index(Some(&tree), Some(&index), None).unwrap();
            let path = |delta: git2::DiffDelta<'_>| {
                let file = match delta.status() {
                    git2::Delta::Deleted => delta.old_file(),
                    _ => delta.new_file(),
                };
                file.path().unwrap().to_str().unwrap().to_owned()
            };
            let mut theirs: Vec<String> = theirs.deltas().map(path).collect();
            theirs.sort();
            let repo = Repo::open(fs::canonicalize(folder.path()).unwrap()).unwrap();
            let git = repo.git().unwrap();
            let ours = git.staged().unwrap().items;
            // What was moved is one of ours and two of theirs.
            let moved = ours.iter().filter(|file| file.text.contains("\nrename from "));
            let from = moved.map(|file| {
                let line = file.text.lines().find_map(|line| line.strip_prefix("rename from "));
                line.unwrap().to_owned()
            });
            let from: Vec<String> = from.collect();
            let mut ours: Vec<String> = ours.into_iter().map(|file| file.path).chain(from).collect();
            ours.sort();
            prop_assert_eq!(ours, theirs);
            let head = git.head().unwrap().unwrap().tree;
            let is_known = git.staging().unwrap().trees().unwrap().is(b"", head);
            prop_assert!(!is_remembered || is_known == git.staged().unwrap().items.is_empty());
        }
    }
}
