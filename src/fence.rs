//! A fence around a text that the text cannot close.

use memchr::memchr_iter;

/// A fence of backticks longer than this is unreadable; tildes may do with fewer.
const LONG: usize = 32;

/// Wraps `text` in a Markdown code fence that is longer than any run of its sign in
/// the text. `info` is the fence's info string, usually a language.
///
/// The text ends in exactly one line break before the closing fence, and is
/// otherwise unchanged.
pub fn fence(text: &str, info: &str) -> String {
    let mut fenced = String::with_capacity(text.len() + info.len() + 2 * LONG);
    push_fence(&mut fenced, text, info);
    fenced
}

/// Adds the same to a text.
pub fn push_fence(to: &mut String, text: &str, info: &str) {
    let fence = fence_for(text);
    to.push_str(&fence);
    to.push_str(info);
    to.push('\n');
    to.push_str(text);
    if !text.is_empty() && !text.ends_with('\n') {
        to.push('\n');
    }
    to.push_str(&fence);
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
    let (mut longest, mut run, mut next) = (0, 0, 0);
    for at in memchr_iter(sign, text.as_bytes()) {
        run = if at == next { run + 1 } else { 1 };
        longest = longest.max(run);
        next = at + 1;
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
