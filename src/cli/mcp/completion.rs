//! Completes the argument of a prompt or of an address while it is typed.

use rmcp::model::{ArgumentInfo, CompletionInfo, Reference};

use super::super::Global;
use super::resources::ROLE;
use super::usable_roles;

/// Returns the completions of an argument; none if it can be any text.
///
/// # Errors
///
/// An error if the roles or the repository cannot be read.
pub(super) fn of(
    global: &Global,
    reference: &Reference,
    argument: &ArgumentInfo,
) -> anyhow::Result<CompletionInfo> {
    let typed = argument.value.as_str();
    let (values, more) = match (reference, argument.name.as_str()) {
        (Reference::Prompt(_), "target") => targets(global, typed)?,
        (Reference::Resource(at), "name") if at.uri.starts_with(ROLE) => names(global, typed)?,
        _ => (Vec::new(), 0),
    };
    let total = u32::try_from(values.len() + more).ok();
    let mut info = CompletionInfo::new(values).map_err(anyhow::Error::msg)?;
    info.total = total;
    info.has_more = Some(more > 0);
    Ok(info)
}

/// Completes targets, which are one per line; the last one is being typed.
fn targets(global: &Global, typed: &str) -> anyhow::Result<(Vec<String>, usize)> {
    let (before, last) = match typed.rfind('\n') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    let (paths, more) = global
        .packer()?
        .paths_beginning(last, CompletionInfo::MAX_VALUES);
    let paths = paths.into_iter().map(|path| format!("{before}{path}"));
    Ok((paths.collect(), more))
}

/// Returns the roles whose names begin like this.
fn names(global: &Global, typed: &str) -> anyhow::Result<(Vec<String>, usize)> {
    let usable = usable_roles(global)?.into_iter();
    let mut names: Vec<String> = usable.map(|role| role.name).collect();
    names.retain(|name| name.starts_with(typed));
    let more = names.len().saturating_sub(CompletionInfo::MAX_VALUES);
    names.truncate(CompletionInfo::MAX_VALUES);
    Ok((names, more))
}
