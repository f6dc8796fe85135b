//! The layout of the exact tokenizers' tables in their files. `build/` has this module too, and
//! writes what the program reads.
//!
//! A vocabulary is a list of merges: which two tokens make which third. It is kept as a perfect
//! hash, so that a merge, or its absence, is found with two reads: of a small table of *pilots* and
//! of one *slot*.

/// The bits of a token.
const TOKEN_BITS: u32 = 18;

/// The number of tokens that are single bytes, which are not merges. Each is named by its byte.
#[allow(dead_code, reason = "the program has no need to tell them")]
pub(crate) const BYTES: u32 = 256;

/// Two consecutive tokens.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    key: u64,
    hash: u64,
}

impl Pair {
    pub(crate) fn new(left: u32, right: u32) -> Pair {
        let key = u64::from(left) << TOKEN_BITS | u64::from(right);
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Both steps can be undone, so no two pairs have one hash.
        let hash = mixed ^ mixed >> 32;
        Pair { key, hash }
    }

    /// Returns the bucket whose pilot says where the pair is.
    pub(crate) fn bucket(self, buckets: usize) -> usize {
        scaled(self.hash, buckets)
    }

    /// Returns where the pair is with this pilot.
    pub(crate) fn slot(self, pilot: u16, slots: usize) -> usize {
        let turned = self.hash ^ u64::from(pilot).wrapping_mul(0xA24B_AED4_963E_E407);
        scaled(turned.wrapping_mul(0xD6E8_FEB8_6659_FD93), slots)
    }

    /// Returns the slot of a pair that makes a token.
    #[allow(dead_code, reason = "the program only reads")]
    pub(crate) fn written(self, makes: u32) -> u64 {
        self.key << TOKEN_BITS | u64::from(makes)
    }

    /// Returns the token that the pair makes, if this slot is its own.
    #[expect(clippy::cast_possible_truncation, reason = "a token has 18 bits")]
    pub(crate) fn read(self, slot: u64) -> Option<u32> {
        // No slot of a token is empty: the first 256 are made of nothing.
        (slot >> TOKEN_BITS == self.key && slot != 0).then_some(slot as u32 & TOKEN_MASK)
    }
}

const TOKEN_MASK: u32 = (1 << TOKEN_BITS) - 1;

/// Scales the upper half of a hash to a range.
fn scaled(hash: u64, range: usize) -> usize {
    (((hash >> 32) * range as u64) >> 32) as usize
}

/// The class of a character where texts are cut into pieces: one bit each, so that several can be
/// tested at once.
pub(crate) mod class {
    pub(crate) const OTHER: u8 = 1;
    /// Upper and title case.
    pub(crate) const UPPER: u8 = 1 << 1;
    pub(crate) const LOWER: u8 = 1 << 2;
    /// Letters without case.
    pub(crate) const CASELESS: u8 = 1 << 3;
    /// Marks, which belong to the letter before them.
    pub(crate) const MARK: u8 = 1 << 4;
    pub(crate) const NUMBER: u8 = 1 << 5;
    /// White space other than the next.
    pub(crate) const SPACE: u8 = 1 << 6;
    /// Carriage return and line feed.
    pub(crate) const BREAK: u8 = 1 << 7;

    /// Classes of characters are kept in blocks of this many. The table begins with the number of
    /// each such block, followed by the blocks.
    pub(crate) const BLOCK: usize = 128;
    pub(crate) const BLOCKS: usize = 0x11_0000 / BLOCK;
}
