//! Keeps what was parsed and assembled before.
//!
//! There is one entry for each file and one for each directory, so that the cache does not grow
//! with every change. Each stores its complete input, so that two inputs with the same hash are not
//! confused.

use std::cell::RefCell;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::assemble::{Assembled, Chapter};
use super::{ContextFile, LoaderOptions};
use crate::hash;
use crate::repo::{self, FileText, Refusal, Stamp};
use crate::section::{Note, NoteKind};
use crate::tokens::Counter;

/// The entries of one folder.
pub(super) struct Cache {
    entries: repo::Cache,
    /// Why an entry could not be written.
    problem: RefCell<Option<String>>,
}

impl Cache {
    pub(super) fn new(folder: &Path) -> Cache {
        Cache {
            entries: repo::Cache::new(folder),
            problem: RefCell::new(None),
        }
    }

    /// Returns what went wrong, for the caller to know.
    pub(super) fn note(&self) -> Option<Note> {
        let why = self.problem.take()?;
        let message = format!("cannot write the cache: {why}");
        Some(Note::new(NoteKind::Skipped, message))
    }

    /// Returns the file as it was parsed before, if it did not change, or else parses it now.
    pub(super) fn file(
        &self,
        path: &Path,
        stamp: Option<Stamp>,
        tokenizer: Counter,
        read: impl FnOnce() -> Result<FileText, Refusal>,
        parse: impl FnOnce(FileText) -> (ContextFile, Option<Chapter>),
    ) -> Result<(ContextFile, Option<Chapter>), Refusal> {
        let Some(stamp) = stamp else {
            return read().map(parse);
        };
        let made_for = key(&(path, stamp, tokenizer));
        // A file is written without its warnings.
        if let Some((file, warnings)) = self.get(path, "file", &made_for) {
            return Ok((ContextFile { warnings, ..file }, None));
        }
        let (file, chapter) = parse(read()?);
        self.put(path, "file", &made_for, &(&file, &file.warnings));
        Ok((file, chapter))
    }

    /// Returns the summary as it was assembled before, if nothing changed, or else makes it now.
    pub(super) fn summary(
        &self,
        directory: &Path,
        files: &[ContextFile],
        options: &LoaderOptions,
        assemble: impl FnOnce() -> Assembled,
    ) -> Assembled {
        let texts: Vec<(&str, &str)> = files
            .iter()
            .map(|file| (file.name.as_str(), file.content.as_str()))
            .collect();
        let LoaderOptions {
            token_budget,
            priority_order,
            tokenizer,
            ..
        } = options;
        let texts = hash::of(&[&format!("{texts:?}")]);
        let made_for = key(&(directory, texts, token_budget, priority_order, tokenizer));
        self.get(directory, "summary", &made_for)
            .unwrap_or_else(|| {
                let made = assemble();
                self.put(directory, "summary", &made_for, &made);
                made
            })
    }

    fn get<T: DeserializeOwned>(&self, path: &Path, kind: &str, made_for: &str) -> Option<T> {
        self.entries.read(&name(path, kind), made_for)
    }

    fn put<T: Serialize>(&self, path: &Path, kind: &str, made_for: &str, value: &T) {
        if let Err(why) = self.entries.write(&name(path, kind), made_for, value) {
            self.problem.replace(Some(why));
        }
    }
}

/// Returns the name of the entry of a file or folder.
fn name(path: &Path, kind: &str) -> String {
    format!("{}-{kind}", hash::digits(&path.to_string_lossy()))
}

/// Returns the input that an entry belongs to.
fn key(parts: &impl std::fmt::Debug) -> String {
    format!("{parts:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_known_is_neither_read_nor_parsed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("TASKS.md");
        std::fs::write(&path, "x").unwrap();
        let repo = repo::Repo::open(folder.path()).unwrap();
        let stamp = repo.stamp(&repo::RepoPath::parse("TASKS.md").unwrap());
        let file = |parsed: &str| {
            let cache = Cache::new(&folder.path().join("cache"));
            let read = || {
                let text = "x".to_owned();
                Ok(FileText {
                    text,
                    marked: false,
                    replaced: false,
                    bytes: 1,
                })
            };
            let parse = |_| {
                let file = ContextFile {
                    content: parsed.to_owned(),
                    ..ContextFile::default()
                };
                (file, None)
            };
            let file = cache.file(&path, stamp, Counter::Chars, read, parse);
            (file.unwrap().0.content, cache.note())
        };
        assert_eq!(file("first"), ("first".into(), None));
        assert_eq!(file("second"), ("first".into(), None));
    }
}
