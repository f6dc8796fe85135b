//! Which line of a role asks for a section or a file, and why a file is not there.

use std::path::Path;

use serde::Serialize;

use super::files::near;
use super::is_set;
use crate::index::kind::Kind as FileKind;
use crate::repo::{Found, Kind, Repo, RepoPath, Visitor};
use crate::role::pattern::{Exclusion, Globs, Pattern};
use crate::role::{List, Role};
use crate::section::{Key, Source};
use crate::show::quoted;

/// The most excluded files that are listed one by one.
const MAX_EXCLUDED: usize = 200;

/// A line of a role, or a part of a request, that asks for something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "cli", schemars(rename = "OriginReport"))]
#[non_exhaustive]
pub struct Origin {
    /// What it says, for example `include: $TARGET`.
    pub text: String,
    /// The file that says so; null for a request.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<usize>,
}

/// The most origins that are reported for a section; for a file there are fewer.
const MAX_ORIGINS: usize = 100;
const MAX_OF_FILE: usize = 4;

/// What a role asks for, line by line.
pub struct Origins<'a> {
    repo: &'a Repo,
    role: &'a Role,
    lines: Vec<Line>,
    /// The patterns with wildcards of each list.
    globs: Vec<(List, Globs)>,
}

/// A pattern of one of the role's lists.
struct Line {
    list: List,
    origin: Origin,
    pattern: Pattern,
    /// Its index among those of its list that have wildcards.
    glob: Option<usize>,
}

impl Line {
    /// Whether it applies to this file, given which globs of its list match.
    fn matches(&self, path: &RepoPath, matching: &[usize]) -> bool {
        match &self.pattern {
            Pattern::Path(asked) => asked.is_root() || path.is_below(asked.as_str()),
            Pattern::Wild(_) => self.glob.is_some_and(|at| matching.contains(&at)),
            Pattern::Sentinel(_) => false,
        }
    }

    fn is_sentinel(&self) -> bool {
        matches!(self.pattern, Pattern::Sentinel(_))
    }

    fn asks_for(&self, key: &Key) -> bool {
        matches!(&self.pattern, Pattern::Sentinel(asked) if asked == key)
    }
}

impl<'a> Origins<'a> {
    /// Reads the patterns of a role. Those that cannot be read ask for nothing.
    pub fn of(repo: &'a Repo, role: &'a Role) -> Origins<'a> {
        let (mut lines, mut globs) = (Vec::new(), Vec::new());
        for list in List::ALL {
            let mut wilds = Vec::new();
            for line in role.context().patterns(list) {
                let pattern = line.value().as_ref().ok();
                let Some(pattern) = pattern.and_then(|pattern| pattern.resolve(repo).ok()) else {
                    continue;
                };
                let glob = match &pattern {
                    Pattern::Wild(wild) => {
                        wilds.push(wild.clone());
                        Some(wilds.len() - 1)
                    }
                    _ => None,
                };
                lines.push(Line {
                    list,
                    origin: Origin::at(
                        repo,
                        format!("{}: {}", list.name(), quoted(line.text())),
                        line.line(),
                    ),
                    glob,
                    pattern,
                });
            }
            globs.extend(Globs::new(wilds).ok().map(|compiled| (list, compiled)));
        }
        Origins {
            repo,
            role,
            lines,
            globs,
        }
    }

    /// Returns what asks for a section.
    pub fn of_section(&self, key: &Key) -> Vec<Origin> {
        match key {
            Key::SystemPrompt => vec![self.field("system_prompt")],
            Key::Task => vec![asked("the request: task")],
            Key::AlwaysInclude => self.list(List::AlwaysInclude, |_| true),
            Key::Files => self.list(List::Include, |line| !line.is_sentinel()),
            Key::Extra(name) => vec![asked(&format!("the request: extra `{}`", quoted(name)))],
            Key::TargetFile => {
                let request = vec![asked("the request: target")];
                [request, self.of_source(key)].concat()
            }
            _ => self.of_source(key),
        }
    }

    /// Returns the setting and the patterns that ask for a section.
    fn of_source(&self, key: &Key) -> Vec<Origin> {
        let setting = Source::of(key).and_then(|source| {
            // What no pattern can ask for is there by its setting.
            let is_by_setting = source.sentinel.is_none() || is_set(self.role.context(), key);
            source.setting.filter(|_| is_by_setting)
        });
        let setting = setting.map(|name| self.setting(name));
        let lines = self.list(List::Include, |line| line.asks_for(key));
        setting.into_iter().chain(lines).collect()
    }

    /// Returns the patterns that ask for a file of the sections that have patterns.
    pub fn of_file(&self, key: &Key, path: &str) -> Vec<Origin> {
        let list = match key {
            Key::Files => List::Include,
            Key::AlwaysInclude => List::AlwaysInclude,
            _ => return Vec::new(),
        };
        let path = RepoPath::parse(path);
        let Ok(path) = path else {
            return Vec::new();
        };
        let matching = self.matching(list, [path.as_str()]);
        self.first(list, MAX_OF_FILE, |line| line.matches(&path, &matching))
    }

    /// Returns why a file that is in no section is in none.
    pub fn why_not(&self, given: &str) -> String {
        let shown = quoted(given);
        let path = match self.repo.path(given) {
            Ok(path) => path,
            Err(why) => return format!("`{shown}` cannot be packed: {why}"),
        };
        let real = match self.repo.kind(&path) {
            Kind::Missing => {
                let near = near(self.repo, &path);
                return format!("there is no file `{shown}`{near}");
            }
            Kind::Outside => return format!("`{shown}` leads outside the repository"),
            Kind::Other => return format!("`{shown}` is not a regular file"),
            Kind::Folder(_) => return format!("`{shown}` is a folder; ask for one of its files"),
            Kind::File(real) => real,
        };
        let excluded = self.excluding(&path).or_else(|| self.excluding(&real));
        let matching = self.matching(List::Include, [path.as_str()]);
        let asked = self.list(List::Include, |line| line.matches(&path, &matching));
        let ignored = self.repo.is_ignored(&path);
        match (asked.first(), excluded) {
            (Some(_), Some(by)) => format!("taken out by {}", by.told()),
            (Some(by), None) if ignored => {
                format!(
                    "{} matches it, but git ignores it: only its exact path would include it, and \
                     not in a role of the repository",
                    by.told()
                )
            }
            (Some(by), None) => format!(
                "{} matches it, but it was not packed: see the warnings",
                by.told()
            ),
            (None, _) if self.asks_for_related() && FileKind::of(path.as_str()).is_none() => {
                "no pattern asks for it, and it is not considered for `related`: by its name it \
                 is data, generated, a licence or a form; `--target` or a pattern in `include` \
                 would include it"
                    .into()
            }
            (None, _) if self.asks_for_related() => {
                "no pattern asks for it, and other files are likelier to matter for the task; \
                 `--target` or a pattern in `include` would include it"
                    .into()
            }
            (None, _) => {
                "no pattern asks for it; `--target` or a pattern in `include` would include \
                 it"
                .into()
            }
        }
    }

    fn asks_for_related(&self) -> bool {
        !self.of_section(&Key::Related).is_empty()
    }

    /// Returns the files that a pattern with a wildcard asks for and another pattern excludes, with
    /// the latter. A folder stands for everything below it. At most [`MAX_EXCLUDED`].
    pub fn excluded(&self) -> Vec<(String, Origin)> {
        let wild = self.lines.iter().filter(|line| line.list == List::Include);
        let wild = wild.filter_map(|line| match &line.pattern {
            Pattern::Wild(wild) => Some(wild.clone()),
            _ => None,
        });
        let excludes = self.lines.iter().filter(|line| line.list == List::Exclude);
        let excludes: Vec<Pattern> = excludes.map(|line| line.pattern.clone()).collect();
        let (Ok(globs), Ok(exclusion)) = (Globs::new(wild), Exclusion::new(excludes)) else {
            return Vec::new();
        };
        if globs.is_empty() {
            return Vec::new();
        }
        let mut excluded = Excluded {
            globs,
            exclusion,
            found: Vec::new(),
        };
        // What cannot be listed is told by the section itself.
        let _ = self.repo.walk(&RepoPath::root(), &mut excluded);
        let by = |path: &RepoPath| self.excluding(path);
        let found = excluded.found.into_iter();
        found
            .filter_map(|(path, shown)| Some((shown, by(&path)?)))
            .collect()
    }

    /// Returns the pattern that excludes a file.
    fn excluding(&self, path: &RepoPath) -> Option<Origin> {
        let matching = self.matching(List::Exclude, path.ancestors());
        self.first(List::Exclude, 1, |line| line.matches(path, &matching))
            .pop()
    }

    /// Returns which globs of a list match one of these paths.
    fn matching<'p>(&self, list: List, paths: impl IntoIterator<Item = &'p str>) -> Vec<usize> {
        let globs = self.globs.iter().find(|(of, _)| *of == list);
        let matching = globs.map(|(_, globs)| paths.into_iter().flat_map(|p| globs.matches(p)));
        matching.into_iter().flatten().collect()
    }

    fn list(&self, list: List, counts: impl Fn(&Line) -> bool) -> Vec<Origin> {
        self.first(list, MAX_ORIGINS, counts)
    }

    /// Returns the first few lines of a list that count.
    fn first(&self, list: List, most: usize, counts: impl Fn(&Line) -> bool) -> Vec<Origin> {
        let lines = self.lines.iter();
        lines
            .filter(|line| line.list == list && counts(line))
            .take(most)
            .map(|line| line.origin.clone())
            .collect()
    }

    fn setting(&self, name: &str) -> Origin {
        self.said(name, &["context", name])
    }

    fn field(&self, name: &str) -> Origin {
        self.said(name, &[name])
    }

    fn said(&self, name: &str, keys: &[&str]) -> Origin {
        Origin::at(self.repo, name.to_owned(), self.role.line_of(keys))
    }
}

/// Returns a file's path from the root, if it is one of the repository's.
pub fn short(repo: &Repo, file: String) -> String {
    let inside = Path::new(&file).strip_prefix(repo.root());
    match inside.map(Path::to_str) {
        Ok(Some(inside)) => inside.to_owned(),
        _ => file,
    }
}

impl Origin {
    fn at(repo: &Repo, text: String, line: Option<(&str, usize)>) -> Origin {
        Origin {
            text,
            file: line.map(|(file, _)| short(repo, file.to_owned())),
            line: line.map(|(_, line)| line),
        }
    }

    /// Returns the pattern with its place, in one line.
    fn told(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("`{}` ({}:{line})", self.text, quoted(file)),
            _ => format!("`{}`", self.text),
        }
    }
}

fn asked(text: &str) -> Origin {
    Origin {
        text: text.to_owned(),
        file: None,
        line: None,
    }
}

struct Excluded {
    globs: Globs,
    exclusion: Exclusion,
    found: Vec<(RepoPath, String)>,
}

impl Visitor for Excluded {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        if self.found.len() >= MAX_EXCLUDED || !self.globs.reaches(folder) {
            return false;
        }
        let is_out = self.exclusion.excludes(folder);
        if is_out {
            let shown = format!("{folder}/");
            self.found.push((folder.clone(), shown));
        }
        !is_out
    }

    fn found(&mut self, found: Found) {
        let path = found.path;
        if self.found.len() < MAX_EXCLUDED
            && self.globs.is_match(path.as_str())
            && self.exclusion.excludes(&path)
        {
            let shown = path.to_string();
            self.found.push((path, shown));
        }
    }
}
