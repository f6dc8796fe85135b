//! What git knows, through libgit2.
//!
//! The `git` command is never run: in somebody else's folder its configuration can name programs to
//! run even for `git diff --cached`. libgit2 runs none.

mod attributes;
mod belongs;
mod cached;
mod common;
mod compare;
mod differing;
mod history;
mod listed;
mod objects;
mod past;
mod staging;
mod tracked;
mod work;
mod worktree;

use std::borrow::Cow;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use git2::{Delta, DiffOptions, ErrorCode, Patch, Reference, Repository};

use belongs::{Belongs, Folders};
pub(super) use belongs::{exclude_file, ignores_case};
pub use compare::{Base, Change, Comparison};
pub use history::Commit;
pub use past::{Before, Past, PastChange};
pub use tracked::Tracked;

use differing::{Differing, Side};
use objects::{Fault, Objects};
use work::Lending;

use crate::memory::with_less;
use crate::repo::RepoPath;
use crate::repo::open::Door;
use crate::show::{counted, visible};

/// A larger file is shown in a diff as binary, as in git with `core.bigFileThreshold`; the same
/// limit as for reading files.
const MAX_DIFF_BLOB: i64 = 1024 * 1024;

/// The most bytes of all diffs of a prompt together.
const MAX_DIFF_TOTAL: usize = 5 * 1024 * 1024;

/// The most files of a diff. A prompt has room for a hundredth of them.
pub(super) const MAX_DIFF_FILES: usize = 10_000;

/// The most bytes of their paths together.
pub(super) const MAX_DIFF_PATHS: usize = 1024 * 1024;

/// A git repository at the root of a [`Repo`](super::Repo).
pub struct Git {
    /// Without objects, which packer reads itself.
    repository: Repository,
    objects: Objects,
    root: PathBuf,
    door: Door,
    /// The git folder, as it was opened.
    folder: Door,
    /// Whether objects are elsewhere; then none of their text is shown.
    borrows: bool,
    /// The files that the index listed when somebody first asked.
    tracked: OnceLock<Tracked>,
    /// Whether the index may say that files are left out on disk.
    may_leave_out: OnceLock<bool>,
}

/// What git lists, up to a limit.
#[derive(Debug, Clone)]
pub struct Limited<T> {
    /// At most 10,000.
    pub items: Vec<T>,
    /// How many more there are.
    pub more: usize,
}

impl<T> Limited<T> {
    /// Makes an empty list.
    pub fn none() -> Limited<T> {
        let items = Vec::new();
        Limited { items, more: 0 }
    }

    /// Returns a remark that not all are there.
    pub fn remark(&self) -> Option<String> {
        remark(self.more)
    }
}

fn remark(more: usize) -> Option<String> {
    let count = counted(more, "changed file");
    (more > 0).then(|| {
        format!("{count} left out: the limit is {MAX_DIFF_FILES} of them, or 1 MiB of paths")
    })
}

/// Returns the first of these paths, as many as a diff lists.
fn first(paths: impl Iterator<Item = String>) -> Vec<String> {
    let mut left = MAX_DIFF_PATHS;
    let fit = paths.take(MAX_DIFF_FILES).take_while(|path| {
        left = left.saturating_sub(path.len());
        left > 0
    });
    fit.collect()
}

/// What a diff says about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The path; for a renamed file the new one.
    pub path: String,
    /// The diff in git's format, with its headers.
    pub text: String,
    /// Whether invalid UTF-8 was replaced.
    pub replaced: bool,
    /// Whether the file is gone.
    pub deleted: bool,
    /// Whether there is only a remark in place of the diff.
    pub left_out: bool,
}

/// Says that a folder is not a git repository, or which one it is a part of and what to do.
fn not_a_repository(root: &Path) -> String {
    let mut above = root.ancestors().skip(1);
    match above.position(|folder| folder.join(".git").exists()) {
        Some(between) => {
            let path = vec![".."; between + 1].join("/");
            format!("this folder is only a part of the git repository at `{path}`: use that one")
        }
        None => "this is not a git repository".into(),
    }
}

impl Git {
    /// Returns the files that change when something is staged or committed.
    pub fn own_files(&self) -> [PathBuf; 2] {
        ["index", "HEAD"].map(|name| self.repository.path().join(name))
    }

    /// Opens the repository at `root` itself, never one further up or down.
    pub(super) fn open(root: &Path) -> Result<Git, String> {
        with_less(|| {
            let opened = |folder| Door::new(folder).map_err(|e| crate::repo::read::reason(&e));
            let door = opened(root)?;
            let dot_git = root.join(".git");
            if fs::symlink_metadata(&dot_git).is_err() {
                let is_bare = fs::metadata(root.join("HEAD")).is_ok()
                    && fs::metadata(root.join("objects")).is_ok();
                return Err(if is_bare {
                    "the git repository is bare: it has no work tree".into()
                } else {
                    not_a_repository(root)
                });
            }
            let folders = Folders::of(root)?;
            let folder = opened(&folders.git)?;
            folders.check()?;
            let belongs = belongs::belongs(&folders, root);
            if belongs == Belongs::Not {
                return Err(
                    "its `.git` leads to a repository that does not belong to this folder".into(),
                );
            }
            folders.check_refs()?;
            // Its cache may grow to 256 MiB, which is more than this program may take.
            git2::opts::enable_caching(false);
            // As if it had no working tree: the library would read attributes there, also
            // through links and from FIFOs.
            let cannot = |e: git2::Error| match e.code() {
                ErrorCode::NotFound => "this is not a git repository".to_owned(),
                _ => format!("the git repository cannot be opened: {}", words(&e)),
            };
            let repository = Repository::open_bare(&folders.git).map_err(cannot)?;
            // What is configured stays out of diffs: a pattern of a diff driver, for one, is
            // matched with every line and may take forever.
            let none = git2::Config::new();
            let replaced = none.and_then(|none| repository.set_config(&none));
            replaced.map_err(cannot)?;
            // Nor does the library read the index: that is read here.
            let none = git2::Index::new();
            let replaced = none.and_then(|mut none| repository.set_index(&mut none));
            replaced.map_err(cannot)?;
            Ok(Git {
                repository,
                objects: Objects::of(&folders.objects()),
                root: root.to_owned(),
                door,
                folder,
                borrows: belongs == Belongs::Borrowing,
                tracked: OnceLock::new(),
                may_leave_out: OnceLock::new(),
            })
        })
    }

    /// Whether its index may say that files are left out on disk: the oldest version has no place
    /// for that.
    pub(super) fn may_leave_out(&self) -> bool {
        const OLDEST: [u8; 8] = *b"DIRC\0\0\0\x02";
        *self.may_leave_out.get_or_init(|| {
            let mut head = [0; OLDEST.len()];
            let file = self.folder.open("index");
            let read = file.and_then(|mut file| file.read_exact(&mut head));
            read.is_ok() && head != OLDEST
        })
    }

    /// Checks that text of objects may be shown: a repository itself says which objects it borrows,
    /// and they may be somebody else's.
    pub fn owns_its_objects(&self) -> Result<(), String> {
        if self.borrows {
            return Err("the git repository borrows objects from elsewhere (`alternates`)".into());
        }
        Ok(())
    }

    /// Returns the branch that is checked out; `None` when HEAD is detached.
    pub fn branch(&self) -> Option<String> {
        let head = self.repository.find_reference("HEAD").ok()?;
        let target = String::from_utf8_lossy(head.symbolic_target_bytes()?).into_owned();
        target.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// Returns the staged changes, file by file in the order of paths. Before the first commit
    /// every staged file is new.
    ///
    /// # Errors
    ///
    /// Says in one line why there is no diff.
    pub fn staged(&self) -> Result<Limited<FileDiff>, String> {
        self.owns_its_objects()?;
        with_less(|| {
            let lending = self.lending()?;
            let staged = Side::Staged(self.staging().map_err(|why| failed(&why))?);
            self.diff_of(self.head_side()?, staged, &lending)
        })
    }

    /// Returns the unstaged changes in the work tree.
    ///
    /// # Errors
    ///
    /// Says in one line why there is no diff.
    pub fn unstaged(&self) -> Result<Limited<FileDiff>, String> {
        self.owns_its_objects()?;
        with_less(|| {
            let lending = self.lending()?;
            let tree = self.work_tree(&lending)?;
            let staged = Side::Staged(tree.staging);
            self.diff_of(staged, Side::OnDisk(&tree), &lending)
        })
    }

    /// Returns what differs from the last commit, staged or not, with these untracked files. Before
    /// the first commit every file is new.
    ///
    /// # Errors
    ///
    /// Says in one line why there is no diff.
    pub fn uncommitted(&self, new: &Limited<RepoPath>) -> Result<Limited<FileDiff>, String> {
        self.owns_its_objects()?;
        with_less(|| {
            let lending = self.lending()?;
            let tree = self.work_tree_with(new, &lending)?;
            self.diff_of(self.head_side()?, Side::OnDisk(&tree), &lending)
        })
    }

    /// Begins a question, with nothing lent.
    fn lending(&self) -> Result<Lending, String> {
        self.objects.renew();
        Lending::new()
    }

    /// Returns the diff of each file that differs between two sides, in the order of paths, with
    /// those that are not compared.
    fn diff_of(
        &self,
        old: Side<'_>,
        new: Side<'_>,
        lending: &Lending,
    ) -> Result<Limited<FileDiff>, String> {
        let mut work = self.begin(lending)?;
        let Differing {
            mut diff,
            left_out,
            more,
        } = self.differing(old, new, &mut options())?;
        work.find_renames(&mut diff)?;
        let paths = first(diff.deltas().map(|delta| path_of(&delta)));
        let more = more + diff.deltas().len() - paths.len();
        let mut files = Vec::new();
        let mut left = MAX_DIFF_TOTAL;
        for (index, path) in paths.into_iter().enumerate() {
            let patch = if left == 0 {
                Err(format!("more than {MAX_DIFF_TOTAL} bytes of diff"))
            } else {
                work.patch_of(&diff, index, MAX_DIFF_BLOB)
            };
            files.push(file_diff(path, patch, &mut left)?);
        }
        for (path, why) in left_out {
            files.retain(|file| file.path != path);
            files.push(file_diff(path, Err(why), &mut 0)?);
        }
        sort(&mut files, |file| (&file.path, file.deleted));
        Ok(Limited { items: files, more })
    }

    /// Returns the commit that is checked out; `None` before the first one.
    fn head(&self) -> Result<Option<objects::Commit>, String> {
        match self.repository.head() {
            Ok(head) => self.commit_of(&head).map(Some),
            Err(e) if matches!(e.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(e) => Err(words(&e)),
        }
    }

    /// Returns the commit that a ref leads to.
    fn commit_of(&self, reference: &Reference<'_>) -> Result<objects::Commit, String> {
        let resolved = reference.resolve().map_err(|e| words(&e))?;
        let id = resolved
            .target()
            .ok_or("the reference leads to no object")?;
        let commit = self.objects.commit_below(id);
        commit.map_err(|fault| self.objects.why(&fault))
    }

    /// Says why the changes cannot be determined.
    fn cannot_tell(&self, fault: &Fault) -> String {
        failed(&self.objects.why(fault))
    }

    /// Returns the side of the last commit; nothing before the first one.
    fn head_side(&self) -> Result<Side<'static>, String> {
        let head = self.head().map_err(|why| failed(&why))?;
        Ok(head.map_or(Side::Nothing, |head| Side::Tree(head.tree)))
    }
}

/// Sorts by path. If a file changed its type, its deletion comes before what it became.
fn sort<T>(files: &mut [T], key: impl Fn(&T) -> (&String, bool)) {
    files.sort_by(|a, b| {
        let ((path, deleted), (other, other_deleted)) = (key(a), key(b));
        path.cmp(other).then(other_deleted.cmp(&deleted))
    });
}

/// Returns options for one diff, whatever the user's or the repository's configuration says.
fn options() -> DiffOptions {
    let mut options = DiffOptions::new();
    options
        .context_lines(3)
        .interhunk_lines(0)
        .old_prefix("a")
        .new_prefix("b")
        .id_abbrev(7)
        .indent_heuristic(true)
        .ignore_submodules(false)
        .max_size(MAX_DIFF_BLOB);
    options
}

fn name(side: &git2::DiffFile<'_>) -> String {
    String::from_utf8_lossy(side.path_bytes().unwrap_or_default()).into_owned()
}

/// Returns a file's diff, or a line in its place that says why there is none.
fn file_diff(
    path: String,
    patch: Result<Option<Patch<'_>>, String>,
    left: &mut usize,
) -> Result<FileDiff, String> {
    let deleted = matches!(&patch, Ok(Some(patch)) if patch.delta().status() == Delta::Deleted);
    let patch = match patch {
        Ok(Some(patch)) if patch.size(true, true, true) > *left => {
            Err(format!("more than {MAX_DIFF_TOTAL} bytes of diff"))
        }
        patch => patch,
    };
    let (text, replaced, left_out) = match patch {
        Ok(Some(mut patch)) => {
            let written = patch.to_buf().map_err(|e| failed(&words(&e)))?;
            match String::from_utf8_lossy(&written) {
                Cow::Borrowed(text) => (as_git_writes(text), false, false),
                Cow::Owned(text) => (as_git_writes(&text), true, false),
            }
        }
        Ok(None) => (String::new(), false, false),
        Err(why) => (format!("[Diff left out: {why}]\n"), false, true),
    };
    *left = left.saturating_sub(text.len());
    Ok(FileDiff {
        path,
        text,
        replaced,
        deleted,
        left_out,
    })
}

/// Rewrites a diff of the library's as git writes it: a tab follows a name with a blank in it, and
/// the text after the numbers of a hunk has no trailing blanks. A file without hunks does not name
/// two texts, and one with the same content does not say that they differ.
fn as_git_writes(diff: &str) -> String {
    let mut written = String::with_capacity(diff.len());
    let mut is_head = true;
    let in_vain: &[&str] = match (diff.contains("\n@@ "), diff.contains("\nindex ")) {
        (true, _) => &[],
        (false, true) => &["--- ", "+++ "],
        (false, false) => &["--- ", "+++ ", "Binary files "],
    };
    let is_in_vain = |line: &&str| in_vain.iter().any(|begin| line.starts_with(begin));
    for line in diff.split_inclusive('\n').filter(|line| !is_in_vain(line)) {
        is_head &= !line.starts_with("@@ ");
        let names = ["--- ", "+++ "]
            .iter()
            .find_map(|begin| line.strip_prefix(begin));
        let text = line.strip_suffix('\n').unwrap_or(line);
        match names {
            Some(name) if is_head && name.contains(' ') => {
                written.push_str(text);
                written.push('\t');
            }
            None if line.starts_with("@@ ") => written.push_str(text.trim_end()),
            _ => written.push_str(text),
        }
        written.push_str(&line[text.len()..]);
    }
    written
}

/// Returns the path that a change is listed by: for a deleted file, the old one.
fn path_of(delta: &git2::DiffDelta<'_>) -> String {
    if delta.status() == Delta::Deleted {
        name(&delta.old_file())
    } else {
        name(&delta.new_file())
    }
}

fn failed(why: &str) -> String {
    format!("cannot read the changes from git: {why}")
}

/// Returns the library's own words, on one line.
fn words(error: &git2::Error) -> String {
    let words: Vec<&str> = error.message().split_whitespace().collect();
    visible(&words.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::as_git_writes;

    #[test]
    fn names_and_heads_of_hunks_end_as_in_git() {
        let diff = "--- a/a b\n+++ b/a b\n@@ -1 +1 @@ fn a() {  \n--- a b\n+++ a b\n@@ -9 +9 @@\n";
        let expected =
            "--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@ fn a() {\n--- a b\n+++ a b\n@@ -9 +9 @@\n";
        assert_eq!(as_git_writes(diff), expected);
        for diff in [
            "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "old mode 1\nindex 1..2\nBinary files a/a b and b/a b differ\n",
            "",
        ] {
            assert_eq!(as_git_writes(diff), diff);
        }
        let same = "old mode 1\nnew mode 2\nBinary files a/a and b/a differ\n";
        assert_eq!(as_git_writes(same), "old mode 1\nnew mode 2\n");
    }
}
