//! Writes files, only those that the caller asks for and only where it asks for them.

use std::io::Write;
use std::path::Path;

use super::read::reason;
use super::{Repo, RepoPath};
use crate::error::{Diagnostic, Error, ErrorKind};

/// Writes `text` to `path`, whole or not at all: to a file without a name, or where there
/// are none to a temporary one beside it, which is then renamed. A file that was there is
/// replaced and keeps its permissions. A device or pipe of the system's own folder, such as
/// `/dev/null`, is written to as it is.
///
/// # Errors
///
/// [`ErrorKind::File`], naming the path and the reason.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    write_with(path, |file| file.write_all(text.as_bytes()))
}

/// The same for a text that comes in parts; what the writing returns.
///
/// # Errors
///
/// As [`write_whole`], also when the writing itself fails.
pub fn write_with<T>(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> std::io::Result<T>,
) -> Result<T, Error> {
    let replace = || -> std::io::Result<T> {
        if is_of_the_system(path) {
            let mut device = std::fs::OpenOptions::new().write(true).open(path)?;
            return write(&mut device);
        }
        // Renaming over a device or a link would destroy what it stands for.
        if std::fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(std::io::Error::other("it is there and is no regular file"));
        }
        #[cfg(target_os = "linux")]
        if let Some(mut file) = without_name(path) {
            let done = write(&mut file)?;
            named(&file, path)?;
            return Ok(done);
        }
        let mut file = beside(path)?;
        let done = write(file.as_file_mut())?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(done)
    };
    replace().map_err(|e| cannot_write(path, e))
}

/// Whether this is a device or pipe by a name that the system gives, as `/dev/null` and
/// `/dev/fd/3` are. One that lies elsewhere, in a repository, may wait for ever for somebody
/// who reads.
#[cfg(unix)]
fn is_of_the_system(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let streams = |kind: std::fs::FileType| kind.is_char_device() || kind.is_fifo();
    super::resolve(Path::new(""), path).starts_with("/dev")
        && std::fs::metadata(path).is_ok_and(|meta| streams(meta.file_type()))
}

#[cfg(not(unix))]
fn is_of_the_system(_: &Path) -> bool {
    false
}

/// A new file in the folder of `path` that has no name yet, so that nothing of it stays if
/// the process is ended; `None` where the system has no such files.
#[cfg(target_os = "linux")]
fn without_name(path: &Path) -> Option<std::fs::File> {
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::fs::{Mode, OFlags, open};
    // It is given its name by the one that it has there.
    std::fs::metadata(OWN_FILES).ok()?;
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(permissions(path).mode() & 0o7777);
    Some(open(folder_of(path), flags, mode).ok()?.into())
}

/// Where the system lists the files that this process has open.
#[cfg(target_os = "linux")]
const OWN_FILES: &str = "/proc/self/fd";

/// Gives such a file the name `path`, in place of what had it.
#[cfg(target_os = "linux")]
fn named(file: &std::fs::File, path: &Path) -> std::io::Result<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    let own = format!("{OWN_FILES}/{}", file.as_raw_fd());
    let link = |beside: &Path| Ok(linkat(CWD, &own, CWD, beside, AtFlags::SYMLINK_FOLLOW)?);
    // A link replaces nothing, but a renamed file does.
    let mut builder = tempfile::Builder::new();
    let beside = builder.prefix(".packer-").make_in(folder_of(path), link)?;
    beside.persist(path).map(drop).map_err(|e| e.error)
}

/// A new file that is to be renamed to `path`.
fn beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".packer-");
    #[cfg(unix)]
    builder.permissions(permissions(path));
    builder.tempfile_in(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn cannot_write(path: &Path, error: std::io::Error) -> Error {
    let message = format!(
        "cannot write `{}`: {}",
        crate::show::path(path),
        reason(&error)
    );
    Error::say(ErrorKind::File, message).caused_by(error)
}

/// Writes `text` to a file that must not be there yet, whole or not at all, and makes the
/// folders above it.
///
/// # Errors
///
/// [`ErrorKind::File`], naming the path and the reason.
pub fn write_new(path: &Path, text: &str) -> Result<(), Error> {
    let create = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder_of(path))?;
        let mut file = beside(path)?;
        file.write_all(text.as_bytes())?;
        file.persist_noclobber(path).map_err(|e| e.error)?;
        Ok(())
    };
    create().map_err(|e| {
        if e.kind() != std::io::ErrorKind::AlreadyExists {
            return cannot_write(path, e);
        }
        let problem = Diagnostic::error(format!("`{}` is there already", crate::show::path(path)));
        let help = "nothing is overwritten: take another name, or edit it";
        Error::new(ErrorKind::File, problem.help(Some(help.into()))).caused_by(e)
    })
}

impl Repo {
    /// Writes a file of the repository that must not be there yet, and makes the folders
    /// above it. None of them may be a link.
    ///
    /// # Errors
    ///
    /// As [`write_new`].
    pub fn write_new(&self, path: &RepoPath, text: &str) -> Result<(), Error> {
        self.without_links(path)?;
        write_new(&self.root().join(path.as_str()), text)
    }
}

/// A folder of its own for another program's files, removed when it is dropped.
///
/// # Errors
///
/// Says why there is none.
pub fn scratch_folder() -> Result<tempfile::TempDir, String> {
    tempfile::Builder::new()
        .prefix("packer-")
        .tempdir()
        .map_err(|e| format!("no temporary folder: {}", reason(&e)))
}

/// The permissions of the file that is replaced, else those of a new file.
#[cfg(unix)]
fn permissions(path: &Path) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    // The process's umask still applies to a new file.
    let new = || std::fs::Permissions::from_mode(0o666);
    std::fs::metadata(path).map_or_else(|_| new(), |meta| meta.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_being_written_has_no_name_that_could_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        for text in ["one", "two"] {
            let before = names();
            let written = write_with(&path, |file| {
                file.write_all(text.as_bytes())?;
                Ok(names())
            });
            let has_unnamed = without_name(&path).is_some();
            assert_eq!(written.unwrap(), before + usize::from(!has_unnamed));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            assert_eq!(names(), 1);
        }
        let failed = write_with(&path, |_| Err::<(), _>(std::io::Error::other("no")));
        assert!(failed.is_err() && names() == 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    }
}
