//! With which keywords each language declares something.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// How a language declares.
#[derive(Clone, Copy)]
pub struct Words {
    /// The tags of the languages that do it like this. Lists are words separated by blanks.
    languages: &'static str,
    /// What comes before the name of a type, a module, or anything else that may hold members.
    pub types: &'static str,
    /// What comes before the name of a function.
    pub functions: &'static str,
    /// What else declares.
    pub manner: Manner,
    /// What a comment of several lines begins and ends with.
    pub comment: (&'static str, &'static str),
}

/// How something is declared without a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Not at all.
    Plain,
    /// Not at all, and keywords may be written in capitals.
    AnyCase,
    /// `Type name(…) {`, as in C.
    Called,
    /// `name = function(…)`, `name <- function(…)`.
    Assigned,
    /// `const Name = struct {`.
    Constant,
    /// `name :: Type`, and `name … =`, both at the beginning of a line.
    Signed,
    /// `name(…) ->` at the beginning of a line.
    Clause,
    /// `name() {`.
    Shell,
    /// `(defun name`.
    Lisp,
    /// `- (Type)name…`, `@interface Name`.
    Objective,
}

const SLASHES: (&str, &str) = ("/*", "*/");

/// Makes a language with only keywords.
const fn plain(languages: &'static str, types: &'static str, functions: &'static str) -> Words {
    Words {
        languages,
        types,
        functions,
        manner: Manner::Plain,
        comment: SLASHES,
    }
}

impl Words {
    const fn and(self, manner: Manner) -> Words {
        Words { manner, ..self }
    }

    const fn commented(self, from: &'static str, to: &'static str) -> Words {
        Words {
            comment: (from, to),
            ..self
        }
    }
}

/// How the known languages declare. Languages with a grammar are here as well: a build may have
/// none, and a text may be too large for it.
const WORDS: &[Words] = &[
    plain("ada", "package type task protected", "procedure function").and(Manner::AnyCase),
    plain("awk fish", "", "function"),
    plain("bash", "", "function").and(Manner::Shell),
    plain(
        "c cpp cuda lex yacc",
        "class struct union enum namespace",
        "",
    )
    .and(Manner::Called),
    plain("clojure emacs-lisp fennel hy lisp scheme racket", "", "")
        .and(Manner::Lisp)
        .commented("#|", "|#"),
    plain("coffeescript", "class", "").commented("###", "###"),
    plain("crystal", "class module struct enum lib", "def macro"),
    plain("csharp", "class interface struct enum record namespace", "").and(Manner::Called),
    plain("cython", "class", "def cdef cpdef").commented("\"\"\"", "\"\"\""),
    plain("d", "class struct interface enum template union", "").and(Manner::Called),
    plain("dart", "class mixin extension enum typedef", "").and(Manner::Called),
    plain(
        "elixir",
        "defmodule defprotocol defimpl describe",
        "def defp defmacro defmacrop defguard test",
    )
    .commented("\"\"\"", "\"\"\""),
    plain(
        "elm haskell purescript",
        "data newtype class instance type",
        "",
    )
    .and(Manner::Signed)
    .commented("{-", "-}"),
    plain("erlang", "-record", "").and(Manner::Clause),
    plain(
        "fortran",
        "module program type interface",
        "function subroutine",
    )
    .and(Manner::AnyCase),
    plain(
        "fsharp ocaml",
        "module type namespace class",
        "let and member method override",
    )
    .commented("(*", "*)"),
    plain("gdscript", "class", "func"),
    plain(
        "cairo gleam move wgsl",
        "type struct enum module mod trait impl",
        "fn fun",
    ),
    plain("glsl hlsl metal", "struct", "").and(Manner::Called),
    plain("go", "type", "func"),
    plain(
        "graphql",
        "type input interface enum union",
        "query mutation subscription fragment",
    ),
    plain("groovy java", "class interface trait enum record", "def").and(Manner::Called),
    plain(
        "javascript jsx typescript tsx vue svelte astro",
        "class interface enum namespace",
        "function",
    )
    .and(Manner::Called),
    plain("haxe", "class interface enum typedef", "function"),
    plain("julia", "struct module", "function macro").commented("#=", "=#"),
    plain("kotlin", "class interface object", "fun"),
    plain(
        "lean",
        "structure class inductive namespace",
        "def theorem lemma instance",
    )
    .commented("/-", "-/"),
    plain("lua", "", "function")
        .and(Manner::Assigned)
        .commented("--[[", "]]"),
    plain(
        "dafny",
        "class module datatype trait",
        "method function lemma predicate",
    ),
    plain("nushell", "", "def"),
    plain(
        "nim",
        "",
        "proc func method template macro iterator converter",
    )
    .commented("#[", "]#"),
    plain("objective-c", "", "").and(Manner::Objective),
    plain("pascal", "", "procedure function constructor destructor")
        .and(Manner::AnyCase)
        .commented("{", "}"),
    plain("perl", "package class", "sub method").commented("=", "=cut"),
    plain("php", "class interface trait enum", "function"),
    plain("powershell", "class enum", "function filter")
        .and(Manner::AnyCase)
        .commented("<#", "#>"),
    plain("prisma", "model enum type", ""),
    plain("protobuf", "message enum service", "rpc"),
    plain("mojo python starlark vyper", "class struct", "def fn").commented("\"\"\"", "\"\"\""),
    plain("r", "", "").and(Manner::Assigned),
    plain("ruby", "class module", "def").commented("=begin", "=end"),
    plain("rust", "struct enum union trait impl mod", "fn"),
    plain("scala", "class object trait enum", "def"),
    plain(
        "solidity",
        "contract interface library struct enum",
        "function modifier constructor",
    ),
    plain(
        "sql",
        "table view type schema",
        "function procedure trigger",
    )
    .and(Manner::AnyCase),
    plain(
        "swift",
        "class struct enum protocol extension actor",
        "func init subscript",
    ),
    plain("tcl", "namespace", "proc method"),
    plain("thrift", "struct service enum exception union", ""),
    plain(
        "vbnet",
        "class module structure interface enum namespace",
        "sub function property",
    )
    .and(Manner::AnyCase),
    plain("verilog", "module class interface package", "function task"),
    plain("vhdl", "entity architecture package", "function procedure").and(Manner::AnyCase),
    plain("vim", "class", "function function! def def!"),
    plain("zig", "", "fn test").and(Manner::Constant),
];

/// Returns how a language declares; `None` if that is not known.
pub fn words(language: &str) -> Option<&'static Words> {
    WORDS.iter().find(|words| has(words.languages, language))
}

/// What may come before the keyword.
const BEFORE: &str = "\
    abstract actual annotation async attribute base case classmethod client companion const \
    convenience create data declare default deprecated distributed dynamic elemental enum \
    expect export extend extern external factory fileprivate final foreign friend global \
    implicit impure indirect infix inline inner internal isolated lazy local macro mutable \
    mutating native nonisolated nonmutating offline opaque open operator or override package \
    partial postfix prefix private protected pub public pure readonly rec record recursive \
    replace required safe sealed shared static strict struct suspend tailrec temp temporary \
    transparent typedef unsafe value virtual class impl let if not exists";

/// How statements begin that declare nothing.
const STATEMENTS: &str = "\
    assert await break case catch continue delete do elif else elseif elsif emit except \
    finally for foreach from goto guard if import in include lock new print raise require \
    rethrow return select sizeof super switch synchronized this throw try typeof unless \
    until using when while with yield";

static KNOWN: LazyLock<[HashSet<&str, RandomState>; 2]> =
    LazyLock::new(|| [BEFORE, STATEMENTS].map(|words| words.split_whitespace().collect()));

/// Whether a word is in a list.
pub fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Whether a word may come before the keyword.
pub fn may_be_before(word: &str) -> bool {
    KNOWN[0].contains(word)
}

/// Whether a statement that declares nothing begins with this word.
pub fn is_statement(word: &str) -> bool {
    KNOWN[1].contains(word)
}
