//! Chooses among parts whose worth is known: the most worth for each unit first.

#![expect(
    clippy::cast_precision_loss,
    reason = "units of a prompt, far below 2^52"
)]

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

use super::{Price, outline_of};
use crate::section::{Form, Key, Piece, Section, Status, Valued};

/// What is worth less than this share of all that the worker needs, for each thousand
/// tokens, is not packed merely because there is room.
const LEAST_WORTH: f64 = 0.0003;

/// At most one part in so many of the room goes to files that are only named.
const NAMES: usize = 40;

/// The declarations of a part without their bodies are worth this share of it: they tell
/// what there is, and nothing that could be changed.
const SIGNATURES: f64 = 0.08;

/// The same for a target, which is to be seen as a whole.
const SIGNATURES_OF_TARGET: f64 = 0.2;

/// At most one part in so many of the room goes to outlines.
const OUTLINES: usize = 12;

/// A gap of so few lines is shown rather than told of.
const SMALL_GAP: usize = 2;

/// Whether the budget chooses among the parts of this section's pieces.
pub(super) fn is_valued(section: &Section) -> bool {
    section.pieces.iter().any(|piece| !piece.parts.is_empty())
}

/// Gives the pieces of sections the forms that are worth most within `room`, and tells
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
    }
    used + frame(sections, room - used, price)
}

/// What the heads of what is shown cost, and a line for each section of which nothing
/// is, as far as there is room.
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

/// A piece while it is chosen from.
struct File {
    /// Its section and its place in it.
    at: (usize, usize),
    parts: Vec<Valued>,
    costs: Vec<usize>,
    /// What the first and the last lines of each part cost, which are shown with a
    /// neighbour.
    edges: Vec<(usize, usize)>,
    /// What it costs without any line.
    opening: usize,
    /// What a remark on a gap costs.
    gap: usize,
    /// What the remarks around an outline in a gap cost more than that.
    outlined: usize,
    /// The lines of each part's outline, and what they cost.
    outlines: Vec<(Vec<Range<usize>>, usize)>,
    /// The share of its worth that a part's outline has.
    signatures: f64,
    shown: Vec<Shown>,
    /// Parts that are shown whole, and those of which an outline is.
    whole_parts: usize,
    outlined_parts: usize,
}

/// How much of a part is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    Outline,
    Whole,
}

impl File {
    fn of(at: (usize, usize), piece: &mut Piece, price: &dyn Price) -> File {
        let lines: Vec<&str> = piece.body.text().lines().collect();
        let mut parts = piece.parts.clone();
        if parts.is_empty() {
            // What is not known in parts is whole or absent, before all that is known.
            parts.push(Valued {
                lines: 0..lines.len(),
                owners: Vec::new(),
                value: 1.0,
            });
        }
        let costs = parts
            .iter()
            .map(|part| price.lines(&lines[part.lines.clone()]))
            .collect();
        let edges = parts
            .iter()
            .map(|part| {
                let first = part.lines.start..edge_after(&lines, part.lines.start, part.lines.end);
                let last = edge_before(&lines, part.lines.start, part.lines.end)..part.lines.end;
                (price.lines(&lines[first]), price.lines(&lines[last]))
            })
            .collect();
        let gap = price.gap(lines.len() / 2..lines.len());
        piece.form = Form::excerpt(Vec::new());
        let opening = price.piece(piece).saturating_sub(gap);
        piece.form = Form::Omitted;
        let outlined = price.outlined(lines.len() / 2..lines.len());
        let outlines = match piece.parts.len() {
            0 => vec![(Vec::new(), 0); parts.len()],
            _ => by_part(&parts, outline_of(piece), &lines, price),
        };
        let shown = vec![Shown::Nothing; parts.len()];
        File {
            at,
            parts,
            costs,
            edges,
            opening,
            gap,
            outlined: outlined.saturating_sub(gap),
            outlines,
            signatures: SIGNATURES,
            shown,
            whole_parts: 0,
            outlined_parts: 0,
        }
    }

    /// Whether anything of it is shown.
    fn is_open(&self) -> bool {
        self.whole_parts + self.outlined_parts > 0
    }

    /// Shows more or less of a part; what was shown of it before.
    fn show(&mut self, part: usize, shown: Shown) -> Shown {
        let before = std::mem::replace(&mut self.shown[part], shown);
        self.whole_parts -= usize::from(before == Shown::Whole);
        self.outlined_parts -= usize::from(before == Shown::Outline);
        self.whole_parts += usize::from(shown == Shown::Whole);
        self.outlined_parts += usize::from(shown == Shown::Outline);
        before
    }

    /// Whether there is more to show of a part.
    fn can_show(&self, part: usize, shown: Shown) -> bool {
        match shown {
            Shown::Nothing => false,
            Shown::Outline => {
                self.shown[part] == Shown::Nothing && !self.outlines[part].0.is_empty()
            }
            Shown::Whole => self.shown[part] != Shown::Whole,
        }
    }

    /// What it is worth to show more of a part.
    fn worth(&self, part: usize, shown: Shown) -> f64 {
        let value = self.parts[part].value;
        match (self.shown[part], shown) {
            (_, Shown::Outline) => value * self.signatures,
            (Shown::Outline, _) => value * (1.0 - self.signatures),
            _ => value,
        }
    }

    /// What it costs to show the outline of one more part: its lines, and the remarks
    /// around them unless a neighbour has them already.
    fn outline_cost(&self, part: usize) -> usize {
        let is_outlined = |at: usize| self.shown.get(at) == Some(&Shown::Outline);
        let has_remarks = is_outlined(part + 1) || part > 0 && is_outlined(part - 1);
        let own = self.outlines[part].1;
        match (self.whole_parts, has_remarks) {
            (0, _) if self.is_open() => own,
            (0, _) => own + self.opening,
            (_, true) => own,
            (_, false) => own + self.outlined,
        }
    }

    fn cost(&self, part: usize, shown: Shown) -> usize {
        match shown {
            Shown::Outline => self.outline_cost(part),
            _ => self.whole_cost(part),
        }
    }

    /// What it costs to show one more part whole: its lines, the edges of its neighbours,
    /// and the remarks on the gaps.
    fn whole_cost(&self, part: usize) -> usize {
        let is_open = self.is_open();
        let (mut more, mut less) = (self.costs[part], 0);
        if !is_open {
            more += self.opening;
        }
        if self.shown[part] == Shown::Outline {
            less += self.outlines[part].1;
        }
        let before = part.checked_sub(1);
        let after = (part + 1 < self.parts.len()).then_some(part + 1);
        for (neighbour, own, theirs) in [
            (
                before,
                self.edges[part].0,
                before.map(|at| self.edges[at].1),
            ),
            (after, self.edges[part].1, after.map(|at| self.edges[at].0)),
        ] {
            match neighbour {
                Some(at) if self.shown[at] == Shown::Whole => less += own,
                Some(_) => more += theirs.unwrap_or_default() + self.gap,
                // Before the first line and after the last there is no gap.
                None => {}
            }
        }
        // A gap that was there is cut in two, or vanishes.
        if self.whole_parts > 0 {
            less += self.gap;
        }
        more.saturating_sub(less)
    }

    /// The lines that are shown, with what they lie in; and then those of outlines.
    fn lines(&self, lines: &[&str]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let total = lines.len();
        let mut is_shown = vec![false; total];
        for (part, _) in self
            .parts
            .iter()
            .zip(&self.shown)
            .filter(|(_, shown)| **shown == Shown::Whole)
        {
            is_shown[part.lines.clone()].fill(true);
            for owner in part.owners.iter().filter(|owner| **owner < total) {
                is_shown[*owner] = true;
            }
        }
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for line in (0..total).filter(|line| is_shown[*line]) {
            match ranges.last_mut() {
                Some(last) if line - last.end <= SMALL_GAP => last.end = line + 1,
                _ => ranges.push(line..line + 1),
            }
        }
        // Empty lines at the edge of a gap show nothing.
        let is_empty = |line: &usize| lines[*line].trim().is_empty();
        for range in &mut ranges {
            let edges = range.clone();
            if range.end < total {
                range.end -= edges.clone().rev().take_while(is_empty).count();
            }
            if range.start > 0 {
                range.start += edges.take_while(is_empty).count();
            }
        }
        ranges.retain(|range| range.start < range.end);
        for at in 0..ranges.len() {
            let most = ranges.get(at + 1).map_or(total, |next| next.start);
            ranges[at].end = edge_after(lines, ranges[at].end, most);
            let least = at.checked_sub(1).map_or(0, |at| ranges[at].end);
            ranges[at].start = edge_before(lines, least, ranges[at].start);
        }
        // With the edges, or with an outline of it, a gap may have become too small to be
        // worth a remark.
        let is_outlined = self.outlined(total);
        ranges.dedup_by(|next, last| {
            let gap = is_outlined[last.end..next.start].iter();
            let is_small = gap.filter(|outlined| !**outlined).count() <= SMALL_GAP;
            if is_small {
                last.end = next.end;
            }
            is_small
        });
        let outline = without(is_outlined, &ranges);
        (ranges, outline)
    }

    /// Which lines are in outlines of parts, with what these lie in.
    fn outlined(&self, total: usize) -> Vec<bool> {
        let mut is_outlined = vec![false; total];
        let outlined = |at: &usize| self.shown[*at] == Shown::Outline;
        for at in (0..self.parts.len()).filter(outlined) {
            let owners = self.parts[at].owners.iter();
            for owner in owners.filter(|owner| **owner < total) {
                is_outlined[*owner] = true;
            }
            for lines in &self.outlines[at].0 {
                is_outlined[lines.clone()].fill(true);
            }
        }
        is_outlined
    }
}

/// The lines that are marked and in none of these ranges.
fn without(mut marked: Vec<bool>, kept: &[Range<usize>]) -> Vec<Range<usize>> {
    for lines in kept {
        marked[lines.clone()].fill(false);
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for line in (0..marked.len()).filter(|line| marked[*line]) {
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            _ => ranges.push(line..line + 1),
        }
    }
    ranges
}

/// The lines of an outline in each part, and what they cost.
fn by_part(
    parts: &[Valued],
    outline: &[Range<usize>],
    lines: &[&str],
    price: &dyn Price,
) -> Vec<(Vec<Range<usize>>, usize)> {
    let mut rest = outline;
    let mut by_part = Vec::with_capacity(parts.len());
    for part in parts {
        let mut own = Vec::new();
        let mut cost = 0;
        while let Some(first) = rest.first().filter(|first| first.start < part.lines.end) {
            let here = first.start.max(part.lines.start)..first.end.min(part.lines.end);
            if !here.is_empty() {
                cost += price.lines(&lines[here.clone()]);
                own.push(here);
            }
            if first.end > part.lines.end {
                break;
            }
            rest = &rest[1..];
        }
        by_part.push((own, cost));
    }
    by_part
}

/// So many lines around what is shown are shown too, so that it can be told where it
/// stands and something can be put before or behind it.
const EDGE: usize = 2;

/// Where the lines behind `from` end that are shown with what stands above.
fn edge_after(lines: &[&str], from: usize, most: usize) -> usize {
    let mut left = EDGE;
    let mut end = from;
    while end < most && left > 0 {
        left -= usize::from(!lines[end].trim().is_empty());
        end += 1;
    }
    end
}

/// Where the lines before `to` begin that are shown with what stands below.
fn edge_before(lines: &[&str], least: usize, to: usize) -> usize {
    let mut left = EDGE;
    let mut start = to;
    while start > least && left > 0 {
        start -= 1;
        left -= usize::from(!lines[start].trim().is_empty());
    }
    start
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
    use proptest::prelude::*;

    use super::*;
    use crate::section::Body;

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

    /// A file of parts with so many lines each, worth so much.
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
