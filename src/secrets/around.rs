//! The text between a name and its value: a type, a call, a line break.

use super::letters::{dashed, letters_of, word};
use super::literals::{line_literal, quote};
use super::values::is_made;

pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the value after a type: `password: &str = "…"`.
pub(super) fn behind_type(text: &str) -> Option<&str> {
    let is_type = |b: u8| b.is_ascii_alphanumeric() || b"&<>_' .?[]|".contains(&b);
    let kind = letters_of(text, 0, 40, is_type);
    // `constant String := "…"` of Ada.
    let sign = text[kind..].trim_start_matches(':');
    // `String by lazy { "…" }`
    let lazy = sign
        .strip_prefix("{ ")
        .filter(|_| text[..kind].ends_with("by lazy "));
    let value = sign.strip_prefix('=').filter(|_| kind > 0).or(lazy)?;
    let value = on_next_line(value).unwrap_or(value);
    let value = in_call(value.trim_start_matches(BLANKS)).unwrap_or(value);
    quote(value.trim_start_matches(BLANKS)).map(|_| value)
}

/// Returns what follows the brackets of a list: `[]`, `[32]`.
pub(super) fn without_brackets(text: &str) -> &str {
    let size = |text: &str| letters_of(text, 0, 8, |b| b.is_ascii_digit());
    let inside = text.strip_prefix('[');
    inside
        .and_then(|inside| inside[size(inside)..].strip_prefix(']'))
        .unwrap_or(text)
}

/// Returns a YAML value after its tag or anchor: `!!str …`, `&password …`.
pub(super) fn behind_marks(text: &str) -> Option<&str> {
    let mark = |text: &str| {
        let sign = ["!!", "!", "&"]
            .iter()
            .find(|sign| text.starts_with(**sign))?;
        let name = letters_of(&text[sign.len()..], 0, 40, dashed);
        // `&mut Key` is of another language.
        let is_mark = name > 0 && !text.starts_with("&mut ");
        is_mark.then_some(sign.len() + name)
    };
    let behind = |text: &'_ str| mark(text).map(|length| length..text.len());
    let rest = &text[behind(text)?];
    let rest = rest.strip_prefix(BLANKS)?.trim_start_matches(BLANKS);
    match behind(rest) {
        Some(more) => Some(rest[more].strip_prefix(BLANKS)?.trim_start_matches(BLANKS)),
        None => Some(rest),
    }
}

/// Returns a literal alone on the next line, where a formatter put it, with or without brackets.
pub(super) fn on_next_line(text: &str) -> Option<&str> {
    let below = text.trim_start_matches(BLANKS);
    let below = below.strip_prefix(['(', '\\']).unwrap_or(below);
    let below = below
        .strip_prefix('\n')
        .or_else(|| below.strip_prefix("\r\n"))?;
    let value = below.trim_start_matches(BLANKS);
    (value.len() < below.len() && quote(value).is_some()).then_some(value)
}

/// Returns the text alone on the next line, indented more than its name.
pub(super) fn below(text: &str) -> Option<&str> {
    let below = text.trim_start_matches(BLANKS).trim_start_matches('\r');
    let line = below.strip_prefix('\n')?.lines().next()?;
    let value = line.trim_start_matches(BLANKS).trim_end_matches('\r');
    // The first of a list that has one mostly, such as a header that was recorded.
    let value = value.strip_prefix("- ").unwrap_or(value);
    let is_code = value.contains(char::is_whitespace)
        || value.contains(['.', '?', '(', '['])
        || value.ends_with([',', ';']);
    (value.len() < line.len() && !is_code).then_some(value)
}

/// Returns the text alone on a line below its name, as in notes. An empty line and the beginning of
/// a block may lie between. The text must not look like a word.
pub(super) fn alone_below(text: &str) -> Option<&str> {
    let below = text.trim_start_matches(['`', '*', ' ', '\t', '\r']);
    let mut lines = below.strip_prefix('\n')?.lines().take(4);
    let line = lines.find(|line| !line.trim().is_empty() && !line.starts_with("```"))?;
    let value = line.trim().trim_matches('`');
    let is_code =
        value.contains(char::is_whitespace) || value.contains(['(', '[', '{', '<', '=', '\'', '"']);
    (!is_code && !value.ends_with([',', ';', ':']) && is_made(value)).then_some(value)
}

/// Returns the first line of a block: `password: |`, and the value below.
pub(super) fn in_block(text: &str) -> Option<&str> {
    let mark = text.strip_prefix(['|', '>'])?;
    let mark = mark
        .trim_start_matches(|c: char| matches!(c, '-' | '+') || c.is_ascii_digit())
        .trim_start_matches(BLANKS);
    let below = mark
        .strip_prefix('\n')
        .or_else(|| mark.strip_prefix("\r\n"))?;
    below.starts_with(BLANKS).then_some(below)
}

/// Returns the lines of a document that follows: `<<~EOS` of Ruby, `$(cat <<EOF` of a shell.
pub(super) fn in_document(text: &str) -> Option<&str> {
    let text = text.strip_prefix('"').unwrap_or(text);
    let mark = text
        .strip_prefix("$(cat ")
        .unwrap_or(text)
        .strip_prefix("<<")?;
    let mark = mark.trim_start_matches(['~', '-', '"', '\'']);
    let name = letters_of(mark, 0, 24, word);
    let behind = mark[name..].trim_start_matches(['"', '\'']);
    behind.strip_prefix('\n').filter(|_| name > 0)
}

/// What a shell is told to say: `$(echo '…')`, `` `echo "…"` ``.
pub(super) fn echoed(text: &str) -> Option<&str> {
    let text = text.strip_prefix('"').unwrap_or(text);
    let text = text.strip_prefix("$(").or_else(|| text.strip_prefix('`'))?;
    let said = ["echo ", "printf ", "echo -n "];
    let said = said
        .iter()
        .filter_map(|it| text.strip_prefix(it))
        .next_back()?;
    let (_, behind) = line_literal(said)?;
    behind.starts_with([')', '`']).then_some(said)
}

/// Returns a literal that a pair gives to the name before it: `-> "…"` of Scala, `to "…"` of Kotlin.
pub(super) fn in_pair_with(text: &str) -> Option<&str> {
    let mut signs = ["-> ", "->", "to "].iter();
    let value = signs.find_map(|sign| text.strip_prefix(*sign))?;
    let value = in_call(value).unwrap_or(value);
    quote(value).map(|_| value)
}

/// Calls that make a string of a literal.
const MAKES: &[&str] = &[
    "from",
    "new",
    "String",
    "valueOf",
    "str",
    "string",
    "byte",
    "Some",
    "Optional.of",
    "Secret",
    "SecretStr",
    "SecretString",
    "GetBytes",
    "Field",
    "decode",
    "Decode",
    "decodeBase64",
    "FromBase64String",
    "b64decode",
    "unhexlify",
    "fromhex",
];

/// Returns what a call makes a string of, or what brackets hold: `String::from("…")`, `Some("…")`,
/// `[]byte("…")`, `Field(default="…")`, `{"…"}`. Calls may stand in one another:
/// `Some(String::from("…"))`.
pub(super) fn in_call(text: &str) -> Option<&str> {
    // `<string>"…"`, and `<<"…">>` of Erlang.
    let marked = text.strip_prefix("<string>");
    if let Some(value) = marked.or_else(|| text.strip_prefix("<<")) {
        return quote(value).map(|_| value);
    }
    if let Some(inside) = text.strip_prefix('{') {
        let (_, behind) = inside[quote(inside)?..].split_once(['"', '\'', '`'])?;
        return behind.starts_with('}').then_some(inside);
    }
    let mut inside = text;
    for _ in 0..DEEPEST {
        inside = made_of(inside)?;
        if quote(inside).is_some() {
            return Some(inside);
        }
    }
    None
}

/// How many calls may stand in one another.
const DEEPEST: usize = 3;

/// Returns what the call at the beginning of a text makes a string of.
fn made_of(text: &str) -> Option<&str> {
    let text = text.strip_prefix("[]").unwrap_or(text);
    let text = text.strip_prefix("Base64.getDecoder().").unwrap_or(text);
    let name = letters_of(text, 0, 40, |b| word(b) || b == b':' || b == b'.');
    let inside = text[name..].strip_prefix('(')?;
    let inside = inside.strip_prefix("default=").unwrap_or(inside);
    let makes = name == 0 || MAKES.iter().any(|made| text[..name].ends_with(made));
    makes.then_some(inside)
}
