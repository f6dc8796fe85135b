//! What the links in a task say: the paths in them, but not the server they lead to.

use memchr::memchr3_iter;

/// Writes a line of a task with its links and images replaced by what they say.
///
/// A link to a file on a forge becomes its path and line (`src/a.rs#L12`); a link to an issue or a
/// commit becomes the repository, which may be another one; other links become what follows the
/// host. Images and attachments become nothing.
pub(super) fn said(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = next(rest) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let behind = match rest.as_bytes()[0] {
            b'!' => picture(rest),
            b'<' => element(rest),
            _ => None,
        };
        rest = behind.unwrap_or_else(|| link(rest, out));
    }
    out.push_str(rest);
}

/// Returns where the next link or image begins.
fn next(text: &str) -> Option<usize> {
    const SIGNS: [&str; 4] = ["http://", "https://", "![", "<img "];
    let is_sign = |at: &usize| SIGNS.iter().any(|sign| text[*at..].starts_with(sign));
    memchr3_iter(b'h', b'!', b'<', text.as_bytes()).find(is_sign)
}

/// Returns what follows a Markdown image, `![what it shows](where it is)`.
fn picture(text: &str) -> Option<&str> {
    let behind = behind_pair(text.strip_prefix("![")?, ['[', ']'])?;
    behind_pair(behind.strip_prefix('(')?, ['(', ')'])
}

/// Returns what follows an HTML element.
fn element(text: &str) -> Option<&str> {
    behind_pair(text.strip_prefix('<')?, ['<', '>'])
}

/// Returns what follows the end of the pair of delimiters that encloses the text, if no other
/// begins before. It looks no further: otherwise each of a thousand beginnings would look to the
/// end.
fn behind_pair(text: &str, [begin, end]: [char; 2]) -> Option<&str> {
    text[text.find([begin, end])?..].strip_prefix(end)
}

/// Writes what the link at the beginning of the text says, and returns what follows it.
fn link<'a>(text: &'a str, out: &mut String) -> &'a str {
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`)]}|\\,".contains(c);
    let secure = text.strip_prefix("https://");
    let Some(from) = secure.or_else(|| text.strip_prefix("http://")) else {
        // A picture that is none.
        out.push_str(&text[..1]);
        return &text[1..];
    };
    let (whole, rest) = from.split_at(from.find(is_end).unwrap_or(from.len()));
    let path = path(whole);
    let (before, query) = path.split_once('?').unwrap_or((path, ""));
    out.push(' ');
    out.push_str(before);
    out.push_str(query.find('#').map_or("", |at| &query[at..]));
    rest
}

/// Returns the meaningful part of a link without its scheme, and of its query.
fn path(link: &str) -> &str {
    let (_, path) = link.split_once('/').unwrap_or(("", ""));
    if let Some(file) = on_forge(path) {
        return file;
    }
    let bare = path.split(['?', '#']).next().unwrap_or_default();
    let says_nothing = link.starts_with("user-images.")
        || path.starts_with("user-attachments/")
        || SHOWN.iter().any(|ending| bare.ends_with(ending));
    if says_nothing { "" } else { path }
}

/// Returns the file that a path on a forge leads to, after an owner and a repository. For an issue
/// or a commit, which have numbers, it returns these two, and for an attachment nothing.
fn on_forge(path: &str) -> Option<&str> {
    let mut rest = path.split_once('/')?.1.split_once('/')?.1;
    let repository = &path[..path.len() - rest.len() - 1];
    while let Some((part, behind)) = rest.split_once('/') {
        match part {
            "blob" | "tree" | "raw" | "blame" => {
                return Some(behind.split_once('/').map_or("", |(_, file)| file));
            }
            "files" if is_numbered(behind) => return Some(""),
            "issues" | "pull" | "commit" | "merge_requests" if is_numbered(behind) => {
                return Some(repository);
            }
            _ => rest = behind,
        }
    }
    None
}

/// Whether a path begins with the number of an issue or of a commit.
fn is_numbered(path: &str) -> bool {
    let number = path.split(['/', '?', '#', '.']).next().unwrap_or_default();
    let is_hex = number.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex && number.bytes().any(|byte| byte.is_ascii_digit())
}

/// The endings of images, videos and other files that show a fault.
const SHOWN: [&str; 9] = [
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".mp4", ".mov", ".zip",
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::processor::time_of_thread;

    #[test]
    fn of_a_link_its_path_stays_and_of_a_picture_nothing() {
        let cases = [
            (
                "It is in https://github.com/o/r/blob/0a1b/src/a.rs#L12.",
                "It is in  src/a.rs#L12.",
            ),
            (
                "see [the guide](https://docs.example.org/v1/guide.html#retry?x=1) first",
                "see [the guide]( v1/guide.html#retry) first",
            ),
            (
                "fixed by https://github.com/o/r/pull/7?w=1",
                "fixed by  o/r",
            ),
            (
                "so: ![image](https://example.org/a.png) is drawn",
                "so:  is drawn",
            ),
            (
                "so: <img width=\"3\" src=\"a.b\"> is drawn",
                "so:  is drawn",
            ),
            ("at https://user-images.example.org/1/2-3", "at  "),
            ("http://example.org", " "),
            (
                "https://github.com/o/r/blob/main/docs/a.md?plain=1#L12",
                " docs/a.md#L12",
            ),
            (
                "https://gitlab.com/g/s/r/-/blob/main/src/a.rs#L2",
                " src/a.rs#L2",
            ),
            ("https://github.com/o/r/tree/main", " "),
            ("https://github.com/o/r/commit/0a1b2c3", " o/r"),
            ("https://github.com/o/r/files/12/a.txt", " "),
            (
                "GET http://localhost:80/api/v1/files/upload is 500",
                "GET  api/v1/files/upload is 500",
            ),
            (
                "GET http://localhost:80/api/tree/nodes is 500",
                "GET  api/tree/nodes is 500",
            ),
            (
                "`if (![1].has(x))` of [it](https://example.org/a)",
                "`if (![1].has(x))` of [it]( a)",
            ),
            ("![not one", "![not one"),
            ("<img that never ends", "<img that never ends"),
        ];
        for (line, wanted) in cases {
            let mut out = String::new();
            said(line, &mut out);
            assert_eq!(out, wanted, "{line}");
        }
    }

    #[test]
    fn beginnings_without_an_end_cost_no_more_than_their_length() {
        let parts = ["![", "![a](", "<img ", "http://,", "!", "plain "];
        let times = parts.map(|part| {
            let line = part.repeat(500_000 / part.len());
            let started = time_of_thread();
            said(&line, &mut String::new());
            time_of_thread().saturating_sub(started)
        });
        let most = Duration::from_millis(500);
        assert!(times.iter().all(|time| *time < most), "{times:?}");
    }
}
