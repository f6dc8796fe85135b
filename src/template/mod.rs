//! Renders allowlisted templates in a sandbox.
//!
//! A template sees plain values and what [`filters`] lists, and nothing of the
//! machine: no files, no environment, no network, no clock. Values are never
//! parsed as templates.

mod check;
mod filters;
mod names;
mod sandbox;
mod worker;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

pub use check::{Sample, check};
pub use sandbox::Packed;
pub use worker::{SUBCOMMAND as TEMPLATE_WORKER, serve as serve_template_worker};

use crate::error::{Diagnostic, Error, ErrorKind, Rule};
use crate::nearest::did_you_mean;
use crate::repo::{Kind, Refusal, Repo, RepoPath};
use crate::show::visible;
use crate::tokens::Tokenizer;

/// The templates that are part of the program, in `prompts/`.
const SHIPPED: [(&str, &str); 5] = [
    ("_base.j2", include_str!("../../prompts/_base.j2")),
    (
        "_output_schema.j2",
        include_str!("../../prompts/_output_schema.j2"),
    ),
    ("implement.j2", include_str!("../../prompts/implement.j2")),
    ("planning.j2", include_str!("../../prompts/planning.j2")),
    (
        "review_strict.j2",
        include_str!("../../prompts/review_strict.j2"),
    ),
];

/// A template is at most this large, in bytes. Compiling costs a multiple of it.
pub const MAX_TEMPLATE: u64 = 256 * 1024;

/// The templates that may be rendered, included or extended, and no others.
#[derive(Debug, Clone)]
pub struct Templates {
    sources: BTreeMap<String, Source>,
    worker: Option<PathBuf>,
}

/// A template's text and where it comes from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The text.
    pub text: String,
    /// `built-in`, or the file.
    pub origin: String,
    /// Whether it is an operator's, and so has to be rendered under bounds that
    /// only a process of its own can have.
    foreign: bool,
}

impl Default for Templates {
    fn default() -> Self {
        Templates::shipped()
    }
}

impl Templates {
    /// The templates that are part of the program.
    pub fn shipped() -> Templates {
        let sources = SHIPPED
            .into_iter()
            .map(|(name, text)| {
                let source = Source {
                    text: text.to_owned(),
                    origin: "built-in".into(),
                    foreign: false,
                };
                (name.to_owned(), source)
            })
            .collect();
        Templates {
            sources,
            worker: None,
        }
    }

    /// Takes templates from an operator's folder: those of the shipped names that
    /// are there, and every one of `allow`, which has to be there.
    ///
    /// Names are plain file names; links that lead out of the folder are not
    /// followed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`]: the folder or an allowed template is not there, is
    /// too large, or its name is no plain file name.
    pub fn folder(mut self, folder: &Path, allow: &[String]) -> Result<Templates, Error> {
        let repo = Repo::open(folder).map_err(|_| {
            let message = format!("there is no prompts folder `{}`", crate::show::path(folder));
            template_error(Diagnostic::error(message))
        })?;
        let shipped: Vec<String> = self.sources.keys().cloned().collect();
        for name in &shipped {
            if let Some(source) = read(&repo, name)? {
                self.sources.insert(name.clone(), source);
            }
        }
        for name in allow {
            let Some(source) = read(&repo, name)? else {
                let shown = visible(name);
                let message = format!(
                    "there is no template `{shown}` in `{}`",
                    crate::show::path(folder)
                );
                let there = repo.names(&RepoPath::root());
                let help = did_you_mean(name, there.iter().map(String::as_str));
                return Err(template_error(Diagnostic::error(message).help(help)));
            };
            self.sources.insert(name.clone(), source);
        }
        Ok(self)
    }

    /// The shipped base template, and one as if an operator's folder had it.
    #[cfg(fuzzing)]
    pub(crate) fn of_an_operator(name: &str, text: &str) -> Templates {
        let mut templates = Templates::shipped();
        templates.sources.retain(|name, _| name == "_base.j2");
        let source = Source {
            text: text.to_owned(),
            origin: name.to_owned(),
            foreign: true,
        };
        templates.sources.insert(name.to_owned(), source);
        templates
    }

    /// Renders an operator's templates in a process of `program`, which has to be
    /// `packer`, under bounds of memory and time.
    ///
    /// Without it they are rendered in this process, where a template that doubles
    /// a text again and again is not stopped before memory is gone.
    pub fn worker(mut self, program: impl Into<PathBuf>) -> Templates {
        self.worker = Some(program.into());
        self
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// One template.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Template`], listing the allowed names.
    pub fn get(&self, name: &str) -> Result<&Source, Error> {
        self.sources.get(name).ok_or_else(|| {
            let allowed: Vec<&str> = self.names().collect();
            let message = format!(
                "the template `{}` is not allowed; allowed are {}",
                visible(name),
                allowed.join(", ")
            );
            let help = did_you_mean(name, allowed).unwrap_or_else(|| {
                "an operator adds one with `--prompts-dir DIR --allow-template NAME`".into()
            });
            let problem = Diagnostic::error(message).rule(Rule::UnknownTemplate);
            template_error(problem.help(Some(help)))
        })
    }

    /// Whether a template, or one that it names, speaks of any of these words. What
    /// costs something to find out is found out only then.
    pub(crate) fn mentions(&self, name: &str, words: &[&str]) -> bool {
        let mut seen: Vec<&str> = Vec::new();
        let mut todo = vec![name];
        while let Some(name) = todo.pop() {
            let Some(source) = self.sources.get(name).filter(|_| !seen.contains(&name)) else {
                continue;
            };
            seen.push(name);
            if words.iter().any(|word| source.text.contains(word)) {
                return true;
            }
            todo.extend(self.names().filter(|other| source.text.contains(*other)));
        }
        false
    }

    /// The text of a template.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.sources.get(name).map_or("", |source| &source.text)
    }

    /// Renders a template with the members of `values` as its variables, and the context
    /// as `context` and `sections` unless `values` has these.
    ///
    /// # Errors
    ///
    /// What went wrong, with template, line and column.
    pub fn render(
        &self,
        name: &str,
        values: &Json,
        context: Packed,
        tokenizer: Tokenizer,
    ) -> Result<String, Box<Diagnostic>> {
        let job = sandbox::Job {
            sources: self
                .sources
                .iter()
                .map(|(name, source)| (name.clone(), source.text.clone()))
                .collect(),
            name: name.to_owned(),
            values: Cow::Borrowed(values),
            context,
            tokenizer,
        };
        match &self.worker {
            Some(program) if self.sources.values().any(|source| source.foreign) => {
                worker::render(program, &job)
            }
            _ => sandbox::render(job),
        }
    }
}

fn read(repo: &Repo, name: &str) -> Result<Option<Source>, Error> {
    let shown = visible(name);
    let plain = RepoPath::parse(name).is_ok_and(|path| path.as_str() == name);
    if !plain || name.is_empty() || name.contains(['/', '\\']) {
        let message = format!("`{shown}` is not a template's name: a plain file name is needed");
        return Err(template_error(Diagnostic::error(message)));
    }
    let path = RepoPath::root().entry(name);
    if repo.kind(&path) == Kind::Missing {
        return Ok(None);
    }
    let origin = repo.root().join(name).display().to_string();
    match repo.read(&path, MAX_TEMPLATE) {
        Ok(file) if file.replaced => {
            let message = format!("the template `{origin}` is not valid UTF-8");
            Err(template_error(Diagnostic::error(message)))
        }
        Ok(file) => Ok(Some(Source {
            text: file.text,
            origin,
            foreign: true,
        })),
        Err(Refusal::Missing) => Ok(None),
        Err(refusal) => {
            let message = format!("cannot read the template `{origin}`: {refusal}");
            Err(template_error(Diagnostic::error(message)))
        }
    }
}

fn template_error(diagnostic: Diagnostic) -> Error {
    Error::new(ErrorKind::Template, diagnostic)
}
