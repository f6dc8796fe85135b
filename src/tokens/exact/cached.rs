//! The counts of recently counted pieces. A text consists of the same pieces over and over, so most
//! of them are never tokenised twice.

use super::merge::{Made, Merger};
use super::table::Vocabulary;

/// The longest piece that is kept, in bytes.
const LONGEST: usize = 15;

/// How many are kept, as a power of two.
const SLOTS: u32 = 14;

/// A vocabulary with the counts of pieces, for one thread.
pub(super) struct Cached {
    vocabulary: Vocabulary,
    merger: Merger,
    /// The bytes of a piece, its tokens in four bits and its length in the last four. No slot of a
    /// piece is 0, because no piece has length 0.
    slots: Vec<u128>,
}

impl Cached {
    pub(super) fn new(vocabulary: Vocabulary) -> Cached {
        // The system gives pages of zeros as they are used, so an empty one costs nothing.
        let slots = vec![0; 1 << SLOTS];
        Cached {
            vocabulary,
            merger: Merger::default(),
            slots,
        }
    }

    /// Returns how many tokens this piece of a text has.
    #[inline]
    pub(super) fn count(&mut self, text: &[u8], start: usize, end: usize) -> usize {
        let length = end - start;
        if length > LONGEST {
            return self.merger.count(self.vocabulary, &text[start..end]);
        }
        let key = key(text, start, length);
        let slot = &mut self.slots[place(key)];
        if *slot & !TOKENS == key {
            return (*slot >> TOKENS_AT) as usize & 15;
        }
        let tokens = self.merger.count(self.vocabulary, &text[start..end]);
        *slot = key | (tokens as u128) << TOKENS_AT;
        tokens
    }

    /// Returns the first tokens of a piece, as many as are wanted and exist.
    pub(super) fn first(&mut self, piece: &[u8], wanted: usize) -> Made {
        self.merger.first(self.vocabulary, piece, wanted)
    }
}

const TOKENS_AT: u32 = 120;
const TOKENS: u128 = 15 << TOKENS_AT;
const LENGTH_AT: u32 = 124;

/// Returns the bytes of a piece and its length.
#[inline]
fn key(text: &[u8], start: usize, length: usize) -> u128 {
    let bytes = match text[start..].first_chunk() {
        Some(bytes) => *bytes,
        None => {
            let mut bytes = [0; 16];
            bytes[..length].copy_from_slice(&text[start..start + length]);
            bytes
        }
    };
    let piece = u128::from_le_bytes(bytes) & ((1 << (8 * length)) - 1);
    piece | (length as u128) << LENGTH_AT
}

/// Returns where it is kept.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves of a key")]
fn place(key: u128) -> usize {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = low.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ high.wrapping_mul(0xA24B_AED4_963E_E407);
    (mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (64 - SLOTS)) as usize
}
