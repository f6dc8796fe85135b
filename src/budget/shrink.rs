//! `prune: shrink`: nothing of the room is wasted.
//!
//! Sections take their share in the order of their priority. The one at the
//! boundary is shrunk into the room that is left, and what follows is mentioned in
//! one line each, or takes what the boundary could not use.

use std::ops::Range;

use super::choose::choose;
use super::{DESCRIPTIONS, Price, Priced, describe, has_name, outline_of};
use crate::section::{Body, Form, Key, Piece, Section, Status};
use crate::truncate::last_that;

/// Lines that mention dropped sections take at most the room divided by this.
const MENTIONS: usize = 4;

/// The names of files that are not shown take at most a shrunk section's room divided by
/// this; the other files are only counted.
const NAMES: usize = 5;

/// Target files that are chosen from take at most this share of the room, so that what
/// goes with them has room too.
const TARGETS: (usize, usize) = (1, 3);

/// A section that is there for every task takes at most the room divided by this, if parts
/// of known worth come after it.
const GENERAL: usize = 10;

/// A shorter excerpt of a file says too little to be worth its heading.
const MIN_EXCERPT_LINES: usize = 5;

/// Gives every piece the largest form that fits, in the order of sections and
/// pieces.
pub(super) fn shrink(
    sections: &mut [&mut Section],
    prices: &mut [Priced],
    room: usize,
    price: &dyn Price,
) {
    let mentions = mention(sections, room, price);
    let mut shrinking = Shrinking {
        least_name: least_name(price),
        reserved: mentions.iter().sum(),
        sections,
        prices,
        price,
        room,
        left: room,
        mentions,
        held: Vec::new(),
    };
    let mut index = 0;
    while index < shrinking.sections.len() {
        index += shrinking.place(index);
    }
    shrinking.widen_held();
    shrinking.mention_dropped();
}

/// Sections while they take their share of the room, one after another.
struct Shrinking<'a, 'b> {
    sections: &'a mut [&'b mut Section],
    prices: &'a mut [Priced],
    price: &'a dyn Price,
    least_name: usize,
    room: usize,
    left: usize,
    /// What the line costs that mentions each section, should it be dropped.
    mentions: Vec<usize>,
    /// The sum of those of sections whose turn is still to come.
    reserved: usize,
    /// Sections that were held back for others, with what they cost.
    held: Vec<(usize, usize)>,
}

impl Shrinking<'_, '_> {
    /// Places the section at `index`, or several from there on; how many.
    fn place(&mut self, index: usize) -> usize {
        // Neighbours whose parts have a known worth share what room there is.
        let rest = self.prices[index..].iter();
        let valued = rest.take_while(|priced| priced.is_valued).count();
        if valued == 0 {
            self.place_whole_or_cut(index);
            return 1;
        }
        if self.sections[index].key == Key::TargetFile {
            self.place_target(index);
            return 1;
        }
        let room = self.room_for(index..index + valued);
        self.left -= choose(&mut self.sections[index..index + valued], room, self.price);
        valued
    }

    /// The room that these sections may take, whose turn has come.
    fn room_for(&mut self, sections: Range<usize>) -> usize {
        self.reserved -= self.mentions[sections].iter().sum::<usize>();
        self.left.saturating_sub(self.reserved)
    }

    fn place_target(&mut self, index: usize) {
        let most = self.left * TARGETS.0 / TARGETS.1;
        let here = self.room_for(index..index + 1).min(most);
        if let Some(whole) = self.prices[index].within(self.sections[index], here, self.price) {
            self.left -= whole;
            return;
        }
        let cost = choose(&mut self.sections[index..=index], here, self.price);
        self.left -= cost;
        self.held.push((index, cost));
    }

    fn place_whole_or_cut(&mut self, index: usize) {
        let crowds_out = crowds_out(&self.sections[index].key, &self.prices[index + 1..]);
        let most = self.room / if crowds_out { GENERAL } else { 1 };
        let here = self.room_for(index..index + 1).min(most);
        let whole = self.prices[index].within(self.sections[index], here, self.price);
        let cost = whole.or_else(|| self.cut_into(index, here));
        let cost = cost.unwrap_or(self.mentions[index]);
        self.left -= cost;
        if most < self.room {
            self.held.push((index, cost));
        }
    }

    /// Gives what was held back for others and is left over to what was cut for it.
    fn widen_held(&mut self) {
        for (index, cost) in std::mem::take(&mut self.held) {
            if self.sections[index].status() == Status::Kept {
                continue;
            }
            let here = self.left + cost;
            let priced = &mut self.prices[index];
            let cost = if let Some(cost) = priced.within(self.sections[index], here, self.price) {
                cost
            } else if priced.is_valued {
                choose(&mut self.sections[index..=index], here, self.price)
            } else {
                self.sections[index].set_form(&Form::Omitted);
                self.cut_into(index, here).unwrap_or(cost)
            };
            self.left = here - cost;
        }
    }

    /// Mentions what could not be promised a line at first, where there is room for one now.
    fn mention_dropped(&mut self) {
        for section in self.sections.iter_mut() {
            if section.status() == Status::Dropped && !section.mentioned {
                let cost = self.price.mention(section);
                section.mentioned = cost <= self.left;
                self.left -= if section.mentioned { cost } else { 0 };
            }
        }
    }

    fn cut_into(&mut self, index: usize, room: usize) -> Option<usize> {
        let (section, priced) = (&mut self.sections[index], &mut self.prices[index]);
        into(section, priced, room, self.least_name, self.price)
    }
}

/// Whether a section is there for every task, and one that follows has parts of known
/// worth.
fn crowds_out(key: &Key, following: &[Priced]) -> bool {
    matches!(key, Key::Conventions | Key::ProjectContext)
        && following.iter().any(|priced| priced.is_valued)
}

/// Drops everything for now and promises a line to as many sections as have room,
/// the last first, since they are the first to go; the price of each line, 0 for no
/// promise.
fn mention(sections: &mut [&mut Section], room: usize, price: &dyn Price) -> Vec<usize> {
    let mut left = room / MENTIONS;
    let mut promised = vec![0; sections.len()];
    for (section, promise) in sections.iter_mut().zip(&mut promised).rev() {
        section.set_form(&Form::Omitted);
        let cost = price.mention(section);
        section.mentioned = cost <= left;
        if section.mentioned {
            left -= cost;
            *promise = cost;
        }
    }
    promised
}

/// What the shortest name of a file costs. With less room no form of a file is tried: only
/// a file that is all but empty would fit.
fn least_name(price: &dyn Price) -> usize {
    let mut piece = Piece::file("", Body::Source(String::new()));
    priced_as(&mut piece, Form::Name, price)
}

/// Shrinks one section into `room` and returns what it costs; `None` if no form of
/// any piece fits.
fn into(
    section: &mut Section,
    priced: &mut Priced,
    room: usize,
    least_name: usize,
    price: &dyn Price,
) -> Option<usize> {
    let closing = price.closing(section.pieces.len());
    let fixed = priced.frame(section, price) + closing;
    let mut left = room.checked_sub(fixed)?;
    let mut names = vec![0; section.pieces.len()];
    if left / NAMES >= least_name {
        names = name(&mut section.pieces, left / NAMES, price);
        left -= names.iter().sum::<usize>();
        let here = left.min(room / DESCRIPTIONS);
        for (name, more) in names
            .iter_mut()
            .zip(describe(&mut section.pieces, here, price))
        {
            *name += more;
            left -= more;
        }
    }
    let mut any = false;
    for (index, piece) in section.pieces.iter_mut().enumerate() {
        // Neither more than its name nor, where it has none, that.
        if left == 0 || names[index] == 0 && left < least_name && has_name(piece) {
            continue;
        }
        let here = left + names[index];
        let taken = if let Some(cost) = priced.piece(index, piece, here, price) {
            cost
        } else if let Some(cost) = smaller(piece, here, any, price) {
            cost
        } else if piece.form == Form::Omitted && has_name(piece) {
            match priced_as(piece, Form::Name, price) {
                cost if cost <= here => cost,
                _ => {
                    piece.form = Form::Omitted;
                    0
                }
            }
        } else {
            names[index]
        };
        any |= !piece.form.is_line() && piece.form != Form::Omitted;
        left = here - taken;
    }
    for piece in &mut section.pieces {
        if matches!(
            (&piece.form, &piece.body),
            (Form::Outline(_), Body::Source(_))
        ) {
            left = begin_whole(piece, left, price);
        }
    }
    let shown = section.pieces.iter().any(|p| p.form != Form::Omitted);
    shown.then_some(room - left)
}

/// Gives a piece that does not fit the form that says most in `room`: its first lines, or
/// its outline if they would be less than half of it; what that costs, or `None`, with
/// the piece unchanged, if not even a few lines fit: then nobody has to parse it.
fn smaller(piece: &mut Piece, room: usize, any_shown: bool, price: &dyn Price) -> Option<usize> {
    let cost = cut(piece, room, any_shown, price);
    let Form::Excerpt { kept, .. } = &piece.form else {
        return cost;
    };
    let kept: usize = kept.iter().map(Range::len).sum();
    if cost.is_none() || !piece.spare.is_empty() || kept * 2 >= piece.body.lines() {
        return cost;
    }
    let outline = outline_of(piece);
    if outline.is_empty() {
        return cost;
    }
    let outline = Form::Outline(outline.to_vec());
    let first_lines = piece.form.clone();
    let of_outline = priced_as(piece, outline, price);
    if of_outline <= room {
        return Some(of_outline);
    }
    piece.form = first_lines;
    cost
}

/// Shows as many of the first lines of an outlined piece whole as `left` has room for;
/// what is left then.
fn begin_whole(piece: &mut Piece, left: usize, price: &dyn Price) -> usize {
    let outline = outline_of(piece).to_vec();
    let before = price.piece(piece);
    let room = left + before;
    let form = |end: usize| {
        let behind = outline.iter().filter(|lines| lines.end > end);
        Form::Excerpt {
            kept: vec![Range { start: 0, end }],
            outline: behind
                .map(|lines| lines.start.max(end)..lines.end)
                .collect(),
        }
    };
    let most = piece.body.lines().saturating_sub(1);
    let fits = last_that(0, most, |end| priced_as(piece, form(end), price) <= room);
    let form = match fits {
        0..MIN_EXCERPT_LINES => Form::Outline(outline),
        _ => form(fits),
    };
    room - priced_as(piece, form, price)
}

/// Names as many files as fit into `room`; what each name costs, 0 for none.
fn name(pieces: &mut [Piece], room: usize, price: &dyn Price) -> Vec<usize> {
    let mut left = room;
    pieces
        .iter_mut()
        .map(|piece| {
            if !has_name(piece) {
                return 0;
            }
            let cost = priced_as(piece, Form::Name, price);
            if cost > left {
                piece.form = Form::Omitted;
                return 0;
            }
            left -= cost;
            cost
        })
        .collect()
}

fn priced_as(piece: &mut Piece, form: Form, price: &dyn Price) -> usize {
    piece.form = form;
    price.piece(piece)
}

/// Cuts a piece to as many of its lines as fit; what they cost, or `None`, with the
/// piece unchanged, if that is too few to be worth it.
///
/// A diff is cut per file: inside a file only if nothing of the section is shown
/// otherwise.
fn cut(piece: &mut Piece, room: usize, any_shown: bool, price: &dyn Price) -> Option<usize> {
    let least = match piece.body {
        _ if !piece.spare.is_empty() => 1,
        Body::Marker(_) | Body::Prose(_) => return None,
        Body::Diff(_) if any_shown => return None,
        Body::Diff(_) | Body::Text(_) | Body::Outline(_) => 1,
        Body::Source(_) => MIN_EXCERPT_LINES,
    };
    let before = piece.form.clone();
    let lines = piece.body.lines();
    let spare = std::mem::take(&mut piece.spare);
    // The last step is the whole piece, which does not fit.
    let steps = if spare.is_empty() { lines } else { spare.len() };
    let step = |step: usize| {
        if spare.is_empty() {
            vec![Range {
                start: 0,
                end: step,
            }]
        } else {
            without(lines, &spare[..steps - step])
        }
    };
    let form = match piece.body {
        Body::Outline(_) => Form::Outline,
        _ => Form::excerpt,
    };
    let fits = last_that(0, steps.saturating_sub(1), |steps| {
        priced_as(piece, form(step(steps)), price) <= room
    });
    let kept = step(fits);
    let count: usize = kept.iter().map(Range::len).sum();
    let cost = priced_as(piece, form(kept), price);
    piece.spare = spare;
    if count < least || cost > room {
        piece.form = before;
        return None;
    }
    Some(cost)
}

/// The lines that are in none of these ranges.
fn without(lines: usize, gone: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut gone = gone.to_vec();
    gone.sort_unstable_by_key(|range| range.start);
    let mut kept = Vec::new();
    let mut next = 0;
    for range in gone {
        if range.start > next {
            kept.push(next..range.start);
        }
        next = next.max(range.end.min(lines));
    }
    if next < lines {
        kept.push(next..lines);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_gone_is_kept() {
        assert_eq!(without(10, &[7..9, 2..4]), [0..2, 4..7, 9..10]);
        assert!(without(4, &[0..2, 2..9]).is_empty());
    }
}
