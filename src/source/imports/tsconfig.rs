//! What `tsconfig.json` and `jsconfig.json` say of where modules lie.

use std::rc::Rc;

use serde_json::Value;

use super::ground::{Ground, folder, join, name, normal, upwards};
use super::manifest::json;

/// One file extends another at most so often.
const MAX_CHAIN: usize = 16;

/// A project has at most so many patterns, and so many places for each.
const MAX_PATTERNS: usize = 500;
const MAX_PLACES: usize = 8;

/// `baseUrl` and `paths`, from the repository's root.
#[derive(Debug, Default, Clone)]
pub(super) struct Config {
    base: Option<String>,
    /// What stands before and behind the `*`, if there is one, and the places.
    paths: Vec<(String, Option<String>, Vec<String>)>,
}

impl Config {
    /// What the nearest configuration says to a file.
    pub(super) fn of(ground: &Ground<'_>, file: &str) -> Option<Rc<Config>> {
        let names = ["tsconfig.json", "jsconfig.json"];
        upwards(file).find_map(|folder| {
            if let Some(known) = ground.projects.configs.borrow().get(folder) {
                return known.clone();
            }
            let path = names.into_iter().find(|name| ground.text(folder, name).is_some());
            let config = path.map(|name| Rc::new(Config::whole(ground, &join(folder, name))));
            let mut configs = ground.projects.configs.borrow_mut();
            configs.insert(folder.to_owned(), config.clone());
            config
        })
    }

    /// A configuration; one that only refers to others is taken from them.
    fn whole(ground: &Ground<'_>, path: &str) -> Config {
        let mut config = Config::read(ground, path, 0);
        let Some(value) = parsed(ground, path) else {
            return config;
        };
        let references = value["references"].as_array();
        for reference in references.into_iter().flatten().take(MAX_CHAIN) {
            let Some(place) = reference["path"].as_str().filter(|_| config.is_empty()) else {
                continue;
            };
            // Other packages are no part of this one.
            let place = join(folder(path), place);
            if place.ends_with(".json") {
                config = Config::read(ground, &place, 0);
            }
        }
        config
    }

    fn is_empty(&self) -> bool {
        self.base.is_none() && self.paths.is_empty()
    }

    fn read(ground: &Ground<'_>, path: &str, depth: usize) -> Config {
        let mut config = Config::default();
        let Some(value) = normal(path).and_then(|path| parsed(ground, &path)) else {
            return config;
        };
        let here = folder(path);
        let extended = match &value["extends"] {
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        if depth < MAX_CHAIN {
            // The last one wins.
            for place in extended.into_iter().take(MAX_CHAIN - depth) {
                let Some(place) = extended_path(ground, here, place) else {
                    continue;
                };
                let above = Config::read(ground, &place, depth + MAX_CHAIN / 4);
                config.base = above.base.or(config.base);
                if !above.paths.is_empty() {
                    config.paths = above.paths;
                }
            }
        }
        let options = &value["compilerOptions"];
        if let Some(base) = options["baseUrl"].as_str() {
            config.base = normal(&join(here, base));
        }
        if let Some(paths) = options["paths"].as_object() {
            let base = config.base.clone().unwrap_or_else(|| here.to_owned());
            let paths = paths.iter().take(MAX_PATTERNS);
            config.paths = paths
                .map(|(pattern, places)| {
                    let places = places.as_array().into_iter().flatten().take(MAX_PLACES);
                    let places = places.filter_map(Value::as_str);
                    let places = places.map(|place| join(&base, place)).collect();
                    match pattern.split_once('*') {
                        Some((before, after)) => (before.to_owned(), Some(after.to_owned()), places),
                        None => (pattern.clone(), None, places),
                    }
                })
                .collect();
        }
        config
    }

    /// Where a name may lie, the first place first.
    pub(super) fn places(&self, import: &str) -> Vec<String> {
        let mut places = Vec::new();
        if let Some((middle, (_, _, targets))) = self.pattern(import) {
            places.extend(targets.iter().map(|target| target.replacen('*', middle, 1)));
        }
        places.extend(self.base.as_ref().map(|base| join(base, import)));
        places
    }

    /// Whether a pattern is about this name, and not about all names.
    pub(super) fn is_certain(&self, import: &str) -> bool {
        self.pattern(import).is_some_and(|(_, (before, _, _))| !before.is_empty())
    }

    /// The pattern for a name with what its `*` stands for: an exact one, else that with
    /// the longest beginning.
    fn pattern<'a>(
        &self,
        import: &'a str,
    ) -> Option<(&'a str, &(String, Option<String>, Vec<String>))> {
        let fitting = self.paths.iter().filter_map(|path| {
            let (before, after, _) = path;
            let middle = match after {
                None => (before == import).then_some("")?,
                Some(after) => import.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?,
            };
            Some((middle, path))
        });
        fitting.max_by_key(|(_, (before, after, _))| (after.is_none(), before.len()))
    }
}

fn parsed(ground: &Ground<'_>, path: &str) -> Option<Value> {
    json(&ground.text(folder(path), name(path))?)
}

/// The file that `extends` names: relative, or in a package of the workspace.
fn extended_path(ground: &Ground<'_>, here: &str, place: &str) -> Option<String> {
    if !place.starts_with('.') {
        let path = ground.projects.package_file(ground, here, place)?;
        return Some(path);
    }
    let path = normal(&join(here, place))?;
    let candidates = [path.clone(), format!("{path}.json"), join(&path, "tsconfig.json")];
    let mut candidates = candidates.into_iter();
    candidates.find(|path| ground.text(folder(path), name(path)).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_pattern_counts() {
        let path = |before: &str, after: Option<&str>, place: &str| {
            (before.to_owned(), after.map(str::to_owned), vec![place.to_owned()])
        };
        let config = Config {
            base: Some("b".into()),
            paths: vec![
                path("@/", Some(""), "src/*"),
                path("@/x/", Some(""), "y/*"),
                path("z", None, "z.ts"),
            ],
        };
        assert_eq!(config.places("@/x/a"), ["y/a", "b/@/x/a"]);
        assert_eq!(config.places("z"), ["z.ts", "b/z"]);
        assert!(config.is_certain("@/q") && !config.is_certain("q"));
    }
}
