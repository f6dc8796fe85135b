//! What goes to the terminal: errors, warnings, tables, colour.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use context_packer::command::masked;
use context_packer::command::show::visible;
use context_packer::diagnostics::{Diagnostic, Severity};

use super::usage::{self, WrongValue};
use super::{CheckFailed, Color};

/// The exit code of wrong usage.
const USAGE: u8 = 2;

/// Standard error as a person sees it.
pub(super) struct Terminal {
    colour: bool,
    /// Whether standard output may have colours, for results meant for people.
    colour_of_results: bool,
    quiet: bool,
}

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const CYAN: &str = "\x1b[1;36m";
const DIM: &str = "\x1b[2m";
const RESET: &str = "\x1b[0m";

impl Terminal {
    pub(super) fn new(color: Color, quiet: bool) -> Terminal {
        let wanted = |is_terminal: bool| {
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => is_terminal && !no_color && !dumb,
            }
        };
        Terminal {
            colour: wanted(io::stderr().is_terminal()),
            colour_of_results: wanted(io::stdout().is_terminal()),
            quiet,
        }
    }

    /// Whether results for people are coloured.
    pub(super) fn colours_results(&self) -> bool {
        self.colour_of_results
    }

    fn paint(&self, colour: &str, text: &str) -> String {
        if self.colour {
            format!("{colour}{text}{RESET}")
        } else {
            text.to_owned()
        }
    }

    /// Prints wrong usage, help or the version, and returns the exit code.
    pub(super) fn usage(&self, error: &clap::Error) -> ExitCode {
        let called = usage::called(std::env::args_os().skip(1));
        if let (Some((wrong, help)), true) = (usage::told(error, &called), error.use_stderr()) {
            say(&self.error(&masked(wrong), Some(&masked(help))));
            return ExitCode::from(USAGE);
        }
        let printed = error.print().and_then(|()| io::stdout().flush());
        match (error.exit_code(), printed) {
            // Help that nobody gets is no success, unless nobody listens any more.
            (0, Err(why)) if why.kind() != io::ErrorKind::BrokenPipe => {
                say(&self.error(&why.to_string(), None));
                ExitCode::FAILURE
            }
            (0, _) => ExitCode::SUCCESS,
            _ => ExitCode::from(USAGE),
        }
    }

    /// Returns an error, followed by a line that helps.
    fn error(&self, message: &str, help: Option<&str>) -> String {
        let mut text = format!("{} {}\n", self.paint(RED, "error:"), calm(message));
        if let Some(help) = help {
            let _ = writeln!(text, "{} {}", self.paint(CYAN, "help:"), calm(help));
        }
        text
    }

    /// Prints an error and returns the exit code. A closed pipe is not an error.
    pub(super) fn fail(&self, error: &anyhow::Error) -> ExitCode {
        if let Some(io) = error.downcast_ref::<io::Error>()
            && io.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        if error.is::<CheckFailed>() {
            return ExitCode::FAILURE;
        }
        if let Some(usage) = error.downcast_ref::<clap::Error>() {
            return self.usage(usage);
        }
        let wrong = error.downcast_ref::<WrongValue>();
        let known = wrong.map(|wrong| &wrong.0);
        let known = known.or_else(|| error.downcast_ref::<context_packer::Error>());
        let help = known.and_then(context_packer::Error::help);
        let mut text = self.error(&sentence(error), help);
        if let Some(known) = known {
            for more in &known.diagnostics()[1..] {
                let _ = writeln!(text, "{} {}", self.severity(more), calm(&more.sentence()));
            }
        }
        say(&text);
        wrong.map_or(ExitCode::FAILURE, |_| ExitCode::from(USAGE))
    }

    fn severity(&self, diagnostic: &Diagnostic) -> String {
        match diagnostic.severity {
            Severity::Error => self.paint(RED, "error:"),
            Severity::Warning => self.paint(YELLOW, "warning:"),
        }
    }

    /// Prints warnings, one line each.
    pub(super) fn warn<S: AsRef<str>>(&self, warnings: impl IntoIterator<Item = S>) {
        if self.quiet {
            return;
        }
        let mut text = String::new();
        for warning in warnings {
            let label = self.paint(YELLOW, "warning:");
            let _ = writeln!(text, "{label} {}", calm(warning.as_ref()));
        }
        say(&text);
    }

    /// Prints what a command did, in a line.
    pub(super) fn summary(&self, text: &str) {
        if !self.quiet {
            say(&format!("{text}\n"));
        }
    }

    /// Prints a remark that only `--verbose` asks for.
    pub(super) fn remark(&self, text: &str) {
        say(&format!("{}\n", self.paint(DIM, text)));
    }
}

/// Returns what an error says, after what it happened to. The library's own sentence already
/// contains the error of the system or of another library.
pub(super) fn sentence(error: &anyhow::Error) -> String {
    let causes: Vec<_> = error.chain().collect();
    let known = causes
        .iter()
        .position(|cause| cause.is::<context_packer::Error>());
    let told = &causes[..known.map_or(causes.len(), |known| known + 1)];
    let sentences: Vec<String> = told.iter().map(ToString::to_string).collect();
    masked(sentences.join(": "))
}

/// Returns what to do about an error, if that is known.
pub(super) fn help_of(error: &anyhow::Error) -> Option<&str> {
    let known = error.downcast_ref::<context_packer::Error>();
    known.and_then(context_packer::Error::help)
}

/// Returns what an error says, and what to do about it if that is known.
pub(super) fn advice(error: &anyhow::Error) -> String {
    let said = sentence(error);
    match help_of(error) {
        Some(help) => format!("{said}; {help}"),
        None => said,
    }
}

/// Makes a message safe for a terminal. Names are escaped where they appear; this is for what
/// others say: a parser that quotes a text, the system.
fn calm(message: &str) -> String {
    let lines: Vec<_> = message.split('\n').map(visible).collect();
    lines.join("\n")
}

/// Prints a result to standard output, with a line break at the end.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    print_parts([text])
}

/// Prints the parts of a result to standard output, with a line break at the end.
pub(super) fn print_parts<T: AsRef<str>>(parts: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut is_open = false;
    for part in parts {
        let part = part.as_ref();
        out.write_all(part.as_bytes())?;
        if !part.is_empty() {
            is_open = !part.ends_with('\n');
        }
    }
    if is_open {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints a text whose tokens were counted, without adding a line break, so that the output has no
/// more tokens than allowed. On a terminal the next line begins below it.
pub(super) fn print_as_it_is(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if out.is_terminal() && !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Prints data as JSON to standard output.
pub(super) fn print_json(data: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(write_json(&mut io::stdout().lock(), data)?)
}

/// Writes data as JSON without holding it in memory.
pub(super) fn write_json(out: &mut dyn io::Write, data: &impl serde::Serialize) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    // What went wrong with a pipe is told as such.
    serde_json::to_writer_pretty(&mut out, data).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Prints to standard error; if nobody listens there, nothing can be said.
pub(super) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// A wider cell stands out of its column: otherwise a single name would widen every line.
const MAX_WIDTH: usize = 200;

/// Columns of text.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(head: &[&str]) -> Table {
        Table {
            rows: vec![head.iter().map(|cell| (*cell).to_owned()).collect()],
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Prints the table, with each column aligned to the left (`<`) or the right (`>`).
    pub(super) fn print(&self, alignment: &str) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widths = cells.map(|cell| cell.chars().count());
            let widths = widths.filter(|width| *width <= MAX_WIDTH);
            widths.max().unwrap_or(0)
        };
        let columns: Vec<(char, usize)> = alignment
            .chars()
            .enumerate()
            .map(|(at, side)| (side, width(at)))
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&columns).map(|(cell, (side, width))| {
                if *side == '<' {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_without_end_widens_no_other_line() {
        let mut table = Table::new(&["name", "tokens"]);
        table.row(["a".repeat(100_000), "1".into()]);
        table.row(["b".into(), "2".into()]);
        let printed = table.print("<>");
        let lines: Vec<_> = printed.lines().collect();
        assert_eq!(lines[0], "name  tokens");
        assert!(lines[1].ends_with("a       1"));
        assert_eq!(lines[2], "b          2");
    }

    #[test]
    fn what_the_system_said_is_not_said_twice() {
        let absent = context_packer::ContextPacker::open("absent").err().unwrap();
        let error = anyhow::Error::new(absent).context("no prompt");
        let expected = "no prompt: cannot open the repository `absent`: no such file";
        assert_eq!(sentence(&error), expected);
    }
}
