//! Processes that `packer` starts from its own binary. Each answers requests from standard input,
//! one at a time, until that ends.

use std::io::{stdin, stdout};

use context_packer::parsing::serve_parse_worker;
use context_packer::templates::serve_template_worker;

/// Renders templates for the process that started it.
pub(super) fn template() -> anyhow::Result<()> {
    Ok(serve_template_worker(stdin().lock(), stdout().lock())?)
}

/// Parses source for the process that started it.
pub(super) fn parse() -> anyhow::Result<()> {
    Ok(serve_parse_worker(stdin().lock(), stdout())?)
}
