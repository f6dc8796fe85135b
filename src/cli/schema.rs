//! `packer schema`: what goes in and comes out, as JSON Schemas.

use clap::ValueEnum;
use context_packer::explain::Explanation;
use context_packer::report::Report;
use context_packer::roles::role_schema;
use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value as Json;

use super::batch::Answer;
use super::report::print_json;
use super::request::RequestFile;

pub(super) const EXAMPLES: &str = "\
Examples:
  packer schema role > .packer/role.schema.json
  packer schema request > request.schema.json
  packer schema batch-report

With this as its first line, a file in .packer/roles is completed and checked by
editors that know the YAML language server:
  # yaml-language-server: $schema=../role.schema.json";

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// Of what
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
    /// A line that `packer batch` reads
    BatchRequest,
    /// A line that `packer batch` prints
    BatchReport,
}

pub(super) fn run(args: &SchemaArgs) -> anyhow::Result<()> {
    print_json(&match args.kind {
        Kind::Role => return print_json(&role_schema()),
        Kind::Explanation => schema_for!(Explanation),
        Kind::Request => schema_for!(RequestFile),
        Kind::Report => schema_for!(Report),
        Kind::BatchRequest => batch_request(),
        Kind::BatchReport => schema_for!(Answer),
    })
}

/// What a line of a batch has beside the fields of a request.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct OfLine {
    /// Anything; the line's report has the same.
    id: Json,
    /// The folder to build the prompt from, in place of that of `-C`; relative to the
    /// current one.
    repo: Option<String>,
}

/// The schema of a request with the fields of a line, and without those that say where a
/// single run prints what.
fn batch_request() -> Schema {
    let mut schema = schema_for!(RequestFile);
    let of_line = schema_for!(OfLine);
    schema.insert("title".into(), "A line that `packer batch` reads".into());
    if let Some(Json::Object(fields)) = schema.get_mut("properties") {
        for field in super::batch::REFUSED {
            fields.shift_remove(field);
        }
        let more = of_line.get("properties").and_then(Json::as_object);
        fields.extend(more.cloned().unwrap_or_default());
    }
    schema
}
