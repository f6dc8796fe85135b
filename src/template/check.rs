//! Finds mistakes in templates before they are needed.

use serde_json::Value as Json;

use super::{Packed, Templates, sandbox};
use crate::error::{Diagnostic, Place};
use crate::nearest::did_you_mean;
use crate::show::visible;
use crate::tokens::Tokenizer;

/// Renders every template with every set of sample values, and compares its blocks
/// and variables with what there is. Returns what is wrong, each once, by template.
///
/// `variables` are the names of the values that every template gets.
pub fn check(
    templates: &Templates,
    samples: &[(Json, Packed)],
    variables: &[&str],
) -> Vec<(String, Diagnostic)> {
    let mut found: Vec<(String, Diagnostic)> = Vec::new();
    let mut add = |name: &str, problem: Diagnostic| {
        // Rendering and looking find the same mistake at two columns of a line.
        let line = |d: &Diagnostic| d.place.as_ref().map(|at| (at.file.clone(), at.line));
        let same =
            |known: &Diagnostic| known.message == problem.message && line(known) == line(&problem);
        if !found.iter().any(|(_, known)| same(known)) {
            found.push((name.to_owned(), problem));
        }
    };
    for name in templates.names() {
        for (values, context) in samples {
            let rendered = templates.render(name, values, context.clone(), Tokenizer::Chars);
            if let Err(problem) = rendered {
                add(name, *problem);
            }
        }
        for filter in unknown_filters(templates, name) {
            add(name, filter);
        }
        for block in unknown_blocks(templates, name) {
            add(name, block);
        }
        for variable in unknown_variables(templates, name, variables) {
            add(name, variable);
        }
    }
    found
}

/// Blocks that no template which this one extends has: they are never written.
fn unknown_blocks(templates: &Templates, name: &str) -> Vec<Diagnostic> {
    let mut known: Vec<&str> = Vec::new();
    let mut seen = vec![name];
    let mut parent = extends(templates.text(name));
    if parent.is_none() {
        return Vec::new();
    }
    while let Some(above) = parent.filter(|above| !seen.contains(above)) {
        seen.push(above);
        known.extend(blocks(templates.text(above)).map(|(_, block)| block));
        parent = extends(templates.text(above));
    }
    let text = templates.text(name);
    let own: Vec<(usize, &str)> = blocks(text).collect();
    own.iter()
        .filter(|(at, block)| !known.contains(block) && !nested(text, *at))
        .map(|(at, block)| {
            let message = format!("no template above has a block `{}`", visible(block));
            Diagnostic::error(message)
                .at(Some(place(name, text, *at)))
                .help(did_you_mean(block, known.iter().copied()))
        })
        .collect()
}

/// Variables that nothing sets, also in branches that no sample takes.
fn unknown_variables(templates: &Templates, name: &str, variables: &[&str]) -> Vec<Diagnostic> {
    let text = templates.text(name);
    let set_somewhere = |variable: &str| {
        templates.names().any(|other| {
            let text = templates.text(other);
            ["set ", "for ", "macro ", "import ", "as ", ", "]
                .iter()
                .any(|word| text.contains(&format!("{word}{variable}")))
        })
    };
    let mut unknown: Vec<String> = sandbox::undeclared(text)
        .into_iter()
        .filter(|variable| {
            let known = variables.contains(&variable.as_str());
            !known && !set_somewhere(variable) && !is_guarded(text, variable)
        })
        .collect();
    unknown.sort_unstable();
    unknown
        .into_iter()
        .map(|variable| {
            let at = word(text, &variable).unwrap_or(0);
            let message = format!("`{variable}` is undefined");
            Diagnostic::error(message)
                .at(Some(place(name, text, at)))
                .help(did_you_mean(&variable, variables.iter().copied()))
        })
        .collect()
}

/// Whether a template says what holds if the variable is absent.
fn is_guarded(text: &str, variable: &str) -> bool {
    text.match_indices(variable).any(|(at, _)| {
        let rest = text[at + variable.len()..].trim_start();
        let filter = rest.strip_prefix('|').map(str::trim_start);
        filter.is_some_and(|name| name.starts_with("default") || name.starts_with("d("))
            || ["is defined", "is undefined", "is not defined"]
                .iter()
                .any(|test| rest.starts_with(test))
    })
}

/// Filters that there are not, also in branches that no sample takes.
fn unknown_filters(templates: &Templates, name: &str) -> Vec<Diagnostic> {
    let text = templates.text(name);
    let mut found = Vec::new();
    for (start, tag) in tags(text).chain(expressions(text)) {
        let mut quote = None;
        for (at, letter) in tag.char_indices() {
            match (letter, quote) {
                ('"' | '\'', None) => quote = Some(letter),
                (letter, Some(open)) if letter == open => quote = None,
                ('|', None) => {
                    let rest = tag[at + 1..].trim_start();
                    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                    let filter = &rest[..end.unwrap_or(rest.len())];
                    if !filter.is_empty() && !sandbox::has_filter(filter) {
                        let at = start + tag.len() - rest.len();
                        let problem = Diagnostic::error(format!("filter {filter} is unknown"));
                        found.push(problem.at(Some(place(name, text, at))));
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Where `name` stands as a whole word inside a tag.
fn word(text: &str, name: &str) -> Option<usize> {
    let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = &text[..*at];
        let in_tag = before
            .rfind(['{', '}'])
            .is_some_and(|brace| before[brace..].starts_with('{'))
            || before.rfind("{%") > before.rfind("%}");
        in_tag && whole(before.chars().next_back()) && whole(text[at + name.len()..].chars().next())
    })
}

/// The template that a text extends.
fn extends(text: &str) -> Option<&str> {
    let (_, rest) = tags(text).find(|(_, tag)| tag.starts_with("extends"))?;
    rest.split(['"', '\'']).nth(1)
}

/// The blocks of a text, with where their names stand.
fn blocks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    tags(text).filter_map(|(at, tag)| {
        let rest = tag.strip_prefix("block")?;
        let name = rest.trim_start();
        let start = at + tag.len() - name.len();
        let end = name
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(name.len());
        (rest.len() > name.len()).then_some((start, &name[..end]))
    })
}

/// Whether a block stands inside another one, which then writes it.
fn nested(text: &str, at: usize) -> bool {
    let before = tags(text).take_while(|(tag, _)| *tag < at);
    let open = before.fold(0usize, |open, (_, tag)| match tag {
        tag if tag.starts_with("block") => open + 1,
        tag if tag.starts_with("endblock") => open.saturating_sub(1),
        _ => open,
    });
    open > 1
}

/// What stands in `{% … %}`, with where it starts.
fn tags(text: &str) -> impl Iterator<Item = (usize, &str)> {
    between(text, "{%", "%}")
}

/// What stands in `{{ … }}`, with where it starts.
fn expressions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    between(text, "{{", "}}")
}

fn between<'a>(
    text: &'a str,
    open: &'a str,
    close: &'a str,
) -> impl Iterator<Item = (usize, &'a str)> {
    text.match_indices(open).filter_map(move |(at, _)| {
        let inner = &text[at + 2..];
        let inner = &inner[..inner.find(close)?];
        let trimmed = inner.trim_start_matches(['-', '+']).trim_start();
        Some((at + 2 + inner.len() - trimmed.len(), trimmed))
    })
}

fn place(name: &str, text: &str, at: usize) -> Place {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |line| line + 1);
    Place {
        file: name.to_owned(),
        line: before.matches('\n').count() + 1,
        column: text[start..at].chars().count() + 1,
        text: text[start..].lines().next().unwrap_or_default().to_owned(),
    }
}
