//! What JavaScript and TypeScript import, and the scripts in Vue and Svelte files.

use super::lexer::{Lexer, SCRIPT, Token};
use super::{Import, MAX_IMPORTS};

/// Finds `import`, `export … from`, `import()`, `require()` and references to types, with literal
/// paths.
pub(super) fn imports(language: &str, text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    if matches!(language, "vue" | "svelte") {
        blocks(text, &mut found);
    } else {
        references(text, &mut found);
        script(text, &mut found);
    }
    found
}

/// `/// <reference path="a.d.ts" />`, which comes above the code.
fn references(text: &str, found: &mut Vec<Import>) {
    let comments = text.lines().map(str::trim);
    let comments = comments.take_while(|line| line.is_empty() || line.starts_with("//"));
    for line in comments {
        let path = line
            .strip_prefix("///")
            .and_then(|rest| rest.trim_start().strip_prefix("<reference path="))
            .and_then(|rest| rest.split(['"', '\'']).nth(1));
        let Some(path) = path else { continue };
        // It is relative, with or without a dot.
        let dot = if path.starts_with('.') { "" } else { "./" };
        found.push(Import::Quoted(format!("{dot}{path}")));
    }
}

/// Finds the content of `<script>`, and what its `src` names.
fn blocks(text: &str, found: &mut Vec<Import>) {
    let mut rest = text;
    while let Some(at) = rest.find("<script") {
        rest = &rest[at + "<script".len()..];
        let Some((head, after)) = rest.split_once('>') else {
            return;
        };
        if let Some((_, source)) = head.split_once("src=") {
            let path = source.split(['"', '\'']).nth(1);
            found.extend(path.map(|path| Import::Quoted(path.to_owned())));
        }
        let end = after.find("</script").unwrap_or(after.len());
        script(&after[..end], found);
        rest = &after[end..];
    }
}

fn script(text: &str, found: &mut Vec<Import>) {
    let mut lexer = Lexer::new(text, &SCRIPT);
    let mut last = Token::Break;
    while let Some(token) = lexer.next() {
        if found.len() >= MAX_IMPORTS {
            return;
        }
        let is_member = last == Token::Sign('.');
        let path = match token {
            Token::Word("import") if !is_member => import(&mut lexer),
            Token::Word("export") if !is_member => export(&mut lexer),
            Token::Word("require") if !is_member && !last.is("function") => call(&mut lexer),
            _ => None,
        };
        found.extend(path.map(|path| Import::Quoted(path.to_owned())));
        last = token;
    }
}

/// Reads what follows `import`: a path, a call, or a clause and then a path.
fn import<'a>(lexer: &mut Lexer<'a>) -> Option<&'a str> {
    match lexer.peek()? {
        Token::Text(_) => lexer.quoted(),
        Token::Sign('(') => call(lexer),
        Token::Word(_) | Token::Sign('{' | '*') => clause(lexer),
        _ => None,
    }
}

/// Reads what follows `export`: `* from`, `{ … } from`, `type { … } from`.
fn export<'a>(lexer: &mut Lexer<'a>) -> Option<&'a str> {
    let mut ahead = lexer.clone();
    ahead.take_if(|token| token.is("type"));
    if !matches!(ahead.peek()?, Token::Sign('{' | '*')) {
        return None;
    }
    clause(lexer)
}

/// Takes what comes before `from`, and the path after it.
fn clause<'a>(lexer: &mut Lexer<'a>) -> Option<&'a str> {
    let mut ahead = lexer.clone();
    let mut closed = false;
    let mut in_braces = false;
    while let Some(token) = ahead.next() {
        match token {
            Token::Word("from") if !in_braces => {
                if let Some(path) = ahead.quoted() {
                    *lexer = ahead;
                    return Some(path);
                }
            }
            Token::Sign('{') if !in_braces && !closed => in_braces = true,
            Token::Sign('}') if in_braces => {
                in_braces = false;
                closed = true;
            }
            // `export { a }` without a path, and another import.
            Token::Word(_) if closed => return None,
            Token::Word("import" | "export") if !in_braces => return None,
            Token::Word(_) | Token::Sign(',' | '*') => {}
            Token::Text(_) if in_braces => {}
            _ => return None,
        }
        // What was taken is no import of its own: `import { require } from`.
        if in_braces {
            *lexer = ahead.clone();
        }
    }
    None
}

/// `("path")`, with or without more arguments.
fn call<'a>(lexer: &mut Lexer<'a>) -> Option<&'a str> {
    let mut ahead = lexer.clone();
    if !ahead.sign('(') {
        return None;
    }
    let path = ahead.quoted()?;
    let is_whole = matches!(ahead.peek()?, Token::Sign(')' | ','));
    is_whole.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn paths_are_quoted_in_many_ways() {
        let text = "import a from './a.js'\nimport \"./b\"\nconst c = require('../c'), d = await import(`./d`)\nimport type {\n  E, // from './x'\n  F as G,\n} from './e'\nexport * as f from './f'; export { g } from './g'\nexport type { H } from './h'\nimport i, * as j from './i';\nimport k = require('./k');\nlet t: typeof import('./t')";
        assert_eq!(
            shown("typescript", text),
            [
                "./a.js", "./b", "../c", "./d", "./e", "./f", "./g", "./h", "./i", "./k", "./t"
            ]
        );
    }

    #[test]
    fn comments_texts_and_members_are_no_imports() {
        let text = "// import './a'\n/* require('./b') */\nconst s = \"import './c'\", t = `${x ? `require('./d')` : ''} from './e'`;\nfoo.require('./f'); import.meta.url; import(`./g/${h}`);\nexport const from = './i'; export { j }\nconst r = /require('.\\/k')/; a = b / c; require('./l')\nif (x) return /[/']/.test(y), require(\"./m\" + n)";
        assert_eq!(shown("javascript", text), ["./l"]);
        let tags = "const a = <b title='c'>Don't</b>;\nimport('./d')";
        assert_eq!(shown("tsx", tags), ["./d"]);
    }

    #[test]
    fn only_scripts_of_a_component_are_read() {
        let text = "<template>import './a'</template>\n<script setup lang=\"ts\">\nimport B from './B.vue'\n</script>\n<script src='./c.js'></script>";
        assert_eq!(shown("vue", text), ["./B.vue", "./c.js"]);
    }

    #[test]
    fn types_may_be_referred_to() {
        let text = "/// <reference path=\"a.d.ts\" />\n/// <reference types=\"node\" />\nlet b;";
        assert_eq!(shown("typescript", text), ["./a.d.ts"]);
    }
}
