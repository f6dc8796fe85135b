//! What changed as a diff, one piece per file.

use super::Gathering;
use crate::error::Error;
use crate::repo::{FileDiff, Limited, WantedChange};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};

/// Why a given text changes no file.
const NO_DIFF: &str = "the given diff names no file: pass what `git diff` prints";

/// Gathers the change that the prompt is about.
pub(super) fn of_change(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::GitDiff, Vec::new());
    let change = all.ask.change.found(all.ask.repo);
    section.title = Some(change.title());
    match &change.files {
        // The role shows it if there is one; what a caller names, it expects.
        Ok(files) if files.items.is_empty() && all.ask.change.by_caller => {
            let message = format!("{}, so there is no diff", change.nothing());
            section.notes.push(Note::new(NoteKind::Git, message));
        }
        Ok(files) => {
            if change.is_text_alone() {
                section.notes.push(Note::new(NoteKind::Git, NO_DIFF));
            }
            section.notes.extend(remark(files));
            section.pieces = pieces(files.items.clone());
        }
        Err(why) => {
            let what = match change.which {
                WantedChange::Staged => "no staged diff",
                _ => "no diff",
            };
            let message = format!("{what}: {why}");
            section.notes.push(Note::new(NoteKind::Git, message));
        }
    }
    Ok(section)
}

/// Notes that not all changed files are listed.
pub fn remark<T>(files: &Limited<T>) -> Option<Note> {
    let message = files.remark()?;
    Some(Note::new(NoteKind::Skipped, message))
}

/// Makes a piece for each file of a diff.
pub fn pieces(files: Vec<FileDiff>) -> Vec<Piece> {
    let piece = |file: FileDiff| {
        let body = Body::Diff(file.text);
        let mut piece = match file.path.as_str() {
            "" => Piece::text(body),
            path => Piece::file(path, body),
        };
        if file.replaced {
            let message = "the diff is not valid UTF-8; invalid parts were replaced";
            piece
                .notes
                .push(Note::new(NoteKind::Encoding, message).on(&file.path));
        }
        piece
    };
    files.into_iter().map(piece).collect()
}
