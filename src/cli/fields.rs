//! JSON objects that people and programs write: what they may contain, and what is wrong with them.
//! It all follows from the type that an object is read into.

use context_packer::command::{help_among, number_in, show::quoted};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

/// Returns the schema of an object that [`read`] reads.
pub(super) fn schema<T: JsonSchema>(withheld: &[&str]) -> Schema {
    let mut schema = schema_for!(T);
    let mut fields = take(&mut schema, withheld);
    if let Some(Json::Object(shared)) = schema.get_mut("$defs") {
        keep_used(shared, &json!(fields).to_string());
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    for (name, field) in &mut fields {
        let is_required = required
            .as_array()
            .is_some_and(|all| all.contains(&json!(name)));
        if !is_required {
            allow_null(field);
        }
    }
    schema.insert("properties".into(), fields.into());
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// Lets an optional field be null: [`read`] treats null as absent.
fn allow_null(field: &mut Json) {
    if let Some(kind @ Json::String(_)) = field.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
}

/// Keeps what a text refers to, and what that refers to.
fn keep_used(shared: &mut Map<String, Json>, text: &str) {
    let mut texts = vec![text.to_owned()];
    let mut used = Map::new();
    while let Some(text) = texts.pop() {
        let names = shared.keys();
        let found = names.filter(|name| text.contains(&format!("/{name}\"")));
        let found: Vec<String> = found.cloned().collect();
        for name in found {
            if let Some(schema) = shared.shift_remove(&name) {
                texts.push(schema.to_string());
                used.insert(name, schema);
            }
        }
    }
    used.sort_keys();
    *shared = used;
}

/// Returns the schemas of the fields by name, each complete in itself.
#[cfg(feature = "preview")]
pub(super) fn each<T: JsonSchema>(withheld: &[&str]) -> Map<String, Json> {
    let settings =
        schemars::generate::SchemaSettings::default().with(|it| it.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    take(&mut schema, withheld)
}

/// Takes the schemas of the fields out of that of the whole.
fn take(schema: &mut Schema, withheld: &[&str]) -> Map<String, Json> {
    let Some(Json::Object(mut fields)) = schema.get_mut("properties").map(Json::take) else {
        return Map::new();
    };
    debug_assert!(
        withheld.iter().all(|name| fields.contains_key(*name)),
        "{withheld:?} has a name that no field has, so it withholds nothing"
    );
    fields.retain(|name, _| !withheld.contains(&name.as_str()));
    // Left out is not the same as `null` or `false` for the one who reads a schema.
    for field in fields.values_mut().filter_map(Json::as_object_mut) {
        field.remove("default");
    }
    fields
}

/// Returns the names of all fields except those withheld.
///
/// This builds a schema, which costs more than reading an object, so callers that read many keep
/// the names.
pub(super) fn names<T: JsonSchema>(withheld: &[&str]) -> Vec<String> {
    let fields = take(&mut schema_for!(T), withheld);
    fields.into_iter().map(|(name, _)| name).collect()
}

/// Reads an object that may have these fields. A field that is null counts as absent, because
/// programs write that when they have no value. An error names the field that is wrong.
pub(super) fn read<T: DeserializeOwned>(
    mut fields: Map<String, Json>,
    known: &[String],
) -> anyhow::Result<T> {
    if let Some(name) = fields.keys().find(|name| !known.contains(name)) {
        anyhow::bail!("unknown field `{}`: {}", quoted(name), help(name, known));
    }
    fields.retain(|_, value| !value.is_null());
    let object = Json::Object(fields);
    T::deserialize(&object).map_err(|error| {
        let said = plain(&error);
        match culprit::<T>(&object, &error) {
            Some(name) => anyhow::anyhow!("`{name}`: {said}{}", meant(&object[name], &said)),
            None => anyhow::anyhow!(said),
        }
    })
}

/// Returns the number that a text probably means, where a number is expected.
fn meant(value: &Json, said: &str) -> String {
    let text = value.as_str().filter(|_| said.contains("a whole number"));
    text.map_or_else(String::new, meant_number)
}

/// Returns the number that a text probably means, to be added to an error message.
pub(super) fn meant_number(text: &str) -> String {
    number_in(text).map_or_else(String::new, |number| format!("; did you mean {number}?"))
}

/// Returns what to write instead of an unknown name.
pub(super) fn help<S: AsRef<str>>(name: &str, known: &[S]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    let is_alike = |field: &&&str| name.starts_with(**field) || field.starts_with(name);
    match known.iter().find(is_alike) {
        Some(field) => format!("did you mean `{field}`?"),
        None => help_among(name, &known),
    }
}

/// Finds the field that an error is about: the one that gives the error on its own.
fn culprit<'a, T: DeserializeOwned>(
    object: &'a Json,
    error: &serde_json::Error,
) -> Option<&'a str> {
    let said = error.to_string();
    // Alone, every field lacks the others.
    let mut fields = object
        .as_object()
        .filter(|_| !said.starts_with("missing field"))?
        .iter();
    let gives_it = |name: &str, value: &Json| {
        let alone = serde_json::from_value::<T>(json!({ name: value }));
        alone.is_err_and(|error| error.to_string() == said)
    };
    fields.find_map(|(name, value)| gives_it(name, value).then_some(name.as_str()))
}

/// Returns what a parser says about a value, in the words of its author.
fn plain(error: &serde_json::Error) -> String {
    let words = [
        ("u32", "a whole number"),
        ("u64", "a whole number"),
        ("usize", "a whole number"),
        ("a sequence", "a list"),
        ("a map", "an object"),
        ("map", "object"),
    ];
    let said = error.to_string();
    words
        .iter()
        .fold(said, |said, (word, plain)| said.replace(word, plain))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Named {
        name: String,
        number: Option<usize>,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(default)]
    struct Wanted {
        name: String,
        #[serde(flatten)]
        size: Size,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(default)]
    struct Size {
        width: Option<usize>,
        height: Option<usize>,
    }

    fn wrong_without<T: JsonSchema + DeserializeOwned + std::fmt::Debug>(
        withheld: &[&str],
        object: Json,
    ) -> String {
        let fields = serde_json::from_value(object).unwrap();
        let known = names::<T>(withheld);
        read::<T>(fields, &known).unwrap_err().to_string()
    }

    #[test]
    fn what_is_right_is_read() {
        let fields = serde_json::from_value(json!({"name": "a", "number": 1})).unwrap();
        let named = read::<Named>(fields, &names::<Named>(&[])).unwrap();
        assert_eq!((named.name.as_str(), named.number), ("a", Some(1)));
    }

    #[test]
    fn null_is_the_same_as_nothing_where_nothing_may_be() {
        let fields = serde_json::from_value(json!({"name": null, "width": null})).unwrap();
        let wanted = read::<Wanted>(fields, &names::<Wanted>(&[])).unwrap();
        assert_eq!((wanted.name.as_str(), wanted.size.width), ("", None));
        assert_eq!(
            wrong_without::<Named>(&[], json!({"name": null})),
            "missing field `name`"
        );
        let kind = |schema: Schema| schema.pointer("/properties/name/type").cloned();
        assert_eq!(kind(schema::<Wanted>(&[])), Some(json!(["string", "null"])));
        assert_eq!(kind(schema::<Named>(&[])), Some(json!("string")));
    }

    #[test]
    fn a_field_is_known_wherever_the_type_has_it_from() {
        let fields = serde_json::from_value(json!({"name": "a", "width": 3})).unwrap();
        let wanted = read::<Wanted>(fields, &names::<Wanted>(&[])).unwrap();
        assert_eq!((wanted.name.as_str(), wanted.size.width), ("a", Some(3)));
        assert_eq!(
            wrong_without::<Wanted>(&["height"], json!({"nmae": "a"})),
            "unknown field `nmae`: did you mean `name`?"
        );
        assert_eq!(
            wrong_without::<Wanted>(&["height"], json!({"wide": 3})),
            "unknown field `wide`: known are name, width"
        );
    }

    #[test]
    fn what_is_withheld_is_unknown() {
        assert_eq!(
            wrong_without::<Wanted>(&["height"], json!({"name": "a", "height": 3})),
            "unknown field `height`: known are name, width"
        );
        assert!(
            schema::<Wanted>(&["height"])
                .pointer("/properties/height")
                .is_none()
        );
    }

    #[test]
    fn the_field_that_is_wrong_is_named() {
        assert_eq!(
            wrong_without::<Wanted>(&["height"], json!({"name": "a", "width": "b"})),
            "`width`: invalid type: string \"b\", expected a whole number"
        );
        assert_eq!(
            wrong_without::<Named>(&[], json!({"name": "a", "number": -1})),
            "`number`: invalid value: integer `-1`, expected a whole number"
        );
        assert_eq!(
            wrong_without::<Named>(&[], json!({"name": "a", "number": "20_000"})),
            "`number`: invalid type: string \"20_000\", expected a whole number; did you mean 20000?"
        );
        assert_eq!(
            wrong_without::<Named>(&[], json!({"number": 3})),
            "missing field `name`"
        );
    }
}
