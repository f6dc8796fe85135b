//! Characters that a model reads and a person does not see.
//!
//! What is known to carry hidden instructions is told apart from what is merely not seen:
//! tags, which spell a second text in letters without a form; marks that turn the direction
//! of text, so that it reads otherwise than it is; a terminal's sequence that conceals what
//! follows; and variation selectors behind what they give no other form, such as one another,
//! of which each stands for a byte. Flags of regions are made of tags, and are none
//! of this.

use std::ops::Range;

use memchr::memchr3;

use crate::show::{is_direction, is_formed, is_hidden, is_joiner, is_selector};

/// The sign before the tags of a flag, and the tag that ends them.
const FLAG: char = '\u{1f3f4}';
const FLAG_END: char = '\u{e007f}';

/// What terminals act on in place of showing it.
const CONTROLS: [char; 3] = ['\u{8}', ESCAPE, '\u{7f}'];
const ESCAPE: char = '\u{1b}';

/// An escape and a bracket in one.
const SEQUENCE: char = '\u{9b}';

/// The most tags of a flag, the last one too.
const MAX_FLAG: usize = 7;

/// What does not show in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unseen {
    /// How many characters can hide instructions.
    pub suspects: usize,
    /// The first of them, with its line from 1.
    pub first: Option<(char, usize)>,
    /// How many others do not show, but for those that join and form what does.
    pub others: usize,
}

/// Looks for them in a text, or in those of its lines (from 0) that are shown, in order.
pub fn find(text: &str, shown: Option<&[Range<usize>]>) -> Unseen {
    let mut unseen = Unseen::default();
    let is_plain = |text: &str| {
        let [back, escape, delete] = CONTROLS.map(|letter| letter as u8);
        text.is_ascii() && memchr3(back, escape, delete, text.as_bytes()).is_none()
    };
    if is_plain(text) {
        return unseen;
    }
    for (at, line) in text.split('\n').enumerate().filter(|(_, l)| !is_plain(l)) {
        let is_shown = |shown: &[Range<usize>]| {
            let place = shown.partition_point(|lines| lines.end <= at);
            shown.get(place).is_some_and(|lines| lines.contains(&at))
        };
        if shown.is_none_or(is_shown) {
            unseen.add(line, at + 1);
        }
    }
    unseen
}

impl Unseen {
    fn add(&mut self, line: &str, number: usize) {
        let mut before = ' ';
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            if letter == FLAG {
                letters = behind_flag(letters);
            } else if begins_sequence(letter, &mut letters) && conceals(letters.as_str()) {
                self.suspects += 1;
                self.first.get_or_insert((letter, number));
            } else if CONTROLS.contains(&letter) {
                self.others += 1;
            } else if !letter.is_ascii() && is_hidden(letter) {
                self.count(letter, before, number);
            }
            before = letter;
        }
    }

    fn count(&mut self, letter: char, before: char, line: usize) {
        let is_suspect = is_tag(letter)
            || is_direction(letter)
            || is_selector(letter) && !is_formed(before, letter);
        if is_suspect {
            self.suspects += 1;
            self.first.get_or_insert((letter, line));
        } else if !is_selector(letter) && (!is_joiner(letter) || is_hidden(before)) {
            self.others += 1;
        }
    }
}

/// Whether a letter begins a sequence of attributes, with what is behind it, which is taken.
fn begins_sequence(letter: char, letters: &mut std::str::Chars<'_>) -> bool {
    let behind = letters.as_str().strip_prefix('[');
    if let Some(behind) = behind.filter(|_| letter == ESCAPE) {
        *letters = behind.chars();
    }
    letter == SEQUENCE || letter == ESCAPE && behind.is_some()
}

/// Whether a sequence of attributes has a terminal conceal what follows: `8m`.
fn conceals(behind: &str) -> bool {
    let end = |c: char| !c.is_ascii_digit() && c != ';' && c != ':';
    let values = behind.split(end).next().unwrap_or_default();
    behind[values.len()..].starts_with('m') && is_concealing(values)
}

/// Whether one of the attributes of a text, by their numbers, is that it is concealed.
fn is_concealing(values: &str) -> bool {
    // What is behind a colon says more of the same attribute.
    let mut values = values.split(';').map(|value| value.split(':').next());
    while let Some(value) = values.next() {
        match value.unwrap_or_default().trim_start_matches('0') {
            "8" => return true,
            // What follows is a colour.
            "38" | "48" | "58" => {
                let more = match values.next() {
                    Some(Some("5")) => 1,
                    Some(Some("2")) => 3,
                    _ => 0,
                };
                values.by_ref().take(more).for_each(drop);
            }
            _ => {}
        }
    }
    false
}

/// The letters of a language tag, which spell a text that is not drawn.
fn is_tag(letter: char) -> bool {
    matches!(letter, '\u{e0000}'..='\u{e007f}')
}

/// What comes behind the tags of a flag, if these are some.
fn behind_flag(letters: std::str::Chars<'_>) -> std::str::Chars<'_> {
    let mut behind = letters.clone();
    for letter in behind.by_ref().take(MAX_FLAG) {
        match letter {
            FLAG_END => return behind,
            tag if is_tag(tag) => {}
            _ => break,
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_hide_instructions_is_told_from_what_is_not_seen() {
        let found = |text: &str| {
            let Unseen {
                suspects,
                first,
                others,
            } = find(text, None);
            (suspects, first.map(|(_, line)| line), others)
        };
        assert_eq!(found("plain ❤\u{fe0f} 👩\u{200d}💻 größe"), (0, None, 0));
        assert_eq!(found("a\n\u{e0049}\u{e0067}n"), (2, Some(2), 0));
        assert_eq!(found("if x \u{202e}{ return"), (1, Some(1), 0));
        assert_eq!(found("😀\u{e0100}\u{e0101}\u{e0102}"), (3, Some(1), 0));
        assert_eq!(found("a\u{fe00}b\u{fe01} \u{fe02}"), (3, Some(1), 0));
        assert_eq!(found("❤\u{200d}\u{fe0f}\u{200d}\u{fe01}"), (2, Some(1), 1));
        assert_eq!(
            found("1\u{fe0f}\u{20e3} 葛\u{e0100} ᠭ\u{180b}"),
            (0, None, 0)
        );
        assert_eq!(found("a\u{200b}b\u{ad}c\u{200d}\u{200d}"), (0, None, 3));
        assert_eq!(found("a\nb \u{1b}[8mhidden\u{1b}[0m"), (1, Some(2), 1));
        assert_eq!(found("\u{1b}[1;8mx\u{8}\u{7f}"), (1, Some(1), 2));
        assert_eq!(
            found("\u{1b}[08mx \u{1b}[4:3;8mx \u{9b}8mx"),
            (3, Some(1), 0)
        );
        assert_eq!(found("\u{1b}[38;5;8mx \u{1b}[31mred\u{1b}["), (0, None, 3));
        let england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        assert_eq!(found(england), (0, None, 0));
        assert_eq!(found(&format!("{england}\u{e0041}")), (1, Some(1), 0));
        let long = format!("\u{1f3f4}{}", "\u{e0041}".repeat(20));
        assert_eq!(found(&long), (20, Some(1), 0));
    }

    #[test]
    fn only_lines_that_are_shown_count() {
        let text = "a\n\u{202e}\nb\n\u{e0041}";
        assert_eq!(find(text, Some(&[0..1, 2..3])), Unseen::default());
        assert_eq!(
            find(text, Some(&[0..1, 3..4])).first,
            Some(('\u{e0041}', 4))
        );
    }
}
