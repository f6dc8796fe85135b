//! Access to the files that a repository keeps for packer, for the commands that work with them.

use std::path::Path;

use super::ContextPacker;
use crate::error::{Error, ErrorKind};
use crate::repo::{Asker, RepoPath};
use crate::show::quoted;

impl ContextPacker {
    /// Returns the path in the repository that a path on this machine names, judged by its parts
    /// alone: links are not followed. `None` if it names nothing there.
    pub fn own_path(&self, path: &Path) -> Option<String> {
        self.repo.own_path(path).map(|path| path.to_string())
    }

    /// Whether the repository may show a file at this path: it is one of its own, and it is not
    /// ignored.
    pub fn may_show(&self, path: &str) -> bool {
        let path = RepoPath::parse(path);
        path.is_ok_and(|path| self.repo.admit(&path, Asker::Repository).is_ok())
    }

    /// Returns the names of everything in a folder of the repository, in order, each with whether
    /// it is a regular file; none if there is no such folder. The folder may be ignored, but no
    /// part of its path may be a link.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::File`] for a link or something that is not a folder; [`ErrorKind::Request`] for
    /// a path that leads out.
    pub fn own_files(&self, folder: &str) -> Result<Vec<(String, bool)>, Error> {
        self.repo.own_names(&inside(folder)?)
    }

    /// Returns the text of such a file of at most `limit` bytes; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The errors of [`own_files`](ContextPacker::own_files); [`ErrorKind::File`] if it cannot be
    /// read.
    pub fn read_own(&self, path: &str, limit: u64) -> Result<Option<String>, Error> {
        let file = self.repo.read_own(&inside(path)?, limit)?;
        Ok(file.map(|file| file.text))
    }

    /// Writes such a file, completely or not at all, replacing an existing one.
    ///
    /// # Errors
    ///
    /// The errors of [`read_own`](ContextPacker::read_own).
    pub fn write_own(&self, path: &str, text: &str) -> Result<(), Error> {
        self.repo.write_own(&inside(path)?, text)
    }

    /// Writes such a file, which must not exist yet, and creates the folders above it.
    ///
    /// # Errors
    ///
    /// The errors of [`write_own`](ContextPacker::write_own), and [`ErrorKind::File`] if it exists.
    pub fn write_new(&self, path: &str, text: &str) -> Result<(), Error> {
        self.repo.write_new(&inside(path)?, text)
    }
}

/// Parses a path in the repository.
fn inside(path: &str) -> Result<RepoPath, Error> {
    RepoPath::parse(path).map_err(|why| {
        let message = format!("`{}` is not a file of the repository: {why}", quoted(path));
        Error::say(ErrorKind::Request, message)
    })
}
