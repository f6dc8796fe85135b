//! The outline of a file: its declarations without their bodies, as an engineer would
//! write them on a whiteboard.
//!
//! An outline is made of whole lines of the file, so that what is shown is real source:
//! the first line of what a comment says of a declaration, the lines of the declaration
//! down to where its body opens, and its members. Private details, tests inside a module,
//! functions inside functions and imports are left out. A grammar forgives what does not
//! parse, so damaged source still has an outline of what could be read; a text that is
//! too long, or that takes too long, has none.

mod comment;
mod hidden;
mod shape;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use self::hidden::Section;
use self::shape::Shape;
use super::tree;

/// A declaration's own lines are cut behind so many.
const MAX_HEAD: usize = 30;

/// What has no body is cut behind so many: what is longer is a list.
const MAX_WHOLE: usize = 12;

/// Of a type so many fields or variants are shown.
const MAX_FIELDS: usize = 20;

/// Of one field so many lines are shown.
const MAX_FIELD: usize = 3;

/// A longer line is data, or made by a program, in bytes.
const MAX_WIDTH: usize = 300;

/// Of functions of one name so many are shown.
const MAX_OVERLOADS: usize = 3;

/// Decorators of Python behind which a function is shown already, or will be.
const OTHER_SIDES: [&str; 3] = ["overload", ".setter", ".deleter"];

/// Methods that every other class has, and that say nothing of this one.
const COMMONPLACE: [&str; 11] = [
    "__repr__",
    "__str__",
    "__eq__",
    "__ne__",
    "__hash__",
    "equals",
    "hashCode",
    "toString",
    "Equals",
    "GetHashCode",
    "ToString",
];

/// Declarations lie at most so deep in one another.
const MAX_DEPTH: usize = 40;

/// An outline has at most so many declarations.
const MAX_ENTRIES: usize = 5000;

/// An outline of more than one part in so many of its file is no outline.
const LEAST_SAVED: usize = 2;

/// What a file declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is called; empty for what has no name.
    pub name: String,
    /// Its lines, from 0, in order: its comment's, its own, its fields'.
    pub lines: Vec<Range<usize>>,
    /// What it lies in, by its place among the entries, before its own.
    pub owner: Option<usize>,
}

/// The lines of a text that make its outline, in order, in a language as
/// [`language`](super::language) names it. Empty if the language is not one of those that
/// are known here, if nothing is declared, or if the outline would be longer than half of
/// the text.
pub fn outline(language: &str, text: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let entries = entries(language, text);
    for lines in entries.iter().flat_map(|entry| &entry.lines) {
        match ranges.last_mut() {
            Some(last) if last.end == lines.start => last.end = lines.end,
            _ => ranges.push(lines.clone()),
        }
    }
    let shown: usize = ranges.iter().map(Range::len).sum();
    if shown * LEAST_SAVED > text.lines().count() {
        return Vec::new();
    }
    ranges
}

/// The declarations of a text that belong in its outline, in the order of their lines,
/// each line in one of them.
///
/// What is private is left out, unless there is nothing else.
pub fn entries(language: &str, text: &str) -> Vec<Entry> {
    let Some(parsed) = tree::parse(language, text) else {
        return Vec::new();
    };
    let mut sketch = Sketch {
        language,
        text,
        lines: text.lines().collect(),
        drafts: Vec::new(),
        next: 0,
        exported: HashSet::new(),
    };
    sketch.title(parsed.root_node());
    sketch.members(parsed.root_node(), &Inside::default());
    sketch.finish()
}

/// An entry before it is known what else there is.
struct Draft {
    entry: Entry,
    is_hidden: bool,
    /// Whether nobody would write it down, private or not.
    is_detail: bool,
    /// Whether it is a function that has its body here.
    is_body: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It says something on its own.
    Declared,
    /// It says something only together with its members: a namespace.
    Frame,
    /// It says only that a type has a trait, and is as private as the type: `impl A for B`.
    OfType,
    /// It holds what a type can do, and says nothing without: `impl B`.
    Members,
    /// It is for whoever includes the file, if that is what the file is for.
    Macro,
    /// It says what the whole file is for.
    Title,
}

/// Where a declaration lies.
#[derive(Clone, Copy, Default)]
struct Inside {
    owner: Option<usize>,
    /// Whether it lies among what is private.
    is_hidden: bool,
    /// Whether it is exported by a word in front of it.
    is_exported: bool,
    /// Whether it lies in what could not be read.
    is_damaged: bool,
    level: usize,
    body: Body,
}

/// What a declaration can lie in, which decides what is private there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Body {
    /// The file, or a module.
    #[default]
    Module,
    /// A class, an `impl`.
    Class,
    /// A structure that is used as a class.
    Struct,
    /// An interface or a trait, all of which is public.
    Interface,
    /// A group of tests.
    Tests,
}

struct Sketch<'a> {
    language: &'a str,
    text: &'a str,
    lines: Vec<&'a str>,
    drafts: Vec<Draft>,
    /// The first line that is not yet shown.
    next: usize,
    /// Names that are exported by a list or an assignment.
    exported: HashSet<&'a str>,
}

impl<'a> Sketch<'a> {
    fn words(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn is_script(&self) -> bool {
        matches!(self.language, "javascript" | "jsx" | "typescript" | "tsx")
    }

    /// What the file says of itself: one line.
    fn title(&mut self, root: Node<'_>) {
        let said = match self.language {
            "rust" => self.lines.iter().position(|line| line.starts_with("//!")),
            "python" => comment::docstring(root, &self.lines),
            _ => None,
        };
        if let Some(line) = said {
            let lines = line..line + 1;
            self.add(String::new(), vec![lines], &Inside::default(), Kind::Title);
        }
    }

    /// Looks at everything in a body.
    fn members(&mut self, body: Node<'_>, inside: &Inside) {
        if inside.level > MAX_DEPTH {
            return;
        }
        let mut section = Section::of(self.language, inside.body);
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            if self.drafts.len() >= MAX_ENTRIES {
                return;
            }
            if section.read(self.language, child, self.words(child)) {
                continue;
            }
            let inside = Inside {
                is_hidden: inside.is_hidden || section.is_hidden(),
                level: inside.level + 1,
                ..*inside
            };
            self.visit(child, None, &inside);
        }
    }

    /// Looks at one node. `from` is the line on which what stands around it begins.
    fn visit(&mut self, node: Node<'_>, from: Option<usize>, inside: &Inside) {
        let shape = shape::of(self.language, node);
        let is_test = |shape| matches!(shape, Shape::Statement | Shape::Members(_));
        match shape {
            Shape::Nothing => {}
            _ if inside.body == Body::Tests && !is_test(shape) => {}
            // What could not be read may be the inside of a function.
            Shape::Line | Shape::Whole | Shape::Statement if inside.is_damaged => {}
            Shape::Through => {
                // What holds a part of a body is no body of its own.
                let body = match inside.body {
                    Body::Class => Body::Struct,
                    body => body,
                };
                let is_main = self.language == "python"
                    && node
                        .child_by_field_name("condition")
                        .is_some_and(|condition| self.words(condition).contains("__name__"));
                let is_unnamed = node.kind() == "namespace_definition"
                    && node.child_by_field_name("name").is_none()
                    && self.language == "cpp";
                if !is_main {
                    let is_hidden = inside.is_hidden || is_unnamed;
                    let is_damaged = inside.is_damaged || node.is_error();
                    self.members(
                        node,
                        &Inside {
                            body,
                            is_hidden,
                            is_damaged,
                            ..*inside
                        },
                    );
                }
            }
            Shape::Around => self.inner(node, from, inside),
            Shape::Variables => {
                let mut cursor = node.walk();
                let from = from.unwrap_or(node.start_position().row);
                for variable in node.named_children(&mut cursor) {
                    if let (Some(name), Some(value)) = (
                        variable.child_by_field_name("name"),
                        variable.child_by_field_name("value"),
                    ) {
                        self.assigned(name, value, from, inside);
                    }
                }
            }
            Shape::Statement => self.statement(node, from, inside),
            _ => self.declared(node, shape, from, inside),
        }
    }

    /// Looks at what stands behind `export`, a decorator, or a template's parameters.
    fn inner(&mut self, node: Node<'_>, from: Option<usize>, inside: &Inside) {
        if inside.level > MAX_DEPTH {
            return;
        }
        let is_export = node.kind() == "export_statement";
        let from = from.unwrap_or(node.start_position().row);
        let inside = Inside {
            is_exported: inside.is_exported || is_export,
            level: inside.level + 1,
            ..*inside
        };
        if is_export && node.child_by_field_name("declaration").is_none() {
            return self.exports(node, from, &inside);
        }
        let mut cursor = node.walk();
        let is_detail = |child: Node<'_>| {
            child.kind() == "decorator" && {
                let words = self.words(child);
                OTHER_SIDES.iter().any(|end| words.ends_with(end))
            }
        };
        if node.named_children(&mut cursor).any(is_detail) {
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.visit(child, Some(from), &inside);
        }
    }

    /// `export { a, b }`, `export * from "c"`, `export default d`.
    fn exports(&mut self, node: Node<'_>, from: usize, inside: &Inside) {
        if let Some(value) = node.child_by_field_name("value") {
            let before = self.drafts.len();
            self.assigned(value, value, from, inside);
            if self.drafts.len() == before {
                self.list(value);
            }
        } else if node.child_by_field_name("source").is_some() {
            let rows = from..node.end_position().row + 1;
            self.add(String::new(), self.cut(rows), inside, Kind::Declared);
        } else {
            self.list(node);
        }
    }

    /// Takes the names in a list as exported.
    fn list(&mut self, node: Node<'_>) {
        let mut todo = vec![(node, 0)];
        while let Some((node, level)) = todo.pop() {
            if matches!(
                node.kind(),
                "identifier" | "type_identifier" | "shorthand_property_identifier"
            ) {
                self.exported.insert(self.words(node));
            }
            let holds_names = matches!(
                node.kind(),
                "export_statement" | "export_clause" | "export_specifier" | "object" | "pair"
            );
            if holds_names && level < MAX_DEPTH {
                let mut cursor = node.walk();
                todo.extend(
                    node.named_children(&mut cursor)
                        .map(|child| (child, level + 1)),
                );
            }
        }
    }

    /// Looks at a statement that may assign or call something.
    fn statement(&mut self, node: Node<'_>, from: Option<usize>, inside: &Inside) {
        let from = from.unwrap_or(node.start_position().row);
        let own = match node.kind() {
            "expression_statement" => node.named_child(0),
            _ => Some(node),
        };
        let Some(own) = own else { return };
        let (left, right) = (
            own.child_by_field_name("left"),
            own.child_by_field_name("right"),
        );
        match own.kind() {
            "pair" => {
                let value = own.child_by_field_name("value");
                if let (Some(key), Some(value)) = (own.child_by_field_name("key"), value)
                    && tree::is_function(value)
                {
                    self.assigned(key, value, from, inside);
                }
            }
            "assignment_expression" => {
                let (Some(left), Some(right)) = (left, right) else {
                    return;
                };
                let to = self.words(left);
                let is_export = to.starts_with("exports") || to.starts_with("module.exports");
                if is_export {
                    self.list(last_assigned(right));
                }
                let is_known = is_export || left.kind() == "member_expression";
                let holds = tree::is_function(last_assigned(right)) || is_export;
                if is_known && holds && right.kind() != "identifier" {
                    let inside = Inside {
                        is_exported: true,
                        ..*inside
                    };
                    self.assigned(left, right, from, &inside);
                }
            }
            "call_expression" => self.titled(own, from, inside),
            // A variable of Python, a constant of Ruby.
            "assignment" => {
                let Some(left) = left else { return };
                let name = self.words(left);
                let is_constant = match self.language {
                    "ruby" => left.kind() == "constant",
                    _ => left.kind() == "identifier" && !name.starts_with("__") && !is_logger(name),
                };
                if is_constant {
                    self.line(name, own, from, inside);
                }
            }
            "call" if self.language == "ruby" => {
                let method = own.child_by_field_name("method");
                let name = method.map_or("", |method| self.words(method));
                if matches!(name, "attr_reader" | "attr_writer" | "attr_accessor") {
                    self.line(name, own, from, inside);
                } else {
                    self.titled(own, from, inside);
                }
            }
            _ => {}
        }
    }

    /// A call that is given a title and a function, as tests are.
    fn titled(&mut self, call: Node<'_>, from: usize, inside: &Inside) {
        let Some(arguments) = call.child_by_field_name("arguments") else {
            return;
        };
        let is_title = |node: Node<'_>| node.kind().contains("string");
        if !arguments.named_child(0).is_some_and(is_title) {
            return;
        }
        let callee = call
            .child_by_field_name("function")
            .or_else(|| call.child_by_field_name("method"));
        let callee = callee.map_or("", |callee| self.words(callee));
        let callee = callee.split(['.', '(']).next().unwrap_or_default();
        let is_group = matches!(
            callee,
            "describe" | "context" | "suite" | "group" | "feature" | "namespace"
        );
        let is_test = matches!(callee, "it" | "test" | "specify" | "bench" | "scenario");
        if inside.body == Body::Tests && !is_group && !is_test {
            return;
        }
        let body = call.child_by_field_name("block").or_else(|| {
            let mut cursor = arguments.walk();
            let function = arguments
                .named_children(&mut cursor)
                .find(|node| tree::is_function(*node));
            function?.child_by_field_name("body")
        });
        let Some(body) = body else { return };
        let rows = from..self.opening(body).max(from + 1);
        let inside = Inside {
            is_exported: true,
            ..*inside
        };
        if let Some(own) = self.add(String::new(), self.cut(rows), &inside, Kind::Declared) {
            if !is_group {
                return;
            }
            let inside = Inside {
                owner: Some(own),
                body: Body::Tests,
                ..inside
            };
            let inner = match body.child_by_field_name("body") {
                Some(inner) => inner,
                None => body,
            };
            self.members(inner, &inside);
        }
    }

    /// What is given a name in JavaScript: a function, a class, an object of functions, or
    /// a value.
    fn assigned(&mut self, name: Node<'_>, value: Node<'_>, from: usize, inside: &Inside) {
        let is_exported_here = || self.words(value).contains("exports");
        let inside = &Inside {
            is_exported: inside.is_exported || is_exported_here(),
            ..*inside
        };
        let value = last_assigned(value);
        let name = match name.child_by_field_name("property") {
            Some(property) => self.words(property),
            None if tree::is_function(name)
                || matches!(name.kind(), "object" | "call_expression") =>
            {
                ""
            }
            None => self.words(name),
        };
        let is_hidden = self.is_private(value, name, inside);
        let inside = &Inside {
            is_hidden,
            ..*inside
        };
        let is_import = ["require", "import("]
            .iter()
            .any(|word| self.words(value).starts_with(word));
        if is_import || name.starts_with('{') {
            return;
        }
        let is_object = value.kind() == "object" && holds_functions(value);
        let body = value.child_by_field_name("body");
        match (tree::is_function(value), body) {
            (true, Some(body)) => {
                let rows = from..self.opening(body).max(from + 1);
                let own = self.add(
                    tree::identifier(name),
                    self.cut(rows),
                    inside,
                    Kind::Declared,
                );
                if let Some(own) = own.filter(|_| value.kind() == "class") {
                    self.members(
                        body,
                        &Inside {
                            owner: Some(own),
                            body: Body::Class,
                            ..*inside
                        },
                    );
                }
            }
            _ if is_object => {
                let rows = from..value.start_position().row + 1;
                if let Some(own) = self.add(
                    tree::identifier(name),
                    self.cut(rows),
                    inside,
                    Kind::Declared,
                ) {
                    self.members(
                        value,
                        &Inside {
                            owner: Some(own),
                            body: Body::Class,
                            ..*inside
                        },
                    );
                }
            }
            _ if name.is_empty() || value.kind() == "identifier" => {}
            _ => {
                self.add(
                    tree::identifier(name),
                    self.cut(from..from + 1),
                    inside,
                    Kind::Declared,
                );
            }
        }
    }

    /// A declaration of one line.
    fn line(&mut self, name: &str, node: Node<'_>, from: usize, inside: &Inside) {
        let is_hidden = self.is_private(node, name, inside);
        let inside = Inside {
            is_hidden,
            ..*inside
        };
        self.add(
            tree::identifier(name),
            self.cut(from..from + 1),
            &inside,
            Kind::Declared,
        );
    }

    fn declared(&mut self, node: Node<'_>, shape: Shape, from: Option<usize>, inside: &Inside) {
        if is_preface(self.language, node) {
            return;
        }
        let name = name_of(self.language, node);
        let name = tree::identifier(name.map_or("", |name| self.words(name)));
        let is_hidden = self.is_private(node, &name, inside);
        let inside = &Inside {
            is_hidden,
            ..*inside
        };
        let from = from.unwrap_or_else(|| first_row(node));
        let body = shape::body(node);
        let end = node.end_position().row + 1;
        let end = match (shape, shape::ends_early(node).or(body)) {
            (Shape::Line, _) => from + 1,
            (Shape::Whole, _) | (_, None) => end.min(from + MAX_WHOLE),
            (_, Some(body)) => self.opening(body).max(from + 1).min(end),
        };
        let mut lines = self.cut(self.without_macros(from..end));
        let kind = match (shape, node.kind()) {
            (_, "preproc_def" | "preproc_function_def") => Kind::Macro,
            (Shape::Frame(_), "impl_item") => Kind::Members,
            (Shape::Frame(_), _) => Kind::Frame,
            (_, "impl_item") => Kind::OfType,
            _ => Kind::Declared,
        };
        // What is left of conditions that enclose half a declaration.
        let is_directive = lines.first().and_then(|rows| self.lines.get(rows.start));
        let is_directive = is_directive.is_some_and(|line| line.trim_start().starts_with('#'));
        if matches!(self.language, "c" | "cpp") && is_directive && kind != Kind::Macro {
            return;
        }
        if let (Shape::Fields, Some(body)) = (shape, body) {
            lines.extend(self.fields(body, end));
        }
        let said = body.filter(|_| self.language == "python");
        let said = said.and_then(|body| comment::docstring(body, &self.lines));
        lines.extend(said.map(|line| line..line + 1));
        let Some(own) = self.add(name, lines, inside, kind) else {
            return;
        };
        self.drafts[own].is_body = node.kind() == "function_definition";
        if let (Shape::Members(kind) | Shape::Frame(kind), Some(body)) = (shape, body) {
            let inside = Inside {
                owner: Some(own),
                body: kind,
                is_hidden: false,
                ..*inside
            };
            self.members(body, &inside);
        }
    }

    /// These lines without those of macros and comments that a grammar of C takes for the
    /// beginning of what follows.
    fn without_macros(&self, rows: Range<usize>) -> Range<usize> {
        if !matches!(self.language, "c" | "cpp") {
            return rows;
        }
        let is_comment = |row: &usize| {
            let line = self.lines.get(*row).map_or("", |line| line.trim());
            line.ends_with("*/") && !line.contains(['(', ';']) || line.starts_with("//")
        };
        let last = rows.clone().take(MAX_HEAD).filter(is_comment).last();
        match last {
            Some(last) if last + 1 < rows.end => last + 1..rows.end,
            _ => rows,
        }
    }

    fn is_private(&self, node: Node<'_>, name: &str, inside: &Inside) -> bool {
        let is_own = self.is_script() && inside.body == Body::Module && !inside.is_exported;
        inside.is_hidden
            || is_own
            || hidden::is_private(self.language, node, name, inside.body, self.text)
    }

    /// The fields in a body, each with its first lines, and the line that closes them.
    fn fields(&self, body: Node<'_>, from: usize) -> Vec<Range<usize>> {
        let mut shown = Vec::new();
        let mut next = from;
        let mut cursor = body.walk();
        let fields = body.named_children(&mut cursor).filter(|field| {
            let kind = field.kind();
            !kind.contains("comment") && !kind.contains("attribute") && !kind.contains("preproc")
        });
        for field in fields.take(MAX_FIELDS) {
            let first = first_row(field).max(next);
            let end = (field.end_position().row + 1).min(first + MAX_FIELD);
            if first < end {
                shown.push(first..end);
                next = end;
            }
        }
        let last = body.end_position().row;
        if last >= next && !shown.is_empty() {
            shown.push(last..last + 1);
        }
        shown
    }

    /// The line behind the last one that is shown above a body: that on which it opens,
    /// unless it stands there alone.
    fn opening(&self, body: Node<'_>) -> usize {
        let at = body.start_position();
        let before = self
            .lines
            .get(at.row)
            .and_then(|line| line.get(..at.column));
        let is_alone = before.is_some_and(|before| before.trim().is_empty());
        if is_alone { at.row } else { at.row + 1 }
    }

    /// As many of these lines as are shown of a declaration.
    fn cut(&self, rows: Range<usize>) -> Vec<Range<usize>> {
        let end = rows.end.min(rows.start + MAX_HEAD);
        vec![rows.start..end]
    }

    /// Adds an entry of those of these lines that are not yet shown, with the line of the
    /// comment above them; `None` if there are none, or if they are too long to be read.
    fn add(
        &mut self,
        name: String,
        lines: Vec<Range<usize>>,
        inside: &Inside,
        kind: Kind,
    ) -> Option<usize> {
        let first = lines.first()?.start;
        if self.lines.get(first)?.len() > MAX_WIDTH || first < self.next {
            return None;
        }
        let said = match kind {
            Kind::Title => None,
            _ => comment::above(self.language, &self.lines, self.next, first),
        };
        let mut own: Vec<Range<usize>> = Vec::new();
        let mut next = self.next;
        for rows in said.map(|at| at..at + 1).into_iter().chain(lines) {
            let rows = rows.start.max(next)..rows.end.min(self.lines.len());
            let short = rows.take_while(|row| self.lines[*row].len() <= MAX_WIDTH);
            for row in short {
                match own.last_mut() {
                    Some(last) if last.end == row => last.end = row + 1,
                    _ => own.push(Range {
                        start: row,
                        end: row + 1,
                    }),
                }
                next = row + 1;
            }
        }
        self.next = next;
        let entry = Entry {
            name,
            lines: own,
            owner: inside.owner,
        };
        self.drafts.push(Draft {
            is_hidden: inside.is_hidden,
            is_detail: COMMONPLACE.contains(&entry.name.as_str()),
            is_body: false,
            entry,
            kind,
        });
        Some(self.drafts.len() - 1)
    }

    /// Leaves out what is private, if there is anything else.
    fn finish(mut self) -> Vec<Entry> {
        self.export();
        let private: HashSet<String> = self
            .drafts
            .iter()
            .filter(|draft| draft.is_hidden && draft.kind == Kind::Declared)
            .map(|draft| draft.entry.name.clone())
            .collect();
        let is_code = self
            .drafts
            .iter()
            .any(|draft| draft.is_body && !draft.is_hidden);
        let mut times: HashMap<(Option<usize>, String), usize> = HashMap::new();
        for at in 0..self.drafts.len() {
            let draft = &self.drafts[at];
            let owner = draft.entry.owner;
            let is_about_type = matches!(draft.kind, Kind::OfType | Kind::Members);
            let is_hidden = is_about_type && private.contains(&draft.entry.name)
                || draft.kind == Kind::Macro && is_code
                || owner.is_some_and(|owner| self.drafts[owner].is_hidden);
            self.drafts[at].is_hidden |= is_hidden;
            let draft = &self.drafts[at];
            if draft.kind == Kind::Declared && !draft.entry.name.is_empty() {
                let times = times.entry((owner, draft.entry.name.clone())).or_default();
                *times += 1;
                self.drafts[at].is_detail |= *times > MAX_OVERLOADS;
            }
        }
        let is_shown =
            |draft: &Draft| !draft.is_hidden && matches!(draft.kind, Kind::Declared | Kind::Macro);
        let any = self.drafts.iter().any(is_shown);
        let mut kept = vec![false; self.drafts.len()];
        for at in (0..self.drafts.len()).rev() {
            let draft = &self.drafts[at];
            let is_frame = matches!(draft.kind, Kind::Frame | Kind::Members);
            kept[at] |= (!any || !draft.is_hidden) && !is_frame && !draft.is_detail;
            if let Some(owner) = draft.entry.owner.filter(|_| kept[at]) {
                kept[owner] = true;
            }
        }
        let mut place = vec![None; self.drafts.len()];
        let mut entries: Vec<Entry> = Vec::new();
        for (at, draft) in self
            .drafts
            .into_iter()
            .enumerate()
            .filter(|(at, _)| kept[*at])
        {
            place[at] = Some(entries.len());
            let owner = draft.entry.owner.and_then(|owner| place[owner]);
            entries.push(Entry {
                owner,
                ..draft.entry
            });
        }
        if entries
            .iter()
            .all(|entry| entry.name.is_empty() && entry.owner.is_none())
            && entries.len() < 2
        {
            return Vec::new();
        }
        entries
    }

    /// Shows what is exported by a list elsewhere in the file.
    fn export(&mut self) {
        for draft in &mut self.drafts {
            let is_free = draft.entry.owner.is_none();
            if is_free && self.exported.contains(draft.entry.name.as_str()) {
                draft.is_hidden = false;
            }
        }
    }
}

/// Whether a variable is there in every file and says nothing of any.
fn is_logger(name: &str) -> bool {
    matches!(name, "log" | "logger" | "_")
}

/// What stands behind the last `=` of `a = b = c`, and inside of casts.
fn last_assigned(node: Node<'_>) -> Node<'_> {
    let mut last = node;
    for _ in 0..MAX_DEPTH {
        let inner = match last.kind() {
            "assignment_expression" => last.child_by_field_name("right"),
            "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
                last.named_child(0)
            }
            _ => None,
        };
        let Some(inner) = inner else { break };
        last = inner;
    }
    last
}

/// Whether an object of JavaScript is used as a class.
fn holds_functions(object: Node<'_>) -> bool {
    let mut cursor = object.walk();
    object.named_children(&mut cursor).any(|child| {
        let value = child.child_by_field_name("value");
        child.kind() == "method_definition" || value.is_some_and(tree::is_function)
    })
}

/// Whether a node says nothing of its own: an import, a guard of a header, a prototype of
/// what follows.
fn is_preface(language: &str, node: Node<'_>) -> bool {
    match (language, node.kind()) {
        ("rust", "use_declaration") => node
            .named_child(0)
            .is_none_or(|child| child.kind() != "visibility_modifier"),
        ("c" | "cpp", "preproc_def") => node.child_by_field_name("value").is_none(),
        _ => false,
    }
}

/// The line on which a declaration begins, without what is only said about it.
fn first_row(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if is_said_about(child) {
            continue;
        }
        if child.kind() != "modifiers" {
            return child.start_position().row;
        }
        let mut cursor = child.walk();
        let word = child
            .children(&mut cursor)
            .find(|word| !is_said_about(*word));
        if let Some(word) = word {
            return word.start_position().row;
        }
    }
    node.start_position().row
}

/// Whether a node is an annotation, an attribute or a comment.
fn is_said_about(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["annotation", "attribute", "comment"]
        .iter()
        .any(|word| kind.contains(word))
}

fn name_of<'a>(language: &str, node: Node<'a>) -> Option<Node<'a>> {
    match node.kind() {
        "impl_item" => return node.child_by_field_name("type"),
        "use_declaration" => return None,
        _ if matches!(language, "c" | "cpp") => {}
        _ => return tree::name_of(node),
    }
    let mut here = node
        .child_by_field_name("name")
        .or_else(|| node.child_by_field_name("declarator"))?;
    for _ in 0..MAX_DEPTH {
        let inner = here
            .child_by_field_name("declarator")
            .or_else(|| here.child_by_field_name("name"));
        let Some(inner) = inner else { break };
        here = inner;
    }
    Some(here)
}

#[cfg(test)]
mod tests;
