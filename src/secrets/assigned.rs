//! Values that are assigned to a telling name and look random.

use super::letters::{ahead, base64, dashed, dotted, is_random};

/// The fewest and the most characters of an assigned value. Most passwords of programs lie
/// between, and most words that a program assigns are shorter.
const MIN_ASSIGNED: usize = 12;
const MAX_ASSIGNED: usize = 256;

/// Bits in each character of an assigned value. Sixteen random hexadecimal digits
/// have about 3.1, names of things mixed with numbers about 3.
const MIN_BITS: f64 = 3.1;

/// A name, an assignment, and a value that looks random: `password = "…"`,
/// `"token": "…"`, `define('DB_PASSWORD', '…')`, `<secret>…</secret>`, `TOKEN=…`.
pub(super) fn assigned(text: &str, start: usize, end: usize) -> Option<usize> {
    let rest = ahead(text, end);
    // The rest of the name: `secret_value`, `token2`.
    let name = rest.bytes().take(24).take_while(|b| dashed(*b)).count();
    let value = after_sign(&rest[name..])?;
    let before = rest.len() - value.text.len();
    let length = match value.text.as_bytes().first() {
        Some(quote @ (b'"' | b'\'' | b'`')) => {
            let inner = &value.text[1..];
            let length = inner
                .bytes()
                .take_while(|b| b.is_ascii_graphic() && b != quote)
                .count();
            let closed = inner.as_bytes().get(length) == Some(quote);
            (closed && looks_secret(&inner[..length])).then_some(1 + length)?
        }
        _ if value.needs_quotes => return None,
        _ => bare(text, start, value.text)?,
    };
    Some(end - start + before + length)
}

/// What stands behind the sign of an assignment.
struct Assigned<'a> {
    text: &'a str,
    /// Whether only a literal can be a value here, as in a call.
    needs_quotes: bool,
}

fn after_sign(rest: &str) -> Option<Assigned<'_>> {
    let blank = |c: char| c == ' ' || c == '\t';
    let rest = rest
        .trim_start_matches(['"', '\'', ']'])
        .trim_start_matches(blank);
    let signs = rest
        .bytes()
        .take(3)
        .take_while(|b| b":=>".contains(b))
        .count();
    if signs == 0 {
        let text = rest.strip_prefix([',', '('])?.trim_start_matches(blank);
        return Some(Assigned {
            text,
            needs_quotes: true,
        });
    }
    let text = rest[signs..].trim_start_matches(blank);
    // `password: &str = "…"`
    let is_type = |b: u8| b.is_ascii_alphanumeric() || b"&<>_' ".contains(&b);
    let kind = text.bytes().take(32).take_while(|b| is_type(*b)).count();
    if signs == 1 && rest.starts_with(':') && text[kind..].starts_with('=') && kind > 0 {
        let text = text[kind + 1..].trim_start_matches(blank);
        return Some(Assigned {
            text,
            needs_quotes: true,
        });
    }
    Some(Assigned {
        text,
        needs_quotes: false,
    })
}

/// The length of a value without quotes: the rest of a line in an `.env` file or the
/// like, or the content of an element. In code there are quotes.
fn bare(text: &str, start: usize, value: &str) -> Option<usize> {
    let length = value
        .bytes()
        .take(MAX_ASSIGNED + 1)
        .take_while(|b| b.is_ascii_graphic() && !b"<\"'`".contains(b))
        .count();
    let (shown, behind) = value.split_at(length);
    let line_end = behind.trim_start_matches([' ', '\t']);
    let ends =
        line_end.is_empty() || line_end.starts_with(['\r', '\n', '#']) || behind.starts_with("</");
    // Most do not end here, and the rest takes several looks at every letter.
    if !ends {
        return None;
    }
    let is_plain = shown.bytes().all(|b| base64(b) || dotted(b));
    let symbols_fit =
        !shown.starts_with('$') && !shown.contains(['(', ')', '[', ']', '{', '}', ';', ',']);
    let is_setting = symbols_fit && starts_line(text, start);
    ((is_plain || is_setting) && looks_secret(shown)).then_some(length)
}

/// Whether only a name stands before this on its line, as in a file of settings.
fn starts_line(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    let name = before
        .iter()
        .rev()
        .take(64)
        .take_while(|b| dotted(**b) || b" \t+".contains(b))
        .count();
    matches!(
        before.len().checked_sub(name + 1).map(|at| before[at]),
        None | Some(b'\n')
    )
}

fn looks_secret(value: &str) -> bool {
    let long = (MIN_ASSIGNED..=MAX_ASSIGNED).contains(&value.len());
    long && is_random(value, MIN_BITS) && is_no_word(value)
}

/// Whether letters and digits are mixed, as they are not in a name or a piece of code.
fn is_no_word(value: &str) -> bool {
    let is_code = ["EXAMPLE", "${", "{{", "%(", "()", "://", "::", "->"];
    if is_code.iter().any(|sign| value.contains(sign)) {
        return false;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    // `module.function.name2`, `some-long-name-of-2024`
    let parts = value
        .bytes()
        .filter(|b| matches!(b, b'.' | b'-' | b'_' | b'/'))
        .count();
    // In words letters of a kind stand together, in random texts they do not.
    let kind = |b: &u8| {
        (
            b.is_ascii_digit(),
            b.is_ascii_uppercase(),
            b.is_ascii_alphanumeric(),
        )
    };
    let changes = value
        .as_bytes()
        .windows(2)
        .filter(|two| kind(&two[0]) != kind(&two[1]))
        .count();
    let is_mixed = digits >= 2 || digits == 1 && changes * 20 >= value.len() * 9;
    is_mixed && letters >= 2 && parts * 6 <= value.len()
}
