//! What stands for the exact tokenizers in a build without their vocabularies.

use super::{INSTEAD, Tokenizer};

pub(super) static O200K: Exact = Exact(Tokenizer::O200k);
pub(super) static CL100K: Exact = Exact(Tokenizer::Cl100k);

/// A tokenizer whose vocabulary is not here.
pub(super) struct Exact(Tokenizer);

impl Exact {
    pub(super) fn count(&self, _: &str) -> usize {
        self.refuse()
    }

    pub(super) fn cut(&self, _: &str, _: usize) -> usize {
        self.refuse()
    }

    /// Who asks by a name, a role or a request got an error; a wrong count would be worse.
    fn refuse(&self) -> ! {
        panic!("this build cannot count by `{}`: {INSTEAD}", self.0)
    }
}
