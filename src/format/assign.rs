//! Assignments with here-documents, one pair for each file.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use crate::hash;
use crate::section::Piece;

/// Writes each file as two assignments: its path, and its text between two delimiter lines that do
/// not occur in it.
pub(super) fn files(pieces: &[Piece]) -> impl Iterator<Item = String> {
    let mut names = TakenNames::default();
    pieces.iter().enumerate().map(move |(number, piece)| {
        let mut lines = Vec::new();
        // A line break stands between two files, and none behind the last.
        if number > 0 {
            lines.push(String::new());
        }
        let path = piece.path.as_deref().unwrap_or_default();
        let content = piece.body.text();
        let name = names.unused(&name(path));
        let token = token(path, content);
        lines.push(format!("@spec_{name} assign \"{}\"", escaped(path)));
        lines.push(format!("@spec_{name}Content assign"));
        lines.push(format!("--begin-{token}--"));
        if !content.is_empty() {
            lines.push(content.to_owned());
        }
        lines.push(format!("--end-{token}--"));
        lines.join("\n")
    })
}

/// Returns a name for a file: its own without the extension, in letters, digits and single
/// underscores, beginning with a letter.
fn name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = match file.rfind('.') {
        Some(at) if at > 0 => &file[..at],
        _ => file,
    };
    let parts = stem.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let name = words.join("_");
    match name.chars().next() {
        None => "file".into(),
        Some(first) if first.is_ascii_alphabetic() => name,
        Some(_) => format!("F_{name}"),
    }
}

/// The names that are taken, and the number with which each was last given.
#[derive(Default)]
struct TakenNames {
    taken: HashSet<String>,
    last: HashMap<String, usize>,
}

impl TakenNames {
    /// Returns the name, followed by `_2`, `_3`, … as long as another file has it. What holds the
    /// text of one file must not be the name of another: `a` and `aContent`.
    fn unused(&mut self, name: &str) -> String {
        let content = |name: &str| format!("{name}Content");
        let last = self.last.entry(name.to_owned()).or_insert(0);
        let candidate = loop {
            *last += 1;
            let candidate = match *last {
                1 => name.to_owned(),
                number => format!("{name}_{number}"),
            };
            if !self.taken.contains(&candidate) && !self.taken.contains(&content(&candidate)) {
                break candidate;
            }
        };
        self.taken.insert(candidate.clone());
        self.taken.insert(content(&candidate));
        candidate
    }
}

/// Returns a path in quotes, on one line.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            letter if crate::show::is_hidden(letter) => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(letter));
            }
            letter => text.push(letter),
        }
    }
    text
}

/// Returns the token of the lines around the text: the same for the same path and text, and not in
/// the text.
fn token(path: &str, content: &str) -> String {
    let base = format!("context-{:012x}", hash::of(&[path, content]) >> 16);
    not_in(content, &base)
}

/// Returns the token, or the token with the first number after it that makes it absent from the
/// text.
fn not_in(content: &str, base: &str) -> String {
    let mut taken = HashSet::new();
    for mark in ["--begin-", "--end-"] {
        let mark = format!("{mark}{base}");
        for (at, _) in content.match_indices(&mark) {
            let rest = &content[at + mark.len()..];
            let digits = rest.strip_prefix('-').unwrap_or_default();
            let digits = &digits[..digits
                .bytes()
                .take(20)
                .take_while(u8::is_ascii_digit)
                .count()];
            let numbered = (!digits.is_empty()).then(|| &rest[1 + digits.len()..]);
            if rest.starts_with("--") {
                taken.insert(0);
            } else if let (Some(rest), Ok(number)) = (numbered, digits.parse::<usize>())
                && rest.starts_with("--")
            {
                taken.insert(number);
            }
        }
    }
    let free = (0..=taken.len()).find(|number| !taken.contains(number));
    match free {
        None | Some(0) => base.to_owned(),
        Some(number) => format!("{base}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(pieces: &[Piece]) -> String {
        files(pieces).collect()
    }
    use crate::section::Body;

    fn file(path: &str, text: &str) -> Piece {
        Piece::file(path, Body::Source(text.into()))
    }

    #[test]
    fn a_file_is_two_assignments() {
        assert_eq!(
            written(&[file("src/my-file.test.ts", "let a;\n")]),
            "@spec_my_file_test assign \"src/my-file.test.ts\"\n\
             @spec_my_file_testContent assign\n\
             --begin-context-TOKEN--\nlet a;\n\n--end-context-TOKEN--"
                .replace("context-TOKEN", &token("src/my-file.test.ts", "let a;\n"))
        );
        assert_eq!(written(&[]), "");
        assert_eq!(written(&[file("a", "")]).lines().count(), 4);
    }

    #[test]
    fn names_are_identifiers() {
        for (path, expected) in [
            ("a/b/main.rs", "main"),
            ("__init__.py", "init"),
            ("2024-notes.md", "F_2024_notes"),
            (".gitignore", "gitignore"),
            ("ünï.rs", "n"),
            ("---", "file"),
            ("größe.tar.gz", "gr_e_tar"),
        ] {
            assert_eq!(name(path), expected, "{path}");
        }
    }

    #[test]
    fn no_two_files_have_a_name_in_common() {
        let mut used = TakenNames::default();
        let names = ["a", "a", "aContent", "a_2", "a"].map(|name| used.unused(name));
        assert_eq!(names, ["a", "a_2", "aContent_2", "a_2_2", "a_3"]);
    }

    #[test]
    fn a_text_that_holds_a_token_gets_another() {
        assert_eq!(not_in("--end-t", "t"), "t");
        assert_eq!(not_in("--end-t-1--\n--begin-t--", "t"), "t-2");
        assert_ne!(token("a", "x"), token("b", "x"));
    }

    /// Reads what [`files`] writes.
    fn parse(text: &str) -> Vec<(String, String)> {
        let mut files = Vec::new();
        let mut rest = text;
        while let Some(from) = rest.find(" assign \"") {
            let head = &rest[from + " assign \"".len()..];
            let (path, after) = head.split_once("\"\n").unwrap();
            let (_, after) = after.split_once("Content assign\n--begin-").unwrap();
            let (token, after) = after.split_once("--\n").unwrap();
            let end = format!("--end-{token}--");
            let (content, after) = match after.strip_prefix(&end) {
                Some(after) => ("", after),
                None => after.split_once(&format!("\n{end}")).unwrap(),
            };
            files.push((unescaped(path), content.to_owned()));
            rest = after;
        }
        files
    }

    fn unescaped(path: &str) -> String {
        let mut text = String::new();
        let mut letters = path.chars();
        while let Some(letter) = letters.next() {
            text.push(match letter {
                '\\' => match letters.next().unwrap() {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let digits: String =
                            letters.by_ref().skip(1).take_while(|c| *c != '}').collect();
                        char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap()
                    }
                    other => other,
                },
                letter => letter,
            });
        }
        text
    }

    proptest! {
        #[test]
        fn the_files_can_be_read_back(
            given in prop::collection::vec(("[a-c./\"\\\\\n\u{202e} ]{1,8}", "(\\PC|\n|--begin-context-|--end-context-|--|@spec_a assign \"x\"\n){0,12}"), 0..5)
        ) {
            let pieces: Vec<Piece> = given.iter().map(|(path, text)| file(path, text)).collect();
            let written = written(&pieces);
            let read = parse(&written);
            prop_assert_eq!(read, given.clone());
            let mut names: Vec<&str> = written.lines().filter(|l| l.starts_with("@spec_")).map(|l| l.split(' ').next().unwrap()).collect();
            let distinct: HashSet<&str> = names.iter().copied().collect();
            // Lines of a text may look like assignments; ours are all different.
            if given.iter().all(|(_, text)| !text.contains("@spec_")) {
                names.sort_unstable();
                prop_assert_eq!(distinct.len(), names.len());
            }
        }

        #[test]
        fn no_text_holds_its_token(text in "(--begin-t|--end-t|-[1-4]|--|x){0,24}") {
            let token = not_in(&text, "t");
            let begin = format!("--begin-{token}--");
            let end = format!("--end-{token}--");
            prop_assert!(!text.contains(&begin) && !text.contains(&end));
        }
    }
}
