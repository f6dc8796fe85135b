//! What speaks for a file, and what that is computed from.

use super::super::history::History;
use super::super::question::Question;
use super::scale::{Scaled, flag, scaled_apart};
use crate::index::Links;
use crate::index::corpus::Corpus;

signals! {
    /// What speaks for a file. Signals with a `rank` are shares of the best file's, and once more
    /// by rank (see [`scaled`]).
    FileSignals {
        /// Words of the task in it, by BM25.
        task_words,
        task_words_rank,
        /// Names of the targets in it, by BM25.
        target_names,
        target_names_rank,
        /// Words of the task in its path.
        path_words,
        path_words_rank,
        /// Names in the task that it uses.
        task_names,
        task_names_rank,
        /// Names in the task that it declares.
        declares_task_names,
        declares_task_names_rank,
        /// It uses what targets declare.
        uses_targets,
        uses_targets_rank,
        /// It declares what targets use.
        targets_use,
        targets_use_rank,
        /// It changed together with targets.
        together,
        together_rank,
        /// It changed in commits with messages like the task.
        messages,
        messages_rank,
        /// It changes often.
        churn,
        churn_rank,
        /// It uses what the likely parts of the targets declare.
        uses_focus,
        uses_focus_rank,
        /// It declares what these use.
        focus_uses,
        focus_uses_rank,
        /// It uses what these use.
        like_focus,
        like_focus_rank,
        /// The words of the task that appear in it, by rarity.
        task_covered,
        task_covered_rank,
        imported_by_target,
        imports_target,
        /// Imported by what a target imports.
        imported_by_imported,
        /// Imports what a target imports.
        imports_imported,
        /// Imported by what imports a target.
        imported_by_importer,
        same_stem,
        same_folder,
        nearness,
        same_language,
        test,
        /// Docs, examples, fixtures.
        aside,
        log_size,
        /// Its name is in the task.
        named,
        /// Its name without the extension is.
        stem_named,
        log_together,
        log_churn,
        log_age,
        log_importers,
        test_same_stem,
        test_imports_target,
        test_task_words,
        /// In a programming language.
        program,
        ever_together,
        task_words_and_together,
        test_uses_targets,
        log_uses_focus,
        /// Words of the task's first line in it, by BM25.
        headline_words,
        headline_words_rank,
        /// Words of the code in the task.
        quoted_words,
        quoted_words_rank,
        /// Words of the task in what it declares.
        declared_words,
        declared_words_rank,
        /// Words of the first line in what it declares.
        declared_headline,
        headline_in_path,
        /// The share of the words of its own name that the task has.
        stem_words,
        /// The same for the first line.
        stem_headline,
        target,
        /// A line of it is in the task, as in a traceback.
        placed,
        /// It is the module in a name such as `package.module.function`.
        module_named,
        /// It is named like a type or a function in the task: `Or` and `or.rs`.
        called,
        /// It is not source, but changes beside it; and which kind of such file it is.
        beside,
        changelog,
        document,
        build,
        /// How often commits that changed source also changed it, and any file of its kind.
        log_along,
        log_kind_along,
        changelog_nearness,
        document_task_words,
        document_together,
        build_nearness,
        /// A target is of its kind, which is not source.
        kind_of_target,
    }
}

impl FileSignals {
    /// Whether more speaks for the file than its location: words of the task, names of the targets,
    /// history, imports, or its own name; or that it is the changelog, or says how the project is
    /// checked.
    pub fn speak(&self) -> bool {
        [
            self.task_words,
            self.target_names,
            self.path_words,
            self.task_names,
            self.declares_task_names,
            self.uses_targets,
            self.targets_use,
            self.together,
            self.messages,
            self.imported_by_target,
            self.imports_target,
            self.same_stem,
            self.named,
            self.stem_named,
            self.changelog,
            self.build,
        ]
        .into_iter()
        .any(|signal| signal > 0.0)
    }
}

/// What signals are computed from.
pub struct Basis<'a> {
    /// The files.
    pub corpus: &'a Corpus,
    /// What is asked.
    pub question: &'a Question,
    /// The indices of the targets among the files.
    pub targets: &'a [usize],
    /// What history says about each file.
    pub histories: &'a [History],
    /// What each file imports.
    pub links: &'a Links,
}
/// Sets scores in relation to each other and hands each on to its signals.
pub fn set(all: &mut [FileSignals], scores: &[f64], put: impl Fn(&mut FileSignals, Scaled)) {
    let is_beside: Vec<bool> = all.iter().map(|signals| signals.beside > 0.0).collect();
    for (signals, score) in all.iter_mut().zip(scaled_apart(scores, &is_beside)) {
        put(signals, score);
    }
}
impl FileSignals {
    /// Sets the signals that are computed from others.
    pub fn combine(&mut self) {
        self.test_same_stem = flag(self.test > 0.0 && self.same_stem > 0.0);
        self.test_imports_target = self.test * self.imports_target;
        self.test_task_words = self.test * self.task_words;
        self.task_words_and_together = self.task_words * self.together;
        self.test_uses_targets = self.test * self.uses_targets;
        self.changelog_nearness = self.changelog * self.nearness;
        self.document_task_words = self.document * self.task_words;
        self.document_together = self.document * self.together;
        self.build_nearness = self.build * self.nearness;
    }
}
