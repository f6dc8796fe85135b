//! Where Go packages are: in this module, in one of the workspace, or in one that a `replace` leads
//! to.

use std::rc::Rc;

use super::files::Files;
use super::memo::Memo;
use super::path::{join, normal, upwards};
use super::{Answer, Importer};
use crate::repo::{MAX_PATH, RepoPath};

/// The modules and workspaces that were looked at, by folder.
#[derive(Default)]
pub(super) struct Modules {
    of: Memo<Option<Rc<[Module]>>>,
    /// The files of packages, by folder.
    packages: Memo<Rc<[RepoPath]>>,
}

/// The number of files that take as long to list as one look.
const FILES_A_LOOK: usize = 4;

/// A module's name and the folder that it is in.
#[derive(Clone)]
struct Module {
    name: String,
    folder: String,
}

impl Importer<'_> {
    /// Returns every file of the imported package except its tests.
    pub(super) fn go(&self, import: &str) -> Answer {
        let Some(folder) = self.go_package(import) else {
            return Answer::Outside;
        };
        let package = self.resolver.modules.package(self.files(), &folder);
        // A package may be imported by every file, and under many names.
        if self.files().look(1 + package.len() / FILES_A_LOOK) {
            Answer::of(package.iter().cloned())
        } else {
            Answer::Missing
        }
    }

    /// Returns the folder of a package: as the nearest `go.mod` has it, or else the nearest
    /// `go.work`.
    fn go_package(&self, import: &str) -> Option<String> {
        ["go.mod", "go.work"].into_iter().find_map(|file| {
            let folders = upwards(self.file.as_str());
            let of = |folder| self.resolver.modules.of(self.files(), folder, file);
            let modules = { folders }.find_map(of)?;
            let fitting = modules.iter().filter_map(|module| {
                let inside = below(import, &module.name)?;
                Some((module, inside))
            });
            // A module inside of another has the longer name.
            let (module, inside) = fitting.max_by_key(|(module, _)| module.name.len())?;
            normal(&join(&module.folder, inside))
        })
    }
}

impl Modules {
    /// Returns the files of a package except its tests.
    fn package(&self, files: &Files<'_>, folder: &str) -> Rc<[RepoPath]> {
        let find = || {
            let names = files.names(folder);
            files.look(names.len());
            let is_source = |name: &&String| name.ends_with(".go") && !name.ends_with("_test.go");
            let paths = names.iter().filter(is_source);
            let paths = paths.filter_map(|name| RepoPath::parse(&join(folder, name)).ok());
            paths.collect()
        };
        let of_path = |path: &RepoPath| size_of::<RepoPath>() + path.as_str().len();
        let bytes = |package: &Rc<[RepoPath]>| package.iter().map(of_path).sum();
        self.packages.weighed(folder, find, bytes)
    }

    /// Returns what the `go.mod` or `go.work` of a folder knows: itself or its members, and what it
    /// replaces.
    fn of(&self, files: &Files<'_>, folder: &str, file: &str) -> Option<Rc<[Module]>> {
        let key = join(folder, file);
        self.of.of(&key, || {
            let text = files.text_to_read(folder, file)?;
            let mut modules = replaced(folder, &text);
            if file == "go.work" {
                let members = directives(&text, "use");
                let members = members.filter_map(|path| normal(&join(folder, path)));
                modules.extend(members.filter_map(|folder| {
                    let manifest = files.text_to_read(&folder, "go.mod")?;
                    let name = module_name(&manifest)?.to_owned();
                    Some(Module { name, folder })
                }));
            } else if let Some(name) = module_name(&text) {
                let (name, folder) = (name.to_owned(), folder.to_owned());
                modules.push(Module { name, folder });
            }
            let texts = modules.iter();
            let texts = texts.map(|module| module.name.len() + module.folder.len());
            let is_remembered = files.remember(&key, modules.len(), texts.sum());
            is_remembered.then(|| modules.into())
        })
    }
}

/// Returns the part of an import that is below a module.
fn below<'a>(import: &'a str, module: &str) -> Option<&'a str> {
    let rest = import.strip_prefix(module)?;
    match rest.strip_prefix('/') {
        Some(inside) => Some(inside),
        None => rest.is_empty().then_some(""),
    }
}

fn module_name(manifest: &str) -> Option<&str> {
    directives(manifest, "module").next()
}

/// Returns what follows a keyword, on its line or inside its parentheses, if it is no longer than a
/// path.
fn directives<'a>(text: &'a str, word: &str) -> impl Iterator<Item = &'a str> {
    /// Longer lists are not written by people.
    const MAX: usize = 1000;
    let mut in_list = false;
    let found = text.lines().filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        let (first, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let begins_list = || {
            line.strip_prefix(word)
                .is_some_and(|rest| rest.starts_with('('))
        };
        if in_list && line == ")" {
            in_list = false;
        } else if in_list && !line.is_empty() {
            return Some(line.trim_matches('"'));
        } else if first == word || begins_list() {
            in_list = line.ends_with('(');
            let is_alone = !in_list && !rest.is_empty();
            return is_alone.then(|| rest.trim().trim_matches('"'));
        }
        None
    });
    found.take(MAX).filter(|found| found.len() <= 2 * MAX_PATH)
}

/// Returns the modules that `replace a => ../b` has in this repository.
fn replaced(root: &str, manifest: &str) -> Vec<Module> {
    directives(manifest, "replace")
        .filter_map(|line| {
            let (from, to) = line.split_once("=>")?;
            let name = from.split_whitespace().next()?.trim_matches('"');
            let to = to.trim().trim_matches('"');
            let is_local = to.starts_with("./") || to.starts_with("../");
            let folder = normal(&join(root, to)).filter(|_| is_local)?;
            let name = name.to_owned();
            Some(Module { name, folder })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_stand_alone_or_in_lists() {
        let text = "module m.org/a // x\nreplace b => ../b\nreplace (\n\tc v1.0.0 => ./c\n\td => e.org/d v1.0.0\n)\n";
        assert_eq!(module_name(text), Some("m.org/a"));
        let replaced = replaced("x/y", text).into_iter();
        let replaced: Vec<_> = replaced
            .map(|module| (module.name, module.folder))
            .collect();
        let expected = [("b", "x/b"), ("c", "x/y/c")];
        assert_eq!(
            replaced,
            expected.map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
    }
}
