//! Reads JSON of any shape in limited memory.
//!
//! A text of `[0,0,…` or `[{"":0},…` takes fifty times its size once it is parsed, so a limit on
//! the text alone does not limit the memory.

use std::cell::Cell;
use std::fmt;

use serde::Deserialize;
use serde::de::{
    self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde_json::{Map, Value};

/// What all values of a text may take together, in bytes.
const MAX_VALUES: usize = 48 * 1024 * 1024;

/// What all values of a request may take together, including its data.
const MAX_REQUEST: usize = 24 * 1024 * 1024;

/// What all values that a template finds under `data` may take together.
const MAX_DATA: usize = 16 * 1024 * 1024;

/// What a value takes in the list or object that holds it.
const VALUE: usize = size_of::<Value>();

/// What an object takes with its first three members, and an array with its first four items.
const OBJECT: usize = 384;
const ARRAY: usize = 4 * VALUE;

/// What each further member takes: its value, its hash, its key, and its place.
const MEMBER: usize = 192;

/// What the text of a key or a value takes beside its bytes.
const TEXT: usize = 16;

/// Members that nothing here reads, and that make up most of what linters print.
const UNREAD: [&str; 14] = [
    "codeFlows",
    "contextRegion",
    "fingerprints",
    "fixes",
    "fullDescription",
    "graphs",
    "help",
    "partialFingerprints",
    "properties",
    "relatedLocations",
    "rendered",
    "shortDescription",
    "snippet",
    "taxa",
];

/// A whole number, however it is written: `4.0` is one for JSON Schema, and some languages have no
/// other numbers.
struct Whole(u64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Whole, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Whole, E> {
                Ok(Whole(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Whole, E> {
                let wrong = |_| E::invalid_value(Unexpected::Signed(number), &self);
                number.try_into().map(Whole).map_err(wrong)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Whole, E> {
                let wrong = || E::invalid_type(Unexpected::Float(number), &self);
                whole_of(number).map(Whole).ok_or_else(wrong)
            }
        }
        value.deserialize_any(Read)
    }
}

impl Whole {
    fn fits<T: TryFrom<u64>, E: de::Error>(self) -> Result<T, E> {
        let wrong = |_| E::invalid_value(Unexpected::Unsigned(self.0), &"a smaller whole number");
        T::try_from(self.0).map_err(wrong)
    }
}

/// Returns a number that has no fraction.
pub fn whole_of(number: f64) -> Option<u64> {
    // Written out, it has no exponent.
    number.to_string().parse().ok()
}

/// Reads a whole number, however it is written.
pub fn whole<'de, D: Deserializer<'de>, T: TryFrom<u64>>(value: D) -> Result<T, D::Error> {
    Whole::deserialize(value)?.fits()
}

/// Reads a whole number, however it is written, or none.
pub fn some_whole<'de, D, T>(value: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let number = Option::<Whole>::deserialize(value)?;
    number.map(Whole::fits).transpose()
}

/// Reads one JSON value.
///
/// # Errors
///
/// An error if it is not JSON, nests deeper than 128 levels, or would take more than 48 MiB of
/// memory: 100,000 objects, half a million numbers.
pub fn parse_json(text: &str) -> serde_json::Result<Value> {
    parse(text, &[], MAX_VALUES)
}

/// Reads a request, parts of which are in memory twice while it is read.
///
/// # Errors
///
/// The errors of [`parse_json`], with 24 MiB.
pub fn parse_request(text: &str) -> serde_json::Result<Value> {
    parse(text, &[], MAX_REQUEST)
}

/// Reads one more value for a template's `data`, beside these, which share a limit of their own: a
/// template has all of them once more, and a separate text for each.
///
/// # Errors
///
/// The errors of [`parse_json`], with 16 MiB for all of them.
pub fn parse_data(text: &str, others: &Map<String, Value>) -> serde_json::Result<Value> {
    parse(text, &[], MAX_DATA.saturating_sub(object(others)))
}

/// Whether this is more than a template can have, as far as [`parse_data`] reads it.
pub fn is_much_data(data: &Map<String, Value>) -> bool {
    object(data) > MAX_DATA
}

/// Returns what a value takes, counted as when it is read.
fn taken(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + TEXT,
        Value::Array(items) => {
            ARRAY
                + items
                    .iter()
                    .map(|item| 2 * VALUE + taken(item))
                    .sum::<usize>()
        }
        Value::Object(members) => object(members),
        _ => 0,
    }
}

fn object(members: &Map<String, Value>) -> usize {
    let first = if members.is_empty() { 0 } else { OBJECT };
    let further = members.len().saturating_sub(3) * MEMBER;
    let texts = members.iter();
    first
        + further
        + texts
            .map(|(key, value)| key.len() + TEXT + taken(value))
            .sum::<usize>()
}

/// Reads what a linter or a compiler prints, without the members that explain it at length.
pub(crate) fn parse_findings(text: &str) -> serde_json::Result<Value> {
    parse(text, &UNREAD, MAX_VALUES)
}

fn parse(text: &str, unread: &[&str], most: usize) -> serde_json::Result<Value> {
    let left = Cell::new(most);
    let mut parser = serde_json::Deserializer::from_str(text);
    let bounded = Bounded {
        left: &left,
        most,
        unread,
    };
    let value = bounded.deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// Builds a value as long as there is memory left.
#[derive(Clone, Copy)]
struct Bounded<'a> {
    /// What may still be taken, in bytes.
    left: &'a Cell<usize>,
    /// What there was to take.
    most: usize,
    unread: &'a [&'a str],
}

impl Bounded<'_> {
    fn take<E: de::Error>(self, bytes: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(bytes);
        let mib = self.most.div_ceil(1024 * 1024);
        self.left
            .set(left.ok_or_else(|| E::custom(format!("its values take more than {mib} MiB")))?);
        Ok(())
    }

    fn text<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.take(text.len() + TEXT)
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.text(value)?;
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.take(ARRAY)?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            // A list that grows is twice as large at times.
            self.take(2 * VALUE)?;
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if self.unread.contains(&key.as_str()) {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            match object.len() {
                0 => self.take(OBJECT)?,
                1 | 2 => {}
                _ => self.take(MEMBER)?,
            }
            self.text::<A::Error>(&key)?;
            let value = members.next_value_seed(self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1.0e9..1.0e9).prop_map(|number: f64| Value::from(number)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_serde_reads(value in json()) {
            let text = value.to_string();
            prop_assert_eq!(parse_json(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn what_is_no_json_is_refused_as_serde_does(text in "[\\[\\]{}\",:0-9a ]{0,12}") {
            prop_assert_eq!(
                parse_json(&text).map_err(|e| e.to_string()),
                serde_json::from_str::<Value>(&text).map_err(|e| e.to_string())
            );
        }
    }

    #[test]
    fn what_explains_a_finding_at_length_is_passed_over() {
        let text = r#"{"a": {"help": {"text": [1, {}]}, "b": 1}, "properties": "x"}"#;
        let expected = serde_json::json!({"a": {"b": 1}});
        assert_eq!(parse_findings(text).unwrap(), expected);
    }

    #[test]
    fn data_for_a_template_have_one_account() {
        let text = format!("[{}0]", "{\"a\":0},".repeat(12_000));
        let mut data = Map::new();
        for key in ["a", "b"] {
            data.insert(key.into(), parse_data(&text, &data).unwrap());
            assert!(!is_much_data(&data));
        }
        let error = parse_data(&text, &data).unwrap_err().to_string();
        assert!(
            error.starts_with("its values take more than 4 MiB"),
            "{error}"
        );
        data.insert("c".into(), parse_json(&text).unwrap());
        assert!(is_much_data(&data));
    }

    #[test]
    fn many_small_values_are_refused() {
        for (open, item, close) in [
            ("[", "0,", "0]"),
            ("[", "{\"\":0},", "0]"),
            ("[", "[0],", "0]"),
            ("{\"a\":[", "{},", "0]}"),
        ] {
            let text = [open, &item.repeat(1_000_000), close].concat();
            let error = parse_json(&text).unwrap_err().to_string();
            assert!(
                error.starts_with("its values take more than 48 MiB"),
                "{error}"
            );
        }
        assert!(parse_json(&"[".repeat(200)).is_err());
    }
}
