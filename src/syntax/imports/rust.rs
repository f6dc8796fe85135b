//! What a Rust file names of other files: `mod`, `use`, `extern crate`, and paths in the code.

use std::collections::HashMap;

use super::lexer::{Lexer, RUST, Token};
use super::{Import, MAX_IMPORTS, MAX_LENGTH, MAX_NAME, MAX_NAMES, kept, length};

/// The deepest nesting of braces in a `use`.
const MAX_DEPTH: usize = 32;

/// The toolchain's own crates.
const TOOLCHAIN: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// Finds them in their order. `super` and `self` are resolved relative to the file, whatever inline
/// module they are in.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Finder::default();
    found.read(Lexer::new(text, &RUST));
    found.imports
}

#[derive(Default)]
struct Finder {
    imports: Vec<Import>,
    /// The surrounding inline modules, each with the depth of its braces.
    modules: Vec<(String, usize)>,
    depth: usize,
    /// What `#[path = "…"]` last said.
    paths: Vec<String>,
    /// What previously imported names stand for.
    bound: HashMap<String, Vec<String>>,
}

impl Finder {
    fn read(&mut self, mut lexer: Lexer<'_>) {
        let mut last = Token::Break;
        while let Some(token) = lexer.next() {
            if self.imports.len() >= MAX_IMPORTS {
                return;
            }
            match token {
                Token::Sign('{') => self.depth += 1,
                Token::Sign('}') => {
                    self.depth = self.depth.saturating_sub(1);
                    while self.modules.pop_if(|(_, at)| *at > self.depth).is_some() {}
                }
                Token::Sign('#') if lexer.peek() == Some(Token::Sign('[')) => {
                    self.attribute(&mut lexer);
                    last = Token::Sign(']');
                    continue;
                }
                Token::Word("mod") if !matches!(last, Token::Sign('.' | ':')) => {
                    self.module(&mut lexer);
                }
                Token::Word("use") if begins_item(last) => {
                    self.tree(&mut lexer);
                    last = Token::Sign(';');
                    continue;
                }
                Token::Word("extern") => self.extern_crate(&mut lexer),
                Token::Word(word) if !matches!(last, Token::Sign(':' | '.')) && !last.is("in") => {
                    self.mention(word, &mut lexer);
                }
                _ => {}
            }
            last = token;
        }
    }

    /// Takes the paths out of `#[path = "…"]` and `#[cfg_attr(unix, path = "…")]`.
    fn attribute(&mut self, lexer: &mut Lexer<'_>) {
        let mut depth = 0_usize;
        while let Some(token) = lexer.next() {
            match token {
                Token::Sign('[') => depth += 1,
                Token::Sign(']') => {
                    depth -= 1;
                    if depth == 0 {
                        return;
                    }
                }
                Token::Word("path") if lexer.sign('=') => {
                    self.paths.extend(lexer.quoted().map(str::to_owned));
                }
                _ => {}
            }
        }
    }

    fn module(&mut self, lexer: &mut Lexer<'_>) {
        let paths = std::mem::take(&mut self.paths);
        let Some(name) = lexer.word() else { return };
        match lexer.peek() {
            Some(Token::Sign(';')) => {
                let mut names = self.within();
                names.push(name.to_owned());
                self.imports.push(Import::Module { names, paths });
            }
            Some(Token::Sign('{')) if self.modules.len() < MAX_DEPTH => {
                // A longer name is none, and is not kept for all that is in the module.
                let name = if name.len() > MAX_NAME { "" } else { name };
                self.modules.push((name.to_owned(), self.depth + 1));
            }
            _ => {}
        }
    }

    fn within(&self) -> Vec<String> {
        self.modules.iter().map(|(name, _)| name.clone()).collect()
    }

    /// `extern crate name;`
    fn extern_crate(&mut self, lexer: &mut Lexer<'_>) {
        let is_crate = lexer.take_if(|token| token.is("crate")).is_some();
        if let Some(name) = lexer.word().filter(|name| is_crate && *name != "self") {
            self.imports.push(Import::Names(vec![name.to_owned()]));
        }
    }

    /// Expands the braces of `a::{b, c::{d as e}};`.
    fn tree(&mut self, lexer: &mut Lexer<'_>) {
        let mut path: Vec<String> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        // Whether something stands there since the last comma.
        let mut leaf = false;
        let mut alias = None;
        for token in lexer.by_ref() {
            match token {
                Token::Word("as") => alias = Some(""),
                Token::Word(word) if alias.is_some() => alias = Some(word),
                Token::Word(word) => {
                    if path.len() < MAX_NAMES && length(&path) <= MAX_LENGTH {
                        path.push(kept(word.trim_start_matches('$')));
                    }
                    leaf = true;
                }
                Token::Sign('*') => leaf = true,
                Token::Sign(':') => {}
                Token::Sign('{') if open.len() < MAX_DEPTH => {
                    open.push(path.len());
                    leaf = false;
                }
                Token::Sign(sign @ (',' | '}' | ';')) => {
                    if std::mem::take(&mut leaf) {
                        self.used(&path, alias.take());
                    }
                    if sign == '}' {
                        open.pop();
                    }
                    path.truncate(open.last().copied().unwrap_or(0));
                    if sign == ';' || self.imports.len() >= MAX_IMPORTS {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    fn used(&mut self, path: &[String], alias: Option<&str>) {
        let mut path = path.to_vec();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let path = self.absolute(path);
        let Some(last) = path.last() else { return };
        if length(&path) <= MAX_LENGTH {
            let name = alias.unwrap_or(last).to_owned();
            self.bound.insert(name, path.clone());
        }
        self.imports.push(Import::Names(path));
    }

    /// Returns a path as seen from outside the surrounding inline modules.
    fn absolute(&self, path: Vec<String>) -> Vec<String> {
        let mut within = self.within();
        let mut rest = path.as_slice();
        match rest.first().map(String::as_str) {
            Some("self" | "super") if !within.is_empty() => {}
            Some("crate" | "self" | "super") | None => return path,
            Some(first) => {
                // `use a::b; use b::c;`
                let known = self.bound.get(first).filter(|known| known.len() > 1);
                return match known {
                    Some(known) if known.len() + rest.len() < MAX_NAMES => {
                        known.iter().chain(&rest[1..]).cloned().collect()
                    }
                    _ => path,
                };
            }
        }
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "self" => {}
                "super" if within.pop().is_some() => {}
                _ => break,
            }
            rest = after;
        }
        let is_above = rest.first().is_some_and(|first| first == "super");
        let start = (!is_above).then(|| "self".to_owned());
        start
            .into_iter()
            .chain(within)
            .chain(rest.iter().cloned())
            .collect()
    }

    /// `crate::a::b(…)`, `other_crate::run()`.
    fn mention(&mut self, first: &str, lexer: &mut Lexer<'_>) {
        let is_lower = first.starts_with(|c: char| c.is_lowercase() || matches!(c, '_' | '$'));
        let mut ahead = lexer.clone();
        let is_path = is_lower && ahead.sign(':') && ahead.sign(':');
        if !is_path {
            return;
        }
        if TOOLCHAIN.contains(&first) || self.bound.contains_key(first) {
            return;
        }
        let mut path = vec![kept(first.trim_start_matches('$'))];
        while let Some(word) = ahead.word() {
            path.push(kept(word));
            let is_long = path.len() == MAX_NAMES || length(&path) > MAX_LENGTH;
            if is_long || !(ahead.sign(':') && ahead.sign(':')) {
                break;
            }
        }
        if path.len() > 1 {
            let path = self.absolute(path);
            self.imports.push(Import::Mention(path));
        }
    }
}

/// Whether an item may begin after this.
fn begins_item(last: Token<'_>) -> bool {
    matches!(
        last,
        Token::Break | Token::Sign(';' | '{' | '}' | ']' | ')' | '#')
    ) || last.is("pub")
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn trees_are_written_out() {
        let text = "pub(crate) mod a; // the a\nmod tests {\nuse crate::{ // all\nb, c::{self, D as E},\n  f::*};\nuse super::g; use super::super::h; use self::i; mod j; }\nuse super::k;";
        assert_eq!(
            shown("rust", text),
            [
                "mod a",
                "crate.b",
                "crate.c",
                "crate.c.D",
                "crate.f",
                "self.g",
                "super.h",
                "self.tests.i",
                "mod tests.j",
                "super.k"
            ]
        );
    }

    #[test]
    fn paths_of_modules_and_in_code_are_found_and_texts_are_not() {
        let text = "#[path = \"x/y.rs\"]\n#[cfg(unix)]\nmod z;\nfn f<'a>() { let c = '\"'; crate::a::g(); \"crate::b::h\"; r#\"use crate::c;\"#; /* use /* */ crate::d; */ std::fs::read(); }\npub(in crate::e) fn g() {}\nextern crate k;\nuse a::b; use b::c as d;";
        assert_eq!(
            shown("rust", text),
            ["mod z x/y.rs", "?crate.a.g", "k", "a.b", "a.b.c"]
        );
    }
}
