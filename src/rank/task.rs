//! The text of a task that is searched for.

use std::borrow::Cow;

use super::links;
use crate::index::words::{names, words};
use crate::split::beginning;
use crate::syntax::language;

/// Returns the text of a task as it is searched for. It leaves out what git and forges add, which
/// says who was involved and nothing about what to do (`Signed-off-by: Ada <ada@example.org>`, a
/// `Change-Id`), the comments of issue templates, and the [placeholders](without_placeholders) of
/// examples. Links become what they [say](links::said), and blanks are added where a name ends and
/// other writing begins.
pub fn searched(task: &str) -> Cow<'_, str> {
    match without_trappings(task) {
        Cow::Borrowed(task) => without_placeholders(task),
        Cow::Owned(task) => Cow::Owned(without_placeholders(&task).into_owned()),
    }
}

/// Names for things that are nothing in particular.
const PLACEHOLDERS: [&str; 7] = ["foo", "baz", "qux", "quux", "foobar", "foobaz", "bar"];

/// The most bytes of a file's name.
const MOST_NAME: usize = 80;

/// Returns a text without the names that examples have in place of real ones: `Foo`, `foo_bar`,
/// `MyBaz`. Many tests have them too, whatever they test. A part of a path stays, and so does the
/// only one of a text.
fn without_placeholders(text: &str) -> Cow<'_, str> {
    if !has_several(text) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for (at, name) in names(text) {
        let behind = at + name.len();
        let is_of_path = || {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let path = beginning(&text[at..], MOST_NAME);
            let path = path.split(|c| !is_part(c)).next().unwrap_or_default();
            text[..at].ends_with(['/', '\\'])
                || text[behind..].starts_with(['/', '\\'])
                || is_file_name(path)
        };
        if is_placeholder(name) && !is_of_path() {
            kept.push_str(&text[end..at]);
            end = behind;
        }
    }
    kept.push_str(&text[end..]);
    Cow::Owned(kept)
}

/// Whether a name ends like that of a file: `foo.csv`, but not `foo.bar`.
fn is_file_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_short = (2..=4).contains(&ending.len()) && !is_placeholder(ending);
    !language(name).is_empty() || is_short && ending.bytes().all(|b| b.is_ascii_lowercase())
}

/// Whether a text has several of these names. A single one may be what the task is about.
fn has_several(text: &str) -> bool {
    let placeholders = names(text).filter(|(_, name)| is_placeholder(name));
    let mut placeholders = placeholders.map(|(_, name)| without_number(name));
    let first = placeholders.next();
    first.is_some_and(|first| placeholders.any(|name| !name.eq_ignore_ascii_case(first)))
}

fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Whether a name is made of placeholders.
fn is_placeholder(name: &str) -> bool {
    let words = words(name);
    let is_one = |word: &String| PLACEHOLDERS.contains(&without_number(word));
    words.iter().any(is_one) && words.iter().all(|word| is_one(word) || word == "my")
}

/// Returns a text without what git and forges add.
fn without_trappings(task: &str) -> Cow<'_, str> {
    let is_plain = task.is_ascii()
        && !["://", "![", "<img ", "<!--"]
            .iter()
            .any(|sign| task.contains(sign));
    if is_plain && !task.lines().any(is_trailer) {
        return Cow::Borrowed(task);
    }
    let task = with_blanks(task);
    let task = without_comments(&task);
    let lines = task.split_inclusive('\n');
    let mut text = String::with_capacity(task.len());
    let mut in_code = false;
    for line in lines.filter(|line| !is_trailer(line)) {
        in_code ^= is_fence(line);
        if in_code {
            text.push_str(line);
        } else {
            links::said(line, &mut text);
        }
    }
    Cow::Owned(text)
}

/// Returns a text without HTML comments, in which templates tell people what to write. A comment in
/// code or in quotes is what the task is about, so it stays.
fn without_comments(text: &str) -> Cow<'_, str> {
    let Some(last_end) = text.rfind("-->").filter(|_| text.contains("<!--")) else {
        return Cow::Borrowed(text);
    };
    let mut kept = String::with_capacity(text.len());
    let (mut at, mut line_end) = (0, 0);
    let mut in_code = false;
    while at < text.len() {
        if at >= line_end {
            let line = text[at..].split_inclusive('\n').next().unwrap_or_default();
            line_end = at + line.len();
            in_code ^= is_fence(line);
        }
        let line = &text[at..line_end];
        let begin = line.find("<!--").filter(|begin| {
            !in_code
                && !line[..*begin].ends_with(['`', '"', '\''])
                && at + begin + "<!--".len() <= last_end
        });
        let Some(begin) = begin else {
            kept.push_str(line);
            at = line_end;
            continue;
        };
        kept.push_str(&line[..begin]);
        let inside = at + begin + "<!--".len();
        let length = text[inside..].find("-->").unwrap_or_default();
        at = inside + length + "-->".len();
    }
    Cow::Owned(kept)
}

/// Whether a line begins or ends a code block.
fn is_fence(line: &str) -> bool {
    let start = line.trim_start();
    let ticks = start.strip_prefix("```");
    let is_of_ticks = ticks.is_some_and(|info| !info.trim_start_matches('`').contains('`'));
    is_of_ticks || start.starts_with("~~~")
}

/// Returns a text in which names end where they should: with a blank where letters of a script
/// without word spacing meet Latin ones (`在alpha中`), with plain quotes, and with blanks instead of
/// other characters.
fn with_blanks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut spaced = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for letter in text.chars() {
        let letter = match letter {
            '‘' | '’' => '\'',
            '“' | '”' | '„' => '"',
            sign if !sign.is_ascii() && !sign.is_alphanumeric() && !is_mark(sign) => ' ',
            letter => letter,
        };
        let meets = |a: char, b: char| is_unspaced(a) && (b.is_ascii_alphanumeric() || b == '_');
        if meets(before, letter) || meets(letter, before) {
            spaced.push(' ');
        }
        spaced.push(letter);
        before = letter;
    }
    Cow::Owned(spaced)
}

/// Whether a character is a mark on the letter before it, and so part of its word, in Latin,
/// Hebrew, Arabic, a script of India, Thai or Japanese.
fn is_mark(sign: char) -> bool {
    matches!(sign, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}'
        | '\u{900}'..='\u{963}' | '\u{966}'..='\u{e4e}' | '\u{3099}' | '\u{309a}')
}

/// Whether a letter belongs to a script without blanks between words: Chinese, Japanese, Korean
/// (whose endings follow a name directly), Thai.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{e7f}' | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_trailer(line: &str) -> bool {
    let Some((name, value)) = line.split_once(": ") else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphabetic() || c == '-';
    if !name.chars().all(is_name) || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let name = name.to_ascii_lowercase();
    let is_of_people = name == "cc" || name.ends_with("-by") || name.ends_with("-with");
    let is_hash = || {
        let hash = value.trim_end().strip_prefix('I');
        hash.is_some_and(|hash| hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    is_of_people && value.contains('@') || name == "change-id" && is_hash()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::processor::time_of_thread;

    #[test]
    fn who_signed_a_change_is_no_part_of_what_is_asked() {
        let task = "Count pings\n\nThe link is lost.\n\nSigned-off-by: Ping Li <ping@example.org>\nCo-Authored-By: A <a@b.c>\nChange-Id: I0a1b2c3d\n";
        assert_eq!(searched(task), "Count pings\n\nThe link is lost.\n\n");
    }

    #[test]
    fn placeholders_without_an_end_cost_no_more_than_their_length() {
        for unit in ["foo.", "foo_", "foo/", "Foo ", "foo.py "] {
            let (short, long) = (unit.repeat(20_000), unit.repeat(160_000));
            let mut took = [&short, &long].map(|text| {
                let start = time_of_thread();
                assert!(searched(text).len() <= text.len());
                time_of_thread().saturating_sub(start)
            });
            took[0] = took[0].max(Duration::from_millis(20));
            assert!(took[1] < 30 * took[0], "{unit}: {took:?}");
        }
    }

    #[test]
    fn placeholders_of_examples_are_no_words_of_a_task() {
        for (task, wanted) in [
            (
                "class Foo(Model):\n    foo_bar = 1",
                "class (Model):\n     = 1",
            ),
            ("MyFoo.bar() is lost", ".() is lost"),
            ("see tests/foo/bar.py for foo", "see tests/foo/bar.py for "),
            (
                "fooled by foo2, bar and load_foo",
                "fooled by ,  and load_foo",
            ),
            ("foo.bar in foo.py", ". in foo.py"),
            ("foo-bar.js and foo.csv", "foo-bar.js and foo.csv"),
            ("src\\foo\\bar.md", "src\\foo\\bar.md"),
            ("Mend the Foobar class", "Mend the Foobar class"),
            ("Mend FooBar: fooBar is lost", "Mend FooBar: fooBar is lost"),
            ("The bar of progress", "The bar of progress"),
            ("barring food", "barring food"),
        ] {
            assert_eq!(searched(task), wanted);
        }
    }

    #[test]
    fn what_a_template_says_to_its_reader_is_left_out() {
        let task = "Crash\n<!-- Please look\nfor others first -->\nIt stops.<!-- how? -->\n";
        assert_eq!(searched(task), "Crash\n\nIt stops.\n");
        let task = "An open <!-- is an error";
        assert_eq!(searched(task), task);
    }

    #[test]
    fn comments_that_the_task_is_about_stay() {
        for task in [
            "Of `<!-- a` in src/page.rs all is lost up to `-->`",
            "It loses src/a.rs:\n```html\n<!-- a -->\n```\n",
            "```a``` ends here\n```html\n<!-- a -->\n```\n",
            "<!-->",
        ] {
            assert_eq!(searched(task), task);
        }
        let task = "<!-- like\n```\nso\n```\n-->Crash\n```\na\n```\n";
        assert_eq!(searched(task), "Crash\n```\na\n```\n");
    }

    #[test]
    fn comments_without_an_end_cost_no_more_than_their_length() {
        let started = time_of_thread();
        for part in ["<!--", "<!--\n", "<!-- -->", "```\n<!--\n"] {
            searched(&part.repeat(500_000 / part.len()));
        }
        let time = time_of_thread().saturating_sub(started);
        assert!(time < Duration::from_secs(2), "{time:?}");
    }

    #[test]
    fn links_are_what_they_say_but_in_code() {
        let task = "At https://example.org/docs/retry\n```\nget(\"https://example.org/a\")\n```\n";
        assert_eq!(
            searched(task),
            "At  docs/retry\n```\nget(\"https://example.org/a\")\n```\n"
        );
    }

    #[test]
    fn names_end_where_other_writing_begins() {
        assert_eq!(
            searched("读取alpha的值，在caffe2ncnn中"),
            "读取 alpha 的值 在 caffe2ncnn 中"
        );
        assert_eq!(searched("“Or”—it’s größer_als"), "\"Or\" it's größer_als");
        let marked = "gro\u{308}ße क्या ที่นี่ か\u{3099}";
        assert_eq!(searched(marked), marked);
    }

    #[test]
    fn what_only_speaks_of_such_lines_stays() {
        for task in [
            "Parse `Signed-off-by: Ada <ada@example.org>`",
            "Sort-by: the name of a field",
            "Fixes: the loss of a link",
            "Change-Id: has to be added by the hook",
            "Error: user a@b.c is not there",
        ] {
            assert_eq!(searched(task), task);
        }
    }
}
