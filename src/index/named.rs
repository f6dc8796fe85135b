//! Files beside the source that a task names by their paths, also those that nothing else makes
//! worth reading: data, and files in no known language.

use std::collections::{HashMap, HashSet};

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
    let meant = meant(&words, if words.is_empty() { &[] } else { listed });
    let mut once = HashSet::new();
    let named = words
        .iter()
        .zip(meant)
        .map(|(word, path)| path.unwrap_or(word));
    let named = named.filter(|path| may_be_read(path) && once.insert(*path));
    let named = named.filter_map(|path| {
        let path = RepoPath::parse(path).ok()?;
        let file = repo.admit(&path, Asker::Repository).ok()?;
        (file.is_plain() && !excluded(&path)).then_some(file)
    });
    named.take(MAX_NAMED).collect()
}

/// Returns the file of all that each word means, if any: the one at this path, or else the only one
/// whose path ends with it, or with whose path it ends, as an absolute one does.
fn meant<'a>(words: &[&str], all: &'a [String]) -> Vec<Option<&'a str>> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word) in words.iter().enumerate() {
        by_name.entry(split::name(word)).or_default().push(at);
    }
    let mut found: Vec<Vec<&str>> = vec![Vec::new(); words.len()];
    for path in all {
        for at in by_name.get(split::name(path)).into_iter().flatten() {
            let (word, path) = (words[*at], path.as_str());
            let is_above = |above: &str| above.is_empty() || above.ends_with('/');
            let is_end = path.strip_suffix(word).is_some_and(is_above);
            let is_absolute = path.contains('/') && word.strip_suffix(path).is_some_and(is_above);
            if is_end || is_absolute {
                found[*at].push(path);
            }
        }
    }
    let only = |(word, paths): (&&str, Vec<&'a str>)| match paths[..] {
        [path] => Some(path),
        _ => paths.into_iter().find(|path| path == word),
    };
    words.iter().zip(found).map(only).collect()
}

/// Returns the words of a task that look like paths of files that it might not lead to otherwise.
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

/// Whether what ends with this path is looked at anyway and ranked by what it says.
fn is_read_anyway(end: &str) -> bool {
    use Kind::{Build, Changelog, Source};
    matches!(Kind::of(end), Some(Source | Build | Changelog))
}

/// Whether the file at this path is read if it is named. What is hidden, made by a program, or made
/// to hold secrets is not.
fn may_be_read(path: &str) -> bool {
    const OF_SECRETS: [&str; 14] = [
        "asc", "der", "env", "gpg", "jks", "kdbx", "key", "keystore", "keytab", "p12", "pem",
        "pfx", "pgp", "ppk",
    ];
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let ending = split::at_last(split::name(path), b'.').map_or("", |(_, ending)| ending);
    let holds_secrets = OF_SECRETS.contains(&ending.to_ascii_lowercase().as_str());
    !is_hidden && !holds_secrets && !is_read_anyway(path) && !Kind::is_made(path)
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

    #[test]
    fn a_path_is_meant_by_itself_by_its_end_or_by_an_absolute_one() {
        let all = ["a.csv", "data/a/rows.csv", "data/b/rows.csv", "s2/a.csv"];
        let all = all.map(str::to_owned);
        let words = [
            "a.csv",
            "a/rows.csv",
            "b/rows.csv",
            "rows.csv",
            "home/x/s2/a.csv",
        ];
        let found = [
            Some("a.csv"),
            Some("data/a/rows.csv"),
            Some("data/b/rows.csv"),
            None,
            Some("s2/a.csv"),
        ];
        assert_eq!(meant(&words, &all), found);
    }
}
