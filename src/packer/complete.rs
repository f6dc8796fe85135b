//! Completes a path that somebody types.

use super::ContextPacker;
use crate::repo::{Asker, Found, RepoPath, Visitor};
use crate::show::visible;

impl ContextPacker {
    /// Returns the paths that begin with `text`: the content of the folder that it names so far,
    /// except what git ignores. A folder ends with `/`. The paths are sorted by name, at most
    /// `most` of them, and come with the number of those left out. There are none if the folder
    /// does not exist. Names with invisible characters are left out.
    pub fn paths_beginning(&self, text: &str, most: usize) -> (Vec<String>, usize) {
        let mut begun = Begun {
            text,
            most,
            paths: Vec::new(),
            more: 0,
        };
        if let Some(folder) = self.folder_of(text) {
            // A folder that cannot be listed completes nothing.
            let _ = self.repo.walk(&folder, &mut begun);
        }
        (begun.paths, begun.more)
    }

    /// Returns the folder of a path that is being typed, if the path is written in the usual way
    /// and anybody may see what is in the folder.
    fn folder_of(&self, text: &str) -> Option<RepoPath> {
        let Some((folder, _)) = text.rsplit_once('/') else {
            return Some(RepoPath::root());
        };
        let path = RepoPath::parse(folder).ok()?;
        let real = self.repo.admit_folder(&path, Asker::Model).ok()?;
        (real.as_str() == folder).then_some(real)
    }
}

struct Begun<'a> {
    text: &'a str,
    most: usize,
    paths: Vec<String>,
    more: usize,
}

impl Begun<'_> {
    fn take(&mut self, path: &RepoPath, end: &str) {
        let path = path.as_str();
        if !path.starts_with(self.text) || visible(path) != path {
            return;
        }
        if self.paths.len() < self.most {
            self.paths.push(format!("{path}{end}"));
        } else {
            self.more += 1;
        }
    }
}

impl Visitor for Begun<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        self.take(folder, "/");
        false
    }

    fn found(&mut self, found: Found) {
        self.take(&found.path, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repo::with_files;

    #[test]
    fn a_path_that_is_typed_is_completed_by_what_git_would_list() {
        let folder = with_files([
            ("src/call.rs", ""),
            ("src/cargo/mod.rs", ""),
            ("src/cart.rs", ""),
            ("src/out.rs", ""),
            ("hidden/x.rs", ""),
            ("srg.rs", ""),
            (".gitignore", "/hidden\n*.log\n"),
            ("src/car.log", ""),
            ("src/ca\u{200b}.rs", ""),
        ]);
        let packer = ContextPacker::open(folder.path()).unwrap();
        let found = |text: &str, most: usize| packer.paths_beginning(text, most);
        assert_eq!(found("sr", 9).0, ["src/", "srg.rs"]);
        let in_src = ["src/call.rs", "src/cargo/", "src/cart.rs"];
        assert_eq!(found("src/ca", 9).0, in_src);
        assert_eq!(found("src/ca", 1), (vec![in_src[0].into()], 2));
        for none in [
            "hidden/",
            "/",
            "/src/",
            "../",
            "src//",
            "nowhere/x",
            "src/call.rs/",
        ] {
            assert_eq!(found(none, 9), (Vec::new(), 0), "{none}");
        }
    }
}
