//! Files, and parts of files, that are likely to matter for a task and its targets.
//!
//! Each file gets signals (`signals.rs`) for a question (`question.rs`), out of one pass
//! over the repository (`survey.rs`) and out of git's history (`history.rs`). A linear
//! model whose weights were learned (`weights.rs`) turns them into probabilities: for each
//! file that it is among those that have to be changed, for each part of a file that the
//! change is there. Their product is what a part is worth, and the budget chooses by it.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files, words and lines, far below 2^52"
)]

mod history;
mod known;
mod links;
pub(super) mod map;
mod numbers;
mod packed;
mod paths;
mod question;
mod rows;
mod signals;
mod survey;
mod weights;
mod words;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use self::history::Told;
use self::known::Known;
use self::links::Found;
use self::packed::Packed;
use self::question::Question;
use self::signals::{CandidateSignals, FileSignals, PartSignals, Seen};
use self::survey::{How, Places, Survey};
use super::files::place;
use super::find::{Asked, Pick};
use super::imports::Said;
use super::{Desk, MAX_FILE};
use crate::repo::{Repo, RepoPath};
use crate::role::DEFAULT_RELATED_FILES;
use crate::section::{Body, Key, Note, NoteKind, Section, Valued};
use crate::show::{counted, visible};
use crate::syntax::cut;
use crate::syntax::parts::{Part, Role};
use crate::tokens::Tokenizer;

/// A file that is less likely to matter than this share of an average one is not packed
/// merely because there is room.
const LEAST_LIFT: f64 = 0.1;

/// So many characters of a task count: each file's name is looked for in them.
const MAX_TASK: usize = 64 * 1024;

/// Files are compared with so many targets; a folder as a target may hold thousands.
const MAX_TARGETS: usize = 100;

/// So many bytes are parsed, the targets first, then by likelihood. What comes behind is
/// cut into paragraphs.
const MAX_CUT: u64 = 1024 * 1024;

/// So many bytes more are cut into paragraphs. What comes behind is one part.
const MAX_ROUGH: u64 = 4 * 1024 * 1024;

/// The targets are worth as much as all other files together times this.
const TARGETS_WORTH: f64 = 1.0;

/// The signals of a repository's files and of the parts of some of them, for whoever
/// learns the weights: see `benches/quality`.
#[doc(hidden)]
#[derive(Debug, serde::Serialize)]
pub struct Signals {
    /// Path and signals of each file.
    pub files: Vec<(String, Vec<f64>)>,
    /// Path and signals of the likely files, once their parts are known: those that come
    /// with the parts, then those of the file.
    pub candidates: Vec<(String, Vec<f64>)>,
    /// Path, and for each part its lines and signals.
    pub parts: Vec<(String, Vec<PartRow>)>,
}

/// The first line, the one after the last, the tokens (`o200k`), and the signals.
pub type PartRow = (usize, usize, usize, Vec<f64>);

/// The names of the signals, in the order of their numbers in [`Signals`].
#[doc(hidden)]
#[derive(Debug, serde::Serialize)]
pub struct SignalNames {
    files: &'static [&'static str],
    /// Those that come with the parts.
    candidates: &'static [&'static str],
    parts: &'static [&'static str],
}

impl Signals {
    /// What the numbers are.
    pub const NAMES: SignalNames = SignalNames {
        files: FileSignals::NAMES,
        candidates: CandidateSignals::NAMES,
        parts: PartSignals::NAMES,
    };
}

/// How likely each file and each part of the likeliest ones is needed.
pub(super) struct Ranking {
    survey: Survey,
    place: Places,
    targets: Vec<usize>,
    told: Vec<Told>,
    signals: Vec<FileSignals>,
    /// That a file is needed, as a share of all that is.
    likely: Vec<f64>,
    /// The files whose parts were looked at.
    parts: HashMap<usize, Vec<(Seen, PartSignals)>>,
    /// Their signals.
    candidates: Vec<(usize, CandidateSignals)>,
    /// Why the next run will not know what this one found out.
    not_kept: Option<String>,
    known: Known,
    found: Found,
}

impl Ranking {
    /// Ranks the files of a repository, and the parts of the `most` likeliest, of the
    /// targets, of what these import, and of the files in `also`.
    pub(super) fn of(
        repo: &Repo,
        task: &str,
        targets: &[RepoPath],
        most: usize,
        also: &[String],
        excluded: &dyn Fn(&RepoPath) -> bool,
    ) -> Ranking {
        let task = beginning(task);
        let mut once = HashSet::new();
        let targets = targets.iter().filter(|target| once.insert(*target));
        let targets: Vec<RepoPath> = targets.take(MAX_TARGETS).cloned().collect();
        let mut known = Known::of(repo);
        let (files, counted) = (known.files.take(), known.counted.take());
        let mut survey = Survey::of(repo, &targets, excluded, files, counted);
        let files = survey.files.iter().enumerate();
        let place: Places = files.map(|(at, file)| (file.path.clone(), at)).collect();
        let targets: Vec<usize> = targets
            .iter()
            .filter_map(|target| place.get(target).copied())
            .collect();
        let found = Found::of(repo, &survey, &place, &mut known.links);
        let links = &found.links;
        let mut question = Question::new(&survey, task, &targets);
        let mut cutter = Cutter {
            repo,
            left: MAX_CUT,
            rough: MAX_ROUGH,
            fresh: 0,
        };
        let of_targets: Vec<(usize, Vec<Seen>)> = targets
            .iter()
            .map(|at| (*at, cutter.parts(&mut survey, *at)))
            .collect();
        question.focus(&survey, &focus(&survey, &question, &of_targets));
        let past = known.past(repo);
        let told = history::told(&survey, &place, task, &targets, past);
        let signals = signals::of_files(&survey, &question, &targets, &told, links);
        let scores: Vec<f64> = signals
            .iter()
            .map(|signals| signals.weighed(&weights::FILES).sum())
            .collect();
        let others = |at: &usize| !targets.contains(at);
        let likely = shares(&scores, others);
        let mut order: Vec<usize> = (0..survey.files.len()).filter(others).collect();
        order.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]).then(a.cmp(b)));
        order.truncate(most);
        let also = also
            .iter()
            .filter_map(|path| place.get(path.as_str()).copied());
        let imported = targets
            .iter()
            .flat_map(|target| links[*target].iter().copied())
            .take(most);
        order.extend(also.chain(imported));
        let mut once = HashSet::new();
        order.retain(|at| once.insert(*at));
        order.retain(others);
        let mut seen: Vec<(usize, Vec<Seen>)> = order
            .into_iter()
            .map(|at| (at, cutter.parts(&mut survey, at)))
            .collect();
        seen.extend(of_targets);
        let part_signals = signals::of_parts(&survey, &question, &seen);
        // Once more, with what is in the parts of those that are likely.
        let candidates: Vec<CandidateSignals> = seen
            .iter()
            .zip(&part_signals)
            .map(|((at, _), parts)| {
                let scores: Vec<f64> = parts.iter().map(score_of_part).collect();
                signals::of_candidate(likely[*at], parts, &scores)
            })
            .collect();
        let again: Vec<f64> = seen
            .iter()
            .zip(&candidates)
            .map(|((at, _), candidate)| {
                let before = signals[*at].weighed(&weights::CANDIDATE_FILES);
                candidate.weighed(&weights::CANDIDATES).chain(before).sum()
            })
            .collect();
        let again = shares(&again, |at| !targets.contains(&seen[*at].0));
        let mut likely = vec![0.0; survey.files.len()];
        for ((at, _), share) in seen.iter().zip(again) {
            likely[*at] = share;
        }
        let candidates = seen.iter().map(|(at, _)| *at).zip(candidates).collect();
        let parts = seen
            .into_iter()
            .zip(part_signals)
            .map(|((at, seen), signals)| (at, seen.into_iter().zip(signals).collect()))
            .collect();
        let not_kept = known
            .keep(repo, &survey, Some(&found), &parts, cutter.fresh)
            .err();
        Ranking {
            survey,
            place,
            targets,
            told,
            signals,
            likely,
            parts,
            candidates,
            not_kept,
            known,
            found,
        }
    }

    /// Keeps what was found out for the next prompt.
    pub(super) fn give_back(mut self, repo: &Repo) {
        if repo.look().is_none() {
            return;
        }
        for (at, parts) in self.parts {
            let file = &mut self.survey.files[at];
            let packed = match file.how {
                How::Parsed => &mut file.parts,
                How::Rough => &mut file.rough,
                How::Whole => continue,
            };
            if packed.is_none() {
                *packed = Packed::of(parts.iter().map(|(seen, _)| seen));
                file.weight = 0;
            }
        }
        self.known.give_back(repo, self.survey, Some(self.found));
    }

    /// All files of the repository but links, in order, if they were all listed.
    pub(super) fn listed(&self) -> Option<Arc<[String]>> {
        self.survey.listed.clone()
    }

    /// What each file says of itself.
    pub(super) fn say(&self) -> Vec<(&str, Said<'_>)> {
        self.survey.files.iter().map(links::say).collect()
    }

    /// What each part of a file is worth; empty if that is not known.
    fn valued(&self, at: usize) -> Vec<Valued> {
        let Some(parts) = self.parts.get(&at) else {
            return Vec::new();
        };
        let worth = if self.targets.contains(&at) {
            TARGETS_WORTH / self.targets.len() as f64
        } else {
            self.likely[at]
        };
        let scores: Vec<f64> = parts
            .iter()
            .map(|(_, signals)| score_of_part(signals))
            .collect();
        let shares = shares(&scores, |_| true);
        parts
            .iter()
            .zip(shares)
            .map(|((seen, _), share)| Valued {
                lines: seen.part.lines.clone(),
                owners: seen.part.owners.clone(),
                value: worth * share,
            })
            .collect()
    }

    /// Values the parts of a section's files.
    pub(super) fn value(&self, section: &mut Section) {
        for piece in &mut section.pieces {
            let Some(path) = &piece.path else { continue };
            if let (Some(at), Body::Source(text)) = (self.place.get(path.as_str()), &piece.body) {
                let parts = self.valued(*at);
                // A file that changed since it was ranked has other parts now.
                let is_whole =
                    parts.last().map(|part| part.lines.end) == Some(text.lines().count());
                piece.parts = if is_whole { parts } else { Vec::new() };
                let file = &self.survey.files[*at];
                let outline = match file.how {
                    How::Parsed => file.outline.clone(),
                    How::Rough | How::Whole => Some(Vec::new()),
                };
                if let Some(outline) = outline.filter(|_| is_whole) {
                    piece.outline = OnceLock::from(outline);
                }
            }
        }
        // Of what was asked for by name as much is shown as there is room for.
        section.fill |= section.key == Key::TargetFile;
    }

    /// Packs the likeliest files that are nowhere else, at most `most`; all of them if
    /// they are to fill the budget.
    pub(super) fn section(&self, desk: &mut Desk<'_>, most: usize, fill: bool) -> Section {
        let mut section = Section::new(Key::Related, Vec::new());
        section.fill = fill;
        let mut order: Vec<usize> = self.parts.keys().copied().collect();
        order.retain(|at| !self.targets.contains(at) && (fill || self.signals[*at].speak()));
        order.sort_by(|a, b| self.likely[*b].total_cmp(&self.likely[*a]).then(a.cmp(b)));
        let average = 1.0 / self.survey.files.len().max(1) as f64;
        for at in order {
            if section.pieces.len() >= most || (!fill && self.likely[at] < average * LEAST_LIFT) {
                break;
            }
            let path = &self.survey.files[at].path;
            let pick = Pick::new(desk, path, Asked::ByGlob);
            let before = section.pieces.len();
            place(desk, &mut section, pick);
            // Nobody asked for this file, so a remark that it is too large is no use.
            if section
                .pieces
                .get(before)
                .is_some_and(|piece| matches!(piece.body, Body::Marker(_)))
            {
                section.pieces.truncate(before);
            }
            if let Some(piece) = section.pieces.get_mut(before) {
                let why = self.reasons(at);
                piece
                    .notes
                    .push(Note::new(NoteKind::Reason, why).on(path.as_str()));
            }
        }
        // A file that is gone or binary is no loss here: nobody asked for it.
        section
            .notes
            .retain(|note| !matches!(note.kind, NoteKind::Unreadable | NoteKind::Skipped));
        if let Some(why) = &self.not_kept {
            let message = format!("the cache is not written: {why}");
            section.notes.push(Note::new(NoteKind::Reason, message));
        }
        let passed_over = self.survey.passed_over;
        if passed_over > 0 {
            let files = counted(passed_over, "file");
            let message =
                format!("{files} not looked at, mostly far from the targets: there is too much");
            section.notes.push(Note::new(NoteKind::Reason, message));
        }
        section
    }

    /// What speaks for a file, the strongest first.
    fn reasons(&self, at: usize) -> String {
        let signals = &self.signals[at];
        let path = |at: usize| visible(self.survey.files[at].path.as_str()).into_owned();
        let mut reasons = Vec::new();
        if let Some(target) = self
            .targets
            .iter()
            .find(|t| self.found.links[**t].contains(&at))
        {
            reasons.push(format!("imported by {}", path(*target)));
        }
        if let Some(target) = self
            .targets
            .iter()
            .find(|t| self.found.links[at].contains(t))
        {
            reasons.push(format!("imports {}", path(*target)));
        }
        match self.told[at].times {
            0 => {}
            1 => reasons.push("changed together once".into()),
            times => reasons.push(format!("changed together {times} times")),
        }
        if signals.same_stem > 0.0 {
            let stem = |at: usize| paths::stem(self.survey.files[at].path.as_str());
            let target = self.targets.iter().find(|t| stem(**t) == stem(at));
            reasons.extend(target.map(|target| format!("same name as {}", path(*target))));
        }
        if signals.named > 0.0 {
            reasons.push("named in the task".into());
        }
        if signals.task_words > 0.5 {
            reasons.push("speaks of what the task does".into());
        }
        if signals.messages > 0.5 {
            reasons.push("changed in commits like this task".into());
        }
        if reasons.is_empty() {
            reasons.push("uses the same names".into());
        }
        reasons.join("; ")
    }
}

/// The signals for a task and targets, with the parts of these files.
pub(crate) fn signals(repo: &Repo, task: &str, targets: &[RepoPath], also: &[String]) -> Signals {
    let ranking = Ranking::of(repo, task, targets, DEFAULT_RELATED_FILES, also, &|_| false);
    let path = |at: usize| ranking.survey.files[at].path.to_string();
    let files = ranking.signals.iter().enumerate();
    let parts = ranking.parts.iter().map(|(at, parts)| {
        let file = &ranking.survey.files[*at].path;
        let text = repo
            .read_at(file, file, MAX_FILE)
            .map_or(String::new(), |f| f.text);
        let lines: Vec<&str> = text.lines().collect();
        let told = parts.iter().map(|(seen, signals)| {
            let range = &seen.part.lines;
            let tokens = Tokenizer::O200k.count(&(lines[range.clone()].join("\n") + "\n"));
            (range.start, range.end, tokens, signals.values().to_vec())
        });
        (path(*at), told.collect())
    });
    let candidates = ranking.candidates.iter().map(|(at, signals)| {
        let before = ranking.signals[*at].values();
        (path(*at), [&signals.values()[..], &before[..]].concat())
    });
    Signals {
        candidates: candidates.collect(),
        files: files
            .map(|(at, signals)| (path(at), signals.values().to_vec()))
            .collect(),
        parts: parts.collect(),
    }
}

fn score_of_part(signals: &PartSignals) -> f64 {
    signals.weighed(&weights::PARTS).sum()
}

/// Scores as shares of one (softmax), over those that count.
fn shares(scores: &[f64], counts: impl Fn(&usize) -> bool) -> Vec<f64> {
    let places = || (0..scores.len()).filter(|at| counts(at));
    let most = places()
        .map(|at| scores[at])
        .fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = places().map(|at| (scores[at] - most).exp()).sum();
    (0..scores.len())
        .map(|at| {
            if counts(&at) {
                (scores[at] - most).exp() / total
            } else {
                0.0
            }
        })
        .collect()
}

/// As much of a task as counts.
fn beginning(task: &str) -> &str {
    Tokenizer::Chars.cut(task, MAX_TASK)
}

/// Cuts files into their parts.
struct Cutter<'a> {
    repo: &'a Repo,
    /// So many bytes may still be parsed.
    left: u64,
    /// So many may be cut into paragraphs.
    rough: u64,
    /// How many files had to be parsed.
    fresh: usize,
}

impl Cutter<'_> {
    /// The parts of a file with the names in them.
    fn parts(&mut self, survey: &mut Survey, at: usize) -> Vec<Seen> {
        let file = &mut survey.files[at];
        let rest = self.left.checked_sub(file.read.bytes);
        let language = if rest.is_some() { file.language } else { "" };
        self.left = rest.unwrap_or_default();
        let rough = match rest {
            Some(_) => Some(self.rough),
            None => self.rough.checked_sub(file.read.bytes),
        };
        self.rough = rough.unwrap_or_default();
        file.how = match (rest, rough) {
            (Some(_), _) => How::Parsed,
            (None, Some(_)) => How::Rough,
            (None, None) => How::Whole,
        };
        let names = survey.vocabulary.names.len();
        let mut none = None;
        let packed = match file.how {
            How::Parsed => &mut file.parts,
            How::Rough => &mut file.rough,
            How::Whole => &mut none,
        };
        if let Some(known) = packed.as_ref().and_then(|packed| packed.parts(names)) {
            return known;
        }
        *packed = None;
        let Ok(read) = self.repo.read_at(&file.path, &file.path, MAX_FILE) else {
            // Nothing was found out that would be worth keeping.
            file.how = How::Whole;
            return Vec::new();
        };
        self.fresh += usize::from(file.stamp.is_some() && rest.is_some());
        let lines: Vec<&str> = read.text.lines().collect();
        if file.how == How::Whole {
            return vec![whole(lines.len())];
        }
        let (parts, outline) = cut(language, &read.text);
        if file.how == How::Parsed {
            file.outline = Some(outline);
        }
        let parts = parts.into_iter();
        parts
            .map(|part| Seen {
                uses: survey.counts(&lines[part.lines.clone()]),
                part,
            })
            .collect()
    }
}

/// A file of which nothing is known but how long it is.
fn whole(lines: usize) -> Seen {
    Seen {
        part: Part {
            lines: 0..lines,
            role: Role::Loose,
            names: Vec::new(),
            owners: Vec::new(),
        },
        uses: Vec::new(),
    }
}

/// How likely each part of the targets is to be changed.
fn focus<'a>(
    survey: &Survey,
    question: &Question,
    of_targets: &'a [(usize, Vec<Seen>)],
) -> Vec<(&'a Seen, f64)> {
    let signals = signals::of_parts(survey, question, of_targets);
    let mut focus = Vec::new();
    for ((_, seen), signals) in of_targets.iter().zip(signals) {
        let scores: Vec<f64> = signals.iter().map(score_of_part).collect();
        focus.extend(seen.iter().zip(shares(&scores, |_| true)));
    }
    focus
}
