//! Changes that a program makes to roles after loading them.
//!
//! What is set here is in no file, so no message names a line for it. An entry that a list had
//! before and has again keeps its line.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::node::Node;
use super::spanned::replace;
use super::{Conventions, Gate, Related, Role, RoleValue, Tree};
use crate::settings::{Change, Engine, Prune, Style};
use crate::tokens::Tokenizer;

/// Generates the methods that set a field of `context`.
macro_rules! settings {
    ($($(#[$about:meta])+ $method:ident($field:ident: $kind:ty);)+) => {$(
        $(#[$about])+
        #[must_use]
        pub fn $method(mut self, $field: $kind) -> Role {
            let node = json(&$field);
            self.context.$field = $field;
            self.setting(stringify!($field), node)
        }
    )+};
}

/// Generates the methods that replace a list of `context`.
macro_rules! lists {
    ($($(#[$about:meta])+ $method:ident($field:ident);)+) => {$(
        $(#[$about])+
        #[must_use]
        pub fn $method(mut self, texts: impl IntoIterator<Item = impl Into<String>>) -> Role {
            let node = replace(&mut self.context.$field, texts);
            self.setting(stringify!($field), node)
        }
    )+};
}

/// Changes. They accept whatever a role file could say, and do not check it.
impl Role {
    /// Sets its name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Role {
        self.name = name.into();
        let node = json(&self.name);
        self.saying(&["name"], node)
    }

    /// Sets its description, in one line.
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

    /// Sets the template that renders it.
    #[must_use]
    pub fn with_template(mut self, template: impl Into<String>) -> Role {
        let template = template.into();
        let node = json(&template);
        self.template = Some(template);
        self.saying(&["template"], node)
    }

    /// Sets the program that runs the worker.
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

    settings! {
        /// Sets the budget of the whole prompt, in tokens.
        with_token_budget(token_budget: usize);

        /// Sets whether the diff of the change is included.
        with_git_diff(git_diff: bool);

        /// Sets which change the prompt is about.
        with_change(change: Change);

        /// Sets whether and how deep the directory tree is drawn.
        with_tree(tree: Tree);

        /// Sets whether to look for related files.
        with_related(related: Related);

        /// Sets which convention files to look for.
        with_conventions(conventions: Conventions);

        /// Sets whether the `.context/` directory is included.
        with_project_context(project_context: bool);

        /// Sets whether the last commits that touched what the prompt is about are listed.
        with_recent_commits(recent_commits: bool);

        /// Sets what happens to a section that does not fit.
        with_prune(prune: Prune);

        /// Sets how sections are written.
        with_style(style: Style);

        /// Sets which engine packs the files that plain patterns match.
        with_engine(engine: Engine);

        /// Sets how tokens are counted.
        with_tokenizer(tokenizer: Tokenizer);
    }

    lists! {
        /// Replaces the patterns of `include`.
        with_include(include);

        /// Replaces the patterns of `exclude`.
        with_exclude(exclude);

        /// Replaces the patterns of `always_include`.
        with_always_include(always_include);

        /// Replaces the section keys of `priority_order`.
        with_priority_order(priority_order);
    }

    fn setting(self, name: &str, node: Node) -> Role {
        self.saying(&["context", name], node)
    }

    /// Updates the data from which places and single values are reported.
    fn saying(mut self, keys: &[&str], node: Node) -> Role {
        if let Some(whole) = &mut self.node {
            whole.set(keys, node);
        }
        self
    }
}

/// Makes a value that is in no file.
fn json(value: &impl Serialize) -> Node {
    Node::from_json(&serde_json::to_value(value).unwrap_or_default())
}
