//! What is known of a repository, as kept in the user's cache folder: an entry that is read and
//! written whole, and beside it, on a shelf, what each file says and how it was cut.

use super::corpus::{File, Slots};
use super::earlier::{ByPath, Earlier, KeptFile, shelve};
use super::links::KeptLinks;
use super::vocabulary::{KeptVocabulary, Vocabulary};
use crate::hash;
use crate::repo::{Adding, Cache, Past, Repo, RepoPath, Shelf, Slot};

/// The most files that are kept; those that were asked for longest ago go first.
pub const MAX_KEPT: usize = 30_000;

/// The most bytes of an entry. What files say and how they were cut is kept beside it.
const MAX_WRITTEN: usize = 10 * 1024 * 1024;

/// The most of these bytes that are not rows of files.
const MAX_REST: usize = 9 * 1024 * 1024;

/// A file as it is written, with its path.
type Row<'a> = (&'a str, KeptFile);

/// The mark of the history and what it changed, the vocabulary, the files and their links.
pub type Entry = (
    Option<String>,
    Past,
    KeptVocabulary,
    Vec<(String, KeptFile)>,
    Option<KeptLinks>,
);

/// Reads what an earlier run kept.
pub fn read(repo: &Repo) -> Option<Entry> {
    let (key, name) = key(repo);
    repo.cache()?.read(&name, &key)
}

/// Returns the place of what files say and how they were cut, if anything is kept on disk.
pub fn shelf(repo: &Repo) -> Option<Shelf> {
    let (_, name) = key(repo);
    Some(Shelf::of(repo.cache()?, &format!("{name}-pieces")))
}

/// Returns the files of an entry. A name that a folder has and no path may have is learned anew in
/// each run.
pub fn by_path(rows: Vec<(String, KeptFile)>) -> ByPath {
    let mut files = ByPath::default();
    files.reserve(rows.len());
    let rows = rows.into_iter().enumerate();
    files.extend(rows.filter_map(|(since, (path, kept))| {
        Some((RepoPath::parse(&path).ok()?, Earlier::Kept(kept, since)))
    }));
    files
}

/// What is known of a repository.
pub struct Known<'a> {
    /// The state of the history, and what its last commits changed.
    pub past: (Option<&'a str>, &'a Past),
    pub vocabulary: &'a Vocabulary,
    /// The files that were asked for now.
    pub asked: &'a mut [File],
    /// The files that are known from before.
    pub others: &'a mut ByPath,
    pub links: Option<&'a KeptLinks>,
}

/// Writes it to disk, if anything is kept there, and returns whether it did. It does not wait for
/// another run that is about to write.
///
/// # Errors
///
/// Says why it could not be written.
pub fn write(repo: &Repo, shelf: &mut Shelf, known: &mut Known<'_>) -> Result<bool, String> {
    let Some(cache) = repo.cache() else {
        return Ok(true);
    };
    let (key, name) = key(repo);
    let (mark, past) = known.past;
    let names = known.vocabulary.kept();
    let rest = Cache::size(&(mark, past, &names, known.links))?;
    let is_lost = shelf.lacks(known.slots());
    let used = if is_lost { 0 } else { known.used() };
    let is_stale = shelf.is_stale(used);
    if is_stale {
        shelf.clear()?;
    }
    if is_lost || is_stale {
        known.forget_slots();
    }
    // Where there are more names than have room, or most pieces are of no use any more, most
    // names are gone, and the next run begins anew. And where some found no number, others
    // might find none in another order.
    if known.vocabulary.is_full() || rest > MAX_REST || is_stale && used > 0 {
        let names = Vocabulary::default();
        let (rows, links): (&[Row<'_>], Option<&KeptLinks>) = (&[], None);
        cache.write(&name, &key, &(mark, past, names.kept(), rows, links))?;
        return Ok(true);
    }
    let Some(adding) = shelf.adding()? else {
        return Ok(false);
    };
    if let Err(why) = known.shelve(adding) {
        known.forget_slots();
        return Err(why);
    }
    let rows = rows(known, MAX_WRITTEN - rest)?;
    cache.write(&name, &key, &(mark, past, names, rows, known.links))?;
    Ok(true)
}

impl Known<'_> {
    /// Returns what is kept of each file.
    fn kept(&self) -> impl Iterator<Item = KeptFile> {
        let asked = self.asked.iter().filter_map(KeptFile::of);
        let others = self.others.values().filter_map(Earlier::kept);
        asked.chain(others.map(|(_, kept)| kept))
    }

    fn slots(&self) -> impl Iterator<Item = Slot> {
        self.kept().flat_map(KeptFile::slots)
    }

    /// Returns how many bytes on the shelf are in use.
    fn used(&self) -> u64 {
        self.slots().map(|slot| slot.bytes()).sum()
    }

    /// Returns the files that this run has read.
    fn files(&mut self) -> impl Iterator<Item = &mut File> {
        let others = self.others.values_mut().filter_map(Earlier::file);
        self.asked.iter_mut().chain(others)
    }

    /// Puts on the shelf what is known of files and is not there.
    fn shelve(&mut self, mut adding: Adding) -> Result<(), String> {
        self.files()
            .try_for_each(|file| shelve(&mut adding, file))?;
        adding.finish()
    }

    /// Records that nothing is on the shelf any more.
    fn forget_slots(&mut self) {
        self.others.retain(|_, file| file.file().is_some());
        self.files().for_each(|file| file.slots = Slots::default());
    }
}

/// Returns what is written of files in at most `left` bytes: those that were asked for, then the
/// others, the most recently asked for first.
fn rows<'a>(known: &'a Known<'_>, mut left: usize) -> Result<Vec<Row<'a>>, String> {
    let asked = known.asked.iter();
    let asked = asked.filter_map(|file| Some((file.path.as_str(), KeptFile::of(file)?)));
    let others = known.others.iter();
    let others = others.filter_map(|(path, file)| Some((path.as_str(), file.kept()?)));
    let mut others: Vec<(&str, (usize, KeptFile))> = others.collect();
    others.sort_unstable_by_key(|(path, (since, _))| (*since, *path));
    let others = others.into_iter().map(|(path, (_, kept))| (path, kept));
    let mut rows = Vec::new();
    for row in asked.chain(others).take(MAX_KEPT) {
        let Some(rest) = left.checked_sub(Cache::size(&row)?) else {
            break;
        };
        left = rest;
        rows.push(row);
    }
    Ok(rows)
}

/// Returns what an entry is for, and its name.
pub fn key(repo: &Repo) -> (String, String) {
    let root = repo.root().to_string_lossy().into_owned();
    let name = hash::digits(&root);
    (root, name)
}
