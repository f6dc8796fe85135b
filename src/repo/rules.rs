//! What git ignores: the rules of ignore files, read through the same door as every file.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use super::ignore_file::{IgnoreFile, TooWild};
use super::read::{Stamp, stamp_of};
use super::{Refusal, Repo, RepoPath};
use crate::section::{Note, NoteKind};
use crate::show::{counted, quoted};

/// The largest ignore file, in bytes. The largest in use have a few hundred lines.
const MAX_IGNORE_FILE: u64 = 64 * 1024;

/// The most that is remembered of ignore files once they are read, in bytes of memory.
const MAX_KEPT: usize = 2 * 1024 * 1024;

/// The most that compiling the ignore files of one walk may cost, in bytes of these plus a fixed
/// cost for each: about a second. The largest repositories have a few thousand, of a hundred bytes.
const MAX_IGNORE_FILES: usize = 1024 * 1024;
const OF_FILE: usize = 32;

/// The most that matching the files of one walk with wildcards may cost, in steps of 64 states: a
/// few seconds. An ordinary repository takes less than a thousandth of it.
const MAX_STEPS: u64 = 1 << 29;

/// The most that matching a single path may cost, in such steps. Most take some thousand.
const MAX_STEPS_OF_PATH: u64 = 1 << 19;

/// What matching may still cost.
pub(super) struct Steps(Cell<u64>);

impl Steps {
    /// Whether there was enough for everything that was matched so far.
    pub(super) fn are_left(&self) -> bool {
        self.0.get() > 0
    }

    fn spend(&self, steps: u64) {
        self.0.set(self.0.get().saturating_sub(steps));
    }
}

/// What the ignore files of one walk may still cost.
pub(super) struct Account {
    left: Cell<usize>,
    pub(super) steps: Steps,
    /// How many folders have rules for which nothing was left.
    lacking: Cell<usize>,
}

impl Account {
    pub(super) fn new() -> Account {
        Account {
            left: Cell::new(MAX_IGNORE_FILES),
            steps: Steps(Cell::new(MAX_STEPS)),
            lacking: Cell::new(0),
        }
    }

    /// Whether there is room for a file of `bytes`; if not, there is none any more.
    fn takes(&self, bytes: u64) -> bool {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.spends(bytes.saturating_add(OF_FILE))
    }

    fn spends(&self, cost: usize) -> bool {
        let rest = self.left.get().checked_sub(cost);
        self.left.set(rest.unwrap_or_default());
        rest.is_some()
    }

    /// Charges what a folder cost before. Returns whether there was enough.
    pub(super) fn pays(&self, cost: Cost) -> bool {
        self.steps.spend(cost.steps);
        self.spends(cost.bytes) && self.steps.are_left()
    }

    /// Returns what was spent since this much was left.
    pub(super) fn cost_since(&self, left: Cost) -> Cost {
        let now = self.left();
        Cost {
            bytes: left.bytes - now.bytes,
            steps: left.steps - now.steps,
        }
    }

    pub(super) fn left(&self) -> Cost {
        Cost {
            bytes: self.left.get(),
            steps: self.steps.0.get(),
        }
    }

    /// Counts a folder whose rules are not known.
    pub(super) fn lack(&self) {
        self.lacking.set(self.lacking.get() + 1);
    }

    /// Notes how many of them there are.
    pub(super) fn note(&self) -> Option<Note> {
        let folders = self.lacking.get();
        (folders > 0).then(|| {
            let why = if self.steps.are_left() {
                let most = MAX_IGNORE_FILES >> 20;
                format!("the ignore files before theirs take {most} MiB together")
            } else {
                "the ignore files have too many wildcards for the files to match".into()
            };
            let message = format!("{} left out: {why}", counted(folders, "folder"));
            Note::new(NoteKind::Skipped, message)
        })
    }
}

/// What the rules of a folder cost.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cost {
    bytes: usize,
    steps: u64,
}

/// There is no room for the rules of a folder.
pub(super) struct Full;

/// One ignore file of a folder.
enum Own {
    Missing,
    Rules(Arc<IgnoreFile>),
    /// It exists, and nobody knows what it hides.
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

/// The ignore rules that apply in a folder: its own and those of the folders above.
pub(super) struct Rules {
    /// Where its own are.
    folder: RepoPath,
    /// `.ignore`, `.gitignore`, `.git/info/exclude`.
    own: [Option<Arc<IgnoreFile>>; 3],
    above: Option<Arc<Rules>>,
    /// Whether some of them could not be read.
    unknown: bool,
    /// Whether git ignores the folder itself, and lists only what it tracks there.
    hidden: bool,
}

/// Whose rules say that something is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Git's, which apply only to untracked files.
    Git,
    /// The rules of `.ignore`, which apply to everything.
    Tools,
}

impl Rules {
    /// Returns the rules of a folder in this one that git ignores.
    pub(super) fn of_hidden(self: &Arc<Self>, folder: &RepoPath) -> Arc<Rules> {
        Arc::new(Rules {
            folder: folder.clone(),
            own: [const { None }; 3],
            above: Some(Arc::clone(self)),
            unknown: self.unknown,
            hidden: true,
        })
    }

    /// Whether some of them could not be read, so that only tracked files are known not to be
    /// ignored.
    pub(super) fn are_unknown(&self) -> bool {
        self.unknown
    }

    /// Whether something in the folder is ignored. `.ignore` may hide more than git does, and shows
    /// nothing that git hides: a repository's own settings reach only what git lists.
    pub(super) fn ignores(&self, path: &str, is_folder: bool, steps: &Steps) -> Option<By> {
        let says = |kinds: &[usize]| self.verdict(kinds, path, is_folder, steps) == Some(true);
        if says(&[0]) {
            Some(By::Tools)
        } else {
            (self.hidden || says(&[1, 2])).then_some(By::Git)
        }
    }

    /// Returns a path relative to the folder of these rules.
    fn below<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self.folder.as_str() {
            "" => Some(path),
            folder => path.strip_prefix(folder)?.strip_prefix('/'),
        }
    }

    /// Returns what the nearest rule of these kinds says; within one folder, the kind that is named
    /// first wins.
    fn verdict(&self, kinds: &[usize], path: &str, is_folder: bool, steps: &Steps) -> Option<bool> {
        let mut rules = Some(self);
        while let Some(here) = rules.filter(|_| steps.are_left()) {
            // The rules of a folder say nothing of itself, nor of those above it.
            let path = here.below(path).map(str::as_bytes);
            for own in kinds.iter().filter_map(|kind| here.own[*kind].as_ref()) {
                let mut spent = 0;
                let said = path.and_then(|path| own.ignores(path, is_folder, &mut spent));
                steps.spend(spent);
                if said.is_some() {
                    return said;
                }
            }
            rules = here.above.as_deref();
        }
        None
    }
}

/// The ignore rules of a folder and of those above it.
#[derive(Clone)]
pub(super) struct Above {
    rules: Option<Arc<Rules>>,
    /// Whether something was wrong with one of them.
    is_unsure: bool,
}

/// Ignore files that were read, as long as they do not change: otherwise asking for one path after
/// another would read the same ones over and over.
#[derive(Default)]
pub(super) struct Compiled {
    files: RefCell<HashMap<RepoPath, (Stamp, Arc<IgnoreFile>)>>,
    bytes: RefCell<usize>,
}

impl Compiled {
    fn get(&self, path: &RepoPath, stamp: Option<Stamp>) -> Option<Arc<IgnoreFile>> {
        let files = self.files.borrow();
        let (known, rules) = files.get(path)?;
        (Some(*known) == stamp).then(|| Arc::clone(rules))
    }

    /// Remembers the rules of a file that will not change unnoticed.
    fn keep(&self, path: RepoPath, stamp: Option<Stamp>, rules: &Arc<IgnoreFile>) {
        let Some(stamp) = stamp.filter(Stamp::is_settled) else {
            return;
        };
        let bytes = rules.bytes();
        let mut used = self.bytes.borrow_mut();
        if *used + bytes <= MAX_KEPT {
            *used += bytes;
            self.files
                .borrow_mut()
                .insert(path, (stamp, Arc::clone(rules)));
        }
    }
}

impl Repo {
    /// Whether the walk would skip this file, or a folder that it is in.
    pub fn is_ignored(&self, path: &RepoPath) -> bool {
        self.ignored(path, false, &RepoPath::root()) != Ignored::No
    }

    /// Whether a file or a folder below `base` is ignored; `base` itself does not count.
    pub(super) fn ignored(&self, path: &RepoPath, is_folder: bool, base: &RepoPath) -> Ignored {
        let Some(folder) = path.upwards().nth(1) else {
            return Ignored::No;
        };
        let find = || {
            let mut notes = Vec::new();
            let rules = self.rules_above(path, &mut notes);
            let is_unsure = !notes.is_empty();
            Above { rules, is_unsure }
        };
        let above = self.of_folder(&folder, |folder| &mut folder.rules, find);
        let Some(rules) = above.rules else {
            return Ignored::No;
        };
        let steps = Steps(Cell::new(MAX_STEPS_OF_PATH));
        let mut parts = path.upwards().take_while(|part| part != base);
        let is_ignored = super::git_folder::names_git(path.as_str())
            || parts.any(|part| {
                rules
                    .ignores(part.as_str(), is_folder || part != *path, &steps)
                    .is_some()
            });
        if is_ignored {
            Ignored::Yes
        } else if rules.unknown || above.is_unsure || !steps.are_left() {
            Ignored::Perhaps
        } else {
            Ignored::No
        }
    }

    /// Returns the rules of the folders above `start`.
    pub(super) fn rules_above(
        &self,
        start: &RepoPath,
        notes: &mut Vec<Note>,
    ) -> Option<Arc<Rules>> {
        let folders: Vec<RepoPath> = start.upwards().skip(1).collect();
        let account = Account::new();
        let mut above = None;
        for folder in folders.iter().rev() {
            let has_git = || fs::symlink_metadata(self.root().join(folder.entry(".git").as_str()));
            let wanted = [true, true, folder.is_root() || has_git().is_ok()];
            match self.rules_of(folder, wanted, above.clone(), &account, notes) {
                Ok(rules) => above = Some(rules),
                Err(Full) => {
                    account.lack();
                    notes.extend(account.note());
                    above = Some(Arc::new(Rules {
                        folder: folder.clone(),
                        own: [const { None }; 3],
                        above,
                        unknown: true,
                        hidden: false,
                    }));
                    break;
                }
            }
        }
        above
    }

    /// Returns the rules of a folder with these of the three kinds of files. The third is wanted
    /// for the root, and for a folder with a repository of its own: what that hides is also hidden
    /// when seen from above.
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
        let hidden = above.as_ref().is_some_and(|above| above.hidden);
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
                folder: folder.clone(),
                own,
                above,
                unknown,
                hidden,
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
            let shown = quoted(path.as_str());
            let message = format!(
                "cannot read the ignore rules of `{shown}`, so where they may apply, only files \
                 that git tracks are shown: {why}"
            );
            notes.push(Note::new(kind, message).on(path.as_str()));
        };
        let text = match self.ignore_text(folder, name) {
            Ok(text) => text,
            // To look for it in another folder costs something.
            Err(Refusal::Missing) => return account.takes(0).then_some(Own::Missing).ok_or(Full),
            Err(refusal) => {
                fail(NoteKind::Unreadable, refusal.to_string());
                return Ok(Own::Unknown);
            }
        };
        if !account.takes(text.len() as u64) {
            return Err(Full);
        }
        let parsed = if self.ignores_case() {
            IgnoreFile::parse_folded(&text)
        } else {
            IgnoreFile::parse(&text)
        };
        match parsed {
            Ok(rules) => {
                let rules = Arc::new(rules);
                self.compiled.keep(path, stamp, &rules);
                Ok(Own::Rules(rules))
            }
            Err(TooWild) => {
                fail(NoteKind::Pattern, "they have too many wildcards".into());
                Ok(Own::Unknown)
            }
        }
    }

    /// Whether git ignores the case of names, as its configuration says where the file system does
    /// so.
    fn ignores_case(&self) -> bool {
        *self.folds.get_or_init(|| {
            let tree = self.around().map_or(self.root(), |(tree, _)| tree.root());
            super::git::ignores_case(tree)
        })
    }

    fn ignore_text(&self, folder: &RepoPath, name: &str) -> Result<Vec<u8>, Refusal> {
        match self.read_rules(&folder.entry(name), MAX_IGNORE_FILE) {
            // In a worktree or a submodule `.git` is a file, and the rules lie elsewhere.
            Err(why) if name.starts_with(".git/") && why != Refusal::Missing => {
                let exclude = super::git::exclude_file(&self.root().join(folder.as_str()));
                let file = exclude.ok_or(Refusal::Missing)?;
                super::read::read_regular_bytes(&file, MAX_IGNORE_FILE)
            }
            // As git does: what is left out on disk holds all the same.
            Err(Refusal::Missing) if name == ".gitignore" => {
                let git = self.git().map_err(|_| Refusal::Missing)?;
                git.not_checked_out(folder.entry(name).as_str(), MAX_IGNORE_FILE)
            }
            read => read,
        }
    }
}
