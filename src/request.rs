//! What a caller asks for beside the role.

use serde_json::{Map, Value as Json};

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::section::Key;
use crate::settings::{Engine, Prune, Style};
use crate::show::visible;
use crate::tokens::Tokenizer;

/// The name of an extra section has at most so many characters.
const MAX_KEY: usize = 64;

/// The built-in sections that a caller may bring itself.
pub(crate) const BRINGABLE: [Key; 5] = [
    Key::GitDiff,
    Key::Imports,
    Key::Related,
    Key::RepoMap,
    Key::Tree,
];

/// A task, its target files, and what wins over the role's own settings.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The task description.
    pub task: String,
    /// The target files, relative to the repository or absolute inside it.
    pub targets: Vec<String>,
    /// Extra sections: a key and its text, in order.
    pub extra: Vec<(String, String)>,
    /// What a template finds under `data`: results of builders, for example. It is the
    /// template's own, so it is never pruned.
    pub data: Map<String, Json>,
    /// In place of the role's `token_budget`.
    pub budget: Option<usize>,
    /// In place of the role's `prune`.
    pub prune: Option<Prune>,
    /// In place of the role's `style`.
    pub style: Option<Style>,
    /// In place of the role's `engine`.
    pub engine: Option<Engine>,
    /// In place of the role's `tokenizer`.
    pub tokenizer: Option<Tokenizer>,
    /// Whether a fallback, a prompt over its budget, or a target that cannot be
    /// read is an error.
    pub strict: bool,
}

impl Request {
    /// Asks for a prompt for this task.
    pub fn new(task: impl Into<String>) -> Request {
        Request {
            task: task.into(),
            ..Request::default()
        }
    }

    /// Adds a target file.
    pub fn target(mut self, path: impl Into<String>) -> Request {
        self.targets.push(path.into());
        self
    }

    /// Adds an extra section.
    pub fn extra(mut self, key: impl Into<String>, text: impl Into<String>) -> Request {
        self.extra.push((key.into(), text.into()));
        self
    }

    /// Adds a value that a template finds under `data`.
    pub fn data(mut self, key: impl Into<String>, value: impl Into<Json>) -> Request {
        self.data.insert(key.into(), value.into());
        self
    }

    /// Sets the budget in tokens.
    pub fn budget(mut self, tokens: usize) -> Request {
        self.budget = Some(tokens);
        self
    }

    /// The extra sections that are not empty, under their keys.
    pub(crate) fn extra_sections(&self) -> Result<Vec<(Key, String)>, Error> {
        let mut sections: Vec<(Key, String)> = Vec::new();
        for (name, text) in &self.extra {
            let key = extra_key(name).map_err(|why| {
                let message = format!("`{}` cannot be an extra section: {why}", visible(name));
                Error::new(ErrorKind::Request, Diagnostic::error(message))
            })?;
            if sections.iter().any(|(have, _)| *have == key) {
                let message = format!("the extra section `{name}` is given twice");
                return Err(Error::new(ErrorKind::Request, Diagnostic::error(message)));
            }
            if !text.trim().is_empty() {
                sections.push((key, text.clone()));
            }
        }
        Ok(sections)
    }
}

fn extra_key(name: &str) -> Result<Key, String> {
    if name.trim().is_empty() {
        return Err("it has no name".into());
    }
    if name.chars().count() > MAX_KEY || name.contains(['\n', '\r']) {
        return Err(format!(
            "a name is one line of at most {MAX_KEY} characters"
        ));
    }
    match Key::from_name(name) {
        key @ Key::Extra(_) => Ok(key),
        key if BRINGABLE.contains(&key) => Ok(key),
        _ => Err("it is the name of a built-in section".into()),
    }
}
