//! Builds one prompt for the repository in the current folder:
//! `cargo run --example prompt -- src/lib.rs 'Say in one line what this crate is for.'`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program")]

use context_packer::{ContextPacker, Error, Request, Roles, discover};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().unwrap_or_else(|| "src/lib.rs".into());
    let task = arguments.next().unwrap_or_else(|| "Look it over.".into());

    let root = discover(".".as_ref());
    let role = Roles::built_in().repository(&root).load("implementer")?;
    let request = Request::new(task).target(target).budget(8_000);
    let prompt = ContextPacker::open(root)?.build_full_prompt("implement.j2", &role, &request)?;

    println!("{}", prompt.text);
    for warning in prompt.warnings() {
        eprintln!("warning: {}", warning.message);
    }
    for section in prompt.report().sections {
        eprintln!("{}: {} tokens", section.key, section.tokens);
    }
    Ok(())
}
