//! `packer render`, `packer prompt` and `packer pack`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use context_packer::command::{show, write_whole};
use context_packer::report::Flow;
use context_packer::roles::MAX_BUDGET;
use context_packer::settings::{Prune, Style};
use context_packer::{ContextPacker, NoteKind, Prompt};

use super::input::Input;
use super::report::{Terminal, print, print_json};
use super::request::{self, Asked, RequestFile};
use super::usage::{missing, wrong};
use super::{Format, Global};

pub(super) const RENDER_EXAMPLES: &str = "\
Examples:
  packer render implement.j2 --role implementer --task 'Add a --json flag' --target src/main.rs
  packer render review_strict.j2 --role reviewer --task-file task.md --format json
  git diff main | packer render implement.j2 --role implementer -t 'Finish this' --extra work=@-";

pub(super) const PROMPT_EXAMPLES: &str = "\
Examples:
  packer prompt --role planner --task 'Split the parser into modules'
  packer prompt --role ./my-role.yaml --task-file task.md --budget 50000 --explain
  packer prompt --request request.json --format json";

pub(super) const PACK_EXAMPLES: &str = "\
Examples:
  packer pack --role reviewer
  packer pack --role implementer --target src/main.rs --style xml -o context.xml";

#[derive(Debug, clap::Args)]
pub(super) struct RenderArgs {
    /// The template: one of `packer templates list`
    #[arg(required_unless_present = "request")]
    template: Option<String>,

    #[command(flatten)]
    prompt: PromptArgs,
}

#[derive(Debug, clap::Args)]
pub(super) struct PromptArgs {
    /// The role: one of `packer roles list`, or the path of a role file
    #[arg(long, value_name = "ROLE", required_unless_present = "request")]
    role: Option<String>,

    /// What the worker is to do
    #[arg(short, long, value_name = "TEXT")]
    task: Option<String>,

    /// A file that says what the worker is to do; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    task_file: Option<PathBuf>,

    /// A file that the task is about, relative to the repository or absolute inside it
    #[arg(long, value_name = "PATH", num_args = 1..)]
    target: Vec<String>,

    /// An extra section: `KEY=TEXT`, or `KEY=@FILE` with `@-` for standard input
    ///
    /// `git_diff`, `imports`, `related` and `tree` given this way replace what would
    /// have been gathered. Example: `--extra test_output=@out.txt`
    #[arg(long, value_name = "KEY=TEXT", num_args = 1..)]
    extra: Vec<String>,

    /// JSON for the template, which finds it as `data.KEY`: `KEY=@FILE` with `@-` for
    /// standard input, or `KEY=JSON`. Never pruned
    #[arg(long, value_name = "KEY=@FILE", num_args = 1..)]
    data: Vec<String>,

    /// The token budget of the whole prompt, in place of the role's. `pack` leaves
    /// 1,000 tokens of it for a template
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BUDGET)))]
    budget: Option<u32>,

    /// What happens when it does not fit, in place of the role's
    #[arg(long, value_name = "RULE")]
    prune: Option<PruneArg>,

    /// How sections are written, in place of the role's
    #[arg(long, value_name = "STYLE")]
    style: Option<StyleArg>,

    /// Print the prompt, or a JSON report with the prompt in it [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,

    /// Print what is in the prompt, what is not, and why, as a table on standard error
    #[arg(long)]
    explain: bool,

    /// Fail on a fallback, a prompt over its budget, or a target that cannot be read
    #[arg(long)]
    strict: bool,

    /// Write here instead of standard output (`-`), whole or not at all
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// All of this as one JSON object; `-` for standard input. Options win over it
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PruneArg {
    /// Shrink the section at the boundary into the room that is left
    Shrink,
    /// Remove whole sections, the least important first
    Drop,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum StyleArg {
    /// Headings and fences
    Markdown,
    /// Elements
    Xml,
}

/// Options and request file together: what was asked for, and where it goes.
pub(super) struct Order {
    pub(super) warnings: Vec<String>,
    pub(super) asked: Asked,
    pub(super) format: Format,
    explain: bool,
    pub(super) output: Option<PathBuf>,
}

pub(super) fn render(
    global: &Global,
    args: &RenderArgs,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let template = args.template.as_deref();
    run(global, &args.prompt, template, "render", terminal)
}

pub(super) fn prompt(
    global: &Global,
    args: &PromptArgs,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    run(global, args, None, "prompt", terminal)
}

pub(super) fn pack(global: &Global, args: &PromptArgs, terminal: &Terminal) -> anyhow::Result<()> {
    run(global, args, None, "pack", terminal)
}

fn run(
    global: &Global,
    args: &PromptArgs,
    template: Option<&str>,
    command: &str,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let order = order(global, args, template, command, None)?;
    let prompt = order.asked.build(&packer)?;
    finish(global, &order, &packer, &prompt, terminal)
}

/// Options and request file together.
pub(super) struct Joined {
    pub(super) file: RequestFile,
    /// Extra sections that options give; they follow those of the request.
    given: Vec<(String, String)>,
    pub(super) warnings: Vec<String>,
}

impl Joined {
    /// The request with everything in it.
    #[cfg(feature = "preview")]
    pub(super) fn into_file(mut self) -> RequestFile {
        for (key, text) in self.given {
            self.file.extra.insert(key, text.into());
        }
        self.file
    }

    fn order(self, global: &Global) -> anyhow::Result<Order> {
        let file = self.file;
        let (format, explain, output) = (file.format, file.explain, file.output.clone());
        let mut asked = file.prepare(&global.roles()?)?;
        asked.request.extra.extend(self.given);
        Ok(Order {
            warnings: self.warnings,
            asked,
            format: format.unwrap_or(Format::Text),
            explain,
            output,
        })
    }
}

/// Joins options and request file, options win, and has everything said that is asked
/// for.
pub(super) fn order(
    global: &Global,
    args: &PromptArgs,
    template: Option<&str>,
    command: &str,
    task: Option<&str>,
) -> anyhow::Result<Order> {
    join(global, args, template, command, task)?.order(global)
}

/// Joins options and request file; options win.
///
/// `task` stands for a task that nobody gave; without it that is wrong usage.
pub(super) fn join(
    global: &Global,
    args: &PromptArgs,
    template: Option<&str>,
    command: &str,
    task: Option<&str>,
) -> anyhow::Result<Joined> {
    let mut input = Input::default();
    let mut file = request::read(args.request.as_ref(), &mut input)?;
    let given = args.over(&mut file, &mut input, command)?;
    global.over(&mut file);
    if let Some(template) = template {
        file.template = Some(template.to_owned());
    }
    file.task = file.task.or(task.map(str::to_owned));
    let flow = match command {
        "render" => Some(Flow::Template),
        "pack" => Some(Flow::Files),
        _ => file.flow,
    };
    if file.flow.is_some() && file.flow != flow {
        let message = format!("`packer {command}` cannot build the flow that the request asks for");
        return Err(wrong(command, &message));
    }
    file.flow = flow;
    if command == "render" && file.template.is_none() {
        let what = "a template: `packer render TEMPLATE`, or `template` in the request";
        return Err(missing(command, what));
    }
    if file.role.is_none() {
        let what = "a role: `--role ROLE`, or `role` in the request";
        return Err(missing(command, what));
    }
    if flow != Some(Flow::Files) {
        match file.task.as_deref().map(str::trim) {
            None => {
                let what = "a task: `--task TEXT`, `--task-file FILE`, or `task` in the request";
                return Err(missing(command, what));
            }
            Some("") => return Err(wrong(command, "the task is empty")),
            Some(_) => {}
        }
    }
    Ok(Joined {
        file,
        given,
        warnings: input.warnings,
    })
}

impl PromptArgs {
    /// Lays the options over a request. Returns the extra sections that they give, which
    /// follow those of the request.
    fn over(
        &self,
        file: &mut RequestFile,
        input: &mut Input,
        command: &str,
    ) -> anyhow::Result<Vec<(String, String)>> {
        if let Some(role) = &self.role {
            file.role = Some(role.clone().into());
        }
        match (&self.task, &self.task_file) {
            (Some(task), _) => file.task = Some(task.clone()),
            (None, Some(path)) => file.task = Some(input.read(path)?),
            (None, None) => {}
        }
        if !self.target.is_empty() {
            file.target.clone_from(&self.target);
        }
        let extra = keyed("extra", &self.extra, input, command)?;
        file.extra
            .retain(|key, _| extra.iter().all(|(given, _)| given != key));
        for (key, text) in keyed("data", &self.data, input, command)? {
            let value = context_packer::command::parse_json(&text)
                .with_context(|| format!("the data `{key}` is no JSON"))?;
            file.data.insert(key, value);
        }
        file.budget = self.budget.or(file.budget);
        file.prune = self.prune.map(Prune::from).or(file.prune);
        file.style = self.style.map(Style::from).or(file.style);
        file.format = self.format.or(file.format);
        file.explain |= self.explain;
        file.strict |= self.strict;
        if self.output.is_some() {
            file.output.clone_from(&self.output);
        }
        Ok(extra)
    }
}

/// The values of an option that is written `KEY=TEXT` or `KEY=@FILE`.
fn keyed(
    name: &str,
    options: &[String],
    input: &mut Input,
    command: &str,
) -> anyhow::Result<Vec<(String, String)>> {
    let mut given = Vec::new();
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            let message =
                format!("`--{name} {option}` has no `=`: write `KEY=TEXT` or `KEY=@FILE`");
            return Err(wrong(command, &message));
        };
        let text = match value.strip_prefix('@') {
            Some(path) => input.read(Path::new(path))?,
            None => value.to_owned(),
        };
        given.push((key.to_owned(), text));
    }
    Ok(given)
}

fn finish(
    global: &Global,
    order: &Order,
    packer: &ContextPacker,
    prompt: &Prompt,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let said = prompt
        .warnings()
        .into_iter()
        .map(|note| note.message.as_str());
    terminal.warn(order.warnings.iter().map(String::as_str).chain(said));
    if global.verbose {
        terminal.remark(&format!("repository: {}", show::path(packer.root())));
        terminal.remark(&format!(
            "role: {} ({})",
            order.asked.role.name,
            order.asked.role.chain.join(", which extends ")
        ));
        let how = match prompt.flow() {
            Flow::Template => "template".to_owned(),
            Flow::Files => "file context alone".to_owned(),
            Flow::Whole
                if prompt
                    .warnings()
                    .iter()
                    .any(|n| n.kind == NoteKind::Template) =>
            {
                "whole prompt, since the template failed".to_owned()
            }
            Flow::Whole => "whole prompt without a template".to_owned(),
        };
        terminal.remark(&format!("flow: {how}"));
    }
    deliver(order, prompt)?;
    if order.explain {
        super::explain::beside(packer, &order.asked, prompt)?;
    }
    Ok(())
}

/// Prints the prompt, or writes it where it is to go.
fn deliver(order: &Order, prompt: &Prompt) -> anyhow::Result<()> {
    let output = order.output.as_ref().filter(|path| *path != Path::new("-"));
    match (output, order.format) {
        (None, Format::Text) => print(&prompt.text),
        (None, Format::Json) => print_json(&prompt.report()),
        (Some(path), Format::Text) => Ok(write_whole(path, &prompt.text)?),
        (Some(path), Format::Json) => {
            let json = serde_json::to_string_pretty(&prompt.report())?;
            Ok(write_whole(path, &format!("{json}\n"))?)
        }
    }
}

impl From<PruneArg> for Prune {
    fn from(prune: PruneArg) -> Self {
        match prune {
            PruneArg::Shrink => Prune::Shrink,
            PruneArg::Drop => Prune::Drop,
        }
    }
}

impl From<StyleArg> for Style {
    fn from(style: StyleArg) -> Self {
        match style {
            StyleArg::Markdown => Style::Markdown,
            StyleArg::Xml => Style::Xml,
        }
    }
}
