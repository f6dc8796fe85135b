//! Values that are assigned to a telling name: `password = "…"`, `"token": "…"`,
//! `define('DB_PASSWORD', '…')`, `<secret>…</secret>`, `TOKEN=…`.

use std::ops::Range;

use super::around::{
    BLANKS, behind_marks, behind_type, below, in_block, in_call, on_next_line, without_brackets,
};
use super::beside::{
    before_name, behind_name, in_columns, in_literals, in_object, in_table, said, said_value,
};
use super::given::{Assigned, literal, setting};
use super::jumble::is_jumbled;
use super::letters::{
    ahead, base64, dashed, dotted, hex_dashed, is_random, letters_of, line_before, linked, word,
};
use super::lists::{List, is_address, is_connection, is_in_call, is_option_next};
use super::literals::{cdata, perl_quoted, quote, quoted};
use super::login::{encoded_password, is_filled_in};
use super::name::{Name, is_defined, is_login, is_option, is_set, is_whole_word, starts_line};
use super::values::{is_password, is_salt, is_secret, is_uuid};
use crate::split::place_in;

/// What is assigned to a name for passwords.
pub(super) fn password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_short = end - start <= 4;
    let first = start + usize::from(text[start..].starts_with(['_', '-']));
    if is_short && !is_whole_word(text, first, end) {
        return None;
    }
    if text[end..].starts_with(":: ") {
        return encoded_password(text, start, end + ":: ".len());
    }
    let name = Name {
        is_password: true,
        ..Name::of(text, start, end)
    };
    value_of(&name, is_password)
}

/// What is assigned to a name for tokens and keys.
pub(super) fn secret(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    let is_number = |value: &str| {
        is_uuid(value)
            && text[start..end].eq_ignore_ascii_case("token")
            && !name.has_any(ASKING)
            && !name.is_of_environment()
    };
    if name.has_any(NO_SECRETS) {
        return None;
    }
    let is_of_key = |value: &str| is_uuid(value) && name.is_known_as(API_KEYS) && is_varied(value);
    value_of(&name, |value| {
        let is_format = value.starts_with('{') && value.contains('}');
        is_of_key(value) || is_secret(value) && !is_number(value) && !is_format
    })
}

/// What names an assembly in .NET, and tokens of pages.
const NO_SECRETS: &[&str] = &["publickeytoken", "csrf", "xsrf"];

/// The value of a name for keys may be a number as of a UUID.
const API_KEYS: &[&str] = &["apikey", "api_key", "api-key"];

/// Whether a number has more than a few digits of its own, as `00000000-…` has not.
fn is_varied(value: &str) -> bool {
    let is_number = value.bytes().all(hex_dashed);
    is_number && is_random(value, 2.5)
}

/// Tokens of these names let somebody in; others are often numbers of pages or calls.
const ASKING: &[&str] = &[
    "api", "auth", "access", "refresh", "bearer", "bot", "service", "session", "server",
];

/// What is assigned to a key of some name: most of them are keys of tables.
pub(super) fn key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    let first = start + usize::from(text[start..].starts_with(['_', '-']));
    let is_open = name.has_any(OPEN) && !name.has_any(&["secret"]);
    if !is_whole_word(text, first, end) || is_open {
        return None;
    }
    // Of logins in base64 another rule says whether their password is a word.
    let is_login = name.is_known_as(&["_auth"]);
    value_of(&name, |value| {
        let is_made = !is_login || value.bytes().all(hex_dashed);
        value.len() >= 20 && is_made && is_secret(value) || is_salt(value)
    })
}

/// Keys of these names are no secrets.
const OPEN: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "publish",
    "site",
    "object",
    "s3",
    "row",
    "websocket",
    "idempot",
    "protobuf",
];

/// The AWS secret key, which is forty letters without any mark.
pub(super) fn aws_secret(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    value_of(&name, |value| {
        value.len() == 40 && value.bytes().all(base64)
    })
}

/// What a name goes on with if it is that of something about a secret: `token_type`, `tokenize`.
const ABOUT: &[&str] = &[
    "iz", "type", "count", "index", "pos", "start", "url", "uri", "path", "file", "pattern",
    "regex", "name", "len", "id", "sid", "field", "param", "class", "header", "endpoint", "policy",
    "label", "hint", "arn", "hasher", "algo", "scheme", "encrypt", "format",
];

/// Where name and value are, if the value is one of those.
fn value_of(name: &Name<'_>, holds: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let rest = ahead(name.text, name.end);
    // The rest of the name: `secret_value`, `token2`.
    let more = letters_of(rest, 0, 24, dashed);
    let said = rest[..more]
        .trim_start_matches(['_', '-'])
        .to_ascii_lowercase();
    if ABOUT.iter().any(|word| said.starts_with(word)) {
        return None;
    }
    let value = after_sign(name, &rest[more..]).or_else(|| before_name(name))?;
    let at = place_in(name.text, value.text);
    // One that stands before its name is where that is told.
    let start = name.start.min(at);
    let end = |length: usize| (at + length).max(name.end);
    if let Some(length) = perl_quoted(value.text, &holds).or_else(|| cdata(value.text, &holds)) {
        return Some(start..end(length));
    }
    if let Some(length) = long(&value, &holds).or_else(|| borne(value.text, &holds)) {
        // Where only a part was looked at, the rest of it is no less secret.
        let more = letters_of(name.text, at + length, name.text.len(), linked);
        return Some(start..end(length + more));
    }
    let length = match quote(value.text) {
        Some(_) if value.is_content => return None,
        Some(opening) => opening + quoted(&value.text[opening - 1..], &holds)?,
        None if value.needs_quotes => return None,
        None => bare(name, &value, &holds)?,
    };
    Some(start..end(length))
}

/// The length of a value that goes on and on, as far as it is looked at: what it begins with
/// tells what it is, and it is one whether or not its end is seen.
fn long(value: &Assigned<'_>, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let opening = match quote(value.text) {
        None if value.needs_quotes => return None,
        opening => opening.unwrap_or(0),
    };
    let length = letters_of(value.text, opening, value.text.len(), linked);
    let shown = value.text.get(opening..opening + MOST)?;
    (length > MOST && holds(shown)).then_some(opening + length)
}

/// The length of `Bearer …` up to its end, where a value says how it is meant.
fn borne(value: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    const SCHEME: &str = "Bearer ";
    let opening = quote(value).unwrap_or(0);
    let token = value[opening..].strip_prefix(SCHEME)?;
    let length = letters_of(token, 0, MOST, linked);
    holds(&token[..length]).then_some(opening + SCHEME.len() + length)
}

/// The signs behind which a value stands, the longer ones first.
const SIGNS: &[&str] = &[
    "===", "!==", "||=", "??=", ":=", "=>", "==", "!=", "?=", "+=", "||", "??", ":-", "<-", "：",
    ":", "=", ">",
];

fn after_sign<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    let is_quoted = rest.starts_with(['"', '\'']);
    // `char password[] = "…"`
    let rest = without_brackets(rest);
    let rest = rest.trim_start_matches(['"', '\'', ']', '\\', '`']);
    let rest = rest.strip_prefix("**").unwrap_or(rest);
    let spaced = rest.trim_start_matches(BLANKS);
    // `password!: string = "…"`
    let sure = spaced.strip_prefix('!');
    let spaced = sure.filter(|it| it.starts_with(':')).unwrap_or(spaced);
    let Some(sign) = SIGNS.iter().find(|sign| spaced.starts_with(**sign)) else {
        return without_sign(name, rest, spaced, is_quoted);
    };
    let value = spaced[sign.len()..].trim_start_matches(BLANKS);
    // `**Password:** …` of Markdown.
    if let Some(value) = value.strip_prefix("**") {
        return Some(said(value.trim_start_matches([' ', '\t', '`'])));
    }
    if let (":" | "=" | ":=", Some(value)) = (*sign, on_next_line(value)) {
        return Some(literal(value));
    }
    if *sign == ":" {
        if let Some(value) = behind_type(value) {
            return Some(literal(value));
        }
        if let Some(value) = below(value).filter(|_| starts_line(name)) {
            return Some(said(value));
        }
        if let Some(value) = in_block(value) {
            return Some(setting(value));
        }
        if let Some(value) = behind_marks(value).filter(|_| starts_line(name)) {
            return Some(Assigned {
                is_setting: false,
                ..setting(value)
            });
        }
    }
    if let Some(value) = in_object(value).or_else(|| in_call(value)) {
        return Some(literal(value));
    }
    if let Some(value) = in_literals(name, value).filter(|_| *sign == "=") {
        return Some(literal(value));
    }
    // `API_KEYS = ["…", …]`, and not `"auth-token": ["auth-token@1.0.0", …]`.
    let listed = value.strip_prefix('[').map(str::trim_start);
    let is_key = |value: &&str| {
        let opening = quote(value);
        opening.is_some_and(|at| {
            let letters = letters_of(value, at, MOST, dashed);
            letters >= LEAST_LISTED && value[at + letters..].starts_with(['"', '\''])
        })
    };
    if let Some(value) = listed.filter(is_key) {
        return Some(literal(value));
    }
    // `db.password=\`, and the value below.
    let continued = value
        .strip_prefix("\\\n")
        .filter(|_| spaced.starts_with("=\\"));
    let value = continued.map_or(value, |below| below.trim_start_matches(BLANKS));
    // `<Password><Value>…</Value>`
    let value = value
        .strip_prefix("<Value>")
        .filter(|_| *sign == ">")
        .unwrap_or(value);
    Some(Assigned {
        is_setting: false,
        text: value,
        needs_quotes: matches!(
            *sign,
            "||" | "??" | "||=" | "??=" | "===" | "!==" | "==" | "!=" | "<-"
        ),
        is_content: *sign == ">",
        is_bare: false,
    })
}

/// A value that follows in a call, a list, a command or a sentence of SQL.
fn without_sign<'a>(
    name: &Name<'_>,
    rest: &'a str,
    spaced: &'a str,
    is_quoted: bool,
) -> Option<Assigned<'a>> {
    if let Some(value) = behind_name(spaced, is_quoted) {
        return Some(value);
    }
    if let Some(value) = in_table(name, spaced).or_else(|| in_columns(name, rest)) {
        return Some(value);
    }
    if let Some(inside) = spaced.strip_prefix([',', '(']) {
        // `"--token", default="…"`
        let inside = inside.trim_start_matches(BLANKS);
        return Some(literal(inside.strip_prefix("default=").unwrap_or(inside)));
    }
    // `getenv("PASSWORD") || "…"`
    let called = spaced.strip_prefix(')').map(str::trim_start);
    let instead = ["||", "??", "or ", "{ ", "?: ", ".unwrap_or("];
    if let Some(value) = called.and_then(|it| instead.iter().find_map(|or| it.strip_prefix(or))) {
        return Some(literal(value));
    }
    if is_defined(name) {
        return Some(literal(spaced));
    }
    let is_bare = is_option(name) || is_set(name) || name.is_password && is_login(name);
    // `Pass --option`
    let value = spaced.trim_start_matches(['"', '\'', '`']);
    let is_word = spaced.len() < rest.len() && !value.starts_with("--");
    if is_word
        && !is_bare
        && let Some(value) = said_value(name, spaced)
    {
        return Some(value);
    }
    // `secret "…";`, a line of settings.
    let follows = is_word && (name.is_password || is_bare || is_closed(name, spaced));
    follows.then_some(Assigned {
        needs_quotes: !is_bare,
        is_setting: is_bare,
        ..literal(spaced)
    })
}

/// Whether a literal of double quotes ends as it does in files of settings.
fn is_closed(name: &Name<'_>, text: &str) -> bool {
    let literal = text.strip_prefix('"');
    let behind = literal.and_then(|text| text.split_once('"'));
    let is_whole = name.first() == name.start && name.is_known_as(&["secret"]);
    is_whole && behind.is_some_and(|(_, behind)| behind.starts_with(';'))
}

/// The length of a value without quotes: the rest of a line in an `.env` file or the
/// like, or the content of an element. In code there are quotes.
fn bare(name: &Name<'_>, value: &Assigned<'_>, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let list = List::of(name);
    let length = letters_of(value.text, 0, MOST + 1, |b| !list.ends_at(b));
    let (shown, behind) = value
        .text
        .split_at_checked(length)
        .filter(|_| length <= MOST)?;
    let line = written_line(shown).filter(|_| begins_written_line(name));
    let shown = line.unwrap_or(shown);
    let line_end = behind.trim_start_matches(BLANKS);
    let is_listed = match list {
        List::Connection => true,
        List::Options => !is_in_call(name) && is_given(shown),
        List::Descriptor => is_given(shown),
        List::Query => name.is_password && is_address(name) && is_given(shown),
        List::Flow => name.is_password && is_given(shown) && shown.bytes().all(in_flow),
        _ => false,
    };
    let ends = match behind.bytes().next() {
        _ if value.is_content => behind.starts_with("</"),
        _ if line.is_some() => is_plain(shown) || is_given(shown),
        Some(quote @ (b'"' | b'\'' | b'`')) => {
            // `"token=([^&]+)"` is a pattern.
            let is_opened = is_opened(name, quote) && !shown.contains(['(', '[', '\\']);
            is_plain(shown) || is_listed || is_opened
        }
        Some(b',' | b'}') if list == List::Flow => {
            (is_plain(shown) || is_listed) && is_mixed(shown)
        }
        Some(b',') if list == List::Options => {
            is_listed && is_option_next(behind) && is_mixed(shown)
        }
        Some(b')') => list == List::Descriptor && is_listed,
        Some(b'<') if list == List::Query => behind.starts_with("</"),
        Some(b'}') => list == List::Default,
        Some(b';' | b'&') => list != List::None,
        _ => {
            line_end.is_empty()
                || line_end.starts_with(['\r', '\n', '#'])
                || line_end.len() < behind.len() && line_end.starts_with(';')
                || is_option(name)
                || value.is_bare && line_end.len() < behind.len()
                || is_before_words(name, value.text, shown)
        }
    };
    // Most do not end here, and the rest takes several looks at every letter.
    if !ends {
        return None;
    }
    let is_setting = || {
        value.is_content
            || value.is_setting
            || is_listed
            || list == List::Default
            || is_connection(line_before(name.text, name.first())) && is_given(shown)
            || is_opened(name, behind.bytes().next().unwrap_or_default())
            || starts_line(name) && !is_code(shown, name.is_password)
            || is_option(name)
            || is_login(name)
            || line.is_some()
    };
    let is_value = (is_plain(shown) || is_setting()) && (name.is_password || !is_path(shown));
    let is_value = is_value && (!value.is_bare || is_mixed(shown) && is_jumbled(shown));
    (is_value && holds(shown)).then_some(shown.len())
}

/// The value up to the end of its line, where that is written out: in a notebook, in JSON, in
/// what a program prints.
fn written_line(value: &str) -> Option<&str> {
    let mut escapes = value.match_indices('\\').map(|(at, _)| at);
    let ends = |at: &usize| {
        let behind = &value[at + 1..];
        ["n", "r", "u000", "x0"]
            .iter()
            .any(|it| behind.starts_with(it))
    };
    let end = escapes.find(ends)?;
    Some(value[..end].trim_end_matches('\\'))
}

/// Whether a name stands first in a literal, or on a line that is written out in one.
fn begins_written_line(name: &Name<'_>) -> bool {
    let line = line_before(name.text, name.first());
    let Some(at) = line.rfind(['"', '\'', '`', '\\']) else {
        return false;
    };
    // `export `, `%env `, `!login --token `
    let own = &line[at + 1..];
    let is_escaped = line[at..].starts_with('\\');
    let behind = own.strip_prefix(['n', 'r', '"', '\'']);
    let own = behind.filter(|_| is_escaped).unwrap_or(own);
    own.bytes().all(|b| dashed(b) || b" \t%!".contains(&b))
}

/// Whether a value stands right behind its sign and before other words, as in a command and
/// in what says where to connect to: `PGPASSWORD=… psql`, `password=… dbname=…`.
fn is_before_words(name: &Name<'_>, value: &str, shown: &str) -> bool {
    let at = place_in(name.text, value);
    let sign = name.text[..at].strip_suffix('=').unwrap_or_default();
    let is_joined = sign.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let words = value[shown.len()..].strip_prefix(' ').unwrap_or_default();
    is_joined && words.starts_with(|c: char| c.is_ascii_alphanumeric() || "-./".contains(c))
}

/// Whether a value among others on a line is written there: no call, and no variable.
fn is_given(shown: &str) -> bool {
    let is_call = is_code(shown, true) || shown.contains(['(', ')', '\\', '{']);
    !is_call && !is_filled_in(shown) && !is_path(shown)
}

/// Whether the quote behind a value stands before its name: `"DB_PASSWORD=…"`.
fn is_opened(name: &Name<'_>, quote: u8) -> bool {
    let before = name.text[..name.first()].bytes().next_back();
    matches!(quote, b'"' | b'\'') && before == Some(quote)
}

/// Whether small and capital letters and digits stand in a value, as in no name.
fn is_mixed(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|b| is(&b));
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)
}

/// The fewest letters of a key in a list: there are names of packages in others.
const LEAST_LISTED: usize = 20;

/// The most bytes of a value without quotes, and as many of a longer one are looked at.
const MOST: usize = 256;

/// The letters of a password among braces: with others it is code.
fn in_flow(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!@#%^&*-_+=~".contains(&b)
}

fn is_plain(value: &str) -> bool {
    value.bytes().all(|b| base64(b) || dotted(b))
}

/// Whether this calls something, or is a list or the end of a statement. Passwords may have
/// any sign, but not where a call has it.
fn is_code(value: &str, is_password: bool) -> bool {
    if !is_password {
        return value.starts_with('$') || value.contains(['(', ')', '[', ']', '{', '}', ';', ',']);
    }
    let name = letters_of(value, 0, value.len(), dotted);
    let inside = value[name..].trim_start_matches('!');
    // One that stays open ends the line, or closes on it.
    let called = name > 0
        && inside.starts_with(['(', '[', '{'])
        && (inside.len() == 1 || inside.contains([')', ']', '}']));
    let opened = value.starts_with(['(', '[', '{', '|', '>']);
    // `*alias`, `&anchor`, `@value`, `$VALUE`
    let named = value.starts_with(['*', '&', '@', '%', '$'])
        && value[1..].bytes().all(|b| dotted(b) || b"{}(".contains(&b));
    called || opened || named || value.ends_with([',', ';', '{'])
}

/// `settings.Password2`: names with dots between.
fn is_path(value: &str) -> bool {
    let mut parts = value.split('.');
    let is_name = |part: &str| {
        part.len() >= 2 && !part.starts_with(|c: char| c.is_ascii_digit()) && part.bytes().all(word)
    };
    let is_own = value.starts_with("self.") || value.starts_with("this.");
    value.contains('.') && parts.all(is_name) && (is_own || value.len() < 48)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    const P: &str = "gYY8iHGZ9kQ2ZU5Ui";

    #[test]
    fn a_value_ends_where_the_end_of_its_line_is_written_out() {
        for text in [
            format!("{{\"source\": [\"export DB_PASSWORD={P}\\n\"]}}"),
            format!("f.write(\"API_KEY={P}{P}\\n\")"),
            format!("echo -e \"DB_PASSWORD={P}\\nPORT=1\" > .env"),
            format!("\"user_data\": \"#!/bin/sh\\nexport DB_PASSWORD={P}!x\\nrun\\n\""),
            format!("\"a\": \"{{\\\"b\\\": \\\"DB_PASSWORD={P}\\\\nPORT=1\\\"}}\""),
            format!("\"DB_PASSWORD={P}\\r\\n\","),
            format!("\"password: {P}\\n\","),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            "printf(\"password=%s\\n\", it)",
            "print(\"password: wrong\\n\")",
            "print(\"the password=Foo1Bar2, and more\\n\")",
            "print(\"token=\" + token12aB34 + \"\\n\")",
            "re.compile(\"token=(\\\\w+12aB34cD)\\n\")",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_value_is_told_however_long_it_is() {
        let random = |length: usize| -> String {
            const LETTERS: &[u8] = b"Qx7RzK2mWv9TbYc4NpLs8GhJd5FkA3eUoZ6iX1tVyB0nMwCqPrEgHaDjSl";
            let mut state = 7_usize;
            let mut letter = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                char::from(LETTERS[(state >> 33) % LETTERS.len()])
            };
            (0..length).map(|_| letter()).collect()
        };
        for length in [240, 300, 480, 1700] {
            let value = random(length);
            for text in [
                format!("REFRESH_TOKEN=\"{value}\"\n"),
                format!("REFRESH_TOKEN={value}\n"),
                format!("PRIVATE_KEY={value}\n"),
                format!("      - PRIVATE_KEY={value}\n"),
                format!("\"access_token\": \"{value}\","),
                format!("token = \"Bearer {value}\"\n"),
            ] {
                assert_eq!(find(&text).len(), 1, "{text}");
                let shown = super::super::masked(text);
                assert!(shown.len() < 60, "{shown}");
            }
            for text in [
                format!("api_token: \"iVBORw0KGgo{value}\"\n"),
                format!("PUBLIC_KEY=\"{value}\"\n"),
                format!("SSH_KEY=\"AAAAB3NzaC1yc2E{value}\"\n"),
                format!("IMAGE=\"{value}\"\n"),
                format!("token = parse {value}\n"),
            ] {
                assert!(find(&text).is_empty(), "{text}");
            }
        }
    }
}
