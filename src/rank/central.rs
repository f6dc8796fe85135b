//! Finds the most central declarations of a repository.
//!
//! Files are nodes. A file leads to another by each name that it uses and that only a few files
//! declare, so a random reader who follows names arrives at the files that much depends on. Of the
//! names that a file declares, those that led there are the central ones. More readers start at
//! targets and at what the task mentions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::question::exact;
use crate::index::corpus::Corpus;
use crate::index::paths::{is_aside, is_test, stem};
use crate::index::words::names;
use crate::repo::RepoPath;
use crate::syntax::is_program;
use crate::syntax::outline::Entry;

/// A name that more files declare says little about which of them is meant.
const MAX_DECLARERS: usize = 5;

/// The most files that one file leads to, the strongest.
const MAX_LINKS: usize = 200;

/// The probability with which readers go on instead of starting anew.
const DAMPING: f64 = 0.85;

/// The steps after which ranks hardly change.
const STEPS: usize = 20;

/// How often readers start in a test or an example, for each time in another file.
const ASIDE: f64 = 0.05;

/// How many files a target counts for, and also a file whose name or whose declaration the task
/// mentions.
const TARGET: f64 = 10.0;
const MENTIONED: f64 = 5.0;

/// How many names a name counts for that the task mentions.
const ASKED_FOR: f64 = 10.0;

/// A word such as `value` names something else in most files.
const PLAIN_WORD: f64 = 0.1;

/// Returns the files that may be in a map, in the order in which they are read: tests and examples
/// last.
pub fn in_order(corpus: &Corpus) -> Vec<usize> {
    let is_program = |at: &usize| is_program(corpus.files[*at].language);
    let mut order: Vec<usize> = (0..corpus.files.len()).filter(is_program).collect();
    order.sort_by_key(|at| (is_beside(corpus, *at), *at));
    order
}

fn is_beside(corpus: &Corpus, at: usize) -> bool {
    let path = corpus.files[at].path.as_str();
    is_test(path) || is_aside(path)
}

/// Returns the central declarations outside the targets, each by its file and its name, the most
/// central first. `declared` lists the declarations of the files that were read.
pub fn declarations(
    corpus: &Corpus,
    task: &str,
    targets: &[RepoPath],
    declared: &[FileEntries],
) -> Vec<(usize, u32)> {
    let graph = Graph::of(corpus, task, targets, declared);
    let ranks = graph.ranks();
    let mut central: Vec<((usize, u32), f64)> = graph.central(&ranks).into_iter().collect();
    central.retain(|((at, _), _)| !targets.contains(&corpus.files[*at].path));
    let place = |(at, name): (usize, u32)| (at, corpus.vocabulary.names.name(name));
    central.sort_by(|a, b| {
        b.1.total_cmp(&a.1)
            .then_with(|| place(a.0).cmp(&place(b.0)))
    });
    central
        .into_iter()
        .map(|(declaration, _)| declaration)
        .collect()
}

/// A file by its index in the corpus, with what it declares.
pub type FileEntries = (usize, Rc<Vec<Entry>>);

/// What a task mentions.
struct Mentioned<'a> {
    names: HashSet<&'a str>,
    /// The same in lower case.
    stems: HashSet<String>,
}

/// A name that some files declare.
#[derive(Default)]
struct Declared {
    files: Vec<usize>,
    /// What a use of it counts.
    weight: f64,
}

/// Which files lead where.
struct Graph<'a> {
    corpus: &'a Corpus,
    declared: HashMap<u32, Declared, RandomState>,
    /// How often readers start in each file.
    begin: Vec<f64>,
}

impl<'a> Graph<'a> {
    fn of(
        corpus: &'a Corpus,
        task: &str,
        targets: &[RepoPath],
        declared: &[FileEntries],
    ) -> Graph<'a> {
        let names: HashSet<&str> = names(task).map(|(_, name)| name).collect();
        let stems = names.iter().map(|name| name.to_lowercase()).collect();
        let mentioned = Mentioned { names, stems };
        let mut graph = Graph {
            corpus,
            declared: HashMap::default(),
            begin: vec![0.0; corpus.files.len()],
        };
        for at in in_order(corpus) {
            graph.begin[at] = begin(corpus, at, targets, &mentioned);
        }
        for (at, entries) in declared {
            for entry in entries.iter() {
                graph.add(*at, entry, &mentioned);
            }
        }
        graph
            .declared
            .retain(|_, one| one.files.len() <= MAX_DECLARERS);
        graph
    }

    /// Adds a declaration of a file.
    fn add(&mut self, at: usize, entry: &Entry, mentioned: &Mentioned<'_>) {
        let Some(name) = self.corpus.vocabulary.names.get(&entry.name) else {
            return;
        };
        let is_plain = is_plain(&entry.name);
        let is_asked_for = !is_plain && mentioned.names.contains(entry.name.as_str());
        let one = self.declared.entry(name).or_default();
        one.weight = self.corpus.rarity(name);
        one.weight *= if is_plain { PLAIN_WORD } else { 1.0 };
        one.weight *= if is_asked_for { ASKED_FOR } else { 1.0 };
        if one.files.len() <= MAX_DECLARERS && one.files.last() != Some(&at) {
            one.files.push(at);
        }
        if is_asked_for {
            self.begin[at] += MENTIONED;
        }
    }

    /// Returns where a file leads by each name that it uses, and how strongly.
    fn uses(&self, from: usize) -> impl Iterator<Item = (usize, u32, f64)> {
        let uses = self.corpus.files[from].read.uses.iter();
        uses.filter_map(|(name, count)| Some((*name, *count, self.declared.get(name)?)))
            .flat_map(move |(name, count, one)| {
                let weight = one.weight * f64::from(count).sqrt() / one.files.len() as f64;
                let weight = exact(weight);
                let to = one.files.iter().filter(move |to| **to != from);
                to.map(move |to| (*to, name, weight))
            })
    }

    /// Returns how likely a reader is in each file.
    fn ranks(&self) -> Vec<f64> {
        let total: f64 = self.begin.iter().sum();
        let begin: Vec<f64> = self
            .begin
            .iter()
            .map(|share| share / total.max(1.0))
            .collect();
        let links: Vec<Vec<(usize, f64)>> = (0..begin.len()).map(|at| self.links(at)).collect();
        let mut ranks = begin.clone();
        for _ in 0..STEPS {
            let mut next = vec![0.0; ranks.len()];
            let mut lost = 0.0;
            for (at, links) in links.iter().enumerate() {
                for (to, share) in links {
                    next[*to] += ranks[at] * share;
                }
                if links.is_empty() {
                    lost += ranks[at];
                }
            }
            for (at, rank) in next.iter_mut().enumerate() {
                *rank = DAMPING * (*rank + lost * begin[at]) + (1.0 - DAMPING) * begin[at];
            }
            ranks = next;
        }
        ranks
    }

    /// Returns the files that one leads to, as shares of one.
    fn links(&self, from: usize) -> Vec<(usize, f64)> {
        let mut strength: HashMap<usize, f64> = HashMap::new();
        for (to, _, weight) in self.uses(from) {
            *strength.entry(to).or_default() += weight;
        }
        let mut links: Vec<(usize, f64)> = strength.into_iter().collect();
        links.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        links.truncate(MAX_LINKS);
        let total: f64 = links.iter().map(|(_, weight)| weight).sum();
        links.retain(|_| total > 0.0);
        links
            .iter()
            .map(|(to, weight)| (*to, weight / total))
            .collect()
    }

    /// Returns how many readers come to each declaration, by its file and its name.
    fn central(&self, ranks: &[f64]) -> HashMap<(usize, u32), f64> {
        let mut central: HashMap<(usize, u32), f64> = HashMap::new();
        for (from, rank) in ranks.iter().enumerate() {
            let total: f64 = self.uses(from).map(|(_, _, weight)| weight).sum();
            if total > 0.0 {
                for (to, name, weight) in self.uses(from) {
                    *central.entry((to, name)).or_default() += rank * weight / total;
                }
            }
        }
        central.retain(|(at, _), _| self.begin[*at] >= 1.0);
        central
    }
}

/// Returns how often readers start in a file.
fn begin(corpus: &Corpus, at: usize, targets: &[RepoPath], mentioned: &Mentioned<'_>) -> f64 {
    let path = &corpus.files[at].path;
    let mut begin = if is_beside(corpus, at) { ASIDE } else { 1.0 };
    if targets.contains(path) {
        begin += TARGET;
    }
    if mentioned
        .stems
        .contains(&stem(path.as_str()).to_lowercase())
    {
        begin += MENTIONED;
    }
    begin
}

/// Whether a name could just as well be a word of any program.
fn is_plain(name: &str) -> bool {
    const LONG: usize = 12;
    name.len() < LONG && name.bytes().all(|b| b.is_ascii_lowercase())
}
