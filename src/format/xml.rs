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

/// Lines with `&` and `<` are escaped as long as so few of them have one, or at most one of
/// so many: a text with more of them is easier to read in CDATA.
const FEW_ESCAPED: usize = 8;
const SHARE_ESCAPED: usize = 10;

/// Every line behind six spaces, the empty ones too, so that none is lost.
///
/// `&` and `<` are escaped where they are few and look like no markup; else the text goes
/// into CDATA. What a parser would change is written as a reference: a carriage return, of
/// which it makes a line break, and a byte order mark, which nobody sees.
fn indented(text: &str) -> String {
    const INDENT: &str = "      ";
    let is_section = is_hard_escaped(text);
    let (open, close) = if is_section {
        ("<![CDATA[", "]]>")
    } else {
        ("", "")
    };
    let mut written = String::with_capacity(text.len() + text.len() / 8);
    written.push_str(INDENT);
    written.push_str(open);
    for (at, letter) in text.char_indices() {
        let reference = match letter {
            '\r' => "&#13;",
            '\u{feff}' => "&#xFEFF;",
            '&' if !is_section => "&amp;",
            '<' if !is_section => "&lt;",
            '>' if !is_section && text[..at].ends_with("]]") => "&gt;",
            _ => "",
        };
        if is_section && !reference.is_empty() {
            let _ = write!(written, "{close}{reference}{open}");
        } else if !reference.is_empty() {
            written.push_str(reference);
        } else if letter == '>' && text[..at].ends_with("]]") {
            let _ = write!(written, "{close}{open}>");
        } else if is_forbidden(letter) {
            written.push(char::REPLACEMENT_CHARACTER);
        } else {
            written.push(letter);
        }
        if letter == '\n' {
            written.push_str(INDENT);
        }
    }
    written.push_str(close);
    written
}

/// Whether a text with its `&` and `<` escaped is hard to read: they look like markup, or
/// there are many.
fn is_hard_escaped(text: &str) -> bool {
    let bytes = text.as_bytes();
    let begins_markup = |at: usize| {
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        match bytes[at] {
            b'<' => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'),
            _ => is_reference(&bytes[at + 1..]),
        }
    };
    if memchr2_iter(b'<', b'&', bytes).any(begins_markup) {
        return true;
    }
    let lines = text.lines();
    let escaped = lines
        .clone()
        .filter(|line| line.contains(['<', '&']))
        .count();
    escaped > FEW_ESCAPED && escaped * SHARE_ESCAPED > lines.count()
}

/// Whether a `&` before these bytes begins a reference such as `&amp;` or `&#13;`.
fn is_reference(bytes: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let length = bytes.iter().take_while(|byte| is_part(byte)).count();
    length > 0 && bytes.get(length) == Some(&b';')
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

/// How many blanks before the name of an element are passed over.
const MAX_BEFORE: usize = 16;

/// Whether something in a text could be taken for markup of ours.
fn speaks_of_elements(text: &str) -> bool {
    const NAMES: [&str; 3] = ["file", "section", "task"];
    const CDATA: &str = "![cdata[";
    let bytes = text.as_bytes();
    let begins = |at: usize, tag: &str| {
        let there = bytes.get(at..at + tag.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(tag.as_bytes()))
    };
    // Who reads leniently passes over blanks before a name, and over what stands behind it.
    let is_ours = |at: usize| {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        let before = rest.iter().take(MAX_BEFORE);
        let gap = before.take_while(|b| b.is_ascii_whitespace() || **b == b'/');
        let name = at + 1 + gap.count();
        NAMES.iter().any(|ours| begins(name, ours)) || begins(at + 1, CDATA)
    };
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
        for markup in [
            "</FILE>",
            "<task id=\"1\">",
            "< / task\n>",
            "<task\n>",
            "< section>",
        ] {
            assert_eq!(content(markup), format!("<![CDATA[{markup}]]>"));
        }
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

    fn content_of(text: &str) -> String {
        indented(text).trim_start().to_owned()
    }

    #[test]
    fn what_is_no_markup_is_escaped_and_markup_is_not() {
        assert_eq!(content_of("a && b < c"), "a &amp;&amp; b &lt; c");
        assert_eq!(content_of("x[y[0]]>1 & 2"), "x[y[0]]&gt;1 &amp; 2");
        for markup in ["<p>a</p>", "Vec<String>", "</file>", "a &amp; b", "&#13;"] {
            assert_eq!(content_of(markup), format!("<![CDATA[{markup}]]>"));
        }
        let many = |lines: usize| format!("{}a & b", "a & b\n".repeat(lines - 1));
        assert!(!indented(&many(8)).contains("CDATA"));
        assert!(indented(&many(9)).contains("CDATA"));
        // One line of ten is few, however long the text is.
        let long = "a & b\n\n\n\n\n\n\n\n\n\n".repeat(100);
        assert!(!indented(&long).contains("CDATA"));
    }

    #[test]
    fn what_a_parser_would_change_is_a_reference() {
        assert_eq!(
            content_of("\u{feff}a & b\r\n"),
            "&#xFEFF;a &amp; b&#13;\n      "
        );
        assert_eq!(content_of("<p>\r"), "<![CDATA[<p>]]>&#13;<![CDATA[]]>");
    }

    proptest! {
        #[test]
        fn a_parser_gives_the_same_files_back(
            given in prop::collection::vec(("\\PC{1,12}", "(\\PC|[\\n\\r\\t\u{feff}<>&\"']| && |]]>|</content>|</file>|<!\\[CDATA\\[|<!--|&#13;){0,30}"), 0..4)
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
