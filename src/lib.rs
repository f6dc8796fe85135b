//! Builds the prompt for one worker of an AI coding system.
//!
//! The input is a *role* (YAML: who the worker is, what context it needs, what matters most), a
//! task, target files and a repository. packer gathers the context that the role asks for, fits it
//! to a token budget by priority, and renders it through an allowlisted, sandboxed Jinja template.
//! The result is a [`Prompt`]: the text, and a report of what is in it and what is not.
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
//! Other modules follow the same limits and report the same notes: [`readers`] read files that a
//! model asks for, [`context_dir`] loads a project's `.context/` directory, [`builders`] gather
//! what one kind of worker needs, and [`shorten`] cuts texts to size.
//!
//! A mistake of the caller is an [`Error`]. A problem in the repository is a [`Note`] in the
//! result, and the prompt is still built. The same inputs always give the same bytes.
//!
//! # Features
//!
//! All are on by default. A program that uses the library needs none of `cli`, `mcp` and `preview`,
//! which make up the command. `languages` adds outlines and the parts of files; `exact-tokens` adds
//! the exact tokenizers.

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
mod choice;
mod context;
mod error;
mod fence;
mod format;
#[cfg(fuzzing)]
pub mod fuzz;
mod hash;
mod index;
mod json;
mod line_numbers;
pub mod memory;
mod message;
mod metadata;
pub mod models;
mod nearest;
mod packer;
mod parse;
mod processor;
mod prompt;
mod ranges;
mod rank;
mod remark;
mod repo;
mod request;
mod role;
mod secrets;
mod section;
pub mod settings;
mod show;
mod shown;
mod source;
mod split;
mod syntax;
mod template;
pub mod tokens;
mod truncate;
mod unseen;

pub use error::{Error, ErrorKind};
pub use message::Message;
pub use packer::ContextPacker;
pub use prompt::Prompt;
pub use repo::{Progress, discover};
pub use request::Request;
pub use role::Role;
pub use role::load::Roles;
pub use section::{Note, NoteKind};
#[doc(hidden)]
pub use source::related::Signals;
pub use template::Templates;

/// Ready-made contexts for four kinds of workers, as plain data.
///
/// A builder does not fail when something is missing: it returns empty values, a warning, and
/// [figures](builders::Metadata) that say what is there.
///
/// ```
/// use context_packer::builders::{Workspace, build_review_context};
/// use context_packer::tokens::Counter;
///
/// # fn main() -> Result<(), context_packer::Error> {
/// let workspace = Workspace::open(".")?;
/// let review = build_review_context(&workspace, "HEAD", false).fit(8_000, Counter::Chars);
/// println!("{} files, {} warnings", review.data.changed_files.0.len(), review.warnings.len());
/// # Ok(())
/// # }
/// ```
pub mod builders {
    pub use crate::builder::{
        Built, Files, FixContext, ImplementationContext, Issue, IssueContext, MAX_RELATED,
        ReviewContext, ReviewStats, TaskFile, Texts, Validation, ValidationError, Workspace,
        build_fix_context, build_implementation_context, build_issue_context, build_review_context,
    };
    pub use crate::metadata::{FileLines, Metadata};
    pub use crate::repo::Commit;
}

/// The `.context/` directory: a project's own memory in Markdown files.
///
/// ```
/// use context_packer::context_dir::{LoaderOptions, load_context};
///
/// # fn main() -> Result<(), context_packer::Error> {
/// let options = LoaderOptions {
///     token_budget: 2_000,
///     ..LoaderOptions::default()
/// };
/// println!("{}", load_context(&options)?.summary);
/// # Ok(())
/// # }
/// ```
pub mod context_dir {
    pub use crate::source::context_dir::{
        CONTEXT_BUDGET, CONTEXT_DIR, CONTEXT_FILES, ContextFile, Item, ItemStatus, LoadedContext,
        LoaderOptions, ParsedContent, ParsedSection, has_context, load_context, load_context_file,
    };
}

/// What is wrong in a role or a template, and where.
pub mod diagnostics {
    pub use crate::error::{Diagnostic, Place, Rule, Severity};
}

/// All matching files at once, whole, without a role or a budget.
///
/// See [`ContextPacker::dump`](crate::ContextPacker::dump).
pub mod dump {
    pub use crate::packer::{Dump, Dumped};
}

/// Why a prompt is as it is, section by section and file by file.
///
/// See [`ContextPacker::explain`](crate::ContextPacker::explain).
pub mod explain {
    pub use crate::packer::{
        ExcludedPath, ExplainedPiece, ExplainedSection, Explanation, Fate, FileAnswer, Question,
        Segment,
    };
    pub use crate::source::Origin as OriginReport;
}

/// Where source is parsed: [`ContextPacker::with_parsing`](crate::ContextPacker::with_parsing).
///
/// Grammars find the parts of files, their outlines and the map. They are C programs, and hostile
/// text can make one end the process that it runs in. So nothing is parsed unless the caller
/// chooses where. A program that ships `packer` beside it names that:
///
/// ```no_run
/// use context_packer::ContextPacker;
/// use context_packer::parsing::Parsing;
///
/// # fn main() -> Result<(), context_packer::Error> {
/// let worker = Parsing::Worker("/usr/local/bin/packer".into());
/// let packer = ContextPacker::open(".")?.with_parsing(worker);
/// # Ok(())
/// # }
/// ```
///
/// It must be of the same version. A program can also start itself with [`PARSE_WORKER`] as its
/// only argument, and then do nothing but [`serve_parse_worker`](parsing::serve_parse_worker) on
/// standard input and output.
///
/// [`PARSE_WORKER`]: parsing::PARSE_WORKER
pub mod parsing {
    pub use crate::parse::{PARSE_WORKER, Parsing, serve_parse_worker};
}

/// Guarded reading, for loops in which a model asks for files.
///
/// ```
/// use context_packer::readers::{ReadFiles, ReadOptions};
/// use context_packer::settings::FilesStyle;
///
/// let mut files = ReadFiles::new(".");
/// let options = ReadOptions {
///     max_files: Some(20),
///     ..ReadOptions::default()
/// };
/// files.read_requested(["src/lib.rs", "../secret.txt"], &options);
/// let text = files.write(FilesStyle::Xml);
/// assert!(text.contains("outside the allowed directory"));
/// ```
pub mod readers {
    pub use crate::source::reader::{NameFilter, ReadFiles, ReadOptions};
}

/// What is in a prompt, for programs: [`Prompt::report`](crate::Prompt::report).
pub mod report {
    pub use crate::prompt::{Flow, PieceReport, Report, RoleReport, SectionReport};
    pub use crate::section::Status;
}

/// The parts of a [`Request`].
pub mod requests {
    pub use crate::repo::Asker;
    pub use crate::request::{
        Budget, ChangeOverrides, CommonOverrides, Earlier, MAX_CACHE_POINTS, MAX_KEY, Overrides,
        TurnOverrides,
    };
    pub use crate::shown::{Shown, ShownForm, ShownPiece, ShownSection};
}

/// The parts of a [`Role`].
pub mod roles {
    pub use crate::role::load::{AllRoles, ListedRole};
    pub use crate::role::schema::MAX_BUDGET;
    pub use crate::role::{
        Conventions, Gate, Related, RoleValue, Settings, Tree, draft_role, role_schema,
    };
}

/// Makes texts shorter and says what was left out.
pub mod shorten {
    pub use crate::budget::{
        DEFAULT_FIT_BUDGET, FitOptions, Fitted, MIN_SECTION_TOKENS, fit_to_budget,
    };
    pub use crate::truncate::{CONTEXT_LINES, LinesToKeep, truncate_file};
}

/// The parts of [`Templates`], and where an operator's templates are rendered.
pub mod templates {
    pub use crate::template::{
        Isolation, MAX_TEMPLATE, Source, TEMPLATE_WORKER, Withheld, serve_template_worker,
    };
}

/// What the command needs beyond the public interface. Nothing else may rely on it.
#[doc(hidden)]
pub mod command {
    pub use crate::json::{is_much_data, parse_data, parse_json, parse_request};
    pub use crate::nearest::{help_among, nearest, number_in};
    pub use crate::repo::{
        FileId, FileText, Line, compare_lines, decode, read_operator_file, read_regular_file,
        reason, state_of, write_new, write_whole, write_with,
    };
    pub use crate::role::parse_yaml;
    pub use crate::secrets::masked;

    /// Lists the sections that a caller may bring, for use in a sentence.
    pub fn brought_sections() -> String {
        crate::section::Source::brought()
    }

    /// Returns the names of all built-in sections.
    #[cfg(feature = "cli")]
    pub fn section_names() -> Vec<&'static str> {
        crate::section::Key::names()
    }

    pub mod show {
        pub use crate::show::*;
    }
}
