//! The file that the end of a path means.

use std::collections::HashMap;

use crate::repo::{Kind, Repo, RepoPath, Tracked};
use crate::split;

/// A name that more files have, such as `__init__.py`, means none of them.
const MAX_SAME_NAME: usize = 100;

/// What git knows, by the names of the files.
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

    /// The only file whose path ends in the parts of this one.
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
}
