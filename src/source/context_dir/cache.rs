//! What was parsed and assembled before.
//!
//! An entry is a JSON file that says for which inputs it was made; one that is
//! damaged, or was made for other inputs or by another version, is as good as none.
//! There is one entry for each file and one for each directory, so that the cache
//! does not grow with every change.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::assemble::{Assembled, Chapter};
use super::{ContextFile, LoaderOptions};
use crate::hash;
use crate::repo::{FileText, Refusal, Stamp, make_folder, read_anywhere, write_whole};
use crate::section::{Note, NoteKind};
use crate::tokens::Tokenizer;

/// A larger entry was not written by us, in bytes: a file of 1 MiB with its structure,
/// every character escaped.
const MAX_ENTRY: u64 = 32 * 1024 * 1024;

/// The folder of the entries.
pub(super) struct Cache {
    folder: PathBuf,
    /// Why an entry could not be written.
    problem: RefCell<Option<String>>,
}

#[derive(Serialize, Deserialize)]
struct Entry<T> {
    /// Everything that the value depends on, whole, so that two inputs whose hashes
    /// are alike are not taken for one another.
    made_for: String,
    value: T,
}

#[derive(Serialize, Deserialize)]
struct Summary {
    text: String,
    truncated: bool,
    notes: Vec<Note>,
}

#[derive(Serialize, Deserialize)]
struct Parsed {
    file: ContextFile,
    warnings: Vec<Note>,
}

impl Cache {
    pub(super) fn new(folder: &Path) -> Cache {
        Cache {
            folder: folder.to_owned(),
            problem: RefCell::new(None),
        }
    }

    /// What went wrong, for the caller to know.
    pub(super) fn note(&self) -> Option<Note> {
        let why = self.problem.take()?;
        let message = format!("the cache is not written: {why}");
        Some(Note::new(NoteKind::Skipped, message))
    }

    /// The file as it was parsed before, if it did not change; else parsed now.
    pub(super) fn file(
        &self,
        path: &Path,
        stamp: Option<Stamp>,
        tokenizer: Tokenizer,
        read: impl FnOnce() -> Result<FileText, Refusal>,
        parse: impl FnOnce(FileText) -> (ContextFile, Option<Chapter>),
    ) -> Result<(ContextFile, Option<Chapter>), Refusal> {
        let Some(stamp) = stamp else {
            return read().map(parse);
        };
        let made_for = key(&(path, stamp, tokenizer));
        if let Some(Parsed { file, warnings }) = self.get(path, "file", &made_for) {
            return Ok((ContextFile { warnings, ..file }, None));
        }
        let (file, chapter) = parse(read()?);
        let warnings = file.warnings.clone();
        let parsed = Parsed { file, warnings };
        self.put(path, "file", made_for, &parsed);
        Ok((parsed.file, chapter))
    }

    /// The summary as it was assembled before, if nothing changed; else made now.
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
        if let Some(Summary {
            text,
            truncated,
            notes,
        }) = self.get(directory, "summary", &made_for)
        {
            return Assembled {
                text,
                truncated,
                notes,
            };
        }
        let made = assemble();
        let summary = Summary {
            text: made.text.clone(),
            truncated: made.truncated,
            notes: made.notes.clone(),
        };
        self.put(directory, "summary", made_for, &summary);
        made
    }

    fn get<T: DeserializeOwned>(&self, path: &Path, kind: &str, made_for: &str) -> Option<T> {
        let text = read_anywhere(&self.place(path, kind), MAX_ENTRY).ok()?.text;
        let entry: Entry<T> = serde_json::from_str(&text).ok()?;
        (entry.made_for == made_for).then_some(entry.value)
    }

    fn put<T: Serialize>(&self, path: &Path, kind: &str, made_for: String, value: &T) {
        let entry = Entry { made_for, value };
        let written = make_folder(&self.folder).and_then(|()| {
            let json = serde_json::to_string(&entry).map_err(|e| e.to_string())?;
            write_whole(&self.place(path, kind), &json).map_err(|e| e.to_string())
        });
        if let Err(why) = written {
            self.problem.replace(Some(why));
        }
    }

    fn place(&self, path: &Path, kind: &str) -> PathBuf {
        let name = hash::of(&[&path.to_string_lossy()]);
        self.folder.join(format!("{name:016x}.{kind}.json"))
    }
}

/// What an entry is made for, with the version that makes it.
fn key(parts: &impl std::fmt::Debug) -> String {
    format!("{} {parts:?}", env!("CARGO_PKG_VERSION"))
}
