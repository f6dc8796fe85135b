//! Bytes as text: UTF-8, or what a byte order mark says.

/// How many bytes at the start of a file are searched for a NUL, which makes it a binary file. Git
/// looks at about as much.
pub(super) const BINARY_PROBE: usize = 8 * 1024;

/// A file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The text, without a byte order mark.
    pub text: String,
    /// Whether a UTF-8 byte order mark was before it.
    pub marked: bool,
    /// Whether invalid parts were replaced by U+FFFD.
    pub replaced: bool,
    /// The size on disk in bytes.
    pub bytes: u64,
}

/// Whether a file that begins like this is not text: it has a NUL, and none of the byte order marks
/// of wider characters.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let probe = &bytes[..bytes.len().min(BINARY_PROBE)];
    let is_wide = utf32_mark(bytes).is_some() || utf16_mark(bytes).is_some();
    !is_wide && memchr::memchr(0, probe).is_some()
}

/// Decodes the text of a file of this size in bytes.
pub fn decode(mut bytes: Vec<u8>, size: u64) -> FileText {
    let marked = bytes.starts_with(b"\xef\xbb\xbf");
    if marked {
        bytes.drain(..3);
    }
    let wide = bytes.as_slice();
    let (text, replaced) = match (utf32_mark(wide), utf16_mark(wide)) {
        _ if marked => decode_utf8(bytes),
        (Some(letter), _) => decode_utf32(&bytes[4..], letter),
        (None, Some(unit)) => decode_utf16(&bytes[2..], unit),
        (None, None) => decode_utf8(bytes),
    };
    FileText {
        text,
        marked,
        replaced,
        bytes: size,
    }
}

/// Reads four bytes as a character's number, in the order that the mark announces.
type Letter = fn([u8; 4]) -> u32;

/// The mark begins like that of UTF-16, which would be followed by a character of number 0.
fn utf32_mark(bytes: &[u8]) -> Option<Letter> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Some(u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, ..] => Some(u32::from_be_bytes),
        _ => None,
    }
}

fn decode_utf32(bytes: &[u8], letter: Letter) -> (String, bool) {
    let letters = bytes.chunks(4);
    let letters = letters.map(|four| {
        four.try_into()
            .ok()
            .and_then(|it| char::from_u32(letter(it)))
    });
    let mut replaced = false;
    let text = letters.map(|letter| {
        replaced |= letter.is_none();
        letter.unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    (text.collect(), replaced)
}

/// Reads two bytes as a UTF-16 unit, in the order that the mark announces.
type Unit = fn([u8; 2]) -> u16;

fn utf16_mark(bytes: &[u8]) -> Option<Unit> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

fn decode_utf16(bytes: &[u8], unit: Unit) -> (String, bool) {
    let pairs = bytes.chunks_exact(2);
    // Half a unit at the end says nothing, like the first half of a pair before it.
    let mut half = !pairs.remainder().is_empty();
    let mut replaced = half;
    let units = pairs.map(|pair| unit([pair[0], pair[1]]));
    let mut text: String = char::decode_utf16(units)
        .map(|letter| {
            letter.unwrap_or_else(|_| {
                replaced = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    half &= !text.ends_with(char::REPLACEMENT_CHARACTER);
    if half {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    (text, replaced)
}

fn decode_utf8(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (String, bool) {
        let file = decode(bytes.to_vec(), 0);
        (file.text, file.replaced)
    }

    #[test]
    fn a_byte_order_mark_is_dropped_and_line_ends_stay() {
        assert_eq!(text(b"\xef\xbb\xbfa\r\nb"), ("a\r\nb".into(), false));
    }

    #[test]
    fn invalid_utf8_is_replaced_and_said() {
        assert_eq!(text(b"a\xffb"), ("a\u{fffd}b".into(), true));
    }

    #[test]
    fn utf16_is_decoded_in_both_orders() {
        assert_eq!(text(b"\xff\xfeh\0i\0"), ("hi".into(), false));
        assert_eq!(text(b"\xfe\xff\0h\0i"), ("hi".into(), false));
        assert_eq!(text(b"\xff\xfe\0\xd8x"), ("\u{fffd}".into(), true));
        assert_eq!(text(b"\xff\xfea\0b"), ("a\u{fffd}".into(), true));
    }

    #[test]
    fn utf32_is_decoded_in_both_orders() {
        assert_eq!(text(b"\xff\xfe\0\0h\0\0\0i\0\0\0"), ("hi".into(), false));
        assert_eq!(text(b"\0\0\xfe\xff\0\0\0h\0\0\0i"), ("hi".into(), false));
        assert_eq!(
            text(b"\xff\xfe\0\0\0\xd8\0\0h"),
            ("\u{fffd}\u{fffd}".into(), true)
        );
        let mark = b"\0\0\xfe\xff";
        assert!(text(mark) == (String::new(), false) && !is_binary(mark));
    }
}
