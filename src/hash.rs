//! A hash that is the same on every machine. It names things; it guards nothing.

/// FNV-1a of texts, with a byte between that is in none of them.
pub fn of(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The hash of a text in sixteen digits, which may stand in a file's name.
pub fn digits(text: &str) -> String {
    format!("{:016x}", of(&[text]))
}
