//! What the links in a task say: the paths in them, and not whose server they lead to.

/// Writes a line of a task with what its links and pictures say in their place.
///
/// Of a link to a file of a forge its path and line stay (`src/a.rs#L12`), of others what stands
/// behind the host; of pictures, attachments, issues and commits nothing.
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

/// Where the next link or picture begins.
fn next(text: &str) -> Option<usize> {
    let signs = ["http://", "https://", "![", "<img "];
    signs.iter().filter_map(|sign| text.find(sign)).min()
}

/// What stands behind a picture of Markdown, `![what it shows](where it is)`.
fn picture(text: &str) -> Option<&str> {
    let (_, behind) = text.split_once("](")?;
    let (_, behind) = behind.split_once(')')?;
    Some(behind)
}

/// What stands behind an element of HTML.
fn element(text: &str) -> Option<&str> {
    text.split_once('>').map(|(_, behind)| behind)
}

/// Writes what a link says, with which the text begins, and returns what stands behind it.
fn link<'a>(text: &'a str, out: &mut String) -> &'a str {
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "<>\"'`)]}|\\,".contains(c);
    let Some((_, from)) = text.split_once("://").filter(|_| text.starts_with("http")) else {
        // A picture that is none.
        out.push_str(&text[..1]);
        return &text[1..];
    };
    let (whole, rest) = from.split_at(from.find(is_end).unwrap_or(from.len()));
    out.push(' ');
    out.push_str(path(whole));
    rest
}

/// What of a link without its scheme says something.
fn path(link: &str) -> &str {
    let (_, path) = link.split_once('/').unwrap_or(("", ""));
    for sign in ["/blob/", "/tree/", "/raw/", "/blame/"] {
        if let Some((_, at)) = path.split_once(sign) {
            return at.split_once('/').map_or("", |(_, file)| file);
        }
    }
    let bare = path.split(['?', '#']).next().unwrap_or_default();
    let says_nothing = [
        "/issues/",
        "/pull/",
        "/commit/",
        "/merge_requests/",
        "/files/",
    ]
    .iter()
    .any(|sign| path.contains(sign))
        || link.starts_with("user-images.")
        || path.starts_with("user-attachments/")
        || PICTURES.iter().any(|ending| bare.ends_with(ending));
    match path.split_once('?') {
        _ if says_nothing => "",
        Some((before, _)) => before,
        None => path,
    }
}

/// How pictures and films end.
const PICTURES: [&str; 9] = [
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".mp4", ".mov", ".zip",
];

#[cfg(test)]
mod tests {
    use super::*;

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
            ("fixed by https://github.com/o/r/pull/7?w=1", "fixed by  "),
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
            ("![not one", "![not one"),
            ("<img that never ends", "<img that never ends"),
        ];
        for (line, wanted) in cases {
            let mut out = String::new();
            said(line, &mut out);
            assert_eq!(out, wanted, "{line}");
        }
    }
}
