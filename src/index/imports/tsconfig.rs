//! What `tsconfig.json` and `jsconfig.json` say of where modules lie.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::files::{BYTES_A_LOOK, Files};
use super::manifest::json;
use super::npm::Projects;
use super::path::{folder, join, name, normal, upwards};

/// The most files that a configuration is put together from.
const MAX_FILES: usize = 16;

/// The most patterns of a project.
const MAX_PATTERNS: usize = 500;

/// The most places of a pattern.
const MAX_PLACES: usize = 8;

/// The configurations that were looked for, by their folders.
#[derive(Default)]
pub(super) struct Configs {
    read: RefCell<HashMap<String, Option<Rc<Config>>>>,
}

/// `baseUrl` and `paths`, from the repository's root.
#[derive(Debug, Default, Clone)]
pub(super) struct Config {
    base: Option<String>,
    /// The folder that the places of `paths` are relative to.
    places_from: String,
    paths: Vec<Pattern>,
}

/// A pattern of `paths`.
#[derive(Debug, Clone)]
struct Pattern {
    /// What stands before the `*`; all of it if there is none.
    before: String,
    /// What stands behind the `*`.
    after: Option<String>,
    places: Vec<String>,
}

impl Configs {
    /// What the nearest configuration says to a file.
    pub(super) fn of(
        &self,
        files: &Files<'_>,
        projects: &Projects,
        file: &str,
    ) -> Option<Rc<Config>> {
        let names = ["tsconfig.json", "jsconfig.json"];
        upwards(file).find_map(|folder| {
            if let Some(known) = self.read.borrow().get(folder) {
                return known.clone();
            }
            let mut names = names.into_iter();
            let name = names.find(|name| files.text(folder, name).is_some());
            let mut reader = Reader {
                files,
                projects,
                left: MAX_FILES,
            };
            let config = name.map(|name| Rc::new(reader.whole(&join(folder, name))));
            let mut read = self.read.borrow_mut();
            read.insert(folder.to_owned(), config.clone());
            config
        })
    }
}

/// Puts a configuration together.
struct Reader<'r, 'a> {
    files: &'r Files<'a>,
    projects: &'r Projects,
    /// How many files may still be read for it.
    left: usize,
}

impl Reader<'_, '_> {
    /// A configuration; one that only refers to others is taken from them.
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
        for place in extended {
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
            config.paths = paths.iter().take(MAX_PATTERNS).map(Pattern::read).collect();
        }
        config
    }

    fn parsed(&self, path: &str) -> Option<Value> {
        let text = self.files.text(folder(path), name(path))?;
        let is_affordable = self.files.look(text.len() / BYTES_A_LOOK);
        is_affordable.then(|| json(&text))?
    }

    /// The file that `extends` names: relative, or in a package of the workspace.
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

    /// Where a name may lie, the first place first.
    pub(super) fn places(&self, import: &str) -> Vec<String> {
        let mut places = Vec::new();
        if let Some((pattern, middle)) = self.pattern(import) {
            let targets = pattern.places.iter();
            let targets = targets.map(|target| target.replacen('*', middle, 1));
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

    /// The pattern for a name with what its `*` stands for: an exact one, else that with
    /// the longest beginning.
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
}
