//! One text of a section, kept whole, and the form in which it is written.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::note::Note;
use crate::ranges::count;
use crate::split;

/// The most empty lines that are left out with a licence.
const MAX_EMPTY: usize = 4;

/// One file, one file of a diff, or one text.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something of its own, and none excludes another"
)]
#[derive(Debug, Clone)]
pub struct Piece {
    /// The path from the repository's root, with `/` between its parts; `None` for text that is not
    /// a file.
    pub path: Option<String>,
    /// What it says.
    pub body: Body,
    /// In which form it is written.
    pub form: Form,
    /// Lines that may be cut (from 0, the end not included), in the order in which they go. If
    /// there are none, the last lines of a source or a text go first, and prose is not cut.
    pub spare: Vec<Range<usize>>,
    /// Its parts, if it is known what each is worth. The budget then chooses among them.
    pub parts: Vec<Valued>,
    /// Lines that were asked for, in order. They are shown before anything else of a target.
    pub asked: Box<[Range<usize>]>,
    /// Whether the role names it by its path. It is then shown before what a pattern matches, and
    /// before any guess.
    pub is_named: bool,
    /// Lines that no gap may divide: heads of declarations with the comments above them, and
    /// comments.
    pub heads: Box<[Range<usize>]>,
    /// Ranges of lines that belong together, in order, each with its name and the names of what
    /// encloses it. If one is shown without its beginning, the prompt says so.
    pub titles: Box<[(Range<usize>, Vec<String>)]>,
    /// The lines about its licence, if they are to be shown only when somebody asks for them.
    pub licence: Range<usize>,
    /// The lines before its first declaration, mostly imports, if they are to be shown only
    /// together with other lines.
    pub preamble: Range<usize>,
    /// Whether it is not source but changes together with it. The budget has only limited room for
    /// such pieces.
    pub is_beside: bool,
    /// Whether it was read only for the commands in it, and nothing else of it is worth anything.
    pub is_for_commands: bool,
    /// Whether a diff in the same prompt has all of it, because every line of it is new.
    pub is_in_diff: bool,
    /// The lines of its outline, once somebody asked for it.
    pub outline: OnceLock<Box<[Range<usize>]>>,
    /// The lines (from 0) that look like packer's own remarks, once somebody asked for them.
    pub remarks: OnceLock<Box<[usize]>>,
    /// What finds the outline, if anything does.
    pub outliner: Option<Arc<dyn Outliner>>,
    /// What was cut of its lines because no budget has room for them.
    pub cut: Option<CutLines>,
    /// What happened to it.
    pub notes: Vec<Note>,
}

/// What was cut of the lines of a piece.
#[derive(Debug, Clone)]
pub struct CutLines {
    /// How many tokens the cut text had.
    pub tokens: usize,
    /// The note about it, given once something of the piece is shown.
    pub told: Option<Note>,
}

/// Finds the outlines of texts.
pub trait Outliner: Debug + Send + Sync {
    /// Returns the lines of the outline of a file, in order; none if it has no outline.
    fn outline(&self, path: &str, text: &str) -> Vec<Range<usize>>;
}

/// Lines of a piece with what they are worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Valued {
    /// From 0, the end not included. The parts of a piece follow each other.
    pub lines: Range<usize>,
    /// Lines outside of these that say where they belong, such as the head of their class.
    pub owners: Vec<usize>,
    /// How likely the worker needs them, as a share of everything that it needs.
    pub value: f64,
    /// What their signature is worth for itself: it says how to call what a target uses.
    pub signature: f64,
}

impl Piece {
    /// Whether somebody asked for it, or for lines of it.
    pub(crate) fn is_asked(&self) -> bool {
        self.is_named || !self.asked.is_empty()
    }

    /// Whether all of it is shown.
    pub fn is_whole(&self) -> bool {
        self.form == Form::Full && self.cut.is_none()
    }

    /// Whether everything that should be shown is shown: at most the text about its licence is
    /// missing.
    pub(crate) fn is_as_meant(&self) -> bool {
        match &self.form {
            Form::Excerpt { kept, outline } if outline.is_empty() && self.cut.is_none() => {
                self.lacks_at_most_its_licence(kept)
            }
            _ => self.is_whole(),
        }
    }

    /// Whether everything is kept except the text about its licence and the empty lines around it.
    pub(crate) fn lacks_only_its_licence(&self, kept: &[Range<usize>]) -> bool {
        !self.licence.is_empty()
            && self.gone(kept) >= self.licence.len()
            && self.lacks_at_most_its_licence(kept)
    }

    fn lacks_at_most_its_licence(&self, kept: &[Range<usize>]) -> bool {
        if self.gone(kept) > self.licence.len() + MAX_EMPTY {
            return false;
        }
        let lines = split::lines(self.body.text());
        let ends = kept.iter().map(|range| range.end);
        let gaps = std::iter::once(0).chain(ends);
        let starts = kept.iter().map(|range| range.start).chain([lines.len()]);
        let mut left_out = gaps.zip(starts).flat_map(|(from, to)| from..to);
        left_out.all(|line| self.licence.contains(&line) || lines[line].trim().is_empty())
    }

    /// Returns how many of its lines are missing if these are kept.
    fn gone(&self, kept: &[Range<usize>]) -> usize {
        self.body.lines().saturating_sub(count(kept))
    }

    /// Returns how many tokens were cut of its lines.
    pub fn cut_tokens(&self) -> usize {
        self.cut.as_ref().map_or(0, |cut| cut.tokens)
    }

    /// Returns the lines of its outline; none if it is not source, or if nothing finds outlines.
    /// They are found on first use, because most pieces fit whole.
    pub fn outline(&self) -> &[Range<usize>] {
        self.outline
            .get_or_init(|| match (&self.body, &self.path, &self.outliner) {
                (Body::Source(text), Some(path), Some(by)) => by.outline(path, text).into(),
                _ => Box::default(),
            })
    }

    /// Returns what those of its parts that are shown whole are worth together.
    pub(crate) fn worth_shown(&self) -> f64 {
        let parts = self.parts.iter();
        let shown = parts.filter(|part| self.form.shows(&part.lines));
        shown.map(|part| part.value).sum()
    }

    /// Makes a piece for a file.
    pub fn file(path: impl Into<String>, body: Body) -> Self {
        Piece {
            path: Some(path.into()),
            ..Piece::text(body)
        }
    }

    /// Makes a piece that is not a file.
    pub fn text(body: Body) -> Self {
        Piece {
            path: None,
            body,
            form: Form::Full,
            spare: Vec::new(),
            parts: Vec::new(),
            asked: Box::default(),
            is_named: false,
            heads: Box::default(),
            titles: Box::default(),
            licence: 0..0,
            preamble: 0..0,
            is_beside: false,
            is_for_commands: false,
            is_in_diff: false,
            outline: OnceLock::new(),
            remarks: OnceLock::new(),
            outliner: None,
            cut: None,
            notes: Vec::new(),
        }
    }

    /// Adds a note.
    pub fn with_note(mut self, note: Note) -> Self {
        self.notes.push(note);
        self
    }
}

/// What a piece says, and what kind of text it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A file's text, written in a fence with its language.
    Source(String),
    /// A diff, written in a fence.
    Diff(String),
    /// Another program's text, written in a fence.
    Text(String),
    /// Lines of many files, written in a fence. If any are cut, no remark takes their place.
    Outline(String),
    /// Text of the caller or the role, written as it is.
    Prose(String),
    /// A remark of packer's own instead of a text: `[Binary file, 12 bytes]`.
    Marker(String),
    /// What an earlier prompt wrote about a file that has since changed, including heading and
    /// fence; written as it is.
    Before(String),
}

impl Body {
    /// Returns the text itself.
    pub fn text(&self) -> &str {
        match self {
            Body::Source(text)
            | Body::Diff(text)
            | Body::Text(text)
            | Body::Outline(text)
            | Body::Before(text)
            | Body::Prose(text)
            | Body::Marker(text) => text,
        }
    }

    /// Returns the number of lines of the text. A last line without a line break counts.
    pub fn lines(&self) -> usize {
        split::count_lines(self.text())
    }
}

/// How a piece is written, the largest form first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// Whole.
    Full,
    /// Only some lines (counted from 0, the end not included), with a remark in place of each gap.
    Excerpt {
        /// The lines that are shown whole, in order.
        kept: Vec<Range<usize>>,
        /// The lines that outline the gaps between, in order.
        outline: Vec<Range<usize>>,
    },
    /// Only these lines, in order: what it declares, without a remark on each gap.
    Outline(Vec<Range<usize>>),
    /// One line with its name and what it is for, if it says so.
    Described,
    /// One line with its name.
    Name,
    /// Not at all; the section's closing line counts it.
    Omitted,
}

impl Form {
    /// Whether these lines are there, word for word.
    pub fn shows(&self, lines: &Range<usize>) -> bool {
        let has = |kept: &Range<usize>| kept.start <= lines.start && lines.end <= kept.end;
        match self {
            Form::Full => true,
            Form::Excerpt { kept, .. } => kept.iter().any(has),
            Form::Outline(_) | Form::Described | Form::Name | Form::Omitted => false,
        }
    }

    /// Makes an excerpt of only these lines, with no outline of the rest.
    pub fn excerpt(kept: Vec<Range<usize>>) -> Form {
        Form::Excerpt {
            kept,
            outline: Vec::new(),
        }
    }

    /// The name of the form that shows a part.
    pub const EXCERPT: &'static str = "excerpt";

    /// The names, the largest form first.
    #[cfg(feature = "cli")]
    pub const NAMES: [&'static str; 5] = ["full", "excerpt", "outline", "name", "omitted"];

    /// Whether one line stands for the whole piece.
    pub fn is_line(&self) -> bool {
        matches!(self, Form::Described | Form::Name)
    }

    /// Returns the name used in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Form::Full => "full",
            Form::Excerpt { .. } => Form::EXCERPT,
            Form::Outline(_) => "outline",
            Form::Described | Form::Name => "name",
            Form::Omitted => "omitted",
        }
    }
}
