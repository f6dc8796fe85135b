//! What compilers and linters print for people: a place, and what is wrong there.

use std::borrow::Cow;

use super::account::Account;
use super::finding::{Finding, Said, named};
use super::place::{Place, is_digits, is_path, number, place, place_alone};
use super::stack::{Read, Stack, with_values};

/// Takes what stands on lines such as `src/a.c:3:9: error: …` and `src/a.ts(3,9): error
/// TS2322: …`, above `--> src/a.rs:3:9`, below a traceback, and above a [stack](Stack), each of
/// one place once; whether there is any.
pub(super) fn plain(text: &str, account: &mut Account) -> bool {
    let text = without_colours(text);
    let mut any = false;
    // The line above, and the innermost place of a traceback that is the repository's own.
    let (mut above, mut inner) = ("", None);
    let mut stack = Stack::default();
    for line in text.lines() {
        let shown = line.trim();
        let in_stack = stack.read(shown);
        let found = if let Read::Found(place, said) = in_stack {
            let said = with_values(&text, said);
            Some(of_reading(&place, &Reading::raised(said)))
        } else if let Read::Known = in_stack {
            None
        } else if let Some(place) = shown.strip_prefix("--> ") {
            place_alone(place).map(|place| finding(&place, above))
        } else if let Some(place) = in_traceback(shown) {
            inner = inner.filter(|_| is_foreign(&place.path)).or(Some(place));
            None
        } else if let Some((place, said)) = place_and_message(shown) {
            Some(finding(&place, said))
        } else if line.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            inner.take().map(|place| finding(&place, shown))
        } else {
            None
        };
        if let Some(found) = found {
            account.take_once(found);
            any = true;
        }
        if !shown.is_empty() {
            above = shown;
        }
    }
    any
}

/// `src/a.c:3:9: …`, `src/a.ts:3:9 - …`, `src/a.ts(3,9): …`
fn place_and_message(line: &str) -> Option<(Place<'_>, &str)> {
    let (place, rest) = place(line)?;
    let said = rest
        .strip_prefix(": ")
        .or_else(|| rest.strip_prefix(" - "))?;
    // A frame of pytest's traceback is where an error passed.
    (!said.starts_with("in ")).then_some((place, said.trim_start()))
}

/// `File "a.py", line 3, in name`
fn in_traceback(line: &str) -> Option<Place<'_>> {
    let (path, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, _) = number(rest)?;
    is_path(path).then(|| Place::new(path, line))
}

/// Whether a file is Python's own, or of a package that is installed.
fn is_foreign(path: &str) -> bool {
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

fn finding(place: &Place<'_>, said: &str) -> Finding {
    of_reading(place, &Reading::of(said))
}

fn of_reading(place: &Place<'_>, said: &Reading<'_>) -> Finding {
    // As the repository has it; of a path from another machine the end counts.
    let mut path = place.path.replace('\\', "/");
    if let Some(behind) = path.get(1..).and_then(|it| it.strip_prefix(":/")) {
        path = format!("/{behind}");
    }
    Finding {
        file: named(&path).map(Some),
        line: Some(place.line),
        column: place.column,
        message: Said::message(said.message),
        severity: Said::word(&said.severity.to_ascii_lowercase()),
        code: said.code.map(Said::word),
    }
}

/// What a message says of itself.
struct Reading<'a> {
    severity: &'a str,
    code: Option<&'a str>,
    message: &'a str,
}

/// The words with which messages begin.
const SEVERITIES: [&str; 10] = [
    "help",
    "fatal error",
    "information",
    "suggestion",
    "warning",
    "remark",
    "error",
    "info",
    "hint",
    "note",
];

impl<'a> Reading<'a> {
    /// What a program raised: all of it is the message.
    fn raised(message: &'a str) -> Reading<'a> {
        Reading {
            severity: "error",
            code: None,
            message,
        }
    }

    /// `error[E0308]: …`, `error TS2322: …`, `warning: … [-Wunused]`, `F401 …`
    fn of(said: &'a str) -> Reading<'a> {
        let first = SEVERITIES.iter().find_map(|word| {
            let (first, rest) = said.split_at_checked(word.len())?;
            let ends = rest.starts_with([':', '[', '(', ' ']);
            (ends && first.eq_ignore_ascii_case(word)).then_some((first, rest))
        });
        let (severity, rest) = first.unwrap_or(("error", said));
        let (code, message) = code(rest.trim_start());
        let message = message.trim_start_matches([':', ' ']);
        let at_end = || {
            let (before, code) = message.strip_suffix(']')?.rsplit_once(" [")?;
            let is_code = !code.contains(' ') && code.contains(char::is_alphabetic);
            is_code.then_some((code, before.trim_end()))
        };
        let (code, message) = match (code, at_end()) {
            (None, Some((code, message))) => (Some(code), message),
            _ => (code, message),
        };
        Reading {
            severity: last_word(severity),
            code,
            message,
        }
    }
}

fn last_word(text: &str) -> &str {
    text.rsplit(' ').next().unwrap_or(text)
}

/// The name of a kind of mistake with which a message begins: capital letters and a number,
/// or whatever is in brackets.
fn code(text: &str) -> (Option<&str>, &str) {
    let bracketed = text.strip_prefix(['[', '(']);
    if let Some((code, rest)) = bracketed.and_then(|it| it.split_once([']', ')'])) {
        let is_code = !code.contains(' ') && rest.starts_with([':', ' ']);
        return if is_code {
            (Some(code), rest)
        } else {
            (None, text)
        };
    }
    let end = text.find([':', ' ']).unwrap_or(text.len());
    let word = &text[..end];
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    let has_digits = (2..=6).contains(&digits.len()) && is_digits(digits);
    if (1..=6).contains(&letters) && has_digits {
        (Some(word), &text[end..])
    } else {
        (None, text)
    }
}

/// A text without what colours it on a terminal.
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
        ] {
            assert_eq!(told(text), [wanted], "{text}");
        }
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
            "key: value",
            "",
        ] {
            assert_eq!(told(text), [""; 0], "{text}");
        }
    }
}
