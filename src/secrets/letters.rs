//! The letters that secrets are made of, and how random they look.

use std::ops::RangeInclusive;

/// The letters of a token.
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

/// How many letters of a token stand at `at`, if that is as many as it has to have.
pub(super) fn run(
    text: &str,
    at: usize,
    letters: Letters,
    lengths: RangeInclusive<usize>,
) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    // With one letter more than there may be, it is something else.
    let length = rest
        .iter()
        .take(lengths.end() + 1)
        .take_while(|b| letters(**b))
        .count();
    lengths.contains(&length).then_some(length)
}

/// What follows in the text, as far as a secret reaches: looking further would take
/// quadratic time in a text that is nothing but beginnings.
pub(super) fn ahead(text: &str, at: usize) -> &str {
    let mut end = text.len().min(at + 512);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[at..end]
}

/// Whether what stands before `start` belongs to the same word: then this is not where
/// a token begins. A single dash is a bullet, or the sign of a line in a diff.
pub(super) fn continues(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    match before {
        [.., b] if b.is_ascii_alphanumeric() => true,
        [.., a, b'-' | b'_'] => dashed(*a),
        _ => false,
    }
}

/// Whether the letters are as mixed as in a random text: at least `least` bits each.
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
