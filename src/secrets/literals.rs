//! Literals: text in quotes, in the form of each language.

use super::letters::{dotted, letters_of};
use super::values::{is_of_app, is_salt};

/// Returns how many characters open a literal: the quote and its prefix.
pub(super) fn quote(value: &str) -> Option<usize> {
    let prefix = letters_of(value, 0, 3, |b| b"brufLN@$#\\".contains(&b));
    value
        .as_bytes()
        .get(prefix)
        .is_some_and(|b| b"\"'`".contains(b))
        .then_some(prefix + 1)
}

/// Returns the literal at the beginning of a text, and what follows it.
pub(super) fn literal(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let opening = quote(text)?;
    let mark = text[..opening].chars().next_back()?;
    let (literal, behind) = text[opening..].split_once(mark)?;
    // `\"…\"`, in a literal.
    Some((literal.trim_end_matches('\\'), behind))
}

/// Quotes as HTML, URLs and JSON escape them.
const WRITTEN_QUOTES: &[&str] = &[
    "&quot;", "&#34;", "&#39;", "&#x27;", "&apos;", "%22", "%27", "\\u0022", "\\u0027",
];

/// Returns the escaped quote at the beginning of a text.
fn written_quote(text: &str) -> Option<&'static str> {
    // Hardly any text begins so, and every name is asked.
    if !matches!(text.as_bytes().first(), Some(b'&' | b'%' | b'\\')) {
        return None;
    }
    let mut quotes = WRITTEN_QUOTES.iter();
    quotes.find(|quote| text.starts_with(**quote)).copied()
}

/// Returns what follows a name in escaped quotes, as in `&quot;password&quot;: &quot;…`, if it is a
/// literal in such quotes.
pub(super) fn behind_written_quote(rest: &str) -> Option<&str> {
    let rest = match written_quote(rest) {
        Some(quote) => rest[quote.len()..].trim_start(),
        // In an address the sign is written out too.
        None if rest.starts_with('%') => rest,
        None => return None,
    };
    let mut signs = [":", "=&gt;", "=>", "=", "%3A", "%3a", "%3D", "%3d"].iter();
    let value = signs.find_map(|sign| rest.strip_prefix(*sign))?;
    let value = value.trim_start();
    let value = value.strip_prefix("%20").unwrap_or(value);
    written_quote(value).map(|_| value)
}

/// Returns a value in an address with escaped characters: `%26token%3D…%26`.
pub(super) fn in_address(rest: &str) -> Option<&str> {
    let behind = rest.strip_prefix('%')?;
    let value = ["3D", "3d", "253D", "253d"]
        .iter()
        .find_map(|it| behind.strip_prefix(it))?;
    let length = letters_of(value, 0, 128, dotted);
    Some(&value[..length])
}

/// Returns the length of a literal in escaped quotes, without the closing quote, if `holds` accepts
/// it.
pub(super) fn quoted_in_writing(value: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let quote = written_quote(value)?;
    let (shown, _) = value[quote.len()..].split_once(quote)?;
    let is_text = shown.contains(|c: char| c.is_whitespace() || c.is_control());
    (!is_text && holds(shown)).then_some(quote.len() + shown.len())
}

/// Returns a literal that ends on its first line, and what follows it.
pub(super) fn line_literal(text: &str) -> Option<(&str, &str)> {
    literal(text).filter(|(literal, _)| !literal.contains('\n'))
}

/// Returns the length of a literal without its quotes, if `holds` accepts it; `value` begins with
/// its quote.
pub(super) fn quoted(value: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let quote = value.chars().next()?;
    let inner = &value[1..];
    if let Some(length) = thrice_quoted(quote, inner, holds) {
        return Some(length);
    }
    let end = inner.find(|c: char| c == quote || c.is_control())?;
    let closed = inner[end..].starts_with(quote);
    let shown = inner[..end].trim_end_matches('\\');
    // A literal in a literal is code.
    let is_text = shown.contains(char::is_whitespace) && !is_salt(shown) && !is_of_app(shown)
        || shown.len() > 1 && shown.starts_with(['"', '\'']) && shown.ends_with(['"', '\'']);
    let holds = |shown: &str| holds(shown) || unescaped(shown).is_some_and(|meant| holds(&meant));
    (closed && !is_text && holds(shown)).then_some(shown.len())
}

/// Decodes a text that consists only of characters written as `\u0041`.
fn unescaped(text: &str) -> Option<String> {
    if !text.starts_with("\\u") {
        return None;
    }
    let character = |digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    text.split("\\u").skip(1).map(character).collect()
}

/// Returns the length of `q{…}` with its bracket, if `holds` accepts the content.
pub(super) fn perl_quoted(value: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let inner = value.strip_prefix('q')?;
    let inner = inner.strip_prefix('q').unwrap_or(inner);
    let close = match inner.chars().next()? {
        '{' => '}',
        '(' => ')',
        '[' => ']',
        _ => return None,
    };
    let end = inner.find(|c: char| c == close || c.is_whitespace())?;
    let is_closed = inner[end..].starts_with(close);
    (is_closed && holds(&inner[1..end])).then_some(value.len() - inner.len() + end)
}

/// Returns the length of `<![CDATA[…]]>`, `[[…]]` of Lua or `''…''` of Nix without its end, if
/// `holds` accepts the content.
pub(super) fn bracketed(value: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let forms = [("<![CDATA[", "]]>"), ("[[", "]]"), ("''", "''")];
    let mut forms = forms.iter();
    let (inner, end) = forms.find_map(|(begin, end)| Some((value.strip_prefix(begin)?, end)))?;
    let (shown, _) = inner.split_once(end)?;
    let is_text =
        shown.contains(char::is_whitespace) || *end == "]]" && shown.contains(['"', '\'', ',']);
    (!is_text && holds(shown)).then_some(value.len() - inner.len() + shown.len())
}

/// Does the same for `"""…"""`, on one line or on the line below; `inner` is the text after the
/// first quote.
fn thrice_quoted(quote: char, inner: &str, holds: &impl Fn(&str) -> bool) -> Option<usize> {
    let text = inner.strip_prefix(quote)?.strip_prefix(quote)?;
    let value = text.trim_start_matches(['\\', '\r', '\n', ' ', '\t']);
    let shown = value.split(['\r', '\n', quote]).next()?;
    let behind = value[shown.len()..].trim_start();
    let closed = behind.strip_prefix(quote)?.strip_prefix(quote)?;
    let is_value = closed.starts_with(quote) && !shown.contains(char::is_whitespace);
    (is_value && holds(shown)).then_some(inner.len() - value.len() + shown.len())
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn a_password_between_quotes_that_are_written_out_is_told() {
        const P: &str = "x9Kq2mZ7vB4nT1wY8rL5";
        for (text, count) in [
            (format!("&quot;password&quot;: &quot;{P}&quot;"), 1),
            (format!("db_password = &quot;{P}&quot;"), 1),
            (format!("&#39;password&#39; =&gt; &#39;{P}&#39;,"), 1),
            (format!("?api_key%3D%22{P}%22"), 1),
            (format!("?api_key%3d%22{P}%22"), 1),
            (format!("?q=%7b%22api_key%22%3a%22{P}%22%7d"), 1),
            (format!("?q=%7B%22api_key%22%3A%22{P}%22%7D"), 1),
            (format!("\\u0022secret\\u0022: \\u0022{P}\\u0022"), 1),
            ("&quot;password&quot;: &quot;a password&quot;".into(), 0),
            (format!("&quot;password&quot;, &quot;{P}&quot;"), 0),
            (format!("&quot;password_id&quot;: &quot;{P}&quot;"), 0),
        ] {
            assert_eq!(find(&text).len(), count, "{text}");
        }
    }

    #[test]
    fn a_literal_may_have_two_signs_on_each_side_or_lines_of_its_own() {
        const P: &str = "Winter2025#nAr";
        for (text, count) in [
            (format!("local password = [[{P}]]"), 1),
            (format!("  password = ''{P}'';"), 1),
            (format!("PASSWORD = <<~EOS\n  {P}\nEOS\n"), 1),
            (format!("PASSWORD=$(cat <<'EOF'\n{P}\nEOF\n)"), 1),
            (
                "\"tokens\": [[67,\"connecting-to-databases-with-access-tokens\"]]".into(),
                0,
            ),
            (format!("f(password='', name='{P}')"), 0),
            ("PASSWORD = <<~EOS\n  words about it\nEOS\n".into(), 0),
        ] {
            assert_eq!(find(&text).len(), count, "{text}");
        }
    }

    #[test]
    fn a_password_of_characters_that_are_written_out_is_told() {
        let written = |text: &str| -> String {
            let character = |c: char| format!("\\u{:04x}", u32::from(c));
            text.chars().map(character).collect()
        };
        let text = format!("{{\"password\": \"{}\"}}", written("x9Kq2mZ7vB4n"));
        assert_eq!(find(&text).len(), 1, "{text}");
        let text = format!("{{\"password\": \"{}\"}}", written("password"));
        assert!(find(&text).is_empty(), "{text}");
    }
}
