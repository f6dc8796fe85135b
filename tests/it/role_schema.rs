//! The JSON Schema of roles says what the loader says.

use context_packer::Roles;
use context_packer::diagnostics::Rule;
use context_packer::roles::role_schema;
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::json;

use crate::project::{Json, Project};
use crate::readme::{blocks, read};

fn schema() -> Validator {
    jsonschema::draft7::new(&role_schema()).unwrap()
}

/// A YAML text as the data that an editor checks.
fn data(yaml: &str) -> Json {
    serde_yaml::from_str(yaml).unwrap()
}

#[test]
fn the_command_prints_it_under_both_names() {
    let project = Project::new();
    let printed = project.run(["schema", "role"]).succeeds().stdout;
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!(json, role_schema());
    assert_eq!(project.run(["roles", "schema"]).succeeds().stdout, printed);
    assert!(jsonschema::draft7::meta::is_valid(&json));
}

#[test]
fn the_roles_that_ship_and_those_in_the_documents_are_valid() {
    let schema = schema();
    let built_in = ["planner", "implementer", "reviewer"];
    let built_in = built_in.map(|name| read(&format!("roles/{name}.yaml")));
    let documents = ["README.md", "docs/roles.md"];
    let shown = documents
        .iter()
        .flat_map(|page| blocks(&read(page), "yaml"));
    let mut count = 0;
    for yaml in built_in.into_iter().chain(shown) {
        let found: Vec<String> = schema
            .iter_errors(&data(&yaml))
            .map(|e| e.to_string())
            .collect();
        assert_eq!(found, [""; 0], "{yaml}");
        count += 1;
    }
    assert!(count >= 5);
}

#[test]
fn a_new_role_is_valid() {
    let project = Project::new();
    for arguments in [&["x"][..], &["x", "--extends", "planner"]] {
        let all = ["roles", "new", "-o", "-"].into_iter();
        let yaml = project
            .run(all.chain(arguments.iter().copied()))
            .succeeds()
            .stdout;
        assert!(schema().is_valid(&data(&yaml)), "{yaml}");
    }
}

/// Whether the loader finds no mistake that a schema could see.
fn loads(role: &Json) -> bool {
    match Roles::built_in().load_json(role) {
        Ok(_) => true,
        Err(error) => error
            .diagnostics()
            .iter()
            .all(|problem| problem.rule == Rule::UnknownRole),
    }
}

fn role(field: &str, value: &Json) -> Json {
    let mut role = json!({"name": "r", "description": "d", "system_prompt": "p"});
    match field.strip_prefix("context.") {
        Some(field) => role["context"] = json!({field: value}),
        None => role[field] = value.clone(),
    }
    role
}

/// Every field of a role.
fn fields() -> Vec<String> {
    let schema = role_schema();
    let names = |json: &Json, before: &str| -> Vec<String> {
        let keys = json["properties"].as_object().unwrap().keys();
        keys.map(|key| format!("{before}{key}")).collect()
    };
    let mut fields = names(&schema, "");
    fields.extend(names(&schema["properties"]["context"], "context."));
    fields.extend(["x-mine".into(), "priorty".into(), "context.inclde".into()]);
    fields
}

#[test]
fn what_the_loader_refuses_the_schema_refuses_and_the_other_way_round() {
    let schema = schema();
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(20),
        json!(21),
        json!(4_000_000),
        json!(4_000_001),
        json!(1.5),
        json!(20.0),
        json!(4_000_001.0),
        json!(-0.0),
        json!(""),
        json!(" "),
        json!("a"),
        json!("a b"),
        json!("1st"),
        json!("a\nb"),
        json!("a\n"),
        json!("shrink"),
        json!("xml"),
        json!("native"),
        json!("chars"),
        json!([]),
        json!(["a"]),
        json!(["$TARGET", "files"]),
        json!([1]),
        json!([null]),
        json!({}),
        json!({"depth": 2}),
        json!({"depth": 21}),
        json!({"depth": 2.0}),
        json!({"max_files": 3.0}),
        json!({"max_files": 3.5}),
        json!({"depth": null}),
        json!({"max_files": 3, "fill": true}),
        json!({"max_files": 0}),
        json!({"fill": "yes"}),
        json!({"other": 1}),
        json!([{"name": "g"}]),
        json!([{"name": "g", "required": false, "on_fail": "warn", "more": 1}]),
        json!([{"name": "g", "on_fail": "explode"}]),
        json!([{"required": true}]),
        json!([{"name": 1}]),
    ];
    for field in fields() {
        for value in &values {
            let role = role(&field, value);
            assert_eq!(schema.is_valid(&role), loads(&role), "{role}");
        }
    }
    for missing in ["name", "description", "system_prompt"] {
        let mut alone = json!({"name": "r", "description": "d", "system_prompt": "p"});
        alone.as_object_mut().unwrap().shift_remove(missing);
        assert!(!schema.is_valid(&alone) && !loads(&alone));
        alone["extends"] = "planner".into();
        assert!(schema.is_valid(&alone) && loads(&alone), "{alone}");
    }
    let additions = role("system_prompt_additions", &json!("more"));
    assert!(!schema.is_valid(&additions) && !loads(&additions));
    for nothing in [json!([]), json!("r"), json!(null), json!(1)] {
        assert!(!schema.is_valid(&nothing) && !loads(&nothing));
    }
}

fn anything() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3..30i64).prop_map(Json::from),
        "[a-z $*/\n]{0,8}".prop_map(Json::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::btree_map("(depth|max_files|fill|name|required|[a-c])", inner, 0..3)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn loader_and_schema_agree_on_any_value(
        field in prop::sample::select(fields()), value in anything()
    ) {
        let role = role(&field, &value);
        prop_assert_eq!(schema().is_valid(&role), loads(&role), "{}", role);
    }
}

/// The rows of a table in `docs/roles.md`: names, type, default.
fn rows() -> Vec<(Vec<String>, String, String)> {
    let page = read("docs/roles.md");
    let lines = page.lines().filter(|line| line.starts_with("| `"));
    let each = lines.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let names = cells[0]
            .split(", ")
            .map(|name| name.trim_matches('`').to_owned());
        (names.collect(), cells[1].to_owned(), cells[2].to_owned())
    });
    each.collect()
}

#[test]
fn the_documents_have_every_field_with_its_type_and_default() {
    let schema = role_schema();
    let context = &schema["properties"]["context"]["properties"];
    let rows = rows();
    let row = |name: &str| {
        let found = rows
            .iter()
            .find(|(names, ..)| names.iter().any(|n| n == name));
        found.unwrap_or_else(|| panic!("docs/roles.md lacks `{name}`"))
    };
    for name in schema["properties"].as_object().unwrap().keys() {
        row(name);
    }
    for (name, field) in context.as_object().unwrap() {
        let (_, kind, default) = row(name);
        let said = match &field["default"] {
            Json::Array(empty) if empty.is_empty() => "empty".to_owned(),
            Json::String(text) => format!("`{text}`"),
            other => other.to_string(),
        };
        assert_eq!(*default, said, "{name}");
        let words = if let Some(choices) = field["enum"].as_array() {
            let names: Vec<String> = choices
                .iter()
                .map(|c| format!("`{}`", c.as_str().unwrap()))
                .collect();
            names.join(", ")
        } else if field["type"] == "integer" {
            "1 … 4,000,000".to_owned()
        } else if field["type"] == "boolean" || field["anyOf"][0]["type"] == "boolean" {
            "bool".to_owned()
        } else if name == "priority_order" {
            "section keys".to_owned()
        } else {
            "patterns".to_owned()
        };
        assert!(kind.starts_with(&words), "{name}: {kind}, not {words}");
    }
    for (names, ..) in &rows {
        for name in names.iter().filter(|name| *name != "x-…") {
            let known = !schema["properties"][name].is_null() || !context[name].is_null();
            assert!(known, "docs/roles.md has `{name}`");
        }
    }
}
