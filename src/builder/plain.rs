//! Reads what compilers and linters print for people: a place, and what is wrong there.

use std::borrow::Cow;

use super::account::Account;
use super::finding::{Finding, Said, is_error, named};
use super::forms::{alone, below};
use super::place::{self, Place, is_path, number, place_alone, with_slashes};
use super::reading::Reading;
use super::stack::{Read, Stack, with_values};

/// Takes the findings on lines that have both ([`forms`]), below the name of a file, above
/// `--> src/a.rs:3:9`, below a traceback, and above a [stack](Stack), each of one place once.
/// Returns whether any is an error; `None` if there are no findings.
pub(super) fn plain(text: &str, account: &mut Account) -> Option<bool> {
    let text = with_annotations(without_times(without_colours(text)));
    let mut any = None;
    let mut reader = Reader::default();
    let mut stack = Stack::default();
    let mut take = |found: Finding| {
        any = Some(any == Some(true) || is_error(&found.severity.text));
        account.take_once(found);
    };
    for line in text.lines() {
        if !line.trim().is_empty() {
            reader.ended(line.trim()).into_iter().for_each(&mut take);
        }
        let found = match stack.read(line.trim()) {
            Read::Found(place, said) => {
                let said = with_values(&text, said);
                Some(finding(&place, &Reading::raised(said)))
            }
            Read::Known => None,
            Read::Other => reader.read(line),
        };
        reader.pass(line.trim());
        found.into_iter().for_each(&mut take);
    }
    reader.ended("").into_iter().for_each(&mut take);
    any
}

/// What earlier lines said that later ones need.
#[derive(Default)]
struct Reader<'a> {
    /// The line above.
    above: &'a str,
    /// The last line that began with a severity.
    judged: &'a str,
    /// The file whose mistakes follow line by line.
    heading: Option<&'a str>,
    /// The innermost place of a traceback that belongs to the repository.
    inner: Option<Place<'a>>,
    /// The same for pytest's calls.
    called: Option<Place<'a>>,
    /// What pytest says was raised, below the calls and above the place, if it says so.
    failed: Option<&'a str>,
}

impl<'a> Reader<'a> {
    /// Returns what is wrong by this line, which is not part of a stack.
    fn read(&mut self, line: &'a str) -> Option<Finding> {
        let shown = line.trim();
        if let Some(found) = self.pointed(shown) {
            return Some(found);
        }
        if self.keeps(shown) {
            return None;
        }
        if let Some((place, said)) = alone(shown) {
            let failed = self.raised(shown).filter(|_| is_named(&place, &said));
            let said = failed.map_or(said, Reading::raised);
            return Some(finding(&place, &said));
        }
        if let Some((place, said)) = self.heading.and_then(|path| below(path, shown)) {
            return Some(finding(&place, &said));
        }
        if line.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            let place = self.inner.take()?;
            return Some(finding(&place, &Reading::of(shown)));
        }
        None
    }

    /// Returns what pytest says was raised, if this line is the first behind that.
    fn raised(&self, shown: &str) -> Option<&'a str> {
        let is_behind = of_pytest(self.above).is_some() && of_pytest(shown).is_none();
        self.failed.filter(|_| is_behind)
    }

    /// Returns what was raised in the calls above, if they end before this line, and it does not
    /// say itself where that was.
    fn ended(&mut self, shown: &str) -> Option<Finding> {
        let failed = self.raised(shown)?;
        let is_said = alone(shown).is_some_and(|(place, said)| is_named(&place, &said));
        let place = self.called.take().filter(|_| !is_said)?;
        Some(finding(&place, &Reading::raised(failed)))
    }

    /// Returns what was said above, if this line points to where it is.
    fn pointed(&self, shown: &str) -> Option<Finding> {
        if let Some(place) = shown.strip_prefix("--> ") {
            let place = place_alone(place.strip_suffix(':').unwrap_or(place))?;
            return Some(finding(&place, &Reading::of(self.above)));
        }
        if let Some(place) = shown.strip_prefix("└─ ") {
            let (place, _) = place::place(place)?;
            return Some(finding(&place, &Reading::of(self.judged)));
        }
        let place = in_frame(shown)?;
        let said = self.above.trim_start_matches(['×', '⚠', ' ']);
        Some(finding(&place, &Reading::of(said)))
    }

    /// Whether a line belongs to a traceback, and is kept for the line that ends it.
    fn keeps(&mut self, shown: &'a str) -> bool {
        if let Some(said) = of_pytest(shown) {
            if of_pytest(self.above).is_none() {
                self.failed = Some(said);
            }
        } else if let Some(place) = in_traceback(shown) {
            self.inner = innermost(self.inner.take(), place);
        } else if let Some(place) = in_short_traceback(shown) {
            self.called = innermost(self.called.take(), place);
        } else {
            return false;
        }
        true
    }

    /// Keeps what a line says for those below it.
    fn pass(&mut self, shown: &'a str) {
        if shown.is_empty() {
            self.heading = None;
            return;
        }
        if is_path(shown) {
            self.heading = Some(shown);
        }
        if shown.starts_with("error: ") || shown.starts_with("warning: ") {
            self.judged = shown;
        }
        self.above = shown;
    }
}

/// `╭─[src/a.js:3:9]`
fn in_frame(line: &str) -> Option<Place<'_>> {
    let framed = line
        .strip_prefix("╭─[")
        .or_else(|| line.strip_prefix(",-["));
    place_alone(framed?.strip_suffix(']')?)
}

/// `File "a.py", line 3, in name`
fn in_traceback(line: &str) -> Option<Place<'_>> {
    let (path, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, _) = number(rest)?;
    is_path(path).then(|| Place::new(path, line))
}

/// `src/a.py:3: in name`, as pytest prints it.
fn in_short_traceback(line: &str) -> Option<Place<'_>> {
    let (place, rest) = place::place(line)?;
    (rest.starts_with(": in ") && place.path.ends_with(".py")).then_some(place)
}

/// `E   KeyError: 'x'`, and a line with only that sign.
fn of_pytest(line: &str) -> Option<&str> {
    let said = line.strip_prefix('E')?;
    (said.is_empty() || said.starts_with("   ")).then(|| said.trim_start())
}

/// Whether pytest says with this where something was raised: `src/a.py:3: KeyError`. What was
/// raised is named again behind the place, and only that.
fn is_named(place: &Place<'_>, said: &Reading<'_>) -> bool {
    let is_bare = place.column.is_none() && said.code.is_none();
    is_bare && place.path.ends_with(".py") && !said.message.contains(' ')
}

/// Returns which of two places, in the order of their calls, counts.
fn innermost<'a>(outer: Option<Place<'a>>, place: Place<'a>) -> Option<Place<'a>> {
    outer.filter(|_| is_foreign(&place.path)).or(Some(place))
}

/// Whether a file is Python's own, or of an installed package.
pub(super) fn is_foreign(path: &str) -> bool {
    const FOLDERS: [&str; 5] = [
        "/site-packages/",
        "/dist-packages/",
        "/lib/python",
        "/lib64/python",
        "/python3",
    ];
    let path = path.replace('\\', "/").to_ascii_lowercase();
    FOLDERS.iter().any(|folder| path.contains(folder))
}

fn finding(place: &Place<'_>, said: &Reading<'_>) -> Finding {
    Finding {
        file: named(&with_slashes(&place.path)).map(Some),
        line: Some(place.line),
        column: place.column,
        message: Said::message(said.message),
        severity: Said::word(&said.severity.to_ascii_lowercase()),
        code: said.code.map(Said::word),
    }
}

/// Returns a text without the times before its lines, as logs of workflows have them.
fn without_times(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.lines().all(|line| behind_time(line).is_none()) {
        return text;
    }
    let lines = text.lines().map(|line| behind_time(line).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n").into()
}

/// Returns what follows a time: `2026-01-02T03:04:05.1234567Z …`.
fn behind_time(line: &str) -> Option<&str> {
    let (time, rest) = line.split_once('Z')?;
    let (date, time) = time.split_once('T')?;
    let is_of = |text: &str, signs: &str| {
        let is_part = |c: char| c.is_ascii_digit() || signs.contains(c);
        text.len() >= 8 && text.chars().all(is_part)
    };
    let is_time = is_of(date, "-") && is_of(time, ":.");
    let rest = rest
        .strip_prefix(' ')
        .or(Some(rest).filter(|it| it.is_empty()));
    rest.filter(|_| is_time)
}

/// Returns a text in which the messages of annotations, `::error …::…`, are as they are read:
/// workflows write `%`, and the ends of lines, by their numbers.
fn with_annotations(text: Cow<'_, str>) -> Cow<'_, str> {
    let message = |line: &str| {
        let (head, message) = line.strip_prefix("::")?.split_once("::")?;
        let message = message.replace("%0D", "").replace("%0A", " ");
        Some(format!("::{head}::{}", message.replace("%25", "%")))
    };
    if !text.lines().any(|line| line.starts_with("::")) {
        return text;
    }
    let lines = text
        .lines()
        .map(|line| message(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n").into()
}

/// Returns a text without its terminal colours.
fn without_colours(text: &str) -> Cow<'_, str> {
    const ESCAPE: &str = "\u{1b}[";
    if !text.contains(ESCAPE) {
        return text.into();
    }
    let mut pieces = text.split(ESCAPE);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_number = |c: char| c.is_ascii_digit() || ";:?".contains(c);
        let behind = piece.trim_start_matches(is_number);
        plain.push_str(
            behind
                .strip_prefix(|c: char| c.is_ascii_alphabetic())
                .unwrap_or(behind),
        );
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each as its place, its severity, its code and its message.
    fn told(text: &str) -> Vec<String> {
        let mut account = Account::default();
        plain(text, &mut account);
        let (errors, _) = account.finish();
        let told = errors.into_iter().map(|error| {
            let (file, line) = (error.file.unwrap(), error.line.unwrap());
            let code = error.code.unwrap_or("-".into());
            format!("{file}:{line} {} {code} {}", error.severity, error.message)
        });
        told.collect()
    }

    #[test]
    fn what_compilers_print_is_read_by_its_place() {
        for (text, wanted) in [
            ("a/a.c:3:9: error: no `x`", "a/a.c:3 error - no `x`"),
            ("a.c:3:9: fatal error: no x.h", "a.c:3 error - no x.h"),
            ("a.c:3: warning: b [-Wunused]", "a.c:3 warning -Wunused b"),
            (
                "a.py:3: error: Bad  [arg-type]",
                "a.py:3 error arg-type Bad",
            ),
            ("./a.go:3:9: undefined: x", "./a.go:3 error - undefined: x"),
            (
                "a.py:3:9: F401 `os` unused",
                "a.py:3 error F401 `os` unused",
            ),
            ("a.py:3:9: E501: too long", "a.py:3 error E501 too long"),
            ("a.ts(3,9): error TS2322: no", "a.ts:3 error TS2322 no"),
            ("a.ts:3:9 - error TS2322: no", "a.ts:3 error TS2322 no"),
            ("A.cs(3): warning CS0168: x", "A.cs:3 warning CS0168 x"),
            ("C:\\s\\a.cpp:3: error: x", "/s/a.cpp:3 error - x"),
            ("1>s\\a.c(3,9): error C2065: x", "s/a.c:3 error C2065 x"),
            ("help: use it\n  --> a.rs:3:9", "a.rs:3 help - use it"),
            (
                "a.c:3:9: error: bad index [3]",
                "a.c:3 error - bad index [3]",
            ),
            ("error[E0308]: no\n  --> a.rs:3:9", "a.rs:3 error E0308 no"),
            ("warning: b\n --> a.rs:3:9\n", "a.rs:3 warning - b"),
            (
                "\u{1b}[1ma.c:3:9: \u{1b}[31merror: \u{1b}[0mno",
                "a.c:3 error - no",
            ),
            ("a.sh:3:9: note: quote [SC2086]", "a.sh:3 note SC2086 quote"),
            (
                "t/a.py:3: AssertionError",
                "t/a.py:3 error - AssertionError",
            ),
            (
                "a.rb:3:9: W: [Correctable] no",
                "a.rb:3 warning Correctable no",
            ),
            ("vet: ./a.go:3:9: no", "./a.go:3 error - no"),
            ("** (CompileError) a/a.ex:3: no", "a/a.ex:3 error - no"),
            ("[ERROR] /a/A.java:[3,9] no", "/a/A.java:3 error - no"),
            ("[warn] /a/a.scala:3:9: no", "/a/a.scala:3 warning - no"),
            ("e: file:///a/a.kt:3:9 no x", "/a/a.kt:3 error - no x"),
            ("w: /a/a.kt: (3, 9): no x", "/a/a.kt:3 warning - no x"),
            (
                "PHP Parse error:  no in a/a.php on line 3",
                "a/a.php:3 error - no",
            ),
            ("Notice: no in a/a.php on line 3", "a/a.php:3 note - no"),
            (
                "  error • no x • a/a.dart:3:9 • no_x",
                "a/a.dart:3 error no_x no x",
            ),
            ("info - a.dart:3:9 - no x - no_x", "a.dart:3 info no_x no x"),
            ("Error: no.\n --> a.sol:3:9:\n", "a.sol:3 error - no."),
            ("  × no x\n   ╭─[a/a.js:3:9]", "a/a.js:3 error - no x"),
            (
                "  error: no x\n  │\n3 │  x\n  └─ a/a.ex:3:9: A.f/1",
                "a/a.ex:3 error - no x",
            ),
            (
                "ERROR in ./a.ts 3:9-12\nTS1: no",
                "./a.ts:3 error - TS1: no",
            ),
            ("ERROR in ./a.ts:3:9\nTS1: no", "./a.ts:3 error - TS1: no"),
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
    }

    #[test]
    fn a_message_may_begin_with_the_word_of_a_severity() {
        for said in [
            "Error return value is not checked",
            "error strings end in no dot",
            "Note that x must be y",
            "warning message unused",
            "Information Disclosure",
            "hint missing",
            "help text missing",
            "Error 404 is not handled",
        ] {
            let wanted = format!("a.go:3 error - {said}");
            assert_eq!(told(&format!("a.go:3:9: {said}")), [wanted]);
        }
        for (said, wanted) in [
            ("warning C4996: old", "warning C4996 old"),
            ("fatal error LNK1104: no", "error LNK1104 no"),
            ("error MSB3073: no", "error MSB3073 no"),
            ("note (N0001) x", "note N0001 x"),
            ("warning [W1] x", "warning W1 x"),
            ("warning  x  y", "warning - x  y"),
        ] {
            let wanted = format!("a.go:3 {wanted}");
            assert_eq!(told(&format!("a.go:3:9: {said}")), [wanted]);
        }
    }

    #[test]
    fn what_a_log_of_a_workflow_puts_before_a_line_is_taken_off() {
        for (text, wanted) in [
            ("##[error]a/b.py:3:1: no x", "a/b.py:3 error - no x"),
            ("##[warning]a/b.ts(3,1): no x", "a/b.ts:3 warning - no x"),
            (
                "::error file=a/b.py,line=3,col=1::no x",
                "a/b.py:3 error - no x",
            ),
            (
                "::warning title=x,file=a/b.py,line=3,endLine=4::F401 no",
                "a/b.py:3 warning F401 no",
            ),
            ("::notice file=a/b.py,line=3::no", "a/b.py:3 note - no"),
            (
                "::error file=a/b%2Cc.py,line=3::no%0D%0Ax: 100%25",
                "a/b,c.py:3 error - no x: 100%",
            ),
            (
                "2026-01-02T03:04:05.1234567Z a/b.py:3:1: no x",
                "a/b.py:3 error - no x",
            ),
            (
                "2026-01-02T03:04:05Z ##[error]a/b.py:3:1: no x\n2026-01-02T03:04:05Z",
                "a/b.py:3 error - no x",
            ),
            (
                "2026-01-02T03:04:05Z TypeError: no f\n2026-01-02T03:04:05Z     at f (a/b.js:3:9)",
                "a/b.js:3 error - TypeError: no f",
            ),
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
    }

    #[test]
    fn letters_without_end_say_how_bad_it_is_once() {
        let few = "E: ".repeat(9);
        let wanted = format!("a.rb:3 warning - {few}no");
        assert_eq!(told(&format!("a.rb:3:9: W: {few}no")), [wanted]);
        let many = "E: ".repeat(100_000);
        assert_eq!(told(&format!("a.rb:3:9: W: {many}no")).len(), 1);
    }

    #[test]
    fn below_the_name_of_a_file_are_its_mistakes() {
        let text = "/a/a.js\n  3:9   error    no x  no-x\n  7:1   warning  no y\n\n  9:1  error  no\na.css\n 5:1  ✖  no z  no-z\n";
        let wanted = [
            "/a/a.js:3 error no-x no x",
            "/a/a.js:7 warning - no y",
            "a.css:5 error no-z no z",
        ];
        assert_eq!(told(text), wanted);
    }

    #[test]
    fn of_a_traceback_the_innermost_place_of_ones_own_counts() {
        let lines = [
            "Traceback (most recent call last):",
            "  File \"a.py\", line 3, in <module>",
            "    f()",
            "  File \"b.py\", line 7, in f",
            "    x",
            "  File \"/usr/lib/python3.12/ast.py\", line 9, in parse",
            "    y",
            "_x.NameError: name 'x' is not defined",
            "Command exited with 1",
        ];
        let wanted = "b.py:7 error - _x.NameError: name 'x' is not defined";
        assert_eq!(told(&lines.join("\n")), [wanted]);
    }

    #[test]
    fn of_a_test_of_pytest_what_was_raised_is_told() {
        for (text, wanted) in [
            (
                ">       g()\n\na/a_test.py:7: \n_ _ _\na/b.py:7: in g\n    f()\n_ _ _\n\nitems = {}\n\n>       x['k']\nE       KeyError: 'k'\n\na/c.py:3: KeyError\n___ b ___",
                "a/c.py:3 error - KeyError: 'k'",
            ),
            (
                ">       assert f() == 2\nE       assert 1 == 2\nE         \nE         More.\n\na.py:3: AssertionError",
                "a.py:3 error - assert 1 == 2",
            ),
            (
                "a/a_test.py:7: in test_f\n    g()\na/a.py:3: in g\n    x['k']\n/usr/lib/python3/y.py:9: in h\n    z\nE   KeyError: 'k'\nE   More.\n=== 1 failed ===",
                "a/a.py:3 error - KeyError: 'k'",
            ),
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
    }

    #[test]
    fn calls_of_pytest_end_with_the_text_or_before_what_another_says() {
        let calls = "src/b.py:3: in f\n    g()\nE   ValueError: z\n";
        let raised = "src/b.py:3 error - ValueError: z";
        assert_eq!(told(calls), [raised]);
        for (behind, wanted) in [
            ("src/a.ts:7:1: F401 unused", "src/a.ts:7 error F401 unused"),
            ("\nsrc/a.ts:7:1: unused", "src/a.ts:7 error - unused"),
            ("src/a.py:7:1: unused", "src/a.py:7 error - unused"),
            ("src/a.py:7: no such x", "src/a.py:7 error - no such x"),
            ("thread 'm' panicked at 'no', a.rs:7:1", "a.rs:7 error - no"),
        ] {
            assert_eq!(told(&format!("{calls}{behind}")), [raised, wanted]);
        }
    }

    #[test]
    fn of_a_stack_the_message_is_all_that_was_said_and_no_code() {
        for (text, wanted) in [
            (
                "  \u{25cf} adds\n\n    expect(received).toBe(expected)\n\n    Expected: 2\n    Received: 1\n\n    > 3 |   f();\n        |   ^\n      4 | }\n\n      at Object.toBe (src/a.test.js:3:9)\n",
                "src/a.test.js:3 error - expect(received).toBe(expected)\n\n    Expected: 2\n    Received: 1",
            ),
            (
                "  \u{25cf} adds\n\n    It is odd.\n\n    > 3 |   f();\n        |   ^\n\n      at f (src/a.test.js:3:9)\n",
                "src/a.test.js:3 error - It is odd.",
            ),
            (
                "error: TS1 [ERROR]: no x.\nlet x = y;\n    ^\n    at file:///a.ts:3:9\n",
                "/a.ts:3 error - error: TS1 [ERROR]: no x.",
            ),
            (
                "AssertionError [ERR_ASSERTION]: Values are not equal:\n\n1 !== 2\n\n    at f (a.js:3:9)",
                "a.js:3 error - AssertionError [ERR_ASSERTION]: Values are not equal:\n\n1 !== 2",
            ),
            (
                "It is odd.\n    at f (webpack:///./a/a.ts:3:9)",
                "a/a.ts:3 error - It is odd.",
            ),
            (
                "It is odd.\n    at f (http://localhost:3000/a/a.ts:3:9)",
                "a/a.ts:3 error - It is odd.",
            ),
            (
                "It is odd.\n    at f (a.js:3:9)\n\n    at g (b.js:7:1)",
                "a.js:3 error - It is odd.",
            ),
            (
                "MyError:\n    at f (a.js:3:9)\n    at g (b.js:7:1)",
                "a.js:3 error - MyError:",
            ),
            (
                "  Error Message:\n   Values differ\nExpected: 3\nActual:   2\n  Stack Trace:\n     at A.B.F() in /src/a.cs:line 3",
                "/src/a.cs:3 error - Error Message:\n   Values differ\nExpected: 3\nActual:   2",
            ),
            (
                "panic: no\n\ngoroutine 1 [running]:\nmain.f(...)\n\t/app/a.go:3\nmain.main()\n\t/app/b.go:7 +0x3f",
                "/app/a.go:3 error - panic: no",
            ),
            (
                "    a_test.go:3: \n\tError Trace:\t/app/a_test.go:3\n\t            \t/app/b_test.go:7\n\tError:      \tNot equal: \n\t            \texpected: 1\n\t            \tactual  : 2\n\tTest:       \tTestA",
                "/app/a_test.go:3 error - Not equal: \n\t            \texpected: 1\n\t            \tactual  : 2",
            ),
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
    }

    #[test]
    fn of_a_stack_the_innermost_place_of_ones_own_counts() {
        for (text, wanted) in [
            (
                "thread 'tests::f' (7) panicked at src/a.rs:3:9:\nassertion failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`",
                "src/a.rs:3 error - assertion failed\n  left: 1\n right: 2",
            ),
            (
                "thread 'main' panicked at 'no, none', src/a.rs:3:9",
                "src/a.rs:3 error - no, none",
            ),
            (
                "thread 'main' panicked at /rustc/0a/library/core/src/x.rs:1:2:\nno\nstack backtrace:\n   0: core::f\n             at /rustc/0a/library/core/src/x.rs:1:2\n   1: a::g\n             at ./src/a.rs:3:9\n   2: a::main\n             at ./src/main.rs:7:1",
                "./src/a.rs:3 error - no",
            ),
            (
                "/app/a.js:3\n  throw e\n  ^\n\nTypeError: no f\n    at Object.<anonymous> (node:internal/x:1:2)\n    at f (/app/a.js:3:9)\n    at async file:///app/b.mjs:7:1",
                "/app/a.js:3 error - TypeError: no f",
            ),
            (
                "  \u{25cf} adds\n\n    Received: 1\n\n      at Object.toBe (src/a.test.js:3:9)\n",
                "src/a.test.js:3 error - Received: 1",
            ),
            (
                "Exception in thread \"main\" a.b.OddException: no\n\tat java.base/java.util.List.of(List.java:1)\n\tat app//a.b.C.f(C.java:3)\n\tat a.b.C.main(C.java:7)",
                "a/b/C.java:3 error - a.b.OddException: no",
            ),
            (
                "Unhandled exception. System.Exception: no\n   at A.B.F() in /src/a.cs:line 3\n   at A.B.Main() in /src/b.cs:line 7",
                "/src/a.cs:3 error - System.Exception: no",
            ),
            (
                "panic: no [recovered]\n\ngoroutine 1 [running]:\npanic({0x1, 0x2})\n\t/usr/lib/go/src/runtime/panic.go:1 +0x1d\nmain.f(...)\n\t/app/a.go:3 +0x2e\nmain.main()\n\t/app/b.go:7 +0x3f\n\ngoroutine 2 [running]:\nmain.g()\n\t/app/c.go:9 +0x1",
                "/app/a.go:3 error - panic: no [recovered]",
            ),
            (
                "a.rb:3:in 'f': no x (KeyError)\n\tfrom b.rb:7:in '<main>'",
                "a.rb:3 error - no x (KeyError)",
            ),
            (
                "/usr/lib/ruby/3.2.0/json.rb:1:in `parse': no (JSON::ParserError)\n\tfrom a.rb:3:in `f'\n\tfrom b.rb:7:in `<main>'",
                "a.rb:3 error - no (JSON::ParserError)",
            ),
            (
                "     Failure/Error: expect(f).to eq 2\n\n       expected: 2\n            got: 1\n\n     # ./spec/a_spec.rb:3:in 'block'",
                "./spec/a_spec.rb:3 error - Failure/Error: expect(f).to eq 2\n\n       expected: 2\n            got: 1",
            ),
            (
                "NoMethodError:\n  no `f'\n# /app/vendor/bundle/x.rb:1:in 'g'\n# ./a.rb:3:in 'f'",
                "./a.rb:3 error - NoMethodError:\n  no `f'",
            ),
            (
                "AT#test_f [a_test.rb:3]:\nExpected: 2\n  Actual: 1",
                "a_test.rb:3 error - Expected: 2\n  Actual: 1",
            ),
            (
                "PHP Fatal error:  Uncaught LogicException: no in /app/a.php:3\nStack trace:\n#0 /app/b.php(7): f()\n#1 {main}\n  thrown in /app/a.php on line 3",
                "/app/a.php:3 error - LogicException: no",
            ),
            (
                "1) AT::testF\nIt is not 2.\n\n/app/vendor/x/y.php:1\n/app/t/AT.php:3\n/app/t/BT.php:7",
                "/app/t/AT.php:3 error - It is not 2.",
            ),
            (
                "** (KeyError) no x\n    (elixir 1.15.0) lib/map.ex:1: Map.get/2\n    (a 0.1.0) lib/a.ex:3: A.f/1\n    lib/b.ex:7: B.g/0",
                "lib/a.ex:3 error - (KeyError) no x",
            ),
            (
                "Assertion with == failed\ncode:  assert f() == 2\nleft:  1\nright: 2\nstacktrace:\n  test/a_test.exs:3: (test)",
                "test/a_test.exs:3 error - Assertion with == failed\ncode:  assert f() == 2\nleft:  1\nright: 2",
            ),
            (
                "AssertionError: 1 is not 2\n ❯ f src/a.test.ts:3:9\n ❯ src/b.ts:7:1",
                "src/a.test.ts:3 error - AssertionError: 1 is not 2",
            ),
            (
                "==7==ERROR: AddressSanitizer: SEGV\n    #0 0x1 in std::f /usr/include/c++/v:1:1\n    #1 0x2 in f(int) /app/a.cpp:3:9\n    #2 0x3 in main /app/m.cpp:7:1",
                "/app/a.cpp:3 error - AddressSanitizer: SEGV",
            ),
            (
                "Program received signal SIGSEGV, no.\n#0  0x1 in f (n=1) at src/a.c:3\n#1  main () at src/m.c:7",
                "src/a.c:3 error - Program received signal SIGSEGV, no.",
            ),
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
        let causes = "a.XException: x\n\tat a.X.f(X.java:3)\nCaused by: a.YException: y\n\tat a.Y.g(Y.java:9)\n\t... 1 more";
        let wanted = [
            "a/X.java:3 error - a.XException: x",
            "a/Y.java:9 error - a.YException: y",
        ];
        assert_eq!(told(causes), wanted);
    }

    #[test]
    fn what_only_resembles_a_place_is_none() {
        for text in [
            "12:30:45: started",
            "localhost:8080: refused",
            "http://x.org:80: refused",
            "example.com:443: refused",
            "2024.01.02T12:30:45: started",
            "src/app.py:3: in f",
            "Error at src/a.c:3: no",
            "the thread panicked at src/a.c:3:9:",
            "see src/a.c:3",
            "a.c: 3 errors",
            "--> nothing",
            "e: no x",
            "[error] no place",
            "  3:9  error  no file above",
            "#3 mended in a.php",
            "#3 /app/a.php(7): f()",
            "/app/a.php:3",
            "ERROR in the build",
            "Warning: no in a.php",
            "error - no - place - here",
            "└─ nothing",
            "##[error]Process completed with exit code 1.",
            "##[group]a",
            "::error::no place",
            "::error file=a.py::no line",
            "2026-01-02T03:04:05Z started",
            "from a.rb:3:in 'f'",
            "key: value",
            "",
        ] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
    }
}
