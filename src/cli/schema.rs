//! `packer schema`.

use clap::ValueEnum;
use context_packer::role_schema;
use serde_json::Value as Json;

use super::report::print_json;

pub(super) const EXAMPLES: &str = "\
Examples:
  packer schema role > .packer/role.schema.json

With this as its first line, a file in .packer/roles is completed and checked by
editors that know the YAML language server:
  # yaml-language-server: $schema=../role.schema.json";

#[derive(Debug, clap::Args)]
pub(super) struct SchemaArgs {
    /// What is described
    kind: Kind,
}

/// A format that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A role file
    Role,
}

impl Kind {
    fn schema(self) -> Json {
        match self {
            Kind::Role => role_schema(),
        }
    }
}

pub(super) fn run(args: &SchemaArgs) -> anyhow::Result<()> {
    print_json(&args.kind.schema())
}
