//! Models by name: how they count tokens, and how many they take.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::nearest::help_among;
use crate::show::quoted;
use crate::tokens::Tokenizer;

/// A model that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model(&'static Row);

/// What is known of all models whose names begin alike.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: &'static str,
    tokenizer: Tokenizer,
    window: usize,
}

const fn row(name: &'static str, tokenizer: Tokenizer, window: usize) -> Row {
    Row {
        name,
        tokenizer,
        window,
    }
}

/// The context window of models whose documents say "1M".
const MILLION: usize = 1_000_000;

/// The models, in the order of the documents. A name also stands for all longer names that continue
/// it with a hyphen, such as dates and sizes, unless a longer entry matches. Sources:
/// `docs/models.md`.
static ROWS: &[Row] = &[
    row("claude-3", Tokenizer::Claude3, 200_000),
    row("claude-haiku-4", Tokenizer::Claude3, 200_000),
    row("claude-sonnet-4", Tokenizer::Claude3, 200_000),
    row("claude-sonnet-4-6", Tokenizer::Claude3, MILLION),
    row("claude-sonnet-5", Tokenizer::Claude, MILLION),
    row("claude-opus-4", Tokenizer::Claude3, 200_000),
    row("claude-opus-4-6", Tokenizer::Claude3, MILLION),
    row("claude-opus-4-7", Tokenizer::Claude, MILLION),
    row("claude-opus-4-8", Tokenizer::Claude, MILLION),
    row("claude-opus-5", Tokenizer::Claude, MILLION),
    row("gpt-3.5-turbo", Tokenizer::Cl100k, 16_385),
    row("gpt-4", Tokenizer::Cl100k, 8_192),
    row("gpt-4-turbo", Tokenizer::Cl100k, 128_000),
    row("gpt-4o", Tokenizer::O200k, 128_000),
    row("gpt-4.1", Tokenizer::O200k, 1_047_576),
    row("gpt-5", Tokenizer::O200k, 400_000),
    row("gpt-5-chat", Tokenizer::O200k, 128_000),
    row("gpt-5.1", Tokenizer::O200k, 400_000),
    row("gpt-5.1-chat", Tokenizer::O200k, 128_000),
    row("gpt-5.2", Tokenizer::O200k, 400_000),
    row("gpt-5.4", Tokenizer::O200k, MILLION),
    row("o1", Tokenizer::O200k, 200_000),
    row("o3", Tokenizer::O200k, 200_000),
    row("o4-mini", Tokenizer::O200k, 200_000),
    row("gemini-2.0", Tokenizer::Gemini, 1_048_576),
    row("gemini-2.5", Tokenizer::Gemini, 1_048_576),
    row("gemini-3", Tokenizer::Gemini, 1_048_576),
];

/// `auto` takes this part of the window for a prompt. The rest is for what the worker opens and
/// says, and for the answers that it gets.
const SHARE: usize = 8;

impl Model {
    /// Returns the name in the table. The model's own name may be longer.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the tokenizer that comes closest to the model's own in this build.
    pub fn tokenizer(self) -> Tokenizer {
        if self.0.tokenizer.is_available() {
            self.0.tokenizer
        } else {
            Tokenizer::Calibrated
        }
    }

    /// Returns the tokens that a conversation with it may have.
    pub fn window(self) -> usize {
        self.0.window
    }

    /// Returns the budget that `auto` stands for: an eighth of the window.
    pub fn budget(self) -> usize {
        self.0.window / SHARE
    }

    /// Returns the names in the table.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    /// Finds a model by its provider's name for it, with or without the provider in front, and with
    /// dots or hyphens between numbers.
    fn from_str(name: &str) -> Result<Model, String> {
        let plain = plain(name);
        let is_it = |row: &&Row| {
            let rest = plain.strip_prefix(&self::plain(row.name));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':', '[']))
        };
        let found = ROWS.iter().filter(is_it).max_by_key(|row| row.name.len());
        found.map(Model).ok_or_else(|| {
            let help = help_among(&plain, &Model::names().collect::<Vec<_>>());
            format!("unknown model `{}`: {help}", quoted(name))
        })
    }
}

/// Returns a name without its provider, in one spelling.
fn plain(name: &str) -> String {
    let name = name.trim().rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase().replace(['.', '_'], "-");
    let own = ["claude-", "gpt-", "gemini-"];
    // `us.anthropic.claude-…`, as one provider writes it.
    let start = own.iter().find_map(|own| lower.find(own)).unwrap_or(0);
    lower[start..].to_owned()
}

impl<'de> Deserialize<'de> for Model {
    fn deserialize<D: Deserializer<'de>>(name: D) -> Result<Model, D::Error> {
        let name = String::deserialize(name)?;
        name.parse().map_err(D::Error::custom)
    }
}

#[cfg(feature = "cli")]
impl schemars::JsonSchema for Model {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Model".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(of: &str) -> Result<&'static str, String> {
        of.parse().map(Model::name)
    }

    #[test]
    fn a_model_is_found_by_the_longest_name_that_it_begins_with() {
        for (given, expected) in [
            ("claude-opus-4-5-20251101", "claude-opus-4"),
            ("anthropic/claude-opus-4.8", "claude-opus-4-8"),
            ("us.anthropic.claude-sonnet-4-6-v1:0", "claude-sonnet-4-6"),
            ("Claude-Opus-4-6[1m]", "claude-opus-4-6"),
            ("gpt-5", "gpt-5"),
            ("gpt-5-mini", "gpt-5"),
            ("openai/gpt-5.1-chat-latest", "gpt-5.1-chat"),
            ("gpt-4o-2024-11-20", "gpt-4o"),
            ("models/gemini-2.5-pro", "gemini-2.5"),
            ("o3-pro", "o3"),
        ] {
            assert_eq!(name(given), Ok(expected), "{given}");
        }
    }

    #[test]
    fn what_is_in_no_row_is_not_guessed() {
        let near = name("gpt-6").unwrap_err();
        assert!(near.contains("unknown model `gpt-6`: did you mean `gpt-"));
        assert!(name("gpt-45").is_err() && name("o35").is_err());
        assert!(name("llama").unwrap_err().contains("known are claude-3, "));
    }

    #[test]
    fn the_documents_have_every_row() {
        let document = include_str!("../docs/models.md");
        for row in ROWS {
            let window = crate::show::grouped(row.window);
            let line = format!("| `{}` | `{}` | {window} |", row.name, row.tokenizer);
            assert!(document.contains(&line), "{line}");
        }
    }
}
