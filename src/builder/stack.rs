//! What a program prints that ends by an error: what was raised, and the calls that led there,
//! the innermost first.

use super::place::{Place, number, place, place_alone};
use crate::split::place_in;

/// A stack of calls, as far as it has been read.
#[derive(Default)]
pub(super) struct Stack<'a> {
    /// What may have been raised, the last line before the calls…
    above: Option<&'a str>,
    /// …and the one that says so: an exception, a panic.
    raised: Option<&'a str>,
    /// The innermost call of one's own has been told.
    is_told: bool,
    /// Where Rust panicked; the next line says why.
    panicked: Option<Place<'a>>,
}

/// What a line of a stack says.
pub(super) enum Read<'a> {
    /// It is no line of a stack.
    Other,
    /// Nothing that was not known.
    Known,
    /// Where something was raised, and what.
    Found(Place<'a>, &'a str),
}

impl<'a> Stack<'a> {
    /// Takes in the next line, without the blanks around it.
    pub(super) fn read(&mut self, line: &'a str) -> Read<'a> {
        if let Some(place) = self.panicked.take() {
            return self.end_panic(place, line);
        }
        let of_rust = line.strip_prefix("thread '");
        if let Some((_, panic)) = of_rust.and_then(|it| it.split_once(" panicked at ")) {
            return self.panic(panic);
        }
        let is_of_go = line.contains(" +0x");
        if let Some(place) = call(line) {
            let said = self.raised.or(self.above.filter(|_| !is_of_go));
            return match said.filter(|_| !self.is_told && !is_foreign(&place)) {
                Some(said) => self.tell(place, said),
                None => Read::Known,
            };
        }
        if let Some(said) = raised(line) {
            (self.raised, self.is_told) = (Some(said), false);
        } else if line.is_empty() {
            self.is_told = false;
        } else if !line.starts_with("at ") {
            self.above = Some(line);
        }
        Read::Other
    }

    fn tell(&mut self, place: Place<'a>, said: &'a str) -> Read<'a> {
        (self.raised, self.is_told) = (None, true);
        Read::Found(place, said)
    }

    /// `src/a.rs:3:9:`, and `'what it was', src/a.rs:3:9` as it was written once.
    fn panic(&mut self, text: &'a str) -> Read<'a> {
        if let Some((said, at)) = text.rsplit_once("', ")
            && let Some(place) = place_alone(at)
        {
            return self.tell(place, said.trim_start_matches('\''));
        }
        self.panicked = text.strip_suffix(':').and_then(place_alone);
        Read::Known
    }

    fn end_panic(&mut self, place: Place<'a>, said: &'a str) -> Read<'a> {
        if is_foreign(&place) {
            (self.raised, self.is_told) = (Some(said), false);
            return Read::Known;
        }
        self.tell(place, said)
    }
}

/// What was raised with the values that were compared, as Rust prints them below.
pub(super) fn with_values<'a>(text: &'a str, said: &'a str) -> &'a str {
    let start = place_in(text, said);
    let mut end = start + said.len();
    for line in text[end..].split_inclusive('\n').skip(1).take(2) {
        let is_value = |sign| line.trim_start().starts_with(sign);
        if !is_value("left: ") && !is_value("right: ") {
            break;
        }
        end = place_in(text, line) + line.trim_end().len();
    }
    &text[start..end]
}

/// What was raised, if a line says so: `TypeError: …`, `Caused by: java.io.IOException: …`,
/// `panic: …`.
fn raised(line: &str) -> Option<&str> {
    const BEFORE: [&str; 4] = [
        "Caused by: ",
        "Uncaught ",
        "Unhandled exception. ",
        "Exception in thread \"main\" ",
    ];
    if line.starts_with("panic: ") {
        return Some(line);
    }
    let said = BEFORE.iter().find_map(|it| line.strip_prefix(it));
    let said = said.unwrap_or(line);
    let name = said.split([':', ' ']).next()?;
    let is_name = |c: char| c.is_alphanumeric() || "._$".contains(c);
    let is_kind = ["Error", "Exception", "Throwable"]
        .iter()
        .any(|kind| name.ends_with(kind));
    (is_kind && name.chars().all(is_name)).then_some(said)
}

/// Where a call is: `at f (src/a.js:3:9)`, `at src/a.rs:3:9`, `at a.b.C.f(C.java:3)`,
/// `at A.B.f() in /src/a.cs:line 3`, `/src/a.go:3 +0x1d`.
fn call(line: &str) -> Option<Place<'_>> {
    let Some(at) = line.strip_prefix("at ") else {
        let (place, rest) = place(line.split_once(" +0x")?.0)?;
        return rest.is_empty().then_some(place);
    };
    if let Some((path, line)) = at.rsplit_once(":line ") {
        let (_, path) = path.rsplit_once(" in ")?;
        let (line, rest) = number(line)?;
        return rest.is_empty().then(|| Place::new(path, line));
    }
    let (name, inside) = match at.strip_suffix(')') {
        Some(at) => at.rsplit_once('(')?,
        None => ("", at.strip_prefix("async ").unwrap_or(at)),
    };
    let place = place_alone(inside.strip_prefix("file://").unwrap_or(inside))?;
    Some(match package(name) {
        Some(package) if is_of_jvm(&place.path) => Place {
            path: format!("{package}/{}", place.path).into(),
            ..place
        },
        _ => place,
    })
}

fn is_of_jvm(path: &str) -> bool {
    let (_, ending) = path.rsplit_once('.').unwrap_or_default();
    ["java", "kt", "scala", "groovy"].contains(&ending) && !path.contains('/')
}

/// The folder of a package: `a/b` of `app//a.b.C.f`.
fn package(name: &str) -> Option<String> {
    let name = name.rsplit('/').next()?;
    let (class, _) = name.rsplit_once('.')?;
    let (package, _) = class.rsplit_once('.')?;
    Some(package.replace('.', "/"))
}

/// Whether a call lies in what a language brings, or in a package that is installed.
fn is_foreign(place: &Place<'_>) -> bool {
    const BEGINNINGS: [&str; 16] = [
        "java/",
        "javax/",
        "jdk/",
        "sun/",
        "kotlin/",
        "kotlinx/",
        "scala/",
        "groovy/",
        "org/junit/",
        "org/gradle/",
        "org/apache/maven/",
        "org/mockito/",
        "org/assertj/",
        "node:",
        "internal/",
        "/rustc/",
    ];
    const FOLDERS: [&str; 5] = [
        "/node_modules/",
        "/go/src/",
        "/pkg/mod/",
        "/.cargo/registry/",
        "/library/std/",
    ];
    let path = place.path.replace('\\', "/");
    BEGINNINGS.iter().any(|it| path.starts_with(it))
        || FOLDERS.iter().any(|it| path.contains(it))
        || path.starts_with("node_modules/")
}
