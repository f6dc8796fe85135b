//! Which folders are packages of a workspace: patterns such as `packages/*`, `crates/**` and
//! `!packages/old`.

/// The most patterns of a workspace. Where packages are listed one by one, there are some hundred.
const MAX_PATTERNS: usize = 1000;

/// Patterns that people write have no more parts.
const MAX_PARTS: usize = 16;

/// The patterns of a workspace's packages.
#[derive(Default)]
pub(super) struct Workspace {
    patterns: Vec<Pattern>,
}

struct Pattern {
    parts: Vec<String>,
    /// With `!` before it, it excludes a folder.
    is_without: bool,
}

impl Workspace {
    /// Makes a workspace with the first of these patterns.
    pub(super) fn of<'t>(patterns: impl IntoIterator<Item = &'t str>) -> Workspace {
        let patterns = patterns.into_iter().take(MAX_PATTERNS).map(Pattern::read);
        Workspace {
            patterns: patterns.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns about how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        let patterns = self.patterns.iter();
        let parts = patterns.flat_map(|pattern| &pattern.parts);
        let parts: usize = parts.map(|part| size_of::<String>() + part.len()).sum();
        parts + self.patterns.len() * size_of::<Pattern>()
    }

    /// Returns how many parts must be compared with a path, at least.
    pub(super) fn cost(&self) -> usize {
        let parts = self.patterns.iter().map(|pattern| pattern.parts.len());
        parts.sum::<usize>() + self.patterns.len()
    }

    /// Whether the patterns include a folder, given relative to that of the workspace.
    pub(super) fn has(&self, folder: &str) -> bool {
        let parts: Vec<&str> = parts(folder).collect();
        let fits = |without: bool| {
            let mut patterns = self.patterns.iter();
            patterns.any(|pattern| pattern.is_without == without && pattern.fits(&parts))
        };
        fits(false) && !fits(true)
    }
}

impl Pattern {
    fn read(text: &str) -> Pattern {
        let (is_without, text) = match text.strip_prefix('!') {
            Some(text) => (true, text),
            None => (false, text),
        };
        Pattern {
            parts: parts(text).map(str::to_owned).collect(),
            is_without,
        }
    }

    /// Whether it matches a path of these parts. A `*` stands for text within one part.
    fn fits(&self, path: &[&str]) -> bool {
        // For each end of the path, whether the pattern so far fits what is before it.
        let mut fits = [false; MAX_PARTS + 1];
        fits[0] = true;
        for part in &self.parts {
            let mut next = [false; MAX_PARTS + 1];
            for at in 0..=path.len() {
                if part == "**" {
                    next[at] = fits[at] || (at > 0 && next[at - 1]);
                } else if at > 0 {
                    next[at] = fits[at - 1] && fits_part(part, path[at - 1]);
                }
            }
            fits = next;
        }
        fits[path.len()]
    }
}

/// Returns the first parts of a path or a pattern.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    parts.take(MAX_PARTS)
}

fn fits_part(pattern: &str, part: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern == part;
    };
    // Of several stars the first and the last count.
    let after = after.rsplit('*').next().unwrap_or(after);
    part.len() >= before.len() + after.len() && part.starts_with(before) && part.ends_with(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_by_patterns() {
        let is_member = |pattern: &str, path: &str| Workspace::of([pattern]).has(path);
        assert!(is_member("packages/*", "packages/a"));
        assert!(is_member("./packages/a-*/", "packages/a-b"));
        assert!(is_member("apps/**", "apps/a/b"));
        assert!(!is_member("packages/*", "packages/a/b"));
        assert!(!is_member("packages/*", "apps/a"));
        let with_some = Workspace::of(["a/*", "!a/b"]);
        assert!(with_some.has("a/c") && !with_some.has("a/b"));
    }

    #[test]
    fn so_many_patterns_count() {
        let workspace = Workspace::of(vec!["a"; 32_000]);
        assert_eq!(workspace.cost(), 2 * MAX_PATTERNS);
        let deep = "*/".repeat(60_000);
        assert_eq!(Workspace::of([deep.as_str()]).cost(), MAX_PARTS + 1);
    }
}
