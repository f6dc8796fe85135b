//! Which lines of a declaration are shown.

use std::ops::Range;

use tree_sitter::Node;

/// The most lines of a declaration itself.
pub(super) const MAX_HEAD: usize = 30;

/// The most fields or variants of a type.
const MAX_FIELDS: usize = 20;

/// The most lines of one field.
const MAX_FIELD: usize = 3;

/// Returns the fields in a body, each with its first lines, and the line that closes them.
pub(super) fn fields(body: Node<'_>, from: usize) -> Vec<Range<usize>> {
    let mut shown = Vec::new();
    let mut next = from;
    let mut cursor = body.walk();
    let fields = body.named_children(&mut cursor).filter(|field| {
        let kind = field.kind();
        !kind.contains("comment") && !kind.contains("attribute") && !kind.contains("preproc")
    });
    for field in fields.take(MAX_FIELDS) {
        let first = first_row(field).max(next);
        let end = (field.end_position().row + 1).min(first + MAX_FIELD);
        if first < end {
            shown.push(first..end);
            next = end;
        }
    }
    let last = body.end_position().row;
    if last >= next && !shown.is_empty() {
        shown.push(last..last + 1);
    }
    shown
}

/// Returns the first of these lines, as many as are shown of a declaration.
pub(super) fn cut(rows: Range<usize>) -> Vec<Range<usize>> {
    let end = rows.end.min(rows.start + MAX_HEAD);
    vec![Range {
        start: rows.start,
        end,
    }]
}

/// Returns the line on which a declaration begins, without attributes and comments above it.
pub(super) fn first_row(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if is_said_about(child) {
            continue;
        }
        if child.kind() != "modifiers" {
            return child.start_position().row;
        }
        let mut cursor = child.walk();
        let word = child
            .children(&mut cursor)
            .find(|word| !is_said_about(*word));
        if let Some(word) = word {
            return word.start_position().row;
        }
    }
    node.start_position().row
}

/// Whether a node is an annotation, an attribute or a comment.
fn is_said_about(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["annotation", "attribute", "comment"]
        .iter()
        .any(|word| kind.contains(word))
}
