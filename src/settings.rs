//! What a role chooses among and a request may choose otherwise.

use serde::{Deserialize, Serialize};

/// What happens when the sections do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Prune {
    /// The section at the boundary is shrunk into the room that is left.
    #[default]
    Shrink,
    /// Whole sections are removed, the least important first.
    Drop,
}

/// How sections are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Style {
    /// Headings and fences.
    #[default]
    Markdown,
    /// Elements.
    Xml,
}

/// How a reader's files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FilesStyle {
    /// A well-formed `<context>` with an element for each file.
    #[default]
    Xml,
    /// Two assignments for each file, the text in a here-document.
    Assign,
    /// Headings and fences.
    Markdown,
    /// An array of objects.
    Json,
}

/// Who packs what the plain patterns match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Engine {
    /// Repomix where the pinned version is installed, else this program.
    #[default]
    Auto,
    /// This program.
    Native,
    /// Repomix, fetched if need be.
    Repomix,
}
