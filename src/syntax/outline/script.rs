//! Statements that declare: assignments and exports of JavaScript, tests with a title, variables of
//! Python, constants of Ruby.

use tree_sitter::Node;

use super::draft::Kind;
use super::rows::cut;
use super::sketch::{Inside, Sketch};
use super::{Body, MAX_DEPTH};
use crate::syntax::tree;

impl Sketch<'_> {
    /// `export { a, b }`, `export * from "c"`, `export default d`.
    pub(super) fn exports(&mut self, node: Node<'_>, from: usize, inside: &Inside) {
        if let Some(value) = node.child_by_field_name("value") {
            let before = self.drafts.len();
            self.assigned(value, value, from, inside);
            if self.drafts.len() == before {
                self.list(value);
            }
        } else if node.child_by_field_name("source").is_some() {
            let rows = from..node.end_position().row + 1;
            self.add(String::new(), cut(rows), inside, Kind::Declared);
        } else {
            self.list(node);
        }
    }

    /// Records the names in a list as exported.
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
    pub(super) fn statement(&mut self, node: Node<'_>, from: Option<usize>, inside: &Inside) {
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
                if let Some((left, right)) = left.zip(right) {
                    self.assignment(left, right, from, inside);
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

    /// Handles a JavaScript assignment: to what is exported, or to a member of something.
    fn assignment(&mut self, left: Node<'_>, right: Node<'_>, from: usize, inside: &Inside) {
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

    /// Handles a call that gets a title and a function, as tests do.
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
        if let Some(own) = self.add(String::new(), cut(rows), &inside, Kind::Declared) {
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

    /// Handles what is given a name in JavaScript: a function, a class, an object of functions, or
    /// a value.
    pub(super) fn assigned(
        &mut self,
        name: Node<'_>,
        value: Node<'_>,
        from: usize,
        inside: &Inside,
    ) {
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
        let body = value.child_by_field_name("body");
        // How far it is shown, and what else of it may be.
        let (end, members) = match (tree::is_function(value), body) {
            (true, Some(body)) => {
                let members = (value.kind() == "class").then_some(body);
                (self.opening(body).max(from + 1), members)
            }
            _ if value.kind() == "object" && holds_functions(value) => {
                (value.start_position().row + 1, Some(value))
            }
            _ if name.is_empty() || value.kind() == "identifier" => return,
            _ => (from + 1, None),
        };
        let name = tree::identifier(name);
        let own = self.add(name, cut(from..end), inside, Kind::Declared);
        if let (Some(own), Some(members)) = (own, members) {
            let inside = Inside {
                owner: Some(own),
                body: Body::Class,
                ..*inside
            };
            self.members(members, &inside);
        }
    }
}

/// Returns what follows the last `=` of `a = b = c`, and is inside casts.
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

/// Whether a JavaScript object is used as a class.
fn holds_functions(object: Node<'_>) -> bool {
    let mut cursor = object.walk();
    object.named_children(&mut cursor).any(|child| {
        let value = child.child_by_field_name("value");
        child.kind() == "method_definition" || value.is_some_and(tree::is_function)
    })
}

/// Whether a variable is in every file and says nothing about any.
fn is_logger(name: &str) -> bool {
    matches!(name, "log" | "logger" | "_")
}
