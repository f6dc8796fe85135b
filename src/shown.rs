//! What a prompt showed, recorded so that a later prompt can begin the same way.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::hash;
use crate::section::{Form, Key, Piece, Section};

/// What a prompt showed, in the order in which it is written.
///
/// It holds no text: a later prompt reads again what it repeats, which must be unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Shown {
    /// Whether the role stood after the context.
    #[serde(default)]
    pub role_last: bool,
    /// Where the prompt was cut into parts, in bytes. A provider caches it up to these places.
    #[serde(default)]
    pub ends: Vec<usize>,
    /// The sections.
    pub sections: Vec<ShownSection>,
}

/// A section of what a prompt [`Shown`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ShownSection {
    /// Its key.
    pub key: String,
    /// Its heading, if that differs from the one of its key.
    #[serde(default)]
    pub title: Option<String>,
    /// The turn that showed it first, from 1.
    pub turn: usize,
    /// Its pieces.
    pub pieces: Vec<ShownPiece>,
}

/// A piece of a [`ShownSection`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ShownPiece {
    /// The path; null for text that is not a file.
    #[serde(default)]
    pub path: Option<String>,
    /// How it was written.
    pub form: ShownForm,
    /// The first and last line of each range that was written, from 1; empty if all or none were.
    #[serde(default)]
    pub lines: Vec<(usize, usize)>,
    /// The first and last line of each range that outlines the text between those, from 1.
    #[serde(default)]
    pub outline: Vec<(usize, usize)>,
    /// A digest of what was written: other text has another digest.
    pub digest: String,
    /// Where it stands in the prompt, as a range of bytes of its UTF-8.
    #[serde(default)]
    pub at: Option<(usize, usize)>,
}

/// How a [`ShownPiece`] was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ShownForm {
    /// Whole.
    Full,
    /// Some lines, with remarks in place of the others.
    Excerpt,
    /// The lines of its outline.
    Outline,
    /// Its name and what it is for.
    Described,
    /// Its name.
    Name,
    /// Not written, only counted.
    Omitted,
}

impl Shown {
    /// Returns the turn of the prompt that is built after this one.
    pub fn next_turn(&self) -> usize {
        let turns = self.sections.iter().map(|section| section.turn);
        turns.max().unwrap_or(0).saturating_add(1)
    }

    /// Returns the files of which more than the name was written, each once.
    pub fn paths(&self) -> Vec<&str> {
        let pieces = self.sections.iter().flat_map(|section| &section.pieces);
        let mut seen = std::collections::HashSet::new();
        let paths = pieces.filter_map(|piece| piece.path.as_deref());
        paths.filter(|path| seen.insert(*path)).collect()
    }
}

impl ShownSection {
    /// Records a section of the prompt of this turn. `block` writes a piece as it is.
    pub fn of(section: &Section, turn: usize, block: impl Fn(&Piece) -> String) -> ShownSection {
        let pieces = section.in_order().into_iter();
        ShownSection {
            key: section.key.name().to_owned(),
            title: section.title.clone(),
            turn: section.earlier.unwrap_or(turn),
            pieces: pieces
                .map(|(_, piece)| ShownPiece::of(piece, &block(piece)))
                .collect(),
        }
    }

    /// Returns the section's key.
    pub fn key(&self) -> Key {
        Key::from_name(&self.key)
    }
}

impl ShownPiece {
    fn of(piece: &Piece, written: &str) -> ShownPiece {
        let (form, lines, outline) = match &piece.form {
            Form::Full => (ShownForm::Full, Vec::new(), Vec::new()),
            Form::Excerpt { kept, outline } => {
                (ShownForm::Excerpt, numbered(kept), numbered(outline))
            }
            Form::Outline(lines) => (ShownForm::Outline, numbered(lines), Vec::new()),
            Form::Described => (ShownForm::Described, Vec::new(), Vec::new()),
            Form::Name => (ShownForm::Name, Vec::new(), Vec::new()),
            Form::Omitted => (ShownForm::Omitted, Vec::new(), Vec::new()),
        };
        ShownPiece {
            path: piece.path.clone(),
            form,
            lines,
            outline,
            digest: hash::digits(written),
            at: None,
        }
    }

    /// Returns the form that it had in a text of `lines` lines; `None` if such a text cannot have
    /// the lines that were shown, or not in this order.
    pub fn form(&self, lines: usize) -> Option<Form> {
        Some(match self.form {
            ShownForm::Full => Form::Full,
            ShownForm::Excerpt => Form::Excerpt {
                kept: ranges(&self.lines, lines)?,
                outline: ranges(&self.outline, lines)?,
            },
            ShownForm::Outline => Form::Outline(ranges(&self.lines, lines)?),
            ShownForm::Described => Form::Described,
            ShownForm::Name => Form::Name,
            ShownForm::Omitted => Form::Omitted,
        })
    }

    /// Returns what was written, taken from the prompt that has it.
    pub fn written<'a>(&self, prompt: &'a str) -> Option<&'a str> {
        let (from, to) = self.at?;
        prompt.get(from..to).filter(|written| self.is(written))
    }

    /// Whether this is what was written.
    pub fn is(&self, written: &str) -> bool {
        self.digest == hash::digits(written)
    }
}

fn numbered(ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
    ranges.iter().map(|it| (it.start + 1, it.end)).collect()
}

fn ranges(numbered: &[(usize, usize)], most: usize) -> Option<Vec<Range<usize>>> {
    let mut end = 0;
    let ranges = numbered.iter().map(|(first, last)| {
        let range = first.checked_sub(1)?..*last;
        let is_next = end <= range.start && range.start < range.end && range.end <= most;
        end = range.end;
        is_next.then_some(range)
    });
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::Body;

    fn told(form: Form) -> ShownPiece {
        let text = "line\n".repeat(9);
        let piece = Piece {
            form,
            ..Piece::file("a.rs", Body::Source(text))
        };
        let section = Section::new(Key::Related, vec![piece]);
        let block = |piece: &Piece| format!("{:?}", piece.form);
        let mut told = ShownSection::of(&section, 2, block);
        assert_eq!((told.turn, told.key()), (2, Key::Related));
        told.pieces.remove(0)
    }

    #[test]
    fn a_form_comes_back_as_it_was() {
        let forms = [
            Form::Full,
            Form::Excerpt {
                kept: vec![0..2, 5..6],
                outline: vec![3..4, 7..9],
            },
            Form::Outline(vec![1..2, 8..9]),
            Form::Described,
            Form::Name,
            Form::Omitted,
        ];
        for form in forms {
            let told = told(form.clone());
            assert!(told.is(&format!("{form:?}")));
            assert!(!told.is("else"));
            assert_eq!(told.form(9), Some(form));
            let json = serde_json::to_string(&told).unwrap();
            assert_eq!(serde_json::from_str::<ShownPiece>(&json).unwrap(), told);
        }
    }

    #[test]
    fn lines_that_cannot_be_are_no_form() {
        for lines in [
            vec![(0, 2)],
            vec![(3, 2)],
            vec![(9, 10)],
            vec![(4, 5), (1, 2)],
        ] {
            let mut told = told(Form::Outline(Vec::new()));
            told.lines = lines;
            assert_eq!(told.form(9), None);
        }
    }
}
