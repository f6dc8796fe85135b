//! A value assigned to a name, as the text has it.

use super::around::BLANKS;

/// The most bytes of a value without quotes; of a longer value so many are read.
pub(super) const MOST: usize = 256;

/// The text after the sign of an assignment.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else of where a value stands"
)]
pub(super) struct Assigned<'a> {
    pub(super) text: &'a str,
    /// Whether only a literal can be a value here, as in a call.
    pub(super) needs_quotes: bool,
    /// Whether this is the content of an element, whose end must follow.
    pub(super) is_content: bool,
    /// Whether only a setting can stand here.
    pub(super) is_setting: bool,
    /// Whether only its characters tell it from a word.
    pub(super) is_bare: bool,
}

/// A value that must be a literal.
pub(super) fn literal(text: &str) -> Assigned<'_> {
    Assigned {
        text: text.trim_start_matches(BLANKS),
        needs_quotes: true,
        is_content: false,
        is_setting: false,
        is_bare: false,
    }
}

/// A value as in YAML: in quotes, or without them up to the end of its line.
pub(super) fn setting(text: &str) -> Assigned<'_> {
    Assigned {
        needs_quotes: false,
        is_setting: true,
        ..literal(text)
    }
}
