//! Where two branches parted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use git2::Oid;

use super::objects::{Commit, Fault, Objects};

/// The most commits that are looked at.
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
    following.reach(one.clone(), ONE);
    following.reach(other.clone(), OTHER);
    let mut found = Vec::new();
    for _ in 0..MAX_COMMITS {
        let Some((commit, mut from)) = following.next() else {
            let is_best = |commit: &Commit| following.reached[&commit.id].from & BEHIND == 0;
            return Ok(found.into_iter().find(is_best));
        };
        if from == ONE | OTHER {
            found.push(commit.clone());
            from |= BEHIND;
        }
        for parent in &commit.parents {
            match objects.commit(*parent) {
                Ok(parent) => following.reach(parent, from),
                // Where a shallow clone ends.
                Err(Fault::Missing) => {}
                Err(fault) => return Err(fault),
            }
        }
    }
    Err(Fault::TooMuch)
}

/// Follows two commits back.
#[derive(Default)]
struct Following {
    reached: HashMap<Oid, Reached>,
    waiting: BTreeMap<(i64, Reverse<usize>), Commit>,
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
    /// A commit is reached from these.
    fn reach(&mut self, commit: Commit, from: u8) {
        let known = self.reached.entry(commit.id).or_default();
        if known.from | from == known.from {
            return;
        }
        self.open -= usize::from(known.is_open());
        known.from |= from;
        if !known.waits {
            known.waits = true;
            self.count += 1;
            self.waiting
                .insert((commit.time, Reverse(self.count)), commit);
        }
        self.open += usize::from(known.is_open());
    }

    /// The newest that waits, and from which it is reached; `None` once something common leads
    /// to all of them.
    fn next(&mut self) -> Option<(Commit, u8)> {
        (self.open > 0).then_some(())?;
        let (_, commit) = self.waiting.pop_last()?;
        let known = self.reached.entry(commit.id).or_default();
        self.open -= usize::from(known.is_open());
        known.waits = false;
        Some((commit, known.from))
    }
}
