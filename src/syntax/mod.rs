//! What language a file is in, what it imports, and what it declares.

mod heads;
pub mod imports;
pub mod outline;
pub mod parts;
mod purpose;
pub mod sections;
pub mod tree;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use self::parts::Part;

pub use self::purpose::purpose;

/// The parts of a text and the lines of its outline, by parsing it once.
pub fn cut(language: &str, text: &str) -> (Vec<Part>, Vec<Range<usize>>) {
    let tree = tree::parse(language, text);
    (
        parts::parts_of(language, text, tree.as_ref()),
        outline::outline_of(language, text, tree.as_ref()),
    )
}

/// Whether a line says nothing on its own: an empty one, a closing bracket.
pub fn is_bare(line: &str) -> bool {
    line.chars()
        .all(|c| c.is_whitespace() || "{}()[];,".contains(c))
        || matches!(line.trim(), "end" | "*/" | "\"\"\"")
}

/// The tag of the fence that a file is written in, by its name; empty for a file
/// of no known language.
///
/// The tags are those that GitHub highlights.
pub fn language(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        "Dockerfile" | "Containerfile" => return "dockerfile",
        "Makefile" | "makefile" | "GNUmakefile" => return "makefile",
        "CMakeLists.txt" => return "cmake",
        "Gemfile" | "Rakefile" => return "ruby",
        "Cargo.lock" | "poetry.lock" | "uv.lock" => return "toml",
        _ => {}
    }
    let Some((_, ending)) = name.rsplit_once('.') else {
        return "";
    };
    LANGUAGE_OF.get(ending).copied().unwrap_or_default()
}

/// The languages by the endings of their files. Many thousands of paths are looked up,
/// each several times.
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
    ("js mjs cjs", "javascript"),
    ("jsx", "jsx"),
    ("ts mts cts", "typescript"),
    ("tsx", "tsx"),
    ("go", "go"),
    ("java", "java"),
    ("c h", "c"),
    ("cc cpp cxx hh hpp hxx ipp", "cpp"),
    ("cs", "csharp"),
    ("rb rake gemspec", "ruby"),
    ("php", "php"),
    ("kt kts", "kotlin"),
    ("swift", "swift"),
    ("scala sc", "scala"),
    ("sh bash zsh", "bash"),
    ("fish", "fish"),
    ("ps1 psm1", "powershell"),
    ("md markdown", "markdown"),
    ("mdx", "mdx"),
    ("adoc asciidoc", "asciidoc"),
    ("rdoc", "rdoc"),
    ("json", "json"),
    ("jsonc json5", "jsonc"),
    ("yaml yml", "yaml"),
    ("toml", "toml"),
    ("ini cfg editorconfig", "ini"),
    ("xml svg xsd csproj props", "xml"),
    ("html htm", "html"),
    ("css", "css"),
    ("scss", "scss"),
    ("less", "less"),
    ("vue", "vue"),
    ("svelte", "svelte"),
    ("sql", "sql"),
    ("graphql gql", "graphql"),
    ("proto", "protobuf"),
    ("lua", "lua"),
    ("pl pm", "perl"),
    ("r R", "r"),
    ("jl", "julia"),
    ("hs", "haskell"),
    ("ml mli", "ocaml"),
    ("ex exs", "elixir"),
    ("erl hrl", "erlang"),
    ("clj cljs cljc edn", "clojure"),
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
    ("rst", "rst"),
    ("j2 jinja jinja2", "jinja"),
    ("erb", "erb"),
    ("haml", "haml"),
    ("twig", "twig"),
    ("hbs handlebars mustache", "handlebars"),
    ("ejs", "ejs"),
    ("tcl", "tcl"),
    ("diff patch", "diff"),
    ("bat cmd", "batch"),
    ("groovy gradle", "groovy"),
    ("asm s S", "asm"),
    ("v sv", "verilog"),
    ("vhd vhdl", "vhdl"),
    ("f90 f95 f", "fortran"),
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
    }
}
