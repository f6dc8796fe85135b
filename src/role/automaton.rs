//! Matches many globs in one pass.
//!
//! `globset` parses the globs and matches small sets of them, which mostly needs no more than a
//! look at a name or an extension. Larger sets are matched by the regular expressions that
//! `globset` writes: if the automaton of one of its own sets gives up, matching takes memory by the
//! square of their number. So are globs with `?` and `[…]`, which `globset` applies to bytes, while
//! a reader counts characters.

use std::borrow::Cow;
use std::fmt::Write as _;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet};

/// The most bytes that globs take together once they are compiled.
const MAX_COMPILED: usize = 10 * 1024 * 1024;

/// The most bytes that the matcher keeps as a cache. Without them matching is slower, but still
/// linear.
const MAX_KEPT: usize = 2 * 1024 * 1024;

/// This many globs take a mebibyte in a set of `globset` whose automaton gives up.
const FEW: usize = 32;

/// Globs that are matched in one pass.
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
    /// The reason, if they are too large together.
    pub fn new(globs: &[Glob]) -> Result<Automaton, String> {
        let counts = |glob: &Glob| matches!(expression(glob), Cow::Owned(_));
        let way = if globs.len() <= FEW && !globs.iter().any(counts) {
            set_of(globs).map(Way::Few)
        } else {
            Automaton::many(globs).map(Way::Many)
        };
        way.map(Automaton)
    }

    fn many(globs: &[Glob]) -> Result<Regex, String> {
        let expressions: Vec<Cow<'_, str>> = globs.iter().map(expression).collect();
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

    /// Returns the indices of those that match it.
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

/// Parses a glob.
///
/// # Errors
///
/// The reason why it does not parse.
pub fn compiled(glob: &str) -> Result<Glob, globset::Error> {
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(true).backslash_escape(true);
    builder.empty_alternates(true).build()
}

/// Returns the regular expression of a glob in which `?` and `[…]` match one character each. In the
/// original they match one byte, like everything else. For sequences of whole characters, a
/// sequence of any bytes means the same and is much smaller.
fn expression(glob: &Glob) -> Cow<'_, str> {
    let bytes = glob.regex();
    let mut written = String::new();
    let mut rest = bytes;
    while let Some(at) = rest.find(['\\', '[']) {
        let (before, behind) = rest.split_at(at);
        let length = class_at(behind);
        let (token, after) = behind.split_at(length.unwrap_or(ESCAPE));
        written.push_str(before);
        if length.is_none() || (token == "[^/]" && after.starts_with('*')) {
            written.push_str(token);
        } else {
            let _ = write!(written, "(?u:{})", of_characters(token));
        }
        rest = after;
    }
    written.push_str(rest);
    if written == bytes {
        bytes.into()
    } else {
        written.into()
    }
}

/// The length of a character escaped by a backslash, or of the beginning of a byte's number.
const ESCAPE: usize = 2;

/// Returns the length of the character class that begins a part of an expression, if one does.
fn class_at(expression: &str) -> Option<usize> {
    let inside = expression.strip_prefix('[')?;
    let mut is_escaped = false;
    let end = inside.find(|c| {
        let ends = c == ']' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map(|end| end + 2)
}

/// Rewrites a class so that characters stand for the numbers of their bytes.
fn of_characters(class: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = class;
    while let Some((before, escaped)) = rest.split_once('\\') {
        bytes.extend(before.bytes());
        let number = escaped.strip_prefix('x').and_then(|it| it.get(..2));
        let number = number.and_then(|it| u8::from_str_radix(it, 16).ok());
        let taken = if let Some(byte) = number {
            bytes.push(byte);
            "x00".len()
        } else {
            bytes.push(b'\\');
            bytes.extend(escaped.bytes().take(1));
            1
        };
        rest = escaped.get(taken..).unwrap_or_default();
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn set_of(globs: &[Glob]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(match for_a_set(glob.glob()) {
            Cow::Borrowed(_) => glob.clone(),
            Cow::Owned(shared) => compiled(&shared).map_err(|e| e.kind().to_string())?,
        });
    }
    set.build().map_err(|e| e.kind().to_string())
}

/// Rewrites a glob so that it shares its automaton with other globs of a set.
///
/// A set has a separate automaton for each glob that ends in an extension. Stars alone keep it
/// small, but with a `{` after them it grows to megabytes. With an empty alternative after the
/// extension, the glob goes into the automaton of all the others.
fn for_a_set(glob: &str) -> Cow<'_, str> {
    let extension = glob.rsplit_once('.').map(|(_, extension)| extension);
    let is_plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if extension.is_some_and(is_plain) && glob.contains('{') {
        format!("{glob}{{}}").into()
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
            "{a,b}*.rs",
            "src/{,*}.rs",
            "{x,y}.rs",
            "*.rs",
            "{a,b}",
            "{.}rs",
            "{a}.*",
        ];
        let ends = written.map(|glob| for_a_set(glob).ends_with("{}"));
        assert_eq!(ends, [true, true, true, false, false, false, false]);
    }

    fn takes(glob: &str, path: &str) -> bool {
        let glob = [compiled(glob).unwrap()];
        let alone = Automaton::new(&glob).unwrap().is_match(path);
        let many = Automaton(Way::Many(Automaton::many(&glob).unwrap()));
        assert_eq!(many.is_match(path), alone, "{glob:?} {path}");
        alone
    }

    #[test]
    fn a_question_mark_and_a_class_are_one_character() {
        let taken = [
            ("?.py", "é.py"),
            ("src/?/*", "src/日/a"),
            ("[é].py", "é.py"),
            ("[a-é].py", "ä.py"),
            ("[!a].py", "é.py"),
            ("[^a-z]?", "🦀é"),
            ("*[é]*", "né.py"),
            (r"\?[\]é]\[", r"?\é]["),
            ("[]é-]", "-"),
            (r"[\xé]", "é"),
            (r"é\x{a,é?}", "éxéö"),
        ];
        for (glob, path) in taken {
            assert!(takes(glob, path), "{glob} {path}");
        }
        let passed = [
            ("??.py", "é.py"),
            ("[é].py", "è.py"),
            ("[!é].py", "é.py"),
            ("*[é]*", "ü.md"),
            ("?", "/"),
            (r"[\xc3]*", "é"),
        ];
        for (glob, path) in passed {
            assert!(!takes(glob, path), "{glob} {path}");
        }
    }

    #[test]
    fn a_choice_may_be_empty_wherever_it_stands() {
        let taken = [
            ("secret{,s}/**", "secret/k.py"),
            ("secret{s,}/**", "secrets/k.py"),
            ("*.test{,s}.py", "x.test.py"),
            ("src{,/deep}/a.py", "src/a.py"),
            ("src{,/deep}/a.py", "src/deep/a.py"),
            ("{,x}a", "a"),
            ("{,?}a.py", "a.py"),
            ("a{}b.py", "ab.py"),
        ];
        for (glob, path) in taken {
            assert!(takes(glob, path), "{glob} {path}");
        }
        assert!(!takes("secret{,s}/**", "secret.md"));
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
            path in "[ab/.]{0,8}".prop_filter("no path of a repository goes up", |path| {
                path.split('/').all(|part| part != "..")
            }),
        ) {
            let globs: Vec<Glob> = globs.iter().filter_map(|glob| compiled(glob).ok()).collect();
            let few = Automaton(Way::Few(set_of(&globs).unwrap()));
            let many = Automaton(Way::Many(Automaton::many(&globs).unwrap()));
            prop_assert_eq!(few.matches(&path), many.matches(&path));
            prop_assert_eq!(few.is_match(&path), many.is_match(&path));
        }

        /// A letter of two bytes is matched as one of one byte is.
        #[test]
        fn no_letter_counts_for_more_than_another(
            globs in proptest::collection::vec("[ab/*?.{},!\\[\\]-]{0,8}", 0..6),
            path in "[ab/.]{0,8}",
        ) {
            let longer = |text: &str| text.replace('b', "é");
            let both = globs.iter().filter_map(|glob| {
                Some((compiled(glob).ok()?, compiled(&longer(glob)).ok()?))
            });
            let (globs, long): (Vec<Glob>, Vec<Glob>) = both.unzip();
            let (short, long) = (Automaton::new(&globs).unwrap(), Automaton::new(&long).unwrap());
            prop_assert_eq!(short.matches(&path), long.matches(&longer(&path)));
        }
    }
}
