//! Has texts parsed where nothing that they hold can stop this process.
//!
//! Grammars are programs in C with scanners of many hands. A text of 20 KB can make one
//! run for a minute, take all memory, or overflow the stack; none of that can be caught
//! in the process in which it happens. So a [`Parser`] asks other processes, which are
//! started when there is something to parse and end with the prompt. Whatever they answer
//! is checked before anybody uses it.
//!
//! The result of a text depends on the text alone, not on who parsed it after what: one
//! whose parsing takes too much has none, whoever tries, and that is remembered.

mod account;
mod parser;
mod told;
mod verdicts;
mod waiting;
mod worker;

use std::ops::Range;
use std::path::PathBuf;

pub use self::parser::Parser;
pub use self::waiting::Source;
pub use self::worker::{SUBCOMMAND as PARSE_WORKER, serve as serve_parse_worker};
use crate::section::Outliner;
use crate::syntax::Wanted;

/// Where source is parsed for its parts and outlines.
///
/// A grammar reads what a stranger wrote, and a hostile text can make it take any time
/// and memory, or end the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Parsing {
    /// Nowhere: files are cut into paragraphs, and there are no outlines and no map.
    #[default]
    Never,
    /// In processes of this program, as many as there is work for and at most as many as
    /// there are cores. It is started with [`PARSE_WORKER`] as its only argument and has
    /// to call [`serve_parse_worker`]: `packer` does that, and so may a program of the
    /// caller's own.
    Worker(PathBuf),
    /// In this process, without a bound on time and memory: for repositories that are
    /// trusted.
    TrustedInProcess,
}

impl Outliner for Parser {
    fn outline(&self, path: &str, text: &str) -> Vec<Range<usize>> {
        self.one(Wanted::Outline, path, text).outline
    }
}
