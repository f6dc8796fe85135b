//! Where a context directory is, and which of its files are read.

use std::path::{Path, PathBuf};

use super::assemble::Chapter;
use super::cache::Cache;
use super::file::{Left, chapter_of, parsed};
use super::outline::Outline;
use super::{CONTEXT_FILES, ContextFile, LEVELS_IN_SUMMARY, MAX_FILE, parse};
use crate::error::{Error, ErrorKind};
use crate::repo::{Asker, FileText, Kind, Refusal, Repo, RepoPath, resolve};
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};
use crate::tokens::Counter;

/// How many folders above the first one are searched.
const MAX_PARENTS: usize = 5;

/// The most files of the directory that are read.
const MAX_FILES: usize = 500;

/// A context directory.
pub(super) struct Directory<'a> {
    repo: &'a Repo,
    /// The directory, by the name that was looked for.
    name: RepoPath,
    /// Where it is once links are followed.
    pub(super) folder: RepoPath,
}

impl Directory<'_> {
    pub(super) fn of<'a>(
        repo: &'a Repo,
        name: &RepoPath,
        notes: &mut Vec<Note>,
    ) -> Option<Directory<'a>> {
        let why = match repo.kind(name) {
            Kind::Folder(_) => match repo.admit_folder(name, Asker::Repository) {
                Ok(folder) => {
                    let name = name.clone();
                    return Some(Directory { repo, name, folder });
                }
                Err(refusal) => refusal.to_string(),
            },
            Kind::Outside => "it is a link out of its folder".to_owned(),
            _ => return None,
        };
        let shown = quoted(name.as_str());
        let message = format!("`{shown}` is not followed: {why}");
        notes.push(Note::new(NoteKind::Skipped, message).on(name.as_str()));
        None
    }

    /// Returns the path of a file of the directory as warnings show it.
    fn shown(&self, file: &str) -> String {
        self.name.entry(file).to_string()
    }

    /// Returns where a file of the directory is.
    pub(super) fn full(&self, file: &str) -> PathBuf {
        self.repo.root().join(self.name.as_str()).join(file)
    }

    /// Returns the names of the Markdown files, the most important first.
    pub(super) fn files(&self, priority: &[String], notes: &mut Vec<Note>) -> Vec<String> {
        let mut names = self.repo.try_names(&self.folder).unwrap_or_else(|why| {
            let shown = quoted(self.name.as_str());
            let message = format!("cannot list the folder `{shown}`: {why}");
            notes.push(Note::new(NoteKind::Unreadable, message).on(self.name.as_str()));
            Vec::new()
        });
        names.retain(|name| name.len() > 3 && name.ends_with(".md"));
        let order: Vec<&str> = in_order(priority).collect();
        // Stable: those without a rank stay in the order of their names.
        names.sort_by_key(|name| {
            let place = order.iter().position(|known| *known == stem(name));
            place.unwrap_or(order.len())
        });
        if names.len() > MAX_FILES {
            let more = counted(names.len() - MAX_FILES, "file");
            let message = format!(
                "{more} of `{}` over {MAX_FILES} left out",
                quoted(self.name.as_str())
            );
            notes.push(Note::new(NoteKind::Skipped, message).on(self.name.as_str()));
            names.truncate(MAX_FILES);
        }
        names
    }

    /// Returns the chapter of a file that came out of the cache, where it is not cut into blocks.
    pub(super) fn cut_again(&self, file: &ContextFile) -> Chapter {
        let source = self.shown(&format!("{}.md", file.name));
        let (front, _, _) = parse::front_matter(&file.content, &source);
        let outline = Outline::of(&file.content, front);
        let title = &file.parsed.title;
        chapter_of(&file.name, title, source, &outline, LEVELS_IN_SUMMARY)
    }

    /// Reads and parses a file; returns `None`, with a note, for one that leads out of the
    /// directory or cannot be read.
    pub(super) fn load(
        &self,
        name: &str,
        tokenizer: Counter,
        levels: usize,
        left: &mut Left,
        cache: Option<&Cache>,
        notes: &mut Vec<Note>,
    ) -> Option<(ContextFile, Option<Chapter>)> {
        let path = self.folder.entry(name);
        let told = self.shown(name);
        let mut refuse = |kind, why: String| {
            let message = format!("`{}` is left out: {why}", quoted(&told));
            notes.push(Note::new(kind, message).on(told.clone()));
        };
        let outside = "it is a link out of the directory";
        match self.repo.kind(&path) {
            Kind::File(real) if real.is_below(self.folder.as_str()) => {}
            Kind::File(_) | Kind::Outside => {
                refuse(NoteKind::Skipped, outside.into());
                return None;
            }
            _ => {}
        }
        // Before the cache is asked, which knows nothing of who may read what.
        let file = match self.repo.admit(&path, Asker::Repository) {
            Ok(file) => file,
            Err(refusal) => {
                refuse(kind_of(&refusal), refusal.to_string());
                return None;
            }
        };
        let (most, is_ample) = (MAX_FILE.min(left.bytes), left.is_ample());
        let read = || self.repo.read(&file, most);
        let full = self.full(name);
        let parse = |file: FileText| {
            let (file, chapter) = parsed(full.clone(), &told, file, tokenizer, levels, left);
            (file, Some(chapter))
        };
        // What is kept of a file may not depend on the files before it.
        let loaded = match cache.filter(|_| is_ample) {
            Some(cache) => cache.file(&full, self.repo.stamp(&path), tokenizer, read, parse),
            None => read().map(parse),
        };
        match loaded {
            Ok((file, chapter)) => {
                left.bytes = left.bytes.saturating_sub(file.content.len() as u64);
                if chapter.is_none() {
                    // It was not parsed now, but before.
                    left.take_lines(&file.content);
                }
                Some((file, chapter))
            }
            Err(refusal) => {
                refuse(kind_of(&refusal), refusal.to_string());
                None
            }
        }
    }
}

pub(super) fn directory_name(name: &str) -> Result<RepoPath, Error> {
    let fail = |why: String| {
        let message = format!("`{}` cannot be a context directory: {why}", quoted(name));
        Error::say(ErrorKind::Request, message)
    };
    match RepoPath::parse(name) {
        Ok(path) if path.is_root() => Err(fail("it does not name a folder".into())),
        Ok(path) => Ok(path),
        Err(why) => Err(fail(why.to_string()).caused_by(why)),
    }
}

/// Finds the folder that holds the directory.
pub(super) fn find(
    root_dir: &Path,
    name: &RepoPath,
    notes: &mut Vec<Note>,
) -> Result<Option<Repo>, Error> {
    let root = Repo::open(resolve(Path::new(""), root_dir))?;
    let above: Vec<PathBuf> = root
        .root()
        .ancestors()
        .skip(1)
        .map(Path::to_owned)
        .collect();
    let mut folder = Some(root);
    let mut above = above.into_iter().take(MAX_PARENTS);
    while let Some(here) = folder {
        if Directory::of(&here, name, notes).is_some() {
            return Ok(Some(here));
        }
        if here.root().join(".git").exists() {
            break;
        }
        // A folder that may not be opened holds nothing for us.
        folder = above.by_ref().find_map(|path| Repo::open(path).ok());
    }
    Ok(None)
}

fn kind_of(refusal: &Refusal) -> NoteKind {
    match refusal {
        Refusal::Binary(_) | Refusal::TooLarge(_) | Refusal::Hidden(_) => NoteKind::Skipped,
        _ => NoteKind::Unreadable,
    }
}

/// Returns the expected names without their extension: the caller's, then all others.
pub(super) fn in_order(priority: &[String]) -> impl Iterator<Item = &str> {
    let wanted = priority.iter().map(|name| stem(name));
    let wanted = wanted.filter(|name| !name.is_empty());
    wanted.chain(CONTEXT_FILES.map(|(name, _)| name))
}

/// Returns a file's name without its extension.
fn stem(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}
