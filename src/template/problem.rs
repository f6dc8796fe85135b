//! What went wrong with a template, and where.

use std::error::Error as _;
use std::io;
use std::ops::Range;

use minijinja::ErrorKind;

use super::bounds::FUEL;
use crate::error::{Diagnostic, Place, Rule};

/// Describes what went wrong where, from the innermost error that has a place. `text` returns the
/// text of each template by its name.
pub(super) fn explain<'a>(
    error: &minijinja::Error,
    text: impl Fn(&str) -> Option<&'a str>,
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
        .at(place_of(innermost, text));
    if rule == Rule::UndefinedVariable {
        let help = "use `is defined` to test for a value that may be absent";
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

fn place_of<'a>(error: &minijinja::Error, text: impl Fn(&str) -> Option<&'a str>) -> Option<Place> {
    let file = error.name()?;
    let number = error.line()?;
    let text = text(file)?;
    let range = error.range().filter(|at| text.get(at.clone()).is_some());
    Some(match range {
        Some(range) => place(file, text, &range),
        None => {
            let line = text.lines().nth(number.saturating_sub(1));
            Place::new(file, number, 1, 1, line.unwrap_or_default())
        }
    })
}

/// Returns the place of these bytes of a template.
pub(super) fn place(name: &str, text: &str, at: &Range<usize>) -> Place {
    let before = text.get(..at.start).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |line| line + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let inside = text.get(at.clone()).unwrap_or_default();
    let width = inside.lines().next().unwrap_or_default().chars().count();
    let number = before.matches('\n').count() + 1;
    let column = before[start..].chars().count() + 1;
    Place::new(name, number, column, width, line)
}
