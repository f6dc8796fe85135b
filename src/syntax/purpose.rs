//! What a file is for, as it says itself: the first sentence of the comment at its head, of the one
//! on the type that it declares, or the first heading of a document.

use std::iter::Take;
use std::ops::Range;
use std::str::Lines;

use super::marks::Marks;
use super::outline::is_for_tools;
use crate::show::first_sentence;
use crate::split::beginning;

/// How much of a file is looked at, in bytes and in lines.
const MAX_BYTES: usize = 16 * 1024;
const MAX_LINES: usize = 200;

/// The most characters of what is shown.
const MAX_TOLD: usize = 100;

/// What a file says that it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose {
    /// On one line, without markup.
    pub text: String,
    /// The lines of the file, from 0, in which it says so.
    pub lines: Range<usize>,
}

/// Returns what a text in this language says that it is for, if it does.
pub fn purpose(language: &str, text: &str) -> Option<Purpose> {
    let mut head = Head {
        rest: beginning(text, MAX_BYTES).lines().take(MAX_LINES),
        known: Vec::new(),
    };
    match language {
        "" | "json" | "jsonc" | "diff" => None,
        "markdown" | "rst" => heading(&mut head),
        "python" => docstring(&mut head).or_else(|| head_comment(language, &mut head)),
        _ => head_comment(language, &mut head).or_else(|| of_type(language, &mut head)),
    }
}

/// The first lines of a file without surrounding blanks, as far as they were looked at: for most
/// files, a few of them are enough to know what the file is for, or that it does not say.
struct Head<'t> {
    rest: Take<Lines<'t>>,
    known: Vec<&'t str>,
}

impl<'t> Head<'t> {
    fn line(&mut self, at: usize) -> Option<&'t str> {
        while self.known.len() <= at {
            self.known.push(self.rest.next()?.trim());
        }
        Some(self.known[at])
    }

    /// Returns the first line from `at` on that is none of these.
    fn behind(
        &mut self,
        mut at: usize,
        is_passed: impl Fn(&str) -> bool,
    ) -> Option<(usize, &'t str)> {
        loop {
            let line = self.line(at)?;
            if !is_passed(line) {
                return Some((at, line));
            }
            at += 1;
        }
    }
}

/// Returns the first heading of a document.
fn heading(head: &mut Head<'_>) -> Option<Purpose> {
    let is_fence = |line: &str| line.starts_with("```");
    let is_ruler = |line: &str| {
        let sign = line.chars().next().unwrap_or(' ');
        line.len() > 2 && "=-~#*^\"'`+:.".contains(sign) && line.chars().all(|c| c == sign)
    };
    // What stands above the second line of `---` is no title.
    let has_matter = head.line(0) == Some("---");
    let mut at = 0;
    while let Some(line) = head.line(at).filter(|line| !is_fence(line)) {
        let is_marked = line.starts_with("# ") || line.starts_with("<h1");
        let may_have_ruler = !line.is_empty() && !has_matter && !is_ruler(line);
        let below = head.line(at + 1).filter(|line| !is_fence(line));
        if is_marked || may_have_ruler && below.is_some_and(is_ruler) {
            let purpose = told(line, at..at + 1);
            if purpose.is_some() {
                return purpose;
            }
        }
        at += 1;
    }
    None
}

/// Returns what the docstring at the head of a Python module says.
fn docstring(head: &mut Head<'_>) -> Option<Purpose> {
    let (first, line) = head.behind(0, |line| line.is_empty() || line.starts_with('#'))?;
    let opened = line.trim_start_matches(['r', 'R', 'u', 'U']);
    let quotes = ["\"\"\"", "'''"]
        .into_iter()
        .find(|q| opened.starts_with(q))?;
    let mut said = Vec::new();
    let mut next = Some(&opened[quotes.len()..]);
    while let Some(line) = next {
        let at = first + said.len();
        let end = line.find(quotes);
        said.push((at, &line[..end.unwrap_or(line.len())]));
        next = if end.is_none() {
            head.line(at + 1)
        } else {
            None
        };
    }
    of_comment(&said)
}

/// Returns what the first comment for readers says, if it comes before the code.
fn head_comment(language: &str, head: &mut Head<'_>) -> Option<Purpose> {
    let marks = Marks::of(language)?;
    let mut at = 0;
    while let Some(line) = head.line(at) {
        let Some((end, said)) = marks.comment(head, at) else {
            if !is_before_code(line) {
                return None;
            }
            at += 1;
            continue;
        };
        // In Rust what is about the file is marked as such.
        let is_of_file = language != "rust" || line.starts_with("//!") || line.starts_with("/*!");
        if let Some(purpose) = of_comment(&said).filter(|_| is_of_file) {
            return Some(purpose);
        }
        at = end;
    }
    None
}

/// Returns what the first comment on a type says, in a language where a file is a type.
fn of_type(language: &str, head: &mut Head<'_>) -> Option<Purpose> {
    const FILE_IS_TYPE: [&str; 14] = [
        "csharp",
        "dart",
        "groovy",
        "java",
        "javascript",
        "jsx",
        "kotlin",
        "php",
        "ruby",
        "scala",
        "swift",
        "tsx",
        "typescript",
        "vue",
    ];
    let marks = Marks::of(language).filter(|_| FILE_IS_TYPE.contains(&language))?;
    let mut at = 0;
    while let Some(line) = head.line(at) {
        let Some((end, said)) = marks.comment(head, at) else {
            // What lies in a type speaks of a part of it; in Ruby types are namespaces, too.
            if language != "ruby" && declares_type(line) && !is_closed(line) {
                return None;
            }
            at += 1;
            continue;
        };
        let behind = head.behind(end, is_annotation);
        if behind.is_some_and(|(_, line)| declares_type(line)) {
            return of_comment(&said);
        }
        at = end;
    }
    None
}

/// Whether a line closes what it opens, so that nothing below is inside it.
fn is_closed(line: &str) -> bool {
    let count = |sign| line.matches(sign).count();
    count('{') > 0 && count('{') == count('}')
}

fn is_annotation(line: &str) -> bool {
    line.is_empty() || line.starts_with(['@', '[']) || line.starts_with("#[")
}

fn declares_type(line: &str) -> bool {
    const TYPES: [&str; 9] = [
        "class",
        "interface",
        "enum",
        "record",
        "object",
        "struct",
        "trait",
        "module",
        "protocol",
    ];
    // `a(B.class)` and `f({ type: "object" })` use such a word and declare nothing.
    let mut words = line
        .split(' ')
        .take_while(|word| !word.contains(['(', '"', '\'', '=', ';']));
    let declares = words.any(|word| TYPES.contains(&word)) || line.contains(" = class ");
    declares && !line.starts_with("import")
}

/// Whether a line may be above the comment about the whole file.
fn is_before_code(line: &str) -> bool {
    const BEFORE: [&str; 12] = [
        "#!", "#[", "#![", "<?", "\"use ", "'use ", "declare(", "#pragma", "#ifndef", "#define",
        "@charset", "---",
    ];
    line.is_empty() || BEFORE.iter().any(|before| line.starts_with(before))
}

impl Marks {
    /// Returns where the comment ends that begins on this line, and what each of its lines says.
    fn comment<'t>(
        &self,
        head: &mut Head<'t>,
        first: usize,
    ) -> Option<(usize, Vec<(usize, &'t str)>)> {
        let line = head.line(first)?;
        let (open, close) = self.block.unwrap_or_default();
        let mut said = Vec::new();
        if !open.is_empty() && line.starts_with(open) {
            while let Some(line) = head.line(first + said.len()) {
                let (own, is_last) = match line.split_once(close) {
                    Some((own, _)) => (own, true),
                    None => (line, false),
                };
                let own = own.strip_prefix(open).unwrap_or(own);
                said.push((
                    first + said.len(),
                    own.trim_start_matches(['*', '!']).trim(),
                ));
                if is_last {
                    break;
                }
            }
            return Some((first + said.len(), said));
        }
        if first == 0 && line.starts_with("#!") || line.starts_with("#[") {
            return None;
        }
        let signs = ['/', '!', '#', '-', '%', ';', '|', '\'', '"'];
        while let Some(line) = head
            .line(first + said.len())
            .filter(|line| self.begin(line))
        {
            said.push((first + said.len(), line.trim_start_matches(signs).trim()));
        }
        (!said.is_empty()).then(|| (first + said.len(), said))
    }
}

/// Returns the first paragraph of a comment that says something to a reader, and is not about a
/// licence.
fn of_comment(said: &[(usize, &str)]) -> Option<Purpose> {
    if said.iter().any(|(_, line)| speaks_of_licence(line)) {
        return None;
    }
    let fence = said.iter().position(|(_, line)| line.starts_with("```"));
    let before = &said[..fence.unwrap_or(said.len())];
    let paragraphs = before.split(|(_, line)| !says_something(line));
    let mut paragraphs = paragraphs.filter(|lines| !lines.is_empty()).peekable();
    while let Some(lines) = paragraphs.next() {
        let place = lines[0].0..lines[lines.len() - 1].0 + 1;
        let text: Vec<&str> = lines.iter().map(|(_, line)| untagged(line)).collect();
        let text = text.join(" ");
        // What no dot ends leads to the code below it.
        let leads_on = fence.is_some() && paragraphs.peek().is_none() && !text.ends_with('.');
        if let Some(purpose) = told(&text, place).filter(|_| !leads_on) {
            return Some(purpose);
        }
    }
    None
}

/// Whether a line speaks of a licence, in letters of any size.
fn speaks_of_licence(line: &str) -> bool {
    const WORDS: [&str; 5] = ["copyright", "licens", "licence", "spdx-", "(c) "];
    let line = line.as_bytes();
    let begins = |at: usize, word: &&str| {
        let here = line[at..].get(..word.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
    };
    let may_begin = |at: &usize| b"clsCLS(".contains(&line[*at]);
    let mut places = (0..line.len()).filter(may_begin);
    places.any(|at| WORDS.iter().any(|word| begins(at, word)))
}

/// Whether a line of a comment is for readers, and not a ruler.
fn says_something(line: &str) -> bool {
    const FOR_TOOLS: [&str; 16] = [
        "-*-",
        "vim:",
        "vi:",
        "coding",
        "encoding",
        "frozen_string_literal",
        "rubocop",
        "mypy",
        "+build",
        "tslint",
        "global ",
        "<auto-generated",
        "Code generated",
        "phpcs",
        "NOTE",
        "See http",
    ];
    let line = untagged(line);
    let is_for_tools = is_for_tools(line) || FOR_TOOLS.iter().any(|word| line.starts_with(word));
    !is_for_tools && !line.starts_with('\\') && plain(line).contains(char::is_alphabetic)
}

/// Returns a line without the tag before the words that say what a file is for.
fn untagged(line: &str) -> &str {
    const TAGS: [&str; 7] = [
        "@fileoverview",
        "@overview",
        "@brief",
        "\\brief",
        "@description",
        "@summary",
        "= ",
    ];
    let tag = TAGS.iter().find_map(|tag| line.strip_prefix(tag));
    tag.map_or(line, str::trim_start)
}

/// Words that begin a sentence which explains the code or tells its history, instead of what it is
/// for.
const ASIDES: [&str; 10] = [
    "Actually", "Also", "Copied", "Forked", "I", "Note", "Ported", "Simply", "TODO", "We",
];

/// Makes a purpose of these words. One word says no more than the file's name, and what ends in a
/// colon leads to what is not shown.
fn told(words: &str, lines: Range<usize>) -> Option<Purpose> {
    let text = first_sentence(&plain(words), MAX_TOLD);
    let is_said = text.split_whitespace().nth(1).is_some() && !text.ends_with(':');
    let first = text.split(|c: char| !c.is_alphabetic()).next();
    let is_aside = ASIDES.contains(&first.unwrap_or_default());
    (is_said && !is_aside).then_some(Purpose { text, lines })
}

/// Returns words without tags and links, and without brackets: text in brackets in a prompt says
/// what was left out.
fn plain(words: &str) -> String {
    let mut plain = String::new();
    let mut in_tag = false;
    let mut rest = words;
    while let Some(at) = rest.find(['<', '[', ']', '{', '}', '!']) {
        plain.push_str(&rest[..at]);
        let here = &rest[at..];
        let tag = here.find('>').filter(|_| is_tag(here));
        let target = here.strip_prefix("](").and_then(|target| target.find(')'));
        let label = here.strip_prefix("][").and_then(|label| label.find(']'));
        let skipped = match here.as_bytes()[0] {
            b'<' => tag.map(|end| {
                plain.push_str(of_reference(&here[..end]));
                end + 1
            }),
            b']' => Some(target.or(label).map_or(1, |end| end + 3)),
            b'{' if here.starts_with("{@") => {
                in_tag = true;
                Some(here.find(' ').map_or(1, |end| end + 1))
            }
            b'}' if in_tag => {
                in_tag = false;
                Some(1)
            }
            b'!' if here.starts_with("![") => Some(here.find(')').map_or(2, |end| end + 1)),
            b'!' | b'{' | b'}' => None,
            _ => Some(1),
        };
        let skipped = skipped.unwrap_or_else(|| {
            plain.push_str(&here[..1]);
            1
        });
        rest = &here[skipped..];
    }
    without_entities(plain + rest)
}

/// Returns words with HTML entities replaced by what they stand for.
fn without_entities(words: String) -> String {
    const ENTITIES: [(&str, &str); 6] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&nbsp;", " "),
        ("&#64;", "@"),
        ("&amp;", "&"),
    ];
    if !words.contains('&') {
        return words;
    }
    let replaced = |words: String, (entity, sign): &(&str, &str)| words.replace(entity, sign);
    ENTITIES.iter().fold(words, replaced)
}

/// Whether markup begins here, and not a comparison or a type's argument.
fn is_tag(here: &str) -> bool {
    const TAGS: [&str; 24] = [
        "a",
        "b",
        "br",
        "c",
        "center",
        "code",
        "div",
        "em",
        "h1",
        "h2",
        "i",
        "img",
        "inheritdoc",
        "li",
        "p",
        "para",
        "paramref",
        "pre",
        "see",
        "span",
        "strong",
        "summary",
        "tt",
        "ul",
    ];
    let name = here[1..].trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    let name = &name[..end.unwrap_or(name.len())];
    TAGS.contains(&name)
}

/// Returns what `<see cref="Name"` refers to.
fn of_reference(tag: &str) -> &str {
    let value = tag.split_once("cref=\"").map_or("", |(_, value)| value);
    value.split('"').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(language: &str, text: &str) -> String {
        purpose(language, text).map_or(String::new(), |purpose| purpose.text)
    }

    #[test]
    fn the_comment_at_the_head_of_a_file_says_what_it_is_for() {
        for (language, text) in [
            ("rust", "#![allow(x)]\n//! Reads words.\n\nfn f() {}"),
            (
                "python",
                "#!/usr/bin/env python\n# coding: utf-8\n\"\"\"\nwords.read\n~~~~\n\nReads words.\n\"\"\"",
            ),
            ("python", "r'''Reads words.'''\nimport os"),
            (
                "go",
                "// Copyright Me.\n\n//go:build linux\n\n// Reads words.\npackage words",
            ),
            (
                "c",
                "/* Copyright Me.\n * All of it. */\n#ifndef A_H\n#define A_H\n/** @file words.h\n *  @brief Reads words.\n */",
            ),
            (
                "javascript",
                "'use strict'\n\n/*!\n * words\n * Copyright Me\n */\n\n/**\n * Reads words.\n */",
            ),
            (
                "ruby",
                "# frozen_string_literal: true\n\n# Reads words.\nrequire 'x'",
            ),
            (
                "java",
                "/* Licensed to you. */\npackage a;\n\nimport b.c;\n\n/**\n * Reads <b>words</b>.\n * @see X\n */\n@Deprecated\npublic class Words {}",
            ),
            (
                "csharp",
                "using A;\nnamespace B {\n  /// <summary>\n  /// Reads words.\n  /// </summary>\n  [C]\n  public sealed class Words",
            ),
            (
                "php",
                "<?php\n\nnamespace A;\n\n/**\n * Reads\n * words. And more.\n */\nfinal class Words",
            ),
            ("toml", "# Reads words.\n[package]"),
            (
                "javascript",
                "const a = 1;\n/** Reads words. */\nmodule.exports = class Words {",
            ),
            (
                "typescript",
                "interface Props { a: number }\n\n/** Reads words. */\nexport class Words {",
            ),
            ("sql", "-- Reads words.\nselect 1"),
        ] {
            assert_eq!(said(language, text), "Reads words.", "{text}");
        }
    }

    #[test]
    fn a_heading_says_what_a_document_is_for() {
        assert_eq!(
            said("markdown", "![x](y)\n\n# The [`words`](a.md)\n"),
            "The `words`"
        );
        assert_eq!(
            said("markdown", "<h1 align=\"center\">On words</h1>"),
            "On words"
        );
        assert_eq!(said("rst", "=====\nOn words\n=====\n"), "On words");
        assert_eq!(said("markdown", "On words\n-----\n"), "On words");
    }

    #[test]
    fn what_says_nothing_of_the_file_is_not_taken() {
        for (language, text) in [
            (
                "rust",
                "// A note.\n/// Of a function, at length.\nfn f() {}",
            ),
            ("python", "import os\n\"\"\"Not at the head.\"\"\""),
            ("c", "/* Permission to use; see the licence. */\nint a;"),
            ("c", "int a;\n/* Later on. */"),
            ("javascript", "// eslint-disable no-console\nf()"),
            (
                "java",
                "class A {\n  /** Reads a word. */\n  int read() {}\n}",
            ),
            (
                "java",
                "class A {\n  void a() {\n    // Should fail due to a subclass\n    fails(B.class);\n  }\n}",
            ),
            (
                "java",
                "public class A {\n  /** One of them. */\n  static class B {}\n}",
            ),
            (
                "javascript",
                "a();\n// Then it comes back.\nassert.deepEqual(b(), { object: 1 });",
            ),
            ("go", "// words\npackage words"),
            ("json", "{}"),
            ("go", "// Forked by somebody in a hurry.\npackage words"),
            ("c", "/* We lean on the fact that two are equal. */\nint a;"),
            ("markdown", "---\ntitle: of x\n---\nText"),
            ("markdown", "```\n# in code\n```"),
            (
                "rust",
                "//! Run it with\n//!\n//! ```\n//! f() not told\n//! ```",
            ),
        ] {
            assert_eq!(said(language, text), "", "{text}");
        }
    }

    #[test]
    fn what_is_told_cannot_be_taken_for_a_remark() {
        let text = "//! See [… lines 1-9 left out] and [a link][b] of {@link C} or `a[0]`.";
        let told = "See … lines 1-9 left out and a link of C or `a0`.";
        assert_eq!(said("rust", text), told);
    }

    #[test]
    fn what_html_writes_out_stands_for_itself() {
        let text = "/** Fields with &#64;Spy &amp;amp; &lt;T&gt;. */\nclass Spy {}";
        assert_eq!(said("java", text), "Fields with @Spy &amp; <T>.");
    }

    proptest! {
        #[test]
        fn whatever_a_file_says_is_one_plain_line_of_it(
            language in prop::sample::select(vec!["rust", "python", "markdown", "java", "php", "html", "sql"]),
            text in "(\\PC|\n|//! |/\\*\\*|\\*/|\"\"\"|# |[|]|<p|<!--|-->|\u{202e}|class |!\\[){0,80}",
        ) {
            if let Some(purpose) = purpose(language, &text) {
                prop_assert!(purpose.text.chars().count() <= MAX_TOLD);
                let forged = ['[', ']', '\n', '\u{202e}'];
                prop_assert!(!purpose.text.contains(forged));
                prop_assert!(purpose.lines.start < purpose.lines.end);
                prop_assert!(purpose.lines.end <= text.lines().count());
            }
        }
    }
}
