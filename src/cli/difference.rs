//! The lines in which two texts differ, for people.

use context_packer::command::{Line, compare_lines, show};

/// How much of a difference is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Most {
    /// The most lines.
    lines: usize,
    /// The most characters of each.
    letters: usize,
}

impl Most {
    /// All of it, for someone who must see it.
    pub(super) const ALL: Most = Most {
        lines: usize::MAX,
        letters: usize::MAX,
    };

    /// Enough to say what happened.
    pub(super) const SOME: Most = Most {
        lines: 40,
        letters: 160,
    };
}

/// How many unchanged lines are shown around a changed one.
const AROUND: u32 = 2;

/// Returns what differs, one line each: `-` before what is gone, `+` before what is new. Invisible
/// characters are written out, and no line of the texts begins a line here.
///
/// # Errors
///
/// Says why it cannot be shown.
pub(super) fn difference(old: &str, new: &str, most: Most) -> Result<String, String> {
    let mut text = String::new();
    let mut lines = 0;
    let mut is_all = true;
    compare_lines(old, new, AROUND, &mut |line| {
        lines += 1;
        is_all = lines <= most.lines;
        if is_all {
            text.push_str(&written(line, most.letters));
            text.push('\n');
        }
        is_all
    })?;
    if !is_all {
        text.push_str("  … and more\n");
    }
    Ok(text)
}

fn written(line: Line<'_>, most: usize) -> String {
    match line {
        Line::At(at) => format!("  line {at}:"),
        Line::Same(text) => format!("    {}", shown(text, most)),
        Line::Gone(text) => format!("  - {}", shown(text, most)),
        Line::New(text) => format!("  + {}", shown(text, most)),
        Line::Unended => "    (without a line break at its end)".to_owned(),
    }
}

/// Returns a line of a text with at most `most` characters.
pub(super) fn shown(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", show::visible(&line[..end])),
        None => show::visible(line).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_and_nothing_of_it_is_hidden() {
        let old = "a\nb\nc\nd\ne\n";
        let told = difference(old, "a\nb\nc\nD\u{202e}\ne", Most::ALL).unwrap();
        assert_eq!(
            told,
            "  line 2:\n    b\n    c\n  - d\n  - e\n  + D\\u{202e}\n  + e\n    \
             (without a line break at its end)\n"
        );
    }

    #[test]
    fn a_long_difference_is_cut_where_some_is_enough() {
        let new = format!("{}\n", "x".repeat(1000)).repeat(1000);
        let told = difference("", &new, Most::SOME).unwrap();
        assert_eq!(told.lines().count(), Most::SOME.lines + 1);
        assert!(told.ends_with("x…\n  … and more\n"));
        assert!(told.lines().all(|line| line.chars().count() < 170));
        let all = difference("", &new, Most::ALL).unwrap();
        assert_eq!(all.lines().count(), 1001);
    }

    #[test]
    fn a_line_of_a_text_is_none_of_the_program() {
        let told = difference("a\n", "hash: sha256:0\n\u{1b}[2Ahash\n", Most::ALL).unwrap();
        assert!(told.lines().all(|line| line.starts_with("  ")));
        assert!(told.contains("\\u{1b}[2Ahash"));
    }
}
