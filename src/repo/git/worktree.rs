//! The tracked files on disk, compared with what the index lists.
//!
//! The library's own walk of the work tree is not used: it opens ignore files and attributes in
//! every folder, and one with a vertical tab in it sends it into an endless loop. Here each file of
//! the index is looked at, and one that changed is read through the same door as every other file.
//! Nothing is written to disk.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::Read as _;
use std::iter;
use std::path::Path;

use git2::{ObjectType, Oid};

use super::listed::{File, Listed};
use super::staging::{Entry, Staging, moment};
use super::work::Lending;
use super::{Git, Limited, MAX_DIFF_FILES, failed};
use crate::repo::git_folder::names_git;
use crate::repo::{Hidden, PathError, RepoPath};

/// A changed file with more bytes is not compared.
const MAX_CHANGED: u64 = 4 * 1024 * 1024;

/// The most bytes of all changed files that are compared.
const MAX_CHANGED_TOTAL: u64 = 12 * 1024 * 1024;

const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;
const PLAIN: u32 = 0o100_644;
#[cfg(unix)]
const EXECUTABLE: u32 = 0o100_755;

/// The tracked files on disk, and new ones that are shown with them.
pub(super) struct WorkTree<'a> {
    pub(super) staging: &'a Staging,
    /// The entries whose files changed, in their order, with what is there now unless it is gone.
    changed: Vec<(usize, Option<File>)>,
    /// New files, in the order of their paths.
    added: Vec<(RepoPath, File)>,
    /// Changed files that are not compared, each with the reason.
    pub(super) left_out: Vec<(String, String)>,
    /// How many more files changed than a diff lists.
    pub(super) more: usize,
}

impl WorkTree<'_> {
    /// Returns everything that is there, in the order of paths.
    pub(super) fn listed(&self) -> impl Iterator<Item = Listed<'_>> {
        let mut changed = self.changed.iter().peekable();
        let known = self.staging.iter().enumerate();
        let known = known.filter_map(move |(at, (path, entry))| {
            match changed.next_if(|(changed, _)| *changed == at) {
                Some((_, now)) => now.map(|file| Listed::of(path, file)),
                None => Some(Listed::of_entry(path, entry)),
            }
        });
        let mut known = known.peekable();
        let mut added = self.added().peekable();
        iter::from_fn(move || match (known.peek(), added.peek()) {
            (Some(known), Some(new)) if new.path < known.path => added.next(),
            (None, _) => added.next(),
            (Some(_), _) => known.next(),
        })
    }

    /// Returns what changed against the index, with what the index says: both sides of each file.
    pub(super) fn against_index(
        &self,
    ) -> impl Iterator<Item = (&[u8], Option<File>, Option<File>)> {
        let changed = self.changed.iter().map(|(at, now)| {
            let (path, entry) = (self.staging.path(*at), self.staging.entry(*at));
            let is_staged = !entry.in_conflict() && !entry.is_intended();
            (path, is_staged.then(|| File::of(entry)), *now)
        });
        changed.chain(self.added().map(|new| (new.path, None, Some(new.file))))
    }

    fn added(&self) -> impl Iterator<Item = Listed<'_>> {
        let added = self.added.iter();
        added.map(|(path, file)| Listed::of(path.as_str().as_bytes(), *file))
    }
}

/// What happened to a file of the index.
enum State {
    Unchanged,
    Gone,
    Changed {
        mode: u32,
        content: Vec<u8>,
    },
    TooLarge(u64),
    NotUtf8,
    /// An index may name anything, even what no commit can hold.
    InGit,
    /// It is deeper than a path may be.
    TooDeep,
}

impl Git {
    /// Finds out which files on disk differ from the index.
    pub(super) fn work_tree(&self, lending: &Lending) -> Result<WorkTree<'_>, String> {
        let staging = self.staging().map_err(|why| failed(&why))?;
        // What is put there stays as long as what is lent.
        lending.place(1)?;
        let mut tree = WorkTree {
            staging,
            changed: Vec::new(),
            added: Vec::new(),
            left_out: Vec::new(),
            more: 0,
        };
        let mut plain = HashMap::new();
        let mut left = MAX_CHANGED_TOTAL;
        for (at, (path, entry)) in staging.iter().enumerate() {
            // What stands for the first side of a conflict stands for all.
            if !staging.is_first(at) {
                if tree.changed.last().is_some_and(|(last, _)| last + 1 == at) {
                    tree.changed.push((at, None));
                }
                continue;
            }
            let state = self.state(staging, (path, entry), left, &mut plain);
            if !matches!(state, State::Unchanged) && tree.changed.len() >= MAX_DIFF_FILES {
                tree.more += 1;
                continue;
            }
            let why = match state {
                // Nothing of it is staged, so all of it is new.
                State::Unchanged if entry.is_intended() => {
                    tree.changed.push((at, Some(File::of(entry))));
                    continue;
                }
                State::Unchanged => continue,
                State::Gone => {
                    tree.changed.push((at, None));
                    continue;
                }
                State::Changed { mode, content } => {
                    left = left.saturating_sub(content.len() as u64);
                    let file = lent(lending, mode, &content)?;
                    tree.changed.push((at, Some(file)));
                    continue;
                }
                State::NotUtf8 => "its name is not UTF-8".into(),
                State::TooDeep => PathError::TooDeep.to_string(),
                State::InGit => Hidden::Git.to_string(),
                State::TooLarge(bytes) => too_large(bytes),
            };
            let path = String::from_utf8_lossy(path).into_owned();
            tree.left_out.push((path, why));
        }
        Ok(tree)
    }

    /// Does the same, with untracked files.
    pub(super) fn work_tree_with(
        &self,
        new: &Limited<RepoPath>,
        lending: &Lending,
    ) -> Result<WorkTree<'_>, String> {
        let mut tree = self.work_tree(lending)?;
        tree.more += new.more;
        let mut left = MAX_CHANGED_TOTAL;
        for path in &new.items {
            match self.content(path, left) {
                State::Changed { mode, content } => {
                    left = left.saturating_sub(content.len() as u64);
                    let file = lent(lending, mode, &content)?;
                    tree.added.push((path.clone(), file));
                }
                State::TooLarge(bytes) => {
                    tree.left_out.push((path.to_string(), too_large(bytes)));
                }
                _ => {}
            }
        }
        tree.added
            .sort_unstable_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        Ok(tree)
    }

    fn state(
        &self,
        staging: &Staging,
        (path, entry): (&[u8], &Entry),
        left: u64,
        plain: &mut HashMap<String, bool>,
    ) -> State {
        if entry.is_kept() || entry.mode == SUBMODULE {
            return State::Unchanged;
        }
        let written = staging.written;
        let unless_known = |state: State| {
            let meta = fs::symlink_metadata(self.root.join(raw_path(path)));
            match meta {
                Ok(meta) if is_as_known(entry, &meta, written) => State::Unchanged,
                _ => state,
            }
        };
        let Ok(path) = str::from_utf8(path) else {
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
        let in_conflict = entry.in_conflict();
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

    /// Whether there are only folders above a file: git tracks nothing below a link.
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

    /// Returns the content of a regular file.
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

/// Returns why a file of `bytes` is not compared.
fn too_large(bytes: u64) -> String {
    if bytes > MAX_CHANGED {
        format!("the file has {bytes} bytes")
    } else {
        format!("changed files have more than {MAX_CHANGED_TOTAL} bytes")
    }
}

/// Lends the current content of a file.
fn lent(lending: &Lending, mode: u32, content: &[u8]) -> Result<File, String> {
    Ok(File {
        mode,
        id: lending.put(content)?,
        bytes: u32::try_from(content.len()).unwrap_or(u32::MAX),
    })
}

/// Whether this is git's name for this content.
fn is_object(content: &[u8], id: Oid) -> bool {
    Oid::hash_object(ObjectType::Blob, content).is_ok_and(|own| own == id)
}

/// Whether the file is, by its size and its time, the one that git saw. One that was changed when
/// the index was written, or later, may have been changed once more.
fn is_as_known(entry: &Entry, meta: &Metadata, written: Option<(i64, u32)>) -> bool {
    let known = entry.changed();
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
        && size == entry.bytes
        && same_moment
        && is_settled
        && same_status_change(entry, meta)
}

/// Whether nothing about the file changed since git saw it, including its permissions and its time,
/// which anybody can set.
#[cfg(unix)]
fn same_status_change(entry: &Entry, meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let known = entry.status_changed();
    known == 0 || known == meta.ctime()
}

#[cfg(not(unix))]
fn same_status_change(_: &Entry, _: &Metadata) -> bool {
    true
}

/// Returns a path of the index as the system has it.
#[cfg(unix)]
fn raw_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn raw_path(bytes: &[u8]) -> &Path {
    Path::new(str::from_utf8(bytes).unwrap_or_default())
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
