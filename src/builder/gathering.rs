//! Gathers texts and keeps account of them.

use std::collections::HashSet;

use serde::Serialize;

use super::built::{Built, Shown, Text};
use super::search::Searched;
use super::workspace::Workspace;
use super::{Files, MAX_FILE};
use crate::context::warnings_of;
use crate::metadata::{Extent, Metadata};
use crate::repo::{Asker, Commit, FileText, Git, Refusal, RepoPath, read_anywhere, relative};
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};
use crate::source::MAX_TOTAL;
use crate::truncate::{KeptLines, MAX_LINE, cut_long_lines};

/// The most lines of conventions that are shown.
const MAX_CONVENTION_LINES: usize = 1000;

/// The most unreadable files that are warned about one by one; more are counted.
const MAX_WARNED: usize = 100;

/// The names of a repository's conventions; the first that exists wins.
const CONVENTIONS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// Gathers texts and keeps account of them.
pub(super) struct Gathering<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) texts: Vec<Text>,
    pub(super) skipped_binary: Vec<String>,
    pub(super) missing: Vec<String>,
    pub(super) notes: Vec<Note>,
    /// What was searched for secrets and named in warnings.
    pub(super) searched: Searched,
    /// The files that were taken.
    pub(super) taken: HashSet<String>,
    /// How many files were not read because the others already have enough text.
    pub(super) beyond: usize,
    /// How many files could not be read.
    unreadable: usize,
    /// Bytes of files that may still be shown.
    pub(super) left: u64,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(workspace: &'a Workspace) -> Gathering<'a> {
        Gathering {
            workspace,
            texts: Vec::new(),
            skipped_binary: Vec::new(),
            missing: Vec::new(),
            notes: Vec::new(),
            searched: Searched::default(),
            taken: HashSet::new(),
            beyond: 0,
            unreadable: 0,
            left: MAX_TOTAL,
        }
    }

    /// Returns everything that was gathered, once all that is written of it has been searched for
    /// secrets.
    pub(super) fn finish<T: Serialize>(mut self, data: T) -> Built<T> {
        if self.beyond > 0 {
            let files = counted(self.beyond, "file");
            let message =
                format!("{files} left out: the texts have reached the limit of {MAX_TOTAL} bytes");
            self.warn(NoteKind::Skipped, message);
        }
        if self.unreadable > MAX_WARNED {
            let files = counted(self.unreadable - MAX_WARNED, "more file");
            let message = format!("cannot read {files}: `_metadata.missing` lists them");
            self.warn(NoteKind::Unreadable, message);
        }
        let mut metadata = Metadata {
            skipped_binary: self.skipped_binary,
            missing: self.missing,
            ..Metadata::default()
        };
        metadata.update(&self.texts);
        let mut built = Built {
            data,
            metadata,
            warnings: self.notes,
            texts: self.texts,
        };
        let secrets = self.searched.rest(&built);
        built.warnings.extend(secrets);
        built
    }

    pub(super) fn warn(&mut self, kind: NoteKind, message: impl Into<String>) {
        self.notes.push(Note::new(kind, message));
    }

    /// Takes a text with those of its lines that `keep` chooses, given their number. `source` is
    /// its name in warnings.
    pub(super) fn text(
        &mut self,
        section: &str,
        path: Option<&str>,
        source: &str,
        text: &str,
        keep: impl FnOnce(usize) -> KeptLines,
    ) -> String {
        let kept = keep(text.lines().count());
        self.notes
            .extend(warnings_of(text, source, path, Some(&kept.lines)));
        let written = kept.write(text);
        let (written, cut) = cut_long_lines(&written, MAX_LINE);
        self.searched.add(&written);
        if let Some(path) = path {
            self.searched.add(path);
        }
        let last = text.lines().next_back().unwrap_or_default();
        self.texts.push(Text {
            extent: Extent {
                section: section.to_owned(),
                path: path.map(str::to_owned),
                original_lines: kept.total,
                kept_lines: kept.count(),
                line_cut: cut > 0,
                original_chars: text.chars().count(),
                kept_chars: kept.chars(&written),
            },
            shown: Shown::Lines(kept),
            last: cut_long_lines(last, MAX_LINE).0.into_owned(),
        });
        written.into_owned()
    }

    /// Records that not all of the last text is there.
    pub(super) fn cut_last(&mut self) {
        if let Some(text) = self.texts.last_mut() {
            text.extent.line_cut = true;
        }
    }

    /// Takes a file into `files`, with those of its lines that `keep` chooses. A binary file is
    /// listed; one that cannot be read is empty, and also listed.
    pub(super) fn file(
        &mut self,
        files: &mut Files,
        section: &str,
        path: &str,
        read: impl FnOnce(u64) -> Result<FileText, Refusal>,
        keep: impl FnOnce(usize) -> KeptLines,
    ) {
        if !self.taken.insert(path.to_owned()) {
            return;
        }
        if self.left == 0 {
            self.beyond += 1;
            self.missing.push(path.to_owned());
            return;
        }
        let shown = quoted(path).into_owned();
        let result = read(MAX_FILE);
        let text = match result {
            Ok(file) => {
                self.tell_replaced(path, &file);
                let text = self.text(section, Some(path), "", &file.text, keep);
                self.left = self.left.saturating_sub(text.len() as u64);
                text
            }
            Err(Refusal::Binary(_)) => {
                self.skipped_binary.push(path.to_owned());
                return;
            }
            Err(refusal) => {
                self.unreadable += 1;
                if self.unreadable <= MAX_WARNED {
                    let message = format!("cannot read `{shown}`: {refusal}");
                    let note = Note::new(NoteKind::Unreadable, message);
                    self.notes.push(note.on(path));
                }
                self.missing.push(path.to_owned());
                self.text(section, None, "", "", KeptLines::all)
            }
        };
        files.0.push((path.to_owned(), text));
    }

    /// Returns the conventions: the file that the caller names, or else the nearest `CLAUDE.md` or
    /// `AGENTS.md` from the working folder up to the root.
    pub(super) fn conventions(&mut self) -> String {
        if let Some(given) = &self.workspace.conventions {
            let full = self.workspace.given(given);
            let path = relative(self.workspace.repo.root(), &full);
            match read_anywhere(&full, MAX_FILE) {
                Ok(file) => return self.take_conventions(&path, &file),
                Err(refusal) => self.no_conventions(&given.to_string_lossy(), &refusal),
            }
        }
        let repo = &self.workspace.repo;
        for folder in self.workspace.folder.upwards() {
            for name in CONVENTIONS {
                let path = folder.entry(name);
                match repo.read_for(Asker::Repository, &path, MAX_FILE) {
                    Ok(file) => return self.take_conventions(path.as_str(), &file),
                    Err(Refusal::Missing) => {}
                    Err(refusal) => self.no_conventions(path.as_str(), &refusal),
                }
            }
        }
        self.text("conventions", None, "", "", KeptLines::all)
    }

    fn take_conventions(&mut self, path: &str, file: &FileText) -> String {
        self.tell_replaced(path, file);
        self.text("conventions", Some(path), "", &file.text, |total| {
            KeptLines::beginning(total, MAX_CONVENTION_LINES)
        })
    }

    fn no_conventions(&mut self, path: &str, refusal: &Refusal) {
        let message = format!("no conventions from `{}`: {refusal}", quoted(path));
        self.notes
            .push(Note::new(NoteKind::Unreadable, message).on(path));
        self.missing.push(path.to_owned());
    }

    /// Warns if invalid bytes of a file were replaced.
    pub(super) fn tell_replaced(&mut self, path: &str, file: &FileText) {
        if file.replaced {
            self.notes.push(Note::replaced(path));
        }
    }

    /// Whether the repository may not ask for a path. If so, warns with what named it.
    pub(super) fn hides(&mut self, path: &RepoPath, given: &str, named_by: &str) -> bool {
        let Err(Refusal::Hidden(why)) = self.workspace.repo.admit(path, Asker::Repository) else {
            return false;
        };
        let shown = quoted(given);
        let message = format!("`{shown}` is named by {named_by} but not shown: {why}");
        self.warn(NoteKind::Skipped, message);
        true
    }

    /// Returns git, or warns why it cannot be asked.
    pub(super) fn git(&mut self) -> Option<&'a Git> {
        match self.workspace.repo.git() {
            Ok(git) => Some(git),
            Err(why) => {
                self.warn(NoteKind::Git, why);
                None
            }
        }
    }

    pub(super) fn recent_commits(&mut self, git: Option<&Git>, count: usize) -> Vec<Commit> {
        let commits = match git.map(|git| git.recent_commits(count)) {
            None => return Vec::new(),
            Some(Ok(commits)) => commits,
            Some(Err(why)) => {
                self.warn(NoteKind::Git, why);
                return Vec::new();
            }
        };
        if commits.is_empty() {
            self.warn(NoteKind::Git, "there are no commits yet");
        }
        for commit in &commits {
            let source = format!("the message of commit {}", commit.hash);
            self.notes
                .extend(warnings_of(&commit.message, &source, None, None));
            self.searched.add(&commit.message);
        }
        commits
    }
}
