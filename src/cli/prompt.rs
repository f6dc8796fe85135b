//! `packer render`, `packer prompt` and `packer pack`.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueEnum;
use context_packer::{
    ContextPacker, Flow, NoteKind, Prompt, Prune, Request, Role, Style, write_whole,
};
use serde::Deserialize;

use super::input::Input;
use super::report::{Terminal, explain, print, print_json};
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

/// The largest budget, as in a role.
const MAX_BUDGET: usize = 4_000_000;

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
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..=4_000_000))]
    budget: Option<u32>,

    /// What happens when it does not fit, in place of the role's
    #[arg(long, value_name = "RULE")]
    prune: Option<PruneArg>,

    /// How sections are written, in place of the role's
    #[arg(long, value_name = "STYLE")]
    style: Option<StyleArg>,

    /// Print the prompt, or a JSON report with the prompt in it [default: text]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Print what is in the prompt and what is not as a table on standard error
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

/// The JSON object of `--request`: the options under their own names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RequestFile {
    template: Option<String>,
    role: Option<serde_json::Value>,
    task: Option<String>,
    target: Vec<String>,
    extra: serde_json::Map<String, serde_json::Value>,
    data: serde_json::Map<String, serde_json::Value>,
    budget: Option<u32>,
    prune: Option<Prune>,
    style: Option<Style>,
    engine: Option<context_packer::Engine>,
    tokenizer: Option<context_packer::Tokenizer>,
    format: Option<Format>,
    explain: bool,
    strict: bool,
    output: Option<PathBuf>,
}

/// Options and request file together: what was asked for.
struct Asked {
    warnings: Vec<String>,
    template: Option<String>,
    role: Role,
    request: Request,
    format: Format,
    explain: bool,
    output: Option<PathBuf>,
}

pub(super) fn render(
    global: &Global,
    args: &RenderArgs,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let asked = ask(global, &args.prompt, args.template.as_deref(), "render")?;
    let Some(template) = &asked.template else {
        return Err(missing(
            "render",
            "a template: `packer render TEMPLATE`, or `template` in the request",
        ));
    };
    packer.templates().get(template)?;
    packer.check_targets(&asked.request)?;
    let prompt = packer.build_full_prompt(template, &asked.role, &asked.request)?;
    finish(global, &asked, &packer, &prompt, terminal)
}

pub(super) fn prompt(
    global: &Global,
    args: &PromptArgs,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let asked = ask(global, args, None, "prompt")?;
    packer.check_targets(&asked.request)?;
    let template = asked.template.as_deref().or(asked.role.template());
    let prompt = match template {
        Some(template) => packer.build_full_prompt(template, &asked.role, &asked.request)?,
        None => packer.pack_context(&asked.role, &asked.request)?,
    };
    finish(global, &asked, &packer, &prompt, terminal)
}

pub(super) fn pack(global: &Global, args: &PromptArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let asked = ask(global, args, None, "pack")?;
    packer.check_targets(&asked.request)?;
    let prompt = packer.pack_file_context(&asked.role, &asked.request)?;
    finish(global, &asked, &packer, &prompt, terminal)
}

/// Joins options and request file; options win.
fn ask(
    global: &Global,
    args: &PromptArgs,
    template: Option<&str>,
    command: &str,
) -> anyhow::Result<Asked> {
    let mut input = Input::default();
    let file: RequestFile = match &args.request {
        None => RequestFile::default(),
        Some(path) => {
            let text = input.read(path)?;
            parse_request(&text).with_context(|| {
                format!(
                    "the request `{}` cannot be used",
                    context_packer::show::path(path)
                )
            })?
        }
    };
    let roles = global.roles()?;
    let role = match (&args.role, &file.role) {
        (Some(role), _) => load(&roles, role)?,
        (None, Some(serde_json::Value::String(role))) => load(&roles, role)?,
        (None, Some(inline)) => roles.load_json(inline)?,
        (None, None) => {
            return Err(missing(
                command,
                "a role: `--role ROLE`, or `role` in the request",
            ));
        }
    };
    let task = match (&args.task, &args.task_file, file.task) {
        (Some(task), _, _) => task.clone(),
        (None, Some(path), _) => input.read(path)?,
        (None, None, Some(task)) => task,
        (None, None, None) if command == "pack" => String::new(),
        (None, None, None) => {
            return Err(missing(
                command,
                "a task: `--task TEXT`, `--task-file FILE`, or `task` in the request",
            ));
        }
    };
    if task.trim().is_empty() && command != "pack" {
        return Err(wrong(command, "the task is empty"));
    }
    let targets = if args.target.is_empty() {
        file.target
    } else {
        args.target.clone()
    };
    let request = Request {
        task,
        targets,
        extra: extra(args, &file.extra, &mut input, command)?,
        data: data(args, file.data, &mut input, command)?,
        budget: args.budget.or(file.budget).map(|tokens| tokens as usize),
        prune: args.prune.map(Prune::from).or(file.prune),
        style: args.style.map(Style::from).or(file.style),
        engine: global.engine.map(Into::into).or(file.engine),
        tokenizer: global.tokenizer.or(file.tokenizer),
        strict: args.strict || file.strict,
    };
    anyhow::ensure!(
        request
            .budget
            .is_none_or(|tokens| (1..=MAX_BUDGET).contains(&tokens)),
        "the budget has to be from 1 to {MAX_BUDGET} tokens"
    );
    Ok(Asked {
        warnings: input.warnings,
        template: template.map(str::to_owned).or(file.template),
        role,
        request,
        format: args.format.or(file.format).unwrap_or(Format::Text),
        explain: args.explain || file.explain,
        output: args.output.clone().or(file.output),
    })
}

/// Reads the JSON object of a request.
fn parse_request(text: &str) -> anyhow::Result<RequestFile> {
    const FIELDS: [&str; 15] = [
        "template",
        "role",
        "task",
        "target",
        "extra",
        "data",
        "budget",
        "prune",
        "style",
        "engine",
        "tokenizer",
        "format",
        "explain",
        "strict",
        "output",
    ];
    let json = context_packer::parse_json(text)?;
    let Some(object) = json.as_object() else {
        anyhow::bail!("it is not a JSON object");
    };
    if let Some(unknown) = object.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let near = FIELDS
            .iter()
            .find(|field| unknown.starts_with(**field) || field.starts_with(unknown));
        let help = near.map_or_else(
            || format!("known are {}", FIELDS.join(", ")),
            |field| format!("did you mean `{field}`?"),
        );
        anyhow::bail!("unknown field `{unknown}`: {help}");
    }
    for (field, value) in object {
        let single = serde_json::json!({ field: value });
        if let Err(error) = serde_json::from_value::<RequestFile>(single) {
            let words = [
                ("u32", "a whole number"),
                ("a sequence", "a list"),
                ("a map", "an object"),
            ];
            let said = words.iter().fold(error.to_string(), |said, (word, plain)| {
                said.replace(word, plain)
            });
            anyhow::bail!("`{field}`: {said}");
        }
    }
    Ok(serde_json::from_value(json)?)
}

/// Loads a role by its name or, if it looks like one, by its path.
pub(super) fn load(roles: &context_packer::Roles, role: &str) -> anyhow::Result<Role> {
    let path = Path::new(role);
    let is_path =
        role.contains(['/', '\\']) || path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    Ok(if is_path {
        roles.load_file(path)?
    } else {
        roles.load(role)?
    })
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

/// The data of the request, and that of the options, which wins.
fn data(
    args: &PromptArgs,
    file: serde_json::Map<String, serde_json::Value>,
    input: &mut Input,
    command: &str,
) -> anyhow::Result<serde_json::Map<String, serde_json::Value>> {
    let mut data = file;
    for (key, text) in keyed("data", &args.data, input, command)? {
        let value = context_packer::parse_json(&text)
            .with_context(|| format!("the data `{key}` is no JSON"))?;
        data.insert(key, value);
    }
    Ok(data)
}

/// The extra sections of the request, then those of the options, which win.
fn extra(
    args: &PromptArgs,
    file: &serde_json::Map<String, serde_json::Value>,
    input: &mut Input,
    command: &str,
) -> anyhow::Result<Vec<(String, String)>> {
    let mut given = keyed("extra", &args.extra, input, command)?;
    let mut sections = Vec::new();
    for (key, value) in file {
        if given.iter().any(|(have, _)| have == key) {
            continue;
        }
        let text = match value {
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Null => continue,
            other => serde_json::to_string_pretty(other)?,
        };
        sections.push((key.clone(), text));
    }
    sections.append(&mut given);
    Ok(sections)
}

fn finish(
    global: &Global,
    asked: &Asked,
    packer: &ContextPacker,
    prompt: &Prompt,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    let said = prompt
        .warnings()
        .into_iter()
        .map(|note| note.message.as_str());
    terminal.warn(asked.warnings.iter().map(String::as_str).chain(said));
    if global.verbose {
        terminal.remark(&format!(
            "repository: {}",
            context_packer::show::path(packer.root())
        ));
        terminal.remark(&format!(
            "role: {} ({})",
            asked.role.name, asked.role.source
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
    if asked.explain {
        explain(prompt);
    }
    let output = asked.output.as_ref().filter(|path| *path != Path::new("-"));
    match (output, asked.format) {
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
