//! What may stand in a role: one table, from which values are checked.

use super::node::{Node, Value};
use crate::error::Diagnostic;
use crate::nearest::did_you_mean;
use crate::section::Key;
use crate::show::visible;
use crate::tokens::Tokenizer;

/// The largest `token_budget`: 16 MB of text, more than any model reads today.
pub const MAX_BUDGET: i64 = 4_000_000;

/// The deepest `tree`.
pub const MAX_TREE_DEPTH: i64 = 20;

/// What a value has to be.
enum Type {
    Text,
    /// Text in one line.
    Line,
    /// Text in one line that is a role's name.
    Name,
    Bool,
    Int(i64, i64),
    Texts,
    /// Names of sections.
    Keys,
    Patterns,
    Gates,
    Map,
    OneOf(&'static [&'static str]),
    /// `true`, `false`, or a map of settings.
    Switch(&'static [Field]),
    /// `true`, `false`, or a list of texts.
    SwitchOrTexts,
    Settings(&'static [Field]),
}

struct Field {
    name: &'static str,
    kind: Type,
}

const fn field(name: &'static str, kind: Type) -> Field {
    Field { name, kind }
}

static ROLE: &[Field] = &[
    field("name", Type::Name),
    field("description", Type::Line),
    field("extends", Type::Name),
    field("system_prompt", Type::Text),
    field("system_prompt_additions", Type::Text),
    field("template", Type::Text),
    field("cli", Type::Text),
    field("flags", Type::Texts),
    field("gates", Type::Gates),
    field("config", Type::Map),
    field("context", Type::Settings(CONTEXT)),
];

static CONTEXT: &[Field] = &[
    field("token_budget", Type::Int(1, MAX_BUDGET)),
    field("include", Type::Patterns),
    field("exclude", Type::Patterns),
    field("always_include", Type::Patterns),
    field("priority_order", Type::Keys),
    field("git_diff", Type::Bool),
    field("tree", Type::Switch(TREE)),
    field("related", Type::Switch(RELATED)),
    field("conventions", Type::SwitchOrTexts),
    field("project_context", Type::Bool),
    field("prune", Type::OneOf(&["shrink", "drop"])),
    field("style", Type::OneOf(&["markdown", "xml"])),
    field("engine", Type::OneOf(&["auto", "native", "repomix"])),
    field("tokenizer", Type::OneOf(&Tokenizer::NAMES)),
];

static TREE: &[Field] = &[field("depth", Type::Int(1, MAX_TREE_DEPTH))];
static RELATED: &[Field] = &[
    field("max_files", Type::Int(1, 10_000)),
    field("fill", Type::Bool),
];
static GATE: &[Field] = &[
    field("name", Type::Text),
    field("required", Type::Bool),
    field(
        "on_fail",
        Type::OneOf(&["block", "retry_with_feedback", "warn"]),
    ),
];

/// Checks one file, before it is merged: the names of its fields and the types of
/// their values. What may be inherited may be absent.
pub fn check(node: &Node, problems: &mut Vec<Diagnostic>) {
    let Value::Map(entries) = &node.value else {
        let message = format!(
            "a role has to be a map of fields, but this is {}",
            node.describe()
        );
        problems.push(Diagnostic::error(message).at(node.at.place()));
        return;
    };
    for (label, value) in entries {
        if label.name.starts_with("x-") {
            continue;
        }
        let Some(field) = ROLE.iter().find(|field| field.name == label.name) else {
            let message = format!("unknown key `{}`", visible(&label.name));
            let known = ROLE.iter().map(|field| field.name);
            let help = did_you_mean(&label.name, known).unwrap_or_else(|| {
                if CONTEXT.iter().any(|field| field.name == label.name) {
                    format!("`{}` belongs under `context`", label.name)
                } else {
                    "a field of your own starts with `x-`".into()
                }
            });
            problems.push(
                Diagnostic::error(message)
                    .at(label.at.place())
                    .help(Some(help)),
            );
            continue;
        };
        check_value(value, &field.kind, field.name, problems);
    }
    if node.get("system_prompt_additions").is_some() && node.get("extends").is_none() {
        let at = entries
            .iter()
            .find(|(label, _)| label.name == "system_prompt_additions")
            .and_then(|(label, _)| label.at.place());
        let message = "`system_prompt_additions` has nothing to add to without `extends`";
        problems.push(Diagnostic::error(message).at(at).help(Some(
            "write it as `system_prompt`, or name the role to extend".into(),
        )));
    }
}

/// Checks the merged role: nothing that every role needs is missing.
pub fn check_whole(node: &Node, problems: &mut Vec<Diagnostic>) {
    for required in ["name", "description", "system_prompt"] {
        let present = node
            .get(required)
            .and_then(Node::as_text)
            .is_some_and(|text| !text.trim().is_empty());
        if !present {
            let message = format!("`{required}` is missing");
            problems.push(Diagnostic::error(message).at(node.at.place()));
        }
    }
}

fn check_value(node: &Node, kind: &Type, path: &str, problems: &mut Vec<Diagnostic>) {
    let mut wrong = |expected: &str| {
        let message = format!(
            "`{path}` has to be {expected}, but this is {}",
            node.describe()
        );
        problems.push(Diagnostic::error(message).at(node.at.place()));
    };
    match (kind, &node.value) {
        (Type::Text, Value::Text(_))
        | (Type::Bool | Type::Switch(_) | Type::SwitchOrTexts, Value::Bool(_)) => {}
        // A key without a value: as if it was not there.
        (
            Type::Settings(_) | Type::Map | Type::Texts | Type::Keys | Type::Patterns | Type::Gates,
            Value::Null,
        ) => {}
        (Type::Text, _) => wrong("text"),
        (Type::Line, Value::Text(text)) if !text.trim_end().chars().any(char::is_control) => {}
        (Type::Line, _) => wrong("text in one line"),
        (Type::Name, Value::Text(text)) if is_role_name(text) => {}
        (Type::Name, Value::Text(_)) => {
            wrong("a name of letters, digits, `_` and `-` that starts with a letter");
        }
        (Type::Name, _) => wrong("a name"),
        (Type::Bool, _) => wrong("`true` or `false`"),
        (Type::Int(low, high), Value::Int(value)) if (low..=high).contains(&value) => {}
        (Type::Int(low, high), _) => wrong(&format!("a whole number from {low} to {high}")),
        (Type::Keys, Value::List(items)) => {
            each(items, &Type::Text, path, problems);
            for item in items {
                check_key(item, path, problems);
            }
        }
        (Type::Keys, _) => wrong("a list of section keys"),
        (Type::Texts | Type::SwitchOrTexts, Value::List(items)) => {
            each(items, &Type::Text, path, problems);
        }
        (Type::Texts, _) => wrong("a list of texts"),
        (Type::Patterns, Value::List(items)) => {
            each(items, &Type::Text, path, problems);
        }
        (Type::Patterns, _) => wrong("a list of patterns"),
        (Type::Gates, Value::List(items)) => {
            for (index, item) in items.iter().enumerate() {
                check_gate(item, &format!("{path}[{index}]"), problems);
            }
        }
        (Type::Gates, _) => wrong("a list of gates"),
        (Type::Map, Value::Map(_)) => {}
        (Type::Map, _) => wrong("a map"),
        (Type::OneOf(names), Value::Text(text)) if names.contains(&text.as_str()) => {}
        (Type::OneOf(names), _) => wrong(&format!("one of {}", names.join(", "))),
        (Type::Switch(fields), Value::Map(_)) => settings(node, fields, path, problems),
        (Type::Switch(fields), _) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            wrong(&format!(
                "`true`, `false` or a map with `{}`",
                names.join("`, `")
            ));
        }
        (Type::SwitchOrTexts, _) => wrong("`true`, `false` or a list of file names"),
        (Type::Settings(fields), Value::Map(_)) => settings(node, fields, path, problems),
        (Type::Settings(_), _) => wrong("a map of settings"),
    }
}

fn each(items: &[Node], kind: &Type, path: &str, problems: &mut Vec<Diagnostic>) {
    for (index, item) in items.iter().enumerate() {
        check_value(item, kind, &format!("{path}[{index}]"), problems);
    }
}

/// Checks the settings of a map; an unknown one is kept and warned about.
fn settings(node: &Node, fields: &[Field], path: &str, problems: &mut Vec<Diagnostic>) {
    let Value::Map(entries) = &node.value else {
        return;
    };
    for (label, value) in entries {
        if label.name.starts_with("x-") {
            continue;
        }
        let path = format!("{path}.{}", visible(&label.name));
        match fields.iter().find(|field| field.name == label.name) {
            Some(field) => check_value(value, &field.kind, &path, problems),
            None => problems.push(
                Diagnostic::warning(format!("unknown key `{path}` has no effect"))
                    .at(label.at.place())
                    .help(did_you_mean(&label.name, fields.iter().map(|f| f.name))),
            ),
        }
    }
}

/// Warns about a key that is probably a slip: any name may be the caller's own.
fn check_key(node: &Node, path: &str, problems: &mut Vec<Diagnostic>) {
    const ALSO: [&str; 4] = ["standards", "docs", "readme", "task_description"];
    let Some(name) = node.as_text() else { return };
    let known = Key::PROTECTED
        .iter()
        .chain(&Key::DEFAULT_ORDER)
        .map(Key::name)
        .chain(ALSO);
    if known.clone().any(|key| key == name) {
        return;
    }
    if let Some(help) = did_you_mean(name, known) {
        let message = format!(
            "`{}` in `{path}` is no section of this program",
            visible(name)
        );
        let problem = Diagnostic::warning(message).at(node.at.place());
        problems.push(problem.help(Some(help)));
    }
}

fn check_gate(node: &Node, path: &str, problems: &mut Vec<Diagnostic>) {
    match &node.value {
        Value::Text(_) => {}
        Value::Map(_) => {
            settings(node, GATE, path, problems);
            if node.get("name").is_none() {
                let message = format!("`{path}` needs a `name`");
                problems.push(Diagnostic::error(message).at(node.at.place()));
            }
        }
        _ => {
            let message = format!(
                "`{path}` has to be a name or a map with `name`, but this is {}",
                node.describe()
            );
            problems.push(Diagnostic::error(message).at(node.at.place()));
        }
    }
}

/// Whether `name` can name a role: `^[A-Za-z][A-Za-z0-9_-]*$`.
pub fn is_role_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
