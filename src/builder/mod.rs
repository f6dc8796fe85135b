//! Ready-made contexts for four kinds of workers: what each needs, as plain data.
//!
//! A builder never fails when something is missing: it returns empty values, a warning, and figures
//! that say what is there.

mod account;
mod built;
mod call;
mod endings;
mod finding;
mod fix;
mod forms;
mod gathering;
mod implementation;
mod issue;
mod mention;
mod place;
mod plain;
mod reading;
mod review;
mod sarif;
mod search;
mod stack;
mod stages;
mod validation;
mod workspace;

use serde::{Serialize, Serializer};

pub use self::built::{Built, Texts};
pub use self::finding::ValidationError;
pub use self::fix::{FixContext, build_fix_context};
pub use self::implementation::{ImplementationContext, TaskFile, build_implementation_context};
#[cfg(fuzzing)]
pub(crate) use self::issue::mentioned;
pub use self::issue::{Issue, IssueContext, build_issue_context};
pub use self::review::{ReviewContext, ReviewStats, build_review_context};
pub use self::validation::Validation;
pub use self::workspace::{MAX_RELATED, Workspace};

/// A file with fewer lines than this is shown whole.
pub const WHOLE_FILE_LINES: usize = 500;

/// The most lines of any file that are shown.
pub const MAX_FILE_LINES: usize = 50_000;

/// A larger file is not read, in bytes: about what [`MAX_FILE_LINES`] lines have.
const MAX_FILE: u64 = 8 * 1024 * 1024;

/// Files with their texts, in order, each path once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(pub Vec<(String, String)>);

impl Files {
    /// Returns the text of the file at this path.
    pub fn get(&self, path: &str) -> Option<&str> {
        let file = self.0.iter().find(|(have, _)| have == path);
        file.map(|(_, text)| text.as_str())
    }

    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        self.0.iter_mut().map(|(_, text)| text)
    }
}

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(path, text)| (path, text)))
    }
}
