//! The grammars of this build, and what each calls a declaration.

use serde::{Deserialize, Serialize};
use tree_sitter::Language;

/// What a declaration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeclarationKind {
    /// A function, a method, a macro with parameters.
    Function,
    /// A type, and anything else that may hold members: a class, an `impl`, a module.
    Type,
    /// A constant, a variable, an alias.
    Value,
    /// A call that gets a function, as tests do: `it("works", () => …)`.
    Block,
    /// The content below a heading, in a table of settings, or deeper than a key.
    Section,
}

/// The languages that a grammar reads, and the grammar.
type Grammar = (&'static [&'static str], fn() -> Language);

/// The grammars of this build; each group of them is a feature.
const GRAMMARS: &[Grammar] = &[
    #[cfg(feature = "lang-c")]
    (&["c", "cpp"], || tree_sitter_cpp::LANGUAGE.into()),
    #[cfg(feature = "lang-csharp")]
    (&["csharp"], || tree_sitter_c_sharp::LANGUAGE.into()),
    #[cfg(feature = "lang-go")]
    (&["go"], || tree_sitter_go::LANGUAGE.into()),
    #[cfg(feature = "lang-jvm")]
    (&["java"], || tree_sitter_java::LANGUAGE.into()),
    #[cfg(feature = "lang-jvm")]
    (&["kotlin"], || tree_sitter_kotlin_ng::LANGUAGE.into()),
    #[cfg(feature = "lang-php")]
    (&["php"], || tree_sitter_php::LANGUAGE_PHP.into()),
    #[cfg(feature = "lang-python")]
    (&["python"], || tree_sitter_python::LANGUAGE.into()),
    #[cfg(feature = "lang-ruby")]
    (&["ruby"], || tree_sitter_ruby::LANGUAGE.into()),
    #[cfg(feature = "lang-rust")]
    (&["rust"], || tree_sitter_rust::LANGUAGE.into()),
    #[cfg(feature = "lang-script")]
    (&["javascript", "jsx"], || {
        tree_sitter_javascript::LANGUAGE.into()
    }),
    #[cfg(feature = "lang-script")]
    (&["typescript"], || {
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
    }),
    #[cfg(feature = "lang-script")]
    (&["tsx"], || tree_sitter_typescript::LANGUAGE_TSX.into()),
];

/// Whether there is a grammar for a language.
pub(super) fn has_grammar(language: &str) -> bool {
    GRAMMARS
        .iter()
        .any(|(languages, _)| languages.contains(&language))
}

/// Returns the grammar of a language.
pub(super) fn grammar(language: &str) -> Option<Language> {
    let reads = |(languages, _): &&Grammar| languages.contains(&language);
    GRAMMARS.iter().find(reads).map(|(_, grammar)| grammar())
}

/// Returns what each grammar calls a declaration of each kind.
fn kind(language: &str, node: &str) -> Option<DeclarationKind> {
    use DeclarationKind::{Block, Function, Type, Value};
    let kind = match (language, node) {
        ("python", "function_definition") => Function,
        ("python", "class_definition") => Type,
        ("javascript" | "jsx" | "typescript" | "tsx", node) => match node {
            "function_declaration"
            | "generator_function_declaration"
            | "method_definition"
            | "function_signature"
            | "abstract_method_signature" => Function,
            "class_declaration"
            | "abstract_class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "type_alias_declaration"
            | "internal_module"
            | "module" => Type,
            "variable_declarator"
            | "assignment_expression"
            | "pair"
            | "public_field_definition" => Value,
            "call_expression" => Block,
            _ => return None,
        },
        ("rust", node) => match node {
            "function_item" | "function_signature_item" | "macro_definition" => Function,
            "struct_item" | "enum_item" | "union_item" | "trait_item" | "impl_item"
            | "mod_item" => Type,
            "type_item" | "const_item" | "static_item" => Value,
            _ => return None,
        },
        ("go", "function_declaration" | "method_declaration") => Function,
        ("go", "type_spec" | "type_alias") => Type,
        ("go", "const_spec" | "var_spec") => Value,
        ("java" | "csharp" | "kotlin" | "php", node) => match node {
            "method_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "destructor_declaration"
            | "operator_declaration"
            | "local_function_statement"
            | "function_declaration"
            | "secondary_constructor"
            | "function_definition" => Function,
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "annotation_type_declaration"
            | "record_declaration"
            | "struct_declaration"
            | "namespace_declaration"
            | "object_declaration"
            | "companion_object"
            | "trait_declaration" => Type,
            "field_declaration"
            | "property_declaration"
            | "delegate_declaration"
            | "const_declaration"
            | "event_field_declaration" => Value,
            _ => return None,
        },
        ("c" | "cpp", node) => match node {
            "function_definition" | "preproc_function_def" => Function,
            "struct_specifier"
            | "union_specifier"
            | "enum_specifier"
            | "class_specifier"
            | "namespace_definition" => Type,
            "type_definition" | "preproc_def" | "alias_declaration" | "declaration"
            | "field_declaration" => Value,
            "compound_statement" => Block,
            _ => return None,
        },
        ("ruby", "method" | "singleton_method") => Function,
        ("ruby", "class" | "module") => Type,
        ("ruby", "call") => Block,
        _ => return None,
    };
    Some(kind)
}

/// Returns what each kind of node declares, by its number.
pub(super) fn kinds(language: &str, grammar: &Language) -> Vec<Option<DeclarationKind>> {
    let numbers = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    let kind = |number| {
        let is_named = grammar.node_kind_is_named(number);
        kind(language, grammar.node_kind_for_id(number)?).filter(|_| is_named)
    };
    numbers.map(kind).collect()
}
