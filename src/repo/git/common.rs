//! Finds the merge base of two branches, and what is on one of them alone.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use git2::Oid;

use super::objects::{Commit, Fault, Objects};

/// The most commits that are looked at; each of a commit's parents counts too.
const MAX_COMMITS: usize = 300_000;

const TOO_MANY: Fault = Fault::Otherwise("there are too many commits since the merge base");

/// From which of the two a commit can be reached, and whether a common commit leads to it.
const ONE: u8 = 1;
const OTHER: u8 = 2;
const BEHIND: u8 = 4;

/// What two commits have in common.
pub(super) struct Common {
    /// The newest common commit to which no other one leads, if any.
    pub ancestor: Option<Commit>,
    /// The commits that lead to the other one alone, with itself.
    pub of_other: HashSet<Oid>,
}

/// Returns what two commits have in common.
///
/// Both are followed back together, the newest commit first, until a common commit leads to all
/// that is left to follow.
pub(super) fn common(objects: &Objects, one: &Commit, other: &Commit) -> Result<Common, Fault> {
    let mut following = Following::default();
    following.reach(one.id, one.time, ONE);
    following.reach(other.id, other.time, OTHER);
    let mut found: Vec<(i64, Oid)> = Vec::new();
    let mut left = MAX_COMMITS;
    let mut is_open = true;
    while let Some((id, mut from)) = following.next() {
        if is_open && following.is_behind() && from & BEHIND != 0 {
            // With one left it is known; of several, one may lead to the others.
            is_open = false;
            if found.iter().filter(|it| following.is_best(it)).count() < 2 {
                break;
            }
        }
        let commit = objects.commit(id)?;
        left = left.checked_sub(1 + commit.parents.len()).ok_or(TOO_MANY)?;
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
    let best = found.iter().filter(|it| following.is_best(it));
    let best = best.max_by_key(|(time, _)| *time);
    let ancestor = best.map(|(_, id)| objects.commit(*id)).transpose()?;
    Ok(Common {
        ancestor,
        of_other: following.of_other(),
    })
}

/// Follows two commits back.
#[derive(Default)]
struct Following {
    reached: HashMap<Oid, Reached>,
    waiting: BTreeMap<(i64, Reverse<usize>), Oid>,
    /// How many ever waited.
    count: usize,
    /// How many waiting ones no common commit leads to.
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
    /// Whether a common commit leads to all that wait.
    fn is_behind(&self) -> bool {
        self.open == 0
    }

    /// Whether no common commit leads to a commit.
    fn is_best(&self, (_, id): &(i64, Oid)) -> bool {
        self.reached[id].from & BEHIND == 0
    }

    fn of_other(&self) -> HashSet<Oid> {
        let reached = self.reached.iter();
        let of_other = reached.filter(|(_, reached)| reached.from == OTHER);
        of_other.map(|(id, _)| *id).collect()
    }

    /// Whether it is known that a commit is reached from these.
    fn knows(&self, id: Oid, from: u8) -> bool {
        let known = self.reached.get(&id);
        known.is_some_and(|known| known.from | from == known.from)
    }

    /// Records that a commit is reached from these.
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

    /// Returns the newest one that waits, and from which it is reached.
    fn next(&mut self) -> Option<(Oid, u8)> {
        let (_, id) = self.waiting.pop_last()?;
        let known = self.reached.entry(id).or_default();
        self.open -= usize::from(known.is_open());
        known.waits = false;
        Some((id, known.from))
    }
}

#[cfg(test)]
mod tests {
    use git2::{Repository, Signature, Time};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever the history and its clocks, the result is a commit that git accepts as one, and
        /// there is one if git knows one.
        #[test]
        fn an_ancestor_is_one_that_libgit2_knows(
            commits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8, 0..3_i64), 2..24),
            ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let repository = Repository::init(folder.path()).unwrap();
            let tree = repository.treebuilder(None).unwrap().write().unwrap();
            let tree = repository.find_tree(tree).unwrap();
            let mut ids: Vec<Oid> = Vec::new();
            for (number, (one, other, count, time)) in commits.iter().enumerate() {
                let who = Signature::new("a", "a@b", &Time::new(*time, 0)).unwrap();
                let mut parents = Vec::new();
                for parent in [one, other].into_iter().take(usize::from(*count).min(2)) {
                    if !ids.is_empty() && !parents.contains(parent.get(&ids)) {
                        parents.push(*parent.get(&ids));
                    }
                }
                let parents: Vec<git2::Commit<'_>> =
                    parents.iter().map(|id| repository.find_commit(*id).unwrap()).collect();
                let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
                let message = number.to_string();
                ids.push(repository.commit(None, &who, &who, &message, &tree, &parents).unwrap());
            }
            let (one, other) = (*ends.0.get(&ids), *ends.1.get(&ids));
            let theirs = repository.merge_bases(one, other);
            let theirs: Vec<Oid> = theirs.map(|all| all.iter().copied().collect()).unwrap_or_default();
            let objects = Objects::of(&folder.path().join(".git/objects"));
            let ours = common(&objects, &objects.commit(one).unwrap(), &objects.commit(other).unwrap());
            let Common { ancestor, of_other } = ours.unwrap();
            let mut alone = repository.revwalk().unwrap();
            alone.push(other).unwrap();
            alone.hide(one).unwrap();
            for id in alone {
                prop_assert!(of_other.contains(&id.unwrap()));
            }
            prop_assert!(!of_other.contains(&one));
            // Of clocks that go back, what is reached late counts for both all the same.
            if commits.iter().all(|(_, _, _, time)| *time == 0) {
                let mut of_one = repository.revwalk().unwrap();
                of_one.push(one).unwrap();
                prop_assert!(of_one.all(|id| !of_other.contains(&id.unwrap())));
            }
            match ancestor {
                Some(ours) => prop_assert!(theirs.contains(&ours.id)),
                None => prop_assert!(theirs.is_empty()),
            }
        }
    }
}
