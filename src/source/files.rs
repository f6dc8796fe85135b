//! Files, each read once and placed in the first section that asks for it.

use std::collections::HashSet;

use super::find::{Asked, Pick, resolve, settle};
use super::first_names::FirstNames;
use super::repomix;
use super::{
    ChosenEngine, Gathering, MAX_ALWAYS_INCLUDE, MAX_FILE, MAX_TOTAL, Placer, pattern_error,
    unreadable,
};
use crate::error::Error;
use crate::nearest::nearest;
use crate::repo::{Asker, Changed, FileText, Kind, PathError, Refusal, Repo, RepoPath};
use crate::role::List;
use crate::role::pattern::{Exclusion, Globs, Pattern, Wild};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::settings::Engine;
use crate::show::{counted, quoted};

/// The fewest bytes that a file counts for, because its name takes room too: a folder may hold any
/// number of empty files.
const LEAST: u64 = 512;

/// The most files of `always_include` found by globs that get a remark of their own if they are
/// left out; more are only counted.
const MAX_ALWAYS: usize = 5000;

/// Where a file is shown.
pub(super) struct Placed {
    pub(super) key: Key,
    /// Under which name: there may be links to it.
    pub(super) name: RepoPath,
}

/// Packs the target files.
pub(super) fn targets(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let Gathering {
        placer, targets, ..
    } = all;
    let mut section = Section::new(Key::TargetFile, Vec::new());
    section.notes.clone_from(&targets.notes);
    for target in targets.files() {
        if let Some(piece) = place(placer, &mut section, &target.pick) {
            target.ask(piece, all.ask.parser);
        }
    }
    Ok(section)
}

/// Packs the changed files, as they are on disk now.
pub(super) fn changed(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let placer = &mut all.placer;
    let mut section = Section::new(Key::ChangedFiles, Vec::new());
    let change = all.ask.change.found(placer.repo);
    match &change.files {
        Err(why) => {
            let message = format!("no list of changed files: {why}");
            section.notes.push(Note::new(NoteKind::Git, message));
            return Ok(section);
        }
        Ok(files) => section.notes.extend(super::diff::remark(files)),
    }
    let names = change.paths();
    if names.is_empty() {
        section.notes.extend(without_names(&change));
    }
    for name in &names {
        let path = match RepoPath::parse(name) {
            Ok(path) => path,
            Err(why) => {
                let why = match why {
                    PathError::TooDeep => format!("is left out: {why}"),
                    _ => "is not in this repository".to_owned(),
                };
                let message = format!("the changed path `{}` {why}", quoted(name));
                section
                    .notes
                    .push(Note::new(NoteKind::Skipped, message).on(name));
                continue;
            }
        };
        if matches!(placer.repo.kind(&path), Kind::Folder(_)) {
            let shown = quoted(path.as_str());
            let message = format!(
                "`{shown}` is a submodule or a link to a folder; its content is not packed"
            );
            section
                .notes
                .push(Note::new(NoteKind::Skipped, message).on(path.as_str()));
            continue;
        }
        // What changed is what the repository says, or a diff: they may name anything.
        let pick = Pick::new(placer, &path, Asked::Directly, Asker::Repository);
        place(placer, &mut section, &pick);
    }
    tell_the_first(&mut section);
    Ok(section)
}

/// The most warnings about what a change names; more are only counted.
const MAX_WARNINGS: usize = 100;

/// Keeps only the first warnings about files that do not exist or are not read.
fn tell_the_first(section: &mut Section) {
    let (mut told, mut more, mut kind) = (0, 0, NoteKind::Skipped);
    let pieces = section.pieces.iter_mut().map(|piece| &mut piece.notes);
    for notes in pieces.chain([&mut section.notes]) {
        notes.retain(|note| {
            let counts = matches!(note.kind, NoteKind::Skipped | NoteKind::Unreadable);
            let is_told = !counts || told < MAX_WARNINGS;
            told += usize::from(counts && is_told);
            if !is_told {
                more += 1;
                if note.kind == NoteKind::Unreadable {
                    kind = NoteKind::Unreadable;
                }
            }
            is_told
        });
    }
    if more > 0 {
        let message = format!("{} like these not shown", counted(more, "warning"));
        section.notes.push(Note::new(kind, message));
    }
}

/// Returns why a change names no existing file; `None` if the diff already says it.
fn without_names(change: &Changed) -> Option<Note> {
    let why = match change.is_something() {
        true if change.is_text_alone() => return None,
        true => "the change only deletes files".into(),
        false => change.nothing(),
    };
    let message = format!("{why}, so there are no changed files");
    Some(Note::new(NoteKind::Git, message))
}

/// Packs the protected files up to a limit of their own: first the paths, in the order of their
/// patterns, then what the globs match.
pub(super) fn always_include(
    placer: &mut Placer<'_>,
    patterns: &[(Pattern, Asker)],
) -> Result<Section, Error> {
    let mut section = Section::new(Key::AlwaysInclude, Vec::new());
    let whole = placer.left;
    placer.left = MAX_ALWAYS_INCLUDE;
    let nothing_excluded = |_: &RepoPath| false;
    let picks = resolve(placer, &mut section.notes, patterns, &nothing_excluded);
    let mut skipped = Skipped::default();
    for pick in picks.map_err(|why| pattern_error(List::AlwaysInclude, &why))? {
        let is_found = matches!(pick.asked, Asked::ByGlob | Asked::ByFolder);
        if is_found && section.pieces.len() >= MAX_ALWAYS {
            place_or_count(placer, &mut section, &pick, true, &mut skipped);
        } else {
            place(placer, &mut section, &pick);
        }
    }
    skipped.close(&mut section);
    placer.left = whole.saturating_sub(MAX_ALWAYS_INCLUDE - placer.left);
    Ok(section)
}

/// Packs what the plain patterns match, sorted by path.
pub(super) fn matched(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let (placer, patterns, engine) = (&mut all.placer, &all.patterns.files, all.ask.engine);
    let mut section = Section::new(Key::Files, Vec::new());
    let exclusion = placer.exclusion;
    let excluded = |path: &RepoPath| exclusion.excludes(path);
    let listed = through_repomix(placer, &mut section, patterns, exclusion, engine);
    let found = resolve(placer, &mut section.notes, patterns, &excluded);
    let mut found = found.map_err(|why| pattern_error(List::Include, &why))?;
    settle(&mut found);
    let mut skipped = Skipped::default();
    for pick in found {
        let listed = listed.as_ref().is_none_or(|listed| listed.admits(&pick));
        match pick.asked {
            Asked::ByGlob | Asked::ByFolder => {
                let listed = listed || pick.asked == Asked::ByFolder;
                place_or_count(placer, &mut section, &pick, listed, &mut skipped);
            }
            _ => {
                if let Some(piece) = place(placer, &mut section, &pick) {
                    piece.is_named = true;
                }
            }
        }
    }
    skipped.close(&mut section);
    Ok(section)
}

/// Has repomix list what the globs that can be passed to it match; `None` if packer decides alone.
fn through_repomix(
    placer: &Placer<'_>,
    section: &mut Section,
    patterns: &[(Pattern, Asker)],
    exclusion: &Exclusion,
    engine: ChosenEngine,
) -> Option<RepomixFiles> {
    let wild = patterns.iter().filter_map(|(pattern, _)| match pattern {
        Pattern::Wild(wild) if wild.glob().is_some_and(repomix::can_pass) => Some(wild),
        _ => None,
    });
    let globs: Vec<&str> = wild.clone().filter_map(Wild::glob).collect();
    if globs.is_empty() {
        return None;
    }
    let asked = Globs::new(wild.cloned()).ok()?;
    let mut note = |kind, message: String| section.notes.push(Note::new(kind, message));
    let unused = |why| format!("repomix is not used, so packer packs the files itself: {why}");
    let program = match repomix::find(engine.engine, engine.by_caller, placer.repo) {
        Ok(program) => program?,
        Err(why) => {
            note(NoteKind::Engine, unused(why));
            return None;
        }
    };
    let ignored = match repomix::survey(placer.repo, &asked) {
        Ok(ignored) => ignored,
        Err(why) => {
            // Who leaves the choice to this program is not warned of it.
            let kind = match engine.engine {
                Engine::Auto => NoteKind::Reason,
                _ => NoteKind::Engine,
            };
            note(kind, unused(why));
            return None;
        }
    };
    let ignored = ignored.iter().map(String::as_str);
    let exclude = exclusion.globs().filter(|glob| repomix::can_pass(glob));
    let exclude: Vec<&str> = exclude.chain(ignored).collect();
    match program.list(placer.repo, &globs, &exclude) {
        Ok(files) => {
            let message = format!("listed by repomix {}", repomix::PIN);
            note(NoteKind::Reason, message);
            Some(RepomixFiles { files, asked })
        }
        Err(why) => {
            note(NoteKind::Engine, unused(why));
            None
        }
    }
}

/// What repomix listed, and for which globs.
struct RepomixFiles {
    files: HashSet<RepoPath>,
    asked: Globs,
}

impl RepomixFiles {
    /// Whether repomix listed this file, or could not be asked for it: it lists no links.
    fn admits(&self, pick: &Pick) -> bool {
        self.files.contains(pick.path())
            || !self.asked.is_match(pick.path().as_str())
            || pick.path() != pick.real()
            || !repomix::can_list(pick.path())
    }
}

/// What globs matched and was left out.
#[derive(Default)]
pub struct Skipped {
    pub large: FirstNames,
    pub binary: FirstNames,
    over_total: FirstNames,
    unlisted: FirstNames,
}

impl Skipped {
    fn close(self, section: &mut Section) {
        section.pieces.extend(self.line());
        section.notes.extend(self.notes());
    }

    /// Returns the closing line of a section.
    pub fn line(&self) -> Option<Piece> {
        let (large, over) = (self.large.count, self.over_total.count);
        let kib = MAX_FILE / 1024;
        let line =
            format!("[Skipped {large} files over {kib} KiB, {over} files over the total limit]");
        (large + over > 0).then(|| Piece::text(Body::Marker(line)))
    }

    /// Returns what was left out and why.
    pub fn notes(self) -> Vec<Note> {
        let mut notes = Vec::new();
        for (files, why) in [
            (self.large, "larger than the limit of a file and left out"),
            (
                self.over_total,
                "over the limit of all files together and left out",
            ),
            (self.binary, "binary and left out"),
            (self.unlisted, "left out by repomix"),
        ] {
            if files.count > 0 {
                let message = format!("{why}: {files}");
                notes.push(Note::new(NoteKind::Skipped, message));
            }
        }
        notes
    }
}

/// Reads a file within what may still be read.
fn read(placer: &mut Placer<'_>, pick: &Pick) -> Result<FileText, Refusal> {
    let file = pick.file.as_ref().map_err(|refused| refused.1.clone())?;
    let file = placer.repo.read(file, MAX_FILE.min(placer.left))?;
    if placer.left == 0 {
        return Err(Refusal::TooLarge(file.bytes));
    }
    placer.left = placer.left.saturating_sub(file.bytes.max(LEAST));
    Ok(file)
}

/// Makes a piece of a file's text.
pub(super) fn source(path: &RepoPath, file: FileText) -> Piece {
    let piece = Piece::file(path.as_str(), Body::Source(file.text));
    if !file.replaced {
        return piece;
    }
    piece.with_note(Note::replaced(path.as_str()))
}

/// Packs a file, or says in its place why not. Returns the piece, if there is one.
pub(super) fn place<'s>(
    placer: &mut Placer<'_>,
    section: &'s mut Section,
    pick: &Pick,
) -> Option<&'s mut Piece> {
    let (path, real, asked) = (pick.path().clone(), pick.real().clone(), pick.asked);
    let exempt = matches!(section.key, Key::TargetFile | Key::AlwaysInclude);
    if !exempt && (placer.exclusion.excludes(&path) || placer.exclusion.excludes(&real)) {
        let message = format!("excluded: {}", quoted(path.as_str()));
        section.notes.push(Note::new(NoteKind::Reason, message));
        return None;
    }
    if matches!(section.key, Key::Imports | Key::Related) && placer.named.contains(&real) {
        return None;
    }
    if let Some(shown) = placer.placed.get(&real).or(placer.placed.get(&path)) {
        if section.key != Key::TargetFile {
            return None;
        }
        let there = if shown.key == section.key {
            let is_named = matches!(asked, Asked::Directly | Asked::ByName);
            if !is_named || shown.name == path {
                return None;
            }
            pointer(&path, shown.name.as_str(), shown.name.as_str())
        } else {
            pointer(&path, &shown.key.heading(), shown.key.name())
        };
        section.pieces.push(there);
        return section.pieces.last_mut();
    }
    let shown = quoted(path.as_str());
    let piece = match read(placer, pick) {
        Ok(file) => source(&path, file),
        Err(Refusal::Binary(_)) if matches!(asked, Asked::ByFolder | Asked::ByGlob) => {
            let message = format!("binary and left out: {shown}");
            section.notes.push(Note::new(NoteKind::Skipped, message));
            return None;
        }
        Err(Refusal::Binary(bytes)) => binary(&path, bytes),
        Err(Refusal::TooLarge(bytes)) if bytes > MAX_FILE => too_large(&path, bytes),
        Err(Refusal::TooLarge(bytes)) => over_total(&path, bytes, &section.key),
        Err(refusal) if asked == Asked::Directly => {
            let near = match refusal {
                Refusal::Missing => near(placer.repo, &path),
                _ => String::new(),
            };
            let message = format!("cannot read `{shown}`: {refusal}{near}");
            let marker = "[Could not read file]".to_owned();
            marked(&path, marker, NoteKind::Unreadable, message)
        }
        Err(refusal) => {
            section.notes.push(unreadable(&path, &refusal));
            return None;
        }
    };
    // What could not be read is told once for each of its names.
    let told = match piece.body {
        Body::Marker(_) => path.clone(),
        _ => real,
    };
    let key = section.key.clone();
    placer.placed.insert(told, Placed { key, name: path });
    section.pieces.push(piece);
    section.pieces.last_mut()
}

/// Makes a remark in place of a file.
fn marked(path: &RepoPath, marker: String, kind: NoteKind, message: String) -> Piece {
    Piece::file(path.as_str(), Body::Marker(marker))
        .with_note(Note::new(kind, message).on(path.as_str()))
}

/// Makes what stands in place of a binary file that was asked for by its path.
pub(super) fn binary(path: &RepoPath, bytes: u64) -> Piece {
    let shown = quoted(path.as_str());
    let message = format!("`{shown}` is a binary file; only its size is shown");
    let marker = format!("[Binary file, {bytes} bytes]");
    marked(path, marker, NoteKind::Skipped, message)
}

/// Makes what stands in place of a file over the size limit that was asked for by its path.
pub(super) fn too_large(path: &RepoPath, bytes: u64) -> Piece {
    let shown = quoted(path.as_str());
    let message = format!("`{shown}` is over the size limit: {bytes} bytes");
    let marker = format!("[File exceeds size limit: {bytes} bytes]");
    marked(path, marker, NoteKind::Skipped, message)
}

/// Notes that a file is left out because of the limit on all files together.
fn over_total(path: &RepoPath, bytes: u64, key: &Key) -> Piece {
    let (total, files) = match key {
        Key::AlwaysInclude => (MAX_ALWAYS_INCLUDE, "all files of `always_include` together"),
        _ => (MAX_TOTAL, "all files together"),
    };
    let shown = quoted(path.as_str());
    let message = format!(
        "`{shown}` is left out: {files} may have {total} bytes, and its {bytes} bytes no longer fit"
    );
    let marker =
        format!("[File left out: {bytes} bytes, over the limit of {total} bytes for {files}]");
    marked(path, marker, NoteKind::Skipped, message)
}

/// Packs a file that a walk found; files left out on purpose are counted. A file that repomix did
/// not list is still packed if it is not UTF-8: repomix guesses the encoding, and skips what it
/// cannot guess.
fn place_or_count(
    placer: &mut Placer<'_>,
    section: &mut Section,
    pick: &Pick,
    listed: bool,
    skipped: &mut Skipped,
) {
    let (path, real) = (pick.path().clone(), pick.real().clone());
    if placer.placed.contains_key(&real) {
        return;
    }
    match read(placer, pick) {
        Ok(file) if !listed && !file.replaced => {
            placer.left += file.bytes.max(LEAST);
            skipped.unlisted.push(path.as_str());
        }
        Ok(file) => {
            section.pieces.push(source(&path, file));
            let key = section.key.clone();
            placer.placed.insert(real, Placed { key, name: path });
        }
        Err(Refusal::Binary(_)) => skipped.binary.push(path.as_str()),
        Err(Refusal::TooLarge(bytes)) if bytes > MAX_FILE => skipped.large.push(path.as_str()),
        Err(Refusal::TooLarge(_)) => skipped.over_total.push(path.as_str()),
        Err(refusal) => section.notes.push(unreadable(&path, &refusal)),
    }
}

/// Returns the name of the file that was probably meant by a missing one.
pub(super) fn near(repo: &Repo, path: &RepoPath) -> String {
    let folder = path.ancestors().nth(1).unwrap_or_default();
    let Ok(folder) = RepoPath::parse(folder) else {
        return String::new();
    };
    let names = repo.names(&folder);
    let others = names
        .iter()
        .map(String::as_str)
        .filter(|name| *name != path.name());
    match nearest(path.name(), others) {
        Some(name) => format!(", did you mean `{}`?", quoted(folder.entry(name).as_str())),
        None => String::new(),
    }
}

/// Makes what stands under Target Files for a target that is shown elsewhere.
fn pointer(path: &RepoPath, there: &str, section: &str) -> Piece {
    let line = format!("[See under {there}]");
    let note = Note::new(NoteKind::Duplicate, format!("shown under `{section}`"));
    Piece::file(path.as_str(), Body::Marker(line)).with_note(note.on(path.as_str()))
}
