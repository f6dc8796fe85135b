//! Reads what is needed of project files: TOML line by line, and JSON with comments. A name or a
//! path longer than one can be is ignored.

use std::rc::Rc;

use serde_json::Value;

use crate::json::parse_json;
use crate::repo::MAX_PATH;

/// A line of TOML: the table that it is in, its key and its value.
pub(super) struct Entry {
    pub(super) table: Rc<str>,
    pub(super) key: String,
    pub(super) value: String,
}

/// The most lines that one value spans.
const MAX_LINES: usize = 2000;

/// A longer name of a table or key is ignored, in bytes.
const MAX_NAME: usize = 1024;

/// Returns the lines of a TOML file, one by one. Lists and tables in braces may span lines;
/// multi-line strings are not understood. A tree of the whole file may take hundreds of times its
/// size, and a hostile file would make it do so.
pub(super) fn toml(text: &str) -> impl Iterator<Item = Entry> {
    let mut lines = text.lines();
    // What stands in a table without a name is left out.
    let mut table: Option<Rc<str>> = Some("".into());
    std::iter::from_fn(move || {
        loop {
            let line = uncommented(lines.next()?).trim();
            if let Some(head) = line.strip_prefix('[') {
                let name = head.trim_matches(['[', ']', ' ']);
                table = is_name(name).then(|| name.replace(['"', '\''], "").into());
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let value = whole(value.trim(), &mut lines);
            let key = key.trim();
            if let Some(table) = table.as_ref().filter(|_| is_name(key)) {
                let (table, key) = (Rc::clone(table), key.replace(['"', '\''], ""));
                return Some(Entry { table, key, value });
            }
        }
    })
}

fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME
}

/// Returns a value that begins like this, up to where its brackets are closed.
fn whole(begin: &str, lines: &mut std::str::Lines<'_>) -> String {
    let mut value = begin.to_owned();
    let mut depth = open(&value);
    for more in lines.take(if depth > 0 { MAX_LINES } else { 0 }) {
        let more = uncommented(more).trim();
        value.push(' ');
        value.push_str(more);
        depth += open(more);
        if depth <= 0 {
            break;
        }
    }
    value
}

/// Returns a line without its comment.
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

/// Returns how many brackets a text opens and does not close.
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

/// Returns the first quoted text of a value, if it is no longer than a path.
pub(super) fn first_text(value: &str) -> Option<&str> {
    let start = value.find(['"', '\''])?;
    let after = &value[start + 1..];
    let end = after.find(&value[start..=start])?;
    Some(&after[..end]).filter(|text| text.len() <= MAX_PATH)
}

/// Returns the value of a key of a table in braces, if it is no longer than a path: `path` of
/// `{ path = "../a" }`.
pub(super) fn field<'a>(value: &'a str, key: &str) -> Option<&'a str> {
    let inner = value.strip_prefix('{')?;
    let value = inner.match_indices(key).find_map(|(at, _)| {
        let before = inner[..at].trim_end();
        let is_key = before.is_empty() || before.ends_with(',');
        let after = inner[at + key.len()..].trim_start();
        // What is no key is not gone through to its end, for there may be many.
        let after = after.strip_prefix('=').filter(|_| is_key)?.trim_start();
        match after.strip_prefix(['"', '\'']) {
            Some(text) => text.split(['"', '\'']).next(),
            None => after.split([',', '}', ' ']).next(),
        }
    });
    value.filter(|value| value.len() <= MAX_PATH)
}

/// Reads JSON that may have comments and commas before closing brackets, as in `tsconfig.json`;
/// `None` if it is not JSON. Texts longer than a path are left out, because only names and paths
/// are needed.
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
    let mut value = parse_json(std::str::from_utf8(&clean).ok()?).ok()?;
    leave_out_long(&mut value);
    Some(value)
}

fn leave_out_long(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MAX_PATH => *value = Value::Null,
        Value::Array(values) => values.iter_mut().for_each(leave_out_long),
        Value::Object(members) => {
            members.retain(|key, _| key.len() <= MAX_PATH);
            members.values_mut().for_each(leave_out_long);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_is_read_line_by_line() {
        let text = "[workspace]\nmembers = [\n  \"a/*\", # all\n  'b',\n]\n[dependencies]\nc = { path = \"../c\", package = \"d\" }\n[dependencies.e]\npath = '../e'\n";
        let entries: Vec<Entry> = toml(text).collect();
        assert_eq!(first_text(&entries[0].value), Some("a/*"));
        let rest = entries[0].value.split_once(',').unwrap().1;
        assert_eq!(first_text(rest), Some("b"));
        assert_eq!(field(&entries[1].value, "path"), Some("../c"));
        assert_eq!(field(&entries[1].value, "package"), Some("d"));
        assert_eq!(&*entries[2].table, "dependencies.e");
        assert_eq!(first_text(&entries[2].value), Some("../e"));
    }

    #[test]
    fn lines_of_a_table_share_its_name() {
        let text = format!("[{}]\n{}", "a".repeat(1000), "b = 1\n".repeat(9));
        let entries: Vec<Entry> = toml(&text).collect();
        assert_eq!(entries.len(), 9);
        assert!(
            entries
                .iter()
                .all(|entry| Rc::ptr_eq(&entry.table, &entries[0].table))
        );
    }

    #[test]
    fn long_names_and_texts_are_none() {
        let long = "a".repeat(5000);
        let text = format!("[{long}]\nb = 1\n[c]\n{long} = 1\nd = \"{long}\"\n");
        let entries: Vec<Entry> = toml(&text).collect();
        assert_eq!(entries.len(), 1);
        assert_eq!(first_text(&entries[0].value), None);
        assert_eq!(field(&format!("{{ path = \"{long}\" }}"), "path"), None);
        let value = json(&format!(r#"{{"a": ["{long}", "b"], "{long}": 1}}"#)).unwrap();
        assert_eq!(value.to_string(), r#"{"a":[null,"b"]}"#);
    }

    #[test]
    fn only_a_key_of_a_table_in_braces_has_a_value() {
        let value = r#"{ xpath = "a", path.b = 1, path = "c" }"#;
        assert_eq!(field(value, "path"), Some("c"));
    }

    #[test]
    fn json_may_have_comments_and_commas() {
        let text = "{ // a\n \"b\": [1, /* , */ 2,\n ], \"c\": \"// no, }\", }";
        let value = json(text).unwrap();
        assert_eq!(value["b"][1], 2);
        assert_eq!(value["c"], "// no, }");
        assert!(json("{").is_none());
    }
}
