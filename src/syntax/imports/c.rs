//! What a C, C++ or Objective-C file includes.

use super::{Import, MAX_IMPORTS};

/// Finds `#include` and `#import` at the beginning of lines, outside comments.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut in_comment = false;
    for line in text.lines() {
        if found.len() >= MAX_IMPORTS {
            break;
        }
        if !in_comment {
            found.extend(included(line));
        }
        in_comment = ends_in_comment(line, in_comment);
    }
    found
}

fn included(line: &str) -> Option<Import> {
    let directive = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = ["include_next", "include", "import"]
        .into_iter()
        .find_map(|word| directive.strip_prefix(word))?
        .trim_start();
    let rest = match rest.strip_prefix("/*") {
        Some(comment) => comment.split_once("*/")?.1.trim_start(),
        None => rest,
    };
    if let Some(rest) = rest.strip_prefix('"') {
        return Some(Import::Quoted(rest.split_once('"')?.0.to_owned()));
    }
    let path = rest.strip_prefix('<')?.split_once('>')?.0;
    Some(Import::Searched(path.trim().to_owned()))
}

/// Whether a comment is open at the end of a line.
fn ends_in_comment(line: &str, open: bool) -> bool {
    let bytes = line.as_bytes();
    let mut open = open;
    let mut in_text = false;
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied();
        match (bytes[at], next) {
            (b'*', Some(b'/')) if open => {
                open = false;
                at += 1;
            }
            _ if open => {}
            (b'\\', _) => at += 1,
            (b'"', _) => in_text = !in_text,
            (b'/', Some(b'/')) if !in_text => return false,
            (b'/', Some(b'*')) if !in_text => {
                open = true;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    open
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;

    #[test]
    fn includes_outside_of_comments() {
        let text = "/*\n#include \"no.h\"\n*/ #define X \"/*\"\n#include <stdio.h>\n  #  include \"a/b.h\" // c\n// #include \"no.h\"\n#include MACRO\n#import <D/E.h>\n";
        assert_eq!(shown("cpp", text), ["<stdio.h", "a/b.h", "<D/E.h"]);
    }
}
