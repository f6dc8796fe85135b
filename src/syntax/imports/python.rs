//! What a Python file imports, anywhere in it.

use super::lexer::{Lexer, PYTHON, Token};
use super::{Import, MAX_IMPORTS};

/// Finds `import`, `from … import`, and `import_module("…")`.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, &PYTHON);
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        if found.len() >= MAX_IMPORTS {
            break;
        }
        let begins = matches!(last, Token::Break | Token::Sign(';' | ':'));
        match token {
            Token::Word("import") if begins => import(&mut lexer, &mut found),
            Token::Word("from") if begins => from(&mut lexer, &mut found),
            Token::Word("import_module" | "__import__") if lexer.sign('(') => {
                found.extend(lexer.quoted().and_then(by_text));
            }
            _ => {}
        }
        last = token;
    }
    found
}

fn absolute(module: Vec<String>, name: Option<String>) -> Import {
    Import::From {
        dots: 0,
        module,
        name,
    }
}

/// `import a.b as c, d`
fn import(lexer: &mut Lexer<'_>, found: &mut Vec<Import>) {
    loop {
        let module = lexer.names('.');
        if !module.is_empty() {
            found.push(absolute(module, None));
        }
        lexer.alias();
        if found.len() >= MAX_IMPORTS || !lexer.sign(',') {
            return;
        }
    }
}

/// `from ..a import (b, c as d)`
fn from(lexer: &mut Lexer<'_>, found: &mut Vec<Import>) {
    let mut dots = 0;
    while lexer.sign('.') {
        dots += 1;
    }
    let is_import = |token: Token<'_>| token.is("import");
    let module = match lexer.peek() {
        Some(token) if is_import(token) => Vec::new(),
        _ => lexer.names('.'),
    };
    if lexer.take_if(is_import).is_none() {
        return;
    }
    let open = lexer.sign('(');
    let from = |name| Import::From {
        dots,
        module: module.clone(),
        name,
    };
    while found.len() < MAX_IMPORTS {
        let end = |token| if open { token == Token::Break } else { false };
        while lexer.take_if(end).is_some() {}
        if lexer.sign('*') {
            found.push(from(None));
        } else if let Some(name) = lexer.word() {
            found.push(from(Some(name.to_owned())));
            while lexer.take_if(end).is_some() {}
            lexer.alias();
        } else {
            return;
        }
        while lexer.take_if(end).is_some() {}
        if !lexer.sign(',') {
            return;
        }
    }
}

/// `"a.b"`; a relative one depends on another argument.
fn by_text(text: &str) -> Option<Import> {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let names: Vec<String> = text.split('.').map(str::to_owned).collect();
    names
        .iter()
        .all(|name| is_name(name))
        .then(|| absolute(names, None))
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn names_may_be_modules() {
        let text = "import os.path as p, sys # x\nfrom . import a\nfrom ..b import (c,\n    d as e # import z\n)\nfrom f.g import *";
        assert_eq!(
            shown("python", text),
            ["os.path", "sys", ".:a", "..b:c", "..b:d", "f.g"]
        );
    }

    #[test]
    fn statements_stand_anywhere_and_texts_are_none() {
        let text = "\"\"\"\nimport a\n\"\"\"\nif TYPE_CHECKING: from b import c\nx = 'import d'\ndef f():\n    import e; import f\n    from g \\\n        import h\n    yield from i\n    raise X from j\nm = importlib.import_module('k.l')\nfrom ... import n";
        assert_eq!(
            shown("python", text),
            ["b:c", "e", "f", "g:h", "k.l", "...:n"]
        );
    }
}
