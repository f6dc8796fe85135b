//! The directory tree, drawn to a depth.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::Gathering;
use crate::error::Error;
use crate::repo::{Found, Quota, RepoPath, Visitor};
use crate::role::pattern::Exclusion;
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::{counted, visible};

/// A tree with more lines is drawn one level less deep: it is an overview.
const MAX_LINES: usize = 400;

/// The lines of this many of the likeliest files stay longer than others.
const LIKELY: usize = 20;

/// Draws what git would not ignore: folders to the role's depth, and the number of files below
/// that.
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
    let likely = likely(all, depth);
    let mut drawn = Drawn::of(&likely);
    for depth in (1..=depth).rev() {
        drawn = Drawn::of(&likely);
        drawn.folder(&visitor.root, depth, &Place::default());
        if drawn.lines.len() <= MAX_LINES {
            break;
        }
        let message = format!(
            "drawn to fewer than {depth} levels, because those have more than {MAX_LINES} entries"
        );
        section.notes.push(Note::new(NoteKind::Reason, message));
    }
    if !drawn.text.is_empty() {
        let mut piece = Piece::text(Body::Text(drawn.text));
        piece.spare = in_order_of_going(&drawn.lines);
        section.pieces.push(piece);
    }
    Ok(section)
}

/// Returns the files that the prompt is probably about, with the folders above them, to this depth.
fn likely(all: &Gathering<'_>, depth: usize) -> HashSet<String> {
    let mut likely = HashSet::new();
    let mut add = |path: &str| {
        let ends = path.match_indices('/').map(|(end, _)| end);
        // What lies deeper is not drawn.
        for end in ends.chain([path.len()]).take(depth) {
            if !likely.contains(&path[..end]) {
                likely.insert(path[..end].to_owned());
            }
        }
    };
    all.about.iter().for_each(|path| add(path.as_str()));
    if let (Some(index), Some(ranking)) = (&all.index, &all.ranking) {
        let files = ranking.worth_packing(false).into_iter().take(LIKELY);
        files.for_each(|at| add(index.corpus().files[at].path.as_str()));
    }
    likely
}

/// Returns the lines in the order in which they go if the tree does not fit. What leads to none of
/// the likely files goes first: of that, first what is hidden or in a hidden folder, then what lies
/// deepest, and in each folder the later entries, so that every folder keeps some.
fn in_order_of_going(lines: &[Line]) -> Vec<Range<usize>> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| {
        let Line {
            is_likely,
            level,
            is_hidden,
            place,
        } = lines[*at];
        (is_likely, Reverse((is_hidden, level, place, *at)))
    });
    order.into_iter().map(|line| line..line + 1).collect()
}

struct Branches<'a> {
    exclusion: &'a Exclusion,
    /// Names are kept only above this depth.
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

/// A tree as text, and where each line of it stands.
struct Drawn<'a> {
    text: String,
    lines: Vec<Line>,
    likely: &'a HashSet<String>,
}

#[derive(Clone, Copy)]
struct Line {
    is_likely: bool,
    level: usize,
    /// Whether its name, or that of a folder that it lies in, begins with a dot.
    is_hidden: bool,
    /// How many entries of its folder come before it.
    place: usize,
}

/// Where a folder lies.
#[derive(Default)]
struct Place {
    /// Its path followed by a `/`; empty for the root.
    path: String,
    level: usize,
    is_hidden: bool,
}

impl<'a> Drawn<'a> {
    fn of(likely: &'a HashSet<String>) -> Drawn<'a> {
        Drawn {
            text: String::new(),
            lines: Vec::new(),
            likely,
        }
    }

    fn folder(&mut self, folder: &Folder, depth: usize, at: &Place) {
        let likely = self.likely;
        let line = |place, name: &str| Line {
            is_likely: !likely.is_empty() && likely.contains(&format!("{}{name}", at.path)),
            level: at.level,
            is_hidden: at.is_hidden || name.starts_with('.'),
            place,
        };
        for (place, (name, inner)) in folder.folders.iter().enumerate() {
            let shown = visible(name);
            if at.level + 1 < depth {
                self.add(line(place, name), &format!("{shown}/"));
                let below = Place {
                    path: format!("{}{name}/", at.path),
                    level: at.level + 1,
                    is_hidden: at.is_hidden || name.starts_with('.'),
                };
                self.folder(inner, depth, &below);
            } else {
                let files = counted(inner.total, "file");
                self.add(line(place, name), &format!("{shown}/ ({files})"));
            }
        }
        for (place, name) in folder.files.iter().enumerate() {
            let place = folder.folders.len() + place;
            self.add(line(place, name), &visible(name));
        }
    }

    fn add(&mut self, line: Line, said: &str) {
        self.text.push_str(&"  ".repeat(line.level));
        self.text.push_str(said);
        self.text.push('\n');
        self.lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_deep_goes_first_and_every_folder_keeps_its_first_entries() {
        let folder = |folders: Vec<(&str, Folder)>, files: &[&str]| Folder {
            folders: folders
                .into_iter()
                .map(|(name, inner)| (name.to_owned(), inner))
                .collect(),
            files: files.iter().map(|name| (*name).to_owned()).collect(),
            total: 0,
        };
        let deep = folder(vec![("d", folder(vec![], &["e", "f"]))], &["g", "h"]);
        let root = folder(
            vec![
                (".x", folder(vec![], &["i"])),
                ("a", deep),
                ("b", folder(vec![], &["j", "k"])),
            ],
            &["l"],
        );
        let order = |likely: &[&str]| -> Vec<String> {
            let likely = likely.iter().map(|path| (*path).to_owned()).collect();
            let mut drawn = Drawn::of(&likely);
            drawn.folder(&root, 3, &Place::default());
            let names: Vec<&str> = drawn.text.lines().map(str::trim).collect();
            let order = in_order_of_going(&drawn.lines);
            order
                .iter()
                .map(|line| names[line.start].to_owned())
                .collect()
        };
        assert_eq!(
            order(&[]),
            [
                "i", ".x/", "f", "e", "h", "k", "g", "j", "d/", "l", "b/", "a/"
            ]
        );
        assert_eq!(
            order(&["b/k", "b"]),
            [
                "i", ".x/", "f", "e", "h", "g", "j", "d/", "l", "a/", "k", "b/"
            ]
        );
    }
}
