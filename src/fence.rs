//! A fence around a text that the text cannot close.

/// A fence of backticks longer than this is unreadable; tildes may do with fewer.
const LONG: usize = 32;

/// Wraps `text` in a Markdown code fence that is longer than any run of its sign in
/// the text. `info` is the fence's info string, usually a language.
///
/// The text ends in exactly one line break before the closing fence, and is
/// otherwise unchanged.
pub fn fence(text: &str, info: &str) -> String {
    let fence = fence_for(text);
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}{info}\n{text}{end}{fence}")
}

/// A fence that is longer than any run of its sign in the text: of backticks, or of
/// tildes where these make a shorter one. A text of nothing but backticks would
/// otherwise become three times as long.
pub fn fence_for(text: &str) -> String {
    let fence = |sign: u8| longest_run(text, sign).max(2) + 1;
    let ticks = fence(b'`');
    if ticks > LONG {
        let tildes = fence(b'~');
        if tildes < ticks {
            return "~".repeat(tildes);
        }
    }
    "`".repeat(ticks)
}

fn longest_run(text: &str, sign: u8) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for byte in text.bytes() {
        run = if byte == sign { run + 1 } else { 0 };
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

    #[test]
    fn a_text_of_backticks_gets_tildes() {
        let text = "`".repeat(1000);
        assert_eq!(fence(&text, ""), format!("~~~\n{text}\n~~~"));
        let both = format!("{text}~~~~{text}");
        assert!(fence(&both, "").starts_with("~~~~~\n`"));
    }
}
