//! Lines that say both where something is wrong and what.

use super::place::{Place, decoded, is_path, number, place, place_alone};
use super::reading::Reading;

/// Returns what a line without surrounding blanks says by itself.
pub(super) fn alone(line: &str) -> Option<(Place<'_>, Reading<'_>)> {
    of_workflow(line)
        .or_else(|| of_kotlin(line))
        .or_else(|| of_php(line))
        .or_else(|| of_dart(line))
        .or_else(|| judged(line))
        .or_else(|| {
            let (place, said) = place_and_message(without_kind(line))?;
            Some((place, Reading::of(said)))
        })
}

/// Returns a line without what some put before the place: `vet: `, `** (CompileError) `.
fn without_kind(line: &str) -> &str {
    let of_elixir = line.strip_prefix("** (");
    let of_elixir = of_elixir.and_then(|it| Some(it.split_once(") ")?.1));
    of_elixir
        .or_else(|| line.strip_prefix("vet: "))
        .unwrap_or(line)
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

/// `::error file=src/a.py,line=3,col=9::…` of GitHub's workflows.
fn of_workflow(line: &str) -> Option<(Place<'_>, Reading<'_>)> {
    let (severity, rest) = line.strip_prefix("::")?.split_once(' ')?;
    let severity = match severity {
        "error" | "warning" => severity,
        "notice" => "note",
        _ => return None,
    };
    let (members, message) = rest.split_once("::")?;
    let member = |name: &str| {
        let mut members = members
            .split(',')
            .filter_map(|it| it.trim().split_once('='));
        members.find_map(|(have, value)| (have == name).then_some(value))
    };
    let path = decoded(member("file")?);
    if !is_path(&path) {
        return None;
    }
    let number = |name| member(name)?.parse().ok();
    let place = Place {
        path: path.into(),
        line: number("line")?,
        column: number("col"),
    };
    let said = Reading::of(message.trim_start());
    Some((place, Reading { severity, ..said }))
}

/// `[ERROR] src/A.java:[3,9] …` of Maven, `[error] src/a.scala:3:9: …` of sbt,
/// `##[error]src/a.py:3:9: …` of logs of workflows.
fn judged(line: &str) -> Option<(Place<'_>, Reading<'_>)> {
    let of_log = line.strip_prefix("##[").and_then(|it| it.split_once(']'));
    let (severity, line) = of_log.or_else(|| line.strip_prefix('[')?.split_once("] "))?;
    let severity = ["error", "warning", "warn"]
        .into_iter()
        .find(|it| it.eq_ignore_ascii_case(severity))?;
    let (place, said) = of_maven(line).or_else(|| place_and_message(line))?;
    let said = Reading::of(said);
    Some((
        place,
        Reading {
            severity: if severity == "warn" {
                "warning"
            } else {
                severity
            },
            ..said
        },
    ))
}

/// `src/A.java:[3,9] …`
fn of_maven(line: &str) -> Option<(Place<'_>, &str)> {
    let (path, rest) = line.split_once(":[")?;
    let (numbers, said) = rest.split_once("] ")?;
    let (line, column) = numbers.split_once(',')?;
    let place = Place::at(path, line.parse().ok()?, column.parse().ok());
    is_path(path).then_some((place, said))
}

/// `e: file:///src/a.kt:3:9 …`, and the older `e: /src/a.kt: (3, 9): …`.
fn of_kotlin(line: &str) -> Option<(Place<'_>, Reading<'_>)> {
    let (severity, rest) = match line.split_once(": ")? {
        ("e", rest) => ("error", rest),
        ("w", rest) => ("warning", rest),
        _ => return None,
    };
    let rest = rest.strip_prefix("file://").unwrap_or(rest);
    let (place, message) = match rest.split_once(": (") {
        Some((path, rest)) => {
            let (numbers, message) = rest.split_once("): ")?;
            let (line, column) = numbers.split_once(", ")?;
            (
                Place::at(path, line.parse().ok()?, column.parse().ok()),
                message,
            )
        }
        None => {
            let (at, message) = rest.split_once(' ')?;
            (place_alone(at)?, message)
        }
    };
    let said = Reading {
        severity,
        code: None,
        message,
    };
    is_path(&place.path).then_some((place, said))
}

/// `PHP Parse error:  … in src/a.php on line 3`
fn of_php(line: &str) -> Option<(Place<'_>, Reading<'_>)> {
    const KINDS: [(&str, &str); 5] = [
        ("Fatal error: ", "error"),
        ("Parse error: ", "error"),
        ("Warning: ", "warning"),
        ("Deprecated: ", "warning"),
        ("Notice: ", "note"),
    ];
    let line = line.strip_prefix("PHP ").unwrap_or(line);
    let mut kinds = KINDS.iter();
    let (rest, severity) =
        kinds.find_map(|(kind, severity)| Some((line.strip_prefix(kind)?, *severity)))?;
    let (message, at) = rest.rsplit_once(" in ")?;
    let (path, number_of_line) = at.split_once(" on line ")?;
    let (line, rest) = number(number_of_line)?;
    let said = Reading {
        severity,
        code: None,
        message: message.trim(),
    };
    (rest.is_empty() && is_path(path)).then(|| (Place::new(path, line), said))
}

/// `error • … • lib/a.dart:3:9 • code`, `error - lib/a.dart:3:9 - … - code`
fn of_dart(line: &str) -> Option<(Place<'_>, Reading<'_>)> {
    let (severity, rest) = line.split_once(' ')?;
    if !["error", "warning", "info"].contains(&severity) {
        return None;
    }
    let (at, message, code) = match rest.strip_prefix("• ") {
        Some(rest) => {
            let (rest, code) = rest.rsplit_once(" • ")?;
            let (message, at) = rest.rsplit_once(" • ")?;
            (at, message, code)
        }
        None => {
            let (at, rest) = rest.strip_prefix("- ")?.split_once(" - ")?;
            let (message, code) = rest.rsplit_once(" - ")?;
            (at, message, code)
        }
    };
    let said = Reading {
        severity,
        code: Some(code),
        message,
    };
    Some((place_alone(at)?, said))
}

/// `3:9  error  …  rule`, below the name of its file.
pub(super) fn below<'a>(path: &'a str, line: &'a str) -> Option<(Place<'a>, Reading<'a>)> {
    let (number_of_line, rest) = number(line)?;
    let (column, rest) = number(rest.strip_prefix(':')?)?;
    let (sign, said) = rest.trim_start().split_once(' ')?;
    let severity = match sign {
        "error" | "✖" | "×" => "error",
        "warning" | "⚠" => "warning",
        _ => return None,
    };
    let said = said.trim();
    let (message, code) = match said.rsplit_once("  ") {
        Some((message, code)) if !code.contains(' ') => (message.trim_end(), Some(code)),
        _ => (said, None),
    };
    let place = Place::at(path, number_of_line, Some(column));
    let said = Reading {
        severity,
        code,
        message,
    };
    rest.starts_with(' ').then_some((place, said))
}
