//! Counts that are close to exact ones, without a vocabulary.
//!
//! The cost of a byte depends on its class and on that of the byte before it: a letter after a
//! space costs more than one after a letter. If the prices were fitted to a vocabulary, the sum
//! over a text is close to its count. `docs/tokens.md` says how close.

use super::weights::{CLASSES, LINE_BREAK, Units};
use crate::split::boundary;

/// Returns the units of a text. Each byte has some, so no text is free.
pub(super) fn units(prices: &Units, text: &str) -> usize {
    let mut before = LINE_BREAK;
    text.bytes()
        .map(|byte| cost(prices, &mut before, byte))
        .sum()
}

/// Returns where the longest beginning of at most `units` ends, at the end of a character.
pub(super) fn cut(prices: &Units, text: &str, units: usize) -> usize {
    let mut before = LINE_BREAK;
    let mut left = units;
    for (at, byte) in text.bytes().enumerate() {
        let Some(rest) = left.checked_sub(cost(prices, &mut before, byte)) else {
            return boundary(text, at);
        };
        left = rest;
    }
    text.len()
}

fn cost(prices: &Units, before: &mut u8, byte: u8) -> usize {
    let class = CLASSES[usize::from(byte)];
    let pair = *before << 4 | class;
    *before = class;
    usize::from(prices[usize::from(pair)])
}
