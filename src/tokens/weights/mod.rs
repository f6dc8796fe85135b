//! What pairs of bytes count in each vocabulary. Made by `benches/tokens/calibrate.py`, not by
//! hand.

mod claude;
mod claude_3;
mod gemini;
mod o200k;

pub use claude::UNITS as CLAUDE;
pub use claude_3::UNITS as CLAUDE_3;
pub use gemini::UNITS as GEMINI;
pub use o200k::UNITS as O200K;

/// How many units a token has.
pub(super) const UNITS_PER_TOKEN: usize = 1000;

/// The class of a line break, which is taken to stand before a text.
pub(super) const LINE_BREAK: u8 = 4;

/// The class of each byte: 0 lower, 1 upper, 2 digit, 3 space, 4 newline, 5 control, 6 underscore, 7 bracket,
/// 8 quote, 9 stop, 10 other, 11 following, 12 first of two, 13 first of three, 14 first of four.
#[rustfmt::skip]
pub(super) const CLASSES: [u8; 256] = [
    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 4, 5, 5, 5, 5, 5,
    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5,
    3, 10, 8, 10, 10, 10, 10, 8, 7, 7, 10, 10, 9, 10, 9, 10,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 9, 9, 10, 10, 10, 10,
    10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7, 10, 7, 10, 6,
    8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 10, 7, 10, 5,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
    12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12,
    13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
];

/// The units of a byte, by the class of the one before (times 16) and by its own.
pub type Units = [u16; 256];
