//! What checks print: stages, SARIF, JSON and lines, told apart by their content.
#![no_main]

use context_packer::builders::Validation;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(found) = Validation::parse(text) else {
        return;
    };
    let again = Validation::parse(text).expect("the same text is read again");
    assert_eq!(found.errors, again.errors);
    assert_eq!(found.failed, again.failed);

    // What stages say is taken as it is, twice and at line 0 as well; each takes some signs.
    assert!(found.errors.len() <= text.len());
    let length = |error: &context_packer::builders::ValidationError| {
        error.message.len() + error.file.as_ref().map_or(0, String::len)
    };
    let total: usize = found.errors.iter().map(length).sum();
    // An argument stands in a message as often as the message asks for it, and no
    // argument asks for another.
    assert!(total <= text.len() * text.len());
});
