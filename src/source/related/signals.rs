//! What speaks for each file and for each part of a file, as numbers.

use std::collections::{HashMap, HashSet};

use super::history::Told;
use super::paths::{folder, is_aside, is_program, is_test, name, stem};
use super::question::Question;
use super::survey::{Counts, Survey, nearness, rarity};
use super::words::{names, words};
use crate::syntax::parts::{Part, Role};

/// Saturation and length of BM25, the usual values for code.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;

/// How often each word of the question is among these names.
fn count_words(survey: &Survey, wanted: &HashMap<u32, usize>, uses: &Counts) -> Vec<f64> {
    let mut counts = vec![0.0; wanted.len()];
    for (name, count) in uses {
        for word in &survey.words_of[*name as usize] {
            if let Some(at) = wanted.get(word) {
                counts[*at] += f64::from(*count);
            }
        }
    }
    counts
}

/// BM25 of several texts: how well each answers the words.
pub(super) fn bm25(counts: &[Vec<f64>], weights: &[f64], lengths: &[f64]) -> Vec<f64> {
    let all = counts.len();
    let mean = lengths.iter().sum::<f64>() / (all.max(1) as f64);
    let rarity: Vec<f64> = (0..weights.len())
        .map(|word| {
            let with = counts.iter().filter(|text| text[word] > 0.0).count();
            rarity(with, all) * weights[word]
        })
        .collect();
    counts
        .iter()
        .zip(lengths)
        .map(|(text, length)| {
            let norm = SATURATION * (1.0 - LENGTH + LENGTH * length / mean.max(1.0));
            text.iter()
                .zip(&rarity)
                .map(|(count, rarity)| rarity * count * (SATURATION + 1.0) / (count + norm))
                .sum()
        })
        .collect()
}

fn sum_of(wanted: &[(u32, f64)], has: impl Fn(u32) -> bool) -> f64 {
    wanted
        .iter()
        .filter(|(name, _)| has(*name))
        .map(|(_, weight)| weight)
        .sum()
}

fn is_used(counts: &Counts, name: u32) -> bool {
    counts
        .binary_search_by_key(&name, |(name, _)| *name)
        .is_ok()
}

/// How many signals a file has.
pub(super) const FILE_SIGNALS: usize = 55;

/// Where some signals of a file stand.
pub(super) mod file {
    pub(in super::super) const BY_TASK: usize = 0;
    pub(in super::super) const BY_MESSAGES: usize = 16;
    pub(in super::super) const SAME_STEM: usize = 33;
    pub(in super::super) const NAMED: usize = 40;

    /// Without any of these nothing speaks for a file but where it lies: words of the
    /// task, names of the targets, history, imports, and its own name.
    pub(in super::super) const EVIDENCE: [usize; 14] = [
        BY_TASK,
        2,
        4,
        6,
        8,
        10,
        12,
        14,
        BY_MESSAGES,
        28,
        29,
        SAME_STEM,
        NAMED,
        41,
    ];
}

/// Where some signals of a part stand.
mod part {
    pub(super) const BY_TASK: usize = 0;
    /// Those whose best says something about the file.
    pub(super) const TELLING: [usize; 8] = [29, 32, 33, 34, 35, 36, 10, 11];
    pub(super) const SCORE: usize = 26;
}

/// What links two files by imports: for each file the files that it imports.
pub(super) type Links = Vec<Vec<usize>>;

/// The signals of every file.
#[expect(
    clippy::too_many_lines,
    reason = "a line for each signal, in their order"
)]
pub(super) fn of_files(
    survey: &Survey,
    question: &Question,
    targets: &[usize],
    told: &[Told],
    links: &Links,
) -> Vec<[f64; FILE_SIGNALS]> {
    let files = &survey.files;
    let all = files.len();
    let lengths: Vec<f64> = files.iter().map(|file| file.length as f64).collect();
    let (wanted, weights) = numbered(&question.words);
    let counts: Vec<Vec<f64>> = files
        .iter()
        .map(|file| count_words(survey, &wanted, &file.uses))
        .collect();
    let by_task = bm25(&counts, &weights, &lengths);
    let counts_of_task = counts;
    let task_rarity: Vec<f64> = (0..weights.len())
        .map(|word| {
            let with = counts_of_task
                .iter()
                .filter(|text| text[word] > 0.0)
                .count();
            rarity(with, all) * weights[word]
        })
        .collect();
    let (telling, telling_weights) = numbered(&question.telling);
    let counts: Vec<Vec<f64>> = files
        .iter()
        .map(|file| {
            let mut counts = vec![0.0; telling.len()];
            for (name, count) in &file.uses {
                if let Some(at) = telling.get(name) {
                    counts[*at] += f64::from(*count);
                }
            }
            counts
        })
        .collect();
    let ones: Vec<f64> = telling_weights.iter().map(|w| w.sqrt() / 3.0).collect();
    let by_target = bm25(&counts, &ones, &lengths);
    let path_words: Vec<HashSet<u32>> = files
        .iter()
        .map(|file| {
            words(
                file.path
                    .as_str()
                    .rsplit_once('.')
                    .map_or(file.path.as_str(), |p| p.0),
            )
            .iter()
            .filter_map(|word| survey.word_numbers.get(word))
            .collect()
        })
        .collect();
    let path_rarity: Vec<(u32, f64)> = question
        .words
        .iter()
        .map(|(word, weight)| {
            let with = path_words
                .iter()
                .filter(|words| words.contains(word))
                .count();
            (
                *word,
                if with == 0 {
                    0.0
                } else {
                    weight * rarity(with, all)
                },
            )
        })
        .collect();
    let by_path: Vec<f64> = path_words
        .iter()
        .map(|words| sum_of(&path_rarity, |word| words.contains(&word)))
        .collect();
    let used = |wanted: &[(u32, f64)]| -> Vec<f64> {
        let sums = files.iter();
        sums.map(|file| sum_of(wanted, |name| is_used(&file.uses, name)))
            .collect()
    };
    let declared = |wanted: &[(u32, f64)]| -> Vec<f64> {
        let sums = files.iter();
        sums.map(|file| sum_of(wanted, |name| file.declares.binary_search(&name).is_ok()))
            .collect()
    };
    let by_name = used(&question.names);
    let by_declared = declared(&question.names);
    let uses_targets = used(&question.declared);
    let targets_use: Vec<f64> = files
        .iter()
        .map(|file| {
            file.declares
                .iter()
                .filter(|name| question.used.contains(name))
                // What many files declare is nobody's in particular.
                .map(|name| {
                    survey.rarity(*name) / f64::from(survey.declared_in[*name as usize].max(1))
                })
                .sum()
        })
        .collect();
    let uses_focus = used(&question.focus_declared);
    let focus_uses = declared(&question.focus_used);
    let like_focus: Vec<f64> = used(&question.focus_used)
        .iter()
        .zip(files)
        .map(|(sum, file)| sum / (100.0 + file.uses.len() as f64).sqrt())
        .collect();
    let covered: Vec<f64> = counts_of_task
        .iter()
        .map(|counts| {
            let has = counts
                .iter()
                .zip(&task_rarity)
                .filter(|(count, _)| **count > 0.0);
            has.map(|(_, rarity)| rarity).sum::<f64>()
        })
        .collect();
    let together = told.iter().map(|told| told.together).collect();
    let messages: Vec<f64> = told.iter().map(|told| told.messages).collect();
    let churn = told.iter().map(|told| told.churn).collect();
    let ranked: Vec<Vec<[f64; 2]>> = [
        by_task,
        by_target,
        by_path,
        by_name,
        by_declared,
        uses_targets,
        targets_use,
        together,
        messages,
        churn,
        uses_focus.clone(),
        focus_uses,
        like_focus,
        covered,
    ]
    .iter()
    .map(|scores| scaled(scores))
    .collect();
    let out: HashSet<usize> = targets
        .iter()
        .flat_map(|t| links[*t].iter().copied())
        .collect();
    let into: HashSet<usize> = (0..all)
        .filter(|file| links[*file].iter().any(|to| targets.contains(to)))
        .collect();
    let near_out: HashSet<usize> = out.iter().flat_map(|t| links[*t].iter().copied()).collect();
    let siblings: HashSet<usize> = (0..all)
        .filter(|file| links[*file].iter().any(|to| out.contains(to)))
        .collect();
    let beside: HashSet<usize> = into
        .iter()
        .flat_map(|t| links[*t].iter().copied())
        .collect();
    let mut indegree = vec![0usize; all];
    for to in links.iter().flatten() {
        indegree[*to] += 1;
    }
    let paths: Vec<&str> = targets.iter().map(|t| files[*t].path.as_str()).collect();
    let languages: HashSet<&str> = targets.iter().map(|t| files[*t].language).collect();
    (0..all)
        .map(|at| {
            let file = &files[at];
            let path = file.path.as_str();
            let told = &told[at];
            let has = |set: &HashSet<usize>| f64::from(u8::from(set.contains(&at)));
            let flag = |is: bool| f64::from(u8::from(is));
            let near = paths.iter().map(|t| nearness(path, t)).fold(0.0, f64::max);
            let same_folder = paths.iter().any(|t| folder(t) == folder(path));
            let same_stem = paths.iter().any(|t| stem(t) == stem(path));
            let is_test = is_test(path);
            let is_aside = is_aside(path);
            let same_language = languages.contains(file.language);
            let named = question.text.contains(&name(path).to_lowercase()) && name(path).len() > 4;
            let stem_named = {
                let stem = stem(path).to_lowercase();
                stem.len() >= 4 && question.text.contains(&stem)
            };
            let is_target = targets.contains(&at);
            let mut signals = [0.0; FILE_SIGNALS];
            let mut next = 0;
            let mut push = |value: f64| {
                signals[next] = value;
                next += 1;
            };
            for scores in &ranked {
                push(scores[at][0]);
                push(scores[at][1]);
            }
            push(has(&out));
            push(has(&into));
            push(has(&near_out));
            push(has(&siblings));
            push(has(&beside));
            push(flag(same_stem));
            push(flag(same_folder));
            push(near);
            push(flag(same_language));
            push(flag(is_test));
            push(flag(is_aside));
            push((file.bytes as f64 + 1.0).ln() / 10.0);
            push(flag(named));
            push(flag(stem_named));
            push((1.0 + told.together).ln());
            push((1.0 + told.churn).ln());
            push((1.0 + told.age / 30.0).ln());
            push((1.0 + indegree[at] as f64).ln());
            push(flag(is_test && same_stem));
            push(flag(is_test) * has(&into));
            push(flag(is_test) * ranked[0][at][0]);
            push(flag(is_program(file.language)));
            push(flag(told.times > 0));
            push(ranked[0][at][0] * ranked[7][at][0]);
            push(flag(is_test) * ranked[5][at][0]);
            push((1.0 + uses_focus[at]).ln());
            push(flag(is_target));
            signals
        })
        .collect()
}

/// Numbers from 0 and weights, for a list of wanted words.
fn numbered(wanted: &[(u32, f64)]) -> (HashMap<u32, usize>, Vec<f64>) {
    let numbers = wanted.iter().enumerate().map(|(at, (word, _))| (*word, at));
    (
        numbers.collect(),
        wanted.iter().map(|(_, weight)| *weight).collect(),
    )
}

/// Each score as a share of the highest, and by its rank: 1 for the first, ½ for the
/// fourth, ¼ for the tenth.
fn scaled(scores: &[f64]) -> Vec<[f64; 2]> {
    let most = scores.iter().copied().fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut scaled = vec![[0.0; 2]; scores.len()];
    for (rank, at) in order.into_iter().enumerate() {
        if scores[at] > 0.0 {
            scaled[at] = [scores[at] / most, 1.0 / (1.0 + rank as f64 / 3.0)];
        }
    }
    scaled
}

/// How many signals a part has.
pub(super) const PART_SIGNALS: usize = 41;

/// A part with the names that are in it.
pub(super) struct Seen {
    pub(super) part: Part,
    pub(super) uses: Counts,
}

/// How well each part answers the words of the task.
pub(super) fn by_task<'a>(
    survey: &Survey,
    question: &Question,
    parts: impl IntoIterator<Item = &'a Seen>,
) -> Vec<f64> {
    let parts: Vec<&Seen> = parts.into_iter().collect();
    let lengths: Vec<f64> = parts
        .iter()
        .map(|seen| {
            10.0 + seen
                .uses
                .iter()
                .map(|(_, count)| f64::from(*count))
                .sum::<f64>()
        })
        .collect();
    let (wanted, weights) = numbered(&question.words);
    let counts: Vec<Vec<f64>> = parts
        .iter()
        .map(|seen| {
            let mut counts = count_words(survey, &wanted, &seen.uses);
            // A name says more than its uses.
            for name in &seen.part.names {
                for word in names(name).flat_map(|(_, name)| words(name)) {
                    let number = survey.word_numbers.get(&word);
                    if let Some(at) = number.and_then(|word| wanted.get(&word)) {
                        counts[*at] += 2.0;
                    }
                }
            }
            counts
        })
        .collect();
    bm25(&counts, &weights, &lengths)
}

/// The signals of all parts of several files.
#[expect(
    clippy::too_many_lines,
    reason = "a line for each signal, in their order"
)]
pub(super) fn of_parts(
    survey: &Survey,
    question: &Question,
    files: &[(usize, Vec<Seen>)],
) -> Vec<Vec<[f64; PART_SIGNALS]>> {
    let parts: Vec<&Seen> = files.iter().flat_map(|(_, parts)| parts).collect();
    let by_task = by_task(survey, question, parts.iter().copied());
    let most = by_task.iter().copied().fold(0.0, f64::max).max(1e-9);
    let total: f64 = question.words.iter().map(|(_, weight)| weight).sum();
    let weighed: Vec<(u32, f64)> = {
        let all = parts.len();
        let mut with: HashMap<u32, usize> = HashMap::new();
        for seen in &parts {
            let mut words: Vec<u32> = seen
                .uses
                .iter()
                .flat_map(|(name, _)| survey.words_of[*name as usize].iter().copied())
                .collect();
            words.sort_unstable();
            words.dedup();
            for word in words {
                *with.entry(word).or_default() += 1;
            }
        }
        let weigh = |(word, weight): &(u32, f64)| {
            (
                *word,
                weight * rarity(with.get(word).copied().unwrap_or_default(), all),
            )
        };
        question.words.iter().map(weigh).collect()
    };
    let whole: f64 = weighed
        .iter()
        .map(|(_, weight)| weight)
        .sum::<f64>()
        .max(1e-9);
    let mut next = 0;
    let mut all = Vec::new();
    for (file, seen) in files {
        let here = &by_task[next..next + seen.len()];
        next += seen.len();
        let is_test = is_test(survey.files[*file].path.as_str());
        let most_here = here.iter().copied().fold(0.0, f64::max).max(1e-9);
        let raw: Vec<[f64; 10]> = seen
            .iter()
            .map(|seen| {
                let has = |name| is_used(&seen.uses, name);
                let declared: f64 = seen
                    .part
                    .names
                    .iter()
                    .flat_map(|name| names(name))
                    .filter_map(|(_, name)| survey.numbers.get(name))
                    .filter(|name| question.used.contains(name))
                    .map(|name| survey.rarity(name))
                    .sum();
                let own = seen.part.names.last();
                let title_words: HashSet<u32> = own.map_or_else(HashSet::new, |name| {
                    names(name)
                        .flat_map(|(_, name)| words(name))
                        .filter_map(|word| survey.word_numbers.get(&word))
                        .collect()
                });
                let title = sum_of(&question.words, |word| title_words.contains(&word));
                let mut words: Vec<u32> = seen
                    .uses
                    .iter()
                    .flat_map(|(name, _)| survey.words_of[*name as usize].iter().copied())
                    .collect();
                words.sort_unstable();
                let named = own.and_then(|name| survey.numbers.get(name));
                [
                    sum_of(&question.names, has),
                    sum_of(&question.declared, has),
                    declared,
                    sum_of(&question.telling, has),
                    title / total.max(1e-9),
                    named.map_or(0.0, |name| sum_of(&question.names, |wanted| wanted == name)),
                    sum_of(&weighed, |word| title_words.contains(&word)) / whole,
                    sum_of(&weighed, |word| words.binary_search(&word).is_ok()) / whole,
                    named.map_or(0.0, |name| {
                        sum_of(&question.focus_declared, |wanted| wanted == name)
                    }),
                    sum_of(&question.focus_declared, has),
                ]
            })
            .collect();
        let focused: Vec<f64> = seen
            .iter()
            .map(|seen| sum_of(&question.focus_used, |name| is_used(&seen.uses, name)))
            .collect();
        let of_most = |values: Vec<f64>| -> Vec<f64> {
            let most = values.iter().copied().fold(0.0, f64::max);
            values
                .iter()
                .map(|v| if most > 0.0 { v / most } else { 0.0 })
                .collect()
        };
        let relative: Vec<Vec<f64>> = (0..4)
            .map(|at| of_most(raw.iter().map(|raw| raw[at]).collect()))
            .chain([of_most(focused.clone())])
            .chain([of_most(raw.iter().map(|raw| raw[7]).collect())])
            .chain([of_most(raw.iter().map(|raw| raw[9]).collect())])
            .collect();
        let ranks = scaled(here);
        let count = seen.len();
        let signals = seen
            .iter()
            .enumerate()
            .map(|(at, seen)| {
                let role = seen.part.role;
                let flag = |is: bool| f64::from(u8::from(is));
                let lines = seen.part.lines.len() as f64;
                let mut signals = [0.0; PART_SIGNALS];
                let mut next = 0;
                let mut push = |value: f64| {
                    signals[next] = value;
                    next += 1;
                };
                push(here[at] / most);
                push(here[at] / most_here);
                push(ranks[at][1]);
                for relative in &relative {
                    push(relative[at]);
                }
                push(raw[at][4]);
                push(flag(raw[at][5] > 0.0));
                push(flag(role == Role::Head));
                push(flag(role == Role::Type));
                push(flag(role == Role::Loose));
                push(flag(role == Role::Inside));
                push(flag(role == Role::Block));
                push(flag(at + 1 == count));
                push(lines.ln_1p());
                push((seen.uses.len() as f64).ln_1p());
                push(at as f64 / count as f64);
                push(flag(is_test));
                push(flag(is_test && at + 1 == count));
                push(flag(is_test && role == Role::Head));
                push(flag(is_test) * here[at] / most_here);
                push(seen.part.owners.len() as f64);
                push(here[at].ln_1p());
                push(flag(count == 1));
                push(here[at] / most_here * relative[1][at]);
                push((1.0 + raw[at][0]).ln());
                push((1.0 + raw[at][1]).ln());
                push((1.0 + raw[at][2]).ln());
                push(raw[at][6]);
                push(raw[at][7]);
                push((1.0 + raw[at][8]).ln());
                push((1.0 + raw[at][9]).ln());
                push((1.0 + focused[at]).ln());
                let before = at.checked_sub(1).map_or(0.0, |at| here[at]);
                let after = here.get(at + 1).copied().unwrap_or_default();
                push(f64::midpoint(before, after) / most_here);
                push(f64::max(before, after) / most_here);
                push(flag(is_test) * (1.0 + raw[at][9]).ln());
                push(flag(role == Role::Function) * raw[at][6]);
                signals
            })
            .collect();
        all.push(signals);
    }
    all
}

/// How many signals a likely file has.
pub(super) const CANDIDATE_SIGNALS: usize = 15 + FILE_SIGNALS;

/// The signals of a file that is as likely as this, with its own and those of its parts,
/// which have these scores.
pub(super) fn of_candidate(
    likely: f64,
    file: &[f64; FILE_SIGNALS],
    parts: &[[f64; PART_SIGNALS]],
    scores: &[f64],
) -> [f64; CANDIDATE_SIGNALS] {
    let mut signals = [0.0; CANDIDATE_SIGNALS];
    signals[0] = likely.max(1e-12).ln();
    if !parts.is_empty() {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        signals[1] = most + sum.ln();
        signals[2] = most;
        let mut by_task: Vec<f64> = parts.iter().map(|signals| signals[part::BY_TASK]).collect();
        by_task.sort_by(|a, b| b.total_cmp(a));
        by_task.truncate(3);
        signals[3] = by_task[0];
        signals[4] = by_task.iter().sum::<f64>() / by_task.len() as f64;
        for (at, signal) in part::TELLING.into_iter().enumerate() {
            signals[5 + at] = parts.iter().map(|of| of[signal]).fold(0.0, f64::max);
        }
        signals[13] = (parts.len() as f64).ln_1p();
        signals[14] = parts.iter().map(|of| of[part::SCORE]).fold(0.0, f64::max);
    }
    signals[15..].copy_from_slice(file);
    signals
}
