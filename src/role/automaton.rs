//! Many globs, matched in one go.
//!
//! `globset` reads globs, and matches a few of them: most have a way that looks at no more than
//! a name or an ending. Many are matched by the expressions that it writes: where the automaton
//! of one of its own sets gives up, matching takes memory by the square of their number.

use std::borrow::Cow;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet};

/// The most bytes that globs take together once they are compiled.
const MAX_COMPILED: usize = 10 * 1024 * 1024;

/// The most bytes that are kept of what was found out while matching. Without them matching is
/// slower, and still linear.
const MAX_KEPT: usize = 2 * 1024 * 1024;

/// This many globs take a mebibyte in a set of `globset` whose automaton gives up.
const FEW: usize = 32;

/// Globs that are matched in one go.
#[derive(Debug, Clone)]
pub struct Automaton(Way);

#[derive(Debug, Clone)]
enum Way {
    Few(GlobSet),
    Many(Regex),
}

impl Automaton {
    /// Compiles them.
    ///
    /// # Errors
    ///
    /// Says why, if they are too large together.
    pub fn new(globs: &[Glob]) -> Result<Automaton, String> {
        let way = if globs.len() <= FEW {
            set_of(globs).map(Way::Few)
        } else {
            Automaton::many(globs).map(Way::Many)
        };
        way.map(Automaton)
    }

    fn many(globs: &[Glob]) -> Result<Regex, String> {
        let expressions: Vec<&str> = globs.iter().map(Glob::regex).collect();
        let config = Regex::config()
            .match_kind(MatchKind::All)
            .utf8_empty(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MAX_COMPILED))
            .hybrid_cache_capacity(MAX_KEPT);
        let syntax = syntax::Config::new().utf8(false).dot_matches_new_line(true);
        let built = Regex::builder()
            .syntax(syntax)
            .configure(config)
            .build_many(&expressions);
        built.map_err(|why| why.to_string())
    }

    /// Whether any of them matches this text.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.0 {
            Way::Few(set) => set.is_match(text),
            Way::Many(regex) => regex.is_match(text),
        }
    }

    /// Which of them match it, by their places.
    pub fn matches(&self, text: &str) -> Vec<usize> {
        match &self.0 {
            Way::Few(set) => set.matches(text),
            Way::Many(regex) => {
                let mut found = PatternSet::new(regex.pattern_len());
                regex.which_overlapping_matches(&Input::new(text), &mut found);
                found.iter().map(|glob| glob.as_usize()).collect()
            }
        }
    }
}

/// Reads a glob.
///
/// # Errors
///
/// Says why it does not parse.
pub fn compiled(glob: &str) -> Result<Glob, String> {
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(true).backslash_escape(true);
    builder.build().map_err(|e| e.kind().to_string())
}

fn set_of(globs: &[Glob]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(match for_a_set(glob.glob()) {
            Cow::Borrowed(_) => glob.clone(),
            Cow::Owned(shared) => compiled(&shared)?,
        });
    }
    set.build().map_err(|e| e.kind().to_string())
}

/// The same glob, written so that what it takes to match is shared with others of a set.
///
/// A set has an automaton of its own for each glob that ends in an extension. Stars alone
/// make that a small one; with `?`, `[` or `{` behind them it grows to megabytes. With an
/// empty choice behind the extension the glob goes into the automaton of all others.
fn for_a_set(glob: &str) -> Cow<'_, str> {
    let extension = glob.rsplit_once('.').map(|(_, extension)| extension);
    let is_plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if extension.is_some_and(is_plain) && glob.contains(['?', '[', '{']) {
        format!("{glob}{{,}}").into()
    } else {
        glob.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_matching_takes_is_shared() {
        let written = [
            "a?.rs",
            "src/[ab]*.rs",
            "{x,y}.rs",
            "*.rs",
            "a?",
            "[.]rs",
            "a?.*",
        ];
        let ends = written.map(|glob| for_a_set(glob).ends_with("{,}"));
        assert_eq!(ends, [true, true, true, false, false, false, false]);
    }

    #[test]
    fn many_globs_that_have_much_in_common_are_matched() {
        let globs = (0..2000).map(|at| compiled(&format!("src/*f*{at}*f*q")).unwrap());
        let automaton = Automaton::new(&globs.collect::<Vec<_>>()).unwrap();
        for at in 0..20 {
            let path = format!("src/{}", "f1c0a9f2".repeat(20 + at));
            assert!(!automaton.is_match(&path));
            assert!(automaton.matches(&path).is_empty());
        }
        assert_eq!(
            automaton.matches("src/f1999fq"),
            [1, 9, 19, 99, 199, 999, 1999]
        );
    }

    proptest! {
        /// Few are matched in another way than many.
        #[test]
        fn what_matches_does_not_depend_on_how_many_there_are(
            globs in proptest::collection::vec("[ab/*?.{},!\\[\\]]{0,8}", 0..6),
            path in "[ab/.]{0,8}",
        ) {
            let globs: Vec<Glob> = globs.iter().filter_map(|glob| compiled(glob).ok()).collect();
            let few = Automaton::new(&globs).unwrap();
            let many = Automaton(Way::Many(Automaton::many(&globs).unwrap()));
            prop_assert_eq!(few.matches(&path), many.matches(&path));
            prop_assert_eq!(few.is_match(&path), many.is_match(&path));
        }
    }
}
