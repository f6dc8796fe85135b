//! What a branch changed since it left another one.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use git2::{Delta, Diff, FileMode, Oid, Patch};

use super::belongs::check_ref;
use super::common::{Common, common};
use super::differing::{Differing, Side};
use super::objects::{self, Fault};
use super::work::Lending;
use super::{
    FileDiff, Git, Limited, MAX_DIFF_TOTAL, failed, file_diff, first, options, path_of, sort, words,
};
use crate::memory::with_less;
use crate::repo::FileText;
use crate::repo::RepoPath;
use crate::repo::read::{Refusal, blob_text};

/// A file with more bytes is compared as a whole, as git does with binary ones.
const MAX_BLOB: i64 = 4 * 1024 * 1024;

/// How many parents back a caller may name a commit.
const MAX_STEPS: usize = 10_000;

/// What is compared with a base branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The last commit.
    Head,
    /// The tracked files on disk, including staged and unstaged changes.
    WorkTree,
}

/// What changed since the merge base.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The diff, file by file in the order of paths.
    pub diff: Vec<FileDiff>,
    /// The files of the diff, in its order.
    pub changes: Vec<Change>,
    /// Lines that were added.
    pub insertions: usize,
    /// Lines that were removed.
    pub deletions: usize,
    /// How many more files changed than are listed.
    pub more: usize,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path; for a renamed file the new one.
    pub path: String,
    /// Whether the file is gone.
    pub deleted: bool,
    /// Whether it is a file, and not a link or a submodule.
    pub regular: bool,
    /// The git object of the new text, unless it is only on disk.
    pub id: Option<Oid>,
    /// The changed lines of the new text, from 1, in order. Where lines were only removed, the line
    /// that follows.
    pub lines: Vec<Range<usize>>,
}

impl Git {
    /// Compares the merge base of HEAD and `base` with HEAD, as `git diff base...HEAD` does, or
    /// with the files on disk and these untracked ones.
    ///
    /// # Errors
    ///
    /// Says in one line why they cannot be compared.
    pub fn compare(
        &self,
        base: &str,
        with: Base,
        unknown: &Limited<RepoPath>,
    ) -> Result<Comparison, String> {
        self.owns_its_objects()?;
        with_less(|| {
            self.objects.renew();
            let from = self.merge_base(base)?;
            let old = Side::Tree(from.tree);
            let mut options = options();
            // Here text counts: what is larger is taken for binary.
            options.max_size(MAX_BLOB);
            let lending = Lending::new()?;
            let tree;
            let new = match with {
                Base::Head => Side::Tree(self.head_commit()?.tree),
                Base::WorkTree => {
                    tree = self.work_tree_with(unknown, &lending)?;
                    Side::OnDisk(&tree)
                }
            };
            let mut work = self.begin(&lending)?;
            let Differing {
                mut diff,
                left_out,
                more,
            } = self.differing(old, new, &mut options)?;
            work.find_renames(&mut diff)?;
            let paths = first(diff.deltas().map(|delta| path_of(&delta)));
            let mut comparison = Comparison {
                more: more + diff.deltas().len() - paths.len(),
                ..Comparison::default()
            };
            let mut left = MAX_DIFF_TOTAL;
            for (index, path) in paths.into_iter().enumerate() {
                let patch = work.patch_of(&diff, index, MAX_BLOB);
                comparison.add(&diff, index, (path, patch), &mut left)?;
            }
            for (path, why) in left_out {
                comparison.leave_out(path, why)?;
            }
            sort(&mut comparison.diff, |file| (&file.path, file.deleted));
            sort(&mut comparison.changes, |file| (&file.path, file.deleted));
            Ok(comparison)
        })
    }

    /// Returns the diff of what HEAD, or the files on disk, changed since HEAD left `base`.
    ///
    /// # Errors
    ///
    /// The errors of [`compare`](Git::compare).
    pub fn changed_since(
        &self,
        base: &str,
        with: Base,
        unknown: &Limited<RepoPath>,
    ) -> Result<Limited<FileDiff>, String> {
        let Comparison { diff, more, .. } = self.compare(base, with, unknown)?;
        Ok(Limited { items: diff, more })
    }

    /// Returns the branch that the checked-out one will probably be merged into, if it is not that
    /// itself: the branch of its name at `origin`, the default branch of `origin`, or `main` or
    /// `master`. Git's configuration may name another one, but is not read.
    pub fn upstream(&self) -> Option<String> {
        let head = self.head_commit().ok()?.id;
        let of_its_name = self.branch().map(|branch| format!("origin/{branch}"));
        let others = [
            "origin/HEAD",
            "origin/main",
            "origin/master",
            "main",
            "master",
        ];
        let names = of_its_name.into_iter().chain(others.map(str::to_owned));
        let mut known = names.filter_map(|name| {
            let refs = [format!("refs/remotes/{name}"), format!("refs/heads/{name}")];
            let found = refs
                .iter()
                .find_map(|it| self.repository.find_reference(it).ok());
            let commit = self.commit_of(&found?).ok()?.id;
            Some((name, commit))
        });
        let (name, commit) = known.next()?;
        (commit != head).then_some(name)
    }

    /// Returns the text of a file that git holds, of at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// Says why there is no text.
    pub fn text_of(&self, id: Oid, limit: u64) -> Result<FileText, Refusal> {
        with_less(|| blob_text(&self.bytes_of(id, limit)?))
    }

    fn bytes_of(&self, id: Oid, limit: u64) -> Result<Arc<Vec<u8>>, Refusal> {
        let refused = |fault: Fault| match fault {
            Fault::Missing => Refusal::Missing,
            Fault::TooLarge(bytes) => Refusal::TooLarge(bytes),
            fault => Refusal::Unreadable(self.objects.why(&fault)),
        };
        self.objects.text(id, limit).map_err(refused)
    }

    /// Returns git's content for a file that a sparse checkout leaves out, of at most `limit`
    /// bytes.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    pub fn not_checked_out(&self, path: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        let marked = || self.tracked().not_checked_out(path);
        let id = self.may_leave_out().then(marked);
        let Some(id) = id.flatten() else {
            return Err(Refusal::Missing);
        };
        match with_less(|| self.bytes_of(id, limit)) {
            Ok(bytes) => Ok(bytes.to_vec()),
            Err(Refusal::Missing) => Err(Refusal::Unreadable(
                "a sparse checkout leaves them out, and git lacks their text".into(),
            )),
            Err(refusal) => Err(refusal),
        }
    }

    /// Returns the hashes of the commits of HEAD that `base` does not have; none if they cannot be
    /// compared.
    pub fn commits_since(&self, base: &str) -> HashSet<String> {
        let common = self.owns_its_objects().and_then(|()| {
            with_less(|| {
                self.objects.renew();
                self.common(base)
            })
        });
        let common = common.ok().filter(|common| common.ancestor.is_some());
        let since = common.into_iter().flat_map(|common| common.of_other);
        since.map(|id| id.to_string()).collect()
    }

    /// Returns the commit at which HEAD left the branch.
    fn merge_base(&self, base: &str) -> Result<objects::Commit, String> {
        let ancestor = self.common(base)?.ancestor;
        ancestor.ok_or_else(|| format!("`{base}` and HEAD have no commit in common"))
    }

    fn common(&self, base: &str) -> Result<Common, String> {
        let head = self.head_commit()?;
        let base = self.resolve(base)?;
        common(&self.objects, &base, &head).map_err(|fault| self.cannot_tell(&fault))
    }

    fn head_commit(&self) -> Result<objects::Commit, String> {
        let head = self.head().map_err(|why| failed(&why))?;
        head.ok_or_else(|| "there are no commits yet".to_owned())
    }

    /// Returns the commit that a caller names: a branch, a tag, a hash, or one of these followed by
    /// `~` and `^`; a branch of `origin` if there is no local one.
    ///
    /// Git's search by message (`:/text`) and by time (`@{…}`) are not for branches.
    fn resolve(&self, base: &str) -> Result<objects::Commit, String> {
        let unknown = || {
            format!(
                "there is no branch or commit `{}`",
                crate::show::visible(base)
            )
        };
        if base.is_empty() || base.contains([':', '{', '\0']) {
            return Err(unknown());
        }
        // `FETCH_HEAD` and the like lie beside the refs that were checked.
        let named = base.split(['~', '^']).next().unwrap_or_default();
        let is_beside = |b: u8| b.is_ascii_uppercase() || b == b'_';
        if !named.is_empty() && named.bytes().all(is_beside) {
            check_ref(&self.repository.path().join(named))?;
            check_ref(&self.repository.commondir().join(named))?;
        }
        let remote = format!("refs/remotes/origin/{named}");
        let commit = self.named(named).or_else(|| self.named(&remote));
        let found = commit.and_then(|commit| self.behind(commit, &base[named.len()..]));
        found.ok_or_else(unknown)
    }

    /// Returns the commit of a hash, a ref, or the beginning of a hash.
    fn named(&self, name: &str) -> Option<objects::Commit> {
        /// The fewest letters that a hash may be cut to.
        const LEAST: usize = 4;
        let is_hash = name.bytes().all(|b| b.is_ascii_hexdigit());
        if is_hash && name.len() == 40 {
            return self.objects.commit_below(Oid::from_str(name).ok()?).ok();
        }
        let name = match name {
            "" => return None,
            "@" => "HEAD",
            name => name,
        };
        if let Ok(reference) = self.repository.resolve_reference_from_short_name(name) {
            return self.commit_of(&reference).ok();
        }
        // As `git describe` names a commit: `v1.2-3-gabcdef0`.
        let described = name.rsplit_once("-g").map(|(_, hash)| hash);
        let name = described.filter(|_| !is_hash).unwrap_or(name);
        let is_hash = name.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_hash || !(LEAST..40).contains(&name.len()) {
            return None;
        }
        let found = self.objects.beginning(&name.to_ascii_lowercase(), 100);
        let commits = found.iter().map(|id| self.objects.commit_below(*id));
        let commits: Vec<objects::Commit> = commits.filter_map(Result::ok).collect();
        <[_; 1]>::try_from(commits).ok().map(|[commit]| commit)
    }

    /// Returns the commit that `~` and `^` lead to from another one: `~2` is the parent of its
    /// parent, `^2` its second parent.
    fn behind(&self, mut commit: objects::Commit, signs: &str) -> Option<objects::Commit> {
        let mut rest = signs;
        let mut left = MAX_STEPS;
        while let Some(sign) = rest.chars().next() {
            if !matches!(sign, '~' | '^') {
                return None;
            }
            let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            let number = &rest[1..=digits];
            let number: usize = if digits == 0 { 1 } else { number.parse().ok()? };
            rest = &rest[1 + digits..];
            // Each is read, so a number is an account as well.
            let steps = match sign {
                '~' => vec![0; number.min(left + 1)],
                _ => number.checked_sub(1).into_iter().collect(),
            };
            left = left.checked_sub(steps.len())?;
            for parent in steps {
                commit = self.objects.commit(*commit.parents.get(parent)?).ok()?;
            }
        }
        Some(commit)
    }
}

impl Comparison {
    /// Lists a file that changed and is not compared.
    fn leave_out(&mut self, path: String, why: String) -> Result<(), String> {
        self.diff.retain(|file| file.path != path);
        self.changes.retain(|change| change.path != path);
        self.diff.push(file_diff(path.clone(), Err(why), &mut 0)?);
        self.changes.push(Change {
            path,
            deleted: false,
            regular: true,
            id: None,
            lines: Vec::new(),
        });
        Ok(())
    }

    fn add(
        &mut self,
        diff: &Diff<'_>,
        index: usize,
        (path, patch): (String, Result<Option<Patch<'_>>, String>),
        left: &mut usize,
    ) -> Result<(), String> {
        let Some(delta) = diff.get_delta(index) else {
            return Ok(());
        };
        let deleted = delta.status() == Delta::Deleted;
        let side = if deleted {
            delta.old_file()
        } else {
            delta.new_file()
        };
        let id = side.id();
        let mut change = Change {
            path: path.clone(),
            deleted,
            regular: matches!(side.mode(), FileMode::Blob | FileMode::BlobExecutable),
            id: (!id.is_zero()).then_some(id),
            lines: Vec::new(),
        };
        // One that cannot be made is mentioned where the diff would stand.
        if let Ok(Some(patch)) = &patch {
            let (_, added, removed) = patch.line_stats().map_err(|e| failed(&words(&e)))?;
            self.insertions += added;
            self.deletions += removed;
            change.lines = changed_lines(patch).map_err(|e| failed(&words(&e)))?;
        }
        let patch = match patch {
            Ok(_) if *left == 0 => Err(format!("more than {MAX_DIFF_TOTAL} bytes of diff")),
            patch => patch,
        };
        self.diff.push(file_diff(path, patch, left)?);
        self.changes.push(change);
        Ok(())
    }

    /// Returns a remark that not all files are listed.
    pub fn remark(&self) -> Option<String> {
        super::remark(self.more)
    }

    /// Returns how many files changed; a change of type counts once.
    pub fn files(&self) -> usize {
        let mut paths: Vec<&str> = self.changes.iter().map(|c| c.path.as_str()).collect();
        paths.dedup();
        paths.len() + self.more
    }
}

fn changed_lines(patch: &Patch<'_>) -> Result<Vec<Range<usize>>, git2::Error> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut push = |line: usize| match lines.last_mut() {
        Some(last) if last.contains(&line) => {}
        Some(last) if last.end == line => last.end += 1,
        _ => lines.push(line..line + 1),
    };
    for hunk in 0..patch.num_hunks() {
        let mut next = patch.hunk(hunk)?.0.new_start() as usize;
        for line in 0..patch.num_lines_in_hunk(hunk)? {
            let line = patch.line_in_hunk(hunk, line)?;
            match (line.origin(), line.new_lineno()) {
                ('+', Some(number)) => {
                    push(number as usize);
                    next = number as usize + 1;
                }
                ('-', _) => push(next.max(1)),
                (_, Some(number)) => next = number as usize + 1,
                _ => {}
            }
        }
    }
    Ok(lines)
}
