//! How recently each part of a file was changed: recently changed parts are more often unfinished
//! than the rest.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use foldhash::quality::FixedState;

use super::corpus::{Corpus, File};
use super::parts::ReadPart;
use super::read::MAX_TARGET;
use super::renewed::Renewed;
use crate::repo::{Before, PastChange, Repo};

/// A change longer ago than this many days says nothing about a part.
const LATELY: f64 = 90.0;

/// After this many days, a change counts half.
const HALF: f64 = 30.0;

/// The most past texts that one prompt looks at.
const MAX_TEXTS: usize = 200;

/// A change of a file.
struct Touch {
    /// How many days before the newest change it was.
    days: f64,
    /// What the file was before.
    before: Before,
}

/// The recent changes of each file, the newest first.
type Touches = HashMap<String, Vec<Touch>, RandomState>;

/// Finds out how recently parts were changed, as long as there is time.
pub struct Recency {
    touches: Touches,
    /// How many past texts may still be looked at.
    left: usize,
    /// How many files had to be compared with their past.
    pub compared: usize,
}

impl Recency {
    /// Makes it from what the last commits changed.
    pub fn of(past: &[PastChange]) -> Recency {
        let now = past.first().map_or(0, |change| change.time);
        let mut touches = Touches::default();
        for change in past {
            let days = now.saturating_sub(change.time).max(0) as f64 / 86_400.0;
            let changed = change.paths.iter().zip(&change.before);
            for (path, before) in changed.filter(|_| days < LATELY) {
                if let Some(before) = *before {
                    let touches = touches.entry(path.clone()).or_default();
                    touches.push(Touch { days, before });
                }
            }
        }
        Recency {
            touches,
            left: MAX_TEXTS,
            compared: 0,
        }
    }

    /// Sets how recently each part of these files was changed.
    pub fn tell(&mut self, repo: &Repo, corpus: &mut Corpus, files: &mut [(usize, Vec<ReadPart>)]) {
        for (at, parts) in files.iter_mut().filter(|(_, parts)| parts.len() > 1) {
            let file = &mut corpus.files[*at];
            let Some(touches) = self.touches.get(file.path.as_str()) else {
                continue;
            };
            let Some(rest) = self.left.checked_sub(touches.len()) else {
                break;
            };
            self.left = rest;
            let mark = mark(touches);
            let known = file.renewed.as_ref();
            if let Some(known) = known.filter(|known| known.mark == mark) {
                tell_parts(touches, known, parts);
                continue;
            }
            let Some((renewed, is_whole)) = renewed(repo, file, mark, touches) else {
                continue;
            };
            tell_parts(touches, &renewed, parts);
            // What could not be read may be readable the next time.
            if is_whole {
                file.renewed = Some(renewed);
                file.is_cut_anew();
                self.compared += 1;
            }
        }
    }
}

/// Returns a mark that identifies what a file was before its last changes.
fn mark(touches: &[Touch]) -> u64 {
    let before: Vec<&[u8]> = touches.iter().map(|touch| touch.before.bytes()).collect();
    FixedState::default().hash_one(before)
}

/// Returns which lines of a file its last changes added, and whether each past text could be read;
/// `None` if the file itself can no longer be read.
fn renewed(repo: &Repo, file: &File, mark: u64, touches: &[Touch]) -> Option<(Renewed, bool)> {
    let text = repo.read(file.readable.as_ref()?, MAX_TARGET).ok()?.text;
    let git = repo.git().ok()?;
    let mut is_whole = true;
    let before = touches.iter().map(|touch| {
        if touch.before.is_nothing() {
            return Some(String::new());
        }
        let before = git.text_before(touch.before);
        is_whole &= before.is_some();
        before
    });
    Some((Renewed::of(mark, &text, before), is_whole))
}

/// Sets how recently each part was changed: more if the change is newer, and if fewer other parts
/// were changed with it.
fn tell_parts(touches: &[Touch], renewed: &Renewed, parts: &mut [ReadPart]) {
    for (change, touch) in (0..).zip(touches) {
        let is_changed = |read: &ReadPart| renewed.any(change, &read.part.lines);
        let changed: Vec<bool> = parts.iter().map(is_changed).collect();
        let count = changed.iter().filter(|changed| **changed).count() as f64;
        let worth = 1.0 / (1.0 + touch.days / HALF) / count.max(1.0).sqrt();
        for (read, _) in parts
            .iter_mut()
            .zip(changed)
            .filter(|(_, changed)| *changed)
        {
            read.recency = read.recency.max(worth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touches(days: &[f64]) -> Vec<Touch> {
        let before = Before::default();
        let touch = |days: &f64| Touch {
            days: *days,
            before,
        };
        days.iter().map(touch).collect()
    }

    fn parts(ranges: &[std::ops::Range<usize>]) -> Vec<ReadPart> {
        ranges.iter().cloned().map(ReadPart::of_lines).collect()
    }

    #[test]
    fn a_part_counts_by_how_lately_and_with_how_many_others_it_was_changed() {
        let text = |first: &str, second: &str| -> String {
            let line = |at: usize| match at {
                12 => format!("{first}\n"),
                0 | 25..31 => format!("{second}\n"),
                _ => format!("line {at}\n"),
            };
            (0..50).map(line).collect()
        };
        let before = [text("old", "new"), text("old", "old")].map(Some);
        let renewed = Renewed::of(1, &text("new", "new"), before.into_iter());
        let mut parts = parts(&[0..10, 10..20, 20..30, 30..40, 40..50]);
        tell_parts(&touches(&[0.0, 30.0]), &renewed, &mut parts);
        let told: Vec<f64> = parts.iter().map(|read| read.recency).collect();
        let third = 0.5 / 3f64.sqrt();
        assert_eq!(told, [third, 1.0, third, third, 0.0]);
    }

    #[test]
    fn what_is_long_ago_counts_nothing() {
        let change = |days: i64| PastChange {
            hash: String::new(),
            time: 1_000_000_000 - days * 86_400,
            message: String::new(),
            paths: vec![format!("{days}.rs")],
            before: vec![Some(Before::default())],
        };
        let told = Recency::of(&[change(0), change(89), change(91)]).touches;
        let mut paths: Vec<&String> = told.keys().collect();
        paths.sort();
        assert_eq!(paths, ["0.rs", "89.rs"]);
    }
}
