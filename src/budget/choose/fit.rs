//! Fits what is chosen into the room by its real prices.

use super::file::{Begun, File, Shown};
use super::step::Step;
use super::{Chosen, MIN_BEGUN_LINES, MIN_BEGUN_OF_GUESS, Outcome, units};
use crate::budget::{DESCRIPTIONS, Price};
use crate::section::{Body, Form, Piece, Section};
use crate::split;
use crate::syntax::language;
use crate::truncate::last_that;

/// No more than the room divided by this is left free in order to keep a head whole, or because
/// only one more line fits of a file of which more is shown.
const MUCH: usize = 20;

/// Lines cost together at least what they cost one by one, divided by this.
const TOGETHER: usize = 2;

impl Chosen {
    /// Takes as many steps as fit by their real prices, and then goes into the part that no longer
    /// fits.
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
        let mut fitting = Fitting::of(&self, sections, room, price);
        let mut next = None;
        while fitting.total > room {
            let Some(step) = self.steps.pop() else {
                break;
            };
            (next, is_all) = (Some(self.take_back(step)), false);
            fitting.update(&self, step.file());
        }
        while next.is_none() && !is_all {
            let Some(step) = self.advance() else {
                is_all = true;
                break;
            };
            fitting.update(&self, step.file());
            if fitting.total > room {
                next = Some(self.take_back(step));
                fitting.update(&self, step.file());
            }
        }
        if let Some(Step::Part {
            file,
            part,
            shown: Shown::Whole,
            ..
        }) = next
        {
            self.begin(file, part, &mut fitting);
        }
        let laid_by = units(self.laid_by / self.tokens);
        let mut claim = fitting.total;
        if is_all && !self.goes_on {
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
                fitting.update(&self, step.file());
            }
        }
        Outcome {
            cost: fitting.total,
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

    /// Shows as many of the first lines of a part as fit. What comes after it must not take that
    /// room, or more room would show less of it.
    fn begin(&mut self, file: usize, part: usize, fitting: &mut Fitting<'_, '_>) {
        let at = self.files[file].at;
        let piece = &fitting.sections[at.0].pieces[at.1];
        if matches!(piece.body, Body::Marker(_) | Body::Prose(_)) {
            return;
        }
        // Where it is all that there is, an empty line is not shown.
        let own = &split::lines(piece.body.text())[self.files[file].parts[part].lines.clone()];
        if own.iter().all(|line| line.trim().is_empty()) {
            return;
        }
        let lines = own.len();
        let is_open = self.files[file].is_open();
        // Of a document: how many of its first lines say something alone, and the fewest that do.
        let (said, below) = match self.files[file].edge {
            0 => (all_said(own, is_asciidoc(piece)), below_heading(own)),
            _ => (Vec::new(), 0),
        };
        let most = fitting.most(own);
        if !self.are_guesses && self.fits_whole(file, part, lines, fitting) {
            return;
        }
        let room = fitting.room;
        for divides_heads in [false, true] {
            let least = self.least_begun(is_open, lines, divides_heads).max(below);
            let mut begin = |lines: usize| {
                let lines = if divides_heads {
                    lines
                } else {
                    self.files[file].undivided(part, lines)
                };
                let lines = said.get(lines).copied().unwrap_or(lines);
                // Of a guess there may be no more than a scrap before a head that does not fit.
                let least = if self.are_guesses { least } else { below };
                let lines = if lines < least { 0 } else { lines };
                let begun = Begun {
                    part,
                    lines,
                    ..Begun::default()
                };
                self.cost_begun(file, begun, fitting)
            };
            // The numbers that are tried do not depend on the room: a remark may cost more than the
            // lines in its place, so that fewer lines may not fit where more of them do.
            let fits = last_that(0, lines.saturating_sub(1), |lines| {
                lines <= most && begin(lines) <= room
            });
            let total = begin(if fits < least { 0 } else { fits });
            // Of what was asked for a long head is rather divided, and a line begun, than much
            // room left free.
            if self.are_guesses || total + room / MUCH >= room {
                return;
            }
        }
    }

    /// Shows all lines of a part, with as much of what surrounds it as fits.
    ///
    /// All of a part may fit where its surroundings do not, and then costs less than most of it,
    /// which is followed by a remark.
    fn fits_whole(
        &mut self,
        file: usize,
        part: usize,
        lines: usize,
        fitting: &mut Fitting<'_, '_>,
    ) -> bool {
        let edge = self.files[file].edge;
        (0..=2 * edge).rev().any(|around| {
            let begun = Begun {
                part,
                lines,
                after: around.min(edge),
                before: around.saturating_sub(edge),
            };
            self.cost_begun(file, begun, fitting) <= fitting.room
        })
    }

    /// Returns what everything costs with this much of a part.
    fn cost_begun(&mut self, file: usize, begun: Begun, fitting: &mut Fitting<'_, '_>) -> usize {
        self.files[file].begun = Some(begun).filter(|begun| begun.lines > 0);
        fitting.update(self, file);
        fitting.total
    }

    /// Returns how many of its `lines` lines must at least be shown of a part, depending on whether
    /// something else of the file is shown.
    fn least_begun(&self, is_open: bool, lines: usize, divides_heads: bool) -> usize {
        match (is_open, divides_heads) {
            (true, true) => 1,
            (false, false) if self.are_guesses => {
                MIN_BEGUN_OF_GUESS.min(lines / 2).max(MIN_BEGUN_LINES)
            }
            _ => MIN_BEGUN_LINES,
        }
    }
}

/// Returns how many lines a section of a document has up to the first below its heading: a heading
/// alone says nothing.
fn below_heading(lines: &[&str]) -> usize {
    const LONGEST: usize = 3;
    let is_empty = |line: &&str| line.trim().is_empty();
    let heading = lines.iter().take(LONGEST).position(is_empty);
    let below = heading.and_then(|end| {
        let next = lines[end..].iter().position(|line| !is_empty(line))?;
        Some(end + next + 1)
    });
    below.unwrap_or(0)
}

/// Returns, for each number of first lines of a section of a document, how many of them make sense
/// alone: a line that ends in a colon only leads to what follows, a heading to what is below it,
/// and half a sentence says nothing.
fn all_said(lines: &[&str], is_asciidoc: bool) -> Vec<usize> {
    let title = title(lines);
    let mut said = vec![0];
    let mut leads_on = false;
    let mut is_code = false;
    let mut may_be_indented = true;
    for (at, written) in lines.iter().enumerate() {
        let line = written.trim_end();
        let before = said[at];
        let is_empty = line.is_empty();
        // Code that no fences stand around, below an empty line or more of it.
        let is_indented = may_be_indented && is_code_by_indent(written);
        may_be_indented = is_empty || is_indented;
        let begins = line.trim_start();
        let was_code = is_code;
        is_code ^= begins.starts_with("```") || begins.starts_with("~~~");
        let is_headed = || {
            is_marked(line) || !is_asciidoc && (is_underlined(lines, at) || underlines(lines, at))
        };
        let heads = at >= title && !was_code && is_headed();
        leads_on = heads || line.ends_with(':') || is_empty && leads_on;
        let is_broken = written.ends_with("  ") || line.ends_with('\\');
        let ends = was_code
            || !is_code
                && (is_indented || is_broken || ends_there(line, lines.get(at + 1).copied()));
        let is_said = ends && at >= title;
        said.push(if is_said && !leads_on { at + 1 } else { before });
    }
    said
}

fn is_code_by_indent(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

/// Whether a sentence, an item or a row of a document ends with a line, before this one.
fn ends_there(line: &str, next: Option<&str>) -> bool {
    let said = line.trim_end_matches([')', ']', '`', '"', '*', '_']);
    let next = next.unwrap_or_default().trim_start();
    let number = next.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = next.starts_with(['-', '*', '+', '#', '|', '`', '~', '$', '>', '<', ':', '.'])
        || number.len() < next.len() && number.starts_with(['.', ')']);
    line.is_empty()
        || next.is_empty()
        || is_item
        || said.ends_with(['.', '!', '?', '|', ';', '…', '。', '！', '？'])
}

/// Whether it is a page in which lines around code look like the underline of a heading.
fn is_asciidoc(piece: &Piece) -> bool {
    language(piece.path.as_deref().unwrap_or_default()) == "asciidoc"
}

/// Whether a line is a heading by the signs before it.
fn is_marked(line: &str) -> bool {
    let title = line.trim_start_matches(['#', '=']);
    title.len() < line.len() && title.starts_with(' ')
}

/// Whether a line is a heading by the line below it, which is about as long.
fn is_underlined(lines: &[&str], at: usize) -> bool {
    let title = lines[at].trim();
    let ruler = lines.get(at + 1).filter(|below| is_ruler(below));
    let is_as_long = |ruler: &&str| ruler.trim().len() + 1 >= title.chars().count();
    !title.is_empty() && !is_ruler(title) && ruler.is_some_and(is_as_long)
}

/// Whether a line is below a heading.
fn underlines(lines: &[&str], at: usize) -> bool {
    at > 0 && is_underlined(lines, at - 1)
}

/// Whether a line may be below a heading.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    let is_of = |sign| line.bytes().all(|byte| byte == sign);
    line.len() > 2 && (is_of(b'=') || is_of(b'-'))
}

/// Returns how many of these lines are a heading, marked or underlined.
fn title(lines: &[&str]) -> usize {
    match lines {
        [_, below, ..] if is_ruler(below) => 2,
        [first, ..] if first.starts_with('#') => 1,
        _ => 0,
    }
}

/// Returns the form of a file of which something is shown; `None` if these are empty lines of one
/// that has others.
fn shown(file: &File, text: &str) -> Option<Form> {
    let lines = split::lines(text);
    let (kept, outline) = file.lines(&lines);
    Some(match (kept.as_slice(), outline.is_empty()) {
        ([], false) => Form::Outline(outline),
        ([], true) if lines.iter().any(|line| !line.trim().is_empty()) => return None,
        ([], true) => Form::Full,
        ([all], _) if *all == (0..lines.len()) => Form::Full,
        _ => Form::Excerpt { kept, outline },
    })
}

/// Sections whose pieces get the forms that were chosen, with what these really cost.
pub(super) struct Fitting<'f, 's> {
    sections: &'f mut [&'s mut Section],
    room: usize,
    price: &'f dyn Price,
    by_file: Vec<usize>,
    pub(super) total: usize,
}

impl<'f, 's> Fitting<'f, 's> {
    pub(super) fn of(
        chosen: &Chosen,
        sections: &'f mut [&'s mut Section],
        room: usize,
        price: &'f dyn Price,
    ) -> Fitting<'f, 's> {
        let mut fitting = Fitting {
            sections,
            room,
            price,
            by_file: vec![0; chosen.files.len()],
            total: 0,
        };
        for file in 0..chosen.files.len() {
            fitting.update(chosen, file);
        }
        fitting
    }

    /// Follows what was chosen of a file.
    fn update(&mut self, chosen: &Chosen, file: usize) {
        let now = self.form(&chosen.files[file]);
        self.total = self.total - self.by_file[file] + now;
        self.by_file[file] = now;
    }

    /// Gives the piece of a file its form, and returns what that costs.
    fn form(&mut self, file: &File) -> usize {
        let piece = &mut self.sections[file.at.0].pieces[file.at.1];
        let open = file.is_open().then(|| shown(file, piece.body.text()));
        piece.form = match open.flatten() {
            Some(form) => form,
            None if file.is_described => Form::Described,
            None if file.is_named => Form::Name,
            None => Form::Omitted,
        };
        if piece.form == Form::Omitted {
            return 0;
        }
        self.price.piece(piece)
    }

    /// Returns how many of these lines fit at most beside what is there: asking for the real price
    /// of a long file for more of them would take too long.
    fn most(&self, lines: &[&str]) -> usize {
        let free = self.room.saturating_sub(self.total);
        let mut used = 0;
        let fits = lines.iter().take_while(|line| {
            used += self.price.lines(&[line]);
            used <= TOGETHER * free
        });
        fits.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lines_of_a_document_end_with_a_sentence() {
        let code = [
            "Run::",
            "",
            "    make a",
            "    make b",
            "",
            "好。",
            "a  ",
            "b",
        ];
        assert_eq!(all_said(&code, false), [0, 0, 0, 3, 4, 5, 6, 7, 8]);
        let text = "## Tests\n\nWrite some. In short, you will\nhave to look. Or\n(not).\n\
            \n1. Run all\n   of it\n2. Wait\n\n```sh\nmake\nmake test\n```\nIt is\ndone\n";
        let lines: Vec<&str> = text.lines().collect();
        let said = all_said(&lines, false);
        assert_eq!(
            said,
            [0, 0, 2, 2, 2, 5, 6, 6, 8, 9, 10, 10, 12, 13, 14, 14, 16]
        );
    }

    #[test]
    fn a_heading_below_another_says_nothing_alone() {
        let said = |text: &str, is_asciidoc| {
            let lines: Vec<&str> = text.lines().collect();
            all_said(&lines, is_asciidoc)
        };
        let marked = "# A\n\na.\n\n## B\n\nb.\n";
        assert_eq!(said(marked, false), [0, 0, 2, 3, 4, 4, 4, 7]);
        let underlined = "a.\n\nBeta\n----\n\nb.\n";
        assert_eq!(said(underlined, false), [0, 1, 2, 2, 2, 2, 6]);
        // Not so long a line ends a table or what stands at the top of a page.
        let short = "a.\n\ntitle: a page\n---\n\nb.\n";
        assert_eq!(said(short, false), [0, 1, 2, 3, 4, 5, 6]);
        let code = "a.\n\n----\nmake\n----\n\nb.\n";
        assert_eq!(said(code, true), [0, 1, 2, 2, 4, 5, 6, 7]);
    }
}
