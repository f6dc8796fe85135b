//! The line numbers after a path.

/// Returns the first line and the last, if there is one, in `L12`, `L12-L20` or `L12C3-L20C9`, as
/// addresses of code hosts have it after `#`.
pub fn in_anchor(anchor: &str) -> Option<(usize, Option<usize>)> {
    let number = |part: &str| {
        let part = part.strip_prefix('L').unwrap_or(part);
        part.split('C').next()?.parse::<usize>().ok()
    };
    let mut parts = anchor.strip_prefix('L')?.split('-');
    Some((number(parts.next()?)?, parts.next().and_then(number)))
}

/// Returns the first line and the last, if there is one, in `(12,5)`, `, line 12` or
/// ` (lines 12-20)`, as compilers, tracebacks and people write it after a path and what closes it.
pub fn in_words(rest: &str) -> Option<(usize, Option<usize>)> {
    let ends = |c: char| !c.is_ascii_digit() && c != '-';
    let numbers = |text: &str| behind_colon(text.split(ends).next()?.trim_end_matches('-'));
    if let Some(found) = rest.strip_prefix('(').and_then(numbers) {
        return Some(found);
    }
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "\"'`*,:(".contains(c));
    let words = ["on ", "at "].iter().find_map(|it| rest.strip_prefix(it));
    let words = words.unwrap_or(rest);
    let behind = ["line ", "lines "]
        .iter()
        .find_map(|it| words.strip_prefix(it));
    behind.and_then(numbers)
}

/// Returns the first line and the last, if there is one, in `12`, `12:5` or `12-20`, as compilers
/// and people write it after `:`.
pub fn behind_colon(rest: &str) -> Option<(usize, Option<usize>)> {
    let lines = rest.split(':').next()?;
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (first, last.parse().ok()),
        None => (lines, None),
    };
    Some((first.parse().ok()?, last))
}
