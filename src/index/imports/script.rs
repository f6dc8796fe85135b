//! Where JavaScript and TypeScript modules are: beside the file, where a `tsconfig.json` says, and
//! in the packages of the repository.

use super::npm::{FIELDS, exported, local_dependency, split};
use super::path::{folder, join, name, normal};
use super::{Answer, Importer, Resolver};
use crate::repo::RepoPath;

/// Extensions that may be omitted; the first found counts, and JavaScript looks for its own first.
const ENDINGS: [&str; 13] = [
    "ts", "tsx", "d.ts", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "json", "d.mts",
];

/// Folders that builds write to, and that have their sources in `src`.
const BUILT: [&str; 9] = [
    "dist", "lib", "build", "out", "esm", "cjs", "es", "types", "module",
];

impl Importer<'_> {
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

    /// Returns the file at this path, whatever extension is omitted, or the one that a folder
    /// stands for.
    fn script_file(&self, path: &str) -> Option<RepoPath> {
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
        self.files()
            .first(first)
            .or(plain)
            .or_else(|| self.files().file(&path))
            .or_else(|| self.of_folder(&path))
    }

    /// Returns the file that a folder stands for: what its `package.json` names, or `index`.
    fn of_folder(&self, path: &str) -> Option<RepoPath> {
        if !self.files().is_folder(path) {
            return None;
        }
        let manifest = self.resolver.projects.manifest(self.files(), path);
        let named = manifest.and_then(|manifest| {
            let mut fields = FIELDS.iter().filter_map(|field| manifest[*field].as_str());
            fields.find_map(|main| self.source_of(path, main))
        });
        named.or_else(|| self.with_ending(&join(path, "index")))
    }

    fn with_ending(&self, path: &str) -> Option<RepoPath> {
        let own = ["js", "jsx", "mjs", "cjs"];
        let is_script = matches!(self.language, "javascript" | "jsx");
        let first = own.iter().filter(|_| is_script);
        let endings = first.chain(&ENDINGS);
        self.files()
            .first(endings.map(|ending| format!("{path}.{ending}")))
    }

    /// Resolves a name through the nearest `tsconfig.json`.
    fn by_config(&self, path: &str) -> Answer {
        let Resolver {
            configs, projects, ..
        } = self.resolver;
        let Some(config) = configs.of(self.files(), projects, self.file.as_str()) else {
            return Answer::Outside;
        };
        if !config.is_affordable(self.files()) {
            return Answer::Outside;
        }
        let places = config.places(path);
        let found = places.iter().find_map(|place| self.script_file(place));
        match found {
            Some(found) => Answer::Found(vec![found]),
            None => Answer::none(config.is_certain(path)),
        }
    }

    /// Resolves names that no package can have, and that conventionally stand for the source
    /// folder.
    fn by_alias(&self, path: &str) -> Answer {
        let package = self
            .resolver
            .projects
            .nearest(self.files(), self.file.as_str());
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
        Answer::none(is_custom)
    }

    /// Resolves a package of the repository: this one, one of the workspace, or one that is a
    /// dependency by its folder.
    fn by_package(&self, path: &str) -> Answer {
        let (package, inside) = split(path);
        let projects = &self.resolver.projects;
        let file = self.file.as_str();
        let nearest = projects.nearest(self.files(), file);
        let own = nearest
            .as_ref()
            .filter(|(_, m)| m["name"].as_str() == Some(package));
        let linked = || {
            let (folder, manifest) = nearest.as_ref()?;
            normal(&join(folder, local_dependency(manifest, package)?))
        };
        let member = || projects.members(self.files(), file)?.get(package).cloned();
        let folder = own
            .map(|(folder, _)| folder.clone())
            .or_else(linked)
            .or_else(member);
        let Some(folder) = folder else {
            return Answer::Outside;
        };
        Answer::of(self.in_package(&folder, inside))
    }

    /// Returns the file of a package that a path in it leads to.
    fn in_package(&self, folder: &str, inside: &str) -> Option<RepoPath> {
        let manifest = self.resolver.projects.manifest(self.files(), folder)?;
        let key = if inside.is_empty() {
            ".".to_owned()
        } else {
            format!("./{inside}")
        };
        let look = |places| self.files().look(places);
        let exported = exported(&manifest["exports"], &key, &look);
        let mut exported = exported.iter();
        if let Some(found) = exported.find_map(|path| self.source_of(folder, path)) {
            return Some(found);
        }
        if inside.is_empty() {
            let fields = FIELDS.iter().filter_map(|field| manifest[*field].as_str());
            let mut places = fields.chain(["index", "src/index"]);
            return places.find_map(|path| self.source_of(folder, path));
        }
        self.source_of(folder, inside)
            .or_else(|| self.script_file(&join(folder, &format!("src/{inside}"))))
    }

    /// Resolves `#inside`, as the nearest package has it.
    fn inner_import(&self, path: &str) -> Answer {
        let projects = &self.resolver.projects;
        let Some((folder, manifest)) = projects.nearest(self.files(), self.file.as_str()) else {
            return Answer::Outside;
        };
        let look = |places| self.files().look(places);
        let places = exported(&manifest["imports"], path, &look);
        if places.is_empty() {
            return Answer::Outside;
        }
        Answer::of(
            places
                .iter()
                .find_map(|place| self.source_of(&folder, place)),
        )
    }

    /// Returns the source of a file that a package names, which a build may write: for `dist/a.js`
    /// that is `src/a.ts`, if it exists.
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

/// Whether a path ends with a file extension.
fn has_ending(path: &str) -> bool {
    name(path).trim_start_matches('.').contains('.')
}
