//! Turns a piece into tokens. Of the neighbouring pairs that make a token, the one that makes the
//! least token is merged first, the leftmost of equal ones, until no pair makes any.

use super::table::{NONE, Vocabulary};

/// A longer piece is processed in windows of this many bytes, so that the memory does not grow with
/// it.
const WINDOW: usize = 8192;

/// Up to this many bytes, the next pair is found by looking at each.
const FEW: usize = 32;

/// Tokens at the beginning of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) tokens: usize,
    /// Where they end, in bytes.
    pub(super) end: usize,
}

/// Working memory, kept from one piece to the next.
#[derive(Default)]
pub(super) struct Merger {
    /// The token that begins at each byte, if one does.
    tokens: Vec<u32>,
    /// Where the tokens before and after it begin.
    before: Vec<u32>,
    behind: Vec<u32>,
    /// What each token makes with the one after it, as the leaves of a tree in which each node has
    /// the least of the two below it.
    tree: Vec<u32>,
}

impl Merger {
    /// Returns how many tokens a piece has.
    pub(super) fn count(&mut self, vocabulary: Vocabulary, piece: &[u8]) -> usize {
        match piece.len() {
            ..2 => piece.len(),
            2..=FEW => few(vocabulary, piece),
            _ => self.first(vocabulary, piece, usize::MAX).tokens,
        }
    }

    /// Returns the first tokens of a piece, as many as are wanted and exist.
    pub(super) fn first(&mut self, vocabulary: Vocabulary, piece: &[u8], wanted: usize) -> Made {
        let mut windows = (0..).map(|more| WINDOW << more);
        // The last one that is tried has room for the whole piece.
        let made = windows.find_map(|window| self.by_windows(vocabulary, piece, wanted, window));
        made.unwrap_or(Made { tokens: 0, end: 0 })
    }

    /// Returns the first tokens, made in windows each of which begins after a token of the one
    /// before; `None` if such a token would be another one with what follows, or does not fit a
    /// window.
    ///
    /// Tokens are those of a text if every two neighbours are those of the text of these two alone,
    /// so it is enough to check the two where windows meet. All such places count: the last tokens
    /// can be others with what follows, so even the first ones are known only at the end of the
    /// piece, whatever is wanted.
    fn by_windows(
        &mut self,
        vocabulary: Vocabulary,
        piece: &[u8],
        wanted: usize,
        window: usize,
    ) -> Option<Made> {
        let mut made = Made { tokens: 0, end: 0 };
        let mut first = made;
        // Where the last token begins.
        let mut last = 0;
        loop {
            let from = made.end;
            let rest = &piece[from..];
            let whole = rest.len() <= window;
            // The tokens near the end of a window might be others with what follows.
            let certain = if whole { rest.len() } else { window / 8 * 7 };
            self.merge(vocabulary, &rest[..rest.len().min(window)]);
            let seam = &piece[last..from + self.behind.first().map_or(0, |end| *end as usize)];
            if from > 0 && !Merger::default().has_two(vocabulary, seam, from - last) {
                return None;
            }
            for (start, end) in self.spans() {
                if end > certain {
                    break;
                }
                last = from + start;
                made = Made {
                    tokens: made.tokens + 1,
                    end: from + end,
                };
                if made.tokens <= wanted {
                    first = made;
                }
            }
            if whole {
                return Some(first);
            }
            // A token is as long as the window.
            if made.end == from {
                return None;
            }
        }
    }

    /// Whether a text is two tokens, of which the first has this many bytes.
    fn has_two(&mut self, vocabulary: Vocabulary, text: &[u8], first: usize) -> bool {
        self.merge(vocabulary, text);
        self.spans().eq([(0, first), (first, text.len())])
    }

    /// Returns where the tokens begin and end.
    fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let start = next;
            next = *self.behind.get(start)? as usize;
            Some((start, next))
        })
    }

    fn merge(&mut self, vocabulary: Vocabulary, text: &[u8]) {
        let leaves = self.begin(vocabulary, text);
        while self.tree[1] != NONE {
            let at = self.leftmost(leaves);
            let gone = self.behind[at] as usize;
            let behind = self.behind[gone];
            self.tokens[at] = self.tree[1];
            self.behind[at] = behind;
            if let Some(before) = self.before.get_mut(behind as usize) {
                *before = index(at);
            }
            self.set(leaves + gone, NONE);
            self.set(leaves + at, self.made_at(vocabulary, at));
            if at > 0 {
                let before = self.before[at] as usize;
                self.set(leaves + before, self.made_at(vocabulary, before));
            }
        }
    }

    /// Makes each byte a token. Returns the number of leaves of the tree.
    fn begin(&mut self, vocabulary: Vocabulary, text: &[u8]) -> usize {
        let leaves = text.len().next_power_of_two();
        refill(&mut self.tokens, text.iter().map(|byte| u32::from(*byte)));
        refill(
            &mut self.before,
            (0..text.len()).map(|at| index(at.saturating_sub(1))),
        );
        refill(&mut self.behind, (1..=text.len()).map(index));
        self.tree.clear();
        self.tree.resize(2 * leaves, NONE);
        for at in 0..text.len() {
            self.tree[leaves + at] = self.made_at(vocabulary, at);
        }
        for node in (1..leaves).rev() {
            self.tree[node] = self.least_below(node);
        }
        leaves
    }

    /// Returns what a token makes with the one after it.
    fn made_at(&self, vocabulary: Vocabulary, at: usize) -> u32 {
        match self.tokens.get(self.behind[at] as usize) {
            Some(behind) => vocabulary.merged(self.tokens[at], *behind),
            None => NONE,
        }
    }

    fn least_below(&self, node: usize) -> u32 {
        self.tree[2 * node].min(self.tree[2 * node + 1])
    }

    fn set(&mut self, leaf: usize, token: u32) {
        self.tree[leaf] = token;
        let mut node = leaf / 2;
        while node > 0 {
            let least = self.least_below(node);
            if self.tree[node] == least {
                break;
            }
            self.tree[node] = least;
            node /= 2;
        }
    }

    /// Returns where the least token is made first.
    fn leftmost(&self, leaves: usize) -> usize {
        let mut node = 1;
        while node < leaves {
            let left = 2 * node;
            node = left + usize::from(self.tree[left] != self.tree[node]);
        }
        node - leaves
    }
}

/// Returns how many tokens a piece has that is so short that a tree costs more than it saves.
fn few(vocabulary: Vocabulary, piece: &[u8]) -> usize {
    let mut tokens = [0; FEW];
    let mut made = [NONE; FEW];
    let mut count = piece.len();
    for (token, byte) in tokens.iter_mut().zip(piece) {
        *token = u32::from(*byte);
    }
    for at in 1..count {
        made[at - 1] = vocabulary.merged(tokens[at - 1], tokens[at]);
    }
    loop {
        let (mut at, mut least) = (0, NONE);
        for (place, token) in made[..count - 1].iter().enumerate() {
            if *token < least {
                (at, least) = (place, *token);
            }
        }
        if least == NONE {
            return count;
        }
        tokens[at] = least;
        tokens.copy_within(at + 2..count, at + 1);
        made.copy_within(at + 1..count, at);
        count -= 1;
        if at + 1 < count {
            made[at] = vocabulary.merged(least, tokens[at + 1]);
        }
        if at > 0 {
            made[at - 1] = vocabulary.merged(tokens[at - 1], least);
        }
    }
}

fn refill(all: &mut Vec<u32>, with: impl Iterator<Item = u32>) {
    all.clear();
    all.extend(with);
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "tokens are shorter than a window"
)]
fn index(at: usize) -> u32 {
    at as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::table::{CL100K, O200K};
    use super::*;

    proptest! {
        #[test]
        fn windows_change_nothing(
            piece in "[a-d \u{e9}\u{8a9e}]{0,300}|(the|ab|=-){0,99}",
            wanted in 0usize..200,
            window in 16usize..99,
        ) {
            let mut merger = Merger::default();
            for vocabulary in [O200K, CL100K] {
                let whole = merger.by_windows(vocabulary, piece.as_bytes(), wanted, usize::MAX);
                let windows = merger.by_windows(vocabulary, piece.as_bytes(), wanted, window);
                prop_assert!(windows.is_none() || windows == whole);
            }
        }
    }

    #[test]
    fn what_is_wanted_is_told_when_all_windows_fit_together() {
        let mut compared = 0;
        for (part, window) in [("=-abthetheababab", 17), ("the", 24), ("ab=-", 40)] {
            let piece = part.repeat(20).into_bytes();
            for wanted in 0..piece.len() {
                let whole = Merger::default().by_windows(O200K, &piece, wanted, usize::MAX);
                let windows = Merger::default().by_windows(O200K, &piece, wanted, window);
                assert!(windows.is_none() || windows == whole, "{part} {wanted}");
                compared += usize::from(windows.is_some());
            }
        }
        assert!(compared > 0);
    }

    #[test]
    fn a_window_that_is_too_small_for_a_token_has_an_end() {
        let blanks = " ".repeat(200);
        let mut merger = Merger::default();
        let found = merger.by_windows(O200K, blanks.as_bytes(), usize::MAX, 16);
        assert_eq!(found, None);
        assert!(merger.first(O200K, blanks.as_bytes(), usize::MAX).tokens > 0);
    }

    #[test]
    fn windows_fit_together_where_a_piece_is_long() {
        let texts = ["a", "ab", "the", "語", "=-", "\u{1f980}"].map(|part| part.repeat(9000));
        for text in texts {
            let piece = text.as_bytes();
            let windows = Merger::default().by_windows(O200K, piece, usize::MAX, WINDOW);
            let whole = Merger::default().by_windows(O200K, piece, usize::MAX, piece.len());
            assert_eq!(windows, whole, "{text:.10}");
        }
    }

    #[test]
    fn a_window_that_cannot_tell_is_no_window() {
        // Of so few bytes at once the last tokens are often others than with what follows.
        let seams = (2..200).filter(|end| {
            let piece = &"abcdefghijklmnopqrstuvwxyz".repeat(20).into_bytes()[..*end];
            let made = Merger::default().by_windows(O200K, piece, usize::MAX, 16);
            made.is_none()
        });
        assert!(seams.count() > 0);
    }
}
