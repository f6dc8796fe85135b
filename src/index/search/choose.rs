//! Which files are worth knowing: those that come first by any of several measures.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words, far below 2^52"
)]

use super::super::candidates::Candidate;
use super::super::corpus::rarity;
use super::super::kind::Kind;
use super::super::order::near;
use super::super::words::{Sought, names};
use super::Quest;
use super::score::Scores;
use crate::repo::PastChange;

/// After this many days, an event counts half as much.
const HALF_LIFE: f64 = 365.0;

/// Returns the `most` likeliest files by their indices.
///
/// Each measure has its own order, and they take turns from the first file of each. So a file that
/// is first by any of them is among the first, and nothing must weigh what cannot be compared. The
/// chosen files are ranked by another model, which knows more about them.
pub fn likeliest(quest: &Quest<'_>, by_path: &[f64], scores: &Scores, most: usize) -> Vec<usize> {
    let (together, messages) = past(quest);
    let beside = beside(quest);
    let measures: [&[f64]; 9] = [
        &scores.words,
        &scores.names,
        &scores.telling,
        &scores.declares,
        &scores.uses,
        by_path,
        &together,
        &messages,
        &beside,
    ];
    let mut orders: Vec<_> = measures
        .into_iter()
        .map(|scores| first(scores, most).into_iter())
        .collect();
    let (mut chosen, mut is_chosen) = (Vec::with_capacity(most), vec![false; quest.files.len()]);
    while chosen.len() < most {
        let before = chosen.len();
        for order in &mut orders {
            let next = order.find(|at| !is_chosen[*at]);
            if let Some(at) = next.filter(|_| chosen.len() < most) {
                is_chosen[at] = true;
                chosen.push(at);
            }
        }
        if chosen.len() == before {
            // Nothing speaks for any other.
            let others = (0..is_chosen.len()).filter(|at| !is_chosen[*at]);
            chosen.extend(others.take(most - before));
            break;
        }
    }
    chosen
}

/// Returns the `most` files with the highest scores, the highest first, of those that have any.
fn first(scores: &[f64], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
    let compare = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
    if order.len() > most {
        order.select_nth_unstable_by(most, compare);
        order.truncate(most);
    }
    order.sort_unstable_by(compare);
    order
}

/// Returns how near each build file and changelog is: few mention the task, and many change along
/// with the source.
fn beside(quest: &Quest<'_>) -> Vec<f64> {
    let counts = |path: &str| {
        let depth = path.matches('/').count() as f64;
        near(path, quest.targets) + 1.0 / (1.0 + depth)
    };
    let files = quest.files.iter();
    files
        .map(|found| match found.kind {
            Kind::Build | Kind::Changelog => counts(found.path()),
            Kind::Source | Kind::Document | Kind::Other => 0.0,
        })
        .collect()
}

/// Returns how much each file changed together with the targets, and in commits with messages like
/// the task.
fn past(quest: &Quest<'_>) -> (Vec<f64>, Vec<f64>) {
    let mut together = vec![0.0; quest.files.len()];
    let mut messages = vec![0.0; quest.files.len()];
    let now = quest.past.first().map_or(0, |change| change.time);
    for (change, alike) in quest.past.iter().zip(alike(quest.task, quest.past)) {
        let has = |path: &str| change.paths.iter().any(|changed| changed == path);
        let with_target = quest.targets.iter().any(|target| has(target.as_str()));
        if !with_target && alike <= 0.0 {
            continue;
        }
        let days = (now - change.time).max(0) as f64 / 86_400.0;
        let fresh = 0.5f64.powf(days / HALF_LIFE);
        let size = change.paths.len().max(1) as f64;
        for path in &change.paths {
            let place = |found: &Candidate| found.path().cmp(path.as_str());
            let Ok(at) = quest.files.binary_search_by(place) else {
                continue;
            };
            messages[at] += alike / size.sqrt() * (0.25 + fresh);
            if with_target {
                together[at] += (0.3 + fresh) / size.ln().max(0.7);
            }
        }
    }
    (together, messages)
}

/// Returns how much of the task each message says, by the rarity of its words among messages.
fn alike(task: &str, past: &[PastChange]) -> Vec<f64> {
    let asked = Sought::of(names(task).map(|(_, name)| name));
    let mut with = vec![0; asked.len()];
    let found: Vec<Vec<usize>> = past
        .iter()
        .map(|change| {
            let mut words = Vec::new();
            for (_, name) in names(&change.message) {
                asked.each_in(name, |word| words.push(word));
            }
            words.sort_unstable();
            words.dedup();
            for word in &words {
                with[*word] += 1;
            }
            words
        })
        .collect();
    let says = |word: &usize| rarity(with[*word], past.len());
    let found = found.iter();
    found.map(|words| words.iter().map(says).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_those_with_the_highest_scores() {
        let scores = [0.0, 3.0, 1.0, 3.0, 2.0];
        assert_eq!(first(&scores, 9), [1, 3, 4, 2]);
        assert_eq!(first(&scores, 2), [1, 3]);
        assert_eq!(first(&scores, 0), [0; 0]);
    }

    #[test]
    fn messages_are_alike_by_their_rare_words() {
        let change = |message: &str| PastChange {
            hash: String::new(),
            time: 0,
            message: message.into(),
            paths: Vec::new(),
            before: Vec::new(),
        };
        let past = [
            change("Repair the parser"),
            change("Repair drifting sensors"),
            change("Repair it"),
        ];
        let alike = alike("repair the sensor", &past);
        assert!(alike[1] > alike[0] && alike[0] > 0.0);
        assert!((alike[0] - alike[2]).abs() < 1e-9);
    }
}
