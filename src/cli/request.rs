//! A request for a prompt, however it arrives, and what becomes of it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use context_packer::command::{
    brought_sections, is_much_data, parse_request, show, write_whole, write_with,
};
use context_packer::report::Flow;
use context_packer::requests::{Budget, MAX_KEY, Overrides};
use context_packer::roles::MAX_BUDGET;
use context_packer::{ContextPacker, Error, Prompt, Request, Role, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};

use super::input::Input;
use super::report::{print_as_it_is, print_json, write_json};
use super::{fields, output};

/// A request for a prompt. The options of `packer render`, `prompt` and `pack` have the same names
/// and win over it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "A request for a prompt")]
pub(super) struct Order {
    /// The template to render instead of the role's own.
    pub(super) template: Option<String>,
    /// The role: its name, the path of a role file, or the role itself as an object.
    #[schemars(extend("type" = ["string", "object", "null"]))]
    pub(super) role: Option<Json>,
    /// What the worker is to do. Required unless the flow is `files`.
    pub(super) task: Option<String>,
    /// What the task is about, relative to the repository or absolute inside it: files, folders,
    /// lines (`src/a.rs:120-180`), symbols (`src/a.rs::Config::load`), globs (`src/*.py`).
    pub(super) target: Vec<String>,
    /// Extra sections, in their order.
    #[serde(deserialize_with = "pairs")]
    #[schemars(with = "Map<String, Json>", description = about_extra(), extend("propertyNames" = extra_names()))]
    pub(super) extra: Vec<(String, Json)>,
    /// Values for the template, as `data.KEY`. They are never pruned.
    pub(super) data: Map<String, Json>,
    #[serde(flatten)]
    pub(super) overrides: Overrides,
    /// How the prompt is built: with a template, whole without one, or only the files. By default,
    /// with the template named here or by the role, or else whole.
    pub(super) flow: Option<Flow>,
    #[serde(flatten)]
    pub(super) delivery: Delivery,
    /// Default roles, used where this names none: the first that can be used is taken.
    #[serde(skip)]
    pub(super) default_roles: Vec<String>,
    /// The template to use where neither this nor the role names one.
    #[serde(skip)]
    pub(super) default_template: Option<String>,
    /// Remarks for the caller about where this comes from.
    #[serde(skip)]
    pub(super) remarks: Vec<String>,
}

/// What is printed, and where it goes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema, clap::Args)]
#[serde(default)]
pub(super) struct Delivery {
    /// Print the prompt, its messages as JSON, or a JSON report with everything [default: text]
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<PromptFormat>,

    /// Print a table on standard error: what is in the prompt, what is not, and why.
    #[arg(long)]
    pub(super) explain: bool,

    /// Write to this file, completely or not at all; `-` for standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// What is printed of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(super) enum PromptFormat {
    Text,
    Messages,
    Json,
}

/// A prompt that can be built: its role is loaded, and nothing is missing.
pub(super) struct Job {
    pub(super) role: Role,
    pub(super) request: Request,
    /// The template, unless another flow was asked for.
    template: Option<String>,
    /// Whether the template comes from a default and nobody named it.
    by_default: bool,
    flow: Flow,
    /// Remarks for the caller about where the request comes from.
    remarks: Vec<String>,
}

/// Reads the members of an object in their order.
fn pairs<'de, D: Deserializer<'de>>(object: D) -> Result<Vec<(String, Json)>, D::Error> {
    Ok(Map::deserialize(object)?.into_iter().collect())
}

fn about_extra() -> String {
    format!(
        "Extra sections: a key and its text. {} replace what packer would gather. Values other \
         than strings are written as JSON.",
        brought_sections()
    )
}

/// Returns the schema of what extra sections are called.
fn extra_names() -> Json {
    json!({"maxLength": MAX_KEY, "pattern": r"^[^\n\r]*\S[^\n\r]*$"})
}

impl Order {
    /// Reads the order that `--request` names, or returns an empty one.
    pub(super) fn read(path: Option<&PathBuf>, input: &mut Input) -> anyhow::Result<Order> {
        let Some(path) = path else {
            return Ok(Order::default());
        };
        let text = input.read(path)?;
        Order::parse(&text).with_context(|| {
            let path = show::path(path);
            format!("cannot use the request `{path}`")
        })
    }

    fn parse(text: &str) -> anyhow::Result<Order> {
        match parse_request(text)? {
            Json::Object(fields) => fields::read(fields, &fields::names::<Order>(&[])),
            _ => anyhow::bail!("it is not a JSON object"),
        }
    }

    /// Loads the role and checks that everything the flow needs is there.
    pub(super) fn prepare(mut self, roles: &Roles) -> anyhow::Result<Job> {
        let role = match &self.role {
            Some(Json::String(role)) => load(roles, role)?,
            Some(inline) => roles.load_json(inline)?,
            None => self.default_role(roles)?,
        };
        let named = self.template.as_deref().or(role.template());
        let by_default = named.is_none();
        let named = named.or(self.default_template.as_deref());
        let flow = match (self.flow, named) {
            (Some(flow), _) => flow,
            (None, Some(_)) => Flow::Template,
            (None, None) => Flow::Whole,
        };
        let template = named.filter(|_| flow == Flow::Template).map(str::to_owned);
        anyhow::ensure!(
            flow != Flow::Template || template.is_some(),
            "no template: the request names none, and neither does the role `{}`",
            role.name()
        );
        if flow != Flow::Files {
            self.check_task()?;
        }
        Ok(Job {
            remarks: std::mem::take(&mut self.remarks),
            request: self.request()?,
            role,
            template,
            by_default,
            flow,
        })
    }

    /// Returns the first of the default roles that can be used.
    fn default_role(&mut self, roles: &Roles) -> anyhow::Result<Role> {
        for name in &self.default_roles {
            match roles.load(name) {
                Ok(role) => return Ok(role),
                Err(why) => self
                    .remarks
                    .push(format!("the default role is ignored: {why}")),
            }
        }
        match self.remarks.last() {
            Some(why) if !self.default_roles.is_empty() => anyhow::bail!("{why}"),
            _ => anyhow::bail!("a role is missing"),
        }
    }

    /// Checks that there is a task. An empty one may be meant, so it gets only a remark.
    fn check_task(&mut self) -> anyhow::Result<()> {
        match &self.task {
            None => anyhow::bail!("a task is missing"),
            Some(task) if task.trim().is_empty() => self
                .remarks
                .push("the task is empty: say in `task` what to do".into()),
            Some(_) => {}
        }
        Ok(())
    }

    fn request(self) -> anyhow::Result<Request> {
        let budget = self.overrides.budget;
        anyhow::ensure!(
            budget.is_none_or(Budget::is_allowed),
            "the budget must be from 1 to {MAX_BUDGET} tokens"
        );
        anyhow::ensure!(
            !is_much_data(&self.data),
            "the data is too large: it takes more than 16 MiB, so pass fewer values"
        );
        let mut request = Request::new(self.task.unwrap_or_default());
        request.targets = self.target;
        request.extra = texts(self.extra)?;
        request.data = self.data;
        request.overrides = self.overrides;
        Ok(request)
    }
}

impl Job {
    /// Builds the prompt. Refuses targets outside the repository.
    pub(super) fn build(&self, packer: &ContextPacker) -> Result<Prompt, Error> {
        let mut remarks = self.remarks.clone();
        let template = match self
            .template
            .as_deref()
            .map(|it| (it, packer.templates().get(it)))
        {
            Some((_, Err(why))) if self.by_default => {
                remarks.push(format!("the default template is ignored: {why}"));
                None
            }
            Some((template, found)) => found.map(|_| Some(template))?,
            None => None,
        };
        packer.check_targets(&self.request)?;
        let prompt = match (self.flow, template) {
            (Flow::Files, _) => packer.pack_file_context(&self.role, &self.request),
            (Flow::Template, Some(template)) => {
                packer.build_full_prompt(template, &self.role, &self.request)
            }
            (Flow::Template | Flow::Whole, _) => packer.pack_context(&self.role, &self.request),
        };
        Ok(prompt?.with_remarks(&remarks))
    }
}

impl Delivery {
    /// Returns these settings, filled in from `others` where they say nothing.
    pub(super) fn or(self, others: Delivery) -> Delivery {
        Delivery {
            format: self.format.or(others.format),
            explain: self.explain || others.explain,
            output: self.output.or(others.output),
        }
    }

    /// Whether data is printed instead of text.
    pub(super) fn is_json(&self) -> bool {
        matches!(
            self.format,
            Some(PromptFormat::Json | PromptFormat::Messages)
        )
    }

    /// Whether only the messages of a prompt are printed.
    pub(super) fn is_messages(&self) -> bool {
        self.format == Some(PromptFormat::Messages)
    }

    /// Prints a text, or its data if JSON is asked for, or writes it to a file.
    pub(super) fn hand_over<T: Serialize>(
        &self,
        text: &str,
        data: impl FnOnce() -> T,
    ) -> anyhow::Result<()> {
        match (output::file(self.output.as_ref()), self.is_json()) {
            (None, false) => print_as_it_is(text),
            (None, true) => print_json(&data()),
            (Some(path), false) => Ok(write_whole(path, text)?),
            (Some(path), true) => Ok(write_with(path, |file| write_json(file, &data()))?),
        }
    }
}

/// Returns the texts of extra sections, with values other than strings written as JSON.
fn texts(extra: Vec<(String, Json)>) -> anyhow::Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for (key, value) in extra {
        let text = match value {
            Json::String(text) => text,
            Json::Null => continue,
            other => serde_json::to_string_pretty(&other)?,
        };
        texts.push((key, text));
    }
    Ok(texts)
}

/// Loads a role by its name, or by its path if it looks like one.
pub(super) fn load(roles: &Roles, role: &str) -> anyhow::Result<Role> {
    let path = Path::new(role);
    let is_path =
        role.contains(['/', '\\']) || path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    Ok(if is_path {
        roles.load_file(path)?
    } else {
        roles.load(role)?
    })
}
