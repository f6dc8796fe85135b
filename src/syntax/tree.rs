//! The declarations of a file, found by tree-sitter.
//!
//! A grammar tolerates what does not parse, so most declarations of damaged source are found. A
//! text that is too long, or that takes too long, has none.

use std::ops::{ControlFlow, Range};

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::grammars::{grammar, kinds};

pub use super::grammars::DeclarationKind;

/// A longer text is not parsed, in bytes: its tree takes about twenty times as much.
pub(super) const MAX_PARSED: usize = 512 * 1024;

/// How many steps parsing may take for each byte of the text before it is given up. Real source
/// takes about one.
const MAX_STEPS: usize = 10;

/// The deepest nesting of declarations.
const MAX_DEPTH: usize = 200;

/// The most declarations that are taken from a text.
const MAX_DECLARATIONS: usize = 20_000;

/// Something that a file declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration {
    /// Its name; the first words of a call such as `describe("…", …)`.
    pub name: String,
    /// Its lines, from 0, without comments above it.
    pub lines: Range<usize>,
    /// The line of its name.
    pub name_line: usize,
    /// The line after its head: its name, its parameters, what it returns, and the bracket that
    /// opens its body.
    pub head_end: usize,
    /// What it is.
    pub kind: DeclarationKind,
    /// How many other declarations enclose it.
    pub depth: usize,
}

/// Whether declarations refer only to `lines` lines, and each is inside those that are open.
pub(super) fn nest(declared: &[Declaration], lines: usize) -> bool {
    let mut open = 0;
    declared.iter().all(|it| {
        let is_open = it.depth <= open;
        open = it.depth + 1;
        let Range { start, end } = it.lines;
        is_open && start <= end && end <= lines && it.name_line < lines && it.head_end <= lines
    })
}

/// Returns the declarations of a text in a language, as [`language`](super::language) names it, in
/// the order in which they begin.
pub(super) fn declarations(language: &str, text: &str, tree: &Tree) -> Vec<Declaration> {
    let kinds = kinds(language, &tree.language());
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    // What holds for the children of each node above: in how many declarations they lie,
    // and whether in a function.
    let mut above = vec![(0, false)];
    while found.len() < MAX_DECLARATIONS {
        let node = cursor.node();
        let (mut depth, mut in_function) = above.last().copied().unwrap_or_default();
        // What does not parse is a kind that is not among them.
        let kind = kinds.get(usize::from(node.kind_id()));
        if let Some(kind) = kind.copied().flatten()
            && let Some(declaration) = declaration(language, kind, node, text, depth, in_function)
        {
            in_function |= declaration.kind == DeclarationKind::Function;
            found.push(declaration);
            depth += 1;
        }
        if node.is_named() && above.len() <= MAX_DEPTH && cursor.goto_first_child() {
            above.push((depth, in_function));
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            above.pop();
        }
    }
    found
}

/// Returns the tree of a text; `None` if its language has no grammar here, if it is too long, or if
/// parsing takes too long.
pub(super) fn parse(language: &str, text: &str) -> Option<Tree> {
    let grammar = grammar(language).filter(|_| text.len() <= MAX_PARSED)?;
    let mut parser = Parser::new();
    parser.set_language(&grammar).ok()?;
    let mut steps = text.len().saturating_mul(MAX_STEPS) / 100 + 1000;
    // Called every hundred or so operations of the parser.
    let mut progress = |_: &ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

fn declaration(
    language: &str,
    mut kind: DeclarationKind,
    node: Node<'_>,
    text: &str,
    depth: usize,
    in_function: bool,
) -> Option<Declaration> {
    let name = match node.kind() {
        // `describe("…", () => { … })`, `test "…" do … end`
        "call_expression" | "call" => return block(node, text, depth),
        "compound_statement" => return titled(node, text, depth).filter(|_| !in_function),
        "impl_item" => node.child_by_field_name("type")?,
        "variable_declarator" | "pair" | "public_field_definition" => {
            let value = node.child_by_field_name("value");
            let is_function = value.is_some_and(is_function);
            let is_import = value.is_some_and(|value| is_require(value, text));
            if is_function {
                kind = DeclarationKind::Function;
            } else if is_import || node.kind() != "variable_declarator" || in_function || depth > 0
            {
                return None;
            }
            node.child_by_field_name("name")
                .or_else(|| node.child_by_field_name("key"))?
        }
        "assignment_expression" => {
            is_function(node.child_by_field_name("right")?).then_some(())?;
            kind = DeclarationKind::Function;
            let left = node.child_by_field_name("left")?;
            left.child_by_field_name("property").unwrap_or(left)
        }
        _ if matches!(language, "c" | "cpp") => c_name(node, in_function)?,
        _ if kind == DeclarationKind::Value && in_function => return None,
        _ => name_of(node)?,
    };
    let lines = lines_of(around(node));
    let name_line = name.start_position().row;
    Some(Declaration {
        name: made_by_macro(node, name, text)
            .or_else(|| text.get(name.byte_range()).map(identifier))?,
        head_end: head_end(body_of(node), name_line, &lines, text),
        lines,
        name_line,
        kind,
        depth,
    })
}

/// Whether a value is what a JavaScript file imports: `require("a")`, or a part of it.
fn is_require(value: Node<'_>, text: &str) -> bool {
    let mut value = value;
    while let Some(object) = value.child_by_field_name("object") {
        value = object;
    }
    let function = value.child_by_field_name("function");
    let of_file = |function: Node<'_>| text.get(function.byte_range()) == Some("require");
    let arguments = value.child_by_field_name("arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    function.is_some_and(of_file) && first.is_some_and(|first| first.kind() == "string")
}

/// Handles a call that spans more than one line and gets a function.
fn block(node: Node<'_>, text: &str, depth: usize) -> Option<Declaration> {
    if lines_of(node).len() < 3 {
        return None;
    }
    let function = node
        .child_by_field_name("function")
        .or_else(|| node.child_by_field_name("method"))?;
    let body = match node.child_by_field_name("block") {
        Some(block) => block,
        None => {
            let arguments = node.child_by_field_name("arguments")?;
            let mut cursor = arguments.walk();
            arguments
                .named_children(&mut cursor)
                .find(|argument| is_function(*argument))?
        }
    };
    // `describe('x').each(…)` and promises are no blocks with a title.
    if !matches!(function.kind(), "identifier" | "member_expression") {
        return None;
    }
    let arguments = node.child_by_field_name("arguments")?;
    let first = arguments.named_child(0)?;
    if !first.kind().contains("string") {
        return None;
    }
    let name = format!(
        "{} {}",
        text.get(function.byte_range())?,
        text.get(first.byte_range())?
    );
    let lines = lines_of(around(node));
    Some(Declaration {
        name: name.chars().take(MAX_NAME).collect(),
        name_line: lines.start,
        head_end: head_end(Some(of_function(body)), lines.start, &lines, text),
        lines,
        kind: DeclarationKind::Block,
        depth,
    })
}

/// Handles the block of a C++ test whose macro takes a title: `TEST_CASE("…") { … }`.
fn titled(block: Node<'_>, text: &str, depth: usize) -> Option<Declaration> {
    let before = text.get(..block.start_byte())?.trim_end();
    before.strip_suffix(')')?;
    // Its arguments may take several lines.
    let begun = before.rfind(['{', '}', ';']).map_or(0, |end| end + 1);
    let starts = before.rmatch_indices('\n').map(|(end, _)| end + 1);
    let starts = starts.take_while(|start| *start >= begun);
    let (start, name) = starts.chain([begun]).take(MAX_BARE).find_map(|start| {
        let (name, _) = before[start..].split_once('(')?;
        is_macro(name.trim()).then_some((start, name.trim()))
    })?;
    let title = quoted(&before[start..])?;
    let row = block.start_position().row;
    let first = row - text[start..block.start_byte()].matches('\n').count();
    Some(Declaration {
        name: format!("{name} {title}").chars().take(MAX_NAME).collect(),
        lines: first..lines_of(block).end,
        name_line: first,
        head_end: row + 1,
        kind: DeclarationKind::Block,
        depth,
    })
}

/// Returns the first string in a text, with its quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find('"')?;
    let mut is_escaped = false;
    let end = text[start + 1..].find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    text.get(start..start + end + 2)
}

/// Whether a name is that of a macro, as C and C++ write them.
fn is_macro(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(is_part)
}

/// Whether something is declared directly in a class: a function without a type is a constructor
/// there.
fn is_member(node: Node<'_>) -> bool {
    let mut above = node.parent();
    while let Some(parent) = above {
        let is_around = |kind: &str| kind.starts_with("preproc_") || kind == "template_declaration";
        if !is_around(parent.kind()) {
            return parent.kind() == "field_declaration_list";
        }
        above = parent.parent();
    }
    false
}

/// Returns the name that a macro gives to a C or C++ function, if one declares it:
/// `TEST_F(Parser, ReadsNumbers) { … }`, `PHP_FUNCTION(strlen) { … }`.
fn made_by_macro(node: Node<'_>, name: Node<'_>, text: &str) -> Option<String> {
    let is_made = node.kind() == "function_definition"
        && name.kind() == "identifier"
        && node.child_by_field_name("type").is_none()
        && is_macro(text.get(name.byte_range())?)
        && !is_member(node);
    let declarator = is_made.then(|| node.child_by_field_name("declarator"))??;
    let parameters = declarator.child_by_field_name("parameters")?;
    let mut cursor = parameters.walk();
    let parameters = parameters.named_children(&mut cursor);
    let names = parameters.map_while(|parameter| {
        let written = text.get(parameter.byte_range())?;
        let is_name = parameter.child_by_field_name("type").is_some_and(|of| {
            of.kind() == "type_identifier" && of.byte_range() == parameter.byte_range()
        });
        is_name.then_some(written)
    });
    let names: Vec<&str> = names.take(2).collect();
    (!names.is_empty()).then(|| names.join("::"))
}

/// Returns what a declaration holds between its brackets, or says about itself if it has none.
fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    let field = |name| node.child_by_field_name(name);
    if let Some(body) = field("body")
        .or_else(|| field("value"))
        .or_else(|| field("right"))
    {
        return Some(of_function(body));
    }
    // Kotlin's grammar has no fields for them.
    let last = node.named_child(
        u32::try_from(node.named_child_count())
            .ok()?
            .checked_sub(1)?,
    )?;
    let kinds = ["class_body", "enum_class_body", "function_body", "block"];
    kinds.contains(&last.kind()).then_some(last)
}

/// Returns the body of a function that is a value; any other value itself.
fn of_function(value: Node<'_>) -> Node<'_> {
    let body = value.child_by_field_name("body");
    body.filter(|_| is_function(value)).unwrap_or(value)
}

/// A declaration without a body is its own head, if it has no more lines.
const MAX_BARE: usize = 8;

/// Returns the line after the head of a declaration with these lines.
fn head_end(body: Option<Node<'_>>, name_line: usize, lines: &Range<usize>, text: &str) -> usize {
    let Some(body) = body else {
        return if lines.len() <= MAX_BARE {
            lines.end
        } else {
            name_line + 1
        };
    };
    let row = body.start_position().row;
    // In Python and Ruby a body begins with its first statement.
    let is_opened = matches!(
        text.as_bytes().get(body.start_byte()),
        Some(b'{' | b'(' | b'[')
    );
    let end = if is_opened { row + 1 } else { row };
    end.max(name_line + 1).min(lines.end)
}

/// A longer name is cut, in characters.
const MAX_NAME: usize = 120;

pub(super) fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "function" | "generator_function" | "class"
    )
}

pub(super) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(name);
    }
    // A list of variables: the first of them.
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find_map(|child| match child.kind() {
        "identifier" | "type_identifier" | "simple_identifier" => Some(child),
        "variable_declaration" | "variable_declarator" => name_of(child),
        "companion_object" => None,
        _ => child
            .child_by_field_name("name")
            .filter(|_| matches!(child.kind(), "variable_declarator" | "property_element")),
    })
}

/// Returns the name in a C declarator: `static int *(*name)(void)`.
fn c_name(node: Node<'_>, in_function: bool) -> Option<Node<'_>> {
    match node.kind() {
        "struct_specifier" | "union_specifier" | "enum_specifier" | "class_specifier" => {
            node.child_by_field_name("body")?;
            return node.child_by_field_name("name");
        }
        "preproc_def" | "preproc_function_def" | "namespace_definition" | "alias_declaration" => {
            return node.child_by_field_name("name");
        }
        _ => {}
    }
    let mut is_function = false;
    let mut next = node.child_by_field_name("declarator");
    for _ in 0..MAX_DEPTH {
        let here = next?;
        is_function |= here.kind() == "function_declarator";
        match here.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" => {
                next = Some(here);
                break;
            }
            _ => {}
        }
        next = here
            .child_by_field_name("declarator")
            .or_else(|| here.child_by_field_name("name"))
            .or_else(|| {
                let mut cursor = here.walk();
                here.named_children(&mut cursor).find(|child| {
                    child.kind().contains("declarator") || child.kind().contains("identifier")
                })
            });
    }
    let is_value = matches!(node.kind(), "declaration" | "field_declaration");
    if is_value && (in_function || !is_function) {
        return None;
    }
    next
}

/// Returns what belongs to a declaration and encloses it: `export`, a decorator, a template's
/// parameters, the statement that it is.
fn around(node: Node<'_>) -> Node<'_> {
    let mut whole = node;
    while let Some(parent) = whole.parent() {
        let belongs = matches!(
            parent.kind(),
            "export_statement"
                | "decorated_definition"
                | "template_declaration"
                | "expression_statement"
                | "lexical_declaration"
                | "variable_declaration"
                | "await_expression"
        ) || (matches!(
            parent.kind(),
            "type_declaration" | "const_declaration" | "var_declaration"
        ) && parent.named_child_count() == 1);
        if !belongs {
            break;
        }
        whole = parent;
    }
    whole
}

fn lines_of(node: Node<'_>) -> Range<usize> {
    let (start, end) = (node.start_position(), node.end_position());
    // A node that ends with its line break ends on that line.
    let last = if end.column == 0 && end.row > start.row {
        end.row
    } else {
        end.row + 1
    };
    start.row..last
}

/// Returns a name without its parameters and its quotes: `Vec<T>` becomes `Vec`, and of a Kotlin
/// name in backticks all words stay.
pub(super) fn identifier(name: &str) -> String {
    if let Some((quoted, _)) = name.strip_prefix('`').and_then(|name| name.split_once('`')) {
        return quoted.chars().take(MAX_NAME).collect();
    }
    let end = name.find(|c: char| c == '<' || c == '(' || c.is_whitespace());
    let name = &name[..end.unwrap_or(name.len())];
    name.chars().take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "languages")]
    fn told(language: &str, text: &str) -> Vec<String> {
        let tree = parse(language, text);
        let found = tree.map(|tree| declarations(language, text, &tree));
        let found = found.into_iter().flatten();
        found
            .map(|d| format!("{}{} {:?}", " ".repeat(d.depth), d.name, d.lines))
            .collect()
    }

    #[cfg(feature = "languages")]
    #[test]
    fn each_language_tells_its_declarations() {
        let cases: [(&str, &str, &[&str]); 15] = [
            (
                "python",
                "import os\n@cached\ndef a():\n    pass\nclass B:\n    def c(self):\n        x = 1\n",
                &["a 1..4", "B 4..7", " c 5..7"],
            ),
            (
                "javascript",
                "const a = () => {\n};\nexport class B {\n  c() {}\n}\nexports.d = function () {}\ndescribe('e', () => {\n  it('f', () => {\n    g();\n  });\n});\n",
                &[
                    "a 0..2",
                    "B 2..5",
                    " c 3..4",
                    "d 5..6",
                    "describe 'e' 6..11",
                    " it 'f' 7..10",
                ],
            ),
            (
                "javascript",
                "const { a } = require('./a')\nconst b = require('b').c.d\nconst e = require(path)\nlet f = 1\n",
                &["e 2..3", "f 3..4"],
            ),
            (
                "typescript",
                "export interface A {\n  b: string;\n}\nexport type C = A;\nexport function d<T>(): T {\n}\n",
                &["A 0..3", "C 3..4", "d 4..6"],
            ),
            ("tsx", "export const A = () => <b/>;\n", &["A 0..1"]),
            (
                "rust",
                "struct A<T>(T);\nimpl<T> A<T> {\n    fn b() {}\n}\nmacro_rules! c { () => {} }\nconst D: u8 = 1;\n",
                &["A 0..1", "A 1..4", " b 2..3", "c 4..5", "D 5..6"],
            ),
            (
                "go",
                "package a\n\ntype B struct{}\n\nfunc (b *B) C() {\n}\n\nvar d = 1\n",
                &["B 2..3", "C 4..6", "d 7..8"],
            ),
            (
                "java",
                "class A {\n  int b;\n  A() {}\n  @Override\n  void c() {}\n}\n",
                &["A 0..6", " b 1..2", " A 2..3", " c 3..5"],
            ),
            (
                "c",
                "#define A 1\nstatic int *b(int c)\n{\n  return 0;\n}\nstruct d { int e; };\nint f(void);\n",
                &["A 0..1", "b 1..5", "d 5..6", "f 6..7"],
            ),
            (
                "cpp",
                "namespace a {\ntemplate <class T>\nclass B {\n  void c();\n};\nvoid B::d() {}\n}\n",
                &["a 0..7", " B 1..5", "  c 3..4", " d 5..6"],
            ),
            (
                "cpp",
                "TEST_F(A, B) {\n}\nPHP_FUNCTION(c)\n{\n}\nclass URL {\n  template <class D> URL(D) {}\n};\nTEST_CASE(\"e \\\"f\",\n    \"[g]\") {\n  if (h) {\n  }\n  SECTION(\"i\") {\n  }\n}\nRUN(j, int) {}\n",
                &[
                    "A::B 0..2",
                    "c 2..5",
                    "URL 5..8",
                    " URL 6..7",
                    "TEST_CASE \"e \\\"f\" 8..15",
                    " SECTION \"i\" 12..14",
                    "j 15..16",
                ],
            ),
            (
                "csharp",
                "namespace A {\n  class B {\n    public int C { get; set; }\n    void D() {}\n  }\n}\n",
                &["A 0..6", " B 1..5", "  C 2..3", "  D 3..4"],
            ),
            (
                "kotlin",
                "class A {\n  fun b() {}\n}\nfun c() = 1\nfun `d e`() {}\n",
                &["A 0..3", " b 1..2", "c 3..4", "d e 4..5"],
            ),
            (
                "php",
                "<?php\nclass A {\n  function b() {}\n}\nfunction c() {}\n",
                &["A 1..4", " b 2..3", "c 4..5"],
            ),
            (
                "ruby",
                "class A\n  def b\n  end\nend\ndescribe 'c' do\n  d\nend\n",
                &["A 0..4", " b 1..3", "describe 'c' 4..7"],
            ),
        ];
        for (language, text, expected) in cases {
            assert_eq!(told(language, text), expected, "{language}");
        }
    }

    #[cfg(feature = "languages")]
    #[test]
    fn damaged_and_unknown_source_fails_nowhere() {
        assert_eq!(
            told("rust", "fn a( {\n}\nfn b() {}\n").last().unwrap(),
            "b 2..3"
        );
        assert!(told("cobol", "DIVISION.").is_empty());
        assert!(told("python", &"(".repeat(200_000)).is_empty());
        let deep = "{".repeat(100_000);
        for language in ["rust", "c", "javascript", "go", "java", "csharp", "kotlin"] {
            told(language, &deep);
        }
    }

    #[test]
    fn a_language_is_read_where_its_group_is_built_in() {
        for (language, is_built_in) in [
            ("c", cfg!(feature = "lang-c")),
            ("cpp", cfg!(feature = "lang-c")),
            ("csharp", cfg!(feature = "lang-csharp")),
            ("go", cfg!(feature = "lang-go")),
            ("java", cfg!(feature = "lang-jvm")),
            ("javascript", cfg!(feature = "lang-script")),
            ("jsx", cfg!(feature = "lang-script")),
            ("kotlin", cfg!(feature = "lang-jvm")),
            ("php", cfg!(feature = "lang-php")),
            ("python", cfg!(feature = "lang-python")),
            ("ruby", cfg!(feature = "lang-ruby")),
            ("rust", cfg!(feature = "lang-rust")),
            ("tsx", cfg!(feature = "lang-script")),
            ("typescript", cfg!(feature = "lang-script")),
            ("cobol", false),
        ] {
            assert_eq!(parse(language, "").is_some(), is_built_in, "{language}");
        }
    }
}
