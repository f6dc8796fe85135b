//! Renders allowlisted templates in a sandbox.
//!
//! A template sees plain values and what [`language`] lists, and nothing of the machine: no files,
//! no environment, no network, no clock. Values are never parsed as templates.

mod bounds;
mod check;
mod language;
mod names;
mod packed;
mod problem;
mod sandbox;
mod source;
mod walk;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value as Json;

pub use check::{Sample, check, unwritten};
pub use packed::{Packed, Rendered};
pub use source::{MAX_TEMPLATE, Source};
pub use worker::{SUBCOMMAND as TEMPLATE_WORKER, serve as serve_template_worker};

use self::sandbox::Sandbox;
use self::source::{Sources, template_error};
use self::worker::Worker;
use crate::error::{Diagnostic, Error, Rule};
use crate::nearest::did_you_mean;
use crate::repo::{Repo, RepoPath};
use crate::show::quoted;
use crate::tokens::Counter;

/// The templates that may be rendered, included or extended, and no others.
#[derive(Debug, Clone)]
pub struct Templates {
    sources: Sources,
    /// Where they are rendered, if an operator's are among them.
    isolation: Option<Isolation>,
    /// Existing templates that are not among these.
    withheld: Option<Arc<Withheld>>,
}

/// Templates that exist but may not be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// Their names.
    pub names: Vec<String>,
    /// Why, as the end of the sentence `the template NAME`.
    pub why: String,
    /// What to do about it.
    pub help: String,
    /// Whether a template of the same name from another place is rendered instead. The prompt then
    /// says so.
    pub has_substitutes: bool,
}

/// Where an operator's templates are rendered.
///
/// One that is hostile, or has a mistake in a loop, can take all memory, time or stack of the
/// process that renders it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// In a process of this program, within limits on memory and time. It is started with
    /// [`TEMPLATE_WORKER`] as its only argument and must call [`serve_template_worker`]: the
    /// `packer` command does.
    Worker(PathBuf),
    /// In this process: for templates that are trusted like this program's own code.
    TrustedInProcess,
}

/// A template with its variables, ready to be rendered with one context after another.
pub enum Prepared {
    /// In this process.
    Here(Box<Sandbox>),
    /// In another one.
    There(Box<Worker>),
}

impl Default for Templates {
    fn default() -> Self {
        Templates::shipped()
    }
}

impl Templates {
    /// Returns the templates that are part of the program.
    pub fn shipped() -> Templates {
        Templates {
            sources: source::shipped(),
            isolation: None,
            withheld: None,
        }
    }

    /// Takes templates from an operator's folder: those with shipped names that exist, and every
    /// one of `allow`, which must exist.
    ///
    /// Names are plain file names; links that lead out of the folder are not followed. If there are
    /// several folders, the strictest isolation holds for all.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`](crate::ErrorKind::Template) if the folder or an allowed template
    /// does not exist, is too large, or its name is not a plain file name.
    pub fn folder(
        mut self,
        folder: &Path,
        allow: &[String],
        isolation: Isolation,
    ) -> Result<Templates, Error> {
        let repo = Repo::open(folder).map_err(|_| {
            let message = format!(
                "the prompts folder `{}` does not exist",
                crate::show::path(folder)
            );
            template_error(Diagnostic::error(message))
        })?;
        let mut found = Vec::new();
        for name in source::shipped().keys() {
            found.extend(source::read(&repo, name)?.map(|source| (name.clone(), source)));
        }
        for name in allow {
            let Some(source) = source::read(&repo, name)? else {
                let shown = quoted(name);
                let message = format!(
                    "there is no template `{shown}` in `{}`",
                    crate::show::path(folder)
                );
                let there = repo.names(&RepoPath::root());
                let help = did_you_mean(name, there.iter().map(String::as_str));
                return Err(template_error(Diagnostic::error(message).help(help)));
            };
            found.push((name.clone(), source));
        }
        // Whoever names the folder has what is in it rendered, whatever else has its name.
        if let Some(withheld) = self.withheld.as_mut().map(Arc::make_mut) {
            let is_found = |name: &String| found.iter().any(|(found, _)| found == name);
            withheld.names.retain(|name| !is_found(name));
        }
        self.add(found, isolation);
        Ok(self)
    }

    /// Takes templates whose texts the caller has read and trusts, replacing those of the same
    /// names.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`](crate::ErrorKind::Template) if a name is not a plain file name.
    pub fn texts(
        mut self,
        texts: impl IntoIterator<Item = (String, Source)>,
        isolation: Isolation,
    ) -> Result<Templates, Error> {
        let found: Vec<_> = texts.into_iter().collect();
        for (name, _) in &found {
            source::check_name(name)?;
        }
        self.add(found, isolation);
        Ok(self)
    }

    /// Sets which existing templates may not be rendered, and why.
    #[must_use]
    pub fn withhold(mut self, withheld: Withheld) -> Templates {
        self.withheld = Some(Arc::new(withheld));
        self
    }

    /// Returns the templates that may not be rendered.
    pub fn withheld(&self) -> Option<&Withheld> {
        self.withheld.as_deref()
    }

    /// Returns what may not be rendered of a template and of all that it names, with its name.
    fn withheld_of<'a>(&'a self, name: &'a str) -> Option<(&'a str, &'a Withheld)> {
        let withheld = self.withheld.as_deref()?;
        let reached = self.reached(name).into_iter();
        let mut names = reached.chain([name]);
        let name = names.find(|name| withheld.names.iter().any(|known| known == name))?;
        Some((name, withheld))
    }

    /// Whether there are templates of an operator beside the shipped ones.
    pub(crate) fn has_operators(&self) -> bool {
        self.isolation.is_some()
    }

    /// Returns the remark on a template that stands in for one that may not be rendered.
    pub(crate) fn remark(&self, name: &str) -> Option<String> {
        let (name, Withheld { why, help, .. }) = self.withheld_of(name)?;
        let origin = &self.sources.get(name)?.origin;
        let shown = quoted(name);
        Some(format!(
            "the template `{shown}` {why}; another of that name is rendered ({origin}); {help}"
        ))
    }

    /// Adds an operator's templates.
    fn add(&mut self, found: Vec<(String, Source)>, isolation: Isolation) {
        let is_strict = matches!(self.isolation, Some(Isolation::Worker(_)));
        if !found.is_empty() && !is_strict {
            self.isolation = Some(isolation);
        }
        Arc::make_mut(&mut self.sources).extend(found);
    }

    /// Returns the shipped base template, and one as if an operator's folder had it.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn of_an_operator(name: &str, text: &str, isolation: &Isolation) -> Templates {
        let mut templates = Templates::shipped();
        Arc::make_mut(&mut templates.sources).retain(|name, _| name == "_base.j2");
        let source = Source {
            text: text.to_owned(),
            origin: name.to_owned(),
        };
        templates.add(vec![(name.to_owned(), source)], isolation.clone());
        templates
    }

    /// Returns the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// Returns one template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`](crate::ErrorKind::Template) with the allowed names, also if it, or
    /// one that it names, [may not be rendered](Templates::withhold).
    pub fn get(&self, name: &str) -> Result<&Source, Error> {
        let found = self.sources.get(name);
        let withheld = self.withheld_of(name);
        let withheld = withheld.filter(|(_, it)| found.is_none() || !it.has_substitutes);
        if let Some((name, withheld)) = withheld {
            let message = format!("the template `{}` {}", quoted(name), withheld.why);
            let problem = Diagnostic::error(message).rule(Rule::UnknownTemplate);
            return Err(template_error(problem.help(Some(withheld.help.clone()))));
        }
        found.ok_or_else(|| {
            let allowed: Vec<&str> = self.names().collect();
            let message = format!(
                "the template `{}` is not allowed; allowed are {}",
                quoted(name),
                allowed.join(", ")
            );
            let help = did_you_mean(name, allowed).unwrap_or_else(|| {
                "to allow another, use `--prompts-dir DIR --allow-template NAME`".into()
            });
            let problem = Diagnostic::error(message).rule(Rule::UnknownTemplate);
            template_error(problem.help(Some(help)))
        })
    }

    /// Whether a template, or one that it names, uses any of these words. What is expensive to find
    /// out is found out only then.
    pub(crate) fn mentions(&self, name: &str, words: &[&str]) -> bool {
        let reached = self.reached(name);
        let mut texts = reached.iter().map(|name| self.text(name));
        texts.any(|text| words.iter().any(|word| text.contains(word)))
    }

    /// Returns the names of a template and of all existing templates that it names.
    fn reached<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut seen: Vec<&str> = Vec::new();
        let mut todo = vec![name];
        while let Some(name) = todo.pop() {
            let Some(source) = self.sources.get(name).filter(|_| !seen.contains(&name)) else {
                continue;
            };
            seen.push(name);
            todo.extend(self.names().filter(|other| source.text.contains(*other)));
        }
        seen
    }

    /// Returns the text of a template.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.sources.get(name).map_or("", |source| &source.text)
    }

    /// Prepares a template to be rendered with the members of `values` as its variables.
    pub(crate) fn prepare(&self, name: &str, values: &Json, tokenizer: Counter) -> Prepared {
        let sources = &self.sources;
        match &self.isolation {
            Some(Isolation::Worker(program)) => {
                let worker = Worker::new(program, sources, name, values, tokenizer);
                Prepared::There(Box::new(worker))
            }
            Some(Isolation::TrustedInProcess) | None => {
                Prepared::Here(Box::new(Sandbox::new(sources, name, values, tokenizer)))
            }
        }
    }
}

impl Prepared {
    /// Renders it with the context as `context` and `sections`, unless the values have these.
    ///
    /// # Errors
    ///
    /// What went wrong, with template, line and column.
    pub(crate) fn render(&mut self, context: Packed) -> Result<Rendered, Box<Diagnostic>> {
        match self {
            Prepared::Here(sandbox) => sandbox.render(context),
            Prepared::There(worker) => worker.render(&context),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(templates: &Templates, name: &str) -> Result<String, Box<Diagnostic>> {
        let values = json!({"task": "Say it."});
        let mut prepared = templates.prepare(name, &values, Counter::Chars);
        let text = |text: &str| Packed {
            text: text.to_owned(),
            sections: Vec::new(),
        };
        let first = prepared.render(text("one"))?.text;
        Ok(first + &prepared.render(text("two"))?.text)
    }

    #[test]
    fn a_prepared_template_is_rendered_with_one_context_after_another() {
        let text = "{{ task }} {{ context }};";
        let templates = Templates::of_an_operator("t.j2", text, &Isolation::TrustedInProcess);
        assert_eq!(
            render(&templates, "t.j2").unwrap(),
            "Say it. one;Say it. two;"
        );
    }

    #[test]
    fn an_operators_template_is_never_rendered_here_in_place_of_its_worker() {
        let worker = Isolation::Worker("/there/is/no/worker".into());
        let mut templates = Templates::of_an_operator("t.j2", "{{ task }}", &worker);
        let problem = render(&templates, "t.j2").unwrap_err();
        assert!(
            problem.message.contains("could not be started"),
            "{problem}"
        );
        // Not even if templates that are trusted come to it later.
        let trusted = templates.sources["t.j2"].clone();
        let added = vec![("u.j2".to_owned(), trusted)];
        templates.add(added, Isolation::TrustedInProcess);
        assert!(render(&templates, "t.j2").is_err());
        assert!(render(&templates, "u.j2").is_err());
    }
}
