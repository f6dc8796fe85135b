//! Who the worker is and what it needs: roles from YAML.

pub mod automaton;
mod change;
mod draft;
mod faults;
mod json_schema;
pub mod load;
mod meant;
mod merge;
pub mod node;
pub mod pattern;
mod raw;
mod reading;
pub mod schema;
mod settings;
mod spanned;
mod types;
mod value;
pub mod yaml;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::error::{Diagnostic, Place};
use crate::repo::Asker;
use crate::section::Key;

pub use self::draft::draft_role;
pub use self::json_schema::role_schema;
use self::settings::or_default;
pub use self::settings::{Conventions, Gate, List, Related, Settings, Tree};
pub use self::value::RoleValue;
pub use self::yaml::parse_yaml;

/// The budget of a role that names none, in tokens.
pub const DEFAULT_BUDGET: usize = 20_000;

/// The depth of the tree, if the role does not say.
pub const DEFAULT_TREE_DEPTH: usize = 3;

/// The most related files that are packed, if the role does not say.
pub const DEFAULT_RELATED_FILES: usize = 60;

/// The convention files to look for at the root. The first that exists wins.
pub const CONVENTION_FILES: [&str; 20] = [
    "AGENTS.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".clinerules",
    ".cursorrules",
    "CONTRIBUTING.md",
    "CONTRIBUTING.rst",
    "CONTRIBUTING.markdown",
    "CONTRIBUTING.adoc",
    "CONTRIBUTING.txt",
    "CONTRIBUTING",
    ".github/CONTRIBUTING.md",
    ".github/CONTRIBUTING.markdown",
    ".github/CONTRIBUTING.rst",
    "docs/CONTRIBUTING.md",
    "docs/CONTRIBUTING.rst",
    "docs/contributing.md",
    "docs/contributing.rst",
];

/// One kind of worker: its system prompt, what context it gets, and how that context is ranked when
/// the budget is tight.
///
/// [`Roles::load`](load::Roles::load) and its siblings make it, merged with everything that it
/// extends. Its `with_` methods change it. What they set is in no file, so no message names a line
/// for it.
///
/// ```
/// # fn main() -> Result<(), context_packer::Error> {
/// let role = context_packer::Roles::built_in().load("reviewer")?;
/// let include: Vec<String> = role.context().include().map(str::to_owned).collect();
/// let role = role
///     .with_include(include.iter().map(String::as_str).chain(["docs/*.md"]))
///     .with_token_budget(8_000);
/// assert_eq!(role.context().include().last(), Some("docs/*.md"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Role {
    /// Its name.
    name: String,
    /// What it does, in one line.
    description: String,
    /// The role that it extends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extends: Option<String>,
    /// The root of the chain of roles that it extends.
    #[serde(default, rename = "base_role")]
    base: Option<String>,
    /// Its instructions.
    system_prompt: String,
    /// The template that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    template: Option<String>,
    /// For the orchestrator: the program that runs the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cli: Option<String>,
    /// For the orchestrator: the program's arguments.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    flags: Vec<String>,
    /// For the orchestrator: checks of the worker's result.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    gates: Vec<Gate>,
    /// For the orchestrator: its own settings.
    #[serde(default, deserialize_with = "or_default")]
    config: Map<String, Json>,
    /// What context it gets.
    #[serde(default, deserialize_with = "or_default")]
    context: Settings,
    /// Fields that start with `x-`.
    #[serde(flatten)]
    extensions: Map<String, Json>,
    /// Where it comes from.
    #[serde(skip)]
    source: String,
    /// What its author should know.
    #[serde(skip)]
    warnings: Vec<Diagnostic>,
    /// The files that it is made of: its own, then those of the roles that it extends.
    #[serde(skip)]
    chain: Vec<String>,
    /// Findings that matter only to a check.
    #[serde(skip)]
    remarks: Vec<Diagnostic>,
    #[serde(skip)]
    node: Option<node::Node>,
    /// The parts of its instructions, with the field that sets each.
    #[serde(skip)]
    prompt: Vec<RoleValue>,
}

impl Role {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what it does, in one line.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the role that it extends.
    pub fn extends(&self) -> Option<&str> {
        self.extends.as_deref()
    }

    /// Returns the root of the chain of roles that it extends.
    pub fn base_role(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// Returns its instructions.
    pub fn system_prompt(&self) -> &str {
        &self.system_prompt
    }

    /// For the orchestrator: the program that runs the worker.
    pub fn cli(&self) -> Option<&str> {
        self.cli.as_deref()
    }

    /// For the orchestrator: the program's arguments.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// For the orchestrator: checks of the worker's result.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// For the orchestrator: its own settings.
    pub fn config(&self) -> &Map<String, Json> {
        &self.config
    }

    /// Returns what context it gets.
    pub fn context(&self) -> &Settings {
        &self.context
    }

    /// Returns the fields that start with `x-`.
    pub fn extensions(&self) -> &Map<String, Json> {
        &self.extensions
    }

    /// Returns where it comes from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns what the author of its files should know.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns the files that it is made of: its own, then those of the roles that it extends.
    pub fn chain(&self) -> &[String] {
        &self.chain
    }

    /// Returns the template that renders this role: the one it names, or else the shipped one of
    /// its base role; `None` for the whole-prompt flow.
    pub fn template(&self) -> Option<&str> {
        if let Some(name) = &self.template {
            return Some(name);
        }
        template_of(self.base.as_deref().unwrap_or(&self.name))
    }

    /// Returns the keys of `priority_order` as section keys, each once. `standards`, `docs` and
    /// `readme` stand for `files`; `system_prompt`, `task` and `task_description` are ignored,
    /// because they are never pruned.
    pub fn priority(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for key in self
            .context
            .priority_order
            .iter()
            .filter_map(|name| name.value().as_ref())
        {
            if !key.is_protected() && !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys
    }

    /// Returns what a check reports beyond the warnings.
    pub(crate) fn remarks(&self) -> &[Diagnostic] {
        &self.remarks
    }

    /// Returns where the role names its template.
    pub(crate) fn template_place(&self) -> Option<Place> {
        self.node.as_ref()?.get("template")?.at.place()
    }

    /// Returns the file and the line of a value, which is named by its keys from the outside in.
    pub(crate) fn line_of(&self, keys: &[&str]) -> Option<(&str, usize)> {
        self.node_of(keys)?.at.line()
    }

    /// Returns who named the convention files. Those that nobody names belong to the repository.
    pub(crate) fn asker_of_conventions(&self) -> Asker {
        match self.context.conventions {
            Conventions::Switch(_) => Asker::Repository,
            Conventions::Files(_) => self
                .node_of(&["context", "conventions"])
                .map_or(Asker::Operator, |node| node.at.asker()),
        }
    }

    /// Returns where its conventions are.
    pub(crate) fn place_of_conventions(&self) -> Option<Place> {
        self.node_of(&["context", "conventions"])?.at.place()
    }

    fn node_of(&self, keys: &[&str]) -> Option<&node::Node> {
        let node = self.node.as_ref()?;
        keys.iter().try_fold(node, |node, key| node.get(key))
    }
}

/// Returns the shipped template for roles with this base role.
fn template_of(base: &str) -> Option<&'static str> {
    match base {
        "planner" => Some("planning.j2"),
        "implementer" => Some("implement.j2"),
        "reviewer" => Some("review_strict.j2"),
        _ => None,
    }
}
