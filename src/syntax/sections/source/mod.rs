//! Source in a language without a grammar here: a declaration begins with a keyword, and ends at
//! the next line that is indented no deeper.
//!
//! People and formatters indent what belongs together, so this is right for nearly everything that
//! they write. For unindented text it finds only the heads.

mod head;
mod words;

use super::Start;
use crate::syntax::tree::DeclarationKind;
use crate::syntax::{indent, is_bare};
use head::{Found, Heads};

pub use words::words;
use words::{Manner, Words};

/// A head with more lines is shown by its first ones.
const MAX_HEAD: usize = 12;

/// How a line begins that is a comment, or for a preprocessor.
const ASIDES: [&str; 9] = ["//", "#", "--", ";", "%", "/*", "*", "!", "<!--"];

/// Returns what source with these keywords declares.
pub fn of_words(words: &'static Words, lines: &[&str]) -> Vec<Start> {
    let mut reading = Reading {
        words,
        lines,
        starts: Vec::new(),
        open: Vec::new(),
        before: 0,
    };
    let heads = Heads { words, lines };
    let mut comment = Comment::of(words.comment);
    for (at, line) in lines.iter().enumerate() {
        if comment.holds(line) || is_aside(line) {
            continue;
        }
        reading.close(at);
        let around = reading.around();
        if around != Some(DeclarationKind::Function)
            && let Some(found) = heads.find(at, around)
        {
            reading.open(at, found);
        }
        reading.before = at;
    }
    reading.end()
}

/// Goes over the lines of a text.
struct Reading<'a> {
    words: &'static Words,
    lines: &'a [&'a str],
    starts: Vec<Start>,
    /// What is open: its index among the starts, its indentation (-1 for what only its end closes),
    /// and where its head ends.
    open: Vec<(usize, isize, usize)>,
    /// The last line with content.
    before: usize,
}

impl Reading<'_> {
    /// Ends what a line with this indentation does not belong to.
    fn close(&mut self, at: usize) {
        let indent = place(self.lines[at]);
        let line = self.lines[at].trim();
        let is_end = line == "@end";
        while let Some((start, own, head_end)) = self.open.last().copied() {
            if indent > own && !is_end || at < head_end || self.goes_on(start, line) {
                return;
            }
            let closes = is_end || indent == own && closes(line);
            if closes && opens(line) {
                return;
            }
            let last = if closes { at } else { self.before };
            self.starts[start].end = Some(last + 1);
            self.open.pop();
            if closes {
                return;
            }
        }
    }

    /// Whether a line defines what an earlier signature or clause belongs to.
    fn goes_on(&self, start: usize, line: &str) -> bool {
        let name = &self.starts[start].title;
        let by_name = matches!(self.words.manner, Manner::Signed | Manner::Clause);
        let rest = line.strip_prefix(name.as_str()).filter(|_| by_name);
        rest.is_some_and(|rest| {
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\'')
        })
    }

    /// Returns what encloses the next line.
    fn around(&self) -> Option<DeclarationKind> {
        let (start, ..) = self.open.last()?;
        Some(self.starts[*start].kind)
    }

    fn open(&mut self, at: usize, found: Found) {
        let head_end = head_end(self.lines, at);
        let is_closed =
            self.words.manner == Manner::Objective && found.kind == DeclarationKind::Type;
        let own = if is_closed { -1 } else { place(self.lines[at]) };
        self.open.push((self.starts.len(), own, head_end));
        self.starts.push(Start {
            line: at,
            title_line: at,
            head_end,
            title: found.name,
            level: usize::try_from(own + 1).unwrap_or_default(),
            end: None,
            kind: found.kind,
        });
    }

    /// Ends what is open at the end of the text.
    fn end(mut self) -> Vec<Start> {
        let last = self.before + 1;
        for (start, ..) in &self.open {
            self.starts[*start].end = Some(last);
        }
        for start in &mut self.starts {
            let end = start.end.unwrap_or(last).max(start.line + 1);
            start.end = Some(end);
            start.head_end = start.head_end.min(end);
        }
        self.starts
    }
}

/// Returns how far a line is indented.
fn place(line: &str) -> isize {
    isize::try_from(indent(line)).unwrap_or(isize::MAX - 1)
}

/// Whether a line closes what is above it.
fn closes(line: &str) -> bool {
    let first = line.split(|c: char| !c.is_alphanumeric()).next();
    is_bare(line)
        || line.starts_with(['}', ')', ']', '{'])
        || first.is_some_and(|word| word.eq_ignore_ascii_case("end"))
        || matches!(line, "@end" | "\"\"\"" | "in" | "esac" | "fi" | "done")
}

/// Whether what is on a line continues below it.
fn opens(line: &str) -> bool {
    let ends = [
        "{", "(", "[", "=>", "->", ":", "=", ",", "do", "then", "begin",
    ];
    ends.iter().any(|end| line.ends_with(end))
}

/// Whether a line says nothing about what is declared: an empty one, a comment, a label.
fn is_aside(line: &str) -> bool {
    let line = line.trim();
    let is_label = || {
        let label = line.strip_suffix(':');
        label.is_some_and(|label| label.chars().all(char::is_alphanumeric))
    };
    line.is_empty() || ASIDES.iter().any(|sign| line.starts_with(sign)) || is_label()
}

/// Returns the line after the head that begins on this one: where its brackets are closed, or the
/// bracket of its body opens.
fn head_end(lines: &[&str], at: usize) -> usize {
    let mut deep = 0_usize;
    let most = lines.len().min(at + MAX_HEAD);
    for (end, line) in lines[..most].iter().enumerate().skip(at) {
        for sign in line.bytes() {
            match sign {
                b'(' | b'[' => deep += 1,
                b')' | b']' => deep = deep.saturating_sub(1),
                _ => {}
            }
        }
        if deep == 0 {
            let next = lines.get(end + 1).map(|line| line.trim());
            return end + 1 + usize::from(next == Some("{"));
        }
    }
    at + 1
}

/// Whether lines are in a comment of several lines.
struct Comment {
    signs: (&'static str, &'static str),
    is_open: bool,
}

impl Comment {
    fn of(signs: (&'static str, &'static str)) -> Comment {
        Comment {
            signs,
            is_open: false,
        }
    }

    /// Whether the next line is in one, or begins one.
    fn holds(&mut self, line: &str) -> bool {
        let (from, to) = self.signs;
        if self.is_open {
            self.is_open = !line.contains(to);
            return true;
        }
        // The documentation of Perl begins with a word behind a sign at the first column.
        let begins = if from == "=" {
            line.strip_prefix(from)
                .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
        } else {
            line.trim_start().starts_with(from)
        };
        if from == to {
            // A text that begins behind code is one as well.
            self.is_open = line.matches(from).count() % 2 == 1;
            return begins;
        }
        let rest = line.split_once(from).map_or("", |(_, rest)| rest);
        self.is_open = begins && !rest.contains(to);
        begins
    }
}

#[cfg(test)]
mod tests;
