//! The files of a repository, read: what is ranked. It knows neither disk nor cache, and can be
//! made of texts by hand.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::ops::Range;

use foldhash::fast::RandomState;
use memchr::memchr_iter;

use super::packed::Packed;
use super::parts::ReadPart;
use super::paths::PathFacts;
use super::reading::{Counts, Reading};
use super::renewed::Renewed;
use super::vocabulary::Vocabulary;
use super::words::{each_word, names, versioned};
use crate::repo::{Readable, RepoPath, Slot, Stamp};
use crate::syntax::language;

/// What is known of a file.
pub struct File {
    /// Where it is.
    pub path: RepoPath,
    /// The file itself, if it is one that may be read.
    pub(super) readable: Option<Readable>,
    /// Its language.
    pub language: &'static str,
    /// What its text says.
    pub read: Reading,
    /// What its path says.
    pub facts: Box<PathFacts>,
    /// How it was cut for this prompt.
    pub how: How,
    /// The lines of its outline, once it was parsed.
    pub outline: Option<Vec<Range<usize>>>,
    /// Its parts, once it was parsed.
    pub(super) parts: Option<Packed<Vec<ReadPart>>>,
    /// Its paragraphs, if it was cut into these.
    pub(super) rough: Option<Packed<Vec<ReadPart>>>,
    /// Which of its lines the last changes added, once somebody asked.
    pub(super) renewed: Option<Renewed>,
    /// Its stamp before it was read; `None` if the stamp cannot tell whether it changes, so that it
    /// counts only in the same look.
    pub(super) stamp: Option<Stamp>,
    /// Where on the shelf what is known of it is kept.
    pub(super) slots: Slots,
    /// The look in which it was read, or was seen to be unchanged.
    pub(super) look: Option<u64>,
    /// Distinguishes one text that was read from another, even of the same file; 0 for those from
    /// an earlier run.
    pub(super) serial: u64,
    /// About how many bytes of memory it takes; 0 if not computed yet.
    pub(super) weight: usize,
}

/// Where on the shelf is what a file says, and how it was cut: its parts, its outline, and which
/// lines its last changes added.
#[derive(Default)]
pub(super) struct Slots {
    /// `None` if it is not there.
    pub(super) read: Option<Slot>,
    /// `None` if it is not there, or is there in an older state.
    pub(super) cut: Option<Slot>,
}

/// How a file was cut into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By its declarations, or not at all.
    Parsed,
    /// Into paragraphs, for lack of time.
    Rough,
    /// It is one part, for lack of even more time.
    Whole,
}

impl File {
    /// Makes a file whose text says this.
    pub(super) fn new(path: RepoPath, read: Reading, vocabulary: &mut Vocabulary) -> File {
        File {
            readable: None,
            language: language(path.as_str()),
            read,
            facts: Box::new(PathFacts::of(path.as_str(), &mut vocabulary.in_paths)),
            how: How::Parsed,
            outline: None,
            parts: None,
            rough: None,
            renewed: None,
            stamp: None,
            slots: Slots::default(),
            look: None,
            serial: 0,
            weight: 0,
            path,
        }
    }

    /// Whether anything is known of how it is cut.
    pub(super) fn is_cut(&self) -> bool {
        self.parts.is_some() || self.outline.is_some() || self.renewed.is_some()
    }

    /// Records that more is known of how it is cut than before, or something else.
    pub(super) fn is_cut_anew(&mut self) {
        self.slots.cut = None;
        self.weight = 0;
    }

    /// Returns about how many bytes of memory it takes.
    pub(super) fn weigh(&mut self) -> usize {
        if self.weight == 0 {
            let packed = [&self.parts, &self.rough].into_iter().flatten();
            let packed = packed.map(Packed::len).sum::<usize>();
            let renewed = self.renewed.as_ref().map_or(0, Renewed::weight);
            self.weight = self.read.weight() + packed + renewed + self.facts.weight();
        }
        self.weight
    }
}

/// In how many files each name is.
#[derive(Default)]
struct Spread {
    in_files: Vec<u32>,
    /// In how many files each is declared.
    declared_in: Vec<u32>,
    /// Whether each word is in one of these names.
    has_word: Vec<bool>,
}

/// A spread that is kept for the next prompt about the same files.
pub(super) struct KeptSpread {
    /// Identifies the files and their texts.
    mark: u64,
    hasher: RandomState,
    spread: Spread,
}

/// All files that were read, sorted by path, and the names in them.
#[derive(Default)]
pub struct Corpus {
    /// The files.
    pub files: Vec<File>,
    /// The numbers of all names and words.
    pub vocabulary: Vocabulary,
    spread: Spread,
    places: HashMap<RepoPath, usize, RandomState>,
}

impl Corpus {
    /// Makes the corpus of these files. The number of files that each name is in need not be
    /// counted again if it was `kept` for the same files.
    pub(super) fn new(
        files: Vec<File>,
        vocabulary: Vocabulary,
        kept: Option<KeptSpread>,
    ) -> Corpus {
        let mut corpus = Corpus {
            files: sorted(files),
            vocabulary,
            ..Corpus::default()
        };
        let paths = corpus.files.iter().enumerate();
        corpus.places = paths.map(|(at, file)| (file.path.clone(), at)).collect();
        corpus.spread = match kept.filter(|kept| kept.mark == corpus.mark(&kept.hasher)) {
            Some(kept) => corpus.widened(kept.spread),
            None => corpus.count(),
        };
        corpus
    }

    /// Returns the index of a file.
    pub fn place(&self, path: &str) -> Option<usize> {
        self.places.get(path).copied()
    }

    /// Extends the spread to names that came since, which are in none of the files.
    fn widened(&self, mut spread: Spread) -> Spread {
        spread.in_files.resize(self.vocabulary.names.len(), 0);
        spread.declared_in.resize(self.vocabulary.names.len(), 0);
        spread.has_word.resize(self.vocabulary.words.len(), false);
        spread
    }

    /// Counts in how many files each name is.
    fn count(&self) -> Spread {
        let mut spread = self.widened(Spread::default());
        for file in &self.files {
            for (name, _) in &file.read.uses {
                spread.in_files[*name as usize] += 1;
            }
            for name in &file.read.declares {
                spread.declared_in[*name as usize] += 1;
            }
        }
        let names = (0..).zip(&spread.in_files);
        for (name, _) in names.filter(|(_, files)| **files > 0) {
            for word in self.vocabulary.words_of(name) {
                spread.has_word[*word as usize] = true;
            }
        }
        spread
    }

    /// Returns a mark that identifies the files and their texts. A text from an earlier run has no
    /// number, and there is only one such text of each file.
    fn mark(&self, hasher: &RandomState) -> u64 {
        let mut hasher = hasher.build_hasher();
        for file in &self.files {
            (file.path.as_str(), file.serial).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Returns the corpus as it is kept for the next prompt.
    pub(super) fn kept(mut self) -> (Vec<File>, Vocabulary, KeptSpread) {
        let hasher = RandomState::default();
        let kept = KeptSpread {
            mark: self.mark(&hasher),
            hasher,
            spread: std::mem::take(&mut self.spread),
        };
        (self.files, self.vocabulary, kept)
    }

    /// Returns the names in these lines that any file has, with how often each is there; in settings
    /// also [what has which version](versioned).
    pub fn counts(&self, lines: &[&str], is_source: bool) -> Counts {
        let number = |name: &str| self.vocabulary.names.get(name);
        let names = lines.iter().flat_map(|line| names(line));
        let mut found: Vec<u32> = names.filter_map(|(_, name)| number(name)).collect();
        if !is_source {
            let versions = versioned(lines.iter().copied());
            found.extend(versions.filter_map(|version| number(&version)));
        }
        found.sort_unstable();
        let same = found.chunk_by(|a, b| a == b);
        same.map(|same| (same[0], u16::try_from(same.len()).unwrap_or(u16::MAX)))
            .collect()
    }

    /// Returns the number of a name that is in one of the files.
    pub fn name(&self, name: &str) -> Option<u32> {
        let number = self.vocabulary.names.get(name)?;
        (self.files_with(number) > 0).then_some(number)
    }

    /// Returns the number of a word that is in one of the names in the files.
    pub fn word(&self, word: &str) -> Option<u32> {
        let number = self.vocabulary.words.get(word)?;
        self.spread.has_word[number as usize].then_some(number)
    }

    /// Passes on the numbers of the words of a name, each as often as it is there, as far as they
    /// have any. Words unknown to [`word`](Corpus::word) may be among them.
    pub fn each_word(&self, name: &str, mut take: impl FnMut(u32)) {
        match self.vocabulary.names.get(name) {
            // Those of most names are known, and need not be cut out of it.
            Some(name) => self
                .vocabulary
                .words_of(name)
                .iter()
                .copied()
                .for_each(take),
            None => each_word(name, |word| {
                if let Some(number) = self.vocabulary.words.get(word) {
                    take(number);
                }
            }),
        }
    }

    /// Returns in how many files a name is.
    pub fn files_with(&self, name: u32) -> u32 {
        self.spread.in_files[name as usize]
    }

    /// Returns in how many files a name is declared.
    pub fn files_declaring(&self, name: u32) -> u32 {
        self.spread.declared_in[name as usize]
    }

    /// Returns how significant it is that a name is in a text: the rarer, the more.
    pub fn rarity(&self, name: u32) -> f64 {
        rarity(self.files_with(name) as usize, self.files.len())
    }
}

/// Sorts files by path. A `File` is large, so the order is found first and each is moved once;
/// files come in runs that are already sorted.
fn sorted(files: Vec<File>) -> Vec<File> {
    let mut files: Vec<Option<File>> = files.into_iter().map(Some).collect();
    let mut order: Vec<usize> = (0..files.len()).collect();
    let path = |at: usize| files[at].as_ref().map(|file| &file.path);
    order.sort_by(|a, b| path(*a).cmp(&path(*b)));
    order.iter().filter_map(|at| files[*at].take()).collect()
}

/// Returns the weight of a word that is in `with` of `all` texts.
pub fn rarity(with: usize, all: usize) -> f64 {
    let (with, all) = (with as f64, all as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns how near two paths are: 1 for the same folder, 0 for nothing in common.
pub fn nearness(a: &str, b: &str) -> f64 {
    let slashes = |path: &[u8]| memchr_iter(b'/', path).count();
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let most = slashes(a).max(slashes(b));
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let common = slashes(&a[..same]);
    if most == 0 {
        1.0
    } else {
        common as f64 / most as f64
    }
}

#[cfg(test)]
pub mod tests {
    use super::super::kind::Kind;
    use super::super::reading::Reader;
    use super::*;

    /// Makes a corpus of paths and texts, without a repository.
    pub fn of_texts(files: &[(&str, &str)]) -> Corpus {
        let mut vocabulary = Vocabulary::default();
        let mut reader = Reader::default();
        let mut read = |(path, text): &(&str, &str)| {
            let language = language(path);
            let is_source = !Kind::of_target(path).is_beside();
            let bytes = text.len() as u64;
            let read = reader.read(&mut vocabulary, language, is_source, text, bytes);
            File::new(RepoPath::parse(path).unwrap(), read, &mut vocabulary)
        };
        let files = files.iter().map(&mut read).collect();
        Corpus::new(files, vocabulary, None)
    }

    #[test]
    fn a_path_is_near_as_far_as_folders_are_the_same() {
        let near = |a, b| nearness(a, b);
        assert!((near("a.rs", "b.rs") - 1.0).abs() < 1e-9);
        assert!((near("src/x/a.rs", "src/x/b.rs") - 1.0).abs() < 1e-9);
        assert!((near("src/x/a.rs", "src/y/b.rs") - 0.5).abs() < 1e-9);
        assert!(near("src/a.rs", "tests/a.rs") < 1e-9);
        assert!(near("src", "src/a.rs") < 1e-9);
    }

    #[test]
    fn a_corpus_knows_in_how_many_files_a_name_is() {
        let corpus = of_texts(&[("b.rs", "fn draw() { plot() }"), ("a.rs", "draw();")]);
        let name = |name| corpus.name(name).unwrap();
        assert_eq!(corpus.files[0].path.as_str(), "a.rs");
        assert_eq!(corpus.place("b.rs"), Some(1));
        assert_eq!(
            (
                corpus.files_with(name("draw")),
                corpus.files_with(name("plot"))
            ),
            (2, 1)
        );
        assert_eq!(corpus.files_declaring(name("draw")), 1);
        assert!(corpus.rarity(name("plot")) > corpus.rarity(name("draw")));
        assert!(corpus.word("plot").is_some() && corpus.name("gone").is_none());
    }
}
