//! A name and its value in one object, with other members on the lines between them.

use super::around::BLANKS;
use super::beside::{in_pair, value_name};
use super::given::Assigned;
use super::letters::{dotted, line_before, word};
use super::name::Name;
use crate::split::place_in;

/// Returns the value some lines below its name: `- name: DB_PASSWORD`, `required: true` and
/// `value: …`.
pub(super) fn below_members<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    const MOST_BETWEEN: usize = 4;
    let below = rest.trim_start_matches(['"', '\'', ',', ' ', '\r']);
    let below = below.strip_prefix('\n')?;
    let own = named(line_before(name.text, name.first))?;
    for line in below.lines().take(MOST_BETWEEN + 1) {
        let member = member(line).filter(|member| line.len() - member.len() == own)?;
        let member = &below[place_in(below, member)..];
        let member = member.trim_start_matches(['"', '\'']);
        if let Some(length) = value_name(member) {
            return in_pair(&member[length..]);
        }
    }
    None
}

/// Returns how far a line is indented that names something and has nothing else before the name:
/// `- name: `, `  "key": "`, `  name = "/path/`. What opens an object or an entry counts as blank.
fn named(line: &str) -> Option<usize> {
    const OPENING: [char; 5] = [' ', '\t', '-', '[', '{'];
    const NAMES: [&str; 4] = ["name", "key", "Name", "Key"];
    let own = line.trim_start_matches(OPENING);
    let (key, path) = own.split_once([':', '='])?;
    let key = key.trim_matches([' ', '"', '\'']);
    let path = path.trim_start_matches([' ', '"', '\'']);
    let is_name = key.bytes().all(word) && NAMES.iter().any(|it| key.ends_with(it));
    let is_begun = path.bytes().all(|b| dotted(b) || b == b'/');
    (is_name && is_begun).then_some(line.len() - own.len())
}

/// Returns a short member of an object without its indentation.
fn member(line: &str) -> Option<&str> {
    const MOST: usize = 120;
    let own = line.trim_start_matches(BLANKS);
    let is_member = !own.starts_with(['-', '}', '#', '/']) && own.contains([':', '=']);
    (is_member && line.len() <= MOST).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    const P: &str = "x9Kq2mZ7vB4nT1wY8rL5";

    #[test]
    fn a_value_is_told_some_members_below_its_name() {
        for text in [
            format!("- name: DB_PASSWORD\n  required: true\n  value: {P}\n"),
            format!("- name: DB_PASSWORD\r\n  required: true\r\n  value: {P}\r\n"),
            format!("- name: DB_PASSWORD\n  description: of it\n  required: true\n  value: {P}\n"),
            format!("{{\n \"key\": \"password\",\n \"type\": \"secret\",\n \"value\": \"{P}\"\n}}"),
            format!("[{{\"name\":\"DB_PASSWORD\",\n  \"type\":\"x\",\n  \"value\":\"{P}\"}}]"),
            format!("  key = \"password\"\n  sensitive = true\n  value = \"{P}\"\n"),
            format!("  name  = \"/prod/app/api_key\"\n  type  = \"String\"\n  value = \"{P}\"\n"),
            format!(
                "  secret_name = \"DB_PASSWORD\"\n  repository = \"r\"\n  plaintext_value = \"{P}\"\n"
            ),
            format!("+- name: DB_PASSWORD\n+  required: true\n+  value: {P}\n"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_below_a_name_is_not_told() {
        for text in [
            format!("- name: DB_PASSWORD\n  required: true\n- value: {P}\n"),
            format!("- name: DB_PASSWORD\n  required: true\n    value: {P}\n"),
            format!("- name: DB_PASSWORD\n  of:\n  - x: y\n  value: {P}\n"),
            format!("- name: DB_PASSWORD\n  a: 1\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n  value: {P}\n"),
            format!("- name: DB_PASSWORD\n\n  value2: 1\n  value: {P}\n"),
            format!("- kind: DB_PASSWORD\n  required: true\n  value: {P}\n"),
            "- name: DB_PASSWORD\n  required: true\n  value: correct-horse\n".to_owned(),
            "{\n \"key\": \"password\"\n},\n{\n \"value\": \"x9Kq2mZ7vB4nT1wY\"\n}".to_owned(),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
