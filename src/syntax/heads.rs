//! Lines that belong together: the head of a declaration with the comments above it, and the text
//! about a file's licence.

use std::ops::Range;

use super::indent;
use super::tree::Declaration;

/// Longer ranges are divided like anything else.
const MAX_TOGETHER: usize = 40;

/// An attribute over more lines is not looked for.
const MAX_ATTRIBUTE: usize = 12;

/// A comment of more lines is not looked for, and is not a licence.
const MAX_COMMENT: usize = 300;

/// How far down a file the text about its licence may begin.
const MAX_BEFORE_LICENCE: usize = 60;

/// How lines begin that are comments or attributes.
const SIGNS: [&str; 8] = ["//", "#", "/*", "*", "@", "[", "--", ";"];

/// The delimiters of a text over several lines that may document something.
const QUOTES: [&str; 2] = ["\"\"\"", "'''"];

/// Returns the lines that no gap should divide, in order and without overlap: the head of each
/// declaration with the comments above it, and comments elsewhere. None begins before `from`.
pub(super) fn together(lines: &[&str], declared: &[Declaration], from: usize) -> Vec<Range<usize>> {
    let mut all = heads(lines, declared, from);
    let mut at = from;
    let mut comments = Vec::new();
    while at < lines.len() {
        let head = all.partition_point(|head| head.end <= at);
        let head = all.get(head).filter(|head| head.start <= at);
        let end = said_until(lines, at, MAX_TOGETHER);
        if head.is_none() && (2..=MAX_TOGETHER).contains(&(end - at)) {
            comments.push(at..end);
        }
        at = head.map_or(end, |head| head.end).max(at + 1);
    }
    // A comment may have begun before the head that it belongs to.
    comments.retain(|comment| {
        let head = all.partition_point(|head| head.end <= comment.start);
        all.get(head).is_none_or(|head| head.start >= comment.end)
    });
    all.extend(comments);
    all.sort_unstable_by_key(|lines| lines.start);
    all
}

/// Returns where the comment or documenting text that begins on this line ends, if it has at most
/// about `most` lines or is a comment of single lines; the line itself if it is code.
fn said_until(lines: &[&str], at: usize, most: usize) -> usize {
    if !may_say(lines[at]) {
        return at;
    }
    let first = lines[at].trim();
    for quotes in QUOTES {
        if let Some(rest) = unmarked(first).strip_prefix(quotes) {
            let mut behind = lines[at + 1..].iter().take(most);
            let end = behind.position(|line| line.contains(quotes));
            return end
                .filter(|_| !rest.contains(quotes))
                .map_or(at, |end| at + end + 2);
        }
    }
    if first.starts_with("/*") {
        let mut block = lines[at..].iter().take(most);
        return block
            .position(|line| line.contains("*/"))
            .map_or(at, |end| at + end + 1);
    }
    let is_comment = |line: &&&str| {
        let line = line.trim();
        line.starts_with("//") || line == "#" || line.strip_prefix("# ").is_some_and(is_said)
    };
    at + lines[at..].iter().take_while(is_comment).count()
}

/// Whether a line may begin a comment: code is recognised by its first letter.
fn may_say(line: &str) -> bool {
    let mut letters = line.bytes().skip_while(|b| matches!(b, b' ' | b'\t'));
    letters.next().is_some_and(|first| {
        matches!(first, b'/' | b'#' | b'"' | b'\'' | b'r' | b'u' | b'b')
            || !first.is_ascii_graphic()
    })
}

/// Returns comments and documenting texts that have too many lines to stay together.
pub(super) fn long_comments(lines: &[&str]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let end = said_until(lines, at, MAX_COMMENT);
        if end - at > MAX_TOGETHER {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

/// Whether the text after `# ` is not a C directive, which may have a blank before it.
fn is_said(line: &str) -> bool {
    const DIRECTIVES: [&str; 8] = [
        "define", "undef", "include", "if", "el", "endif", "pragma", "error",
    ];
    let line = line.trim_start();
    !DIRECTIVES.iter().any(|it| line.starts_with(it))
}

/// Returns the head of each declaration with the comments above it.
fn heads(lines: &[&str], declared: &[Declaration], from: usize) -> Vec<Range<usize>> {
    let mut heads: Vec<Range<usize>> = Vec::new();
    for declaration in declared {
        let least = heads.last().map_or(from, |head| head.end);
        let start = declaration.lines.start.max(least);
        let end = declaration.head_end.min(lines.len());
        let starts = [above(lines, least, start), attributed(lines, least, start)];
        let fits = |start: &usize| *start < end && end - start <= MAX_TOGETHER;
        // What is said of a thing may be longer than the thing.
        let start = starts.into_iter().find(fits);
        // An empty line between two heads belongs to none: it may be left out alone.
        let is_said = |at: &usize| !lines[*at].trim().is_empty();
        let start = start.and_then(|start| (start..end).find(is_said));
        heads.extend(start.map(|start| start..end));
    }
    heads
}

/// Returns the lines of a declaration's head with its attributes, without the comments above it;
/// only the line of its name if there are too many.
pub(super) fn head_of(lines: &[&str], from: usize, declaration: &Declaration) -> Range<usize> {
    let start = declaration.lines.start.max(from);
    let head = attributed(lines, from, start)..declaration.head_end.min(lines.len());
    if head.is_empty() || head.len() > MAX_TOGETHER {
        return declaration.name_line..declaration.name_line + 1;
    }
    head
}

/// A head with more lines is shown by the line of its name.
const MAX_SHOWN: usize = 20;

/// Returns the lines that declare the one of these `names` that continues after `above`, whose
/// lines belong to it; `heads` are the lines that no gap divides.
///
/// What is inside a declaration is indented more than its head, so the head is searched for among
/// the lines that are indented less and less. A comment with its name, or a line that uses it, does
/// not count.
pub fn head_above(
    lines: &[&str],
    heads: &[Range<usize>],
    above: Range<usize>,
    names: &[String],
) -> Option<Range<usize>> {
    let first = lines.get(above.end..)?;
    let first = first.iter().find(|line| !line.trim().is_empty())?;
    let closes = |line: &str| line.trim_start().starts_with(['}', ')', ']', '{']);
    // What closes it stands as far to the left as its head.
    let mut least = indent(first) + usize::from(closes(first));
    let said = said_lines(lines, &above);
    for at in above.clone().rev() {
        let line = lines[at];
        let is_code = !said[at - above.start] && !is_aside(line) && !closes(line);
        if !is_code || indent(line) >= least {
            continue;
        }
        if names.iter().any(|name| declares(line, name)) {
            return Some(whole_head(lines, heads, at, &said, above));
        }
        least = indent(line);
    }
    None
}

/// Returns which of these lines are comments.
fn said_lines(lines: &[&str], among: &Range<usize>) -> Vec<bool> {
    let mut said = vec![false; among.len()];
    let mut at = among.start;
    while at < among.end {
        let end = said_until(lines, at, MAX_TOGETHER).min(among.end);
        said[at - among.start..end.max(at) - among.start].fill(true);
        at = end.max(at + 1);
    }
    said
}

/// Whether a line may be indented by any amount: an empty one, a preprocessor line, an attribute, a
/// label, a type bound.
fn is_aside(line: &str) -> bool {
    let line = line.trim();
    let is_label = || {
        let label = line.strip_suffix(':');
        label.is_some_and(|label| label.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    line.is_empty() || line.starts_with(['#', '@', '*']) || line == "where" || is_label()
}

/// Returns all of the head that has its name in line `at`, if it has few lines.
fn whole_head(
    lines: &[&str],
    heads: &[Range<usize>],
    at: usize,
    said: &[bool],
    above: Range<usize>,
) -> Range<usize> {
    let head = heads.partition_point(|head| head.end <= at);
    let Some(head) = heads.get(head).filter(|head| head.start <= at) else {
        return at..at + 1;
    };
    let is_before = |line: &usize| !said[line - above.start] && !is_aside(lines[*line]);
    let before = (head.start.max(above.start)..at).rev();
    let start = at - before.take_while(is_before).count();
    let end = head.end.min(above.end);
    if end - start > MAX_SHOWN {
        return at..at + 1;
    }
    start..end
}

/// Whether a name is in a line as a whole word, and not as something that a statement uses.
fn declares(line: &str, name: &str) -> bool {
    /// How statements begin that declare nothing.
    const STATEMENTS: [&str; 12] = [
        "return", "throw", "raise", "yield", "await", "if", "elif", "else", "for", "while",
        "switch", "case",
    ];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let first = line.trim_start().split(|c| !is_part(c)).next();
    let is_statement = first.is_some_and(|word| STATEMENTS.contains(&word));
    let is_function = ["function", "=>", "func"]
        .iter()
        .any(|it| line.contains(it));
    !name.is_empty()
        && !is_statement
        && line.match_indices(name).any(|(at, _)| {
            let before = &line[..at];
            let behind = line[at + name.len()..].chars().next();
            let is_inside = before.ends_with(is_part) && name.starts_with(is_part)
                || behind.is_some_and(is_part) && name.ends_with(is_part);
            let is_used = before.contains('=') || before.ends_with('.') || before.ends_with("->");
            !is_inside && (!is_used || is_function)
        })
}

/// Returns where the comments and attributes above `start` begin, not before `from`.
pub(super) fn above(lines: &[&str], from: usize, start: usize) -> usize {
    first_of(from, start, |at| beginning(lines, from, at))
}

/// Returns where the first of several things begins that are directly above each other and above
/// `start`, not before `from`. `begins` returns where each begins, given its last line.
fn first_of(from: usize, start: usize, begins: impl Fn(usize) -> Option<usize>) -> usize {
    let mut first = start;
    while first > from
        && let Some(begin) = begins(first - 1)
    {
        first = begin;
    }
    first
}

/// Returns where the comment or attribute begins that ends with this line.
fn beginning(lines: &[&str], from: usize, at: usize) -> Option<usize> {
    let line = lines[at].trim();
    let is_sign = SIGNS.iter().any(|sign| line.starts_with(sign)) && !line.starts_with("#include");
    let quotes = QUOTES.iter().find(|quotes| line.ends_with(**quotes));
    if let Some(quotes) = quotes.filter(|_| !is_sign) {
        return documenting(lines, from, at, quotes);
    }
    let opened = if line.ends_with("*/") && !line.contains("/*") {
        upwards(from, at, MAX_COMMENT).find(|at| lines[*at].contains("/*"))
    } else {
        attribute(lines, from, at)
    };
    opened.or(is_sign.then_some(at))
}

/// Returns where the text begins that ends with this line and documents what is below; `None` if it
/// is a value, or documents what opens directly above it, as a docstring does.
fn documenting(lines: &[&str], from: usize, at: usize, quotes: &str) -> Option<usize> {
    let is_one_line = lines[at].matches(quotes).count() > 1;
    let mut above = upwards(from, at, MAX_COMMENT).skip(usize::from(!is_one_line));
    let start = above.find(|at| lines[*at].contains(quotes))?;
    let first = lines[start].trim_start();
    let is_marked = first.starts_with('@') && !first.starts_with("@moduledoc");
    let is_text = first.starts_with('@') || unmarked(first).starts_with(quotes);
    let before = lines[..start].iter().rev();
    let mut before = before.map(|line| line.split(" #").next().unwrap_or_default().trim_end());
    let before = before.find(|line| !line.is_empty() && !line.starts_with('#'));
    let opens = |line: &str| !is_marked && (line.ends_with(':') || line.ends_with(" do"));
    let is_given = |line: &str| line.ends_with(['=', '(', ',']);
    let is_another = before.is_some_and(|line| opens(line) || is_given(line));
    (is_text && !is_another).then_some(start)
}

/// Returns a text without the letters before its quotes that say how it is read.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches(['r', 'u', 'b'])
}

/// Returns where the attributes directly above `start` begin, not before `from`.
fn attributed(lines: &[&str], from: usize, start: usize) -> usize {
    first_of(from, start, |at| attribute(lines, from, at))
}

/// Returns where the attribute begins that ends with this line.
fn attribute(lines: &[&str], from: usize, at: usize) -> Option<usize> {
    let begins = |at: &usize| {
        let line = lines[*at].trim_start();
        ["#[", "@", "["].iter().any(|sign| line.starts_with(sign))
    };
    let line = lines[at].trim_end();
    if begins(&at) {
        return Some(at);
    }
    let is_end = matches!(line.trim_start(), ")]" | "]" | ")");
    let mut inside = upwards(from, at, MAX_ATTRIBUTE).take_while(|at| !lines[*at].is_empty());
    is_end.then(|| inside.find(|at| lines[*at].trim_start().starts_with("#[")))?
}

/// Returns the lines from `at` upwards, not before `from`, and at most `most`.
fn upwards(from: usize, at: usize, most: usize) -> impl Iterator<Item = usize> {
    (from..=at).rev().take(most)
}

/// Returns the lines at the beginning of a file about its licence, if there are any, with the empty
/// lines after them and the lines before them that only a program reads.
pub(super) fn licence(lines: &[&str]) -> Option<Range<usize>> {
    let mut next = 0;
    let mut only_marks = true;
    while next < lines.len().min(MAX_BEFORE_LICENCE) {
        let end = comment_end(lines, next);
        if end > next && lines[next..end].iter().any(|line| is_of_licence(line)) {
            let start = if only_marks { 0 } else { next };
            return Some(start..licence_end(lines, end));
        }
        only_marks &= is_mark(lines[next]);
        if end == next && !is_mark(lines[next]) {
            return None;
        }
        next = end.max(next + 1);
    }
    None
}

/// Returns where the text about the licence ends, given that its first comment ends at `end`.
fn licence_end(lines: &[&str], end: usize) -> usize {
    let mut end = end;
    loop {
        let blank = lines[end..]
            .iter()
            .take_while(|line| line.trim().is_empty());
        let next = end + blank.count();
        let after = comment_end(lines, next);
        let goes_on = lines[next..after].iter().any(|line| is_of_licence(line));
        if !goes_on {
            return next;
        }
        end = after;
    }
}

/// Returns where the comment ends that begins at `start`; `start` if none does.
fn comment_end(lines: &[&str], start: usize) -> usize {
    let Some(first) = lines.get(start).map(|line| line.trim()) else {
        return start;
    };
    let rest = || lines[start..].iter().take(MAX_COMMENT);
    for (open, close) in [
        ("/*", "*/"),
        ("<!--", "-->"),
        ("{#", "#}"),
        ("=begin", "=end"),
    ] {
        if first.starts_with(open) {
            let end = rest().position(|line| line.contains(close));
            return end.map_or(start, |end| start + end + 1);
        }
    }
    // What documents a module is no licence, nor is what a program reads.
    let is_comment = |line: &str| {
        ["//", "#", "--", ";"]
            .iter()
            .any(|sign| line.starts_with(sign))
            && !["//!", "#!", "#include", "#[", "#if", "#define", "#pragma"]
                .iter()
                .any(|sign| line.starts_with(sign))
    };
    let count = rest()
        .take_while(|line| is_comment(line.trim_start()))
        .count();
    start + if count < MAX_COMMENT { count } else { 0 }
}

/// Whether a line may come before the text about the licence and tells a reader nothing.
fn is_mark(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with("#!")
        || line.starts_with("<?php")
        || line.starts_with("<?xml")
        || line.starts_with("declare(strict_types")
        || line.contains("-*-")
        || line
            .trim_start_matches(['#', ' '])
            .starts_with("frozen_string_literal")
        || line.starts_with("'use strict'")
}

/// Whether a line of a comment says under which licence a file is, or who may say so.
fn is_of_licence(line: &str) -> bool {
    /// Longer lines are data.
    const MOST: usize = 500;
    if line.len() > MOST {
        return false;
    }
    let line = line.to_ascii_lowercase();
    let says = [
        "spdx-license-identifier",
        "all rights reserved",
        "licensed under",
        "distributed under",
        "licensed to the",
        "license, version",
        "license information",
        "under the terms of",
        "mozilla public",
        "permission is hereby granted",
        "redistribution and use",
        "licence that can be found",
        "license that can be found",
        "see license",
        "@licen",
        "@copyright",
        "see the license",
        "public domain",
    ];
    let versions = [" v1", " v2", " v3", "version", "see copying"];
    let is_versioned =
        line.contains("public license") && versions.iter().any(|it| line.contains(it));
    let is_marked = line.contains("(c)") || line.contains('©');
    let is_owned = line.contains("copyright") && (is_marked || has_year(&line))
        || is_marked && (line.contains('<') || has_year(&line));
    is_owned || is_versioned || says.iter().any(|words| line.contains(words))
}

/// Whether it contains a year.
fn has_year(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_year = |four: &[u8]| {
        (four.starts_with(b"19") || four.starts_with(b"20"))
            && four[2..].iter().all(u8::is_ascii_digit)
    };
    bytes.windows(4).any(is_year)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn licence_of(text: &str) -> Option<Range<usize>> {
        licence(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn what_is_said_of_the_licence_is_found_in_every_language() {
        let cases = [
            "/*\n * Copyright (c) 2020 A\n */\n\n",
            "// Copyright 2014 A. All rights reserved.\n// Use of this source code is\n\n",
            "#!/bin/sh\n# -*- coding: utf-8 -*-\n\n# Licensed under the Apache License\n",
            "<?php\n\n/*\n * (c) A <a@b.c>\n */\n\n",
            "// SPDX-License-Identifier: MIT\n\n/* Copyright © 2001 A */\n",
            "<!--\n  Licensed to the A\n-->\n",
            "# Copyright: A Project\n# GNU General Public License v3.0+ (see COPYING)\n\n",
            "# Copyright: (c) 2013, A\n\n# GNU General Public License v3.0+ (see COPYING)\n",
            "/* This Source Code Form is subject to the terms of the Mozilla Public\n * License, v. 2.0. */\n",
        ];
        for text in cases {
            let lines = text.lines().count();
            assert_eq!(licence_of(text), Some(0..lines), "{text}");
            assert_eq!(
                licence_of(&format!("{text}code\n")),
                Some(0..lines),
                "{text}"
            );
        }
    }

    #[test]
    fn what_says_what_a_file_does_stays() {
        assert_eq!(licence_of("// Parses licences.\ncode\n"), None);
        assert_eq!(licence_of("//! Copyright 2020 of a crate\n"), None);
        assert_eq!(licence_of("code\n// Copyright 2020 A\n"), None);
        assert_eq!(licence_of("#include <a>\n// Copyright 2020 A\n"), None);
        assert_eq!(licence_of("/* Copyright 2020 A\n"), None);
        let text = "// Copyright 2020 A\n\n// Package a does b.\npackage a\n";
        assert_eq!(licence_of(text), Some(0..2));
    }

    #[test]
    fn the_head_of_what_goes_on_is_found_and_no_line_that_has_its_name() {
        let found = |text: &str, heads: &[Range<usize>], names: &[&str]| {
            let lines: Vec<&str> = text.lines().collect();
            let at = lines.iter().position(|line| line.contains("HERE")).unwrap();
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let head = head_above(&lines, heads, 0..at, &names);
            head.map(|head| lines[head].join("|"))
        };
        let head = |text: &str, names: &[&str]| found(text, &[], names);
        let is = |line: &str| Some(line.to_owned());
        // In a comment, in what is called, in what is assigned.
        let go = "// Loop begins. Loop ends.\nfunc (t *T) Loop() {\n\tif a {\n\t\treturn t.Loop()\n\t}\nL:\n\tHERE\n";
        assert_eq!(head(go, &["Loop"]), is("func (t *T) Loop() {"));
        let php = "    /**\n     * normalize it\n     */\n    function normalize($data)\n    {\n        if ($a) {\n            $normalize = 1;\n            HERE\n";
        assert_eq!(
            head(php, &["A", "normalize"]),
            is("    function normalize($data)")
        );
        let call = "T a(int b)\n    => a(b);\nT a(T b)\n{\n    return a(\n        HERE\n";
        assert_eq!(head(call, &["a"]), is("T a(T b)"));
        assert_eq!(head("x.a(\n    HERE\n", &["a"]), None);
        assert_eq!(head("b = a(\n    HERE\n", &["a"]), None);
        assert_eq!(
            head("a.b = function (c) {\n    HERE\n", &["b"]),
            is("a.b = function (c) {")
        );
        // What closes it stands below its head.
        assert_eq!(
            head("fn a() {\n    a();\n} // HERE\n", &["a"]),
            is("fn a() {")
        );
        // What has another name goes on, and what is merged has several.
        assert_eq!(head("fn b() {\n    HERE\n", &["a"]), None);
        assert_eq!(
            head("fn a() {}\nfn b() {\n    a();\n    HERE\n", &["a", "b"]),
            is("fn b() {")
        );
        assert_eq!(
            head("def aa():\n    '''\n    a\n    '''\n    HERE\n", &["a"]),
            None
        );
        // All of a head is shown, and a preprocessor does not end what is open.
        let c = "/* Of a. */\nstatic int\na(int b,\n    int c)\n{\n\td();\n#ifdef E\n\tHERE\n";
        let whole = std::slice::from_ref(&(0..5));
        assert_eq!(
            found(c, whole, &["a"]),
            is("static int|a(int b,|    int c)|{")
        );
        let bounded = "fn a<T>(b: T) -> C\nwhere\n    T: D,\n{\n    e();\n    HERE\n";
        let whole = std::slice::from_ref(&(0..4));
        assert_eq!(
            found(bounded, whole, &["a"]),
            is("fn a<T>(b: T) -> C|where|    T: D,|{")
        );
    }

    proptest! {
        /// Whatever the text, a head is above, is code, and has the name.
        #[test]
        fn a_head_is_a_line_of_code_with_the_name(
            text in "(a|fn a|// a|/\\*|\\*/|\"\"\"|\\{|\\}|\\)|    |\n){0,80}",
            from in 0usize..20,
            until in 0usize..40,
            head in 0usize..20,
        ) {
            let lines: Vec<&str> = text.lines().collect();
            let until = until.min(lines.len());
            let above = from.min(until)..until;
            let end = (head + 3).min(lines.len());
            let heads = [Range { start: head, end }];
            let heads = if heads[0].is_empty() { &[][..] } else { &heads[..] };
            if let Some(found) = head_above(&lines, heads, above.clone(), &["a".to_owned()]) {
                prop_assert!(above.start <= found.start && found.end <= above.end);
                prop_assert!(!found.is_empty() && found.len() <= MAX_SHOWN);
                prop_assert!(lines[found].iter().any(|line| declares(line, "a") && !line.trim().starts_with("//")));
            }
        }
    }

    #[test]
    fn a_comment_and_attributes_belong_to_what_they_stand_above() {
        let cases = [
            ("}\n/// a\n#[b(\n    c\n)]\nfn d() {\n", 1),
            ("x;\n/* a\n   b\n   c */\nvoid d() {\n", 1),
            ("x = 1\n# a\n@b\ndef c():\n", 1),
            ("#include <a>\nvoid b() {\n", 1),
            ("a;\n\n\nfn b() {\n", 3),
            ("end\n\"\"\"\na\n\"\"\"\nfunction b()\n", 1),
            ("end\n@doc \"\"\"\na\n\"\"\"\ndef b do\n", 1),
            (
                "defmodule A do\n  @doc \"\"\"\n  a\n  \"\"\"\n  def b do\n",
                1,
            ),
            (
                "defmodule A do\n  @moduledoc \"\"\"\n  a\n  \"\"\"\n  def b do\n",
                4,
            ),
            ("class A:\n    # b\n    \"\"\"A.\"\"\"\n    def b():\n", 3),
            ("val q =\n  \"\"\"\n  a\n  \"\"\"\ndef b()\n", 4),
            ("\"\"\"A.\"\"\"\nimport a\n# between \"\"\"\ndef b():\n", 2),
            ("x = 1\n\"\"\"a\"\"\"\ndef b():\n", 1),
            // What documents a class is not said of its first method, and a value of nothing.
            ("class A:\n    \"\"\"\n    a\n    \"\"\"\n    def b():\n", 4),
            ("class A:  # a\n    \"\"\"A.\"\"\"\n    def b():\n", 2),
            ("A = \"\"\"\na\n\"\"\"\ndef b():\n", 3),
        ];
        for (text, first) in cases {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(above(&lines, 0, lines.len() - 1), first, "{text}");
        }
    }
}
