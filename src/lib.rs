//! Builds the prompt for one worker of an AI coding system.
//!
//! A *role* (YAML: who the worker is, what context it needs, what matters most), a
//! task, target files and a repository go in. The context that the role asks for
//! is gathered, made to fit a token budget by priority, and rendered through an
//! allowlisted, sandboxed Jinja template. A [`Prompt`] comes out: the text, and a
//! report of what is in it and what is not.
//!
//! ```
//! use context_packer::{ContextPacker, Request, Roles};
//!
//! # fn main() -> Result<(), context_packer::Error> {
//! let packer = ContextPacker::open(".")?;
//! let role = Roles::built_in().load("implementer")?;
//! let request = Request::new("Say in the crate's front page what a role is.")
//!     .target("src/lib.rs")
//!     .budget(12_000);
//! let prompt = packer.build_full_prompt("implement.j2", &role, &request)?;
//!
//! assert!(prompt.text.contains("### src/lib.rs"));
//! assert!(prompt.tokens() <= 12_000);
//! for warning in prompt.warnings() {
//!     eprintln!("{}", warning.message);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Beside it, on the same readers and the same accounts: [`ReadFiles`] reads files that
//! a model asks for, [`load_context`] loads a project's `.context/` directory, the
//! builders ([`build_review_context`] and three more) gather what one kind of worker
//! needs, and [`truncate_file`] and [`fit_to_budget`] make texts shorter.
//!
//! What the caller did wrong is an [`Error`]; what the repository does to us is a
//! [`Note`] in the result, and a prompt comes out all the same. The same inputs
//! give the same bytes.

/// The examples of the README and the documents.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/readers.md")]
#[doc = include_str!("../docs/context-directory.md")]
struct Readme;

#[cfg(feature = "bench")]
#[doc(hidden)]
pub mod bench;
mod budget;
mod builder;
mod context;
mod error;
mod fence;
mod format;
#[cfg(fuzzing)]
pub mod fuzz;
mod hash;
mod json;
mod memory;
mod metadata;
mod nearest;
mod packer;
mod prompt;
mod repo;
mod request;
mod role;
mod secrets;
mod section;
mod settings;
pub mod show;
mod source;
mod split;
mod syntax;
mod template;
mod tokens;
mod truncate;

pub use budget::{DEFAULT_FIT_BUDGET, Fitted, MIN_SECTION_TOKENS, fit_to_budget};
pub use builder::{
    Built, Files, FixContext, ImplementationContext, Issue, IssueContext, ReviewContext,
    ReviewStats, TaskFile, Texts, Validation, ValidationError, Workspace, build_fix_context,
    build_implementation_context, build_issue_context, build_review_context,
};
pub use error::{Diagnostic, Error, ErrorKind, Place, Rule, Severity};
pub use json::parse_json;
pub use memory::{bound_memory, make_room_for};
pub use metadata::{FileLines, Metadata};
pub use nearest::nearest;
pub use packer::{
    CUT_MARKER, ContextPacker, Dump, Dumped, ExcludedPath, ExplainedPiece, ExplainedSection,
    Explanation, Fate, FileAnswer, OriginReport, Question, Segment, TEMPLATE_RESERVE,
};
pub use prompt::{Flow, PieceReport, Prompt, Report, RoleReport, SectionReport};
pub use repo::{
    Commit, FileId, FileText, discover, read_operator_file, state_of, write_new, write_whole,
    write_with,
};
pub use request::Request;
pub use role::load::{Listed, Roles};
pub use role::schema::MAX_BUDGET;
pub use role::{
    Conventions, Gate, Related, Role, RoleValue, Settings, Tree, draft_role, role_schema,
};
pub use section::{Note, NoteKind, Status};
pub use settings::{Engine, FilesStyle, Prune, Style};
pub use source::context_dir::{
    CONTEXT_BUDGET, CONTEXT_DIR, CONTEXT_FILES, ContextFile, Item, ItemStatus, LoadedContext,
    LoaderOptions, ParsedContent, ParsedSection, has_context, load_context, load_context_file,
};
pub use source::reader::{NameFilter, ReadFiles, ReadOptions};
#[doc(hidden)]
pub use source::related::Signals;
pub use template::{Source, TEMPLATE_WORKER, Templates, serve_template_worker};
pub use tokens::{Tokenizer, estimate_tokens};
pub use truncate::{CONTEXT_LINES, truncate_file};
