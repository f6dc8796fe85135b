//! The result: what each file and part is worth, and what speaks for it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::copies::{OF_COPY, Place, copies};
use super::history::History;
use super::lesser::Lesser;
use super::scores::{scores_of, shares};
use super::siblings::{OF_SIBLING, siblings};
use super::signals::{CandidateSignals, FileSignals, PartSignals, Weights};
use super::twins;
use crate::index::Links;
use crate::index::corpus::Corpus;
use crate::index::parts::ReadPart;
use crate::section::Valued;
use crate::show::visible;
use crate::syntax::parts::{Part, Role};

/// A file that is less likely to matter than this share of an average one is not packed only
/// because there is room.
const LEAST_LIFT: f64 = 0.1;

/// The same for a file that is not source, as a share of everything: the number of files says
/// nothing about it.
const LEAST_BESIDE: f64 = 0.005;

/// The targets are worth as much as all other files together times this.
const TARGETS_WORTH: f64 = 1.0;

/// The smallest share of a target's worth that any of its parts has.
const LEAST_SHARE: f64 = 1e-9;

/// How much of a file's worth its parts share by their length, whatever their scores. If a scorer
/// is wrong, any line is as likely as another, so the rest of a short likely file comes before
/// parts of unlikely files. Without a target less is known about parts, and it is more often
/// everything that a change takes that is wanted.
const BY_LENGTH: f64 = 0.1;
const BY_LENGTH_ALONE: f64 = 0.4;

/// A file that this share of source commits also changes counts as changing along with the source.
const OFTEN: f64 = 0.1;

/// The task names a file if at most three files have that name.
const NAMED: f64 = 0.3;

/// How likely each file, and each part of the likeliest files, is needed.
pub struct Ranking {
    pub(super) weights: &'static Weights,
    pub(super) targets: Vec<usize>,
    pub(super) histories: Vec<History>,
    pub(super) signals: Vec<FileSignals>,
    /// That a file is needed, as a share of everything that is.
    pub(super) likely: Vec<f64>,
    /// The same before any of its parts was looked at.
    pub(super) at_first: Vec<f64>,
    /// The files whose parts were looked at.
    pub(super) parts: HashMap<usize, Vec<(ReadPart, PartSignals)>>,
    /// The paths of these.
    pub(super) paths: HashMap<usize, Box<str>>,
    /// Their signals.
    pub(super) candidates: Vec<(usize, CandidateSignals)>,
    /// Parts that are worth something by themselves, whatever their file is.
    pub(super) singled: Vec<Singled>,
    /// Names that a change removed and others still have.
    pub(super) left_behind: Vec<u32>,
    /// The factors of parts that are worth less than their words suggest.
    pub(super) lesser: Lesser,
    /// What the parts of each source file that is not a target are worth, once somebody asked.
    pub(super) compared: OnceLock<HashMap<usize, Vec<f64>>>,
}

/// A part that is worth something by itself.
pub(super) struct Singled {
    pub(super) file: usize,
    pub(super) part: usize,
    pub(super) worth: f64,
    pub(super) why: Why,
}

/// Why it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It says how a change is checked.
    Checks,
    /// It is a test that shows how the project writes them.
    Model,
    /// A change calls it.
    Called,
    /// A target uses it: that counts for its signature alone.
    Used,
    /// The task names its file, which is not source.
    Named,
    /// It has a version that the task is about.
    Version,
}

impl Ranking {
    /// Whether a part of a file is singled out for this reason.
    pub(super) fn is_singled(&self, file: usize, why: Why) -> bool {
        let mut singled = self.singled.iter();
        singled.any(|it| it.file == file && it.why == why)
    }

    /// Whether any file is known in which the work is.
    pub fn has_targets(&self) -> bool {
        !self.targets.is_empty()
    }

    /// Returns what each part of a file is worth; empty if that is not known.
    pub fn valued(&self, at: usize) -> Vec<Valued> {
        let Some(parts) = self.parts.get(&at) else {
            return Vec::new();
        };
        let own = |part, is_signature| {
            let is_it = |it: &&Singled| it.part == part && (it.why == Why::Used) == is_signature;
            let own = self.singled_in(at).filter(is_it);
            own.map(|it| it.worth).sum::<f64>()
        };
        let compared = self.compared.get_or_init(|| self.compared());
        let worths = compared.get(&at).cloned();
        let worths = worths.unwrap_or_else(|| self.worths(at, parts));
        parts
            .iter()
            .zip(worths)
            .enumerate()
            .map(|(part, ((read, _), worth))| Valued {
                lines: read.part.lines.clone(),
                owners: owners(&read.part),
                value: worth + own(part, false),
                signature: own(part, true),
            })
            .collect()
    }

    fn singled_in(&self, at: usize) -> impl Iterator<Item = &Singled> {
        self.singled.iter().filter(move |it| it.file == at)
    }

    /// Returns what the parts of a file are worth by the worth of the file, regardless of other
    /// files.
    fn worths(&self, at: usize, parts: &[(ReadPart, PartSignals)]) -> Vec<f64> {
        let is_target = self.targets.contains(&at);
        let worth = if is_target {
            TARGETS_WORTH / self.targets.len() as f64
        } else {
            let singled: f64 = self.singled_in(at).map(|it| it.worth).sum();
            (self.likely[at] - singled).max(0.0) * self.lesser.of_file(parts)
        };
        let scored = parts.iter().map(|(read, signals)| (read, signals));
        let mut scores = scores_of(self.weights, scored);
        twins::together(parts.iter().map(|(read, _)| &read.part), &mut scores);
        // Of a target even that is shown if there is nothing else to show.
        let least = if is_target { worth * LEAST_SHARE } else { 0.0 };
        let shares = if is_target {
            shares(&scores, |_| true)
        } else if self.signals[at].beside == 0.0 {
            self.shares_of_source(parts, scores)
        } else {
            let shares = shares(&scores, |_| true);
            let path = self.paths.get(&at).map_or("", |path| &**path);
            let counted = shares.iter().zip(self.lesser.of_beside(path, parts));
            counted.map(|(share, counts)| share * counts).collect()
        };
        let worths = shares.into_iter().map(|share| (worth * share).max(least));
        worths.collect()
    }

    /// Returns how the worth of a source file is shared among its parts, which have these scores.
    fn shares_of_source(
        &self,
        parts: &[(ReadPart, PartSignals)],
        mut scores: Vec<f64>,
    ) -> Vec<f64> {
        let counts = self.lesser.of_source(parts);
        let mut lengths = lengths(parts);
        for ((score, length), counts) in scores.iter_mut().zip(&mut lengths).zip(counts) {
            *score += counts.ln();
            *length *= counts;
        }
        let mut shares = shares(&scores, |_| true);
        let by_length = if self.has_targets() {
            BY_LENGTH
        } else {
            BY_LENGTH_ALONE
        };
        mix(&mut shares, &lengths, by_length);
        shares
    }

    /// Returns what the parts of source are worth, reducing those that say the same as a better one
    /// or are made like it. Parts of targets are not compared: what says the same as they do is
    /// just as likely to change.
    fn compared(&self) -> HashMap<usize, Vec<f64>> {
        let others = self
            .parts
            .iter()
            .filter(|(at, _)| self.signals[**at].beside == 0.0 && !self.targets.contains(at));
        let worths = others.map(|(at, parts)| (*at, self.worths(*at, parts)));
        let mut worths: HashMap<usize, Vec<f64>> = worths.collect();
        let copies = copies(self.places(&worths));
        // What changes one of several targets that are made alike may change all.
        let places = self.targets.is_empty().then(|| self.places(&worths));
        let mut siblings = siblings(places.into_iter().flatten());
        siblings.retain(|place| !copies.contains(place));
        for (lesser, counts) in [(copies, OF_COPY), (siblings, OF_SIBLING)] {
            for (file, part) in lesser {
                if let Some(worths) = worths.get_mut(&file) {
                    worths[part] *= counts;
                }
            }
        }
        worths
    }

    /// Returns the parts of these files, with what they are worth.
    fn places<'a>(
        &'a self,
        worths: &'a HashMap<usize, Vec<f64>>,
    ) -> impl Iterator<Item = Place<'a>> {
        worths.iter().flat_map(|(file, worths)| {
            let path = self.paths.get(file).map_or("", |path| &**path);
            let places = self.parts[file].iter().zip(worths).enumerate();
            places.map(move |(part, ((read, _), worth))| Place {
                file: *file,
                path,
                part,
                read,
                worth: *worth,
            })
        })
    }

    /// Returns what a file is worth whose parts are not known: one that was not looked at, because
    /// others are likelier, or one that is not ranked and so may be anything.
    pub fn of_unknown(&self, at: Option<usize>) -> f64 {
        at.map_or(1.0 / self.parts.len().max(1) as f64, |at| self.at_first[at])
    }

    /// Returns the lines of a file that no gap may divide.
    pub fn heads(&self, at: usize) -> Vec<Range<usize>> {
        let heads = self.parts_of(at).flat_map(|part| &part.heads);
        heads.cloned().collect()
    }

    /// Returns the parts of a file; none if it was not looked at.
    fn parts_of(&self, at: usize) -> impl Iterator<Item = &Part> {
        let parts = self.parts.get(&at).into_iter().flatten();
        parts.map(|(read, _)| &read.part)
    }

    /// Returns the functions, types and tests of a file by name, with their lines. The pieces of a
    /// long one count as one.
    pub fn titles(&self, at: usize) -> Vec<(Range<usize>, Vec<String>)> {
        let is_named = |part: &&Part| !matches!(part.role, Role::Head | Role::Loose);
        let named = self.parts_of(at).filter(is_named);
        let mut titles: Vec<(Range<usize>, Vec<String>)> = Vec::new();
        for part in named.filter(|part| !part.names.is_empty()) {
            match titles.last_mut() {
                Some((lines, names)) if lines.end == part.lines.start && *names == part.names => {
                    lines.end = part.lines.end;
                }
                _ => titles.push((part.lines.clone(), part.names.clone())),
            }
        }
        titles
    }

    /// Returns the lines of a file about its licence.
    pub fn licence(&self, at: usize) -> Range<usize> {
        let licence = self.parts_of(at).find(|part| part.role == Role::Licence);
        licence.map_or(0..0, |part| part.lines.clone())
    }

    /// Returns the lines of a file before its first declaration; none if it declares nothing.
    pub fn preamble(&self, at: usize) -> Range<usize> {
        let mut end = 0;
        for part in self.parts_of(at) {
            if !matches!(part.role, Role::Head | Role::Licence) {
                return 0..end;
            }
            end = part.lines.end;
        }
        0..0
    }

    /// Returns the lines of a file that do not run: those before its first declaration, and pieces
    /// of long comments, unless the task is about comments.
    pub fn still(&self, at: usize) -> Vec<Range<usize>> {
        let comments = self.lesser.sets_back_comments();
        let said = self.parts_of(at).filter(|part| comments && part.is_said);
        let said = said.map(|part| part.lines.clone());
        std::iter::once(self.preamble(at)).chain(said).collect()
    }

    /// Returns the files that are worth packing, the likeliest first; all that were looked at if
    /// they are to fill the budget.
    pub fn worth_packing(&self, fill: bool) -> Vec<usize> {
        let mut order: Vec<usize> = self.parts.keys().copied().collect();
        order.retain(|at| !self.targets.contains(at) && (fill || self.signals[*at].speak()));
        order.sort_by(|a, b| self.likely[*b].total_cmp(&self.likely[*a]).then(a.cmp(b)));
        let average = 1.0 / self.likely.len().max(1) as f64;
        let least = |at: &usize| {
            if self.signals[*at].beside > 0.0 {
                LEAST_BESIDE
            } else {
                average * LEAST_LIFT
            }
        };
        order.retain(|at| fill || self.likely[*at] >= least(at));
        order
    }

    /// Returns what speaks for a file, the strongest first.
    pub fn reasons(&self, corpus: &Corpus, links: &Links, at: usize) -> String {
        let path = |at: usize| corpus.files[at].path.as_str();
        let target = |is: &dyn Fn(usize) -> bool| {
            let target = self.targets.iter().find(|target| is(**target));
            target.map(|target| visible(path(*target)))
        };
        let signals = &self.signals[at];
        let imported_by = target(&|target| links[target].contains(&at));
        let imports = target(&|target| links[at].contains(&target));
        let is_like = |target: usize| {
            let facts = &corpus.files[target].facts;
            facts.is_named_like(path(target), &corpus.files[at].facts, path(at))
        };
        let same_name = (signals.same_stem > 0.0).then(|| target(&is_like));
        let together = match self.histories[at].times {
            0 => None,
            1 => Some("changed together once".to_owned()),
            times => Some(format!("changed together {times} times")),
        };
        let says = |is: bool, text: &str| is.then(|| text.to_owned());
        let goes_along = signals.beside > 0.0 && self.histories[at].along > OFTEN;
        let checks = self.is_singled(at, Why::Checks);
        let builds = signals.build > 0.0 && !checks;
        let reasons = [
            imported_by.map(|target| format!("imported by {target}")),
            imports.map(|target| format!("imports {target}")),
            together,
            same_name
                .flatten()
                .map(|target| format!("same name as {target}")),
            self.left_behind_in(corpus, at).map(str::to_owned),
            says(
                signals.named > NAMED || self.is_singled(at, Why::Named),
                "named in the task",
            ),
            says(
                self.has_version_of_task(at),
                "has a version that the task is about",
            ),
            says(signals.task_words > 0.5, "speaks of what the task does"),
            says(signals.messages > 0.5, "changed in commits like this task"),
            says(goes_along, "changes along with the source"),
            says(
                self.is_singled(at, Why::Called),
                "has what the change calls",
            ),
            says(
                self.is_singled(at, Why::Used),
                "declares what a target uses",
            ),
            says(checks, "says how the project is checked"),
            says(builds, "builds or checks the project"),
        ];
        let reasons: Vec<String> = reasons.into_iter().flatten().collect();
        if reasons.is_empty() {
            return "uses the same names".into();
        }
        reasons.join("; ")
    }

    /// Returns what a file has to do with names that a change removed from everything that it
    /// changed.
    fn left_behind_in(&self, corpus: &Corpus, at: usize) -> Option<&'static str> {
        let read = &corpus.files[at].read;
        let has = |name: &u32| read.uses.binary_search_by_key(name, |it| it.0).is_ok();
        let (mut uses, mut declares) = (false, false);
        for name in self.left_behind.iter().copied().filter(has) {
            let is_declared = read.declares.contains(&name);
            uses |= !is_declared;
            declares |= is_declared;
        }
        match (uses, declares) {
            (true, _) => Some("uses what the change took out"),
            (false, true) => Some("declares what the change uses no longer"),
            (false, false) => None,
        }
    }

    /// Returns the signals of each file.
    pub fn file_signals(&self) -> impl Iterator<Item = Vec<f64>> {
        self.signals.iter().map(|signals| signals.values().to_vec())
    }

    /// Returns the signals of each candidate: those that come with the parts, then those of the
    /// file.
    pub fn candidate_signals(&self) -> impl Iterator<Item = (usize, Vec<f64>)> {
        self.candidates.iter().map(|(at, signals)| {
            let before = self.signals[*at].values();
            (*at, [&signals.values()[..], &before[..]].concat())
        })
    }

    /// Returns the parts of each file that was looked at, with their signals.
    pub fn part_signals(&self) -> impl Iterator<Item = (usize, Vec<(&ReadPart, Vec<f64>)>)> {
        self.parts.iter().map(|(at, parts)| {
            let parts = parts.iter();
            let parts = parts.filter(|(read, _)| read.part.role != Role::Licence);
            let parts = parts.map(|(read, signals)| (read, signals.values().to_vec()));
            (*at, parts.collect())
        })
    }
}

/// Returns how many lines each part has; 0 for one that is only about the licence.
#[expect(clippy::cast_precision_loss, reason = "lines of a file")]
fn lengths(parts: &[(ReadPart, PartSignals)]) -> Vec<f64> {
    let length = |(read, _): &(ReadPart, PartSignals)| match read.part.role {
        Role::Licence => 0.0,
        _ => read.part.lines.len() as f64,
    };
    parts.iter().map(length).collect()
}

/// Redistributes a share `part` of the total in proportion to these.
fn mix(shares: &mut [f64], to: &[f64], part: f64) {
    let total: f64 = to.iter().sum();
    if total > 0.0 {
        for (share, to) in shares.iter_mut().zip(to) {
            *share = (1.0 - part) * *share + part * to / total;
        }
    }
}

/// Returns the lines that say where a part belongs.
fn owners(part: &Part) -> Vec<usize> {
    let heads = part.owners.iter().flat_map(Clone::clone);
    heads.chain(part.openers.iter().copied()).collect()
}
