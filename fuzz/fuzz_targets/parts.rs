//! Source that is cut into parts. The first line names the language.
#![no_main]

use context_packer::fuzz::parts;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (language, text) = text.split_once('\n').unwrap_or(("rust", text));
    let mut next = 0;
    for lines in parts(language, text) {
        assert_eq!(lines.start, next);
        assert!(lines.end > lines.start);
        next = lines.end;
    }
    assert_eq!(next, text.lines().count());
});
