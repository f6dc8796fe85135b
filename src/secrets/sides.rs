//! What the signs before lines hide: the two sides of a diff, and what is a comment, a quotation or
//! the output of a program in a log. Without the signs each is the text that it was.

use std::cell::LazyCell;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};

use super::Secret;
use super::around::BLANKS;
use super::files::is_known;
use super::letters::dotted;
use crate::split::{beginning, place_in};

/// Lines of a text, or parts of them, without what stands around them.
pub(super) struct Side {
    pub(super) text: String,
    parts: Vec<Part>,
    /// The line of the whole text, from 1, from which its lines are counted.
    first: usize,
}

/// Where a part of a side begins: in it, in the whole text, and how many lines below the first one.
struct Part {
    at: usize,
    from: usize,
    /// How many bytes of the whole text it has.
    length: usize,
    line: usize,
}

impl Part {
    /// Returns the place in the whole text of a place behind the beginning of this part.
    fn place(&self, at: usize) -> usize {
        self.from + (at - self.at).min(self.length)
    }
}

impl Side {
    /// Returns an empty one whose lines are counted from this one.
    pub(super) fn from(first: usize) -> Side {
        Side {
            text: String::new(),
            parts: Vec::new(),
            first,
        }
    }

    /// Adds a line behind as many bytes of a sign. Of a long line only the end is added: what is in
    /// it was found there.
    fn push(&mut self, line: &Line<'_>, sign: usize) {
        if line.text.len() <= MOST_OF_LINE {
            self.add(line, &line.text[sign..]);
        } else if line.text.ends_with('\n') {
            self.add(line, &line.text[line.text.len() - 1..]);
        }
    }

    /// Adds a part of a line.
    pub(super) fn add(&mut self, line: &Line<'_>, part: &str) {
        self.add_as(line, part, part.len());
        self.text.push_str(part);
    }

    /// Adds a text in place of a part of a line.
    pub(super) fn add_instead(&mut self, line: &Line<'_>, part: &str, text: &str) {
        self.add_as(line, part, 0);
        self.text.push_str(text);
    }

    fn add_as(&mut self, line: &Line<'_>, part: &str, length: usize) {
        self.parts.push(Part {
            at: self.text.len(),
            from: line.from + place_in(line.text, part),
            length,
            line: line.number,
        });
    }

    /// Returns a secret of this side as one of the whole text.
    pub(super) fn in_whole(&self, secret: &Secret) -> Secret {
        let part = |at: usize| {
            let behind = self.parts.partition_point(|part| part.at <= at);
            &self.parts[behind - 1]
        };
        let start = part(secret.place.start);
        // What is behind it may be in another part.
        let end = part(secret.place.end.saturating_sub(1).max(secret.place.start));
        // Of a private key the last line is not that of its place.
        let last = &self.parts[secret.last.min(self.parts.len()) - 1];
        Secret {
            line: self.first + start.line,
            last: self.first + end.line.max(last.line),
            kind: secret.kind,
            place: start.place(secret.place.start)..end.place(secret.place.end),
        }
    }
}

/// A line with its end, where it begins, and how many lines of its run are above it.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) from: usize,
    number: usize,
}

impl Line<'_> {
    /// Returns where the next line begins.
    pub(super) fn end(&self) -> usize {
        self.from + self.text.len()
    }
}

/// Counts the lines of a text up to places that increase.
pub(super) struct Counter<'a> {
    text: &'a str,
    from: usize,
    number: usize,
}

impl Counter<'_> {
    pub(super) fn of(text: &str) -> Counter<'_> {
        Counter {
            text,
            from: 0,
            number: 1,
        }
    }

    /// Returns the number, from 1, of the line at a place.
    pub(super) fn line_at(&mut self, at: usize) -> usize {
        let before = &self.text.as_bytes()[self.from..at];
        self.number += memchr_iter(b'\n', before).count();
        self.from = at;
        self.number
    }
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    let ends = ends.chain((!text.ends_with('\n')).then_some(text.len()));
    ends.zip(0..).scan(0, |next, (end, number)| {
        let from = std::mem::replace(next, end);
        let text = &text[from..end];
        Some(Line { text, from, number })
    })
}

/// A longer line holds no value of a name on another one.
const MOST_OF_LINE: usize = 4096;

/// The most lines that are looked at together: they take more room than their text.
const MOST_LINES: usize = 4096;

/// What begins a hunk of a diff.
const HUNK: &str = "@@ ";

/// Passes on what each hunk of a diff was before it, and what it is after it, with the path of its
/// file, as far as a secret may begin there or the file is known by its name. `starts` are the places
/// in the text where a secret may begin, one for each line.
pub(super) fn of_changes(text: &str, starts: &[usize], mut take: impl FnMut(Side, &str)) {
    let is_of_hunk = |line: &str| line.starts_with([' ', '+', '-', '\\', '\r', '\n']);
    let hunks = memmem::find_iter(text.as_bytes(), b"\n@@ ").map(|at| at + 1);
    let first = text.starts_with(HUNK).then_some(0);
    let mut counter = Counter::of(text);
    let mut paths = ["", ""];
    let (mut last, mut next) = (0, 0);
    for hunk in first.into_iter().chain(hunks) {
        // Several hunks of one file follow each other.
        if let Some(above) = paths_above(&text[last..hunk]) {
            paths = above;
        } else if hunk != next {
            paths = ["", ""];
        }
        last = hunk;
        next = line_at(text, hunk, hunk).end();
        loop {
            let line = line_at(text, next, next);
            if !is_of_hunk(line.text) {
                break;
            }
            let lines = run_around(text, &line, next, is_of_hunk);
            next = lines.last().map_or(line.end(), Line::end);
            if has_any(starts, line.from..next) || paths.into_iter().any(is_known) {
                let first = counter.line_at(line.from);
                take(side_of(&lines, first, b" -\r\n"), paths[0]);
                take(side_of(&lines, first, b" +\r\n"), paths[1]);
            }
        }
    }
}

/// Returns the paths before and after a change if they stand at the end of a text, above its first
/// hunk: `--- a/x` and `+++ b/x`.
fn paths_above(head: &str) -> Option<[&str; 2]> {
    let head = head.strip_suffix('\n')?;
    let mut lines = head.rsplit('\n');
    let mut path = |sign| {
        let path = lines.next()?.strip_prefix(sign)?.split('\t').next()?;
        Some(path.trim_matches(['"', '\r']))
    };
    let after = path("+++ ")?;
    Some([path("--- ")?, after])
}

/// Returns those lines of a hunk that have one of these signs.
fn side_of(lines: &[Line<'_>], first: usize, signs: &[u8]) -> Side {
    let mut side = Side::from(first);
    for line in lines {
        let sign = line.text.as_bytes()[0];
        if signs.contains(&sign) {
            side.push(line, usize::from(b" +-".contains(&sign)));
        }
    }
    side
}

/// Whether any of these places, which are in order, lies there.
fn has_any(starts: &[usize], there: Range<usize>) -> bool {
    let next = starts.partition_point(|start| *start < there.start);
    starts.get(next).is_some_and(|start| *start < there.end)
}

/// Passes on what stands behind one sign on several lines, where a secret may begin on one of them.
pub(super) fn behind_signs(text: &str, starts: &[usize], mut take: impl FnMut(Side)) {
    let is_log = LazyCell::new(|| memmem::find(text.as_bytes(), b"| ").is_some());
    // What is before it has been looked at.
    let mut next = 0;
    let mut counter = Counter::of(text);
    for start in starts {
        if *start < next {
            continue;
        }
        let line = line_at(text, *start, next);
        let Some(sign) = sign_of(line.text, || *is_log) else {
            next = line.end();
            continue;
        };
        let goes_on = |line: &str| line.starts_with(sign) || line.trim_end() == sign.trim_end();
        let run = run_around(text, &line, next, goes_on);
        next = run.last().map_or(next, Line::end);
        if run.len() > 1 {
            let mut side = Side::from(counter.line_at(run[0].from));
            for line in &run {
                side.push(line, sign.len().min(line.text.trim_end().len()));
            }
            take(side);
        }
    }
}

/// Returns the line at a place of a text, given where this line or an earlier one begins.
pub(super) fn line_at(text: &str, at: usize, known: usize) -> Line<'_> {
    let before = memrchr(b'\n', &text.as_bytes()[known..at]);
    let from = before.map_or(known, |end| known + end + 1);
    let end = memchr(b'\n', &text.as_bytes()[at..]);
    Line {
        text: &text[from..end.map_or(text.len(), |end| at + end + 1)],
        from,
        number: 0,
    }
}

/// Returns the lines around this one for which the same holds as for it, none of which begins
/// before `least`; not too many above it, and not too many below.
pub(super) fn run_around<'a>(
    text: &'a str,
    line: &Line<'a>,
    least: usize,
    goes_on: impl Fn(&str) -> bool,
) -> Vec<Line<'a>> {
    let above = text[least..line.from].split_inclusive('\n').rev();
    let above = above.take_while(|text| goes_on(text)).take(MOST_LINES);
    let from = line.from - above.map(str::len).sum::<usize>();
    let run = lines(&text[from..]).take_while(|line| goes_on(line.text));
    let run = run.map(|line| Line {
        from: from + line.from,
        ..line
    });
    run.take(2 * MOST_LINES).collect()
}

/// Returns what a line begins with if that may be a sign, with the blanks around it.
fn sign_of(line: &str, is_log: impl Fn() -> bool) -> Option<&str> {
    let rest = behind_remark(line)
        .or_else(|| behind_source(line).filter(|_| is_log()))
        .map(|rest| rest.strip_prefix(' ').unwrap_or(rest))
        .or_else(|| behind_change(line))?;
    Some(&line[..line.len() - rest.len()])
}

/// `# …`, `// …`, ` * …`, `> …`
fn behind_remark(line: &str) -> Option<&str> {
    const ALONE: [&str; 3] = ["//", "#", ";"];
    const BEFORE_BLANK: [&str; 3] = ["*", ">", "--"];
    let line = line.trim_start_matches(BLANKS);
    if let Some(rest) = ALONE.iter().find_map(|sign| line.strip_prefix(sign)) {
        // What documents a piece of code is a text, and there is much of it.
        return (!rest.starts_with(['/', '!'])).then_some(rest);
    }
    let rest = BEFORE_BLANK
        .iter()
        .find_map(|sign| line.strip_prefix(sign))?;
    rest.starts_with([' ', '\r', '\n']).then_some(rest)
}

/// `app_1  | …`: a line of one of several programs.
fn behind_source(line: &str) -> Option<&str> {
    const MOST: usize = 64;
    let at = memchr(b'|', beginning(line, MOST).as_bytes())?;
    let source = line[..at].trim();
    let is_source = |b: u8| dotted(b) || b" :/[]+".contains(&b);
    let holds = !source.is_empty() && source.bytes().all(is_source);
    line[at + 1..].strip_prefix(' ').filter(|_| holds)
}

/// `+…`, and `-…` that is no entry of a list, as where a diff is shown in part.
fn behind_change(line: &str) -> Option<&str> {
    let gone = line.strip_prefix('-').filter(|rest| {
        let is_entry = rest.starts_with(' ') && !rest.starts_with("  ");
        !is_entry && !rest.starts_with('-')
    });
    line.strip_prefix('+').or(gone)
}

#[cfg(test)]
mod tests {
    use super::super::samples::RANDOM;
    use super::super::{find, find_in};
    use super::MOST_LINES;

    const P: &str = "x9Kq2mZ7vB4nT1wY8rL5";

    /// Names and values on lines of their own, with the line of the name.
    fn texts() -> Vec<(String, usize)> {
        vec![
            (format!("db:\n  password: |\n    {P}\n"), 2),
            (format!("env:\n  - name: DB_PASSWORD\n    value: {P}\n"), 2),
            (format!("DbPassword:\n  Type: String\n  Default: {P}\n"), 1),
            (
                format!("<p>\n  <name>fs.s3a.secret.key</name>\n  <value>{P}{P}</value>\n</p>\n"),
                2,
            ),
            (
                format!("<key>ApiSecret</key>\n<string>{P}{P}</string>\n"),
                1,
            ),
            (
                format!("| user | password |\n|---|---|\n| bob | {P} |\n"),
                1,
            ),
            (format!("String SECRET =\n    \"{P}{P}\";\n"), 1),
            (format!("PASSWORD = (\n    \"{P}\"\n)\n"), 1),
            (
                format!("[{{\n  \"name\": \"DB_PASSWORD\",\n  \"value\": \"{P}\"\n}}]\n"),
                2,
            ),
            (
                format!("set {{\n  name  = \"auth.password\"\n  value = \"{P}\"\n}}\n"),
                2,
            ),
            (format!("args:\n  - --password\n  - {P}\n"), 2),
            (format!("password:\n  - {P}\n"), 1),
        ]
    }

    fn signed(sign: &str, text: &str) -> String {
        let lines: Vec<_> = text
            .lines()
            .map(|line| [sign, line, "\n"].concat())
            .collect();
        lines.concat()
    }

    fn lines(text: &str) -> Vec<usize> {
        find(text).iter().map(|secret| secret.line).collect()
    }

    #[test]
    fn a_value_below_its_name_is_told_behind_any_sign() {
        for (text, line) in texts() {
            assert_eq!(lines(&text), [line], "{text}");
            for sign in [
                "# ",
                "// ",
                " * ",
                "> ",
                "; ",
                "app_1  | ",
                "2024-05-01T12:00:00Z app-1 | ",
            ] {
                let text = format!("one\n{}two\n", signed(sign, &text));
                assert_eq!(lines(&text), [line + 1], "{text}");
            }
        }
    }

    #[test]
    fn a_value_below_its_name_is_told_on_each_side_of_a_diff() {
        for (text, line) in texts() {
            for sign in [" ", "+", "-"] {
                let text = format!("@@ -1,9 +1,9 @@ fn\n{}", signed(sign, &text));
                assert_eq!(lines(&text), [line + 1], "{text}");
            }
            let (before, value) = text.split_at(text.find(P).unwrap_or(0));
            let (before, own) = before.rsplit_once('\n').unwrap_or(("", before));
            let other = value.replace('x', "w");
            let (value, other) = (format!("{own}{value}"), format!("{own}{other}"));
            let text = format!(
                "@@ -1,9 +1,9 @@\n{}{}{}",
                signed(" ", before),
                signed("-", &value),
                signed("+", &other)
            );
            assert!(!lines(&text).is_empty(), "{text}");
        }
        for text in [
            format!("-password: |\n-  {P}\n"),
            format!("-  - name: DB_PASSWORD\n-    value: {P}\n"),
            format!("+DbPassword:\r\n+  Type: String\r\n+  Default: {P}\r\n"),
        ] {
            assert_eq!(lines(&text), [1], "{text}");
        }
    }

    #[test]
    fn a_file_known_by_its_name_is_told_in_a_diff() {
        let hunk = |path: &str, lines: &str| {
            format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{lines}")
        };
        let key = hunk(
            "config/master.key",
            "@@ -1 +1 @@\n-0a1b2c3d4e5f60718293a4b5c6d7e8f9\n+\n",
        );
        let gone = format!(
            "--- a/.vault_pass\n+++ /dev/null\n@@ -1 +0,0 @@\n-{P}\n\\ No newline at end of file\n"
        );
        let settings = hunk(
            ".env",
            &format!("@@ -1 +1 @@\n-A=1\n+A=2\n@@ -9 +9 @@\n A=1\n+MAILGUN={P}{P}\n"),
        );
        let other = hunk("a.txt", &format!("@@ -1 +1 @@\n-{P}{P}\n+{P}\n"));
        assert_eq!(lines(&key), [5]);
        assert_eq!(lines(&gone), [4]);
        assert_eq!(lines(&settings), [9]);
        assert_eq!(lines(&other), [0; 0]);
        assert_eq!(lines(&[key, other, gone].concat()), [5, 16]);
    }

    #[test]
    fn what_a_sign_hides_is_where_it_is_in_the_whole() {
        let text = format!("é\n@@ -1 +1 @@\n-é\n+é: é\n+password: |\n+  {P}é\n");
        let found = find_in("é.patch", &text);
        let place = found[0].place.clone();
        assert_eq!(&text[place], format!("password: |\n+  {P}é"));
        let key = format!(
            "# -----BEGIN RSA PRIVATE KEY-----\n# {RANDOM}\n# {RANDOM}\n# -----END RSA PRIVATE KEY-----\n"
        );
        let found = find(&key);
        assert_eq!((found[0].line, found[0].last, found.len()), (1, 4, 1));
    }

    #[test]
    fn a_long_run_of_lines_is_searched_to_its_end() {
        for (head, sign) in [("@@ -1 +1 @@", "+"), ("head", "# ")] {
            let many = signed(sign, &"x\n".repeat(5 * MOST_LINES / 2));
            let secret = signed(sign, &format!("password: |\n  {P}\n"));
            let text = format!("{head}\n{many}{secret}");
            assert_eq!(lines(&text), [5 * MOST_LINES / 2 + 2], "{head}");
        }
    }

    #[test]
    fn what_stands_behind_two_signs_is_no_value() {
        for text in [
            format!("# password: |\n//   {P}\n"),
            format!("app_1 | password: |\napp_2 |   {P}\n"),
            format!("@@ -1 +1 @@\n-password: |\n@@ -9 +9 @@\n-  {P}\n"),
            format!("@@ -1,2 +1,2 @@\n-password: |\n+  {P}\n"),
            "- token:\n-   x9Kq2mZ7vB4nT1wY8rL5, of some kind\n".to_owned(),
        ] {
            assert_eq!(lines(&text), [0; 0], "{text}");
        }
    }
}
