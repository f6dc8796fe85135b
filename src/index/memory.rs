//! What was found out about the same repository earlier: by an earlier run, kept in the
//! user's cache folder, or for an earlier prompt of this one, kept in memory. It saves
//! time; a prompt is the same with and without it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, File, KeptSpread};
use super::links::{FoundLinks, KeptLinks};
use super::packed::Packed;
use super::parts::ReadPart;
use super::reading::Reading;
use super::renewed::Renewed;
use super::vocabulary::{Kept as KeptVocabulary, Vocabulary};
use crate::hash;
use crate::repo::{Cache, Git, PastChange, Repo, RepoPath, Stamp};

/// The most files that are kept although this run did not ask for them.
const MAX_OTHERS: usize = 5000;

/// The room for the parts of files in an entry, in bytes…
const MAX_PARTS: usize = 5 * 1024 * 1024;

/// …and that for files with their parts, of which history and names take theirs.
const MAX_WRITTEN: usize = 10 * 1024 * 1024;

/// How many names may be gone before that is a reason to begin anew.
const MANY_GONE: usize = 10_000;

/// An entry is written again if one in this many files was read anew…
pub const WORTH_WRITING: usize = 50;

/// …or if this many were cut into parts.
const MANY_PARTS: usize = 8;

/// Each time it has written, a run that goes on waits for this many times as much news.
const PATIENCE: usize = 4;

/// The memory that files may take from one prompt to the next; about, in bytes.
const MAX_IN_MEMORY: usize = 56 * 1024 * 1024;

/// For how many sets of files links are kept in memory. Which files are read depends on the
/// targets where there are very many.
const MAX_LINKS: usize = 4;

/// Files that were read earlier, by their paths.
pub type ByPath = HashMap<RepoPath, Earlier, RandomState>;

/// A file that was read earlier.
pub enum Earlier {
    /// By this run.
    Here(Box<File>),
    /// By another one.
    Kept(Kept),
}

/// A file in an entry: its stamp, what it says, and how it was cut.
#[derive(Clone, Serialize, Deserialize)]
pub struct Kept {
    stamp: Option<Stamp>,
    read: Packed<Reading>,
    cut: Option<Packed<Cut>>,
}

/// The same as it is written, with its path.
type Row<'a> = (
    &'a str,
    (Option<Stamp>, &'a Packed<Reading>, Option<&'a Packed<Cut>>),
);

/// The parts of a file, its outline, and which lines its last changes brought.
type Cut = (
    Option<Packed<Vec<ReadPart>>>,
    Option<Vec<Range<usize>>>,
    Option<Renewed>,
);

/// The mark of the history and what it changed, the vocabulary, the files and their links.
type Entry = (
    Option<String>,
    Vec<PastChange>,
    KeptVocabulary,
    Vec<(String, Kept)>,
    Option<KeptLinks>,
);

/// What the last commits changed, as far as it is known.
#[derive(Default)]
struct Past {
    /// The state of the history that the changes belong to.
    mark: Option<String>,
    changes: Vec<PastChange>,
    is_new: bool,
    /// The look in which that was found out.
    look: Option<u64>,
}

/// What is known from earlier.
#[derive(Default)]
pub struct Memory {
    past: Past,
    /// Files, and the names that their numbers mean.
    pub files: Option<(Vocabulary, ByPath)>,
    /// What the files of a corpus import; the one that was used last is the last.
    pub links: Vec<KeptLinks>,
    /// In how many files of the last corpus each name is.
    pub spread: Option<KeptSpread>,
    /// How many files were read, and how many were cut, since an entry was written.
    fresh: usize,
    cut: usize,
    /// How many have to be read, or cut, for an entry to be written.
    many_fresh: usize,
    many_parts: usize,
}

/// What a prompt found out, to be kept.
pub struct Findings<'a> {
    pub corpus: &'a Corpus,
    /// Files that are known and were not asked for.
    pub others: &'a ByPath,
    /// What files import, if that was looked for.
    pub links: Option<&'a FoundLinks>,
    /// How many files were read anew, though they are not about to change.
    pub fresh: usize,
    /// How many of them were cut into parts, or compared with what they were.
    pub cut: usize,
}

impl Memory {
    /// What is known of a repository, in memory or else on disk.
    pub fn of(repo: &Repo) -> Memory {
        repo.recall().unwrap_or_else(|| Memory::read(repo))
    }

    fn read(repo: &Repo) -> Memory {
        let read = |cache: &Cache| {
            let (key, name) = key(repo);
            cache.read::<Entry>(&name, &key)
        };
        let Some((mark, changes, names, rows, links)) = repo.cache().and_then(read) else {
            return Memory::default();
        };
        Memory {
            past: Past {
                mark,
                changes,
                ..Past::default()
            },
            files: Vocabulary::of(names).map(|names| (names, by_path(rows))),
            links: links.into_iter().collect(),
            ..Memory::default()
        }
    }

    /// What the last commits changed, the newest first.
    pub fn past(&mut self, repo: &Repo) -> &[PastChange] {
        let past = &mut self.past;
        if past.look.is_some() && past.look == repo.look() {
            return &past.changes;
        }
        past.look = repo.look();
        let git = repo.git().ok();
        let mark = git.and_then(Git::past_mark);
        if mark.is_none() || mark != past.mark {
            let (changes, is_whole) = git.map(Git::past_changes).unwrap_or_default();
            past.changes = changes;
            // What could not be read may be readable the next time.
            past.mark = mark.filter(|_| is_whole);
            past.is_new = past.mark.is_some();
        }
        &past.changes
    }

    /// Writes what is known now to disk, if enough of it is new.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub fn write(&mut self, repo: &Repo, found: &Findings<'_>) -> Result<(), String> {
        let Some(cache) = repo.cache().filter(|_| self.is_worth_writing(found)) else {
            return Ok(());
        };
        let links = found.links.and_then(FoundLinks::kept);
        let vocabulary = &found.corpus.vocabulary;
        let past = (&self.past.mark, &self.past.changes);
        let rest = Cache::size(&(past.0, past.1, vocabulary.kept(), &links))?;
        let files: Vec<(&str, Cow<'_, Kept>)> = kept(found).collect();
        let rows = fitting(&files, MAX_WRITTEN.saturating_sub(rest))?;
        let none = Vocabulary::default();
        // Where most names are gone from the repository, the next run begins anew; and where
        // some found no number, others might find none in another order.
        let (vocabulary, rows, links) = if is_stale(vocabulary, &rows) || vocabulary.is_full() {
            (&none, Vec::new(), None)
        } else {
            (vocabulary, rows, links)
        };
        let (key, name) = key(repo);
        cache.write(
            &name,
            &key,
            &(past.0, past.1, vocabulary.kept(), rows, links),
        )
    }

    /// Adds up what is new, and begins to count again once it is worth to be written.
    fn is_worth_writing(&mut self, found: &Findings<'_>) -> bool {
        // Links that cannot be kept are no reason to write.
        self.fresh += found.links.map_or(0, FoundLinks::fresh).max(found.fresh);
        self.cut += found.cut;
        let files = found.corpus.files.len().max(1);
        let many_fresh = self
            .many_fresh
            .max(files.div_ceil(WORTH_WRITING))
            .min(files);
        let many_parts = self.many_parts.max(MANY_PARTS);
        let is_worth = self.past.is_new || self.fresh >= many_fresh || self.cut >= many_parts;
        if is_worth {
            self.many_fresh = PATIENCE * self.fresh.max(many_fresh);
            self.many_parts = PATIENCE * self.cut.max(many_parts);
            (self.fresh, self.cut, self.past.is_new) = (0, 0, false);
        }
        is_worth
    }

    /// Keeps all of it in memory for the next prompt of this run.
    pub fn remember(
        mut self,
        repo: &Repo,
        look: u64,
        corpus: Corpus,
        others: ByPath,
        links: Option<FoundLinks>,
    ) {
        if let Some(links) = links.and_then(|links| links.kept_in(look)) {
            if self.links.len() == MAX_LINKS {
                self.links.remove(0);
            }
            self.links.push(links);
        }
        let (mut files, vocabulary, spread) = corpus.kept();
        let mut left = MAX_IN_MEMORY;
        let mut fits = |weight: usize| {
            let rest = left.checked_sub(weight);
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        files.retain_mut(|file| fits(file.weigh()));
        let mut kept = others;
        // What could change without being noticed counts in this look only.
        kept.retain(|_, file| file.holds_in(look) && fits(file.weigh()));
        let files = files.into_iter();
        kept.extend(files.map(|file| (file.path.clone(), Earlier::Here(Box::new(file)))));
        self.spread = Some(spread);
        self.files = (!vocabulary.is_full()).then_some((vocabulary, kept));
        repo.remember(self);
    }
}

impl Earlier {
    /// What it looked like before it was read.
    pub fn stamp(&self) -> Option<Stamp> {
        match self {
            Earlier::Here(file) => file.stamp,
            Earlier::Kept(kept) => kept.stamp,
        }
    }

    /// Whether it was looked at in this look.
    pub fn is_seen_in(&self, look: Option<u64>) -> bool {
        match self {
            Earlier::Here(file) => look.is_some() && file.look == look,
            Earlier::Kept(_) => false,
        }
    }

    /// Whether a change of it would be noticed, or cannot have been in this look.
    fn holds_in(&self, look: u64) -> bool {
        self.stamp().is_some() || self.is_seen_in(Some(look))
    }

    /// About how many bytes of memory it takes.
    fn weigh(&mut self) -> usize {
        match self {
            Earlier::Here(file) => file.weigh(),
            Earlier::Kept(kept) => kept.read.len() + kept.cut.as_ref().map_or(0, Packed::len),
        }
    }

    /// The file, if all names in it have a number.
    pub fn open(self, path: &RepoPath, vocabulary: &mut Vocabulary) -> Option<File> {
        match self {
            Earlier::Here(file) => Some(*file),
            Earlier::Kept(kept) => kept.open(path, vocabulary),
        }
    }
}

impl Kept {
    /// What is kept of a file, if it can be written.
    fn of(file: &File) -> Option<Kept> {
        let cut = (&file.parts, &file.outline, &file.renewed);
        let is_cut = cut.0.is_some() || cut.1.is_some() || cut.2.is_some();
        Some(Kept {
            stamp: file.stamp,
            read: Packed::of(&file.read)?,
            cut: is_cut.then(|| Packed::of(&cut)).flatten(),
        })
    }

    /// The file at this path, if all names in it have a number.
    fn open(self, path: &RepoPath, vocabulary: &mut Vocabulary) -> Option<File> {
        let read = self.read.open()?;
        let names = vocabulary.names.len();
        let read = Some(read).filter(|read: &Reading| read.is_below(names))?;
        let cut = self.cut.map(|cut| cut.open());
        let (parts, outline, renewed) = cut.map_or(Some(Cut::default()), |cut| cut)?;
        Some(File {
            outline,
            parts,
            renewed,
            stamp: self.stamp,
            ..File::new(path.clone(), read, vocabulary)
        })
    }
}

/// The files of an entry. A name that a folder has and no path may have is known anew in each
/// run.
fn by_path(rows: Vec<(String, Kept)>) -> ByPath {
    let rows = rows.into_iter();
    rows.filter_map(|(path, kept)| Some((RepoPath::parse(&path).ok()?, Earlier::Kept(kept))))
        .collect()
}

/// What may be written of files: those that were asked for, then the others.
fn kept<'a>(found: &Findings<'a>) -> impl Iterator<Item = (&'a str, Cow<'a, Kept>)> {
    let mut others: Vec<(&RepoPath, &Earlier)> = found.others.iter().collect();
    others.retain(|(_, file)| file.stamp().is_some());
    others.sort_by(|a, b| a.0.cmp(b.0));
    let others = others.into_iter().take(MAX_OTHERS);
    let others = others.filter_map(|(path, file)| {
        let kept = match file {
            Earlier::Here(file) => Cow::Owned(Kept::of(file)?),
            Earlier::Kept(kept) => Cow::Borrowed(kept),
        };
        Some((path.as_str(), kept))
    });
    let asked = found.corpus.files.iter();
    let asked = asked.filter(|file| file.stamp.is_some());
    let asked = asked.filter_map(|file| Some((file.path.as_str(), Cow::Owned(Kept::of(file)?))));
    asked.chain(others)
}

/// The files for which there is room in `left` bytes.
fn fitting<'a>(
    files: &'a [(&str, Cow<'_, Kept>)],
    mut left: usize,
) -> Result<Vec<Row<'a>>, String> {
    let (mut rows, mut cuts) = (Vec::new(), Vec::new());
    for (path, kept) in files {
        // Parts come when every file has its place.
        let row: Row<'_> = (path, (kept.stamp, &kept.read, None));
        if let Some(rest) = left.checked_sub(Cache::size(&row)?) {
            left = rest;
            rows.push(row);
            cuts.push(kept.cut.as_ref());
        }
    }
    left = left.min(MAX_PARTS);
    for (row, cut) in rows.iter_mut().zip(cuts) {
        if let Some(rest) = left.checked_sub(Cache::size(&cut)?) {
            left = rest;
            row.1.2 = cut;
        }
    }
    Ok(rows)
}

/// Whether most names of a vocabulary are in none of these files.
fn is_stale(vocabulary: &Vocabulary, rows: &[Row<'_>]) -> bool {
    let mut used = vec![false; vocabulary.names.len()];
    for read in rows.iter().filter_map(|(_, (_, read, _))| read.open()) {
        for (name, _) in &read.uses {
            if let Some(used) = used.get_mut(*name as usize) {
                *used = true;
            }
        }
    }
    used.len() > 2 * used.iter().filter(|used| **used).count() + MANY_GONE
}

/// What an entry is for, and its name.
pub fn key(repo: &Repo) -> (String, String) {
    let root = repo.root().to_string_lossy().into_owned();
    let name = format!("{:016x}", hash::of(&[&root]));
    (root, name)
}
