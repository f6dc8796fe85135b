//! What a change is about, by its lines.
//!
//! A changed file is large, and the change is a few lines of it. A reviewer needs what relates to
//! these lines: what uses the functions that they are in, what has the same names, and above all
//! what still uses a name that is gone.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::FileParts;
use super::mentions::is_telling;
use super::telling::{most_telling, of_words};
use crate::index::corpus::Corpus;
use crate::index::parts::ReadPart;
use crate::index::reading::declares;
use crate::index::words::names;

/// The most words that are searched for besides those of the task, the most frequent first.
const MOST_WORDS: usize = 60;

/// A name that more files have is not gone: only one use of it was removed.
const MOST_HAVING: u32 = 8;

/// Keywords that appear where names do, before a bracket or a colon.
const KEYWORDS: [&str; 22] = [
    "if", "while", "for", "switch", "match", "catch", "return", "sizeof", "else", "try", "finally",
    "except", "default", "lambda", "super", "self", "this", "None", "True", "False", "import",
    "require",
];

/// The lines of source that a change removed and added.
#[derive(Debug, Default)]
pub struct ChangedLines<'a> {
    /// The removed lines.
    pub gone: Vec<&'a str>,
    /// The added lines.
    pub new: Vec<&'a str>,
}

impl<'a> ChangedLines<'a> {
    /// Returns the lines of these diffs, at most this many.
    pub fn of(diffs: impl Iterator<Item = &'a str>, most: usize) -> ChangedLines<'a> {
        let in_hunks = |diff: &'a str| diff.lines().skip_while(|line| !line.starts_with("@@"));
        let mut lines = ChangedLines::default();
        for line in diffs.flat_map(in_hunks).take(most) {
            if let Some(line) = line.strip_prefix('-') {
                lines.gone.push(line);
            } else if let Some(line) = line.strip_prefix('+') {
                lines.new.push(line);
            }
        }
        lines
    }

    fn all(&self) -> impl Iterator<Item = &'a str> {
        self.gone.iter().chain(&self.new).copied()
    }

    /// Returns the names that it removed and did not add again: those that a task would mean as
    /// names, and declared names. Keywords and words of comments do not count. Each name comes with
    /// whether its declaration was removed.
    pub fn gone_names(&self) -> HashMap<&'a str, bool> {
        let new = self.new.iter().flat_map(|line| names(line));
        let new: HashSet<&str> = new.map(|(_, name)| name).collect();
        let mut gone = HashMap::new();
        for line in &self.gone {
            let mut is_declared = false;
            for (at, name) in names(line) {
                let is_name = is_declared || is_telling(line, at, name);
                if is_name && !KEYWORDS.contains(&name) && !new.contains(name) {
                    *gone.entry(name).or_default() |= is_declared;
                }
                is_declared = declares(name);
            }
        }
        gone
    }

    /// Returns those of them that other files still have, while none of these changed files does. A
    /// name whose declaration is gone from the whole repository also counts if a changed file still
    /// uses it.
    pub(super) fn left_behind(&self, corpus: &Corpus, changed: &[usize]) -> Vec<u32> {
        let is_used = |name: u32| {
            let mut changed = changed.iter().map(|at| &corpus.files[*at].read.uses);
            changed.any(|uses| uses.binary_search_by_key(&name, |it| it.0).is_ok())
        };
        let is_left = |name: u32, was_declared: bool| {
            let is_lost = was_declared && corpus.files_declaring(name) == 0;
            corpus.files_with(name) <= MOST_HAVING && (is_lost || !is_used(name))
        };
        let gone = self.gone_names().into_iter();
        let gone = gone.filter_map(|(name, was_declared)| Some((corpus.name(name)?, was_declared)));
        let left = gone.filter(|(name, was_declared)| is_left(*name, *was_declared));
        left.map(|(name, _)| name).collect()
    }

    /// Returns the words of the lines with their weight. The most frequent one counts as much as a
    /// word that a task has once.
    pub(super) fn words(&self, corpus: &Corpus) -> Vec<(u32, f64)> {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for (_, name) in self.all().flat_map(names) {
            for word in of_words(corpus, name) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let most = f64::from(counts.values().copied().max().unwrap_or(1));
        let mut words: Vec<(u32, u32)> = counts.into_iter().collect();
        // Numbers depend on what was known before.
        let text = |word: u32| corpus.vocabulary.words.name(word);
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| text(a.0).cmp(text(b.0))));
        words.truncate(MOST_WORDS);
        let words = words.into_iter();
        let weighed = words.map(|(word, count)| (word, (f64::from(count) / most).sqrt()));
        weighed.collect()
    }

    /// Returns the most telling names of the lines and, with the same total weight, of these
    /// changed files.
    pub(super) fn telling(&self, corpus: &Corpus, of_files: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut weights: HashMap<u32, f64> = HashMap::new();
        let names = self.all().flat_map(names);
        for name in names.filter_map(|(_, name)| corpus.name(name)) {
            *weights.entry(name).or_default() += 1.0;
        }
        for (name, count) in &mut weights {
            *count = corpus.rarity(*name) * count.ln_1p() / 2.0;
        }
        for (name, weight) in of_files {
            *weights.entry(*name).or_default() += weight / 2.0;
        }
        most_telling(corpus, weights)
    }
}

/// Returns how much a change touched each part of these files, by the square root of the number of
/// lines; all parts together count as much as there are files. The lines are given by the index of
/// their file. `None` if the change touched no part.
#[expect(clippy::cast_precision_loss, reason = "files and lines of a change")]
pub fn touched<'a, 'b>(
    files: &'a [FileParts],
    lines: impl Fn(usize) -> &'b [Range<usize>],
) -> Vec<(&'a ReadPart, f64)> {
    let mut touched = Vec::new();
    for (at, parts) in files {
        let changed = lines(*at);
        for read in parts {
            let own = &read.part.lines;
            let common =
                |it: &Range<usize>| it.end.min(own.end).saturating_sub(it.start.max(own.start));
            let count: usize = changed.iter().map(common).sum();
            if count > 0 {
                touched.push((read, (count as f64).sqrt()));
            }
        }
    }
    let total: f64 = touched.iter().map(|(_, share)| share).sum();
    for (_, share) in &mut touched {
        *share *= files.len() as f64 / total;
    }
    touched
}

#[cfg(test)]
mod tests {
    use super::super::question::Question;
    use super::*;
    use crate::index::corpus::tests::of_texts;
    use crate::syntax::parts::Part;

    const DIFF: &str = "--- a/src/total.rs\n+++ b/src/total.rs\n@@ -1,2 +1,2 @@\n \
                        struct Total;\n-fn old_total(pen: Pen) {}\n+fn new_total(pen: Pen) {}\n";

    fn names_of(corpus: &Corpus, names: &[u32]) -> Vec<String> {
        let text = |name: &u32| corpus.vocabulary.names.name(*name).to_owned();
        let mut names: Vec<String> = names.iter().map(text).collect();
        names.sort();
        names
    }

    #[test]
    fn the_lines_of_a_change_are_those_with_a_sign_in_its_hunks() {
        let lines = ChangedLines::of([DIFF].into_iter(), 100);
        assert_eq!(lines.gone, ["fn old_total(pen: Pen) {}"]);
        assert_eq!(lines.new, ["fn new_total(pen: Pen) {}"]);
        assert!(ChangedLines::of([DIFF].into_iter(), 2).gone.is_empty());
        assert_eq!(lines.gone_names(), HashMap::from([("old_total", true)]));
    }

    #[test]
    fn a_name_is_left_behind_where_others_have_it_still() {
        let lines = ChangedLines::of([DIFF].into_iter(), 100);
        let here = ("src/total.rs", "struct Total;\nfn new_total(pen: Pen) {}\n");
        let user = ("src/user.rs", "fn sums() { old_total(Pen) }\n");
        let corpus = of_texts(&[here, user]);
        let left = lines.left_behind(&corpus, &[0]);
        assert_eq!(names_of(&corpus, &left), ["old_total"]);

        // Declared no longer, whoever of those that changed goes on using it.
        let still = ("src/total.rs", "struct Total;\nfn all() { old_total() }\n");
        assert_eq!(lines.left_behind(&of_texts(&[still, user]), &[0]).len(), 1);
        let declared = ("src/user.rs", "fn old_total() {}\n");
        assert!(
            lines
                .left_behind(&of_texts(&[still, declared]), &[0])
                .is_empty()
        );
        let call = ChangedLines::of(["@@ -1 +1 @@\n-old_total(Pen)\n+Pen\n"].into_iter(), 100);
        assert!(call.left_behind(&of_texts(&[still, user]), &[0]).is_empty());
        assert_eq!(call.left_behind(&of_texts(&[here, user]), &[0]).len(), 1);

        let paths: Vec<String> = (0..=MOST_HAVING)
            .map(|n| format!("src/user{n}.rs"))
            .collect();
        let many = paths.iter().map(|path| (path.as_str(), user.1));
        let many: Vec<_> = std::iter::once(here).chain(many).collect();
        assert!(lines.left_behind(&of_texts(&many), &[0]).is_empty());
        assert_eq!(
            lines
                .left_behind(&of_texts(&many[..many.len() - 1]), &[0])
                .len(),
            1
        );
    }

    #[test]
    fn words_of_a_language_or_a_remark_are_no_names_that_are_gone() {
        let diff = "@@ -1,5 +1,1 @@\n-import pens from shapes # draws every one\n-while (draws):\n\
                    -    try:\n-def sums(): pass\n+pass\n";
        let lines = ChangedLines::of([diff].into_iter(), 100);
        assert_eq!(lines.gone_names(), HashMap::from([("sums", true)]));
    }

    #[test]
    fn a_change_asks_for_its_words_and_for_what_it_left_behind() {
        let texts = [
            ("src/total.rs", "struct Total;\nfn new_total(pen: Pen) {}\n"),
            ("src/user.rs", "fn sums() { old_total(Pen) }\n"),
            ("src/other.rs", "fn draws() { pen() }\n"),
        ];
        let corpus = of_texts(&texts);
        let lines = ChangedLines::of([DIFF].into_iter(), 100);
        let asked = |lines| {
            let change = Option::map(lines, |lines| (lines, &[0][..]));
            Question::new(&corpus, "Mend it", &[0], change)
        };
        let has_word = |question: &Question, word: &str| {
            let word = corpus.word(word);
            word.is_some_and(|word| question.words.place(word).is_some())
        };
        let old = corpus.name("old_total").unwrap();
        let (without, with) = (asked(None), asked(Some(&lines)));
        assert!(!has_word(&without, "total") && has_word(&with, "total"));
        assert!(without.names.place(old).is_none() && with.names.place(old).is_some());
        assert_eq!(with.left_behind, [old]);
    }

    #[test]
    fn a_part_is_touched_by_the_root_of_its_lines_that_changed() {
        let part = |lines| ReadPart::new(Part::rest(lines), &[], Vec::new());
        let files = [
            (3, vec![part(0..10), part(10..20)]),
            (5, vec![part(0..10), part(10..12)]),
        ];
        let (first, second) = (8..14, 11..13);
        let of_file = |at: usize| std::slice::from_ref(if at == 3 { &first } else { &second });
        let found = touched(&files, of_file);
        let found: Vec<_> = found
            .iter()
            .map(|(read, share)| (read.part.lines.clone(), *share))
            .collect();
        let total = 2f64.sqrt() + 4f64.sqrt() + 1.0;
        let shares = [2f64.sqrt(), 2.0, 1.0].map(|root| root * 2.0 / total);
        assert_eq!(
            found,
            [(0..10, shares[0]), (10..20, shares[1]), (10..12, shares[2])]
        );
        assert!(touched(&files, |_| &[]).is_empty());
    }
}
