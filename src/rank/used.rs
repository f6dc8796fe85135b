//! What the targets use from other files. None of it has to be changed, but a change of the targets
//! has to call it correctly: its signature is worth something in itself.

use std::collections::{HashMap, HashSet};

use super::ranking::{Ranking, Why};
use super::singled::is_of_libraries;
use crate::index::Links;
use crate::index::corpus::Corpus;
use crate::index::parts::ReadPart;

/// What one signature is worth if the part of a target that uses it is certain to be changed, and
/// what all of them are worth together, as shares of everything that is needed.
const SIGNATURE_WORTH: f64 = 0.006;
const ALL_SIGNATURES_WORTH: f64 = 0.08;

/// Names used only in parts that are less likely to be changed are not searched for.
const LEAST_LIKELY: f64 = 0.02;

/// A name that more files declare does not say which of them is meant, unless the targets import
/// only one of these.
const MOST_DECLARING: usize = 2;

/// The same for its places in these files: variants of one thing are used as one.
const MOST_PLACES: usize = 3;

/// The most names that count, those of the likeliest parts first.
const MOST_NAMES: usize = 40;

/// A shorter name is used for many things.
const LEAST_LETTERS: usize = 4;

/// What constructors are called that are not called like their type, in Python, JavaScript, Ruby,
/// PHP, Swift, and Rust and Kotlin.
const CONSTRUCTORS: [&str; 6] = [
    "__init__",
    "constructor",
    "initialize",
    "__construct",
    "init",
    "new",
];

/// The names in the targets that other files declare.
#[derive(Default)]
pub struct Used {
    names: Vec<UsedName>,
}

struct UsedName {
    name: u32,
    /// How likely the parts that use it are to be changed.
    likely: f64,
    /// The files that may declare what is meant.
    files: Vec<usize>,
}

impl Used {
    /// Returns the names in these parts of the targets. Each part comes with how likely it is to be
    /// changed.
    pub fn of(
        corpus: &Corpus,
        parts: &[(&ReadPart, f64)],
        targets: &[usize],
        links: &Links,
    ) -> Used {
        let likely = likely_names(corpus, parts, targets);
        let imported = targets.iter().flat_map(|target| &links[*target]);
        let imported: HashSet<usize> = imported.copied().collect();
        let text = |name: u32| corpus.vocabulary.names.name(name);
        let declared = declaring(corpus, &likely, targets).into_iter();
        let used = declared.filter_map(|(name, files)| {
            let tells = text(name).len() >= LEAST_LETTERS && !is_of_libraries(text(name));
            let files = meant(files, &imported).filter(|_| tells)?;
            let likely = likely[name as usize];
            Some(UsedName {
                name,
                likely,
                files,
            })
        });
        let mut names: Vec<UsedName> = used.collect();
        // Numbers depend on what was known before.
        names.sort_by(|a, b| {
            let likelier = b.likely.total_cmp(&a.likely);
            likelier.then_with(|| text(a.name).cmp(text(b.name)))
        });
        names.truncate(MOST_NAMES);
        Used { names }
    }

    /// Returns the files that declare what is used, those for the likeliest parts first.
    pub fn files(&self) -> impl Iterator<Item = usize> {
        self.names.iter().flat_map(|used| &used.files).copied()
    }
}

/// Returns for each name, by its number, how likely the parts that use it are to be changed: 0 if
/// that is unlikely, or if a target declares the name itself.
fn likely_names(corpus: &Corpus, parts: &[(&ReadPart, f64)], targets: &[usize]) -> Vec<f64> {
    let mut likely = vec![0.0; corpus.vocabulary.names.len()];
    for (read, share) in parts {
        for (name, _) in &read.uses {
            likely[*name as usize] += share;
        }
    }
    let own = targets.iter().map(|at| &corpus.files[*at].read.declares);
    for name in own.flatten() {
        likely[*name as usize] = 0.0;
    }
    for likely in likely.iter_mut().filter(|it| **it < LEAST_LIKELY) {
        *likely = 0.0;
    }
    likely
}

/// Returns the source files that declare each of the likely names.
fn declaring(corpus: &Corpus, likely: &[f64], targets: &[usize]) -> HashMap<u32, Vec<usize>> {
    let is_source = |at: &usize| {
        let facts = &corpus.files[*at].facts;
        !facts.is_test && !facts.kind.is_beside() && !targets.contains(at)
    };
    let mut found: HashMap<u32, Vec<usize>> = HashMap::new();
    for at in (0..corpus.files.len()).filter(is_source) {
        let declares = corpus.files[at].read.declares.iter();
        for name in declares.filter(|name| likely[**name as usize] > 0.0) {
            found.entry(*name).or_default().push(at);
        }
    }
    found
}

/// Returns which of the files that declare a name are meant, if that is clear.
fn meant(mut files: Vec<usize>, imported: &HashSet<usize>) -> Option<Vec<usize>> {
    if files.len() <= MOST_DECLARING {
        return Some(files);
    }
    files.retain(|at| imported.contains(at));
    (files.len() == 1).then_some(files)
}

impl Ranking {
    /// Makes the signatures of what the targets use worth something.
    pub fn with_used(mut self, corpus: &Corpus, used: &Used) -> Ranking {
        let mut left = ALL_SIGNATURES_WORTH;
        for UsedName {
            name,
            likely,
            files,
        } in &used.names
        {
            let places = files.iter();
            let places = places.flat_map(|file| self.declared(corpus, *file, *name));
            let places: Vec<(usize, usize)> = places.collect();
            if places.len() > MOST_PLACES {
                continue;
            }
            let constructor = |file: &usize| self.constructor(corpus, *file, *name);
            let constructors: Vec<(usize, usize)> = files.iter().filter_map(constructor).collect();
            for place in places.into_iter().chain(constructors) {
                if left <= 0.0 {
                    return self;
                }
                let worth = (SIGNATURE_WORTH * likely.min(1.0).sqrt()).min(left);
                left -= worth;
                self.single_out(place, worth, Why::Used);
            }
        }
        self
    }

    /// Returns the place of the constructor of a type that a file declares, if it has a name of its
    /// own.
    fn constructor(&self, corpus: &Corpus, file: usize, name: u32) -> Option<(usize, usize)> {
        let parts = self.parts.get(&file)?;
        let is_of_type = |names: &[String]| match names {
            [.., outer, own] => {
                CONSTRUCTORS.contains(&own.as_str()) && corpus.name(outer) == Some(name)
            }
            _ => false,
        };
        let part = parts
            .iter()
            .position(|(read, _)| is_of_type(&read.part.names));
        part.map(|part| (file, part))
    }

    /// Returns the places of the parts of a file that declare a name: of a long part its first piece.
    fn declared(&self, corpus: &Corpus, file: usize, name: u32) -> Vec<(usize, usize)> {
        let parts = self.parts.get(&file).map_or(&[][..], Vec::as_slice);
        let names = |at: usize| &parts[at].0.part.names;
        let declares = |at: &usize| {
            let own = names(*at).last().and_then(|own| corpus.name(own));
            own == Some(name) && (*at == 0 || names(*at - 1) != names(*at))
        };
        let places = (0..parts.len()).filter(declares);
        places.map(|part| (file, part)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Likely, Question};
    use super::*;
    use crate::index::corpus::tests::of_texts;
    use crate::syntax;

    const TARGET: &str =
        "fn draw() {\n    stroke(Pen, load());\n    own(ink::dip());\n}\nfn own() {}\n";
    const FILES: [(&str, &str); 6] = [
        ("src/circle.rs", TARGET),
        (
            "src/ink.rs",
            "fn own() {}\npub fn dip() {}\npub fn load() {}\n",
        ),
        ("src/lamp.rs", "pub fn load() {}\n"),
        (
            "src/pen.rs",
            "pub fn dry() {\n    air();\n    sun();\n}\n\npub fn stroke() {\n    ink::mix();\n    lift();\n}\n",
        ),
        ("src/road.rs", "pub fn load() {}\n"),
        ("tests/pen.rs", "fn stroke() {}\n"),
    ];

    fn parts_of(corpus: &Corpus, at: usize) -> Vec<ReadPart> {
        parts_in("rust", FILES[at].1, corpus, at)
    }

    fn parts_in(language: &str, text: &str, corpus: &Corpus, at: usize) -> Vec<ReadPart> {
        let lines: Vec<&str> = text.lines().collect();
        let parts = syntax::cut(language, text).into_iter();
        let uses = &corpus.files[at].read.uses;
        let read = parts.map(|part| {
            let here = lines[part.lines.clone()].join("\n");
            let is_here = |name: u32| here.contains(corpus.vocabulary.names.name(name));
            let uses = uses.iter().filter(|it| is_here(it.0)).copied().collect();
            ReadPart::new(part, &lines, uses)
        });
        read.collect()
    }

    fn used(corpus: &Corpus, likely: f64, imported: &[usize]) -> Vec<(String, Vec<usize>)> {
        let mut links = vec![Vec::new(); FILES.len()];
        links[0] = imported.to_vec();
        let parts = parts_of(corpus, 0);
        let parts: Vec<(&ReadPart, f64)> = parts.iter().map(|part| (part, likely)).collect();
        let used = Used::of(corpus, &parts, &[0], &links);
        let text = |used: UsedName| {
            let name = corpus.vocabulary.names.name(used.name);
            (name.to_owned(), used.files)
        };
        used.names.into_iter().map(text).collect()
    }

    #[test]
    fn what_targets_use_is_sought_in_the_files_that_may_declare_it() {
        let corpus = of_texts(&FILES);
        let found = |name: &str, file| (name.to_owned(), vec![file]);
        // Neither short names nor what tests or the target declare; and of three that declare a
        // name, which is meant is told by an import alone.
        assert_eq!(used(&corpus, 0.5, &[]), [found("stroke", 3)]);
        let with_import = [found("load", 2), found("stroke", 3)];
        assert_eq!(used(&corpus, 0.5, &[2]), with_import);
        assert_eq!(used(&corpus, 0.5, &[1, 2]), [found("stroke", 3)]);
        assert_eq!(used(&corpus, 0.005, &[2]), []);
    }

    #[test]
    fn what_targets_use_counts_for_its_signature_alone() {
        let corpus = of_texts(&FILES);
        let links = vec![Vec::new(); FILES.len()];
        let question = Question::new(&corpus, "Draw", &[0], None);
        let likely = Likely::of(&corpus, &question, "Draw", &[0], &[], &links);
        let target = parts_of(&corpus, 0);
        let parts: Vec<(&ReadPart, f64)> = target.iter().map(|part| (part, 0.25)).collect();
        let used = Used::of(&corpus, &parts, &[0], &links);
        let files = vec![(3, parts_of(&corpus, 3))];
        let before = likely.with_parts(&corpus, &question, files);
        let values = |ranking: &Ranking| -> Vec<f64> {
            let parts = ranking.valued(3).into_iter();
            parts.map(|part| part.value).collect()
        };
        let without = values(&before);
        let with = before.with_used(&corpus, &used);
        let signatures: Vec<f64> = with.valued(3).iter().map(|part| part.signature).collect();
        // What is used in parts that may be changed in one of four cases counts half.
        assert_eq!(signatures, [0.0, 0.5 * SIGNATURE_WORTH]);
        let same = |(now, before): (&f64, &f64)| (now - before).abs() < 1e-9;
        assert!(values(&with).iter().zip(&without).all(same));
    }

    #[test]
    fn with_a_type_its_constructor_is_shown() {
        let body = "        pass\n".repeat(30);
        let methods = ["burn(self)", "__init__(self, heat)", "cool(self)"];
        let methods = methods.map(|it| format!("    def {it}:\n{body}\n"));
        let kiln = format!(
            "class Kiln:\n    \"\"\"Burns.\"\"\"\n\n{}",
            methods.concat()
        );
        let files = [
            ("src/clay.py", "def bake():\n    return Kiln(900)\n"),
            ("src/kiln.py", kiln.as_str()),
        ];
        let corpus = of_texts(&files);
        let links = vec![Vec::new(); files.len()];
        let question = Question::new(&corpus, "Bake", &[0], None);
        let likely = Likely::of(&corpus, &question, "Bake", &[0], &[], &links);
        let target = parts_in("python", files[0].1, &corpus, 0);
        let parts: Vec<(&ReadPart, f64)> = target.iter().map(|part| (part, 1.0)).collect();
        let used = Used::of(&corpus, &parts, &[0], &links);
        let read = parts_in("python", &kiln, &corpus, 1);
        let names: Vec<String> = read.iter().map(|it| it.part.names.join(".")).collect();
        let ranking = likely.with_parts(&corpus, &question, vec![(1, read)]);
        let ranking = ranking.with_used(&corpus, &used);
        let shown = names.iter().zip(ranking.valued(1));
        let shown = shown.filter(|(_, part)| part.signature > 0.0);
        let shown: Vec<&str> = shown.map(|(name, _)| name.as_str()).collect();
        assert_eq!(shown, ["Kiln", "Kiln.__init__"]);
    }
}
