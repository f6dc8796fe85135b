//! Which part of a prompt is which section's.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::format;
use crate::settings::Style;

/// A part of the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Segment {
    /// The text.
    pub text: String,
    /// The section that it is from, by its number in `sections`; none for the template's
    /// own words.
    pub section: Option<usize>,
    /// The piece of that section.
    pub piece: Option<usize>,
}

/// Cuts the prompt into what the template says and what each piece of each section says.
pub(super) fn segments(text: &str, context: &Context, style: Style) -> Vec<Segment> {
    let mut claims: Vec<(Range<usize>, usize)> = Vec::new();
    for (place, section) in context.sections.iter().enumerate() {
        let written = format::section(section, style);
        if written.is_empty() {
            continue;
        }
        // A template may write a section where it likes, and twice.
        for (start, _) in text.match_indices(&written) {
            let claim = start..start + written.len();
            let overlaps = |(other, _): &(Range<usize>, usize)| {
                other.start < claim.end && claim.start < other.end
            };
            if !claims.iter().any(overlaps) {
                claims.push((claim, place));
            }
        }
    }
    claims.sort_by_key(|(claim, _)| claim.start);
    let mut segments = Segments::default();
    let mut from = 0;
    for (claim, place) in claims {
        segments.push(&text[from..claim.start], None, None);
        from = claim.end;
        let written = &text[claim];
        let mut at = 0;
        for (number, piece) in context.sections[place].pieces.iter().enumerate() {
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
