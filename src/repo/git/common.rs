//! Where two branches parted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use git2::Oid;

use super::objects::{Commit, Fault, Objects};

/// The most commits that are looked at, each parent of one counting as well.
const MAX_COMMITS: usize = 300_000;

/// From which of the two a commit can be reached, and whether something common leads to it.
const ONE: u8 = 1;
const OTHER: u8 = 2;
const BEHIND: u8 = 4;

/// The newest commit that two others have in common and that nothing else common leads to;
/// `None` if there is none.
///
/// Both are followed back together, the newest commit first, until something common leads to
/// all that is left to follow.
pub(super) fn ancestor(
    objects: &Objects,
    one: &Commit,
    other: &Commit,
) -> Result<Option<Commit>, Fault> {
    let mut following = Following::default();
    following.reach(one.id, one.time, ONE);
    following.reach(other.id, other.time, OTHER);
    let mut found: Vec<(i64, Oid)> = Vec::new();
    let mut left = MAX_COMMITS;
    loop {
        let is_best = |(_, id): &&(i64, Oid)| following.reached[id].from & BEHIND == 0;
        // With one left it is known; of several, one may lead to the others.
        let is_told = following.open == 0 && found.iter().filter(is_best).count() < 2;
        if is_told || following.waiting.is_empty() {
            let best = found.iter().filter(is_best).max_by_key(|(time, _)| *time);
            return best.map(|(_, id)| objects.commit(*id)).transpose();
        }
        let Some((id, mut from)) = following.next() else {
            continue;
        };
        let commit = objects.commit(id)?;
        left = left
            .checked_sub(1 + commit.parents.len())
            .ok_or(Fault::TooMuch)?;
        if from == ONE | OTHER {
            found.push((commit.time, id));
            from |= BEHIND;
        }
        for parent in &commit.parents {
            if following.knows(*parent, from) {
                continue;
            }
            match objects.commit(*parent) {
                Ok(parent) => following.reach(parent.id, parent.time, from),
                // Where a shallow clone ends.
                Err(Fault::Missing) => {}
                Err(fault) => return Err(fault),
            }
        }
    }
}

/// Follows two commits back.
#[derive(Default)]
struct Following {
    reached: HashMap<Oid, Reached>,
    waiting: BTreeMap<(i64, Reverse<usize>), Oid>,
    /// How many ever waited.
    count: usize,
    /// How many wait that nothing common leads to.
    open: usize,
}

#[derive(Default)]
struct Reached {
    from: u8,
    waits: bool,
}

impl Reached {
    fn is_open(&self) -> bool {
        self.waits && self.from & BEHIND == 0
    }
}

impl Following {
    /// Whether it is known that a commit is reached from these.
    fn knows(&self, id: Oid, from: u8) -> bool {
        let known = self.reached.get(&id);
        known.is_some_and(|known| known.from | from == known.from)
    }

    /// A commit is reached from these.
    fn reach(&mut self, id: Oid, time: i64, from: u8) {
        let known = self.reached.entry(id).or_default();
        if known.from | from == known.from {
            return;
        }
        self.open -= usize::from(known.is_open());
        known.from |= from;
        if !known.waits {
            known.waits = true;
            self.count += 1;
            self.waiting.insert((time, Reverse(self.count)), id);
        }
        self.open += usize::from(known.is_open());
    }

    /// The newest that waits, and from which it is reached.
    fn next(&mut self) -> Option<(Oid, u8)> {
        let (_, id) = self.waiting.pop_last()?;
        let known = self.reached.entry(id).or_default();
        self.open -= usize::from(known.is_open());
        known.waits = false;
        Some((id, known.from))
    }
}
