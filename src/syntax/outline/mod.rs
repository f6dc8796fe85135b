//! The outline of a file: its declarations without their bodies, as an engineer would write them on
//! a whiteboard.
//!
//! An outline consists of whole lines of the file, so that what is shown is real source: the first
//! line of the comment on a declaration, the lines of the declaration down to where its body opens,
//! and its members. Private details, tests inside a module, functions inside functions and imports
//! are left out. A grammar tolerates what does not parse, so damaged source still has an outline of
//! what could be read. If there is no grammar, or a text is too long for it, keywords show what is
//! declared.

use crate::ranges::count;
use crate::split;

mod comment;
mod draft;
mod hidden;
mod rows;
mod script;
mod shape;
mod sketch;
mod told;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

pub(super) use self::comment::is_for_tools;
use self::sketch::{Inside, Sketch};

/// The deepest nesting of declarations.
const MAX_DEPTH: usize = 40;

/// An outline of more than one line in this many of its file is not one.
const LEAST_SAVED: usize = 2;

/// What a file declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name; empty for what has no name.
    pub name: String,
    /// Its lines, from 0, in order: its comment's, its own, its fields'.
    pub lines: Vec<Range<usize>>,
    /// What encloses it, by its index among the entries, which is lower than its own.
    pub owner: Option<usize>,
}

/// Returns the lines of a text that make its outline, in order, in a language as
/// [`language`](super::language) names it. Empty if nothing is declared, or if the outline would be
/// longer than half of the text.
pub(super) fn outline_of(language: &str, text: &str, tree: Option<&Tree>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let entries = entries_of(language, text, tree);
    for lines in entries.iter().flat_map(|entry| &entry.lines) {
        match ranges.last_mut() {
            Some(last) if last.end == lines.start => last.end = lines.end,
            _ => ranges.push(lines.clone()),
        }
    }
    if count(&ranges) * LEAST_SAVED > split::count_lines(text) {
        return Vec::new();
    }
    ranges
}

/// Returns the declarations of a text that belong in its outline, in the order of their lines, each
/// line in one of them.
///
/// What is private is left out, unless there is nothing else.
pub(super) fn entries_of(language: &str, text: &str, tree: Option<&Tree>) -> Vec<Entry> {
    let Some(parsed) = tree else {
        return told::entries_of(language, text);
    };
    let mut sketch = Sketch::new(language, text);
    sketch.title(parsed.root_node());
    sketch.members(parsed.root_node(), &Inside::default());
    draft::finish(sketch.drafts, &sketch.exported)
}

/// What can enclose a declaration, which decides what is private there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Body {
    /// The file, or a module.
    #[default]
    Module,
    /// A class, an `impl`.
    Class,
    /// A structure that is used as a class.
    Struct,
    /// An interface or a trait, all of which is public.
    Interface,
    /// A group of tests.
    Tests,
}

#[cfg(all(test, feature = "languages"))]
mod tests;
