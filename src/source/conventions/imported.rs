//! Files that a convention file imports, and those that they import.

use super::super::Gathering;
use super::super::find::Asked;
use super::Found;
use super::references::references;
use crate::repo::{Asker, Kind, RepoPath};
use crate::section::Body;
use crate::show::quoted;
use crate::split;

/// The deepest chain of imports.
const MAX_DEPTH: usize = 5;

/// Packs what the piece with this number imports, after it. What is already packed, here or in
/// another section, is not packed again, so circles end.
pub(super) fn follow(found: &mut Found, all: &mut Gathering<'_>, at: usize) {
    follow_to(found, all, at, MAX_DEPTH);
}

fn follow_to(found: &mut Found, all: &mut Gathering<'_>, at: usize, depth: usize) {
    let piece = &found.section.pieces[at];
    let (Some(importer), Body::Source(text)) = (piece.path.clone(), &piece.body) else {
        return;
    };
    let wanted: Vec<(usize, String)> = references(text)
        .into_iter()
        .map(|(line, path)| (line, path.to_owned()))
        .collect();
    for (line, given) in wanted {
        let place = format!("`{}:{line}`", quoted(&importer));
        let Some(path) = imported(found, all, &importer, &given, &place) else {
            continue;
        };
        if depth == 0 {
            let shown = quoted(path.as_str());
            found.left_out(format!(
                "`{shown}`: {place} imports it, more than {MAX_DEPTH} imports deep"
            ));
            continue;
        }
        let why = format!("imported by {place}");
        let packed = found.place(all, &path, Asked::ByGlob, Asker::Repository, &why);
        if let Some(at) = packed.filter(|_| is_prose(&path)) {
            follow_to(found, all, at, depth - 1);
        }
    }
}

/// Returns the file that a reference names, relative to the folder of the file that it is in. A
/// word after `@` that is not a path (`@alice`, `@types/node`) names none.
fn imported(
    found: &mut Found,
    all: &Gathering<'_>,
    importer: &str,
    given: &str,
    place: &str,
) -> Option<RepoPath> {
    let repo = all.placer.repo;
    let folder = split::folder(importer);
    let is_outside = given.starts_with(['~', '/']);
    let path = match folder {
        _ if is_outside => repo.path(given),
        "" => repo.path(given),
        folder => repo.path(&format!("{folder}/{given}")),
    };
    let path = path.ok().filter(|_| !given.starts_with('~'));
    match path.map(|path| (repo.kind(&path), path)) {
        Some((Kind::Folder(_), _)) => None,
        Some((kind, path)) if kind != Kind::Missing => Some(path),
        _ => {
            if is_outside || given.ends_with(".md") {
                let shown = quoted(given);
                found.left_out(format!(
                    "`@{shown}` in {place}: there is no such file in the repository"
                ));
            }
            None
        }
    }
}

/// Whether a file is text in which `@path` means an import; in source it means other things.
fn is_prose(path: &RepoPath) -> bool {
    let name = path.name();
    [".md", ".mdc", ".txt"]
        .iter()
        .any(|ending| name.ends_with(ending))
        || !name.contains('.')
}
