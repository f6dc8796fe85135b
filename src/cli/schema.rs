//! `packer schema`: inputs and outputs as JSON Schemas.

use clap::ValueEnum;
use context_packer::explain::Explanation;
use context_packer::report::Report;
use context_packer::roles::role_schema;
use schemars::{JsonSchema, schema_for};
use serde_json::Value as Json;

use super::batch::{Answer, REFUSED};
use super::fields;
use super::report::print_json;
use super::request::Order;

pub(super) const EXAMPLES: &str = "\
Examples:
  packer schema role > .packer/role.schema.json
  packer schema request > request.schema.json
  packer schema batch-report

Editors with the YAML language server complete and check a file in .packer/roles that
begins with this line:
  # yaml-language-server: $schema=../role.schema.json";

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// The format
    #[arg(value_name = "KIND")]
    kind: Kind,
}

/// A format that has a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// A role file
    Role,
    /// What --request reads
    Request,
    /// What --format json prints
    Report,
    /// What `packer explain --format json` prints
    Explanation,
    /// A case that `packer test` runs
    Case,
    /// A file of defaults, `config.toml`
    Config,
    /// A line that `packer batch` reads
    BatchRequest,
    /// A line that `packer batch` prints
    BatchReport,
}

pub(super) fn run(args: &SchemaArgs) -> anyhow::Result<()> {
    print_json(&match args.kind {
        Kind::Role => return print_json(&role_schema()),
        Kind::Explanation => schema_for!(Explanation),
        Kind::Request => fields::schema::<Order>(&[]),
        Kind::Report => schema_for!(Report),
        Kind::Case => return print_json(&super::test::schema()),
        Kind::Config => super::config::schema(),
        Kind::BatchRequest => fields::schema::<Line>(&REFUSED),
        Kind::BatchReport => schema_for!(Answer),
    })
}

/// A line of a batch: a request with two more fields.
#[derive(JsonSchema)]
#[schemars(title = "A line that `packer batch` reads")]
#[expect(dead_code, reason = "only its schema is used")]
struct Line {
    #[serde(flatten)]
    order: Order,
    /// Anything; the line's report has the same.
    id: Option<Json>,
    /// The folder to build the prompt from, instead of that of `-C`; relative to the current one.
    repo: Option<String>,
}
