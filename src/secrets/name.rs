//! A name that tells of a secret, and what stands around it.

use super::escapes::ends_written_out;
use super::letters::{before, dashed, dotted, line_before};

/// A name that tells of a secret: where what is known of it starts and ends.
#[derive(Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_password: bool,
}

impl Name<'_> {
    /// Where the word begins of which it is a part.
    pub(super) fn first(&self) -> usize {
        self.start - before(self.text, self.start, 48, dotted)
    }

    /// Whether it is that of a variable as `SOME_TOKEN=…` sets it, first on its line.
    pub(super) fn is_of_environment(&self) -> bool {
        let own = &self.text[self.first()..self.end];
        let is_capital = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
        let is_set = self.text[self.end..].starts_with('=');
        own.len() > self.end - self.start
            && own.bytes().all(is_capital)
            && is_set
            && starts_line(self)
    }

    /// Whether one of these stands in the word before it.
    pub(super) fn begins_with(&self, words: &[&str]) -> bool {
        let word = self.text[self.first()..self.end].to_ascii_lowercase();
        words.iter().any(|known| word.contains(known))
    }

    /// Whether what is known of it is one of these.
    pub(super) fn ends_with(&self, words: &[&str]) -> bool {
        let known = &self.text[self.start..self.end];
        words.iter().any(|word| known.eq_ignore_ascii_case(word))
    }
}

/// Whether a name ends here, and begins here or in the way of `dbPass`, `db_pass`.
pub(super) fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let first = bytes[start];
    let begins = start.checked_sub(1).is_none_or(|at| {
        !bytes[at].is_ascii_alphanumeric()
            || first.is_ascii_uppercase() && bytes[at].is_ascii_lowercase()
            || ends_written_out(&bytes[..start])
    });
    begins && !bytes.get(end).is_some_and(|b| dashed(*b))
}

/// Whether only a name stands before this on its line, as in a file of settings.
pub(super) fn starts_line(name: &Name<'_>) -> bool {
    line_before(name.text, name.start)
        .bytes()
        .all(|b| dotted(b) || b" \t+#/*\"".contains(&b))
}
