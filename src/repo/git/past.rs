//! What the last commits changed: their messages and the paths of files, without content.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
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

/// The most entries of trees that are looked at, for all commits together.
const MAX_ENTRIES: usize = 2_000_000;

/// What reading these may cost, in bytes: as git packs trees, the limit on entries is reached
/// first.
const MAX_WORK: u64 = 1024 * 1024 * 1024;

/// A commit of more files is a move or a reformatting and says nothing.
const MAX_FILES: usize = 50;

/// The most bytes of a message that are read.
const MAX_MESSAGE: usize = 600;

/// The most bytes of all paths together.
const MAX_PATHS: usize = 4 * 1024 * 1024;

/// The most entries of the trees that are kept while history is followed.
const MAX_KEPT: usize = 50_000;

/// The deepest nesting of trees.
const MAX_DEPTH: usize = 64;

/// The most bytes of a past text that is read…
const MAX_TEXT: u64 = 256 * 1024;

/// …and what reading it may cost, in bytes of what it is made of: git makes it of 50 others.
const MAX_TEXT_WORK: u64 = 64 * MAX_TEXT;

/// The most bytes of the file that says where a shallow clone ends.
pub(super) const MAX_SHALLOW: u64 = 16 * 1024 * 1024;

/// For how many of the last changes of a file it is known what it was before.
const MAX_BEFORE: u8 = 2;

/// What a file was before a change: the hash of its text, or zeros if there was none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before([u8; 20]);

impl Before {
    /// Whether the file did not exist.
    pub fn is_nothing(self) -> bool {
        self == Before::default()
    }

    /// Returns what distinguishes one text from another.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Makes it of a tree's entry.
    fn of(entry: Option<&Entry<'_>>) -> Before {
        let id = entry.and_then(|entry| entry.id.as_bytes().try_into().ok());
        id.map_or_else(Before::default, Before)
    }
}

/// A past commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastChange {
    /// Its full hash.
    pub hash: String,
    /// When, in seconds since 1970.
    pub time: i64,
    /// The beginning of its message.
    pub message: String,
    /// The files that it changed, added or removed.
    pub paths: Vec<String>,
    /// What each of them was before, in the same order, if this is one of the last two changes of
    /// it.
    pub before: Vec<Option<Before>>,
}

impl PastChange {
    /// Returns its day, in UTC: `2025-03-01`.
    pub fn day(&self) -> String {
        super::history::day(self.time)
    }
}

/// The last commits, as far as they were followed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Past {
    /// What they changed, the newest first. Merges, and commits of very many files, are skipped.
    pub changes: Vec<PastChange>,
    /// Those that were compared with the one before, and need not be compared next time.
    compared: Vec<Compared>,
}

/// A commit that was compared with the one before it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Compared {
    id: [u8; 20],
    /// How many entries of trees were looked at.
    entries: u32,
    /// The index of its change among the changes; `None` if that says nothing.
    change: Option<u32>,
}

impl Git {
    /// Returns what determines the result of [`past`](Git::past): the commit that is checked out,
    /// and where a shallow clone ends. `None` if there is no commit.
    pub fn past_mark(&self) -> Option<String> {
        let head = self.repository.head().ok()?.target()?;
        let shallow = fs::metadata(self.ends());
        let ends = shallow.ok().map(|meta| (meta.len(), meta.modified().ok()));
        Some(format!("{head} {ends:?}"))
    }

    /// Whether the clone is shallow: it lacks the commits before some.
    pub fn is_shallow(&self) -> bool {
        fs::metadata(self.ends()).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    }

    /// Returns the file that says where a shallow clone ends.
    fn ends(&self) -> PathBuf {
        self.repository.commondir().join("shallow")
    }

    /// Returns what the last commits changed, and whether all of them could be read; history that
    /// cannot be read ends there. What is known from earlier, on whatever branch, saves time, and
    /// stays known if it can no longer be read.
    pub fn past(&self, earlier: &Past) -> (Past, bool) {
        with_less(|| {
            let mut past = Past::default();
            let is_whole = self.follow(earlier, &mut past).is_ok();
            if !is_whole {
                // Where it ends may lie at what was read before.
                past.compared.clear();
            }
            (past, is_whole)
        })
    }

    /// Returns the text that a file had before a change, of at most 256 KiB; `None` if it had none,
    /// or it cannot be read.
    pub fn text_before(&self, before: Before) -> Option<String> {
        let id = Oid::from_bytes(&before.0).ok()?;
        let text = self.objects.once(id, MAX_TEXT, MAX_TEXT_WORK).ok()?;
        String::from_utf8(text.to_vec()).ok()
    }

    fn follow(&self, earlier: &Past, past: &mut Past) -> Result<(), String> {
        self.objects.renew_for(MAX_WORK);
        let head = self.head()?.ok_or("there are no commits yet")?;
        let ends = read_regular_bytes(&self.ends(), MAX_SHALLOW).unwrap_or_default();
        let mut waiting = Waiting {
            ends: &ends,
            is_whole: true,
            objects: &self.objects,
            known: HashSet::from([head.id]),
            by_time: BTreeMap::from([((head.time, Reverse(0)), head)]),
        };
        let mut comparing = Comparing {
            objects: &self.objects,
            earlier: earlier.by_commit(),
            trees: HashMap::new(),
            kept: 0,
            left: MAX_ENTRIES,
        };
        let mut counts = ChangeCounts::default();
        let mut bytes = MAX_PATHS;
        for _ in 0..MAX_COMMITS {
            let Some((commit, parents)) = waiting.next() else {
                break;
            };
            let ([parent], 1) = (parents.as_slice(), commit.parents.len()) else {
                continue;
            };
            let before = comparing.left;
            let found = comparing.differing(parent, &commit, &counts);
            let files = found.map_err(|fault| self.objects.why(&fault))?;
            if comparing.left == 0 {
                break;
            }
            let used: usize = files.iter().map(|(path, _)| path.len()).sum();
            let Some(rest) = bytes.checked_sub(used) else {
                break;
            };
            bytes = rest;
            let change = (!files.is_empty()).then(|| counts.add(&commit, files));
            past.add(&commit, before - comparing.left, change);
        }
        if waiting.is_whole {
            return Ok(());
        }
        Err(super::failed("a commit of the past cannot be read"))
    }
}

/// The files that a commit changed, each with what it was before, as far as that is known.
type ChangedFiles = Vec<(String, Option<Before>)>;

impl Past {
    fn add(&mut self, commit: &Commit, entries: usize, change: Option<PastChange>) {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        if let Ok(id) = commit.id.as_bytes().try_into() {
            self.compared.push(Compared {
                id,
                entries: number(entries),
                change: change.as_ref().map(|_| number(self.changes.len())),
            });
        }
        self.changes.extend(change);
    }

    /// Returns how many entries each commit took, and what it changed.
    fn by_commit(&self) -> HashMap<Oid, (u32, Option<&PastChange>)> {
        let known = self.compared.iter().filter_map(|compared| {
            let change = match compared.change {
                Some(at) => Some(self.changes.get(at as usize)?),
                None => None,
            };
            let id = Oid::from_bytes(&compared.id).ok()?;
            Some((id, (compared.entries, change)))
        });
        known.collect()
    }
}

/// How often each file was changed by the commits so far.
#[derive(Default)]
struct ChangeCounts(HashMap<u64, u8>);

impl ChangeCounts {
    /// Whether the next change of a file is one of its last.
    fn is_last(&self, path: &str) -> bool {
        let before = self.0.get(&hash::of(&[path]));
        before.is_none_or(|before| *before < MAX_BEFORE)
    }

    /// Counts what a commit changed, and returns it as a change.
    fn add(&mut self, commit: &Commit, files: ChangedFiles) -> PastChange {
        let message = commit.message();
        let message = &message[..message.len().min(MAX_MESSAGE)];
        let files = files.into_iter().map(|(path, before)| {
            let before = before.filter(|_| self.is_last(&path));
            let count = self.0.entry(hash::of(&[&path])).or_default();
            *count = count.saturating_add(1);
            (path, before)
        });
        let (paths, before) = files.unzip();
        PastChange {
            hash: commit.id.to_string(),
            time: commit.time,
            message: String::from_utf8_lossy(message).into_owned(),
            paths,
            before,
        }
    }
}

/// Commits whose turn is still to come.
struct Waiting<'a> {
    objects: &'a Objects,
    /// The names of all commits that were ever seen.
    known: HashSet<Oid>,
    by_time: BTreeMap<(i64, Reverse<usize>), Commit>,
    /// Where the clone ends, if it is shallow: the names of commits whose parents are missing, as
    /// git wrote them.
    ends: &'a [u8],
    /// Whether every other parent could be read.
    is_whole: bool,
}

impl Waiting<'_> {
    /// Returns the newest with its parents, which wait from now on.
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

/// Compares commits with those before them.
struct Comparing<'a> {
    objects: &'a Objects,
    /// How many entries the commits took that were compared earlier, and what they changed.
    earlier: HashMap<Oid, (u32, Option<&'a PastChange>)>,
    /// The trees that were read last: the result of one commit is the start of the next.
    trees: HashMap<Oid, Rc<Tree>>,
    /// How many entries those have.
    kept: usize,
    /// How many more entries may be looked at.
    left: usize,
}

impl Comparing<'_> {
    /// Returns the files that a commit changed; none if they are too many to mean anything.
    fn differing(
        &mut self,
        old: &Commit,
        new: &Commit,
        counts: &ChangeCounts,
    ) -> Result<ChangedFiles, Fault> {
        if let Some((entries, files)) = self.known(new.id, counts) {
            self.left = self.left.saturating_sub(entries as usize);
            return Ok(files);
        }
        let (old, new) = (self.tree(old.tree)?, self.tree(new.tree)?);
        let mut files = Vec::new();
        if !self.compare(Some(&old), Some(&new), "", &mut files)? {
            files.clear();
        }
        Ok(files)
    }

    /// Returns what was found out earlier, if that is all that is needed now: for commits further
    /// back, it was not kept what files were before.
    fn known(&self, commit: Oid, counts: &ChangeCounts) -> Option<(u32, ChangedFiles)> {
        let (entries, change) = *self.earlier.get(&commit)?;
        let files = change.map_or_else(ChangedFiles::new, |change| {
            let before = change.before.iter().copied();
            change.paths.iter().cloned().zip(before).collect()
        });
        let is_enough =
            |(path, before): &(String, Option<_>)| before.is_some() || !counts.is_last(path);
        files.iter().all(is_enough).then_some((entries, files))
    }

    fn tree(&mut self, id: Oid) -> Result<Rc<Tree>, Fault> {
        if let Some(tree) = self.trees.get(&id) {
            return Ok(tree.clone());
        }
        let tree = Rc::new(self.objects.tree(id)?);
        if self.kept + tree.len() > MAX_KEPT {
            self.trees.clear();
            self.kept = 0;
        }
        self.kept += tree.len();
        self.trees.insert(id, tree.clone());
        Ok(tree)
    }

    /// Lists what differs between two trees; returns false if that is too much to mean anything.
    fn compare(
        &mut self,
        old: Option<&Tree>,
        new: Option<&Tree>,
        folder: &str,
        files: &mut ChangedFiles,
    ) -> Result<bool, Fault> {
        let count = old.map_or(0, Tree::len) + new.map_or(0, Tree::len);
        self.left = self.left.saturating_sub(count);
        if self.left == 0 || folder.matches('/').count() > MAX_DEPTH {
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
            if !entry.is_tree() {
                files.push((format!("{folder}{name}"), Some(Before::of(before.as_ref()))));
                if files.len() > MAX_FILES {
                    return Ok(false);
                }
                continue;
            }
            let mut tree = |entry: Option<Entry<'_>>| {
                let id = entry.filter(Entry::is_tree).map(|entry| entry.id);
                id.map(|id| self.tree(id)).transpose()
            };
            let (old, new) = (tree(before)?, tree(after)?);
            let folder = format!("{folder}{name}/");
            if !self.compare(old.as_deref(), new.as_deref(), &folder, files)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use git2::{Repository, Signature, Time};

    use super::*;
    use crate::repo::{Repo, with_files};

    /// A repository, and how many commits were made in it.
    struct History {
        folder: tempfile::TempDir,
        commits: u32,
    }

    impl History {
        fn new() -> History {
            let folder = with_files([("a.rs", "")]);
            Repository::init(folder.path()).unwrap();
            History { folder, commits: 0 }
        }

        /// Commits a change of these files on top of another commit, and checks it out.
        fn commit(&mut self, files: &[&str], parents: &[Oid]) -> Oid {
            self.commits += 1;
            let git = Repository::open(self.folder.path()).unwrap();
            let mut index = git.index().unwrap();
            let parents = parents.iter().map(|id| git.find_commit(*id).unwrap());
            let parents: Vec<_> = parents.collect();
            if let Some(parent) = parents.first() {
                index.read_tree(&parent.tree().unwrap()).unwrap();
            }
            for path in files {
                let file = self.folder.path().join(path);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, format!("// {}", self.commits)).unwrap();
                index.add_path(path.as_ref()).unwrap();
            }
            index.write().unwrap();
            let tree = git.find_tree(index.write_tree().unwrap()).unwrap();
            let time = Time::new(1_700_000_000 + 60 * i64::from(self.commits), 0);
            let who = Signature::new("a", "a@b", &time).unwrap();
            let (parents, message): (Vec<_>, _) = (parents.iter().collect(), format!("{time:?}"));
            let id = git.commit(None, &who, &who, &message, &tree, &parents);
            let id = id.unwrap();
            git.reference("refs/heads/main", id, true, "").unwrap();
            git.set_head("refs/heads/main").unwrap();
            id
        }

        fn past(&self, earlier: &Past) -> (Past, bool) {
            let repo = Repo::open(self.folder.path()).unwrap();
            repo.git().unwrap().past(earlier)
        }

        /// Returns what was found out now, which is the same whatever was known.
        fn same(&self, earlier: &[&Past]) -> Past {
            let (past, is_whole) = self.past(&Past::default());
            assert!(is_whole);
            for earlier in earlier {
                assert_eq!(self.past(earlier).0.changes, past.changes);
            }
            past
        }

        /// Loses what a commit had.
        fn lose(&self, commit: Oid) {
            let git = Repository::open(self.folder.path()).unwrap();
            let tree = git.find_commit(commit).unwrap().tree_id().to_string();
            let path = format!(".git/objects/{}/{}", &tree[..2], &tree[2..]);
            fs::remove_file(self.folder.path().join(path)).unwrap();
        }
    }

    #[test]
    fn what_was_known_of_a_past_that_can_be_read_changes_nothing_but_what_it_costs() {
        let mut history = History::new();
        let first = history.commit(&["a.rs", "b/c.rs", "b/d.rs"], &[]);
        let mut last = first;
        for number in 0..6 {
            let files: [&[_]; 3] = [&["a.rs"], &["a.rs", "b/c.rs"], &["b/d.rs"]];
            last = history.commit(files[number % 3], &[last]);
        }
        let old = history.same(&[]);
        assert_eq!(old.changes.len(), 6);
        assert_eq!(old.changes[0].before.len(), 1);
        // A commit more, a merge, many files at once, and another branch.
        let next = history.commit(&["b/c.rs", "e.rs"], &[last]);
        let new = history.same(&[&old]);
        let side = history.commit(&["a.rs"], &[first]);
        let aside = history.same(&[&old, &new]);
        assert_eq!(aside.changes.len(), 1);
        let many: Vec<String> = (0..=MAX_FILES)
            .map(|number| format!("m/{number}.rs"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let both = history.commit(&["b/d.rs"], &[next, side]);
        let end = history.commit(&many, &[both]);
        let all = history.same(&[&old, &new, &aside]);
        // Back again: of what lies further back it was not kept what it was before.
        let back = history.commit(&["a.rs"], &[last]);
        let again = history.same(&[&old, &new, &aside, &all]);
        assert_eq!(again.changes[0].hash, back.to_string());
        assert_eq!(again.changes.len(), 7);
        // What was compared is not compared again.
        history.commit(&["a.rs"], &[end]);
        let all = history.same(&[&all]);
        history.commit(&["a.rs"], &[end]);
        history.lose(next);
        assert!(!history.past(&Past::default()).1);
        let (past, is_whole) = history.past(&all);
        assert!(is_whole);
        assert_eq!(past.changes[1..], all.changes[1..]);
    }

    #[test]
    fn history_that_ends_too_soon_is_no_help_for_what_follows() {
        let mut history = History::new();
        let mut last = history.commit(&["a.rs"], &[]);
        let lost = last;
        for _ in 0..3 {
            last = history.commit(&["a.rs"], &[last]);
        }
        history.lose(lost);
        let (past, is_whole) = history.past(&Past::default());
        assert_eq!((past.changes.len(), is_whole), (2, false));
        assert!(past.by_commit().is_empty());
    }
}
