//! Every file that patterns match, one by one, for a caller that wants all of them whole.

use std::collections::{HashMap, HashSet};

use super::find::{Asked, Pick, below, resolve, settle};
use super::{MAX_FILE, Placer, files, unreadable};
use crate::error::{Error, ErrorKind};
use crate::repo::{Asker, FileId, Refusal, Repo, RepoPath};
use crate::role::pattern::{Exclusion, Pattern};
use crate::section::{Note, Piece};
use crate::show::quoted;

/// The files that patterns match, in the order of their paths, each once.
pub struct Matching {
    picks: Vec<Pick>,
}

/// The result of reading a file that a pattern matches.
pub enum Read {
    /// Its text, or a remark instead, if a file that was asked for by its path is binary or too
    /// large.
    Piece(Box<Piece>),
    /// It is left out because it is binary.
    Binary(RepoPath),
    /// It is left out because it is larger than [`MAX_FILE`].
    Large(RepoPath),
    /// It cannot be read.
    Unreadable(Note),
}

impl Matching {
    /// Finds the files that patterns match (all files if there is no pattern), and notes what could
    /// not be listed and which pattern matches nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Request`] for a pattern that does not parse, that could lead outside, or that
    /// asks for a section.
    pub fn find(
        repo: &Repo,
        patterns: &[String],
        exclude: &[String],
    ) -> Result<(Matching, Vec<Note>), Error> {
        let patterns = parse(repo, patterns)?;
        let exclusion = Exclusion::new(parse(repo, exclude)?).map_err(|why| refused(&why))?;
        let excluded = |path: &RepoPath| exclusion.excludes(path);
        let placer = Placer {
            repo,
            exclusion: &exclusion,
            guesses: Vec::new(),
            named: HashSet::new(),
            placed: HashMap::new(),
            left: 0,
        };
        let mut notes = Vec::new();
        let mut picks = if patterns.is_empty() {
            below(&placer, &mut notes, &RepoPath::root(), &excluded)
        } else {
            let patterns: Vec<_> = patterns.into_iter().map(|p| (p, Asker::Caller)).collect();
            resolve(&placer, &mut notes, &patterns, &excluded).map_err(|why| refused(&why))?
        };
        settle(&mut picks);
        // Of a file to which only links lead, what comes first is written.
        if picks.iter().any(|pick| pick.path() != pick.real()) {
            let mut placed = HashSet::new();
            picks.retain(|pick| placed.insert(pick.real().clone()));
        }
        Ok((Matching { picks }, notes))
    }

    /// Leaves out the output file, and returns its path if it was among them.
    pub fn leave_out(&mut self, repo: &Repo, written: &FileId) -> Option<RepoPath> {
        let is_it = |pick: &Pick| repo.id(pick.real()).as_ref() == Some(written);
        let at = self.picks.iter().position(is_it)?;
        Some(self.picks.remove(at).path().clone())
    }

    /// Returns how many files there are.
    pub fn len(&self) -> usize {
        self.picks.len()
    }

    /// Reads one of the files.
    pub fn read(&self, repo: &Repo, at: usize) -> Read {
        let pick = &self.picks[at];
        let (path, is_named) = (pick.path(), pick.asked < Asked::ByFolder);
        let file = pick.file.as_ref().map_err(|refused| refused.1.clone());
        match file.and_then(|file| repo.read(file, MAX_FILE)) {
            Ok(file) => Read::Piece(files::source(path, file).into()),
            Err(Refusal::Binary(_)) if !is_named => Read::Binary(path.clone()),
            Err(Refusal::TooLarge(_)) if !is_named => Read::Large(path.clone()),
            Err(Refusal::Binary(bytes)) => Read::Piece(files::binary(path, bytes).into()),
            Err(Refusal::TooLarge(bytes)) => Read::Piece(files::too_large(path, bytes).into()),
            Err(refusal) => Read::Unreadable(unreadable(path, &refusal)),
        }
    }
}

/// Reads patterns that the caller gave.
fn parse(repo: &Repo, texts: &[String]) -> Result<Vec<Pattern>, Error> {
    let parse = |text: &String| {
        let fail = |why: &dyn std::fmt::Display| {
            refused(&format!("cannot use the pattern `{}`: {why}", quoted(text)))
        };
        match Pattern::parse(text) {
            Ok(Pattern::Sentinel(_)) => Err(fail(&"it asks for a section, as in a role")),
            Ok(pattern) => pattern.resolve(repo).map_err(|why| fail(&why)),
            Err(why) => Err(fail(&why)),
        }
    };
    texts.iter().map(parse).collect()
}

fn refused(why: &str) -> Error {
    Error::say(ErrorKind::Request, why)
}
