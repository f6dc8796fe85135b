//! What `package.json` files say: packages, the workspaces that they are in, and where their
//! exports are.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::files::Files;
use super::manifest::json;
use super::memo::Memo;
use super::path::{filled, folder, join, name, upwards};
use super::workspace::Workspace;
use crate::repo::MAX_PATH;

/// Conditions and fields of a `package.json` that lead to its code, the nearest to the source
/// first.
pub(super) const FIELDS: [&str; 6] = ["source", "types", "typings", "module", "main", "browser"];

/// The most packages that are known of all workspaces.
const MAX_MEMBERS: usize = 2000;

/// Members of a `package.json` that list dependencies.
const DEPENDENCIES: [&str; 3] = ["dependencies", "devDependencies", "peerDependencies"];

/// Prefixes of a dependency that is in the repository.
const LOCAL: [&str; 3] = ["file:", "link:", "portal:"];

/// The most files that one entry of `exports` leads to.
const MAX_LEADS: usize = 32;

/// What the project files say, by folder.
#[derive(Default)]
pub(super) struct Projects {
    manifests: Memo<Option<Rc<Value>>>,
    workspaces: Memo<Option<Rc<Workspace>>>,
    /// The folder of each package, by its name.
    members: OnceCell<HashMap<String, String>>,
}

impl Projects {
    /// Returns the `package.json` of a folder.
    pub(super) fn manifest(&self, files: &Files<'_>, folder: &str) -> Option<Rc<Value>> {
        self.manifests.of(folder, || {
            let manifest = json(&files.text_to_read(folder, "package.json")?)?;
            let manifest = of_interest(manifest);
            let is_remembered = files.remember(&join(folder, "package.json"), count(&manifest), 0);
            is_remembered.then(|| Rc::new(manifest))
        })
    }

    /// Returns the nearest `package.json` with the folder that it is in.
    pub(super) fn nearest(&self, files: &Files<'_>, file: &str) -> Option<(String, Rc<Value>)> {
        upwards(file).find_map(|folder| Some((folder.to_owned(), self.manifest(files, folder)?)))
    }

    /// Returns the packages of all workspaces; none if no workspace begins above the file.
    pub(super) fn members(
        &self,
        files: &Files<'_>,
        file: &str,
    ) -> Option<&HashMap<String, String>> {
        let begins = |folder: &str| self.workspace(files, folder).is_some();
        upwards(file).any(begins).then(|| {
            self.members.get_or_init(|| {
                let mut members = HashMap::new();
                let manifests = files.listing().named("package.json");
                for path in manifests.take(MAX_MEMBERS) {
                    let here = folder(path);
                    let is_member = upwards(here).any(|root| {
                        let workspace = self.workspace(files, root);
                        let inside = here.strip_prefix(root).unwrap_or(here);
                        workspace.is_some_and(|workspace| {
                            files.look(workspace.cost()) && workspace.has(inside)
                        })
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

    /// Returns a project file in another package of the workspace: `@a/config/base.json`.
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

    /// Returns the workspace that begins in this folder.
    fn workspace(&self, files: &Files<'_>, folder: &str) -> Option<Rc<Workspace>> {
        self.workspaces.of(folder, || {
            let workspace = self.read_workspace(files, folder)?;
            let is_one = !workspace.is_empty() && files.remember(folder, 1, workspace.weight());
            is_one.then(|| Rc::new(workspace))
        })
    }

    fn read_workspace(&self, files: &Files<'_>, folder: &str) -> Option<Workspace> {
        let of = |list: &Vec<Value>| Workspace::of(list.iter().filter_map(Value::as_str));
        if let Some(manifest) = self.manifest(files, folder) {
            let workspaces = &manifest["workspaces"];
            let list = workspaces
                .as_array()
                .or_else(|| workspaces["packages"].as_array());
            if let Some(list) = list {
                return Some(of(list));
            }
        }
        if let Some(pnpm) = files.text_to_read(folder, "pnpm-workspace.yaml") {
            return Some(Workspace::of(workspace_packages(&pnpm)));
        }
        let lerna = json(&files.text_to_read(folder, "lerna.json")?)?;
        lerna["packages"].as_array().map(of)
    }
}

/// Returns the texts of the list `packages` of a `pnpm-workspace.yaml`.
fn workspace_packages(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .skip_while(|line| !line.starts_with("packages:"))
        .skip(1)
        .map(|line| line.split(" #").next().unwrap_or_default().trim())
        .take_while(|line| line.is_empty() || line.starts_with(['-', '#']))
        .filter_map(|line| line.strip_prefix('-'))
        .map(|item| item.trim().trim_matches(['"', '\'']))
        .filter(|item| item.len() <= MAX_PATH)
}

/// Returns the parts of a `package.json` that lead to files.
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

/// Returns where in the repository a dependency is, relative to the manifest's folder.
pub(super) fn local_dependency<'a>(manifest: &'a Value, package: &str) -> Option<&'a str> {
    let lists = DEPENDENCIES.iter();
    let mut places = lists.filter_map(|list| manifest[*list][package].as_str());
    places.find_map(|place| LOCAL.iter().find_map(|kind| place.strip_prefix(kind)))
}

/// Returns how many values there are in a value.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Splits a package's name from the path in it.
pub(super) fn split(path: &str) -> (&str, &str) {
    let parts = if path.starts_with('@') { 2 } else { 1 };
    match path.match_indices('/').nth(parts - 1) {
        Some((at, _)) => (&path[..at], &path[at + 1..]),
        None => (path, ""),
    }
}

/// Returns what `exports` or `imports` has for a key, in the order of [`FIELDS`] and then as
/// written, with a `*` in it filled in. `look` counts what is gone through, and says when it is too
/// much.
pub(super) fn exported(exports: &Value, key: &str, look: &dyn Fn(usize) -> bool) -> Vec<String> {
    /// The keys that take as long to compare as one look.
    const KEYS: usize = 8;
    let mut leads = Leads {
        look,
        middle: "",
        found: Vec::new(),
    };
    let map = exports.as_object();
    if !look(1 + map.map_or(0, |map| map.len() / KEYS)) {
        return Vec::new();
    }
    let Some(map) = map.filter(|map| map.keys().any(|key| key.starts_with(['.', '#']))) else {
        if key == "." {
            leads.follow(exports);
        }
        return leads.found;
    };
    if let Some(value) = map.get(key) {
        leads.follow(value);
        return leads.found;
    }
    let fitting = map.iter().filter_map(|(pattern, value)| {
        let (before, after) = pattern.split_once('*')?;
        let middle = key.strip_prefix(before)?.strip_suffix(after)?;
        Some((before.len(), middle, value))
    });
    if let Some((_, middle, value)) = fitting.max_by_key(|(length, _, _)| *length) {
        leads.middle = middle;
        leads.follow(value);
    }
    leads.found
}

/// The paths that a value leads to.
struct Leads<'a> {
    look: &'a dyn Fn(usize) -> bool,
    /// The text that a `*` stands for.
    middle: &'a str,
    found: Vec<String>,
}

impl Leads<'_> {
    fn follow(&mut self, value: &Value) {
        if self.found.len() >= MAX_LEADS || !(self.look)(1) {
            return;
        }
        match value {
            Value::String(path) => self.found.extend(filled(path, self.middle, usize::MAX)),
            Value::Array(values) => values.iter().for_each(|value| self.follow(value)),
            Value::Object(values) => {
                let first = FIELDS.iter().filter_map(|field| values.get(*field));
                let rest = values
                    .iter()
                    .filter(|(key, _)| !FIELDS.contains(&key.as_str()));
                for value in first.chain(rest.map(|(_, value)| value)) {
                    self.follow(value);
                }
            }
            _ => {}
        }
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
        let exported = |exports: &Value, key| exported(exports, key, &|_| true);
        assert_eq!(exported(&exports, "."), ["./a.d.ts", "./a.mjs"]);
        assert_eq!(exported(&exports, "./x/y/z"), ["./src/x/y/z.js"]);
        assert_eq!(exported(&exports, "./no"), Vec::<String>::new());
        assert_eq!(exported(&Value::from("./b.js"), "."), ["./b.js"]);
    }

    #[test]
    fn what_exports_lead_to_is_bounded_and_counted() {
        let looks = std::cell::Cell::new(0);
        let count = |places| {
            looks.set(looks.get() + places);
            looks.get() < 50_000
        };
        let middle = "b".repeat(1000);
        let stars = Value::from(vec!["*".repeat(4000); 30]);
        let stars = serde_json::json!({ "./*": stars, "./c/*": [] });
        let found = exported(&stars, &format!("./{middle}"), &count);
        assert_eq!((found.len(), looks.get()), (0, 32));
        let many: serde_json::Map<String, Value> = (0..80_000)
            .map(|n| (format!("./{n}"), Value::Null))
            .collect();
        let many = Value::Object(many);
        exported(&many, "./no", &count);
        assert_eq!(looks.get(), 32 + 10_001);
        exported(&Value::from(vec![Value::Null; 80_000]), ".", &count);
        assert!(looks.get() >= 50_000);
    }

    #[test]
    fn a_workspace_is_read_once_and_its_patterns_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let patterns = "- a\n".repeat(32_000);
        let text = format!("packages:\n{patterns}");
        std::fs::write(folder.path().join("pnpm-workspace.yaml"), text).unwrap();
        for number in 0..20 {
            let place = folder.path().join(format!("p{number}"));
            std::fs::create_dir(&place).unwrap();
            std::fs::write(place.join("package.json"), r#"{"name": "p"}"#).unwrap();
        }
        let repo = crate::repo::Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        let projects = Projects::default();
        let first = projects.workspace(&files, "").unwrap();
        let again = projects.workspace(&files, "").unwrap();
        assert!(Rc::ptr_eq(&first, &again));
        let before = files.effort();
        assert!(projects.members(&files, "a.ts").unwrap().is_empty());
        assert!(files.effort().looks - before.looks >= 20 * first.cost());
    }

    #[test]
    fn lists_of_yaml_are_read() {
        let text = "packages:\n  # all\n  - 'a/*'\n  - \"!b\" # not\nother:\n  - c\n";
        let list: Vec<&str> = workspace_packages(text).collect();
        assert_eq!(list, ["a/*", "!b"]);
    }
}
