//! Tells whether letters and digits follow each other as in no word and no name.

/// For each letter, the letters that follow it in words: this covers 97 of 100 pairs in the names
/// and sentences of programs, and less than half of those in random text.
const FOLLOWING: [&[u8]; 26] = [
    b"abcdefgiklmnprstuvwy",
    b"abcdefilorsuy",
    b"abcdefhiklmorstuy",
    b"abcdefilorsuy",
    b"abcdefgilmnopqrstuvwxy",
    b"acdefilorstuy",
    b"aeghilnorsu",
    b"aeimortu",
    b"abcdefglmnoprstvxz",
    b"aeou",
    b"aeis",
    b"adeilopstuvy",
    b"abeilmopsu",
    b"acdefgiklnopstuvy",
    b"abcdfgiklmnoprstuvw",
    b"aehiloprstuy",
    b"u",
    b"abcdefgiklmnoprstuvy",
    b"acefghiklmnopstuwy",
    b"acdefhilmoprstuy",
    b"abcdefgilmnprst",
    b"aeio",
    b"aehinors",
    b"aceipt",
    b"eimnps",
    b"aei",
];

/// Whether at least one in four characters stands where no word or name has it. That holds for
/// nearly all random texts with letters of both cases, and for one of twenty-five names in
/// programs, most of them with abbreviations.
pub(super) fn is_jumbled(value: &str) -> bool {
    oddities(value) * 4 >= value.len()
}

/// Counts the characters that stand where no word or name has them.
pub(super) fn oddities(value: &str) -> usize {
    let mut odd = 0;
    let mut last = b' ';
    // How many letters the word has that `last` is in; a capital letter begins one.
    let mut word = 0;
    for next in value.bytes() {
        odd += usize::from(is_odd(last, next, word));
        word = match next {
            b'A'..=b'Z' => 1,
            b'a'..=b'z' => word + 1,
            _ => 0,
        };
        last = next;
    }
    odd
}

/// Whether no name has these two in a row, `word` letters after the first one's word began.
fn is_odd(last: u8, next: u8, word: usize) -> bool {
    match (last, next) {
        // `someName`, but hardly `aBcD`.
        (b'a'..=b'z', b'A'..=b'Z') => word <= 2,
        (b'a'..=b'z' | b'A'..=b'Z', b'a'..=b'z' | b'A'..=b'Z') => !follows(last, next),
        // Numbers stand behind words.
        (b'0'..=b'9', b'a'..=b'z' | b'A'..=b'Z') => true,
        (b'a'..=b'z', b'0'..=b'9') => word == 1,
        (b'!' | b'#' | b'$' | b'%' | b'&' | b'*' | b'@' | b'^', _) => next.is_ascii_alphabetic(),
        _ => false,
    }
}

fn follows(last: u8, next: u8) -> bool {
    let letter = last.to_ascii_lowercase() - b'a';
    FOLLOWING[usize::from(letter)].contains(&next.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_letters_are_told_from_words_and_names() {
        for value in [
            "KVBDFhesNLUd",
            "ROekhepnjhikNBux",
            "ImAm#FinjpVP",
            "JnZqfTy^py$Awobx",
            "io3p3r37",
            "cfBAepfJ",
        ] {
            assert!(is_jumbled(value), "{value}");
        }
        for value in [
            "ManyToMany",
            "CurrentPassword",
            "passwordFieldLabel",
            "XMLHttpRequest",
            "getOAuthToken",
            "SHA256Digest",
            "utf8mb4_bin",
            "correct-horse",
            "Winter!Ocean",
            "PASSWORD_RESET",
            "x509Certificate",
            "Contraseña",
        ] {
            assert!(!is_jumbled(value), "{value}");
        }
    }
}
