//! Finds mistakes in templates before they are needed.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::names::{Link, Named, Names, Variable};
use super::problem::place;
use super::walk::{LOOP, names};
use super::{Packed, Templates, language};
use crate::error::{Diagnostic, Place, Rule};
use crate::nearest::did_you_mean;
use crate::show::quoted;
use crate::tokens::Counter;

/// The most mistakes of one kind that are reported for a template: a hostile one has thousands on a
/// line.
const MAX_TOLD: usize = 200;

/// The most names that are listed if none is similar.
const MAX_LISTED: usize = 12;

/// The most roles that are named with which a template fails.
const MAX_ROLES: usize = 5;

/// How long all templates may be rendered together. Each has limits of its own, but a repository
/// may have many templates and many roles. An ordinary one takes a hundredth of it.
const MAX_TIME: Duration = Duration::from_secs(8);

/// What a template is rendered with to see whether it fails.
#[derive(Debug)]
pub struct Sample {
    /// The role's name.
    pub role: String,
    /// The template that renders the role.
    pub template: Option<String>,
    /// The variables, except the context.
    pub values: Json,
    /// Each context to render it with.
    pub contexts: Vec<Packed>,
}

/// Compares the names in these templates with what exists, renders each with the samples of the
/// roles that use it, or of all roles if none does, and returns what is wrong, each mistake once,
/// by template.
///
/// `known` has the variables that every template gets. An object in it has only its own members;
/// anything else may have any members.
pub fn check(
    templates: &Templates,
    names: &[&str],
    samples: &[Sample],
    known: &Json,
) -> Vec<(String, Diagnostic)> {
    check_within(MAX_TIME, templates, names, samples, known)
}

/// Finds what is never rendered of a template that does render: blocks that no parent has, and text
/// outside the blocks.
pub fn unwritten(templates: &Templates, name: &str) -> Vec<Diagnostic> {
    let checker = Checker {
        templates,
        names: above(templates, name),
        known: &Json::Null,
        end: Instant::now(),
    };
    let Some(names) = checker.names(name) else {
        return Vec::new();
    };
    let mut found = checker.unknown_blocks(name, names);
    found.extend(checker.outside_blocks(name, names));
    found
}

/// Returns what a template names, what the one that it extends names, and so on.
fn above<'a>(templates: &'a Templates, name: &str) -> BTreeMap<&'a str, Read> {
    let own = |name: &str| templates.names().find(|own| *own == name);
    let mut all = BTreeMap::new();
    let mut next = own(name);
    while let Some(name) = next.filter(|name| !all.contains_key(name)) {
        let read = names(name, templates.text(name));
        let parent = read.as_ref().ok().and_then(Names::parent);
        next = parent.and_then(own);
        all.insert(name, read);
    }
    all
}

fn check_within(
    time: Duration,
    templates: &Templates,
    names: &[&str],
    samples: &[Sample],
    known: &Json,
) -> Vec<(String, Diagnostic)> {
    let checker = Checker::new(templates, known, Instant::now() + time);
    let mut found: Vec<(String, Diagnostic)> = Vec::new();
    for name in names {
        let problems = checker.compare(name).into_iter();
        found.extend(problems.map(|problem| ((*name).to_owned(), problem)));
    }
    for name in names.iter().filter(|name| !checker.is_hopeless(name)) {
        for problem in checker.render(name, samples) {
            // What is wrong with a template fails whatever includes it, too.
            if !found.iter().any(|(_, known)| is_same(known, &problem)) {
                found.push(((*name).to_owned(), problem));
            }
        }
    }
    found
}

/// Whether a failure is already known. Static checking finds the same mistake in other words and at
/// another column than rendering.
fn is_same(known: &Diagnostic, failed: &Diagnostic) -> bool {
    let line = |d: &Diagnostic| d.place.as_ref().map(|at| (at.file.clone(), at.line));
    let is_looked_for = !matches!(failed.rule, Rule::RenderFailed | Rule::Other);
    known.rule == failed.rule
        && line(known) == line(failed)
        && (is_looked_for && failed.place.is_some() || known.message == failed.message)
}

/// What a template names, or why it cannot be read.
type Read = Result<Names, Box<Diagnostic>>;

struct Checker<'a> {
    templates: &'a Templates,
    /// What each template names, or why it cannot be read.
    names: BTreeMap<&'a str, Read>,
    known: &'a Json,
    /// When rendering stops.
    end: Instant,
}

impl<'a> Checker<'a> {
    fn new(templates: &'a Templates, known: &'a Json, end: Instant) -> Checker<'a> {
        let names = templates
            .names()
            .map(|name| (name, names(name, templates.text(name))))
            .collect();
        Checker {
            templates,
            names,
            known,
            end,
        }
    }

    fn names(&self, template: &str) -> Option<&Names> {
        self.names.get(template)?.as_ref().ok()
    }

    /// Returns this template and all that it names, directly or indirectly.
    fn reach<'b>(&'b self, template: &'b str) -> HashSet<&'b str> {
        let mut seen = HashSet::new();
        let mut todo = vec![template];
        while let Some(name) = todo.pop() {
            if self.names.contains_key(name) && seen.insert(name) {
                let names = self.names(name).into_iter();
                todo.extend(names.flat_map(|names| names.linked().map(|(_, n)| n.name.as_str())));
            }
        }
        seen
    }

    /// Whether it cannot be rendered, which has already been reported.
    fn is_hopeless(&self, template: &str) -> bool {
        let reach = self.reach(template);
        reach.iter().any(|name| self.names(name).is_none())
            || reach.iter().any(|name| self.circle(name).is_some())
    }

    /// Finds what can be seen without rendering, also in branches that no sample takes.
    fn compare(&self, template: &str) -> Vec<Diagnostic> {
        match self.names.get(template) {
            None => Vec::new(),
            Some(Err(problem)) => vec![(**problem).clone()],
            Some(Ok(names)) => {
                let mut found = self.unknown_templates(template, names);
                found.extend(self.circle(template));
                found.extend(self.unknown_blocks(template, names));
                found.extend(self.outside_blocks(template, names));
                let (filters, tests) = (&names.filters, &names.tests);
                let unknown = |used, rule, known| self.unknown(template, used, rule, known);
                found.extend(unknown(filters, Rule::UnknownFilter, language::FILTERS));
                found.extend(unknown(tests, Rule::UnknownTest, language::TESTS));
                found.extend(self.unknown_variables(template, names));
                found.extend(self.unknown_of_loops(template, names));
                let line = |d: &Diagnostic| d.place.as_ref().map(|at| (at.line, at.column));
                found.sort_by_key(line);
                found
            }
        }
    }

    /// Finds templates that are not allowed; of several alternative names, one is enough.
    fn unknown_templates(&self, template: &str, names: &Names) -> Vec<Diagnostic> {
        let is_known = |named: &Named| self.names.contains_key(named.name.as_str());
        names
            .templates
            .iter()
            .filter(|(_, choice)| !choice.iter().any(is_known))
            .flat_map(|(_, choice)| choice)
            .take(MAX_TOLD)
            .map(|named| {
                let message = format!("the template `{}` is not allowed", quoted(&named.name));
                self.wrong(template, &named.at, Rule::UnknownTemplate, message)
                    .help(near(&named.name, self.names.keys().copied()))
            })
            .collect()
    }

    /// Returns the path from this template back to itself, if it is always taken.
    fn circle(&self, template: &str) -> Option<Diagnostic> {
        let mut seen = HashSet::new();
        let mut todo = vec![vec![template]];
        while let Some(way) = todo.pop() {
            for (link, named) in self.names(way[way.len() - 1])?.linked() {
                if link == Link::May || !self.names.contains_key(named.name.as_str()) {
                    continue;
                }
                let mut longer = way.clone();
                longer.push(&named.name);
                if named.name == template {
                    return Some(self.circle_of(template, &longer));
                }
                if seen.insert(&named.name) && self.names(&named.name).is_some() {
                    todo.push(longer);
                }
            }
        }
        None
    }

    fn circle_of(&self, template: &str, way: &[&str]) -> Diagnostic {
        let message = format!(
            "templates need each other in a circle: {}",
            way.join(" -> ")
        );
        let first = self.names(template).and_then(|names| {
            let mut linked = names.linked();
            linked.find(|(link, named)| *link != Link::May && named.name == way[1])
        });
        Diagnostic::error(message)
            .rule(Rule::TemplateCircle)
            .at(first.map(|(_, named)| self.place(template, &named.at)))
    }

    /// Finds blocks that no template has which this one extends: they are never rendered.
    fn unknown_blocks(&self, template: &str, names: &Names) -> Vec<Diagnostic> {
        let mut known: Vec<&str> = Vec::new();
        let mut seen = vec![template];
        let mut parent = names.parent();
        if parent.is_none() {
            return Vec::new();
        }
        while let Some(above) = parent.filter(|above| !seen.contains(above)) {
            // What cannot be read may have any block.
            let Some(names) = self.names(above) else {
                return Vec::new();
            };
            seen.push(above);
            let blocks = names.blocks.iter().chain(&names.inner_blocks);
            known.extend(blocks.map(|block| block.name.as_str()));
            parent = names.parent();
        }
        names
            .blocks
            .iter()
            .filter(|block| !known.contains(&block.name.as_str()))
            .take(MAX_TOLD)
            .map(|block| {
                let message = format!("no parent template has a block `{}`", quoted(&block.name));
                self.wrong(template, &block.at, Rule::UnknownBlock, message)
                    .help(near(&block.name, known.iter().copied()))
            })
            .collect()
    }

    /// Finds text outside the blocks of a template that extends another one.
    fn outside_blocks(&self, template: &str, names: &Names) -> Option<Diagnostic> {
        let at = names
            .outside
            .as_ref()
            .filter(|_| names.parent().is_some())?;
        let message = "this is outside all blocks, so it is never rendered";
        let help = "a template that extends another renders only its blocks";
        let problem = Diagnostic::warning(message).rule(Rule::OutsideBlocks);
        let problem = problem.at(Some(self.place(template, at)));
        Some(problem.help(Some(help.into())))
    }

    /// Finds filters or tests that do not exist.
    fn unknown(
        &self,
        template: &str,
        used: &[Named],
        rule: Rule,
        known: &[&str],
    ) -> Vec<Diagnostic> {
        let what = match rule {
            Rule::UnknownFilter => "filter",
            _ => "test",
        };
        used.iter()
            .filter(|named| !known.contains(&named.name.as_str()))
            .take(MAX_TOLD)
            .map(|named| {
                let message = format!("there is no {what} `{}`", quoted(&named.name));
                self.wrong(template, &named.at, rule, message)
                    .help(did_you_mean(&named.name, known.iter().copied()))
            })
            .collect()
    }

    /// Finds variables and functions that nothing provides.
    fn unknown_variables(&self, template: &str, names: &Names) -> Vec<Diagnostic> {
        let Some(set) = self.set_around(template) else {
            return Vec::new();
        };
        let is_guarded = |variable: &Variable| {
            (1..=variable.path.len()).any(|parts| names.guarded.contains(&variable.shown(parts)))
        };
        names
            .variables
            .iter()
            .filter(|variable| !set.contains(variable.path[0].name.as_str()))
            .filter(|variable| !is_guarded(variable))
            .filter_map(|variable| self.missing(template, variable, self.known))
            .take(MAX_TOLD)
            .collect()
    }

    /// Returns the names that get a value in templates rendered together with this one; `None` if
    /// one of them cannot be read.
    fn set_around(&self, template: &str) -> Option<HashSet<&str>> {
        let below = self.reach(template);
        let mut set = HashSet::new();
        for name in self.names.keys().copied() {
            if below.contains(name) || self.reach(name).contains(template) {
                let names = self.names(name)?;
                let is_other = name != template;
                set.extend(names.set.iter().map(String::as_str).filter(|_| is_other));
            }
        }
        Some(set)
    }

    /// Finds members that no loop has.
    fn unknown_of_loops(&self, template: &str, names: &Names) -> Vec<Diagnostic> {
        let members = language::OF_LOOPS.into_iter();
        let members = members.map(|name| (name.to_owned(), Json::Null));
        let known = json!({ LOOP: Json::Object(members.collect()) });
        let of_loops = names.of_loops.iter();
        let is_guarded = |variable: &Variable| {
            let whole = variable.shown(variable.path.len());
            names.guarded.contains(&whole)
        };
        of_loops
            .filter(|variable| !is_guarded(variable))
            .filter_map(|variable| self.missing(template, variable, &known))
            .take(MAX_TOLD)
            .collect()
    }

    /// Returns the first part of a variable that does not exist.
    fn missing(&self, template: &str, variable: &Variable, known: &Json) -> Option<Diagnostic> {
        let mut known = known;
        let mut missing = None;
        for (index, part) in variable.path.iter().enumerate() {
            match known.as_object()?.get(&part.name) {
                Some(inner) => known = inner,
                None => {
                    missing = Some((index, part));
                    break;
                }
            }
        }
        let (index, part) = missing?;
        let is_function = index == 0 && language::FUNCTIONS.contains(&part.name.as_str());
        if is_function {
            return None;
        }
        let members = known.as_object()?.keys().map(String::as_str);
        let (rule, message, help) = if variable.called && index == 0 {
            let message = format!("there is no function `{}`", quoted(&part.name));
            let help = near(&part.name, language::FUNCTIONS.iter().copied());
            (Rule::UnknownFunction, message, help)
        } else {
            let shown = variable.shown(index + 1);
            let message = format!("`{}` is undefined", quoted(&shown));
            (Rule::UndefinedVariable, message, near(&part.name, members))
        };
        Some(self.wrong(template, &part.at, rule, message).help(help))
    }

    /// Renders a template with the samples of the roles that use it.
    fn render(&self, template: &str, samples: &[Sample]) -> Vec<Diagnostic> {
        let uses = |sample: &&Sample| {
            let its_own = sample.template.as_deref();
            its_own.is_some_and(|own| self.reach(own).contains(template))
        };
        let mut used: Vec<&Sample> = samples.iter().filter(uses).collect();
        if used.is_empty() {
            used = samples.iter().collect();
        }
        let mut failures: Vec<(Diagnostic, Vec<&str>)> = Vec::new();
        let mut is_cut = false;
        for sample in &used {
            if Instant::now() >= self.end {
                is_cut = true;
                break;
            }
            let role = sample.role.as_str();
            for problem in self.failures(template, sample) {
                match failures.iter_mut().find(|(known, _)| *known == problem) {
                    Some((_, roles)) if roles.contains(&role) => {}
                    Some((_, roles)) => roles.push(role),
                    None => failures.push((problem, vec![role])),
                }
            }
        }
        let all: HashSet<&str> = used.iter().map(|sample| sample.role.as_str()).collect();
        let with_note = |(problem, roles): (Diagnostic, Vec<&str>)| Diagnostic {
            note: (roles.len() < all.len()).then(|| with_roles(&roles)),
            ..problem
        };
        let failures = failures.into_iter().map(with_note);
        failures
            .chain(is_cut.then(|| not_rendered(template)))
            .collect()
    }

    /// Returns how a template fails with each context of a sample.
    fn failures(&self, template: &str, sample: &Sample) -> Vec<Diagnostic> {
        let mut prepared = self
            .templates
            .prepare(template, &sample.values, Counter::Chars);
        let contexts = sample.contexts.iter().cloned();
        let rendered = contexts.map(|context| prepared.render(context));
        rendered.filter_map(|r| r.err().map(|p| *p)).collect()
    }

    /// Makes an error at a place of a template.
    fn wrong(&self, template: &str, at: &Range<usize>, rule: Rule, message: String) -> Diagnostic {
        let place = self.place(template, at);
        Diagnostic::error(message).rule(rule).at(Some(place))
    }

    fn place(&self, template: &str, at: &Range<usize>) -> Place {
        place(template, self.templates.text(template), at)
    }
}

/// Reports that there was no time left for a template.
fn not_rendered(template: &str) -> Diagnostic {
    let shown = quoted(template);
    Diagnostic::warning(format!(
        "`{shown}` was not rendered with every role: rendering all templates takes too long"
    ))
    .help(Some(format!(
        "run `packer templates check {shown}` to render it by itself"
    )))
}

/// Returns the name that was probably meant, or all that exist if they are few.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    did_you_mean(name, known.clone()).or_else(|| {
        let known: Vec<&str> = known.collect();
        let is_short = (1..=MAX_LISTED).contains(&known.len());
        is_short.then(|| format!("there is `{}`", known.join("`, `")))
    })
}

/// Says with which roles a template fails, if it does not fail with all of them.
fn with_roles(roles: &[&str]) -> String {
    let shown: Vec<String> = roles
        .iter()
        .take(MAX_ROLES)
        .map(|role| format!("`{}`", quoted(role)))
        .collect();
    let shown = shown.join(", ");
    let noun = if roles.len() == 1 { "role" } else { "roles" };
    match roles.len().saturating_sub(MAX_ROLES) {
        0 => format!("with the {noun} {shown}"),
        more => format!("with the {noun} {shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_no_time_for_is_told() {
        let templates = Templates::shipped();
        let names: Vec<&str> = templates.names().collect();
        let sample = Sample {
            role: "r".into(),
            template: None,
            values: json!({}),
            contexts: Vec::new(),
        };
        let found = check_within(Duration::ZERO, &templates, &names, &[sample], &json!({}));
        for name in names {
            assert!(
                found.contains(&(name.to_owned(), not_rendered(name))),
                "{name}"
            );
        }
    }
}
