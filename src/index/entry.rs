//! What is known of a repository, as it is kept in the user's cache folder: an entry that is
//! read and written whole, and beside it, on a shelf, what each file says and how it was cut.

use super::corpus::{File, Slots};
use super::earlier::{ByPath, Earlier, Kept, shelve};
use super::links::KeptLinks;
use super::vocabulary::{Kept as KeptVocabulary, Vocabulary};
use crate::hash;
use crate::repo::{Cache, PastChange, Repo, RepoPath, Shelf};

/// The most files that are kept; those that were asked for longest ago go first.
const MAX_KEPT: usize = 30_000;

/// The most bytes of an entry. What files say and how they were cut lies beside it.
const MAX_WRITTEN: usize = 10 * 1024 * 1024;

/// A file as it is written, with its path.
type Row<'a> = (&'a str, Kept);

/// The mark of the history and what it changed, the vocabulary, the files and their links.
pub type Entry = (
    Option<String>,
    Vec<PastChange>,
    KeptVocabulary,
    Vec<(String, Kept)>,
    Option<KeptLinks>,
);

/// What an earlier run kept.
pub fn read(repo: &Repo) -> Option<Entry> {
    let (key, name) = key(repo);
    repo.cache()?.read(&name, &key)
}

/// Where lies what files say and how they were cut, if anything is kept on disk.
pub fn shelf(repo: &Repo) -> Option<Shelf> {
    let (_, name) = key(repo);
    Some(Shelf::of(repo.cache()?, &format!("{name}-pieces")))
}

/// The files of an entry. A name that a folder has and no path may have is known anew in each
/// run.
pub fn by_path(rows: Vec<(String, Kept)>) -> ByPath {
    let rows = rows.into_iter().enumerate();
    let row = |(since, (path, kept)): (usize, (String, Kept))| {
        Some((RepoPath::parse(&path).ok()?, Earlier::Kept(kept, since)))
    };
    rows.filter_map(row).collect()
}

/// What is known of a repository.
pub struct Known<'a> {
    /// The state of the history, and what its last commits changed.
    pub past: (Option<&'a str>, &'a [PastChange]),
    pub vocabulary: &'a Vocabulary,
    /// The files that were asked for now.
    pub asked: &'a mut [File],
    /// Those that are known from before.
    pub others: &'a mut ByPath,
    pub links: Option<&'a KeptLinks>,
}

impl Known<'_> {
    /// Nothing lies on the shelf any more.
    fn forget_slots(&mut self) {
        self.others.retain(|_, file| file.file().is_some());
        let others = self.others.values_mut().filter_map(Earlier::file);
        for file in self.asked.iter_mut().chain(others) {
            file.slots = Slots::default();
        }
    }
}

/// Writes it to disk, where anything is kept there. Another run that is about to write is not
/// waited for: what this one found out is then found out again.
///
/// # Errors
///
/// Says why it could not be written.
pub fn write(repo: &Repo, shelf: &mut Shelf, known: &mut Known<'_>) -> Result<(), String> {
    let Some(cache) = repo.cache() else {
        return Ok(());
    };
    let (key, name) = key(repo);
    let (mark, changes) = known.past;
    let used = used(known);
    let is_stale = shelf.is_stale(used);
    if is_stale {
        shelf.clear()?;
        known.forget_slots();
    }
    // Where most of what is kept is gone from the repository, the next run begins anew; and
    // where some names found no number, others might find none in another order.
    if known.vocabulary.is_full() || is_stale && used > 0 {
        let names = Vocabulary::default();
        let (rows, links): (&[Row<'_>], Option<&KeptLinks>) = (&[], None);
        return cache.write(&name, &key, &(mark, changes, names.kept(), rows, links));
    }
    let Some(mut adding) = shelf.adding()? else {
        return Ok(());
    };
    let others = known.others.values_mut().filter_map(Earlier::file);
    shelve(&mut adding, known.asked.iter_mut().chain(others))?;
    adding.finish()?;
    let names = known.vocabulary.kept();
    let rest = Cache::size(&(mark, changes, &names, known.links))?;
    let rows = rows(known, MAX_WRITTEN.saturating_sub(rest))?;
    cache.write(&name, &key, &(mark, changes, names, rows, known.links))
}

/// How many bytes on the shelf are of use.
fn used(known: &Known<'_>) -> u64 {
    let asked = known.asked.iter().filter_map(Kept::of);
    let others = known.others.values().filter_map(Earlier::kept);
    asked
        .chain(others.map(|(_, kept)| kept))
        .map(|kept| kept.used())
        .sum()
}

/// What is written of files in at most `left` bytes: those that were asked for, then the
/// others, those first that were asked for last.
fn rows<'a>(known: &'a Known<'_>, mut left: usize) -> Result<Vec<Row<'a>>, String> {
    let asked = known.asked.iter();
    let asked = asked.filter_map(|file| Some((file.path.as_str(), Kept::of(file)?)));
    let others = known.others.iter();
    let others = others.filter_map(|(path, file)| Some((path.as_str(), file.kept()?)));
    let mut others: Vec<(&str, (usize, Kept))> = others.collect();
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

/// What an entry is for, and its name.
pub fn key(repo: &Repo) -> (String, String) {
    let root = repo.root().to_string_lossy().into_owned();
    let name = format!("{:016x}", hash::of(&[&root]));
    (root, name)
}
