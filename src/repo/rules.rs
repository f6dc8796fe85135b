//! What git ignores: the rules of ignore files, read through the same door as every file.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::read::{Stamp, stamp_of};
use super::{FileText, Refusal, Repo, RepoPath};
use crate::section::{Note, NoteKind};
use crate::show::{counted, visible};

/// An ignore file is at most this large, in bytes. The largest in use have a few
/// hundred lines; compiling many more takes much memory.
const MAX_IGNORE_FILE: u64 = 64 * 1024;

/// The most bytes of ignore files that are remembered once they are compiled, which takes
/// some fifty times as much.
const MAX_KEPT: usize = 64 * 1024;

/// The most that compiling the ignore files of one walk may cost, in bytes of these with so
/// much for each: about a second. The largest repositories have a few thousand, of a
/// hundred bytes.
const MAX_IGNORE_FILES: usize = 1024 * 1024;
const OF_FILE: usize = 32;

/// What the ignore files of one walk may still cost.
pub(super) struct Account {
    left: Cell<usize>,
    /// How many folders have rules for which nothing was left.
    lacking: Cell<usize>,
}

impl Account {
    pub(super) fn new() -> Account {
        Account {
            left: Cell::new(MAX_IGNORE_FILES),
            lacking: Cell::new(0),
        }
    }

    /// Whether there is room for a file of so many bytes; if not, there is none any more.
    fn takes(&self, bytes: u64) -> bool {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.spends(bytes.saturating_add(OF_FILE))
    }

    /// The same for the files of a folder that cost so much before.
    pub(super) fn spends(&self, cost: usize) -> bool {
        let rest = self.left.get().checked_sub(cost);
        self.left.set(rest.unwrap_or_default());
        rest.is_some()
    }

    pub(super) fn left(&self) -> usize {
        self.left.get()
    }

    /// Counts a folder whose rules are not known.
    pub(super) fn lack(&self) {
        self.lacking.set(self.lacking.get() + 1);
    }

    /// Says how many of them there are.
    pub(super) fn note(&self) -> Option<Note> {
        let folders = self.lacking.get();
        (folders > 0).then(|| {
            let message = format!(
                "{} left out: the ignore files before theirs have {} MiB together",
                counted(folders, "folder"),
                MAX_IGNORE_FILES >> 20
            );
            Note::new(NoteKind::Skipped, message)
        })
    }
}

/// There is no room for the rules of a folder.
pub(super) struct Full;

/// One ignore file of a folder.
enum Own {
    Missing,
    Rules(Arc<Gitignore>),
    /// It is there, and nobody knows what it hides.
    Unknown,
}

/// Whether git ignores something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ignored {
    No,
    /// No rule says so that could be read, but there are others.
    Perhaps,
    Yes,
}

/// The ignore rules that hold in a folder: its own and those of the folders above.
pub(super) struct Rules {
    /// `.ignore` before `.gitignore` before `.git/info/exclude`.
    own: [Option<Arc<Gitignore>>; 3],
    above: Option<Arc<Rules>>,
    /// Whether some of them could not be read.
    unknown: bool,
}

impl Rules {
    /// Whether some of them could not be read, so that only what git tracks is known not to be
    /// ignored.
    pub(super) fn are_unknown(&self) -> bool {
        self.unknown
    }

    pub(super) fn ignores(&self, path: &str, folder: bool) -> bool {
        (0..self.own.len())
            .find_map(|kind| self.verdict(kind, path, folder))
            .unwrap_or(false)
    }

    /// What the nearest rule of this kind says.
    fn verdict(&self, kind: usize, path: &str, folder: bool) -> Option<bool> {
        let mut rules = Some(self);
        while let Some(here) = rules {
            if let Some(own) = &here.own[kind] {
                match own.matched(path, folder) {
                    Match::Ignore(_) => return Some(true),
                    Match::Whitelist(_) => return Some(false),
                    Match::None => {}
                }
            }
            rules = here.above.as_deref();
        }
        None
    }
}

/// Ignore files that were compiled, as long as they do not change: whoever asks for one
/// path after another would compile the same ones over and over.
#[derive(Default)]
pub(super) struct Compiled {
    files: RefCell<HashMap<RepoPath, (Stamp, Arc<Gitignore>)>>,
    bytes: RefCell<usize>,
}

impl Compiled {
    fn get(&self, path: &RepoPath, stamp: Option<Stamp>) -> Option<Arc<Gitignore>> {
        let files = self.files.borrow();
        let (known, rules) = files.get(path)?;
        (Some(*known) == stamp).then(|| Arc::clone(rules))
    }

    /// Remembers the rules of a file that will not change unnoticed.
    fn keep(&self, path: RepoPath, stamp: Option<Stamp>, bytes: usize, rules: &Arc<Gitignore>) {
        let Some(stamp) = stamp.filter(Stamp::is_settled) else {
            return;
        };
        let mut used = self.bytes.borrow_mut();
        if *used + bytes <= MAX_KEPT {
            *used += bytes;
            self.files
                .borrow_mut()
                .insert(path, (stamp, Arc::clone(rules)));
        }
    }
}

/// A line for the matcher, which takes every kind of white space from its end, as git reads it:
/// up to a zero, without the spaces at its end that no backslash stands before.
fn as_git_reads(line: &str) -> Cow<'_, str> {
    let mut line = line.split('\0').next().unwrap_or_default();
    let is_escaped =
        |before: &str| before.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
    while let Some(before) = line.strip_suffix(' ').filter(|before| !is_escaped(before)) {
        line = before;
    }
    match line.chars().next_back() {
        Some(last) if last.is_whitespace() && last != ' ' => {
            let before = &line[..line.len() - last.len_utf8()];
            let before = if is_escaped(before) {
                &before[..before.len() - 1]
            } else {
                before
            };
            format!("{before}[{last}]").into()
        }
        _ => line.into(),
    }
}

impl Repo {
    /// Whether the walk would pass over this file, or a folder that it lies in.
    pub fn is_ignored(&self, path: &RepoPath) -> bool {
        self.ignored(path, false, &RepoPath::root()) != Ignored::No
    }

    /// The same for a file or a folder that lies below `base`, which nobody asks about.
    pub(super) fn ignored(&self, path: &RepoPath, is_folder: bool, base: &RepoPath) -> Ignored {
        let mut notes = Vec::new();
        let Some(rules) = self.rules_above(path, &mut notes) else {
            return Ignored::No;
        };
        let mut parts = path.upwards().take_while(|part| part != base);
        let is_ignored = super::git_folder::names_git(path.as_str())
            || parts.any(|part| rules.ignores(part.as_str(), is_folder || part != *path));
        if is_ignored {
            Ignored::Yes
        } else if rules.unknown || !notes.is_empty() {
            Ignored::Perhaps
        } else {
            Ignored::No
        }
    }

    /// The rules of the folders above `start`.
    pub(super) fn rules_above(
        &self,
        start: &RepoPath,
        notes: &mut Vec<Note>,
    ) -> Option<Arc<Rules>> {
        let folders: Vec<RepoPath> = start.upwards().skip(1).collect();
        let account = Account::new();
        let mut above = None;
        for folder in folders.iter().rev() {
            let wanted = [true, true, folder.is_root()];
            match self.rules_of(folder, wanted, above.clone(), &account, notes) {
                Ok(rules) => above = Some(rules),
                Err(Full) => {
                    account.lack();
                    notes.extend(account.note());
                    above = Some(Arc::new(Rules {
                        own: [const { None }; 3],
                        above,
                        unknown: true,
                    }));
                    break;
                }
            }
        }
        above
    }

    /// The rules of a folder with these of the three kinds of files.
    pub(super) fn rules_of(
        &self,
        folder: &RepoPath,
        wanted: [bool; 3],
        above: Option<Arc<Rules>>,
        account: &Account,
        notes: &mut Vec<Note>,
    ) -> Result<Arc<Rules>, Full> {
        let names = [".ignore", ".gitignore", ".git/info/exclude"];
        let mut own = [const { None }; 3];
        let mut unknown = above.as_ref().is_some_and(|above| above.unknown);
        for kind in 0..own.len() {
            if wanted[kind] {
                match self.ignore_file(folder, names[kind], account, notes)? {
                    Own::Missing => {}
                    Own::Rules(rules) => own[kind] = Some(rules),
                    Own::Unknown => unknown = true,
                }
            }
        }
        Ok(match above {
            Some(above) if own.iter().all(Option::is_none) && unknown == above.unknown => above,
            above => Arc::new(Rules {
                own,
                above,
                unknown,
            }),
        })
    }

    fn ignore_file(
        &self,
        folder: &RepoPath,
        name: &str,
        account: &Account,
        notes: &mut Vec<Note>,
    ) -> Result<Own, Full> {
        let path = folder.entry(name);
        // A link may lead to another file tomorrow.
        let meta = fs::symlink_metadata(self.root().join(path.as_str())).ok();
        let file = meta.filter(fs::Metadata::is_file);
        let stamp = file.as_ref().and_then(stamp_of);
        if let Some(known) = self.compiled.get(&path, stamp) {
            // What is known costs no less: what is listed must not depend on who asked before.
            let bytes = file.map_or(0, |file| file.len());
            return account
                .takes(bytes)
                .then_some(Own::Rules(known))
                .ok_or(Full);
        }
        let mut fail = |kind, why: String| {
            let shown = visible(path.as_str());
            let message = format!(
                "the ignore rules of `{shown}` cannot be read, so only what git tracks is shown \
                 of what they may be about: {why}"
            );
            notes.push(Note::new(kind, message).on(path.as_str()));
        };
        let file = match self.ignore_text(&path, name) {
            Ok(file) => file,
            Err(Refusal::Missing) => return Ok(Own::Missing),
            Err(refusal) => {
                fail(NoteKind::Unreadable, refusal.to_string());
                return Ok(Own::Unknown);
            }
        };
        if !account.takes(file.bytes) {
            return Err(Full);
        }
        let mut builder = GitignoreBuilder::new(folder.as_str());
        for line in file.text.lines() {
            // Git passes over a line that it cannot read, and so do we.
            let _ = builder.add_line(None, &as_git_reads(line));
        }
        match builder.build() {
            Ok(rules) => {
                let rules = Arc::new(rules);
                self.compiled.keep(path, stamp, file.text.len(), &rules);
                Ok(Own::Rules(rules))
            }
            Err(error) => {
                fail(NoteKind::Pattern, error.to_string());
                Ok(Own::Unknown)
            }
        }
    }

    fn ignore_text(&self, path: &RepoPath, name: &str) -> Result<FileText, Refusal> {
        match self.read_rules(path, MAX_IGNORE_FILE) {
            // In a worktree or a submodule `.git` is a file, and the rules lie elsewhere.
            Err(why) if name.starts_with(".git/") && why != Refusal::Missing => {
                let exclude = self.git().ok().map(super::Git::exclude_file);
                let file = exclude.ok_or(Refusal::Missing)?;
                super::read::read_regular_rules(&file, MAX_IGNORE_FILE)
            }
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_line_is_what_git_takes_for_it() {
        for (line, pattern) in [
            ("a", "a"),
            ("a  ", "a"),
            ("a\\  ", "a\\ "),
            ("a\\\\ ", "a\\\\"),
            ("a\t", "a[\t]"),
            ("a\\\t ", "a[\t]"),
            ("a\\\\\t", "a\\\\[\t]"),
            ("a\0b", "a"),
            ("", ""),
        ] {
            assert_eq!(as_git_reads(line), pattern, "{line:?}");
        }
    }
}
