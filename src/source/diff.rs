//! The staged changes as a diff, one piece per file.

use crate::repo::Repo;
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};

/// Gathers what is staged.
pub(super) fn staged(repo: &Repo) -> Section {
    let mut section = Section::new(Key::GitDiff, Vec::new());
    let files = match repo.git().and_then(|git| git.staged()) {
        Ok(files) => files,
        Err(why) => {
            let message = format!("no staged diff: {why}");
            section.notes.push(Note::new(NoteKind::Git, message));
            return section;
        }
    };
    for file in files {
        let mut piece = Piece::file(&file.path, Body::Diff(file.text.clone()));
        if file.replaced {
            let message = "the diff is not valid UTF-8; invalid parts were replaced";
            piece
                .notes
                .push(Note::new(NoteKind::Encoding, message).on(&file.path));
        }
        section.pieces.push(piece);
    }
    section
}
