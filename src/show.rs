//! Names and numbers as a person reads them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Shows a name in one line: control characters and the marks that turn the
/// direction of text around are written as `\n` or `\u{202e}`.
///
/// A file's own name could otherwise forge a heading in the prompt or fool a
/// terminal.
pub fn visible(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_hidden) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        match letter {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if is_hidden(letter) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
            }
            _ => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// A path of the machine, in one line.
pub fn path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// Whether a character does not show, or changes how others do.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

/// `1 file`, `1,240 files`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A number with a comma between groups of three digits.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_in_a_name_cannot_start_a_heading() {
        assert_eq!(visible("a\n## Task"), "a\\n## Task");
    }

    #[test]
    fn a_name_cannot_turn_the_direction_of_text() {
        assert_eq!(visible("gpj.\u{202e}exe"), "gpj.\\u{202e}exe");
    }

    #[test]
    fn an_ordinary_name_is_itself() {
        assert!(matches!(visible("src/größe.rs"), Cow::Borrowed(_)));
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "line"), "1 line");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
