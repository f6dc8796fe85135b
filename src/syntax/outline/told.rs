//! The outline of source without a grammar: the heads of what its keywords declare.

use super::Entry;
use super::comment::above;
use super::draft::{Draft, Kind, finish};
use crate::split;
use crate::syntax::sections::{is_worded, sections};
use crate::syntax::tree::{Declaration, DeclarationKind};

use std::collections::HashSet;

/// The most entries of a file.
const MAX_ENTRIES: usize = 2000;

/// A line with more bytes is left out.
const MAX_WIDTH: usize = 300;

/// How a line says that what it declares is only for the file or the type.
const PRIVATE: [&str; 6] = ["private", "fileprivate", "defp", "defmacrop", "local", "my"];

/// Returns what the keywords of a text declare, except inside functions.
pub fn entries_of(language: &str, text: &str) -> Vec<Entry> {
    if !is_worded(language) {
        return Vec::new();
    }
    let lines = split::lines(text);
    let mut drafts: Vec<Draft> = Vec::new();
    // The drafts that the next declaration may lie in.
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut least = 0;
    for declared in sections(language, &lines) {
        open.truncate(declared.depth);
        let owner = open.last().copied().flatten();
        let shown = rows(language, &lines, least, &declared);
        open.push(shown.is_some().then_some(drafts.len()));
        let Some(rows) = shown.filter(|_| drafts.len() < MAX_ENTRIES) else {
            continue;
        };
        least = declared.head_end.max(least);
        drafts.push(Draft {
            is_hidden: is_private(lines[declared.name_line], &declared.name),
            is_detail: false,
            is_body: declared.kind == DeclarationKind::Function,
            kind: Kind::Declared,
            entry: Entry {
                name: declared.name,
                lines: rows,
                owner,
            },
        });
    }
    finish(drafts, &HashSet::new())
}

/// Returns the lines of a declaration's head with the first comment line above it; `None` if one is
/// too long to be read.
fn rows(
    language: &str,
    lines: &[&str],
    least: usize,
    declared: &Declaration,
) -> Option<Vec<std::ops::Range<usize>>> {
    let start = declared.lines.start.max(least);
    let head = start..declared.head_end;
    let is_read = !head.is_empty() && lines[head.clone()].iter().all(|l| l.len() <= MAX_WIDTH);
    let said = above(language, lines, least, start).map(|at| at..at + 1);
    is_read.then(|| said.into_iter().chain([head]).collect())
}

/// Whether the head of a declaration, or its name, says that nobody else may use it.
fn is_private(line: &str, name: &str) -> bool {
    let mut words = line.split_whitespace().take_while(|word| *word != name);
    words.any(|word| PRIVATE.contains(&word)) || name.starts_with('_')
}
