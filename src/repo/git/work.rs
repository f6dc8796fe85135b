//! How much work comparing may be: a pack of a kilobyte may hold objects that are made of
//! thousands of others, each of which is read anew.

use std::time::Duration;

use git2::{Delta, Diff, DiffDelta, Odb, Oid, Repository};

/// The most bytes that the objects of a comparison have together, both sides of every file.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The most time of the processor that reading and comparing them takes. It is looked at
/// between objects, so the last one may take longer.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The account of one comparison.
pub(super) struct Work<'a> {
    odb: Option<Odb<'a>>,
    bytes: u64,
    begun: Duration,
}

impl<'a> Work<'a> {
    pub(super) fn begin(repository: &'a Repository) -> Work<'a> {
        Work {
            odb: repository.odb().ok(),
            bytes: MAX_BYTES,
            begun: spent(),
        }
    }

    /// Charges both sides of a file.
    ///
    /// # Errors
    ///
    /// Says why they are not to be read, as do all that follow.
    pub(super) fn charge(&mut self, delta: &DiffDelta<'_>) -> Result<(), String> {
        for side in [delta.old_file(), delta.new_file()] {
            self.charge_object(side.id())?;
        }
        Ok(())
    }

    /// Whether renames may be looked for: then all files are read that came or went.
    pub(super) fn allows_renames(&mut self, diff: &Diff<'_>) -> bool {
        let of = |kind| diff.deltas().filter(move |delta| delta.status() == kind);
        if of(Delta::Added).next().is_none() || of(Delta::Deleted).next().is_none() {
            return true;
        }
        let came = of(Delta::Added).map(|delta| delta.new_file().id());
        let went = of(Delta::Deleted).map(|delta| delta.old_file().id());
        // What makes an object expensive is seen only by reading it.
        came.chain(went).all(|id| {
            let is_cheap = self.charge_object(id).is_ok();
            let read = || self.odb.as_ref().map(|odb| odb.read(id));
            is_cheap && read().is_some()
        })
    }

    fn charge_object(&mut self, id: Oid) -> Result<(), String> {
        // What has no size cannot be read either.
        let header = self.odb.as_ref().and_then(|odb| odb.read_header(id).ok());
        let size = header.map_or(0, |(size, _)| size as u64);
        self.bytes = match self.bytes.checked_sub(size) {
            Some(left) if spent().saturating_sub(self.begun) <= MAX_TIME => left,
            _ => 0,
        };
        if self.bytes == 0 {
            return Err("what changed is too much to compare".into());
        }
        Ok(())
    }
}

/// The time of the processor that this thread has taken.
#[cfg(unix)]
fn spent() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// Where no system tells it, that of the clock on the wall.
#[cfg(not(unix))]
fn spent() -> Duration {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of that many files with this content.
    fn tree(repository: &Repository, files: usize, content: &[u8]) -> Oid {
        let blob = repository.blob(content).unwrap();
        let mut tree = repository.treebuilder(None).unwrap();
        for number in 0..files {
            tree.insert(format!("f{number:03}"), blob, 0o100_644)
                .unwrap();
        }
        tree.write().unwrap()
    }

    #[test]
    fn objects_are_charged_until_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let large = vec![b'a'; 16 * 1024 * 1024];
        let old = tree(&repository, 20, &large[1..]);
        let new = tree(&repository, 20, &large);
        let [old, new] = [old, new].map(|id| repository.find_tree(id).unwrap());
        let diff = repository
            .diff_tree_to_tree(Some(&old), Some(&new), None)
            .unwrap();
        let mut work = Work::begin(&repository);
        assert!(work.allows_renames(&diff), "nothing came or went");
        let charged: Vec<bool> = diff.deltas().map(|d| work.charge(&d).is_ok()).collect();
        // Eight pairs of 16 MiB are 256 MiB but for a few bytes, and what is left is too little.
        assert!(charged[..8].iter().all(|fits| *fits), "{charged:?}");
        assert!(!charged[8..].iter().any(|fits| *fits), "{charged:?}");
    }

    #[test]
    fn renames_are_not_looked_for_among_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let large = vec![b'a'; 16 * 1024 * 1024];
        let [old, new] = [(30, "f"), (30, "g")].map(|(files, prefix)| {
            let blob = repository
                .blob(&[prefix.as_bytes(), &large].concat())
                .unwrap();
            let mut tree = repository.treebuilder(None).unwrap();
            for number in 0..files {
                let name = format!("{prefix}{number}");
                tree.insert(name, blob, 0o100_644).unwrap();
            }
            repository.find_tree(tree.write().unwrap()).unwrap()
        });
        let diff = repository
            .diff_tree_to_tree(Some(&old), Some(&new), None)
            .unwrap();
        assert!(!Work::begin(&repository).allows_renames(&diff));
    }
}
