//! A value that is given to a name, as the text has it.

use super::around::BLANKS;

/// The most bytes of a value without quotes, and as many of a longer one are looked at.
pub(super) const MOST: usize = 256;

/// What stands behind the sign of an assignment.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else of where a value stands"
)]
pub(super) struct Assigned<'a> {
    pub(super) text: &'a str,
    /// Whether only a literal can be a value here, as in a call.
    pub(super) needs_quotes: bool,
    /// Whether it is that of an element, whose end has to follow.
    pub(super) is_content: bool,
    /// Whether it stands where only a setting can.
    pub(super) is_setting: bool,
    /// Whether nothing but what it is made of tells it from a word.
    pub(super) is_bare: bool,
}

/// A value that only a literal can be.
pub(super) fn literal(text: &str) -> Assigned<'_> {
    Assigned {
        text: text.trim_start_matches(BLANKS),
        needs_quotes: true,
        is_content: false,
        is_setting: false,
        is_bare: false,
    }
}

/// A value as YAML has it: with quotes, or without them up to the end of its line.
pub(super) fn setting(text: &str) -> Assigned<'_> {
    Assigned {
        needs_quotes: false,
        is_setting: true,
        ..literal(text)
    }
}
