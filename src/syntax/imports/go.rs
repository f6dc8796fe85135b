//! What a Go file imports; all of it comes before the first declaration.

use super::Import;
use super::lexer::{GO, Lexer, Token};

/// Finds the paths of `import "…"` and `import ( … )`.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut lexer = Lexer::new(text, &GO);
    let mut in_list = false;
    let mut awaits = false;
    for token in lexer.by_ref() {
        match token {
            Token::Word("func" | "type" | "var" | "const") if !in_list => break,
            Token::Word("import") => awaits = true,
            Token::Sign('(') if awaits => in_list = true,
            Token::Sign(')') => (in_list, awaits) = (false, false),
            Token::Text(path) if awaits => {
                found.push(Import::Quoted(path.to_owned()));
                awaits = in_list;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn lists_and_names_before_paths() {
        let text = "// import \"x\"\npackage x\nimport (\n\t\"fmt\"\n\tq \"m.org/a/b\" // \"y\"\n\t. `d`\n\t/* \"e\" */\n)\nimport _ \"c\"\nvar s = `import \"z\"`\n";
        assert_eq!(shown("go", text), ["fmt", "m.org/a/b", "d", "c"]);
    }
}
