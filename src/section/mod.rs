//! The one type that flows through the program.
//!
//! A [`Section`] has a [`Key`] and [`Piece`]s. A piece keeps its whole text and says in which
//! [`Form`] it is to be written, so that the budget can change its mind without losing anything.
//! What happened on the way is a [`Note`].

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
    /// Its heading, if it says more than that of its key.
    pub title: Option<String>,
    /// Its files, diffs or texts, the most important first.
    pub pieces: Vec<Piece>,
    /// What happened to the section as a whole.
    pub notes: Vec<Note>,
    /// Whether a closing line in the prompt names the section if it is dropped.
    pub mentioned: bool,
    /// Whether the template writes nothing of it. It then costs nothing, and nothing of it is there.
    pub unwritten: bool,
    /// Whether the budget fills it, however little each part is worth.
    pub fill: bool,
    /// Whether all of it is written for people: it has much that somebody who changes code does not
    /// need, and gets less room.
    pub is_for_people: bool,
    /// Whether what is worth nothing in it waits until guesses have what is worth its room.
    pub waits: bool,
    /// Whether the budget goes deeper into a file that is already largely shown, because no target
    /// says which file the work is in.
    pub goes_deep: bool,
    /// The turn that showed it first, from 1, if an earlier prompt did. It is then written as it
    /// was, and the budget leaves it alone.
    pub earlier: Option<usize>,
    /// Whether its pieces are written from last to first.
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
            unwritten: false,
            fill: false,
            is_for_people: false,
            waits: false,
            goes_deep: false,
            earlier: None,
            backwards: false,
        }
    }

    /// Returns the heading above it.
    pub fn heading(&self) -> String {
        self.title.clone().unwrap_or_else(|| self.key.heading())
    }

    /// Returns what the budget made of it, as the forms of its pieces say.
    pub fn status(&self) -> Status {
        if self.pieces.iter().all(Piece::is_whole) {
            Status::Kept
        } else if self.pieces.iter().all(|p| p.form == Form::Omitted) {
            Status::Dropped
        } else {
            Status::Shrunk
        }
    }

    /// Returns the pieces with their positions, in the order in which they are written: pieces that
    /// are only named come after those that are shown.
    pub fn in_order(&self) -> Vec<(usize, &Piece)> {
        let mut pieces: Vec<(usize, &Piece)> = self.pieces.iter().enumerate().collect();
        if self.backwards {
            pieces.reverse();
        }
        pieces.sort_by_key(|(_, piece)| piece.form.is_line());
        pieces
    }

    /// Whether the role names any of its files.
    pub(crate) fn names_files(&self) -> bool {
        self.pieces.iter().any(|piece| piece.is_named)
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
    /// All of it is there.
    Kept,
    /// Some of it is there.
    Shrunk,
    /// None of it is there.
    Dropped,
}
