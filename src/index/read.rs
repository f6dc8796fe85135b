//! The pass over the files: each is read, or taken as it was read before.

use std::sync::atomic::{AtomicU64, Ordering};

use super::corpus::File;
use super::earlier::{ByPath, Earlier};
use super::kind::Kind as FileKind;
use super::reading::Reader;
use super::vocabulary::Vocabulary;
use crate::repo::{Asker, Readable, Repo, RepoPath, Shelf, Stamp};
use crate::split::beginning;
use crate::syntax::language;

/// The most files of which everything is known. If there are more, all are searched for the
/// likeliest ones. With 3,000, no more of the wanted parts were shown.
pub const MAX_FILES: usize = 2000;

/// The most bytes that all of them have together.
const MAX_BYTES: u64 = 40 * 1024 * 1024;

/// About how many bytes of memory may be taken by what is known of all of them. Five thousand
/// hand-written files take about half of it.
const MAX_MEMORY: usize = 28 * 1024 * 1024;

/// The most bytes of a file. A larger one is data, or generated.
const MAX_FILE: u64 = 640 * 1024;

/// The most bytes of a file of settings. A larger one is data.
const MAX_SETTINGS: u64 = 100 * 1024;

/// How much of a changelog counts, in bytes: entries of old versions say nothing about the next
/// one, and mention everything.
const CHANGELOG_HEAD: usize = 12 * 1024;

/// The most bytes of a target.
pub const MAX_TARGET: u64 = 1024 * 1024;

/// The number of the next text that is read.
static SERIALS: AtomicU64 = AtomicU64::new(1);

/// What the pass found.
#[derive(Default)]
pub struct Files {
    pub all: Vec<File>,
    pub vocabulary: Vocabulary,
    pub passed_over: usize,
    /// How many files were read anew although they are not about to change.
    pub fresh: usize,
    /// What is known of files that were not asked for.
    pub others: ByPath,
}

/// Reads the targets and these files, in this order, as far as there is room for all, each with its
/// stamp if that is known. What is `known` of unchanged files is reused.
pub fn files(
    repo: &Repo,
    targets: &[RepoPath],
    order: &[(&Readable, Option<Stamp>)],
    known: Option<(Vocabulary, ByPath)>,
    shelf: Option<&Shelf>,
) -> Files {
    let had_known = known.is_some();
    let (vocabulary, others) = known.unwrap_or_default();
    let mut pass = Pass {
        repo,
        targets,
        shelf,
        reader: Reader::default(),
        left: MAX_BYTES,
        room: MAX_MEMORY,
        read: Files {
            vocabulary,
            others,
            ..Files::default()
        },
    };
    // Targets are read whatever their size, and before anything else.
    for path in targets {
        // Whoever named it was let to; by a link it is not read.
        let file = repo.admit(path, Asker::Caller).ok();
        if let Some(file) = file.filter(Readable::is_plain) {
            pass.take(&file, None, MAX_TARGET);
        }
    }
    let others = order.iter();
    for (file, stamp) in others.filter(|(file, _)| !targets.contains(file.path())) {
        let most = most_bytes(FileKind::of_target(file.path().as_str()));
        pass.take(file, *stamp, most);
    }
    // Names that are gone may have left too few numbers for those that are here.
    if had_known && pass.read.vocabulary.is_full() {
        return files(repo, targets, order, None, None);
    }
    pass.read
}

/// Returns the most bytes that a file of a kind may have to be read.
pub fn most_bytes(kind: FileKind) -> u64 {
    match kind {
        FileKind::Source | FileKind::Document => MAX_FILE,
        FileKind::Changelog => MAX_TARGET,
        FileKind::Build | FileKind::Other => MAX_SETTINGS,
    }
}

/// Returns as much of the text of a file of a kind as counts.
pub fn counting(kind: FileKind, text: &str) -> &str {
    match kind {
        FileKind::Changelog => beginning(text, CHANGELOG_HEAD),
        _ => text,
    }
}

struct Pass<'a> {
    repo: &'a Repo,
    targets: &'a [RepoPath],
    /// Where known content may be kept.
    shelf: Option<&'a Shelf>,
    reader: Reader,
    /// How many bytes may still be read.
    left: u64,
    /// How much memory is left.
    room: usize,
    read: Files,
}

impl Pass<'_> {
    /// Takes in a file of at most `most` bytes.
    fn take(&mut self, file: &Readable, stamp: Option<Stamp>, most: u64) {
        if self.read.all.len() == MAX_FILES || self.left == 0 {
            self.read.passed_over += 1;
            return;
        }
        let Some(file) = self.file(file, stamp, most.min(self.left)) else {
            return;
        };
        self.left = self.left.saturating_sub(file.read.bytes);
        match self.room.checked_sub(file.read.weight()) {
            Some(rest) => {
                self.room = rest;
                self.read.all.push(file);
            }
            None => self.read.passed_over += 1,
        }
    }

    /// Returns a file as it was read before, if it is the same, or else reads it now.
    fn file(&mut self, file: &Readable, stamp: Option<Stamp>, most: u64) -> Option<File> {
        let path = file.path();
        let look = self.repo.look();
        let known = self.read.others.remove(path);
        let seen = known.as_ref().filter(|known| known.is_seen_in(look));
        let seen = seen.map(Earlier::stamp);
        let stamp = match seen {
            // It was looked at already.
            Some(stamp) => stamp,
            None if self.repo.keeps() => stamp.or_else(|| self.stamp(path)),
            None => None,
        };
        let is_same = |known: &Earlier| seen.is_some() || stamp.is_some() && stamp == known.stamp();
        let (vocabulary, shelf) = (&mut self.read.vocabulary, self.shelf);
        let known = known.filter(is_same);
        let known = known.and_then(|known| known.open(path, vocabulary, shelf));
        let read = match known.filter(|known| known.read.bytes <= most) {
            Some(known) => known,
            None => self.read(file, most, stamp)?,
        };
        let readable = Some(file.clone());
        Some(File {
            readable,
            look,
            ..read
        })
    }

    fn read(&mut self, file: &Readable, most: u64, stamp: Option<Stamp>) -> Option<File> {
        let path = file.path();
        let file = self.repo.read(file, most).ok()?;
        let stamp = stamp.filter(Stamp::is_settled);
        self.read.fresh += usize::from(stamp.is_some());
        let vocabulary = &mut self.read.vocabulary;
        let language = language(path.as_str());
        let kind = FileKind::of_target(path.as_str());
        let (text, is_source) = (counting(kind, &file.text), !kind.is_beside());
        let reader = &mut self.reader;
        let read = reader.read(vocabulary, language, is_source, text, file.bytes);
        Some(File {
            stamp,
            serial: SERIALS.fetch_add(1, Ordering::Relaxed),
            ..File::new(path.clone(), read, vocabulary)
        })
    }

    /// Returns the stamp of a target or a file that the walk found.
    fn stamp(&self, path: &RepoPath) -> Option<Stamp> {
        if !self.targets.contains(path) {
            return self.repo.stamp_of_plain(path);
        }
        self.repo.stamp(path)
    }
}
