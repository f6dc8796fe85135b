//! A search of every file, for when there are too many to know everything that each of them says.
//!
//! For each file, the search keeps how often it has which names and words, as an inverted index
//! ([`segment`]): a question only reads the lists of what it asks for ([`asked`]). A file whose
//! state is not the one that was kept is read. So what is kept affects only how long the search
//! takes, never what it finds. The paths decide which segment of some hundred files each file
//! belongs to, and each segment is an entry of its own in the cache. A change thus rewrites only a
//! few of them, and an interrupted run leaves behind those that it has written.

mod asked;
mod choose;
mod hits;
mod score;
mod segment;
mod terms;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use self::asked::Asked;
use self::hits::{GONE, Hits, Lists};
use self::score::Scores;
use self::segment::{Builder, Row, Segment};
use self::terms::{TermReader, Terms, of_name};
use super::candidates::Candidate;
use super::entry::key;
use super::memory::WORTH_WRITING;
use super::read::{MAX_TARGET, counting, most_bytes};
use super::reading::Exports;
use super::searched::{Searched, Shown};
use crate::repo::{Asker, Cache, Entry, Listener, PastChange, Progress, Repo, RepoPath, Stamp};
use crate::syntax::language;

/// About how many files a segment has.
const SEGMENT: usize = 512;

/// The most bytes that are searched, beginning with the likeliest files by their paths.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// What segments may take in memory from one prompt to the next, in bytes.
const MAX_IN_MEMORY: usize = 24 * 1024 * 1024;

/// Where to search, and for what.
pub struct Quest<'a> {
    /// The repository.
    pub repo: &'a Repo,
    /// All files that may be read, in the order of their paths.
    pub files: &'a Arc<[Candidate]>,
    /// These, and those that are excluded.
    pub all: &'a Arc<[Candidate]>,
    pub task: &'a str,
    pub targets: &'a [RepoPath],
    /// What the last commits changed, the newest first.
    pub past: &'a [PastChange],
}

/// What a search found.
pub struct Found {
    /// The likeliest files by their indices, the likeliest first, with their stamps.
    pub likeliest: Vec<(usize, Option<Stamp>)>,
    /// What was searched.
    pub searched: Searched,
    /// How many files were not searched, because there is too much.
    pub passed_over: usize,
    /// Why something could not be kept.
    pub failed: Option<String>,
}

/// What is known of a file before it is read.
#[derive(Clone, Copy)]
struct State {
    stamp: Stamp,
    /// Identifies its text; `None` if that may change without being noticed.
    mark: Option<u64>,
}

/// What is kept in memory for everyone who shares looks.
#[derive(Default)]
struct Kept {
    /// The files that these states belong to, by their numbers.
    files: Option<Arc<[Candidate]>>,
    states: Vec<OnceCell<Option<State>>>,
    /// Segments by their names.
    segments: HashMap<String, Arc<Entry>>,
}

/// Searches all files, and returns the `most` likeliest. The same files and question give the same
/// answer, whatever was searched before.
pub fn likeliest(quest: &Quest<'_>, most: usize) -> Found {
    let mut kept: Kept = quest.repo.recall().unwrap_or_default();
    let states = states(quest, &mut kept);
    let by_path = super::order::likelihoods(quest.files, quest.targets, quest.task);
    let (searched, passed_over) = within(quest.files, &states, &by_path);
    let mut reader = TermReader::default();
    let asked = Asked::of(quest.task, &of_targets(quest, &mut reader));
    let work = Work {
        files: quest.files,
        states: &states,
        asked: &asked,
        parts: parts(quest.files, &searched),
        cache: quest.repo.cache(),
        keeps: quest.repo.keeps(),
        room: AtomicUsize::new(quest.repo.look().map_or(0, |_| MAX_IN_MEMORY)),
        key: key(quest.repo),
        kept: &kept.segments,
        next: AtomicUsize::new(0),
        done: Mutex::default(),
        listener: quest.repo.listener(),
        searched: searched.len(),
    };
    let mut done = work.all(quest.repo, reader);
    let mut lengths = vec![0; quest.files.len()];
    for (file, length) in done.iter().flat_map(|done| &done.lengths) {
        lengths[*file as usize] = *length;
    }
    let failed = done.iter_mut().find_map(|done| done.failed.take());
    let shown = done.iter_mut();
    let shown = shown.map(|done| std::mem::take(&mut done.shown));
    let searched = Searched::new(quest.files, shown.collect());
    kept.segments = done
        .iter_mut()
        .filter_map(|done| done.segment.take())
        .collect();
    let lists = done.into_iter().flat_map(|done| done.lists);
    let hits = Hits::new(&asked, lists.collect());
    let scores = Scores::of(&asked, &hits, &lengths);
    quest.repo.remember(kept);
    // What an earlier prompt of this look saw may be another file by now.
    let is_new = quest.repo.look().is_none();
    let stamp = |at: usize| states[at].filter(|_| is_new).map(|state| state.stamp);
    let likeliest = choose::likeliest(quest, &by_path, &scores, most).into_iter();
    Found {
        likeliest: likeliest.map(|at| (at, stamp(at))).collect(),
        searched,
        passed_over,
        failed,
    }
}

/// Returns the state of each file; `None` for one that cannot be read, or is too large to be
/// useful.
fn states(quest: &Quest<'_>, kept: &mut Kept) -> Vec<Option<State>> {
    let find = |found: &Candidate| {
        let stamp = quest.repo.stamp_of_plain(found.file.real())?;
        let keeps = quest.repo.keeps() && stamp.is_settled();
        let mark = keeps.then(|| stamp.mark());
        (stamp.bytes() <= most_bytes(found.kind)).then_some(State { stamp, mark })
    };
    let files = quest.files.iter();
    if quest.repo.look().is_none() {
        return files.map(find).collect();
    }
    // Each look has a list of its own.
    let are_those = |kept: &Arc<_>| Arc::ptr_eq(kept, quest.all);
    if !kept.files.as_ref().is_some_and(are_those) {
        kept.files = Some(Arc::clone(quest.all));
        kept.states.clear();
        kept.states.resize_with(quest.all.len(), OnceCell::new);
    }
    let state = |found: &Candidate| {
        let known = &kept.states[found.number as usize];
        *known.get_or_init(|| find(found))
    };
    files.map(state).collect()
}

/// Returns which files are searched, and how many others there are: those for which there is no
/// room.
fn within(files: &[Candidate], states: &[Option<State>], by_path: &[f64]) -> (Vec<u32>, usize) {
    let bytes = |at: &u32| states[*at as usize].map_or(0, |state| state.stamp.bytes());
    let mut all: Vec<u32> = (0..).take(files.len()).collect();
    all.retain(|at| states[*at as usize].is_some());
    if all.iter().map(bytes).sum::<u64>() <= MAX_BYTES {
        return (all, 0);
    }
    let before = all.len();
    let likely = |at: &u32| by_path[*at as usize];
    all.sort_by(|a, b| likely(b).total_cmp(&likely(a)));
    let mut left = MAX_BYTES;
    all.retain(|at| match left.checked_sub(bytes(at)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    all.sort_unstable();
    let passed_over = before - all.len();
    (all, passed_over)
}

/// Returns the files of each segment, in order. The segment of a file depends on its path, and on
/// about how many files there are.
fn parts(files: &[Candidate], searched: &[u32]) -> Vec<Vec<u32>> {
    let number = (searched.len() / SEGMENT).max(1).next_power_of_two();
    let mut parts = vec![Vec::new(); number];
    for at in searched {
        let path = files[*at as usize].path();
        let of = of_name(path) % number as u64;
        parts[usize::try_from(of).unwrap_or_default()].push(*at);
    }
    parts
}

/// Returns the terms of the targets.
fn of_targets(quest: &Quest<'_>, reader: &mut TermReader) -> Vec<Terms> {
    let mut read = |target: &RepoPath| {
        let text = quest
            .repo
            .read_for(Asker::Caller, target, MAX_TARGET)
            .ok()?;
        Some(reader.read(&text.text))
    };
    quest.targets.iter().filter_map(&mut read).collect()
}

/// The search of all segments.
struct Work<'a> {
    files: &'a [Candidate],
    states: &'a [Option<State>],
    asked: &'a Asked,
    parts: Vec<Vec<u32>>,
    cache: Option<&'a Cache>,
    /// Whether anything is kept, on disk or in memory.
    keeps: bool,
    /// The room that is left in memory, in bytes.
    room: AtomicUsize,
    /// What entries are for, and how their names begin.
    key: (String, String),
    kept: &'a HashMap<String, Arc<Entry>>,
    /// The next segment that nobody has taken.
    next: AtomicUsize,
    done: Mutex<Vec<(usize, Done)>>,
    /// Who is told about the progress, and the number of files.
    listener: Option<&'a Listener>,
    searched: usize,
}

/// A file that was read for the search.
struct Fresh {
    file: u32,
    terms: Terms,
    exports: Exports,
}

/// What was found in a segment.
#[derive(Default)]
struct Done {
    lists: Vec<Lists>,
    /// How many names each of its files has.
    lengths: Vec<(u32, u32)>,
    shown: Shown,
    /// The segment with its name, if it may be kept in memory.
    segment: Option<(String, Arc<Entry>)>,
    failed: Option<String>,
}

impl Work<'_> {
    /// Searches all segments, and passes on what was found in their order.
    fn all(self, repo: &Repo, reader: TermReader) -> Vec<Done> {
        // Where the first is to be made, the others are, which is worth more threads.
        let is_made = self.known(&self.name(0)).is_some();
        let threads = if is_made { 1 } else { self.parts.len() };
        // One of them goes on with what is known.
        let reader = Mutex::new(reader);
        repo.on_threads(threads, |repo| {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let mut own = std::mem::take(&mut *reader);
            drop(reader);
            self.run(repo, &mut own);
        });
        let done = self.done.into_inner();
        let mut done = done.unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, done)| done).collect()
    }

    fn run(&self, repo: &Repo, reader: &mut TermReader) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(files) = self.parts.get(at) else {
                return;
            };
            let done = self.part(&self.name(at), files, repo, reader);
            let mut all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            all.push((at, done));
            if let Some(tell) = self.listener {
                let done = all.iter().map(|(at, _)| self.parts[*at].len()).sum();
                let files = self.searched;
                tell(Progress { done, files });
            }
        }
    }

    fn name(&self, at: usize) -> String {
        format!("{}-{}-{at}", self.key.1, self.parts.len())
    }

    /// Returns what is known of a segment.
    fn known(&self, name: &str) -> Option<Arc<Entry>> {
        let kept = self.kept.get(name).cloned();
        kept.or_else(|| Some(Arc::new(self.cache?.entry(name, &self.key.0)?)))
    }

    /// Searches a segment.
    fn part(&self, name: &str, files: &[u32], repo: &Repo, reader: &mut TermReader) -> Done {
        let entry = self.known(name);
        let known = entry.as_ref().and_then(|entry| Segment::of(entry.body()));
        let places = known.as_ref().map(|known| self.places(known, files));
        let mut done = Done::default();
        let mut is_known = vec![false; files.len()];
        if let (Some(known), Some(places)) = (&known, &places) {
            for (row, file) in known.files.iter().zip(places) {
                if let Ok(at) = files.binary_search(file) {
                    is_known[at] = true;
                    done.lengths.push((*file, row.2));
                }
            }
            let marks = known.files.iter().map(|row| row.3);
            done.shown.keep(marks, places, known.exports);
            done.lists
                .push(Lists::of_segment(self.asked, known, places.clone()));
        }
        let unknown = files.iter().zip(&is_known).filter(|(_, known)| !**known);
        let unknown = unknown.map(|(file, _)| *file);
        let fresh: Vec<Fresh> = unknown
            .filter_map(|file| self.read(file, repo, reader))
            .collect();
        let lengths = fresh.iter().map(|fresh| (fresh.file, fresh.terms.length));
        done.lengths.extend(lengths);
        let found = fresh.iter().map(|fresh| (fresh.file, &fresh.terms));
        done.lists.push(Lists::of_files(self.asked, found));
        let old = known.as_ref().zip(places.as_deref());
        match self.renewed(name, old, files, &fresh) {
            Ok(renewed) => {
                let entry = renewed.map(Arc::new).or(entry);
                let entry = entry.filter(|entry| self.has_room(entry));
                done.segment = entry.map(|entry| (name.to_owned(), entry));
            }
            Err(why) => done.failed = Some(why),
        }
        let fresh = fresh.into_iter().map(|fresh| (fresh.file, fresh.exports));
        done.shown.add(fresh);
        done
    }

    /// Takes the room that an entry needs in memory, if there is that much.
    fn has_room(&self, entry: &Entry) -> bool {
        let take = |left: usize| left.checked_sub(entry.body().len());
        let order = Ordering::Relaxed;
        self.room.fetch_update(order, order, take).is_ok()
    }

    /// Returns the indices of the files of a segment; [`GONE`] for those that no longer exist, or
    /// are in another state.
    fn places(&self, known: &Segment<'_>, files: &[u32]) -> Vec<u32> {
        let path = |file: &u32| self.files[*file as usize].path();
        // Both are in the order of paths, but for what came to the segment later.
        let mut next = 0;
        let mut place = |(known, state, ..): &Row<'_>| {
            let at = match files.get(next) {
                Some(file) if path(file) == *known => next,
                _ => files.binary_search_by(|file| path(file).cmp(known)).ok()?,
            };
            next = at + 1;
            let now = self.states[files[at] as usize]?.mark;
            (now == Some(*state)).then_some(files[at])
        };
        let rows = known.files.iter();
        rows.map(|row| place(row).unwrap_or(GONE)).collect()
    }

    fn read(&self, file: u32, repo: &Repo, reader: &mut TermReader) -> Option<Fresh> {
        let Candidate {
            file: found, kind, ..
        } = &self.files[file as usize];
        let text = repo.read(found, most_bytes(*kind)).ok()?.text;
        let text = counting(*kind, &text);
        Some(Fresh {
            file,
            terms: reader.read(text),
            exports: Exports::of(language(found.path().as_str()), text),
        })
    }

    /// Returns the segment with what is new, if that is worth it, and puts it in the cache.
    ///
    /// What it has about files that nobody asked for now stays, because somebody else may have
    /// excluded them, unless that is most of it.
    fn renewed(
        &self,
        name: &str,
        old: Option<(&Segment<'_>, &[u32])>,
        files: &[u32],
        fresh: &[Fresh],
    ) -> Result<Option<Entry>, String> {
        let state = |file: u32| self.states[file as usize].and_then(|state| state.mark);
        let fresh = fresh.iter();
        let fresh: Vec<_> = fresh
            .filter_map(|fresh| Some((fresh, state(fresh.file)?)))
            .collect();
        if !self.keeps
            || fresh.is_empty()
            || old.is_some() && fresh.len() * WORTH_WRITING < files.len()
        {
            return Ok(None);
        }
        let path = |file: u32| self.files[file as usize].path();
        let mut builder = Builder::default();
        if let Some((known, places)) = old {
            let is_here = |row: u32| {
                let known = known.files[row as usize].0;
                files
                    .binary_search_by(|file| path(*file).cmp(known))
                    .is_ok()
            };
            let holds = |row: u32| places[row as usize] != GONE;
            let elsewhere = (0..)
                .take(places.len())
                .filter(|row| !is_here(*row))
                .count();
            let keeps_others = 2 * elsewhere <= places.len();
            builder.add_all(known, |row| holds(row) || keeps_others && !is_here(row));
        }
        for (fresh, state) in fresh {
            builder.add(path(fresh.file), state, &fresh.terms, &fresh.exports);
        }
        let Some(segment) = builder.finish() else {
            return Ok(None);
        };
        let entry = Entry::new(segment);
        if let Some(cache) = self.cache {
            cache.write_entry(name, &self.key.0, &entry)?;
        }
        Ok(Some(entry))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::index::candidates::Candidates;

    /// What changed a moment ago may change again unseen, and is not kept.
    fn settle() {
        thread::sleep(Duration::from_millis(3200));
    }

    /// A folder of many files, of which one has what is asked for.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..1200 {
            let text = match number {
                777 => "fn calibrate_sensor() { reset_drift() }".to_owned(),
                _ => format!("fn step_{number}() {{ run_{}() }}", number / 7),
            };
            let path = folder.path().join(path_of(number));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        }
        settle();
        folder
    }

    fn path_of(number: usize) -> String {
        format!("{}/f{number}.rs", number % 30)
    }

    fn found(repo: &Repo, task: &str) -> (Vec<String>, Option<String>) {
        found_outside(repo, task, "no such folder/")
    }

    fn found_outside(repo: &Repo, task: &str, folder: &str) -> (Vec<String>, Option<String>) {
        let candidates = Candidates::of(repo, &|path| path.as_str().starts_with(folder));
        let files = &candidates.found;
        let quest = Quest {
            repo,
            files,
            all: &candidates.all,
            task,
            targets: &[],
            past: &[],
        };
        let found = likeliest(&quest, 5);
        assert_eq!(found.passed_over, 0);
        let paths = found.likeliest.iter().map(|(at, _)| at);
        let paths = paths.map(|at| files[*at].path().to_string());
        (paths.collect(), found.failed)
    }

    const TASK: &str = "The sensors drift after they were calibrated";

    fn with_cache(folder: &Path, cache: &Path) -> Repo {
        let mut repo = Repo::open(folder).unwrap();
        repo.set_cache(Cache::new(cache));
        repo
    }

    #[test]
    fn what_is_found_is_the_same_with_all_that_was_kept() {
        let (folder, cache) = (folder(), tempfile::tempdir().unwrap());
        let (folder, cache) = (folder.path(), cache.path());
        let alone = found(&Repo::open(folder).unwrap(), TASK);
        assert_eq!(alone.0[0], "27/f777.rs");
        assert_eq!(found(&with_cache(folder, cache), TASK), alone);
        assert_eq!(found(&with_cache(folder, cache), TASK), alone);
        let mut shared = with_cache(folder, cache);
        let other = "step_3 of run_8";
        for _ in 0..3 {
            shared.look_again().unwrap();
            assert_eq!(found(&shared, TASK), alone);
            assert_eq!(
                found(&shared, other),
                found(&with_cache(folder, cache), other)
            );
            let without_some = found_outside(&with_cache(folder, cache), TASK, "2");
            assert_ne!(without_some, alone);
            assert_eq!(found_outside(&shared, TASK, "2"), without_some);
        }
    }

    #[test]
    fn whoever_waits_is_told_how_far_it_is() {
        let folder = folder();
        let mut repo = Repo::open(folder.path()).unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&told);
        repo.set_listener(Arc::new(move |progress| {
            list.lock().unwrap().push(progress);
        }));
        found(&repo, TASK);
        let told = told.lock().unwrap();
        let steps = told.windows(2);
        assert!(steps.len() > 0);
        assert!(steps.clone().all(|two| two[0].done < two[1].done));
        let (done, files) = (1200, 1200);
        assert_eq!(told.last(), Some(&Progress { done, files }));
    }

    #[test]
    fn what_changed_since_is_found_as_it_is_now() {
        let (folder, cache) = (folder(), tempfile::tempdir().unwrap());
        let (folder, cache) = (folder.path(), cache.path());
        found(&with_cache(folder, cache), TASK);
        let file = |path: &str| folder.join(path);
        fs::remove_file(file("27/f777.rs")).unwrap();
        fs::write(file("3/f3.rs"), "fn drift_of_sensors() {}").unwrap();
        fs::write(file("new.rs"), "calibrate(sensor)").unwrap();
        let alone = found(&Repo::open(folder).unwrap(), TASK);
        assert_eq!(&alone.0[..2], ["3/f3.rs", "new.rs"]);
        // Few of a segment: they are read each time. Many: it is written again.
        assert_eq!(found(&with_cache(folder, cache), TASK), alone);
        for number in (0..1200).filter(|number| number % 3 == 1) {
            fs::write(file(&path_of(number)), "fn nothing_of_it() {}").unwrap();
        }
        settle();
        let alone = found(&Repo::open(folder).unwrap(), TASK);
        for _ in 0..2 {
            assert_eq!(found(&with_cache(folder, cache), TASK), alone);
        }
    }

    #[test]
    fn a_segment_that_is_damaged_or_gone_is_made_again() {
        let (folder, cache) = (folder(), tempfile::tempdir().unwrap());
        let (folder, cache) = (folder.path(), cache.path());
        let alone = found(&with_cache(folder, cache), TASK);
        assert!(fs::read_dir(cache).unwrap().count() > 1);
        for (number, entry) in fs::read_dir(cache).unwrap().enumerate() {
            let path = entry.unwrap().path();
            match number % 2 {
                0 => fs::remove_file(path).unwrap(),
                _ => fs::write(path, "something else").unwrap(),
            }
        }
        assert_eq!(found(&with_cache(folder, cache), TASK), alone);
        assert_eq!(found(&with_cache(folder, cache), TASK), alone);
    }

    #[test]
    fn what_cannot_be_kept_is_told_and_found_all_the_same() {
        let (folder, cache) = (folder(), tempfile::tempdir().unwrap());
        let file = cache.path().join("file");
        fs::write(&file, "").unwrap();
        let (paths, failed) = found(&with_cache(folder.path(), &file), TASK);
        assert_eq!(paths, found(&Repo::open(folder.path()).unwrap(), TASK).0);
        assert!(failed.is_some());
    }
}
