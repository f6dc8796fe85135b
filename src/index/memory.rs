//! What was learned about the same repository earlier: by an earlier run, kept in the user's cache
//! folder, or for an earlier prompt of this run, kept in memory. It saves time; a prompt is the
//! same with and without it.

use super::corpus::{Corpus, KeptSpread};
use super::earlier::{ByPath, Earlier, KeptFile};
use super::entry::{self, Known, MAX_KEPT};
use super::links::{FoundLinks, KeptLinks};
use super::vocabulary::Vocabulary;
use crate::repo::{Git, Past, PastChange, Repo, RepoPath, Shelf};

/// An entry is written again if one in this many files was read anew…
pub const WORTH_WRITING: usize = 50;

/// …or if this many were cut into parts.
const MANY_PARTS: usize = 8;

/// After each write, a long-lived run waits for this many times as much news.
const PATIENCE: usize = 4;

/// About how many bytes of memory files may take from one prompt to the next.
const MAX_IN_MEMORY: usize = 56 * 1024 * 1024;

/// The number of sets of files for which links are kept in memory. In very large repositories, the
/// targets decide which files are read.
const MAX_LINKS: usize = 4;

/// What the last commits changed, as far as it is known.
#[derive(Default)]
struct KnownPast {
    /// The state of the history that this belongs to.
    mark: Option<String>,
    past: Past,
    is_new: bool,
    /// The look in which that was asked for; 0 if none is shared, so that this is for one prompt.
    asked_in: Option<u64>,
}

impl KnownPast {
    fn told(&self) -> (Option<&str>, &Past) {
        (self.mark.as_deref(), &self.past)
    }
}

/// What is known from earlier.
#[derive(Default)]
pub struct Memory {
    past: KnownPast,
    /// Files, and the names that their numbers stand for.
    pub files: Option<(Vocabulary, ByPath)>,
    /// What they say and how they were cut, if anything is kept on disk.
    shelf: Option<Shelf>,
    /// What the files of a corpus import; the most recently used comes last.
    pub links: Vec<KeptLinks>,
    /// In how many files of the last corpus each name is.
    pub spread: Option<KeptSpread>,
    /// How many files were read, and how many were cut, since an entry was written.
    fresh: usize,
    cut: usize,
    /// How many must be read, or cut, before an entry is written.
    many_fresh: usize,
    many_parts: usize,
}

/// What a prompt found out, to be kept.
pub struct Findings<'a> {
    pub corpus: &'a mut Corpus,
    /// Files that are known and were not asked for.
    pub others: &'a mut ByPath,
    /// What files import, if that was looked for.
    pub links: Option<&'a FoundLinks>,
    /// How many files were read anew although they are not about to change.
    pub fresh: usize,
    /// How many of them were cut into parts, or compared with their past.
    pub cut: usize,
}

impl Memory {
    /// Returns what is known of a repository, in memory or else on disk.
    pub fn of(repo: &Repo) -> Memory {
        repo.recall().unwrap_or_else(|| Memory::read(repo))
    }

    fn read(repo: &Repo) -> Memory {
        let empty = Memory {
            shelf: entry::shelf(repo),
            ..Memory::default()
        };
        let Some((mark, past, names, rows, links)) = entry::read(repo) else {
            return empty;
        };
        Memory {
            past: KnownPast {
                mark,
                past,
                ..KnownPast::default()
            },
            files: Vocabulary::of(names).map(|names| (names, entry::by_path(rows))),
            links: links.into_iter().collect(),
            ..empty
        }
    }

    /// Returns what the last commits changed, the newest first.
    pub fn past(&mut self, repo: &Repo) -> &[PastChange] {
        let known = &mut self.past;
        let look = repo.look().unwrap_or_default();
        if known.asked_in == Some(look) {
            return &known.past.changes;
        }
        known.asked_in = Some(look);
        let git = repo.git().ok();
        let mark = git.and_then(Git::past_mark);
        if mark.is_none() || mark != known.mark {
            let found = git.map(|git| git.past(&known.past));
            let (past, is_whole) = found.unwrap_or_default();
            known.past = past;
            // What could not be read may be readable the next time.
            known.mark = mark.filter(|_| is_whole);
            known.is_new = known.mark.is_some();
        }
        &known.past.changes
    }

    /// Returns the place of what files say and how they were cut, if anything is kept on disk.
    pub fn shelf(&self) -> Option<&Shelf> {
        self.shelf.as_ref()
    }

    /// Writes what is now known to disk, if enough of it is new.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub fn write(&mut self, repo: &Repo, found: &mut Findings<'_>) -> Result<(), String> {
        if !self.is_worth_writing(found) {
            return Ok(());
        }
        let Some(shelf) = &mut self.shelf else {
            return Ok(());
        };
        let mut known = Known {
            past: self.past.told(),
            vocabulary: &found.corpus.vocabulary,
            asked: &mut found.corpus.files,
            others: found.others,
            links: found.links.and_then(FoundLinks::kept),
        };
        if entry::write(repo, shelf, &mut known)? {
            let files = found.corpus.files.len();
            self.wrote(files);
        }
        Ok(())
    }

    /// Writes what is kept in memory to disk, if any of it is new.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub fn write_rest(repo: &Repo) -> Result<(), String> {
        let Some(mut memory) = repo.recall::<Memory>() else {
            return Ok(());
        };
        let is_new = memory.fresh + memory.cut > 0 || memory.past.is_new;
        let mut written = Ok(false);
        if let (Some((vocabulary, others)), Some(shelf)) = (&mut memory.files, &mut memory.shelf)
            && is_new
        {
            let mut known = Known {
                past: memory.past.told(),
                vocabulary,
                asked: &mut [],
                others,
                links: memory.links.last().filter(|links| links.may_be_kept()),
            };
            written = entry::write(repo, shelf, &mut known);
        }
        if written == Ok(true) {
            memory.wrote(1);
        }
        repo.remember(memory);
        written.map(drop)
    }

    /// Adds up what is new. Returns whether it is worth writing.
    fn is_worth_writing(&mut self, found: &Findings<'_>) -> bool {
        // Links that cannot be kept are no reason to write.
        self.fresh += found.links.map_or(0, FoundLinks::fresh).max(found.fresh);
        self.cut += found.cut;
        let many_fresh = self.many_fresh(found.corpus.files.len());
        let many_parts = self.many_parts.max(MANY_PARTS);
        self.past.is_new || self.fresh >= many_fresh || self.cut >= many_parts
    }

    fn many_fresh(&self, files: usize) -> usize {
        let files = files.max(1);
        self.many_fresh
            .max(files.div_ceil(WORTH_WRITING))
            .min(files)
    }

    /// Records that what was new is written, so that the next write takes more.
    fn wrote(&mut self, files: usize) {
        self.many_fresh = PATIENCE * self.fresh.max(self.many_fresh(files));
        self.many_parts = PATIENCE * self.cut.max(self.many_parts).max(MANY_PARTS);
        (self.fresh, self.cut, self.past.is_new) = (0, 0, false);
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
        let (files, vocabulary, spread) = corpus.kept();
        let mut left = MAX_IN_MEMORY;
        let mut fits = |weight: usize| {
            let rest = left.checked_sub(weight);
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let mut asked: Vec<(RepoPath, Earlier)> = Vec::with_capacity(files.len());
        for mut file in files {
            let path = file.path.clone();
            if fits(file.weigh()) {
                asked.push((path, Earlier::Here(Box::new(file))));
            } else if let Some(kept) = KeptFile::of(&file) {
                asked.push((path, Earlier::Kept(kept, 0)));
            }
        }
        let mut kept = others;
        // What could change without being noticed counts in this look only.
        kept.retain(|_, file| {
            let is_here = file.file().is_some() && fits(file.weigh());
            file.holds_in(look) && (is_here || file.shrinks())
        });
        let most = MAX_KEPT.saturating_sub(asked.len());
        if kept.len() > most {
            let age = |file: &Earlier| file.kept().map_or(0, |(since, _)| since);
            let mut ages: Vec<usize> = kept.values().map(age).collect();
            let (_, oldest, _) = ages.select_nth_unstable(most);
            let oldest = *oldest;
            kept.retain(|_, file| age(file) < oldest);
        }
        kept.extend(asked);
        self.spread = Some(spread);
        self.files = (!vocabulary.is_full()).then_some((vocabulary, kept));
        repo.remember(self);
    }
}
