//! What a template may say: its delimiters, and every filter, test and function that there
//! is.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, Output, State, filters, functions, tests};

use super::bounds::MAX_OUTPUT;
use crate::fence::fence as fenced;
use crate::show::first_sentence;
use crate::tokens::Counter;
use crate::truncate;

/// The remark at the end of a text cut by `truncate_tokens`.
const CUT: &str = "[Truncated]";

/// The most characters of what `one_line` makes, unless it is told.
const ONE_LINE: usize = 160;

/// The names of all filters.
pub(super) const FILTERS: [&str; 42] = [
    "abs",
    "bool",
    "capitalize",
    "count",
    "d",
    "default",
    "dictsort",
    "fence",
    "first",
    "float",
    "format_diff",
    "groupby",
    "indent",
    "int",
    "items",
    "join",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "map",
    "max",
    "min",
    "one_line",
    "reject",
    "rejectattr",
    "replace",
    "reverse",
    "round",
    "select",
    "selectattr",
    "sort",
    "split",
    "string",
    "title",
    "tojson",
    "trim",
    "truncate_lines",
    "truncate_tokens",
    "unique",
    "upper",
];

/// The names of all tests.
pub(super) const TESTS: [&str; 20] = [
    "boolean",
    "defined",
    "endingwith",
    "eq",
    "even",
    "ge",
    "gt",
    "in",
    "iterable",
    "le",
    "lt",
    "mapping",
    "ne",
    "none",
    "number",
    "odd",
    "sequence",
    "startingwith",
    "string",
    "undefined",
];

/// The names of all functions.
pub(super) const FUNCTIONS: [&str; 2] = ["namespace", "range"];

/// What a loop tells of itself.
pub(super) const OF_LOOPS: [&str; 11] = [
    "changed",
    "cycle",
    "depth",
    "depth0",
    "first",
    "index",
    "index0",
    "last",
    "length",
    "revindex",
    "revindex0",
];

/// Jinja's own delimiters; the line of a block leaves no blank line behind.
pub(super) fn syntax() -> SyntaxConfig {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .unwrap_or_default()
}

/// Adds all filters, tests and functions.
pub(super) fn add(environment: &mut Environment<'_>, tokenizer: Counter) {
    environment.add_filter("truncate_lines", truncate_lines);
    environment.add_filter("format_diff", |diff: &str| fenced(diff, "diff"));
    environment.add_filter("fence", |text: &str, info: Option<&str>| {
        fenced(text, &one_word(info.unwrap_or_default()))
    });
    environment.add_filter("one_line", |text: &str, most: Option<usize>| {
        first_sentence(text, most.unwrap_or(ONE_LINE))
    });
    environment.add_filter("truncate_tokens", move |text: &str, tokens: i64| {
        let tokens = usize::try_from(tokens).unwrap_or(0);
        tokenizer.cut_and_mark(text, tokenizer.room(tokens), CUT)
    });
    add_plain(environment);
    add_bounded(environment);
    add_tests(environment);
    environment.add_function("range", functions::range);
    environment.add_function("namespace", functions::namespace);
}

/// The engine's own filters that only pick, sort or convert.
fn add_plain(environment: &mut Environment<'_>) {
    environment.add_filter("abs", filters::abs);
    environment.add_filter("bool", filters::bool);
    environment.add_filter("capitalize", filters::capitalize);
    environment.add_filter("count", filters::length);
    environment.add_filter("d", filters::default);
    environment.add_filter("default", filters::default);
    environment.add_filter("dictsort", filters::dictsort);
    environment.add_filter("first", filters::first);
    environment.add_filter("float", filters::float);
    environment.add_filter("groupby", filters::groupby);
    environment.add_filter("int", filters::int);
    environment.add_filter("items", filters::items);
    environment.add_filter("last", filters::last);
    environment.add_filter("length", filters::length);
    environment.add_filter("lines", filters::lines);
    environment.add_filter("list", filters::list);
    environment.add_filter("lower", filters::lower);
    environment.add_filter("map", filters::map);
    environment.add_filter("max", filters::max);
    environment.add_filter("min", filters::min);
    environment.add_filter("reject", filters::reject);
    environment.add_filter("rejectattr", filters::rejectattr);
    environment.add_filter("reverse", filters::reverse);
    environment.add_filter("round", filters::round);
    environment.add_filter("select", filters::select);
    environment.add_filter("selectattr", filters::selectattr);
    environment.add_filter("sort", filters::sort);
    environment.add_filter("split", filters::split);
    environment.add_filter("string", filters::string);
    environment.add_filter("title", filters::title);
    environment.add_filter("tojson", filters::tojson);
    environment.add_filter("trim", filters::trim);
    environment.add_filter("unique", filters::unique);
    environment.add_filter("upper", filters::upper);
}

/// Filters whose result can be much longer than what goes in: the length is
/// computed before the text is made.
fn add_bounded(environment: &mut Environment<'_>) {
    environment.add_filter("indent", indent);
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
}

fn add_tests(environment: &mut Environment<'_>) {
    environment.add_test("boolean", tests::is_boolean);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("endingwith", tests::is_endingwith);
    environment.add_test("eq", tests::is_eq);
    environment.add_test("even", tests::is_even);
    environment.add_test("ge", tests::is_ge);
    environment.add_test("gt", tests::is_gt);
    environment.add_test("in", tests::is_in);
    environment.add_test("iterable", tests::is_iterable);
    environment.add_test("le", tests::is_le);
    environment.add_test("lt", tests::is_lt);
    environment.add_test("mapping", tests::is_mapping);
    environment.add_test("ne", tests::is_ne);
    environment.add_test("none", tests::is_none);
    environment.add_test("number", tests::is_number);
    environment.add_test("odd", tests::is_odd);
    environment.add_test("sequence", tests::is_sequence);
    environment.add_test("startingwith", tests::is_startingwith);
    environment.add_test("string", tests::is_string);
    environment.add_test("undefined", tests::is_undefined);
}

/// Writes a value as it is; an undefined one is an error.
pub(super) fn write_plain(
    output: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    minijinja::escape_formatter(output, state, value)
}

/// The first `lines` lines; a negative number counts as 0.
fn truncate_lines(text: &str, lines: i64) -> String {
    truncate::first_lines(text, usize::try_from(lines).unwrap_or(0))
}

/// A fence's info string cannot hold a line break or a backtick.
fn one_word(info: &str) -> String {
    info.chars()
        .filter(|c| !c.is_control() && *c != '`')
        .collect()
}

/// No filter makes a text longer than a prompt may be.
fn within(length: Option<usize>, filter: &str) -> Result<(), Error> {
    match length {
        Some(length) if length <= MAX_OUTPUT => Ok(()),
        _ => {
            let mib = MAX_OUTPUT / (1024 * 1024);
            Err(Error::new(
                ErrorKind::InvalidOperation,
                format!("`{filter}` would make a text of more than {mib} MiB"),
            ))
        }
    }
}

/// Indents every line but the first by `width` spaces; blank lines stay blank.
fn indent(
    text: &str,
    width: usize,
    first: Option<bool>,
    blank: Option<bool>,
) -> Result<String, Error> {
    let lines = text.split('\n').count();
    let length = width
        .checked_mul(lines)
        .and_then(|n| n.checked_add(text.len()));
    within(length, "indent")?;
    let space = " ".repeat(width);
    let mut indented = String::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        let wanted = index > 0 || first.unwrap_or(false);
        if wanted && (!line.is_empty() || blank.unwrap_or(false)) {
            indented.push_str(&space);
        }
        indented.push_str(line);
    }
    Ok(indented)
}

/// Joins the items of a list with `glue` between.
fn join(items: &Value, glue: Option<&str>) -> Result<String, Error> {
    let glue = glue.unwrap_or_default();
    let mut joined = String::new();
    for (index, item) in items.try_iter()?.enumerate() {
        if index > 0 {
            joined.push_str(glue);
        }
        match item.as_str() {
            Some(text) => {
                within(joined.len().checked_add(text.len()), "join")?;
                joined.push_str(text);
            }
            None => joined.push_str(&item.to_string()),
        }
        within(Some(joined.len()), "join")?;
    }
    Ok(joined)
}

/// Replaces every occurrence of `from`.
fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let found = text.matches(from).count();
    let length = found
        .checked_mul(to.len())
        .and_then(|added| added.checked_add(text.len()));
    within(length, "replace")?;
    Ok(text.replace(from, to))
}

#[cfg(test)]
mod names {
    use super::*;

    #[test]
    fn every_filter_test_and_function_is_listed() {
        let code = include_str!("language.rs");
        for (kind, listed) in [
            ("filter", &FILTERS[..]),
            ("test", &TESTS[..]),
            ("function", &FUNCTIONS[..]),
        ] {
            let call = format!("environment.add_{kind}(\"");
            let mut added: Vec<&str> = code
                .split(&call)
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
                .collect();
            added.sort_unstable();
            assert_eq!(added, listed);
        }
    }
}
