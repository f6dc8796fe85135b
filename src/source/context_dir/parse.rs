//! What a Markdown file says, as data.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::outline::{Outline, What};
use crate::role::node::{Node, SourceFile, Value};
use crate::role::yaml;
use crate::section::{Note, NoteKind};
use crate::show::quoted;

/// The structure of a file of `.context/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParsedContent {
    /// The text of the first first-level heading; empty if there is none.
    pub title: String,
    /// The text before the first second-level heading, without the title.
    pub intro: String,
    /// The sections below the second-level headings.
    pub sections: Vec<ParsedSection>,
    /// The front matter.
    pub metadata: BTreeMap<String, String>,
}

/// The section below a second-level heading.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParsedSection {
    /// The heading.
    pub title: String,
    /// The third-level headings with what is below them, and the entries of the section's lists:
    /// all entries if it has no such headings, otherwise those with a check box.
    pub items: Vec<Item>,
    /// The section's text as it is, items included, without the heading.
    pub content: String,
}

/// A task, a decision, a term.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Item {
    /// The heading, or the first line of the entry, without its check box.
    pub title: String,
    /// The lines of the form `**Key**: value`.
    pub fields: BTreeMap<String, String>,
    /// Words of the form `#word` and `#key:value`, with the `#`.
    pub tags: Vec<String>,
    /// What its check box says; null without a check box.
    pub status: Option<ItemStatus>,
    /// The entries below it, or of the lists below its heading, except fields.
    pub children: Vec<String>,
}

/// The state of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ItemStatus {
    /// `[ ]`
    Todo,
    /// `[x]`
    Done,
    /// `[!]`, `[-]`, the tag `#blocked`, or `[ ]` in a section called Blocked.
    Blocked,
}

/// Returns how many lines at the beginning are front matter, what they say, and what is wrong with
/// them. Damaged front matter is text.
pub(super) fn front_matter(text: &str, path: &str) -> (usize, BTreeMap<String, String>, Vec<Note>) {
    let none = (0, BTreeMap::new(), Vec::new());
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return none;
    }
    let Some(length) = lines.position(|line| matches!(line.trim_end(), "---" | "...")) else {
        return none;
    };
    let inner: Vec<&str> = text.lines().skip(1).take(length).collect();
    let warn = |why: String| {
        let message = format!("front matter of `{}` {why}", quoted(path));
        Note::new(NoteKind::Skipped, message).on(path)
    };
    if inner.iter().all(|line| line.trim().is_empty()) {
        return (length + 2, BTreeMap::new(), Vec::new());
    }
    let file = SourceFile::new(path, inner.join("\n"));
    let node = match yaml::parse(&file) {
        Ok(node) => node,
        Err(why) => {
            let note = warn(format!("is damaged and stays text: {}", why.message));
            return (0, BTreeMap::new(), vec![note]);
        }
    };
    let Value::Map(entries) = &node.value else {
        let note = warn("is not a map and stays text".into());
        return (0, BTreeMap::new(), vec![note]);
    };
    let mut metadata = BTreeMap::new();
    let mut notes = Vec::new();
    for (label, value) in entries {
        match told(value) {
            Some(text) => {
                metadata.insert(label.name.clone(), text);
            }
            None => notes.push(warn(format!(
                "has a map under `{}`, which is left out of the metadata",
                quoted(&label.name)
            ))),
        }
    }
    (length + 2, metadata, notes)
}

/// Returns a value of the front matter as text: a number as it was written, a list separated by
/// commas.
fn told(node: &Node) -> Option<String> {
    match &node.value {
        Value::Null => Some(String::new()),
        Value::Text(text) => Some(text.clone()),
        Value::Bool(value) => Some(as_written(node).unwrap_or_else(|| value.to_string())),
        Value::Int(value) => Some(as_written(node).unwrap_or_else(|| value.to_string())),
        Value::Float(value) => Some(as_written(node).unwrap_or_else(|| value.to_string())),
        Value::List(items) => {
            let texts: Option<Vec<String>> = items.iter().map(told).collect();
            texts.map(|texts| texts.join(", "))
        }
        Value::Map(_) => None,
    }
}

/// Returns a plain value as it was written: `1.0` and `0x1f` stay what they are.
fn as_written(node: &Node) -> Option<String> {
    let rest = node.at.rest_of_line()?;
    let end = rest.find([',', ']', '}', '#']).unwrap_or(rest.len());
    Some(rest[..end].trim().to_owned())
}

/// The most sections, items and parts of items of all files together. A hostile file of 1 MiB has
/// hundreds of thousands, which take a hundred times the memory of their text.
pub(super) const MAX_PARTS: usize = 50_000;

/// Reads the structure of a file, and takes from `left` what it lists. Anything beyond that is
/// text.
pub(super) fn structure(
    outline: &Outline<'_>,
    metadata: BTreeMap<String, String>,
    left: &mut usize,
) -> ParsedContent {
    let mut parsed = ParsedContent {
        metadata,
        ..ParsedContent::default()
    };
    let is = |index: usize, wanted: usize| matches!(&outline.units[index].what, What::Heading(level, _) if *level == wanted);
    let count = outline.units.len();
    let title = (0..count).find(|index| is(*index, 1));
    if let Some(index) = title
        && let What::Heading(_, text) = &outline.units[index].what
    {
        parsed.title.clone_from(text);
    }
    let seconds: Vec<usize> = (0..count).filter(|index| is(*index, 2)).collect();
    let end_of_intro = seconds.first().copied().unwrap_or(count);
    let intro = (0..end_of_intro).filter(|index| Some(*index) != title);
    let intro = intro.filter(|index| outline.units[*index].what != What::Front);
    let intro: String = intro
        .map(|index| outline.text(outline.units[index].lines.clone()))
        .collect();
    intro.trim().clone_into(&mut parsed.intro);
    for (position, start) in seconds.iter().enumerate() {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let end = seconds.get(position + 1).copied().unwrap_or(count);
        parsed.sections.push(section(outline, *start..end, left));
    }
    parsed
}

/// Reads the section whose heading is the first of these units.
fn section(outline: &Outline<'_>, units: Range<usize>, left: &mut usize) -> ParsedSection {
    let What::Heading(_, title) = &outline.units[units.start].what else {
        return ParsedSection::default();
    };
    let heading = &outline.units[units.start];
    let from = heading_end(outline, units.start);
    let to = outline.units[units.end - 1]
        .lines
        .end
        .max(heading.lines.start);
    let content = outline.text(from.min(to)..to);
    let blocked = title
        .trim_matches(|c: char| !c.is_alphanumeric())
        .eq_ignore_ascii_case("blocked");
    let mut items = Vec::new();
    for range in items_of(outline, units) {
        if *left == 0 {
            break;
        }
        let item = item(outline, range, blocked);
        let parts = 1 + item.fields.len() + item.tags.len() + item.children.len();
        *left = left.saturating_sub(parts);
        items.push(item);
    }
    ParsedSection {
        title: title.clone(),
        items,
        content: content.trim_matches(['\n', '\r']).to_owned(),
    }
}

/// Returns the units of each item of a section, in the order of the file. An entry with a check box
/// is an item wherever it is; one below a third-level heading is also a child of that item.
fn items_of(outline: &Outline<'_>, units: Range<usize>) -> Vec<Range<usize>> {
    let is_third = |index: &usize| matches!(&outline.units[*index].what, What::Heading(3, _));
    let thirds: Vec<usize> = units.clone().filter(is_third).collect();
    let has_box = |index: usize| {
        let first = outline.lines[outline.units[index].lines.start];
        check_box(without_bullet(first)).0.is_some()
    };
    let item_at = |index: usize| match &outline.units[index].what {
        What::Heading(3, _) => {
            let next = thirds.partition_point(|third| *third <= index);
            Some(index..thirds.get(next).copied().unwrap_or(units.end))
        }
        What::Entry(_) if thirds.is_empty() || has_box(index) => Some(index..index + 1),
        _ => None,
    };
    units.clone().filter_map(item_at).collect()
}

/// Returns the line after a heading, which may be underlined.
fn heading_end(outline: &Outline<'_>, unit: usize) -> usize {
    let bytes = &outline.units[unit].bytes;
    outline.line_of(bytes.end.saturating_sub(1).max(bytes.start)) + 1
}

/// Reads an item: a third-level heading with what is below it, or an entry of a list.
fn item(outline: &Outline<'_>, units: Range<usize>, in_blocked: bool) -> Item {
    let first = &outline.units[units.start];
    let lines = first.lines.start..outline.units[units.end - 1].lines.end;
    let mut item = Item::default();
    let heading = match &first.what {
        What::Heading(_, title) => Some(title.as_str()),
        _ => None,
    };
    let own = heading.unwrap_or_else(|| without_bullet(outline.lines[lines.start]));
    let (check_box, title) = check_box(own);
    title.trim().clone_into(&mut item.title);
    item.tags = tags(outline, outline.bytes(lines.clone()));

    // Fields stand on lines of their own, with or without a bullet.
    let body = match heading {
        Some(_) => heading_end(outline, units.start)..lines.end,
        None => lines.clone(),
    };
    for line in body {
        if !is_code(outline, line) {
            let text = check_box_free(without_bullet(outline.lines[line]));
            if let Some((key, value)) = field(text) {
                item.fields
                    .entry(key.to_owned())
                    .or_insert_with(|| value.to_owned());
            }
        }
    }
    item.children = children(outline, units, heading.is_some());
    item.status = match check_box {
        Some('x' | 'X') => Some(ItemStatus::Done),
        Some('!' | '-') => Some(ItemStatus::Blocked),
        _ if item
            .tags
            .iter()
            .any(|tag| tag.eq_ignore_ascii_case("#blocked")) =>
        {
            Some(ItemStatus::Blocked)
        }
        Some(_) if in_blocked => Some(ItemStatus::Blocked),
        Some(_) => Some(ItemStatus::Todo),
        None => None,
    };
    item
}

/// Returns the entries below an item, except those that are fields.
fn children(outline: &Outline<'_>, units: Range<usize>, of_heading: bool) -> Vec<String> {
    let mut children = Vec::new();
    for unit in &outline.units[units] {
        let What::Entry(below) = &unit.what else {
            continue;
        };
        let own = std::iter::once(&unit.bytes).filter(|_| of_heading);
        let entries: Vec<&Range<usize>> = own.chain(below).collect();
        for (position, entry) in entries.iter().enumerate() {
            // An entry's own text ends on the line before the next one below it.
            let below = entries
                .get(position + 1)
                .filter(|next| next.start < entry.end);
            let first = outline.line_of(entry.start);
            let end = match below {
                Some(next) => outline.line_of(next.start).max(first + 1),
                None => outline.line_of(entry.end.max(entry.start + 1) - 1) + 1,
            };
            let lines = first..end;
            // Entries may begin on one line, one in another: `- - a`.
            let stop = below.map_or(entry.end, |next| next.start);
            let own = |line: usize| {
                let bytes = outline.bytes(line..line + 1);
                let from = bytes.start.max(entry.start);
                outline.slice(from..bytes.end.min(stop).max(from))
            };
            let words: Vec<&str> = lines
                .take_while(|line| !is_code(outline, *line))
                .map(|line| without_bullet(own(line)).trim())
                .take_while(|text| !text.is_empty())
                .collect();
            let is_field = words.first().is_some_and(|first| field(first).is_some());
            if !words.is_empty() && !is_field {
                children.push(words.join(" "));
            }
        }
    }
    children
}

/// Whether a line starts in a code block.
fn is_code(outline: &Outline<'_>, line: usize) -> bool {
    let bytes = outline.bytes(line..line + 1);
    let text = outline.lines[line];
    let start = bytes.start + (text.len() - text.trim_start().len());
    let code = outline.code_at(start);
    code.is_some_and(|code| outline.line_of(code.start) < line || code.end >= bytes.end)
}

/// Returns the line without its list marker.
pub(super) fn without_bullet(line: &str) -> &str {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    match rest {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']) => {
            rest.trim_start()
        }
        _ => line,
    }
}

/// Returns the sign in the check box at the beginning, and what follows it.
pub(super) fn check_box(text: &str) -> (Option<char>, &str) {
    let mut letters = text.chars();
    let (open, sign, close) = (letters.next(), letters.next(), letters.next());
    let rest = letters.as_str();
    match (open, sign, close) {
        (Some('['), Some(sign @ (' ' | 'x' | 'X' | '!' | '-')), Some(']'))
            if rest.is_empty() || rest.starts_with(char::is_whitespace) =>
        {
            (Some(sign), rest)
        }
        _ => (None, text),
    }
}

fn check_box_free(text: &str) -> &str {
    check_box(text).1.trim_start()
}

/// `**Key**: value` or `**Key:** value`.
pub(super) fn field(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.trim().strip_prefix("**")?.split_once("**")?;
    let (key, value) = match key.strip_suffix(':') {
        Some(key) => (key, rest),
        None => (key, rest.strip_prefix(':')?),
    };
    (!key.trim().is_empty()).then(|| (key.trim(), value.trim()))
}

/// Returns `#word` and `#key:value` outside code, each once.
fn tags(outline: &Outline<'_>, bytes: Range<usize>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    let text =
        outline.text(outline.line_of(bytes.start)..outline.line_of(bytes.end.max(1) - 1) + 1);
    let base = outline
        .bytes(outline.line_of(bytes.start)..outline.line_of(bytes.start) + 1)
        .start;
    for (at, _) in text.match_indices('#') {
        if outline.code_at(base + at).is_some() {
            continue;
        }
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| !c.is_whitespace() && !"([{,;".contains(c)) {
            continue;
        }
        // Where a link leads is no tag: `[x](#part)`, `[x]: #part`.
        if text[..at].ends_with("](") || text[..at].trim_end_matches([' ', '\t']).ends_with("]:") {
            continue;
        }
        let rest = &text[at + 1..];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ':');
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches([':', '.', '-', '/']);
        if word.starts_with(char::is_alphabetic) && seen.insert(word) {
            tags.push(format!("#{word}"));
        }
    }
    tags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(front: &str) -> BTreeMap<String, String> {
        front_matter(&format!("---\n{front}\n---\n"), "A.md").1
    }

    #[test]
    fn numbers_stay_as_they_are_written_however_far_right_they_stand() {
        let list = vec!["1.0"; 200].join(", ");
        assert_eq!(metadata(&format!("a: [{list}]"))["a"], list);
        assert_eq!(metadata("a: 0x1f # hex")["a"], "0x1f");
    }

    #[test]
    fn a_line_of_very_many_numbers_is_read_in_one_go() {
        let list = vec!["2"; 90_000].join(", ");
        let start = std::time::Instant::now();
        assert_eq!(metadata(&format!("a: [{list}]"))["a"], list);
        assert!(start.elapsed().as_secs() < 10);
    }
}
