//! The schemas describe what goes in and comes out.

use std::path::Path;
use std::process::Command;

use jsonschema::Validator;
use serde_json::json;

use crate::project::{Json, Project};
use crate::readme::{blocks, read};

fn schema(kind: &str) -> Json {
    Project::new().run(["schema", kind]).succeeds().json()
}

fn validator(kind: &str) -> Validator {
    let schema = schema(kind);
    assert!(jsonschema::meta::is_valid(&schema), "{schema:#}");
    jsonschema::options().build(&schema).unwrap()
}

#[track_caller]
fn accepts(validator: &Validator, value: &Json) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{value:#}");
}

/// Fields without a description, wherever they are in a schema.
fn undescribed(schema: &Json, at: &str, found: &mut Vec<String>) {
    if let Some(fields) = schema.get("properties").and_then(Json::as_object) {
        for (name, field) in fields {
            // What is described where it is defined need not be described again.
            if field.get("description").is_none() && field.get("$ref").is_none() {
                found.push(format!("{at}.{name}"));
            }
        }
    }
    match schema {
        Json::Object(members) => {
            for (name, value) in members {
                undescribed(value, &format!("{at}/{name}"), found);
            }
        }
        Json::Array(items) => items.iter().for_each(|item| undescribed(item, at, found)),
        _ => {}
    }
}

#[test]
fn every_field_is_described() {
    for kind in [
        "request",
        "report",
        "explanation",
        "batch-request",
        "batch-report",
    ] {
        let mut found = Vec::new();
        undescribed(&schema(kind), kind, &mut found);
        assert_eq!(found, Vec::<String>::new());
        assert_eq!(
            schema(kind)["$schema"],
            "https://json-schema.org/draft/2020-12/schema"
        );
    }
}

#[test]
fn reports_of_every_flow_are_what_the_schema_says() {
    let project = Project::new()
        .file("a.rs", "use b;\nfn a() {}\n".repeat(50))
        .file("b.rs", "fn b() {}\n")
        .file("image.png", b"\x89PNG\0\0")
        .role(
            "r",
            "context: {include: ['*.rs', image.png, 'none/*'], git_diff: true, tree: true}",
        )
        .commit();
    let report = validator("report");
    let line = validator("batch-report");
    let mut requests = String::new();
    for flow in ["template", "whole", "files"] {
        for budget in [100, 900, 20_000] {
            let request = json!({
                "role": "r", "task": "t", "target": ["a.rs", "gone.rs"], "flow": flow,
                "template": "implement.j2", "budget": budget, "id": {"flow": flow},
            });
            requests.push_str(&format!("{request}\n"));
        }
    }
    requests.push_str("{}\nnothing\n{\"role\": \"nope\", \"task\": \"t\"}\n");
    let output = project.run_with_input(["batch"], &requests).succeeds();
    let mut built = 0;
    for text in output.stdout.lines() {
        let mut answer: Json = serde_json::from_str(text).unwrap();
        accepts(&line, &answer);
        let fields = answer.as_object_mut().unwrap();
        assert!(fields.shift_remove("line").is_some());
        assert!(!line.is_valid(&json!(fields)), "a line without its number");
        let fields = answer.as_object_mut().unwrap();
        fields.shift_remove("id");
        if fields.contains_key("prompt") {
            built += 1;
            accepts(&report, &answer);
            answer["flow"] = json!("another");
            assert!(!report.is_valid(&answer));
        }
    }
    assert_eq!(built, 9);
}

/// Whether `packer` builds a prompt for this request.
fn is_read(request: &Json) -> bool {
    let mut request = request.clone();
    if let Some(fields) = request.as_object_mut() {
        let others = [("role", json!("planner")), ("task", json!("t"))];
        for (name, value) in others {
            fields.entry(name).or_insert(value);
        }
    }
    let project = Project::new().file("a.rs", "mod a;\n");
    let arguments = ["prompt", "--request", "-", "-q"];
    let output = project.run_with_input(arguments, &request.to_string());
    output.code == 0
}

#[test]
fn requests_of_the_documents_are_what_the_schema_says() {
    let request = validator("request");
    let line = validator("batch-request");
    let document = read("docs/request-and-report.md");
    let whole: Json = serde_json::from_str(&blocks(&document, "json")[0]).unwrap();
    accepts(&request, &whole);
    assert!(!line.is_valid(&whole), "it says where to print");
    for text in blocks(&document, "jsonl")[0].lines() {
        accepts(&line, &serde_json::from_str(text).unwrap());
    }
    for wrong in [
        json!({"tsak": "t"}),
        json!({"budget": 0}),
        json!({"budget": 4_000_001}),
        json!({"target": "a.rs"}),
        json!({"style": "html"}),
        json!({"role": 1}),
        json!({"budget": 999.5}),
        json!({"cache_points": 5.0}),
        json!({"extra": {"": "x"}}),
        json!({"extra": {" ": "x"}}),
        json!({"extra": {"a\nb": "x"}}),
        json!({"extra": {"a".repeat(65): "x"}}),
        json!([]),
    ] {
        assert!(!request.is_valid(&wrong), "{wrong}");
        assert!(!line.is_valid(&wrong), "{wrong}");
        assert!(!is_read(&wrong), "{wrong}");
    }
    for right in [
        json!({"budget": 900.0, "cache_points": 2.0, "messages": true}),
        json!({"extra": {"a b": "x", "ü".repeat(64): "x"}}),
    ] {
        accepts(&request, &right);
        assert!(is_read(&right), "{right}");
    }
    accepts(
        &line,
        &json!({"id": [1], "repo": "x", "role": {"name": "r"}}),
    );
    assert!(!request.is_valid(&json!({"id": 1})));
}

#[test]
fn the_python_package_says_what_the_schemas_say() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let generate = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/generate.py");
    let checked = Command::new("python3")
        .arg(generate)
        .args(["--check", env!("CARGO_BIN_EXE_packer")])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{told}");
}
