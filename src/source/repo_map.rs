//! The repository's map: its most central declarations, for planning.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::Gathering;
use super::related::{beginning, of_all};
use crate::error::Error;
use crate::index::Index;
use crate::index::corpus::Corpus;
use crate::index::words::names;
use crate::rank::central::{self, FileEntries};
use crate::section::{Body, Key, Note, NoteKind, Piece, Section};
use crate::show::{counted, visible};
use crate::syntax::outline::Entry;

/// The most files that are parsed for what they declare, tests and examples last.
const MAX_FILES: usize = 2000;

/// The most bytes that they have together: parsing takes about a second for ten million.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The most lines that the map has, and files that it shows: it is an overview.
const MAX_LINES: usize = 500;
const MAX_SHOWN: usize = 120;

/// The most lines that are shown of one declaration.
const MAX_ENTRY: usize = 16;

/// Draws the map. It leaves out what the targets declare, because they are shown themselves.
pub(super) fn draw(all: &mut Gathering<'_>) -> Result<Section, Error> {
    let mut section = Section::new(Key::RepoMap, Vec::new());
    let (task, targets) = (all.ask.task, all.targets.paths());
    let Some(index) = &mut all.index else {
        return Ok(section);
    };
    let (declared, unread) = declared(index);
    let central = central::declarations(index.corpus(), beginning(task), &targets, &declared);
    let declared: HashMap<usize, Rc<Vec<Entry>>> = declared.into_iter().collect();
    let mut map = Map::default();
    for (at, name) in central {
        if map.lines >= MAX_LINES {
            break;
        }
        if let Some(entries) = declared.get(&at) {
            map.add(index, entries, at, name);
        }
    }
    let (text, spare) = map.draw(index.corpus());
    if !text.is_empty() {
        section.pieces.push(Piece {
            spare,
            ..Piece::text(Body::Outline(text))
        });
    }
    let passed_over = index.unread() + unread;
    if passed_over > 0 {
        let files = of_all(passed_over, index.candidates());
        let message = format!("{files} were not read for the map: there are too many");
        section.notes.push(Note::new(NoteKind::Unsearched, message));
    }
    Ok(section)
}

/// Returns what the files declare for which there is time, and how many others there are.
fn declared(index: &mut Index<'_>) -> (Vec<FileEntries>, usize) {
    let mut left = MAX_BYTES;
    let (mut files, mut unread) = (Vec::new(), 0);
    for (read, at) in central::in_order(index.corpus()).into_iter().enumerate() {
        let bytes = index.corpus().files[at].read.bytes;
        if read >= MAX_FILES || bytes > left {
            unread += 1;
            continue;
        }
        left -= bytes;
        files.push(at);
    }
    let declared = index.declared(&files);
    unread += files.len() - declared.len();
    (declared, unread)
}

/// What is in the map so far.
#[derive(Default)]
struct Map {
    /// The files in the order in which they were added.
    order: Vec<usize>,
    files: HashMap<usize, Shown>,
    /// How many declarations were added.
    rank: usize,
    lines: usize,
}

/// A file of which something is shown.
struct Shown {
    lines: Vec<String>,
    entries: Rc<Vec<Entry>>,
    /// The lines of it that are in the map, with the rank of the declaration that added them.
    ranks: HashMap<usize, usize>,
    /// The line with the name of each declaration that added some, by its rank.
    named: HashMap<usize, usize>,
}

impl Shown {
    /// Returns the line of an entry that has its name. Lines above it may have the name inside a
    /// word, or in an attribute.
    fn named_in(&self, entry: &Entry) -> Option<usize> {
        let has_name = |at: &usize| {
            let line = self.lines.get(*at).map_or("", |line| line.trim_start());
            !line.starts_with(['@', '#', '[']) && names(line).any(|(_, name)| name == &*entry.name)
        };
        entry.lines.iter().cloned().flatten().find(has_name)
    }
}

impl Map {
    /// Adds a declaration with what encloses it.
    fn add(&mut self, index: &Index<'_>, entries: &Rc<Vec<Entry>>, at: usize, name: u32) {
        if !self.files.contains_key(&at) {
            if self.order.len() >= MAX_SHOWN {
                return;
            }
            let text = index.text(at).unwrap_or_default();
            let lines = text.lines().map(str::to_owned).collect();
            self.order.push(at);
            self.files.insert(
                at,
                Shown {
                    lines,
                    entries: Rc::clone(entries),
                    ranks: HashMap::new(),
                    named: HashMap::new(),
                },
            );
            // The path, and the empty line above it.
            self.lines += 2;
        }
        let Some(file) = self.files.get_mut(&at) else {
            return;
        };
        let rank = self.rank;
        // The first of that name: what follows are other forms of it, or what it can do.
        let names = &index.corpus().vocabulary.names;
        let is_it = |entry: &Entry| names.get(&entry.name) == Some(name);
        let mut next = file.entries.iter().position(is_it);
        let entry = next.and_then(|at| file.entries.get(at));
        file.named
            .extend(entry.and_then(|entry| Some((rank, file.named_in(entry)?))));
        while let Some((here, entry)) = next.and_then(|at| Some((at, file.entries.get(at)?))) {
            // The file may have become shorter since.
            let lines = entry.lines.iter().cloned().flatten();
            for line in lines.take(MAX_ENTRY).filter(|at| *at < file.lines.len()) {
                file.ranks.entry(line).or_insert_with(|| {
                    self.lines += 1;
                    rank
                });
            }
            // What it lies in stands before it.
            next = entry.owner.filter(|owner| *owner < here);
        }
        self.rank += 1;
    }

    /// Returns the text of the map, and which of its lines go first if there is less room.
    fn draw(&self, corpus: &Corpus) -> (String, Vec<Range<usize>>) {
        let mut text = String::new();
        let mut number = 0;
        let mut ranked: Vec<(usize, Range<usize>)> = Vec::new();
        for at in &self.order {
            let file = &self.files[at];
            let mut shown: Vec<(usize, usize)> = file
                .ranks
                .iter()
                .map(|(line, rank)| (*line, *rank))
                .collect();
            shown.sort_unstable();
            let Some(first) = shown.iter().map(|(_, rank)| *rank).min() else {
                continue;
            };
            let head = number;
            if number > 0 {
                text.push('\n');
                number += 1;
            }
            let path = visible(corpus.files[*at].path.as_str());
            let lines = counted(file.lines.len(), "line");
            text.push_str(&format!("{path} ({lines})\n"));
            number += 1;
            ranked.push((first, head..number));
            for (line, rank) in shown {
                text.push_str(&format!("  {}\n", file.lines[line]));
                // The path and the heads of what it lies in say nothing without it, so they go
                // together. What stands between them goes before that.
                let leads = file.named.get(&rank).is_some_and(|own| line <= *own);
                let of_rank = ranked.iter().rposition(|(other, _)| *other <= rank);
                match of_rank.and_then(|at| ranked.get_mut(at)) {
                    Some((other, lines)) if leads && *other == rank && lines.end > head => {
                        lines.end = number + 1;
                    }
                    _ => ranked.push((rank, number..number + 1)),
                }
                number += 1;
            }
        }
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.start.cmp(&a.1.start)));
        let spare = ranked.into_iter().map(|(_, lines)| lines).collect();
        (text, spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::corpus::tests::of_texts;

    #[test]
    fn a_path_and_heads_go_with_what_they_lead_to_whatever_stands_between() {
        let corpus = of_texts(&[("a.rs", "a")]);
        let lines = ["impl A {", "    fn x()", "    #[cached]", "    fn y()"];
        let mut shown = Shown {
            lines: lines.map(str::to_owned).to_vec(),
            entries: Rc::new(Vec::new()),
            ranks: HashMap::from([(0, 2), (1, 5), (2, 2), (3, 2)]),
            named: HashMap::from([(2, 3), (5, 1)]),
        };
        let cached = Entry {
            name: "cached".into(),
            lines: vec![2..3, 3..4],
            owner: None,
        };
        assert_eq!(shown.named_in(&cached), None);
        shown.lines[3] = "    fn cached()".into();
        assert_eq!(shown.named_in(&cached), Some(3));
        let map = Map {
            order: vec![0],
            files: HashMap::from([(0, shown)]),
            rank: 6,
            lines: 5,
        };
        let (text, spare) = map.draw(&corpus);
        assert_eq!(text.lines().count(), 5, "{text}");
        // First `x`, and then the path with all that leads to `y`.
        assert_eq!(spare, [2..3, 0..5]);
    }
}
