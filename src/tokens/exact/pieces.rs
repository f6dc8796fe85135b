//! Cuts a text into pieces, each of which is tokenised by itself.
//!
//! The regular expressions that OpenAI publishes are written out here, alternative by alternative:
//! no engine must be built, and every text is read in linear time.

use super::layout::class::{
    BLOCK, BLOCKS, BREAK, CASELESS, LOWER, MARK, NUMBER, OTHER, SPACE, UPPER,
};

/// The classes of all characters.
static CLASSES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/classes"));

const LETTER: u8 = UPPER | LOWER | CASELESS;
const WHITE: u8 = SPACE | BREAK;
/// What a word begins with, and what it continues with.
const HEAD: u8 = UPPER | CASELESS | MARK;
const BODY: u8 = LOWER | CASELESS | MARK;
/// What may precede a word as a part of it.
const LEAD: u8 = OTHER | MARK | SPACE;
/// Neither white space nor a letter or number.
const SYMBOL: u8 = OTHER | MARK;

/// A way to cut.
#[derive(Clone, Copy)]
pub(super) enum Grammar {
    O200k,
    Cl100k,
}

impl Grammar {
    /// Returns where the piece that begins at `at` ends, which is after `at`.
    #[inline]
    pub(super) fn end(self, text: &str, at: usize) -> usize {
        let text = text.as_bytes();
        match self {
            Grammar::O200k => o200k(text, at),
            Grammar::Cl100k => cl100k(text, at),
        }
    }
}

/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// |\p{N}{1,3}
/// | ?[^\s\p{L}\p{N}]+[\r\n/]*
/// |\s*[\r\n]+
/// |\s+(?!\S)
/// |\s+
/// ```
fn o200k(text: &[u8], at: usize) -> usize {
    let (class, width) = class_at(text, at);
    if let Some(end) = o200k_word(text, at, class, width) {
        return contraction(text, end).unwrap_or(end);
    }
    if class == NUMBER {
        return numbers(text, at);
    }
    if let Some(end) = symbols(text, at) {
        let more = text[end..]
            .iter()
            .take_while(|byte| b"\r\n/".contains(byte));
        return end + more.count();
    }
    let white = White::at(text, at);
    match white.line_end {
        Some(end) => end,
        None => white.but_one(text, at).unwrap_or(white.end),
    }
}

/// Matches the first two alternatives without what may follow.
fn o200k_word(text: &[u8], at: usize, class: u8, width: usize) -> Option<usize> {
    match class {
        NUMBER | BREAK => None,
        // A mark is tried as what leads a word, and is one by itself else.
        MARK => cased(text, at + width).or_else(|| cased(text, at)),
        _ if class & LEAD != 0 => word(text, at + width),
        _ => word(text, at),
    }
}

/// Matches the head of a word and its body, of which at least one character is there.
fn cased(text: &[u8], at: usize) -> Option<usize> {
    let head = run(text, at, HEAD);
    let end = run(text, head, BODY);
    if end > head {
        return Some(end);
    }
    // The body is then what of the head could also be body: up to its last such character.
    let mut end = head;
    while end > at {
        let (class, start) = class_before(text, end);
        if class & BODY != 0 {
            return Some(end);
        }
        end = start;
    }
    None
}

/// Returns the end of a word as [`cased`] finds it, or of a head alone.
fn word(text: &[u8], at: usize) -> Option<usize> {
    cased(text, at).or_else(|| Some(run(text, at, HEAD)).filter(|end| *end > at))
}

/// ```text
/// '(?i:[sdmt]|ll|ve|re)
/// |[^\r\n\p{L}\p{N}]?+\p{L}++
/// |\p{N}{1,3}+
/// | ?[^\s\p{L}\p{N}]++[\r\n]*+
/// |\s++$
/// |\s*[\r\n]
/// |\s+(?!\S)
/// |\s
/// ```
fn cl100k(text: &[u8], at: usize) -> usize {
    if let Some(end) = contraction(text, at) {
        return end;
    }
    let (class, width) = class_at(text, at);
    let word = if class & (LEAD | MARK) == 0 {
        at
    } else {
        at + width
    };
    if class & (NUMBER | BREAK) == 0 {
        let end = run(text, word, LETTER);
        if end > word {
            return end;
        }
    }
    if class == NUMBER {
        return numbers(text, at);
    }
    if let Some(end) = symbols(text, at) {
        let more = text[end..].iter().take_while(|byte| b"\r\n".contains(byte));
        return end + more.count();
    }
    let white = White::at(text, at);
    if white.end == text.len() {
        return white.end;
    }
    match white.line_end {
        Some(end) => end,
        None => white.but_one(text, at).unwrap_or(at + width),
    }
}

/// Returns the end of a contraction: an apostrophe and `s`, `t`, `re`, `ve`, `m`, `ll` or `d`, as
/// in `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d`.
fn contraction(text: &[u8], at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix(b"'")?;
    let short = |end: &[u8]| {
        let begins = rest.get(..end.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(end))
    };
    // The long s is an s where case does not count.
    let all: [&[u8]; 8] = [b"s", b"t", b"re", b"ve", b"m", b"ll", b"d", "ſ".as_bytes()];
    let found = all.into_iter().find(|end| short(end))?;
    Some(at + 1 + found.len())
}

/// Matches up to three numbers.
fn numbers(text: &[u8], at: usize) -> usize {
    let mut end = at;
    for _ in 0..3 {
        if end == text.len() {
            break;
        }
        let (class, width) = class_at(text, end);
        if class != NUMBER {
            break;
        }
        end += width;
    }
    end
}

/// Matches symbols, with a space before them.
fn symbols(text: &[u8], at: usize) -> Option<usize> {
    let from = at + usize::from(text[at] == b' ');
    Some(run(text, from, SYMBOL)).filter(|end| *end > from)
}

/// White space as far as it goes.
struct White {
    end: usize,
    /// After the last line break in it.
    line_end: Option<usize>,
}

impl White {
    fn at(text: &[u8], at: usize) -> White {
        let end = run(text, at, WHITE);
        let last = memchr::memrchr2(b'\r', b'\n', &text[at..end]);
        let line_end = last.map(|last| at + last + 1);
        White { end, line_end }
    }

    /// Returns the end of the blanks except the last one, unless that would be empty or they end
    /// the text.
    fn but_one(&self, text: &[u8], at: usize) -> Option<usize> {
        if self.end == text.len() {
            return Some(self.end);
        }
        let (_, last) = class_before(text, self.end);
        (last > at).then_some(last)
    }
}

/// Returns where characters of these classes end.
#[inline]
fn run(text: &[u8], mut at: usize, classes: u8) -> usize {
    while let Some(&byte) = text.get(at) {
        if byte < 0x80 {
            if ASCII[usize::from(byte)] & classes == 0 {
                break;
            }
            at += 1;
        } else {
            let (class, width) = beyond_ascii(text, at);
            if class & classes == 0 {
                break;
            }
            at += width;
        }
    }
    at
}

/// Returns the class of the character that begins here, and its bytes.
#[inline]
fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match ASCII.get(usize::from(text[at])) {
        Some(class) => (*class, 1),
        None => beyond_ascii(text, at),
    }
}

fn beyond_ascii(text: &[u8], at: usize) -> (u8, usize) {
    let next = |behind: usize| u32::from(text[at + behind] & 0x3F);
    let lead = u32::from(text[at]);
    let (character, width) = match lead {
        ..0xE0 => ((lead & 0x1F) << 6 | next(1), 2),
        0xE0..0xF0 => ((lead & 0x0F) << 12 | next(1) << 6 | next(2), 3),
        _ => (
            (lead & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3),
            4,
        ),
    };
    (class_of(character as usize), width)
}

/// Returns the class of the character that ends here, and where it begins.
fn class_before(text: &[u8], end: usize) -> (u8, usize) {
    let mut start = end - 1;
    while text[start] & 0xC0 == 0x80 {
        start -= 1;
    }
    (class_at(text, start).0, start)
}

fn class_of(character: usize) -> u8 {
    let block = usize::from(CLASSES[character / BLOCK]);
    CLASSES[BLOCKS + block * BLOCK + character % BLOCK]
}

/// What [`CLASSES`] says about the first characters, visible to the compiler.
const ASCII: [u8; 128] = {
    let mut all = [OTHER; 128];
    let mut at = 0;
    while at < 128 {
        all[at as usize] = match at {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => BREAK,
            b' ' | b'\t' | 0x0B | 0x0C => SPACE,
            _ => OTHER,
        };
        at += 1;
    }
    all
};
