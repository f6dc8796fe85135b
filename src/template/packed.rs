//! The context as a template sees it.

use std::ops::Range;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, Value};

/// The variable that says whether the prompt is for messages.
pub const MESSAGES: &str = "messages";

/// The block whose text is the system message.
pub const SYSTEM: &str = "system";

/// What a template made of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// All of it.
    pub text: String,
    /// The text of its block [`SYSTEM`], if it was asked for and exists.
    pub system: Option<String>,
}

/// The context as a template sees it: `context` is the text, and each member of `sections` a part
/// of it. It may be large, so it is never copied as a whole.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    /// All sections.
    pub text: String,
    /// The keys of the sections, and where each is in the text, in bytes.
    pub sections: Vec<(String, Range<usize>)>,
}

impl Packed {
    /// Returns the variables `context` and `sections`.
    pub(super) fn variables(self) -> Value {
        let text: Arc<str> = self.text.into();
        let sections = Sections {
            text: text.clone(),
            places: self.sections,
        };
        Value::from_object(Variables {
            context: Value::from(text),
            sections: Value::from_object(sections),
        })
    }
}

/// The variables `context` and `sections`.
#[derive(Debug)]
struct Variables {
    context: Value,
    sections: Value,
}

impl Object for Variables {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        match key {
            "context" => Some(self.context.clone()),
            "sections" => Some(self.sections.clone()),
            _ => None,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(&["context", "sections"])
    }
}

/// Parts of the context by their keys; each is copied on use.
#[derive(Debug)]
struct Sections {
    text: Arc<str>,
    places: Vec<(String, Range<usize>)>,
}

impl Object for Sections {
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        // Of two sections of a name, the first is an earlier prompt's.
        let (_, place) = self.places.iter().rfind(|(name, _)| name == key)?;
        self.text.get(place.clone()).map(Value::from)
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let names = self.places.iter().map(|(name, _)| Value::from(name));
        Enumerator::Values(names.collect())
    }
}
