//! What the repository holds, from one pass over its files: what each says, what it imports, what
//! history tells, and the parts of those that are asked for.
//!
//! An [`Index`] is opened at the beginning of a prompt, answers while the prompt is built, and is
//! committed once at its end. What it knows from earlier ([`memory`]) is valid as long as a file
//! has the same stamp. Only the time may depend on it. What is ranked is its [`Corpus`], which
//! knows neither disk nor cache.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files, words and lines, far below 2^52"
)]

mod candidates;
mod commands;
pub mod corpus;
mod cutting;
mod declarations;
mod earlier;
mod entry;
pub mod imports;
pub mod kind;
mod links;
mod memory;
mod named;
mod order;
mod packed;
pub mod parts;
pub mod paths;
pub mod quoted;
mod read;
pub mod reading;
mod recency;
mod renewed;
mod scope;
mod search;
mod searched;
pub mod vocabulary;
pub mod words;

use std::rc::Rc;
use std::sync::Arc;

use self::candidates::Candidates;
use self::corpus::Corpus;
use self::cutting::Cutting;
use self::declarations::Declarations;
use self::earlier::{ByPath, open_cuts};
use self::links::FoundLinks;
use self::memory::{Findings, Memory};
use self::parts::ReadPart;
use self::read::MAX_FILES;
use self::reading::Exports;
use self::recency::Recency;
use self::scope::Scope;
use self::search::Quest;
use self::searched::Searched;
use crate::parse::Parser;
use crate::repo::{Git, Readable, Repo, RepoPath, WalkNumber};
use crate::syntax::outline::Entry;

pub use self::links::Links;
pub use crate::repo::PastChange;

/// Fewer changes of the past say hardly anything of what changes together.
const FEW_CHANGES: usize = 20;

/// What the repository holds, as far as a prompt asks for it.
pub struct Index<'a> {
    repo: &'a Repo,
    parser: &'a Parser,
    corpus: Corpus,
    /// All files of the repository except links, if they could all be listed.
    listed: Option<Arc<[String]>>,
    /// The walk that found the files.
    walk: WalkNumber,
    /// What was searched for the files of the corpus, if they are not all.
    searched: Option<Searched>,
    /// How many files are not in the corpus because there is too much, and how many of them were
    /// not even searched.
    unread: usize,
    unsearched: usize,
    /// Why what was searched could not be kept.
    failed: Option<String>,
    /// Files beside the source that the task names.
    named: Vec<RepoPath>,
    /// How many files were read anew although they are not about to change.
    fresh: usize,
    /// What is known of files that were not asked for.
    others: ByPath,
    links: Option<FoundLinks>,
    cutting: Cutting,
    recency: Option<Recency>,
    declarations: Option<Declarations>,
    memory: Memory,
}

impl<'a> Index<'a> {
    /// Reads the files of a repository that are not excluded. If there are too many to know
    /// everything that each says, all are searched for those that are likely to matter.
    pub fn open(
        repo: &'a Repo,
        parser: &'a Parser,
        targets: &[RepoPath],
        task: &str,
        excluded: &dyn Fn(&RepoPath) -> bool,
    ) -> Index<'a> {
        let mut memory = Memory::of(repo);
        let candidates = Candidates::of(repo, excluded);
        let files = &candidates.found[..];
        let searched = (files.len() > MAX_FILES).then(|| {
            let quest = Quest {
                repo,
                files: &candidates.found,
                all: &candidates.all,
                task,
                targets,
                past: memory.past(repo),
            };
            search::likeliest(&quest, MAX_FILES)
        });
        let named = named::in_task(repo, task, &candidates, excluded);
        let order: Vec<_> = match &searched {
            Some(found) => {
                let likeliest = found.likeliest.iter();
                let files = likeliest.map(|(at, stamp)| (&files[*at].file, *stamp));
                files.collect()
            }
            None => {
                let nearest = order::nearest_first(files, targets).into_iter();
                nearest.map(|file| (file, None)).collect()
            }
        };
        let is_named = |file: &Readable| named.iter().any(|named| named.path() == file.path());
        let others = order.into_iter().filter(|(file, _)| !is_named(file));
        let first = named.iter().map(|file| (file, None));
        let order: Vec<_> = first.chain(others).collect();
        let known = memory.files.take();
        let read = read::files(repo, targets, &order, known, memory.shelf());
        let spread = memory.spread.take();
        let unread = match &searched {
            Some(_) => files.len().saturating_sub(read.all.len()),
            None => read.passed_over,
        };
        let (unsearched, failed, searched) = match searched {
            Some(found) => (found.passed_over, found.failed, Some(found.searched)),
            None => (read.passed_over, None, None),
        };
        Index {
            repo,
            parser,
            corpus: Corpus::new(read.all, read.vocabulary, spread),
            listed: candidates.listed,
            walk: candidates.walk,
            unread: unread + candidates.missed,
            unsearched: unsearched + candidates.missed,
            failed,
            searched,
            named: named.iter().map(|file| file.path().clone()).collect(),
            fresh: read.fresh,
            others: read.others,
            links: None,
            cutting: Cutting::default(),
            recency: None,
            declarations: None,
            memory,
        }
    }

    /// Returns the files that were read, and the names in them.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns the files beside the source that the task names.
    pub fn named(&self) -> &[RepoPath] {
        &self.named
    }

    /// Returns how many files were not even searched, because there is too much.
    pub fn unsearched(&self) -> usize {
        self.unsearched
    }

    /// Returns how many files are not in the corpus because there is too much: those that a search
    /// found less likely, and those that were not searched.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Returns how many there are, read or not.
    pub fn candidates(&self) -> usize {
        self.corpus.files.len() + self.unread
    }

    /// Returns all files of the repository except links, in order, if they were all listed.
    pub fn listed(&self) -> Option<Arc<[String]>> {
        self.listed.clone()
    }

    /// Returns what each file exports.
    pub fn exports(&self) -> Vec<(&str, &Exports)> {
        let files = self.corpus.files.iter();
        files
            .map(|file| (file.path.as_str(), &file.read.exports))
            .collect()
    }

    /// Returns, for each file, the files that it imports.
    pub fn links(&mut self) -> Rc<Links> {
        let found = self.links.get_or_insert_with(|| {
            let scope = Scope::of(&self.corpus, self.searched.as_ref());
            let kept = &mut self.memory.links;
            FoundLinks::of(self.repo, self.walk, &self.corpus, &scope, kept)
        });
        Rc::clone(&found.links)
    }

    /// Returns what the last commits changed, the newest first, together with the files.
    pub fn with_past(&mut self) -> (&Corpus, &[PastChange]) {
        (&self.corpus, self.memory.past(self.repo))
    }

    /// Returns how many changes of the past are known, if these are few because the clone is shallow.
    pub fn few_changes(&mut self) -> Option<usize> {
        let changes = self.memory.past(self.repo).len();
        let is_short = changes < FEW_CHANGES && self.repo.git().is_ok_and(Git::is_shallow);
        is_short.then_some(changes)
    }

    /// Returns the parts of files with the names in them; none for one that cannot be read.
    pub fn parts(&mut self, files: Vec<usize>) -> Vec<(usize, Vec<ReadPart>)> {
        let corpus = &mut self.corpus;
        if let Some(shelf) = self.memory.shelf() {
            open_cuts(shelf, corpus, &files);
        }
        let mut parts = self.cutting.parts(self.repo, self.parser, corpus, files);
        let memory = &mut self.memory;
        let recency = self
            .recency
            .get_or_insert_with(|| Recency::of(memory.past(self.repo)));
        recency.tell(self.repo, corpus, &mut parts);
        parts
    }

    /// Returns what files declare.
    pub fn declared(&mut self, files: &[usize]) -> Vec<(usize, Rc<Vec<Entry>>)> {
        let declarations = self
            .declarations
            .get_or_insert_with(|| Declarations::of(self.repo, &self.corpus));
        declarations.in_files(self.repo, self.parser, &self.corpus, files)
    }

    /// Returns the text of a file that may declare something.
    pub fn text(&self, at: usize) -> Option<String> {
        declarations::text(self.repo, &self.corpus.files[at])
    }

    /// Keeps what was found out: on disk if enough of it is new, and in memory if there may be a
    /// next prompt.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub fn commit(mut self) -> Result<(), String> {
        let mut found = Findings {
            corpus: &mut self.corpus,
            others: &mut self.others,
            links: self.links.as_ref(),
            fresh: self.fresh,
            cut: self.cutting.fresh + self.recency.map_or(0, |recency| recency.compared),
        };
        let written = self.memory.write(self.repo, &mut found);
        let declared = match self.declarations {
            Some(declarations) => declarations.commit(self.repo, &self.corpus),
            None => Ok(()),
        };
        if let Some(look) = self.repo.look() {
            let (corpus, others) = (self.corpus, self.others);
            self.memory
                .remember(self.repo, look, corpus, others, self.links);
        }
        let listed = self.repo.keep_names(false);
        declared
            .and(written)
            .and(listed)
            .and(self.failed.map_or(Ok(()), Err))
    }

    /// Writes to disk what the prompts of this look and of those before found out and have not
    /// written yet.
    ///
    /// # Errors
    ///
    /// Says why it could not be written.
    pub fn commit_rest(repo: &Repo) -> Result<(), String> {
        Memory::write_rest(repo).and(repo.keep_names(true))
    }
}
