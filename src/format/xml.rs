//! Elements. A file's text is written as it is, unless one of the prompt's elements could end or
//! begin in it; then it goes into CDATA.

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::memchr_iter;

use super::excerpt::{excerpt, outline};
use super::own::own_lines;
use super::structure::is_structure;
use super::{excerpt_of, extension, name_only, outline_of, told};
use crate::fence::fence_for;
use crate::section::{Body, Form, Key, Piece, Section};
use crate::syntax::language_of_text;

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

/// What surrounds a file's text hardly ever takes more bytes.
const FRAME: usize = 64;

pub(super) fn block(piece: &Piece, form: &Form) -> String {
    let body = piece.body.text();
    let mut block = String::new();
    let path = piece.path.as_deref().filter(|_| *form != Form::Omitted);
    if let Some(path) = path {
        let language = match &piece.body {
            Body::Diff(_) => "diff",
            _ => language_of_text(path, body),
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
    if let Some(own) = own_lines(piece, form) {
        block.push_str(&own);
        block.push('\n');
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
        (Form::Full, Body::Marker(_)) => block.push_str(&apart(body)),
        (Form::Full, _) => block.push_str(&content(body)),
    }
    if path.is_some() {
        block.push_str("\n</file>");
    }
    block
}

/// Writes the files of a reader. Their texts are written as they are, with six spaces before each
/// line, so that no line of a text can be one of these elements.
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

/// Puts six spaces before every line, including empty ones, so that none is lost; uses CDATA if an
/// element of a reader could end or begin in the text.
fn indented(text: &str) -> String {
    const INDENT: &str = "      ";
    let text = apart_from(&OF_READER, text);
    let mut written = String::with_capacity(text.len() + text.len() / 8);
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            written.push('\n');
        }
        written.push_str(INDENT);
        written.push_str(line);
    }
    written
}

/// Whether XML 1.0 has no way to write this character.
fn is_forbidden(letter: char) -> bool {
    matches!(letter, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns the text without its last line break: in CDATA if one of the prompt's elements could end
/// or begin in it, and in a code block if it could pass for what surrounds it.
fn content(text: &str) -> Cow<'_, str> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let apart = apart(text);
    if is_structure(text) {
        // Without the empty line it would go on with the markup above.
        let fence = fence_for(&apart);
        return format!("\n{fence}\n{apart}\n{fence}").into();
    }
    apart
}

/// Returns words in which no element of a prompt can end or begin.
pub(super) fn apart(words: &str) -> Cow<'_, str> {
    apart_from(&OF_PROMPT, words)
}

/// Returns a text in which none of these elements can end or begin.
fn apart_from<'a>(elements: &[Element], text: &'a str) -> Cow<'a, str> {
    if !has_any(elements, text) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("]]>", "]]]]><![CDATA[>");
    Cow::Owned(format!("<![CDATA[{text}]]>"))
}

/// An element that packer writes.
struct Element {
    name: &'static str,
    begins: Begins,
}

/// What in a text could be taken for the beginning of an element.
enum Begins {
    /// Nothing: the element is indented less than any line of a text.
    Never,
    /// A tag with this attribute. Types have the same name as the element (`Vec<File>`).
    With(&'static str),
    /// A tag of its name, in the case in which packer writes it.
    Alone,
}

/// The elements of a prompt, and those of a reader.
const OF_PROMPT: [Element; 3] = [
    Element {
        name: "file",
        begins: Begins::With("path"),
    },
    Element {
        name: "section",
        begins: Begins::With("name"),
    },
    Element {
        name: "task",
        begins: Begins::Alone,
    },
];
const OF_READER: [Element; 3] = [
    Element {
        name: "file",
        begins: Begins::With("path"),
    },
    Element {
        name: "content",
        begins: Begins::Never,
    },
    Element {
        name: "context",
        begins: Begins::Never,
    },
];

/// More blanks before a name count as what stands before one of the prompt's.
const MAX_BLANKS: usize = 16;

/// How far after its name a tag is searched for an attribute.
const MAX_TAG: usize = 256;

/// Whether one of these elements ends or begins in a text, or something that would hide that:
/// CDATA.
fn has_any(elements: &[Element], text: &str) -> bool {
    const CDATA: &str = "![CDATA[";
    let bytes = text.as_bytes();
    memchr_iter(b'<', bytes).any(|at| {
        let rest = &bytes[at + 1..];
        // A text may be nothing but signs, and is written many times.
        match rest.first() {
            Some(b'!') => begins(rest, CDATA),
            Some(first) => {
                let first = first.to_ascii_lowercase();
                let mut ours = elements.iter();
                (is_passed_over(first) || ours.any(|it| it.name.as_bytes()[0] == first))
                    && is_ours(elements, rest)
            }
            None => false,
        }
    })
}

/// Whether a lenient parser skips this before a name.
fn is_passed_over(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'/'
}

/// Whether the tag after a `<` ends one of these elements, or begins one.
fn is_ours(elements: &[Element], tag: &[u8]) -> bool {
    let before = tag.iter().take(MAX_BLANKS + 1);
    let before = before.take_while(|byte| is_passed_over(**byte)).count();
    if before > MAX_BLANKS {
        return true;
    }
    let is_end = tag[..before].contains(&b'/');
    let tag = &tag[before..];
    elements.iter().any(|element| {
        if !begins(tag, element.name) {
            return false;
        }
        let behind = &tag[element.name.len()..];
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"_-.:".contains(b) || !b.is_ascii();
        if behind.first().is_some_and(is_part) {
            return false;
        }
        is_end
            || match element.begins {
                Begins::Never => false,
                Begins::Alone => {
                    let ends = behind
                        .first()
                        .is_none_or(|b| is_passed_over(*b) || *b == b'>');
                    ends && tag.starts_with(element.name.as_bytes())
                }
                Begins::With(attribute) => has_attribute(behind, attribute),
            }
    })
}

/// Whether a tag has an attribute, or is too long to tell.
fn has_attribute(tag: &[u8], attribute: &str) -> bool {
    let tag = &tag[..tag.len().min(MAX_TAG + 1)];
    let end = tag.iter().position(|byte| *byte == b'>');
    let end = end.unwrap_or(tag.len());
    let is_at = |at: usize| {
        let behind = &tag[at..end];
        let value = behind.get(attribute.len()..).unwrap_or_default();
        begins(behind, attribute) && value.trim_ascii_start().first() == Some(&b'=')
    };
    end > MAX_TAG || (0..end).any(is_at)
}

fn begins(bytes: &[u8], with: &str) -> bool {
    let there = bytes.get(..with.len());
    there.is_some_and(|there| there.eq_ignore_ascii_case(with.as_bytes()))
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
    fn content_in_which_our_elements_end_or_begin_goes_into_cdata() {
        assert_eq!(content("let a = b < c;\n"), "let a = b < c;");
        for markup in [
            "</FILE>",
            "</file",
            "<task >",
            "<task id=\"1\">",
            "<file id=\"1\" path=\"a\">",
            "<section status='' NAME=''>",
            "< / task\n>",
            "<task\n>",
            "< Section\nname = ''>",
            "<file path=\"a\">",
            "<![CDATA[a",
        ] {
            assert_eq!(content(markup), format!("<![CDATA[{markup}]]>"));
        }
        for text in [
            "Vec<File>",
            "Map<Task, File>",
            "Vec<Task>",
            "</files>",
            "</file-list>",
            "<section>",
            "<section class=\"names\">",
            "<filepath=\"a\">",
            "a[b[0]]>c",
        ] {
            assert_eq!(content(text), text);
        }
        assert_eq!(
            content("a]]></file>"),
            "<![CDATA[a]]]]><![CDATA[></file>]]>"
        );
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

    #[test]
    fn a_text_stands_as_it_is_unless_an_element_could_end_or_begin_in_it() {
        for text in [
            "a && b < c",
            "createContext<Context>() as Promise<Content>",
            "a]]>b",
            "Vec<String>",
            "<p>a</p>\u{c}",
            "a &amp; b\r",
            "",
        ] {
            assert_eq!(indented(text), format!("      {text}"));
        }
        for markup in [
            "</content>",
            "</FILE >",
            "< / context>",
            "<file path=\"a\">",
        ] {
            assert_eq!(indented(markup), format!("      <![CDATA[{markup}]]>"));
        }
        assert_eq!(
            indented("a]]>\n</file>"),
            "      <![CDATA[a]]]]><![CDATA[>\n      </file>]]>"
        );
    }

    /// Reads what a reader wrote, by its lines: none of a text is indented less.
    fn read(written: &str) -> Vec<(String, String)> {
        let files = written.split("\n  <file path=\"").skip(1);
        let file = |file: &str| {
            let (head, rest) = file.split_once("\">\n    <content>\n").unwrap();
            let (path, _) = head.split_once("\" language=\"").unwrap();
            let (content, _) = rest.split_once("\n    </content>\n  </file>").unwrap();
            let lines = content
                .split('\n')
                .map(|line| line.strip_prefix("      ").unwrap());
            let text = lines.collect::<Vec<_>>().join("\n");
            let inner = text
                .strip_prefix("<![CDATA[")
                .and_then(|text| text.strip_suffix("]]>"));
            let inner = inner.map(|inner| inner.replace("]]]]><![CDATA[>", "]]>"));
            (path.to_owned(), inner.unwrap_or(text))
        };
        files.map(file).collect()
    }

    proptest! {
        #[test]
        fn whatever_files_hold_they_are_told_apart(
            given in prop::collection::vec(("[a-z]{1,8}", "(\\PC|[\\n\\r\\t\u{feff}<>&\"']| && |]]>|\\n    </content>\\n  </file>\\n|  <file path=\"x|<!\\[CDATA\\[|<!--|&#13;){0,30}"), 0..4)
        ) {
            let pieces: Vec<Piece> = given.iter().map(|(path, text)| Piece::file(path, Body::Source(text.clone()))).collect();
            prop_assert_eq!(read(&written(&pieces)), given);
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
