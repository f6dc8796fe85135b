//! In which order files are read: what their paths say, before anything else is known.

use super::candidates::Candidate;
use super::corpus::{nearness, rarity};
use super::words::Sought;
use crate::repo::{Readable, RepoPath};
use crate::split::name;

/// The files, those first that are near a target. Those that are as near stay in the order of
/// their paths.
pub fn nearest_first<'a>(found: &'a [Candidate], targets: &[RepoPath]) -> Vec<&'a Readable> {
    let near = likelihoods(found, targets, "");
    let mut files: Vec<(f64, &Candidate)> = near.into_iter().zip(found).collect();
    files.sort_by(|a, b| b.0.total_cmp(&a.0));
    files.into_iter().map(|(_, found)| &found.file).collect()
}

/// How near each file is to a target, and how much of the task its path has: each from 0 to 1,
/// together.
pub fn likelihoods(found: &[Candidate], targets: &[RepoPath], task: &str) -> Vec<f64> {
    let near = |path: &str| {
        let near = targets.iter().map(|target| nearness(path, target.as_str()));
        near.fold(0.0, f64::max)
    };
    let named = named(found, task);
    let files = found.iter().zip(named);
    files
        .map(|(found, named)| near(found.path()) + named)
        .collect()
}

/// How much of the task each path names, from 0 to 1: the rarer a word is in paths, the more
/// it says.
fn named(files: &[Candidate], task: &str) -> Vec<f64> {
    let words = Sought::of([task]);
    if words.len() == 0 {
        return vec![0.0; files.len()];
    }
    let found = in_paths(files, &words);
    let mut with = vec![0; words.len()];
    found.iter().flatten().for_each(|word| with[*word] += 1);
    let weights: Vec<f64> = with.iter().map(|with| rarity(*with, files.len())).collect();
    // What no path has is no word that a path lacks.
    let there = weights.iter().zip(&with).filter(|(_, with)| **with > 0);
    let all: f64 = there.map(|(weight, _)| weight).sum();
    let share = |words: &Vec<usize>| words.iter().map(|word| weights[*word]).sum::<f64>() / all;
    let shares = found.iter();
    shares
        .map(|words| if words.is_empty() { 0.0 } else { share(words) })
        .collect()
}

/// Which of these words each path has, each once.
fn in_paths(files: &[Candidate], words: &Sought) -> Vec<Vec<usize>> {
    // Paths come in order, so most are in the folder of the one before.
    let mut above = ("", Vec::new());
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        let path = file.path();
        let name = name(path);
        let folder = &path[..path.len() - name.len()];
        if above.0 != folder {
            above = (folder, Vec::new());
            words.each_in(folder, |word| above.1.push(word));
        }
        let mut here = above.1.clone();
        words.each_in(name, |word| here.push(word));
        here.sort_unstable();
        here.dedup();
        found.push(here);
    }
    found
}
