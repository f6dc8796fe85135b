//! Git's index as it is on disk: what it lists, and what it remembers of folders.
//!
//! It is read here, once and from one opened file, so that replacing it meanwhile has no effect,
//! and libgit2 never gets one that somebody made up.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

use git2::Oid;

use super::cached::{OID, Remembered};
use crate::repo::open::Door;
use crate::repo::{Refusal, read_beneath};
use crate::show::grouped;
use crate::truncate::last_that;

/// The largest index, in bytes: that of 200,000 files with paths of 50 bytes.
const MAX_BYTES: u64 = 24 * 1024 * 1024;

/// The most files of one, and the most bytes of all its paths: it may write a common prefix only
/// once for that many.
const MAX_ENTRIES: usize = 250_000;
const MAX_PATHS: usize = 16 * 1024 * 1024;

/// The size of an entry's file data, object and flags.
const ENTRY: usize = 62;

/// Flags of an entry.
const EXTENDED: u16 = 0x4000;
const LENGTH: u16 = 0x0fff;
const STAGE: u16 = 0x3000;
const ASSUME_UNCHANGED: u16 = 0x8000;

/// More of them, in entries that have more.
const NOT_CHECKED_OUT: u16 = 0x4000;
const INTENDED: u16 = 0x2000;

/// What an index lists, in the order of the bytes of paths.
#[derive(Default)]
pub(super) struct Staging {
    /// The paths, one after the other.
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// The trees of folders that have nothing staged.
    trees: Remembered,
    has_conflicts: bool,
    /// When the file was written.
    pub(super) written: Option<(i64, u32)>,
}

/// What an index says of a file.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Where its path ends.
    end: u32,
    changed: (u32, u32),
    status_changed: u32,
    pub(super) mode: u32,
    /// How many bytes it has, modulo 2³².
    pub(super) bytes: u32,
    pub(super) id: Oid,
    flags: u16,
    more_flags: u16,
}

impl Entry {
    /// Returns when the file was changed, as git saw it: seconds, and nanoseconds unless they are
    /// 0.
    pub(super) fn changed(&self) -> (i64, u32) {
        (i64::from(self.changed.0), self.changed.1)
    }

    /// Returns when its permissions or its name were changed, in seconds, unless that is 0.
    pub(super) fn status_changed(&self) -> i64 {
        i64::from(self.status_changed)
    }

    /// Whether it is one side of a conflict.
    pub(super) fn in_conflict(&self) -> bool {
        self.flags & STAGE != 0
    }

    /// Whether the file was only announced, with `git add -N`: nothing of it is staged.
    pub(super) fn is_intended(&self) -> bool {
        self.more_flags & INTENDED != 0
    }

    /// Whether git does not look at the file: `git update-index --assume-unchanged`, or a sparse
    /// checkout leaves it out.
    pub(super) fn is_kept(&self) -> bool {
        self.flags & ASSUME_UNCHANGED != 0 || self.is_not_checked_out()
    }

    /// Whether a sparse checkout leaves the file out.
    pub(super) fn is_not_checked_out(&self) -> bool {
        self.more_flags & NOT_CHECKED_OUT != 0
    }
}

/// Why an index cannot be used, in one line with what to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Damaged,
    /// Most of it is in another file.
    Split,
    /// It lists folders that are not checked out instead of their files.
    Sparse,
    /// It has a part, or a version, that must be understood and is not known.
    Unknown,
    /// It lists more than is read.
    TooLarge,
}

impl Fault {
    fn told(&self) -> String {
        const AGAIN: &str = "remove that file, and `git reset` makes a new one";
        match self {
            Fault::Damaged => format!("its index is damaged; {AGAIN}"),
            Fault::Split => {
                "its index is split, which is not read; `git update-index --no-split-index` makes \
                 it one file"
                    .into()
            }
            Fault::Sparse => {
                "its index is sparse, which is not read; `git sparse-checkout reapply \
                 --no-sparse-index` lists every file"
                    .into()
            }
            Fault::Unknown => {
                format!("its index has a part that only a newer git understands; {AGAIN}")
            }
            Fault::TooLarge => {
                let (files, bytes) = (grouped(MAX_ENTRIES), grouped(MAX_PATHS));
                format!(
                    "its index is too large: the limits are {files} files, and {bytes} bytes of \
                     paths"
                )
            }
        }
    }
}

impl Staging {
    /// Reads the index of a git folder. Without one nothing is tracked.
    ///
    /// # Errors
    ///
    /// Says in one line why it cannot be read.
    pub(super) fn read(folder: &Door) -> Result<Staging, String> {
        match read_beneath(folder, "index", MAX_BYTES) {
            Ok((bytes, meta)) => Staging::of(&bytes, &meta).map_err(|fault| fault.told()),
            Err(Refusal::Missing) => Ok(Staging::default()),
            Err(refusal) => Err(format!("its index cannot be read: {refusal}")),
        }
    }

    fn of(bytes: &[u8], meta: &Metadata) -> Result<Staging, Fault> {
        let mut staging = Staging::parse(bytes)?;
        staging.written = Some(moment(meta));
        Ok(staging)
    }

    /// Parses an index. Git checks its checksum only when it looks for damage.
    pub(super) fn parse(bytes: &[u8]) -> Result<Staging, Fault> {
        let end = bytes.len().checked_sub(OID).ok_or(Fault::Damaged)?;
        let mut rest = bytes[..end].strip_prefix(b"DIRC").ok_or(Fault::Damaged)?;
        let version = number(&mut rest)?;
        if !(2..=4).contains(&version) {
            return Err(Fault::Unknown);
        }
        let is_compressed = version == 4;
        let count = number(&mut rest)? as usize;
        if count > MAX_ENTRIES {
            return Err(Fault::TooLarge);
        }
        // So that no room is taken twice for what grows.
        let paths = rest
            .len()
            .checked_sub(count * ENTRY)
            .ok_or(Fault::Damaged)?;
        let paths = if is_compressed {
            MAX_PATHS
        } else {
            paths.min(MAX_PATHS)
        };
        let mut staging = Staging {
            text: Vec::with_capacity(paths),
            entries: Vec::with_capacity(count),
            ..Staging::default()
        };
        for _ in 0..count {
            staging.take(&mut rest, is_compressed)?;
        }
        staging.text.shrink_to_fit();
        while !rest.is_empty() {
            let signature = bytes_of(&mut rest, 4)?;
            let length = number(&mut rest)?;
            let text = bytes_of(&mut rest, length as usize)?;
            match signature {
                b"TREE" => staging.trees = Remembered::of(text),
                b"link" => return Err(Fault::Split),
                b"sdir" => return Err(Fault::Sparse),
                _ if !signature[0].is_ascii_uppercase() => return Err(Fault::Unknown),
                _ => {}
            }
        }
        // Where most stands in another file, what replaces an entry there has no path. Such
        // come first.
        if staging
            .iter()
            .next()
            .is_some_and(|(path, _)| path.is_empty())
        {
            return Err(Fault::Damaged);
        }
        Ok(staging)
    }

    /// Takes in the next entry.
    fn take(&mut self, rest: &mut &[u8], is_compressed: bool) -> Result<(), Fault> {
        let whole = rest.len();
        let status_changed = number(rest)?;
        // Its nanoseconds.
        number(rest)?;
        let changed = (number(rest)?, number(rest)?);
        // Where the file lies.
        bytes_of(rest, 8)?;
        let mode = number(rest)?;
        // Whose it is.
        bytes_of(rest, 8)?;
        let bytes = number(rest)?;
        let id = Oid::from_bytes(bytes_of(rest, OID)?).map_err(|_| Fault::Damaged)?;
        let flags = short(rest)?;
        let more_flags = match flags & EXTENDED {
            0 => 0,
            _ => short(rest)?,
        };
        let start = self.text.len();
        if is_compressed {
            self.take_beginning(rest)?;
        }
        let length = memchr::memchr(0, rest).ok_or(Fault::Damaged)?;
        self.add(bytes_of(rest, length)?)?;
        let length = self.text.len() - start;
        let told = flags & LENGTH;
        if told != u16::try_from(length).unwrap_or(LENGTH).min(LENGTH) {
            return Err(Fault::Damaged);
        }
        let zeros = if is_compressed {
            1
        } else {
            8 - (whole - rest.len()) % 8
        };
        bytes_of(rest, zeros)?;
        // Git too takes none in another order.
        if self
            .entries
            .last()
            .is_some_and(|_| self.last() > &self.text[start..])
        {
            return Err(Fault::Damaged);
        }
        self.has_conflicts |= flags & STAGE != 0;
        self.entries.push(Entry {
            end: u32::try_from(self.text.len()).map_err(|_| Fault::TooLarge)?,
            changed,
            status_changed,
            mode,
            bytes,
            id,
            flags,
            more_flags,
        });
        Ok(())
    }

    /// Takes in the prefix that a path shares with the one before: the number of bytes that it does
    /// not share is written, seven bits in a byte.
    fn take_beginning(&mut self, rest: &mut &[u8]) -> Result<(), Fault> {
        let mut less = 0_usize;
        for at in 0.. {
            let byte = bytes_of(rest, 1)?[0];
            // Each byte but the first says one more than it could otherwise say twice.
            let before = if at == 0 { 0 } else { less + 1 };
            less = before * 128 + usize::from(byte & 0x7f);
            if less > MAX_PATHS {
                return Err(Fault::Damaged);
            }
            if byte & 0x80 == 0 {
                break;
            }
        }
        let start = self.text.len() - self.last().len();
        let length = self.last().len().checked_sub(less).ok_or(Fault::Damaged)?;
        self.has_room(length)?;
        self.text.extend_from_within(start..start + length);
        Ok(())
    }

    fn add(&mut self, path: &[u8]) -> Result<(), Fault> {
        self.has_room(path.len())?;
        self.text.extend_from_slice(path);
        Ok(())
    }

    fn has_room(&self, bytes: usize) -> Result<(), Fault> {
        let has_room = self.text.len() + bytes <= MAX_PATHS;
        has_room.then_some(()).ok_or(Fault::TooLarge)
    }

    /// Returns the path of the last entry that was taken in; empty before the first.
    fn last(&self) -> &[u8] {
        self.entries
            .len()
            .checked_sub(1)
            .map_or(&[], |at| self.path(at))
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the path of an entry. One in conflict has an entry for each side.
    pub(super) fn path(&self, at: usize) -> &[u8] {
        let end = |at: usize| self.entries[at].end as usize;
        let start = at.checked_sub(1).map_or(0, end);
        &self.text[start..end(at)]
    }

    pub(super) fn entry(&self, at: usize) -> &Entry {
        &self.entries[at]
    }

    /// Returns the trees of folders that have nothing staged, if that can be trusted: libraries put
    /// a conflict into a folder and leave its tree as it was.
    pub(super) fn trees(&self) -> Option<&Remembered> {
        (!self.has_conflicts).then_some(&self.trees)
    }

    /// Whether an entry is the first, or the only one, of its path.
    pub(super) fn is_first(&self, at: usize) -> bool {
        at == 0 || self.path(at - 1) != self.path(at)
    }

    /// Returns all entries with their paths.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], &Entry)> {
        let entries = self.entries.iter().enumerate();
        entries.map(|(at, entry)| (self.path(at), entry))
    }

    /// Returns how many entries have a path that comes before this one.
    pub(super) fn partition(&self, path: &[u8]) -> usize {
        last_that(0, self.len(), |entries| self.path(entries - 1) < path)
    }
}

/// Returns when a file was changed, in seconds and nanoseconds.
pub(super) fn moment(meta: &Metadata) -> (i64, u32) {
    let since = meta
        .modified()
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let since = since.unwrap_or_default();
    (
        i64::try_from(since.as_secs()).unwrap_or_default(),
        since.subsec_nanos(),
    )
}

/// Returns the next bytes of an index.
fn bytes_of<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], Fault> {
    let (own, behind) = rest.split_at_checked(length).ok_or(Fault::Damaged)?;
    *rest = behind;
    Ok(own)
}

fn number(rest: &mut &[u8]) -> Result<u32, Fault> {
    let (own, behind) = rest.split_first_chunk().ok_or(Fault::Damaged)?;
    *rest = behind;
    Ok(u32::from_be_bytes(*own))
}

fn short(rest: &mut &[u8]) -> Result<u16, Fault> {
    let (own, behind) = rest.split_first_chunk().ok_or(Fault::Damaged)?;
    *rest = behind;
    Ok(u16::from_be_bytes(*own))
}

/// Makes an index of files, each with the number of its side in a conflict.
#[cfg(test)]
pub(super) fn index(version: u8, paths: &[(&str, u16)]) -> Vec<u8> {
    let mut bytes = vec![b'D', b'I', b'R', b'C', 0, 0, 0, version];
    bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
    for (path, stage) in paths {
        let length = u16::try_from(path.len()).unwrap_or(LENGTH).min(LENGTH);
        let flags = (stage << 12 | length).to_be_bytes();
        let entry = [&[0; ENTRY - 2], &flags[..], path.as_bytes()].concat();
        let zeros = 8 - entry.len() % 8;
        bytes.extend(entry);
        bytes.extend(vec![0; zeros]);
    }
    bytes.extend([0; OID]);
    bytes
}

#[cfg(test)]
mod tests {
    use git2::{Index, IndexEntry, IndexTime};
    use proptest::prelude::*;

    use super::*;

    /// Puts a part after the entries.
    fn with_part(mut index: Vec<u8>, signature: &[u8], text: &[u8]) -> Vec<u8> {
        let end = index.len() - OID;
        let length = u32::try_from(text.len()).unwrap().to_be_bytes();
        index.splice(end..end, [signature, &length, text].concat());
        index
    }

    fn fault(index: &[u8]) -> Option<Fault> {
        Staging::parse(index).err()
    }

    #[test]
    fn what_has_to_be_understood_and_is_not_is_told() {
        let plain = index(2, &[("a", 0), ("b", 1), ("b", 2)]);
        assert_eq!(fault(&plain), None);
        for (signature, expected) in [
            (b"link", Some(Fault::Split)),
            (b"sdir", Some(Fault::Sparse)),
            (b"newa", Some(Fault::Unknown)),
            (b"NEWA", None),
        ] {
            assert_eq!(
                fault(&with_part(plain.clone(), signature, b"text")),
                expected
            );
        }
        let split = with_part(index(2, &[("", 0), ("", 0), ("c", 0)]), b"link", b"text");
        assert_eq!(fault(&split), Some(Fault::Split));
        assert_eq!(fault(&index(5, &[])), Some(Fault::Unknown));
        assert_eq!(fault(&index(1, &[])), Some(Fault::Unknown));
    }

    #[test]
    fn what_is_no_index_is_damaged() {
        let plain = index(2, &[("a", 0), ("b", 0)]);
        for damaged in [
            b"".to_vec(),
            b"nothing of the kind, and no end of it".to_vec(),
            plain[..plain.len() - 1].to_vec(),
            // More entries than there are, a length that is not the path's, another order.
            [&plain[..8], &[255; 4], &plain[12..]].concat(),
            [&plain[..11], &[3], &plain[12..]].concat(),
            index(2, &[("b", 0), ("a", 0)]),
            index(2, &[("", 0)]),
            index(2, &[("a\0b", 0)]),
            with_part(plain.clone(), b"TREE", b"")[..plain.len() + 4].to_vec(),
        ] {
            let found = fault(&damaged);
            assert!(
                matches!(found, Some(Fault::Damaged | Fault::TooLarge)),
                "{damaged:?} is {found:?}"
            );
        }
    }

    #[test]
    fn there_is_an_end_to_what_beginnings_stand_for() {
        let long = "x".repeat(4000);
        let entry = |less: u8, path: &str| {
            let flags = LENGTH.min(4000).to_be_bytes();
            [&[0; ENTRY - 2], &flags[..], &[less], path.as_bytes(), &[0]].concat()
        };
        let index = |entries: u32| {
            let mut bytes = b"DIRC\0\0\0\x04".to_vec();
            bytes.extend(entries.to_be_bytes());
            bytes.extend(entry(0, &long));
            let same = entry(0, "");
            bytes.extend((1..entries).flat_map(|_| same.clone()));
            bytes.extend([0; OID]);
            bytes
        };
        let fits = u32::try_from(MAX_PATHS / 4000).unwrap();
        assert_eq!(Staging::parse(&index(fits)).unwrap().len(), fits as usize);
        assert_eq!(fault(&index(fits + 1)), Some(Fault::TooLarge));
        // It has less in common than nothing, and so much less that no number says it.
        let without_end = [&entry(0, "")[..ENTRY], &[0xff; 40], b"a\0"].concat();
        for odd in [entry(1, &long), without_end] {
            let index = [b"DIRC\0\0\0\x04\0\0\0\x01", &odd[..], &[0; OID]].concat();
            assert_eq!(fault(&index), Some(Fault::Damaged));
        }
    }

    fn entry() -> impl Strategy<Value = IndexEntry> {
        let path = prop_oneof![
            "[ab]{1,3}(/[ab.é]{1,3}){0,3}",
            "[a-c]/x{4090,4100}",
            "[a-c]/x{120,140}/[a-c]"
        ];
        let modes = prop::sample::select(vec![0o100_644, 0o100_755, 0o120_000, 0o160_000]);
        let numbers = (any::<u32>(), 0..i32::MAX, any::<u32>(), any::<[u8; 20]>());
        let flags = (0..4_u16, any::<bool>(), any::<bool>(), any::<bool>());
        (path, modes, numbers, flags).prop_map(|(path, mode, numbers, flags)| {
            let (stage, is_kept, is_intended, is_out) = flags;
            let flag = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
            let more = flag(is_intended, INTENDED) | flag(is_out, NOT_CHECKED_OUT);
            let flags = flag(is_kept, ASSUME_UNCHANGED) | flag(more != 0, EXTENDED);
            let time = |seconds, nanos| IndexTime::new(seconds, nanos);
            IndexEntry {
                ctime: time(numbers.1 / 2, numbers.0),
                mtime: time(numbers.1, numbers.2),
                dev: numbers.0,
                ino: numbers.2,
                mode,
                uid: numbers.2,
                gid: numbers.0,
                file_size: numbers.0 / 3,
                id: Oid::from_bytes(&numbers.3).unwrap(),
                flags: flags | (stage << 12),
                flags_extended: more,
                path: path.into_bytes(),
            }
        })
    }

    /// Returns what libgit2 wrote.
    fn theirs(entry: &IndexEntry) -> impl PartialEq + std::fmt::Debug {
        let changed = (i64::from(entry.mtime.seconds()), entry.mtime.nanoseconds());
        let flags = (
            entry.flags & STAGE != 0,
            entry.flags_extended & INTENDED != 0,
            entry.flags & ASSUME_UNCHANGED != 0 || entry.flags_extended & NOT_CHECKED_OUT != 0,
        );
        let file = (entry.mode, entry.file_size, entry.id);
        let status_changed = i64::from(entry.ctime.seconds());
        (entry.path.clone(), changed, status_changed, file, flags)
    }

    fn ours((path, entry): (&[u8], &Entry)) -> impl PartialEq + std::fmt::Debug {
        let flags = (entry.in_conflict(), entry.is_intended(), entry.is_kept());
        let file = (entry.mode, entry.bytes, entry.id);
        (
            path.to_vec(),
            entry.changed(),
            entry.status_changed(),
            file,
            flags,
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn an_index_is_read_as_libgit2_writes_it(
            entries in prop::collection::vec(entry(), 0..12),
            version in 2..=4_u32,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("index");
            let mut index = Index::open(&path).unwrap();
            for entry in &entries {
                // One of a file and a folder of the same name is not taken.
                let _ = index.add(entry);
            }
            index.set_version(version).unwrap();
            index.write().unwrap();
            let written: Vec<IndexEntry> = index.iter().collect();
            let staging = Staging::read(&Door::new(folder.path()).unwrap()).unwrap();
            let ours = staging.iter().map(|entry| format!("{:?}", ours(entry)));
            let theirs = written.iter().map(|entry| format!("{:?}", theirs(entry)));
            prop_assert_eq!(ours.collect::<Vec<_>>(), theirs.collect::<Vec<_>>());
            let has_conflicts = written.iter().any(|entry| entry.flags & STAGE != 0);
            prop_assert_eq!(staging.trees().is_none(), has_conflicts);
        }

        /// Whatever is changed in an index, it is read or reported as damaged.
        #[test]
        fn any_index_can_be_read(
            version in 2..=4_u8,
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            end in any::<prop::sample::Index>(),
        ) {
            let paths = [("a", 0), ("a/b", 1), ("a/b", 3), ("c/d", 0)];
            let mut bytes = with_part(index(version, &paths), b"TREE", b"\x00-1 1\nc\x00-1 0\n");
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(end.index(bytes.len() * 2).max(20));
            let staging = Staging::parse(&bytes).unwrap_or_default();
            for at in 0..staging.len() {
                prop_assert!(staging.partition(staging.path(at)) <= at);
            }
        }
    }
}
