//! Where Go's packages lie: in this module, in one of the workspace, or in one that a
//! `replace` leads to.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::files::Files;
use super::path::{join, normal, upwards};
use super::{Answer, Importer};
use crate::repo::RepoPath;

/// The modules and workspaces that were looked at, by their folders.
#[derive(Default)]
pub(super) struct Modules {
    of: RefCell<HashMap<String, Option<Rc<[Module]>>>>,
}

/// A module's name and the folder that it lies in.
#[derive(Clone)]
struct Module {
    name: String,
    folder: String,
}

impl Importer<'_> {
    /// Every file of the imported package but its tests.
    pub(super) fn go(&self, import: &str) -> Answer {
        let Some(folder) = self.go_package(import) else {
            return Answer::Outside;
        };
        let names = self.files().names(&folder);
        let files = names
            .iter()
            .filter(|name| name.ends_with(".go") && !name.ends_with("_test.go"));
        Answer::of(files.filter_map(|name| RepoPath::parse(&join(&folder, name)).ok()))
    }

    /// The folder of a package: as the nearest `go.mod` has it, else the nearest
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
    /// What the `go.mod` or `go.work` of a folder knows: itself or its members, and what
    /// it replaces.
    fn of(&self, files: &Files<'_>, folder: &str, file: &str) -> Option<Rc<[Module]>> {
        let key = join(folder, file);
        if let Some(known) = self.of.borrow().get(&key) {
            return known.clone();
        }
        let text = files.text(folder, file);
        let modules: Option<Rc<[Module]>> = text.map(|text| {
            let mut modules = replaced(folder, &text);
            if file == "go.work" {
                let members = directives(&text, "use").into_iter();
                let members = members.filter_map(|path| normal(&join(folder, path)));
                modules.extend(members.filter_map(|folder| {
                    let manifest = files.text(&folder, "go.mod")?;
                    let name = module_name(&manifest)?.to_owned();
                    Some(Module { name, folder })
                }));
            } else if let Some(name) = module_name(&text) {
                let (name, folder) = (name.to_owned(), folder.to_owned());
                modules.push(Module { name, folder });
            }
            modules.into()
        });
        self.of.borrow_mut().insert(key, modules.clone());
        modules
    }
}

/// What of an import is below a module.
fn below<'a>(import: &'a str, module: &str) -> Option<&'a str> {
    let rest = import.strip_prefix(module)?;
    match rest.strip_prefix('/') {
        Some(inside) => Some(inside),
        None => rest.is_empty().then_some(""),
    }
}

fn module_name(manifest: &str) -> Option<&str> {
    directives(manifest, "module").into_iter().next()
}

/// What stands behind a word, on its line or on those of its parentheses.
fn directives<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    /// Longer lists are no work of people.
    const MAX: usize = 1000;
    let mut found = Vec::new();
    let mut in_list = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let Some((first, rest)) = line.split_once([' ', '\t']).or(Some((line, ""))) else {
            continue;
        };
        if in_list && line == ")" {
            in_list = false;
        } else if in_list && !line.is_empty() {
            found.push(line.trim_matches('"'));
        } else if first == word || line.starts_with(&format!("{word}(")) {
            in_list = line.ends_with('(');
            if !in_list && !rest.is_empty() {
                found.push(rest.trim().trim_matches('"'));
            }
        }
        if found.len() == MAX {
            break;
        }
    }
    found
}

/// The modules that `replace a => ../b` has in this repository.
fn replaced(root: &str, manifest: &str) -> Vec<Module> {
    directives(manifest, "replace")
        .into_iter()
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
