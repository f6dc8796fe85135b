//! What the parts of changed files are worth to someone who sees the change.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::index::kind::Kind;
use crate::index::paths::is_test;
use crate::repo::Changed;
use crate::section::{Piece, Section, Valued};
use crate::syntax::{is_program, language};

/// A diff shows this many lines around each change.
const IN_DIFF: usize = 3;

/// A changed part is worth at least this much, even if the diff shows all of it.
const LEAST_UNSEEN: f64 = 0.02;

/// The share of its worth that a change in a test keeps, compared with one in code that is neither
/// test nor imports nor comment: a reviewer must first see what runs.
const OF_TEST: f64 = 0.25;
const OF_NO_PROGRAM: f64 = 0.1;

/// In what is no program, a line farther than this from a changed line is worth nothing beside a
/// diff, in lines: an entry of a long list says nothing of another one. A part of twice as many
/// lines is not cut.
const NEAR: usize = 6;

/// A file that changed in more places is left as it is: each of them would make parts of its own.
const MOST_STRETCHES: usize = 100;

/// The same share for a change in a list of imports or in a long comment: the lines around it do
/// not run either, and the diff shows the nearest.
const OF_STILL: f64 = 0.03;

/// The share that the rest of a changed function has of what its changed part is worth: it comes
/// before anything that did not change.
const OF_REST: f64 = 0.3;

/// A longer function is not shown whole for one changed line, in lines.
const MOST_OF_FUNCTION: usize = 200;

/// Makes what surrounds a changed line worth more than all the rest of the file: the diff shows the
/// lines, but not what they are part of. What the diff shows whole, because it is new, is worth
/// hardly anything here. `still` returns the lines of a file that do not run.
pub(super) fn around_change(
    lines: &BTreeMap<&str, Vec<Range<usize>>>,
    section: &mut Section,
    still: impl Fn(&str) -> Vec<Range<usize>>,
) {
    for piece in &mut section.pieces {
        let changed = piece.path.as_deref().and_then(|path| lines.get(path));
        let changed = changed.map_or(&[][..], Vec::as_slice);
        let of_file = match piece.path.as_deref() {
            Some(path) if !is_source(path) => OF_NO_PROGRAM,
            Some(path) if is_test(path) => OF_TEST,
            _ => 1.0,
        };
        let still = piece.path.as_deref().map_or(Vec::new(), &still);
        let functions = functions_around(&piece.titles, changed);
        for part in &mut piece.parts {
            let lies_in =
                |it: &Range<usize>| it.start <= part.lines.start && part.lines.end <= it.end;
            let runs = if still.iter().any(lies_in) {
                OF_STILL
            } else {
                1.0
            };
            let touches =
                |it: &Range<usize>| it.start < part.lines.end && part.lines.start < it.end;
            let unseen = unseen(&part.lines, changed);
            let around = if changed.iter().any(touches) {
                unseen.max(LEAST_UNSEEN)
            } else if functions.iter().any(lies_in) {
                OF_REST * unseen
            } else {
                0.0
            };
            part.value = of_file * runs * (part.value * unseen + around);
        }
    }
}

/// Returns the lines of the functions and types around changed lines, if they are not too long.
fn functions_around(
    titles: &[(Range<usize>, Vec<String>)],
    changed: &[Range<usize>],
) -> Vec<Range<usize>> {
    let functions = titles.iter().map(|(lines, _)| lines);
    let functions = functions.filter(|it| it.len() <= MOST_OF_FUNCTION);
    let changes = |it: &&Range<usize>| {
        let next = changed.partition_point(|lines| lines.end <= it.start);
        changed.get(next).is_some_and(|lines| lines.start < it.end)
    };
    functions.filter(changes).cloned().collect()
}

/// Whether a file is a program, or what is carried out as one.
fn is_source(path: &str) -> bool {
    is_program(language(path)) || Kind::of_target(path) == Kind::Source
}

/// Makes what is far from a change wait for the room that is left over, in files that are no
/// programs and whose change the diff shows. Where no program changed, these files are what is
/// judged, and nothing waits.
pub(super) fn set_back_what_is_far(
    lines: &BTreeMap<&str, Vec<Range<usize>>>,
    section: &mut Section,
) {
    let runs = |piece: &Piece| piece.path.as_deref().is_some_and(is_source);
    if !section.pieces.iter().any(runs) {
        return;
    }
    for piece in section.pieces.iter_mut().filter(|piece| !runs(piece)) {
        let changed = piece.path.as_deref().and_then(|path| lines.get(path));
        let near = stretches_near(changed.map_or(&[], Vec::as_slice));
        if near.len() > MOST_STRETCHES {
            continue;
        }
        let edges = near.iter().flat_map(|it| [it.start, it.end]);
        cut(&mut piece.parts, &edges.collect::<Vec<_>>());
        for part in &mut piece.parts {
            let lies_near =
                |it: &Range<usize>| it.start < part.lines.end && part.lines.start < it.end;
            if !near.iter().any(lies_near) {
                part.value = 0.0;
                section.waits = true;
            }
        }
    }
}

/// Returns the lines near changed ones, which are in order; stretches that meet are one.
fn stretches_near(changed: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut near: Vec<Range<usize>> = Vec::new();
    for lines in changed {
        let (start, end) = (lines.start.saturating_sub(NEAR), lines.end + NEAR);
        match near.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => near.push(start..end),
        }
    }
    near
}

/// Cuts long parts at these lines. The pieces of a part share its worth by their lengths.
#[expect(clippy::cast_precision_loss, reason = "lines of a file")]
fn cut(parts: &mut Vec<Valued>, edges: &[usize]) {
    for part in std::mem::take(parts) {
        let (start, all) = (part.lines.start, part.lines.len());
        let inside = |line: &usize| start < *line && *line < part.lines.end && all > 2 * NEAR;
        let mut edges: Vec<usize> = edges.iter().copied().filter(inside).collect();
        edges.extend([start, part.lines.end]);
        edges.sort_unstable();
        edges.dedup();
        let pieces = edges.windows(2).map(|cut| Valued {
            lines: cut[0]..cut[1],
            owners: part.owners.clone(),
            value: part.value * (cut[1] - cut[0]) as f64 / all as f64,
            signature: 0.0,
        });
        parts.extend(pieces);
    }
}

/// Whether a diff has every line of a text as an added one.
fn adds_all(diff: &str, text: &str) -> bool {
    let hunks = diff.lines().skip_while(|line| !line.starts_with("@@"));
    let mut added = hunks.filter_map(|line| line.strip_prefix('+'));
    let mut all = text.lines();
    !text.is_empty() && all.all(|line| added.next() == Some(line)) && added.next().is_none()
}

/// What a hunk of a diff shows.
struct Hunk {
    lines: Range<usize>,
    /// Those of the lines that are new.
    added: Vec<usize>,
}

/// Returns the lines of a text, from 0, that a diff of it shows. A line counts only if it is where
/// its hunk says, because a diff that somebody brings may be of another text.
fn hunks_of(diff: &str, text: &str) -> Vec<Hunk> {
    let first_of_hunk = |line: &str| {
        let (_, new) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let digits = new.bytes().take_while(u8::is_ascii_digit).count();
        let first: usize = new[..digits].parse().ok()?;
        Some(first.saturating_sub(1))
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<Hunk> = Vec::new();
    for line in diff.lines() {
        if let Some(first) = first_of_hunk(line) {
            shown.push(Hunk {
                lines: first..first,
                added: Vec::new(),
            });
        } else if let Some(hunk) = shown.last_mut()
            && let Some(said) = line.strip_prefix([' ', '+'])
            && lines.get(hunk.lines.end) == Some(&said)
        {
            let is_new = line.starts_with('+');
            hunk.added.extend(is_new.then_some(hunk.lines.end));
            hunk.lines.end += 1;
        }
    }
    shown
}

/// Marks the files that should not be shown again if not everything fits. In other files, the parts
/// of which the diff shows every line come after everything else.
pub(super) fn set_back_what_is_in_diff(change: &Changed, section: &mut Section) {
    let diffs: HashMap<&str, &str> = change.diffs().collect();
    for piece in &mut section.pieces {
        let diff = piece.path.as_deref().and_then(|path| diffs.get(path));
        let Some(diff) = diff else {
            continue;
        };
        piece.is_in_diff = adds_all(diff, piece.body.text());
        let shown = hunks_of(diff, piece.body.text());
        for part in &mut piece.parts {
            let lines = &part.lines;
            let has_all = |it: &Range<usize>| it.start <= lines.start && lines.end <= it.end;
            // What is only around a change would leave a piece of what it lies in.
            let brings = |hunk: &Hunk| hunk.added.iter().any(|line| lines.contains(line));
            if shown
                .iter()
                .any(|hunk| has_all(&hunk.lines) && brings(hunk))
            {
                part.value = 0.0;
            }
        }
    }
}

/// Returns the share of these lines that a diff of these changes, in their order, does not show.
#[expect(clippy::cast_precision_loss, reason = "lines of a file")]
fn unseen(lines: &Range<usize>, changed: &[Range<usize>]) -> f64 {
    let is_unseen = |line: &usize| {
        let next = changed.partition_point(|it| it.end + IN_DIFF <= *line);
        changed.get(next).is_none_or(|it| it.start > line + IN_DIFF)
    };
    let unseen = lines.clone().filter(is_unseen).count();
    unseen as f64 / lines.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::{Body, Key};

    #[test]
    fn a_diff_shows_the_lines_of_a_text_that_stand_where_it_says() {
        let diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n one\n-old\n+two\n+three\n@@ -9 +5 @@ fn a\n+five\n";
        let shown = |text: &str| -> Vec<(Range<usize>, Vec<usize>)> {
            let hunks = hunks_of(diff, text).into_iter();
            hunks.map(|hunk| (hunk.lines, hunk.added)).collect()
        };
        assert_eq!(
            shown("one\ntwo\nthree\nfour\nfive\n"),
            [(0..3, vec![1, 2]), (4..5, vec![4])]
        );
        // It may be of another text.
        assert_eq!(
            shown("one\nthree\nfour\n"),
            [(0..2, vec![1]), (4..4, vec![])]
        );
        assert!(hunks_of("@@ -1 +x @@\n+a\n", "a\n").is_empty());
    }

    #[test]
    fn around_a_change_counts_what_its_diff_does_not_show() {
        let changed = [Range { start: 10, end: 14 }, Range { start: 40, end: 41 }];
        let percent = |share: f64| format!("{:.0}", share * 100.0);
        let share = |lines| percent(unseen(&lines, &changed));
        assert_eq!([share(10..14), share(7..17)], ["0", "0"]);
        let around = [share(0..20), share(17..37), share(30..50)];
        assert_eq!(around, ["50", "100", "65"]);
        assert_eq!(share(3..3), "0");
        assert_eq!(percent(unseen(&(0..9), &[])), "100");
    }

    #[test]
    fn what_lies_around_a_changed_import_is_worth_hardly_anything_to_a_reviewer() {
        let mut piece = Piece::file("a.rs", Body::Source("a\n".repeat(60)));
        let valued = |lines| Valued {
            lines,
            owners: Vec::new(),
            value: 0.1,
            signature: 0.0,
        };
        piece.parts = vec![valued(0..20), valued(20..40), valued(40..60)];
        let mut section = Section::new(Key::ChangedFiles, vec![piece]);
        let lines = BTreeMap::from([("a.rs", vec![9..10, 29..30])]);
        around_change(&lines, &mut section, |_| std::iter::once(0..20).collect());
        let parts = section.pieces[0].parts.iter().map(|part| part.value);
        let [imports, changed, other] = parts.collect::<Vec<_>>()[..] else {
            panic!("{section:?}");
        };
        assert!(changed > 5.0 * other && other > 2.0 * imports && imports > 0.0);
    }

    #[test]
    fn the_rest_of_a_changed_function_is_worth_more_than_what_did_not_change() {
        let worths = |functions: &[Range<usize>]| -> Vec<f64> {
            let mut piece = Piece::file("a.rs", Body::Source("a\n".repeat(300)));
            let valued = |start| Valued {
                lines: start..start + 30,
                owners: Vec::new(),
                value: 0.1,
                signature: 0.0,
            };
            piece.parts = (0..10).map(|at| valued(30 * at)).collect();
            let titles = functions.iter().cloned().map(|it| (it, vec!["f".into()]));
            piece.titles = titles.collect();
            let mut section = Section::new(Key::ChangedFiles, vec![piece]);
            let lines = BTreeMap::from([("a.rs", vec![Range { start: 70, end: 71 }])]);
            around_change(&lines, &mut section, |_| Vec::new());
            let parts = section.pieces[0].parts.iter();
            parts.map(|part| part.value).collect()
        };
        let ranges = |ranges: &[(usize, usize)]| -> Vec<Range<usize>> {
            ranges.iter().map(|(start, end)| *start..*end).collect()
        };
        let worth = worths(&ranges(&[(0, 60), (60, 150), (150, 300)]));
        assert!(
            worth[2] > worth[3] && worth[3] > 3.0 * worth[1],
            "{worth:?}"
        );
        assert!(worth[4] > 3.0 * worth[5], "{worth:?}");
        // One that is too long counts as before.
        let worth = worths(&ranges(&[(0, 300)]));
        assert!(worth[3] < worth[2] / 5.0, "{worth:?}");
    }

    #[test]
    fn an_entry_of_a_list_far_from_what_changed_is_worth_nothing_beside_a_diff() {
        let worths = |program: &str| -> Vec<(Range<usize>, bool)> {
            let mut log = Piece::file("CHANGES.md", Body::Source("a\n".repeat(60)));
            let part = |lines| Valued {
                lines,
                owners: vec![0],
                value: 0.1,
                signature: 0.0,
            };
            log.parts = vec![part(0..10), part(10..60)];
            let other = Piece::file(program, Body::Source("a\n".into()));
            let mut section = Section::new(Key::ChangedFiles, vec![log, other]);
            let lines = BTreeMap::from([("CHANGES.md", vec![2..3, 30..31])]);
            set_back_what_is_far(&lines, &mut section);
            let parts = section.pieces[0].parts.iter();
            let told = parts.map(|part| (part.lines.clone(), part.value > 0.0));
            told.collect()
        };
        let near = 30 - NEAR..31 + NEAR;
        assert_eq!(
            worths("a.rs"),
            [
                (0..10, true),
                (10..near.start, false),
                (near.clone(), true),
                (near.end..60, false),
            ]
        );
        // Where no program changed it is what is judged.
        assert_eq!(worths("a.md"), [(0..10, true), (10..60, true)]);
    }

    #[test]
    fn a_file_that_changed_in_many_places_has_no_more_parts() {
        let parts = |changes: usize| {
            let mut list = Piece::file("list.txt", Body::Source("a\n".repeat(5000)));
            list.parts = vec![Valued {
                lines: 0..5000,
                owners: Vec::new(),
                value: 0.1,
                signature: 0.0,
            }];
            let other = Piece::file("a.rs", Body::Source("a\n".into()));
            let mut section = Section::new(Key::ChangedFiles, vec![list, other]);
            let changed = (0..changes).map(|at| 20 * at + 10..20 * at + 11);
            let lines = BTreeMap::from([("list.txt", changed.collect())]);
            set_back_what_is_far(&lines, &mut section);
            section.pieces[0].parts.len()
        };
        assert_eq!([parts(2), parts(100), parts(101)], [5, 201, 1]);
        assert_eq!(stretches_near(&[2..3, 15..16, 40..41]), [0..22, 34..47]);
    }

    #[test]
    fn only_a_diff_that_adds_every_line_is_enough() {
        let diff = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n++two\n";
        assert!(adds_all(diff, "one\n+two\n") && adds_all(diff, "one\n+two"));
        for text in ["one\n", "one\ntwo\n", "one\n+two\nthree\n", ""] {
            assert!(!adds_all(diff, text), "{text}");
        }
        assert!(!adds_all("@@ -1 +1,2 @@\n one\n+two\n", "one\ntwo\n"));
    }
}
