//! The texts of templates.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::repo::{Asker, Kind, Refusal, Repo, RepoPath};
use crate::show::quoted;

/// The largest template, in bytes. Compiling costs a multiple of it.
pub const MAX_TEMPLATE: u64 = 256 * 1024;

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

/// A template's text and where it comes from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Source {
    /// The text.
    pub text: String,
    /// `built-in`, or the file.
    pub origin: String,
}

/// Templates by their names, shared by everyone who renders them.
pub(super) type Sources = Arc<BTreeMap<String, Source>>;

/// Returns the templates that are part of the program.
pub(super) fn shipped() -> Sources {
    let source = |text: &str| Source {
        text: text.to_owned(),
        origin: "built-in".into(),
    };
    let all = SHIPPED.into_iter();
    Arc::new(
        all.map(|(name, text)| (name.to_owned(), source(text)))
            .collect(),
    )
}

/// Checks that a name is a plain file name.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let is_path = RepoPath::parse(name).is_ok_and(|path| path.as_str() == name);
    if is_path && !name.is_empty() && !name.contains(['/', '\\']) {
        return Ok(());
    }
    let shown = quoted(name);
    let message = format!("`{shown}` is not a template's name: use a plain file name");
    Err(template_error(Diagnostic::error(message)))
}

/// Reads a template of an operator's folder, if it exists.
pub(super) fn read(folder: &Repo, name: &str) -> Result<Option<Source>, Error> {
    check_name(name)?;
    let path = RepoPath::root().entry(name);
    if folder.kind(&path) == Kind::Missing {
        return Ok(None);
    }
    let origin = folder.root().join(name).display().to_string();
    match folder.read_for(Asker::Operator, &path, MAX_TEMPLATE) {
        Ok(file) if file.replaced => {
            let message = format!("the template `{origin}` is not valid UTF-8");
            Err(template_error(Diagnostic::error(message)))
        }
        Ok(file) => Ok(Some(Source {
            text: file.text,
            origin,
        })),
        Err(Refusal::Missing) => Ok(None),
        Err(refusal) => {
            let message = format!("cannot read the template `{origin}`: {refusal}");
            Err(template_error(Diagnostic::error(message)))
        }
    }
}

pub(super) fn template_error(diagnostic: Diagnostic) -> Error {
    Error::new(ErrorKind::Template, diagnostic)
}
