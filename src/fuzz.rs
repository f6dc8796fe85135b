//! The entry points of the fuzz targets, which exist only under `--cfg fuzzing`: what reads texts
//! of strangers, without access to a disk. Nothing else may rely on them.

use std::ops::Range;
use std::path::Path;

use serde_json::Value as Json;

use crate::builder;
use crate::error::Diagnostic;
use crate::format;
use crate::parse::Parser;
use crate::section::{Body, Piece};
use crate::settings::FilesStyle;
use crate::source::context_dir;
use crate::syntax::{Wanted, has_grammar, parse};
use crate::template::{self, Sample};
use crate::tokens::Counter;

pub use crate::builder::Issue;
pub use crate::repo::RepoPath;
pub use crate::role::pattern::{Exclusion, Globs, Pattern};
pub use crate::secrets::{Secret, find as find_secrets};
pub use crate::show::is_hidden;
pub use crate::source::context_dir::LoadedContext;
pub use crate::template::{Isolation, Packed, Templates};

/// The template's name in [`operator_template`].
pub const TEMPLATE: &str = "fuzzed.j2";

/// Returns the shipped base template and an operator's template with this text.
pub fn operator_template(text: &str, isolation: &Isolation) -> Templates {
    Templates::of_an_operator(TEMPLATE, text, isolation)
}

/// Renders that template twice, prepared once.
///
/// # Errors
///
/// What went wrong with the first or the second time.
pub fn render_twice(
    templates: &Templates,
    values: &Json,
) -> Result<(String, String), Box<Diagnostic>> {
    let mut prepared = templates.prepare(TEMPLATE, values, Counter::Chars);
    Ok((
        prepared.render(packed())?.text,
        prepared.render(packed())?.text,
    ))
}

/// Returns a context of two sections.
pub fn packed() -> Packed {
    Packed {
        text: "## Files\n\n## Größe\n".into(),
        sections: vec![("files".into(), 0..8), ("size".into(), 10..20)],
    }
}

/// Returns what `packer templates check` finds.
pub fn check_templates(
    templates: &Templates,
    values: &Json,
    variables: &[&str],
) -> Vec<Diagnostic> {
    let sample = Sample {
        role: "r".into(),
        template: None,
        values: values.clone(),
        contexts: vec![packed()],
    };
    let known = variables
        .iter()
        .map(|name| ((*name).to_owned(), Json::Null));
    let names: Vec<&str> = templates.names().collect();
    let found = template::check(templates, &names, &[sample], &known.collect());
    found.into_iter().map(|(_, problem)| problem).collect()
}

/// Returns what a context directory says whose files have these names and texts.
pub fn load_context(files: &[(&str, &str)], budget: usize) -> LoadedContext {
    context_dir::load_texts(files, budget)
}

/// Returns the words of an issue that could be paths, each with its first and last line.
pub fn mentions(issue: &Issue) -> Vec<(String, Option<(usize, usize)>)> {
    builder::mentioned(issue)
}

/// Returns what a reader prints for files with these paths and texts.
pub fn write_files(files: &[(&str, &str)], style: FilesStyle) -> String {
    let pieces: Vec<Piece> = files
        .iter()
        .map(|(path, text)| Piece::file(*path, Body::Source((*text).to_owned())))
        .collect();
    format::files(&pieces, style).collect()
}

/// Returns the lines of each part of a source text.
pub fn parts(language: &str, text: &str) -> Vec<Range<usize>> {
    let parts = parse(language, text, Wanted::Parts).parts.into_iter();
    parts.map(|part| part.lines).collect()
}

/// Returns the lines of each part of a file, and those of its outline, parsed by a worker; none if
/// that cannot parse it, or if there is no grammar.
///
/// # Panics
///
/// An error without a reason.
pub fn parsed_apart(
    program: &Path,
    path: &str,
    text: &str,
) -> Option<(Vec<Range<usize>>, Vec<Range<usize>>)> {
    let language = crate::syntax::language(path);
    if !has_grammar(language, text) {
        return None;
    }
    let parser = Parser::apart(program);
    let parsed = |wanted| parser.parsed(wanted, path, text);
    let (found, entries) = (parsed(Wanted::Parts), parsed(Wanted::Entries));
    let notes = parser.notes();
    assert!(found.is_some() && entries.is_some() || !notes.is_empty());
    found.map(|parsed| {
        let parts = parsed.parts.into_iter();
        (parts.map(|part| part.lines).collect(), parsed.outline)
    })
}

/// Returns the lines of the outline of a source text.
pub fn outline(language: &str, text: &str) -> Vec<Range<usize>> {
    parse(language, text, Wanted::Outline).outline
}
