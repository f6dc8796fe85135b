//! Pieces of earlier results, in a file that only grows.
//!
//! An entry of the cache says where each piece is, so that a run reads those that it asks for, and
//! writes those that are new. A slot is good only for the bytes that were put there: whatever
//! happened to the file, the result is the intended piece, or none.

use std::cell::OnceCell;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::cache::{Cache, checksum};
use super::read::reason;

/// A larger shelf is started anew, in bytes.
const MAX_SHELF: u64 = 96 * 1024 * 1024;

/// A larger piece is not kept, in bytes.
const MAX_PIECE: usize = 4 * 1024 * 1024;

/// How much of a shelf may be pieces that no entry leads to any more, beyond as much as is in use,
/// in bytes.
const MAX_LOST: u64 = 8 * 1024 * 1024;

/// Where a piece is, and the checksum of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    at: u64,
    bytes: u32,
    sum: u64,
}

impl Slot {
    /// Returns how many bytes the piece has.
    pub fn bytes(&self) -> u64 {
        u64::from(self.bytes)
    }
}

/// The pieces of one name.
pub struct Shelf {
    cache: Cache,
    path: PathBuf,
    /// Open for reading, once somebody asked.
    file: OnceCell<File>,
}

impl Shelf {
    /// Returns the pieces of this name in a cache.
    pub fn of(cache: &Cache, name: &str) -> Shelf {
        Shelf {
            path: cache.path(name),
            cache: cache.clone(),
            file: OnceCell::new(),
        }
    }

    /// Returns the piece that was put in a slot, if it is still there.
    pub fn piece(&self, slot: Slot) -> Option<Vec<u8>> {
        let mut file = self.opened()?;
        let mut bytes = vec![
            0;
            usize::try_from(slot.bytes)
                .ok()
                .filter(|n| *n <= MAX_PIECE)?
        ];
        file.seek(SeekFrom::Start(slot.at)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        (checksum(&bytes) == slot.sum).then_some(bytes)
    }

    fn opened(&self) -> Option<&File> {
        if self.file.get().is_none() && self.size().is_some() {
            // Only what was opened is remembered: another run may make it later.
            let _ = self.file.set(File::open(&self.path).ok()?);
        }
        self.file.get()
    }

    /// Returns how many bytes are there; `None` if nothing is, or it is not a file: a link leads
    /// elsewhere, and opening a FIFO would wait for a writer.
    fn size(&self) -> Option<u64> {
        let meta = fs::symlink_metadata(&self.path).ok()?;
        meta.is_file().then_some(meta.len())
    }

    /// Whether there is less than these slots need: another run has started it anew.
    pub fn lacks(&self, mut slots: impl Iterator<Item = Slot>) -> bool {
        let size = self.size().unwrap_or_default();
        slots.any(|slot| slot.at.saturating_add(slot.bytes()) > size)
    }

    /// Lets somebody add pieces after those that are there; `None` if another run is about to.
    ///
    /// # Errors
    ///
    /// Says why it cannot be written.
    pub fn adding(&self) -> Result<Option<Adding>, String> {
        let open = || -> io::Result<Option<Adding>> {
            self.cache.make_folder()?;
            if self.size().is_none() && fs::symlink_metadata(&self.path).is_ok() {
                return Err(ErrorKind::AlreadyExists.into());
            }
            let mut options = OpenOptions::new();
            // To lock it Windows has to be let read it.
            options.read(true).append(true).create(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(&self.path)?;
            // Where nothing can be locked, what two runs mix up is none to whoever reads it.
            if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
                return Ok(None);
            }
            let end = file.metadata()?.len();
            let file = BufWriter::new(file);
            Ok(Some(Adding { file, end }))
        };
        open().map_err(|e| reason(&e))
    }

    /// Whether most of what is there is of no use, given that `used` bytes are, or there is too
    /// much of it.
    pub fn is_stale(&self, used: u64) -> bool {
        let size = self.size().unwrap_or_default();
        size > 2 * used + MAX_LOST || size > MAX_SHELF
    }

    /// Removes all pieces.
    ///
    /// # Errors
    ///
    /// Says why that cannot be done.
    pub fn clear(&mut self) -> Result<(), String> {
        self.file = OnceCell::new();
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(reason(&error)),
            _ => Ok(()),
        }
    }
}

/// Puts pieces on a shelf, while nobody else does.
pub struct Adding {
    file: BufWriter<File>,
    end: u64,
}

impl Adding {
    /// Puts a piece there; `None` for one that is too large to be kept.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub fn put(&mut self, piece: &[u8]) -> Result<Option<Slot>, String> {
        let bytes = u32::try_from(piece.len()).ok();
        let Some(bytes) = bytes.filter(|_| piece.len() <= MAX_PIECE) else {
            return Ok(None);
        };
        self.file.write_all(piece).map_err(|e| reason(&e))?;
        let at = self.end;
        self.end += u64::from(bytes);
        let sum = checksum(piece);
        Ok(Some(Slot { at, bytes, sum }))
    }

    /// Has all of it written.
    ///
    /// # Errors
    ///
    /// Says why it could not be.
    pub fn finish(mut self) -> Result<(), String> {
        self.file.flush().map_err(|e| reason(&e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(shelf: &Shelf, pieces: &[&[u8]]) -> Vec<Slot> {
        let mut adding = shelf.adding().unwrap().unwrap();
        let slots = pieces.iter().map(|piece| adding.put(piece));
        let slots = slots.map(|slot| slot.unwrap().unwrap()).collect();
        adding.finish().unwrap();
        slots
    }

    #[test]
    fn a_piece_is_the_one_that_was_put_there_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("new"));
        let shelf = Shelf::of(&cache, "x");
        let first = put(&shelf, &[b"one", b"", b"three"]);
        // Whoever reads already sees what is added.
        assert_eq!(shelf.piece(first[2]).unwrap(), b"three");
        let second = put(&Shelf::of(&cache, "x"), &[b"four"]);
        let seen: Vec<_> = first
            .iter()
            .chain(&second)
            .map(|p| shelf.piece(*p))
            .collect();
        let pieces: [&[u8]; 4] = [b"one", b"", b"three", b"four"];
        assert_eq!(seen, pieces.map(|piece| Some(piece.to_vec())));
        assert!(shelf.piece(Slot { at: 1, ..first[0] }).is_none());
        assert!(
            shelf
                .piece(Slot {
                    at: u64::MAX,
                    ..first[0]
                })
                .is_none()
        );
        let bytes = u32::MAX;
        assert!(shelf.piece(Slot { bytes, ..first[0] }).is_none());
        let path = cache.path("x");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[1..]).unwrap();
        assert!(Shelf::of(&cache, "x").piece(first[0]).is_none());
    }

    #[test]
    fn two_runs_do_not_put_pieces_there_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let (one, other) = (Shelf::of(&cache, "x"), Shelf::of(&cache, "x"));
        let adding = one.adding().unwrap().unwrap();
        assert!(other.adding().unwrap().is_none());
        adding.finish().unwrap();
        assert!(other.adding().unwrap().is_some());
    }

    #[test]
    fn a_shelf_is_stale_once_most_of_it_is_of_no_use() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let mut shelf = Shelf::of(&cache, "x");
        assert!(!shelf.is_stale(0));
        let piece = vec![7; MAX_PIECE];
        let slots = put(&shelf, &[&piece[..]; 3]);
        let used: u64 = slots.iter().map(Slot::bytes).sum();
        assert!(!shelf.is_stale(used) && !shelf.is_stale(used / 3) && shelf.is_stale(0));
        let mut adding = shelf.adding().unwrap().unwrap();
        assert_eq!(adding.put(&vec![0; MAX_PIECE + 1]), Ok(None));
        drop(adding);
        shelf.clear().unwrap();
        shelf.clear().unwrap();
        assert!(!shelf.is_stale(0) && shelf.piece(slots[0]).is_none());
    }

    #[test]
    fn what_is_no_file_is_neither_read_nor_written() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let slot = put(&Shelf::of(&cache, "x"), &[b"one"])[0];
        fs::create_dir(cache.path("y")).unwrap();
        let shelf = Shelf::of(&cache, "y");
        assert!(shelf.piece(slot).is_none() && shelf.adding().is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(cache.path("x"), cache.path("z")).unwrap();
            let shelf = Shelf::of(&cache, "z");
            assert!(shelf.piece(slot).is_none() && shelf.adding().is_err());
        }
    }
}
