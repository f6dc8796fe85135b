//! The single values of a role, each with the file that sets it.

use serde::Serialize;
use serde_json::Value as Json;

use super::{Role, Settings, node};

/// A single value of a role, and the file of the chain that sets it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct RoleValue {
    /// Its path in the role, for example `context.include[0]`.
    pub path: String,
    /// The value.
    pub value: Json,
    /// The file that sets it; null for a default.
    pub file: Option<String>,
    /// The line in that file, counted from 1.
    pub line: Option<usize>,
}

impl Role {
    /// Returns the merged role as templates see it. It includes what no file sets, because a
    /// template must not name anything undefined.
    pub(crate) fn to_template(&self) -> Json {
        let mut role = serde_json::to_value(self).unwrap_or_default();
        let unsaid = [
            ("extends", Json::Null),
            ("template", Json::Null),
            ("cli", "".into()),
            ("flags", Json::Array(Vec::new())),
            ("gates", Json::Array(Vec::new())),
        ];
        if let Some(fields) = role.as_object_mut() {
            for (name, value) in unsaid {
                fields.entry(name).or_insert(value);
            }
        }
        role
    }

    /// Returns every value of the merged role in the order of its fields, each with the file that
    /// sets it, and the defaults of what no file sets.
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
    /// Returns the value of a node with its place. A value that is in no file came with the
    /// request, or from the program that makes the role.
    pub(super) fn of(path: &str, node: &node::Node) -> RoleValue {
        let at = node.at.line();
        RoleValue {
            path: path.to_owned(),
            value: node.to_json(),
            line: at.map(|(_, line)| line),
            file: Some(at.map_or("request", |(file, _)| file).to_owned()),
        }
    }
}
