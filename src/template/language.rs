//! What a template may use: its delimiters, and every filter, test and function that exists.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{ArgType, Kwargs, Rest, Value};
use minijinja::{Environment, Error, ErrorKind, Output, State, filters, functions, tests};

use super::bounds::MAX_OUTPUT;
use crate::fence::{self, fence as fenced};
use crate::show::first_sentence;
use crate::tokens::Counter;
use crate::truncate;

/// The remark at the end of a text cut by `truncate_tokens`.
const CUT: &str = "[Truncated]";

/// The default maximum of characters that `one_line` returns.
const ONE_LINE: usize = 160;

/// Lists the names of everything that a template may use, and generates what adds it.
macro_rules! language {
    (
        |$tokenizer:ident|
        $(
            $(#[$about:meta])*
            $names:ident by $add:ident { $($name:literal => $function:expr,)+ }
        )+
    ) => {
        $(
            $(#[$about])*
            pub(super) const $names: &[&str] = &[$($name),+];
        )+

        /// Adds all filters, tests and functions.
        pub(super) fn add(environment: &mut Environment<'_>, $tokenizer: Counter) {
            $($(environment.$add($name, $function);)+)+
        }
    };
}

language! {
    |tokenizer|
    /// The names of all filters, sorted.
    FILTERS by add_filter {
        "abs" => filters::abs,
        "bool" => filters::bool,
        "capitalize" => filters::capitalize,
        "count" => filters::length,
        "d" => default,
        "default" => default,
        "dictsort" => filters::dictsort,
        "fence" => |text: &str, info: Option<&str>| {
            fenced(text, &one_word(info.unwrap_or_default()))
        },
        "first" => filters::first,
        "float" => float,
        "format_diff" => |diff: &Value| {
            let text = diff.to_string();
            defined(diff).map(|()| fenced(diff.as_str().unwrap_or(&text), "diff"))
        },
        "groupby" => filters::groupby,
        "in_ticks" => |name: &str| fence::in_ticks(name).into_owned(),
        "indent" => indent,
        "int" => int,
        "items" => filters::items,
        "join" => join,
        "last" => filters::last,
        "length" => filters::length,
        "lines" => filters::lines,
        "list" => filters::list,
        "lower" => filters::lower,
        "map" => filters::map,
        "max" => filters::max,
        "min" => filters::min,
        "one_line" => |text: &str, most: Option<usize>| {
            first_sentence(text, most.unwrap_or(ONE_LINE))
        },
        "reject" => filters::reject,
        "rejectattr" => filters::rejectattr,
        "replace" => replace,
        "reverse" => filters::reverse,
        "round" => filters::round,
        "select" => filters::select,
        "selectattr" => filters::selectattr,
        "sort" => filters::sort,
        "split" => filters::split,
        "string" => filters::string,
        "title" => filters::title,
        "tojson" => filters::tojson,
        "trim" => filters::trim,
        "truncate_lines" => truncate_lines,
        "truncate_tokens" => move |text: &str, tokens: Option<i64>, named: Kwargs| {
            let tokens = count(tokens, &named, "max_tokens")?;
            Ok::<_, Error>(tokenizer.cut_and_mark(text, tokenizer.room(tokens), CUT))
        },
        "unique" => filters::unique,
        "upper" => filters::upper,
    }

    /// The names of all tests, sorted.
    TESTS by add_test {
        "boolean" => tests::is_boolean,
        "defined" => tests::is_defined,
        "endingwith" => tests::is_endingwith,
        "eq" => tests::is_eq,
        "even" => tests::is_even,
        "ge" => tests::is_ge,
        "gt" => tests::is_gt,
        "in" => tests::is_in,
        "iterable" => tests::is_iterable,
        "le" => tests::is_le,
        "lt" => tests::is_lt,
        "mapping" => tests::is_mapping,
        "ne" => tests::is_ne,
        "none" => tests::is_none,
        "number" => tests::is_number,
        "odd" => tests::is_odd,
        "sequence" => tests::is_sequence,
        "startingwith" => tests::is_startingwith,
        "string" => tests::is_string,
        "undefined" => tests::is_undefined,
    }

    /// The names of all functions, sorted.
    FUNCTIONS by add_function {
        "namespace" => functions::namespace,
        "range" => functions::range,
    }
}

/// The members of a loop.
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

/// Returns Jinja's own delimiters; the line of a block leaves no blank line.
pub(super) fn syntax() -> SyntaxConfig {
    SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build()
        .unwrap_or_default()
}

/// Writes a value as it is; an undefined one is an error.
pub(super) fn write_plain(
    output: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
) -> Result<(), Error> {
    minijinja::escape_formatter(output, state, value)
}

/// Returns the first `max_lines` lines; a negative number counts as 0.
#[expect(clippy::needless_pass_by_value, reason = "so filters are given them")]
fn truncate_lines(text: &str, lines: Option<i64>, named: Kwargs) -> Result<String, Error> {
    Ok(truncate::first_lines(
        text,
        count(lines, &named, "max_lines")?,
    ))
}

/// Returns an argument given by position or by name, if it is there.
fn argument<'a, T: ArgType<'a, Output = T>>(
    at_its_place: Option<T>,
    named: &'a Kwargs,
    name: &'a str,
) -> Result<Option<T>, Error> {
    match at_its_place {
        Some(given) => Ok(Some(given)),
        None if named.has(name) => named.get(name).map(Some),
        None => Ok(None),
    }
}

/// Returns the only argument, a number that is required.
fn count(at_its_place: Option<i64>, named: &Kwargs, name: &str) -> Result<usize, Error> {
    let count = argument(at_its_place, named, name)?;
    named.assert_all_used()?;
    let count = count.ok_or_else(|| Error::new(ErrorKind::MissingArgument, name.to_owned()))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

fn defined(value: &Value) -> Result<(), Error> {
    if value.is_undefined() {
        return Err(ErrorKind::UndefinedError.into());
    }
    Ok(())
}

/// minijinja's filter, with the names that Jinja has for its arguments.
#[expect(clippy::needless_pass_by_value, reason = "so filters are given them")]
fn default(
    state: &State<'_, '_>,
    value: &Value,
    other: Option<Value>,
    boolean: Option<Value>,
    named: Kwargs,
) -> Result<Value, Error> {
    let other = argument(other, &named, "default_value")?;
    let boolean = argument(boolean, &named, "boolean")?;
    named.assert_all_used()?;
    let other = other.unwrap_or_else(|| Value::from(""));
    let boolean = boolean.unwrap_or_else(|| Value::from(false));
    filters::default(state, value, Rest(vec![other, boolean]))
}

/// minijinja's filter; as in Jinja, what is not a number becomes 0 by default.
fn int(
    state: &State<'_, '_>,
    value: &Value,
    default: Option<Value>,
    base: Option<u32>,
    named: Kwargs,
) -> Result<Value, Error> {
    let default = argument(default, &named, "default")?.unwrap_or_else(|| Value::from(0));
    filters::int(state, value, Some(default), base, named)
}

/// Does what [`int`] does, with a fraction.
fn float(
    state: &State<'_, '_>,
    value: &Value,
    default: Option<Value>,
    named: Kwargs,
) -> Result<Value, Error> {
    let default = argument(default, &named, "default")?.unwrap_or_else(|| Value::from(0.0));
    filters::float(state, value, Some(default), named)
}

/// Cleans a fence's info string, which cannot contain a line break or a backtick.
fn one_word(info: &str) -> String {
    info.chars()
        .filter(|c| !c.is_control() && *c != '`')
        .collect()
}

/// Refuses texts longer than a prompt may be. If the result can be much longer than the input, its
/// length is computed before the text is made.
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

/// Indents every line except the first by `width` spaces, 4 by default; blank lines stay blank.
#[expect(clippy::needless_pass_by_value, reason = "so filters are given them")]
fn indent(
    text: &str,
    width: Option<usize>,
    first: Option<bool>,
    blank: Option<bool>,
    named: Kwargs,
) -> Result<String, Error> {
    let width = argument(width, &named, "width")?.unwrap_or(4);
    let first = argument(first, &named, "first")?.unwrap_or(false);
    let blank = argument(blank, &named, "blank")?.unwrap_or(false);
    named.assert_all_used()?;
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
        let wanted = index > 0 || first;
        if wanted && (!line.is_empty() || blank) {
            indented.push_str(&space);
        }
        indented.push_str(line);
    }
    Ok(indented)
}

/// Joins the items of a list with `glue` between them.
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
    fn the_lists_of_names_are_sorted() {
        for names in [FILTERS, TESTS, FUNCTIONS] {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}
