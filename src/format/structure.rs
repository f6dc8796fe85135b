//! Finds what a Markdown parser would take for the prompt's own words in a text between two of its
//! elements: the templates' headings are Markdown in either style.

use memchr::{memchr, memchr_iter, memmem};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The headings of the templates that come with the program.
const HEADINGS: [&str; 7] = [
    "Context",
    "Your role",
    "Task",
    "How to plan",
    "How to work",
    "How to review",
    "Your answer",
];

/// A heading with more characters, including its elements, is not one of the prompt's.
const MAX_TITLE: usize = 512;

/// Whether there would be a heading of the prompt's in a text, or none after it, because a block
/// stays open.
pub(super) fn is_structure(text: &str) -> bool {
    has_html_heading(text) || may_parse_so(text) && parses_so(text)
}

/// Whether a Markdown parser finds that: one that takes the elements around a text for HTML, which
/// continues to an empty line, or one that does not.
fn parses_so(text: &str) -> bool {
    ["", "\n"].iter().any(|gap| parses_so_behind(gap, text))
}

fn parses_so_behind(gap: &str, text: &str) -> bool {
    // A text with such a beginning is written in CDATA, which ends with it.
    let end = if text.contains("<![") { "]]>" } else { "" };
    let written = format!("<file>\n{gap}{text}{end}\n</file>\n\n# x\n");
    let (mut title, mut last) = (None, String::new());
    for event in Parser::new_ext(&written, Options::ENABLE_HEADING_ATTRIBUTES) {
        match event {
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                last = title.take().unwrap_or_default();
                if is_heading_of_ours(&last) {
                    return true;
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    last != "x"
}

/// Whether an HTML heading is named like one of the prompt's: `<h1>Task</h1>`.
fn has_html_heading(text: &str) -> bool {
    memchr_iter(b'<', text.as_bytes()).any(|at| {
        let is_heading = matches!(text.as_bytes()[at + 1..], [b'h' | b'H', b'1'..=b'6', ..]);
        is_heading && is_heading_of_ours(&title_of(&text[at + 3..]))
    })
}

/// Returns what an HTML heading says, given what follows its name, without the elements in it.
fn title_of(behind: &str) -> String {
    let mut in_tag = true;
    let mut title = String::new();
    for (at, letter) in behind.char_indices().take(MAX_TITLE) {
        match letter {
            '<' if behind[at..].starts_with("</h") || behind[at..].starts_with("</H") => break,
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ if in_tag => {}
            _ => title.push(letter),
        }
    }
    title
}

/// Whether lines of a text could make it [structure](parses_so), judged without parsing it: few
/// texts have such lines.
fn may_parse_so(text: &str) -> bool {
    // Alone it ends a line to some readers and none to others.
    let mut returns = memchr_iter(b'\r', text.as_bytes());
    if returns.any(|at| text.as_bytes().get(at + 1) != Some(&b'\n')) {
        return true;
    }
    let mut fences = Fences::default();
    // Until here an end of any HTML block is known, by how it ends.
    let mut ended = [0; HTML.len()];
    let mut before = "";
    let mut next = 0;
    while next < text.len() {
        let start = next;
        let line = line_at(text, &mut next);
        let marks = line.bytes().take_while(|byte| is_mark(*byte)).count();
        // A mark may be the beginning of a character.
        let behind = line.as_bytes().get(marks..).unwrap_or_default();
        let suspicious = match behind.first() {
            Some(b'#') => may_be_heading_of_ours(&line[marks..]),
            Some(b'=') => is_underline(behind) && may_end_heading_of_ours(before),
            Some(b'`' | b'~') => fences.see(line, marks),
            Some(b'<') => {
                fences.see_html() || stays_open(text.as_bytes(), start + marks, &mut ended)
            }
            // Signs alone are a line under a heading.
            None if line.trim_end().ends_with('-') => may_end_heading_of_ours(before),
            None if line.trim_ascii().is_empty() => {
                fences.see_empty();
                false
            }
            _ => false,
        };
        if suspicious {
            return true;
        }
        before = line;
    }
    fences.are_open()
}

/// Whether a byte can stand before the first letter of a block, as a list or quote marker or as a
/// blank.
fn is_mark(byte: u8) -> bool {
    !byte.is_ascii() || byte.is_ascii_digit() || b" \t\x0b\x0c>-+*.)".contains(&byte)
}

/// Returns the line that begins at a place, without its line break, and moves the place past it.
fn line_at<'a>(text: &'a str, place: &mut usize) -> &'a str {
    let rest = &text[*place..];
    let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
    *place += end + 1;
    let line = &rest[..end];
    line.strip_suffix('\r').unwrap_or(line)
}

/// Whether there are only `=`, followed by blanks.
fn is_underline(text: &[u8]) -> bool {
    let blanks = text.iter().skip_while(|b| **b == b'=');
    blanks.into_iter().all(|b| b" \t\x0b\x0c".contains(b))
}

/// The fences of a text in which they all begin their lines, as long as that shows which of them
/// begin a block and which end one.
#[derive(Default)]
struct Fences {
    /// The fence of the block that is open.
    open: Option<(u8, usize)>,
    /// Up to an empty line, everything belongs to the element before the text.
    behind_empty: bool,
    /// Whether there was any.
    seen: bool,
    /// Whether some could be in an HTML block.
    are_unsure: bool,
}

impl Fences {
    /// Takes a line that begins with a fence, after markers. Returns whether the text must be
    /// parsed.
    fn see(&mut self, line: &str, marks: usize) -> bool {
        let fence = &line.as_bytes()[marks..];
        let sign = fence[0];
        let length = fence.iter().take_while(|b| **b == sign).count();
        let info = &fence[length..];
        if length < 3 {
            return false;
        }
        // Of a tab behind a fence that ends a block not all readers think the same.
        if marks > 0 || !self.behind_empty || self.are_unsure || info.contains(&b'\t') {
            return true;
        }
        self.seen = true;
        match self.open {
            Some((open, least)) => {
                if open == sign && length >= least && info.iter().all(|b| *b == b' ') {
                    self.open = None;
                }
            }
            None if sign == b'`' && info.contains(&b'`') => {}
            None => self.open = Some((sign, length)),
        }
        false
    }

    /// Takes a line that may begin an HTML block, in which a fence is not one.
    fn see_html(&mut self) -> bool {
        self.are_unsure = true;
        self.seen
    }

    /// Takes an empty line, which ends what began before the text.
    fn see_empty(&mut self) {
        self.behind_empty = true;
    }

    fn are_open(&self) -> bool {
        self.open.is_some()
    }
}

/// What begins HTML blocks that continue after an empty line, in lower case, and what ends them.
const HTML: [(&str, &str); 7] = [
    ("!--", "-->"),
    ("?", "?>"),
    ("![cdata[", "]]>"),
    ("script", "</script>"),
    ("pre", "</pre>"),
    ("style", "</style>"),
    ("textarea", "</textarea>"),
];

/// Whether an HTML block that may begin at a place has no end in the text.
fn stays_open(text: &[u8], place: usize, ended: &mut [usize; HTML.len()]) -> bool {
    let tag = &text[place + 1..];
    HTML.iter().zip(ended).any(|((begin, end), ended)| {
        let found = tag.get(..begin.len());
        let begins = found.is_some_and(|found| found.eq_ignore_ascii_case(begin.as_bytes()));
        if !begins || place < *ended {
            return false;
        }
        let inside = place + 1 + begin.len();
        let end = memmem::find(&text[inside..], end.as_bytes());
        *ended = end.map_or(*ended, |end| inside + end);
        end.is_none()
    })
}

/// Whether a line that begins with `#` could be a heading of the prompt's.
fn may_be_heading_of_ours(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let is_heading = title.starts_with(|c: char| c.is_whitespace());
    if !is_heading || !has_other_names(title) {
        return is_heading && is_heading_of_ours(title);
    }
    // What a link is called by a definition elsewhere is not known by the line.
    title.contains("][") || parses_so(&format!("\n{line}"))
}

/// Whether a heading of the prompt's could end with a line, the last one before its underline.
fn may_end_heading_of_ours(line: &str) -> bool {
    // Digits are those of a list, or no heading of ours has them.
    let title = || letters(line).rev().filter(|letter| !letter.is_numeric());
    let Some(last) = title().next() else {
        return !line.trim_ascii().is_empty() && !line.contains(char::is_numeric);
    };
    let mut ours = HEADINGS.iter().filter(|own| own.ends_with(last));
    has_other_names(line) || ours.any(|own| starts(letters(own).rev(), title()))
}

/// Whether a line has characters by name or by reference, which may stand for anything, or braces,
/// which may hold attributes of a heading and not its text.
fn has_other_names(line: &str) -> bool {
    line.contains(['&', '<', '[', '{'])
}

/// Whether this is one of [`HEADINGS`], whatever its case and the signs around it.
fn is_heading_of_ours(title: &str) -> bool {
    // Most titles begin like none of them.
    let first = letters(title).next();
    let mut ours = HEADINGS.iter().filter(|own| letters(own).next() == first);
    ours.any(|own| letters(own).eq(letters(title)))
}

/// Returns the letters and digits, in lower case.
fn letters(text: &str) -> impl DoubleEndedIterator<Item = char> {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase)
}

/// Whether the one begins with all of the other.
fn starts(mut one: impl Iterator<Item = char>, mut with: impl Iterator<Item = char>) -> bool {
    with.all(|letter| one.next() == Some(letter))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_structure_is_looked_at(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec![
                        "Task", "# ", "#", "Your", "role", "\n", "\r", "\r\n", "\n\n", "===", "---",
                        "\n---\n", "```", "~~~", "\n```\n", "````\n", "\n~~~~\n", "<!--", "-->",
                        "<pre>", "</pre>", "<?", "?>", "<script", "</script>", "<div>", "> ", "- ",
                        "1. ", "*", "_", "&nbsp;", "<b>", "[a]", "[", "](", ")", "][", "[a]: b\n", "{", " {#a}", "\\", "x", " ", "    ", "\t", "`", "1",
                    ]).prop_map(str::to_owned),
                    "[ -~]{0,3}".prop_map(|text| text),
                ],
                0..12,
            ),
        ) {
            let text = pieces.concat();
            prop_assert!(may_parse_so(&text) || !parses_so(&text), "{text:?}");
        }
    }

    #[test]
    fn a_heading_of_ours_is_one_to_any_reader() {
        for text in [
            "x = 1\n# Task\n",
            "words\n\n# Task {#t}\n",
            "words\n\nYour role {.a}\n===\n",
            "words <h1 id=\"a\">Your *answer*</h1>",
            "<H2><b class=a>ta</b>sk</H2>",
            "```\nopen\n",
            "# ===\rTask",
        ] {
            assert!(is_structure(text), "{text:?}");
        }
        for text in ["x = 1\n# Tasks\n", "<h1>Tasks</h1>", "<h1", "# {Task}\n"] {
            assert!(!is_structure(text), "{text:?}");
        }
    }

    #[test]
    fn documents_need_no_parser_for_it() {
        for text in [
            "# A program\n\nWords.\n\n```sh\nrun\n```\n\n```\nmore\n```\n",
            "A program\r\n=========\r\n\r\nUse\r\n---\r\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n1.2.3\n-----\n\n---\n",
            "<?xml version=\"1.0\"?>\n<!-- words -->\n<script>\nrun()\n</script>\n<pre>a</pre>\n",
            "#include <a.h>\n#define A\n",
        ] {
            let told: Vec<_> = text.lines().filter(|line| may_parse_so(line)).collect();
            assert!(!may_parse_so(text), "{text}: {told:?}");
        }
    }

    #[test]
    fn many_beginnings_without_an_end_take_no_longer() {
        // Each would be looked for to the end of the text.
        let text = format!("{}-->", "<!--\n<pre>\n".repeat(200_000));
        assert!(may_parse_so(&text));
        let text = format!("{}-->", "<!--\n".repeat(500_000));
        assert!(!may_parse_so(&text));
    }
}
