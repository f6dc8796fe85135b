//! Limits what is kept of what checks found.
//!
//! A finding is written by whoever is checked, and SARIF refers to texts that it repeats as often
//! as it likes, so a short input can stand for an endless text.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use super::finding::{Finding, MAX_MESSAGE, MAX_PATH, MAX_WORD, Said, ValidationError};
use crate::section::{Note, NoteKind};
use crate::show::counted;

/// The most bytes of all errors together. They are copied and written while their input is still in
/// memory.
const MAX_TEXT: usize = 8 * 1024 * 1024;

/// What an error takes beside its texts.
const ERROR: usize = 128;

/// The most bytes of all different paths: more is kept of a path that does not exist than of a
/// message.
const MAX_PATHS: usize = 1024 * 1024;

/// Errors, as many as there is room for.
#[derive(Default)]
pub(super) struct Account {
    errors: Vec<ValidationError>,
    /// What was reported for which column. A crate is checked several times, for example as a
    /// library and as a test, and the same is reported of the same place each time. With secret
    /// keys, two hashes distinguish all of them.
    told: HashSet<[u64; 2]>,
    keys: [RandomState; 2],
    paths: HashSet<u64>,
    text: usize,
    text_of_paths: usize,
    /// How many were cut, how many have an invalid path, and how many have no room.
    cut: usize,
    nowhere: usize,
    beyond: usize,
}

impl Account {
    /// Takes what was not reported for this line and column before.
    pub(super) fn take_once(&mut self, found: Finding) {
        self.add(found, true);
    }

    /// Takes what a stage lists, as often as it lists it.
    pub(super) fn take(&mut self, found: Finding) {
        self.add(found, false);
    }

    fn add(&mut self, found: Finding, once: bool) {
        let texts = [
            Some(&found.message),
            Some(&found.severity),
            found.code.as_ref(),
        ];
        let is_cut = texts.into_iter().flatten().any(Said::is_cut);
        let is_nowhere = found.file.is_err();
        let error = ValidationError {
            line: found.line.filter(|_| !is_nowhere),
            file: found.file.unwrap_or_default(),
            message: found.message.text,
            severity: found.severity.text,
            code: found.code.map(|code| code.text),
            is_listed: !once,
            column: found.column,
        };
        if once {
            let hash = |key: &RandomState| key.hash_one(&error);
            if !self.told.insert([hash(&self.keys[0]), hash(&self.keys[1])]) {
                return;
            }
        }
        if !self.has_room_for(&error) {
            self.beyond += 1;
            return;
        }
        self.cut += usize::from(is_cut);
        self.nowhere += usize::from(is_nowhere);
        self.errors.push(error);
    }

    fn has_room_for(&mut self, error: &ValidationError) -> bool {
        let (file, code) = (error.file.as_deref(), error.code.as_deref());
        let texts = [file, code, Some(&error.message), Some(&error.severity)];
        let length: usize = texts.into_iter().flatten().map(str::len).sum();
        let path = file.map(|file| self.keys[0].hash_one(file));
        let is_new = path.is_some_and(|path| !self.paths.contains(&path));
        let of_path = file.filter(|_| is_new).map_or(0, str::len);
        if self.text + length + ERROR > MAX_TEXT || self.text_of_paths + of_path > MAX_PATHS {
            return false;
        }
        self.text += length + ERROR;
        self.text_of_paths += of_path;
        self.paths.extend(path);
        true
    }

    /// Returns the errors, and what the caller should know about those that were changed.
    pub(super) fn finish(self) -> (Vec<ValidationError>, Vec<Note>) {
        let errors = |count| counted(count, "error");
        let (mib, paths) = (MAX_TEXT >> 20, MAX_PATHS >> 20);
        let (kib, path) = (MAX_MESSAGE >> 10, MAX_PATH);
        let told = [
            (
                self.cut,
                format!(
                    "cut: the limit is {kib} KiB for a message and {MAX_WORD} bytes for a \
                         word"
                ),
            ),
            (
                self.nowhere,
                format!("without a file: the limit for a path is {path} bytes"),
            ),
            (
                self.beyond,
                format!(
                    "left out: the limit is {mib} MiB for all, and {paths} MiB for their \
                         paths"
                ),
            ),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        let notes = told
            .map(|(count, what)| Note::new(NoteKind::Skipped, format!("{} {what}", errors(count))));
        let notes = notes.collect();
        (self.errors, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(file: &str, message: &str) -> Finding {
        Finding {
            file: Ok(Some(file.to_owned())),
            line: Some(1),
            column: None,
            message: Said::message(message),
            severity: Said::word("error"),
            code: None,
        }
    }

    fn taken(found: impl Iterator<Item = Finding>) -> (Vec<ValidationError>, Vec<String>) {
        let mut account = Account::default();
        found.for_each(|found| account.take(found));
        let (errors, notes) = account.finish();
        let notes = notes.into_iter().map(|note| note.message);
        (errors, notes.collect())
    }

    #[test]
    fn a_message_is_cut_at_a_character() {
        let (errors, notes) = taken(
            ["é".repeat(MAX_MESSAGE), "é".repeat(9)]
                .iter()
                .map(|text| finding("a", text)),
        );
        assert_eq!(errors[0].message, "é".repeat(MAX_MESSAGE / 2) + "…");
        assert_eq!(errors[1].message, "é".repeat(9));
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with("1 error cut"), "{notes:?}");
    }

    #[test]
    fn all_errors_have_one_account() {
        let (errors, notes) = taken((0..1000).map(|_| finding("a", &"m".repeat(MAX_MESSAGE))));
        let text: usize = errors.iter().map(|error| error.message.len()).sum();
        assert!((MAX_TEXT / 2..MAX_TEXT).contains(&text), "{text}");
        let left = 1000 - errors.len();
        assert!(
            notes[0].starts_with(&format!("{left} errors left out")),
            "{notes:?}"
        );
    }

    #[test]
    fn paths_that_differ_have_an_account_of_their_own() {
        let long = |n: usize| format!("{n:0MAX_PATH$}");
        let (errors, _) = taken((0..1000).map(|n| finding(&long(n), "m")));
        assert_eq!(errors.len(), MAX_PATHS / MAX_PATH);
        let (errors, _) = taken((0..1000).map(|_| finding(&long(7), "m")));
        assert_eq!(errors.len(), 1000);
    }
}
