//! Lines that a prompt has no room for: what is shown of a text is made of whole lines.

use super::resolve::Effective;
use crate::context::Context;
use crate::section::{Body, Key, Note, NoteKind, Piece};
use crate::show::{grouped, quoted};
use crate::tokens::Counter;
use crate::truncate::{MAX_LINE, cut_long_lines};

/// A line of more tokens than the budget divided by this would leave no room for others, or
/// none for itself.
const SHARE: usize = 2;

/// Cuts the long lines of texts in which one is too long for the budget: else nothing of such
/// a text could be shown. What is protected is shown whole, whatever it costs.
pub(super) fn cut(context: &mut Context, effective: &Effective) {
    let most = MAX_LINE.min(effective.budget);
    let sections = context.sections.iter_mut();
    for section in sections.filter(|section| !Key::PROTECTED.contains(&section.key)) {
        for piece in &mut section.pieces {
            if is_too_long(piece, effective.budget / SHARE, effective.tokenizer) {
                cut_lines(piece, most);
            }
        }
    }
}

fn is_too_long(piece: &Piece, tokens: usize, tokenizer: Counter) -> bool {
    // A token has a byte at least.
    let least = MAX_LINE.max(tokens);
    let text = piece.body.text();
    let is_it = |line: &str| line.len() > least && tokenizer.count(line) > tokens;
    text.len() > least && text.split('\n').any(is_it)
}

fn cut_lines(piece: &mut Piece, most: usize) {
    let (Body::Source(text) | Body::Text(text) | Body::Diff(text)) = &mut piece.body else {
        return;
    };
    let (written, lines) = cut_long_lines(text, most);
    *text = written.into_owned();
    let whose = piece
        .path
        .as_deref()
        .map_or("a text".into(), |path| format!("`{}`", quoted(path)));
    let lines = if lines == 1 {
        "a line".into()
    } else {
        format!("{} lines", grouped(lines))
    };
    let message =
        format!("{whose} has {lines} of which only {most} characters fit into the budget");
    let note = Note::new(NoteKind::Cut, message);
    piece.notes.push(match &piece.path {
        Some(path) => note.on(path),
        None => note,
    });
}
