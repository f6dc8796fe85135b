//! A role's file as it was read, before it is merged.

use super::node::{At, Node, Value};
use super::schema::check;
use super::yaml::Size;
use super::{List, Role};
use crate::error::{Diagnostic, Rule};

/// A role file and the place that it comes from. A file that was named directly comes from before
/// the first place.
pub(super) struct Raw {
    pub(super) node: Node,
    /// What is wrong with its text, and whether all of it was read.
    pub(super) problems: Vec<Diagnostic>,
    pub(super) is_whole: bool,
    /// How much it says.
    pub(super) size: Size,
    pub(super) source: String,
    pub(super) place: Option<usize>,
}

impl Raw {
    /// Returns what is wrong with it before it is merged: its text as far as it can be read, the
    /// names of its fields, the types of their values.
    pub(super) fn check(&self) -> Vec<Diagnostic> {
        let mut problems = self.problems.clone();
        check(&self.node, &mut problems);
        // What is not there may stand behind the place at which reading ended.
        problems.retain(|problem| self.is_whole || problem.rule != Rule::AdditionsWithoutExtends);
        problems
    }

    /// Makes a role that has only the patterns of this one, as far as they are texts.
    pub(super) fn patterns(&self, stem: Option<&str>) -> Option<Role> {
        let text = |text: &str| Node {
            value: Value::Text(text.to_owned()),
            at: At::nowhere(),
        };
        let context = self.node.get("context")?;
        let mut role = empty(&self.node);
        role.set(&["name"], text(name_of(&self.node).or(stem).unwrap_or("?")));
        for field in ["description", "system_prompt"] {
            role.set(&[field], text(""));
        }
        for list in List::ALL {
            let Some(Value::List(items)) = context.get(list.name()).map(|list| &list.value) else {
                continue;
            };
            let texts = items.iter().filter(|item| item.as_text().is_some());
            let lines = Node {
                value: Value::List(texts.cloned().collect()),
                at: context.at.clone(),
            };
            role.set(&["context", list.name()], lines);
        }
        let lists = role.get("context")?.clone();
        let mut role: Role = serde_json::from_value(role.to_json()).ok()?;
        role.context.locate(&lists);
        Some(role)
    }
}

pub(super) fn name_of(node: &Node) -> Option<&str> {
    node.get("name").and_then(Node::as_text)
}

/// Makes a role without fields.
pub(super) fn empty(role: &Node) -> Node {
    Node {
        value: Value::Map(Vec::new()),
        at: role.at.clone(),
    }
}
