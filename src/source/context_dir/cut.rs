//! A file as it is written, and which of its blocks go first.

use std::borrow::Cow;
use std::ops::Range;

use super::outline::{Outline, Unit, What};
use super::parse;
use crate::fence::fence_for;
use crate::remark::is_like_one;
use crate::show::is_hidden;

/// The deepest level of a Markdown heading.
const DEEPEST: usize = 6;

/// The file that holds the hard rules; it is never cut.
pub(super) const CONSTITUTION: &str = "CONSTITUTION";

/// A block that may be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    /// Its lines, from 0.
    pub(super) lines: Range<usize>,
    /// From this line on it is whole or absent: code, markup, a table.
    pub(super) solid: usize,
}

impl Cut {
    /// Returns what goes of it, step by step: first what can only go whole, then the lines before
    /// it, the last first.
    pub(super) fn steps(&self) -> impl Iterator<Item = Range<usize>> {
        let solid = self.solid..self.lines.end;
        let before = (self.lines.start..self.solid).rev().map(|at| at..at + 1);
        std::iter::once(solid)
            .filter(|lines| !lines.is_empty())
            .chain(before)
    }
}

/// Returns a file's text with its headings moved down, so that it fits under a heading of packer's
/// own.
///
/// Every line keeps its number. An underlined heading becomes one with `#` signs and a blank line,
/// and front matter becomes a code block, because its lines would make a heading of it.
pub(super) fn moved(outline: &Outline<'_>, levels: usize) -> String {
    let mut lines: Vec<Cow<'_, str>> = outline.lines.iter().map(|line| Cow::from(*line)).collect();
    for (line, signs, level) in &outline.headings {
        let more = "#".repeat(levels.min(DEEPEST - level));
        if let Some(column) = signs {
            lines[*line].to_mut().insert_str(*column, &more);
        }
    }
    for line in outline.html.iter().flat_map(|html| outline.lines_of(html)) {
        lower_in_html(&mut lines, line, levels);
    }
    for unit in &outline.units {
        match &unit.what {
            What::Front => {
                let fence = fence_for(outline.text(unit.lines.clone()));
                lines[unit.lines.start] = format!("{fence}yaml\n").into();
                lines[unit.lines.end - 1] = format!("{fence}\n").into();
            }
            What::Heading(level, _) if !is_signed(outline, unit) => {
                let end = outline.line_of(unit.bytes.end.saturating_sub(1));
                let signs = "#".repeat((level + levels).min(DEEPEST));
                let first = outline.line_of(unit.bytes.start);
                let words: Vec<&str> = outline.lines[first..end].iter().map(|l| l.trim()).collect();
                let mut title = words.join(" ");
                // Signs at the end would be taken for a part of the heading's form.
                if title.ends_with('#') {
                    title.insert(title.len() - 1, '\\');
                }
                lines[first] = format!("{signs} {title}\n").into();
                lines[first + 1..=end]
                    .iter_mut()
                    .for_each(|line| *line = "\n".into());
            }
            _ => {}
        }
    }
    disarm(outline, &mut lines, levels);
    for html in &outline.html {
        keep_open(&mut lines[outline.lines_of(html)]);
    }
    let mut text = lines.concat();
    if let Some(closing) = &outline.closing {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(closing);
        text.push('\n');
    }
    text
}

/// Escapes lines that another Markdown parser would take for a heading or for its underline: below
/// a table or a footnote, or in a list or a quote.
fn disarm(outline: &Outline<'_>, lines: &mut [Cow<'_, str>], levels: usize) {
    let blocks = outline.fenced.iter().chain(&outline.html);
    let mut apart = vec![false; lines.len()];
    for line in blocks.flat_map(|bytes| outline.lines_of(bytes)) {
        apart[line] = true;
    }
    for unit in outline.units.iter().filter(|unit| unit.what == What::Front) {
        apart[unit.lines.clone()].fill(true);
    }
    let mut is_heading = vec![false; lines.len()];
    for (line, _, _) in &outline.headings {
        is_heading[*line] = true;
    }
    for at in (0..lines.len()).filter(|at| !apart[*at]) {
        lower_elements(&mut lines[at], levels);
        disarm_inside(&mut lines[at]);
        disarm_remark(&mut lines[at]);
        let signed = behind_marks(&lines[at]);
        // So far in, it goes on with a paragraph to some and begins a heading to others.
        if !is_heading[at] && heading_signs(signed).is_some() {
            let column = lines[at].len() - signed.len();
            lines[at].to_mut().insert(column, '\\');
            continue;
        }
        let line = lines[at].trim_start_matches([' ', '\t', '>']);
        let column = lines[at].len() - line.len();
        let signs = line.trim_end();
        let is_of = |sign| !signs.is_empty() && signs.bytes().all(|byte| byte == sign);
        let Some(above) = at.checked_sub(1).map(|above| &lines[above]) else {
            continue;
        };
        let above = above.trim_matches(|c: char| c.is_whitespace() || c == '>');
        if above.is_empty() || !is_of(b'=') && !is_of(b'-') {
            continue;
        }
        if is_of(b'-') && signs.len() > 2 {
            // A rule, which may be written otherwise.
            let end = column + signs.len();
            let rule = "*".repeat(signs.len());
            lines[at].to_mut().replace_range(column..end, &rule);
        } else {
            lines[at].to_mut().insert(column, '\\');
        }
    }
}

/// Moves down what looks like a heading inside HTML: a model reads the text as it is.
fn lower_in_html(lines: &mut [Cow<'_, str>], at: usize, levels: usize) {
    lower_elements(&mut lines[at], levels);
    disarm_remark(&mut lines[at]);
    let line = behind_marks(&lines[at]);
    let column = lines[at].len() - line.len();
    let is_of = |sign| !line.is_empty() && line.trim_end().chars().all(|c| c == sign);
    let is_underline = is_of('=') || is_of('-');
    if let Some(signs) = heading_signs(line) {
        let more = "#".repeat(levels.min(DEEPEST - signs));
        lines[at].to_mut().insert_str(column, &more);
    } else if is_underline {
        lines[at].to_mut().insert(column, '\\');
    }
}

/// Moves down the headings that are elements: `<h1>`.
fn lower_elements(line: &mut Cow<'_, str>, levels: usize) {
    let small = line.to_ascii_lowercase();
    let begins = ["<h", "</h"].map(|begin| small.match_indices(begin));
    let places = begins.into_iter().flatten().map(|(at, it)| at + it.len());
    let is_end = |c: char| c == '>' || c == '/' || c.is_whitespace();
    let mut found: Vec<(usize, usize)> = places
        .filter_map(|at| {
            let rest = &small[at..];
            let level = rest.bytes().next()?.checked_sub(b'0')?;
            let is_it = (1..=DEEPEST).contains(&level.into());
            (is_it && rest[1..].chars().next().is_none_or(is_end)).then_some((at, level.into()))
        })
        .collect();
    found.sort_unstable();
    for (at, level) in found.into_iter().rev() {
        let lower = (level + levels).min(DEEPEST).to_string();
        line.to_mut().replace_range(at..=at, &lower);
    }
}

/// Escapes a line that looks like packer's own remark about what is left out.
fn disarm_remark(line: &mut Cow<'_, str>) {
    let marked = behind_marks(line);
    if is_like_one(marked) {
        let column = line.len() - marked.len();
        line.to_mut().insert(column, '\\');
    }
}

/// Escapes `#` signs after a character that some parsers take for the end of a line.
fn disarm_inside(line: &mut Cow<'_, str>) {
    let ends = ['\u{85}', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}'];
    let behind = line.match_indices(ends).map(|(at, end)| at + end.len());
    let mut looked_at = 0;
    let signed = behind.filter_map(|at| {
        // These ends are blanks: behind all that stand between marks, the same stands. Each is
        // looked at once, since a text may be nothing else.
        if at <= looked_at {
            return None;
        }
        let rest = behind_marks(&line[at..]);
        looked_at = line.len() - rest.len();
        heading_signs(rest).map(|_| looked_at)
    });
    let signed: Vec<usize> = signed.collect();
    escape(line, &signed);
}

/// Writes a backslash before each of these places, which are in order.
fn escape(line: &mut Cow<'_, str>, places: &[usize]) {
    if places.is_empty() {
        return;
    }
    let mut escaped = String::with_capacity(line.len() + places.len());
    let mut written = 0;
    for at in places {
        escaped.push_str(&line[written..*at]);
        escaped.push('\\');
        written = *at;
    }
    escaped.push_str(&line[written..]);
    *line = escaped.into();
}

/// Returns the number of `#` signs at the start of a line that make it a heading. Some parsers need
/// no blank after them; a tag begins with a lower-case letter.
fn heading_signs(line: &str) -> Option<usize> {
    let signs = line.bytes().take_while(|byte| *byte == b'#').count();
    let begins_words = |c: char| c.is_whitespace() || c.is_uppercase();
    let is_apart = line[signs..].is_empty() || line[signs..].starts_with(begins_words);
    ((1..=DEEPEST).contains(&signs) && is_apart).then_some(signs)
}

/// Escapes the ends of other elements in an HTML block that continues to the end of its own. To
/// some parsers any of these ends the block, and what follows them, such as the beginning of a
/// fence, would enclose the rest.
fn keep_open(lines: &mut [Cow<'_, str>]) {
    const ELEMENTS: [&str; 4] = ["pre", "script", "style", "textarea"];
    let Some(first) = lines.first() else {
        return;
    };
    let begins = |name: &&&str| {
        let rest = behind_marks(first).strip_prefix('<').unwrap_or_default();
        let own = rest.get(..name.len());
        own.is_some_and(|own| own.eq_ignore_ascii_case(name))
    };
    let Some(own) = ELEMENTS.iter().find(begins) else {
        return;
    };
    let others = ELEMENTS.iter().filter(|name| *name != own);
    let ends: Vec<String> = others.map(|name| format!("</{name}>")).collect();
    for line in lines {
        let small = line.to_ascii_lowercase();
        let mut found: Vec<usize> = ends
            .iter()
            .flat_map(|end| small.match_indices(end.as_str()).map(|(at, _)| at))
            .collect();
        found.sort_unstable();
        let inside: Vec<usize> = found.into_iter().map(|at| at + 1).collect();
        escape(line, &inside);
    }
}

/// Returns a line after its quote and list markers, where a heading may also stand.
pub(super) fn behind_marks(line: &str) -> &str {
    // What does not show may stand there as well.
    let is_blank = |c: char| c.is_whitespace() || is_hidden(c);
    let mut rest = line.trim_start_matches(is_blank);
    loop {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let marks: &[char] = if number.len() < rest.len() {
            &['.', ')']
        } else {
            &['-', '+', '*']
        };
        let behind = match rest.strip_prefix('>') {
            Some(behind) => Some(behind),
            None => number
                .strip_prefix(marks)
                .filter(|it| it.starts_with([' ', '\t'])),
        };
        match behind {
            Some(behind) => rest = behind.trim_start_matches(is_blank),
            None => return rest,
        }
    }
}

/// Whether a heading starts with `#` signs. Headings are in the order of the file.
fn is_signed(outline: &Outline<'_>, unit: &Unit) -> bool {
    let line = outline.line_of(unit.bytes.start);
    let headings = &outline.headings;
    let first = headings.partition_point(|(at, _, _)| *at < line);
    let here = headings[first..]
        .iter()
        .take_while(|(at, _, _)| *at == line);
    here.map(|(_, signs, _)| signs).any(Option::is_some)
}

/// Returns the blocks that may be cut, in the order in which they go. Headings stay.
///
/// Finished tasks go first, and the oldest decisions and learnings; otherwise, and after that, the
/// last blocks.
pub(super) fn order(outline: &Outline<'_>, name: &str) -> Vec<Cut> {
    if name == CONSTITUTION {
        return Vec::new();
    }
    let dated = matches!(name, "DECISIONS" | "LEARNINGS");
    let blocks = blocks(outline, dated);
    let mut order: Vec<&Block> = blocks.iter().rev().collect();
    match name {
        "TASKS" => order.sort_by_key(|block| !block.done),
        _ if dated => {
            let dates = dates(&blocks);
            // Stable: of one entry, and of entries of one date, what stands last goes first.
            order.sort_by(|a, b| dates[a.entry].cmp(&dates[b.entry]));
        }
        _ => {}
    }
    let lines = outline.lines.len();
    let cut = |block: &Block| {
        let solid = outline.first_solid(&block.lines);
        let closes = outline.closing.is_some() && block.lines.end == lines;
        Cut {
            lines: block.lines.start..block.lines.end + usize::from(closes),
            solid: solid.unwrap_or(block.lines.end + usize::from(closes)),
        }
    };
    order.into_iter().map(cut).collect()
}

/// A unit that may be cut.
struct Block {
    lines: Range<usize>,
    /// A finished task, or a part of one.
    done: bool,
    /// Which decision or learning it belongs to, counted in the order of the file.
    entry: usize,
    /// The date in the entry's title or in a field, if this block has it.
    date: Option<String>,
}

/// Returns the blocks of a file. Dates are looked for only where they decide something.
fn blocks(outline: &Outline<'_>, dated: bool) -> Vec<Block> {
    let find_date = |text: &str| if dated { find_date(text) } else { None };
    let field_date = |text: &str| if dated { field_date(text) } else { None };
    let mut blocks = Vec::new();
    let (mut entry, mut date, mut done) = (0, None, false);
    // An entry of a list is one of its own, unless it stands below a third heading.
    let mut below_third = false;
    for unit in &outline.units {
        let text = outline.text(unit.lines.clone());
        match &unit.what {
            What::Heading(level, title) => {
                entry += 1;
                date = find_date(title);
                below_third = *level >= 3;
                done = below_third && is_done(title);
                continue;
            }
            What::Entry(_) if !below_third => {
                entry += 1;
                let own = find_date(text.lines().next().unwrap_or_default());
                blocks.push(Block {
                    lines: unit.lines.clone(),
                    done: is_done_entry(text),
                    entry,
                    date: own.or_else(|| field_date(text)).or_else(|| date.clone()),
                });
                continue;
            }
            _ => {}
        }
        if !text.trim().is_empty() {
            let is_entry = matches!(unit.what, What::Entry(_));
            blocks.push(Block {
                lines: unit.lines.clone(),
                done: done || is_entry && is_done_entry(text),
                entry,
                date: date.clone().or_else(|| field_date(text)),
            });
        }
    }
    blocks
}

/// Returns the date of each entry, for sorting. One without a date is as old as the one before it,
/// or else as the one after it.
fn dates(blocks: &[Block]) -> Vec<Option<String>> {
    let count = blocks
        .iter()
        .map(|block| block.entry + 1)
        .max()
        .unwrap_or(0);
    let mut dates: Vec<Option<String>> = vec![None; count];
    for block in blocks {
        let known = &mut dates[block.entry];
        *known = known.take().or_else(|| block.date.clone());
    }
    for index in 1..count {
        if dates[index].is_none() {
            let before = dates[index - 1].clone();
            dates[index] = before;
        }
    }
    let first = dates.iter().flatten().next().cloned();
    for date in dates.iter_mut().take_while(|date| date.is_none()) {
        date.clone_from(&first);
    }
    dates
}

fn is_done(title: &str) -> bool {
    matches!(parse::check_box(title.trim()).0, Some('x' | 'X'))
}

/// Whether an entry is done, and everything below it.
fn is_done_entry(text: &str) -> bool {
    let boxes: Vec<char> = text
        .lines()
        .filter_map(|line| parse::check_box(parse::without_bullet(line)).0)
        .collect();
    let first = text.lines().next().map(parse::without_bullet);
    first.is_some_and(is_done) && boxes.iter().all(|sign| matches!(sign, 'x' | 'X'))
}

fn field_date(text: &str) -> Option<String> {
    let mut fields = text
        .lines()
        .filter_map(|line| parse::field(parse::without_bullet(line)));
    fields.find_map(|(_, value)| find_date(value))
}

/// Returns the first date of the form `2025-03-01`, `2025/03/01` or `2025-03`, in the first form.
fn find_date(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| {
        let part = bytes.get(from..to)?;
        part.iter().all(u8::is_ascii_digit).then_some(())
    };
    let is_sign = |at: usize| matches!(bytes.get(at), Some(b'-' | b'/' | b'.'));
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..bytes.len()).find_map(|at| {
        if at > 0 && is_digit(at - 1) {
            return None;
        }
        digits(at, at + 4)?;
        digits(at + 5, at + 7).filter(|()| is_sign(at + 4))?;
        let year_month = format!("{}-{}", &text[at..at + 4], &text[at + 5..at + 7]);
        if is_sign(at + 7) && digits(at + 8, at + 10).is_some() && !is_digit(at + 10) {
            return Some(format!("{year_month}-{}", &text[at + 8..at + 10]));
        }
        (!is_digit(at + 7) && bytes[at + 4] == b'-').then_some(year_month)
    })
}

#[cfg(test)]
mod tests {
    use super::super::outline::goes_on;
    use super::*;

    #[test]
    fn dates_are_found_in_words() {
        assert_eq!(
            find_date("[2025-03-01] Use git2").as_deref(),
            Some("2025-03-01")
        );
        assert_eq!(
            find_date("since 2025/03/01.").as_deref(),
            Some("2025-03-01")
        );
        assert_eq!(find_date("ADR 12025-03-01").as_deref(), None);
        assert_eq!(find_date("2025-03: é").as_deref(), Some("2025-03"));
        assert_eq!(find_date("12/34"), None);
    }

    #[test]
    fn what_stands_behind_a_file_is_not_in_its_last_block() {
        for text in [
            "~~~\n\u{a0}~~~\n",
            "```\n\u{3000}```",
            "```\n\u{b}```\n",
            "~~~\na\r~~~\n",
            "~~~\r~~~\r",
            "```\n    ```\n",
            "```\n``` x\n",
            "```a\n~~~\n",
            "- a\n\n  ```\n  b\n",
            "<!-- a\n",
            "<pre>\n</pre >\n",
            "<![CDATA[\n# a",
            "a\n",
        ] {
            let written = moved(&Outline::of(text, 0), 2);
            assert!(!goes_on(&written), "{text:?}: {written:?}");
        }
    }

    #[test]
    fn done_tasks_below_a_third_heading_go_first_too() {
        let text = "## Now\n### Area\n- [x] is done a\n- [x] is done b\n- [ ] is open c\n- [ ] is open d\n";
        assert_eq!(last_words(text, "TASKS"), ["b", "a", "d", "c"]);
    }

    #[test]
    fn what_some_readers_take_for_a_heading_is_lowered_or_none() {
        let moved = |text: &str| moved(&Outline::of(text, 0), 2);
        for (text, expected) in [
            ("<h1>A</h1>\n", "<h3>A</h3>\n"),
            ("a <H5 id=\"x\">A</H5>\n", "a <H6 id=\"x\">A</H6>\n"),
            ("<hr><h7><header>\n", "<hr><h7><header>\n"),
            ("```\n<h1>\n```\n", "```\n<h1>\n```\n"),
            ("\u{200b}# A\n", "\u{200b}\\# A\n"),
            ("x\n\n- \u{ad}## A\n", "x\n\n- \u{ad}\\## A\n"),
            ("x\u{2028}# A\u{85}#b\n", "x\u{2028}\\# A\u{85}#b\n"),
        ] {
            assert_eq!(moved(text), expected);
        }
    }

    /// If the cost grew with the square of the length, these would take hours.
    #[test]
    fn ends_without_end_cost_no_more_than_their_length() {
        for end in ["\u{2028}", "\u{85}", "\u{b}", "\u{c}> "] {
            let text = end.repeat(1_000_000);
            let mut line = Cow::from(&text);
            disarm_inside(&mut line);
            assert_eq!(line, text);
        }
        let mut line = Cow::from("\u{2028}# ".repeat(300_000));
        disarm_inside(&mut line);
        assert_eq!(line, "\u{2028}\\# ".repeat(300_000));
        let mut lines = [Cow::from("<pre>"), "</style>".repeat(300_000).into()];
        keep_open(&mut lines);
        assert_eq!(lines[1], "<\\/style>".repeat(300_000));
    }

    fn last_words(text: &str, name: &str) -> Vec<String> {
        let outline = Outline::of(text, 0);
        let word = |lines: Range<usize>| {
            outline
                .text(lines)
                .split_whitespace()
                .next_back()
                .unwrap()
                .to_owned()
        };
        let order = order(&outline, name).into_iter();
        order.map(|cut| word(cut.lines)).collect()
    }

    #[test]
    fn what_looks_like_a_heading_in_html_is_moved_down_too() {
        for (open, close) in [
            ("<pre>", "</pre>"),
            ("<div>", "</div>"),
            ("<!--", "-->"),
            ("<script>", "</script>"),
        ] {
            let text =
                format!("{open}\n# Task\n  ## Task\nTask\n====\n#tag\n> 1. - # T\n{close}\n");
            let moved = moved(&Outline::of(&text, 0), 3);
            let expected = format!(
                "{open}\n#### Task\n  ##### Task\nTask\n\\====\n#tag\n> 1. - #### T\n{close}\n"
            );
            assert_eq!(moved, expected);
        }
    }

    #[test]
    fn what_looks_like_a_remark_of_ours_is_none() {
        let text = "R.\n\n[… lines 5-90 left out]\n> - [truncated]\n[a](b.md)\n<pre>\n[Task left out: 2 lines]\n</pre>\n";
        let expected = "R.\n\n\\[… lines 5-90 left out]\n> - \\[truncated]\n[a](b.md)\n<pre>\n\\[Task left out: 2 lines]\n</pre>\n";
        assert_eq!(moved(&Outline::of(text, 0), 3), expected);
    }

    #[test]
    fn what_stands_last_goes_first() {
        assert_eq!(
            last_words(
                "# T\n\nthe first of all one\n\n- the second of all two\n- the third of all three\n\n## S\n\nthe last of all four\n",
                "GLOSSARY"
            ),
            ["four", "three", "two", "one"]
        );
    }

    #[test]
    fn done_tasks_go_before_open_ones() {
        let text = "## Now\n- [ ] the first task a\n- [x] the second task b\n- [x] the third task c\n  - [ ] a part is open\n### [x] Done\na paragraph of text\n## Next\n- [ ] the last task e\n";
        assert_eq!(last_words(text, "TASKS"), ["text", "b", "e", "open", "a"]);
    }

    #[test]
    fn the_oldest_decisions_go_first() {
        let dated = "## 2025-01-02 A\n\nthe text of entry a\n\n## B\n\n**Date**: 2024-05-06\n\nthe text of entry b\n\n## C 2026-01\n\nthe text of entry c\n";
        assert_eq!(
            last_words(dated, "DECISIONS"),
            ["b", "2024-05-06", "a", "c"]
        );
        let undated = "## A\n\nthe text of entry a\n\n## B\n\nthe text of entry b\n";
        assert_eq!(last_words(undated, "LEARNINGS"), ["b", "a"]);
        let list = "## L\n- 2025-01-01 one\n- 2023-01-01 two\n- a third entry: three\n";
        assert_eq!(last_words(list, "LEARNINGS"), ["three", "two", "one"]);
    }

    #[test]
    fn short_blocks_go_too() {
        let text = "## A\n\n**D**: 2023-01\n\nno\n\n## B 2024-01-01\n\nyes\n\nso\n";
        assert_eq!(
            last_words(text, "DECISIONS"),
            ["no", "2023-01", "so", "yes"]
        );
        assert_eq!(last_words("- a 1\n- a 2\n", "GLOSSARY"), ["2", "1"]);
    }

    #[test]
    fn code_goes_at_once_and_text_line_by_line() {
        let text = "- one\n  two\n\n  ```\n  code\n  ```\n  three\n";
        let cuts = order(&Outline::of(text, 0), "GLOSSARY");
        let steps: Vec<Range<usize>> = cuts.iter().flat_map(Cut::steps).collect();
        assert_eq!(steps, [3..7, 2..3, 1..2, 0..1]);
        let table = order(&Outline::of("|a|b|\n|-|-|\n|c|d|\n", 0), "GLOSSARY");
        assert_eq!(
            table,
            [Cut {
                lines: 0..3,
                solid: 0
            }]
        );
    }

    #[test]
    fn headings_move_and_lines_stay() {
        let text = "---\na: 1\n---\nTitle\n=====\n\n## S\n```\n# no heading\n```\n##### deep\n> # quoted\n";
        let outline = Outline::of(text, 3);
        assert_eq!(
            moved(&outline, 2),
            "```yaml\na: 1\n```\n### Title\n\n\n#### S\n```\n# no heading\n```\n###### deep\n> ### quoted\n"
        );
    }

    #[test]
    fn what_others_take_for_an_underline_is_none() {
        let moved = |text| moved(&Outline::of(text, 0), 2);
        for (text, expected) in [
            ("a|b\n-|-\nTask|x\n===\n", "a|b\n-|-\nTask|x\n\\===\n"),
            ("[^1]: x\nTask\n===\n", "[^1]: x\nTask\n\\===\n"),
            ("|a|\n|-|\nTask\n---\n", "|a|\n|-|\nTask\n***\n"),
            ("> Task\n> ===\n", "> Task\n> \\===\n"),
            ("- Task\n  ===\n", "- Task\n  \\===\n"),
            ("```\nTask\n===\n```\n", "```\nTask\n===\n```\n"),
            ("a\n\n---\n\nb\n", "a\n\n---\n\nb\n"),
        ] {
            assert_eq!(moved(text), expected);
        }
    }

    #[test]
    fn what_ends_html_for_others_ends_it_for_nobody() {
        let text = "<textarea>\na </PRE> b </script>\n```\n</textarea>\n\nc\n";
        let shown = "<textarea>\na <\\/PRE> b <\\/script>\n```\n</textarea>\n\nc\n";
        assert_eq!(moved(&Outline::of(text, 0), 2), shown);
        let text = "<div>\n</pre>\n</div>\n\nc\n";
        assert_eq!(moved(&Outline::of(text, 0), 2), text);
    }

    #[test]
    fn what_is_far_in_begins_no_heading() {
        for (text, shown) in [
            ("- a\n  ===\nb\n\t# c\n", "- a\n  \\===\nb\n\t\\# c\n"),
            (
                "1. a\n   ===\nb\n    ## c\n",
                "1. a\n   \\===\nb\n    \\## c\n",
            ),
            ("a\n\n    # code\n", "a\n\n    # code\n"),
        ] {
            assert_eq!(moved(&Outline::of(text, 0), 2), shown);
        }
    }

    #[test]
    fn an_open_fence_is_closed() {
        assert_eq!(
            moved(&Outline::of("a\n~~~~ x\ncode", 0), 1),
            "a\n~~~~ x\ncode\n~~~~\n"
        );
        for (open, end) in [
            ("<!-- a\n\nb", "-->"),
            ("<PRE>\n\nb", "</pre>"),
            ("<?php\nb", "?>"),
        ] {
            let closed = format!("{open}\n{end}\n");
            assert_eq!(moved(&Outline::of(open, 0), 1), closed);
            assert_eq!(moved(&Outline::of(&closed, 0), 1), closed);
        }
    }

    #[test]
    fn a_fence_in_the_front_matter_closes_nothing() {
        let text = "---\na: |\n  x\n```\n---\n# T\n";
        assert_eq!(
            moved(&Outline::of(text, 5), 1),
            "````yaml\na: |\n  x\n```\n````\n## T\n"
        );
    }

    #[test]
    fn what_a_heading_says_stays() {
        let moved = |text| moved(&Outline::of(text, 0), 1);
        assert_eq!(moved("Use `a` *now*\n===\n"), "## Use `a` *now*\n\n");
        assert_eq!(moved("C#\n---\n"), "### C\\#\n\n");
    }
}
