//! Which files of a repository may be worth reading.

use std::sync::Arc;

use super::imports::{MAX_LISTED, MAX_PATHS};
use super::kind::Kind;
use crate::memory::make_room_for_files;
use crate::repo::{Found, Quota, Readable, Repo, RepoPath, Tracked, Visitor, WalkNumber};

/// A file that may be worth reading.
#[derive(Clone)]
pub struct Candidate {
    /// The file.
    pub file: Readable,
    /// What it is.
    pub kind: Kind,
    /// Its position among everything that was found with it, even if some of that is excluded.
    pub number: u32,
}

impl Candidate {
    /// Returns where it is.
    pub fn path(&self) -> &str {
        self.file.path().as_str()
    }
}

/// The files that may be read, in the order of their paths.
#[derive(Clone)]
pub struct Candidates {
    /// The files of some [`Kind`] that git tracks, and untracked source.
    pub found: Arc<[Candidate]>,
    /// These, and those that are excluded now: the same for everyone who shares a look.
    pub all: Arc<[Candidate]>,
    /// All files of the repository except links, if none were skipped and there are not too many.
    pub listed: Option<Arc<[String]>>,
    /// How many more files there are, for which there is no room.
    pub missed: usize,
    /// The walk that found them.
    pub walk: WalkNumber,
}

/// The candidates if nothing is excluded, for everyone who shares a look.
struct Everything {
    look: u64,
    all: Candidates,
    folders: Vec<RepoPath>,
}

impl Candidates {
    /// Returns the candidates that are not excluded.
    pub fn of(repo: &Repo, excluded: &dyn Fn(&RepoPath) -> bool) -> Candidates {
        let Some(look) = repo.look() else {
            return Candidates::list(repo, excluded).0;
        };
        let known = repo.recall::<Everything>();
        let everything = known.filter(|all| all.look == look).unwrap_or_else(|| {
            let (all, folders) = Candidates::list(repo, &|_| false);
            Everything { look, all, folders }
        });
        let mut candidates = everything.all.clone();
        let is_excluded = |found: &&Candidate| excluded(found.file.path());
        if candidates.found.iter().any(|found| is_excluded(&found)) {
            let found = candidates.found.iter();
            candidates.found = found.filter(|found| !is_excluded(found)).cloned().collect();
        }
        if everything.folders.iter().any(excluded) {
            candidates.listed = None;
        }
        repo.remember(everything);
        candidates
    }

    /// Lists them, and the folders that were entered.
    fn list(repo: &Repo, excluded: &dyn Fn(&RepoPath) -> bool) -> (Candidates, Vec<RepoPath>) {
        let mut all = Lister {
            excluded,
            tracked: repo.tracked(),
            found: Vec::new(),
            quota: Quota::default(),
            folders: Vec::new(),
            folder_quota: Quota::default(),
            listed: Some(Vec::new()),
            left: MAX_PATHS,
            missed: 0,
        };
        // What cannot be listed is told by the sources that were asked for it.
        let _ = repo.walk(&RepoPath::root(), &mut all);
        let walk = repo.last_walk();
        make_room_for_files(all.found.len());
        // They come in runs that are sorted already.
        all.found.sort_by(|a, b| a.file.path().cmp(b.file.path()));
        let listed = all.listed.map(|mut listed| {
            listed.sort();
            listed.into()
        });
        for (number, found) in (0..).zip(&mut all.found) {
            found.number = number;
        }
        let found: Arc<[Candidate]> = all.found.into();
        let candidates = Candidates {
            all: Arc::clone(&found),
            found,
            listed,
            missed: all.missed,
            walk,
        };
        (candidates, all.folders)
    }
}

struct Lister<'a> {
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    /// What git tracks, if it can be asked.
    tracked: Option<&'a Tracked>,
    found: Vec<Candidate>,
    quota: Quota,
    folders: Vec<RepoPath>,
    folder_quota: Quota,
    listed: Option<Vec<String>>,
    /// How many more bytes the paths in `listed` may have.
    left: usize,
    missed: usize,
}

impl Lister<'_> {
    fn list(&mut self, path: &str) {
        let Some(listed) = &mut self.listed else {
            return;
        };
        match self.left.checked_sub(path.len()) {
            Some(left) if listed.len() < MAX_LISTED => {
                self.left = left;
                listed.push(path.to_owned());
            }
            _ => self.listed = None,
        }
    }

    /// Returns what a file is, if it counts. An untracked file counts only if it is source: a
    /// prompt or a log that lies about does not.
    fn kind(&self, path: &str) -> Option<Kind> {
        let is_known = || self.tracked.is_none_or(|tracked| tracked.contains(path));
        Kind::of(path).filter(|kind| !kind.is_beside() || is_known())
    }
}

impl Visitor for Lister<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        let enters = !(self.excluded)(folder);
        if enters && self.folder_quota.takes(folder.as_str()) {
            self.folders.push(folder.clone());
        } else {
            self.listed = None;
        }
        enters
    }

    fn missed(&mut self, names: usize) {
        self.missed += names;
    }

    fn found(&mut self, found: Found) {
        if !found.link {
            self.list(found.path.as_str());
        }
        // A link shows what another file shows already.
        let kind = self.kind(found.path.as_str());
        let Some(kind) = kind.filter(|_| !(self.excluded)(&found.path)) else {
            return;
        };
        if self.quota.takes(found.path.as_str()) {
            let candidate = |file| Candidate {
                file,
                kind,
                number: 0,
            };
            self.found.extend(found.readable().map(candidate));
        } else {
            self.missed += 1;
        }
    }
}
