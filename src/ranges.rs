//! Ranges of lines.

use std::ops::Range;

/// Whether a line is in one of these, which are in order.
pub fn have(ranges: &[Range<usize>], line: usize) -> bool {
    let at = ranges.partition_point(|lines| lines.end <= line);
    ranges.get(at).is_some_and(|lines| lines.contains(&line))
}

/// How many lines they are together.
pub fn count(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}
