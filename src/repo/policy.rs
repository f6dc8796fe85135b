//! Who may read what.
//!
//! Nothing of a repository is opened without a [`Readable`], and there are two ways to get one:
//! code that [admits](super::Repo::admit) a file consults the one table of this file, and a walk
//! finds only what every row of the table shows.

use super::RepoPath;

/// Who wants a file to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Asker {
    /// The caller itself, in its own options.
    #[default]
    Caller,
    /// A role or template that the caller brought.
    Operator,
    /// A model: what it asks for in a loop, or by the arguments of a tool.
    Model,
    /// What the repository says, or a stranger who writes about it: its own roles, `.context/`,
    /// conventions, imports, the paths in errors, issues and tasks, what git lists as changed.
    Repository,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A file that git lists, or would list: it is tracked, or new and not ignored.
    Listed,
    /// A file that git ignores and does not track.
    Ignored,
    /// Something in a git folder, or the file `.git` that leads to one.
    Git,
    /// A file that git lists or would list, by a link.
    LinkToListed,
    /// By a link that leads to an ignored file, through one, or is one.
    LinkToIgnored,
    /// By a link that leads into a git folder, or through one.
    LinkToGit,
    /// Something outside the repository, by its name or by a link.
    Outside,
    /// A FIFO, a device, a socket.
    Special,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Its text is shown.
    Show,
    /// Nothing of it is shown, and a remark stands in its place: the asker waits for an answer.
    Mark,
    /// Nothing of it is shown, and a note says so.
    Refuse,
}

/// The columns of [`VERDICTS`].
pub const PLACES: [Place; 8] = [
    Place::Listed,
    Place::Ignored,
    Place::Git,
    Place::LinkToListed,
    Place::LinkToIgnored,
    Place::LinkToGit,
    Place::Outside,
    Place::Special,
];

/// What happens to each place, for each asker. `docs/hardening.md` has the same table, and a test
/// checks all of it.
#[rustfmt::skip]
pub const VERDICTS: [(Asker, [Verdict; 8]); 4] = {
    use Verdict::{Mark, Refuse, Show};
    [
        //                  Listed Ignored  Git    ToListed ToIgnored ToGit Outside Special
        (Asker::Caller,     [Show, Show,   Refuse, Show,    Mark,   Mark,   Refuse, Mark]),
        (Asker::Operator,   [Show, Show,   Refuse, Show,    Refuse, Refuse, Refuse, Refuse]),
        (Asker::Model,      [Show, Mark,   Refuse, Show,    Mark,   Mark,   Refuse, Mark]),
        (Asker::Repository, [Show, Refuse, Refuse, Show,    Refuse, Refuse, Refuse, Refuse]),
    ]
};

/// Returns what the table says.
pub fn verdict(asker: Asker, place: Place) -> Verdict {
    let row = VERDICTS.iter().find(|(who, _)| *who == asker);
    let column = PLACES.iter().position(|known| *known == place);
    row.zip(column)
        .map_or(Verdict::Refuse, |((_, row), column)| row[column])
}

/// Why somebody may not read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Hidden {
    /// It is in a git folder, whose configuration may hold a password.
    #[error("git's own folder is never read")]
    Git,
    /// It is ignored.
    #[error("git ignores it, and it was not asked for by an option of the caller")]
    Ignored,
    /// It is ignored, as far as can be told without git's index.
    #[error("an ignore rule says so, and git's index, which could say otherwise, cannot be read")]
    Unlisted,
    /// A link gives it another name.
    #[error("it is a link to an ignored file or into `.git`")]
    Link,
}

/// A file that may be read by whoever asked for it. Only this file and the walk make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readable {
    path: RepoPath,
    /// Where it is: there is no link on the way.
    real: RepoPath,
}

impl Readable {
    /// Returns the path by which it was asked for.
    pub fn path(&self) -> &RepoPath {
        &self.path
    }

    /// Returns where it is once links are followed, which identifies and opens it.
    pub fn real(&self) -> &RepoPath {
        &self.real
    }

    /// Whether it is where it was asked for.
    pub fn is_plain(&self) -> bool {
        self.path == self.real
    }

    /// Makes one for a file that was checked: the file at this path is at `real`, and may be read.
    pub(super) fn admitted(path: RepoPath, real: RepoPath) -> Readable {
        Readable { path, real }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row of the documents for each asker, and their columns for each place; tracked and new
    /// files are listed alike.
    #[test]
    fn the_table_is_the_one_in_the_documents() {
        let columns = [0, 0, 1, 2, 3, 3, 4, 5, 6, 7];
        let text = include_str!("../../docs/hardening.md");
        for (asker, begins) in [
            (Asker::Caller, "| the caller"),
            (Asker::Operator, "| a role of the operator"),
            (Asker::Model, "| a model"),
            (Asker::Repository, "| what the repository says"),
        ] {
            let row = text.lines().find(|line| line.starts_with(begins)).unwrap();
            let cells = row.trim_matches('|').split('|').skip(1).map(str::trim);
            let said = columns.map(|column| match verdict(asker, PLACES[column]) {
                Verdict::Show => "show",
                Verdict::Mark => "mark",
                Verdict::Refuse => "refuse",
            });
            assert_eq!(cells.collect::<Vec<_>>(), said, "{asker:?}");
        }
    }

    #[test]
    fn nobody_is_shown_what_lies_in_a_git_folder_or_outside() {
        for (asker, _) in VERDICTS {
            for place in [
                Place::Git,
                Place::LinkToGit,
                Place::LinkToIgnored,
                Place::Outside,
            ] {
                assert_ne!(verdict(asker, place), Verdict::Show, "{asker:?} {place:?}");
            }
        }
    }
}
