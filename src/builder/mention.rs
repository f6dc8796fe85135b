//! Finds what could be a path in the text of an issue.

use std::ops::RangeInclusive;

use super::place::{decoded, in_address};
use crate::line_numbers::{before_path, behind_colon, in_anchor, in_words};
use crate::split::place_in;

/// The most words that could be paths before the rest of an issue is not read. It is far above
/// the number of those that are looked up, so that a warning can say how many are left out.
const MAX_WORDS: usize = 100_000;

/// The most parts of a word that are looked up if it is not a path itself.
const MAX_PARTS: usize = 16;

/// A word that could be a path, and the parts of it that could be if it is not: other characters
/// may be beside them, and in them.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) whole: Option<Mention>,
    pub(super) parts: Vec<Mention>,
}

/// Something that could be a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) path: String,
    pub(super) lines: Option<RangeInclusive<usize>>,
}

impl Mention {
    /// Returns it with the lines that follow in words, or stand before it, if it has none itself.
    fn or_in(mut self, before: &str, behind: &str) -> Mention {
        let of_quoted = || lines_at(behind.strip_prefix("`:")?);
        let told = || in_words(behind).or_else(|| before_path(before));
        let lines = self.lines.or_else(of_quoted);
        self.lines = lines.or_else(|| told().and_then(range));
        self
    }
}

/// Returns the words of a text that could be paths, in order, each with the lines after it. `url`
/// is where the text itself is.
pub(super) fn mentions(text: &str, url: &str) -> Vec<Word> {
    let project = url.split_once("/issues/").map(|(project, _)| project);
    let mut mentions = Vec::new();
    for line in text.lines() {
        for (at, word) in words(line) {
            if mentions.len() > MAX_WORDS {
                return mentions;
            }
            let quoted = line[..at].ends_with('`') && !word.contains(' ');
            let whole = mention(word, project, quoted);
            let behind = &line[at + word.trim_end_matches(":line").len()..];
            let whole = whole.map(|it| it.or_in(&line[..at], behind));
            let parts = parts(word, whole.as_ref());
            if whole.is_some() || !parts.is_empty() {
                mentions.push(Word { whole, parts });
            }
        }
    }
    mentions
}

/// Whether this character may directly follow a path, and may also be in one: symbols, emoji, and
/// characters without width.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !is_edge(c) && !"./_-:".contains(c)
}

/// Whether this is a letter of a script without blanks between its words, such as Chinese, or one
/// that joins endings to a word, such as Korean.
fn is_unspaced(c: char) -> bool {
    c >= '\u{e00}' && c.is_alphanumeric()
}

/// Returns what could be a path in a word between other characters. An address is a single item.
fn parts(word: &str, whole: Option<&Mention>) -> Vec<Mention> {
    let has_other = word.contains(|c| is_sign(c) || is_unspaced(c));
    if !has_other || word.contains("://") {
        return Vec::new();
    }
    let is_new = |path: &str| whole.is_none_or(|whole| whole.path != path);
    let by_script = word.contains(is_unspaced);
    let by_script = by_script.then(|| word.split(|c| is_sign(c) || is_unspaced(c)));
    let parts = word
        .split(is_sign)
        .chain(by_script.into_iter().flatten())
        .filter_map(|part| mention(part, None, false));
    parts
        .filter(|part| part.path.contains(['/', '.']) && is_new(&part.path))
        .take(MAX_PARTS)
        .collect()
}

/// Returns the words of a line with where they begin, in order; a stretch of the line may be in
/// several.
fn words<'a>(line: &'a str) -> Vec<(usize, &'a str)> {
    let mut words = Vec::new();
    let mut add = |found: &mut dyn Iterator<Item = &'a str>| {
        // A line of signs alone has a word between any two.
        let found = found.filter(|word| !word.is_empty()).take(MAX_WORDS);
        words.extend(found.map(|word| (place_in(line, word), word)));
    };
    // A name with spaces, or without a dot, stands between quotes.
    for quote in ['`', '"', '\''] {
        add(&mut line.split(quote).skip(1).step_by(2).map(str::trim));
    }
    // A link's target may have brackets in it: `[page](app/[id]/page.tsx)`. It ends where
    // the next one begins, or an open one would be read again with each that follows.
    let targets = line.split("](").skip(1);
    add(
        &mut targets.filter_map(|rest| match rest.strip_prefix('<') {
            Some(rest) => rest.split('>').next(),
            None => rest.split([')', ' ']).next(),
        }),
    );
    add(&mut line.split(is_edge));
    let odd = line.split(|c: char| is_edge(c) && !"([{}])*".contains(c));
    add(&mut odd.filter(|word| word.contains(['(', '[', '{', '*']) && word.contains('/')));
    // Stable: of words at one place the quoted one comes first.
    words.sort_by_key(|(at, _)| *at);
    words
}

/// Whether a word ends here, whatever language surrounds it.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || "`\"'()[]<>{}|,;*~…→“”‘’„«»（）「」【】，。、；：".contains(c)
}

/// Returns the path and the lines in a word such as `src/a.rs:12`, `./a.rs#L3-L9`, or the address
/// of a file on a code host.
fn mention(word: &str, project: Option<&str>, quoted: bool) -> Option<Mention> {
    // A dot at the beginning is a part of the name: `.github`.
    let word = word.trim_start_matches([':', '!', '?']);
    let word = word.trim_end_matches(['.', ':', '!', '?', '-']);
    let word = match word.split_once("/blob/") {
        // Behind it stand a branch and the path.
        Some((host, rest)) if host.contains("://") => {
            if !is_same_project(host, project) {
                return None;
            }
            rest.split_once('/')?.1
        }
        _ => unlabelled(in_address(word)),
    };
    let (path, lines) = match word.split_once('#') {
        Some((path, anchor)) => (path, in_anchor(anchor).and_then(range)),
        None => match word.split_once(':') {
            Some((path, rest)) if !path.is_empty() => (path, lines_at(rest)),
            _ => (word, None),
        },
    };
    let path = path.split('?').next().unwrap_or(path);
    let path = path.strip_prefix("./").unwrap_or(path);
    let could_be =
        path.len() <= 4096 && path.contains(char::is_alphanumeric) && !path.contains("://");
    let names_file = quoted || path.contains(['/', '.']) || path.starts_with(char::is_uppercase);
    (could_be && names_file).then(|| Mention {
        path: decoded(path),
        lines,
    })
}

/// Returns a path without the label before it: `file:src/a.rs:3`.
fn unlabelled(word: &str) -> &str {
    let labelled = word.split_once(':').filter(|(label, path)| {
        !label.contains(['/', '.', '#']) && path.contains('/') && !path.starts_with("//")
    });
    labelled.map_or(word, |(_, path)| path)
}

/// Whether an address on a code host belongs to the project of the issue, as far as that is known.
fn is_same_project(address: &str, project: Option<&str>) -> bool {
    project.is_none_or(|project| project.eq_ignore_ascii_case(address.trim_end_matches("/-")))
}

/// Returns the lines at the beginning of what follows a path and a colon: `12`, `12–20`, `L12`,
/// `12行目`.
fn lines_at(text: &str) -> Option<RangeInclusive<usize>> {
    let is_other = |c: char| !c.is_ascii_digit() && !"LC:-–".contains(c);
    let lines = text.split(is_other).next()?.replace('–', "-");
    behind_colon(&lines)
        .or_else(|| in_anchor(&lines))
        .and_then(range)
}

/// Returns the lines of a range as written; one that ends before it begins is its first line.
fn range((first, last): (usize, Option<usize>)) -> Option<RangeInclusive<usize>> {
    (first > 0).then(|| first..=last.unwrap_or(first).max(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let shown = |mention: Mention| match mention.lines {
            Some(lines) => format!("{}@{}-{}", mention.path, lines.start(), lines.end()),
            None => mention.path,
        };
        let url = "https://github.com/o/r/issues/7";
        let words = mentions(text, url).into_iter();
        let all = words.flat_map(|word| word.whole.into_iter().chain(word.parts));
        all.map(shown).collect()
    }

    #[test]
    fn paths_are_found_in_every_dress() {
        for (text, path) in [
            ("see src/a.rs.", "src/a.rs"),
            ("(./src/a.rs)", "src/a.rs"),
            ("`src/a.rs:12`", "src/a.rs@12-12"),
            ("\"src/a.rs:12:5\":", "src/a.rs@12-12"),
            ("src/a.rs:12-20,", "src/a.rs@12-20"),
            ("[the file](src/a.rs#L3-L9)", "src/a.rs@3-9"),
            ("src/a.rs#L12C3-L20C9", "src/a.rs@12-20"),
            ("**src/a.rs**", "src/a.rs"),
            ("~~src/a.rs~~", "src/a.rs"),
            ("src/a.rs…", "src/a.rs"),
            ("src/a.rs->x", "src/a.rs"),
            ("src/a.rs\u{200b} and", "src/a.rs"),
            ("✅src/a.rs·x", "src/a.rs"),
            ("File:src/a.rs:12", "src/a.rs@12-12"),
            ("@src/a.rs:7", "src/a.rs@7-7"),
            ("src/b.rs=>src/a.rs", "src/a.rs"),
            (
                "https://github.com/o/r/blob/main/src/a.rs#L5",
                "src/a.rs@5-5",
            ),
            ("File \"src/a.py\", line 3, in f", "src/a.py@3-3"),
            ("src/a.py(3)", "src/a.py@3-3"),
            ("a.py(3,5): error", "a.py@3-3"),
            ("a.py(x, y)", "a.py"),
            ("`src/a.py` line 3", "src/a.py@3-3"),
            ("src/a.py (lines 3-5)", "src/a.py@3-5"),
            ("no in src/a.php on line 3.", "src/a.php@3-3"),
            ("at f() in /src/a.cs:line 3", "/src/a.cs@3-3"),
            ("src/a.py:L3-L5", "src/a.py@3-5"),
            ("src/a.py:3, line 7", "src/a.py@3-3"),
            ("src/a.py, line by line", "src/a.py"),
            ("src/a.py: Line 3", "src/a.py@3-3"),
            ("Lines 3-5 of `src/a.py`", "src/a.py@3-5"),
            ("at line 3 in src/a.py", "src/a.py@3-3"),
            ("outline 3 of src/a.py", "src/a.py"),
            ("src/a.py L3", "src/a.py@3-3"),
            ("src/a.py (L3-L5).", "src/a.py@3-5"),
            ("src/a.py L2TP", "src/a.py"),
            ("src/a.py in line 3", "src/a.py@3-3"),
            ("src/a.py(3-5)", "src/a.py@3-5"),
            ("src/a.py(3 errors)", "src/a.py"),
            ("src/a.py(3, x)", "src/a.py"),
            ("src/a.py(2024-01-02)", "src/a.py"),
            ("Makefile", "Makefile"),
            ("`docs/my file.md`", "docs/my file.md"),
            ("app/[id]/page.tsx", "app/[id]/page.tsx"),
            ("[p](app/[id]/page.tsx)", "app/[id]/page.tsx"),
            ("[p](docs/my%20file.md)", "docs/my file.md"),
            ("[p](docs/%C3%9Cber.md)", "docs/Über.md"),
            ("app/%5Bid%5D/page.tsx", "app/[id]/page.tsx"),
            ("[p](<src/a b.py>)", "src/a b.py"),
            ("[p](<src/a b.py#L3>)", "src/a b.py@3-3"),
            ("`src/a.py`:500 is", "src/a.py@500-500"),
            ("`src/a.py`:500-510.", "src/a.py@500-510"),
            ("src/a.py:500–510", "src/a.py@500-510"),
            ("`src/a.py`:500–510", "src/a.py@500-510"),
            ("在src/a.py中", "src/a.py"),
            ("src/a.pyを修正", "src/a.py"),
            ("第src/a.py:12行", "src/a.py@12-12"),
            ("src/a.py:12行目", "src/a.py@12-12"),
            ("src/a.py를", "src/a.py"),
            ("文档/说明.md", "文档/说明.md"),
            ("'docs/my file.md'", "docs/my file.md"),
            ("`it's.txt`", "it's.txt"),
            ("`justfile`", "justfile"),
            ("“src/a.rs”", "src/a.rs"),
            ("（src/a.rs）", "src/a.rs"),
            ("src/a.rs，", "src/a.rs"),
            (
                "https://github.com/o/r/blob/main/a.md?plain=1#L5",
                "a.md@5-5",
            ),
            (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ] {
            assert!(
                paths(text).contains(&path.to_owned()),
                "{text}: {:?}",
                paths(text)
            );
        }
    }

    #[test]
    fn the_order_is_that_of_the_text_and_other_projects_are_not_meant() {
        let text = "n1.txt then `docs/my file.md` and n2.txt";
        let found = paths(text);
        let place = |path: &str| found.iter().position(|have| have == path).unwrap();
        assert!(
            place("n1.txt") < place("docs/my file.md")
                && place("docs/my file.md") < place("n2.txt")
        );
        assert!(
            paths("https://github.com/x/y/blob/main/README.md")
                .iter()
                .all(|path| !path.ends_with("README.md"))
        );
    }

    #[test]
    fn a_line_of_signs_alone_costs_no_more_than_its_length() {
        for unit in ["](", "`", "a`", "://a/blob/", "/(*", "1–", ":1–"] {
            let start = std::time::Instant::now();
            let found = paths(&unit.repeat(100_000));
            assert!(found.len() <= MAX_WORDS + 1, "{unit}");
            assert!(start.elapsed().as_secs() < 10, "{unit}");
        }
    }

    #[test]
    fn a_target_ends_where_the_next_one_begins() {
        let found = paths("[a](b/c.rs](e/f.rs)");
        assert!(found.contains(&"b/c.rs".to_owned()) && found.contains(&"e/f.rs".to_owned()));
    }

    #[test]
    fn lines_of_nothing_are_no_lines() {
        assert_eq!(
            paths("a.rs:0 a.rs#L a.rs:x a.rs:9-3"),
            ["a.rs", "a.rs", "a.rs", "a.rs@9-9"]
        );
    }
}
