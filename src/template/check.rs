//! Finds mistakes in templates before they are needed.

use serde_json::Value as Json;

use super::Templates;
use crate::error::Diagnostic;
use crate::tokens::Tokenizer;

/// Renders every template with every set of sample values and returns what went
/// wrong, each once, by template.
///
/// Names that start with `_` are parts of others and rendered with them; alone
/// they are rendered too, so that a part that nothing includes is checked.
pub fn check(templates: &Templates, samples: &[Json]) -> Vec<(String, Diagnostic)> {
    let mut found: Vec<(String, Diagnostic)> = Vec::new();
    for name in templates.names() {
        for sample in samples {
            let Err(problem) = templates.render(name, sample, Tokenizer::Chars) else {
                continue;
            };
            if !found.iter().any(|(_, known)| *known == *problem) {
                found.push((name.to_owned(), *problem));
            }
        }
    }
    found
}
