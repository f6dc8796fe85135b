//! What concerns nobody outside: private members, helpers, tests.

use tree_sitter::Node;

use super::Body;

/// Whether a declaration is private by its keywords or its name.
pub(super) fn is_private(
    language: &str,
    node: Node<'_>,
    name: &str,
    body: Body,
    text: &str,
) -> bool {
    let is_underscored =
        || name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
    match language {
        "rust" => {
            let is_free = matches!(
                node.kind(),
                "impl_item" | "foreign_mod_item" | "macro_definition"
            );
            body != Body::Interface
                && !is_free
                && !has(node, |child| child.kind() == "visibility_modifier")
        }
        "python" | "ruby" => is_underscored(),
        "javascript" | "jsx" | "typescript" | "tsx" => {
            is_underscored()
                || name.starts_with('#')
                || has(node, |child| {
                    child.kind() == "accessibility_modifier" && words(child, text) == "private"
                })
        }
        "java" | "kotlin" | "php" => modifiers(node, text, |word| word == "private"),
        "csharp" => {
            modifiers(node, text, |word| word == "private")
                || matches!(body, Body::Class | Body::Struct)
                    && !modifiers(node, text, |word| {
                        matches!(word, "public" | "protected" | "internal")
                    })
        }
        "c" | "cpp" => {
            body == Body::Module
                && has(node, |child| {
                    child.kind() == "storage_class_specifier" && words(child, text) == "static"
                })
        }
        "go" => {
            let is_own = |name: &str| name.starts_with(|c: char| c.is_lowercase() || c == '_');
            let receiver = node.child_by_field_name("receiver");
            let of = receiver.map_or("", |receiver| words(receiver, text));
            // What belongs to a type of the package's own is as public as that.
            let of = of.rsplit([' ', '*', '(']).next().unwrap_or_default();
            !node.kind().starts_with("type") && is_own(name) && !is_own(of)
        }
        _ => false,
    }
}

fn has(node: Node<'_>, is: impl Fn(Node<'_>) -> bool) -> bool {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).any(is)
}

fn words<'a>(node: Node<'_>, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// Whether one of a declaration's modifiers is of this kind.
fn modifiers(node: Node<'_>, text: &str, is: impl Fn(&str) -> bool) -> bool {
    has(node, |child| {
        matches!(
            child.kind(),
            "modifiers" | "modifier" | "visibility_modifier"
        ) && words(child, text).split_whitespace().any(&is)
    })
}

/// What the preceding nodes of a body say about the next one: `private:` in C++, `private` in Ruby,
/// `#[cfg(test)]` in Rust.
pub(super) struct Section {
    is_hidden: bool,
    next: Next,
    /// Whether the last node is a macro for internal use.
    is_own_macro: bool,
}

/// What attributes say about the node after them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Plain,
    Test,
    ExportedMacro,
}

impl Section {
    pub(super) fn of(language: &str, body: Body) -> Section {
        Section {
            is_hidden: matches!(language, "c" | "cpp") && body == Body::Class,
            next: Next::Plain,
            is_own_macro: false,
        }
    }

    /// Reads a node. Returns whether it is only such a keyword, or a module of tests.
    pub(super) fn read(&mut self, language: &str, node: Node<'_>, words: &str) -> bool {
        match (language, node.kind()) {
            ("c" | "cpp", "access_specifier") => self.is_hidden = words.starts_with("private"),
            // A macro in the head of a class makes a function of it, and its sections labels.
            ("c" | "cpp", "labeled_statement") => {
                self.is_hidden = words.starts_with("private");
                return false;
            }
            ("ruby", "identifier") => match words {
                "private" | "private_class_method" => self.is_hidden = true,
                "public" | "protected" => self.is_hidden = false,
                _ => {}
            },
            ("rust", "attribute_item") => {
                if words.contains("cfg(test)") || words.contains("cfg(all(test") {
                    self.next = Next::Test;
                } else if words.contains("macro_export") {
                    self.next = Next::ExportedMacro;
                }
            }
            (_, kind) if kind.contains("comment") => {}
            (_, kind) => {
                let next = std::mem::replace(&mut self.next, Next::Plain);
                self.is_own_macro = kind == "macro_definition" && next != Next::ExportedMacro;
                return kind == "mod_item" && next == Next::Test;
            }
        }
        true
    }

    /// Whether the last node is private.
    pub(super) fn is_hidden(&self) -> bool {
        self.is_hidden || self.is_own_macro
    }
}
