//! What is asked: the task and the targets, as words and names.

use std::collections::HashMap;

use super::changed::ChangedLines;
use super::mentions::{Mentions, is_telling};
use super::rows::Rows;
use super::telling::{by_name, most_telling, of_words};
use crate::index::corpus::Corpus;
use crate::index::parts::ReadPart;
use crate::index::reading::Counts;
use crate::index::words::names;

/// Names or words that are searched for.
#[derive(Default)]
pub(super) struct Wanted {
    /// Each with its weight.
    pub(super) all: Vec<(u32, f64)>,
    /// The weights as [`exact`] makes them.
    exact: Vec<f64>,
    /// For each number its position among all, counted from 1; 0 for what is not wanted.
    places: Vec<u32>,
}

impl Wanted {
    /// `numbers` is how many numbers there are.
    pub(super) fn new(all: Vec<(u32, f64)>, numbers: usize) -> Wanted {
        let mut places = vec![0; numbers];
        for (place, (number, _)) in (1..).zip(&all) {
            places[*number as usize] = place;
        }
        let exact = all.iter().map(|(_, weight)| exact(*weight)).collect();
        Wanted { all, exact, places }
    }

    /// Returns the position of this one among everything that is wanted.
    pub(super) fn place(&self, number: u32) -> Option<u32> {
        self.places[number as usize].checked_sub(1)
    }

    pub(super) fn weight(&self, number: u32) -> f64 {
        self.place(number)
            .map_or(0.0, |place| self.all[place as usize].1)
    }

    /// Returns the sum of the weights of what is wanted among these.
    pub(super) fn sum(&self, among: impl IntoIterator<Item = u32>) -> f64 {
        let places = among.into_iter().filter_map(|number| self.place(number));
        places.map(|place| self.exact[place as usize]).sum()
    }
}

/// Rounds a weight to a multiple of a small fraction. Sums of such weights are the same in every
/// order, and the order of numbers depends on what was known before.
pub fn exact(weight: f64) -> f64 {
    const FINE: f64 = (1u64 << 32) as f64;
    (weight * FINE).round() / FINE
}

/// What is asked: the words and names of the task and of the targets.
pub struct Question {
    /// Words of the task with their weight in it.
    pub(super) words: Wanted,
    /// What each of these words counts in the first line.
    pub(super) headline: Vec<f64>,
    /// What each of them counts in code or in a program's output.
    pub(super) quoted: Vec<f64>,
    /// By number: whether one of these words is in a name.
    in_name: Vec<bool>,
    /// Names of the task that exist in the repository as they are, with their rarity.
    pub(super) names: Wanted,
    /// The most telling names of the targets.
    pub(super) telling: Wanted,
    /// What the targets declare.
    pub(super) declared: Wanted,
    /// By number: whether the targets use the name.
    pub(super) used: Vec<bool>,
    /// What those parts of the targets declare that the task is probably about.
    pub(super) focus_declared: Wanted,
    /// The names in those parts.
    pub(super) focus_used: Wanted,
    /// Names that a change removed from all files that it changed, and that others still have.
    pub(super) left_behind: Vec<u32>,
    /// What the task points to.
    pub(super) mentions: Mentions,
    /// The task in lower case.
    pub(super) text: String,
}

impl Question {
    /// Makes the question that this task asks of a corpus, with these files as its targets, and
    /// with what the lines of a change and all files that it changed say.
    pub fn new(
        corpus: &Corpus,
        task: &str,
        targets: &[usize],
        change: Option<(&ChangedLines<'_>, &[usize])>,
    ) -> Question {
        let mut of_task = OfTask::of(corpus, task);
        let mut of_targets = OfTargets::of(corpus, targets);
        let mut left_behind = Vec::new();
        if let Some((lines, changed)) = change {
            left_behind = lines.left_behind(corpus, changed);
            of_task.take_in(corpus, lines.words(corpus), &left_behind);
            of_targets.telling = lines.telling(corpus, &of_targets.telling);
        }
        let numbers = corpus.vocabulary.names.len();
        let words = Wanted::new(of_task.words, corpus.vocabulary.words.len());
        let in_name = (0..).take(numbers).map(|name| {
            let mut all = corpus.vocabulary.words_of(name).iter();
            all.any(|word| words.place(*word).is_some())
        });
        Question {
            in_name: in_name.collect(),
            words,
            headline: of_task.headline,
            quoted: of_task.quoted,
            names: Wanted::new(by_name(corpus, of_task.names), numbers),
            telling: Wanted::new(of_targets.telling, numbers),
            declared: Wanted::new(by_name(corpus, of_targets.declared), numbers),
            used: of_targets.used,
            focus_declared: Wanted::new(Vec::new(), numbers),
            focus_used: Wanted::new(Vec::new(), numbers),
            left_behind,
            mentions: Mentions::of(task).among(corpus.files.iter().map(|file| file.path.as_str())),
            text: task.to_lowercase(),
        }
    }

    /// Takes in how likely the change is in each of these parts of the targets.
    pub fn focus(&mut self, corpus: &Corpus, parts: &[(&ReadPart, f64)]) {
        let mut declared: HashMap<u32, f64> = HashMap::new();
        let mut used: HashMap<u32, f64> = HashMap::new();
        for (read, likely) in parts {
            let own = read.part.names.last().and_then(|name| corpus.name(name));
            if let Some(name) = own.filter(|name| corpus.files_with(*name) > 1) {
                *declared.entry(name).or_default() += likely * corpus.rarity(name);
            }
            for (name, _) in &read.uses {
                if corpus.files_with(*name) > 1 {
                    *used.entry(*name).or_default() += likely * corpus.rarity(*name);
                }
            }
        }
        let numbers = corpus.vocabulary.names.len();
        self.focus_declared = Wanted::new(by_name(corpus, declared), numbers);
        self.focus_used = Wanted::new(by_name(corpus, used), numbers);
    }

    /// By number: whether anything here asks for the name.
    pub(super) fn asked(&self) -> Vec<bool> {
        let mut asked = self.in_name.clone();
        let wanted = [
            &self.names,
            &self.telling,
            &self.declared,
            &self.focus_declared,
            &self.focus_used,
        ];
        for (name, _) in wanted.into_iter().flat_map(|wanted| &wanted.all) {
            asked[*name as usize] = true;
        }
        asked
    }

    /// Returns which words of the task are in each of these texts, by the names in them.
    pub(super) fn rows<'a>(
        &self,
        corpus: &Corpus,
        texts: impl Iterator<Item = &'a Counts>,
    ) -> Rows {
        let words = self.words.all.len();
        Rows::of(words, texts.map(|uses| self.count(corpus, uses)))
    }

    /// Returns which words of the task are in these names, with how often each appears.
    fn count(&self, corpus: &Corpus, uses: &Counts) -> impl Iterator<Item = (u32, u32)> {
        let uses = uses.iter();
        let in_name = uses.filter(|(name, _)| self.in_name[*name as usize]);
        in_name.flat_map(|(name, count)| {
            let words = corpus.vocabulary.words_of(*name).iter();
            let places = words.filter_map(|word| self.words.place(*word));
            places.map(|place| (place, u32::from(*count)))
        })
    }
}

/// What a task says.
#[derive(Default)]
struct OfTask {
    /// Its words that are in the names of the corpus, with their weight.
    words: Vec<(u32, f64)>,
    /// For each of them, what it counts in the first line, and in code.
    headline: Vec<f64>,
    quoted: Vec<f64>,
    /// The names in it that exist in the corpus as they are, with their rarity.
    names: HashMap<u32, f64>,
}

impl OfTask {
    fn of(corpus: &Corpus, task: &str) -> OfTask {
        let mut all = OfTask::default();
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut code = Code::default();
        for (row, line) in task.trim_start().lines().enumerate() {
            let is_code = code.has(line);
            for (at, name) in names(line) {
                for number in of_words(corpus, name) {
                    let place = *places.entry(number).or_insert(all.words.len());
                    all.count(place, number, row, is_code);
                }
                if let Some(number) = corpus.name(name)
                    && is_telling(line, at, name)
                {
                    all.names.insert(number, corpus.rarity(number));
                }
            }
        }
        let counts = all.words.iter_mut().map(|(_, weight)| weight);
        for count in counts.chain(&mut all.headline).chain(&mut all.quoted) {
            *count = count.sqrt();
        }
        all
    }

    /// Takes in what the lines of a change say: their words, and names that others still use, as if
    /// the task had these names.
    fn take_in(&mut self, corpus: &Corpus, words: Vec<(u32, f64)>, names: &[u32]) {
        let places = self.words.iter().map(|(word, _)| *word).zip(0..);
        let places: HashMap<u32, usize> = places.collect();
        for (word, weight) in words {
            if let Some(place) = places.get(&word) {
                self.words[*place].1 += weight;
            } else {
                self.words.push((word, weight));
                self.headline.push(0.0);
                self.quoted.push(0.0);
            }
        }
        let names = names.iter();
        self.names
            .extend(names.map(|name| (*name, corpus.rarity(*name))));
    }

    /// Counts a word of a line once more, which is the one at `place` among all.
    fn count(&mut self, place: usize, number: u32, row: usize, is_code: bool) {
        if place == self.words.len() {
            self.words.push((number, 0.0));
            self.headline.push(0.0);
            self.quoted.push(0.0);
        }
        // The title says what it is about.
        self.words[place].1 += if row == 0 { 1.5 } else { 1.0 };
        self.headline[place] += if row == 0 { 1.0 } else { 0.0 };
        self.quoted[place] += if is_code { 1.0 } else { 0.0 };
    }
}

/// Which lines of a task are code, or output of a program.
#[derive(Default)]
struct Code {
    in_fence: bool,
}

impl Code {
    fn has(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        self.in_fence ^= is_fence;
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        !is_fence && (self.in_fence || is_indented || text.starts_with(">>>"))
    }
}

/// The names of the targets.
struct OfTargets {
    /// The most telling ones, the most telling first.
    telling: Vec<(u32, f64)>,
    declared: HashMap<u32, f64>,
    /// By number: whether they use the name.
    used: Vec<bool>,
}

impl OfTargets {
    fn of(corpus: &Corpus, targets: &[usize]) -> OfTargets {
        let mut telling: HashMap<u32, f64> = HashMap::new();
        let mut declared: HashMap<u32, f64> = HashMap::new();
        let mut used = vec![false; corpus.vocabulary.names.len()];
        for target in targets {
            let read = &corpus.files[*target].read;
            for (name, count) in &read.uses {
                used[*name as usize] = true;
                let rarity = corpus.rarity(*name);
                *telling.entry(*name).or_default() += rarity * (1.0 + f64::from(*count).ln());
            }
            let names = read.declares.iter();
            declared.extend(names.map(|name| (*name, corpus.rarity(*name))));
        }
        OfTargets {
            telling: most_telling(corpus, telling),
            declared,
            used,
        }
    }
}
