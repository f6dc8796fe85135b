//! The words, texts and signs of a source, without its comments.
//!
//! It knows just enough of a language not to take a word in a comment or a text for code. It never
//! fails: what is not closed ends with its line, or with the source. Each byte is looked at a fixed
//! number of times.

mod dialect;
mod text;

use memchr::memmem;

pub(super) use self::dialect::{CSHARP, Dialect, GO, JAVA, KOTLIN, PHP, PYTHON, RUST, SCRIPT};

/// A part of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// A quoted text, as it is written.
    Text(&'a str),
    /// Anything else.
    Sign(char),
    /// The end of a line, in languages where it matters.
    Break,
}

impl<'a> Token<'a> {
    /// Whether it is this word.
    pub(super) fn is(self, word: &str) -> bool {
        self == Token::Word(word)
    }

    /// Returns the word that it is.
    pub(super) fn word(self) -> Option<&'a str> {
        match self {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// Reads a source token by token. A copy of it looks ahead.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: &'static Dialect,
    /// Whether the last token is a value, so that `/` divides it.
    value: bool,
    /// Whether the last token was `<`, so that `/` closes a tag.
    angle: bool,
    /// A template has no end, and so no later one has.
    endless: bool,
}

/// Words after which a value begins, and no division.
const BEFORE_VALUES: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "instanceof",
    "new",
    "throw",
    "else",
    "do",
    "await",
    "yield",
];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, dialect: &'static Dialect) -> Lexer<'a> {
        let mut lexer = Lexer {
            text,
            at: 0,
            dialect,
            value: false,
            angle: false,
            endless: false,
        };
        if dialect.php {
            lexer.leave_php();
        }
        lexer
    }

    /// Returns the token after this one without taking it.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Takes the next token if it is this sign.
    pub(super) fn sign(&mut self, sign: char) -> bool {
        self.take_if(|token| token == Token::Sign(sign)).is_some()
    }

    /// Takes the next token if it is a word.
    pub(super) fn word(&mut self) -> Option<&'a str> {
        self.take_if(|token| matches!(token, Token::Word(_)))?
            .word()
    }

    /// Takes the next token if it is a text.
    pub(super) fn quoted(&mut self) -> Option<&'a str> {
        match self.take_if(|token| matches!(token, Token::Text(_)))? {
            Token::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Takes the next token if it is one that is wanted.
    pub(super) fn take_if(&mut self, wanted: impl Fn(Token<'a>) -> bool) -> Option<Token<'a>> {
        let mut ahead = self.clone();
        let token = ahead.next().filter(|token| wanted(*token))?;
        *self = ahead;
        Some(token)
    }

    /// Takes names with a sign between them, as in `a.b.C`; a last sign without a name is taken
    /// too. An overlong name ends it.
    pub(super) fn names(&mut self, between: char) -> Vec<String> {
        let mut names = Vec::new();
        let mut length = 0;
        while let Some(name) = self.word() {
            names.push(super::kept(name));
            length += name.len();
            let is_long = name.len() > super::MAX_NAME || length > super::MAX_LENGTH;
            if names.len() == super::MAX_NAMES || is_long {
                break;
            }
            if !self.sign(between) {
                break;
            }
        }
        names
    }

    /// Takes another name for what was named before: `as name`.
    pub(super) fn alias(&mut self) {
        if self.take_if(|token| token.is("as")).is_some() {
            self.word();
        }
    }

    /// Takes everything up to what ends it, and returns the last word before, outside angle
    /// brackets: `name` in `<T> List<T>.name(`.
    pub(super) fn last_name(&mut self, ends: impl Fn(Token<'a>) -> bool) -> Option<&'a str> {
        let mut name = None;
        let mut angles = 0_usize;
        loop {
            match self.peek()? {
                Token::Sign('<') => angles += 1,
                Token::Sign('>') => angles = angles.saturating_sub(1),
                Token::Word(word) if angles == 0 => name = Some(word),
                token if angles == 0 && ends(token) => return name,
                _ => {}
            }
            self.next();
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    /// Skips to what is searched for, or to the end.
    fn skip_to(&mut self, wanted: &str) {
        let rest = self.rest();
        self.at += memmem::find(rest.as_bytes(), wanted.as_bytes()).unwrap_or(rest.len());
    }

    fn skip_past(&mut self, wanted: &str) {
        self.skip_to(wanted);
        self.at = (self.at + wanted.len()).min(self.text.len());
    }

    /// Skips what is not code, to the next `<?php` or `<?=`.
    fn leave_php(&mut self) {
        self.skip_past("<?");
        if self.rest().starts_with("php") {
            self.at += 3;
        } else if self.byte(0) == b'=' {
            self.at += 1;
        }
    }

    /// Skips `/* */`.
    fn skip_block(&mut self) {
        if !self.dialect.nested {
            self.at += 2;
            return self.skip_past("*/");
        }
        let bytes = self.text.as_bytes();
        let mut depth = 0;
        while self.at < bytes.len() {
            match (bytes[self.at], self.byte(1)) {
                (b'/', b'*') => depth += 1,
                (b'*', b'/') => depth -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if depth == 0 {
                return;
            }
        }
        self.at = bytes.len();
    }

    /// Skips a regular expression, if one begins here.
    fn skip_regex(&mut self) -> bool {
        /// Longer ones are not written; this limits how often a line is looked at.
        const LONGEST: usize = 500;
        let bytes = self.text.as_bytes();
        let end = bytes.len().min(self.at + LONGEST);
        let mut at = self.at + 1;
        let mut in_class = false;
        while at < end {
            match bytes[at] {
                b'\\' => at += 1,
                b'\n' => return false,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at = at + 1;
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Reads a name, or the text that begins with one: `r#"…"#`.
    fn read_word(&mut self) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        while self.at < bytes.len() && is_in_word(bytes[self.at]) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        if self.dialect.hashed && matches!(word, "r" | "br" | "cr") {
            let rest = self.rest();
            let hashes = rest.len() - rest.trim_start_matches('#').len();
            if rest[hashes..].starts_with('"') {
                let close = format!("\"{}", &rest[..hashes]);
                let found = self.until(self.at + hashes + 1, &close, false, true);
                return self.text_or(found, '"');
            }
            // `r#type` is a name.
            if hashes == 1 {
                self.at += 1;
                let name = self.at;
                while self.at < bytes.len() && is_in_word(bytes[self.at]) {
                    self.at += 1;
                }
                return Token::Word(&self.text[name..self.at]);
            }
        }
        self.value = !BEFORE_VALUES.contains(&word);
        Token::Word(word)
    }
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            let after_angle = std::mem::take(&mut self.angle);
            match (byte, self.byte(1)) {
                (b'\n', _) => {
                    self.at += 1;
                    if self.dialect.breaks {
                        return Some(Token::Break);
                    }
                }
                (b' ' | b'\t' | b'\r' | 0x0c, _) => self.at += 1,
                (b'\\', b'\n') if self.dialect.breaks => self.at += 2,
                (b'\\', b'\r') if self.dialect.breaks && self.byte(2) == b'\n' => self.at += 3,
                (b'\\', b'\r') if self.dialect.breaks => self.at += 2,
                (b'#', next) if self.dialect.hash && !(self.dialect.php && next == b'[') => {
                    self.skip_to("\n");
                }
                (b'/', b'/') if self.dialect.slashes => self.skip_to("\n"),
                (b'/', b'*') if self.dialect.slashes => self.skip_block(),
                (b'/', next)
                    if self.dialect.regex && !self.value && !after_angle && next != b'>' =>
                {
                    let found = self.skip_regex();
                    self.value = true;
                    if !found {
                        self.at += 1;
                    }
                    return Some(Token::Sign('/'));
                }
                (b'?', b'>') if self.dialect.php => {
                    self.leave_php();
                    return Some(Token::Sign(';'));
                }
                (b'<', b'<') if self.dialect.php && self.byte(2) == b'<' => self.skip_heredoc(),
                (b'@', b'"') if self.dialect.verbatim => {
                    self.at += 1;
                    return Some(self.read_verbatim());
                }
                (b'$' | b'@', b'@' | b'$') if self.dialect.verbatim && self.byte(2) == b'"' => {
                    self.at += 2;
                    return Some(self.read_verbatim());
                }
                (b'"' | b'\'' | b'`', _) => return Some(self.read_quoted(byte)),
                _ if is_in_word(byte) => return Some(self.read_word()),
                _ => {
                    self.at += 1;
                    self.value = matches!(byte, b')' | b']' | b'}');
                    self.angle = byte == b'<';
                    return Some(Token::Sign(char::from(byte)));
                }
            }
        }
    }
}
