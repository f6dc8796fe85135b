//! The environment in which a template is rendered, and its bounds.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as _;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::thread;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Enumerator, Object, Value, merge_maps};
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::names::Names;
use super::{check, filters};
use crate::error::{Diagnostic, Place, Rule};
use crate::tokens::Tokenizer;

/// A template may execute so many instructions. The shipped ones take a few
/// hundred; this many take about a tenth of a second.
#[cfg(not(fuzzing))]
const FUEL: u64 = 2_000_000;

/// Fuzzing looks for what single instructions do, and at many templates a second.
#[cfg(fuzzing)]
const FUEL: u64 = 5_000;

/// Templates, blocks and macros nest at most this deep.
const RECURSION: usize = 100;

/// The stack of the thread that renders: the depth above takes less than 1 MiB.
const STACK: usize = 8 * 1024 * 1024;

/// A prompt is at most this large, in bytes.
#[cfg(not(fuzzing))]
pub(super) const MAX_OUTPUT: usize = 16 * 1024 * 1024;

/// As the instructions, less when fuzzing.
#[cfg(fuzzing)]
pub(super) const MAX_OUTPUT: usize = 1024 * 1024;

/// The context as a template sees it: `context` is the text, and each member of
/// `sections` a part of it. It may be large, so it is never copied as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Packed {
    /// All sections.
    pub text: String,
    /// The keys of the sections, and where each stands in the text, in bytes.
    pub sections: Vec<(String, Range<usize>)>,
}

/// All that rendering needs, as plain data.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job<'a> {
    pub(super) sources: BTreeMap<String, String>,
    pub(super) name: String,
    pub(super) values: Cow<'a, Json>,
    pub(super) context: Packed,
    pub(super) tokenizer: Tokenizer,
}

/// Renders in this process, on a thread whose stack fits the depth bound.
pub(super) fn render(mut job: Job<'_>) -> Result<String, Box<Diagnostic>> {
    let context = std::mem::take(&mut job.context);
    let job = &job;
    thread::scope(|scope| {
        let spawned = thread::Builder::new()
            .name("template".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || render_here(job, context));
        match spawned.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(rendered)) => rendered,
            Ok(Err(_)) => Err(failed(format!(
                "the template `{}` broke the renderer",
                job.name
            ))),
            Err(e) => Err(failed(format!("no thread to render on: {e}"))),
        }
    })
}

fn failed(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(message))
}

fn render_here(job: &Job<'_>, context: Packed) -> Result<String, Box<Diagnostic>> {
    let environment = environment(job);
    // Most of what is written is the context.
    let mut output = Bounded(Vec::with_capacity(context.text.len() + 16 * 1024));
    // Of two values of a name, the later one counts.
    let values = merge_maps([
        Value::from_object(Variables::of(context)),
        Value::from(minijinja::value::Serde(job.values.as_ref())),
    ]);
    environment
        .get_template(&job.name)
        .and_then(|template| template.render_captured_to(values, &mut output))
        .map_err(|e| explain(&e, &job.sources))?;
    String::from_utf8(output.0).map_err(|e| failed(format!("the prompt is not UTF-8: {e}")))
}

/// The variables `context` and `sections`.
#[derive(Debug)]
struct Variables {
    context: Value,
    sections: Value,
}

impl Variables {
    fn of(packed: Packed) -> Variables {
        let text: Arc<str> = packed.text.into();
        let sections = Sections {
            text: text.clone(),
            places: packed.sections,
        };
        Variables {
            context: Value::from(text),
            sections: Value::from_object(sections),
        }
    }
}

impl Object for Variables {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match key {
            "context" => Some(self.context.clone()),
            "sections" => Some(self.sections.clone()),
            _ => None,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["context", "sections"])
    }
}

/// Parts of the context by their keys; each is copied when it is asked for.
#[derive(Debug)]
struct Sections {
    text: Arc<str>,
    places: Vec<(String, Range<usize>)>,
}

impl Object for Sections {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        let (_, place) = self.places.iter().find(|(name, _)| name == key)?;
        self.text.get(place.clone()).map(Value::from)
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let names = self.places.iter().map(|(name, _)| Value::from(name));
        Enumerator::Values(names.collect())
    }
}

fn environment<'a>(job: &'a Job<'_>) -> Environment<'a> {
    let mut environment = Environment::empty();
    let sources = job.sources.clone();
    environment.set_loader(move |name| Ok(sources.get(name).cloned()));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_formatter(filters::write_plain);
    environment.set_syntax(syntax());
    environment.set_debug(true);
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(RECURSION);
    filters::add(&mut environment, job.tokenizer);
    environment
}

/// What a template names, read on a thread whose stack fits what the parser takes.
///
/// # Errors
///
/// Says where it does not parse.
pub(super) fn names(name: &str, text: &str) -> Result<Names, Box<Diagnostic>> {
    let read = || {
        Names::of(name, text).map_err(|e| {
            let sources = [(name.to_owned(), text.to_owned())];
            explain(&e, &BTreeMap::from(sources))
        })
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        match builder
            .spawn_scoped(scope, read)
            .map(thread::ScopedJoinHandle::join)
        {
            Ok(Ok(names)) => names,
            _ => Err(failed(format!("the template `{name}` cannot be read"))),
        }
    })
}

/// Jinja's own delimiters; the line of a block leaves no blank line behind.
pub(super) fn syntax() -> SyntaxConfig {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .unwrap_or_default()
}

/// Takes output up to the bound.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            let mib = MAX_OUTPUT / (1024 * 1024);
            return Err(io::Error::other(format!(
                "the output is larger than {mib} MiB"
            )));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says what went wrong where, from the innermost error that knows a place.
pub(super) fn explain(
    error: &minijinja::Error,
    sources: &BTreeMap<String, String>,
) -> Box<Diagnostic> {
    let mut innermost = error;
    let mut cause = error.source();
    let mut io = None;
    while let Some(inner) = cause {
        match inner.downcast_ref::<minijinja::Error>() {
            Some(inner) if inner.line().is_some() => innermost = inner,
            _ => io = inner.downcast_ref::<io::Error>().or(io),
        }
        cause = inner.source();
    }
    let what = match (innermost.kind(), innermost.detail(), io) {
        (ErrorKind::WriteFailure, _, Some(io)) => io.to_string(),
        (ErrorKind::OutOfFuel, _, _) => {
            format!("it takes more than {FUEL} instructions to render")
        }
        (ErrorKind::UndefinedError | ErrorKind::UnknownFilter, Some(detail), _)
        | (ErrorKind::UnknownTest | ErrorKind::UnknownFunction, Some(detail), _) => {
            detail.to_owned()
        }
        (kind, None, _) => kind.to_string(),
        (kind, Some(detail), _) => format!("{kind}: {detail}"),
    };
    let rule = rule(innermost.kind());
    let mut diagnostic = Diagnostic::error(what)
        .rule(rule)
        .at(place(innermost, sources));
    if rule == Rule::UndefinedVariable {
        let help = "test with `is defined` what may be absent";
        diagnostic.help = Some(help.into());
    }
    Box::new(diagnostic)
}

fn rule(kind: ErrorKind) -> Rule {
    match kind {
        ErrorKind::SyntaxError => Rule::TemplateSyntax,
        ErrorKind::UndefinedError => Rule::UndefinedVariable,
        ErrorKind::UnknownFilter => Rule::UnknownFilter,
        ErrorKind::UnknownTest => Rule::UnknownTest,
        ErrorKind::UnknownFunction | ErrorKind::UnknownMethod => Rule::UnknownFunction,
        ErrorKind::TemplateNotFound => Rule::UnknownTemplate,
        _ => Rule::RenderFailed,
    }
}

fn place(error: &minijinja::Error, sources: &BTreeMap<String, String>) -> Option<Place> {
    let file = error.name()?;
    let number = error.line()?;
    let source = sources.get(file)?;
    let range = error.range().filter(|at| source.get(at.clone()).is_some());
    Some(match range {
        Some(range) => check::place(file, source, &range),
        None => {
            let line = source.lines().nth(number.saturating_sub(1));
            Place::new(file, number, 1, 1, line.unwrap_or_default())
        }
    })
}
