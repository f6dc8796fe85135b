//! For a worker that fixes what a check found.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Serialize;

use super::endings::{Endings, stem_of_script};
use super::gathering::Gathering;
use super::place::with_slashes;
use super::{Built, Files, Texts, Validation, ValidationError, WHOLE_FILE_LINES, Workspace};
use crate::context::warnings_of;
use crate::repo::{Asker, Kind, Refusal, Repo, RepoPath};
use crate::section::NoteKind;
use crate::show::{counted, quoted};
use crate::truncate::KeptLines;

/// A file with errors and fewer lines than this is shown whole: that is little more than the
/// surroundings of one error.
const SHORT_FILE_LINES: usize = 100;

/// The most errors whose messages are warned about one by one; more are counted.
const MAX_WARNED: usize = 100;

/// What a worker that fixes errors needs.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct FixContext {
    /// What the checks found, with files by their path from the root.
    pub errors: Vec<ValidationError>,
    /// The files that were asked for.
    pub source_files: Files,
    /// How many errors there are: `3 errors in 2 files`.
    pub error_summary: String,
}

impl Texts for FixContext {
    fn texts(&mut self) -> Vec<&mut String> {
        self.source_files.texts().collect()
    }
}

/// Gathers what checks found, and these files around the lines where they found it; without files,
/// those that the errors name.
///
/// Ten lines before and after every error stay, however large the file is. Files of fewer than 100
/// lines are whole, and those without an error if they have fewer than 500, unless
/// [`Workspace::max_lines`] says otherwise. Paths are relative to the root or the working folder,
/// or absolute.
pub fn build_fix_context<S: AsRef<str>>(
    validation: &Validation,
    files: &[S],
    workspace: &Workspace,
) -> Built<FixContext> {
    let mut gathering = Gathering::new(workspace);
    gathering.notes.extend(validation.warnings.iter().cloned());
    let mut errors = validation.errors.clone();
    let lines = gathering.take_errors(&mut errors);
    let mut source_files = Files::default();
    let (asker, wanted): (Asker, Vec<String>) = match files {
        // What a check names may be anything, so what git ignores is not shown.
        [] => {
            let named = errors.iter().filter_map(|error| error.file.as_deref());
            let mut named: Vec<String> = named.map(str::to_owned).collect();
            let printed = errors.iter().filter(|error| !error.is_listed);
            let printed = printed.filter_map(|error| error.file.as_deref());
            named.extend(sources_of(printed, &workspace.repo));
            (Asker::Repository, gathering.not_hidden(named))
        }
        files => {
            let named = files.iter().map(|file| path_of(workspace, file.as_ref()));
            (Asker::Caller, named.collect())
        }
    };
    for path in &wanted {
        let lines: &[usize] = lines.get(path).map_or(&[], Vec::as_slice);
        let read = |limit| {
            let path = workspace
                .repo
                .path(path)
                .map_err(|why| Refusal::Unreadable(why.to_string()))?;
            workspace.repo.read_for(asker, &path, limit)
        };
        gathering.file(&mut source_files, "source_files", path, read, |total| {
            keep(total, lines, workspace)
        });
    }
    let counted = errors.iter().filter(|error| error.is_error());
    let error_summary = summary(counted, validation.failed);
    gathering.finish(FixContext {
        errors,
        source_files,
        error_summary,
    })
}

impl Gathering<'_> {
    /// Finds the files of errors and warns of what their messages contain. Returns the lines of
    /// each file.
    fn take_errors(&mut self, errors: &mut Vec<ValidationError>) -> HashMap<String, Vec<usize>> {
        self.find_files(errors);
        keep_once(errors);
        self.search_messages(errors);
        let mut lines: HashMap<String, Vec<usize>> = HashMap::new();
        for error in errors {
            if let (Some(file), Some(line)) = (&error.file, error.line) {
                lines.entry(file.clone()).or_default().push(line);
            }
        }
        lines
    }

    /// Replaces the files that errors name with those of the repository, each looked up once.
    /// Stages say which they are; others may know a file only by its name, or by its package.
    fn find_files(&self, errors: &mut [ValidationError]) {
        let repo = &self.workspace.repo;
        let mut endings = None;
        let mut found: [HashMap<String, Option<String>>; 2] = Default::default();
        for error in errors {
            let (Some(file), is_listed) = (&mut error.file, error.is_listed) else {
                continue;
            };
            let found = &mut found[usize::from(is_listed)];
            if !found.contains_key(file.as_str()) {
                let slashed = with_slashes(file);
                let ending = || {
                    let end = RepoPath::parse(&slashed).ok().filter(|_| !is_listed)?;
                    let endings = endings.get_or_insert_with(|| Endings::of(repo));
                    endings.only(&end, repo)
                };
                let is_file = |path: &RepoPath| matches!(repo.kind(path), Kind::File(_));
                let named = self.workspace.find_reported(file);
                let path = named.clone().filter(is_file).or_else(|| {
                    let found = self.workspace.find_reported(&slashed).filter(is_file);
                    found.or_else(ending).or(named)
                });
                found.insert(file.clone(), path.map(|path| path.to_string()));
            }
            if let Some(Some(path)) = found.get(file.as_str()) {
                file.clone_from(path);
            }
        }
    }

    /// Looks for secrets and invisible characters in the messages of errors.
    fn search_messages(&mut self, errors: &[ValidationError]) {
        let mut warned = 0;
        for error in errors {
            let source = match &error.file {
                Some(file) => format!("the message of an error in `{}`", quoted(file)),
                None => "the message of an error".to_owned(),
            };
            let notes = warnings_of(&error.message, &source, None, None);
            self.searched.add(&error.message);
            warned += usize::from(!notes.is_empty());
            if warned <= MAX_WARNED {
                self.notes.extend(notes);
            }
        }
        if warned > MAX_WARNED {
            let errors = counted(warned - MAX_WARNED, "more error");
            let message = format!("{errors} with a likely secret or invisible characters");
            self.warn(NoteKind::Secret, message);
        }
    }

    /// Returns each of these paths once, except those that the repository may not ask for.
    fn not_hidden(&mut self, mut paths: Vec<String>) -> Vec<String> {
        let mut seen = HashSet::new();
        paths.retain(|path| {
            let known = || self.workspace.repo.path(path).ok();
            seen.insert(path.clone())
                && !known().is_some_and(|known| self.hides(&known, path, "an error"))
        });
        paths
    }
}

/// Keeps what is reported of one file under several paths once. What stages list stays.
fn keep_once(errors: &mut Vec<ValidationError>) {
    let mut told = HashSet::new();
    let is_new = errors.iter().map(|it| it.is_listed || told.insert(it));
    let is_new: Vec<bool> = is_new.collect();
    let mut is_new = is_new.into_iter();
    errors.retain(|_| is_new.next() == Some(true));
}

/// Returns the sources of compiled files among these, whose lines differ.
fn sources_of<'e>(named: impl Iterator<Item = &'e str>, repo: &Repo) -> Vec<String> {
    let mut scripts = named
        .filter(|path| stem_of_script(path).is_some())
        .peekable();
    if scripts.peek().is_none() {
        return Vec::new();
    }
    let endings = Endings::of(repo);
    let sources = scripts.filter_map(|path| endings.source_of(path));
    sources.map(str::to_owned).collect()
}

/// Returns the path from the root; one outside stays as it is.
fn path_of(workspace: &Workspace, given: &str) -> String {
    let path = workspace.find(given);
    path.map_or_else(|| given.to_owned(), |path| path.to_string())
}

/// Chooses what surrounds the errors, or all of a file that is hardly longer. A file without an
/// error, which somebody asked for, is shown up to as many lines as other builders show.
fn keep(total: usize, lines: &[usize], workspace: &Workspace) -> KeptLines {
    let lines = &within(total, lines, workspace.context_lines);
    let Some(around) = KeptLines::around(total, lines, workspace.context_lines) else {
        return KeptLines::beginning(total, workspace.max_lines.unwrap_or(WHOLE_FILE_LINES - 1));
    };
    if total <= workspace.max_lines.unwrap_or(SHORT_FILE_LINES - 1) {
        return KeptLines::all(total).with_asked(lines);
    }
    around
}

/// Returns where these errors are in a text of `total` lines. One just after its end, where
/// checkers report something missing, moves to the last line.
fn within(total: usize, lines: &[usize], context: usize) -> Vec<usize> {
    let near = total.saturating_add(context.max(1));
    let lines = lines.iter().filter(|line| **line <= near);
    lines.map(|line| (*line).min(total)).collect()
}

/// Returns how many errors there are, in how many files.
fn summary<'e>(errors: impl Iterator<Item = &'e ValidationError>, failed: bool) -> String {
    let mut files = BTreeSet::new();
    let count = errors
        .inspect(|error| files.extend(error.file.as_deref()))
        .count();
    match (count, files.len()) {
        (0, _) if failed => "No errors known, but the checks failed".to_owned(),
        (0, _) => "No errors".to_owned(),
        (count, 0) => counted(count, "error"),
        (count, files) => format!("{} in {}", counted(count, "error"), counted(files, "file")),
    }
}
