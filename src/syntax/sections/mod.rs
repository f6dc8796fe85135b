//! The sections of texts for which there is no grammar: documents by their headings, settings by
//! their tables, source by its keywords, the rest by its indentation.
//!
//! Lines are read one after another and nothing is looked up twice, so a hostile text takes as long
//! as any other of its length.

mod blocks;
mod headings;
mod source;
mod tables;

pub use self::headings::front_matter;
use super::tree::{Declaration, DeclarationKind};
use crate::split::beginning;

/// The most sections of a text. The rest is in the last one.
const MAX_SECTIONS: usize = 2000;

/// The deepest nesting of sections.
const MAX_DEPTH: usize = 6;

/// The most bytes of a title.
const MAX_TITLE: usize = 120;

/// Where a section begins.
struct Start {
    /// Its first line, from 0, and the one that says what it is about.
    line: usize,
    title_line: usize,
    title: String,
    /// Where its heading ends.
    head_end: usize,
    /// How deep it is, from 0; it ends where one begins that is not deeper.
    level: usize,
    /// Where it ends before that.
    end: Option<usize>,
    /// What it is.
    kind: DeclarationKind,
}

/// What a plain text counts as, which has no language of its own.
pub const PLAIN: &str = "text";

/// What a plain changelog counts as.
pub const LOG: &str = "log";

/// What YAML counts as that says what CI does, step by step.
pub const STEPS: &str = "steps";

/// Whether people write to each other in a language.
pub fn is_prose(language: &str) -> bool {
    matches!(
        language,
        "markdown" | "mdx" | "asciidoc" | "rdoc" | "rst" | PLAIN | LOG
    )
}

/// Returns the sections of a text in the order in which they begin.
pub(super) fn sections(language: &str, lines: &[&str]) -> Vec<Declaration> {
    let mut starts = match (reader(language), source::words(language)) {
        (Some(read), _) => read(lines),
        (None, Some(words)) => source::of_words(words, lines),
        (None, None) => return Vec::new(),
    };
    starts.truncate(MAX_SECTIONS);
    closed(starts, lines.len())
}

/// Whether source in a language is read by its keywords.
pub fn is_worded(language: &str) -> bool {
    source::words(language).is_some()
}

/// Finds where the sections of these lines begin.
type Reader = fn(&[&str]) -> Vec<Start>;

/// Returns how a text in this language marks its sections.
fn reader(language: &str) -> Option<Reader> {
    Some(match language {
        "markdown" | "mdx" => headings::of_markdown,
        "asciidoc" | "rdoc" => headings::of_equals_signs,
        "rst" => headings::of_underlines,
        "roff" => headings::of_man_pages,
        PLAIN => headings::of_any,
        LOG => headings::of_log,
        "toml" | "ini" => tables::of_brackets,
        STEPS | "yaml" | "json" | "jsonc" | "xml" | "html" | "css" | "scss" | "less"
        | "makefile" | "cmake" | "hcl" | "gradle" | "gherkin" => blocks::of_indents,
        _ => return None,
    })
}

/// Extends each section to where the next one begins that is not deeper.
fn closed(starts: Vec<Start>, end: usize) -> Vec<Declaration> {
    let mut sections: Vec<Declaration> = Vec::with_capacity(starts.len());
    // The sections that are open, each with its level.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for start in starts {
        while open.last().is_some_and(|(_, level)| *level >= start.level) {
            let (section, _) = open.pop().unwrap_or_default();
            let lines = &mut sections[section].lines;
            lines.end = lines.end.min(start.line);
        }
        if open.len() == MAX_DEPTH {
            continue;
        }
        let depth = open.len();
        open.push((sections.len(), start.level));
        sections.push(Declaration {
            name: start.title,
            lines: start.line..start.end.unwrap_or(end),
            name_line: start.title_line,
            head_end: start.head_end,
            kind: start.kind,
            depth,
        });
    }
    // The line below one heading may be the line above the next.
    for at in 1..sections.len() {
        let next = sections[at].lines.start;
        let before = &mut sections[at - 1];
        before.head_end = before.head_end.min(next);
    }
    sections
}

/// Returns a title without the signs around it, cut if it is too long.
fn title(line: &str) -> String {
    let signs = |c: char| c.is_whitespace() || "#=*\"'{}[]<>:".contains(c);
    beginning(line.trim_matches(signs), MAX_TITLE).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(language: &str, text: &str) -> Vec<(usize, usize, usize, String)> {
        let lines: Vec<&str> = text.lines().collect();
        let sections = sections(language, &lines).into_iter();
        sections
            .map(|s| (s.lines.start, s.lines.end, s.depth, s.name))
            .collect()
    }

    fn row(start: usize, end: usize, depth: usize, name: &str) -> (usize, usize, usize, String) {
        (start, end, depth, name.to_owned())
    }

    #[test]
    fn markdown_is_cut_by_both_kinds_of_headings_but_not_inside_code() {
        let text = "# Log\n\n## Next\n\n- a\n\n```sh\n# no heading\n```\n\nOld\n---\n\n- b\n";
        assert_eq!(
            told("markdown", text),
            [
                row(0, 14, 0, "Log"),
                row(2, 10, 1, "Next"),
                row(10, 14, 1, "Old")
            ]
        );
    }

    #[test]
    fn no_line_of_front_matter_is_a_heading() {
        let text = "---\n# a remark\nglobs: src\n---\n\n# Rule\n\nOld\n---\n";
        assert_eq!(
            told("markdown", text),
            [row(5, 9, 0, "Rule"), row(7, 9, 1, "Old")]
        );
        // What is not closed is none.
        let open = "---\n# comment\n\nOld\n====\n";
        let names: Vec<String> = told("markdown", open).into_iter().map(|it| it.3).collect();
        assert_eq!(names, ["comment", "Old"]);
    }

    #[test]
    fn levels_of_underlines_are_known_by_the_order_in_which_they_come() {
        let text = "====\nBook\n====\n\nOne\n---\n\ntext\n\nIn it\n~~~~~\n\nTwo\n---\n";
        assert_eq!(
            told("rst", text),
            [
                row(0, 14, 0, "Book"),
                row(4, 12, 1, "One"),
                row(9, 12, 2, "In it"),
                row(12, 14, 1, "Two")
            ]
        );
        assert_eq!(told("rst", "a b c\n--\n\n- - -\n"), []);
    }

    #[test]
    fn a_plain_changelog_is_cut_by_its_versions() {
        let names = |text: &str| -> Vec<String> {
            let told = told(LOG, text).into_iter();
            told.map(|it| it.3).collect()
        };
        assert_eq!(
            told(
                LOG,
                "Log of it\n\n1.9 - 10 Jun 2024\nFix it\n\n1.8\nMend .net 4.5\n"
            ),
            [row(2, 5, 0, "1.9 - 10 Jun 2024"), row(5, 7, 0, "1.8")]
        );
        for (text, name) in [
            ("1.201     2020-12-13\n    - a\n", "1.201     2020-12-13"),
            ("Version 1.2 (a)\n", "Version 1.2 (a)"),
            ("v1.2:\n", "v1.2"),
            (
                "[Changes for 0.04 - 2008-10-24]\n",
                "Changes for 0.04 - 2008-10-24",
            ),
            (
                "* Noteworthy changes in release 9.5 (2024-03-28)\n",
                "Noteworthy changes in release 9.5 (2024-03-28)",
            ),
            (
                "2022-04-15  A B  <a@b.c>\n\n\t* a.c: b\n",
                "2022-04-15  A B  <a@b.c",
            ),
            (
                "git (1:2.39-0) unstable; urgency=low\n",
                "git (1:2.39-0) unstable; urgency=low",
            ),
        ] {
            assert_eq!(
                names(&format!("\n{text}"))
                    .concat()
                    .trim_start_matches([' ', '*']),
                name
            );
        }
        for text in [
            "It needs a version of\n4.5 as well.\n",
            "  1.2\n",
            "1. One\n12 more\n",
            "Changes since version 1.2:\n",
            "* Mend 1.2\n",
            "\n  name (1.2) stable; urgency=low\n",
        ] {
            assert_eq!(names(text), [""; 0], "{text}");
        }
        assert_eq!(names("# Log\n\n## Next\n\n1.2\n\n1.1\n"), ["Log", "Next"]);
        assert_eq!(names("1.2\n---\n\n1.1 was no good.\n"), ["1.2"]);
    }

    #[test]
    fn equals_signs_head_sections_but_not_in_a_block_of_code() {
        let text = "= Guide\n\n== Use\n\n----\n== none\n----\n\n=== More\n";
        assert_eq!(
            told("asciidoc", text),
            [
                row(0, 9, 0, "Guide"),
                row(2, 9, 1, "Use"),
                row(8, 9, 2, "More")
            ]
        );
    }

    #[test]
    fn manual_pages_are_cut_by_their_headings_and_tags() {
        let text =
            ".TH A 1\n.SH OPTIONS\nText.\n.TP\n.B \\-\\-all\nAll.\n.TP\n.B \\-v\n.SH FILES\n.SH\n";
        assert_eq!(
            told("roff", text),
            [
                row(1, 8, 0, "OPTIONS"),
                row(3, 6, 1, ".B \\-\\-all"),
                row(6, 8, 1, ".B \\-v"),
                row(8, 10, 0, "FILES"),
            ]
        );
        let text = ".Dd 2020\n.Sh COMMANDS\n.Bl -tag\n.It Ic kill Op Fl a\nKill.\n.El\n.Ss More\n";
        assert_eq!(
            told("roff", text),
            [
                row(1, 7, 0, "COMMANDS"),
                row(3, 6, 1, "Ic kill Op Fl a"),
                row(6, 7, 1, "More"),
            ]
        );
    }

    #[test]
    fn a_table_reaches_to_the_next_one() {
        let text = "a = 1\n\n[package]\nname = [\n  \"x\",\n]\n\n[[bench]]\nname = \"y\"\n";
        assert_eq!(
            told("toml", text),
            [row(2, 6, 0, "package"), row(7, 9, 0, "bench")]
        );
    }

    #[test]
    fn what_is_indented_belongs_to_the_line_above() {
        let text = "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: make\n  lint:\n    runs-on: x\n";
        assert_eq!(
            told("yaml", text),
            [
                row(1, 8, 0, "jobs"),
                row(2, 6, 1, "test"),
                row(4, 6, 2, "steps"),
                row(6, 8, 1, "lint")
            ]
        );
        let text =
            "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"test\": \"y\"\n  },\n  \"z\": 1\n}\n";
        assert_eq!(told("json", text), [row(2, 5, 0, "scripts")]);
        // The steps of a job lie deeper than all else that counts.
        let steps = "jobs:\n  test:\n    steps:\n      - uses: x\n        with: y\n      - run: |\n          make\n      - run: z\n";
        assert_eq!(
            told("yaml", steps),
            [
                row(0, 8, 0, "jobs"),
                row(1, 8, 1, "test"),
                row(2, 8, 2, "steps"),
                row(3, 5, 3, "- uses: x"),
                row(5, 7, 3, "- run: |"),
            ]
        );
        let text = "all: test\n\ntest:\n\tmake -C src\n\n.PHONY: all\n";
        assert_eq!(told("makefile", text), [row(2, 4, 0, "test")]);
    }

    proptest! {
        /// Whatever the text says, sections are inside each other or follow each other.
        #[test]
        fn sections_never_cross(
            text in "(# |\\.SH |\\.It |\\.TP\n|## |=+|-+|~+|\\[a\\]|[a-z]{1,3}:?|\n|\n\n|\n  |\n    |\n\t|```|\\{|\\}|\\PC){0,80}",
            language in prop::sample::select(vec!["markdown", "rst", "asciidoc", "roff", PLAIN, LOG, "toml", "yaml", "json", "makefile", "css"]),
        ) {
            let lines: Vec<&str> = text.lines().collect();
            let found = sections(language, &lines);
            for (at, section) in found.iter().enumerate() {
                prop_assert!(section.lines.start < section.lines.end);
                prop_assert!(section.lines.end <= lines.len());
                prop_assert!(section.lines.contains(&section.name_line));
                prop_assert!(section.head_end > section.lines.start);
                prop_assert!(section.head_end <= section.lines.end);
                for next in &found[at + 1..] {
                    prop_assert!(next.lines.start > section.lines.start);
                    prop_assert!(next.lines.start >= section.lines.end || next.lines.end <= section.lines.end);
                }
            }
        }
    }
}
