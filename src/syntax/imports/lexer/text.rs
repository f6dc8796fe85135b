//! Quoted text: texts, letters, templates and heredocs.

use super::dialect::{Backtick, Triple};
use super::{Lexer, Token};
use crate::syntax::indent;

impl<'a> Lexer<'a> {
    /// Returns a text from `start` on that ends with `close`, with or without escapes; `None` if it
    /// has no end.
    pub(super) fn until(
        &mut self,
        start: usize,
        close: &str,
        escapes: bool,
        lines: bool,
    ) -> Option<&'a str> {
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

    pub(super) fn text_or(&mut self, text: Option<&'a str>, quote: char) -> Token<'a> {
        self.value = true;
        text.map_or(Token::Sign(quote), Token::Text)
    }

    /// Reads a text or a letter, whose quote comes next.
    pub(super) fn read_quoted(&mut self, quote: u8) -> Token<'a> {
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

    /// Skips the letter after a quote; if it is not one, it is a lifetime or a label.
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

    /// Reads a text between backticks; one with code in it is only a sign.
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

    /// Skips `<<<NAME … NAME`.
    pub(super) fn skip_heredoc(&mut self) {
        let line = self.rest().lines().next().unwrap_or_default();
        let name = line[3..].trim().trim_matches(['"', '\'']);
        self.skip_to("\n");
        if name.is_empty() {
            return;
        }
        let mut at = self.at;
        for line in self.rest().split_inclusive('\n') {
            let indent = indent(line);
            if line[indent..].starts_with(name) {
                self.at = at + indent + name.len();
                return;
            }
            at += line.len();
        }
        self.at = self.text.len();
    }

    /// Reads `"…"` in which two quotes stand for one.
    pub(super) fn read_verbatim(&mut self) -> Token<'a> {
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
