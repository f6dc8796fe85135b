//! One file of a context directory: what it says, and how it is written below a heading.

use std::path::PathBuf;

use memchr::memchr_iter;

use super::assemble::Chapter;
use super::outline::Outline;
use super::{CONTEXT_FILES, ContextFile, cut, parse, plain};
use crate::context::warnings_of;
use crate::repo::FileText;
use crate::section::{Note, NoteKind};
use crate::show::{grouped, quoted};
use crate::split::count_lines;
use crate::tokens::Counter;

/// The most lines of a file that are read: each block takes many times the memory of a line with
/// hardly any text.
const MAX_LINES: usize = 20_000;

/// The most lines of all files that are read.
const MAX_ALL_LINES: usize = 3 * MAX_LINES;

/// How much may still be read and parsed.
pub(super) struct Left {
    pub(super) bytes: u64,
    pub(super) lines: usize,
    /// Sections and items that may still be listed.
    pub(super) parts: usize,
}

impl Left {
    /// Returns a limit of this many bytes, with everything else that all files together may have.
    pub(super) fn of(bytes: u64) -> Left {
        Left {
            bytes,
            lines: MAX_ALL_LINES,
            parts: parse::MAX_PARTS,
        }
    }

    /// Whether a file has all the room that it would have by itself.
    pub(super) fn is_ample(&self) -> bool {
        self.lines >= MAX_LINES && (self.parts == 0 || self.parts >= parse::MAX_PARTS / 2)
    }

    /// Uses up the room of a text that is known.
    pub(super) fn take_lines(&mut self, text: &str) {
        self.lines = self.lines.saturating_sub(count_lines(text));
    }
}

/// Parses a file's text. `shown` is its name in warnings and in the chapter, where headings are
/// `levels` deeper.
pub(super) fn parsed(
    path: PathBuf,
    shown: &str,
    file: FileText,
    tokenizer: Counter,
    levels: usize,
    left: &mut Left,
) -> (ContextFile, Chapter) {
    let mut file = with_line_feeds(file);
    let too_long = cut_lines(&mut file.text, left, shown);
    let (front, metadata, mut warnings) = parse::front_matter(&file.text, shown);
    warnings.extend(too_long);
    if file.replaced {
        warnings.push(Note::replaced(shown));
    }
    warnings.extend(warnings_of(&file.text, "", Some(shown), None));
    let outline = Outline::of(&file.text, front);
    let wanted = left.parts > 0;
    let parsed = parse::structure(&outline, metadata, &mut left.parts);
    if wanted && left.parts == 0 {
        let most = parse::MAX_PARTS;
        let message = format!(
            "`{}`: only the first {most} sections and items of all files are parsed",
            quoted(shown)
        );
        warnings.push(Note::new(NoteKind::Skipped, message).on(shown));
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let chapter = chapter_of(&name, &parsed.title, shown.to_owned(), &outline, levels);
    let file = ContextFile {
        name: name.into_owned(),
        path,
        parsed,
        token_count: tokenizer.count(&file.text),
        content: file.text,
        warnings,
    };
    (file, chapter)
}

/// Cuts a text to the lines for which there is room; returns a warning if it had more.
fn cut_lines(text: &mut String, left: &mut Left, shown: &str) -> Option<Note> {
    let most = MAX_LINES.min(left.lines);
    let ends = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    // What follows the last end is a line as well.
    let starts = ends.filter(|end| *end < text.len());
    let mut starts = std::iter::once(0).chain(starts);
    let lines = starts.by_ref().take(most).count();
    left.lines -= lines;
    let end = starts.next()?;
    text.truncate(end);
    let message = match lines {
        0 => format!(
            "`{}` is left out: all files together have too many lines",
            quoted(shown)
        ),
        _ => format!(
            "`{}`: only its first {} lines are read",
            quoted(shown),
            grouped(lines)
        ),
    };
    Some(Note::new(NoteKind::Skipped, message).on(shown))
}

/// Turns single carriage returns into line feeds: they also end lines in Markdown.
fn with_line_feeds(file: FileText) -> FileText {
    let is_alone = |text: &str| text.replace("\r\n", "").contains('\r');
    if !file.text.contains('\r') || !is_alone(&file.text) {
        return file;
    }
    let text = file.text.replace("\r\n", "\n").replace('\r', "\n");
    FileText { text, ..file }
}

/// Returns a file as it is written below a heading of packer's own.
pub(super) fn chapter_of(
    name: &str,
    title: &str,
    source: String,
    outline: &Outline<'_>,
    levels: usize,
) -> Chapter {
    let known = CONTEXT_FILES.iter().find(|(known, _)| *known == name);
    // A heading of ours says which file it is.
    let is_ours = |title: &str| {
        let mut ours = CONTEXT_FILES.iter().map(|(_, heading)| *heading);
        ours.any(|heading| heading.eq_ignore_ascii_case(title.trim()))
    };
    let title = Some(title).filter(|title| !title.is_empty() && !is_ours(title));
    let moved = cut::moved(outline, levels);
    let is_plain = plain::is_plain(outline, &moved, levels);
    let heading = known.map(|(_, heading)| *heading).or(title);
    Chapter {
        name: name.to_owned(),
        heading: heading.unwrap_or(name).to_owned(),
        source,
        body: if is_plain {
            moved
        } else {
            plain::as_code(outline)
        },
        cuts: cut::order(outline, name),
    }
}
