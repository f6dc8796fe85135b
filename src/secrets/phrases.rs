//! Seed phrases of wallets: `mnemonic = "… … …"`.

use std::ops::Range;

use super::letters::{ahead, letters_of, word};
use super::literals::quote;

/// How many words a seed phrase may have, all from one list.
const COUNTS: [usize; 5] = [12, 15, 18, 21, 24];

/// Finds a seed phrase assigned to a name, in quotes or up to the end of the line.
pub(super) fn seed(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let between = letters_of(rest, 0, 40, |b| b"\"']: \t\n=({".contains(&b) || word(b));
    let sign = rest[..between].rfind(['=', ':', '('])?;
    let value = rest[sign + 1..].trim_start_matches([' ', '\t']);
    let value = &value[quote(value).unwrap_or(0)..];
    let length = letters_of(value, 0, 240, |b| b.is_ascii_lowercase() || b == b' ');
    let at = end + rest.len() - value.len();
    is_seed(value[..length].trim_end()).then_some(start..at + length)
}

/// Whether these are as many words as a seed phrase has, each as long as those of the list and
/// hardly any twice: examples repeat one word.
pub(super) fn is_seed(phrase: &str) -> bool {
    let mut words: Vec<&str> = phrase.split(' ').collect();
    let count = words.len();
    let is_word = |word: &&str| (3..=8).contains(&word.len());
    let holds = COUNTS.contains(&count) && words.iter().all(is_word);
    words.sort_unstable();
    words.dedup();
    holds && words.len() * 4 >= count * 3
}

#[cfg(test)]
mod tests {
    use super::super::find;

    #[test]
    fn a_seed_of_words_is_told() {
        let seed = "legal winner thank year wave sausage worth useful actor doctor yellow zebra";
        for text in [
            format!("MNEMONIC=\"{seed}\"\n"),
            format!("new HDWalletProvider(\"{seed}\", url)"),
            format!("ethers.Wallet.fromMnemonic('{seed}')"),
            format!("mnemonic: {{\n  phrase: \"{seed}\"\n}}"),
            format!("  mnemonic: '{seed}',\n"),
            format!("seed_phrase = \"{seed} abandon ability able\"\n"),
            format!("const mnemonic: string = `{seed}`;\n"),
            format!("MNEMONIC={seed}\n"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
        for text in [
            format!("mnemonic: '{} junk'", "test ".repeat(11).trim_end()),
            "mnemonic = \"the words of a seed\"\n".to_owned(),
            "mnemonic: a name that is easy to remember and stands for something else in it\n"
                .into(),
            format!("words = \"{seed}\"\n"),
        ] {
            assert!(find(&text).is_empty(), "{text}");
        }
    }
}
