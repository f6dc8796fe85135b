//! What a file imports, as its language writes it.
//!
//! Import statements stand on lines of their own in all of these languages, so they
//! are found by their first words, without parsing the rest. What looks like an
//! import inside a string or a comment is at worst a name that leads nowhere.

use crate::split::at_commas;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// An import as it stands in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Import {
    /// `mod name;`
    Module(String),
    /// `crate::a::b`, `a.b.C`: names from the outside in.
    Names(Vec<String>),
    /// `..a.b`: so many dots, then names.
    Dotted(usize, Vec<String>),
    /// `"./a.js"`, `"dir/a.h"`: a quoted path.
    Quoted(String),
}

/// What a text in this language imports, in order, each once. Languages are named
/// as by [`language`](super::language); one that is not known imports nothing.
pub fn imports(language: &str, text: &str) -> Vec<Import> {
    let mut found = match language {
        "rust" => rust(text),
        "python" => python(text),
        "javascript" | "jsx" | "typescript" | "tsx" | "vue" | "svelte" => javascript(text),
        "go" => go(text),
        "c" | "cpp" | "objective-c" => after_word(text, "#include", quoted),
        "ruby" => after_word(text, "require_relative", quoted),
        "java" | "kotlin" | "scala" => after_word(text, "import ", qualified),
        _ => Vec::new(),
    };
    let mut seen = HashSet::new();
    found.retain(|import| seen.insert(import.clone()));
    found.truncate(MAX_IMPORTS);
    found
}

/// A file has at most so many imports; the largest that people write have about
/// three hundred.
const MAX_IMPORTS: usize = 1000;

/// One import goes on for at most so many lines.
const MAX_LINES: usize = 300;

fn after_word(text: &str, word: &str, read: fn(&str) -> Option<Import>) -> Vec<Import> {
    text.lines()
        .filter_map(|line| read(line.trim_start().strip_prefix(word)?.trim_start()))
        .collect()
}

/// The first quoted text.
fn quoted(rest: &str) -> Option<Import> {
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (path, _) = rest[1..].split_once(quote)?;
    Some(Import::Quoted(path.to_owned()))
}

/// `static a.b.C.*;`
fn qualified(rest: &str) -> Option<Import> {
    let rest = rest.strip_prefix("static ").unwrap_or(rest);
    let name = rest.split([';', ' ', '\t', '{']).next()?;
    let names = names(name, '.');
    (!names.is_empty()).then_some(Import::Names(names))
}

/// The names between separators, up to the first that is not a name.
fn names(path: &str, separator: char) -> Vec<String> {
    path.split(separator)
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .take_while(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .map(str::to_owned)
        .collect()
}

fn rust(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let line = without_visibility(line.trim_start());
        let line = line.split("//").next().unwrap_or_default();
        if let Some(rest) = line.strip_prefix("mod ") {
            if let Some(name) = rest.trim().strip_suffix(';') {
                found.push(Import::Module(name.trim().to_owned()));
            }
        } else if let Some(rest) = line.strip_prefix("use ") {
            // A `use` goes on to its semicolon.
            let mut tree = rest.to_owned();
            let mut ended = rest.contains(';');
            for _ in 0..MAX_LINES {
                let Some(more) = lines.next_if(|_| !ended) else {
                    break;
                };
                let more = more.split("//").next().unwrap_or_default();
                ended = more.contains(';');
                tree.push_str(more);
            }
            let tree = tree.split(';').next().unwrap_or_default();
            expand(tree.trim(), &mut Vec::new(), &mut found, 0);
        }
    }
    found
}

fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    let rest = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')').map_or(rest, |(_, after)| after),
        None => rest,
    };
    rest.trim_start()
}

/// Writes out the braces of `a::{b, c::{d, e}}`.
fn expand(tree: &str, above: &mut Vec<String>, found: &mut Vec<Import>, depth: usize) {
    const MAX_DEPTH: usize = 32;
    if depth > MAX_DEPTH {
        return;
    }
    let Some((before, inner)) = tree.split_once('{') else {
        let path = tree
            .split(" as ")
            .next()
            .unwrap_or_default()
            .replace("::", ":");
        let all: Vec<String> = above.iter().cloned().chain(names(&path, ':')).collect();
        if !all.is_empty() {
            found.push(Import::Names(all));
        }
        return;
    };
    let length = above.len();
    above.extend(names(&before.replace("::", ":"), ':'));
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    for branch in at_commas(inner) {
        expand(branch.trim(), above, found, depth + 1);
    }
    above.truncate(length);
}

fn python(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if let Some(rest) = line.strip_prefix("import ") {
            let modules = rest.split('#').next().unwrap_or_default();
            for module in modules.split(',') {
                let module = module.trim().split(' ').next().unwrap_or_default();
                found.push(Import::Dotted(0, names(module, '.')));
            }
        } else if let Some((module, imported)) = line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import"))
        {
            let module = module.trim();
            let dots = module.len() - module.trim_start_matches('.').len();
            let base = names(&module[dots..], '.');
            let mut list = imported.split('#').next().unwrap_or_default().to_owned();
            let mut open = list.contains('(') && !list.contains(')');
            for _ in 0..MAX_LINES {
                let Some(more) = lines.next_if(|_| open) else {
                    break;
                };
                let more = more.split('#').next().unwrap_or_default();
                open = !more.contains(')');
                list.push_str(more);
            }
            let list = list.replace(['(', ')'], " ");
            for name in list.split(',') {
                let name = name.trim().split(' ').next().unwrap_or_default();
                let all = base.iter().cloned().chain(names(name, '.')).collect();
                found.push(Import::Dotted(dots, all));
            }
        }
    }
    found.retain(|import| !matches!(import, Import::Dotted(0, names) if names.is_empty()));
    found
}

fn javascript(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        if line.starts_with("//") || line.starts_with('*') {
            continue;
        }
        for word in ["from ", "import ", "require(", "import("] {
            for (at, _) in line.match_indices(word) {
                found.extend(quoted(line[at + word.len()..].trim_start()));
            }
        }
    }
    found
}

fn go(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.trim();
        let rest = match line.strip_prefix("import") {
            Some(rest) if rest.trim_start().starts_with('(') => {
                in_block = true;
                continue;
            }
            Some(rest) => rest,
            None if in_block && line == ")" => {
                in_block = false;
                continue;
            }
            None if in_block => line,
            // Imports come before everything else.
            None if line.starts_with("func ") || line.starts_with("type ") => break,
            None => continue,
        };
        // A name may stand before the path.
        if let Some(at) = rest.find(['"', '`']) {
            found.extend(quoted(&rest[at..]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(language: &str, text: &str) -> Vec<String> {
        imports(language, text)
            .into_iter()
            .map(|import| match import {
                Import::Module(name) => format!("mod {name}"),
                Import::Names(names) => names.join("."),
                Import::Dotted(dots, names) => ".".repeat(dots) + &names.join("."),
                Import::Quoted(path) => path,
            })
            .collect()
    }

    #[test]
    fn rust_trees_are_written_out() {
        let text = "pub(crate) mod a; // the a\nmod tests {\nuse crate::{ // all\nb, c::{self, D as E},\n  f::*};\nuse super::g;";
        assert_eq!(
            shown("rust", text),
            [
                "mod a",
                "crate.b",
                "crate.c.self",
                "crate.c.D",
                "crate.f",
                "super.g"
            ]
        );
    }

    #[test]
    fn python_names_may_be_modules() {
        let text = "import os.path as p, sys # x\nfrom . import a\nfrom ..b import (c,\n    d as e)\nfrom f.g import *";
        assert_eq!(
            shown("python", text),
            ["os.path", "sys", ".a", "..b.c", "..b.d", "f.g"]
        );
    }

    #[test]
    fn scripts_quote_what_they_import() {
        let text = "import a from './a.js'\nimport \"./b\"\nconst c = require('../c'), d = await import(`./d`)\n} from './e'";
        assert_eq!(
            shown("typescript", text),
            ["./a.js", "./b", "../c", "./d", "./e"]
        );
    }

    #[test]
    fn other_languages_have_one_form() {
        assert_eq!(
            shown("c", "#include <stdio.h>\n#include \"a/b.h\""),
            ["a/b.h"]
        );
        assert_eq!(
            shown("java", "import static a.b.C.*;\nimport d.E;"),
            ["a.b.C", "d.E"]
        );
        assert_eq!(
            shown(
                "go",
                "package x\nimport (\n\t\"fmt\"\n\tq \"m.org/a/b\"\n)\nimport \"c\"\n"
            ),
            ["fmt", "m.org/a/b", "c"]
        );
    }

    #[test]
    fn deep_braces_end() {
        let deep = format!("use a::{}", "{b::".repeat(100_000));
        imports("rust", &deep);
    }
}
