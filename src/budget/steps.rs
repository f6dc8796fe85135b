//! The forms that a piece may take if its parts are not known, each larger than the one before.

use std::ops::Range;

use super::Price;
use crate::ranges::count;
use crate::section::{Body, Form, Piece};

pub(super) fn priced_as(piece: &mut Piece, form: Form, price: &dyn Price) -> usize {
    piece.form = form;
    price.piece(piece)
}

/// The forms of a piece from the smallest to all of it: each has all the lines of those before it.
pub(super) enum Steps {
    /// More and more of the first lines.
    Beginning { lines: usize, is_outline: bool },
    /// Without fewer and fewer of these.
    Sparing {
        gaps: Gaps,
        is_outline: bool,
        spare: Vec<Range<usize>>,
    },
    /// More and more of the outline, then more and more of the first lines with the outline of what
    /// follows them.
    Outlined {
        lines: usize,
        outline: Vec<Range<usize>>,
    },
}

impl Steps {
    /// Parses a piece for its outline only if its first line fits the room.
    pub(super) fn of(piece: &mut Piece, room: usize, price: &dyn Price) -> Steps {
        let lines = piece.body.lines();
        let is_outline = matches!(piece.body, Body::Outline(_));
        if !piece.spare.is_empty() {
            return Steps::Sparing {
                gaps: Gaps::of(piece, price),
                is_outline,
                spare: piece.spare.clone(),
            };
        }
        let beginning = Steps::Beginning { lines, is_outline };
        if priced_as(piece, beginning.form(1), price) > room {
            return beginning;
        }
        match piece.outline() {
            [] => beginning,
            outline => Steps::Outlined {
                lines,
                outline: outline.to_vec(),
            },
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Steps::Beginning { lines, .. } => *lines,
            Steps::Sparing { spare, .. } => spare.len(),
            Steps::Outlined { lines, outline } => count(outline) + lines,
        }
    }

    pub(super) fn form(&self, step: usize) -> Form {
        let first = |end: usize| vec![Range { start: 0, end }];
        let of = |is_outline: bool, lines| {
            if is_outline {
                Form::Outline(lines)
            } else {
                Form::excerpt(lines)
            }
        };
        match self {
            Steps::Beginning { is_outline, .. } => of(*is_outline, first(step)),
            Steps::Sparing {
                gaps,
                is_outline,
                spare,
            } => of(*is_outline, gaps.around(&spare[..spare.len() - step])),
            Steps::Outlined { outline, .. } => {
                let end = step.saturating_sub(count(outline));
                if end == 0 {
                    return Form::Outline(first_lines(outline, step));
                }
                let behind = outline.iter().filter(|lines| lines.end > end);
                let behind = behind.map(|lines| lines.start.max(end)..lines.end);
                Form::Excerpt {
                    kept: first(end),
                    outline: behind.collect(),
                }
            }
        }
    }
}

/// Returns the first `count` lines of these ranges.
fn first_lines(ranges: &[Range<usize>], count: usize) -> Vec<Range<usize>> {
    let mut left = count;
    let mut first = Vec::new();
    for range in ranges {
        let here = range.len().min(left);
        if here == 0 {
            break;
        }
        first.push(range.start..range.start + here);
        left -= here;
    }
    first
}

/// What lines cost, and what the remark costs that would replace them.
pub(super) struct Gaps {
    /// What all lines before each cost.
    before: Vec<usize>,
    /// What the shortest remark costs, so that a line which stays because of its price also stays
    /// when there is more room. 0 where no remark is made.
    remark: usize,
}

impl Gaps {
    fn of(piece: &Piece, price: &dyn Price) -> Gaps {
        let mut before = vec![0];
        let mut all = 0;
        for line in piece.body.text().lines() {
            all += price.lines(&[line]);
            before.push(all);
        }
        let remark = match piece.body {
            Body::Outline(_) => 0,
            _ => price.gap(0..1),
        };
        Gaps { before, remark }
    }

    /// Returns the lines that are in none of these ranges, and those that cost no more than the
    /// remark on them.
    fn around(&self, gone: &[Range<usize>]) -> Vec<Range<usize>> {
        let lines = self.before.len() - 1;
        let mut gone = gone.to_vec();
        gone.sort_unstable_by_key(|range| range.start);
        gone.dedup_by(|next, range| {
            let touches = next.start <= range.end;
            if touches {
                range.end = range.end.max(next.end);
            }
            touches
        });
        let mut kept = Vec::new();
        let mut next = 0;
        for range in gone {
            let end = range.end.min(lines);
            let cost = self.before[end].saturating_sub(self.before[range.start.min(end)]);
            if self.remark > 0 && cost <= self.remark {
                continue;
            }
            if range.start > next {
                kept.push(next..range.start);
            }
            next = end;
        }
        if next < lines {
            kept.push(next..lines);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_gone_is_kept() {
        let gaps = |lines| Gaps {
            before: (0..=lines).map(|at| at * 4).collect(),
            remark: 5,
        };
        assert_eq!(gaps(10).around(&[7..9, 2..4]), [0..2, 4..7, 9..10]);
        assert!(gaps(4).around(&[0..2, 2..9]).is_empty());
        // A gap that costs no more than its remark is none, one of many short lines is.
        let one = Range { start: 2, end: 3 };
        assert_eq!(gaps(6).around(&[one]), [Range { start: 0, end: 6 }]);
        assert_eq!(gaps(6).around(&[3..4, 2..3]), [0..2, 4..6]);
    }
}
