//! Cuts text and says what was cut.

use crate::tokens::Tokenizer;

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

/// Cuts `text` to at most `units` units of the tokenizer and ends it with
/// `marker` on a line of its own, inside the limit.
///
/// A text that fits comes back unchanged. If not even the marker fits, what fits
/// of the text comes back without it.
pub fn to_units(text: &str, units: usize, marker: &str, tokenizer: Tokenizer) -> String {
    if tokenizer.units(text) <= units {
        return text.to_owned();
    }
    let tail = format!("\n{marker}");
    let mut room = units.saturating_sub(tokenizer.units(&tail));
    while room > 0 {
        let cut = format!("{}{tail}", tokenizer.cut(text, room));
        let over = tokenizer.units(&cut).saturating_sub(units);
        if over == 0 {
            return cut;
        }
        // Exact tokenizers may split the seam in another way than its two sides.
        room = room.saturating_sub(over);
    }
    if tokenizer.units(marker) <= units {
        return marker.to_owned();
    }
    tokenizer.cut(text, units).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_left_out_are_counted() {
        assert_eq!(first_lines("a\nb\nc\n", 1), "a\n\n[Truncated 2 lines]");
        assert_eq!(first_lines("a\nb\nc\n", 2), "a\nb\n\n[Truncated 1 line]");
        assert_eq!(first_lines("a\nb", 0), "[Truncated 2 lines]");
    }

    #[test]
    fn a_text_that_fits_is_unchanged() {
        assert_eq!(first_lines("a\nb\n", 2), "a\nb\n");
        assert_eq!(to_units("abc", 3, "[cut]", Tokenizer::Chars), "abc");
    }

    proptest! {
        #[test]
        fn a_cut_text_is_never_over_its_limit(text in "\\PC{0,200}", units in 0usize..80) {
            for tokenizer in [Tokenizer::Chars, Tokenizer::O200k] {
                let cut = to_units(&text, units, "[cut]", tokenizer);
                prop_assert!(tokenizer.units(&cut) <= units);
            }
        }
    }
}
