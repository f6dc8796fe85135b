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
    /// Files that a model asked for: read in --dir only, under all guards
    files: Vec<OsString>,

    /// A file that you ask for: read first, wherever it lies, without --filter and
    /// --max-files; may be given several times, and with nothing behind it asks for nothing
    #[arg(long, value_name = "FILE", num_args = 0..=1, action = clap::ArgAction::Append)]
    include: Vec<OsString>,

    /// Read only names that match these globs, with commas between
    #[arg(long, value_name = "GLOB")]
    filter: Option<String>,

    /// Stop at N files, included ones counted
    #[arg(long, value_name = "N")]
    max_files: Option<usize>,

    /// Do not read files of more bytes; `0` or `none`: no limit but that of all files
    /// together, 10 MiB [default: 1048576]
    #[arg(long, value_name = "BYTES", value_parser = bytes_or_none)]
    max_file_size: Option<u64>,

    /// Where relative paths start and what may be read [default: --repo, else the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// How the files are written
    #[arg(long, value_name = "STYLE", default_value = "xml")]
    style: FilesStyle,
}

pub(super) fn run(global: &Global, args: &ReadArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let dir = args.dir.clone().or_else(|| global.repo.clone());
    let dir = dir.unwrap_or_default();
    if !dir.as_os_str().is_empty() && !dir.is_dir() {
        let message = format!("there is no folder `{}` to read from", show::path(&dir));
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
