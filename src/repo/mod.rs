//! The only door to disk, git and other programs.
//!
//! Everything that is read from a repository goes through [`Repo`], which reads nothing outside it:
//! a [`RepoPath`] cannot climb out by its name, and a file is opened in one step that no link can
//! lead out. `policy.rs` says who may read what: nothing is read without a [`Readable`].

mod admit;
mod cache;
mod changed;
pub mod command;
pub mod conversation;
pub mod crew;
mod difference;
mod encoding;
mod entries;
#[cfg(unix)]
pub(crate) mod faults;
mod git;
pub mod git_folder;
mod given;
mod ignore_file;
#[cfg(target_os = "linux")]
mod kernel;
mod listings;
mod look;
#[cfg(test)]
mod made;
mod names;
mod open;
mod own;
mod path;
pub mod policy;
mod progress;
mod quota;
mod read;
mod rules;
mod shelf;
mod siblings;
mod walk;
mod wild;
mod write;

use std::cell::{OnceCell, RefCell};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

pub use cache::{Cache, Entry};
pub use changed::{Changed, WantedChange};
pub use difference::{Line, compare_lines};
pub use encoding::{FileText, decode};
pub use git::{
    Base, Before, Change, Commit, Comparison, FileDiff, Git, Limited, Past, PastChange, Tracked,
};
pub use listings::WalkNumber;
#[cfg(test)]
pub use made::with_files;
pub use path::{MAX_PATH, PathError, RepoPath, relative, resolve};
pub use policy::{Asker, Hidden, Readable};
pub use progress::{Listener, Progress};
pub use quota::Quota;
pub use read::{
    FileId, Refusal, Stamp, cannot_read, read_anywhere, read_operator_file, read_regular_file,
    reason, state_of,
};
use read::{read_beneath, read_regular_bytes, read_regular_text};
pub use shelf::{Adding, Shelf, Slot};
pub use walk::{Found, MAX_NAMES, Visitor};
pub use write::{scratch_folder, write_new, write_whole, write_with};

use crate::error::{Error, ErrorKind};

/// More threads than this only wait for the disk and for each other.
const MAX_THREADS: usize = 4;

/// The stack of a thread, in bytes.
const STACK: usize = 512 * 1024;

/// A folder that prompts are built from, usually a git repository.
pub struct Repo {
    root: PathBuf,
    /// The folder as it was named.
    given: PathBuf,
    /// Which folder that is, if the system says so.
    id: Option<FileId>,
    door: open::Door,
    /// Whether it is a git folder itself, or is in one, and is not a work tree.
    is_git: bool,
    /// The git folders in it that have another name than `.git`.
    git_folders: Vec<RepoPath>,
    git: OnceLock<Result<Git, String>>,
    /// The work tree that the folder is in, with its place there.
    around: OnceLock<Option<(Box<Repo>, RepoPath)>>,
    compiled: rules::Compiled,
    /// What is known of the names in folders.
    listings: OnceCell<RefCell<listings::Listings>>,
    /// Whether ignore rules match in any case, once somebody looked.
    folds: OnceLock<bool>,
    siblings: siblings::Siblings,
    cache: Option<Cache>,
    /// What is shared, if anything is.
    look: Option<look::Look>,
    /// Who is told about the progress, if anybody is.
    listener: Option<Listener>,
}

/// What a path in a repository leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, with its path once links are followed.
    File(RepoPath),
    /// A folder, with its path once links are followed.
    Folder(RepoPath),
    /// Something outside, that a link leads to.
    Outside,
    /// Something that is never read: a broken link, a device, a FIFO.
    Other,
    /// Nothing.
    Missing,
}

impl Repo {
    /// Opens the folder `root`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Repository`] when there is no such folder.
    pub fn open(root: impl AsRef<Path>) -> Result<Repo, Error> {
        let given = root.as_ref();
        let fail = |why: String| {
            let shown = crate::show::path(given);
            let message = format!("cannot open the repository `{shown}`: {why}");
            Error::say(ErrorKind::Repository, message)
        };
        let failed = |e: std::io::Error| fail(reason(&e)).caused_by(e);
        let root = fs::canonicalize(given).map_err(failed)?;
        let meta = fs::metadata(&root).map_err(failed)?;
        if !meta.is_dir() {
            return Err(fail("it is not a folder".into()));
        }
        let door = open::Door::new(&root).map_err(failed)?;
        Ok(Repo {
            is_git: git_folder::is_in_git_folder(&root),
            git_folders: admit::other_names(&root),
            ..Repo::new(root, given.to_owned(), FileId::of_folder(&meta), door)
        })
    }

    /// Makes the repository of a folder of which nothing else is known yet.
    fn new(root: PathBuf, given: PathBuf, id: Option<FileId>, door: open::Door) -> Repo {
        Repo {
            is_git: false,
            git_folders: Vec::new(),
            root,
            given,
            id,
            door,
            git: OnceLock::new(),
            around: OnceLock::new(),
            compiled: rules::Compiled::default(),
            listings: OnceCell::new(),
            folds: OnceLock::new(),
            siblings: siblings::Siblings::default(),
            cache: None,
            look: None,
            listener: None,
        }
    }

    /// Does the same on several threads, at most `most`, each with a repository of its own, except
    /// for this one.
    pub fn on_threads(&self, most: usize, act: impl Fn(&Repo) + Sync) {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let others = threads.min(MAX_THREADS).min(most).saturating_sub(1);
        let act = &act;
        thread::scope(|scope| {
            for _ in 0..others {
                let Ok(repo) = self.again() else { break };
                let thread = thread::Builder::new().stack_size(STACK);
                // With fewer threads it takes longer.
                let _ = thread.spawn_scoped(scope, move || act(&repo));
            }
            act(self);
        });
    }

    /// Opens the folder again for another thread, without git and without a cache.
    ///
    /// # Errors
    ///
    /// The error of the system when there are too many open files.
    fn again(&self) -> std::io::Result<Repo> {
        Ok(Repo {
            is_git: self.is_git,
            git_folders: self.git_folders.clone(),
            ..Repo::new(
                self.root.clone(),
                self.given.clone(),
                self.id,
                self.door.again()?,
            )
        })
    }

    /// Keeps in `cache` what is worked out about this repository.
    pub fn set_cache(&mut self, cache: Cache) {
        self.cache = Some(cache);
    }

    /// Sets who is told about the progress when reading takes long.
    pub fn set_listener(&mut self, listener: Listener) {
        self.listener = Some(listener);
    }

    /// Returns who is told about the progress, if anybody is.
    pub fn listener(&self) -> Option<&Listener> {
        self.listener.as_ref()
    }

    /// Returns where to keep what is worked out, if anywhere.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// Whether findings are kept for anybody.
    pub fn keeps(&self) -> bool {
        self.cache.is_some() || self.look.is_some()
    }

    /// Returns the folder itself, with links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder's name.
    pub fn name(&self) -> String {
        self.root
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// Returns the path inside this repository that `given` names: relative to the root, or
    /// absolute and inside it. `..` goes up by name, whatever links there are.
    ///
    /// # Errors
    ///
    /// Says why the path cannot be one of this repository's.
    pub fn path(&self, given: &str) -> Result<RepoPath, PathError> {
        let path = Path::new(given);
        if !path.is_absolute() {
            return match RepoPath::parse(given) {
                Err(PathError::Parent) => RepoPath::resolved(given),
                parsed => parsed,
            };
        }
        if given.contains('\0') {
            return Err(PathError::Nul);
        }
        let named = resolve(Path::new(""), path);
        let inside = match named.strip_prefix(&self.root) {
            Ok(inside) => inside.to_owned(),
            // The caller may have reached the repository through a link.
            Err(_) => fs::canonicalize(&named)
                .ok()
                .and_then(|real| real.strip_prefix(&self.root).ok().map(Path::to_owned))
                .ok_or(PathError::Outside)?,
        };
        RepoPath::parse(inside.to_str().ok_or(PathError::NotUtf8)?)
    }

    /// Returns what is at `path`.
    pub fn kind(&self, path: &RepoPath) -> Kind {
        self.kind_without_links(path)
            .unwrap_or_else(|| self.kind_over_links(path))
    }

    /// Returns what is at `path`, with every link followed.
    fn kind_over_links(&self, path: &RepoPath) -> Kind {
        let full = self.root.join(path.as_str());
        let Ok(real) = fs::canonicalize(&full) else {
            return if fs::symlink_metadata(&full).is_ok() {
                Kind::Other
            } else {
                Kind::Missing
            };
        };
        let Ok(inside) = real.strip_prefix(&self.root) else {
            return Kind::Outside;
        };
        let Some(inside) = inside.to_str().and_then(|path| RepoPath::parse(path).ok()) else {
            return Kind::Other;
        };
        match fs::metadata(&real) {
            Ok(meta) if meta.is_dir() => Kind::Folder(inside),
            Ok(meta) if meta.is_file() => Kind::File(inside),
            _ => Kind::Other,
        }
    }

    /// Returns what is at a path without links, in one step, which covers nearly all paths:
    /// following links asks the system about each folder above. `None` if that is necessary.
    fn kind_without_links(&self, path: &RepoPath) -> Option<Kind> {
        #[cfg(target_os = "linux")]
        return self.door.kind(path.as_str()).map(|kind| match kind {
            open::PlainKind::File => Kind::File(path.clone()),
            open::PlainKind::Folder => Kind::Folder(path.clone()),
            open::PlainKind::Other => Kind::Other,
            open::PlainKind::Missing => Kind::Missing,
        });
        // Elsewhere the system may know a file by several names, and is asked for the one.
        #[cfg(not(target_os = "linux"))]
        {
            let _ = path;
            None
        }
    }

    /// Returns the git repository at the root.
    ///
    /// # Errors
    ///
    /// Says in one line why git cannot be asked.
    pub fn git(&self) -> Result<&Git, &str> {
        self.git
            .get_or_init(|| Git::open(&self.root))
            .as_ref()
            .map_err(String::as_str)
    }

    /// Returns why git is not asked although there is a `.git`: it is then not known what it
    /// tracks.
    pub fn unasked_git(&self) -> Option<&str> {
        let is_there = || fs::symlink_metadata(self.root.join(".git")).is_ok();
        self.git().err().filter(|_| is_there())
    }
}

/// Returns the nearest folder from `start` upwards that holds `.git`, or else `start`.
pub fn discover(start: &Path) -> PathBuf {
    start
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(start)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repo() -> (tempfile::TempDir, Repo) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "a").unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let repo = Repo::open(folder.path()).unwrap();
        (folder, repo)
    }

    #[test]
    fn an_absolute_path_inside_is_taken_and_one_outside_is_not() {
        let (folder, repo) = repo();
        let inside = folder.path().join("sub/b.txt");
        assert_eq!(
            repo.path(inside.to_str().unwrap()).unwrap().as_str(),
            "sub/b.txt"
        );
        assert_eq!(repo.path("/etc/passwd"), Err(PathError::Outside));
    }

    #[test]
    fn kinds_are_told_apart() {
        let (_folder, repo) = repo();
        let kind = |path: &str| repo.kind(&RepoPath::parse(path).unwrap());
        assert_eq!(kind("a.txt"), Kind::File(RepoPath::parse("a.txt").unwrap()));
        assert_eq!(kind("sub"), Kind::Folder(RepoPath::parse("sub").unwrap()));
        assert_eq!(kind("nope"), Kind::Missing);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_path_without_links_is_told_in_one_step_and_no_other() {
        use std::os::unix::fs::symlink;
        let (folder, repo) = repo();
        let at = |path: &str| folder.path().join(path);
        fs::write(at("sub/b.txt"), "b").unwrap();
        symlink("sub", at("link")).unwrap();
        symlink("a.txt", at("sub/link.txt")).unwrap();
        symlink("nowhere", at("broken")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        for path in [
            "",
            "a.txt",
            "sub",
            "sub/b.txt",
            "nope",
            "nope/b",
            "a.txt/b",
            "fifo",
        ] {
            let path = RepoPath::parse(path).unwrap();
            let quick = repo.kind_without_links(&path).unwrap();
            assert_eq!(quick, repo.kind_over_links(&path), "{path}");
        }
        for path in ["link", "link/b.txt", "link/nope", "sub/link.txt", "broken"] {
            let path = RepoPath::parse(path).unwrap();
            assert_eq!(repo.kind_without_links(&path), None, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_outside_is_neither_file_nor_folder() {
        let (folder, repo) = repo();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
        assert_eq!(repo.kind(&RepoPath::parse("link").unwrap()), Kind::Outside);
    }
}
