//! The variables of a template, except the context.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::ContextPacker;
use super::resolve::Brief;
use super::shape::Shape;
use crate::repo::Git;
use crate::section::{Note, NoteKind};
use crate::show::visible;
use crate::source::ChosenChange;
use crate::source::diff::remark;

/// All of them, as a template sees them.
#[derive(Serialize)]
pub(super) struct Variables<'a> {
    pub(super) role: Json,
    pub(super) task: &'a str,
    pub(super) data: &'a Map<String, Json>,
    pub(super) targets: Vec<String>,
    pub(super) changed_files: Vec<String>,
    /// Whether messages are asked for. `template` knows it by this name, too.
    pub(super) messages: bool,
    pub(super) role_last: bool,
    pub(super) repo: RepoVariables,
}

#[derive(Serialize)]
pub(super) struct RepoVariables {
    pub(super) name: String,
    pub(super) branch: String,
}

impl Variables<'_> {
    pub(super) fn to_json(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl ContextPacker {
    /// Prepares a template with the values that it is rendered with.
    pub(super) fn template_shape(
        &self,
        template: &str,
        brief: &Brief<'_>,
        notes: &mut Vec<Note>,
    ) -> Shape {
        let values = self.values(template, brief, notes);
        let tokenizer = brief.effective.tokenizer;
        let prepared = self.templates.prepare(template, &values, tokenizer);
        Shape::Template(prepared, brief.system().map(Into::into))
    }

    /// Returns the variables of this template. What git cannot tell becomes a note.
    pub(super) fn values(&self, template: &str, brief: &Brief<'_>, notes: &mut Vec<Note>) -> Json {
        let (request, effective) = (brief.request, &brief.effective);
        // Git is asked only for templates that want to know.
        let asks_git = ["changed_files", "branch"];
        let (branch, changed) = if self.templates.mentions(template, &asks_git) {
            let git = self.repo.git().ok();
            (
                git.and_then(Git::branch),
                self.changed_files(&effective.change, notes),
            )
        } else {
            (None, Vec::new())
        };
        let targets = request.targets.iter().map(|target| {
            let read = self.target(target);
            read.map_or(target.clone(), |target| target.to_string())
        });
        let turn = effective.turn.as_ref();
        let variables = Variables {
            role: brief.role.to_template(),
            task: &request.task,
            data: &request.data,
            targets: shown(targets),
            changed_files: shown(changed),
            messages: turn.is_some(),
            role_last: turn.is_some_and(|turn| turn.role_last),
            repo: RepoVariables {
                name: self.repo.name(),
                branch: branch.unwrap_or_default(),
            },
        };
        variables.to_json()
    }

    fn changed_files(&self, change: &ChosenChange, notes: &mut Vec<Note>) -> Vec<String> {
        let changed = change.found(&self.repo);
        match &changed.files {
            Ok(files) => {
                notes.extend(remark(files));
                changed.paths()
            }
            Err(why) => {
                let message = format!("the template gets no changed files: {why}");
                notes.push(Note::new(NoteKind::Git, message));
                Vec::new()
            }
        }
    }
}

/// Makes names safe to show: templates write them as they are, so a name must not forge structure.
fn shown(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let names = names.into_iter();
    names.map(|name| visible(&name).into_owned()).collect()
}
