//! Values of a header that stand without its name: `'Bearer …'`, `("Basic", "…")`.

use std::ops::Range;

use super::encoded::decode;
use super::letters::{ahead, base64, dotted, hex, letters_of};
use super::values::{is_counted, is_mixed, is_secret};

/// `'Bearer …'`, alone in a literal or put together of two: the token has to be made as no word is.
pub(super) fn bearer(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    given(text, start, end, |token| {
        let is_number = token.len() >= 32 && token.bytes().all(hex);
        token.len() >= 20 && (is_mixed(token) || is_number) && is_secret(token)
    })
}

/// `'Basic …'`, `("Basic", "…")`: a user and a password in base64.
pub(super) fn basic(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    given(text, start, end, |encoded| {
        encoded.len() >= 16 && encoded.bytes().all(base64) && is_login(encoded)
    })
}

fn given(
    text: &str,
    start: usize,
    end: usize,
    holds: impl Fn(&str) -> bool,
) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let value = joined(rest).unwrap_or(rest);
    let length = letters_of(value, 0, 256, |b| base64(b) || dotted(b));
    let is_closed = value[length..].starts_with(['"', '\'', '`', '\\']);
    let at = end + rest.len() - value.len();
    (is_closed && holds(&value[..length])).then_some(start..at + length)
}

/// What stands in the second of two literals that are put together, or given one behind the
/// other: `" + "…"`, `", "…"`.
pub(super) fn joined(rest: &str) -> Option<&str> {
    let behind = rest
        .trim_start_matches(' ')
        .strip_prefix(['"', '\'', '`'])?;
    let next = behind.trim_start_matches([' ', '+', '.', ',']);
    let is_next = next.len() < behind.len();
    next.strip_prefix(['"', '\'', '`']).filter(|_| is_next)
}

/// Whether this is a user and a password in base64, and the password is no word.
pub(super) fn is_login(encoded: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::samples::{HEX, RANDOM};

    const LOGIN: &str = "c3ZjOlprM3ZROW1YMnBMN3dC";

    #[test]
    fn what_a_header_is_given_is_told_without_its_name() {
        for text in [
            format!("auth = 'Bearer {RANDOM}'"),
            format!("auth = \"Bearer \" + \"{RANDOM}\";"),
            format!("{{\"value\": \"Bearer {HEX}\", \"name\": \"authorization\"}}"),
            format!("auth = 'Basic {LOGIN}'"),
            format!("String auth = \"Basic \" + \"{LOGIN}\";"),
            format!("new AuthenticationHeaderValue(\"Basic\", \"{LOGIN}\")"),
            format!("headers={{'Authorization': 'Token ' + '{HEX}'}}"),
            format!("req.Header.Set(\"Authorization\", \"Bearer \"+\"{RANDOM}\")"),
            format!("- name: Authorization\n  value: Bearer {RANDOM}\n"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            "auth = 'Bearer some-token-of-the-tests-2'",
            "auth = 'Bearer ' + getToken12(FromThePlace3, x)",
            "auth = 'Basic authentication2of3users'",
            "name = \"basic\", \"advanced2OfTheCourse1\"",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
