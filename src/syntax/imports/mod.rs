//! What a file imports, as its language writes it.
//!
//! A source is read word by word, with what is needed of its language to tell code from
//! comments and texts. That is as good as a parser here, forgives what is damaged, and
//! costs a millisecond for a large file. A grammar would have to parse each of the thousands
//! of files whose imports are followed, and there is none for all of these languages in
//! every build; a pattern cannot tell whether it stands in a comment.

mod c;
mod csharp;
mod go;
mod jvm;
mod lexer;
mod php;
mod python;
mod ruby;
mod rust;
mod script;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// The most imports of a file; the largest that people write have about three hundred.
const MAX_IMPORTS: usize = 1000;

/// The most names of an import that count, from the outside in.
const MAX_NAMES: usize = 64;

/// The most names in all imports of a file.
const MAX_ALL_NAMES: usize = 5000;

/// A longer name is none, in bytes.
const MAX_NAME: usize = 200;

/// The most names that a file offers.
const MAX_OFFERS: usize = 2000;

/// An import as it stands in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Import {
    /// `mod a;`: the inline modules around it and its name, and the paths that its
    /// attributes give.
    Module {
        /// From the outside in.
        names: Vec<String>,
        /// Relative, with the ending.
        paths: Vec<String>,
    },
    /// `crate::a::b`, `a.b.C`, `A\B\C`: names from the outside in.
    Names(Vec<String>),
    /// Such names in the middle of the code, which may or may not lead to a file.
    Mention(Vec<String>),
    /// `A\b`, where the last name is a function or a constant.
    Value(Vec<String>),
    /// `a.b.*`: all that is in it.
    All(Vec<String>),
    /// `using A.B;`, of which those names count that the file mentions ([`named`]).
    Using(Vec<String>),
    /// `from ..a.b import c`; without a name it is `import a.b` or takes all of it.
    From {
        /// How many dots stand before the module.
        dots: usize,
        /// From the outside in.
        module: Vec<String>,
        /// A module, or something in one.
        name: Option<String>,
    },
    /// `"./a.js"`, `"dir/a.h"`: a path that is first looked for beside the file.
    Quoted(String),
    /// `<dir/a.h>`: a path that is looked for where such files are.
    Searched(String),
}

/// What a text in this language imports, in order, each once. Languages are named
/// as by [`language`](super::language); one that is not known imports nothing.
pub fn imports(language: &str, text: &str) -> Vec<Import> {
    let mut found = match language {
        "rust" => rust::imports(text),
        "python" => python::imports(text),
        "javascript" | "jsx" | "typescript" | "tsx" | "vue" | "svelte" => {
            script::imports(language, text)
        }
        "go" => go::imports(text),
        "c" | "cpp" | "objective-c" => c::imports(text),
        "ruby" => ruby::imports(text),
        "java" | "kotlin" | "scala" => jvm::imports(language, text),
        "csharp" => csharp::imports(text),
        "php" => php::imports(text),
        _ => Vec::new(),
    };
    let mut seen = HashSet::new();
    let mut names = 0;
    found.retain(|import| {
        names += import.names();
        names <= MAX_ALL_NAMES && seen.insert(import.clone())
    });
    found.truncate(MAX_IMPORTS);
    found
}

impl Import {
    /// How many names it has.
    pub fn names(&self) -> usize {
        match self {
            Import::Module { names, paths } => names.len() + paths.len(),
            Import::Names(names)
            | Import::Mention(names)
            | Import::Value(names)
            | Import::All(names)
            | Import::Using(names) => names.len(),
            Import::From { module, name, .. } => module.len() + usize::from(name.is_some()),
            Import::Quoted(_) | Import::Searched(_) => 1,
        }
    }
}

/// The package or namespace that a file says it belongs to, in languages where it does:
/// `a/b` in those of Java's kind, `A.B` in C#.
pub fn package(language: &str, text: &str) -> Option<String> {
    match language {
        "java" | "kotlin" | "scala" => jvm::package(language, text),
        "csharp" => csharp::namespace(text),
        _ => None,
    }
}

/// A name that other files may import.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Offer {
    /// Its package or namespace, with dots.
    pub space: String,
    /// The name; a method that extends a type has a dot before it.
    pub name: String,
}

impl Offer {
    fn new(space: &str, name: &str) -> Offer {
        Offer {
            space: space.to_owned(),
            name: name.chars().take(MAX_NAME).collect(),
        }
    }
}

/// What a text has to offer, in languages where a file's name does not tell: C#, Kotlin,
/// Scala, and PHP's functions.
pub fn offers(language: &str, text: &str) -> Vec<Offer> {
    match language {
        "kotlin" | "scala" => jvm::offers(language, text),
        "csharp" => csharp::offers(text),
        "php" => php::offers(text),
        _ => Vec::new(),
    }
}

/// The namespaces that a C# file uses for all of its project (`global using`).
pub fn used_everywhere(text: &str) -> Vec<Vec<String>> {
    csharp::global(text)
}

/// The names that a file mentions, one to a line, in languages where an import does not
/// tell them: C#.
pub fn named(language: &str, text: &str) -> String {
    match language {
        "csharp" => csharp::named(text),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn shown(language: &str, text: &str) -> Vec<String> {
        imports(language, text)
            .into_iter()
            .map(|import| match import {
                Import::Module { names, paths } => {
                    let name = format!("mod {}", names.join("."));
                    [vec![name], paths].concat().join(" ")
                }
                Import::Names(names) | Import::Using(names) => names.join("."),
                Import::Mention(names) => format!("?{}", names.join(".")),
                Import::Value(names) => format!("={}", names.join(".")),
                Import::All(names) => format!("{}.*", names.join(".")),
                Import::From { dots, module, name } => {
                    let name = name.map(|name| format!(":{name}")).unwrap_or_default();
                    format!("{}{}{name}", ".".repeat(dots), module.join("."))
                }
                Import::Quoted(path) => path,
                Import::Searched(path) => format!("<{path}"),
            })
            .collect()
    }

    const LANGUAGES: [&str; 16] = [
        "rust",
        "python",
        "javascript",
        "jsx",
        "typescript",
        "tsx",
        "vue",
        "svelte",
        "go",
        "c",
        "cpp",
        "ruby",
        "java",
        "kotlin",
        "scala",
        "csharp",
    ];

    #[test]
    fn what_is_never_closed_ends_in_time() {
        let starts = [
            "{",
            "(",
            "[",
            "`",
            "`${",
            "'",
            "\"",
            "/*",
            "=/[",
            "r#",
            "r#\"",
            "#[",
            "import ",
            "import {",
            "export {",
            "from a import (",
            "use a::{b::{",
            "<<<A\n",
            "@\"",
            "\\",
            "a::",
            "a.",
            "<script",
            "namespace a{",
            "fun <",
            "é",
            "class ",
            "\"\"\"",
            "import a\n",
        ];
        for language in LANGUAGES.into_iter().chain(["php", "objective-c"]) {
            for start in starts {
                let text = start.repeat(60_000 / start.len());
                for text in [text.clone(), format!("<?php <script>{text}")] {
                    imports(language, &text);
                    offers(language, &text);
                    package(language, &text);
                }
            }
        }
    }

    #[test]
    fn a_break_behind_a_backslash_is_one_or_two_bytes() {
        let text = "import a, \\\r\n b\nx = 1 \\\ré = 3\nimport c\n";
        let found = shown("python", text);
        assert!(found.contains(&"a".to_owned()) && found.contains(&"c".to_owned()));
    }

    proptest! {
        /// Whatever a text holds, in whatever language it is read.
        #[test]
        fn any_text_imports_something_or_nothing(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
            language in prop::sample::select(LANGUAGES.to_vec()),
        ) {
            let text = pieces.concat();
            prop_assert!(imports(language, &text).len() <= MAX_IMPORTS);
            prop_assert!(offers(language, &text).len() <= MAX_OFFERS);
            package(language, &text);
            named(language, &text);
            used_everywhere(&text);
        }
    }

    const PIECES: &[&str] = &[
        "\\",
        "\r",
        "\n",
        "\t",
        " ",
        "é",
        "\u{feff}",
        "日",
        "\"",
        "'",
        "`",
        "\"\"\"",
        "'''",
        "#",
        "//",
        "/*",
        "*/",
        "<!--",
        "<script>",
        "</script>",
        "<?php",
        "?>",
        "r#\"",
        "$",
        "${",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ":",
        "::",
        ";",
        ",",
        ".",
        "..",
        "*",
        "=",
        "@",
        "a",
        "B",
        "_1",
        "import",
        "from",
        "use",
        "mod",
        "using",
        "require",
        "package",
        "namespace",
        "include",
        "static",
        "class",
        "val",
        "fun",
        "def",
    ];
}
