//! Several secrets below one name: in a list, in a map, in the column of a table.

use std::ops::Range;

use super::beside::{Column, column};
use super::letters::{ahead, before, behind, far_ahead, letters_of, line_before, word};
use super::literals::line_literal;
use super::values::{is_made, is_mixed, is_password, is_secret, is_signed, names_algorithm};
use crate::split::place_in;

/// Returns the values in each row of a table below a name for passwords or keys, such as
/// `user,password` and `bob,…`, including the first row.
pub(super) fn in_rows(text: &str, start: usize) -> Vec<Range<usize>> {
    let in_name = |b: u8| word(b) || b == b' ';
    let end = start + letters_of(text, start, 24, in_name);
    let start = start - before(text, start, 48, in_name);
    let names = line_before(text, start);
    let rest = far_ahead(text, end);
    let Some((line, below)) = rest.split_once('\n') else {
        return Vec::new();
    };
    let rows = below.lines().take(MOST_ROWS);
    let holds = told_by(&text[start..end]);
    let is_line = |line: &str| line.contains('-') && line.bytes().all(|b| b"|-: \t".contains(&b));
    let table = names.trim_start().starts_with('|') && below.lines().next().is_some_and(is_line);
    let column = match column(names, line.trim_end_matches('\r')) {
        _ if table => Some(Column {
            sign: '|',
            at: names.matches('|').count(),
            count: names.matches('|').count() + line.matches('|').count(),
        }),
        column => column,
    };
    // A row is no head: each row would cost a look at all below it.
    let above = behind(text, start).rsplit('\n').nth(1);
    let is_row = |it: &Column| above.is_some_and(|above| it.value(above).is_some());
    let Some(column) = column.filter(|it| !is_row(it) && !is_crowded(text, start, end)) else {
        return Vec::new();
    };
    rows.map_while(|row| column.value(row))
        .map(|value| value.trim_matches(['"', '\'', '`', ' ']))
        // Words say what belongs there.
        .filter(|value| !value.contains(char::is_whitespace) && holds(value))
        .map(|value| place_of(text, value))
        .collect()
}

/// The values of `data` in a resource of Terraform that makes a Secret of Kubernetes, whatever
/// they are called.
pub(super) fn in_resource(text: &str, start: usize) -> Vec<Range<usize>> {
    let rest = far_ahead(text, start);
    let body = rest.split("\n}").next().unwrap_or_default();
    let data = body
        .split(" data ")
        .nth(1)
        .and_then(|it| it.split('}').next());
    let pairs = data.unwrap_or_default().lines().take(MOST_ROWS);
    pairs
        .filter_map(|line| line_literal(line.split_once('=')?.1))
        .map(|(value, _)| value)
        .filter(|value| is_key(value) || is_password(value) && is_made(value))
        .map(|value| place_of(text, value))
        .collect()
}

/// The most rows of a table that are read.
const MOST_ROWS: usize = 64;

/// Returns the values of a list or map whose name says that each of them is secret: `tokens:` with
/// `- …` below, `API_KEYS = ["…", "…"]`, `"secrets": {"a": "…"}`.
pub(super) fn in_list(text: &str, start: usize) -> Vec<Range<usize>> {
    let end = start + letters_of(text, start, 24, |b| word(b) || b == b'-');
    let is_plural = text[..end].ends_with(['s', 'S']) && end - start <= "credentials".len();
    let is_block = text[end..].starts_with(":\n");
    let is_crowded = || is_block && is_crowded(text, start, end) || is_among_lists(text, start);
    if !(is_plural || is_block) || !is_assigned(ahead(text, end)) || is_crowded() {
        return Vec::new();
    }
    let Some(block) = block(text, end) else {
        return Vec::new();
    };
    let holds = told_by(&text[start..end]);
    let is_end = |c: char| c.is_whitespace() || "\"'`,()[]{}<>\\".contains(c);
    block
        .split(is_end)
        .map(|part| part.trim_end_matches(';'))
        .filter(|part| holds(part) && !is_name(text, part))
        .filter(|part| !is_version(text, part))
        .map(|part| place_of(text, part))
        .collect()
}

/// Beginnings of the names of lists.
pub(super) const LISTS: [&str; 7] = [
    "passwords",
    "tokens",
    "secrets",
    "api_keys",
    "apikeys",
    "api-keys",
    "credentials",
];

/// Whether a name occurs so often before this that reading the block below each one would take too
/// long.
fn is_crowded(text: &str, start: usize, end: usize) -> bool {
    const MOST: usize = 3;
    behind(text, start)
        .matches(&text[start..end])
        .nth(MOST)
        .is_some()
}

/// Whether so many lists with such names begin before this, whatever else their names contain, that
/// reading all of them for each would take too long.
fn is_among_lists(text: &str, start: usize) -> bool {
    const MOST: usize = 3;
    let before = behind(text, start).to_ascii_lowercase();
    let begins = |at: usize| {
        is_assigned(&before[at + letters_of(&before, at, 24, |b| word(b) || b == b'-')..])
    };
    let lists = LISTS.iter().flat_map(|name| before.match_indices(name));
    lists.filter(|(at, _)| begins(*at)).nth(MOST).is_some()
}

/// Whether a name has a value, judging by the text after it.
fn is_assigned(behind: &str) -> bool {
    let behind = behind.trim_start_matches(BEHIND_NAME);
    behind.starts_with([':', '='])
}

/// Characters that may stand between a name and the sign after it.
const BEHIND_NAME: [char; 4] = ['"', '\'', ']', ' '];

/// Whether the text in a map is the name of a value rather than a value.
fn is_name(text: &str, part: &str) -> bool {
    let behind = ahead(text, place_in(text, part) + part.len());
    let behind = behind.trim_start_matches(['"', '\'', ' ']);
    part.ends_with(':') || behind.starts_with([':', '='])
}

/// Whether a value, or the name before it, says that it is of a version, which looks like a key.
fn is_version(text: &str, part: &str) -> bool {
    const NAMES: [&str; 9] = [
        "checksum",
        "digest",
        "integrity",
        "hash",
        "sha1",
        "sha256",
        "sha512",
        "commit:",
        "revision:",
    ];
    let line = line_before(text, place_in(text, part));
    let member = line.rsplit([',', '{']).next().unwrap_or_default();
    let member = member.to_ascii_lowercase();
    // `sha512-…`
    let algorithm = part.split_once('-').map_or("", |(name, _)| name);
    let is_digest = algorithm.len() <= 8 && names_algorithm(algorithm);
    is_digest || NAMES.iter().any(|name| member.contains(name))
}

/// Returns the text in the brackets after a name with a value, or below it and indented more.
fn block(text: &str, end: usize) -> Option<&str> {
    let rest = far_ahead(text, end);
    let line = rest.lines().next()?;
    // `let keys: [&str; 2] = […]`; in a map other signs follow.
    let sign = line.split_once('=').filter(|(kind, _)| is_closed(kind));
    let value = sign.map_or(line, |(_, value)| value);
    // `[]string{…}`
    let opens = |at: &usize| !value[at + 1..].starts_with(']');
    let mut brackets = value.match_indices(['[', '{', '(']).map(|(at, _)| at);
    let open = brackets.find(opens).filter(|at| *at < MOST_BEFORE);
    if let Some(open) = open {
        let inside = &rest[place_in(rest, value) + open + 1..];
        return Some(&inside[..closed(inside)]);
    }
    let is_alone = line.trim_start_matches(BEHIND_NAME).trim_end() == ":";
    let below = rest.get(line.len() + 1..).filter(|_| is_alone)?;
    let own = indent(line_before(text, end));
    let is_deeper = |line: &&str| indent(line) > own || line.trim_start().starts_with("- ");
    let lines = below.split_inclusive('\n').take_while(is_deeper);
    Some(&below[..lines.map(str::len).sum()])
}

/// The most characters of a type or a call between a sign and its bracket.
const MOST_BEFORE: usize = 24;

/// Whether as many brackets close in a text as open.
fn is_closed(text: &str) -> bool {
    text.matches(['[', '{', '(']).count() == text.matches([']', '}', ')']).count()
}

/// Returns where the bracket closes that opens before a text.
fn closed(text: &str) -> usize {
    let mut open = 1_usize;
    for (at, sign) in text.bytes().enumerate() {
        match sign {
            b'[' | b'{' | b'(' => open += 1,
            b']' | b'}' | b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at;
        }
    }
    text.len()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t', '+']).len()
}

/// `key: …` below a section that says what it is for, such as `jwt:` and `encryption:`.
pub(super) fn key_below(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const SECTIONS: [&str; 13] = [
        "jwt",
        "auth",
        "encrypt",
        "encryption",
        "crypt",
        "crypto",
        "api",
        "session",
        "cookie",
        "secret",
        "stripe",
        "hmac",
        "aes",
    ];
    let value = ahead(text, end).lines().next()?.trim_end();
    let value = value.split(" #").next()?.trim_matches(['"', '\'', ' ']);
    let own = end - start - "\nkey: ".len();
    let mut above = behind(text, start).rsplit('\n').take(8);
    let section = above.find(|line| indent(line) < own && !line.trim().is_empty())?;
    let section = section.trim().strip_suffix(':')?;
    let holds = value.len() >= LEAST && is_secret(value) && SECTIONS.contains(&section);
    holds.then(|| place_of(text, value))
}

/// Returns the test for a value, by the name above it: a made-up password, or a key.
fn told_by(name: &str) -> fn(&str) -> bool {
    let name = name.to_ascii_lowercase();
    if ["passw", "pwd"].iter().any(|it| name.contains(it)) {
        return |value| is_password(value) && is_made(value) && !names_algorithm(value);
    }
    if name == "credentials" {
        return |value| {
            let is_code = value.contains([':', '=', '&', '.', ';']);
            is_key(value) || !is_code && is_password(value) && is_signed(value)
        };
    }
    is_key
}

fn is_key(value: &str) -> bool {
    value.len() >= LEAST && is_secret(value) && (is_mixed(value) || is_number(value))
}

/// The fewest characters of a key among others.
const LEAST: usize = 20;

/// Whether this is sixteen bytes or more in hexadecimal digits.
fn is_number(value: &str) -> bool {
    value.len() >= 32 && value.bytes().all(|b| b.is_ascii_hexdigit())
}

fn place_of(text: &str, value: &str) -> Range<usize> {
    let at = place_in(text, value);
    at..at + value.len()
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::samples::HEX;
    use crate::processor::time_of_thread;

    const P: &str = "x9Kq2mZ7vB4nT1wY8rL5pD3s";
    const Q: &str = "Qx7RzK2mWv9TbYc4NpLs8GhJ";

    fn lines(text: &str) -> Vec<usize> {
        find(text).iter().map(|secret| secret.line).collect()
    }

    #[test]
    fn each_row_of_a_table_is_told() {
        for text in [
            format!("name,url,password\na,b,{P}\nc,d,Winter2025#nAr\n"),
            format!("id,login_password,mail\n1,{P},a\n2,{Q},b\n"),
            format!("user\tpassword\nbob\t{P}\nann\t{Q}\n"),
            format!("\"Name\",\"Secret access key\"\n\"a\",\"{P}\"\n\"b\",\"{Q}\"\n"),
            format!("name,password\n\"a, of b\",{P}\nb,{Q}\n"),
            format!("User name,Access key ID,Secret access key\na,x,{P}\nb,x,{Q}\n"),
            format!("\"name\",\"password\"\n\"a\",\"{P}\"\n\"b\",\"{Q}\"\n"),
        ] {
            assert_eq!(lines(&text).len(), 2, "{text}");
            let text = text.replace('\n', "\r\n");
            assert_eq!(lines(&text).len(), 2, "{text}");
        }
        let table = format!("| user | password |\n| --- | --- |\n| a | {P} |\n| b | `{Q}` |\n");
        assert_eq!(lines(&table).len(), 2);
        for text in [
            format!("def f(user, password, x):\n    return g(user, '{P}')\n"),
            "name,password\na,changeme\nb,the-second-1\n".to_owned(),
            format!("a, password\nb {P}\n"),
            "| user | password |\n| --- | --- |\n| a | see Section-2.1#Setup |\n".to_owned(),
        ] {
            assert_eq!(lines(&text), [0; 0], "{text}");
        }
    }

    #[test]
    fn each_value_of_a_list_is_told() {
        for text in [
            format!("tokens:\n  - {P}\n  - \"{Q}\"\n"),
            format!("API_KEYS = [\n    '{P}',\n    '{Q}',\n]\n"),
            format!("\"secrets\": {{\n  \"a\": \"{P}\",\n  \"b\": \"{Q}\"\n}}\n"),
            format!("secrets:\n  stripe: {P}\n  mail: {Q}\n"),
            format!("var tokens = []string{{\n\t\"{P}\",\n\t\"{Q}\",\n}}\n"),
            format!("secret:\n  jwt: {P}\n  stripe: {Q}\n"),
            format!(
                "secret:\n  shared: {P}\n  commits: {Q}\n  checksum/config: {HEX}\n  commit: {HEX}\n"
            ),
            format!(
                "resource \"kubernetes_secret\" \"a\" {{\n  data = {{\n    a = \"{P}\"\n    b = \"{Q}\"\n  }}\n}}\n"
            ),
            format!("tokens = {{ gh = \"{P}\",\n  dd = \"{Q}\" }}\n"),
            format!("let keys = 1;\nlet tokens: [&str; 2] = [\"{P}\",\n  \"{Q}\"];\n"),
            "passwords = { a = \"Winter2025#nAr\";\n  b = \"Summer2025#nEr\"; }\n".to_owned(),
            "credentials: {bob: \"Winter2025#nAr\",\n  ann: \"Summer2025#nEr\"}\n".to_owned(),
            "passwords:\n- Winter2025#nAr\n- Summer2025#nEr\n".to_owned(),
        ] {
            assert_eq!(lines(&text).len(), 2, "{text}");
        }
        for text in [
            format!("tokens = parse(text)\nx = ['{P}']\n"),
            format!("secrets: inherit\nother: [{P}]\n"),
            format!(
                "\"node_modules/js-tokens\": {{\n  \"version\": \"4.0.0\",\n  \"integrity\": \"sha512-{P}{Q}==\"\n}}\n"
            ),
            format!("\"js-tokens\":{{\"version\":\"4.0.0\",\"integrity\":\"sha512-{P}{Q}==\"}}"),
            format!("\"js-tokens\": [\"js-tokens@4.0.0\", \"\", {{}}, \"sha512-{P}{Q}==\"],\n"),
            format!("apiKeySecurity: {{\"$ref\": \"{P}\"}}\n"),
            "tokens: [\"some-name-of-a-token-12\", \"Token2Kind\"]\n".to_owned(),
            "{credentials:\"same-origin\",a:{readOnly:!1,b:2}}".to_owned(),
            "passwords = [\"password1\", \"CurrentPassword\", 'sha256Hash']\n".to_owned(),
        ] {
            assert_eq!(lines(&text), [0; 0], "{text}");
        }
    }

    #[test]
    fn heads_and_lists_that_all_differ_cost_little() {
        let names = |number: usize| {
            let letter = |of: usize| char::from(b'A' + u8::try_from(of % 26).unwrap());
            [number / 676, number / 26, number].map(letter)
        };
        let of = |write: &dyn Fn(String) -> String| -> String {
            let names = (0..3000).map(|number| names(number).iter().collect());
            names.map(write).collect()
        };
        let time = |text: &str| {
            let tries = (0..3).map(|_| {
                let started = time_of_thread();
                find(text);
                time_of_thread().saturating_sub(started)
            });
            tries.min().unwrap()
        };
        let alike = time(&of(&|_| "a,password,b\n".to_owned()));
        for text in [
            of(&|name| format!("a,{name}password,b\n")),
            of(&|name| format!("tokens{name}s:[")),
            of(&|name| format!("tokens{name}s:[\n")),
            of(&|name| format!("- secret:\n- {name}\n")),
        ] {
            assert!(time(&text) < 8 * alike, "{:?}, {alike:?}", time(&text));
        }
    }

    #[test]
    fn a_key_is_told_by_the_section_above_it() {
        for text in [
            format!("\njwt:\n  issuer: x\n  key: {P}\n"),
            format!("\nencrypt:\n  key: {P}\n"),
            format!("encrypt.key={P}\n"),
            format!("\napp:\n  encryption:\n    key: \"{P}\" # of the app\n"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        let cache = format!("\ncache:\n  key: {P}\n");
        assert!(find(&cache).is_empty());
    }
}
