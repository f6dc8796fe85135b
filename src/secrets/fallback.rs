//! The value used where a look-up finds nothing.

use super::letters::letters_of;
use super::literals::quote;
use crate::split::beginning;

/// Returns the literal after a look-up: `os.environ.get("A", "…")`, `process.env.A || "…"`,
/// `getenv("A") ?: "…"`, `env::var("A").unwrap_or("…".into())`. It is the last one on the line, and
/// not the name that is looked up.
pub(super) fn fallback(value: &str) -> Option<&str> {
    let line = beginning(value, MOST).lines().next()?;
    let close = line.rfind(['"', '\'', '`'])?;
    let open = line[..close].rfind(&line[close..=close])?;
    let before = line[..open].trim_end();
    let is_among = |those: &[&str]| those.iter().any(|it| before.ends_with(it));
    let is_lookup = || LOOKUPS.iter().any(|it| line.contains(it));
    // A literal is no question, and what follows a statement belongs to the next one.
    let is_either = || quote(value).is_none() && !before.contains([';', '{', '}']);
    let is_instead = is_among(&ELSE) && is_either() || is_among(&INSTEAD) && is_lookup();
    is_instead.then_some(&value[open..])
}

/// Text that marks a line with a look-up.
const LOOKUPS: [&str; 5] = ["env", "ENV", "Env", ".get", "onfig"];

/// What stands before the value of two that is taken where the first is none.
const ELSE: [&str; 4] = ["||", "??", "?:", " or"];

/// What stands before the value that is taken where a look-up finds nothing.
const INSTEAD: [&str; 7] = [
    ",",
    "{",
    "default=",
    "defaultValue:",
    "unwrap_or(",
    "|_|",
    "||=",
];

/// Returns the default value of an option, after its other arguments:
/// `"--api-key", type=str, default="…"`.
pub(super) fn default_of_option(arguments: &str) -> Option<&str> {
    let line = beginning(arguments, MOST).lines().next()?;
    let option = ["default=", "defaultValue:"]
        .into_iter()
        .find(|it| line.contains(it))?;
    let (before, _) = line.split_once(option)?;
    let is_said = letters_of(before, 0, MOST, |b| b.is_ascii_graphic() || b == b' ');
    let value = arguments[before.len() + option.len()..].trim_start();
    (is_said == before.len() && quote(value).is_some()).then_some(value)
}

/// The most bytes of a line that are read.
const MOST: usize = 200;

/// Returns what stands in place of what a call finds, or what is filled in there:
/// `getenv("PASSWORD") || "…"`, `find(By.id("password")).sendKeys("…")`.
pub(super) fn behind_call(spaced: &str) -> Option<&str> {
    const INSTEAD: [&str; 5] = ["||", "??", "or ", "{ ", "?: "];
    const FILLS: [&str; 11] = [
        ".unwrap_or(",
        ".type(",
        ".fill(",
        ".sendKeys(",
        ".send_keys(",
        ".SendKeys(",
        ".val(",
        ".setValue(",
        ".set(",
        ".value = ",
        ".value=",
    ];
    let called = spaced
        .strip_prefix("()")
        .or_else(|| spaced.strip_prefix(')'))?
        .trim_start();
    if let Some(value) = INSTEAD.iter().find_map(|or| called.strip_prefix(or)) {
        return Some(value);
    }
    let called = called.trim_start_matches(')');
    FILLS.iter().find_map(|fill| called.strip_prefix(fill))
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::samples::RANDOM;

    #[test]
    fn what_is_taken_instead_of_a_variable_is_told() {
        let v = RANDOM;
        for text in [
            format!("api_key = os.environ.get(\"FOO\", \"{v}\")"),
            format!("api_key = os.getenv(\"FOO\", default=\"{v}\")"),
            format!("const token = process.env.FOO || \"{v}\";"),
            format!("apiKey: env.FOO ?? '{v}',"),
            format!("api_key = ENV.fetch('FOO') {{ '{v}' }}"),
            format!("let api_key = env::var(\"FOO\").unwrap_or_else(|_| \"{v}\".to_string());"),
            format!("val apiKey = System.getenv(\"FOO\") ?: \"{v}\""),
            format!("'api_key' => env('FOO', '{v}'),"),
            format!("const apiKey = String.fromEnvironment(\"K\", defaultValue: \"{v}\");"),
            format!("parser.add_argument(\"--api-key\", type=str, default=\"{v}\")"),
            format!("api_key = opts[\"key\"] || \"{v}\""),
            format!("api_key = given or \"{v}\""),
            format!("password = findProperty(\"a\") ?: \"{v}\""),
            format!("password(name: 'P', defaultValue: '{v}')"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            format!("api_key = os.environ.get(\"{v}\")"),
            format!("api_key = f(a, \"{v}\")"),
            format!("credentials:\"same-origin\",body:x||\"{v}\""),
            format!("token=e;let x=y||\"{v}\""),
            "token = os.environ.get(\"FOO\", \"some-name-of-a-token\")".to_owned(),
            "parser.add_argument(\"--api-key\", type=str, default=None)".to_owned(),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
