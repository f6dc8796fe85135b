//! Reads the arguments and the environment, calls the library and prints the result.

mod batch;
mod build;
mod config;
mod context;
mod difference;
mod dump;
mod explain;
mod fields;
mod finding;
mod fit;
mod generate;
mod init;
mod input;
#[cfg(feature = "mcp")]
mod mcp;
mod options;
mod output;
mod page;
mod places;
#[cfg(feature = "preview")]
mod preview;
mod progress;
mod prompt;
mod read;
mod report;
mod request;
mod roles;
mod sarif;
mod schema;
mod templates;
mod test;
mod tokens;
mod trust;
mod usage;
mod worker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand, ValueEnum};
use context_packer::command::show;
use context_packer::memory::{bound_memory, with_stack};
use context_packer::parsing::{PARSE_WORKER, Parsing};
use context_packer::requests::CommonOverrides;
use context_packer::templates::{Isolation, TEMPLATE_WORKER};
use context_packer::tokens::{Counter, Tokenizer};
use context_packer::{ContextPacker, Roles, Templates, discover};

use self::config::Config;
use self::report::Terminal;
use self::trust::Rendered;

/// A command did its work but found something that has to fail the call: a check with errors.
/// Everything has been reported already.
#[derive(Debug, thiserror::Error)]
#[error("the check found errors")]
struct CheckFailed;

/// Builds the prompt for a coding agent: a role, a task and a repository, packed
/// into a token budget.
#[derive(Debug, Parser)]
#[command(name = "packer", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  packer render implement.j2 --role implementer --task 'Add a --json flag' --target src/main.rs
  packer prompt --role reviewer --task 'Review what is staged' --explain
  packer roles list";

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of every command")]
struct Global {
    /// The repository [default: the nearest folder with `.git`, from here upwards, else this
    /// folder]
    #[arg(short = 'C', long = "repo", value_name = "DIR", global = true)]
    repo: Option<PathBuf>,

    /// Look for roles in this folder first; may be repeated
    #[arg(long = "roles-dir", value_name = "DIR", global = true)]
    roles_dirs: Vec<PathBuf>,

    /// Take templates from this folder: those with shipped names and those of --allow-template
    #[arg(long, value_name = "DIR", env = "PACKER_PROMPTS_DIR", global = true)]
    prompts_dir: Option<OsString>,

    /// Also allow this template of --prompts-dir, which is not a shipped name
    #[arg(
        long = "allow-template",
        value_name = "NAME",
        env = "PACKER_ALLOW_TEMPLATES",
        value_delimiter = ',',
        global = true
    )]
    allow_templates: Vec<String>,

    /// Render the templates of `.packer/templates` if they have this hash, as `packer trust` prints
    /// it; may be repeated
    #[arg(
        long = "trust-hash",
        value_name = "HASH",
        env = "PACKER_TRUST_HASH",
        value_delimiter = ',',
        value_parser = trust::hash,
        global = true
    )]
    trust_hashes: Vec<String>,

    #[command(flatten)]
    common: CommonOverrides,

    #[command(flatten)]
    without: Without,

    /// Print no warnings
    #[arg(short, long, global = true)]
    quiet: bool,

    /// Print more on standard error: where the role and the template come from
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,

    /// When to colour output meant for people
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    color: Color,
}

/// Options that turn off files kept outside the repository's own.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Without {
    /// Neither read nor write the cache of what earlier runs learned about the repository
    #[arg(
        long,
        env = "PACKER_NO_CACHE",
        value_parser = clap::builder::FalseyValueParser::new(),
        action = clap::ArgAction::SetTrue,
        global = true
    )]
    no_cache: bool,

    /// Ignore `config.toml`, both the repository's and your own
    #[arg(
        long,
        env = "PACKER_NO_CONFIG",
        value_parser = clap::builder::FalseyValueParser::new(),
        action = clap::ArgAction::SetTrue,
        global = true
    )]
    no_config: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// How results are printed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
enum Format {
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build a whole prompt: pack the context and render a template
    #[command(after_help = prompt::RENDER_EXAMPLES)]
    Render(prompt::RenderArgs),
    /// Build a whole prompt with the role's own template, or without one
    #[command(after_help = prompt::PROMPT_EXAMPLES)]
    Prompt(options::PromptArgs),
    /// Pack only the file context
    #[command(after_help = prompt::PACK_EXAMPLES)]
    Pack(options::PromptArgs),
    /// Answer many requests: one request per line in, one report per line out
    #[command(after_help = batch::EXAMPLES)]
    Batch(batch::BatchArgs),
    /// Write all matching files, whole, without a budget
    #[command(after_help = dump::EXAMPLES)]
    Dump(dump::DumpArgs),
    /// Explain why each section and file is in a prompt or not
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Show that explanation in a browser, updated as files change
    #[cfg(feature = "preview")]
    #[command(after_help = preview::EXAMPLES)]
    Preview(preview::PreviewArgs),
    /// Serve prompts and guarded file reading over the Model Context Protocol
    #[cfg(feature = "mcp")]
    #[command(after_help = mcp::EXAMPLES)]
    Mcp,
    /// Read files that a model asks for, within safe limits
    #[command(after_help = read::EXAMPLES)]
    Read(read::ReadArgs),
    /// Summarise the `.context` directory, a project's own memory
    #[command(after_help = context::EXAMPLES)]
    Context(context::ContextArgs),
    /// Gather what one kind of worker needs, as JSON
    #[command(subcommand, after_help = build::EXAMPLES)]
    Build(build::BuildCommand),
    /// Cut texts to a token budget, each in proportion to its size
    #[command(after_help = fit::FIT_EXAMPLES)]
    Fit(fit::FitArgs),
    /// Cut a file to the lines that matter
    #[command(after_help = fit::TRUNCATE_EXAMPLES)]
    Truncate(fit::TruncateArgs),
    /// Create a role of your own, with a test case and schemas for editors
    #[command(after_help = init::EXAMPLES)]
    Init(init::InitArgs),
    /// List, show, check and create roles
    #[command(subcommand, after_help = roles::EXAMPLES)]
    Roles(roles::RolesCommand),
    /// List, show, check and create templates
    #[command(subcommand, after_help = templates::EXAMPLES)]
    Templates(templates::TemplatesCommand),
    /// Review the templates of `.packer/templates` and trust them on this machine
    #[command(after_help = trust::EXAMPLES)]
    Trust(trust::TrustArgs),
    /// Run the cases of `.packer/tests`, which check what prompts contain
    #[command(after_help = test::EXAMPLES)]
    Test(test::TestArgs),
    /// Show the defaults of `config.toml` and where each comes from
    #[command(after_help = config::EXAMPLES)]
    Config(config::ConfigArgs),
    /// Count the tokens of files
    #[command(after_help = tokens::EXAMPLES)]
    Tokens(tokens::TokensArgs),
    /// Print the JSON Schema of a format, such as roles, requests or reports
    #[command(after_help = schema::EXAMPLES)]
    Schema(schema::SchemaArgs),
    /// Print a completion script for a shell
    #[command(after_help = generate::EXAMPLES)]
    Completions(generate::CompletionsArgs),
    /// Print the manual page
    #[command(after_help = generate::MAN_EXAMPLES)]
    Man,
    /// Render one of an operator's templates within bounds; for packer itself
    #[command(name = TEMPLATE_WORKER, hide = true)]
    TemplateWorker,
    /// Parse source within bounds; for packer itself
    #[command(name = PARSE_WORKER, hide = true)]
    ParseWorker,
}

/// Runs the command and returns its exit code.
pub(crate) fn main() -> ExitCode {
    bound_memory();
    with_stack(command)
}

fn command() -> ExitCode {
    let cli = match usage::parsed() {
        Ok(cli) => cli,
        Err(mut error) => {
            usage::suggest_number(&mut error);
            return Terminal::new(Color::Auto, false).usage(&error);
        }
    };
    let terminal = Terminal::new(cli.global.color, cli.global.quiet);
    match run(&cli, &terminal) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal.fail(&error),
    }
}

fn run(cli: &Cli, terminal: &Terminal) -> anyhow::Result<()> {
    match &cli.command {
        Command::Render(args) => prompt::render(&cli.global, args, terminal),
        Command::Prompt(args) => prompt::run(&cli.global, args, None, "prompt", terminal),
        Command::Pack(args) => prompt::run(&cli.global, args, None, "pack", terminal),
        Command::Batch(args) => batch::run(&cli.global, args, terminal),
        Command::Dump(args) => dump::run(&cli.global, args, terminal),
        Command::Explain(args) => explain::run(&cli.global, args, terminal),
        #[cfg(feature = "preview")]
        Command::Preview(args) => preview::run(&cli.global, args, terminal),
        #[cfg(feature = "mcp")]
        Command::Mcp => mcp::run(&cli.global),
        Command::Roles(command) => roles::run(&cli.global, command, terminal),
        Command::Templates(command) => templates::run(&cli.global, command, terminal),
        Command::Init(args) => init::run(&cli.global, args, terminal),
        Command::Trust(args) => trust::run(&cli.global, args, terminal),
        Command::Test(args) => test::run(&cli.global, args, terminal),
        Command::Read(args) => read::run(&cli.global, args, terminal),
        Command::Context(args) => context::run(&cli.global, args, terminal),
        Command::Build(command) => build::run(&cli.global, command, terminal),
        Command::Fit(args) => fit::fit(&cli.global, args, terminal),
        Command::Truncate(args) => fit::truncate(args, terminal),
        Command::Config(args) => config::run(&cli.global, args, terminal),
        Command::Tokens(args) => tokens::run(&cli.global, args, terminal),
        Command::Schema(args) => schema::run(args),
        Command::Completions(args) => generate::completions(args),
        Command::Man => generate::man(),
        Command::TemplateWorker => worker::template(),
        Command::ParseWorker => worker::parse(),
    }
}

/// Returns the path of this program itself, which workers are started from.
fn program() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find the `packer` program itself")
}

impl Global {
    /// Returns the repository that the command works on.
    fn root(&self) -> anyhow::Result<PathBuf> {
        if let Some(root) = &self.repo {
            return Ok(root.clone());
        }
        let here = std::env::current_dir().context("cannot determine the current folder")?;
        Ok(discover(&here))
    }

    /// Returns a target relative to the repository. `.` and paths that begin with `./` or `../` are
    /// relative to the current folder, and so is a path that exists there but not below the root.
    fn target(&self, given: &str) -> String {
        let from_here = || {
            let here = std::env::current_dir().ok()?;
            let root = self.root().ok().filter(|_| self.repo.is_none())?;
            let below = here.strip_prefix(&root).ok()?.to_str()?;
            let path = given.split([':', '#']).next()?;
            // Of a glob the folders before its first wildcard are looked for.
            let path = match path.find(['*', '?', '[', '{']) {
                Some(wild) => path[..wild]
                    .rsplit_once('/')
                    .map_or("", |(folder, _)| folder),
                None => path,
            };
            let is_there = |folder: &Path| folder.join(path).symlink_metadata().is_ok();
            let is_of_here = given == "." || given.starts_with("./") || given.starts_with("../");
            let is_meant = is_of_here || !path.is_empty() && !is_there(&root) && is_there(&here);
            (is_meant && !below.is_empty()).then(|| match given {
                "." => below.to_owned(),
                given => format!("{below}/{}", given.trim_start_matches("./")),
            })
        };
        from_here().unwrap_or_else(|| given.to_owned())
    }

    /// Lays the options of every command over an order.
    fn lay_over(&self, order: &mut request::Order) {
        let common = &mut order.overrides.common;
        *common = self.common.or(*common);
    }

    /// Lays the repository's defaults under an order.
    fn lay_under(&self, order: &mut request::Order) -> anyhow::Result<()> {
        let packer = ContextPacker::open(self.root()?)?;
        Config::of(self, &packer)?.lay_under(order);
        Ok(())
    }

    /// Returns the tokenizer for texts that belong to no role.
    fn tokenizer(&self) -> anyhow::Result<Tokenizer> {
        Ok(config::common(self)?.tokenizer().unwrap_or_default())
    }

    /// Returns the counter for texts that belong to no role.
    fn counter(&self) -> anyhow::Result<Counter> {
        Ok(self.tokenizer()?.counter()?)
    }

    fn packer(&self) -> anyhow::Result<ContextPacker> {
        self.packer_of(&self.root()?)
    }

    fn packer_of(&self, root: &Path) -> anyhow::Result<ContextPacker> {
        self.packer_with(root, Rendered::Trusted)
    }

    /// Returns a packer that checks roles and templates, including templates nobody trusts yet.
    fn packer_for_check(&self) -> anyhow::Result<ContextPacker> {
        self.packer_with(&self.root()?, Rendered::ForCheck)
    }

    fn packer_with(&self, root: &Path, rendered: Rendered) -> anyhow::Result<ContextPacker> {
        let program = program()?;
        let packer = ContextPacker::open(root)?.with_parsing(Parsing::Worker(program));
        let templates = self.templates(&packer, rendered)?;
        let mut packer = packer.with_templates(templates);
        if !self.quiet && progress::is_shown() {
            packer = packer.with_progress(progress::listener());
        }
        Ok(match places::cache().filter(|_| !self.without.no_cache) {
            Some(folder) => packer.with_cache(folder.join("repositories")),
            None => packer,
        })
    }

    fn roles(&self) -> anyhow::Result<Roles> {
        self.roles_of(&self.root()?)
    }

    /// Returns the places of roles for a repository, in the order in which they are searched.
    fn roles_of(&self, root: &Path) -> anyhow::Result<Roles> {
        let mut roles = Roles::built_in();
        for folder in &self.roles_dirs {
            anyhow::ensure!(
                folder.is_dir(),
                "the roles folder `{}` does not exist",
                show::path(folder)
            );
            roles = roles.folder(folder);
        }
        roles = roles.repository(root);
        if let Some(config) = places::config() {
            roles = roles.folder(config.join("roles"));
        }
        if let Some(home) = places::home() {
            roles = roles.folder(home.join(".supervisor/roles"));
        }
        Ok(roles)
    }

    /// Returns the files that hold an operator's templates, or would hold them.
    #[cfg(feature = "preview")]
    fn template_files(&self) -> Vec<PathBuf> {
        let Some(folder) = self.prompts_dir.as_deref().filter(|dir| !dir.is_empty()) else {
            return Vec::new();
        };
        let shipped = Templates::shipped();
        let names = shipped
            .names()
            .chain(self.allow_templates.iter().map(|name| name.trim()));
        names.map(|name| Path::new(folder).join(name)).collect()
    }

    /// Returns the templates that may be rendered for a repository. Where several have one name,
    /// the one of `--prompts-dir` wins, then the repository's, then the user's own, then the
    /// shipped one.
    fn templates(&self, packer: &ContextPacker, rendered: Rendered) -> anyhow::Result<Templates> {
        let allow: Vec<String> = self
            .allow_templates
            .iter()
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        let isolation = Isolation::Worker(program()?);
        let mut templates = Templates::shipped();
        if let Some(own) = places::config().map(|folder| folder.join("templates")) {
            let names = own_templates(&own)?;
            if !names.is_empty() {
                templates = templates.folder(&own, &names, isolation.clone())?;
            }
        }
        let given: Vec<String> = self
            .trust_hashes
            .iter()
            .filter(|it| !it.is_empty())
            .cloned()
            .collect();
        let templates = trust::add(templates, packer, rendered, &given, isolation.clone())?;
        let folder = self.prompts_dir.as_deref().filter(|dir| !dir.is_empty());
        let Some(folder) = folder.map(Path::new) else {
            anyhow::ensure!(
                allow.is_empty(),
                "`--allow-template` needs `--prompts-dir`, the folder with the template"
            );
            return Ok(templates);
        };
        Ok(templates.folder(folder, &allow, isolation)?)
    }
}

/// Returns the names of the templates that the user keeps for all repositories. There are none if
/// the folder does not exist or this user may not look into it: a service may run with somebody
/// else's home.
fn own_templates(folder: &Path) -> anyhow::Result<Vec<String>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let is_elsewhere = || std::fs::metadata(folder).is_err();
    let entries = match std::fs::read_dir(folder) {
        Err(why) if matches!(why.kind(), NotFound | NotADirectory) || is_elsewhere() => {
            return Ok(Vec::new());
        }
        entries => entries.with_context(|| format!("cannot list `{}`", show::path(folder)))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().into_string();
        names.extend(name.ok().filter(|name| name.ends_with(".j2")));
    }
    names.sort();
    Ok(names)
}
