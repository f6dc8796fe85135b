//! Reads files safely: only regular files, never more than a limit, always as text.

use std::fs::{File, Metadata};
use std::hash::BuildHasher as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::encoding::{BINARY_PROBE, FileText, decode, is_binary};
use super::git_folder::is_in_git_folder;
use super::open::Door;
use super::policy::{Asker, Hidden, Readable};
use super::{Repo, RepoPath};
use crate::error::{Error, ErrorKind};

/// Why a file's text is not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It has a NUL among its first bytes and is neither UTF-16 nor UTF-32. Its size in bytes.
    #[error("it is a binary file of {0} bytes")]
    Binary(u64),
    /// It is larger than the limit. Its size in bytes.
    #[error("it is too large: {0} bytes")]
    TooLarge(u64),
    /// There is nothing of that name.
    #[error("no such file")]
    Missing,
    /// A link leads out of the folder that is read from.
    #[error("it leads outside the repository")]
    Outside,
    /// The asker may not read it.
    #[error(transparent)]
    Hidden(#[from] Hidden),
    /// It is forbidden or not a regular file. A reason without a path.
    #[error("{0}")]
    Unreadable(String),
}

impl Repo {
    /// Reads at most `limit` bytes of a file's text. The checks made when it was admitted hold for
    /// what is read: it is opened by its own path, in which there is no link.
    ///
    /// # Errors
    ///
    /// Says why there is no text.
    pub fn read(&self, file: &Readable, limit: u64) -> Result<FileText, Refusal> {
        match self.door.open_plain(file.real().as_str()) {
            Ok(file) => read_text(&file, limit),
            Err(error) if is_link(&error) => {
                Err(Refusal::Unreadable("it was replaced meanwhile".into()))
            }
            Err(error) => Err(unreadable(&error)),
        }
    }

    /// Reads at most `limit` bytes of text from a path, if this asker may read it.
    ///
    /// # Errors
    ///
    /// The errors of [`admit`](Repo::admit) and [`read`](Repo::read).
    pub fn read_for(&self, asker: Asker, path: &RepoPath, limit: u64) -> Result<FileText, Refusal> {
        self.read(&self.admit(path, asker)?, limit)
    }

    /// Reads an ignore file, of which nothing is ever shown.
    pub(super) fn read_rules(&self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, Refusal> {
        let file = self.door.open(path.as_str()).map_err(|e| unreadable(&e))?;
        rules_text(&file, limit)
    }
}

/// Whether a file was not opened because there is a link on the way to it.
fn is_link(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::CrossesDevices
    }
}

/// A file, whatever path leads to it: the number of its disk, and its own there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileId(u64, u64);

impl FileId {
    /// Returns that of a regular file; `None` if the system has no numbers.
    pub fn of(meta: &Metadata) -> Option<FileId> {
        FileId::numbers(meta, meta.is_file())
    }

    /// Returns that of a folder, likewise.
    pub(super) fn of_folder(meta: &Metadata) -> Option<FileId> {
        FileId::numbers(meta, meta.is_dir())
    }

    /// Returns the numbers, if they are wanted.
    fn numbers(meta: &Metadata, is_wanted: bool) -> Option<FileId> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            is_wanted.then(|| FileId(meta.dev(), meta.ino()))
        }
        #[cfg(not(unix))]
        {
            let _ = (meta, is_wanted);
            None
        }
    }
}

impl Repo {
    /// Returns which file is at a path without links.
    pub fn id(&self, path: &RepoPath) -> Option<FileId> {
        let meta = std::fs::symlink_metadata(self.root().join(path.as_str()));
        FileId::of(&meta.ok()?)
    }
}

/// Distinguishes one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    bytes: u64,
    /// When its text was changed, in nanoseconds since 1970.
    changed: u128,
    /// When anything about it was changed, in seconds and nanoseconds, and its number on the disk;
    /// 0 if the system does not say.
    touched: (i64, i64),
    number: u64,
}

impl Stamp {
    /// Returns the size of the file, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns a number for it: another state has another number, except once in some billions of
    /// billions.
    pub fn mark(&self) -> u64 {
        let (seconds, nanoseconds) = self.touched;
        let all = (self.bytes, self.changed, seconds, nanoseconds, self.number);
        foldhash::quality::FixedState::default().hash_one(all)
    }

    /// Whether the file has not changed for so long that its next change cannot go unnoticed:
    /// clocks of file systems stand still for some milliseconds, on some for two seconds.
    pub fn is_settled(&self) -> bool {
        self.was_settled(SystemTime::now())
    }

    /// Whether the file was [settled](Self::is_settled) at this time.
    pub(super) fn was_settled(&self, at: SystemTime) -> bool {
        let now = at.duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_nanos());
        let touched = u128::try_from(self.touched.0).unwrap_or_default() * 1_000_000_000;
        self.changed.max(touched) + SETTLED.as_nanos() < now
    }
}

/// See [`Stamp::is_settled`].
const SETTLED: Duration = Duration::from_secs(3);

impl Repo {
    /// Returns the size of a file in bytes; `None` if it cannot be opened.
    pub fn size(&self, path: &RepoPath) -> Option<u64> {
        let file = self.door.open(path.as_str()).ok()?;
        file.metadata().ok().map(|meta| meta.len())
    }

    /// Returns the size of a file and when it was changed; `None` if the system does not say.
    pub fn stamp(&self, path: &RepoPath) -> Option<Stamp> {
        stamp_of(&self.door.open(path.as_str()).ok()?.metadata().ok()?)
    }

    /// Returns the [`stamp`](Self::stamp) of a path that a walk found, in which there is no link.
    /// It takes a third of the work: nothing is opened, and if somebody puts a link there
    /// meanwhile, that only gives another stamp.
    pub fn stamp_of_plain(&self, path: &RepoPath) -> Option<Stamp> {
        #[cfg(target_os = "linux")]
        {
            let Ok(stat) = self.door.stat(path.as_str()) else {
                return self.stamp(path);
            };
            stamp_of_statx(&stat)
        }
        #[cfg(not(target_os = "linux"))]
        self.stamp(path)
    }
}

/// Returns the stamp of a path that was looked at without being opened.
#[cfg(target_os = "linux")]
pub(super) fn stamp_of_statx(stat: &rustix::fs::Statx) -> Option<Stamp> {
    let seconds = u128::try_from(stat.stx_mtime.tv_sec).ok()?;
    Some(Stamp {
        bytes: stat.stx_size,
        changed: seconds * 1_000_000_000 + u128::from(stat.stx_mtime.tv_nsec),
        touched: (stat.stx_ctime.tv_sec, stat.stx_ctime.tv_nsec.into()),
        number: stat.stx_ino,
    })
}

/// Returns the state of these files, as a number that changes when one of them does. What was
/// changed shortly before `at`, or later, gives another number than it does once it has settled:
/// what was read at that time may be the earlier state.
pub fn state_of<'a>(paths: impl IntoIterator<Item = &'a PathBuf>, at: SystemTime) -> u64 {
    let mut looks: Vec<String> = paths
        .into_iter()
        .map(|path| {
            let stamp = std::fs::metadata(path)
                .ok()
                .and_then(|meta| stamp_of(&meta));
            let is_settled = stamp.as_ref().is_none_or(|stamp| stamp.was_settled(at));
            format!("{} {stamp:?} {is_settled}", path.display())
        })
        .collect();
    looks.sort_unstable();
    crate::hash::of(&looks.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(super) fn stamp_of(meta: &Metadata) -> Option<Stamp> {
    let changed = meta.modified().ok()?;
    let since = changed.duration_since(UNIX_EPOCH).ok()?;
    #[cfg(unix)]
    let (touched, number) = {
        use std::os::unix::fs::MetadataExt as _;
        ((meta.ctime(), meta.ctime_nsec()), meta.ino())
    };
    #[cfg(not(unix))]
    let (touched, number) = ((0, 0), 0);
    Some(Stamp {
        bytes: meta.len(),
        changed: since.as_nanos(),
        touched,
        number,
    })
}

/// Reads a file that the operator named: a role, a task, an extra. It may be anywhere but in a git
/// folder, and must be a regular file or a pipe of at most `limit` bytes.
///
/// # Errors
///
/// [`ErrorKind::File`], naming the path and the reason.
pub fn read_operator_file(path: &Path, limit: u64) -> Result<FileText, Error> {
    outside_git(path).map_err(|why| refused(path, limit, why))?;
    let file = File::open(path).map_err(|e| cannot_read(path, &reason(&e)).caused_by(e))?;
    let (bytes, size) = read_bounded(&file, limit).map_err(|why| refused(path, limit, why))?;
    Ok(decode(bytes, size))
}

/// Reads a file that the operator named and that must be a regular one: it does not wait for a
/// FIFO.
///
/// # Errors
///
/// The errors of [`read_operator_file`].
pub fn read_regular_file(path: &Path, limit: u64) -> Result<FileText, Error> {
    read_anywhere(path, limit).map_err(|refusal| refused(path, limit, refusal))
}

fn refused(path: &Path, limit: u64, refusal: Refusal) -> Error {
    let why = match &refusal {
        Refusal::TooLarge(size) => format!("it has {size} bytes, and the limit is {limit}"),
        refusal => refusal.to_string(),
    };
    cannot_read(path, &why).caused_by(refusal)
}

/// Makes the error for a file of the caller's that cannot be read.
pub fn cannot_read(path: &Path, why: &str) -> Error {
    let message = format!("cannot read `{}`: {why}", crate::show::path(path));
    Error::say(ErrorKind::File, message)
}

/// Reads at most `limit` bytes of text from a regular file that the operator named; it may be
/// anywhere but in a git folder.
///
/// # Errors
///
/// Says why there is no text.
pub fn read_anywhere(path: &Path, limit: u64) -> Result<FileText, Refusal> {
    outside_git(path)?;
    read_regular_text(path, limit)
}

/// Refuses what is in a git folder, which is not read for anybody, wherever that is.
fn outside_git(path: &Path) -> Result<(), Refusal> {
    let real = std::fs::canonicalize(path);
    match real.as_deref().ok().and_then(Path::parent) {
        Some(folder) if names_git_file(path) || is_in_git_folder(folder) => Err(Hidden::Git.into()),
        _ => Ok(()),
    }
}

fn names_git_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    super::git_folder::is_git_name(&name.to_string_lossy())
}

/// Reads at most `limit` bytes of text from a regular file, for this module's own needs, such as
/// git's files.
pub(super) fn read_regular_text(path: &Path, limit: u64) -> Result<FileText, Refusal> {
    let file = super::open::anywhere(path).map_err(|e| unreadable(&e))?;
    read_text(&file, limit)
}

/// Reads a file of git's own, such as an ignore file.
pub(super) fn read_regular_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Refusal> {
    let file = super::open::anywhere(path).map_err(|e| unreadable(&e))?;
    rules_text(&file, limit)
}

/// Reads a regular file beneath an open folder, through no link, with the system's status of the
/// very file that was read.
pub(super) fn read_beneath(
    door: &Door,
    path: &str,
    limit: u64,
) -> Result<(Vec<u8>, Metadata), Refusal> {
    let file = door.open_plain(path).map_err(|e| unreadable(&e))?;
    let meta = regular(&file)?;
    Ok((read_bounded(&file, limit)?.0, meta))
}

/// Returns the text of a file that git holds.
pub(super) fn blob_text(bytes: &[u8]) -> Result<FileText, Refusal> {
    let size = bytes.len() as u64;
    if is_binary(bytes) {
        return Err(Refusal::Binary(size));
    }
    Ok(decode(bytes.to_vec(), size))
}

/// Returns the content of an ignore file: bytes, which a zero among them does not make a binary
/// file.
fn rules_text(file: &File, limit: u64) -> Result<Vec<u8>, Refusal> {
    regular(file)?;
    Ok(read_bounded(file, limit)?.0)
}

fn regular(file: &File) -> Result<Metadata, Refusal> {
    let meta = file.metadata().map_err(|e| unreadable(&e))?;
    if meta.is_dir() {
        return Err(Refusal::Unreadable("it is a folder".into()));
    }
    if !meta.is_file() {
        return Err(Refusal::Unreadable("it is not a regular file".into()));
    }
    Ok(meta)
}

fn read_text(file: &File, limit: u64) -> Result<FileText, Refusal> {
    let meta = regular(file)?;
    if meta.len() > limit {
        // A large file is binary or too large; its beginning tells.
        let mut probe = Vec::new();
        let read = file.take(BINARY_PROBE as u64).read_to_end(&mut probe);
        read.map_err(|e| unreadable(&e))?;
        return Err(if is_binary(&probe) {
            Refusal::Binary(meta.len())
        } else {
            Refusal::TooLarge(meta.len())
        });
    }
    let (bytes, size) = read_bounded(file, limit)?;
    if is_binary(&bytes) {
        return Err(Refusal::Binary(size));
    }
    Ok(decode(bytes, size))
}

/// Reads a file whose size is known to be within the limit, or a pipe. A file that grows meanwhile
/// is not read beyond the limit.
fn read_bounded(file: &File, limit: u64) -> Result<(Vec<u8>, u64), Refusal> {
    let meta = file.metadata().map_err(|e| unreadable(&e))?;
    if meta.is_file() && meta.len() > limit {
        return Err(Refusal::TooLarge(meta.len()));
    }
    let expected = usize::try_from(meta.len().min(limit)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    let read = file.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|e| unreadable(&e))?;
    let size = bytes.len() as u64;
    if size > limit {
        return Err(Refusal::TooLarge(size));
    }
    Ok((bytes, size))
}

pub(super) fn unreadable(error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::NotFound => Refusal::Missing,
        io::ErrorKind::CrossesDevices => Refusal::Outside,
        _ => Refusal::Unreadable(reason(error)),
    }
}

/// Returns why something could not be opened or read, without a path and without numbers.
pub fn reason(error: &io::Error) -> String {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return "its links lead in a circle".into();
    }
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::NotADirectory => "a part of its path is not a folder".into(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            text[..end].to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(bytes: &[u8], limit: u64) -> Result<FileText, Refusal> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f"), bytes).unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        repo.read_for(Asker::Repository, &RepoPath::parse("f").unwrap(), limit)
    }

    #[test]
    fn an_error_keeps_what_the_system_said_as_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_operator_file(&folder.path().join("absent"), 10).unwrap_err();
        let source = std::error::Error::source(&error).unwrap();
        let source = source.downcast_ref::<io::Error>().unwrap();
        assert_eq!(source.kind(), io::ErrorKind::NotFound);
        assert!(
            error.to_string().ends_with("absent`: no such file"),
            "{error}"
        );
    }

    #[test]
    fn a_nul_makes_a_file_binary_even_when_it_is_too_large() {
        assert_eq!(read(b"a\0b", 1024), Err(Refusal::Binary(3)));
        assert_eq!(read(b"a\0b", 2), Err(Refusal::Binary(3)));
        assert_eq!(read(b"abc", 2), Err(Refusal::TooLarge(3)));
        assert!(read(b"abc", 3).is_ok());
    }

    /// A file turns into a link to an ignored one, and back, while it is read.
    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_swapped_for_a_link_to_a_hidden_file_is_not_read() {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use std::sync::atomic::{AtomicBool, Ordering};
        use std::time::{Duration, Instant};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for (name, text) in [
            (".gitignore", ".env\n"),
            (".env", "secret"),
            ("a.md", "open"),
        ] {
            fs::write(at(name), text).unwrap();
        }
        std::os::unix::fs::symlink(".env", at("link")).unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        let path = RepoPath::parse("a.md").unwrap();
        let done = AtomicBool::new(false);
        let (mut open, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let both = RenameFlags::EXCHANGE;
                    renameat_with(CWD, at("a.md"), CWD, at("link"), both).unwrap();
                }
            });
            let started = Instant::now();
            while started.elapsed() < Duration::from_secs(2) {
                match repo.read_for(Asker::Repository, &path, 100) {
                    Ok(file) => {
                        assert_eq!(file.text, "open");
                        open += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert!(open > 100 && refused > 100, "{open} and {refused}");
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_is_refused_without_waiting() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifo");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        assert_eq!(
            repo.read_for(Asker::Caller, &RepoPath::parse("fifo").unwrap(), 10),
            Err(Refusal::Unreadable("it is not a regular file".into()))
        );
    }
}
