//! What a C# file uses: namespaces, of which the types that it names count; and what it offers.

use std::collections::HashSet;

use super::lexer::{CSHARP, Lexer, Token};
use super::{Import, MAX_IMPORTS, MAX_NAME, MAX_OFFERS, Offer};

/// The most types and methods named in a file that are looked for, each counted once. The largest
/// files of well-known libraries name about 400.
const MAX_NAMED: usize = 1000;

/// Finds `using A.B;`, `using static`, `using X = A.B.C;`, `global using`.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let found = usings(text).into_iter().map(|using| match using.kind {
        Kind::Space => Import::Using(using.names),
        Kind::Type => Import::Names(using.names),
    });
    found.collect()
}

/// Returns the namespaces that a file uses for all files of its project.
pub(super) fn global(text: &str) -> Vec<Vec<String>> {
    let spaces = usings(text).into_iter();
    let spaces = spaces.filter(|using| using.global && using.kind == Kind::Space);
    spaces.map(|using| using.names).collect()
}

#[derive(PartialEq, Eq)]
enum Kind {
    Space,
    Type,
}

struct Using {
    names: Vec<String>,
    kind: Kind,
    global: bool,
}

fn usings(text: &str) -> Vec<Using> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, &CSHARP);
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        match token {
            // They stand above all else, in the file or in a namespace.
            Token::Word("class" | "struct" | "interface" | "enum" | "record" | "delegate") => break,
            Token::Word("using") => found.extend(using(&mut lexer, last.is("global"))),
            _ => {}
        }
        if found.len() >= MAX_IMPORTS {
            break;
        }
        last = token;
    }
    found
}

fn using(lexer: &mut Lexer<'_>, global: bool) -> Option<Using> {
    lexer.take_if(|token| token.is("unsafe"));
    let is_static = lexer.take_if(|token| token.is("static")).is_some();
    let mut names = qualified(lexer);
    let mut kind = if is_static { Kind::Type } else { Kind::Space };
    if lexer.sign('=') {
        names = qualified(lexer);
        kind = Kind::Type;
    }
    let using = Using {
        names,
        kind,
        global,
    };
    (!using.names.is_empty()).then_some(using)
}

/// `global::A.B.C`
fn qualified(lexer: &mut Lexer<'_>) -> Vec<String> {
    let mut ahead = lexer.clone();
    if ahead.word() == Some("global") && ahead.sign(':') && ahead.sign(':') {
        *lexer = ahead;
    }
    lexer.names('.')
}

/// Returns the types that a text may name, and the methods that it calls, after a dot, each once,
/// one per line.
pub(super) fn named(text: &str) -> String {
    let mut seen = HashSet::new();
    let mut named = String::new();
    let mut lexer = Lexer::new(text, &CSHARP);
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        if matches!(token, Token::Word("using" | "namespace")) && !lexer.sign('(') {
            qualified(&mut lexer);
        }
        if let Token::Word(word) = token
            && word.len() <= MAX_NAME
            && word.starts_with(|c: char| c.is_uppercase() || c == '_')
        {
            let is_member = last == Token::Sign('.');
            let is_call = || matches!(lexer.peek(), Some(Token::Sign('(' | '<')));
            let key = (word, is_member);
            if (!is_member || is_call()) && seen.len() < MAX_NAMED && seen.insert(key) {
                named.push_str(if is_member { "." } else { "" });
                named.push_str(word);
                named.push('\n');
                // `[Name]` may stand for `NameAttribute`.
                if matches!(last, Token::Sign('[' | ',')) {
                    named.push_str(word);
                    named.push_str("Attribute\n");
                }
            }
        }
        last = token;
    }
    named
}

/// Returns the namespace that a file begins with.
pub(super) fn namespace(text: &str) -> Option<String> {
    let mut lexer = Lexer::new(text, &CSHARP);
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        match token {
            Token::Word("namespace") if last != Token::Sign('.') => {
                let space = lexer.names('.').join(".");
                return Some(space).filter(|space| space.len() <= MAX_NAME);
            }
            Token::Word("class" | "struct" | "interface" | "enum") => break,
            _ => {}
        }
        last = token;
    }
    None
}

/// Returns the types that a file declares in its namespaces, and the extension methods in them.
pub(super) fn offers(text: &str) -> Vec<Offer> {
    let mut found: Vec<Offer> = Vec::new();
    let mut lexer = Lexer::new(text, &CSHARP);
    // The namespaces around, each with the depth of what stands in it.
    let mut spaces: Vec<(String, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut last = Token::Break;
    let mut method = "";
    while let Some(token) = lexer.next() {
        let inner = spaces.last().map_or(0, |(_, depth)| *depth);
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => {
                depth = depth.saturating_sub(1);
                while spaces.pop_if(|(_, inner)| *inner > depth).is_some() {}
            }
            Token::Word("namespace") if depth == inner => {
                let names = lexer.names('.').join(".");
                let space = match spaces.last() {
                    Some((above, _)) if !above.is_empty() => format!("{above}.{names}"),
                    _ => names,
                };
                let is_block = lexer.peek() == Some(Token::Sign('{'));
                if space.len() <= MAX_NAME && spaces.len() < MAX_DEPTH {
                    spaces.push((space, depth + usize::from(is_block)));
                }
            }
            Token::Word("class" | "struct" | "interface" | "enum" | "record") if depth == inner => {
                let is_keyword = |token: Token<'_>| token.is("class") || token.is("struct");
                if last.is("record") || lexer.peek().is_some_and(is_keyword) {
                    lexer.take_if(is_keyword);
                }
                // `where T : class` declares nothing.
                let name = lexer.word().filter(|name| *name != "where");
                let name = name.filter(|_| !matches!(last, Token::Sign(':' | ',')));
                found.extend(name.map(|name| Offer::new(space_of(&spaces), name)));
            }
            Token::Word("delegate") if depth == inner => {
                let name =
                    lexer.last_name(|token| matches!(token, Token::Sign('(' | ';' | '{' | '}')));
                found.extend(name.map(|name| Offer::new(space_of(&spaces), name)));
            }
            Token::Sign('<') => {
                if let Some(word) = last.word() {
                    method = word;
                }
            }
            Token::Sign('(') if depth == inner + 1 => {
                if let Some(word) = last.word() {
                    method = word;
                }
                if lexer.peek().is_some_and(|token| token.is("this")) && !method.is_empty() {
                    let name = format!(".{method}");
                    found.push(Offer::new(space_of(&spaces), &name));
                }
                method = "";
            }
            _ => {}
        }
        if found.len() >= MAX_OFFERS {
            break;
        }
        last = token;
    }
    found
}

/// The deepest nesting of namespaces.
const MAX_DEPTH: usize = 32;

fn space_of(spaces: &[(String, usize)]) -> &str {
    spaces.last().map_or("", |(space, _)| space)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use super::*;

    #[test]
    fn namespaces_and_types_are_used() {
        let text = "// using No;\nusing System;\nglobal using A.B;\nusing static C.D;\nusing E = global::F.G<int>;\nnamespace X;\nusing H;\nclass Y { void Z() { using (var s = Open()) { } } }";
        assert_eq!(shown("csharp", text), ["System", "A.B", "C.D", "F.G", "H"]);
    }

    #[test]
    fn names_are_types_attributes_and_calls() {
        let text = "using A;\n#region Don't\nnamespace B.C { [D] class E : F<G> { string s = @\"H\\\"; /* I */ J k = $\"{L}\"; m.N().O.P<Q>(); } }";
        let names = named(text);
        assert_eq!(
            names.lines().collect::<Vec<_>>(),
            ["D", "DAttribute", "E", "F", "G", "J", ".N", ".P", "Q"]
        );
    }

    #[test]
    fn what_a_file_offers() {
        let text = "namespace A.B {\n public static class C<T> where T : class { class No {} public static T D<U>(this T t) {} static void E(this int i) {} }\n record struct F(int x);\n delegate Task<G> H(int i);\n namespace I { enum J { K } }\n}\nnamespace L { interface M {} }";
        let shown: Vec<String> = offers(text)
            .into_iter()
            .map(|offer| format!("{} {}", offer.space, offer.name))
            .collect();
        assert_eq!(
            shown,
            [
                "A.B C", "A.B .D", "A.B .E", "A.B F", "A.B H", "A.B.I J", "L M"
            ]
        );
    }
}
