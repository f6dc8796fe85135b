//! Which declarations of a repository are the most central ones.
//!
//! Files are nodes. A file leads to another one by each name that it uses and few files
//! declare, so that a random reader who follows names comes by the files that much
//! depends on. Of what they declare the names that led there are the central
//! ones. Targets and what the task speaks of get more of the readers.

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

/// A name that more files declare tells little of which is meant.
const MAX_DECLARERS: usize = 5;

/// The most files that one leads to, the strongest.
const MAX_LINKS: usize = 200;

/// Readers go on with this probability, and else begin anew.
const DAMPING: f64 = 0.85;

/// The steps after which ranks hardly change.
const STEPS: usize = 20;

/// How often readers begin in a test or an example, for once in another file.
const ASIDE: f64 = 0.05;

/// How many files a target counts for, and how many one whose name or whose declaration
/// the task mentions.
const TARGET: f64 = 10.0;
const MENTIONED: f64 = 5.0;

/// For how many names one counts that the task mentions.
const ASKED_FOR: f64 = 10.0;

/// A word such as `value` is in most files the name of something else.
const PLAIN_WORD: f64 = 0.1;

/// The files that may be in a map, in the order in which they are looked into: tests and
/// examples last.
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

/// The central declarations, by the file that each is in and its name, the most central
/// first; none of the targets. `declared` says what the files declare that were looked into.
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

/// A file by its place in the corpus, with what it declares.
pub type FileEntries = (usize, Rc<Vec<Entry>>);

/// What a task mentions.
struct Mentioned<'a> {
    names: HashSet<&'a str>,
    /// The same in small letters.
    stems: HashSet<String>,
}

/// A name that some files declare.
#[derive(Default)]
struct Declared {
    files: Vec<usize>,
    /// What a use of it counts.
    weight: f64,
}

/// What leads from where to where.
struct Graph<'a> {
    corpus: &'a Corpus,
    declared: HashMap<u32, Declared, RandomState>,
    /// How often readers begin in each file.
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

    /// Takes in a declaration of a file.
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

    /// Where a file leads by each name that it uses, and how strongly.
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

    /// How likely a reader is in each file.
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

    /// To which files one leads, as shares of one.
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

    /// How many readers come to each declaration, by the file that it is in and its name.
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

/// How often readers begin in a file.
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

/// Whether a name could as well be a word of any program.
fn is_plain(name: &str) -> bool {
    const LONG: usize = 12;
    name.len() < LONG && name.bytes().all(|b| b.is_ascii_lowercase())
}
