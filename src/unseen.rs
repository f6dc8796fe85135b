//! Characters that a model reads and a person does not see.
//!
//! What is known to carry hidden instructions is told apart from what is merely not seen:
//! tags, which spell a second text in letters without a form; marks that turn the direction
//! of text, so that it reads otherwise than it is; and variation selectors behind what they
//! give no other form, such as one another, of which each stands for a byte. Flags of regions are made of tags, and are none
//! of this.

use std::ops::Range;

use crate::show::{is_direction, is_formed, is_hidden, is_joiner, is_selector};

/// The sign before the tags of a flag, and the tag that ends them.
const FLAG: char = '\u{1f3f4}';
const FLAG_END: char = '\u{e007f}';

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
    if text.is_ascii() {
        return unseen;
    }
    for (at, line) in text.split('\n').enumerate().filter(|(_, l)| !l.is_ascii()) {
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
