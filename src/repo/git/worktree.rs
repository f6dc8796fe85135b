//! The files on disk that git knows, as an index in memory.
//!
//! The library's own walk of the working tree is not used: it opens ignore files and
//! attributes in every folder, and one with a vertical tab in it sends it into an endless
//! loop. Here each file of the index is looked at, and one that changed is read
//! through the same door as every other file. Nothing is written to disk.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use git2::{Index, IndexEntry, IndexTime, ObjectType, Oid};

use super::work::Lending;
use super::{Git, MAX_DIFF_FILES, failed, words};
use crate::repo::git_folder::names_git;
use crate::repo::{Hidden, PathError, RepoPath};

/// A changed file of more bytes is not compared.
const MAX_CHANGED: u64 = 4 * 1024 * 1024;

/// The most bytes of all changed files that are compared.
const MAX_CHANGED_TOTAL: u64 = 12 * 1024 * 1024;

const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;
const PLAIN: u32 = 0o100_644;
#[cfg(unix)]
const EXECUTABLE: u32 = 0o100_755;

/// Git does not look at such a file: `git update-index --assume-unchanged`, and a file
/// that a sparse checkout leaves out.
const ASSUME_UNCHANGED: u16 = 0x8000;
const NOT_CHECKED_OUT: u16 = 0x4000;

/// The number of a side in a conflict; 0 without one.
const STAGE: u16 = 0x3000;

/// The files on disk that git knows.
pub(super) struct WorkTree {
    pub(super) index: Index,
    /// Changed files that are not compared, each with the reason.
    pub(super) left_out: Vec<(String, String)>,
    /// How many more files changed than a diff lists.
    pub(super) more: usize,
}

/// A file of the index that changed, with its mode and its text now, unless it is gone.
type Changed = (IndexEntry, Option<(u32, Oid)>);

/// What became of a file of the index.
enum State {
    Unchanged,
    Gone,
    Changed {
        mode: u32,
        content: Vec<u8>,
    },
    TooLarge(u64),
    NotUtf8,
    /// An index may name anything, also what no commit can hold.
    InGit,
    /// It lies deeper than a path may.
    TooDeep,
}

/// A file that `git add -N` only announced: nothing of it is staged.
const INTENDED: u16 = 0x2000;

impl Git {
    /// The index without files that are only announced.
    pub(super) fn staged_index(&self) -> Result<Index, String> {
        let mut index = self.index().map_err(|e| failed(&words(&e)))?;
        let intended = index
            .iter()
            .filter(|entry| entry.flags_extended & INTENDED != 0);
        for entry in intended.collect::<Vec<_>>() {
            let path = bytes_to_path(&entry.path);
            index.remove(path, 0).map_err(|e| failed(&words(&e)))?;
        }
        Ok(index)
    }

    /// Reads which files on disk differ from the index.
    pub(super) fn work_tree(&self, lending: &Lending) -> Result<WorkTree, String> {
        let file = self.repository.path().join("index");
        let written = fs::metadata(&file).ok().map(|meta| moment(&meta));
        let mut index = self.read_index().map_err(|e| failed(&words(&e)))?;
        // What is put there stays as long as what is lent.
        lending.place(1)?;
        let mut left_out = Vec::new();
        let mut changed = Vec::new();
        let mut plain = HashMap::new();
        let mut more = 0;
        let mut left = MAX_CHANGED_TOTAL;
        for entry in index.iter() {
            let state = self.state(&entry, written, left, &mut plain);
            if !matches!(state, State::Unchanged) && changed.len() == MAX_DIFF_FILES {
                more += 1;
                continue;
            }
            match state {
                State::Unchanged => {}
                State::NotUtf8 => {
                    let path = String::from_utf8_lossy(&entry.path).into_owned();
                    left_out.push((path, "its name is not UTF-8".into()));
                }
                State::TooDeep => {
                    let path = String::from_utf8_lossy(&entry.path).into_owned();
                    left_out.push((path, PathError::TooDeep.to_string()));
                }
                State::InGit => {
                    let path = String::from_utf8_lossy(&entry.path).into_owned();
                    left_out.push((path, Hidden::Git.to_string()));
                }
                State::Gone => changed.push((entry, None)),
                State::TooLarge(bytes) => {
                    let path = String::from_utf8_lossy(&entry.path).into_owned();
                    left_out.push((path, too_large(bytes)));
                }
                State::Changed { mode, content } => {
                    left = left.saturating_sub(content.len() as u64);
                    let id = lending.put(&content)?;
                    changed.push((entry, Some((mode, id))));
                }
            }
        }
        update(&mut index, changed).map_err(|e| failed(&words(&e)))?;
        Ok(WorkTree {
            index,
            left_out,
            more,
        })
    }

    /// Puts files that git does not know into the index of the work tree.
    pub(super) fn add_new(
        &self,
        tree: &mut WorkTree,
        new: &[RepoPath],
        lending: &Lending,
    ) -> Result<(), String> {
        let mut left = MAX_CHANGED_TOTAL;
        for path in new {
            // Of a large index only the first files were known to who looked.
            if tree.index.get_path(Path::new(path.as_str()), 0).is_some() {
                continue;
            }
            match self.content(path, left) {
                State::Changed { mode, content } => {
                    left = left.saturating_sub(content.len() as u64);
                    let id = lending.put(&content)?;
                    let bytes = u32::try_from(content.len()).unwrap_or_default();
                    let entry = entry(path.as_str().as_bytes(), mode, id, bytes);
                    tree.index.add(&entry).map_err(|e| failed(&words(&e)))?;
                }
                State::TooLarge(bytes) => {
                    tree.left_out.push((path.to_string(), too_large(bytes)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn state(
        &self,
        entry: &IndexEntry,
        written: Option<(i64, u32)>,
        left: u64,
        plain: &mut HashMap<String, bool>,
    ) -> State {
        let is_kept = entry.flags & ASSUME_UNCHANGED != 0
            || entry.flags_extended & NOT_CHECKED_OUT != 0
            || entry.mode == SUBMODULE;
        if is_kept {
            return State::Unchanged;
        }
        let unless_known = |state: State| {
            let meta = fs::symlink_metadata(self.root.join(raw_path(&entry.path)));
            match meta {
                Ok(meta) if is_as_known(entry, &meta, written) => State::Unchanged,
                _ => state,
            }
        };
        let Ok(path) = std::str::from_utf8(&entry.path) else {
            return unless_known(State::NotUtf8);
        };
        let path = match RepoPath::parse(path) {
            Ok(path) => path,
            Err(PathError::TooDeep) => return unless_known(State::TooDeep),
            // A path that leads outside is no file of this repository.
            Err(_) => return State::Unchanged,
        };
        if names_git(path.as_str()) {
            return State::InGit;
        }
        if !self.lies_in_folders(&path, plain) {
            return State::Gone;
        }
        let Ok(meta) = fs::symlink_metadata(self.root.join(path.as_str())) else {
            return State::Gone;
        };
        // What is in conflict is never what git has.
        let in_conflict = entry.flags & STAGE != 0;
        if !in_conflict && is_as_known(entry, &meta, written) {
            return State::Unchanged;
        }
        let state = if meta.is_symlink() {
            match self.door.link_target(path.as_str()) {
                Ok(content) => State::Changed {
                    mode: LINK,
                    content,
                },
                Err(_) => State::Gone,
            }
        } else {
            self.content(&path, left)
        };
        match &state {
            State::Changed { mode, content }
                if !in_conflict && *mode == entry.mode && is_object(content, entry.id) =>
            {
                State::Unchanged
            }
            _ => state,
        }
    }

    /// Whether there are only folders above a file: below a link lies nothing that git knows.
    fn lies_in_folders(&self, path: &RepoPath, plain: &mut HashMap<String, bool>) -> bool {
        let Some((folder, _)) = path.as_str().rsplit_once('/') else {
            return true;
        };
        if let Some(known) = plain.get(folder) {
            return *known;
        }
        let found = self.door.is_plain_folder(folder);
        plain.insert(folder.to_owned(), found);
        found
    }

    /// What a regular file holds.
    fn content(&self, path: &RepoPath, left: u64) -> State {
        let Ok(mut file) = self.door.open_plain(path.as_str()) else {
            return State::Gone;
        };
        let Some(meta) = file.metadata().ok().filter(Metadata::is_file) else {
            return State::Gone;
        };
        if meta.len() > MAX_CHANGED.min(left) {
            return State::TooLarge(meta.len());
        }
        let mut content = Vec::new();
        let read = file
            .by_ref()
            .take(MAX_CHANGED + 1)
            .read_to_end(&mut content);
        if read.is_err() || content.len() as u64 > MAX_CHANGED {
            return State::TooLarge(content.len() as u64);
        }
        State::Changed {
            mode: mode_of(&meta),
            content,
        }
    }
}

/// Why a file of so many bytes is not compared.
fn too_large(bytes: u64) -> String {
    if bytes > MAX_CHANGED {
        format!("the file has {bytes} bytes")
    } else {
        format!("changed files have more than {MAX_CHANGED_TOTAL} bytes")
    }
}

/// What an index says of a file of so many bytes.
pub(super) fn entry(path: &[u8], mode: u32, id: Oid, bytes: u32) -> IndexEntry {
    let never = IndexTime::new(0, 0);
    IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: bytes,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

/// Puts what files hold now into an index, and takes out those that are gone.
fn update(index: &mut Index, changed: Vec<Changed>) -> Result<(), git2::Error> {
    // From the end on, so that little has to move up for each that goes.
    for (mut entry, now) in changed.into_iter().rev() {
        // The path comes from the index itself, so it can be given back to it.
        let path = bytes_to_path(&entry.path);
        let stage = i32::from(entry.flags >> 12 & 3);
        let Some((mode, id)) = now else {
            index.remove(path, stage)?;
            continue;
        };
        (entry.mode, entry.id) = (mode, id);
        // A path in conflict has the text on disk, once.
        if stage > 0 {
            index.remove(path, stage)?;
            entry.flags &= !STAGE;
        }
        index.add(&entry)?;
    }
    Ok(())
}

/// Whether this is git's name for this content.
fn is_object(content: &[u8], id: Oid) -> bool {
    Oid::hash_object(ObjectType::Blob, content).is_ok_and(|own| own == id)
}

/// Whether the file is, by its size and its moment, the one that git saw. One that was
/// changed when the index was written, or later, may have been changed once more.
fn is_as_known(entry: &IndexEntry, meta: &Metadata, written: Option<(i64, u32)>) -> bool {
    let known = (i64::from(entry.mtime.seconds()), entry.mtime.nanoseconds());
    let now = moment(meta);
    let same_moment = known.0 == now.0 && (known.1 == 0 || known.1 == now.1);
    let mode = if meta.is_symlink() {
        LINK
    } else if meta.is_file() {
        mode_of(meta)
    } else {
        return false;
    };
    #[expect(clippy::cast_possible_truncation, reason = "git keeps the lower half")]
    let size = meta.len() as u32;
    let is_settled =
        written.is_some_and(|written| known.0 < written.0 || known < written && known.1 != 0);
    mode == entry.mode
        && size == entry.file_size
        && same_moment
        && is_settled
        && same_status_change(entry, meta)
}

/// Whether nothing of the file changed since git saw it, its rights and its moment
/// included, which anybody can set.
#[cfg(unix)]
fn same_status_change(entry: &IndexEntry, meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let known = i64::from(entry.ctime.seconds());
    known == 0 || known == meta.ctime()
}

#[cfg(not(unix))]
fn same_status_change(_: &IndexEntry, _: &Metadata) -> bool {
    true
}

/// A path of the index as the system has it.
#[cfg(unix)]
fn raw_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn raw_path(bytes: &[u8]) -> &Path {
    bytes_to_path(bytes)
}

/// When a file was changed, in seconds and nanoseconds.
fn moment(meta: &Metadata) -> (i64, u32) {
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

#[cfg(unix)]
fn mode_of(meta: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    if meta.permissions().mode() & 0o100 == 0 {
        PLAIN
    } else {
        EXECUTABLE
    }
}

#[cfg(not(unix))]
fn mode_of(_: &Metadata) -> u32 {
    PLAIN
}

fn bytes_to_path(bytes: &[u8]) -> &Path {
    Path::new(std::str::from_utf8(bytes).unwrap_or_default())
}
