//! Builds a prompt for each target with one packer, which does not do the same work
//! twice: `cargo run --example batch -- src/lib.rs src/prompt.rs`

#![expect(clippy::print_stdout, reason = "it is a program")]

use context_packer::{ContextPacker, Error, Request, Roles};

fn main() -> Result<(), Error> {
    let mut packer = ContextPacker::open(".")?;
    let role = Roles::built_in().load("reviewer")?;
    for target in std::env::args().skip(1) {
        // What changed on disk since the last prompt is seen.
        packer.look_again()?;
        let request = Request::new(format!("Review `{target}`.")).target(&target);
        let prompt = packer.pack_context(&role, &request)?;
        println!("{target}: {} tokens", prompt.tokens());
    }
    Ok(())
}
