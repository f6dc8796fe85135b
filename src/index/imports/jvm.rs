//! Where the classes of Java, Kotlin and Scala are: below the folder that this file's own package
//! begins in, or else wherever in the repository their package is.

use std::cmp::Reverse;
use std::rc::Rc;

use super::files::Files;
use super::memo::Memo;
use super::path::{common, folder, join};
use super::{Answer, Importer};
use crate::repo::RepoPath;
use crate::syntax::imports::package;
use crate::syntax::language;

/// A larger file is not asked for its package, in bytes.
const MAX_FILE: u64 = 400 * 1024;

const ENDINGS: [&str; 3] = ["java", "kt", "scala"];

/// First names of packages that belong to the language.
const PLATFORM: [&str; 8] = [
    "java", "javax", "jdk", "sun", "kotlin", "kotlinx", "scala", "android",
];

/// What the packages of files take together, with their paths, in bytes: those of thirty thousand
/// files.
const MAX_SPACES: usize = 6 * 1024 * 1024;

/// What a file in a list takes beside its letters, in bytes.
const LISTED: usize = 32;

/// The packages that files say they belong to, and what an import of a whole package leads to.
pub(super) struct Spaces {
    of: Memo<Option<Rc<str>>>,
    all: Memo<Rc<[RepoPath]>>,
}

impl Default for Spaces {
    fn default() -> Spaces {
        Spaces {
            of: Memo::with_room(MAX_SPACES),
            all: Memo::default(),
        }
    }
}

impl Spaces {
    fn of(&self, files: &Files<'_>, path: &str) -> Option<Rc<str>> {
        let find = || match files.exports(path) {
            Some(exports) => exports.package.as_deref().map(Rc::from),
            None => package(language(path), &files.source(path, MAX_FILE)?).map(Rc::from),
        };
        let bytes = |space: &Option<Rc<str>>| space.as_deref().map_or(0, str::len);
        self.of.weighed(path, find, bytes)
    }
}

impl Importer<'_> {
    /// Resolves `import a.b.C.d`: the file of the class, or of the name in Kotlin and Scala.
    pub(super) fn jvm_class(&self, names: &[String]) -> Answer {
        if let Some(found) = self.jvm_file(names) {
            return Answer::Found(vec![found]);
        }
        // In Scala a package is known by its last name in those around it.
        if self.language == "scala" {
            let mut around = self.package.as_deref().unwrap_or_default();
            while !around.is_empty() {
                let full: Vec<String> = around
                    .split('/')
                    .map(str::to_owned)
                    .chain(names.iter().cloned())
                    .collect();
                if let Some(found) = self.jvm_file(&full) {
                    return Answer::Found(vec![found]);
                }
                around = folder(around);
            }
        }
        self.jvm_absent(names)
    }

    /// Resolves `import a.b.*`: every file of the package, or the file of the class.
    pub(super) fn jvm_all(&self, names: &[String]) -> Answer {
        let own = self.file.as_str();
        // Of this file no more counts, and many import the same.
        let of = (module_of(own), is_test(own), self.language == "java");
        let asked = format!("{} {of:?}", names.join("/"));
        let bytes = |files: &Rc<[RepoPath]>| {
            let lengths = files.iter().map(|file| file.as_str().len() + LISTED);
            lengths.sum()
        };
        let find = || Rc::from(self.all_declared(names));
        let found = self.resolver.spaces.all.weighed(&asked, find, bytes);
        // Each is told once more, and was looked at two times.
        self.files().look(2 * found.len());
        if found.is_empty() {
            return self.jvm_class(names);
        }
        Answer::Found(found.to_vec())
    }

    /// Returns every file of a package, and those that declare in it what others of its languages
    /// find.
    fn all_declared(&self, names: &[String]) -> Vec<RepoPath> {
        let mut found = self.package_files(&names.join("/"));
        if self.language == "java" {
            return found;
        }
        for language in ["kotlin", "scala"] {
            let known = self.resolver.declared.of(self.files(), language);
            let files = self.nearest_module(known.all(self.files(), &names.join(".")));
            found.extend(files.iter().filter_map(|path| self.files().file(path)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn jvm_file(&self, names: &[String]) -> Option<RepoPath> {
        let own_root = self.package.as_ref().and_then(|package| {
            let root = folder(self.file.as_str()).strip_suffix(package.as_str())?;
            (root.is_empty() || root.ends_with('/')).then(|| root.trim_end_matches('/'))
        });
        // The longest beginning that is a class counts.
        (2..=names.len()).rev().find_map(|length| {
            let class = names[..length].join("/");
            let beside = || {
                let root = own_root?;
                let paths = ENDINGS.map(|ending| join(root, &format!("{class}.{ending}")));
                self.files().first(paths)
            };
            beside()
                .or_else(|| self.by_path(&class))
                .or_else(|| self.by_declaration(&names[..length]))
        })
    }

    /// Returns a file whose path ends with the class and that says it is in its package.
    fn by_path(&self, class: &str) -> Option<RepoPath> {
        let space = folder(class);
        // What Kotlin declares outside of classes, Java finds in `FileKt`.
        let facade = class.strip_suffix("Kt").map(|file| format!("{file}.kt"));
        let paths = ENDINGS.map(|ending| format!("{class}.{ending}"));
        let mut files: Vec<&str> = paths
            .iter()
            .chain(&facade)
            .flat_map(|path| self.files().ending_with(path))
            .collect();
        self.sort_by_nearness(&mut files);
        let says_so = |path: &&str| {
            let own = self.resolver.spaces.of(self.files(), path);
            self.files().look(1) && own.as_deref() == Some(space)
        };
        let found = files.into_iter().find(says_so)?;
        self.files().file(found)
    }

    fn by_declaration(&self, names: &[String]) -> Option<RepoPath> {
        ["kotlin", "scala"].into_iter().find_map(|language| {
            // Java finds no names of Kotlin but classes, which Scala has few of.
            if self.language == "java" && language == "scala" {
                return None;
            }
            let files = self.resolver.declared.find(self.files(), language, names);
            let mut files: Vec<&str> = files.iter().map(AsRef::as_ref).collect();
            self.sort_by_nearness(&mut files);
            self.files().file(files.first()?)
        })
    }

    /// Returns the files of a package in the nearest module that has it, without its tests unless
    /// this file is one.
    fn package_files(&self, package: &str) -> Vec<RepoPath> {
        let folders = self.files().folders_ending_with(package);
        let files = folders.into_iter().flat_map(|folder| {
            let files = self.files().listing().files_in(folder);
            files.filter(|path| {
                let ending = path.rsplit('.').next().unwrap_or_default();
                self.files().look(1)
                    && ENDINGS.contains(&ending)
                    && self.resolver.spaces.of(self.files(), path).as_deref() == Some(package)
            })
        });
        let files = self.nearest_module(files.collect());
        files
            .into_iter()
            .filter_map(|path| self.files().file(path))
            .collect()
    }

    /// Of files in several modules, returns those of the nearest.
    fn nearest_module<P: AsRef<str>>(&self, files: Vec<P>) -> Vec<P> {
        let own = self.file.as_str();
        let is_test = is_test(own);
        let fits = |path: &str| is_test || !self::is_test(path);
        let nearness = |path: &str| common(module_of(own), module_of(path));
        let fitting = files.iter().map(AsRef::as_ref).filter(|path| fits(path));
        let nearest = fitting.map(nearness).max().unwrap_or_default();
        let mut files = files;
        files.retain(|path| fits(path.as_ref()) && nearness(path.as_ref()) == nearest);
        files
    }

    /// Sorts: the same module first, then files that are not tests, then the shorter path.
    fn sort_by_nearness(&self, files: &mut [&str]) {
        let own = self.file.as_str();
        self.files().look(files.len());
        files.sort_by_cached_key(|path| {
            let nearness = common(module_of(own), module_of(path));
            (Reverse(nearness), is_test(path), path.len(), *path)
        });
    }

    /// Decides about an import without a file: one of a package that has a folder here should lead
    /// to a file.
    fn jvm_absent(&self, names: &[String]) -> Answer {
        let is_platform = names
            .first()
            .is_none_or(|name| PLATFORM.contains(&name.as_str()));
        let length = names
            .iter()
            .take_while(|name| name.starts_with(|c: char| c.is_lowercase()))
            .count();
        let package = names[..length.min(names.len() - usize::from(!names.is_empty()))].join("/");
        if is_platform || package.is_empty() {
            return Answer::Outside;
        }
        let mut folders = self.files().folders_ending_with(&package).into_iter();
        let is_here = folders.any(|folder| {
            let first = self.files().listing().files_in(folder).next();
            first.is_some_and(|path| {
                let space = self.resolver.spaces.of(self.files(), path);
                self.files().look(1) && space.as_deref() == Some(package.as_str())
            })
        });
        Answer::none(is_here)
    }
}

/// Returns the path before the source folders.
fn module_of(path: &str) -> &str {
    path.split_once("/src/").map_or("", |(module, _)| module)
}

fn is_test(path: &str) -> bool {
    let mut parts = folder(path).split('/');
    parts.any(|part| matches!(part, "test" | "tests" | "androidTest") || part.ends_with("Test"))
}
