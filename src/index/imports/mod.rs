//! The files of this repository that a file imports, directly.

mod c;
mod cargo;
mod csharp;
mod declared;
mod go;
mod ground;
mod jvm;
mod manifest;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
mod tsconfig;

use std::collections::HashSet;

pub use self::ground::{Asked as AskedFor, Ground, MAX_LISTED, MAX_PATHS, Said, Spent};
use crate::repo::RepoPath;
use crate::show::visible;
use crate::syntax::imports::{Import, imports, named, package};
use crate::syntax::language;

/// The most files that one import leads to: the files of a package. The largest Go packages
/// that people write have about two hundred.
pub const MAX_LED_TO: usize = 200;

/// The files that a text at this path imports, in order, each once.
pub fn imported(
    ground: &Ground<'_>,
    path: &RepoPath,
    text: &str,
    misses: &mut Misses,
) -> Vec<RepoPath> {
    let language = language(path.as_str());
    let resolver = Resolver {
        ground,
        file: path,
        language,
        package: package(language, text),
        named: &named(language, text),
    };
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let everywhere = if language == "csharp" {
        resolver.used_everywhere()
    } else {
        Vec::new()
    };
    for import in imports(language, text).into_iter().chain(everywhere) {
        if ground.is_exhausted() {
            misses.unasked += 1;
            continue;
        }
        match resolver.answer(&import) {
            Answer::Found(mut files) => {
                files.retain(|file| file != path);
                misses.cut += files.len().saturating_sub(MAX_LED_TO);
                files.truncate(MAX_LED_TO);
                found.extend(files.into_iter().filter(|file| seen.insert(file.clone())));
            }
            Answer::Outside if matches!(import, Import::Mention(_)) => {}
            Answer::Outside => misses.outside += 1,
            Answer::Missing => misses.missing.push(shown(&import)),
        }
    }
    found
}

/// What an import leads to.
enum Answer {
    /// These files; none if it is the file itself or a folder without one.
    Found(Vec<RepoPath>),
    /// Something that is no part of this repository.
    Outside,
    /// Something that should be in this repository, and is not, or not in one place.
    Missing,
}

impl Answer {
    /// Files that should be there.
    fn of(files: impl IntoIterator<Item = RepoPath>) -> Answer {
        let files: Vec<RepoPath> = files.into_iter().collect();
        if files.is_empty() {
            Answer::Missing
        } else {
            Answer::Found(files)
        }
    }
}

/// The imports that led to no file, or not to all.
#[derive(Default)]
pub struct Misses {
    /// How many lead out of the repository.
    pub outside: usize,
    /// Those that should be in the repository and are not, as they are written.
    pub missing: Vec<String>,
    /// Files of packages that are too large.
    pub cut: usize,
    /// Imports that were not looked for.
    pub unasked: usize,
}

/// An import as its language writes it.
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

/// Finds what the imports of a file lead to.
pub struct Resolver<'a> {
    pub ground: &'a Ground<'a>,
    pub file: &'a RepoPath,
    pub language: &'a str,
    pub package: Option<String>,
    /// The names that it mentions, where they count ([`named`]).
    pub named: &'a str,
}

impl Resolver<'_> {
    /// The files that an import leads to, without this one.
    pub fn resolve(&self, import: &Import) -> Vec<RepoPath> {
        let Answer::Found(mut files) = self.answer(import) else {
            return Vec::new();
        };
        files.retain(|file| file != self.file);
        files.truncate(MAX_LED_TO);
        files
    }

    fn answer(&self, import: &Import) -> Answer {
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

    /// The namespaces that a C# file's project uses for all of its files.
    fn used_everywhere(&self) -> Vec<Import> {
        let known = self.ground.declared.of(self.ground, "csharp");
        let spaces = known.everywhere(self.ground, self.file.as_str());
        spaces.into_iter().map(Import::Using).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::repo::Repo;

    fn repository(file: &str, text: &str, others: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in others.iter().chain([&(file, text)]) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn found(file: &str, text: &str, others: &[(&str, &str)]) -> Vec<String> {
        let folder = repository(file, text, others);
        let repo = Repo::open(folder.path()).unwrap();
        let path = RepoPath::parse(file).unwrap();
        let found = imported(&Ground::new(&repo), &path, text, &mut Misses::default());
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
        let folder = repository("cmd/x.go", text, &others);
        let repo = Repo::open(folder.path()).unwrap();
        let file = RepoPath::parse("cmd/x.go").unwrap();
        for ground in [
            Ground::new(&repo),
            Ground::of(
                &repo,
                ["cmd/x.go", "in/i.go"].map(|path| (path, Said::default())),
            ),
        ] {
            let found = imported(&ground, &file, text, &mut Misses::default());
            assert_eq!(found, [RepoPath::parse("in/i.go").unwrap()]);
        }
    }

    #[test]
    fn a_long_chain_of_configurations_ends() {
        let text = r#"{"extends": ["./tsconfig.json", "./tsconfig.json", "./tsconfig.json"]}"#;
        assert!(found("a.ts", "import 'b';", &[("tsconfig.json", text)]).is_empty());
    }
}
