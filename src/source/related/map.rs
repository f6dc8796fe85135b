//! The repository's map: its most central declarations, for whoever plans.
//!
//! Files are nodes. A file leads to another one by each name that it uses and few files
//! declare, so that a random reader who follows names comes by the files that much
//! depends on. Of what they declare the names that led there are the central
//! ones. Targets and what the task speaks of get more of the readers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use foldhash::fast::RandomState;

use super::known::{self, Known, WORTH_WRITING};
use super::paths::{is_aside, is_program, is_test, stem};
use super::question::exact;
use super::survey::Survey;
use super::words::names;
use super::{Ranking, beginning};
use crate::repo::{Repo, RepoPath, Stamp};
use crate::role::pattern::Exclusion;
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::{counted, visible};
use crate::syntax::outline::{Entry, entries};

/// So many files are parsed for what they declare, tests and examples last.
const MAX_FILES: usize = 2000;

/// Together they have at most so many bytes: parsing takes about a second for ten million.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// So many declarations are kept for the next map.
const MAX_KEPT: usize = 60_000;

/// A larger file is data, or made by a program.
const MAX_FILE: u64 = 256 * 1024;

/// A name that more files declare tells little of which is meant.
const MAX_DECLARERS: usize = 5;

/// A file leads to at most so many others, the strongest.
const MAX_LINKS: usize = 200;

/// The map has at most so many lines, and shows so many files: it is an overview.
const MAX_LINES: usize = 500;
const MAX_SHOWN: usize = 120;

/// Of one declaration at most so many lines are shown.
const MAX_ENTRY: usize = 16;

/// Readers go on with this probability, and else begin anew.
const DAMPING: f64 = 0.85;

/// After so many steps the ranks hardly change.
const STEPS: usize = 20;

/// How often readers begin in a test or an example, for once in another file.
const ASIDE: f64 = 0.05;

/// How many files a target counts for, and how many one whose name or whose declaration
/// the task mentions.
const TARGET: f64 = 10.0;
const MENTIONED: f64 = 5.0;

/// A name that the task mentions counts for so many.
const ASKED_FOR: f64 = 10.0;

/// A word such as `value` is in most files the name of something else.
const PLAIN_WORD: f64 = 0.1;

/// A name that some files declare.
#[derive(Default)]
struct Declared {
    files: Vec<usize>,
    /// What a use of it counts.
    weight: f64,
}

/// What leads from where to where.
struct Graph<'a> {
    survey: &'a Survey,
    declared: HashMap<u32, Declared, RandomState>,
    /// How often readers begin in each file.
    begin: Vec<f64>,
}

/// Draws the map. What the targets declare is not in it, since they are shown themselves.
pub(in crate::source) fn section(
    repo: &Repo,
    task: &str,
    targets: &[RepoPath],
    ranking: Option<&Ranking>,
    exclusion: &Exclusion,
) -> Section {
    let task = beginning(task);
    let mut section = Section::new(Key::RepoMap, Vec::new());
    let mut own = None;
    let mut not_kept = None;
    let survey = match ranking {
        Some(ranking) => &ranking.survey,
        None => {
            let mut known = Known::of(repo);
            let files = known.files.take();
            let survey = Survey::of(repo, targets, &|path| exclusion.excludes(path), files, None);
            // Links of files that were read anew would no longer hold, so none are kept.
            not_kept = known.keep(repo, &survey, None, &HashMap::new(), 0).err();
            &own.insert((known, survey)).1
        }
    };
    let mut passed_over = survey.passed_over;
    let mut declarations = Declarations::of(repo, survey);
    let graph = Graph::of(&mut declarations, task, targets, &mut passed_over);
    let ranks = graph.ranks();
    let mut central: Vec<((usize, u32), f64)> = graph.central(&ranks).into_iter().collect();
    central.retain(|((at, _), _)| !targets.contains(&survey.files[*at].path));
    let place = |(at, name): (usize, u32)| (at, survey.vocabulary.names.name(name));
    central.sort_by(|a, b| {
        b.1.total_cmp(&a.1)
            .then_with(|| place(a.0).cmp(&place(b.0)))
    });
    let mut map = Map::default();
    for ((at, name), _) in central {
        if map.lines >= MAX_LINES {
            break;
        }
        map.add(&mut declarations, at, name);
    }
    let (text, spare) = map.draw(survey);
    if !text.is_empty() {
        section.pieces.push(Piece {
            spare,
            ..Piece::text(Body::Outline(text))
        });
    }
    if let Some(why) = declarations.keep().err().or(not_kept) {
        let message = format!("the cache is not written: {why}");
        section.notes.push(Note::new(NoteKind::Reason, message));
    }
    if passed_over > 0 {
        let files = counted(passed_over, "file");
        let message = format!("{files} not looked at: there are too many");
        section.notes.push(Note::new(NoteKind::Reason, message));
    }
    drop(map);
    declarations.give_back();
    if let Some((known, survey)) = own {
        known.give_back(repo, survey, None);
    }
    section
}

impl<'a> Graph<'a> {
    fn of(
        declarations: &mut Declarations<'a>,
        task: &str,
        targets: &[RepoPath],
        passed_over: &mut usize,
    ) -> Graph<'a> {
        let survey = declarations.survey;
        let is_beside = |at: &usize| {
            let path = survey.files[*at].path.as_str();
            is_test(path) || is_aside(path)
        };
        let mut order: Vec<usize> = (0..survey.files.len())
            .filter(|at| is_program(survey.files[*at].language))
            .collect();
        order.sort_by_key(|at| (is_beside(at), *at));
        let mut begin = vec![0.0; survey.files.len()];
        let mut declared: HashMap<u32, Declared, RandomState> = HashMap::default();
        let mentioned: HashSet<&str> = names(task).map(|(_, name)| name).collect();
        let stems: HashSet<String> = mentioned.iter().map(|name| name.to_lowercase()).collect();
        let mut left = MAX_BYTES;
        for (read, at) in order.into_iter().enumerate() {
            let path = &survey.files[at].path;
            begin[at] = if is_beside(&at) { ASIDE } else { 1.0 };
            if targets.contains(path) {
                begin[at] += TARGET;
            }
            if stems.contains(&stem(path.as_str()).to_lowercase()) {
                begin[at] += MENTIONED;
            }
            let bytes = survey.files[at].read.bytes;
            if read >= MAX_FILES || bytes > left {
                *passed_over += 1;
                continue;
            }
            left -= bytes;
            for entry in declarations.in_file(at).iter() {
                let Some(name) = survey.vocabulary.names.get(&entry.name) else {
                    continue;
                };
                let is_asked_for =
                    !is_plain(&entry.name) && mentioned.contains(entry.name.as_str());
                let one = declared.entry(name).or_default();
                one.weight = survey.rarity(name);
                one.weight *= if is_plain(&entry.name) {
                    PLAIN_WORD
                } else {
                    1.0
                };
                one.weight *= if is_asked_for { ASKED_FOR } else { 1.0 };
                if one.files.len() <= MAX_DECLARERS && one.files.last() != Some(&at) {
                    one.files.push(at);
                }
                if is_asked_for {
                    begin[at] += MENTIONED;
                }
            }
        }
        declared.retain(|_, one| one.files.len() <= MAX_DECLARERS);
        Graph {
            survey,
            declared,
            begin,
        }
    }

    /// Where a file leads by each name that it uses, and how strongly.
    fn uses(&self, from: usize) -> impl Iterator<Item = (usize, u32, f64)> {
        let uses = self.survey.files[from].read.uses.iter();
        uses.filter_map(|(name, count)| Some((*name, *count, self.declared.get(name)?)))
            .flat_map(move |(name, count, one)| {
                let weight = one.weight * f64::from(count).sqrt() / one.files.len() as f64;
                let weight = exact(weight);
                let to = one.files.iter().filter(move |to| **to != from);
                to.map(move |to| (*to, name, weight))
            })
    }

    /// How likely a reader is in each file.
    fn ranks(&self) -> Vec<f64> {
        let total: f64 = self.begin.iter().sum();
        let begin: Vec<f64> = self
            .begin
            .iter()
            .map(|share| share / total.max(1.0))
            .collect();
        let links: Vec<Vec<(usize, f64)>> = (0..begin.len()).map(|at| self.links(at)).collect();
        let mut ranks = begin.clone();
        for _ in 0..STEPS {
            let mut next = vec![0.0; ranks.len()];
            let mut lost = 0.0;
            for (at, links) in links.iter().enumerate() {
                for (to, share) in links {
                    next[*to] += ranks[at] * share;
                }
                if links.is_empty() {
                    lost += ranks[at];
                }
            }
            for (at, rank) in next.iter_mut().enumerate() {
                *rank = DAMPING * (*rank + lost * begin[at]) + (1.0 - DAMPING) * begin[at];
            }
            ranks = next;
        }
        ranks
    }

    /// To which files one leads, as shares of one.
    fn links(&self, from: usize) -> Vec<(usize, f64)> {
        let mut strength: HashMap<usize, f64> = HashMap::new();
        for (to, _, weight) in self.uses(from) {
            *strength.entry(to).or_default() += weight;
        }
        let mut links: Vec<(usize, f64)> = strength.into_iter().collect();
        links.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        links.truncate(MAX_LINKS);
        let total: f64 = links.iter().map(|(_, weight)| weight).sum();
        links.retain(|_| total > 0.0);
        links
            .iter()
            .map(|(to, weight)| (*to, weight / total))
            .collect()
    }

    /// How many readers come to each declaration, by the file that it is in and its name.
    fn central(&self, ranks: &[f64]) -> HashMap<(usize, u32), f64> {
        let mut central: HashMap<(usize, u32), f64> = HashMap::new();
        for (from, rank) in ranks.iter().enumerate() {
            let total: f64 = self.uses(from).map(|(_, _, weight)| weight).sum();
            if total > 0.0 {
                for (to, name, weight) in self.uses(from) {
                    *central.entry((to, name)).or_default() += rank * weight / total;
                }
            }
        }
        central.retain(|(at, _), _| self.begin[*at] >= 1.0);
        central
    }
}

/// Whether a name could as well be a word of any program.
fn is_plain(name: &str) -> bool {
    const LONG: usize = 12;
    name.len() < LONG && name.bytes().all(|b| b.is_ascii_lowercase())
}

/// What is kept of what files declare, by their paths.
type Kept = HashMap<String, (Stamp, Vec<Entry>)>;

/// What files declare, of which most is known from the last map.
struct Declarations<'a> {
    repo: &'a Repo,
    survey: &'a Survey,
    known: Kept,
    /// What files declare, and whether they could be read.
    found: BTreeMap<usize, (Rc<Vec<Entry>>, bool)>,
    /// How many files were parsed, though they are not about to change.
    fresh: usize,
}

impl<'a> Declarations<'a> {
    fn of(repo: &'a Repo, survey: &'a Survey) -> Declarations<'a> {
        let (key, name) = Declarations::entry(repo);
        let read = || {
            repo.cache()
                .and_then(|cache| cache.read::<Kept>(&name, &key))
        };
        let mut known = repo.recall().or_else(read).unwrap_or_default();
        let is_here = |path: &str| {
            let files = &survey.files;
            files
                .binary_search_by(|file| file.path.as_str().cmp(path))
                .is_ok()
        };
        // The next prompt of this run may be about other files.
        known.retain(|path, _| repo.look().is_some() || is_here(path));
        Declarations {
            repo,
            survey,
            known,
            found: BTreeMap::new(),
            fresh: 0,
        }
    }

    /// What a file declares.
    fn in_file(&mut self, at: usize) -> Rc<Vec<Entry>> {
        if let Some((found, _)) = self.found.get(&at) {
            return Rc::clone(found);
        }
        let file = &self.survey.files[at];
        let known = self.known.remove(file.path.as_str());
        let known = known.filter(|(stamp, _)| file.stamp == Some(*stamp));
        let found = match known {
            Some((_, entries)) => Some(entries),
            None => {
                self.fresh += usize::from(file.stamp.is_some());
                self.text(at).map(|text| entries(file.language, &text))
            }
        };
        let is_read = found.is_some();
        let found = Rc::new(found.unwrap_or_default());
        self.found.insert(at, (Rc::clone(&found), is_read));
        found
    }

    fn text(&self, at: usize) -> Option<String> {
        let path = &self.survey.files[at].path;
        Some(self.repo.read_at(path, path, MAX_FILE).ok()?.text)
    }

    /// Keeps them for the next map, if enough of them is new.
    fn keep(&self) -> Result<(), String> {
        let is_worth = self.fresh > 0 && self.fresh * WORTH_WRITING >= self.found.len();
        let Some(cache) = self.repo.cache().filter(|_| is_worth) else {
            return Ok(());
        };
        let mut left = MAX_KEPT;
        let files = self.found.iter().filter_map(|(at, (entries, is_read))| {
            let file = &self.survey.files[*at];
            left = left.saturating_sub(entries.len());
            let is_worth = *is_read && left > 0;
            is_worth.then_some((file.path.as_str(), (file.stamp?, entries.as_ref())))
        });
        let files: BTreeMap<&str, (Stamp, &Vec<Entry>)> = files.collect();
        let (key, name) = Declarations::entry(self.repo);
        cache.write(&name, &key, &files)
    }

    /// Keeps them in memory for the next prompt, if there is one.
    fn give_back(self) {
        if self.repo.look().is_none() {
            return;
        }
        let mut known = self.known;
        for (at, (entries, is_read)) in self.found {
            let file = &self.survey.files[at];
            if let (Some(stamp), Some(entries), true) =
                (file.stamp, Rc::into_inner(entries), is_read)
            {
                known.insert(file.path.to_string(), (stamp, entries));
            }
        }
        let mut left = MAX_KEPT;
        known.retain(|_, (_, entries)| {
            left = left.saturating_sub(entries.len());
            left > 0
        });
        self.repo.remember(known);
    }

    /// What the entry is for, and its name.
    fn entry(repo: &Repo) -> (String, String) {
        let (key, name) = known::key(repo);
        (key, format!("{name}-map"))
    }
}

/// What is in the map so far.
#[derive(Default)]
struct Map {
    /// The files in the order in which they came in.
    order: Vec<usize>,
    files: HashMap<usize, Shown>,
    /// How many declarations were added.
    rank: usize,
    lines: usize,
}

/// A file of which something is shown.
struct Shown {
    lines: Vec<String>,
    entries: Rc<Vec<Entry>>,
    /// Those of its lines that are in the map, with the rank of what brought them in.
    ranks: HashMap<usize, usize>,
}

impl Map {
    /// Adds a declaration with what it lies in.
    fn add(&mut self, declarations: &mut Declarations<'_>, at: usize, name: u32) {
        if !self.files.contains_key(&at) {
            if self.order.len() >= MAX_SHOWN {
                return;
            }
            let entries = declarations.in_file(at);
            let text = declarations.text(at).unwrap_or_default();
            let lines = text.lines().map(str::to_owned).collect();
            self.order.push(at);
            self.files.insert(
                at,
                Shown {
                    lines,
                    entries,
                    ranks: HashMap::new(),
                },
            );
            // The path, and the empty line above it.
            self.lines += 2;
        }
        let Some(file) = self.files.get_mut(&at) else {
            return;
        };
        let rank = self.rank;
        // The first of that name: what follows are other forms of it, or what it can do.
        let names = &declarations.survey.vocabulary.names;
        let is_it = |entry: &Entry| names.get(&entry.name) == Some(name);
        let mut next = file.entries.iter().position(is_it);
        while let Some((here, entry)) = next.and_then(|at| Some((at, file.entries.get(at)?))) {
            // The file may have become shorter since.
            let lines = entry.lines.iter().cloned().flatten();
            for line in lines.take(MAX_ENTRY).filter(|at| *at < file.lines.len()) {
                file.ranks.entry(line).or_insert_with(|| {
                    self.lines += 1;
                    rank
                });
            }
            // What it lies in stands before it.
            next = entry.owner.filter(|owner| *owner < here);
        }
        self.rank += 1;
    }

    /// The text of the map, and which of its lines go first where there is less room.
    fn draw(&self, survey: &Survey) -> (String, Vec<std::ops::Range<usize>>) {
        let mut text = String::new();
        let mut number = 0;
        let mut ranked: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        for at in &self.order {
            let file = &self.files[at];
            let mut shown: Vec<(usize, usize)> = file
                .ranks
                .iter()
                .map(|(line, rank)| (*line, *rank))
                .collect();
            shown.sort_unstable();
            let Some(first) = shown.iter().map(|(_, rank)| *rank).min() else {
                continue;
            };
            let head = number;
            if number > 0 {
                text.push('\n');
                number += 1;
            }
            let path = visible(survey.files[*at].path.as_str());
            let lines = counted(file.lines.len(), "line");
            text.push_str(&format!("{path} ({lines})\n"));
            number += 1;
            ranked.push((first, head..number));
            for (line, rank) in shown {
                text.push_str(&format!("  {}\n", file.lines[line]));
                ranked.push((rank, number..number + 1));
                number += 1;
            }
        }
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.start.cmp(&a.1.start)));
        let spare = ranked.into_iter().map(|(_, lines)| lines).collect();
        (text, spare)
    }
}
