//! The characters that secrets are made of, and how random they look.

use std::ops::{Range, RangeInclusive};

use memchr::memrchr2;

use crate::split::{beginning, end};

/// Whether a token may contain this byte.
pub(super) type Letters = fn(u8) -> bool;

pub(super) fn upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

pub(super) fn hex(b: u8) -> bool {
    b.is_ascii_hexdigit()
}

pub(super) fn alphanumeric(b: u8) -> bool {
    b.is_ascii_alphanumeric()
}

pub(super) fn word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

pub(super) fn dashed(b: u8) -> bool {
    word(b) || b == b'-'
}

pub(super) fn dotted(b: u8) -> bool {
    dashed(b) || b == b'.'
}

pub(super) fn slashed(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'/'
}

pub(super) fn base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

/// The characters of a UUID.
pub(super) fn hex_dashed(b: u8) -> bool {
    hex(b) || b == b'-'
}

/// The characters of several base64 texts with separators.
pub(super) fn linked(b: u8) -> bool {
    dotted(b) || base64(b)
}

pub(super) fn webhook(b: u8) -> bool {
    dashed(b) || matches!(b, b'/' | b'@')
}

/// Returns how many characters of a token stand at `at`, if that is a length that it may have.
pub(super) fn run(
    text: &str,
    at: usize,
    letters: Letters,
    lengths: RangeInclusive<usize>,
) -> Option<usize> {
    let (least, most) = (*lengths.start(), *lengths.end());
    match letters_of(text, at, most + LONG, letters) {
        length if lengths.contains(&length) => Some(length),
        // Among so many letters nobody sees where it ends.
        length if length == most + LONG => Some(least),
        // With one letter more than there may be, it is something else.
        _ => None,
    }
}

/// No name that begins or ends as a token does has this many characters in a row.
const LONG: usize = 64;

/// Counts the characters at `at`, up to `most`.
pub(super) fn letters_of(
    text: &str,
    at: usize,
    most: usize,
    letters: impl Fn(u8) -> bool,
) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let rest = &rest[..rest.len().min(most)];
    let end = rest.iter().position(|b| !letters(*b));
    end.unwrap_or(rest.len())
}

/// Counts the characters before `start`, up to `most`.
pub(super) fn before(text: &str, start: usize, most: usize, letters: impl Fn(u8) -> bool) -> usize {
    let rest = &text.as_bytes()[start.saturating_sub(most)..start];
    let last = rest.iter().rposition(|b| !letters(*b));
    rest.len() - last.map_or(0, |last| last + 1)
}

/// Whether so many characters precede a token that it is within data. Then it may begin anywhere,
/// unless data contains its beginning by chance.
pub(super) fn embedded(text: &str, start: usize, end: usize) -> bool {
    let beginning = &text[start..end];
    let is_rare = has_sign(beginning) || ["AKIA", "ASIA"].contains(&beginning);
    is_rare && before(text, start, LONG, alphanumeric) == LONG
}

/// Whether what looks like a token is part of base64 data, which contains every short beginning by
/// chance: then the data goes on beyond a character that no token has around it.
pub(super) fn in_data(text: &str, beginning: Range<usize>, end: usize) -> bool {
    const SHORT: usize = 4;
    let known = &text[beginning.clone()];
    let is_sign = |b: Option<&u8>| matches!(b, Some(b'+' | b'/'));
    let is_short = known.len() <= SHORT && known.bytes().all(alphanumeric);
    let bytes = text.as_bytes();
    let goes_before = || {
        let start = beginning.start;
        is_sign(bytes[..start].last()) && before(text, start, LONG, base64) == LONG
    };
    let goes_on =
        || is_sign(bytes.get(end)) && letters_of(text, end, MOST_OF_PATH, base64) == MOST_OF_PATH;
    is_short && (goes_before() || goes_on())
}

/// Most parts of a path have fewer characters.
const MOST_OF_PATH: usize = 32;

/// Whether a token may follow a name and a sign, as in `old-ghp_…` and `token_ghp_…`. Names must
/// not go on with its beginning, and a digit must follow soon.
pub(super) fn joined(text: &str, start: usize, end: usize) -> bool {
    let beginning = &text[start..end];
    let is_linked = matches!(text.as_bytes()[..start].last(), Some(b'-' | b'_'));
    if !is_linked || NAMED.contains(&beginning) {
        return false;
    }
    if !has_sign(beginning) && !["AKIA", "AIza", "hf_", "r8_"].contains(&beginning) {
        return false;
    }
    let letters = text.as_bytes()[end..].iter().take(32);
    let mut letters = letters.take_while(|b| linked(**b));
    letters.any(u8::is_ascii_digit)
}

/// Beginnings that occur in names as well, as in `cache_key_` and `android-sdk-`, and those that
/// never stand alone.
const NAMED: &[&str] = &[
    "key-", "key_", "sdk-", "pat.", "pat_", "API-", "ico-", "rnd_", "pul-", "fm2_", "fo1_",
];

/// Whether a beginning is long enough and has a character that data does not have there by chance.
fn has_sign(beginning: &str) -> bool {
    beginning.contains(['_', '-', '.']) && beginning.len() >= 4
}

/// Whether this is a placeholder for a token: words with separators, as in `your-token-goes-here`,
/// or nothing but `x`.
pub(super) fn is_words(value: &str) -> bool {
    const LINKS: [char; 3] = ['-', '_', '.'];
    let is_word = |part: &str| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let rest = letters
            .strip_prefix(|c: char| c.is_ascii_uppercase())
            .unwrap_or(letters);
        rest.bytes().all(|b| b.is_ascii_lowercase())
            || letters.bytes().all(|b| b.is_ascii_uppercase())
    };
    let crossed = value.contains("xxxxxxxx") || value.contains("XXXXXXXX");
    crossed || value.contains(LINKS) && value.split(LINKS).all(is_word)
}

/// How far a secret reaches from its beginning. Looking further would take quadratic time in a text
/// full of beginnings.
const NEAR: usize = 512;

/// How far to look from a beginning that is rare.
const FAR: usize = 2048;

/// Returns the text that follows, as far as a secret reaches.
pub(super) fn ahead(text: &str, at: usize) -> &str {
    beginning(&text[at..], NEAR)
}

/// Returns the text that follows, as far as a block of values is read, and what marks its type.
pub(super) fn far_ahead(text: &str, at: usize) -> &str {
    beginning(&text[at..], FAR)
}

/// Returns the text before, as far as any rule looks.
pub(super) fn behind(text: &str, at: usize) -> &str {
    end(&text[..at], NEAR)
}

/// Returns the text before, as far as what marks the type of a block may be.
pub(super) fn far_behind(text: &str, at: usize) -> &str {
    end(&text[..at], FAR)
}

/// Returns the text before on the same line, as far as any rule looks.
pub(super) fn line_before(text: &str, at: usize) -> &str {
    let before = behind(text, at);
    let end = memrchr2(b'\n', b'\r', before.as_bytes());
    &before[end.map_or(0, |end| end + 1)..]
}

/// Whether the characters are as mixed as in random text: at least `least` bits each.
pub(super) fn is_random(value: &str, least: f64) -> bool {
    let mut counts = [0u32; 256];
    for byte in value.bytes() {
        counts[byte as usize] += 1;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a value has at most a few hundred bytes"
    )]
    let length = value.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / length;
            -share * share.log2()
        })
        .sum();
    bits >= least
}
