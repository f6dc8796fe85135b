//! What Java, Kotlin and Scala import, and what a file of Kotlin or Scala offers, since its name
//! does not say.

use super::lexer::{Dialect, JAVA, KOTLIN, Lexer, Token};
use super::{Import, MAX_IMPORTS, MAX_OFFERS, Offer};

/// A longer package is ignored, in bytes.
const MAX_PACKAGE: usize = 400;

fn dialect(language: &str) -> &'static Dialect {
    if language == "java" { &JAVA } else { &KOTLIN }
}

/// Finds the imports above the first declaration, in Scala anywhere.
pub(super) fn imports(language: &str, text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, dialect(language));
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        let begins = matches!(last, Token::Break | Token::Sign(';' | '{' | '}'));
        match token {
            Token::Word("import") if language == "scala" && begins => {
                scala(&mut lexer, &mut found);
            }
            Token::Word("import") if begins => found.extend(import(&mut lexer)),
            Token::Sign('{' | '=') if language != "scala" => break,
            _ => {}
        }
        if found.len() >= MAX_IMPORTS {
            break;
        }
        last = token;
    }
    found
}

/// `static a.b.C.*`
fn import(lexer: &mut Lexer<'_>) -> Option<Import> {
    lexer.take_if(|token| token.is("static"));
    let names = lexer.names('.');
    if names.is_empty() {
        None
    } else if lexer.sign('*') {
        Some(Import::All(names))
    } else {
        Some(Import::Names(names))
    }
}

/// `a.b.{C, D => E, _}, f.G`
fn scala(lexer: &mut Lexer<'_>, found: &mut Vec<Import>) {
    let is_all = |name: &str| matches!(name, "_" | "given");
    while found.len() < MAX_IMPORTS {
        let mut names = lexer.names('.');
        if names.is_empty() {
            return;
        }
        if names.last().is_some_and(|name| is_all(name)) || lexer.sign('*') {
            names.retain(|name| !is_all(name));
            found.push(Import::All(names));
        } else if lexer.sign('{') {
            selectors(lexer, &names, found);
        } else {
            found.push(Import::Names(names));
        }
        if !lexer.sign(',') {
            return;
        }
    }
}

fn selectors(lexer: &mut Lexer<'_>, above: &[String], found: &mut Vec<Import>) {
    let mut begins = true;
    for token in lexer.by_ref() {
        match token {
            Token::Word("_" | "given") | Token::Sign('*') if begins => {
                found.push(Import::All(above.to_vec()));
                begins = false;
            }
            Token::Word(name) if begins => {
                let name = name.to_owned();
                found.push(Import::Names(above.iter().cloned().chain([name]).collect()));
                begins = false;
            }
            Token::Sign(',') => begins = true,
            Token::Word(_) | Token::Break | Token::Sign('=' | '>') => {}
            _ => return,
        }
        if found.len() >= MAX_IMPORTS {
            return;
        }
    }
}

/// Returns the package that a file says it belongs to, as a folder.
pub(super) fn package(language: &str, text: &str) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    let mut lexer = Lexer::new(text, dialect(language));
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        match token {
            Token::Word("package") => {
                if lexer.take_if(|token| token.is("object")).is_some() {
                    break;
                }
                names.extend(lexer.names('.'));
                // In Scala a second line goes on where the first ends.
                if language != "scala" {
                    break;
                }
            }
            // Annotations of the package or the file stand above it.
            Token::Word("import" | "class" | "interface" | "object" | "fun" | "val" | "def")
                if last == Token::Break || last == Token::Sign(';') =>
            {
                break;
            }
            Token::Sign('{') => break,
            _ => {}
        }
        last = token;
    }
    let package = names.join("/");
    (!names.is_empty() && package.len() <= MAX_PACKAGE).then_some(package)
}

/// Returns what a file declares at its top level.
pub(super) fn offers(language: &str, text: &str) -> Vec<Offer> {
    let space = package(language, text)
        .unwrap_or_default()
        .replace('/', ".");
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, dialect(language));
    let mut depth = 0_usize;
    while let Some(token) = lexer.next() {
        let name = match token {
            Token::Sign('{' | '(' | '[') => {
                depth += 1;
                None
            }
            Token::Sign('}' | ')' | ']') => {
                depth = depth.saturating_sub(1);
                None
            }
            Token::Word(
                "class" | "interface" | "object" | "trait" | "enum" | "typealias" | "type",
            ) if depth == 0 => {
                let is_keyword = |token: Token<'_>| token.is("class") || token.is("object");
                lexer.take_if(is_keyword);
                lexer.word()
            }
            Token::Word("fun" | "val" | "var" | "def") if depth == 0 => {
                if lexer.take_if(|token| token.is("interface")).is_some() {
                    lexer.word()
                } else {
                    lexer.last_name(|token| !matches!(token, Token::Sign('.' | '?')))
                }
            }
            _ => None,
        };
        found.extend(name.map(|name| Offer::new(&space, name)));
        if found.len() >= MAX_OFFERS {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use super::*;

    #[test]
    fn imports_stand_above_the_code() {
        let java = "package x;\n/* import no.A; */\nimport static a.b.C.*;\nimport d.E; import f.*;\nclass X { String s = \"import no.B;\"; }\nimport no.C;";
        assert_eq!(shown("java", java), ["a.b.C.*", "d.E", "f.*"]);
        let kotlin = "@file:JvmName(\"X\")\npackage x\nimport a.b.C as D\nimport e.`in`.f\nval s = \"\"\"\nimport no.A\n\"\"\"\n";
        assert_eq!(shown("kotlin", kotlin), ["a.b.C", "e.in.f"]);
        let scala =
            "package x\nimport a.b.{C, D => E, _}, f.G\nobject X {\n  import h._\n}\nimport i.*";
        assert_eq!(
            shown("scala", scala),
            ["a.b.C", "a.b.D", "a.b.*", "f.G", "h.*", "i.*"]
        );
    }

    #[test]
    fn a_package_is_a_folder() {
        let of = |language, text| package(language, text);
        assert_eq!(
            of("java", "// package no;\npackage a.b;\n"),
            Some("a/b".into())
        );
        assert_eq!(of("kotlin", "import a.b\nval package = 1"), None);
        assert_eq!(
            of("scala", "package a.b\npackage c\nimport d"),
            Some("a/b/c".into())
        );
    }

    #[test]
    fn what_a_file_offers() {
        let text = "package p\n@A(\"x\")\ndata class B(val c: Int) { fun d() {} }\nfun <T> List<T>.e(f: T) = 1\ninternal val g.h: Int\n  get() = 1\nfun interface I\nenum class J { K }\ntypealias L = Int\n";
        let names: Vec<String> = offers("kotlin", text).into_iter().map(|o| o.name).collect();
        assert_eq!(names, ["B", "e", "h", "I", "J", "L"]);
    }
}
