//! The types of the values in a role.

/// The type of a value.
pub(super) enum Type {
    Text,
    /// Text on one line.
    Line,
    /// Text on one line that is a role's name.
    Name,
    Bool,
    Int(i64, i64),
    Texts,
    /// Names of sections.
    Keys,
    Patterns,
    Gates,
    Map,
    OneOf(&'static [Choice]),
    /// `true`, `false`, or a map of settings.
    Switch(&'static [Field]),
    /// `true`, `false`, or a list of texts.
    SwitchOrTexts,
    Settings(&'static [Field]),
}

/// A value that may be chosen, and what it means.
pub(super) type Choice = (&'static str, &'static str);

pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Type,
    /// What it is for, in a sentence or two.
    pub(super) text: &'static str,
}

pub(super) const fn field(name: &'static str, kind: Type, text: &'static str) -> Field {
    Field { name, kind, text }
}
