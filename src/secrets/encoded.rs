//! Base64 texts that hold a secret: addresses of databases, settings as JSON.

use std::ops::Range;

use super::escapes::continues;
use super::letters::{base64, letters_of};

/// Finds a base64 address or object that contains a secret.
pub(super) fn encoded(text: &str, start: usize, _: usize) -> Option<Range<usize>> {
    // Within a longer text it is something else; `=` stands at its end, or behind a name.
    let is_letter = |b: u8| base64(b) && b != b'=';
    let is_within = text[..start].bytes().next_back().is_some_and(is_letter);
    if is_within || continues(text, start) {
        return None;
    }
    // With `=` within, each of many beginnings would read all behind it.
    let letters = letters_of(text, start, MOST, is_letter);
    let length = letters + letters_of(text, start + letters, 2, |b| b == b'=');
    let meant = decode(&text[start..start + length]);
    let meant = String::from_utf8_lossy(&meant);
    let holds = length >= 24 && super::is_in_value(&meant);
    holds.then_some(start..start + length)
}

/// How many bytes of a long text are read.
const MOST: usize = 16 * 1024;

/// Decodes a text from base64, as far as it is base64.
pub(super) fn decode(encoded: &str) -> Vec<u8> {
    let digit = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let mut decoded = Vec::with_capacity(encoded.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for value in encoded.bytes().map_while(digit) {
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push((bits >> held & 0xff) as u8);
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn a_secret_in_base64_is_told() {
        for text in [
            // `postgres://app:rNfoXcfNywKlPBv7@db:5432/x`
            "URL: cG9zdGdyZXM6Ly9hcHA6ck5mb1hjZk55d0tsUEJ2N0BkYjo1NDMyL3g=\n",
            // `{"auths":{"r.io":{"password":"Kq0Lm8ZxT2vQp4"}}}`
            "conf: eyJhdXRocyI6eyJyLmlvIjp7InBhc3N3b3JkIjoiS3EwTG04WnhUMnZRcDQifX19\n",
            // The same behind a name, on several lines, in a list, and as settings of a cluster.
            "CONF=eyJhdXRocyI6eyJyLmlvIjp7InBhc3N3b3JkIjoiS3EwTG04WnhUMnZRcDQifX19\n",
            "conf: ewogICJwYXNzd29yZCI6ICJLcTBMbThaeFQydlFwNCIKfQo=\n",
            "conf: W3sicGFzc3dvcmQiOiJLcTBMbThaeFQydlFwNCJ9XQ==\n",
            "conf: YXBpVmVyc2lvbjogdjEKcGFzc3dvcmQ6IEtxMExtOFp4VDJ2UXA0Cg==\n",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            // `postgres://app:password@db:5432/x`, `{"a":{"r.io":{"password":"word"}}}`
            "URL: cG9zdGdyZXM6Ly9hcHA6cGFzc3dvcmRAZGI6NTQzMi94\n",
            "conf: eyJhIjp7InIuaW8iOnsicGFzc3dvcmQiOiJ3b3JkIn19fQ==\n",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_text_in_base64_ends_with_what_fills_it_up() {
        let encoded = "W3sicGFzc3dvcmQiOiJLcTBMbThaeFQydlFwNCJ9XQ==";
        let text = format!("a={encoded}=eyJhIjoxfQ=eyJhIjoxfQ");
        let found = find(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].place.clone()], encoded);
    }
}
