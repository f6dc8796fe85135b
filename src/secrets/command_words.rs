//! How a command is read: its words, and which of them may be a password.

use std::ops::Range;

use memchr::memchr2;

use super::letters::{ahead, letters_of};
use super::values::is_password;
use crate::split::{beginning, place_in};

/// A word of a command, if it is a password and no option.
pub(super) fn given(text: &str, start: usize, word: Option<&str>) -> Option<Range<usize>> {
    let word = opened(word?);
    let length = command_word(word)?;
    let is_whole = word[length..].is_empty() || word[length..].starts_with(CLOSING);
    let is_place = word.starts_with(['/', '.', '~', '\\']) || word.contains("://");
    let at = place_in(text, word);
    (is_whole && !is_place).then_some(start..at + length)
}

/// Whether a word may be a path, where those stand beside passwords.
pub(super) fn is_path(word: &str) -> bool {
    let word = opened(word);
    let word = &word[..command_word(word).unwrap_or_default()];
    word.contains(['/', '\\']) && !word.ends_with('=')
}

/// The words of the command that begins at `end` or before it.
pub(super) fn words(text: &str, end: usize) -> Words<'_> {
    Words(command(ahead(text, end)))
}

/// The first of these words, where the one that is looked for may be any of them.
pub(super) fn first_words(text: &str, end: usize) -> impl Iterator<Item = &str> {
    const MOST: usize = 12;
    words(text, end).take(MOST)
}

/// What stands behind a word and is none of it: quotes, the end of a line that is written out,
/// a tag.
pub(super) const CLOSING: [char; 6] = ['"', '\'', '`', '\\', '<', '&'];

/// What is longer is no word of a command, in bytes.
const MAX_WORD: usize = 512;

/// The words of a command; what stands between quotes is one.
pub(super) struct Words<'a>(pub(super) &'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        const BLANKS: [char; 5] = [' ', '\t', '\r', '\n', '\u{1b}'];
        let rest = self.0.trim_start_matches(BLANKS);
        if rest.is_empty() {
            return None;
        }
        let written = rest.strip_prefix('\\');
        let written = written.filter(|rest| rest.starts_with(['"', '\'']));
        let rest = written.unwrap_or(rest);
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (word, behind) = match quote {
            Some(quote) => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
            None => {
                let word = beginning(rest, MAX_WORD);
                rest.split_at(word.find(BLANKS).unwrap_or(word.len()))
            }
        };
        self.0 = behind;
        Some(word)
    }
}

/// What stands behind an option of a command.
pub(super) fn behind<'a>(line: &'a str, option: &str) -> Option<&'a str> {
    let is_word = |at: usize| at == 0 || line[..at].ends_with([' ', '\t', '\n']);
    let mut places = line.match_indices(option);
    let (at, _) = places.find(|(at, _)| is_word(*at))?;
    Some(&line[at + option.len()..])
}

/// The rest of a command, with the lines on which it goes on.
pub(super) fn command(text: &str) -> &str {
    let mut ends = text.match_indices('\n').map(|(end, _)| end);
    let end = ends.find(|end| !text[..*end].trim_end_matches('\r').ends_with('\\'));
    &text[..end.unwrap_or(text.len())]
}

/// How long the password is with which a part of a command begins.
pub(super) fn command_word(value: &str) -> Option<usize> {
    let length = letters_of(value, 0, 128, |b| {
        b.is_ascii_graphic() && !b"\"'`".contains(&b)
    });
    let ends = ["\\n", "\\r", "\\t", "&quot;", "&#"];
    let may_end = memchr2(b'\\', b'&', &value.as_bytes()[..length]).is_some();
    let ends = ends.iter().filter(|_| may_end);
    let end = ends.filter_map(|it| value[..length].find(it)).min();
    let whole = value[..end.unwrap_or(length)].trim_end_matches('\\');
    let tag = whole.find('<').filter(|at| {
        let next = whole.as_bytes().get(at + 1);
        next.is_none_or(|b| *b == b'/' || b.is_ascii_alphabetic())
    });
    let is_given =
        |password: &&str| !password.starts_with(['$', '<', '{', '%', '-']) && is_password(password);
    // A tag may follow, or the sign is one of the password's.
    let before_tag = Some(&whole[..tag.unwrap_or(whole.len())]).filter(is_given);
    let given = before_tag.or_else(|| tag.map(|_| whole).filter(is_given));
    given.map(str::len)
}

/// A value without what opens it: quotes, also where they are written out, as in JSON and in
/// documents.
pub(super) fn opened(value: &str) -> &str {
    let value = value.trim_start_matches([' ', '"', '\'', '\\']);
    let mut written = ["&quot;", "&#34;", "&#39;", "&#x27;"].iter();
    let bare = written.find_map(|it| value.strip_prefix(it));
    bare.unwrap_or(value)
}
