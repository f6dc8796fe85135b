//! Chooses among parts whose worth is known: the most worth for each unit first.

#![expect(
    clippy::cast_precision_loss,
    reason = "units of a prompt, far below 2^52"
)]

mod enough;
mod file;
mod fit;
mod step;

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

pub use self::enough::worth_enough;
use self::enough::{LEAST_SHOWN, LEAST_WORTH, ROOM, enough};
use self::file::{File, Shown};
use self::fit::Fitting;
use self::step::{Next, Step};
use super::{DESCRIPTIONS, Price};
use crate::section::{Form, Key, Piece, Section, Status};

/// Files that nobody asked for and that are only named take at most what is shown divided by this.
const NAMES_OF_GUESSES: usize = 40;

/// The declarations of a target without their bodies are worth more: a target should be seen as a
/// whole.
const SIGNATURES_OF_TARGET: f64 = 0.2;

/// The more of a target is shown, the less it counts among several, half as much at this many
/// tokens: no target should get all the room only because its parts are short.
const HALF_OF_TARGET: usize = 200;

/// The same for files that nobody asked for: one of many thousand lines must not push out all
/// others because each of its parts is worth a little.
const HALF_OF_GUESS: usize = 16_000;

/// The same if no target says which file the work is in: much is wanted of a likely file.
const HALF_OF_DEEP_GUESS: usize = 64_000;

/// Outlines take at most what is shown divided by this.
const OUTLINES: usize = 12;

/// The same for outlines that say how to call what a target uses.
const OUTLINES_IN_USE: usize = 6;

/// What changes beside the source takes at most what is shown divided by this, as long as there is
/// source that is worth its price.
const BESIDE: usize = 8;

/// A single line of a part is not worth the remark after it.
const MIN_BEGUN_LINES: usize = 2;

/// A few lines of a file that nobody asked for help nobody: of its first part this many are shown,
/// or half of it, or none.
const MIN_BEGUN_OF_GUESS: usize = 10;

/// With more files than this, there is no choice among their parts: it would take a thousand bytes
/// for each file.
const MAX_FILES: usize = 5_000;

/// Whether the budget chooses among the parts of this section's pieces.
pub(super) fn is_valued(section: &Section) -> bool {
    section.pieces.len() <= MAX_FILES && section.pieces.iter().any(|piece| !piece.parts.is_empty())
}

/// The result for sections that were chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    /// What they cost.
    pub(super) cost: usize,
    /// What the sections after them must leave to them. It grows more slowly than the room, which
    /// the cost may not: a name comes all at once.
    pub(super) claim: usize,
    /// Whether more room would add only names.
    pub(super) is_all: bool,
}

/// Gives the pieces of sections the forms that are worth most within `room`.
///
/// The order in which things are shown does not depend on the room, and what is shown is a prefix
/// of that order: with more room there is never less of anything.
pub(super) fn choose(sections: &mut [&mut Section], room: usize, price: &dyn Price) -> Outcome {
    let mut frames = 0;
    for section in sections.iter_mut() {
        section.set_form(&Form::Omitted);
        section.mentioned = false;
        frames += most_of_frame(section, price);
    }
    let mut outcome = Outcome {
        cost: 0,
        claim: 0,
        is_all: false,
    };
    if let Some(room) = room.checked_sub(frames) {
        outcome = Chosen::of(sections, room, price).fit(sections, room, price);
    }
    outcome.cost += frame(sections, room - outcome.cost, price);
    outcome.claim += frames;
    outcome
}

/// Returns how much room a section takes at least if it shows everything that was asked for of its
/// files; 0 if nothing was.
pub(super) fn room_for_asked(section: &mut Section, price: &dyn Price) -> usize {
    if !section.pieces.iter().any(Piece::is_asked) {
        return 0;
    }
    let frame = most_of_frame(section, price);
    let mut sections = [section];
    let mut chosen = Chosen::of(&mut sections, usize::MAX, price);
    while chosen.files.iter().any(File::misses_asked) && chosen.advance().is_some() {}
    frame + Fitting::of(&chosen, &mut sections, usize::MAX, price).total
}

/// Returns what a section costs at most beside its pieces, whether it is shown or only mentioned.
fn most_of_frame(section: &Section, price: &dyn Price) -> usize {
    let shown = price.frame(section) + price.closing(section.pieces.len());
    shown.max(price.mention(section))
}

/// Returns what the heads of the sections that are shown cost, with a line for each that is not, as
/// far as there is room.
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

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and at most a room, which is a usize"
)]
fn units(number: f64) -> usize {
    number as usize
}

/// Files while the budget chooses from them.
struct Chosen {
    files: Vec<File>,
    /// What may come next, and outlines that wait until more is shown.
    offered: BinaryHeap<Next>,
    waiting: BinaryHeap<Next>,
    /// The same for what changes beside the source.
    waiting_beside: BinaryHeap<Next>,
    /// What is worth less for each unit is not shown.
    least: f64,
    /// What is worth more for each unit is shown in any room.
    enough: f64,
    /// The room in tokens, and how many tokens a unit is.
    room: f64,
    tokens: f64,
    /// The room that fits everything shown so far, and how much of the room is reserved for what is
    /// not shown. This way those who get what is left over never get less in a larger room.
    reach: f64,
    laid_by: f64,
    /// The files in the order in which they are named, and how many have had their turn to be named
    /// and to be described.
    to_name: Vec<usize>,
    turns: usize,
    turns_to_describe: usize,
    /// Names take at most what is shown divided by this.
    names: usize,
    /// Whether nobody asked for any of it.
    are_guesses: bool,
    /// Whether more of it gets its turn later. Names come then, or that turn would show less.
    goes_on: bool,
    /// The amount shown of a file at which it counts half.
    half: Option<f64>,
    /// The estimated cost of what is shown of each file.
    spent_on: Vec<usize>,
    /// What everything that is shown is worth.
    worth: f64,
    /// The estimated cost of everything that is shown, and of the outlines and names in it.
    spent: usize,
    on_outlines: usize,
    on_beside: usize,
    on_names: usize,
    on_purposes: usize,
    /// What was shown, in order.
    steps: Vec<Step>,
}

impl Chosen {
    fn of(sections: &mut [&mut Section], room: usize, price: &dyn Price) -> Chosen {
        let fill = sections.iter().any(|section| section.fill);
        let goes_deep = sections.iter().any(|section| section.goes_deep);
        let are_guesses = sections.iter().all(|section| super::is_guess(&section.key));
        let mut files = Vec::new();
        for (at, section) in sections.iter_mut().enumerate() {
            for (number, piece) in section.pieces.iter_mut().enumerate() {
                let mut file = File::of((at, number), piece, price);
                if section.key == Key::TargetFile {
                    file.signatures = SIGNATURES_OF_TARGET;
                }
                files.push(file);
            }
        }
        let worth: Vec<f64> = files.iter().map(File::whole_worth).collect();
        let mut to_name: Vec<usize> = (0..files.len()).collect();
        to_name.retain(|at| files[*at].name.is_some());
        to_name.sort_by(|a, b| worth[*b].total_cmp(&worth[*a]));
        let per_unit = LEAST_WORTH / price.room(1000) as f64;
        let are_targets = sections
            .iter()
            .all(|section| section.key == Key::TargetFile);
        let are_named = sections.iter().any(|section| section.names_files());
        let mut chosen = Chosen {
            half: (are_targets || are_named || are_guesses).then(|| {
                let tokens = match are_targets || are_named {
                    true => HALF_OF_TARGET,
                    false if goes_deep => HALF_OF_DEEP_GUESS,
                    false => HALF_OF_GUESS,
                };
                price.room(tokens) as f64
            }),
            spent_on: vec![0; files.len()],
            files,
            offered: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            waiting_beside: BinaryHeap::new(),
            least: if fill { 0.0 } else { per_unit },
            enough: if fill || !are_guesses {
                0.0
            } else {
                enough(goes_deep) / price.room(1000) as f64
            },
            room: room as f64 / price.room(1000) as f64 * 1000.0,
            tokens: 1000.0 / price.room(1000) as f64,
            reach: 0.0,
            laid_by: 0.0,
            to_name,
            turns: 0,
            turns_to_describe: 0,
            names: if are_guesses {
                NAMES_OF_GUESSES
            } else {
                super::NAMES
            },
            worth: 0.0,
            spent: 0,
            on_outlines: 0,
            on_beside: 0,
            on_names: 0,
            on_purposes: 0,
            are_guesses,
            goes_on: sections
                .iter()
                .any(|section| section.waits && !section.fill),
            steps: Vec::new(),
        };
        for file in 0..chosen.files.len() {
            chosen.offer(file, 0..chosen.files[file].parts.len());
        }
        chosen
    }

    fn next(&self, file: usize, part: usize, shown: Shown) -> Next {
        let counts = self
            .half
            .map_or(1.0, |half| half / (half + self.spent_on[file] as f64));
        Next {
            density: self.files[file].density(part, shown) * counts,
            file,
            part,
            shown,
        }
    }

    /// Offers what more there is to show of these parts.
    fn offer(&mut self, file: usize, parts: Range<usize>) {
        for part in parts {
            for shown in [Shown::Outline, Shown::Whole] {
                if self.files[file].can_show(part, shown) {
                    self.offered.push(self.next(file, part, shown));
                }
            }
        }
    }

    /// Returns the best of these with its current worth: what was shown since may have made it more
    /// expensive.
    fn best(&self, among: &mut BinaryHeap<Next>) -> Option<Next> {
        loop {
            let mut top = among.peek_mut()?;
            if !self.files[top.file].can_show(top.part, top.shown) {
                PeekMut::pop(top);
                continue;
            }
            let now = self.next(top.file, top.part, top.shown);
            if now.density >= top.density {
                return Some(*top);
            }
            *top = now;
        }
    }

    fn cost(&self, next: &Next) -> usize {
        self.files[next.file].cost(next.part, next.shown)
    }

    /// Whether outlines, and what changes beside the source, are still a small share of everything
    /// with this one.
    fn has_turn(&self, next: &Next) -> bool {
        let cost = self.cost(next);
        let is_small = |spent: usize, of: usize| spent + cost <= (self.spent + cost) / of;
        let outlines = if self.files[next.file].is_used(next.part) {
            OUTLINES_IN_USE
        } else {
            OUTLINES
        };
        (next.shown != Shown::Outline || is_small(self.on_outlines, outlines))
            && (!self.files[next.file].is_beside || is_small(self.on_beside, BESIDE))
    }

    /// Returns what is shown next: the most worth for its price first, and now and then the name of
    /// a file. `None` if nothing more is worth its price.
    fn advance(&mut self) -> Option<Step> {
        let step = match self.tell(self.spent / self.names, self.spent / DESCRIPTIONS) {
            Some(step) => step,
            None => self.show_best()?,
        };
        self.steps.push(step);
        Some(step)
    }

    /// Names the next file or, if all are named, says what the next one is for, within these
    /// limits.
    fn tell(&mut self, names: usize, purposes: usize) -> Option<Step> {
        self.name(names).or_else(|| self.describe(purposes))
    }

    /// Says what the next file is for that is only named, once all files that are not shown are
    /// named.
    fn describe(&mut self, limit: usize) -> Option<Step> {
        if self.turns < self.to_name.len() {
            return None;
        }
        let has_none = |file: &usize| self.files[*file].missing_purpose().is_none();
        let rest = &self.to_name[self.turns_to_describe..];
        self.turns_to_describe += rest.iter().take_while(|file| has_none(file)).count();
        let file = *self.to_name.get(self.turns_to_describe)?;
        let cost = self.files[file].missing_purpose()?;
        if self.on_purposes + cost > limit {
            return None;
        }
        self.turns_to_describe += 1;
        self.on_purposes += cost;
        self.spent += cost;
        self.files[file].is_described = true;
        Some(Step::Purpose { file })
    }

    /// Names the next file that is not shown, if names then cost at most `limit`.
    fn name(&mut self, limit: usize) -> Option<Step> {
        let is_open = |file: &usize| self.files[*file].is_open();
        let rest = &self.to_name[self.turns..];
        self.turns += rest.iter().take_while(|file| is_open(file)).count();
        let file = *self.to_name.get(self.turns)?;
        let cost = self.files[file].name?;
        if self.on_names + cost > limit {
            return None;
        }
        self.turns += 1;
        self.on_names += cost;
        self.spent += cost;
        self.files[file].is_named = true;
        Some(Step::Name { file })
    }

    fn show_best(&mut self) -> Option<Step> {
        loop {
            let mut offered = std::mem::take(&mut self.offered);
            let mut waiting = std::mem::take(&mut self.waiting);
            let mut beside = std::mem::take(&mut self.waiting_beside);
            let best = self.best(&mut offered);
            let waited = self.best(&mut waiting).filter(|next| self.has_turn(next));
            let first_beside = self.best(&mut beside);
            let waited_beside = first_beside.filter(|next| self.has_turn(next));
            let next = best.max(waited).max(waited_beside);
            if best.is_some() && next == best {
                offered.pop();
            } else if waited.is_some() && next == waited {
                waiting.pop();
            } else if next.is_some() {
                beside.pop();
            }
            (self.offered, self.waiting, self.waiting_beside) = (offered, waiting, beside);
            let Some(next) = next.filter(|next| next.density >= self.least) else {
                return self.show_what_waited();
            };
            // What is worth less must not take the room that others wait for.
            let is_late = self.files[next.file].is_beside && first_beside > Some(next);
            if !is_late && self.has_turn(&next) {
                return self.is_due(&next).then(|| self.show(&next));
            }
            self.wait(next);
        }
    }

    /// Whether what is shown next is worth its price in this room. What is worth little is shown
    /// once the room has grown by its price beyond the point where it is worth anything.
    fn is_due(&mut self, next: &Next) -> bool {
        let enough = self.enough * self.worth.max(LEAST_SHOWN);
        if next.density >= enough {
            return true;
        }
        let from = ROOM * (enough / next.density.max(1e-12)).sqrt();
        let from = from.max(self.reach);
        let due = from + self.cost(next) as f64 * self.tokens;
        if due > self.room {
            self.laid_by = (self.room - from).max(0.0);
            return false;
        }
        self.reach = due;
        true
    }

    fn wait(&mut self, next: Next) {
        if self.files[next.file].is_beside {
            self.waiting_beside.push(next);
        } else {
            self.waiting.push(next);
        }
    }

    /// Shows what waited. Where nothing else is worth its price, what changes beside the source
    /// takes no room from it.
    fn show_what_waited(&mut self) -> Option<Step> {
        let mut beside = std::mem::take(&mut self.waiting_beside);
        let next = self.best(&mut beside);
        let next = next.filter(|next| next.density >= self.least);
        if next.is_some() {
            beside.pop();
        }
        self.waiting_beside = beside;
        let next = next?;
        self.is_due(&next).then(|| self.show(&next))
    }

    fn show(&mut self, next: &Next) -> Step {
        let cost = self.cost(next);
        let was_open = self.files[next.file].is_open();
        let had_whole = self.files[next.file].has_whole();
        let file = &mut self.files[next.file];
        let name = file.name.filter(|_| file.is_named && !was_open);
        let purpose = file.purpose.filter(|_| file.is_described && !was_open);
        let (name, purpose) = (name.unwrap_or(0), purpose.unwrap_or(0));
        self.spent_on[next.file] += cost;
        self.spent = (self.spent + cost).saturating_sub(name + purpose);
        self.on_names -= name;
        self.on_purposes -= purpose;
        self.on_beside += if file.is_beside { cost } else { 0 };
        self.on_outlines += if next.shown == Shown::Outline {
            cost
        } else {
            0
        };
        let parts = file.parts.len();
        self.worth += file.worth(next.part, next.shown);
        let before = file.show(next.part, next.shown);
        // With the first part the whole file has become cheaper, with the first whole one what
        // stands before all may be shown, with another one only the neighbours are cheaper.
        let cheaper = if was_open && (had_whole || next.shown == Shown::Outline) {
            next.part.saturating_sub(1)..parts.min(next.part + 2)
        } else {
            0..parts
        };
        self.offer(next.file, cheaper);
        Step::Part {
            file: next.file,
            part: next.part,
            shown: next.shown,
            before,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::ops::Range;
    use std::sync::OnceLock;

    use proptest::prelude::*;

    use super::*;
    use crate::section::{Body, Valued};

    /// A line costs 1, a gap 1, a name 1, a file 2, a section 3.
    pub struct Lines;

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
    pub fn file(path: &str, parts: &[(usize, f64)]) -> Piece {
        // Longer than remarks, as most lines are.
        let line = "x".repeat(60) + "\n";
        let mut text = String::new();
        let mut valued = Vec::new();
        let mut next = 0;
        for (lines, value) in parts {
            text += &line.repeat(*lines);
            valued.push(Valued {
                lines: next..next + lines,
                owners: Vec::new(),
                value: *value,
                signature: 0.0,
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
        let placed = choose(&mut [&mut section], room, &Lines);
        (
            placed.cost,
            section.pieces.into_iter().map(|piece| piece.form).collect(),
        )
    }

    #[test]
    fn the_most_worth_for_its_lines_comes_first_with_its_edges() {
        let pieces = || {
            vec![
                file("a", &[(20, 0.1), (5, 0.5), (20, 0.1)]),
                file("b", &[(50, 0.2)]),
            ]
        };
        let (_, small) = forms(17, pieces(), false);
        assert_eq!(
            small,
            [
                Form::excerpt(vec![Range { start: 18, end: 27 }]),
                Form::Omitted
            ]
        );
        // What is left over shows the beginning of what comes next.
        let (_, more) = forms(20, pieces(), false);
        assert_eq!(more, [Form::excerpt(vec![0..3, 18..27]), Form::Omitted]);
        let (_, large) = forms(200, pieces(), false);
        assert_eq!(large, [Form::Full, Form::Full]);
    }

    #[test]
    fn of_what_targets_use_the_signature_is_shown_though_the_rest_is_worth_nothing() {
        let pieces = |signature| {
            let mut used = file("a", &[(40, 0.001), (40, 0.001)]);
            used.parts[1].signature = signature;
            used.outline = OnceLock::from(Box::from([0..1, 40..41]));
            vec![used, file("b", &[(20, 0.3), (20, 0.2)])]
        };
        let [without, with] = [0.0, 0.1].map(|signature| forms(40, pieces(signature), false).1);
        assert_ne!(
            without[0],
            Form::Outline(vec![Range { start: 40, end: 41 }])
        );
        assert_eq!(with[0], Form::Outline(vec![Range { start: 40, end: 41 }]));
    }

    #[test]
    fn what_a_file_imports_is_shown_with_something_else_of_it_or_not_at_all() {
        let pieces = |other| {
            let mut piece = file("a", &[(8, 0.9), (30, other), (8, 0.01)]);
            piece.preamble = 0..8;
            vec![piece, file("b", &[(10, 0.001)])]
        };
        let first = |room, other| forms(room, pieces(other), false).1.remove(0);
        assert_eq!(first(10, 0.0), Form::Omitted);
        assert!(first(20, 0.0).shows(&(38..46)));
        assert!(first(30, 0.0).shows(&(0..8)));
        let whole = forms(100, pieces(0.5), false).1;
        assert_eq!(whole, [Form::Full, Form::Full]);
    }

    #[test]
    fn of_a_section_of_a_document_no_heading_is_shown_alone() {
        let text = "# A\n\na\n# B\n=\n\nb.\nb.\nb.\nb.\nb.\n";
        let pieces = || {
            let mut piece = file("a.md", &[(3, 0.9), (8, 0.5)]);
            piece.body = Body::Source(text.into());
            vec![piece]
        };
        let lines = |room| match forms(room, pieces(), false).1.remove(0) {
            Form::Excerpt { kept, .. } => kept.iter().map(Range::len).sum(),
            form => usize::from(form == Form::Full) * 11,
        };
        let shown: Vec<usize> = (3..20).map(lines).collect();
        assert!(shown.contains(&3) && shown.contains(&7), "{shown:?}");
        assert!(
            !shown.iter().any(|lines| (4..7).contains(lines)),
            "{shown:?}"
        );
    }

    #[test]
    fn of_headings_that_stand_below_one_another_none_is_shown_alone() {
        for text in [
            "# A\n\na\n\n## B\n\n### C\n\nb.\nb.\nb.\nb.\nb.\n",
            "A\n===\na\n\nB\n---\n\nC\n---\n\nb.\nb.\nb.\nb.\nb.\n",
        ] {
            let all = text.lines().count();
            let pieces = || {
                let mut piece = file("a.md", &[(4, 0.9), (all - 4, 0.5)]);
                piece.body = Body::Source(text.into());
                vec![piece]
            };
            let end = |room| match forms(room, pieces(), false).1.remove(0) {
                Form::Excerpt { kept, .. } => kept.last().map_or(0, |range| range.end),
                form => usize::from(form == Form::Full) * all,
            };
            let ends: Vec<usize> = (3..25).map(end).collect();
            let least = text.lines().position(|line| line == "b.").unwrap();
            let is_alone = |end: &usize| (5..=least).contains(end);
            assert!(!ends.iter().any(is_alone), "{ends:?}");
            assert!(
                ends.contains(&(least + 1)) && ends.contains(&all),
                "{ends:?}"
            );
        }
    }

    #[test]
    fn what_a_document_announces_is_shown_with_it() {
        let text = "# A\n\na\n\nB\n---\nThese:\n\n1. b\n2. b\n3. b\n4. b\n5. b\n6. b\n";
        let shown = |room| {
            let mut piece = file("a.md", &[(4, 0.9), (10, 0.5)]);
            piece.body = Body::Source(text.into());
            forms(room, vec![piece], false).1.remove(0)
        };
        let ends: Vec<usize> = (8..20)
            .filter_map(|room| match shown(room) {
                Form::Excerpt { kept, .. } => kept.last().map(|range| range.end),
                _ => None,
            })
            .collect();
        assert!(ends.contains(&3) && ends.contains(&10), "{ends:?}");
        assert!(!ends.iter().any(|end| (4..9).contains(end)), "{ends:?}");
    }

    #[test]
    fn of_a_guess_no_scrap_is_shown() {
        // A head that does not fit leaves what stands before it, which is no more than that.
        for (heads, least) in [(vec![], 10), (vec![Range { start: 2, end: 15 }], 15)] {
            let pieces = || {
                let mut guess = file("b", &[(30, 0.05)]);
                guess.heads = heads.clone().into();
                vec![file("a", &[(10, 0.9)]), guess]
            };
            let lines = |room| match forms(room, pieces(), false).1.remove(1) {
                Form::Excerpt { kept, .. } => kept.iter().map(Range::len).sum(),
                form => usize::from(form == Form::Full) * 30,
            };
            let shown: Vec<usize> = (10..60).map(lines).collect();
            assert!(shown.contains(&least) && shown.contains(&30), "{shown:?}");
            assert!(
                shown.iter().all(|lines| *lines == 0 || *lines >= least),
                "{shown:?}"
            );
        }
    }

    #[test]
    fn what_is_hardly_worth_anything_is_packed_only_to_fill() {
        let pieces = || vec![file("a", &[(5, 0.9)]), file("b", &[(5, 1e-9)])];
        assert_eq!(forms(100, pieces(), false).1, [Form::Full, Form::Name]);
        assert_eq!(forms(100, pieces(), true).1, [Form::Full, Form::Full]);
    }

    #[test]
    fn where_much_is_likely_to_be_missing_less_is_enough() {
        let shown = |first| {
            let pieces = vec![file("a", &[(100, first)]), file("b", &[(100, 0.0002)])];
            forms(1_000, pieces, false).1[1] == Form::Full
        };
        assert!(!shown(0.9) && shown(0.1));
    }

    #[test]
    fn where_no_target_says_where_the_work_is_less_is_enough() {
        let shown = |goes_deep| {
            let pieces = vec![file("a", &[(100, 0.9)]), file("b", &[(100, 0.0003)])];
            let new = Section::new(Key::Related, pieces);
            let mut section = Section { goes_deep, ..new };
            choose(&mut [&mut section], 1_000, &Lines);
            section.pieces[1].form == Form::Full
        };
        assert!(!shown(false) && shown(true));
    }

    #[test]
    fn a_head_of_what_was_asked_for_is_divided_rather_than_much_room_left_free() {
        let form = |key| {
            let mut piece = file("a", &[(60, 0.9)]);
            piece.heads = [Range { start: 0, end: 40 }].into();
            let mut section = Section::new(key, vec![piece]);
            choose(&mut [&mut section], 30, &Lines);
            section.pieces.remove(0).form
        };
        assert!(form(Key::ChangedFiles).shows(&(0..20)));
        assert!(!form(Key::Related).shows(&(0..1)));
    }

    #[test]
    fn what_helps_little_waits_for_a_larger_room_and_takes_it_slowly() {
        let pieces = || vec![file("a", &[(100, 0.9)]), file("b", &[(100, 0.000_12)])];
        let shown = |room, fill| forms(room, pieces(), fill).1[1] == Form::Full;
        assert!(!shown(1_000, false) && !shown(40_000, false));
        assert!(shown(60_000, false) && shown(1_000, true));
    }

    proptest! {
        /// Holds whatever the parts are worth: what is chosen fits the room, and ranges are in
        /// order.
        #[test]
        fn what_is_chosen_fits(
            given in prop::collection::vec(prop::collection::vec((1usize..30, 0.0..1.0f64), 1..8), 1..6),
            room in 0usize..300,
            fill: bool,
        ) {
            let pieces: Vec<Piece> = given.iter().map(|parts| file("a", parts)).collect();
            let mut section = Section { fill, ..Section::new(Key::Related, pieces) };
            let cost = choose(&mut [&mut section], room, &Lines).cost;
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
