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

mod beside;
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

/// The same for a file that is no source, as a share of everything: how many files there are
/// says nothing of it.
const LEAST_BESIDE: f64 = 0.005;

/// What it is worth to know how the project checks a change: nothing of it has to be changed,
/// but it is to be run.
const CHECKS_WORTH: f64 = 0.01;

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

/// The share of commits of source from which on a file goes along with them.
const OFTEN: f64 = 0.1;

/// How many files that are no source are looked at, at most.
const MOST_BESIDE: usize = 24;

/// A file by its place in the corpus, with its parts.
pub type FileParts = (usize, Vec<ReadPart>);

/// How likely each file is, before anything is known of its parts.
pub struct Likely {
    weights: &'static Weights,
    targets: Vec<usize>,
    histories: Vec<History>,
    signals: Vec<FileSignals>,
    /// Of source files as shares of all source, of others as [`beside`] has them.
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
        let score = |file: &FileSignals| file.weighed(&of_kind(weights, file.beside).files).sum();
        let scores: Vec<f64> = signals.iter().map(score).collect();
        Likely {
            weights,
            shares: apart(&scores, &signals, |at| !targets.contains(at)),
            targets: targets.to_vec(),
            histories,
            signals,
        }
    }

    /// The files whose parts are worth a look: the `most` likeliest of the source and some that
    /// are none, these others, and what the targets import; no targets.
    pub fn candidates(&self, links: &Links, most: usize, also: &[usize]) -> Vec<usize> {
        let others = |at: &usize| !self.targets.contains(at);
        let mut order: Vec<usize> = (0..self.shares.len()).filter(others).collect();
        order.sort_by(|a, b| self.shares[*b].total_cmp(&self.shares[*a]).then(a.cmp(b)));
        let is_beside = |at: &usize| self.signals[*at].beside > 0.0;
        let (mut beside, mut order): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(is_beside);
        order.truncate(most);
        beside.truncate(MOST_BESIDE);
        order.extend(beside);
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
        let of_files: Vec<FileSignals> = files.iter().map(|(at, _)| self.signals[*at]).collect();
        let score = |(now, file): (&CandidateSignals, &FileSignals)| -> f64 {
            let weights = of_kind(self.weights, file.beside);
            let before = file.weighed(&weights.candidate_files);
            now.weighed(&weights.candidates).chain(before).sum()
        };
        let scores: Vec<f64> = candidates.iter().zip(&of_files).map(score).collect();
        let is_other = |at: &usize| !self.targets.contains(&files[*at].0);
        let again = apart(&scores, &of_files, is_other);
        let total: f64 = again.iter().sum();
        let mut likely = vec![0.0; self.shares.len()];
        for ((at, _), share) in files.iter().zip(again) {
            likely[*at] = share / total.max(1e-9);
        }
        if self.targets.is_empty() {
            cap_tests(corpus, &mut likely);
        }
        let checks = self.checks(&files, &signals);
        if let Some((at, _)) = checks {
            likely[at] += CHECKS_WORTH;
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
            checks,
        }
    }

    /// The part that best says how a change is checked, by its file and its place there: the
    /// one with the most commands, the nearest to the targets.
    fn checks(&self, files: &[FileParts], signals: &[Vec<PartSignals>]) -> Option<(usize, usize)> {
        let mut best = (0.0, None);
        for ((at, _), parts) in files.iter().zip(signals) {
            let near = 1.0 + self.signals[*at].nearness;
            for (part, signals) in parts.iter().enumerate() {
                if signals.commands * near > best.0 {
                    best = (signals.commands * near, Some((*at, part)));
                }
            }
        }
        best.1.filter(|(at, _)| !self.targets.contains(at))
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
    /// The part that says how a change is checked.
    checks: Option<(usize, usize)>,
}

impl Ranking {
    /// What each part of a file is worth; empty if that is not known.
    pub fn valued(&self, at: usize) -> Vec<Valued> {
        let Some(parts) = self.parts.get(&at) else {
            return Vec::new();
        };
        let checks = self.checks.filter(|(file, _)| *file == at);
        let is_target = self.targets.contains(&at);
        let worth = if is_target {
            TARGETS_WORTH / self.targets.len() as f64
        } else {
            self.likely[at] - checks.map_or(0.0, |_| CHECKS_WORTH)
        };
        let own = |part| {
            let is_it = checks == Some((at, part));
            if is_it { CHECKS_WORTH } else { 0.0 }
        };
        let scored = parts.iter().map(|(read, signals)| (read, signals));
        let mut scores = scores_of(self.weights, scored);
        twins::together(parts.iter().map(|(read, _)| &read.part), &mut scores);
        // Of a target even that is shown if there is nothing else to show.
        let least = if is_target { worth * LEAST_SHARE } else { 0.0 };
        parts
            .iter()
            .zip(shares(&scores, |_| true))
            .enumerate()
            .map(|(part, ((read, _), share))| Valued {
                lines: read.part.lines.clone(),
                owners: owners(&read.part),
                value: (worth * share).max(least) + own(part),
            })
            .collect()
    }

    /// The lines of a file that no gap may divide.
    pub fn heads(&self, at: usize) -> Vec<Range<usize>> {
        let parts = self.parts.get(&at).into_iter().flatten();
        let heads = parts.flat_map(|(read, _)| &read.part.heads);
        heads.cloned().collect()
    }

    /// The functions, types and tests of a file by their names, and where they are: the pieces
    /// of a long one are one.
    pub fn titles(&self, at: usize) -> Vec<(Range<usize>, Vec<String>)> {
        let parts = self.parts.get(&at).into_iter().flatten();
        let parts = parts.map(|(read, _)| &read.part);
        let named = parts.filter(|part| !matches!(part.role, Role::Head | Role::Loose));
        let mut titles: Vec<(Range<usize>, Vec<String>)> = Vec::new();
        for part in named.filter(|part| !part.names.is_empty()) {
            match titles.last_mut() {
                Some((lines, names)) if lines.end == part.lines.start && *names == part.names => {
                    lines.end = part.lines.end;
                }
                _ => titles.push((part.lines.clone(), part.names.clone())),
            }
        }
        titles
    }

    /// The lines of a file that say under which licence it is, unless it is a target.
    pub fn licence(&self, at: usize) -> Range<usize> {
        let parts = self.parts.get(&at).into_iter().flatten();
        let mut parts = parts.map(|(read, _)| &read.part);
        let licence = parts.find(|part| part.role == Role::Licence);
        let licence = licence.filter(|_| !self.targets.contains(&at));
        licence.map_or(0..0, |part| part.lines.clone())
    }

    /// The lines of a file before the first thing that it declares; none if it declares nothing.
    pub fn preamble(&self, at: usize) -> Range<usize> {
        let parts = self.parts.get(&at).map_or(&[][..], Vec::as_slice);
        let is_before = |part: &&(ReadPart, PartSignals)| {
            matches!(part.0.part.role, Role::Head | Role::Licence)
        };
        let before = parts.iter().take_while(is_before).count();
        match parts[..before].last() {
            Some((last, _)) if before < parts.len() => 0..last.part.lines.end,
            _ => 0..0,
        }
    }

    /// The files that are worth packing, the likeliest first; all that were looked at if they
    /// are to fill the budget.
    pub fn worth_packing(&self, fill: bool) -> Vec<usize> {
        let mut order: Vec<usize> = self.parts.keys().copied().collect();
        order.retain(|at| !self.targets.contains(at) && (fill || self.signals[*at].speak()));
        order.sort_by(|a, b| self.likely[*b].total_cmp(&self.likely[*a]).then(a.cmp(b)));
        let average = 1.0 / self.likely.len().max(1) as f64;
        let least = |at: &usize| {
            if self.signals[*at].beside > 0.0 {
                LEAST_BESIDE
            } else {
                average * LEAST_LIFT
            }
        };
        order.retain(|at| fill || self.likely[*at] >= least(at));
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
        let goes_along = signals.beside > 0.0 && self.histories[at].along > OFTEN;
        let checks = signals.build > 0.0;
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
            says(goes_along, "changes along with the source"),
            says(checks, "says how the project is checked"),
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
    weights: &'static Weights,
    parts: impl IntoIterator<Item = (&'a ReadPart, &'a PartSignals)>,
) -> Vec<f64> {
    let score = |(read, signals): (&ReadPart, &PartSignals)| match read.part.role {
        Role::Licence => UNWANTED,
        _ => {
            let weights = of_kind(weights, signals.beside);
            signals.weighed(&weights.parts).sum()
        }
    };
    parts.into_iter().map(score).collect()
}

/// The same for what is no source, where `beside` is above 0.
fn of_kind(weights: &'static Weights, beside: f64) -> &'static Weights {
    if beside > 0.0 {
        &weights::BESIDE
    } else {
        weights
    }
}

/// Scores of files as shares of one over the source that counts, and beside it what others are
/// worth.
fn apart(scores: &[f64], signals: &[FileSignals], counts: impl Fn(&usize) -> bool) -> Vec<f64> {
    let is_beside = |at: &usize| signals[*at].beside > 0.0;
    let mut apart = shares(scores, |at| counts(at) && !is_beside(at));
    let others: Vec<usize> = (0..scores.len())
        .filter(|at| counts(at) && is_beside(at))
        .collect();
    let of_others: Vec<f64> = others.iter().map(|at| scores[*at]).collect();
    for (at, worth) in others.into_iter().zip(beside::worths(&of_others)) {
        apart[at] = worth;
    }
    apart
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
        assert_eq!(order[..2], ["src/circle.rs", "tests/circle.rs"]);
        let order = ranked("The socket does not connect", &[], &[], &no_links());
        assert_eq!(order[0], "src/net.rs");
    }

    #[test]
    fn documents_are_candidates_beside_the_source_and_take_no_place_of_it() {
        let corpus = of_texts(&FILES);
        let task = "Say in the guide how to draw a circle";
        let question = Question::new(&corpus, task, &[]);
        let likely = Likely::of(&corpus, &question, task, &[], &[], &no_links());
        let mut order = likely.candidates(&no_links(), 2, &[]);
        assert_eq!(order.pop(), Some(0));
        order.sort_unstable();
        assert_eq!(order, [1, 4]);
    }

    #[test]
    fn without_a_target_tests_are_worth_a_small_share_together() {
        let corpus = of_texts(&FILES);
        let shares = |likely: &[f64]| {
            let mut likely = likely.to_vec();
            cap_tests(&corpus, &mut likely);
            likely
        };
        let capped = shares(&[0.0, 0.2, 0.0, 0.0, 0.8]);
        assert!((capped[4] - TESTS).abs() < 1e-9 && (capped[1] - 1.0 + TESTS).abs() < 1e-9);
        let few = [0.0, 0.95, 0.0, 0.0, 0.05];
        assert_eq!(shares(&few), few);
        let only_tests = [0.0, 0.0, 0.0, 0.0, 1.0];
        assert_eq!(shares(&only_tests), only_tests);
    }

    #[test]
    fn the_newest_part_of_a_changelog_that_goes_along_is_worth_the_most_of_it() {
        let entries = "- an entry\n".repeat(20);
        let log =
            format!("# Log\n\n## Next\n\n{entries}\n## 1.1\n\n{entries}\n## 1.0\n\n{entries}");
        let corpus = of_texts(&[
            ("CHANGELOG.md", &log),
            ("a.rs", "fn draw() {}"),
            ("b.rs", "fn b() {}"),
        ]);
        let change = PastChange {
            hash: String::new(),
            time: 0,
            message: "draw".into(),
            paths: ["CHANGELOG.md", "a.rs"].map(str::to_owned).into(),
        };
        let past = vec![change; 20];
        let (question, links) = (Question::new(&corpus, "Draw", &[1]), vec![Vec::new(); 3]);
        let likely = Likely::of(&corpus, &question, "Draw", &[1], &past, &links);
        let parts = crate::syntax::cut("markdown", &log).into_iter();
        let parts = parts.map(|part| ReadPart::new(part, &[], Vec::new()));
        let files = vec![(0, parts.collect()), (2, vec![ReadPart::of_lines(0..1)])];
        let valued = likely.with_parts(&corpus, &question, files).valued(0);
        let best = valued.iter().max_by(|a, b| a.value.total_cmp(&b.value));
        assert!(best.unwrap().lines.contains(&3), "{valued:?}");
        let worth: f64 = valued.iter().map(|part| part.value).sum();
        assert!((0.02..=0.5).contains(&worth), "{worth}");
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
            .map(|at| (at, vec![ReadPart::of_lines(0..2)]))
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
