//! Reads what project files say, as far as it is asked for: TOML line by line, JSON with
//! comments, and paths with `*`.

use serde_json::Value;

use crate::json::parse_json;

/// A line of TOML: the table that it stands in, its key and what it says.
pub(super) struct Entry {
    pub(super) table: String,
    pub(super) key: String,
    pub(super) value: String,
}

/// The most lines that one value goes on for.
const MAX_LINES: usize = 2000;

/// The lines of a TOML file. Lists and tables in braces may go on for lines; texts of
/// several lines are not understood. A tree of the whole file may take hundreds of times its
/// size, which a hostile one would make it do.
pub(super) fn toml(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut table = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = uncommented(line).trim();
        if let Some(head) = line.strip_prefix('[') {
            table = head.trim_matches(['[', ']', ' ']).replace(['"', '\''], "");
            continue;
        }
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        let mut value = value.trim().to_owned();
        let mut depth = open(&value);
        for more in lines.by_ref().take(if depth > 0 { MAX_LINES } else { 0 }) {
            let more = uncommented(more).trim();
            value.push(' ');
            value.push_str(more);
            depth += open(more);
            if depth <= 0 {
                break;
            }
        }
        entries.push(Entry {
            table: table.clone(),
            key: key.trim().replace(['"', '\''], ""),
            value,
        });
    }
    entries
}

/// A line without its comment.
fn uncommented(line: &str) -> &str {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match (letter, quote) {
            ('#', None) => return &line[..at],
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    line
}

/// How many brackets a text opens and does not close.
fn open(text: &str) -> isize {
    let mut depth = 0;
    let mut quote = None;
    for letter in text.chars() {
        match (letter, quote) {
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
    }
    depth
}

/// The texts in quotes of a value.
pub(super) fn texts(value: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = value;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let after = &rest[start + 1..];
        let Some(end) = after.find(quote) else { break };
        found.push(&after[..end]);
        rest = &after[end + 1..];
    }
    found
}

/// What a key of a table in braces says: `path` of `{ path = "../a" }`.
pub(super) fn field<'a>(value: &'a str, key: &str) -> Option<&'a str> {
    let inner = value.strip_prefix('{')?;
    inner.match_indices(key).find_map(|(at, _)| {
        let before = inner[..at].trim_end();
        let is_key = before.is_empty() || before.ends_with(',');
        let after = inner[at + key.len()..].trim_start().strip_prefix('=')?;
        let after = after.trim_start();
        let value = match after.strip_prefix(['"', '\'']) {
            Some(text) => text.split(['"', '\'']).next(),
            None => after.split([',', '}', ' ']).next(),
        };
        value.filter(|_| is_key)
    })
}

/// Reads JSON that may have comments and commas before closing brackets, as
/// `tsconfig.json` does; `None` if it is none.
pub(super) fn json(text: &str) -> Option<Value> {
    let mut clean: Vec<u8> = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut in_text = false;
    // The place in `clean` of a comma behind which only spaces came.
    let mut comma = None;
    while at < bytes.len() {
        let byte = bytes[at];
        if in_text {
            clean.push(byte);
            if byte == b'\\' && at + 1 < bytes.len() {
                at += 1;
                clean.push(bytes[at]);
            }
            in_text = byte != b'"';
            at += 1;
            continue;
        }
        match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'/')) => {
                at += text.as_bytes()[at..]
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .unwrap_or(bytes.len() - at);
                continue;
            }
            (b'/', Some(b'*')) => {
                let end = text[at + 2..].find("*/");
                at = end.map_or(bytes.len(), |end| at + 2 + end + 2);
                continue;
            }
            (b']' | b'}', _) => {
                if let Some(place) = comma.take() {
                    clean[place] = b' ';
                }
            }
            (b',', _) => comma = Some(clean.len()),
            (byte, _) if !byte.is_ascii_whitespace() => comma = None,
            _ => {}
        }
        in_text = byte == b'"';
        clean.push(byte);
        at += 1;
    }
    parse_json(std::str::from_utf8(&clean).ok()?).ok()
}

/// Whether a path from a project's folder is meant by a pattern of its members:
/// `packages/*`, `crates/**`, `./tools`. A `*` stands for what is in one part.
pub(super) fn is_member(pattern: &str, path: &str) -> bool {
    /// More parts have no patterns that people write.
    const MAX_PARTS: usize = 16;
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
        parts.take(MAX_PARTS).map(str::to_owned).collect()
    };
    let (pattern, path) = (parts(pattern), parts(path));
    // For each end of the path, whether the pattern so far fits what is before it.
    let mut fits = vec![false; path.len() + 1];
    fits[0] = true;
    for part in &pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            if part == "**" {
                next[at] = fits[at] || (at > 0 && next[at - 1]);
            } else if at > 0 {
                next[at] = fits[at - 1] && fits_part(part, &path[at - 1]);
            }
        }
        fits = next;
    }
    fits[path.len()]
}

fn fits_part(pattern: &str, part: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern == part;
    };
    // Of several stars the first and the last count.
    let after = after.rsplit('*').next().unwrap_or(after);
    part.len() >= before.len() + after.len() && part.starts_with(before) && part.ends_with(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_is_read_line_by_line() {
        let text = "[workspace]\nmembers = [\n  \"a/*\", # all\n  'b',\n]\n[dependencies]\nc = { path = \"../c\", package = \"d\" }\n[dependencies.e]\npath = '../e'\n";
        let entries = toml(text);
        assert_eq!(texts(&entries[0].value), ["a/*", "b"]);
        assert_eq!(field(&entries[1].value, "path"), Some("../c"));
        assert_eq!(field(&entries[1].value, "package"), Some("d"));
        assert_eq!(entries[2].table, "dependencies.e");
        assert_eq!(texts(&entries[2].value), ["../e"]);
    }

    #[test]
    fn json_may_have_comments_and_commas() {
        let text = "{ // a\n \"b\": [1, /* , */ 2,\n ], \"c\": \"// no, }\", }";
        let value = json(text).unwrap();
        assert_eq!(value["b"][1], 2);
        assert_eq!(value["c"], "// no, }");
        assert!(json("{").is_none());
    }

    #[test]
    fn members_are_told_by_patterns() {
        assert!(is_member("packages/*", "packages/a"));
        assert!(is_member("./packages/a-*/", "packages/a-b"));
        assert!(is_member("apps/**", "apps/a/b"));
        assert!(!is_member("packages/*", "packages/a/b"));
        assert!(!is_member("packages/*", "apps/a"));
    }
}
