//! The `.context/` directory: a project's own memory in Markdown files.

mod assemble;
mod cache;
mod cut;
mod outline;
mod parse;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::assemble::{Chapter, assemble};
use self::outline::Outline;
pub use self::parse::{Item, ItemStatus, ParsedContent, ParsedSection};
use super::Desk;
use crate::context::warn_of_secrets;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::repo::{FileText, Kind, Refusal, Repo, RepoPath, read_anywhere, resolve};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::{counted, visible};
use crate::tokens::Tokenizer;

/// The directory's name unless the caller says otherwise.
pub const CONTEXT_DIR: &str = ".context";

/// The budget unless the caller says otherwise, in tokens.
pub const CONTEXT_BUDGET: usize = 8000;

/// The files that a directory is expected to have, the most important first, each
/// with its heading in the summary.
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

/// So many folders above the first one are searched.
const MAX_PARENTS: usize = 5;

/// So many files of the directory are read.
const MAX_FILES: usize = 500;

/// A larger file is left out, in bytes. Half of what other files may have: the blocks
/// of a hostile file take sixty times the memory of its text.
const MAX_FILE: u64 = 512 * 1024;

/// All files together are read up to this many bytes.
const MAX_TOTAL: u64 = 4 * 1024 * 1024;

/// In the summary a file stands under a heading of the second level.
const LEVELS_IN_SUMMARY: usize = 2;

/// In a prompt a file stands under a heading of the third level.
const LEVELS_IN_PROMPT: usize = 3;

/// Where to look and how much to take.
#[derive(Debug, Clone)]
pub struct LoaderOptions {
    /// Where the search starts; empty for the current folder.
    pub root_dir: PathBuf,
    /// The directory's name.
    pub context_dir: String,
    /// The tokens of the summary.
    pub token_budget: usize,
    /// Names of files, the most important first, with or without `.md`; what is not
    /// named follows in the order of [`CONTEXT_FILES`], then by name. Empty for that
    /// order alone.
    pub priority_order: Vec<String>,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// A folder for what was parsed, so that it need not be parsed again. Off unless
    /// there is one.
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
    /// The expected files that are not there, the most important first.
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

/// Loads the context directory nearest to `root_dir`: there or in one of five folders
/// above, but not above one that holds `.git`.
///
/// Without a directory everything is empty, and `missing` names every expected file.
///
/// # Errors
///
/// [`ErrorKind::Repository`] when there is no `root_dir`; [`ErrorKind::Request`] for a
/// `context_dir` that is no name inside it, and for a tokenizer that this build lacks.
pub fn load_context(options: &LoaderOptions) -> Result<LoadedContext, Error> {
    options.tokenizer.available("the options")?;
    let mut notes = Vec::new();
    let name = directory_name(&options.context_dir)?;
    let repo = find(&options.root_dir, &name, &mut notes)?;
    let Some(place) = repo
        .as_ref()
        .and_then(|repo| Place::of(repo, &name, &mut notes))
    else {
        return Ok(LoadedContext {
            missing: missing(&[]),
            warnings: notes,
            ..LoadedContext::default()
        });
    };
    let cache = options.cache.as_deref().map(cache::Cache::new);
    let names = place.files(&options.priority_order, &mut notes);
    let mut loaded = Vec::new();
    let mut left = Left {
        bytes: MAX_TOTAL,
        parts: parse::MAX_PARTS,
    };
    for name in &names {
        loaded.extend(place.load(
            name,
            options.tokenizer,
            LEVELS_IN_SUMMARY,
            &mut left,
            cache.as_ref(),
            &mut notes,
        ));
    }
    let (files, chapters): (Vec<ContextFile>, Vec<Option<Chapter>>) = loaded.into_iter().unzip();
    let assemble = || {
        let made = files.iter().zip(chapters).map(|(file, chapter)| {
            // What came out of the cache was not cut into blocks.
            chapter.unwrap_or_else(|| {
                let source = place.shown(&format!("{}.md", file.name));
                let (front, _, _) = parse::front_matter(&file.content, &source);
                let outline = Outline::of(&file.content, front);
                chapter_of(
                    &file.name,
                    &file.parsed.title,
                    source,
                    &outline,
                    LEVELS_IN_SUMMARY,
                )
            })
        });
        let chapters: Vec<Chapter> = made.collect();
        assemble(&chapters, options.token_budget, options.tokenizer)
    };
    let assembled = match &cache {
        Some(cache) => cache.summary(&place.full(""), &files, options, assemble),
        None => assemble(),
    };
    let token_count = options.tokenizer.count(&assembled.text);
    notes.extend(files.iter().flat_map(|file| file.warnings.clone()));
    notes.extend(assembled.notes);
    notes.extend(cache.and_then(|cache| cache.note()));
    Ok(LoadedContext {
        missing: missing(&files),
        files,
        summary: assembled.text,
        token_count,
        truncated: assembled.truncated,
        warnings: notes,
    })
}

/// Does what [`load_context`] does with files that have these names and texts.
#[cfg(fuzzing)]
pub(crate) fn load_texts(files: &[(&str, &str)], budget: usize) -> LoadedContext {
    let mut parts = parse::MAX_PARTS;
    let (tokenizer, levels) = (Tokenizer::Chars, LEVELS_IN_SUMMARY);
    let (files, chapters): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|(name, text)| {
            let shown = format!("{name}.md");
            let file = FileText {
                text: (*text).to_owned(),
                replaced: false,
                bytes: text.len() as u64,
            };
            let path = PathBuf::from(&shown);
            parsed(path, &shown, file, tokenizer, levels, &mut parts)
        })
        .unzip();
    let assembled = assemble(&chapters, budget, tokenizer);
    LoadedContext {
        missing: missing(&files),
        files,
        token_count: tokenizer.count(&assembled.text),
        summary: assembled.text,
        truncated: assembled.truncated,
        warnings: assembled.notes,
    }
}

/// Loads one Markdown file.
///
/// Any text gives a result; what is wrong with it is told by its warnings. Tokens are
/// estimated.
///
/// # Errors
///
/// [`ErrorKind::File`] when it cannot be read, is binary, or has more than 512 KiB.
pub fn load_context_file(path: impl AsRef<Path>) -> Result<ContextFile, Error> {
    let path = path.as_ref();
    let file = read_anywhere(path, MAX_FILE).map_err(|refusal| {
        let message = format!("cannot read `{}`: {refusal}", crate::show::path(path));
        Error::new(ErrorKind::File, Diagnostic::error(message))
    })?;
    let shown = path.to_string_lossy();
    let mut parts = parse::MAX_PARTS;
    let (file, _) = parsed(
        path.to_owned(),
        &shown,
        file,
        Tokenizer::Chars,
        0,
        &mut parts,
    );
    Ok(file)
}

/// Whether [`load_context`] would find a directory.
pub fn has_context(root_dir: impl AsRef<Path>) -> bool {
    let found = directory_name(CONTEXT_DIR)
        .and_then(|name| find(root_dir.as_ref(), &name, &mut Vec::new()));
    matches!(found, Ok(Some(_)))
}

/// The section of a role: a piece for each file, the most important first.
pub(super) fn section(desk: &mut Desk<'_>) -> Section {
    let mut section = Section::new(Key::ProjectContext, Vec::new());
    let Ok(name) = RepoPath::parse(CONTEXT_DIR) else {
        return section;
    };
    let Some(place) = Place::of(desk.repo, &name, &mut section.notes) else {
        let message = format!("there is no folder `{CONTEXT_DIR}` at the root");
        section.notes.push(Note::new(NoteKind::Reason, message));
        return section;
    };
    // Items are not shown in a prompt.
    let bytes = desk.left.min(MAX_TOTAL);
    let mut left = Left { bytes, parts: 0 };
    for name in place.files(&[], &mut section.notes) {
        let path = place.folder.entry(&name);
        if desk.placed.contains_key(&path) || desk.exclusion.excludes(&path) {
            continue;
        }
        let (tokenizer, levels) = (Tokenizer::Chars, LEVELS_IN_PROMPT);
        let notes = &mut section.notes;
        let loaded = place.load(&name, tokenizer, levels, &mut left, None, notes);
        let Some((mut file, Some(chapter))) = loaded else {
            continue;
        };
        desk.placed.insert(path, Key::ProjectContext);
        // Secrets are looked for in what is written in the end.
        file.warnings.retain(|note| note.kind != NoteKind::Secret);
        section.notes.append(&mut file.warnings);
        let mut piece = Piece::file(chapter.source, Body::Prose(chapter.body));
        piece.spare = chapter.cuts;
        section.pieces.push(piece);
    }
    desk.left -= bytes - left.bytes;
    section
}

/// How much may still be read and told.
struct Left {
    bytes: u64,
    parts: usize,
}

/// A context directory.
struct Place<'a> {
    repo: &'a Repo,
    /// The directory by the name that it was looked for.
    name: RepoPath,
    /// Where it lies once links are followed.
    folder: RepoPath,
}

fn directory_name(name: &str) -> Result<RepoPath, Error> {
    let fail = |why: String| {
        let message = format!("`{}` cannot be a context directory: {why}", visible(name));
        Error::new(ErrorKind::Request, Diagnostic::error(message))
    };
    match RepoPath::parse(name) {
        Ok(path) if path.is_root() => Err(fail("it names no folder".into())),
        Ok(path) => Ok(path),
        Err(why) => Err(fail(why.to_string())),
    }
}

/// The folder that holds the directory.
fn find(root_dir: &Path, name: &RepoPath, notes: &mut Vec<Note>) -> Result<Option<Repo>, Error> {
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
        if Place::of(&here, name, notes).is_some() {
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

impl Place<'_> {
    fn of<'a>(repo: &'a Repo, name: &RepoPath, notes: &mut Vec<Note>) -> Option<Place<'a>> {
        match repo.kind(name) {
            Kind::Folder(folder) => Some(Place {
                repo,
                name: name.clone(),
                folder,
            }),
            Kind::Outside => {
                let shown = visible(name.as_str());
                let message = format!("`{shown}` is not followed: it is a link out of its folder");
                notes.push(Note::new(NoteKind::Skipped, message).on(name.as_str()));
                None
            }
            _ => None,
        }
    }

    /// A file of the directory as it is told.
    fn shown(&self, file: &str) -> String {
        self.name.entry(file).to_string()
    }

    /// Where a file of the directory is.
    fn full(&self, file: &str) -> PathBuf {
        self.repo.root().join(self.name.as_str()).join(file)
    }

    /// The names of the Markdown files, the most important first.
    fn files(&self, priority: &[String], notes: &mut Vec<Note>) -> Vec<String> {
        let mut names = self.repo.names(&self.folder);
        names.retain(|name| name.len() > 3 && name.ends_with(".md"));
        let wanted = priority.iter().map(|name| stem(name));
        let order: Vec<&str> = wanted.chain(CONTEXT_FILES.map(|(name, _)| name)).collect();
        // Stable: those without a rank stay in the order of their names.
        names.sort_by_key(|name| {
            let place = order.iter().position(|known| *known == stem(name));
            place.unwrap_or(order.len())
        });
        if names.len() > MAX_FILES {
            let more = counted(names.len() - MAX_FILES, "file");
            let message = format!(
                "{more} of `{}` over {MAX_FILES} left out",
                visible(self.name.as_str())
            );
            notes.push(Note::new(NoteKind::Skipped, message).on(self.name.as_str()));
            names.truncate(MAX_FILES);
        }
        names
    }

    /// Reads and parses a file; `None`, with a note, for one that leads out of the
    /// directory or cannot be read.
    fn load(
        &self,
        name: &str,
        tokenizer: Tokenizer,
        levels: usize,
        left: &mut Left,
        cache: Option<&cache::Cache>,
        notes: &mut Vec<Note>,
    ) -> Option<(ContextFile, Option<Chapter>)> {
        let path = self.folder.entry(name);
        let told = self.shown(name);
        let mut refuse = |kind, why: String| {
            let message = format!("`{}` is left out: {why}", visible(&told));
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
        let read = || self.repo.read(&path, MAX_FILE.min(left.bytes));
        let full = self.full(name);
        let parse = |file: FileText| {
            let parts = &mut left.parts;
            let (file, chapter) = parsed(full.clone(), &told, file, tokenizer, levels, parts);
            (file, Some(chapter))
        };
        let loaded = match cache {
            Some(cache) => cache.file(&full, self.repo.stamp(&path), tokenizer, read, parse),
            None => read().map(parse),
        };
        match loaded {
            Ok((file, chapter)) => {
                left.bytes = left.bytes.saturating_sub(file.content.len() as u64);
                Some((file, chapter))
            }
            Err(refusal) => {
                let kind = match refusal {
                    Refusal::Binary(_) | Refusal::TooLarge(_) => NoteKind::Skipped,
                    _ => NoteKind::Unreadable,
                };
                refuse(kind, refusal.to_string());
                None
            }
        }
    }
}

/// Parses a file's text. `shown` is how warnings and the chapter name it; in the
/// chapter headings are so many levels deeper.
fn parsed(
    path: PathBuf,
    shown: &str,
    file: FileText,
    tokenizer: Tokenizer,
    levels: usize,
    parts: &mut usize,
) -> (ContextFile, Chapter) {
    let file = with_line_feeds(file);
    let (front, metadata, mut warnings) = parse::front_matter(&file.text, shown);
    if file.replaced {
        warnings.push(Note::replaced(shown));
    }
    warnings.extend(warn_of_secrets(&file.text, "", Some(shown), None));
    let outline = Outline::of(&file.text, front);
    let wanted = *parts > 0;
    let parsed = parse::structure(&outline, metadata, parts);
    if wanted && *parts == 0 {
        let most = parse::MAX_PARTS;
        let message = format!(
            "`{}`: only the first {most} sections and items of all files are parsed",
            visible(shown)
        );
        warnings.push(Note::new(NoteKind::Skipped, message).on(shown));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let chapter = chapter_of(&name, &parsed.title, shown.to_owned(), &outline, levels);
    let file = ContextFile {
        name: name.into_owned(),
        path,
        parsed,
        token_count: tokenizer.count(&file.text),
        content: file.text,
        warnings,
    };
    (file, chapter)
}

/// Carriage returns alone are line ends too, in Markdown; here they become line feeds.
fn with_line_feeds(file: FileText) -> FileText {
    let is_alone = |text: &str| text.replace("\r\n", "").contains('\r');
    if !file.text.contains('\r') || !is_alone(&file.text) {
        return file;
    }
    let text = file.text.replace("\r\n", "\n").replace('\r', "\n");
    FileText { text, ..file }
}

/// A file as it is written below a heading of ours.
fn chapter_of(
    name: &str,
    title: &str,
    source: String,
    outline: &Outline<'_>,
    levels: usize,
) -> Chapter {
    let known = CONTEXT_FILES.iter().find(|(known, _)| *known == name);
    let title = Some(title).filter(|title| !title.is_empty());
    let heading = known.map(|(_, heading)| *heading).or(title);
    Chapter {
        name: name.to_owned(),
        heading: heading.unwrap_or(name).to_owned(),
        source,
        body: cut::moved(outline, levels),
        cuts: cut::order(outline, name),
    }
}

/// A file's name without its extension.
fn stem(name: &str) -> &str {
    name.strip_suffix(".md").unwrap_or(name)
}

/// The expected files that are not among these.
fn missing(files: &[ContextFile]) -> Vec<String> {
    CONTEXT_FILES
        .iter()
        .filter(|(name, _)| !files.iter().any(|file| file.name == *name))
        .map(|(name, _)| format!("{name}.md"))
        .collect()
}
