//! The directory tree, drawn to a depth.

use std::collections::BTreeMap;

use super::Gathering;
use crate::error::Error;
use crate::repo::{Found, Quota, RepoPath, Visitor};
use crate::role::pattern::Exclusion;
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::{counted, visible};

/// A tree of more lines is drawn with a level less: it is an overview.
const MAX_LINES: usize = 400;

/// Draws what git would not ignore: folders to the role's depth, and for what lies
/// deeper the number of files.
pub(super) fn draw(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::Tree, Vec::new());
    let Some(depth) = all.ask.role.context().tree.depth() else {
        return Ok(section);
    };
    let mut visitor = Branches {
        exclusion: &all.patterns.exclusion,
        depth,
        root: Folder::default(),
        quota: Quota::default(),
    };
    section.notes = all.ask.repo.walk(&RepoPath::root(), &mut visitor);
    section.notes.extend(visitor.quota.note("file"));
    let mut text = String::new();
    for depth in (1..=depth).rev() {
        text.clear();
        write(&visitor.root, depth, 0, &mut text);
        if text.lines().count() <= MAX_LINES {
            break;
        }
        let message =
            format!("drawn to fewer than {depth} levels, which have more than {MAX_LINES} entries");
        section.notes.push(Note::new(NoteKind::Reason, message));
    }
    if !text.is_empty() {
        section.pieces.push(Piece::text(Body::Text(text)));
    }
    Ok(section)
}

struct Branches<'a> {
    exclusion: &'a Exclusion,
    /// Names are kept of what lies less deep.
    depth: usize,
    root: Folder,
    quota: Quota,
}

#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    files: Vec<String>,
    /// The files here and below.
    total: usize,
}

impl Visitor for Branches<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        !self.exclusion.excludes(folder)
    }

    fn found(&mut self, found: Found) {
        if self.exclusion.excludes(&found.path) {
            return;
        }
        let path = found.path.as_str();
        let mut here = &mut self.root;
        here.total += 1;
        let mut level = 0;
        let mut rest = path;
        while let Some((part, below)) = rest.split_once('/').filter(|_| level < self.depth) {
            let end = path.len() - below.len();
            if !here.folders.contains_key(part) && !self.quota.takes(&path[..end]) {
                return;
            }
            here = here.folders.entry(part.to_owned()).or_default();
            here.total += 1;
            (level, rest) = (level + 1, below);
        }
        if level < self.depth && self.quota.takes(path) {
            here.files.push(rest.to_owned());
        }
    }
}

fn write(folder: &Folder, depth: usize, level: usize, text: &mut String) {
    let indent = "  ".repeat(level);
    for (name, inner) in &folder.folders {
        let name = visible(name);
        if level + 1 < depth {
            text.push_str(&format!("{indent}{name}/\n"));
            write(inner, depth, level + 1, text);
        } else {
            let files = counted(inner.total, "file");
            text.push_str(&format!("{indent}{name}/ ({files})\n"));
        }
    }
    for name in &folder.files {
        text.push_str(&format!("{indent}{}\n", visible(name)));
    }
}
