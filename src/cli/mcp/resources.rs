//! What a host may read without a call: the roles, and the report of the last prompt.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use context_packer::command::nearest;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;

use super::super::{Global, roles};
use super::{is_name, usable_roles};

/// The prefix of a role's address.
pub(super) const ROLE: &str = "packer://role/";

/// The address of the report.
const REPORT: &str = "packer://report";

/// The report of the last prompt, as JSON.
#[derive(Clone, Default)]
pub(super) struct LastReport(Arc<Mutex<Option<Arc<str>>>>);

impl LastReport {
    pub(super) fn keep(&self, report: &impl Serialize) {
        let text = serde_json::to_string_pretty(report).ok().map(Arc::from);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    fn text(&self) -> Option<Arc<str>> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Lists every resource that can be read now.
pub(super) fn listed(global: &Global, last: &LastReport) -> anyhow::Result<Vec<Resource>> {
    let mut resources: Vec<Resource> = usable_roles(global)?
        .into_iter()
        .map(|role| {
            Resource::new(format!("{ROLE}{}", role.name), role.name)
                .with_description(role.description)
                .with_mime_type("application/yaml")
        })
        .collect();
    if last.text().is_some() {
        let report = Resource::new(REPORT, "report")
            .with_description("What is in the last prompt, and what is not")
            .with_mime_type("application/json");
        resources.push(report);
    }
    Ok(resources)
}

/// Lists the forms of addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let role = ResourceTemplate::new(format!("{ROLE}{{name}}"), "role")
        .with_description("A role as one file, merged with what it extends")
        .with_mime_type("application/yaml");
    vec![role]
}

/// Returns the text at an address.
///
/// # Errors
///
/// An error that suggests an existing address.
pub(super) fn read(
    global: &Global,
    last: &LastReport,
    uri: &str,
) -> anyhow::Result<ResourceContents> {
    if let Some(name) = uri.strip_prefix(ROLE) {
        anyhow::ensure!(
            is_name(name),
            "`{ROLE}` must be followed by the name of a role"
        );
        let role = global.roles()?.load(name)?;
        let text = roles::as_file(&role)?;
        return Ok(ResourceContents::text(text, uri).with_mime_type("application/yaml"));
    }
    if uri == REPORT {
        let text = last.text().context("no prompt has been built yet")?;
        return Ok(ResourceContents::text(&*text, uri).with_mime_type("application/json"));
    }
    let known = [REPORT, "packer://role/NAME"];
    let near = nearest(uri, known).unwrap_or(known[1]);
    anyhow::bail!("there is no resource `{uri}`; did you mean `{near}`?")
}
