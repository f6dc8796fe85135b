//! Makes sections fit.
//!
//! The budget knows nothing of formats: it is handed the [`Price`] of the parts of
//! a section and gives every piece a form. It never changes a text.

mod choose;
mod proportion;
mod prune;
mod shrink;

pub(crate) use proportion::{Cut, Marked, SLIVER, cut, fit_with, in_proportion};
pub use proportion::{DEFAULT_FIT_BUDGET, FitOptions, Fitted, MIN_SECTION_TOKENS, fit_to_budget};

use std::ops::Range;

use crate::section::{Body, Form, Piece, Section};
use crate::settings::Prune;
use crate::syntax::{language, outline::outline, purpose};

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

/// What tells of files that are only named what they are for takes at most a section's room
/// divided by this.
const DESCRIPTIONS: usize = 20;

/// Tells what files are for that are only named, in their order, until one has no room; what
/// that costs more for each piece. Where not even all names have room, names matter more.
fn describe(pieces: &mut [Piece], room: usize, price: &dyn Price) -> Vec<usize> {
    let mut costs = vec![0; pieces.len()];
    let is_missing = |piece: &Piece| piece.form == Form::Omitted && has_name(piece);
    if pieces.iter().any(is_missing) {
        return costs;
    }
    let mut left = room;
    for (piece, cost) in pieces.iter_mut().zip(&mut costs) {
        if piece.form != Form::Name || !tells_purpose(piece) {
            continue;
        }
        let name = price.piece(piece);
        piece.form = Form::Described;
        let more = price.piece(piece).saturating_sub(name);
        if more > left {
            piece.form = Form::Name;
            break;
        }
        left -= more;
        *cost = more;
    }
    costs
}

/// Whether a piece can be shown by its name alone.
fn has_name(piece: &Piece) -> bool {
    piece.path.is_some() && !matches!(piece.body, Body::Marker(_))
}

fn tells_purpose(piece: &Piece) -> bool {
    let path = piece.path.as_deref();
    path.is_some_and(|path| purpose(language(path), piece.body.text()).is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is named costs 1, what is described 3.
    struct Names;

    impl Price for Names {
        fn frame(&self, _: &Section) -> usize {
            0
        }
        fn piece(&self, piece: &Piece) -> usize {
            match piece.form {
                Form::Described => 3,
                _ => 1,
            }
        }
        fn least(&self, _: &Piece) -> usize {
            0
        }
        fn room(&self, tokens: usize) -> usize {
            tokens
        }
        fn lines(&self, lines: &[&str]) -> usize {
            lines.len()
        }
        fn gap(&self, _: Range<usize>) -> usize {
            1
        }
        fn outlined(&self, _: Range<usize>) -> usize {
            1
        }
        fn mention(&self, _: &Section) -> usize {
            0
        }
        fn closing(&self, _: usize) -> usize {
            0
        }
    }

    fn described(room: usize, last: Form) -> (usize, Vec<Form>) {
        let named = |text: &str| Piece {
            form: Form::Name,
            ..Piece::file("a.rs", Body::Source(text.into()))
        };
        let says = named("//! Reads words.\n");
        let mut pieces = [says.clone(), named("fn a() {}\n"), says];
        pieces[2].form = last;
        let costs = describe(&mut pieces, room, &Names);
        (
            costs.iter().sum(),
            pieces.into_iter().map(|piece| piece.form).collect(),
        )
    }

    #[test]
    fn what_files_are_for_is_told_where_all_names_have_room() {
        use Form::{Described, Name, Omitted};
        assert_eq!(described(1, Name), (0, vec![Name, Name, Name]));
        assert_eq!(described(3, Name), (2, vec![Described, Name, Name]));
        assert_eq!(described(9, Name), (4, vec![Described, Name, Described]));
        assert_eq!(described(9, Omitted), (0, vec![Name, Name, Omitted]));
    }
}
