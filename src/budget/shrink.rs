//! `prune: shrink`: more room never shows less.
//!
//! Sections take their share in the order of their priority. The one at the boundary is shrunk to
//! the room that is left, and each of the following ones is mentioned in one line: a section begins
//! only when everything before it is there. So whatever is shown with some room is also shown with
//! any larger one, line by line.

use std::ops::Range;

use super::choose::{Outcome, choose, room_for_asked};
use super::steps::{Steps, priced_as};
use super::{DESCRIPTIONS, NAMES, Price, Priced, describe, has_name, is_guess, tells_purpose};
use crate::ranges::count;
use crate::section::{Body, Form, Key, Piece, Section, Status};
use crate::truncate::last_that;

/// Lines that mention dropped sections take at most the room divided by this.
const MENTIONS: usize = 4;

/// A section that is there for every task takes at most the remaining room divided by this, as long
/// as guesses follow that want the rest.
const GENERAL: usize = 10;

/// The same for sections that say most things to other readers than this worker: a guide for
/// contributors and nothing else.
const GENERAL_FOR_OTHERS: usize = 20;

/// The same for the list of all files, which only helps orientation.
const ORIENTATION: usize = 40;

/// Targets take at most this share of the remaining room, as long as guesses follow them. What was
/// asked for is whole before any guess, unless it would leave less than half of the room to what
/// belongs with it. Then only its likeliest parts are shown: if targets took all the room, a change
/// would often lack what else must change. Lines of them that were asked for are always shown.
const TARGETS: (usize, usize) = (1, 2);

/// Files that the role names take at most the remaining room divided by this, as long as guesses
/// follow them, for the same reason.
const NAMED: usize = 2;

/// Changed files take at most the remaining room divided by this, as long as guesses follow them:
/// the diff shows what changed, and a reviewer would not otherwise see what nobody changed. Still,
/// it is the function around a change that is reviewed.
const CHANGED: usize = 3;

/// Gives every piece the largest form that fits, in the order of sections and pieces. Returns
/// whether more room would add more than names.
pub(super) fn shrink(
    sections: &mut [&mut Section],
    prices: &mut [Priced],
    room: usize,
    price: &dyn Price,
) -> bool {
    let mut mentions = Vec::with_capacity(sections.len());
    let mut asked = vec![0; sections.len()];
    for (section, asked) in sections.iter_mut().zip(&mut asked) {
        if section.key == Key::TargetFile || section.names_files() {
            *asked = room_for_asked(section, price);
        }
        section.set_form(&Form::Omitted);
        section.mentioned = false;
        mentions.push(price.mention(section));
    }
    let mut shrinking = Shrinking {
        mentions,
        asked,
        costs: vec![0; sections.len()],
        sections,
        prices,
        price,
        room,
    };
    let is_all = shrinking.place_all();
    shrinking.mention_dropped();
    !is_all
}

/// Sections while they take their share of the room, one after another.
struct Shrinking<'a, 'b> {
    sections: &'a mut [&'b mut Section],
    prices: &'a mut [Priced],
    price: &'a dyn Price,
    room: usize,
    /// What the line that mentions each section costs, if it is dropped.
    mentions: Vec<usize>,
    /// The room that each section takes for files and lines that were asked for.
    asked: Vec<usize>,
    /// What each section costs. If several share their room, the first has it all.
    costs: Vec<usize>,
}

impl Shrinking<'_, '_> {
    /// Places one after another. Returns whether all of them are placed.
    fn place_all(&mut self) -> bool {
        let mut left = self.room;
        let mut held = Vec::new();
        let mut index = 0;
        while index < self.sections.len() {
            let these = index..index + self.neighbours(index);
            index = these.end;
            let here = left.saturating_sub(self.reserved(index));
            let share = self.share(these.start, here);
            let waits = share < here && self.waits(these.start);
            // Whole, it comes before lines that mention less important ones.
            let whole = if self.guesses_follow(index) {
                share
            } else {
                left
            };
            let placed = if waits {
                self.place_what_counts(these.clone(), share)
            } else {
                let whole = self.place_whole(these.start, whole);
                whole.unwrap_or_else(|| self.place(these.clone(), share))
            };
            if placed.is_all {
                left -= placed.claim;
                if waits {
                    held.push((these, placed.claim));
                }
            } else if share < here {
                // Counted with all of its share, whatever a cut at a line has left of it.
                held.push((these, share));
                left -= share;
            } else {
                return false;
            }
            if !self.guesses_follow(index) {
                let Some(rest) = self.place_held(std::mem::take(&mut held), left) else {
                    return false;
                };
                left = rest;
            }
        }
        true
    }

    /// Whether something of a section waits for what is left over.
    fn waits(&self, index: usize) -> bool {
        self.prices[index].is_valued && self.sections[index].waits
    }

    /// Places the parts of a section that are worth anything. The rest waits for what is left over.
    fn place_what_counts(&mut self, these: Range<usize>, share: usize) -> Outcome {
        let at = these.start;
        let fill = std::mem::replace(&mut self.sections[at].fill, false);
        let placed = choose(&mut self.sections[these], share, self.price);
        self.sections[at].fill = fill;
        self.costs[at] = placed.cost;
        placed
    }

    /// Gives what is left over to what was held back for guesses. Returns how much is then left, if
    /// all of it is placed.
    fn place_held(&mut self, held: Vec<(Range<usize>, usize)>, left: usize) -> Option<usize> {
        let mut left = left;
        for (these, share) in held {
            let placed = self.place(these, share + left);
            left = (share + left)
                .checked_sub(placed.claim)
                .filter(|_| placed.is_all)?;
        }
        Some(left)
    }

    /// Whether guesses come after the sections before this one, with nothing between that would
    /// take what is held back for them.
    fn guesses_follow(&self, index: usize) -> bool {
        let mut following = self.sections[index..].iter().zip(&self.prices[index..]);
        let next = following
            .find(|(section, priced)| chooses_among(section, priced) || !leaves_room(section));
        next.is_some_and(|(section, priced)| chooses_among(section, priced))
    }

    /// Returns how many sections from this one on share their room: guesses whose parts have a
    /// known worth.
    fn neighbours(&self, index: usize) -> usize {
        let all = self.sections[index..].iter().zip(&self.prices[index..]);
        let guesses = all.take_while(|(section, priced)| chooses_among(section, priced));
        guesses.count().max(1)
    }

    /// Returns the room for lines that mention the sections from this one on.
    fn reserved(&self, index: usize) -> usize {
        let mentions: usize = self.mentions[index..].iter().sum();
        mentions.min(self.room / MENTIONS)
    }

    /// Returns how much of the remaining room a section may take before its turn comes again.
    fn share(&self, index: usize, left: usize) -> usize {
        let share = match self.sections[index].key {
            Key::TargetFile => (left * TARGETS.0 / TARGETS.1).max(left.min(self.asked[index])),
            Key::Conventions if self.sections[index].is_for_people => left / GENERAL_FOR_OTHERS,
            Key::Conventions | Key::ProjectContext => left / GENERAL,
            Key::Tree => left / ORIENTATION,
            Key::ChangedFiles => left / CHANGED,
            _ if self.sections[index].names_files() => self.asked[index].min(left / NAMED),
            _ => left,
        };
        if self.guesses_follow(index) {
            share
        } else {
            left
        }
    }

    /// Places these sections in this room.
    fn place(&mut self, these: Range<usize>, room: usize) -> Outcome {
        let index = these.start;
        if let Some(whole) = self.place_whole(index, room) {
            return whole;
        }
        let placed = if self.prices[index].is_valued {
            choose(&mut self.sections[these], room, self.price)
        } else {
            let cost = self.cut_into(index, room);
            Outcome {
                cost,
                claim: cost,
                is_all: false,
            }
        };
        self.costs[index] = placed.cost;
        placed
    }

    /// Places all of a section, if it fits into this room and nothing of it may be left out.
    fn place_whole(&mut self, index: usize, room: usize) -> Option<Outcome> {
        if leaves_out(self.sections[index], &self.prices[index]) {
            return None;
        }
        let cost = self.prices[index].within(self.sections[index], room, self.price)?;
        self.costs[index] = cost;
        Some(Outcome {
            cost,
            claim: cost,
            is_all: true,
        })
    }

    /// Mentions what is dropped as far as there is room, starting with what would be placed last.
    fn mention_dropped(&mut self) {
        let mut left = self.room.saturating_sub(self.costs.iter().sum());
        for (section, cost) in self.sections.iter_mut().zip(&self.mentions).rev() {
            if section.status() == Status::Dropped && !section.mentioned {
                section.mentioned = *cost <= left;
                left -= if section.mentioned { *cost } else { 0 };
            }
        }
    }

    fn cut_into(&mut self, index: usize, room: usize) -> usize {
        let (section, priced) = (&mut self.sections[index], &mut self.prices[index]);
        section.set_form(&Form::Omitted);
        section.mentioned = false;
        into(section, priced, room, self.price).unwrap_or(0)
    }
}

/// Whether a section takes only a [share](Shrinking::share) before guesses, or never much.
fn leaves_room(section: &Section) -> bool {
    let is_small = matches!(
        section.key,
        Key::TargetFile
            | Key::ChangedFiles
            | Key::Conventions
            | Key::ProjectContext
            | Key::Tree
            | Key::RecentCommits
    );
    is_small || section.names_files()
}

/// Whether something of a section may be left out although all of it fits.
pub(super) fn leaves_out(section: &Section, priced: &Priced) -> bool {
    chooses_among(section, priced) || is_sifted(section, priced) || tells_licence(section, priced)
}

/// Whether a section is one of guesses whose parts have a known worth.
fn chooses_among(section: &Section, priced: &Priced) -> bool {
    priced.is_valued && is_guess(&section.key)
}

/// Whether something of a section is left out although there is room: somebody asked for it, and it
/// also has text for other readers.
fn is_sifted(section: &Section, priced: &Priced) -> bool {
    priced.is_valued && section.key == Key::Conventions && !section.fill
}

/// Whether a changed file has text about its licence, which a reviewer of the change does not need.
/// A file that somebody asked for by name is whole: a worker may rewrite it as it was shown.
fn tells_licence(section: &Section, priced: &Priced) -> bool {
    let mut pieces = section.pieces.iter();
    let tells = section.key == Key::ChangedFiles && pieces.any(|piece| !piece.licence.is_empty());
    priced.is_valued && tells
}

/// Shrinks one section into `room` and returns what it costs; `None` if no form of any piece fits.
/// Pieces are whole in their order, the next one is cut, and the names of others take at most a
/// share of the room.
fn into(
    section: &mut Section,
    priced: &mut Priced,
    room: usize,
    price: &dyn Price,
) -> Option<usize> {
    let fixed = priced.frame(section, price) + price.closing(section.pieces.len());
    let room = room.checked_sub(fixed)?;
    let pieces = &mut section.pieces;
    let names: Vec<usize> = pieces.iter_mut().map(|piece| name(piece, price)).collect();
    let most = room / NAMES;
    let purposes = purposes(pieces, room / DESCRIPTIONS, price);
    let mut behind: usize = names.iter().sum();
    let mut used = 0;
    let mut next = 0;
    while next < pieces.len() {
        let told = behind - names[next] + purposes[next + 1];
        let left = (room - used).saturating_sub(most.min(told));
        let Some(cost) = priced.piece(next, &mut pieces[next], left, price) else {
            used += cut(&mut pieces[next], left, price).unwrap_or(0);
            break;
        };
        behind -= names[next];
        used += cost;
        next += 1;
    }
    let mut left = most.min(room - used);
    for (piece, name) in pieces.iter_mut().zip(names).skip(next) {
        if piece.form != Form::Omitted || name == 0 {
            continue;
        }
        if name > left {
            break;
        }
        piece.form = Form::Name;
        left -= name;
        used += name;
    }
    let here = left.min(room / DESCRIPTIONS);
    used += describe(pieces, here, price).iter().sum::<usize>();
    let shown = pieces.iter().any(|piece| piece.form != Form::Omitted);
    shown.then_some(fixed + used)
}

/// Returns what it costs, from each position on, to say what the files are for, at most `most`.
fn purposes(pieces: &mut [Piece], most: usize, price: &dyn Price) -> Vec<usize> {
    let mut costs = vec![most; pieces.len() + 1];
    let mut all = 0;
    for (at, piece) in pieces.iter_mut().enumerate().rev() {
        costs[at + 1] = all;
        if has_name(piece) && tells_purpose(piece) {
            let named = priced_as(piece, Form::Name, price);
            all += priced_as(piece, Form::Described, price).saturating_sub(named);
            piece.form = Form::Omitted;
        }
        // Those before it are not looked at: it cannot be less.
        if all >= most {
            break;
        }
        costs[at] = all;
    }
    costs
}

/// Returns what the name of a piece costs that is not shown; 0 if it has none.
fn name(piece: &mut Piece, price: &dyn Price) -> usize {
    if !has_name(piece) {
        return 0;
    }
    let cost = priced_as(piece, Form::Name, price);
    piece.form = Form::Omitted;
    cost
}

/// Cuts a piece to as many of its lines as fit. Returns what they cost, or `None`, with the piece
/// omitted, if none fits. A few lines are better than none, because nothing else may have the room.
fn cut(piece: &mut Piece, room: usize, price: &dyn Price) -> Option<usize> {
    if matches!(piece.body, Body::Marker(_) | Body::Prose(_)) && piece.spare.is_empty() {
        return None;
    }
    let steps = Steps::of(piece, room, price);
    // The last step is the whole piece, which does not fit.
    let last = steps.len().saturating_sub(1);
    let fits = last_that(0, last, |step| {
        priced_as(piece, steps.form(step), price) <= room
    });
    let form = steps.form(fits);
    let cost = priced_as(piece, form, price);
    if shown(&piece.form) == 0 || cost > room {
        piece.form = Form::Omitted;
        return None;
    }
    Some(cost)
}

/// Returns how many lines a cutting form has.
fn shown(form: &Form) -> usize {
    match form {
        Form::Excerpt { kept, outline } => count(kept) + count(outline),
        Form::Outline(lines) => count(lines),
        Form::Full | Form::Described | Form::Name | Form::Omitted => 0,
    }
}
