//! What a role may contain: one table, with which values are checked and described.

use serde_json::Value as Json;

use super::meant::meant;
use super::node::{Label, Node, Value};
use super::types::field;
pub(super) use super::types::{Choice, Field, Type};
use crate::error::{Diagnostic, Rule};
use crate::json::whole_of;
use crate::nearest::did_you_mean;
use crate::section::Key;
use crate::settings::{Change, Engine, Prune, Style};
use crate::show::{grouped, quoted};
use crate::tokens::Tokenizer;

/// The largest `token_budget`: 16 MB of text, more than any model reads today.
pub const MAX_BUDGET: u32 = 4_000_000;

/// The deepest `tree`.
const MAX_TREE_DEPTH: i64 = 20;

/// The most mistakes that are reported of one file: a hostile one has a hundred thousand.
const MAX_TOLD: usize = 1000;

pub(super) static ROLE: &[Field] = &[
    field(
        "name",
        Type::Name,
        "The role's name: letters, digits, `_` and `-`, starting with a letter. It must be the \
         same as the file's name.",
    ),
    field(
        "description",
        Type::Line,
        "What the worker does, in one line.",
    ),
    field(
        "extends",
        Type::Name,
        "The role that this one builds on. A role that extends its own name extends the next role \
         of that name, such as the built-in one.",
    ),
    field(
        "system_prompt",
        Type::Text,
        "Who the worker is. Replaces the system prompt of the extended role.",
    ),
    field(
        "system_prompt_additions",
        Type::Text,
        "Added to the system prompt after a blank line. Only with `extends`.",
    ),
    field(
        "template",
        Type::Text,
        "The template that renders this role. By default, roles that build on `planner`, \
         `implementer` or `reviewer` have the template of that role, and all others have none.",
    ),
    field(
        "cli",
        Type::Text,
        "For the orchestrator: the program that runs the worker.",
    ),
    field(
        "flags",
        Type::Texts,
        "For the orchestrator: the program's arguments, added to those of the extended role.",
    ),
    field(
        "gates",
        Type::Gates,
        "For the orchestrator: checks of the worker's result, added to those of the extended role.",
    ),
    field(
        "config",
        Type::Map,
        "For the orchestrator: its own settings, merged with those of the extended role. \
         Templates see them.",
    ),
    field(
        "context",
        Type::Settings(CONTEXT),
        "What context the worker gets, and what matters most in it.",
    ),
];

pub(super) static CONTEXT: &[Field] = &[
    field(
        "token_budget",
        Type::Int(1, MAX_BUDGET as i64),
        "The budget of the whole prompt, in tokens of `tokenizer`.",
    ),
    field(
        "include",
        Type::Patterns,
        "Files to include: a path, a folder with everything below it, or a pattern with `*`, \
         `**`, `?`, `[…]` or `{…}`. A pattern without `/` matches at any depth. `$TARGET` and \
         other sentinels ask for a section.",
    ),
    field(
        "exclude",
        Type::Patterns,
        "Files to leave out, as patterns.",
    ),
    field(
        "always_include",
        Type::Patterns,
        "Files that are never pruned, as patterns.",
    ),
    field(
        "priority_order",
        Type::Keys,
        "The sections, the most important first. The keys of the extended role follow.",
    ),
    field(
        "git_diff",
        Type::Bool,
        "Whether the diff of `change` is included.",
    ),
    field(
        "change",
        Type::OneOf(Change::CHOICES),
        "Which change the prompt is about: its diff (`git_diff`) and its files (`$CHANGED_FILES`).",
    ),
    field(
        "tree",
        Type::Switch(TREE),
        "Whether the directory tree is drawn, and how deep.",
    ),
    field(
        "related",
        Type::Switch(RELATED),
        "Whether to look for files that the task is likely to need.",
    ),
    field(
        "conventions",
        Type::SwitchOrTexts,
        "Whether conventions are included: what agents' hosts read for the files that the prompt \
         is about (`AGENTS.md`, `CLAUDE.md`, rules by their globs, skills), or the first of these \
         files that exists.",
    ),
    field(
        "project_context",
        Type::Bool,
        "Whether the files of `.context/` are included.",
    ),
    field(
        "recent_commits",
        Type::Bool,
        "Whether the last commits that touched what the prompt is about are listed.",
    ),
    field(
        "prune",
        Type::OneOf(Prune::CHOICES),
        "What happens to a section that does not fit.",
    ),
    field(
        "style",
        Type::OneOf(Style::CHOICES),
        "How sections are written.",
    ),
    field(
        "engine",
        Type::OneOf(Engine::CHOICES),
        "Who decides which files the patterns match.",
    ),
    field(
        "tokenizer",
        Type::OneOf(Tokenizer::CHOICES),
        "How tokens are counted.",
    ),
];

pub(super) static TREE: &[Field] = &[field(
    "depth",
    Type::Int(1, MAX_TREE_DEPTH),
    "How many levels of folders to draw.",
)];

pub(super) static RELATED: &[Field] = &[
    field("max_files", Type::Int(1, 10_000), "The most files."),
    field(
        "fill",
        Type::Bool,
        "Whether to fill the budget with them, even if they are unlikely to help.",
    ),
];

pub(super) static GATE: &[Field] = &[
    field("name", Type::Text, "The check's name."),
    field("required", Type::Bool, "Whether the result must pass it."),
    field(
        "on_fail",
        Type::OneOf(ON_FAIL),
        "What the orchestrator does with a result that fails it.",
    ),
];

static ON_FAIL: &[Choice] = &[
    ("block", "It stops."),
    (
        "retry_with_feedback",
        "It tells the worker why and lets it try again.",
    ),
    ("warn", "It reports the failure and goes on."),
];

/// Checks one file before it is merged: the names of its fields and the types of their values.
/// Whatever may be inherited may be absent.
pub fn check(node: &Node, problems: &mut Vec<Diagnostic>) {
    let Value::Map(entries) = &node.value else {
        let message = format!(
            "a role must be a map of fields, but this is {}",
            node.describe()
        );
        let problem = Diagnostic::error(message).rule(Rule::WrongType);
        problems.push(problem.at(node.at.place()));
        return;
    };
    for (label, value) in entries {
        if is_own(label) || problems.len() >= MAX_TOLD {
            continue;
        }
        let Some(field) = ROLE.iter().find(|field| field.name == label.name) else {
            let message = format!("unknown key `{}`", quoted(&label.name));
            let known = ROLE.iter().map(|field| field.name);
            let help = did_you_mean(&label.name, known).unwrap_or_else(|| {
                if CONTEXT.iter().any(|field| field.name == label.name) {
                    format!("`{}` belongs under `context`", label.name)
                } else {
                    "start a field of your own with `x-`".into()
                }
            });
            problems.push(
                Diagnostic::error(message)
                    .rule(Rule::UnknownKey)
                    .at(label.at.place())
                    .help(Some(help)),
            );
            continue;
        };
        check_value(value, &field.kind, field.name, problems);
    }
    if problems.len() >= MAX_TOLD {
        let message = format!(
            "there are {} mistakes or more; the rest is not shown",
            grouped(MAX_TOLD)
        );
        problems.push(Diagnostic::error(message).at(node.at.place()));
    }
    if node.get("system_prompt_additions").is_some() && node.get("extends").is_none() {
        let at = entries
            .iter()
            .find(|(label, _)| label.name == "system_prompt_additions")
            .and_then(|(label, _)| label.at.place());
        let message = "`system_prompt_additions` needs `extends`: there is nothing to add to";
        let help = "use `system_prompt`, or name the role to extend";
        problems.push(
            Diagnostic::error(message)
                .rule(Rule::AdditionsWithoutExtends)
                .at(at)
                .help(Some(help.into())),
        );
    }
}

/// Checks that the merged role has everything that every role needs.
pub fn check_whole(node: &Node, problems: &mut Vec<Diagnostic>) {
    for required in ["name", "description", "system_prompt"] {
        let present = node
            .get(required)
            .and_then(Node::as_text)
            .is_some_and(|text| !text.trim().is_empty());
        if !present {
            let message = format!("`{required}` is missing");
            let problem = Diagnostic::error(message).rule(Rule::MissingField);
            problems.push(problem.at(node.at.place()));
        }
    }
}

fn check_value(node: &Node, kind: &Type, path: &str, problems: &mut Vec<Diagnostic>) {
    if problems.len() >= MAX_TOLD {
        return;
    }
    match (kind, &node.value) {
        (Type::Text, Value::Text(_))
        | (Type::Bool | Type::Switch(_) | Type::SwitchOrTexts, Value::Bool(_))
        | (Type::Map, Value::Map(_)) => {}
        // A key without a value: as if it was not there.
        (
            Type::Settings(_) | Type::Map | Type::Texts | Type::Keys | Type::Patterns | Type::Gates,
            Value::Null,
        ) => {}
        (Type::Line, Value::Text(text)) if !text.trim_end().chars().any(char::is_control) => {}
        (Type::Name, Value::Text(text)) if is_role_name(text) => {}
        (Type::Int(low, high), Value::Int(value)) if (low..=high).contains(&value) => {}
        (Type::Int(low, high), Value::Float(value)) if is_within(*value, *low, *high) => {}
        (Type::OneOf(choices), Value::Text(text)) if is_one_of(choices, text) => {}
        (Type::Keys, Value::List(items)) => {
            each(items, &Type::Text, path, problems);
            for item in items.iter().take(MAX_TOLD) {
                check_key(item, path, problems);
            }
        }
        (Type::Texts | Type::SwitchOrTexts | Type::Patterns, Value::List(items)) => {
            each(items, &Type::Text, path, problems);
        }
        (Type::Gates, Value::List(items)) => {
            for (index, item) in items.iter().enumerate().take(MAX_TOLD) {
                check_gate(item, &format!("{path}[{index}]"), problems);
            }
        }
        (Type::Switch(fields) | Type::Settings(fields), Value::Map(_)) => {
            settings(node, fields, path, problems);
        }
        _ => problems.push(wrong(node, kind, path)),
    }
}

/// Whether a number is whole and within these bounds.
fn is_within(number: f64, low: i64, high: i64) -> bool {
    let number = whole_of(number).and_then(|number| i64::try_from(number).ok());
    number.is_some_and(|number| (low..=high).contains(&number))
}

/// Describes a value that has the wrong type.
fn wrong(node: &Node, kind: &Type, path: &str) -> Diagnostic {
    let expected = match kind {
        Type::Text => "text".to_owned(),
        Type::Line => "text on one line".to_owned(),
        Type::Name if matches!(node.value, Value::Text(_)) => {
            "a name of letters, digits, `_` and `-` that starts with a letter".to_owned()
        }
        Type::Name => "a name".to_owned(),
        Type::Bool => "`true` or `false`".to_owned(),
        Type::Int(low, high) => format!("a whole number from {low} to {high}"),
        Type::Keys => "a list of section keys".to_owned(),
        Type::Texts => "a list of texts".to_owned(),
        Type::Patterns => "a list of patterns".to_owned(),
        Type::Gates => "a list of gates".to_owned(),
        Type::Map => "a map".to_owned(),
        Type::OneOf(choices) => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            format!("one of {}", names.join(", "))
        }
        Type::Switch(fields) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            format!("`true`, `false` or a map with `{}`", names.join("`, `"))
        }
        Type::SwitchOrTexts => "`true`, `false` or a list of file names".to_owned(),
        Type::Settings(_) => "a map of settings".to_owned(),
    };
    let is = match (kind, &node.value) {
        (Type::Line, Value::Text(text)) if text.trim_end().contains('\n') => "has several".into(),
        _ => format!("is {}", node.describe()),
    };
    let message = format!("`{path}` must be {expected}, but this {is}");
    let rule = match (kind, &node.value) {
        (Type::Name, Value::Text(_)) => Rule::InvalidName,
        _ => Rule::WrongType,
    };
    let problem = Diagnostic::error(message).rule(rule);
    problem.at(node.at.place()).help(meant(kind, &node.value))
}

fn is_one_of(choices: &[Choice], text: &str) -> bool {
    choices.iter().any(|(name, _)| *name == text)
}

fn each(items: &[Node], kind: &Type, path: &str, problems: &mut Vec<Diagnostic>) {
    for (index, item) in items.iter().enumerate() {
        check_value(item, kind, &format!("{path}[{index}]"), problems);
    }
}

/// Checks the settings of a map. An unknown one is kept, with a warning.
fn settings(node: &Node, fields: &[Field], path: &str, problems: &mut Vec<Diagnostic>) {
    let Value::Map(entries) = &node.value else {
        return;
    };
    let unknown = |key: &str| Diagnostic::warning(format!("unknown key `{key}` has no effect"));
    for entry in entries.iter().filter(|(label, _)| !is_own(label)) {
        check_entry(entry, fields, path, unknown, problems);
    }
}

/// Whether a field is the author's own.
fn is_own(label: &Label) -> bool {
    label.name.starts_with("x-")
}

/// Checks an entry of a map that has these fields. `unknown` makes the finding for an entry that is
/// not one of them.
fn check_entry(
    (label, value): &(Label, Node),
    fields: &[Field],
    path: &str,
    unknown: impl FnOnce(&str) -> Diagnostic,
    problems: &mut Vec<Diagnostic>,
) {
    if problems.len() >= MAX_TOLD {
        return;
    }
    let path = format!("{path}.{}", quoted(&label.name));
    match fields.iter().find(|field| field.name == label.name) {
        Some(field) => check_value(value, &field.kind, &path, problems),
        None => problems.push(
            unknown(&path)
                .rule(Rule::UnknownKey)
                .at(label.at.place())
                .help(did_you_mean(&label.name, fields.iter().map(|f| f.name))),
        ),
    }
}

/// Warns about a key that is probably a typo: any name may be the caller's own.
fn check_key(node: &Node, path: &str, problems: &mut Vec<Diagnostic>) {
    let Some(name) = node.as_text() else { return };
    let known = known_keys();
    if known.clone().any(|key| key == name) {
        return;
    }
    if let Some(help) = did_you_mean(name, known) {
        let message = format!(
            "`{}` in `{path}` is not a section that packer knows",
            quoted(name)
        );
        problems.push(
            Diagnostic::warning(message)
                .rule(Rule::UnknownSection)
                .at(node.at.place())
                .help(Some(help)),
        );
    }
}

/// Returns the names that mean something in `priority_order`.
pub(super) fn known_keys() -> impl Iterator<Item = &'static str> + Clone {
    const ALSO: [&str; 4] = ["standards", "docs", "readme", "task_description"];
    const KEPT: [Key; 3] = Key::PROTECTED;
    static KEYS: [&[Key]; 2] = [&KEPT, Key::DEFAULT_ORDER];
    KEYS.into_iter().flatten().map(Key::name).chain(ALSO)
}

fn check_gate(node: &Node, path: &str, problems: &mut Vec<Diagnostic>) {
    let is_blank = |name: &Node| name.as_text().is_some_and(|text| text.trim().is_empty());
    let mut nameless = false;
    match &node.value {
        Value::Text(_) => nameless = is_blank(node),
        Value::Map(entries) => {
            // The orchestrator would not get it.
            let unknown = |key: &str| Diagnostic::error(format!("unknown key `{key}`"));
            for entry in entries {
                check_entry(entry, GATE, path, unknown, problems);
            }
            nameless = node.get("name").is_none_or(is_blank);
        }
        _ => {
            let message = format!(
                "`{path}` must be a name or a map with `name`, but this is {}",
                node.describe()
            );
            let problem = Diagnostic::error(message).rule(Rule::WrongType);
            problems.push(problem.at(node.at.place()));
        }
    }
    if nameless {
        let message = format!("`{path}` needs a `name`");
        let problem = Diagnostic::error(message).rule(Rule::MissingField);
        problems.push(problem.at(node.at.place()));
    }
}

/// Whether `name` can name a role: `^[A-Za-z][A-Za-z0-9_-]*$`.
pub fn is_role_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Returns the members of a merged role as a template sees it; `null` for those with any members.
pub fn members() -> Json {
    let settings = CONTEXT.iter().map(|field| (field.name, Json::Null));
    let fields = ROLE.iter().filter_map(|field| match field.name {
        // It has become a part of the prompt.
        "system_prompt_additions" => None,
        "context" => Some((field.name, settings.clone().collect())),
        name => Some((name, Json::Null)),
    });
    fields.chain([("base_role", Json::Null)]).collect()
}
