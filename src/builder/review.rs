//! For a worker that reviews a change.

use serde::Serialize;

use super::gathering::Gathering;
use super::{Built, Files, Texts, Workspace};
use crate::context::warnings_of;
use crate::repo::{Asker, Base, Change, Comparison, Git, Limited, Refusal, RepoPath};
use crate::section::NoteKind;
use crate::show::{counted, quoted};
use crate::truncate::KeptLines;

/// What a worker that reviews a change needs.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct ReviewContext {
    /// The whole diff as git prints it.
    pub diff: String,
    /// Each changed file that still exists, with its new text.
    pub changed_files: Files,
    /// The repository's conventions.
    pub conventions: String,
    /// How much was changed.
    pub stats: ReviewStats,
}

/// How large a change is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReviewStats {
    /// Files, including deleted ones; a renamed one counts once.
    pub files_changed: usize,
    /// Lines added.
    pub insertions: usize,
    /// Lines removed.
    pub deletions: usize,
}

impl Texts for ReviewContext {
    fn texts(&mut self) -> Vec<&mut String> {
        let mut texts = vec![&mut self.diff];
        texts.extend(self.changed_files.texts());
        texts.push(&mut self.conventions);
        texts
    }
}

/// Gathers what HEAD changed since it left `base_branch`; with `worktree`, what changed in the
/// tracked files on disk.
///
/// Files of fewer than 500 lines are whole. Of larger ones the first lines stay, and ten lines
/// before and after each change.
pub fn build_review_context(
    workspace: &Workspace,
    base_branch: &str,
    worktree: bool,
) -> Built<ReviewContext> {
    let mut gathering = Gathering::new(workspace);
    let with = if worktree { Base::WorkTree } else { Base::Head };
    let git = gathering.git();
    let compared = git.map(|git| git.compare(base_branch, with, &Limited::none()));
    let comparison = match compared {
        None => Comparison::default(),
        Some(Ok(comparison)) => comparison,
        Some(Err(why)) => {
            gathering.warn(NoteKind::Git, why);
            Comparison::default()
        }
    };
    let diff = gathering.diff(&comparison);
    if let Some(message) = comparison.remark() {
        gathering.warn(NoteKind::Skipped, message);
        gathering.cut_last();
    }
    if worktree {
        gathering.warn_of_unknown();
    }
    let mut changed_files = Files::default();
    if let Some(git) = git {
        for change in &comparison.changes {
            gathering.changed(&mut changed_files, git, change, with);
        }
    }
    let conventions = gathering.conventions();
    let stats = ReviewStats {
        files_changed: comparison.files(),
        insertions: comparison.insertions,
        deletions: comparison.deletions,
    };
    gathering.finish(ReviewContext {
        diff,
        changed_files,
        conventions,
        stats,
    })
}

impl Gathering<'_> {
    /// Warns of untracked files that git would list, because no diff has them.
    fn warn_of_unknown(&mut self) {
        let unknown = self.workspace.repo.unknown_files();
        let Some(first) = unknown.items.first() else {
            return;
        };
        let files = counted(unknown.items.len() + unknown.more, "new file");
        let first = quoted(first.as_str());
        let message = format!(
            "{files} left out because git does not track them, such as `{first}`; use `git add \
             --intent-to-add` to include them"
        );
        self.warn(NoteKind::Skipped, message);
    }

    fn diff(&mut self, comparison: &Comparison) -> String {
        let mut diff = String::new();
        for file in &comparison.diff {
            // A line of a diff is no line of the file, so no path goes with it.
            let source = format!("the diff of `{}`", quoted(&file.path));
            self.notes
                .extend(warnings_of(&file.text, &source, None, None));
            if file.replaced {
                let message = format!("{source} is not valid UTF-8; invalid parts were replaced");
                self.warn(NoteKind::Encoding, message);
            }
            diff.push_str(&file.text);
        }
        // Its secrets are in warnings already, file by file.
        let told = self.notes.len();
        let diff = self.text("diff", None, "the diff", &diff, KeptLines::all);
        self.notes.truncate(told);
        let left_out = comparison.diff.iter().filter(|file| file.left_out).count();
        if left_out > 0 {
            let files = counted(left_out, "file");
            self.warn(
                NoteKind::Git,
                format!("the diff of {files} is left out and replaced by a remark"),
            );
            self.cut_last();
        }
        diff
    }

    fn changed(&mut self, files: &mut Files, git: &Git, change: &Change, with: Base) {
        if change.deleted {
            return;
        }
        if !change.regular {
            let shown = quoted(&change.path);
            let message = format!("`{shown}` is a link or a submodule; its content is not shown");
            self.warn(NoteKind::Skipped, message);
            return;
        }
        let workspace = self.workspace;
        let read = |limit| match with {
            Base::Head => match change.id {
                Some(id) => git.text_of(id, limit),
                None => Err(Refusal::Missing),
            },
            Base::WorkTree => {
                let path = RepoPath::parse(&change.path)
                    .map_err(|why| Refusal::Unreadable(why.to_string()))?;
                workspace.repo.read_for(Asker::Repository, &path, limit)
            }
        };
        self.file(files, "changed_files", &change.path, read, |total| {
            let changed = change.lines.iter().flat_map(Clone::clone);
            // Imports and the head of a file say what the rest is about.
            let around: Vec<usize> = std::iter::once(1).chain(changed).collect();
            workspace.around(total, &around)
        });
    }
}
