//! Reads the files that a model asks for, under guard:
//! `cargo run --example read -- src/lib.rs ../secret.txt`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use context_packer::Error;
use context_packer::readers::{NameFilter, ReadFiles, ReadOptions};
use context_packer::settings::FilesStyle;

fn main() -> Result<(), Error> {
    let options = ReadOptions {
        filter: Some(NameFilter::parse("*.rs,*.md,*.toml")?),
        max_files: Some(20),
        ..ReadOptions::default()
    };
    let mut files = ReadFiles::new(".");
    files.read_requested(std::env::args().skip(1), &options);

    println!("{}", files.write(FilesStyle::Xml));
    for warning in files.warnings() {
        eprintln!("warning: {}", warning.message);
    }
    Ok(())
}
