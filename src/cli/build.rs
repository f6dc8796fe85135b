//! `packer build`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use context_packer::builders::{
    Built, Issue, MAX_RELATED, TaskFile, Texts, Validation, Workspace, build_fix_context,
    build_implementation_context, build_issue_context, build_review_context,
};
use context_packer::command::show;
use context_packer::shorten::CONTEXT_LINES;
use serde::Serialize;

use super::Global;
use super::input::Input;
use super::report::{Terminal, print_json};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer build implementation --task-file TASKS.md
  packer build review --base main --budget 30000
  cargo check --message-format=json | packer build fix --errors - src/main.rs
  gh issue view 12 --json number,title,body,labels,state,assignees,url | packer build issue --issue -";

#[derive(Debug, Subcommand)]
pub(super) enum BuildCommand {
    /// For a worker that writes code: tasks, conventions, branch, last commits
    #[command(after_help = IMPLEMENTATION)]
    Implementation(ImplementationArgs),
    /// For a worker that reviews a branch: diff, changed files, conventions, figures
    #[command(after_help = REVIEW)]
    Review(ReviewArgs),
    /// For a worker that fixes errors: the errors and the files around them
    #[command(after_help = FIX)]
    Fix(FixArgs),
    /// For a worker that takes on an issue: the issue, the files that it names, last commits
    #[command(after_help = ISSUE)]
    Issue(IssueArgs),
}

const IMPLEMENTATION: &str = "\
Example:
  packer build implementation --task-file TASKS.md --conventions docs/style.md";

const REVIEW: &str = "\
Examples:
  packer build review --base main
  packer build review --base origin/main --worktree --budget 30000";

const FIX: &str = "\
Examples:
  cargo clippy --message-format=json | packer build fix --errors -
  ruff check --output-format sarif | packer build fix --errors - --max-lines 400 src/app.py";

const ISSUE: &str = "\
Example:
  gh issue view 12 --json number,title,body,labels,state,assignees,url | packer build issue --issue -";

#[derive(Debug, Args)]
struct Fit {
    /// Cut the texts to this many tokens in total
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

#[derive(Debug, Args)]
struct Around {
    /// Show this many lines before and after each place that a larger file is shown for
    #[arg(long, value_name = "N", default_value_t = CONTEXT_LINES)]
    context_lines: usize,
}

#[derive(Debug, Args)]
pub(super) struct ImplementationArgs {
    /// The file with the tasks, here or from the repository's root; `-` for standard input
    #[arg(long, value_name = "FILE")]
    task_file: PathBuf,

    /// Take conventions from this file, here or from the repository's root, instead of the nearest
    /// CLAUDE.md or AGENTS.md
    #[arg(long, value_name = "FILE")]
    conventions: Option<PathBuf>,

    #[command(flatten)]
    fit: Fit,
}

#[derive(Debug, Args)]
pub(super) struct ReviewArgs {
    /// Compare HEAD with this branch, tag or commit, from their merge base
    #[arg(long, value_name = "BRANCH")]
    base: String,

    /// Compare the files on disk instead of the last commit. Untracked files are left out
    #[arg(long)]
    worktree: bool,

    /// Take conventions from this file, here or from the repository's root, instead of the nearest
    /// CLAUDE.md or AGENTS.md
    #[arg(long, value_name = "FILE")]
    conventions: Option<PathBuf>,

    #[command(flatten)]
    around: Around,

    #[command(flatten)]
    fit: Fit,
}

#[derive(Debug, Args)]
pub(super) struct FixArgs {
    /// The output of the checks: `{"stages": …}`, SARIF, JSON of cargo or eslint, or lines such as
    /// `src/a.c:3:9: error: …`; `-` for standard input
    #[arg(long, value_name = "FILE")]
    errors: PathBuf,

    /// The files to fix [default: those that the errors name]
    files: Vec<String>,

    /// Show files of up to N lines whole, and the first N lines of longer files without an error
    /// [default: 99, and 499 for files without an error in them]
    #[arg(long, value_name = "N")]
    max_lines: Option<usize>,

    #[command(flatten)]
    around: Around,

    #[command(flatten)]
    fit: Fit,
}

#[derive(Debug, Args)]
pub(super) struct IssueArgs {
    /// The issue as `gh issue view --json` prints it; `-` for standard input
    #[arg(long, value_name = "FILE")]
    issue: PathBuf,

    /// Show at most N of the files that the issue names
    #[arg(long, value_name = "N", default_value_t = MAX_RELATED)]
    max_related: usize,

    #[command(flatten)]
    around: Around,

    #[command(flatten)]
    fit: Fit,
}

pub(super) fn run(
    global: &Global,
    command: &BuildCommand,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let here = std::env::current_dir().context("cannot determine the current folder")?;
    let mut workspace = Workspace::open(global.root()?)?.working_folder(here);
    let mut input = Input::default();
    match command {
        BuildCommand::Implementation(args) => {
            if let Some(path) = &args.conventions {
                workspace = workspace.conventions(path);
            }
            let task = if args.task_file.as_os_str() == "-" {
                TaskFile::Text(input.read(&args.task_file)?)
            } else {
                TaskFile::from(&args.task_file)
            };
            let built = build_implementation_context(task, &workspace);
            finish(global, built, &args.fit, &input, terminal)
        }
        BuildCommand::Review(args) => {
            if let Some(path) = &args.conventions {
                workspace = workspace.conventions(path);
            }
            workspace = workspace.context_lines(args.around.context_lines);
            let built = build_review_context(&workspace, &args.base, args.worktree);
            finish(global, built, &args.fit, &input, terminal)
        }
        BuildCommand::Fix(args) => {
            let validation = Validation::parse(&input.read(&args.errors)?)
                .with_context(|| format!("`{}` cannot be used", show::path(&args.errors)))?;
            workspace = workspace.context_lines(args.around.context_lines);
            if let Some(lines) = args.max_lines {
                workspace = workspace.max_lines(lines);
            }
            let built = build_fix_context(&validation, &args.files, &workspace);
            finish(global, built, &args.fit, &input, terminal)
        }
        BuildCommand::Issue(args) => {
            let issue = Issue::parse(&input.read(&args.issue)?)?;
            workspace = workspace
                .context_lines(args.around.context_lines)
                .max_related(args.max_related);
            let built = build_issue_context(&issue, &workspace);
            finish(global, built, &args.fit, &input, terminal)
        }
    }
}

fn finish<T: Texts + Serialize>(
    global: &Global,
    built: Built<T>,
    fit: &Fit,
    input: &Input,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let said = built.warnings.iter().map(|note| note.message.as_str());
    terminal.warn(input.warnings.iter().map(String::as_str).chain(said));
    let tokenizer = global.counter()?;
    match fit.budget {
        Some(budget) => print_json(&built.fit(budget, tokenizer)),
        None => print_json(&built),
    }
}
