//! What stops the work, and where.
//!
//! An [`Error`] is the caller's mistake: a role that cannot be read, a template that is not
//! allowed, a pattern that does not parse. A problem in a repository is not an error but a note on
//! the section that it affects.

mod rule;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::secrets::{masked, starred};
use crate::show::bounded;

pub use self::rule::Rule;

/// The kind of an [`Error`], for programs that treat them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A role is missing, malformed, or extends itself in a circle.
    Role,
    /// A template is not allowed, does not parse, or does not render.
    Template,
    /// A request names something impossible, such as an invalid section key or target.
    Request,
    /// The repository or another folder that the caller named does not exist.
    Repository,
    /// A file that the caller named cannot be read or written.
    File,
}

/// How serious a [`Diagnostic`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably does not do what its author meant.
    Warning,
}

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Place {
    /// The file as its author knows it, for example `roles/reviewer.yaml`.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// The column after its last character on that line, at least one past `column`.
    pub end_column: usize,
    /// The text of that line without its line break, or a part of a very long line. Secrets are
    /// replaced by asterisks.
    pub text: String,
    /// The column at which the text starts: 1, except on a very long line.
    pub text_column: usize,
}

impl Place {
    /// How many characters of a line are kept.
    pub const MAX_TEXT: usize = 200;

    /// Makes a place `width` characters wide, and keeps what it needs of its line.
    pub(crate) fn new(
        file: impl Into<String>,
        line: usize,
        column: usize,
        width: usize,
        text: &str,
    ) -> Place {
        let start = Place::start_of_text(column);
        let text = text.chars().skip(start - 1).take(Place::MAX_TEXT).collect();
        Place::with_text(file.into(), line, column, width, text)
    }

    /// Makes a place and keeps `text` of its line, with secrets hidden.
    pub(crate) fn with_text(
        file: String,
        line: usize,
        column: usize,
        width: usize,
        text: String,
    ) -> Place {
        Place {
            file,
            line,
            column,
            end_column: column + width.max(1),
            text: starred(text),
            text_column: Place::start_of_text(column),
        }
    }

    /// Returns the column from which the text of a line is kept.
    pub(crate) fn start_of_text(column: usize) -> usize {
        match column {
            ..=Place::MAX_TEXT => 1,
            // A quarter of what is kept stands before the place.
            column => column - Place::MAX_TEXT / 4,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One thing that is wrong in a role or a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Whether the file can still be used.
    pub severity: Severity,
    /// The kind of mistake.
    #[serde(default)]
    pub rule: Rule,
    /// What is wrong, in one line.
    pub message: String,
    /// Where it is, if it has a place.
    pub place: Option<Place>,
    /// What to do about it.
    pub help: Option<String>,
    /// What else there is to know, such as the roles that it affects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Diagnostic {
    /// Makes an error without a place. A secret in the message or the help, for example in a quoted
    /// name, is reported but not shown.
    pub fn error(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            rule: Rule::Other,
            message: bounded(masked(message.into())),
            place: None,
            help: None,
            note: None,
        }
    }

    /// Makes a warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(message)
        }
    }

    /// Sets the kind of mistake.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Sets the place.
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// Sets what to do about it.
    pub fn help(mut self, help: Option<String>) -> Self {
        self.help = help.map(|help| bounded(masked(help)));
        self
    }

    /// Returns the message with its place and its help, in one line.
    pub fn sentence(&self) -> String {
        match &self.help {
            Some(help) => format!("{self}: {help}"),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

/// Why a call did not do what it was asked to.
///
/// It holds at least one [`Diagnostic`]; a role with several mistakes holds them all.
/// [`Display`](fmt::Display) prints the first one. Where the system or a library was the cause,
/// [`source`](std::error::Error::source) is its own error, for programs that look for a
/// [`std::io::Error`]; the diagnostic already says what it means.
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    diagnostics: Vec<Diagnostic>,
    /// Shared, because an error can be cloned and its cause cannot.
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, diagnostic: Diagnostic) -> Self {
        Error::all(kind, vec![diagnostic])
    }

    /// Makes an error from a sentence, without a place.
    pub(crate) fn say(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error::new(kind, Diagnostic::error(message))
    }

    /// Does the same, with what to do about it.
    pub(crate) fn advise(kind: ErrorKind, message: impl Into<String>, help: &str) -> Self {
        let problem = Diagnostic::error(message).help(Some(help.into()));
        Error::new(kind, problem)
    }

    /// Makes an error from all the diagnostics, errors before warnings.
    pub(crate) fn all(kind: ErrorKind, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by_key(|d| d.severity == Severity::Warning);
        if diagnostics.is_empty() {
            diagnostics.push(Diagnostic::error("unknown error"));
        }
        Error {
            kind,
            diagnostics,
            cause: None,
        }
    }

    /// Keeps the error of the system or a library.
    pub(crate) fn caused_by(
        mut self,
        cause: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// Sets the kind of mistake that the diagnostics describe.
    pub(crate) fn with_rule(mut self, rule: Rule) -> Self {
        for diagnostic in &mut self.diagnostics {
            diagnostic.rule = rule;
        }
        self
    }

    /// Returns the kind of mistake.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns everything that is wrong, errors first.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns what to do about the first thing that is wrong.
    pub fn help(&self) -> Option<&str> {
        self.first().help.as_deref()
    }

    fn first(&self) -> &Diagnostic {
        &self.diagnostics[0]
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first().fmt(f)
    }
}

impl std::error::Error for Error {
    // Derived, it would be the `Arc`, in which nobody finds the error.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let cause = self.cause.as_deref()?;
        Some(cause)
    }
}
