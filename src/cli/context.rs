//! `packer context`.

use std::path::PathBuf;

use clap::ValueEnum;
use context_packer::context_dir::{CONTEXT_BUDGET, CONTEXT_DIR, LoaderOptions, load_context};

use super::report::{Terminal, print_as_it_is, print_json};
use super::{Global, places};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer context
  packer context --budget 2000
  packer context --dir crates/core --context-dir .memory --format json";

#[derive(Debug, clap::Args)]
pub(super) struct ContextArgs {
    /// Where the search starts. It goes up to five folders higher, but not above a folder with
    /// `.git` [default: --repo, else the current folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// The name of the directory
    #[arg(long, value_name = "NAME", default_value = CONTEXT_DIR)]
    context_dir: String,

    /// The token budget of the summary
    #[arg(long, value_name = "TOKENS", default_value_t = CONTEXT_BUDGET)]
    budget: usize,

    /// The most important files, in this order, separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    priority: Vec<String>,

    /// Print the summary, or all parsed content as JSON
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: ContextFormat,

    /// Keep the parsed content in the user's cache folder
    #[arg(long)]
    cache: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ContextFormat {
    Markdown,
    Json,
}

pub(super) fn run(global: &Global, args: &ContextArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let dir = args.dir.clone().or_else(|| global.repo.clone());
    let options = LoaderOptions {
        root_dir: dir.unwrap_or_default(),
        context_dir: args.context_dir.clone(),
        token_budget: args.budget,
        priority_order: args.priority.clone(),
        tokenizer: global.tokenizer()?,
        cache: args.cache.then(cache).transpose()?,
    };
    let loaded = load_context(&options)?;
    terminal.warn(loaded.warnings.iter().map(|note| &note.message));
    match args.format {
        ContextFormat::Markdown => print_as_it_is(&loaded.summary),
        ContextFormat::Json => print_json(&loaded),
    }
}

/// Returns where entries of this command are kept.
fn cache() -> anyhow::Result<PathBuf> {
    let folder = places::cache().ok_or_else(|| {
        anyhow::anyhow!("`--cache` needs a cache folder: set `XDG_CACHE_HOME` or `HOME`")
    })?;
    Ok(folder.join("context"))
}
