//! The exact tokenizers. Their tables are built when the first text is counted.

use std::sync::LazyLock;

use toktok::Tokenizer;

/// What the larger of the two takes while it is built, in bytes, and some room.
const TABLES: u64 = 80 * 1024 * 1024;

/// The bytes of the longest token in either vocabulary, which is white space.
pub(super) const LONGEST: usize = 128;

/// OpenAI's `o200k_base`.
pub(super) fn o200k() -> &'static Tokenizer {
    static TABLE: LazyLock<Tokenizer> = LazyLock::new(|| embedded("o200k_base"));
    &TABLE
}

/// OpenAI's `cl100k_base`.
pub(super) fn cl100k() -> &'static Tokenizer {
    static TABLE: LazyLock<Tokenizer> = LazyLock::new(|| embedded("cl100k_base"));
    &TABLE
}

#[expect(
    clippy::expect_used,
    reason = "the table is part of the binary; the tests count with both"
)]
fn embedded(name: &str) -> Tokenizer {
    crate::memory::make_room(TABLES);
    Tokenizer::builtin(name).expect("an embedded vocabulary loads")
}
