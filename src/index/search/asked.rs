//! What is searched for: the words and names of the task, and the names of the targets.

use std::collections::HashMap;

use super::super::words::{each_word, is_common, names};
use super::terms::{Term, Terms, of_name, of_word};

/// How much a word counts that is in the first line of a task, which says what it is about.
const HEADLINE: f64 = 1.5;

/// The most terms of a task, and of all targets together.
const MOST_OF_TASK: usize = 2000;
const MOST_OF_TARGETS: usize = 8000;

/// Why a term is searched for.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Why {
    /// How much it counts as a word of the task.
    pub word: f64,
    /// It is a name in the task.
    pub is_named: bool,
    /// How often the targets use it.
    pub used: u32,
    /// The targets declare it.
    pub is_declared: bool,
}

/// Everything that is searched for.
#[derive(Default)]
pub struct Asked {
    /// The terms, each once.
    pub all: Vec<(Term, Why)>,
    places: HashMap<Term, u32>,
}

impl Asked {
    /// Returns what a task asks, with targets that have these terms.
    pub fn of(task: &str, targets: &[Terms]) -> Asked {
        let mut asked = Asked::default();
        for (row, line) in task.trim_start().lines().enumerate() {
            asked.line(line, if row == 0 { HEADLINE } else { 1.0 });
        }
        for (_, why) in &mut asked.all {
            why.word = why.word.sqrt();
        }
        let most = asked.all.len() + MOST_OF_TARGETS;
        for (term, times) in targets.iter().flat_map(|terms| &terms.names) {
            if let Some(why) = asked.why(*term, most) {
                why.used += times.count();
                why.is_declared |= times.declares();
            }
        }
        asked
    }

    /// Takes in a line of the task.
    fn line(&mut self, line: &str, counts: f64) {
        for (_, name) in names(line) {
            let mut tells = false;
            each_word(name, |word| {
                if is_common(word) {
                    return;
                }
                tells = true;
                if let Some(why) = self.why(of_word(word), MOST_OF_TASK) {
                    why.word += counts;
                }
            });
            if tells && let Some(why) = self.why(of_name(name), MOST_OF_TASK) {
                why.is_named = true;
            }
        }
    }

    /// Returns why a term is asked for. A new one is added as long as there are fewer than `most`.
    fn why(&mut self, term: Term, most: usize) -> Option<&mut Why> {
        let next = self.all.len();
        let at = match self.places.get(&term) {
            Some(at) => *at as usize,
            None if next < most => {
                self.places.insert(term, u32::try_from(next).ok()?);
                self.all.push((term, Why::default()));
                next
            }
            None => return None,
        };
        Some(&mut self.all[at].1)
    }

    /// Returns the index of a term, if it is asked for.
    pub fn place(&self, term: Term) -> Option<u32> {
        self.places.get(&term).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::TermReader;
    use super::*;

    #[test]
    fn a_task_asks_for_words_and_names_and_a_target_for_names() {
        let target = TermReader::default().read("fn draw_line() { plot(); plot(); }");
        let asked = Asked::of("Fix the parser\nparse_all fails", &[target]);
        let why = |term| asked.place(term).map(|at| asked.all[at as usize].1.clone());
        let word = |stem| why(of_word(stem)).map(|why| why.word);
        assert_eq!(word("parser"), Some(HEADLINE.sqrt()));
        assert_eq!(word("pars"), Some(1.0));
        assert_eq!(word("the"), None);
        assert!(why(of_name("parse_all")).unwrap().is_named);
        assert_eq!(why(of_name("plot")).unwrap().used, 2);
        assert!(why(of_name("draw_line")).unwrap().is_declared);
        assert_eq!(why(of_word("plot")), None);
    }

    #[test]
    fn there_is_an_end_to_what_a_task_asks() {
        let task: Vec<String> = (0..10_000).map(|n| format!("name{n}x")).collect();
        assert_eq!(Asked::of(&task.join(" "), &[]).all.len(), MOST_OF_TASK);
    }
}
