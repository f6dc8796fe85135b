//! Writes sections as text.
//!
//! A section is a head, a block for each piece that is not omitted, a remark on
//! those that are, and a foot, with a gap between. The budget prices these
//! parts one by one, so the whole must never be longer than their sum.

mod assign;
mod json;
mod markdown;
mod structure;
mod xml;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::section::{Body, Form, Piece, Section, Status};
use crate::settings::{FilesStyle, Style};
use crate::show::{counted, grouped, visible};
use crate::split;
use crate::syntax::{head_above, is_bare, language, purpose};

/// What stands between two blocks and between two sections: Markdown needs a blank
/// line, elements do not.
pub fn gap(style: Style) -> &'static str {
    match style {
        Style::Markdown => "\n\n",
        Style::Xml => "\n",
    }
}

/// The line between what an earlier turn showed and what the next one adds to it.
pub const NEXT_TURN: &str = "[The sections above were gathered for an earlier task of this run. What follows is for \
     the next; what it leaves out may stand above.]";

/// The line that says which files are no longer what stands above.
fn no_longer_so(changed: &BTreeSet<String>) -> String {
    let names: Vec<String> = changed
        .iter()
        .map(|path| format!("`{}`", visible(path)))
        .collect();
    let names = names.join(", ");
    format!("[Changed since they were shown above: {names}. Go by what follows, or open them.]")
}

/// Writes the sections that are not empty, one below the other.
pub fn sections<'a>(sections: impl IntoIterator<Item = &'a Section>, style: Style) -> String {
    sections_with_places(sections, style).0
}

/// The same, with the key of each section and where it stands in the text, in bytes.
pub fn sections_with_places<'a>(
    sections: impl IntoIterator<Item = &'a Section>,
    style: Style,
) -> (String, Vec<(String, Range<usize>)>) {
    let mut text = String::new();
    let mut places = Vec::new();
    let mut turn = None;
    let mut changed = BTreeSet::new();
    for section in sections {
        let written = self::section(section, style);
        if !written.is_empty() {
            if !text.is_empty() {
                text.push_str(gap(style));
            }
            if turn.is_some() && turn != section.earlier {
                text.push_str(NEXT_TURN);
                text.push_str(gap(style));
            }
            turn = section.earlier;
            if turn.is_none() && !changed.is_empty() {
                text.push_str(&no_longer_so(&changed));
                text.push_str(gap(style));
                changed.clear();
            }
            let before = section.pieces.iter();
            let before =
                before.filter(|it| matches!(it.body, Body::Before(_)) && it.form != Form::Omitted);
            changed.extend(before.filter_map(|piece| piece.path.clone()));
            let start = text.len();
            text.push_str(&written);
            places.push((section.key.name().to_owned(), start..text.len()));
        }
    }
    (text, places)
}

/// Writes a section. A dropped one is a single line, or nothing.
pub fn section(section: &Section, style: Style) -> String {
    let mut text = String::new();
    each_part(section, style, |part| text.push_str(part));
    text
}

/// The same in parts that follow one another, of which only one is held at a time.
pub fn each_part(section: &Section, style: Style, mut take: impl FnMut(&str)) {
    let remark = remark(section);
    if section.status() == Status::Dropped {
        return take(&remark.unwrap_or_default());
    }
    let head = head(section, style);
    take(&head);
    let mut is_first = head.is_empty();
    let mut in_list = false;
    let pieces = section.in_order().into_iter();
    for (_, piece) in pieces.filter(|(_, piece)| piece.form != Form::Omitted) {
        let is_name = piece.form.is_line();
        if !is_first {
            // What is only named is a list without blank lines.
            take(if in_list && is_name { "\n" } else { gap(style) });
        }
        in_list = is_name;
        let block = block(piece, style);
        is_first &= block.is_empty();
        take(&block);
    }
    for part in [remark.unwrap_or_default(), foot(section, style).to_owned()] {
        if !part.is_empty() {
            take(gap(style));
            take(&part);
        }
    }
}

/// Writes a section as if nothing of it had been left out, in such parts.
pub fn each_part_of_whole(section: &Section, style: Style, mut take: impl FnMut(&str)) {
    let head = head(section, style);
    take(&head);
    let mut is_first = head.is_empty();
    let blocks = section
        .pieces
        .iter()
        .map(|piece| block_in(piece, &Form::Full, style));
    for part in blocks.chain([foot(section, style).to_owned()]) {
        if !is_first && !part.is_empty() {
            take(gap(style));
        }
        is_first &= part.is_empty();
        take(&part);
    }
}

/// Writes files that are no section, in parts that follow one another: a text may become
/// many times as long when it is escaped, and all files together too long for memory.
pub fn files(pieces: &[Piece], style: FilesStyle) -> Box<dyn Iterator<Item = String> + '_> {
    match style {
        FilesStyle::Xml => Box::new(xml::files(pieces)),
        FilesStyle::Assign => Box::new(assign::files(pieces)),
        FilesStyle::Json => Box::new(json::files(pieces)),
        FilesStyle::Markdown => Box::new(pieces.iter().enumerate().map(|(number, piece)| {
            let gap = if number > 0 { gap(Style::Markdown) } else { "" };
            format!("{gap}{}", markdown::block(piece, &piece.form))
        })),
    }
}

/// What stands above the pieces.
pub fn head(section: &Section, style: Style) -> String {
    match style {
        Style::Markdown => markdown::head(section),
        Style::Xml => xml::head(section),
    }
}

/// What stands below the pieces.
pub fn foot(section: &Section, style: Style) -> &'static str {
    match style {
        Style::Markdown => "",
        Style::Xml => xml::foot(section),
    }
}

/// A piece in its form.
pub fn block(piece: &Piece, style: Style) -> String {
    block_in(piece, &piece.form, style)
}

/// A piece in another form than its own.
pub fn block_in(piece: &Piece, form: &Form, style: Style) -> String {
    if let (Body::Before(text), true) = (&piece.body, *form != Form::Omitted) {
        return text.clone();
    }
    match style {
        Style::Markdown => markdown::block(piece, form),
        Style::Xml => xml::block(piece, form),
    }
}

/// The line that says what is omitted: of a dropped section that is to be
/// mentioned, or of a shrunk one.
pub fn remark(section: &Section) -> Option<String> {
    let omitted = section.pieces.iter().filter(|p| p.form == Form::Omitted);
    let count = omitted.count();
    if section.status() != Status::Dropped {
        return (count > 0).then(|| more_left_out(count));
    }
    if section.mentioned {
        mention(section)
    } else {
        None
    }
}

/// The most names of files with which a section that is left out is mentioned; any more
/// are only counted.
const MAX_NAMED: usize = 4;

/// The line that mentions a section which is left out.
pub fn mention(section: &Section) -> Option<String> {
    if section.pieces.is_empty() {
        return None;
    }
    let heading = section.heading();
    let heading = visible(&heading);
    let files: Vec<&str> = section
        .pieces
        .iter()
        .filter_map(|p| p.path.as_deref())
        .collect();
    let size = if (1..=MAX_NAMED).contains(&files.len()) {
        files
            .iter()
            .map(|path| visible(path))
            .collect::<Vec<_>>()
            .join(", ")
    } else if !files.is_empty() {
        counted(files.len(), "file")
    } else {
        let lines = section.pieces.iter().map(|p| p.body.lines()).sum();
        counted(lines, "line")
    };
    Some(format!("[{heading} left out: {size}]"))
}

/// The closing line of a section, given how many of its pieces are omitted.
pub fn more_left_out(count: usize) -> String {
    format!("[{} left out]", counted(count, "more file"))
}

/// A file's extension as it is, without the dot.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// What stands in place of a file: its size.
fn name_only(piece: &Piece) -> String {
    let lines = counted(piece.body.lines(), "line");
    let news = if piece.is_in_diff { ", all new" } else { "" };
    format!("[name only: {lines}{news}]")
}

/// What a piece that is only named says of itself, in this form.
fn told(piece: &Piece, form: &Form) -> Option<String> {
    let path = piece.path.as_deref().filter(|_| *form == Form::Described)?;
    purpose(language(path), piece.body.text()).map(|purpose| purpose.text)
}

/// The remark above an excerpt.
fn excerpt_of(piece: &Piece, kept: &[Range<usize>], outline: &[Range<usize>]) -> String {
    let total = counted(piece.body.lines(), "line");
    if outline.is_empty() && lacks_only_its_licence(piece, kept) {
        return format!("[all but its licence: {} of {total}]", grouped(count(kept)));
    }
    let rest = match count(outline) {
        0 => String::new(),
        lines => format!(", {} more in outline", grouped(lines)),
    };
    format!("[excerpt: {} of {total}{rest}]", grouped(count(kept)))
}

/// The most empty lines that are left out with a licence.
const MAX_EMPTY: usize = 4;

/// Whether all is kept but what a file says of its licence, with the empty lines around it.
fn lacks_only_its_licence(piece: &Piece, kept: &[Range<usize>]) -> bool {
    let gone = piece.body.lines().saturating_sub(count(kept));
    let of_licence = piece.licence.len()..=piece.licence.len() + MAX_EMPTY;
    if piece.licence.is_empty() || !of_licence.contains(&gone) {
        return false;
    }
    let lines = split::lines(piece.body.text());
    let ends = kept.iter().map(|range| range.end);
    let gaps = std::iter::once(0).chain(ends);
    let starts = kept.iter().map(|range| range.start).chain([lines.len()]);
    let mut left_out = gaps.zip(starts).flat_map(|(from, to)| from..to);
    left_out.all(|line| piece.licence.contains(&line) || lines[line].trim().is_empty())
}

/// The remark above an outline.
fn outline_of(piece: &Piece, lines: &[Range<usize>]) -> String {
    let total = counted(piece.body.lines(), "line");
    format!("[outline: {} of {total}]", grouped(count(lines)))
}

fn count(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}

/// The kept lines, with a remark in place of each gap; where there is an outline of a gap,
/// it follows the remark, and another remark says where it ends.
fn excerpt(piece: &Piece, kept: &[Range<usize>], outline: &[Range<usize>]) -> String {
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

/// Adds lines to ranges in their order, none of which lies in another.
fn with(ranges: &mut Vec<Range<usize>>, mut more: Range<usize>) {
    let from = ranges.partition_point(|it| it.end < more.start);
    let over = ranges[from..].iter().take_while(|it| it.start <= more.end);
    let until = from + over.count();
    for it in &ranges[from..until] {
        more = more.start.min(it.start)..more.end.max(it.end);
    }
    ranges.splice(from..until, [more]);
}

/// Of a gap only these lines, and a remark where the text goes on behind it: with the end of
/// something that is not the last of these, if it has a name.
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

/// The lines of an outline, one below the other.
fn outline(text: &str, shown: &[Range<usize>]) -> String {
    let lines = split::lines(text);
    let mut written = String::new();
    push_outline(&mut written, &lines, shown);
    written
}

/// Lines of an outline. What is opened and closed with something between that is not shown
/// would look empty, so a mark stands for that.
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

/// The line above the outline of these lines (from 0).
pub fn outlined_line(gap: Range<usize>) -> String {
    format!("[… of {} only these]\n", lines_of(gap))
}

/// The line below an outline, where the text goes on with this line (from 0).
pub fn whole_again_line(line: usize) -> String {
    format!("[… from line {} on]\n", grouped(line + 1))
}

/// The line that stands in place of these lines (from 0).
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

/// The same in a drawing, which nobody can open to see which lines these are.
fn push_count(written: &mut String, lines: usize) {
    if lines > 0 {
        written.push_str(&format!("[… {} left out]\n", counted(lines, "line")));
    }
}

/// The line that says of what only the end follows. It stands above the remark on the gap,
/// which has one form alone for whoever reads it by program.
fn end_line(name: &str) -> String {
    format!("[… below: the end of `{name}`]\n")
}

/// At most so many lines that say something are only the end of what they belong to.
const MAX_END_LINES: usize = 2;

/// The longest name that is told in place of a head, in bytes.
const MAX_NAME: usize = 40;

/// What tells, in a gap, to what the lines behind it belong.
enum Whole<'a> {
    /// Its head.
    Head(Range<usize>),
    /// Its name, where only its end follows.
    Name(&'a str),
}

/// What tells of the gap that begins at `gap` what goes on behind it with these lines, if they
/// do more than close it: who reads on would take them for a part of what was shown above the
/// gap.
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
    use crate::section::{Body, Key};

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
    fn a_file_that_is_only_named_says_what_it_is_for() {
        let text = "//! Reads <file> and `</file>`.\n//! More.\n";
        let piece = Piece {
            form: Form::Described,
            ..Piece::file("a.rs", Body::Source(text.into()))
        };
        assert_eq!(
            block(&piece, Style::Markdown),
            "- a.rs [name only: 2 lines]: Reads <file> and `</file>`."
        );
        assert_eq!(
            block(&piece, Style::Xml),
            "<file path=\"a.rs\" language=\"rust\">\n[name only: 2 lines]: \
             <![CDATA[Reads <file> and `</file>`.]]>\n</file>"
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

    #[test]
    fn a_shrunk_section_names_what_fits_and_counts_the_rest() {
        let file = |path: &str, form| Piece {
            form,
            ..Piece::file(path, Body::Source("a\nb\n".into()))
        };
        let section = Section::new(
            Key::Files,
            vec![
                file("a.rs", Form::Full),
                file("b.rs", Form::Name),
                file("c.rs", Form::Omitted),
                file("d.rs", Form::Full),
                file("e.rs", Form::Name),
            ],
        );
        assert_eq!(
            super::section(&section, Style::Markdown),
            "## Repository Context\n\n### a.rs\n\n```rust\na\nb\n```\n\n\
             ### d.rs\n\n```rust\na\nb\n```\n\n\
             - b.rs [name only: 2 lines]\n- e.rs [name only: 2 lines]\n\n[1 more file left out]"
        );
    }
}
