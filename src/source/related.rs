//! Places the files that are likely to matter for a task and its targets, by their ranking.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::files::place;
use super::find::{Asked, Pick};
use super::{Gathering, MAX_FILE};
use crate::error::Error;
use crate::index::Index;
use crate::index::corpus::How;
use crate::parse::Parser;
use crate::rank::{
    ChangedLines, FileParts, Likely, Question, Ranking, SIGNAL_NAMES, Sought, Upkeep, Used, focus,
    say_how_to_check, touched,
};
use crate::repo::{Asker, Changed, Repo, RepoPath};
use crate::role::{DEFAULT_RELATED_FILES, Role};
use crate::section::{Body, Key, Note, NoteKind, Section, Valued};
use crate::show::{counted, grouped, quoted};
use crate::split;
use crate::syntax::{is_program, language};
use crate::tokens::{Counter, Tokenizer};

/// How many characters of a task count: each file's name is looked for in them.
const MAX_TASK: usize = 64 * 1024;

/// The most targets that files are compared with; a folder as a target may hold thousands.
const MAX_TARGETS: usize = 100;

/// The most files that are searched for what a change calls.
const MAX_SOUGHT: usize = 12;

/// The same for what the targets use: most of that lies in files that are looked at anyway.
const MAX_USED: usize = 6;

/// The most build files that are searched for how a change is checked.
const MAX_BUILDS: usize = 16;

/// The most lines of a change, with those around them, that say what it is about.
const MAX_LINES: usize = 5000;

/// The most names removed by a change that are searched for.
const MAX_GONE: usize = 200;

/// Returns the most related files that a role's prompt has.
pub fn most(role: &Role) -> usize {
    let related = &role.context().related;
    related.max_files().unwrap_or(DEFAULT_RELATED_FILES)
}

/// Returns the targets that count: the first ones, each once.
pub fn first_targets(targets: &[RepoPath]) -> Vec<RepoPath> {
    let mut once = std::collections::HashSet::new();
    let targets = targets.iter().filter(|target| once.insert(*target));
    targets.take(MAX_TARGETS).cloned().collect()
}

/// Returns as much of a task as counts.
pub fn beginning(task: &str) -> &str {
    Counter::Chars.cut(task, MAX_TASK)
}

/// Ranks the files of an index, and the parts of the `most` likeliest, of the targets, of what
/// these import, of the files in `also`, and of those that the change calls or the targets use. Who
/// writes is shown a test as a model.
pub fn rank(
    index: &mut Index<'_>,
    task: &str,
    targets: &[RepoPath],
    most: usize,
    also: &[String],
    change: Option<&Changed>,
    writes: bool,
) -> Ranking {
    let task = beginning(task);
    let place = |index: &Index<'_>, path: &str| index.corpus().place(path);
    let targets = targets.iter();
    let targets: Vec<usize> = targets.filter_map(|t| place(index, t.as_str())).collect();
    let also: Vec<usize> = also.iter().filter_map(|path| place(index, path)).collect();
    let links = index.links();
    let lines = change.map(lines_of_programs);
    let changed = change.map(Changed::paths).unwrap_or_default();
    let changed: Vec<usize> = changed.iter().filter_map(|it| place(index, it)).collect();
    let told = lines.as_ref().map(|lines| (lines, &changed[..]));
    let mut question = Question::new(index.corpus(), task, &targets, told);
    let of_targets = index.parts(targets.clone());
    let changed_lines = change.map(Changed::lines).unwrap_or_default();
    let lines_of = |at: usize| {
        let path = index.corpus().files[at].path.as_str();
        changed_lines.get(path).map(Vec::as_slice)
    };
    let (of_change, of_others): (Vec<FileParts>, Vec<FileParts>) = of_targets
        .into_iter()
        .partition(|(at, _)| lines_of(*at).is_some());
    let mut focused = touched(&of_change, |at| lines_of(at).unwrap_or_default());
    if focused.is_empty() {
        focused = focus(index.corpus(), &question, &of_change);
    }
    focused.extend(focus(index.corpus(), &question, &of_others));
    question.focus(index.corpus(), &focused);
    // What a change calls is looked for by its lines, and shown in whole.
    let used = match change {
        None => Used::of(index.corpus(), &focused, &targets, &links),
        Some(_) => Used::default(),
    };
    let (corpus, past) = index.with_past();
    let likely = Likely::of(corpus, &question, task, &targets, past, &links);
    let added = lines.iter().flat_map(|lines| &lines.new).copied();
    let called = Sought::called(corpus, added, &targets);
    let sought = called.files.iter().copied().take(MAX_SOUGHT);
    let sought = sought.chain(used.files().take(MAX_USED));
    let named = index.named().iter();
    let named: Vec<usize> = named
        .filter_map(|path| place(index, path.as_str()))
        .collect();
    let upkeep = Upkeep::of(index.corpus(), task, &targets);
    let also = also
        .into_iter()
        .chain(sought)
        .chain(upkeep.files.iter().copied());
    let also: Vec<usize> = also.chain(named.iter().copied()).collect();
    let mut candidates = likely.candidates(&links, most, &also);
    // What is looked at for a model alone counts for nothing else.
    let first = candidates.len();
    if writes {
        for test in likely.tests(index.corpus()) {
            if !candidates.contains(&test) {
                candidates.push(test);
            }
        }
    }
    let tests = candidates[first..].to_vec();
    let mut files = index.parts(candidates);
    // It must be told for every task, so it does not depend on the words of this one.
    if !files.iter().any(|(_, parts)| say_how_to_check(parts)) {
        let builds = likely.builds(index.corpus(), &files, MAX_BUILDS);
        let builds = index.parts(builds).into_iter();
        files.extend(builds.filter(|(_, parts)| say_how_to_check(parts)).take(1));
    }
    // What a program wrote beside the source has none.
    files.retain(|(at, parts)| !parts.is_empty() || !is_beside(index, *at));
    files.extend(of_change.into_iter().chain(of_others));
    if targets.is_empty() {
        let focused = likely.focus(index.corpus(), &question, &files);
        question.focus(index.corpus(), &focused);
    }
    let ranking = likely.with_parts(index.corpus(), &question, files);
    let ranking = ranking.with_called(index.corpus(), &called);
    let ranking = ranking.with_used(index.corpus(), &used).with_named(&named);
    let ranking = ranking.with_upkeep(index.corpus(), &upkeep);
    if writes {
        ranking.with_model(index.corpus(), &tests)
    } else {
        ranking
    }
}

/// Returns what is searched for in a repository of many files: the task, and the names that a
/// change removed and no changed file has any more.
pub fn sought<'a>(task: &'a str, change: Option<&Changed>) -> Cow<'a, str> {
    let task = beginning(task);
    let lines = change.map(lines_of_programs).unwrap_or_default();
    let mut gone: Vec<&str> = lines.gone_names().into_keys().collect();
    if gone.is_empty() {
        return Cow::Borrowed(task);
    }
    gone.sort_unstable();
    gone.truncate(MAX_GONE);
    Cow::Owned(format!("{task}\n{}", gone.join(" ")))
}

/// Returns the source lines that a change removed and added; files that still exist come first.
fn lines_of_programs(change: &Changed) -> ChangedLines<'_> {
    let diffs = change
        .diffs()
        .chain(change.deleted())
        .filter(|(path, _)| is_program(language(path)));
    ChangedLines::of(diffs.map(|(_, diff)| diff), MAX_LINES)
}

fn is_beside(index: &Index<'_>, at: usize) -> bool {
    index.corpus().files[at].facts.kind.is_beside()
}

/// Values the parts of a section's files.
pub fn value(index: &Index<'_>, ranking: &Ranking, section: &mut Section) {
    // Of what changed, the diff has the imports that did.
    let has_preamble = matches!(section.key, Key::Imports | Key::Related | Key::ChangedFiles);
    let is_guess = matches!(section.key, Key::Imports | Key::Related);
    for piece in &mut section.pieces {
        let at = piece.path.as_ref();
        let at = at.and_then(|path| index.corpus().place(path.as_str()));
        let Body::Source(text) = &piece.body else {
            continue;
        };
        let parts = at.map_or(Vec::new(), |at| ranking.valued(at));
        // A file that changed since it was ranked has other parts now.
        let is_whole = parts.last().map(|part| part.lines.end) == Some(split::count_lines(text));
        piece.parts = match is_whole {
            true => parts,
            false if is_guess => as_one(text, ranking.of_unknown(at)),
            false => Vec::new(),
        };
        let Some(at) = at else {
            continue;
        };
        if is_whole {
            piece.heads = ranking.heads(at).into();
            piece.titles = ranking.titles(at).into();
            // Where a file says nothing else it is what there is to show.
            let licence = Some(ranking.licence(at));
            let licence = licence.filter(|lines| lines.end < split::count_lines(text));
            piece.licence = licence.unwrap_or_default();
            if has_preamble {
                piece.preamble = ranking.preamble(at);
            }
        }
        piece.is_beside =
            section.key == Key::Related && is_beside(index, at) && !ranking.has_version_of_task(at);
        let file = &index.corpus().files[at];
        let outline = match file.how {
            How::Parsed => file.outline.clone(),
            How::Rough | How::Whole => Some(Vec::new()),
        };
        if let Some(outline) = outline.filter(|_| is_whole) {
            piece.outline = OnceLock::from(outline.into_boxed_slice());
        }
    }
}

/// Values a file as one part of this worth, if its parts are not known; an empty one gets none.
fn as_one(text: &str, value: f64) -> Vec<Valued> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![Valued {
        lines: 0..split::count_lines(text),
        owners: Vec::new(),
        value,
        signature: 0.0,
    }]
}

/// Packs the likeliest files that are in no other section, at most as many as the role says, or all
/// of them if they are to fill the budget.
pub(super) fn likeliest(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::Related, Vec::new());
    let (placer, most) = (&mut all.placer, most(all.ask.role));
    let (Some(index), Some(ranking)) = (&mut all.index, &all.ranking) else {
        return Ok(section);
    };
    let fill = all.ask.role.context().related.fills();
    section.fill = fill;
    section.goes_deep = !ranking.has_targets();
    let links = index.links();
    let corpus = index.corpus();
    for at in ranking.worth_packing(fill) {
        if section.pieces.len() >= most {
            break;
        }
        let path = &corpus.files[at].path;
        if has_place_of_its_own(all.ask.role, path.as_str()) {
            continue;
        }
        let pick = Pick::new(placer, path, Asked::ByGlob, Asker::Repository);
        match place(placer, &mut section, &pick) {
            // Nobody asked for this file, so a remark that it is too large is no use.
            Some(piece) if matches!(piece.body, Body::Marker(_)) => {
                section.pieces.pop();
            }
            Some(piece) => {
                let why = ranking.reasons(corpus, &links, at);
                let note = Note::new(NoteKind::Reason, why);
                piece.notes.push(note.on(path.as_str()));
            }
            None => {}
        }
    }
    // A file that is gone or binary is no loss here: nobody asked for it.
    section
        .notes
        .retain(|note| !matches!(note.kind, NoteKind::Unreadable | NoteKind::Skipped));
    let is_unread = |path: &&RepoPath| index.corpus().place(path.as_str()).is_none();
    for path in index.named().iter().filter(is_unread) {
        // Who writes a task may mention any file, so that is no fault of the caller.
        let why = format!(
            "the task names `{}`, but it is too large to be looked at, or no text; `--target` \
             shows what can be shown",
            quoted(path.as_str())
        );
        section.notes.push(Note::new(NoteKind::Reason, why));
    }
    if index.unsearched() > 0 {
        let files = of_all(index.unsearched(), index.candidates());
        let message = format!(
            "{files} were not searched for related files: there are too many, and those near the \
             targets or named in the task come first"
        );
        section.notes.push(Note::new(NoteKind::Unsearched, message));
    }
    if let Some(changes) = index.few_changes() {
        let known = match changes {
            0 => "nothing is known".to_owned(),
            _ => format!(
                "hardly anything is known, from {},",
                counted(changes, "change")
            ),
        };
        let message = format!(
            "this clone is shallow: {known} of what changes together; `git fetch --deepen 1000` \
             gets more of its history"
        );
        section.notes.push(Note::new(NoteKind::Git, message));
    }
    Ok(section)
}

/// Returns some of all files, in words.
pub fn of_all(some: usize, all: usize) -> String {
    format!("{} of {}", grouped(some), counted(all, "file"))
}

/// Whether a section below asks for this document: the conventions are not a guess.
fn has_place_of_its_own(role: &Role, path: &str) -> bool {
    let context = role.context();
    let is_convention = || context.conventions.files().contains(&path);
    is_convention() || context.project_context && path.starts_with(".context/")
}

/// The signals of a repository's files and of the parts of some of them, for learning the weights:
/// see `benches/quality`.
#[doc(hidden)]
#[derive(Debug, serde::Serialize)]
pub struct Signals {
    /// Path and signals of each file.
    pub files: Vec<(String, Vec<f64>)>,
    /// Path and signals of the likely files, once their parts are known: those that come with the
    /// parts, then those of the file.
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
    /// The signals of files that come with the parts.
    candidates: &'static [&'static str],
    parts: &'static [&'static str],
}

impl Signals {
    /// What the numbers are.
    pub const NAMES: SignalNames = SignalNames {
        files: SIGNAL_NAMES[0],
        candidates: SIGNAL_NAMES[1],
        parts: SIGNAL_NAMES[2],
    };

    /// Returns the signals for a task and targets, with the parts of these files.
    ///
    /// # Errors
    ///
    /// The error if this build lacks the tokenizer.
    pub(crate) fn of(
        repo: &Repo,
        parser: &Parser,
        task: &str,
        targets: &[RepoPath],
        also: &[String],
    ) -> Result<Signals, Error> {
        let counter = Tokenizer::O200k.counter()?;
        let targets = first_targets(targets);
        let mut index = Index::open(repo, parser, &targets, beginning(task), &|_| false);
        let ranking = rank(
            &mut index,
            task,
            &targets,
            DEFAULT_RELATED_FILES,
            also,
            None,
            false,
        );
        let path = |at: usize| index.corpus().files[at].path.to_string();
        let parts = ranking.part_signals().map(|(at, parts)| {
            let file = &index.corpus().files[at].path;
            let text = repo.read_for(Asker::Caller, file, MAX_FILE);
            let text = text.map_or(String::new(), |file| file.text);
            let lines = split::lines(&text);
            let rows = parts.into_iter().map(|(read, signals)| {
                let range = &read.part.lines;
                let tokens = counter.count(&(lines[range.clone()].join("\n") + "\n"));
                (range.start, range.end, tokens, signals)
            });
            (path(at), rows.collect())
        });
        let candidates = ranking.candidate_signals();
        let files = ranking.file_signals().enumerate();
        Ok(Signals {
            files: files.map(|(at, signals)| (path(at), signals)).collect(),
            candidates: candidates.map(|(at, row)| (path(at), row)).collect(),
            parts: parts.collect(),
        })
    }
}
