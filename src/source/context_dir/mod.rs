//! The `.context/` directory: a project's own memory in Markdown files.

mod assemble;
mod cache;
mod cut;
mod directory;
mod excerpt;
mod file;
pub(super) mod outline;
mod parse;
mod plain;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::assemble::{Chapter, assemble};
use self::cut::Cut;
use self::directory::{Directory, directory_name, find};
use self::file::{Left, parsed};
pub use self::parse::{Item, ItemStatus, ParsedContent, ParsedSection};
use super::Gathering;
use super::files::Placed;
use crate::error::Error;
use crate::repo::{RepoPath, cannot_read, read_anywhere};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::quoted;
use crate::tokens::{Counter, Tokenizer};

/// The default name of the directory.
pub const CONTEXT_DIR: &str = ".context";

/// The default budget, in tokens.
pub const CONTEXT_BUDGET: usize = 8000;

/// The files that a directory is expected to have, the most important first, each with its heading
/// in the summary.
pub const CONTEXT_FILES: [(&str, &str); 10] = [
    ("CONSTITUTION", "Constitution"),
    ("TASKS", "Current Tasks"),
    ("DECISIONS", "Key Decisions"),
    ("CONVENTIONS", "Conventions"),
    ("ARCHITECTURE", "Architecture Overview"),
    ("GLOSSARY", "Glossary"),
    ("LEARNINGS", "Recent Learnings"),
    ("DEPENDENCIES", "Dependencies"),
    ("DRIFT", "Drift"),
    ("AGENT_PLAYBOOK", "Agent Playbook"),
];

/// The largest file that is read, in bytes. It is half of the limit for other files, because the
/// blocks of a hostile file take sixty times the memory of its text.
const MAX_FILE: u64 = 512 * 1024;

/// The most bytes that all files together are read up to.
const MAX_TOTAL: u64 = 4 * 1024 * 1024;

/// In the summary, a file stands under a second-level heading.
const LEVELS_IN_SUMMARY: usize = 2;

/// In a prompt, a file stands under a third-level heading.
const LEVELS_IN_PROMPT: usize = 3;

/// Where to look and how much to take.
#[derive(Debug, Clone)]
pub struct LoaderOptions {
    /// Where the search starts; empty for the current folder.
    pub root_dir: PathBuf,
    /// The directory's name.
    pub context_dir: String,
    /// The token budget of the summary.
    pub token_budget: usize,
    /// Names of files, the most important first, with or without `.md`. Files not named here follow
    /// in the order of [`CONTEXT_FILES`], then by name. Empty for that order alone.
    pub priority_order: Vec<String>,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// A folder that keeps parsed content, so that it need not be parsed again. Without one,
    /// nothing is kept.
    pub cache: Option<PathBuf>,
}

impl Default for LoaderOptions {
    fn default() -> Self {
        LoaderOptions {
            root_dir: PathBuf::new(),
            context_dir: CONTEXT_DIR.into(),
            token_budget: CONTEXT_BUDGET,
            priority_order: Vec::new(),
            tokenizer: Tokenizer::default(),
            cache: None,
        }
    }
}

/// Everything that a context directory says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LoadedContext {
    /// The files, the most important first.
    pub files: Vec<ContextFile>,
    /// All of them as one Markdown text within the budget.
    pub summary: String,
    /// The tokens of the summary.
    pub token_count: usize,
    /// Whether anything had to be cut to fit.
    pub truncated: bool,
    /// The expected files that do not exist, the most important first: those that `priority_order`
    /// names, and those of [`CONTEXT_FILES`].
    pub missing: Vec<String>,
    /// What the caller should know.
    pub warnings: Vec<Note>,
}

/// A file of a context directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ContextFile {
    /// The file's name without its extension.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub content: String,
    /// What the text says.
    pub parsed: ParsedContent,
    /// The tokens of the text.
    pub token_count: usize,
    /// What happened while it was read and parsed.
    #[serde(skip)]
    pub warnings: Vec<Note>,
}

/// Loads the context directory nearest to `root_dir`: in that folder or in one of five folders
/// above, but not above one that holds `.git`.
///
/// Without a directory everything is empty, `missing` names every expected file, and a warning says
/// so. The search ends at a directory without Markdown files, too; then the warning names it.
///
/// # Errors
///
/// [`ErrorKind::Repository`](crate::ErrorKind::Repository) when `root_dir` does not exist;
/// [`ErrorKind::Request`](crate::ErrorKind::Request) for a `context_dir` that is not a name inside
/// it, and for a tokenizer that this build lacks.
pub fn load_context(options: &LoaderOptions) -> Result<LoadedContext, Error> {
    let counter = options.tokenizer.counter_of("the options")?;
    let mut notes = Vec::new();
    let name = directory_name(&options.context_dir)?;
    let repo = find(&options.root_dir, &name, &mut notes)?;
    let Some(place) = repo
        .as_ref()
        .and_then(|repo| Directory::of(repo, &name, &mut notes))
    else {
        let message = format!(
            "there is no `{}` folder with Markdown files here or in a folder above",
            quoted(&options.context_dir)
        );
        notes.push(Note::new(NoteKind::Skipped, message));
        return Ok(LoadedContext {
            missing: missing(&[], &options.priority_order),
            warnings: notes,
            ..LoadedContext::default()
        });
    };
    let cache = options.cache.as_deref().map(cache::Cache::new);
    let before = notes.len();
    let names = place.files(&options.priority_order, &mut notes);
    if names.is_empty() && notes.len() == before {
        let folder = place.full("");
        let folder = folder.to_string_lossy();
        let folder = quoted(folder.trim_end_matches(['/', '\\']));
        let message = format!("`{folder}` has no Markdown files, and no other folder is searched");
        notes.push(Note::new(NoteKind::Skipped, message));
    }
    let mut loaded = Vec::new();
    let mut left = Left::of(MAX_TOTAL);
    for name in &names {
        loaded.extend(place.load(
            name,
            counter,
            LEVELS_IN_SUMMARY,
            &mut left,
            cache.as_ref(),
            &mut notes,
        ));
    }
    let (files, chapters): (Vec<ContextFile>, Vec<Option<Chapter>>) = loaded.into_iter().unzip();
    let assemble = || {
        let made = files.iter().zip(chapters);
        let made = made.map(|(file, chapter)| chapter.unwrap_or_else(|| place.cut_again(file)));
        let chapters: Vec<Chapter> = made.collect();
        assemble(&chapters, options.token_budget, counter)
    };
    let assembled = match &cache {
        Some(cache) => cache.summary(&place.full(""), &files, options, assemble),
        None => assemble(),
    };
    let token_count = counter.count(&assembled.text);
    notes.extend(files.iter().flat_map(|file| file.warnings.clone()));
    notes.extend(assembled.notes);
    notes.extend(cache.and_then(|cache| cache.note()));
    Ok(LoadedContext {
        missing: missing(&files, &options.priority_order),
        files,
        summary: assembled.text,
        token_count,
        truncated: assembled.truncated,
        warnings: notes,
    })
}

/// Does what [`load_context`] does, for files with these names and texts.
#[cfg(fuzzing)]
pub(crate) fn load_texts(files: &[(&str, &str)], budget: usize) -> LoadedContext {
    let mut left = Left::of(MAX_TOTAL);
    let (tokenizer, levels) = (Counter::Chars, LEVELS_IN_SUMMARY);
    let (files, chapters): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|(name, text)| {
            let shown = format!("{name}.md");
            let file = crate::repo::FileText {
                text: (*text).to_owned(),
                marked: false,
                replaced: false,
                bytes: text.len() as u64,
            };
            let path = PathBuf::from(&shown);
            parsed(path, &shown, file, tokenizer, levels, &mut left)
        })
        .unzip();
    let assembled = assemble(&chapters, budget, tokenizer);
    LoadedContext {
        missing: missing(&files, &[]),
        files,
        token_count: tokenizer.count(&assembled.text),
        summary: assembled.text,
        truncated: assembled.truncated,
        warnings: assembled.notes,
    }
}

/// Loads one Markdown file.
///
/// Any text gives a result; its warnings say what is wrong with it. Tokens are estimated.
///
/// # Errors
///
/// [`ErrorKind::File`](crate::ErrorKind::File) when it cannot be read, is binary, or has more than
/// 512 KiB.
pub fn load_context_file(path: impl AsRef<Path>) -> Result<ContextFile, Error> {
    let path = path.as_ref();
    let file = read_anywhere(path, MAX_FILE)
        .map_err(|why| cannot_read(path, &why.to_string()).caused_by(why))?;
    let shown = path.to_string_lossy();
    let mut left = Left::of(MAX_FILE);
    let (file, _) = parsed(path.to_owned(), &shown, file, Counter::Chars, 0, &mut left);
    Ok(file)
}

/// Whether [`load_context`] would find a directory.
pub fn has_context(root_dir: impl AsRef<Path>) -> bool {
    let found = directory_name(CONTEXT_DIR)
        .and_then(|name| find(root_dir.as_ref(), &name, &mut Vec::new()));
    matches!(found, Ok(Some(_)))
}

/// Returns the section of a role: a piece for each file, the most important first.
pub(super) fn assembled(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let placer = &mut all.placer;
    let mut section = Section::new(Key::ProjectContext, Vec::new());
    let Ok(name) = RepoPath::parse(CONTEXT_DIR) else {
        return Ok(section);
    };
    let Some(place) = Directory::of(placer.repo, &name, &mut section.notes) else {
        let message = format!("there is no folder `{CONTEXT_DIR}` at the root");
        section.notes.push(Note::new(NoteKind::Reason, message));
        return Ok(section);
    };
    // Items are not shown in a prompt.
    let bytes = placer.left.min(MAX_TOTAL);
    let mut left = Left {
        parts: 0,
        ..Left::of(bytes)
    };
    for name in place.files(&[], &mut section.notes) {
        let path = place.folder.entry(&name);
        if placer.placed.contains_key(&path) || placer.exclusion.excludes(&path) {
            continue;
        }
        let (tokenizer, levels) = (Counter::Chars, LEVELS_IN_PROMPT);
        let notes = &mut section.notes;
        let loaded = place.load(&name, tokenizer, levels, &mut left, None, notes);
        let Some((mut file, Some(chapter))) = loaded else {
            continue;
        };
        let placed = Placed {
            key: Key::ProjectContext,
            name: path.clone(),
        };
        placer.placed.insert(path, placed);
        // Secrets and what does not show are looked for in what is written in the end.
        let is_found_again = |note: &Note| matches!(note.kind, NoteKind::Secret | NoteKind::Unseen);
        file.warnings.retain(|note| !is_found_again(note));
        section.notes.append(&mut file.warnings);
        let mut piece = Piece::file(chapter.source, Body::Prose(chapter.body));
        piece.spare = chapter.cuts.iter().flat_map(Cut::steps).collect();
        section.pieces.push(piece);
    }
    placer.left -= bytes - left.bytes;
    Ok(section)
}

/// Returns the expected files that are not among these.
fn missing(files: &[ContextFile], priority: &[String]) -> Vec<String> {
    let is_there = |name: &str| files.iter().any(|file| file.name == name);
    let mut seen = HashSet::new();
    let expected = directory::in_order(priority).filter(|name| seen.insert(*name));
    let missing = expected.filter(|name| !is_there(name));
    missing.map(|name| format!("{name}.md")).collect()
}
