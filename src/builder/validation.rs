//! What checks print, in three formats that are told apart by their content.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::parse_json;

/// What checks found.
#[derive(Debug, Clone, Default)]
pub struct Validation {
    /// Everything, in the order of the input, each once.
    pub errors: Vec<ValidationError>,
    /// Whether cargo says that the build failed.
    pub failed: bool,
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct ValidationError {
    /// The file, as the check names it.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong, with what the check says beside it.
    pub message: String,
    /// `error`, `warning`, `note`, or another word of the check's.
    pub severity: String,
    /// The check's own name for this kind of mistake.
    pub code: Option<String>,
}

impl ValidationError {
    /// Whether it is a warning.
    pub fn is_warning(&self) -> bool {
        let severity = self.severity.to_ascii_lowercase();
        matches!(severity.as_str(), "warning" | "warn")
    }

    /// Whether it is an error and nothing less.
    pub fn is_error(&self) -> bool {
        !matches!(
            self.severity.to_ascii_lowercase().as_str(),
            "warning" | "warn" | "note" | "info" | "information" | "hint" | "help" | "none"
        )
    }
}

impl Validation {
    /// Reads the stages of a validation run (`{"stages": [{"name", "errors": […]}]}`),
    /// SARIF 2.1.0, or the lines of `cargo check --message-format=json`.
    ///
    /// Nothing at all is a run without errors. Lines of other programs between cargo's
    /// are passed over.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] if it is none of the three.
    pub fn parse(text: &str) -> Result<Validation, Error> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Ok(Validation::default());
        }
        let (mut errors, failed) = match parse_json(text) {
            Ok(json) if json["stages"].is_array() => (stages(&json), false),
            Ok(json) if json["runs"].is_array() => (sarif(&json), false),
            _ => cargo(text).ok_or_else(unknown)?,
        };
        let mut seen = HashSet::new();
        // One crate is checked several times: as a library, as a test.
        errors.retain(|error| seen.insert(error.clone()));
        Ok(Validation { errors, failed })
    }
}

fn unknown() -> Error {
    let message = "the errors are in no format that is known";
    let help = "known are {\"stages\": …}, SARIF 2.1.0, and the lines of `cargo check --message-format=json`";
    Error::new(
        ErrorKind::Request,
        Diagnostic::error(message).help(Some(help.into())),
    )
}

fn items(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

fn text(json: &Value) -> Option<String> {
    match json {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A line number, which some write as text; 0 is none.
fn line(json: &Value) -> Option<usize> {
    let number = json
        .as_u64()
        .or_else(|| json.as_str()?.trim().parse().ok())?;
    usize::try_from(number).ok().filter(|line| *line > 0)
}

fn stages(json: &Value) -> Vec<ValidationError> {
    items(&json["stages"])
        .flat_map(|stage| items(&stage["errors"]))
        .map(|error| ValidationError {
            file: text(&error["file"]),
            line: line(&error["line"]),
            message: text(&error["message"]).unwrap_or_default(),
            severity: text(&error["severity"]).unwrap_or_else(|| "error".into()),
            code: text(&error["code"]),
        })
        .collect()
}

fn sarif(json: &Value) -> Vec<ValidationError> {
    let mut errors = Vec::new();
    for run in items(&json["runs"]) {
        for result in items(&run["results"]) {
            let kind = result["kind"].as_str().unwrap_or("fail");
            let passed = matches!(kind, "pass" | "notApplicable" | "informational");
            let suppressed = items(&result["suppressions"])
                .any(|s| !matches!(s["status"].as_str(), Some("rejected" | "underReview")));
            let fixed = result["baselineState"] == "absent";
            if !passed && !suppressed && !fixed {
                errors.push(sarif_result(run, result));
            }
        }
    }
    errors
}

fn sarif_result(run: &Value, result: &Value) -> ValidationError {
    let rule = rule_of(rules_of(run, result), result);
    let place = &result["locations"][0]["physicalLocation"];
    let level = text(&result["level"])
        .or_else(|| text(&rule?["defaultConfiguration"]["level"]))
        .unwrap_or_else(|| "warning".into());
    let message = &result["message"];
    let said = text(&message["text"]).or_else(|| {
        let id = message["id"].as_str()?;
        let template = text(&rule?["messageStrings"][id]["text"])?;
        Some(filled(&template, &message["arguments"]))
    });
    ValidationError {
        file: sarif_file(run, &place["artifactLocation"]),
        line: line(&place["region"]["startLine"]),
        message: said.unwrap_or_default(),
        severity: level,
        code: text(&result["ruleId"]).or_else(|| text(&rule?["id"])),
    }
}

/// The rules of the component that a result comes from: the tool itself, or one of its
/// extensions.
fn rules_of<'a>(run: &'a Value, result: &Value) -> &'a Value {
    let index = result["rule"]["toolComponent"]["index"].as_u64();
    let extension = index.and_then(|index| {
        let extensions = &run["tool"]["extensions"];
        extensions.get(usize::try_from(index).ok()?)
    });
    &extension.unwrap_or(&run["tool"]["driver"])["rules"]
}

fn rule_of<'a>(rules: &'a Value, result: &Value) -> Option<&'a Value> {
    let index = result["rule"]["index"]
        .as_u64()
        .or_else(|| result["ruleIndex"].as_u64());
    let by_index = index.and_then(|index| rules.get(usize::try_from(index).ok()?));
    by_index.or_else(|| {
        let id = result["ruleId"]
            .as_str()
            .or(result["rule"]["id"].as_str())?;
        items(rules).find(|rule| rule["id"] == id)
    })
}

/// A message with its arguments in place of `{0}`, `{1}`, ….
fn filled(template: &str, arguments: &Value) -> String {
    let mut message = template.to_owned();
    for (index, argument) in items(arguments).enumerate() {
        message = message.replace(
            &format!("{{{index}}}"),
            argument.as_str().unwrap_or_default(),
        );
    }
    message
}

/// The path that a location means. Its base is added if the run says where that is.
fn sarif_file(run: &Value, location: &Value) -> Option<String> {
    let indexed = location["index"]
        .as_u64()
        .and_then(|index| run["artifacts"].get(usize::try_from(index).ok()?));
    let location = match location["uri"].as_str() {
        Some(_) => location,
        None => &indexed?["location"],
    };
    let uri = location["uri"].as_str()?;
    let uri = based(run, uri, location["uriBaseId"].as_str());
    let path = match uri.strip_prefix("file://") {
        // What stands before the path is a host, usually none.
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => uri.strip_prefix("file:").unwrap_or(&uri),
    };
    Some(decoded(path))
}

/// The address with its base before it, as far as the run tells what that is: a base
/// may have a base of its own.
fn based(run: &Value, uri: &str, base: Option<&str>) -> String {
    let (mut uri, mut base) = (uri.to_owned(), base);
    // A hostile run may go in a circle.
    for _ in 0..8 {
        let Some(known) = base.map(|id| &run["originalUriBaseIds"][id]) else {
            break;
        };
        let Some(before) = known["uri"].as_str().filter(|_| !uri.contains("://")) else {
            break;
        };
        uri = format!("{}/{uri}", before.trim_end_matches('/'));
        base = known["uriBaseId"].as_str();
    }
    uri
}

/// Writes `%20` and its like as what they stand for.
fn decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let hex = |at: usize| {
        let digit = |b: &u8| char::from(*b).to_digit(16);
        let value = bytes.get(at).and_then(digit)? * 16 + bytes.get(at + 1).and_then(digit)?;
        u8::try_from(value).ok()
    };
    let mut written = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], hex(at + 1)) {
            (b'%', Some(byte)) => {
                written.push(byte);
                at += 3;
            }
            (byte, _) => {
                written.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&written).into_owned()
}

/// Reads cargo's lines, and whether it says that the build failed; `None` if no line is
/// one of them.
fn cargo(text: &str) -> Option<(Vec<ValidationError>, bool)> {
    let mut errors = Vec::new();
    let (mut any, mut failed) = (false, false);
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let Ok(json) = parse_json(line) else {
            continue;
        };
        // Without cargo, rustc prints the message itself.
        let message = match (json["reason"].as_str(), json["$message_type"].as_str()) {
            (Some("compiler-message"), _) => &json["message"],
            (None, Some("diagnostic")) => &json,
            (Some(_), _) | (_, Some(_)) => {
                any = true;
                failed |= json["success"] == false;
                continue;
            }
            _ => continue,
        };
        any = true;
        errors.extend(cargo_message(message));
    }
    any.then_some((errors, failed))
}

fn cargo_message(message: &Value) -> Option<ValidationError> {
    let level = message["level"].as_str().unwrap_or("error");
    let said = message["message"].as_str().unwrap_or_default();
    let spans = || items(&message["spans"]);
    let is_summary = said.starts_with("aborting due to") || said.ends_with(" emitted");
    if level == "failure-note" || spans().next().is_none() && is_summary {
        return None;
    }
    let primary = spans()
        .find(|span| span["is_primary"] == true)
        .or_else(|| spans().next());
    let place = primary.map(in_own_code);
    Some(ValidationError {
        file: place.and_then(|span| text(&span["file_name"])),
        line: place.and_then(|span| line(&span["line_start"])),
        message: with_details(said, primary, message),
        severity: if level.starts_with("error") {
            "error".into()
        } else {
            level.to_owned()
        },
        code: text(&message["code"]["code"]),
    })
}

/// A span inside another crate's macro leads to where the macro is used.
fn in_own_code(span: &Value) -> &Value {
    let is_foreign = |span: &Value| {
        let file = span["file_name"].as_str().unwrap_or_default();
        file.starts_with('<') || file.starts_with("/rustc/") || file.contains("/registry/src/")
    };
    let mut span = span;
    // Macros nest at most as deep as the compiler lets them.
    for _ in 0..128 {
        let outer = &span["expansion"]["span"];
        if !is_foreign(span) || !outer.is_object() {
            break;
        }
        span = outer;
    }
    span
}

/// The message with the label at its place, and the compiler's notes and suggestions.
fn with_details(said: &str, primary: Option<&Value>, message: &Value) -> String {
    let mut text = said.to_owned();
    let label = primary.and_then(|span| span["label"].as_str());
    if let Some(label) = label.filter(|label| !label.is_empty() && *label != said) {
        text.push_str(&format!(": {label}"));
    }
    for child in items(&message["children"]) {
        let (level, said) = (child["level"].as_str(), child["message"].as_str());
        if let (Some(level @ ("help" | "note")), Some(said)) = (level, said) {
            text.push_str(&format!("\n{level}: {said}"));
            let place = &child["spans"][0];
            let replacement = place["suggested_replacement"].as_str();
            if let (Some(file), Some(line), "note") = (
                place["file_name"].as_str(),
                line(&place["line_start"]),
                level,
            ) {
                text.push_str(&format!(" ({file}:{line})"));
            }
            if let Some(replacement) = replacement
                .map(str::trim)
                .filter(|r| !r.is_empty() && !r.contains('\n'))
            {
                text.push_str(&format!(": `{replacement}`"));
            }
        }
    }
    text
}
