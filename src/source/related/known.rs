//! What was found out about the same repository earlier: by an earlier run, kept in the
//! user's cache folder, or for an earlier prompt of this one, kept in memory. It saves
//! time; a prompt is the same with and without it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::links::{self, Found};
use super::numbers::{Kept, Vocabulary};
use super::packed::Packed;
use super::paths::Facts;
use super::signals::{PartSignals, Seen};
use super::survey::{Counted, File, How, Reading, Survey};
use crate::hash;
use crate::repo::{Cache, Git, PastChange, Repo, RepoPath, Stamp};

/// Files that this run did not ask for are kept up to this number.
const MAX_OTHERS: usize = 5000;

/// What is kept of files, without their parts, takes about so many bytes of memory when it
/// is read again, beside what a run finds out itself.
const MAX_MEMORY: usize = 20 * 1024 * 1024;

/// The parts of files are kept in at most so many bytes…
const MAX_PARTS: usize = 5 * 1024 * 1024;

/// …and files and parts in what history and names leave of so many.
const MAX_WRITTEN: usize = 10 * 1024 * 1024;

/// So many names that are gone are no reason to begin anew.
const MANY_GONE: usize = 10_000;

/// An entry is written again if at least one file in so many was read anew…
pub(super) const WORTH_WRITING: usize = 50;

/// …or so many were cut into parts. Who goes on writes for four times as many each time.
const MANY_PARTS: usize = 8;

/// What is kept of files in memory takes about so many bytes.
const MAX_IN_MEMORY: usize = 56 * 1024 * 1024;

/// Links are kept in memory for so many sets of files. Which files are looked at depends
/// on the targets where there are very many.
const MAX_LINKS: usize = 4;

/// What is remembered of files, by their paths.
pub(super) type ByPath = HashMap<RepoPath, Remembered, RandomState>;

/// What is remembered of a file.
#[derive(Deserialize)]
pub(super) struct Remembered {
    /// What it looked like before it was read; `None` if that cannot tell whether it
    /// changes, so that it counts in the same look only.
    pub(super) stamp: Option<Stamp>,
    /// The look in which it was read, or was seen to be the same.
    #[serde(skip)]
    pub(super) look: Option<u64>,
    /// About how many bytes of memory it takes; 0 if nobody added that up yet.
    #[serde(skip)]
    pub(super) weight: usize,
    pub(super) read: Reading,
    pub(super) parts: Option<Packed>,
    pub(super) outline: Option<Vec<Range<usize>>>,
    /// What it was cut into without parsing it.
    #[serde(skip)]
    pub(super) rough: Option<Packed>,
    /// What its path says.
    #[serde(skip)]
    pub(super) facts: Option<Box<Facts>>,
}

/// The same while it is written.
#[derive(Serialize)]
struct Remember<'a> {
    path: &'a str,
    stamp: Option<Stamp>,
    read: &'a Reading,
    parts: Option<Cow<'a, Packed>>,
    outline: Option<&'a [Range<usize>]>,
}

impl Remembered {
    fn weigh(&self) -> usize {
        let packed = [&self.parts, &self.rough].into_iter().flatten();
        let facts = self.facts.as_ref().map_or(0, |facts| facts.weight());
        self.read.weight() + packed.map(Packed::len).sum::<usize>() + facts
    }

    /// Whether all its names have a number below this.
    fn is_below(&self, names: usize) -> bool {
        let below = |name: &u32| (*name as usize) < names;
        let used = |(name, _): &(u32, u16)| below(name);
        self.read.uses.iter().all(used) && self.read.declares.iter().all(below)
    }
}

/// The mark of the history and what it changed, the vocabulary, the files and their links.
type Entry = (
    Option<String>,
    Vec<PastChange>,
    Kept,
    Vec<(String, Remembered)>,
    Option<links::Kept>,
);

/// What is known from earlier.
#[derive(Default)]
pub(super) struct Known {
    /// The state of the history that `past` belongs to.
    mark: Option<String>,
    past: Vec<PastChange>,
    is_past_new: bool,
    /// The look in which that was found out.
    past_look: Option<u64>,
    /// Its files, and the names that their numbers mean.
    pub(super) files: Option<(Vocabulary, ByPath)>,
    /// What the files of a survey import; the one that was used last is the last.
    pub(super) links: Vec<links::Kept>,
    /// In how many files of the last survey each name is.
    pub(super) counted: Option<Counted>,
    /// Files that were read and files that were cut since an entry was written.
    fresh: usize,
    cut: usize,
    /// For how many files that are cut an entry is written.
    many_parts: usize,
}

impl Known {
    /// What is known of a repository. Who takes it from memory gives it
    /// [back](Known::give_back).
    pub(super) fn of(repo: &Repo) -> Known {
        repo.recall().unwrap_or_else(|| Known::read(repo))
    }

    fn read(repo: &Repo) -> Known {
        let read = |cache: &Cache| {
            let (key, name) = key(repo);
            cache.read::<Entry>(&name, &key)
        };
        let Some((mark, past, kept, files, links)) = repo.cache().and_then(read) else {
            return Known::default();
        };
        let files = Vocabulary::of(kept).and_then(|vocabulary| {
            let below = vocabulary.names.len();
            let is_sound = files.iter().all(|(_, file)| file.is_below(below));
            let files = files.into_iter();
            // A name that a folder has and no path may have is known anew in each run.
            let files = files.filter_map(|(path, file)| Some((RepoPath::parse(&path).ok()?, file)));
            is_sound.then(|| (vocabulary, files.collect()))
        });
        Known {
            mark,
            past,
            files,
            links: links.into_iter().collect(),
            ..Known::default()
        }
    }

    /// What the last commits changed.
    pub(super) fn past(&mut self, repo: &Repo) -> &[PastChange] {
        if self.past_look.is_some() && self.past_look == repo.look() {
            return &self.past;
        }
        self.past_look = repo.look();
        let git = repo.git().ok();
        let mark = git.and_then(Git::past_mark);
        if mark.is_none() || mark != self.mark {
            let (past, is_whole) = git.map(Git::past_changes).unwrap_or_default();
            self.past = past;
            // What could not be read may be readable the next time.
            self.mark = mark.filter(|_| is_whole);
            self.is_past_new = self.mark.is_some();
        }
        &self.past
    }

    /// Keeps what is known now, if enough of it is new: the history, what the survey
    /// found, its `links` if they were looked for, and the `parts` of its files, of which
    /// so many were `cut` just now.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub(super) fn keep(
        &mut self,
        repo: &Repo,
        survey: &Survey,
        links: Option<&Found>,
        parts: &HashMap<usize, Vec<(Seen, PartSignals)>>,
        cut: usize,
    ) -> Result<(), String> {
        // Links that cannot be kept are no reason to write.
        self.fresh += links.map_or(0, Found::fresh).max(survey.fresh);
        self.cut += cut;
        let many = self.fresh * WORTH_WRITING >= survey.files.len().max(1);
        let is_worth = self.is_past_new || many || self.cut >= self.many_parts.max(MANY_PARTS);
        let Some(cache) = repo.cache().filter(|_| is_worth) else {
            return Ok(());
        };
        let kept_links = links.and_then(Found::kept);
        self.many_parts = 4 * self.cut.max(MANY_PARTS);
        (self.fresh, self.cut, self.is_past_new) = (0, 0, false);
        let asked = survey.files.iter().enumerate().filter_map(|(at, file)| {
            // Paragraphs that are there for want of time are no parts for the next run.
            let is_fresh = file.how == How::Parsed && file.parts.is_none();
            let fresh = parts.get(&at).filter(|_| is_fresh);
            let fresh = fresh.and_then(|parts| Packed::of(parts.iter().map(|(seen, _)| seen)));
            Some(Remember {
                path: file.path.as_str(),
                stamp: Some(file.stamp?),
                read: &file.read,
                parts: match fresh {
                    Some(fresh) => Some(Cow::Owned(fresh)),
                    None => file.parts.as_ref().map(Cow::Borrowed),
                },
                outline: file.outline.as_deref(),
            })
        });
        let others = survey.others.iter();
        let mut others: Vec<(&RepoPath, &Remembered)> =
            others.filter(|(_, file)| file.stamp.is_some()).collect();
        others.sort_by(|a, b| a.0.cmp(b.0));
        let others = others.into_iter().take(MAX_OTHERS);
        let others = others.map(|(path, file)| Remember {
            path: path.as_str(),
            stamp: file.stamp,
            read: &file.read,
            parts: file.parts.as_ref().map(Cow::Borrowed),
            outline: file.outline.as_deref(),
        });
        let vocabulary = &survey.vocabulary;
        let rest = (&self.mark, &self.past, vocabulary.kept(), &kept_links);
        let mut left = MAX_WRITTEN.saturating_sub(Cache::size(&rest)?);
        let mut room = MAX_MEMORY;
        let (mut files, mut packed) = (Vec::new(), Vec::new());
        for mut file in asked.chain(others) {
            // Parts come when every file has its place.
            let own = (file.parts.take(), file.outline.take());
            let memory = room.checked_sub(file.read.weight());
            let bytes = left.checked_sub(Cache::size(&file)?);
            if let (Some(memory), Some(bytes)) = (memory, bytes) {
                (room, left) = (memory, bytes);
                files.push(file);
                packed.push(own);
            }
        }
        left = left.min(MAX_PARTS);
        for (file, own) in files.iter_mut().zip(packed) {
            if let Some(rest) = left.checked_sub(Cache::size(&own)?) {
                left = rest;
                (file.parts, file.outline) = own;
            }
        }
        let mut used = vec![false; vocabulary.names.len()];
        for (name, _) in files.iter().flat_map(|file| &file.read.uses) {
            used[*name as usize] = true;
        }
        let none = Vocabulary::default();
        // Where most names are gone from the repository, the next run begins anew; and where
        // some found no number, others might find none in another order.
        let is_stale = used.len() > 2 * used.iter().filter(|used| **used).count() + MANY_GONE;
        let (vocabulary, files, links) = if is_stale || vocabulary.is_full() {
            (&none, Vec::new(), None)
        } else {
            (vocabulary, files, kept_links)
        };
        let (key, name) = key(repo);
        let value = (&self.mark, &self.past, vocabulary.kept(), files, links);
        cache.write(&name, &key, &value)
    }

    /// Keeps all of it in memory for the next prompt, if there is one.
    pub(super) fn give_back(mut self, repo: &Repo, mut survey: Survey, found: Option<Found>) {
        let Some(look) = repo.look() else {
            return;
        };
        if let Some(links) = found.and_then(|found| found.kept_in(look, &survey)) {
            if self.links.len() == MAX_LINKS {
                self.links.remove(0);
            }
            self.links.push(links);
        }
        self.counted = survey.counted();
        let mut left = MAX_IN_MEMORY;
        let mut fits = |file: &mut Remembered| {
            if file.weight == 0 {
                file.weight = file.weigh();
            }
            let rest = left.checked_sub(file.weight);
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let files = survey.files.into_iter().map(|file| remembered(file, look));
        let mut files: Vec<(RepoPath, Remembered)> = files.collect();
        files.retain_mut(|(_, file)| fits(file));
        let mut kept = survey.others;
        // What could change without being noticed counts in this look only.
        kept.retain(|_, file| (file.stamp.is_some() || file.look == Some(look)) && fits(file));
        kept.extend(files);
        if !survey.vocabulary.is_full() {
            self.files = Some((survey.vocabulary, kept));
        }
        repo.remember(self);
    }
}

/// A file of a survey as it is remembered.
fn remembered(file: File, look: u64) -> (RepoPath, Remembered) {
    let remembered = Remembered {
        stamp: file.stamp,
        look: Some(look),
        weight: file.weight,
        read: file.read,
        parts: file.parts,
        outline: file.outline,
        rough: file.rough,
        facts: Some(file.facts),
    };
    (file.path, remembered)
}

/// What an entry is for, and its name.
pub(super) fn key(repo: &Repo) -> (String, String) {
    let root = repo.root().to_string_lossy().into_owned();
    let name = format!("{:016x}", hash::of(&[&root]));
    (root, name)
}
