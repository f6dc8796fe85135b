//! Parts that are worth something by themselves, whatever their file is: what says how a change is
//! checked, what a change calls, and what a target uses.

use std::sync::OnceLock;

use super::cap;
use super::ranking::{Ranking, Singled, Why};
use super::scores::{scores_of, shares};
use crate::index::corpus::Corpus;
use crate::index::paths::is_vendored;
use crate::index::words::names;

/// How often a test must have changed together with a file to be one of its tests whatever its name
/// is.
const TIMES_OF_OWN: usize = 2;

/// The most that tests of anything but the change are worth together to a reviewer of the change.
pub(super) const TESTS_OF_OTHERS: f64 = 0.06;

/// The worth of seeing what a change calls, although nothing of it must change: for each thing, and
/// for all of them.
const CALLED_WORTH: f64 = 0.008;
const ALL_CALLED_WORTH: f64 = 0.05;

/// A name that more parts declare does not say which of them is called.
const MOST_DECLARING: usize = 2;

/// The same for files that have it, in languages without a keyword before declarations.
const MOST_HAVING: u32 = 4;

/// The most names that count, the rarest first.
const MOST_NAMES: usize = 40;

/// Methods that types of the standard libraries also have, so that no change says whose it calls.
const OF_LIBRARIES: [&str; 22] = [
    "append", "bytesize", "clone", "close", "each", "equals", "get", "iter", "join", "keys", "len",
    "length", "map", "read", "set", "size", "slice", "sort", "split", "string", "values", "write",
];

/// The worth of a file beside the source that the task names, such as settings or data.
const NAMED_WORTH: f64 = 0.05;

/// Of such a file only its likeliest parts share it, at most this many.
const MOST_NAMED_PARTS: usize = 20;

/// Names whose declarations are looked for, with the files in which they may be.
pub struct Sought {
    names: Vec<u32>,
    /// By their indices in the corpus, those of the rarest names first.
    pub files: Vec<usize>,
}

impl Sought {
    /// Returns the names in the lines added by a change that are declared elsewhere.
    pub fn called<'a>(
        corpus: &Corpus,
        added: impl Iterator<Item = &'a str>,
        changed: &[usize],
    ) -> Sought {
        let used = added.flat_map(called);
        let mut all: Vec<u32> = used.filter_map(|name| corpus.name(name)).collect();
        all.sort_unstable();
        all.dedup();
        let is_own = |name: &u32| {
            let mut changed = changed.iter().map(|at| &corpus.files[*at].read.declares);
            changed.any(|declares| declares.binary_search(name).is_ok())
        };
        let is_of_library = |name: &u32| is_of_libraries(corpus.vocabulary.names.name(*name));
        all.retain(|name| !is_own(name) && !is_of_library(name));
        Sought::of(corpus, all, |name| match corpus.files_declaring(name) {
            // Not every language has a word before what it declares.
            0 => corpus.files_with(name) <= MOST_HAVING,
            declaring => declaring as usize <= MOST_DECLARING,
        })
    }

    fn of(corpus: &Corpus, mut names: Vec<u32>, is_sought: impl Fn(u32) -> bool) -> Sought {
        names.retain(|name| is_sought(*name));
        // Numbers depend on what was known before.
        let text = |name: u32| corpus.vocabulary.names.name(name);
        names.sort_by_key(|name| (corpus.files_with(*name), text(*name)));
        names.truncate(MOST_NAMES);
        let is_own = |file: &usize| {
            let file = &corpus.files[*file];
            !file.facts.kind.is_beside() && !is_vendored(file.path.as_str())
        };
        let source: Vec<usize> = (0..corpus.files.len()).filter(is_own).collect();
        let having = |name: u32| {
            let is_declared = corpus.files_declaring(name) > 0;
            source.iter().copied().filter(move |file| {
                let read = &corpus.files[*file].read;
                if is_declared {
                    read.declares.binary_search(&name).is_ok()
                } else {
                    read.uses.binary_search_by_key(&name, |it| it.0).is_ok()
                }
            })
        };
        let mut files = Vec::new();
        for file in names.iter().flat_map(|name| having(*name)) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Sought { names, files }
    }
}

/// Whether types of the standard libraries have this name as well.
pub(super) fn is_of_libraries(name: &str) -> bool {
    OF_LIBRARIES.contains(&name.to_lowercase().as_str())
}

/// Returns the names in a line, except those that a question mark is part of: Ruby's `include?` is
/// not `include`.
fn called(line: &str) -> impl Iterator<Item = &str> {
    let is_whole = |(at, name): &(usize, &str)| {
        let behind = line[at + name.len()..].strip_prefix('?');
        behind.is_none_or(|behind| behind.starts_with(['.', ':', '?']))
    };
    names(line).filter(is_whole).map(|(_, name)| name)
}

impl Ranking {
    /// Makes a part worth something by itself; it is given by its file and its index there.
    pub(super) fn single_out(&mut self, (file, part): (usize, usize), worth: f64, why: Why) {
        self.likely[file] += worth;
        self.compared = OnceLock::new();
        self.singled.push(Singled {
            file,
            part,
            worth,
            why,
        });
    }

    /// Makes files worth something because the task names them.
    pub fn with_named(mut self, files: &[usize]) -> Ranking {
        for file in files {
            let Some(parts) = self.parts.get(file) else {
                continue;
            };
            let parts = parts.iter().map(|(read, signals)| (read, signals));
            let shares = shares(&scores_of(self.weights, parts), |_| true);
            let mut likeliest: Vec<usize> = (0..shares.len()).collect();
            likeliest.sort_by(|one, other| shares[*other].total_cmp(&shares[*one]));
            for part in likeliest.into_iter().take(MOST_NAMED_PARTS) {
                self.single_out((*file, part), NAMED_WORTH * shares[part], Why::Named);
            }
        }
        self
    }

    /// Gives no part worth for saying how a change is checked, because something else says it.
    pub fn leave_out_checks(&mut self) {
        let is_check = |one: &Singled| one.why == Why::Checks;
        if let Some(at) = self.singled.iter().position(is_check) {
            let one = self.singled.remove(at);
            self.compared = OnceLock::new();
            self.likely[one.file] -= one.worth;
        }
    }

    /// Reduces the worth of tests of other code, for a reviewer of a change: they say less about it
    /// than the source that relies on what changed.
    pub fn with_fewer_tests(mut self, corpus: &Corpus) -> Ranking {
        let (histories, signals) = (&self.histories, &self.signals);
        let often = |at: usize| histories[at].times_among_few >= TIMES_OF_OWN;
        let is_own = |at: usize| signals[at].same_stem > 0.0 || often(at);
        let is_of_others = |at: usize| corpus.files[at].facts.is_test && !is_own(at);
        for one in &self.singled {
            self.likely[one.file] -= one.worth;
        }
        cap(&mut self.likely, TESTS_OF_OTHERS, is_of_others);
        self.compared = OnceLock::new();
        for one in &self.singled {
            self.likely[one.file] += one.worth;
        }
        self
    }

    /// Singles out what a change calls, for a reviewer of the change.
    pub fn with_called(mut self, corpus: &Corpus, called: &Sought) -> Ranking {
        let mut left = ALL_CALLED_WORTH;
        for places in self.declaring(corpus, &called.names) {
            if places.len() > MOST_DECLARING {
                continue;
            }
            for place in places {
                if left <= 0.0 {
                    return self;
                }
                let worth = CALLED_WORTH.min(left);
                left -= worth;
                self.single_out(place, worth, Why::Called);
            }
        }
        self
    }

    /// Returns the parts of source that declare each of these names, by their files and their
    /// indices there, in order.
    fn declaring(&self, corpus: &Corpus, names: &[u32]) -> Vec<Vec<(usize, usize)>> {
        let mut found = vec![Vec::new(); names.len()];
        let is_source = |at: &&usize| self.signals[**at].beside == 0.0;
        let mut files: Vec<usize> = self.parts.keys().filter(is_source).copied().collect();
        files.sort_unstable();
        for file in files {
            for (part, (read, _)) in self.parts[&file].iter().enumerate() {
                let own = read.part.names.last().and_then(|own| corpus.name(own));
                let at = names.iter().position(|name| Some(*name) == own);
                if let Some(at) = at {
                    found[at].push((file, part));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::corpus::tests::of_texts;

    #[test]
    fn what_a_change_calls_is_sought_where_it_is_declared() {
        let corpus = of_texts(&[
            ("src/circle.rs", "fn draw() {}\nfn load() {}\n"),
            ("src/ink.rs", "fn load() {}\n"),
            ("src/lamp.rs", "fn load() {}\nfn stroke() {}\n"),
            ("src/pen.rs", "fn stroke() {}\nfn dip() {}\nfn size() {}\n"),
            ("src/user.rs", "stroke();\nbrush.sweep();\n"),
        ]);
        let added = [
            "    stroke(dip(load()));",
            "draw();",
            "sweep()",
            "text.size()",
            "unheard_of()",
        ];
        let sought = Sought::called(&corpus, added.into_iter(), &[0]);
        let names = sought.names.iter();
        let names: Vec<&str> = names
            .map(|name| corpus.vocabulary.names.name(*name))
            .collect();
        // What three files declare, and what the changed one does, is not looked for.
        assert_eq!(names, ["dip", "sweep", "stroke"]);
        assert_eq!(sought.files, [3, 4, 2]);
    }
}
