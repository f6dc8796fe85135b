//! Elements. A file's text is written as it is, unless it could be taken for one of our
//! elements; then it goes into CDATA.

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::memchr2_iter;

use super::{excerpt, excerpt_of, extension, name_only, outline, outline_of, told};
use crate::section::{Body, Form, Key, Piece, Section};
use crate::syntax::language;

pub(super) fn head(section: &Section) -> String {
    match section.key {
        Key::SystemPrompt => String::new(),
        Key::Task => "<task>".into(),
        _ => format!(
            "<section name=\"{}\" title=\"{}\">",
            attribute(section.key.name()),
            attribute(&section.heading())
        ),
    }
}

pub(super) fn foot(section: &Section) -> &'static str {
    match section.key {
        Key::SystemPrompt => "",
        Key::Task => "</task>",
        _ => "</section>",
    }
}

/// What stands around a file's text hardly ever takes more bytes.
const FRAME: usize = 64;

pub(super) fn block(piece: &Piece, form: &Form) -> String {
    let body = piece.body.text();
    let mut block = String::new();
    let path = piece.path.as_deref().filter(|_| *form != Form::Omitted);
    if let Some(path) = path {
        let language = match &piece.body {
            Body::Diff(_) => "diff",
            _ => language(path),
        };
        if *form == Form::Full {
            block.reserve(body.len() + 2 * path.len() + FRAME);
        }
        block.push_str("<file path=\"");
        block.push_str(&attribute(path));
        block.push_str("\" language=\"");
        block.push_str(language);
        block.push_str("\">\n");
    }
    match (form, &piece.body) {
        (Form::Omitted, _) => {}
        (Form::Described | Form::Name, _) => {
            block.push_str(&name_only(piece));
            if let Some(text) = told(piece, form) {
                block.push_str(": ");
                block.push_str(&content(&text));
            }
        }
        (Form::Excerpt { kept, outline }, _) => {
            block.push_str(&excerpt_of(piece, kept, outline));
            block.push('\n');
            block.push_str(&content(&excerpt(piece, kept, outline)));
        }
        (Form::Outline(lines), _) => {
            block.push_str(&outline_of(piece, lines));
            block.push('\n');
            block.push_str(&content(&outline(body, lines)));
        }
        (Form::Full, Body::Prose(_)) => block.push_str(&content(body.trim_end())),
        (Form::Full, Body::Marker(_)) => block.push_str(body),
        (Form::Full, _) => block.push_str(&content(body)),
    }
    if path.is_some() {
        block.push_str("\n</file>");
    }
    block
}

/// Writes the files of a reader. The result is well-formed, and a parser that takes
/// six spaces from each line gives the same texts back.
pub(super) fn files(pieces: &[Piece]) -> impl Iterator<Item = String> {
    let file = |piece: &Piece| {
        let path = piece.path.as_deref().unwrap_or_default();
        let (path, language) = (attribute(path), attribute(extension(path)));
        let content = indented(piece.body.text());
        format!(
            "  <file path=\"{path}\" language=\"{language}\">\n    <content>\n{content}\n    </content>\n  </file>\n"
        )
    };
    let files = pieces.iter().map(file);
    std::iter::once("<context>\n".to_owned())
        .chain(files)
        .chain(["</context>".to_owned()])
}

/// Every line behind six spaces, the empty ones too, so that none is lost.
///
/// What XML would take for markup goes into CDATA. A carriage return is written as a
/// reference, since a parser makes a line break of it.
fn indented(text: &str) -> String {
    const INDENT: &str = "      ";
    let is_markup = text.contains(['<', '&']) || text.contains("]]>");
    let (open, close, carriage_return) = if is_markup {
        ("<![CDATA[", "]]>", "]]>&#13;<![CDATA[")
    } else {
        ("", "", "&#13;")
    };
    let text: String = text
        .chars()
        .map(|c| {
            if is_forbidden(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect();
    let text = text
        .replace("]]>", "]]]]><![CDATA[>")
        .replace('\r', carriage_return)
        .replace('\n', &format!("\n{INDENT}"));
    format!("{INDENT}{open}{text}{close}")
}

/// Whether XML 1.0 has no way to write this character.
pub(super) fn is_forbidden(letter: char) -> bool {
    matches!(letter, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// The text without its last line break, in CDATA if it names our elements.
fn content(text: &str) -> Cow<'_, str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    if speaks_of_elements(text) {
        return Cow::Owned(format!(
            "<![CDATA[{}]]>",
            text.replace("]]>", "]]]]><![CDATA[>")
        ));
    }
    Cow::Borrowed(text)
}

/// Whether something in a text could be taken for markup of ours.
fn speaks_of_elements(text: &str) -> bool {
    const TAGS: [&str; 6] = ["file", "/file", "section", "/section", "task>", "/task"];
    const CDATA: &str = "![cdata[";
    let bytes = text.as_bytes();
    let begins = |at: usize, tag: &str| {
        let there = bytes.get(at..at + tag.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(tag.as_bytes()))
    };
    let is_ours = |at: usize| TAGS.iter().any(|tag| begins(at + 1, tag)) || begins(at + 1, CDATA);
    memchr2_iter(b'<', b']', bytes).any(|at| match bytes[at] {
        b'<' => is_ours(at),
        _ => begins(at, "]]>"),
    })
}

/// Escapes an attribute's value, control characters included.
fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in crate::show::visible(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if is_forbidden(letter) => escaped.push(char::REPLACEMENT_CHARACTER),
            letter if letter.is_control() => {
                let _ = write!(escaped, "&#{};", u32::from(letter));
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(pieces: &[Piece]) -> String {
        files(pieces).collect()
    }

    #[test]
    fn content_that_speaks_of_our_elements_goes_into_cdata() {
        assert_eq!(content("let a = b < c;\n"), "let a = b < c;");
        assert_eq!(content("</FILE>"), "<![CDATA[</FILE>]]>");
        assert_eq!(content("a]]>b"), "<![CDATA[a]]]]><![CDATA[>b]]>");
    }

    #[test]
    fn files_of_a_reader_are_indented() {
        assert_eq!(written(&[]), "<context>\n</context>");
        let piece = Piece::file("src/a.rs", Body::Source("fn a() {}\n\nlet b;".into()));
        assert_eq!(
            written(&[piece]),
            "<context>\n  <file path=\"src/a.rs\" language=\"rs\">\n    <content>\n      \
             fn a() {}\n      \n      let b;\n    </content>\n  </file>\n</context>"
        );
    }

    proptest! {
        #[test]
        fn a_parser_gives_the_same_files_back(
            given in prop::collection::vec(("\\PC{1,12}", "(\\PC|[\\n\\r\\t<>&\"']|]]>|</content>|</file>|<!\\[CDATA\\[|<!--|&#13;){0,30}"), 0..4)
        ) {
            let pieces: Vec<Piece> = given.iter().map(|(path, text)| Piece::file(path, Body::Source(text.clone()))).collect();
            let written = written(&pieces);
            let document = roxmltree::Document::parse(&written).map_err(|e| TestCaseError::fail(format!("{e}: {written}")))?;
            let read = document.root_element().children().filter(|n| n.has_tag_name("file"));
            let read: Vec<(String, String)> = read.map(|file| {
                let content = file.children().find(|n| n.has_tag_name("content")).unwrap();
                let text: String = content.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect();
                let text = text.strip_prefix('\n').unwrap().strip_suffix("\n    ").unwrap();
                let lines: Vec<&str> = text.split('\n').map(|line| line.strip_prefix("      ").unwrap()).collect();
                (file.attribute("path").unwrap().to_owned(), lines.join("\n"))
            }).collect();
            let given: Vec<(String, String)> = given.into_iter().map(|(path, text)| {
                let possible = |text: String| text.chars().map(|c| if is_forbidden(c) { '\u{fffd}' } else { c }).collect::<String>();
                (possible(crate::show::visible(&path).into_owned()), possible(text))
            }).collect();
            prop_assert_eq!(read, given);
        }
    }

    #[test]
    fn a_path_cannot_leave_its_attribute() {
        let piece = Piece::file("a\"><x&\n", Body::Source("x".into()));
        assert_eq!(
            block(&piece, &Form::Full),
            "<file path=\"a&quot;&gt;&lt;x&amp;\\n\" language=\"\">\nx\n</file>"
        );
    }
}
