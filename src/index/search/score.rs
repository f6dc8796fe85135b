//! What speaks for each file, by the terms that are searched for.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and names, far below 2^52"
)]

use super::super::corpus::rarity;
use super::asked::{Asked, Why};
use super::hits::Hits;
use super::terms::Times;

/// Saturation and length of BM25, the usual values for code.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;

/// The number of the targets' names, the most telling ones, that are searched for elsewhere.
const TELLING: usize = 80;

/// The rarity of a name that three of four files have.
const LEAST_RARITY: f64 = 0.3;

/// How much a name of the task counts for a file that declares it, where 1 is using it.
const DECLARES: f64 = 3.0;

/// Scores of all files, one list for each thing that speaks for them; 0 if it does not speak for a
/// file.
#[derive(Debug, PartialEq)]
pub struct Scores {
    /// Words of the task in it, by BM25.
    pub words: Vec<f64>,
    /// Names of the task in it.
    pub names: Vec<f64>,
    /// The most telling names of the targets in it, by BM25.
    pub telling: Vec<f64>,
    /// What it declares and the targets use.
    pub declares: Vec<f64>,
    /// What it uses and the targets declare.
    pub uses: Vec<f64>,
}

/// In how many files a term is, and in how many it is declared.
#[derive(Clone, Copy, Default)]
struct Spread {
    files: usize,
    declaring: usize,
}

impl Scores {
    /// Returns the scores of files with this many names each, given what was found.
    pub fn of(asked: &Asked, hits: &Hits, lengths: &[u32]) -> Scores {
        let spread = spread(asked, hits);
        let telling = telling(asked, &spread, lengths.len());
        let none = || vec![0.0; lengths.len()];
        let mut scores = Scores {
            words: none(),
            names: none(),
            telling: none(),
            declares: none(),
            uses: none(),
        };
        let mean = lengths.iter().map(|n| f64::from(*n)).sum::<f64>();
        let mean = (mean / lengths.len().max(1) as f64).max(1.0);
        // The order of the sums is that of what is asked, wherever a file was found.
        for (at, (_, why)) in asked.all.iter().enumerate() {
            let says = rarity(spread[at].files, lengths.len());
            let term = Weighed {
                why,
                rarity: says,
                telling: telling[at],
                declared: says / spread[at].declaring.max(1) as f64,
            };
            if term.tells(spread[at]) {
                hits.each(at, |file, times| {
                    scores.add(&term, file, times, f64::from(lengths[file]) / mean);
                });
            }
        }
        scores
    }

    fn add(&mut self, term: &Weighed<'_>, file: usize, times: Times, length: f64) {
        let count = f64::from(times.count());
        let norm = SATURATION * (1.0 - LENGTH + LENGTH * length);
        let often = count * (SATURATION + 1.0) / (count + norm);
        self.words[file] += term.why.word * term.rarity * often;
        self.telling[file] += term.telling * term.rarity * often;
        if term.why.is_named {
            self.names[file] += term.rarity * if times.declares() { DECLARES } else { 1.0 };
        }
        if term.why.used > 0 && times.declares() {
            self.declares[file] += term.declared;
        }
        if term.why.is_declared {
            self.uses[file] += term.rarity;
        }
    }
}

/// A term and what it counts for a file that has it.
struct Weighed<'a> {
    why: &'a Why,
    rarity: f64,
    /// What it counts as one of the telling names; 0 if it is not one.
    telling: f64,
    /// Its rarity, shared by those that declare it.
    declared: f64,
}

impl Weighed<'_> {
    /// Whether any file scores for it: most names of a target matter only where they are declared.
    fn tells(&self, spread: Spread) -> bool {
        let of_declared = self.why.used > 0 && spread.declaring > 0;
        let of_used = self.why.is_named || self.why.is_declared;
        of_declared || of_used || self.why.word > 0.0 || self.telling > 0.0
    }
}

/// Counts in how many files each term is.
fn spread(asked: &Asked, hits: &Hits) -> Vec<Spread> {
    let of_term = |at: usize| {
        let mut spread = Spread::default();
        hits.each(at, |_, times| {
            spread.files += 1;
            spread.declaring += usize::from(times.declares());
        });
        spread
    };
    (0..asked.all.len()).map(of_term).collect()
}

/// Returns what each term counts as one of the most telling names of the targets.
fn telling(asked: &Asked, spread: &[Spread], files: usize) -> Vec<f64> {
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (at, (_, why)) in asked.all.iter().enumerate() {
        let says = rarity(spread[at].files, files);
        // A name that is nowhere else leads nowhere, and one that is everywhere too.
        if why.used > 0 && spread[at].files > 1 && says > LEAST_RARITY {
            order.push((says * (1.0 + f64::from(why.used).ln()), at));
        }
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut counts = vec![0.0; asked.all.len()];
    for (weight, at) in order.into_iter().take(TELLING) {
        counts[at] = weight.sqrt();
    }
    counts
}
