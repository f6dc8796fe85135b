//! Cuts a document into parts, each of which can be shown without the others.

use std::ops::Range;
use std::rc::Rc;

use super::context_dir::outline::{Outline, What};
use crate::index::quoted::SHELL_BLOCKS;
use crate::split;
use crate::syntax::front_matter;
use crate::tokens::Counter;

/// Text below a heading is cut between its blocks into parts of about this many lines.
const LONG: usize = 20;

/// How many characters of a title count.
const MAX_TITLE: usize = 120;

/// Commands in a block of more lines are cut at empty lines.
const MANY_COMMANDS: usize = 6;

/// A block of commands is cut into at most this many parts; the rest is one part.
const MOST_OF_BLOCK: usize = 100;

/// Lines of a text that belong together.
pub(super) struct Cut {
    pub(super) lines: Range<usize>,
    /// The headings above them, the outermost first.
    pub(super) titles: Rc<str>,
    /// The lines of these that are not among its own, and those of the fences around them.
    pub(super) owners: Vec<usize>,
    /// Whether there is time to read it.
    pub(super) is_read: bool,
    /// Whether it is part of a block of commands, or of one that may be.
    pub(super) is_shell: bool,
}

/// Cuts a document at its headings, and long text below one of them between its blocks; a long
/// block of commands also in the middle.
pub(super) fn by_headings(text: &str) -> Vec<Cut> {
    let lines = split::lines(text);
    let outline = Outline::of(text, front_matter(&lines));
    let mut all = Document {
        lines: &lines,
        cut: Vec::new(),
        above: Vec::new(),
        titles: "".into(),
        is_bare: false,
        is_open: false,
    };
    for unit in &outline.units {
        match &unit.what {
            // It is of no use alone, and goes with what it stands above.
            What::Front => {
                all.push(unit.lines.clone(), &[]);
                all.is_bare = true;
            }
            What::Heading(level, title) => all.heading(*level, title, unit.lines.clone()),
            _ => all.block(unit.lines.clone()),
        }
    }
    all.close_section();
    all.cut
}

struct Document<'a> {
    lines: &'a [&'a str],
    cut: Vec<Cut>,
    /// The headings above what comes next: level, line, title.
    above: Vec<(usize, usize, &'a str)>,
    /// The titles of these, each on a line.
    titles: Rc<str>,
    /// Whether the last part has only headings, which stay with what is below them.
    is_bare: bool,
    /// Whether it ends in a colon, like an announcement.
    is_open: bool,
}

impl<'a> Document<'a> {
    fn heading(&mut self, level: usize, title: &'a str, lines: Range<usize>) {
        self.close_section();
        self.above.retain(|other| other.0 < level);
        self.above.push((level, lines.start, beginning_of(title)));
        let titles = self.above.iter().map(|heading| heading.2);
        self.titles = titles.collect::<Vec<_>>().join("\n").into();
        if self.is_bare {
            self.extend(lines.end);
        } else {
            self.push(lines, &[]);
        }
        (self.is_bare, self.is_open) = (true, false);
    }

    /// Joins the last few lines of a section to the part before, so that they are not alone.
    fn close_section(&mut self) {
        let [.., before, last] = &self.cut[..] else {
            return;
        };
        let heading = self.above.last().map(|(_, line, _)| line);
        let has_heading = |cut: &Cut| heading.is_some_and(|line| cut.lines.contains(line));
        let is_of_section =
            !has_heading(last) && (has_heading(before) || last.owners == before.owners);
        let are_shell = before.is_shell || last.is_shell;
        if is_of_section && !are_shell && last.lines.len() < LONG / 2 {
            let end = last.lines.end;
            self.cut.pop();
            self.extend(end);
        }
    }

    /// Adds a block that is not a heading.
    fn block(&mut self, lines: Range<usize>) {
        if let Some(fences) = self.fences(&lines)
            && fences.len() > MANY_COMMANDS
        {
            return self.commands(&lines, fences);
        }
        let is_near = |last: &Cut| !last.is_shell && lines.end - last.lines.start <= LONG;
        if self.wants_more() || self.cut.last().is_some_and(is_near) {
            self.extend(lines.end);
        } else {
            self.push(lines.clone(), &[]);
        }
        let said = self.lines[lines].iter().rev();
        let mut said = said.map(|line| line.trim_end());
        let last = said.find(|line| !line.is_empty());
        self.is_open = last.is_some_and(|line| line.ends_with(':'));
        self.is_bare = false;
    }

    /// Whether the last part says nothing without what comes next.
    fn wants_more(&self) -> bool {
        (self.is_bare || self.is_open) && !self.cut.is_empty()
    }

    /// Returns the lines between the fences of a block of commands.
    fn fences(&self, block: &Range<usize>) -> Option<Range<usize>> {
        let open = self.lines[block.start].trim();
        let language = open.trim_start_matches(['`', '~']);
        let fence = &open[..open.len() - language.len()];
        let is_shell = fence.len() >= 3 && SHELL_BLOCKS.contains(&language.trim());
        let mut ends = block.clone().skip(1);
        let end = ends.rfind(|line| self.lines[*line].trim() == fence)?;
        is_shell.then_some(block.start + 1..end)
    }

    /// Cuts commands at empty lines. Each part has the fences; the first also has what announces
    /// them.
    fn commands(&mut self, block: &Range<usize>, inside: Range<usize>) {
        let fence = inside.start - 1;
        let is_empty = |at: usize| self.lines[at].trim().is_empty();
        let is_end = |at: &usize| is_empty(*at) && (at + 1 == inside.end || !is_empty(at + 1));
        let ends = inside.clone().filter(is_end).map(|at| at + 1);
        let mut ends: Vec<usize> = ends.take(MOST_OF_BLOCK - 1).collect();
        if ends.last() != Some(&inside.end) {
            ends.push(inside.end);
        }
        let mut start = block.start;
        for end in ends {
            if start > block.start {
                self.push(start..end, &[fence]);
            } else if self.wants_more() {
                self.extend(end);
            } else {
                self.push(start..end, &[]);
            }
            if let Some(last) = self.cut.last_mut() {
                last.owners.push(inside.end);
                last.is_shell = true;
            }
            start = end;
        }
        self.extend(block.end);
        if let Some(last) = self.cut.last_mut() {
            last.owners.retain(|line| *line != inside.end);
        }
        (self.is_bare, self.is_open) = (false, false);
    }

    fn extend(&mut self, end: usize) {
        if let Some(last) = self.cut.last_mut() {
            last.lines.end = end;
            last.titles = Rc::clone(&self.titles);
        }
    }

    fn push(&mut self, lines: Range<usize>, fences: &[usize]) {
        let headings = self.above.iter().map(|heading| heading.1);
        let owners = headings.filter(|line| *line < lines.start);
        self.cut.push(Cut {
            titles: Rc::clone(&self.titles),
            owners: owners.chain(fences.iter().copied()).collect(),
            is_read: true,
            is_shell: false,
            lines,
        });
    }
}

/// Returns as much of a title as counts.
fn beginning_of(title: &str) -> &str {
    Counter::Chars.cut(title, MAX_TITLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(Range<usize>, Vec<usize>)> {
        let cut = by_headings(text).into_iter();
        cut.map(|cut| (cut.lines, cut.owners)).collect()
    }

    #[test]
    fn every_line_is_in_one_part() {
        let text = include_str!("../../README.md");
        let mut next = 0;
        for cut in by_headings(text) {
            assert_eq!(cut.lines.start, next);
            assert!(cut.owners.iter().all(|line| !cut.lines.contains(line)));
            next = cut.lines.end;
        }
        assert_eq!(next, text.lines().count());
    }

    #[test]
    fn commands_are_parts_between_the_fences_of_their_block() {
        let text =
            "# Build\n\n```sh\n# all\nmake\n\n# tests\nmake test\n\nmake a\nmake b\n```\n\nMore.\n";
        let expected = [
            (0..6, vec![11]),
            (6..9, vec![0, 2, 11]),
            (9..13, vec![0, 2]),
            (13..14, vec![0]),
        ];
        assert_eq!(told(text), expected);
        let short = "# Build\n\n```sh\nmake\n\nmake test\n```\n";
        assert_eq!(told(short), [(0..7, vec![])]);
    }

    #[test]
    fn what_announces_something_is_not_parted_from_it() {
        let code = "let a;\n".repeat(30);
        let text = format!("## Tests\n\n1. Be kind.\n2. Use this:\n\n```js\n{code}```\n\nMore.\n");
        assert_eq!(told(&text), [(0..39, vec![])]);
    }

    #[test]
    fn the_last_lines_of_a_list_are_not_alone() {
        let list = |entries: usize| format!("# List\n\n{}", "- an entry\n".repeat(entries));
        assert_eq!(told(&list(24)), [(0..26, vec![])]);
        let cut = told(&list(60)).into_iter().map(|(lines, _)| lines);
        assert_eq!(cut.collect::<Vec<_>>(), [0..20, 20..40, 40..62]);
    }
}
