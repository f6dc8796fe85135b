//! Parts that are worth less than their words suggest.

use super::signals::PartSignals;
use crate::index::corpus::Corpus;
use crate::index::kind::{Kind, is_ci};
use crate::index::parts::ReadPart;
use crate::index::words::each_word;
use crate::split;

/// The share of its worth that a piece of a long comment keeps. It has the words of every task, and
/// examples that look like code, but it is hardly ever where the change is.
const OF_COMMENT: f64 = 0.1;

/// The share of its worth that the content of a test module keeps: tests inside another file change
/// together with the code that is shown of it, and do not say what it does.
const OF_TEST_INSIDE: f64 = 0.3;

/// The share of their worth that older versions in a changelog keep. The newest, and one more that
/// shows what an entry looks like, count in full.
const OF_OLDER: f64 = 0.1;

/// The share of its worth that keeps what another package says of itself: a change to a package is
/// recorded in its own changelog, and what it needs in its own manifest.
const OF_OTHER_PACKAGE: f64 = 0.1;

/// The share of its worth that generated code keeps: it has the words of what it was generated
/// from, which is what must change.
const OF_MADE: f64 = 0.1;

/// The share of its worth that a part of a CI file keeps in which nothing checks a change: caches,
/// tools that are set up, and releases are there in every project.
const OF_SETUP: f64 = 0.02;

/// The names of the parts of CI files that say how their commands are run.
const OF_COMMANDS: [&str; 4] = ["defaults", "env", "environment", "variables"];

/// The names of files in which a package says what it is and needs. A release changes those of all
/// packages.
const MANIFESTS: [&str; 8] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
];

/// The names of test modules.
const MODULES_OF_TESTS: [&str; 2] = ["tests", "test"];

/// Stems of words in tasks that are about comments, and about tests.
const OF_COMMENTS: [&str; 8] = [
    "comment",
    "doc",
    "document",
    "documentation",
    "docstr",
    "javadoc",
    "rustdoc",
    "jsdoc",
];
const OF_TESTS: [&str; 2] = ["test", "spec"];

/// Stems of words in tasks that are about generated files.
const OF_MAKING: [&str; 7] = [
    "generat",
    "generator",
    "regenerat",
    "codegen",
    "bundl",
    "compil",
    "dist",
];

/// Stems of words in tasks that are about CI.
const OF_CI: [&str; 7] = [
    "ci", "deploy", "github", "gitlab", "pipelin", "releas", "workflow",
];

/// Factors for parts beside their scores. They depend on what the task mentions.
pub(super) struct Lesser {
    comment: f64,
    test_inside: f64,
    made: f64,
    setup: f64,
}

impl Lesser {
    /// Makes them for this task, and for whether a target is a CI file.
    pub(super) fn of(task: &str, is_about_ci: bool) -> Lesser {
        let mut lesser = Lesser {
            comment: OF_COMMENT,
            test_inside: OF_TEST_INSIDE,
            made: OF_MADE,
            setup: if is_about_ci { 1.0 } else { OF_SETUP },
        };
        each_word(task, |word| {
            if OF_COMMENTS.contains(&word) {
                lesser.comment = 1.0;
            } else if OF_TESTS.contains(&word) {
                lesser.test_inside = 1.0;
            } else if OF_MAKING.contains(&word) {
                lesser.made = 1.0;
            } else if OF_CI.contains(&word) {
                lesser.setup = 1.0;
            }
        });
        lesser
    }

    /// Returns the factor of a source file with these parts, beside its likelihood.
    pub(super) fn of_file(&self, parts: &[(ReadPart, PartSignals)]) -> f64 {
        let is_made = parts.first().is_some_and(|(read, _)| read.part.is_made);
        if is_made { self.made } else { 1.0 }
    }

    /// Whether pieces of long comments count less than code.
    pub(super) fn sets_back_comments(&self) -> bool {
        self.comment < 1.0
    }

    /// Returns the factor of each of these parts of source, beside its score.
    pub(super) fn of_source(&self, parts: &[(ReadPart, PartSignals)]) -> Vec<f64> {
        let counts = |(read, _): &(ReadPart, PartSignals)| {
            if read.part.is_said {
                self.comment
            } else if lies_in_tests(read) {
                self.test_inside
            } else {
                1.0
            }
        };
        parts.iter().map(counts).collect()
    }

    /// Returns the factor of each of these parts of a file that is not source, beside its score.
    pub(super) fn of_beside(&self, path: &str, parts: &[(ReadPart, PartSignals)]) -> Vec<f64> {
        if !is_ci(path) {
            return of_changelog(parts);
        }
        let runs = |(read, _): &(ReadPart, PartSignals)| read.commands > 0;
        let is_how = |(read, _): &(ReadPart, PartSignals)| {
            let name = read.part.names.last();
            name.is_some_and(|name| OF_COMMANDS.contains(&name.as_str()))
        };
        let any_runs = parts.iter().any(runs);
        let counts = |part| runs(part) || any_runs && is_how(part);
        let parts = parts.iter();
        let counts = parts.map(|part| if counts(part) { 1.0 } else { self.setup });
        counts.collect()
    }
}

fn lies_in_tests(read: &ReadPart) -> bool {
    match read.part.names.as_slice() {
        [module, _, ..] => MODULES_OF_TESTS.contains(&module.as_str()),
        _ => false,
    }
}

/// Returns the factor of each of these parts beside its score, in a changelog.
pub(super) fn of_changelog(parts: &[(ReadPart, PartSignals)]) -> Vec<f64> {
    let newest = |(_, signals): &(ReadPart, PartSignals)| signals.newest > 0.0;
    let older = parts
        .iter()
        .rposition(newest)
        .map_or(parts.len(), |last| last + 2);
    let counts = |at| if at < older { 1.0 } else { OF_OLDER };
    (0..parts.len()).map(counts).collect()
}

/// Reduces each changelog and each manifest that lies above no target, if another one does. Each of
/// these files comes with its index in the corpus. What lies in a folder of documents may cover all
/// packages.
pub(super) fn set_back_other_packages<'a>(
    corpus: &Corpus,
    targets: &[usize],
    files: impl Iterator<Item = (usize, &'a mut f64)>,
) {
    let is_log = |at: usize| corpus.files[at].facts.kind == Kind::Changelog;
    let is_manifest = |at: usize| {
        let path = corpus.files[at].path.as_str();
        corpus.files[at].facts.kind == Kind::Build && MANIFESTS.contains(&split::name(path))
    };
    let is_above = |at: usize| is_above(corpus, at, targets);
    let all = 0..corpus.files.len();
    let has_log = all.clone().any(|at| is_log(at) && is_above(at));
    let has_manifest = all.clone().any(|at| is_manifest(at) && is_above(at));
    let of_package = |at: usize| has_log && is_log(at) || has_manifest && is_manifest(at);
    let of_others = |at: usize| of_package(at) && !corpus.files[at].facts.is_aside && !is_above(at);
    for (_, worth) in files.filter(|(at, _)| of_others(*at)) {
        *worth *= OF_OTHER_PACKAGE;
    }
}

/// Whether a file lies in the folder of a target, or in one above it.
pub(super) fn is_above(corpus: &Corpus, at: usize, targets: &[usize]) -> bool {
    let file = &corpus.files[at];
    let folder = file.facts.folder(file.path.as_str());
    targets.iter().any(|target| {
        let rest = corpus.files[*target].path.as_str().strip_prefix(folder);
        rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::corpus::tests::of_texts;
    use crate::syntax::parts::Part;

    fn part(names: &[&str], is_said: bool, newest: f64) -> (ReadPart, PartSignals) {
        let mut read = ReadPart::of_lines(0..1);
        read.part = Part {
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            is_said,
            ..read.part
        };
        let signals = PartSignals {
            newest,
            ..PartSignals::default()
        };
        (read, signals)
    }

    fn bits(counts: &[f64]) -> Vec<u64> {
        counts.iter().map(|count| count.to_bits()).collect()
    }

    #[test]
    fn long_comments_and_tests_inside_count_less() {
        let parts = [
            part(&["load"], false, 0.0),
            part(&[], true, 0.0),
            part(&["tests", "loads"], false, 0.0),
            // The head of the module, and a function of that name.
            part(&["tests"], false, 0.0),
            part(&["Suite", "tests"], false, 0.0),
        ];
        let expected = [1.0, OF_COMMENT, OF_TEST_INSIDE, 1.0, 1.0];
        let of = |task: &str| bits(&Lesser::of(task, false).of_source(&parts));
        assert_eq!(of("mend the loader"), bits(&expected));
        let comments = [1.0, 1.0, OF_TEST_INSIDE, 1.0, 1.0];
        assert_eq!(of("mend the doc comments of the loader"), bits(&comments));
        let tests = [1.0, OF_COMMENT, 1.0, 1.0, 1.0];
        assert_eq!(of("mend the flaky tests of the loader"), bits(&tests));
    }

    #[test]
    fn a_file_that_a_program_made_counts_less() {
        let mut made = [part(&["load"], false, 0.0)];
        made[0].0.part.is_made = true;
        let other = [part(&["load"], false, 0.0)];
        let of = |task: &str| {
            let lesser = Lesser::of(task, false);
            bits(&[&made[..], &other, &[]].map(|parts| lesser.of_file(parts)))
        };
        assert_eq!(of("mend the loader"), bits(&[OF_MADE, 1.0, 1.0]));
        assert_eq!(of("mend what the generator writes"), bits(&[1.0; 3]));
        assert_eq!(of("the bundle has no loader"), bits(&[1.0; 3]));
    }

    #[test]
    fn of_a_ci_file_what_checks_a_change_counts_unless_the_work_is_about_ci() {
        let mut parts = [
            part(&["on"], false, 0.0),
            part(&["jobs", "test", "env"], false, 0.0),
            part(&["jobs", "test", "steps", "- uses: cache"], false, 0.0),
            part(&["jobs", "test", "steps", "- run: make test"], false, 0.0),
        ];
        let less = OF_SETUP;
        let (path, all) = (".github/workflows/test.yml", [1.0; 4]);
        let of = |task: &str, is_about, path: &str, parts: &[_]| {
            bits(&Lesser::of(task, is_about).of_beside(path, parts))
        };
        assert_eq!(of("mend it", false, path, &parts), bits(&[less; 4]));
        parts[3].0.commands = 3;
        let counts = [less, 1.0, less, 1.0];
        assert_eq!(of("mend it", false, path, &parts), bits(&counts));
        assert_eq!(of("mend it", false, "Makefile", &parts), bits(&all));
        assert_eq!(of("mend it", true, path, &parts), bits(&all));
        for task in ["mend it in CI", "Release it", "mend the workflow"] {
            assert_eq!(of(task, false, path, &parts), bits(&all), "{task}");
        }
    }

    #[test]
    fn of_a_changelog_the_newest_version_and_the_next_part_count() {
        let parts = [0.0, 1.0, 1.0, 0.0, 0.0, 0.0].map(|newest| part(&[], false, newest));
        let expected = [1.0, 1.0, 1.0, 1.0, OF_OLDER, OF_OLDER];
        assert_eq!(bits(&of_changelog(&parts)), bits(&expected));
        let other = [0.0, 0.0].map(|newest| part(&[], false, newest));
        assert_eq!(bits(&of_changelog(&other)), bits(&[1.0, 1.0]));
    }

    #[test]
    fn what_other_packages_say_of_themselves_is_worth_a_tenth() {
        let counts = |logs: &[&str], target: &str| -> Vec<f64> {
            let files = logs.iter().chain([&target]).map(|path| (*path, "a"));
            let corpus = of_texts(&files.collect::<Vec<_>>());
            let mut worths = vec![1.0; corpus.files.len()];
            let targets: Vec<usize> = corpus.place(target).into_iter().collect();
            set_back_other_packages(&corpus, &targets, worths.iter_mut().enumerate());
            logs.iter()
                .map(|log| worths[corpus.place(log).unwrap()])
                .collect()
        };
        let less = OF_OTHER_PACKAGE;
        let logs = ["a/CHANGELOG.md", "ab/CHANGELOG.md", "docs/changelog.md"];
        assert_eq!(bits(&counts(&logs, "a/src/c.rs")), bits(&[1.0, less, 1.0]));
        assert_eq!(bits(&counts(&logs, "d/c.rs")), bits(&[1.0, 1.0, 1.0]));
        let logs = ["CHANGELOG.md", "b/CHANGELOG.md"];
        assert_eq!(bits(&counts(&logs, "a/c.rs")), bits(&[1.0, less]));
        assert_eq!(bits(&counts(&logs, "b/c.rs")), bits(&[1.0, 1.0]));
        let manifests = ["a/package.json", "b/package.json", "package.json"];
        let expected = [1.0, less, 1.0];
        assert_eq!(bits(&counts(&manifests, "a/c.rs")), bits(&expected));
        // One of another language is that of another package as well, but what builds is not.
        let others = ["Cargo.toml", "web/package.json", "web/Makefile"];
        assert_eq!(bits(&counts(&others, "a/c.rs")), bits(&[1.0, less, 1.0]));
        assert_eq!(bits(&counts(&["b/package.json"], "a/c.rs")), bits(&[1.0]));
    }
}
