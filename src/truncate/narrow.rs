//! Chooses fewer of the lines that stay, for less room.

use super::{KeptLines, Part, last_that, windows};

/// How often lines farther away are tried after one that does not fit.
const MAX_TRIES: usize = 4;

/// The fewest characters of a line that are worth showing.
const LEAST_PART: usize = 20;

/// A line near one that was asked for.
struct Near {
    line: usize,
    distance: usize,
    /// Which line it is near, and whether it is below it.
    side: (usize, bool),
}

impl KeptLines {
    /// Returns, of the lines that stay, those around the lines that were asked for, as many as
    /// `fits` accepts, the nearest first; if even the lines themselves are too many, the first of
    /// them. `None` if no lines were asked for, or not even one fits.
    pub fn narrowed(&self, fits: impl Fn(&KeptLines) -> bool) -> Option<KeptLines> {
        let first = |count: usize| KeptLines {
            asked_left_out: self.asked_left_out + self.asked.len() - count,
            ..self.within(&self.asked[..count], 0)
        };
        let all = self.asked.len();
        if all == 0 || !fits(&first(1)) {
            return None;
        }
        if !fits(&first(all)) {
            return Some(first(last_that(1, all, |count| fits(&first(count)))));
        }
        let wide = |context: usize| KeptLines {
            asked_left_out: self.asked_left_out,
            ..self.within(&self.asked, context)
        };
        let even = wide(last_that(0, self.total, |context| fits(&wide(context))));
        Some(self.filled(even, fits))
    }

    /// Adds the lines around that fit, one by one; on each side none behind one that does not.
    fn filled(&self, mut narrow: KeptLines, fits: impl Fn(&KeptLines) -> bool) -> KeptLines {
        let mut near = self.near(&narrow);
        for _ in 0..MAX_TRIES {
            let with = |count: usize| narrow.with_lines(near[..count].iter().map(|it| it.line));
            let count = last_that(0, near.len(), |count| fits(&with(count)));
            narrow = with(count);
            let Some(side) = near.get(count).map(|it| it.side) else {
                break;
            };
            near.drain(..count);
            near.retain(|it| it.side != side);
        }
        narrow
    }

    /// Returns the lines that stay here but not in `narrow`, the nearest to what was asked for
    /// first.
    fn near(&self, narrow: &KeptLines) -> Vec<Near> {
        let kept = self.lines.iter().cloned().flatten();
        let left = kept.filter(|line| {
            let at = narrow.lines.partition_point(|range| range.end <= *line);
            let range = narrow.lines.get(at);
            range.is_none_or(|range| !range.contains(line))
        });
        let near = left.filter_map(|line| {
            let at = self.asked.partition_point(|asked| *asked <= line);
            let last = at.checked_sub(1);
            let last = last.map(|at| (line + 1 - self.asked[at], (at, true)));
            let next = self.asked.get(at);
            let next = next.map(|asked| (asked - 1 - line, (at, false)));
            let (distance, side) = last.into_iter().chain(next).min()?;
            Some(Near {
                line,
                distance,
                side,
            })
        });
        let mut near: Vec<Near> = near.collect();
        near.sort_by_key(|it| it.distance);
        near
    }

    /// Adds these lines.
    fn with_lines(&self, lines: impl Iterator<Item = usize>) -> KeptLines {
        let mut ranges = self.lines.clone();
        ranges.extend(lines.map(|line| line..line + 1));
        ranges.sort_unstable_by_key(|range| range.start);
        ranges.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
        KeptLines {
            lines: ranges,
            ..self.clone()
        }
    }

    /// Adds to the lines of `narrow` as much of another as `fits` accepts, given what
    /// [`write`](Self::write) made of these.
    pub fn with_part(
        &self,
        written: &str,
        narrow: KeptLines,
        fits: impl Fn(&KeptLines) -> bool,
    ) -> KeptLines {
        let Some((line, text)) = self.next(written, &narrow) else {
            return narrow;
        };
        let with = |chars: usize| KeptLines {
            part: Some(Part { line, chars }),
            ..narrow.clone()
        };
        let most = text.trim_end().chars().count().saturating_sub(1);
        match last_that(0, most, |chars| fits(&with(chars))) {
            chars if chars < LEAST_PART => narrow,
            chars => with(chars),
        }
    }

    /// Returns the line that comes next: the first that was asked for and is left out, else the
    /// nearest, preferably below.
    fn next<'a>(&self, written: &'a str, narrow: &KeptLines) -> Option<(usize, &'a str)> {
        let near = || {
            let near = self.near(narrow).into_iter();
            near.min_by_key(|it| (it.distance, !it.side.1))
        };
        let asked = self.asked.get(narrow.asked.len());
        let line = asked
            .map(|asked| asked - 1)
            .or_else(|| Some(near()?.line))?;
        self.numbered(written).find(|it| it.0 == line)
    }

    /// Returns, of the lines that stay, those around these.
    fn within(&self, asked: &[usize], context: usize) -> KeptLines {
        let mut lines = Vec::new();
        let mut kept = self.lines.iter().peekable();
        for window in windows(asked, context, self.total) {
            while let Some(range) = kept.peek() {
                let common = window.start.max(range.start)..window.end.min(range.end);
                if !common.is_empty() {
                    lines.push(common);
                }
                if range.end > window.end {
                    break;
                }
                kept.next();
            }
        }
        KeptLines {
            lines,
            asked: asked.to_vec(),
            ..KeptLines::all(self.total)
        }
    }
}
