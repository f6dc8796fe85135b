//! The options that say which prompt to build, and how they join a request.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use context_packer::command::{brought_sections, parse_data, show};
use context_packer::report::Flow;
use context_packer::requests::{Earlier, Overrides};

use super::Global;
use super::input::Input;
use super::request::{Delivery, Order};
use super::usage::{missing, wrong};

#[derive(Debug, clap::Args)]
pub(super) struct PromptArgs {
    /// The role: a name from `packer roles list`, or the path of a role file
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// What the worker is to do
    #[arg(short, long, value_name = "TEXT")]
    task: Option<String>,

    /// Read the task from this file; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "task")]
    task_file: Option<PathBuf>,

    /// What the task is about: a file, a folder, lines (`src/a.rs:120-180`), a symbol
    /// (`src/a.rs::Config::load`), or a glob (`'src/*.py'`)
    #[arg(long, value_name = "PATH", num_args = 1.., long_help = ABOUT_TARGET)]
    target: Vec<String>,

    /// Add a section: `KEY=TEXT`, or `KEY=@FILE`, with `@-` for standard input
    #[arg(long, value_name = "KEY=TEXT", num_args = 1.., long_help = about_extra())]
    extra: Vec<String>,

    /// Pass JSON to the template as `data.KEY`: `KEY=JSON`, or `KEY=@FILE`, with `@-` for standard
    /// input. It is never pruned
    #[arg(long, value_name = "KEY=@FILE", num_args = 1..)]
    data: Vec<String>,

    #[command(flatten)]
    overrides: Overrides,

    #[command(flatten)]
    pub(super) delivery: Delivery,

    /// Continue from the report of an earlier prompt of this run, built with
    /// `--messages --format json`: the new prompt begins with the same text as far as it still
    /// holds and fits; `-` for standard input
    #[arg(long, value_name = "REPORT")]
    since: Option<PathBuf>,

    /// Read all of this from one JSON object; `-` for standard input. Options win over it
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
}

const ABOUT_TARGET: &str = "\
What the task is about, relative to the repository or absolute inside it:

  src/a.rs                a file
  src                     a folder with all files below it
  src/a.rs:120-180        lines of a file; also `src/a.rs:120` and `src/a.rs#L120-L180`
  src/a.rs::Config::load  a symbol: the declaration with this name
  'src/*.py'              a glob: the matching files that git tracks or could add

Lines and symbols are shown whole before anything else of the targets; the rest of their files \
follows as far as there is room. A file or folder with exactly that name wins over every other \
reading.";

fn about_extra() -> String {
    format!(
        "Add a section: `KEY=TEXT`, or `KEY=@FILE`, with `@-` for standard input\n\n\
         {} given this way replace what packer would gather. \
         Example: `--extra test_output=@out.txt`",
        brought_sections()
    )
}

/// What the options are for.
pub(super) struct Purpose<'a> {
    pub(super) command: &'static str,
    pub(super) template: Option<&'a str>,
    /// The task to use if none was given. Without it, a missing task is wrong usage.
    pub(super) no_task: Option<&'static str>,
}

impl PromptArgs {
    /// Joins options and request, where options win, and checks that the command can do what they
    /// ask for.
    pub(super) fn order(
        &self,
        global: &Global,
        purpose: &Purpose<'_>,
        input: &mut Input,
    ) -> anyhow::Result<Order> {
        let command = purpose.command;
        let mut order = Order::read(self.request.as_ref(), input)?;
        self.lay_over(&mut order, global, input, command)?;
        global.lay_over(&mut order);
        global.lay_under(&mut order)?;
        if let Some(template) = purpose.template {
            order.template = Some(template.to_owned());
        }
        order.task = order.task.or(purpose.no_task.map(str::to_owned));
        order.flow = flow(command, order.flow)?;
        check(command, &order)?;
        Ok(order)
    }

    fn lay_over(
        &self,
        order: &mut Order,
        global: &Global,
        input: &mut Input,
        command: &str,
    ) -> anyhow::Result<()> {
        if let Some(role) = &self.role {
            order.role = Some(role.clone().into());
        }
        match (&self.task, &self.task_file) {
            (Some(task), _) => {
                order.remarks.extend(names_a_file(task));
                order.task = Some(task.clone());
            }
            (None, Some(path)) => order.task = Some(input.read(path)?),
            (None, None) => {}
        }
        if !self.target.is_empty() {
            let targets = self.target.iter().map(|target| global.target(target));
            order.target = targets.collect();
        }
        self.lay_texts_over(order, input, command)?;
        let overrides = self.read_overrides(input, command)?;
        order.overrides = overrides.or(std::mem::take(&mut order.overrides));
        let delivery = self.delivery.clone();
        order.delivery = delivery.or(std::mem::take(&mut order.delivery));
        if !order.delivery.is_messages() {
            return Ok(());
        }
        if self.delivery.is_messages() && self.overrides.turn.messages == Some(false) {
            let message = "`--format messages` conflicts with `--messages=false`";
            return Err(wrong(command, message));
        }
        order.overrides.turn.messages = Some(true);
        Ok(())
    }

    /// Lays the texts under the caller's own keys over an order.
    fn lay_texts_over(
        &self,
        order: &mut Order,
        input: &mut Input,
        command: &str,
    ) -> anyhow::Result<()> {
        let extra = keyed("extra", &self.extra, input, command)?;
        let is_given = |key: &String| extra.iter().any(|(given, _)| given == key);
        order.extra.retain(|(key, _)| !is_given(key));
        let extra = extra.into_iter().map(|(key, text)| (key, text.into()));
        order.extra.extend(extra);
        for (key, text) in keyed("data", &self.data, input, command)? {
            let value = parse_data(&text, &order.data).map_err(|error| {
                let why = if error.is_data() {
                    "is too large: pass fewer values"
                } else {
                    "is not JSON (a text goes into `--extra`)"
                };
                anyhow::Error::new(error).context(format!("the data `{key}` {why}"))
            })?;
            order.data.insert(key, value);
        }
        Ok(())
    }

    /// Returns what the caller overrides of the role, with the files that it names already read.
    fn read_overrides(&self, input: &mut Input, command: &str) -> anyhow::Result<Overrides> {
        let mut overrides = self.overrides.clone();
        if let Some(diff) = &mut overrides.change.diff {
            *diff = read_diff(diff, input, command)?;
        }
        if let Some(path) = &self.since {
            let text = input.read(path)?;
            let read = Earlier::parse(&text).with_context(|| {
                let path = show::path(path);
                format!("cannot continue from the report `{path}`")
            });
            overrides.turn.since = Some(read?);
        }
        Ok(overrides)
    }
}

/// Returns the diff that an option names or holds.
fn read_diff(given: &str, input: &mut Input, command: &str) -> anyhow::Result<String> {
    if let Some(path) = given.strip_prefix('@') {
        return input.read(Path::new(path));
    }
    if Path::new(given).is_file() {
        let path = show::visible(given);
        let message = format!(
            "`--diff {path}` is the name of a file, not a diff: use `--diff @{path}` to read it"
        );
        return Err(wrong(command, &message));
    }
    Ok(given.to_owned())
}

/// Returns the flow of a command, which a request may repeat but not contradict.
fn flow(command: &str, asked: Option<Flow>) -> anyhow::Result<Option<Flow>> {
    let own = match command {
        "render" => Some(Flow::Template),
        "pack" => Some(Flow::Files),
        _ => asked,
    };
    if asked.is_some() && asked != own {
        let message =
            format!("`packer {command}` cannot build the `flow` that the request asks for");
        return Err(wrong(command, &message));
    }
    Ok(own)
}

/// Checks that the request or the options bring everything the command needs.
fn check(command: &str, order: &Order) -> anyhow::Result<()> {
    if command == "render" && order.template.is_none() {
        let what = "a template: `packer render TEMPLATE`, or `template` in the request";
        return Err(missing(command, what));
    }
    if order.role.is_none() && order.default_roles.is_empty() {
        // A `config.toml` that is ignored may have named one.
        let what = "a role: `--role ROLE`, or `role` in the request or in `config.toml`";
        let mut told = vec![what];
        told.extend(order.remarks.iter().map(String::as_str));
        return Err(missing(command, &told.join("; ")));
    }
    if order.task.is_none() && order.flow != Some(Flow::Files) {
        let what = "a task: `--task TEXT`, `--task-file FILE`, or `task` in the request";
        return Err(missing(command, what));
    }
    Ok(())
}

/// Returns a remark for a task that is `@` and the name of a file: other options would read it.
fn names_a_file(task: &str) -> Option<String> {
    let path = task
        .strip_prefix('@')
        .filter(|path| Path::new(path).is_file())?;
    Some(format!(
        "the task is the text `@{path}`: use `--task-file {path}` to read the file"
    ))
}

/// Returns the values of an option that is written `KEY=TEXT` or `KEY=@FILE`.
fn keyed(
    name: &str,
    options: &[String],
    input: &mut Input,
    command: &str,
) -> anyhow::Result<Vec<(String, String)>> {
    let mut given: Vec<(String, String)> = Vec::new();
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            let message =
                format!("`--{name} {option}` has no `=`: write `KEY=TEXT` or `KEY=@FILE`");
            return Err(wrong(command, &message));
        };
        if given.iter().any(|(have, _)| have == key) {
            let message = format!("`--{name} {key}=…` is given twice");
            return Err(wrong(command, &message));
        }
        let text = match value.strip_prefix('@') {
            Some(path) => input.read(Path::new(path))?,
            None => value.to_owned(),
        };
        given.push((key.to_owned(), text));
    }
    Ok(given)
}
