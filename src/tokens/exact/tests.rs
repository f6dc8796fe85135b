//! The counts of other implementations.

use proptest::prelude::*;

use super::merge::Merger;
use super::table::{self, Vocabulary};
use super::{CL100K, O200K};

/// Texts with their tokens by `o200k_base` and `cl100k_base`, as OpenAI's own `tiktoken` 0.14
/// counts them.
const COUNTED: &[(&str, usize, usize)] = &[
    ("", 0, 0),
    ("hello world", 2, 2),
    ("tiktoken is great!", 6, 6),
    ("don't DON'T they'LL we've I'm he'd it'S", 10, 15),
    ("it'\u{17f} long s, x'\u{17f}t", 10, 12),
    (
        "fn main() {\n    let total: u64 = parts.iter().sum();\n}\n",
        17,
        17,
    ),
    ("\tif x != nil {\r\n\t\treturn err\r\n\t}\r\n", 11, 11),
    ("   three   spaces   ", 5, 5),
    ("\n\n\n  \n\t x", 4, 4),
    ("a\u{a0}b\u{3000}c\u{2028}d\u{85}e", 10, 11),
    (
        "123456789012 3.14159e-10 0xDEADBEEF \u{663}\u{664}\u{665} \u{2167}\u{b2}",
        26,
        29,
    ),
    (
        "日本語のテキストを数える\u{3002}今天天气很好\u{3002}한국어 문장입니다.",
        21,
        30,
    ),
    ("亚洲AV亚洲Ab", 3, 10),
    ("Größe naïve Ünïcödé ǅungla ʰH", 17, 20),
    ("e\u{301} \u{301}abc \u{301}ABC !\u{301}x", 11, 11),
    (
        "\u{1f980}\u{1f980}\u{1f980} \u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466} \u{1f1e9}\u{1f1ea} \u{2603}\u{fe0f}",
        27,
        35,
    ),
    ("русский текст с ошибкой", 6, 9),
    ("ह\u{93f}न\u{94d}द\u{940} म\u{947}\u{902} प\u{93e}ठ", 5, 12),
    (
        "\u{5e0}\u{5b4}\u{5e7}\u{5bc}\u{5d5}\u{5bc}\u{5d3} \u{5e2}\u{5d1}\u{5e8}\u{5d9}",
        9,
        16,
    ),
    (
        "\u{646}\u{635} \u{639}\u{631}\u{628}\u{64a} \u{645}\u{639} \u{62a}\u{634}\u{643}\u{64a}\u{644} \u{645}\u{64f}\u{62d}\u{64e}\u{645}\u{64e}\u{651}\u{62f}",
        10,
        20,
    ),
    ("//\n/// path/to/file\n\n//", 7, 7),
    ("a/b\\c...!?---===***", 9, 9),
    (
        "getHTTPResponseCode XMLHttpRequest snake_case_name kebab-case",
        12,
        11,
    ),
    ("<div class=\"a b\">&nbsp;</div>", 10, 10),
    ("{\"a\":[1,2,{\"b\":null}],\"c\":\"\\u00e9\"}", 21, 20),
    ("function(e){return e.t&&(n=r[i])||void 0}", 16, 16),
    ("aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0Lg==", 26, 28),
    ("\u{fffd}\u{fffd}\u{0}\u{1}\u{2}\u{fffd}\u{7f}", 6, 6),
    ("\u{d7ff}\u{e000}\u{10ffff}\u{e0041}", 13, 13),
    (
        "thethethethethethethethethethethethethethethethethethe",
        18,
        18,
    ),
    (
        "supercalifragilisticexpialidocioussupercalifragilisticexpialidocioussupercalifragilisticexpialidocious",
        30,
        37,
    ),
    (
        "                                                                                                                                                                                                        x",
        3,
        3,
    ),
    (
        "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
        9,
        6,
    ),
    (
        "==========================================================================================\n",
        3,
        2,
    ),
    (
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
        5,
        5,
    ),
];

#[test]
fn counts_are_those_of_tiktoken() {
    for (text, o200k, cl100k) in COUNTED {
        let counted = (O200K.count(text), CL100K.count(text));
        assert_eq!(counted, (*o200k, *cl100k), "{text:?}");
    }
}

#[test]
fn a_long_run_is_counted_as_any_text() {
    let text = "a".repeat(300_000);
    assert_eq!((O200K.count(&text), CL100K.count(&text)), (37_500, 37_500));
    assert_eq!(O200K.cut(&text, 10_000), 80_000);
}

fn second(name: &str) -> toktok::Tokenizer {
    toktok::Tokenizer::builtin(name).unwrap()
}

#[test]
fn each_token_of_a_vocabulary_is_one_token() {
    fn check(name: &str, vocabulary: Vocabulary) {
        let (second, mut merger) = (second(name), Merger::default());
        // A part of them: all take half a minute where nothing is optimised.
        for token in (0..second.vocab().n).step_by(29) {
            let bytes = second.vocab().token_bytes(token);
            assert_eq!(merger.count(vocabulary, bytes), 1, "{name}: {token}");
        }
    }
    check("o200k_base", table::O200K);
    check("cl100k_base", table::CL100K);
}

/// Texts of all kinds, except those that the second implementation reads differently from
/// `tiktoken`: a long s after an apostrophe.
fn texts() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        8 => "[a-z]{1,9}",
        4 => " {1,20}|[\\r\\n\\t ]{1,6}",
        4 => "[A-Z][a-z]{0,5}|[A-Z]{1,5}",
        4 => "'(s|S|t|re|VE|m|ll|d|x)?",
        4 => "[!-/:-@\\[-`{-~]{1,4}",
        2 => "[0-9]{1,5}",
        2 => "[\\u{4e00}-\\u{4eff}\\u{ac00}-\\u{acff}\\u{430}-\\u{44f}]{1,12}",
        2 => "\\PC{1,6}",
        1 => any::<String>(),
        1 => "[a-z]{40,120}",
        1 => proptest::collection::vec(any::<u8>(), 0..40)
            .prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ];
    let texts = proptest::collection::vec(parts, 0..40).prop_map(|parts| parts.concat());
    texts.prop_map(|text| text.replace('\u{17f}', "s"))
}

#[test]
fn a_second_implementation_counts_and_cuts_alike() {
    let pairs = [("o200k_base", &O200K), ("cl100k_base", &CL100K)];
    let pairs = pairs.map(|(name, exact)| (second(name), exact));
    proptest!(|(text in texts(), tokens in 0usize..90)| {
        for (second, exact) in &pairs {
            prop_assert_eq!(exact.count(&text), second.count(text.as_bytes()));
            let cut = second.truncate(text.as_bytes(), tokens);
            prop_assert_eq!(exact.cut(&text, tokens), cut.bytes);
        }
    });
}

#[test]
fn every_character_is_of_the_same_class_for_a_second_implementation() {
    let pairs = [("o200k_base", &O200K), ("cl100k_base", &CL100K)];
    let pairs = pairs.map(|(name, exact)| (second(name), exact));
    // Beyond these nothing is assigned but characters for private use.
    let all = ('\u{80}'..'\u{33500}').chain('\u{e0000}'..'\u{e0200}');
    let all: Vec<char> = all.filter(|c| *c != '\u{17f}').collect();
    for some in all.chunks(512) {
        let around = |c: &char| format!("a{c}B{c}1{c}2 {c} {c}");
        let text: String = some.iter().map(around).collect();
        for (second, exact) in &pairs {
            assert_eq!(
                exact.count(&text),
                second.count(text.as_bytes()),
                "{:?}",
                some[0]
            );
        }
    }
}
