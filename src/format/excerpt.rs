//! The lines that are shown of a piece, and what stands in place of the others.

use std::ops::Range;

use crate::section::Piece;
use crate::show::{counted, grouped};
use crate::split;
use crate::syntax::{head_above, is_bare};

/// Returns the kept lines, with a remark in place of each gap. If a gap has an outline, it follows
/// the remark, and another remark says where it ends.
pub(super) fn excerpt(piece: &Piece, kept: &[Range<usize>], outline: &[Range<usize>]) -> String {
    let lines = split::lines(piece.body.text());
    let mut written = String::new();
    let mut outline = outline;
    let mut next = 0;
    let end = lines.len()..lines.len();
    for range in kept.iter().chain([&end]) {
        let inside = outline.partition_point(|lines| lines.start < range.start);
        let (here, rest) = outline.split_at(inside);
        outline = rest;
        let mut here = here.to_vec();
        let above = goes_on(piece, &lines, next, range);
        if let Some(Whole::Head(head)) = &above {
            with(&mut here, head.clone());
        }
        let mut shown = range.clone();
        // What the lines below go on with is no part of the gap: a comment, and what it is on.
        while let Some(last) = here.pop_if(|last| last.end == shown.start && !range.is_empty()) {
            shown.start = last.start;
        }
        let says_nothing = |it: &Range<usize>| {
            let lines = lines.get(it.clone()).unwrap_or_default();
            lines.iter().all(|line| is_bare(line))
        };
        let end_of = match &above {
            Some(Whole::Name(name)) => Some(*name),
            _ => None,
        };
        if let (Some(name), true) = (end_of, here.is_empty()) {
            written.push_str(&end_line(name));
            push_gap(&mut written, next..shown.start);
        } else if here.iter().all(says_nothing) {
            if piece.path.is_none() && !piece.spare.is_empty() {
                push_count(&mut written, shown.start - next);
            } else {
                push_gap(&mut written, next..shown.start);
            }
        } else {
            push_outlined(&mut written, &lines, next..shown.start, &here, end_of);
        }
        push_lines(&mut written, &lines, std::slice::from_ref(&shown));
        next = range.end;
    }
    written
}

/// Adds lines to ranges that are in order and do not overlap.
fn with(ranges: &mut Vec<Range<usize>>, mut more: Range<usize>) {
    let from = ranges.partition_point(|it| it.end < more.start);
    let over = ranges[from..].iter().take_while(|it| it.start <= more.end);
    let until = from + over.count();
    for it in &ranges[from..until] {
        more = more.start.min(it.start)..more.end.max(it.end);
    }
    ranges.splice(from..until, [more]);
}

/// Writes only these lines of a gap, and a remark where the text continues after it: with the end
/// of something that is not the last of these, if it has a name.
fn push_outlined(
    written: &mut String,
    lines: &[&str],
    gap: Range<usize>,
    outline: &[Range<usize>],
    end_of: Option<&str>,
) {
    let next = gap.end;
    written.push_str(&outlined_line(gap));
    push_outline(written, lines, outline);
    if next < lines.len() {
        written.extend(end_of.map(end_line));
        written.push_str(&whole_again_line(next));
    }
}

/// Returns the lines of an outline, one below the other.
pub(super) fn outline(text: &str, shown: &[Range<usize>]) -> String {
    let lines = split::lines(text);
    let mut written = String::new();
    push_outline(&mut written, &lines, shown);
    written
}

/// Writes lines of an outline. Something that is opened and closed with hidden lines between would
/// look empty, so a mark stands for these.
fn push_outline(written: &mut String, lines: &[&str], shown: &[Range<usize>]) {
    let line = |at: usize| lines.get(at).copied().unwrap_or_default();
    let mut before: Option<usize> = None;
    for range in shown {
        let opens = before.filter(|at| at + 1 < range.start);
        let opens = opens.is_some_and(|at| line(at).trim_end().ends_with(['{', '(', '[']));
        let first = line(range.start);
        let blanks = first.len() - first.trim_start().len();
        if opens && first.trim_start().starts_with(['}', ')', ']']) {
            written.push_str(&first[..blanks]);
            written.push_str("    …\n");
        }
        push_lines(written, lines, std::slice::from_ref(range));
        before = range.end.checked_sub(1);
    }
}

fn push_lines(written: &mut String, lines: &[&str], shown: &[Range<usize>]) {
    let shown = shown
        .iter()
        .flat_map(|range| lines.get(range.clone()).unwrap_or_default());
    for line in shown {
        written.push_str(line);
        written.push('\n');
    }
}

/// Returns the line above the outline of these lines (from 0).
pub fn outlined_line(gap: Range<usize>) -> String {
    format!("[… of {} only these]\n", lines_of(gap))
}

/// Returns the line below an outline, where the text continues with this line (from 0).
pub fn whole_again_line(line: usize) -> String {
    format!("[… from line {} on]\n", grouped(line + 1))
}

/// Returns the line that stands in place of these lines (from 0).
pub fn gap_line(gap: Range<usize>) -> String {
    let mut written = String::new();
    push_gap(&mut written, gap);
    written
}

fn push_gap(written: &mut String, gap: Range<usize>) {
    if !gap.is_empty() {
        written.push_str(&format!("[… {} left out]\n", lines_of(gap)));
    }
}

/// Writes how many lines of a drawing are left out; their numbers would be of no use in it.
fn push_count(written: &mut String, lines: usize) {
    if lines > 0 {
        written.push_str(&format!("[… {} left out]\n", counted(lines, "line")));
    }
}

/// Returns the line that names something of which only the end follows. It is above the remark on
/// the gap, which has only one form for programs that read it.
fn end_line(name: &str) -> String {
    format!("[… below: the end of `{name}`]\n")
}

/// The most lines with content that are only the end of what they belong to.
const MAX_END_LINES: usize = 2;

/// The longest name that stands for a head, in bytes.
const MAX_NAME: usize = 40;

/// What says, in a gap, what the lines after it belong to.
enum Whole<'a> {
    /// Its head.
    Head(Range<usize>),
    /// Its name, if only its end follows.
    Name(&'a str),
}

/// Returns what says, of the gap that begins at `gap`, what continues after it with these lines, if
/// they do more than close it: a reader would take them for a part of what was shown above the gap.
fn goes_on<'a>(
    piece: &'a Piece,
    lines: &[&str],
    gap: usize,
    shown: &Range<usize>,
) -> Option<Whole<'a>> {
    let first = shown.start;
    let at = piece
        .titles
        .partition_point(|(lines, _)| lines.end <= first);
    let (whole, names) = piece.titles.get(at)?;
    let here = lines.get(first..shown.end.min(whole.end))?;
    // Of functions of one name the first may have begun above the gap.
    let above = whole.start.max(gap)..first;
    let say_something = here.iter().filter(|line| !is_bare(line)).count();
    if above.is_empty() || say_something == 0 {
        return None;
    }
    let head = head_above(lines, &piece.heads, above, names)?;
    let is_word = |name: &&String| {
        let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':');
        name.len() <= MAX_NAME && name.chars().all(is_letter)
    };
    let name = names.last().filter(is_word);
    Some(match name {
        Some(name) if say_something <= MAX_END_LINES && shown.end >= whole.end => Whole::Name(name),
        _ => Whole::Head(head),
    })
}

fn lines_of(gap: Range<usize>) -> String {
    let (first, last) = (grouped(gap.start + 1), grouped(gap.end));
    match gap.len() {
        1 => format!("line {first}"),
        _ => format!("lines {first}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::Body;

    #[test]
    fn what_an_outline_leaves_out_between_brackets_is_marked() {
        let text = "struct A {\n    b: i32,\n}\nstruct C;\n  fn d(\n  ) {}\n";
        assert_eq!(
            outline(text, &[0..1, 2..3, 3..4, 4..5, 5..6]),
            "struct A {\n    …\n}\nstruct C;\n  fn d(\n  ) {}\n"
        );
    }

    #[test]
    fn of_a_drawing_it_is_told_how_many_lines_are_left_out() {
        let text = "a\nb\nc\n";
        let drawing = Piece {
            spare: vec![Range { start: 1, end: 2 }],
            ..Piece::text(Body::Text(text.into()))
        };
        assert_eq!(
            excerpt(&drawing, &[Range { start: 0, end: 1 }], &[]),
            "a\n[… 2 lines left out]\n"
        );
    }

    #[test]
    fn an_excerpt_says_what_it_leaves_out() {
        let text = &Piece::text(Body::Source("1\n2\n3\n4\n5\n6\n".into()));
        assert_eq!(
            excerpt(text, &[1..2, 4..5], &[]),
            "[… line 1 left out]\n2\n[… lines 3-4 left out]\n5\n[… line 6 left out]\n"
        );
        assert_eq!(
            excerpt(
                text,
                &[Range { start: 2, end: 4 }],
                &[Range { start: 0, end: 1 }, Range { start: 5, end: 6 }]
            ),
            "[… of lines 1-2 only these]\n1\n[… from line 3 on]\n3\n4\n[… of lines 5-6 only these]\n6\n"
        );
    }

    #[test]
    fn what_goes_on_behind_a_gap_shows_the_line_in_it_that_it_begins_with() {
        let text =
            "fn a() {\n    b();\n}\nfn c() {\n    d();\n    d();\n    d();\n}\nfn e() {\n}\n";
        let piece = Piece {
            titles: [(0..3, "a"), (3..8, "c"), (8..10, "e")]
                .map(|(lines, name)| (lines, vec![name.to_owned()]))
                .into(),
            ..Piece::text(Body::Source(text.into()))
        };
        assert_eq!(
            excerpt(&piece, &[0..1, 4..10], &[]),
            "fn a() {\n[… lines 2-3 left out]\nfn c() {\n    d();\n    d();\n    d();\n}\nfn e() {\n}\n"
        );
        // An outline in the gap has it as well, once.
        for outline in [0..2, 2..4] {
            let written = excerpt(&piece, &[4..5, 8..10], std::slice::from_ref(&outline));
            assert_eq!(
                written.matches("fn c() {\n").count(),
                1,
                "{outline:?}: {written}"
            );
        }
        // The end alone tells nothing, nor what goes on behind a gap within it.
        assert_eq!(
            excerpt(&piece, &[0..1, 2..4, 7..10], &[]),
            "fn a() {\n[… line 2 left out]\n}\nfn c() {\n[… lines 5-7 left out]\n}\nfn e() {\n}\n"
        );
    }

    #[test]
    fn what_only_ends_behind_a_gap_is_named() {
        let text = "fn a() {\n    b();\n    c();\n    d();\n    e();\n}\n\nfn f() {}\n";
        let piece = |name: &str| Piece {
            titles: [(0..6, name), (7..8, "f")]
                .map(|(lines, name)| (lines, vec!["M".to_owned(), name.to_owned()]))
                .into(),
            ..Piece::text(Body::Source(text.into()))
        };
        let written = |name, first| {
            let kept = Range {
                start: first,
                end: 8,
            };
            excerpt(&piece(name), std::slice::from_ref(&kept), &[])
        };
        let end = "    d();\n    e();\n}\n\nfn f() {}\n";
        assert_eq!(
            written("a", 3),
            format!("[… below: the end of `a`]\n[… lines 1-3 left out]\n{end}")
        );
        assert_eq!(
            written("a", 2),
            format!("[… of lines 1-2 only these]\nfn a() {{\n[… from line 3 on]\n    c();\n{end}")
        );
        // What is longer than a word shows the head of which it is a part.
        let words = "fn a";
        assert!(written(words, 3).starts_with("[… of lines 1-3 only these]\nfn a() {\n"));
    }

    #[test]
    fn what_goes_on_behind_an_outline_is_not_divided_from_it() {
        let text = "use a;\n\n/// B.\nfn b() {\n    c();\n}\n";
        let piece = &Piece::text(Body::Source(text.into()));
        let outline = [Range { start: 0, end: 1 }, Range { start: 2, end: 3 }];
        let last = std::slice::from_ref(&outline[1]);
        let kept = [Range { start: 3, end: 6 }];
        assert_eq!(
            excerpt(piece, &kept, &outline),
            "[… of lines 1-2 only these]\nuse a;\n[… from line 3 on]\n/// B.\nfn b() {\n    c();\n}\n"
        );
        assert_eq!(
            excerpt(piece, &kept, last),
            "[… lines 1-2 left out]\n/// B.\nfn b() {\n    c();\n}\n"
        );
    }
}
