//! Settings, cut by the names of their tables.

use super::{DeclarationKind, Start, title};

/// Finds tables of TOML and INI: `[package]`, `[[bench]]`. Comments at the end of a table belong to
/// the next one.
pub fn of_brackets(lines: &[&str]) -> Vec<Start> {
    let mut starts: Vec<Start> = Vec::new();
    let mut content = 0;
    for (at, line) in lines.iter().enumerate() {
        let said = line.split(['#', ';']).next().unwrap_or_default().trim_end();
        if line.starts_with('[') && said.ends_with(']') {
            if let Some(last) = starts.last_mut() {
                last.end = Some(content);
            }
            starts.push(Start {
                line: at,
                title_line: at,
                head_end: at + 1,
                title: title(said),
                level: 0,
                end: None,
                kind: DeclarationKind::Section,
            });
        }
        if !said.is_empty() {
            content = at + 1;
        }
    }
    starts
}
