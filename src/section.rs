//! The one type that flows through the program.
//!
//! A [`Section`] has a [`Key`] and [`Piece`]s; a piece keeps its text whole and
//! says in which [`Form`] it is to be written, so that the budget can change its
//! mind without losing anything. What happened on the way is a [`Note`].

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memchr_iter;

use crate::show::visible;

/// What a section is about. Decides its heading, its default rank and whether it
/// may be pruned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// The role's instructions; only in the whole-prompt flow.
    SystemPrompt,
    /// The task description; only in the whole-prompt flow.
    Task,
    /// Files that the role never goes without.
    AlwaysInclude,
    /// The files that the task is about.
    TargetFile,
    /// What is staged in git, as a diff.
    GitDiff,
    /// The staged files themselves.
    ChangedFiles,
    /// What the target files import from this repository.
    Imports,
    /// Files that are likely to matter for the task.
    Related,
    /// What the role's plain patterns match.
    Files,
    /// The repository's conventions for people and agents.
    Conventions,
    /// The assembled `.context/` directory.
    ProjectContext,
    /// The most central declarations of the repository.
    RepoMap,
    /// The directory tree.
    Tree,
    /// Text that the caller brought, under the caller's own name.
    Extra(String),
}

impl Key {
    /// The sections that are never pruned, in the order in which they are written.
    pub const PROTECTED: [Key; 3] = [Key::SystemPrompt, Key::Task, Key::AlwaysInclude];

    /// The sections that may be pruned, the most important first.
    pub const DEFAULT_ORDER: [Key; 10] = [
        Key::TargetFile,
        Key::GitDiff,
        Key::ChangedFiles,
        Key::Imports,
        Key::Related,
        Key::Files,
        Key::Conventions,
        Key::ProjectContext,
        Key::RepoMap,
        Key::Tree,
    ];

    /// The name used in roles, reports and templates.
    pub fn name(&self) -> &str {
        match self {
            Key::SystemPrompt => "system_prompt",
            Key::Task => "task",
            Key::AlwaysInclude => "always_include",
            Key::TargetFile => "target_file",
            Key::GitDiff => "git_diff",
            Key::ChangedFiles => "changed_files",
            Key::Imports => "imports",
            Key::Related => "related",
            Key::Files => "files",
            Key::Conventions => "conventions",
            Key::ProjectContext => "project_context",
            Key::RepoMap => "repo_map",
            Key::Tree => "tree",
            Key::Extra(name) => name,
        }
    }

    /// The built-in key of this name, or the caller's own.
    pub fn from_name(name: &str) -> Key {
        Key::PROTECTED
            .into_iter()
            .chain(Key::DEFAULT_ORDER)
            .find(|key| key.name() == name)
            .unwrap_or_else(|| Key::Extra(name.to_owned()))
    }

    /// The heading in the prompt.
    pub fn heading(&self) -> String {
        match self {
            Key::SystemPrompt => "System Prompt".into(),
            Key::Task => "Task".into(),
            Key::AlwaysInclude => "Required Context".into(),
            Key::TargetFile => "Target Files".into(),
            Key::GitDiff => "Git Diff (Staged)".into(),
            Key::ChangedFiles => "Changed Files".into(),
            Key::Imports => "Imports".into(),
            Key::Related => "Related Files".into(),
            Key::Files => "Repository Context".into(),
            Key::Conventions => "Conventions".into(),
            Key::ProjectContext => "Project Context".into(),
            Key::RepoMap => "Repository Map".into(),
            Key::Tree => "File Tree".into(),
            Key::Extra(name) => title_case(name),
        }
    }

    /// Whether the budget has to leave this section alone.
    pub fn is_protected(&self) -> bool {
        Key::PROTECTED.contains(self)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn title_case(name: &str) -> String {
    let words: Vec<String> = name
        .split(['_', '-', ' '])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_uppercase().chain(letters).collect())
                .unwrap_or_default()
        })
        .collect();
    words.join(" ")
}

/// A part of the prompt.
#[derive(Debug, Clone)]
pub struct Section {
    /// What it is about.
    pub key: Key,
    /// Its files, diffs or texts, the most important first.
    pub pieces: Vec<Piece>,
    /// What happened to the section as a whole.
    pub notes: Vec<Note>,
    /// Whether a dropped section is named in the prompt by a closing line.
    pub mentioned: bool,
    /// Whether the budget fills it, however little each part is worth.
    pub fill: bool,
}

impl Section {
    /// Makes a section of these pieces.
    pub fn new(key: Key, pieces: Vec<Piece>) -> Self {
        Section {
            key,
            pieces,
            notes: Vec::new(),
            mentioned: true,
            fill: false,
        }
    }

    /// What the budget made of it, as told by the forms of its pieces.
    pub fn status(&self) -> Status {
        if self.pieces.iter().all(|p| p.form == Form::Full) {
            Status::Kept
        } else if self.pieces.iter().all(|p| p.form == Form::Omitted) {
            Status::Dropped
        } else {
            Status::Shrunk
        }
    }

    /// Gives every piece the same form.
    pub fn set_form(&mut self, form: &Form) {
        for piece in &mut self.pieces {
            piece.form = form.clone();
        }
    }
}

/// What the budget made of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// It is there, whole.
    Kept,
    /// Some of it is there.
    Shrunk,
    /// None of it is there.
    Dropped,
}

/// One file, one file of a diff, or one text.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The path from the repository's root, with `/` between its parts; none for
    /// text that is not a file.
    pub path: Option<String>,
    /// What it says.
    pub body: Body,
    /// In which form it is written.
    pub form: Form,
    /// Lines that may be cut (from 0, the end not included), in the order in which
    /// they go; without any, the last lines of a source or a text go first, and prose
    /// is not cut.
    pub spare: Vec<Range<usize>>,
    /// What it consists of, if it is known what each part is worth; then the budget
    /// chooses among them.
    pub parts: Vec<Valued>,
    /// The lines that make its outline, once somebody asked for it.
    pub outline: OnceLock<Vec<Range<usize>>>,
    /// What happened to it.
    pub notes: Vec<Note>,
}

/// Lines of a piece with what they are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Valued {
    /// From 0, the end not included. The parts of a piece follow one another.
    pub lines: Range<usize>,
    /// Lines outside of these that tell where they stand: the head of their class.
    pub owners: Vec<usize>,
    /// How likely the worker needs them, as a share of all that it needs.
    pub value: f64,
}

impl Piece {
    /// Makes a piece for a file.
    pub fn file(path: impl Into<String>, body: Body) -> Self {
        Piece {
            path: Some(path.into()),
            ..Piece::text(body)
        }
    }

    /// Makes a piece that is no file.
    pub fn text(body: Body) -> Self {
        Piece {
            path: None,
            body,
            form: Form::Full,
            spare: Vec::new(),
            parts: Vec::new(),
            outline: OnceLock::new(),
            notes: Vec::new(),
        }
    }

    /// Adds a note.
    pub fn with_note(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }
}

/// What a piece says, and what kind of text it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A file's text, written in a fence with its language.
    Source(String),
    /// A diff, written in a fence.
    Diff(String),
    /// Some other program's text, written in a fence.
    Text(String),
    /// Lines of many files, written in a fence; of what is cut from it, no remark is made
    /// in its place.
    Outline(String),
    /// Text of the caller or the role, written as it is.
    Prose(String),
    /// A remark of ours in place of a text: `[Binary file, 12 bytes]`.
    Marker(String),
}

impl Body {
    /// The text itself.
    pub fn text(&self) -> &str {
        match self {
            Body::Source(text)
            | Body::Diff(text)
            | Body::Text(text)
            | Body::Outline(text)
            | Body::Prose(text)
            | Body::Marker(text) => text,
        }
    }

    /// How many lines the text has. A last line without a line break counts.
    pub fn lines(&self) -> usize {
        let text = self.text().as_bytes();
        let is_open = text.last().is_some_and(|last| *last != b'\n');
        memchr_iter(b'\n', text).count() + usize::from(is_open)
    }
}

/// How a piece is written, the largest form first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Whole.
    Full,
    /// Only some lines (counted from 0, the end not included), with a remark in place of
    /// each gap.
    Excerpt {
        /// What is shown whole, in order.
        kept: Vec<Range<usize>>,
        /// Of the gaps between, the lines that make an outline of them, in order.
        outline: Vec<Range<usize>>,
    },
    /// Only these lines, in order: what it declares, without a remark on each gap.
    Outline(Vec<Range<usize>>),
    /// One line that names it.
    Name,
    /// Not at all; the section's closing line counts it.
    Omitted,
}

impl Form {
    /// Only these lines, and no outline of the rest.
    pub fn excerpt(kept: Vec<Range<usize>>) -> Form {
        Form::Excerpt {
            kept,
            outline: Vec::new(),
        }
    }

    /// The names, the largest form first.
    #[cfg(feature = "cli")]
    pub const NAMES: [&'static str; 5] = ["full", "excerpt", "outline", "name", "omitted"];

    /// The name used in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::Excerpt { .. } => "excerpt",
            Form::Outline(_) => "outline",
            Form::Name => "name",
            Form::Omitted => "omitted",
        }
    }
}

/// Something that happened to a section or a piece.
///
/// Warnings, the report, the table of `--explain` and the bracketed remarks in the
/// prompt are all views of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Note {
    /// What kind of thing.
    pub kind: NoteKind,
    /// What happened, in one line.
    pub message: String,
    /// The file that it happened to.
    pub path: Option<String>,
    /// The line in that file, counted from 1.
    pub line: Option<usize>,
}

impl Note {
    /// Makes a note that is about no file in particular.
    pub fn new(kind: NoteKind, message: impl Into<String>) -> Self {
        Note {
            kind,
            message: message.into(),
            path: None,
            line: None,
        }
    }

    /// Says that a file's text was not valid in its encoding.
    pub fn replaced(path: &str) -> Self {
        let shown = visible(path);
        let message = format!("`{shown}` is not valid UTF-8; invalid parts were replaced");
        Note::new(NoteKind::Encoding, message).on(path)
    }

    /// Says which file it is about.
    pub fn on(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

/// The kind of a [`Note`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NoteKind {
    /// Something looks like a secret.
    Secret,
    /// A file or folder could not be read.
    Unreadable,
    /// A file was left out on purpose: too large, binary, outside the repository.
    Skipped,
    /// A pattern was rejected, or matched nothing.
    Pattern,
    /// The role says something that has no effect.
    Role,
    /// The template failed.
    Template,
    /// Another engine packed the files than the one that was asked for.
    Engine,
    /// Git could not answer.
    Git,
    /// The protected parts alone are over the budget.
    OverBudget,
    /// Text was not valid in its encoding; the invalid parts were replaced.
    Encoding,
    /// The piece is written elsewhere in the prompt.
    Duplicate,
    /// Why a piece is there.
    Reason,
}

impl NoteKind {
    /// Whether the caller should be warned. What the budget left out on purpose is
    /// told by the forms of the pieces, not by a warning.
    pub fn is_warning(self) -> bool {
        !matches!(self, NoteKind::Duplicate | NoteKind::Reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_key_comes_back_from_its_name() {
        for key in Key::PROTECTED.into_iter().chain(Key::DEFAULT_ORDER) {
            assert_eq!(Key::from_name(key.name()), key);
        }
    }

    #[test]
    fn an_extra_key_is_headed_in_title_case() {
        let key = Key::from_name("test_output");
        assert_eq!(key, Key::Extra("test_output".into()));
        assert_eq!(key.heading(), "Test Output");
    }
}
