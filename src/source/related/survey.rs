//! One pass over the repository's files: which names each uses and declares.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::RandomState;
use memchr::memchr_iter;
use serde::{Deserialize, Serialize};

use super::known::{ByPath, Remembered};
use super::numbers::Vocabulary;
use super::packed::Packed;
use super::paths::{Facts, is_program};
use super::words::names;
use crate::repo::{FileText, Found, Kind, Repo, RepoPath, Stamp, Visitor};
use crate::source::imports::{MAX_LISTED, MAX_PATHS, package};
use crate::syntax::imports::{Import, Offer, imports, named, offers};
use crate::syntax::language;

/// At most so many files are read, the nearest to the targets first.
const MAX_FILES: usize = 5000;

/// All of them together have at most so many bytes.
const MAX_BYTES: u64 = 40 * 1024 * 1024;

/// What is known of all of them takes at most about so many bytes of memory. Five thousand
/// files that people wrote take about half of it.
const MAX_MEMORY: usize = 28 * 1024 * 1024;

/// A larger file is data, or made by a program.
const MAX_FILE: u64 = 400 * 1024;

/// A file uses at most so many different names.
const MAX_USES: usize = 4000;

/// The number of the next text that is read.
static SERIALS: AtomicU64 = AtomicU64::new(1);

/// Names of a text with how often each is there.
pub(super) type Counts = Vec<(u32, u16)>;

/// What is known of a file.
pub(super) struct File {
    pub(super) path: RepoPath,
    pub(super) language: &'static str,
    pub(super) read: Reading,
    /// What it looked like before it was read, if that can tell whether it changes.
    pub(super) stamp: Option<Stamp>,
    /// What it takes of memory, if somebody added that up earlier.
    pub(super) weight: usize,
    /// Its parts, if they are known from earlier.
    pub(super) parts: Option<Packed>,
    /// The lines of its outline, once it was parsed.
    pub(super) outline: Option<Vec<Range<usize>>>,
    /// Its paragraphs, if they are known from earlier.
    pub(super) rough: Option<Packed>,
    /// How it was cut for this prompt.
    pub(super) how: How,
    /// What its path says.
    pub(super) facts: Box<Facts>,
}

/// How a file was cut into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By its declarations, or not at all.
    Parsed,
    /// Into paragraphs, for want of time.
    Rough,
    /// It is one part, for want of more time.
    Whole,
}

/// In how many files each name is, for the next prompt that is about the same files.
pub(super) struct Counted {
    /// Stands for the files and their texts.
    mark: u64,
    hasher: RandomState,
    in_files: Vec<u32>,
    declared_in: Vec<u32>,
    has_word: Vec<bool>,
}

/// What is known of a text, whatever else there is in the repository.
#[derive(Serialize, Deserialize)]
pub(super) struct Reading {
    /// Tells one text that was read from another, also of the same file; 0 for those that
    /// come from an earlier run.
    #[serde(skip)]
    pub(super) serial: u64,
    pub(super) bytes: u64,
    /// Sorted by number.
    pub(super) uses: Counts,
    /// Sorted.
    pub(super) declares: Vec<u32>,
    /// Names in all.
    pub(super) length: usize,
    /// What it imports, as it says.
    pub(super) imports: Vec<Import>,
    pub(super) package: Option<String>,
    /// The names that it mentions, where an import does not tell them.
    pub(super) named: String,
    /// What others may import from it, where its name does not tell.
    pub(super) offers: Vec<Offer>,
}

impl Reading {
    /// About how many bytes of memory it takes.
    pub(super) fn weight(&self) -> usize {
        /// A name with what holds it.
        const NAME: usize = 64;
        self.uses.len() * size_of::<(u32, u16)>()
            + self.declares.len() * size_of::<u32>()
            + self
                .imports
                .iter()
                .map(|import| 1 + import.names())
                .sum::<usize>()
                * NAME
            + self.offers.len() * 2 * NAME
            + self.named.len()
            + NAME
    }
}

/// Where each file is among all, by its path.
pub(super) type Places = HashMap<RepoPath, usize, RandomState>;

/// What is known of all files.
pub(super) struct Survey {
    pub(super) files: Vec<File>,
    pub(super) vocabulary: Vocabulary,
    /// In how many files each name is.
    pub(super) in_files: Vec<u32>,
    /// In how many files each name is declared.
    pub(super) declared_in: Vec<u32>,
    /// Whether each word is in one of these names.
    has_word: Vec<bool>,
    /// Stands for the files and their texts, where that is kept for the next prompt.
    counted: Option<(u64, RandomState)>,
    /// How many files were not read, or not taken in, since there is too much.
    pub(super) passed_over: usize,
    /// How many files were read anew, though they are not about to change.
    pub(super) fresh: usize,
    /// What is known of files that were not asked for.
    pub(super) others: ByPath,
    /// All files of the repository but links, if none were passed over and there are not
    /// too many.
    pub(super) listed: Option<Arc<[String]>>,
}

struct All<'a> {
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    /// What git knows, if it can be asked.
    tracked: Option<Arc<HashSet<String>>>,
    found: Vec<RepoPath>,
    folders: Vec<RepoPath>,
    listed: Option<Vec<String>>,
    /// How many more bytes the paths in `listed` may have.
    left: usize,
}

impl All<'_> {
    fn list(&mut self, path: &str) {
        let Some(listed) = &mut self.listed else {
            return;
        };
        match self.left.checked_sub(path.len()) {
            Some(left) if listed.len() < MAX_LISTED => {
                self.left = left;
                listed.push(path.to_owned());
            }
            _ => self.listed = None,
        }
    }

    /// A file that git does not know counts if it is code: a prompt or a log that lies
    /// about is none.
    fn counts(&self, path: &str) -> bool {
        let is_known = || {
            let tracked = self.tracked.as_ref();
            tracked.is_none_or(|tracked| tracked.contains(path))
        };
        is_code(path) && (is_program(language(path)) || is_known())
    }
}

impl Visitor for All<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        let enters = !(self.excluded)(folder);
        if enters {
            self.folders.push(folder.clone());
        } else {
            self.listed = None;
        }
        enters
    }

    fn found(&mut self, found: Found) {
        if !found.link {
            self.list(found.path.as_str());
        }
        // A link shows what another file shows already.
        if !found.link && self.counts(found.path.as_str()) && !(self.excluded)(&found.path) {
            self.found.push(found.path);
        }
    }
}

/// Whether a file may be worth showing: one in a language, but no list of changes, no
/// lock file, and nothing that another file is the source of.
fn is_code(path: &str) -> bool {
    const ENDINGS: [&str; 9] = [
        ".lock",
        "-lock.json",
        "-lock.yaml",
        ".sum",
        ".min.js",
        ".min.css",
        ".map",
        ".svg",
        ".snap",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    !language(path).is_empty()
        && !["changelog", "changes", "history", "news", "releases"].contains(&stem)
        && !ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The files that may be surveyed, in the order of their paths.
#[derive(Clone)]
struct Candidates {
    found: Arc<[RepoPath]>,
    listed: Option<Arc<[String]>>,
}

impl Candidates {
    fn of(repo: &Repo, excluded: &dyn Fn(&RepoPath) -> bool) -> Candidates {
        let Some(look) = repo.look() else {
            return Candidates::list(repo, excluded).0;
        };
        let known = repo.recall::<Everything>();
        let everything = known.filter(|all| all.look == look).unwrap_or_else(|| {
            let (all, folders) = Candidates::list(repo, &|_| false);
            Everything { look, all, folders }
        });
        let mut candidates = everything.all.clone();
        if candidates.found.iter().any(excluded) {
            let found = candidates.found.iter().filter(|path| !excluded(path));
            candidates.found = found.cloned().collect();
        }
        if everything.folders.iter().any(excluded) {
            candidates.listed = None;
        }
        repo.remember(everything);
        candidates
    }

    /// Lists them, and the folders that were entered.
    fn list(repo: &Repo, excluded: &dyn Fn(&RepoPath) -> bool) -> (Candidates, Vec<RepoPath>) {
        let mut all = All {
            excluded,
            tracked: repo.tracked(),
            found: Vec::new(),
            folders: Vec::new(),
            listed: Some(Vec::new()),
            left: MAX_PATHS,
        };
        // What cannot be listed is told by the sources that were asked for it.
        let _ = repo.walk(&RepoPath::root(), &mut all);
        all.found.sort_unstable();
        let listed = all.listed.map(|mut listed| {
            listed.sort_unstable();
            listed.into()
        });
        let candidates = Candidates {
            found: all.found.into(),
            listed,
        };
        (candidates, all.folders)
    }
}

/// The candidates where nothing is excluded, for whoever shares a look.
struct Everything {
    look: u64,
    all: Candidates,
    folders: Vec<RepoPath>,
}

impl Survey {
    /// Reads the files of a repository, those near the targets first if there are too
    /// many to read all.
    ///
    /// What is `known` of files that did not change is taken from there.
    pub(super) fn of(
        repo: &Repo,
        targets: &[RepoPath],
        excluded: &dyn Fn(&RepoPath) -> bool,
        known: Option<(Vocabulary, ByPath)>,
        counted: Option<Counted>,
    ) -> Survey {
        let candidates = Candidates::of(repo, excluded);
        let mut paths: Vec<(f64, &RepoPath)> = candidates
            .found
            .iter()
            .filter(|path| !targets.contains(path))
            .map(|path| (nearest(path.as_str(), targets), path))
            .collect();
        // Those that are as near stay in the order of their paths.
        paths.sort_by(|a, b| b.0.total_cmp(&a.0));
        let others = paths.into_iter().map(|(_, path)| path);
        let had_known = known.is_some();
        let (vocabulary, mut remembered) = known.unwrap_or_default();
        let mut survey = Survey {
            files: Vec::new(),
            in_files: Vec::new(),
            declared_in: Vec::new(),
            vocabulary,
            has_word: Vec::new(),
            counted: None,
            passed_over: 0,
            fresh: 0,
            others: ByPath::default(),
            listed: candidates.listed,
        };
        let look = repo.look();
        let mut left = MAX_BYTES;
        let mut room = MAX_MEMORY;
        let mut reader = Reader::default();
        // Targets are read whatever their size, and before anything else.
        let first = targets.iter().map(|path| (path, super::MAX_FILE));
        for (path, most) in first.chain(others.map(|path| (path, MAX_FILE))) {
            if survey.files.len() == MAX_FILES || left == 0 {
                survey.passed_over += 1;
                continue;
            }
            let most = most.min(left);
            let known = remembered.remove(path);
            let seen = known
                .as_ref()
                .filter(|file| look.is_some() && file.look == look);
            let stamp = match seen {
                // It was looked at already.
                Some(file) => file.stamp,
                None if repo.keeps() => stamp_of(repo, targets, path),
                None => None,
            };
            let is_seen = seen.is_some();
            let same = |known: &Remembered| {
                (is_seen || stamp.is_some() && stamp == known.stamp) && known.read.bytes <= most
            };
            let file = match known.filter(same) {
                Some(known) => survey.known(path.clone(), stamp, known),
                None => {
                    let Ok(file) = repo.read_at(path, path, most) else {
                        continue;
                    };
                    let stamp = stamp.filter(Stamp::is_settled);
                    survey.fresh += usize::from(stamp.is_some());
                    let language = language(path.as_str());
                    File {
                        weight: 0,
                        language,
                        read: reader.read(&mut survey.vocabulary, language, &file),
                        facts: survey.facts(path),
                        path: path.clone(),
                        stamp,
                        parts: None,
                        outline: None,
                        rough: None,
                        how: How::Parsed,
                    }
                }
            };
            left = left.saturating_sub(file.read.bytes);
            let Some(rest) = room.checked_sub(file.read.weight()) else {
                survey.passed_over += 1;
                continue;
            };
            room = rest;
            survey.files.push(file);
        }
        // Names that are gone may have left too few numbers for those that are here.
        if had_known && survey.vocabulary.is_full() {
            return Survey::of(repo, targets, excluded, None, None);
        }
        survey.sort();
        match look {
            Some(_) => survey.count_again(counted),
            None => survey.count(),
        }
        survey.others = remembered;
        survey
    }

    /// Sorts the files by their paths. A `File` is large, so their order is found first and
    /// each is moved once; it comes in runs that are sorted already.
    fn sort(&mut self) {
        let mut files: Vec<Option<File>> = take(&mut self.files).into_iter().map(Some).collect();
        let mut order: Vec<usize> = (0..files.len()).collect();
        let path = |at: usize| files[at].as_ref().map(|file| &file.path);
        order.sort_by(|a, b| path(*a).cmp(&path(*b)));
        self.files = order.iter().filter_map(|at| files[*at].take()).collect();
    }

    /// A file that is the same as when it was read.
    fn known(&mut self, path: RepoPath, stamp: Option<Stamp>, known: Remembered) -> File {
        let facts = known.facts.unwrap_or_else(|| self.facts(&path));
        File {
            language: language(path.as_str()),
            path,
            read: known.read,
            stamp,
            weight: known.weight,
            parts: known.parts,
            outline: known.outline,
            rough: known.rough,
            how: How::Parsed,
            facts,
        }
    }

    /// Counts in how many files each name is, unless that was `counted` for the same files.
    fn count_again(&mut self, counted: Option<Counted>) {
        let hasher = counted.as_ref().map(|counted| counted.hasher.clone());
        let hasher = hasher.unwrap_or_default();
        let mark = self.mark(&hasher);
        match counted.filter(|counted| counted.mark == mark) {
            Some(counted) => {
                // Names that came since are in none of these files.
                self.in_files = counted.in_files;
                self.declared_in = counted.declared_in;
                self.has_word = counted.has_word;
                self.in_files.resize(self.vocabulary.names.len(), 0);
                self.declared_in.resize(self.vocabulary.names.len(), 0);
                self.has_word.resize(self.vocabulary.words.len(), false);
            }
            None => self.count(),
        }
        self.counted = Some((mark, hasher));
    }

    /// Stands for the files and their texts. What comes from an earlier run has no number,
    /// and there is only one such text of each file.
    fn mark(&self, hasher: &RandomState) -> u64 {
        let mut hasher = hasher.build_hasher();
        for file in &self.files {
            (file.path.as_str(), file.read.serial).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The counts for the next prompt; the survey has none then.
    pub(super) fn counted(&mut self) -> Option<Counted> {
        let (mark, hasher) = self.counted.take()?;
        Some(Counted {
            mark,
            hasher,
            in_files: take(&mut self.in_files),
            declared_in: take(&mut self.declared_in),
            has_word: take(&mut self.has_word),
        })
    }

    fn facts(&mut self, path: &RepoPath) -> Box<Facts> {
        Box::new(Facts::of(path.as_str(), &mut self.vocabulary.in_paths))
    }

    /// Counts in how many files each name is.
    fn count(&mut self) {
        self.in_files.resize(self.vocabulary.names.len(), 0);
        self.declared_in.resize(self.vocabulary.names.len(), 0);
        for file in &self.files {
            for (name, _) in &file.read.uses {
                self.in_files[*name as usize] += 1;
            }
            for name in &file.read.declares {
                self.declared_in[*name as usize] += 1;
            }
        }
        self.has_word = vec![false; self.vocabulary.words.len()];
        for (name, _) in (0..).zip(&self.in_files).filter(|(_, files)| **files > 0) {
            for word in self.vocabulary.words_of(name) {
                self.has_word[*word as usize] = true;
            }
        }
    }

    /// The names in these lines that the survey knows, with how often each is there.
    pub(super) fn counts(&self, lines: &[&str]) -> Counts {
        let names = lines.iter().flat_map(|line| names(line));
        let mut found: Vec<u32> = names
            .filter_map(|(_, name)| self.vocabulary.names.get(name))
            .collect();
        found.sort_unstable();
        let same = found.chunk_by(|a, b| a == b);
        same.map(|same| (same[0], u16::try_from(same.len()).unwrap_or(u16::MAX)))
            .collect()
    }

    /// The number of a name that is in one of the files.
    pub(super) fn name(&self, name: &str) -> Option<u32> {
        let number = self.vocabulary.names.get(name)?;
        (self.in_files[number as usize] > 0).then_some(number)
    }

    /// The number of a word that is in one of the names in the files.
    pub(super) fn word(&self, word: &str) -> Option<u32> {
        let number = self.vocabulary.words.get(word)?;
        self.has_word[number as usize].then_some(number)
    }

    /// How much it says that a name is in a text: the rarer, the more.
    pub(super) fn rarity(&self, name: u32) -> f64 {
        rarity(self.in_files[name as usize] as usize, self.files.len())
    }
}

/// What a target or a file that the walk found looks like.
fn stamp_of(repo: &Repo, targets: &[RepoPath], path: &RepoPath) -> Option<Stamp> {
    if !targets.contains(path) {
        return repo.stamp_of_plain(path);
    }
    // Whoever named it may have come through a link, by which it is not read.
    let is_plain = repo.kind(path) == Kind::File(path.clone());
    repo.stamp(path).filter(|_| is_plain)
}

/// Reads one text after another.
#[derive(Default)]
struct Reader {
    /// For each name where it is among those of the text at hand, and of which text that
    /// was true last.
    places: Vec<(usize, u32)>,
    texts: u32,
}

impl Reader {
    fn read(&mut self, vocabulary: &mut Vocabulary, language: &str, file: &FileText) -> Reading {
        self.texts += 1;
        let mut uses: Counts = Vec::new();
        let mut declares = Vec::new();
        let mut length = 0;
        let mut declared = false;
        for (_, name) in names(&file.text) {
            let is_keyword = declares_next(name);
            if is_mere_keyword(name) {
                declared = true;
                continue;
            }
            if let Some(number) = vocabulary.number(name) {
                length += 1;
                if declared && !is_keyword {
                    declares.push(number);
                }
                if self.places.len() < vocabulary.names.len() {
                    self.places.resize(vocabulary.names.len(), (0, 0));
                }
                let (place, text) = &mut self.places[number as usize];
                if *text == self.texts {
                    let count = &mut uses[*place].1;
                    *count = count.saturating_add(1);
                } else if uses.len() < MAX_USES {
                    (*place, *text) = (uses.len(), self.texts);
                    uses.push((number, 1));
                }
            }
            declared = is_keyword;
        }
        uses.sort_unstable();
        uses.shrink_to_fit();
        declares.sort_unstable();
        declares.dedup();
        Reading {
            serial: SERIALS.fetch_add(1, Ordering::Relaxed),
            bytes: file.bytes,
            uses,
            declares,
            length,
            imports: imports(language, &file.text),
            package: package(language, &file.text),
            named: named(language, &file.text),
            offers: offers(language, &file.text),
        }
    }
}

/// The weight of a word that is in so many of all texts.
pub(super) fn rarity(with: usize, all: usize) -> f64 {
    let (with, all) = (with as f64, all as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Words behind which a declaration's name stands, in one language or another.
fn declares_next(name: &str) -> bool {
    matches!(
        name,
        "class"
            | "function"
            | "struct"
            | "enum"
            | "interface"
            | "trait"
            | "type"
            | "union"
            | "macro_rules"
            | "module"
            | "mod"
            | "namespace"
            | "record"
            | "define"
            | "object"
            | "static"
    )
}

/// Whether a name is nothing but such a word, in any language that has it.
fn is_mere_keyword(name: &str) -> bool {
    matches!(name, "fn" | "def" | "func" | "fun" | "const")
}

/// How near a path is to the nearest of the targets.
fn nearest(path: &str, targets: &[RepoPath]) -> f64 {
    let near = targets.iter().map(|target| nearness(path, target.as_str()));
    near.fold(0.0, f64::max)
}

/// How near two paths are: 1 for the same folder, 0 for nothing in common.
pub(super) fn nearness(a: &str, b: &str) -> f64 {
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
mod tests {
    use super::*;

    #[test]
    fn a_path_is_near_as_far_as_folders_are_the_same() {
        let near = |a, b| nearness(a, b);
        assert!((near("a.rs", "b.rs") - 1.0).abs() < 1e-9);
        assert!((near("src/x/a.rs", "src/x/b.rs") - 1.0).abs() < 1e-9);
        assert!((near("src/x/a.rs", "src/y/b.rs") - 0.5).abs() < 1e-9);
        assert!(near("src/a.rs", "tests/a.rs") < 1e-9);
        assert!(near("src", "src/a.rs") < 1e-9);
    }
}
