//! Prints what a check found, like rustc does, or for editors and CI.

use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use clap::ValueEnum;
use context_packer::command::show::{counted, visible};
use context_packer::diagnostics::{Diagnostic, Place, Rule, Severity};

use super::CheckFailed;
use super::report::{Terminal, print, print_json, print_parts};
use super::sarif::sarif;

/// The most characters of a source line that are shown.
const LONGEST: usize = 120;

/// How many of them come before the place, on a longer line.
const BEFORE: usize = 40;

/// Lines are already cut here, so nothing else should cut them.
const WIDE: usize = 100_000;

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FindingFormat {
    Text,
    Json,
    Sarif,
}

/// Prints what a check of `checked` files found, each finding once and in the order of places, and
/// fails if there are errors among them.
pub(super) fn conclude(
    mut found: Vec<Diagnostic>,
    (checked, what): (usize, &str),
    format: FindingFormat,
    root: &Path,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let order = |d: &Diagnostic| {
        let place = d.place.as_ref();
        place.map(|at| (at.file.clone(), at.line, at.column))
    };
    found.sort_by_cached_key(|d| (order(d), d.message.clone()));
    found.dedup();
    let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
    let errors = found.iter().filter(is_error).count();
    match format {
        FindingFormat::Json => print_json(&found)?,
        FindingFormat::Sarif => print_json(&sarif(&found, root))?,
        FindingFormat::Text => {
            let drawer = Drawer::new(terminal.colours_results());
            print_parts(found.iter().map(|d| drawer.draw(d) + "\n\n"))?;
            print(&format!(
                "{} checked: {}, {}\n",
                counted(checked, what),
                counted(errors, "error"),
                counted(found.len() - errors, "warning")
            ))?;
        }
    }
    if errors > 0 {
        return Err(CheckFailed.into());
    }
    Ok(())
}

/// Draws diagnostics.
struct Drawer {
    renderer: Renderer,
}

impl Drawer {
    fn new(colour: bool) -> Drawer {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Drawer {
            renderer: renderer.term_width(WIDE),
        }
    }

    /// Draws the message with its rule, the place, the source line with the place marked, and what
    /// to do about it.
    fn draw(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut title = level.primary_title(visible(&diagnostic.message));
        if diagnostic.rule != Rule::Other {
            title = title.id(diagnostic.rule.name());
        }
        let line = diagnostic.place.as_ref().map(Line::of);
        let file = diagnostic.place.as_ref().map(|place| visible(&place.file));
        let mut group = Group::with_title(title);
        if let (Some(place), Some(line), Some(file)) = (&diagnostic.place, &line, &file) {
            let mark = AnnotationKind::Primary.span(line.mark.clone());
            let snippet = Snippet::source(line.text.as_str())
                .path(file.as_ref())
                .line_start(place.line)
                .annotation(mark);
            group = group.element(snippet);
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(visible(help)));
        }
        if let Some(note) = &diagnostic.note {
            group = group.element(Level::NOTE.message(visible(note)));
        }
        let drawn = self.renderer.render(&[group]);
        match (&diagnostic.place, &line) {
            (Some(place), Some(line)) => with_true_column(drawn, place, line),
            _ => drawn,
        }
    }
}

/// A line as it is shown: without anything that acts on a terminal, and not too long.
struct Line {
    text: String,
    /// The bytes of it that are marked.
    mark: Range<usize>,
}

impl Line {
    fn of(place: &Place) -> Line {
        let letters: Vec<char> = place.text.chars().collect();
        let start = place.column.saturating_sub(place.text_column);
        let end = place.end_column.saturating_sub(place.text_column);
        let from = match letters.len() {
            ..=LONGEST => 0,
            _ => start.saturating_sub(BEFORE),
        };
        let to = letters.len().min(from + LONGEST);
        let mut text = String::new();
        if from > 0 || place.text_column > 1 {
            text.push('…');
        }
        let mut mark = None;
        let mut marked = text.len()..text.len();
        for (index, letter) in letters.iter().enumerate().take(to).skip(from) {
            let before = text.len();
            match letter {
                // Drawn as four spaces, and counted so.
                '\t' => text.push('\t'),
                letter => text.push_str(&visible(letter.encode_utf8(&mut [0; 4]))),
            }
            if (start..end).contains(&index) {
                marked = *mark.get_or_insert(before)..text.len();
            }
        }
        let place_of_mark = match mark {
            Some(_) => marked,
            // Behind the last character: something is missing there.
            None => text.len()..text.len(),
        };
        if to < letters.len() || letters.len() == Place::MAX_TEXT {
            text.push('…');
        }
        Line {
            text,
            mark: place_of_mark,
        }
    }
}

/// Corrects the column to the one in the file: it was counted in the line as shown.
fn with_true_column(drawn: String, place: &Place, line: &Line) -> String {
    let shown = line.text[..line.mark.start].chars().count() + 1;
    if shown == place.column {
        return drawn;
    }
    // The message is one line, the place stands in the next one.
    let Some((message, rest)) = drawn.split_once('\n') else {
        return drawn;
    };
    let wrong = format!(":{}:{shown}", place.line);
    let right = format!(":{}:{}", place.line, place.column);
    format!("{message}\n{}", rest.replacen(&wrong, &right, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, column: usize, width: usize) -> Place {
        Place {
            file: "a.yaml".into(),
            line: 7,
            column,
            end_column: column + width,
            text: text.into(),
            text_column: 1,
        }
    }

    fn drawn(text: &str, column: usize, width: usize) -> String {
        let problem = Diagnostic::error("wrong").at(Some(place(text, column, width)));
        Drawer::new(false).draw(&problem)
    }

    /// Returns the characters of the drawn line that are marked.
    fn marked(drawn: &str) -> String {
        let mut lines = drawn.lines().skip_while(|line| !line.starts_with("7 |"));
        let (line, mark) = (lines.next().unwrap(), lines.next().unwrap());
        let marks = mark.chars().enumerate().filter(|(_, c)| *c == '^');
        let columns: Vec<usize> = marks.map(|(at, _)| at).collect();
        let mut width = 0;
        let mut under = String::new();
        for letter in line.chars() {
            if columns.contains(&width) {
                under.push(letter);
            }
            width += if letter > '\u{2e80}' { 2 } else { 1 };
        }
        under
    }

    #[test]
    fn the_mark_lies_under_the_whole_place() {
        assert_eq!(marked(&drawn("name: 1st role", 7, 8)), "1st role");
        assert_eq!(marked(&drawn("\t\tname: x", 3, 4)), "name");
        assert_eq!(marked(&drawn("名前名前: wrong", 7, 5)), "wrong");
    }

    #[test]
    fn a_line_cannot_steer_a_terminal_and_the_column_is_that_of_the_file() {
        let drawn = drawn("a\u{1b}[31m\u{202e}: wrong", 10, 5);
        assert!(!drawn.contains(['\u{1b}', '\u{202e}']), "{drawn}");
        assert!(drawn.contains("--> a.yaml:7:10"), "{drawn}");
        assert_eq!(marked(&drawn), "wrong");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let line = format!("{}wrong{}", "x".repeat(100), "y".repeat(90));
        let drawn = drawn(&line, 101, 5);
        assert!(drawn.contains("--> a.yaml:7:101"), "{drawn}");
        assert_eq!(marked(&drawn), "wrong");
        assert!(
            drawn.lines().all(|line| line.chars().count() < 140),
            "{drawn}"
        );
    }

    #[test]
    fn a_place_behind_the_end_of_the_line_is_marked_there() {
        assert!(drawn("", 1, 1).contains('^'));
        assert!(drawn("name:", 6, 1).contains("7:6"));
    }
}
