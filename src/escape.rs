//! Names from the repository, made safe to show.

use std::borrow::Cow;
use std::fmt::Write as _;

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

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
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
}
