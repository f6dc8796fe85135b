//! Finds characters that a model reads and a person does not see.
//!
//! Characters known to carry hidden instructions are distinguished from those that are only
//! invisible. They are: tags, which spell a second text in letters without a shape; marks that
//! change the direction of text, so that it reads differently from what it is; terminal sequences
//! that conceal or swallow what follows; variation selectors after characters that they do not
//! change, such as other selectors, where each can stand for a byte; and any invisible characters,
//! if there are more of them in a row or on a line than anybody types, because two such characters
//! can spell a text in bits. Flags of regions are made of tags, and do not count.

use std::ops::Range;

use memchr::memchr3;

use crate::ranges::have;
use crate::show::{is_direction, is_formed, is_hidden, is_joiner, is_selector};
use crate::split;

/// The sign before the tags of a flag, and the tag that ends them.
const FLAG: char = '\u{1f3f4}';
const FLAG_END: char = '\u{e007f}';

/// The distance between a tag and the letter that it stands for.
const TAGS: u32 = 0xe0000;

/// What terminals act on instead of showing it.
const CONTROLS: [char; 3] = ['\u{8}', ESCAPE, '\u{7f}'];
const ESCAPE: char = '\u{1b}';

/// An escape and a bracket in one.
const SEQUENCE: char = '\u{9b}';

/// What begins, after an escape, a text that a terminal takes for itself: a command, a device's, an
/// application's, a private message, a string. Each is also one character, but that appears in
/// texts that were encoded twice.
const TAKEN: [char; 5] = [']', 'P', '_', '^', 'X'];

/// How many characters of such a text are looked at.
const OF_TAKEN: usize = 64;

/// The flags that are made of tags: those of England, Scotland and Wales.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// This many invisible characters in a row, or on one line, can spell something. On a line they
/// must also be a quarter of it, because some languages have them between words.
const MANY_IN_A_ROW: usize = 8;
const MANY_ON_A_LINE: usize = 16;

/// The invisible characters of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unseen {
    /// How many characters can hide instructions.
    pub suspects: usize,
    /// The first of them, with its line from 1.
    pub first: Option<(char, usize)>,
    /// How many others are invisible, except those that join or shape visible ones.
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
    let mut colours = Colours::default();
    let lines = split::lines(text).into_iter().enumerate();
    for (at, line) in lines.filter(|(_, line)| !is_plain(line)) {
        if shown.is_none_or(|shown| have(shown, at)) {
            unseen.add(line, at + 1, &mut colours);
        }
    }
    unseen
}

impl Unseen {
    fn add(&mut self, line: &str, number: usize, colours: &mut Colours) {
        let mut before = ' ';
        let mut letters = line.chars();
        let mut run = Run::default();
        while let Some(letter) = letters.next() {
            let is_unseen = !letter.is_ascii() && is_hidden(letter);
            run.take(is_unseen.then_some(letter));
            if letter == FLAG {
                letters = behind_flag(letters);
            } else if takes_in(letter, letters.as_str())
                || begins_sequence(letter, &mut letters) && colours.conceal(letters.as_str())
            {
                self.suspect(1, letter, number);
            } else if CONTROLS.contains(&letter) {
                self.others += 1;
            } else if is_unseen {
                run.others += self.count(letter, before, letters.as_str(), number);
            }
            before = letter;
        }
        if let Some(first) = run.first.filter(|_| run.is_much()) {
            self.suspect(run.others, first, number);
        } else {
            self.others += run.others;
        }
    }

    /// Counts a character as able to hide instructions. Returns 1 if it is only invisible.
    fn count(&mut self, letter: char, before: char, behind: &str, line: usize) -> usize {
        let is_suspect = is_tag(letter)
            || is_direction(letter)
            || is_selector(letter) && !is_formed(before, letter);
        if is_suspect {
            self.suspect(1, letter, line);
            return 0;
        }
        usize::from(!is_selector(letter) && (!is_joiner(letter) || !joins(before, behind)))
    }

    fn suspect(&mut self, count: usize, letter: char, line: usize) {
        if count > 0 {
            self.suspects += count;
            self.first.get_or_insert((letter, line));
        }
    }
}

/// The invisible characters on a line.
#[derive(Default)]
struct Run {
    /// The first of these characters.
    first: Option<char>,
    /// How many of them are in a row up to here.
    now: usize,
    /// The longest row of them.
    longest: usize,
    /// How many characters are visible.
    shown: usize,
    /// How many are only invisible.
    others: usize,
}

impl Run {
    /// Takes in the next character, if it is invisible.
    fn take(&mut self, unseen: Option<char>) {
        self.first = self.first.or(unseen);
        self.shown += usize::from(unseen.is_none());
        self.now = unseen.map_or(0, |_| self.now + 1);
        self.longest = self.longest.max(self.now);
    }

    /// Whether it is more than anybody types.
    fn is_much(&self) -> bool {
        let is_dense = self.others * 3 >= self.shown;
        self.longest >= MANY_IN_A_ROW || self.others >= MANY_ON_A_LINE && is_dense
    }
}

/// Whether there is something for a joiner to join, or to keep apart: ASCII letters have no other
/// forms.
fn joins(before: char, behind: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric();
    let is_of_letters = is_plain(before) && behind.starts_with(is_plain);
    !is_hidden(before) && !is_of_letters
}

/// Whether a terminal swallows what follows, up to an end marker, instead of showing it.
fn takes_in(letter: char, behind: &str) -> bool {
    let text = behind.strip_prefix(TAKEN).filter(|_| letter == ESCAPE);
    text.is_some_and(|text| {
        let ends = |letter: &char| ['\u{7}', ESCAPE, '\u{9c}'].contains(letter);
        let mut taken = text.chars().take(OF_TAKEN).take_while(|it| !ends(it));
        taken.any(char::is_alphabetic)
    })
}

/// Whether a letter begins an escape sequence; consumes the characters that belong to its
/// beginning.
fn begins_sequence(letter: char, letters: &mut std::str::Chars<'_>) -> bool {
    let behind = letters.as_str().strip_prefix('[');
    if let Some(behind) = behind.filter(|_| letter == ESCAPE) {
        *letters = behind.chars();
    }
    letter == SEQUENCE || letter == ESCAPE && behind.is_some()
}

/// What a sequence does, given what follows its bracket.
enum Sequence<'a> {
    /// Attributes of what follows: `30;40m`.
    Attributes(&'a str),
    /// Another screen, from which a terminal comes back to the one before: `?1049h`.
    Screen,
    Other,
}

impl Sequence<'_> {
    fn of(behind: &str) -> Sequence<'_> {
        let screens = behind.strip_prefix('?');
        let numbers = screens.unwrap_or(behind);
        let end = |c: char| !c.is_ascii_digit() && c != ';' && c != ':';
        let values = numbers.split(end).next().unwrap_or_default();
        let is_other = || values.split(';').any(|it| SCREENS.contains(&it));
        match numbers[values.len()..].chars().next() {
            Some('h') if screens.is_some() && is_other() => Sequence::Screen,
            Some('m') if screens.is_none() => Sequence::Attributes(values),
            _ => Sequence::Other,
        }
    }
}

const SCREENS: [&str; 3] = ["47", "1047", "1049"];

/// The current text and background colours of a terminal, which stay until they are changed.
#[derive(Default)]
struct Colours {
    front: Option<Colour>,
    back: Option<Colour>,
}

#[derive(Clone, Copy)]
enum Colour {
    /// One of a table.
    Numbered(u8),
    /// By its parts of red, green and blue.
    Mixed([u8; 3]),
}

impl Colours {
    /// Whether what follows a sequence is concealed.
    fn conceal(&mut self, behind: &str) -> bool {
        match Sequence::of(behind) {
            Sequence::Attributes(values) => {
                self.take(values) && holds_words(&behind[values.len() + 1..])
            }
            Sequence::Screen => true,
            Sequence::Other => false,
        }
    }

    /// Takes in the numbers of some attributes. Returns whether what follows is concealed, by one
    /// of them or because its colour is now that of its background.
    fn take(&mut self, values: &str) -> bool {
        let number = |value: &str| {
            value
                .parse()
                .unwrap_or(u8::from(!value.is_empty()) * u8::MAX)
        };
        let mut values = values.split(';');
        let mut is_told = false;
        while let Some(value) = values.next() {
            // What is behind a colon says more of the same attribute.
            let (kind, more) = value.split_once(':').unwrap_or((value, ""));
            let mut colour = || match more {
                "" => Colour::of(&mut values.by_ref().map(number)),
                more => Colour::of_parts(more.split(':').map(number).collect()),
            };
            match number(kind) {
                8 => return true,
                0 => *self = Colours::default(),
                38 => (self.front, is_told) = (colour(), true),
                48 => (self.back, is_told) = (colour(), true),
                58 => drop(colour()),
                39 => self.front = None,
                49 => self.back = None,
                kind => match (kind / 10, kind % 10) {
                    (3, of) => (self.front, is_told) = (Some(Colour::Numbered(of)), true),
                    (4, of) => (self.back, is_told) = (Some(Colour::Numbered(of)), true),
                    (9, of) => (self.front, is_told) = (Some(Colour::Numbered(8 + of)), true),
                    (10, of) => (self.back, is_told) = (Some(Colour::Numbered(8 + of)), true),
                    _ => {}
                },
            }
        }
        let both = self.front.zip(self.back);
        is_told && both.is_some_and(|(front, back)| front.is_like(back))
    }
}

/// Whether there may be words after a sequence before another one changes how text is shown: in a
/// picture every cell has its own colours, often the same for text and background.
fn holds_words(mut text: &str) -> bool {
    loop {
        let begins = |letter| letter == ESCAPE || letter == SEQUENCE;
        let Some(end) = text.find(begins) else {
            // What is concealed goes on in the next line.
            return true;
        };
        if text[..end].contains(char::is_alphanumeric) {
            return true;
        }
        let mut letters = text[end..].chars();
        let first = letters.next().unwrap_or(SEQUENCE);
        begins_sequence(first, &mut letters);
        text = letters.as_str();
        if let Sequence::Attributes(values) = Sequence::of(text) {
            let is_plain = |value: &str| matches!(value.parse(), Ok(1..=7 | 9 | 21..=27 | 29));
            if !values.split(';').all(is_plain) {
                return false;
            }
            text = &text[values.len() + 1..];
        }
    }
}

impl Colour {
    /// Returns the colour that the next numbers give, and takes no more than these: `5;0`,
    /// `2;255;255;255`.
    fn of(numbers: &mut impl Iterator<Item = u8>) -> Option<Colour> {
        match numbers.next()? {
            5 => numbers.next().map(Colour::Numbered),
            2 => {
                let mut next = || numbers.next();
                Some(Colour::Mixed([next()?, next()?, next()?]))
            }
            _ => None,
        }
    }

    /// Returns the colour that these numbers give, which may include a colour space.
    fn of_parts(numbers: Vec<u8>) -> Option<Colour> {
        match numbers[..] {
            [2, _, red, green, blue, ..] => Some(Colour::Mixed([red, green, blue])),
            _ => Colour::of(&mut numbers.into_iter()),
        }
    }

    /// Whether nobody can distinguish one from the other.
    fn is_like(self, other: Colour) -> bool {
        const NEAR: u8 = 16;
        match (self, other) {
            (Colour::Numbered(one), Colour::Numbered(other)) => one == other,
            (Colour::Mixed(one), Colour::Mixed(other)) => {
                let mut parts = one.iter().zip(other);
                parts.all(|(one, other)| one.abs_diff(other) <= NEAR)
            }
            _ => false,
        }
    }
}

/// Whether a character is a tag letter; tags spell a text that is not drawn.
fn is_tag(letter: char) -> bool {
    matches!(letter, '\u{e0000}'..='\u{e007f}')
}

/// Returns what follows the tags of a flag, if there are any.
fn behind_flag(letters: std::str::Chars<'_>) -> std::str::Chars<'_> {
    let mut behind = letters.clone();
    let tags = behind.by_ref().take_while(|letter| *letter != FLAG_END);
    let spelled = |tag: char| char::from_u32(u32::from(tag).wrapping_sub(TAGS));
    let name: Option<String> = tags.take(FLAGS[0].len() + 1).map(spelled).collect();
    match name {
        Some(name) if FLAGS.contains(&&*name) => behind,
        _ => letters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_picture_hide_no_words() {
        let suspects = |text: &str| find(text, None).suspects;
        let cell = "\u{1b}[38;2;1;2;3;48;2;4;5;6m▀";
        assert_eq!(suspects(&format!("{}\u{1b}[0m\n", cell.repeat(9))), 0);
        assert_eq!(suspects("\u{1b}[30;40m  \u{1b}[0m words\n"), 0);
        // What is only made bold, or goes on in the next line, is still not seen.
        for hidden in [
            "\u{1b}[30;40mx\u{1b}[0m\n",
            "\u{1b}[30;40m \u{1b}[1m words\u{1b}[0m\n",
            "\u{1b}[30;40m \u{1b}[2Kwords\n",
            "\u{1b}[8m\nwords\n",
        ] {
            assert_eq!(suspects(hidden), 1, "{hidden:?}");
        }
        let long = format!("{}\n", "\u{1b}[30;40m\u{1b}[1m".repeat(100_000));
        assert_eq!(suspects(&long), 1);
    }

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
        assert_eq!(
            found("\u{1b}[30;47mx \u{1b}[?25hy \u{1b}[0;38;5mz"),
            (0, None, 3)
        );
        for concealing in [
            "[30;40m",
            "[90;100m",
            "[38;5;0;48;5;0m",
            "[48;2;1;2;3;38;2;1;2;3m",
            "[38:5:1;8m",
            "[38:5:0;48:5:0m",
            "[30;48;5;0m",
            "[38:2::9:9:9;48:2:0:0:0m",
            "[?1049h",
            "]0;hidden\u{7}",
            "_hidden\u{1b}",
            "Phidden",
            "^hidden",
            "Xhidden",
        ] {
            assert_eq!(found(&format!("\u{1b}{concealing}")).0, 1, "{concealing}");
        }
        for shown in [
            "[39;49m",
            "[30;100m",
            "[97;47m",
            "[31;41;0m",
            "[58:5:0;40;37m",
            "[38:5:0;48:5:9m",
            "[38;2;90;9;9;48;2;9;9;9m",
        ] {
            assert_eq!(found(&format!("\u{1b}{shown}")).0, 0, "{shown}");
        }
        // A colour stays until another one is told.
        let found_in_two = |behind| found(&format!("\u{1b}[30m\u{1b}[1mx\n\u{1b}{behind}y"));
        assert_eq!(found_in_two("[40m"), (1, Some(2), 2));
        assert_eq!(found_in_two("[0;40m"), (0, None, 3));
        assert_eq!(found_in_two("[1m"), (0, None, 3));
        let coloured = format!("{}✔\u{fe0f}", "\u{1b}[32mok\u{1b}[0m".repeat(20));
        assert_eq!(found(&coloured), (0, None, 40));
        // Words between which nothing stands, and `”` that was encoded twice.
        let words = "ប្រាសាទ\u{200b}".repeat(30);
        assert_eq!(found(&words), (0, None, 30));
        assert_eq!(found("â\u{80}\u{9d}quoted").0, 0);
        assert_eq!(found("\u{1b}]\u{7} \u{1b}Q"), (0, None, 2));
        let bits = "\u{2062}\u{2064}";
        assert_eq!(found(&format!("a{}", bits.repeat(3))), (0, None, 6));
        assert_eq!(found(&format!("a\nb{}", bits.repeat(20))), (40, Some(2), 0));
        let joined = "a\u{200d}".repeat(20);
        assert_eq!(found(&format!("{joined}a\na\u{200d}b")), (20, Some(1), 1));
        assert_eq!(found(&"نامه\u{200c}ها ".repeat(20)), (0, None, 0));
        let england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        assert_eq!(found(england), (0, None, 0));
        assert_eq!(found(&format!("{england}\u{e0041}")), (1, Some(1), 0));
        let long = format!("\u{1f3f4}{}", "\u{e0041}".repeat(20));
        assert_eq!(found(&long), (20, Some(1), 0));
        let other = england.replace('\u{e0067}', "\u{e0061}");
        assert_eq!(found(&other), (6, Some(1), 0));
        let unended = england.replace('\u{e007f}', "a");
        assert_eq!(found(&unended), (5, Some(1), 0));
    }

    #[test]
    fn a_line_of_beginnings_takes_no_time() {
        let start = std::time::Instant::now();
        for beginning in [
            "\u{9d}",
            "\u{1b}]",
            "\u{1b}P;",
            "\u{1f3f4}\u{e0067}",
            "\u{1b}[38;5;",
        ] {
            find(&beginning.repeat(200_000), None);
        }
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
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
