//! Finds what looks like a prompt's remark on what is left out, in a text from elsewhere.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Every remark among the lines of a file begins with this, followed by a blank.
const BEGINNING: &str = "[…";

/// Most texts are short, and have none.
static BEGINNINGS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(BEGINNING));

/// How such a remark continues.
const AMONG_LINES: [&str; 5] = ["line", "of line", "from line", "below:", "above:"];

/// How remarks begin that stand by themselves.
const ALONE: [&str; 17] = [
    "[truncated]",
    "[name only",
    "[excerpt:",
    "[outline:",
    "[all but its licence",
    "[Binary file, ",
    "[File exceeds size limit",
    "[File left out: ",
    "[files left out",
    "[Skipped ",
    "[Diff left out: ",
    "[See above]",
    "[See under ",
    "[The same as ",
    "[Changed since ",
    "[The sections above ",
    "[Context truncated ",
];

/// Returns the lines of a text (from 0) that look like remarks among the lines of a file. In a
/// diff, one of these signs may stand before each.
pub fn lines_in(text: &str, signs: &[char]) -> Vec<usize> {
    let (mut line, mut counted) = (0, 0);
    let mut lines = Vec::new();
    for at in BEGINNINGS.find_iter(text.as_bytes()) {
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..at]).count();
        counted = at;
        let before = text[..at].trim_end_matches(is_blank);
        let before = before.strip_suffix(signs).unwrap_or(before);
        // Most do not begin their line, and the rest of it may be long.
        if !before.is_empty() && !before.ends_with(is_end) {
            continue;
        }
        let rest = text[at..].split(is_end).next().unwrap_or_default();
        if is_among_lines(rest) {
            lines.push(line);
        }
    }
    lines
}

/// Whether some readers take this for the end of a line.
fn is_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() && !is_end(c)
}

/// Whether a line looks like any remark.
pub fn is_like_one(line: &str) -> bool {
    let line = line.trim();
    let is_alone = || ALONE.iter().any(|it| line.starts_with(it));
    let is_left_out = || line.contains(" left out: ") || line.ends_with(" left out]");
    // The first bracket closes at the end: no link, and no note at the foot of a page.
    let is_one = line.starts_with('[') && line.find(']') == Some(line.len() - 1);
    is_one && (is_alone() || is_left_out() || is_among_lines(line))
}

/// Whether a name contains what follows a name in a remark: `a.rs [name only: 2 lines]`.
pub fn is_in_name(name: &str) -> bool {
    let mut brackets = name.match_indices('[');
    brackets.any(|(at, _)| name[..at].ends_with(char::is_whitespace))
}

fn is_among_lines(line: &str) -> bool {
    let inside = line.strip_prefix(BEGINNING);
    let inside = inside.filter(|inside| inside.starts_with(char::is_whitespace));
    let inside = inside.and_then(|inside| inside.trim().strip_suffix(']'));
    inside.is_some_and(|inside| {
        let words = inside.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == ' ');
        AMONG_LINES.iter().any(|it| words.starts_with(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_remark_is_told_from_other_text() {
        let text = "a\n[… lines 3-90 left out]\n\t[… 12 lines left out]\nb\n[… from line 7 on]\r\n";
        assert_eq!(lines_in(text, &[]), [1, 2, 4]);
        let text = "a\r[… lines 3-90 left out]\rb\n[…\u{a0}line 5 left out]\nc\u{2028}[… line 7 left out]\n";
        assert_eq!(lines_in(text, &[]), [0, 1, 2]);
        let text = "@@ -1 +1 @@\n-[… line 1 left out]\n+\t[… lines 2-9 left out]\n [… line 3 left out]\n++[… line 4 left out]\n";
        assert_eq!(lines_in(text, &['+', '-']), [1, 2, 3]);
        assert_eq!(lines_in(text, &[]), [3]);
        let text = "[…] x\n[… and so on]\n\"[… lines 3-90 left out]\",\n[… lines 3\n// [… line 1 left out]\n";
        assert!(lines_in(text, &[]).is_empty());
        for line in [
            "[truncated]",
            "[Glossary left out: 3 lines]",
            "[2 more files left out]",
            "  [… lines 5-90 left out]\n",
            "[name only: 120 lines]",
            "[Binary file, 120 bytes]",
            "[The same as `a.rs`]",
            "[Changed since they were shown above: `a.rs`. Go by what follows, or open them.]",
        ] {
            assert!(is_like_one(line), "{line}");
        }
        for line in [
            "[a link](b.md)",
            "[x] done",
            "what is [left out]",
            "[note]: x",
            "[outline: design](a.md) and [b]",
            "[outline: design][b]",
        ] {
            assert!(!is_like_one(line), "{line}");
        }
        assert!(is_in_name("a.rs\u{a0}[name only: 2 lines]") && !is_in_name("a[0].rs"));
    }

    #[test]
    fn a_line_of_nothing_but_beginnings_is_looked_at_once() {
        let text = "[… ".repeat(1_000_000);
        assert!(lines_in(&text, &[]).is_empty());
    }
}
