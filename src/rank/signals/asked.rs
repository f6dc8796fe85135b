//! How files use the names that are asked for.

use super::super::question::Wanted;
use super::super::rows::Rows;
use super::file::{Basis, FileSignals, set};
use super::scale::weights;
use crate::index::corpus::{Corpus, File};
use crate::index::reading::Counts;

/// The names in each file that are asked for. Most names are of no interest, so one pass over the
/// files serves all signals.
pub struct AskedNames<'a> {
    basis: &'a Basis<'a>,
    in_files: Vec<Counts>,
    /// How many names each file has in all.
    lengths: Vec<f64>,
}

impl<'a> AskedNames<'a> {
    pub fn of(basis: &'a Basis<'a>) -> AskedNames<'a> {
        let files = &basis.corpus.files;
        let asked = basis.question.asked();
        let of_file = |file: &File| -> Counts {
            let uses = file.read.uses.iter().copied();
            uses.filter(|(name, _)| asked[*name as usize]).collect()
        };
        AskedNames {
            basis,
            in_files: files.iter().map(of_file).collect(),
            lengths: files.iter().map(|file| file.read.length as f64).collect(),
        }
    }

    /// Sets the words of the task, by BM25.
    pub fn set_words(&self, all: &mut [FileSignals]) {
        let Basis {
            corpus, question, ..
        } = self.basis;
        let weights = weights(&question.words);
        let rows = question.rows(corpus, self.in_files.iter());
        let scores = |weights: &[f64]| rows.bm25(weights, &self.lengths);
        set(all, &scores(&weights), |s, score| {
            (s.task_words, s.task_words_rank) = (score.share, score.rank);
        });
        set(all, &rows.covered(&rows.rarities(&weights)), |s, score| {
            (s.task_covered, s.task_covered_rank) = (score.share, score.rank);
        });
        set(all, &scores(&question.headline), |s, score| {
            (s.headline_words, s.headline_words_rank) = (score.share, score.rank);
        });
        set(all, &scores(&question.quoted), |s, score| {
            (s.quoted_words, s.quoted_words_rank) = (score.share, score.rank);
        });
        self.set_telling(all);
    }

    /// Sets the words of the task in what files declare.
    pub fn set_declared_words(&self, all: &mut [FileSignals]) {
        let Basis {
            corpus, question, ..
        } = self.basis;
        let weights = weights(&question.words);
        let once = |file: &File| -> Counts {
            let names = file.read.declares.iter();
            names.map(|name| (*name, 1)).collect()
        };
        let declared: Vec<Counts> = corpus.files.iter().map(once).collect();
        let rows = question.rows(corpus, declared.iter());
        let lengths: Vec<f64> = declared.iter().map(|names| names.len() as f64).collect();
        set(all, &rows.bm25(&weights, &lengths), |s, score| {
            (s.declared_words, s.declared_words_rank) = (score.share, score.rank);
        });
        set(all, &rows.bm25(&question.headline, &lengths), |s, score| {
            s.declared_headline = score.share;
        });
    }

    /// Sets the most telling names of the targets, by BM25.
    fn set_telling(&self, all: &mut [FileSignals]) {
        let question = self.basis.question;
        let telling = &question.telling;
        let told_of = |(name, count): &(u32, u16)| Some((telling.place(*name)?, u32::from(*count)));
        let texts = self.in_files.iter();
        let rows = Rows::of(
            telling.all.len(),
            texts.map(|uses| uses.iter().filter_map(told_of)),
        );
        let ones: Vec<f64> = telling.all.iter().map(|t| t.1.sqrt() / 3.0).collect();
        set(all, &rows.bm25(&ones, &self.lengths), |s, score| {
            (s.target_names, s.target_names_rank) = (score.share, score.rank);
        });
    }

    /// Sets the names in the task, and what targets declare and use.
    pub fn set_names(&self, all: &mut [FileSignals]) {
        let question = self.basis.question;
        set(all, &self.used(&question.names), |s, score| {
            (s.task_names, s.task_names_rank) = (score.share, score.rank);
        });
        set(all, &self.declared(&question.names), |s, score| {
            (s.declares_task_names, s.declares_task_names_rank) = (score.share, score.rank);
        });
        set(all, &self.used(&question.declared), |s, score| {
            (s.uses_targets, s.uses_targets_rank) = (score.share, score.rank);
        });
        set(all, &self.targets_use(), |s, score| {
            (s.targets_use, s.targets_use_rank) = (score.share, score.rank);
        });
    }

    /// Sets what the likely parts of the targets declare and use.
    pub fn set_uses(&self, all: &mut [FileSignals]) {
        let question = self.basis.question;
        let uses_focus = self.used(&question.focus_declared);
        set(all, &uses_focus, |s, score| {
            (s.uses_focus, s.uses_focus_rank) = (score.share, score.rank);
        });
        for (signals, uses) in all.iter_mut().zip(uses_focus) {
            signals.log_uses_focus = (1.0 + uses).ln();
        }
        set(all, &self.declared(&question.focus_used), |s, score| {
            (s.focus_uses, s.focus_uses_rank) = (score.share, score.rank);
        });
        let like_focus = self.used(&question.focus_used).into_iter();
        let like_focus = like_focus.zip(&self.basis.corpus.files);
        let like_focus: Vec<f64> = like_focus
            .map(|(sum, file)| sum / (100.0 + file.read.uses.len() as f64).sqrt())
            .collect();
        set(all, &like_focus, |s, score| {
            (s.like_focus, s.like_focus_rank) = (score.share, score.rank);
        });
    }

    /// Returns what each file uses of these.
    fn used(&self, wanted: &Wanted) -> Vec<f64> {
        let names = self.in_files.iter();
        names
            .map(|uses| wanted.sum(uses.iter().map(|(name, _)| *name)))
            .collect()
    }

    /// Returns what each file declares of these.
    fn declared(&self, wanted: &Wanted) -> Vec<f64> {
        let files = self.basis.corpus.files.iter();
        files
            .map(|file| wanted.sum(file.read.declares.iter().copied()))
            .collect()
    }

    /// Returns what each file declares of what the targets use.
    fn targets_use(&self) -> Vec<f64> {
        let Basis {
            corpus, question, ..
        } = self.basis;
        let of_file = |file: &File| {
            let names = file.read.declares.iter();
            let names = names.filter(|name| question.used[**name as usize]);
            // What many files declare is nobody's in particular.
            let mut rarities: Vec<f64> = names
                .map(|name| corpus.rarity(*name) / f64::from(corpus.files_declaring(*name).max(1)))
                .collect();
            // A sum depends on its order, and that of numbers on what was known before.
            rarities.sort_by(f64::total_cmp);
            rarities.iter().sum()
        };
        corpus.files.iter().map(of_file).collect()
    }
}

/// Whether a file declares this name.
pub fn declares(corpus: &Corpus, file: &File, name: &str) -> bool {
    let number = corpus.name(name);
    number.is_some_and(|number| file.read.declares.binary_search(&number).is_ok())
}
