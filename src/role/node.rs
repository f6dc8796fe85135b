//! Plain data that knows its place in a file, so that packer can show where a mistake is and where
//! each value of a merged role comes from.

use std::sync::{Arc, OnceLock};

use crate::error::Place;
use crate::repo::Asker;

/// The place shown for built-in roles.
pub const BUILT_IN_PLACE: &str = "built-in";

/// The distance between characters whose start is remembered, in characters.
const STRIDE: usize = 1024;

/// A file that nodes point into.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    /// Who wrote it.
    asker: Asker,
    text: String,
    /// Where each line starts, computed when the first place is asked for.
    lines: OnceLock<Vec<usize>>,
    /// Where every [`STRIDE`]-th character starts. Columns count characters, and counting them on a
    /// line of a megabyte for each of thousands of mistakes would take long.
    strides: OnceLock<Vec<usize>>,
}

impl SourceFile {
    /// Makes a file with the name that its author knows.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<SourceFile> {
        SourceFile::by(Asker::Operator, name, text)
    }

    /// Makes a file that may be written by somebody else than the operator.
    pub fn by(asker: Asker, name: impl Into<String>, text: impl Into<String>) -> Arc<SourceFile> {
        Arc::new(SourceFile {
            name: name.into(),
            asker,
            text: text.into(),
            lines: OnceLock::new(),
            strides: OnceLock::new(),
        })
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn line(&self, line: usize) -> &str {
        let starts = self.lines.get_or_init(|| {
            let breaks = self.text.match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(breaks).collect()
        });
        let start = starts.get(line.saturating_sub(1)).copied();
        // The end is known, and looking for it on a line of a megabyte takes long.
        let end = starts.get(line).copied().unwrap_or(self.text.len());
        let line = start.and_then(|start| self.text.get(start..end));
        let line = line.unwrap_or_default();
        line.strip_suffix("\r\n")
            .or_else(|| line.strip_suffix('\n'))
            .unwrap_or(line)
    }

    /// Returns the text from this character on, counted from 0.
    fn from(&self, index: usize) -> &str {
        let strides = self.strides.get_or_init(|| {
            let starts = self.text.char_indices().map(|(at, _)| at);
            starts.step_by(STRIDE).collect()
        });
        let Some(start) = strides.get(index / STRIDE) else {
            return "";
        };
        let near = &self.text[*start..];
        let at = near.char_indices().nth(index % STRIDE);
        at.map_or("", |(at, _)| &near[at..])
    }
}

/// Where a node is.
#[derive(Debug, Clone)]
pub struct At {
    file: Arc<SourceFile>,
    /// The number of characters before it in the file.
    index: usize,
    line: usize,
    column: usize,
    width: Width,
}

/// How far something reaches.
#[derive(Debug, Clone, Copy)]
pub enum Width {
    /// This many characters of its line.
    Characters(usize),
    /// To the end of its line, because it continues on the next one.
    Line,
}

impl At {
    /// Makes a place from its line and column, counted from 1, and the number of characters before
    /// it in the file.
    pub fn new(
        file: &Arc<SourceFile>,
        (line, column): (usize, usize),
        index: usize,
        width: Width,
    ) -> At {
        At {
            file: file.clone(),
            index,
            line,
            column,
            width,
        }
    }

    /// Returns the start of a file.
    pub fn start(file: &Arc<SourceFile>) -> At {
        At::new(file, (1, 1), 0, Width::Characters(1))
    }

    /// Returns no place in any file.
    pub fn nowhere() -> At {
        At::start(&SourceFile::new("", ""))
    }

    /// Returns the place with its line of text; `None` for a value that is in no file.
    pub fn place(&self) -> Option<Place> {
        (!self.file.name.is_empty()).then(|| {
            let before = self.column - Place::start_of_text(self.column);
            let text = self.file.from(self.index.saturating_sub(before));
            let shown = text.chars().take_while(|c| !matches!(c, '\n' | '\r'));
            let text: String = shown.take(Place::MAX_TEXT).collect();
            let width = match self.width {
                Width::Characters(width) => width,
                Width::Line => text.trim_end().chars().count().saturating_sub(before),
            };
            let file = self.file.name.clone();
            Place::with_text(file, self.line, self.column, width, text)
        })
    }

    /// Returns its file and its line; `None` for a value that is in no file.
    pub fn line(&self) -> Option<(&str, usize)> {
        (!self.file.name.is_empty()).then_some((&self.file.name, self.line))
    }

    /// Returns the rest of its line; `None` on a line so long that looking there for each of
    /// thousands of values would take long.
    pub fn rest_of_line(&self) -> Option<&str> {
        const LONG: usize = 4096;
        let line = self.file.line(self.line);
        if line.len() > LONG {
            return None;
        }
        let (start, _) = line.char_indices().nth(self.column - 1)?;
        Some(&line[start..])
    }

    /// Returns the name of the file.
    pub fn file(&self) -> &str {
        &self.file.name
    }

    /// Returns who wrote what is here.
    pub fn asker(&self) -> Asker {
        self.file.asker
    }
}

/// A value and where it is.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it is.
    pub at: At,
}

/// A map's key and where it is.
#[derive(Debug, Clone)]
pub struct Label {
    /// The key.
    pub name: String,
    /// Where it is.
    pub at: At,
}

/// Plain data.
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file.
    Map(Vec<(Label, Node)>),
}

impl Node {
    /// Returns what a person would call this value.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "nothing".into(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Int(value) => format!("the number {value}"),
            // With the point that tells it from a whole number.
            Value::Float(value) => format!("the number {value:?}"),
            Value::Text(text) if text.len() <= 40 && !text.contains('\n') => {
                format!("the text `{}`", crate::show::quoted(text))
            }
            Value::Text(_) => "a text".into(),
            Value::List(_) => "a list".into(),
            Value::Map(_) => "a map".into(),
        }
    }

    /// Returns the keys and values, if this is a map.
    pub fn entries(&self) -> &[(Label, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the value of a key, if this is a map that has it.
    pub fn get(&self, name: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find(|(label, _)| label.name == name)
                .map(|(_, node)| node),
            _ => None,
        }
    }

    /// Sets the value under these keys, named from the outside in. Whatever is not a map on the way
    /// becomes one.
    pub fn set(&mut self, keys: &[&str], node: Node) {
        let [name, below @ ..] = keys else {
            *self = node;
            return;
        };
        if self.entries().is_empty() {
            self.value = Value::Map(Vec::new());
        }
        let Value::Map(entries) = &mut self.value else {
            return;
        };
        match entries.iter_mut().find(|(label, _)| label.name == *name) {
            Some((_, value)) => value.set(below, node),
            None => {
                let at = node.at.clone();
                let name = (*name).to_owned();
                let mut value = Node {
                    value: Value::Null,
                    at: at.clone(),
                };
                value.set(below, node);
                entries.push((Label { name, at }, value));
            }
        }
    }

    /// Returns the text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns its data without places.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::from(*value),
            Value::Int(value) => Json::from(*value),
            Value::Float(value) => Json::from(*value),
            Value::Text(text) => Json::from(text.as_str()),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(entries) => entries
                .iter()
                .map(|(label, node)| (label.name.clone(), node.to_json()))
                .collect(),
        }
    }

    /// Makes a node with the data of this JSON, which is in no file.
    pub fn from_json(json: &serde_json::Value) -> Node {
        Node::from_json_at(json, &At::nowhere())
    }

    fn from_json_at(json: &serde_json::Value, at: &At) -> Node {
        use serde_json::Value as Json;
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => number.as_i64().map_or_else(
                || Value::Float(number.as_f64().unwrap_or(f64::NAN)),
                Value::Int,
            ),
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(
                items
                    .iter()
                    .map(|item| Node::from_json_at(item, at))
                    .collect(),
            ),
            Json::Object(entries) => Value::Map(
                entries
                    .iter()
                    .map(|(name, value)| {
                        let label = Label {
                            name: name.clone(),
                            at: at.clone(),
                        };
                        (label, Node::from_json_at(value, at))
                    })
                    .collect(),
            ),
        };
        Node {
            value,
            at: at.clone(),
        }
    }
}
