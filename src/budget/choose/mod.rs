//! Chooses among parts whose worth is known: the most worth for each unit first.

#![expect(
    clippy::cast_precision_loss,
    reason = "units of a prompt, far below 2^52"
)]

mod file;

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use self::file::{File, Shown};
use super::{DESCRIPTIONS, Price, describe};
use crate::section::{Form, Key, Section, Status};

/// What is worth less than this share of all that the worker needs, for each thousand
/// tokens, is not packed merely because there is room.
const LEAST_WORTH: f64 = 0.0003;

/// Files that are only named take at most the room divided by this.
const NAMES: usize = 40;

/// The declarations of a target without their bodies are worth more: it is to be seen as a
/// whole.
const SIGNATURES_OF_TARGET: f64 = 0.2;

/// Outlines take at most the room divided by this.
const OUTLINES: usize = 12;

/// Whether the budget chooses among the parts of this section's pieces.
pub(super) fn is_valued(section: &Section) -> bool {
    section.pieces.iter().any(|piece| !piece.parts.is_empty())
}

/// Gives the pieces of sections the forms that are worth most within `room`, and returns
/// what they cost.
pub(super) fn choose(sections: &mut [&mut Section], room: usize, price: &dyn Price) -> usize {
    let all = sections.iter().any(|section| section.fill);
    let mut frames = 0;
    let mut files = Vec::new();
    for (at, section) in sections.iter_mut().enumerate() {
        section.set_form(&Form::Omitted);
        section.mentioned = false;
        frames += price.frame(section) + price.closing(section.pieces.len());
        for (number, piece) in section.pieces.iter_mut().enumerate() {
            let mut file = File::of((at, number), piece, price);
            if section.key == Key::TargetFile {
                file.signatures = SIGNATURES_OF_TARGET;
            }
            files.push(file);
        }
    }
    let mut used = 0;
    if let Some(room) = room.checked_sub(frames) {
        let mut chosen = Chosen {
            files,
            left: room,
            left_for_outlines: room / OUTLINES,
            order: Vec::new(),
        };
        chosen.fill(if all {
            0.0
        } else {
            LEAST_WORTH / price.room(1000) as f64
        });
        used = chosen.settle(sections, room, price);
        used += name(sections, (room - used).min(room / NAMES), price);
        for section in sections.iter_mut() {
            let here = (room - used).min(room / DESCRIPTIONS);
            used += describe(&mut section.pieces, here, price)
                .iter()
                .sum::<usize>();
        }
    }
    used + frame(sections, room - used, price)
}

/// What the heads of the sections that are shown cost, with a line for each that is not,
/// as far as there is room.
fn frame(sections: &mut [&mut Section], room: usize, price: &dyn Price) -> usize {
    let is_dropped = |section: &Section| section.status() == Status::Dropped;
    let shown = sections.iter().filter(|section| !is_dropped(section));
    let mut used: usize = shown
        .map(|section| price.frame(section) + price.closing(section.pieces.len()))
        .sum();
    for section in sections.iter_mut().filter(|section| is_dropped(section)) {
        let cost = price.mention(section);
        section.mentioned = cost <= room - used;
        used += if section.mentioned { cost } else { 0 };
    }
    used
}

/// Names what is not shown, the likeliest first; what that costs.
fn name(sections: &mut [&mut Section], room: usize, price: &dyn Price) -> usize {
    let mut left = room;
    for section in sections.iter_mut() {
        for piece in &mut section.pieces {
            if piece.form != Form::Omitted || piece.path.is_none() {
                continue;
            }
            piece.form = Form::Name;
            let cost = price.piece(piece);
            if cost > left {
                piece.form = Form::Omitted;
                return room - left;
            }
            left -= cost;
        }
    }
    room - left
}

/// A part that could be shown next.
struct Next {
    density: f64,
    file: usize,
    part: usize,
    shown: Shown,
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        self.density
            .total_cmp(&other.density)
            .then(other.file.cmp(&self.file))
            .then(other.part.cmp(&self.part))
            .then((self.shown == Shown::Whole).cmp(&(other.shown == Shown::Whole)))
    }
}

struct Chosen {
    files: Vec<File>,
    left: usize,
    left_for_outlines: usize,
    /// What was chosen, the best first, and what was shown of it before.
    order: Vec<(usize, usize, Shown)>,
}

impl Chosen {
    fn next(&self, file: usize, part: usize, shown: Shown) -> Next {
        let here = &self.files[file];
        let cost = here.cost(part, shown).max(1);
        Next {
            density: here.worth(part, shown) / cost as f64,
            file,
            part,
            shown,
        }
    }

    /// What more there is to show of a part.
    fn offers(&self, file: usize, part: usize) -> impl Iterator<Item = Next> {
        let offers = [Shown::Outline, Shown::Whole].into_iter();
        offers
            .filter(move |shown| self.files[file].can_show(part, *shown))
            .map(move |shown| self.next(file, part, shown))
    }

    /// Shows part after part, or its outline, the most worth for its price first, until
    /// nothing that is worth `least` for each unit fits.
    fn fill(&mut self, least: f64) {
        let mut heap = BinaryHeap::new();
        for file in 0..self.files.len() {
            for part in 0..self.files[file].parts.len() {
                heap.extend(self.offers(file, part));
            }
        }
        while let Some(next) = heap.pop() {
            if !self.files[next.file].can_show(next.part, next.shown) {
                continue;
            }
            // What was shown since may have made it dearer.
            let now = self.next(next.file, next.part, next.shown);
            if now.density < next.density {
                heap.push(now);
                continue;
            }
            if now.density < least {
                break;
            }
            let cost = self.files[now.file].cost(now.part, now.shown);
            let is_outline = now.shown == Shown::Outline;
            if cost > self.left || is_outline && cost > self.left_for_outlines {
                continue;
            }
            self.left -= cost;
            self.left_for_outlines -= if is_outline { cost } else { 0 };
            // With the first part the whole file has become cheaper, with another one only
            // the neighbours.
            let file = &mut self.files[now.file];
            let cheaper = if file.is_open() {
                now.part.saturating_sub(1)..file.parts.len().min(now.part + 2)
            } else {
                0..file.parts.len()
            };
            let before = file.show(now.part, now.shown);
            self.order.push((now.file, now.part, before));
            for part in cheaper {
                heap.extend(self.offers(now.file, part));
            }
        }
    }

    /// Gives the pieces their forms; what was chosen last goes again until the real
    /// prices fit.
    fn settle(&mut self, sections: &mut [&mut Section], room: usize, price: &dyn Price) -> usize {
        let mut costs: Vec<usize> = (0..self.files.len())
            .map(|file| self.form(sections, file, price))
            .collect();
        loop {
            let used: usize = costs.iter().sum();
            if used <= room {
                return used;
            }
            let mut changed = BTreeSet::new();
            let mut less = 0;
            while less < used - room {
                let Some((file, part, before)) = self.order.pop() else {
                    break;
                };
                let here = &mut self.files[file];
                let gone = match here.show(part, before) {
                    Shown::Outline => here.outlines[part].1,
                    _ => here.costs[part],
                };
                less += gone.max(1);
                changed.insert(file);
            }
            if changed.is_empty() {
                return 0;
            }
            for file in changed {
                costs[file] = self.form(sections, file, price);
            }
        }
    }

    fn form(&self, sections: &mut [&mut Section], file: usize, price: &dyn Price) -> usize {
        let file = &self.files[file];
        let piece = &mut sections[file.at.0].pieces[file.at.1];
        let lines: Vec<&str> = piece.body.text().lines().collect();
        let total = lines.len();
        let (kept, outline) = file.lines(&lines);
        piece.form = match (kept.as_slice(), outline.is_empty()) {
            ([], false) => Form::Outline(outline),
            ([], true) if file.is_open() => Form::Full,
            ([], true) => Form::Omitted,
            ([all], _) if *all == (0..total) => Form::Full,
            _ => Form::Excerpt { kept, outline },
        };
        if piece.form == Form::Omitted {
            return 0;
        }
        price.piece(piece)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;
    use crate::section::{Body, Piece, Valued};

    /// A line costs 1, a gap 1, a name 1, a file 2, a section 3.
    struct Lines;

    impl Price for Lines {
        fn frame(&self, _: &Section) -> usize {
            3
        }
        fn piece(&self, piece: &Piece) -> usize {
            let total = piece.body.lines();
            match &piece.form {
                Form::Full => 2 + total,
                Form::Excerpt { kept, outline } => {
                    let lines: usize = kept.iter().chain(outline).map(Range::len).sum();
                    let mut gaps = 0;
                    let mut next = 0;
                    for range in kept {
                        gaps += usize::from(range.start > next);
                        next = range.end;
                    }
                    2 + lines + gaps + usize::from(next < total)
                }
                Form::Outline(lines) => 2 + lines.iter().map(Range::len).sum::<usize>(),
                Form::Described => 2,
                Form::Name => 1,
                Form::Omitted => 0,
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
            2
        }
        fn mention(&self, _: &Section) -> usize {
            1
        }
        fn closing(&self, _: usize) -> usize {
            1
        }
    }

    /// A file of parts, each given by its lines and its worth.
    fn file(path: &str, parts: &[(usize, f64)]) -> Piece {
        let mut text = String::new();
        let mut valued = Vec::new();
        let mut next = 0;
        for (lines, value) in parts {
            text += &"x\n".repeat(*lines);
            valued.push(Valued {
                lines: next..next + lines,
                owners: Vec::new(),
                value: *value,
            });
            next += lines;
        }
        Piece {
            parts: valued,
            ..Piece::file(path, Body::Source(text))
        }
    }

    fn forms(room: usize, pieces: Vec<Piece>, fill: bool) -> (usize, Vec<Form>) {
        let mut section = Section {
            fill,
            ..Section::new(Key::Related, pieces)
        };
        let cost = choose(&mut [&mut section], room, &Lines);
        (
            cost,
            section.pieces.into_iter().map(|piece| piece.form).collect(),
        )
    }

    #[test]
    fn the_most_worth_for_its_lines_comes_first_with_its_edges() {
        let pieces = || {
            vec![
                file("a", &[(20, 0.1), (5, 0.5), (20, 0.1)]),
                file("b", &[(50, 0.3)]),
            ]
        };
        let (_, small) = forms(20, pieces(), false);
        assert_eq!(
            small,
            [
                Form::excerpt(vec![Range { start: 18, end: 27 }]),
                Form::Omitted
            ]
        );
        let (_, large) = forms(200, pieces(), false);
        assert_eq!(large, [Form::Full, Form::Full]);
    }

    #[test]
    fn what_is_hardly_worth_anything_is_packed_only_to_fill() {
        let pieces = || vec![file("a", &[(5, 0.9)]), file("b", &[(5, 1e-9)])];
        assert_eq!(forms(100, pieces(), false).1, [Form::Full, Form::Name]);
        assert_eq!(forms(100, pieces(), true).1, [Form::Full, Form::Full]);
    }

    proptest! {
        /// Whatever the parts are worth, the room holds, and ranges are in order.
        #[test]
        fn what_is_chosen_fits(
            given in prop::collection::vec(prop::collection::vec((1usize..30, 0.0..1.0f64), 1..8), 1..6),
            room in 0usize..300,
            fill: bool,
        ) {
            let pieces: Vec<Piece> = given.iter().map(|parts| file("a", parts)).collect();
            let mut section = Section { fill, ..Section::new(Key::Related, pieces) };
            let cost = choose(&mut [&mut section], room, &Lines);
            prop_assert!(cost <= room);
            let real: usize = section.pieces.iter().map(|piece| Lines.piece(piece)).sum();
            prop_assert!(real <= cost);
            // Nothing vanishes without a line that says so.
            let is_dropped = section.status() == Status::Dropped;
            prop_assert_eq!(section.mentioned, is_dropped && room >= 1);
            for piece in &section.pieces {
                if let Form::Excerpt { kept, .. } = &piece.form {
                    let mut next = 0;
                    for range in kept {
                        prop_assert!(range.start >= next && range.start < range.end);
                        next = range.end;
                    }
                    prop_assert!(next <= piece.body.lines());
                }
            }
        }
    }
}
