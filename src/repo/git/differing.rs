//! Which files differ between two commits, or a commit and an index.
//!
//! libgit2 compares texts and writes diffs; it is given two indexes in memory that have
//! nothing but what differs.

use std::cmp::Ordering;

use git2::{Diff, DiffOptions, Index, IndexEntry, Oid};

use super::objects::{Entry, Fault, Tree, pairs};
use super::worktree::entry;
use super::{Git, MAX_DIFF_FILES, MAX_DIFF_PATHS, failed, words};

/// The most entries of trees and of an index that are looked at.
const MAX_ENTRIES: usize = 500_000;

/// The most entries of files that differ, and the most bytes that their paths have. Those of a
/// diff are fewer; the rest is counted.
const MAX_DIFFERING: usize = 2 * MAX_DIFF_FILES;
const MAX_PATHS: usize = 4 * MAX_DIFF_PATHS;

const TOO_MANY: Fault =
    Fault::Otherwise("there are too many files, or too many folders in one another");

/// How deep trees may lie in one another.
const MAX_DEPTH: usize = 256;

/// What is compared.
#[derive(Clone, Copy)]
pub(super) enum Side<'a> {
    /// Nothing, as before the first commit.
    Nothing,
    /// What a commit has.
    Tree(Oid),
    /// What an index lists.
    Index(&'a Index),
}

/// The number of a side in a conflict; 0 without one.
const STAGE: u16 = 0x3000;

/// What differs.
pub(super) struct Differing<'a> {
    pub(super) diff: Diff<'a>,
    /// Files of which no diff can be made, each with the reason.
    pub(super) odd: Vec<(String, String)>,
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
        let diff = |old: &Index, new: &Index, options: &mut DiffOptions| {
            let diff = self.repository.diff_index_to_index(old, new, Some(options));
            diff.map_err(|e| failed(&words(&e)))
        };
        if let (Side::Index(old), Side::Index(new)) = (old, new) {
            let diff = diff(old, new, options)?;
            let (odd, more) = (Vec::new(), 0);
            return Ok(Differing { diff, odd, more });
        }
        let mut pair = Pair::new().map_err(|e| failed(&words(&e)))?;
        let told = |fault: Fault| self.cannot_tell(&fault);
        match (old, new) {
            (Side::Tree(old), Side::Tree(new)) => {
                let read = |id| self.objects.tree(id).map_err(told);
                let (old, new) = (read(old)?, read(new)?);
                pair.trees(self, (Some(&old), Some(&new)), &mut Vec::new(), 0)
                    .map_err(told)?;
            }
            (old, Side::Index(new)) => {
                let mut walk = Walk::of(self, old).map_err(told)?;
                pair.index(self, &mut walk, new).map_err(told)?;
            }
            _ => {}
        }
        let diff = diff(&pair.old, &pair.new, options)?;
        let Pair { odd, more, .. } = pair;
        Ok(Differing { diff, odd, more })
    }
}

/// Two indexes with what differs.
struct Pair {
    old: Index,
    new: Index,
    odd: Vec<(String, String)>,
    /// How many entries there are, how many bytes their paths have, and how many are more.
    entries: usize,
    paths: usize,
    more: usize,
    left: usize,
}

/// A file of a commit.
#[derive(Clone, Copy, PartialEq, Eq)]
struct File {
    mode: u32,
    id: Oid,
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

    /// Whether there is room for a file whose path has so many bytes. If not, it is counted.
    fn has_room(&mut self, path: usize) -> bool {
        self.paths += path;
        let has_room = self.entries < MAX_DIFFERING && self.paths <= MAX_PATHS;
        self.more += usize::from(!has_room);
        has_room
    }

    /// Takes in what a commit has at a path, on the old side or the new one.
    fn add(&mut self, git: &Git, path: &[u8], file: File, is_new: bool) {
        let entry = entry(path, file.mode, file.id, size(git, file.mode, file.id));
        self.add_entry(&entry, is_new);
    }

    fn add_entry(&mut self, entry: &IndexEntry, is_new: bool) {
        self.entries += 1;
        let index = if is_new { &mut self.new } else { &mut self.old };
        if let Err(error) = index.add(entry) {
            let path = String::from_utf8_lossy(&entry.path).into_owned();
            if self.odd.last().is_none_or(|(last, _)| *last != path) {
                self.odd.push((path, words(&error)));
            }
        }
    }

    /// Compares what a commit has with what an index lists, both in the order of paths.
    fn index(&mut self, git: &Git, walk: &mut Walk<'_>, index: &Index) -> Result<(), Fault> {
        let mut listed = index.iter();
        let mut before = walk.next(self)?;
        let mut after = listed.next();
        loop {
            let ordering = match (&before, &after) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), Some(entry)) => walk.path.as_slice().cmp(&entry.path),
            };
            let old = before.filter(|_| ordering.is_le());
            let new = after.take_if(|_| ordering.is_ge());
            if new.is_some() {
                self.count(1)?;
                after = listed.next();
            }
            if let Some(new) = new.as_ref().filter(|new| new.flags & STAGE != 0) {
                // It has an entry for each side, and none that is staged.
                while after.take_if(|side| side.path == new.path).is_some() {
                    self.count(1)?;
                    after = listed.next();
                }
                if self.has_room(new.path.len()) {
                    self.entries += 1;
                    let path = String::from_utf8_lossy(&new.path).into_owned();
                    self.odd.push((path, "it is in conflict".into()));
                }
            } else if !is_same(old, new.as_ref())
                && self.has_room(new.as_ref().map_or(walk.path.len(), |new| new.path.len()))
            {
                if let Some(old) = old {
                    self.add(git, &walk.path, old, false);
                }
                if let Some(mut new) = new {
                    new.file_size = size(git, new.mode, new.id);
                    self.add_entry(&new, true);
                }
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

/// Goes over the files of a commit, in the order of their paths.
struct Walk<'a> {
    git: &'a Git,
    /// The folders that are open: each with the number of its next entry, and how long the
    /// path is that leads to it.
    open: Vec<(Tree, usize, usize)>,
    /// That of the file at hand.
    path: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn of(git: &'a Git, side: Side<'_>) -> Result<Walk<'a>, Fault> {
        let open = match side {
            Side::Tree(id) => vec![(git.objects.tree(id)?, 0, 0)],
            _ => Vec::new(),
        };
        Ok(Walk {
            git,
            open,
            path: Vec::new(),
        })
    }

    fn next(&mut self, pair: &mut Pair) -> Result<Option<File>, Fault> {
        while let Some((tree, next, length)) = self.open.last_mut() {
            self.path.truncate(*length);
            let Some(entry) = tree.get(*next) else {
                self.open.pop();
                continue;
            };
            *next += 1;
            self.path.extend_from_slice(entry.name);
            if !entry.is_tree() {
                return Ok(Some(File {
                    mode: entry.mode,
                    id: entry.id,
                }));
            }
            let id = entry.id;
            self.path.push(b'/');
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

/// Whether a file is what an index lists.
fn is_same(old: Option<File>, new: Option<&IndexEntry>) -> bool {
    matches!((old, new), (Some(old), Some(new)) if (old.mode, old.id) == (new.mode, new.id))
}

/// How many bytes a file has, as an index says it; 0 where it cannot be told.
fn size(git: &Git, mode: u32, id: Oid) -> u32 {
    const SUBMODULE: u32 = 0o160_000;
    if mode == SUBMODULE {
        return 0;
    }
    let size = git.objects.size(id);
    size.map_or(0, |size| u32::try_from(size).unwrap_or(u32::MAX))
}
