//! The page of `packer explain --html` and `packer preview`: one self-contained file.

use context_packer::command::section_names;
use context_packer::explain::Explanation;
use serde::Serialize;
use serde_json::{Map, Value as Json};

const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Settings that cannot be chosen on the page, because no page shows them or no field has room for
/// them.
#[cfg(feature = "preview")]
pub(super) const WITHHELD: [&str; 5] = ["base", "diff", "engine", "strict", "worktree"];

/// What is wrong with what the page shows.
#[cfg(feature = "preview")]
#[derive(Clone, Serialize)]
pub(super) struct Problem {
    #[serde(rename = "error")]
    pub(super) message: String,
    pub(super) help: Option<String>,
}

#[cfg(feature = "preview")]
impl Problem {
    /// Reports that the template failed and the prompt was built without it.
    pub(super) fn of_template(explanation: &Explanation) -> Option<Problem> {
        let is_it = |note: &&context_packer::Note| note.kind == context_packer::NoteKind::Template;
        let failed = explanation.warnings.iter().find(is_it);
        let failed = failed.filter(|_| explanation.flow == context_packer::report::Flow::Whole)?;
        Some(Problem {
            message: failed.message.clone(),
            help: None,
        })
    }

    pub(super) fn of(error: &anyhow::Error) -> Problem {
        Problem {
            message: super::report::sentence(error),
            help: super::report::help_of(error).map(str::to_owned),
        }
    }
}

/// What the script on the page reads.
#[derive(Serialize)]
struct Data<'a> {
    /// Whether there is a server to talk to.
    live: bool,
    title: String,
    version: u64,
    /// The names of all built-in sections: each has its colour.
    sections: Vec<&'static str>,
    /// The settings that may be overridden: the schema of each field.
    overrides: Map<String, Json>,
    explanation: &'a Explanation,
    /// What is wrong, as `error` and `help`.
    problem: Option<Json>,
}

/// Returns the page as a file.
pub(super) fn still(explanation: &Explanation) -> serde_json::Result<String> {
    fill(&Data {
        live: false,
        title: title(explanation),
        version: 0,
        sections: section_names(),
        overrides: Map::new(),
        explanation,
        problem: None,
    })
}

/// Returns the page as `packer preview` serves it.
#[cfg(feature = "preview")]
pub(super) fn live(
    explanation: &Explanation,
    version: u64,
    problem: Option<&Problem>,
) -> serde_json::Result<String> {
    fill(&Data {
        live: true,
        title: title(explanation),
        version,
        sections: section_names(),
        overrides: super::fields::each::<context_packer::requests::Overrides>(&WITHHELD),
        explanation,
        problem: problem.map(serde_json::to_value).transpose()?,
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
