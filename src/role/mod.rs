//! Who the worker is and what it needs: roles from YAML.

mod draft;
mod json_schema;
pub mod load;
mod merge;
pub mod node;
pub mod pattern;
pub mod schema;
pub mod yaml;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::error::{Diagnostic, Place};
use crate::section::Key;
use crate::settings::{Engine, Prune, Style};
use crate::tokens::Tokenizer;

pub use self::draft::draft_role;
pub use self::json_schema::role_schema;

/// The budget of a role that names none, in tokens.
pub const DEFAULT_BUDGET: usize = 20_000;

/// How deep the tree is drawn where a role does not say.
pub const DEFAULT_TREE_DEPTH: usize = 3;

/// How many related files are packed at most where a role does not say.
pub const DEFAULT_RELATED_FILES: usize = 60;

/// Where conventions are looked for, the first found wins.
pub const CONVENTION_FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md"];

/// One kind of worker: its system prompt, what context it gets, and how that
/// context is ranked when the budget is tight.
///
/// Made by [`Roles::load`](load::Roles::load) and its siblings, merged with
/// everything that it extends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub description: String,
    /// The role that it extends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extends: Option<String>,
    /// The root of the chain of roles that it extends.
    #[serde(default)]
    pub base_role: Option<String>,
    /// Its instructions.
    pub system_prompt: String,
    /// The template that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The orchestrator's own: the program that runs the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli: Option<String>,
    /// The orchestrator's own: the program's arguments.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub flags: Vec<String>,
    /// The orchestrator's own: checks of the worker's result.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub gates: Vec<Gate>,
    /// The orchestrator's own settings.
    #[serde(default, deserialize_with = "or_default")]
    pub config: Map<String, Json>,
    /// What context it gets.
    #[serde(default, deserialize_with = "or_default")]
    pub context: Settings,
    /// Fields that start with `x-`.
    #[serde(flatten)]
    pub extensions: Map<String, Json>,
    /// Where it comes from.
    #[serde(skip)]
    pub source: String,
    /// What its author should know.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
    /// The files that it is made of: its own, then those of the roles that it extends.
    #[serde(skip)]
    pub chain: Vec<String>,
    /// What matters only to a check.
    #[serde(skip)]
    remarks: Vec<Diagnostic>,
    #[serde(skip)]
    node: Option<node::Node>,
    /// What its instructions are made of, with the field that says each.
    #[serde(skip)]
    prompt: Vec<RoleValue>,
}

/// A single value of a role, and which file of the chain says so.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RoleValue {
    /// Where it stands in the role, for example `context.include[0]`.
    pub path: String,
    /// The value.
    pub value: Json,
    /// The file that says it; none for a default.
    pub file: Option<String>,
    /// The line in that file, counted from 1.
    pub line: Option<usize>,
}

/// A check of the worker's result; kept for the orchestrator.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Gate {
    /// Just its name.
    Name(String),
    /// With settings.
    Full {
        /// Its name.
        name: String,
        /// Whether the result has to pass it.
        #[serde(default = "yes")]
        required: bool,
        /// What the orchestrator does if it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_fail: Option<String>,
    },
}

/// The `context` of a role.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The budget of the whole prompt, in tokens.
    pub token_budget: usize,
    /// Files and sections to include.
    #[serde(deserialize_with = "or_default")]
    pub include: Vec<String>,
    /// Files to leave out.
    #[serde(deserialize_with = "or_default")]
    pub exclude: Vec<String>,
    /// Protected files.
    #[serde(deserialize_with = "or_default")]
    pub always_include: Vec<String>,
    /// Section keys, the most important first.
    #[serde(deserialize_with = "or_default")]
    pub priority_order: Vec<String>,
    /// Whether the staged diff is included.
    pub git_diff: bool,
    /// Whether and how the directory tree is drawn.
    pub tree: Tree,
    /// Whether related files are looked for.
    pub related: Related,
    /// Which convention files are looked for.
    pub conventions: Conventions,
    /// Whether the `.context/` directory is included.
    pub project_context: bool,
    /// What happens when it does not fit.
    pub prune: Prune,
    /// How sections are written.
    pub style: Style,
    /// Who packs what the plain patterns match.
    pub engine: Engine,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// Settings that this version does not know.
    #[serde(flatten)]
    pub unknown: Map<String, Json>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            token_budget: DEFAULT_BUDGET,
            include: Vec::new(),
            exclude: Vec::new(),
            always_include: Vec::new(),
            priority_order: Vec::new(),
            git_diff: false,
            tree: Tree::Switch(false),
            related: Related::Switch(false),
            conventions: Conventions::Switch(false),
            project_context: false,
            prune: Prune::default(),
            style: Style::default(),
            engine: Engine::default(),
            tokenizer: Tokenizer::default(),
            unknown: Map::new(),
        }
    }
}

/// Whether and how deep the directory tree is drawn.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tree {
    /// With the default depth, or not at all.
    Switch(bool),
    /// With settings.
    With {
        /// How many levels of folders.
        #[serde(default = "default_tree_depth")]
        depth: usize,
    },
}

impl Tree {
    /// How many levels are drawn; `None` for no tree.
    pub fn depth(&self) -> Option<usize> {
        match self {
            Tree::Switch(false) => None,
            Tree::Switch(true) => Some(DEFAULT_TREE_DEPTH),
            Tree::With { depth } => Some(*depth),
        }
    }
}

/// Whether related files are looked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Related {
    /// With the default number of files, or not at all.
    Switch(bool),
    /// With settings.
    With {
        /// How many files at most.
        #[serde(default = "default_related_files")]
        max_files: usize,
        /// Whether they fill the budget, however little they are likely to help.
        #[serde(default)]
        fill: bool,
    },
}

impl Related {
    /// How many files are packed at most; `None` for no section.
    pub fn max_files(&self) -> Option<usize> {
        match self {
            Related::Switch(false) => None,
            Related::Switch(true) => Some(DEFAULT_RELATED_FILES),
            Related::With { max_files, .. } => Some(*max_files),
        }
    }

    /// Whether what is there fills the budget.
    pub fn fills(&self) -> bool {
        matches!(self, Related::With { fill: true, .. })
    }
}

/// Which convention files are looked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Conventions {
    /// [`CONVENTION_FILES`], or none.
    Switch(bool),
    /// These, the first found wins.
    Files(Vec<String>),
}

impl Conventions {
    /// The file names, the first found wins.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Conventions::Switch(false) => Vec::new(),
            Conventions::Switch(true) => CONVENTION_FILES.to_vec(),
            Conventions::Files(files) => files.iter().map(String::as_str).collect(),
        }
    }
}

impl Role {
    /// The template that renders this role: the one it names, else the shipped one
    /// of its base role; `None` for the whole-prompt flow.
    pub fn template(&self) -> Option<&str> {
        if let Some(name) = &self.template {
            return Some(name);
        }
        template_of(self.base_role.as_deref().unwrap_or(&self.name))
    }

    /// The keys of `priority_order` as section keys, each once. `standards`,
    /// `docs` and `readme` stand for `files`; `system_prompt`, `task` and
    /// `task_description` are ignored, since they are never pruned.
    pub fn priority(&self) -> Vec<Key> {
        let mut keys = Vec::new();
        for name in &self.context.priority_order {
            let Some(key) = Role::ranked(name) else {
                continue;
            };
            if !key.is_protected() && !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// The section for which a name stands in `priority_order`.
    pub(crate) fn ranked(name: &str) -> Option<Key> {
        match name {
            "standards" | "docs" | "readme" => Some(Key::Files),
            "task_description" => None,
            name => Some(Key::from_name(name)),
        }
    }

    /// What a check says beyond the warnings.
    pub(crate) fn remarks(&self) -> &[Diagnostic] {
        &self.remarks
    }

    /// Whether a value of a list under `context` comes from a built-in role, whose
    /// patterns are guesses about repositories of every kind.
    pub(crate) fn is_guess(&self, list: &str, index: usize) -> bool {
        let item = self.item(list, index);
        item.is_some_and(|node| node.at.file().starts_with(load::BUILT_IN_PLACE))
    }

    /// Where a value of a list under `context` stands, for example the third
    /// pattern of `include`.
    pub(crate) fn place(&self, list: &str, index: usize) -> Option<Place> {
        self.item(list, index)?.at.place()
    }

    /// Where the role names its template.
    pub(crate) fn template_place(&self) -> Option<Place> {
        self.node.as_ref()?.get("template")?.at.place()
    }

    /// Where a value stands, named by its keys from the outside in.
    pub(crate) fn place_of(&self, keys: &[&str]) -> Option<Place> {
        let node = self.node.as_ref()?;
        let node = keys.iter().try_fold(node, |node, key| node.get(key))?;
        node.at.place()
    }

    /// Every value of the merged role in the order of its fields, each with the file that
    /// says it, and the defaults of what no file says.
    pub fn values(&self) -> Vec<RoleValue> {
        let mut values = Vec::new();
        let Some(node) = &self.node else {
            return values;
        };
        for (label, node) in node.entries() {
            match label.name.as_str() {
                "system_prompt" => values.extend(self.prompt.iter().cloned()),
                name => flatten(node, name, &mut values),
            }
        }
        let said = node.get("context");
        let defaults = serde_json::to_value(Settings::default()).unwrap_or_default();
        let fields = defaults.as_object().into_iter().flatten();
        // A key without a value is as if it was not there.
        let says = |name: &str| {
            let value = said.and_then(|said| said.get(name));
            value.is_some_and(|node| !matches!(node.value, node::Value::Null))
        };
        let unsaid = fields.filter(|(name, _)| !says(name));
        values.extend(unsaid.map(|(name, value)| RoleValue {
            path: format!("context.{name}"),
            value: value.clone(),
            file: None,
            line: None,
        }));
        values
    }

    fn item(&self, list: &str, index: usize) -> Option<&node::Node> {
        let list = self.node.as_ref()?.get("context")?.get(list)?;
        match &list.value {
            node::Value::List(items) => items.get(index),
            _ => None,
        }
    }
}

/// Adds the single values of a node.
fn flatten(node: &node::Node, path: &str, values: &mut Vec<RoleValue>) {
    match &node.value {
        node::Value::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                flatten(item, &format!("{path}[{index}]"), values);
            }
        }
        node::Value::Map(entries) if !entries.is_empty() => {
            for (label, item) in entries {
                flatten(item, &format!("{path}.{}", label.name), values);
            }
        }
        node::Value::Null => {}
        _ => values.push(RoleValue::of(path, node)),
    }
}

impl RoleValue {
    /// The value of a node with the place where it stands. What stands in no file came
    /// with the request.
    fn of(path: &str, node: &node::Node) -> RoleValue {
        let place = node.at.place();
        RoleValue {
            path: path.to_owned(),
            value: node.to_json(),
            line: place.as_ref().map(|place| place.line),
            file: Some(place.map_or_else(|| "request".to_owned(), |place| place.file)),
        }
    }
}

/// The shipped template for roles with this base role.
fn template_of(base: &str) -> Option<&'static str> {
    match base {
        "planner" => Some("planning.j2"),
        "implementer" => Some("implement.j2"),
        "reviewer" => Some("review_strict.j2"),
        _ => None,
    }
}

fn yes() -> bool {
    true
}

fn default_tree_depth() -> usize {
    DEFAULT_TREE_DEPTH
}

fn default_related_files() -> usize {
    DEFAULT_RELATED_FILES
}

/// A key without a value is as if it was not there.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
