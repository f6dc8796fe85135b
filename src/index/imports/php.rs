//! Where PHP's classes lie: what `composer.json` says of their namespaces, and files by
//! their paths.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::files::Files;
use super::manifest::json;
use super::path::{folder, join, normal, upwards};
use super::{Answer, Importer};

/// The most other projects of the repository that are looked into.
const MAX_PROJECTS: usize = 200;

/// The most namespaces of a project.
const MAX_PREFIXES: usize = 200;

/// What `composer.json` files say, by their folders.
#[derive(Default)]
pub(super) struct Autoload {
    of: RefCell<HashMap<String, Rc<[Prefix]>>>,
}

/// A namespace and the folder that holds it.
struct Prefix {
    space: String,
    folder: String,
    /// The namespace's own parts are no folders (PSR-4), or are (PSR-0).
    is_cut: bool,
}

impl Importer<'_> {
    /// `require 'a.php'`
    pub(super) fn php_file(&self, path: &str) -> Answer {
        let beside = self.files().file(&join(folder(self.file.as_str()), path));
        let found = beside.or_else(|| {
            // What does not begin with a dot is searched from where the program runs.
            let is_plain = !path.starts_with('.');
            is_plain.then(|| self.files().file(path)).flatten()
        });
        Answer::of(found)
    }

    /// `use A\B\C;`
    pub(super) fn php_class(&self, names: &[String]) -> Answer {
        let class = names.join("\\");
        let mut ours = false;
        let prefixes = self.prefixes();
        for prefix in prefixes.iter().flat_map(|prefixes| prefixes.iter()) {
            let Some(rest) = class.strip_prefix(&prefix.space) else {
                continue;
            };
            ours |= !prefix.space.is_empty();
            let below = if prefix.is_cut { rest } else { &class };
            let below = if prefix.is_cut {
                below.replace('\\', "/")
            } else {
                below.replace(['\\', '_'], "/")
            };
            let path = join(&prefix.folder, &below);
            if let Some(found) = self.files().file(&format!("{path}.php")) {
                return Answer::Found(vec![found]);
            }
        }
        // A namespace of its own is imported to name what is in it.
        let is_space = |prefix: &Prefix| {
            let spaced = format!("{class}\\");
            let below = spaced
                .strip_prefix(&prefix.space)
                .map(|rest| rest.replace('\\', "/"));
            below.is_some_and(|below| {
                let folder = normal(&join(&prefix.folder, &below)).unwrap_or_default();
                !folder.is_empty() && self.files().is_folder(&folder)
            })
        };
        if ours && prefixes.iter().flat_map(|p| p.iter()).any(is_space) {
            return Answer::Found(Vec::new());
        }
        if ours {
            Answer::Missing
        } else {
            Answer::Outside
        }
    }

    /// `use function A\b;`: in a file that is always loaded, or wherever it is declared.
    pub(super) fn php_value(&self, names: &[String]) -> Answer {
        let found = self.resolver.declared.find(self.files(), "php", names);
        match found.as_slice() {
            [] => match self.php_class(names) {
                Answer::Missing => Answer::Missing,
                _ => Answer::Outside,
            },
            found => Answer::of(found.iter().filter_map(|path| self.files().file(path))),
        }
    }

    /// What the projects around the file say, else those elsewhere in the repository.
    fn prefixes(&self) -> Vec<Rc<[Prefix]>> {
        let of = |folder| self.resolver.autoload.of(self.files(), folder);
        let own = upwards(self.file.as_str()).map(of);
        let own: Vec<_> = own.filter(|prefixes| !prefixes.is_empty()).collect();
        if !own.is_empty() {
            return own;
        }
        let others = self.files().listing().named("composer.json");
        others
            .take(MAX_PROJECTS)
            .map(|path| of(folder(path)))
            .collect()
    }
}

impl Autoload {
    /// What the `composer.json` of a folder says, the longest namespace first.
    fn of(&self, files: &Files<'_>, folder: &str) -> Rc<[Prefix]> {
        if let Some(known) = self.of.borrow().get(folder) {
            return Rc::clone(known);
        }
        let text = files.text(folder, "composer.json");
        let manifest = text.and_then(|text| json(&text));
        let prefixes: Rc<[Prefix]> = manifest.map_or(Rc::default(), |m| prefixes(folder, &m));
        let mut of = self.of.borrow_mut();
        of.insert(folder.to_owned(), Rc::clone(&prefixes));
        prefixes
    }
}

fn prefixes(folder: &str, manifest: &Value) -> Rc<[Prefix]> {
    let mut prefixes = Vec::new();
    for (list, kind) in [
        ("autoload", "psr-4"),
        ("autoload-dev", "psr-4"),
        ("autoload", "psr-0"),
        ("autoload-dev", "psr-0"),
    ] {
        for (space, folders) in manifest[list][kind].as_object().into_iter().flatten() {
            let folders = match folders {
                Value::Array(folders) => folders.iter().collect(),
                one => vec![one],
            };
            let folders = folders.into_iter().filter_map(Value::as_str);
            prefixes.extend(folders.map(|below| Prefix {
                space: space.clone(),
                folder: join(folder, below.trim_end_matches('/')),
                is_cut: kind == "psr-4",
            }));
        }
    }
    prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.space.len()));
    prefixes.truncate(MAX_PREFIXES);
    prefixes.into()
}
