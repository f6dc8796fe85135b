//! Escaped characters: `\n`, `\u0022`, `%3D`, `ESC[31m`. They end in letters, yet the text after
//! them begins a word.

use super::letters::{Letters, before, dashed};

/// The longest escape looked for, in bytes; a colour sequence has a few numbers.
const LONGEST: usize = 32;

/// Whether a text ends in an escaped character.
pub(super) fn ends_written_out(text: &[u8]) -> bool {
    let text = &text[text.len().saturating_sub(LONGEST)..];
    let ends = |digits: usize, least: usize, is_digit: fn(&u8) -> bool, marks: &[&[u8]]| {
        let (rest, last) = text.split_at(text.len() - digits.min(text.len()));
        last.len() >= least && last.iter().all(is_digit) && marks.iter().any(|m| rest.ends_with(m))
    };
    let is_octal = |b: &u8| (b'0'..=b'7').contains(b);
    ends(2, 2, u8::is_ascii_hexdigit, &[b"%", b"\\x"])
        || ends(4, 4, u8::is_ascii_hexdigit, &[b"\\u"])
        || ends(8, 8, u8::is_ascii_hexdigit, &[b"\\U"])
        || (1..=3).any(|digits| ends(digits, digits, is_octal, &[b"\\"]))
        || matches!(text, [.., b'\\', last] if b"abefnrtv".contains(last))
        || matches!(text, [.., b'=', high, low] if QUOTED.contains(&&[*high, *low]))
        || is_sequence(text)
}

/// What quoted-printable mail writes after a `=`: the signs around values, and ends of lines.
/// Elsewhere, a `=` may stand before any two letters.
const QUOTED: [&[u8; 2]; 6] = [b"3D", b"20", b"22", b"27", b"0A", b"0D"];

/// Whether this is a sequence that terminals and build logs put before coloured text: `ESC[1;31m`,
/// `ESC[K`, or the same as programs write it.
fn is_sequence(text: &[u8]) -> bool {
    const ESCAPES: [&[u8]; 11] = [
        b"\x1b", b"\\x1b", b"\\x1B", b"\\033", b"\\33", b"\\e", b"\\E", b"\\u001b", b"\\u001B",
        b"\\u{1b}", b"^[",
    ];
    let [rest @ .., last] = text else {
        return false;
    };
    let numbers = rest.iter().rev();
    let numbers = numbers.take_while(|b| b.is_ascii_digit() || **b == b';');
    let rest = &rest[..rest.len() - numbers.count()];
    let Some(before) = rest.strip_suffix(b"[") else {
        return false;
    };
    last.is_ascii_alphabetic() && ESCAPES.iter().any(|escape| before.ends_with(escape))
}

/// Returns how many letters of a word stand before `start`, up to `most`. The letters at the end of
/// an escaped character are not part of it.
pub(super) fn word_before(text: &str, start: usize, most: usize, letters: Letters) -> usize {
    const TAIL: usize = 8;
    let all = before(text, start, most + TAIL, letters);
    let bytes = text.as_bytes();
    let tail = (1..=TAIL.min(all)).rev();
    let tail = tail.filter(|_| all < most + TAIL);
    let mut tail = tail.filter(|tail| ends_written_out(&bytes[..start - all + tail]));
    (all - tail.next().unwrap_or(0)).min(most)
}

/// Whether the text before `start` belongs to the same word, so that no token begins here. A single
/// dash is a bullet, or the sign of a line in a diff.
pub(super) fn continues(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    match before {
        [.., b] if b.is_ascii_alphanumeric() => !ends_written_out(before),
        [rest @ .., b'-' | b'_'] => {
            rest.last().is_some_and(|b| dashed(*b)) && !ends_written_out(rest)
        }
        _ => false,
    }
}

/// Returns a text with the characters that are written as `%3D`, if it has any.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut decoded = parts.next()?.as_bytes().to_vec();
    if decoded.len() == text.len() {
        return None;
    }
    for part in parts {
        let digits = part.get(..2)?;
        decoded.push(u8::from_str_radix(digits, 16).ok()?);
        decoded.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_character_that_is_written_out_is_told_from_a_word() {
        for text in [
            "\\n",
            "\\\\n",
            "\\t",
            "\\0",
            "\\042",
            "\\x22",
            "\\u003d",
            "\\U0000003d",
            "%3D",
            "%20",
            "=3D",
            "\u{1b}[31m",
            "\u{1b}[1;31m",
            "\u{1b}[K",
            "\\x1b[0m",
            "\\033[32m",
            "\\e[m",
            "\\u001b[1m",
            "^[[31m",
        ] {
            assert!(ends_written_out(text.as_bytes()), "{text:?}");
            assert!(
                ends_written_out(format!("word{text}").as_bytes()),
                "{text:?}"
            );
        }
        for text in [
            "", "n", "x22", "003d", "\\q", "\\x2", "\\u03d", "%D", "% 3", "=AB", "[31m", "a[0]m",
            "\\9", "\\8", "e[31m",
        ] {
            assert!(!ends_written_out(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn a_word_begins_behind_it() {
        let count = |text: &str| word_before(text, text.len(), 20, |b| b.is_ascii_alphanumeric());
        assert_eq!(count("a pat17"), 5);
        assert_eq!(count("a\\npat17"), 5);
        assert_eq!(count("a\\u003dpat17"), 5);
        assert_eq!(count("a%3Dpat17"), 5);
        assert_eq!(count("a\u{1b}[1;31mpat17"), 5);
        assert_eq!(count(&format!("\\n{}", "a".repeat(40))), 20);
    }
}
