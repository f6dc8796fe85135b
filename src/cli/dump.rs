//! `packer dump`.

use std::io::{self, Write as _};
use std::path::PathBuf;

use context_packer::command::{
    FileId,
    show::{counted, grouped},
    write_with,
};
use context_packer::settings::Style;

use super::report::Terminal;
use super::{Global, output};

pub(super) const EXAMPLES: &str = "\
Examples:
  packer dump > everything.md
  packer dump src docs '*.toml' --exclude generated --style xml -o context.xml
  packer dump --tokenizer o200k 'src/**/*.rs' | less";

#[derive(Debug, clap::Args)]
pub(super) struct DumpArgs {
    /// Files, folders and globs, as in a role's `include`, relative to the repository's root
    /// [default: everything]
    patterns: Vec<String>,

    /// Leave out what this pattern matches; may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,

    /// How files are written
    #[arg(long, value_name = "STYLE", default_value = "markdown")]
    style: Style,

    /// Write to this file, completely or not at all; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(global: &Global, args: &DumpArgs, terminal: &Terminal) -> anyhow::Result<()> {
    let packer = global.packer()?;
    let dump = packer.dump(&args.patterns, &args.exclude)?;
    let tokenizer = global.counter()?;
    let file = output::file(args.output.as_ref());
    let written = match file {
        Some(path) => std::fs::metadata(path),
        None => written_to(&io::stdout()),
    };
    // What cannot be asked is not there yet, or no file.
    let written = written.ok().and_then(|meta| FileId::of(&meta));
    let dump = match &written {
        Some(written) => dump.into_file(written),
        None => dump,
    };
    let dumped = match file {
        Some(path) => write_with(path, |out| dump.write(out, args.style, tokenizer))?,
        None => {
            let mut out = io::stdout();
            let dumped = dump.write(&mut out, args.style, tokenizer)?;
            if dumped.tokens > 0 {
                out.write_all(b"\n")?;
            }
            dumped
        }
    };
    terminal.warn(dumped.notes.iter().map(|note| &note.message));
    let (files, tokens) = (counted(dumped.files, "file"), grouped(dumped.tokens));
    terminal.summary(&format!("{files}, {tokens} tokens ({tokenizer})"));
    Ok(())
}

/// Returns the file that standard output is redirected to.
#[cfg(unix)]
fn written_to(out: &io::Stdout) -> io::Result<std::fs::Metadata> {
    use std::os::fd::AsFd as _;
    std::fs::File::from(out.as_fd().try_clone_to_owned()?).metadata()
}

#[cfg(not(unix))]
fn written_to(_: &io::Stdout) -> io::Result<std::fs::Metadata> {
    Err(io::ErrorKind::Unsupported.into())
}
