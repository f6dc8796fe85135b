//! What an earlier run found out about the same repository, kept in the user's cache
//! folder. It saves time; a prompt is the same with and without it.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::links::{self, Found};
use super::numbers::{Kept, Vocabulary};
use super::signals::{PartSignals, Seen};
use super::survey::{Reading, Survey};
use crate::hash;
use crate::repo::{Cache, Git, PastChange, Repo, Stamp};

/// Files that this run did not ask for are kept up to this number.
const MAX_OTHERS: usize = 5000;

/// What is kept of files takes about so many bytes of memory when it is read again, beside
/// what a run finds out itself.
const MAX_MEMORY: usize = 16 * 1024 * 1024;

/// So many names in the parts of files are kept.
const MAX_USES: usize = 300_000;

/// So many names that are gone are no reason to begin anew.
const MANY_GONE: usize = 10_000;

/// An entry is written again if at least one file in so many was read anew…
pub(super) const WORTH_WRITING: usize = 50;

/// …or so many were cut into parts.
const MANY_PARTS: usize = 8;

/// What is remembered of a file.
#[derive(Serialize, Deserialize)]
pub(super) struct Remembered {
    pub(super) path: String,
    pub(super) stamp: Stamp,
    pub(super) read: Reading,
    pub(super) parts: Option<Vec<Seen>>,
    pub(super) outline: Option<Vec<Range<usize>>>,
}

/// The same while it is written.
#[derive(Serialize)]
struct Remember<'a> {
    path: &'a str,
    stamp: &'a Stamp,
    read: &'a Reading,
    parts: Option<Vec<&'a Seen>>,
    outline: Option<&'a [Range<usize>]>,
}

impl Remembered {
    /// Whether all its names have a number below this.
    fn is_below(&self, names: usize) -> bool {
        let below = |name: &u32| (*name as usize) < names;
        let used = |(name, _): &(u32, u16)| below(name);
        let parts = self.parts.iter().flatten();
        self.read.uses.iter().all(used)
            && self.read.declares.iter().all(below)
            && parts.flat_map(|seen| &seen.uses).all(used)
    }
}

/// The mark of the history and what it changed, the vocabulary, the files and their links.
type Entry = (
    Option<String>,
    Vec<PastChange>,
    Kept,
    Vec<Remembered>,
    Option<links::Kept>,
);

/// What is known from earlier.
#[derive(Default)]
pub(super) struct Known {
    /// The state of the history that `past` belongs to.
    mark: Option<String>,
    past: Vec<PastChange>,
    is_past_new: bool,
    /// Its files, and the names that their numbers mean.
    pub(super) files: Option<(Vocabulary, HashMap<String, Remembered>)>,
    /// What these import.
    pub(super) links: Option<links::Kept>,
}

impl Known {
    /// What is known of a repository.
    pub(super) fn of(repo: &Repo) -> Known {
        let read = |cache: &Cache| {
            let (key, name) = key(repo);
            cache.read::<Entry>(&name, &key)
        };
        let Some((mark, past, kept, files, links)) = repo.cache().and_then(read) else {
            return Known::default();
        };
        let files = Vocabulary::of(kept).and_then(|vocabulary| {
            let below = vocabulary.names.len();
            let files = files.into_iter().map(|file| {
                let is_sound = file.is_below(below);
                is_sound.then(|| (file.path.clone(), file))
            });
            Some((vocabulary, files.collect::<Option<_>>()?))
        });
        Known {
            mark,
            past,
            is_past_new: false,
            files,
            links,
        }
    }

    /// What the last commits changed.
    pub(super) fn past(&mut self, git: Option<&Git>) -> &[PastChange] {
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
        &self,
        repo: &Repo,
        survey: &Survey,
        links: Option<&Found>,
        parts: &HashMap<usize, Vec<(Seen, PartSignals)>>,
        cut: usize,
    ) -> Result<(), String> {
        let kept_links = links.and_then(Found::kept);
        // Links that cannot be kept are no reason to write.
        let fresh_links = links.filter(|_| kept_links.is_some());
        let fresh = fresh_links.map_or(0, |links| links.fresh).max(survey.fresh);
        let many = fresh * WORTH_WRITING >= survey.files.len().max(1);
        let is_worth = self.is_past_new || many || cut >= MANY_PARTS;
        let Some(cache) = repo.cache().filter(|_| is_worth) else {
            return Ok(());
        };
        let asked = survey.files.iter().enumerate().filter_map(|(at, file)| {
            // Paragraphs that are there for want of time are no parts for the next run.
            let fresh = parts.get(&at).filter(|_| !file.is_rough);
            let fresh = fresh.map(|parts| parts.iter().map(|(seen, _)| seen));
            Some(Remember {
                path: file.path.as_str(),
                stamp: file.stamp.as_ref()?,
                read: &file.read,
                parts: match fresh {
                    Some(fresh) => Some(fresh.collect()),
                    None => file.parts.as_ref().map(|parts| parts.iter().collect()),
                },
                outline: file.outline.as_deref().filter(|_| !file.is_rough),
            })
        });
        let others = survey.others.iter().take(MAX_OTHERS).map(|file| Remember {
            path: &file.path,
            stamp: &file.stamp,
            read: &file.read,
            parts: file.parts.as_ref().map(|parts| parts.iter().collect()),
            outline: file.outline.as_deref(),
        });
        let mut room = MAX_MEMORY;
        let fits = |file: &Remember<'_>| {
            let rest = room.checked_sub(file.read.weight());
            room = rest.unwrap_or(room);
            rest.is_some()
        };
        let mut files: Vec<Remember<'_>> = asked.chain(others).filter(fits).collect();
        let mut left = MAX_USES;
        for file in &mut files {
            let uses = file
                .parts
                .iter()
                .flatten()
                .map(|seen| seen.uses.len())
                .sum();
            match left.checked_sub(uses) {
                Some(rest) => left = rest,
                None => (file.parts, file.outline) = (None, None),
            }
        }
        let vocabulary = &survey.vocabulary;
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
}

/// What an entry is for, and its name.
pub(super) fn key(repo: &Repo) -> (String, String) {
    let root = repo.root().to_string_lossy().into_owned();
    let name = format!("{:016x}", hash::of(&[&root]));
    (root, name)
}
