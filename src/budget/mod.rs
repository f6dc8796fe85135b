//! Makes sections fit.
//!
//! The budget knows nothing of formats: it is handed the [`Price`] of the parts of
//! a section and gives every piece a form. It never changes a text.

mod choose;
mod proportion;
mod prune;
mod shrink;

pub(crate) use proportion::{Cut, Marked, SLIVER, cut, fit_with};
pub use proportion::{DEFAULT_FIT_BUDGET, Fitted, MIN_SECTION_TOKENS, fit_to_budget};

use std::ops::Range;

use crate::section::{Body, Form, Piece, Section};
use crate::settings::Prune;
use crate::syntax::{language, outline::outline};

/// What the parts of a section cost, in units of the tokenizer, the blank lines
/// around them included. The price of a whole is at most the sum of its parts.
pub trait Price {
    /// The head and the foot.
    fn frame(&self, section: &Section) -> usize;
    /// A piece in its present form.
    fn piece(&self, piece: &Piece) -> usize;
    /// The units of so many tokens.
    fn room(&self, tokens: usize) -> usize;
    /// Lines inside a piece.
    fn lines(&self, lines: &[&str]) -> usize;
    /// The remark in place of lines inside a piece.
    fn gap(&self, lines: Range<usize>) -> usize;
    /// The remarks around an outline of lines inside a piece.
    fn outlined(&self, lines: Range<usize>) -> usize;
    /// The line that mentions a section all of whose pieces are omitted.
    fn mention(&self, section: &Section) -> usize;
    /// The closing line of a section of which so many pieces are omitted.
    fn closing(&self, omitted: usize) -> usize;
}

/// Gives every piece a form so that all sections together cost at most `room`,
/// unless the protected ones alone cost more; then nothing else is left.
///
/// The sections stand in the order of their priority, protected ones anywhere. The
/// last is pruned first.
pub fn fit(sections: &mut [Section], room: usize, rule: Prune, price: &dyn Price) {
    let mut left = room;
    let mut open = Vec::new();
    for section in sections {
        section.set_form(&Form::Full);
        section.mentioned = true;
        if section.key.is_protected() {
            left = left.saturating_sub(Priced::of(section, price).total());
        } else {
            open.push(section);
        }
    }
    let prices: Vec<Priced> = open.iter().map(|s| Priced::of(s, price)).collect();
    let is_valued = rule == Prune::Shrink && open.iter().any(|section| choose::is_valued(section));
    if !is_valued && prices.iter().map(Priced::total).sum::<usize>() <= left {
        return;
    }
    match rule {
        Prune::Drop => prune::drop_last(&mut open, &prices, left),
        Prune::Shrink => shrink::shrink(&mut open, &prices, left, price),
    }
}

/// The lines that make the outline of a piece; none if it is no source, or of a language
/// without a parser. Found when it is first asked for: most pieces fit whole.
fn outline_of(piece: &Piece) -> &[Range<usize>] {
    piece
        .outline
        .get_or_init(|| match (&piece.body, &piece.path) {
            (Body::Source(text), Some(path)) => outline(language(path), text),
            _ => Vec::new(),
        })
}

/// What a section costs when it is whole.
struct Priced {
    frame: usize,
    pieces: Vec<usize>,
}

impl Priced {
    fn of(section: &Section, price: &dyn Price) -> Priced {
        Priced {
            frame: price.frame(section),
            pieces: section.pieces.iter().map(|p| price.piece(p)).collect(),
        }
    }

    fn total(&self) -> usize {
        self.frame + self.pieces.iter().sum::<usize>()
    }
}
