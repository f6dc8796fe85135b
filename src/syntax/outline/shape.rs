//! What each grammar's nodes are to an outline.

use tree_sitter::Node;

use super::Body;

/// How much of a node is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Its lines down to where its body opens: a function.
    Head,
    /// Its head, and then the content of its body: a class.
    Members(Body),
    /// Its head and its body, but only if anything in the body is shown.
    Frame(Body),
    /// Its lines down to its body, then the fields in it, and the line that closes it.
    Fields,
    /// Its first line: a constant.
    Line,
    /// All of it: a signature, an alias.
    Whole,
    /// It is shown with what it encloses: `export`, a decorator.
    Around,
    /// Nothing of it, but its content may be.
    Through,
    /// JavaScript variables, which may hold functions.
    Variables,
    /// A JavaScript or Python statement that may assign something.
    Statement,
    /// Nothing.
    Nothing,
}

/// Returns what a node is to an outline.
pub(super) fn of(language: &str, node: Node<'_>) -> Shape {
    use Shape::{Around, Fields, Frame, Head, Line, Members, Nothing, Statement, Through, Whole};
    let kind = node.kind();
    // What could not be read may hold what can.
    if kind == "ERROR" {
        return Through;
    }
    match (language, kind) {
        ("rust", kind) => match kind {
            "function_item" => Head,
            "function_signature_item" | "type_item" | "associated_type" | "use_declaration" => {
                Whole
            }
            "struct_item" | "enum_item" | "union_item" => Fields,
            "trait_item" => Members(Body::Interface),
            // That a type has a trait is all there is to say.
            "impl_item" if node.child_by_field_name("trait").is_some() => Head,
            "impl_item" => Frame(Body::Class),
            "mod_item" if node.child_by_field_name("body").is_some() => Frame(Body::Module),
            "mod_item" => Whole,
            "const_item" | "static_item" | "macro_definition" => Line,
            "foreign_mod_item" => Frame(Body::Interface),
            _ => Nothing,
        },
        ("python", kind) => match kind {
            "function_definition" => Head,
            "class_definition" => Members(Body::Class),
            "decorated_definition" => Around,
            "type_alias_statement" => Line,
            "expression_statement" => Statement,
            "if_statement" | "try_statement" | "with_statement" | "block" | "else_clause"
            | "elif_clause" | "except_clause" | "finally_clause" => Through,
            _ => Nothing,
        },
        ("javascript" | "jsx" | "typescript" | "tsx", kind) => script(kind),
        ("go", kind) => match kind {
            "function_declaration" | "method_declaration" => Head,
            "type_declaration" => match node.named_child_count() {
                1 => Around,
                _ => Through,
            },
            "type_spec" => match node.child_by_field_name("type").map(|of| of.kind()) {
                Some("struct_type" | "interface_type") => Fields,
                _ => Whole,
            },
            "type_alias" => Whole,
            "const_declaration" => match node.named_child_count() {
                1 => Line,
                _ => Fields,
            },
            "var_declaration" => Around,
            "var_spec_list" => Through,
            "var_spec" => Line,
            _ => Nothing,
        },
        ("csharp", "property_declaration") => Head,
        ("java" | "csharp" | "kotlin" | "php", kind) => object_oriented(kind),
        ("c" | "cpp", kind) => c(node, kind),
        ("ruby", kind) => match kind {
            "class" | "module" => Members(Body::Class),
            "singleton_class" | "body_statement" => Through,
            "method" | "singleton_method" => Head,
            "assignment" | "call" => Statement,
            _ => Nothing,
        },
        _ => Nothing,
    }
}

fn script(kind: &str) -> Shape {
    use Shape::{Around, Fields, Frame, Head, Line, Members, Nothing, Statement, Variables, Whole};
    match kind {
        "function_declaration" | "generator_function_declaration" | "method_definition" => Head,
        "function_signature" | "method_signature" | "abstract_method_signature" => Whole,
        "class_declaration" | "abstract_class_declaration" | "class" => Members(Body::Class),
        "interface_declaration" | "enum_declaration" => Fields,
        "type_alias_declaration" => Whole,
        "internal_module" | "module" => Frame(Body::Module),
        "field_definition" | "public_field_definition" | "property_signature" => Line,
        "export_statement" | "ambient_declaration" => Around,
        "lexical_declaration" | "variable_declaration" => Variables,
        "expression_statement" | "pair" => Statement,
        _ => Nothing,
    }
}

fn object_oriented(kind: &str) -> Shape {
    use Shape::{Head, Line, Members, Nothing, Through, Whole};
    match kind {
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "operator_declaration"
        | "conversion_operator_declaration"
        | "indexer_declaration"
        | "function_declaration"
        | "secondary_constructor"
        | "function_definition"
        | "event_declaration" => Head,
        "class_declaration" | "struct_declaration" | "record_declaration"
        | "object_declaration" | "companion_object" | "trait_declaration" => Members(Body::Class),
        "interface_declaration" | "annotation_type_declaration" | "enum_declaration" => {
            Members(Body::Interface)
        }
        "enum_member_declaration"
        | "enum_constant"
        | "enum_entry"
        | "enum_case"
        | "field_declaration"
        | "property_declaration"
        | "constant_declaration"
        | "const_declaration"
        | "event_field_declaration" => Line,
        "annotation_type_element_declaration" | "delegate_declaration" | "type_alias" => Whole,
        "namespace_declaration"
        | "file_scoped_namespace_declaration"
        | "namespace_definition"
        | "declaration_list"
        | "compound_statement"
        | "enum_body_declarations"
        | "class_member_declaration"
        | "preproc_if"
        | "preproc_elif"
        | "preproc_else" => Through,
        _ => Nothing,
    }
}

fn c(node: Node<'_>, kind: &str) -> Shape {
    use Shape::{Around, Fields, Head, Line, Members, Nothing, Through, Whole};
    let has_body = |node: Node<'_>| node.child_by_field_name("body").is_some();
    match kind {
        "function_definition" => match macro_class(node) {
            Some(body) => Members(body),
            None => Head,
        },
        "labeled_statement" => Through,
        "class_specifier" if has_body(node) => Members(Body::Class),
        "struct_specifier" | "union_specifier" if holds_functions(node) => Members(Body::Struct),
        "struct_specifier" | "union_specifier" if has_body(node) => Fields,
        "enum_specifier" if has_body(node) => Fields,
        "type_definition" => match node.child_by_field_name("type").filter(|of| has_body(*of)) {
            Some(_) => Fields,
            None => Whole,
        },
        "declaration" | "field_declaration" => {
            match node.child_by_field_name("type").filter(|of| has_body(*of)) {
                Some(_) => Fields,
                None => Whole,
            }
        }
        "alias_declaration" => Whole,
        "preproc_def" | "concept_definition" | "preproc_function_def" => Line,
        "template_declaration" => Around,
        "linkage_specification"
        | "namespace_definition"
        | "declaration_list"
        | "preproc_if"
        | "preproc_ifdef"
        | "preproc_else"
        | "preproc_elif"
        | "preproc_elifdef" => Through,
        _ => Nothing,
    }
}

/// Returns what a class with a macro in its head is, which the grammar takes for a function:
/// `class API Name { … }`.
fn macro_class(node: Node<'_>) -> Option<Body> {
    let of = node.child_by_field_name("type")?;
    let name = node.child_by_field_name("declarator")?;
    let body = match of.kind() {
        "class_specifier" => Body::Class,
        "struct_specifier" => Body::Struct,
        _ => return None,
    };
    let is_class = name.kind() == "identifier" && of.child_by_field_name("body").is_none();
    is_class.then_some(body)
}

/// Whether a C++ structure is used as a class.
fn holds_functions(node: Node<'_>) -> bool {
    let Some(body) = node.child_by_field_name("body") else {
        return false;
    };
    let mut cursor = body.walk();
    body.named_children(&mut cursor).any(|child| {
        matches!(
            child.kind(),
            "access_specifier" | "function_definition" | "template_declaration"
        )
    })
}

/// Returns where the body of a declaration begins, if it has one.
pub(super) fn body(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(body) = ["body", "accessors"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
    {
        return Some(body);
    }
    if let Some(of) = node.child_by_field_name("type")
        && matches!(
            of.kind(),
            "struct_type"
                | "interface_type"
                | "struct_specifier"
                | "union_specifier"
                | "enum_specifier"
                | "class_specifier"
        )
    {
        return of.child_by_field_name("body").or_else(|| {
            let mut cursor = of.walk();
            let list = of
                .named_children(&mut cursor)
                .find(|child| child.kind() == "field_declaration_list");
            Some(list.unwrap_or(of))
        });
    }
    if node.kind() == "const_declaration" {
        return Some(node);
    }
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| {
        matches!(
            child.kind(),
            "class_body" | "enum_class_body" | "function_body" | "block" | "getter" | "setter"
        )
    })
}

/// Returns where a declaration is cut before its body begins: at the fields that a C++ constructor
/// sets, at what a trait requires, at a Python comment.
pub(super) fn ends_early(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let is_trait = node.kind() == "impl_item" && node.child_by_field_name("trait").is_some();
    node.named_children(&mut cursor)
        .find(|child| match child.kind() {
            "field_initializer_list" => true,
            "where_clause" => is_trait,
            // A remark on the first statement.
            "comment" => {
                node.kind() == "function_definition" && child.start_position().row > 0 && {
                    let body = node.child_by_field_name("body");
                    body.is_some_and(|body| body.kind() == "block")
                        && node
                            .child_by_field_name("parameters")
                            .is_some_and(|parameters| {
                                parameters.end_position().row < child.start_position().row
                            })
                }
            }
            _ => false,
        })
}
