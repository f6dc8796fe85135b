//! A hash that is the same on every machine. It names things; it protects nothing.

/// Returns the FNV-1a hash of texts, separated by a byte that is in none of them.
pub fn of(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the hash of a text in sixteen digits, for use in a file's name.
pub fn digits(text: &str) -> String {
    format!("{:016x}", of(&[text]))
}
