//! What files declare, for the map of the repository. Most of it is known from the last map.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::corpus::{Corpus, File};
use super::memory::{self, WORTH_WRITING};
use crate::repo::{Repo, Stamp};
use crate::syntax::outline::{Entry, entries};

/// The most declarations that are kept for the next map.
const MAX_KEPT: usize = 60_000;

/// The most bytes of a file. A larger one is data, or made by a program.
const MAX_FILE: u64 = 256 * 1024;

/// What is kept of what files declare, by their paths.
type Kept = HashMap<String, (Stamp, Vec<Entry>)>;

/// What files declare.
pub struct Declarations {
    known: Kept,
    /// What files declare, and whether they could be read.
    found: BTreeMap<usize, (Rc<Vec<Entry>>, bool)>,
    /// How many files were parsed, though they are not about to change.
    fresh: usize,
}

impl Declarations {
    /// What is known of the files of a corpus.
    pub fn of(repo: &Repo, corpus: &Corpus) -> Declarations {
        let (key, name) = entry(repo);
        let read = || {
            repo.cache()
                .and_then(|cache| cache.read::<Kept>(&name, &key))
        };
        let mut known = repo.recall().or_else(read).unwrap_or_default();
        // The next prompt of this run may be about other files.
        known.retain(|path, _| repo.look().is_some() || corpus.place(path).is_some());
        Declarations {
            known,
            found: BTreeMap::new(),
            fresh: 0,
        }
    }

    /// What a file declares.
    pub fn in_file(&mut self, repo: &Repo, at: usize, file: &File) -> Rc<Vec<Entry>> {
        if let Some((found, _)) = self.found.get(&at) {
            return Rc::clone(found);
        }
        let known = self.known.remove(file.path.as_str());
        let known = known.filter(|(stamp, _)| file.stamp == Some(*stamp));
        let found = match known {
            Some((_, entries)) => Some(entries),
            None => {
                self.fresh += usize::from(file.stamp.is_some());
                text(repo, file).map(|text| entries(file.language, &text))
            }
        };
        let is_read = found.is_some();
        let found = Rc::new(found.unwrap_or_default());
        self.found.insert(at, (Rc::clone(&found), is_read));
        found
    }

    /// Keeps them for the next map: on disk if enough of them is new, and in memory if there
    /// may be a next prompt.
    ///
    /// # Errors
    ///
    /// Says why they could not be written.
    pub fn commit(self, repo: &Repo, corpus: &Corpus) -> Result<(), String> {
        let written = self.write(repo, corpus);
        if repo.look().is_some() {
            self.remember(repo, corpus);
        }
        written
    }

    fn write(&self, repo: &Repo, corpus: &Corpus) -> Result<(), String> {
        let is_worth = self.fresh > 0 && self.fresh * WORTH_WRITING >= self.found.len();
        let Some(cache) = repo.cache().filter(|_| is_worth) else {
            return Ok(());
        };
        let mut left = MAX_KEPT;
        let files = self.found.iter().filter_map(|(at, (entries, is_read))| {
            let file = &corpus.files[*at];
            left = left.saturating_sub(entries.len());
            let is_worth = *is_read && left > 0;
            is_worth.then_some((file.path.as_str(), (file.stamp?, entries.as_ref())))
        });
        let files: BTreeMap<&str, (Stamp, &Vec<Entry>)> = files.collect();
        let (key, name) = entry(repo);
        cache.write(&name, &key, &files)
    }

    fn remember(self, repo: &Repo, corpus: &Corpus) {
        let mut known = self.known;
        for (at, (entries, is_read)) in self.found {
            let file = &corpus.files[at];
            if let (Some(stamp), Some(entries), true) =
                (file.stamp, Rc::into_inner(entries), is_read)
            {
                known.insert(file.path.to_string(), (stamp, entries));
            }
        }
        let mut left = MAX_KEPT;
        known.retain(|_, (_, entries)| {
            left = left.saturating_sub(entries.len());
            left > 0
        });
        repo.remember(known);
    }
}

/// The text of a file that may declare something.
pub fn text(repo: &Repo, file: &File) -> Option<String> {
    Some(repo.read(file.readable.as_ref()?, MAX_FILE).ok()?.text)
}

/// What the entry is for, and its name.
fn entry(repo: &Repo) -> (String, String) {
    let (key, name) = memory::key(repo);
    (key, format!("{name}-map"))
}
