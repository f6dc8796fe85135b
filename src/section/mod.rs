//! The one type that flows through the program.
//!
//! A [`Section`] has a [`Key`] and [`Piece`]s; a piece keeps its text whole and
//! says in which [`Form`] it is to be written, so that the budget can change its
//! mind without losing anything. What happened on the way is a [`Note`].

mod key;
mod note;
mod piece;
mod table;

pub use self::key::{Key, Pace, Source};
pub use self::note::{Note, NoteKind};
pub use self::piece::{Body, CutLines, Form, Outliner, Piece, Valued};
pub(crate) use self::table::sources;

/// A part of the prompt.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something of its own, and none excludes another"
)]
#[derive(Debug, Clone)]
pub struct Section {
    /// What it is about.
    pub key: Key,
    /// Its heading, where that says more than that of its key.
    pub title: Option<String>,
    /// Its files, diffs or texts, the most important first.
    pub pieces: Vec<Piece>,
    /// What happened to the section as a whole.
    pub notes: Vec<Note>,
    /// Whether a dropped section is named in the prompt by a closing line.
    pub mentioned: bool,
    /// Whether the budget fills it, however little each part is worth.
    pub fill: bool,
    /// Whether what is worth nothing in it waits until guesses have what is worth its room.
    pub waits: bool,
    /// Whether the budget goes on in a file of which much is shown, since no target says in
    /// which one the work is.
    pub goes_deep: bool,
    /// The turn that showed it first, from 1, if an earlier prompt did: then it is written
    /// as it was, and the budget leaves it alone.
    pub earlier: Option<usize>,
    /// Whether its pieces are written from the last to the first.
    pub backwards: bool,
}

impl Section {
    /// Makes a section of these pieces.
    pub fn new(key: Key, pieces: Vec<Piece>) -> Self {
        Section {
            key,
            title: None,
            pieces,
            notes: Vec::new(),
            mentioned: true,
            fill: false,
            waits: false,
            goes_deep: false,
            earlier: None,
            backwards: false,
        }
    }

    /// What stands above it.
    pub fn heading(&self) -> String {
        self.title.clone().unwrap_or_else(|| self.key.heading())
    }

    /// What the budget made of it, as told by the forms of its pieces.
    pub fn status(&self) -> Status {
        if self.pieces.iter().all(Piece::is_whole) {
            Status::Kept
        } else if self.pieces.iter().all(|p| p.form == Form::Omitted) {
            Status::Dropped
        } else {
            Status::Shrunk
        }
    }

    /// The pieces by their places, in the order in which they are written: what is only
    /// named stands below what is shown.
    pub fn in_order(&self) -> Vec<(usize, &Piece)> {
        let mut pieces: Vec<(usize, &Piece)> = self.pieces.iter().enumerate().collect();
        if self.backwards {
            pieces.reverse();
        }
        pieces.sort_by_key(|(_, piece)| piece.form.is_line());
        pieces
    }

    /// Gives every piece the same form.
    pub fn set_form(&mut self, form: &Form) {
        for piece in &mut self.pieces {
            piece.form = form.clone();
        }
    }
}

/// What the budget made of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Status {
    /// It is there, whole.
    Kept,
    /// Some of it is there.
    Shrunk,
    /// None of it is there.
    Dropped,
}
