//! The one line of a comment that says what a declaration is.

use tree_sitter::Node;

use crate::syntax::marks::Marks;

/// How many lines upwards a comment is followed.
const MAX_COMMENT: usize = 400;

/// Returns the first line of the comment that ends above `first`, not before `least`.
pub(super) fn above(language: &str, lines: &[&str], least: usize, first: usize) -> Option<usize> {
    let marks = Marks::of(language);
    let mut said = None;
    let mut in_block = false;
    for at in (least..first).rev().take(MAX_COMMENT) {
        let line = lines[at].trim();
        if in_block && line.contains("/*") && !line.starts_with("/*") {
            // It stands behind code.
            return None;
        }
        if in_block {
            in_block = !line.starts_with("/*");
        } else if line.is_empty()
            && at + 1 == first
            && at > least
            && is_loose(language, lines[at - 1])
        {
            continue;
        } else if line.ends_with("*/") {
            if line.contains("/*") && !line.starts_with("/*") {
                break;
            }
            in_block = !line.starts_with("/*");
        } else if is_attribute(language, line) {
            continue;
        } else if !marks.as_ref().is_some_and(|marks| marks.begin(line)) {
            break;
        }
        if line.contains("opyright") || line.contains("icense") {
            return None;
        }
        if says_something(line) {
            said = Some(at);
        }
    }
    said
}

/// Returns the line of a docstring at the beginning of a Python body.
pub(super) fn docstring(body: Node<'_>, lines: &[&str]) -> Option<usize> {
    let mut cursor = body.walk();
    let first = body
        .named_children(&mut cursor)
        .find(|child| child.kind() != "comment")?;
    let text = first.named_child(0)?;
    if first.kind() != "expression_statement" || text.kind() != "string" {
        return None;
    }
    let rows = text.start_position().row..=text.end_position().row;
    rows.take(2)
        .find(|row| lines.get(*row).is_some_and(|line| says_something(line)))
}

/// Whether a comment may be separated from what it is about.
fn is_loose(language: &str, line: &str) -> bool {
    matches!(language, "javascript" | "jsx" | "typescript" | "tsx")
        && line.trim_end().ends_with("*/")
}

fn is_attribute(language: &str, line: &str) -> bool {
    match language {
        "rust" => line.starts_with("#["),
        "php" => line.starts_with("#["),
        "csharp" => line.starts_with('['),
        "java" | "kotlin" | "typescript" | "tsx" | "python" | "swift" | "scala" | "dart"
        | "elixir" | "groovy" => line.starts_with('@'),
        _ => false,
    }
}

/// Whether a line of a comment has words for people.
fn says_something(line: &str) -> bool {
    let words = line.trim_matches(|c: char| c.is_whitespace() || "/*#!-=\"'rR".contains(c));
    if is_for_tools(words) {
        return false;
    }
    // `<summary>` alone says nothing.
    let mut in_tag = false;
    words.chars().any(|c| {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            _ => {}
        }
        !in_tag && c.is_alphabetic()
    })
}

/// Whether a comment is addressed to a program, or says that it is unfinished.
pub fn is_for_tools(words: &str) -> bool {
    [
        "@",
        "{@inherit",
        "eslint",
        "istanbul",
        "prettier",
        "noqa",
        "type:",
        "pylint",
        "go:",
        "nolint",
        "clang-format",
        "ReSharper",
        "jshint",
        "tslint",
        "pragma",
        "TODO",
        "FIXME",
    ]
    .iter()
    .any(|tool| words.starts_with(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_with_words_is_the_one() {
        let said = |language, text: &str| {
            let lines: Vec<&str> = text.lines().collect();
            above(language, &lines, 0, lines.len())
        };
        assert_eq!(
            said("java", "/**\n * Says.\n * @return more\n */\n@Override"),
            Some(1)
        );
        assert_eq!(
            said("csharp", "/// <summary>\n/// Says.\n/// </summary>"),
            Some(1)
        );
        assert_eq!(
            said("go", "// other\n\n// Says.\n// More.\n//go:inline"),
            Some(2)
        );
        assert_eq!(said("rust", "let a;\n/// Says.\n#[inline]"), Some(1));
        assert_eq!(said("c", "// Copyright\n// Me."), None);
        assert_eq!(said("c", "int a; /* not this */"), None);
    }
}
