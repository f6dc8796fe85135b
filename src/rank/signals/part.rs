//! What speaks for a part of a file.

use std::ops::Range;

use super::super::mentions::Mentions;
use super::super::question::{Question, Wanted};
use super::super::rows::Rows;
use super::newest::newest;
use super::scale::{flag, places, scaled, weights};
use crate::index::corpus::Corpus;
use crate::index::kind::Kind;
use crate::index::parts::ReadPart;
use crate::index::words::names;
use crate::syntax::parts::Role;

signals! {
    /// What speaks for a part of a file. Signals without `log` are a share of the best part's in
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
        /// The words of the task that appear in it, by rarity.
        task_covered,
        /// It uses what the likely parts of the targets declare.
        uses_focus,
        /// The share of the task's words that its own name has.
        title_words,
        /// Its own name is in the task.
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
        /// How many parts enclose it.
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
        /// The share of the task's words that appear in it, by rarity.
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
        /// Words of the task's first line in it by BM25, as a share of the best part's of all
        /// files.
        headline_words,
        log_headline_words,
        /// Words of the code in the task.
        quoted_words,
        /// The share of the first line's words that its own name has, by rarity.
        headline_title,
        /// How much of it is comment and documentation.
        prose,
        /// The name of what encloses it is in the task.
        owner_named,
        /// The share of the first line's words that this name has, by rarity.
        owner_headline,
        /// Comment and documentation, weighted by the words of the task in it.
        prose_task_words,
        /// A line of it is in the task, as in a traceback.
        line_named,
        /// A traceback names its function.
        traced,
        /// Its name is in the task together with what encloses it: `Type.method`.
        qualified,
        /// The task writes its name as words: `set_cookie` as "set cookie".
        said,
        /// It is not source.
        beside,
        /// A section of a document or of settings.
        section,
        /// In a changelog: it is about the newest version, and is the first or the last part that
        /// is.
        newest,
        newest_first,
        newest_last,
        /// It comes before that.
        before_newest,
        document_task_words,
        build,
        build_task_words,
        /// In a build file or a CI file: it names the commands that check a change.
        commands,
        /// How recently it was changed.
        recency,
    }
}

/// What is found in a part, before it is compared with the other parts of its file. The names are
/// those of the signals.
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
    headline_title: f64,
    owner_named: bool,
    owner_headline: f64,
}

impl PartSignals {
    /// Returns the signals of all parts of several files, which are named by their indices.
    pub fn of_all(
        corpus: &Corpus,
        question: &Question,
        files: &[(usize, Vec<ReadPart>)],
    ) -> Vec<Vec<PartSignals>> {
        let kind = |at: usize| corpus.files[at].facts.kind;
        let [mut source, mut beside] = [false, true].map(|is_beside| {
            let files = files
                .iter()
                .filter(|(at, _)| kind(*at).is_beside() == is_beside);
            let parts: Vec<&ReadPart> = files.flat_map(|(_, parts)| parts).collect();
            (TaskWords::of(corpus, question, &parts), 0)
        });
        let mut all = Vec::with_capacity(files.len());
        for (file, parts) in files {
            let kind = kind(*file);
            let (words, next) = if kind.is_beside() {
                &mut beside
            } else {
                &mut source
            };
            let here = *next..*next + parts.len();
            *next = here.end;
            let covered = &words.covered[here.clone()];
            let found: Vec<Found> = parts
                .iter()
                .zip(covered)
                .map(|(read, covered)| Found::of(corpus, question, words, read, *covered))
                .collect();
            let mut signals = vec![PartSignals::default(); parts.len()];
            set_words(&mut signals, &words.scores[here.clone()], words.most);
            words.set_fields(&mut signals, here);
            set_found(&mut signals, &found);
            set_form(&mut signals, parts);
            set_beside(&mut signals, parts, kind);
            let path = corpus.files[*file].path.as_str();
            set_mentions(&mut signals, parts, path, &question.mentions);
            let is_test = corpus.files[*file].facts.is_test;
            for (signals, found) in signals.iter_mut().zip(&found) {
                signals.combine(found, is_test);
            }
            all.push(signals);
        }
        all
    }

    /// Sets the signals that are computed from others.
    fn combine(&mut self, found: &Found, is_test: bool) {
        self.test = flag(is_test);
        self.test_last = self.test * self.last;
        self.test_head = self.test * self.head;
        self.test_task_words = self.test * self.task_words_here;
        self.task_words_and_uses_targets = self.task_words_here * self.uses_targets;
        self.test_uses_focus = self.test * (1.0 + found.uses_focus).ln();
        self.build_task_words = self.build * self.task_words_here;
    }
}

/// The words of the task in all parts.
struct TaskWords {
    /// What each word counts, and all of them together.
    weights: Vec<f64>,
    total: f64,
    /// The same times how rare each is among the parts.
    weighed: Vec<f64>,
    whole: f64,
    /// For each part, the words that appear in it, by rarity.
    covered: Vec<f64>,
    /// For each part, how well it answers them, by BM25.
    scores: Vec<f64>,
    /// The score of the best one.
    most: f64,
    /// The same for the words of the first line, and for those in code.
    headline: Vec<f64>,
    quoted: Vec<f64>,
    /// What the words of the first line count by rarity, and all of them together.
    headline_weighed: Vec<f64>,
    headline_whole: f64,
}

impl TaskWords {
    fn of(corpus: &Corpus, question: &Question, parts: &[&ReadPart]) -> TaskWords {
        let weights = weights(&question.words);
        let rows = question.rows(corpus, parts.iter().map(|read| &read.uses));
        let weighed = rows.rarities(&weights);
        let covered = rows.covered(&weighed);
        let titled = rows.iter().zip(parts);
        let titled = titled.map(|(row, read)| with_title(corpus, question, row, read));
        let rows = Rows::of(weights.len(), titled);
        let length = |read: &&ReadPart| {
            let counts = read.uses.iter().map(|(_, count)| f64::from(*count));
            10.0 + counts.sum::<f64>()
        };
        let lengths: Vec<f64> = parts.iter().map(length).collect();
        let scores = rows.bm25(&weights, &lengths);
        let headline_weighed = rows.rarities(&question.headline);
        TaskWords {
            most: scores.iter().copied().fold(0.0, f64::max).max(1e-9),
            headline: rows.bm25(&question.headline, &lengths),
            quoted: rows.bm25(&question.quoted, &lengths),
            headline_whole: headline_weighed.iter().sum::<f64>().max(1e-9),
            headline_weighed,
            total: weights.iter().sum(),
            whole: weighed.iter().sum::<f64>().max(1e-9),
            scores,
            weights,
            weighed,
            covered,
        }
    }
}

impl TaskWords {
    /// Sets how well the parts of a file, `here` among all, answer the first line and the code.
    fn set_fields(&self, all: &mut [PartSignals], here: Range<usize>) {
        let most = |scores: &[f64]| scores.iter().copied().fold(0.0, f64::max).max(1e-9);
        let (headline, quoted) = (most(&self.headline), most(&self.quoted));
        for (signals, at) in all.iter_mut().zip(here) {
            signals.headline_words = self.headline[at] / headline;
            signals.log_headline_words = self.headline[at].ln_1p();
            signals.quoted_words = self.quoted[at] / quoted;
        }
    }
}

/// Returns the words of the task in a part, with those of its name counted once more: a name says
/// more than its uses.
fn with_title(
    corpus: &Corpus,
    question: &Question,
    row: &[(u32, u32)],
    read: &ReadPart,
) -> Vec<(u32, u32)> {
    let mut row = row.to_vec();
    let names = read.part.names.iter().flat_map(|name| names(name));
    for (_, name) in names {
        corpus.each_word(name, |word| {
            row.extend(question.words.place(word).map(|place| (place, 2)));
        });
    }
    row
}

impl Found {
    fn of(
        corpus: &Corpus,
        question: &Question,
        words: &TaskWords,
        read: &ReadPart,
        covered: f64,
    ) -> Found {
        let declared = read.part.names.iter().flat_map(|name| names(name));
        let declared = declared.filter_map(|(_, name)| corpus.name(name));
        let targets_use = declared.filter(|name| question.used[*name as usize]);
        let own = read.part.names.last();
        let title = own.iter().flat_map(|name| names(name));
        let title = places(corpus, &question.words, title.map(|(_, name)| name));
        let sum = |weights: &[f64]| title.iter().map(|at| weights[*at]).sum::<f64>();
        let owners = || {
            let outer = read
                .part
                .names
                .split_last()
                .map_or(&[][..], |(_, outer)| outer);
            outer
                .iter()
                .flat_map(|name| names(name))
                .map(|(_, name)| name)
        };
        let owned = places(corpus, &question.words, owners());
        let owned: f64 = owned.iter().map(|at| words.headline_weighed[*at]).sum();
        let used = |wanted: &Wanted| wanted.sum(read.uses.iter().map(|(name, _)| *name));
        let named = own.and_then(|name| corpus.name(name));
        Found {
            task_names: used(&question.names),
            uses_targets: used(&question.declared),
            targets_use: targets_use.map(|name| corpus.rarity(name)).sum(),
            target_names: used(&question.telling),
            like_focus: used(&question.focus_used),
            uses_focus: used(&question.focus_declared),
            focus: named.map_or(0.0, |name| question.focus_declared.weight(name)),
            title_words: sum(&words.weights) / words.total.max(1e-9),
            title_named: named.is_some_and(|name| question.names.weight(name) > 0.0),
            title_rarity: sum(&words.weighed) / words.whole,
            covered_rarity: covered / words.whole,
            headline_title: sum(&words.headline_weighed) / words.headline_whole,
            owner_named: owners().any(|name| {
                let name = corpus.name(name);
                name.is_some_and(|name| question.names.weight(name) > 0.0)
            }),
            owner_headline: owned / words.headline_whole,
        }
    }
}

/// Sets how well the parts of a file answer the words of the task, where the best part of all files
/// scores `most`.
fn set_words(all: &mut [PartSignals], scores: &[f64], most: f64) {
    let most_here = scores.iter().copied().fold(0.0, f64::max).max(1e-9);
    for (at, (signals, scaled)) in all.iter_mut().zip(scaled(scores)).enumerate() {
        let before = at.checked_sub(1).map_or(0.0, |at| scores[at]);
        let after = scores.get(at + 1).copied().unwrap_or_default();
        signals.task_words = scores[at] / most;
        signals.task_words_here = scores[at] / most_here;
        signals.task_words_rank = scaled.rank;
        signals.log_task_words = scores[at].ln_1p();
        signals.neighbours_mean = f64::midpoint(before, after) / most_here;
        signals.neighbours_best = f64::max(before, after) / most_here;
    }
}

/// Sets what was found in the parts of a file.
fn set_found(all: &mut [PartSignals], found: &[Found]) {
    let most = |value: fn(&Found) -> f64| found.iter().map(value).fold(0.0, f64::max);
    let share = |value: f64, most: f64| if most > 0.0 { value / most } else { 0.0 };
    let task_names = most(|found| found.task_names);
    let uses_targets = most(|found| found.uses_targets);
    let targets_use = most(|found| found.targets_use);
    let target_names = most(|found| found.target_names);
    let like_focus = most(|found| found.like_focus);
    let covered = most(|found| found.covered_rarity);
    let uses_focus = most(|found| found.uses_focus);
    for (signals, found) in all.iter_mut().zip(found) {
        signals.task_names = share(found.task_names, task_names);
        signals.uses_targets = share(found.uses_targets, uses_targets);
        signals.targets_use = share(found.targets_use, targets_use);
        signals.target_names = share(found.target_names, target_names);
        signals.like_focus = share(found.like_focus, like_focus);
        signals.task_covered = share(found.covered_rarity, covered);
        signals.uses_focus = share(found.uses_focus, uses_focus);
        signals.title_words = found.title_words;
        signals.title_named = flag(found.title_named);
        signals.title_rarity = found.title_rarity;
        signals.covered_rarity = found.covered_rarity;
        signals.headline_title = found.headline_title;
        signals.owner_named = flag(found.owner_named);
        signals.owner_headline = found.owner_headline;
        signals.log_task_names = (1.0 + found.task_names).ln();
        signals.log_uses_targets = (1.0 + found.uses_targets).ln();
        signals.log_targets_use = (1.0 + found.targets_use).ln();
        signals.log_focus = (1.0 + found.focus).ln();
        signals.log_uses_focus = (1.0 + found.uses_focus).ln();
        signals.log_like_focus = (1.0 + found.like_focus).ln();
    }
}

/// Sets how the task points to the parts of a file.
fn set_mentions(all: &mut [PartSignals], parts: &[ReadPart], path: &str, mentions: &Mentions) {
    for (signals, read) in all.iter_mut().zip(parts) {
        signals.line_named = mentions.lines(path, &read.part.lines);
        signals.qualified = mentions.qualified(path, &read.part.names);
        if let Some(own) = read.part.names.last() {
            signals.traced = mentions.function(path, own);
            signals.said = flag(mentions.says(own));
        }
    }
}

/// Sets what the parts of a file are, and where. Their titles are known already.
fn set_form(all: &mut [PartSignals], parts: &[ReadPart]) {
    let licences = parts
        .iter()
        .take_while(|read| read.part.role == Role::Licence);
    let licences = licences.count();
    let count = parts.len() - licences;
    let all = all.iter_mut().zip(parts).skip(licences);
    for (at, (signals, read)) in all.enumerate() {
        let role = read.part.role;
        signals.head = flag(role == Role::Head);
        signals.of_type = flag(role == Role::Type);
        signals.loose = flag(role == Role::Loose);
        signals.inside = flag(role == Role::Inside);
        signals.block = flag(role == Role::Block);
        signals.function_title = flag(role == Role::Function) * signals.title_rarity;
        signals.last = flag(at + 1 == count);
        signals.only = flag(count == 1);
        signals.place = at as f64 / count as f64;
        signals.depth = read.part.owners.len() as f64;
        signals.log_lines = (read.part.lines.len() as f64).ln_1p();
        signals.log_names = (read.uses.len() as f64).ln_1p();
        signals.prose = f64::from(read.prose) / 100.0;
        signals.prose_task_words = signals.prose * signals.task_words;
        signals.recency = read.recency;
    }
}

/// Sets the signals of parts that are not source.
fn set_beside(all: &mut [PartSignals], parts: &[ReadPart], kind: Kind) {
    if !kind.is_beside() {
        return;
    }
    let newest = match kind {
        Kind::Changelog => newest(parts),
        _ => 0..0,
    };
    for (at, (signals, read)) in all.iter_mut().zip(parts).enumerate() {
        signals.beside = 1.0;
        signals.section = flag(read.part.role == Role::Section);
        signals.newest = flag(newest.contains(&at));
        signals.newest_first = flag(!newest.is_empty() && at == newest.start);
        signals.newest_last = flag(!newest.is_empty() && at + 1 == newest.end);
        signals.before_newest = flag(at < newest.start);
        signals.build = flag(kind == Kind::Build);
        if kind == Kind::Document {
            signals.document_task_words = signals.task_words;
        }
        if kind == Kind::Build {
            signals.commands = share_of_commands(read);
        }
    }
}

/// Three of the commands that check a change in one part are as good as all.
pub const ENOUGH_COMMANDS: u8 = 3;

fn share_of_commands(read: &ReadPart) -> f64 {
    f64::from(read.commands.min(ENOUGH_COMMANDS)) / f64::from(ENOUGH_COMMANDS)
}
