//! Where the modules of JavaScript and TypeScript lie: beside the file, where a
//! `tsconfig.json` says, and in the packages of the repository.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::ground::{Ground, folder, join, name, normal, upwards};
use super::manifest::{is_member, json};
use super::tsconfig::Config;
use super::{Answer, Resolver};
use crate::repo::RepoPath;

/// Endings that need not be written, the first found counts; JavaScript looks for its
/// own first.
const ENDINGS: [&str; 13] = [
    "ts", "tsx", "d.ts", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "json", "d.mts",
];

/// Folders that builds write to, and that have their sources in `src`.
const BUILT: [&str; 9] = [
    "dist", "lib", "build", "out", "esm", "cjs", "es", "types", "module",
];

/// Conditions and fields of a `package.json` that lead to its code, the nearest to the
/// source first.
const FIELDS: [&str; 6] = ["source", "types", "typings", "module", "main", "browser"];

/// So many packages of a workspace are known.
const MAX_MEMBERS: usize = 2000;

/// What all of them say has at most so many values, of about a hundred bytes each.
pub(super) const MAX_VALUES: usize = 60_000;

/// Members of a `package.json` that are dependencies.
const DEPENDENCIES: [&str; 3] = ["dependencies", "devDependencies", "peerDependencies"];

/// Beginnings of a dependency that lies in the repository.
const LOCAL: [&str; 3] = ["file:", "link:", "portal:"];

/// One entry of `exports` leads to at most so many files.
const MAX_LEADS: usize = 32;

/// What the project files say.
#[derive(Default)]
pub(super) struct Projects {
    manifests: RefCell<HashMap<String, Option<Rc<Value>>>>,
    /// How many values of them are remembered.
    values: Cell<usize>,
    pub(super) configs: RefCell<HashMap<String, Option<Rc<Config>>>>,
    /// The folder of each package by its name.
    members: OnceCell<HashMap<String, String>>,
}

impl Projects {
    /// How many values are remembered, or would be.
    pub(super) fn values(&self) -> usize {
        self.values.get()
    }

    /// The `package.json` of a folder.
    pub(super) fn manifest(&self, ground: &Ground<'_>, folder: &str) -> Option<Rc<Value>> {
        if let Some(known) = self.manifests.borrow().get(folder) {
            return known.clone();
        }
        let text = ground.text(folder, "package.json");
        let manifest = text.and_then(|text| json(&text)).and_then(|manifest| {
            let manifest = of_interest(manifest);
            let values = self.values.get() + count(&manifest);
            self.values.set(values);
            (values <= MAX_VALUES).then(|| Rc::new(manifest))
        });
        let mut manifests = self.manifests.borrow_mut();
        manifests.insert(folder.to_owned(), manifest.clone());
        manifest
    }

    /// The nearest `package.json` with the folder that it lies in.
    fn nearest(&self, ground: &Ground<'_>, file: &str) -> Option<(String, Rc<Value>)> {
        upwards(file).find_map(|folder| Some((folder.to_owned(), self.manifest(ground, folder)?)))
    }

    /// The packages of all workspaces; none if nothing above the file begins one.
    fn members(&self, ground: &Ground<'_>, file: &str) -> Option<&HashMap<String, String>> {
        let begins = |folder: &str| !self.patterns(ground, folder).is_empty();
        upwards(file).any(begins).then(|| {
            self.members.get_or_init(|| {
                let mut members = HashMap::new();
                let manifests = ground.listing().named("package.json");
                for path in manifests.take(MAX_MEMBERS) {
                    let here = folder(path);
                    let is_member = upwards(here).any(|root| {
                        let patterns = self.patterns(ground, root);
                        belongs(&patterns, root, here)
                    });
                    let manifest = self.manifest(ground, here).filter(|_| is_member);
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
    pub(super) fn package_file(
        &self,
        ground: &Ground<'_>,
        here: &str,
        path: &str,
    ) -> Option<String> {
        let (package, inside) = split(path);
        let folder = self.members(ground, &join(here, "x"))?.get(package)?;
        let inside = if inside.is_empty() {
            "tsconfig.json"
        } else {
            inside
        };
        let path = join(folder, inside);
        let mut candidates = [path.clone(), format!("{path}.json")].into_iter();
        candidates.find(|path| ground.text(self::folder(path), name(path)).is_some())
    }

    /// The patterns of the packages of a workspace that begins in this folder.
    fn patterns(&self, ground: &Ground<'_>, folder: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(manifest) = self.manifest(ground, folder) {
            let workspaces = &manifest["workspaces"];
            let list = workspaces
                .as_array()
                .or_else(|| workspaces["packages"].as_array());
            if let Some(list) = list {
                return list.iter().filter_map(text).collect();
            }
        }
        let pnpm = ground.text(folder, "pnpm-workspace.yaml");
        if let Some(pnpm) = pnpm {
            return yaml_list(&pnpm, "packages");
        }
        let lerna = ground
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

impl Resolver<'_> {
    /// `"./a.js"`, `"package/a"`, `"#inside"`
    pub(super) fn script(&self, import: &str) -> Answer {
        // A bundler is told how to load a file behind `?`, and before `!`.
        let path = import.rsplit('!').next().unwrap_or(import);
        let path = path.split('?').next().unwrap_or(path);
        if path.is_empty() || path.contains("://") {
            return Answer::Outside;
        }
        let here = folder(self.file.as_str());
        let is_relative = path.starts_with("./") || path.starts_with("../");
        if is_relative || matches!(path, "." | "..") {
            return Answer::of(self.script_file(&join(here, path)));
        }
        if path.starts_with('#') && path.len() > 1 {
            match self.inner_import(path) {
                Answer::Outside => {}
                answer => return answer,
            }
        }
        let configured = self.by_config(path);
        if let Answer::Found(_) = configured {
            return configured;
        }
        let aliased = self.by_alias(path);
        if !matches!(aliased, Answer::Outside) {
            return aliased;
        }
        match self.by_package(path) {
            Answer::Outside => configured,
            answer => answer,
        }
    }

    /// A file at this path, whatever of its ending is not written, or the one that a
    /// folder stands for.
    pub(super) fn script_file(&self, path: &str) -> Option<RepoPath> {
        let path = normal(path)?;
        let is_script = matches!(self.language, "javascript" | "jsx");
        // A TypeScript file is imported under the name of what it compiles to.
        let compiled = [
            (".js", ".ts"),
            (".js", ".tsx"),
            (".jsx", ".tsx"),
            (".mjs", ".mts"),
            (".cjs", ".cts"),
            (".js", ".d.ts"),
        ];
        let compiled = compiled
            .iter()
            .filter_map(|(js, ts)| Some(format!("{}{ts}", path.strip_suffix(js)?)));
        let compiled: Vec<String> = compiled.collect();
        let written = has_ending(&path).then(|| path.clone());
        let first = if is_script {
            written.into_iter().chain(compiled).collect::<Vec<_>>()
        } else {
            compiled.into_iter().chain(written).collect()
        };
        let plain = (!path.is_empty())
            .then(|| self.with_ending(&path))
            .flatten();
        self.ground
            .first(first)
            .or(plain)
            .or_else(|| self.ground.file(&path))
            .or_else(|| self.of_folder(&path))
    }

    /// The file that a folder stands for: what its `package.json` names, or `index`.
    fn of_folder(&self, path: &str) -> Option<RepoPath> {
        if !self.ground.is_folder(path) {
            return None;
        }
        let manifest = self.ground.projects.manifest(self.ground, path);
        let named = manifest.and_then(|manifest| {
            let fields = FIELDS.iter().filter_map(|field| manifest[*field].as_str());
            fields
                .map(str::to_owned)
                .find_map(|main| self.source_of(path, &main))
        });
        named.or_else(|| self.with_ending(&join(path, "index")))
    }

    fn with_ending(&self, path: &str) -> Option<RepoPath> {
        let own = ["js", "jsx", "mjs", "cjs"];
        let is_script = matches!(self.language, "javascript" | "jsx");
        let first = own.iter().filter(|_| is_script);
        let endings = first.chain(&ENDINGS);
        self.ground
            .first(endings.map(|ending| format!("{path}.{ending}")))
    }

    /// What the nearest `tsconfig.json` makes of a name.
    fn by_config(&self, path: &str) -> Answer {
        let Some(config) = Config::of(self.ground, self.file.as_str()) else {
            return Answer::Outside;
        };
        let places = config.places(path);
        let found = places.iter().find_map(|place| self.script_file(place));
        match found {
            Some(found) => Answer::Found(vec![found]),
            None if config.is_certain(path) => Answer::Missing,
            None => Answer::Outside,
        }
    }

    /// Names that no package can have, and that stand for the source folder by custom.
    fn by_alias(&self, path: &str) -> Answer {
        let package = self
            .ground
            .projects
            .nearest(self.ground, self.file.as_str());
        let root = package.map(|(folder, _)| folder).unwrap_or_default();
        let custom = [
            ("@/", "src"),
            ("~/", "src"),
            ("$lib/", "src/lib"),
            ("@/", ""),
            ("~/", ""),
            ("/", ""),
        ];
        let mut is_custom = false;
        for (start, place) in custom {
            let Some(rest) = path.strip_prefix(start) else {
                continue;
            };
            is_custom = true;
            let place = join(&join(&root, place), rest);
            if let Some(found) = self.script_file(&place) {
                return Answer::Found(vec![found]);
            }
        }
        if is_custom {
            Answer::Missing
        } else {
            Answer::Outside
        }
    }

    /// A package of the repository: this one, one of the workspace, or one that is
    /// depended on by its folder.
    fn by_package(&self, path: &str) -> Answer {
        let (package, inside) = split(path);
        let projects = &self.ground.projects;
        let file = self.file.as_str();
        let nearest = projects.nearest(self.ground, file);
        let own = nearest
            .as_ref()
            .filter(|(_, m)| m["name"].as_str() == Some(package));
        let linked = || {
            let (folder, manifest) = nearest.as_ref()?;
            let mut places = DEPENDENCIES
                .iter()
                .filter_map(|list| manifest[*list][package].as_str());
            let place =
                places.find_map(|place| LOCAL.iter().find_map(|kind| place.strip_prefix(kind)))?;
            normal(&join(folder, place))
        };
        let member = || projects.members(self.ground, file)?.get(package).cloned();
        let folder = own
            .map(|(folder, _)| folder.clone())
            .or_else(linked)
            .or_else(member);
        let Some(folder) = folder else {
            return Answer::Outside;
        };
        Answer::of(self.in_package(&folder, inside))
    }

    /// The file of a package that a path in it leads to.
    pub(super) fn in_package(&self, folder: &str, inside: &str) -> Option<RepoPath> {
        let manifest = self.ground.projects.manifest(self.ground, folder)?;
        let key = if inside.is_empty() {
            ".".to_owned()
        } else {
            format!("./{inside}")
        };
        let exported = exported(&manifest["exports"], &key);
        let mut exported = exported.iter();
        if let Some(found) = exported.find_map(|path| self.source_of(folder, path)) {
            return Some(found);
        }
        if inside.is_empty() {
            let fields = FIELDS.iter().filter_map(|field| manifest[*field].as_str());
            let mut places = fields
                .map(str::to_owned)
                .chain(["index".into(), "src/index".into()]);
            return places.find_map(|path| self.source_of(folder, &path));
        }
        self.source_of(folder, inside)
            .or_else(|| self.script_file(&join(folder, &format!("src/{inside}"))))
    }

    /// `#inside`, as the nearest package has it.
    fn inner_import(&self, path: &str) -> Answer {
        let projects = &self.ground.projects;
        let Some((folder, manifest)) = projects.nearest(self.ground, self.file.as_str()) else {
            return Answer::Outside;
        };
        let places = exported(&manifest["imports"], path);
        if places.is_empty() {
            return Answer::Outside;
        }
        Answer::of(
            places
                .iter()
                .find_map(|place| self.source_of(&folder, place)),
        )
    }

    /// The source of a file that a package names, which a build may write: of
    /// `dist/a.js` that is `src/a.ts`, if it is there.
    fn source_of(&self, folder: &str, path: &str) -> Option<RepoPath> {
        let path = normal(path)?;
        let parts: Vec<&str> = path.split('/').collect();
        let built = parts.iter().take_while(|part| BUILT.contains(part)).count();
        let from_source = (1..=built).rev().find_map(|count| {
            let inside = parts[count..].join("/");
            let inside = inside.strip_prefix("src/").unwrap_or(&inside).to_owned();
            let source = join(folder, &format!("src/{inside}"));
            // `a.d.ts` and `a.mjs` are written for `a.ts` too.
            let stem = ["d.ts", "d.mts", "d.cts", "mjs", "cjs", "js"]
                .iter()
                .find_map(|ending| source.strip_suffix(&format!(".{ending}")));
            self.script_file(&source)
                .or_else(|| stem.and_then(|stem| self.with_ending(stem)))
        });
        let direct = || self.script_file(&join(folder, &path));
        // `index.d.ts` beside `index.js` tells of its types only.
        from_source.or_else(direct)
    }
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

/// How many values there are in a value.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Whether a path ends as a file does.
fn has_ending(path: &str) -> bool {
    name(path).trim_start_matches('.').contains('.')
}

/// A package's name and the path in it.
fn split(path: &str) -> (&str, &str) {
    let parts = if path.starts_with('@') { 2 } else { 1 };
    match path.match_indices('/').nth(parts - 1) {
        Some((at, _)) => (&path[..at], &path[at + 1..]),
        None => (path, ""),
    }
}

/// What `exports` or `imports` has for a key, in the order of [`FIELDS`] and then as
/// written; a `*` in it is filled in.
fn exported(exports: &Value, key: &str) -> Vec<String> {
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
