//! The head of a rule or a skill: lines between two `---` at the beginning.
//!
//! Hosts write `globs: *.ts`, which is not YAML, so it is read line by line: a field at the margin,
//! its value after the colon or in the indented lines below.

/// A rule or a skill with more bytes is not read.
pub(super) const MAX_BYTES: u64 = 64 * 1024;

/// The most fields that are read, and the most items of each list.
const MAX_ITEMS: usize = 100;

/// What the head of a file says.
pub(super) struct Matter<'a>(Vec<(&'a str, Vec<&'a str>)>);

impl<'a> Matter<'a> {
    /// Reads the head of a text. A text without one gives no fields.
    pub(super) fn of(text: &'a str) -> Matter<'a> {
        let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
        let Some((head, _)) = split(text) else {
            return Matter(fields);
        };
        for line in head.lines() {
            let is_inner = line.starts_with([' ', '\t', '-']);
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            if is_inner {
                if let Some((_, lines)) = fields.last_mut()
                    && lines.len() < MAX_ITEMS
                {
                    lines.push(line.trim());
                }
            } else if let Some((name, value)) = line.split_once(':')
                && fields.len() < MAX_ITEMS
            {
                fields.push((name.trim(), vec![value.trim()]));
            }
        }
        Matter(fields)
    }

    /// Returns the value of a field as one line; `None` if it is empty.
    pub(super) fn text(&self, field: &str) -> Option<String> {
        let lines = self.lines(field)?;
        // `>`, `|` and their kin say how the lines below are folded.
        let (first, below) = lines.split_first()?;
        let first = Some(first).filter(|first| !first.starts_with(['>', '|']));
        let words = first.into_iter().chain(below);
        let text = words.copied().collect::<Vec<_>>().join(" ");
        let text = unquoted(text.trim());
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns the items of a field: of a list in either form, or separated by commas.
    pub(super) fn items(&self, field: &str) -> Vec<&'a str> {
        let lines = self.lines(field).unwrap_or_default();
        let items = lines.iter().flat_map(|line| {
            let line = line.strip_prefix("- ").unwrap_or(line).trim();
            let inner = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
            parted(unquoted(inner.unwrap_or(line)))
        });
        let items = items.map(|item| unquoted(item.trim()));
        items
            .filter(|item| !item.is_empty())
            .take(MAX_ITEMS)
            .collect()
    }

    /// Whether a field says `true`.
    pub(super) fn is_true(&self, field: &str) -> bool {
        self.text(field).is_some_and(|value| value == "true")
    }

    fn lines(&self, field: &str) -> Option<&[&'a str]> {
        let found = self.0.iter().find(|(name, _)| *name == field);
        found.map(|(_, lines)| lines.as_slice())
    }
}

/// Returns a text without its head.
pub(super) fn without(text: &str) -> &str {
    split(text).map_or(text, |(_, rest)| rest)
}

/// Returns the head of a text and what is below it.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    let rest = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// Splits a text at commas, except those in braces.
fn parted(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_usize, 0, Vec::new());
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

fn unquoted(text: &str) -> &str {
    let within = |sign| text.strip_prefix(sign)?.strip_suffix(sign);
    // `"a", "b"` begins and ends with a quote, and is two items.
    let inner = within('"').or_else(|| within('\''));
    inner
        .filter(|inner| !inner.contains(['"', '\'']))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_read_in_every_form() {
        let cases = [
            (
                "globs: *.ts, src/**/*.{js,jsx}",
                &["*.ts", "src/**/*.{js,jsx}"][..],
            ),
            ("globs: \"**/*.py\"", &["**/*.py"]),
            ("globs: ['a/*', \"b\"]", &["a/*", "b"]),
            ("globs:\n  - a/**\n  - 'b, c'", &["a/**", "b", "c"]),
            ("globs:\n- a/**", &["a/**"]),
            ("globs:", &[]),
            ("# globs: a\nother: b", &[]),
        ];
        for (head, expected) in cases {
            let text = format!("---\n{head}\n---\nBe kind.\n");
            assert_eq!(Matter::of(&text).items("globs"), expected, "{head}");
            assert_eq!(without(&text), "Be kind.\n");
        }
    }

    #[test]
    fn a_description_may_go_over_lines() {
        let text = "---\r\nname: pdf\r\ndescription: >-\r\n  Fills in\r\n  forms: all.\r\nalwaysApply: true\r\n---\r\n";
        let matter = Matter::of(text);
        assert_eq!(matter.text("name").as_deref(), Some("pdf"));
        assert_eq!(
            matter.text("description").as_deref(),
            Some("Fills in forms: all.")
        );
        assert!(matter.is_true("alwaysApply") && !matter.is_true("name"));
    }

    #[test]
    fn what_has_no_end_is_no_head() {
        for text in [
            "---\nglobs: a\n",
            "globs: a\n---\n",
            "----\na: b\n---\n",
            "",
        ] {
            assert!(Matter::of(text).0.is_empty(), "{text}");
            assert_eq!(without(text), text);
        }
    }
}
