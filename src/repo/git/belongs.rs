//! Whether a git folder is the folder's own.

use std::fs;
use std::path::{Path, PathBuf};

use git2::Repository;

use crate::repo::read_operator_file;

/// Files of a git folder that the library reads whole when it is opened, with the most
/// bytes that they may have. Those of the largest repositories have a tenth of that.
const READ_WHOLE: [(&str, u64); 10] = [
    ("HEAD", 64 * 1024),
    ("config", 1024 * 1024),
    ("config.worktree", 1024 * 1024),
    ("commondir", 64 * 1024),
    ("index", 512 * 1024 * 1024),
    ("packed-refs", 256 * 1024 * 1024),
    ("shallow", 64 * 1024 * 1024),
    ("info/attributes", 256 * 1024),
    ("info/exclude", 16 * 1024 * 1024),
    ("info/grafts", 16 * 1024 * 1024),
];

/// Says what in a git folder is no file that can be read: the library would wait for a
/// FIFO for ever, and take whatever memory a file asks for.
pub(super) fn check_files(git: &Path) -> Result<(), String> {
    if !git.is_dir() {
        return check_file(git, MAX_GITDIR);
    }
    for (name, most) in READ_WHOLE {
        check_file(&git.join(name), most)?;
    }
    check_includes(git)
}

/// The same for one file. One that is not there is none.
pub(super) fn check_file(path: &Path, most: u64) -> Result<(), String> {
    let Ok(meta) = fs::metadata(path) else {
        return Ok(());
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !meta.is_file() {
        return Err(format!("git's file `{name}` is no regular file"));
    }
    if meta.len() > most {
        return Err(format!("git's file `{name}` has {} bytes", meta.len()));
    }
    Ok(())
}

/// The same for the files that the configuration includes; it may include any.
fn check_includes(git: &Path) -> Result<(), String> {
    let Ok(config) = read_operator_file(&git.join("config"), READ_WHOLE[1].1) else {
        return Ok(());
    };
    let mut in_include = false;
    for line in config.text.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            in_include = line.to_ascii_lowercase().starts_with("[include");
        }
        let value = line.rsplit(']').next().unwrap_or(line);
        let Some((key, path)) = value.split_once('=').filter(|_| in_include) else {
            continue;
        };
        let path = path.trim().trim_matches('"');
        if key.trim().eq_ignore_ascii_case("path") && !path.starts_with('~') {
            check_file(&git.join(path), READ_WHOLE[1].1)?;
        }
    }
    Ok(())
}

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

/// Whether a folder, down to a depth, holds files and folders and no links. One that is not there holds
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
        (kind.is_file() || kind.is_dir())
            && (!kind.is_dir() || depth == 1 || has_no_links(&path, depth - 1))
    })
}
