//! What git knows, through libgit2.
//!
//! The `git` command is never run: in somebody else's folder its configuration
//! can name programs to run for a mere `git diff --cached`. libgit2 runs none.

mod belongs;
mod compare;
mod history;

use std::fs;
use std::path::Path;

use git2::{Delta, Diff, DiffFindOptions, DiffOptions, ErrorCode, Patch, Repository, Tree};

pub use compare::{Base, Change, Comparison};
pub use history::Commit;

/// A file larger than this is shown in a diff as binary, as in git with
/// `core.bigFileThreshold`; the same limit as for reading files.
const MAX_DIFF_BLOB: i64 = 1024 * 1024;

/// All diffs of a prompt together have at most so many bytes, as its files do.
const MAX_DIFF_TOTAL: usize = 10 * 1024 * 1024;

/// Renames are looked for among at most so many files; git's own limit.
const RENAME_LIMIT: usize = 1000;

/// A git repository at the root of a [`Repo`](super::Repo).
pub struct Git {
    repository: Repository,
}

/// What a diff says about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The path, for a renamed file the new one.
    pub path: String,
    /// The diff in git's format, with its headers.
    pub text: String,
    /// Whether invalid UTF-8 was replaced.
    pub replaced: bool,
}

impl Git {
    /// Opens the repository at `root` itself, never one further up or down.
    pub(super) fn open(root: &Path) -> Result<Git, String> {
        let dot_git = root.join(".git");
        if fs::symlink_metadata(&dot_git).is_err() && fs::metadata(root.join("HEAD")).is_err() {
            return Err("this is not a git repository".into());
        }
        // Objects are read, not trusted: hashing each of them again is an eighth of
        // what a diff costs, and a damaged one does not inflate anyway.
        git2::opts::strict_hash_verification(false);
        let repository = Repository::open(root).map_err(|e| match e.code() {
            ErrorCode::NotFound => "this is not a git repository".to_owned(),
            _ => format!("the git repository cannot be opened: {}", words(&e)),
        })?;
        if repository.is_bare() {
            return Err("the git repository is bare: it has no working tree".into());
        }
        if !belongs::belongs(&repository, root) {
            return Err(
                "its `.git` leads to a repository that does not belong to this folder".into(),
            );
        }
        Ok(Git { repository })
    }

    /// The branch that is checked out; `None` when HEAD is detached.
    pub fn branch(&self) -> Option<String> {
        let head = self.repository.find_reference("HEAD").ok()?;
        let target = String::from_utf8_lossy(head.symbolic_target_bytes()?).into_owned();
        target.strip_prefix("refs/heads/").map(str::to_owned)
    }

    /// What is staged, file by file in the order of paths. Before the first commit
    /// every staged file is new.
    ///
    /// # Errors
    ///
    /// Says in one line why there is no diff.
    pub fn staged(&self) -> Result<Vec<FileDiff>, String> {
        files(&self.staged_diff()?)
    }

    /// The paths that are staged and not deleted, in order; renamed ones under the
    /// new name.
    ///
    /// # Errors
    ///
    /// Says in one line why there are none.
    pub fn staged_names(&self) -> Result<Vec<String>, String> {
        let diff = self.staged_diff()?;
        let mut names: Vec<String> = diff
            .deltas()
            .filter(|delta| delta.status() != Delta::Deleted)
            .map(|delta| name(&delta.new_file()))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    fn staged_diff(&self) -> Result<Diff<'_>, String> {
        let head = self.head_tree()?;
        let mut diff = self
            .repository
            .diff_tree_to_index(head.as_ref(), None, Some(&mut options()))
            .map_err(|e| failed(&e))?;
        find_renames(&mut diff)?;
        Ok(diff)
    }

    /// What is changed in the working tree and not staged.
    ///
    /// # Errors
    ///
    /// Says in one line why there is no diff.
    pub fn unstaged(&self) -> Result<Vec<FileDiff>, String> {
        let mut diff = self
            .repository
            .diff_index_to_workdir(None, Some(&mut options()))
            .map_err(|e| failed(&e))?;
        find_renames(&mut diff)?;
        files(&diff)
    }

    /// The files of the index, in the order of paths. Names that are not UTF-8 are
    /// left out.
    pub fn tracked(&self) -> Vec<String> {
        let Ok(index) = self.repository.index() else {
            return Vec::new();
        };
        let mut paths: Vec<String> = index
            .iter()
            .filter_map(|entry| String::from_utf8(entry.path).ok())
            .collect();
        paths.dedup();
        paths
    }

    /// The tree of the last commit; `None` before the first one.
    fn head_tree(&self) -> Result<Option<Tree<'_>>, String> {
        match self.repository.head() {
            Ok(head) => head.peel_to_tree().map(Some).map_err(|e| failed(&e)),
            Err(e) if matches!(e.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(e) => Err(failed(&e)),
        }
    }
}

/// The same diff whatever the user's or the repository's configuration says.
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

fn find_renames(diff: &mut Diff<'_>) -> Result<(), String> {
    let mut similar = DiffFindOptions::new();
    similar
        .renames(true)
        .rename_threshold(50)
        .rename_limit(RENAME_LIMIT);
    diff.find_similar(Some(&mut similar))
        .map_err(|e| failed(&e))
}

fn name(side: &git2::DiffFile<'_>) -> String {
    String::from_utf8_lossy(side.path_bytes().unwrap_or_default()).into_owned()
}

fn files(diff: &Diff<'_>) -> Result<Vec<FileDiff>, String> {
    let mut files = Vec::new();
    let mut left = MAX_DIFF_TOTAL;
    for (index, delta) in diff.deltas().enumerate() {
        let deleted = delta.status() == Delta::Deleted;
        let path = name(&if deleted {
            delta.old_file()
        } else {
            delta.new_file()
        });
        let bytes = if left == 0 {
            format!("[Diff left out: more than {MAX_DIFF_TOTAL} bytes of diff]\n").into_bytes()
        } else {
            match Patch::from_diff(diff, index) {
                Ok(Some(mut patch)) => patch.to_buf().map_err(|e| failed(&e))?.to_vec(),
                Ok(None) => Vec::new(),
                Err(e) => format!("[Diff not available: {}]\n", words(&e)).into_bytes(),
            }
        };
        left = left.saturating_sub(bytes.len());
        let text = String::from_utf8_lossy(&bytes);
        files.push(FileDiff {
            path,
            replaced: matches!(text, std::borrow::Cow::Owned(_)),
            text: text.into_owned(),
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn failed(error: &git2::Error) -> String {
    format!("git cannot tell what changed: {}", words(error))
}

/// The library's own words, without line breaks.
fn words(error: &git2::Error) -> String {
    error
        .message()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
