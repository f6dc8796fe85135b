//! Defaults: what is used if neither an option nor a request says otherwise.

use std::sync::OnceLock;

use anyhow::Context as _;
use context_packer::command::{read_operator_file, show};
use context_packer::requests::{Budget, CommonOverrides, Overrides};
use context_packer::roles::MAX_BUDGET;
use context_packer::{ContextPacker, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::report::{Table, Terminal, advice, print, print_json, sentence};
use super::request::Order;
use super::{CheckFailed, Format, Global, fields, places};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer config
  packer config --format json

For a repository, .packer/config.toml:
  role = \"implementer\"
  template = \"implement.j2\"
  budget = 40000

For yourself, ~/.config/packer/config.toml:
  model = \"claude-sonnet-4-5\"
  budget = \"auto\"

All settings: packer schema config";

/// Where a repository has its defaults.
const OF_REPOSITORY: &str = ".packer/config.toml";

/// The largest configuration, in bytes: the tree of a larger one could take a thousand times as
/// much.
const MAX_CONFIG: u64 = 16 * 1024;

/// Settings that belong to a single request.
const WITHHELD: [&str; 4] = ["base", "worktree", "diff", "since"];

/// Settings that only the user, and no repository, may choose: they decide which programs run,
/// where the prompt goes, and when a call fails.
const OF_THE_USER: [&str; 4] = ["engine", "model", "strict", "tokenizer"];

#[derive(Debug, clap::Args)]
pub(super) struct ConfigArgs {
    /// Print a table or JSON
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Defaults, as a file says them.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(title = "Defaults of `packer`")]
struct Defaults {
    /// The role of prompts that name none: one of `packer roles list`.
    role: Option<String>,
    /// The template of prompts where neither the request nor the role names one.
    template: Option<String>,
    #[serde(flatten)]
    overrides: Overrides,
}

/// A file of defaults.
struct Layer {
    /// The file, as it is shown.
    place: String,
    /// What it says, unchanged.
    said: Map<String, Json>,
    defaults: Defaults,
}

/// All defaults for a repository.
#[derive(Default)]
pub(super) struct Config {
    /// For each setting, the first layer that has it counts.
    layers: Vec<Layer>,
    /// What is wrong with the repository's.
    remarks: Vec<String>,
}

/// A default, and where it comes from.
#[derive(Debug, Serialize)]
struct DefaultRow {
    name: String,
    value: Option<Json>,
    /// The file; null if it is not set.
    from: Option<String>,
    /// Why it is ignored, if it is.
    problem: Option<String>,
}

/// Returns the schema of a file of defaults.
pub(super) fn schema() -> schemars::Schema {
    fields::schema::<Defaults>(&WITHHELD)
}

pub(super) fn run(global: &Global, args: &ConfigArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let config = Config::of(global, &packer)?;
    let roles = global.roles()?;
    let told = known().iter().map(|name| {
        let said = |layer: &Layer| Some((layer.said.get(name)?.clone(), layer.place.clone()));
        let (value, from) = config.layers.iter().find_map(said).unzip();
        DefaultRow {
            problem: problem(name, value.as_ref(), &roles, &packer),
            name: name.clone(),
            value,
            from,
        }
    });
    let told: Vec<DefaultRow> = told.collect();
    match args.format {
        Format::Json => print_json(&told)?,
        Format::Text => print(&table(&told))?,
    }
    let problems = told.iter().filter_map(|told| {
        let DefaultRow { name, problem, .. } = told;
        let problem = problem.as_ref()?;
        Some(format!("the default `{name}` is ignored: {problem}"))
    });
    let wrong: Vec<String> = config.remarks.iter().cloned().chain(problems).collect();
    terminal.warn(&wrong);
    if wrong.is_empty() {
        return Ok(());
    }
    Err(CheckFailed.into())
}

/// Returns why the default role or template cannot be used.
fn problem(
    default: &str,
    value: Option<&Json>,
    roles: &Roles,
    packer: &ContextPacker,
) -> Option<String> {
    let value = value?.as_str()?;
    let found = match default {
        "role" => roles.load(value).map(|_| ()),
        "template" => packer.templates().get(value).map(|_| ()),
        _ => return None,
    };
    found.err().map(|why| advice(&why.into()))
}

fn table(told: &[DefaultRow]) -> String {
    let mut table = Table::new(&["default", "value", "from"]);
    for told in told {
        let DefaultRow {
            name, value, from, ..
        } = told;
        let value = match value {
            None => "-".into(),
            Some(Json::String(text)) => show::quoted(text).into_owned(),
            Some(other) => other.to_string(),
        };
        table.row([
            name.clone(),
            value,
            from.clone().unwrap_or_else(|| "not set".into()),
        ]);
    }
    table.print("<<<")
}

impl Config {
    /// Returns the defaults for a repository: its own before the user's.
    pub(super) fn of(global: &Global, packer: &ContextPacker) -> anyhow::Result<Config> {
        let mut config = Config::of_repository(global, packer);
        config.layers.extend(of_user(global)?);
        Ok(config)
    }

    /// Returns the defaults that a repository has, whoever uses it. If they cannot be used, there
    /// is a remark.
    pub(super) fn of_repository(global: &Global, packer: &ContextPacker) -> Config {
        let mut config = Config::default();
        if global.without.no_config {
            return config;
        }
        match of_repository(packer) {
            Ok(layer) => config.layers.extend(layer),
            Err(why) => {
                let why = sentence(&why);
                let message = format!("`{OF_REPOSITORY}` is ignored: {why}");
                config.remarks.push(message);
            }
        }
        config
    }

    /// Lays these under an order.
    pub(super) fn lay_under(&self, order: &mut Order) {
        for layer in &self.layers {
            let Defaults {
                role,
                template,
                mut overrides,
            } = layer.defaults.clone();
            order.default_roles.extend(role);
            order.default_template = order.default_template.take().or(template);
            let given = std::mem::take(&mut order.overrides);
            overrides.common = under(given.common, overrides.common);
            order.overrides = given.or(overrides);
        }
        order.remarks.extend_from_slice(&self.remarks);
    }
}

/// Returns the settings for commands that build no prompt.
pub(super) fn common(global: &Global) -> anyhow::Result<CommonOverrides> {
    Ok(of_user(global)?.map_or(global.common, |layer| {
        under(global.common, layer.defaults.overrides.common)
    }))
}

/// Combines both, where the first wins: a layer that names a model also says how tokens are
/// counted.
fn under(given: CommonOverrides, mut defaults: CommonOverrides) -> CommonOverrides {
    if given.tokenizer().is_some() {
        defaults.tokenizer = None;
    }
    given.or(defaults)
}

fn of_user(global: &Global) -> anyhow::Result<Option<Layer>> {
    let place = places::config().map(|folder| folder.join("config.toml"));
    let Some(place) = place.filter(|place| !global.without.no_config && place.exists()) else {
        return Ok(None);
    };
    let shown = show::path(&place);
    let text = read_operator_file(&place, MAX_CONFIG)?.text;
    let layer = layer(shown.clone(), &text).with_context(|| format!("`{shown}` cannot be used"))?;
    Ok(Some(layer))
}

fn of_repository(packer: &ContextPacker) -> anyhow::Result<Option<Layer>> {
    let Some(text) = packer.read_own(OF_REPOSITORY, MAX_CONFIG)? else {
        return Ok(None);
    };
    let layer = layer(OF_REPOSITORY.into(), &text)?;
    let users = OF_THE_USER.iter();
    let mut users = users.filter(|name| layer.said.contains_key(**name));
    if let Some(name) = users.next() {
        anyhow::bail!("only the user can set `{name}`, in `~/.config/packer/config.toml`");
    }
    let is_auto = layer.defaults.overrides.budget == Some(Budget::Auto);
    anyhow::ensure!(
        !is_auto,
        "`budget` cannot be `auto` here: it is a share of the model's context window, and only \
         the user names the model"
    );
    Ok(Some(layer))
}

/// Returns the names of all defaults. They come from the schema, which is built once.
fn known() -> &'static [String] {
    static KNOWN: OnceLock<Vec<String>> = OnceLock::new();
    KNOWN.get_or_init(|| fields::names::<Defaults>(&WITHHELD))
}

/// Reads a file of defaults.
fn layer(place: String, text: &str) -> anyhow::Result<Layer> {
    let table = toml::from_str::<toml::Table>(text).map_err(|error| wrong(text, &error))?;
    let said = match serde_json::to_value(table)? {
        Json::Object(said) => said,
        _ => Map::new(),
    };
    // A number that is none would be as good as nothing.
    if let Some((name, _)) = said.iter().find(|(_, value)| value.is_null()) {
        anyhow::bail!("`{}` is not a usable number", show::quoted(name));
    }
    let defaults: Defaults = fields::read(said.clone(), known())?;
    if let Some(role) = &defaults.role {
        Roles::check_name(role)?;
    }
    let Overrides { budget, turn, .. } = &defaults.overrides;
    anyhow::ensure!(
        budget.is_none_or(Budget::is_allowed),
        "`budget` must be from 1 to {MAX_BUDGET} tokens"
    );
    turn.check()?;
    Ok(Layer {
        place,
        said,
        defaults,
    })
}

/// Returns where a text is not TOML, and why.
fn wrong(text: &str, error: &toml::de::Error) -> anyhow::Error {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
    let said: Vec<&str> = error.message().lines().collect();
    anyhow::anyhow!("line {line}: {}", said.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        match layer("config.toml".into(), text) {
            Ok(_) => panic!("{text} is good"),
            Err(why) => sentence(&why),
        }
    }

    #[test]
    fn what_is_wrong_in_a_file_is_named() {
        assert!(refused("a = 1\nb = [").starts_with("line 2: "));
        assert_eq!(
            refused("buget = 1"),
            "unknown field `buget`: did you mean `budget`?"
        );
        assert!(refused("budget = 0").contains("from 1 to"));
        assert_eq!(refused("budget = nan"), "`budget` is not a usable number");
        assert!(refused("cache_points = 9").contains("at most 4"));
        assert!(refused("role = \"../x.yaml\"").contains("../x.yaml"));
        assert!(refused("worktree = true").contains("unknown field `worktree`"));
        assert!(refused("budget = 2020-01-01").starts_with("`budget`: "));
    }

    #[test]
    fn who_names_a_model_has_its_tokens_counted() {
        let parse = |text| layer("a".into(), text).unwrap().defaults.overrides.common;
        let defaults = parse("tokenizer = \"chars\"\nmodel = \"gpt-4o\"");
        let model = parse("model = \"claude-sonnet-4-5\"");
        let both = under(model, defaults);
        assert_eq!((both.tokenizer, both.model), (None, model.model));
        let both = under(CommonOverrides::default(), defaults);
        assert_eq!(
            (both.tokenizer, both.model),
            (defaults.tokenizer, defaults.model)
        );
    }
}
