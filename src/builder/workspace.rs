//! Where a worker works.

use std::path::{Component, Path, PathBuf};

use super::WHOLE_FILE_LINES;
use super::endings::ends;
use super::finding::LEFT_OUT;
use crate::error::Error;
use crate::repo::{Kind, Repo, RepoPath, resolve};
use crate::truncate::{CONTEXT_LINES, KeptLines};

/// The default number of files shown at most of those that an issue names.
pub const MAX_RELATED: usize = 10;

/// A repository and the folder in it that somebody works in.
pub struct Workspace {
    pub(super) repo: Repo,
    pub(super) folder: RepoPath,
    pub(super) conventions: Option<PathBuf>,
    pub(super) context_lines: usize,
    pub(super) max_related: usize,
    pub(super) max_lines: Option<usize>,
}

impl Workspace {
    /// Opens the repository at `root`, which need not be a git repository.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Repository`](crate::ErrorKind::Repository) when there is no such folder.
    pub fn open(root: impl AsRef<Path>) -> Result<Workspace, Error> {
        Ok(Workspace {
            repo: Repo::open(root)?,
            folder: RepoPath::root(),
            conventions: None,
            context_lines: CONTEXT_LINES,
            max_related: MAX_RELATED,
            max_lines: None,
        })
    }

    /// Sets the folder of the repository in which the work is done: conventions are looked for
    /// there first, and paths may be relative to it. A folder outside is ignored.
    pub fn working_folder(mut self, folder: impl AsRef<Path>) -> Workspace {
        let folder = resolve(Path::new(""), folder.as_ref());
        if let Some(path) = folder.to_str().and_then(|text| self.repo.path(text).ok())
            && let Kind::Folder(real) = self.repo.kind(&path)
        {
            self.folder = real;
        }
        self
    }

    /// Sets a file of conventions, which wins over those of the repository. It is relative to the
    /// current folder, the working folder or the root, and may be anywhere.
    pub fn conventions(mut self, path: impl AsRef<Path>) -> Workspace {
        self.conventions = Some(path.as_ref().to_owned());
        self
    }

    /// Sets how many lines are shown before and after an error, a change, or a line that an issue
    /// names, instead of [`CONTEXT_LINES`].
    pub fn context_lines(mut self, lines: usize) -> Workspace {
        self.context_lines = lines;
        self
    }

    /// Sets how many of the files that an issue names are shown at most, instead of
    /// [`MAX_RELATED`].
    pub fn max_related(mut self, files: usize) -> Workspace {
        self.max_related = files;
        self
    }

    /// Sets the most lines of a file that is shown whole to a worker that fixes errors. Of a longer
    /// file without an error, this many lines are shown.
    pub fn max_lines(mut self, lines: usize) -> Workspace {
        self.max_lines = Some(lines);
        self
    }

    /// Returns, of a text of `total` lines, those around these (from 1), at most as many as a file
    /// may have that is shown whole.
    pub(super) fn around(&self, total: usize, lines: &[usize]) -> KeptLines {
        KeptLines::choose(total, WHOLE_FILE_LINES - 1, lines, self.context_lines)
    }

    /// Returns the path from the root for one that is relative to the root or to the working
    /// folder, or absolute.
    pub(super) fn find(&self, given: &str) -> Option<RepoPath> {
        let given = given.strip_prefix("./").unwrap_or(given);
        if !Path::new(given).is_absolute()
            && Path::new(given)
                .components()
                .any(|part| part == Component::ParentDir)
        {
            let here = self.repo.root().join(self.folder.as_str());
            return self
                .repo
                .path(resolve(&here, Path::new(given)).to_str()?)
                .ok();
        }
        let path = self.repo.path(given).ok()?;
        if Path::new(given).is_absolute() || self.repo.kind(&path) != Kind::Missing {
            return Some(path);
        }
        let below = self.folder.entry(path.as_str());
        match self.repo.kind(&below) {
            Kind::Missing => Some(path),
            _ => Some(below),
        }
    }

    /// Returns where a file is that the caller gives: below the current folder, the working folder,
    /// or the root, whichever has it first. It may be anywhere.
    pub(super) fn given(&self, given: &Path) -> PathBuf {
        let root = self.repo.root();
        let folders = [PathBuf::new(), root.join(self.folder.as_str()), root.into()];
        let mut paths = folders.iter().map(|folder| resolve(folder, given));
        let found = paths.find(|path| path.exists());
        found.unwrap_or_else(|| resolve(Path::new(""), given))
    }

    /// Returns the path of a file that a check names. A check that ran elsewhere, for example in a
    /// container, names files by another root: then the longest end of its path that is a file
    /// here, with at least two parts, is used.
    pub(super) fn find_reported(&self, given: &str) -> Option<RepoPath> {
        if let Some(path) = self.find(given) {
            return Some(path);
        }
        let is_end = given.starts_with(LEFT_OUT);
        if !is_end && !Path::new(given).is_absolute() {
            return None;
        }
        ends(given).find_map(|path| matches!(self.repo.kind(&path), Kind::File(_)).then_some(path))
    }
}
