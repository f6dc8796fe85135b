//! The files that a repository keeps for this program, for the commands that work with them.

use std::path::Path;

use super::ContextPacker;
use crate::error::{Error, ErrorKind};
use crate::repo::{Asker, RepoPath};
use crate::show::quoted;

impl ContextPacker {
    /// The path in the repository that a path on this machine names, by its parts alone: no
    /// link on it is followed. `None` if it names nothing there.
    pub fn own_path(&self, path: &Path) -> Option<String> {
        self.repo.own_path(path).map(|path| path.to_string())
    }

    /// Whether the repository may show a file of this path: it is one of its own, and it is
    /// not ignored.
    pub fn may_show(&self, path: &str) -> bool {
        let path = RepoPath::parse(path);
        path.is_ok_and(|path| self.repo.admit(&path, Asker::Repository).is_ok())
    }

    /// The names of all that lies in a folder of the repository, in order, each with whether it
    /// is a regular file; none where there is no such folder. It may be ignored, but no part of
    /// its path may be a link.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::File`] for a link and what is no folder; [`ErrorKind::Request`] for a path
    /// that leads out.
    pub fn own_files(&self, folder: &str) -> Result<Vec<(String, bool)>, Error> {
        self.repo.own_names(&inside(folder)?)
    }

    /// The text of such a file of at most `limit` bytes; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`own_files`](ContextPacker::own_files); [`ErrorKind::File`] if it cannot be read.
    pub fn read_own(&self, path: &str, limit: u64) -> Result<Option<String>, Error> {
        let file = self.repo.read_own(&inside(path)?, limit)?;
        Ok(file.map(|file| file.text))
    }

    /// Writes such a file, whole or not at all, over the one that is there.
    ///
    /// # Errors
    ///
    /// As [`read_own`](ContextPacker::read_own).
    pub fn write_own(&self, path: &str, text: &str) -> Result<(), Error> {
        self.repo.write_own(&inside(path)?, text)
    }

    /// Writes such a file that must not be there yet, and makes the folders above it.
    ///
    /// # Errors
    ///
    /// As [`write_own`](ContextPacker::write_own), and [`ErrorKind::File`] if it is there.
    pub fn write_new(&self, path: &str, text: &str) -> Result<(), Error> {
        self.repo.write_new(&inside(path)?, text)
    }
}

/// A path in the repository.
fn inside(path: &str) -> Result<RepoPath, Error> {
    RepoPath::parse(path).map_err(|why| {
        let message = format!("`{}` is not a file of the repository: {why}", quoted(path));
        Error::say(ErrorKind::Request, message)
    })
}
