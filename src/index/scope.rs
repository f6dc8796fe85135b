//! The files among which imports are looked for: those of the corpus, or all that were searched.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use foldhash::quality::FixedState;

use super::corpus::Corpus;
use super::reading::{Exports, NOTHING};
use super::searched::Searched;

/// Files with what each exports, in the order of their paths.
///
/// What a file imports depends on all of them, so the more there are, the less it depends on the
/// question: a corpus that was chosen for a task is not the whole scope.
pub struct Scope<'a> {
    files: Vec<InScope<'a>>,
    /// The position of each file of the corpus.
    of_corpus: Vec<u32>,
    searched: Option<&'a Searched>,
}

struct InScope<'a> {
    path: &'a str,
    /// Identifies what it exports.
    exports: u64,
    /// Its index in the corpus.
    at: Option<usize>,
}

impl<'a> Scope<'a> {
    /// Makes the scope of the files of a corpus, and of all among which those were searched.
    pub fn of(corpus: &'a Corpus, searched: Option<&'a Searched>) -> Scope<'a> {
        let in_corpus = corpus.files.iter().enumerate().map(|(at, file)| InScope {
            path: file.path.as_str(),
            exports: file.read.exports.mark(),
            at: Some(at),
        });
        let mut files = Vec::with_capacity(searched.map_or(corpus.files.len(), Searched::len));
        let mut in_corpus = in_corpus.peekable();
        for (path, exports) in searched.into_iter().flat_map(Searched::files) {
            while let Some(file) = in_corpus.next_if(|file| file.path < path) {
                files.push(file);
            }
            let file = in_corpus.next_if(|file| file.path == path);
            files.push(file.unwrap_or(InScope {
                path,
                exports,
                at: None,
            }));
        }
        files.extend(in_corpus);
        let places = (0..).zip(&files);
        let of_corpus = places.filter_map(|(place, file)| file.at.map(|_| place));
        Scope {
            of_corpus: of_corpus.collect(),
            files,
            searched,
        }
    }

    /// Returns a mark that identifies all paths, and what these files export.
    pub fn mark(&self) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        for file in &self.files {
            (file.path, file.exports).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns the position of a file of the corpus.
    pub fn place_of(&self, at: usize) -> u32 {
        self.of_corpus[at]
    }

    /// Returns the position of the file at a path.
    pub fn place(&self, path: &str) -> Option<u32> {
        let found = self.files.binary_search_by(|file| file.path.cmp(path));
        found.ok().and_then(|place| u32::try_from(place).ok())
    }

    /// Returns the files at these positions that are in the corpus.
    pub fn in_corpus(&self, places: &[u32]) -> Vec<usize> {
        let files = places.iter().map(|place| self.files.get(*place as usize));
        files.filter_map(|file| file?.at).collect()
    }

    /// Returns what files outside the corpus export, with their paths.
    pub fn exports_of_others(&self) -> Vec<(&'a str, Exports)> {
        self.searched.map(Searched::exports).unwrap_or_default()
    }

    /// Returns what every file exports; `others` is what those outside the corpus export.
    pub fn exports<'s>(
        &'s self,
        corpus: &'s Corpus,
        others: &'s [(&'s str, Exports)],
    ) -> impl Iterator<Item = (&'s str, &'s Exports)> {
        let all = self.files.iter();
        let all = all.map(|file| (file.path, &NOTHING));
        let others = others.iter().map(|(path, shown)| (*path, shown));
        let own = corpus.files.iter();
        let own = own.map(|file| (file.path.as_str(), &file.read.exports));
        all.chain(others).chain(own)
    }
}
