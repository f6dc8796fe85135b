//! How many tokens a text has.

mod calibrated;
#[cfg(feature = "exact-tokens")]
mod exact;
mod weights;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::choice::choices;
use crate::error::{Error, ErrorKind};

choices! {
    /// A way to count tokens, by name. A role or a request may name one that this build lacks. Its
    /// [`Counter`] does the counting.
    ///
    /// The exact ones come with the feature `exact-tokens`.
    #[cfg_attr(feature = "cli", schemars(description = "How tokens are counted."))]
    pub enum Tokenizer {
        /// Characters ÷ 4, rounded up for a whole text.
        Chars = "chars",
        /// Close to `o200k`, by what pairs of characters usually cost there; as fast as `chars`.
        Calibrated = "calibrated",
        /// Close to the tokens of Claude since Opus 4.7, by the same method.
        Claude = "claude",
        /// Close to the tokens of Claude 3 to 4.6.
        Claude3 = "claude-3",
        /// Close to the tokens of Gemini 2 and 3.
        Gemini = "gemini",
        /// OpenAI's `o200k_base` vocabulary, exact.
        O200k = "o200k",
        /// OpenAI's `cl100k_base` vocabulary, exact.
        Cl100k = "cl100k",
    }
}

/// Counts tokens, with a [`Tokenizer`] that this build has.
///
/// Room is measured in *units*, so that pieces can be priced one by one without rounding. A unit of
/// [`Chars`](Counter::Chars) is a character (a Unicode scalar value), and four of them are a token.
/// A unit of [`Estimate`](Counter::Estimate) is a thousandth of a token. A unit of the exact
/// tokenizers is a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Tokenizer", into = "Tokenizer")]
#[non_exhaustive]
pub enum Counter {
    /// With [`Tokenizer::Chars`].
    #[default]
    Chars,
    /// With what pairs of characters usually cost in a vocabulary.
    Estimate(Vocabulary),
    /// With [`Tokenizer::O200k`].
    #[cfg(feature = "exact-tokens")]
    O200k,
    /// With [`Tokenizer::Cl100k`].
    #[cfg(feature = "exact-tokens")]
    Cl100k,
}

/// The vocabularies that are estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Vocabulary {
    /// For [`Tokenizer::Calibrated`].
    O200k,
    /// For [`Tokenizer::Claude`].
    Claude,
    /// For [`Tokenizer::Claude3`].
    Claude3,
    /// For [`Tokenizer::Gemini`].
    Gemini,
}

impl Vocabulary {
    fn prices(self) -> &'static weights::Units {
        match self {
            Vocabulary::O200k => &weights::O200K,
            Vocabulary::Claude => &weights::CLAUDE,
            Vocabulary::Claude3 => &weights::CLAUDE_3,
            Vocabulary::Gemini => &weights::GEMINI,
        }
    }

    fn tokenizer(self) -> Tokenizer {
        match self {
            Vocabulary::O200k => Tokenizer::Calibrated,
            Vocabulary::Claude => Tokenizer::Claude,
            Vocabulary::Claude3 => Tokenizer::Claude3,
            Vocabulary::Gemini => Tokenizer::Gemini,
        }
    }
}

/// The bytes of the longest token in either vocabulary, which is white space.
#[cfg(feature = "exact-tokens")]
const LONGEST_TOKEN: usize = 128;

/// Characters that count as one token.
const CHARS_PER_TOKEN: usize = 4;

/// What to do if an exact tokenizer is asked for and missing.
const INSTEAD: &str =
    "build packer with `--features exact-tokens`, or use `calibrated`, which is close to `o200k`";

impl Tokenizer {
    /// Whether this build has it.
    pub fn is_available(self) -> bool {
        self.built_in().is_some()
    }

    /// Returns the counter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] if this build lacks it.
    pub fn counter(self) -> Result<Counter, Error> {
        self.counter_of("the caller")
    }

    /// Returns the counter, or an error that says who asked for a tokenizer that this build lacks.
    pub(crate) fn counter_of(self, whose: &str) -> Result<Counter, Error> {
        self.built_in().ok_or_else(|| {
            let message = format!("this build lacks `{self}`, the tokenizer of {whose}");
            Error::advise(ErrorKind::Request, message, INSTEAD)
        })
    }

    /// Returns this tokenizer, or what to do if this build lacks it.
    pub(crate) fn or_instead(self) -> Result<Self, String> {
        let lacking = || format!("this build lacks it; {INSTEAD}");
        self.built_in().map(|_| self).ok_or_else(lacking)
    }

    #[cfg_attr(
        feature = "exact-tokens",
        expect(
            clippy::unnecessary_wraps,
            reason = "builds without vocabularies lack some"
        )
    )]
    fn built_in(self) -> Option<Counter> {
        match self {
            Tokenizer::Chars => Some(Counter::Chars),
            Tokenizer::Calibrated => Some(Counter::Estimate(Vocabulary::O200k)),
            Tokenizer::Claude => Some(Counter::Estimate(Vocabulary::Claude)),
            Tokenizer::Claude3 => Some(Counter::Estimate(Vocabulary::Claude3)),
            Tokenizer::Gemini => Some(Counter::Estimate(Vocabulary::Gemini)),
            #[cfg(feature = "exact-tokens")]
            Tokenizer::O200k => Some(Counter::O200k),
            #[cfg(feature = "exact-tokens")]
            Tokenizer::Cl100k => Some(Counter::Cl100k),
            #[cfg(not(feature = "exact-tokens"))]
            Tokenizer::O200k | Tokenizer::Cl100k => None,
        }
    }
}

impl Counter {
    /// Returns the name of what it counts with.
    pub fn tokenizer(self) -> Tokenizer {
        match self {
            Counter::Chars => Tokenizer::Chars,
            Counter::Estimate(vocabulary) => vocabulary.tokenizer(),
            #[cfg(feature = "exact-tokens")]
            Counter::O200k => Tokenizer::O200k,
            #[cfg(feature = "exact-tokens")]
            Counter::Cl100k => Tokenizer::Cl100k,
        }
    }

    /// Returns the tokens of a whole text.
    pub fn count(self, text: &str) -> usize {
        self.tokens(self.units(text))
    }

    /// Returns the units of a text.
    pub fn units(self, text: &str) -> usize {
        match self {
            Counter::Chars => text.chars().count(),
            Counter::Estimate(vocabulary) => calibrated::units(vocabulary.prices(), text),
            #[cfg(feature = "exact-tokens")]
            Counter::O200k => exact::O200K.count(text),
            #[cfg(feature = "exact-tokens")]
            Counter::Cl100k => exact::CL100K.count(text),
        }
    }

    /// Whether a text has as many units as its parts have together.
    pub(crate) fn is_additive(self) -> bool {
        match self {
            Counter::Chars | Counter::Estimate(_) => true,
            #[cfg(feature = "exact-tokens")]
            Counter::O200k | Counter::Cl100k => false,
        }
    }

    /// Returns the fewest units that a text of this many bytes has.
    pub(crate) fn least(self, bytes: usize) -> usize {
        match self {
            // A character has at most four bytes.
            Counter::Chars => bytes.div_ceil(4),
            Counter::Estimate(_) => 0,
            #[cfg(feature = "exact-tokens")]
            Counter::O200k | Counter::Cl100k => bytes.div_ceil(LONGEST_TOKEN),
        }
    }

    /// Returns the units that fit into this many tokens.
    pub fn room(self, tokens: usize) -> usize {
        match self {
            Counter::Chars => tokens.saturating_mul(CHARS_PER_TOKEN),
            Counter::Estimate(_) => tokens.saturating_mul(weights::UNITS_PER_TOKEN),
            #[cfg(feature = "exact-tokens")]
            Counter::O200k | Counter::Cl100k => tokens,
        }
    }

    /// Returns the tokens that this many units make, rounded up.
    pub fn tokens(self, units: usize) -> usize {
        match self {
            Counter::Chars => units.div_ceil(CHARS_PER_TOKEN),
            Counter::Estimate(_) => units.div_ceil(weights::UNITS_PER_TOKEN),
            #[cfg(feature = "exact-tokens")]
            Counter::O200k | Counter::Cl100k => units,
        }
    }

    /// Returns the longest beginning of `text` that has at most `units` units and ends at a
    /// character.
    pub fn cut(self, text: &str, units: usize) -> &str {
        let end = match self {
            Counter::Chars => text.char_indices().nth(units).map(|(at, _)| at),
            Counter::Estimate(vocabulary) => {
                Some(calibrated::cut(vocabulary.prices(), text, units))
            }
            #[cfg(feature = "exact-tokens")]
            Counter::O200k => Some(exact::O200K.cut(text, units)),
            #[cfg(feature = "exact-tokens")]
            Counter::Cl100k => Some(exact::CL100K.cut(text, units)),
        };
        &text[..end.unwrap_or(text.len())]
    }

    /// Cuts `text` to at most `units` units and ends it with `marker` on a line of its own, within
    /// the limit.
    ///
    /// A text that fits comes back unchanged. If not even the marker fits, the part of the text
    /// that fits comes back without it.
    pub fn cut_and_mark(self, text: &str, units: usize, marker: &str) -> String {
        if self.units(text) <= units {
            return text.to_owned();
        }
        let tail = format!("\n{marker}");
        let mut room = units.saturating_sub(self.units(&tail));
        while room > 0 {
            let cut = format!("{}{tail}", self.cut(text, room));
            let over = self.units(&cut).saturating_sub(units);
            if over == 0 {
                return cut;
            }
            // The seam may cost more than its sides.
            room = room.saturating_sub(over);
        }
        if self.units(marker) <= units {
            return marker.to_owned();
        }
        self.cut(text, units).to_owned()
    }
}

/// Estimates the tokens of a text: characters ÷ 4, rounded down.
pub fn estimate_tokens(text: &str) -> usize {
    text.chars().count() / CHARS_PER_TOKEN
}

impl TryFrom<Tokenizer> for Counter {
    type Error = Error;

    fn try_from(tokenizer: Tokenizer) -> Result<Counter, Error> {
        tokenizer.counter()
    }
}

impl From<Counter> for Tokenizer {
    fn from(counter: Counter) -> Tokenizer {
        counter.tokenizer()
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokenizer().fmt(f)
    }
}

impl fmt::Display for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tokenizer {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let named = Tokenizer::ALL.iter().find(|one| one.name() == name);
        let Some(&tokenizer) = named else {
            return Err(format!("one of {}", Tokenizer::NAMES.join(", ")));
        };
        tokenizer.or_instead()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn characters_are_rounded_up_for_a_whole_text() {
        assert_eq!(Counter::Chars.count(""), 0);
        assert_eq!(Counter::Chars.count("größe"), 2);
    }

    #[test]
    fn no_text_costs_less_than_the_least() {
        let runs = (0..128u8).map(|letter| char::from(letter).to_string().repeat(2000));
        let mixed = ["\u{1F600}", "    \n", "----", "====\n"].map(|part| part.repeat(500));
        for text in runs.chain(mixed) {
            // Some builds cannot count by all of them.
            for tokenizer in Tokenizer::ALL.iter().filter_map(|one| one.built_in()) {
                assert!(
                    tokenizer.units(&text) >= tokenizer.least(text.len()),
                    "{text:.20?}"
                );
            }
        }
    }

    #[cfg(feature = "exact-tokens")]
    #[test]
    fn exact_counts_are_those_of_the_published_vocabularies() {
        assert_eq!(Counter::Cl100k.count("hello world"), 2);
        assert_eq!(Counter::O200k.count("tiktoken is great!"), 6);
    }

    #[cfg(feature = "exact-tokens")]
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
    fn the_calibrated_count_is_near_the_exact_one() {
        let sources = [
            include_str!("mod.rs"),
            include_str!("../repo/walk.rs"),
            include_str!("../../docs/architecture.md"),
            include_str!("../../roles/implementer.yaml"),
        ];
        for text in sources {
            let calibrated = Counter::Estimate(Vocabulary::O200k).count(text) as f64;
            let exact = Counter::O200k.count(text) as f64;
            assert!(
                (calibrated / exact - 1.0).abs() < 0.12,
                "{calibrated} {exact}"
            );
        }
    }

    /// Claude's newer vocabulary makes about 30 % more tokens of a text than the one before,
    /// according to its maker.
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
    fn each_vocabulary_has_prices_of_its_own() {
        for text in [
            include_str!("mod.rs"),
            include_str!("../../docs/architecture.md"),
            include_str!("../../roles/implementer.yaml"),
        ] {
            let count = |of| Counter::Estimate(of).count(text) as f64;
            let least = count(Vocabulary::O200k);
            let (older, newer) = (count(Vocabulary::Claude3), count(Vocabulary::Claude));
            let gemini = count(Vocabulary::Gemini);
            for (share, from, to) in [
                (older / least, 1.05, 1.4),
                (newer / older, 1.15, 1.45),
                (gemini / least, 1.0, 1.3),
            ] {
                assert!((from..to).contains(&share), "{share} {from} {to}");
            }
        }
    }

    #[cfg(not(feature = "exact-tokens"))]
    #[test]
    fn what_this_build_cannot_count_by_is_an_error_that_says_what_to_do() {
        let error = Tokenizer::O200k.counter_of("the role `a`").unwrap_err();
        assert_eq!(
            error.to_string(),
            "this build lacks `o200k`, the tokenizer of the role `a`"
        );
        assert_eq!(error.help(), Some(INSTEAD));
        assert!("cl100k".parse::<Tokenizer>().unwrap_err().contains(INSTEAD));
        assert_eq!("calibrated".parse(), Ok(Tokenizer::Calibrated));
    }

    #[test]
    fn no_text_is_free() {
        for text in [" ", "\n", "\0", "é", "語", "🦀", "¬"] {
            let long = text.repeat(1000);
            let all = Tokenizer::ALL.iter().filter_map(|one| one.built_in());
            for counter in all.filter(|one| matches!(one, Counter::Estimate(_))) {
                assert!(
                    counter.count(&long) >= long.len() / 50,
                    "{text:?} {counter:?}"
                );
            }
        }
    }

    #[test]
    fn a_cut_ends_at_a_character() {
        assert_eq!(Counter::Chars.cut("größe", 3), "grö");
        let cutting = Tokenizer::ALL
            .iter()
            .filter(|one| **one != Tokenizer::Chars);
        for tokenizer in cutting.filter_map(|one| one.built_in()) {
            let text = "日本語のテキスト 🦀🦀🦀";
            for units in 0..20 {
                let cut = tokenizer.cut(text, units);
                assert!(text.starts_with(cut));
                assert!(tokenizer.units(cut) <= units);
            }
        }
    }

    proptest! {
        #[test]
        fn a_marked_cut_is_never_over_its_limit(text in "\\PC{0,200}", units in 0usize..80) {
            let tokenizers = [Tokenizer::Chars, Tokenizer::Calibrated, Tokenizer::O200k];
            for tokenizer in tokenizers.into_iter().filter_map(Tokenizer::built_in) {
                let cut = tokenizer.cut_and_mark(&text, units, "[cut]");
                prop_assert!(tokenizer.units(&cut) <= units);
                prop_assert!(tokenizer.units(&text) > units || cut == text);
            }
        }
    }
}
