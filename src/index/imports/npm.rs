//! What `package.json` files say: packages, the workspaces that they lie in, and where what
//! they export lies.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::files::Files;
use super::manifest::{is_member, json};
use super::path::{folder, join, name, upwards};

/// Conditions and fields of a `package.json` that lead to its code, the nearest to the
/// source first.
pub(super) const FIELDS: [&str; 6] = ["source", "types", "typings", "module", "main", "browser"];

/// The most packages that are known of all workspaces.
const MAX_MEMBERS: usize = 2000;

/// Members of a `package.json` that are dependencies.
const DEPENDENCIES: [&str; 3] = ["dependencies", "devDependencies", "peerDependencies"];

/// Beginnings of a dependency that lies in the repository.
const LOCAL: [&str; 3] = ["file:", "link:", "portal:"];

/// The most files that one entry of `exports` leads to.
const MAX_LEADS: usize = 32;

/// What the project files say, by their folders.
#[derive(Default)]
pub(super) struct Projects {
    manifests: RefCell<HashMap<String, Option<Rc<Value>>>>,
    /// The folder of each package by its name.
    members: OnceCell<HashMap<String, String>>,
}

impl Projects {
    /// The `package.json` of a folder.
    pub(super) fn manifest(&self, files: &Files<'_>, folder: &str) -> Option<Rc<Value>> {
        if let Some(known) = self.manifests.borrow().get(folder) {
            return known.clone();
        }
        let text = files.text(folder, "package.json");
        let manifest = text.and_then(|text| json(&text)).and_then(|manifest| {
            let manifest = of_interest(manifest);
            let is_remembered = files.remember(count(&manifest));
            is_remembered.then(|| Rc::new(manifest))
        });
        let mut manifests = self.manifests.borrow_mut();
        manifests.insert(folder.to_owned(), manifest.clone());
        manifest
    }

    /// The nearest `package.json` with the folder that it lies in.
    pub(super) fn nearest(&self, files: &Files<'_>, file: &str) -> Option<(String, Rc<Value>)> {
        upwards(file).find_map(|folder| Some((folder.to_owned(), self.manifest(files, folder)?)))
    }

    /// The packages of all workspaces; none if nothing above the file begins one.
    pub(super) fn members(
        &self,
        files: &Files<'_>,
        file: &str,
    ) -> Option<&HashMap<String, String>> {
        let begins = |folder: &str| !self.patterns(files, folder).is_empty();
        upwards(file).any(begins).then(|| {
            self.members.get_or_init(|| {
                let mut members = HashMap::new();
                let manifests = files.listing().named("package.json");
                for path in manifests.take(MAX_MEMBERS) {
                    let here = folder(path);
                    let is_member = upwards(here).any(|root| {
                        let patterns = self.patterns(files, root);
                        belongs(&patterns, root, here)
                    });
                    let manifest = self.manifest(files, here).filter(|_| is_member);
                    let name = manifest.as_ref().and_then(|m| m["name"].as_str());
                    if let Some(name) = name {
                        members
                            .entry(name.to_owned())
                            .or_insert_with(|| here.to_owned());
                    }
                }
                members
            })
        })
    }

    /// A project file in another package of the workspace: `@a/config/base.json`.
    pub(super) fn package_file(&self, files: &Files<'_>, here: &str, path: &str) -> Option<String> {
        let (package, inside) = split(path);
        let folder = self.members(files, &join(here, "x"))?.get(package)?;
        let inside = if inside.is_empty() {
            "tsconfig.json"
        } else {
            inside
        };
        let path = join(folder, inside);
        let mut candidates = [path.clone(), format!("{path}.json")].into_iter();
        candidates.find(|path| files.text(self::folder(path), name(path)).is_some())
    }

    /// The patterns of the packages of a workspace that begins in this folder.
    fn patterns(&self, files: &Files<'_>, folder: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(manifest) = self.manifest(files, folder) {
            let workspaces = &manifest["workspaces"];
            let list = workspaces
                .as_array()
                .or_else(|| workspaces["packages"].as_array());
            if let Some(list) = list {
                return list.iter().filter_map(text).collect();
            }
        }
        let pnpm = files.text(folder, "pnpm-workspace.yaml");
        if let Some(pnpm) = pnpm {
            return yaml_list(&pnpm, "packages");
        }
        let lerna = files
            .text(folder, "lerna.json")
            .and_then(|text| json(&text));
        let list = lerna
            .as_ref()
            .and_then(|lerna| lerna["packages"].as_array());
        list.map(|list| list.iter().filter_map(text).collect())
            .unwrap_or_default()
    }
}

/// Whether patterns of a workspace mean a folder; those with `!` take it out.
fn belongs(patterns: &[String], root: &str, folder: &str) -> bool {
    let inside = folder
        .strip_prefix(root)
        .unwrap_or(folder)
        .trim_start_matches('/');
    let (without, with): (Vec<_>, Vec<_>) = patterns.iter().partition(|p| p.starts_with('!'));
    with.iter().any(|pattern| is_member(pattern, inside))
        && !without
            .iter()
            .any(|pattern| is_member(&pattern[1..], inside))
}

/// The texts of a list at the top of a YAML file.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut lines = text.lines().skip_while(|line| {
        line.strip_prefix(key)
            .is_none_or(|rest| !rest.starts_with(':'))
    });
    lines.next();
    lines
        .map(|line| line.split(" #").next().unwrap_or_default().trim())
        .take_while(|line| line.is_empty() || line.starts_with(['-', '#']))
        .filter_map(|line| line.strip_prefix('-'))
        .map(|item| item.trim().trim_matches(['"', '\'']).to_owned())
        .collect()
}

/// What of a `package.json` leads to files.
fn of_interest(manifest: Value) -> Value {
    let Value::Object(mut members) = manifest else {
        return Value::Null;
    };
    let others = ["name", "exports", "imports", "workspaces"];
    members.retain(|key, value| {
        if DEPENDENCIES.contains(&key.as_str()) {
            let is_local = |place: &str| LOCAL.iter().any(|kind| place.starts_with(kind));
            if let Some(list) = value.as_object_mut() {
                list.retain(|_, place| place.as_str().is_some_and(is_local));
            }
            return value.is_object();
        }
        others.contains(&key.as_str()) || FIELDS.contains(&key.as_str())
    });
    Value::Object(members)
}

/// Where in the repository a dependency lies, from the manifest's folder.
pub(super) fn local_dependency<'a>(manifest: &'a Value, package: &str) -> Option<&'a str> {
    let lists = DEPENDENCIES.iter();
    let mut places = lists.filter_map(|list| manifest[*list][package].as_str());
    places.find_map(|place| LOCAL.iter().find_map(|kind| place.strip_prefix(kind)))
}

/// How many values there are in a value.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// A package's name and the path in it.
pub(super) fn split(path: &str) -> (&str, &str) {
    let parts = if path.starts_with('@') { 2 } else { 1 };
    match path.match_indices('/').nth(parts - 1) {
        Some((at, _)) => (&path[..at], &path[at + 1..]),
        None => (path, ""),
    }
}

/// What `exports` or `imports` has for a key, in the order of [`FIELDS`] and then as
/// written; a `*` in it is filled in.
pub(super) fn exported(exports: &Value, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_map = |exports: &Value| {
        let map = exports.as_object();
        map.is_some_and(|map| map.keys().any(|key| key.starts_with(['.', '#'])))
    };
    if !is_map(exports) {
        if key == "." {
            leads(exports, "", &mut found);
        }
        return found;
    }
    if let Some(value) = exports.get(key) {
        leads(value, "", &mut found);
        return found;
    }
    let patterns = exports.as_object().into_iter().flatten();
    let fitting = patterns.filter_map(|(pattern, value)| {
        let (before, after) = pattern.split_once('*')?;
        let middle = key.strip_prefix(before)?.strip_suffix(after)?;
        Some((before.len(), middle, value))
    });
    if let Some((_, middle, value)) = fitting.max_by_key(|(length, _, _)| *length) {
        leads(value, middle, &mut found);
    }
    found
}

fn leads(value: &Value, middle: &str, found: &mut Vec<String>) {
    if found.len() >= MAX_LEADS {
        return;
    }
    match value {
        Value::String(path) => found.push(path.replace('*', middle)),
        Value::Array(values) => values.iter().for_each(|value| leads(value, middle, found)),
        Value::Object(values) => {
            let first = FIELDS.iter().filter_map(|field| values.get(*field));
            let rest = values
                .iter()
                .filter(|(key, _)| !FIELDS.contains(&key.as_str()));
            for value in first.chain(rest.map(|(_, value)| value)) {
                leads(value, middle, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages_are_split_from_paths() {
        assert_eq!(split("a"), ("a", ""));
        assert_eq!(split("@a/b"), ("@a/b", ""));
        assert_eq!(split("@a/b/c/d"), ("@a/b", "c/d"));
    }

    #[test]
    fn exports_have_conditions_and_patterns() {
        let exports = json(
            r#"{".": {"import": {"types": "./a.d.ts", "default": "./a.mjs"}}, "./x/*": "./src/x/*.js"}"#,
        );
        let exports = exports.unwrap();
        assert_eq!(exported(&exports, "."), ["./a.d.ts", "./a.mjs"]);
        assert_eq!(exported(&exports, "./x/y/z"), ["./src/x/y/z.js"]);
        assert_eq!(exported(&exports, "./no"), Vec::<String>::new());
        assert_eq!(exported(&Value::from("./b.js"), "."), ["./b.js"]);
    }

    #[test]
    fn lists_of_yaml_are_read() {
        let text = "packages:\n  # all\n  - 'a/*'\n  - \"!b\" # not\nother:\n  - c\n";
        assert_eq!(yaml_list(text, "packages"), ["a/*", "!b"]);
    }
}
