//! What stops the work, and where.
//!
//! An [`Error`] is the caller's mistake: a role that cannot be read, a template
//! that is not allowed, a pattern that does not parse. What goes wrong in a repository
//! is not an error but a note on the section that it happened to.

mod rule;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::secrets::{masked, starred};
use crate::show::bounded;

pub use self::rule::Rule;

/// The kind of an [`Error`], for programs that want to tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A role is missing, malformed, or extends itself in a circle.
    Role,
    /// A template is not allowed, does not parse, or does not render.
    Template,
    /// A request names something that cannot be: a section key, a target.
    Request,
    /// The repository or another folder that the caller named is not there.
    Repository,
    /// A file that the caller named cannot be read or written.
    File,
}

/// How much a [`Diagnostic`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably does not do what its author meant.
    Warning,
}

/// Where in a file something was found. Lines and columns count from 1, columns
/// in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct Place {
    /// The file as its author knows it, for example `roles/reviewer.yaml`.
    pub file: String,
    /// The line.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// The column behind its last character in that line, at least one further.
    pub end_column: usize,
    /// The text of that line, without its line break; of a very long one a part. In the place of
    /// a secret stand stars.
    pub text: String,
    /// The column at which the text starts: 1, but on a very long line.
    pub text_column: usize,
}

impl Place {
    /// How many characters of a line are kept.
    pub const MAX_TEXT: usize = 200;

    /// A place `width` characters wide, with what it needs of its line.
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

    /// A place of whose line `text` is kept. Nobody is shown the secrets in it.
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

    /// The column from which on the text of a line is kept.
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
    /// Whether the file can be used all the same.
    pub severity: Severity,
    /// What kind of mistake it is.
    #[serde(default)]
    pub rule: Rule,
    /// What is wrong, in one line.
    pub message: String,
    /// Where, if it has a place.
    pub place: Option<Place>,
    /// What to do about it.
    pub help: Option<String>,
    /// What else there is to know, such as the roles that it holds for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Diagnostic {
    /// Makes an error without a place. A secret in the message or the help, which may be in a
    /// name that is quoted or suggested, is told and not shown.
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

    /// Says what kind of mistake it is.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Says where.
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = place;
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: Option<String>) -> Self {
        self.help = help.map(|help| bounded(masked(help)));
        self
    }

    /// The message with its place and its help, in one line.
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
/// It holds at least one [`Diagnostic`]; a role with several mistakes holds them
/// all. The first one is what [`Display`](fmt::Display) prints. Where the system or a
/// library was the cause, [`source`](std::error::Error::source) is its own error, for
/// programs that look for a [`std::io::Error`]; the diagnostic says what it means already.
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    diagnostics: Vec<Diagnostic>,
    /// Shared, since an error can be cloned and its cause cannot.
    cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, diagnostic: Diagnostic) -> Self {
        Error::all(kind, vec![diagnostic])
    }

    /// Makes an error of a sentence, without a place.
    pub(crate) fn say(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error::new(kind, Diagnostic::error(message))
    }

    /// The same, with what to do about it.
    pub(crate) fn advise(kind: ErrorKind, message: impl Into<String>, help: &str) -> Self {
        let problem = Diagnostic::error(message).help(Some(help.into()));
        Error::new(kind, problem)
    }

    /// Makes an error of all the diagnostics, errors before warnings.
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

    /// Keeps what the system or a library said.
    pub(crate) fn caused_by(
        mut self,
        cause: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// Says what kind of mistake the diagnostics describe.
    pub(crate) fn with_rule(mut self, rule: Rule) -> Self {
        for diagnostic in &mut self.diagnostics {
            diagnostic.rule = rule;
        }
        self
    }

    /// What kind of mistake it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Everything that is wrong, errors first.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// What to do about the first thing that is wrong.
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
