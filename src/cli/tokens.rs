//! `packer tokens`.

use std::path::PathBuf;

use context_packer::command::show::{grouped, visible};

use super::input::Input;
use super::report::{Table, Terminal, print, print_json};
use super::{Format, Global};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer tokens src/*.rs
  packer tokens --tokenizer o200k --format json README.md";

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

pub(super) fn run(global: &Global, args: &TokensArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let mut input = Input::one_by_one();
    let tokenizer = global.counter()?;
    let mut counts = Vec::new();
    for path in &args.files {
        let text = input.read(path)?;
        counts.push(Count {
            path: path.display().to_string(),
            lines: text.lines().count(),
            characters: text.chars().count(),
            tokens: tokenizer.count(&text),
        });
    }
    terminal.warn(&input.warnings);
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
        table.row(std::iter::once(visible(&count.path).into_owned()).chain(numbers));
    }
    if several {
        let numbers = [total.0, total.1, total.2].map(grouped);
        table.row(std::iter::once("total".to_owned()).chain(numbers));
    }
    print(&table.print("<>>>"))
}
