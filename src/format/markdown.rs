//! Headings and fences.

use super::{excerpt, excerpt_of, name_only, outline, outline_of};
use crate::fence::fence;
use crate::section::{Body, Form, Key, Piece, Section};
use crate::show::visible;
use crate::syntax::language;

/// The heading; the system prompt has none, since it speaks for itself.
pub(super) fn head(section: &Section) -> String {
    match section.key {
        Key::SystemPrompt => String::new(),
        _ => format!("## {}", visible(&section.key.heading())),
    }
}

pub(super) fn block(piece: &Piece, form: &Form) -> String {
    let path = piece.path.as_deref();
    if *form == Form::Name {
        return format!(
            "- {} {}",
            visible(path.unwrap_or_default()),
            name_only(piece)
        );
    }
    let text = match (form, &piece.body) {
        (Form::Omitted, _) => return String::new(),
        (Form::Excerpt { kept, outline }, Body::Prose(text)) => {
            let text = excerpt(text, kept, outline);
            format!(
                "{}\n\n{}",
                excerpt_of(piece, kept, outline),
                text.trim_end()
            )
        }
        (Form::Excerpt { kept, outline }, body) => {
            let text = fence(&excerpt(body.text(), kept, outline), info(piece));
            format!("{}\n\n{text}", excerpt_of(piece, kept, outline))
        }
        (Form::Outline(lines), body) => {
            let text = fence(&outline(body.text(), lines), info(piece));
            format!("{}\n\n{text}", outline_of(piece, lines))
        }
        (_, Body::Prose(text)) => text.trim_end().to_owned(),
        (_, Body::Marker(text)) => text.clone(),
        (_, body) => fence(body.text(), info(piece)),
    };
    match path {
        Some(path) => format!("### {}\n\n{text}", visible(path)),
        None => text,
    }
}

fn info(piece: &Piece) -> &'static str {
    match (&piece.body, &piece.path) {
        (Body::Diff(_), _) => "diff",
        (Body::Source(_), Some(path)) => language(path),
        _ => "",
    }
}
