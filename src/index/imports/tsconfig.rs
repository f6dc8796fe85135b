//! What `tsconfig.json` and `jsconfig.json` say of where modules lie.

use std::rc::Rc;

use serde_json::Value;

use super::ground::{BYTES_A_LOOK, Ground, folder, join, name, normal, upwards};
use super::manifest::json;

/// A configuration is put together from at most so many files.
const MAX_FILES: usize = 16;

/// A project has at most so many patterns, and so many places for each.
const MAX_PATTERNS: usize = 500;
const MAX_PLACES: usize = 8;

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

impl Config {
    /// What the nearest configuration says to a file.
    pub(super) fn of(ground: &Ground<'_>, file: &str) -> Option<Rc<Config>> {
        let names = ["tsconfig.json", "jsconfig.json"];
        upwards(file).find_map(|folder| {
            if let Some(known) = ground.projects.configs.borrow().get(folder) {
                return known.clone();
            }
            let path = names
                .into_iter()
                .find(|name| ground.text(folder, name).is_some());
            let config = path.map(|name| Rc::new(Config::whole(ground, &join(folder, name))));
            let mut configs = ground.projects.configs.borrow_mut();
            configs.insert(folder.to_owned(), config.clone());
            config
        })
    }

    /// A configuration; one that only refers to others is taken from them.
    fn whole(ground: &Ground<'_>, path: &str) -> Config {
        let mut left = MAX_FILES;
        let mut config = Config::read(ground, path, &mut left);
        let Some(value) = parsed(ground, path) else {
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
                config = Config::read(ground, &place, &mut left);
            }
        }
        config
    }

    fn is_empty(&self) -> bool {
        self.base.is_none() && self.paths.is_empty()
    }

    fn read(ground: &Ground<'_>, path: &str, left: &mut usize) -> Config {
        let mut config = Config::default();
        if *left == 0 {
            return config;
        }
        *left -= 1;
        let Some(value) = normal(path).and_then(|path| parsed(ground, &path)) else {
            return config;
        };
        let here = folder(path);
        let extended = match &value["extends"] {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        // The last one wins.
        for place in extended {
            let Some(place) = extended_path(ground, here, place) else {
                continue;
            };
            let above = Config::read(ground, &place, left);
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

fn parsed(ground: &Ground<'_>, path: &str) -> Option<Value> {
    let text = ground.text(folder(path), name(path))?;
    ground
        .look(text.len() / BYTES_A_LOOK)
        .then(|| json(&text))?
}

/// The file that `extends` names: relative, or in a package of the workspace.
fn extended_path(ground: &Ground<'_>, here: &str, place: &str) -> Option<String> {
    if !place.starts_with('.') {
        let path = ground.projects.package_file(ground, here, place)?;
        return Some(path);
    }
    let path = normal(&join(here, place))?;
    let candidates = [
        path.clone(),
        format!("{path}.json"),
        join(&path, "tsconfig.json"),
    ];
    let mut candidates = candidates.into_iter();
    candidates.find(|path| ground.text(folder(path), name(path)).is_some())
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
