//! Source that is cut into parts and outlined. The first line names the language.
#![no_main]

use context_packer::fuzz::{outline, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (language, text) = text.split_once('\n').unwrap_or(("rust", text));
    let mut next = 0;
    for lines in parts(language, text) {
        assert_eq!(lines.start, next);
        assert!(lines.end > lines.start);
        next = lines.end;
    }
    let total = text.lines().count();
    assert_eq!(next, total);
    let mut next = 0;
    let mut shown = 0;
    for lines in outline(language, text) {
        assert!(lines.start >= next && lines.end > lines.start);
        next = lines.end;
        shown += lines.len();
    }
    assert!(next <= total && shown * 2 <= total);
});
