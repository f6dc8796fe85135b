//! What `Cargo.toml` files say: packages, their libraries, and where dependencies lie.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::files::Files;
use super::manifest::{field, texts, toml};
use super::path::{folder, join, normal, upwards};

/// The packages that were looked at, by their folders.
#[derive(Default)]
pub(super) struct Packages {
    read: RefCell<HashMap<String, Option<Rc<Package>>>>,
}

/// What a `Cargo.toml` says.
#[derive(Default)]
pub(super) struct Package {
    /// The folder that it lies in.
    pub(super) folder: String,
    /// The name, with `_` for `-`; empty for a workspace that is no package.
    pub(super) name: String,
    /// Before the edition of 2018, paths of `use` begin at the crate's root.
    pub(super) is_2015: bool,
    /// The library's root from the repository's.
    pub(super) library: String,
    /// The roots of its programs, tests, benches and examples that it names.
    pub(super) targets: Vec<String>,
    /// Dependencies by the name that the code knows.
    dependencies: HashMap<String, Dependency>,
    /// What members may take as `workspace = true`.
    shared: HashMap<String, Dependency>,
    /// What `[patch]` puts in place of published packages.
    patches: HashMap<String, Dependency>,
}

#[derive(Default, Clone)]
struct Dependency {
    /// The package's own name, if it has another here.
    package: Option<String>,
    /// Where it lies, from the manifest's folder.
    path: Option<String>,
    workspace: bool,
}

impl Package {
    fn read(folder: &str, text: &str) -> Package {
        let mut package = Package {
            folder: folder.to_owned(),
            library: join(folder, "src/lib.rs"),
            is_2015: true,
            ..Package::default()
        };
        let mut library_name = None;
        for entry in toml(text) {
            let text = texts(&entry.value).first().map(|text| (*text).to_owned());
            match (entry.table.as_str(), entry.key.as_str()) {
                ("package", "name") => package.name = text.unwrap_or_default().replace('-', "_"),
                ("package", key) if key.starts_with("edition") => {
                    package.is_2015 = text.is_some_and(|edition| edition == "2015");
                }
                ("lib", "name") => library_name = text,
                ("lib", "path") => package.library = join(folder, &text.unwrap_or_default()),
                ("bin" | "test" | "bench" | "example", "path") => {
                    let path = normal(&join(folder, &text.unwrap_or_default()));
                    package.targets.extend(path);
                }
                (table, key) => package.depend(table, key, &entry.value),
            }
        }
        package.name = library_name.unwrap_or(std::mem::take(&mut package.name));
        package.library = normal(&package.library).unwrap_or_default();
        package
    }

    /// Takes a line of a table of dependencies.
    fn depend(&mut self, table: &str, key: &str, value: &str) {
        let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
        let parts: Vec<&str> = table.split('.').collect();
        let (list, rest) = match parts.as_slice() {
            ["workspace", "dependencies", rest @ ..] => (&mut self.shared, rest),
            ["patch", _, rest @ ..] => (&mut self.patches, rest),
            _ => {
                let at = parts.iter().position(|part| kinds.contains(part));
                let Some(at) = at.filter(|at| *at == 0 || parts[0] == "target") else {
                    return;
                };
                (&mut self.dependencies, &parts[at + 1..])
            }
        };
        // `[dependencies.name]`, `name.path = "…"`, or `name = …`.
        let (name, field_name) = match (rest, key.split_once('.')) {
            ([name, ..], _) => (*name, Some(key)),
            ([], Some((name, field))) => (name, Some(field)),
            ([], None) => (key, None),
        };
        let name = name.replace('-', "_");
        let dependency = list.entry(name).or_default();
        let text = texts(value).first().map(|text| (*text).to_owned());
        match field_name {
            Some("path") => dependency.path = text,
            Some("package") => dependency.package = text,
            Some("workspace") => dependency.workspace = value.starts_with("true"),
            Some(_) => {}
            None => {
                let field = |key| field(value, key).map(str::to_owned);
                dependency.path = field("path");
                dependency.package = field("package");
                dependency.workspace = field("workspace").is_some_and(|value| value == "true");
            }
        }
    }
}

impl Packages {
    /// What the `Cargo.toml` of a folder says.
    fn at(&self, files: &Files<'_>, folder: &str) -> Option<Rc<Package>> {
        if let Some(known) = self.read.borrow().get(folder) {
            return known.clone();
        }
        let text = files.text(folder, "Cargo.toml");
        let package = text.map(|text| Rc::new(Package::read(folder, &text)));
        let mut read = self.read.borrow_mut();
        read.insert(folder.to_owned(), package.clone());
        package
    }

    /// The package that a file belongs to.
    pub(super) fn of(&self, files: &Files<'_>, file: &str) -> Option<Rc<Package>> {
        let mut folders = upwards(file).filter_map(|folder| self.at(files, folder));
        folders.find(|package| !package.name.is_empty())
    }

    /// The package of this repository that the code of another knows by a name.
    pub(super) fn dependency(
        &self,
        files: &Files<'_>,
        of: &Package,
        name: &str,
    ) -> Option<Rc<Package>> {
        let Some(dependency) = of.dependencies.get(name) else {
            return self.member(files, of, name);
        };
        let mut dependency = dependency.clone();
        let mut base = of.folder.clone();
        if dependency.workspace {
            let (folder, shared) = self.above(files, of, |package| package.shared.get(name))?;
            (base, dependency) = (folder, shared);
        }
        if dependency.path.is_none() {
            let published = dependency
                .package
                .as_deref()
                .unwrap_or(name)
                .replace('-', "_");
            let patch = |package: &'_ Package| package.patches.get(&published).cloned();
            (base, dependency) = self.above_with(files, of, patch)?;
        }
        let folder = normal(&join(&base, &dependency.path?))?;
        self.at(files, &folder)
    }

    /// What the nearest manifest from a package's folder upwards has.
    fn above(
        &self,
        files: &Files<'_>,
        of: &Package,
        has: impl Fn(&Package) -> Option<&Dependency>,
    ) -> Option<(String, Dependency)> {
        self.above_with(files, of, |package| has(package).cloned())
    }

    fn above_with(
        &self,
        files: &Files<'_>,
        of: &Package,
        has: impl Fn(&Package) -> Option<Dependency>,
    ) -> Option<(String, Dependency)> {
        let manifest = join(&of.folder, "Cargo.toml");
        upwards(&manifest).find_map(|folder| {
            let package = self.at(files, folder)?;
            Some((folder.to_owned(), has(&package)?))
        })
    }

    /// A package that no manifest names as a dependency, but that lies in this workspace.
    /// A workspace with packages names them; without a manifest there is none.
    fn member(&self, files: &Files<'_>, of: &Package, name: &str) -> Option<Rc<Package>> {
        if !of.dependencies.is_empty() {
            return None;
        }
        let manifests = files.listing().named("Cargo.toml");
        let mut packages = manifests.filter_map(|path| self.at(files, folder(path)));
        packages.find(|package| package.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_written_in_many_ways() {
        let text = "[package]\nname = \"a-b\"\nedition = \"2021\"\n[dependencies]\nc = { path = \"../c\" }\nd.workspace = true\n[target.'cfg(unix)'.dependencies.e-f]\npath = '../e'\npackage = \"g\"\n[[bin]]\npath = \"x.rs\"\n";
        let package = Package::read("p", text);
        assert_eq!((package.name.as_str(), package.is_2015), ("a_b", false));
        assert_eq!(package.dependencies["c"].path.as_deref(), Some("../c"));
        assert!(package.dependencies["d"].workspace);
        assert_eq!(package.dependencies["e_f"].package.as_deref(), Some("g"));
        assert_eq!(package.targets, ["p/x.rs"]);
    }
}
