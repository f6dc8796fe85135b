//! Says of a file that it is the same as one above, instead of showing its text again.

use std::collections::HashMap;

use crate::fence::in_ticks;
use crate::section::{Body, Key, Piece, Section, Valued};
use crate::show::quoted;

/// A shorter text costs about as much as saying what it is the same as, in bytes.
const LEAST: usize = 200;

/// Puts a remark in place of each file that nobody asked for if its text is that of a file above,
/// or of a file of the same section that is worth more.
pub(super) fn point(above: &[Section], section: &mut Section) {
    if !matches!(section.key, Key::Imports | Key::Related) {
        return;
    }
    let mut paths: HashMap<&str, &str> = HashMap::new();
    for (text, path) in above.iter().flat_map(|it| &it.pieces).filter_map(long) {
        paths.entry(text).or_insert(path);
    }
    let mut order: Vec<usize> = (0..section.pieces.len()).collect();
    order.sort_by(|a, b| worth(&section.pieces[*b]).total_cmp(&worth(&section.pieces[*a])));
    let mut same = Vec::new();
    for at in order {
        if let Some((text, path)) = long(&section.pieces[at]) {
            let first = *paths.entry(text).or_insert(path);
            if first != path {
                same.push((at, format!("[The same as {}]", in_ticks(&quoted(first)))));
            }
        }
    }
    for (at, remark) in same {
        let piece = &mut section.pieces[at];
        *piece = remarked(piece, remark);
    }
}

/// Returns the text and the path of a file, unless it is short.
fn long(piece: &Piece) -> Option<(&str, &str)> {
    match (&piece.body, &piece.path) {
        (Body::Source(text), Some(path)) if text.len() >= LEAST => Some((text, path)),
        _ => None,
    }
}

fn worth(piece: &Piece) -> f64 {
    piece.parts.iter().map(|part| part.value).sum()
}

/// Returns what stands in place of a file, worth as much for its length as the file: it should not
/// come before the text that it points to.
#[expect(clippy::cast_precision_loss, reason = "bytes of a file")]
fn remarked(piece: &Piece, remark: String) -> Piece {
    let share = remark.len() as f64 / piece.body.text().len().max(remark.len()) as f64;
    let whole = Valued {
        lines: 0..1,
        owners: Vec::new(),
        value: worth(piece) * share,
        signature: 0.0,
    };
    let is_valued = !piece.parts.is_empty();
    Piece {
        path: piece.path.clone(),
        parts: is_valued.then_some(whole).into_iter().collect(),
        is_beside: piece.is_beside,
        notes: piece.notes.clone(),
        ..Piece::text(Body::Marker(remark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(path: &str, text: &str, value: f64) -> Piece {
        let part = Valued {
            lines: 0..1,
            owners: Vec::new(),
            value,
            signature: 0.0,
        };
        Piece {
            parts: vec![part],
            ..Piece::file(path, Body::Source(text.to_owned()))
        }
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "bytes of a file")]
    fn of_files_that_are_the_same_the_first_or_the_best_is_shown() {
        let [one, two] = ["one\n", "two\n"].map(|line| line.repeat(60));
        let target = Section::new(Key::TargetFile, vec![piece("a.h", &one, 1.0)]);
        let mut related = Section::new(
            Key::Related,
            vec![
                piece("b.h", &one, 0.1),
                piece("c.h", &two, 0.1),
                piece("d.h", &two, 0.2),
                piece("e.h", "short\n", 0.1),
                piece("f.h", "short\n", 0.1),
            ],
        );
        point(std::slice::from_ref(&target), &mut related);
        let told = |section: &Section| -> Vec<String> {
            let pieces = section.pieces.iter();
            pieces.map(|it| it.body.text().to_owned()).collect()
        };
        let [b, c] = ["a.h", "d.h"].map(|path| format!("[The same as `{path}`]"));
        assert_eq!(told(&related), [&b, &c, &two, "short\n", "short\n"]);
        // The remark is worth no more for its length than the text was.
        let share = c.len() as f64 / two.len() as f64;
        assert!((worth(&related.pieces[1]) - 0.1 * share).abs() < 1e-9);
        // What was asked for is shown.
        let mut files = Section::new(Key::Files, vec![piece("b.h", &one, 0.1)]);
        point(&[target], &mut files);
        assert_eq!(told(&files), [one]);
    }
}
