//! Lays out the tables of the exact tokenizers, so that the program only has to read them.

#[cfg(feature = "exact-tokens")]
#[path = "../src/tokens/exact/layout.rs"]
mod layout;
#[cfg(feature = "exact-tokens")]
mod tables;

#[expect(clippy::print_stdout, reason = "cargo reads it")]
#[cfg_attr(
    not(feature = "exact-tokens"),
    expect(clippy::unnecessary_wraps, reason = "there may be tables to write")
)]
fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/tokens/exact/layout.rs");
    #[cfg(feature = "exact-tokens")]
    tables::write()?;
    Ok(())
}
