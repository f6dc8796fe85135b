//! Files that are likely to matter for the targets and the task: those that git
//! history changed together with a target, those of the same name (`parser.rs` and
//! `parser_test.rs`), and those that the task names.

use std::collections::HashMap;

use super::Desk;
use super::files::place;
use super::find::{Asked, Pick};
use crate::repo::RepoPath;
use crate::section::{Body, Key, Note, NoteKind, Section};
use crate::show::visible;
use crate::syntax::language;

/// A file whose score is lower is not packed merely because there is room.
const CUT_OFF: f64 = 0.5;

/// What it counts that a file has the same stem as a target.
const SAME_STEM: f64 = 1.5;

/// What it counts that the task names a file.
const NAMED: f64 = 3.0;

/// A name that the task may mention has at least so many letters; shorter ones are
/// words of the language.
const MIN_NAME: usize = 4;

/// What speaks for a file.
#[derive(Default)]
struct Evidence {
    score: f64,
    reasons: Vec<String>,
}

/// Packs at most `max_files` files, the likeliest first.
pub(super) fn ranked(
    desk: &mut Desk<'_>,
    targets: &[RepoPath],
    task: &str,
    max_files: usize,
) -> Section {
    let mut section = Section::new(Key::Related, Vec::new());
    let git = match desk.repo.git() {
        Ok(git) => git,
        Err(why) => {
            let message = format!("related files are not looked for: {why}");
            section.notes.push(Note::new(NoteKind::Git, message));
            return section;
        }
    };
    let target_names: Vec<&str> = targets.iter().map(RepoPath::as_str).collect();
    let stems: Vec<&str> = target_names.iter().map(|target| stem(target)).collect();
    let files = git.tracked();
    let mut evidence: HashMap<&str, Evidence> = HashMap::new();
    let changed = git.changed_together(&target_names);
    for file in files.iter().filter(|file| !is_chronicle(file)) {
        let mut found = Evidence::default();
        if let Some(together) = changed.get(file) {
            found.score += together.weight;
            let times = if together.times == 1 {
                "once".to_owned()
            } else {
                format!("{} times", together.times)
            };
            found.reasons.push(format!("changed together {times}"));
        }
        let same = same_stem(file, &stems);
        if let Some(at) = same.filter(|at| same_language(file, target_names[*at])) {
            found.score += SAME_STEM;
            let target = visible(target_names[at]);
            found.reasons.push(format!("same name as {target}"));
        }
        if mentions(task, file) {
            found.score += NAMED;
            found.reasons.push("named in the task".into());
        }
        if found.score >= CUT_OFF {
            evidence.insert(file, found);
        }
    }
    let mut ranked: Vec<(&str, Evidence)> = evidence
        .into_iter()
        .filter(|(file, _)| !target_names.contains(file))
        .collect();
    ranked.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(b.0)));
    for (file, found) in ranked {
        if section.pieces.len() >= max_files {
            break;
        }
        let Ok(path) = RepoPath::parse(file) else {
            continue;
        };
        let pick = Pick::new(desk, &path, Asked::ByGlob);
        let before = section.pieces.len();
        place(desk, &mut section, pick);
        // Nobody asked for this file, so a remark that it is too large is no use.
        if section
            .pieces
            .get(before)
            .is_some_and(|p| matches!(p.body, Body::Marker(_)))
        {
            section.pieces.truncate(before);
        }
        if let Some(piece) = section.pieces.get_mut(before) {
            let why = found.reasons.join("; ");
            piece.notes.push(Note::new(NoteKind::Reason, why).on(file));
        }
    }
    // A file that is gone or binary is no loss here: nobody asked for it.
    section
        .notes
        .retain(|note| !matches!(note.kind, NoteKind::Unreadable | NoteKind::Skipped));
    section
}

/// Files that change with everything and tell nothing: lists of changes, lock
/// files, and what is generated from other files.
fn is_chronicle(path: &str) -> bool {
    const ENDINGS: [&str; 6] = [
        ".lock",
        "-lock.json",
        "-lock.yaml",
        ".sum",
        ".min.js",
        ".map",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ["changelog", "changes", "history", "news"].contains(&stem(&name))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether two files may be two sides of the same thing: a header and its source,
/// a script and its test.
fn same_language(a: &str, b: &str) -> bool {
    let family = |path| match language(path) {
        "cpp" => "c",
        "typescript" | "tsx" | "jsx" => "javascript",
        other => other,
    };
    family(a) == family(b)
}

/// The first of these stems that the file has. `src/parser.rs`, `tests/parser.rs`,
/// `parser_test.go` and `test_parser.py` have the same one.
fn same_stem(file: &str, stems: &[&str]) -> Option<usize> {
    let own = stem(file);
    let telling = |stem: &&&str| stem.len() >= MIN_NAME && !COMMON.contains(stem);
    stems.iter().position(|stem| *stem == own && telling(&stem))
}

/// Names that say nothing about what is in a file.
const COMMON: [&str; 8] = [
    "index", "main", "__init__", "utils", "types", "common", "helpers", "readme",
];

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    ["_test", "-test", "_spec", "-spec", "Test", "Tests"]
        .iter()
        .find_map(|ending| stem.strip_suffix(ending))
        .unwrap_or(stem)
}

/// Whether the task speaks of the file by its path or its whole name.
fn mentions(task: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.len() < MIN_NAME || !name.contains('.') {
        return false;
    }
    let whole = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    task.match_indices(name).any(|(at, _)| {
        let before = &task[..at];
        let after = task[at + name.len()..].chars().next();
        // Where the task gives folders, they have to be this file's.
        let given = before
            .rsplit(|c: char| c.is_whitespace() || "`'\"(".contains(c))
            .next();
        let given = given.unwrap_or_default();
        let folders = if given.is_empty() {
            whole(before.chars().next_back())
        } else {
            path.ends_with(&format!("{given}{name}"))
        };
        folders && whole(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_have_the_stem_of_what_they_test() {
        let same = |a: &str, b: &str| same_stem(a, &[stem(b)]).is_some();
        assert!(same("src/parser.rs", "tests/parser.rs"));
        assert!(same("parser.go", "parser_test.go"));
        assert!(same("a/test_parser.py", "b/parser.py"));
        assert!(!same("src/a/index.ts", "src/b/index.ts"));
    }

    #[test]
    fn a_file_is_named_whole_and_with_its_own_folders() {
        assert!(mentions(
            "Mend `src/glob.rs`, please",
            "crates/globset/src/glob.rs"
        ));
        assert!(mentions("in glob.rs", "src/glob.rs"));
        assert!(!mentions("in other/glob.rs", "src/glob.rs"));
        assert!(!mentions("in myglob.rs", "src/glob.rs"));
        assert!(!mentions("in glob.rst", "src/glob.rs"));
    }
}
