//! Which files declare a name, in languages where a file's name does not say.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::files::Files;
use super::path::{folder, upwards};
use crate::syntax::imports::{Offer, offers, used_everywhere};
use crate::syntax::language;

/// The most files of a language that are read for their declarations. The largest libraries in
/// these languages have about four thousand.
const MAX_FILES: usize = 5000;

/// The most bytes of all of them together.
const MAX_BYTES: usize = 20 * 1024 * 1024;

/// A larger file is generated.
const MAX_FILE: u64 = 400 * 1024;

/// About how much memory their names take at most, in bytes.
const MAX_KNOWN: usize = 8 * 1024 * 1024;

/// What a name takes beside its letters, in bytes.
const NAME: usize = 120;

/// What the files of each language declare, read on first use.
#[derive(Default)]
pub(super) struct Declared {
    read: RefCell<HashMap<&'static str, Rc<Names>>>,
}

/// Names by the namespace that they are in.
#[derive(Default)]
pub(super) struct Names {
    spaces: HashMap<String, BTreeMap<String, Vec<Rc<str>>>>,
    /// What the files of a project use implicitly: its folder and a namespace.
    everywhere: Vec<(Rc<str>, Vec<String>)>,
}

impl Declared {
    /// Returns what the files of a language declare.
    pub(super) fn of(&self, files: &Files<'_>, wanted: &'static str) -> Rc<Names> {
        if let Some(known) = self.read.borrow().get(wanted) {
            return Rc::clone(known);
        }
        let names = Rc::new(Names::read(files, wanted));
        self.read.borrow_mut().insert(wanted, Rc::clone(&names));
        names
    }

    /// Returns the files that declare a name, given from the outside in.
    pub(super) fn find(
        &self,
        files: &Files<'_>,
        language: &'static str,
        names: &[String],
    ) -> Vec<Rc<str>> {
        let Some((last, space)) = names.split_last() else {
            return Vec::new();
        };
        let known = self.of(files, language);
        let space = space.join(".");
        files.look_at(&space);
        let found = known.files(&space, last);
        files.look_through(found.len());
        found.to_vec()
    }
}

impl Names {
    fn read(files: &Files<'_>, wanted: &str) -> Names {
        let mut names = Names::default();
        let (mut bytes, mut known) = (0, 0);
        let paths = files
            .listing()
            .files()
            .filter(|path| language(path) == wanted);
        for path in paths.take(MAX_FILES) {
            if bytes > MAX_BYTES || known > MAX_KNOWN {
                break;
            }
            if let Some(exports) = files.exports(path) {
                known += names.add(path, &exports.offers);
                continue;
            }
            let Some(text) = files.source(path, MAX_FILE) else {
                continue;
            };
            bytes += text.len();
            known += names.add(path, &offers(wanted, &text));
            if wanted == "csharp" && text.contains("global using") {
                let project: Rc<str> = project_of(files, path).into();
                for space in used_everywhere(&text) {
                    let parts = space.iter().map(|name| NAME + name.len());
                    known += NAME + parts.sum::<usize>();
                    names.everywhere.push((Rc::clone(&project), space));
                }
                known += project.len();
            }
        }
        names
    }

    /// Adds what a file offers. Returns how much that is.
    fn add(&mut self, path: &str, offers: &[Offer]) -> usize {
        let shared: Rc<str> = path.into();
        let mut known = 0;
        for Offer { space, name } in offers {
            known += NAME + name.len() + space.len();
            let names = self.spaces.entry(space.clone()).or_default();
            let files = names.entry(name.clone()).or_default();
            if files.last() != Some(&shared) {
                files.push(Rc::clone(&shared));
            }
        }
        known
    }

    /// Returns the files that declare a name in a namespace, in order.
    pub(super) fn files(&self, space: &str, name: &str) -> &[Rc<str>] {
        let names = self.spaces.get(space);
        names
            .and_then(|names| names.get(name))
            .map_or(&[], Vec::as_slice)
    }

    /// Whether something is declared in a namespace.
    pub(super) fn has(&self, space: &str) -> bool {
        self.spaces.contains_key(space)
    }

    /// Returns the files that declare something in a namespace, in order, each once.
    pub(super) fn all(&self, files: &Files<'_>, space: &str) -> Vec<Rc<str>> {
        let names = self.spaces.get(space);
        files.look_through(names.map_or(0, BTreeMap::len));
        let names = names
            .into_iter()
            .flatten()
            .filter(|(_, of)| files.look_through(of.len()));
        let mut files: Vec<Rc<str>> = names.flat_map(|(_, files)| files.iter().cloned()).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Returns the namespaces that all files of a file's project use.
    pub(super) fn everywhere(&self, files: &Files<'_>, file: &str) -> Vec<Vec<String>> {
        /// As many as a file may say itself.
        const MAX: usize = 1000;
        if self.everywhere.is_empty() || !files.look_through(self.everywhere.len()) {
            return Vec::new();
        }
        let project = project_of(files, file);
        let used = self.everywhere.iter().filter(|(of, _)| **of == *project);
        used.take(MAX).map(|(_, space)| space.clone()).collect()
    }
}

/// Returns the folder of the C# project that a file belongs to.
fn project_of(files: &Files<'_>, file: &str) -> String {
    let is_project = |folder: &&str| files.has_name(folder, |name| name.ends_with(".csproj"));
    upwards(file)
        .find(is_project)
        .unwrap_or(folder(file))
        .to_owned()
}
