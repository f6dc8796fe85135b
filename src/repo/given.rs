//! Reads a diff that a caller brings into files.
//!
//! Nothing of the text is lost: the diffs of the files, one after the other, are the text, unless
//! there are more files than a diff lists. What comes before the first file, such as the commit
//! message in a mail, belongs to it.

use std::ops::Range;

use super::git::{FileDiff, Limited, MAX_DIFF_FILES};

/// Reads a git diff, or a unified diff of another program.
pub(super) fn split(text: &str) -> Limited<FileDiff> {
    let mut files: Vec<Reading<'_>> = Vec::new();
    let mut more = 0;
    let mut end = text.len();
    let mut hunk = Hunk::default();
    let mut start = 0;
    let mut lines = Lines::of(text);
    while let Some((at, line)) = lines.next() {
        if hunk.takes(line) {
            continue;
        }
        if let Some(found) = Hunk::parse(line) {
            hunk = found;
            continue;
        }
        let is_git = line.starts_with("diff --git ");
        let is_plain = line.starts_with("--- ")
            && lines.peek().is_some_and(|next| next.starts_with("+++ "))
            && !files.last().is_some_and(Reading::awaits_names);
        if is_git || is_plain {
            if files.len() == MAX_DIFF_FILES {
                end = end.min(at);
                more += 1;
                continue;
            }
            if let Some(last) = files.last_mut() {
                last.text = &text[start..at];
                start = at;
            }
            files.push(Reading::default());
        }
        if let Some(file) = files.last_mut().filter(|_| more == 0) {
            file.learn(line);
        }
    }
    match files.last_mut() {
        Some(last) => last.text = &text[start..end],
        None if text.trim().is_empty() => {}
        None => files.push(Reading {
            text,
            ..Reading::default()
        }),
    }
    let items = files.into_iter().map(Reading::finish).collect();
    Limited { items, more }
}

/// Returns the lines of a file, from 0, at which its diff changes something; where lines are only
/// removed, the one that follows.
pub(super) fn changed_lines(diff: &str) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut hunk = Hunk::default();
    let mut next = 0;
    for line in diff.lines() {
        if !hunk.takes(line) {
            if let Some(found) = Hunk::parse(line) {
                hunk = found;
                next = new_start(line);
            }
            continue;
        }
        let sign = line.bytes().next();
        if matches!(sign, Some(b'+' | b'-')) {
            // Hunks may come in any order.
            let touches = |last: &&mut Range<usize>| last.start <= next && next <= last.end;
            match lines.last_mut().filter(touches) {
                Some(last) => last.end = next.saturating_add(1),
                None => lines.push(next..next.saturating_add(1)),
            }
        }
        // A header may say any number.
        next = next.saturating_add(usize::from(!matches!(sign, Some(b'-' | b'\\'))));
    }
    lines
}

/// Returns where a hunk begins in the new file, from 0.
fn new_start(header: &str) -> usize {
    let new = header.split_once(" +").map_or("", |(_, rest)| rest);
    let digits = new.split(|sign: char| !sign.is_ascii_digit()).next();
    let start = digits.and_then(|digits| digits.parse::<usize>().ok());
    start.unwrap_or(1).saturating_sub(1)
}

/// The lines of a text with their places, as far as they are needed to look ahead.
struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        Lines { text, at: 0 }
    }

    fn peek(&self) -> Option<&'a str> {
        let line = self.text[self.at..].split_inclusive('\n').next()?;
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some(line.strip_suffix('\r').unwrap_or(line))
    }

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let line = self.peek()?;
        let at = self.at;
        let rest = &self.text[at..];
        self.at = rest.find('\n').map_or(self.text.len(), |end| at + end + 1);
        Some((at, line))
    }
}

/// How many lines of a hunk are still to come: one of them may look like a header.
#[derive(Debug, Default, PartialEq)]
struct Hunk {
    old: usize,
    new: usize,
}

impl Hunk {
    /// Reads `@@ -1,2 +3,4 @@`.
    fn parse(line: &str) -> Option<Hunk> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let lines = |range: &str| match range.split_once(',') {
            Some((_, lines)) => lines.parse().ok(),
            None => range.parse::<usize>().ok().map(|_| 1),
        };
        Some(Hunk {
            old: lines(old)?,
            new: lines(new)?,
        })
    }

    /// Whether this line belongs to it.
    fn takes(&mut self, line: &str) -> bool {
        if self.old == 0 && self.new == 0 {
            return false;
        }
        let (old, new) = match line.bytes().next() {
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            // An empty line that lost its space is a line, too.
            Some(b' ') | None => (1, 1),
            Some(b'\\') => (0, 0),
            // What is no hunk ends it, whatever it promised.
            Some(_) => {
                *self = Hunk::default();
                return false;
            }
        };
        self.old = self.old.saturating_sub(old);
        self.new = self.new.saturating_sub(new);
        true
    }
}

/// A file of a diff, as far as it is read.
#[derive(Default)]
struct Reading<'a> {
    text: &'a str,
    /// Both names, as `diff --git` has them if nothing else does.
    both: Option<&'a str>,
    old: Option<String>,
    new: Option<String>,
    renamed: Option<String>,
    deleted: bool,
}

impl<'a> Reading<'a> {
    /// Whether the names of `---` and `+++` are still to come.
    fn awaits_names(&self) -> bool {
        self.both.is_some() && self.old.is_none()
    }

    fn learn(&mut self, line: &'a str) {
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.both = Some(names);
        } else if let Some(name) = line.strip_prefix("rename to ") {
            self.renamed = Some(unquoted(name));
        } else if line.starts_with("deleted file mode ") {
            self.deleted = true;
        } else if let Some(name) = line.strip_prefix("--- ").filter(|_| self.old.is_none()) {
            self.old = Some(unquoted(name));
        } else if let Some(name) = line.strip_prefix("+++ ").filter(|_| self.new.is_none()) {
            self.new = Some(unquoted(name));
        }
    }

    fn finish(self) -> FileDiff {
        let is_null = |name: &Option<String>| name.as_deref() == Some("/dev/null");
        let deleted = self.deleted || is_null(&self.new);
        let path = if let Some(name) = self.renamed {
            name
        } else if let (Some(old), true) = (&self.old, deleted) {
            without_prefix(old)
        } else if let Some(new) = &self.new {
            without_prefix(new)
        } else {
            self.both.map(of_both).unwrap_or_default()
        };
        FileDiff {
            path,
            text: self.text.to_owned(),
            replaced: false,
            deleted,
            left_out: false,
        }
    }
}

/// Returns the path of `a/path b/path`, if a file has no `---` and no `+++`.
fn of_both(names: &str) -> String {
    if let Some(quoted) = names.strip_prefix('"') {
        let end = quoted.find("\" ").map_or(names.len(), |end| end + 2);
        return without_prefix(&unquoted(&names[..end]));
    }
    // Both are the same but for their first letter, so one of them is half of the line.
    let half = names.len() / 2;
    let half = names.get(..half).unwrap_or(names);
    without_prefix(half)
}

/// Returns a path without the `a/` or `b/` that git puts before it.
fn without_prefix(path: &str) -> String {
    let inside = ["a/", "b/", "./"]
        .iter()
        .find_map(|it| path.strip_prefix(it));
    inside.unwrap_or(path).to_owned()
}

/// Returns a name as it is: git quotes one with special characters, and other programs write a tab
/// and the time after it.
fn unquoted(name: &str) -> String {
    let Some(quoted) = name.strip_prefix('"') else {
        return name.split('\t').next().unwrap_or(name).to_owned();
    };
    let mut bytes = Vec::new();
    let mut signs = quoted.bytes();
    while let Some(sign) = signs.next() {
        match sign {
            b'"' => break,
            b'\\' => bytes.push(escaped(&mut signs)),
            sign => bytes.push(sign),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns what a backslash escapes: a letter, or three octal digits.
fn escaped(signs: &mut std::str::Bytes<'_>) -> u8 {
    match signs.next() {
        Some(b'n') => b'\n',
        Some(b't') => b'\t',
        Some(b'r') => b'\r',
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b'v') => 11,
        Some(b'f') => 12,
        Some(digit @ b'0'..=b'7') => {
            let low = |sign: u8| sign.wrapping_sub(b'0') & 7;
            let mut value = low(digit);
            for _ in 0..2 {
                value = value.wrapping_shl(3) | signs.next().map_or(0, low);
            }
            value
        }
        Some(sign) => sign,
        None => b'\\',
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Vec<(String, bool)> {
        let files = split(text).items.into_iter();
        files.map(|file| (file.path, file.deleted)).collect()
    }

    #[test]
    fn a_hunk_may_begin_at_any_line() {
        let diff = format!("@@ -1,2 +{},2 @@\n+a\n-b\n+c\n d\n", usize::MAX);
        let lines = changed_lines(&diff);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0], usize::MAX - 1..usize::MAX);
    }

    #[test]
    fn each_file_of_a_diff_has_its_part() {
        let text = "From 1: a mail\n\nWhy.\n---\n a | 2 +-\n\ndiff --git a/a.rs b/a.rs\n\
                    index 1..2 100644\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n\
                    diff --git a/old.rs b/new.rs\nsimilarity index 100%\nrename from old.rs\n\
                    rename to new.rs\n\
                    diff --git a/gone.rs b/gone.rs\ndeleted file mode 100644\n--- a/gone.rs\n\
                    +++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    diff --git a/with space.png b/with space.png\nBinary files differ\n";
        let files = split(text).items;
        let found: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(found, ["a.rs", "new.rs", "gone.rs", "with space.png"]);
        assert_eq!(
            files.iter().map(|f| f.deleted).collect::<Vec<_>>(),
            [false, false, true, false]
        );
        assert!(files[0].text.starts_with("From 1") && files[0].text.ends_with("+b\n"));
        assert!(files[1].text.starts_with("diff --git a/old.rs"));
    }

    #[test]
    fn the_lines_that_change_are_told() {
        let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -3,4 +3,4 @@ fn a\n before\n-old\n+new\n+more\n after\n-gone\n\
                    @@ -20,2 +20 @@\n-- gone\n last\n";
        assert_eq!(changed_lines(diff), [3..5, 6..7, 19..20]);
        let backwards = "@@ -46 +46 @@\n-a\n+b\n@@ -2 +2 @@\n-c\n+d\n";
        assert_eq!(changed_lines(backwards), [45..46, 1..2]);
        assert!(changed_lines("no diff\n+ at all\n").is_empty());
    }

    #[test]
    fn a_plain_diff_has_files_too() {
        let text = "--- src/a.c\t2026-01-01 00:00:00\n+++ src/a.c\t2026-01-02 00:00:00\n\
                    @@ -1,2 +1,2 @@\n--- a list\n-b\n+++ a sum\n+c\n\
                    --- ./b.c\n+++ ./b.c\n@@ -0,0 +1 @@\n+d\n";
        assert_eq!(
            names(text),
            [("src/a.c".into(), false), ("b.c".into(), false)]
        );
    }

    #[test]
    fn a_quoted_name_is_read() {
        let text = "diff --git \"a/\\303\\244\\t.rs\" \"b/\\303\\244\\t.rs\"\n--- \"a/\\303\\244\\t.rs\"\n\
                    +++ \"b/\\303\\244\\t.rs\"\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(names(text), [("ä\t.rs".into(), false)]);
        let empty = "diff --git \"a/\\303\\244.rs\" \"b/\\303\\244.rs\"\nnew file mode 100644\n";
        assert_eq!(names(empty), [("ä.rs".into(), false)]);
    }

    #[test]
    fn what_names_no_file_is_one_piece() {
        assert_eq!(names("not a diff\n"), [(String::new(), false)]);
        assert_eq!(names(" \n"), []);
    }

    proptest! {
        #[test]
        fn nothing_of_a_diff_is_lost(
            lines in proptest::collection::vec(
                prop_oneof![
                    Just("diff --git a/x.rs b/x.rs"), Just("--- a/x.rs"), Just("+++ b/x.rs"),
                    Just("@@ -1,2 +1 @@"), Just("@@ -9999999999999999999999 +1 @@"), Just("-gone"),
                    Just("+new"), Just(" as it was"), Just(""), Just("\\ No newline"),
                    Just("--- \"a/\\30"), Just("+++ \"ä\\"), Just("diff --git ä"), Just("Ärger\r"),
                ],
                0..40,
            ),
            ends in any::<bool>(),
        ) {
            let mut text = lines.join("\n");
            if ends {
                text.push('\n');
            }
            let joined: String = split(&text).items.into_iter().map(|file| file.text).collect();
            prop_assert!(joined == text || text.trim().is_empty() && joined.is_empty());
        }
    }
}
