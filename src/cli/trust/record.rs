//! What is trusted on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use context_packer::ContextPacker;
use context_packer::command::{
    parse_json, read_operator_file, read_regular_file, show, write_whole,
};
use context_packer::templates::MAX_TEMPLATE;
use serde::{Deserialize, Serialize};

use super::super::places;
use super::{Brought, hash_of};

/// The most bytes of the record.
const MAX_RECORD: u64 = 4 * 1024 * 1024;

/// What is trusted on this machine: sets of templates by their hash, wherever they are.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) trusted: BTreeMap<String, Trusted>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Trusted {
    /// The repositories for which they were trusted.
    repositories: BTreeSet<String>,
    /// The hash of each template.
    pub(super) templates: BTreeMap<String, String>,
}

impl Record {
    pub(super) fn read() -> anyhow::Result<Record> {
        let Some(place) = record_file().filter(|place| place.exists()) else {
            return Ok(Record::default());
        };
        let text = read_operator_file(&place, MAX_RECORD)?.text;
        let record = parse_json(&text).and_then(Record::deserialize);
        record.with_context(|| {
            let shown = show::path(&place);
            format!("cannot use `{shown}`; without it, nothing is trusted")
        })
    }

    pub(super) fn write(&self, place: &Path) -> anyhow::Result<()> {
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make `{}`", show::path(folder)))?;
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        Ok(write_whole(place, &text)?)
    }

    /// Returns what was trusted for a repository.
    pub(super) fn of(&self, packer: &ContextPacker) -> Option<&Trusted> {
        let root = name_of(packer);
        let mut all = self.trusted.values();
        all.find(|trusted| trusted.repositories.contains(&root))
    }

    /// Returns the names of the templates that were trusted for a repository.
    pub(super) fn names(&self, packer: &ContextPacker) -> impl Iterator<Item = &String> {
        let trusted = self.of(packer).into_iter();
        trusted.flat_map(|trusted| trusted.templates.keys())
    }

    /// Trusts these from now on, replacing all others of this repository.
    pub(super) fn trust(&mut self, brought: &Brought, packer: &ContextPacker) {
        let hash = brought.hash();
        let others = self.trusted.remove(&hash).unwrap_or_default();
        self.forget(packer);
        let mut repositories = others.repositories;
        repositories.insert(name_of(packer));
        self.trusted.insert(
            hash,
            Trusted {
                repositories,
                templates: brought.hashes(),
            },
        );
    }

    pub(super) fn forget(&mut self, packer: &ContextPacker) {
        let root = name_of(packer);
        self.trusted.retain(|_, trusted| {
            trusted.repositories.remove(&root);
            !trusted.repositories.is_empty()
        });
    }
}

/// Returns a repository's name in the record.
fn name_of(packer: &ContextPacker) -> String {
    packer.root().to_string_lossy().into_owned()
}

/// Returns the file that keeps what is trusted.
pub(super) fn record_file() -> Option<PathBuf> {
    Some(places::config()?.join("trust.json"))
}

/// The texts of what is trusted, so that a change to them can be shown: a file for each, named by
/// its hash.
pub(super) struct Texts(PathBuf);

impl Texts {
    /// Returns the texts that are kept beside a record.
    pub(super) fn beside(record: &Path) -> Texts {
        Texts(record.with_file_name("trusted"))
    }

    /// Keeps the texts of templates.
    pub(super) fn keep(&self, brought: &Brought) -> anyhow::Result<()> {
        fs::create_dir_all(&self.0)
            .with_context(|| format!("cannot make `{}`", show::path(&self.0)))?;
        for (hash, text) in brought.hashes().values().zip(brought.texts.values()) {
            // One that is there and was damaged is written anew.
            if self.of(hash).is_none() {
                write_whole(&self.place(hash), text)?;
            }
        }
        Ok(())
    }

    /// Returns the text with a hash, if it is kept unchanged.
    pub(super) fn of(&self, hash: &str) -> Option<String> {
        let read = read_regular_file(&self.place(hash), MAX_TEMPLATE);
        let text = read.ok()?.text;
        (hash_of(&text) == hash).then_some(text)
    }

    /// Removes those that are no longer in the record. What cannot be removed only takes space.
    pub(super) fn leave(&self, record: &Record) {
        let used = record.trusted.values();
        let used = used.flat_map(|trusted| trusted.templates.values());
        let used: BTreeSet<PathBuf> = used.map(|hash| self.place(hash)).collect();
        let Ok(entries) = fs::read_dir(&self.0) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let is_ours = path.extension().is_some_and(|ending| ending == "j2");
            if is_ours && !used.contains(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn place(&self, hash: &str) -> PathBuf {
        let digits = hash.rsplit(':').next().unwrap_or_default();
        self.0.join(format!("{digits}.j2"))
    }
}
