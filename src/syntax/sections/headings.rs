//! Documents, cut by their headings.

use super::{DeclarationKind, Start, title};

/// Characters that underline headings.
const ADORNMENTS: &str = "=-~^\"'`#*+._:<>";

/// An underlined heading has at most this many bytes.
const MAX_HEADING: usize = 200;

/// Finds Markdown headings: `## Title`, and underlined ones.
pub fn of_markdown(lines: &[&str]) -> Vec<Start> {
    let mut starts = Vec::new();
    let mut code = Code::default();
    for (at, line) in lines.iter().enumerate().skip(front_matter(lines)) {
        if code.holds(line, &["```", "~~~"]) {
            continue;
        }
        if let Some(level) = level_by(line, '#') {
            starts.push(start(at, at, line, level));
        } else if let Some(sign @ ('=' | '-')) = underlined(lines, at) {
            let level = if sign == '=' { 1 } else { 2 };
            starts.push(start_underlined(at, at, line, level));
        }
    }
    starts
}

/// Returns how many of the first lines are front matter, in which nothing is a heading.
pub fn front_matter(lines: &[&str]) -> usize {
    let ends = |line: &&str| matches!(line.trim_end(), "---" | "...");
    match lines.split_first() {
        Some((first, rest)) if first.trim_end() == "---" => {
            rest.iter().position(ends).map_or(0, |end| end + 2)
        }
        _ => 0,
    }
}

/// Finds headings of `AsciiDoc` and `RDoc`: `== Title`.
pub fn of_equals_signs(lines: &[&str]) -> Vec<Start> {
    let mut starts = Vec::new();
    let mut code = Code::default();
    for (at, line) in lines.iter().enumerate() {
        if code.holds(line, &["----", "....", "```"]) {
            continue;
        }
        if let Some(level) = level_by(line, '=') {
            starts.push(start(at, at, line, level));
        }
    }
    starts
}

/// Finds headings of manual pages: `.SH`, `.SS` and paragraphs with a tag of `man`, `.Sh`, `.Ss`
/// and items of `mdoc`.
pub fn of_man_pages(lines: &[&str]) -> Vec<Start> {
    const HEADS: [&str; 6] = [".SH", ".Sh", ".SS", ".Ss", ".It", ".TP"];
    let mut starts = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let (request, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        // What heads something itself is no tag.
        let tag = || {
            let tag = lines.get(at + 1).copied().unwrap_or_default();
            let heads = HEADS.iter().any(|head| tag.starts_with(head));
            if heads { "" } else { tag }
        };
        let (level, text, title_line) = match request {
            ".SH" | ".Sh" => (1, rest, at),
            ".SS" | ".Ss" => (2, rest, at),
            ".It" => (3, rest, at),
            ".TP" => (3, tag(), at + 1),
            _ => continue,
        };
        if text.chars().any(char::is_alphanumeric) {
            starts.push(start(at, title_line, text, level));
        }
    }
    starts
}

/// Finds reStructuredText headings: underlined ones, some with a line above as well. The order in
/// which the characters are first used gives their levels.
pub fn of_underlines(lines: &[&str]) -> Vec<Start> {
    let mut starts: Vec<Start> = Vec::new();
    let mut signs: Vec<(char, bool)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(sign) = underlined(lines, at) else {
            continue;
        };
        let above = at.checked_sub(1).map(|above| lines[above]);
        let is_framed = above.and_then(adornment) == Some(sign);
        let known = signs.iter().position(|known| *known == (sign, is_framed));
        let level = known.unwrap_or_else(|| {
            signs.push((sign, is_framed));
            signs.len() - 1
        });
        let first = at - usize::from(is_framed);
        starts.push(start_underlined(first, at, line, level));
    }
    starts
}

/// Finds the headings of a plain text, in whichever of these ways it has them.
pub fn of_any(lines: &[&str]) -> Vec<Start> {
    let underlined = of_underlines(lines);
    let signs = of_markdown(lines);
    let equals = of_equals_signs(lines);
    // `max_by_key` takes the last of equals.
    let all = [equals, signs, underlined].into_iter();
    all.max_by_key(Vec::len).unwrap_or_default()
}

/// Finds the headings of a plain changelog: its versions, unless it marks its headings otherwise.
pub fn of_log(lines: &[&str]) -> Vec<Start> {
    let marked = of_any(lines);
    let mut versions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // Below a line of text it goes on with a sentence.
        let above = at
            .checked_sub(1)
            .and_then(|above| lines[above].chars().next());
        let stands_alone = above.is_none_or(|c| c.is_whitespace() || "*-+".contains(c));
        if stands_alone && heads_version(line) {
            versions.push(start(at, at, line, 0));
        }
    }
    let marks_versions = marked.iter().any(|heading| heads_version(&heading.title));
    // The whole may have a title that is marked.
    if !marks_versions && versions.len() > marked.len() {
        versions
    } else {
        marked
    }
}

/// Whether a line of a changelog begins with a version or a date, below words that lead to one or
/// none, or is one of Debian's: `name (1.2-3) stable; urgency=low`.
fn heads_version(line: &str) -> bool {
    const LEADING: [&str; 11] = [
        "*",
        "changes",
        "for",
        "in",
        "new",
        "news",
        "noteworthy",
        "release",
        "released",
        "version",
        "what's",
    ];
    let leads = |word: &str| {
        let word = word.trim_start_matches('[');
        LEADING
            .iter()
            .any(|leading| word.eq_ignore_ascii_case(leading))
    };
    let first = line.split([' ', '\t']).find(|word| !leads(word));
    line.len() <= MAX_HEADING
        && !line.starts_with([' ', '\t'])
        && (first.is_some_and(is_number) || line.contains("; urgency="))
}

/// Whether a word begins with the number of a version or with a date.
fn is_number(word: &str) -> bool {
    let word = word.trim_start_matches(['[', '(', 'v', 'V']);
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - rest.len();
    let goes_on = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let is_date = digits == 4 && rest.starts_with('-');
    digits > 0 && goes_on && (rest.starts_with('.') || is_date)
}

/// Makes a heading with a line below its title.
fn start_underlined(line: usize, title_line: usize, text: &str, level: usize) -> Start {
    Start {
        head_end: title_line + 2,
        ..start(line, title_line, text, level)
    }
}

fn start(line: usize, title_line: usize, text: &str, level: usize) -> Start {
    Start {
        line,
        title_line,
        title: title(text),
        head_end: title_line + 1,
        level,
        end: None,
        kind: DeclarationKind::Section,
    }
}

/// Returns how many of these signs come before a title.
fn level_by(line: &str, sign: char) -> Option<usize> {
    let rest = line.trim_start_matches(sign);
    let level = line.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
    (is_heading && !rest.trim().is_empty()).then_some(level)
}

/// Returns the character that underlines a line, if it is a heading: the line is as long as what is
/// below it, or shorter.
fn underlined(lines: &[&str], at: usize) -> Option<char> {
    let line = lines[at];
    let sign = adornment(lines.get(at + 1)?)?;
    let is_title = line.len() <= MAX_HEADING
        && line.chars().any(char::is_alphanumeric)
        && !line.trim_start().starts_with(['|', '>'])
        && line.trim().chars().count() <= lines[at + 1].trim_end().chars().count() + 2;
    // A paragraph above would take the title in.
    let stands_alone = at == 0
        || lines[at - 1].trim().is_empty()
        || adornment(lines[at - 1]).is_some()
        || lines[at - 1].starts_with(['.', '<']);
    (is_title && stands_alone).then_some(sign)
}

/// Returns the character that a line consists of.
fn adornment(line: &str) -> Option<char> {
    let line = line.trim_end();
    let sign = line.chars().next()?;
    let is_line = line.len() >= 3 && line.len() <= MAX_HEADING;
    (is_line && ADORNMENTS.contains(sign) && line.chars().all(|c| c == sign)).then_some(sign)
}

/// Whether lines are code.
#[derive(Default)]
struct Code {
    fence: Option<String>,
}

impl Code {
    /// Whether this line is code or a fence of it. A fence begins with one of these.
    fn holds(&mut self, line: &str, fences: &[&str]) -> bool {
        let line = line.trim();
        match &self.fence {
            Some(fence) => {
                if line.starts_with(fence.as_str()) && line.len() < fence.len() + 3 {
                    self.fence = None;
                }
                true
            }
            None => {
                let fence = fences.iter().find(|fence| line.starts_with(**fence));
                // An underline looks like the fence of AsciiDoc, but is longer.
                let opens = fence.filter(|fence| **fence != "----" || line.len() == 4);
                self.fence = opens.map(|fence| (*fence).to_owned());
                self.fence.is_some()
            }
        }
    }
}
