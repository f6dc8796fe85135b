//! Writes all files of the directory as one text within a budget.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use super::CONTEXT_FILES;
use super::cut::{CONSTITUTION, Cut};
use super::excerpt;
use crate::fence::{mentioned, titled};
use crate::section::{Note, NoteKind};
use crate::show::{counted, visible};
use crate::tokens::Counter;
use crate::truncate::last_that;

/// If fewer bytes of a partially cut block are left, they say nothing.
const LEAST_SPARED: usize = 16;

/// How many files one line names: as many as a directory is expected to have.
const MAX_NAMED: usize = CONTEXT_FILES.len();

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
    /// The blocks that may be cut, in the order in which they go.
    pub(super) cuts: Vec<Cut>,
}

/// The text, and what had to go.
#[derive(Debug, Default, Serialize, Deserialize)]
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
    /// How many bytes of the last of these blocks stay.
    spared: usize,
    /// How many chapters are one line each.
    lines: usize,
    /// How many of these lines are gone too, and are counted in a last one.
    uncounted: usize,
    /// What that last line says about them.
    last: LastLine,
}

/// What the line says that stands for chapters without a line of their own.
#[derive(Clone, Copy, Default)]
enum LastLine {
    /// How many there are.
    #[default]
    Number,
    Names,
    /// There is no room for any.
    Missing,
}

/// Writes the chapters, the most important first, in at most `budget` tokens.
///
/// Starting at the least important chapter, blocks go and headings stay. If that is not enough,
/// chapters become one line each, and then lines become a number. The last block that goes is cut
/// in the middle if that uses the budget better. The constitution always stays whole, with
/// everything around it, whatever the budget.
pub(super) fn assemble(chapters: &[Chapter], budget: usize, tokenizer: Counter) -> Assembled {
    if chapters.is_empty() {
        return Assembled::default();
    }
    let drawn: Vec<Drawn<'_>> = chapters.iter().map(Drawn::new).collect();
    let fits = |cutting: &Cutting| tokenizer.count(&write(&drawn, *cutting)) <= budget;
    let assembled = |cutting: Cutting| Assembled {
        text: write(&drawn, cutting),
        truncated: cutting.blocks > 0 || cutting.lines > 0,
        notes: Vec::new(),
    };
    if let Some(cutting) = within(chapters, &fits) {
        return assembled(cutting);
    }
    let others = others(chapters);
    let mut notes = Vec::new();
    if !others.is_empty() {
        let sources: Vec<_> = others.iter().map(|other| visible(&other.source)).collect();
        let message = format!("{budget} tokens have no room for {}", sources.join(", "));
        notes.push(Note::new(NoteKind::Skipped, message));
    }
    if others.len() == chapters.len() {
        return Assembled {
            text: String::new(),
            truncated: true,
            notes,
        };
    }
    let alone = |last| constitution_alone(chapters, last);
    if fits(&alone(LastLine::Missing)) {
        return Assembled {
            notes,
            ..assembled(alone(LastLine::Missing))
        };
    }
    let least = assembled(alone(LastLine::Names));
    let over = tokenizer.count(&least.text).saturating_sub(budget);
    let constitution = chapters.iter().find(|chapter| is_constitution(chapter));
    let takes = constitution.map_or(0, |chapter| tokenizer.count(&chapter.body));
    let with_it = if others.is_empty() {
        "its heading is"
    } else {
        "its heading and the line that names other files are"
    };
    let message = format!(
        "over budget by {over} tokens: the constitution, which is never cut, takes {takes}, \
         and {with_it} added to it"
    );
    notes.push(Note::new(NoteKind::OverBudget, message));
    Assembled { notes, ..least }
}

/// Returns the smallest cut that fits.
fn within(chapters: &[Chapter], fits: &impl Fn(&Cutting) -> bool) -> Option<Cutting> {
    let blocks = chapters.iter().map(|chapter| chapter.cuts.len()).sum();
    let lines = others(chapters).len();
    let whole = Cutting::default();
    let bare = Cutting { blocks, ..whole };
    let single = Cutting { lines, ..bare };
    let fewer = |uncounted| Cutting {
        uncounted,
        ..single
    };
    let least = least(blocks, |blocks| Cutting { blocks, ..whole }, fits)
        .or_else(|| least(lines, |lines| Cutting { lines, ..bare }, fits))
        .or_else(|| least(lines, fewer, fits))?;
    // What lines in place of chapters left free goes back to the others.
    let least = self::least(least.blocks, |blocks| Cutting { blocks, ..least }, fits)?;
    let spared = last_that(0, last_block(chapters, least), |spared| {
        fits(&Cutting { spared, ..least })
    });
    Some(Cutting {
        spared: if spared < LEAST_SPARED { 0 } else { spared },
        ..least
    })
}

/// Returns how many bytes the last block that goes has, as far as it may be cut in the middle.
fn last_block(chapters: &[Chapter], cutting: Cutting) -> usize {
    let mut blocks = cutting.blocks;
    let cut = chapters
        .iter()
        .rev()
        .filter(|chapter| !is_constitution(chapter));
    for chapter in cut.skip(cutting.lines) {
        if blocks <= chapter.cuts.len() {
            let last = blocks.checked_sub(1).map(|last| &chapter.cuts[last]);
            return last.map_or(0, |last| excerpt::open_bytes(&chapter.body, last));
        }
        blocks -= chapter.cuts.len();
    }
    0
}

/// Returns what is left whatever the budget: the constitution with everything that is written
/// around it, and one line for the others.
fn constitution_alone(chapters: &[Chapter], last: LastLine) -> Cutting {
    let lines = others(chapters).len();
    Cutting {
        blocks: chapters.iter().map(|chapter| chapter.cuts.len()).sum(),
        lines,
        uncounted: lines,
        last,
        ..Cutting::default()
    }
}

fn is_constitution(chapter: &Chapter) -> bool {
    chapter.name == CONSTITUTION
}

/// Returns the chapters that may be cut.
fn others(chapters: &[Chapter]) -> Vec<&Chapter> {
    let others = chapters.iter().filter(|chapter| !is_constitution(chapter));
    others.collect()
}

/// Returns the cut with the fewest steps that fits.
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
            whole: whole(chapter, &[], 0),
            bare: OnceCell::new(),
        }
    }

    /// Returns the chapter without the first of the blocks that may be cut; `spared` bytes of the
    /// last of them stay.
    fn without(&self, blocks: usize, spared: usize) -> Cow<'_, str> {
        let cuts = &self.chapter.cuts;
        if blocks == 0 {
            Cow::Borrowed(&self.whole)
        } else if blocks == cuts.len() && spared == 0 {
            Cow::Borrowed(self.bare.get_or_init(|| whole(self.chapter, cuts, 0)))
        } else {
            Cow::Owned(whole(self.chapter, &cuts[..blocks], spared))
        }
    }
}

fn write(chapters: &[Drawn<'_>], cutting: Cutting) -> String {
    let mut written: Vec<Cow<'_, str>> = Vec::new();
    let Cutting {
        mut blocks,
        mut lines,
        mut uncounted,
        ..
    } = cutting;
    // From the last, since that is what is cut first.
    for drawn in chapters.iter().rev() {
        let chapter = drawn.chapter;
        if lines > 0 && !is_constitution(chapter) {
            lines -= 1;
            if uncounted == 0 {
                written.push(one_line(chapter).into());
            }
            uncounted = uncounted.saturating_sub(1);
            continue;
        }
        let here = blocks.min(chapter.cuts.len());
        blocks -= here;
        let spared = if blocks == 0 { cutting.spared } else { 0 };
        written.push(drawn.without(here, if here > 0 { spared } else { 0 }));
    }
    written.push("# Project Context".into());
    written.reverse();
    if cutting.uncounted > 0 {
        match cutting.last {
            LastLine::Number => {
                let files = counted(cutting.uncounted, "more file");
                written.push(format!("[{files} left out]").into());
            }
            LastLine::Names => written.push(names_of(chapters).into()),
            LastLine::Missing => {}
        }
    }
    written.join("\n\n") + "\n"
}

fn one_line(chapter: &Chapter) -> String {
    let lines = counted(chapter.body.lines().count(), "line");
    format!(
        "[{} left out: {}, {lines}]",
        mentioned(&visible(&chapter.heading)),
        mentioned(&visible(&chapter.source))
    )
}

/// Returns one line that names the chapters that may be cut, or the first ones if there are many.
fn names_of(chapters: &[Drawn<'_>]) -> String {
    let chapters = chapters.iter().map(|drawn| drawn.chapter);
    let mut names = chapters
        .filter(|chapter| !is_constitution(chapter))
        .map(|chapter| mentioned(&visible(&chapter.source)).into_owned());
    let first: Vec<String> = names.by_ref().take(MAX_NAMED).collect();
    let more = match names.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("[Files left out: {}{more}]", first.join(", "))
}

fn whole(chapter: &Chapter, cut: &[Cut], spared: usize) -> String {
    let head = format!(
        "## {}\n\nSource: {}",
        titled(&visible(&chapter.heading)),
        titled(&visible(&chapter.source))
    );
    let body = excerpt::without(&chapter.body, cut, spared);
    let body = body.trim_matches(['\n', '\r']);
    if body.trim().is_empty() {
        return head;
    }
    format!("{head}\n\n{body}")
}
