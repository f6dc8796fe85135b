//! What a text says by itself: which names it uses and declares, what it imports. A reading depends
//! only on the text and its language; names are numbers of a vocabulary.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use super::packed::{Packed, counts};
use super::vocabulary::Vocabulary;
use super::words::{names, versioned};
use crate::syntax::imports::{Import, Offer, imports, named, offers, package};

/// The most names that a file counts as using.
const MAX_USES: usize = 4000;

/// The most versions of a file that count. One with more is data.
const MAX_VERSIONS: usize = 200;

/// Names of a text with how often each is there.
pub type Counts = Vec<(u32, u16)>;

/// What a text says.
#[derive(Serialize, Deserialize)]
pub struct Reading {
    /// How long the text is.
    pub bytes: u64,
    /// The names that it uses, sorted by number.
    #[serde(with = "counts")]
    pub uses: Counts,
    /// The names that it declares, sorted.
    pub declares: Vec<u32>,
    /// How many names there are in all.
    pub length: usize,
    /// What it imports, if that could be packed.
    pub imports: Option<Packed<Imports>>,
    /// Identifies what it imports, and what says where that is.
    pub imports_mark: u64,
    /// What it exports.
    pub exports: Exports,
}

/// What a text imports. Where all of it leads is mostly known from earlier.
#[derive(Default, Serialize, Deserialize)]
pub struct Imports {
    /// As it says.
    pub all: Vec<Import>,
    /// The names that it mentions, if an import does not say them.
    pub named: String,
}

/// What a text exports to those that import it.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Exports {
    /// What it belongs to ([`package`]), if it says so.
    pub package: Option<String>,
    /// What others may import from it, if its name does not say.
    pub offers: Vec<Offer>,
}

/// The exports of a text about which nothing is known.
pub static NOTHING: Exports = Exports {
    package: None,
    offers: Vec::new(),
};

impl Exports {
    /// Returns what a text exports.
    pub fn of(language: &str, text: &str) -> Exports {
        Exports {
            package: package(language, text),
            offers: offers(language, text),
        }
    }

    /// Returns a mark that identifies it; 0 for nothing.
    pub fn mark(&self) -> u64 {
        if self.package.is_none() && self.offers.is_empty() {
            return 0;
        }
        FixedState::default().hash_one((&self.package, &self.offers))
    }
}

impl Reading {
    /// Whether all its names have a number below this.
    pub fn is_below(&self, names: usize) -> bool {
        let below = |name: &u32| (*name as usize) < names;
        let used = |(name, _): &(u32, u16)| below(name);
        self.uses.iter().all(used) && self.declares.iter().all(below)
    }

    /// Returns about how many bytes of memory it takes.
    pub fn weight(&self) -> usize {
        /// A name with what holds it.
        const NAME: usize = 64;
        // Names are short, but need not be.
        let offers = self.exports.offers.iter();
        let offers = offers.map(|offer| (2 * NAME).max(offer.space.len() + offer.name.len()));
        self.uses.len() * size_of::<(u32, u16)>()
            + self.declares.len() * size_of::<u32>()
            + self.imports.as_ref().map_or(0, Packed::len)
            + offers.sum::<usize>()
            + NAME
    }
}

/// Reads one text after another. What it keeps between two texts only saves time.
#[derive(Default)]
pub struct Reader {
    /// For each name, its position among those of the current text, and the last text for which
    /// that was true.
    places: Vec<(usize, u32)>,
    texts: u32,
}

impl Reader {
    /// Reads a text that has `bytes` bytes on disk. Of what is not source,
    /// [what has which version](versioned) is a name as well.
    pub fn read(
        &mut self,
        vocabulary: &mut Vocabulary,
        language: &str,
        is_source: bool,
        text: &str,
        bytes: u64,
    ) -> Reading {
        let (mut uses, mut declares, length) = self.names(vocabulary, text);
        if !is_source {
            for version in versioned(text.lines()).take(MAX_VERSIONS) {
                self.count(vocabulary, &version, &mut uses);
            }
        }
        uses.sort_unstable();
        uses.shrink_to_fit();
        declares.sort_unstable();
        declares.dedup();
        let imports = Imports {
            all: imports(language, text),
            named: named(language, text),
        };
        let exports = Exports::of(language, text);
        let marked = (&imports.all, &imports.named, &exports.package);
        Reading {
            bytes,
            uses,
            declares,
            length,
            imports_mark: FixedState::default().hash_one(marked),
            imports: Packed::of(&imports),
            exports,
        }
    }

    /// Returns the names that a text uses, those that it declares, and how many there are in all.
    pub(super) fn names(
        &mut self,
        vocabulary: &mut Vocabulary,
        text: &str,
    ) -> (Counts, Vec<u32>, usize) {
        self.texts += 1;
        let (mut uses, mut declares) = (Counts::new(), Vec::new());
        let mut length = 0;
        let mut declared = false;
        for (_, name) in names(text) {
            let is_keyword = declares_next(name);
            if is_mere_keyword(name) {
                declared = true;
                continue;
            }
            if let Some(number) = self.count(vocabulary, name, &mut uses) {
                length += 1;
                if declared && !is_keyword {
                    declares.push(number);
                }
            }
            declared = is_keyword;
        }
        (uses, declares, length)
    }

    /// Counts a name among what the current text uses. Returns its number.
    fn count(&mut self, vocabulary: &mut Vocabulary, name: &str, uses: &mut Counts) -> Option<u32> {
        let number = vocabulary.number(name)?;
        if self.places.len() < vocabulary.names.len() {
            self.places.resize(vocabulary.names.len(), (0, 0));
        }
        let (place, text) = &mut self.places[number as usize];
        if *text == self.texts {
            let count = &mut uses[*place].1;
            *count = count.saturating_add(1);
        } else if uses.len() < MAX_USES {
            (*place, *text) = (uses.len(), self.texts);
            uses.push((number, 1));
        }
        Some(number)
    }
}

/// Whether this word is followed by the name of a declaration.
pub fn declares(word: &str) -> bool {
    declares_next(word) || is_mere_keyword(word)
}

/// Whether this word is followed by a declaration's name in one language or another.
fn declares_next(name: &str) -> bool {
    matches!(
        name,
        "class"
            | "function"
            | "struct"
            | "enum"
            | "interface"
            | "trait"
            | "type"
            | "union"
            | "macro_rules"
            | "module"
            | "mod"
            | "namespace"
            | "record"
            | "define"
            | "object"
            | "static"
    )
}

/// Whether a name is nothing but such a keyword, in any language that has it.
fn is_mere_keyword(name: &str) -> bool {
    matches!(name, "fn" | "def" | "func" | "fun" | "const")
}
