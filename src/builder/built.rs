//! What a builder returns: its data, which can be cut, and the figures of what was cut.

use std::ops::Deref;

use serde::Serialize;

use crate::budget::{self, Cut, MIN_SECTION_TOKENS, Marked, Original, fit_with};
use crate::metadata::{Extent, Metadata};
use crate::section::Note;
use crate::tokens::Counter;
use crate::truncate::KeptLines;

/// What a builder gathered, with an account of it.
///
/// It serialises to the keys of its data and `_metadata`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Built<T> {
    /// The data.
    #[serde(flatten)]
    pub data: T,
    /// What was cut and what is missing.
    #[serde(rename = "_metadata")]
    pub metadata: Metadata,
    /// What the caller should know.
    #[serde(skip)]
    pub warnings: Vec<Note>,
    #[serde(skip)]
    pub(super) texts: Vec<Text>,
}

impl<T> Deref for Built<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.data
    }
}

/// Data whose texts can be cut.
pub trait Texts {
    /// Returns the texts, in the order in which they were gathered.
    fn texts(&mut self) -> Vec<&mut String>;
}

impl<T: Texts> Built<T> {
    /// Fits the texts into a budget in proportion to their size, as
    /// [`fit_to_budget`](crate::shorten::fit_to_budget) does. Names, figures and commits are not
    /// texts.
    ///
    /// Of a file with errors or changes, as many lines around them stay as fit, and the beginning of
    /// one more; of any other text, the first ones.
    pub fn fit(mut self, budget: usize, tokenizer: Counter) -> Built<T> {
        let mut own = self.data.texts();
        let texts: Vec<&str> = own.iter().map(|text| text.as_str()).collect();
        let about = &self.texts;
        let fitted = fit_with(
            &texts,
            budget,
            MIN_SECTION_TOKENS,
            tokenizer,
            |index, tokens| about[index].cut(texts[index], tokens, tokenizer),
        );
        for (index, fitted) in fitted.into_iter().enumerate() {
            if let Some((text, shorter)) = fitted {
                self.texts[index].take(&text, shorter);
                *own[index] = text;
            }
        }
        self.metadata.update(&self.texts);
        self
    }
}

/// What is left of a text.
enum Shorter {
    /// Some lines of it.
    Lines(KeptLines),
    /// Its beginning.
    Beginning(Cut),
}

impl Marked for Shorter {
    fn is_marked(&self) -> bool {
        match self {
            Shorter::Lines(_) => true,
            Shorter::Beginning(cut) => cut.marked,
        }
    }
}

/// What is known of a text.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) extent: Extent,
    pub(super) shown: Shown,
    /// The last line of the whole text.
    pub(super) last: String,
}

/// How the written text relates to the whole.
#[derive(Debug, Clone)]
pub(super) enum Shown {
    /// These lines of it, with remarks on what is left out.
    Lines(KeptLines),
    /// This many bytes of its beginning, followed by a remark.
    Beginning(usize),
}

impl Text {
    /// Cuts the written text to at most `tokens`.
    fn cut(&self, written: &str, tokens: usize, tokenizer: Counter) -> (String, Shorter) {
        let (foremost, has_asked) = match &self.shown {
            Shown::Beginning(bytes) => (&written[..*bytes], false),
            Shown::Lines(kept) => {
                let fits =
                    |fewer: &KeptLines| tokenizer.count(&kept.rewrite(written, fewer)) <= tokens;
                if let Some(fewer) = kept.narrowed(fits) {
                    let fewer = kept.with_part(written, fewer, fits);
                    return (kept.rewrite(written, &fewer), Shorter::Lines(fewer));
                }
                (kept.foremost(written), kept.has_asked())
            }
        };
        let original = Original {
            text: foremost,
            lines: self.extent.original_lines,
            chars: self.extent.original_chars,
            last: Some(self.last.as_str()).filter(|_| !has_asked),
        };
        let (text, cut) = budget::cut(&original, tokens, tokenizer);
        (text, Shorter::Beginning(cut))
    }

    /// Records that only this is left of the text as it was written.
    fn take(&mut self, text: &str, shorter: Shorter) {
        match shorter {
            Shorter::Lines(kept) => {
                self.extent.kept_lines = kept.count();
                self.extent.kept_chars = kept.chars(text);
                self.shown = Shown::Lines(kept);
            }
            Shorter::Beginning(cut) => {
                self.extent.kept_lines = cut.lines();
                self.extent.kept_chars = cut.chars;
                self.extent.line_cut = true;
                self.shown = Shown::Beginning(cut.first_bytes);
            }
        }
    }
}

impl Metadata {
    /// Counts again, after texts were cut.
    pub(super) fn update(&mut self, texts: &[Text]) {
        let extents: Vec<Extent> = texts.iter().map(|text| text.extent.clone()).collect();
        *self = Metadata {
            skipped_binary: std::mem::take(&mut self.skipped_binary),
            missing: std::mem::take(&mut self.missing),
            ..Metadata::of(&extents)
        };
    }
}
