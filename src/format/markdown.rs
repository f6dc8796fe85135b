//! Headings and fences.

use std::borrow::Cow;

use super::excerpt::{excerpt, outline};
use super::own::own_lines;
use super::{excerpt_of, name_only, outline_of, told};
use crate::fence::{listed, push_fence, titled};
use crate::section::{Body, Form, Key, Piece, Section};
use crate::show::visible;
use crate::syntax::language_of_text;

/// Returns the heading. The system prompt has none, because it needs no introduction.
pub(super) fn head(section: &Section) -> String {
    match section.key {
        Key::SystemPrompt => String::new(),
        _ => format!("## {}", visible(&section.heading())),
    }
}

/// A heading and two fences hardly ever take more bytes.
const FRAME: usize = 128;

pub(super) fn block(piece: &Piece, form: &Form) -> String {
    let path = piece.path.as_deref();
    if form.is_line() {
        let name = visible(path.unwrap_or_default());
        let told = told(piece, form).map_or(String::new(), |text| format!(": {text}"));
        return format!("- {} {}{told}", listed(&name), name_only(piece));
    }
    if *form == Form::Omitted {
        return String::new();
    }
    let mut block = match form {
        Form::Full => String::with_capacity(piece.body.text().len() + FRAME),
        _ => String::new(),
    };
    if let Some(path) = path {
        block.push_str("### ");
        block.push_str(&titled(&visible(path)));
        block.push_str("\n\n");
    }
    if let Some(own) = own_lines(piece, form) {
        block.push_str(&own);
        block.push_str("\n\n");
    }
    let text = match form {
        Form::Excerpt { kept, outline } => {
            block.push_str(&excerpt_of(piece, kept, outline));
            block.push_str("\n\n");
            Cow::Owned(excerpt(piece, kept, outline))
        }
        Form::Outline(lines) => {
            block.push_str(&outline_of(piece, lines));
            block.push_str("\n\n");
            Cow::Owned(outline(piece.body.text(), lines))
        }
        _ => Cow::Borrowed(piece.body.text()),
    };
    match (form, &piece.body) {
        (Form::Outline(_), _) => push_fence(&mut block, &text, info(piece)),
        (_, Body::Prose(_)) => block.push_str(text.trim_end()),
        (Form::Full, Body::Marker(_)) => block.push_str(&text),
        _ => push_fence(&mut block, &text, info(piece)),
    }
    block
}

fn info(piece: &Piece) -> &'static str {
    match (&piece.body, &piece.path) {
        (Body::Diff(_), _) => "diff",
        (Body::Source(text), Some(path)) => language_of_text(path, text),
        _ => "",
    }
}
