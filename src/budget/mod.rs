//! Makes sections fit.
//!
//! The budget knows nothing about formats: it gets the [`Price`] of the parts of a section and
//! gives every piece a form. It never changes a text.

mod choose;
mod proportion;
mod prune;
mod shrink;
mod steps;

pub use choose::worth_enough;
pub(crate) use proportion::{Cut, Marked, Original, cut, fit_with, in_proportion};
pub use proportion::{DEFAULT_FIT_BUDGET, FitOptions, Fitted, MIN_SECTION_TOKENS, fit_to_budget};

use std::ops::Range;

use crate::section::{Body, Form, Key, Piece, Section};
use crate::settings::Prune;
use crate::syntax::{language, purpose};

/// If somebody asked for the files, the names of those that are not shown take at most the room
/// divided by this.
const NAMES: usize = 5;

/// What the parts of a section cost, in units of the tokenizer, including the blank lines around
/// them. The price of a whole is at most the sum of its parts.
pub trait Price {
    /// The head and the foot.
    fn frame(&self, section: &Section) -> usize;
    /// A piece in its present form.
    fn piece(&self, piece: &Piece) -> usize;
    /// What a whole piece costs at least, without looking at its text.
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

/// Returns what the sections cost that are never left out.
pub fn protected(sections: &mut [Section], price: &dyn Price) -> usize {
    let sections = sections.iter_mut();
    let written = sections.filter(|it| it.earlier.is_none() && !it.unwritten);
    let protected = written.filter(|it| it.key.is_protected());
    protected
        .map(|section| Priced::new(section).total(section, price))
        .sum()
}

/// Gives every piece a form so that all sections together cost at most `room`, unless the protected
/// ones alone cost more; then nothing else is left.
///
/// The sections are in the order of their priority, with protected ones anywhere. The last is
/// pruned first. Those that an earlier prompt showed stay as they are, and their cost is paid
/// first. So do those that are not written, which cost nothing. Returns whether more room would add
/// more than names.
pub fn fit(sections: &mut [Section], room: usize, rule: Prune, price: &dyn Price) -> bool {
    let mut left = room;
    let mut open = Vec::new();
    let mut prices = Vec::new();
    for section in sections.iter_mut().filter(|it| !it.unwritten) {
        if section.earlier.is_some() {
            left = left.saturating_sub(as_it_is(section, price));
            continue;
        }
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
        Prune::Drop => {
            prune::drop_all(&mut open[fitting..]);
            fitting < open.len()
        }
        Prune::Shrink => {
            let mut all = open.iter().zip(&prices);
            let is_whole = fitting == open.len()
                && !all.any(|(section, priced)| shrink::leaves_out(section, priced));
            !is_whole && {
                name_before_guesses(&mut open, &mut prices);
                shrink::shrink(&mut open, &mut prices, left, price)
            }
        }
    }
}

/// Moves the section with files that the role names before the guesses: what is named is there
/// before what is chosen, wherever the prompt shows it.
fn name_before_guesses(open: &mut [&mut Section], prices: &mut [Priced]) {
    let guess = open.iter().position(|section| is_guess(&section.key));
    let named = open.iter().position(|section| section.names_files());
    if let (Some(guess), Some(named)) = (guess, named)
        && guess < named
    {
        open[guess..=named].rotate_right(1);
        prices[guess..=named].rotate_right(1);
    }
}

/// Returns what a section costs in the forms that its pieces have.
fn as_it_is(section: &Section, price: &dyn Price) -> usize {
    let shown = section.pieces.iter().filter(|p| p.form != Form::Omitted);
    price.frame(section) + shown.map(|piece| price.piece(piece)).sum::<usize>()
}

/// Returns how many of the first sections fit whole into `room` together.
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

/// Whether nobody asked for what is in a section: it is there because it is likely to matter, and
/// what is asked for comes before it.
pub fn is_guess(key: &Key) -> bool {
    matches!(key, Key::Imports | Key::Related)
}

/// Whether a piece can be shown by its name alone.
fn has_name(piece: &Piece) -> bool {
    piece.path.is_some() && !matches!(piece.body, Body::Marker(_))
}

/// Descriptions of files that are only named take at most a section's room divided by this.
const DESCRIPTIONS: usize = 20;

/// Says what files are for that are only named, in their order, until one does not fit. Returns how
/// much more that costs for each piece. If not even all names fit, names matter more.
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

fn tells_purpose(piece: &Piece) -> bool {
    let path = piece.path.as_deref();
    path.is_some_and(|path| purpose(language(path), piece.body.text()).is_some())
}

/// The price of a section when it is whole, as far as it had to be known: what certainly does not
/// fit is not written to find out.
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

    /// Returns the price of a piece when it is whole and puts it in this form, if that costs at
    /// most `room`; otherwise the piece stays as it was.
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

    /// Returns the price of the whole section and makes it whole, if that costs at most `room`;
    /// otherwise the section stays as it was.
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
    use proptest::prelude::*;

    use super::choose::tests::{Lines, file};
    use super::*;
    use crate::section::Status;

    fn described(room: usize, last: Form) -> (usize, Vec<Form>) {
        let named = |text: &str| Piece {
            form: Form::Name,
            ..Piece::file("a.rs", Body::Source(text.into()))
        };
        let says = named("//! Reads words.\n");
        let mut pieces = [says.clone(), named("fn a() {}\n"), says];
        pieces[2].form = last;
        let costs = describe(&mut pieces, room, &Lines);
        (
            costs.iter().sum(),
            pieces.into_iter().map(|piece| piece.form).collect(),
        )
    }

    #[test]
    fn what_files_are_for_is_told_where_all_names_have_room() {
        use Form::{Described, Name, Omitted};
        assert_eq!(described(0, Name), (0, vec![Name, Name, Name]));
        assert_eq!(described(1, Name), (1, vec![Described, Name, Name]));
        assert_eq!(described(9, Name), (2, vec![Described, Name, Described]));
        assert_eq!(described(9, Omitted), (0, vec![Name, Name, Omitted]));
    }

    /// Every letter costs 1: remarks cost more or less as their numbers have more digits, and an
    /// empty line costs less than the remark on it.
    struct Letters;

    impl Letters {
        fn kept(&self, piece: &Piece, kept: &[Range<usize>]) -> usize {
            let lines: Vec<&str> = piece.body.text().lines().collect();
            let mut next = 0;
            let mut cost = 0;
            for range in kept {
                cost += self.gap(next..range.start) + self.lines(&lines[range.clone()]);
                next = range.end;
            }
            cost + self.gap(next..lines.len())
        }
    }

    impl Price for Letters {
        fn frame(&self, section: &Section) -> usize {
            section.heading().len() + 5
        }
        fn piece(&self, piece: &Piece) -> usize {
            let total = piece.body.lines();
            match &piece.form {
                Form::Full => 12 + piece.body.text().len(),
                Form::Excerpt { kept, outline } => {
                    let shown: usize = kept.iter().chain(outline).map(Range::len).sum();
                    let above = format!("[excerpt: {shown} of {total} lines]").len();
                    let outlined: usize = outline.iter().map(|lines| 20 + 3 * lines.len()).sum();
                    12 + above + self.kept(piece, kept) + outlined
                }
                Form::Outline(lines) => {
                    let shown: usize = lines.iter().map(Range::len).sum();
                    let above = format!("[outline: {shown} of {total} lines]").len();
                    12 + above + 3 * shown
                }
                Form::Described => format!("- a [name only: {total} lines]: x says").len(),
                Form::Name => format!("- a [name only: {total} lines]").len(),
                Form::Omitted => 0,
            }
        }
        fn least(&self, piece: &Piece) -> usize {
            piece.body.text().len().saturating_sub(1)
        }
        fn room(&self, tokens: usize) -> usize {
            tokens * 4
        }
        fn lines(&self, lines: &[&str]) -> usize {
            lines.iter().map(|line| line.len() + 1).sum()
        }
        fn gap(&self, lines: Range<usize>) -> usize {
            match lines.len() {
                0 => 0,
                1 => format!("[… line {} left out]", lines.end).len(),
                _ => format!("[… lines {}-{} left out]", lines.start + 1, lines.end).len(),
            }
        }
        fn outlined(&self, _: Range<usize>) -> usize {
            40
        }
        fn mention(&self, section: &Section) -> usize {
            let files = section.pieces.len();
            format!("[{} left out: {files} files]", section.heading()).len()
        }
        fn closing(&self, omitted: usize) -> usize {
            format!("[{omitted} more files left out]").len()
        }
    }

    /// A piece with lines of all lengths instead of its equal ones.
    fn ragged(mut piece: Piece) -> Piece {
        let line = |at: usize| "y".repeat((at * 7919) % 13 * ((at * 31) % 3)) + "\n";
        let lines = piece.body.lines();
        if let Body::Source(text) = &mut piece.body {
            *text = (0..lines).map(line).collect();
        }
        piece
    }

    /// A piece of one of the kinds that the budget treats in different ways.
    fn piece() -> impl Strategy<Value = Piece> {
        let parts = prop::collection::vec((1usize..25, 0.0..1.0f64), 1..7);
        let asked = prop::option::weighted(0.2, 0usize..7);
        let kinds = (0usize..9, any::<bool>(), any::<bool>());
        (parts, kinds, asked).prop_map(|(parts, (kind, valued, preamble), asked)| {
            let mut piece = file("a.rs", &parts);
            piece.preamble = match parts.as_slice() {
                [(first, _), _, ..] if preamble => 0..*first,
                _ => 0..0,
            };
            let asked = asked.and_then(|at| piece.parts.get(at));
            piece.asked = asked.map(|part| part.lines.clone()).into_iter().collect();
            let text = piece.body.text().to_owned();
            let lines = piece.body.lines();
            if !valued {
                piece.parts = Vec::new();
            }
            match kind {
                0 => piece = Piece::file("a", Body::Diff(text)),
                1 => piece = Piece::text(Body::Text(text)),
                2 => piece = Piece::file("a", Body::Marker("[Binary]".into())),
                3 => {
                    piece = Piece::file("a", Body::Prose(text));
                    piece.spare = (1..lines).rev().step_by(2).map(|at| at..at + 1).collect();
                }
                4 => piece = Piece::text(Body::Outline(text)),
                _ => {
                    let outline = (0..lines / 2).step_by(3).map(|at| at * 2..at * 2 + 1);
                    piece.outline = outline.collect::<Box<_>>().into();
                }
            }
            piece
        })
    }

    fn sections() -> impl Strategy<Value = Vec<Section>> {
        let keys = prop::sample::subsequence(Key::DEFAULT_ORDER.to_vec(), 1..8);
        let pieces =
            prop::collection::vec((prop::collection::vec(piece(), 1..6), any::<bool>()), 8);
        let named = prop::option::of(0usize..6);
        (keys.prop_shuffle(), pieces, named).prop_map(|(keys, pieces, named)| {
            let both = keys.into_iter().zip(pieces);
            let section = |(key, (pieces, fill))| {
                let section = Section::new(key, pieces);
                named_at(Section { fill, ..section }, named)
            };
            both.map(section).collect()
        })
    }

    /// Lets the role name the file at this place, if the section holds such files.
    fn named_at(mut section: Section, at: Option<usize>) -> Section {
        if section.key == Key::Files
            && let Some(piece) = at.and_then(|at| section.pieces.get_mut(at))
        {
            piece.is_named = true;
        }
        section
    }

    /// Returns which lines of a piece are shown, and how much else is said of it.
    fn shown(piece: &Piece) -> (Vec<bool>, usize) {
        let mut lines = vec![false; piece.body.lines()];
        match &piece.form {
            Form::Full => lines.fill(true),
            Form::Excerpt { kept, outline } => {
                for range in kept.iter().chain(outline) {
                    lines[range.clone()].fill(true);
                }
            }
            Form::Outline(ranges) => {
                for range in ranges {
                    lines[range.clone()].fill(true);
                }
            }
            Form::Described | Form::Name | Form::Omitted => {}
        }
        let said = match piece.form {
            Form::Omitted => 0,
            Form::Name => 1,
            Form::Described => 2,
            Form::Full | Form::Excerpt { .. } | Form::Outline(_) => 3,
        };
        (lines, said)
    }

    fn fitted(sections: &mut [Section], room: usize, price: &dyn Price) -> Vec<(Vec<bool>, usize)> {
        fit(sections, room, Prune::Shrink, price);
        let pieces = sections.iter().flat_map(|section| &section.pieces);
        pieces.map(shown).collect()
    }

    /// Returns what all sections cost as they are written.
    fn cost(sections: &[Section], price: &dyn Price) -> usize {
        let cost = |section: &Section| {
            let omitted = section.pieces.iter().filter(|p| p.form == Form::Omitted);
            match (section.status(), omitted.count()) {
                (Status::Dropped, _) if section.mentioned => price.mention(section),
                (Status::Dropped, _) => 0,
                (_, omitted) => {
                    let shown = section.pieces.iter().filter(|p| p.form != Form::Omitted);
                    let pieces: usize = shown.map(|piece| price.piece(piece)).sum();
                    let closing = if omitted > 0 {
                        price.closing(omitted)
                    } else {
                        0
                    };
                    price.frame(section) + pieces + closing
                }
            }
        };
        sections.iter().map(cost).sum()
    }

    /// Whether each is shown at least as much as before.
    fn is_more(before: &[(Vec<bool>, usize)], now: &[(Vec<bool>, usize)]) -> bool {
        before.iter().zip(now).all(|(less, more)| {
            let mut lines = less.0.iter().zip(&more.0);
            less.1 <= more.1 && lines.all(|(less, more)| less <= more)
        })
    }

    /// More room never shows less, and what is shown fits.
    fn grows(
        sections: &mut [Section],
        rooms: Range<usize>,
        price: &dyn Price,
    ) -> Result<(), TestCaseError> {
        let mut before = fitted(sections, rooms.start, price);
        for room in rooms.skip(1) {
            let now = fitted(sections, room, price);
            prop_assert!(cost(sections, price) <= room, "{}: {:?}", room, sections);
            prop_assert!(is_more(&before, &now), "{}: {:?}", room, sections);
            before = now;
        }
        Ok(())
    }

    #[test]
    fn more_room_never_shows_less_of_a_part_whose_last_lines_cost_less_than_a_remark() {
        for last in 8..30 {
            let parts = [(13, 0.0), (8, 0.9), (20, 0.0), (5, 0.3), (last, 0.2)];
            let pieces = vec![ragged(file("a.rs", &parts))];
            let mut sections = [Section::new(Key::Imports, pieces)];
            grows(&mut sections, 0..700, &Letters).unwrap();
        }
    }

    #[test]
    fn an_empty_line_that_was_asked_for_does_not_make_a_file_whole() {
        let mut piece = ragged(file("a.rs", &[(1, 0.0), (1, 0.7), (6, 0.0)]));
        assert_eq!(piece.body.text().lines().next(), Some(""));
        piece.asked = Box::from([Range { start: 0, end: 1 }]);
        let other = Piece::file("b", Body::Diff(("x".repeat(60) + "\n").repeat(5)));
        let mut sections = [Section::new(Key::TargetFile, vec![piece, other])];
        fit(&mut sections, 110, Prune::Shrink, &Letters);
        let first = Range { start: 0, end: 2 };
        assert_eq!(sections[0].pieces[0].form, Form::excerpt(vec![first]));
        grows(&mut sections, 0..500, &Letters).unwrap();
    }

    #[test]
    fn what_is_worth_nothing_beside_a_diff_comes_after_guesses() {
        let shown = |room| {
            let changed = file("a", &[(10, 0.5), (60, 0.0)]);
            let mut sections = [
                Section::new(Key::ChangedFiles, vec![changed]),
                Section::new(Key::Related, vec![file("b", &[(90, 0.5)])]),
            ];
            (sections[0].fill, sections[0].waits) = (true, true);
            fit(&mut sections, room, Prune::Shrink, &Lines);
            let rest = sections[0].pieces[0].form.shows(&(20..70));
            (rest, sections[1].pieces[0].form == Form::Full)
        };
        assert_eq!(shown(120), (false, true));
        assert_eq!(shown(300), (true, true));
    }

    #[test]
    fn what_a_role_names_comes_before_guesses_and_before_what_a_pattern_matches() {
        let shown = |room, is_named| {
            let named = Piece {
                is_named,
                ..file("docs/api.md", &[(10, 0.1), (10, 0.1)])
            };
            let found = file("docs/other.md", &[(40, 0.8)]);
            let mut sections = [
                Section::new(Key::Related, vec![file("b.rs", &[(90, 0.5)])]),
                Section::new(Key::Files, vec![found, named]),
            ];
            sections[1].fill = true;
            fit(&mut sections, room, Prune::Shrink, &Lines);
            let is_whole = |piece: &Piece| piece.form == Form::Full;
            let is_begun = |piece: &Piece| piece.form != Form::Omitted && !piece.form.is_line();
            let [found, named] = sections[1].pieces.as_slice() else {
                unreachable!("two pieces");
            };
            let guess = &sections[0].pieces[0];
            (is_whole(named), is_begun(guess), is_begun(found))
        };
        assert_eq!(shown(90, false), (false, true, false));
        assert_eq!(shown(90, true), (true, true, false));
        // It has half of too small a room.
        assert_eq!(shown(40, true), (false, true, false));
        assert_eq!(shown(400, true), (true, true, true));
    }

    #[test]
    fn a_section_that_costs_less_than_its_mention_takes_no_room_from_a_target() {
        let small = Piece::file("b", Body::Source("x\n".into()));
        let mut sections = [
            Section::new(
                Key::TargetFile,
                vec![ragged(file("a.rs", &[(9, 0.5), (9, 0.5)]))],
            ),
            Section::new(Key::Files, vec![small]),
        ];
        for section in &mut sections {
            section.set_form(&Form::Full);
        }
        assert!(cost(&sections[1..], &Letters) < Letters.mention(&sections[1]));
        let room = cost(&sections, &Letters);
        fit(&mut sections, room, Prune::Shrink, &Letters);
        assert!(
            sections
                .iter()
                .all(|section| section.status() == Status::Kept)
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn more_room_never_shows_less_and_all_of_it_fits(mut sections in sections()) {
            grows(&mut sections, 0..400, &Lines)?;
        }

        #[test]
        fn more_room_never_shows_less_whatever_remarks_cost(
            mut sections in sections(),
            from in 0usize..4000,
        ) {
            for section in &mut sections {
                section.pieces = section.pieces.drain(..).map(ragged).collect();
            }
            grows(&mut sections, from..from + 200, &Letters)?;
        }

        #[test]
        fn more_room_never_shows_less_of_what_licences_are_left_out_of(
            mut sections in sections(),
            from in 0usize..4000,
        ) {
            for section in &mut sections {
                let has_licences = is_guess(&section.key) || section.key == Key::ChangedFiles;
                for piece in &mut section.pieces {
                    *piece = ragged(piece.clone());
                    if let [first, _, ..] = piece.parts.as_slice()
                        && has_licences
                    {
                        piece.licence = first.lines.clone();
                    }
                }
            }
            grows(&mut sections, from..from + 200, &Letters)?;
        }

        #[test]
        fn more_room_never_shows_less_of_what_waits_for_guesses(
            changed in prop::collection::vec(piece(), 1..4),
            mut sections in sections(),
        ) {
            sections.retain(|section| section.key != Key::ChangedFiles);
            // Nobody asks for lines of a guess.
            for section in sections.iter_mut().filter(|section| is_guess(&section.key)) {
                section.pieces.iter_mut().for_each(|piece| piece.asked = Box::default());
            }
            let new = Section::new(Key::ChangedFiles, changed);
            let mut section = Section { fill: true, waits: true, ..new };
            for piece in &mut section.pieces {
                piece.parts.iter_mut().step_by(2).for_each(|part| part.value = 0.0);
            }
            sections.insert(0, section);
            grows(&mut sections, 0..400, &Lines)?;
        }

        #[test]
        fn what_was_asked_for_and_fits_is_whole(mut sections in sections()) {
            sections.retain(|section| !is_guess(&section.key));
            sections.retain(|section| section.fill || section.key != Key::Conventions);
            for section in &mut sections {
                section.set_form(&Form::Full);
            }
            let room = cost(&sections, &Letters);
            fit(&mut sections, room, Prune::Shrink, &Letters);
            let mut pieces = sections.iter().flat_map(|section| &section.pieces);
            prop_assert!(pieces.all(|piece| piece.form == Form::Full), "{}: {:?}", room, sections);
        }

        #[test]
        fn what_dropping_keeps_shrinking_keeps(mut sections in sections()) {
            sections.retain(|section| !is_guess(&section.key));
            sections.retain(|section| section.fill || section.key != Key::Conventions);
            for section in &mut sections {
                section.set_form(&Form::Full);
            }
            for room in (0..=cost(&sections, &Letters)).step_by(29) {
                let mut dropped = sections.clone();
                fit(&mut dropped, room, Prune::Drop, &Letters);
                fit(&mut sections, room, Prune::Shrink, &Letters);
                let mut both = dropped.iter().zip(&sections);
                let is_kept = |section: &Section| section.status() == Status::Kept;
                prop_assert!(
                    both.all(|(dropped, shrunk)| !is_kept(dropped) || is_kept(shrunk)),
                    "{}: {:?}", room, sections
                );
            }
        }

        #[test]
        fn what_was_asked_for_is_there_before_any_guess(
            targets in prop::collection::vec(piece(), 1..4),
            guesses in prop::collection::vec(piece(), 1..5),
        ) {
            let mut sections = [Section::new(Key::TargetFile, targets), Section::new(Key::Related, guesses)];
            sections[0].fill = true;
            let is_asked = |piece: &Piece| !piece.asked.is_empty() && !piece.parts.is_empty();
            sections[0].pieces.retain(is_asked);
            let asked = choose::room_for_asked(&mut sections[0], &Lines);
            for room in 0..300 {
                fit(&mut sections, room, Prune::Shrink, &Lines);
                let shows = |piece: &Piece| piece.asked.iter().all(|lines| piece.form.shows(lines));
                let all = sections[0].pieces.iter().all(shows);
                // With a line for the guesses.
                prop_assert!(all || room <= asked, "{} of {}: {:?}", room, asked, sections);
                let guessed = sections[1].pieces.iter().any(|piece| !piece.form.is_line() && piece.form != Form::Omitted);
                prop_assert!(all || !guessed, "{} of {}: {:?}", room, asked, sections);
            }
        }

        #[test]
        fn what_comes_first_of_what_was_asked_for_is_whole_before_the_next(
            first in prop::collection::vec(piece(), 1..3),
            next in prop::collection::vec(piece(), 1..3),
            guesses in prop::collection::vec(piece(), 1..5),
        ) {
            for key in [Key::Conventions, Key::ChangedFiles, Key::Tree] {
                let first = Section::new(key, first.clone());
                let next = Section::new(Key::Files, next.clone());
                let guesses = Section::new(Key::Related, guesses.clone());
                let mut sections = [first, next, guesses];
                sections[0].fill = true;
                for room in (0..300).step_by(3) {
                    fit(&mut sections, room, Prune::Shrink, &Lines);
                    let is_whole = sections[0].status() == Status::Kept;
                    let next = sections[1].status() == Status::Dropped;
                    prop_assert!(is_whole || next, "{}: {:?}", room, sections);
                }
            }
        }

        #[test]
        fn a_target_that_fits_half_of_the_room_is_whole_before_any_guess(
            targets in prop::collection::vec(piece(), 1..3),
            guesses in prop::collection::vec(piece(), 1..5),
        ) {
            let mut sections = [Section::new(Key::TargetFile, targets), Section::new(Key::Related, guesses)];
            sections[0].fill = true;
            let full = sections[0].pieces.iter().map(|piece| {
                Lines.piece(&Piece { form: Form::Full, ..piece.clone() })
            });
            // With its frame, and a line for the guesses.
            let whole = full.sum::<usize>() + 4;
            // Where they cannot be chosen among, they are no more than any section that follows.
            let least = whole - usize::from(!choose::is_valued(&sections[1]));
            for room in 0..300 {
                fit(&mut sections, room, Prune::Shrink, &Lines);
                let is_whole = sections[0].status() == Status::Kept;
                prop_assert!(is_whole || room < 2 * whole, "{}: {:?}", room, sections);
                prop_assert!(!is_whole || room >= least, "{}: {:?}", room, sections);
            }
        }
    }
}
