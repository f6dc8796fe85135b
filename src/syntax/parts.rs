//! Cuts a file into parts that make sense on their own: a function, a type, the imports at the top,
//! a paragraph of something long.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use crate::split;

use tree_sitter::Tree;

use super::heads::{above, head_of, licence, long_comments, together};
use super::made::is_made;
use super::sections::{STEPS, is_prose, sections};
use super::tree::{Declaration, DeclarationKind, declarations};
use super::{indent, is_bare};

/// A part with more lines is cut at its emptier lines, if it has any.
const LONG: usize = 40;

/// About how many lines each piece of a long part has.
const PARAGRAPH: usize = 20;

/// Neighbours that have at most this many lines together become one part.
const SHORT: usize = 8;

/// Lines of a file that are shown together or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 0, the end not included. The parts of a file follow each other, and every line is in
    /// one.
    pub lines: Range<usize>,
    /// What it is.
    pub role: Role,
    /// What it declares, the outermost first; for a part of something long, the name of that.
    pub names: Vec<String>,
    /// The heads of what encloses it, from the outside in.
    pub owners: Vec<Range<usize>>,
    /// The lines that open the blocks in which a piece of something long begins.
    pub openers: Vec<usize>,
    /// Lines in it that no gap should divide: heads of declarations with the comments above them,
    /// and comments elsewhere.
    pub heads: Vec<Range<usize>>,
    /// Whether it is only a piece of a long comment.
    pub is_said: bool,
    /// Whether it is part of a generated text.
    pub is_made: bool,
}

impl Part {
    /// Makes a part of lines about which nothing is known.
    pub fn rest(lines: Range<usize>) -> Part {
        Part {
            lines,
            role: Role::Loose,
            names: Vec::new(),
            owners: Vec::new(),
            openers: Vec::new(),
            heads: Vec::new(),
            is_said: false,
            is_made: false,
        }
    }

    /// Whether all of it is within a text of `lines` lines.
    fn is_within(&self, lines: usize) -> bool {
        let inside = |range: &Range<usize>, outer: &Range<usize>| {
            outer.start <= range.start && range.start <= range.end && range.end <= outer.end
        };
        let heads_in_order = self.heads.windows(2).all(|two| two[0].end <= two[1].start);
        inside(&self.lines, &(0..lines))
            && self.owners.iter().all(|owner| inside(owner, &(0..lines)))
            && self.openers.iter().all(|opener| *opener < lines)
            && self.heads.iter().all(|head| inside(head, &self.lines))
            && heads_in_order
    }
}

/// What a part is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The text about the licence before anything else.
    Licence,
    /// What comes before the first declaration: imports, mostly.
    Head,
    /// A function.
    Function,
    /// A type or its beginning.
    Type,
    /// Values, and what is between declarations.
    Loose,
    /// A test by its title.
    Block,
    /// A section of a document or of settings.
    Section,
    /// A piece of something long, but not its beginning.
    Inside,
}

/// Cuts a text into its parts, by its tree if it has one, or else by its sections.
pub(super) fn parts_of(language: &str, text: &str, tree: Option<&Tree>) -> Vec<Part> {
    let lines = split::lines(text);
    let found = match tree {
        Some(tree) => declarations(language, text, tree),
        None => sections(language, &lines),
    };
    let is_prose = is_prose(language);
    let is_fine = language == STEPS;
    let licence = licence(&lines).filter(|_| !is_prose);
    let after = licence.as_ref().map_or(0, |licence| licence.end);
    let mut cutter = Cutter {
        lines: &lines,
        is_prose,
        whole: if is_fine { 0 } else { PARAGRAPH },
        heads: if is_prose {
            found.iter().map(heading).collect()
        } else {
            together(&lines, &found, after)
        },
        parts: Vec::new(),
    };
    let mut rest = found.as_slice();
    let none = Inner {
        names: Vec::new(),
        owners: Vec::new(),
        role: Role::Head,
    };
    if let Some(licence) = licence {
        if licence.start > 0 {
            cutter.push(0..licence.start, Role::Head, &none);
        }
        cutter.parts.push(Part {
            role: Role::Licence,
            ..Part::rest(licence)
        });
    }
    cutter.cut(after..lines.len(), &mut rest, &none);
    let short = if is_fine { 0 } else { SHORT };
    let mut parts = merge(&lines, cutter.parts, short);
    lay(&cutter.heads, &mut parts);
    if !is_prose {
        let mut comments = long_comments(&lines);
        // What stands between two texts may look like one.
        let declares =
            |comment: &Range<usize>| found.iter().any(|it| comment.contains(&it.name_line));
        comments.retain(|comment| !declares(comment));
        mark_said(&comments, &mut parts);
        let is_made = is_made(text);
        for part in &mut parts {
            part.is_made = is_made;
        }
    }
    parts
}

/// Marks the parts all of whose lines are in one of these comments.
fn mark_said(comments: &[Range<usize>], parts: &mut [Part]) {
    for part in parts {
        let next = comments.partition_point(|comment| comment.end <= part.lines.start);
        let lies_in = |comment: &Range<usize>| {
            comment.start <= part.lines.start && part.lines.end <= comment.end
        };
        part.is_said = comments.get(next).is_some_and(lies_in);
    }
}

/// Whether parts follow each other from the first of `lines` lines to the last, and refer only to
/// these lines.
pub(super) fn follow(parts: &[Part], lines: usize) -> bool {
    let mut next = 0;
    let mut is_next = |part: &Part| {
        let is_it = part.lines.start == next && next <= part.lines.end;
        next = part.lines.end;
        is_it
    };
    parts
        .iter()
        .all(|part| is_next(part) && part.is_within(lines))
        && next == lines
}

/// Returns the lines of a section's heading.
fn heading(section: &Declaration) -> Range<usize> {
    section.lines.start..section.head_end
}

/// Gives each part the heads in it.
fn lay(heads: &[Range<usize>], parts: &mut [Part]) {
    let mut next = 0;
    for part in parts {
        while let Some(head) = heads.get(next).filter(|head| head.start < part.lines.end) {
            let here = head.start.max(part.lines.start)..head.end.min(part.lines.end);
            if here.len() > 1 {
                part.heads.push(here);
            }
            if head.end > part.lines.end {
                break;
            }
            next += 1;
        }
    }
}

struct Cutter<'a> {
    lines: &'a [&'a str],
    /// Lines that no cut should divide, in order.
    heads: Vec<Range<usize>>,
    /// Nothing is a comment there.
    is_prose: bool,
    /// What has more lines than this is cut into what it declares.
    whole: usize,
    parts: Vec<Part>,
}

/// Where a cut happens.
#[derive(Clone)]
struct Inner {
    names: Vec<String>,
    owners: Vec<Range<usize>>,
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
            let start = first.lines.start.max(next);
            // In prose nothing is a comment on what follows.
            let start = if self.is_prose {
                start
            } else {
                above(self.lines, next, start)
            };
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
                    DeclarationKind::Section => Role::Section,
                },
            };
            let is_whole = first.kind == DeclarationKind::Value || end - start <= self.whole;
            if is_whole {
                while rest.first().is_some_and(|d| d.lines.start < end) {
                    *rest = &rest[1..];
                }
                self.push(start..end, own.role, &own);
            } else {
                let mut owners = inner.owners.clone();
                owners.push(if self.is_prose {
                    heading(first)
                } else {
                    head_of(self.lines, start, first)
                });
                self.cut(start..end, rest, &Inner { owners, ..own });
            }
            next = end;
        }
        if next < range.end {
            self.push(next..range.end, role, inner);
        }
    }

    /// Adds a part, or several if it is long.
    fn push(&mut self, range: Range<usize>, role: Role, inner: &Inner) {
        let mut start = range.start;
        let mut role = role;
        let is_body = matches!(role, Role::Function | Role::Block | Role::Inside);
        let mut blocks = Blocks::default();
        while range.end - start > LONG {
            let end = self.emptiest(start + PARAGRAPH / 2..start + PARAGRAPH + PARAGRAPH / 2);
            let end = self.undivided(end).min(range.end);
            self.add(start..end, role, inner, &mut blocks);
            role = match role {
                Role::Head | Role::Loose => role,
                _ => Role::Inside,
            };
            if is_body {
                blocks.follow(self.lines, start..end);
            }
            start = end;
        }
        if start < range.end {
            self.add(start..range.end, role, inner, &mut blocks);
        }
    }

    fn add(&mut self, lines: Range<usize>, role: Role, inner: &Inner, blocks: &mut Blocks) {
        self.parts.push(Part {
            role,
            names: inner.names.clone(),
            owners: inner.owners.clone(),
            openers: blocks.around(self.lines, lines.start),
            ..Part::rest(lines)
        });
    }

    /// Returns the best line to begin a new part: after an empty one, or else the least indented.
    fn emptiest(&self, among: Range<usize>) -> usize {
        let cost = |at: &usize| {
            let before = self.lines[at - 1].trim();
            let line = self.lines[*at];
            let closes = line.trim_start().starts_with(['}', ')', ']']);
            (self.divides(*at), !before.is_empty(), closes, indent(line))
        };
        among.clone().min_by_key(cost).unwrap_or(among.end)
    }

    /// Whether a cut before this line would divide a head.
    fn divides(&self, at: usize) -> bool {
        self.undivided(at) > at
    }

    /// Returns where the head ends that a cut before this line would divide; the line if it divides
    /// none.
    fn undivided(&self, at: usize) -> usize {
        let after = self.heads.partition_point(|head| head.start < at);
        let head = after.checked_sub(1).map(|before| &self.heads[before]);
        head.map_or(at, |head| head.end.max(at))
    }
}

/// The blocks that are open at a line of something long, judged by its indentation.
#[derive(Default)]
struct Blocks {
    /// Each with its line and the indentation of that.
    open: Vec<(usize, usize)>,
}

/// The lines of more blocks would hide what they are shown for.
const MAX_OPENERS: usize = 6;

/// After more empty lines nothing continues.
const MAX_EMPTY: usize = 100;

impl Blocks {
    /// Continues over these lines.
    fn follow(&mut self, lines: &[&str], range: Range<usize>) {
        for at in range {
            let line = lines[at];
            let is_comment = ["//", "/*", "*", "# "]
                .iter()
                .any(|sign| line.trim_start().starts_with(sign));
            if is_bare(line) || is_comment {
                continue;
            }
            self.close(indent(line));
            if !only_closes(line) {
                self.open.push((at, indent(line)));
            }
        }
    }

    /// Ends the blocks that a line with this indentation is not in.
    fn close(&mut self, indent: usize) {
        while self.open.last().is_some_and(|(_, open)| *open >= indent) {
            self.open.pop();
        }
    }

    /// Returns the lines that open what encloses the line at `start`, the innermost ones.
    fn around(&mut self, lines: &[&str], start: usize) -> Vec<usize> {
        let mut next = lines[start..].iter().take(MAX_EMPTY);
        let first = next.find(|line| !line.trim().is_empty());
        self.close(first.map_or(0, |line| indent(line)));
        let few = self.open.len().saturating_sub(MAX_OPENERS);
        self.open[few..].iter().map(|(line, _)| *line).collect()
    }
}

/// Whether a line closes what is above it, also a text over several lines or a tag, and opens
/// nothing itself.
fn only_closes(line: &str) -> bool {
    // A macro goes on behind it.
    let line = line.trim_end().trim_end_matches('\\').trim_end();
    let closes = ["/>", "</>", "?>", "%>"]
        .iter()
        .any(|end| line.ends_with(end));
    let opens = !closes && line.ends_with(['{', '(', '[', '>', ':']);
    !opens && !line.contains(char::is_alphanumeric)
}

/// Joins neighbours that are too short to be alone: those with at most `short` lines together.
fn merge(lines: &[&str], parts: Vec<Part>, short: usize) -> Vec<Part> {
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        let is_bare = lines[part.lines.clone()].iter().all(|line| is_bare(line));
        match merged.last_mut().filter(|last| last.role != Role::Licence) {
            _ if part.role == Role::Licence => merged.push(part),
            Some(last) if is_bare => last.lines.end = part.lines.end,
            Some(last) if are_twins(last, &part) => last.lines.end = part.lines.end,
            Some(last)
                if last.owners == part.owners
                    && last.lines.len() + part.lines.len() <= short
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

/// Whether two neighbours are one thing in two forms: overloads, alternatives for different
/// platforms, a getter and its setter.
fn are_twins(last: &Part, next: &Part) -> bool {
    let is_whole = |part: &Part| matches!(part.role, Role::Function | Role::Type);
    is_whole(last)
        && last.role == next.role
        && !last.names.is_empty()
        && last.names == next.names
        && last.owners == next.owners
        && last.lines.len() + next.lines.len() <= LONG
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::{Wanted, parse};

    fn parts(language: &str, text: &str) -> Vec<Part> {
        let parsed = parse(language, text, Wanted::Parts);
        assert!(parsed.is_sound(Wanted::Parts, text.lines().count()));
        parsed.parts
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
        assert_eq!(found[3].owners, std::slice::from_ref(&(9..10)));
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

    #[cfg(feature = "lang-rust")]
    #[test]
    fn a_piece_of_something_long_knows_the_whole_head_and_the_blocks_it_stands_in() {
        let text = format!(
            "fn long(\n    a: B,\n) {{\n    match a {{\n        C => {{\n{}        }}\n    }}\n}}\n",
            "            d();\n".repeat(60)
        );
        let found = parts("rust", &text);
        assert!(found.len() > 2);
        for part in &found {
            assert_eq!(part.owners, std::slice::from_ref(&(0..3)));
        }
        for part in &found[1..found.len() - 1] {
            assert_eq!(part.openers, [0, 3, 4]);
        }
    }

    #[cfg(feature = "languages")]
    #[test]
    fn a_docstring_is_one_thing_and_no_part_of_what_stands_below() {
        let body = "        d()\n".repeat(40);
        let text = format!("class A:\n    \"\"\"\n    b\n    \"\"\"\n    def c(self):\n{body}");
        let found = parts("python", &text);
        let mut lines = found.iter().map(|part| part.lines.clone());
        assert!(lines.any(|lines| lines.start == 4), "{found:?}");
        let mut heads = found.iter().flat_map(|part| &part.heads);
        assert!(heads.any(|head| *head == (1..4)), "{found:?}");
    }

    #[cfg(feature = "languages")]
    #[test]
    fn what_ends_a_text_over_several_lines_opens_no_block() {
        let text = format!(
            "function long() {{\n  {{\n    expect(a).toBe(`\n      b\n    `);\n  }}\n  {{\n    c(() => {{\n{}    }});\n  }}\n}}\n",
            "      d();\n".repeat(60)
        );
        let openers: Vec<_> = parts("javascript", &text)
            .into_iter()
            .map(|part| part.openers)
            .collect();
        assert!(openers.len() > 2);
        for openers in &openers[1..openers.len() - 1] {
            assert_eq!(openers, &[0, 7]);
        }
        let closed = text.replace("    c(() => {\n", "");
        let found = parts("javascript", &closed);
        assert_eq!(found[1].openers, [0]);
    }

    #[test]
    fn all_parts_of_what_a_program_made_say_so() {
        let code = "function a() {\n  b();\n}\n".repeat(9);
        let are_made = |text: &str| {
            let found = parts_of("javascript", text, None);
            assert!(!found.is_empty());
            found.iter().all(|part| part.is_made)
        };
        assert!(are_made(&format!("{code}//# sourceMappingURL=a.js.map\n")));
        assert!(!are_made(&code));
    }

    #[cfg(feature = "languages")]
    #[test]
    fn pieces_of_a_long_comment_are_told_from_code() {
        let said = |language, open: &str, line: &str, lines, close: &str, code: &str| {
            let comment = format!("{open}{}{close}", line.repeat(lines));
            let text = format!("{code}\n{comment}{code}");
            let found = parts(language, &text);
            let said = found.iter().filter(|part| part.is_said);
            let lines = said.map(|part| part.lines.clone());
            let first = text[..text.find(&comment).unwrap_or(0)].lines().count();
            let last = first + comment.lines().count();
            lines
                .inspect(|it| assert!(first <= it.start && it.end <= last))
                .count()
        };
        let rust = "fn a() {\n    b();\n}\n";
        assert!(said("rust", "", "/// It draws.\n", 90, "", rust) > 1);
        assert_eq!(said("rust", "", "/// It draws.\n", 30, "", rust), 0);
        let script = "export const a = () => {\n\tb();\n};\n";
        assert!(said("typescript", "/**\n", "draw(a);\n", 90, "*/\n", script) > 1);
        let python = "def a():\n    b()\n";
        assert!(said("python", "\"\"\"\n", "draw(a)\n", 90, "\"\"\"\n", python) > 1);
        // Nor are directives, or what stands between the end of one text and the next one.
        assert_eq!(said("c", "", "# include <a.h>\n", 90, "", "int a;\n"), 0);
        let open = "SQL = \"\"\"\nselect 1\n\"\"\"\ndef paint():\n";
        let close = "def carry():\n    \"\"\"Carries.\"\"\"\n";
        assert_eq!(said("python", open, "    b()\n", 90, close, python), 0);
        // In prose nothing is a comment.
        assert_eq!(said("markdown", "", "# a\n", 90, "", "a\n"), 0);
    }

    #[cfg(feature = "languages")]
    #[test]
    fn overloads_are_one_part() {
        let body = "    // one\n".repeat(9);
        let method = |head: &str| format!("  {head} {{\n{body}  }}\n");
        let text = format!(
            "class A {{\n{}{}{}}}\n",
            method("void b(int c)"),
            method("void b(long c)"),
            method("void d(long c)")
        );
        let found = parts("java", &text);
        let names = found.iter().map(|part| part.names.join("."));
        assert_eq!(names.collect::<Vec<_>>(), ["A", "A.b", "A.d"]);
    }

    #[cfg(feature = "languages")]
    #[test]
    fn heads_are_known_in_each_language() {
        let cases = [
            ("python", "x = 1\n\n@a\ndef b(\n    c,\n):\n    d\n", 2..6),
            ("ruby", "x\n\n# a\ndef b(c,\n      d)\n  e\nend\n", 2..5),
            (
                "rust",
                "x!();\n\n/// a\n#[b]\nfn c(\n    d: E,\n) -> F\nwhere\n    G: H,\n{\n    i();\n}\n",
                2..10,
            ),
            (
                "cpp",
                "x;\n\ntemplate <class A>\nstatic int\nb(A c,\n  int d)\n{\n  e();\n}\n",
                2..7,
            ),
            (
                "typescript",
                "x;\n\nexport const a = async (\n  b: C,\n): Promise<D> => {\n  e();\n};\n",
                2..5,
            ),
            (
                "kotlin",
                "val x = 1\n\n@A\nfun b(\n  c: D,\n): E {\n  f()\n}\n",
                2..6,
            ),
            (
                "go",
                "package x\n\n// A does.\nfunc a(\n\tb int,\n) error {\n\tc()\n}\n",
                2..6,
            ),
            (
                "csharp",
                "class X {\n\n  [A]\n  public void B(\n    int c)\n  {\n    d();\n  }\n}\n",
                2..6,
            ),
            (
                "java",
                "class X {\n\n  @A\n  public <B> void c(\n    B d) throws E {\n    f();\n  }\n}\n",
                2..5,
            ),
            (
                "php",
                "<?php\n\n/** a */\nfunction b(\n  $c\n): D\n{\n  e();\n}\n",
                2..7,
            ),
        ];
        for (language, text, head) in cases {
            let found = parts(language, text);
            let heads: Vec<_> = found.iter().flat_map(|part| &part.heads).collect();
            assert_eq!(heads, [&head], "{language}");
        }
    }

    proptest! {
        /// Whatever the text and its language, every line is in one part.
        #[test]
        fn every_line_is_in_exactly_one_part(
            text in "([a-z]{1,4}|class A|fn a\\(\\)|def b\\(\\):|\\{|\\}|\n|\n    |//|#|\"|'|\\PC){0,120}",
            language in prop::sample::select(vec!["rust", "python", "cpp", "javascript", "go", "java", "ruby", "php", "csharp", "kotlin", "tsx", "markdown", "rst", "text", "toml", "yaml", "json"]),
        ) {
            let mut next = 0;
            for part in parts(language, &text) {
                prop_assert_eq!(part.lines.start, next);
                prop_assert!(part.lines.end > next);
                let inside = |head: &Range<usize>| head.start >= next && head.end <= part.lines.end;
                prop_assert!(part.heads.iter().all(inside));
                prop_assert!(part.owners.iter().all(|owner| owner.start < part.lines.end));
                next = part.lines.end;
            }
            prop_assert_eq!(next, text.lines().count());
        }
    }
}
