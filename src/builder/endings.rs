//! Finds the file that the end of a path means.

use std::collections::HashMap;

use crate::repo::{Kind, Repo, RepoPath, Tracked};
use crate::split;

/// A name that more files have, such as `__init__.py`, means none of them.
const MAX_SAME_NAME: usize = 100;

/// The most ends of a path from another machine that are looked up.
const MAX_ENDS: usize = 32;

/// The files that git knows, by their names.
pub(super) struct Endings(HashMap<String, Vec<String>>);

impl Endings {
    pub(super) fn of(repo: &Repo) -> Endings {
        let mut names: HashMap<String, Vec<String>> = HashMap::new();
        for path in repo.tracked().into_iter().flat_map(Tracked::paths) {
            let name = split::name(path).to_owned();
            names.entry(name).or_default().push(path.to_owned());
        }
        Endings(names)
    }

    /// Returns the only file whose path ends in the parts of this one.
    pub(super) fn only(&self, end: &RepoPath, repo: &Repo) -> Option<RepoPath> {
        let same = self
            .0
            .get(end.name())
            .filter(|same| same.len() <= MAX_SAME_NAME)?;
        let ends = |path: &&String| {
            let before = path.strip_suffix(end.as_str());
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let mut ending = same.iter().filter(ends);
        let only = match (ending.next(), ending.next()) {
            (Some(only), None) => RepoPath::parse(only).ok()?,
            _ => return None,
        };
        matches!(repo.kind(&only), Kind::File(_)).then_some(only)
    }

    /// Returns the only file that this one was compiled from: for `dist/a.js` it is `src/a.ts`. If
    /// several files have the name, it is the one in a folder of the same name. Installed files
    /// were compiled elsewhere.
    pub(super) fn source_of(&self, ran: &str) -> Option<&str> {
        const SOURCES: [&str; 5] = ["ts", "tsx", "mts", "cts", "jsx"];
        let stem = stem_of_script(ran)?;
        if ran.split('/').any(|folder| folder == "node_modules") {
            return None;
        }
        let all = |ending: &&str| self.0.get(&format!("{stem}.{ending}"));
        let sources = SOURCES.iter().filter_map(all).flatten();
        let sources: Vec<&str> = sources.map(String::as_str).collect();
        let is_known = || {
            self.0
                .get(split::name(ran))?
                .iter()
                .find(|path| *path == ran)
        };
        if sources.len() > MAX_SAME_NAME || is_known().is_some() {
            return None;
        }
        let parent = |path| split::name(split::folder(path));
        let mut beside = sources.iter().filter(|path| parent(path) == parent(ran));
        match (sources.as_slice(), beside.next(), beside.next()) {
            ([only], ..) | (_, Some(only), None) => Some(only),
            _ => None,
        }
    }
}

/// Returns the ends of a path from another machine that have two or more parts, the longest first.
pub(super) fn ends(path: &str) -> impl Iterator<Item = RepoPath> {
    let ends = path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]);
    let mut ends: Vec<&str> = ends
        .filter(|end| end.contains('/'))
        .take(MAX_ENDS)
        .collect();
    ends.reverse();
    ends.into_iter().filter_map(|end| RepoPath::parse(end).ok())
}

/// Returns the stem of a file that runs and may have been compiled from another.
pub(super) fn stem_of_script(path: &str) -> Option<&str> {
    let (stem, ending) = split::name(path).rsplit_once('.')?;
    ["js", "mjs", "cjs"].contains(&ending).then_some(stem)
}
