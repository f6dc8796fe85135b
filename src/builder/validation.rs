//! What checks print, in three formats that are told apart by their content.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::Value;

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::parse_findings;

/// The most bytes of text in the results of SARIF. They refer to rules, bases and
/// artifacts, so that a short input can mean a text without end.
const MAX_TEXT: usize = 64 * 1024 * 1024;

/// What checks found.
#[derive(Debug, Clone, Default)]
pub struct Validation {
    /// Everything, in the order of the input. What cargo or SARIF tell twice of one place is
    /// there once.
    pub errors: Vec<ValidationError>,
    /// Whether cargo says that the build failed.
    pub failed: bool,
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct ValidationError {
    /// The file, as the check names it.
    pub file: Option<String>,
    /// The line, from 1; 0 where the check says that it means the whole file.
    pub line: Option<usize>,
    /// What is wrong, with what else the check says about it.
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
    /// [`ErrorKind::Request`] if it is none of the three, or SARIF whose results have more
    /// than 64 MiB of text once what they refer to is written out.
    pub fn parse(text: &str) -> Result<Validation, Error> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Ok(Validation::default());
        }
        let (errors, failed) = match parse_findings(text) {
            Err(error) if error.is_data() => return Err(too_much(error)),
            Ok(json) if json["stages"].is_array() => (stages(&json), false),
            Ok(json) if json["runs"].is_array() => (sarif(&json).ok_or_else(too_long)?, false),
            _ => cargo(text)?.ok_or_else(unknown)?,
        };
        Ok(Validation { errors, failed })
    }
}

fn too_much(error: serde_json::Error) -> Error {
    let problem = Diagnostic::error(format!("the errors cannot be read: {error}"));
    let help = "pass fewer of them";
    Error::new(ErrorKind::Request, problem.help(Some(help.into()))).caused_by(error)
}

fn unknown() -> Error {
    let message = "the errors are in no format that is known";
    let help = "known are {\"stages\": …}, SARIF 2.1.0, and the lines of `cargo check --message-format=json`";
    Error::new(
        ErrorKind::Request,
        Diagnostic::error(message).help(Some(help.into())),
    )
}

fn too_long() -> Error {
    let mib = MAX_TEXT / (1024 * 1024);
    let message = format!(
        "the errors have more than {mib} MiB of text once what they refer to is written out"
    );
    Error::say(ErrorKind::Request, message)
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

/// The number of a line or a column, which some write as text.
fn line(json: &Value) -> Option<usize> {
    let number = json
        .as_u64()
        .or_else(|| json.as_str()?.trim().parse().ok())?;
    usize::try_from(number).ok()
}

/// What was told of which column. A crate is checked several times, as a library and as a
/// test, and each time the same is told of the same place.
type Told = HashSet<(ValidationError, Option<usize>)>;

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

/// The errors, or `None` if their text is too much once it is put together.
fn sarif(json: &Value) -> Option<Vec<ValidationError>> {
    let mut errors = Vec::new();
    let mut told = Told::new();
    let mut left = MAX_TEXT;
    for run in items(&json["runs"]) {
        let run = Run::of(run);
        for result in items(&run.json["results"]) {
            let kind = result["kind"].as_str().unwrap_or("fail");
            let passed = matches!(kind, "pass" | "notApplicable" | "informational");
            let suppressed = items(&result["suppressions"])
                .any(|s| !matches!(s["status"].as_str(), Some("rejected" | "underReview")));
            let fixed = result["baselineState"] == "absent";
            if !passed && !suppressed && !fixed {
                let error = run.error(result);
                let texts = [&error.file, &error.code, &Some(error.severity.clone())]
                    .map(|text| text.as_ref().map_or(0, String::len));
                left = left.checked_sub(error.message.len() + texts.iter().sum::<usize>())?;
                let place = &result["locations"][0]["physicalLocation"];
                let column = line(&place["region"]["startColumn"]);
                if told.insert((error.clone(), column)) {
                    errors.push(error);
                }
            }
        }
    }
    Some(errors)
}

/// A run with its rules: those of the tool itself, and those of each of its extensions.
struct Run<'a> {
    json: &'a Value,
    driver: Rules<'a>,
    extensions: Vec<Rules<'a>>,
}

/// Rules in their order, and by their names.
struct Rules<'a> {
    list: &'a Value,
    by_id: HashMap<&'a str, &'a Value>,
}

impl<'a> Rules<'a> {
    fn of(component: &'a Value) -> Rules<'a> {
        let list = &component["rules"];
        let mut by_id = HashMap::new();
        for rule in items(list) {
            if let Some(id) = rule["id"].as_str() {
                by_id.entry(id).or_insert(rule);
            }
        }
        Rules { list, by_id }
    }
}

impl<'a> Run<'a> {
    fn of(json: &'a Value) -> Run<'a> {
        let tool = &json["tool"];
        Run {
            json,
            driver: Rules::of(&tool["driver"]),
            extensions: items(&tool["extensions"]).map(Rules::of).collect(),
        }
    }

    fn error(&self, result: &Value) -> ValidationError {
        let rule = self.rule_of(result);
        let place = &result["locations"][0]["physicalLocation"];
        let level = text(&result["level"])
            .or_else(|| text(&rule?["defaultConfiguration"]["level"]))
            .unwrap_or_else(|| "warning".into());
        let message = &result["message"];
        let said = text(&message["text"]).or_else(|| {
            let id = message["id"].as_str()?;
            let template = rule?["messageStrings"][id]["text"].as_str()?;
            Some(filled(template, &message["arguments"]))
        });
        ValidationError {
            file: sarif_file(self.json, &place["artifactLocation"]),
            line: line(&place["region"]["startLine"]),
            message: said.unwrap_or_default(),
            severity: level,
            code: text(&result["ruleId"]).or_else(|| text(&rule?["id"])),
        }
    }

    fn rule_of(&self, result: &Value) -> Option<&'a Value> {
        let named = &result["rule"];
        let number = |json: &Value| usize::try_from(json.as_u64()?).ok();
        let extension = number(&named["toolComponent"]["index"]);
        let rules = extension
            .and_then(|index| self.extensions.get(index))
            .unwrap_or(&self.driver);
        let index = number(&named["index"]).or_else(|| number(&result["ruleIndex"]));
        let by_index = index.and_then(|index| rules.list.get(index));
        by_index.or_else(|| {
            let id = result["ruleId"].as_str().or(named["id"].as_str())?;
            rules.by_id.get(id).copied()
        })
    }
}

/// A message with its arguments in place of `{0}`, `{1}`, …. An argument is text, in
/// which nothing is replaced again.
fn filled(template: &str, arguments: &Value) -> String {
    let mut message = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        message.push_str(before);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = behind.split_at(digits);
        let argument = number.parse().ok().and_then(|n: usize| arguments.get(n));
        match (argument, after.strip_prefix('}')) {
            (Some(argument), Some(after)) => {
                message.push_str(argument.as_str().unwrap_or_default());
                rest = after;
            }
            _ => {
                message.push('{');
                rest = behind;
            }
        }
        if message.len() > MAX_TEXT {
            break;
        }
    }
    message.push_str(rest);
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

/// The address with its base before it, as far as the run says what that is: a base
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
///
/// # Errors
///
/// A line says more than can be kept.
fn cargo(text: &str) -> Result<Option<(Vec<ValidationError>, bool)>, Error> {
    let mut errors = Vec::new();
    let mut told = Told::new();
    let (mut any, mut failed) = (false, false);
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let json = match parse_findings(line) {
            Ok(json) => json,
            Err(error) if error.is_data() => return Err(too_much(error)),
            Err(_) => continue,
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
        let found = cargo_message(message);
        errors.extend(
            found
                .filter(|found| told.insert(found.clone()))
                .map(|(error, _)| error),
        );
    }
    Ok(any.then_some((errors, failed)))
}

/// What a message says, and at which column.
fn cargo_message(message: &Value) -> Option<(ValidationError, Option<usize>)> {
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
    let error = ValidationError {
        file: place.and_then(|span| text(&span["file_name"])),
        line: place.and_then(|span| line(&span["line_start"])),
        message: with_details(said, primary, message),
        severity: if level.starts_with("error") {
            "error".into()
        } else {
            level.to_owned()
        },
        code: text(&message["code"]["code"]),
    };
    let column = place.and_then(|span| line(&span["column_start"]));
    Some((error, column))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(run: &Value) -> Result<Vec<ValidationError>, Error> {
        let text = json!({"runs": [run]}).to_string();
        Validation::parse(&text).map(|validation| validation.errors)
    }

    #[test]
    fn what_differs_in_its_column_alone_is_two_errors() {
        let error = |column| json!({"file": "a.py", "line": 0, "column": column, "message": "m"});
        let stages = json!({"stages": [{"name": "a", "errors": [error(1), error(2), error(2)]}]});
        let errors = Validation::parse(&stages.to_string()).unwrap().errors;
        assert_eq!(errors.len(), 3);
        assert_eq!(errors[0].line, Some(0));

        let result = |column| {
            let region = json!({"startLine": 3, "startColumn": column});
            let place = json!({"artifactLocation": {"uri": "a.py"}, "region": region});
            json!({"message": {"text": "m"}, "locations": [{"physicalLocation": place}]})
        };
        let run = json!({"results": [result(1), result(2), result(2)]});
        assert_eq!(parsed(&run).unwrap().len(), 2);

        let line = |column| {
            let span = json!({"file_name": "a.rs", "line_start": 3, "column_start": column, "is_primary": true});
            let message = json!({"level": "error", "message": "m", "spans": [span]});
            json!({"reason": "compiler-message", "message": message}).to_string() + "\n"
        };
        let cargo = [line(1), line(2), line(2)].concat();
        assert_eq!(Validation::parse(&cargo).unwrap().errors.len(), 2);
    }

    #[test]
    fn arguments_are_text_and_not_filled_in_again() {
        let arguments = json!(["{1}{1}", "b", 3]);
        assert_eq!(
            filled("{0} {1}, {2}{3} {x} {", &arguments),
            "{1}{1} b, {3} {x} {"
        );
        let doubling: Vec<String> = (1..60).map(|n| format!("{{{n}}}{{{n}}}")).collect();
        assert_eq!(filled("{0}", &json!(doubling)), "{1}{1}");
    }

    #[test]
    fn many_results_find_their_rules_among_many() {
        let rules: Vec<Value> = (0..20_000)
            .map(|n| json!({"id": format!("r{n}")}))
            .collect();
        let results: Vec<Value> = (0..20_000)
            .map(|n| json!({"ruleId": format!("r{}", 19_999 - n), "message": {"text": "m"}}))
            .collect();
        let start = std::time::Instant::now();
        let run = json!({"tool": {"driver": {"rules": rules}}, "results": results});
        assert_eq!(parsed(&run).unwrap().len(), 20_000);
        assert!(start.elapsed().as_secs() < 10);
    }

    #[test]
    fn text_that_is_repeated_without_end_is_an_error() {
        let long = "a".repeat(1024 * 1024);
        let rules = json!([{"id": "R", "messageStrings": {"m": {"text": "{0}".repeat(100)}}}]);
        let message = json!({"id": "m", "arguments": [long]});
        let run = json!({"tool": {"driver": {"rules": rules}}, "results": [{"ruleId": "R", "message": message}]});
        assert!(parsed(&run).unwrap_err().to_string().contains("64 MiB"));
    }
}
