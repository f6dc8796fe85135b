//! The lines of an ignore file, read and matched as git does it.
//!
//! What git would list is what may be shown, so git's own rules are followed exactly: braces are
//! letters, a class may be named, the last matching line decides.

use std::collections::HashMap;

use super::wild::{MAX_STATES, Row, Wild};

/// About how many bytes of memory a line takes beside its text.
const OF_LINE: usize = 96;

/// The rules of an ignore file.
#[derive(Debug, Default)]
pub(super) struct IgnoreFile {
    lines: Vec<Line>,
    /// What is named by its last part, and what by its path from the file's folder.
    names: Literal,
    paths: Literal,
    /// `*` and what follows it, by the length of that.
    endings: Vec<(usize, Literal)>,
    wild_names: Wild,
    wild_paths: Wild,
    bytes: usize,
    /// Whether the case of ASCII letters does not matter.
    is_folded: bool,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    /// Whether it says that something is not ignored.
    shows: bool,
    folders_only: bool,
}

/// The number of the last line for each of these texts: of all lines, and of those that also apply
/// to files.
type Literal = HashMap<Box<[u8]>, [Option<u32>; 2]>;

/// There are too many wildcards.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooWild;

impl IgnoreFile {
    /// Reads a file whose patterns match regardless of case.
    pub(super) fn parse_folded(text: &[u8]) -> Result<IgnoreFile, TooWild> {
        let file = IgnoreFile::parse(&text.to_ascii_lowercase())?;
        Ok(IgnoreFile {
            is_folded: true,
            ..file
        })
    }

    /// Reads a file.
    pub(super) fn parse(text: &[u8]) -> Result<IgnoreFile, TooWild> {
        let mut file = IgnoreFile::default();
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        let own = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        for line in own.split(|byte| *byte == b'\n') {
            file.add(line, &mut names, &mut paths);
        }
        let states = names.iter().chain(&paths).map(|(row, _)| row.len());
        if states.sum::<usize>() > MAX_STATES {
            return Err(TooWild);
        }
        file.wild_names = Wild::new(&names);
        file.wild_paths = Wild::new(&paths);
        let lines = text.len() + OF_LINE * file.lines.len();
        file.bytes = lines + file.wild_names.bytes() + file.wild_paths.bytes();
        Ok(file)
    }

    fn add(&mut self, line: &[u8], names: &mut Vec<(Row, u32)>, paths: &mut Vec<(Row, u32)>) {
        let mut pattern = as_git_reads(line);
        if pattern.is_empty() || pattern.starts_with(b"#") {
            return;
        }
        let shows = pattern.starts_with(b"!");
        pattern = &pattern[usize::from(shows)..];
        let folders_only = pattern.ends_with(b"/");
        pattern = &pattern[..pattern.len() - usize::from(folders_only)];
        let Ok(number) = u32::try_from(self.lines.len()) else {
            return;
        };
        self.lines.push(Line {
            shows,
            folders_only,
        });
        let last = |lines: &mut [Option<u32>; 2]| {
            lines[0] = Some(number);
            if !folders_only {
                lines[1] = Some(number);
            }
        };
        let literal = literal(pattern);
        if !pattern.contains(&b'/') {
            if literal == pattern.len() {
                last(self.names.entry(pattern.into()).or_default());
            } else if pattern[0] == b'*' && self::literal(&pattern[1..]) == pattern.len() - 1 {
                let ending = &pattern[1..];
                let known = self
                    .endings
                    .iter()
                    .position(|(len, _)| *len == ending.len());
                let at = known.unwrap_or_else(|| {
                    self.endings.push((ending.len(), Literal::new()));
                    self.endings.len() - 1
                });
                last(self.endings[at].1.entry(ending.into()).or_default());
            } else if let Some(row) = Row::parse(pattern, 0, true) {
                names.push((row, number));
            }
            return;
        }
        let from_here = usize::from(pattern[0] == b'/');
        let (pattern, literal) = (&pattern[from_here..], literal - from_here);
        if literal == pattern.len() {
            last(self.paths.entry(pattern.into()).or_default());
        } else if let Some(row) = Row::parse(pattern, literal, false) {
            paths.push((row, number));
        }
    }

    /// Returns whether its last matching line says that something is ignored; `None` if none
    /// matches. The path is relative to the folder of the file. The cost is added to `steps`.
    pub(super) fn ignores(&self, path: &[u8], is_folder: bool, steps: &mut u64) -> Option<bool> {
        let folded = self.is_folded.then(|| path.to_ascii_lowercase());
        let path = folded.as_deref().unwrap_or(path);
        let counts = |line: u32| is_folder || !self.lines[line as usize].folders_only;
        let of = |lines: Option<&[Option<u32>; 2]>| lines.and_then(|l| l[usize::from(!is_folder)]);
        let start = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
        let name = &path[start..];
        let ends = self.endings.iter().map(|(len, endings)| {
            let start = name.len().checked_sub(*len)?;
            of(endings.get(&name[start..]))
        });
        *steps += self.endings.len() as u64;
        let last = ends
            .chain([of(self.names.get(name)), of(self.paths.get(path))])
            .max()
            .flatten()
            .max(self.wild_names.last(name, steps, counts))
            .max(self.wild_paths.last(path, steps, counts));
        last.map(|line| !self.lines[line as usize].shows)
    }

    /// Returns about how many bytes it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Returns how many bytes of a pattern stand for themselves before its first wildcard.
fn literal(pattern: &[u8]) -> usize {
    let is_wild = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'\\');
    pattern.iter().position(is_wild).unwrap_or(pattern.len())
}

/// Returns a line as git reads it: up to a zero, without a carriage return at its end and without
/// trailing spaces that are not escaped.
fn as_git_reads(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = line.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte != b' ' {
            end = at;
        }
    }
    &line[..end.min(line.len())]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn says(rules: &str, path: &str) -> Option<bool> {
        let file = IgnoreFile::parse(rules.as_bytes()).unwrap();
        let (path, is_folder) = match path.strip_suffix('/') {
            Some(folder) => (folder, true),
            None => (path, false),
        };
        file.ignores(path.as_bytes(), is_folder, &mut 0)
    }

    /// As git does it if the configuration says that names are the same in any case.
    #[test]
    fn where_case_does_not_count_no_letter_of_a_pattern_does() {
        let rules = b"secrets.env\n*.KEY\n/Build/*\n![a-b]ut\n";
        let file = IgnoreFile::parse_folded(rules).unwrap();
        let says = |path: &str| file.ignores(path.as_bytes(), false, &mut 0);
        for path in [
            "Secrets.ENV",
            "a/secrets.env",
            "x.key",
            "build/x",
            "BUILD/X.o",
        ] {
            assert_eq!(says(path), Some(true), "{path}");
        }
        assert_eq!(says("CUT"), None);
        assert_eq!(says("Aut"), Some(false));
        let strict = IgnoreFile::parse(rules).unwrap();
        assert_eq!(strict.ignores(b"Secrets.env", false, &mut 0), None);
    }

    /// What `git check-ignore` says of each.
    #[test]
    fn lines_match_what_git_says_they_match() {
        for (rules, path, is_ignored) in [
            (".env", ".env", true),
            (".env", "a/.env", true),
            ("/.env", "a/.env", false),
            ("a/.env", "b/a/.env", false),
            ("*.key", "a/b.key", true),
            ("*", "a", true),
            ("b/", "b/", true),
            ("b/", "b", false),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("a/**", "a/b/c", true),
            ("a/**", "a/", false),
            ("**/a", "a", true),
            ("**/a", "x/y/a", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/**/b", "a/b", true),
            ("x/a**b", "x/a/b", false),
            ("x/a**b", "x/acb", true),
            // What stands before the first wildcard is compared by itself.
            ("x/a**/b", "x/acd/e/b", true),
            // Braces are letters.
            ("{.env,a}", ".env", false),
            ("{.env,a}", "{.env,a}", true),
            (".[[:lower:]]nv", ".env", true),
            (".[![:upper:]]nv", ".env", true),
            ("[]-a]", "]", true),
            ("[a-]", "-", true),
            ("[\\]x]", "]", true),
            ("a[/]b", "a/b", false),
            ("a?b", "a/b", false),
            ("?", "é", false),
            ("??", "é", true),
            ("[z-a]", "z", true),
            ("[[:none:]]", "a", false),
            ("[a", "a", false),
            ("[a", "[a", false),
            ("a\\", "a", false),
            ("\\#a", "#a", true),
            ("#a", "#a", false),
            ("a ", "a", true),
            ("a\\ ", "a ", true),
            ("a\t", "a", false),
            (".env\r", ".env", true),
            ("a\0b", "a", true),
            ("\u{feff}a", "a", true),
        ] {
            let said = says(rules, path) == Some(true);
            assert_eq!(said, is_ignored, "{rules:?} for {path:?}");
        }
    }

    /// Rules without what only one of the two knows: braces, classes, ends of lines.
    fn ordinary_rule() -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec!["a", "b", "ab", "*", "a*", "?b", "*.b"]);
        let parts = prop::collection::vec(part, 1..4);
        let signs = ["", "!", "/", "!/"];
        let within = ["/", "/**/"];
        let choices = (
            prop::sample::select(signs.to_vec()),
            prop::sample::select(within.to_vec()),
            prop::bool::ANY,
        );
        (parts, choices).prop_map(|(parts, (sign, between, folders))| {
            let end = if folders { "/" } else { "" };
            format!("{sign}{}{end}", parts.join(between))
        })
    }

    proptest! {
        #[test]
        fn ordinary_rules_match_as_for_a_second_implementation(
            rules in prop::collection::vec(ordinary_rule(), 1..6),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab", "cb", "x.b"]), 1..4),
            is_folder: bool,
        ) {
            let mut other = ignore::gitignore::GitignoreBuilder::new("");
            for rule in &rules {
                other.add_line(None, rule).unwrap();
            }
            let path = path.join("/");
            let other = other.build().unwrap();
            let expected = match other.matched(&path, is_folder) {
                ignore::Match::None => None,
                ignore::Match::Ignore(_) => Some(true),
                ignore::Match::Whitelist(_) => Some(false),
            };
            let path = if is_folder { path + "/" } else { path };
            prop_assert_eq!(says(&rules.join("\n"), &path), expected);
        }
    }

    #[test]
    fn the_last_line_that_matches_decides() {
        assert_eq!(says(".env\n!{.env,a}", ".env"), Some(true));
        assert_eq!(says("*\n!a*\na[b]", "ab"), Some(true));
        assert_eq!(says("*\n!a*\na[b]", "ac"), Some(false));
        assert_eq!(says("a\n!a/", "a"), Some(true));
        assert_eq!(says("a\n!a/", "a/"), Some(false));
        assert_eq!(says("*.b\n!a.b\n", "a.b"), Some(false));
        assert_eq!(says("", "a"), None);
    }

    #[test]
    fn too_many_wildcards_are_no_rules() {
        assert_eq!(
            IgnoreFile::parse(&b"*a*\n".repeat(5000)).unwrap_err(),
            TooWild
        );
        assert!(IgnoreFile::parse(&b"*.a\n/b/c\nd\n".repeat(6000)).is_ok());
    }

    /// Patterns that are matched together take the time of their words, whatever the patterns.
    #[test]
    fn time_is_that_of_the_path() {
        let file = IgnoreFile::parse(format!("{}b\n", "*a".repeat(1000)).as_bytes()).unwrap();
        let mut steps = 0;
        assert_eq!(file.ignores(&b"a".repeat(4000), false, &mut steps), None);
        assert!(steps <= 4000 * 33, "{steps}");
    }
}
