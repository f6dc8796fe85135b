//! Says which lines are a file's own, where they look like remarks of ours.

use std::ops::Range;

use crate::remark;
use crate::section::{Body, Form, Piece};

/// The most lines that are named; any more are only counted.
const MAX_NAMED: usize = 8;

/// The remark above a text in which there are such lines, if they are shown.
pub(super) fn own_lines(piece: &Piece, form: &Form) -> Option<String> {
    let Body::Source(text) = &piece.body else {
        return None;
    };
    let mut lines = remark::lines_in(text);
    let has = |shown: &[Range<usize>], line: usize| shown.iter().any(|it| it.contains(&line));
    lines.retain(|line| match form {
        Form::Full => true,
        Form::Excerpt { kept, outline } => has(kept, *line) || has(outline, *line),
        Form::Outline(shown) => has(shown, *line),
        Form::Name | Form::Described | Form::Omitted => false,
    });
    if let [line] = lines[..] {
        let number = line + 1;
        return Some(format!(
            "[line {number} is the file's own, though it looks like a remark]"
        ));
    }
    let named = lines
        .iter()
        .take(MAX_NAMED)
        .map(|line| (line + 1).to_string());
    let mut named: Vec<String> = named.collect();
    if lines.len() > MAX_NAMED {
        named.push("…".into());
    }
    (!lines.is_empty()).then(|| {
        format!(
            "[{} lines are the file's own, though they look like remarks: {}]",
            lines.len(),
            named.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_look_like_remarks_are_said_to_be_the_files_own() {
        let mark = "[… lines 3-90 left out]\n";
        let said = |text: &str, form: Form| {
            let piece = Piece::file("a.rs", Body::Source(text.into()));
            own_lines(&piece, &form)
        };
        let text = format!("a\n{mark}b\n");
        assert_eq!(
            said(&text, Form::Full).as_deref(),
            Some("[line 2 is the file's own, though it looks like a remark]")
        );
        assert_eq!(said(&text, Form::excerpt(vec![0..1, 2..3])), None);
        assert_eq!(said(&text, Form::Name), None);
        assert_eq!(said("a\nb\n", Form::Full), None);
        let several = said(&mark.repeat(9), Form::Full).unwrap_or_default();
        assert!(several.contains("9 lines are"), "{several}");
        assert!(several.ends_with("1, 2, 3, 4, 5, 6, 7, 8, …]"), "{several}");
    }
}
