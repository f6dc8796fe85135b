//! A case: a request, and what its prompt must be.

use anyhow::Context as _;
use context_packer::ContextPacker;
use context_packer::command::{nearest, parse_yaml, show};
use context_packer::report::{PieceReport, Report};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::super::batch::REFUSED;
use super::super::difference;
use super::super::fields;
use super::super::request::Order;

/// A case of `packer test`: a request, and what its prompt must be.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(title = "A case of `packer test`")]
pub(in super::super) struct Case {
    /// The request, with the fields that `--request` reads.
    pub(super) request: Map<String, Json>,
    /// What the prompt must be. Without it, there must be a prompt within its budget.
    #[serde(default)]
    pub(super) expect: Map<String, Json>,
}

/// What a prompt must be.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Expect {
    /// Texts that it must contain, word for word.
    holds: Vec<String>,
    /// Texts that it must not contain.
    lacks: Vec<String>,
    /// Files of which it must show more than the name.
    shows: Vec<String>,
    /// Files of which it must not show more than the name.
    hides: Vec<String>,
    /// The most tokens that it may have, if that is less than its budget.
    budget: Option<usize>,
    /// Whether the whole prompt is kept in a file beside the case: `NAME.prompt.md`.
    pub(super) snapshot: bool,
}

/// Returns the schema of a case.
pub(in super::super) fn schema() -> Json {
    let mut schema = Json::from(fields::schema::<Case>(&[]));
    let mut request = Json::from(fields::schema::<Order>(&REFUSED));
    let shared = request
        .as_object_mut()
        .and_then(|it| it.shift_remove("$defs"));
    schema["properties"]["request"] = request;
    schema["properties"]["expect"] = fields::schema::<Expect>(&[]).into();
    schema["$defs"] = shared.unwrap_or_default();
    schema
}

/// Reads a case.
pub(super) fn parse(name: &str, text: &str) -> anyhow::Result<(Order, Expect)> {
    let Json::Object(given) = parse_yaml(name, text)? else {
        anyhow::bail!("it is not a case: it needs `request` and `expect`");
    };
    let case: Case = fields::read(given, &fields::names::<Case>(&[]))?;
    let order = fields::read(case.request, &fields::names::<Order>(&REFUSED));
    let expect = fields::read(case.expect, &fields::names::<Expect>(&[]));
    Ok((order.context("`request`")?, expect.context("`expect`")?))
}

impl Expect {
    /// Returns what is not as it must be.
    pub(super) fn failures(&self, report: &Report, packer: &ContextPacker) -> Vec<String> {
        let mut failures = Vec::new();
        for text in &self.holds {
            if !report.prompt.contains(text) {
                failures.push(format!("it does not contain `{}`", short(text)));
            }
        }
        for text in &self.lacks {
            if let Some(at) = report.prompt.find(text) {
                let line = report.prompt[..at].lines().count().max(1);
                failures.push(format!("it contains `{}`, on line {line}", short(text)));
            }
        }
        let shown = shown(report);
        for path in &self.shows {
            if !shown.contains(&path.as_str()) {
                failures.push(format!(
                    "it does not show `{}`{}",
                    short(path),
                    where_else(path, report, packer)
                ));
            }
        }
        for path in self
            .hides
            .iter()
            .filter(|path| shown.contains(&path.as_str()))
        {
            failures.push(format!("it shows `{}`", short(path)));
        }
        // Of a file that is not there nothing is ever shown.
        let is_there = |path: &str| packer.root().join(path).symlink_metadata().is_ok();
        for path in self.hides.iter().filter(|path| !is_there(path)) {
            if let Some(near) = nearest(path, shown.iter().copied()) {
                let (path, near) = (short(path), short(near));
                failures.push(format!(
                    "there is no `{path}` to hide; did you mean `{near}`?"
                ));
            }
        }
        let budget = self.budget.unwrap_or(report.budget).min(report.budget);
        if report.tokens > budget {
            let (tokens, budget) = (show::grouped(report.tokens), show::grouped(budget));
            failures.push(format!(
                "it has {tokens} tokens, but at most {budget} are allowed"
            ));
        }
        failures
    }
}

/// Returns the files of which there is more than the name.
fn shown(report: &Report) -> Vec<&str> {
    let pieces = report.sections.iter().flat_map(|section| &section.pieces);
    let shown = pieces.filter(|piece| !["name", "omitted"].contains(&piece.form));
    shown.filter_map(|piece| piece.path.as_deref()).collect()
}

/// Returns what became of a file that is not shown, and what to do about it.
fn where_else(path: &str, report: &Report, packer: &ContextPacker) -> String {
    let pieces = || report.sections.iter().flat_map(|section| &section.pieces);
    let is_it = |piece: &&PieceReport| piece.path.as_deref() == Some(path);
    let sections = report.sections.iter();
    let mut named = sections.filter_map(|it| Some((&it.key, it.pieces.iter().find(is_it)?)));
    if let Some((key, piece)) = named.next() {
        let what = match piece.form {
            "name" => ", but its name",
            _ => ": there is no room for it",
        };
        let key = short(key);
        return match key.as_str() {
            "related" | "imports" => format!(
                "{what}; `{key}` has what is likely to matter, so name what must be there in the \
                 request's `target` or the role's `include`"
            ),
            _ => format!(
                "{what}; raise the budget, or move `{key}` up in the role's `priority_order`"
            ),
        };
    }
    if packer.may_show(path) {
        return String::new();
    }
    let paths = pieces().filter_map(|piece| piece.path.as_deref());
    let near = nearest(path, paths);
    near.map_or_else(String::new, |near| {
        format!("; did you mean `{}`?", short(near))
    })
}

/// Returns as much of a text as a message has room for.
fn short(text: &str) -> String {
    difference::shown(text, 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_in_a_case_is_named() {
        let wrong = |text| format!("{:#}", parse("case.yaml", text).unwrap_err());
        assert!(wrong("[]").contains("it is not a case"));
        assert_eq!(
            wrong("request: {}\nexpects: {}"),
            "unknown field `expects`: did you mean `expect`?"
        );
        assert_eq!(
            wrong("request: {rol: a}"),
            "`request`: unknown field `rol`: did you mean `role`?"
        );
        assert_eq!(
            wrong("request: {role: a}\nexpect: {hold: [a]}"),
            "`expect`: unknown field `hold`: did you mean `holds`?"
        );
        assert!(wrong("expect: {}").contains("missing field `request`"));
        assert!(wrong("request: {format: json}").contains("unknown field `format`"));
    }
}
