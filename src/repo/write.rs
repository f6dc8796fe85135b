//! Writes files, only those that the caller asks for and only where it asks for them.

use std::io::Write;
use std::path::Path;

use super::read::reason;
use super::{Repo, RepoPath};
use crate::error::{Diagnostic, Error, ErrorKind};

/// Writes `text` to `path`, whole or not at all: to a temporary file beside it,
/// which is then renamed. A file that was there is replaced and keeps its
/// permissions.
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
        // Renaming over `/dev/null` or a link would destroy what it stands for.
        if std::fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
            return Err(std::io::Error::other("it is there and is no regular file"));
        }
        let mut file = beside(path)?;
        let done = write(file.as_file_mut())?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(done)
    };
    replace().map_err(|e| cannot_write(path, e))
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
    /// above it. None of them may be a link: it could lead to git's hooks.
    ///
    /// # Errors
    ///
    /// As [`write_new`].
    pub fn write_new(&self, path: &RepoPath, text: &str) -> Result<(), Error> {
        let is_link = |part: &&str| {
            let meta = std::fs::symlink_metadata(self.root().join(part));
            meta.is_ok_and(|meta| meta.is_symlink())
        };
        if let Some(part) = path.ancestors().find(is_link) {
            let message = format!("cannot write `{path}`: `{part}` is a link");
            return Err(Error::say(ErrorKind::File, message));
        }
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
