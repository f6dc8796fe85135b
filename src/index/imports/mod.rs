//! The files of this repository that a file imports directly.
//!
//! The basis is [`files`]: which files there are, and what project files say, with limits on how
//! much is looked at. On top of it there is a module for each language, with what it remembers. The
//! [`Resolver`] owns these, and an [`Importer`] asks them for one file.

mod c;
mod cargo;
mod csharp;
mod declared;
mod files;
mod go;
mod jvm;
mod listing;
mod manifest;
mod memo;
mod npm;
mod path;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod tsconfig;
mod workspace;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

use self::cargo::Packages;
use self::declared::Declared;
use self::files::Files;
use self::go::Modules;
use self::jvm::Spaces;
use self::npm::Projects;
use self::php::Autoload;
use self::python::Roots;
use self::rust::Crate;
use self::tsconfig::Configs;
use super::reading::Exports;
use crate::repo::{Repo, RepoPath};
use crate::show::visible;
use crate::syntax::imports::{Import, imports, named, package};
use crate::syntax::language;

pub use self::files::{Consulted, Effort};
pub use self::listing::{MAX_LISTED, MAX_PATHS};

/// The most files that one import leads to: the files of a package. The largest hand-written Go
/// packages have about two hundred.
pub const MAX_LED_TO: usize = 200;

/// The most bytes of the paths of all files that a file imports: ten thousand have about half a
/// megabyte.
const MAX_LED_TO_BYTES: usize = 4 * 1024 * 1024;

/// The most imports that lead to nothing whose names are remembered; a few are reported.
const MAX_MISSING: usize = 100;

/// What an import leads to.
enum Answer {
    /// These files; none if it is the file itself or a folder without one.
    Found(Vec<RepoPath>),
    /// Something outside this repository.
    Outside,
    /// Something that should be in this repository, and is not, or not in one place.
    Missing,
}

impl Answer {
    /// Makes an answer of files that should be there.
    fn of(files: impl IntoIterator<Item = RepoPath>) -> Answer {
        let files: Vec<RepoPath> = files.into_iter().collect();
        if files.is_empty() {
            Answer::Missing
        } else {
            Answer::Found(files)
        }
    }

    /// Makes an answer without a file, which is missing if it `is_here`.
    fn none(is_here: bool) -> Answer {
        if is_here {
            Answer::Missing
        } else {
            Answer::Outside
        }
    }
}

/// The imports that led to no file, or not to all.
#[derive(Default)]
pub struct Misses {
    /// How many lead out of the repository.
    pub outside: usize,
    /// How many should lead to a file of the repository and do not.
    pub missing: usize,
    /// The first of these, as they are written.
    pub names: Vec<String>,
    /// Files of packages that are too large, or too many.
    pub cut: usize,
    /// Imports that were not looked up.
    pub unasked: usize,
}

/// Returns an import as its language writes it.
fn shown(import: &Import) -> String {
    let text = match import {
        Import::Module { names, .. } => names.join("::"),
        Import::Names(names)
        | Import::Mention(names)
        | Import::Value(names)
        | Import::All(names)
        | Import::Using(names) => names.join("."),
        Import::From { dots, module, name } => {
            let dots = ".".repeat(*dots);
            let names = module.iter().chain(name).map(String::as_str);
            format!("{dots}{}", names.collect::<Vec<_>>().join("."))
        }
        Import::Quoted(path) | Import::Searched(path) => path.clone(),
    };
    visible(&text).into_owned()
}

/// Finds what imports lead to, and remembers what it needs for that.
pub struct Resolver<'a> {
    files: Files<'a>,
    autoload: Autoload,
    configs: Configs,
    declared: Declared,
    modules: Modules,
    packages: Packages,
    projects: Projects,
    roots: Roots,
    spaces: Spaces,
}

impl<'a> Resolver<'a> {
    /// Looks for files where they should be; some are known to export this.
    pub fn new(
        repo: &'a Repo,
        exports: impl IntoIterator<Item = (&'a str, &'a Exports)>,
    ) -> Resolver<'a> {
        Resolver::on(Files::new(repo, exports, false))
    }

    /// Looks among these files of a repository and no others.
    pub fn among(
        repo: &'a Repo,
        exports: impl IntoIterator<Item = (&'a str, &'a Exports)>,
    ) -> Resolver<'a> {
        Resolver::on(Files::new(repo, exports, true))
    }

    fn on(files: Files<'a>) -> Resolver<'a> {
        Resolver {
            files,
            autoload: Autoload::default(),
            configs: Configs::default(),
            declared: Declared::default(),
            modules: Modules::default(),
            packages: Packages::default(),
            projects: Projects::default(),
            roots: Roots::default(),
            spaces: Spaces::default(),
        }
    }

    /// Avoids listing the repository: these are all of its files, without links, in order.
    pub fn listed(self, files: Arc<[String]>) -> Resolver<'a> {
        Resolver {
            files: self.files.listed(files),
            ..self
        }
    }

    /// Returns how much was looked at and read so far.
    pub fn effort(&self) -> Effort {
        self.files.effort()
    }

    /// Returns the files whose text was asked for; none if nobody keeps what is found.
    pub fn consulted(&self) -> Vec<Consulted> {
        self.files.consulted()
    }

    /// Whether project files were left unread, because there are too many.
    pub fn has_unread(&self) -> bool {
        self.files.has_unread()
    }

    /// Whether there are more files than were searched.
    pub fn has_more(&self) -> bool {
        self.files.has_more()
    }

    /// Makes the importer of a file, with what it belongs to and the names that it mentions.
    pub fn importer<'b>(
        &'b self,
        file: &'b RepoPath,
        language: &'b str,
        package: Option<String>,
        named: &'b str,
    ) -> Importer<'b> {
        Importer {
            resolver: self,
            file,
            language,
            package,
            named,
            own_crate: OnceCell::new(),
        }
    }

    /// Returns the files that a text at this path imports, in order, each once.
    pub fn imported(&self, path: &RepoPath, text: &str, misses: &mut Misses) -> Vec<RepoPath> {
        let language = language(path.as_str());
        let named = named(language, text);
        let importer = self.importer(path, language, package(language, text), &named);
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut left = MAX_LED_TO_BYTES;
        let everywhere = importer.used_everywhere();
        for import in imports(language, text).into_iter().chain(everywhere) {
            if self.files.is_exhausted() {
                misses.unasked += 1;
                continue;
            }
            match importer.answer(&import) {
                Answer::Found(mut files) => {
                    files.retain(|file| file != path);
                    misses.cut += files.len().saturating_sub(MAX_LED_TO);
                    files.truncate(MAX_LED_TO);
                    for file in files {
                        match left.checked_sub(file.as_str().len()) {
                            _ if seen.contains(&file) => {}
                            None => misses.cut += 1,
                            Some(less) => {
                                left = less;
                                seen.insert(file.clone());
                                found.push(file);
                            }
                        }
                    }
                }
                // It was looked for as far as there was time.
                Answer::Outside | Answer::Missing if self.files.is_exhausted() => {
                    misses.unasked += 1;
                }
                Answer::Outside if matches!(import, Import::Mention(_)) => {}
                Answer::Outside => misses.outside += 1,
                Answer::Missing => {
                    misses.missing += 1;
                    if misses.names.len() < MAX_MISSING {
                        misses.names.push(shown(&import));
                    }
                }
            }
        }
        found
    }
}

/// A file that imports others.
pub struct Importer<'a> {
    resolver: &'a Resolver<'a>,
    file: &'a RepoPath,
    language: &'a str,
    /// What it belongs to ([`package`]).
    package: Option<String>,
    /// The names that it mentions, where they count ([`named`]).
    named: &'a str,
    /// The crate that it belongs to, once somebody asked.
    own_crate: OnceCell<Crate>,
}

impl<'a> Importer<'a> {
    fn files(&self) -> &'a Files<'a> {
        &self.resolver.files
    }

    /// Returns the files that an import leads to, without this one.
    pub fn resolve(&self, import: &Import) -> Vec<RepoPath> {
        if self.files().is_exhausted() {
            return Vec::new();
        }
        let Answer::Found(mut files) = self.answer(import) else {
            return Vec::new();
        };
        files.retain(|file| file != self.file);
        files.truncate(MAX_LED_TO);
        files
    }

    fn answer(&self, import: &Import) -> Answer {
        // What is looked for in every folder upwards takes the longer the deeper a file lies.
        self.files().read(self.file.as_str());
        match (self.language, import) {
            ("rust", Import::Module { names, paths }) => self.rust_module(names, paths),
            ("rust", Import::Names(names)) => self.rust_use(names),
            ("rust", Import::Mention(names)) => self.rust_mention(names),
            ("python", Import::From { dots, module, name }) => {
                self.python(*dots, module, name.as_deref())
            }
            ("go", Import::Quoted(path)) => self.go(path),
            ("c" | "cpp" | "objective-c", Import::Quoted(path)) => self.quoted_header(path),
            ("c" | "cpp" | "objective-c", Import::Searched(path)) => self.header(path),
            ("ruby", Import::Quoted(path)) => self.required_beside(path),
            ("ruby", Import::Searched(path)) => self.required(path),
            ("java" | "kotlin" | "scala", Import::Names(names)) => self.jvm_class(names),
            ("java" | "kotlin" | "scala", Import::All(names)) => self.jvm_all(names),
            ("csharp", Import::Using(names)) => self.csharp_space(names),
            ("csharp", Import::Names(names)) => self.csharp_type(names),
            ("php", Import::Names(names)) => self.php_class(names),
            ("php", Import::Value(names)) => self.php_value(names),
            ("php", Import::Quoted(path)) => self.php_file(path),
            (_, Import::Quoted(path)) => self.script(path),
            _ => Answer::Outside,
        }
    }

    /// Returns the namespaces that a C# file's project uses for all of its files.
    fn used_everywhere(&self) -> Vec<Import> {
        if self.language != "csharp" {
            return Vec::new();
        }
        let known = self.resolver.declared.of(self.files(), "csharp");
        let spaces = known.everywhere(self.files(), self.file.as_str());
        spaces.into_iter().map(Import::Using).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::reading::NOTHING;
    use super::*;
    use crate::repo::{Repo, with_files};

    fn found(file: &str, text: &str, others: &[(&str, &str)]) -> Vec<String> {
        let folder = with_files(others.iter().copied().chain([(file, text)]));
        let repo = Repo::open(folder.path()).unwrap();
        let path = RepoPath::parse(file).unwrap();
        let found = Resolver::new(&repo, []).imported(&path, text, &mut Misses::default());
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn without_manifests_names_of_files_tell() {
        assert_eq!(
            found(
                "src/x/mod.rs",
                "mod y;\nuse super::Error;\nuse std::fs;\n",
                &[("src/lib.rs", ""), ("src/x/y.rs", ""),]
            ),
            ["src/x/y.rs", "src/lib.rs"]
        );
    }

    #[test]
    fn known_files_are_found_as_those_on_disk_are() {
        let others = [
            ("go.mod", "module m.org/r\n"),
            ("in/i.go", ""),
            ("in/i_test.go", ""),
        ];
        let text = "package main\nimport (\n\"m.org/r/in\"\n\"fmt\"\n)\n";
        let folder = with_files(others.into_iter().chain([("cmd/x.go", text)]));
        let repo = Repo::open(folder.path()).unwrap();
        let file = RepoPath::parse("cmd/x.go").unwrap();
        for resolver in [
            Resolver::new(&repo, []),
            Resolver::among(&repo, ["cmd/x.go", "in/i.go"].map(|path| (path, &NOTHING))),
        ] {
            let found = resolver.imported(&file, text, &mut Misses::default());
            assert_eq!(found, [RepoPath::parse("in/i.go").unwrap()]);
        }
    }

    #[test]
    fn a_package_costs_each_time_that_it_is_imported() {
        let files: Vec<String> = (0..160).map(|n| format!("p/{n}.go")).collect();
        let mut others: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), "")).collect();
        others.extend([("go.mod", "module m\n"), ("q/a.go", "")]);
        let folder = with_files(others);
        let repo = Repo::open(folder.path()).unwrap();
        let resolver = Resolver::new(&repo, []);
        let file = RepoPath::parse("q/a.go").unwrap();
        let looks = |count: usize| {
            let paths: Vec<String> = (0..count).map(|n| format!("\"m/x{n}/../p\"\n")).collect();
            let text = format!("package q\nimport (\n{})\n", paths.concat());
            let before = resolver.effort().looks;
            let found = resolver.imported(&file, &text, &mut Misses::default());
            assert_eq!(found.len(), 160);
            resolver.effort().looks - before
        };
        looks(1);
        assert!(looks(100) >= 100 * 160 / 4);
    }

    #[test]
    fn what_all_of_a_package_is_depends_on_who_asks() {
        let class = "package p;\nclass A {}\n";
        let folder = with_files([
            ("m/src/main/java/p/A.java", class),
            ("m/src/test/java/p/ATest.java", class),
            ("n/src/main/java/p/B.java", class),
            ("m/src/main/java/q/C.java", ""),
            ("m/src/test/java/q/CTest.java", ""),
            ("n/src/main/java/q/D.java", ""),
        ]);
        let repo = Repo::open(folder.path()).unwrap();
        let resolver = Resolver::new(&repo, []);
        let all = |file: &str| {
            let file = RepoPath::parse(file).unwrap();
            let text = "package q;\nimport p.*;\n";
            let found = resolver.imported(&file, text, &mut Misses::default());
            found.len()
        };
        for _ in 0..2 {
            assert_eq!(all("m/src/main/java/q/C.java"), 1);
            assert_eq!(all("m/src/test/java/q/CTest.java"), 2);
            assert_eq!(all("n/src/main/java/q/D.java"), 1);
        }
    }

    #[test]
    fn of_what_leads_nowhere_a_few_are_named() {
        let folder = with_files([("a.ts", "")]);
        let repo = Repo::open(folder.path()).unwrap();
        let text: Vec<String> = (0..500).map(|n| format!("import './{n}';\n")).collect();
        let mut misses = Misses::default();
        let file = RepoPath::parse("a.ts").unwrap();
        Resolver::new(&repo, []).imported(&file, &text.concat(), &mut misses);
        assert_eq!((misses.missing, misses.names.len()), (500, MAX_MISSING));
    }

    #[test]
    fn a_long_chain_of_configurations_ends() {
        let text = r#"{"extends": ["./tsconfig.json", "./tsconfig.json", "./tsconfig.json"]}"#;
        assert!(found("a.ts", "import 'b';", &[("tsconfig.json", text)]).is_empty());
    }
}
