//! The tools of the server: what goes in and comes out of each, and what it does.

use std::sync::Arc;

use anyhow::Context as _;
use context_packer::context_dir::{CONTEXT_BUDGET, LoaderOptions, load_context};
use context_packer::explain::{Explanation, Question};
use context_packer::readers::{NameFilter, ReadFiles, ReadOptions};
use context_packer::report::{Flow, Report};
use context_packer::settings::{FilesStyle, Prune, Style};
use context_packer::tokens::Tokenizer;
use context_packer::{Note, Prompt};
use rmcp::model::{Tool as Described, ToolAnnotations};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::super::request::{RequestFile, plain};
use super::super::{Global, explain};

/// What a tool answers: a text for a model, and the same as data.
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
    pub(super) call: fn(&Global, &Map<String, Json>) -> anyhow::Result<Done>,
}

pub(super) static TOOLS: [Tool; 5] = [
    Tool {
        name: "build_prompt",
        title: "Build a prompt",
        description: "Builds the whole prompt for one worker: gathers the context that the role asks for, fits it to the token budget by priority, and renders the role's template. Answers with the prompt and a report of what is in it and what is not.",
        input: || schema_for!(PromptInput),
        output: || schema_for!(Report),
        call: build_prompt,
    },
    Tool {
        name: "pack_context",
        title: "Pack the file context",
        description: "Packs the file context of a role alone, without instructions and task, and leaves 1,000 tokens of the budget for a prompt around it. The task still decides which files matter.",
        input: || schema_for!(PromptInput),
        output: || schema_for!(Report),
        call: pack_context,
    },
    Tool {
        name: "read_files",
        title: "Read files",
        description: "Reads files of the repository under guards: regular text files inside it, never more than the limits. What cannot be read has a message in its place. Paths are relative to the repository's root.",
        input: || schema_for!(ReadInput),
        output: || schema_for!(ReadOutput),
        call: read_files,
    },
    Tool {
        name: "load_context",
        title: "Load the .context directory",
        description: "Loads the project's own memory, the Markdown files of its `.context` directory, as one summary within a token budget.",
        input: || schema_for!(LoadInput),
        output: || schema_for!(LoadOutput),
        call: load,
    },
    Tool {
        name: "explain",
        title: "Explain a prompt",
        description: "Says why each section and file is in a prompt or not: what asked for it, what it costs, and with which budget it would be whole.",
        input: explain_input,
        output: || schema_for!(Explanation),
        call: explain_prompt,
    },
];

impl Tool {
    /// The tool as it is listed.
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

/// What a prompt is built of.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PromptInput {
    /// The role: the name of one of the server's roles.
    role: String,
    /// What the worker is to do. Needed for a whole prompt.
    #[serde(default)]
    task: Option<String>,
    /// The files that the task is about, relative to the repository.
    #[serde(default)]
    target: Vec<String>,
    /// The template to render, in place of the role's own; one of those that the server
    /// allows.
    #[serde(default)]
    template: Option<String>,
    /// Extra sections: a key and its text.
    #[serde(default)]
    extra: Map<String, Json>,
    /// What the template finds as `data.KEY`.
    #[serde(default)]
    data: Map<String, Json>,
    /// The token budget of the whole prompt, in place of the role's.
    #[schemars(range(min = 1, max = context_packer::roles::MAX_BUDGET))]
    #[serde(default)]
    budget: Option<u32>,
    /// What happens when it does not fit, in place of the role's.
    #[serde(default)]
    prune: Option<Prune>,
    /// How sections are written, in place of the role's.
    #[serde(default)]
    style: Option<Style>,
    /// How tokens are counted, in place of the role's.
    #[serde(default)]
    tokenizer: Option<Tokenizer>,
    /// Whether a fallback, a prompt over its budget, or a target that cannot be read is
    /// an error.
    #[serde(default)]
    strict: bool,
}

impl PromptInput {
    fn into_request(self) -> anyhow::Result<RequestFile> {
        // A path would have the server read any role file of the machine.
        anyhow::ensure!(
            !self.role.contains(['/', '\\', '.']),
            "`role` has to be the name of a role"
        );
        Ok(RequestFile {
            role: Some(self.role.into()),
            task: self.task,
            target: self.target,
            template: self.template,
            extra: self.extra,
            data: self.data,
            budget: self.budget,
            prune: self.prune,
            style: self.style,
            tokenizer: self.tokenizer,
            strict: self.strict,
            ..RequestFile::default()
        })
    }
}

/// What an explanation takes beside what a prompt is built of.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ExplainInput {
    /// Files to ask about: why each is in the prompt, or is not.
    files: Vec<String>,
    /// Whether the prompt's own text comes with the explanation.
    with_prompt: bool,
}

/// What a prompt is built of, and what else an explanation takes.
fn explain_input() -> Schema {
    let mut schema = schema_for!(PromptInput);
    let more = schema_for!(ExplainInput);
    let more = more.get("properties").and_then(Json::as_object).cloned();
    if let Some(Json::Object(fields)) = schema.get_mut("properties") {
        fields.extend(more.unwrap_or_default());
    }
    schema
}

/// Which files are read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadInput {
    /// The files, relative to the repository's root.
    files: Vec<String>,
    /// Read only names that match these globs, with commas between.
    #[serde(default)]
    filter: Option<String>,
    /// Stop when there are so many files.
    #[serde(default)]
    max_files: Option<usize>,
    /// Do not read files of more bytes.
    #[serde(default)]
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
#[serde(deny_unknown_fields, default)]
struct LoadInput {
    /// The tokens of the summary.
    budget: Option<usize>,
    /// Names of files that matter most, in this order.
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
    /// The expected files that are not there.
    missing: Vec<String>,
    /// What the caller should know.
    warnings: Vec<Note>,
}

/// Reads arguments, and names the one that is wrong.
fn parse<T: DeserializeOwned>(arguments: &Map<String, Json>) -> anyhow::Result<T> {
    let read = |arguments: Map<String, Json>| serde_json::from_value(Json::Object(arguments));
    read(arguments.clone()).map_err(|error| {
        let said = plain(&error);
        // Without the wrong one it is right, or the wrong one is missing.
        let is_wrong = |name: &&String| {
            let mut others = arguments.clone();
            others.shift_remove(*name);
            match read(others).map(|_: T| ()) {
                Ok(()) => true,
                Err(other) => other.to_string() == format!("missing field `{name}`"),
            }
        };
        match arguments.keys().find(is_wrong) {
            Some(name) if !said.contains(name.as_str()) => anyhow::anyhow!("`{name}`: {said}"),
            _ => anyhow::anyhow!("the arguments cannot be used: {said}"),
        }
    })
}

/// Builds the prompt that is asked for.
pub(super) fn build(global: &Global, asked: RequestFile) -> anyhow::Result<Prompt> {
    let asked = with_options(global, asked).prepare(&global.roles()?)?;
    Ok(asked.build(&global.packer()?)?)
}

/// What the server's own options say holds where a call does not say otherwise.
fn with_options(global: &Global, asked: RequestFile) -> RequestFile {
    RequestFile {
        engine: global.engine.map(Into::into),
        tokenizer: asked.tokenizer.or(global.tokenizer),
        ..asked
    }
}

/// What a role as a prompt is asked for with; values of its arguments are texts.
pub(super) fn of_prompt(role: &str, arguments: &Map<String, Json>) -> anyhow::Result<RequestFile> {
    for (name, value) in arguments {
        let is_known = ["task", "target", "budget"].contains(&name.as_str());
        anyhow::ensure!(is_known, "there is no argument `{name}`");
        anyhow::ensure!(value.is_string(), "`{name}` has to be a text");
    }
    let text = |name: &str| arguments.get(name).and_then(Json::as_str);
    let budget = text("budget").map(|budget| budget.trim().parse());
    let target = text("target").unwrap_or_default().lines();
    let input = PromptInput {
        role: role.to_owned(),
        task: text("task").map(str::to_owned),
        target: target
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect(),
        budget: budget
            .transpose()
            .context("`budget` has to be a whole number")?,
        ..PromptInput::default()
    };
    input.into_request()
}

fn build_prompt(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let asked = parse::<PromptInput>(arguments)?.into_request()?;
    report(&build(global, asked)?)
}

fn pack_context(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let asked = RequestFile {
        flow: Some(Flow::Files),
        template: None,
        ..parse::<PromptInput>(arguments)?.into_request()?
    };
    report(&build(global, asked)?)
}

fn report(prompt: &Prompt) -> anyhow::Result<Done> {
    Ok(Done {
        text: prompt.text.clone(),
        data: serde_json::to_value(prompt.report())?,
    })
}

fn explain_prompt(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let mut arguments = arguments.clone();
    let own = ["files", "with_prompt"].map(|name| (name, arguments.shift_remove(name)));
    let own = own
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let input: ExplainInput = parse(&own.collect())?;
    let asked = parse::<PromptInput>(&arguments)?.into_request()?;
    let asked = with_options(global, asked).prepare(&global.roles()?)?;
    let question = Question {
        files: &input.files,
        with_prompt: input.with_prompt,
    };
    let explanation = explain::explain(&global.packer()?, &asked, &question)?;
    Ok(Done {
        text: explain::text(&explanation),
        data: serde_json::to_value(&explanation)?,
    })
}

fn read_files(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let input: ReadInput = parse(arguments)?;
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
        warnings: files.warnings(FilesStyle::Json),
    };
    Ok(Done {
        text: files.write(FilesStyle::Markdown),
        data: serde_json::to_value(output)?,
    })
}

fn load(global: &Global, arguments: &Map<String, Json>) -> anyhow::Result<Done> {
    let input: LoadInput = parse(arguments)?;
    let loaded = load_context(&LoaderOptions {
        root_dir: global.packer()?.root().to_owned(),
        token_budget: input.budget.unwrap_or(CONTEXT_BUDGET),
        priority_order: input.priority,
        tokenizer: global.tokenizer.unwrap_or_default(),
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
