//! The staged changes as a diff, one piece per file.

use super::Gathering;
use crate::error::Error;
use crate::repo::{FileDiff, Limited};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};

/// Gathers what is staged.
pub(super) fn staged(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::GitDiff, Vec::new());
    match all.ask.repo.staged() {
        Ok(files) => {
            section.notes.extend(remark(&files));
            section.pieces = pieces(files.items);
        }
        Err(why) => {
            let message = format!("no staged diff: {why}");
            section.notes.push(Note::new(NoteKind::Git, message));
        }
    }
    Ok(section)
}

/// Says that not all changed files are told of.
pub fn remark<T>(files: &Limited<T>) -> Option<Note> {
    let message = files.remark()?;
    Some(Note::new(NoteKind::Skipped, message))
}

/// A piece for each file of a diff.
pub fn pieces(files: Vec<FileDiff>) -> Vec<Piece> {
    let piece = |file: FileDiff| {
        let mut piece = Piece::file(&file.path, Body::Diff(file.text));
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
