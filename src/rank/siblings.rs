//! Finds parts of neighbouring files that say the same except for a few names: to know one of them
//! is to know how the others are made.

use std::collections::{HashMap, HashSet};

use super::copies::{LEAST_LINES, MOST_COMPARED, Place};
use crate::index::parts::ReadPart;
use crate::split;
use crate::syntax::parts::Role;

/// The share of its worth that a part of source keeps if a better one shows how it is made. It is
/// more than for a copy: a change to one of several parts that are made alike may change all.
pub(super) const OF_SIBLING: f64 = 0.25;

/// Two parts have at least this share of each one's names in common…
const SHARED: f64 = 0.65;

/// …and with the names that stand for each other, at least this.
const ALIKE: f64 = 0.85;

/// The most names that stand for others.
const MOST_RENAMED: usize = 6;

/// Returns those of these parts for which a better one in another file of the folder stands.
pub(super) fn siblings<'a>(places: impl Iterator<Item = Place<'a>>) -> HashSet<(usize, usize)> {
    let mut found = HashSet::new();
    for mut places in by_folder(places).into_values() {
        places.sort_by(Place::better_first);
        let mut originals: Vec<&Place<'_>> = Vec::new();
        for place in &places {
            let is_made_alike =
                |other: &&Place<'_>| other.file != place.file && are_alike(other.read, place.read);
            if originals.iter().any(is_made_alike) {
                found.insert((place.file, place.part));
            } else if originals.len() < MOST_COMPARED {
                originals.push(place);
            }
        }
    }
    found
}

/// Groups the parts to compare, for each folder by what they are.
fn by_folder<'a>(
    places: impl Iterator<Item = Place<'a>>,
) -> HashMap<(&'a str, u8), Vec<Place<'a>>> {
    let mut found: HashMap<_, Vec<_>> = HashMap::new();
    for place in places {
        let part = &place.read.part;
        if part.lines.len() < LEAST_LINES || part.role == Role::Licence {
            continue;
        }
        let key = (split::folder(place.path), part.role as u8);
        found.entry(key).or_default().push(place);
    }
    found
}

/// Whether two parts have the same names equally often, except for a few that stand for each other.
fn are_alike(one: &ReadPart, other: &ReadPart) -> bool {
    let (lines, others) = (one.part.lines.len(), other.part.lines.len());
    if lines.abs_diff(others) * 5 > lines.max(others) || one.part.role != other.part.role {
        return false;
    }
    let mut both = 0;
    let (mut own, mut its) = (Vec::new(), Vec::new());
    let mut rest = other.uses.iter().copied().peekable();
    for (name, count) in &one.uses {
        // Nothing more is read of what has nothing in common.
        if own.len().max(its.len()) > MOST_RENAMED {
            return false;
        }
        while let Some((_, count)) = rest.next_if(|(other, _)| other < name) {
            its.push(count);
        }
        match rest.next_if(|(other, _)| other == name) {
            Some((_, other)) => both += u32::from(other.min(*count)),
            None => own.push(*count),
        }
    }
    its.extend(rest.map(|(_, count)| count));
    if own.len().max(its.len()) > MOST_RENAMED {
        return false;
    }
    let all = total(one).max(total(other));
    let share = |count: u32| f64::from(count) / f64::from(all.max(1));
    share(both) >= SHARED && share(both + renamed(own, its)) >= ALIKE
}

/// Returns how many names a part has.
fn total(part: &ReadPart) -> u32 {
    part.uses.iter().map(|(_, count)| u32::from(*count)).sum()
}

/// Returns how often names stand for others, the most frequent for the most frequent.
fn renamed(mut one: Vec<u16>, mut other: Vec<u16>) -> u32 {
    one.sort_unstable_by(|a, b| b.cmp(a));
    other.sort_unstable_by(|a, b| b.cmp(a));
    let pairs = one.into_iter().zip(other);
    pairs.map(|(one, other)| u32::from(one.min(other))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parts::Part;

    fn read(lines: usize, uses: &[(u32, u16)]) -> ReadPart {
        let mut read = ReadPart::of_lines(0..lines);
        read.part = Part {
            role: Role::Type,
            ..read.part
        };
        read.uses = uses.to_vec();
        read
    }

    /// Returns which of these parts, each with its file, have others that stand for them.
    fn found(all: &[(&str, &ReadPart)]) -> Vec<usize> {
        let places = all.iter().enumerate().map(|(at, (path, read))| Place {
            file: at,
            path,
            part: 0,
            read,
            worth: 1.0 / (at + 1) as f64,
        });
        let found = siblings(places).into_iter();
        let mut found: Vec<usize> = found.map(|(file, _)| file).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn of_parts_that_differ_by_a_few_names_the_best_stands_for_all() {
        let hour = read(12, &[(1, 4), (2, 1), (3, 2), (4, 3), (8, 3), (9, 2)]);
        let day = read(12, &[(1, 4), (2, 1), (3, 2), (4, 3), (6, 2), (7, 3)]);
        let other = read(12, &[(1, 4), (5, 4), (8, 3), (9, 2), (10, 2)]);
        let all = [
            ("time/Hour.java", &hour),
            ("time/Day.java", &day),
            ("time/Other.java", &other),
            // In another folder, or much shorter.
            ("date/Day.java", &day),
            ("time/Short.java", &read(7, &day.uses)),
        ];
        assert_eq!(found(&all), [1]);
    }

    #[test]
    fn parts_with_many_names_of_their_own_are_not_alike() {
        let own = |first: u32| {
            let own = (first..first + 7).map(|name| (name, 1));
            let uses: Vec<(u32, u16)> = [(1, 9), (2, 9)].into_iter().chain(own).collect();
            read(12, &uses)
        };
        let (one, other) = (own(3), own(13));
        let often = read(12, &[(1, 9), (2, 9), (20, 9)]);
        let seldom = read(12, &[(1, 9), (2, 9), (21, 2)]);
        assert!(!are_alike(&one, &other) && !are_alike(&often, &seldom));
        assert!(are_alike(&one, &one));
    }
}
