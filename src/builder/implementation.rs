//! For a worker that writes code.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::gathering::Gathering;
use super::{Built, MAX_FILE, MAX_FILE_LINES, Texts, Workspace};
use crate::repo::{Commit, Refusal, read_anywhere, relative};
use crate::section::{Note, NoteKind};
use crate::show::quoted;
use crate::truncate::KeptLines;

/// How many commits are listed.
const RECENT_COMMITS: usize = 10;

/// What a worker that writes code needs.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct ImplementationContext {
    /// The text of the task file.
    pub tasks: String,
    /// The repository's conventions.
    pub conventions: String,
    /// The branch that is checked out; empty when there is none.
    pub branch: String,
    /// The last ten commits, the newest first.
    pub recent_commits: Vec<Commit>,
}

impl Texts for ImplementationContext {
    fn texts(&mut self) -> Vec<&mut String> {
        vec![&mut self.tasks, &mut self.conventions]
    }
}

/// Where the tasks come from.
#[derive(Debug, Clone)]
pub enum TaskFile {
    /// A file, relative to the current folder, the working folder or the root; it may be anywhere.
    Path(PathBuf),
    /// The text itself.
    Text(String),
}

impl<P: AsRef<Path>> From<P> for TaskFile {
    fn from(path: P) -> TaskFile {
        TaskFile::Path(path.as_ref().to_owned())
    }
}

/// Gathers the tasks, the conventions, the branch and the last ten commits.
pub fn build_implementation_context(
    task_file: impl Into<TaskFile>,
    workspace: &Workspace,
) -> Built<ImplementationContext> {
    let mut gathering = Gathering::new(workspace);
    let tasks = match task_file.into() {
        TaskFile::Path(path) => gathering.task_file(&path),
        TaskFile::Text(text) => gathering.tasks(None, &text),
    };
    let conventions = gathering.conventions();
    let git = gathering.git();
    let branch = git.map(|git| git.branch().unwrap_or_default());
    if branch.as_deref() == Some("") {
        gathering.warn(NoteKind::Git, "no branch is checked out: HEAD is detached");
    }
    let recent_commits = gathering.recent_commits(git, RECENT_COMMITS);
    gathering.finish(ImplementationContext {
        tasks,
        conventions,
        branch: branch.unwrap_or_default(),
        recent_commits,
    })
}

impl Gathering<'_> {
    fn task_file(&mut self, path: &Path) -> String {
        let full = self.workspace.given(path);
        let shown = relative(self.workspace.repo.root(), &full);
        match read_anywhere(&full, MAX_FILE) {
            Ok(file) => {
                self.tell_replaced(&shown, &file);
                self.tasks(Some(&shown), &file.text)
            }
            Err(Refusal::Binary(_)) => {
                self.skipped_binary.push(shown);
                self.tasks(None, "")
            }
            Err(refusal) => {
                let given = path.to_string_lossy();
                let message = format!("no tasks from `{}`: {refusal}", quoted(&given));
                self.notes
                    .push(Note::new(NoteKind::Unreadable, message).on(&*given));
                self.missing.push(given.into_owned());
                self.tasks(None, "")
            }
        }
    }

    fn tasks(&mut self, path: Option<&str>, text: &str) -> String {
        self.text("tasks", path, "the tasks", text, |total| {
            KeptLines::beginning(total, MAX_FILE_LINES)
        })
    }
}
