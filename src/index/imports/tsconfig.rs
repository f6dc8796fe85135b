//! What `tsconfig.json` and `jsconfig.json` say about where modules are.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::files::Files;
use super::manifest::json;
use super::memo::Memo;
use super::npm::Projects;
use super::path::{filled, folder, join, name, normal, upwards};

/// The most files that a configuration is assembled from.
const MAX_FILES: usize = 16;

/// The most patterns of a project.
const MAX_PATTERNS: usize = 500;

/// The most places of a pattern.
const MAX_PLACES: usize = 8;

/// The most bytes of the patterns of all projects, with the paths of their files. They also count
/// as content of project files, which has a smaller limit.
const MAX_BYTES: usize = 12 * 1024 * 1024;

/// The configurations that were looked for, by folder.
pub(super) struct Configs {
    read: Memo<Option<Rc<Config>>>,
    /// The patterns of each file that has some; files that extend it share them.
    patterns: Memo<Rc<[Pattern]>>,
}

/// `baseUrl` and `paths`, relative to the repository's root.
#[derive(Debug, Default, Clone)]
pub(super) struct Config {
    base: Option<String>,
    /// The folder that the places of `paths` are relative to.
    places_from: String,
    paths: Rc<[Pattern]>,
}

/// A pattern of `paths`.
#[derive(Debug, Clone)]
struct Pattern {
    /// The text before the `*`; all of it if there is none.
    before: String,
    /// The text after the `*`.
    after: Option<String>,
    places: Vec<String>,
}

impl Default for Configs {
    fn default() -> Configs {
        Configs {
            read: Memo::default(),
            patterns: Memo::with_room(MAX_BYTES),
        }
    }
}

impl Configs {
    /// Returns what the nearest configuration says to a file.
    pub(super) fn of(
        &self,
        files: &Files<'_>,
        projects: &Projects,
        file: &str,
    ) -> Option<Rc<Config>> {
        let names = ["tsconfig.json", "jsconfig.json"];
        upwards(file).find_map(|folder| {
            let find = || {
                let mut names = names.into_iter();
                let name = names.find(|name| files.text(folder, name).is_some())?;
                let mut reader = Reader {
                    files,
                    projects,
                    patterns: &self.patterns,
                    left: MAX_FILES,
                };
                Some(Rc::new(reader.whole(&join(folder, name))))
            };
            let bytes = |config: &Option<Rc<Config>>| config.as_ref().map_or(0, |it| it.weight());
            self.read.weighed(folder, find, bytes)
        })
    }
}

/// Assembles a configuration.
struct Reader<'r, 'a> {
    files: &'r Files<'a>,
    projects: &'r Projects,
    patterns: &'r Memo<Rc<[Pattern]>>,
    /// How many files may still be read for it.
    left: usize,
}

impl Reader<'_, '_> {
    /// Returns a configuration. One that only refers to others is taken from them.
    fn whole(&mut self, path: &str) -> Config {
        let mut config = self.read(path);
        let Some(value) = self.parsed(path) else {
            return config;
        };
        let references = value["references"].as_array();
        for reference in references.into_iter().flatten().take(MAX_FILES) {
            let Some(place) = reference["path"].as_str().filter(|_| config.is_empty()) else {
                continue;
            };
            // Other packages are no part of this one.
            let place = join(folder(path), place);
            if place.ends_with(".json") {
                config = self.read(&place);
            }
        }
        config
    }

    fn read(&mut self, path: &str) -> Config {
        let mut config = Config::default();
        if self.left == 0 {
            return config;
        }
        self.left -= 1;
        let Some(value) = normal(path).and_then(|path| self.parsed(&path)) else {
            return config;
        };
        let here = folder(path);
        let extended = match &value["extends"] {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        // The last one wins.
        for place in extended.into_iter().take(MAX_FILES) {
            let Some(place) = self.extended_path(here, place) else {
                continue;
            };
            let above = self.read(&place);
            config.base = above.base.or(config.base);
            if !above.paths.is_empty() {
                config.paths = above.paths;
                config.places_from = above.places_from;
            }
        }
        let options = &value["compilerOptions"];
        if let Some(base) = options["baseUrl"].as_str() {
            config.base = normal(&join(here, base));
        }
        if let Some(paths) = options["paths"].as_object() {
            config.places_from = config.base.clone().unwrap_or_else(|| here.to_owned());
            config.paths = self.patterns(path, paths);
        }
        config
    }

    /// Returns the patterns of a file, read once for all that extend it; none if there is no room.
    fn patterns(&self, path: &str, paths: &Map<String, Value>) -> Rc<[Pattern]> {
        // What has no room counts, too.
        let bytes = Cell::new(path.len());
        let find = || {
            let patterns = paths.iter().take(MAX_PATTERNS).map(Pattern::read);
            let patterns: Rc<[Pattern]> = patterns.collect();
            bytes.set(path.len() + patterns.iter().map(Pattern::weight).sum::<usize>());
            if self.files.remember(path, 1, bytes.get()) {
                patterns
            } else {
                Rc::default()
            }
        };
        self.patterns.weighed(path, find, |_| bytes.get())
    }

    fn parsed(&self, path: &str) -> Option<Value> {
        json(&self.files.text_to_read(folder(path), name(path))?)
    }

    /// Returns the file that `extends` names: relative, or in a package of the workspace.
    fn extended_path(&self, here: &str, place: &str) -> Option<String> {
        if !place.starts_with('.') {
            return self.projects.package_file(self.files, here, place);
        }
        let path = normal(&join(here, place))?;
        let candidates = [
            path.clone(),
            format!("{path}.json"),
            join(&path, "tsconfig.json"),
        ];
        let mut candidates = candidates.into_iter();
        candidates.find(|path| self.files.text(folder(path), name(path)).is_some())
    }
}

impl Config {
    fn is_empty(&self) -> bool {
        self.base.is_none() && self.paths.is_empty()
    }

    /// Returns about how many bytes it takes beside its patterns.
    fn weight(&self) -> usize {
        self.base.as_ref().map_or(0, String::len) + self.places_from.len()
    }

    /// Counts that its patterns are gone through. Returns `false` once it is too much.
    pub(super) fn is_affordable(&self, files: &Files<'_>) -> bool {
        /// Most differ in their first letters.
        const PATTERNS_A_LOOK: usize = 64;
        files.look(self.paths.len() / PATTERNS_A_LOOK)
    }

    /// Returns where a name may be, the first place first.
    pub(super) fn places(&self, import: &str) -> Vec<String> {
        let mut places = Vec::new();
        if let Some((pattern, middle)) = self.pattern(import) {
            let targets = pattern.places.iter();
            let targets = targets.filter_map(|target| filled(target, middle, 1));
            places.extend(targets.map(|target| join(&self.places_from, &target)));
        }
        places.extend(self.base.as_ref().map(|base| join(base, import)));
        places
    }

    /// Whether a pattern is about this name, and not about all names.
    pub(super) fn is_certain(&self, import: &str) -> bool {
        let pattern = self.pattern(import);
        pattern.is_some_and(|(pattern, _)| !pattern.before.is_empty())
    }

    /// Returns the pattern for a name with what its `*` stands for: an exact one, or else the one
    /// with the longest prefix.
    fn pattern<'a>(&self, import: &'a str) -> Option<(&Pattern, &'a str)> {
        let fitting = self.paths.iter().filter_map(|pattern| {
            let middle = match &pattern.after {
                None => (pattern.before == import).then_some("")?,
                Some(after) => import
                    .strip_prefix(&pattern.before)?
                    .strip_suffix(after.as_str())?,
            };
            Some((pattern, middle))
        });
        fitting.max_by_key(|(pattern, _)| (pattern.after.is_none(), pattern.before.len()))
    }
}

impl Pattern {
    /// Returns about how many bytes it takes.
    fn weight(&self) -> usize {
        let places = self
            .places
            .iter()
            .map(|place| size_of::<String>() + place.len());
        let after = self.after.as_ref().map_or(0, String::len);
        size_of::<Pattern>() + self.before.len() + after + places.sum::<usize>()
    }

    fn read((pattern, places): (&String, &Value)) -> Pattern {
        let places = places.as_array().into_iter().flatten().take(MAX_PLACES);
        let (before, after) = match pattern.split_once('*') {
            Some((before, after)) => (before, Some(after.to_owned())),
            None => (pattern.as_str(), None),
        };
        Pattern {
            before: before.to_owned(),
            after,
            places: places
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{Repo, with_files};

    #[test]
    fn the_longest_pattern_counts() {
        let paths = json(r#"{"@/*": ["src/*"], "@/x/*": ["y/*"], "z": ["z.ts"]}"#).unwrap();
        let config = Config {
            base: Some("b".into()),
            places_from: String::new(),
            paths: paths
                .as_object()
                .unwrap()
                .iter()
                .map(Pattern::read)
                .collect(),
        };
        assert_eq!(config.places("@/x/a"), ["y/a", "b/@/x/a"]);
        assert_eq!(config.places("z"), ["z.ts", "b/z"]);
        assert!(config.is_certain("@/q") && !config.is_certain("q"));
    }

    #[test]
    fn those_that_extend_a_file_share_its_patterns() {
        let base = r#"{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}"#;
        let text = r#"{"extends": "../base.json"}"#;
        let folder = with_files([
            ("base.json", base),
            ("a/tsconfig.json", text),
            ("b/tsconfig.json", text),
        ]);
        let repo = Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        let (configs, projects) = (Configs::default(), Projects::default());
        let [a, b] = ["a/x.ts", "b/x.ts"].map(|file| configs.of(&files, &projects, file).unwrap());
        assert_eq!(a.places("@/y"), ["src/y"]);
        assert!(Rc::ptr_eq(&a.paths, &b.paths));
    }
}
