//! How comments are marked.

/// How a language marks its comments.
pub(super) struct Marks {
    /// What a single-line comment begins with.
    pub(super) line: &'static [&'static str],
    /// What a comment of several lines begins and ends with.
    pub(super) block: Option<(&'static str, &'static str)>,
}

impl Marks {
    /// Returns how a language marks them; `None` if that is not known.
    pub(super) fn of(language: &str) -> Option<Marks> {
        const SLASHES: &[&str] = &["//"];
        let block = Some(("/*", "*/"));
        let (line, block): (&[&str], _) = match language {
            "astro" | "bicep" | "c" | "cairo" | "cpp" | "csharp" | "cuda" | "cue" | "d"
            | "dafny" | "dart" | "fsharp" | "gleam" | "glsl" | "go" | "gradle" | "groovy"
            | "haxe" | "hlsl" | "java" | "javascript" | "jsonnet" | "jsx" | "kotlin" | "less"
            | "metal" | "move" | "objective-c" | "odin" | "pascal" | "prisma" | "protobuf"
            | "rust" | "scala" | "scss" | "solidity" | "stan" | "swift" | "thrift" | "tsx"
            | "typescript" | "typst" | "verilog" | "wgsl" | "zig" => (SLASHES, block),
            "php" | "hcl" => (&["//", "#"], block),
            "css" => (&[], block),
            "awk" | "bash" | "cmake" | "coffeescript" | "crystal" | "cython" | "dockerfile"
            | "elixir" | "fish" | "gdscript" | "graphql" | "ini" | "julia" | "makefile"
            | "mojo" | "nim" | "nix" | "nushell" | "perl" | "powershell" | "python" | "r"
            | "raku" | "rego" | "ruby" | "starlark" | "tcl" | "toml" | "vyper" | "yaml" => {
                (&["#"], None)
            }
            "ada" | "agda" | "elm" | "haskell" | "idris" | "lean" | "lua" | "purescript"
            | "sql" | "vhdl" => (&["--"], None),
            "erlang" | "latex" => (&["%"], None),
            "asm" | "autohotkey" | "clojure" | "emacs-lisp" | "fennel" | "hy" | "lisp"
            | "racket" | "scheme" => (&[";"], None),
            "fortran" => (&["!"], None),
            "gherkin" => (&["#"], None),
            "roff" => (&[".\\\"", "'\\\""], None),
            "ocaml" | "sml" => (&[], Some(("(*", "*)"))),
            "vbnet" => (&["'"], None),
            "vim" => (&["\""], None),
            "html" | "svelte" | "vue" | "xml" => (&[], Some(("<!--", "-->"))),
            _ => return None,
        };
        Some(Marks { line, block })
    }

    /// Whether a line begins with a single-line comment.
    pub(super) fn begin(&self, line: &str) -> bool {
        self.line.iter().any(|mark| line.starts_with(mark))
    }
}
