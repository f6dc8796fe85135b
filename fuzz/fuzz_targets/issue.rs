//! An issue as `gh` prints it; what is no JSON is taken for an issue's text.
#![no_main]

use context_packer::fuzz::{Issue, mentions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let issue = Issue::parse(text).unwrap_or_else(|_| Issue {
        body: text.to_owned(),
        ..Issue::default()
    });
    let json = serde_json::to_string(&issue).expect("an issue can be written");
    assert_eq!(Issue::parse(&json).expect("and read back"), issue);

    let found = mentions(&issue);
    assert_eq!(found, mentions(&issue));
    for (path, lines) in found {
        assert!(!path.is_empty() && path.len() <= 4096);
        assert!(lines.is_none_or(|(first, last)| 0 < first && first <= last));
    }
});
