//! What a message says about itself: its severity, and the kind of mistake.

use super::place::is_digits;

/// What a message says about itself.
pub(super) struct Reading<'a> {
    pub(super) severity: &'a str,
    pub(super) code: Option<&'a str>,
    pub(super) message: &'a str,
}

/// The words with which messages begin.
const SEVERITIES: [&str; 10] = [
    "help",
    "fatal error",
    "information",
    "suggestion",
    "warning",
    "remark",
    "error",
    "info",
    "hint",
    "note",
];

impl<'a> Reading<'a> {
    /// Makes the reading of what a program raised: all of it is the message.
    pub(super) fn raised(message: &'a str) -> Reading<'a> {
        Reading {
            severity: "error",
            code: None,
            message,
        }
    }

    /// `error[E0308]: …`, `error TS2322: …`, `warning: … [-Wunused]`, `F401 …`, `W: …`
    pub(super) fn of(said: &'a str) -> Reading<'a> {
        let (letter, said) = by_letter(said).map_or((None, said), |(it, rest)| (Some(it), rest));
        let first = SEVERITIES.iter().find_map(|word| {
            let (first, rest) = said.split_at_checked(word.len())?;
            let is_one = first.eq_ignore_ascii_case(word) && ends_severity(rest);
            is_one.then_some((first, rest))
        });
        let (severity, rest) = first.unwrap_or(("error", said));
        let (code, message) = code(rest.trim_start());
        let message = message.trim_start_matches([':', ' ']);
        let at_end = || {
            let (before, code) = message.strip_suffix(']')?.rsplit_once(" [")?;
            let is_code = !code.contains(' ') && code.contains(char::is_alphabetic);
            is_code.then_some((code, before.trim_end()))
        };
        let (code, message) = match (code, at_end()) {
            (None, Some((code, message))) => (Some(code), message),
            _ => (code, message),
        };
        // Of `fatal error` the last word.
        let severity = severity.rsplit(' ').next().unwrap_or(severity);
        Reading {
            severity: letter.unwrap_or(severity),
            code,
            message,
        }
    }
}

/// Whether a severity ends before this, and not a word of the message: behind one blank there is a
/// code, as in `error TS2322: …`.
fn ends_severity(rest: &str) -> bool {
    let is_code = || code(rest.trim_start()).0.is_some();
    rest.starts_with([':', '[', '('])
        || rest.starts_with("  ")
        || rest.starts_with(' ') && is_code()
}

/// Returns the severity given by a single letter, as Ruby linters do, and what follows it.
fn by_letter(said: &str) -> Option<(&'static str, &str)> {
    const LETTERS: [(&str, &str); 6] = [
        ("E: ", "error"),
        ("F: ", "error"),
        ("W: ", "warning"),
        ("C: ", "info"),
        ("R: ", "info"),
        ("I: ", "info"),
    ];
    let mut letters = LETTERS.iter();
    letters.find_map(|(letter, severity)| Some((*severity, said.strip_prefix(letter)?)))
}

/// Returns the name of a kind of mistake with which a message begins: capital letters and a number,
/// or whatever is in brackets.
fn code(text: &str) -> (Option<&str>, &str) {
    let bracketed = text.strip_prefix(['[', '(']);
    if let Some((code, rest)) = bracketed.and_then(|it| it.split_once([']', ')'])) {
        let is_code = !code.contains(' ') && rest.starts_with([':', ' ']);
        return if is_code {
            (Some(code), rest)
        } else {
            (None, text)
        };
    }
    let end = text.find([':', ' ']).unwrap_or(text.len());
    let word = &text[..end];
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    let has_digits = (2..=6).contains(&digits.len()) && is_digits(digits);
    if (1..=6).contains(&letters) && has_digits {
        (Some(word), &text[end..])
    } else {
        (None, text)
    }
}
