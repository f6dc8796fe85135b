//! Makes sections fit.
//!
//! The budget knows nothing of formats: it is handed the [`Price`] of the parts of
//! a section and gives every piece a form. It never changes a text.

mod choose;
mod proportion;
mod prune;
mod shrink;

pub(crate) use proportion::{Cut, Marked, SLIVER, cut, fit_with};
pub use proportion::{DEFAULT_FIT_BUDGET, FitOptions, Fitted, MIN_SECTION_TOKENS, fit_to_budget};

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
    /// What a whole piece costs at least, without a look at its text.
    fn least(&self, piece: &Piece) -> usize;
    /// The units in this many tokens.
    fn room(&self, tokens: usize) -> usize;
    /// Lines inside a piece.
    fn lines(&self, lines: &[&str]) -> usize;
    /// The remark in place of lines inside a piece.
    fn gap(&self, lines: Range<usize>) -> usize;
    /// The remarks around an outline of lines inside a piece.
    fn outlined(&self, lines: Range<usize>) -> usize;
    /// The line that mentions a section all of whose pieces are omitted.
    fn mention(&self, section: &Section) -> usize;
    /// The closing line of a section, given how many of its pieces are omitted.
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
    let mut prices = Vec::new();
    for section in sections {
        section.set_form(&Form::Full);
        section.mentioned = true;
        if section.key.is_protected() {
            left = left.saturating_sub(Priced::new(section).total(section, price));
        } else {
            prices.push(Priced::new(section));
            open.push(section);
        }
    }
    let fitting = fitting(&mut open, &mut prices, left, price);
    match rule {
        Prune::Drop => prune::drop_all(&mut open[fitting..]),
        // Where it is known what parts are worth, there may be more than should be there.
        Prune::Shrink if fitting < open.len() || prices.iter().any(|p| p.is_valued) => {
            shrink::shrink(&mut open, &mut prices, left, price);
        }
        Prune::Shrink => {}
    }
}

/// How many of the first sections fit whole into `room` together.
fn fitting(
    sections: &mut [&mut Section],
    prices: &mut [Priced],
    room: usize,
    price: &dyn Price,
) -> usize {
    let mut left = room;
    let all = sections.iter_mut().zip(prices);
    all.map_while(|(section, priced)| {
        left -= priced.within(section, left, price)?;
        Some(())
    })
    .count()
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

/// What a section costs when it is whole, as far as it had to be known: what certainly
/// does not fit is not written to find out.
struct Priced {
    /// Whether it is known what its parts are worth.
    is_valued: bool,
    frame: Option<usize>,
    pieces: Vec<Option<usize>>,
}

impl Priced {
    fn new(section: &Section) -> Priced {
        Priced {
            is_valued: choose::is_valued(section),
            frame: None,
            pieces: vec![None; section.pieces.len()],
        }
    }

    fn frame(&mut self, section: &Section, price: &dyn Price) -> usize {
        *self.frame.get_or_insert_with(|| price.frame(section))
    }

    /// The price of a piece when it is whole, with the piece in this form, if that is at
    /// most `room`; with the piece as it was if it is more.
    fn piece(
        &mut self,
        at: usize,
        piece: &mut Piece,
        room: usize,
        price: &dyn Price,
    ) -> Option<usize> {
        if self.pieces[at].is_none() && price.least(piece) > room {
            return None;
        }
        let before = std::mem::replace(&mut piece.form, Form::Full);
        let cost = *self.pieces[at].get_or_insert_with(|| price.piece(piece));
        if cost > room {
            piece.form = before;
            return None;
        }
        Some(cost)
    }

    fn total(&mut self, section: &mut Section, price: &dyn Price) -> usize {
        self.within(section, usize::MAX, price)
            .unwrap_or(usize::MAX)
    }

    /// The price of the whole section, which is then whole, if it is at most `room`; with
    /// the section as it was if it is more.
    fn within(&mut self, section: &mut Section, room: usize, price: &dyn Price) -> Option<usize> {
        let mut left = room.checked_sub(self.frame(section, price))?;
        for (piece, known) in section.pieces.iter().zip(&self.pieces) {
            left = left.checked_sub(known.unwrap_or_else(|| price.least(piece)))?;
        }
        let forms: Vec<Form> = section.pieces.iter().map(|p| p.form.clone()).collect();
        let mut total = self.frame(section, price);
        for at in 0..section.pieces.len() {
            let cost = self.piece(at, &mut section.pieces[at], room - total, price);
            let Some(cost) = cost else {
                for (piece, form) in section.pieces.iter_mut().zip(forms) {
                    piece.form = form;
                }
                return None;
            };
            total += cost;
        }
        Some(total)
    }
}
