//! What git's history says about each file.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::rows::Rows;
use crate::index::PastChange;
use crate::index::corpus::Corpus;
use crate::index::kind::Kind;
use crate::index::words::{each_word, is_common, names, words};

/// After this many days, an event counts half as much.
const HALF_LIFE: f64 = 365.0;

/// In a commit of more files, each may have changed for another reason.
const FEW_FILES: f64 = 8.0;

/// What history says about each file.
#[derive(Default, Clone)]
pub(super) struct History {
    /// How strongly it changes together with the targets.
    pub(super) together: f64,
    /// In how many commits it did.
    pub(super) times: usize,
    /// In how many small commits it did, which have a single reason.
    pub(super) times_among_few: usize,
    /// How well the messages of its commits resemble the task.
    pub(super) messages: f64,
    /// How often it changed; recent changes count more.
    pub(super) churn: f64,
    /// How many days ago it last changed.
    pub(super) age: f64,
    /// Of the commits that changed source, the share that also changed it, and the share that
    /// changed any file of its kind; recent commits count more.
    pub(super) along: f64,
    pub(super) kind_along: f64,
}

/// How a project without history is treated: as if this many commits had updated its changelog.
const UNTOLD: f64 = 3.0;
const CHANGELOG_UNTOLD: f64 = 0.3;

/// Returns what history says about every file.
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
    let mut along = Along::default();
    for (change, alike) in past.iter().zip(alike(task, past)) {
        let age = ((now - change.time).max(0) as f64) / 86_400.0;
        let fresh = 0.5f64.powf(age / HALF_LIFE);
        let paths = change.paths.iter();
        let files: Vec<usize> = paths.filter_map(|path| corpus.place(path)).collect();
        let size = files.len() as f64;
        let with_target = targets.iter().any(|target| files.contains(target));
        let kinds = files.iter().map(|file| corpus.files[*file].facts.kind);
        let takes_along = along.take(fresh, &kinds.collect::<Vec<Kind>>());
        for file in &files {
            let history = &mut histories[*file];
            history.age = history.age.min(age);
            history.churn += fresh / size.sqrt();
            history.messages += alike / size.sqrt() * (0.25 + fresh);
            if with_target && size > 1.0 {
                history.times += 1;
                history.times_among_few += usize::from(size <= FEW_FILES);
                history.together += (0.3 + fresh) / size.ln().max(0.7);
            }
            history.along += if takes_along { fresh } else { 0.0 };
        }
    }
    for (history, file) in histories.iter_mut().zip(&corpus.files) {
        along.share(history, file.facts.kind);
    }
    histories
}

/// How much changed together with source.
#[derive(Default)]
struct Along {
    /// The commits that changed source, weighted by how recent they are.
    commits: f64,
    /// Of these, those that changed files of each kind.
    kinds: [f64; Kind::BESIDE.len()],
}

impl Along {
    /// Adds a commit that changed files of these kinds. Returns whether any of them is source.
    fn take(&mut self, fresh: f64, kinds: &[Kind]) -> bool {
        if !kinds.contains(&Kind::Source) {
            return false;
        }
        self.commits += fresh;
        for (kind, sum) in Kind::BESIDE.iter().zip(&mut self.kinds) {
            *sum += if kinds.contains(kind) { fresh } else { 0.0 };
        }
        true
    }

    /// Turns the sums in a file's history into shares.
    fn share(&self, history: &mut History, kind: Kind) {
        let untold = match kind {
            Kind::Changelog => CHANGELOG_UNTOLD * UNTOLD,
            _ => 0.0,
        };
        let share = |sum: f64| (sum + untold) / (self.commits + UNTOLD);
        let place = Kind::BESIDE.iter().position(|known| *known == kind);
        history.along = share(history.along);
        history.kind_along = place.map_or(0.0, |place| share(self.kinds[place]));
    }
}

/// Returns how well the message of each commit resembles the task.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::corpus::tests::of_texts;

    fn change(paths: &[&str]) -> PastChange {
        PastChange {
            hash: String::new(),
            time: 0,
            message: "change".into(),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            before: Vec::new(),
        }
    }

    #[test]
    fn what_commits_of_source_take_along_is_a_share_of_them() {
        let files = ["CHANGES.md", "a.rs", "docs/a.md", "docs/b.md"];
        let corpus = of_texts(&files.map(|path| (path, "text")));
        let mut past = vec![change(&["a.rs", "CHANGES.md"]); 60];
        past.extend(vec![change(&["a.rs", "docs/a.md"]); 30]);
        // What changes without any source tells nothing.
        past.extend(vec![change(&["docs/b.md"]); 500]);
        past.extend(vec![change(&["a.rs"]); 10]);
        let told = of_files(&corpus, "", &[], &past);
        let about = |share: f64, expected: f64| (share - expected).abs() < 0.03;
        assert!(about(told[0].along, 0.6) && about(told[0].kind_along, 0.6));
        assert!(about(told[2].along, 0.3) && about(told[2].kind_along, 0.3));
        assert!(about(told[3].along, 0.0) && about(told[3].kind_along, 0.3));
        assert!(told[1].kind_along <= 0.0);
    }

    #[test]
    fn a_project_without_a_history_is_taken_to_keep_its_changelog() {
        let corpus = of_texts(&[("CHANGES.md", "text"), ("docs/a.md", "text")]);
        let told = of_files(&corpus, "", &[], &[]);
        assert!((told[0].along - CHANGELOG_UNTOLD).abs() < 1e-9);
        assert!(told[1].along <= 0.0);
    }
}
