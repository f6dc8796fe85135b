//! Roles that a program changes after they were loaded.
//!
//! What is set here stands in no file: no message names a line for it. What a list had
//! before and has again keeps its line.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::node::Node;
use super::spanned::replace;
use super::{Conventions, Gate, Related, Role, RoleValue, Tree};
use crate::settings::{Change, Engine, Prune, Style};
use crate::tokens::Tokenizer;

/// Changes. They take what a role file could say, and do not check it.
impl Role {
    /// Gives it another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Role {
        self.name = name.into();
        let node = json(&self.name);
        self.saying(&["name"], node)
    }

    /// Says otherwise what it does, in one line.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Role {
        self.description = description.into();
        let node = json(&self.description);
        self.saying(&["description"], node)
    }

    /// Replaces its instructions.
    #[must_use]
    pub fn with_system_prompt(mut self, prompt: impl Into<String>) -> Role {
        self.system_prompt = prompt.into();
        let node = json(&self.system_prompt);
        self.prompt = vec![RoleValue::of("system_prompt", &node)];
        self.saying(&["system_prompt"], node)
    }

    /// Names the template that renders it.
    #[must_use]
    pub fn with_template(mut self, template: impl Into<String>) -> Role {
        let template = template.into();
        let node = json(&template);
        self.template = Some(template);
        self.saying(&["template"], node)
    }

    /// Names the program that runs the worker.
    #[must_use]
    pub fn with_cli(mut self, cli: impl Into<String>) -> Role {
        let cli = cli.into();
        let node = json(&cli);
        self.cli = Some(cli);
        self.saying(&["cli"], node)
    }

    /// Replaces the program's arguments.
    #[must_use]
    pub fn with_flags(mut self, flags: impl IntoIterator<Item = impl Into<String>>) -> Role {
        self.flags = flags.into_iter().map(Into::into).collect();
        let node = json(&self.flags);
        self.saying(&["flags"], node)
    }

    /// Replaces the checks of the worker's result.
    #[must_use]
    pub fn with_gates(mut self, gates: impl IntoIterator<Item = Gate>) -> Role {
        self.gates = gates.into_iter().collect();
        let node = json(&self.gates);
        self.saying(&["gates"], node)
    }

    /// Replaces the orchestrator's own settings.
    #[must_use]
    pub fn with_config(mut self, config: Map<String, Json>) -> Role {
        self.config = config;
        let node = json(&self.config);
        self.saying(&["config"], node)
    }

    /// Sets a field of your own, whose name starts with `x-`.
    #[must_use]
    pub fn with_extension(mut self, name: impl Into<String>, value: Json) -> Role {
        let (name, node) = (name.into(), json(&value));
        self = self.saying(&[&name], node);
        self.extensions.insert(name, value);
        self
    }

    /// Replaces the budget of the whole prompt, in tokens.
    #[must_use]
    pub fn with_token_budget(mut self, tokens: usize) -> Role {
        self.context.token_budget = tokens;
        self.setting("token_budget", json(&tokens))
    }

    /// Replaces the patterns of `include`.
    #[must_use]
    pub fn with_include(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Role {
        let node = replace(&mut self.context.include, patterns);
        self.setting("include", node)
    }

    /// Replaces the patterns of `exclude`.
    #[must_use]
    pub fn with_exclude(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Role {
        let node = replace(&mut self.context.exclude, patterns);
        self.setting("exclude", node)
    }

    /// Replaces the patterns of `always_include`.
    #[must_use]
    pub fn with_always_include(
        mut self,
        patterns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Role {
        let node = replace(&mut self.context.always_include, patterns);
        self.setting("always_include", node)
    }

    /// Replaces the section keys of `priority_order`.
    #[must_use]
    pub fn with_priority_order(
        mut self,
        keys: impl IntoIterator<Item = impl Into<String>>,
    ) -> Role {
        let node = replace(&mut self.context.priority_order, keys);
        self.setting("priority_order", node)
    }

    /// Says whether the diff of the change is included.
    #[must_use]
    pub fn with_git_diff(mut self, included: bool) -> Role {
        self.context.git_diff = included;
        self.setting("git_diff", json(&included))
    }

    /// Says which change the prompt is about.
    #[must_use]
    pub fn with_change(mut self, change: Change) -> Role {
        self.context.change = change;
        self.setting("change", json(&change))
    }

    /// Says whether and how the directory tree is drawn.
    #[must_use]
    pub fn with_tree(mut self, tree: Tree) -> Role {
        let node = json(&tree);
        self.context.tree = tree;
        self.setting("tree", node)
    }

    /// Says whether related files are looked for.
    #[must_use]
    pub fn with_related(mut self, related: Related) -> Role {
        let node = json(&related);
        self.context.related = related;
        self.setting("related", node)
    }

    /// Says which convention files are looked for.
    #[must_use]
    pub fn with_conventions(mut self, conventions: Conventions) -> Role {
        let node = json(&conventions);
        self.context.conventions = conventions;
        self.setting("conventions", node)
    }

    /// Says whether the `.context/` directory is included.
    #[must_use]
    pub fn with_project_context(mut self, included: bool) -> Role {
        self.context.project_context = included;
        self.setting("project_context", json(&included))
    }

    /// Says whether the last commits that touched what the prompt is about are listed.
    #[must_use]
    pub fn with_recent_commits(mut self, included: bool) -> Role {
        self.context.recent_commits = included;
        self.setting("recent_commits", json(&included))
    }

    /// Says what happens to a section that does not fit.
    #[must_use]
    pub fn with_prune(mut self, prune: Prune) -> Role {
        self.context.prune = prune;
        self.setting("prune", json(&prune))
    }

    /// Says how sections are written.
    #[must_use]
    pub fn with_style(mut self, style: Style) -> Role {
        self.context.style = style;
        self.setting("style", json(&style))
    }

    /// Says who packs what the plain patterns match.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Role {
        self.context.engine = engine;
        self.setting("engine", json(&engine))
    }

    /// Says how tokens are counted.
    #[must_use]
    pub fn with_tokenizer(mut self, tokenizer: Tokenizer) -> Role {
        self.context.tokenizer = tokenizer;
        self.setting("tokenizer", json(&tokenizer))
    }

    fn setting(self, name: &str, node: Node) -> Role {
        self.saying(&["context", name], node)
    }

    /// Has the data from which places and single values are told say the same.
    fn saying(mut self, keys: &[&str], node: Node) -> Role {
        if let Some(whole) = &mut self.node {
            whole.set(keys, node);
        }
        self
    }
}

/// A value that stands in no file.
fn json(value: &impl Serialize) -> Node {
    Node::from_json(&serde_json::to_value(value).unwrap_or_default())
}
