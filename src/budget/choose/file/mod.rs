//! A piece while the budget chooses from it: what is shown of it, what more would cost, and what
//! that is worth.

mod lines;

use std::ops::Range;

use self::lines::{divided, edge_after, edge_before, edge_of, fences, is_of_source};

use crate::budget::{Price, has_name, tells_purpose};
use crate::section::{Form, Piece, Valued};
use crate::split;

/// The declarations of a part without their bodies are worth this share of it: they show what there
/// is, but nothing that could be changed.
const SIGNATURES: f64 = 0.08;

/// What a part of a file that the role names counts for compared with any other of its section.
const FIRST: f64 = 1e12;

/// A piece while the budget chooses from it.
pub(super) struct File {
    /// Its section and its index in it.
    pub(super) at: (usize, usize),
    pub(super) parts: Vec<Valued>,
    pub(super) costs: Vec<usize>,
    /// What the first and the last lines of each part cost, which are shown with a neighbour.
    edges: Vec<(usize, usize)>,
    /// What it costs without any line.
    opening: usize,
    /// What a remark on a gap costs.
    gap: usize,
    /// How much more than that the remarks around an outline in a gap cost.
    outlined: usize,
    /// The lines of each part's outline, and what they cost.
    pub(super) outlines: Vec<(Vec<Range<usize>>, usize)>,
    /// The share of its worth that a part's outline has.
    pub(super) signatures: f64,
    /// What its name costs, if it can be shown by name alone.
    pub(super) name: Option<usize>,
    /// Whether it is named as long as nothing of it is shown.
    pub(super) is_named: bool,
    /// How much more it costs to say what it is for, if it says so.
    pub(super) purpose: Option<usize>,
    /// Whether that is said as long as it is named.
    pub(super) is_described: bool,
    /// How many lines around what is shown are shown with it.
    pub(super) edge: usize,
    /// A part of which only some is shown.
    pub(super) begun: Option<Begun>,
    /// Lines that no gap may divide, in order.
    heads: Vec<Range<usize>>,
    /// Lines that form one unit, and all of the source except its licence.
    things: Vec<Range<usize>>,
    /// Code blocks that begin and end in a document, each with the fences around it.
    fences: Vec<Range<usize>>,
    /// Lines that are not shown: those about its licence, or all of them, if they are shown
    /// elsewhere.
    hidden: Range<usize>,
    /// Lines that are not shown alone.
    preamble: Range<usize>,
    /// Whether it is not source.
    pub(super) is_beside: bool,
    asked: Asked,
    shown: Vec<Shown>,
    /// The number of parts that are shown whole, and of those shown by an outline.
    whole_parts: usize,
    outlined_parts: usize,
}

/// How much is shown of the last part that has room.
#[derive(Clone, Copy, Default)]
pub(super) struct Begun {
    pub(super) part: usize,
    /// How many of its first lines.
    pub(super) lines: usize,
    /// How many lines around it, if these are all of its lines.
    pub(super) after: usize,
    pub(super) before: usize,
}

/// How much of a part is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    Outline,
    Whole,
}

/// What was asked for of a file.
enum Asked {
    /// The lines of these parts.
    Parts(Vec<bool>),
    /// All of it, because the role names it.
    All,
}

impl Asked {
    fn of(piece: &Piece, parts: &[Valued]) -> Asked {
        if piece.is_named {
            return Asked::All;
        }
        let is_asked = |Range { start, end }: &Range<usize>| {
            let mut asked = piece.asked.iter();
            asked.any(|asked| asked.start <= *start && *end <= asked.end)
        };
        Asked::Parts(parts.iter().map(|part| is_asked(&part.lines)).collect())
    }
}

impl File {
    pub(super) fn of(at: (usize, usize), piece: &mut Piece, price: &dyn Price) -> File {
        let (opening, name, purpose) = priced_forms(piece, price);
        let lines = split::lines(piece.body.text());
        let parts = parts_of(piece, &lines);
        let edge = edge_of(piece);
        let edges = parts
            .iter()
            .map(|part| {
                let Range { start, end } = part.lines;
                let first = start..edge_after(&lines, &piece.heads, start, end, edge);
                let last = edge_before(&lines, &piece.heads, start, end, edge)..end;
                (price.lines(&lines[first]), price.lines(&lines[last]))
            })
            .collect();
        let gap = price.gap(lines.len() / 2..lines.len());
        let outlined = price.outlined(lines.len() / 2..lines.len());
        // Where there is nothing else it is what there is to show.
        let is_before = |part: &Valued| piece.preamble.contains(&part.lines.start);
        let preamble = if parts.iter().all(is_before) {
            0..0
        } else {
            piece.preamble.clone()
        };
        let costs = parts.iter().map(|part| &lines[part.lines.clone()]);
        let things = piece.titles.iter().map(|(lines, _)| lines.clone());
        let all = is_of_source(piece).then_some(piece.licence.end..lines.len());
        File {
            at,
            asked: Asked::of(piece, &parts),
            costs: costs.map(|lines| price.lines(lines)).collect(),
            edges,
            opening,
            gap,
            outlined: outlined.saturating_sub(gap),
            outlines: match piece.parts.len() {
                0 => vec![(Vec::new(), 0); parts.len()],
                _ => by_part(&parts, piece.outline(), &lines, price),
            },
            signatures: SIGNATURES,
            name,
            is_named: false,
            purpose,
            is_described: false,
            edge,
            begun: None,
            heads: piece.heads.to_vec(),
            things: things
                .filter(|it| it.end <= lines.len())
                .chain(all)
                .collect(),
            fences: fences(piece, &lines),
            hidden: if piece.is_in_diff {
                0..lines.len()
            } else {
                piece.licence.clone()
            },
            preamble,
            is_beside: piece.is_beside,
            shown: vec![Shown::Nothing; parts.len()],
            whole_parts: 0,
            outlined_parts: 0,
            parts,
        }
    }

    /// Returns how many of the first `lines` lines of a part can be shown: fewer if a gap after
    /// them would divide a head.
    pub(super) fn undivided(&self, part: usize, lines: usize) -> usize {
        let start = self.parts[part].lines.start;
        divided(&self.heads, start + lines).map_or(lines, |head| head.start.saturating_sub(start))
    }

    /// Returns what it is worth for each unit that it costs to show more of a part.
    pub(super) fn density(&self, part: usize, shown: Shown) -> f64 {
        let density = self.worth(part, shown) / self.cost(part, shown).max(1) as f64;
        match (&self.asked, shown) {
            (Asked::Parts(parts), _) if parts[part] => f64::INFINITY,
            // Those that come first are in the order of their worth, too.
            (Asked::All, Shown::Whole) => FIRST * density,
            _ => density,
        }
    }

    /// Whether the lines of a part were asked for, and so come before everything else.
    fn are_lines_asked(&self, part: usize) -> bool {
        matches!(&self.asked, Asked::Parts(parts) if parts[part])
    }

    /// Whether something that was asked for is not shown yet.
    pub(super) fn misses_asked(&self) -> bool {
        let is_asked = |part: usize| match &self.asked {
            Asked::Parts(parts) => parts[part],
            Asked::All => true,
        };
        let mut shown = self.shown.iter().enumerate();
        shown.any(|(part, shown)| *shown != Shown::Whole && is_asked(part))
    }

    /// Whether anything of it is shown.
    pub(super) fn is_open(&self) -> bool {
        self.whole_parts + self.outlined_parts > 0 || self.begun.is_some()
    }

    /// Whether any part of it is shown whole.
    pub(super) fn has_whole(&self) -> bool {
        self.whole_parts > 0
    }

    /// Returns what its name costs, if it could be shown and is not.
    pub(super) fn missing_name(&self) -> Option<usize> {
        self.name.filter(|_| !self.is_open() && !self.is_named)
    }

    /// Returns what it costs to say what it is for, if that could be said and is not.
    pub(super) fn missing_purpose(&self) -> Option<usize> {
        self.purpose
            .filter(|_| !self.is_open() && !self.is_described)
    }

    /// Returns what all of it is worth.
    pub(super) fn whole_worth(&self) -> f64 {
        self.parts.iter().map(|part| part.value).sum()
    }

    /// Shows more or less of a part. Returns what was shown of it before.
    pub(super) fn show(&mut self, part: usize, shown: Shown) -> Shown {
        let before = std::mem::replace(&mut self.shown[part], shown);
        self.whole_parts -= usize::from(before == Shown::Whole);
        self.outlined_parts -= usize::from(before == Shown::Outline);
        self.whole_parts += usize::from(shown == Shown::Whole);
        self.outlined_parts += usize::from(shown == Shown::Outline);
        before
    }

    /// Whether there is more to show of a part.
    pub(super) fn can_show(&self, part: usize, shown: Shown) -> bool {
        let first = self.parts[part].lines.start;
        match shown {
            // Nobody who asked for lines is served by an outline.
            _ if self.are_lines_asked(part) => shown == Shown::Whole && self.shown[part] != shown,
            _ if self.hidden.contains(&first) && !matches!(self.asked, Asked::All) => false,
            // What a file imports tells nothing of it.
            _ if self.whole_parts == 0 && self.preamble.contains(&first) => false,
            Shown::Nothing => false,
            Shown::Outline => {
                self.shown[part] == Shown::Nothing && !self.outlines[part].0.is_empty()
            }
            Shown::Whole => self.shown[part] != Shown::Whole,
        }
    }

    /// Returns what it is worth to show more of a part.
    pub(super) fn worth(&self, part: usize, shown: Shown) -> f64 {
        let Valued {
            value, signature, ..
        } = self.parts[part];
        match (self.shown[part], shown) {
            (_, Shown::Outline) => value * self.signatures + signature,
            (Shown::Outline, _) => value * (1.0 - self.signatures),
            _ => value + signature,
        }
    }

    /// Whether the signature of a part is worth something for itself.
    pub(super) fn is_used(&self, part: usize) -> bool {
        self.parts[part].signature > 0.0
    }

    /// Returns what it costs to show the outline of one more part: its lines, and the remarks
    /// around them unless a neighbour already has them.
    fn outline_cost(&self, part: usize) -> usize {
        let is_outlined = |at: usize| self.shown.get(at) == Some(&Shown::Outline);
        let has_remarks = is_outlined(part + 1) || part > 0 && is_outlined(part - 1);
        let own = self.outlines[part].1;
        match (self.whole_parts, has_remarks) {
            (0, _) if self.is_open() => own,
            (0, _) => own + self.opening,
            (_, true) => own,
            (_, false) => own + self.outlined,
        }
    }

    pub(super) fn cost(&self, part: usize, shown: Shown) -> usize {
        match shown {
            Shown::Outline => self.outline_cost(part),
            _ => self.whole_cost(part),
        }
    }

    /// Returns what it costs to show one more part whole: its lines, the edges of its neighbours,
    /// and the remarks on the gaps.
    fn whole_cost(&self, part: usize) -> usize {
        let is_open = self.is_open();
        let (mut more, mut less) = (self.costs[part], 0);
        if !is_open {
            more += self.opening;
        }
        if self.shown[part] == Shown::Outline {
            less += self.outlines[part].1;
        }
        let before = part.checked_sub(1);
        let after = (part + 1 < self.parts.len()).then_some(part + 1);
        for (neighbour, own, theirs) in [
            (
                before,
                self.edges[part].0,
                before.map(|at| self.edges[at].1),
            ),
            (after, self.edges[part].1, after.map(|at| self.edges[at].0)),
        ] {
            match neighbour {
                Some(at) if self.shown[at] == Shown::Whole => less += own,
                Some(_) => more += theirs.unwrap_or_default() + self.gap,
                // Before the first line and after the last there is no gap.
                None => {}
            }
        }
        // A gap that was there is cut in two, or vanishes.
        if self.whole_parts > 0 {
            less += self.gap;
        }
        more.saturating_sub(less)
    }
}

/// Returns the parts by which the budget chooses from a piece.
fn parts_of(piece: &Piece, lines: &[&str]) -> Vec<Valued> {
    let mut parts = piece.parts.clone();
    if parts.is_empty() {
        // What is not known in parts is whole or absent, before all that is known.
        parts.push(Valued {
            lines: 0..lines.len(),
            owners: Vec::new(),
            value: 1.0,
            signature: 0.0,
        });
    }
    // What is empty shows nothing.
    for part in &mut parts {
        let is_empty = |line: &&str| line.trim().is_empty();
        if lines[part.lines.clone()].iter().all(is_empty) {
            part.value = 0.0;
        }
    }
    parts
}

/// Returns what a piece costs without any line, by its name alone, and how much more it costs to
/// say what it is for. Afterwards nothing of it is shown.
fn priced_forms(piece: &mut Piece, price: &dyn Price) -> (usize, Option<usize>, Option<usize>) {
    let lines = piece.body.lines();
    let gap = price.gap(lines / 2..lines);
    piece.form = Form::excerpt(Vec::new());
    let opening = price.piece(piece).saturating_sub(gap);
    piece.form = Form::Name;
    let name = has_name(piece).then(|| price.piece(piece));
    piece.form = Form::Described;
    let purpose = name.filter(|_| tells_purpose(piece));
    let purpose = purpose.map(|name| price.piece(piece).saturating_sub(name));
    piece.form = Form::Omitted;
    (opening, name, purpose)
}

/// Returns the lines of an outline in each part, and what they cost.
fn by_part(
    parts: &[Valued],
    outline: &[Range<usize>],
    lines: &[&str],
    price: &dyn Price,
) -> Vec<(Vec<Range<usize>>, usize)> {
    let mut rest = outline;
    let mut by_part = Vec::with_capacity(parts.len());
    for part in parts {
        let mut own = Vec::new();
        let mut cost = 0;
        while let Some(first) = rest.first().filter(|first| first.start < part.lines.end) {
            let here = first.start.max(part.lines.start)..first.end.min(part.lines.end);
            if lines[here.clone()]
                .iter()
                .any(|line| !line.trim().is_empty())
            {
                cost += price.lines(&lines[here.clone()]);
                own.push(here);
            }
            if first.end > part.lines.end {
                break;
            }
            rest = &rest[1..];
        }
        by_part.push((own, cost));
    }
    by_part
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::tests::Lines;
    use super::*;
    use crate::section::Body;
    use crate::syntax::language;
    use crate::syntax::parts::{Part, Role};
    use crate::syntax::{Wanted, parse};

    /// Makes a related file of a text, with its parts.
    fn related(language: &str, text: &str) -> (Piece, Vec<Part>) {
        let parts = parse(language, text, Wanted::Parts).parts;
        let licence = parts.iter().find(|part| part.role == Role::Licence);
        let valued = parts.iter().map(|part| Valued {
            lines: part.lines.clone(),
            owners: part.owners.iter().cloned().flatten().collect(),
            value: 0.5,
            signature: 0.0,
        });
        let piece = Piece {
            parts: valued.collect(),
            heads: parts.iter().flat_map(|part| part.heads.clone()).collect(),
            licence: licence.map_or(0..0, |part| part.lines.clone()),
            ..Piece::file("a", Body::Source(text.to_owned()))
        };
        (piece, parts)
    }

    /// Returns what is wrong with what is shown of a text if some of its parts are.
    fn fault(
        (piece, parts): &(Piece, Vec<Part>),
        is_chosen: impl Fn(usize) -> bool,
    ) -> Option<String> {
        let mut piece = piece.clone();
        let text = piece.body.text().to_owned();
        let lines: Vec<&str> = text.lines().collect();
        if parts.is_empty() {
            return None;
        }
        let mut file = File::of((0, 0), &mut piece, &Lines);
        for at in (0..parts.len()).filter(|at| is_chosen(*at)) {
            if file.can_show(at, Shown::Whole) {
                file.show(at, Shown::Whole);
            }
        }
        let (kept, _) = file.lines(&lines);
        let is_shown = |line: usize| kept.iter().any(|range| range.contains(&line));
        if piece.licence.clone().any(is_shown) {
            return Some(format!("the licence is shown: {kept:?}"));
        }
        let edges = kept.iter().flat_map(|range| [range.start, range.end]);
        let declared = parts.iter().flat_map(|part| &part.owners).cloned();
        let is_own = |at: usize| declared.clone().any(|head| head.start == at);
        edges
            .filter_map(|at| Some((at, divided(&piece.heads, at)?)))
            // Of what others lie in the head is shown without what is said above it.
            .find(|(at, _)| !is_own(*at))
            .map(|(at, head)| format!("a gap at {at} divides {head:?} of {kept:?}"))
    }

    #[cfg(feature = "lang-rust")]
    const HEADS: &str = "// Copyright 2020 A.\n// See LICENSE.\n\nuse a;\n\n/// One\n/// two\n/// three\n/// four\n/// five\n/// six\nfn a(\n    b: C,\n) {\n    d();\n}\n";

    #[test]
    fn of_a_block_of_code_in_a_document_both_fences_are_shown() {
        let text = "# A\n\nSo:\n```go\nfunc a() {\n\td(\"some longer text than a remark has, and then more of it, and still more, up to here\")\n\te()\n}\nfunc b() {\n\td(\"some longer text than a remark has, and then more of it, and still more, up to here\")\n\te()\n}\n```\nB\n\nC\n\nD\n";
        let lines: Vec<&str> = text.lines().collect();
        let cut = [0..8, 8..12, 12..18];
        let valued = cut.iter().map(|lines| Valued {
            lines: lines.clone(),
            owners: Vec::new(),
            value: 0.5,
            signature: 0.0,
        });
        let mut piece = Piece {
            parts: valued.collect(),
            ..Piece::file("a.md", Body::Source(text.to_owned()))
        };
        let shown = |piece: &mut Piece, part: usize| {
            let mut file = File::of((0, 0), piece, &Lines);
            file.show(part, Shown::Whole);
            file.lines(&lines).0
        };
        assert_eq!(shown(&mut piece, 0), [0..8, 12..13]);
        assert_eq!(shown(&mut piece, 1), [3..4, 8..13]);
        assert_eq!(shown(&mut piece, 2), [3..4, 12..18]);
        // Code that is indented has no fences, and what is never closed has one.
        for text in [
            "    ```js\n\nA\n```\nb\n```\nC\n",
            "```\nb\n```\nC\n```\nd\n",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let piece = Piece::file("a.md", Body::Source(text.to_owned()));
            let found = fences(&piece, &lines);
            let blocks = found.iter().map(|block| lines[block.clone()].join("\n"));
            assert_eq!(blocks.collect::<Vec<_>>(), ["```\nb\n```"], "{text}");
        }
    }

    #[test]
    fn the_fences_of_a_block_of_which_nothing_is_shown_are_not_shown() {
        let text = "# A\n\nb.\n```\nc\n\nd\n```\ne\nf\ng\nh\n";
        let lines: Vec<&str> = text.lines().collect();
        let valued = [(0..6, vec![7]), (6..8, vec![3]), (8..12, vec![])];
        let valued = valued.map(|(lines, owners)| Valued {
            lines,
            owners,
            value: 0.5,
            signature: 0.0,
        });
        let mut piece = Piece {
            parts: valued.into(),
            ..Piece::file("a.md", Body::Source(text.to_owned()))
        };
        let mut file = File::of((0, 0), &mut piece, &Lines);
        let mut kept = |lines_begun: usize| {
            file.begun = Some(Begun {
                part: 0,
                lines: lines_begun,
                ..Begun::default()
            });
            file.lines(&lines).0
        };
        assert_eq!(kept(3), [Range { start: 0, end: 3 }]);
        assert_eq!(kept(5), [Range { start: 0, end: 8 }]);
    }

    /// Returns what is shown of a file with this licence if these lines of it are one part and that
    /// part was chosen.
    fn shown_around(
        path: &str,
        text: &str,
        kept: &Range<usize>,
        licence: Range<usize>,
    ) -> Vec<Range<usize>> {
        let lines: Vec<&str> = text.lines().collect();
        let cut = [0..kept.start, kept.clone(), kept.end..lines.len()];
        let valued = cut.map(|lines| Valued {
            lines,
            owners: Vec::new(),
            value: 0.5,
            signature: 0.0,
        });
        let mut piece = Piece {
            parts: valued.into(),
            licence,
            ..Piece::file(path, Body::Source(text.to_owned()))
        };
        let mut file = File::of((0, 0), &mut piece, &Lines);
        file.show(1, Shown::Whole);
        file.lines(&lines).0
    }

    #[test]
    fn one_or_two_lines_at_the_ends_of_a_file_are_no_gap() {
        let shown_of = |text: &str, kept: Range<usize>, licence: Range<usize>| {
            shown_around("a.md", text, &kept, licence)
        };
        let shown = |kept, licence| shown_of("a\nb\nc\nd\ne\nf\n", kept, licence);
        assert_eq!(shown(2..4, 0..0), [Range { start: 0, end: 6 }]);
        assert_eq!(shown(3..4, 0..0), [Range { start: 3, end: 6 }]);
        assert_eq!(shown(1..3, 0..0), [Range { start: 0, end: 3 }]);
        assert_eq!(shown(2..4, 0..2), [Range { start: 2, end: 6 }]);
        let long = format!("{}\nb\nc\nd\ne\nf{}\n", "a".repeat(200), "f".repeat(200));
        assert_eq!(shown_of(&long, 2..4, 0..0), [Range { start: 2, end: 4 }]);
    }

    #[cfg(feature = "lang-rust")]
    #[test]
    fn a_gap_falls_before_a_head_that_is_long_and_behind_one_that_is_short() {
        let (mut piece, parts) = related("rust", HEADS);
        let lines: Vec<&str> = HEADS.lines().collect();
        assert_eq!(parts[0].role, Role::Licence);
        let mut file = File::of((0, 0), &mut piece, &Lines);
        file.show(1, Shown::Whole);
        assert_eq!(file.lines(&lines).0, [Range { start: 3, end: 4 }]);
        let short = HEADS.replace("/// two\n/// three\n/// four\n", "");
        let short = short.replace("    d();\n", "    d();\n    e();\n    f();\n");
        let (mut piece, _) = related("rust", &short);
        let lines: Vec<&str> = short.lines().collect();
        let mut file = File::of((0, 0), &mut piece, &Lines);
        file.show(1, Shown::Whole);
        assert_eq!(file.lines(&lines).0, [Range { start: 3, end: 11 }]);
    }

    #[cfg(feature = "lang-rust")]
    #[test]
    fn the_first_lines_of_a_part_end_before_a_head_that_does_not_fit() {
        let text =
            "mod a {\n    use b;\n\n    use c;\n\n    fn d(\n        e: F,\n    ) {\n    }\n}\n";
        let (mut piece, _) = related("rust", text);
        let file = File::of((0, 0), &mut piece, &Lines);
        let shown: Vec<usize> = (0..10).map(|lines| file.undivided(0, lines)).collect();
        assert_eq!(shown, [0, 1, 2, 3, 4, 5, 5, 5, 8, 9]);
    }

    #[test]
    fn a_thing_of_which_nearly_all_is_shown_has_no_hole() {
        // So long that a gap costs more than the remark on it.
        let text = format!("call({});\n", "x".repeat(40)).repeat(40);
        let lines: Vec<&str> = text.lines().collect();
        let parts = [0..10, 10..14, 14..30, 30..40].map(|lines| Valued {
            lines,
            owners: Vec::new(),
            value: 0.5,
            signature: 0.0,
        });
        let shown = |thing: Range<usize>| {
            let mut piece = Piece {
                parts: parts.to_vec(),
                titles: [(thing, vec!["x".into()])].into(),
                ..Piece::file("a.md", Body::Source(text.clone()))
            };
            let mut file = File::of((0, 0), &mut piece, &Lines);
            file.show(0, Shown::Whole);
            file.show(2, Shown::Whole);
            file.lines(&lines).0
        };
        // Of 30 lines four are missing, of 20 a fifth is, and of 16 more than that.
        assert_eq!(shown(0..30), [Range { start: 0, end: 30 }]);
        assert_eq!(shown(0..20), [Range { start: 0, end: 30 }]);
        assert_eq!(shown(0..16), [0..10, 14..30]);
        assert_eq!(shown(0..90), [0..10, 14..30]);
    }

    #[test]
    fn a_file_of_source_of_which_nearly_all_is_shown_is_shown_whole() {
        // So long that a gap costs more than the remark on it.
        let text = format!("call({});\n", "x".repeat(40)).repeat(40);
        let shown = |path: &str, kept: Range<usize>, licence: Range<usize>| {
            shown_around(path, &text, &kept, licence)
        };
        let whole = |kept| shown("a.rs", kept, 0..0) == [Range { start: 0, end: 40 }];
        // With the two lines around them eight are missing, and then nine.
        assert!(whole(10..40));
        assert!(!whole(11..40));
        let one = |start, end| [Range { start, end }];
        assert_eq!(shown("a.rs", 14..40, 0..4), one(12, 40));
        assert_eq!(shown("a.rs", 13..39, 0..4), one(4, 40));
        // Of a document what is left out may be meant to be.
        assert_eq!(shown("a.md", 10..40, 0..0), one(10, 40));
        for document in ["CONTRIBUTING", "CHANGES.txt", "a.json"] {
            assert_eq!(shown(document, 10..40, 0..0), one(8, 40), "{document}");
        }
    }

    #[test]
    fn whatever_of_this_repository_is_shown_no_gap_divides_a_head() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut open = vec![root.join("src"), root.join("benches"), root.join("tests")];
        let mut seen = 0;
        while let Some(path) = open.pop() {
            if path.is_dir() {
                let inside = path.read_dir().unwrap();
                open.extend(inside.map(|entry| entry.unwrap().path()));
                continue;
            }
            let language = language(path.to_str().unwrap());
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            seen += 1;
            let related = related(language, &text);
            for step in 2..5 {
                let fault = fault(&related, |at| at % 7 % step == 0);
                assert_eq!(fault, None, "{} {step}", path.display());
            }
        }
        assert!(seen > 200);
    }

    #[test]
    fn a_gap_is_told_only_where_that_is_shorter() {
        let text = |line: &str| format!("{line}\n").repeat(20);
        let kept = |line: &str, gap: usize| {
            let text = text(line);
            let part = |lines: Range<usize>| Valued {
                lines,
                owners: Vec::new(),
                value: 0.5,
                signature: 0.0,
            };
            let mut piece = Piece {
                parts: vec![part(0..5), part(5..5 + 4 + gap), part(9 + gap..20)],
                ..Piece::file("a.md", Body::Source(text.clone()))
            };
            let lines: Vec<&str> = text.lines().collect();
            let mut file = File::of((0, 0), &mut piece, &Lines);
            file.show(0, Shown::Whole);
            file.show(2, Shown::Whole);
            file.lines(&lines).0.len()
        };
        assert_eq!([kept("}", 0), kept("}", 8)], [1, 1]);
        assert_eq!(kept("    let some = of_other(lines);", 0), 2);
    }

    proptest! {
        /// Holds whatever the text, its language, and which parts are shown.
        #[test]
        fn no_gap_divides_a_head_and_no_licence_is_shown(
            text in "(// Copyright 2020 A\n){0,2}([a-z]{1,4}|class A|fn a\\(\n|fn a\\(\\)|def b\\(\\):\n  |\\{|\\}|\n|\n    |\n// |\n# |@a\n|\\)){0,120}",
            language in prop::sample::select(vec!["rust", "python", "cpp", "javascript", "go", "java", "ruby", "php", "csharp", "kotlin", "tsx", ""]),
            chosen: u64,
        ) {
            prop_assert_eq!(fault(&related(language, &text), |at| chosen >> (at % 64) & 1 == 1), None);
        }
    }
}
