//! A text with what looks like secrets.
#![no_main]

use context_packer::fuzz::find_secrets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let found = find_secrets(text);
    assert_eq!(found, find_secrets(text));
    for secret in &found {
        assert!(!secret.place.is_empty());
        let before = text
            .get(..secret.place.start)
            .expect("it begins at a character");
        assert_eq!(secret.line, before.matches('\n').count() + 1);
        assert!(text.get(secret.place.clone()).is_some());
    }
    for pair in found.windows(2) {
        assert!(pair[0].place.end <= pair[1].place.start);
        assert!((pair[0].line, pair[0].kind) != (pair[1].line, pair[1].kind));
    }
});
