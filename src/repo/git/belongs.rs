//! Whether a git folder belongs to the folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::attributes::MAX_OWN;
use super::past::MAX_SHALLOW;
use crate::repo::{Refusal, read_regular_text};
use crate::show::{grouped, visible};

/// The largest git configuration, in bytes.
const MAX_CONFIG: u64 = 1024 * 1024;

/// The most lines of one: the library keeps each setting with a hundred times its bytes.
const MAX_CONFIG_LINES: usize = 50_000;

/// Files of a git folder that the library reads whole when it is opened, with the most bytes that
/// they may have.
const READ_WHOLE: [(&str, u64); 9] = [
    ("HEAD", 64 * 1024),
    ("config", MAX_CONFIG),
    ("config.worktree", MAX_CONFIG),
    ("commondir", 64 * 1024),
    ("packed-refs", 16 * 1024 * 1024),
    ("shallow", MAX_SHALLOW),
    ("info/attributes", MAX_OWN),
    ("info/exclude", 16 * 1024 * 1024),
    ("info/grafts", 1024 * 1024),
];

/// The git folder of a work tree.
pub(super) struct Folders {
    /// Where its own HEAD and index are.
    pub(super) git: PathBuf,
    /// Where objects, refs and configuration are; the same except for linked worktrees.
    common: PathBuf,
}

impl Folders {
    /// Returns where the objects are.
    pub(super) fn objects(&self) -> PathBuf {
        self.common.join("objects")
    }

    /// Finds the folder that `.git` is or names, and the one that this names in turn.
    pub(super) fn of(root: &Path) -> Result<Folders, String> {
        let dot_git = root.join(".git");
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(|_| "its `.git` does not lead to a folder".to_owned())
        };
        let git = if dot_git.is_dir() {
            real(&dot_git)?
        } else {
            check_file(&dot_git, MAX_GITDIR)?;
            let text = named_in(&dot_git).ok_or("its `.git` cannot be read")?;
            let named = text
                .strip_prefix("gitdir:")
                .ok_or("its `.git` does not name a folder")?;
            real(&root.join(named.trim()))?
        };
        let commondir = git.join("commondir");
        check_file(&commondir, MAX_GITDIR)?;
        let common = match named_in(&commondir) {
            Some(text) => real(&git.join(text.trim_end()))?,
            None => git.clone(),
        };
        Ok(Folders { git, common })
    }

    /// Checks that everything in them is a readable file: the library would wait forever for a
    /// FIFO, follow a link anywhere, and take whatever memory a file asks for.
    pub(super) fn check(&self) -> Result<(), String> {
        for folder in [&self.git, &self.common] {
            for (name, most) in READ_WHOLE {
                check_file(&folder.join(name), most)?;
            }
            check_config(folder)?;
        }
        Ok(())
    }

    /// Checks that each ref leads to a ref. The library follows its name to whatever is there, and
    /// waits forever if that is a FIFO.
    pub(super) fn check_refs(&self) -> Result<(), String> {
        let mut left = MAX_LOOSE_REFS;
        let other = Some(&self.common).filter(|common| **common != self.git);
        for folder in [Some(&self.git), other].into_iter().flatten() {
            check_ref(&folder.join("HEAD"))?;
            check_refs_in(&folder.join("refs"), MAX_REF_DEPTH, &mut left)?;
        }
        Ok(())
    }
}

/// Returns the file of ignore rules outside all commits, for a folder whose `.git` leads to a git
/// folder of its own. They apply even if the rest of it cannot be read.
pub(in crate::repo) fn exclude_file(root: &Path) -> Option<PathBuf> {
    let folders = Folders::of(root).ok()?;
    is_own(&folders, root).then(|| folders.common.join("info/exclude"))
}

/// Whether the configuration of this folder's own git folder sets `core.ignorecase`. Any line that
/// could mean so counts, because then more is hidden.
pub(in crate::repo) fn ignores_case(root: &Path) -> bool {
    let Ok(folders) = Folders::of(root) else {
        return false;
    };
    let files = [
        folders.common.join("config"),
        folders.git.join("config.worktree"),
    ];
    let says_so = |file: &PathBuf| {
        let config = read_regular_text(file, MAX_CONFIG).ok();
        config.is_some_and(|config| config.text.lines().any(is_ignorecase))
    };
    is_own(&folders, root) && files.iter().any(says_so)
}

/// Whether a line of a configuration says that case does not count.
fn is_ignorecase(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let Some((_, value)) = line.split_once("ignorecase") else {
        return false;
    };
    let value = value.split(['#', ';']).next().unwrap_or_default();
    let value = value
        .trim()
        .trim_start_matches('=')
        .trim()
        .trim_matches('"');
    !matches!(value, "false" | "no" | "off" | "0")
}

/// Checks that the configuration in a git folder can be read by itself.
fn check_config(folder: &Path) -> Result<(), String> {
    for name in ["config", "config.worktree"] {
        check_file(&folder.join(name), MAX_CONFIG)?;
        let Ok(config) = read_regular_text(&folder.join(name), MAX_CONFIG) else {
            continue;
        };
        if config.text.lines().count() > MAX_CONFIG_LINES {
            return Err(format!(
                "git's file `{name}` has more than {} lines",
                grouped(MAX_CONFIG_LINES)
            ));
        }
        if includes(&config.text) {
            return Err("its git configuration includes other files".into());
        }
    }
    Ok(())
}

/// The most refs that have a file of their own.
const MAX_LOOSE_REFS: usize = 50_000;

fn check_refs_in(folder: &Path, depth: usize, left: &mut usize) -> Result<(), String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let unread = |_| "git's refs cannot be listed".to_owned();
        let entry = entry.map_err(unread)?;
        *left = left.checked_sub(1).ok_or_else(|| {
            format!("git has more than {MAX_LOOSE_REFS} refs with files of their own")
        })?;
        if !entry.file_type().map_err(unread)?.is_dir() {
            check_ref(&entry.path())?;
        } else if depth > 1 {
            // Deeper names are no refs that anybody uses.
            check_refs_in(&entry.path(), depth - 1, left)?;
        }
    }
    Ok(())
}

/// Checks whether a file leads to another ref that is not one. A missing file does not.
pub(super) fn check_ref(file: &Path) -> Result<(), String> {
    check_file(file, MAX_GITDIR)?;
    let leads_on = match read_regular_text(file, MAX_GITDIR) {
        Ok(text) => {
            let named = text.text.strip_prefix("ref:");
            named.is_some_and(|name| !is_ref(name.trim()))
        }
        Err(why) => why != Refusal::Missing,
    };
    if leads_on {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        return Err(format!("git's file `{}` names no branch", visible(&name)));
    }
    Ok(())
}

/// Whether this is the name of a ref, which only goes downwards.
fn is_ref(name: &str) -> bool {
    let below = name.strip_prefix("refs/");
    below.is_some_and(|below| {
        !below
            .split(['/', '\\'])
            .any(|part| matches!(part, "" | "." | ".."))
    })
}

fn named_in(file: &Path) -> Option<String> {
    Some(read_regular_text(file, MAX_GITDIR).ok()?.text)
}

/// Whether a configuration has a section `[include]` or `[includeIf …]`, on a line of its own or
/// not. Text that only looks like one counts too.
fn includes(config: &str) -> bool {
    let mut sections = config.split('[').skip(1);
    sections.any(|section| {
        let name = section.trim_start().as_bytes();
        name.get(..7)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"include"))
    })
}

/// Checks that a file is not a link, is a regular file and is not too large. A missing one passes.
fn check_file(path: &Path, most: u64) -> Result<(), String> {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if !meta.is_file() {
        return Err(format!("git's file `{name}` is not a regular file"));
    }
    if meta.len() > most {
        return Err(format!("git's file `{name}` has {} bytes", meta.len()));
    }
    Ok(())
}

/// `objects/info/commit-graphs/graph-….graph`
const OBJECTS_DEPTH: usize = 3;

/// The most parts in the name of a ref.
const MAX_REF_DEPTH: usize = 16;

/// The longest file that names a worktree, in bytes.
const MAX_GITDIR: u64 = 64 * 1024;

/// Whether a git folder belongs to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belongs {
    /// With all its objects.
    Whole,
    /// Except for objects that it borrows from elsewhere, as after `git clone --shared`.
    Borrowing,
    /// It does not.
    Not,
}

/// Whether the git folder belongs to this folder: it is inside it, or it names this folder in turn,
/// as those of worktrees and submodules do. Otherwise a hostile folder could name any repository of
/// the user. Wherever it is, it must also say the right things about where its refs and objects
/// are.
pub(super) fn belongs(folders: &Folders, root: &Path) -> Belongs {
    let Folders { git, common } = folders;
    if !is_own(folders, root) || !has_own_folders(common) || !has_own_folders(git) {
        return Belongs::Not;
    }
    match borrowed(&common.join("objects"), MAX_BORROWING) {
        Some(0) => Belongs::Whole,
        Some(_) => Belongs::Borrowing,
        None => Belongs::Not,
    }
}

/// Whether it does by its location and by what it names.
fn is_own(folders: &Folders, root: &Path) -> bool {
    let Folders { git, common } = folders;
    if git.starts_with(root) {
        common.starts_with(root)
    } else if git == common {
        is_submodule_of(git, root)
    } else {
        is_worktree_of(folders, root)
    }
}

/// Whether a git folder belongs to a linked worktree: it names the worktree's `.git`, and it is
/// where the shared repository keeps those of its worktrees. Anybody could write the first into a
/// folder of their own, but only that repository the second.
fn is_worktree_of(Folders { git, common }: &Folders, root: &Path) -> bool {
    let names_us = || {
        let back = read_regular_text(&git.join("gitdir"), MAX_GITDIR).ok()?;
        let back = fs::canonicalize(git.join(back.text.trim_end())).ok()?;
        Some(back == root.join(".git"))
    };
    git.parent() == Some(&common.join("worktrees")) && names_us() == Some(true)
}

/// Whether a git folder says that this folder is its work tree.
fn is_submodule_of(git: &Path, root: &Path) -> bool {
    let names_us = || {
        check_config(git).ok()?;
        let config = git2::Config::open(&git.join("config")).ok()?;
        let back: PathBuf = config.get_path("core.worktree").ok()?;
        Some(fs::canonicalize(git.join(back)).ok()? == root)
    };
    names_us() == Some(true)
}

/// Whether everything that leads to refs and objects is a file or a folder.
fn has_own_folders(git: &Path) -> bool {
    let is_link =
        |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink());
    !["objects", "refs", "info", "objects/info"]
        .iter()
        .any(|folder| is_link(&git.join(folder)))
        && has_no_links(&git.join("objects"), OBJECTS_DEPTH)
        && has_no_links(&git.join("refs"), MAX_REF_DEPTH)
}

/// From how many stores in a row an object store may borrow.
const MAX_BORROWING: usize = 4;

/// Returns from how many other object stores one borrows; `None` if one of them is not a folder of
/// plain files.
fn borrowed(objects: &Path, most: usize) -> Option<usize> {
    let list = objects.join("info/alternates");
    check_file(&list, MAX_GITDIR).ok()?;
    let Some(text) = named_in(&list) else {
        return Some(0);
    };
    let mut count = 0;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        count += 1;
        let other = fs::canonicalize(objects.join(line)).ok()?;
        if count > most || !has_no_links(&other, OBJECTS_DEPTH) {
            return None;
        }
        count += borrowed(&other, most - count)?;
    }
    Some(count)
}

/// Whether a folder, down to a depth, holds files and folders and no links. A missing one holds
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
