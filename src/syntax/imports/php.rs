//! What a PHP file uses and includes.

use super::lexer::{Lexer, PHP, Token};
use super::{Import, MAX_IMPORTS, MAX_OFFERS, Offer};

/// Finds `use A\B;` outside classes, and `require` and `include` of literal paths.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, &PHP);
    let mut depth = 0_usize;
    // The depth of what stands in a namespace with braces.
    let mut outside = 0;
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        match token {
            Token::Sign('{') => depth += 1,
            Token::Sign('}') => {
                depth = depth.saturating_sub(1);
                outside = outside.min(depth);
            }
            Token::Word("namespace") if depth == 0 && last != Token::Sign('\\') => {
                lexer.names('\\');
                outside = usize::from(lexer.peek() == Some(Token::Sign('{')));
            }
            Token::Word("use") if depth == outside && last != Token::Sign(')') => {
                uses(&mut lexer, &mut found);
            }
            Token::Word("require" | "require_once" | "include" | "include_once")
                if !matches!(last, Token::Sign('>' | ':')) && !last.is("function") =>
            {
                found.extend(path(&mut lexer).map(Import::Quoted));
            }
            _ => {}
        }
        if found.len() >= MAX_IMPORTS {
            break;
        }
        last = token;
    }
    found
}

/// `function A\{B, C as D}, E;`
fn uses(lexer: &mut Lexer<'_>, found: &mut Vec<Import>) {
    let is_value = |token: Token<'_>| token.is("function") || token.is("const");
    let of_values = lexer.take_if(is_value).is_some();
    while found.len() < MAX_IMPORTS {
        lexer.sign('\\');
        let above = lexer.names('\\');
        if lexer.sign('{') {
            while found.len() < MAX_IMPORTS {
                let value = lexer.take_if(is_value).is_some() || of_values;
                let names = lexer.names('\\');
                if names.is_empty() {
                    break;
                }
                push(above.iter().cloned().chain(names).collect(), value, found);
                lexer.alias();
                if !lexer.sign(',') {
                    break;
                }
            }
            lexer.sign('}');
        } else {
            push(above, of_values, found);
            lexer.alias();
        }
        if !lexer.sign(',') {
            return;
        }
    }
}

fn push(names: Vec<String>, value: bool, found: &mut Vec<Import>) {
    if names.is_empty() {
        return;
    }
    found.push(if value {
        Import::Value(names)
    } else {
        Import::Names(names)
    });
}

/// Reads a path relative to the file's folder: `__DIR__ . '/a.php'`,
/// `dirname(__DIR__, 2) . '/a.php'`, `'a.php'`.
fn path(lexer: &mut Lexer<'_>) -> Option<String> {
    let mut ahead = lexer.clone();
    while ahead.sign('(') {}
    let above = folder(&mut ahead, 0);
    if above.is_some() && !ahead.sign('.') {
        return None;
    }
    let path = ahead.quoted()?;
    // More behind it, or a variable in it, makes another path of it.
    let is_whole = !path.contains('$') && !ahead.sign('.');
    let dots = "../".repeat(above.unwrap_or(0));
    let path = path.trim_start_matches(if above.is_some() { "/" } else { "" });
    is_whole.then(|| match above {
        Some(_) => format!("./{dots}{path}"),
        None => path.to_owned(),
    })
}

/// Returns how many folders up an expression leads.
fn folder(lexer: &mut Lexer<'_>, depth: usize) -> Option<usize> {
    /// The deepest nesting of `dirname` calls.
    const MAX_DEPTH: usize = 8;
    let mut ahead = lexer.clone();
    let up = match ahead.word()? {
        "__DIR__" => 0,
        "dirname" if ahead.sign('(') && depth < MAX_DEPTH => {
            let is_file = ahead.take_if(|token| token.is("__FILE__")).is_some();
            let up = if is_file {
                0
            } else {
                folder(&mut ahead, depth + 1)? + 1
            };
            let more = if ahead.sign(',') {
                ahead.word()?.parse::<usize>().ok()?.clamp(1, MAX_DEPTH) - 1
            } else {
                0
            };
            ahead.sign(')').then_some(up + more)?
        }
        _ => return None,
    };
    *lexer = ahead;
    Some(up)
}

/// Returns the functions that a file declares, with their namespace.
pub(super) fn offers(text: &str) -> Vec<Offer> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, &PHP);
    let mut space = String::new();
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        match token {
            Token::Word("namespace") if last != Token::Sign('\\') => {
                space = lexer.names('\\').join(".");
            }
            Token::Word("function") => {
                lexer.sign('&');
                found.extend(lexer.word().map(|name| Offer::new(&space, name)));
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

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn uses_and_includes() {
        let text = "<p>use No;</p><?php\nnamespace X;\n# use No;\nuse A\\B; use C\\{D, E\\F as G}, H;\nuse function I\\j;\n$s = 'use No;' . <<<TEXT\nuse No;\nTEXT;\nclass Y { use Trait1; function f() { $g = function () use ($x) {}; require_once __DIR__ . '/k.php'; include dirname(__DIR__, 2) . '/l.php'; include(dirname(__FILE__) . '/m.php'); require 'n/o.php'; require $p; require 'q' . $r; } }\n?> use No; <?php use S;";
        assert_eq!(
            shown("php", text),
            [
                "A.B",
                "C.D",
                "C.E.F",
                "H",
                "=I.j",
                "./k.php",
                "./../../l.php",
                "./m.php",
                "n/o.php",
                "S"
            ]
        );
    }
}
