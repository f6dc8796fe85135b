//! Reads YAML into nodes that know their place.
//!
//! YAML 1.2 core schema: `yes` and `on` are text, `0100` is a hundred.
//!
//! A hostile file ends in an error, not in gigabytes: size, depth, nodes and text
//! are bounded, after aliases are written out. Tags are refused, since a role is
//! plain data.

use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::node::{At, Label, Node, SourceFile, Value, Width};
use crate::error::{Diagnostic, Rule};

/// A role file is at most this large, in bytes.
pub const MAX_FILE: u64 = 1024 * 1024;

/// Maps and lists nest at most this deep; the schema needs five levels.
const MAX_DEPTH: usize = 64;

/// The most values in a role, aliases written out.
const MAX_NODES: usize = 100_000;

/// The most text in the values of a role, in bytes, aliases written out.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Parses one YAML document.
pub fn parse(file: &Arc<SourceFile>) -> Result<Node, Box<Diagnostic>> {
    let mut reader = Reader {
        file,
        parser: Parser::new_from_str(file.text()),
        anchors: Vec::new(),
        nodes: 0,
        text: 0,
    };
    loop {
        match reader.next()? {
            (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
            (Event::StreamEnd, _) => {
                let empty = Diagnostic::error("the file is empty")
                    .rule(Rule::InvalidYaml)
                    .at(At::start(file).place())
                    .help(Some(
                        "a role needs at least `name`, `description` and `system_prompt`".into(),
                    ));
                return Err(Box::new(empty));
            }
            event => {
                let node = reader.node(event, 0)?;
                reader.end()?;
                return Ok(node);
            }
        }
    }
}

fn at(file: &Arc<SourceFile>, span: Span) -> At {
    let Span { start, end } = span;
    let width = if end.line() > start.line() {
        Width::Line
    } else {
        Width::Characters(end.index().saturating_sub(start.index()))
    };
    At::new(file, (start.line(), start.col() + 1), start.index(), width)
}

struct Reader<'a> {
    file: &'a Arc<SourceFile>,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: Vec<(usize, Node)>,
    nodes: usize,
    text: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Box<Diagnostic>> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => {
                let span = Span::empty(*error.marker());
                let mut wrong = self.wrong(span, format!("this is not YAML: {}", error.info()));
                if error.info().contains("unknown anchor") {
                    let help = "a pattern that starts with `*` has to be quoted: `\"*.md\"`";
                    wrong.help = Some(help.into());
                }
                Err(wrong)
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn wrong(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        let at = at(self.file, span);
        let wrong = Diagnostic::error(message).rule(Rule::InvalidYaml);
        Box::new(wrong.at(at.place()))
    }

    fn end(&mut self) -> Result<(), Box<Diagnostic>> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentEnd | Event::Nothing, _) => {}
                (_, span) => return Err(self.wrong(span, "a role file holds one document only")),
            }
        }
    }

    /// Counts a value against the bounds.
    fn count(&mut self, span: Span, nodes: usize, text: usize) -> Result<(), Box<Diagnostic>> {
        self.nodes += nodes;
        self.text += text;
        if self.nodes > MAX_NODES {
            let message =
                format!("too many values: more than {MAX_NODES} with aliases written out");
            return Err(self.wrong(span, message));
        }
        if self.text > MAX_TEXT {
            let mib = MAX_TEXT / (1024 * 1024);
            let message = format!("too much text: more than {mib} MiB with aliases written out");
            return Err(self.wrong(span, message));
        }
        Ok(())
    }

    fn node(
        &mut self,
        (event, span): (Event<'a>, Span),
        depth: usize,
    ) -> Result<Node, Box<Diagnostic>> {
        if depth > MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return Err(self.wrong(span, message));
        }
        let at = at(self.file, span);
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(span, tag.as_deref())?;
                self.count(span, 1, text.len())?;
                (scalar(&text, style), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(span, tag.as_deref())?;
                self.count(span, 1, 0)?;
                (self.list(depth)?, anchor)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(span, tag.as_deref())?;
                self.count(span, 1, 0)?;
                (self.map(depth)?, anchor)
            }
            Event::Alias(anchor) => (self.alias(anchor, span)?, 0),
            _ => return Err(self.wrong(span, "a value is missing here")),
        };
        let node = Node { value, at };
        if anchor != 0 {
            // An anchor costs a copy, so it counts like its first alias.
            let (nodes, text) = size(&node);
            self.count(span, nodes, text)?;
            self.anchors.push((anchor, node.clone()));
        }
        Ok(node)
    }

    fn refuse_tag(
        &self,
        span: Span,
        tag: Option<&saphyr_parser::Tag>,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(tag) = tag else { return Ok(()) };
        let shown = match tag.handle.as_str() {
            "tag:yaml.org,2002:" => format!("!!{}", tag.suffix),
            handle => format!("{handle}{}", tag.suffix),
        };
        let mut wrong = self.wrong(span, format!("the tag `{shown}` is not allowed"));
        wrong.help = Some("a role is plain data: leave the tag out".into());
        Err(wrong)
    }

    fn list(&mut self, depth: usize) -> Result<Value, Box<Diagnostic>> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::List(items)),
                event => items.push(self.node(event, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Box<Diagnostic>> {
        let mut entries: Vec<(Label, Node)> = Vec::new();
        let mut seen = std::collections::HashMap::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(Value::Map(entries));
            }
            let key = self.node((event, span), depth + 1)?;
            let Value::Text(name) = key.value else {
                let message = format!("a key has to be text, but this is {}", key.describe());
                return Err(self.wrong(span, message));
            };
            if let Some(line) = seen.insert(name.clone(), span.start.line()) {
                let shown = crate::show::visible(&name).into_owned();
                let message = format!("the key `{shown}` stands twice, first in line {line}");
                let mut wrong = self.wrong(span, message);
                wrong.rule = Rule::DuplicateKey;
                return Err(wrong);
            }
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            entries.push((Label { name, at: key.at }, value));
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<Value, Box<Diagnostic>> {
        let found = self.anchors.iter().rev().find(|(id, _)| *id == anchor);
        let Some((_, node)) = found else {
            return Err(self.wrong(span, "this alias stands inside the value that it repeats"));
        };
        let (nodes, text) = size(node);
        let value = node.value.clone();
        self.count(span, nodes, text)?;
        Ok(value)
    }
}

/// The values in a node and the bytes of their text.
fn size(node: &Node) -> (usize, usize) {
    let parts: Box<dyn Iterator<Item = (usize, usize)>> = match &node.value {
        Value::Text(text) => return (1, text.len()),
        Value::List(items) => Box::new(items.iter().map(size)),
        Value::Map(entries) => Box::new(entries.iter().map(|(label, node)| {
            let (nodes, text) = size(node);
            (nodes + 1, text + label.name.len())
        })),
        _ => return (1, 0),
    };
    parts.fold((1, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

/// Resolves a plain scalar by the YAML 1.2 core schema; a quoted one is text.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).unwrap_or_else(|| Value::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    let based = |digits: &str, base| i64::from_str_radix(digits, base).ok().map(Value::Int);
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, 8);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return match text.parse() {
            Ok(int) => Some(Value::Int(int)),
            Err(_) => text.parse().ok().map(Value::Float),
        };
    }
    let looks_like_one = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.bytes().any(|b| b.is_ascii_digit())
        && digits
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !looks_like_one {
        return None;
    }
    text.parse().ok().map(Value::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> Result<serde_json::Value, String> {
        let file = SourceFile::new("f.yaml", text);
        parse(&file)
            .map(|node| node.to_json())
            .map_err(|d| d.to_string())
    }

    #[test]
    fn scalars_are_what_they_look_like_today() {
        let json = yaml("[yes, on, 0100, 0x1f, 1.5, ~, true, '5', 1e3, 1.2.3, +12]").unwrap();
        assert_eq!(
            json.to_string(),
            r#"["yes","on",100,31,1.5,null,true,"5",1000.0,"1.2.3",12]"#
        );
    }

    #[test]
    fn an_alias_repeats_its_value() {
        let json = yaml("a: &x [1, 2]\nb: *x\n").unwrap();
        assert_eq!(json.to_string(), r#"{"a":[1,2],"b":[1,2]}"#);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let error = |text: &str| yaml(text).unwrap_err();
        assert_eq!(error(""), "the file is empty (f.yaml:1:1)");
        assert_eq!(
            error("a: !!str x"),
            "the tag `!!str` is not allowed (f.yaml:1:4)"
        );
        assert_eq!(
            error("a: 1\nb: 2\na: 3\n"),
            "the key `a` stands twice, first in line 1 (f.yaml:3:1)"
        );
        assert_eq!(
            error("1: x"),
            "a key has to be text, but this is the number 1 (f.yaml:1:1)"
        );
        assert!(error("a:\n\t- x").starts_with("this is not YAML"));
        assert!(error("--- a\n--- b").contains("one document only"));
    }

    #[test]
    fn bombs_end_early() {
        let mut laughs = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let below = format!("*a{}", level - 1);
            laughs += &format!("a{level}: &a{level} [{}]\n", [below.as_str(); 9].join(","));
        }
        assert!(yaml(&laughs).unwrap_err().contains("too many values"));
        let long = format!(
            "a: &a {}\nb: [{}]",
            "x".repeat(100_000),
            "*a,".repeat(20_000)
        );
        assert!(yaml(&long).unwrap_err().contains("too much text"));
        for deep in [
            "[".repeat(500_000),
            "- ".repeat(500_000),
            "? ".repeat(500_000),
        ] {
            assert!(yaml(&deep).is_err());
        }
    }
}
