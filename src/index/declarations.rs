//! What files declare, for the map of the repository. Most of it is known from the last map.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::corpus::{Corpus, File};
use super::entry::key;
use super::memory::WORTH_WRITING;
use crate::parse::{Parser, Source};
use crate::repo::{Repo, Stamp};
use crate::syntax::outline::Entry;
use crate::syntax::{Wanted, has_grammar, without_grammar};

/// The most declarations that are kept for the next map.
const MAX_KEPT: usize = 60_000;

/// The most bytes of a file. A larger one is data, or generated.
const MAX_FILE: u64 = 256 * 1024;

/// The most declarations in memory at once. Those of later files are dropped.
const MAX_ENTRIES: usize = 100_000;

/// The kept declarations of files, by path.
type KnownEntries = HashMap<String, (Stamp, Vec<Entry>)>;

/// What files declare, and whether that is complete: they could be read and parsed.
type Found = BTreeMap<usize, (Rc<Vec<Entry>>, bool)>;

/// What files declare.
pub struct Declarations {
    known: KnownEntries,
    found: Found,
    /// How many files were parsed although they are not about to change.
    fresh: usize,
}

impl Declarations {
    /// Loads what is known of the files of a corpus.
    pub fn of(repo: &Repo, corpus: &Corpus) -> Declarations {
        let (key, name) = entry(repo);
        let read = || {
            repo.cache()
                .and_then(|cache| cache.read::<KnownEntries>(&name, &key))
        };
        let mut known = repo.recall().or_else(read).unwrap_or_default();
        // The next prompt of this run may be about other files.
        known.retain(|path, _| repo.look().is_some() || corpus.place(path).is_some());
        Declarations {
            known,
            found: BTreeMap::new(),
            fresh: 0,
        }
    }

    /// Returns what files declare, for the first of them as far as there is room.
    pub fn in_files(
        &mut self,
        repo: &Repo,
        parser: &Parser,
        corpus: &Corpus,
        files: &[usize],
    ) -> Vec<(usize, Rc<Vec<Entry>>)> {
        let mut room = Room::of(files, MAX_ENTRIES);
        let (known, unknown): (Vec<usize>, Vec<usize>) =
            files.iter().partition(|at| self.is_known(corpus, **at));
        for at in known {
            let known = self.known.remove(corpus.files[at].path.as_str());
            if let Some((_, entries)) = known {
                self.found.insert(at, (Rc::new(entries), true));
            }
        }
        for at in files {
            room.take(*at, &mut self.found);
        }
        self.find(repo, parser, corpus, &unknown, &mut room);
        let found = files[..room.end.get()].iter().filter_map(|at| {
            let (entries, _) = self.found.get(at)?;
            Some((*at, Rc::clone(entries)))
        });
        found.collect()
    }

    /// Whether the declarations of a file are known from the last map.
    fn is_known(&self, corpus: &Corpus, at: usize) -> bool {
        let file = &corpus.files[at];
        let known = self.known.get(file.path.as_str());
        known.is_some_and(|(stamp, _)| file.stamp == Some(*stamp))
    }

    /// Has those files parsed for which there is a grammar; others declare what their words tell.
    fn find(
        &mut self,
        repo: &Repo,
        parser: &Parser,
        corpus: &Corpus,
        files: &[usize],
        room: &mut Room,
    ) {
        let new = files.iter().filter(|at| !self.found.contains_key(at));
        let new: Vec<usize> = new.copied().collect();
        let mut rest = Vec::new();
        let (places, end) = (Rc::clone(&room.places), Rc::clone(&room.end));
        // Once there is no room for more it is not read either.
        let has_room = |at: &usize| places.get(at).is_none_or(|place| *place < end.get());
        let sources = new.into_iter().filter(has_room).filter_map(|at| {
            let file = &corpus.files[at];
            let text = text(repo, file);
            let is_parsed = |text: &String| has_grammar(file.language, text);
            if !text.as_ref().is_some_and(is_parsed) {
                let told =
                    |text: &String| without_grammar(file.language, text, Wanted::Entries).entries;
                rest.push((at, text.as_ref().map(told)));
                return None;
            }
            Some(Source {
                number: at,
                path: file.path.to_string(),
                language: file.language,
                text: text?,
            })
        });
        let (found, fresh) = (&mut self.found, &mut self.fresh);
        parser.each(Wanted::Entries, sources, |source, parsed| {
            let is_parsed = parsed.is_some();
            let without = || without_grammar(source.language, &source.text, Wanted::Entries);
            let entries = parsed.unwrap_or_else(without).entries;
            found.insert(source.number, (Rc::new(entries), is_parsed));
            room.take(source.number, found);
            let file = &corpus.files[source.number];
            *fresh += usize::from(is_parsed && file.stamp.is_some());
        });
        for (at, entries) in rest {
            let is_read = entries.is_some();
            let entries = Rc::new(entries.unwrap_or_default());
            self.found.insert(at, (entries, is_read));
            room.take(at, &mut self.found);
            self.fresh += usize::from(is_read && corpus.files[at].stamp.is_some());
        }
    }

    /// Keeps them for the next map: on disk if enough of them is new, and in memory if there may be
    /// a next prompt.
    ///
    /// # Errors
    ///
    /// Says why they could not be written.
    pub fn commit(self, repo: &Repo, corpus: &Corpus) -> Result<(), String> {
        let written = self.write(repo, corpus);
        if repo.look().is_some() {
            self.remember(repo, corpus);
        }
        written
    }

    fn write(&self, repo: &Repo, corpus: &Corpus) -> Result<(), String> {
        let is_worth = self.fresh > 0 && self.fresh * WORTH_WRITING >= self.found.len();
        let Some(cache) = repo.cache().filter(|_| is_worth) else {
            return Ok(());
        };
        let mut left = MAX_KEPT;
        let files = self.found.iter().filter_map(|(at, (entries, is_read))| {
            let file = &corpus.files[*at];
            left = left.saturating_sub(entries.len());
            let is_worth = *is_read && left > 0;
            is_worth.then_some((file.path.as_str(), (file.stamp?, entries.as_ref())))
        });
        let files: BTreeMap<&str, (Stamp, &Vec<Entry>)> = files.collect();
        let (key, name) = entry(repo);
        cache.write(&name, &key, &files)
    }

    fn remember(self, repo: &Repo, corpus: &Corpus) {
        let mut known = self.known;
        for (at, (entries, is_read)) in self.found {
            let file = &corpus.files[at];
            if let (Some(stamp), Some(entries), true) =
                (file.stamp, Rc::into_inner(entries), is_read)
            {
                known.insert(file.path.to_string(), (stamp, entries));
            }
        }
        let mut left = MAX_KEPT;
        known.retain(|_, (_, entries)| {
            left = left.saturating_sub(entries.len());
            left > 0
        });
        repo.remember(known);
    }
}

/// The room for what files declare. Files come in any order, and those kept are always the first
/// ones.
struct Room {
    /// The position of each file.
    places: Rc<HashMap<usize, usize>>,
    /// The kept files, by their positions.
    kept: BTreeMap<usize, usize>,
    /// How many declarations there may be, and how many there are.
    most: usize,
    used: usize,
    /// Nothing is kept of the files from this position on.
    end: Rc<Cell<usize>>,
}

impl Room {
    fn of(files: &[usize], most: usize) -> Room {
        Room {
            places: Rc::new(
                files
                    .iter()
                    .enumerate()
                    .map(|(place, at)| (*at, place))
                    .collect(),
            ),
            kept: BTreeMap::new(),
            most,
            used: 0,
            end: Rc::new(Cell::new(files.len())),
        }
    }

    /// Keeps what was found of a file, if anything, and drops what there is no room for.
    fn take(&mut self, at: usize, found: &mut Found) {
        let (Some((entries, _)), Some(place)) = (found.get(&at), self.places.get(&at)) else {
            return;
        };
        self.used += entries.len();
        self.kept.insert(*place, at);
        while let Some(last) = self.kept.last_entry()
            && (self.used > self.most || *last.key() >= self.end.get())
        {
            let (place, at) = last.remove_entry();
            let gone = found.remove(&at);
            self.used -= gone.map_or(0, |(entries, _)| entries.len());
            self.end.set(self.end.get().min(place));
        }
    }
}

/// Returns the text of a file that may declare something.
pub fn text(repo: &Repo, file: &File) -> Option<String> {
    Some(repo.read(file.readable.as_ref()?, MAX_FILE).ok()?.text)
}

/// Returns what the entry is for, and its name.
fn entry(repo: &Repo) -> (String, String) {
    let (key, name) = key(repo);
    (key, format!("{name}-map"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// In whatever order they come.
        #[test]
        fn the_first_files_are_kept_whose_declarations_have_room(
            counts in prop::collection::vec(0usize..9, 1..12).prop_flat_map(|counts| {
                let order: Vec<usize> = (0..counts.len()).collect();
                (Just(counts), Just(order).prop_shuffle())
            }),
            most in 0usize..40,
        ) {
            let (counts, order) = counts;
            // Places are no numbers of files.
            let files: Vec<usize> = (0..counts.len()).map(|place| 100 - place).collect();
            let mut room = Room::of(&files, most);
            let mut found = Found::new();
            for place in order {
                let entry = Entry { name: String::new(), lines: Vec::new(), owner: None };
                let entries = Rc::new(vec![entry; counts[place]]);
                found.insert(files[place], (entries, true));
                room.take(files[place], &mut found);
            }
            let mut sum = 0;
            let fit = counts.iter().take_while(|count| { sum += **count; sum <= most });
            prop_assert_eq!(room.end.get(), fit.count());
            for (place, at) in files.iter().enumerate() {
                let kept = found.get(at).map(|(entries, _)| entries.len());
                prop_assert_eq!(kept, (place < room.end.get()).then_some(counts[place]));
            }
        }
    }
}
