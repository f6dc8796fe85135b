//! Whether a git folder is the folder's own.

use std::fs;
use std::path::{Path, PathBuf};

use git2::Repository;

use crate::repo::read_operator_file;

/// Names of refs have at most so many parts.
const MAX_REF_DEPTH: usize = 16;

/// The file that names a worktree is at most so long, in bytes.
const MAX_GITDIR: u64 = 64 * 1024;

/// Whether the git folder is this folder's own: inside it with all that it needs,
/// or one that names this folder in turn, as worktrees and submodules do. Otherwise
/// a hostile folder could name any repository of the user.
pub(super) fn belongs(repository: &Repository, root: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    if repository.workdir().and_then(real).as_deref() != Some(root) {
        return false;
    }
    let (Some(git), Some(common)) = (real(repository.path()), real(repository.commondir())) else {
        return false;
    };
    if git.starts_with(root) {
        return common.starts_with(root) && is_self_contained(&common);
    }
    let worktree = || {
        let back = read_operator_file(&git.join("gitdir"), MAX_GITDIR).ok()?;
        real(Path::new(back.text.trim_end())).map(|back| back == root.join(".git"))
    };
    let submodule = || {
        let config = git2::Config::open(&git.join("config")).ok()?;
        let back: PathBuf = config.get_path("core.worktree").ok()?;
        real(&git.join(back)).map(|back| back == root)
    };
    worktree() == Some(true) || submodule() == Some(true)
}

/// Whether no part of a git folder that leads to refs and objects is a link, and no
/// other object store is named.
///
/// A link in place of a single loose object is not looked for: who makes one has to
/// know the object's hash.
fn is_self_contained(git: &Path) -> bool {
    let is_link =
        |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
    let files = ["HEAD", "config", "index", "objects", "packed-refs", "refs"];
    !files.iter().any(|file| is_link(&git.join(file)))
        && !git.join("objects/info/alternates").exists()
        && has_no_links(&git.join("objects"), 1)
        && has_no_links(&git.join("objects/pack"), 1)
        && has_no_links(&git.join("refs"), MAX_REF_DEPTH)
}

/// Whether a folder, down to a depth, holds no links. One that is not there holds
/// none; one that cannot be read might.
fn has_no_links(folder: &Path, depth: usize) -> bool {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => return e.kind() == std::io::ErrorKind::NotFound,
    };
    entries.into_iter().all(|entry| {
        let Ok((path, kind)) = entry.and_then(|e| Ok((e.path(), e.file_type()?))) else {
            return false;
        };
        // Deeper names are no refs that anybody uses.
        !kind.is_symlink() && (!kind.is_dir() || depth == 1 || has_no_links(&path, depth - 1))
    })
}
