//! The entry points of `benches/micro.rs`, which exist only with the feature `bench`: the steps of
//! a prompt, one by one. Nothing else may rely on them.

use crate::packer::Written;

use crate::budget::fit;
pub use crate::format::{sections, sections_with_places};
pub use crate::repo::{Found, Readable, Repo, RepoPath, Visitor};
pub use crate::role::pattern::{Globs, Pattern};
pub use crate::secrets::find as find_secrets;
pub use crate::section::{Body, Form, Key, Piece, Section, Valued};
pub use crate::settings::{Prune, Style};
pub use crate::syntax::imports::imports;
pub use crate::template::Packed;
pub use crate::tokens::{Counter, Tokenizer};

use crate::syntax::{Wanted, parse};
use crate::template::Templates;

/// Makes sections fit a budget in tokens, priced as what is written of them.
pub fn shrink(sections: &mut [Section], tokens: usize, style: Style, tokenizer: Counter) {
    let price = Written { style, tokenizer };
    fit(sections, tokenizer.room(tokens), Prune::Shrink, &price);
}

/// Renders a template once.
///
/// # Errors
///
/// Says what went wrong.
pub fn render(
    templates: &Templates,
    name: &str,
    values: &serde_json::Value,
    context: Packed,
    tokenizer: Counter,
) -> Result<String, Box<crate::error::Diagnostic>> {
    let mut prepared = templates.prepare(name, values, tokenizer);
    Ok(prepared.render(context)?.text)
}

/// Returns the lines of the outline of a text.
pub fn outline(language: &str, text: &str) -> Vec<std::ops::Range<usize>> {
    parse(language, text, Wanted::Outline).outline
}
