//! Reads YAML into nodes that know their place.
//!
//! It follows the YAML 1.2 core schema: `yes` and `on` are text, `0100` is a hundred, and `<<` does
//! not merge.
//!
//! A hostile file ends in an error, not in gigabytes: size, depth, nodes and text are limited,
//! counted after aliases are expanded. Tags are refused, because a role is plain data.

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::node::{At, Label, Node, SourceFile, Value, Width};
use crate::error::{Diagnostic, Error, ErrorKind, Rule};

/// The largest role file, in bytes.
pub const MAX_FILE: u64 = 1024 * 1024;

/// The deepest nesting of maps and lists; the schema needs five levels.
const MAX_DEPTH: usize = 64;

/// The most values in a role with everything that it extends, aliases expanded.
const MAX_NODES: usize = 100_000;

/// The most text in their values, in bytes, aliases expanded.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// The most mistakes that are reported of a file. The rest is not read.
const MAX_PROBLEMS: usize = 200;

/// How much a file says, aliases expanded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Size {
    /// The number of values.
    pub values: usize,
    /// The bytes of text in them.
    pub text: usize,
}

impl Size {
    /// Adds two sizes.
    ///
    /// # Errors
    ///
    /// A message that names the limit it exceeds.
    pub fn and(self, other: Size) -> Result<Size, String> {
        let values = self.values.saturating_add(other.values);
        let text = self.text.saturating_add(other.text);
        if values > MAX_NODES {
            return Err(format!("too many values: more than {MAX_NODES}"));
        }
        if text > MAX_TEXT {
            let mib = MAX_TEXT / (1024 * 1024);
            return Err(format!("too much text: more than {mib} MiB"));
        }
        Ok(Size { values, text })
    }
}

/// What a file says, as far as it can be read.
pub struct Read {
    /// The document, without the mistakes in it and without anything after the place where reading
    /// ended; `None` if there is nothing.
    pub node: Option<Node>,
    /// What is wrong.
    pub problems: Vec<Diagnostic>,
    /// Whether it was read to its end.
    pub is_whole: bool,
    /// How much of it was read.
    pub size: Size,
}

/// Reads a role, which is one YAML document.
pub fn read(file: &Arc<SourceFile>) -> Read {
    read_document(file, true)
}

fn read_document(file: &Arc<SourceFile>, is_role: bool) -> Read {
    let mut reader = Reader {
        file,
        is_role,
        parser: Parser::new_from_str(file.text()),
        anchors: Vec::new(),
        size: Size::default(),
        problems: Vec::new(),
        has_ended: false,
    };
    let node = reader.document();
    Read {
        node,
        is_whole: !reader.has_ended,
        size: reader.size,
        problems: reader.problems,
    }
}

/// Reads one YAML document without mistakes.
///
/// # Errors
///
/// The first mistake.
pub fn parse(file: &Arc<SourceFile>) -> Result<Node, Box<Diagnostic>> {
    let Read { node, problems, .. } = read_document(file, false);
    let nothing = || Diagnostic::error("the file is empty");
    match problems.into_iter().next() {
        Some(problem) => Err(Box::new(problem)),
        None => node.ok_or_else(|| Box::new(nothing())),
    }
}

/// Reads YAML text into plain data, within the limits for roles.
///
/// # Errors
///
/// [`ErrorKind::File`]: the first thing that is wrong, with the `name` of the text.
pub fn parse_yaml(name: &str, text: &str) -> Result<serde_json::Value, Error> {
    let file = SourceFile::new(name, text);
    let node = parse(&file).map_err(|problem| Error::new(ErrorKind::File, *problem))?;
    Ok(node.to_json())
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
    is_role: bool,
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: Vec<(usize, Node)>,
    size: Size,
    problems: Vec<Diagnostic>,
    /// Whether a mistake was found after which nothing can be read.
    has_ended: bool,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Option<Node> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(_) | Event::Nothing, _) => {}
                (Event::StreamEnd, _) => {
                    let help = "a role needs at least `name`, `description` and `system_prompt`";
                    let empty = Diagnostic::error("the file is empty")
                        .rule(Rule::InvalidYaml)
                        .at(At::start(self.file).place());
                    self.problems.push(empty.help(Some(help.into())));
                    return None;
                }
                event => {
                    let node = self.node(event, 0)?;
                    let is_cut = self.is_cut(&node);
                    self.end();
                    return Some(node).filter(|_| !is_cut);
                }
            }
        }
    }

    /// Returns the next event; `None` once reading has ended.
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        if self.has_ended {
            return None;
        }
        match self.parser.next_event() {
            Some(Ok(event)) => Some(event),
            Some(Err(error)) => {
                let span = Span::empty(*error.marker());
                let mut wrong = self.wrong(span, format!("this is not YAML: {}", error.info()));
                if error.info().contains("unknown anchor") {
                    let help = "put quotes around a pattern that starts with `*`: `\"*.md\"`";
                    wrong.help = Some(help.into());
                }
                self.stop(wrong)
            }
            None => Some((Event::StreamEnd, Span::default())),
        }
    }

    fn wrong(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let at = at(self.file, span);
        let wrong = Diagnostic::error(message).rule(Rule::InvalidYaml);
        wrong.at(at.place())
    }

    /// Reports a mistake after which reading continues.
    fn tell(&mut self, wrong: Diagnostic) {
        self.problems.push(wrong);
        self.has_ended |= self.problems.len() >= MAX_PROBLEMS;
    }

    /// Reports a mistake after which nothing can be read.
    fn stop<T>(&mut self, wrong: Diagnostic) -> Option<T> {
        if !self.has_ended {
            self.problems.push(wrong);
        }
        self.has_ended = true;
        None
    }

    fn end(&mut self) {
        while let Some((event, span)) = self.next() {
            match event {
                Event::StreamEnd => return,
                Event::DocumentEnd | Event::Nothing => {}
                _ => {
                    let wrong = self.wrong(span, "a role file may hold only one document");
                    self.stop::<()>(wrong);
                }
            }
        }
    }

    /// Counts a value against the limits.
    fn count(&mut self, span: Span, nodes: usize, text: usize) -> Option<()> {
        let more = Size {
            values: nodes,
            text,
        };
        match self.size.and(more) {
            Ok(size) => {
                self.size = size;
                Some(())
            }
            Err(why) => self.stop(self.wrong(span, format!("{why}, with aliases expanded"))),
        }
    }

    /// Returns the value that begins with this event, without the mistakes in it; `None` if reading
    /// ended before there was one.
    fn node(&mut self, (event, span): (Event<'a>, Span), depth: usize) -> Option<Node> {
        if depth > MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            return self.stop(self.wrong(span, message));
        }
        let at = at(self.file, span);
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(span, tag.as_deref());
                self.count(span, 1, text.len())?;
                (scalar(&text, style), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_tag(span, tag.as_deref());
                self.count(span, 1, 0)?;
                (self.list(depth), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_tag(span, tag.as_deref());
                self.count(span, 1, 0)?;
                (self.map(depth), anchor)
            }
            Event::Alias(anchor) => (self.alias(anchor, span)?, 0),
            _ => return self.stop(self.wrong(span, "a value is missing here")),
        };
        let node = Node { value, at };
        if anchor != 0 {
            // An anchor costs a copy, so it counts like its first alias.
            let (nodes, text) = size(&node);
            self.count(span, nodes, text)?;
            self.anchors.push((anchor, node.clone()));
        }
        Some(node)
    }

    fn refuse_tag(&mut self, span: Span, tag: Option<&saphyr_parser::Tag>) {
        let Some(tag) = tag else { return };
        let shown = match tag.handle.as_str() {
            "tag:yaml.org,2002:" => format!("!!{}", tag.suffix),
            handle => format!("{handle}{}", tag.suffix),
        };
        let wrong = self.wrong(span, format!("the tag `{shown}` is not allowed"));
        let help = "a role is plain data: remove the tag";
        self.tell(wrong.help(Some(help.into())));
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        while let Some(event) = self.next() {
            if event.0 == Event::SequenceEnd {
                break;
            }
            let item = self.node(event, depth + 1);
            items.extend(item.filter(|item| !self.is_cut(item)));
        }
        Value::List(items)
    }

    /// Whether reading ended inside this value, so that what is there may be of another kind than
    /// what was meant. The entries of a map before that place are complete.
    fn is_cut(&self, value: &Node) -> bool {
        self.has_ended && !matches!(value.value, Value::Map(_))
    }

    fn map(&mut self, depth: usize) -> Value {
        let mut entries: Vec<(Label, Node)> = Vec::new();
        let mut seen = HashMap::new();
        while let Some((event, span)) = self.next() {
            if event == Event::MappingEnd {
                break;
            }
            let is_merge =
                matches!(&event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
            let merges = self.is_role && is_merge;
            let Some(key) = self.node((event, span), depth + 1) else {
                break;
            };
            let name = if merges {
                self.refuse_merging(span)
            } else {
                self.name(&key, span, &mut seen)
            };
            let value = self.next().and_then(|event| self.node(event, depth + 1));
            let Some(value) = value.filter(|value| !self.is_cut(value)) else {
                break;
            };
            entries.extend(name.map(|name| (Label { name, at: key.at }, value)));
        }
        Value::Map(entries)
    }

    /// Refuses the key that, in YAML 1.1, takes over the entries of another map.
    fn refuse_merging<T>(&mut self, span: Span) -> Option<T> {
        let wrong = self.wrong(span, "the key `<<` does not merge: this is YAML 1.2");
        let help = "write the keys out, or move them to a role that this one `extends`";
        self.tell(wrong.help(Some(help.into())));
        None
    }

    /// Returns the name that a key is, if it is one and appears for the first time.
    fn name(
        &mut self,
        key: &Node,
        span: Span,
        seen: &mut HashMap<String, usize>,
    ) -> Option<String> {
        let Some(name) = key.as_text() else {
            let message = format!("a key must be a string, but this is {}", key.describe());
            self.tell(self.wrong(span, message));
            return None;
        };
        if let Some(line) = seen.get(name) {
            let shown = crate::show::quoted(name);
            let message = format!("duplicate key `{shown}`, first on line {line}");
            let wrong = self.wrong(span, message);
            self.tell(wrong.rule(Rule::DuplicateKey));
            return None;
        }
        seen.insert(name.to_owned(), span.start.line());
        Some(name.to_owned())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Option<Value> {
        let found = self.anchors.iter().rev().find(|(id, _)| *id == anchor);
        let Some((_, node)) = found else {
            let message = "this alias is inside the value that it repeats";
            return self.stop(self.wrong(span, message));
        };
        let (nodes, text) = size(node);
        let value = node.value.clone();
        self.count(span, nodes, text)?;
        Some(value)
    }
}

/// Returns the number of values in a node and the bytes of their text.
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

/// Returns the number that a text is; `None` for one too large to be kept as it is, which is text.
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
        return text.parse().ok().map(Value::Int);
    }
    let looks_like_one = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.bytes().any(|b| b.is_ascii_digit())
        && digits
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !looks_like_one {
        return None;
    }
    let float: f64 = text.parse().ok()?;
    float.is_finite().then_some(Value::Float(float))
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
    fn a_number_that_would_change_stays_as_it_is_written() {
        let json = yaml("[1e400, -1e400, 12345678901234567890123, -9223372036854775808, 1e30]");
        assert_eq!(
            json.unwrap().to_string(),
            r#"["1e400","-1e400","12345678901234567890123",-9223372036854775808,1e+30]"#
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
            "duplicate key `a`, first on line 1 (f.yaml:3:1)"
        );
        assert_eq!(
            error("1: x"),
            "a key must be a string, but this is the number 1 (f.yaml:1:1)"
        );
        assert_eq!(
            error("100.0: x"),
            "a key must be a string, but this is the number 100.0 (f.yaml:1:1)"
        );
        let merging = "a: &a {b: 1}\nc:\n  <<: *a\n";
        let of_role = read(&SourceFile::new("f.yaml", merging)).problems;
        assert_eq!(
            of_role[0].to_string(),
            "the key `<<` does not merge: this is YAML 1.2 (f.yaml:3:3)"
        );
        assert!(
            read(&SourceFile::new("f.yaml", "'<<': 1"))
                .problems
                .is_empty()
        );
        // Others write front matter, and there it is a key like any other.
        assert!(yaml(merging).is_ok());
        assert!(error("a:\n\t- x").starts_with("this is not YAML"));
        assert!(error("--- a\n--- b").contains("only one document"));
    }

    #[test]
    fn what_can_be_read_is_read_whatever_is_wrong_beside_it() {
        let file = |text: &str| SourceFile::new("f.yaml", text);
        let told = |text: &str| {
            let read = read(&file(text));
            let lines = read.problems.iter().map(|d| d.place.as_ref().unwrap().line);
            let json = read.node.map(|node| node.to_json().to_string());
            (
                lines.collect::<Vec<_>>(),
                json.unwrap_or_default(),
                read.is_whole,
            )
        };
        assert_eq!(
            told("a: !!str x\na: 2\n3: y\nb: [1, !x 2]\n"),
            (vec![1, 2, 3, 4], r#"{"a":"x","b":[1,2]}"#.into(), true)
        );
        let (lines, json, is_whole) = told("a: 1\na: 2\nb:\n  c: 3\n  d: [4\ne: 5\n");
        assert_eq!(lines.first(), Some(&2));
        assert_eq!((lines.len(), is_whole), (2, false));
        assert_eq!(json, r#"{"a":1,"b":{"c":3}}"#);
        let (_, json, is_whole) = told("[a, b");
        assert_eq!((json.as_str(), is_whole), ("", false));
        let many = "a: 1\n".repeat(1000);
        assert_eq!(told(&many).0.len(), MAX_PROBLEMS);
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
