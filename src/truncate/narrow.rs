//! Chooses fewer of the lines that stay, for less room.

use super::{KeptLines, last_that, windows};

impl KeptLines {
    /// Returns, of the lines that stay, those around the lines that were asked for, as wide as
    /// `fits` accepts; if even the lines themselves are too many, the first of them. `None` if no
    /// lines were asked for, or not even one fits.
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
        Some(wide(last_that(0, self.total, |context| {
            fits(&wide(context))
        })))
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
