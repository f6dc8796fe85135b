//! What happened on the way.

use crate::secrets::masked;
use crate::show::{bounded, quoted};

/// Something that happened to a section or a piece.
///
/// Warnings, the report, the table of `--explain` and the bracketed remarks in the prompt are all
/// views of these.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Note {
    /// The kind of event.
    pub kind: NoteKind,
    /// What happened, in one line.
    pub message: String,
    /// The file that it happened to.
    pub path: Option<String>,
    /// The line in that file, counted from 1.
    pub line: Option<usize>,
}

impl Note {
    /// Makes a note that is about no file in particular. A secret in the message, for example in a
    /// name, is reported but not shown.
    pub fn new(kind: NoteKind, message: impl Into<String>) -> Self {
        Note {
            kind,
            message: bounded(masked(message.into())),
            path: None,
            line: None,
        }
    }

    /// Makes a note that a file's text was not valid in its encoding.
    pub fn replaced(path: &str) -> Self {
        let shown = quoted(path);
        let message = format!("`{shown}` is not valid UTF-8; invalid parts were replaced");
        Note::new(NoteKind::Encoding, message).on(path)
    }

    /// Sets the file that it is about.
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
    /// Text or files that the caller passed were cut or left out to fit the budget.
    Cut,
    /// A pattern was rejected, or matched nothing.
    Pattern,
    /// A setting of the role has no effect.
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
    /// There are invisible characters that can hide instructions.
    Unseen,
    /// Not all files were searched, because there are too many.
    Unsearched,
    /// The piece is written elsewhere in the prompt.
    Duplicate,
    /// A source file has no parts and no outline: it cannot be parsed.
    Unparsed,
    /// Why a piece is there.
    Reason,
}

impl NoteKind {
    /// Whether the caller should be warned. What the budget left out on purpose is visible in the
    /// forms of the pieces and gives no warning.
    pub fn is_warning(self) -> bool {
        !matches!(self, NoteKind::Duplicate | NoteKind::Reason)
    }
}
