//! What distinguishes the languages.

/// What distinguishes one language's comments and texts from another's.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a table of what languages have and have not"
)]
pub(in crate::syntax::imports) struct Dialect {
    /// `//` and `/* */` are comments.
    pub(super) slashes: bool,
    /// `/* /* */ */` is one comment.
    pub(super) nested: bool,
    /// `#` begins a comment, or a preprocessor line.
    pub(super) hash: bool,
    /// `'a'` is one letter, and not a text of any length.
    pub(super) letters: bool,
    /// What three quotes are.
    pub(super) triple: Triple,
    /// What a backtick is.
    pub(super) backtick: Backtick,
    /// `r#"…"#`.
    pub(super) hashed: bool,
    /// `@"…"`.
    pub(super) verbatim: bool,
    /// A text may span lines.
    pub(super) lines: bool,
    /// The end of a line is a token.
    pub(super) breaks: bool,
    /// `/…/` may be a regular expression.
    pub(super) regex: bool,
    /// Code is between `<?php` and `?>`.
    pub(super) php: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Triple {
    None,
    /// Of either quote, with escapes.
    Either,
    /// Of double quotes, with escapes.
    Escaped,
    /// Of double quotes.
    Raw,
    /// Of as many double quotes as it begins with.
    Counted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backtick {
    Sign,
    /// It begins a text as it is.
    Raw,
    /// It begins a text with code in it.
    Template,
    /// It encloses a name.
    Name,
}

/// As in C: the basis from which the others differ.
const PLAIN: Dialect = Dialect {
    slashes: true,
    nested: false,
    hash: false,
    letters: true,
    triple: Triple::None,
    backtick: Backtick::Sign,
    hashed: false,
    verbatim: false,
    lines: false,
    breaks: false,
    regex: false,
    php: false,
};

pub(in crate::syntax::imports) const RUST: Dialect = Dialect {
    nested: true,
    hashed: true,
    lines: true,
    ..PLAIN
};

pub(in crate::syntax::imports) const PYTHON: Dialect = Dialect {
    slashes: false,
    hash: true,
    letters: false,
    triple: Triple::Either,
    breaks: true,
    ..PLAIN
};

pub(in crate::syntax::imports) const SCRIPT: Dialect = Dialect {
    letters: false,
    backtick: Backtick::Template,
    regex: true,
    ..PLAIN
};

pub(in crate::syntax::imports) const GO: Dialect = Dialect {
    backtick: Backtick::Raw,
    ..PLAIN
};

pub(in crate::syntax::imports) const JAVA: Dialect = Dialect {
    triple: Triple::Escaped,
    ..PLAIN
};

pub(in crate::syntax::imports) const KOTLIN: Dialect = Dialect {
    nested: true,
    triple: Triple::Raw,
    backtick: Backtick::Name,
    breaks: true,
    ..PLAIN
};

pub(in crate::syntax::imports) const CSHARP: Dialect = Dialect {
    hash: true,
    triple: Triple::Counted,
    verbatim: true,
    ..PLAIN
};

pub(in crate::syntax::imports) const PHP: Dialect = Dialect {
    hash: true,
    letters: false,
    lines: true,
    php: true,
    ..PLAIN
};
