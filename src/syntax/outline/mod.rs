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
mod draft;
mod hidden;
mod script;
mod shape;

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use self::draft::{Draft, Kind};
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    outline_of(language, text, tree::parse(language, text).as_ref())
}

/// The same for a text whose tree is known, if it has one.
pub(super) fn outline_of(language: &str, text: &str, tree: Option<&Tree>) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let entries = tree.map_or_else(Vec::new, |tree| entries_of(language, text, tree));
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
    let tree = tree::parse(language, text);
    tree.map_or_else(Vec::new, |tree| entries_of(language, text, &tree))
}

fn entries_of(language: &str, text: &str, parsed: &Tree) -> Vec<Entry> {
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
    draft::finish(sketch.drafts, &sketch.exported)
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
                            is_hidden,
                            is_damaged,
                            body,
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

    /// A declaration of one line.
    fn line(&mut self, name: &str, node: Node<'_>, from: usize, inside: &Inside) {
        let is_hidden = self.is_private(node, name, inside);
        let inside = Inside {
            is_hidden,
            ..*inside
        };
        self.add(
            tree::identifier(name),
            cut(from..from + 1),
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
        let mut lines = cut(self.without_macros(from..end));
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
            lines.extend(fields(body, end));
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
        let last = (rows.start..rows.end.min(rows.start + MAX_HEAD)).rfind(is_comment);
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
}

/// The fields in a body, each with its first lines, and the line that closes them.
fn fields(body: Node<'_>, from: usize) -> Vec<Range<usize>> {
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

/// As many of these lines as are shown of a declaration.
fn cut(rows: Range<usize>) -> Vec<Range<usize>> {
    let end = rows.end.min(rows.start + MAX_HEAD);
    vec![Range {
        start: rows.start,
        end,
    }]
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

#[cfg(all(test, feature = "languages"))]
mod tests;
