//! `packer read`.

use std::ffi::OsString;
use std::path::PathBuf;

use context_packer::command::show;
use context_packer::readers::{NameFilter, ReadFiles, ReadOptions};
use context_packer::settings::FilesStyle;

use super::Global;
use super::report::{Terminal, print_parts};
use super::usage::WrongValue;

pub(super) const EXAMPLES: &str = "\
Examples:
  packer read src/main.rs src/cli/mod.rs --style markdown
  packer read --include notes.md --filter '*.rs,*.toml' --max-files 20 src/lib.rs Cargo.toml
  packer read --include notes.md --include Cargo.toml -- src/lib.rs
  packer read --dir worktree --max-file-size 200000 --style json src/lib.rs";

#[derive(Debug, clap::Args)]
pub(super) struct ReadArgs {
    /// Files that a model asked for: read only in --dir, within all limits
    files: Vec<OsString>,

    /// A file that you ask for yourself: read first, wherever it lies, regardless of --filter and
    /// --max-files; may be repeated; without a value it adds nothing
    #[arg(long, value_name = "FILE", num_args = 0..=1, action = clap::ArgAction::Append)]
    include: Vec<OsString>,

    /// Read only file names that match these globs, separated by commas
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,

    /// Stop after N files, including those of --include
    #[arg(long, value_name = "N")]
    max_files: Option<usize>,

    /// Do not read files larger than this; `0` or `none` leaves only the limit of 10 MiB for all
    /// files together [default: 1048576]
    #[arg(long, value_name = "BYTES", value_parser = bytes_or_none)]
    max_file_size: Option<u64>,

    /// The folder that may be read, and where relative paths start [default: --repo, else the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// How files are written
    #[arg(long, value_name = "STYLE", default_value = "xml")]
    style: FilesStyle,
}

pub(super) fn run(global: &Global, args: &ReadArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let dir = args.dir.clone().or_else(|| global.repo.clone());
    let dir = dir.unwrap_or_default();
    if !dir.as_os_str().is_empty() && !dir.is_dir() {
        let message = format!(
            "the folder to read from, `{}`, does not exist",
            show::path(&dir)
        );
        terminal.warn([message]);
    }
    // A program that has no filter passes an empty one.
    let filter = args.filter.as_deref().filter(|filter| !filter.is_empty());
    let options = ReadOptions {
        dir,
        filter: filter
            .map(NameFilter::parse)
            .transpose()
            .map_err(WrongValue)?,
        max_files: args.max_files,
        max_file_size: args.max_file_size,
    };
    let mut files = ReadFiles::default();
    let include = args.include.iter().filter(|path| !path.is_empty());
    files.read_include(include, &options);
    files.read_requested(&args.files, &options);
    let warnings = files.warnings();
    terminal.warn(warnings.iter().map(|note| &note.message));
    print_parts(files.parts(args.style))
}

/// A number of bytes; `none` is 0, which is no limit.
fn bytes_or_none(text: &str) -> Result<u64, String> {
    if text == "none" {
        return Ok(0);
    }
    text.parse()
        .map_err(|e: std::num::ParseIntError| e.to_string())
}
