//! Values without quotes: the rest of a line in a settings file, a word among others, the content
//! of an element.

use super::around::BLANKS;
use super::given::{Assigned, MOST};
use super::letters::{base64, dashed, dotted, letters_of, line_before, linked, word};
use super::lists::{List, is_address, is_connection, is_in_call, is_option_next};
use super::login::is_filled_in;
use super::name::{Name, is_login, is_option, is_option_in_quotes, starts_line};
use super::values::{self, is_made, is_signed};
use crate::split::place_in;

/// Returns the length of a value without quotes: the rest of a line in an `.env` file or the like,
/// or the content of an element. Code has quotes.
pub(super) fn bare(
    name: &Name<'_>,
    value: &Assigned<'_>,
    holds: &impl Fn(&str) -> bool,
) -> Option<usize> {
    let list = List::of(name);
    let length = letters_of(value.text, 0, MOST + 1, |b| !list.ends_at(b));
    let (shown, behind) = value
        .text
        .split_at_checked(length)
        .filter(|_| length <= MOST)?;
    let closed = (list == List::Query).then(|| in_brackets(shown)).flatten();
    let shown = closed.unwrap_or(shown);
    // A quote behind it may be written out, in JSON and in documents.
    let is_quote = |b: u8| b == b'"' || b == b'\'';
    let escaped = behind.bytes().next().is_some_and(is_quote);
    let shown = shown
        .strip_suffix('\\')
        .filter(|_| escaped)
        .unwrap_or(shown);
    let mut written = ["&quot;", "&#39;", "&#x27;", "&#34;"].iter();
    let cut = written.find_map(|it| shown.find(it));
    let shown = cut.map_or(shown, |cut| &shown[..cut]);
    let line = written_line(shown).filter(|_| value.is_bare || begins_written_line(name));
    let shown = line.unwrap_or(shown);
    if list == List::None && is_member(shown) {
        return None;
    }
    let line_end = behind.trim_start_matches(BLANKS);
    let is_listed = match list {
        List::Connection => true,
        List::Options => !is_in_call(name) && is_given(shown),
        List::Descriptor => is_given(shown),
        List::Query => {
            let is_told = is_address(name) || is_signed(shown);
            let is_escaped = shown.bytes().all(|b| b == b'%' || linked(b));
            name.is_password && is_told && is_given(shown) || is_escaped
        }
        List::Flow => {
            let is_code = shown.contains("&&") || !is_given(shown);
            name.is_password && !is_code && shown.bytes().all(in_flow)
        }
        _ => false,
    };
    let ends = match behind.bytes().next() {
        _ if value.is_content => behind.starts_with("</"),
        _ if cut.or(closed.map(str::len)).is_some() => is_plain(shown) || is_listed,
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
        Some(b'<') if matches!(list, List::Query | List::Connection) => behind.starts_with("</"),
        Some(b'}') => list == List::Default,
        Some(b';' | b'&') => list != List::None,
        _ => {
            line_end.is_empty()
                || line_end.starts_with("\x1b[")
                || line_end.starts_with(['\r', '\n', '#'])
                || line_end.len() < behind.len() && line_end.starts_with("*/")
                || line_end.len() < behind.len() && line_end.starts_with(';')
                // A command that goes on below.
                || line_end.len() < behind.len() && line_end.starts_with("\\\n")
                || is_option(name)
                || value.is_setting && is_option_in_quotes(name)
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
            || is_connection(line_before(name.text, name.first)) && is_given(shown)
            || is_opened(name, behind.bytes().next().unwrap_or_default())
            || starts_line(name) && !is_code(shown, name.is_password)
            || is_option(name)
            || is_login(name)
            || line.is_some()
            || name.is_password && is_joined(name, value.text) && is_made(shown) && is_given(shown)
    };
    let is_name = is_path(shown) && !name.is_password || is_of_type(shown);
    let is_value = !is_name && (is_plain(shown) || is_setting());
    let is_value = is_value && (!value.is_bare || is_made(shown));
    (is_value && holds(shown)).then_some(shown.len())
}

/// The value of an address up to the bracket in which that stands: `(https://x?token=…)`.
fn in_brackets(value: &str) -> Option<&str> {
    let plain = letters_of(value, 0, value.len(), |b| base64(b) || dotted(b));
    value[plain..]
        .starts_with([')', '>', ']'])
        .then_some(&value[..plain])
}

/// Returns the value up to the end of its line where the line break is escaped: in a notebook, in
/// JSON, in the output of a program.
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

/// Whether a name stands first in a literal, or on an escaped line inside one.
fn begins_written_line(name: &Name<'_>) -> bool {
    let line = line_before(name.text, name.first);
    let Some(at) = line.rfind(['"', '\'', '`', '\\']) else {
        return false;
    };
    // `export `, `%env `, `!login --token `
    let own = &line[at + 1..];
    let is_escaped = line[at..].starts_with('\\');
    let behind = own.strip_prefix(['n', 'r', '"', '\'']);
    let own = behind.filter(|_| is_escaped).unwrap_or(own);
    own.ends_with(['?', '&']) || own.bytes().all(|b| dashed(b) || b" \t%!:".contains(&b))
}

/// Whether a value directly follows its sign and precedes other words, as in a command or a
/// connection string: `PGPASSWORD=… psql`, `password=… dbname=…`.
fn is_before_words(name: &Name<'_>, value: &str, shown: &str) -> bool {
    let words = value[shown.len()..].strip_prefix(' ').unwrap_or_default();
    is_joined(name, value)
        && words.starts_with(|c: char| c.is_ascii_alphanumeric() || "-./".contains(c))
}

/// Whether no blank separates a name, its sign and its value, as in a log.
fn is_joined(name: &Name<'_>, value: &str) -> bool {
    let at = place_in(name.text, value);
    let sign = name.text[..at].strip_suffix('=').unwrap_or_default();
    sign.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a value among others on a line is literal: neither a call nor a variable.
pub(super) fn is_given(shown: &str) -> bool {
    let is_call = is_code(shown, true) || shown.contains(['(', ')', '\\', '{']);
    !is_call && !is_filled_in(shown) && !is_path(shown)
}

/// Whether the quote after a value opened before its name: `"DB_PASSWORD=…"`.
fn is_opened(name: &Name<'_>, quote: u8) -> bool {
    let before = name.text[..name.first].bytes().next_back();
    matches!(quote, b'"' | b'\'') && before == Some(quote)
}

/// Whether a value mixes small letters, capital letters and digits, as no name does.
fn is_mixed(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|b| is(&b));
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)
}

/// Whether a password within braces may hold this byte: with other bytes it is code.
fn in_flow(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!@#%^&*-_+=~".contains(&b)
}

fn is_plain(value: &str) -> bool {
    value.bytes().all(|b| base64(b) || dotted(b))
}

/// Whether this is a call, a list or the end of a statement. A password may hold any character, but
/// not where a call has it.
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

/// `a.b=c`, `a.b;`: names joined by dots, and code behind them.
pub(super) fn is_member(value: &str) -> bool {
    let length = letters_of(value, 0, value.len(), |b| word(b) || b == b'.');
    let (path, behind) = value.split_at(length);
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let is_name = |part: &str| part.starts_with(is_letter) && !values::is_mixed(part);
    let is_set = behind
        .strip_prefix('=')
        .is_some_and(|it| it.starts_with(is_letter));
    let is_code = is_set || behind.starts_with([';', ',']);
    is_code && path.contains('.') && path.split('.').all(is_name)
}

/// `SecureRandom.base58`: a name in a type whose own name is of several words.
fn is_of_type(value: &str) -> bool {
    let value = value.trim_end_matches([',', ';']);
    let kind = letters_of(value, 0, value.len(), |b| b.is_ascii_alphabetic());
    let capitals = value[..kind].bytes().filter(u8::is_ascii_uppercase).count();
    let is_type =
        value.starts_with(|c: char| c.is_ascii_uppercase()) && (2..kind).contains(&capitals);
    is_type && value[kind..].starts_with('.') && is_path(value)
}

/// `settings.Password2`: names joined by dots.
fn is_path(value: &str) -> bool {
    let mut parts = value.split('.');
    let is_name = |part: &str| {
        part.len() >= 2 && !part.starts_with(|c: char| c.is_ascii_digit()) && part.bytes().all(word)
    };
    let is_own = value.starts_with("self.") || value.starts_with("this.");
    let is_named = value.contains('.') && parts.all(is_name) && (is_own || value.len() < 48);
    // `bqWMpzKt.x9Kq2mZ7vB4nT1wY`: no name is made like this.
    is_named && (is_own || !value.split('.').any(values::is_mixed))
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
            format!("    DB_PASS={P}!x \\\n    PORT=1\n"),
            "2024-01-02 10:11:12 INFO connects with password=Winter2025#nAr\n".to_owned(),
            "the password is Winter2025#nAr\n".to_owned(),
            format!("curl -d 'username=a&password={P}!x' https://x"),
            format!("<connection-string>Server=h;Uid=u;Pwd={P}!</connection-string>"),
            format!("[mail]\npw = {P}!x\n"),
            format!("{{\"pw\": \"{P}\"}}"),
            "JWT_SECRET=Winter2025!\n".to_owned(),
            format!("\"   http://localhost:8888/?token={P}\\n\","),
            "curl \"https://h/x?token=kW82mQzp41%2BXa9Kq2mZ7vB4nT1%3D%3D\"".to_owned(),
            "curl -d 'a=b&client_secret=kW82mQzp41%2FXa9Kq2mZ7vB4nT1%3D' https://x".to_owned(),
            "jdbc:mysql://h/d?user=a&password=Dragon%401234\n".to_owned(),
            "DB_PASSWORD=Dragon%401234\n".to_owned(),
            "\"text\": \"user=a&password=Dragon%401234&b=c\"".to_owned(),
            "MAIL_PASSWORD = 'vexs clhf voth xigv'\n".to_owned(),
            "SIGNING_PASSWORD=\"vtnp-ngxi-klxr-ffnn\"\n".to_owned(),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            "MAIL_PASSWORD = 'some text that says'\n",
            "pwd = SecureRandom.base58\n",
            "    password = PasswordStrength.LEVEL_3,\n",
            "https://h/x?token=%2Fsome%2Fpath%2Fto%2FThing2&b=c\n",
            "https://h/x?password=%24%7BDB_Passw0rd%7D\n",
            "a=b&authenticity_token=kW82mQzp41%2FXa9Kq2mZ7vB4nT1%3D&c=d\n",
            "secret: Some-Name-2 of it\n",
            "\"AWS::ApiGateway::ApiKey\": \"48205d4ffd7feba3\",",
            "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-a1b2c3",
            "printf(\"password=%s\\n\", it)",
            "print(\"password: wrong\\n\")",
            "print(\"the password=Foo1Bar2, and more\\n\")",
            "print(\"token=\" + token12aB34 + \"\\n\")",
            "re.compile(\"token=(\\\\w+12aB34cD)\\n\")",
            "t.ApiKeySourceType=t.RestApi=t.SpecRestApi=void 0;",
            "t.UserPassword=t.RestApi2=n.SpecRestApi3",
            "t.UserPassword=n.RestApi2;t.a=t.RestApi3",
            "t.ApiKey=t.RestApi2=t.SpecRestApi3=void 0;",
            "clientSecret: process.env.AUTH0_CLIENT_SECRET_V2!\n",
            "password: process.env.DB_PASSWORD_V2!\n",
            "k.ASSET_SALT_CONTEXT_KEY='@aws-cdk/core:assetHashSalt'",
            "secretCompleteArn = 'arn:aws:secretsmanager:eu-west-1:111111111111:secret:Own-f3gDy9'",
            "adminPassword = 'arn:aws:secretsmanager:eu-west-1:111111111111:secret:Own-f3gDy9'",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
