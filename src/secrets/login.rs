//! Passwords that stand with who they are for: in a URL, a header, a command, a file.

use std::ops::Range;

use super::encoded::decode;
use super::jumble::is_jumbled;
use super::letters::{
    ahead, base64, before, dotted, hex, is_random, letters_of, line_before, word,
};
use super::values::{is_counted, is_password, is_secret};

/// `://user:password@`; there may be no user.
pub(super) fn url_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let letter = |b: u8| b.is_ascii_graphic() && !b"/@?\"'`<>{}[]".contains(&b);
    let length = letters_of(text, end, 256, letter);
    let (user, password) = text[end..end + length].split_once(':')?;
    // Behind such a sign in a host's place there is the rest of an address.
    if user.contains('#') {
        return None;
    }
    let closed = text[end + length..].starts_with('@');
    (closed && is_url_password(password)).then_some(start..end + length)
}

/// `jdbc:oracle:thin:user/password@`
pub(super) fn oracle(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let letter = |b: u8| b.is_ascii_graphic() && !b"@\"'`<>{}[]".contains(&b);
    let length = letters_of(text, end, 256, letter);
    let (_, password) = text[end..end + length].split_once('/')?;
    let closed = text[end + length..].starts_with('@');
    (closed && is_url_password(password)).then_some(start..end + length)
}

/// Whether this has signs among digits and letters of both forms. With less of that, what is
/// written as `%40` shows that somebody tests how signs are written.
fn is_signed(password: &str) -> bool {
    let has = |is: fn(&u8) -> bool| password.as_bytes().iter().any(is);
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && password.len() >= 10
        && is_random(password, 3.0)
        && is_password(password)
}

/// What is meant by a text with signs such as `%40`; nothing where one of them is none.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let digits = str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Whether this is no word that stands for a password.
fn is_url_password(password: &str) -> bool {
    let has_digit = password.bytes().any(|b| b.is_ascii_digit());
    let escaped = password.contains([':', ',']);
    if password.contains('%') {
        return !escaped && unescaped(password).is_some_and(|meant| is_signed(&meant));
    }
    if password.contains(['$', '(', ')']) {
        return !escaped && is_signed(password) && !is_filled_in(password);
    }
    let numbered = has_digit && is_random(password, 2.0) && !is_counted(password);
    password.len() >= 8 && !escaped && (numbered || is_password(password))
}

/// Whether a variable is filled in, as in `$DB_PASS` and `$dbPass1`, or something is called.
/// What a random password has beside such a sign is no name.
pub(super) fn is_filled_in(password: &str) -> bool {
    let mut names = password.split('$').skip(1);
    let is_name = |text: &str| {
        let name = &text[..letters_of(text, 0, text.len(), word)];
        name.len() >= 3 && !name.starts_with(|c: char| c.is_ascii_digit()) && !is_jumbled(name)
    };
    let called = password.strip_suffix(')').and_then(|p| p.split_once('('));
    let is_call = called.is_some_and(|(name, _)| !is_jumbled(name));
    password.starts_with('$') || is_call || names.any(is_name)
}

/// `Authorization: Bearer …`
pub(super) fn authorization(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest =
        ahead(text, end).trim_start_matches(['"', '\'', '`', '\\', ' ', ':', '=', ',', ']', '>']);
    // `f"Bearer …"`
    let literal = rest.strip_prefix(['f', 'b', 'r', '$']);
    let literal = literal.and_then(|rest| rest.strip_prefix(['"', '\'', '`']));
    let rest = literal.unwrap_or(rest);
    let scheme = rest.split(' ').next()?;
    let schemes = [
        "bearer",
        "basic",
        "token",
        "bot",
        "apikey",
        "api-key",
        "api-token",
        "key",
    ];
    if !schemes
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return alone(text, start, end, rest);
    }
    let value = rest.get(scheme.len() + 1..)?.trim_start_matches(' ');
    let length = letters_of(value, 0, value.len(), |b| base64(b) || dotted(b));
    let shown = &value[..length];
    let is_word = if scheme.eq_ignore_ascii_case("basic") {
        !is_login(shown)
    } else {
        !shown.bytes().any(|b| b.is_ascii_digit())
    };
    // So many hexadecimal digits have fewer bits each than a short text of all letters.
    let least = if length >= 32 { 3.1 } else { 3.5 };
    let found = length >= 16 && !is_word && is_random(shown, least);
    let at = end + ahead(text, end).len() - value.len();
    found.then_some(start..at + length)
}

/// What stands in a header without saying how it is meant.
fn alone(text: &str, start: usize, end: usize, value: &str) -> Option<Range<usize>> {
    let length = letters_of(value, 0, 256, |b| base64(b) || dotted(b));
    let at = end + ahead(text, end).len() - value.len();
    let holds = length >= 20 && is_secret(&value[..length]);
    holds.then_some(start..at + length)
}

/// Whether this is a user and a password in base64, and the password is no word.
fn is_login(encoded: &str) -> bool {
    let decoded = decode(encoded);
    let login = String::from_utf8_lossy(&decoded);
    let Some((_, password)) = login.split_once(':') else {
        return encoded.len() >= 40 && is_secret(encoded);
    };
    let mixed = password
        .bytes()
        .any(|b| b.is_ascii_digit() || b.is_ascii_punctuation());
    password.len() >= 6 && mixed && password.is_ascii() && !is_counted(password)
}

/// `auth=("user", "password")`, `SetBasicAuth("user", "password")`
pub(super) fn pair(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let (user, behind) = literal(rest)?;
    let (password, behind) = literal(behind.trim_start().strip_prefix(',')?)?;
    let is_text = password.contains([' ', '/']);
    let holds = user.len() <= 64 && is_password(password) && !is_text;
    holds.then_some(start..end + rest.len() - behind.len())
}

/// `Credentials("realm", "host", "user", "password")`
pub(super) fn last_of_four(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let mut behind = rest;
    for _ in 0..3 {
        behind = literal(behind)?.1.trim_start().strip_prefix(',')?;
    }
    let (password, behind) = literal(behind)?;
    let holds = behind.trim_start().starts_with(')') && is_password(password);
    holds.then_some(start..end + rest.len() - behind.len())
}

/// The literal with which a text begins, and what is behind it.
fn literal(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (literal, behind) = text[1..].split_once(quote)?;
    (!literal.contains('\n')).then_some((literal, behind))
}

/// `user:password@tcp(host)`, the address of a driver.
pub(super) fn driver_address(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = before(text, start, 256, |b| {
        b.is_ascii_graphic() && !b"/\"'`<>(){}[]$=".contains(&b)
    });
    let login = text.get(start - length..start)?;
    let (_, password) = login.split_once(':')?;
    is_url_password(password).then_some(start - length..end)
}

/// `host:5432:database:user:password`, a line of the file of `PostgreSQL`.
pub(super) fn password_file(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let host = line_before(text, start);
    let line = ahead(text, end).lines().next()?;
    let mut parts = line.splitn(3, ':');
    let (_database, _user, password) = (parts.next()?, parts.next()?, parts.next()?);
    let is_host = !host.is_empty() && host.bytes().all(|b| dotted(b) || b == b'*');
    let holds = is_host && !line.contains([' ', '"', '\'']) && is_password(password.trim_end());
    holds.then_some(start..end + line.len())
}

/// `"auth": "…"` of a container registry, `_auth=…` of a package registry: user and password
/// in base64.
pub(super) fn docker(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let value = rest.trim_start_matches([' ', ':', '=', '"']);
    let length = letters_of(value, 0, 256, base64);
    let shown = &value[..length];
    let holds = length >= 16 && is_login(shown);
    let at = end + rest.len() - value.len();
    holds.then_some(start..at + length)
}

/// `<Pass encoding="base64">…</Pass>`
pub(super) fn encoded_password(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 256, base64);
    let password = String::from_utf8(decode(&text[end..end + length])).ok()?;
    let holds = text[end + length..].starts_with("</") && is_password(&password);
    holds.then_some(start..end + length)
}

/// `"user" "md5…"`, a line of the file of users of a pool of connections.
pub(super) fn hashed_user(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let user = line_before(text, start);
    let is_user = user.starts_with('"') && user.len() <= 64;
    let length = letters_of(text, end, 33, hex);
    let rest = text[end + length..].strip_prefix('"');
    let closed = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['\r', '\n']));
    (is_user && length == 32 && closed).then_some(start..end + length)
}

/// `user:$6$…`, a line of a file of hashed passwords.
pub(super) fn hashed(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let user = before(text, start, 64, |b| dotted(b) || b == b'@');
    let is_line = line_before(text, start).len() == user && user > 0;
    let length = letters_of(text, end, 160, |b| dotted(b) || base64(b) || b == b'$');
    (is_line && length >= 22).then_some(start..end + length)
}

#[cfg(test)]
mod tests {
    use super::super::told_by;
    use super::*;

    #[test]
    fn a_password_in_a_url_may_have_any_sign_that_opens_no_variable() {
        let told = |login: &str| {
            let text = format!("postgres://{login}@db.internal/x");
            url_password(&text, 8, 11).is_some()
        };
        for login in [
            "app:Nu4$QvHZp0q10$Ro",
            "app:Winter2024$",
            "app:x9(Kq2mZ)7vB",
            "app:KVBDFhesNLUd",
            "app:x9Kq&2mZ7vB",
            ":x9Kq2mZ7vB4n",
        ] {
            assert!(told(login), "{login}");
        }
        for login in [
            "app:$DB_PASSWORD_1a",
            "$user:$dbPass1",
            "app:Secret12$dbPassword",
            "app:pre$VALUE",
            "app:getPassword(a1)",
            "user:password",
            "user:CurrentPassword",
        ] {
            assert!(!told(login), "{login}");
        }
    }

    #[test]
    fn a_password_of_a_login_is_told_where_it_stands() {
        const P: &str = "x9Kq2mZ7vB4n";
        let given = format!("Credentials(\"realm\", \"host\", \"me\", \"{P}\")");
        let told = told_by(last_of_four, "Credentials(", &given);
        assert!(told.is_some_and(|told| told.contains(P)));
        let weak = "credentials(\"a\", \"b\", \"c\", \"password\")";
        assert_eq!(told_by(last_of_four, "credentials(", weak), None);

        let address = format!("jdbc:oracle:thin:scott/{P}@//db:1521/x");
        let told = told_by(oracle, "jdbc:oracle:thin:", &address);
        assert!(told.is_some_and(|told| told.contains(P)));

        let told = told_by(url_password, "://", "https://me:x9K#q2mZ7vB@x.org");
        assert!(told.is_some_and(|told| told.contains("x9K#q2mZ7vB")));
        let fragment = "https://x.org/a#b:c1d2e3f4@y";
        assert_eq!(told_by(url_password, "://", fragment), None);
    }

    #[test]
    fn passwords_in_base64_and_hashes_of_users_are_told() {
        let encoded = "<Pass encoding=\"base64\">eDlLcTJtWjd2QjRu</Pass>";
        let told = told_by(encoded_password, "<Pass encoding=\"base64\">", encoded);
        assert!(told.is_some());
        let hash = "0123456789abcdef0123456789abcdef";
        let of_pool = format!("\"app\" \"md5{hash}\"\n");
        assert!(told_by(hashed_user, " \"md5", &of_pool).is_some());
        let other = format!("digest: \"md5{hash}\"\n");
        assert!(told_by(hashed_user, " \"md5", &other).is_none());
    }
}
