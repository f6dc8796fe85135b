//! Finds parts of several files that say the same: to know one of them is to know the others.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::index::parts::ReadPart;
use crate::index::reading::Counts;
use crate::split;
use crate::syntax::parts::Role;

/// The share of its worth that a part of source keeps if a better one says the same.
pub(super) const OF_COPY: f64 = 0.1;

/// Shorter parts are easily the same, and cost little.
pub(super) const LEAST_LINES: usize = 6;

/// Two parts say the same if they have at least this share of their names in common.
const ALIKE: f64 = 0.75;

/// The most parts of the same name that each is compared with: every test file has a `setUp`.
pub(super) const MOST_COMPARED: usize = 40;

/// A part of a file by their indices, with what it is worth.
pub(super) struct Place<'a> {
    pub(super) file: usize,
    /// The path of its file.
    pub(super) path: &'a str,
    pub(super) part: usize,
    pub(super) read: &'a ReadPart,
    pub(super) worth: f64,
}

impl Place<'_> {
    /// Orders more valuable parts before less valuable ones.
    pub(super) fn better_first(&self, other: &Self) -> Ordering {
        let better = other.worth.total_cmp(&self.worth);
        better.then((self.file, self.part).cmp(&(other.file, other.part)))
    }
}

/// The name under which parts are compared: their own, or that of their file if they have none.
#[derive(PartialEq, Eq, Hash)]
enum Called<'a> {
    Itself(&'a str),
    AsFile(&'a str),
}

/// Returns those of these parts for which a better part of the same name in another file says the
/// same.
pub(super) fn copies<'a>(places: impl Iterator<Item = Place<'a>>) -> HashSet<(usize, usize)> {
    let mut by_name: HashMap<Called<'_>, Vec<Place<'_>>> = HashMap::new();
    for place in places {
        if let Some(called) = called(&place) {
            by_name.entry(called).or_default().push(place);
        }
    }
    let mut found = HashSet::new();
    for mut places in by_name.into_values() {
        places.sort_by(Place::better_first);
        let mut originals: Vec<&Place<'_>> = Vec::new();
        for place in &places {
            let says_the_same =
                |other: &&Place<'_>| other.file != place.file && are_alike(other.read, place.read);
            if originals.iter().any(says_the_same) {
                found.insert((place.file, place.part));
            } else if originals.len() < MOST_COMPARED {
                originals.push(place);
            }
        }
    }
    found
}

/// Returns the name under which a part is compared with others, if it is. A page of an example
/// declares nothing, and often exists in several folders.
fn called<'a>(place: &Place<'a>) -> Option<Called<'a>> {
    let part = &place.read.part;
    if part.lines.len() < LEAST_LINES {
        return None;
    }
    match part.role {
        Role::Head | Role::Loose if part.names.is_empty() => {
            Some(Called::AsFile(split::name(place.path)))
        }
        Role::Head | Role::Loose | Role::Licence => None,
        _ => part.names.last().map(|name| Called::Itself(name)),
    }
}

/// Whether two parts have nearly the same names, nearly as often.
fn are_alike(one: &ReadPart, other: &ReadPart) -> bool {
    let (both, all) = in_common(&one.uses, &other.uses);
    all > 0 && f64::from(both) >= ALIKE * f64::from(all)
}

/// Returns how often the names of two lists, sorted by number, are in both, and in either.
fn in_common(one: &Counts, other: &Counts) -> (u32, u32) {
    let (mut both, mut all) = (0, 0);
    let mut others = other.iter().peekable();
    for (name, count) in one {
        while let Some((_, count)) = others.next_if(|(other, _)| other < name) {
            all += u32::from(*count);
        }
        match others.next_if(|(other, _)| other == name) {
            Some((_, other)) => {
                both += u32::from(*count.min(other));
                all += u32::from(*count.max(other));
            }
            None => all += u32::from(*count),
        }
    }
    all += others.map(|(_, count)| u32::from(*count)).sum::<u32>();
    (both, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parts::Part;

    fn read(name: &str, lines: usize, uses: &[(u32, u16)]) -> ReadPart {
        let mut read = ReadPart::of_lines(0..lines);
        read.part = Part {
            role: Role::Function,
            names: vec![name.to_owned()],
            ..read.part
        };
        read.uses = uses.to_vec();
        read
    }

    #[test]
    fn of_parts_that_say_the_same_all_but_the_best_are_copies() {
        let long: &[(u32, u16)] = &[(1, 2), (4, 1), (7, 3), (9, 2)];
        let nearly: &[(u32, u16)] = &[(1, 2), (4, 1), (7, 3), (8, 1), (9, 1)];
        let other: &[(u32, u16)] = &[(1, 2), (5, 6)];
        let all = [
            (0, read("recv", 20, long), 0.1),
            (1, read("recv", 20, long), 0.3),
            (2, read("recv", 21, nearly), 0.2),
            // What says something else, is short, is called otherwise or stands in the same file.
            (3, read("recv", 20, other), 0.1),
            (4, read("recv", 5, long), 0.1),
            (5, read("send", 20, long), 0.1),
            (1, read("recv", 20, long), 0.1),
        ];
        let places = all
            .iter()
            .enumerate()
            .map(|(part, (file, read, worth))| Place {
                file: *file,
                path: "a.rs",
                part,
                read,
                worth: *worth,
            });
        let mut found: Vec<usize> = copies(places).into_iter().map(|(_, part)| part).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 2]);
    }

    #[test]
    fn what_has_no_name_is_compared_in_files_of_one_name() {
        let mut page = read("", 20, &[(1, 2), (4, 1), (7, 3)]);
        page.part.role = Role::Head;
        page.part.names.clear();
        let files = ["a/App.svelte", "b/App.svelte", "a/Page.svelte"];
        let places = files.iter().enumerate().map(|(file, path)| Place {
            file,
            path,
            part: 0,
            read: &page,
            worth: 0.1,
        });
        assert_eq!(copies(places), HashSet::from([(1, 0)]));
    }

    #[test]
    fn names_are_counted_that_both_lists_have_and_any() {
        assert_eq!(
            in_common(&vec![(1, 2), (3, 1)], &vec![(1, 1), (2, 4)]),
            (1, 7)
        );
        assert_eq!(in_common(&vec![], &vec![(2, 4)]), (0, 4));
    }
}
