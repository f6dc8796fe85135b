//! Where Ruby files are: beside the one that requires them, and in the folders that are searched.

use super::path::{ends_with, folder, join, upwards};
use super::{Answer, Importer};

/// Folders of a project that are searched.
const LOAD_FOLDERS: [&str; 4] = ["lib", "test", "spec", ""];

impl Importer<'_> {
    /// `require_relative "a"`
    pub(super) fn required_beside(&self, path: &str) -> Answer {
        let path = join(folder(self.file.as_str()), path);
        Answer::of(self.files().first([format!("{path}.rb"), path]))
    }

    /// `require "a/b"`
    pub(super) fn required(&self, path: &str) -> Answer {
        if path.starts_with('.') {
            return self.required_beside(path);
        }
        let path = path.strip_suffix(".rb").unwrap_or(path);
        let near = upwards(self.file.as_str())
            .flat_map(|folder| LOAD_FOLDERS.map(|name| join(folder, name)))
            // Beside the file and at the root nothing is searched.
            .filter(|folder| LOAD_FOLDERS[..3].iter().any(|name| ends_with(folder, name)));
        let near = near.map(|folder| format!("{folder}/{path}.rb"));
        if let Some(found) = self.files().first(near) {
            return Answer::Found(vec![found]);
        }
        // Another gem of the repository has it.
        let inside = format!("lib/{path}.rb");
        if let [only] = self.files().ending_with(&inside).as_slice() {
            return Answer::of(self.files().file(only));
        }
        let first = path.split('/').next().unwrap_or(path);
        let own = upwards(self.file.as_str()).map(|folder| join(folder, "lib"));
        let mut own =
            own.filter(|folder| path != first && self.files().is_folder(&join(folder, first)));
        Answer::none(own.next().is_some())
    }
}
