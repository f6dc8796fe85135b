//! What is wrong with the patterns of roles, found without packing anything.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use super::{Ask, ChosenChange, ChosenEngine, Patterns, conventions, pattern_error, resolved};
use crate::error::{Diagnostic, Rule};
use crate::nearest::nearest;
use crate::parse::{Parser, Parsing};
use crate::repo::git_folder::names_git;
use crate::repo::{Asker, Found, Hidden, Kind, Refusal, Repo, RepoPath, Visitor, WantedChange};
use crate::role::pattern::{Exclusion, Globs, Pattern, PatternLine, Wild, at_wildcard, weight};
use crate::role::{List, Role};
use crate::section::Key;
use crate::settings::Engine;
use crate::show::quoted;

/// The most bytes of memory that patterns with wildcards take once they are compiled, if one walk
/// matches those of more than one role.
const MAX_AT_ONCE: usize = 24 * 1024 * 1024;

/// The most patterns of one role that are reported as refused, and as matching nothing.
const MAX_TOLD: usize = 200;

/// In a folder with more names than this, no similar name is looked for.
const MAX_NAMES: usize = 5000;

/// Returns the sections that a role itself asks for; all sections if its patterns cannot be used.
pub fn asked_for(repo: &Repo, role: &Role) -> Vec<Key> {
    let parser = Arc::new(Parser::of(repo, &Parsing::Never));
    let ask = Ask {
        parser: &parser,
        repo,
        role,
        engine: ChosenEngine {
            engine: Engine::Native,
            by_caller: false,
        },
        change: &ChosenChange::new(WantedChange::Staged, false),
        task: "",
        targets: &[],
        asker: Asker::Caller,
        also: &[],
        extra: &[],
    };
    match Patterns::of(&ask) {
        Ok(patterns) => patterns.keys(&ask),
        Err(_) => Key::DEFAULT_ORDER.to_vec(),
    }
}

/// Reads the patterns of roles, looks for what they match, and returns what is wrong with them. A
/// pattern that several roles inherit is reported once, and nothing is said about what the patterns
/// of built-in roles match.
pub fn check_patterns(repo: &Repo, roles: &[Role]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut wanted: Vec<Wanted<'_>> = roles
        .iter()
        .map(|role| Wanted::of(repo, role, &mut found))
        .collect();
    let mut rest = &mut wanted[..];
    while !rest.is_empty() {
        let mut size = 0;
        let at_once = rest.iter().take_while(|wanted| {
            size += wanted.size();
            size <= MAX_AT_ONCE
        });
        let (now, later) = rest.split_at_mut(at_once.count().max(1));
        look(repo, now, &mut found);
        rest = later;
    }
    let mut told = HashSet::new();
    for wanted in &wanted {
        let lost = wanted
            .sought
            .iter()
            .filter(|sought| sought.state != State::Found);
        let lost = lost
            .take(MAX_TOLD)
            .map(|sought| wanted.problem(repo, sought));
        for problem in lost.chain(lost_conventions(repo, wanted.role)) {
            let place = problem.place.as_ref();
            let place = place.map(|at| (at.file.clone(), at.line, at.column));
            // What several roles inherit stands in one place.
            if place.is_none_or(|place| told.insert(place)) {
                found.push(problem);
            }
        }
    }
    found
}

/// What one role's patterns look for.
struct Wanted<'a> {
    role: &'a Role,
    exclude: Vec<Pattern>,
    sought: Vec<Sought<'a>>,
}

/// A pattern and what has been found for it.
struct Sought<'a> {
    list: List,
    line: &'a PatternLine,
    pattern: Pattern,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Missing,
    /// There is a file, but the role excludes it.
    Excluded,
    Found,
}

impl<'a> Wanted<'a> {
    fn of(repo: &Repo, role: &'a Role, found: &mut Vec<Diagnostic>) -> Wanted<'a> {
        let mut refused = 0;
        let mut read = |list| -> Vec<(&'a PatternLine, Pattern)> {
            let lines = role.context().patterns(list).iter();
            let each = lines.filter_map(|line| match resolved(repo, role, list, line) {
                Ok(pattern) => Some((line, pattern)),
                Err(problem) => {
                    if refused < MAX_TOLD {
                        found.push(*problem);
                    }
                    refused += 1;
                    None
                }
            });
            each.collect()
        };
        let include = read(List::Include);
        let always = read(List::AlwaysInclude);
        let exclude = read(List::Exclude);
        let lists = [(List::Include, include), (List::AlwaysInclude, always)];
        let sought = lists.into_iter().flat_map(|(list, patterns)| {
            patterns.into_iter().map(move |(line, pattern)| Sought {
                list,
                line,
                pattern,
                state: State::Missing,
            })
        });
        let is_looked_for = |sought: &Sought<'_>| {
            let is_section = matches!(sought.pattern, Pattern::Sentinel(_));
            !is_section && !sought.line.is_guess()
        };
        Wanted {
            role,
            exclude: exclude.into_iter().map(|(_, pattern)| pattern).collect(),
            sought: sought.filter(is_looked_for).collect(),
        }
    }

    /// Returns how much memory its patterns with wildcards take once they are compiled.
    fn size(&self) -> usize {
        let sought = self.sought.iter().map(|sought| &sought.pattern);
        let wild = sought.chain(&self.exclude).filter_map(|p| match p {
            Pattern::Wild(wild) => wild.glob().map(weight),
            _ => None,
        });
        wild.sum()
    }

    fn problem(&self, repo: &Repo, sought: &Sought<'_>) -> Diagnostic {
        let message = format!(
            "pattern `{}` in `context.{}` matches nothing in this repository",
            quoted(sought.line.text()),
            sought.list.name()
        );
        Diagnostic::warning(message)
            .rule(Rule::PatternMatchesNothing)
            .at(sought.line.place())
            .help(self.reason(repo, sought))
    }

    /// Returns why a pattern matches nothing, or what was probably meant.
    fn reason(&self, repo: &Repo, sought: &Sought<'_>) -> Option<String> {
        if sought.state == State::Excluded {
            let mut lines = self.role.context().patterns(List::Exclude).iter();
            let culprit = lines.find(|line| excludes(line, &sought.pattern));
            return Some(match culprit {
                Some(line) => format!("`{}` in `exclude` leaves it out", quoted(line.text())),
                None => "`exclude` leaves out everything that it matches".into(),
            });
        }
        match &sought.pattern {
            Pattern::Path(path) if names_git(path.as_str()) => {
                Some("git's own folder is never packed".into())
            }
            Pattern::Path(path) => match repo.kind(path) {
                Kind::Missing => {
                    near_path(repo, path).map(|near| format!("did you mean `{near}`?"))
                }
                _ => Some(match hidden(repo, path, sought.line.asker()) {
                    Some(why) => why.to_string(),
                    None => "the folder is empty, or git ignores everything in it".into(),
                }),
            },
            Pattern::Wild(wild) => {
                let glob = wild.glob()?;
                let (folder, rest) = at_wildcard(glob);
                let folder = RepoPath::parse(folder).ok()?;
                if !folder.is_root() && repo.kind(&folder) == Kind::Missing {
                    let near = near_path(repo, &folder)?;
                    return Some(format!("did you mean `{near}/{rest}`?"));
                }
                let sample = sample(glob)?;
                let is_open = glob.contains(['?', '[', '{']);
                let ignored = !is_open && repo.is_ignored(&sample) || repo.is_ignored(&folder);
                ignored.then(|| "git ignores what it would match".into())
            }
            Pattern::Sentinel(_) => None,
        }
    }

    /// Looks at each path that has no wildcards.
    fn look_at_paths(&mut self, repo: &Repo, exclusion: &Exclusion) {
        // A hostile role names a folder ten thousand times.
        let mut seen: HashMap<(List, RepoPath, Asker), State> = HashMap::new();
        for sought in &mut self.sought {
            if let Pattern::Path(path) = &sought.pattern {
                let is_included = sought.list == List::Include;
                let excluded = |path: &RepoPath| is_included && exclusion.excludes(path);
                let asker = sought.line.asker();
                let state = seen.entry((sought.list, path.clone(), asker));
                sought.state = *state.or_insert_with(|| look_at(repo, path, asker, &excluded));
            }
        }
    }

    /// Returns what a walk must look for, for each list; `role` is the number of this one.
    fn searches(
        &mut self,
        role: usize,
        exclusion: Exclusion,
        found: &mut Vec<Diagnostic>,
    ) -> Vec<Search> {
        let exclusion = Rc::new(exclusion);
        let mut searches = Vec::new();
        for list in [List::Include, List::AlwaysInclude] {
            let wild = |(index, sought): (usize, &Sought<'_>)| match &sought.pattern {
                Pattern::Wild(wild) if sought.list == list => Some((index, wild.clone())),
                _ => None,
            };
            let sought = self.sought.iter().enumerate();
            let (at, wilds): (Vec<usize>, Vec<Wild>) = sought.filter_map(wild).unzip();
            match Globs::new(wilds) {
                Ok(globs) if globs.is_empty() => {}
                Ok(globs) => searches.push(Search {
                    role,
                    states: vec![State::Missing; at.len()],
                    at,
                    globs,
                    exclusion: (list == List::Include).then(|| exclusion.clone()),
                }),
                Err(why) => {
                    found.extend(self.failed(&why, list));
                    self.sought.retain(|sought| sought.list != list);
                }
            }
        }
        searches
    }

    /// Returns why the patterns of a list cannot be used, at the first of them.
    fn failed(&self, why: &str, list: List) -> impl Iterator<Item = Diagnostic> + use<> {
        let problems = pattern_error(list, why).diagnostics().to_vec();
        let lines = self.role.context().patterns(list);
        let place = lines.first().and_then(PatternLine::place);
        problems.into_iter().map(move |p| p.at(place.clone()))
    }
}

/// Whether this pattern of `exclude` covers what the other one asks for.
fn excludes(line: &PatternLine, pattern: &Pattern) -> bool {
    let Ok(exclude) = line.value().clone() else {
        return false;
    };
    let Ok(exclusion) = Exclusion::new(vec![exclude]) else {
        return false;
    };
    let covered = match pattern {
        Pattern::Path(path) => Some(path.clone()),
        Pattern::Wild(wild) => sample(wild.glob().unwrap_or_default()),
        Pattern::Sentinel(_) => None,
    };
    covered.is_some_and(|path| exclusion.excludes(&path))
}

/// Returns a path that a glob could match.
fn sample(glob: &str) -> Option<RepoPath> {
    RepoPath::parse(&glob.replace("**", "x").replace('*', "x")).ok()
}

/// Returns what is wrong with the conventions that a role lists: that none of them exists.
fn lost_conventions(repo: &Repo, role: &Role) -> Option<Diagnostic> {
    let lost = conventions::lost(repo, role)?;
    let mut near = lost
        .iter()
        .take(MAX_TOLD)
        .filter_map(|path| near_path(repo, path));
    let help = near.next().map(|near| format!("did you mean `{near}`?"));
    let message = "no file of `context.conventions` exists in this repository";
    let problem = Diagnostic::warning(message).rule(Rule::PatternMatchesNothing);
    Some(problem.at(role.place_of_conventions()).help(help))
}

/// Returns an existing path that differs in one part, the first that is missing. Any parts after
/// that are left out if they do not exist either.
fn near_path(repo: &Repo, path: &RepoPath) -> Option<String> {
    let parts: Vec<&str> = path.as_str().split('/').collect();
    let mut folder = RepoPath::root();
    for (index, part) in parts.iter().enumerate() {
        let next = folder.entry(part);
        if repo.kind(&next) != Kind::Missing {
            folder = next;
            continue;
        }
        let names = repo.all_names(&folder);
        if names.len() > MAX_NAMES {
            return None;
        }
        let near = folder.entry(nearest(part, names.iter().map(String::as_str))?);
        let whole = parts[index + 1..]
            .iter()
            .fold(near.clone(), |path, part| path.entry(part));
        let is_there = repo.kind(&whole) != Kind::Missing;
        let found = if is_there { whole } else { near };
        return Some(quoted(found.as_str()).into_owned());
    }
    None
}

/// Looks for what the patterns of these roles match, in one walk and one look at each path.
fn look(repo: &Repo, wanted: &mut [Wanted<'_>], found: &mut Vec<Diagnostic>) {
    let mut searches = Vec::new();
    for (role, wanted) in wanted.iter_mut().enumerate() {
        match Exclusion::new(std::mem::take(&mut wanted.exclude)) {
            Ok(exclusion) => {
                wanted.look_at_paths(repo, &exclusion);
                searches.extend(wanted.searches(role, exclusion, found));
            }
            Err(why) => found.extend(wanted.failed(&why, List::Exclude)),
        }
    }
    let mut walk = Walk { repo, searches };
    if !walk.searches.is_empty() {
        // What cannot be listed is told by the prompt that misses it.
        let _ = repo.walk(&RepoPath::root(), &mut walk);
    }
    for search in walk.searches {
        for (at, state) in search.at.iter().zip(search.states) {
            wanted[search.role].sought[*at].state = state;
        }
    }
}

/// Returns why nothing at this path is readable for whoever wrote the pattern.
fn hidden(repo: &Repo, path: &RepoPath, asker: Asker) -> Option<Hidden> {
    match repo.admit(path, asker) {
        Err(Refusal::Hidden(why)) => Some(why),
        _ => None,
    }
}

/// Whether there is a file at this path, or anywhere below it.
fn look_at(
    repo: &Repo,
    path: &RepoPath,
    asker: Asker,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> State {
    if hidden(repo, path, asker).is_some() {
        return State::Missing;
    }
    match repo.kind(path) {
        Kind::Missing => State::Missing,
        Kind::File(real) if excluded(path) || excluded(&real) => State::Excluded,
        Kind::Folder(real) if !real.is_root() && excluded(&real) => State::Excluded,
        Kind::Folder(real) => {
            let mut first = First {
                excluded,
                state: State::Missing,
            };
            let _ = repo.walk(&real, &mut first);
            first.state
        }
        _ => State::Found,
    }
}

/// Looks for a single file.
struct First<'a> {
    excluded: &'a dyn Fn(&RepoPath) -> bool,
    state: State,
}

impl Visitor for First<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        self.state != State::Found && !(self.excluded)(folder)
    }

    fn found(&mut self, found: Found) {
        let state = if (self.excluded)(&found.path) {
            State::Excluded
        } else {
            State::Found
        };
        if self.state != State::Found {
            self.state = state;
        }
    }
}

/// The patterns with wildcards of one list of a role.
struct Search {
    role: usize,
    /// Which of the role's patterns each of them is.
    at: Vec<usize>,
    states: Vec<State>,
    globs: Globs,
    exclusion: Option<Rc<Exclusion>>,
}

impl Search {
    fn is_done(&self) -> bool {
        self.states.iter().all(|state| *state == State::Found)
    }

    fn excludes(&self, path: &RepoPath) -> bool {
        let exclusion = self.exclusion.as_ref();
        exclusion.is_some_and(|exclusion| exclusion.excludes(path))
    }
}

struct Walk<'a> {
    repo: &'a Repo,
    searches: Vec<Search>,
}

impl Visitor for Walk<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        let mut enters = false;
        for search in self.searches.iter_mut().filter(|search| !search.is_done()) {
            if !search.globs.reaches(folder) {
                continue;
            }
            if !search.excludes(folder) {
                enters = true;
                continue;
            }
            // What lies in here alone is excluded with it.
            for (index, state) in search.states.iter_mut().enumerate() {
                if search.globs.lies_below(index, folder) && *state == State::Missing {
                    *state = State::Excluded;
                }
            }
        }
        enters
    }

    fn found(&mut self, found: Found) {
        for search in self.searches.iter_mut().filter(|search| !search.is_done()) {
            let matches = search.globs.matches(found.path.as_str());
            if matches.is_empty() {
                continue;
            }
            let real = match found.link.then(|| self.repo.kind(&found.path)) {
                None => found.path.clone(),
                Some(Kind::File(real)) if !self.repo.is_ignored(&real) => real,
                Some(_) => continue,
            };
            let is_excluded = search.excludes(&found.path) || search.excludes(&real);
            for index in matches {
                let state = &mut search.states[index];
                *state = match (*state, is_excluded) {
                    (State::Found, _) | (_, false) => State::Found,
                    (_, true) => State::Excluded,
                };
            }
        }
    }
}
