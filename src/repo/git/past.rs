//! What the last commits changed: their messages and the paths of files, no content.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::rc::Rc;

use git2::Oid;
use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::Git;
use super::objects::{Commit, Entry, Fault, Objects, Tree, pairs};
use crate::hash;
use crate::memory::with_less;
use crate::repo::read_regular_bytes;

/// How far history is followed, in commits.
const MAX_COMMITS: usize = 1500;

/// The most commits that are known while history is followed.
const MAX_KNOWN: usize = 20_000;

/// The most entries of trees that are looked at, all commits together.
const MAX_ENTRIES: usize = 2_000_000;

/// A commit of more files is a move or a reformatting and says nothing.
const MAX_FILES: usize = 50;

/// The most bytes of a message that are read.
const MAX_MESSAGE: usize = 600;

/// The most bytes of all paths together.
const MAX_PATHS: usize = 4 * 1024 * 1024;

/// The most entries of the trees that are kept while history is followed.
const MAX_KEPT: usize = 50_000;

/// How deep trees may lie in one another.
const MAX_DEPTH: usize = 64;

/// The most bytes of a text of the past that is read…
const MAX_TEXT: u64 = 256 * 1024;

/// …and what reading it may cost, in bytes of what it is made of: git makes it of 50 others.
const MAX_TEXT_WORK: u64 = 64 * MAX_TEXT;

/// The most bytes of the file that says where a shallow clone ends.
pub(super) const MAX_SHALLOW: u64 = 16 * 1024 * 1024;

/// Of how many changes of a file, the last ones, it is known what it was before.
const MAX_BEFORE: u8 = 2;

/// What a file was before a change: the hash of its text, or zeros if there was none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before([u8; 20]);

impl Before {
    /// Whether the file was not there.
    pub fn is_nothing(self) -> bool {
        self == Before::default()
    }

    /// What tells one text from another.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// As a tree has it.
    fn of(entry: Option<&Entry<'_>>) -> Before {
        let id = entry.and_then(|entry| entry.id.as_bytes().try_into().ok());
        id.map_or_else(Before::default, Before)
    }
}

/// A commit of the past.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PastChange {
    /// Its hash, in full.
    pub hash: String,
    /// When, in seconds since 1970.
    pub time: i64,
    /// The beginning of its message.
    pub message: String,
    /// The files that it changed, added or removed.
    pub paths: Vec<String>,
    /// What each of them was before, in the same order, where this is one of the last two
    /// changes of it.
    pub before: Vec<Option<Before>>,
}

impl PastChange {
    /// Its day, at Greenwich: `2025-03-01`.
    pub fn day(&self) -> String {
        super::history::day(self.time)
    }
}

impl Git {
    /// What decides what [`past_changes`](Git::past_changes) returns: the commit that is
    /// checked out, and where a shallow clone ends. `None` if there is no commit.
    pub fn past_mark(&self) -> Option<String> {
        let head = self.repository.head().ok()?.target()?;
        let shallow = fs::metadata(self.repository.commondir().join("shallow"));
        let ends = shallow.ok().map(|meta| (meta.len(), meta.modified().ok()));
        Some(format!("{head} {ends:?}"))
    }

    /// What the last commits changed, the newest first, and whether all of them could be
    /// read; history that cannot be read ends there. Merges, and commits of very many
    /// files, are passed over.
    pub fn past_changes(&self) -> (Vec<PastChange>, bool) {
        with_less(|| {
            let mut past = Vec::new();
            let is_whole = self.follow(&mut past).is_ok();
            (past, is_whole)
        })
    }

    /// The text that a file had before a change, of at most 256 KiB; `None` if it had none, or
    /// it cannot be read.
    pub fn text_before(&self, before: Before) -> Option<String> {
        let id = Oid::from_bytes(&before.0).ok()?;
        let text = self.objects.once(id, MAX_TEXT, MAX_TEXT_WORK).ok()?;
        String::from_utf8(text.to_vec()).ok()
    }

    fn follow(&self, past: &mut Vec<PastChange>) -> Result<(), String> {
        self.objects.renew();
        let unread = |fault: Fault| self.objects.why(&fault);
        let head = self.head()?.ok_or("there are no commits yet")?;
        let ends = self.repository.commondir().join("shallow");
        let ends = read_regular_bytes(&ends, MAX_SHALLOW).unwrap_or_default();
        let mut waiting = Waiting {
            ends: &ends,
            is_whole: true,
            objects: &self.objects,
            known: HashSet::from([head.id]),
            by_time: BTreeMap::from([((head.time, Reverse(0)), head)]),
        };
        let mut trees = Trees {
            objects: &self.objects,
            kept: HashMap::new(),
            entries: 0,
        };
        let mut compared = Compared {
            entries: MAX_ENTRIES,
            paths: Vec::new(),
            before: Vec::new(),
        };
        let mut told = HashMap::new();
        let mut bytes = MAX_PATHS;
        for _ in 0..MAX_COMMITS {
            let Some((commit, parents)) = waiting.next() else {
                break;
            };
            let ([parent], 1) = (parents.as_slice(), commit.parents.len()) else {
                continue;
            };
            compared.paths.clear();
            compared.before.clear();
            let tree = |trees: &mut Trees<'_>, id| trees.get(id).map_err(unread);
            let (old, new) = (
                tree(&mut trees, parent.tree)?,
                tree(&mut trees, commit.tree)?,
            );
            let is_told = compared.compare(&mut trees, Some(&old), Some(&new), "", 0);
            let is_told = is_told.map_err(unread)?;
            if compared.entries == 0 {
                break;
            }
            let used: usize = compared.paths.iter().map(String::len).sum();
            if !is_told || compared.paths.is_empty() {
                continue;
            }
            let Some(rest) = bytes.checked_sub(used) else {
                break;
            };
            bytes = rest;
            let changed = compared.paths.iter().zip(&compared.before);
            let before = changed.map(|(path, before)| is_last(&mut told, path).then_some(*before));
            let message = commit.message();
            let message = &message[..message.len().min(MAX_MESSAGE)];
            past.push(PastChange {
                hash: commit.id.to_string(),
                time: commit.time,
                message: String::from_utf8_lossy(message).into_owned(),
                before: before.collect(),
                paths: compared.paths.clone(),
            });
        }
        if waiting.is_whole {
            return Ok(());
        }
        Err(super::failed("a commit of the past cannot be read"))
    }
}

/// Whether a change of a file, which it counts, is one of the last.
fn is_last(told: &mut HashMap<u64, u8>, path: &str) -> bool {
    let count = told.entry(hash::of(&[path])).or_default();
    *count = count.saturating_add(1);
    *count <= MAX_BEFORE
}

/// Commits whose turn is still to come.
struct Waiting<'a> {
    objects: &'a Objects,
    /// The names of all commits that were ever seen.
    known: HashSet<Oid>,
    by_time: BTreeMap<(i64, Reverse<usize>), Commit>,
    /// Where the shallow clone ends that this may be: the names of commits whose parents are not
    /// there, as git wrote them.
    ends: &'a [u8],
    /// Whether every other parent could be read.
    is_whole: bool,
}

impl Waiting<'_> {
    /// The newest with its parents, which wait from now on.
    fn next(&mut self) -> Option<(Commit, Vec<Commit>)> {
        let (_, commit) = self.by_time.pop_last()?;
        let mut parents = Vec::new();
        for parent in &commit.parents {
            match self.objects.commit(*parent) {
                Ok(parent) => parents.push(parent),
                Err(fault) => {
                    self.is_whole &= matches!(fault, Fault::Missing) && self.ends_at(commit.id);
                    break;
                }
            }
        }
        for parent in &parents {
            if self.known.len() < MAX_KNOWN && self.known.insert(parent.id) {
                let order = (parent.time, Reverse(self.known.len()));
                self.by_time.insert(order, parent.clone());
            }
        }
        Some((commit, parents))
    }

    fn ends_at(&self, id: Oid) -> bool {
        memmem::find(self.ends, id.to_string().as_bytes()).is_some()
    }
}

/// The trees that were read last: what one commit made is what the next began with.
struct Trees<'a> {
    objects: &'a Objects,
    kept: HashMap<Oid, Rc<Tree>>,
    /// How many entries those have.
    entries: usize,
}

impl Trees<'_> {
    fn get(&mut self, id: Oid) -> Result<Rc<Tree>, Fault> {
        if let Some(tree) = self.kept.get(&id) {
            return Ok(tree.clone());
        }
        let tree = Rc::new(self.objects.tree(id)?);
        if self.entries + tree.len() > MAX_KEPT {
            self.kept.clear();
            self.entries = 0;
        }
        self.entries += tree.len();
        self.kept.insert(id, tree.clone());
        Ok(tree)
    }
}

struct Compared {
    entries: usize,
    paths: Vec<String>,
    /// What each of them was.
    before: Vec<Before>,
}

impl Compared {
    /// Lists what differs between two trees; false if that is too much to mean anything.
    fn compare(
        &mut self,
        trees: &mut Trees<'_>,
        old: Option<&Tree>,
        new: Option<&Tree>,
        folder: &str,
        depth: usize,
    ) -> Result<bool, Fault> {
        let count = old.map_or(0, Tree::len) + new.map_or(0, Tree::len);
        self.entries = self.entries.saturating_sub(count);
        if self.entries == 0 || depth > MAX_DEPTH {
            return Ok(false);
        }
        for (before, after) in pairs(old, new) {
            if let (Some(before), Some(after)) = (&before, &after)
                && before.id == after.id
            {
                continue;
            }
            let Some(entry) = after.as_ref().or(before.as_ref()) else {
                continue;
            };
            let name = String::from_utf8_lossy(entry.name);
            let path = if folder.is_empty() {
                name.into_owned()
            } else {
                format!("{folder}/{name}")
            };
            if !entry.is_tree() {
                self.paths.push(path);
                self.before.push(Before::of(before.as_ref()));
                if self.paths.len() > MAX_FILES {
                    return Ok(false);
                }
                continue;
            }
            let mut tree = |entry: Option<Entry<'_>>| {
                let id = entry.filter(Entry::is_tree).map(|entry| entry.id);
                id.map(|id| trees.get(id)).transpose()
            };
            let (old, new) = (tree(before)?, tree(after)?);
            if !self.compare(trees, old.as_deref(), new.as_deref(), &path, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
