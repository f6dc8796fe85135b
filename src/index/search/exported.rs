//! What all files that were searched show to those that import them.

use std::sync::Arc;

use super::super::candidates::Candidate;
use super::super::reading::Exported;
use super::hits::GONE;
use super::segment::{self, Segment};

/// What the files of a segment show.
#[derive(Default)]
pub struct InSegment {
    /// What stands for what each shows that shows anything.
    marks: Vec<(u32, u64)>,
    /// As it is kept, with the files that its numbers mean.
    kept: Vec<u8>,
    files: Vec<u32>,
    fresh: Vec<(u32, Exported)>,
}

impl InSegment {
    /// Takes it from a segment, whose files have these places among all.
    pub fn keep(&mut self, known: &Segment<'_>, files: &[u32]) {
        if known.exported.is_empty() {
            return;
        }
        let rows = known.files.iter().zip(files);
        let shown = rows.filter(|((.., mark), file)| *mark != 0 && **file != GONE);
        self.marks = shown.map(|((.., mark), file)| (*file, *mark)).collect();
        known.exported.clone_into(&mut self.kept);
        files.clone_into(&mut self.files);
    }

    /// Adds what files show that were read.
    pub fn add(&mut self, files: impl Iterator<Item = (u32, Exported)>) {
        for (file, exported) in files {
            let mark = exported.mark();
            if mark != 0 {
                self.marks.push((file, mark));
                self.fresh.push((file, exported));
            }
        }
    }
}

/// The files that were searched, in the order of their paths, and what each shows to those
/// that import it.
pub struct Searched {
    files: Arc<[Candidate]>,
    /// What stands for what each shows; 0 for nothing, or if it could not be read.
    marks: Vec<u64>,
    shown: Vec<InSegment>,
}

impl Searched {
    /// These files, which show this.
    pub fn new(files: &Arc<[Candidate]>, shown: Vec<InSegment>) -> Searched {
        let mut marks = vec![0; files.len()];
        for (file, mark) in shown.iter().flat_map(|shown| &shown.marks) {
            marks[*file as usize] = *mark;
        }
        Searched {
            files: Arc::clone(files),
            marks,
            shown,
        }
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Each file's path, with what stands for what it shows.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        let files = self.files.iter().zip(&self.marks);
        files.map(|(file, mark)| (file.path(), *mark))
    }

    /// What files show, with their paths; those are left out that show nothing.
    pub fn exported(&self) -> Vec<(&str, Exported)> {
        let path = |file: u32| self.files[file as usize].path();
        let mut all = Vec::new();
        for shown in &self.shown {
            for (number, exported) in segment::exported(&shown.kept) {
                match shown.files.get(number as usize) {
                    Some(file) if *file != GONE => all.push((path(*file), exported)),
                    _ => {}
                }
            }
            let fresh = shown.fresh.iter();
            all.extend(fresh.map(|(file, exported)| (path(*file), exported.clone())));
        }
        all
    }
}
