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

/// Returns the first line and the last, if there is one, in `(12,5)`, `, line 12`, ` L12` or
/// ` (lines 12-20)`, as compilers, tracebacks and people write it after a path and what closes it.
pub fn in_words(rest: &str) -> Option<(usize, Option<usize>)> {
    if let Some(found) = rest.strip_prefix('(').and_then(in_brackets) {
        return Some(found);
    }
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "\"'`*,:(".contains(c));
    let mut links = ["on ", "at ", "in "].iter();
    let words = links.find_map(|it| rest.strip_prefix(it)).unwrap_or(rest);
    let numbers = |text: &str| {
        let ends = |c: char| !c.is_ascii_digit() && c != '-';
        behind_colon(text.split(ends).next()?.trim_end_matches('-'))
    };
    let mut names = ["line ", "Line ", "lines ", "Lines "].iter();
    let behind = names.find_map(|it| words.strip_prefix(it));
    let anchor = words
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .next();
    behind
        .and_then(numbers)
        .or_else(|| anchor.and_then(in_anchor))
}

/// Returns the first line and the last, if there is one, in `line 12 of ` or `Lines 12-20 in `, as
/// people write it before a path and what opens it.
pub fn before_path(before: &str) -> Option<(usize, Option<usize>)> {
    let before = before.trim_end_matches(|c| "\"'`*([".contains(c));
    let mut links = [" of ", " in "].iter();
    let before = links.find_map(|it| before.strip_suffix(it))?;
    let (words, numbers) = before.rsplit_once(' ')?;
    let mut names = ["line", "Line", "lines", "Lines"].iter();
    let before = names.find_map(|it| words.strip_suffix(it))?;
    let is_word = !before.ends_with(char::is_alphanumeric);
    behind_colon(numbers).filter(|_| is_word)
}

/// Returns the first line and the last, if there is one, in `12)`, `12-20)` or `12,5)`.
fn in_brackets(text: &str) -> Option<(usize, Option<usize>)> {
    let other = |c: char| !c.is_ascii_digit() && !"-, ".contains(c);
    let (inside, _) = text.split_at(text.find(other)?);
    let (lines, column) = inside.split_once(',').unwrap_or((inside, "1"));
    let has_column = column
        .trim_start()
        .starts_with(|c: char| c.is_ascii_digit());
    let is_closed = text[inside.len()..].starts_with(')');
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (first, Some(last.parse().ok()?)),
        None => (lines, None),
    };
    (has_column && is_closed).then_some((first.parse().ok()?, last))
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
