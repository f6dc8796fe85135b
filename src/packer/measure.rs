//! Makes the context fit what is really written, and counts.

use super::CUT_MARKER;
use super::resolve::Effective;
use crate::budget::{self, Price};
use crate::context::Context;
use crate::error::Diagnostic;
use crate::format;
use crate::section::{Body, Form, Note, NoteKind, Piece, Section};
use crate::settings::{Prune, Style};
use crate::split;
use crate::tokens::Counter;

/// How often a prompt that is over budget is written again with less context before it is written
/// with only its protected parts.
const MAX_ROUNDS: usize = 12;

/// How often it is written once more with more context if much of the room is left free…
const MAX_REFINED: usize = 5;

/// …which is more than the room divided by this.
const LITTLE: usize = 25;

/// Hardly any prompt has more bytes than this, two million tokens.
const MAX_WRITTEN: usize = 8_000_000;

/// Fits the context into what `overhead` leaves of `room`, writes it, and counts. As long as the
/// whole is over budget, it tries again with less room for the context.
///
/// Parts are priced one by one, which is exact for characters. An exact tokenizer may count the
/// seams differently, and a template may write a section twice.
pub(super) fn fit_until_true(
    context: &mut Context,
    effective: &Effective,
    room: usize,
    overhead: usize,
    mut write: impl FnMut(&Context) -> Result<String, Box<Diagnostic>>,
) -> Result<String, Box<Diagnostic>> {
    let price = Written {
        style: effective.style,
        tokenizer: effective.tokenizer,
    };
    for section in context
        .sections
        .iter_mut()
        .filter(|it| it.earlier.is_none())
    {
        section.set_form(&Form::Full);
    }
    if may_be_whole(context, effective) {
        let whole = write(context)?;
        if effective.tokenizer.units(&whole) <= room {
            return Ok(whole);
        }
    }
    // The first part is priced with a gap before it that is not written.
    let gap = price.units(format::gap(effective.style));
    let wanted = room.saturating_sub(overhead);
    let mut left = if wanted > 0 { wanted + gap } else { 0 };
    let mut step = effective.tokenizer.room(1);
    let mut too_much = None;
    let protected = budget::protected(&mut context.sections, &price);
    let mut fit = |left: usize| {
        let has_more = budget::fit(&mut context.sections, left, effective.prune, &price);
        let text = write(context)?;
        let used = effective.tokenizer.units(&text);
        let tried = Tried { left, used, text };
        Ok::<_, Box<Diagnostic>>((tried, has_more))
    };
    for _ in 0..MAX_ROUNDS {
        let (tried, has_more) = fit(left)?;
        let used = tried.used;
        if used <= room {
            // What the parts cost may be more than what they cost together.
            let is_cheaper = has_more && !effective.tokenizer.is_additive();
            let more = is_cheaper.then(|| left + 2 * (room - used));
            return match too_much.or(more) {
                Some(most) => refined(tried, most, room, |left| Ok(fit(left)?.0)),
                None => Ok(tried.text),
            };
        }
        // Where there is no room for anything else, less changes nothing.
        if left <= protected {
            break;
        }
        too_much = Some(left);
        // As much less as the context turned out to cost more than its price. Texts are
        // cut at lines, so a step that is too small changes nothing.
        let less = left.saturating_sub(step);
        left = budget::in_proportion(left, wanted, used.saturating_sub(overhead)).min(less);
        step *= 2;
    }
    Ok(fit(0)?.0.text)
}

/// Whether to try writing the whole context to see if it fits. A context that is certainly too
/// large is not written for that. Where the worth of parts is known, there may be more room than
/// should be filled.
fn may_be_whole(context: &Context, effective: &Effective) -> bool {
    let mut pieces = context.sections.iter().flat_map(|section| &section.pieces);
    let is_valued = effective.prune == Prune::Shrink && pieces.any(|piece| !piece.parts.is_empty());
    !is_valued && least(context, effective.style) <= MAX_WRITTEN
}

/// The result of one try that left `left` for the context.
struct Tried {
    left: usize,
    used: usize,
    text: String,
}

/// Writes again with more left for the context, but less than `most`, while much of the room is
/// free.
fn refined(
    mut fits: Tried,
    mut most: usize,
    room: usize,
    mut fit: impl FnMut(usize) -> Result<Tried, Box<Diagnostic>>,
) -> Result<String, Box<Diagnostic>> {
    let mut last = fits.left;
    for _ in 0..MAX_REFINED {
        if fits.used.saturating_add(room / LITTLE) >= room || most - fits.left < 2 {
            break;
        }
        last = fits.left.midpoint(most);
        let tried = fit(last)?;
        if tried.used <= room {
            fits = tried;
        } else {
            most = last;
        }
    }
    if last == fits.left {
        return Ok(fits.text);
    }
    Ok(fit(fits.left)?.text)
}

/// Returns the least number of bytes that all pieces have once they are written. Text full of
/// characters to escape grows many times larger.
fn least(context: &Context, style: Style) -> usize {
    let pieces = || context.sections.iter().flat_map(|section| &section.pieces);
    let texts: usize = pieces().map(|piece| piece.body.text().len()).sum();
    if !(MAX_WRITTEN / 16..=MAX_WRITTEN).contains(&texts) {
        return texts;
    }
    pieces()
        .map(|piece| format::block(piece, style).len())
        .sum()
}

/// Cuts the protected sections, which are all that is left, to the budget.
pub(super) fn cut_protected(context: &mut Context, text: &str, effective: &Effective) -> String {
    let tokenizer = effective.tokenizer;
    let cut = tokenizer.cut_and_mark(text, tokenizer.room(effective.budget), CUT_MARKER);
    let tokens = tokenizer.count(text);
    let over = tokens.saturating_sub(effective.budget);
    let message = format!("over budget by {over} tokens: the protected parts were cut to fit");
    context.notes.push(Note::new(NoteKind::OverBudget, message));
    mark_cut(context, text, common_prefix(text, &cut), effective.style);
    cut
}

fn common_prefix(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// Gives the pieces after `end` in `text` the form that is left of them, so that the report is
/// true.
fn mark_cut(context: &mut Context, text: &str, end: usize, style: Style) {
    let mut from = 0;
    for section in &mut context.sections {
        for piece in &mut section.pieces {
            let block = format::block(piece, style);
            let Some(at) = text[from..].find(&block).filter(|_| !block.is_empty()) else {
                continue;
            };
            let (start, stop) = (from + at, from + at + block.len());
            from = stop;
            if stop <= end {
                continue;
            }
            let end = split::boundary(text, end.max(start));
            let shown = &text[start..end];
            let head = split::count_lines(&block).saturating_sub(piece.body.lines() + 1);
            let kept = split::count_lines(shown).saturating_sub(head + 1);
            piece.form = match kept {
                0 => Form::Omitted,
                kept => Form::excerpt(vec![std::ops::Range {
                    start: 0,
                    end: kept,
                }]),
            };
        }
    }
}

/// The price of what `format` writes.
pub(crate) struct Written {
    pub(crate) style: Style,
    pub(crate) tokenizer: Counter,
}

impl Written {
    fn units(&self, text: &str) -> usize {
        self.tokenizer.units(text)
    }

    /// Returns the price of a text with the gap before it.
    fn after_gap(&self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        self.units(text) + self.units(format::gap(self.style))
    }
}

impl Price for Written {
    fn frame(&self, section: &Section) -> usize {
        self.after_gap(&format::head(section, self.style))
            + self.after_gap(format::foot(section, self.style))
    }

    fn piece(&self, piece: &Piece) -> usize {
        self.after_gap(&format::block(piece, self.style))
    }

    fn least(&self, piece: &Piece) -> usize {
        let text = match &piece.body {
            // Prose is written without the blanks at its end.
            Body::Prose(text) => text.trim_end(),
            body => body.text(),
        };
        // In elements a last line break is not written.
        self.tokenizer.least(text.len().saturating_sub(1))
    }

    fn room(&self, tokens: usize) -> usize {
        self.tokenizer.room(tokens)
    }

    fn lines(&self, lines: &[&str]) -> usize {
        match self.tokenizer {
            Counter::Chars => lines.iter().map(|line| self.units(line) + 1).sum(),
            _ => self.units(&(lines.join("\n") + "\n")),
        }
    }

    fn gap(&self, lines: std::ops::Range<usize>) -> usize {
        self.units(&format::gap_line(lines))
    }

    fn outlined(&self, lines: std::ops::Range<usize>) -> usize {
        let end = format::whole_again_line(lines.end);
        self.units(&format::outlined_line(lines)) + self.units(&end)
    }

    fn mention(&self, section: &Section) -> usize {
        format::mention(section, self.style).map_or(0, |line| self.after_gap(&line))
    }

    fn closing(&self, omitted: usize) -> usize {
        self.after_gap(&format::more_left_out(omitted))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nothing_costs_less_than_the_least(
            text in "(\\PC|\n|[ \t\n]{1,40}|]]>|<file|`{1,5}|🦀){0,60}",
            body in prop::sample::select(vec![
                Body::Source as fn(String) -> Body,
                Body::Diff,
                Body::Text,
                Body::Outline,
                Body::Prose,
                Body::Marker,
            ]),
            has_path: bool,
        ) {
            let body = body(text);
            let piece = if has_path { Piece::file("a.rs", body) } else { Piece::text(body) };
            // Some builds cannot count by all of them.
            let all = crate::tokens::Tokenizer::ALL.iter();
            let available = all.filter_map(|tokenizer| tokenizer.counter().ok());
            for tokenizer in available {
                for style in [Style::Markdown, Style::Xml] {
                    let price = Written { style, tokenizer };
                    prop_assert!(price.least(&piece) <= price.piece(&piece));
                }
            }
        }
    }
}
