//! The login that a header has, by the name of the header.

use std::ops::Range;

use super::bare::is_given;
use super::commands::user_and_password;
use super::letters::{ahead, base64, dotted, is_random, letters_of};
use super::schemes::{is_login, joined};
use super::values::{is_made, is_mixed, is_password, is_secret};
use crate::split::place_in;

/// `Authorization: Bearer …`
pub(super) fn authorization(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end).trim_start_matches([
        '"', '\'', '`', '\\', ' ', ':', '=', ',', ']', '>', '[', '\n', '-',
    ]);
    // `f"Bearer …"`
    let literal = rest.strip_prefix(['f', 'b', 'r', '$']);
    let literal = literal.and_then(|rest| rest.strip_prefix(['"', '\'', '`']));
    let rest = literal.unwrap_or(rest);
    // `"name": "Authorization", "value": "Bearer …"`
    let pair = rest.trim_start().trim_start_matches('"');
    let pair = pair
        .strip_prefix("value\"")
        .or_else(|| pair.strip_prefix("value:"));
    let rest = pair.map_or(rest, |rest| rest.trim_start_matches(['"', ' ', ':']));
    let scheme = rest.split(' ').next()?;
    if let Some(length) = written_login(rest) {
        let at = end + ahead(text, end).len() - rest.len();
        return Some(start..at + length);
    }
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
        let other = letters_of(scheme, 0, 12, |b| b.is_ascii_alphabetic() || b == b'-');
        let rest = Some(rest).filter(|_| other < scheme.len() || other < 3);
        let rest = rest.or_else(|| behind_scheme(ahead(text, end), scheme))?;
        return alone(text, start, end, rest);
    }
    let value = rest.get(scheme.len() + 1..)?.trim_start_matches(' ');
    let value = joined(value).unwrap_or(value);
    let length = letters_of(value, 0, value.len(), |b| base64(b) || dotted(b));
    let shown = &value[..length];
    let is_word = if scheme.eq_ignore_ascii_case("basic") {
        !is_login(shown)
    } else {
        !shown.bytes().any(|b| b.is_ascii_digit())
    };
    // So many hexadecimal digits have fewer bits each than a short text of all letters.
    let least = if length >= 32 { 3.1 } else { 3.5 };
    // Half of a short one are digits, as of no word with a number.
    let digits = shown.bytes().filter(u8::is_ascii_digit).count();
    let is_long = length >= 16 || length >= 12 && digits * 2 >= length;
    let found = is_long && !is_word && is_random(shown, least);
    let at = end + ahead(text, end).len() - value.len();
    found.then_some(start..at + length)
}

/// `Basic user:password`, `Digest user password`: returns the length of a login that is not encoded,
/// as files of requests have it. The password has to end its line, or its literal.
fn written_login(header: &str) -> Option<usize> {
    let (scheme, login) = header.split_once(' ')?;
    let mut schemes = ["basic", "digest"].iter();
    let is_known = schemes.any(|known| scheme.eq_ignore_ascii_case(known));
    let login = login.trim_start_matches(' ');
    let user = letters_of(login, 0, 64, |b| dotted(b) || b == b'@');
    let password = login.get(user..).filter(|_| is_known && user > 0)?;
    let is_joined = password.starts_with(':');
    let password = password.strip_prefix([':', ' '])?;
    let letter = |b: u8| b.is_ascii_graphic() && !b"\"'`<>".contains(&b);
    let shown = &password[..letters_of(password, 0, 128, letter)];
    let behind = password[shown.len()..].trim_start_matches(' ');
    let ends = behind.is_empty() || behind.starts_with(['\r', '\n', '"', '\'', '`']);
    // In a sentence words follow the name of the scheme.
    let is_told = is_mixed(shown) || is_joined && is_made(shown);
    let holds = ends && is_password(shown) && is_told && is_given(shown);
    holds.then_some(header.len() - password.len() + shown.len())
}

/// `auth: user:password`, `auth = "user:password"`. Without quotes letters and digits of the password
/// have to be mixed.
pub(super) fn set_login(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let place = user_and_password(text, start, end)?;
    let is_quoted = text[end..].starts_with(['"', '\'']);
    let (_, password) = text[end..place.end].split_once(':')?;
    (is_quoted || is_mixed(password)).then_some(place)
}

/// `btoa("user:password")`: what is encoded is often something else.
pub(super) fn encoded_login(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let place = user_and_password(text, start, end)?;
    let (_, password) = text[end..place.end].split_once(':')?;
    is_mixed(password).then_some(place)
}

/// `auth: [user, password]`, `'auth' => ['user', 'password']`: the second of two items or three, if
/// its letters and digits are mixed.
pub(super) fn listed_login(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (items, _) = ahead(text, end).lines().next()?.split_once(']')?;
    let mut items = items
        .split(',')
        .map(|it| it.trim().trim_matches(['"', '\'']));
    let (user, password) = (items.next()?, items.next()?);
    let is_user = (1..=64).contains(&user.len()) && user.bytes().all(|b| dotted(b) || b == b'@');
    let is_login = is_user && items.count() <= 1;
    let holds = is_login && is_password(password) && is_mixed(password) && is_given(password);
    holds.then(|| start..place_in(text, password) + password.len())
}

/// Returns what follows the name of an unknown scheme: `SSWS …`, `GenieKey …`.
fn behind_scheme<'a>(rest: &'a str, scheme: &str) -> Option<&'a str> {
    let (_, value) = rest.split_once(scheme)?;
    value.strip_prefix(' ')
}

/// Returns a header's value that does not name its scheme.
fn alone(text: &str, start: usize, end: usize, value: &str) -> Option<Range<usize>> {
    let length = letters_of(value, 0, 256, |b| base64(b) || dotted(b));
    let at = end + ahead(text, end).len() - value.len();
    let holds = length >= 20 && is_secret(&value[..length]);
    holds.then_some(start..at + length)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn the_second_of_a_list_is_told_as_the_password_of_a_login() {
        for text in [
            "'auth' => ['joe', 'K18Udl2b8kIhRe'],",
            "'auth' => ['joe@x.org', 'K18Udl2b8kIhRe', 'digest'],",
            "auth: [joe, K18Udl2b8kIhRe]\n",
            "\"auth\": [\"joe\", \"K18Udl2b8kIhRe\"]",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "'auth' => ['joe', 'password'],",
            "'auth' => ['joe', $this->getPass2Word()],",
            "auth: [user, Passw0rd2]\n",
            "auth: [joe, K18Udl2b8kIhRe, and, more]\n",
            "'auth' => ['web', 'Admin2FA!'],",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_login_that_is_not_encoded_is_told() {
        for text in [
            "Authorization: Basic joe:K18Udl2b8kIhRe\n",
            "Authorization: Basic joe K18Udl2b8kIhRe\n",
            "Proxy-Authorization: Basic joe:K18Udl2b8kIhRe",
            "Authorization: Digest joe@x.org K18Udl2b8kIhRe\n",
            "{\"Authorization\": \"Basic joe:K18Udl2b8kIhRe\"}",
            "h = \"Basic \" + btoa(\"joe:K18Udl2b8kIhRe\")",
            "b64encode(b\"joe:K18Udl2b8kIhRe\")",
            "b64encode('joe:K18Udl2b8kIhRe'.encode())",
            "auth = \"joe:K18Udl2b8kIhRe\"\n",
            "{\"auth\": \"joe:K18Udl2b8kIhRe\"}",
            "auth: joe:K18Udl2b8kIhRe\n",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "Authorization: Basic user:password\n",
            "Authorization: Basic {{user}}:{{Passw0rd}}\n",
            "Authorization: Basic $USER:$PASSWORD1x\n",
            "Authorization: Basic of Section2Names here\n",
            "Authorization: Digest username=\"Mufasa2\", realm=\"a\"\n",
            "auth: read:someScope2\n",
            "auth = \"https://x.org/oauth2/V2\"\n",
            "btoa(it.a ? it.b : it.C2)",
            "auth: readOnly:Write2All!\n",
            "Authorization: Basic auth Support2Users!\n",
            "// Authorization: Digest with Sha256Hash!\n",
            "Base64.encode64(\"gid://app/User/1\")",
            "Base64.strict_encode64(\"gid://shopify/Order/12aB\")",
            "btoa(\"https://x.io/Path1\")",
            "btoa(\"image:Png2Data;\")",
            "auth: \"https://x.io/Path1\"\n",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
