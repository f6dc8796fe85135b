//! Ranges of lines.

use std::ops::Range;

/// How many lines they are together.
pub fn count(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}
