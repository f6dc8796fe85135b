//! Many globs, matched in one go.
//!
//! `globset` reads a glob, and writes the expression by which it is matched here. Its own sets
//! are not for globs that anybody may have written: where their automaton gives up, matching
//! takes memory by the square of their number.

use globset::Glob;
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet};

/// The most bytes that globs take together once they are compiled.
const MAX_COMPILED: usize = 10 * 1024 * 1024;

/// The most bytes that are kept of what was found out while matching. Without them matching is
/// slower, and still linear.
const MAX_KEPT: usize = 2 * 1024 * 1024;

/// Globs that are matched in one go.
#[derive(Debug, Clone)]
pub struct Automaton(Regex);

impl Automaton {
    /// Compiles them.
    ///
    /// # Errors
    ///
    /// Says why, if they are too large together.
    pub fn new(globs: &[Glob]) -> Result<Automaton, String> {
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
        built.map(Automaton).map_err(|why| why.to_string())
    }

    /// Whether any of them matches this text.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Which of them match it, by their places.
    pub fn matches(&self, text: &str) -> Vec<usize> {
        let mut found = PatternSet::new(self.0.pattern_len());
        let text = Input::new(text);
        self.0.which_overlapping_matches(&text, &mut found);
        found.iter().map(|glob| glob.as_usize()).collect()
    }
}

#[cfg(test)]
mod tests {
    use globset::{GlobBuilder, GlobSetBuilder};
    use proptest::prelude::*;

    use super::*;

    fn compiled(glob: &str) -> Option<Glob> {
        let mut builder = GlobBuilder::new(glob);
        builder.literal_separator(true).backslash_escape(true);
        builder.build().ok()
    }

    #[test]
    fn globs_that_share_many_letters_take_little_memory() {
        let globs = (0..2000).filter_map(|at| compiled(&format!("src/*f*{at}*f*q")));
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
        /// `globset` is asked in its own way.
        #[test]
        fn what_matches_is_what_its_makers_say(
            globs in proptest::collection::vec("[ab/*?.{},!\\[\\]]{0,8}", 0..6),
            path in "[ab/.]{0,8}",
        ) {
            let globs: Vec<Glob> = globs.iter().filter_map(|glob| compiled(glob)).collect();
            let mut set = GlobSetBuilder::new();
            for glob in &globs {
                set.add(glob.clone());
            }
            let set = set.build().unwrap();
            let automaton = Automaton::new(&globs).unwrap();
            let mut matches = set.matches(&path);
            matches.sort_unstable();
            prop_assert_eq!(automaton.matches(&path), matches);
            prop_assert_eq!(automaton.is_match(&path), set.is_match(&path));
        }
    }
}
