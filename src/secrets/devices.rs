//! Passwords as routers and switches store them: in plain text, hashed, or obscured in a way that
//! anybody can reverse.

use std::ops::Range;

use super::letters::{ahead, base64, dotted, hex, letters_of};
use super::literals::line_literal;
use super::values::is_secret;
use crate::split::place_in;

/// `secret 5 $1$…`: a hash after the number of its type.
pub(super) fn kept(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 160, |b| dotted(b) || base64(b) || b == b'$');
    let mut parts = text[end..end + length].split('$');
    let kind = parts.next().filter(|it| it.is_empty()).and(parts.next());
    let is_hash = kind.is_some_and(|it| it.len() == 1 && it.bytes().all(|b| b.is_ascii_digit()));
    let holds = length >= 20 && is_hash && parts.next().is_some();
    holds.then_some(start..end + length)
}

/// `PASSWORD '*…'`, a literal with a hash of forty digits, and `SCRAM-SHA-256$4096:…`.
pub(super) fn of_database(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 160, |b| base64(b) || b"$:".contains(&b));
    let value = &text[end..end + length];
    let is_plain = value.len() == 40 && value.bytes().all(|b| hex(b) && !b.is_ascii_lowercase());
    let holds = is_plain || value.len() >= 60 && value.contains('$') && value.contains(':');
    holds.then_some(start..end + length)
}

/// `password 7 …`: two digits give the offset into a well-known table whose bytes are combined with
/// those of the password; each result is written as two hexadecimal digits.
pub(super) fn hidden(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let length = letters_of(text, end, 128, hex);
    let number = text.get(end..end + 2)?.parse::<u8>().ok()?;
    let is_alone = ahead(text, end + length).is_empty()
        || text[end + length..].starts_with(['\n', '\r', ' ', '"']);
    let holds = length >= 14 && length.is_multiple_of(2) && number <= 15 && is_alone;
    holds.then_some(start..end + length)
}

/// `"$9$…"`, which can be reversed without a key.
pub(super) fn turned(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    let (value, _) = line_literal(ahead(text, start))?;
    let at = place_in(text, value);
    let holds = (14..=160).contains(&value.len()) && is_secret(value);
    holds.then_some(at..at + value.len())
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn passwords_of_devices_are_told_however_they_are_kept() {
        for text in [
            "username admin privilege 15 secret 0 w1F96ewn294oUe\n",
            "enable secret 5 $1$J8xr$auScPDIsJvSA3VTrzBuIAy\n",
            "username a secret 9 $9$J8xrauScPDIsJv$SA3VTrzBuIAyJ8xrauScPDIsJvSA3VTrzBuIAy\n",
            " password 7 0822455D0A16544541\n",
            "IDENTIFIED BY PASSWORD '*5589E59C23F7DDED529DC842915E9161126A7F24';",
            "PASSWORD 'SCRAM-SHA-256$4096:RQO5+vfEf3lhFIaBstOQ0w==$gnKRvoE8GrWw1FnRTLfb/XMrx6MaoJls=:RIrM'",
            "pre-shared-key ascii-text \"$9$3ywTezHrNQR0ueOZIQo7\"; ## SECRET-DATA\n",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "enable secret 5 names\n",
            "enable secret 5 $NAME_OF_A_HASH_OF_A_PASSWORD\n",
            "secret 0 and secret 1 are words\n",
            "password 7 characters at least\n",
            "password 7 99aabbccddeeff00\n",
            "echo \"$9$word_of_names\"",
            "awk \"$9$1\"",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
