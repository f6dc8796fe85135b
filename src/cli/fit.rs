//! `packer fit` and `packer truncate`.

use std::path::PathBuf;

use anyhow::Context as _;
use context_packer::command::parse_json;
use context_packer::shorten::{
    CONTEXT_LINES, DEFAULT_FIT_BUDGET, FitOptions, LinesToKeep, MIN_SECTION_TOKENS, fit_to_budget,
    truncate_file,
};
use serde_json::{Map, Value, json};

use super::Global;
use super::input::Input;
use super::report::{Terminal, print_as_it_is, print_json};

pub(super) const FIT_EXAMPLES: &str = "\
Examples:
  packer fit --budget 8000 < sections.json
  jq -n --rawfile log build.log --rawfile diff fix.diff '{log: $log, diff: $diff}' | packer fit";

pub(super) const TRUNCATE_EXAMPLES: &str = "\
Examples:
  packer truncate src/main.rs --max-lines 200
  packer truncate src/main.rs --max-lines 60 --around 120,348 --context-lines 15";

#[derive(Debug, clap::Args)]
pub(super) struct FitArgs {
    /// A JSON object of texts; `-` for standard input
    #[arg(default_value = "-")]
    file: PathBuf,

    /// The token budget of all texts together
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_FIT_BUDGET)]
    budget: usize,

    /// The tokens that each text keeps, if the budget allows it
    #[arg(long, value_name = "TOKENS", default_value_t = MIN_SECTION_TOKENS)]
    min_section_tokens: usize,
}

#[derive(Debug, clap::Args)]
pub(super) struct TruncateArgs {
    /// The file; `-` for standard input
    file: PathBuf,

    /// Keep at most N lines
    #[arg(long, value_name = "N")]
    max_lines: usize,

    /// Keep these lines, counted from 1, and the lines around them
    // A list that begins with a number below 0 looks like an option.
    #[arg(
        long,
        allow_hyphen_values = true,
        value_name = "LINE",
        value_delimiter = ','
    )]
    around: Vec<usize>,

    /// How many lines to keep before and after each of them
    #[arg(long, value_name = "N", default_value_t = CONTEXT_LINES)]
    context_lines: usize,
}

pub(super) fn fit(global: &Global, args: &FitArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let mut input = Input::default();
    let text = input.read(&args.file)?;
    terminal.warn(&input.warnings);
    let (sections, earlier) = sections(&text).context("cannot use the sections")?;
    let options = FitOptions {
        budget: args.budget,
        min_section_tokens: args.min_section_tokens,
        tokenizer: global.counter()?,
    };
    let fitted = fit_to_budget(&sections, &options);
    let texts = fitted.sections.into_iter();
    let mut object: Map<String, Value> = texts.map(|(key, text)| (key, text.into())).collect();
    if fitted.metadata.truncated {
        object.insert(METADATA.into(), json!(fitted.metadata));
    } else if let Some(earlier) = earlier {
        object.insert(METADATA.into(), earlier);
    }
    print_json(&object)
}

/// The key of the figures.
const METADATA: &str = "_metadata";

/// Texts with their keys.
type Sections = Vec<(String, String)>;

/// Reads a JSON object of texts, and the figures of an earlier run.
fn sections(text: &str) -> anyhow::Result<(Sections, Option<Value>)> {
    anyhow::ensure!(
        !text.trim().is_empty(),
        r#"there are none: pass a JSON object of texts, such as `{{"notes": "…"}}`"#
    );
    let json = parse_json(text)?;
    let Value::Object(object) = json else {
        anyhow::bail!("it is not a JSON object of texts");
    };
    let (mut sections, mut earlier) = (Vec::new(), None);
    for (key, value) in object {
        match value {
            Value::Object(_) if key == METADATA => earlier = Some(value),
            _ if key == METADATA => anyhow::bail!("`{METADATA}` is reserved for the figures"),
            Value::String(text) => sections.push((key, text)),
            _ => anyhow::bail!("`{key}` is not a string"),
        }
    }
    Ok((sections, earlier))
}

pub(super) fn truncate(args: &TruncateArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let mut input = Input::default();
    let text = input.read(&args.file)?;
    terminal.warn(&input.warnings);
    let keep = LinesToKeep::at_most(args.max_lines).around(&args.around, args.context_lines);
    print_as_it_is(&truncate_file(&text, keep))
}
