//! A JSON array, one object for each file.

use serde_json::{Value, json};

use super::extension;
use crate::section::{Body, Piece};

/// Writes each file as `{path, language, content}`, or `{path, error}` if it could not be read.
pub(super) fn files(pieces: &[Piece]) -> impl Iterator<Item = String> {
    let open = if pieces.is_empty() { "[" } else { "[\n" };
    let object = |(number, piece): (usize, &Piece)| {
        let path = piece.path.as_deref().unwrap_or_default();
        let object: Value = match &piece.body {
            Body::Marker(error) => json!({"path": path, "error": error}),
            body => json!({"path": path, "language": extension(path), "content": body.text()}),
        };
        let end = if number + 1 < pieces.len() {
            ",\n"
        } else {
            "\n"
        };
        // A line break in a text is written as `\n`, so only our own are indented.
        format!("  {}{end}", format!("{object:#}").replace('\n', "\n  "))
    };
    let objects = pieces.iter().enumerate().map(object);
    std::iter::once(open.to_owned())
        .chain(objects)
        .chain(["]".to_owned()])
}
