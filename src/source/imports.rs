//! The files of this repository that the target files import, directly.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::files::{Targets, place};
use super::find::{Asked, Pick};
use super::{Desk, MAX_FILE};
use crate::repo::{Kind, Repo, RepoPath};
use crate::section::{Key, Note, NoteKind, Section};
use crate::show::visible;
use crate::syntax::imports::{Import, imports};
use crate::syntax::language;

/// A project file that names a package is at most this large, in bytes.
const MAX_MANIFEST: u64 = 256 * 1024;

/// Packs what the target files import, in the order of import.
pub(super) fn of_targets(desk: &mut Desk<'_>, targets: &Targets) -> Section {
    let mut section = Section::new(Key::Imports, Vec::new());
    let ground = Ground::new(desk.repo);
    for path in &targets.paths() {
        // A target that cannot be read has a note where it is packed.
        let Ok(file) = desk.repo.read(path, MAX_FILE) else {
            continue;
        };
        let language = language(path.as_str());
        let resolver = Resolver {
            ground: &ground,
            file: path,
            language,
            package: package(language, &file.text),
        };
        for import in imports(language, &file.text) {
            let found = resolver.resolve(&import);
            for import in found {
                let pick = Pick::new(desk, &import, Asked::ByGlob);
                let before = section.pieces.len();
                place(desk, &mut section, pick);
                if let Some(piece) = section.pieces.get_mut(before) {
                    let why = format!("imported by {}", visible(path.as_str()));
                    piece
                        .notes
                        .push(Note::new(NoteKind::Reason, why).on(import.as_str()));
                }
            }
        }
    }
    section
}

/// The files among which imports are looked for.
pub(super) struct Ground<'a> {
    repo: &'a Repo,
    /// All of them, if they are known.
    known: Option<HashSet<&'a str>>,
    manifests: RefCell<HashMap<String, Option<Rc<str>>>>,
    folders: RefCell<HashMap<String, Rc<[String]>>>,
}

impl<'a> Ground<'a> {
    /// The files of a repository, each looked for where it should be.
    pub(super) fn new(repo: &'a Repo) -> Ground<'a> {
        Ground {
            repo,
            known: None,
            manifests: RefCell::default(),
            folders: RefCell::default(),
        }
    }

    /// These files of a repository.
    pub(super) fn of(repo: &'a Repo, files: impl IntoIterator<Item = &'a str>) -> Ground<'a> {
        Ground {
            known: Some(files.into_iter().collect()),
            ..Ground::new(repo)
        }
    }

    fn is_file(&self, path: &str) -> Option<RepoPath> {
        let path = normal(path)?;
        if let Some(known) = &self.known {
            return known
                .contains(path.as_str())
                .then(|| RepoPath::parse(&path).ok())?;
        }
        let path = RepoPath::parse(&path).ok()?;
        matches!(self.repo.kind(&path), Kind::File(_)).then_some(path)
    }

    /// The text of a project file, if there is one in this folder.
    fn manifest(&self, folder: &str, name: &str) -> Option<Rc<str>> {
        let path = normal(&format!("{folder}/{name}"))?;
        let mut manifests = self.manifests.borrow_mut();
        manifests
            .entry(path)
            .or_insert_with_key(|path| {
                let path = RepoPath::parse(path).ok()?;
                let file = self.repo.read(&path, MAX_MANIFEST).ok()?;
                Some(file.text.into())
            })
            .clone()
    }

    fn names(&self, folder: &RepoPath) -> Rc<[String]> {
        let mut folders = self.folders.borrow_mut();
        folders
            .entry(folder.to_string())
            .or_insert_with(|| self.repo.names(folder).into())
            .clone()
    }
}

/// Finds what the imports of a file lead to.
pub(super) struct Resolver<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) file: &'a RepoPath,
    pub(super) language: &'a str,
    pub(super) package: Option<String>,
}

/// The package that a file says it belongs to, as a folder, in languages where it does.
pub(super) fn package(language: &str, text: &str) -> Option<String> {
    if !matches!(language, "java" | "kotlin" | "scala") {
        return None;
    }
    let mut lines = text.lines();
    let package = lines.find_map(|line| line.trim().strip_prefix("package "))?;
    Some(package.trim_end_matches(';').trim().replace('.', "/"))
}

impl Resolver<'_> {
    pub(super) fn resolve(&self, import: &Import) -> Vec<RepoPath> {
        let single = match (self.language, import) {
            ("rust", Import::Module(name)) => self.rust_module(&own_folder(self.file), name),
            ("rust", Import::Names(names)) => self.rust_use(names),
            ("python", Import::Dotted(dots, names)) => self.python(*dots, names),
            ("go", Import::Quoted(path)) => return self.go(path),
            ("c" | "cpp" | "objective-c", Import::Quoted(path)) => self.header(path),
            ("ruby", Import::Quoted(path)) => {
                let folder = folder(self.file.as_str());
                self.first([format!("{folder}/{path}.rb"), format!("{folder}/{path}")])
            }
            ("java" | "kotlin" | "scala", Import::Names(names)) => self.class(names),
            (_, Import::Quoted(path)) if path.starts_with('.') => self.script(path),
            _ => None,
        };
        single
            .into_iter()
            .filter(|found| found != self.file)
            .collect()
    }

    fn is_file(&self, path: &str) -> Option<RepoPath> {
        self.ground.is_file(path)
    }

    fn first(&self, candidates: impl IntoIterator<Item = String>) -> Option<RepoPath> {
        candidates.into_iter().find_map(|path| self.is_file(&path))
    }

    fn rust_module(&self, folder: &str, name: &str) -> Option<RepoPath> {
        self.first([
            format!("{folder}/{name}.rs"),
            format!("{folder}/{name}/mod.rs"),
        ])
    }

    fn rust_use(&self, names: &[String]) -> Option<RepoPath> {
        let mut rest = names;
        let mut folder = match rest.first()?.as_str() {
            "crate" => self.crate_folder(self.file.as_str())?,
            "self" | "super" => own_folder(self.file),
            package => return self.rust_package(package, &rest[1..]),
        };
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" | "self" => {}
                "super" => folder = self::folder(&folder).to_owned(),
                _ => break,
            }
            rest = after;
        }
        self.rust_path(&folder, rest)
    }

    /// The file of the longest beginning of `names` that is a module.
    fn rust_path(&self, folder: &str, names: &[String]) -> Option<RepoPath> {
        let modules = (1..=names.len()).rev().find_map(|length| {
            let (last, above) = names[..length].split_last()?;
            let folder = std::iter::once(folder.to_owned())
                .chain(above.iter().cloned())
                .collect::<Vec<_>>()
                .join("/");
            self.rust_module(&folder, last)
        });
        // A name of the module itself: `use crate::Error`.
        modules.or_else(|| {
            self.first([
                format!("{folder}/mod.rs"),
                format!("{folder}/lib.rs"),
                format!("{folder}/main.rs"),
                format!("{folder}.rs"),
            ])
        })
    }

    /// The nearest folder upwards that holds a crate's root.
    fn crate_folder(&self, file: &str) -> Option<String> {
        let mut here = folder(file);
        loop {
            let roots = ["lib.rs", "main.rs"];
            if roots
                .iter()
                .any(|root| self.is_file(&format!("{here}/{root}")).is_some())
            {
                return Some(here.to_owned());
            }
            if here.is_empty() {
                return None;
            }
            here = folder(here);
        }
    }

    /// Another package of the workspace, or this package's own library.
    fn rust_package(&self, name: &str, names: &[String]) -> Option<RepoPath> {
        let dashed = name.replace('_', "-");
        let own = self
            .file
            .ancestors()
            .skip(1)
            .chain([""])
            .find(|folder| self.package_is(folder, &dashed, name));
        let sibling = || {
            ["", "crates/", "libs/", "packages/"]
                .iter()
                .flat_map(|above| [format!("{above}{dashed}"), format!("{above}{name}")])
                .find(|folder| self.is_file(&format!("{folder}/src/lib.rs")).is_some())
        };
        let folder = own.map(str::to_owned).or_else(sibling)?;
        self.rust_path(&format!("{folder}/src"), names)
    }

    fn package_is(&self, folder: &str, dashed: &str, name: &str) -> bool {
        let Some(manifest) = self.ground.manifest(folder, "Cargo.toml") else {
            return false;
        };
        manifest.lines().any(|line| {
            let named = line
                .strip_prefix("name")
                .map(|rest| rest.trim_start_matches([' ', '=']));
            named.is_some_and(|value| {
                let value = value.trim().trim_matches('"');
                value == dashed || value == name
            })
        })
    }

    fn python(&self, dots: usize, names: &[String]) -> Option<RepoPath> {
        let here = folder(self.file.as_str());
        if dots > 0 {
            let base = (1..dots).fold(here, |folder, _| self::folder(folder));
            return self.python_in(base, names);
        }
        // The import root is the first folder upwards that is no package.
        let mut root = here;
        while !root.is_empty() && self.is_file(&format!("{root}/__init__.py")).is_some() {
            root = folder(root);
        }
        let roots = [root, "", "src", "lib"];
        roots.iter().find_map(|root| self.python_in(root, names))
    }

    /// The last name may be a module or something in it.
    fn python_in(&self, base: &str, names: &[String]) -> Option<RepoPath> {
        let lengths = names.len().saturating_sub(1).max(1)..=names.len();
        let lengths: Vec<usize> = if names.is_empty() {
            vec![0]
        } else {
            lengths.rev().collect()
        };
        lengths
            .into_iter()
            .chain((names.len() == 1 && !base.is_empty()).then_some(0))
            .find_map(|length| {
                let module = std::iter::once(base)
                    .chain(names[..length].iter().map(String::as_str))
                    .filter(|part| !part.is_empty())
                    .collect::<Vec<_>>()
                    .join("/");
                let stub = (length > 0).then(|| format!("{module}.py"));
                self.first(stub.into_iter().chain([format!("{module}/__init__.py")]))
            })
    }

    fn script(&self, path: &str) -> Option<RepoPath> {
        const ENDINGS: [&str; 11] = [
            "ts", "tsx", "d.ts", "js", "jsx", "mjs", "cjs", "mts", "vue", "svelte", "json",
        ];
        let base = format!("{}/{path}", folder(self.file.as_str()));
        let with_ending = ENDINGS.iter().map(|ending| format!("{base}.{ending}"));
        // A TypeScript file is imported under the name of what it compiles to.
        let compiled = [
            (".js", ".ts"),
            (".js", ".tsx"),
            (".jsx", ".tsx"),
            (".mjs", ".mts"),
        ]
        .iter()
        .filter_map(|(js, ts)| Some(format!("{}{ts}", base.strip_suffix(js)?)));
        let index = ENDINGS
            .iter()
            .map(|ending| format!("{base}/index.{ending}"));
        self.first(
            std::iter::once(base.clone())
                .chain(compiled)
                .chain(with_ending)
                .chain(index),
        )
    }

    /// Every file of the imported package but its tests.
    fn go(&self, import: &str) -> Vec<RepoPath> {
        let module = self
            .file
            .ancestors()
            .skip(1)
            .chain([""])
            .find_map(|folder| {
                let manifest = self.ground.manifest(folder, "go.mod")?;
                let name = manifest
                    .lines()
                    .find_map(|line| line.strip_prefix("module "))?;
                Some((folder.to_owned(), name.trim().to_owned()))
            });
        let Some((root, module)) = module else {
            return Vec::new();
        };
        let Some(inside) = import.strip_prefix(module.as_str()) else {
            return Vec::new();
        };
        let Some(folder) =
            normal(&format!("{root}/{inside}")).and_then(|f| RepoPath::parse(&f).ok())
        else {
            return Vec::new();
        };
        self.ground
            .names(&folder)
            .iter()
            .filter(|name| name.ends_with(".go") && !name.ends_with("_test.go"))
            .map(|name| folder.entry(name))
            .collect()
    }

    fn header(&self, path: &str) -> Option<RepoPath> {
        let folders = self.file.ancestors().skip(1).chain([""]);
        folders.into_iter().find_map(|folder| {
            self.first(["", "include/", "src/"].map(|inner| format!("{folder}/{inner}{path}")))
        })
    }

    /// A class by its package, whose root is found from this file's own package.
    fn class(&self, names: &[String]) -> Option<RepoPath> {
        let package = self.package.as_ref()?;
        let root = folder(self.file.as_str()).strip_suffix(package.as_str())?;
        (1..=names.len()).rev().find_map(|length| {
            let class = names[..length].join("/");
            self.first(["java", "kt", "scala"].map(|ending| format!("{root}/{class}.{ending}")))
        })
    }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of a Rust file's submodules.
fn own_folder(file: &RepoPath) -> String {
    let path = file.as_str();
    match file.name() {
        "mod.rs" | "lib.rs" | "main.rs" => folder(path).to_owned(),
        _ => path.strip_suffix(".rs").unwrap_or(path).to_owned(),
    }
}

/// Resolves `.` and `..`; `None` if the path climbs out.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(file: &str, text: &str, others: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in others.iter().chain([&(file, text)]) {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let repo = Repo::open(folder.path()).unwrap();
        let path = RepoPath::parse(file).unwrap();
        let language = language(file);
        let ground = Ground::new(&repo);
        let resolver = Resolver {
            ground: &ground,
            file: &path,
            language,
            package: package(language, text),
        };
        imports(language, text)
            .iter()
            .flat_map(|import| resolver.resolve(import))
            .map(|path| path.to_string())
            .collect()
    }

    #[test]
    fn rust_modules_uses_and_workspace_packages() {
        let files = [
            ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n"),
            ("crates/a/src/lib.rs", ""),
            ("crates/a/src/x/y.rs", ""),
            ("crates/a/src/x/z/mod.rs", ""),
            ("crates/b-c/src/lib.rs", ""),
            ("crates/b-c/src/d.rs", ""),
        ];
        let text = "mod y;\nuse self::z::Q;\nuse super::Error;\nuse b_c::d::E;\nuse std::fs;\nuse a::x::y::Z;\n";
        assert_eq!(
            found("crates/a/src/x/mod.rs", text, &files),
            [
                "crates/a/src/x/y.rs",
                "crates/a/src/x/z/mod.rs",
                "crates/a/src/lib.rs",
                "crates/b-c/src/d.rs",
                "crates/a/src/x/y.rs"
            ]
        );
    }

    #[test]
    fn python_packages_and_relative_imports() {
        let files = [
            ("src/p/__init__.py", ""),
            ("src/p/a.py", ""),
            ("src/p/q/__init__.py", ""),
            ("src/p/q/b.py", ""),
        ];
        let text = "import os\nfrom p.a import X\nfrom . import b\nfrom .. import a\nfrom ..a import Y\nimport p.q.b\nfrom .b import Z\n";
        assert_eq!(
            found("src/p/q/c.py", text, &files),
            [
                "src/p/a.py",
                "src/p/q/b.py",
                "src/p/a.py",
                "src/p/a.py",
                "src/p/q/b.py",
                "src/p/q/b.py"
            ]
        );
    }

    #[test]
    fn scripts_headers_classes_and_go_packages() {
        assert_eq!(
            found(
                "web/a.ts",
                "import b from './b.js'\nimport c from '../lib/c'\nimport d from 'd'\nimport e from '../../../e'",
                &[("web/b.ts", ""), ("lib/c/index.tsx", "")]
            ),
            ["web/b.ts", "lib/c/index.tsx"]
        );
        assert_eq!(
            found(
                "src/a.c",
                "#include \"a.h\"\n#include \"x/y.h\"\n",
                &[("src/a.h", ""), ("include/x/y.h", "")]
            ),
            ["src/a.h", "include/x/y.h"]
        );
        assert_eq!(
            found(
                "src/main/java/a/b/C.java",
                "package a.b;\nimport a.d.E;\nimport java.util.List;\n",
                &[("src/main/java/a/d/E.java", "")]
            ),
            ["src/main/java/a/d/E.java"]
        );
        assert_eq!(
            found(
                "cmd/x.go",
                "package main\nimport (\n\"m.org/r/in\"\n\"fmt\"\n)\n",
                &[
                    ("go.mod", "module m.org/r\n"),
                    ("in/i.go", ""),
                    ("in/i_test.go", "")
                ]
            ),
            ["in/i.go"]
        );
    }
}
