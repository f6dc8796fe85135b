//! What was found: for each term that is searched for, the files that have it. Lists stay as
//! compact as they are kept, because a word of the task may be in most files.

use super::asked::Asked;
use super::segment::{Segment, postings, put_list};
use super::terms::{Terms, Times};

/// A file that no longer exists, or has changed since.
pub const GONE: u32 = u32::MAX;

/// What was found in some files.
#[derive(Default)]
pub struct Lists {
    /// Which of all files each number means; [`GONE`] for none.
    files: Vec<u32>,
    bytes: Vec<u8>,
    /// The index of a term among those that are asked for, and where its list ends.
    ends: Vec<(u32, usize)>,
}

impl Lists {
    /// Returns what is found in a segment whose files have these indices.
    pub fn of_segment(asked: &Asked, segment: &Segment<'_>, files: Vec<u32>) -> Lists {
        let mut lists = Lists {
            files,
            ..Lists::default()
        };
        for (at, (term, _)) in (0..).zip(&asked.all) {
            let list = segment.find(*term);
            if !list.is_empty() {
                lists.bytes.extend_from_slice(list);
                lists.ends.push((at, lists.bytes.len()));
            }
        }
        lists
    }

    /// Returns what is found in files with these terms, given by their indices.
    pub fn of_files<'a>(asked: &Asked, files: impl IntoIterator<Item = (u32, &'a Terms)>) -> Lists {
        let mut lists = Lists::default();
        let mut found: Vec<(u32, (u32, u32))> = Vec::new();
        for (number, (file, terms)) in (0..).zip(files) {
            lists.files.push(file);
            let asked = terms
                .iter()
                .filter_map(|(term, times)| Some((asked.place(*term)?, times)));
            found.extend(asked.map(|(at, times)| (at, (number, times.packed()))));
        }
        found.sort_unstable();
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            put_list(same.iter().map(|(_, file)| file), &mut lists.bytes);
            lists.ends.push((same[0].0, lists.bytes.len()));
        }
        lists
    }

    fn list(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.bytes[start..self.ends[at].1]
    }
}

/// What was found in all files.
pub struct Hits {
    all: Vec<Lists>,
    /// For each term, the lists that have it: which one, and which of its lists.
    of_terms: Vec<Vec<(u32, u32)>>,
}

impl Hits {
    /// Combines all of these.
    pub fn new(asked: &Asked, all: Vec<Lists>) -> Hits {
        let mut of_terms = vec![Vec::new(); asked.all.len()];
        for (here, lists) in (0..).zip(&all) {
            for (at, (term, _)) in (0..).zip(&lists.ends) {
                of_terms[*term as usize].push((here, at));
            }
        }
        Hits { all, of_terms }
    }

    /// Passes on the files that have the term at this index, each once.
    pub fn each(&self, term: usize, mut take: impl FnMut(usize, Times)) {
        for (here, at) in &self.of_terms[term] {
            let lists = &self.all[*here as usize];
            for (number, times) in postings(lists.list(*at as usize)) {
                match lists.files.get(number as usize) {
                    Some(file) if *file != GONE => take(*file as usize, times),
                    _ => {}
                }
            }
        }
    }
}
