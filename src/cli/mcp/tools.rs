//! The tools of the server: the input and output of each, and what it does.

use std::sync::Arc;

use anyhow::Context as _;
use context_packer::command::show::quoted;
use context_packer::context_dir::{CONTEXT_BUDGET, LoaderOptions, load_context};
use context_packer::explain::{Explanation, Question};
use context_packer::readers::{NameFilter, ReadFiles, ReadOptions};
use context_packer::report::{Flow, Report};
use context_packer::requests::Asker;
use context_packer::settings::FilesStyle;
use context_packer::{Note, Prompt};
use rmcp::model::{Tool as Described, ToolAnnotations};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::super::request::{Job, Order};
use super::super::{Global, explain, fields};
use super::here::{report_without_machine, without_machine};
use super::is_name;

/// The answer of a tool: a text for a model, and the same as data.
pub(super) struct Done {
    pub(super) text: String,
    pub(super) data: Json,
}

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    input: fn() -> Schema,
    output: fn() -> Schema,
    /// Whether the data it answers with is the report of a prompt.
    pub(super) reports: bool,
    pub(super) call: fn(&Global, &Map<String, Json>) -> anyhow::Result<Done>,
}

pub(super) static TOOLS: [Tool; 5] = [
    Tool {
        name: "build_prompt",
        title: "Build a prompt",
        description: "Builds the whole prompt for one worker: gathers the context that the role \
                      asks for, fits it to the token budget by priority, and renders the role's \
                      template. Returns the prompt, and a report of what is in it and what is not.",
        input: of_role::<Order>,
        output: || schema_for!(Report),
        reports: true,
        call: build_prompt,
    },
    Tool {
        name: "pack_context",
        title: "Pack the file context",
        description: "Packs only the file context of a role, without instructions and task, and \
                      leaves 1,000 tokens of the budget for a prompt around it. The task still \
                      decides which files matter.",
        input: of_role::<Order>,
        output: || schema_for!(Report),
        reports: true,
        call: pack_context,
    },
    Tool {
        name: "read_files",
        title: "Read files",
        description: "Reads files of the repository within safe limits: only regular text files \
                      inside it, and never more than the limits allow. A file that cannot be read \
                      gets a message in its place. Paths are relative to the repository's root.",
        input: || fields::schema::<ReadInput>(&[]),
        output: || schema_for!(ReadOutput),
        reports: false,
        call: read_files,
    },
    Tool {
        name: "load_context",
        title: "Load the .context directory",
        description: "Loads the project's own memory, the Markdown files of its `.context` directory, as one summary within a token budget.",
        input: || fields::schema::<LoadInput>(&[]),
        output: || schema_for!(LoadOutput),
        reports: false,
        call: load,
    },
    Tool {
        name: "explain",
        title: "Explain a prompt",
        description: "Explains why each section and file is in a prompt or not: what asked for \
                      it, what it costs, and which budget would show it whole.",
        input: of_role::<ExplainInput>,
        output: || schema_for!(Explanation),
        reports: false,
        call: explain_prompt,
    },
];

impl Tool {
    /// Returns the tool as it is listed.
    pub(super) fn described(&self) -> Described {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(true)
            .idempotent(true)
            .open_world(false);
        Described::new(self.name, self.description, object(&(self.input)()))
            .with_title(self.title)
            .with_raw_output_schema(object(&(self.output)()))
            .with_annotations(annotations)
    }
}

fn object(schema: &Schema) -> Arc<Map<String, Json>> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Fields that a model may not set: where a prompt goes, how it is built, which each tool decides
/// itself, and the engine, so that a model cannot have one fetched.
const WITHHELD: [&str; 5] = ["engine", "explain", "flow", "format", "output"];

/// An order, and what an explanation should tell.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ExplainInput {
    #[serde(flatten)]
    order: Order,
    /// Files to ask about: why is each in the prompt, or not?
    files: Vec<String>,
    /// Whether the explanation includes the prompt's own text.
    with_prompt: bool,
}

/// Returns the input schema of a tool that builds a prompt, where a role is required.
fn of_role<T: JsonSchema>() -> Schema {
    let mut schema = fields::schema::<T>(&WITHHELD);
    schema.insert("required".into(), json!(["role"]));
    if let Some(role) = schema.pointer_mut("/properties/role") {
        *role = json!({
            "description": "The name of one of the server's roles.",
            "type": "string",
        });
    }
    schema
}

/// Which files to read.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadInput {
    /// The files, relative to the repository's root.
    files: Vec<String>,
    /// Read only names that match these globs, separated by commas.
    filter: Option<String>,
    /// Stop after this number of files.
    max_files: Option<usize>,
    /// Do not read files with more bytes than this; 0 leaves only the limit of 10 MiB for all files
    /// together.
    max_file_size: Option<u64>,
}

/// The files that were read.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct ReadOutput {
    /// In the order in which they were asked for, each once.
    files: Vec<ReadFile>,
    /// What the caller should know.
    warnings: Vec<Note>,
}

/// A file that was asked for: its text, or why there is none.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct ReadFile {
    /// The path from the repository's root.
    path: String,
    /// The extension, without its dot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Why there is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// How much of the directory is wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct LoadInput {
    /// The token budget of the summary.
    budget: Option<usize>,
    /// Names of the most important files, in this order.
    priority: Vec<String>,
}

/// What the directory says.
#[derive(Debug, Serialize, JsonSchema)]
struct LoadOutput {
    /// All of it as one Markdown text within the budget.
    summary: String,
    /// The tokens of the summary.
    token_count: usize,
    /// Whether anything had to be cut to fit.
    truncated: bool,
    /// The names of the files that were read, the most important first.
    files: Vec<String>,
    /// The expected files that do not exist.
    missing: Vec<String>,
    /// What the caller should know.
    warnings: Vec<Note>,
}

/// Reads arguments.
fn parse<T: JsonSchema + DeserializeOwned>(
    arguments: &Map<String, Json>,
    withheld: &[&str],
) -> anyhow::Result<T> {
    let known = fields::names::<T>(withheld);
    fields::read(arguments.clone(), &known).context("the arguments cannot be used")
}

/// Completes an order of a model: what it does not say comes from the server's own options, and
/// then from the defaults. It names a role only by its name.
fn with_options(global: &Global, mut order: Order) -> anyhow::Result<Order> {
    let common = &mut order.overrides.common;
    *common = common.or(global.common);
    global.lay_under(&mut order)?;
    anyhow::ensure!(
        order.role.is_some() || !order.default_roles.is_empty(),
        "missing field `role`"
    );
    anyhow::ensure!(
        order
            .role
            .as_ref()
            .is_none_or(|role| role.as_str().is_some_and(is_name)),
        "`role` must be the name of a role"
    );
    Ok(order)
}

/// Prepares what a model asks for, to be built.
fn prepared(global: &Global, order: Order) -> anyhow::Result<Job> {
    let mut job = with_options(global, order)?.prepare(&global.roles()?)?;
    job.request.asker = Asker::Model;
    Ok(job)
}

/// Builds the prompt that is asked for.
pub(super) fn build(global: &Global, order: Order) -> anyhow::Result<Prompt> {
    Ok(prepared(global, order)?.build(&global.packer()?)?)
}

/// Makes the request for a role that is used as a prompt; the values of its arguments are texts.
pub(super) fn of_prompt(role: &str, arguments: &Map<String, Json>) -> anyhow::Result<Order> {
    const KNOWN: [&str; 3] = ["task", "target", "budget"];
    for (name, value) in arguments {
        anyhow::ensure!(
            KNOWN.contains(&name.as_str()),
            "there is no argument `{}`: {}",
            quoted(name),
            fields::help(name, &KNOWN)
        );
        anyhow::ensure!(value.is_string(), "`{name}` must be a string");
    }
    let text = |name: &str| arguments.get(name).and_then(Json::as_str);
    // A host shows a form, of which a field may be left empty.
    let task = text("task").filter(|task| !task.trim().is_empty());
    let budget = text("budget").map(|budget| budget.trim().parse());
    let target = text("target").unwrap_or_default().lines().map(str::trim);
    let mut order = Order {
        role: Some(role.into()),
        task: task.map(str::to_owned),
        target: target
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect(),
        ..Order::default()
    };
    order.overrides.budget = budget.transpose().map_err(|_: String| {
        let meant = text("budget").map_or_else(String::new, fields::meant_number);
        anyhow::anyhow!("`budget` must be a whole number or `auto`{meant}")
    })?;
    Ok(order)
}

fn build_prompt(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    report(global, &build(global, parse(arguments, &WITHHELD)?)?)
}

fn pack_context(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let order = Order {
        flow: Some(Flow::Files),
        template: None,
        ..parse(arguments, &WITHHELD)?
    };
    report(global, &build(global, order)?)
}

fn report(global: &Global, prompt: &Prompt) -> anyhow::Result<Done> {
    let mut data = serde_json::to_value(prompt.report())?;
    report_without_machine(global, &mut data);
    Ok(Done {
        text: prompt.text.clone(),
        data,
    })
}

fn explain_prompt(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let input: ExplainInput = parse(arguments, &WITHHELD)?;
    let job = prepared(global, input.order)?;
    let question = Question {
        files: &input.files,
        with_prompt: input.with_prompt,
    };
    let explanation = explain::explain(&global.packer()?, &job, &question)?;
    let mut data = serde_json::to_value(&explanation)?;
    report_without_machine(global, &mut data);
    Ok(Done {
        text: without_machine(global, explain::text(&explanation)),
        data,
    })
}

fn read_files(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let input: ReadInput = parse(arguments, &[])?;
    let root = global.packer()?.root().to_owned();
    let options = ReadOptions {
        dir: root.clone(),
        filter: input.filter.as_deref().map(NameFilter::parse).transpose()?,
        max_files: input.max_files,
        max_file_size: input.max_file_size,
    };
    let mut files = ReadFiles::new(&root);
    files.read_requested(&input.files, &options);
    let read: Vec<ReadFile> = serde_json::from_str(&files.write(FilesStyle::Json))?;
    let output = ReadOutput {
        files: read,
        warnings: files.warnings(),
    };
    Ok(Done {
        text: files.write(FilesStyle::Markdown),
        data: serde_json::to_value(output)?,
    })
}

fn load(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let input: LoadInput = parse(arguments, &[])?;
    let loaded = load_context(&LoaderOptions {
        root_dir: global.packer()?.root().to_owned(),
        token_budget: input.budget.unwrap_or(CONTEXT_BUDGET),
        priority_order: input.priority,
        tokenizer: global.tokenizer()?,
        ..LoaderOptions::default()
    })?;
    let output = LoadOutput {
        summary: loaded.summary.clone(),
        token_count: loaded.token_count,
        truncated: loaded.truncated,
        files: loaded.files.into_iter().map(|file| file.name).collect(),
        missing: loaded.missing,
        warnings: loaded.warnings,
    };
    Ok(Done {
        text: loaded.summary,
        data: serde_json::to_value(output)?,
    })
}
