//! Looks for secrets in everything that a builder returns.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};

use crate::secrets::{find, masked};
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};

/// The most names that are reported one by one; more are counted.
const MAX_TOLD: usize = 10;

/// Texts that were searched where it is known what they are.
#[derive(Default)]
pub(super) struct Searched {
    texts: HashSet<u64>,
    key: RandomState,
}

impl Searched {
    /// Records that a text was searched. Returns whether it is new.
    pub(super) fn add(&mut self, text: &str) -> bool {
        self.texts.insert(self.key.hash_one(text))
    }

    /// Searches what else is written of these data: names, codes, labels, and whatever a builder
    /// may add later.
    pub(super) fn rest(self, data: &impl Serialize) -> Vec<Note> {
        let mut rest = Unsearched {
            searched: self,
            text: String::new(),
            notes: Vec::new(),
            more: 0,
        };
        let mut writer = Serializer::with_formatter(io::sink(), &mut rest);
        // Who writes it will say what cannot be written.
        let _ = data.serialize(&mut writer);
        if rest.more > 0 {
            let message = format!("{} look like secrets", counted(rest.more, "more name"));
            rest.notes.push(Note::new(NoteKind::Secret, message));
        }
        rest.notes
    }
}

/// Collects each text that is written, wherever it is.
struct Unsearched {
    searched: Searched,
    text: String,
    notes: Vec<Note>,
    more: usize,
}

impl Unsearched {
    fn search(&mut self) {
        if !self.searched.add(&self.text) {
            return;
        }
        let Some(secret) = find(&self.text).into_iter().next() else {
            return;
        };
        if self.notes.len() == MAX_TOLD {
            self.more += 1;
            return;
        }
        let shown = masked(std::mem::take(&mut self.text));
        let (shown, kind) = (quoted(&shown), secret.kind);
        let message = format!("`{shown}` in the result looks like a secret: {kind}");
        self.notes.push(Note::new(NoteKind::Secret, message));
    }
}

impl Formatter for &mut Unsearched {
    fn begin_string<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.text.clear();
        Ok(())
    }

    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        _: &mut W,
        text: &str,
    ) -> io::Result<()> {
        self.text.push_str(text);
        Ok(())
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        _: &mut W,
        letter: CharEscape,
    ) -> io::Result<()> {
        self.text.push(match letter {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.search();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_text_is_searched_once_wherever_it_stands() {
        let token = ["ghp_", "x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u"].concat();
        let (key, text) = (format!("d/{token}.py"), format!("a\n\"{token}\""));
        let data = json!({ key.as_str(): [text, key], "b": text });
        let told = |searched: Searched| {
            let notes = searched.rest(&data).into_iter().map(|note| note.message);
            notes.collect::<Vec<_>>()
        };
        let of_name = "`d/[GitHub token].py` in the result looks like a secret: GitHub token";
        let of_text = "`a\\n\"[GitHub token]\"` in the result looks like a secret: GitHub token";
        let mut all = told(Searched::default());
        all.sort();
        assert_eq!(all, [of_text, of_name]);
        let mut searched = Searched::default();
        searched.add(&text);
        assert_eq!(told(searched), [of_name]);
        let many: Vec<String> = (0..20).map(|n| format!("{n}/{token}")).collect();
        assert_eq!(Searched::default().rest(&many).len(), MAX_TOLD + 1);
    }
}
