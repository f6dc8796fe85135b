//! Which lines of a file its last changes added.

use std::collections::HashSet;
use std::ops::Range;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::split;

/// The most ranges of lines that are recorded for a file, the first ones.
const MAX_RUNS: usize = 1000;

/// Which lines of a file its last changes added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renewed {
    /// Identifies what the file was before these changes.
    pub mark: u64,
    /// Consecutive lines, by the first and the one after the last, and which change added them: 0
    /// is the newest.
    runs: Vec<(u32, u32, u8)>,
}

impl Renewed {
    /// Compares a text with what it was before each of its last changes. If nothing is known about
    /// a change, nothing is recorded for it or for those before it.
    pub fn of(mark: u64, text: &str, before: impl Iterator<Item = Option<String>>) -> Renewed {
        let lines = split::lines(text);
        let mut brought = vec![None; lines.len()];
        for (change, before) in (0..).zip(before) {
            let Some(before) = before else { break };
            let before = split::lines(&before);
            let (at, old) = differing(&lines, &before);
            let old: HashSet<&str, RandomState> = old.iter().map(|line| line.trim()).collect();
            for (line, brought) in lines[at.clone()].iter().zip(&mut brought[at]) {
                let line = line.trim();
                if brought.is_none() && !line.is_empty() && !old.contains(line) {
                    *brought = Some(change);
                }
            }
        }
        let mut runs: Vec<(u32, u32, u8)> = Vec::new();
        for (at, change) in (0..).zip(brought) {
            let Some(change) = change else { continue };
            let is_full = runs.len() == MAX_RUNS;
            match runs.last_mut() {
                Some((_, end, last)) if (*end, *last) == (at, change) => *end += 1,
                _ if is_full => break,
                _ => runs.push((at, at + 1, change)),
            }
        }
        Renewed { mark, runs }
    }

    /// Whether a change added any of these lines.
    pub fn any(&self, change: u8, lines: &Range<usize>) -> bool {
        let behind = |(_, end, _): &(u32, u32, u8)| (*end as usize) <= lines.start;
        let near = &self.runs[self.runs.partition_point(behind)..];
        let mut near = near
            .iter()
            .take_while(|(start, _, _)| (*start as usize) < lines.end);
        near.any(|(_, _, by)| *by == change)
    }

    /// Returns about how many bytes of memory it takes.
    pub fn weight(&self) -> usize {
        self.runs.len() * size_of::<(u32, u32, u8)>()
    }
}

/// Returns where a text differs from what it was, without the identical lines at its beginning and
/// its end, and the lines that were there before.
fn differing<'a>(now: &[&str], before: &'a [&'a str]) -> (Range<usize>, &'a [&'a str]) {
    let same = now.iter().zip(before).take_while(|(a, b)| a == b).count();
    let (rest, old) = (&now[same..], &before[same..]);
    let pairs = rest.iter().rev().zip(old.iter().rev());
    let end = pairs.take_while(|(a, b)| a == b).count();
    (same..now.len() - end, &old[..old.len() - end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_change_brought_are_told_by_the_newest() {
        let text = "a\nb\n\nc\nd\n";
        let before = ["a\n b \n\nc\n", "a\n"];
        let renewed = Renewed::of(1, text, before.iter().map(|text| Some((*text).into())));
        assert_eq!(renewed.runs, [(1, 2, 1), (3, 4, 1), (4, 5, 0)]);
        let unknown = Renewed::of(1, text, [None, Some(String::new())].into_iter());
        assert!(unknown.runs.is_empty());
        let created = Renewed::of(1, text, [Some(String::new())].into_iter());
        assert_eq!(created.runs, [(0, 2, 0), (3, 5, 0)]);
    }

    #[test]
    fn a_text_of_nothing_but_stretches_is_told_up_to_a_number() {
        let text = "a\n\n".repeat(MAX_RUNS + 1);
        let renewed = Renewed::of(1, &text, [Some(String::new())].into_iter());
        assert_eq!(renewed.runs.len(), MAX_RUNS);
        let last = 2 * MAX_RUNS - 2;
        assert!(renewed.any(0, &(last..last + 1)) && !renewed.any(0, &(last + 1..last + 9)));
        assert!(!renewed.any(1, &(0..last)) && !renewed.any(0, &(1..2)));
    }
}
