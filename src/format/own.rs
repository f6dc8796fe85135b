//! Says which lines are a text's own, where they look like remarks of ours.

use std::ops::Range;

use crate::remark;
use crate::section::{Body, Form, Piece};

/// The most lines that are named; any more are only counted.
const MAX_NAMED: usize = 8;

/// The remark above a text in which there are such lines, if they are shown.
pub(super) fn own_lines(piece: &Piece, form: &Form) -> Option<String> {
    let whose = match &piece.body {
        Body::Source(_) => "file",
        Body::Diff(_) => "diff",
        Body::Text(_) => "text",
        _ => return None,
    };
    if matches!(form, Form::Name | Form::Described | Form::Omitted) {
        return None;
    }
    // A piece is written in many forms until one has room.
    let lines = piece.remarks.get_or_init(|| lines_of(&piece.body).into());
    let has = |shown: &[Range<usize>], line: usize| shown.iter().any(|it| it.contains(&line));
    let is_shown = |line: usize| match form {
        Form::Excerpt { kept, outline } => has(kept, line) || has(outline, line),
        Form::Outline(shown) => has(shown, line),
        _ => true,
    };
    let mut lines = lines.to_vec();
    lines.retain(|line| is_shown(*line));
    if let [line] = lines[..] {
        let number = line + 1;
        return Some(format!(
            "[line {number} is the {whose}'s own, though it looks like a remark]"
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
            "[{} lines are the {whose}'s own, though they look like remarks: {}]",
            lines.len(),
            named.join(", ")
        )
    })
}

/// The lines that look like remarks. The first one of a file may also look like one that stands
/// above a text or in its place: between elements it would stand where ours do.
fn lines_of(body: &Body) -> Vec<usize> {
    let text = body.text();
    let signs: &[char] = match body {
        Body::Diff(_) => &['+', '-'],
        _ => &[],
    };
    let mut lines = remark::lines_in(text, signs);
    let first = text.split('\n').next().unwrap_or_default();
    if remark::is_like_one(first) && lines.first() != Some(&0) {
        lines.insert(0, 0);
    }
    lines
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
        let first = said("[excerpt: 2 of 900 lines]\nb\n", Form::Full);
        assert!(first.is_some_and(|said| said.starts_with("[line 1 is the file's own")));
        let several = said(&mark.repeat(9), Form::Full).unwrap_or_default();
        assert!(several.contains("9 lines are"), "{several}");
        assert!(several.ends_with("1, 2, 3, 4, 5, 6, 7, 8, …]"), "{several}");
    }

    #[test]
    fn lines_of_diffs_and_of_other_texts_are_told_as_theirs() {
        let text = "@@ -1 +1,2 @@\n [… lines 3-90 left out]\n+[… line 91 left out]\n";
        let said = |body: Body| own_lines(&Piece::text(body), &Form::Full);
        assert_eq!(
            said(Body::Diff(text.into())).as_deref(),
            Some("[2 lines are the diff's own, though they look like remarks: 2, 3]")
        );
        assert_eq!(
            said(Body::Text(text.into())).as_deref(),
            Some("[line 2 is the text's own, though it looks like a remark]")
        );
        assert_eq!(said(Body::Prose(text.into())), None);
    }

    #[test]
    fn a_text_is_searched_once() {
        let piece = Piece::file("a.rs", Body::Source("[… line 1 left out]\n".into()));
        for _ in 0..2 {
            assert!(own_lines(&piece, &Form::Full).is_some());
            assert_eq!(piece.remarks.get().map(|lines| &**lines), Some(&[0][..]));
        }
        let named = Piece::file("a.rs", piece.body);
        assert_eq!(own_lines(&named, &Form::Name), None);
        assert_eq!(named.remarks.get(), None);
    }
}
