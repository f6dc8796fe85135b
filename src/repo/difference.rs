//! The lines in which two texts differ.

use git2::{DiffLineType, DiffOptions, Patch};

use crate::memory::with_less;

/// A line of a comparison of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line<'a> {
    /// The following continues at this line of the new text; the lines before it are the same.
    At(u32),
    /// It is in both.
    Same(&'a str),
    /// It is only in the old text.
    Gone(&'a str),
    /// It is only in the new text.
    New(&'a str),
    /// The text of the line before ends without a line break.
    Unended,
}

/// Passes on the lines in which two texts differ, with some around them, until `tell` says that it
/// has enough. Lines come without their `\n`, but otherwise complete.
///
/// # Errors
///
/// Says why they cannot be compared: there is not enough memory.
pub fn compare_lines(
    old: &str,
    new: &str,
    around: u32,
    tell: &mut dyn FnMut(Line<'_>) -> bool,
) -> Result<(), String> {
    let mut options = DiffOptions::new();
    options.context_lines(around).force_text(true);
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let said = |error: git2::Error| error.message().to_owned();
    with_less(|| {
        let patch = Patch::from_buffers(old, None, new, None, Some(&mut options)).map_err(said)?;
        for hunk in 0..patch.num_hunks() {
            let (about, lines) = patch.hunk(hunk).map_err(said)?;
            if !tell(Line::At(about.new_start().max(1))) {
                return Ok(());
            }
            for at in 0..lines {
                let line = patch.line_in_hunk(hunk, at).map_err(said)?;
                let text = String::from_utf8_lossy(line.content());
                let text = text.strip_suffix('\n').unwrap_or(&text);
                let line = match line.origin_value() {
                    DiffLineType::Context => Line::Same(text),
                    DiffLineType::Addition => Line::New(text),
                    DiffLineType::Deletion => Line::Gone(text),
                    _ => Line::Unended,
                };
                if !tell(line) {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(old: &str, new: &str) -> Vec<String> {
        let mut told = Vec::new();
        let mut tell = |line: Line<'_>| {
            told.push(match line {
                Line::At(at) => format!("@{at}"),
                Line::Same(text) => format!(" {text}"),
                Line::Gone(text) => format!("-{text}"),
                Line::New(text) => format!("+{text}"),
                Line::Unended => "\\".to_owned(),
            });
            told.len() < 100
        };
        compare_lines(old, new, 1, &mut tell).unwrap();
        told
    }

    #[test]
    fn lines_that_differ_are_told_with_those_around_them() {
        assert_eq!(compare("a\nb\n", "a\nb\n"), [""; 0]);
        assert_eq!(
            compare("a\nb\nc\nd\n", "a\nb\nC\nd\n"),
            ["@2", " b", "-c", "+C", " d"]
        );
        assert_eq!(compare("", "a\n"), ["@1", "+a"]);
        assert_eq!(compare("a\n", ""), ["@1", "-a"]);
    }

    #[test]
    fn whatever_differs_is_a_line_that_differs() {
        assert_eq!(compare("a\n", "a"), ["@1", "-a", "+a", "\\"]);
        assert_eq!(compare("a", "a\n"), ["@1", "-a", "\\", "+a"]);
        assert_eq!(compare("a\r\n", "a\n"), ["@1", "-a\r", "+a"]);
        assert_eq!(compare("a\0b\n", "a\0c\n"), ["@1", "-a\0b", "+a\0c"]);
        assert_eq!(compare("a \n", "a\n"), ["@1", "-a ", "+a"]);
    }

    #[test]
    fn who_has_heard_enough_is_told_no_more() {
        let new = "b\n".repeat(10_000);
        assert_eq!(compare("a\n", &new).len(), 100);
    }
}
