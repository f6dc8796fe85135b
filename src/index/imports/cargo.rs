//! What `Cargo.toml` files say: packages, their libraries, and where dependencies are.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::files::Files;
use super::manifest::{field, first_text, toml};
use super::memo::Memo;
use super::path::{folder, join, normal, upwards};
use crate::repo::RepoPath;

/// The packages that were looked at, by folder.
#[derive(Default)]
pub(super) struct Packages {
    read: Memo<Option<Rc<Package>>>,
    /// All of them by name; of several with one name, the first.
    by_name: OnceCell<HashMap<String, Rc<Package>>>,
    /// Whether the root of a crate declares a module.
    declares: Memo<bool>,
}

/// What a `Cargo.toml` says.
#[derive(Default)]
pub(super) struct Package {
    /// The folder that it is in.
    pub(super) folder: String,
    /// The name, with `_` for `-`; empty for a workspace that is not a package.
    pub(super) name: String,
    /// Before the 2018 edition, paths of `use` begin at the crate's root.
    pub(super) is_2015: bool,
    /// The library's root, relative to the repository's.
    pub(super) library: String,
    /// The roots of the programs, tests, benches and examples that it names, sorted.
    pub(super) targets: Vec<String>,
    /// Dependencies by the name that the code knows.
    dependencies: HashMap<String, Dependency>,
    /// What members may inherit with `workspace = true`.
    shared: HashMap<String, Dependency>,
    /// What `[patch]` puts in place of published packages.
    patches: HashMap<String, Dependency>,
}

#[derive(Default, Clone)]
struct Dependency {
    /// The package's own name, if it has another here.
    package: Option<String>,
    /// Where it is, relative to the manifest's folder.
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
            let text = first_text(&entry.value).map(str::to_owned);
            match (&*entry.table, entry.key.as_str()) {
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
        package.targets.sort_unstable();
        package
    }

    /// Returns how many values it remembers, and the bytes of their texts.
    fn weight(&self) -> (usize, usize) {
        let lists = [&self.dependencies, &self.shared, &self.patches];
        let (mut values, mut bytes) = (1, self.folder.len() + self.name.len() + self.library.len());
        for (name, dependency) in lists.into_iter().flatten() {
            let texts = dependency.package.iter().chain(&dependency.path);
            values += 1;
            bytes += name.len() + texts.map(String::len).sum::<usize>();
        }
        for target in &self.targets {
            values += 1;
            bytes += target.len();
        }
        (values, bytes)
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
        let text = first_text(value).map(str::to_owned);
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
    /// Returns what the `Cargo.toml` of a folder says.
    fn at(&self, files: &Files<'_>, folder: &str) -> Option<Rc<Package>> {
        self.read.of(folder, || {
            let text = files.text_to_read(folder, "Cargo.toml")?;
            let package = Package::read(folder, &text);
            let (values, bytes) = package.weight();
            let is_remembered = files.remember(&join(folder, "Cargo.toml"), values, bytes);
            is_remembered.then(|| Rc::new(package))
        })
    }

    /// Whether the root of a crate declares a module that is a file.
    pub(super) fn declares(&self, files: &Files<'_>, root: &RepoPath, module: &str) -> bool {
        let key = format!("{root}\n{module}");
        self.declares.of(&key, || {
            let text = files.text(folder(root.as_str()), root.name());
            let text = text.filter(|text| files.search(text));
            text.is_some_and(|text| text.contains(&format!("mod {module};")))
        })
    }

    /// Returns the package that a file belongs to.
    pub(super) fn of(&self, files: &Files<'_>, file: &str) -> Option<Rc<Package>> {
        let mut folders = upwards(file).filter_map(|folder| self.at(files, folder));
        folders.find(|package| !package.name.is_empty())
    }

    /// Returns the package of this repository that the code of another knows by a name.
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
            (base, dependency) = self.above(files, of, |package| package.shared.get(name))?;
        }
        if dependency.path.is_none() {
            let published = dependency
                .package
                .as_deref()
                .unwrap_or(name)
                .replace('-', "_");
            (base, dependency) =
                self.above(files, of, |package| package.patches.get(&published))?;
        }
        let folder = normal(&join(&base, &dependency.path?))?;
        self.at(files, &folder)
    }

    /// Returns what the nearest manifest from a package's folder upwards has.
    fn above(
        &self,
        files: &Files<'_>,
        of: &Package,
        has: impl Fn(&Package) -> Option<&Dependency>,
    ) -> Option<(String, Dependency)> {
        let manifest = join(&of.folder, "Cargo.toml");
        upwards(&manifest).find_map(|folder| {
            let package = self.at(files, folder)?;
            Some((folder.to_owned(), has(&package)?.clone()))
        })
    }

    /// Returns a package that no manifest names as a dependency, but that is in this workspace. A
    /// workspace with packages names them; without a manifest there is none.
    fn member(&self, files: &Files<'_>, of: &Package, name: &str) -> Option<Rc<Package>> {
        if !of.dependencies.is_empty() {
            return None;
        }
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name = HashMap::new();
            let manifests = files.listing().named("Cargo.toml");
            for package in manifests.filter_map(|path| self.at(files, folder(path))) {
                by_name.entry(package.name.clone()).or_insert(package);
            }
            by_name
        });
        by_name.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::{Repo, with_files};

    #[test]
    fn dependencies_of_all_packages_have_one_account() {
        let lines: Vec<String> = (0..21_500).map(|n| format!("{n:x}=\n")).collect();
        let lines = lines.concat();
        let folder = with_files(["a", "b", "c"].map(|name| {
            let text = format!("[package]\nname = \"{name}\"\n[dependencies]\n{lines}");
            (format!("{name}/Cargo.toml"), text)
        }));
        let repo = Repo::open(folder.path()).unwrap();
        let files = Files::new(&repo, [], false);
        let packages = Packages::default();
        let known = ["a", "b", "c"].map(|folder| packages.at(&files, folder).is_some());
        assert_eq!(known, [true, true, false]);
    }

    #[test]
    fn dependencies_are_written_in_many_ways() {
        let text = "[package]\nname = \"a-b\"\nedition = \"2021\"\n[dependencies]\nc = { path = \"../c\" }\nd.workspace = true\n[target.'cfg(unix)'.dependencies.e-f]\npath = '../e'\npackage = \"g\"\n[[bin]]\npath = \"x.rs\"\n";
        let package = Package::read("p", text);
        assert_eq!((package.name.as_str(), package.is_2015), ("a_b", false));
        assert_eq!(package.dependencies["c"].path.as_deref(), Some("../c"));
        assert!(package.dependencies["d"].workspace);
        assert_eq!(package.dependencies["e_f"].package.as_deref(), Some("g"));
        assert_eq!(package.targets, ["p/x.rs"]);
        assert_eq!(package.weight(), (5, 36));
    }
}
