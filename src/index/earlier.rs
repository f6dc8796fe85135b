//! A file that was read earlier: by this run, or by another one that kept what it learned.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, File, Slots};
use super::packed::Packed;
use super::parts::ReadPart;
use super::reading::Reading;
use super::renewed::Renewed;
use super::vocabulary::Vocabulary;
use crate::repo::{Adding, RepoPath, Shelf, Slot, Stamp};

/// Files that were read earlier, by path.
pub type ByPath = HashMap<RepoPath, Earlier, RandomState>;

/// A file that was read earlier.
pub enum Earlier {
    /// By this run.
    Here(Box<File>),
    /// By another run, or by this one and moved out of memory. The larger the number, the longer
    /// ago it was asked for.
    Kept(KeptFile, usize),
}

/// A file in an entry: its stamp, and where on the shelf what it says and how it was cut are kept.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct KeptFile {
    stamp: Option<Stamp>,
    read: Slot,
    cut: Option<Slot>,
}

/// The parts of a file, its outline, and which lines its last changes added.
type Cut = (
    Option<Packed<Vec<ReadPart>>>,
    Option<Vec<Range<usize>>>,
    Option<Renewed>,
);

impl Earlier {
    /// Returns its stamp before it was read.
    pub fn stamp(&self) -> Option<Stamp> {
        match self {
            Earlier::Here(file) => file.stamp,
            Earlier::Kept(kept, _) => kept.stamp,
        }
    }

    /// Whether it was looked at in this look.
    pub fn is_seen_in(&self, look: Option<u64>) -> bool {
        match self {
            Earlier::Here(file) => look.is_some() && file.look == look,
            Earlier::Kept(..) => false,
        }
    }

    /// Whether a change to it would be noticed, or cannot have been in this look.
    pub fn holds_in(&self, look: u64) -> bool {
        self.stamp().is_some() || self.is_seen_in(Some(look))
    }

    /// Returns about how many bytes of memory it takes.
    pub fn weigh(&mut self) -> usize {
        match self {
            Earlier::Here(file) => file.weigh(),
            Earlier::Kept(..) => size_of::<KeptFile>(),
        }
    }

    /// Returns the file, if all names in it have a number.
    pub fn open(
        self,
        path: &RepoPath,
        vocabulary: &mut Vocabulary,
        shelf: Option<&Shelf>,
    ) -> Option<File> {
        match self {
            Earlier::Here(file) => Some(*file),
            Earlier::Kept(kept, _) => kept.open(path, vocabulary, shelf?),
        }
    }

    /// Returns the file, if this run read it.
    pub fn file(&mut self) -> Option<&mut File> {
        match self {
            Earlier::Here(file) => Some(file),
            Earlier::Kept(..) => None,
        }
    }

    /// Reduces it to what is kept on disk, which is then older by one prompt. Returns whether there
    /// is any.
    pub fn shrinks(&mut self) -> bool {
        if let Earlier::Here(file) = self
            && let Some(kept) = KeptFile::of(file)
        {
            *self = Earlier::Kept(kept, 0);
        }
        if let Earlier::Kept(_, since) = self {
            *since += 1;
        }
        matches!(self, Earlier::Kept(..))
    }

    /// Returns how long ago it was asked for, and what is kept of it on disk.
    pub fn kept(&self) -> Option<(usize, KeptFile)> {
        match self {
            Earlier::Here(file) => Some((0, KeptFile::of(file)?)),
            Earlier::Kept(kept, since) => Some((*since, *kept)),
        }
    }
}

impl KeptFile {
    /// Returns what is kept of a file, if that can be relied upon the next time.
    pub fn of(file: &File) -> Option<KeptFile> {
        Some(KeptFile {
            stamp: Some(file.stamp?),
            read: file.slots.read?,
            cut: file.slots.cut,
        })
    }

    /// Returns the file at this path, if all names in it have a number. How it was cut stays on the
    /// shelf until somebody asks for it.
    fn open(self, path: &RepoPath, vocabulary: &mut Vocabulary, shelf: &Shelf) -> Option<File> {
        let read: Reading = postcard::from_bytes(&shelf.piece(self.read)?).ok()?;
        let names = vocabulary.names.len();
        let read = Some(read).filter(|read| read.is_below(names))?;
        Some(File {
            stamp: self.stamp,
            slots: Slots {
                read: Some(self.read),
                cut: self.cut,
            },
            ..File::new(path.clone(), read, vocabulary)
        })
    }

    /// Returns where it is on the shelf.
    pub fn slots(self) -> impl Iterator<Item = Slot> {
        [Some(self.read), self.cut].into_iter().flatten()
    }
}

/// Takes from the shelf how these files were cut, as far as that is there.
pub fn open_cuts(shelf: &Shelf, corpus: &mut Corpus, files: &[usize]) {
    for at in files {
        let file = &mut corpus.files[*at];
        let slot = file.slots.cut.filter(|_| !file.is_cut());
        let piece = slot.and_then(|slot| shelf.piece(slot));
        let cut = piece.and_then(|piece| postcard::from_bytes::<Cut>(&piece).ok());
        if let Some(cut) = cut {
            (file.parts, file.outline, file.renewed) = cut;
            file.weight = 0;
        } else if slot.is_some() {
            file.slots.cut = None;
        }
    }
}

/// Puts on the shelf what is known of a file and is not there.
///
/// # Errors
///
/// Says why it could not be written.
pub fn shelve(adding: &mut Adding, file: &mut File) -> Result<(), String> {
    if file.stamp.is_none() {
        return Ok(());
    }
    if file.slots.read.is_none() {
        file.slots.read = adding.put(&packed(&file.read)?)?;
    }
    if file.slots.cut.is_none() && file.is_cut() {
        let cut = (&file.parts, &file.outline, &file.renewed);
        file.slots.cut = adding.put(&packed(&cut)?)?;
    }
    Ok(())
}

fn packed(value: &impl Serialize) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(value).map_err(|e| e.to_string())
}
