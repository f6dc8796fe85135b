//! What can be wrong with a role and with those that it extends.

use super::node::Node;
use super::raw::{Raw, empty};
use super::{merge, template_of};
use crate::error::{Diagnostic, Error, ErrorKind, Rule, Severity};
use crate::repo::{FileText, Refusal};

/// Makes the error for a role that extends too much.
pub(super) fn too_long(message: String, child: &Raw) -> Error {
    let at = child.node.get("extends").and_then(|node| node.at.place());
    role_error(Diagnostic::error(message).rule(Rule::ChainTooLong).at(at))
}

pub(super) fn circle(names: &[String], again: &str, child: &Raw) -> Error {
    let at = child.node.get("extends").and_then(|node| node.at.place());
    let chain = names
        .iter()
        .map(String::as_str)
        .chain([again])
        .collect::<Vec<_>>()
        .join(" -> ");
    let message = format!("roles extend each other in a circle: {chain}");
    let problem = Diagnostic::error(message).rule(Rule::ExtendsCircle);
    role_error(problem.at(at))
}

/// Returns the text, if nothing in it had to be replaced.
pub(super) fn valid(shown: &str, file: FileText) -> Result<String, Error> {
    if file.replaced {
        let message = format!("the role file `{shown}` is not valid UTF-8");
        let problem = Diagnostic::error(message).rule(Rule::UnreadableFile);
        return Err(role_error(problem));
    }
    Ok(file.text)
}

pub(super) fn unreadable(shown: &str, refusal: &Refusal) -> Error {
    let message = format!("cannot read the role file `{shown}`: {refusal}");
    role_error(Diagnostic::error(message).rule(Rule::UnreadableFile))
}

/// Warns if a role is the same as the one that it extends, or would be the same without it.
pub(super) fn idle_extends(
    parent: &Node,
    child: &Node,
    merged: &Node,
    base: &str,
) -> Option<Diagnostic> {
    let extends = child.get("extends")?;
    let name = crate::show::quoted(extends.as_text()?);
    let alone = merge::over(&empty(child), child);
    let its_own = ["name", "description", "extends"];
    let (message, help) = if same_but_for(merged, parent, &its_own) {
        let message = format!("this role is the same as `{name}`, which it extends");
        (message, "change something, or use the other role")
    } else if template_of(base).is_none() && same_but_for(merged, &alone, &["extends"]) {
        let message = format!("this role takes nothing from `{name}`: it replaces everything");
        (message, "remove `extends`")
    } else {
        return None;
    };
    Some(
        Diagnostic::warning(message)
            .rule(Rule::ExtendsAddsNothing)
            .at(extends.at.place())
            .help(Some(help.into())),
    )
}

fn same_but_for(one: &Node, other: &Node, fields: &[&str]) -> bool {
    let without = |node: &Node| {
        let mut json = node.to_json();
        if let Some(object) = json.as_object_mut() {
            object.retain(|name, value| !fields.contains(&name.as_str()) && !value.is_null());
        }
        json
    };
    without(one) == without(other)
}

pub(super) fn stop_at_errors(problems: &mut Vec<Diagnostic>) -> Result<(), Error> {
    if problems.iter().any(|p| p.severity == Severity::Error) {
        return Err(Error::all(ErrorKind::Role, std::mem::take(problems)));
    }
    Ok(())
}

pub(super) fn role_error(diagnostic: Diagnostic) -> Error {
    Error::new(ErrorKind::Role, diagnostic)
}
