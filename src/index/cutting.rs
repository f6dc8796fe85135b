//! The parts of the files that are asked for, as long as there is time.

use super::corpus::{Corpus, File, How};
use super::parts::{Packed, ReadPart};
use super::read::MAX_TARGET;
use crate::repo::Repo;
use crate::syntax::cut;
use crate::syntax::parts::Role;

/// The most bytes that are parsed, in the order in which files are asked for. What comes
/// behind is cut into paragraphs.
const MAX_CUT: u64 = 1024 * 1024;

/// The most bytes beyond these that are cut into paragraphs. What comes behind is one part.
const MAX_ROUGH: u64 = 4 * 1024 * 1024;

/// What may still be cut.
pub struct Cutting {
    /// How many bytes may be parsed.
    left: u64,
    /// How many bytes may be cut into paragraphs.
    rough: u64,
    /// How many files had to be parsed, though they are not about to change.
    fresh: usize,
}

impl Default for Cutting {
    fn default() -> Cutting {
        Cutting {
            left: MAX_CUT,
            rough: MAX_ROUGH,
            fresh: 0,
        }
    }
}

impl Cutting {
    /// How many files had to be parsed, though they are not about to change.
    pub fn fresh(&self) -> usize {
        self.fresh
    }

    /// The parts of a file with the names in them.
    pub fn parts(&mut self, repo: &Repo, corpus: &mut Corpus, at: usize) -> Vec<ReadPart> {
        let how = self.how(corpus.files[at].read.bytes);
        let names = corpus.vocabulary.names.len();
        let file = &mut corpus.files[at];
        file.how = how;
        if let Some(known) = packed(file).and_then(|packed| packed.as_ref()?.parts(names)) {
            return known;
        }
        let Ok(read) = repo.read_at(&file.path, &file.path, MAX_TARGET) else {
            // Nothing was found out that would be worth keeping.
            if let Some(packed) = packed(file) {
                *packed = None;
            }
            file.how = How::Whole;
            return Vec::new();
        };
        if how == How::Whole {
            return vec![ReadPart::whole(read.text.lines().count())];
        }
        let is_parsed = how == How::Parsed;
        self.fresh += usize::from(file.stamp.is_some() && is_parsed);
        let (parts, outline) = cut(if is_parsed { file.language } else { "" }, &read.text);
        let lines: Vec<&str> = read.text.lines().collect();
        let parts = parts.into_iter().map(|part| {
            let lines = &lines[part.lines.clone()];
            let uses = match part.role {
                Role::Licence => Vec::new(),
                _ => corpus.counts(lines),
            };
            ReadPart::new(part, lines, uses)
        });
        let parts: Vec<ReadPart> = parts.collect();
        let file = &mut corpus.files[at];
        if is_parsed {
            file.outline = Some(outline);
        }
        if let Some(packed) = packed(file) {
            *packed = Packed::of(&parts).filter(|_| repo.keeps());
        }
        file.weight = 0;
        parts
    }

    /// How the next file is cut, which has `bytes` bytes.
    fn how(&mut self, bytes: u64) -> How {
        if let Some(rest) = self.left.checked_sub(bytes) {
            self.left = rest;
            return How::Parsed;
        }
        self.left = 0;
        match self.rough.checked_sub(bytes) {
            Some(rest) => {
                self.rough = rest;
                How::Rough
            }
            None => {
                self.rough = 0;
                How::Whole
            }
        }
    }
}

/// Where the parts of a file are kept that is cut like this.
fn packed(file: &mut File) -> Option<&mut Option<Packed>> {
    match file.how {
        How::Parsed => Some(&mut file.parts),
        How::Rough => Some(&mut file.rough),
        How::Whole => None,
    }
}
