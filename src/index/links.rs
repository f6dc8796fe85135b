//! Which files each file imports, and what is kept of that for the next run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::rc::Rc;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use super::corpus::{Corpus, File};
use super::imports::{Consulted, Effort, Exports, Importer, Resolver};
use crate::repo::{Repo, RepoPath, Stamp};

/// The most links that are kept; files that people write have about ten each.
const MAX_LINKS: usize = 500_000;

/// The most files beside those of the corpus that may have been asked for.
const MAX_CONSULTED: usize = 20_000;

/// For each file the files that it imports.
pub type Links = Vec<Vec<usize>>;

/// The links of a corpus.
pub struct FoundLinks {
    pub links: Rc<Links>,
    /// How many files' links were not known from earlier.
    fresh: usize,
    /// What they were found by; `None` if there was too much to find all.
    basis: Option<Basis>,
    /// What they were taken from, if all of them were.
    reused: Option<KeptLinks>,
}

/// What links were found by, beside the imports of each file.
#[derive(Clone, Serialize, Deserialize)]
struct Basis {
    /// Stands for the paths of all files and what these say of themselves.
    mark: u64,
    /// What was asked for on disk.
    consulted: Vec<Consulted>,
    effort: Effort,
}

/// Links as they are kept.
#[derive(Clone, Serialize, Deserialize)]
pub struct KeptLinks {
    basis: Basis,
    /// The files that each file imports, behind one another.
    to: Vec<u32>,
    /// Where those of each file end.
    ends: Vec<u32>,
    /// Which text of each file they are of; none for what comes from an earlier run.
    #[serde(skip)]
    serials: Vec<u64>,
    /// The look in which it was seen that they hold.
    #[serde(skip)]
    look: Option<u64>,
    /// Whether they hold in this look only, since something was about to change.
    #[serde(skip)]
    is_passing: bool,
}

impl KeptLinks {
    /// The links of a file, if they are those of this text.
    fn of(&self, at: usize, serial: u64) -> Option<Vec<usize>> {
        if self.serials.get(at).copied().unwrap_or_default() != serial {
            return None;
        }
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let files = self.ends.len();
        let links = self.to.get(start..end)?.iter().map(|to| *to as usize);
        links.map(|to| (to < files).then_some(to)).collect()
    }

    /// Whether what was found out holds for these files.
    fn holds(&self, repo: &Repo, corpus: &Corpus, mark: u64) -> bool {
        let is_same = |(path, stamp): &Consulted| {
            RepoPath::parse(path).is_ok_and(|path| repo.stamp(&path) == *stamp)
        };
        let is_seen = self.look.is_some() && self.look == repo.look();
        self.basis.mark == mark
            && self.ends.len() == corpus.files.len()
            && (is_seen || !self.is_passing && self.basis.consulted.iter().all(is_same))
    }
}

impl FoundLinks {
    /// Finds what each file imports. Where no file came, went or says something else of
    /// itself, only files with another text than before are looked at.
    pub fn of(repo: &Repo, corpus: &Corpus, kept: &mut Vec<KeptLinks>) -> FoundLinks {
        let mark = mark(corpus);
        let at = kept.iter().position(|kept| kept.basis.mark == mark);
        let kept = at.map(|at| kept.remove(at));
        let kept = kept.filter(|kept| kept.holds(repo, corpus, mark));
        let resolver = Resolver::among(repo, corpus.files.iter().map(exports));
        let mut fresh = 0;
        let mut links = Vec::with_capacity(corpus.files.len());
        for (at, file) in corpus.files.iter().enumerate() {
            let known = kept.as_ref();
            let known = known.and_then(|kept| kept.of(at, file.serial));
            links.push(known.unwrap_or_else(|| {
                fresh += 1;
                imported(&resolver, corpus, at, file)
            }));
        }
        let earlier = kept.as_ref().map(|kept| kept.basis.effort);
        let effort = resolver.effort() + earlier.unwrap_or_default();
        if effort.is_too_much() {
            return match kept {
                // Without what was kept it might have been too much earlier.
                Some(_) => FoundLinks::of(repo, corpus, &mut Vec::new()),
                None => FoundLinks {
                    links: links.into(),
                    fresh: 0,
                    basis: None,
                    reused: None,
                },
            };
        }
        if fresh == 0 && kept.is_some() {
            return FoundLinks {
                links: links.into(),
                fresh,
                basis: None,
                reused: kept,
            };
        }
        let before = kept.into_iter().flat_map(|kept| kept.basis.consulted);
        let consulted: BTreeMap<String, Option<Stamp>> =
            before.chain(resolver.consulted()).collect();
        FoundLinks {
            links: links.into(),
            fresh,
            basis: Some(Basis {
                mark,
                consulted: consulted.into_iter().collect(),
                effort,
            }),
            reused: None,
        }
    }

    /// What is worth keeping, if all of it can be relied upon.
    pub fn kept(&self) -> Option<Cow<'_, KeptLinks>> {
        let kept = match &self.reused {
            Some(kept) => Cow::Borrowed(kept),
            None => Cow::Owned(self.all()?),
        };
        (!kept.is_passing).then_some(kept)
    }

    /// Of how many files the links are new and worth keeping.
    pub fn fresh(&self) -> usize {
        match self.fresh {
            0 => 0,
            fresh => self.kept().map_or(0, |_| fresh),
        }
    }

    /// The same for the next prompt of a look.
    pub fn kept_in(mut self, look: u64, corpus: &Corpus) -> Option<KeptLinks> {
        let kept = self.reused.take().or_else(|| self.all())?;
        Some(KeptLinks {
            look: Some(look),
            serials: corpus.files.iter().map(|file| file.serial).collect(),
            ..kept
        })
    }

    fn all(&self) -> Option<KeptLinks> {
        let basis = self.basis.as_ref()?;
        let links: usize = self.links.iter().map(Vec::len).sum();
        if links > MAX_LINKS || basis.consulted.len() > MAX_CONSULTED {
            return None;
        }
        // What was changed a moment before it was read may have changed unseen.
        let is_settled = |(_, stamp): &Consulted| stamp.as_ref().is_none_or(Stamp::is_settled);
        let mut kept = KeptLinks {
            is_passing: !basis.consulted.iter().all(is_settled),
            look: None,
            serials: Vec::new(),
            basis: basis.clone(),
            to: Vec::with_capacity(links),
            ends: Vec::with_capacity(self.links.len()),
        };
        for links in self.links.iter() {
            for at in links {
                kept.to.push(u32::try_from(*at).ok()?);
            }
            kept.ends.push(u32::try_from(kept.to.len()).ok()?);
        }
        Some(kept)
    }
}

/// What a file shows to those that import it.
pub fn exports(file: &File) -> (&str, Exports<'_>) {
    let exports = Exports {
        package: file.read.package.as_deref(),
        offers: &file.read.offers,
    };
    (file.path.as_str(), exports)
}

/// Stands for the paths of all files and what these say of themselves.
fn mark(corpus: &Corpus) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for file in &corpus.files {
        let (path, exports) = exports(file);
        (path, exports.package, exports.offers).hash(&mut hasher);
    }
    hasher.finish()
}

/// The files that one file imports, in order.
fn imported(resolver: &Resolver<'_>, corpus: &Corpus, at: usize, file: &File) -> Vec<usize> {
    let importer = Importer {
        resolver,
        file: &file.path,
        language: file.language,
        package: file.read.package.clone(),
        named: &file.read.named,
    };
    let imports = file.read.imports.iter();
    let mut to: Vec<usize> = imports
        .flat_map(|import| importer.resolve(import))
        .filter_map(|path| corpus.place(path.as_str()))
        .filter(|to| *to != at)
        .collect();
    to.sort_unstable();
    to.dedup();
    to
}
