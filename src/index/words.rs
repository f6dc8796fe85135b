//! Words and names: how a text about code is read.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Returns the names in a text: letters, digits and `_`, not beginning with a digit, at least two
/// characters long, each with where it begins.
pub fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && is_name(bytes[at]) {
                at += 1;
            }
            if at == start {
                at += 1;
            } else if at - start >= 2 && at - start <= MAX_NAME && !bytes[start].is_ascii_digit() {
                // Every byte of a character that is not ASCII is part of a name.
                return text.get(start..at).map(|name| (start, name));
            }
        }
        None
    })
}

/// Returns what has a version in these lines, with the version: `python 3.14` of
/// `requires-python = ">=3.14"` and of `- "3.14"` below `python-version:`.
pub fn versioned<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = String> {
    let mut last = None;
    lines.flat_map(move |line| {
        let mut found = Vec::new();
        let mut names = names(line).peekable();
        for (at, version) in versions(line) {
            while let Some((_, name)) = names.next_if(|(start, _)| *start < at) {
                last = thing_of(name).or(last);
            }
            found.extend(last.map(|thing| format!("{} {version}", thing.to_lowercase())));
        }
        last = names.filter_map(|(_, name)| thing_of(name)).last().or(last);
        found
    })
}

/// Returns what a name in settings is about: `python` of `python_version`. Some say only that a
/// version follows.
pub fn thing_of(name: &str) -> Option<&str> {
    const SAYING: [&str; 9] = [
        "default", "min", "minimum", "ref", "required", "requires", "rev", "tag", "version",
    ];
    // `checkout@9c091bb… # v7.0`
    if name.len() >= 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let is_number =
        |word: &str| word.starts_with('v') && word[1..].bytes().all(|b| b.is_ascii_digit());
    let mut words = name.split('_').rev();
    words.find(|word| {
        let is_saying = SAYING
            .iter()
            .any(|it| it.eq_ignore_ascii_case(word.trim_end_matches('s')));
        word.len() > 1 && !is_saying && !is_number(word)
    })
}

/// Returns the versions in a line, each with where it begins: of `3.14.0rc1`, `>=3.14` and
/// `python3.14` the first two numbers.
pub fn versions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut done = 0;
    memchr::memchr_iter(b'.', bytes).filter_map(move |dot| {
        let is_digit = |byte: &&u8| byte.is_ascii_digit();
        // A point inside the last version begins none.
        let earlier = bytes.get(done..dot)?;
        let before = earlier.iter().rev().take_while(is_digit).count();
        let behind = bytes[dot + 1..].iter().take_while(is_digit).count();
        if before == 0 || behind == 0 || before + behind > MAX_VERSION {
            return None;
        }
        let is_more = |byte: &&u8| byte.is_ascii_digit() || **byte == b'.';
        done = dot + 1 + bytes[dot + 1..].iter().take_while(is_more).count();
        Some((dot - before, &text[dot - before..=dot + behind]))
    })
}

/// A longer number is data.
const MAX_VERSION: usize = 6;

/// A longer name is data.
const MAX_NAME: usize = 80;

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the words of a name, as stems: `parseHttpHeaders` and `parsed_http_header` have the same
/// ones.
pub fn words(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_word(name, |word| found.push(word.to_owned()));
    found
}

/// Passes on the words of a text, like [`words`] does for a name.
pub fn each_word(text: &str, mut take: impl FnMut(&str)) {
    each_with_ending(text, |word| {
        let stem = stem(word);
        if stem.len() >= 2 && !stem.bytes().all(|b| b.is_ascii_digit()) {
            take(stem);
        }
    });
}

/// Passes on the words of a text in lower case, each as it is written.
fn each_with_ending(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    let mut take = |word: &mut String| {
        take(word);
        word.clear();
    };
    if text.is_ascii() {
        let mut take = |letters: &str| {
            word.push_str(letters);
            word.make_ascii_lowercase();
            take(&mut word);
        };
        let bytes = text.as_bytes();
        let (mut start, mut before) = (0, b' ');
        for (at, letter) in bytes.iter().copied().enumerate() {
            let is_alphanumeric = letter.is_ascii_alphanumeric();
            let begins = letter.is_ascii_uppercase()
                && (before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase()
                        && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)));
            if begins || !is_alphanumeric {
                if start < at {
                    take(&text[start..at]);
                }
                start = at + usize::from(!is_alphanumeric);
            }
            before = letter;
        }
        if start < text.len() {
            take(&text[start..]);
        }
        return;
    }
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next_is_small = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && (before.is_lowercase()
                || before.is_numeric()
                || (before.is_uppercase() && next_is_small));
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            take(&mut word);
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !word.is_empty() {
        take(&mut word);
    }
}

/// Returns a word without its ending: `parses`, `parsing` and `parsed` become `pars`.
fn stem(word: &str) -> &str {
    let is_long = |rest: &str, least: usize| {
        rest.len() >= least && rest.bytes().any(|b| b"aeiouy".contains(&b))
    };
    let mut rest = word;
    let endings: &[(&str, usize)] = match word.as_bytes().last() {
        Some(b's') => &[("ies", 2), ("es", 3), ("s", 3)],
        Some(b'g') => &[("ing", 3)],
        Some(b'd') => &[("ed", 3)],
        _ => &[],
    };
    for &(ending, least) in endings {
        if let Some(before) = word
            .strip_suffix(ending)
            .filter(|before| is_long(before, least))
            && !(ending == "s" && before.ends_with(['s', 'u', 'i']))
        {
            rest = before;
            break;
        }
    }
    let doubled = rest.len() > 3
        && rest.len() < word.len()
        && rest.as_bytes()[rest.len() - 1] == rest.as_bytes()[rest.len() - 2]
        && !rest.ends_with(['s', 'l', 'e', 'o']);
    if doubled && rest.is_char_boundary(rest.len() - 1) {
        rest = &rest[..rest.len() - 1];
    }
    match rest.len() {
        4.. => rest.strip_suffix(['e', 'y']).unwrap_or(rest),
        _ => rest,
    }
}

/// The words of a task that are searched for in many texts, each with its number, from 0 in the
/// order in which they came.
pub struct Sought {
    numbers: HashMap<String, usize, RandomState>,
    /// The first two bytes of these words, a bit for each pair: most words of a text begin with
    /// others, and need no stemming.
    beginnings: Vec<u64>,
}

impl Sought {
    /// Returns the words of a task's texts that say something about code.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Sought {
        let mut sought = Sought {
            numbers: HashMap::default(),
            beginnings: vec![0; (1 << 16) / 64],
        };
        for text in texts {
            each_word(text, |word| sought.add(word));
        }
        sought
    }

    fn add(&mut self, word: &str) {
        if is_common(word) || self.numbers.contains_key(word) {
            return;
        }
        if let Some((at, bit)) = beginning(word) {
            self.beginnings[at] |= bit;
            self.numbers.insert(word.to_owned(), self.numbers.len());
        }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Passes on the numbers of those that are in a text, each as often as it is there.
    pub fn each_in(&self, text: &str, mut take: impl FnMut(usize)) {
        each_with_ending(text, |word| {
            let may_be = |(at, bit): (usize, u64)| self.beginnings[at] & bit != 0;
            // A stem is at least two bytes of its word.
            if beginning(word).is_some_and(may_be)
                && let Some(number) = self.numbers.get(stem(word))
            {
                take(*number);
            }
        });
    }
}

/// Returns where the bit for the first two bytes of a word is, and which it is.
fn beginning(word: &str) -> Option<(usize, u64)> {
    let both = word.as_bytes().first_chunk::<2>()?;
    let both = u16::from_le_bytes(*both);
    Some((usize::from(both >> 6), 1 << (both & 63)))
}

/// Whether a word says nothing about code; words are given as stems.
pub fn is_common(word: &str) -> bool {
    COMMON.contains(&word)
}

const COMMON: [&str; 136] = [
    "the",
    "and",
    "for",
    "with",
    "that",
    "this",
    "from",
    "are",
    "was",
    "wer",
    "not",
    "but",
    "can",
    "should",
    "would",
    "could",
    "will",
    "when",
    "which",
    "what",
    "has",
    "hav",
    "had",
    "been",
    "be",
    "is",
    "it",
    "its",
    "to",
    "of",
    "in",
    "on",
    "at",
    "by",
    "as",
    "an",
    "or",
    "if",
    "so",
    "no",
    "do",
    "doe",
    "did",
    "don",
    "we",
    "you",
    "your",
    "our",
    "they",
    "their",
    "them",
    "he",
    "she",
    "all",
    "any",
    "also",
    "some",
    "such",
    "than",
    "then",
    "there",
    "thes",
    "those",
    "only",
    "now",
    "into",
    "out",
    "up",
    "about",
    "after",
    "before",
    "becaus",
    "between",
    "both",
    "each",
    "more",
    "most",
    "other",
    "over",
    "same",
    "still",
    "too",
    "ver",
    "via",
    "where",
    "while",
    "who",
    "why",
    "how",
    "us",
    "use",
    "make",
    "mak",
    "mad",
    "fix",
    "add",
    "remov",
    "chang",
    "updat",
    "allow",
    "support",
    "implement",
    "instead",
    "new",
    "get",
    "let",
    "just",
    "like",
    "one",
    "two",
    "may",
    "might",
    "must",
    "need",
    "see",
    "set",
    "thi",
    "without",
    "bug",
    "issu",
    "pr",
    "commit",
    "cod",
    "fil",
    "wa",
    "ad",
    "improv",
    "better",
    "correct",
    "properl",
    "ensur",
    "http",
    "com",
    "github",
    "ref",
    "clos",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// ASCII text is cut in a faster way, with the same result.
        #[test]
        fn a_text_is_cut_alike_with_other_letters_behind_it(text in "[aAbB1_ ]{0,12}") {
            let mut expected = words(&text);
            expected.push("éé".into());
            prop_assert_eq!(words(&format!("{text} éé")), expected);
        }
    }

    proptest! {
        #[test]
        fn what_is_sought_is_found_as_words_are(
            task in "[aeBs1é_ ]{0,30}",
            text in "[aeBs1é_ ]{0,30}",
        ) {
            let mut known: Vec<String> = Vec::new();
            each_word(&task, |word| {
                if !is_common(word) && !known.iter().any(|known| known == word) {
                    known.push(word.to_owned());
                }
            });
            let place = |word: String| known.iter().position(|known| *known == word);
            let expected: Vec<usize> = words(&text).into_iter().filter_map(place).collect();
            let sought = Sought::of([&*task]);
            let mut found = Vec::new();
            sought.each_in(&text, |number| found.push(number));
            prop_assert_eq!((sought.len(), found), (known.len(), expected));
        }
    }

    #[test]
    fn names_are_split_by_case_and_underscore_and_stemmed() {
        assert_eq!(words("parseHTTPHeaders"), ["pars", "http", "header"]);
        assert_eq!(words("parsed_http_header"), ["pars", "http", "header"]);
        assert_eq!(words("running"), ["run"]);
        assert_eq!(words("classes"), ["class"]);
        assert_eq!(words("queries"), ["quer"]);
        assert_eq!(words("query"), ["quer"]);
        assert_eq!(words("__init__"), ["init"]);
    }

    #[test]
    fn a_version_is_two_numbers_with_a_point_between() {
        let found = |text: &str| -> Vec<String> {
            versions(text)
                .map(|(at, it)| format!("{at} {it}"))
                .collect()
        };
        assert_eq!(
            found(">=3.14, python3.9 v1.2.3rc1"),
            ["2 3.14", "14 3.9", "19 1.2"]
        );
        assert_eq!(found("10.0.0.1 größe 2.5"), ["0 10.0", "17 2.5"]);
        for none in ["", ".", "a.b 1. .2", "1..2", "1234.5678", "20260101.1"] {
            assert!(found(none).is_empty(), "{none}");
        }
        assert_eq!(found(&"1.1.".repeat(100_000)).len(), 1);
    }

    #[test]
    fn a_version_belongs_to_what_is_named_before_it() {
        let found = |text: &str| versioned(text.lines()).collect::<Vec<String>>();
        for (text, expected) in [
            (
                "requires-python = '>=3.9,<3.14'",
                &["python 3.9", "python 3.14"][..],
            ),
            ("python_version: 3.9", &["python 3.9"]),
            (
                "  python-version:\n    - '3.12'\n    - '3.13'",
                &["python 3.12", "python 3.13"],
            ),
            ("- uses: actions/checkout@v5.0.1", &["checkout 5.0"]),
            (
                "uses: host/cache@d3adb33fd3adb33fd3adb33f # v5.0",
                &["cache 5.0"],
            ),
            (
                "- repo: https://host/crate-ci/typos\n  rev: v1.44.0",
                &["typos 1.44"],
            ),
            ("\tgithub.com/quic-go/quic-go v0.48.2", &["go 0.48"]),
            (
                "<PackageReference Include=\"Polly\" Version=\"8.0\" />",
                &["polly 8.0"],
            ),
            ("tokio = { version = \"1.40\" }", &["tokio 1.40"]),
            ("1.2\n3.4", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn a_name_begins_with_a_letter() {
        let found: Vec<&str> = names("let größe = x1+_y2; 0xff 3d").map(|n| n.1).collect();
        assert_eq!(found, ["let", "größe", "x1", "_y2"]);
    }
}
