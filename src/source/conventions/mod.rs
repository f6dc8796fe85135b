//! The repository's conventions: what agents' hosts read by themselves for the files that the
//! prompt is about. `docs/conventions.md` says which file counts when.

mod hosts;
mod imported;
mod matter;
mod references;
mod rules;
mod skills;

use super::Gathering;
use super::audience::is_for_people;
use super::files::place;
use super::find::{Asked, Pick};
use super::first_names::FirstNames;
use crate::error::Error;
use crate::index::quoted::tells_how_to_test;
use crate::repo::{Asker, Kind, Repo, RepoPath};
use crate::role::{CONVENTION_FILES, Conventions, Role};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::quoted;

/// The most files of conventions that a prompt takes.
const MAX_FILES: usize = 60;

/// The most folders above targets that are searched.
const MAX_FOLDERS: usize = 200;

/// Packs the convention files that apply to what the prompt is about, the nearest first; of the
/// files that a role names itself, the first that exists. If they say how to run the tests, no part
/// of a related file is shown for that purpose; this affects related files that are placed after
/// them.
pub(super) fn that_hold(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let conventions = &all.ask.role.context().conventions;
    let mut found = Found::new();
    match conventions {
        Conventions::Switch(false) => {}
        Conventions::Files(files) => {
            let names = files.iter().map(String::as_str);
            let asker = all.ask.role.asker_of_conventions();
            found.first_of(
                all,
                "",
                names,
                asker,
                "the first of the role's files that there is",
            );
            if let Some(lost) = lost(all.placer.repo, all.ask.role) {
                let names = FirstNames::of(lost.len(), lost.iter().map(RepoPath::as_str));
                let message = format!("none of the role's `conventions` exists: {names}");
                let note = Note::new(NoteKind::Pattern, message);
                found.section.notes.push(note);
            }
        }
        Conventions::Switch(true) => found.all_of_hosts(all),
    }
    let section = found.section();
    let tells = |piece: &Piece| tells_how_to_test(piece.body.text());
    if let Some(ranking) = &mut all.ranking
        && section.pieces.iter().any(tells)
    {
        ranking.leave_out_checks();
    }
    Ok(section)
}

/// Returns the files that a role names itself, if none of them exists.
pub(super) fn lost(repo: &Repo, role: &Role) -> Option<Vec<RepoPath>> {
    let Conventions::Files(files) = &role.context().conventions else {
        return None;
    };
    let is_missing = |path: &RepoPath| repo.kind(path) == Kind::Missing;
    let lost = files
        .iter()
        .map(|name| RepoPath::parse(name).ok().filter(is_missing));
    lost.collect::<Option<Vec<_>>>()
        .filter(|lost| !lost.is_empty())
}

/// What has been found so far.
struct Found {
    section: Section,
    /// Rules and skills that are not shown, or not whole, and why.
    left_out: Vec<String>,
    /// Rules and skills whose description is shown.
    told: Vec<String>,
}

impl Found {
    fn new() -> Found {
        Found {
            section: Section::new(Key::Conventions, Vec::new()),
            left_out: Vec::new(),
            told: Vec::new(),
        }
    }

    /// Packs what every host would read for the files that the prompt is about.
    fn all_of_hosts(&mut self, all: &mut Gathering<'_>) {
        for folder in self.folders_above(&all.about) {
            let why = format!("for what lies in `{}`", quoted(folder.as_str()));
            let names = hosts::IN_FOLDERS.iter().copied();
            self.first_of(all, folder.as_str(), names, Asker::Repository, &why);
            rules::of_folder(self, all, &folder);
        }
        let names = all.ask.role.context().conventions.files();
        let why = "for the whole repository";
        let first = self.section.pieces.len();
        self.first_of(all, "", names, Asker::Repository, why);
        self.people_of(all, first);
        rules::of_folder(self, all, &RepoPath::root());
        skills::that_fit(self, all);
    }

    /// Packs the commands of the contributor guide if one of the pieces from `first` on names it, and
    /// none of them says how the tests are run.
    fn people_of(&mut self, all: &mut Gathering<'_>, first: usize) {
        let pieces = &self.section.pieces[first..];
        let says = |what: fn(&str) -> bool| pieces.iter().any(|piece| what(piece.body.text()));
        let is_there = |piece: &Piece| piece.path.as_deref().is_some_and(is_for_people);
        let names_it = says(|text| text.contains("CONTRIBUTING"));
        if names_it && !pieces.iter().any(is_there) && !says(tells_how_to_test) {
            let names = CONVENTION_FILES.into_iter();
            let names = names.filter(|name| is_for_people(name));
            let why = "named where it is not said how the tests are run";
            let at = self.section.pieces.len();
            self.first_of(all, "", names, Asker::Repository, why);
            if let Some(guide) = self.section.pieces.get_mut(at) {
                guide.is_for_commands = true;
            }
        }
    }

    /// Returns the folders above these files, the deepest first, without the root.
    fn folders_above(&mut self, about: &[RepoPath]) -> Vec<RepoPath> {
        let above = about.iter().flat_map(|path| path.upwards().skip(1));
        let mut folders: Vec<RepoPath> = above.filter(|folder| !folder.is_root()).collect();
        let depth = |folder: &RepoPath| folder.ancestors().count();
        folders.sort_by(|a, b| depth(b).cmp(&depth(a)).then_with(|| a.cmp(b)));
        folders.dedup();
        if folders.len() > MAX_FOLDERS {
            self.warn(format!(
                "packer looks for conventions only in the {MAX_FOLDERS} deepest of the {} folders \
                 above the targets",
                folders.len()
            ));
            folders.truncate(MAX_FOLDERS);
        }
        folders
    }

    /// Packs the first of these files that exists in a folder, with what it imports.
    fn first_of<'n>(
        &mut self,
        all: &mut Gathering<'_>,
        folder: &str,
        names: impl IntoIterator<Item = &'n str>,
        asker: Asker,
        why: &str,
    ) {
        let before = self.section.pieces.len();
        for name in names {
            let path = if folder.is_empty() {
                RepoPath::parse(name)
            } else {
                RepoPath::parse(&format!("{folder}/{name}"))
            };
            match path {
                Ok(path) => self.pack(all, &path, asker, why),
                Err(wrong) => {
                    let message = format!("convention file `{name}` is ignored: {wrong}");
                    let note = Note::new(NoteKind::Pattern, message);
                    self.section.notes.push(note);
                }
            }
            if self.section.pieces.len() > before {
                break;
            }
        }
    }

    /// Packs a file with what it imports, if it exists.
    fn pack(&mut self, all: &mut Gathering<'_>, path: &RepoPath, asker: Asker, why: &str) {
        // The folder `.clinerules` is one of rules; a role may name no folder either.
        let is_role = matches!(all.ask.role.context().conventions, Conventions::Files(_));
        match all.placer.repo.kind(path) {
            Kind::Missing => return,
            Kind::Folder(_) if !is_role => return,
            _ => {}
        }
        if let Some(at) = self.place(all, path, Asked::ByName, asker, why) {
            imported::follow(self, all, at);
        }
    }

    /// Packs one file and says why. Returns its number, unless another one says the same or it
    /// cannot be read.
    fn place(
        &mut self,
        all: &mut Gathering<'_>,
        path: &RepoPath,
        asked: Asked,
        asker: Asker,
        why: &str,
    ) -> Option<usize> {
        if self.section.pieces.len() >= MAX_FILES {
            let shown = quoted(path.as_str());
            self.left_out(format!(
                "`{shown}`: the limit of {MAX_FILES} files is reached"
            ));
            return None;
        }
        let at = self.section.pieces.len();
        let pick = Pick::new(&all.placer, path, asked, asker);
        place(&mut all.placer, &mut self.section, &pick)?;
        let piece = &self.section.pieces[at];
        if let Some(twin) = self.twin_of(piece) {
            let shown = quoted(path.as_str());
            let message = format!("`{shown}`: `{}` says the same", quoted(&twin));
            self.left_out(message);
            self.section.pieces.pop();
            return None;
        }
        let piece = &mut self.section.pieces[at];
        piece.notes.push(Note::new(NoteKind::Reason, why));
        Some(at)
    }

    /// Returns a file that is already there and says the same.
    fn twin_of(&self, piece: &Piece) -> Option<String> {
        let Body::Source(text) = &piece.body else {
            return None;
        };
        let says = matter::without(text).trim();
        let (_, others) = self.section.pieces.split_last()?;
        let same = |other: &&Piece| match &other.body {
            Body::Source(text) => !says.is_empty() && matter::without(text).trim() == says,
            _ => false,
        };
        others.iter().find(same).and_then(|twin| twin.path.clone())
    }

    /// Keeps as many of these `what` as count, from the first.
    fn keep_first<T>(&mut self, all: &mut Vec<T>, most: usize, what: &str) {
        if all.len() > most {
            self.warn(format!(
                "only only the first {most} of the {} {what} count",
                all.len()
            ));
            all.truncate(most);
        }
    }

    /// Reads what a rule or a skill says, or warns.
    fn read(&mut self, all: &Gathering<'_>, path: &RepoPath, what: &str) -> Option<String> {
        let limit = matter::MAX_BYTES;
        let read = all.placer.repo.read_for(Asker::Repository, path, limit);
        if let Err(why) = &read {
            let shown = quoted(path.as_str());
            self.warn(format!("the {what} `{shown}` is left out: {why}"));
        }
        Some(read.ok()?.text)
    }

    /// Notes that something is left out, and why, for those who ask for an explanation.
    fn left_out(&mut self, what: String) {
        self.left_out.push(what);
    }

    /// Warns that something could not be looked at.
    fn warn(&mut self, message: String) {
        let note = Note::new(NoteKind::Skipped, message);
        self.section.notes.push(note);
    }

    /// Returns the section, with the descriptions after the files.
    fn section(mut self) -> Section {
        if !self.told.is_empty() {
            let text = format!("{}\n{}\n", skills::HEAD, self.told.join("\n"));
            self.section.pieces.push(Piece::text(Body::Text(text)));
        }
        if !self.left_out.is_empty() {
            let message = format!("left out: {}", self.left_out.join("; "));
            let note = Note::new(NoteKind::Reason, message);
            self.section.notes.insert(0, note);
        }
        self.section
    }
}
