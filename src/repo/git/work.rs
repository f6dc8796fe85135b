//! How much work comparing may be: a pack of a kilobyte may hold objects that are made of thousands
//! of others, each of which is read again.

use std::time::Duration;

use git2::{
    Delta, Diff, DiffDelta, DiffFile, DiffFindOptions, Index, Mempack, ObjectType, Odb, Oid, Patch,
};

use super::attributes::Stars;
use super::listed::{File, entry};
use super::objects::{Fault, Objects};
use super::staging::Staging;
use super::{Git, MAX_DIFF_FILES, failed, words};
use crate::processor;

/// The most bytes of the objects of a comparison together, both sides of every file.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The most processor time for reading and comparing them. It is checked between objects, so the
/// last one may take longer.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The most files among which packer looks for files moved unchanged; git's own limit.
const MAX_MOVED: usize = 1000;

/// The most pairs of files that are checked for one having become the other with changes, and the
/// most bytes that they have together, which are in memory at once.
const MAX_PAIRS: usize = 250_000;
const MAX_COMPARED: u64 = 16 * 1024 * 1024;

/// The most bytes of all files with attributes.
const MAX_ATTRIBUTES: u64 = 1024 * 1024;

/// What libgit2 is lent: it finds only the objects that are put here.
pub(super) struct Lending {
    odb: Odb<'static>,
}

impl Lending {
    pub(super) fn new() -> Result<Lending, String> {
        let odb = Odb::new().map_err(|e| failed(&words(&e)))?;
        Ok(Lending { odb })
    }

    /// Makes a place for objects, which exists as long as this does. Objects are put into the place
    /// of the highest rank, and looked up in all.
    pub(super) fn place(&self, rank: i32) -> Result<Mempack<'_>, String> {
        self.odb
            .add_new_mempack_backend(rank)
            .map_err(|e| failed(&words(&e)))
    }

    /// Puts the text of a file there, and returns its git object name.
    pub(super) fn put(&self, content: &[u8]) -> Result<Oid, String> {
        let id = self.odb.write(ObjectType::Blob, content);
        id.map_err(|e| failed(&words(&e)))
    }
}

/// The account of one comparison.
pub(super) struct Work<'a> {
    objects: &'a Objects,
    lending: &'a Lending,
    lent: Mempack<'a>,
    /// The stars in the patterns of the files that say which others are binary.
    stars: Stars,
    bytes: u64,
    begun: Duration,
}

impl Git {
    /// Begins a comparison of what is lent.
    pub(super) fn begin<'a>(&'a self, lending: &'a Lending) -> Result<Work<'a>, String> {
        let set = self.repository.set_odb(&lending.odb);
        set.map_err(|e| failed(&words(&e)))?;
        lending.place(1)?;
        let stars = self.lend_attributes(lending)?;
        Ok(Work {
            stars,
            objects: &self.objects,
            lent: lending.place(2)?,
            lending,
            bytes: MAX_BYTES,
            begun: processor::time_of_thread(),
        })
    }

    /// Lends the files that say which others are binary: libgit2 looks for them in an index, which
    /// contains nothing else, and reads one of the git folder by itself.
    fn lend_attributes(&self, lending: &Lending) -> Result<Stars, String> {
        const NAME: &[u8] = b".gitattributes";
        let mut stars = Stars::of_git_folder(self.repository.commondir());
        let mut found = Index::new().map_err(|e| failed(&words(&e)))?;
        let is_it = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(NAME);
        let listed = self.staging().into_iter().flat_map(Staging::iter);
        let mut left = MAX_ATTRIBUTES;
        for (path, listed) in listed.filter(|(path, _)| is_it(path)) {
            // Without one that cannot be had a file is told by its content.
            if !listed.in_conflict()
                && let Ok(content) = self.objects.blob(listed.id, left)
            {
                left = left.saturating_sub(content.len() as u64);
                stars.add(&content);
                lending.put(&content)?;
                let _ = found.add(&entry(self, path, File::of(listed)));
            }
        }
        let set = self.repository.set_index(&mut found);
        set.map_err(|e| failed(&words(&e)))?;
        Ok(stars)
    }
}

impl Work<'_> {
    /// Finds out which files were moved.
    pub(super) fn find_renames(&mut self, diff: &mut Diff<'_>) -> Result<(), String> {
        let some = |kind| diff.deltas().any(|delta| delta.status() == kind);
        // Each pair would be compared, and nobody reads so many.
        let are_many = diff.deltas().len() > MAX_DIFF_FILES;
        if are_many || !some(Delta::Added) || !some(Delta::Deleted) {
            return Ok(());
        }
        let of = |kind| {
            let deltas = diff.deltas().filter(move |delta| delta.status() == kind);
            deltas.collect::<Vec<_>>()
        };
        let (came, went) = (of(Delta::Added), of(Delta::Deleted));
        let pairs = came.len() * went.len();
        let ids = came.iter().map(|delta| delta.new_file().id());
        let ids: Vec<Oid> = ids
            .chain(went.iter().map(|delta| delta.old_file().id()))
            .collect();
        let sizes = came.iter().map(|delta| delta.new_file().size());
        let sizes = sizes.chain(went.iter().map(|delta| delta.old_file().size()));
        let are_few = pairs <= MAX_PAIRS && sizes.sum::<u64>() <= MAX_COMPARED;
        drop((came, went));
        let mut similar = DiffFindOptions::new();
        // As git does: else an empty file is as like one of blanks as can be.
        similar
            .renames(true)
            .rename_limit(MAX_MOVED)
            .dont_ignore_whitespace(true);
        let mut ids = ids.into_iter();
        let are_few = are_few && diff.deltas().all(|delta| self.can_match(&delta));
        let is_lent = are_few && ids.all(|id| self.lend(id, MAX_COMPARED) == Ok(true));
        if is_lent {
            similar.rename_threshold(50);
        } else {
            similar.exact_match_only(true);
        }
        // Where it fails they are shown as what went and what came.
        let _ = diff.find_similar(Some(&mut similar));
        self.take_back()
    }

    /// Returns what changed in one file, unless too much work was done before it. For a file of
    /// more than `most` bytes, it only says that it changed.
    pub(super) fn patch_of<'b>(
        &mut self,
        diff: &Diff<'b>,
        index: usize,
        most: i64,
    ) -> Result<Option<Patch<'b>>, String> {
        if let Some(delta) = diff.get_delta(index) {
            if !self.can_match(&delta) {
                return Err(
                    "the patterns of git's attributes have too many wildcards for its path".into(),
                );
            }
            self.charge(0)?;
            self.lend_sides(&delta, u64::try_from(most).unwrap_or_default())?;
        }
        let patch = Patch::from_diff(diff, index).map_err(|e| words(&e));
        self.take_back()?;
        patch
    }

    fn lend_sides(&mut self, delta: &DiffDelta<'_>, most: u64) -> Result<(), String> {
        const SUBMODULE: u32 = 0o160_000;
        for side in [delta.old_file(), delta.new_file()] {
            let is_file = !side.id().is_zero() && u32::from(side.mode()) != SUBMODULE;
            if is_file && side.size() <= most {
                self.lend(side.id(), most)?;
            }
        }
        Ok(())
    }

    /// Lends an object; returns false if it is too large for that.
    ///
    /// # Errors
    ///
    /// Says why it should not be read.
    fn lend(&mut self, id: Oid, most: u64) -> Result<bool, String> {
        // What was changed on disk lies there already.
        if self.lending.odb.exists(id) {
            return Ok(true);
        }
        self.charge(self.objects.size(id).unwrap_or(0))?;
        let content = match self.objects.blob(id, most) {
            Ok(content) => content,
            // It is binary, or it is not there, which libgit2 says.
            Err(Fault::TooLarge(_)) => return Ok(false),
            Err(fault) => return Err(self.objects.why(&fault)),
        };
        self.lending.put(&content).map(|_| true)
    }

    /// Whether libgit2 can look up the attributes of both sides.
    fn can_match(&self, delta: &DiffDelta<'_>) -> bool {
        let sides = [delta.old_file(), delta.new_file()];
        let lengths = sides.iter().filter_map(DiffFile::path_bytes);
        self.stars
            .can_match(lengths.map(<[u8]>::len).max().unwrap_or(0))
    }

    /// Charges an object of this size, and checks the time.
    fn charge(&mut self, size: u64) -> Result<(), String> {
        self.bytes = match self.bytes.checked_sub(size) {
            Some(left) if processor::time_of_thread().saturating_sub(self.begun) <= MAX_TIME => {
                left
            }
            _ => 0,
        };
        if self.bytes == 0 {
            return Err("what changed is too much to compare".into());
        }
        Ok(())
    }

    /// Takes back what was lent.
    fn take_back(&mut self) -> Result<(), String> {
        self.lent.reset().map_err(|e| failed(&words(&e)))
    }
}

#[cfg(test)]
mod tests {
    use git2::Repository;

    use super::super::differing::Side;
    use super::super::options;
    use super::*;

    /// Makes a tree of that many files, each with this content.
    fn tree(repository: &Repository, prefix: &str, files: usize, content: &[u8]) -> Oid {
        let blob = repository.blob(content).unwrap();
        let mut tree = repository.treebuilder(None).unwrap();
        for number in 0..files {
            tree.insert(format!("{prefix}{number:03}"), blob, 0o100_644)
                .unwrap();
        }
        tree.write().unwrap()
    }

    #[test]
    fn objects_are_charged_until_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let large = vec![b'a'; 16 * 1024 * 1024];
        let old = tree(&repository, "f", 20, &large[1..]);
        let new = tree(&repository, "f", 20, &large);
        let git = Git::open(&folder.path().canonicalize().unwrap()).unwrap();
        let lending = Lending::new().unwrap();
        let mut work = git.begin(&lending).unwrap();
        let found = git.differing(Side::Tree(old), Side::Tree(new), &mut options());
        let diff = found.unwrap().diff;
        let charged = diff.deltas().map(|delta| {
            let sides = [delta.old_file().id(), delta.new_file().id()];
            // Time has an account of its own, which a busy machine may use up.
            work.begun = processor::time_of_thread();
            let fits = sides.into_iter().all(|id| work.lend(id, u64::MAX).is_ok());
            work.take_back().unwrap();
            fits
        });
        let charged: Vec<bool> = charged.collect();
        // Eight pairs of 16 MiB are 256 MiB but for a few bytes, and what is left is too little.
        assert!(charged[..8].iter().all(|fits| *fits), "{charged:?}");
        assert!(!charged[8..].iter().any(|fits| *fits), "{charged:?}");
    }

    /// Returns how many files are reported as moved between two trees.
    fn renamed(repository: &Repository, from: Oid, to: Oid) -> usize {
        let folder = repository.workdir().unwrap().canonicalize().unwrap();
        let git = Git::open(&folder).unwrap();
        let lending = Lending::new().unwrap();
        let mut work = git.begin(&lending).unwrap();
        let found = git.differing(Side::Tree(from), Side::Tree(to), &mut options());
        let mut diff = found.unwrap().diff;
        work.find_renames(&mut diff).unwrap();
        let renamed = diff.deltas().filter(|d| d.status() == Delta::Renamed);
        renamed.count()
    }

    #[test]
    fn files_are_not_alike_for_what_is_blank_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let renamed = |from: &str, to: &str| {
            let from = tree(&repository, "f", 1, from.as_bytes());
            renamed(&repository, from, tree(&repository, "g", 1, to.as_bytes()))
        };
        assert_eq!(renamed("\u{c}", ""), 0);
        let lines =
            |indent| (0..30).fold(String::new(), |text, n| format!("{text}{indent}line {n}\n"));
        assert_eq!(renamed(&lines(""), &lines("    ")), 0);
        assert_eq!(renamed(&lines(""), &(lines("") + "another\n")), 1);
    }

    #[test]
    fn among_too_much_only_what_was_moved_as_it_is_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let repository = Repository::init(folder.path()).unwrap();
        let renamed = |from, to| renamed(&repository, from, to);
        let text = "a line\n".repeat(200);
        let changed = format!("{text}another\n");
        let [old, new] = [("f", &text), ("g", &changed)];
        let tree = |(prefix, text): (&str, &String), files| {
            tree(&repository, prefix, files, text.as_bytes())
        };
        assert_eq!(renamed(tree(old, 3), tree(new, 3)), 3);
        assert_eq!(renamed(tree(old, 600), tree(new, 600)), 0);
        assert_eq!(renamed(tree(old, 600), tree(("g", &text), 600)), 600);
    }
}
