//! Ranges of lines.

use std::ops::Range;

/// Whether a line is in one of these, which are in order.
pub fn have(ranges: &[Range<usize>], line: usize) -> bool {
    let at = ranges.partition_point(|lines| lines.end <= line);
    ranges.get(at).is_some_and(|lines| lines.contains(&line))
}

/// Returns how many lines they have together.
pub fn count(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}

/// Returns these in order, with those that touch merged.
pub fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(joined(vec![5..9, 0..2, 2..3, 6..7]), [0..3, 5..9]);
    }
}
