//! Which lines of a file are shown: its parts with what encloses and surrounds them, and the gaps
//! between.

use std::ops::Range;

use super::{Begun, File, Shown};
use crate::section::Piece;
use crate::syntax::{is_program, language};

/// A gap of at most this many lines is shown instead of a remark, and so is a longer one whose
/// lines have hardly more bytes than the remark.
const SMALL_GAP: usize = 2;
const SMALL_GAP_BYTES: usize = 100;

/// If at most this many lines of a unit are missing, they are shown…
const HOLE: usize = 12;

/// …if the unit has this many times as many.
const NEARLY_ALL: usize = 5;

impl File {
    /// Returns the lines that are shown, with what encloses them, followed by those of outlines.
    pub(in super::super) fn lines(&self, lines: &[&str]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let total = lines.len();
        let whole = self.parts.iter().zip(&self.shown);
        let whole = whole.filter(|(_, shown)| **shown == Shown::Whole);
        let mut is_shown = marked(total, whole.clone().map(|(part, _)| &part.lines));
        let parts = runs(&is_shown, |_| false);
        for owner in whole.flat_map(|(part, _)| &part.owners) {
            if let Some(shown) = is_shown.get_mut(*owner) {
                *shown = true;
            }
        }
        let mut ranges = runs(&is_shown, |gap| is_small_gap(lines, gap));
        trim(&mut ranges, lines);
        self.add_edges(&mut ranges, &parts, lines);
        if let Some(begun) = self.begun {
            ranges = self.with_beginning(&ranges, begun, lines);
        }
        // With the edges, or with an outline of it, a gap may have become too small to be
        // worth a remark.
        let is_outlined = self.outlined(total);
        ranges.dedup_by(|next, last| {
            let gap = is_outlined[last.end..next.start].iter();
            let is_small = gap.filter(|outlined| !**outlined).count() <= SMALL_GAP
                || is_small_gap(lines, last.end..next.start);
            if is_small {
                last.end = next.end;
            }
            is_small
        });
        let ranges = self.without_holes(ranges, lines.len());
        let mut ranges = self.with_fences(ranges, lines);
        self.reach_ends(&mut ranges, lines);
        let outline = without(is_outlined, &ranges);
        (ranges, outline)
    }

    /// Returns these ranges with the few lines filled in that are missing of a unit, or of a source
    /// file, of which nearly everything is shown: what must change may be there, and a remark costs
    /// as much as two of them.
    fn without_holes(&self, ranges: Vec<Range<usize>>, total: usize) -> Vec<Range<usize>> {
        let first = |lines: &Range<usize>| ranges.partition_point(|it| it.end <= lines.start);
        let is_holed = |lines: &&Range<usize>| {
            let shown = ranges[first(lines)..].iter();
            let shown = shown.take_while(|it| it.start < lines.end);
            let shown = shown.map(|it| it.end.min(lines.end) - it.start.max(lines.start));
            let missing = lines.len() - shown.sum::<usize>();
            (1..=HOLE).contains(&missing) && missing * NEARLY_ALL <= lines.len()
        };
        // What is begun since no more fits would end where nearly all of the file is shown.
        let may_fill =
            |lines: &&Range<usize>| self.begun.is_none() || lines.start > self.hidden.end;
        let things = self.things.iter().filter(may_fill);
        let mut holed = things.filter(is_holed).peekable();
        if holed.peek().is_none() {
            return ranges;
        }
        runs(&marked(total, ranges.iter().chain(holed)), |_| false)
    }

    /// Extends the first of these ranges to the beginning of the file and the last one to its end,
    /// if only a line or two are missing there, and these are short.
    fn reach_ends(&self, ranges: &mut [Range<usize>], lines: &[&str]) {
        let is_hidden =
            |gap: &Range<usize>| gap.start.max(self.hidden.start) < gap.end.min(self.hidden.end);
        let is_small = |gap: Range<usize>| {
            gap.len() <= SMALL_GAP
                && bytes_of(lines, gap.clone()) <= SMALL_GAP_BYTES
                && !is_hidden(&gap)
        };
        if let Some(first) = ranges.first_mut()
            && is_small(0..first.start)
        {
            first.start = 0;
        }
        if let Some(last) = ranges.last_mut()
            && is_small(last.end..lines.len())
        {
            last.end = lines.len();
        }
    }

    /// Returns these ranges with the fences around each code block of which something is shown.
    /// Without one of them, the text below would look like code, or code like text.
    fn with_fences(&self, ranges: Vec<Range<usize>>, lines: &[&str]) -> Vec<Range<usize>> {
        let shows_some = |block: &&Range<usize>| {
            let first = ranges.partition_point(|it| it.end <= block.start);
            ranges.get(first).is_some_and(|it| it.start < block.end)
        };
        let mut shown = self.fences.iter().filter(shows_some).peekable();
        if shown.peek().is_none() {
            return ranges;
        }
        let mut is_shown = marked(lines.len(), &ranges);
        for block in shown {
            (is_shown[block.start], is_shown[block.end - 1]) = (true, true);
        }
        runs(&is_shown, |gap| is_small_gap(lines, gap))
    }

    /// Returns these ranges with the first lines of a part, and what encloses it. The lines around
    /// them are added only once all of them are shown: before that, the part continues anyway.
    fn with_beginning(
        &self,
        ranges: &[Range<usize>],
        begun: Begun,
        lines: &[&str],
    ) -> Vec<Range<usize>> {
        let mut is_shown = marked(lines.len(), ranges);
        let part = &self.parts[begun.part];
        is_shown[part.lines.clone()][..begun.lines].fill(true);
        if begun.after > 0 {
            let end = self.end(lines, part.lines.end, lines.len(), begun.after);
            is_shown[part.lines.end..end].fill(true);
        }
        if begun.before > 0 {
            let start = self.start(lines, part.lines.start, 0, begun.before);
            is_shown[start..part.lines.start].fill(true);
        }
        // The fence that closes a block of code goes with what is shown of that.
        let above = part
            .owners
            .iter()
            .filter(|owner| **owner < part.lines.start);
        for owner in above {
            is_shown[*owner] = true;
        }
        runs(&is_shown, |_| false)
    }

    /// Adds the lines around each range that are shown with it, if it has more than lines that say
    /// where others belong.
    fn add_edges(&self, ranges: &mut [Range<usize>], parts: &[Range<usize>], lines: &[&str]) {
        for at in 0..ranges.len() {
            let own = ranges[at].clone();
            let first = parts.partition_point(|part| part.end <= own.start);
            if parts.get(first).is_none_or(|part| part.start >= own.end) {
                continue;
            }
            let most = ranges.get(at + 1).map_or(lines.len(), |next| next.start);
            ranges[at].end = self.end(lines, own.end, most, self.edge);
            let least = at.checked_sub(1).map_or(0, |at| ranges[at].end);
            ranges[at].start = self.start(lines, own.start, least, self.edge);
        }
    }

    /// Returns where the lines after `from` end that are shown with what is above.
    fn end(&self, lines: &[&str], from: usize, most: usize, edge: usize) -> usize {
        let most = match self.hidden.start {
            hidden if hidden >= from => most.min(hidden),
            _ => most,
        };
        edge_after(lines, &self.heads, from, most, edge)
    }

    /// Returns where the lines before `to` begin that are shown with what is below.
    fn start(&self, lines: &[&str], to: usize, least: usize, edge: usize) -> usize {
        let least = match self.hidden.end {
            hidden if hidden <= to => least.max(hidden),
            _ => least,
        };
        edge_before(lines, &self.heads, least, to, edge)
    }

    /// Returns which lines are in outlines of parts, with what encloses these.
    fn outlined(&self, total: usize) -> Vec<bool> {
        let outlined = |at: &usize| self.shown[*at] == Shown::Outline;
        let outlined = (0..self.parts.len()).filter(outlined);
        let lines = outlined.clone().flat_map(|at| &self.outlines[at].0);
        let mut is_outlined = marked(total, lines);
        let owners = outlined.flat_map(|at| &self.parts[at].owners);
        for owner in owners.filter(|owner| **owner < total) {
            is_outlined[*owner] = true;
        }
        is_outlined
    }
}

/// Returns which of `total` lines are in these ranges.
fn marked<'r>(total: usize, ranges: impl IntoIterator<Item = &'r Range<usize>>) -> Vec<bool> {
    let mut marked = vec![false; total];
    for lines in ranges {
        marked[lines.clone()].fill(true);
    }
    marked
}

/// Returns the lines that are marked and in none of these ranges.
fn without(mut marked: Vec<bool>, kept: &[Range<usize>]) -> Vec<Range<usize>> {
    for lines in kept {
        marked[lines.clone()].fill(false);
    }
    runs(&marked, |_| false)
}

/// Whether a gap costs little more than the remark on it.
fn is_small_gap(lines: &[&str], gap: Range<usize>) -> bool {
    let are_short = || bytes_of(lines, gap.clone()) <= SMALL_GAP_BYTES;
    gap.len() <= SMALL_GAP || gap.len() <= SMALL_GAP_BYTES && are_short()
}

/// Returns how many bytes these lines have.
fn bytes_of(lines: &[&str], range: Range<usize>) -> usize {
    lines[range].iter().map(|line| line.len() + 1).sum()
}

/// Returns the runs of lines that are marked, including such gaps.
fn runs(marked: &[bool], has_gap: impl Fn(Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for line in (0..marked.len()).filter(|line| marked[*line]) {
        match runs.last_mut() {
            Some(last) if line == last.end || has_gap(last.end..line) => last.end = line + 1,
            _ => runs.push(line..line + 1),
        }
    }
    runs
}

/// Removes empty lines at the edges of gaps: they show nothing.
fn trim(ranges: &mut Vec<Range<usize>>, lines: &[&str]) {
    let is_empty = |line: &usize| lines[*line].trim().is_empty();
    for range in &mut *ranges {
        let edges = range.clone();
        if range.end < lines.len() {
            range.end -= edges.clone().rev().take_while(is_empty).count();
        }
        if range.start > 0 {
            range.start += edges.take_while(is_empty).count();
        }
    }
    ranges.retain(|range| range.start < range.end);
}

/// How many lines around what is shown are shown too, so that a worker sees where it is and can
/// insert something before or after it.
const EDGE: usize = 2;

/// Returns the number of lines shown around a range. A document is cut where its sections begin, so
/// what surrounds one of them belongs to others.
pub(super) fn edge_of(piece: &Piece) -> usize {
    match language(piece.path.as_deref().unwrap_or_default()) {
        "markdown" | "mdx" | "rst" | "asciidoc" => 0,
        _ => EDGE,
    }
}

/// Whether the missing lines of a piece may be shown with the rest: in source, unless the diff
/// already has some of it.
pub(super) fn is_of_source(piece: &Piece) -> bool {
    !piece.is_in_diff && is_program(language(piece.path.as_deref().unwrap_or_default()))
}

/// Returns the code blocks in a document that begin and end there, each with the fences around it.
pub(super) fn fences(piece: &Piece, lines: &[&str]) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    if !matches!(
        language(piece.path.as_deref().unwrap_or_default()),
        "markdown" | "mdx"
    ) {
        return blocks;
    }
    let mut open: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        // What stands further in is code itself, or in a list, of which nothing is known here.
        if line.starts_with("    ") || line.starts_with('\t') {
            continue;
        }
        let text = line.trim();
        let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        let Some(sign) = sign else { continue };
        let (fence, behind) = text.split_at(text.len() - text.trim_start_matches(sign).len());
        match open {
            Some((start, opened)) if behind.is_empty() && fence.starts_with(opened) => {
                blocks.push(start..at + 1);
                open = None;
            }
            None if fence.len() >= 3 && !behind.contains('`') => open = Some((at, fence)),
            _ => {}
        }
    }
    blocks
}

/// At most this many more lines are shown to keep a head whole; for a longer one, none.
const REST_OF_HEAD: usize = 4;

/// Returns where the lines after `from` end that are shown with what is above.
pub(super) fn edge_after(
    lines: &[&str],
    heads: &[Range<usize>],
    from: usize,
    most: usize,
    edge: usize,
) -> usize {
    let mut left = edge;
    let mut end = from;
    while end < most && left > 0 {
        left -= usize::from(!lines[end].trim().is_empty());
        end += 1;
    }
    match divided(heads, end) {
        Some(head) if head.end <= most && head.end - end <= REST_OF_HEAD => head.end,
        Some(head) => {
            let before = lines[from..head.start.max(from)].iter().rev();
            let empty = before.take_while(|line| line.trim().is_empty());
            head.start.max(from) - empty.count()
        }
        None => end,
    }
}

/// Returns where the lines before `to` begin that are shown with what is below.
pub(super) fn edge_before(
    lines: &[&str],
    heads: &[Range<usize>],
    least: usize,
    to: usize,
    edge: usize,
) -> usize {
    let mut left = edge;
    let mut start = to;
    while start > least && left > 0 {
        start -= 1;
        left -= usize::from(!lines[start].trim().is_empty());
    }
    match divided(heads, start) {
        Some(head) if head.start >= least && start - head.start <= REST_OF_HEAD => head.start,
        Some(head) => {
            let behind = lines[head.end.min(to)..to].iter();
            let empty = behind.take_while(|line| line.trim().is_empty());
            head.end.min(to) + empty.count()
        }
        None => start,
    }
}

/// Returns the head that a gap would divide that begins or ends before this line.
pub(super) fn divided(heads: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let before = heads
        .partition_point(|head| head.start < at)
        .checked_sub(1)?;
    Some(&heads[before]).filter(|head| head.end > at)
}
