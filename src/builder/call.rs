//! Finds where a call is, in a line of a stack as each language prints it.

use super::place::{Place, in_address, number, place, place_alone};

/// A call that led to an error.
pub(super) struct Call<'a> {
    pub(super) place: Place<'a>,
    /// Whether it is in code that comes with the language, or in an installed package.
    pub(super) is_foreign: bool,
    /// Whether a line of its own says what was raised, instead of the last one before the calls.
    pub(super) is_announced: bool,
}

/// Returns the call in a line without surrounding blanks, if there is one.
pub(super) fn call(line: &str) -> Option<Call<'_>> {
    let any = by_at(line)
        .or_else(|| of_vitest(line))
        .or_else(|| of_ruby(line))
        .or_else(|| of_php(line));
    if let Some(place) = any {
        return Some(Call {
            is_foreign: is_foreign(&place),
            is_announced: false,
            place,
        });
    }
    let place = of_go(line).or_else(|| of_c(line));
    let of_another = place.is_none().then(|| of_elixir(line)).flatten();
    let (place, is_brought) = place.map(|place| (place, false)).or(of_another)?;
    Some(Call {
        is_foreign: is_brought || is_foreign(&place),
        is_announced: true,
        place,
    })
}

/// `at f (src/a.js:3:9)`, `at src/a.rs:3:9`, `at a.b.C.f(C.java:3)`, `at A.B.f() in
/// /src/a.cs:line 3`
fn by_at(line: &str) -> Option<Place<'_>> {
    let at = line.strip_prefix("at ")?;
    if let Some((path, line)) = at.rsplit_once(":line ") {
        let (_, path) = path.rsplit_once(" in ")?;
        let (line, rest) = number(line)?;
        return rest.is_empty().then(|| Place::new(path, line));
    }
    let (name, inside) = match at.strip_suffix(')') {
        Some(at) => at.rsplit_once('(')?,
        None => ("", at.strip_prefix("async ").unwrap_or(at)),
    };
    let place = place_alone(in_address(inside))?;
    Some(match package(name) {
        Some(package) if is_of_jvm(&place.path) => Place {
            path: format!("{package}/{}", place.path).into(),
            ..place
        },
        _ => place,
    })
}

fn is_of_jvm(path: &str) -> bool {
    ["java", "kt", "scala", "groovy"].contains(&ending(path)) && !path.contains('/')
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Returns the folder of a package: `a/b` of `app//a.b.C.f`.
fn package(name: &str) -> Option<String> {
    let name = name.rsplit('/').next()?;
    let (class, _) = name.rsplit_once('.')?;
    let (package, _) = class.rsplit_once('.')?;
    Some(package.replace('.', "/"))
}

/// `❯ src/a.test.ts:3:9`, `❯ load src/a.ts:3:9`
fn of_vitest(line: &str) -> Option<Place<'_>> {
    place_alone(last_word(line.strip_prefix("❯ ")?))
}

fn last_word(text: &str) -> &str {
    text.rsplit(' ').next().unwrap_or(text)
}

/// `from a.rb:3:in 'f'`, ``# ./spec/a_spec.rb:3:in `block'``, `a.rb:3:in 'f'`
fn of_ruby(line: &str) -> Option<Place<'_>> {
    let call = line
        .strip_prefix("from ")
        .or_else(|| line.strip_prefix("# "))
        .unwrap_or(line);
    let (place, name) = call.split_once(":in ")?;
    (name.starts_with(['\'', '`']) && name.ends_with('\''))
        .then(|| place_alone(place))
        .flatten()
}

/// `#0 /app/a.php(3): f()`, and `/app/a.php:3` by itself, as PHP's tests have it.
fn of_php(line: &str) -> Option<Place<'_>> {
    let place = match numbered(line) {
        Some(call) => place(call).and_then(|(place, rest)| rest.starts_with(": ").then_some(place)),
        None => place_alone(line).filter(|place| place.path.contains('/')),
    };
    place.filter(|place| ending(&place.path) == "php")
}

/// Returns what follows the number of a call: `#0 …`.
fn numbered(line: &str) -> Option<&str> {
    let (_, rest) = number(line.strip_prefix('#')?)?;
    rest.starts_with(' ').then(|| rest.trim_start())
}

/// `/src/a.go:3 +0x1d`, and `/src/a.go:3` where the call was inlined.
fn of_go(line: &str) -> Option<Place<'_>> {
    if let Some((place, _)) = line.split_once(" +0x") {
        return place_alone(place);
    }
    place_alone(line).filter(|place| ending(&place.path) == "go" && place.path.contains('/'))
}

/// `#0 0x55 in f(int) /src/a.cpp:3:9` of a sanitizer, `#1  0x55 in f (n=1) at a.c:3` of a
/// debugger.
fn of_c(line: &str) -> Option<Place<'_>> {
    let call = numbered(line)?;
    let has_name = call.starts_with("0x") && call.contains(" in ") || call.contains(" at ");
    has_name.then(|| place_alone(last_word(call))).flatten()
}

/// `(app 0.1.0) lib/a.ex:3: A.f/1`, `test/a_test.exs:3: (test)`; and whether it is a call in code
/// that comes with the language.
fn of_elixir(line: &str) -> Option<(Place<'_>, bool)> {
    const BROUGHT: [&str; 6] = ["elixir", "stdlib", "kernel", "ex_unit", "mix", "logger"];
    let app = line.strip_prefix('(').and_then(|it| it.split_once(") "));
    let (app, call) = app.unwrap_or(("", line));
    let (place, rest) = place(call)?;
    let name = rest.strip_prefix(": ")?;
    let is_call = name == "(test)" || name.rsplit_once('/').is_some_and(|(_, n)| is_arity(n));
    let is_known = ["ex", "exs", "erl"].contains(&ending(&place.path));
    let app = app.split(' ').next().unwrap_or_default();
    (is_call && is_known).then(|| (place, BROUGHT.contains(&app)))
}

fn is_arity(text: &str) -> bool {
    number(text).is_some_and(|(_, rest)| rest.is_empty())
}

/// Whether a place is in code that comes with the language, or in an installed package.
pub(super) fn is_foreign(place: &Place<'_>) -> bool {
    const BEGINNINGS: [&str; 19] = [
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
        "/usr/include/",
        "../sysdeps/",
        "<internal:",
    ];
    const FOLDERS: [&str; 10] = [
        "/node_modules/",
        "/go/src/",
        "/pkg/mod/",
        "/.cargo/registry/",
        "/library/std/",
        "/lib/ruby/",
        "/bundle/gems/",
        "/.rvm/gems/",
        "/.gem/",
        "/vendor/",
    ];
    let path = place.path.replace('\\', "/");
    let path = format!("/{path}");
    let begins = |with: &&str| path[1..].starts_with(*with);
    BEGINNINGS.iter().any(begins) || FOLDERS.iter().any(|it| path.contains(it))
}
