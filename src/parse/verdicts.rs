//! Which texts cannot be parsed within the limits, as far as that was tried.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hash;
use crate::repo::{Cache, Repo};

/// The most that are kept.
const MOST: usize = 10_000;

/// What happened to a text whose parsing could not be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It took too long.
    Late,
    /// The process ended, most likely for lack of memory or stack.
    Ended,
    /// The result could not be of this text.
    Unsound,
}

impl Verdict {
    /// Returns what happened, as the end of a sentence.
    pub fn why(self) -> &'static str {
        match self {
            Verdict::Late => "parsing it takes too long",
            Verdict::Ended => "parsing it fails, or takes too much memory",
            Verdict::Unsound => "parsing it yields no parts",
        }
    }
}

/// Verdicts by text. Only a few files are slow, and somebody may have made them so.
#[derive(Default)]
pub struct Verdicts {
    by_text: BTreeMap<(u64, u64), Verdict>,
    is_new: bool,
}

/// Identifies a text: its length, and a hash of it.
pub type Mark = (u64, u64);

/// Returns the mark of a text in a language.
pub fn mark(language: &str, text: &str) -> Mark {
    (text.len() as u64, hash::of(&[language, text]))
}

impl Verdicts {
    /// Returns the known verdicts on a repository's files, in memory or else on disk.
    pub fn of(known: Option<Verdicts>, store: Option<&Store>) -> Verdicts {
        known.unwrap_or_else(|| Verdicts {
            by_text: store.and_then(Store::read).unwrap_or_default(),
            is_new: false,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }

    pub fn get(&self, mark: Mark) -> Option<Verdict> {
        self.by_text.get(&mark).copied()
    }

    pub fn add(&mut self, mark: Mark, verdict: Verdict) {
        if self.by_text.len() < MOST {
            self.is_new |= self.by_text.insert(mark, verdict) != Some(verdict);
        }
    }

    /// Writes them to disk, if there are new ones.
    ///
    /// # Errors
    ///
    /// Says why that failed.
    pub fn keep(&mut self, store: Option<&Store>) -> Result<(), String> {
        match store {
            Some(store) if std::mem::take(&mut self.is_new) => store.write(&self.by_text),
            _ => Ok(()),
        }
    }
}

/// Where they are kept on disk.
#[derive(Clone)]
pub struct Store {
    cache: Cache,
    key: String,
    name: String,
}

impl Store {
    /// Returns the place for those of a repository, if it has a cache.
    pub fn of(repo: &Repo) -> Option<Store> {
        let key = repo.root().to_string_lossy().into_owned();
        Some(Store {
            cache: repo.cache()?.clone(),
            name: format!("{}-unparsed", hash::digits(&key)),
            key,
        })
    }

    fn read(&self) -> Option<BTreeMap<Mark, Verdict>> {
        self.cache.read(&self.name, &self.key)
    }

    fn write(&self, verdicts: &BTreeMap<Mark, Verdict>) -> Result<(), String> {
        self.cache.write(&self.name, &self.key, verdicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_come_back_for_the_same_text_in_the_same_language() {
        let (root, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut repo = Repo::open(root.path()).unwrap();
        assert!(Store::of(&repo).is_none());
        repo.set_cache(Cache::new(folder.path()));
        let store = Store::of(&repo);
        let mut verdicts = Verdicts::of(None, store.as_ref());
        assert!(verdicts.is_empty());
        verdicts.add(mark("kotlin", "/*/*"), Verdict::Late);
        verdicts.keep(store.as_ref()).unwrap();
        let verdicts = Verdicts::of(None, store.as_ref());
        assert_eq!(verdicts.get(mark("kotlin", "/*/*")), Some(Verdict::Late));
        assert_eq!(verdicts.get(mark("kotlin", "/*/")), None);
        assert_eq!(verdicts.get(mark("rust", "/*/*")), None);
    }
}
