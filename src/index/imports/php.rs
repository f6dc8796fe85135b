//! Where PHP classes are: what `composer.json` says about their namespaces, and files by their
//! paths.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::Value;

use super::files::Files;
use super::manifest::json;
use super::memo::Memo;
use super::path::{folder, join, normal, upwards};
use super::{Answer, Importer};
use crate::repo::MAX_PATH;

/// The most other projects of the repository that are looked into.
const MAX_PROJECTS: usize = 200;

/// The most namespaces of a project.
const MAX_PREFIXES: usize = 200;

/// What `composer.json` files say, by folder.
#[derive(Default)]
pub(super) struct Autoload {
    of: Memo<Rc<[Prefix]>>,
    /// What those of all projects say.
    others: OnceCell<Vec<Rc<[Prefix]>>>,
}

/// A namespace and the folder that holds it.
struct Prefix {
    space: String,
    folder: String,
    /// Whether the namespace's own parts are not folders (PSR-4); otherwise they are (PSR-0).
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
        let count = prefixes.iter().map(|prefixes| 1 + prefixes.len()).sum();
        if !self.files().look_through(count) {
            return Answer::Outside;
        }
        for prefix in prefixes.iter().flat_map(|prefixes| prefixes.iter()) {
            let Some(rest) = class.strip_prefix(prefix.space.as_str()) else {
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
        let spaced = format!("{class}\\");
        let is_space = |prefix: &Prefix| {
            let below = spaced
                .strip_prefix(prefix.space.as_str())
                .map(|rest| rest.replace('\\', "/"));
            below.is_some_and(|below| {
                let folder = normal(&join(&prefix.folder, &below)).unwrap_or_default();
                !folder.is_empty() && self.files().is_folder(&folder)
            })
        };
        if ours && prefixes.iter().flat_map(|p| p.iter()).any(is_space) {
            return Answer::Found(Vec::new());
        }
        Answer::none(ours)
    }

    /// Resolves `use function A\b;`: in a file that is always loaded, or wherever it is declared.
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

    /// Returns what the projects around the file say, or else those elsewhere in the repository.
    fn prefixes(&self) -> Vec<Rc<[Prefix]>> {
        let of = |folder| self.resolver.autoload.of(self.files(), folder);
        let own = upwards(self.file.as_str()).map(of);
        let own: Vec<_> = own.filter(|prefixes| !prefixes.is_empty()).collect();
        if !own.is_empty() {
            return own;
        }
        let others = self.resolver.autoload.others.get_or_init(|| {
            let others = self.files().listing().named("composer.json");
            let others = others.take(MAX_PROJECTS).map(|path| of(folder(path)));
            others.filter(|prefixes| !prefixes.is_empty()).collect()
        });
        others.clone()
    }
}

impl Autoload {
    /// Returns what the `composer.json` of a folder says, the longest namespace first.
    fn of(&self, files: &Files<'_>, folder: &str) -> Rc<[Prefix]> {
        let find = || {
            let manifest = json(&files.text_to_read(folder, "composer.json")?)?;
            let prefixes = prefixes(folder, &manifest);
            let texts = prefixes.iter();
            let texts = texts.map(|prefix| prefix.space.len() + prefix.folder.len());
            let path = join(folder, "composer.json");
            let is_remembered = files.remember(&path, prefixes.len(), texts.sum());
            is_remembered.then(|| prefixes.into())
        };
        self.of.of(folder, || find().unwrap_or_default())
    }
}

/// Returns the longest namespaces of a manifest, the longest first.
fn prefixes(folder: &str, manifest: &Value) -> Vec<Prefix> {
    let mut found = Vec::new();
    for (list, kind) in [
        ("autoload", "psr-4"),
        ("autoload-dev", "psr-4"),
        ("autoload", "psr-0"),
        ("autoload-dev", "psr-0"),
    ] {
        for (space, folders) in manifest[list][kind].as_object().into_iter().flatten() {
            let folders = match folders {
                Value::Array(folders) => folders.as_slice(),
                one => std::slice::from_ref(one),
            };
            let folders = folders.iter().filter_map(Value::as_str);
            found.extend(folders.map(|below| (space, below, kind == "psr-4")));
        }
    }
    found.sort_by_key(|(space, ..)| std::cmp::Reverse(space.len()));
    found.truncate(MAX_PREFIXES);
    let found = found.into_iter().filter_map(|(space, below, is_cut)| {
        let folder = join(folder, below.trim_end_matches('/'));
        (folder.len() <= MAX_PATH).then(|| Prefix {
            space: space.clone(),
            folder,
            is_cut,
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_prefixes_count_the_longest_first() {
        let folders = vec![Value::from("a"); 60_000];
        let manifest = serde_json::json!({ "autoload": { "psr-4": {
            "A\\": folders, "A\\B\\": "b/", "C\\": "a/".repeat(MAX_PATH)
        } } });
        let found = prefixes("x", &manifest);
        assert_eq!(found.len(), MAX_PREFIXES);
        assert_eq!(
            (found[0].space.as_str(), found[0].folder.as_str()),
            ("A\\B\\", "x/b")
        );
        assert!(found.iter().all(|prefix| prefix.folder.len() <= MAX_PATH));
    }
}
