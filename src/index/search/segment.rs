//! A part of the inverted index: for some files, which of them have each term.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::super::reading::Exports;
use super::super::searched::{shown_in, written};
use super::terms::{Term, Terms, Times};
use crate::truncate::last_that;

/// A file of a segment: its path, its state, how many names it has, and the mark of what it
/// exports.
pub type Row<'a> = (&'a str, u64, u32, u64);

/// A segment as it is kept, read in place.
pub struct Segment<'a> {
    /// The files, by their numbers.
    pub files: Vec<Row<'a>>,
    /// All terms in order, of eight bytes each.
    terms: &'a [u8],
    /// Where the list of each ends, in four bytes.
    ends: &'a [u8],
    /// For each term the files that have it, each by its distance from the one before, and with how
    /// often.
    lists: &'a [u8],
    /// What files export, as [`shown_in`] reads it.
    pub exports: &'a [u8],
}

impl<'a> Segment<'a> {
    /// Reads what [`Builder::finish`] wrote; `None` if it is something else.
    pub fn of(bytes: &'a [u8]) -> Option<Segment<'a>> {
        let (files, terms, ends, lists, exports) = postcard::from_bytes(bytes).ok()?;
        let segment = Segment {
            files,
            terms,
            ends,
            lists,
            exports,
        };
        (segment.terms.len() / 8 == segment.ends.len() / 4).then_some(segment)
    }

    fn len(&self) -> usize {
        self.terms.len() / 8
    }

    fn term(&self, at: usize) -> Term {
        let bytes = self.terms.get(8 * at..8 * at + 8);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(Term::MAX, Term::from_le_bytes)
    }

    fn end(&self, at: usize) -> usize {
        let bytes = self.ends.get(4 * at..4 * at + 4);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes) as usize
    }

    /// Returns the list at an index.
    fn list(&self, at: usize) -> &'a [u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.end(before));
        self.lists.get(start..self.end(at)).unwrap_or_default()
    }

    /// Returns the list of a term; empty if no file has it. [`postings`] reads it.
    pub fn find(&self, term: Term) -> &'a [u8] {
        let at = last_that(0, self.len(), |terms| self.term(terms - 1) < term);
        if at < self.len() && self.term(at) == term {
            return self.list(at);
        }
        &[]
    }
}

/// Returns the files of a list, in order, each with how often it has the term.
pub fn postings(list: &[u8]) -> Postings<'_> {
    Postings {
        rest: list,
        next: 0,
    }
}

/// See [`postings`].
pub struct Postings<'a> {
    rest: &'a [u8],
    /// The number after that of the last file.
    next: u32,
}

impl Iterator for Postings<'_> {
    type Item = (u32, Times);

    #[inline]
    fn next(&mut self) -> Option<(u32, Times)> {
        let step = number(&mut self.rest)?;
        let times = number(&mut self.rest)?;
        self.next = self.next.wrapping_add(step);
        // The first file is one step away from none.
        Some((self.next.wrapping_sub(1), Times::unpacked(times)))
    }
}

/// Takes a number from the beginning: seven bits a byte, the lowest first.
#[inline]
fn number(bytes: &mut &[u8]) -> Option<u32> {
    // Most have one byte.
    if let [byte @ ..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u32::from(*byte));
    }
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends a number, as [`number`] takes it.
fn put(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Appends a list, as [`postings`] reads it: files in order, each with its [`Times`].
pub fn put_list<'a>(files: impl IntoIterator<Item = &'a (u32, u32)>, bytes: &mut Vec<u8>) {
    let mut before = 0;
    for (file, times) in files {
        put(file + 1 - before, bytes);
        put(*times, bytes);
        before = file + 1;
    }
}

/// Makes a segment.
#[derive(Default)]
pub struct Builder<'a> {
    files: Vec<Row<'a>>,
    /// The number of each term, in the order in which they came.
    numbers: HashMap<Term, u32, RandomState>,
    /// Term, file, times; for each term in the order of the files.
    cells: Vec<(u32, u32, u32)>,
    exports: Vec<(u32, Exports)>,
}

impl<'a> Builder<'a> {
    /// Adds a file.
    pub fn add(&mut self, path: &'a str, state: u64, terms: &Terms, exports: &Exports) {
        let file = self.file((path, state, terms.length, exports.mark()));
        self.shows(file, exports.clone());
        for (term, times) in terms.iter() {
            self.cell(*term, file, *times);
        }
    }

    /// Adds those files of another segment for which `stays` holds. This must come before all other
    /// files.
    pub fn add_all(&mut self, other: &Segment<'a>, stays: impl Fn(u32) -> bool) {
        let mut places = vec![None; other.files.len()];
        for (at, row) in (0..).zip(&other.files) {
            if stays(at) {
                places[at as usize] = Some(self.file(*row));
            }
        }
        for (file, shown) in shown_in(other.exports) {
            if let Some(Some(file)) = places.get(file as usize) {
                self.shows(*file, shown);
            }
        }
        for at in 0..other.len() {
            for (file, times) in postings(other.list(at)) {
                if let Some(Some(file)) = places.get(file as usize) {
                    self.cell(other.term(at), *file, times);
                }
            }
        }
    }

    fn file(&mut self, row: Row<'a>) -> u32 {
        self.files.push(row);
        u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
    }

    fn shows(&mut self, file: u32, exports: Exports) {
        if exports.mark() != 0 {
            self.exports.push((file, exports));
        }
    }

    fn cell(&mut self, term: Term, file: u32, times: Times) {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry(term).or_insert(next);
        self.cells.push((number, file, times.packed()));
    }

    /// Returns the segment as bytes; `None` if it would be too large for its own numbers.
    pub fn finish(self) -> Option<Vec<u8>> {
        let cells = by_term(&self.cells, self.numbers.len());
        let mut order: Vec<(Term, u32)> = self.numbers.into_iter().collect();
        order.sort_unstable();
        let mut terms = Vec::with_capacity(8 * order.len());
        let mut ends = Vec::with_capacity(4 * order.len());
        let mut lists = Vec::with_capacity(2 * self.cells.len());
        for (term, number) in order {
            terms.extend(term.to_le_bytes());
            put_list(cells.of(number), &mut lists);
            ends.extend(u32::try_from(lists.len()).ok()?.to_le_bytes());
        }
        let parts = (
            &self.files,
            &terms[..],
            &ends[..],
            &lists[..],
            &written(&self.exports)?[..],
        );
        postcard::to_allocvec(&parts).ok()
    }
}

/// Cells without their terms, those of each term together.
struct Cells {
    all: Vec<(u32, u32)>,
    /// Where those of each term begin; one more than there are terms.
    starts: Vec<usize>,
}

impl Cells {
    fn of(&self, term: u32) -> &[(u32, u32)] {
        let at = term as usize;
        &self.all[self.starts[at]..self.starts[at + 1]]
    }
}

fn by_term(cells: &[(u32, u32, u32)], terms: usize) -> Cells {
    let mut starts = vec![0; terms + 1];
    for (term, ..) in cells {
        starts[*term as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut all = vec![(0, 0); cells.len()];
    for (term, file, times) in cells {
        let place = &mut next[*term as usize];
        all[*place] = (*file, *times);
        *place += 1;
    }
    Cells { all, starts }
}

#[cfg(test)]
mod tests {
    use super::super::terms::{TermReader, of_name, of_word};
    use super::*;
    use crate::syntax::language;

    const TEXTS: [(&str, &str); 3] = [
        ("a.rs", "fn draw() { plot(plot) }"),
        ("b.rs", "draw(); fill();"),
        ("c.rs", "fn plot() {}"),
    ];

    fn built(texts: &[(&'static str, &str)]) -> Vec<u8> {
        let mut builder = Builder::default();
        let mut reader = TermReader::default();
        for (path, text) in texts {
            let shown = Exports::of(language(path), text);
            builder.add(path, 7, &reader.read(text), &shown);
        }
        builder.finish().unwrap()
    }

    fn found(segment: &Segment<'_>, term: Term) -> Vec<(String, u32, bool)> {
        let all = postings(segment.find(term));
        all.map(|(file, times)| {
            let path = segment.files[file as usize].0.to_owned();
            (path, times.count(), times.declares())
        })
        .collect()
    }

    #[test]
    fn of_each_term_it_is_known_which_files_have_it() {
        let bytes = built(&TEXTS);
        let segment = Segment::of(&bytes).unwrap();
        let has = |path: &str, count, declares| (path.to_owned(), count, declares);
        let draw = found(&segment, of_name("draw"));
        assert_eq!(draw, [has("a.rs", 1, true), has("b.rs", 1, false)]);
        let plot = found(&segment, of_word("plot"));
        assert_eq!(plot, [has("a.rs", 2, false), has("c.rs", 1, true)]);
        assert!(found(&segment, of_name("gone")).is_empty());
        assert_eq!(segment.files[1], ("b.rs", 7, 2, 0));
    }

    #[test]
    fn files_that_stay_are_taken_over_and_others_follow() {
        let bytes = built(&TEXTS);
        let old = Segment::of(&bytes).unwrap();
        let mut builder = Builder::default();
        builder.add_all(&old, |file| file != 0);
        let terms = TermReader::default().read(TEXTS[0].1);
        builder.add("a.rs", 8, &terms, &Exports::default());
        let new = builder.finish().unwrap();
        let new = Segment::of(&new).unwrap();
        for term in ["draw", "plot", "fill"].map(of_name) {
            let sorted = |segment| {
                let mut all = found(segment, term);
                all.sort();
                all
            };
            assert_eq!(sorted(&new), sorted(&old));
        }
        assert_eq!(new.files[2], ("a.rs", 8, old.files[0].2, 0));
    }

    #[test]
    fn what_files_show_stays_with_them() {
        let texts = [
            ("A.java", "package p.q; class A {}"),
            ("b.rs", "fn b() {}"),
            ("C.kt", "package r\nfun draw() {}"),
        ];
        let bytes = built(&texts);
        let old = Segment::of(&bytes).unwrap();
        let shown = |segment: &Segment<'_>| {
            let all = shown_in(segment.exports);
            all.map(|(file, shown)| {
                let (path, .., mark) = segment.files[file as usize];
                assert_eq!(shown.mark(), mark);
                (path.to_owned(), shown.package.unwrap(), shown.offers.len())
            })
            .collect::<Vec<_>>()
        };
        let of = |path: &str, package: &str, offers| (path.to_owned(), package.to_owned(), offers);
        let (java, kotlin) = (of("A.java", "p/q", 0), of("C.kt", "r", 1));
        assert_eq!(shown(&old), [java, kotlin.clone()]);
        let mut builder = Builder::default();
        builder.add_all(&old, |file| file != 0);
        let new = builder.finish().unwrap();
        assert_eq!(shown(&Segment::of(&new).unwrap()), [kotlin]);
    }

    #[test]
    fn what_is_no_segment_is_none_and_what_is_damaged_ends() {
        assert!(Segment::of(b"").is_none());
        assert!(Segment::of(b"something else").is_none());
        let whole = built(&TEXTS);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            if let Some(segment) = Segment::of(&bytes) {
                for term in ["draw", "plot"].map(of_name) {
                    assert!(postings(segment.find(term)).count() <= bytes.len());
                }
            }
        }
    }
}
