//! One thing that a check found, and the JSON that it is read from.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::split::{beginning, end};

/// The most bytes of a message.
pub(super) const MAX_MESSAGE: usize = 32 * 1024;

/// The most bytes of a severity, and of the name of a kind of mistake.
pub(super) const MAX_WORD: usize = 1024;

/// The most bytes of a path; systems accept no longer one.
pub(super) const MAX_PATH: usize = 4096;

/// Something that a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct ValidationError {
    /// The file, as the check names it.
    pub file: Option<String>,
    /// The line, from 1; 0 if the check says that it means the whole file.
    pub line: Option<usize>,
    /// What is wrong, with what else the check says about it.
    pub message: String,
    /// `error`, `warning`, `note`, or another word of the check's.
    pub severity: String,
    /// The check's own name for this kind of mistake.
    pub code: Option<String>,
    /// Whether a stage lists it, with a path that is meant as it stands: such a one is an error
    /// whatever its severity.
    #[serde(skip)]
    pub is_listed: bool,
    /// The column, which distinguishes errors of one line.
    #[serde(skip)]
    pub column: Option<usize>,
}

impl ValidationError {
    /// Whether it is an error and nothing less.
    pub fn is_error(&self) -> bool {
        self.is_listed || is_error(&self.severity)
    }
}

/// Whether what has this severity is an error and nothing less.
pub(super) fn is_error(severity: &str) -> bool {
    !matches!(
        severity.to_ascii_lowercase().as_str(),
        "warning" | "warn" | "note" | "info" | "information" | "hint" | "help" | "none"
    )
}

/// A text that is built up to a limit.
pub(super) struct Said {
    pub(super) text: String,
    most: usize,
    is_cut: bool,
}

impl Said {
    /// Begins a message.
    pub(super) fn message(text: &str) -> Said {
        Said::at_most(MAX_MESSAGE, text)
    }

    /// Makes a single word.
    pub(super) fn word(text: &str) -> Said {
        Said::at_most(MAX_WORD, text)
    }

    fn at_most(most: usize, text: &str) -> Said {
        let mut said = Said {
            text: String::new(),
            most,
            is_cut: false,
        };
        said.push(text);
        said
    }

    /// Appends as much of a text as there is room for.
    pub(super) fn push(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        let left = self.most - self.text.len();
        self.text.push_str(beginning(text, left));
        if text.len() > left {
            self.is_cut = true;
            self.text.push('…');
        }
    }

    /// Whether nothing more of it is kept.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// A path is longer than any path can be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Returns a path as a check names it. For one from another machine the end counts, so if it is too
/// long, as much of the end stays as fits after [`LEFT_OUT`].
pub(super) fn named(path: &str) -> Result<String, TooLong> {
    if path.len() <= MAX_PATH {
        return Ok(path.to_owned());
    }
    let rest = end(path, MAX_PATH - LEFT_OUT.len() - 1);
    match (path.starts_with('/'), rest.find('/')) {
        (true, Some(slash)) => Ok([LEFT_OUT, &rest[slash..]].concat()),
        _ => Err(TooLong),
    }
}

/// Stands before the end of a path of which only the end is known.
pub(super) const LEFT_OUT: &str = "…";

/// What a check says, before it is known whether there is room for it.
pub(super) struct Finding {
    pub(super) file: Result<Option<String>, TooLong>,
    pub(super) line: Option<usize>,
    pub(super) column: Option<usize>,
    pub(super) message: Said,
    pub(super) severity: Said,
    pub(super) code: Option<Said>,
}

pub(super) fn items(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

/// Returns the text of a member; a number counts as text.
pub(super) fn text(json: &Value) -> Option<Cow<'_, str>> {
    match json {
        Value::String(text) if !text.is_empty() => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// Returns the path that a member is.
pub(super) fn path(json: &Value) -> Result<Option<String>, TooLong> {
    text(json).map(|path| named(&path)).transpose()
}

pub(super) fn word(json: &Value) -> Option<Said> {
    text(json).map(|text| Said::word(&text))
}

/// Returns the number of a line or a column, which some write as text, and some as `3.0`.
pub(super) fn line(json: &Value) -> Option<usize> {
    let number = json
        .as_u64()
        .or_else(|| json.as_str()?.trim().parse().ok())
        // Only of a whole number is the text one too.
        .or_else(|| json.as_f64()?.to_string().parse().ok())?;
    usize::try_from(number).ok()
}
