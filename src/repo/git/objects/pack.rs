//! Objects in packs, and the indexes that say where they are.

use std::cell::RefCell;
use std::cmp;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use git2::Oid;

use super::index_file::{IndexFile, number, read_at};
use super::inflate::{Inflater, Source};
use super::{Fault, Kind, delta};
use crate::repo::open::anywhere;

/// The longest chain of objects that one may be made of; git itself writes up to 50.
pub(super) const MAX_CHAIN: usize = 4096;

/// The most packs that are opened.
const MAX_PACKS: usize = 2000;

/// How many bytes of what is at a place are read at first.
const AHEAD: usize = 1024;

/// The most names of an index that are read at once, and the most bytes of the names of all packs
/// that are kept, including small indexes.
const MAX_BUCKET: u32 = 4000;
const MAX_NAMES: usize = 8 * 1024 * 1024;

/// An index of at most this many bytes is read whole, so that it need not stay open.
const MAX_SMALL: u64 = 256 * 1024;

/// The most files of packs that stay open.
const MAX_OPEN: usize = 32;

/// How many bytes the name of an object has.
const ID: usize = 20;

/// The packs of a folder.
pub(super) struct Packs {
    folder: PathBuf,
    opened: Vec<Pack>,
    /// When the folder in which they were found was changed.
    listed: Option<SystemTime>,
    /// Whether one could not be opened.
    failed: bool,
    shared: Arc<Shared>,
}

/// What all packs of a folder share.
#[derive(Default)]
struct Shared {
    /// How many bytes of names are kept.
    names: AtomicUsize,
    /// How many files of packs are open.
    open: AtomicUsize,
}

impl Packs {
    pub(super) fn new(folder: PathBuf) -> Packs {
        Packs {
            folder,
            opened: Vec::new(),
            listed: None,
            failed: false,
            shared: Arc::default(),
        }
    }

    /// Whether there is a pack that could not be opened.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Forgets all packs if one of them is gone. Returns whether that is so.
    pub(super) fn forget_those_gone(&mut self) -> bool {
        let is_gone = |pack: &Pack| !pack.path.with_extension("pack").exists();
        let any = self.opened.iter().any(is_gone);
        if any {
            *self = Packs::new(std::mem::take(&mut self.folder));
        }
        any
    }

    pub(super) fn nth(&self, number: u32) -> &Pack {
        &self.opened[number as usize]
    }

    /// Returns the pack that an object is in, and where.
    pub(super) fn find(&mut self, id: Oid) -> Option<(u32, u64)> {
        let known = self.find_in(id, 0);
        // Packs may have come since they were listed, and stay once they are known.
        known.or_else(|| {
            let count = self.opened.len();
            self.list().then(|| self.find_in(id, count)).flatten()
        })
    }

    fn find_in(&self, id: Oid, from: usize) -> Option<(u32, u64)> {
        let packs = self.opened.iter().enumerate().skip(from);
        let mut found =
            packs.filter_map(|(at, pack)| Some((u32::try_from(at).ok()?, pack.find(id)?)));
        found.next()
    }

    pub(super) fn beginning(&mut self, letters: &str, most: usize, found: &mut Vec<Oid>) {
        self.list();
        for pack in &self.opened {
            pack.beginning(letters, most, found);
        }
    }

    /// Lists the packs, if the folder changed since. Returns whether there are new ones.
    fn list(&mut self) -> bool {
        let changed = fs::metadata(&self.folder).and_then(|meta| meta.modified());
        let Some(changed) = changed.ok().filter(|now| self.listed != Some(*now)) else {
            return false;
        };
        self.listed = Some(changed);
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return false;
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_index = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "idx");
        let mut paths: Vec<PathBuf> = paths.filter(is_index).collect();
        paths.sort_unstable();
        let count = self.opened.len();
        let known: HashSet<PathBuf> = self.opened.iter().map(|pack| pack.path.clone()).collect();
        for path in paths.into_iter().filter(|path| !known.contains(path)) {
            if self.opened.len() == MAX_PACKS {
                self.failed = true;
                break;
            }
            match Pack::open(path, &self.shared) {
                Some(pack) => self.opened.push(pack),
                None => self.failed = true,
            }
        }
        self.opened.len() > count
    }
}

/// A pack with its index.
pub(super) struct Pack {
    path: PathBuf,
    index: IndexFile,
    /// The pack itself, as long as it is open.
    file: RefCell<Option<Arc<File>>>,
    shared: Arc<Shared>,
    /// How many bytes the pack has before its own checksum.
    end: u64,
    /// Whether the index is of the first version, which has the place of an object before its name.
    is_old: bool,
    /// How many names begin with at most this byte.
    counts: Vec<u32>,
    names: RefCell<Names>,
}

/// The names of objects that begin with one byte, as they were read.
struct Names {
    by_byte: Vec<Option<Arc<[u8]>>>,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            by_byte: vec![None; 256],
        }
    }
}

/// What is at a place of a pack.
pub(super) struct Entry {
    pub(super) is: Is,
    /// How many bytes it has when it is inflated.
    pub(super) size: u64,
    /// What was read from that place on, where in it the content begins, and where in the pack the
    /// data after it is.
    ahead: Vec<u8>,
    begins: usize,
    behind: u64,
}

/// What something in a pack is.
pub(super) enum Is {
    /// A whole object.
    Whole(Kind),
    /// A delta to what is at an earlier place.
    From(u64),
    /// A delta to what has this name.
    FromNamed(Oid),
}

impl Shared {
    /// Whether `bytes` more may be kept.
    fn takes(&self, bytes: usize) -> bool {
        let before = self.names.fetch_add(bytes, Ordering::Relaxed);
        before + bytes <= MAX_NAMES
    }
}

impl Pack {
    /// Opens a pack by its index; `None` if one of them is invalid.
    fn open(path: PathBuf, shared: &Arc<Shared>) -> Option<Pack> {
        let file = anywhere(&path).ok()?;
        let meta = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let index_size = meta.len();
        let size = fs::symlink_metadata(path.with_extension("pack")).ok()?;
        let size = Some(size).filter(fs::Metadata::is_file)?.len();
        let bytes = usize::try_from(index_size.min(MAX_SMALL)).ok()?;
        let is_small = index_size <= MAX_SMALL && shared.takes(bytes);
        let index = if is_small {
            let mut read = vec![0; bytes];
            read_at(&file, &mut read, 0).ok()?;
            IndexFile::Read(read)
        } else {
            IndexFile::Open(file)
        };
        let mut head = [0; 8 + 1024];
        index.read_at(&mut head[..1024], 0).ok()?;
        let is_old = !head.starts_with(b"\xfftOc");
        if !is_old {
            index.read_at(&mut head, 0).ok()?;
            (head[4..8] == [0, 0, 0, 2]).then_some(())?;
        }
        let counts = if is_old { &head[..1024] } else { &head[8..] };
        let counts = counts.chunks_exact(4).map(number);
        let counts: Vec<u32> = counts.collect();
        let all = u64::from(*counts.last()?);
        let each = if is_old { 24 } else { 28 };
        let fits = 1024 + all * each <= index_size;
        let end = size.checked_sub(ID as u64)?;
        (counts.is_sorted() && fits).then_some(Pack {
            path,
            index,
            file: RefCell::default(),
            shared: Arc::clone(shared),
            end,
            is_old,
            counts,
            names: RefCell::default(),
        })
    }

    /// Returns where the object of this name is.
    pub(super) fn find(&self, id: Oid) -> Option<u64> {
        let id = id.as_bytes();
        let (mut low, mut high) = self.range(id[0]);
        let first = low;
        let names = self.names(id[0]);
        while low < high {
            let middle = low.midpoint(high);
            let at = (middle - first) as usize * ID;
            let order = match &names {
                Some(names) => names[at..at + ID].cmp(id),
                None => self.name(middle)?.as_slice().cmp(id),
            };
            match order {
                cmp::Ordering::Less => low = middle + 1,
                cmp::Ordering::Greater => high = middle,
                cmp::Ordering::Equal => return self.offset(middle),
            }
        }
        None
    }

    /// Returns the numbers of the names that begin with a byte.
    fn range(&self, byte: u8) -> (u32, u32) {
        let before = byte
            .checked_sub(1)
            .map_or(0, |at| self.counts[usize::from(at)]);
        (before, self.counts[usize::from(byte)])
    }

    /// Returns the names that begin with a byte, if they are few and consecutive.
    fn names(&self, byte: u8) -> Option<Arc<[u8]>> {
        let (first, end) = self.range(byte);
        let count = end - first;
        let is_read = matches!(self.index, IndexFile::Read(_));
        if is_read || self.is_old || count == 0 || count > MAX_BUCKET {
            return None;
        }
        let mut names = self.names.borrow_mut();
        if let Some(known) = &names.by_byte[usize::from(byte)] {
            return Some(known.clone());
        }
        let bytes = count as usize * ID;
        if !self.shared.takes(bytes) {
            return None;
        }
        let mut read = vec![0; bytes];
        self.index.read_at(&mut read, self.name_at(first)).ok()?;
        let read: Arc<[u8]> = read.into();
        names.by_byte[usize::from(byte)] = Some(read.clone());
        Some(read)
    }

    fn name_at(&self, number: u32) -> u64 {
        if self.is_old {
            1024 + u64::from(number) * 24 + 4
        } else {
            8 + 1024 + u64::from(number) * ID as u64
        }
    }

    fn name(&self, number: u32) -> Option<[u8; ID]> {
        let mut name = [0; ID];
        self.index.read_at(&mut name, self.name_at(number)).ok()?;
        Some(name)
    }

    /// Returns where the object of this number is.
    fn offset(&self, at: u32) -> Option<u64> {
        let all = u64::from(self.counts[255]);
        let mut four = [0; 4];
        let behind_sums = 8 + 1024 + all * (ID as u64 + 4);
        let place = if self.is_old {
            1024 + u64::from(at) * 24
        } else {
            behind_sums + u64::from(at) * 4
        };
        self.index.read_at(&mut four, place).ok()?;
        let offset = number(&four);
        if self.is_old || offset & 0x8000_0000 == 0 {
            return Some(offset.into());
        }
        let large = u64::from(offset & 0x7fff_ffff);
        let mut eight = [0; 8];
        self.index
            .read_at(&mut eight, behind_sums + all * 4 + large * 8)
            .ok()?;
        Some(u64::from_be_bytes(eight))
    }

    /// Finds the objects of the pack whose names begin with these letters.
    fn beginning(&self, letters: &str, most: usize, found: &mut Vec<Oid>) {
        let Some(byte) = letters
            .get(..2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
        else {
            return;
        };
        let (first, end) = self.range(byte);
        let oid = |at: u32| Oid::from_bytes(&self.name(at)?).ok();
        let (mut low, mut high) = (first, end);
        while low < high {
            let middle = low.midpoint(high);
            match oid(middle) {
                Some(id) if id.to_string().as_str() < letters => low = middle + 1,
                _ => high = middle,
            }
        }
        let names = (low..end).map_while(oid);
        let begins = |id: &Oid| id.to_string().starts_with(letters);
        found.extend(names.take_while(begins).take(most));
    }

    /// Returns what is at a place.
    pub(super) fn entry(&self, offset: u64) -> Result<Entry, Fault> {
        let damaged = || Fault::Damaged("its pack does not have it");
        if offset < 12 || offset >= self.end {
            return Err(damaged());
        }
        // Its kind with its length, what it is made of, and most often all of its content.
        let most = usize::try_from(self.end - offset).unwrap_or(usize::MAX);
        let mut read = vec![0; most.min(AHEAD)];
        read_at(&*self.file()?, &mut read, offset)?;
        let mut rest = read.as_slice();
        let mut next = || {
            let (byte, behind) = rest.split_first()?;
            rest = behind;
            Some(*byte)
        };
        let first = next().ok_or_else(damaged)?;
        let mut size = u64::from(first & 0x0f);
        let mut more = first & 0x80 != 0;
        let mut shift = 4;
        while more {
            let byte = next().filter(|_| shift < 60).ok_or_else(damaged)?;
            size |= u64::from(byte & 0x7f) << shift;
            more = byte & 0x80 != 0;
            shift += 7;
        }
        let is = match first >> 4 & 7 {
            1 => Is::Whole(Kind::Commit),
            2 => Is::Whole(Kind::Tree),
            3 => Is::Whole(Kind::Blob),
            4 => Is::Whole(Kind::Tag),
            6 => {
                let mut byte = next().ok_or_else(damaged)?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next().ok_or_else(damaged)?;
                    back = (back + 1).checked_shl(7).ok_or_else(damaged)? | u64::from(byte & 0x7f);
                    if back > offset {
                        return Err(damaged());
                    }
                }
                let base = offset.checked_sub(back).filter(|_| back > 0);
                Is::From(base.ok_or_else(damaged)?)
            }
            7 => {
                let (id, behind) = rest.split_at_checked(ID).ok_or_else(damaged)?;
                rest = behind;
                Is::FromNamed(Oid::from_bytes(id).map_err(|_| damaged())?)
            }
            _ => return Err(damaged()),
        };
        let (length, begins) = (read.len(), read.len() - rest.len());
        Ok(Entry {
            is,
            size,
            ahead: read,
            begins,
            behind: offset + length as u64,
        })
    }

    /// Returns how many bytes an object has that is whole, or made of another one.
    pub(super) fn size_of(&self, entry: &Entry, inflater: &mut Inflater) -> Result<u64, Fault> {
        /// Two numbers of at most nine bytes.
        const NUMBERS: usize = 18;
        if matches!(entry.is, Is::Whole(_)) {
            return Ok(entry.size);
        }
        delta::size(&inflater.beginning(&mut self.from(entry), NUMBERS)?)
    }

    /// Returns what is at a place, inflated.
    pub(super) fn inflate(&self, entry: &Entry, inflater: &mut Inflater) -> Result<Vec<u8>, Fault> {
        let size = usize::try_from(entry.size).map_err(|_| Fault::TooLarge(entry.size))?;
        inflater.whole(&mut self.from(entry), size)
    }

    /// Returns the pack itself, which stays open if few are.
    fn file(&self) -> Result<Arc<File>, Fault> {
        if let Some(file) = &*self.file.borrow() {
            return Ok(file.clone());
        }
        let file = anywhere(&self.path.with_extension("pack")).map_err(|_| Fault::Gone)?;
        if !file.metadata().is_ok_and(|meta| meta.is_file()) {
            return Err(Fault::Gone);
        }
        let file = Arc::new(file);
        if self.shared.open.fetch_add(1, Ordering::Relaxed) < MAX_OPEN {
            *self.file.borrow_mut() = Some(file.clone());
        }
        Ok(file)
    }

    fn from<'a>(&'a self, entry: &'a Entry) -> Packed<'a> {
        Packed {
            pack: self,
            beginning: &entry.ahead[entry.begins..],
            at: entry.behind,
        }
    }
}

/// The bytes of a pack from a place on.
struct Packed<'a> {
    pack: &'a Pack,
    beginning: &'a [u8],
    at: u64,
}

impl Source for Packed<'_> {
    fn fill(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.beginning.is_empty() {
            let count = into.len().min(self.beginning.len());
            let (first, rest) = self.beginning.split_at(count);
            into[..count].copy_from_slice(first);
            self.beginning = rest;
            return Ok(count);
        }
        let left = usize::try_from(self.pack.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = into.len().min(left);
        let file = self.pack.file();
        let file = file.map_err(|_| io::ErrorKind::NotFound)?;
        read_at(&file, &mut into[..count], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
