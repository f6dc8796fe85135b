//! What a prompt is asked for with: the JSON object of `--request`, over which options
//! win, and which `packer batch` and the servers read too.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use context_packer::command::{nearest, show};
use context_packer::report::Flow;
use context_packer::roles::MAX_BUDGET;
use context_packer::settings::{Engine, Prune, Style};
use context_packer::tokens::Tokenizer;
use context_packer::{ContextPacker, Error, Prompt, Request, Role, Roles};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::Format;

/// What a prompt is asked for with. The options of `packer render`, `prompt` and `pack`
/// have the same names and win over it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "A request for a prompt", transform = without_defaults)]
pub(super) struct RequestFile {
    /// The template to render, in place of the role's own.
    pub(super) template: Option<String>,
    /// The role: its name, the path of a role file, or the role itself as an object.
    #[schemars(with = "RoleGiven")]
    pub(super) role: Option<Json>,
    /// What the worker is to do. Needed unless the flow is `files`.
    pub(super) task: Option<String>,
    /// The files that the task is about, relative to the repository or absolute inside
    /// it.
    pub(super) target: Vec<String>,
    /// Extra sections: a key and its text. `git_diff`, `imports`, `related`, `repo_map`
    /// and `tree` replace what would have been gathered. What is no text is written as
    /// JSON.
    pub(super) extra: Map<String, Json>,
    /// What the template finds as `data.KEY`. Never pruned.
    pub(super) data: Map<String, Json>,
    /// The token budget of the whole prompt, in place of the role's.
    #[schemars(range(min = 1, max = MAX_BUDGET))]
    pub(super) budget: Option<u32>,
    /// What happens when it does not fit, in place of the role's.
    pub(super) prune: Option<Prune>,
    /// How sections are written, in place of the role's.
    pub(super) style: Option<Style>,
    /// Who packs what the plain patterns match, in place of the role's.
    pub(super) engine: Option<Engine>,
    /// How tokens are counted, in place of the role's.
    pub(super) tokenizer: Option<Tokenizer>,
    /// How the prompt is built: by a template, as a whole without one, or the files
    /// alone. Without it, by the template that is named here or by the role, else whole.
    pub(super) flow: Option<Flow>,
    /// Whether the prompt itself or the report is printed. `packer batch` always prints
    /// reports.
    pub(super) format: Option<Format>,
    /// Whether a table of what is in the prompt goes to standard error.
    pub(super) explain: bool,
    /// Whether a fallback, a prompt over its budget, or a target that cannot be read is
    /// an error.
    pub(super) strict: bool,
    /// The file to write to; not for `packer batch`.
    pub(super) output: Option<PathBuf>,
}

/// A role's name, the path of a role file, or a role.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum RoleGiven {
    Named(String),
    Inline(Map<String, Json>),
}

/// A field that is absent is not the same as one with the value `null` or `false` for who
/// reads a schema; here all of them may be left out, so defaults say nothing.
fn without_defaults(schema: &mut schemars::Schema) {
    if let Some(Json::Object(fields)) = schema.get_mut("properties") {
        for field in fields.values_mut().filter_map(Json::as_object_mut) {
            field.remove("default");
        }
    }
}

/// What is asked for, ready to be built.
pub(super) struct Asked {
    pub(super) role: Role,
    pub(super) request: Request,
    /// The template, unless another flow was asked for.
    pub(super) template: Option<String>,
    pub(super) flow: Flow,
}

impl RequestFile {
    /// The names of its fields.
    const FIELDS: [&str; 16] = [
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
        "flow",
        "format",
        "explain",
        "strict",
        "output",
    ];

    /// Reads a request.
    pub(super) fn parse(text: &str) -> anyhow::Result<RequestFile> {
        let Json::Object(fields) = context_packer::command::parse_json(text)? else {
            anyhow::bail!("it is not a JSON object");
        };
        RequestFile::of(fields)
    }

    /// Makes a request of its fields.
    pub(super) fn of(fields: Map<String, Json>) -> anyhow::Result<RequestFile> {
        let known = RequestFile::FIELDS;
        if let Some(unknown) = fields.keys().find(|key| !known.contains(&key.as_str())) {
            let starts =
                |field: &&str| unknown.starts_with(*field) || field.starts_with(&**unknown);
            let near = known.into_iter().find(starts);
            let near = near.or_else(|| nearest(unknown, known));
            let help = near.map_or_else(
                || format!("known are {}", known.join(", ")),
                |field| format!("did you mean `{field}`?"),
            );
            let unknown = show::visible(unknown);
            anyhow::bail!("unknown field `{unknown}`: {help}");
        }
        for (field, value) in &fields {
            let single = serde_json::json!({ field: value });
            if let Err(error) = serde_json::from_value::<RequestFile>(single) {
                anyhow::bail!("`{field}`: {}", plain(&error));
            }
        }
        Ok(serde_json::from_value(Json::Object(fields))?)
    }

    /// Loads the role and looks whether everything is there that the flow needs.
    pub(super) fn prepare(self, roles: &Roles) -> anyhow::Result<Asked> {
        let role = match &self.role {
            Some(Json::String(role)) => load(roles, role)?,
            Some(inline) => roles.load_json(inline)?,
            None => anyhow::bail!("a role is missing"),
        };
        let named = self.template.as_deref().or(role.template());
        let flow = match (self.flow, named) {
            (Some(flow), _) => flow,
            (None, Some(_)) => Flow::Template,
            (None, None) => Flow::Whole,
        };
        let template = named.filter(|_| flow == Flow::Template).map(str::to_owned);
        anyhow::ensure!(
            flow != Flow::Template || template.is_some(),
            "a template is missing: the role `{}` names none",
            role.name
        );
        let task = self.task.unwrap_or_default();
        anyhow::ensure!(
            flow == Flow::Files || !task.trim().is_empty(),
            "the task is empty"
        );
        anyhow::ensure!(
            self.budget
                .is_none_or(|tokens| (1..=MAX_BUDGET).contains(&tokens)),
            "the budget has to be from 1 to {MAX_BUDGET} tokens"
        );
        let request = Request {
            task,
            targets: self.target,
            extra: texts(&self.extra)?,
            data: self.data,
            budget: self.budget.map(|tokens| tokens as usize),
            prune: self.prune,
            style: self.style,
            engine: self.engine,
            tokenizer: self.tokenizer,
            strict: self.strict,
        };
        Ok(Asked {
            role,
            request,
            template,
            flow,
        })
    }
}

impl Asked {
    /// Builds the prompt. Targets outside the repository are refused.
    pub(super) fn build(&self, packer: &ContextPacker) -> Result<Prompt, Error> {
        if let Some(template) = &self.template {
            packer.templates().get(template)?;
        }
        packer.check_targets(&self.request)?;
        match (self.flow, &self.template) {
            (Flow::Files, _) => packer.pack_file_context(&self.role, &self.request),
            (Flow::Template, Some(template)) => {
                packer.build_full_prompt(template, &self.role, &self.request)
            }
            (Flow::Template | Flow::Whole, _) => packer.pack_context(&self.role, &self.request),
        }
    }
}

/// What a parser says of a value, in the words of who wrote it.
pub(super) fn plain(error: &serde_json::Error) -> String {
    let words = [
        ("u32", "a whole number"),
        ("u64", "a whole number"),
        ("usize", "a whole number"),
        ("a sequence", "a list"),
        ("a map", "an object"),
        ("map", "object"),
    ];
    let said = error.to_string();
    words
        .iter()
        .fold(said, |said, (word, plain)| said.replace(word, plain))
}

/// The texts of extra sections; what is no text is written as JSON.
fn texts(extra: &Map<String, Json>) -> anyhow::Result<Vec<(String, String)>> {
    let mut texts = Vec::new();
    for (key, value) in extra {
        let text = match value {
            Json::String(text) => text.clone(),
            Json::Null => continue,
            other => serde_json::to_string_pretty(other)?,
        };
        texts.push((key.clone(), text));
    }
    Ok(texts)
}

/// Loads a role by its name or, if it looks like one, by its path.
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

/// Reads the request that `--request` names, or none.
pub(super) fn read(
    path: Option<&PathBuf>,
    input: &mut super::input::Input,
) -> anyhow::Result<RequestFile> {
    let Some(path) = path else {
        return Ok(RequestFile::default());
    };
    let text = input.read(path)?;
    RequestFile::parse(&text).with_context(|| {
        let path = show::path(path);
        format!("the request `{path}` cannot be used")
    })
}
