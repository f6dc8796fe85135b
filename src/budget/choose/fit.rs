//! Fits what is chosen into the room by its real prices.

use super::file::{Begun, File, Shown};
use super::step::Step;
use super::{Chosen, MIN_BEGUN_LINES, MIN_BEGUN_OF_GUESS, Outcome, units};
use crate::budget::{DESCRIPTIONS, Price};
use crate::section::{Body, Form, Section};
use crate::split;
use crate::truncate::last_that_near;

/// As much of the room as this divides it into is not left free for the sake of a head, or
/// because only a line more fits of a file of which more is shown.
const MUCH: usize = 20;

impl Chosen {
    /// Goes as many steps as fit by their real prices, and then into the part that does
    /// not fit any more.
    pub(super) fn fit(
        mut self,
        sections: &mut [&mut Section],
        room: usize,
        price: &dyn Price,
    ) -> Outcome {
        let mut is_all = false;
        while self.spent <= room && !is_all {
            is_all = self.advance().is_none();
        }
        let mut prices = Prices::of(&self, sections, price);
        let mut next = None;
        while prices.total > room {
            let Some(step) = self.steps.pop() else {
                break;
            };
            (next, is_all) = (Some(self.take_back(step)), false);
            prices.update(&self, step.file(), sections, price);
        }
        while next.is_none() && !is_all {
            let Some(step) = self.advance() else {
                is_all = true;
                break;
            };
            prices.update(&self, step.file(), sections, price);
            if prices.total > room {
                next = Some(self.take_back(step));
                prices.update(&self, step.file(), sections, price);
            }
        }
        if let Some(Step::Part {
            file,
            part,
            shown: Shown::Whole,
            ..
        }) = next
        {
            self.begin(file, part, room, &mut prices, sections, price);
        }
        let laid_by = units(self.laid_by / self.tokens);
        let mut claim = prices.total;
        if is_all {
            claim += laid_by.min(room - claim);
            // Names may take their share of what is left over, and then what they are for.
            let all: usize = self.files.iter().filter_map(File::missing_name).sum();
            let share = (room / self.names).saturating_sub(self.on_names);
            let names = share.min(all).min(room - claim);
            claim += names;
            let all: usize = self.files.iter().filter_map(File::missing_purpose).sum();
            let share = (room / DESCRIPTIONS).saturating_sub(self.on_purposes);
            let purposes = share.min(all).min(room - claim);
            claim += purposes;
            let (names, purposes) = (self.on_names + names, self.on_purposes + purposes);
            while let Some(step) = self.tell(names, purposes) {
                prices.update(&self, step.file(), sections, price);
            }
        }
        Outcome {
            cost: prices.total,
            claim,
            is_all,
        }
    }

    fn take_back(&mut self, step: Step) -> Step {
        match step {
            Step::Name { file } => self.files[file].is_named = false,
            Step::Purpose { file } => self.files[file].is_described = false,
            Step::Part {
                file, part, before, ..
            } => {
                self.files[file].show(part, before);
            }
        }
        step
    }

    /// Shows as many of the first lines of a part as there is room for: what comes behind
    /// it must not take that room, or more room would show less of that.
    fn begin(
        &mut self,
        file: usize,
        part: usize,
        room: usize,
        prices: &mut Prices,
        sections: &mut [&mut Section],
        price: &dyn Price,
    ) {
        let at = self.files[file].at;
        let piece = &sections[at.0].pieces[at.1];
        if matches!(piece.body, Body::Marker(_) | Body::Prose(_)) {
            return;
        }
        // Where it is all that there is, an empty line is not shown.
        let own = &split::lines(piece.body.text())[self.files[file].parts[part].lines.clone()];
        if own.iter().all(|line| line.trim().is_empty()) {
            return;
        }
        let lines = own.len();
        // So many lines there is room for beside what is there, about: what a long file really
        // costs is not to be asked for each number.
        let free = room.saturating_sub(prices.total);
        let mut used = 0;
        let fits = own.iter().take_while(|line| {
            used += price.lines(&[line]);
            used <= free
        });
        let guess = fits.count();
        let (is_open, is_guess) = (self.files[file].is_open(), self.are_guesses);
        let least = if is_guess && !is_open {
            MIN_BEGUN_OF_GUESS.min(lines / 2).max(MIN_BEGUN_LINES)
        } else {
            MIN_BEGUN_LINES
        };
        let edge = self.files[file].edge;
        // What all costs with so much of the part.
        let mut cost = |chosen: &mut Chosen, begun: Begun| {
            chosen.files[file].begun = Some(begun).filter(|begun| begun.lines > 0);
            prices.update(chosen, file, sections, price);
            prices.total
        };
        // All of a part may fit where what is around it does not, with as much of that as does,
        // and then costs less than most of it, behind which a remark stands.
        let mut fits_with = |around: usize| {
            let begun = Begun {
                part,
                lines,
                after: around.min(edge),
                before: around.saturating_sub(edge),
            };
            cost(self, begun) <= room
        };
        if !is_guess && (0..=2 * edge).rev().any(&mut fits_with) {
            return;
        }
        let most = lines.saturating_sub(1);
        for divides_heads in [false, true] {
            let least = match divides_heads {
                true if is_open => 1,
                true => MIN_BEGUN_LINES,
                false => least,
            };
            let mut begin = |lines: usize| {
                let lines = if divides_heads {
                    lines
                } else {
                    self.files[file].undivided(part, lines)
                };
                let begun = Begun {
                    part,
                    lines,
                    ..Begun::default()
                };
                cost(self, begun)
            };
            let fits = last_that_near(0, most, guess, |lines| begin(lines) <= room);
            let total = begin(if fits < least { 0 } else { fits });
            // Of what was asked for a long head is rather divided, and a line begun, than much
            // room left free.
            if is_guess || total + room / MUCH >= room {
                return;
            }
        }
    }

    /// Gives the piece of a file its form; what that costs.
    fn form(&self, file: usize, sections: &mut [&mut Section], price: &dyn Price) -> usize {
        let file = &self.files[file];
        let piece = &mut sections[file.at.0].pieces[file.at.1];
        piece.form = if file.is_open() {
            shown(file, piece.body.text())
        } else if file.is_described {
            Form::Described
        } else if file.is_named {
            Form::Name
        } else {
            Form::Omitted
        };
        if piece.form == Form::Omitted {
            return 0;
        }
        price.piece(piece)
    }
}

/// The form of a file of which something is shown.
fn shown(file: &File, text: &str) -> Form {
    let lines = split::lines(text);
    let (kept, outline) = file.lines(&lines);
    match (kept.as_slice(), outline.is_empty()) {
        ([], false) => Form::Outline(outline),
        ([], true) => Form::Full,
        ([all], _) if *all == (0..lines.len()) => Form::Full,
        _ => Form::Excerpt { kept, outline },
    }
}

/// What the pieces really cost in their forms.
pub(super) struct Prices {
    by_file: Vec<usize>,
    pub(super) total: usize,
}

impl Prices {
    pub(super) fn of(chosen: &Chosen, sections: &mut [&mut Section], price: &dyn Price) -> Prices {
        let files = 0..chosen.files.len();
        let by_file: Vec<usize> = files.map(|at| chosen.form(at, sections, price)).collect();
        Prices {
            total: by_file.iter().sum(),
            by_file,
        }
    }

    fn update(
        &mut self,
        chosen: &Chosen,
        file: usize,
        sections: &mut [&mut Section],
        price: &dyn Price,
    ) {
        let now = chosen.form(file, sections, price);
        self.total = self.total - self.by_file[file] + now;
        self.by_file[file] = now;
    }
}
