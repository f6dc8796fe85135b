//! The table of a role's fields as a JSON Schema, with which editors complete and check role files.
//!
//! Draft 7: the YAML language server supports that version and earlier ones.

use serde_json::{Map, Value as Json, json};

use super::schema::{Choice, Field, GATE, ROLE, Type, known_keys};
use super::{Gate, Related, Settings, Tree};
use crate::section::Source;

/// Matches a text that is not blank.
const SAYS_SOMETHING: &str = r"\S";

/// A role's name.
const NAME: &str = "^[A-Za-z][A-Za-z0-9_-]*$";

/// Matches one line that is not blank; line breaks at its end do not count.
const LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*\s*$";

/// Returns the JSON Schema of a role file, built from the same table that checks roles.
pub fn role_schema() -> Json {
    let mut properties = properties(ROLE, &Json::Null);
    properties["system_prompt"]["pattern"] = r"\S".into();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A role of packer",
        "description": "Describes how to prompt one kind of worker: who it is, what context it gets, and what matters most in it.",
        "type": "object",
        "properties": properties,
        "patternProperties": {"^x-": {"description": "A field of your own."}},
        "additionalProperties": false,
        "if": {"not": {"required": ["extends"]}},
        "then": {"required": ["name", "description", "system_prompt"]},
        "dependencies": {"system_prompt_additions": ["extends"]},
        "examples": [{
            "name": "auditor",
            "description": "Looks for ways to misuse a change.",
            "extends": "reviewer",
            "system_prompt_additions": "You follow every input from outside to where it does harm.",
            "context": {"include": ["src/auth/**/*.rs"], "token_budget": 40000},
        }],
    })
}

fn properties(fields: &[Field], defaults: &Json) -> Json {
    let each = fields.iter().map(|field| {
        let mut schema = value(field);
        schema["description"] = field.text.into();
        if let Some(default) = defaults.get(field.name) {
            schema["default"] = default.clone();
        }
        (field.name.to_owned(), schema)
    });
    Json::Object(each.collect::<Map<_, _>>())
}

fn value(field: &Field) -> Json {
    let texts = json!({"type": "string"});
    match &field.kind {
        Type::Text => texts,
        Type::Line => json!({"type": "string", "pattern": LINE}),
        Type::Name => json!({"type": "string", "pattern": NAME}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Int(low, high) => json!({"type": "integer", "minimum": low, "maximum": high}),
        Type::Texts => list(&texts),
        Type::Keys => list(&one_of(&known_keys().collect::<Vec<_>>())),
        Type::Patterns if field.name == "include" => list(&one_of(&Source::sentinels())),
        Type::Patterns => list(&texts),
        Type::Gates => list(&gate()),
        Type::Map => json!({"type": ["object", "null"]}),
        Type::OneOf(choices) => choice(choices),
        Type::Switch(fields) => json!({"anyOf": [
            {"type": "boolean"},
            {"type": "object", "properties": properties(fields, &of_switch(field.name))},
        ]}),
        Type::SwitchOrTexts => json!({"anyOf": [
            {"type": "boolean"},
            {"type": "array", "items": texts},
        ]}),
        Type::Settings(fields) => json!({
            "type": ["object", "null"],
            "properties": properties(fields, &of_context()),
        }),
    }
}

/// Makes the schema of a list. A key without a value counts as absent.
fn list(items: &Json) -> Json {
    json!({"type": ["array", "null"], "items": items})
}

/// Makes the schema of any text, for which an editor offers these names.
fn one_of(names: &[&str]) -> Json {
    json!({"anyOf": [{"enum": names}, {"type": "string"}]})
}

fn choice(choices: &[Choice]) -> Json {
    let (names, texts): (Vec<&str>, Vec<&str>) = choices.iter().copied().unzip();
    json!({"enum": names, "enumDescriptions": texts})
}

fn gate() -> Json {
    let mut fields = properties(GATE, &of_gate());
    fields["name"]["pattern"] = json!(SAYS_SOMETHING);
    json!({"anyOf": [
        {"type": "string", "pattern": SAYS_SOMETHING, "description": "The check's name."},
        {
            "type": "object",
            "properties": fields,
            "required": ["name"],
            "additionalProperties": false,
        },
    ]})
}

/// Returns the defaults of `context`, from the code that uses them.
fn of_context() -> Json {
    serde_json::to_value(Settings::default()).unwrap_or_default()
}

/// Returns the defaults of a map that stands for a switch.
fn of_switch(name: &str) -> Json {
    let empty = json!({});
    let defaults = match name {
        "tree" => serde_json::from_value::<Tree>(empty).map(serde_json::to_value),
        _ => serde_json::from_value::<Related>(empty).map(serde_json::to_value),
    };
    defaults.and_then(|defaults| defaults).unwrap_or_default()
}

/// Returns the defaults of a gate, except for its name.
fn of_gate() -> Json {
    let gate = serde_json::from_value::<Gate>(json!({"name": ""}));
    let mut defaults = gate.and_then(serde_json::to_value).unwrap_or_default();
    if let Some(fields) = defaults.as_object_mut() {
        fields.shift_remove("name");
    }
    defaults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::schema::CONTEXT;

    #[test]
    fn every_setting_has_a_default_and_every_field_a_description() {
        let schema = role_schema();
        let context = &schema["properties"]["context"]["properties"];
        for field in CONTEXT {
            assert!(
                context[field.name].get("default").is_some(),
                "{}",
                field.name
            );
        }
        assert!(
            ROLE.iter()
                .chain(CONTEXT)
                .all(|field| !field.text.is_empty())
        );
        let depth = &context["tree"]["anyOf"][1]["properties"]["depth"]["default"];
        assert_eq!(*depth, 3);
        let gates = &schema["properties"]["gates"]["items"]["anyOf"][1]["properties"];
        assert_eq!(gates["required"]["default"], true);
    }
}
