//! The exact tokenizers: a text is cut into pieces, and each piece is turned into tokens.
//!
//! Their tables are laid out when the program is built, and read in place.

mod cached;
mod layout;
mod merge;
mod pieces;
mod table;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::thread::LocalKey;

use cached::Cached;
use pieces::Grammar;

use crate::split::boundary;

thread_local! {
    static O200K_PIECES: RefCell<Cached> = RefCell::new(Cached::new(table::O200K));
    static CL100K_PIECES: RefCell<Cached> = RefCell::new(Cached::new(table::CL100K));
}

/// OpenAI's `o200k_base`.
pub(super) static O200K: Exact = Exact {
    grammar: Grammar::O200k,
    pieces: &O200K_PIECES,
};

/// OpenAI's `cl100k_base`.
pub(super) static CL100K: Exact = Exact {
    grammar: Grammar::Cl100k,
    pieces: &CL100K_PIECES,
};

/// A tokenizer that has a vocabulary.
pub(super) struct Exact {
    grammar: Grammar,
    pieces: &'static LocalKey<RefCell<Cached>>,
}

impl Exact {
    /// Returns the tokens of a text.
    pub(super) fn count(&self, text: &str) -> usize {
        self.pieces.with_borrow_mut(|pieces| {
            let (mut tokens, mut start) = (0, 0);
            while start < text.len() {
                let end = self.grammar.end(text, start);
                tokens += pieces.count(text.as_bytes(), start, end);
                start = end;
            }
            tokens
        })
    }

    /// Returns where the longest beginning of at most `tokens` ends, at the end of a character.
    pub(super) fn cut(&self, text: &str, tokens: usize) -> usize {
        self.pieces.with_borrow_mut(|pieces| {
            let (mut left, mut start) = (tokens, 0);
            while start < text.len() {
                let end = self.grammar.end(text, start);
                let cost = pieces.count(text.as_bytes(), start, end);
                if cost > left {
                    let piece = &text.as_bytes()[start..end];
                    start += pieces.first(piece, left).end;
                    break;
                }
                left -= cost;
                start = end;
            }
            // A token may end inside of a character.
            boundary(text, start)
        })
    }
}
