//! Reads what analysers print: SARIF 2.1.0.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::account::Account;
use super::finding::{Finding, MAX_PATH, Said, TooLong, items, line, named, text, word};
use super::place::decoded;

/// Takes the problems that SARIF reports, each of one place once. Returns whether a run failed.
pub(super) fn sarif(json: &Value, account: &mut Account) -> bool {
    let mut failed = false;
    for run in items(&json["runs"]) {
        failed |= items(&run["invocations"]).any(|it| it["executionSuccessful"] == false);
        let run = Run::of(run);
        for result in items(&run.json["results"]) {
            let kind = result["kind"].as_str().unwrap_or("fail");
            let passed = matches!(kind, "pass" | "notApplicable" | "informational");
            let suppressed = items(&result["suppressions"])
                .any(|s| !matches!(s["status"].as_str(), Some("rejected" | "underReview")));
            let fixed = result["baselineState"] == "absent";
            if !passed && !suppressed && !fixed {
                account.take_once(run.finding(result));
            }
        }
    }
    failed
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

    fn finding(&self, result: &Value) -> Finding {
        let rule = self.rule_of(result);
        let place = &result["locations"][0]["physicalLocation"];
        let level = word(&result["level"])
            .or_else(|| word(&rule?["defaultConfiguration"]["level"]))
            .unwrap_or_else(|| Said::word("warning"));
        let message = &result["message"];
        let said = text(&message["text"])
            .map(|text| Said::message(&text))
            .or_else(|| {
                let id = message["id"].as_str()?;
                let template = rule?["messageStrings"][id]["text"].as_str()?;
                Some(filled(template, &message["arguments"]))
            });
        Finding {
            file: sarif_file(self.json, &place["artifactLocation"]),
            line: line(&place["region"]["startLine"]),
            column: line(&place["region"]["startColumn"]),
            message: said.unwrap_or_else(|| Said::message("")),
            severity: level,
            code: word(&result["ruleId"]).or_else(|| word(&rule?["id"])),
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

/// Returns a message with its arguments in place of `{0}`, `{1}`, …. An argument is text, in which
/// nothing is replaced again.
fn filled(template: &str, arguments: &Value) -> Said {
    let mut message = Said::message("");
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        message.push(before);
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = behind.split_at(digits);
        let argument = number.parse().ok().and_then(|n: usize| arguments.get(n));
        match (argument, after.strip_prefix('}')) {
            (Some(argument), Some(after)) => {
                message.push(argument.as_str().unwrap_or_default());
                rest = after;
            }
            _ => {
                message.push("{");
                rest = behind;
            }
        }
        if message.is_cut() {
            break;
        }
    }
    message.push(rest);
    message
}

/// Returns the path that a location means. Its base is added if the run says where that is.
fn sarif_file(run: &Value, location: &Value) -> Result<Option<String>, TooLong> {
    let indexed = location["index"]
        .as_u64()
        .and_then(|index| run["artifacts"].get(usize::try_from(index).ok()?));
    let location = match (location["uri"].as_str(), indexed) {
        (None, Some(indexed)) => &indexed["location"],
        _ => location,
    };
    let Some(uri) = location["uri"].as_str() else {
        return Ok(None);
    };
    let uri = based(run, uri, location["uriBaseId"].as_str())?;
    let path = match uri.strip_prefix("file://") {
        // What stands before the path is a host, usually none.
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => uri.strip_prefix("file:").unwrap_or(&uri),
    };
    if path.len() > MAX_URI {
        return Err(TooLong);
    }
    named(&decoded(path)).map(Some)
}

/// The most bytes of an address with all its bases: every byte of a path may be written as three.
const MAX_URI: usize = 4 * MAX_PATH;

/// Returns the address with its base before it, as far as the run says what that is: a base may
/// have a base of its own.
fn based<'a>(run: &'a Value, uri: &'a str, base: Option<&'a str>) -> Result<Cow<'a, str>, TooLong> {
    let (mut uri, mut base) = (Cow::Borrowed(uri), base);
    // A hostile run may go in a circle.
    for _ in 0..8 {
        let Some(known) = base.map(|id| &run["originalUriBaseIds"][id]) else {
            break;
        };
        let Some(before) = known["uri"].as_str().filter(|_| !uri.contains("://")) else {
            break;
        };
        let before = before.trim_end_matches('/');
        if before.len() + uri.len() > MAX_URI {
            return Err(TooLong);
        }
        uri = format!("{before}/{uri}").into();
        base = known["uriBaseId"].as_str();
    }
    Ok(uri)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_text_and_not_filled_in_again() {
        let said = |template: &str, arguments: &Value| {
            let found = Finding {
                message: filled(template, arguments),
                file: Ok(None),
                line: None,
                column: None,
                severity: Said::word(""),
                code: None,
            };
            let mut account = Account::default();
            account.take(found);
            account.finish().0.remove(0).message
        };
        let arguments = json!(["{1}{1}", "b", 3]);
        assert_eq!(
            said("{0} {1}, {2}{3} {x} {", &arguments),
            "{1}{1} b, {3} {x} {"
        );
        let doubling: Vec<String> = (1..60).map(|n| format!("{{{n}}}{{{n}}}")).collect();
        assert_eq!(said("{0}", &json!(doubling)), "{1}{1}");
    }

    fn path_of(bases: &Value, location: &Value) -> Result<Option<String>, TooLong> {
        sarif_file(&json!({"originalUriBaseIds": bases}), location)
    }

    #[test]
    fn a_path_has_an_end_whatever_it_is_made_of() {
        let circle = json!({"A": {"uri": "z".repeat(70_000), "uriBaseId": "A"}});
        let below = json!({"uri": "a.txt", "uriBaseId": "A"});
        assert_eq!(path_of(&circle, &below), Err(TooLong));
        let long = json!({"uri": "z".repeat(MAX_PATH + 1)});
        assert_eq!(path_of(&circle, &long), Err(TooLong));
        let written =
            json!({"uri": format!("file://{}/{}", "h".repeat(30_000), "%61".repeat(MAX_PATH - 1))});
        let path = path_of(&circle, &written).unwrap().unwrap();
        assert_eq!(path, format!("/{}", "a".repeat(MAX_PATH - 1)));
    }
}
