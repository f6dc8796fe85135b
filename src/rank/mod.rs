//! How likely each file, and each part of a file, is needed for a task and its targets.
//!
//! Each file gets [signals] for a [question], out of what the index holds and out of
//! [history]. A linear model whose [weights] were learned turns them into probabilities: for
//! each file that it is among those that have to be changed, for each part of a file that
//! the change is there. Their product is what a part is worth, and the budget chooses by it.
//!
//! All of it is pure: the same corpus, question and history give the same ranking, and there
//! is neither disk nor cache.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files, words and lines, far below 2^52"
)]

pub mod central;
mod history;
mod mentions;
mod question;
mod rows;
mod signals;
mod twins;
mod weights;
mod words;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::history::History;
use self::signals::{Basis, CandidateSignals, FileSignals, PartSignals, Weights};
use crate::index::corpus::Corpus;
use crate::index::parts::ReadPart;
use crate::index::{Links, PastChange, paths};
use crate::section::Valued;
use crate::show::visible;
use crate::syntax::parts::{Part, Role};

pub use self::question::Question;
pub use self::words::{TextPart, Words, by_length};

/// A file that is less likely to matter than this share of an average one is not packed
/// merely because there is room.
const LEAST_LIFT: f64 = 0.1;

/// A part that is less likely to be changed tells nothing of what else is.
const LEAST_FOCUS: f64 = 0.002;

/// What all tests together are worth at most where there is no target.
const TESTS: f64 = 0.1;

/// The targets are worth as much as all other files together times this.
const TARGETS_WORTH: f64 = 1.0;

/// The score of what nobody looks for: nothing is left of it as a share.
const UNWANTED: f64 = -1000.0;

/// The share of a target's worth that any of its parts has.
const LEAST_SHARE: f64 = 1e-9;

/// The names of the signals, in the order of their numbers: of files, of candidates as far as
/// they come with the parts, and of parts.
pub const SIGNAL_NAMES: [&[&str]; 3] = [
    FileSignals::NAMES,
    CandidateSignals::NAMES,
    PartSignals::NAMES,
];

/// A file by its place in the corpus, with its parts.
pub type FileParts = (usize, Vec<ReadPart>);

/// How likely each file is, before anything is known of its parts.
pub struct Likely {
    weights: &'static Weights,
    targets: Vec<usize>,
    histories: Vec<History>,
    signals: Vec<FileSignals>,
    shares: Vec<f64>,
}

impl Likely {
    /// Ranks the files of a corpus.
    pub fn of(
        corpus: &Corpus,
        question: &Question,
        task: &str,
        targets: &[usize],
        past: &[PastChange],
        links: &Links,
    ) -> Likely {
        let histories = history::of_files(corpus, task, targets, past);
        let signals = FileSignals::of_all(&Basis {
            corpus,
            question,
            targets,
            histories: &histories,
            links,
        });
        let weights = weights_for(targets);
        let score = |signals: &FileSignals| signals.weighed(&weights.files).sum();
        let scores: Vec<f64> = signals.iter().map(score).collect();
        Likely {
            weights,
            shares: shares(&scores, |at| !targets.contains(at)),
            targets: targets.to_vec(),
            histories,
            signals,
        }
    }

    /// The files whose parts are worth a look: the `most` likeliest, these others, and what
    /// the targets import; no targets.
    pub fn candidates(&self, links: &Links, most: usize, also: &[usize]) -> Vec<usize> {
        let others = |at: &usize| !self.targets.contains(at);
        let mut order: Vec<usize> = (0..self.shares.len()).filter(others).collect();
        order.sort_by(|a, b| self.shares[*b].total_cmp(&self.shares[*a]).then(a.cmp(b)));
        order.truncate(most);
        let imported = self.targets.iter();
        let imported = imported.flat_map(|target| links[*target].iter());
        order.extend(also.iter().chain(imported.take(most)));
        let mut once = HashSet::new();
        order.retain(|at| once.insert(*at));
        order.retain(others);
        order
    }

    /// How likely each part of these files is to be changed, as far as the task tells it.
    pub fn focus<'a>(
        &self,
        corpus: &Corpus,
        question: &Question,
        files: &'a [FileParts],
    ) -> Vec<(&'a ReadPart, f64)> {
        let signals = PartSignals::of_all(corpus, question, files);
        let mut focus = Vec::new();
        for ((at, parts), signals) in files.iter().zip(signals) {
            let shares = shares(&scores_of(self.weights, parts.iter().zip(&signals)), |_| {
                true
            });
            let likely = shares.into_iter().map(|share| share * self.shares[*at]);
            focus.extend(parts.iter().zip(likely));
        }
        focus.retain(|(_, likely)| *likely >= LEAST_FOCUS);
        focus
    }

    /// Ranks these files once more, by what is in their parts, and the parts of each.
    pub fn with_parts(
        self,
        corpus: &Corpus,
        question: &Question,
        files: Vec<FileParts>,
    ) -> Ranking {
        let signals = PartSignals::of_all(corpus, question, &files);
        let candidates: Vec<CandidateSignals> = files
            .iter()
            .zip(&signals)
            .map(|((at, parts), signals)| {
                let scores = scores_of(self.weights, parts.iter().zip(signals));
                CandidateSignals::of(self.shares[*at], signals, &scores)
            })
            .collect();
        let score = |((at, _), candidate): (&FileParts, &CandidateSignals)| -> f64 {
            let before = self.signals[*at].weighed(&self.weights.candidate_files);
            let now = candidate.weighed(&self.weights.candidates);
            now.chain(before).sum()
        };
        let scores: Vec<f64> = files.iter().zip(&candidates).map(score).collect();
        let again = shares(&scores, |at| !self.targets.contains(&files[*at].0));
        let mut likely = vec![0.0; self.shares.len()];
        for ((at, _), share) in files.iter().zip(again) {
            likely[*at] = share;
        }
        if self.targets.is_empty() {
            cap_tests(corpus, &mut likely);
        }
        let candidates = files.iter().map(|(at, _)| *at).zip(candidates).collect();
        let parts = files.into_iter().zip(signals);
        let parts = parts.map(|((at, parts), signals)| (at, parts.into_iter().zip(signals)));
        Ranking {
            weights: self.weights,
            targets: self.targets,
            histories: self.histories,
            signals: self.signals,
            likely,
            parts: parts.map(|(at, parts)| (at, parts.collect())).collect(),
            candidates,
        }
    }
}

/// How likely each file and each part of the likeliest ones is needed.
pub struct Ranking {
    weights: &'static Weights,
    targets: Vec<usize>,
    histories: Vec<History>,
    signals: Vec<FileSignals>,
    /// That a file is needed, as a share of all that is.
    likely: Vec<f64>,
    /// The files whose parts were looked at.
    parts: HashMap<usize, Vec<(ReadPart, PartSignals)>>,
    /// Their signals.
    candidates: Vec<(usize, CandidateSignals)>,
}

impl Ranking {
    /// What each part of a file is worth; empty if that is not known.
    pub fn valued(&self, at: usize) -> Vec<Valued> {
        let Some(parts) = self.parts.get(&at) else {
            return Vec::new();
        };
        let is_target = self.targets.contains(&at);
        let worth = if is_target {
            TARGETS_WORTH / self.targets.len() as f64
        } else {
            self.likely[at]
        };
        let scored = parts.iter().map(|(read, signals)| (read, signals));
        let mut scores = scores_of(self.weights, scored);
        twins::together(parts.iter().map(|(read, _)| &read.part), &mut scores);
        // Of a target even that is shown if there is nothing else to show.
        let least = if is_target { worth * LEAST_SHARE } else { 0.0 };
        parts
            .iter()
            .zip(shares(&scores, |_| true))
            .map(|((read, _), share)| Valued {
                lines: read.part.lines.clone(),
                owners: owners(&read.part),
                value: (worth * share).max(least),
            })
            .collect()
    }

    /// The lines of a file that no gap may divide.
    pub fn heads(&self, at: usize) -> Vec<Range<usize>> {
        let parts = self.parts.get(&at).into_iter().flatten();
        let heads = parts.flat_map(|(read, _)| &read.part.heads);
        heads.cloned().collect()
    }

    /// The lines of a file that say under which licence it is, unless it is a target.
    pub fn licence(&self, at: usize) -> Range<usize> {
        let parts = self.parts.get(&at).into_iter().flatten();
        let mut parts = parts.map(|(read, _)| &read.part);
        let licence = parts.find(|part| part.role == Role::Licence);
        let licence = licence.filter(|_| !self.targets.contains(&at));
        licence.map_or(0..0, |part| part.lines.clone())
    }

    /// The files that are worth packing, the likeliest first; all that were looked at if they
    /// are to fill the budget.
    pub fn worth_packing(&self, fill: bool) -> Vec<usize> {
        let mut order: Vec<usize> = self.parts.keys().copied().collect();
        order.retain(|at| !self.targets.contains(at) && (fill || self.signals[*at].speak()));
        order.sort_by(|a, b| self.likely[*b].total_cmp(&self.likely[*a]).then(a.cmp(b)));
        let average = 1.0 / self.likely.len().max(1) as f64;
        let is_unlikely = |at: &usize| !fill && self.likely[*at] < average * LEAST_LIFT;
        let end = order.iter().position(is_unlikely);
        order.truncate(end.unwrap_or(order.len()));
        order
    }

    /// What speaks for a file, the strongest first.
    pub fn reasons(&self, corpus: &Corpus, links: &Links, at: usize) -> String {
        let path = |at: usize| corpus.files[at].path.as_str();
        let target = |is: &dyn Fn(usize) -> bool| {
            let target = self.targets.iter().find(|target| is(**target));
            target.map(|target| visible(path(*target)))
        };
        let signals = &self.signals[at];
        let imported_by = target(&|target| links[target].contains(&at));
        let imports = target(&|target| links[at].contains(&target));
        let same_name = (signals.same_stem > 0.0)
            .then(|| target(&|target| paths::stem(path(target)) == paths::stem(path(at))));
        let together = match self.histories[at].times {
            0 => None,
            1 => Some("changed together once".to_owned()),
            times => Some(format!("changed together {times} times")),
        };
        let says = |is: bool, text: &str| is.then(|| text.to_owned());
        let reasons = [
            imported_by.map(|target| format!("imported by {target}")),
            imports.map(|target| format!("imports {target}")),
            together,
            same_name
                .flatten()
                .map(|target| format!("same name as {target}")),
            says(signals.named > 0.0, "named in the task"),
            says(signals.task_words > 0.5, "speaks of what the task does"),
            says(signals.messages > 0.5, "changed in commits like this task"),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        if reasons.is_empty() {
            return "uses the same names".into();
        }
        reasons.join("; ")
    }

    /// The signals of each file.
    pub fn file_signals(&self) -> impl Iterator<Item = Vec<f64>> {
        self.signals.iter().map(|signals| signals.values().to_vec())
    }

    /// The signals of each candidate: those that come with the parts, then those of the file.
    pub fn candidate_signals(&self) -> impl Iterator<Item = (usize, Vec<f64>)> {
        self.candidates.iter().map(|(at, signals)| {
            let before = self.signals[*at].values();
            (*at, [&signals.values()[..], &before[..]].concat())
        })
    }

    /// The parts of each file that was looked at, with their signals.
    pub fn part_signals(&self) -> impl Iterator<Item = (usize, Vec<(&ReadPart, Vec<f64>)>)> {
        self.parts.iter().map(|(at, parts)| {
            let parts = parts.iter();
            let parts = parts.filter(|(read, _)| read.part.role != Role::Licence);
            let parts = parts.map(|(read, signals)| (read, signals.values().to_vec()));
            (*at, parts.collect())
        })
    }
}

/// Without a target all tests together are worth at most [`TESTS`]: many of them have the
/// words of a task, and what they test has to be found first.
fn cap_tests(corpus: &Corpus, likely: &mut [f64]) {
    let is_test = |at: &usize| corpus.files[*at].facts.is_test;
    let tests: f64 = (0..likely.len()).filter(is_test).map(|at| likely[at]).sum();
    let others = 1.0 - tests;
    if tests <= TESTS || others <= 0.0 {
        return;
    }
    for (at, likely) in likely.iter_mut().enumerate() {
        *likely *= if is_test(&at) {
            TESTS / tests
        } else {
            (1.0 - TESTS) / others
        };
    }
}

/// How likely each part of the targets is to be changed.
pub fn focus<'a>(
    corpus: &Corpus,
    question: &Question,
    targets: &'a [FileParts],
) -> Vec<(&'a ReadPart, f64)> {
    let signals = PartSignals::of_all(corpus, question, targets);
    let mut focus = Vec::new();
    for ((_, parts), signals) in targets.iter().zip(signals) {
        let scores = scores_of(&weights::WITH_TARGETS, parts.iter().zip(&signals));
        focus.extend(parts.iter().zip(shares(&scores, |_| true)));
    }
    focus
}

/// What the signals count: targets tell so much that without them all others count otherwise.
fn weights_for(targets: &[usize]) -> &'static Weights {
    if targets.is_empty() {
        &weights::ALONE
    } else {
        &weights::WITH_TARGETS
    }
}

/// The lines that tell where a part stands.
fn owners(part: &Part) -> Vec<usize> {
    let heads = part.owners.iter().flat_map(Clone::clone);
    heads.chain(part.openers.iter().copied()).collect()
}

/// What the signals of each part say together; of what is said of the licence that it is not
/// looked for.
fn scores_of<'a>(
    weights: &Weights,
    parts: impl IntoIterator<Item = (&'a ReadPart, &'a PartSignals)>,
) -> Vec<f64> {
    let score = |(read, signals): (&ReadPart, &PartSignals)| match read.part.role {
        Role::Licence => UNWANTED,
        _ => signals.weighed(&weights.parts).sum(),
    };
    parts.into_iter().map(score).collect()
}

/// Scores as shares of one (softmax), over those that count.
fn shares(scores: &[f64], counts: impl Fn(&usize) -> bool) -> Vec<f64> {
    let places = || (0..scores.len()).filter(|at| counts(at));
    let most = places()
        .map(|at| scores[at])
        .fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = places().map(|at| (scores[at] - most).exp()).sum();
    (0..scores.len())
        .map(|at| {
            if counts(&at) {
                (scores[at] - most).exp() / total
            } else {
                0.0
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::corpus::tests::of_texts;

    const FILES: [(&str, &str); 5] = [
        ("docs/guide.md", "how to draw a circle"),
        (
            "src/circle.rs",
            "struct Circle;\nfn draw_circle(pen: Pen) { pen.stroke() }\n",
        ),
        ("src/net.rs", "fn connect() { socket() }\n"),
        ("src/pen.rs", "struct Pen;\nfn stroke() {}\n"),
        ("tests/circle.rs", "fn draws() { draw_circle(Pen) }\n"),
    ];

    /// The paths of the files in the order of their likelihood, without a repository.
    fn ranked(task: &str, targets: &[usize], past: &[PastChange], links: &Links) -> Vec<String> {
        let corpus = of_texts(&FILES);
        let question = Question::new(&corpus, task, targets);
        let likely = Likely::of(&corpus, &question, task, targets, past, links);
        let order = likely.candidates(links, FILES.len(), &[]);
        let path = |at: usize| corpus.files[at].path.to_string();
        order.into_iter().map(path).collect()
    }

    fn no_links() -> Links {
        vec![Vec::new(); FILES.len()]
    }

    #[test]
    fn what_the_task_speaks_of_comes_first() {
        let order = ranked("Draw a circle", &[], &[], &no_links());
        assert_eq!(order[..2], ["tests/circle.rs", "src/circle.rs"]);
        let order = ranked("The socket does not connect", &[], &[], &no_links());
        assert_eq!(order[0], "src/net.rs");
    }

    #[test]
    fn a_target_is_no_candidate_and_what_it_imports_is_one() {
        let mut links = no_links();
        links[1] = vec![3];
        let order = ranked("Change it", &[1], &[], &links);
        assert!(!order.contains(&"src/circle.rs".to_owned()));
        assert_eq!(order[0], "src/pen.rs");
    }

    #[test]
    fn what_changed_together_with_a_target_is_likelier() {
        let change = |paths: [&str; 2]| PastChange {
            hash: String::new(),
            time: 0,
            message: "change".into(),
            paths: paths.map(str::to_owned).into(),
        };
        let past = [
            change(["src/circle.rs", "src/net.rs"]),
            change(["src/circle.rs", "src/net.rs"]),
        ];
        let place = |order: &[String]| order.iter().position(|path| path == "src/net.rs");
        let without = ranked("Change it", &[1], &[], &no_links());
        let with = ranked("Change it", &[1], &past, &no_links());
        assert!(place(&with) < place(&without), "{with:?} {without:?}");
    }

    #[test]
    fn parts_share_what_their_file_is_worth() {
        let corpus = of_texts(&FILES);
        let question = Question::new(&corpus, "Draw a circle", &[]);
        let likely = Likely::of(&corpus, &question, "Draw a circle", &[], &[], &no_links());
        let files = (0..FILES.len())
            .map(|at| (at, vec![ReadPart::whole(2)]))
            .collect();
        let ranking = likely.with_parts(&corpus, &question, files);
        let worth: f64 = (0..FILES.len()).map(|at| ranking.valued(at)[0].value).sum();
        assert!((worth - 1.0).abs() < 1e-9);
        assert_eq!(
            ranking.reasons(&corpus, &no_links(), 2),
            "uses the same names"
        );
    }
}
