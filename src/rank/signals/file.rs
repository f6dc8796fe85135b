//! What speaks for a file.

use std::collections::HashSet;

use super::super::history::History;
use super::super::question::{Question, Wanted};
use super::super::rows::Rows;
use super::scale::{Scaled, flag, places, scaled_apart, weights};
use crate::index::Links;
use crate::index::corpus::{Corpus, File, nearness, rarity};
use crate::index::kind::Kind;
use crate::index::paths::{folder, name, stem, without_ending};
use crate::index::reading::Counts;
use crate::index::words::each_word;

signals! {
    /// What speaks for a file. Those with a `rank` are shares of the best file's, and once
    /// more by rank (see [`scaled`]).
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
        /// It changed in commits whose messages are like the task.
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
        /// The words of the task that it has at all, by rarity.
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
        /// Its name stands in the task.
        named,
        /// Its name without the ending does.
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
        /// The same of the first line.
        stem_headline,
        target,
        /// A line of it stands in the task, as in a traceback.
        placed,
        /// It is the module in a name such as `package.module.function`.
        module_named,
        /// It is named like a type or a function in the task: `Or` and `or.rs`.
        called,
        /// It is no source, but changes beside it; and which kind of that it is.
        beside,
        changelog,
        document,
        build,
        /// How often commits that changed source took it along, and any file of its kind.
        log_along,
        log_kind_along,
        changelog_nearness,
        document_task_words,
        document_together,
        build_nearness,
        /// A target is of its kind, which is no source.
        kind_of_target,
    }
}

impl FileSignals {
    /// That more speaks for the file than where it lies: words of the task, names of the
    /// targets, history, imports, or its own name; that it is the changelog, or says how the
    /// project is checked.
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

/// What signals are made of.
pub struct Basis<'a> {
    /// The files.
    pub corpus: &'a Corpus,
    /// What is asked.
    pub question: &'a Question,
    /// Where the targets are among the files.
    pub targets: &'a [usize],
    /// What history tells of each file.
    pub histories: &'a [History],
    /// What each file imports.
    pub links: &'a Links,
}

/// Sets scores against one another and hands each on to its signals.
fn set(all: &mut [FileSignals], scores: &[f64], put: impl Fn(&mut FileSignals, Scaled)) {
    let is_beside: Vec<bool> = all.iter().map(|signals| signals.beside > 0.0).collect();
    for (signals, score) in all.iter_mut().zip(scaled_apart(scores, &is_beside)) {
        put(signals, score);
    }
}

impl FileSignals {
    /// The signals of every file.
    pub fn of_all(basis: &Basis<'_>) -> Vec<FileSignals> {
        let mut all = vec![FileSignals::default(); basis.corpus.files.len()];
        // What is no source is set against its own from here on.
        set_beside(basis, &mut all);
        let names = AskedNames::of(basis);
        names.set_words(&mut all);
        names.set_declared_words(&mut all);
        names.set_names(&mut all);
        names.set_uses(&mut all);
        set_path_words(basis, &mut all);
        set_history(basis, &mut all);
        set_links(basis, &mut all);
        set_place(basis, &mut all);
        all.iter_mut().for_each(FileSignals::combine);
        all
    }

    /// Sets the signals that are made of others.
    fn combine(&mut self) {
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

/// The names in each file that are asked for. Most names are of no interest, so the files
/// are gone through once for all signals.
struct AskedNames<'a> {
    basis: &'a Basis<'a>,
    in_files: Vec<Counts>,
    /// How many names each file has in all.
    lengths: Vec<f64>,
}

impl<'a> AskedNames<'a> {
    fn of(basis: &'a Basis<'a>) -> AskedNames<'a> {
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

    /// The words of the task, by BM25.
    fn set_words(&self, all: &mut [FileSignals]) {
        let Basis {
            corpus, question, ..
        } = self.basis;
        let weights = weights(&question.words);
        let texts = self.in_files.iter();
        let rows = Rows::of(
            weights.len(),
            texts.map(|uses| question.count(corpus, uses)),
        );
        set(all, &rows.bm25(&weights, &self.lengths), |s, score| {
            (s.task_words, s.task_words_rank) = (score.share, score.rank);
        });
        set(all, &rows.covered(&rows.rarities(&weights)), |s, score| {
            (s.task_covered, s.task_covered_rank) = (score.share, score.rank);
        });
        set(
            all,
            &rows.bm25(&question.headline, &self.lengths),
            |s, score| {
                (s.headline_words, s.headline_words_rank) = (score.share, score.rank);
            },
        );
        set(
            all,
            &rows.bm25(&question.quoted, &self.lengths),
            |s, score| {
                (s.quoted_words, s.quoted_words_rank) = (score.share, score.rank);
            },
        );
        self.set_telling(all);
    }

    /// The words of the task in what files declare.
    fn set_declared_words(&self, all: &mut [FileSignals]) {
        let Basis {
            corpus, question, ..
        } = self.basis;
        let weights = weights(&question.words);
        let once = |file: &File| -> Counts {
            let names = file.read.declares.iter();
            names.map(|name| (*name, 1)).collect()
        };
        let declared: Vec<Counts> = corpus.files.iter().map(once).collect();
        let texts = declared.iter();
        let rows = Rows::of(
            weights.len(),
            texts.map(|names| question.count(corpus, names)),
        );
        let lengths: Vec<f64> = declared.iter().map(|names| names.len() as f64).collect();
        set(all, &rows.bm25(&weights, &lengths), |s, score| {
            (s.declared_words, s.declared_words_rank) = (score.share, score.rank);
        });
        set(all, &rows.bm25(&question.headline, &lengths), |s, score| {
            s.declared_headline = score.share;
        });
    }

    /// The most telling names of the targets, by BM25.
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

    /// The names in the task, and what targets declare and use.
    fn set_names(&self, all: &mut [FileSignals]) {
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

    /// What the likely parts of the targets declare and use.
    fn set_uses(&self, all: &mut [FileSignals]) {
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

    /// What each file uses of these.
    fn used(&self, wanted: &Wanted) -> Vec<f64> {
        let names = self.in_files.iter();
        names
            .map(|uses| wanted.sum(uses.iter().map(|(name, _)| *name)))
            .collect()
    }

    /// What each file declares of these.
    fn declared(&self, wanted: &Wanted) -> Vec<f64> {
        let files = self.basis.corpus.files.iter();
        files
            .map(|file| wanted.sum(file.read.declares.iter().copied()))
            .collect()
    }

    /// What each file declares of what the targets use.
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

fn set_path_words(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let weights = weights(&basis.question.words);
    let in_paths = places_in_paths(basis.corpus, &basis.question.words);
    let mut with = vec![0; weights.len()];
    for place in in_paths.iter().flatten() {
        with[*place] += 1;
    }
    let files = in_paths.len();
    let scores = |weights: &[f64]| -> Vec<f64> {
        let rarity = |at: &usize| weights[*at] * rarity(with[*at], files);
        let of_path = |places: &Vec<usize>| places.iter().map(rarity).sum();
        in_paths.iter().map(of_path).collect()
    };
    set(all, &scores(&weights), |s, score| {
        (s.path_words, s.path_words_rank) = (score.share, score.rank);
    });
    set(all, &scores(&basis.question.headline), |s, score| {
        s.headline_in_path = score.share;
    });
    let files = basis.corpus.files.iter().zip(&in_paths);
    for (signals, (file, _)) in all.iter_mut().zip(files).filter(|(_, f)| !f.1.is_empty()) {
        set_stem_words(basis, file, signals);
    }
}

/// Which of the words of a file's own name the task has.
fn set_stem_words(basis: &Basis<'_>, file: &File, signals: &mut FileSignals) {
    let Basis {
        corpus, question, ..
    } = basis;
    let (mut all, mut asked, mut in_headline) = (0.0, 0.0, 0.0);
    each_word(stem(file.path.as_str()), |word| {
        let number = corpus.word(word);
        let place = number.and_then(|number| question.words.place(number));
        all += 1.0;
        if let Some(place) = place {
            asked += 1.0;
            in_headline += flag(question.headline[place as usize] > 0.0);
        }
    });
    if all > 0.0 {
        (signals.stem_words, signals.stem_headline) = (asked / all, in_headline / all);
    }
}

fn set_history(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let of_each =
        |value: fn(&History) -> f64| -> Vec<f64> { basis.histories.iter().map(value).collect() };
    set(all, &of_each(|history| history.together), |s, score| {
        (s.together, s.together_rank) = (score.share, score.rank);
    });
    set(all, &of_each(|history| history.messages), |s, score| {
        (s.messages, s.messages_rank) = (score.share, score.rank);
    });
    set(all, &of_each(|history| history.churn), |s, score| {
        (s.churn, s.churn_rank) = (score.share, score.rank);
    });
    for (signals, history) in all.iter_mut().zip(basis.histories) {
        signals.log_together = (1.0 + history.together).ln();
        signals.log_churn = (1.0 + history.churn).ln();
        signals.log_age = (1.0 + history.age / 30.0).ln();
        signals.ever_together = flag(history.times > 0);
    }
}

fn set_links(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let links = basis.links;
    let is_target = among(all.len(), basis.targets.iter().copied());
    let out = linked_from(links, &is_target);
    let into = linking_to(links, &is_target);
    let near_out = linked_from(links, &out);
    let siblings = linking_to(links, &out);
    let beside = linked_from(links, &into);
    let mut importers = vec![0usize; all.len()];
    for to in links.iter().flatten() {
        importers[*to] += 1;
    }
    for (at, signals) in all.iter_mut().enumerate() {
        let has = |set: &[bool]| flag(set[at]);
        signals.target = has(&is_target);
        signals.imported_by_target = has(&out);
        signals.imports_target = has(&into);
        signals.imported_by_imported = has(&near_out);
        signals.imports_imported = has(&siblings);
        signals.imported_by_importer = has(&beside);
        signals.log_importers = (1.0 + importers[at] as f64).ln();
    }
}

/// Where a file lies, and what it is.
fn set_place(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let files = &basis.corpus.files;
    let text = &basis.question.text;
    let targets = || basis.targets.iter().map(|target| &files[*target]);
    let paths: Vec<&str> = targets().map(|file| file.path.as_str()).collect();
    let folders: HashSet<&str> = paths.iter().map(|path| folder(path)).collect();
    let stems: HashSet<&str> = paths.iter().map(|path| stem(path)).collect();
    let languages: HashSet<&str> = targets().map(|file| file.language).collect();
    for (signals, file) in all.iter_mut().zip(files) {
        let path = file.path.as_str();
        let own = &file.facts;
        let named = name(path).len() > 4 && text.contains(&*own.name);
        let stem_named = own.small_stem.len() >= 4 && text.contains(&*own.small_stem);
        signals.nearness = paths.iter().map(|t| nearness(path, t)).fold(0.0, f64::max);
        signals.same_stem = flag(stems.contains(own.stem(path)));
        signals.same_folder = flag(folders.contains(own.folder(path)));
        signals.same_language = flag(languages.contains(file.language));
        signals.test = flag(own.is_test);
        signals.aside = flag(own.is_aside);
        signals.log_size = (file.read.bytes as f64 + 1.0).ln() / 10.0;
        signals.named = flag(named);
        signals.stem_named = flag(stem_named);
        signals.program = flag(own.kind == Kind::Source);
        let mentions = &basis.question.mentions;
        signals.placed = mentions.placed(path);
        signals.module_named = mentions.module(path, |name| declares(basis.corpus, file, name));
        signals.called = flag(mentions.calls_file(path));
    }
}

/// Whether a file declares this name.
fn declares(corpus: &Corpus, file: &File, name: &str) -> bool {
    let number = corpus.name(name);
    number.is_some_and(|number| file.read.declares.binary_search(&number).is_ok())
}

/// What changes beside the source, and how often it does.
fn set_beside(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let files = &basis.corpus.files;
    let targets = basis.targets.iter();
    let kinds: Vec<Kind> = targets.map(|at| files[*at].facts.kind).collect();
    for ((signals, file), history) in all.iter_mut().zip(files).zip(basis.histories) {
        let kind = file.facts.kind;
        if !kind.is_beside() {
            continue;
        }
        signals.beside = 1.0;
        signals.changelog = flag(kind == Kind::Changelog);
        signals.document = flag(kind == Kind::Document);
        signals.build = flag(kind == Kind::Build);
        signals.log_along = (history.along + LEAST_ALONG).ln();
        signals.log_kind_along = (history.kind_along + LEAST_ALONG).ln();
        signals.kind_of_target = flag(kinds.contains(&kind));
    }
}

/// What was never taken along may be once.
const LEAST_ALONG: f64 = 0.005;

/// For each of `all` files whether it is one of these.
fn among(all: usize, files: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut is = vec![false; all];
    files.for_each(|at| is[at] = true);
    is
}

/// For each file whether one of these links to it.
fn linked_from(links: &Links, these: &[bool]) -> Vec<bool> {
    let from = links.iter().zip(these).filter(|(_, is)| **is);
    among(these.len(), from.flat_map(|(to, _)| to.iter().copied()))
}

/// For each file whether it links to one of these.
fn linking_to(links: &Links, these: &[bool]) -> Vec<bool> {
    let links = links.iter();
    links.map(|to| to.iter().any(|to| these[*to])).collect()
}

/// The places of those wanted words that are in the path of each file, in order, each once.
fn places_in_paths(corpus: &Corpus, wanted: &Wanted) -> Vec<Vec<usize>> {
    let vocabulary = &corpus.vocabulary;
    let mut known = vec![None; vocabulary.in_paths.len()];
    for (place, (number, _)) in wanted.all.iter().enumerate() {
        let word = vocabulary.words.name(*number);
        if let Some(number) = vocabulary.in_paths.get(word) {
            known[number as usize] = Some(place);
        }
    }
    let in_path = |file: &File| match &file.facts.words {
        Some(words) => {
            let found = words.iter().filter_map(|word| known[*word as usize]);
            let mut places: Vec<usize> = found.collect();
            places.sort_unstable();
            places
        }
        None => places(corpus, wanted, [without_ending(file.path.as_str())]),
    };
    corpus.files.iter().map(in_path).collect()
}
