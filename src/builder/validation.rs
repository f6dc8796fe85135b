//! Reads what checks print, in five formats that are distinguished by their content.

use serde_json::Value;

use super::account::Account;
use super::finding::{Finding, Said, ValidationError, items, line, path, text, word};
use super::plain::plain;
use super::sarif::sarif;
use super::stages::Stages;
use crate::error::{Error, ErrorKind};
use crate::json::parse_findings;
use crate::section::{Note, NoteKind};

/// What checks found.
#[derive(Debug, Clone, Default)]
pub struct Validation {
    /// Everything, in the order of the input. What cargo or SARIF report twice of one place is
    /// there once.
    pub errors: Vec<ValidationError>,
    /// Whether cargo says that the build failed, SARIF or a validation that a run did, or a stage
    /// that it did and nothing says where.
    pub failed: bool,
    /// What of the input is missing or was changed.
    pub warnings: Vec<Note>,
}

impl Validation {
    /// Reads the stages of a validation run (`{"stages": [{"name", "errors": […]}]}`), SARIF 2.1.0,
    /// the lines of `cargo check --message-format=json`, `ESLint`'s JSON, or what compilers print
    /// for people (`src/a.c:3:9: error: …`).
    ///
    /// Empty input is a run without errors. Lines of other programs between cargo's are skipped.
    /// Messages of more than 32 KiB are cut, and if errors have more than 8 MiB together, the last
    /// ones are left out, with a warning.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] if it is none of the five.
    pub fn parse(text: &str) -> Result<Validation, Error> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Ok(Validation::default());
        }
        let mut account = Account::default();
        let mut stages = Stages::default();
        let failed = match parse_findings(text) {
            Err(error) if error.is_data() => return Err(too_much(error)),
            Ok(json) if json["stages"].is_array() => {
                stages = Stages::read(&json, &mut account);
                stages.failed()
            }
            Ok(json) if json["runs"].is_array() => sarif(&json, &mut account),
            Ok(json) if is_eslint(&json) => {
                eslint(&json, &mut account);
                false
            }
            _ => match cargo(text, &mut account)? {
                Some(failed) => failed,
                None if plain(text, &mut account).is_some() => false,
                None => return Err(unknown()),
            },
        };
        let (errors, mut warnings) = account.finish();
        warnings.extend(stages.notes());
        if failed && !stages.is_told() && !errors.iter().any(ValidationError::is_error) {
            let message = "the build failed, but no message says where";
            warnings.push(Note::new(NoteKind::Skipped, message));
        }
        Ok(Validation {
            errors,
            failed,
            warnings,
        })
    }
}

fn too_much(error: serde_json::Error) -> Error {
    let message = format!("cannot read the errors: {error}");
    Error::advise(ErrorKind::Request, message, "pass fewer of them").caused_by(error)
}

fn unknown() -> Error {
    let message = "the format of the errors is not known";
    let help = "use {\"stages\": …}, SARIF 2.1.0, the lines of `cargo check \
                --message-format=json`, ESLint's JSON, or lines such as `src/a.c:3:9: error: …`";
    Error::advise(ErrorKind::Request, message, help)
}

fn is_eslint(json: &Value) -> bool {
    let is_file = |file: &Value| file["filePath"].is_string() && file["messages"].is_array();
    json.as_array()
        .is_some_and(|files| files.iter().all(is_file))
}

/// Takes what `eslint --format json` says.
fn eslint(json: &Value, account: &mut Account) {
    let messages = items(json).flat_map(|file| {
        let messages = items(&file["messages"]);
        messages.map(move |message| (file, message))
    });
    for (file, message) in messages {
        let severity = match message["severity"].as_u64() {
            Some(1) => "warning",
            _ => "error",
        };
        account.take_once(Finding {
            file: path(&file["filePath"]),
            line: line(&message["line"]),
            column: line(&message["column"]),
            message: Said::message(&text(&message["message"]).unwrap_or_default()),
            severity: Said::word(severity),
            code: word(&message["ruleId"]),
        });
    }
}

/// Takes what cargo's lines say, each of one place once. Returns whether they say that the build
/// failed; `None` if no line is one of them.
///
/// # Errors
///
/// An error if a line says more than can be kept.
fn cargo(text: &str, account: &mut Account) -> Result<Option<bool>, Error> {
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
        if let Some(found) = cargo_message(message) {
            account.take_once(found);
        }
    }
    Ok(any.then_some(failed))
}

/// Returns what a message says.
fn cargo_message(message: &Value) -> Option<Finding> {
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
    let level = Some(level).filter(|level| !level.starts_with("error"));
    Some(Finding {
        file: place.map_or(Ok(None), |span| path(&span["file_name"])),
        line: place.and_then(|span| line(&span["line_start"])),
        column: place.and_then(|span| line(&span["column_start"])),
        message: with_details(said, primary, message),
        severity: Said::word(level.unwrap_or("error")),
        code: word(&message["code"]["code"]),
    })
}

/// Follows a span inside another crate's macro to where the macro is used.
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

/// Returns the message with the label at its place, and the compiler's notes and suggestions.
fn with_details(said: &str, primary: Option<&Value>, message: &Value) -> Said {
    let mut text = Said::message(said);
    let label = primary.and_then(|span| span["label"].as_str());
    if let Some(label) = label.filter(|label| !label.is_empty() && *label != said) {
        text.push(": ");
        text.push(label);
    }
    for child in items(&message["children"]) {
        let (level, said) = (child["level"].as_str(), child["message"].as_str());
        if let (Some(level @ ("help" | "note")), Some(said)) = (level, said) {
            for part in ["\n", level, ": ", said] {
                text.push(part);
            }
            let place = &child["spans"][0];
            let replacement = place["suggested_replacement"].as_str();
            if let (Some(file), Some(line), "note") = (
                place["file_name"].as_str(),
                line(&place["line_start"]),
                level,
            ) {
                for part in [" (", file, ":", &line.to_string(), ")"] {
                    text.push(part);
                }
            }
            if let Some(replacement) = replacement
                .map(str::trim)
                .filter(|r| !r.is_empty() && !r.contains('\n'))
            {
                for part in [": `", replacement, "`"] {
                    text.push(part);
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::builder::finding::MAX_PATH;

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
    fn a_whole_number_is_a_line_however_it_is_written() {
        let line = |line: Value| {
            let stages = json!({"stages": [{"errors": [{"file": "a.py", "line": line}]}]});
            Validation::parse(&stages.to_string()).unwrap().errors[0].line
        };
        for three in [json!(3), json!("3"), json!(3.0)] {
            assert_eq!(line(three), Some(3));
        }
        for none in [
            json!(3.5),
            json!(-3),
            json!(-3.0),
            json!(1e300),
            json!(null),
        ] {
            assert_eq!(line(none), None);
        }
    }

    #[test]
    fn a_run_that_failed_without_a_result_is_told() {
        let parsed = |successful: Value| {
            let run = json!({"invocations": [{"executionSuccessful": successful}]});
            let found = Validation::parse(&json!({"runs": [run]}).to_string()).unwrap();
            (found.failed, found.warnings.len())
        };
        assert_eq!(parsed(json!(false)), (true, 1));
        assert_eq!(parsed(json!(true)), (false, 0));
        assert_eq!(parsed(json!(null)), (false, 0));
    }

    #[test]
    fn what_eslint_finds_has_its_rule() {
        let warning =
            json!({"ruleId": "semi", "severity": 1, "message": "m", "line": 3, "column": 2});
        let error =
            json!({"ruleId": null, "severity": 2, "fatal": true, "message": "no", "line": 7});
        let file =
            json!({"filePath": "/w/src/a.js", "messages": [warning, error], "errorCount": 1});
        let found =
            Validation::parse(&json!([file, {"filePath": "/w/b.js", "messages": []}]).to_string());
        let errors = found.unwrap().errors;
        let told = errors
            .iter()
            .map(|it| (it.line, it.severity.as_str(), it.code.as_deref()));
        let told: Vec<_> = told.collect();
        assert_eq!(
            told,
            [(Some(3), "warning", Some("semi")), (Some(7), "error", None)]
        );
        assert_eq!(errors[0].file.as_deref(), Some("/w/src/a.js"));
        assert!(Validation::parse("[]").unwrap().errors.is_empty());
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
    fn text_that_is_repeated_without_end_is_cut() {
        let long = "a".repeat(1024 * 1024);
        let rules = json!([{"id": "R", "messageStrings": {"m": {"text": "{0}".repeat(100)}}}]);
        let message = json!({"id": "m", "arguments": [long]});
        let run = json!({"tool": {"driver": {"rules": rules}}, "results": [{"ruleId": "R", "message": message}]});
        let found = Validation::parse(&json!({"runs": [run]}).to_string()).unwrap();
        assert!(found.errors[0].message.len() < 40_000);
        assert!(found.warnings[0].message.contains("32 KiB"));
    }

    #[test]
    fn a_path_without_end_is_none_and_its_line_neither() {
        let error = json!({"file": "a".repeat(MAX_PATH + 1), "line": 3, "message": "m"});
        let stages = json!({"stages": [{"errors": [error]}]}).to_string();
        let found = Validation::parse(&stages).unwrap();
        assert_eq!((&found.errors[0].file, found.errors[0].line), (&None, None));
        assert!(found.warnings[0].message.contains("4096 bytes"));
    }
}
