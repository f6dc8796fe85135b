//! What all files that were searched export.

use std::iter;
use std::sync::Arc;

use super::candidates::Candidate;
use super::reading::Exports;

/// Writes what files export, each with its number, as [`shown_in`] reads it; `None` if it cannot be
/// written.
pub fn written(shown: &[(u32, Exports)]) -> Option<Vec<u8>> {
    let bytes = Vec::new();
    let mut rows = shown.iter();
    rows.try_fold(bytes, |bytes, row| postcard::to_extend(row, bytes).ok())
}

/// Returns what files export, with their numbers.
pub fn shown_in(mut bytes: &[u8]) -> impl Iterator<Item = (u32, Exports)> {
    iter::from_fn(move || {
        let (found, rest) = postcard::take_from_bytes(bytes).ok()?;
        bytes = rest;
        Some(found)
    })
}

/// What some of the files export.
#[derive(Default)]
pub struct Shown {
    /// The mark of the exports of each file that exports anything.
    marks: Vec<(u32, u64)>,
    /// As it is kept, with the indices that its numbers mean; an index that is out of range means a
    /// file that is gone.
    kept: Vec<u8>,
    places: Vec<u32>,
    read: Vec<(u32, Exports)>,
}

impl Shown {
    /// Takes it as it is kept: the mark of what each file exports, 0 for nothing, with its index,
    /// and what they export.
    pub fn keep(&mut self, marks: impl Iterator<Item = u64>, places: &[u32], kept: &[u8]) {
        if kept.is_empty() {
            return;
        }
        let marks = places.iter().copied().zip(marks);
        self.marks.extend(marks.filter(|(_, mark)| *mark != 0));
        kept.clone_into(&mut self.kept);
        places.clone_into(&mut self.places);
    }

    /// Adds the exports of files that were read.
    pub fn add(&mut self, files: impl Iterator<Item = (u32, Exports)>) {
        for (file, exports) in files {
            let mark = exports.mark();
            if mark != 0 {
                self.marks.push((file, mark));
                self.read.push((file, exports));
            }
        }
    }
}

/// The files that were searched, in the order of their paths, and what each exports.
pub struct Searched {
    files: Arc<[Candidate]>,
    /// The mark of what each exports; 0 for nothing, or if it could not be read.
    marks: Vec<u64>,
    shown: Vec<Shown>,
}

impl Searched {
    /// Makes these files, which export this.
    pub fn new(files: &Arc<[Candidate]>, shown: Vec<Shown>) -> Searched {
        let mut marks = vec![0; files.len()];
        for (file, mark) in shown.iter().flat_map(|shown| &shown.marks) {
            if let Some(known) = marks.get_mut(*file as usize) {
                *known = *mark;
            }
        }
        Searched {
            files: Arc::clone(files),
            marks,
            shown,
        }
    }

    /// Returns how many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns each file's path, with the mark of what it exports.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        let files = self.files.iter().zip(&self.marks);
        files.map(|(file, mark)| (file.path(), *mark))
    }

    /// Returns what files export, with their paths; files that export nothing are left out.
    pub fn exports(&self) -> Vec<(&str, Exports)> {
        let path = |file: u32| self.files.get(file as usize).map(Candidate::path);
        let mut all = Vec::new();
        for shown in &self.shown {
            let kept = shown_in(&shown.kept);
            let kept = kept.filter_map(|(number, exports)| {
                Some((path(*shown.places.get(number as usize)?)?, exports))
            });
            all.extend(kept);
            let read = shown.read.iter();
            all.extend(read.filter_map(|(file, exports)| Some((path(*file)?, exports.clone()))));
        }
        all
    }
}
