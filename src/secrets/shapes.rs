//! Secrets that have more than one part: keys with a head and a foot, web tokens, passwords
//! in a URL, headers.

use super::letters::{ahead, base64, continues, dashed, dotted, is_random, upper};

/// `-----BEGIN RSA PRIVATE KEY-----`, with a key behind it. A program that looks
/// for such a line holds the line alone.
pub(super) fn private_key(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = ahead(text, end);
    let line = rest.split(['\n', '\r']).next()?;
    let name = &line[..line.find("-----")?];
    let is_name = name.len() <= 40 && name.bytes().all(|b| upper(b) || b == b' ');
    if !is_name || !name.ends_with("PRIVATE KEY") && !name.ends_with("PRIVATE KEY BLOCK") {
        return None;
    }
    let head = name.len() + "-----".len();
    // In a string literal the line break is written `\n`, and in words there is none.
    let rest = &rest[head..];
    let body = rest.trim_start_matches(|c: char| c.is_whitespace() || "\\nr".contains(c));
    let gap = &rest[..rest.len() - body.len()];
    if !gap.contains(['\n', '\r', '\\']) {
        return None;
    }
    // Either the key itself, or a line such as `Proc-Type: 4,ENCRYPTED`.
    let in_key = |b: &u8| base64(*b) || b"-: ,.".contains(b);
    let key = body
        .as_bytes()
        .iter()
        .take(16)
        .filter(|b| in_key(b))
        .count();
    (key == 16).then_some(end - start + head)
}

/// Three parts in base64 with a dot between: the first two begin with `{"`.
pub(super) fn web_token(text: &str, start: usize, _: usize) -> Option<usize> {
    if continues(text, start) || !text[start..].starts_with("eyJ") {
        return None;
    }
    let part = |at: usize| {
        text.as_bytes()[at..]
            .iter()
            .take(2048)
            .take_while(|b| dashed(**b))
            .count()
    };
    let second = start + part(start) + 1;
    if !text.get(second - 1..)?.starts_with(".eyJ") {
        return None;
    }
    let third = second + part(second) + 1;
    if !text.get(third - 1..)?.starts_with('.') {
        return None;
    }
    let signature = part(third);
    (second - start > 12 && signature >= 16).then_some(third + signature - start)
}

/// `://user:password@`
pub(super) fn url_password(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = text.as_bytes()[end..].iter().take(256);
    let length = rest
        .take_while(|b| b.is_ascii_graphic() && !b"/@?#\"'`<>(){}[]$".contains(b))
        .count();
    let (user, password) = text[end..end + length].split_once(':')?;
    let closed = text[end + length..].starts_with('@');
    let is_word = password.bytes().all(|b| b.is_ascii_alphabetic());
    let real = !user.is_empty() && !is_word && password.len() >= 6 && is_random(password, 2.5);
    (closed && real).then_some(end - start + length)
}

/// `Authorization: Bearer …`
pub(super) fn authorization(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = ahead(text, end).trim_start_matches(['"', '\'', ' ', ':', '=', ',']);
    let scheme = rest.split(' ').next()?;
    let schemes = ["bearer", "basic", "token"];
    if !schemes
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let value = rest.get(scheme.len() + 1..)?;
    let length = value
        .bytes()
        .take_while(|b| base64(*b) || dotted(*b))
        .count();
    let found = length >= 16 && is_random(&value[..length], 3.5);
    let before = ahead(text, end).len() - value.len();
    found.then_some(end - start + before + length)
}
