//! Walks a tree and notes what it declares.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::draft::{Draft, Kind};
use super::hidden::{self, Section};
use super::rows::{MAX_HEAD, cut, fields, first_row};
use super::shape::{self, Shape};
use super::{Body, Entry, MAX_DEPTH, comment};
use crate::split;
use crate::syntax::tree;

/// The most lines of a declaration without a body: anything longer is a list.
const MAX_WHOLE: usize = 12;

/// A longer line is data, or generated, in bytes.
const MAX_WIDTH: usize = 300;

/// Python decorators that mark another version of a function that is shown.
const OTHER_SIDES: [&str; 3] = ["overload", ".setter", ".deleter"];

/// Methods that every other class has, and that say nothing about this one.
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

/// The most declarations of an outline.
const MAX_ENTRIES: usize = 5000;

/// Where a declaration is.
#[derive(Clone, Copy, Default)]
pub(super) struct Inside {
    pub(super) owner: Option<usize>,
    /// Whether what encloses it is private.
    pub(super) is_hidden: bool,
    /// Whether it is exported by a keyword before it.
    pub(super) is_exported: bool,
    /// Whether it is in something that could not be read.
    pub(super) is_damaged: bool,
    pub(super) level: usize,
    pub(super) body: Body,
}

pub(super) struct Sketch<'a> {
    pub(super) language: &'a str,
    text: &'a str,
    lines: Vec<&'a str>,
    pub(super) drafts: Vec<Draft>,
    /// The first line that is not yet shown.
    next: usize,
    /// Names that are exported by a list or an assignment.
    pub(super) exported: HashSet<&'a str>,
}

impl<'a> Sketch<'a> {
    pub(super) fn new(language: &'a str, text: &'a str) -> Sketch<'a> {
        Sketch {
            language,
            text,
            lines: split::lines(text),
            drafts: Vec::new(),
            next: 0,
            exported: HashSet::new(),
        }
    }

    pub(super) fn words(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn is_script(&self) -> bool {
        matches!(self.language, "javascript" | "jsx" | "typescript" | "tsx")
    }

    /// Notes what the file says about itself: one line.
    pub(super) fn title(&mut self, root: Node<'_>) {
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
    pub(super) fn members(&mut self, body: Node<'_>, inside: &Inside) {
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

    /// Looks at one node. `from` is the line on which what encloses it begins.
    fn visit(&mut self, node: Node<'_>, from: Option<usize>, inside: &Inside) {
        let shape = shape::of(self.language, node);
        let is_test = |shape| matches!(shape, Shape::Statement | Shape::Members(_));
        match shape {
            Shape::Nothing => {}
            _ if inside.body == Body::Tests && !is_test(shape) => {}
            // What could not be read may be the inside of a function.
            Shape::Line | Shape::Whole | Shape::Statement if inside.is_damaged => {}
            Shape::Through => self.through(node, inside),
            Shape::Around => self.inner(node, from, inside),
            Shape::Variables => self.variables(node, from, inside),
            Shape::Statement => self.statement(node, from, inside),
            _ => self.declared(node, shape, from, inside),
        }
    }

    /// Looks at the content of a node that is nothing itself.
    fn through(&mut self, node: Node<'_>, inside: &Inside) {
        let is_main = self.language == "python"
            && node
                .child_by_field_name("condition")
                .is_some_and(|condition| self.words(condition).contains("__name__"));
        if is_main {
            return;
        }
        let is_unnamed = node.kind() == "namespace_definition"
            && node.child_by_field_name("name").is_none()
            && self.language == "cpp";
        let inside = Inside {
            is_hidden: inside.is_hidden || is_unnamed,
            is_damaged: inside.is_damaged || node.is_error(),
            // What holds a part of a body is no body of its own.
            body: match inside.body {
                Body::Class => Body::Struct,
                body => body,
            },
            ..*inside
        };
        self.members(node, &inside);
    }

    /// Looks at JavaScript variables, which may hold functions.
    fn variables(&mut self, node: Node<'_>, from: Option<usize>, inside: &Inside) {
        let mut cursor = node.walk();
        let from = from.unwrap_or(node.start_position().row);
        for variable in node.named_children(&mut cursor) {
            let name = variable.child_by_field_name("name");
            if let Some((name, value)) = name.zip(variable.child_by_field_name("value")) {
                self.assigned(name, value, from, inside);
            }
        }
    }

    /// Looks at what follows `export`, a decorator, or a template's parameters.
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

    /// Adds a declaration of one line.
    pub(super) fn line(&mut self, name: &str, node: Node<'_>, from: usize, inside: &Inside) {
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
        let inside = &Inside {
            is_hidden: self.is_private(node, &name, inside),
            ..*inside
        };
        let kind = kind_of(shape, node);
        let from = from.unwrap_or_else(|| first_row(node));
        let Some(lines) = self.rows_of(node, shape, from, kind) else {
            return;
        };
        let Some(own) = self.add(name, lines, inside, kind) else {
            return;
        };
        self.drafts[own].is_body = node.kind() == "function_definition";
        let body = shape::body(node);
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

    /// Returns the lines of a declaration that are shown; `None` for what is left of conditions
    /// that enclose half of one.
    fn rows_of(
        &self,
        node: Node<'_>,
        shape: Shape,
        from: usize,
        kind: Kind,
    ) -> Option<Vec<Range<usize>>> {
        let body = shape::body(node);
        let end = node.end_position().row + 1;
        let end = match (shape, shape::ends_early(node).or(body)) {
            (Shape::Line, _) => from + 1,
            (Shape::Whole, _) | (_, None) => end.min(from + MAX_WHOLE),
            (_, Some(body)) => self.opening(body).max(from + 1).min(end),
        };
        let mut lines = cut(self.without_macros(from..end));
        let first = lines.first().and_then(|rows| self.lines.get(rows.start));
        let is_directive = first.is_some_and(|line| line.trim_start().starts_with('#'));
        if matches!(self.language, "c" | "cpp") && is_directive && kind != Kind::Macro {
            return None;
        }
        if let (Shape::Fields, Some(body)) = (shape, body) {
            lines.extend(fields(body, end));
        }
        let said = body.filter(|_| self.language == "python");
        let said = said.and_then(|body| comment::docstring(body, &self.lines));
        lines.extend(said.map(|line| line..line + 1));
        Some(lines)
    }

    /// Returns these lines without the macros and comments that a C grammar takes for the beginning
    /// of what follows.
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

    pub(super) fn is_private(&self, node: Node<'_>, name: &str, inside: &Inside) -> bool {
        let is_own = self.is_script() && inside.body == Body::Module && !inside.is_exported;
        inside.is_hidden
            || is_own
            || hidden::is_private(self.language, node, name, inside.body, self.text)
    }

    /// Returns the line after the last one that is shown above a body: the one on which it opens,
    /// unless it is alone there.
    pub(super) fn opening(&self, body: Node<'_>) -> usize {
        let at = body.start_position();
        let before = self
            .lines
            .get(at.row)
            .and_then(|line| line.get(..at.column));
        let is_alone = before.is_some_and(|before| before.trim().is_empty());
        if is_alone { at.row } else { at.row + 1 }
    }

    /// Adds an entry of those of these lines that are not yet shown, with the line of the comment
    /// above them; `None` if there are none, or if they are too long to be read.
    pub(super) fn add(
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

fn kind_of(shape: Shape, node: Node<'_>) -> Kind {
    match (shape, node.kind()) {
        (_, "preproc_def" | "preproc_function_def") => Kind::Macro,
        (Shape::Frame(_), "impl_item") => Kind::Members,
        (Shape::Frame(_), _) => Kind::Frame,
        (_, "impl_item") => Kind::OfType,
        _ => Kind::Declared,
    }
}

/// Whether a node says nothing of its own: an import, a header guard, a prototype of what follows.
fn is_preface(language: &str, node: Node<'_>) -> bool {
    match (language, node.kind()) {
        ("rust", "use_declaration") => node
            .named_child(0)
            .is_none_or(|child| child.kind() != "visibility_modifier"),
        ("c" | "cpp", "preproc_def") => node.child_by_field_name("value").is_none(),
        _ => false,
    }
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
