//! What a file imports, as its language writes it.
//!
//! A source is read word by word, with just enough knowledge of its language to distinguish code
//! from comments and texts. That is as good as a parser here, tolerates damage, and costs a
//! millisecond for a large file. With grammars, each of the thousands of files whose imports are
//! followed would have to be parsed, and no build has grammars for all of these languages. A
//! pattern could not tell whether it is in a comment.

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

/// The most imports of a file; the largest hand-written files have about three hundred.
const MAX_IMPORTS: usize = 1000;

/// The most names of an import that count, from the outside in.
const MAX_NAMES: usize = 64;

/// The most names in all imports of a file.
const MAX_ALL_NAMES: usize = 5000;

/// A longer name is ignored, in bytes.
const MAX_NAME: usize = 200;

/// A longer import is ignored, in bytes. Its description, and every path that it may lead to, are
/// built from it each time.
const MAX_LENGTH: usize = 1024;

/// The most names that a file offers.
const MAX_OFFERS: usize = 2000;

/// An import as it is in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Import {
    /// `mod a;`: the inline modules around it and its name, and the paths that its attributes give.
    Module {
        /// From the outside in.
        names: Vec<String>,
        /// Relative, with the extension.
        paths: Vec<String>,
    },
    /// `crate::a::b`, `a.b.C`, `A\B\C`: names from the outside in.
    Names(Vec<String>),
    /// Such names in the middle of the code, which may or may not lead to a file.
    Mention(Vec<String>),
    /// `A\b`, where the last name is a function or a constant.
    Value(Vec<String>),
    /// `a.b.*`: everything in it.
    All(Vec<String>),
    /// `using A.B;`, of which those names count that the file mentions ([`named`]).
    Using(Vec<String>),
    /// `from ..a.b import c`; without a name it is `import a.b` or imports all of it.
    From {
        /// How many dots come before the module.
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

/// Returns what a text in this language imports, in order, each once. Languages are named as by
/// [`language`](super::language); an unknown one imports nothing.
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
        if import.length() > MAX_LENGTH {
            return false;
        }
        names += import.names();
        names <= MAX_ALL_NAMES && seen.insert(import.plain())
    });
    found.truncate(MAX_IMPORTS);
    // What a file imports is kept, and only that counts.
    found.shrink_to_fit();
    found
}

impl Import {
    /// Returns how many names it has.
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

    /// Returns how long it is, in bytes, including the separators between its names.
    pub fn length(&self) -> usize {
        match self {
            Import::Module { names, paths } => length(names) + length(paths),
            Import::Names(names)
            | Import::Mention(names)
            | Import::Value(names)
            | Import::All(names)
            | Import::Using(names) => length(names),
            Import::From { dots, module, name } => dots + length(module) + length(name),
            Import::Quoted(path) | Import::Searched(path) => path.len(),
        }
    }

    /// Returns the import without `//` and `/./` in its path: the same for all ways of writing it.
    fn plain(&self) -> Import {
        let plain = |path: &str| {
            if !path.contains("//") && !path.contains("/./") {
                return path.to_owned();
            }
            let last = path.matches('/').count();
            let parts = path.split('/').enumerate();
            let parts =
                parts.filter(|(at, part)| *at == 0 || *at == last || !matches!(*part, "" | "."));
            parts.map(|(_, part)| part).collect::<Vec<_>>().join("/")
        };
        match self {
            Import::Quoted(path) => Import::Quoted(plain(path)),
            Import::Searched(path) => Import::Searched(plain(path)),
            other => other.clone(),
        }
    }
}

/// Returns how long names are, including the separators between them.
fn length<'a>(names: impl IntoIterator<Item = &'a String>) -> usize {
    names.into_iter().map(|name| name.len() + 1).sum()
}

/// Returns a name as it is kept: of an overlong one, enough to show that it is overlong.
fn kept(word: &str) -> String {
    match word.len() {
        0..=MAX_LENGTH => word.to_owned(),
        _ => word.chars().take(MAX_LENGTH + 1).collect(),
    }
}

/// Returns the package or namespace that a file says it belongs to, in languages where it does:
/// `a/b` in Java and its relatives, `A.B` in C#.
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

/// Returns what a text offers, in languages where a file's name does not say: C#, Kotlin, Scala,
/// and PHP's functions.
pub fn offers(language: &str, text: &str) -> Vec<Offer> {
    let mut found = match language {
        "kotlin" | "scala" => jvm::offers(language, text),
        "csharp" => csharp::offers(text),
        "php" => php::offers(text),
        _ => Vec::new(),
    };
    found.retain(|offer| offer.space.len() <= MAX_LENGTH);
    found.shrink_to_fit();
    found
}

/// Returns the namespaces that a C# file uses for all of its project (`global using`).
pub fn used_everywhere(text: &str) -> Vec<Vec<String>> {
    csharp::global(text)
}

/// Returns the names that a file mentions, one per line, in languages where an import does not say
/// them: C#.
pub fn named(language: &str, text: &str) -> String {
    match language {
        "csharp" => {
            let mut named = csharp::named(text);
            named.shrink_to_fit();
            named
        }
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
    fn what_is_longer_than_an_import_is_none() {
        let long = "a".repeat(60_000);
        let dots = ".".repeat(60_000);
        for (language, text) in [
            (
                "python",
                format!("from {dots} import b, c\nfrom {long}.{long} import d, e\n"),
            ),
            (
                "rust",
                format!(
                    "mod {long} {{ mod b; use self::c; }}\nuse {long}::{{d, e}};\n{long}::f();\n#[path = \"{long}\"]\nmod g;\n"
                ),
            ),
            ("typescript", format!("import '{long}';\n")),
            ("go", format!("import \"{long}\"\n")),
            ("c", format!("#include \"{long}\"\n#include <{long}>\n")),
            ("ruby", format!("require '{long}'\n")),
            ("java", format!("import {long}.{long};\n")),
            ("scala", format!("import {long}.{{a, b}};\n")),
            ("csharp", format!("using {long}.{long};\n")),
            (
                "php",
                format!("<?php use {long}\\{{a, b}};\nnamespace {long}; function f() {{}}"),
            ),
        ] {
            let found = imports(language, &text);
            let is_short = |import: &Import| import.length() <= MAX_LENGTH;
            assert!(found.iter().all(is_short), "{language}: {found:.200?}");
            let spaces = offers(language, &text);
            assert!(spaces.iter().all(|offer| offer.space.len() <= MAX_LENGTH));
        }
    }

    #[test]
    fn what_is_no_import_takes_little_room_until_that_is_told() {
        let long = "a".repeat(500_000);
        let names: Vec<String> = (0..1000).map(|n| format!("n{n}")).collect();
        let names = names.join(", ");
        let bytes = |found: Vec<Import>| found.iter().map(Import::length).sum::<usize>();
        for found in [
            python::imports(&format!("from {long} import {names}")),
            rust::imports(&format!("use {long}::{{{names}}};")),
            rust::imports(&format!("use {long}::b; use b::{{{names}}};")),
            rust::imports(&format!("mod {long} {{ use self::{{{names}}}; }}")),
            php::imports(&format!("<?php use {long}\\{{{names}}};")),
            jvm::imports("scala", &format!("import {long}.{{{names}}}")),
        ] {
            assert!(!found.is_empty());
            assert!(bytes(found) < 8 << 20);
        }
    }

    #[test]
    fn ways_of_writing_a_path_count_once() {
        let text = "import (\n\"m/p\"\n\"m//p\"\n\"m/./p\"\n\"./m/p\"\n\"m/.//./p\"\n\"m/p/\"\n)\n";
        assert_eq!(shown("go", text), ["m/p", "./m/p", "m/p/"]);
        let many = format!("import (\n{})\n", "\"m/p\"\n".repeat(1000));
        assert_eq!(imports("go", &many).capacity(), 1);
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
