//! What is asked: the task and the targets, as words and names.

use std::collections::HashMap;

use super::signals::Seen;
use super::survey::{Counts, Survey};
use super::words::{is_common, names, words};

/// The target's names that are looked for elsewhere: the most telling ones.
const TELLING: usize = 80;

/// The rarity of a name that three of four files have.
const LEAST_RARITY: f64 = 0.3;

/// Names or words that are looked for.
#[derive(Default)]
pub(super) struct Wanted {
    /// Each with its weight.
    pub(super) all: Vec<(u32, f64)>,
    /// The weights as [`exact`] makes them.
    exact: Vec<f64>,
    /// For each number its place among all, counted from 1; 0 for what is not wanted.
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

    /// Where this one is among all that is wanted.
    pub(super) fn place(&self, number: u32) -> Option<u32> {
        self.places[number as usize].checked_sub(1)
    }

    pub(super) fn weight(&self, number: u32) -> f64 {
        self.place(number)
            .map_or(0.0, |place| self.all[place as usize].1)
    }

    /// The weights of what is wanted among these, together.
    pub(super) fn sum(&self, among: impl IntoIterator<Item = u32>) -> f64 {
        let places = among.into_iter().filter_map(|number| self.place(number));
        places.map(|place| self.exact[place as usize]).sum()
    }
}

/// A weight as a multiple of a small fraction: sums of such weights are the same in every
/// order, and that of numbers depends on what was known before.
pub(super) fn exact(weight: f64) -> f64 {
    const FINE: f64 = (1u64 << 32) as f64;
    (weight * FINE).round() / FINE
}

/// What is asked: the words and names of the task and of the targets.
pub(super) struct Question {
    /// Words of the task with their weight in it.
    pub(super) words: Wanted,
    /// By number: whether one of these words is in a name.
    in_name: Vec<bool>,
    /// Names of the task that stand in the repository as they are, with their rarity.
    pub(super) names: Wanted,
    /// The most telling names of the targets.
    pub(super) telling: Wanted,
    /// What the targets declare.
    pub(super) declared: Wanted,
    /// By number: whether the targets use the name.
    pub(super) used: Vec<bool>,
    /// What those parts of the targets declare that the task is likely about.
    pub(super) focus_declared: Wanted,
    /// The names in those parts.
    pub(super) focus_used: Wanted,
    /// The task in small letters.
    pub(super) text: String,
}

impl Question {
    pub(super) fn new(survey: &Survey, task: &str, targets: &[usize]) -> Question {
        let mut asked: Vec<(u32, f64)> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut exact: HashMap<u32, f64> = HashMap::new();
        for (row, line) in task.lines().enumerate() {
            // The title says what it is about.
            let weight = if row == 0 { 1.5 } else { 1.0 };
            for (at, name) in names(line) {
                for word in words(name) {
                    if is_common(&word) {
                        continue;
                    }
                    if let Some(number) = survey.word(&word) {
                        let place = *places.entry(number).or_insert(asked.len());
                        if place == asked.len() {
                            asked.push((number, 0.0));
                        }
                        asked[place].1 += weight;
                    }
                }
                if let Some(number) = survey.name(name)
                    && is_telling(line, at, name)
                {
                    exact.insert(number, survey.rarity(number));
                }
            }
        }
        for (_, weight) in &mut asked {
            *weight = weight.sqrt();
        }
        let mut telling: HashMap<u32, f64> = HashMap::new();
        let mut declared: HashMap<u32, f64> = HashMap::new();
        let numbers = survey.vocabulary.names.len();
        let mut used = vec![false; numbers];
        for target in targets {
            let file = &survey.files[*target];
            for (name, count) in &file.read.uses {
                used[*name as usize] = true;
                let rarity = survey.rarity(*name);
                *telling.entry(*name).or_default() += rarity * (1.0 + f64::from(*count).ln());
            }
            for name in &file.read.declares {
                declared.insert(*name, survey.rarity(*name));
            }
        }
        let mut telling = by_name(survey, telling);
        // A name that is nowhere else leads nowhere, and one that is everywhere too.
        telling.retain(|(name, _)| {
            survey.in_files[*name as usize] > 1 && survey.rarity(*name) > LEAST_RARITY
        });
        telling.sort_by(|a, b| b.1.total_cmp(&a.1));
        telling.truncate(TELLING);
        let words = Wanted::new(asked, survey.vocabulary.words.len());
        let in_name = (0..).take(numbers).map(|name| {
            let mut all = survey.vocabulary.words_of(name).iter();
            all.any(|word| words.place(*word).is_some())
        });
        Question {
            in_name: in_name.collect(),
            words,
            names: Wanted::new(by_name(survey, exact), numbers),
            telling: Wanted::new(telling, numbers),
            declared: Wanted::new(by_name(survey, declared), numbers),
            used,
            focus_declared: Wanted::new(Vec::new(), numbers),
            focus_used: Wanted::new(Vec::new(), numbers),
            text: task.to_lowercase(),
        }
    }

    /// Takes in how likely the change is in each of these parts of the targets.
    pub(super) fn focus(&mut self, survey: &Survey, parts: &[(&Seen, f64)]) {
        let mut declared: HashMap<u32, f64> = HashMap::new();
        let mut used: HashMap<u32, f64> = HashMap::new();
        for (seen, likely) in parts {
            let own = seen.part.names.last().and_then(|name| survey.name(name));
            if let Some(name) = own.filter(|name| survey.in_files[*name as usize] > 1) {
                *declared.entry(name).or_default() += likely * survey.rarity(name);
            }
            for (name, _) in &seen.uses {
                if survey.in_files[*name as usize] > 1 {
                    *used.entry(*name).or_default() += likely * survey.rarity(*name);
                }
            }
        }
        let numbers = survey.vocabulary.names.len();
        self.focus_declared = Wanted::new(by_name(survey, declared), numbers);
        self.focus_used = Wanted::new(by_name(survey, used), numbers);
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

    /// Which words of the task are in these names, with how often each is there.
    pub(super) fn count(&self, survey: &Survey, uses: &Counts) -> impl Iterator<Item = (u32, u32)> {
        let uses = uses.iter();
        let in_name = uses.filter(|(name, _)| self.in_name[*name as usize]);
        in_name.flat_map(|(name, count)| {
            let words = survey.vocabulary.words_of(*name).iter();
            let places = words.filter_map(|word| self.words.place(*word));
            places.map(|place| (place, u32::from(*count)))
        })
    }
}

/// In the order of the names themselves: their numbers depend on what was known before.
fn by_name(survey: &Survey, weights: HashMap<u32, f64>) -> Vec<(u32, f64)> {
    let names = &survey.vocabulary.names;
    let mut weights: Vec<(u32, f64)> = weights.into_iter().collect();
    weights.sort_unstable_by(|a, b| names.name(a.0).cmp(names.name(b.0)));
    weights
}

/// Whether a word of the task is meant as a name: by its form or by its quotes.
fn is_telling(line: &str, at: usize, name: &str) -> bool {
    let inner = name.trim_matches('_');
    let has_hump = inner
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let before = line[..at].chars().next_back();
    let after = line[at + name.len()..].chars().next();
    has_hump
        || name.contains('_')
        || name.bytes().any(|b| b.is_ascii_digit())
        || name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase())
        || matches!(
            before,
            Some('`' | '.' | '$' | '@' | ':' | '\'' | '"' | '/' | '#')
        )
        || matches!(after, Some('`' | '(' | '/' | ':'))
        || at > 0 && name.starts_with(|c: char| c.is_uppercase())
}
