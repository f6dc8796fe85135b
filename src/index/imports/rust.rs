//! Where Rust modules are: `mod`, `use` and paths, in this package and in others of the repository.

use super::cargo::Package;
use super::files::Files;
use super::path::{folder, join, name, upwards};
use super::{Answer, Importer};
use crate::repo::RepoPath;

/// The toolchain's own crates, which are nobody's dependency.
const TOOLCHAIN: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// Folders of a package in which each file is a crate of its own.
const CRATE_FOLDERS: [&str; 4] = ["tests", "benches", "examples", "src/bin"];

/// A crate: the folder of its modules and the file that it begins with.
pub struct Crate {
    folder: String,
    root: Option<RepoPath>,
}

impl Importer<'_> {
    /// `mod name;`
    pub(super) fn rust_module(&self, names: &[String], paths: &[String]) -> Answer {
        let Some((last, inline)) = names.split_last() else {
            return Answer::Outside;
        };
        let own = self.own_folder();
        // A path is relative to the file's folder, inside of inline modules to theirs.
        let base = if inline.is_empty() {
            folder(self.file.as_str()).to_owned()
        } else {
            join(&own, &inline.join("/"))
        };
        let mut found: Vec<RepoPath> = paths
            .iter()
            .filter_map(|path| self.files().file(&join(&base, path)))
            .collect();
        if found.is_empty() {
            let folder = join(&own, &inline.join("/"));
            found.extend(module(self.files(), &folder, last));
        }
        // A file of no package may be a crate of its own.
        let packages = &self.resolver.packages;
        if found.is_empty() && packages.of(self.files(), self.file.as_str()).is_none() {
            found.extend(module(self.files(), &base, last));
        }
        Answer::of(found)
    }

    /// `use a::b::C;`
    pub(super) fn rust_use(&self, names: &[String]) -> Answer {
        let Some(first) = names.first() else {
            return Answer::Outside;
        };
        if matches!(first.as_str(), "crate" | "self" | "super") {
            return Answer::of(self.inside(names));
        }
        // A type of this file: `use Kind::*`.
        if first.starts_with(char::is_uppercase) {
            return Answer::Found(Vec::new());
        }
        match self.child(names) {
            Some(found) => Answer::Found(vec![found]),
            None => self.other(first, &names[1..]),
        }
    }

    /// Resolves a path in the code, which may begin with an imported name.
    pub(super) fn rust_mention(&self, names: &[String]) -> Answer {
        match self.rust_use(names) {
            Answer::Missing => Answer::Outside,
            answer => answer,
        }
    }

    fn inside(&self, names: &[String]) -> Option<RepoPath> {
        let mut rest = names;
        let own = self.own_crate();
        let mut folder = if names[0] == "crate" {
            own.folder.clone()
        } else {
            self.own_folder()
        };
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => folder = self::folder(&folder).to_owned(),
                _ => break,
            }
            rest = after;
        }
        longest(self.files(), &folder, rest)
            .or_else(|| own.root.clone().filter(|_| folder == own.folder))
            .or_else(|| {
                // A name of the module itself.
                let candidates = ["mod.rs", "lib.rs", "main.rs"];
                self.files()
                    .first(candidates.map(|name| join(&folder, name)))
            })
            .or_else(|| self.files().file(&format!("{folder}.rs")))
    }

    /// Returns a module below this one, or in the 2015 edition below the crate.
    fn child(&self, names: &[String]) -> Option<RepoPath> {
        let package = self.resolver.packages.of(self.files(), self.file.as_str());
        let folder = match package {
            Some(package) if package.is_2015 => self.own_crate().folder.clone(),
            _ => self.own_folder(),
        };
        longest(self.files(), &folder, names)
    }

    /// Resolves a path in the library of this package, seen from outside, or in that of another.
    fn other(&self, first: &str, names: &[String]) -> Answer {
        if TOOLCHAIN.contains(&first) {
            return Answer::Outside;
        }
        let packages = &self.resolver.packages;
        let Some(own) = packages.of(self.files(), self.file.as_str()) else {
            return Answer::Outside;
        };
        let package = if own.name == first {
            Some(own)
        } else {
            packages.dependency(self.files(), &own, first)
        };
        package.map_or(Answer::Outside, |package| {
            let library = self.files().file(&package.library);
            let found = longest(self.files(), folder(&package.library), names).or(library);
            Answer::of(found)
        })
    }

    /// Returns the folder of this file's submodules.
    fn own_folder(&self) -> String {
        let path = self.file.as_str();
        let is_root = matches!(self.file.name(), "mod.rs" | "lib.rs" | "main.rs")
            || self
                .resolver
                .packages
                .of(self.files(), path)
                .is_some_and(|package| is_root(&package, path));
        if is_root {
            return folder(path).to_owned();
        }
        path.strip_suffix(".rs").unwrap_or(path).to_owned()
    }

    fn own_crate(&self) -> &Crate {
        self.own_crate.get_or_init(|| self.crate_of())
    }

    fn crate_of(&self) -> Crate {
        let path = self.file.as_str();
        let Some(package) = self.resolver.packages.of(self.files(), path) else {
            return self.crate_by_names();
        };
        if is_root(&package, path) {
            return Crate {
                folder: folder(path).to_owned(),
                root: Some(self.file.clone()),
            };
        }
        for name in CRATE_FOLDERS {
            let above = join(&package.folder, name);
            let Some(below) = path.strip_prefix(&above).and_then(|p| p.strip_prefix('/')) else {
                continue;
            };
            // `tests/it/main.rs` begins a crate of several files; other folders hold what
            // the files beside them share.
            let folder = below.split_once('/').map(|(first, _)| join(&above, first));
            let main = folder.and_then(|folder| self.files().file(&join(&folder, "main.rs")));
            return match main {
                Some(main) => Crate {
                    folder: self::folder(main.as_str()).to_owned(),
                    root: Some(main),
                },
                None => Crate {
                    folder: above,
                    root: None,
                },
            };
        }
        let folder = folder(&package.library);
        if !self.file.is_below(folder) {
            return self.crate_by_names();
        }
        let library = self.files().file(&package.library);
        let main = self.files().file(&join(folder, "main.rs"));
        let root = match (library, main) {
            (Some(library), Some(main)) => {
                if *self.file == main || self.is_declared_in(&main, &library, folder) {
                    Some(main)
                } else {
                    Some(library)
                }
            }
            (library, main) => library.or(main),
        };
        Crate {
            folder: folder.to_owned(),
            root,
        }
    }

    /// Whether this file's module belongs to the program and not to the library.
    fn is_declared_in(&self, main: &RepoPath, library: &RepoPath, folder: &str) -> bool {
        let below = self.file.as_str().strip_prefix(folder).unwrap_or_default();
        let below = below.trim_start_matches('/');
        let module = below.split(['/', '.']).next().unwrap_or_default();
        let packages = &self.resolver.packages;
        let declares = |root: &RepoPath| packages.declares(self.files(), root, module);
        declares(main) && !declares(library)
    }

    /// Without a manifest, returns the nearest folder upwards that holds a crate's root.
    fn crate_by_names(&self) -> Crate {
        let roots = upwards(self.file.as_str()).find_map(|folder| {
            let names = ["lib.rs", "main.rs"];
            self.files().first(names.map(|name| join(folder, name)))
        });
        let own = folder(self.file.as_str()).to_owned();
        Crate {
            folder: roots
                .as_ref()
                .map_or(own, |root| folder(root.as_str()).to_owned()),
            root: roots,
        }
    }
}

/// Whether a crate begins with this file.
fn is_root(package: &Package, path: &str) -> bool {
    let in_folder = |name: &str| folder(path) == join(&package.folder, name);
    package.library == path
        || is_target(package, path)
        || CRATE_FOLDERS.iter().any(|name| in_folder(name))
        || (name(path) == "build.rs" && folder(path) == package.folder)
}

fn is_target(package: &Package, path: &str) -> bool {
    let targets = &package.targets;
    let place = targets.binary_search_by(|target| target.as_str().cmp(path));
    place.is_ok()
}

fn module(files: &Files<'_>, folder: &str, name: &str) -> Option<RepoPath> {
    let below = join(folder, name);
    files.first([format!("{below}.rs"), format!("{below}/mod.rs")])
}

/// Returns the file of the longest prefix of `names` that is a module.
fn longest(files: &Files<'_>, folder: &str, names: &[String]) -> Option<RepoPath> {
    // What is below a module that is no file lies in none either.
    let mut found = None;
    let mut here = folder.to_owned();
    for name in names {
        let is_module = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        let next = is_module.then(|| module(files, &here, name)).flatten();
        if next.is_none() {
            break;
        }
        found = next;
        here = join(&here, name);
    }
    found
}
