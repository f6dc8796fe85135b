//! What language a file is in, what it imports, and what it declares.

mod grammars;
mod heads;
pub mod imports;
mod made;
mod marks;
pub mod outline;
pub mod parts;
mod purpose;
pub mod sections;
pub mod symbols;
pub mod tree;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use self::outline::Entry;
use self::parts::Part;
use self::tree::Declaration;

use crate::split;

/// The most lines of a text that are cut into parts without a grammar.
const MAX_LINES: usize = 20_000;

pub use self::heads::head_above;
pub use self::purpose::purpose;
pub use self::sections::front_matter;

/// What is wanted of a parsed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// Its parts and the lines of its outline.
    Parts,
    /// The lines of its outline.
    Outline,
    /// What it declares, as the outline has it.
    Entries,
    /// Everything that it declares, by name.
    Declared,
}

/// What a grammar found in a text; only what was wanted.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// Its parts.
    pub parts: Vec<Part>,
    /// The lines of its outline.
    pub outline: Vec<Range<usize>>,
    /// What it declares, as the outline has it.
    pub entries: Vec<Entry>,
    /// Everything that it declares.
    pub declared: Vec<Declaration>,
}

/// Whether there is a grammar that would parse a text.
pub fn has_grammar(language: &str, text: &str) -> bool {
    grammars::has_grammar(language) && text.len() <= tree::MAX_PARSED
}

/// Parses a text once.
///
/// Grammars are C programs by many authors: a hostile text can make them take any time, abort or
/// overflow the stack. So this is called only where it can be ended: by the module `parsing`.
pub fn parse(language: &str, text: &str, wanted: Wanted) -> Parsed {
    let tree = tree::parse(language, text);
    found(language, text, tree.as_ref(), wanted)
}

/// Returns what a text says without a grammar: by its headings and tables, by words that declare,
/// or by its indentation.
pub fn without_grammar(language: &str, text: &str, wanted: Wanted) -> Parsed {
    let (head, rest) = head_of_long(text);
    let mut parsed = found(language, head, None, wanted);
    if wanted == Wanted::Parts {
        parsed.parts.extend(rest.map(Part::rest));
    }
    parsed
}

/// Splits off the lines of a text that are cut without a grammar, which a hostile text would fill
/// with tiny parts; the second value is the lines after them, if there are any.
fn head_of_long(text: &str) -> (&str, Option<Range<usize>>) {
    let count = split::count_lines(text);
    if count <= MAX_LINES {
        return (text, None);
    }
    let head = text.split_inclusive('\n').take(MAX_LINES);
    (&text[..head.map(str::len).sum()], Some(MAX_LINES..count))
}

fn found(language: &str, text: &str, tree: Option<&Tree>, wanted: Wanted) -> Parsed {
    let mut parsed = Parsed::default();
    match wanted {
        Wanted::Parts => {
            parsed.parts = parts::parts_of(language, text, tree);
            parsed.outline = outline::outline_of(language, text, tree);
        }
        Wanted::Outline => parsed.outline = outline::outline_of(language, text, tree),
        Wanted::Entries => parsed.entries = outline::entries_of(language, text, tree),
        Wanted::Declared => {
            parsed.declared = match tree {
                Some(tree) => tree::declarations(language, text, tree),
                None => sections::sections(language, &split::lines(text)),
            };
        }
    }
    parsed
}

/// Returns the parts of a text without a grammar.
pub fn cut(language: &str, text: &str) -> Vec<Part> {
    let (head, rest) = head_of_long(text);
    let mut parts = parts::parts_of(language, head, None);
    parts.extend(rest.map(Part::rest));
    parts
}

impl Parsed {
    /// Whether this can belong to a text of this many lines: a parser may have been tricked into
    /// any answer.
    pub fn is_sound(&self, wanted: Wanted, lines: usize) -> bool {
        let fits = |range: &Range<usize>| range.start <= range.end && range.end <= lines;
        let is_empty = (
            self.parts.is_empty(),
            self.outline.is_empty(),
            self.entries.is_empty(),
            self.declared.is_empty(),
        );
        let is_wanted = match wanted {
            Wanted::Parts => {
                matches!(is_empty, (_, _, true, true)) && parts::follow(&self.parts, lines)
            }
            Wanted::Outline => matches!(is_empty, (true, _, true, true)),
            Wanted::Entries => matches!(is_empty, (true, true, _, true)),
            Wanted::Declared => {
                matches!(is_empty, (true, true, true, _)) && tree::nest(&self.declared, lines)
            }
        };
        let entries = self.entries.iter().enumerate();
        let mut entries = entries.map(|(at, entry)| {
            let owner_is_before = entry.owner.is_none_or(|owner| owner < at);
            owner_is_before && entry.lines.iter().all(fits)
        });
        let in_order = self
            .outline
            .windows(2)
            .all(|two| two[0].end <= two[1].start);
        is_wanted && in_order && self.outline.iter().all(fits) && entries.all(|sound| sound)
    }
}

/// Whether a line says nothing on its own: an empty one, a closing bracket.
pub fn is_bare(line: &str) -> bool {
    line.chars()
        .all(|c| c.is_whitespace() || "{}()[];,".contains(c))
        || matches!(line.trim(), "end" | "*/" | "\"\"\"")
}

/// Returns how far a line is indented, in bytes; a tab counts like a space.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the tag of the fence that a file is written in, by its name; empty for a file of no
/// known language.
///
/// The tags are those that GitHub highlights.
pub fn language(path: &str) -> &'static str {
    let name = split::at_last(path, b'/').map_or(path, |(_, name)| name);
    match name {
        "Dockerfile" | "Containerfile" => return "dockerfile",
        "Makefile" | "makefile" | "GNUmakefile" => return "makefile",
        "CMakeLists.txt" => return "cmake",
        "Gemfile" | "Rakefile" => return "ruby",
        "Cargo.lock" | "poetry.lock" | "uv.lock" => return "toml",
        _ => {}
    }
    let Some((_, ending)) = split::at_last(name, b'.') else {
        return "";
    };
    LANGUAGE_OF.get(ending).copied().unwrap_or_default()
}

/// Returns the language of a text at this path as a reader wants it named: a header is C++ if it
/// has what only that has.
pub fn language_of_text(path: &str, text: &str) -> &'static str {
    const BEGIN: [&str; 6] = [
        "namespace ",
        "template <",
        "template<",
        "class ",
        "enum class ",
        "using namespace ",
    ];
    const ARE: [&str; 3] = ["public:", "private:", "protected:"];
    let is_cpp = |line: &str| {
        let line = line.trim();
        let begins = BEGIN.iter().any(|begins| line.starts_with(begins));
        // A sentence in a comment has no such sign at its end.
        begins && line.ends_with(['{', ';', '>', ':']) || ARE.contains(&line)
    };
    match language(path) {
        "c" if path.ends_with(".h") && text.lines().any(is_cpp) => "cpp",
        language => language,
    }
}

/// Whether a language is a programming language.
pub fn is_program(language: &str) -> bool {
    !matches!(
        language,
        "" | "markdown"
            | "mdx"
            | "asciidoc"
            | "rdoc"
            | "json"
            | "jsonc"
            | "yaml"
            | "toml"
            | "ini"
            | "xml"
            | "html"
            | "css"
            | "scss"
            | "less"
            | "rst"
            | "latex"
            | "roff"
            | "diff"
            | "dockerfile"
            | "makefile"
            | "cmake"
    )
}

/// The languages by file extension. Many thousands of paths are looked up, each several times.
static LANGUAGE_OF: LazyLock<HashMap<&str, &str, RandomState>> = LazyLock::new(|| {
    let endings = LANGUAGES.iter().rev().flat_map(|(endings, language)| {
        let endings = endings.split(' ');
        endings.map(move |ending| (ending, *language))
    });
    endings.collect()
});

const LANGUAGES: &[(&str, &str)] = &[
    ("rs", "rust"),
    ("py pyi pyw", "python"),
    ("pyx pxd pxi", "cython"),
    ("bzl bazel star", "starlark"),
    ("js mjs cjs", "javascript"),
    ("jsx", "jsx"),
    ("ts mts cts", "typescript"),
    ("tsx", "tsx"),
    ("go", "go"),
    ("java", "java"),
    ("c h", "c"),
    ("cc cpp cxx hh hpp hxx ipp inl tpp", "cpp"),
    ("cu cuh", "cuda"),
    ("cs", "csharp"),
    ("rb rake gemspec podspec rbi ru thor", "ruby"),
    ("cr", "crystal"),
    ("php phtml", "php"),
    ("kt kts", "kotlin"),
    ("swift", "swift"),
    ("scala sc sbt", "scala"),
    ("sh bash zsh ksh bats", "bash"),
    ("fish", "fish"),
    ("ps1 psm1 psd1", "powershell"),
    ("md markdown mdc", "markdown"),
    ("mdx", "mdx"),
    ("adoc asciidoc", "asciidoc"),
    ("rdoc", "rdoc"),
    ("json", "json"),
    ("jsonc json5", "jsonc"),
    ("yaml yml", "yaml"),
    ("toml", "toml"),
    ("ini cfg editorconfig conf cnf properties", "ini"),
    ("xml svg xsd csproj fsproj vbproj props targets xaml", "xml"),
    ("html htm", "html"),
    ("css", "css"),
    ("scss", "scss"),
    ("less", "less"),
    ("vue", "vue"),
    ("svelte", "svelte"),
    ("astro", "astro"),
    ("cshtml razor", "razor"),
    ("sql", "sql"),
    ("graphql gql", "graphql"),
    ("proto", "protobuf"),
    ("lua", "lua"),
    ("pl pm", "perl"),
    ("r R", "r"),
    ("jl", "julia"),
    ("hs", "haskell"),
    ("elm", "elm"),
    ("purs", "purescript"),
    ("ml mli", "ocaml"),
    ("fs fsi fsx", "fsharp"),
    ("vb", "vbnet"),
    ("ex exs", "elixir"),
    ("erl hrl", "erlang"),
    ("clj cljs cljc edn", "clojure"),
    ("el", "emacs-lisp"),
    ("lisp", "lisp"),
    ("scm ss", "scheme"),
    ("rkt", "racket"),
    ("vim", "vim"),
    ("gd", "gdscript"),
    ("sol", "solidity"),
    ("coffee", "coffeescript"),
    ("d", "d"),
    ("adb ads", "ada"),
    ("pas dpr", "pascal"),
    ("awk", "awk"),
    ("glsl vert frag", "glsl"),
    ("hlsl", "hlsl"),
    ("wgsl", "wgsl"),
    ("thrift", "thrift"),
    ("prisma", "prisma"),
    ("jsonnet libsonnet", "jsonnet"),
    ("rego", "rego"),
    ("cue", "cue"),
    ("bicep", "bicep"),
    ("gleam", "gleam"),
    ("hx", "haxe"),
    ("fnl", "fennel"),
    ("hy", "hy"),
    ("lean", "lean"),
    ("agda", "agda"),
    ("idr", "idris"),
    ("dfy", "dafny"),
    ("move", "move"),
    ("cairo", "cairo"),
    ("vy", "vyper"),
    ("mojo", "mojo"),
    ("odin", "odin"),
    ("nu", "nushell"),
    ("raku rakumod", "raku"),
    ("cbl cob", "cobol"),
    ("metal", "metal"),
    ("stan", "stan"),
    ("typ", "typst"),
    ("sml sig", "sml"),
    ("ahk", "autohotkey"),
    ("dart", "dart"),
    ("zig", "zig"),
    ("nim", "nim"),
    ("m mm", "objective-c"),
    ("tf hcl", "hcl"),
    ("nix", "nix"),
    ("cmake", "cmake"),
    ("mk", "makefile"),
    ("dockerfile", "dockerfile"),
    ("tex", "latex"),
    ("1 2 3 4 5 6 7 8 9 mdoc", "roff"),
    ("feature", "gherkin"),
    ("y yy ypp", "yacc"),
    ("l lpp", "lex"),
    ("rst", "rst"),
    ("j2 jinja jinja2", "jinja"),
    ("erb", "erb"),
    ("haml", "haml"),
    ("twig", "twig"),
    ("hbs handlebars mustache", "handlebars"),
    ("ejs", "ejs"),
    ("eex heex leex", "eex"),
    ("liquid", "liquid"),
    ("pug jade", "pug"),
    ("slim", "slim"),
    ("mako", "mako"),
    ("templ", "templ"),
    ("tcl", "tcl"),
    ("diff patch", "diff"),
    ("bat cmd", "batch"),
    ("groovy", "groovy"),
    ("gradle", "gradle"),
    ("asm s S", "asm"),
    ("v sv", "verilog"),
    ("vhd vhdl", "vhdl"),
    ("f90 f95 f03 f08 f fypp", "fortran"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_ending_or_name() {
        assert_eq!(language("src/lib.rs"), "rust");
        assert_eq!(language("a/Dockerfile"), "dockerfile");
        assert_eq!(language("LICENSE"), "");
        assert_eq!(language("odd.`x"), "");
        assert_eq!(language("priv/templates/migration.exs.eex"), "eex");
        let cpp = "#pragma once\nclass A {\n public:\n};\n";
        assert_eq!(language_of_text("a.h", cpp), "cpp");
        let derived = "class Foo final : public Bar {\n};\n";
        assert_eq!(language_of_text("a.h", derived), "cpp");
        for c in [
            "struct a { int class; };\n",
            "private: not for others.\n",
            "class of it.\n",
        ] {
            assert_eq!(language_of_text("a.h", c), "c");
        }
        assert_eq!(language_of_text("a.c", cpp), "c");
    }

    type Change = fn(&mut Parsed);

    /// What belongs to ten lines, and what it is changed to.
    fn is_sound_with(wanted: Wanted, change: impl Fn(&mut Parsed)) -> bool {
        let part = |lines: Range<usize>| Part {
            owners: vec![Range { start: 0, end: 1 }],
            openers: vec![9],
            heads: vec![lines.start..lines.start + 1, lines.start + 1..lines.end],
            ..Part::rest(lines)
        };
        let entry = |owner| Entry {
            name: "a".into(),
            lines: vec![Range { start: 9, end: 10 }],
            owner,
        };
        let declaration = |depth| Declaration {
            name: "a".into(),
            lines: Range { start: 8, end: 10 },
            name_line: 9,
            head_end: 10,
            kind: tree::DeclarationKind::Type,
            depth,
        };
        let mut parsed = Parsed::default();
        match wanted {
            Wanted::Parts => parsed.parts = vec![part(0..4), part(4..10)],
            Wanted::Outline => {}
            Wanted::Entries => parsed.entries = vec![entry(None), entry(Some(0))],
            Wanted::Declared => parsed.declared = vec![declaration(0), declaration(1)],
        }
        if matches!(wanted, Wanted::Parts | Wanted::Outline) {
            parsed.outline = vec![0..2, 2..3, 9..10];
        }
        change(&mut parsed);
        parsed.is_sound(wanted, 10)
    }

    #[test]
    fn what_cannot_be_of_a_text_is_not_taken() {
        use Wanted::{Declared, Entries, Outline, Parts};
        const BACK: Range<usize> = Range { start: 3, end: 2 };
        for wanted in [Parts, Outline, Entries, Declared] {
            assert!(is_sound_with(wanted, |_| {}));
        }
        let changes: [(Wanted, Change); 22] = [
            (Parts, |p| p.parts[1].lines.end = 11),
            (Parts, |p| p.parts[1].lines.end = 9),
            (Parts, |p| p.parts[1].lines.start = 5),
            (Parts, |p| p.parts[0].lines = BACK),
            (Parts, |p| p.parts.clear()),
            (Parts, |p| p.parts[0].owners[0].end = usize::MAX),
            (Parts, |p| p.parts[0].owners[0] = BACK),
            (Parts, |p| p.parts[0].openers[0] = 10),
            (Parts, |p| p.parts[1].heads[0].start = 3),
            (Parts, |p| p.parts[1].heads.swap(0, 1)),
            (Parts, |p| p.outline[2].end = 11),
            (Outline, |p| p.outline.swap(0, 1)),
            (Outline, |p| p.outline[1] = BACK),
            (Entries, |p| p.entries[1].owner = Some(1)),
            (Entries, |p| p.entries[0].lines[0].end = 11),
            (Entries, |p| p.outline = vec![BACK]),
            (Declared, |p| p.declared[0].lines = BACK),
            (Declared, |p| p.declared[0].lines.end = 11),
            (Declared, |p| p.declared[0].name_line = 10),
            (Declared, |p| p.declared[0].head_end = 11),
            (Declared, |p| p.declared[1].depth = 2),
            (Declared, |p| p.outline.push(0..1)),
        ];
        for (number, (wanted, change)) in changes.into_iter().enumerate() {
            assert!(!is_sound_with(wanted, change), "{number}");
        }
    }
}
