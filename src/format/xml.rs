//! Elements. What a file says is written as it is, unless it could be taken for
//! one of our elements; then it goes into CDATA.

use std::fmt::Write as _;

use super::{excerpt, excerpt_of, name_only};
use crate::section::{Body, Form, Key, Piece, Section};
use crate::syntax::language;

pub(super) fn head(section: &Section) -> String {
    match section.key {
        Key::SystemPrompt => String::new(),
        Key::Task => "<task>".into(),
        _ => format!(
            "<section name=\"{}\" title=\"{}\">",
            attribute(section.key.name()),
            attribute(&section.key.heading())
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

pub(super) fn block(piece: &Piece) -> String {
    let text = match (&piece.form, &piece.body) {
        (Form::Omitted, _) => return String::new(),
        (Form::Name, _) => name_only(piece),
        (Form::Excerpt(kept), body) => {
            let text = content(&excerpt(body.text(), kept));
            format!("{}\n{text}", excerpt_of(piece, kept))
        }
        (_, Body::Prose(text)) => content(text.trim_end()),
        (_, Body::Marker(text)) => text.clone(),
        (_, body) => content(body.text()),
    };
    let Some(path) = &piece.path else { return text };
    let language = match &piece.body {
        Body::Diff(_) => "diff",
        _ => language(path),
    };
    format!(
        "<file path=\"{}\" language=\"{language}\">\n{text}\n</file>",
        attribute(path)
    )
}

/// The text without its last line break, in CDATA if it speaks of our elements.
fn content(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let forges = [
        "<file",
        "</file",
        "<section",
        "</section",
        "<task>",
        "</task",
        "<![cdata[",
        "]]>",
    ]
    .iter()
    .any(|tag| lower.contains(tag));
    if !forges {
        return text.to_owned();
    }
    format!("<![CDATA[{}]]>", text.replace("]]>", "]]]]><![CDATA[>"))
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
    use super::*;

    #[test]
    fn content_that_speaks_of_our_elements_goes_into_cdata() {
        assert_eq!(content("let a = b < c;\n"), "let a = b < c;");
        assert_eq!(content("</FILE>"), "<![CDATA[</FILE>]]>");
        assert_eq!(content("a]]>b"), "<![CDATA[a]]]]><![CDATA[>b]]>");
    }

    #[test]
    fn a_path_cannot_leave_its_attribute() {
        let piece = Piece::file("a\"><x&\n", Body::Source("x".into()));
        assert_eq!(
            block(&piece),
            "<file path=\"a&quot;&gt;&lt;x&amp;\\n\" language=\"\">\nx\n</file>"
        );
    }
}
