//! Guesses what a value of the wrong type was meant to be.

use super::node::Value;
use super::types::Type;
use crate::nearest::{did_you_mean, number_in};
use crate::show::quoted;

/// Returns what to write instead of a value of the wrong type, if that can be guessed.
pub(super) fn meant(kind: &Type, value: &Value) -> Option<String> {
    let write = |text: &str| Some(format!("write it as `{text}`"));
    let is_switch = matches!(kind, Type::Bool | Type::Switch(_) | Type::SwitchOrTexts);
    if let Some(switch) = switch_in(value).filter(|_| is_switch) {
        return write(switch);
    }
    match (kind, value) {
        (Type::Int(low, high), Value::Text(text)) => {
            let number = i64::try_from(number_in(text)?).ok()?;
            let is_one = (low..=high).contains(&&number);
            is_one.then(|| format!("write it as `{number}`"))
        }
        (
            Type::Texts | Type::Keys | Type::Patterns | Type::Gates | Type::SwitchOrTexts,
            Value::Text(text),
        ) => write(&format!("[{}]", in_a_list(text))),
        (Type::OneOf(choices), Value::Text(text)) => {
            did_you_mean(text, choices.iter().map(|(name, _)| *name))
        }
        (
            Type::Text | Type::Line | Type::Name,
            Value::Bool(_) | Value::Int(_) | Value::Float(_),
        ) => Some("put quotes around text that looks like another type".into()),
        _ => None,
    }
}

/// Returns the switch that a word of older YAML, a text or a number stands for.
fn switch_in(value: &Value) -> Option<&'static str> {
    let word = match value {
        Value::Text(text) => text.to_ascii_lowercase(),
        Value::Int(number) => number.to_string(),
        _ => return None,
    };
    match word.as_str() {
        "true" | "yes" | "y" | "on" | "1" => Some("true"),
        "false" | "no" | "n" | "off" | "0" => Some("false"),
        _ => None,
    }
}

/// Returns a text as written in a list: quoted, unless it is a plain word.
fn in_a_list(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let text = quoted(text);
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.') && text.chars().all(is_plain)
    {
        text.into_owned()
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
