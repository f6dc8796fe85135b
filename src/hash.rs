//! A hash that is the same on every machine. It names things; it guards nothing.

/// FNV-1a of texts, with a byte between that is in none of them.
pub const fn of(texts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut text = 0;
    while text < texts.len() {
        let bytes = texts[text].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            hash = with(hash, bytes[at]);
            at += 1;
        }
        hash = with(hash, 0xff);
        text += 1;
    }
    hash
}

const fn with(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}
