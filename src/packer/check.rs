//! The checks that an author wants before a prompt is built.

use serde_json::{Map, Value as Json};

use super::ContextPacker;
use super::shape::packed;
use super::values::{RepoVariables, Variables};
use crate::context::Context;
use crate::error::{Diagnostic, Error, ErrorKind, Rule};
use crate::repo::{Kind, PathError, RepoPath};
use crate::role::load::{ROLES_FOLDER, Roles};
use crate::role::{Role, schema};
use crate::section::{Body, Key, Piece, Section, Source};
use crate::show::quoted;
use crate::source::{asked_for, check_patterns};
use crate::template::{self, Sample};

impl ContextPacker {
    /// Checks roles: the warnings from loading them, and everything that needs a repository and
    /// templates. Their patterns must parse and match something, their templates must be allowed,
    /// the sections that they rank must be able to appear, and what they extend must matter.
    pub fn check_roles(&self, roles: &[Role]) -> Vec<Diagnostic> {
        let mut found = check_patterns(&self.repo, roles);
        for role in roles {
            found.extend(role.warnings().iter().cloned());
            found.extend(role.remarks().iter().cloned());
            found.extend(self.unknown_template(role));
            found.extend(absent_sections(role, &asked_for(&self.repo, role)));
        }
        found
    }

    /// Checks only the patterns of roles, for roles that cannot be loaded:
    /// [`AllRoles::patterns_of`](crate::role::load::AllRoles::patterns_of).
    pub fn check_patterns(&self, roles: &[Role]) -> Vec<Diagnostic> {
        check_patterns(&self.repo, roles)
    }

    /// Writes a new role's file where the repository keeps its roles, and returns the path as seen
    /// from the repository.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Role`](crate::ErrorKind::Role) for a name that a role cannot have;
    /// [`ErrorKind::File`](crate::ErrorKind::File) if the repository already has a file for a role
    /// of this name, or if the file cannot be written.
    pub fn write_new_role(&self, name: &str, text: &str) -> Result<String, Error> {
        Roles::check_name(name)?;
        let folder = RepoPath::parse(ROLES_FOLDER).map_err(nowhere)?;
        let short = folder.entry(&format!("{name}.yml"));
        if self.repo.kind(&short) != Kind::Missing {
            let message = format!("`{short}` already exists");
            return Err(Error::say(ErrorKind::File, message));
        }
        let path = folder.entry(&format!("{name}.yaml"));
        self.repo.write_new(&path, text)?;
        Ok(path.to_string())
    }

    fn unknown_template(&self, role: &Role) -> Vec<Diagnostic> {
        let Some(Err(error)) = role.template().map(|name| self.templates.get(name)) else {
            return Vec::new();
        };
        let problems = error.diagnostics().iter().cloned();
        problems.map(|d| d.at(role.template_place())).collect()
    }

    /// Checks these templates, or all allowed ones if none is named. It compares the names in them
    /// with what exists, and renders each with every section and with none, for those of these
    /// roles that use it, or for all of them if none does. Returns what went wrong, by template.
    pub fn check_templates(&self, names: &[&str], roles: &[Role]) -> Vec<(String, Diagnostic)> {
        let all: Vec<&str> = self.templates.names().collect();
        let names = if names.is_empty() { &all } else { names };
        let samples: Vec<Sample> = roles.iter().map(sample).collect();
        template::check(&self.templates, names, &samples, &known())
    }
}

fn nowhere(why: PathError) -> Error {
    Error::say(ErrorKind::File, why.to_string())
}

/// Finds keys of `priority_order` for sections that the role does not ask for and that no caller
/// may bring. Built-in roles are exempt, because other roles extend them.
fn absent_sections(role: &Role, asked: &[Key]) -> Vec<Diagnostic> {
    let can_be = |key: &Key| {
        key.is_protected() || *key == Key::TargetFile || key.may_be_brought() || asked.contains(key)
    };
    let names = role.context().ranked_names().iter();
    names
        .filter(|name| !name.is_guess())
        .filter_map(|name| {
            let key = name.value().as_ref().filter(|key| !can_be(key))?;
            let message = format!("the section `{}` can never appear", quoted(name.text()));
            Some(
                Diagnostic::warning(message)
                    .rule(Rule::AbsentSection)
                    .at(name.place())
                    .help(Some(format!("{} brings it", asked_by(key)))),
            )
        })
        .collect()
}

/// Returns what a role must say to get a section.
fn asked_by(key: &Key) -> String {
    match Source::of(key).map(|source| (source.sentinel, source.setting)) {
        Some((Some(sentinel), _)) => format!("`{sentinel}` in `include`"),
        Some((None, Some(setting))) => format!("`{setting}: true`"),
        _ => "a pattern in `include`".to_owned(),
    }
}

/// Returns what a template is rendered with for a role: every section, and none.
fn sample(role: &Role) -> Sample {
    let context = |keys: &[Key]| {
        let section =
            |key: &Key| Section::new(key.clone(), vec![Piece::text(Body::Text("sample".into()))]);
        let context = Context {
            sections: keys.iter().map(section).collect(),
            ..Context::default()
        };
        packed(&context, role.context().style)
    };
    Sample {
        role: role.name().to_owned(),
        template: role.template().map(str::to_owned),
        values: sample_values(role.to_template()),
        contexts: vec![context(Key::DEFAULT_ORDER), context(&[])],
    }
}

fn sample_values(role: Json) -> Json {
    let variables = Variables {
        role,
        task: "A sample task.",
        data: &Map::new(),
        targets: vec!["src/sample".into()],
        changed_files: vec!["src/sample".into()],
        messages: false,
        role_last: false,
        repo: RepoVariables {
            name: "sample".into(),
            branch: "main".into(),
        },
    };
    variables.to_json()
}

/// Returns the variables of a template, each with its members; `null` where any member may exist.
fn known() -> Json {
    let mut known = members(&sample_values(Json::Null));
    known["role"] = schema::members();
    known["data"] = Json::Null;
    known["context"] = Json::Object(Map::new());
    known["sections"] = Json::Null;
    known
}

/// Returns the members of a value, each with its own members.
fn members(value: &Json) -> Json {
    let inner = value.as_object().into_iter().flatten();
    inner
        .map(|(name, value)| (name.clone(), members(value)))
        .collect()
}
