//! A file cut into parts that make sense on their own: a function, a type, the imports
//! at the top, a paragraph of something long.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use tree_sitter::Tree;

use super::tree::{Declaration, DeclarationKind, declarations};

/// A part of more lines is cut at its emptier lines, if it has any.
const LONG: usize = 40;

/// About how many lines each piece of a long part has.
const PARAGRAPH: usize = 20;

/// Neighbours that have at most this many lines together are one part.
const SHORT: usize = 8;

/// Lines of a file that are shown together or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 0, the end not included. The parts of a file follow one another, and every
    /// line is in one.
    pub lines: Range<usize>,
    /// What it is.
    pub role: Role,
    /// What it declares, the outermost first; for a part of something long, the name of
    /// that.
    pub names: Vec<String>,
    /// The lines on which the names of what it lies in stand, from the outside in.
    pub owners: Vec<usize>,
}

/// What a part is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// What stands before the first declaration: imports, mostly.
    Head,
    /// A function.
    Function,
    /// A type or its beginning.
    Type,
    /// Values, and what lies between declarations.
    Loose,
    /// A test by its title.
    Block,
    /// A piece of something long, but not its beginning.
    Inside,
}

/// Cuts a text into its parts, by its tree if it has one.
pub(super) fn parts_of(language: &str, text: &str, tree: Option<&Tree>) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().collect();
    let found = tree.map_or_else(Vec::new, |tree| declarations(language, text, tree));
    let mut cutter = Cutter {
        lines: &lines,
        parts: Vec::new(),
    };
    let mut rest = found.as_slice();
    let whole = 0..lines.len();
    let none = Inner {
        names: Vec::new(),
        owners: Vec::new(),
        role: Role::Head,
    };
    cutter.cut(whole, &mut rest, &none);
    merge(&lines, cutter.parts)
}

/// Whether a line says nothing on its own: an empty one, a closing bracket.
pub fn is_bare(line: &str) -> bool {
    line.chars()
        .all(|c| c.is_whitespace() || "{}()[];,".contains(c))
        || matches!(line.trim(), "end" | "*/" | "\"\"\"")
}

struct Cutter<'a> {
    lines: &'a [&'a str],
    parts: Vec<Part>,
}

/// Where a cut happens.
#[derive(Clone)]
struct Inner {
    names: Vec<String>,
    owners: Vec<usize>,
    /// What the first lines are, before any member.
    role: Role,
}

impl Cutter<'_> {
    /// Cuts `range`, whose declarations are the first of `rest`.
    fn cut(&mut self, range: Range<usize>, rest: &mut &[Declaration], inner: &Inner) {
        let mut next = range.start;
        let mut role = inner.role;
        while let Some((first, after)) = rest.split_first() {
            if first.lines.start >= range.end {
                break;
            }
            *rest = after;
            let end = first.lines.end.min(range.end);
            // On the same line as the one before: `int a(void); int b(void);`
            if end <= next {
                continue;
            }
            let start = self.with_comments(next, first.lines.start.max(next));
            if start > next {
                self.push(next..start, role, inner);
            }
            role = match inner.role {
                Role::Head => Role::Loose,
                _ => Role::Inside,
            };
            let mut names = inner.names.clone();
            names.push(first.name.clone());
            let own = Inner {
                names,
                owners: inner.owners.clone(),
                role: match first.kind {
                    DeclarationKind::Function => Role::Function,
                    DeclarationKind::Type => Role::Type,
                    DeclarationKind::Value => Role::Loose,
                    DeclarationKind::Block => Role::Block,
                },
            };
            let is_whole = first.kind == DeclarationKind::Value || end - start <= PARAGRAPH;
            if is_whole {
                while rest.first().is_some_and(|d| d.lines.start < end) {
                    *rest = &rest[1..];
                }
                self.push(start..end, own.role, &own);
            } else {
                let mut owners = inner.owners.clone();
                owners.push(first.name_line);
                self.cut(start..end, rest, &Inner { owners, ..own });
            }
            next = end;
        }
        if next < range.end {
            self.push(next..range.end, role, inner);
        }
    }

    /// Where a declaration begins with the comments and attributes above it.
    fn with_comments(&self, from: usize, start: usize) -> usize {
        let above = self.lines[from..start].iter().rev();
        let belongs = above.take_while(|line| {
            let line = line.trim_start();
            ["//", "#", "/*", "*", "@", "[", "--", ";", "\"\"\""]
                .iter()
                .any(|sign| line.starts_with(sign))
                && !line.starts_with("#include")
        });
        start - belongs.count()
    }

    /// Adds a part, or several if it is long.
    fn push(&mut self, range: Range<usize>, role: Role, inner: &Inner) {
        let mut start = range.start;
        let mut role = role;
        while range.end - start > LONG {
            let end = self.emptiest(start + PARAGRAPH / 2..start + PARAGRAPH + PARAGRAPH / 2);
            self.parts.push(Part {
                lines: start..end,
                role,
                names: inner.names.clone(),
                owners: inner.owners.clone(),
            });
            role = match role {
                Role::Head | Role::Loose => role,
                _ => Role::Inside,
            };
            start = end;
        }
        self.parts.push(Part {
            lines: start..range.end,
            role,
            names: inner.names.clone(),
            owners: inner.owners.clone(),
        });
    }

    /// The best line to begin anew: after an empty one, else the least indented.
    fn emptiest(&self, among: Range<usize>) -> usize {
        let cost = |at: &usize| {
            let before = self.lines[at - 1].trim();
            let line = self.lines[*at];
            let indent = line.len() - line.trim_start().len();
            let closes = line.trim_start().starts_with(['}', ')', ']']);
            (!before.is_empty(), closes, indent)
        };
        among.clone().min_by_key(cost).unwrap_or(among.end)
    }
}

/// Joins neighbours that are too short to stand alone.
fn merge(lines: &[&str], parts: Vec<Part>) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        let is_bare = lines[part.lines.clone()].iter().all(|line| is_bare(line));
        match merged.last_mut() {
            Some(last) if is_bare => last.lines.end = part.lines.end,
            Some(last)
                if last.owners == part.owners
                    && last.lines.len() + part.lines.len() <= SHORT
                    && (last.role == Role::Head) == (part.role == Role::Head) =>
            {
                last.lines.end = part.lines.end;
                last.names.extend(part.names);
                if last.role == Role::Loose {
                    last.role = part.role;
                }
            }
            _ => merged.push(part),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::cut;

    fn parts(language: &str, text: &str) -> Vec<Part> {
        cut(language, text).0
    }

    #[cfg(feature = "lang-rust")]
    #[test]
    fn a_part_is_a_declaration_with_what_stands_above_it() {
        let text = "use a;\nuse b;\n\n/// C.\n#[d]\nfn c() {\n    e();\n}\n\nimpl F {\n";
        let mut text = text.to_owned();
        for name in ["g", "h"] {
            text += &format!(
                "    fn {name}() {{\n{}    }}\n\n",
                "        x();\n".repeat(12)
            );
        }
        text += "}\n";
        let found = parts("rust", &text);
        let told: Vec<_> = found
            .iter()
            .map(|part| (part.lines.clone(), part.role, part.names.join(".")))
            .collect();
        assert_eq!(
            told,
            [
                (0..3, Role::Head, String::new()),
                (3..9, Role::Function, "c".into()),
                (9..10, Role::Type, "F".into()),
                (10..25, Role::Function, "F.g".into()),
                (25..41, Role::Function, "F.h".into()),
            ]
        );
        assert_eq!(found[3].owners, [9]);
    }

    #[test]
    fn what_is_long_is_cut_where_it_breaks() {
        let paragraph = "    a();\n".repeat(14) + "\n";
        let text = format!("fn long() {{\n{}}}\n", paragraph.repeat(6));
        let found = parts("rust", &text);
        assert!(found.iter().all(|part| part.lines.len() <= LONG));
        assert!(
            found
                .iter()
                .all(|part| part.owners.is_empty() || part.names == ["long"])
        );
        let lines: Vec<&str> = text.lines().collect();
        for part in &found[1..] {
            assert_eq!(lines[part.lines.start - 1], "");
        }
    }

    proptest! {
        /// Whatever the text and its language, every line is in one part.
        #[test]
        fn every_line_is_in_exactly_one_part(
            text in "([a-z]{1,4}|class A|fn a\\(\\)|def b\\(\\):|\\{|\\}|\n|\n    |//|#|\"|'|\\PC){0,120}",
            language in prop::sample::select(vec!["rust", "python", "cpp", "javascript", "go", "java", "ruby", "php", "csharp", "kotlin", "tsx", "markdown"]),
        ) {
            let mut next = 0;
            for part in parts(language, &text) {
                prop_assert_eq!(part.lines.start, next);
                prop_assert!(part.lines.end > next);
                prop_assert!(part.owners.iter().all(|owner| *owner < part.lines.end));
                next = part.lines.end;
            }
            prop_assert_eq!(next, text.lines().count());
        }
    }
}
