//! `packer tokens`.

use std::io::Read as _;
use std::path::PathBuf;

use anyhow::Context as _;
use context_packer::read_operator_file;
use context_packer::show::grouped;

use super::report::{Table, print, print_json};
use super::{Format, Global};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer tokens src/*.rs
  packer tokens --tokenizer o200k --format json README.md";

/// A file is at most this large, in bytes.
const MAX_FILE: u64 = 32 * 1024 * 1024;

#[derive(Debug, clap::Args)]
pub(super) struct TokensArgs {
    /// The files; `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Print a table or JSON
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(serde::Serialize)]
struct Count {
    path: String,
    lines: usize,
    characters: usize,
    tokens: usize,
}

fn standard_input() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().lock().take(MAX_FILE + 1);
    input
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    let mib = MAX_FILE / (1024 * 1024);
    anyhow::ensure!(
        bytes.len() as u64 <= MAX_FILE,
        "standard input has more than {mib} MiB"
    );
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn run(global: &Global, args: &TokensArgs) -> anyhow::Result<()> {
    let tokenizer = global.tokenizer.unwrap_or_default();
    let mut counts = Vec::new();
    for path in &args.files {
        let text = if path.as_os_str() == "-" {
            standard_input()?
        } else {
            read_operator_file(path, MAX_FILE)?.text
        };
        counts.push(Count {
            path: path.display().to_string(),
            lines: text.lines().count(),
            characters: text.chars().count(),
            tokens: tokenizer.count(&text),
        });
    }
    if args.format == Format::Json {
        return print_json(&counts);
    }
    let mut table = Table::new(&["path", "lines", "characters", "tokens"]);
    let total = counts.iter().fold((0, 0, 0), |sum, count| {
        (
            sum.0 + count.lines,
            sum.1 + count.characters,
            sum.2 + count.tokens,
        )
    });
    let several = counts.len() > 1;
    for count in counts {
        let numbers = [count.lines, count.characters, count.tokens].map(grouped);
        table.row(std::iter::once(count.path).chain(numbers));
    }
    if several {
        let numbers = [total.0, total.1, total.2].map(grouped);
        table.row(std::iter::once("total".to_owned()).chain(numbers));
    }
    print(&table.print("<>>>"))
}
