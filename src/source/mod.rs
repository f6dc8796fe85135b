//! Gathers what a role asks for into sections.

#![expect(
    clippy::unnecessary_wraps,
    reason = "all functions that gather a section have one signature, and some fail"
)]

mod around;
mod audience;
mod check;
pub mod context_dir;
mod conventions;
pub mod diff;
mod document;
mod files;
mod find;
mod first_names;
mod imports;
mod matching;
mod origin;
pub mod reader;
mod recent_commits;
pub mod related;
mod repo_map;
mod repomix;
mod same;
mod target;
mod tree;
mod worth;

pub use self::check::{asked_for, check_patterns};
pub use self::files::Skipped;
use self::find::{Asked, Pick};
pub use self::matching::{Matching, Read};
pub use self::origin::{Origin, Origins, short};
pub use self::target::{Target, TargetError};

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::context::{Context, rank};
use crate::error::{Diagnostic, Error, ErrorKind, Rule, Severity};
use crate::index::Index;
use crate::nearest::help_among;
use crate::parse::Parser;
use crate::rank::Ranking;
use crate::repo::{Asker, Changed, Refusal, Repo, RepoPath, WantedChange};
use crate::role::pattern::{Exclusion, Pattern, PatternError, PatternLine};
use crate::role::{List, Role, Settings};
use crate::section::{Body, Key, Note, NoteKind, Outliner, Piece, Section, Source, sources};
use crate::settings::Engine;
use crate::show::quoted;

/// The most bytes of a single file that are read.
pub const MAX_FILE: u64 = 1024 * 1024;

/// The most bytes of all files of a prompt together.
pub const MAX_TOTAL: u64 = 10 * 1024 * 1024;

/// The most bytes of all files of `always_include` together.
pub const MAX_ALWAYS_INCLUDE: u64 = 2 * 1024 * 1024;

/// What to gather for.
pub struct Ask<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// The parser for what is there.
    pub parser: &'a Arc<Parser>,
    /// The role.
    pub role: &'a Role,
    /// The engine that lists what the globs match.
    pub engine: ChosenEngine,
    /// The change.
    pub change: &'a ChosenChange,
    /// What the worker is to do.
    pub task: &'a str,
    /// What the task is about, in the order given.
    pub targets: &'a [Target],
    /// Who named them.
    pub asker: Asker,
    /// Files that an earlier prompt showed.
    pub also: &'a [RepoPath],
    /// What the caller brought, in the order given.
    pub extra: &'a [(Key, String)],
}

/// A change, and whether the caller itself or the role asks for it.
#[derive(Debug, Clone)]
pub struct ChosenChange {
    /// Which one.
    pub which: WantedChange,
    /// The change of a caller is shown, and files are chosen for it, whatever the role says.
    pub by_caller: bool,
    /// What was found of it.
    found: OnceCell<Arc<Changed>>,
}

impl ChosenChange {
    /// Makes a change that nobody has looked for yet.
    pub fn new(which: WantedChange, by_caller: bool) -> ChosenChange {
        ChosenChange {
            which,
            by_caller,
            found: OnceCell::new(),
        }
    }

    /// Whether a caller named it and there is none: a branch that does not exist, a diff without
    /// files, or nothing that changed.
    pub fn is_missing(&self) -> bool {
        let is_none = |found: &Arc<Changed>| match &found.files {
            Ok(files) => files.items.iter().all(|file| file.path.is_empty()),
            Err(_) => true,
        };
        self.by_caller && self.found.get().is_some_and(is_none)
    }

    /// Looks for it. All of a prompt is about what was found first.
    pub fn found(&self, repo: &Repo) -> Arc<Changed> {
        Arc::clone(self.found.get_or_init(|| repo.changed(&self.which)))
    }
}

/// An engine, and whether the caller itself or the role asks for it.
#[derive(Debug, Clone, Copy)]
pub struct ChosenEngine {
    /// Which one.
    pub engine: Engine,
    /// A caller may have it fetched. A role may not, because the repository may have brought it.
    pub by_caller: bool,
}

/// Gathers the sections in the order of their priority, so that a file is packed in the section of
/// highest priority that holds it.
///
/// # Errors
///
/// [`ErrorKind::Role`] for a pattern that does not parse. Everything else becomes a note.
pub fn gather(ask: &Ask<'_>) -> Result<Gathered, Error> {
    let patterns = Patterns::of(ask)?;
    let asked = patterns.keys(ask);
    let _asking = ask.repo.ask_for_many();
    let mut context = Context::default();
    let refused = patterns.refused.iter().map(Diagnostic::sentence);
    let refused = refused.map(|message| Note::new(NoteKind::Pattern, message));
    context.notes.extend(refused);
    let mut gathering = Gathering::of(ask, &patterns, &asked);
    let always = files::always_include(&mut gathering.placer, &patterns.always_include)?;
    context.push(outlined(always, ask.parser));
    for key in rank(&ask.role.priority(), &asked) {
        let mut section = match ask.brought(&key) {
            Some(text) => brought(key, text),
            None => match gatherer(&key) {
                Some(gather) => gather(&mut gathering)?,
                // Protected keys are no part of a role's order.
                None => continue,
            },
        };
        worth::value(&gathering, &mut section);
        same::point(&context.sections, &mut section);
        context.push(outlined(section, ask.parser));
    }
    let again = again(&mut gathering);
    if let Some(Err(why)) = gathering.index.map(Index::commit) {
        tell_not_kept(&mut context, &why);
    }
    Ok(Gathered { context, again })
}

/// What was gathered.
pub struct Gathered {
    /// The sections.
    pub context: Context,
    /// The files of [`Ask::also`] that are in no section.
    pub again: Vec<Piece>,
}

/// Reads the files again that an earlier prompt showed and no section has. Files that cannot be
/// read, or that the repository alone may not ask for, are left out.
fn again(all: &mut Gathering<'_>) -> Vec<Piece> {
    let mut section = Section::new(Key::Related, Vec::new());
    for path in all.ask.also {
        let pick = Pick::new(&all.placer, path, Asked::ByGlob, Asker::Repository);
        files::place(&mut all.placer, &mut section, &pick);
    }
    worth::value(all, &mut section);
    outlined(section, all.ask.parser).pieces
}

/// Gives the pieces of a section outlines where they need them.
fn outlined(mut section: Section, parser: &Arc<Parser>) -> Section {
    for piece in &mut section.pieces {
        piece.outliner = Some(Arc::clone(parser) as Arc<dyn Outliner>);
    }
    section
}

/// Gathers one section.
type Gatherer = fn(&mut Gathering<'_>) -> Result<Section, Error>;

/// Generates the choice of the function that gathers, from the last column of [`sources`].
macro_rules! gatherers {
    ($(
        $(#[$doc:meta])*
        $key:ident {
            name: $name:expr,
            heading: $heading:expr,
            sentinel: $sentinel:expr,
            setting: $setting:expr,
            may_be_brought: $may_be_brought:expr,
            changes: $changes:expr,
            gather: $gather:path,
        }
    )*) => {
        /// Returns the function that gathers a section; `None` if it is protected or the caller's
        /// own.
        fn gatherer(key: &Key) -> Option<Gatherer> {
            match key {
                $(Key::$key => Some($gather),)*
                Key::SystemPrompt | Key::Task | Key::AlwaysInclude | Key::Extra(_) => None,
            }
        }
    };
}

sources!(gatherers);

impl Ask<'_> {
    /// Returns the text that the caller brought for a section.
    fn brought(&self, key: &Key) -> Option<&str> {
        let found = self.extra.iter().find(|(name, _)| name == key);
        found.map(|(_, text)| text.as_str())
    }
}

fn brought(key: Key, text: &str) -> Section {
    let body = match key {
        Key::GitDiff => Body::Diff(text.to_owned()),
        _ => Body::Text(text.to_owned()),
    };
    Section::new(key, vec![Piece::text(body)])
}

/// What the sources of one prompt share.
struct Gathering<'a> {
    ask: &'a Ask<'a>,
    patterns: &'a Patterns,
    targets: target::Targets,
    /// What the repository holds, if a source wants to know.
    index: Option<Index<'a>>,
    /// What of it matters, if related files are gathered.
    ranking: Option<Ranking>,
    /// The files that the prompt is about, each once: targets, then changed files. Only the first
    /// ones count.
    about: Vec<RepoPath>,
    placer: Placer<'a>,
}

impl<'a> Gathering<'a> {
    fn of(ask: &'a Ask<'a>, patterns: &'a Patterns, asked: &[Key]) -> Gathering<'a> {
        let placer = Placer {
            repo: ask.repo,
            exclusion: &patterns.exclusion,
            guesses: find::guesses(ask.role),
            named: find::named_files(ask.repo, &patterns.files),
            placed: HashMap::new(),
            left: MAX_TOTAL,
        };
        let targets = target::Targets::find(&placer, ask.targets, ask.asker);
        let gathers = |key| asked.contains(&key) && ask.brought(&key).is_none();
        let mut about = targets.paths();
        let is_about_change = gathers(Key::ChangedFiles) || ask.change.by_caller;
        let change = is_about_change.then(|| ask.change.found(ask.repo));
        about.extend(change.iter().flat_map(|change| changed(change)));
        let counted = related::first_targets(&about);
        let mut index = (gathers(Key::Related) || gathers(Key::RepoMap)).then(|| {
            let excluded = |path: &RepoPath| patterns.exclusion.excludes(path);
            let sought = related::sought(ask.task, change.as_deref());
            Index::open(ask.repo, ask.parser, &counted, &sought, &excluded)
        });
        let ranked = index.as_mut().filter(|_| gathers(Key::Related));
        let most = related::most(ask.role);
        let also: Vec<String> = ask.also.iter().map(ToString::to_string).collect();
        // Who is given what the targets import is to work in them, and to write tests.
        let writes = patterns.sentinels.contains(&Key::Imports);
        let ranking = ranked.map(|index| {
            let change = change.as_deref();
            let ranking = related::rank(index, ask.task, &counted, most, &also, change, writes);
            match change {
                Some(_) if !writes => ranking.with_fewer_tests(index.corpus()),
                _ => ranking,
            }
        });
        Gathering {
            ask,
            patterns,
            targets,
            index,
            ranking,
            about: counted,
            placer,
        }
    }
}

/// Returns the changed files, which the prompt is about just as it is about targets. If there are
/// none, the section that packs them says why.
fn changed(change: &Changed) -> Vec<RepoPath> {
    let paths = change.paths();
    let paths = paths.iter().map(|name| RepoPath::parse(name));
    paths.filter_map(Result::ok).collect()
}

/// Notes, on the section that the index was for, why the next prompt will not know what this one
/// found out.
fn tell_not_kept(context: &mut Context, why: &str) {
    let message = format!("cannot write the cache: {why}");
    let mut sections = context.sections.iter_mut();
    match sections.find(|section| matches!(section.key, Key::Related | Key::RepoMap)) {
        Some(section) => section.notes.push(Note::new(NoteKind::Reason, message)),
        None => context.notes.push(Note::new(NoteKind::Reason, message)),
    }
}

/// Returns the sections that are asked for, in the order of their priority.
///
/// # Errors
///
/// The errors of [`gather`].
pub fn wanted(ask: &Ask<'_>) -> Result<Vec<Key>, Error> {
    let asked = Patterns::of(ask)?.keys(ask);
    Ok(rank(&ask.role.priority(), &asked))
}

/// Places files in sections, each once. It knows which file was placed where, and how many bytes
/// may still be read.
struct Placer<'a> {
    repo: &'a Repo,
    /// What the role excludes.
    exclusion: &'a Exclusion,
    /// Patterns that need not match anything.
    guesses: Vec<String>,
    /// The files that the role names by their paths, which are in no section of guesses.
    named: HashSet<RepoPath>,
    placed: HashMap<RepoPath, files::Placed>,
    left: u64,
}

/// The role's patterns, read and sorted by what they ask for.
struct Patterns {
    always_include: Vec<(Pattern, Asker)>,
    files: Vec<(Pattern, Asker)>,
    exclusion: Exclusion,
    sentinels: Vec<Key>,
    /// What is wrong with patterns that ask for nothing.
    refused: Vec<Diagnostic>,
}

impl Patterns {
    fn of(ask: &Ask<'_>) -> Result<Patterns, Error> {
        let mut refused = Vec::new();
        let mut read = |list| read(ask, list, &mut refused);
        let include = read(List::Include)?;
        let exclude = read(List::Exclude)?;
        let always_include = read(List::AlwaysInclude)?;
        let mut sentinels = Vec::new();
        let mut files = Vec::new();
        for (pattern, asker) in include {
            match pattern {
                Pattern::Sentinel(sentinel) => sentinels.push(sentinel),
                pattern => files.push((pattern, asker)),
            }
        }
        let exclude = exclude.into_iter().map(|(pattern, _)| pattern).collect();
        let exclusion =
            Exclusion::new(exclude).map_err(|why| pattern_error(List::Exclude, &why))?;
        Ok(Patterns {
            always_include,
            files,
            exclusion,
            sentinels,
            refused,
        })
    }

    /// Returns the sections that are asked for.
    fn keys(&self, ask: &Ask<'_>) -> Vec<Key> {
        let asked = Key::DEFAULT_ORDER
            .iter()
            .filter(|key| self.ask_for(key, ask));
        let mut keys: Vec<Key> = asked.cloned().collect();
        for (key, _) in ask.extra {
            if !keys.contains(key) {
                keys.push(key.clone());
            }
        }
        keys
    }

    fn ask_for(&self, key: &Key, ask: &Ask<'_>) -> bool {
        match key {
            Key::TargetFile => !ask.targets.is_empty(),
            Key::Imports if ask.targets.is_empty() => false,
            Key::Files => !self.files.is_empty(),
            Key::GitDiff if ask.change.by_caller => true,
            key => is_set(ask.role.context(), key) || self.sentinels.contains(key),
        }
    }
}

/// Whether the setting that may ask for a section does.
fn is_set(settings: &Settings, key: &Key) -> bool {
    match key {
        Key::GitDiff => settings.git_diff,
        Key::Related => settings.related.max_files().is_some(),
        Key::Conventions => !settings.conventions.files().is_empty(),
        Key::ProjectContext => settings.project_context,
        Key::Tree => settings.tree.depth().is_some(),
        Key::RecentCommits => settings.recent_commits,
        _ => false,
    }
}

/// Reads one list of patterns. One that could lead outside or asks for nothing is refused; one that
/// does not parse is an error.
fn read(
    ask: &Ask<'_>,
    list: List,
    refused: &mut Vec<Diagnostic>,
) -> Result<Vec<(Pattern, Asker)>, Error> {
    let mut patterns = Vec::new();
    for line in ask.role.context().patterns(list) {
        match resolved(ask.repo, ask.role, list, line) {
            Ok(pattern) => patterns.push((pattern, line.asker())),
            Err(problem) if problem.severity == Severity::Warning => refused.push(*problem),
            Err(problem) => return Err(Error::new(ErrorKind::Role, *problem)),
        }
    }
    Ok(patterns)
}

/// Returns what a line of a list asks for in this repository. A refused line gives a warning,
/// because the prompt can do without it.
fn resolved(
    repo: &Repo,
    role: &Role,
    list: List,
    line: &PatternLine,
) -> Result<Pattern, Box<Diagnostic>> {
    let text = line.text();
    let what = format!("pattern `{}` in `context.{}`", quoted(text), list.name());
    let refuse = |problem: Diagnostic, help: Option<String>| {
        let problem = problem.rule(Rule::InvalidPattern);
        Box::new(problem.at(line.place()).help(help))
    };
    match line.value() {
        Ok(Pattern::Sentinel(_)) if list != List::Include => {
            let message =
                format!("{what} is ignored: it asks for a section, which only `include` can do");
            Err(refuse(Diagnostic::warning(message), None))
        }
        Ok(pattern) => pattern.resolve(repo).map_err(|why| {
            let name = role.name();
            let message = format!("{what} of role `{name}` does not parse: {why}");
            let help = "to match a wildcard character itself, write `[*]`";
            refuse(Diagnostic::error(message), Some(help.into()))
        }),
        Err(why) => {
            let help = matches!(why, PatternError::UnknownSentinel)
                .then(|| help_among(text, &Source::sentinels()));
            let message = format!("{what} is ignored: {why}");
            Err(refuse(Diagnostic::warning(message), help))
        }
    }
}

/// Returns the error for a list of a role's patterns that cannot be matched.
fn pattern_error(list: List, why: &str) -> Error {
    let list = list.name();
    let message = format!("cannot use the role's `context.{list}`: {why}");
    let help = "name a folder to include everything below it, instead of many patterns";
    let problem = Diagnostic::error(message)
        .help(Some(help.into()))
        .rule(Rule::InvalidPattern);
    Error::new(ErrorKind::Role, problem)
}

/// Makes a note of why a file cannot be read.
fn unreadable(path: &RepoPath, refusal: &Refusal) -> Note {
    let shown = quoted(path.as_str());
    let message = format!("cannot read `{shown}`: {refusal}");
    Note::new(NoteKind::Unreadable, message).on(path.as_str())
}
