//! Names and numbers as a person reads them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

use crate::secrets::masked;
use crate::split::{beginning, boundary};

/// Shows a name on one line: invisible characters and marks that reverse the direction of text are
/// written as `\n` or `\u{202e}`.
///
/// Otherwise a file's name could forge a heading in the prompt, fool a terminal, or hold text that
/// a model reads and a person does not see.
pub fn visible(name: &str) -> Cow<'_, str> {
    written(name, is_hidden)
}

/// The most characters of a name that a message shows.
const MAX_QUOTED: usize = 200;

/// The most bytes of a message. A message of another program, such as a parser of patterns, may
/// contain what it is about.
const MAX_MESSAGE: usize = 4096;

/// Shows a name in a message as elsewhere, except that an overlong one is cut and ends in `…`.
pub fn quoted(name: &str) -> Cow<'_, str> {
    if name.char_indices().nth(MAX_QUOTED).is_none() {
        return visible(name);
    }
    // Of a secret at the end so much would be left that nobody took it for one.
    let whole = masked(beginning(name, MAX_MESSAGE).to_owned());
    match whole.char_indices().nth(MAX_QUOTED) {
        None => Cow::Owned(visible(&whole).into_owned()),
        Some((end, _)) => Cow::Owned(visible(&whole[..end]).into_owned() + "…"),
    }
}

/// Returns a message as somebody reads it: an overlong one is cut and ends in `…`.
pub fn bounded(mut message: String) -> String {
    if message.len() > MAX_MESSAGE {
        message.truncate(boundary(&message, MAX_MESSAGE));
        message.push('…');
    }
    message
}

/// Returns a name with these characters written out.
fn written(name: &str, is_hidden: fn(char) -> bool) -> Cow<'_, str> {
    if !name.chars().any(is_hidden) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        match letter {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ if is_hidden(letter) => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(letter));
            }
            _ => shown.push(letter),
        }
    }
    Cow::Owned(shown)
}

/// Shows a path of the machine, on one line.
pub fn path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// Characters by their Unicode properties, as ranges in order.
struct Characters(Vec<(char, char)>);

impl Characters {
    /// Returns the characters of a class, given as in a regular expression.
    fn of(class: &str) -> Characters {
        let parsed = regex_syntax::parse(class);
        let ranges = match parsed.as_ref().map(regex_syntax::hir::Hir::kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => class.ranges(),
            _ => &[],
        };
        Characters(ranges.iter().map(|r| (r.start(), r.end())).collect())
    }

    fn has(&self, letter: char) -> bool {
        let after = self.0.partition_point(|(start, _)| *start <= letter);
        let before = after.checked_sub(1).map(|at| self.0[at]);
        before.is_some_and(|(_, end)| letter <= end)
    }
}

/// Control and format characters, line breaks, and whatever Unicode says may be shown as nothing.
static HIDDEN: LazyLock<Characters> = LazyLock::new(|| {
    Characters::of(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]")
});

/// Variation selectors, which choose how the character before them is drawn.
static SELECTORS: LazyLock<Characters> =
    LazyLock::new(|| Characters::of(r"\p{Variation_Selector}"));

/// Selectors that apply only to Chinese, Japanese and Korean characters.
const OF_IDEOGRAPHS: std::ops::RangeInclusive<char> = '\u{e0100}'..='\u{e01ef}';

static IDEOGRAPHS: LazyLock<Characters> = LazyLock::new(|| Characters::of(r"\p{Ideographic}"));

static DIRECTIONS: LazyLock<Characters> = LazyLock::new(|| Characters::of(r"\p{Bidi_Control}"));

static JOINERS: LazyLock<Characters> = LazyLock::new(|| Characters::of(r"\p{Join_Control}"));

/// Whether a character is invisible, or changes how others are shown.
pub fn is_hidden(letter: char) -> bool {
    if letter.is_ascii() {
        letter.is_ascii_control()
    } else {
        HIDDEN.has(letter)
    }
}

/// Whether a character changes the direction of text.
pub fn is_direction(letter: char) -> bool {
    !letter.is_ascii() && DIRECTIONS.has(letter)
}

/// Whether a character chooses how the one before it is drawn.
pub fn is_selector(letter: char) -> bool {
    !letter.is_ascii() && SELECTORS.has(letter)
}

/// Whether this selector can change how the character before it is drawn. Invisible characters and
/// ASCII letters have only one form.
pub fn is_formed(before: char, selector: char) -> bool {
    match before {
        '0'..='9' | '#' | '*' => selector == '\u{fe0e}' || selector == '\u{fe0f}',
        _ if before.is_ascii() || before.is_whitespace() || is_hidden(before) => false,
        _ => !OF_IDEOGRAPHS.contains(&selector) || IDEOGRAPHS.has(before),
    }
}

/// Whether a character joins two others, or keeps them apart.
pub fn is_joiner(letter: char) -> bool {
    !letter.is_ascii() && JOINERS.has(letter)
}

/// Whether a character is hidden in a sentence, where characters may have one of several forms.
fn is_hidden_in_text(letter: char) -> bool {
    is_hidden(letter) && !is_selector(letter)
}

/// Returns the first sentence of a text, or its first line, on one line of at most `most`
/// characters; a longer one is cut at a word. The marker of a heading or a list is removed, and a
/// line that continues in lower case belongs to the same sentence.
pub fn first_sentence(text: &str, most: usize) -> String {
    let mut lines = text.lines().map(str::trim);
    let has_words = |line: &&str| line.contains(char::is_alphanumeric);
    let says_what = lines
        .clone()
        .find(|line| has_words(line) && !only_refers(line));
    let first = lines.find(|line| says_what.map_or(has_words(line), |says| says == *line));
    let mut said = unmarked(first.unwrap_or_default()).to_owned();
    for line in lines.take_while(|line| line.starts_with(char::is_lowercase)) {
        if said.len() / 4 > most || end_of_sentence(&said).is_some() {
            break;
        }
        said.push(' ');
        said.push_str(line);
    }
    said.truncate(end_of_sentence(&said).unwrap_or(said.len()));
    in_line(&said, most)
}

/// Returns a text on one line of at most `most` characters; a longer one is cut at a word.
pub fn in_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    cut_at_word(&written(&words.join(" "), is_hidden_in_text), most)
}

/// Whether a line only names a ticket: `Fixes #12`, `Closes GH-7, #8.`
fn only_refers(line: &str) -> bool {
    const WORDS: [&str; 14] = [
        "and", "close", "closes", "closed", "fix", "fixes", "fixed", "for", "issue", "ref", "refs",
        "resolve", "resolves", "see",
    ];
    let word = |word: &str| {
        word.trim_matches(|c: char| c.is_ascii_punctuation() && c != '#')
            .to_ascii_lowercase()
    };
    let is_ticket = |word: &str| {
        let number = word.strip_prefix('#').or_else(|| word.strip_prefix("gh-"));
        number
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut words = line
        .split_whitespace()
        .map(word)
        .filter(|word| !word.is_empty());
    line.contains(|c: char| c.is_ascii_digit())
        && words.all(|word| is_ticket(&word) || WORDS.contains(&word.as_str()))
}

/// Returns a line without the markers of headings, quotes and lists before it.
fn unmarked(mut line: &str) -> &str {
    while let Some((mark, rest)) = line.split_once(' ') {
        let is_mark = mark.chars().all(|c| c == '#') || matches!(mark, ">" | "-" | "*" | "+");
        if !is_mark {
            break;
        }
        line = rest.trim_start();
    }
    line
}

/// Returns where the first sentence of a line ends, if another one follows. It does not end at a
/// dot after a single letter, after an abbreviation, or before lower case (`e.g. this`), at one of
/// three dots, inside a piece of code, or where hardly anything is said before, as in `Hello!` or
/// `Fixes #12.`
fn end_of_sentence(line: &str) -> Option<usize> {
    let ends = line.match_indices(['.', '!', '?', '。', '！', '？']);
    let last_tick = line.rfind('`').unwrap_or(0);
    // Where the word begins that an end is of, and what stands before. Each part of the line is
    // looked at once: one without a blank may have nothing but ends.
    let (mut word, mut seen) = (0, 0);
    let (mut words, mut ticks) = (0, 0);
    ends.map(|(at, sign)| at + sign.len()).find(|&end| {
        let since = &line[seen..end];
        let blank = since.char_indices().rfind(|(_, c)| c.is_whitespace());
        word = blank.map_or(word, |(at, blank)| seen + at + blank.len_utf8());
        words += since.split_whitespace().count();
        if seen > 0 && !since.starts_with(char::is_whitespace) {
            words -= 1;
        }
        ticks += since.matches('`').count();
        seen = end;
        let rest = &line[end..];
        if !line[..end].ends_with(['.', '!', '?']) {
            return !rest.trim_start().is_empty();
        }
        let last = line[word..end].trim_matches(['.', '!', '?', '(', ')', '"', '\'']);
        let says_little = words < 2 || words == 2 && last.contains(|c: char| c.is_ascii_digit());
        let is_code = ticks % 2 == 1 && last_tick >= end;
        let next = || rest.trim_start().chars().next();
        rest.starts_with(char::is_whitespace)
            && !says_little
            && !is_code
            && !is_short_for_more(last)
            && !line[..end].ends_with("...")
            && next().is_some_and(|c| !c.is_lowercase())
    })
}

/// Whether the dot after this word only marks an abbreviation: `a`, `U.S`, `Jan`.
fn is_short_for_more(word: &str) -> bool {
    const SHORT: [&str; 22] = [
        "al", "apr", "approx", "aug", "cf", "dec", "dr", "eq", "fig", "feb", "inc", "jan", "jr",
        "ltd", "mr", "mrs", "ms", "nov", "oct", "sep", "sept", "vs",
    ];
    let mut letters = word.split('.').map(|part| part.chars().nth(1).is_none());
    letters.all(|is_one| is_one) || SHORT.contains(&word.to_ascii_lowercase().as_str())
}

/// Returns a line of at most `most` characters, cut at the end of a word, with `…` for the rest.
fn cut_at_word(line: &str, most: usize) -> String {
    if line.chars().count() <= most {
        return line.to_owned();
    }
    let kept: String = line.chars().take(most.saturating_sub(1)).collect();
    let end = kept.rfind(' ').filter(|end| *end > kept.len() / 2);
    kept[..end.unwrap_or(kept.len())].trim_end().to_owned() + "…"
}

/// Formats a count: `1 file`, `1,240 files`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Formats a number with a comma between groups of three digits.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_break_in_a_name_cannot_start_a_heading() {
        assert_eq!(visible("a\n## Task"), "a\\n## Task");
    }

    #[test]
    fn a_name_cannot_turn_the_direction_of_text() {
        assert_eq!(visible("gpj.\u{202e}exe"), "gpj.\\u{202e}exe");
    }

    #[test]
    fn a_message_shows_the_beginning_of_a_name_without_end() {
        let name = |length| "ß".repeat(length);
        assert_eq!(quoted(&name(MAX_QUOTED)), name(MAX_QUOTED));
        assert_eq!(quoted(&name(100_000)), name(MAX_QUOTED) + "…");
        assert_eq!(bounded(name(100_000)), name(MAX_MESSAGE / 2) + "…");
    }

    #[test]
    fn of_a_secret_at_the_end_of_what_is_shown_nothing_is_left() {
        let token = "ghp_x9Kq2mZ7vB4nT1wY8rL5pD3sF6gH0jC2aE9u";
        for before in 160..220 {
            let shown = quoted(&("a".repeat(before) + "/" + token + ".py")).into_owned();
            assert!(!shown.contains("x9Kq"), "{shown}");
        }
    }

    #[test]
    fn what_does_not_show_in_a_name_is_written_out() {
        for letter in [
            '\0',
            '\u{7f}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{200b}',
            '\u{200d}',
            '\u{2028}',
            '\u{2060}',
            '\u{2066}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e0100}',
        ] {
            let shown = visible(&format!("a{letter}b")).into_owned();
            assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(letter)));
        }
        for letter in [
            'a',
            ' ',
            'ß',
            'é',
            '\u{301}',
            '\u{3000}',
            '界',
            '❤',
            '🦀',
            '\u{1f1e6}',
        ] {
            assert!(!is_hidden(letter), "{letter}");
        }
    }

    #[test]
    fn a_sign_in_a_sentence_keeps_its_form() {
        assert_eq!(
            first_sentence("⚠\u{fe0f} Mind this", 40),
            "⚠\u{fe0f} Mind this"
        );
        assert_eq!(first_sentence("a\u{e0041}b", 40), "a\\u{e0041}b");
    }

    #[test]
    fn an_ordinary_name_is_itself() {
        assert!(matches!(visible("src/größe.rs"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_is_told_by_its_first_sentence() {
        let said = |text| first_sentence(text, 40);
        assert_eq!(said("\n# Let it take\n\nfolders. More."), "Let it take");
        assert_eq!(
            said("Let it take\nfolders, too. And more."),
            "Let it take folders, too."
        );
        assert_eq!(said("A title\nThe text."), "A title");
        assert_eq!(
            said("Take e.g. this, v1.2 too. Then"),
            "Take e.g. this, v1.2 too."
        );
        for (text, sentence) in [
            ("Fixes #2740. Add an option.", "Fixes #2740. Add an option."),
            ("Fixes #2740.\nCloses GH-7\n\nAdd it.", "Add it."),
            ("Fixes #2740.", "Fixes #2740."),
            ("Hi! Let it take this. Thanks.", "Hi! Let it take this."),
            (
                "Take `INSERT INTO ...` there. So",
                "Take `INSERT INTO ...` there.",
            ),
            ("Ask `why? How` it is. So", "Ask `why? How` it is."),
            ("It is so ... Or not. Yes", "It is so ... Or not."),
            (
                "Dates of the U.S. Use them. So",
                "Dates of the U.S. Use them.",
            ),
            ("Forked by Jan. Miller. So", "Forked by Jan. Miller."),
        ] {
            assert_eq!(said(text), sentence);
        }
        assert_eq!(said("---\n> - Quote\tit"), "Quote it");
        assert_eq!(said("--strict fails"), "--strict fails");
        assert_eq!(said("直す。次に"), "直す。");
        assert_eq!(
            said("Let it take whole folders and their files"),
            "Let it take whole folders and their…"
        );
        assert_eq!(said("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(said(" \n--\n"), "");
    }

    /// If the cost grew with the square of the length, these would take minutes.
    #[test]
    fn a_sentence_without_end_costs_no_more_than_its_length() {
        for text in ["a.", "a.\u{3000}b", "!?", "。"] {
            let said = first_sentence(&text.repeat(300_000), 40);
            assert!(said.chars().count() <= 40, "{said}");
        }
    }

    proptest! {
        #[test]
        fn a_first_sentence_is_one_line_that_is_not_too_long(text in "(\\PC|[ .\n#\u{202e}]){0,200}", most in 1usize..60) {
            let said = first_sentence(&text, most);
            prop_assert!(said.chars().count() <= most);
            prop_assert!(!said.chars().any(is_hidden_in_text));
        }
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "line"), "1 line");
        assert_eq!(counted(0, "file"), "0 files");
    }
}
