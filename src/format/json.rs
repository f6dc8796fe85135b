//! A JSON array, an object a file.

use serde_json::{Value, json};

use super::extension;
use crate::section::{Body, Piece};

/// Writes each file as `{path, language, content}`, or `{path, error}` if it could
/// not be read.
pub(super) fn files(pieces: &[Piece]) -> String {
    let file = |piece: &Piece| -> Value {
        let path = piece.path.as_deref().unwrap_or_default();
        match &piece.body {
            Body::Marker(error) => json!({"path": path, "error": error}),
            body => json!({"path": path, "language": extension(path), "content": body.text()}),
        }
    };
    let array: Vec<Value> = pieces.iter().map(file).collect();
    format!("{:#}", Value::Array(array))
}
