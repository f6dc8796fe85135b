//! Places in files, as programs print them.

use std::borrow::Cow;

/// Where something is wrong.
pub(super) struct Place<'a> {
    pub(super) path: Cow<'a, str>,
    pub(super) line: usize,
    pub(super) column: Option<usize>,
}

impl<'a> Place<'a> {
    /// Makes a line without a known column.
    pub(super) fn new(path: &'a str, line: usize) -> Place<'a> {
        Place::at(path, line, None)
    }

    pub(super) fn at(path: &'a str, line: usize, column: Option<usize>) -> Place<'a> {
        Place {
            path: path.into(),
            line,
            column,
        }
    }
}

/// Returns the path in an address of this machine: of a file, of what webpack has packed, and of
/// what a developer's own server serves. Anything else is returned as it is.
pub(super) fn in_address(text: &str) -> &str {
    const HOSTS: [&str; 4] = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"];
    let path = text.split_once("://").and_then(|(scheme, rest)| {
        let (host, path) = rest.split_once('/')?;
        let is_own = || HOSTS.iter().any(|it| is_host_with_port(host, it));
        match scheme {
            "file" => Some(rest),
            "webpack" | "webpack-internal" => Some(rest.split_once("/./").map_or(path, |it| it.1)),
            "http" | "https" => is_own().then_some(path),
            _ => None,
        }
    });
    path.unwrap_or(text)
}

/// Whether this is a host, with or without a port.
fn is_host_with_port(text: &str, host: &str) -> bool {
    let port = text.strip_prefix(host);
    port.is_some_and(|it| it.is_empty() || it.strip_prefix(':').is_some_and(is_digits))
}

/// `src/a.rs:3:9` and nothing else.
pub(super) fn place_alone(text: &str) -> Option<Place<'_>> {
    let (place, rest) = place(text)?;
    rest.is_empty().then_some(place)
}

/// Returns the place at the beginning of a line, and what follows it.
pub(super) fn place(line: &str) -> Option<(Place<'_>, &str)> {
    let line = without_project(line);
    // Behind the letter of a drive there is a colon, too.
    let drive = matches!(line.as_bytes(), [_, b':', b'/' | b'\\', ..]);
    let from = if drive { 2 } else { 0 };
    let mut marks = line[from..].match_indices([':', '(']);
    let (at, numbers) = marks.find_map(|(at, mark)| {
        let behind = &line[from + at + mark.len()..];
        Some((from + at, numbers(behind, mark == "(")?))
    })?;
    let (line_number, column, rest) = numbers;
    let place = Place::at(&line[..at], line_number, column);
    is_path(&place.path).then_some((place, rest))
}

/// Returns the line, the column if there is one, and what follows them.
fn numbers(text: &str, in_brackets: bool) -> Option<(usize, Option<usize>, &str)> {
    let (line, rest) = number(text)?;
    let between = if in_brackets { ',' } else { ':' };
    let column = rest.strip_prefix(between).and_then(number);
    let rest = column.map_or(rest, |(_, rest)| rest);
    let column = column.map(|(column, _)| column);
    if in_brackets {
        return Some((line, column, rest.strip_prefix(')')?));
    }
    let ends = rest.is_empty() || rest.starts_with(": ") || rest.starts_with(" - ");
    ends.then_some((line, column, rest))
}

/// Returns the number at the beginning of a text, and what follows it.
pub(super) fn number(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..digits].parse().ok()?;
    Some((number, &text[digits..]))
}

/// Whether this may be a path, and not a host with its port or a time.
pub(super) fn is_path(text: &str) -> bool {
    let is_other = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>|*?".contains(c);
    let has_form = text.contains(['.', '/', '\\']) && text.contains(char::is_alphabetic);
    has_form && !text.contains("://") && !text.contains(is_other) && !is_host(text)
}

/// Whether a name without a folder ends like hosts and times do.
fn is_host(text: &str) -> bool {
    let ending = text.rsplit('.').next().unwrap_or_default();
    let is_known = ["com", "org", "net", "io", "dev", "local", "internal"].contains(&ending);
    !text.contains(['/', '\\']) && (is_known || ending.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns a path of Windows as a repository has it. Of one from another machine the end counts, so
/// the letter of a drive is not kept.
pub(super) fn with_slashes(path: &str) -> Cow<'_, str> {
    let path: Cow<'_, str> = if path.contains('\\') {
        path.replace('\\', "/").into()
    } else {
        path.into()
    };
    let behind = path.get(1..).and_then(|it| it.strip_prefix(":/"));
    match behind {
        Some(behind) => format!("/{behind}").into(),
        None => path,
    }
}

/// Returns a line without the number of the project that was built: `1>src/a.c(3): …`.
fn without_project(line: &str) -> &str {
    match line.split_once('>') {
        Some((number, line)) if !number.is_empty() && is_digits(number) => line,
        _ => line,
    }
}

/// Whether there are only digits.
pub(super) fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// Decodes `%20` and the like.
pub(super) fn decoded(uri: &str) -> String {
    let mut parts = uri.split('%');
    let mut written = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let hex = part.get(..2).filter(|hex| !hex.starts_with('+'));
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            written.push(byte);
            written.extend(part[2..].bytes());
        } else {
            written.push(b'%');
            written.extend(part.bytes());
        }
    }
    String::from_utf8_lossy(&written).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_behind_a_sign_stays() {
        assert_eq!(decoded("a%20b%C3%a9"), "a b\u{e9}");
        assert_eq!(decoded("%%41%4%4g%+1%\u{e9}%"), "%A%4%4g%+1%\u{e9}%");
        assert_eq!(decoded("%e9"), "\u{fffd}");
    }
}
