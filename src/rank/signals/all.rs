//! The signals of every file: what its path, its history, its imports and its location say.

use std::collections::{HashMap, HashSet};

use super::super::history::History;
use super::super::question::Wanted;
use super::asked::{AskedNames, declares};
use super::file::{Basis, FileSignals, set};
use super::scale::{flag, places, weights};
use crate::index::Links;
use crate::index::corpus::{Corpus, File, nearness, rarity};
use crate::index::kind::Kind;
use crate::index::paths::{PathFacts, stem, telling};
use crate::index::words::each_word;
use crate::split::{folder, name};

impl FileSignals {
    /// Returns the signals of every file.
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
        set_called(basis, &mut all);
        all.iter_mut().for_each(FileSignals::combine);
        all
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

/// Sets which of the words of a file's own name the task has.
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

/// Sets where a file lies, and what it is.
fn set_place(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let files = &basis.corpus.files;
    let targets = || basis.targets.iter().map(|target| &files[*target]);
    let paths: Vec<&str> = targets().map(|file| file.path.as_str()).collect();
    let folders: HashSet<&str> = paths.iter().map(|path| folder(path)).collect();
    let languages: HashSet<&str> = targets().map(|file| file.language).collect();
    // Whoever works on an example needs others.
    let is_aside_too = targets().any(|file| file.facts.is_aside);
    for (signals, file) in all.iter_mut().zip(files) {
        let path = file.path.as_str();
        let own = &file.facts;
        signals.nearness = paths.iter().map(|t| nearness(path, t)).fold(0.0, f64::max);
        let is_like = |of: &File| own.is_named_like(path, &of.facts, of.path.as_str());
        signals.same_stem = flag(targets().any(is_like));
        signals.same_folder = flag(folders.contains(own.folder(path)));
        signals.same_language = flag(languages.contains(file.language));
        signals.test = flag(own.is_test);
        signals.aside = flag(own.is_aside && !is_aside_too);
        signals.log_size = (file.read.bytes as f64 + 1.0).ln() / 10.0;
        signals.program = flag(own.kind == Kind::Source);
    }
}

/// Returns the name of a file with that of its folder.
fn tail(path: &str) -> &str {
    let folder = folder(path);
    &path[folder.len() - name(folder).len()..]
}

/// Sets which files the task names; the more files share a name, the less sure it is.
fn set_called(basis: &Basis<'_>, all: &mut [FileSignals]) {
    let (question, files) = (basis.question, &basis.corpus.files);
    let mentions = &question.mentions;
    let named = |own: &PathFacts| own.name.len() > 4 && question.text.contains(&*own.name);
    let stem_named =
        |own: &PathFacts| own.small_stem.len() >= 4 && question.text.contains(&*own.small_stem);
    let found = files.iter().map(|file| {
        let called = mentions.calls_file(file.path.as_str());
        (named(&file.facts), stem_named(&file.facts), called)
    });
    let found: Vec<(bool, bool, bool)> = found.collect();
    // Few files are named, and who has the same name is.
    let (mut names, mut tails, mut stems) = (HashMap::new(), HashMap::new(), HashMap::new());
    for (file, (named, stem_named, called)) in files.iter().zip(&found) {
        let own = &file.facts;
        if *named {
            *names.entry(&*own.name).or_default() += 1.0;
            *tails.entry(tail(file.path.as_str())).or_default() += 1.0;
        }
        if *stem_named || *called {
            // Its test is called as a file is, and takes nothing from that.
            *stems.entry(&*own.small_stem).or_default() += flag(!own.is_test);
        }
    }
    let has = |path: &str| question.text.contains(&path.to_lowercase());
    let of_all = |count: Option<&f64>| 1.0 / count.map_or(1.0, |count| count.max(1.0));
    for ((signals, file), (named, stem_named, called)) in all.iter_mut().zip(files).zip(found) {
        let (path, own) = (file.path.as_str(), &file.facts);
        let by_stem = |is: bool| {
            let files = is.then(|| stems.get(&*own.small_stem));
            files.map_or(0.0, of_all)
        };
        signals.named = match named {
            false => 0.0,
            true if has(path) => 1.0,
            true if has(tail(path)) => of_all(tails.get(tail(path))),
            true => of_all(names.get(&*own.name)),
        };
        signals.stem_named = by_stem(stem_named);
        signals.called = by_stem(called);
        signals.placed = mentions.placed(path);
        signals.module_named = mentions.module(path, |name| declares(basis.corpus, file, name));
    }
}

/// Sets what changes beside the source, and how often it does.
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

/// A file that never changed along with source may do so once.
const LEAST_ALONG: f64 = 0.005;

/// For each of `all` files, returns whether it is one of these.
fn among(all: usize, files: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut is = vec![false; all];
    files.for_each(|at| is[at] = true);
    is
}

/// For each file, returns whether one of these links to it.
fn linked_from(links: &Links, these: &[bool]) -> Vec<bool> {
    let from = links.iter().zip(these).filter(|(_, is)| **is);
    among(these.len(), from.flat_map(|(to, _)| to.iter().copied()))
}

/// For each file, returns whether it links to one of these.
fn linking_to(links: &Links, these: &[bool]) -> Vec<bool> {
    let links = links.iter();
    links.map(|to| to.iter().any(|to| these[*to])).collect()
}

/// Returns the positions of the wanted words in the path of each file, in order, each once.
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
        None => places(corpus, wanted, [telling(file.path.as_str())]),
    };
    corpus.files.iter().map(in_path).collect()
}
