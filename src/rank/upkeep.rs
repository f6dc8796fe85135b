//! Tasks about the versions of what a project works with: "Support Python 3.14", "Bump tox from
//! 3.17.1 to 3.18.0". They change the lines of settings that have these versions, and hardly any
//! source.

use super::ranking::{Ranking, Why};
use crate::index::corpus::Corpus;
use crate::index::kind::Kind;
use crate::index::words::{names, thing_of, versions};

/// What the parts are worth together that have such a version.
const WORTH: f64 = 0.5;

/// The share of its worth that source keeps.
const OF_SOURCE: f64 = 0.1;

/// The most bytes of such a task.
const MOST_BYTES: usize = 200;

/// The most words of a title that say neither what is done nor with what.
const MOST_OTHERS: usize = 1;

/// The most files that are looked at, build files first.
const MOST_FILES: usize = 20;

/// Words that say what is done with a version, without their endings.
const DONE: [&str; 17] = [
    "add", "allow", "bump", "drop", "end", "limit", "pin", "rais", "remov", "requir", "run",
    "support", "switch", "test", "updat", "upgrad", "use",
];

/// Words that say nothing beside these, and nothing between a name and its version.
const BESIDE: [&str; 24] = [
    "a",
    "action",
    "actions",
    "against",
    "and",
    "at",
    "ci",
    "compatibility",
    "crate",
    "dependency",
    "for",
    "from",
    "in",
    "least",
    "minimal",
    "minimum",
    "of",
    "official",
    "package",
    "support",
    "the",
    "to",
    "version",
    "with",
];

/// Something that has a version in a title.
#[derive(PartialEq, Eq)]
struct Thing {
    /// `actions` and `checkout`.
    names: Vec<String>,
    /// Whether its version is a whole number. Most whole numbers in settings are no versions.
    is_whole: bool,
    /// Whether its name says whose it is, and so is that of nothing else: `actions/checkout`.
    has_owner: bool,
}

/// What such a task is about.
#[derive(Default)]
pub struct Upkeep {
    things: Vec<Thing>,
    /// The files with a version of one of them, by their indices in the corpus.
    pub files: Vec<usize>,
}

impl Upkeep {
    /// Returns what a task is about. That is nothing if it is any other task, if a target is source,
    /// or if no settings have a version of the thing: then it may be a format or a protocol, which
    /// is a matter of source.
    pub fn of(corpus: &Corpus, task: &str, targets: &[usize]) -> Upkeep {
        let is_source = |at: &usize| !corpus.files[*at].facts.kind.is_beside();
        let mut lines = task.lines().filter(|line| !line.trim().is_empty());
        let title = lines.next().unwrap_or_default();
        // What is said below says what else there is to do.
        if lines.next().is_some() || title.len() > MOST_BYTES || targets.iter().any(is_source) {
            return Upkeep::default();
        }
        let mut upkeep = Upkeep {
            things: things(title),
            files: Vec::new(),
        };
        if upkeep.things.is_empty() {
            return upkeep;
        }
        let is_settings =
            |at: &usize| matches!(corpus.files[*at].facts.kind, Kind::Build | Kind::Other);
        let has = |at: &usize| upkeep.is_in(corpus, &corpus.files[*at].read.uses);
        let files = (0..corpus.files.len()).filter(is_settings).filter(has);
        let mut files: Vec<usize> = files.collect();
        files.sort_by_key(|at| corpus.files[*at].facts.kind != Kind::Build);
        files.truncate(MOST_FILES);
        upkeep.files = files;
        upkeep
    }

    /// Whether the task is about nothing else. What has a whole number may be a part of the project
    /// that only shares its name with something in the settings: "Upgrade the parser to v2".
    fn is_certain(&self) -> bool {
        let mut things = self.things.iter();
        things.all(|thing| !thing.is_whole || thing.has_owner)
    }

    /// Whether something that uses these names has a version of one of the things.
    fn is_in(&self, corpus: &Corpus, uses: &[(u32, u16)]) -> bool {
        let names = || uses.iter().map(|(it, _)| corpus.vocabulary.names.name(*it));
        let has_name = |wanted: &String| names().any(|name| name.eq_ignore_ascii_case(wanted));
        let has_version = |thing: &Thing| {
            let last = thing.names.iter().rev().find_map(|name| thing_of(name));
            let last = last.unwrap_or_default().to_lowercase();
            let mut versions = names().filter_map(|name| name.split_once(' '));
            versions.any(|(name, _)| name == last)
        };
        let is_used = |thing: &Thing| thing.is_whole && thing.has_owner;
        let mut things = self.things.iter();
        things
            .any(|thing| thing.names.iter().all(has_name) && (is_used(thing) || has_version(thing)))
    }
}

impl Ranking {
    /// Whether a file has a version that the task is about.
    pub fn has_version_of_task(&self, file: usize) -> bool {
        self.is_singled(file, Why::Version)
    }

    /// Makes the parts worth something that have the versions which a task is about, and the source
    /// worth less if it is about nothing else.
    pub fn with_upkeep(mut self, corpus: &Corpus, upkeep: &Upkeep) -> Ranking {
        let mut places = Vec::new();
        for file in &upkeep.files {
            let parts = self.parts.get(file).into_iter().flatten().enumerate();
            let having = parts.filter(|(_, (read, _))| upkeep.is_in(corpus, &read.uses));
            places.extend(having.map(|(part, _)| (*file, part)));
        }
        if places.is_empty() {
            return self;
        }
        if upkeep.is_certain() {
            for (file, likely) in corpus.files.iter().zip(&mut self.likely) {
                if !file.facts.kind.is_beside() {
                    *likely *= OF_SOURCE;
                }
            }
        }
        let worth = WORTH / places.len() as f64;
        for place in places {
            self.single_out(place, worth, Why::Version);
        }
        self
    }
}

/// Returns what has a version in a title that says nothing else: its name stands before the version.
fn things(title: &str) -> Vec<Thing> {
    // `build(deps): …`, `go.mod: …`
    let kind = title
        .split_once(": ")
        .filter(|(kind, _)| !kind.contains(' '));
    let title = kind.map_or(title, |(_, title)| title);
    let mut things = Vec::new();
    // What may be the name of what has the next version, and how much else there is.
    let mut last: Option<&str> = None;
    let (mut others, mut is_done) = (0, false);
    let mut before = String::new();
    for word in title.split_whitespace() {
        let word = word.trim_matches(|c: char| ",.;:`'\"()".contains(c));
        let small = word.to_lowercase();
        let is_whole = is_whole(word);
        if is_whole && leads_to_version(&before, last) || is_version(word) {
            things.extend(last.take().map(|name| Thing {
                names: names_of(name),
                is_whole,
                has_owner: name.contains('/'),
            }));
        } else if is_whole {
            // A number says nothing by itself.
        } else if DONE.iter().any(|done| is_form_of(&small, done)) {
            is_done = true;
        } else if !word.starts_with('#') && !BESIDE.contains(&small.as_str()) {
            others += last.replace(word).map_or(0, says);
        }
        before = small;
    }
    others += last.map_or(0, says);
    things.retain(|thing| !thing.names.is_empty());
    if !is_done || others > MOST_OTHERS {
        things.clear();
    }
    things
}

fn names_of(text: &str) -> Vec<String> {
    names(text).map(|(_, name)| name.to_owned()).collect()
}

/// Whether a word is one of these with an ending: `drops`, `dropped`, `dropping`, `update`.
fn is_form_of(word: &str, done: &str) -> bool {
    let ending = word.strip_prefix(done);
    ending.is_some_and(|it| {
        matches!(
            it,
            "" | "e" | "s" | "es" | "d" | "ed" | "ing" | "ped" | "ping"
        )
    })
}

/// Returns how much a word says that is neither: the name of a file, a type or a function says more
/// than [`MOST_OTHERS`].
fn says(word: &str) -> usize {
    let is_plain = word.chars().all(|c| c.is_alphabetic() || c == '-');
    let mut both = word.chars().zip(word.chars().skip(1));
    let is_joined = both.any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    if is_plain && !is_joined {
        1
    } else {
        MOST_OTHERS + 1
    }
}

/// Whether a word is a version: `3.14`, `v2.0.1`, `>=3.14`.
fn is_version(word: &str) -> bool {
    let number = word.trim_start_matches(['v', '^', '~', '=', '>', '<']);
    versions(number).next().is_some_and(|(at, _)| at == 0)
}

/// Whether a word is a whole number, which may be a version: `4`, `v4`.
fn is_whole(word: &str) -> bool {
    let number = word.trim_start_matches(['v', '^', '~', '=', '>', '<']);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a whole number after this word is the version of what was named last: `to 4`,
/// `actions/checkout v4`. Behind another name (`Python 3`) it is as often a matter of source.
fn leads_to_version(before: &str, last: Option<&str>) -> bool {
    let is_name = |last: &str| last.eq_ignore_ascii_case(before) && last.contains('/');
    matches!(before, "from" | "to") || last.is_some_and(is_name)
}

#[cfg(test)]
mod tests {
    use super::super::{Likely, Question};
    use super::*;
    use crate::index::corpus::tests::of_texts;
    use crate::index::parts::ReadPart;

    #[test]
    fn a_title_about_versions_says_what_has_them() {
        let said = |title: &str| -> Vec<String> {
            let things = things(title).into_iter();
            things.map(|thing| thing.names.join(" ")).collect()
        };
        for (title, expected) in [
            ("Support Python 3.14", &["Python"][..]),
            ("Drop support for Ruby 1.9.3.", &["Ruby"]),
            ("Bump tox from 3.17.1 to 3.18.0", &["tox"]),
            (
                "build(deps): bump actions/checkout from 5.0.1 to 6.0.0 (#12)",
                &["actions checkout"],
            ),
            ("go.mod: Upgrade CertMagic to v0.24.0", &["CertMagic"]),
            (
                "Update quic-go to v0.41.0, bump Go minimum to 1.21",
                &["quic go", "Go"],
            ),
            ("Require Node 20", &[]),
            ("Use Python 3 in the scripts", &[]),
            ("Update Node to 20", &["Node"]),
            ("Pin actions/checkout v4", &["actions checkout"]),
            (
                "Update actions/setup-node action to v6",
                &["actions setup node"],
            ),
            ("Bump gnu/typos from 3 to 4 (#12)", &["gnu typos"]),
            ("Bump the xunit group with 2 updates", &[]),
            ("Allow 3 retries", &[]),
            ("Drop support for aws-sdk v2 from TableHandler", &[]),
            ("Support TLS 1.3 in tls/values.go", &[]),
            ("Add retry_limit 1.5", &["retry_limit"]),
            ("Update the pre-commit hook crate-ci/typos to v1.44", &[]),
            ("Fix PHP 5.3 support for the console", &[]),
            ("Python 3.14: annotations are evaluated twice", &[]),
            (
                "Add a retry after 3 attempts to the client of the queue",
                &[],
            ),
            ("Bump the version", &[]),
        ] {
            assert_eq!(said(title), expected, "{title}");
        }
    }

    const FILES: [(&str, &str); 4] = [
        (
            ".github/workflows/test.yml",
            "uses: actions/checkout@v3\npython: ['3.12', '3.13']\n",
        ),
        ("pyproject.toml", "[project]\nrequires-python = '>=3.9'\n"),
        ("settings.toml", "tls = '1.2'\nretry_limit = 1.5\n"),
        ("src/python.py", "def python():\n    return '3.13'\n"),
    ];

    #[test]
    fn settings_that_have_a_version_or_one_of_the_same_thing_are_looked_at() {
        let corpus = of_texts(&FILES);
        let files = |task: &str| Upkeep::of(&corpus, task, &[1]).files;
        assert_eq!(files("Support Python 3.14"), [0, 1]);
        assert_eq!(files("Drop Python 3.12"), [0, 1]);
        assert_eq!(files("Support TLS 1.3"), [2]);
        assert_eq!(files("Raise retry_limit to 2.5"), [2]);
        assert_eq!(files("Bump actions/checkout from 3 to 4"), [0]);
        assert_eq!(files("Update Python to 4"), [0, 1]);
        assert!(files("Limit uses-checkout to 255 characters").is_empty());
        assert!(files("Support Python 4").is_empty());
        assert!(files("Bump checkout from 3 to 4").is_empty());
        assert!(files("Support HTTP 1.1").is_empty());
        assert!(files("Support Python 3.14\n\nIt has new annotations.").is_empty());
        assert!(
            Upkeep::of(&corpus, "Support Python 3.14", &[1, 3])
                .files
                .is_empty()
        );
    }

    #[test]
    fn what_has_the_version_is_worth_more_than_a_file_of_that_name() {
        let corpus = of_texts(&FILES);
        let worths = |task: &str| {
            let question = Question::new(&corpus, task, &[], None);
            let links = vec![Vec::new(); FILES.len()];
            let likely = Likely::of(&corpus, &question, task, &[], &[], &links);
            let part = |at: usize| {
                let mut read = ReadPart::of_lines(0..1);
                read.uses.clone_from(&corpus.files[at].read.uses);
                (at, vec![read])
            };
            let ranking =
                likely.with_parts(&corpus, &question, (0..FILES.len()).map(part).collect());
            let ranking = ranking.with_upkeep(&corpus, &Upkeep::of(&corpus, task, &[]));
            [0, 3].map(|at| ranking.valued(at)[0].value)
        };
        let [settings, source] = worths("Support Python 3.14");
        assert!(settings > 2.0 * source, "{settings} {source}");
        let [settings, source] = worths("Python returns 3.13");
        assert!(settings < source, "{settings} {source}");
        // Python may be a part of the project.
        let [_, certain] = worths("Update Python to 3.14");
        let [_, open] = worths("Update Python to 4");
        assert!(open > 2.0 * certain, "{open} {certain}");
    }
}
