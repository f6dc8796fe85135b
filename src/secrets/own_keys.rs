//! Keys with a plain name such as `key`, or named after their service.

use std::ops::Range;

use super::assigned::{OPEN, key};
use super::bare::is_member;
use super::given::MOST;
use super::jumble::is_jumbled;
use super::letters::{alphanumeric, hex, letters_of, linked};
use super::name::Name;
use super::values::{is_mixed, is_secret, names_algorithm, switches};
use crate::split::place_in;

/// Words in names whose value is a hash or a globally unique number, not a secret.
const OF_HASHES: [&str; 4] = ["hash", "component", "unique", "setting"];

/// `GIT_PAT=…`: a personal access token, by a name that other words may continue. Such names are
/// given to patterns as well.
pub(super) fn personal_token(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    const OF_PATTERNS: [char; 6] = ['(', '[', '{', '*', '%', '|'];
    let place = key(text, start, start + "_pat".len())?;
    (!text[place.clone()].contains(OF_PATTERNS)).then_some(place)
}

/// Finds the value of a name that ends in `Key`, or of `key` alone: `mailKey: "…"`, `Key=…` in a
/// log. For `key` alone, letters of both cases and digits must alternate: most are names of entries
/// and hashes of their content.
pub(super) fn plain_key(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    let name = Name::of(text, start, start + "key".len());
    let before = text[..start].bytes().next_back().unwrap_or(b' ');
    let is_part = before.is_ascii_lowercase() && text[start..].starts_with('K');
    let is_alone = name.first == start && !b"?&%".contains(&before);
    if !is_part && !is_alone || name.has_any(OPEN) || name.has_any(&OF_HASHES) {
        return None;
    }
    let rest = text[name.end..].trim_start_matches(['"', '\'', ':', '=', ' ']);
    let length = letters_of(rest, 0, MOST, linked);
    let value = &rest[..length];
    let at = place_in(text, rest);
    let opening = text[..at].bytes().next_back();
    let closing = rest.as_bytes().get(length).copied();
    let is_whole = match opening.filter(|b| b"\"'".contains(b)) {
        Some(quote) => closing == Some(quote),
        None => closing.is_none_or(|b| b.is_ascii_whitespace() || b == b';'),
    };
    let is_made = is_part || is_mixed(value) || takes_turns(value);
    let is_hash = value.split('-').next().is_some_and(names_algorithm);
    let is_made = is_made && !is_hash && !is_member(value);
    (is_whole && length >= 20 && is_made && is_secret(value)).then_some(start..at + length)
}

/// Whether letters of one case and digits alternate as in no name, and are not the digits of a
/// hash.
fn takes_turns(value: &str) -> bool {
    const LEAST: usize = 6;
    let is_plain = value.bytes().all(alphanumeric) && !value.bytes().all(hex);
    is_plain && switches(value) >= LEAST && is_jumbled(value)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn a_name_that_ends_in_key_is_one() {
        let value = "x9Kq2mZ7vB4nT1wY8rL5pD3s";
        let small = value.to_ascii_lowercase();
        for text in [
            format!("mailKey := \"{value}\"\n"),
            format!("const mapsKey = '{small}';"),
            format!("{{\"weatherKey\": \"{value}\"}}"),
            format!("  key: '{value}',\n"),
            format!("[DEBUG] Using Key={small}\n"),
            format!("key=\"{value}\""),
            format!("AZURE_PAT={small}\n"),
            format!("\"ado_pat = \\\"{small}\\\"\""),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            format!("publicKey: \"{value}\"\n"),
            format!("cacheKey = '{value}'"),
            "URL_PAT = r\"(?:[^\\[\\]%:/?#]|%[a-fA-F0-9]{2})*\"\n".to_owned(),
            "HEX_PAT = \"(?:[0-9A-Fa-f]{1,4}:){6}\"\n".to_owned(),
            format!("https://a.test/?a=b&key={small}x\n"),
            format!("key: \"sha512-{value}==\"\n"),
            "componentKey: \"3b1f0c2d4e5f60718293a4b5c6d7e8f90a1b2c3d\"\n".to_owned(),
            "settingsKey = \"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\"\n".to_owned(),
            format!("monkey: \"{value}\"\n"),
            format!("key = \"{value}.{value} {value}\"\n"),
            format!("key: \"{}\"\n", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
            "key = \"reverse_proxy.tls_h1_only_and_more\"\n".to_owned(),
            "translationKey: \"app.settings.title2.long\"\n".to_owned(),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
