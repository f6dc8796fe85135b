//! Ready contexts for four kinds of workers: what each needs, as plain data.
//!
//! A builder never fails for what is missing: it returns empty values, a warning, and
//! figures that tell what is there.

mod fix;
mod implementation;
mod issue;
mod review;
mod validation;

use std::collections::HashSet;
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

use serde::{Serialize, Serializer};

pub use self::fix::{FixContext, build_fix_context};
pub use self::implementation::{ImplementationContext, TaskFile, build_implementation_context};
#[cfg(fuzzing)]
pub(crate) use self::issue::mentioned;
pub use self::issue::{Issue, IssueContext, build_issue_context};
pub use self::review::{ReviewContext, ReviewStats, build_review_context};
pub use self::validation::{Validation, ValidationError};
use crate::budget::{self, Cut, MIN_SECTION_TOKENS, Marked, SLIVER, fit_with};
use crate::context::warn_of_secrets;
use crate::error::Error;
use crate::metadata::{Extent, Metadata};
use crate::repo::{
    Commit, FileText, Git, Kind, Refusal, Repo, RepoPath, read_anywhere, relative, resolve,
};
use crate::section::{Note, NoteKind};
use crate::show::{counted, visible};
use crate::source::MAX_TOTAL;
use crate::tokens::Tokenizer;
use crate::truncate::{Kept, MAX_LINE, cut_long_lines};

/// A file of fewer lines than this is shown whole.
pub const WHOLE_FILE_LINES: usize = 500;

/// Conventions have at most so many lines.
pub const MAX_CONVENTION_LINES: usize = 1000;

/// Of any file at most so many lines are shown.
pub const MAX_FILE_LINES: usize = 50_000;

/// A larger file is not read, in bytes: about what [`MAX_FILE_LINES`] lines have.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// So many ends of a path from another machine are looked up.
const MAX_ENDS: usize = 32;

/// The names of a repository's conventions, the first found wins.
const CONVENTIONS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// A repository and the folder in it that somebody works in.
pub struct Workspace {
    repo: Repo,
    folder: RepoPath,
    conventions: Option<PathBuf>,
}

impl Workspace {
    /// Opens the repository at `root`, which need not be a git repository.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Repository`](crate::ErrorKind::Repository) when there is no such
    /// folder.
    pub fn open(root: impl AsRef<Path>) -> Result<Workspace, Error> {
        Ok(Workspace {
            repo: Repo::open(root)?,
            folder: RepoPath::root(),
            conventions: None,
        })
    }

    /// Says in which folder of the repository the work is done: conventions are looked
    /// for there first, and paths may be relative to it. One outside is ignored.
    pub fn working_folder(mut self, folder: impl AsRef<Path>) -> Workspace {
        let folder = resolve(Path::new(""), folder.as_ref());
        if let Some(path) = folder.to_str().and_then(|text| self.repo.path(text).ok())
            && let Kind::Folder(real) = self.repo.kind(&path)
        {
            self.folder = real;
        }
        self
    }

    /// Names a file of conventions, which wins over those of the repository. It may lie
    /// anywhere.
    pub fn conventions(mut self, path: impl AsRef<Path>) -> Workspace {
        self.conventions = Some(path.as_ref().to_owned());
        self
    }

    /// The path from the root that somebody means: relative to the root or the working
    /// folder, or absolute.
    fn find(&self, given: &str) -> Option<RepoPath> {
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
}

impl Workspace {
    /// The path of a file that a check names. One that ran elsewhere, in a container
    /// for example, names files by another root: the longest end of its path that is a
    /// file here, of at least two parts, is taken for it.
    fn find_reported(&self, given: &str) -> Option<RepoPath> {
        if let Some(path) = self.find(given) {
            return Some(path);
        }
        if !Path::new(given).is_absolute() {
            return None;
        }
        let mut ends: Vec<&str> = given
            .rmatch_indices('/')
            .map(|(at, _)| &given[at + 1..])
            .filter(|end| end.contains('/'))
            .take(MAX_ENDS)
            .collect();
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let path = RepoPath::parse(end).ok()?;
            matches!(self.repo.kind(&path), Kind::File(_)).then_some(path)
        })
    }
}

/// What a builder gathered, with what is to be known of it.
///
/// It serialises to the keys of its data and `_metadata`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Built<T> {
    /// The data.
    #[serde(flatten)]
    pub data: T,
    /// What was cut and what is missing.
    #[serde(rename = "_metadata")]
    pub metadata: Metadata,
    /// What the caller should know.
    #[serde(skip)]
    pub warnings: Vec<Note>,
    #[serde(skip)]
    texts: Vec<Text>,
}

impl<T> Deref for Built<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

/// Data whose texts can be cut.
pub trait Texts {
    /// The texts, in the order in which they were gathered.
    fn texts(&mut self) -> Vec<&mut String>;
}

impl<T: Texts> Built<T> {
    /// Makes the texts fit a budget in proportion to their size, as
    /// [`fit_to_budget`](crate::shorten::fit_to_budget) does. Names, figures and commits are no
    /// texts.
    ///
    /// Of a file with errors or changes the lines around them stay, as many as fit; of
    /// any other text the first ones.
    pub fn fit(mut self, budget: usize, tokenizer: Tokenizer) -> Built<T> {
        let mut own = self.data.texts();
        let texts: Vec<&str> = own.iter().map(|text| text.as_str()).collect();
        let about = &self.texts;
        let fitted = fit_with(
            &texts,
            budget,
            MIN_SECTION_TOKENS,
            tokenizer,
            |index, tokens| about[index].cut(texts[index], tokens, tokenizer),
        );
        for (index, fitted) in fitted.into_iter().enumerate() {
            if let Some((text, shorter)) = fitted {
                *own[index] = text;
                self.texts[index].take(shorter);
            }
        }
        self.metadata.update(&self.texts);
        self
    }
}

/// What is left of a text.
enum Shorter {
    /// Some lines of it.
    Lines(Kept),
    /// Its beginning.
    Beginning(Cut),
}

impl Marked for Shorter {
    fn is_marked(&self) -> bool {
        match self {
            Shorter::Lines(_) => true,
            Shorter::Beginning(cut) => cut.marked,
        }
    }
}

/// What is known of a text.
#[derive(Debug, Clone)]
struct Text {
    extent: Extent,
    kept: Kept,
}

impl Text {
    /// Cuts the text as it is written to so many tokens.
    fn cut(&self, written: &str, tokens: usize, tokenizer: Tokenizer) -> (String, Shorter) {
        let fits = |kept: &Kept| tokenizer.count(&self.kept.rewrite(written, kept)) <= tokens;
        match self.kept.narrowed(fits) {
            Some(kept) => (self.kept.rewrite(written, &kept), Shorter::Lines(kept)),
            None => {
                let (text, cut) = budget::cut(written, tokens, tokenizer);
                (text, Shorter::Beginning(cut))
            }
        }
    }

    /// Takes note that only this is left of the text as it was written.
    fn take(&mut self, shorter: Shorter) {
        match shorter {
            Shorter::Lines(kept) => {
                self.extent.kept_lines = kept.count();
                self.extent.severe |= kept.count() < SLIVER;
                self.kept = kept;
            }
            Shorter::Beginning(cut) => {
                let last = cut.last_line && self.kept.ends_whole();
                self.extent.kept_lines = self.kept.among_first(cut.first_lines) + usize::from(last);
                self.extent.line_cut = true;
                self.extent.severe |= cut.severe;
            }
        }
    }
}

impl Metadata {
    /// Counts anew, after texts were cut.
    fn update(&mut self, texts: &[Text]) {
        let extents: Vec<Extent> = texts.iter().map(|text| text.extent.clone()).collect();
        *self = Metadata {
            skipped_binary: std::mem::take(&mut self.skipped_binary),
            missing: std::mem::take(&mut self.missing),
            ..Metadata::of(&extents)
        };
    }
}

/// Files with their texts, in order, each path once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(pub Vec<(String, String)>);

impl Files {
    /// The text of the file at this path.
    pub fn get(&self, path: &str) -> Option<&str> {
        let file = self.0.iter().find(|(have, _)| have == path);
        file.map(|(_, text)| text.as_str())
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.0.iter_mut().map(|(_, text)| text)
    }
}

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(path, text)| (path, text)))
    }
}

/// Gathers texts and keeps account of them.
struct Gathering<'a> {
    workspace: &'a Workspace,
    texts: Vec<Text>,
    skipped_binary: Vec<String>,
    missing: Vec<String>,
    notes: Vec<Note>,
    /// The files that were taken.
    taken: HashSet<String>,
    /// Files that were not read because the others have enough text already.
    beyond: usize,
    /// Bytes of files that may still be shown.
    left: u64,
}

impl<'a> Gathering<'a> {
    fn new(workspace: &'a Workspace) -> Gathering<'a> {
        Gathering {
            workspace,
            texts: Vec::new(),
            skipped_binary: Vec::new(),
            missing: Vec::new(),
            notes: Vec::new(),
            taken: HashSet::new(),
            beyond: 0,
            left: MAX_TOTAL,
        }
    }

    fn finish<T>(mut self, data: T) -> Built<T> {
        if self.beyond > 0 {
            let files = counted(self.beyond, "file");
            let message = format!(
                "{files} left out: the texts have {MAX_TOTAL} bytes already, which is the limit"
            );
            self.warn(NoteKind::Skipped, message);
        }
        let mut metadata = Metadata {
            skipped_binary: self.skipped_binary,
            missing: self.missing,
            ..Metadata::default()
        };
        metadata.update(&self.texts);
        Built {
            data,
            metadata,
            warnings: self.notes,
            texts: self.texts,
        }
    }

    fn warn(&mut self, kind: NoteKind, message: impl Into<String>) {
        self.notes.push(Note::new(kind, message));
    }

    /// Takes a text with those of its lines that `keep` chooses, given their number.
    /// `source` is what a warning calls it.
    fn text(
        &mut self,
        section: &str,
        path: Option<&str>,
        source: &str,
        text: &str,
        keep: impl FnOnce(usize) -> Kept,
    ) -> String {
        let kept = keep(text.lines().count());
        self.notes
            .extend(warn_of_secrets(text, source, path, Some(&kept.lines)));
        let written = kept.write(text);
        let (written, cut) = cut_long_lines(&written, MAX_LINE);
        self.texts.push(Text {
            extent: Extent {
                section: section.to_owned(),
                path: path.map(str::to_owned),
                original_lines: kept.total,
                kept_lines: kept.count(),
                line_cut: cut > 0,
                severe: kept.count() == 0 && kept.total > 0,
            },
            kept,
        });
        written.into_owned()
    }

    /// Takes note that not all of the last text is there.
    fn cut_last(&mut self) {
        if let Some(text) = self.texts.last_mut() {
            text.extent.line_cut = true;
        }
    }

    /// Takes a file into `files`, with those of its lines that `keep` chooses. A binary
    /// file is listed; one that cannot be had is empty, and listed too.
    fn file(
        &mut self,
        files: &mut Files,
        section: &str,
        path: &str,
        read: impl FnOnce(u64) -> Result<FileText, Refusal>,
        keep: impl FnOnce(usize) -> Kept,
    ) {
        if !self.taken.insert(path.to_owned()) {
            return;
        }
        if self.left == 0 {
            self.beyond += 1;
            self.missing.push(path.to_owned());
            return;
        }
        let shown = visible(path).into_owned();
        let result = read(MAX_FILE);
        let text = match result {
            Ok(file) => {
                if file.replaced {
                    self.notes.push(Note::replaced(path));
                }
                let text = self.text(section, Some(path), "", &file.text, keep);
                self.left = self.left.saturating_sub(text.len() as u64);
                text
            }
            Err(Refusal::Binary(_)) => {
                self.skipped_binary.push(path.to_owned());
                return;
            }
            Err(refusal) => {
                let message = format!("cannot read `{shown}`: {refusal}");
                self.notes
                    .push(Note::new(NoteKind::Unreadable, message).on(path));
                self.missing.push(path.to_owned());
                self.text(section, None, "", "", Kept::all)
            }
        };
        files.0.push((path.to_owned(), text));
    }

    /// Reads a file of the repository, but not through a link to a hidden one.
    fn read(&self, path: &RepoPath, limit: u64) -> Result<FileText, Refusal> {
        self.workspace.repo.read_visible(path, limit)
    }

    /// The conventions: the file that the caller names, else the nearest `CLAUDE.md` or
    /// `AGENTS.md` from the working folder up to the root.
    fn conventions(&mut self) -> String {
        if let Some(given) = &self.workspace.conventions {
            let full = resolve(
                &self
                    .workspace
                    .repo
                    .root()
                    .join(self.workspace.folder.as_str()),
                given,
            );
            let full = if full.exists() {
                full
            } else {
                resolve(Path::new(""), given)
            };
            let path = relative(self.workspace.repo.root(), &full);
            match read_anywhere(&full, MAX_FILE) {
                Ok(file) => return self.take_conventions(&path, &file),
                Err(refusal) => self.no_conventions(&given.to_string_lossy(), &refusal),
            }
        }
        let mut folders: Vec<RepoPath> = self
            .workspace
            .folder
            .ancestors()
            .filter_map(|folder| RepoPath::parse(folder).ok())
            .collect();
        folders.push(RepoPath::root());
        for folder in &folders {
            for name in CONVENTIONS {
                let path = folder.entry(name);
                match self.read(&path, MAX_FILE) {
                    Ok(file) => return self.take_conventions(path.as_str(), &file),
                    Err(Refusal::Missing) => {}
                    Err(refusal) => self.no_conventions(path.as_str(), &refusal),
                }
            }
        }
        self.text("conventions", None, "", "", Kept::all)
    }

    fn take_conventions(&mut self, path: &str, file: &FileText) -> String {
        if file.replaced {
            self.notes.push(Note::replaced(path));
        }
        self.text("conventions", Some(path), "", &file.text, |total| {
            Kept::choose(total, MAX_CONVENTION_LINES, &[], 0)
        })
    }

    fn no_conventions(&mut self, path: &str, refusal: &Refusal) {
        let message = format!("no conventions from `{}`: {refusal}", visible(path));
        self.notes
            .push(Note::new(NoteKind::Unreadable, message).on(path));
        self.missing.push(path.to_owned());
    }

    /// Git, or a warning that says why it cannot be asked.
    fn git(&mut self) -> Option<&'a Git> {
        match self.workspace.repo.git() {
            Ok(git) => Some(git),
            Err(why) => {
                self.warn(NoteKind::Git, why);
                None
            }
        }
    }

    fn recent_commits(&mut self, git: Option<&Git>, count: usize) -> Vec<Commit> {
        let commits = match git.map(|git| git.recent_commits(count)) {
            None => return Vec::new(),
            Some(Ok(commits)) => commits,
            Some(Err(why)) => {
                self.warn(NoteKind::Git, why);
                return Vec::new();
            }
        };
        if commits.is_empty() {
            self.warn(NoteKind::Git, "there are no commits yet");
        }
        for commit in &commits {
            let source = format!("the message of commit {}", commit.hash);
            self.notes
                .extend(warn_of_secrets(&commit.message, &source, None, None));
        }
        commits
    }
}
