//! How likely each file, and each part of a file, is needed for a task and its targets.
//!
//! Each file gets [signals] for a [question], from the index and from [history]. A linear model
//! with learned [weights] turns them into probabilities: for each file, that it is among those that
//! must change; for each part of a file, that the change is there. Their product is the worth of a
//! part, and the budget chooses by it.
//!
//! All of it is pure: the same corpus, question and history give the same ranking, with no access
//! to disk or cache.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files, words and lines, far below 2^52"
)]

mod beside;
pub mod central;
mod changed;
mod copies;
mod history;
mod lesser;
mod links;
mod mentions;
mod model;
mod question;
mod ranking;
mod rows;
mod scores;
mod siblings;
mod signals;
mod singled;
mod task;
mod telling;
mod twins;
mod upkeep;
mod used;
mod weights;
mod words;

use std::collections::HashSet;
use std::sync::OnceLock;

use self::history::History;
use self::lesser::{Lesser, is_above, set_back_other_packages};
use self::ranking::Why;
use self::scores::{apart, of_kind, scores_of, shares};
use self::signals::{Basis, CandidateSignals, FileSignals, PartSignals, Weights};
use crate::index::corpus::Corpus;
use crate::index::kind::{Kind, is_ci};
use crate::index::parts::ReadPart;
use crate::index::paths::is_test;
use crate::index::{Links, PastChange};
use crate::split;

pub use self::changed::{ChangedLines, touched};
pub use self::question::Question;
pub use self::ranking::Ranking;
pub use self::singled::Sought;
pub use self::task::searched;
pub use self::upkeep::Upkeep;
pub use self::used::Used;
pub use self::words::{TextPart, Words, by_length};

/// A part that is less likely to change says nothing about what else changes.
const LEAST_FOCUS: f64 = 0.002;

/// The most that all tests together are worth if there is no target.
const TESTS: f64 = 0.1;

/// The worth of knowing how the project checks a change: nothing of it must change, but it must be
/// run.
const CHECKS_WORTH: f64 = 0.01;

/// The names of the signals, in the order of their numbers: of files, of candidates as far as they
/// come with the parts, and of parts.
pub const SIGNAL_NAMES: [&[&str]; 3] = [
    FileSignals::NAMES,
    CandidateSignals::NAMES,
    PartSignals::NAMES,
];

/// The most files that are not source that are looked at.
const MOST_BESIDE: usize = 24;

/// A file by its index in the corpus, with its parts.
pub type FileParts = (usize, Vec<ReadPart>);

/// How likely each file is, before anything is known of its parts.
pub struct Likely {
    weights: &'static Weights,
    targets: Vec<usize>,
    histories: Vec<History>,
    signals: Vec<FileSignals>,
    /// For source files, shares of all source; for others, as [`beside`] values them.
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
        let mut shares = apart(&scores, &signals, |at| !targets.contains(at));
        set_back_other_packages(corpus, targets, shares.iter_mut().enumerate());
        Likely {
            weights,
            shares,
            targets: targets.to_vec(),
            histories,
            signals,
        }
    }

    /// Returns the files whose parts are worth a look: the `most` likeliest source files and some
    /// that are not source, these others, and what the targets import. Targets are not included.
    pub fn candidates(&self, links: &Links, most: usize, also: &[usize]) -> Vec<usize> {
        let others = |at: &usize| !self.targets.contains(at);
        let mut order: Vec<usize> = (0..self.shares.len()).filter(others).collect();
        self.likeliest_first(&mut order);
        let is_beside = |at: &usize| self.signals[*at].beside > 0.0;
        let (mut beside, mut order): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(is_beside);
        order.truncate(most);
        beside.truncate(MOST_BESIDE);
        order.extend(beside);
        let imported = self.targets.iter();
        let imported = imported.flat_map(|target| links[*target].iter().copied());
        let mut imported: Vec<usize> = imported.collect();
        self.likeliest_first(&mut imported);
        imported.dedup();
        imported.truncate(most);
        order.extend(also.iter().copied().chain(imported));
        let mut once = HashSet::new();
        order.retain(|at| once.insert(*at));
        order.retain(others);
        order
    }

    /// Returns the likeliest of the build files and CI files that apply to all of the project or to
    /// the targets and are none of `files`: at most `most`.
    pub fn builds(&self, corpus: &Corpus, files: &[FileParts], most: usize) -> Vec<usize> {
        let applies = |at: &usize| {
            let folder = split::folder(corpus.files[*at].path.as_str());
            let is_of_all = folder.is_empty() || folder.starts_with('.');
            is_of_all || is_above(corpus, *at, &self.targets)
        };
        let is_new = |at: &usize| files.iter().all(|(file, _)| file != at);
        let mut builds: Vec<usize> = (0..self.shares.len())
            .filter(|at| corpus.files[*at].facts.kind == Kind::Build)
            .filter(|at| applies(at) && is_new(at))
            .collect();
        self.likeliest_first(&mut builds);
        builds.truncate(most);
        builds
    }

    fn likeliest_first(&self, files: &mut [usize]) {
        files.sort_by(|a, b| self.shares[*b].total_cmp(&self.shares[*a]).then(a.cmp(b)));
    }

    /// Returns how likely each part of these files must change, as far as the task says.
    pub fn focus<'a>(
        &self,
        corpus: &Corpus,
        question: &Question,
        files: &'a [FileParts],
    ) -> Vec<(&'a ReadPart, f64)> {
        shares_of_parts(self.weights, corpus, question, files)
            .map(|(at, part, share)| (part, share * self.shares[at]))
            .filter(|(_, likely)| *likely >= LEAST_FOCUS)
            .collect()
    }

    /// Ranks these files once more by what is in their parts, and ranks the parts of each.
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
        let mut again = apart(&scores, &of_files, is_other);
        let places = files.iter().map(|(at, _)| *at);
        set_back_other_packages(corpus, &self.targets, places.zip(&mut again));
        let total: f64 = again.iter().sum();
        let mut likely = vec![0.0; self.shares.len()];
        for ((at, _), share) in files.iter().zip(again) {
            likely[*at] = share / total.max(1e-9);
        }
        if self.targets.is_empty() {
            cap(&mut likely, TESTS, |at| corpus.files[at].facts.is_test);
        }
        let checks = self.checks(corpus, &files, &signals);
        let mut targets = self.targets.iter();
        let is_about_ci = targets.any(|at| is_ci(corpus.files[*at].path.as_str()));
        let candidates = files.iter().map(|(at, _)| *at).zip(candidates).collect();
        let lies = |at: usize| (at, corpus.files[at].path.as_str().into());
        let paths = files.iter().map(|(at, _)| lies(*at)).collect();
        let parts = files.into_iter().zip(signals);
        let parts = parts.map(|((at, parts), signals)| (at, parts.into_iter().zip(signals)));
        let mut ranking = Ranking {
            weights: self.weights,
            targets: self.targets,
            histories: self.histories,
            signals: self.signals,
            likely,
            at_first: self.shares,
            parts: parts.map(|(at, parts)| (at, parts.collect())).collect(),
            paths,
            candidates,
            singled: Vec::new(),
            left_behind: question.left_behind.clone(),
            lesser: Lesser::of(&question.text, is_about_ci),
            compared: OnceLock::new(),
        };
        if let Some(checks) = checks {
            ranking.single_out(checks, CHECKS_WORTH, Why::Checks);
        }
        ranking
    }

    /// Returns the part that best says how a change is checked, by its file and its index there:
    /// the one nearest to the targets that has enough commands, either one that runs tests or
    /// several.
    fn checks(
        &self,
        corpus: &Corpus,
        files: &[FileParts],
        signals: &[Vec<PartSignals>],
    ) -> Option<(usize, usize)> {
        // What lies deep in a folder of tests is what they try something with.
        let is_data = |at: usize| is_test(split::folder(corpus.files[at].path.as_str()));
        let mut best = (0.0, None);
        for ((at, _), parts) in files.iter().zip(signals) {
            if is_data(*at) {
                continue;
            }
            let near = 1.0 + self.signals[*at].nearness;
            for (part, signals) in parts.iter().enumerate() {
                if signals.commands >= 1.0 && signals.commands * near > best.0 {
                    best = (signals.commands * near, Some((*at, part)));
                }
            }
        }
        best.1.filter(|(at, _)| !self.targets.contains(at))
    }
}

/// Whether one of these parts says well enough how a change is checked.
pub fn say_how_to_check(parts: &[ReadPart]) -> bool {
    let mut parts = parts.iter();
    parts.any(|part| part.commands >= signals::ENOUGH_COMMANDS)
}

/// Limits what some files, such as tests, are worth together to `most`: many of them have the words
/// of a task, and what they test must be found first.
fn cap(likely: &mut [f64], most: f64, is_capped: impl Fn(usize) -> bool) {
    let capped = (0..likely.len()).filter(|at| is_capped(*at));
    let worth: f64 = capped.map(|at| likely[at]).sum();
    let others = 1.0 - worth;
    if worth <= most || others <= 0.0 {
        return;
    }
    for (at, likely) in likely.iter_mut().enumerate() {
        *likely *= if is_capped(at) {
            most / worth
        } else {
            (1.0 - most) / others
        };
    }
}

/// Returns how likely each part of the targets must change.
pub fn focus<'a>(
    corpus: &Corpus,
    question: &Question,
    targets: &'a [FileParts],
) -> Vec<(&'a ReadPart, f64)> {
    shares_of_parts(&weights::WITH_TARGETS, corpus, question, targets)
        .map(|(_, part, share)| (part, share))
        .collect()
}

/// Returns the parts of these files, each with the number of its file and its share of the file's
/// likelihood.
fn shares_of_parts<'a>(
    weights: &'static Weights,
    corpus: &Corpus,
    question: &Question,
    files: &'a [FileParts],
) -> impl Iterator<Item = (usize, &'a ReadPart, f64)> + use<'a> {
    let signals = PartSignals::of_all(corpus, question, files);
    files
        .iter()
        .zip(signals)
        .flat_map(move |((at, parts), signals)| {
            let scores = scores_of(weights, parts.iter().zip(&signals));
            let shares = shares(&scores, |_| true);
            parts
                .iter()
                .zip(shares)
                .map(|(part, share)| (*at, part, share))
        })
}

/// Returns the weights of the signals. Targets say so much that without them all other signals
/// weigh differently.
fn weights_for(targets: &[usize]) -> &'static Weights {
    if targets.is_empty() {
        &weights::ALONE
    } else {
        &weights::WITH_TARGETS
    }
}

#[cfg(test)]
mod tests {
    use super::copies::OF_COPY;
    use super::siblings::OF_SIBLING;
    use super::singled::TESTS_OF_OTHERS;
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

    /// Returns the paths of the files in the order of their likelihood, without a repository.
    fn ranked(task: &str, targets: &[usize], past: &[PastChange], links: &Links) -> Vec<String> {
        let corpus = of_texts(&FILES);
        let question = Question::new(&corpus, task, targets, None);
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
        let question = Question::new(&corpus, task, &[], None);
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
            cap(&mut likely, TESTS, |at| corpus.files[at].facts.is_test);
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
            before: Vec::new(),
        };
        let past = vec![change; 20];
        let (question, links) = (
            Question::new(&corpus, "Draw", &[1], None),
            vec![Vec::new(); 3],
        );
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
            before: Vec::new(),
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
        let question = Question::new(&corpus, "Draw a circle", &[], None);
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

    /// With and without a target each line has a share of what its file is worth, however
    /// little its part says; a licence has none.
    #[test]
    fn what_is_left_of_a_likely_file_is_worth_something() {
        let corpus = of_texts(&FILES);
        let worths = |targets: &[usize]| {
            let question = Question::new(&corpus, "Draw a circle", targets, None);
            let likely = Likely::of(
                &corpus,
                &question,
                "Draw a circle",
                targets,
                &[],
                &no_links(),
            );
            let mut parts: Vec<ReadPart> =
                (0..9).map(|at| ReadPart::of_lines(at..at + 1)).collect();
            parts[0].part.role = crate::syntax::parts::Role::Licence;
            let ranking = likely.with_parts(&corpus, &question, vec![(1, parts), (2, Vec::new())]);
            let worths: Vec<f64> = ranking.valued(1).iter().map(|part| part.value).collect();
            let all: f64 = worths.iter().sum();
            worths.iter().map(|worth| worth / all).collect::<Vec<f64>>()
        };
        for (targets, least) in [(&[][..], 0.4), (&[2][..], 0.1)] {
            let worths = worths(targets);
            assert!(worths[0] < 1e-9, "{worths:?}");
            let is_enough = |worth: &f64| *worth >= least / 8.0;
            assert!(worths[1..].iter().all(is_enough), "{worths:?}");
        }
    }

    /// Returns what a part of each of these files is worth that is not a target, the best first.
    /// All have the same names in them.
    fn worths_of_three(paths: [&str; 3], targets: &[usize], names: [&str; 3]) -> Vec<f64> {
        let corpus = of_texts(&paths.map(|path| (path, "fn recv() {}\n")));
        let question = Question::new(&corpus, "Mend recv", targets, None);
        let links = vec![Vec::new(); 3];
        let likely = Likely::of(&corpus, &question, "Mend recv", targets, &[], &links);
        let part = |name: &str| {
            let mut read = ReadPart::of_lines(0..9);
            read.part.role = crate::syntax::parts::Role::Function;
            read.part.names = vec![name.to_owned()];
            read.uses = vec![(0, 3)];
            vec![read]
        };
        let parts = (0..3).map(|at| (at, part(names[at]))).collect();
        let ranking = likely.with_parts(&corpus, &question, parts);
        let others = (0..3).filter(|at| !targets.contains(at));
        let mut worths: Vec<f64> = others.map(|at| ranking.valued(at)[0].value).collect();
        worths.sort_by(|a, b| b.total_cmp(a));
        worths
    }

    const APART: [&str; 3] = ["a/r.rs", "b/r.rs", "c/r.rs"];

    #[test]
    fn what_says_the_same_as_a_better_part_is_worth_a_tenth_unless_that_is_a_target() {
        for targets in [&[][..], &[0]] {
            let apart = worths_of_three(APART, targets, ["one", "two", "three"]);
            let same = worths_of_three(APART, targets, ["recv"; 3]);
            for (at, (apart, same)) in apart.iter().zip(same).enumerate() {
                // What says the same as a target is worth no less for it.
                let counts = if at == 0 { 1.0 } else { OF_COPY };
                assert!((apart * counts - same).abs() < 1e-9, "{apart} {same}");
            }
        }
    }

    #[test]
    fn what_is_made_as_a_better_part_beside_it_is_worth_less_where_there_is_no_target() {
        let beside = ["a/p.rs", "a/r.rs", "a/s.rs"];
        for (targets, less) in [(&[][..], OF_SIBLING), (&[0], 1.0)] {
            let names = ["one", "two", "three"];
            let apart = worths_of_three(["a/p.rs", "b/r.rs", "c/s.rs"], targets, names);
            let beside = worths_of_three(beside, targets, names);
            // Where a file lies counts as well, for all of it.
            let share = |worths: &[f64]| worths[1] / worths[0];
            let counts = share(&beside) / share(&apart);
            assert!((counts - less).abs() < 1e-9, "{counts} {targets:?}");
        }
    }

    #[test]
    fn of_a_file_that_is_no_target_long_comments_and_tests_inside_are_worth_less() {
        let corpus = of_texts(&FILES[1..3]);
        let share = |targets: &[usize], module: &str, is_said: bool| {
            let question = Question::new(&corpus, "Mend it", targets, None);
            let links = vec![Vec::new(); 2];
            let likely = Likely::of(&corpus, &question, "Mend it", targets, &[], &links);
            let part = |at: usize, names: &[&str], is_said: bool| {
                let mut read = ReadPart::of_lines(at * 9..at * 9 + 9);
                read.part.names = names.iter().map(|name| (*name).to_owned()).collect();
                read.part.is_said = is_said;
                read
            };
            let parts = vec![part(0, &["one"], false), part(1, &[module, "it"], is_said)];
            let ranking = likely.with_parts(&corpus, &question, vec![(0, parts)]);
            let valued = ranking.valued(0);
            valued[1].value / (valued[0].value + valued[1].value)
        };
        for targets in [&[][..], &[1]] {
            let other = share(targets, "other", false);
            assert!(share(targets, "tests", false) < 0.6 * other);
            assert!(share(targets, "other", true) < 0.3 * other);
        }
        let target = share(&[0], "other", false);
        assert!((share(&[0], "other", true) - target).abs() < 1e-9);
    }

    #[test]
    fn what_a_program_made_is_worth_less_where_it_is_no_target() {
        let corpus = of_texts(&FILES[1..3]);
        let worth = |targets: &[usize], is_made: bool| {
            let question = Question::new(&corpus, "Mend it", targets, None);
            let links = vec![Vec::new(); 2];
            let likely = Likely::of(&corpus, &question, "Mend it", targets, &[], &links);
            let mut read = ReadPart::of_lines(0..9);
            read.part.is_made = is_made;
            let ranking = likely.with_parts(&corpus, &question, vec![(0, vec![read])]);
            ranking.valued(0)[0].value
        };
        for targets in [&[][..], &[1]] {
            assert!(worth(targets, true) < 0.2 * worth(targets, false));
        }
        assert!((worth(&[0], true) - worth(&[0], false)).abs() < 1e-9);
    }

    #[test]
    fn of_a_workflow_the_steps_that_check_are_worth_more_than_all_else() {
        let files = [
            ("a.rs", "fn a() {}"),
            (".github/workflows/test.yml", "on: push"),
        ];
        let corpus = of_texts(&files);
        let share = |targets: &[usize], task: &str| {
            let question = Question::new(&corpus, task, targets, None);
            let links = vec![Vec::new(); 2];
            let likely = Likely::of(&corpus, &question, task, targets, &[], &links);
            let mut parts: Vec<ReadPart> =
                (0..8).map(|at| ReadPart::of_lines(at..at + 1)).collect();
            parts[6].commands = 1;
            let at = corpus.place(".github/workflows/test.yml").unwrap();
            let ranking = likely.with_parts(&corpus, &question, vec![(at, parts)]);
            let worths: Vec<f64> = ranking.valued(at).iter().map(|part| part.value).collect();
            worths[6] / worths.iter().sum::<f64>()
        };
        let source: Vec<usize> = corpus.place("a.rs").into_iter().collect();
        for targets in [&[][..], &source] {
            assert!(share(targets, "Mend a") > 0.7);
            assert!(share(targets, "Mend a in CI") < 0.4);
        }
        assert!(share(&[0, 1], "Mend a") < 0.4);
    }

    #[test]
    fn a_name_that_many_files_have_names_none_of_them() {
        let paths = [
            "a/src/main.rs",
            "b/src/main.rs",
            "c/src/main.rs",
            "d/src/main.rs",
            "e/src/router.rs",
            "e/tests/router.rs",
        ];
        let corpus = of_texts(&paths.map(|path| (path, "fn recv() {}\n")));
        let links = vec![Vec::new(); 6];
        let named = |task: &str, path: &str| {
            let question = Question::new(&corpus, task, &[], None);
            let likely = Likely::of(&corpus, &question, task, &[], &[], &links);
            let signals = &likely.signals[corpus.place(path).unwrap()];
            let shares = [
                signals.named,
                signals.stem_named,
                signals.called,
                signals.placed,
            ];
            shares.map(|share| format!("{share:.2}")).join(" ")
        };
        let task = "`main()` of src/main.rs:3 does not see what the `Router` of router.rs says";
        assert_eq!(named(task, "b/src/main.rs"), "0.25 0.25 0.25 0.25");
        // A test is called as what it tests, and takes nothing from it.
        assert_eq!(named(task, "e/src/router.rs"), "0.50 1.00 1.00 0.00");
        // What is told with its folder is named, and hardly what else is called so.
        let task = "see b/src/main.rs and tests/router.rs";
        assert!(named(task, "b/src/main.rs").starts_with("1.00"));
        assert!(named(task, "e/tests/router.rs").starts_with("1.00"));
        assert!(named(task, "e/src/router.rs").starts_with("0.50"));
    }

    #[test]
    fn what_stands_before_declarations_and_long_comments_do_not_run() {
        use crate::syntax::parts::Role;
        let corpus = of_texts(&FILES[1..3]);
        let still = |task: &str| {
            let question = Question::new(&corpus, task, &[0], None);
            let links = vec![Vec::new(); 2];
            let likely = Likely::of(&corpus, &question, task, &[0], &[], &links);
            let roles = [Role::Head, Role::Function, Role::Loose, Role::Function];
            let part = |(at, role): (usize, Role)| {
                let mut read = ReadPart::of_lines(at * 9..at * 9 + 9);
                read.part.role = role;
                read.part.is_said = at == 2;
                read
            };
            let parts = roles.into_iter().enumerate().map(part).collect();
            likely
                .with_parts(&corpus, &question, vec![(0, parts)])
                .still(0)
        };
        assert_eq!(still("Mend it"), [0..9, 18..27]);
        assert_eq!(still("Mend the comments"), vec![0..9]);
    }

    #[test]
    fn what_tests_try_something_with_does_not_say_how_a_change_is_checked() {
        let make = "test:\n\tmake check lint\n";
        let [data, own] = ["spec/data/make/Makefile", "tests/Makefile"];
        let corpus = of_texts(&[FILES[1], (data, make), (own, make)]);
        let [data, own] = [data, own].map(|path| corpus.place(path).unwrap());
        let question = Question::new(&corpus, "Draw a circle", &[], None);
        let links = vec![Vec::new(); 3];
        let likely = Likely::of(&corpus, &question, "Draw a circle", &[], &[], &links);
        let part = |commands: u8| {
            let mut read = ReadPart::of_lines(0..2);
            read.commands = commands;
            vec![read]
        };
        let files = vec![(data, part(9)), (own, part(5))];
        let ranking = likely.with_parts(&corpus, &question, files);
        let checks = [data, own].map(|file| ranking.is_singled(file, Why::Checks));
        assert_eq!(checks, [false, true]);
    }

    #[test]
    fn one_test_is_worth_something_for_itself_with_a_target_one_of_its_own() {
        let test =
            "fn draws_a_circle() {\n    draw_circle(Pen);\n}\n\nfn talks() {\n    say();\n}\n";
        let links = vec![Vec::new(); 2];
        let worths = |path: &str, targets: &[usize]| {
            let corpus = of_texts(&[FILES[1], (path, test)]);
            let question = Question::new(&corpus, "Draw a circle", targets, None);
            let likely = Likely::of(&corpus, &question, "Draw a circle", targets, &[], &links);
            let parts = crate::syntax::cut("rust", test).into_iter();
            let parts: Vec<ReadPart> = parts
                .map(|part| ReadPart::new(part, &[], Vec::new()))
                .collect();
            let before = likely.with_parts(&corpus, &question, vec![(1, parts)]);
            let worth = |ranking: &Ranking| -> Vec<f64> {
                ranking.valued(1).iter().map(|part| part.value).collect()
            };
            let without = worth(&before);
            let with = worth(&before.with_model(&corpus, &[]));
            with.iter()
                .zip(without)
                .map(|(with, without)| with - without)
                .collect::<Vec<f64>>()
        };
        for (path, targets, worth) in [
            ("tests/circle.rs", &[][..], 0.006),
            ("tests/circle.rs", &[0], 0.01),
            ("tests/shapes.rs", &[], 0.006),
        ] {
            let mut more = worths(path, targets);
            more.retain(|more| more.abs() > 1e-9);
            let is_one = more.len() == 1 && (more[0] - worth).abs() < 1e-9;
            assert!(is_one, "{path} {targets:?}: {more:?}");
        }
        // Whose test it is that neither has the name of the target nor changed with it is
        // not known.
        let more = worths("tests/shapes.rs", &[0]);
        assert!(more.iter().all(|more| more.abs() < 1e-9), "{more:?}");
    }

    #[test]
    fn tests_of_something_else_are_worth_little_to_whoever_judges_a_change() {
        let test = "fn draws() {\n    draw_circle(Pen);\n}\n";
        let links = vec![Vec::new(); 3];
        let shares = |path: &str, times: usize| {
            let corpus = of_texts(&[FILES[1], FILES[2], (path, test)]);
            let change = PastChange {
                hash: String::new(),
                time: 0,
                message: "shapes".into(),
                paths: ["src/circle.rs", path].map(str::to_owned).into(),
                before: Vec::new(),
            };
            let past = vec![change; times];
            let question = Question::new(&corpus, "Draw a circle", &[0], None);
            let likely = Likely::of(&corpus, &question, "Draw a circle", &[0], &past, &links);
            let parts = |at: usize, text: &str| {
                let parts = crate::syntax::cut("rust", text).into_iter();
                let parts = parts.map(|part| ReadPart::new(part, &[], Vec::new()));
                (at, parts.collect())
            };
            let files = vec![parts(1, FILES[2].1), parts(2, test)];
            let before = likely.with_parts(&corpus, &question, files);
            let worth = |ranking: &Ranking| -> f64 {
                ranking.valued(2).iter().map(|part| part.value).sum()
            };
            (worth(&before), worth(&before.with_fewer_tests(&corpus)))
        };
        let (before, after) = shares("tests/shapes.rs", 1);
        assert!(
            before > TESTS_OF_OTHERS && (after - TESTS_OF_OTHERS).abs() < 1e-9,
            "{before} {after}"
        );
        for (path, times) in [("tests/circle.rs", 0), ("tests/shapes.rs", 2)] {
            let (before, after) = shares(path, times);
            assert!(
                (before - after).abs() < 1e-9,
                "{path} {times}: {before} {after}"
            );
        }
    }
}
