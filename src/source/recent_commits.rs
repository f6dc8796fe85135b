//! What changed recently: the last commits that touched what the prompt is about.

use std::collections::HashSet;

use super::Gathering;
use crate::error::Error;
use crate::repo::{Git, Past, PastChange, RepoPath, WantedChange};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::in_line;

/// How many commits are listed.
const MAX_COMMITS: usize = 5;

/// How many of the likeliest files count if nothing was asked for by its path.
const MAX_LIKELY: usize = 10;

/// The number of hash characters shown.
const SHORT: usize = 9;

/// The most characters of a commit's title that are shown.
const MAX_TITLE: usize = 100;

/// Lists the last commits that touched the targets and the changed files, or else the likeliest
/// files, or else what the sections above hold.
pub(super) fn last(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::RecentCommits, Vec::new());
    let reason = |why: String| Note::new(NoteKind::Reason, why);
    let git = all.ask.repo.git().map_err(str::to_owned);
    // Who borrows objects says which they are, so none of their text is shown.
    let git = git.and_then(|git| git.owns_its_objects().map(|()| git));
    match git {
        Ok(git) => match lines(all, git) {
            lines if lines.is_empty() => section
                .notes
                .push(reason("no commit touched what the prompt is about".into())),
            lines => section.pieces.push(Piece::text(Body::Text(lines))),
        },
        Err(why) => {
            let is_broken = all.ask.repo.unasked_git().is_some();
            let kind = if is_broken {
                NoteKind::Git
            } else {
                NoteKind::Reason
            };
            section
                .notes
                .push(Note::new(kind, format!("no commits: {why}")));
        }
    }
    Ok(section)
}

fn lines(all: &mut Gathering<'_>, git: &Git) -> String {
    let about = about(all);
    let own = own_commits(all, git);
    match &mut all.index {
        Some(index) => told(index.with_past().1, &about, &own),
        None => told(&git.past(&Past::default()).0.changes, &about, &own),
    }
}

/// Returns the commits of the change that the prompt is about: what they did is in its diff.
fn own_commits(all: &Gathering<'_>, git: &Git) -> HashSet<String> {
    // It was looked for if the prompt is about it.
    match all.ask.change.found.get().map(|change| &change.which) {
        Some(WantedChange::Since { base, .. }) => git.commits_since(base),
        _ => HashSet::new(),
    }
}

/// Returns the files that the prompt is about, whatever the order of the sections.
fn about(all: &Gathering<'_>) -> HashSet<String> {
    if !all.about.is_empty() {
        return all.about.iter().map(RepoPath::to_string).collect();
    }
    match (&all.index, &all.ranking) {
        (Some(index), Some(ranking)) => {
            let files = &index.corpus().files;
            // Most commits to a build file only raise the version of something.
            let is_source = |at: &usize| !files[*at].facts.kind.is_beside();
            let likely = ranking.worth_packing(false).into_iter();
            let likely = likely.filter(is_source).take(MAX_LIKELY);
            likely.map(|at| files[at].path.to_string()).collect()
        }
        _ => all.placer.placed.keys().map(RepoPath::to_string).collect(),
    }
}

fn told(past: &[PastChange], about: &HashSet<String>, own: &HashSet<String>) -> String {
    let touches = |change: &&PastChange| change.paths.iter().any(|path| about.contains(path));
    let earlier = past.iter().filter(|change| !own.contains(&change.hash));
    let told = earlier.filter(touches).take(MAX_COMMITS).map(|change| {
        let hash = change.hash.get(..SHORT).unwrap_or(&change.hash);
        let title = change.message.trim_start().lines().next();
        let title = in_line(title.unwrap_or_default(), MAX_TITLE);
        format!("{hash} {} {title}\n", change.day())
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(message: &str, path: &str) -> PastChange {
        PastChange {
            hash: "0123456789abcdef".into(),
            time: 951_782_400,
            message: message.into(),
            paths: vec![path.into()],
            before: Vec::new(),
        }
    }

    #[test]
    fn the_last_commits_that_touched_the_files_are_told_in_a_line_each() {
        let past = [
            change("Mend\n\nBecause.", "a.rs"),
            change("Elsewhere", "b.rs"),
            change("\n  Turn\u{202e} it\taround", "a.rs"),
        ];
        assert_eq!(
            told(&past, &HashSet::from(["a.rs".into()]), &HashSet::new()),
            "012345678 2000-02-29 Mend\n012345678 2000-02-29 Turn\\u{202e} it around\n"
        );
        let many: Vec<PastChange> = (0..9).map(|_| change(&"a b ".repeat(99), "a.rs")).collect();
        let told = told(&many, &HashSet::from(["a.rs".into()]), &HashSet::new());
        assert_eq!(told.lines().count(), MAX_COMMITS);
        let title = |line: &str| line.chars().count() - SHORT - 12;
        assert!(told.lines().all(|line| title(line) <= MAX_TITLE));
    }
}
