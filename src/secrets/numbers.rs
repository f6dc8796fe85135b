//! A key written as a list of its bytes: `[174,47,154,…]`.

use memchr::memchr;

use super::letters::{letters_of, word};

/// The number of bytes in a key pair of the curve that wallets use.
const COUNT: usize = 64;

/// The most characters before a list.
const LONGEST_CALL: usize = 32;

/// The most characters of such a list.
const MOST: usize = 1024;

/// Returns the length of a list with as many bytes as a key pair, if they are in no order, also as
/// the argument of a call: `Uint8Array.from([…])`.
pub(super) fn numbers(text: &str) -> Option<usize> {
    let call = memchr(b'[', &text.as_bytes()[..text.len().min(LONGEST_CALL)])?;
    let is_call = |b: u8| word(b) || matches!(b, b'.' | b'(' | b' ');
    let list = &text[call + "[".len()..];
    if !list.starts_with(|c: char| c.is_ascii_digit() || c.is_whitespace())
        || !text[..call].bytes().all(is_call)
    {
        return None;
    }
    let length = letters_of(list, 0, MOST, |b| {
        b.is_ascii_digit() || b == b',' || b.is_ascii_whitespace()
    });
    if !list[length..].starts_with(']') {
        return None;
    }
    let numbers = list[..length].trim_end().trim_end_matches(',').split(',');
    let bytes: Result<Vec<u8>, _> = numbers.map(|number| number.trim().parse()).collect();
    let bytes = bytes.ok().filter(|bytes| bytes.len() == COUNT)?;
    is_random(&bytes).then_some(call + "[".len() + length)
}

/// Whether a text is nothing but such a list, as a wallet's file is.
pub(super) fn is_wallet(text: &str) -> bool {
    let text = text.trim_end();
    text.starts_with('[')
        && text.len() <= MOST
        && numbers(text).is_some_and(|end| end + 1 == text.len())
}

/// Whether bytes do not follow one another as in a table.
fn is_random(bytes: &[u8]) -> bool {
    const FEW: usize = COUNT / 4;
    let small = bytes.iter().filter(|byte| byte.is_ascii()).count();
    let rises = bytes.windows(2).filter(|two| two[0] < two[1]).count();
    let mut different = bytes.to_vec();
    different.sort_unstable();
    different.dedup();
    let is_about_half = |count: usize| (FEW..=COUNT - FEW).contains(&count);
    is_about_half(small) && is_about_half(rises) && different.len() > COUNT - FEW
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn list(byte: impl Fn(usize) -> usize) -> String {
        let numbers: Vec<String> = (0..COUNT).map(|at| (byte(at) % 256).to_string()).collect();
        format!("[{}]", numbers.join(","))
    }

    #[test]
    fn a_key_that_is_a_list_of_numbers_is_told() {
        let random = list(|at| at * at * 7919 / 13 + at * 101);
        for text in [
            random.clone(),
            format!("{random}\n"),
            format!("SECRET_KEY={random}\n"),
            format!("Keypair.fromSecretKey(Uint8Array.from({random}))"),
            format!("{{\"privateKey\": {}}}", random.replace(',', ",\n ")),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            list(|at| at),
            list(|at| 256 - at),
            list(|at| at % 7 * 30),
            format!("SECRET_KEY={}\n", list(|at| at * 3)),
            format!("TABLE={random}\n"),
            format!("[{random}, 1]"),
            format!("SECRET_KEY={}\n", random.replacen(',', ",1,", 1)),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
