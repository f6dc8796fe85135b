//! Cuts text and says what was cut.

mod narrow;

use crate::ranges::count;
use crate::split;

use std::borrow::Cow;
use std::ops::Range;

/// The default number of lines around each line that is asked for.
pub const CONTEXT_LINES: usize = 10;

/// If less than a text's length divided by this is left, that is next to nothing.
const SLIVER: usize = 10;

/// Whether so little of something is left that it is next to nothing: less than a tenth.
pub fn is_sliver(kept: usize, original: usize) -> bool {
    kept.saturating_mul(SLIVER) < original
}

/// The most characters of a line that are shown.
pub const MAX_LINE: usize = 2000;

/// Keeps the first `lines` lines. If some are left out, a blank line and `[Truncated K lines]`
/// follow.
///
/// A text of at most `lines` lines comes back unchanged.
pub fn first_lines(text: &str, lines: usize) -> String {
    let total = split::count_lines(text);
    if total <= lines {
        return text.to_owned();
    }
    // Line ends stay what they are, that of the last line too.
    let kept: Vec<&str> = text.split('\n').take(lines).collect();
    let gap = if kept.is_empty() { "" } else { "\n\n" };
    format!(
        "{}{gap}[Truncated {} lines]",
        kept.join("\n"),
        total - lines
    )
}

/// Which lines [`truncate_file`] keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinesToKeep<'a> {
    max: usize,
    around: &'a [usize],
    context: usize,
}

impl<'a> LinesToKeep<'a> {
    /// Keeps the first `max` lines.
    pub fn at_most(max: usize) -> LinesToKeep<'a> {
        LinesToKeep {
            max,
            around: &[],
            context: CONTEXT_LINES,
        }
    }

    /// Keeps these lines, counted from 1, and `context` lines before and after each. Lines outside
    /// the file are ignored.
    pub fn around(self, lines: &'a [usize], context: usize) -> LinesToKeep<'a> {
        LinesToKeep {
            around: lines,
            context,
            ..self
        }
    }
}

/// Cuts a file to some of its lines.
///
/// A text that has no more lines than may stay comes back unchanged. Otherwise, if no lines are
/// asked for, the first ones stay, followed by `...` and `[N more lines truncated]`. If lines are
/// asked for, those around them stay too, and every gap becomes `... [N lines skipped] ...`. If
/// that is too much, all sides shrink alike; if even the lines themselves are too many, the first
/// of them stay, and a last line says how many were left out. If less than a tenth of the lines
/// would stay, the first and the last one are among them, if there is room. A text without a line
/// break at its end gets none.
///
/// ```
/// use context_packer::shorten::{LinesToKeep, truncate_file};
///
/// let text = "1\n2\n3\n4\n5\n6\n7\n";
/// assert_eq!(
///     truncate_file(text, LinesToKeep::at_most(2)),
///     "1\n2\n...\n[5 more lines truncated]\n"
/// );
/// assert_eq!(
///     truncate_file(text, LinesToKeep::at_most(3).around(&[4], 1)),
///     "... [2 lines skipped] ...\n3\n4\n5\n... [2 lines skipped] ...\n"
/// );
/// ```
pub fn truncate_file(content: &str, keep: LinesToKeep<'_>) -> String {
    let total = split::count_lines(content);
    KeptLines::choose(total, keep.max, keep.around, keep.context).write(content)
}

/// Which lines of a text stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLines {
    /// How many lines the text has.
    pub total: usize,
    /// The lines that stay, counted from 0, in order and with gaps between.
    pub lines: Vec<Range<usize>>,
    /// How many lines that were asked for do not stay.
    pub asked_left_out: usize,
    /// The lines that were asked for, from 1, in order. If there are any, gaps are marked one by
    /// one.
    asked: Vec<usize>,
    /// A line beside them of which only the beginning stays. It is counted as left out.
    part: Option<Part>,
}

/// The beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// The line, counted from 0.
    line: usize,
    chars: usize,
}

impl KeptLines {
    /// Keeps all lines of a text that has `total`.
    pub fn all(total: usize) -> KeptLines {
        KeptLines {
            total,
            lines: std::iter::once(0..total)
                .filter(|r| !r.is_empty())
                .collect(),
            asked_left_out: 0,
            asked: Vec::new(),
            part: None,
        }
    }

    /// Remembers these lines as those that matter most.
    pub fn with_asked(self, lines: &[usize]) -> KeptLines {
        let asked = in_order(lines, self.total);
        KeptLines { asked, ..self }
    }

    /// Keeps the first `max_lines` lines; if that is less than a tenth, the last line is among
    /// them.
    pub fn beginning(total: usize, max_lines: usize) -> KeptLines {
        let first = KeptLines::choose(total, max_lines, &[], 0);
        if max_lines < 2 || !is_sliver(first.count(), total) {
            return first;
        }
        KeptLines {
            lines: vec![0..max_lines - 1, total - 1..total],
            ..first
        }
    }

    /// Chooses as [`truncate_file`] does.
    pub fn choose(total: usize, max_lines: usize, around: &[usize], context: usize) -> KeptLines {
        if total <= max_lines {
            return KeptLines::all(total).with_asked(around);
        }
        let mut asked = in_order(around, total);
        if asked.is_empty() {
            return KeptLines {
                total,
                ..KeptLines::all(max_lines)
            };
        }
        let asked_left_out = asked.len().saturating_sub(max_lines);
        asked.truncate(max_lines);
        // What was asked for comes before the ends, and these before what lies around it.
        let alone = with_ends(&windows(&asked, 0, total), total);
        let have_room = count(&alone) <= max_lines;
        let around = |context: usize| {
            let lines = windows(&asked, context, total);
            if have_room {
                with_ends(&lines, total)
            } else {
                lines
            }
        };
        // No context at all always fits.
        let fits = last_that(0, context.min(total), |context| {
            count(&around(context)) <= max_lines
        });
        let lines = around(fits);
        KeptLines {
            lines,
            asked_left_out,
            asked,
            ..KeptLines::all(total)
        }
    }

    /// Keeps these lines (from 1) and `context` lines before and after each, however many that
    /// makes, and the first and the last line if it is less than a tenth; `None` if the text has
    /// none of these lines.
    pub fn around(total: usize, lines: &[usize], context: usize) -> Option<KeptLines> {
        let asked = in_order(lines, total);
        if asked.is_empty() {
            return None;
        }
        Some(KeptLines {
            lines: with_ends(&windows(&asked, context, total), total),
            asked,
            ..KeptLines::all(total)
        })
    }

    /// Writes the lines of `narrower`, all of which stay here too, given what
    /// [`write`](Self::write) made.
    pub fn rewrite(&self, written: &str, narrower: &KeptLines) -> String {
        narrower.write_lines(written, self.numbered(written))
    }

    /// Returns the lines in what [`write`](Self::write) made, with their numbers from 0.
    fn numbered<'a>(&self, written: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
        let mut lines = written.split_inclusive('\n');
        let mut next = 0;
        let kept = self.lines.iter().flat_map(move |range| {
            let remarks = self.remarks(next..range.start);
            next = range.end;
            let is_first = move |line| line == range.start;
            range
                .clone()
                .map(move |line| (line, if is_first(line) { remarks } else { 0 }))
        });
        kept.map(move |(number, remarks)| {
            let line = lines.nth(remarks);
            (number, line.unwrap_or_default())
        })
    }

    /// Returns how many lines are written in place of a gap.
    fn remarks(&self, gap: Range<usize>) -> usize {
        match self.part.filter(|part| gap.contains(&part.line)) {
            Some(part) => 2 + usize::from(part.line > gap.start),
            None => usize::from(!gap.is_empty()),
        }
    }

    /// Returns how many characters the lines have in what [`write`](Self::write) made.
    pub fn chars(&self, written: &str) -> usize {
        let lines = self.numbered(written);
        let whole: usize = lines.map(|(_, line)| line.chars().count()).sum();
        whole + self.part.map_or(0, |part| part.chars)
    }

    /// Returns what should be shown first of what [`write`](Self::write) made, without remarks: the
    /// first of the lines that were asked for, or else the lines up to the first gap.
    pub fn foremost<'a>(&self, written: &'a str) -> &'a str {
        if let Some(asked) = self.asked.first() {
            let found = self.numbered(written).find(|(at, _)| at + 1 == *asked);
            return found.map_or("", |(_, line)| line);
        }
        let first = self.lines.first().map_or(0, Range::len);
        let first = written.split_inclusive('\n').take(first);
        &written[..first.map(str::len).sum()]
    }

    /// Whether lines were asked for.
    pub fn has_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Returns how many lines stay.
    pub fn count(&self) -> usize {
        count(&self.lines)
    }

    /// Writes the lines that stay and marks the gaps.
    pub fn write(&self, text: &str) -> String {
        if self.count() == self.total {
            return text.to_owned();
        }
        self.write_lines(text, text.split_inclusive('\n').enumerate())
    }

    /// Writes those of these lines of a text that stay; their numbers must increase.
    fn write_lines<'a>(&self, text: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> String {
        let mut written = String::new();
        let mut ranges = self.lines.iter().peekable();
        let mut next = 0;
        for (number, line) in lines {
            if ranges.peek().is_some_and(|range| range.contains(&number)) {
                self.mark(&mut written, next..number);
                written.push_str(line);
                next = number + 1;
            } else if let Some(part) = self.part.filter(|part| part.line == number) {
                self.mark(&mut written, next..number);
                written.extend(line.chars().take(part.chars));
                written.push_str("...\n");
                // The rest of it is in the gap below.
                next = number;
            }
            ranges.next_if(|range| number + 1 >= range.end);
        }
        let is_marked = next < self.total || self.asked_left_out > 0;
        // The last line of a text may have no line break, and gets one only before a remark.
        if is_marked && !written.is_empty() && !written.ends_with('\n') {
            written.push('\n');
        }
        self.mark(&mut written, next..self.total);
        if self.asked_left_out > 0 {
            written.push_str(&format!(
                "[{} requested lines left out]\n",
                self.asked_left_out
            ));
        }
        if !text.ends_with('\n') && written.ends_with('\n') {
            written.pop();
        }
        written
    }

    fn mark(&self, written: &mut String, gap: Range<usize>) {
        match gap.len() {
            0 => {}
            n if gap.end < self.total || self.has_asked() || self.asked_left_out > 0 => {
                written.push_str(&format!("... [{n} lines skipped] ...\n"));
            }
            n => written.push_str(&format!("...\n[{n} more lines truncated]\n")),
        }
    }
}

/// Returns those of these lines that a text of `total` lines has, in order, each once.
fn in_order(lines: &[usize], total: usize) -> Vec<usize> {
    let inside = lines
        .iter()
        .copied()
        .filter(|line| (1..=total).contains(line));
    let mut lines: Vec<usize> = inside.collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Returns the last number from `least` to `most` for which `holds` is true. It must be true for
/// `least`, which is not tried, and false for all after the first for which it is false. Otherwise
/// the number is one for which it is true, and no smaller if it is true for more numbers.
pub fn last_that(least: usize, most: usize, mut holds: impl FnMut(usize) -> bool) -> usize {
    let (mut yes, mut no) = (least, most + 1);
    while yes + 1 < no {
        let middle = usize::midpoint(yes, no);
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    yes
}

/// Returns the lines around these (sorted, from 1), counted from 0; windows that touch are merged.
fn windows(asked: &[usize], context: usize, total: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for line in asked {
        let window = (line - 1).saturating_sub(context)..line.saturating_add(context).min(total);
        match windows.last_mut() {
            Some(last) if last.end >= window.start => last.end = window.end,
            _ => windows.push(window),
        }
    }
    windows
}

/// Returns these lines of a text, and its first and its last one if they are less than a tenth of
/// it.
fn with_ends(lines: &[Range<usize>], total: usize) -> Vec<Range<usize>> {
    let mut lines = lines.to_vec();
    if !is_sliver(count(&lines), total) {
        return lines;
    }
    match lines.first_mut() {
        Some(first) if first.start <= 1 => first.start = 0,
        _ => lines.insert(0, 0..1),
    }
    match lines.last_mut() {
        Some(last) if last.end + 1 >= total => last.end = total,
        _ => lines.push(total - 1..total),
    }
    lines
}

/// The bytes of the longest character, and those after a line that is cut: `...\r\n`.
const MAX_CHAR: usize = 4;
const AFTER_CUT: usize = 5;

/// Cuts every line of more than `most` characters to that and `...`. Returns how many were cut.
pub fn cut_long_lines(text: &str, most: usize) -> (Cow<'_, str>, usize) {
    if text.split('\n').all(|line| line.len() <= most) {
        return (Cow::Borrowed(text), 0);
    }
    let mut cut = 0;
    // What is left may be next to nothing, and is kept: no room of what is gone goes with it.
    let room = |line: &str| line.len().min(most.saturating_mul(MAX_CHAR) + AFTER_CUT);
    let room = text.split_inclusive('\n').map(room).sum();
    let mut written = String::with_capacity(room);
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\n', '\r']);
        match end.char_indices().nth(most) {
            None => written.push_str(line),
            Some((at, _)) => {
                cut += 1;
                written.push_str(&line[..at]);
                written.push_str("...");
                written.push_str(&line[end.len()..]);
            }
        }
    }
    (Cow::Owned(written), cut)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_is_found() {
        for last in 0..20 {
            assert_eq!(last_that(0, 19, |at| at <= last), last);
        }
    }

    #[test]
    fn lines_left_out_are_counted() {
        assert_eq!(first_lines("a\nb\nc\n", 1), "a\n\n[Truncated 2 lines]");
        assert_eq!(first_lines("a\nb\nc\n", 2), "a\nb\n\n[Truncated 1 lines]");
        assert_eq!(first_lines("a\nb", 0), "[Truncated 2 lines]");
        let windows = "a\r\nb\r\nc\r\n";
        assert_eq!(first_lines(windows, 2), "a\r\nb\r\n\n[Truncated 1 lines]");
    }

    #[test]
    fn a_text_that_fits_is_unchanged() {
        assert_eq!(first_lines("a\nb\n", 2), "a\nb\n");
        assert_eq!(
            truncate_file("a\r\nb", LinesToKeep::at_most(2).around(&[1], 0)),
            "a\r\nb"
        );
    }

    fn numbers(lines: usize) -> String {
        let lines: Vec<String> = (1..=lines).map(|n| format!("{n}\n")).collect();
        lines.concat()
    }

    #[test]
    fn windows_that_touch_are_one() {
        assert_eq!(
            truncate_file(&numbers(20), LinesToKeep::at_most(12).around(&[5, 8], 1)),
            "... [3 lines skipped] ...\n4\n5\n6\n7\n8\n9\n... [11 lines skipped] ...\n"
        );
    }

    #[test]
    fn any_number_of_lines_around_may_be_asked_for() {
        let around = KeptLines::around(9, &[5], usize::MAX);
        assert_eq!(around, Some(KeptLines::all(9).with_asked(&[5])));
    }

    #[test]
    fn windows_that_are_too_large_shrink_alike() {
        assert_eq!(
            truncate_file(&numbers(40), LinesToKeep::at_most(6).around(&[10, 30], 10)),
            "... [8 lines skipped] ...\n9\n10\n11\n... [17 lines skipped] ...\n29\n30\n31\n... [9 lines skipped] ...\n"
        );
    }

    #[test]
    fn of_too_many_lines_the_first_stay() {
        assert_eq!(
            truncate_file(
                &numbers(9),
                LinesToKeep::at_most(2).around(&[8, 2, 4, 99, 0], 3)
            ),
            "... [1 lines skipped] ...\n2\n... [1 lines skipped] ...\n4\n... [5 lines skipped] ...\n[1 requested lines left out]\n"
        );
        assert_eq!(
            truncate_file("a\nb", LinesToKeep::at_most(0).around(&[2], 1)),
            "... [2 lines skipped] ...\n[1 requested lines left out]"
        );
    }

    #[test]
    fn where_next_to_nothing_stays_the_ends_are_among_it() {
        assert_eq!(
            truncate_file(&numbers(40), LinesToKeep::at_most(10).around(&[20], 0)),
            "1\n... [18 lines skipped] ...\n20\n... [19 lines skipped] ...\n40\n"
        );
        let lines = |asked, context| KeptLines::around(300, asked, context).unwrap().lines;
        assert_eq!(lines(&[150], 10), [0..1, 139..160, 299..300]);
        assert_eq!(lines(&[2], 0), [0..2, 299..300]);
        assert_eq!(lines(&[299], 0), [0..1, 298..300]);
        assert_eq!(lines(&[150], 20).len(), 1);
    }

    #[test]
    fn long_lines_are_cut_and_counted() {
        let (text, cut) = cut_long_lines("äää\r\nää\n", 2);
        assert_eq!((text.as_ref(), cut), ("ää...\r\nää\n", 1));
        let long = "x".repeat(1_000_000);
        let (text, _) = cut_long_lines(&long, 2);
        assert!(text.into_owned().capacity() < 100);
    }

    /// The numbers before this word in the text's markers.
    fn marked(text: &str, word: &str) -> usize {
        let number = |line: &str| {
            let (before, _) = line.split_once(word)?;
            before.rsplit('[').next()?.parse::<usize>().ok()
        };
        text.lines().filter_map(number).sum()
    }

    proptest! {
        #[test]
        fn what_is_kept_and_what_is_skipped_is_the_file(
            total in 0usize..60, max in 0usize..40,
            around in prop::collection::vec(0usize..70, 0..12), context in 0usize..12,
        ) {
            let text = numbers(total);
            let cut = truncate_file(&text, LinesToKeep::at_most(max).around(&around, context));
            if total <= max {
                prop_assert_eq!(&cut, &text);
            }
            let kept: Vec<usize> = cut.lines().filter_map(|line| line.parse().ok()).collect();
            prop_assert!(kept.len() <= max || total <= max);
            prop_assert!(kept.is_sorted());
            let skipped = marked(&cut, " lines skipped") + marked(&cut, " more lines truncated");
            prop_assert_eq!(kept.len() + skipped, total);
            let mut asked: Vec<usize> = around.iter().copied().filter(|n| (1..=total).contains(n)).collect();
            asked.sort_unstable();
            asked.dedup();
            let there = asked.iter().filter(|n| kept.contains(n)).count();
            if total > max {
                prop_assert_eq!(there + marked(&cut, " requested lines left out"), asked.len());
                prop_assert!(there == asked.len().min(max));
            }
            let chosen = KeptLines::choose(total, max, &around, context);
            let narrower = chosen.narrowed(|kept| kept.count() <= max / 2);
            if let Some(narrower) = narrower {
                prop_assert!(narrower.count() <= max / 2);
                prop_assert_eq!(chosen.rewrite(&cut, &narrower), narrower.write(&text));
            }
            prop_assert_eq!(chosen.count(), kept.len());
            let own: usize = kept.iter().map(|line| line.to_string().len() + 1).sum();
            prop_assert_eq!(chosen.chars(&cut), own);
            // A text without a line break at its end gets none.
            let open = text.trim_end();
            let cut_open = truncate_file(open, LinesToKeep::at_most(max).around(&around, context));
            prop_assert_eq!(&cut_open, cut.trim_end());
            if total > max && !asked.is_empty() && is_sliver(kept.len(), total) {
                let missing = [1, total].iter().filter(|end| !kept.contains(end)).count();
                let others = [1, total].iter().filter(|end| !asked.contains(end)).count();
                prop_assert!(missing == 0 || asked.len() + others > max, "{kept:?}");
            }
            if let Some(narrower) = chosen.narrowed(|kept| kept.count() <= max / 2) {
                prop_assert_eq!(chosen.rewrite(&cut_open, &narrower), narrower.write(open));
            }
        }
    }
}
