//! A fence around a text that the text cannot close.

/// Wraps `text` in a Markdown code fence that is longer than any run of backticks
/// in it. `info` is the fence's info string, usually a language.
///
/// The text ends in exactly one line break before the closing fence, and is
/// otherwise unchanged.
pub fn fence(text: &str, info: &str) -> String {
    let ticks = fence_for(text);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{ticks}{info}\n{text}{end}{ticks}")
}

/// A fence that is longer than any run of backticks in the text.
pub fn fence_for(text: &str) -> String {
    "`".repeat(longest_run(text).max(2) + 1)
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_gets_three_backticks() {
        assert_eq!(fence("let a;\n", "rust"), "```rust\nlet a;\n```");
    }

    #[test]
    fn a_text_with_a_fence_gets_a_longer_one() {
        let fenced = fence("````\nx\n````", "");
        assert!(fenced.starts_with("`````\n"));
        assert!(fenced.ends_with("\n`````"));
    }
}
