//! A file's text without some of its blocks.

use std::borrow::Cow;

use super::cut::Cut;
use crate::split::boundary;

/// What replaces text that was cut.
const TRUNCATED: &str = "[truncated]";

/// A cut in the middle of a line moves to a space if there is one within this many bytes before it.
const WORD: usize = 16;

/// Half of an entry with fewer bytes says nothing.
const WORTH_DIVIDING: usize = 40;

/// Returns how many bytes a block has that may be cut in the middle: everything before what must
/// stay whole, if that is not too short.
pub(super) fn open_bytes(text: &str, cut: &Cut) -> usize {
    let lines = text.split_inclusive('\n');
    let open = lines
        .skip(cut.lines.start)
        .take(cut.solid - cut.lines.start);
    let open = open.map(str::len).sum();
    if open < WORTH_DIVIDING { 0 } else { open }
}

/// Returns the text without these blocks, with a mark in place of each gap. Of the last block, at
/// most the first `spared` bytes stay.
///
/// A gap that is no longer than its mark stays as it is.
pub(super) fn without<'a>(text: &'a str, cuts: &[Cut], spared: usize) -> Cow<'a, str> {
    let Some(last) = cuts.last() else {
        return Cow::Borrowed(text);
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut gone = vec![false; lines.len()];
    for cut in cuts {
        gone[cut.lines.clone()].fill(true);
    }
    let mut written = String::new();
    let mut gap = String::new();
    let mut left = spared;
    for (number, line) in lines.iter().enumerate() {
        let shown = if !gone[number] {
            line.len()
        } else if last.lines.contains(&number) {
            beginning(line, left)
        } else {
            0
        };
        if gone[number] && last.lines.contains(&number) {
            // Once a line is cut, nothing after it stays.
            left = if shown == line.len() { left - shown } else { 0 };
        }
        if shown > 0 {
            close(&mut written, &mut gap);
            written.push_str(&line[..shown]);
        }
        gap.push_str(&line[shown..]);
    }
    close(&mut written, &mut gap);
    Cow::Owned(written)
}

/// Writes the mark of a gap, or its content if that is no longer.
fn close(written: &mut String, gap: &mut String) {
    // A paragraph of its own, or it would be a part of what stands above.
    let breaks = match written.as_str() {
        above if above.is_empty() || above.ends_with("\n\n") => "",
        above if above.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let mark = format!("{breaks}{TRUNCATED}\n\n");
    let is_longer = gap.chars().nth(mark.len()).is_some();
    written.push_str(if is_longer { &mark } else { gap });
    gap.clear();
}

/// Returns how many of the first bytes of a line are shown if `most` may be: all of them, or whole
/// words if they are not too long. Signs and digits without a letter could be read as the marker of
/// a heading or of an entry, and are not shown. The three signs of a fence are not shown either, if
/// only the rest of the line keeps them from being one.
fn beginning(line: &str, most: usize) -> usize {
    if line.len() <= most {
        return line.len();
    }
    let end = boundary(line, most);
    let from = boundary(line, end.saturating_sub(WORD));
    // The character behind the end tells whether it is one of a word.
    let behind = line[end..]
        .chars()
        .next()
        .map_or(end, |next| end + next.len_utf8());
    let space = line[from..behind].rfind(char::is_whitespace);
    let end = space.map_or(end, |space| from + space);
    let shown = line[..end].trim_end();
    if shown.contains(char::is_alphabetic) && !shown.contains("```") {
        shown.len()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(lines: std::ops::Range<usize>) -> Cut {
        Cut {
            solid: lines.end,
            lines,
        }
    }

    const LINES: &str = "a\nb\nthe first of the lines\nthe second of them\nlast\n";

    #[test]
    fn a_gap_is_marked_once_and_stands_alone() {
        let cuts = [cut(3..4), cut(2..3)];
        assert_eq!(without(LINES, &cuts, 0), "a\nb\n\n[truncated]\n\nlast\n");
        let text = "a\n\nthe first of the lines\n";
        assert_eq!(without(text, &[cut(2..3)], 0), "a\n\n[truncated]\n\n");
    }

    #[test]
    fn what_is_no_longer_than_its_mark_stays() {
        assert_eq!(
            without("a\n\nshort\n\nb\n", &[cut(2..4)], 0),
            "a\n\nshort\n\nb\n"
        );
        // Many that are short are one gap.
        let text = "a\n- one\n- two\n- three\nb\n";
        let cuts = [cut(3..4), cut(2..3), cut(1..2)];
        assert_eq!(without(text, &cuts, 0), "a\n\n[truncated]\n\nb\n");
    }

    #[test]
    fn the_last_block_that_goes_is_cut_between_words() {
        let cuts = [cut(2..4)];
        let shown = |spared| without(LINES, &cuts, spared).into_owned();
        assert_eq!(shown(13), "a\nb\nthe first of\n\n[truncated]\n\nlast\n");
        assert_eq!(shown(12), shown(13));
        assert_eq!(
            shown(30),
            "a\nb\nthe first of the lines\nthe\n\n[truncated]\n\nlast\n"
        );
        // All but a few letters are as long as the mark.
        assert_eq!(shown(38), LINES);
    }

    #[test]
    fn short_blocks_are_not_divided() {
        let cut = |text: &str| open_bytes(text, &cut(0..1));
        assert_eq!(cut("- [ ] a short task\n"), 0);
        assert_eq!(cut(&"word ".repeat(10)), 50);
    }

    #[test]
    fn a_line_that_is_cut_opens_no_fence() {
        let text = "```code``` in a line of a paragraph\n\nmore\n";
        assert_eq!(without(text, &[cut(0..1)], 9), "[truncated]\n\n\nmore\n");
    }

    #[test]
    fn signs_without_a_word_are_not_shown() {
        let text = "--- and more of a paragraph that begins with signs\n";
        assert_eq!(without(text, &[cut(0..1)], 4), "[truncated]\n\n");
        assert_eq!(beginning("aéb", 2), 1);
    }
}
