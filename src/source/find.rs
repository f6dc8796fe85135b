//! Finds the files that patterns and folders stand for.

use std::cmp::Ordering;
use std::collections::HashSet;

use super::Placer;
use super::first_names::FirstNames;
use super::unreadable;
use crate::repo::git_folder::names_git;
use crate::repo::{Asker, Found, Kind, Quota, Readable, Refusal, Repo, RepoPath, Visitor};
use crate::role::pattern::{Globs, Pattern};
use crate::role::{List, Role};
use crate::section::{Note, NoteKind};
use crate::show::quoted;

/// A file to pack, if whoever asked for it may read it.
#[derive(Debug, Clone)]
pub(super) struct Pick {
    /// The file, or its path and why it cannot be read.
    pub(super) file: Result<Readable, Box<(RepoPath, Refusal)>>,
    /// How it was asked for.
    pub(super) asked: Asked,
}

/// Sorts by path and removes duplicates. Links to files that are found themselves are removed
/// unless they were asked for by name: a file is shown under its own path.
pub(super) fn settle(found: &mut Vec<Pick>) {
    found.sort_by(Pick::by_path);
    found.dedup_by(|a, b| a.path() == b.path());
    let is_plain = |pick: &&Pick| pick.real() == pick.path();
    let plain: HashSet<RepoPath> = found
        .iter()
        .filter(is_plain)
        .map(|it| it.real().clone())
        .collect();
    let is_found = |pick: &Pick| matches!(pick.asked, Asked::ByFolder | Asked::ByGlob);
    found.retain(|pick| is_plain(&pick) || !is_found(pick) || !plain.contains(pick.real()));
}

/// How a file was asked for, which decides what stands in its place if it cannot be read. If there
/// are several ways, the first counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// As a target or a staged file: there is always something in its place.
    Directly,
    /// By its path in a pattern: a marker if it is binary or too large.
    ByName,
    /// By its folder: a binary file is skipped.
    ByFolder,
    /// By a glob, or because it belongs to the targets: likewise.
    ByGlob,
}

impl Pick {
    /// Returns the file at this path, if there is one and this asker may read it, or else a pick
    /// that cannot be read.
    pub(super) fn new(placer: &Placer<'_>, path: &RepoPath, asked: Asked, asker: Asker) -> Pick {
        let file = placer.repo.admit(path, asker);
        Pick {
            file: file.map_err(|refusal| Box::new((path.clone(), refusal))),
            asked,
        }
    }

    /// Returns the path by which it was found.
    pub(super) fn path(&self) -> &RepoPath {
        match &self.file {
            Ok(file) => file.path(),
            Err(refused) => &refused.0,
        }
    }

    /// Orders by path, and duplicates by how they were asked for first.
    pub(super) fn by_path(&self, other: &Pick) -> Ordering {
        (self.path(), self.asked).cmp(&(other.path(), other.asked))
    }

    /// Returns where it is once links are followed, which identifies it.
    pub(super) fn real(&self) -> &RepoPath {
        match &self.file {
            Ok(file) => file.real(),
            Err(refused) => &refused.0,
        }
    }
}

/// Returns the patterns of built-in roles, which are written for all kinds of repositories: it is
/// normal that one of them matches nothing.
pub(super) fn guesses(role: &Role) -> Vec<String> {
    let lists = [List::Include, List::AlwaysInclude];
    let lines = lists.map(|list| role.context().patterns(list));
    let guesses = lines.into_iter().flatten().filter(|line| line.is_guess());
    guesses.map(|line| line.text().to_owned()).collect()
}

/// Returns the files that patterns name by their paths.
pub(super) fn named_files(repo: &Repo, patterns: &[(Pattern, Asker)]) -> HashSet<RepoPath> {
    let named = patterns.iter().filter_map(|(pattern, _)| match pattern {
        Pattern::Path(path) => match repo.kind(path) {
            Kind::File(real) => Some(real),
            _ => None,
        },
        _ => None,
    });
    named.collect()
}

/// Finds the files that patterns ask for, and notes which pattern finds nothing.
///
/// # Errors
///
/// The errors of [`Globs::new`].
pub(super) fn resolve(
    placer: &Placer<'_>,
    notes: &mut Vec<Note>,
    patterns: &[(Pattern, Asker)],
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<Pick>, String> {
    let mut picks = Vec::new();
    let mut wild = Vec::new();
    let mut seen = HashSet::new();
    for (pattern, asker) in patterns {
        match pattern {
            Pattern::Wild(glob) => wild.push(glob.clone()),
            // A folder is walked once, however often a role names it.
            Pattern::Path(path) if !seen.insert((path, asker)) => {}
            Pattern::Path(path) if names_git(path.as_str()) => notes.push(never_packed(path)),
            Pattern::Path(path) => named(placer, notes, (path, *asker), excluded, &mut picks),
            Pattern::Sentinel(_) => {}
        }
    }
    let globs = Globs::new(wild)?;
    if !globs.is_empty() {
        let (found, hits) = matched(placer, notes, &globs, excluded);
        for (text, _) in globs.texts().iter().zip(&hits).filter(|(_, hit)| !**hit) {
            notes.push(finds_nothing(placer, text));
        }
        picks.extend(found);
    }
    Ok(picks)
}

/// Returns the files that globs match, and which of these match anything.
pub(super) fn matched(
    placer: &Placer<'_>,
    notes: &mut Vec<Note>,
    globs: &Globs,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> (Vec<Pick>, Vec<bool>) {
    let mut hits = vec![false; globs.texts().len()];
    let globs = Some((globs, &mut hits[..]));
    let found = walked(placer, notes, &RepoPath::root(), globs, excluded);
    let picks = within(placer, notes, found, excluded, Asked::ByGlob);
    (picks, hits)
}

/// Returns the file at a path, or all files below it.
fn named(
    placer: &Placer<'_>,
    notes: &mut Vec<Note>,
    (path, asker): (&RepoPath, Asker),
    excluded: &dyn Fn(&RepoPath) -> bool,
    picks: &mut Vec<Pick>,
) {
    match placer.repo.kind(path) {
        Kind::Folder(_) => match placer.repo.admit_folder(path, asker) {
            Ok(folder) => {
                let found = below(placer, notes, &folder, excluded);
                if found.is_empty() {
                    notes.push(finds_nothing(placer, path.as_str()));
                }
                picks.extend(found);
            }
            Err(refusal) => notes.push(unreadable(path, &refusal)),
        },
        Kind::Missing => notes.push(finds_nothing(placer, path.as_str())),
        Kind::File(real) if excluded(path) || excluded(&real) => {}
        _ => picks.push(Pick::new(placer, path, Asked::ByName, asker)),
    }
}

fn finds_nothing(placer: &Placer<'_>, pattern: &str) -> Note {
    let kind = if placer.guesses.iter().any(|guess| guess == pattern) {
        NoteKind::Reason
    } else {
        NoteKind::Pattern
    };
    let shown = quoted(pattern);
    Note::new(kind, format!("pattern `{shown}` matches no file"))
}

/// Globs, and which of them match anything.
type Matched<'a> = (&'a Globs, &'a mut [bool]);

struct Walk<'a> {
    /// Without them, everything is wanted.
    globs: Option<Matched<'a>>,
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    found: Vec<Found>,
    quota: Quota,
}

impl Visitor for Walk<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        let reaches = |(globs, _): &Matched<'_>| globs.reaches(folder);
        let may_be_wanted = self.globs.as_ref().is_none_or(reaches);
        !self.quota.is_full() && may_be_wanted && !(self.excluded)(folder)
    }

    fn found(&mut self, found: Found) {
        if let Some((globs, hits)) = &mut self.globs {
            let matches = globs.matches(found.path.as_str());
            if matches.is_empty() {
                return;
            }
            for index in matches {
                hits[index] = true;
            }
        }
        if !(self.excluded)(&found.path) && self.quota.takes(found.path.as_str()) {
            self.found.push(found);
        }
    }
}

/// Returns what is below a folder, or what these globs match of it.
fn walked(
    placer: &Placer<'_>,
    notes: &mut Vec<Note>,
    folder: &RepoPath,
    globs: Option<Matched<'_>>,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Vec<Found> {
    let mut walk = Walk {
        globs,
        excluded,
        found: Vec::new(),
        quota: Quota::default(),
    };
    notes.extend(placer.repo.walk(folder, &mut walk));
    notes.extend(walk.quota.note("file"));
    walk.found
}

/// Returns all files below a folder.
pub(super) fn below(
    placer: &Placer<'_>,
    notes: &mut Vec<Note>,
    folder: &RepoPath,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Vec<Pick> {
    if !folder.is_root() && excluded(folder) {
        return Vec::new();
    }
    let found = walked(placer, notes, folder, None, excluded);
    let mut found = within(placer, notes, found, excluded, Asked::ByFolder);
    found.sort_by(|a, b| a.path().cmp(b.path()));
    found
}

/// Leaves out links to folders, to excluded files, and to anything outside.
fn within(
    placer: &Placer<'_>,
    notes: &mut Vec<Note>,
    found: Vec<Found>,
    excluded: &dyn Fn(&RepoPath) -> bool,
    asked: Asked,
) -> Vec<Pick> {
    let mut picks = Vec::with_capacity(found.len());
    let mut astray = Vec::new();
    for found in found {
        let file = match found.readable() {
            Some(file) => file,
            None => match placer.repo.kind(&found.path) {
                Kind::Folder(_) => continue,
                Kind::File(real) if excluded(&real) => continue,
                // A glob finds nothing through a link that it would not find directly.
                _ => match placer.repo.admit(&found.path, Asker::Repository) {
                    Ok(file) => file,
                    Err(_) => {
                        astray.push(found.path.to_string());
                        continue;
                    }
                },
            },
        };
        let file = Ok(file);
        picks.push(Pick { file, asked });
    }
    if !astray.is_empty() {
        let what = "links that lead outside, to an ignored file, or to something that is not a \
                    regular file";
        let names = FirstNames::of(astray.len(), astray.iter().map(String::as_str));
        let message = format!("left out as {what}: {names}");
        notes.push(Note::new(NoteKind::Skipped, message));
    }
    picks
}

fn never_packed(path: &RepoPath) -> Note {
    let shown = quoted(path.as_str());
    let message = format!("pattern `{shown}` is ignored: git's own folder is never packed");
    Note::new(NoteKind::Pattern, message)
}
