//! Cuts text and says what was cut.

/// Keeps the first `lines` lines; when some are left out, a blank line and
/// `[Truncated K lines]` follow.
///
/// A text of at most `lines` lines comes back unchanged.
pub fn first_lines(text: &str, lines: usize) -> String {
    let total = text.lines().count();
    if total <= lines {
        return text.to_owned();
    }
    let kept: Vec<&str> = text.lines().take(lines).collect();
    let gap = if kept.is_empty() { "" } else { "\n\n" };
    let left = total - lines;
    let noun = if left == 1 { "line" } else { "lines" };
    format!("{}{gap}[Truncated {left} {noun}]", kept.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_left_out_are_counted() {
        assert_eq!(first_lines("a\nb\nc\n", 1), "a\n\n[Truncated 2 lines]");
        assert_eq!(first_lines("a\nb\nc\n", 2), "a\nb\n\n[Truncated 1 line]");
        assert_eq!(first_lines("a\nb", 0), "[Truncated 2 lines]");
    }

    #[test]
    fn a_text_that_fits_is_unchanged() {
        assert_eq!(first_lines("a\nb\n", 2), "a\nb\n");
    }
}
