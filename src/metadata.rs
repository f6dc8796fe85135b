//! Figures about what was cut: the `_metadata` of builders and of `fit_to_budget`.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use crate::truncate::is_sliver;

/// How much of one text is there.
#[derive(Debug, Clone, Default)]
pub struct Extent {
    /// The section that holds it.
    pub section: String,
    /// The file that it comes from, if there is one.
    pub path: Option<String>,
    /// The lines of the whole text.
    pub original_lines: usize,
    /// The lines of it that are there.
    pub kept_lines: usize,
    /// Whether a line was cut in the middle.
    pub line_cut: bool,
    /// The characters of the whole text.
    pub original_chars: usize,
    /// The characters of it that are there.
    pub kept_chars: usize,
}

impl Extent {
    fn is_cut(&self) -> bool {
        self.kept_lines < self.original_lines || self.line_cut
    }

    fn is_sliver(&self) -> bool {
        is_sliver(self.kept_chars, self.original_chars)
    }
}

/// What was cut and what is missing, so that a worker can ask for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Metadata {
    /// Whether anything was cut: a line is missing or incomplete.
    pub truncated: bool,
    /// The lines of all texts together.
    pub original_lines: usize,
    /// The lines that are there, as counted in the resulting texts. A line that the budget cut is
    /// not counted.
    pub kept_lines: usize,
    /// The keys whose texts were cut.
    pub sections_affected: Vec<String>,
    /// Whether less than a tenth of any one text is left, in characters.
    pub severe: bool,
    /// Binary files, which have no text here.
    pub skipped_binary: Vec<String>,
    /// Files that were asked for and could not be read.
    pub missing: Vec<String>,
    /// The lines of each file.
    pub files: BTreeMap<String, FileLines>,
}

/// The lines of a file, and how many of them are there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileLines {
    /// The lines of the whole file.
    pub original_lines: usize,
    /// The lines of it that are there.
    pub kept_lines: usize,
}

impl Metadata {
    /// Adds up how much of each text is there.
    pub fn of(extents: &[Extent]) -> Metadata {
        let mut metadata = Metadata::default();
        let mut affected = HashSet::new();
        for extent in extents {
            metadata.original_lines += extent.original_lines;
            metadata.kept_lines += extent.kept_lines;
            metadata.severe |= extent.is_sliver();
            if extent.is_cut() {
                metadata.truncated = true;
                if affected.insert(&extent.section) {
                    metadata.sections_affected.push(extent.section.clone());
                }
            }
            if let Some(path) = &extent.path {
                let lines = FileLines {
                    original_lines: extent.original_lines,
                    kept_lines: extent.kept_lines,
                };
                // A file may be there twice, as conventions and as a changed file; then
                // what is there of it is as much as the longer of the two.
                let known = metadata.files.entry(path.clone()).or_insert(lines);
                if lines.kept_lines > known.kept_lines {
                    *known = lines;
                }
            }
        }
        metadata
    }
}
