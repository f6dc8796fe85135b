//! What a repository keeps for packer, in `.packer`: cases, templates, defaults.
//!
//! The caller asks for these by their place, so they count even if git ignores them. But a link
//! would give a file of another place that name, and what is reported about a case, or written
//! beside it, would come from there or go there. So no part of such a path may be a link.

use std::fmt::Display;
use std::path::Path;

use super::{Asker, FileText, Kind, Refusal, Repo, RepoPath, resolve};
use crate::error::{Error, ErrorKind};

const LINK: &str = "it is a link, or lies behind one";

impl Repo {
    /// Returns what a path on this machine names here, judged by its parts alone: links on it are
    /// not followed.
    pub fn own_path(&self, path: &Path) -> Option<RepoPath> {
        let named = resolve(Path::new(""), path);
        let given = resolve(Path::new(""), &self.given);
        let inside = [&self.root, &given]
            .into_iter()
            .find_map(|root| named.strip_prefix(root).ok())?;
        RepoPath::parse(inside.to_str()?).ok()
    }

    /// Returns the names of everything in one of packer's folders, in order, each with whether it
    /// is a regular file; none if there is no such folder.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::File`]: a part of the path is a link, or it is no folder.
    pub fn own_names(&self, folder: &RepoPath) -> Result<Vec<(String, bool)>, Error> {
        match self.admit_folder(folder, Asker::Caller) {
            Ok(real) if real == *folder => {}
            Ok(_) => return Err(cannot("list", folder, LINK)),
            Err(Refusal::Missing) => return Ok(Vec::new()),
            Err(why) => return Err(cannot("list", folder, why)),
        }
        let names = self.all_names(folder).into_iter().map(|name| {
            let path = folder.entry(&name);
            let is_file = self.kind(&path) == Kind::File(path);
            (name, is_file)
        });
        Ok(names.collect())
    }

    /// Returns the text of such a file of at most `limit` bytes; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::File`]: a part of the path is a link, or it cannot be read.
    pub fn read_own(&self, path: &RepoPath, limit: u64) -> Result<Option<FileText>, Error> {
        match self.admit(path, Asker::Caller) {
            Ok(file) if file.is_plain() => match self.read(&file, limit) {
                Ok(text) => Ok(Some(text)),
                Err(why) => Err(cannot("read", path, why)),
            },
            Ok(_) => Err(cannot("read", path, LINK)),
            Err(Refusal::Missing) => Ok(None),
            Err(why) => Err(cannot("read", path, why)),
        }
    }

    /// Writes such a file, completely or not at all, replacing an existing one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::File`]: a part of the path is a link, or it cannot be written.
    pub fn write_own(&self, path: &RepoPath, text: &str) -> Result<(), Error> {
        self.without_links(path)?;
        match self.admit(path, Asker::Caller) {
            Ok(_) | Err(Refusal::Missing) => self.write_over(path, text),
            Err(why) => Err(cannot("write", path, why)),
        }
    }

    /// Checks that no part of a path to be written is a link: it could lead to git's hooks.
    pub(super) fn without_links(&self, path: &RepoPath) -> Result<(), Error> {
        let is_link = |part: &&str| {
            let meta = std::fs::symlink_metadata(self.root().join(part));
            meta.is_ok_and(|meta| meta.is_symlink())
        };
        match path.ancestors().find(is_link) {
            Some(part) => Err(cannot("write", path, format!("`{part}` is a link"))),
            None => Ok(()),
        }
    }
}

fn cannot(what: &str, path: &RepoPath, why: impl Display) -> Error {
    Error::say(ErrorKind::File, format!("cannot {what} `{path}`: {why}"))
}
