//! Writes sections as text.
//!
//! A section is a head, a block for each piece that is not omitted, a remark on those that are, and
//! a foot, with a gap between them. The budget prices these parts one by one, so the whole must
//! never be longer than their sum.

mod assign;
mod excerpt;
mod json;
mod markdown;
mod own;
mod structure;
mod xml;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::fence;
use crate::ranges::count;
use crate::section::{Body, Form, Piece, Section, Status};
use crate::settings::{FilesStyle, Style};
use crate::show::{counted, grouped, visible};
use crate::syntax::{language, purpose};

pub use self::excerpt::{gap_line, outlined_line, whole_again_line};

/// Returns what separates two blocks and two sections: Markdown needs a blank line, elements do
/// not.
pub fn gap(style: Style) -> &'static str {
    match style {
        Style::Markdown => "\n\n",
        Style::Xml => "\n",
    }
}

/// The line between what an earlier turn showed and what the next one adds to it.
const NEXT_TURN: &str = "[The sections above were gathered for an earlier task of this run. What follows is for \
     the next; what it leaves out may stand above.]";

/// Returns the line that says which files have changed since they were shown above.
fn no_longer_so(changed: &BTreeSet<String>, style: Style) -> String {
    let names = changed.iter();
    let names = names.map(|path| among_words(&fence::in_ticks(&visible(path)), style));
    let names = names.collect::<Vec<_>>().join(", ");
    format!("[Changed since they were shown above: {names}. Go by what follows, or open them.]")
}

/// Writes the sections that are not empty, one below the other.
pub fn sections<'a>(sections: impl IntoIterator<Item = &'a Section>, style: Style) -> String {
    sections_with_places(sections, style).0
}

/// Writes the sections that are not empty, and returns the key of each and where it is in the text,
/// in bytes.
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
                text.push_str(&no_longer_so(&changed, style));
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

/// Writes a section in consecutive parts, of which only one is held in memory at a time.
pub fn each_part(section: &Section, style: Style, mut take: impl FnMut(&str)) {
    let remark = remark(section, style);
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

/// Writes files that are not a section, in consecutive parts: escaping may make a text many times
/// as long, and all files together too long for memory.
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

/// Returns what is above the pieces.
pub fn head(section: &Section, style: Style) -> String {
    match style {
        Style::Markdown => markdown::head(section),
        Style::Xml => xml::head(section),
    }
}

/// Returns what is below the pieces.
pub fn foot(section: &Section, style: Style) -> &'static str {
    match style {
        Style::Markdown => "",
        Style::Xml => xml::foot(section),
    }
}

/// Writes a piece in its form.
pub fn block(piece: &Piece, style: Style) -> String {
    block_in(piece, &piece.form, style)
}

/// Writes a piece in another form than its own.
pub fn block_in(piece: &Piece, form: &Form, style: Style) -> String {
    if let (Body::Before(text), true) = (&piece.body, *form != Form::Omitted) {
        return text.clone();
    }
    match style {
        Style::Markdown => markdown::block(piece, form),
        Style::Xml => xml::block(piece, form),
    }
}

/// Returns the line that says what is omitted: of a dropped section that should be mentioned, or of
/// a shrunk one.
pub fn remark(section: &Section, style: Style) -> Option<String> {
    let omitted = section.pieces.iter().filter(|p| p.form == Form::Omitted);
    let count = omitted.count();
    if section.status() != Status::Dropped {
        return (count > 0).then(|| more_left_out(count));
    }
    if section.mentioned {
        mention(section, style)
    } else {
        None
    }
}

/// The most names of files with which a dropped section is mentioned; more are only counted.
const MAX_NAMED: usize = 4;

/// Returns the line that mentions a section which is left out.
pub fn mention(section: &Section, style: Style) -> Option<String> {
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
        let names = files.iter().map(|path| mentioned(path, style));
        names.collect::<Vec<_>>().join(", ")
    } else if !files.is_empty() {
        counted(files.len(), "file")
    } else {
        let lines = section.pieces.iter().map(|p| p.body.lines()).sum();
        counted(lines, "line")
    };
    Some(format!("[{heading} left out: {size}]"))
}

/// Returns a file's name for a remark, so that it cannot end or continue the remark.
fn mentioned(path: &str, style: Style) -> String {
    among_words(&fence::mentioned(&visible(path)), style)
}

/// Returns a name for use among packer's own words, so that between elements none of them ends or
/// begins in it.
fn among_words(name: &str, style: Style) -> String {
    match style {
        Style::Markdown => name.to_owned(),
        Style::Xml => xml::apart(name).into_owned(),
    }
}

/// Returns the closing line of a section, given how many of its pieces are omitted.
pub fn more_left_out(count: usize) -> String {
    format!("[{} left out]", counted(count, "more file"))
}

/// Returns a file's extension as it is, without the dot.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// Returns what stands in place of a file: its size.
fn name_only(piece: &Piece) -> String {
    let lines = counted(piece.body.lines(), "line");
    let news = if piece.is_in_diff { ", all new" } else { "" };
    format!("[name only: {lines}{news}]")
}

/// Returns what a piece that is only named says about itself, in this form.
fn told(piece: &Piece, form: &Form) -> Option<String> {
    let path = piece.path.as_deref().filter(|_| *form == Form::Described)?;
    purpose(language(path), piece.body.text()).map(|purpose| purpose.text)
}

/// Returns the remark above an excerpt.
fn excerpt_of(piece: &Piece, kept: &[Range<usize>], outline: &[Range<usize>]) -> String {
    let total = counted(piece.body.lines(), "line");
    if outline.is_empty() && piece.lacks_only_its_licence(kept) {
        return format!("[all but its licence: {} of {total}]", grouped(count(kept)));
    }
    let rest = match count(outline) {
        0 => String::new(),
        lines => format!(", {} more in outline", grouped(lines)),
    };
    format!("[excerpt: {} of {total}{rest}]", grouped(count(kept)))
}

/// The remark above an outline.
fn outline_of(piece: &Piece, lines: &[Range<usize>]) -> String {
    let total = counted(piece.body.lines(), "line");
    format!("[outline: {} of {total}]", grouped(count(lines)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::{Body, Key};

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
    fn a_name_in_a_remark_is_nothing_else() {
        let mention = |path: &str, style| {
            let section = Section::new(
                Key::Files,
                vec![Piece {
                    form: Form::Omitted,
                    ..Piece::file(path, Body::Source("a\n".into()))
                }],
            );
            mention(&section, style).unwrap_or_default()
        };
        for (path, in_markdown, in_xml) in [
            ("[id]/a b.rs", "[id]/a b.rs", "[id]/a b.rs"),
            ("a</section>", "a</section>", "<![CDATA[a</section>]]>"),
            ("<task>", "<task>", "<![CDATA[<task>]]>"),
            ("a]]>", "`a]]>`", "`a]]>`"),
            ("a]. Go [b", "`a]. Go [b`", "`a]. Go [b`"),
            (
                "a] Go <task>",
                "`a] Go <task>`",
                "<![CDATA[`a] Go <task>`]]>",
            ),
            ("a, b", "`a, b`", "`a, b`"),
            ("x](Go)", "`x](Go)`", "`x](Go)`"),
            ("x]! Go", "`x]! Go`", "`x]! Go`"),
            ("[id]", "`[id]`", "`[id]`"),
            ("[a][b]-c.ts", "[a][b]-c.ts", "[a][b]-c.ts"),
            ("<h1>Task</h1>", "`<h1>Task</h1>`", "`<h1>Task</h1>`"),
        ] {
            let expected = |name| format!("[Repository Context left out: {name}]");
            assert_eq!(mention(path, Style::Markdown), expected(in_markdown));
            assert_eq!(mention(path, Style::Xml), expected(in_xml));
        }
        let changed = BTreeSet::from(["a`</file>".to_owned()]);
        let line = no_longer_so(&changed, Style::Xml);
        assert!(
            line.starts_with("[Changed since they were shown above: <![CDATA[`` a`</file> ``]]>. "),
            "{line}"
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
