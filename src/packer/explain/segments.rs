//! Which part of a prompt belongs to which section.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::context::Context;
use crate::format;
use crate::settings::Style;

/// A part of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Segment {
    /// The text.
    pub text: String,
    /// The section that it is from, by its index in `sections`; null for the template's own text.
    pub section: Option<usize>,
    /// The piece of that section, by its index in `pieces`.
    pub piece: Option<usize>,
}

/// The most places at which a section is looked for: a template may write it anywhere, and twice.
const MAX_PLACES: usize = 16;

/// Where sections stand in a prompt: start, end, and the section's number.
type Claims = BTreeMap<usize, (usize, usize)>;

/// Finds the sections in the text, the longest first: what a section quotes of another belongs to
/// it.
fn claims(text: &str, context: &Context, style: Style) -> Claims {
    let sections = context.sections.iter().enumerate();
    let written = sections.map(|(place, section)| (place, format::section(section, style)));
    let mut written: Vec<(usize, String)> = written.filter(|(_, text)| !text.is_empty()).collect();
    written.sort_by_key(|(_, text)| Reverse(text.len()));
    let mut claims = Claims::new();
    for (place, section) in written {
        let mut from = 0;
        for _ in 0..MAX_PLACES {
            let Some(start) = text[from..].find(&section).map(|at| from + at) else {
                break;
            };
            let end = start + section.len();
            let before = claims.range(..end).next_back();
            from = match before {
                Some((_, (taken, _))) if *taken > start => *taken,
                _ => {
                    claims.insert(start, (end, place));
                    end
                }
            };
        }
    }
    claims
}

/// Cuts the prompt into the template's text and the text of each piece of each section.
pub(super) fn segments(text: &str, context: &Context, style: Style) -> Vec<Segment> {
    let mut segments = Segments::default();
    let mut from = 0;
    for (start, (end, place)) in claims(text, context, style) {
        let claim = start..end;
        segments.push(&text[from..claim.start], None, None);
        from = claim.end;
        let written = &text[claim];
        let mut at = 0;
        let section = &context.sections[place];
        for (number, (_, piece)) in section.in_order().into_iter().enumerate() {
            let block = format::block(piece, style);
            let Some(start) = written[at..].find(&block).filter(|_| !block.is_empty()) else {
                continue;
            };
            segments.push(&written[at..at + start], Some(place), None);
            segments.push(&block, Some(place), Some(number));
            at += start + block.len();
        }
        segments.push(&written[at..], Some(place), None);
    }
    segments.push(&text[from..], None, None);
    segments.0
}

#[derive(Default)]
struct Segments(Vec<Segment>);

impl Segments {
    fn push(&mut self, text: &str, section: Option<usize>, piece: Option<usize>) {
        if !text.is_empty() {
            self.0.push(Segment {
                text: text.to_owned(),
                section,
                piece,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::{Body, Form, Key, Piece, Section};

    #[test]
    fn each_piece_is_found_where_it_is_written() {
        let piece = |path: &str| Piece::file(path, Body::Source("text\n".into()));
        let mut pieces = ["a.rs", "b.rs", "c.rs", "d.rs"].map(piece);
        pieces[0].form = Form::Name;
        pieces[2].form = Form::Name;
        for backwards in [false, true] {
            let mut section = Section::new(Key::Related, pieces.to_vec());
            section.backwards = backwards;
            let text = format::section(&section, Style::Markdown);
            let context = Context {
                sections: vec![section],
                ..Context::default()
            };
            let parts = segments(&text, &context, Style::Markdown);
            let written: String = parts.iter().map(|part| part.text.as_str()).collect();
            assert_eq!(written, text);
            let pieces = context.sections[0].in_order();
            let numbers = parts.iter().filter_map(|part| part.piece);
            let order: Vec<usize> = numbers.map(|number| pieces[number].0).collect();
            let wanted = if backwards {
                [3, 1, 2, 0]
            } else {
                [1, 3, 0, 2]
            };
            assert_eq!(order, wanted, "{text}");
        }
    }
}
