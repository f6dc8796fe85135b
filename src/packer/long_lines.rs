//! Cuts lines that a prompt has no room for, because only whole lines of a text are shown.

use std::iter;

use memchr::{memchr, memrchr};

use super::resolve::Effective;
use crate::context::Context;
use crate::section::{Body, CutLines, Form, Note, NoteKind, Piece};
use crate::settings::Prune;
use crate::show::{grouped, quoted};
use crate::tokens::Counter;
use crate::truncate::{MAX_LINE, cut_long_lines};

/// A line with more tokens than the budget divided by this leaves no room for others, or none for
/// itself.
const SHARE: usize = 2;

/// Cuts the long lines of texts that are not shown whole, if a line is too long for the budget:
/// otherwise nothing of such a text could be shown. Protected text is shown whole at any cost, and
/// nothing is cut where whole sections are dropped.
///
/// Returns whether there were such lines.
pub(super) fn cut(context: &mut Context, effective: &Effective) -> bool {
    cut_where(context, effective, |piece| piece.form != Form::Full)
}

/// Cuts the long lines of every text before anything is fitted, so that the prompts of a run begin
/// alike.
pub(super) fn cut_all(context: &mut Context, effective: &Effective) {
    cut_where(context, effective, |_| true);
}

fn cut_where(
    context: &mut Context,
    effective: &Effective,
    is_meant: impl Fn(&Piece) -> bool,
) -> bool {
    if effective.prune == Prune::Drop {
        return false;
    }
    let sections = context.sections.iter_mut();
    let sections = sections.filter(|section| !section.key.is_protected());
    let pieces = sections.flat_map(|section| &mut section.pieces);
    let mut are_cut = false;
    for piece in pieces.filter(|piece| is_meant(piece)) {
        if is_too_long(piece, effective.budget / SHARE, effective.tokenizer) {
            are_cut |= cut_lines(piece, effective);
        }
    }
    are_cut
}

fn is_too_long(piece: &Piece, tokens: usize, tokenizer: Counter) -> bool {
    // A token has a byte at least.
    let least = MAX_LINE.max(tokens);
    long_lines(piece.body.text(), least).any(|line| tokenizer.count(line) > tokens)
}

/// Returns the lines of more than `least` bytes. Where lines end within that many bytes, it skips
/// past the last of them.
fn long_lines(text: &str, least: usize) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut start = 0;
    iter::from_fn(move || {
        while let Some(within) = bytes.get(start..start + least + 1) {
            if let Some(end) = memrchr(b'\n', within) {
                start += end + 1;
                continue;
            }
            let end = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
            let line = &text[start..end];
            start = end + 1;
            return Some(line);
        }
        None
    })
}

fn cut_lines(piece: &mut Piece, effective: &Effective) -> bool {
    let most = MAX_LINE.min(effective.budget);
    let (Body::Source(text) | Body::Text(text) | Body::Diff(text)) = &mut piece.body else {
        return false;
    };
    let (written, lines) = cut_long_lines(text, most);
    // Characters of several bytes may be many tokens and yet no long line.
    if lines == 0 {
        return false;
    }
    let tokens = |text: &str| effective.tokenizer.count(text);
    let tokens = tokens(text).saturating_sub(tokens(&written));
    *text = written.into_owned();
    piece.remarks.take();
    let whose = piece
        .path
        .as_deref()
        .map_or("a text".into(), |path| format!("`{}`", quoted(path)));
    let lines = if lines == 1 {
        "a line".into()
    } else {
        format!("{} lines", grouped(lines))
    };
    let message = format!(
        "{whose} has {lines} of which only {most} characters fit the budget; a larger budget \
         shows more"
    );
    let note = Note::new(NoteKind::Cut, message);
    let told = Some(match &piece.path {
        Some(path) => note.on(path),
        None => note,
    });
    piece.cut = Some(CutLines { tokens, told });
    true
}

/// Reports which of the shown lines are cut.
pub(super) fn tell(context: &mut Context) {
    let pieces = context.sections.iter_mut();
    for piece in pieces.flat_map(|section| &mut section.pieces) {
        let is_shown = !matches!(piece.form, Form::Omitted | Form::Name | Form::Described);
        let told = piece
            .cut
            .as_mut()
            .and_then(|cut| cut.told.take_if(|_| is_shown));
        piece.notes.extend(told);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn long_lines_are_those_that_are_long(text in "(a{0,6}\n|é{0,3}\n){0,8}a{0,6}", least in 0..7_usize) {
            let expected: Vec<&str> = text.split('\n').filter(|line| line.len() > least).collect();
            prop_assert_eq!(long_lines(&text, least).collect::<Vec<_>>(), expected);
        }
    }
}
