//! The files of a commit, of an index, or on disk, before they are compared.

use git2::{IndexEntry, IndexTime, Oid};

use super::Git;
use super::staging::Entry;

/// What a commit, an index, or a disk has at a path.
#[derive(Clone, Copy)]
pub(super) struct File {
    pub(super) mode: u32,
    pub(super) id: Oid,
    /// How many bytes it has, at most the largest number; 0 if that must be looked up.
    pub(super) bytes: u32,
}

impl File {
    /// Makes a file of what an index lists. Its size in the index is not trusted.
    pub(super) fn of(entry: &Entry) -> File {
        File {
            mode: entry.mode,
            id: entry.id,
            bytes: 0,
        }
    }

    pub(super) fn is(&self, other: &File) -> bool {
        (self.mode, self.id) == (other.mode, other.id)
    }
}

/// A file of an index or a work tree.
pub(super) struct Listed<'a> {
    pub(super) path: &'a [u8],
    pub(super) file: File,
    /// Whether it is one side of a conflict.
    pub(super) in_conflict: bool,
}

impl Listed<'_> {
    pub(super) fn of(path: &[u8], file: File) -> Listed<'_> {
        Listed {
            path,
            file,
            in_conflict: false,
        }
    }

    pub(super) fn of_entry<'a>(path: &'a [u8], entry: &Entry) -> Listed<'a> {
        Listed {
            path,
            file: File::of(entry),
            in_conflict: entry.in_conflict(),
        }
    }
}

/// Makes the record of a file for an index in memory.
pub(super) fn entry(git: &Git, path: &[u8], file: File) -> IndexEntry {
    let bytes = match file.bytes {
        0 => size(git, file.mode, file.id),
        bytes => bytes,
    };
    entry_of(path, File { bytes, ..file })
}

/// Makes the entry of a file whose size is known.
pub(super) fn entry_of(path: &[u8], file: File) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode: file.mode,
        uid: 0,
        gid: 0,
        file_size: file.bytes,
        id: file.id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

/// Returns how many bytes a file has, as an index would say it; 0 if that cannot be determined.
fn size(git: &Git, mode: u32, id: Oid) -> u32 {
    const SUBMODULE: u32 = 0o160_000;
    if mode == SUBMODULE {
        return 0;
    }
    let size = git.objects.size(id);
    size.map_or(0, |size| u32::try_from(size).unwrap_or(u32::MAX))
}
