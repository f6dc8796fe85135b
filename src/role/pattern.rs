//! The patterns of `include`, `exclude` and `always_include`.
//!
//! A pattern without `*`, `?`, `[` or `{` is a path from the repository's root; a folder stands for
//! everything below it. A pattern with one of them and without `/` matches file names at any depth.
//! With `/` it is anchored at the root, `*` stays within a folder and `**` crosses folders. A
//! pattern that starts with `$`, and `git diff --cached`, asks for a section instead.

use std::collections::HashSet;

use globset::Glob;

use super::automaton::{Automaton, compiled};
use super::spanned::{FromText, Spanned};
use crate::repo::{Kind, PathError, Repo, RepoPath};
use crate::section::{Key, Source};
use crate::show::grouped;

/// A line of one of a role's lists of patterns.
pub type PatternLine = Spanned<Result<Pattern, PatternError>>;

impl FromText for Result<Pattern, PatternError> {
    fn from_text(text: &str) -> Self {
        Pattern::parse(text)
    }
}

/// What one line of a role's list asks for.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// The section of this key.
    Sentinel(Key),
    /// A file or folder.
    Path(RepoPath),
    /// Every file whose path matches.
    Wild(Wild),
}

/// A pattern with a wildcard.
#[derive(Debug, Clone)]
pub struct Wild {
    text: String,
    /// The path that it is, if a file or folder with exactly this name exists.
    literal: RepoPath,
    /// The glob, which parses, or why it does not. It is compiled where it is used, because a
    /// compiled one takes fifty times the space of its text.
    glob: Result<String, String>,
}

impl Wild {
    /// Returns the pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns why it does not parse as a glob.
    pub fn problem(&self) -> Option<&str> {
        self.glob.as_ref().err().map(String::as_str)
    }

    /// Whether it means the path that has exactly its letters, if there is one.
    fn may_be_literal(&self) -> bool {
        self.glob.is_err() || !self.text.contains(['*', '?'])
    }

    /// Returns the pattern as a glob that is anchored at the root.
    pub fn glob(&self) -> Option<&str> {
        self.glob.as_deref().ok()
    }
}

/// Why a pattern asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It could lead outside the repository.
    #[error("{0}")]
    Rejected(#[from] PathError),
    /// A `$NAME` that stands for no section.
    #[error("there is no such variable")]
    UnknownSentinel,
    /// It is empty.
    #[error("it is empty")]
    Empty,
}

impl Pattern {
    /// Reads one pattern.
    ///
    /// # Errors
    ///
    /// See [`PatternError`]. A glob that does not parse is found only later, by
    /// [`Pattern::resolve`], because a file or folder may have exactly that name.
    pub fn parse(text: &str) -> Result<Pattern, PatternError> {
        if let Some(source) = Source::asked_by(text) {
            return Ok(Pattern::Sentinel(source.key.clone()));
        }
        if text.starts_with('$') && is_variable(&text[1..]) {
            return Err(PatternError::UnknownSentinel);
        }
        if text.trim().is_empty() {
            return Err(PatternError::Empty);
        }
        let path = RepoPath::parse(text)?;
        if !text.contains(WILDCARDS) {
            return Ok(Pattern::Path(path));
        }
        // `./src/*.rs` and `src//*.rs` mean the same as `src/*.rs`; a slash at the
        // end means the folders of that name, and so all below them.
        let mut glob = path.as_str().to_owned();
        if text.ends_with('/') {
            glob.push_str("/**");
        }
        let anchored = glob.contains('/') || text.starts_with("./");
        let glob = if anchored { glob } else { format!("**/{glob}") };
        Ok(Pattern::Wild(Wild {
            text: text.to_owned(),
            literal: path,
            glob: compiled(&glob)
                .map(|_| glob)
                .map_err(|e| e.kind().to_string()),
        }))
    }

    /// Checks whether a pattern with wildcards is the name of an existing file or folder. One with
    /// `*` or `?` matches its own letters and what else it was written for, so nobody can make
    /// `*.pem` mean a single file by creating it.
    ///
    /// # Errors
    ///
    /// The reason why the glob does not parse, if it is neither of these.
    pub fn resolve(&self, repo: &Repo) -> Result<Pattern, String> {
        let is_there = |path: &RepoPath| matches!(repo.kind(path), Kind::File(_) | Kind::Folder(_));
        match self {
            Pattern::Wild(wild) if wild.may_be_literal() && is_there(&wild.literal) => {
                Ok(Pattern::Path(wild.literal.clone()))
            }
            Pattern::Wild(Wild { glob: Err(why), .. }) => Err(why.clone()),
            pattern => Ok(pattern.clone()),
        }
    }
}

/// The characters that make a text a pattern that can match several paths.
pub const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// Splits a glob into the folder before its first wildcard or escape, and the rest.
pub fn at_wildcard(glob: &str) -> (&str, &str) {
    let is_wild = |c: char| c == '\\' || WILDCARDS.contains(&c);
    let wild = glob.find(is_wild).unwrap_or(glob.len());
    glob[..wild]
        .rfind('/')
        .map_or(("", glob), |at| (&glob[..at], &glob[at + 1..]))
}

/// Returns about how many bytes a pattern takes at most once it is compiled.
pub fn weight(pattern: &str) -> usize {
    6000 + 400 * pattern.len() + 2500 * wildcards(pattern)
}

fn wildcards(pattern: &str) -> usize {
    pattern.matches(WILDCARDS).count()
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// The most patterns with wildcards in a list.
const MAX_GLOBS: usize = 2000;

/// The most bytes that they have together…
const MAX_GLOB_TEXT: usize = 32 * 1024;

/// …and the most wildcards, which make them grow when they are compiled.
const MAX_WILDCARDS: usize = 4000;

/// What a list of patterns may still hold.
pub struct Room {
    globs: usize,
    bytes: usize,
    wildcards: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room {
            globs: MAX_GLOBS,
            bytes: MAX_GLOB_TEXT,
            wildcards: MAX_WILDCARDS,
        }
    }
}

impl Room {
    /// Makes room for one more pattern.
    ///
    /// # Errors
    ///
    /// A message that says what there is too much of.
    pub fn take(&mut self, pattern: &str) -> Result<(), String> {
        let all = [
            (&mut self.globs, 1, MAX_GLOBS, "patterns with wildcards"),
            (
                &mut self.bytes,
                pattern.len(),
                MAX_GLOB_TEXT / 1024,
                "KiB of patterns with wildcards",
            ),
            (
                &mut self.wildcards,
                wildcards(pattern),
                MAX_WILDCARDS,
                "wildcards in its patterns",
            ),
        ];
        for (left, taken, most, of_what) in all {
            let rest = left.checked_sub(taken);
            let why = || format!("a list takes at most {} {of_what}", grouped(most));
            *left = rest.ok_or_else(why)?;
        }
        Ok(())
    }
}

/// Several patterns with wildcards, matched in one pass.
#[derive(Debug)]
pub struct Globs {
    automaton: Automaton,
    texts: Vec<String>,
    reach: Vec<Reach>,
}

/// Where the matches of a glob can lie.
#[derive(Debug)]
struct Reach {
    /// The folder before the first wildcard.
    below: Option<RepoPath>,
    /// The number of parts of every match; `None` if `**` leaves it open.
    parts: Option<usize>,
}

impl Globs {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// A message that names the pattern that is too large to compile, or says that there are too
    /// many.
    pub fn new(wilds: impl IntoIterator<Item = Wild>) -> Result<Globs, String> {
        let mut globs = Vec::new();
        let mut texts = Vec::new();
        let mut reach = Vec::new();
        let mut room = Room::default();
        for wild in wilds {
            let glob = wild.glob?;
            room.take(&wild.text)?;
            texts.push(wild.text);
            reach.push(Reach::of(&glob));
            globs.push(compiled(&glob).map_err(|e| e.kind().to_string())?);
        }
        let automaton = Automaton::new(&globs).map_err(|why| {
            let alone = |glob: &&Glob| Automaton::new(std::slice::from_ref(glob)).is_err();
            let culprit = globs.iter().find(alone);
            let what = culprit.map_or("the patterns".into(), |glob| format!("pattern `{glob}`"));
            format!("{what} cannot be compiled: {why}")
        })?;
        Ok(Globs {
            automaton,
            texts,
            reach,
        })
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns the patterns as they were written.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether any pattern matches this path.
    pub fn is_match(&self, path: &str) -> bool {
        self.automaton.is_match(path)
    }

    /// Returns which patterns match this path.
    pub fn matches(&self, path: &str) -> Vec<usize> {
        self.automaton.matches(path)
    }

    /// Whether everything that this pattern could match lies in this folder.
    pub fn lies_below(&self, index: usize, folder: &RepoPath) -> bool {
        let below = self.reach.get(index).and_then(|it| it.below.as_ref());
        below.is_some_and(|below| below.is_below(folder.as_str()))
    }

    /// Whether anything below this folder could match.
    pub fn reaches(&self, folder: &RepoPath) -> bool {
        let depth = folder.as_str().split('/').count();
        self.reach.iter().any(|reach| {
            let below = reach.below.as_ref();
            let on_the_way = below.is_some_and(|below| below.is_below(folder.as_str()));
            let inside = below.is_some_and(|below| folder.is_below(below.as_str()));
            (on_the_way || inside) && reach.parts.is_none_or(|parts| depth < parts)
        })
    }
}

impl Reach {
    fn of(glob: &str) -> Reach {
        // A brace may hold a slash, so its parts are not counted.
        let open = glob.contains("**") || glob.contains(['{', '[', '\\']);
        Reach {
            below: RepoPath::parse(at_wildcard(glob).0).ok(),
            parts: (!open).then(|| glob.split('/').count()),
        }
    }
}

/// What `exclude` says.
#[derive(Debug)]
pub struct Exclusion {
    exact: HashSet<String>,
    wild: Vec<Wild>,
    globs: Globs,
}

impl Exclusion {
    /// Makes an exclusion from resolved patterns. Sentinels exclude nothing.
    ///
    /// # Errors
    ///
    /// The errors of [`Globs::new`].
    pub fn new(patterns: Vec<Pattern>) -> Result<Exclusion, String> {
        let mut exact = HashSet::new();
        let mut wild = Vec::new();
        for pattern in patterns {
            match pattern {
                Pattern::Path(path) => {
                    exact.insert(path.to_string());
                }
                Pattern::Wild(glob) => wild.push(glob),
                Pattern::Sentinel(_) => {}
            }
        }
        Ok(Exclusion {
            exact,
            globs: Globs::new(wild.iter().cloned())?,
            wild,
        })
    }

    /// Returns what is excluded, as globs that are anchored at the root.
    pub fn globs(&self) -> impl Iterator<Item = &str> {
        self.exact
            .iter()
            .map(String::as_str)
            .chain(self.wild.iter().filter_map(Wild::glob))
    }

    /// Whether this path, or a folder that it lies in, is excluded.
    pub fn excludes(&self, path: &RepoPath) -> bool {
        // The root's own path is empty, and excluding it excludes everything.
        let exact = |part: &str| self.exact.contains(part);
        !self.exact.is_empty() && path.ancestors().chain([""]).any(exact)
            || !self.globs.is_empty() && path.ancestors().any(|part| self.globs.is_match(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(patterns: &[&str]) -> Globs {
        Globs::new(patterns.iter().map(|text| match Pattern::parse(text) {
            Ok(Pattern::Wild(wild)) => wild,
            other => panic!("{text}: {other:?}"),
        }))
        .unwrap()
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::parse(text).unwrap()
    }

    #[test]
    fn a_list_matches_what_one_of_its_patterns_does() {
        let globs = globs(&["a?.rs", "src/[ab]*.rs", "{x,y}.rs"]);
        for path in ["ab.rs", "in/ab.rs", "src/back.rs", "x.rs", "src/y.rs"] {
            assert!(globs.is_match(path), "{path}");
        }
        for path in [
            "ab.rsx",
            "ab.r",
            "src/cb.rs",
            "src/a/b.rs",
            "z.rs",
            "x.rs{,}",
        ] {
            assert!(!globs.is_match(path), "{path}");
        }
    }

    #[test]
    fn a_list_is_refused_before_it_takes_much_memory() {
        let take = |pattern: &str, times| {
            let mut room = Room::default();
            (0..times).try_for_each(|_| room.take(pattern))
        };
        assert_eq!(take("*.rs", 2000), Ok(()));
        let refused = |pattern: &str, times| take(pattern, times).unwrap_err();
        assert!(refused("*.rs", 2001).contains("2,000 patterns"));
        assert!(refused(&"?".repeat(100), 41).contains("4,000 wildcards"));
        assert!(refused(&format!("a*{}", "b".repeat(1022)), 33).contains("32 KiB"));
    }

    #[test]
    fn a_glob_without_slash_matches_names_at_any_depth() {
        let globs = globs(&["*.rs"]);
        assert!(globs.is_match("lib.rs") && globs.is_match("src/a/b.rs"));
    }

    #[test]
    fn a_glob_with_slash_is_anchored_and_a_star_stays_in_its_folder() {
        let globs = globs(&["src/*.rs", "docs/**/*.md", "./*.toml"]);
        assert!(globs.is_match("src/lib.rs") && !globs.is_match("src/a/b.rs"));
        assert!(!globs.is_match("x/src/lib.rs"));
        assert!(globs.is_match("docs/a.md") && globs.is_match("docs/x/y/a.md"));
        assert!(globs.is_match("Cargo.toml") && !globs.is_match("x/Cargo.toml"));
    }

    #[test]
    fn folders_that_cannot_hold_a_match_are_not_reached() {
        let globs = globs(&["src/api/*.rs", "docs/**"]);
        let reached = |folder: &str| globs.reaches(&path(folder));
        assert!(reached("src") && reached("src/api") && reached("docs/a/b"));
        assert!(!reached("src/other") && !reached("src/api/deep") && !reached("tests"));
    }

    #[test]
    fn an_excluded_folder_excludes_all_below_it() {
        let patterns = ["target", "*.lock", "**/gen"];
        let patterns = patterns.map(|text| Pattern::parse(text).unwrap());
        let exclusion = Exclusion::new(patterns.to_vec()).unwrap();
        assert!(exclusion.excludes(&path("target/debug/x")));
        assert!(exclusion.excludes(&path("a/Cargo.lock")));
        assert!(exclusion.excludes(&path("a/gen/b.rs")));
        assert!(!exclusion.excludes(&path("targets/x")));
    }

    #[test]
    fn what_could_lead_outside_is_rejected() {
        for text in ["/etc/*", "../x", "a/../../*.rs", "a\0b"] {
            assert!(
                matches!(Pattern::parse(text), Err(PatternError::Rejected(_))),
                "{text}"
            );
        }
        assert_eq!(
            Pattern::parse("$NOPE").unwrap_err(),
            PatternError::UnknownSentinel
        );
        assert!(matches!(Pattern::parse("--config=x"), Ok(Pattern::Path(_))));
    }
}
