//! The words, texts and signs of a source, without its comments.
//!
//! It knows of a language what is needed so that a word in a comment or a text is not
//! taken for code, and no more. It never fails: what is not closed ends with its line,
//! or with the source. Each byte is looked at a fixed number of times.

/// What tells one language's comments and texts from another's.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a table of what languages have and have not"
)]
pub(super) struct Dialect {
    /// `//` and `/* */` are comments.
    slashes: bool,
    /// `/* /* */ */` is one comment.
    nested: bool,
    /// `#` begins a comment, or a line for a preprocessor.
    hash: bool,
    /// `'a'` is one letter, and not a text of any length.
    letters: bool,
    /// What three quotes are.
    triple: Triple,
    /// What a backtick is.
    backtick: Backtick,
    /// `r#"…"#`.
    hashed: bool,
    /// `@"…"`.
    verbatim: bool,
    /// A text may go on for lines.
    lines: bool,
    /// The end of a line is told.
    breaks: bool,
    /// `/…/` may be a regular expression.
    regex: bool,
    /// Code stands between `<?php` and `?>`.
    php: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Triple {
    None,
    /// Of either quote, with escapes.
    Either,
    /// Of double quotes, with escapes.
    Escaped,
    /// Of double quotes.
    Raw,
    /// Of so many double quotes as it begins with.
    Counted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backtick {
    Sign,
    /// It begins a text as it is.
    Raw,
    /// It begins a text with code in it.
    Template,
    /// It stands around a name.
    Name,
}

/// As in C: what the others differ from.
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

pub(super) const RUST: Dialect = Dialect {
    nested: true,
    hashed: true,
    lines: true,
    ..PLAIN
};

pub(super) const PYTHON: Dialect = Dialect {
    slashes: false,
    hash: true,
    letters: false,
    triple: Triple::Either,
    breaks: true,
    ..PLAIN
};

pub(super) const SCRIPT: Dialect = Dialect {
    letters: false,
    backtick: Backtick::Template,
    regex: true,
    ..PLAIN
};

pub(super) const GO: Dialect = Dialect {
    backtick: Backtick::Raw,
    ..PLAIN
};

pub(super) const JAVA: Dialect = Dialect {
    triple: Triple::Escaped,
    ..PLAIN
};

pub(super) const KOTLIN: Dialect = Dialect {
    nested: true,
    triple: Triple::Raw,
    backtick: Backtick::Name,
    breaks: true,
    ..PLAIN
};

pub(super) const CSHARP: Dialect = Dialect {
    hash: true,
    triple: Triple::Counted,
    verbatim: true,
    ..PLAIN
};

pub(super) const PHP: Dialect = Dialect {
    hash: true,
    letters: false,
    lines: true,
    php: true,
    ..PLAIN
};

/// A part of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// What stands in quotes, as it is written there.
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

    /// The word that it is.
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
    /// Whether what came last is a value, so that `/` divides it.
    value: bool,
    /// What came last was `<`, so that `/` closes a tag.
    angle: bool,
    /// A template has no end, and so no later one has.
    endless: bool,
}

/// Words behind which a value begins, and no division.
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

    /// The token after this one, which is not taken.
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

    /// Takes names with a sign between them, as in `a.b.C`; a last sign without a name
    /// is taken too. A name that is longer than names are ends it.
    pub(super) fn names(&mut self, between: char) -> Vec<String> {
        let mut names = Vec::new();
        while let Some(name) = self.word() {
            names.push(name.to_owned());
            if names.len() == super::MAX_NAMES || name.len() > super::MAX_NAME {
                break;
            }
            if !self.sign(between) {
                break;
            }
        }
        names
    }

    /// Takes all up to what ends it, and tells the last word before, outside of
    /// angle brackets: `name` in `<T> List<T>.name(`.
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

    /// Goes to what is searched for, or to the end.
    fn skip_to(&mut self, wanted: &str) {
        self.at += self.rest().find(wanted).unwrap_or(self.rest().len());
    }

    fn skip_past(&mut self, wanted: &str) {
        self.skip_to(wanted);
        self.at = (self.at + wanted.len()).min(self.text.len());
    }

    /// Goes past what is no code, to the next `<?php` or `<?=`.
    fn leave_php(&mut self) {
        self.skip_past("<?");
        if self.rest().starts_with("php") {
            self.at += 3;
        } else if self.byte(0) == b'=' {
            self.at += 1;
        }
    }

    /// Goes past `/* */`.
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

    /// A text from `start` on that ends with `close`, with or without escapes; `None` if
    /// it has no end.
    fn until(&mut self, start: usize, close: &str, escapes: bool, lines: bool) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if escapes => at += 1,
                b'\n' if !lines => {
                    self.at = at;
                    return None;
                }
                _ if bytes[at..].starts_with(close.as_bytes()) => {
                    self.at = at + close.len();
                    return self.text.get(start..at);
                }
                _ => {}
            }
            at += 1;
        }
        self.at = bytes.len();
        None
    }

    fn text_or(&mut self, text: Option<&'a str>, quote: char) -> Token<'a> {
        self.value = true;
        text.map_or(Token::Sign(quote), Token::Text)
    }

    /// A text or a letter, of which the quote comes next.
    fn read_quoted(&mut self, quote: u8) -> Token<'a> {
        let dialect = self.dialect;
        let letter = char::from(quote);
        let rest = self.rest();
        let three = match dialect.triple {
            Triple::None => None,
            Triple::Either => ["\"\"\"", "'''"].into_iter().find(|q| rest.starts_with(q)),
            _ => Some("\"\"\"").filter(|quotes| rest.starts_with(quotes)),
        };
        if let Some(quotes) = three {
            let escapes = matches!(dialect.triple, Triple::Either | Triple::Escaped);
            let count = match dialect.triple {
                Triple::Counted => rest.len() - rest.trim_start_matches('"').len(),
                _ => quotes.len(),
            };
            // Six quotes are an empty text of three.
            let close = if count == 6 { 3 } else { count };
            let start = self.at + close;
            let found = self.until(start, &rest[..close], escapes, true);
            return self.text_or(found, letter);
        }
        match quote {
            b'\'' if dialect.letters => {
                self.at += 1;
                self.skip_letter();
                self.value = true;
                Token::Sign('\'')
            }
            b'`' if dialect.backtick == Backtick::Template => self.read_template(),
            b'`' if dialect.backtick == Backtick::Name => {
                let found = self.until(self.at + 1, "`", false, false);
                found.map_or(Token::Sign('`'), Token::Word)
            }
            b'`' => {
                let found = self.until(self.at + 1, "`", false, true);
                self.text_or(found, letter)
            }
            _ => {
                let close = if quote == b'"' { "\"" } else { "'" };
                let found = self.until(self.at + 1, close, true, dialect.lines);
                self.text_or(found, letter)
            }
        }
    }

    /// Goes past the letter behind a quote; what is none is a lifetime or a label.
    fn skip_letter(&mut self) {
        /// `\u{10ffff}` is the longest letter.
        const LONGEST: usize = 12;
        if self.byte(0) == b'\\' {
            let bytes = self.text.as_bytes();
            let end = (self.at + LONGEST).min(bytes.len());
            let from = (self.at + 2).min(end);
            if let Some(close) = bytes[from..end].iter().position(|byte| *byte == b'\'') {
                self.at = from + close + 1;
            }
        } else if let Some(letter) = self.rest().chars().next()
            && letter != '\''
            && self.byte(letter.len_utf8()) == b'\''
        {
            self.at += letter.len_utf8() + 1;
        }
    }

    /// A text between backticks; one with code in it is a mere sign.
    fn read_template(&mut self) -> Token<'a> {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        // For each piece of code that is open, how many braces are.
        let mut braces: Vec<usize> = Vec::new();
        let mut in_text = vec![true];
        let mut plain = true;
        let mut at = start;
        while at < bytes.len() && !self.endless {
            let inside = in_text.last() == Some(&true);
            match bytes[at] {
                b'\\' => at += 1,
                b'`' if inside => {
                    in_text.pop();
                    if in_text.is_empty() {
                        self.at = at + 1;
                        self.value = true;
                        let text = self.text.get(start..at).filter(|_| plain);
                        return text.map_or(Token::Sign('`'), Token::Text);
                    }
                }
                b'`' => in_text.push(true),
                b'$' if inside && bytes.get(at + 1) == Some(&b'{') => {
                    plain = false;
                    at += 1;
                    in_text.push(false);
                    braces.push(0);
                }
                b'{' if !inside => {
                    if let Some(open) = braces.last_mut() {
                        *open += 1;
                    }
                }
                b'}' if !inside => match braces.last_mut() {
                    Some(0) | None => {
                        braces.pop();
                        in_text.pop();
                    }
                    Some(open) => *open -= 1,
                },
                _ => {}
            }
            at += 1;
        }
        self.endless = true;
        self.at = start;
        Token::Sign('`')
    }

    /// Goes past a regular expression, if one begins here.
    fn skip_regex(&mut self) -> bool {
        /// Longer ones are not written; this bounds how often a line is looked at.
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

    /// Goes past `<<<NAME … NAME`.
    fn skip_heredoc(&mut self) {
        let line = self.rest().lines().next().unwrap_or_default();
        let name = line[3..].trim().trim_matches(['"', '\'']);
        self.skip_to("\n");
        if name.is_empty() {
            return;
        }
        let mut at = self.at;
        for line in self.rest().split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            if line[indent..].starts_with(name) {
                self.at = at + indent + name.len();
                return;
            }
            at += line.len();
        }
        self.at = self.text.len();
    }

    /// A name, or the text that begins with one: `r#"…"#`.
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

impl<'a> Lexer<'a> {
    /// `"…"` in which two quotes stand for one.
    fn read_verbatim(&mut self) -> Token<'a> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        while at < bytes.len() {
            match (bytes[at], bytes.get(at + 1)) {
                (b'"', Some(b'"')) => at += 2,
                (b'"', _) => {
                    self.at = at + 1;
                    return Token::Text(&self.text[start..at]);
                }
                _ => at += 1,
            }
        }
        self.at = bytes.len();
        Token::Sign('"')
    }
}
