//! The page of `packer explain --html` and `packer preview`: one file that holds all it
//! needs.

use context_packer::command::section_names;
use context_packer::explain::Explanation;
use serde::Serialize;
use serde_json::{Map, Value as Json};

const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What cannot be chosen on the page, since no page shows it, or no field of it has room.
#[cfg(feature = "preview")]
pub(super) const WITHHELD: [&str; 5] = ["base", "diff", "engine", "strict", "worktree"];

/// What the script on the page reads.
#[derive(Serialize)]
struct Data<'a> {
    /// Whether there is a server to talk to.
    live: bool,
    title: String,
    version: u64,
    /// The names of all built-in sections: each has its colour.
    sections: Vec<&'static str>,
    /// What may be asked for otherwise: the schema of each field.
    overrides: Map<String, Json>,
    explanation: &'a Explanation,
}

/// The page as a file.
pub(super) fn still(explanation: &Explanation) -> serde_json::Result<String> {
    fill(&Data {
        live: false,
        title: title(explanation),
        version: 0,
        sections: section_names(),
        overrides: Map::new(),
        explanation,
    })
}

/// The page as `packer preview` serves it.
#[cfg(feature = "preview")]
pub(super) fn live(explanation: &Explanation, version: u64) -> serde_json::Result<String> {
    fill(&Data {
        live: true,
        title: title(explanation),
        version,
        sections: section_names(),
        overrides: super::fields::each::<context_packer::requests::Overrides>(&WITHHELD),
        explanation,
    })
}

fn fill(data: &Data<'_>) -> serde_json::Result<String> {
    // Inside an element for scripts, only `<` could end it.
    let data = serde_json::to_string(data)?.replace('<', "\\u003c");
    // Data is put in last: what it says is never taken for a placeholder.
    let page = HTML
        .replacen("/*STYLE*/", STYLE, 1)
        .replacen("/*SCRIPT*/", SCRIPT, 1);
    Ok(page.replacen("/*DATA*/", &data, 1))
}

fn title(explanation: &Explanation) -> String {
    let role = &explanation.role.name;
    match explanation.targets.first() {
        Some(target) => format!("{role} · {target}"),
        None => role.clone(),
    }
}
