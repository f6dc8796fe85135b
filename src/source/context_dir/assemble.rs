//! All files of the directory as one text within a budget.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::cut::CONSTITUTION;
use crate::section::{Note, NoteKind};
use crate::show::{counted, visible};
use crate::tokens::Counter;
use crate::truncate::last_that;

/// What stands in place of what was cut.
const TRUNCATED: &str = "[truncated]";

/// A file as it is written.
#[derive(Debug)]
pub(super) struct Chapter {
    /// The file's name without its extension.
    pub(super) name: String,
    /// The heading above it.
    pub(super) heading: String,
    /// Where the file is, from the folder that holds the directory.
    pub(super) source: String,
    /// The text, its headings moved down.
    pub(super) body: String,
    /// The lines that may be cut, in the order in which they go.
    pub(super) cuts: Vec<Range<usize>>,
}

/// The text, and what had to go.
#[derive(Debug, Default)]
pub(super) struct Assembled {
    pub(super) text: String,
    pub(super) truncated: bool,
    pub(super) notes: Vec<Note>,
}

/// How far the chapters are cut.
#[derive(Clone, Copy, Default)]
struct Cutting {
    /// How many blocks are gone, counted from the chapter of the lowest priority.
    blocks: usize,
    /// How many chapters are one line each.
    lines: usize,
    /// How many of these lines are gone too, and counted in a last one.
    uncounted: usize,
}

/// Writes the chapters, the most important first, in at most `budget` tokens.
///
/// From the least important chapter on, blocks go and headings stay; if that is not
/// enough, chapters become one line; then lines become a number. The constitution
/// stays whole.
pub(super) fn assemble(chapters: &[Chapter], budget: usize, tokenizer: Counter) -> Assembled {
    if chapters.is_empty() {
        return Assembled::default();
    }
    let drawn: Vec<Drawn<'_>> = chapters.iter().map(Drawn::new).collect();
    let fits = |cutting: &Cutting| tokenizer.count(&write(&drawn, *cutting)) <= budget;
    let blocks = chapters.iter().map(|chapter| chapter.cuts.len()).sum();
    let lines = chapters
        .iter()
        .filter(|chapter| chapter.name != CONSTITUTION)
        .count();
    let cutting = |blocks, lines, uncounted| Cutting {
        blocks,
        lines,
        uncounted,
    };
    let most = least(blocks, |blocks| cutting(blocks, 0, 0), &fits)
        .or_else(|| least(lines, |lines| cutting(blocks, lines, 0), &fits))
        .or_else(|| least(lines, |uncounted| cutting(blocks, lines, uncounted), &fits));
    // What lines in place of chapters left free goes back to the others.
    let cutting =
        most.and_then(|most| least(most.blocks, |blocks| Cutting { blocks, ..most }, &fits));
    if let Some(cutting) = cutting {
        return Assembled {
            text: write(&drawn, cutting),
            truncated: cutting.blocks > 0 || cutting.lines > 0,
            notes: Vec::new(),
        };
    }
    constitution_alone(chapters, budget, tokenizer)
}

/// The cutting with the fewest steps that fits.
fn least(
    most: usize,
    cutting: impl Fn(usize) -> Cutting,
    fits: &impl Fn(&Cutting) -> bool,
) -> Option<Cutting> {
    if fits(&cutting(0)) {
        return Some(cutting(0));
    }
    if !fits(&cutting(most)) {
        return None;
    }
    let too_few = last_that(0, most - 1, |steps| !fits(&cutting(steps)));
    Some(cutting(too_few + 1))
}

/// What is left when not even a line about the other files fits.
fn constitution_alone(chapters: &[Chapter], budget: usize, tokenizer: Counter) -> Assembled {
    let others = chapters.iter().filter(|c| c.name != CONSTITUTION);
    let named: Vec<String> = others.map(|c| visible(&c.source).into_owned()).collect();
    let mut notes = Vec::new();
    if !named.is_empty() {
        let message = format!("no room in {budget} tokens for {}", named.join(", "));
        notes.push(Note::new(NoteKind::Skipped, message));
    }
    let constitution = chapters.iter().find(|c| c.name == CONSTITUTION);
    let text = constitution.map_or(String::new(), |chapter| chapter.body.trim().to_owned());
    let tokens = tokenizer.count(&text);
    if tokens > budget {
        let over = tokens - budget;
        let message = format!(
            "over budget by {over} tokens: the constitution, which is never cut, takes {tokens}"
        );
        notes.push(Note::new(NoteKind::OverBudget, message));
    }
    Assembled {
        text,
        truncated: !named.is_empty(),
        notes,
    }
}

/// A chapter with the two ways in which it is mostly written.
struct Drawn<'a> {
    chapter: &'a Chapter,
    whole: String,
    bare: OnceCell<String>,
}

impl Drawn<'_> {
    fn new(chapter: &Chapter) -> Drawn<'_> {
        Drawn {
            chapter,
            whole: whole(chapter, &[]),
            bare: OnceCell::new(),
        }
    }

    /// The chapter without the first blocks of those that may be cut.
    fn without(&self, blocks: usize) -> Cow<'_, str> {
        let cuts = &self.chapter.cuts;
        if blocks == 0 {
            Cow::Borrowed(&self.whole)
        } else if blocks == cuts.len() {
            Cow::Borrowed(self.bare.get_or_init(|| whole(self.chapter, cuts)))
        } else {
            Cow::Owned(whole(self.chapter, &cuts[..blocks]))
        }
    }
}

fn write(chapters: &[Drawn<'_>], cutting: Cutting) -> String {
    let mut written: Vec<Cow<'_, str>> = Vec::new();
    let mut left = cutting;
    // From the last, since that is what is cut first.
    for drawn in chapters.iter().rev() {
        let chapter = drawn.chapter;
        if chapter.name != CONSTITUTION && left.uncounted > 0 {
            left.uncounted -= 1;
            left.lines -= 1;
        } else if chapter.name != CONSTITUTION && left.lines > 0 {
            left.lines -= 1;
            written.push(one_line(chapter).into());
        } else {
            let here = left.blocks.min(chapter.cuts.len());
            left.blocks -= here;
            written.push(drawn.without(here));
        }
    }
    written.push("# Project Context".into());
    written.reverse();
    if cutting.uncounted > 0 {
        let files = counted(cutting.uncounted, "more file");
        written.push(format!("[{files} left out]").into());
    }
    written.join("\n\n") + "\n"
}

fn one_line(chapter: &Chapter) -> String {
    let lines = counted(chapter.body.lines().count(), "line");
    format!(
        "[{} left out: {}, {lines}]",
        visible(&chapter.heading),
        visible(&chapter.source)
    )
}

fn whole(chapter: &Chapter, cut: &[Range<usize>]) -> String {
    let head = format!(
        "## {}\n\nSource: {}",
        visible(&chapter.heading),
        visible(&chapter.source)
    );
    let body = without(&chapter.body, cut);
    let body = body.trim_matches(['\n', '\r']);
    if body.trim().is_empty() {
        return head;
    }
    format!("{head}\n\n{body}")
}

/// The text without these lines, with a mark in place of each gap.
fn without<'a>(text: &'a str, cut: &[Range<usize>]) -> Cow<'a, str> {
    if cut.is_empty() {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut gone = vec![false; lines.len()];
    for range in cut {
        gone[range.clone()].fill(true);
    }
    let mut written = String::new();
    let mut in_gap = false;
    for (line, gone) in lines.iter().zip(gone) {
        if gone && !in_gap {
            // A line of its own, or it would be a part of what stands above.
            if !written.is_empty() && !written.ends_with("\n\n") {
                written.push('\n');
            }
            written.push_str(TRUNCATED);
            written.push_str("\n\n");
        }
        in_gap = gone;
        if !gone {
            written.push_str(line);
        }
    }
    Cow::Owned(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_marked_once_and_stands_alone() {
        assert_eq!(
            without("a\nb\nc\nd\n", &[2..3, 1..2]),
            "a\n\n[truncated]\n\nd\n"
        );
        let last = Range { start: 2, end: 3 };
        assert_eq!(without("a\n\nb\n", &[last]), "a\n\n[truncated]\n\n");
    }
}
