//! Files, each read once and placed in the first section that asks for it.

use super::repomix::{self, Packed};
use super::{Desk, MAX_ALWAYS_INCLUDE, MAX_FILE, pattern_error};
use crate::error::Error;
use crate::repo::{FileText, Found, Kind, Refusal, RepoPath, Visitor};
use crate::role::pattern::{Exclusion, Globs, Pattern};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::settings::Engine;
use crate::show::visible;

/// A file that is to be packed.
pub(super) struct Pick {
    /// The path by which it was found.
    path: RepoPath,
    /// Where it lies once links are followed, by which it is recognised.
    real: RepoPath,
    /// How it was asked for.
    asked: Asked,
}

/// How a file was asked for, which decides what stands in its place if it cannot
/// be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// As a target or a staged file: there is always something in its place.
    Directly,
    /// By its path in a pattern: a marker if it is binary or too large.
    ByName,
    /// By a glob or its folder: a binary file is passed over.
    ByGlob,
}

impl Pick {
    /// The file at this path, if there is one; else a pick that cannot be read.
    pub(super) fn new(desk: &Desk<'_>, path: &RepoPath, asked: Asked) -> Pick {
        let real = match desk.repo.kind(path) {
            Kind::File(real) => real,
            _ => path.clone(),
        };
        Pick {
            path: path.clone(),
            real,
            asked,
        }
    }
}

/// Packs the target files in the order given; a folder stands for all below it.
pub(super) fn targets(desk: &mut Desk<'_>, targets: &[RepoPath]) -> Section {
    let mut section = Section::new(Key::TargetFile, Vec::new());
    for target in targets {
        match desk.repo.kind(target) {
            Kind::Folder(folder) => {
                let nothing_excluded = |_: &RepoPath| false;
                let found = below(desk, &mut section, &folder, &nothing_excluded);
                if found.is_empty() {
                    let shown = visible(target.as_str());
                    let message = format!("the target folder `{shown}` holds no files");
                    let note = Note::new(NoteKind::Unreadable, message).on(target.as_str());
                    section.notes.push(note);
                }
                for pick in found {
                    let asked = Asked::Directly;
                    place(desk, &mut section, Pick { asked, ..pick });
                }
            }
            _ => {
                let pick = Pick::new(desk, target, Asked::Directly);
                place(desk, &mut section, pick);
            }
        }
    }
    section
}

/// Packs the staged files.
pub(super) fn changed(desk: &mut Desk<'_>) -> Section {
    let mut section = Section::new(Key::ChangedFiles, Vec::new());
    let files = match desk.repo.git().and_then(|git| git.staged()) {
        Ok(files) => files,
        Err(why) => {
            let message = format!("no list of changed files: {why}");
            section.notes.push(Note::new(NoteKind::Git, message));
            return section;
        }
    };
    for file in files.iter().filter(|file| !file.deleted) {
        let Ok(path) = RepoPath::parse(&file.path) else {
            let shown = visible(&file.path);
            let message = format!("the staged path `{shown}` is not one of this repository's");
            section
                .notes
                .push(Note::new(NoteKind::Skipped, message).on(&file.path));
            continue;
        };
        if matches!(desk.repo.kind(&path), Kind::Folder(_)) {
            let shown = visible(path.as_str());
            let message = format!("`{shown}` is a submodule; its content is not packed");
            section
                .notes
                .push(Note::new(NoteKind::Skipped, message).on(path.as_str()));
            continue;
        }
        let pick = Pick::new(desk, &path, Asked::Directly);
        place(desk, &mut section, pick);
    }
    section
}

/// Packs the protected files, in the order of their patterns, up to a limit of
/// their own.
pub(super) fn always_include(desk: &mut Desk<'_>, patterns: &[Pattern]) -> Result<Section, Error> {
    let mut section = Section::new(Key::AlwaysInclude, Vec::new());
    let whole = desk.left;
    desk.left = MAX_ALWAYS_INCLUDE;
    let nothing_excluded = |_: &RepoPath| false;
    for pattern in patterns {
        let pattern = std::slice::from_ref(pattern);
        for pick in resolve(desk, &mut section, pattern, &nothing_excluded)? {
            place(desk, &mut section, pick);
        }
    }
    desk.left = whole - (MAX_ALWAYS_INCLUDE - desk.left);
    Ok(section)
}

/// Packs what the plain patterns match, sorted by path.
pub(super) fn matched(
    desk: &mut Desk<'_>,
    patterns: &[Pattern],
    exclusion: &Exclusion,
    engine: Engine,
) -> Result<Section, Error> {
    let mut section = Section::new(Key::Files, Vec::new());
    let excluded = |path: &RepoPath| exclusion.excludes(path);
    let (passed, own) = through_repomix(desk, &mut section, patterns, exclusion, engine);
    let mut found = resolve(desk, &mut section, &own, &excluded)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let mut skipped = Skipped::default();
    for pick in found {
        match pick.asked {
            Asked::ByGlob => place_or_count(desk, &mut section, pick, &mut skipped),
            _ => place(desk, &mut section, pick),
        }
    }
    for file in passed {
        place_packed(desk, &mut section, file, &excluded, &mut skipped);
    }
    section.pieces.sort_by(|a, b| a.path.cmp(&b.path));
    skipped.close(&mut section);
    Ok(section)
}

/// Has repomix pack the globs that can be passed on to it; returns what it packed
/// and the patterns that are left for this program.
fn through_repomix(
    desk: &Desk<'_>,
    section: &mut Section,
    patterns: &[Pattern],
    exclusion: &Exclusion,
    engine: Engine,
) -> (Vec<Packed>, Vec<Pattern>) {
    let mut fall_back = |why: String| {
        let message = format!("repomix is not used, the files are packed natively: {why}");
        section.notes.push(Note::new(NoteKind::Engine, message));
        (Vec::new(), patterns.to_vec())
    };
    let passable = |pattern: &Pattern| match pattern {
        Pattern::Wild(wild) => wild.glob().is_some_and(repomix::can_pass),
        _ => false,
    };
    let (passed, own): (Vec<Pattern>, Vec<Pattern>) = patterns.iter().cloned().partition(passable);
    if passed.is_empty() {
        return (Vec::new(), own);
    }
    let program = match repomix::find(engine, desk.repo) {
        Ok(Some(program)) => program,
        Ok(None) => return (Vec::new(), patterns.to_vec()),
        Err(why) => return fall_back(why),
    };
    let globs: Vec<&str> = passed
        .iter()
        .filter_map(|pattern| match pattern {
            Pattern::Wild(wild) => wild.glob(),
            _ => None,
        })
        .collect();
    // What cannot be passed on is left out here, when the files are placed.
    let exclude: Vec<&str> = exclusion
        .globs()
        .filter(|glob| repomix::can_pass(glob))
        .collect();
    match program.pack(&globs, &exclude) {
        Ok(files) => (files, own),
        Err(why) => fall_back(why),
    }
}

/// Packs a file that repomix packed, under the same rules as one of our own.
fn place_packed(
    desk: &mut Desk<'_>,
    section: &mut Section,
    file: Packed,
    excluded: &dyn Fn(&RepoPath) -> bool,
    skipped: &mut Skipped,
) {
    let Packed { path, text } = file;
    let real = match desk.repo.kind(&path) {
        Kind::File(real) if !excluded(&path) && !excluded(&real) => real,
        Kind::File(_) => return,
        _ => {
            section.notes.push(leads_astray(&path));
            return;
        }
    };
    if desk.placed.contains_key(&real) {
        return;
    }
    let bytes = text.len() as u64;
    if bytes > MAX_FILE {
        skipped.large.push(path.to_string());
    } else if bytes > desk.left {
        skipped.over_total.push(path.to_string());
    } else {
        desk.left -= bytes;
        desk.placed.insert(real, section.key.clone());
        section
            .pieces
            .push(Piece::file(path.as_str(), Body::Source(text)));
    }
}

/// What globs matched and what was left out all the same.
#[derive(Default)]
struct Skipped {
    large: Vec<String>,
    over_total: Vec<String>,
    binary: Vec<String>,
}

impl Skipped {
    fn close(self, section: &mut Section) {
        let (large, over) = (self.large.len(), self.over_total.len());
        if large + over > 0 {
            let kib = MAX_FILE / 1024;
            let line = format!(
                "[Skipped {large} files over {kib} KiB, {over} files over the total limit]"
            );
            section.pieces.push(Piece::text(Body::Marker(line)));
        }
        for (files, why) in [
            (self.large, "larger than the limit of a file"),
            (self.over_total, "over the limit of all files together"),
            (self.binary, "binary"),
        ] {
            if !files.is_empty() {
                let message = format!("{why} and left out: {}", some(&files));
                section.notes.push(Note::new(NoteKind::Skipped, message));
            }
        }
    }
}

/// The first few names, and how many more there are.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| visible(name)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Finds the files that patterns ask for and says which pattern finds nothing.
fn resolve(
    desk: &Desk<'_>,
    section: &mut Section,
    patterns: &[Pattern],
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<Pick>, Error> {
    let mut picks = Vec::new();
    let mut wild = Vec::new();
    for pattern in patterns {
        match pattern {
            Pattern::Wild(glob) => wild.push(glob.clone()),
            Pattern::Path(path) => match desk.repo.kind(path) {
                Kind::Folder(folder) => {
                    let found = below(desk, section, &folder, excluded);
                    if found.is_empty() {
                        section.notes.push(finds_nothing(desk, path.as_str()));
                    }
                    picks.extend(found);
                }
                Kind::Missing => section.notes.push(finds_nothing(desk, path.as_str())),
                Kind::File(real) if excluded(path) || excluded(&real) => {}
                _ => picks.push(Pick::new(desk, path, Asked::ByName)),
            },
            Pattern::Sentinel(_) => section.notes.push(Note::new(
                NoteKind::Pattern,
                "a variable or `git diff --cached` asks for a section in `include` only",
            )),
        }
    }
    let globs = Globs::new(wild).map_err(|why| pattern_error(&why))?;
    if !globs.is_empty() {
        let mut visitor = Matches {
            globs: &globs,
            excluded,
            found: Vec::new(),
            hits: vec![false; globs.texts().len()],
        };
        section
            .notes
            .extend(desk.repo.walk(&RepoPath::root(), &mut visitor));
        for (text, _) in globs
            .texts()
            .iter()
            .zip(&visitor.hits)
            .filter(|(_, hit)| !**hit)
        {
            section.notes.push(finds_nothing(desk, text));
        }
        picks.extend(within(desk, section, visitor.found, excluded));
    }
    Ok(picks)
}

fn finds_nothing(desk: &Desk<'_>, pattern: &str) -> Note {
    let kind = if desk.guesses.iter().any(|guess| guess == pattern) {
        NoteKind::Reason
    } else {
        NoteKind::Pattern
    };
    let shown = visible(pattern);
    Note::new(kind, format!("pattern `{shown}` matches no file"))
}

struct Matches<'a> {
    globs: &'a Globs,
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    found: Vec<Found>,
    hits: Vec<bool>,
}

impl Visitor for Matches<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        self.globs.reaches(folder) && !(self.excluded)(folder)
    }

    fn found(&mut self, found: Found) {
        let matches = self.globs.matches(found.path.as_str());
        for index in &matches {
            self.hits[*index] = true;
        }
        if !matches.is_empty() && !(self.excluded)(&found.path) {
            self.found.push(found);
        }
    }
}

struct Everything<'a> {
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    found: Vec<Found>,
}

impl Visitor for Everything<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        !(self.excluded)(folder)
    }

    fn found(&mut self, found: Found) {
        if !(self.excluded)(&found.path) {
            self.found.push(found);
        }
    }
}

/// All files below a folder.
fn below(
    desk: &Desk<'_>,
    section: &mut Section,
    folder: &RepoPath,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Vec<Pick> {
    if !folder.is_root() && excluded(folder) {
        return Vec::new();
    }
    let mut visitor = Everything {
        excluded,
        found: Vec::new(),
    };
    section.notes.extend(desk.repo.walk(folder, &mut visitor));
    let mut found = within(desk, section, visitor.found, excluded);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Leaves out links to folders, to excluded files, and to what lies outside.
fn within(
    desk: &Desk<'_>,
    section: &mut Section,
    found: Vec<Found>,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Vec<Pick> {
    let mut picks = Vec::with_capacity(found.len());
    for Found { path, link } in found {
        let real = match link.then(|| desk.repo.kind(&path)) {
            None => path.clone(),
            Some(Kind::File(real)) if !excluded(&real) => real,
            Some(Kind::File(_) | Kind::Folder(_)) => continue,
            Some(Kind::Outside | Kind::Other | Kind::Missing) => {
                section.notes.push(leads_astray(&path));
                continue;
            }
        };
        let asked = Asked::ByGlob;
        picks.push(Pick { path, real, asked });
    }
    picks
}

fn leads_astray(path: &RepoPath) -> Note {
    let shown = visible(path.as_str());
    let message =
        format!("`{shown}` is left out: it leads outside the repository or to no regular file");
    Note::new(NoteKind::Skipped, message).on(path.as_str())
}

/// Reads a file, within what may still be read.
fn read(desk: &mut Desk<'_>, path: &RepoPath) -> Result<FileText, Refusal> {
    let file = desk.repo.read(path, MAX_FILE.min(desk.left))?;
    desk.left -= file.bytes;
    Ok(file)
}

fn source(path: &RepoPath, file: FileText) -> Piece {
    let piece = Piece::file(path.as_str(), Body::Source(file.text));
    if !file.replaced {
        return piece;
    }
    let shown = visible(path.as_str());
    let message = format!("`{shown}` is not valid UTF-8; invalid parts were replaced");
    piece.with_note(Note::new(NoteKind::Encoding, message).on(path.as_str()))
}

/// Packs a file, or says in its place why not.
pub(super) fn place(desk: &mut Desk<'_>, section: &mut Section, pick: Pick) {
    let Pick { path, real, asked } = pick;
    if let Some(key) = desk.placed.get(&real) {
        if *key != section.key && section.key == Key::TargetFile {
            section.pieces.push(pointer(&path, key));
        }
        return;
    }
    let shown = visible(path.as_str());
    let marked = |marker: String, kind: NoteKind, message: String| {
        Piece::file(path.as_str(), Body::Marker(marker))
            .with_note(Note::new(kind, message).on(path.as_str()))
    };
    let piece = match read(desk, &path) {
        Ok(file) => source(&path, file),
        Err(Refusal::Binary(_)) if asked == Asked::ByGlob => {
            let message = format!("binary and left out: {shown}");
            section.notes.push(Note::new(NoteKind::Skipped, message));
            return;
        }
        Err(Refusal::Binary(bytes)) => marked(
            format!("[Binary file, {bytes} bytes]"),
            NoteKind::Skipped,
            format!("`{shown}` is a binary file; only its size is shown"),
        ),
        Err(Refusal::TooLarge(bytes)) => marked(
            format!("[File exceeds size limit: {bytes} bytes]"),
            NoteKind::Skipped,
            format!("`{shown}` is over the size limit: {bytes} bytes"),
        ),
        Err(refusal) if asked == Asked::Directly => marked(
            "[Could not read file]".into(),
            NoteKind::Unreadable,
            format!("cannot read `{shown}`: {refusal}"),
        ),
        Err(refusal) => {
            section.notes.push(unreadable(&path, &refusal));
            return;
        }
    };
    desk.placed.insert(real, section.key.clone());
    section.pieces.push(piece);
}

/// Packs a file that a glob matched; what is left out on purpose is counted.
fn place_or_count(desk: &mut Desk<'_>, section: &mut Section, pick: Pick, skipped: &mut Skipped) {
    let Pick { path, real, .. } = pick;
    if desk.placed.contains_key(&real) {
        return;
    }
    match read(desk, &path) {
        Ok(file) => {
            section.pieces.push(source(&path, file));
            desk.placed.insert(real, section.key.clone());
        }
        Err(Refusal::Binary(_)) => skipped.binary.push(path.to_string()),
        Err(Refusal::TooLarge(bytes)) if bytes > MAX_FILE => skipped.large.push(path.to_string()),
        Err(Refusal::TooLarge(_)) => skipped.over_total.push(path.to_string()),
        Err(refusal) => section.notes.push(unreadable(&path, &refusal)),
    }
}

/// What stands under Target Files for a target that is shown elsewhere.
fn pointer(path: &RepoPath, key: &Key) -> Piece {
    let line = format!("[Shown under {}]", key.heading());
    let note = Note::new(NoteKind::Duplicate, format!("shown under `{key}`"));
    Piece::file(path.as_str(), Body::Marker(line)).with_note(note.on(path.as_str()))
}

fn unreadable(path: &RepoPath, refusal: &Refusal) -> Note {
    let shown = visible(path.as_str());
    let message = format!("cannot read `{shown}`: {refusal}");
    Note::new(NoteKind::Unreadable, message).on(path.as_str())
}
