//! What an author wants to know before a prompt is built.

use serde_json::json;

use super::{ContextPacker, packed};
use crate::context::Context;
use crate::error::Diagnostic;
use crate::role::Role;
use crate::section::{Body, Key, Piece, Section};
use crate::source::check_patterns;

impl ContextPacker {
    /// Checks what can be checked of a role only with a repository and templates:
    /// that its patterns parse and its template is allowed.
    pub fn check_role(&self, role: &Role) -> Vec<Diagnostic> {
        let mut found = check_patterns(&self.repo, role);
        if let Some(Err(error)) = role.template().map(|name| self.templates.get(name)) {
            let place = role.template_place();
            found.extend(
                error
                    .diagnostics()
                    .iter()
                    .cloned()
                    .map(|d| d.at(place.clone())),
            );
        }
        found
    }

    /// Renders every allowed template for each of these roles, with every section
    /// and with none, and returns what went wrong, by template.
    pub fn check_templates(&self, roles: &[Role]) -> Vec<(String, Diagnostic)> {
        let mut samples = Vec::new();
        for role in roles {
            for keys in [&Key::DEFAULT_ORDER[..], &[]] {
                let sample = |key: &Key| {
                    Section::new(key.clone(), vec![Piece::text(Body::Text("sample".into()))])
                };
                let context = Context {
                    sections: keys.iter().map(sample).collect(),
                    notes: Vec::new(),
                };
                let values = json!({
                    "role": role,
                    "task": "A sample task.",
                    "data": {},
                    "targets": ["src/sample"],
                    "changed_files": ["src/sample"],
                    "repo": {"name": "sample", "branch": "main"},
                });
                samples.push((values, packed(&context, role.context.style)));
            }
        }
        let known = [
            "role",
            "task",
            "data",
            "context",
            "sections",
            "targets",
            "changed_files",
            "repo",
            "range",
            "namespace",
            "loop",
            "self",
            "super",
            "caller",
        ];
        crate::template::check(&self.templates, &samples, &known)
    }
}
