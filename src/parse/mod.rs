//! Parses texts where nothing in them can stop this process.
//!
//! Grammars are C programs with scanners by many authors. A text of 20 KB can make one run for a
//! minute, take all memory, or overflow the stack, and none of that can be caught in the process in
//! which it happens. So a [`Parser`] asks other processes, which are started when there is
//! something to parse and end with the prompt. Their answers are checked before anything uses them.
//!
//! The result for a text depends only on the text, not on who parsed it after what. A text whose
//! parsing takes too much has no result, whoever tries, and that is remembered.

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
/// A grammar reads what a stranger wrote, and a hostile text can make it take any amount of time
/// and memory, or end the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Parsing {
    /// Nowhere: files are cut into paragraphs, and there are no outlines and no map.
    #[default]
    Never,
    /// In processes of this program, as many as there is work for, but no more than there are
    /// cores. It is started with [`PARSE_WORKER`] as its only argument and must call
    /// [`serve_parse_worker`]: `packer` does that, and so may a program of the caller's own.
    Worker(PathBuf),
    /// In this process, without a limit on time and memory: for trusted repositories.
    TrustedInProcess,
}

impl Outliner for Parser {
    fn outline(&self, path: &str, text: &str) -> Vec<Range<usize>> {
        self.one(Wanted::Outline, path, text).outline
    }
}
