//! The context that a role's worker gets, and the role's other settings.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::node::Node;
use super::pattern::PatternLine;
use super::spanned::{FromText, Spanned, locate};
use super::{CONVENTION_FILES, DEFAULT_BUDGET, DEFAULT_RELATED_FILES, DEFAULT_TREE_DEPTH};
use crate::json::whole;
use crate::section::Key;
use crate::settings::{Change, Engine, Prune, Style};
use crate::tokens::Tokenizer;

/// A check of the worker's result, kept for the orchestrator.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Gate {
    /// Only its name.
    Name(String),
    /// With settings.
    Full {
        /// Its name.
        name: String,
        /// Whether the result must pass it.
        #[serde(default = "yes")]
        required: bool,
        /// What the orchestrator does if it does not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_fail: Option<String>,
    },
}

/// The `context` of a role. [`Role`](super::Role) has the methods that change it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Settings {
    /// The budget of the whole prompt, in tokens.
    #[serde(deserialize_with = "whole")]
    pub token_budget: usize,
    #[serde(deserialize_with = "or_default")]
    pub(super) include: Vec<PatternLine>,
    #[serde(deserialize_with = "or_default")]
    pub(super) exclude: Vec<PatternLine>,
    #[serde(deserialize_with = "or_default")]
    pub(super) always_include: Vec<PatternLine>,
    #[serde(deserialize_with = "or_default")]
    pub(super) priority_order: Vec<RankedName>,
    /// Whether the diff of the change is included.
    pub git_diff: bool,
    /// Which change the prompt is about.
    pub change: Change,
    /// Whether and how deep the directory tree is drawn.
    pub tree: Tree,
    /// Whether to look for related files.
    pub related: Related,
    /// Which convention files to look for.
    pub conventions: Conventions,
    /// Whether the `.context/` directory is included.
    pub project_context: bool,
    /// Whether the last commits that touched what the prompt is about are listed.
    pub recent_commits: bool,
    /// What happens when the sections do not fit.
    pub prune: Prune,
    /// How sections are written.
    pub style: Style,
    /// Which engine packs the files that plain patterns match.
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
            change: Change::default(),
            tree: Tree::Switch(false),
            related: Related::Switch(false),
            conventions: Conventions::Switch(false),
            project_context: false,
            recent_commits: false,
            prune: Prune::default(),
            style: Style::default(),
            engine: Engine::default(),
            tokenizer: Tokenizer::default(),
            unknown: Map::new(),
        }
    }
}

/// One of a role's lists of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    /// Files and sections to include.
    Include,
    /// Files to leave out.
    Exclude,
    /// Protected files.
    AlwaysInclude,
}

impl List {
    /// All of them.
    pub const ALL: [List; 3] = [List::Include, List::Exclude, List::AlwaysInclude];

    /// Returns the key under `context`.
    pub fn name(self) -> &'static str {
        match self {
            List::Include => "include",
            List::Exclude => "exclude",
            List::AlwaysInclude => "always_include",
        }
    }
}

/// A name in `priority_order`, with the section that it stands for.
pub type RankedName = Spanned<Option<Key>>;

impl FromText for Option<Key> {
    fn from_text(name: &str) -> Self {
        match name {
            "standards" | "docs" | "readme" => Some(Key::Files),
            "task_description" => None,
            name => Some(Key::from_name(name)),
        }
    }
}

impl Settings {
    /// Returns the files and sections to include, as patterns.
    pub fn include(&self) -> impl Iterator<Item = &str> {
        texts(&self.include)
    }

    /// Returns the files to leave out, as patterns.
    pub fn exclude(&self) -> impl Iterator<Item = &str> {
        texts(&self.exclude)
    }

    /// Returns the protected files, as patterns.
    pub fn always_include(&self) -> impl Iterator<Item = &str> {
        texts(&self.always_include)
    }

    /// Returns the section keys, the most important first.
    pub fn priority_order(&self) -> impl Iterator<Item = &str> {
        texts(&self.priority_order)
    }

    /// Returns the patterns of a list, parsed.
    pub(crate) fn patterns(&self, list: List) -> &[PatternLine] {
        match list {
            List::Include => &self.include,
            List::Exclude => &self.exclude,
            List::AlwaysInclude => &self.always_include,
        }
    }

    /// Returns the names of `priority_order`, parsed.
    pub(crate) fn ranked_names(&self) -> &[RankedName] {
        &self.priority_order
    }

    /// Tells the entries of its lists where they are in the file.
    pub(super) fn locate(&mut self, context: &Node) {
        locate(&mut self.include, context.get("include"));
        locate(&mut self.exclude, context.get("exclude"));
        locate(&mut self.always_include, context.get("always_include"));
        locate(&mut self.priority_order, context.get("priority_order"));
    }
}

fn texts<T>(list: &[Spanned<T>]) -> impl Iterator<Item = &str> {
    list.iter().map(Spanned::text)
}

/// Whether and how deep the directory tree is drawn.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tree {
    /// With the default depth, or not at all.
    Switch(bool),
    /// With settings.
    With {
        /// How many levels of folders to draw.
        #[serde(default = "default_tree_depth", deserialize_with = "whole")]
        depth: usize,
    },
}

impl Tree {
    /// Returns how many levels are drawn; `None` for no tree.
    pub fn depth(&self) -> Option<usize> {
        match self {
            Tree::Switch(false) => None,
            Tree::Switch(true) => Some(DEFAULT_TREE_DEPTH),
            Tree::With { depth } => Some(*depth),
        }
    }
}

/// Whether to look for related files.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Related {
    /// With the default number of files, or not at all.
    Switch(bool),
    /// With settings.
    With {
        /// The most files.
        #[serde(default = "default_related_files", deserialize_with = "whole")]
        max_files: usize,
        /// Whether to fill the budget with them, even if they are unlikely to help.
        #[serde(default)]
        fill: bool,
    },
}

impl Related {
    /// Returns how many files are packed at most; `None` for no section.
    pub fn max_files(&self) -> Option<usize> {
        match self {
            Related::Switch(false) => None,
            Related::Switch(true) => Some(DEFAULT_RELATED_FILES),
            Related::With { max_files, .. } => Some(*max_files),
        }
    }

    /// Whether they fill the budget.
    pub fn fills(&self) -> bool {
        matches!(self, Related::With { fill: true, .. })
    }
}

/// Which convention files to look for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Conventions {
    /// What agents' hosts read for the files that the prompt is about, or none.
    Switch(bool),
    /// The first of these files that exists.
    Files(Vec<String>),
}

impl Conventions {
    /// Returns the file names, of which the first that exists wins.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Conventions::Switch(false) => Vec::new(),
            Conventions::Switch(true) => CONVENTION_FILES.to_vec(),
            Conventions::Files(files) => files.iter().map(String::as_str).collect(),
        }
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

/// Reads a key without a value as if it were absent.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
