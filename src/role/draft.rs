//! Writes a role to start from.

use std::fmt::Write as _;

use super::{Role, Settings};
use crate::show::visible;

/// How many entries of a list of the parent's are named.
const MAX_NAMED: usize = 20;

/// Returns the text of a new role file, which works as it is. With a parent, comments say what the
/// parent already has.
///
/// `schema` is the path to the JSON Schema of roles, for editors.
pub fn draft_role(
    name: &str,
    parent: Option<&Role>,
    template: Option<&str>,
    schema: Option<&str>,
) -> String {
    let mut text = String::new();
    if let Some(schema) = schema {
        let _ = writeln!(text, "# yaml-language-server: $schema={schema}");
    }
    let _ = writeln!(text, "name: {}", quoted(name));
    let _ = writeln!(
        text,
        "description: Say here in one line what this worker does."
    );
    if let Some(parent) = parent {
        let _ = writeln!(text, "extends: {}", quoted(&parent.name));
    }
    if let Some(template) = template {
        let _ = writeln!(text, "template: {}", quoted(template));
    }
    text.push('\n');
    match parent {
        Some(parent) => extending(&mut text, parent),
        None => complete(&mut text),
    }
    text
}

fn extending(text: &mut String, parent: &Role) {
    let (name, context) = (&parent.name, &parent.context);
    let _ = write!(
        text,
        "# Added to the system prompt of `{name}`, which `packer roles show {name}` prints.
system_prompt_additions: |
  Say here what this worker does differently.

context:
  # The budget of the whole prompt in tokens, the same as that of `{name}`.
  token_budget: {}
  # More files, as paths or patterns.{}
  include: []
  # What matters most comes first; sections not named here follow. Files that patterns
  # of `include` match are `files`, which comes after `related` unless it is named here.{}
  priority_order: []
",
        context.token_budget,
        already(name, context.include()),
        already(name, context.priority_order()),
    );
}

/// Returns the entries of a parent's list, as a comment.
fn already<'a>(name: &str, entries: impl Iterator<Item = &'a str>) -> String {
    let entries: Vec<&str> = entries.collect();
    if entries.is_empty() {
        return format!(" `{name}` has none.");
    }
    let mut text = format!(" `{name}` has:");
    for entry in entries.iter().take(MAX_NAMED) {
        let _ = write!(text, "\n  #   - {}", visible(entry));
    }
    let more = entries.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        let _ = write!(text, "\n  #   and {more} more");
    }
    text
}

fn complete(text: &mut String) {
    let _ = write!(
        text,
        "# Who the worker is and how it works.
system_prompt: |
  You are a senior engineer who works on an existing code base. Say here what is
  special about your work.

context:
  # The budget of the whole prompt, in tokens.
  token_budget: {}
  # Files, as paths or patterns. `$TARGET` stands for what `--target` names.
  include:
    - $TARGET
  # What agents' hosts would read: AGENTS.md, CLAUDE.md, rules, skills.
  conventions: true
  # What matters most comes first.
  priority_order: [target_file, conventions]
",
        Settings::default().token_budget
    );
}

/// Returns a text in YAML, quoted if necessary.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    // What YAML of any age reads as something else.
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = words.contains(&text.to_ascii_lowercase().as_str());
    if !is_word
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_plain)
    {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}
