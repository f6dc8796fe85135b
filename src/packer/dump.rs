//! Writes everything that patterns match as it is read, without a budget or a choice, and with only
//! a few files in memory at a time.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::ContextPacker;
use crate::context::warnings_of;
use crate::error::Error;
use crate::format;
use crate::repo::{FileId, Repo};
use crate::section::{Key, Note, NoteKind, Piece, Section};
use crate::settings::Style;
use crate::show::{counted, quoted};
use crate::source::{Matching, Read, Skipped};
use crate::tokens::Counter;

/// How many files one thread reads in a row.
const BATCH: usize = 16;

/// How many bytes may wait to be written before the thread itself waits for its turn.
const WAITING: usize = 512 * 1024;

/// A larger file is written as bytes when its turn comes, because escaping can make it many times
/// larger.
const LARGE: usize = 128 * 1024;

/// The most warnings that are reported one by one.
const MAX_NOTES: usize = 1000;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dumped {
    /// The number of files.
    pub files: usize,
    /// The tokens of the whole text. The exact tokenizers count each file on its own, so a token
    /// that spans two files is not seen.
    pub tokens: usize,
    /// What was left out, what could not be read, and what looks like a secret.
    pub notes: Vec<Note>,
}

/// The files that a dump writes.
pub struct Dump<'a> {
    repo: &'a Repo,
    files: Matching,
    notes: Vec<Note>,
}

impl ContextPacker {
    /// Finds every file that one of these patterns matches and none in `exclude` does; without
    /// patterns, all files. The patterns are those of a role's `include`, without `$NAMES`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`](crate::ErrorKind::Request) for a pattern that does not parse or could
    /// lead outside.
    pub fn dump(&self, patterns: &[String], exclude: &[String]) -> Result<Dump<'_>, Error> {
        let (files, mut notes) = Matching::find(&self.repo, patterns, exclude)?;
        if let Some(why) = self.repo.unasked_git() {
            let message = format!(
                "packer cannot tell what git tracks, so ignore rules apply to tracked files too: \
                 {why}"
            );
            notes.push(Note::new(NoteKind::Git, message));
        }
        Ok(Dump {
            repo: &self.repo,
            files,
            notes,
        })
    }
}

impl Dump<'_> {
    /// Leaves out the file that the dump is written to, which would otherwise contain itself.
    #[doc(hidden)]
    pub fn into_file(mut self, written: &FileId) -> Self {
        if let Some(path) = self.files.leave_out(self.repo, written) {
            let shown = quoted(path.as_str());
            let message = format!("`{shown}` is left out: it is the output file");
            self.notes
                .push(Note::new(NoteKind::Skipped, message).on(path.as_str()));
        }
        self
    }

    /// Writes the files in the order of their paths, as a section of a prompt would have them,
    /// whatever they cost. A file of more than 1 MiB is left out.
    ///
    /// Several threads read, and each holds at most half a mebibyte and one file.
    ///
    /// # Errors
    ///
    /// The error of `out` if it cannot be written to.
    pub fn write(
        self,
        out: &mut (dyn Write + Send),
        style: Style,
        tokenizer: Counter,
    ) -> io::Result<Dumped> {
        let section = Section::new(Key::Files, Vec::new());
        let work = Work {
            files: &self.files,
            style,
            tokenizer,
            gap: gap_units(style, tokenizer),
            next: AtomicUsize::new(0),
            line: Mutex::new(Line {
                turn: 0,
                head: Some(format::head(&section, style)),
                out,
                written: Written::new(tokenizer),
                is_stopped: false,
                result: Ok(()),
            }),
            moved: Condvar::new(),
        };
        let batches = self.files.len().div_ceil(BATCH);
        self.repo.on_threads(batches, |repo| work.run(repo));
        let line = work.line.into_inner();
        let mut line = line.unwrap_or_else(PoisonError::into_inner);
        let skipped = std::mem::take(&mut line.written.skipped);
        line.end(&section, skipped.line(), style);
        line.result?;
        let written = line.written;
        let mut notes = self.notes;
        notes.extend(written.notes);
        if written.more_notes > 0 {
            let message = format!("{} not told", counted(written.more_notes, "more warning"));
            notes.push(Note::new(NoteKind::Skipped, message));
        }
        notes.extend(skipped.notes());
        Ok(Dumped {
            files: written.files,
            tokens: tokenizer.tokens(written.units),
            notes,
        })
    }
}

/// What all threads share.
struct Work<'a> {
    files: &'a Matching,
    style: Style,
    tokenizer: Counter,
    /// The units of the text between two files.
    gap: usize,
    /// The next batch that no thread has taken.
    next: AtomicUsize,
    line: Mutex<Line<'a>>,
    moved: Condvar,
}

/// The place where batches are written one after the other.
struct Line<'a> {
    /// The batch that may be written now.
    turn: usize,
    /// The text above the first file, until it is written.
    head: Option<String>,
    out: &'a mut (dyn Write + Send),
    written: Written,
    /// Whether to stop writing.
    is_stopped: bool,
    result: io::Result<()>,
}

impl Line<'_> {
    /// Writes the head, unless it is already written.
    fn begin(&mut self) {
        if let Some(head) = self.head.take() {
            self.write(&head);
        }
    }

    /// Writes the line that counts skipped files, if there are any, and the foot.
    fn end(&mut self, section: &Section, skipped: Option<Piece>, style: Style) {
        if let Some(piece) = skipped {
            self.begin();
            self.write(format::gap(style));
            self.write(&format::block(&piece, style));
        }
        let foot = format::foot(section, style);
        if self.head.is_none() && !foot.is_empty() {
            self.write(format::gap(style));
            self.write(foot);
        }
    }

    fn write(&mut self, text: &str) {
        if self.result.is_ok() {
            self.written.units += self.written.tokenizer.units(text);
            self.pass(text);
        }
    }

    /// Writes text that has been counted.
    fn pass(&mut self, text: &str) {
        if self.result.is_ok() {
            self.result = self.out.write_all(text.as_bytes());
            self.is_stopped |= self.result.is_err();
        }
    }
}

/// What has been written so far.
struct Written {
    tokenizer: Counter,
    files: usize,
    units: usize,
    notes: Vec<Note>,
    more_notes: usize,
    /// The kinds of secrets among the notes.
    kinds: HashSet<String>,
    skipped: Skipped,
}

impl Written {
    fn new(tokenizer: Counter) -> Written {
        Written {
            tokenizer,
            files: 0,
            units: 0,
            notes: Vec::new(),
            more_notes: 0,
            kinds: HashSet::new(),
            skipped: Skipped::default(),
        }
    }

    fn tell(&mut self, notes: Vec<Note>) {
        for note in notes {
            // Whatever was told before it, no kind of secret goes untold.
            let kind = note.message.rsplit_once(": ").map(|(_, kind)| kind);
            let kind = kind.filter(|_| note.kind == NoteKind::Secret && note.line.is_some());
            let is_new = kind.is_some_and(|kind| self.kinds.insert(kind.to_owned()));
            if is_new || self.notes.len() < MAX_NOTES {
                self.notes.push(note);
            } else {
                self.more_notes += 1;
            }
        }
    }
}

/// What one thread has read and not yet written.
#[derive(Default)]
struct Waiting {
    text: String,
    files: usize,
    units: usize,
    notes: Vec<Note>,
    binary: Vec<String>,
    large: Vec<String>,
}

/// Ends the work of all threads when one of them panics, because its turn would never come.
struct Guard<'a, 'b>(&'a Work<'b>);

impl Drop for Guard<'_, '_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_stopped = true;
            self.0.moved.notify_all();
        }
    }
}

impl<'a> Work<'a> {
    fn lock(&self) -> MutexGuard<'_, Line<'a>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads batches until there are no more.
    fn run(&self, repo: &Repo) {
        let _guard = Guard(self);
        let gap = format::gap(self.style);
        let mut waiting = Waiting::default();
        loop {
            let batch = self.next.fetch_add(1, Ordering::Relaxed);
            let files = batch * BATCH..self.files.len().min((batch + 1) * BATCH);
            if files.is_empty() {
                return;
            }
            for at in files {
                match self.files.read(repo, at) {
                    Read::Piece(piece) => {
                        let is_large = piece.body.text().len() > LARGE;
                        if is_large && !self.hand_in(batch, &mut waiting, false) {
                            return;
                        }
                        let block = format::block(&piece, self.style);
                        waiting.units += self.gap + self.tokenizer.units(&block);
                        waiting.text.push_str(gap);
                        waiting.text.push_str(&block);
                        waiting.files += 1;
                        waiting.notes.extend(warnings(*piece));
                    }
                    Read::Binary(path) => waiting.binary.push(path.to_string()),
                    Read::Large(path) => waiting.large.push(path.to_string()),
                    Read::Unreadable(note) => waiting.notes.push(note),
                }
                if waiting.text.len() >= WAITING && !self.hand_in(batch, &mut waiting, false) {
                    return;
                }
            }
            if !self.hand_in(batch, &mut waiting, true) {
                return;
            }
        }
    }

    /// Waits for the turn of a batch and writes it. Returns `false` if nothing more is to be
    /// written.
    fn hand_in(&self, batch: usize, waiting: &mut Waiting, is_last: bool) -> bool {
        let line = self.lock();
        let line = self
            .moved
            .wait_while(line, |line| line.turn != batch && !line.is_stopped);
        let mut line = line.unwrap_or_else(PoisonError::into_inner);
        if line.is_stopped {
            return false;
        }
        if !waiting.text.is_empty() {
            line.begin();
            line.pass(&waiting.text);
            waiting.text.clear();
        }
        let written = &mut line.written;
        written.files += std::mem::take(&mut waiting.files);
        written.units += std::mem::take(&mut waiting.units);
        written.tell(std::mem::take(&mut waiting.notes));
        for path in waiting.binary.drain(..) {
            written.skipped.binary.push(&path);
        }
        for path in waiting.large.drain(..) {
            written.skipped.large.push(&path);
        }
        if is_last {
            line.turn += 1;
        }
        if is_last || line.is_stopped {
            self.moved.notify_all();
        }
        !line.is_stopped
    }
}

/// Returns what a person should know about a piece that is written whole.
fn warnings(piece: Piece) -> Vec<Note> {
    let mut notes = piece.notes;
    notes.extend(warnings_of(
        piece.body.text(),
        "",
        piece.path.as_deref(),
        None,
    ));
    notes
}

/// Returns the units of the text between two files, after the fence or the tag that ends the first
/// one.
fn gap_units(style: Style, tokenizer: Counter) -> usize {
    let end = match style {
        Style::Markdown => "```",
        Style::Xml => "</file>",
    };
    let with_gap = [end, format::gap(style)].concat();
    tokenizer
        .units(&with_gap)
        .saturating_sub(tokenizer.units(end))
}
