//! What speaks for each file and for each part of a file, as numbers.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::history::Told;
use super::links::Links;
use super::paths::{folder, is_program, name, stem, without_ending};
use super::question::{Question, Wanted};
use super::rows::Rows;
use super::survey::{Counts, File, Survey, nearness, rarity};
use super::words::{each_word, names};
use crate::syntax::parts::{Part, Role};

/// Makes a list of signals: a number each, known by its name wherever it is computed,
/// weighed, printed or learned.
///
/// A weight stands in the same list as its signal, so the compiler finds the one that has
/// no weight and the weight of one that is gone.
macro_rules! signals {
    ($(#[$list_doc:meta])* $List:ident { $($(#[$doc:meta])* $name:ident,)* }) => {
        $(#[$list_doc])*
        #[derive(Clone, Copy, Default)]
        pub(super) struct $List {
            $($(#[$doc])* pub(super) $name: f64,)*
        }

        impl $List {
            /// Their names, in their order.
            pub(super) const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The numbers, in the order of the names.
            pub(super) fn values(&self) -> [f64; Self::NAMES.len()] {
                [$(self.$name),*]
            }

            /// What each signal adds to the score.
            pub(super) fn weighed(&self, weights: &$List) -> impl Iterator<Item = f64> {
                let weights = weights.values().into_iter();
                self.values().into_iter().zip(weights).map(|(signal, weight)| signal * weight)
            }
        }
    };
}

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
        target,
    }
}

impl FileSignals {
    /// That more speaks for the file than where it lies: words of the task, names of the
    /// targets, history, imports, or its own name.
    pub(super) fn speak(&self) -> bool {
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
        ]
        .into_iter()
        .any(|signal| signal > 0.0)
    }
}

/// The signals of every file.
#[expect(clippy::too_many_lines, reason = "a line for each signal")]
pub(super) fn of_files(
    survey: &Survey,
    question: &Question,
    targets: &[usize],
    told: &[Told],
    links: &Links,
) -> Vec<FileSignals> {
    let files = &survey.files;
    let all = files.len();
    let lengths: Vec<f64> = files.iter().map(|file| file.read.length as f64).collect();
    let weights = weights(&question.words);
    // Most names are of no interest, so the files are gone through once for all signals.
    let asked = question.asked();
    let asked_for: Vec<Counts> = files
        .iter()
        .map(|file| {
            let uses = file.read.uses.iter().copied();
            uses.filter(|(name, _)| asked[*name as usize]).collect()
        })
        .collect();
    let texts = asked_for.iter();
    let rows = Rows::of(
        weights.len(),
        texts.map(|uses| question.count(survey, uses)),
    );
    let by_task = rows.bm25(&weights, &lengths);
    let covered = rows.covered(&rows.rarities(&weights));
    let telling = &question.telling;
    let told_of = |(name, count): &(u32, u16)| Some((telling.place(*name)?, u32::from(*count)));
    let texts = asked_for.iter();
    let rows = Rows::of(
        telling.all.len(),
        texts.map(|uses| uses.iter().filter_map(told_of)),
    );
    let ones: Vec<f64> = telling.all.iter().map(|t| t.1.sqrt() / 3.0).collect();
    let by_target = rows.bm25(&ones, &lengths);
    let in_paths = places_in_paths(survey, &question.words);
    let mut with = vec![0; weights.len()];
    for place in in_paths.iter().flatten() {
        with[*place] += 1;
    }
    let by_path: Vec<f64> = in_paths
        .iter()
        .map(|places| {
            let rarities = places
                .iter()
                .map(|at| weights[*at] * rarity(with[*at], all));
            rarities.sum()
        })
        .collect();
    let used = |wanted: &Wanted| -> Vec<f64> {
        let names = asked_for.iter();
        names
            .map(|uses| wanted.sum(uses.iter().map(|(name, _)| *name)))
            .collect()
    };
    let declared = |wanted: &Wanted| -> Vec<f64> {
        let names = files.iter().map(|file| file.read.declares.iter());
        names.map(|names| wanted.sum(names.copied())).collect()
    };
    let by_name = used(&question.names);
    let by_declared = declared(&question.names);
    let uses_targets = used(&question.declared);
    let targets_use: Vec<f64> = files
        .iter()
        .map(|file| {
            let names = file.read.declares.iter();
            let mut rarities: Vec<f64> = names
                .filter(|name| question.used[**name as usize])
                // What many files declare is nobody's in particular.
                .map(|name| {
                    survey.rarity(*name) / f64::from(survey.declared_in[*name as usize].max(1))
                })
                .collect();
            // A sum depends on its order, and that of numbers on what was known before.
            rarities.sort_by(f64::total_cmp);
            rarities.iter().sum()
        })
        .collect();
    let uses_focus = used(&question.focus_declared);
    let focus_uses = declared(&question.focus_used);
    let like_focus: Vec<f64> = used(&question.focus_used)
        .iter()
        .zip(files)
        .map(|(sum, file)| sum / (100.0 + file.read.uses.len() as f64).sqrt())
        .collect();
    let together: Vec<f64> = told.iter().map(|told| told.together).collect();
    let messages: Vec<f64> = told.iter().map(|told| told.messages).collect();
    let churn: Vec<f64> = told.iter().map(|told| told.churn).collect();
    let by_task = scaled(&by_task);
    let by_target = scaled(&by_target);
    let by_path = scaled(&by_path);
    let by_name = scaled(&by_name);
    let by_declared = scaled(&by_declared);
    let by_uses_targets = scaled(&uses_targets);
    let by_targets_use = scaled(&targets_use);
    let by_together = scaled(&together);
    let by_messages = scaled(&messages);
    let by_churn = scaled(&churn);
    let by_uses_focus = scaled(&uses_focus);
    let by_focus_uses = scaled(&focus_uses);
    let by_like_focus = scaled(&like_focus);
    let by_covered = scaled(&covered);
    let is_target = among(all, targets.iter().copied());
    let out = linked_from(links, &is_target);
    let into = linking_to(links, &is_target);
    let near_out = linked_from(links, &out);
    let siblings = linking_to(links, &out);
    let beside = linked_from(links, &into);
    let mut indegree = vec![0usize; all];
    for to in links.iter().flatten() {
        indegree[*to] += 1;
    }
    let paths: Vec<&str> = targets.iter().map(|t| files[*t].path.as_str()).collect();
    let folders: HashSet<&str> = paths.iter().map(|path| folder(path)).collect();
    let stems: HashSet<&str> = paths.iter().map(|path| stem(path)).collect();
    let languages: HashSet<&str> = targets.iter().map(|t| files[*t].language).collect();
    (0..all)
        .map(|at| {
            let file = &files[at];
            let path = file.path.as_str();
            let told = &told[at];
            let flag = |is: bool| f64::from(u8::from(is));
            let has = |set: &[bool]| flag(set[at]);
            let near = paths.iter().map(|t| nearness(path, t)).fold(0.0, f64::max);
            let own = &file.facts;
            let same_folder = folders.contains(own.folder(path));
            let same_stem = stems.contains(own.stem(path));
            let (is_test, is_aside) = (own.is_test, own.is_aside);
            let same_language = languages.contains(file.language);
            let named = name(path).len() > 4 && question.text.contains(&*own.name);
            let stem_named = own.small_stem.len() >= 4 && question.text.contains(&*own.small_stem);
            FileSignals {
                task_words: by_task[at].share,
                task_words_rank: by_task[at].rank,
                target_names: by_target[at].share,
                target_names_rank: by_target[at].rank,
                path_words: by_path[at].share,
                path_words_rank: by_path[at].rank,
                task_names: by_name[at].share,
                task_names_rank: by_name[at].rank,
                declares_task_names: by_declared[at].share,
                declares_task_names_rank: by_declared[at].rank,
                uses_targets: by_uses_targets[at].share,
                uses_targets_rank: by_uses_targets[at].rank,
                targets_use: by_targets_use[at].share,
                targets_use_rank: by_targets_use[at].rank,
                together: by_together[at].share,
                together_rank: by_together[at].rank,
                messages: by_messages[at].share,
                messages_rank: by_messages[at].rank,
                churn: by_churn[at].share,
                churn_rank: by_churn[at].rank,
                uses_focus: by_uses_focus[at].share,
                uses_focus_rank: by_uses_focus[at].rank,
                focus_uses: by_focus_uses[at].share,
                focus_uses_rank: by_focus_uses[at].rank,
                like_focus: by_like_focus[at].share,
                like_focus_rank: by_like_focus[at].rank,
                task_covered: by_covered[at].share,
                task_covered_rank: by_covered[at].rank,
                imported_by_target: has(&out),
                imports_target: has(&into),
                imported_by_imported: has(&near_out),
                imports_imported: has(&siblings),
                imported_by_importer: has(&beside),
                same_stem: flag(same_stem),
                same_folder: flag(same_folder),
                nearness: near,
                same_language: flag(same_language),
                test: flag(is_test),
                aside: flag(is_aside),
                log_size: (file.read.bytes as f64 + 1.0).ln() / 10.0,
                named: flag(named),
                stem_named: flag(stem_named),
                log_together: (1.0 + told.together).ln(),
                log_churn: (1.0 + told.churn).ln(),
                log_age: (1.0 + told.age / 30.0).ln(),
                log_importers: (1.0 + indegree[at] as f64).ln(),
                test_same_stem: flag(is_test && same_stem),
                test_imports_target: flag(is_test) * has(&into),
                test_task_words: flag(is_test) * by_task[at].share,
                program: flag(is_program(file.language)),
                ever_together: flag(told.times > 0),
                task_words_and_together: by_task[at].share * by_together[at].share,
                test_uses_targets: flag(is_test) * by_uses_targets[at].share,
                log_uses_focus: (1.0 + uses_focus[at]).ln(),
                target: has(&is_target),
            }
        })
        .collect()
}

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

fn weights(wanted: &Wanted) -> Vec<f64> {
    wanted.all.iter().map(|(_, weight)| *weight).collect()
}

/// The places of those wanted words that are in names, in order, each once.
fn places<'a>(
    survey: &Survey,
    wanted: &Wanted,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for name in names {
        each_word(name, |word| {
            let number = survey.word(word);
            let place = number.and_then(|number| wanted.place(number));
            places.extend(place.map(|place| place as usize));
        });
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// The same for the paths of all files.
fn places_in_paths(survey: &Survey, wanted: &Wanted) -> Vec<Vec<usize>> {
    let vocabulary = &survey.vocabulary;
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
        None => places(survey, wanted, [without_ending(file.path.as_str())]),
    };
    survey.files.iter().map(in_path).collect()
}

/// How a score stands among others.
#[derive(Clone, Copy, Default)]
struct Scaled {
    /// As a share of the highest.
    share: f64,
    /// 1 for the first, ½ for the fourth, ¼ for the tenth.
    rank: f64,
}

/// Sets scores against one another; what is not above 0 stays at 0.
fn scaled(scores: &[f64]) -> Vec<Scaled> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut scaled = vec![Scaled::default(); scores.len()];
    for (rank, at) in order.into_iter().enumerate() {
        scaled[at] = Scaled {
            share: scores[at] / most,
            rank: 1.0 / (1.0 + rank as f64 / 3.0),
        };
    }
    scaled
}

signals! {
    /// What speaks for a part of a file. What has no `log` is a share of the best part's in
    /// its file, or yes and no.
    PartSignals {
        /// Words of the task in it by BM25, as a share of the best part's of all files.
        task_words,
        task_words_here,
        task_words_rank,
        /// Names in the task that it uses.
        task_names,
        /// Names that targets declare and it uses.
        uses_targets,
        /// It declares what targets use.
        targets_use,
        /// Names of the targets in it.
        target_names,
        /// It uses what the likely parts of the targets use.
        like_focus,
        /// The words of the task that it has at all, by rarity.
        task_covered,
        /// It uses what the likely parts of the targets declare.
        uses_focus,
        /// The share of the task's words that its own name has.
        title_words,
        /// Its own name stands in the task.
        title_named,
        head,
        of_type,
        loose,
        inside,
        block,
        /// The last of its file.
        last,
        log_lines,
        log_names,
        /// How far down the file it is.
        place,
        test,
        test_last,
        test_head,
        test_task_words,
        /// How many parts it is inside of.
        depth,
        log_task_words,
        /// The only one of its file.
        only,
        task_words_and_uses_targets,
        log_task_names,
        log_uses_targets,
        log_targets_use,
        /// The share of the task's words that its own name has, by rarity.
        title_rarity,
        /// The share of the task's words that it has at all, by rarity.
        covered_rarity,
        /// It declares what the likely parts of the targets do.
        log_focus,
        log_uses_focus,
        log_like_focus,
        /// The words of the task in the parts beside it.
        neighbours_mean,
        neighbours_best,
        test_uses_focus,
        function_title,
    }
}

/// A part with the names that are in it.
#[derive(Serialize, Deserialize)]
pub(super) struct Seen {
    pub(super) part: Part,
    pub(super) uses: Counts,
}

/// What is found in a part, before it is set against the other parts of its file. The
/// names are those of the signals.
struct Found {
    task_names: f64,
    uses_targets: f64,
    targets_use: f64,
    target_names: f64,
    like_focus: f64,
    uses_focus: f64,
    focus: f64,
    title_words: f64,
    title_named: bool,
    title_rarity: f64,
    covered_rarity: f64,
}

/// The signals of all parts of several files.
#[expect(clippy::too_many_lines, reason = "a line for each signal")]
pub(super) fn of_parts(
    survey: &Survey,
    question: &Question,
    files: &[(usize, Vec<Seen>)],
) -> Vec<Vec<PartSignals>> {
    let parts: Vec<&Seen> = files.iter().flat_map(|(_, parts)| parts).collect();
    let weights = weights(&question.words);
    let total: f64 = weights.iter().sum();
    let texts = parts.iter();
    let rows = Rows::of(
        weights.len(),
        texts.map(|seen| question.count(survey, &seen.uses)),
    );
    let weighed = rows.rarities(&weights);
    let whole: f64 = weighed.iter().sum::<f64>().max(1e-9);
    let covered = rows.covered(&weighed);
    // A name says more than its uses.
    let titled = rows.iter().zip(&parts).map(|(row, seen)| {
        let mut row = row.to_vec();
        let names = seen.part.names.iter().flat_map(|name| names(name));
        for (_, name) in names {
            each_word(name, |word| {
                let number = survey.word(word);
                let place = number.and_then(|number| question.words.place(number));
                row.extend(place.map(|place| (place, 2)));
            });
        }
        row
    });
    let rows = Rows::of(weights.len(), titled);
    let lengths: Vec<f64> = parts
        .iter()
        .map(|seen| {
            let counts = seen.uses.iter().map(|(_, count)| f64::from(*count));
            10.0 + counts.sum::<f64>()
        })
        .collect();
    let by_task = rows.bm25(&weights, &lengths);
    let most = by_task.iter().copied().fold(0.0, f64::max).max(1e-9);
    let mut next = 0;
    let mut all = Vec::new();
    for (file, seen) in files {
        let here = &by_task[next..next + seen.len()];
        let covered = &covered[next..next + seen.len()];
        next += seen.len();
        let is_test = survey.files[*file].facts.is_test;
        let most_here = here.iter().copied().fold(0.0, f64::max).max(1e-9);
        let found: Vec<Found> = seen
            .iter()
            .zip(covered)
            .map(|(seen, covered)| {
                let declared: f64 = seen
                    .part
                    .names
                    .iter()
                    .flat_map(|name| names(name))
                    .filter_map(|(_, name)| survey.name(name))
                    .filter(|name| question.used[*name as usize])
                    .map(|name| survey.rarity(name))
                    .sum();
                let own = seen.part.names.last();
                let title = own.iter().flat_map(|name| names(name));
                let title = places(survey, &question.words, title.map(|(_, name)| name));
                let sum = |weights: &[f64]| title.iter().map(|at| weights[*at]).sum::<f64>();
                let used = |wanted: &Wanted| wanted.sum(seen.uses.iter().map(|(name, _)| *name));
                let named = own.and_then(|name| survey.name(name));
                Found {
                    task_names: used(&question.names),
                    uses_targets: used(&question.declared),
                    targets_use: declared,
                    target_names: used(&question.telling),
                    like_focus: used(&question.focus_used),
                    uses_focus: used(&question.focus_declared),
                    focus: named.map_or(0.0, |name| question.focus_declared.weight(name)),
                    title_words: sum(&weights) / total.max(1e-9),
                    title_named: named.is_some_and(|name| question.names.weight(name) > 0.0),
                    title_rarity: sum(&weighed) / whole,
                    covered_rarity: covered / whole,
                }
            })
            .collect();
        let of_most = |value: fn(&Found) -> f64| -> Vec<f64> {
            let most = found.iter().map(value).fold(0.0, f64::max);
            found
                .iter()
                .map(|found| if most > 0.0 { value(found) / most } else { 0.0 })
                .collect()
        };
        let task_names = of_most(|found| found.task_names);
        let uses_targets = of_most(|found| found.uses_targets);
        let targets_use = of_most(|found| found.targets_use);
        let target_names = of_most(|found| found.target_names);
        let like_focus = of_most(|found| found.like_focus);
        let task_covered = of_most(|found| found.covered_rarity);
        let uses_focus = of_most(|found| found.uses_focus);
        let ranks = scaled(here);
        let count = seen.len();
        let signals = seen
            .iter()
            .enumerate()
            .map(|(at, seen)| {
                let role = seen.part.role;
                let flag = |is: bool| f64::from(u8::from(is));
                let lines = seen.part.lines.len() as f64;
                let found = &found[at];
                let before = at.checked_sub(1).map_or(0.0, |at| here[at]);
                let after = here.get(at + 1).copied().unwrap_or_default();
                PartSignals {
                    task_words: here[at] / most,
                    task_words_here: here[at] / most_here,
                    task_words_rank: ranks[at].rank,
                    task_names: task_names[at],
                    uses_targets: uses_targets[at],
                    targets_use: targets_use[at],
                    target_names: target_names[at],
                    like_focus: like_focus[at],
                    task_covered: task_covered[at],
                    uses_focus: uses_focus[at],
                    title_words: found.title_words,
                    title_named: flag(found.title_named),
                    head: flag(role == Role::Head),
                    of_type: flag(role == Role::Type),
                    loose: flag(role == Role::Loose),
                    inside: flag(role == Role::Inside),
                    block: flag(role == Role::Block),
                    last: flag(at + 1 == count),
                    log_lines: lines.ln_1p(),
                    log_names: (seen.uses.len() as f64).ln_1p(),
                    place: at as f64 / count as f64,
                    test: flag(is_test),
                    test_last: flag(is_test && at + 1 == count),
                    test_head: flag(is_test && role == Role::Head),
                    test_task_words: flag(is_test) * here[at] / most_here,
                    depth: seen.part.owners.len() as f64,
                    log_task_words: here[at].ln_1p(),
                    only: flag(count == 1),
                    task_words_and_uses_targets: here[at] / most_here * uses_targets[at],
                    log_task_names: (1.0 + found.task_names).ln(),
                    log_uses_targets: (1.0 + found.uses_targets).ln(),
                    log_targets_use: (1.0 + found.targets_use).ln(),
                    title_rarity: found.title_rarity,
                    covered_rarity: found.covered_rarity,
                    log_focus: (1.0 + found.focus).ln(),
                    log_uses_focus: (1.0 + found.uses_focus).ln(),
                    log_like_focus: (1.0 + found.like_focus).ln(),
                    neighbours_mean: f64::midpoint(before, after) / most_here,
                    neighbours_best: f64::max(before, after) / most_here,
                    test_uses_focus: flag(is_test) * (1.0 + found.uses_focus).ln(),
                    function_title: flag(role == Role::Function) * found.title_rarity,
                }
            })
            .collect();
        all.push(signals);
    }
    all
}

signals! {
    /// What speaks for a likely file once its parts are known, besides what spoke for it
    /// before.
    CandidateSignals {
        /// The likelihood before.
        log_likely,
        /// Of the sum over the scores of its parts.
        log_parts_sum,
        /// The best score of a part.
        best_part,
        /// The highest of a signal among its parts, and so on.
        best_task_words,
        best_three_task_words,
        best_log_task_names,
        best_title_rarity,
        best_covered_rarity,
        best_log_focus,
        best_log_uses_focus,
        best_log_like_focus,
        best_title_words,
        best_title_named,
        /// How many parts it has.
        log_parts,
        best_log_task_words,
    }
}

/// The signals of a file that is as likely as this, with parts that have these signals and
/// these scores.
pub(super) fn of_candidate(likely: f64, parts: &[PartSignals], scores: &[f64]) -> CandidateSignals {
    let log_likely = likely.max(1e-12).ln();
    if parts.is_empty() {
        return CandidateSignals {
            log_likely,
            ..CandidateSignals::default()
        };
    }
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
    let mut by_task: Vec<f64> = parts.iter().map(|part| part.task_words).collect();
    by_task.sort_by(|a, b| b.total_cmp(a));
    by_task.truncate(3);
    let best = |signal: fn(&PartSignals) -> f64| parts.iter().map(signal).fold(0.0, f64::max);
    CandidateSignals {
        log_likely,
        log_parts_sum: most + sum.ln(),
        best_part: most,
        best_task_words: by_task[0],
        best_three_task_words: by_task.iter().sum::<f64>() / by_task.len() as f64,
        best_log_task_names: best(|part| part.log_task_names),
        best_title_rarity: best(|part| part.title_rarity),
        best_covered_rarity: best(|part| part.covered_rarity),
        best_log_focus: best(|part| part.log_focus),
        best_log_uses_focus: best(|part| part.log_uses_focus),
        best_log_like_focus: best(|part| part.log_like_focus),
        best_title_words: best(|part| part.title_words),
        best_title_named: best(|part| part.title_named),
        log_parts: (parts.len() as f64).ln_1p(),
        best_log_task_words: best(|part| part.log_task_words),
    }
}
