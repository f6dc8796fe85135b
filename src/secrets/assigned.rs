//! Values that are assigned to a telling name: `password = "…"`, `"token": "…"`,
//! `define('DB_PASSWORD', '…')`, `<secret>…</secret>`, `TOKEN=…`.

use std::ops::Range;

use super::among::{key_among_words, password_among_words};
use super::around::{
    BLANKS, alone_below, behind_marks, behind_type, below, echoed, in_block, in_call, in_document,
    in_pair_with, on_next_line, without_brackets,
};
use super::bare::bare;
use super::beside::{
    before_name, behind_name, behind_remark, declared, in_columns, in_literals, in_more_literals,
    in_object, in_table, next_entry, of_type, returned, said, said_value, secured, value_element,
};
use super::fallback::{behind_call, default_of_option, fallback};
use super::given::{Assigned, MOST, literal, setting};
use super::letters::{
    ahead, base64, dashed, hex_dashed, is_random, letters_of, line_before, linked,
};
use super::lists::is_among_names;
use super::literals::{
    behind_written_quote, bracketed, in_address, perl_quoted, quote, quoted, quoted_in_writing,
};
use super::login::encoded_password;
use super::members::below_members;
use super::name::{
    Name, is_defined, is_login, is_option, is_option_in_list, is_option_in_quotes, is_set,
    is_whole_word, starts_line,
};
use super::numbers::numbers;
use super::values::{
    is_made, is_mixed, is_password, is_product_key, is_salt, is_secret, is_signed, is_uuid,
};
use crate::split::place_in;

/// Finds the value assigned to a name for passwords.
pub(super) fn password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let is_short = end - start <= 4;
    let first = start + usize::from(text[start..].starts_with(['_', '-']));
    if is_short && !is_whole_word(text, first, end) {
        return run_together(text, first, end);
    }
    if text[end..].starts_with(":: ") {
        return encoded_password(text, start, end + ":: ".len());
    }
    let name = Name {
        is_password: true,
        ..Name::of(text, start, end)
    };
    value_of(&name, is_password).or_else(|| password_among_words(&name))
}

/// `MYSQLPASS=…`: finds the value of a name run together with other words. It counts if the sign
/// follows the name at once, no word ends that way, and the value does not look like a word.
fn run_together(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    const WORDS: [&str; 7] = ["by", "com", "tres", "over", "under", "sur", "im"];
    let behind = text[end..].trim_start_matches(['"', '\'', ' ']);
    let name = Name {
        is_password: true,
        ..Name::of(text, start, end)
    };
    if !behind.starts_with(['=', ':']) || !name.is_known_as(&["pass", "pwd", "pswd"]) {
        return None;
    }
    let own = text[name.first..start].to_ascii_lowercase();
    if WORDS.iter().any(|word| own.ends_with(word)) {
        return None;
    }
    value_of(&name, |value| is_password(value) && is_made(value))
}

/// Does the same for a name so short that only the sign after it marks it: `pw: …`.
pub(super) fn short_name(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    password(text, start, start + "pw".len())
}

/// Does the same between quotes and at the beginning of a line.
pub(super) fn short_name_behind(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    short_name(text, start + 1, start + 1)
}

/// Finds the value assigned to a name for tokens and keys.
pub(super) fn secret(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    let is_number = |value: &str| {
        is_uuid(value)
            && text[start..end].eq_ignore_ascii_case("token")
            && !name.has_any(ASKING)
            && !name.is_of_environment()
    };
    if name.has_any(NO_SECRETS) || is_resource(&name) {
        return None;
    }
    let is_of_key = |value: &str| is_uuid(value) && name.is_known_as(API_KEYS) && is_varied(value);
    let value = value_of(&name, |value| {
        let is_format = value.starts_with('{') && value.contains('}');
        is_of_key(value)
            || is_secret(value) && !is_number(value) && !is_format
            || name.is_known_as(&["secret", "credential"])
                && !is_format
                && is_password(value)
                && is_signed(value)
    });
    value.or_else(|| key_among_words(&name))
}

/// Whether a name is that of a type of resource, or part of a resource's address:
/// `AWS::Api::ApiKey`, `arn:aws:secretsmanager:…:secret:…`.
fn is_resource(name: &Name<'_>) -> bool {
    let before = line_before(name.text, name.first);
    let is_part = before.ends_with("::");
    is_part || before.ends_with(':') && before.contains("arn:")
}

/// Names that identify a .NET assembly, and names of a page's tokens.
const NO_SECRETS: &[&str] = &[
    "publickeytoken",
    "csrf",
    "xsrf",
    "authenticity",
    "requestverification",
];

/// Names for keys whose value may have the form of a UUID.
const API_KEYS: &[&str] = &["apikey", "api_key", "api-key"];

/// Whether a number has more than a few different digits, which `00000000-…` has not.
fn is_varied(value: &str) -> bool {
    let is_number = value.bytes().all(hex_dashed);
    is_number && is_random(value, 2.5)
}

/// Names of tokens that grant access. Tokens of other names are often numbers of pages or calls.
const ASKING: &[&str] = &[
    "api", "auth", "access", "refresh", "bearer", "bot", "service", "session", "server", "consul",
    "vault", "nomad",
];

/// Finds what a text calls a key: `API key: …`.
pub(super) fn spoken(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    let before = line_before(text, start).to_ascii_lowercase();
    let is_open = before.trim_end().ends_with("public");
    let holds = |value: &str| {
        let is_long = value.len() >= 20 || is_mixed(value);
        is_long && is_secret(value) || is_product_key(value)
    };
    let value = value_of(&name, holds).or_else(|| key_among_words(&name));
    value.filter(|_| !is_open)
}

/// Finds the value assigned to some kind of key. Most of them are keys of tables.
pub(super) fn key(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    let first = start + usize::from(text[start..].starts_with(['_', '-']));
    let is_open = name.has_any(OPEN) && !name.has_any(&["secret", "crypt"]);
    if !is_whole_word(text, first, end) || is_open {
        return None;
    }
    // Of logins in base64 another rule says whether their password is a word.
    let is_login = name.is_known_as(&["_auth"]);
    let least = if name.has_any(CIPHERS) { 16 } else { 20 };
    value_of(&name, |value| {
        let is_made = !is_login || value.bytes().all(hex_dashed);
        value.len() >= least && is_made && is_secret(value)
            || is_salt(value)
            || is_product_key(value)
    })
}

/// Names for keys of ciphers and signatures, which may be sixteen characters long.
const CIPHERS: &[&str] = &["crypt", "cipher", "aes", "signing", "jwt", "hmac"];

/// Names for keys that are not secret.
pub(super) const OPEN: &[&str] = &[
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

/// Finds an AWS secret key: forty characters without any mark.
pub(super) fn aws_secret(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, end);
    value_of(&name, |value| {
        value.len() == 40 && value.bytes().all(base64)
    })
}

/// Endings that turn a name into that of something about a secret: `token_type`, `tokenize`.
const ABOUT: &[&str] = &[
    "iz", "qc", "option", "type", "count", "index", "pos", "start", "url", "uri", "path", "file",
    "pattern", "regex", "name", "len", "id", "sid", "field", "param", "class", "header",
    "endpoint", "policy", "label", "hint", "arn", "hasher", "algo", "scheme", "encrypt", "format",
    "encoding",
];

/// Returns the place of name and value if `holds` accepts the value.
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
    // `"\"…\""`, a literal in code that is generated.
    let value = Assigned {
        text: value
            .text
            .strip_prefix("\"\\\"")
            .map_or(value.text, |_| &value.text[1..]),
        ..value
    };
    let at = place_in(name.text, value.text);
    // One that stands before its name is where that is told.
    let start = name.start.min(at);
    let end = |length: usize| (at + length).max(name.end);
    if let Some(length) = perl_quoted(value.text, &holds).or_else(|| bracketed(value.text, &holds))
    {
        return Some(start..end(length));
    }
    if let Some(length) = quoted_in_writing(value.text, &holds).or_else(|| numbers(value.text)) {
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

/// Returns the length of a very long value, as far as it is read. Its beginning decides, whether or
/// not its end is seen.
fn long(value: &Assigned<'_>, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let opening = match quote(value.text) {
        None if value.needs_quotes => return None,
        opening => opening.unwrap_or(0),
    };
    let length = letters_of(value.text, opening, value.text.len(), linked);
    let shown = value.text.get(opening..opening + MOST)?;
    (length > MOST && holds(shown)).then_some(opening + length)
}

/// Returns the length of `Bearer …` up to its end, for a value that names its scheme.
fn borne(value: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    const SCHEME: &str = "Bearer ";
    let opening = quote(value).unwrap_or(0);
    let token = value[opening..].strip_prefix(SCHEME)?;
    let length = letters_of(token, 0, MOST, linked);
    holds(&token[..length]).then_some(opening + SCHEME.len() + length)
}

/// The signs before a value, the longer ones first.
const SIGNS: &[&str] = &[
    "===", "!==", "||=", "??=", ":=", "=>", "==", "!=", "?=", "+=", "||", "??", ":-", "<-", "：",
    ":", "=", ">",
];

fn after_sign<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    if let Some(value) = behind_written_quote(rest) {
        return Some(literal(value));
    }
    if let Some(value) = in_address(rest) {
        return Some(setting(value));
    }
    let is_quoted = rest.starts_with(['"', '\'']);
    // `char password[] = "…"`
    let rest = without_brackets(rest);
    let rest = rest.trim_start_matches(['"', '\'', ']', '\\', '`']);
    let rest = rest.strip_prefix("**").unwrap_or(rest);
    let spaced = rest.trim_start_matches(BLANKS);
    // `password!: string = "…"`
    let sure = spaced.strip_prefix('!');
    let spaced = sure.filter(|it| it.starts_with(':')).unwrap_or(spaced);
    let spaced = behind_remark(name, spaced).unwrap_or(spaced);
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
    if *sign == ":"
        && let Some(value) = behind_colon(name, value)
    {
        return Some(value);
    }
    let made = in_object(value)
        .or_else(|| in_call(value))
        .or_else(|| echoed(value));
    if let Some(value) = made.or_else(|| returned(value)) {
        return Some(literal(value));
    }
    if let ("=" | ":=", Some(value)) = (*sign, in_literals(name, value)) {
        return Some(literal(value));
    }
    if let Some(value) = fallback(value) {
        return Some(literal(value));
    }
    // `API_KEYS = ["…", …]`, and not `"auth-token": ["auth-token@1.0.0", …]`.
    let listed = value.strip_prefix('[').map(str::trim_start);
    if let Some(value) = listed.filter(|value| begins_with_key(value)) {
        return Some(literal(value));
    }
    // `db.password=\`, and the value below.
    let continued = value
        .strip_prefix("\\\n")
        .filter(|_| spaced.starts_with("=\\"))
        .or_else(|| in_document(value));
    let value = continued.map_or(value, |below| below.trim_start_matches(BLANKS));
    // `<Password><Value>…</Value>`, `<property name="password"><value>…</value>`
    let inner = value_element(value).filter(|_| *sign == ">");
    let value = inner.unwrap_or(value);
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

/// Returns a value with a type, marks or a line break between it and the colon.
fn behind_colon<'a>(name: &Name<'_>, value: &'a str) -> Option<Assigned<'a>> {
    if let Some(value) = behind_type(value) {
        return Some(literal(value));
    }
    if let Some(value) = declared(name, value).filter(|_| starts_line(name)) {
        return Some(value);
    }
    if let Some(value) = below(value).filter(|_| starts_line(name)) {
        let is_bare = name.is_password;
        return Some(Assigned {
            is_bare,
            ..setting(value)
        });
    }
    if let Some(value) = in_block(value) {
        return Some(setting(value));
    }
    if let Some(value) = alone_below(value).filter(|_| starts_line(name)) {
        return Some(setting(value));
    }
    let value = behind_marks(value).filter(|_| starts_line(name))?;
    Some(Assigned {
        is_setting: false,
        ..setting(value)
    })
}

/// Returns a value that follows in a call, a list, a command or an SQL statement.
fn without_sign<'a>(
    name: &Name<'_>,
    rest: &'a str,
    spaced: &'a str,
    is_quoted: bool,
) -> Option<Assigned<'a>> {
    if let Some(value) = in_pair_with(spaced).filter(|_| is_quoted) {
        return Some(literal(value));
    }
    let beside = behind_name(name, spaced, is_quoted);
    if let Some(value) = beside.or_else(|| below_members(name, spaced)) {
        return Some(value);
    }
    let in_parts = next_entry(name, rest).or_else(|| of_type(name, rest));
    if let Some(value) = in_parts.or_else(|| returned(spaced).map(literal)) {
        return Some(value);
    }
    if let Some(value) = in_table(name, spaced).or_else(|| in_columns(name, rest)) {
        return Some(value);
    }
    if let Some(value) = in_more_literals(name, spaced) {
        return Some(literal(value));
    }
    let inside = spaced.strip_prefix([',', '(']);
    if let Some(inside) = inside.filter(|_| !is_among_names(name)) {
        // `"--token", default="…"`, `password(name: 'P', defaultValue: '…')`
        let is_declared = inside.starts_with("name: ");
        let inside = if is_option_in_list(name) || is_declared {
            default_of_option(inside).unwrap_or(inside.trim_start())
        } else {
            inside.trim_start_matches(BLANKS)
        };
        let named = ["default=", "with: "].iter();
        let inside = named.fold(inside, |it, name| it.strip_prefix(name).unwrap_or(it));
        // `setCipherKey(Base64.decode("…"))`
        return Some(literal(in_call(inside).unwrap_or(inside)));
    }
    if let Some(value) = behind_call(spaced) {
        return Some(literal(value));
    }
    if is_defined(name) {
        return Some(literal(spaced));
    }
    // `set(NAME …)` and `(define name …)` are code, where a word is no value.
    let is_set = is_set(name);
    let is_line = is_set && !line_before(name.text, name.first).contains('(');
    let is_bare = is_option(name)
        || is_line && !spaced.starts_with('%')
        || name.is_password && is_login(name);
    let is_quoted = is_quoted || spaced.starts_with(['"', '\'', '\\', '-', '$', '<', '{']);
    if !is_quoted && spaced.len() < rest.len() && is_option_in_quotes(name) {
        // What is no password looks random, or it is none.
        let is_bare = name.is_password;
        return Some(Assigned {
            is_bare,
            ..said(spaced)
        });
    }
    // `Pass --option`
    let value = spaced.trim_start_matches(['"', '\'', '`']);
    let is_word = spaced.len() < rest.len() && !value.starts_with("--");
    if is_word
        && !is_bare
        && let Some(value) = said_value(name, spaced)
    {
        return Some(value);
    }
    if name.is_known_as(&["identified by"]) && line_before(name.text, name.first).contains('"') {
        return Some(said(spaced));
    }
    if name.is_known_as(&["-securestring"]) {
        return Some(secured(spaced));
    }
    // `:api-key "…"`, `set $token "…"`; `secret "…";` is a line of settings.
    let is_keyword = name.text[..name.first].ends_with([':', '$']);
    let follows = name.is_password || is_keyword || is_bare || is_set || is_closed(name, spaced);
    let follows = is_word && follows;
    follows.then_some(Assigned {
        needs_quotes: !is_bare,
        is_setting: is_bare,
        ..literal(spaced)
    })
}

/// Whether a literal in double quotes ends as it does in a settings file.
fn is_closed(name: &Name<'_>, text: &str) -> bool {
    let literal = text.strip_prefix('"');
    let behind = literal.and_then(|text| text.split_once('"'));
    let is_whole = name.first == name.start && name.is_known_as(&["secret"]);
    is_whole && behind.is_some_and(|(_, behind)| behind.starts_with(';'))
}

/// Whether the first item of a list is a literal that holds a key.
fn begins_with_key(items: &str) -> bool {
    let opening = quote(items);
    opening.is_some_and(|at| {
        let letters = letters_of(items, at, MOST, dashed);
        letters >= LEAST_LISTED && items[at + letters..].starts_with(['"', '\''])
    })
}

/// The fewest characters of a key in a list: shorter ones may be names of packages.
const LEAST_LISTED: usize = 20;

#[cfg(test)]
mod tests {
    use super::super::find;

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

    #[test]
    fn a_key_is_told_though_it_has_hardly_a_digit() {
        for text in [
            "export const apiKey = 'wbKPz4ujGxVRqMNYkLtH';",
            "jwt-secret-key: RhxWqTbZmVjKsPdLcQnGyf\n",
            "flow.encryption.key=WqZkTxBnVjRhGmSd\n",
            "flow.signing.key=qWzKxT9RbVn3-hJmGs6_PdLcYf2QxZvTb\n",
            "String aesKey = \"kQ/RxWmZ9bTvYp+sJhGdNg==\";",
            "manager.setCipherKey(Base64.decode(\"kQ7RxWmZ9bTvYp3sJhGdNg==\"));",
            "byte[] API_KEY = Base64.getDecoder().decode(\"kQ7RxWmZ9bTvYp3sJhGdNg==\");",
            "// https://a.test/#access_token=wb0RKz2Ej57XUqzyiBVoRIGIdrZyQN&token_type=b\n",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "apiKey = \"getXMLHttpRequestFactory\";",
            "aesKey = \"defaultAesKeyName\";",
            "token = getTokenOf(\"someTokenNameInCamelCase\")",
            "cipherKey = decode(\"theKeyOfTheCipher\");",
            "https://a.test/#token=SomeTokenKind&x=1",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_literal_in_several_calls_is_told() {
        for text in [
            "password: Some(String::from(\"K18Udl2b8kIhRe\")),",
            "let token = Some(Secret::new(String::from(\"x9Kq2mZ7vB4nT1wY8rL5pD3s\")));",
            "password = Optional.of(\"K18Udl2b8kIhRe\");",
            "auto password = std::string(\"K18Udl2b8kIhRe\");",
            "let pw = String::from(\"K18Udl2b8kIhRe\");",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "password: Some(hash(\"K18Udl2b8kIhRe\")),",
            "password = Optional.of(String.format(it, \"K18Udl2b8kIhRe\"));",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_second_of_a_pair_is_told_by_the_first() {
        for text in [
            "Map(\"password\" -> \"Sup3rS3cr3t!2023\")",
            "Map(\"a\" -> 1, \"db.password\"->\"Sup3rS3cr3t!2023\")",
            "\"token\" -> Some(\"x9Kq2mZ7vB4nT1wY8rL5pD3s\"),",
            "mapOf(\"password\" to \"Sup3rS3cr3t!2023\")",
            "hashMapOf(\"X-Api-Key\" to \"x9Kq2mZ7vB4nT1wY8rL5pD3s\")",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "$password->set(\"Sup3rS3cr3t!2023\")",
            "case \"token\" -> \"someTokenOfTheTests\"",
            "change \"password\" to \"newPassword\"",
            "\"password\" -> hash2Of(Sup3rS3cr3t)",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_value_is_none() {
        for text in [
            "PASS=`awk '{print $1}' $SOME_PROPERTIES | grep password | cut -d \"=\" -f2`\n",
            "strings.HasPrefix(user.HashedPassword, \"$argon2id$\")",
            "olcPasswordCryptSaltFormat: $6$rounds=50000$%.16s\n",
            "pam_passwdqc: 'min=disabled,disabled,16,12,8'\n",
            "password_options: 'min=disabled,disabled,16,12,8'\n",
            "Web Token: `Base64(Header1).Base64(Data2).Base64(Signature3)`",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
