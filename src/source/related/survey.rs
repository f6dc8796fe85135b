//! One pass over the repository's files: which names each uses and declares.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::paths::is_program;
use super::words::{names, words};
use crate::repo::{Found, Repo, RepoPath, Visitor};
use crate::source::imports::package;
use crate::syntax::imports::{Import, imports};
use crate::syntax::language;

/// At most so many files are read, the nearest to the targets first.
const MAX_FILES: usize = 5000;

/// All of them together have at most so many bytes.
const MAX_BYTES: u64 = 40 * 1024 * 1024;

/// A larger file is data, or made by a program.
const MAX_FILE: u64 = 400 * 1024;

/// So many different names are known.
const MAX_NAMES: usize = 300_000;

/// A file uses at most so many different names.
const MAX_USES: usize = 4000;

/// Every name and word has a number.
#[derive(Default)]
pub(super) struct Numbers {
    numbers: HashMap<Box<str>, u32>,
}

impl Numbers {
    fn number(&mut self, name: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let next = u32::try_from(self.numbers.len()).ok()?;
        (self.numbers.len() < MAX_NAMES).then(|| {
            self.numbers.insert(name.into(), next);
            next
        })
    }

    pub(super) fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Names of a text with how often each is there.
pub(super) type Counts = Vec<(u32, u16)>;

/// What is known of a file.
pub(super) struct File {
    pub(super) path: RepoPath,
    pub(super) language: &'static str,
    pub(super) bytes: usize,
    /// Sorted by number.
    pub(super) uses: Counts,
    /// Sorted.
    pub(super) declares: Vec<u32>,
    /// Names in all.
    pub(super) length: usize,
    /// What it imports, as it says.
    pub(super) imports: Vec<Import>,
    pub(super) package: Option<String>,
}

/// What is known of all files.
pub(super) struct Survey {
    pub(super) files: Vec<File>,
    pub(super) numbers: Numbers,
    /// The words of each name, by their numbers among words.
    pub(super) words_of: Vec<Box<[u32]>>,
    pub(super) word_numbers: Numbers,
    /// In how many files each name is.
    pub(super) in_files: Vec<u32>,
    /// In how many files each name is declared.
    pub(super) declared_in: Vec<u32>,
    /// How many files were not read, since there are too many.
    pub(super) passed_over: usize,
}

struct All<'a> {
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    /// What git knows, if it can be asked.
    tracked: Option<HashSet<String>>,
    found: Vec<RepoPath>,
}

impl All<'_> {
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
        !(self.excluded)(folder)
    }

    fn found(&mut self, found: Found) {
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

impl Survey {
    /// Reads the files of a repository, those near the targets first if there are too
    /// many to read all.
    pub(super) fn of(
        repo: &Repo,
        targets: &[RepoPath],
        excluded: &dyn Fn(&RepoPath) -> bool,
    ) -> Survey {
        let mut all = All {
            excluded,
            tracked: repo
                .git()
                .map(|git| git.tracked().into_iter().collect())
                .ok(),
            found: Vec::new(),
        };
        // What cannot be listed is told by the sources that were asked for it.
        let _ = repo.walk(&RepoPath::root(), &mut all);
        let mut paths: Vec<(f64, RepoPath)> = all
            .found
            .into_iter()
            .filter(|path| !targets.contains(path))
            .map(|path| (nearest(path.as_str(), targets), path))
            .collect();
        paths.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let others = paths.into_iter().map(|(_, path)| path);
        let mut survey = Survey {
            files: Vec::new(),
            numbers: Numbers::default(),
            words_of: Vec::new(),
            word_numbers: Numbers::default(),
            in_files: Vec::new(),
            declared_in: Vec::new(),
            passed_over: 0,
        };
        let mut left = MAX_BYTES;
        let mut seen: HashMap<u32, u16, Fast> = HashMap::default();
        // Targets are read whatever their size, and before anything else.
        let targets = targets.iter().map(|path| (path.clone(), super::MAX_FILE));
        for (path, most) in targets.chain(others.map(|path| (path, MAX_FILE))) {
            if survey.files.len() == MAX_FILES || left == 0 {
                survey.passed_over += 1;
                continue;
            }
            let Ok(file) = repo.read_at(&path, &path, most.min(left)) else {
                continue;
            };
            left = left.saturating_sub(file.bytes);
            let file = survey.read(path, &file.text, &mut seen);
            survey.files.push(file);
        }
        survey.files.sort_by(|a, b| a.path.cmp(&b.path));
        survey
    }

    fn read(&mut self, path: RepoPath, text: &str, seen: &mut HashMap<u32, u16, Fast>) -> File {
        let language = language(path.as_str());
        let mut declares = Vec::new();
        let mut length = 0;
        let mut declared = false;
        seen.clear();
        for (_, name) in names(text) {
            let is_keyword = declares_next(name);
            if is_mere_keyword(name) {
                declared = true;
                continue;
            }
            if let Some(number) = self.number(name) {
                length += 1;
                if declared && !is_keyword {
                    declares.push(number);
                }
                if seen.len() < MAX_USES || seen.contains_key(&number) {
                    let count = seen.entry(number).or_default();
                    *count = count.saturating_add(1);
                }
            }
            declared = is_keyword;
        }
        let mut uses: Counts = seen.iter().map(|(name, count)| (*name, *count)).collect();
        uses.sort_unstable();
        for (name, _) in &uses {
            self.in_files[*name as usize] += 1;
        }
        declares.sort_unstable();
        declares.dedup();
        for name in &declares {
            self.declared_in[*name as usize] += 1;
        }
        File {
            path,
            language,
            bytes: text.len(),
            uses,
            declares,
            length,
            imports: imports(language, text),
            package: package(language, text),
        }
    }

    /// The number of a name, which it is given if it has none.
    fn number(&mut self, name: &str) -> Option<u32> {
        let known = self.numbers.len();
        let number = self.numbers.number(name)?;
        if self.numbers.len() > known {
            let words = words(name);
            let words = words
                .iter()
                .filter_map(|word| self.word_numbers.number(word));
            self.words_of.push(words.collect());
            self.in_files.push(0);
            self.declared_in.push(0);
        }
        Some(number)
    }

    /// The names of a text that the survey knows, with how often each is there.
    pub(super) fn counts(&self, text: &str) -> Counts {
        let mut seen: HashMap<u32, u16, Fast> = HashMap::default();
        for (_, name) in names(text) {
            if let Some(number) = self.numbers.get(name) {
                let count = seen.entry(number).or_default();
                *count = count.saturating_add(1);
            }
        }
        let mut counts: Counts = seen.into_iter().collect();
        counts.sort_unstable();
        counts
    }

    /// How much it says that a name is in a text: the rarer, the more.
    pub(super) fn rarity(&self, name: u32) -> f64 {
        rarity(self.in_files[name as usize] as usize, self.files.len())
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
    let folders = |path: &str| -> usize { path.matches('/').count() };
    let most = folders(a).max(folders(b));
    let common = a
        .split_inclusive('/')
        .zip(b.split_inclusive('/'))
        .take_while(|(a, b)| a == b && a.ends_with('/'))
        .count();
    if most == 0 {
        1.0
    } else {
        common as f64 / most as f64
    }
}

/// Numbers that are given out here need no hashing against collisions.
pub(super) type Fast = BuildHasherDefault<Spread>;

/// Spreads a number over all bits.
#[derive(Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
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
