//! A fence around a text that the text cannot close.

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::remark::is_in_name;

/// A longer fence of backticks is unreadable; fewer tildes may be enough.
const LONG: usize = 32;

/// Wraps `text` in a Markdown code fence that is longer than any run of its character in the text.
/// `info` is the fence's info string, usually a language.
///
/// The text ends in exactly one line break before the closing fence, and is otherwise unchanged.
pub fn fence(text: &str, info: &str) -> String {
    let mut fenced = String::with_capacity(text.len() + info.len() + 2 * LONG);
    push_fence(&mut fenced, text, info);
    fenced
}

/// Adds the same to a text.
pub fn push_fence(to: &mut String, text: &str, info: &str) {
    let fence = fence_for(text);
    to.push_str(&fence);
    to.push_str(info);
    to.push('\n');
    to.push_str(text);
    if !text.is_empty() && !text.ends_with('\n') {
        to.push('\n');
    }
    to.push_str(&fence);
}

/// Returns a fence that is longer than any run of its character in the text: of backticks, or of
/// tildes if these make a shorter one. Otherwise a text of only backticks would become three times
/// as long.
pub fn fence_for(text: &str) -> String {
    let fence = |sign: u8| longest_run(text, sign).max(2) + 1;
    let ticks = fence(b'`');
    if ticks > LONG {
        let tildes = fence(b'~');
        if tildes < ticks {
            return "~".repeat(tildes);
        }
    }
    "`".repeat(ticks)
}

/// Returns a name for the beginning of a list item: in backticks if a parser would take it for the
/// beginning of something else, such as a heading, or for a remark after it.
pub fn listed(name: &str) -> Cow<'_, str> {
    if begins_something(name) {
        return in_ticks(name);
    }
    titled(name)
}

/// Returns a name as a heading: in backticks if a parser would take a part of it for a remark, or
/// for another heading.
pub fn titled(name: &str) -> Cow<'_, str> {
    if is_in_name(name) || has_heading(name) {
        return in_ticks(name);
    }
    Cow::Borrowed(name)
}

/// Returns a name for a list of names in brackets: in backticks if a parser would take a part of it
/// for the closing bracket, or for another name.
pub fn mentioned(name: &str) -> Cow<'_, str> {
    let mut signs = name.match_indices([']', ',']);
    // In `[id]/page.ts`, `[id].ts` and `[a][b]-c.ts` the name goes on.
    let goes_on = |behind: &str| {
        let rest = behind.strip_prefix(['.', '-']).unwrap_or(behind);
        let next = rest.chars().next();
        next.is_some_and(|c| c.is_alphanumeric() || c == '_') || behind.starts_with(['/', '['])
    };
    if signs.any(|(at, _)| !goes_on(&name[at + 1..])) {
        return in_ticks(name);
    }
    titled(name)
}

/// Returns a name in backticks, without any of its own.
pub fn in_ticks(name: &str) -> Cow<'_, str> {
    let ticks = "`".repeat(longest_run(name, b'`') + 1);
    // A tick of its own would be taken for one of these.
    let gap = if name.contains('`') { " " } else { "" };
    Cow::Owned(format!("{ticks}{gap}{name}{gap}{ticks}"))
}

/// Whether a line with this name is a heading, a quote, a list, a rule, a fence or HTML, or has an
/// element in it that is a heading.
fn begins_something(name: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let marks = ["#", "-", "+", "*", "_", "="].into_iter();
    let mut behind = marks.map(|mark| (mark, name.trim_start_matches(mark)));
    let digits = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = digits.strip_prefix(['.', ')']);
    let is_numbered = digits.len() < name.len() && number.is_some_and(is_end);
    name.starts_with(['>', '<'])
        || name.starts_with(char::is_whitespace)
        || name.starts_with("```")
        || name.starts_with("~~~")
        || is_numbered
        || behind.any(|(mark, rest)| name.starts_with(mark) && is_end(rest))
        || has_heading(name)
}

/// Whether a name contains an element that is a heading.
fn has_heading(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    let mut elements = small.match_indices("<h");
    elements.any(|(at, it)| small[at + it.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

fn longest_run(text: &str, sign: u8) -> usize {
    let (mut longest, mut run, mut next) = (0, 0, 0);
    for at in memchr_iter(sign, text.as_bytes()) {
        run = if at == next { run + 1 } else { 1 };
        longest = longest.max(run);
        next = at + 1;
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_gets_three_backticks() {
        assert_eq!(fence("let a;\n", "rust"), "```rust\nlet a;\n```");
    }

    #[test]
    fn a_text_with_a_fence_gets_a_longer_one() {
        let fenced = fence("````\nx\n````", "");
        assert!(fenced.starts_with("`````\n"));
        assert!(fenced.ends_with("\n`````"));
    }

    #[test]
    fn a_name_in_a_list_begins_nothing_else() {
        for (name, expected) in [
            ("## Task", "`## Task`"),
            ("#", "`#`"),
            ("# `a`", "`` # `a` ``"),
            ("> ## Task.py", "`> ## Task.py`"),
            ("- a", "`- a`"),
            ("---", "`---`"),
            ("1. ## Task.py", "`1. ## Task.py`"),
            ("  ## Task", "`  ## Task`"),
            ("```a", "```` ```a ````"),
            ("a <H1>Task</h1>", "`a <H1>Task</h1>`"),
            ("a.rs [name only: 2 lines]", "`a.rs [name only: 2 lines]`"),
        ] {
            assert_eq!(listed(name), expected);
        }
        for name in [
            "src/größe.rs",
            "__init__.py",
            "#notes#",
            "#include.h",
            "+page.svelte",
            "-v.txt",
            "~a",
            "[id].tsx",
            "1.txt",
            "2024.md",
            "a - b.md",
            "a # b.md",
            "*.rs",
            "List<T>.cs",
        ] {
            assert_eq!(listed(name), name);
        }
    }

    #[test]
    fn a_name_as_a_heading_has_no_remark_behind_it() {
        assert_eq!(
            titled("a.rs [outline: 2 lines]"),
            "`a.rs [outline: 2 lines]`"
        );
        assert_eq!(titled("a <h1>Task</h1>"), "`a <h1>Task</h1>`");
        for name in ["src/a.rs", "# a", "[id].tsx", "a[1].rs"] {
            assert_eq!(titled(name), name);
        }
    }

    #[test]
    fn a_text_of_backticks_gets_tildes() {
        let text = "`".repeat(1000);
        assert_eq!(fence(&text, ""), format!("~~~\n{text}\n~~~"));
        let both = format!("{text}~~~~{text}");
        assert!(fence(&both, "").starts_with("~~~~~\n`"));
    }
}
