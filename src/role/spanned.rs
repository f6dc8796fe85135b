//! A text of a role's list, read once, with its place.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::node::{At, BUILT_IN_PLACE, Node, Value};
use crate::error::Place;
use crate::repo::Asker;

/// A text, what it means, and where a file says it.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    text: String,
    value: T,
    /// `None` for a text that is in no file.
    at: Option<At>,
}

/// What a text of a role's list is read into.
pub trait FromText {
    /// Reads it. A text that cannot be read is a value too; the error is reported when somebody
    /// asks for it.
    fn from_text(text: &str) -> Self;
}

impl<T> Spanned<T> {
    /// Returns the text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns what it means.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// Returns where it is; `None` for a text that is in no file.
    pub fn place(&self) -> Option<Place> {
        self.at.as_ref()?.place()
    }

    /// Returns its file and its line; `None` for a text that is in no file.
    pub fn line(&self) -> Option<(&str, usize)> {
        self.at.as_ref()?.line()
    }

    /// Returns who says it. A program that changes a role speaks for the operator.
    pub fn asker(&self) -> Asker {
        self.at.as_ref().map_or(Asker::Operator, At::asker)
    }

    /// Whether a built-in role says it, whose patterns are guesses about all kinds of repositories.
    pub fn is_guess(&self) -> bool {
        let at = self.at.as_ref();
        at.is_some_and(|at| at.file().starts_with(BUILT_IN_PLACE))
    }
}

impl<T: FromText> From<String> for Spanned<T> {
    fn from(text: String) -> Spanned<T> {
        Spanned {
            value: T::from_text(&text),
            text,
            at: None,
        }
    }
}

impl<T> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl<'de, T: FromText> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Spanned::from)
    }
}

/// Tells the texts of a list where they are.
pub fn locate<T>(list: &mut [Spanned<T>], node: Option<&Node>) {
    if let Some(Value::List(nodes)) = node.map(|node| &node.value) {
        for (spanned, node) in list.iter_mut().zip(nodes) {
            spanned.at = Some(node.at.clone());
        }
    }
}

/// Replaces a list, and returns it as a node. A text that was in the list before keeps its place,
/// and any other has none, so that a line of a file is named only for what it says.
pub fn replace<T: FromText>(
    list: &mut Vec<Spanned<T>>,
    texts: impl IntoIterator<Item = impl Into<String>>,
) -> Node {
    let mut old = std::mem::take(list);
    for text in texts {
        let text = text.into();
        let same = old.iter().position(|spanned| spanned.text == text);
        list.push(same.map_or_else(|| Spanned::from(text), |at| old.remove(at)));
    }
    let nodes = list.iter().map(|spanned| Node {
        value: Value::Text(spanned.text.clone()),
        at: spanned.at.clone().unwrap_or_else(At::nowhere),
    });
    Node {
        value: Value::List(nodes.collect()),
        at: At::nowhere(),
    }
}
