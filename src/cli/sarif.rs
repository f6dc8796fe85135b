//! What a check found in the Static Analysis Results Interchange Format, version 2.1.0, for editors
//! and CI.

use std::fs;
use std::path::{Path, PathBuf};

use context_packer::diagnostics::{Diagnostic, Place, Rule, Severity};
use serde_json::{Value as Json, json};

/// Where the format is described.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Returns one run of packer over files, most of them below `root`.
pub(super) fn sarif(found: &[Diagnostic], root: &Path) -> Json {
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let rules: Vec<Json> = Rule::all().map(rule).collect();
    let results: Vec<Json> = found.iter().map(|problem| result(problem, &root)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "packer",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(rule: Rule) -> Json {
    json!({"id": rule.name(), "shortDescription": {"text": rule.meaning()}})
}

fn result(problem: &Diagnostic, root: &Path) -> Json {
    let level = match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let more = [("help", &problem.help), ("note", &problem.note)];
    let more = more.map(|(what, text)| text.as_ref().map(|text| format!("\n{what}: {text}")));
    let [help, note] = more.map(Option::unwrap_or_default);
    let locations: Vec<Json> = problem.place.iter().map(|p| location(p, root)).collect();
    json!({
        "ruleId": problem.rule.name(),
        "level": level,
        "message": {"text": format!("{}{help}{note}", problem.message)},
        "locations": locations,
    })
}

fn location(place: &Place, root: &Path) -> Json {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&place.file, root)},
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endColumn": place.end_column,
        },
    }})
}

/// Returns a file as seen from the repository, or as an absolute address if it is elsewhere.
fn uri(file: &str, root: &Path) -> String {
    let Some(real) = real(Path::new(file)) else {
        // Built-in files are nowhere.
        return encoded(file);
    };
    match real.strip_prefix(root) {
        Ok(inside) => encoded(&with_slashes(inside)),
        Err(_) => {
            let path = with_slashes(&real);
            format!("file:///{}", encoded(path.trim_start_matches('/')))
        }
    }
}

/// Returns where a file is. Links are not followed, because the file's name counts.
fn real(file: &Path) -> Option<PathBuf> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::symlink_metadata(file).ok()?;
    Some(fs::canonicalize(folder).ok()?.join(file.file_name()?))
}

fn with_slashes(path: &Path) -> String {
    let parts = path.components().map(std::path::Component::as_os_str);
    let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
    parts.join("/").replace("//", "/")
}

/// Returns a path as it may appear in a URI.
fn encoded(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_a_uri() {
        assert_eq!(encoded("a b/größe%.yaml"), "a%20b/gr%C3%B6%C3%9Fe%25.yaml");
    }

    #[test]
    fn a_file_of_the_repository_is_relative_and_another_one_absolute() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let inside = root.join("a b.yaml");
        fs::write(&inside, "").unwrap();
        assert_eq!(uri(inside.to_str().unwrap(), &root), "a%20b.yaml");
        let elsewhere = uri(inside.to_str().unwrap(), Path::new("/nowhere"));
        assert!(elsewhere.starts_with("file:///"), "{elsewhere}");
        assert_eq!(uri("built-in x.yaml", &root), "built-in%20x.yaml");
    }
}
