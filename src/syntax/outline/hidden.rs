//! What is nobody's business outside: private members, helpers, tests.

use tree_sitter::Node;

use super::Body;

/// Whether a declaration is private by its own words or its name.
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

/// What the nodes of a body before the next one say of it: `private:` in C++, `private` in
/// Ruby, `#[cfg(test)]` in Rust.
pub(super) struct Section {
    is_hidden: bool,
    /// Whether the next node is for tests.
    is_test: bool,
    /// Whether the next node is for other crates.
    is_export: bool,
    /// Whether this very node is a macro that is for nobody else.
    is_own_macro: bool,
}

impl Section {
    pub(super) fn of(language: &str, body: Body) -> Section {
        Section {
            is_hidden: matches!(language, "c" | "cpp") && body == Body::Class,
            is_test: false,
            is_export: false,
            is_own_macro: false,
        }
    }

    /// Reads a node; whether it is nothing but such a word.
    pub(super) fn read(&mut self, language: &str, node: Node<'_>, words: &str) -> bool {
        self.is_own_macro = node.kind() == "macro_definition" && !self.is_export;
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
                self.is_test |= words.contains("cfg(test)") || words.contains("cfg(all(test");
                self.is_export |= words.contains("macro_export");
            }
            ("rust", "mod_item") if self.is_test => {
                self.is_test = false;
                return true;
            }
            (_, kind) if kind.contains("comment") => {}
            _ => {
                self.is_test = false;
                self.is_export = false;
                return false;
            }
        }
        true
    }

    /// Whether the node that was read last is private.
    pub(super) fn is_hidden(&self) -> bool {
        self.is_hidden || self.is_own_macro
    }
}
