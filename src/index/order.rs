//! The order in which files are read: what their paths say, before anything else is known.

use super::candidates::Candidate;
use super::corpus::{nearness, rarity};
use super::words::Sought;
use crate::repo::{Readable, RepoPath};
use crate::split::name;

/// Returns the files, those near a target first. Equally near ones stay in the order of their
/// paths.
pub fn nearest_first<'a>(found: &'a [Candidate], targets: &[RepoPath]) -> Vec<&'a Readable> {
    let near = likelihoods(found, targets, "");
    let mut files: Vec<(f64, &Candidate)> = near.into_iter().zip(found).collect();
    files.sort_by(|a, b| b.0.total_cmp(&a.0));
    files.into_iter().map(|(_, found)| &found.file).collect()
}

/// Returns how near each file is to a target plus how much of the task its path has, each from 0 to
/// 1.
pub fn likelihoods(found: &[Candidate], targets: &[RepoPath], task: &str) -> Vec<f64> {
    let named = named(found, task);
    let files = found.iter().zip(named);
    files
        .map(|(found, named)| near(found.path(), targets) + named)
        .collect()
}

/// Returns how near a file is to the nearest of these.
pub fn near(path: &str, targets: &[RepoPath]) -> f64 {
    let near = targets.iter().map(|target| nearness(path, target.as_str()));
    near.fold(0.0, f64::max)
}

/// Returns how much of the task each path names, from 0 to 1: the rarer a word is in paths, the
/// more it counts.
fn named(files: &[Candidate], task: &str) -> Vec<f64> {
    let words = Sought::of([task]);
    if words.len() == 0 {
        return vec![0.0; files.len()];
    }
    let mut named = vec![0.0; files.len()];
    let mut all = 0.0;
    // What no path has is no word that a path lacks.
    let found = with_words(files, &words).into_iter();
    for with in found.filter(|with| !with.is_empty()) {
        let weight = rarity(with.len(), files.len());
        for file in with {
            named[file] += weight;
        }
        all += weight;
    }
    if all > 0.0 {
        for named in &mut named {
            *named /= all;
        }
    }
    named
}

/// Returns, for each of these words, the files that have it in their paths, each once.
fn with_words(files: &[Candidate], words: &Sought) -> Vec<Vec<usize>> {
    let mut with = vec![Vec::new(); words.len()];
    // Paths come in order, so most are in the folder of the one before.
    let mut above = ("", Vec::new());
    for (at, file) in files.iter().enumerate() {
        let path = file.path();
        let in_same = path.strip_prefix(above.0);
        let name = match in_same.filter(|name| !name.contains('/')) {
            Some(name) if !above.0.is_empty() => name,
            _ => {
                let name = name(path);
                above = (&path[..path.len() - name.len()], Vec::new());
                words.each_in(above.0, |word| above.1.push(word));
                name
            }
        };
        let mut add = |word: usize| {
            if with[word].last() != Some(&at) {
                with[word].push(at);
            }
        };
        above.1.iter().copied().for_each(&mut add);
        words.each_in(name, add);
    }
    with
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::candidates::Candidates;
    use super::*;
    use crate::repo::{Repo, with_files};

    #[test]
    fn the_rarer_a_word_of_the_task_is_in_paths_the_more_it_says() {
        let paths = [
            "io/io_reader.rs",
            "io/net/writers.rs",
            "io.rs",
            "ioa/b.rs",
            "net/io.rs",
        ];
        let folder = with_files(paths.map(|path| (path, "")));
        let repo = Repo::open(folder.path()).unwrap();
        let all = Candidates::of(&repo, &|_| false).found;
        let named = |task: &str| {
            let found = likelihoods(&all, &[], task);
            let paths = all.iter().map(Candidate::path);
            paths.zip(found).collect::<HashMap<_, _>>()
        };
        let writers = named("Writing an IO writer of unicorns");
        let [reader, writer, io, other, net] = paths.map(|path| writers[path]);
        assert!((writer - 1.0).abs() < 1e-9, "both words, though once each");
        assert!(reader > 0.0 && reader < 0.5, "{reader}");
        let same = |other: f64| (reader - other).abs() < 1e-9;
        assert!(same(io) && same(net), "twice or in a folder is the same");
        assert!(other == 0.0 && named("unicorns")["io.rs"] == 0.0);
    }
}
