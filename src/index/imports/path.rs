//! Paths inside the repository, as texts: cut, joined and compared.

use std::borrow::Cow;

use crate::repo::MAX_PATH;
pub(super) use crate::split::{folder, name};

/// Project files are looked for in at most this many folders upwards. Deeper trees are rare.
const MAX_UP: usize = 32;

/// Returns a path below a folder.
pub(super) fn join(folder: &str, path: &str) -> String {
    match (folder, path) {
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// Returns the folder of a file and those above it, the nearest first, the root last.
pub(super) fn upwards(file: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder(file));
    let folders = std::iter::from_fn(move || {
        let here = next?;
        next = (!here.is_empty()).then(|| folder(here));
        Some(here)
    });
    folders.take(MAX_UP)
}

/// Returns a pattern with `middle` for its first `stars` stars; `None` if that is longer than a
/// path.
pub(super) fn filled(pattern: &str, middle: &str, stars: usize) -> Option<String> {
    let count = pattern.matches('*').take(stars).count();
    let length = pattern.len() - count + count * middle.len();
    (length <= MAX_PATH).then(|| pattern.replacen('*', middle, stars))
}

/// Resolves `.` and `..`; `None` if the path climbs out, or is longer than a path can be.
pub(super) fn normal(path: &str) -> Option<String> {
    resolved(path).map(Cow::into_owned)
}

/// Does what [`normal`] does, without copying a path that has neither.
pub(super) fn resolved(path: &str) -> Option<Cow<'_, str>> {
    if path.len() > MAX_PATH {
        return None;
    }
    if is_normal(path) {
        return Some(Cow::Borrowed(path));
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(Cow::Owned(parts.join("/")))
}

/// Whether no part of a path is empty, `.` or `..`, as for most paths.
fn is_normal(path: &str) -> bool {
    let mut before = b'/';
    let mut is_dotted = false;
    for byte in path.bytes().chain([b'/']) {
        match (before, byte) {
            (b'/', b'/') => return path.is_empty(),
            (_, b'/') if is_dotted => return false,
            (b'/', b'.') => is_dotted = true,
            (_, b'.') => {}
            _ => is_dotted = false,
        }
        before = byte;
    }
    true
}

/// Whether the last parts of a path are these.
pub(super) fn ends_with(path: &str, parts: &str) -> bool {
    path.strip_suffix(parts)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Returns how many parts two paths have in common at their beginning.
pub(super) fn common(a: &str, b: &str) -> usize {
    let pairs = a.split('/').zip(b.split('/'));
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cut_and_joined() {
        assert_eq!(upwards("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(normal("a/./b/../c"), Some("a/c".into()));
        assert_eq!(normal("a/../../b"), None);
        for plain in ["", "a", "a/b.c/d", ".a/..b/c.."] {
            assert!(is_normal(plain), "{plain}");
        }
        for other in ["/", "/a", "a/", "a//b", ".", "..", "a/.", "./a", "a/../b"] {
            assert!(!is_normal(other), "{other}");
        }
        assert!(ends_with("a/b/c.h", "b/c.h") && !ends_with("a/bb/c.h", "b/c.h"));
        assert_eq!(common("a/b/c", "a/b/d"), 2);
    }

    #[test]
    fn no_path_is_longer_than_one_can_be() {
        assert_eq!(filled("a/*/b*", "c", 1), Some("a/c/b*".into()));
        assert_eq!(filled("a/*/b*", "c", usize::MAX), Some("a/c/bc".into()));
        assert_eq!(
            filled(&"*".repeat(100_000), &"b".repeat(3000), usize::MAX),
            None
        );
        assert_eq!(filled("*", &"b".repeat(MAX_PATH + 1), 1), None);
        let long = "a/".repeat(MAX_PATH);
        assert_eq!(normal(&long), None);
        assert_eq!(
            normal(&long[..MAX_PATH - 1]).map(|path| path.len()),
            Some(MAX_PATH - 1)
        );
    }
}
