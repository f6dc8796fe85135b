//! Finds the parts of the files that are asked for, as long as there is time.

use super::commands::commands;
use super::corpus::{Corpus, File, How};
use super::kind::{Kind, is_ci};
use super::packed::Packed;
use super::parts::ReadPart;
use super::read::MAX_TARGET;
use crate::parse::{Parser, Source};
use crate::repo::Repo;
use crate::split::{self, beginning};
use crate::syntax::parts::{Part, Role};
use crate::syntax::sections::{LOG, PLAIN, STEPS};
use crate::syntax::{Parsed, Wanted, cut, has_grammar, without_grammar};

/// The most bytes that are parsed, in the order in which files are asked for. The rest is cut into
/// paragraphs.
const MAX_CUT: u64 = 1024 * 1024;

/// The most bytes beyond these that are cut into paragraphs. The rest is one part for each file.
const MAX_ROUGH: u64 = 4 * 1024 * 1024;

/// The most bytes of documents and settings that are cut into sections, for which their lines are
/// read once. The rest is cut as above.
const MAX_SECTIONED: u64 = 1024 * 1024;

/// How many lines of a changelog are cut. The rest is one part.
const CHANGELOG_HEAD: usize = 250;

/// The most parts of all the files that are asked for. Half of it is more than hand-written source
/// is ever cut into. Beyond that, each file is one part.
const MAX_PARTS: usize = 12_000;

/// What is known of a file.
enum Found {
    Parts(Vec<ReadPart>),
    Text(String),
}

/// What may still be cut.
pub struct Cutting {
    /// How many bytes may be parsed.
    left: u64,
    /// How many bytes may be cut into sections.
    sectioned: u64,
    /// How many bytes may be cut into paragraphs.
    rough: u64,
    /// How many parts there may be.
    parts: usize,
    /// How many files had to be parsed although they are not about to change.
    pub fresh: usize,
}

impl Default for Cutting {
    fn default() -> Cutting {
        Cutting {
            left: MAX_CUT,
            sectioned: MAX_SECTIONED,
            rough: MAX_ROUGH,
            parts: MAX_PARTS,
            fresh: 0,
        }
    }
}

impl Cutting {
    /// Returns the parts of files with the names in them; none for generated files beside the
    /// source.
    pub fn parts(
        &mut self,
        repo: &Repo,
        parser: &Parser,
        corpus: &mut Corpus,
        files: Vec<usize>,
    ) -> Vec<(usize, Vec<ReadPart>)> {
        let found = files
            .into_iter()
            .map(|at| (at, self.find(repo, corpus, at)));
        let mut found: Vec<(usize, Found)> = found.collect();
        self.parse(repo, parser, corpus, &mut found);
        let known = found.into_iter().map(|(at, found)| {
            let mut parts = match found {
                Found::Parts(parts) => parts,
                Found::Text(text) => self.cut(repo, corpus, at, &text),
            };
            if parts.len() > self.parts {
                together(&mut parts, self.parts);
            }
            self.parts -= parts.len().min(self.parts);
            (at, parts)
        });
        known.collect()
    }

    /// Returns the known parts of a file, or else its text.
    fn find(&mut self, repo: &Repo, corpus: &mut Corpus, at: usize) -> Found {
        let how = self.how(&corpus.files[at]);
        let names = corpus.vocabulary.names.len();
        let file = &mut corpus.files[at];
        file.how = how;
        if let Some(known) = packed(file).and_then(|packed| packed.as_ref()?.parts(names)) {
            return Found::Parts(known);
        }
        let read = file
            .readable
            .as_ref()
            .and_then(|f| repo.read(f, MAX_TARGET).ok());
        let Some(read) = read else {
            // Nothing was found out that would be worth keeping.
            keep(file, None);
            file.how = How::Whole;
            return Found::Parts(Vec::new());
        };
        if how == How::Whole {
            let lines = 0..split::count_lines(&read.text);
            return Found::Parts(vec![ReadPart::of_lines(lines)]);
        }
        if file.facts.kind.is_beside() && is_made(&read.text) {
            // Known to have no parts the next time too.
            keep(
                file,
                Packed::of(&Vec::<ReadPart>::new()).filter(|_| repo.keeps()),
            );
            return Found::Parts(Vec::new());
        }
        Found::Text(read.text)
    }

    /// Has the texts parsed for which there is a grammar.
    fn parse(
        &mut self,
        repo: &Repo,
        parser: &Parser,
        corpus: &mut Corpus,
        found: &mut [(usize, Found)],
    ) {
        let mut sources = Vec::new();
        for (place, (at, found)) in found.iter_mut().enumerate() {
            let file = &corpus.files[*at];
            let is_parsed = file.how == How::Parsed;
            if let Found::Text(text) = found
                && is_parsed
                && has_grammar(file.language, text)
            {
                sources.push(Source {
                    number: place,
                    path: file.path.to_string(),
                    language: file.language,
                    text: std::mem::take(text),
                });
            }
        }
        parser.each(Wanted::Parts, sources, |source, parsed| {
            let (at, found) = &mut found[source.number];
            let is_kept = parsed.is_some();
            // The next prompt is to try again, or to say why it does not.
            let without = || without_grammar(source.language, &source.text, Wanted::Parts);
            let Parsed { parts, outline, .. } = parsed.unwrap_or_else(without);
            *found = Found::Parts(self.finish(repo, corpus, *at, &source.text, parts, is_kept));
            corpus.files[*at].outline = Some(outline);
        });
    }

    /// Cuts a file for which there is no grammar.
    fn cut(&mut self, repo: &Repo, corpus: &mut Corpus, at: usize, text: &str) -> Vec<ReadPart> {
        let file = &mut corpus.files[at];
        let is_parsed = file.how == How::Parsed;
        let parts = if is_parsed {
            let Parsed { parts, outline, .. } = cut_as(file, text);
            file.outline = Some(outline);
            parts
        } else {
            cut("", text)
        };
        self.finish(repo, corpus, at, text, parts, true)
    }

    /// Finds the names in the parts of a file, and keeps them.
    fn finish(
        &mut self,
        repo: &Repo,
        corpus: &mut Corpus,
        at: usize,
        text: &str,
        parts: Vec<Part>,
        is_kept: bool,
    ) -> Vec<ReadPart> {
        let lines = split::lines(text);
        let file = &corpus.files[at];
        let kind = file.facts.kind;
        let counted = counted(kind);
        let is_build = kind == Kind::Build;
        let parts = parts.into_iter().map(|part| {
            let lines = &lines[part.lines.clone()];
            let counts = part.role != Role::Licence && part.lines.start < counted;
            let uses = if counts {
                corpus.counts(lines, !kind.is_beside())
            } else {
                Vec::new()
            };
            ReadPart {
                commands: if is_build { commands(lines) } else { 0 },
                ..ReadPart::new(part, lines, uses)
            }
        });
        let parts: Vec<ReadPart> = parts.collect();
        let file = &mut corpus.files[at];
        let is_fresh = file.stamp.is_some() && file.how == How::Parsed && is_kept;
        self.fresh += usize::from(is_fresh);
        let packed = Packed::of(&parts).filter(|_| repo.keeps() && is_kept);
        keep(file, packed);
        parts
    }

    /// Returns how the next file is cut.
    fn how(&mut self, file: &File) -> How {
        let bytes = file.read.bytes;
        if file.facts.kind.is_beside()
            && let Some(rest) = self.sectioned.checked_sub(bytes)
        {
            self.sectioned = rest;
            return How::Parsed;
        }
        if let Some(rest) = self.left.checked_sub(bytes) {
            self.left = rest;
            return How::Parsed;
        }
        self.left = 0;
        match self.rough.checked_sub(bytes) {
            Some(rest) => {
                self.rough = rest;
                How::Rough
            }
            None => {
                self.rough = 0;
                How::Whole
            }
        }
    }
}

/// Joins everything after the first `most - 1` parts into one.
fn together(parts: &mut Vec<ReadPart>, most: usize) {
    let Some(last) = parts.last() else { return };
    let end = last.part.lines.end;
    let start = parts
        .get(most.max(1) - 1)
        .map_or(end, |first| first.part.lines.start);
    parts.truncate(most.max(1) - 1);
    parts.push(ReadPart::of_lines(start..end));
}

/// Whether a text that is not source is generated: it says so, or has lines that nobody reads.
fn is_made(text: &str) -> bool {
    /// The beginning of a text in which it may say so, in bytes.
    const HEAD: usize = 1024;
    /// A longer line is data, in bytes.
    const LONG: usize = 5000;
    let head = beginning(text, HEAD).to_ascii_lowercase();
    let says = [
        "@generated",
        "do not edit",
        "automatically generated",
        "autogenerated",
    ];
    says.iter().any(|words| head.contains(words)) || text.lines().any(|line| line.len() > LONG)
}

/// Returns the parts of a file for which there is no grammar, by what the file is.
fn cut_as(file: &File, text: &str) -> Parsed {
    let language = match (file.language, file.facts.kind) {
        ("", Kind::Changelog) => LOG,
        ("", Kind::Document) => PLAIN,
        ("yaml", _) if is_ci(file.path.as_str()) => STEPS,
        (language, _) => language,
    };
    if file.facts.kind != Kind::Changelog {
        return without_grammar(language, text, Wanted::Parts);
    }
    let count = split::count_lines(text);
    let head = text.split_inclusive('\n').take(CHANGELOG_HEAD);
    let head = &text[..head.map(str::len).sum()];
    let mut found = without_grammar(language, head, Wanted::Parts);
    if count > CHANGELOG_HEAD {
        found.parts.push(Part::rest(CHANGELOG_HEAD..count));
    }
    found
}

/// Returns how many lines of a file are searched for names.
fn counted(kind: Kind) -> usize {
    match kind {
        Kind::Changelog => CHANGELOG_HEAD,
        _ => usize::MAX,
    }
}

/// Returns where the parts of a file that is cut like this are kept.
fn packed(file: &mut File) -> Option<&mut Option<Packed<Vec<ReadPart>>>> {
    match file.how {
        How::Parsed => Some(&mut file.parts),
        How::Rough => Some(&mut file.rough),
        How::Whole => None,
    }
}

/// Keeps the parts of a file that is cut like this, if there are any.
fn keep(file: &mut File, parts: Option<Packed<Vec<ReadPart>>>) {
    // Only what was parsed lies on the shelf.
    match file.how {
        How::Parsed => file.is_cut_anew(),
        How::Rough | How::Whole => file.weight = 0,
    }
    if let Some(packed) = packed(file) {
        *packed = parts;
    }
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::of_texts;
    use super::*;

    #[test]
    fn of_a_long_changelog_only_the_head_is_cut() {
        let text = "## Version\n\n- entry\n\n".repeat(1000);
        let corpus = of_texts(&[("CHANGES", &text)]);
        let parts = cut_as(&corpus.files[0], &text).parts;
        let (rest, head) = parts.split_last().unwrap();
        assert_eq!(rest.lines, CHANGELOG_HEAD..4000);
        assert!(head.len() > 10 && head.iter().any(|part| part.names == ["Version"; 2]));
        assert_eq!(head.last().unwrap().lines.end, CHANGELOG_HEAD);
    }

    #[test]
    fn there_are_no_more_parts_than_may_be_and_they_are_all_lines() {
        for most in [0, 1, 2, 5, 9] {
            let part = |n: usize| ReadPart::of_lines(n * 10..n * 10 + 10);
            let mut parts: Vec<ReadPart> = (0..10).map(part).collect();
            together(&mut parts, most);
            assert_eq!(parts.len(), most.max(1));
            let ends: Vec<_> = parts.iter().map(|part| part.part.lines.end).collect();
            let starts: Vec<_> = parts.iter().map(|part| part.part.lines.start).collect();
            assert_eq!((starts[0], ends[ends.len() - 1]), (0, 100));
            assert_eq!(starts[1..], ends[..ends.len() - 1]);
        }
    }

    #[test]
    fn what_says_that_a_program_wrote_it_is_made() {
        assert!(is_made("# This file is @generated by it.\na: 1\n"));
        assert!(is_made("{\n  \"comment\": \"DO NOT EDIT\"\n}\n"));
        assert!(is_made(&format!("[{}]\n", "1,".repeat(3000))));
        assert!(!is_made("# How to edit this file\n"));
        assert!(!is_made(&format!(
            "{}\n// do not edit\n",
            "ö\n".repeat(600)
        )));
    }

    #[test]
    fn each_step_of_ci_is_a_part() {
        let text = "on:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: x\n    env:\n      A: b\n\
            \x20   steps:\n      - uses: x\n        with: y\n      - name: Test\n        run: |\n          make test\n\
            \x20     - run: make lint\n";
        let cut = |path: &str| {
            let corpus = of_texts(&[(path, text)]);
            let parts = cut_as(&corpus.files[0], text).parts.into_iter();
            parts.map(|part| part.lines).collect::<Vec<_>>()
        };
        let parts = cut(".github/workflows/test.yml");
        for lines in [6..8, 9..11, 11..14, 14..15] {
            assert!(parts.contains(&lines), "{parts:?}");
        }
        assert!(cut("a.yml").len() < parts.len());
    }

    #[test]
    fn a_plain_text_is_cut_by_its_headings_if_it_is_a_document() {
        let long = "text\n".repeat(30);
        let text = format!("One\n===\n\n{long}\nTwo\n===\n\n{long}");
        let corpus = of_texts(&[("README", &text)]);
        let parts = cut_as(&corpus.files[0], &text).parts;
        assert!(parts.iter().any(|part| part.names == ["Two"]));
    }

    #[test]
    fn a_plain_changelog_is_cut_by_its_versions_and_no_other_text() {
        let text = format!("1.2 - 10 Jun\n\n{0}\n1.1\n\n{0}", "text\n".repeat(30));
        let has_version = |path: &str| {
            let corpus = of_texts(&[(path, &text)]);
            let parts = cut_as(&corpus.files[0], &text).parts;
            parts.iter().any(|part| part.names == ["1.1"])
        };
        assert!(has_version("Changelog.txt") && has_version("NEWS"));
        assert!(!has_version("README"));
    }
}
