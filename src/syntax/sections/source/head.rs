//! The lines that declare something.

use super::words::{Manner, Words, has, is_statement, may_be_before};
use crate::syntax::indent;
use crate::syntax::tree::DeclarationKind;

/// How many words may come before the one that declares.
const MAX_BEFORE: usize = 6;

/// How far below its first line the body of a function may begin.
const MAX_HEAD: usize = 10;

/// Something that a line declares.
pub struct Found {
    pub name: String,
    pub kind: DeclarationKind,
}

impl Found {
    fn new(name: &str, kind: DeclarationKind) -> Found {
        Found {
            name: name.to_owned(),
            kind,
        }
    }

    /// Makes a function, unless what would be its name is a statement.
    fn function(name: &str) -> Option<Found> {
        let is_name = !name.is_empty() && !is_statement(name);
        is_name.then(|| Found::new(name, DeclarationKind::Function))
    }
}

/// Finds what lines declare.
pub struct Heads<'a> {
    pub words: &'static Words,
    pub lines: &'a [&'a str],
}

impl Heads<'_> {
    /// Returns what is declared on a line that is inside something of this kind.
    pub fn find(&self, at: usize, around: Option<DeclarationKind>) -> Option<Found> {
        self.any(at, around).filter(|found| !found.name.is_empty())
    }

    fn any(&self, at: usize, around: Option<DeclarationKind>) -> Option<Found> {
        let line = self.lines[at];
        let by_word = self.by_word(line.trim_start());
        // `struct point *next(struct point *of) {`
        let may_be_used = ["struct ", "union ", "enum "]
            .iter()
            .any(|word| line.contains(word));
        if by_word.is_some() && !(self.words.manner == Manner::Called && may_be_used) {
            return by_word;
        }
        self.by_manner(at, line, around).or(by_word)
    }

    /// Returns what a keyword declares, with the modifiers before it.
    fn by_word(&self, line: &str) -> Option<Found> {
        let mut rest = line;
        let mut found = None;
        for _ in 0..MAX_BEFORE {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let lower = word.to_ascii_lowercase();
            let known = match self.words.manner {
                Manner::AnyCase => lower.as_str(),
                _ => word,
            };
            let kind = if has(self.words.types, known) {
                Some(DeclarationKind::Type)
            } else if has(self.words.functions, known) {
                Some(DeclarationKind::Function)
            } else {
                None
            };
            if let Some(kind) = kind
                && let Some(name) = name_behind(word, behind)
            {
                found = Some(Found { name, kind });
            }
            if kind.is_none() && !may_be_before(known) {
                break;
            }
            rest = behind_brackets(behind).trim_start();
        }
        found
    }

    /// Returns what is declared without a keyword, in the way of the language.
    fn by_manner(&self, at: usize, line: &str, around: Option<DeclarationKind>) -> Option<Found> {
        match self.words.manner {
            Manner::Plain | Manner::AnyCase => None,
            Manner::Called => Found::function(self.called(at, around)?),
            Manner::Assigned => assigned(line),
            Manner::Constant => constant(line),
            Manner::Signed => signed(line),
            Manner::Clause => self.clause(at, line),
            Manner::Shell => shell(line),
            Manner::Lisp => lisp(line),
            Manner::Objective => objective(line),
        }
    }

    fn clause(&self, at: usize, line: &str) -> Option<Found> {
        let name = first_name(line)?;
        let is_clause = line[name.len()..].starts_with('(')
            && self.lines[at..]
                .iter()
                .take(MAX_HEAD)
                .any(|line| line.contains("->"));
        Found::function(is_clause.then_some(name)?)
    }

    /// Returns the name of what looks like a call with a body: `void run(int times) {`.
    fn called(&self, at: usize, around: Option<DeclarationKind>) -> Option<&str> {
        let line = self.lines[at].trim_start();
        let open = line.find('(')?;
        let before = line[..open].trim_end();
        let is_head = |c: char| is_word(c) || c.is_whitespace() || "*&:<>,[]?.~@".contains(c);
        if !before.chars().all(is_head) {
            return None;
        }
        let name = before.rsplit(|c: char| !is_word(c)).next()?;
        let first = before.split(|c: char| !is_word(c)).next()?;
        // `Type.named(…)` is a constructor where types have members.
        let is_member = around == Some(DeclarationKind::Type);
        if is_statement(first) || before.contains('.') && !is_member {
            return None;
        }
        // Alone it is a call, or a macro.
        if !is_member && before == name && indent(self.lines[at]) > 0 {
            return None;
        }
        self.has_body(at, is_member).then_some(name)
    }

    /// Whether a body begins before the statement ends that begins on this line; a member needs
    /// none.
    fn has_body(&self, at: usize, is_member: bool) -> bool {
        for line in self.lines[at..].iter().take(MAX_HEAD) {
            let line = line.split("//").next().unwrap_or_default().trim_end();
            if line.ends_with('{') || line.contains("=>") || line.ends_with("{}") {
                return true;
            }
            if line.ends_with('}') {
                return line.contains('{');
            }
            if line.ends_with(';') {
                return is_member;
            }
        }
        false
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns the name after a keyword that declares; the keyword itself for what has none.
fn name_behind(word: &str, behind: &str) -> Option<String> {
    /// What is declared without a name.
    const NAMELESS: [&str; 3] = ["init", "constructor", "subscript"];
    /// What may be between the keyword and the name.
    const AROUND_NAME: [&str; 7] = ["rec", "inline", "mutable", "private", "if", "not", "exists"];
    let rest = behind.trim_start();
    if NAMELESS.contains(&word) {
        return Some(word.to_owned());
    }
    if rest.len() == behind.len() {
        return None;
    }
    if let Some(title) = rest.strip_prefix('"') {
        return Some(format!("{word} \"{}\"", title.split('"').next()?));
    }
    // What a function of Go belongs to.
    let rest = if word == "func" && rest.starts_with('(') {
        rest.split_once(')')?.1.trim_start()
    } else {
        rest
    };
    let mut rest = rest;
    while let Some((first, behind)) = rest.split_once(' ')
        && AROUND_NAME
            .iter()
            .any(|word| word.eq_ignore_ascii_case(first))
    {
        rest = behind;
    }
    let is_part = |c: char| is_word(c) || ".:?!-'`".contains(c);
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let name = last(rest[..end].trim_matches(['`', '\'', ':', '.']));
    let begins = |c: char| c.is_alphabetic() || c == '_';
    let is_import = word == "let" && name == "open";
    (name.starts_with(begins) && !is_import).then(|| name.to_owned())
}

/// Returns the last part of a name: `M.run` and `self.run` become `run`.
fn last(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Returns the name at the beginning of a line.
fn first_name(line: &str) -> Option<&str> {
    let end = line.find(|c: char| !c.is_alphanumeric() && !"_'".contains(c))?;
    let name = &line[..end];
    name.starts_with(char::is_lowercase).then_some(name)
}

/// Returns what follows the brackets of `private(set)`, `extern "C"`.
fn behind_brackets(rest: &str) -> &str {
    let pairs = [('(', ')'), ('[', ']'), ('<', '>')];
    let open = rest.chars().next();
    let close = pairs.iter().find(|(from, _)| Some(*from) == open);
    let behind = close.and_then(|(_, to)| rest.split_once(*to));
    behind.map_or(rest, |(_, behind)| behind)
}

fn assigned(line: &str) -> Option<Found> {
    let (name, rest) = line.split_once("<-").or_else(|| line.split_once('='))?;
    let rest = rest.trim_start().strip_prefix("function")?;
    let is_one = rest.trim_start().starts_with('(');
    let name = name.trim().trim_start_matches("local ");
    let is_name = is_one && name.chars().all(|c| is_word(c) || ".:".contains(c));
    Found::function(is_name.then(|| last(name))?)
}

fn constant(line: &str) -> Option<Found> {
    const TYPES: [&str; 6] = [
        "struct",
        "enum",
        "union",
        "extern struct",
        "packed struct",
        "error",
    ];
    let (name, rest) = line.split_once('=')?;
    let name = name.trim().trim_start_matches("pub ");
    let name = name.strip_prefix("const ")?.trim();
    let is_type = TYPES.iter().any(|word| rest.trim_start().starts_with(word));
    let is_type = is_type && rest.trim_end().ends_with('{');
    is_type.then(|| Found::new(name, DeclarationKind::Type))
}

fn signed(line: &str) -> Option<Found> {
    let name = first_name(line)?;
    let rest = line[name.len()..].trim_start();
    let is_signature = rest.starts_with("::") || rest.starts_with(": ");
    Found::function(is_signature.then_some(name)?)
}

fn shell(line: &str) -> Option<Found> {
    let name = line.trim_start();
    let end = name.find(|c: char| !is_word(c) && !"-:.".contains(c))?;
    let (name, rest) = name.split_at(end);
    Found::function(rest.trim_start().starts_with("()").then_some(name)?)
}

fn lisp(line: &str) -> Option<Found> {
    let (word, rest) = line.strip_prefix("(def")?.split_once(' ')?;
    let end = rest.find(|c: char| c.is_whitespace() || "()[]".contains(c));
    let name = &rest[..end.unwrap_or(rest.len())];
    let mut found = Found::function(name.trim_start_matches('\''))?;
    if matches!(word, "struct" | "class" | "type" | "record" | "protocol") {
        found.kind = DeclarationKind::Type;
    }
    Some(found)
}

fn objective(line: &str) -> Option<Found> {
    let types = ["@interface ", "@implementation ", "@protocol "];
    if let Some(rest) = types.iter().find_map(|word| line.strip_prefix(word)) {
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let is_whole = !line.ends_with(';');
        return is_whole.then(|| Found::new(&rest[..end], DeclarationKind::Type));
    }
    let rest = line.strip_prefix(['-', '+'])?.trim_start();
    let (_, rest) = rest.strip_prefix('(')?.split_once(')')?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    Some(Found::new(&rest[..end], DeclarationKind::Function))
}
