//! The exact tokenizers. Their tables are built when the first text is counted.

use std::sync::LazyLock;

/// What the larger of the two takes while it is built, in bytes, with some to spare.
const TABLES: u64 = 80 * 1024 * 1024;

/// OpenAI's `o200k_base`.
pub(super) static O200K: Exact = Exact(LazyLock::new(|| embedded("o200k_base")));

/// OpenAI's `cl100k_base`.
pub(super) static CL100K: Exact = Exact(LazyLock::new(|| embedded("cl100k_base")));

/// A tokenizer that has a vocabulary.
pub(super) struct Exact(LazyLock<toktok::Tokenizer>);

impl Exact {
    /// The tokens of a text.
    pub(super) fn count(&self, text: &str) -> usize {
        self.0.count(text.as_bytes())
    }

    /// Where the longest beginning of at most `tokens` ends, at the end of a character.
    pub(super) fn cut(&self, text: &str, tokens: usize) -> usize {
        self.0.truncate(text.as_bytes(), tokens).bytes
    }
}

#[expect(
    clippy::expect_used,
    reason = "the table is part of the binary; the tests count with both"
)]
fn embedded(name: &str) -> toktok::Tokenizer {
    crate::memory::make_room(TABLES);
    toktok::Tokenizer::builtin(name).expect("an embedded vocabulary loads")
}
