//! Files that a task names although nothing else makes them worth reading: data, and files in no
//! known language.

use std::collections::HashMap;

use super::candidates::Candidates;
use super::kind::Kind;
use crate::repo::{Asker, Readable, Repo, RepoPath};
use crate::split;

/// The most of them.
const MAX_NAMED: usize = 8;

/// The most words of a task that are taken for paths; a log has thousands.
const MAX_WORDS: usize = 100;

/// Returns the files that a task names by their paths, or by the ends of these if all files are
/// listed and only one has such a path.
pub fn in_task(
    repo: &Repo,
    task: &str,
    candidates: &Candidates,
    excluded: &dyn Fn(&RepoPath) -> bool,
) -> Vec<Readable> {
    let words = paths(task);
    let listed = candidates.listed.as_deref().unwrap_or_default();
    let ends = only_ends(&words, if words.is_empty() { &[] } else { listed });
    let named = words.into_iter().chain(ends);
    let named = named.filter(|path| may_be_read(path)).filter_map(|path| {
        let path = RepoPath::parse(path).ok()?;
        let file = repo.admit(&path, Asker::Repository).ok()?;
        (file.is_plain() && !excluded(&path)).then_some(file)
    });
    named.take(MAX_NAMED).collect()
}

/// Returns, of all paths, each that is the only one to end with one of these.
fn only_ends<'a>(ends: &[&str], all: &'a [String]) -> Vec<&'a str> {
    let by_name: HashMap<&str, usize> = (0..ends.len())
        .map(|at| (split::name(ends[at]), at))
        .collect();
    let mut found: Vec<Vec<&str>> = vec![Vec::new(); ends.len()];
    for path in all {
        let Some(at) = by_name.get(split::name(path)) else {
            continue;
        };
        let above = path.strip_suffix(ends[*at]);
        if above.is_some_and(|above| above.ends_with('/')) {
            found[*at].push(path);
        }
    }
    let only = |paths: &Vec<&'a str>| (paths.len() == 1).then(|| paths[0]);
    found.iter().filter_map(only).collect()
}

/// Returns the words of a task that look like paths of files that are not worth reading otherwise.
fn paths(task: &str) -> Vec<&str> {
    let is_path = |c: char| c.is_alphanumeric() || "_-./+@".contains(c);
    let words = task.split(|c| !is_path(c));
    let words = words.map(|word| {
        word.trim_start_matches("./")
            .trim_end_matches(['.', '/', '-'])
    });
    let is_file = |word: &str| {
        let ending = split::at_last(split::name(word), b'.').map(|(_, ending)| ending);
        // `e.g.` is none.
        let is_ending = |ending: &str| ending.len() > 1 && ending.contains(char::is_alphabetic);
        ending.is_some_and(is_ending) && !is_read_anyway(word)
    };
    let mut words: Vec<&str> = words.filter(|word| is_file(word)).take(MAX_WORDS).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether whatever ends with this path is read also if nobody names it.
fn is_read_anyway(end: &str) -> bool {
    use Kind::{Build, Changelog, Source};
    matches!(Kind::of(end), Some(Source | Build | Changelog))
}

/// Whether the file at this path is read if it is named, and only then. What is hidden or made by a
/// program is not.
fn may_be_read(path: &str) -> bool {
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    !is_hidden && Kind::of(path).is_none() && !Kind::is_made(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_other_words() {
        let task = "Fix ./examples/demo.tape: rows.csv, v1.2.3 and src/main.rs... See `a/b.golden`, \
                    e.g. out.golden.";
        assert_eq!(
            paths(task),
            ["a/b.golden", "examples/demo.tape", "out.golden", "rows.csv"]
        );
    }
}
