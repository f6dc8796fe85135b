//! Finds out what is at a path, and admits those who may read it.

use std::fs;
use std::path::{Path, PathBuf};

use super::git_folder::{has_form, names_git};
use super::policy::{Asker, Hidden, Place, Readable, Verdict, verdict};
use super::read::{read_regular_text, unreadable};
use super::rules::Ignored;
use super::{Kind, Refusal, Repo, RepoPath};

/// The most links on the way to a file, as in the kernel.
const MAX_LINKS: usize = 40;

/// The longest file that names a git folder, in bytes.
const MAX_GITDIR: u64 = 64 * 1024;

impl Repo {
    /// Lets somebody read a file, or says why not.
    ///
    /// # Errors
    ///
    /// [`Refusal::Hidden`] if the table says so, or else why there is no such file.
    pub fn admit(&self, path: &RepoPath, asker: Asker) -> Result<Readable, Refusal> {
        match self.way(path, asker)? {
            (real, true) => Ok(Readable::admitted(path.clone(), real)),
            (_, false) => Err(Refusal::Unreadable("it is a folder".into())),
        }
    }

    /// Lets somebody see what is in a folder, and returns where the folder is once links are
    /// followed. Whether its content may be read is another question.
    ///
    /// # Errors
    ///
    /// The errors of [`admit`](Repo::admit).
    pub fn admit_folder(&self, path: &RepoPath, asker: Asker) -> Result<RepoPath, Refusal> {
        match self.way(path, asker)? {
            (real, false) => Ok(real),
            (_, true) => Err(Refusal::Unreadable("it is not a folder".into())),
        }
    }

    /// Returns where a path leads, if this asker may go there, and whether that is a file.
    fn way(&self, path: &RepoPath, asker: Asker) -> Result<(RepoPath, bool), Refusal> {
        // By the name alone, so that nobody learns what is there.
        if self.names_git(path) {
            return Err(Refusal::Hidden(Hidden::Git));
        }
        let kind = self.kind(path);
        let is_file = matches!(kind, Kind::File(_));
        let (Kind::File(real) | Kind::Folder(real)) = kind else {
            return Err(self.why_not(path));
        };
        let place = if real == *path {
            self.place(&real, is_file, asker)
        } else {
            self.place_over_links(path, &real, is_file, asker)
        };
        if verdict(asker, place) == Verdict::Show {
            return Ok((real, is_file));
        }
        Err(match place {
            Place::Outside => Refusal::Outside,
            Place::Git => Refusal::Hidden(Hidden::Git),
            Place::Ignored if self.lacks_index() => Refusal::Hidden(Hidden::Unlisted),
            Place::Ignored => Refusal::Hidden(Hidden::Ignored),
            _ => Refusal::Hidden(Hidden::Link),
        })
    }

    /// Returns what is at a path without links. Ignore rules are read only for askers whom they
    /// restrict.
    fn place(&self, path: &RepoPath, is_file: bool, asker: Asker) -> Place {
        if self.is_in_git(path) {
            Place::Git
        } else if verdict(asker, Place::Ignored) != Verdict::Show && self.is_hidden(path, is_file) {
            Place::Ignored
        } else {
            Place::Listed
        }
    }

    /// Returns the place of a path with links: the worst of all places on its way counts.
    fn place_over_links(
        &self,
        path: &RepoPath,
        real: &RepoPath,
        is_file: bool,
        asker: Asker,
    ) -> Place {
        let Some(links) = self.links(path) else {
            return Place::Outside;
        };
        if links.iter().chain([real]).any(|link| self.is_in_git(link)) {
            return Place::LinkToGit;
        }
        // Who may name an ignored file may name an ignored link, if this is what it names.
        let may_be_ignored = verdict(asker, Place::Ignored) == Verdict::Show;
        let mut others = links.iter().filter(|link| !may_be_ignored || *link != path);
        if self.is_hidden(real, is_file) || others.any(|link| self.is_hidden(link, true)) {
            return Place::LinkToIgnored;
        }
        Place::LinkToListed
    }

    /// Whether git neither tracks a file nor would list it.
    fn is_hidden(&self, path: &RepoPath, is_file: bool) -> bool {
        // The usual case, for which no ignore file of the folders above has to be read.
        if self.tracks(path) {
            return false;
        }
        let above = self.around().map(|(tree, root)| {
            let path = root.below(path);
            tree.ignored(&path, !is_file, root)
        });
        let here = self.ignored(path, !is_file, &RepoPath::root());
        match above.map_or(here, |above| above.max(here)) {
            Ignored::No => false,
            // Of what lies in it a walk shows only what is tracked.
            Ignored::Perhaps if !is_file => !self.tracks_below(path),
            Ignored::Perhaps | Ignored::Yes => true,
        }
    }

    /// Whether git tracks something in this folder.
    pub(super) fn tracks_below(&self, folder: &RepoPath) -> bool {
        match self.around() {
            Some((tree, root)) => tree.tracks_below(&root.below(folder)),
            None => self.git().is_ok_and(|git| git.tracks_below(folder)),
        }
    }

    /// Whether git cannot tell what it tracks.
    fn lacks_index(&self) -> bool {
        match self.around() {
            Some((tree, _)) => tree.lacks_index(),
            None => match self.git() {
                Ok(git) => git.lacks_index(),
                Err(_) => self.unasked_git().is_some(),
            },
        }
    }

    /// Whether git tracks this file, as far as it can be asked.
    pub(super) fn tracks(&self, path: &RepoPath) -> bool {
        match self.around() {
            Some((tree, root)) => tree.tracks(&root.below(path)),
            None => self.git().is_ok_and(|git| git.tracks(path)),
        }
    }

    /// Returns the work tree that this folder is in, and where in it, if the folder is not one
    /// itself. Its ignore rules count too, except for what they say about this folder, which the
    /// caller chose.
    pub(super) fn around(&self) -> Option<&(Box<Repo>, RepoPath)> {
        let find = || {
            let tree = self
                .root()
                .ancestors()
                .find(|folder| is_work_tree(folder))?;
            let inside = self.root().strip_prefix(tree).ok()?.to_str()?;
            let inside = RepoPath::parse(inside).ok()?;
            let tree = (!inside.is_root()).then(|| Repo::open(tree).ok())??;
            Some((Box::new(tree), inside))
        };
        self.around.get_or_init(find).as_ref()
    }

    /// Returns the links on the way to a file, each by its own path without links; `None` if one of
    /// them leads out of the repository, even if it comes back.
    fn links(&self, path: &RepoPath) -> Option<Vec<RepoPath>> {
        let mut links = Vec::new();
        let mut here = RepoPath::root();
        let mut todo = parts(path.as_str());
        while let Some(part) = todo.pop() {
            match part.as_str() {
                "" | "." => continue,
                ".." if here.is_root() => return None,
                ".." => {
                    let above = here.upwards().nth(1);
                    here = above?;
                    continue;
                }
                _ => {}
            }
            let next = here.entry(&part);
            let Ok(target) = fs::read_link(self.root().join(next.as_str())) else {
                here = next;
                continue;
            };
            links.push(next);
            if links.len() > MAX_LINKS {
                return None;
            }
            if target.is_absolute() {
                here = RepoPath::root();
                todo.extend(parts(self.inside(&target)?.as_str()));
            } else {
                todo.extend(parts(&target.to_str()?.replace('\\', "/")));
            }
        }
        Some(links)
    }

    /// Returns the path in this repository for an absolute one.
    fn inside(&self, target: &Path) -> Option<RepoPath> {
        let real;
        let inside = match target.strip_prefix(self.root()) {
            Ok(inside) => inside,
            // The repository may be reached by another name.
            Err(_) => {
                real = fs::canonicalize(target).ok()?;
                real.strip_prefix(self.root()).ok()?
            }
        };
        RepoPath::parse(inside.to_str()?).ok()
    }

    /// Returns why there is neither a file nor a folder.
    fn why_not(&self, path: &RepoPath) -> Refusal {
        match self.door.open(path.as_str()) {
            Err(error) => unreadable(&error),
            Ok(file) => match file.metadata() {
                Ok(meta) if meta.is_file() => Refusal::Unreadable("its name is not UTF-8".into()),
                _ => Refusal::Unreadable("it is not a regular file".into()),
            },
        }
    }
}

/// Returns the parts of a path, the last one first.
fn parts(path: &str) -> Vec<String> {
    path.split('/').rev().map(str::to_owned).collect()
}

impl Repo {
    /// Whether a path is in a git folder: in one named `.git`, in one that the root's file `.git`
    /// leads to, or in one that has the form of a git folder and that git does not track. In a
    /// repository whose root is not a work tree, everything is.
    pub(super) fn is_in_git(&self, path: &RepoPath) -> bool {
        let is_one = |folder: &RepoPath| self.looks_like_git(folder);
        let above = || {
            let folder = path.upwards().nth(1)?;
            let find = || folder.upwards().any(|folder| is_one(&folder));
            Some(self.of_folder(&folder, |folder| &mut folder.is_in_git, find))
        };
        self.names_git(path) || is_one(path) || above().unwrap_or(false)
    }

    /// Whether it is in one by its name.
    fn names_git(&self, path: &RepoPath) -> bool {
        let is_own = |folder: &RepoPath| path.is_below(folder.as_str());
        self.is_git || names_git(path.as_str()) || self.git_folders.iter().any(is_own)
    }

    /// Whether a folder below the root looks like a git folder that nobody has committed. A
    /// committed one is an example, as in git's own tests.
    fn looks_like_git(&self, folder: &RepoPath) -> bool {
        !folder.is_root()
            && has_form(&self.root().join(folder.as_str()))
            && !self.tracks(&folder.entry("HEAD"))
    }
}

/// Returns the folders that the file `.git` of a work tree leads to: its own git folder, and the
/// one that it shares with others. None if `.git` is a folder itself.
fn named_by(root: &Path) -> Vec<PathBuf> {
    let text = |file: &Path| Some(read_regular_text(file, MAX_GITDIR).ok()?.text);
    let Some(line) = text(&root.join(".git")) else {
        return Vec::new();
    };
    let Some(named) = line.strip_prefix("gitdir:") else {
        return Vec::new();
    };
    let Ok(git) = fs::canonicalize(root.join(named.trim())) else {
        return Vec::new();
    };
    let common = text(&git.join("commondir"));
    let common = common.and_then(|text| fs::canonicalize(git.join(text.trim_end())).ok());
    [Some(git), common].into_iter().flatten().collect()
}

/// Returns the git folders of a root that are in it under another name than `.git`.
pub(super) fn other_names(root: &Path) -> Vec<RepoPath> {
    let inside = named_by(root).into_iter().filter_map(|folder| {
        let inside = folder.strip_prefix(root).ok()?.to_str()?.to_owned();
        RepoPath::parse(&inside).ok()
    });
    inside.filter(|folder| !folder.is_root()).collect()
}

/// Whether this folder is the root of a work tree as git finds it: its `.git` is a file, or a git
/// folder with a `HEAD` that git can read. From any other, git continues upwards.
fn is_work_tree(folder: &Path) -> bool {
    let git = folder.join(".git");
    match fs::symlink_metadata(&git) {
        Ok(meta) if meta.is_dir() => has_form(&git) && has_head(&git),
        Ok(_) => true,
        Err(_) => false,
    }
}

/// Whether the `HEAD` of a git folder names a branch or a commit; the target of a link is not
/// looked at.
fn has_head(git: &Path) -> bool {
    const LONGEST: u64 = 4096;
    let head = git.join("HEAD");
    match fs::symlink_metadata(&head) {
        Ok(meta) if !meta.is_symlink() => {
            let read = read_regular_text(&head, LONGEST);
            let text = read.map_or_else(|_| String::new(), |file| file.text);
            let text = text.trim();
            let reference = text.strip_prefix("ref:").map(str::trim_start);
            let is_hash =
                matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
            reference.is_some_and(|name| name.starts_with("refs/")) || is_hash
        }
        Ok(_) => true,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_tree_has_a_git_folder_that_git_takes_for_one() {
        let root = tempfile::tempdir().unwrap();
        let git = root.path().join(".git");
        assert!(!is_work_tree(root.path()));
        for folder in ["objects", "refs"] {
            fs::create_dir_all(git.join(folder)).unwrap();
        }
        for head in ["", "nonsense\n", "ref: x\n", "0123456789\n"] {
            fs::write(git.join("HEAD"), head).unwrap();
            assert!(!is_work_tree(root.path()), "{head}");
        }
        let hash = "0123456789abcdef0123456789abcdef01234567\n";
        for head in ["ref: refs/heads/main\n", hash] {
            fs::write(git.join("HEAD"), head).unwrap();
            assert!(is_work_tree(root.path()), "{head}");
        }
        fs::remove_dir_all(&git).unwrap();
        fs::write(&git, "gitdir: elsewhere\n").unwrap();
        assert!(is_work_tree(root.path()));
    }
}
