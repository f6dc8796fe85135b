//! Ranges of lines.

use std::ops::Range;

/// Whether a line is in one of these, which are in order.
pub fn have(ranges: &[Range<usize>], line: usize) -> bool {
    let at = ranges.partition_point(|lines| lines.end <= line);
    ranges.get(at).is_some_and(|lines| lines.contains(&line))
}

/// Returns the first of these lines that is in one of the ranges, which are in order.
pub fn first_of(lines: Range<usize>, ranges: &[Range<usize>]) -> Option<usize> {
    let at = ranges.partition_point(|range| range.end <= lines.start);
    let first = ranges.get(at)?.start.max(lines.start);
    lines.contains(&first).then_some(first)
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
    fn of_some_lines_the_first_is_told_that_is_in_a_range() {
        let ranges = [2..4, 6..9];
        let first = |lines| first_of(lines, &ranges);
        assert_eq!(first(0..9), Some(2));
        assert_eq!(first(3..9), Some(3));
        assert_eq!(first(4..7), Some(6));
        assert_eq!(first(4..6), None);
        assert_eq!(first(9..12), None);
    }

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(joined(vec![5..9, 0..2, 2..3, 6..7]), [0..3, 5..9]);
    }
}
