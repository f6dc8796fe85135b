//! The change that a prompt is about: the staged changes, the work tree, a branch's changes, or a
//! diff that a caller brought.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::git::{Base, FileDiff, Git, Limited, MAX_DIFF_FILES, MAX_DIFF_PATHS};
use super::given::{changed_lines, split};
use super::{Found, Repo, RepoPath, Tracked, Visitor};
use crate::ranges::joined;
use crate::show::{quoted, visible};

/// Which change is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedChange {
    /// The staged changes.
    Staged,
    /// What differs from the last commit: staged, unstaged and new files.
    WorkTree,
    /// What HEAD, or the work tree, changed since it left a branch.
    Since {
        /// The branch, tag or commit.
        base: String,
        /// Whether uncommitted changes count.
        work_tree: bool,
    },
    /// A diff that a caller brought.
    Given(Arc<str>),
    /// The staged changes; if there are none, the work tree; if that is clean, what HEAD changed
    /// since it left its upstream.
    Latest,
}

/// A change that was looked for.
#[derive(Debug, Clone)]
pub struct Changed {
    /// Which one it is; never [`WantedChange::Latest`] if there is something.
    pub which: WantedChange,
    /// The diff of each file, in the order of paths, or why there is none.
    pub files: Result<Limited<FileDiff>, String>,
}

impl Changed {
    fn of(which: WantedChange, files: Result<Limited<FileDiff>, String>) -> Changed {
        Changed { which, files }
    }

    /// Whether any file changed.
    pub fn is_something(&self) -> bool {
        self.files
            .as_ref()
            .is_ok_and(|files| !files.items.is_empty())
    }

    /// Whether it is a given text in which no file is named.
    pub fn is_text_alone(&self) -> bool {
        let names_none =
            |files: &Limited<FileDiff>| files.items.iter().all(|it| it.path.is_empty());
        self.is_something() && self.files.as_ref().is_ok_and(names_none)
    }

    /// Returns the paths that exist now, in order.
    pub fn paths(&self) -> Vec<String> {
        let files = self.files.iter().flat_map(|files| &files.items);
        let there = files.filter(|file| !file.deleted && !file.path.is_empty());
        there.map(|file| file.path.clone()).collect()
    }

    /// Returns the diff of each file that exists now.
    pub fn diffs(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter().flat_map(|files| &files.items);
        let there = files.filter(|file| !file.deleted);
        there.map(|file| (file.path.as_str(), file.text.as_str()))
    }

    /// Returns the diff of each file that is gone.
    pub fn deleted(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter().flat_map(|files| &files.items);
        let gone = files.filter(|file| file.deleted);
        gone.map(|file| (file.path.as_str(), file.text.as_str()))
    }

    /// Returns the changed lines of each file that exists now, from 0, in order. A diff that
    /// somebody brings, such as a series of patches, may name a file twice.
    pub fn lines(&self) -> BTreeMap<&str, Vec<Range<usize>>> {
        let mut lines: BTreeMap<&str, Vec<Range<usize>>> = BTreeMap::new();
        for (path, diff) in self.diffs() {
            lines.entry(path).or_default().extend(changed_lines(diff));
        }
        lines
            .into_iter()
            .map(|(path, lines)| (path, joined(lines)))
            .collect()
    }

    /// Returns the title of its diff.
    pub fn title(&self) -> String {
        match &self.which {
            WantedChange::Staged | WantedChange::Latest => "Git Diff (Staged)".into(),
            WantedChange::WorkTree => "Git Diff (Work Tree)".into(),
            WantedChange::Since { base, work_tree } => {
                let also = if *work_tree { ", Work Tree" } else { "" };
                format!("Git Diff (Since {}{also})", visible(base))
            }
            WantedChange::Given(_) => "Git Diff (Given)".into(),
        }
    }

    /// Returns a sentence that says that it is empty.
    pub fn nothing(&self) -> String {
        match &self.which {
            WantedChange::Staged => "nothing is staged".into(),
            WantedChange::WorkTree => "no file differs from HEAD".into(),
            WantedChange::Since { base, .. } => {
                format!("nothing changed since HEAD left `{}`", quoted(base))
            }
            WantedChange::Given(_) => "the given diff is empty".into(),
            WantedChange::Latest => {
                "nothing is staged, no file differs from HEAD, and HEAD is not \
                              ahead of an upstream"
                    .into()
            }
        }
    }
}

impl Repo {
    /// Looks for a change. What one look has found, it finds again.
    pub fn changed(&self, which: &WantedChange) -> Arc<Changed> {
        self.shared_change(which, || self.look_for(which))
    }

    fn look_for(&self, which: &WantedChange) -> Changed {
        let asked = |ask: &dyn Fn(&Git) -> Result<Limited<FileDiff>, String>| {
            let files = self.git().map_err(str::to_owned).and_then(ask);
            Changed::of(which.clone(), files)
        };
        match which {
            WantedChange::Staged => asked(&Git::staged),
            WantedChange::WorkTree => asked(&|git| git.uncommitted(&self.unknown_files())),
            WantedChange::Since { base, work_tree } => {
                let (with, unknown) = if *work_tree {
                    (Base::WorkTree, self.unknown_files())
                } else {
                    (Base::Head, Limited::none())
                };
                asked(&|git| git.changed_since(base, with, &unknown))
            }
            WantedChange::Given(text) => Changed::of(which.clone(), Ok(split(text))),
            WantedChange::Latest => self.latest(),
        }
    }

    /// Returns the first of the likely changes that is not empty. If git cannot tell, that is the
    /// result.
    fn latest(&self) -> Changed {
        for which in [WantedChange::Staged, WantedChange::WorkTree] {
            let changed = self.look_for(&which);
            if changed.files.is_err() || changed.is_something() {
                return changed;
            }
        }
        let upstream = self.git().ok().and_then(Git::upstream);
        let ahead = upstream.map(|base| {
            let work_tree = false;
            self.look_for(&WantedChange::Since { base, work_tree })
        });
        ahead
            .filter(Changed::is_something)
            .unwrap_or_else(|| Changed::of(WantedChange::Latest, Ok(Limited::none())))
    }

    /// Returns the untracked files that git would list, as many as a diff lists.
    pub fn unknown_files(&self) -> Limited<RepoPath> {
        let Some(tracked) = self.tracked() else {
            return Limited::none();
        };
        let mut new = New {
            tracked,
            found: Limited::none(),
            left: MAX_DIFF_PATHS,
        };
        self.walk(&RepoPath::root(), &mut new);
        new.found
    }
}

/// Collects untracked files: a repository may hold any number of them.
struct New<'a> {
    tracked: &'a Tracked,
    found: Limited<RepoPath>,
    /// How many bytes their paths may still have.
    left: usize,
}

impl Visitor for New<'_> {
    fn enter(&mut self, _: &RepoPath) -> bool {
        true
    }

    fn found(&mut self, found: Found) {
        let path = found.path;
        if found.link || self.tracked.contains(path.as_str()) {
            return;
        }
        let is_full = self.found.items.len() == MAX_DIFF_FILES || self.left < path.as_str().len();
        if is_full {
            self.found.more += 1;
        } else {
            self.left -= path.as_str().len();
            self.found.items.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn of_very_many_new_files_as_many_count_as_a_diff_lists() {
        let folder = tempfile::tempdir().unwrap();
        git2::Repository::init(folder.path()).unwrap();
        for number in 0..MAX_DIFF_FILES + 7 {
            fs::write(folder.path().join(format!("{number}")), "").unwrap();
        }
        let repo = Repo::open(folder.path()).unwrap();
        let changed = repo.changed(&WantedChange::WorkTree);
        let files = changed.files.as_ref().unwrap();
        assert_eq!((files.items.len(), files.more), (MAX_DIFF_FILES, 7));
    }

    #[test]
    fn of_a_file_that_a_diff_names_twice_all_lines_count() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        let patch = |line: usize| {
            format!("--- a/a.py\n+++ b/a.py\n@@ -{line} +{line} @@\n-    x = 0\n+    x = 1\n")
        };
        let diff = patch(46) + &patch(2) + &patch(46);
        let changed = repo.changed(&WantedChange::Given(diff.as_str().into()));
        let lines: Vec<_> = changed.lines().into_iter().collect();
        assert_eq!(lines, [("a.py", vec![1..2, 45..46])]);
    }
}
