//! The vocabularies, as `build/` laid them out: nothing is built when the program runs.

use super::layout::Pair;

/// A vocabulary: which two tokens make which third.
#[derive(Clone, Copy)]
pub(super) struct Vocabulary {
    pilots: &'static [[u8; 2]],
    slots: &'static [[u8; 8]],
}

/// OpenAI's `o200k_base`.
pub(super) static O200K: Vocabulary = Vocabulary::new(
    include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.pilots")),
    include_bytes!(concat!(env!("OUT_DIR"), "/o200k_base.slots")),
);

/// OpenAI's `cl100k_base`.
pub(super) static CL100K: Vocabulary = Vocabulary::new(
    include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.pilots")),
    include_bytes!(concat!(env!("OUT_DIR"), "/cl100k_base.slots")),
);

/// Greater than any token: the pair makes none.
pub(super) const NONE: u32 = u32::MAX;

impl Vocabulary {
    const fn new(pilots: &'static [u8], slots: &'static [u8]) -> Vocabulary {
        let (pilots, slots) = (pilots.as_chunks().0, slots.as_chunks().0);
        Vocabulary { pilots, slots }
    }

    /// Returns the token that two make, or [`NONE`]. A lesser token is made first.
    pub(super) fn merged(self, left: u32, right: u32) -> u32 {
        let pair = Pair::new(left, right);
        let pilot = u16::from_le_bytes(self.pilots[pair.bucket(self.pilots.len())]);
        let slot = self.slots[pair.slot(pilot, self.slots.len())];
        pair.read(u64::from_le_bytes(slot)).unwrap_or(NONE)
    }
}
