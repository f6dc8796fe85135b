//! What git's history tells of each file.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::rows::Rows;
use crate::index::PastChange;
use crate::index::corpus::Corpus;
use crate::index::words::{each_word, is_common, names, words};

/// How fast what happened long ago counts less, in days.
const HALF_LIFE: f64 = 365.0;

/// What history tells of each file.
#[derive(Default, Clone)]
pub(super) struct History {
    /// How strongly it changes together with the targets.
    pub(super) together: f64,
    /// In how many commits it did.
    pub(super) times: usize,
    /// How well the messages of its commits resemble the task.
    pub(super) messages: f64,
    /// How often it changed, recent changes counting more.
    pub(super) churn: f64,
    /// How long ago it changed last, in days.
    pub(super) age: f64,
}

/// What history tells of every file.
pub(super) fn of_files(
    corpus: &Corpus,
    task: &str,
    targets: &[usize],
    past: &[PastChange],
) -> Vec<History> {
    let unknown = History {
        age: 3650.0,
        ..History::default()
    };
    let mut histories = vec![unknown; corpus.files.len()];
    let now = past.first().map_or(0, |change| change.time);
    for (change, alike) in past.iter().zip(alike(task, past)) {
        let age = ((now - change.time).max(0) as f64) / 86_400.0;
        let fresh = 0.5f64.powf(age / HALF_LIFE);
        let paths = change.paths.iter();
        let files: Vec<usize> = paths.filter_map(|path| corpus.place(path)).collect();
        let size = files.len() as f64;
        let with_target = targets.iter().any(|target| files.contains(target));
        for file in &files {
            let history = &mut histories[*file];
            history.age = history.age.min(age);
            history.churn += fresh / size.sqrt();
            history.messages += alike / size.sqrt() * (0.25 + fresh);
            if with_target && size > 1.0 {
                history.times += 1;
                history.together += (0.3 + fresh) / size.ln().max(0.7);
            }
        }
    }
    histories
}

/// How well the message of each commit resembles the task.
fn alike(task: &str, past: &[PastChange]) -> Vec<f64> {
    let mut asked: Vec<String> = names(task).flat_map(|(_, name)| words(name)).collect();
    asked.retain(|word| !is_common(word));
    asked.sort();
    asked.dedup();
    let wanted: HashMap<&str, u32, RandomState> =
        asked.iter().map(String::as_str).zip(0..).collect();
    let mut lengths = Vec::with_capacity(past.len());
    let texts = past.iter().map(|change| {
        let mut found = Vec::new();
        let mut length = 0.0;
        for (_, name) in names(&change.message) {
            each_word(name, |word| {
                length += 1.0;
                found.extend(wanted.get(word).map(|at| (*at, 1)));
            });
        }
        lengths.push(length);
        found
    });
    let rows = Rows::of(asked.len(), texts);
    rows.bm25(&vec![1.0; asked.len()], &lengths)
}
