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
