//! What each signal counts. Made by `benches/quality/train.py`, not by hand.

use super::signals::{CANDIDATE_SIGNALS, FILE_SIGNALS, PART_SIGNALS};

/// For a file.
pub(super) const FILES: [f64; FILE_SIGNALS] = [
    3.40,  // words of the task, share of the best
    -0.77, // words of the task, rank
    -0.06, // names of the targets, share of the best
    0.63,  // names of the targets, rank
    0.98,  // words of its path, share of the best
    0.12,  // words of its path, rank
    0.69,  // names in the task, share of the best
    0.01,  // names in the task, rank
    0.16,  // declares names in the task, share of the best
    -0.04, // declares names in the task, rank
    0.01,  // uses what targets declare, share of the best
    -0.35, // uses what targets declare, rank
    0.12,  // declares what targets use, share of the best
    0.65,  // declares what targets use, rank
    1.52,  // changed together, share of the best
    0.22,  // changed together, rank
    0.76,  // commits like the task, share of the best
    0.20,  // commits like the task, rank
    -0.16, // changes often, share of the best
    -0.22, // changes often, rank
    -0.13, // uses what the focus declares, share of the best
    0.54,  // uses what the focus declares, rank
    -0.37, // declares what the focus uses, share of the best
    -0.16, // declares what the focus uses, rank
    1.68,  // like the focus, share of the best
    0.54,  // like the focus, rank
    -0.41, // share of the task covered, share of the best
    0.22,  // share of the task covered, rank
    0.35,  // imported by a target
    0.41,  // imports a target
    0.10,  // imported by what a target imports
    -0.09, // imports what a target imports
    0.05,  // imported by what imports a target
    0.07,  // same stem
    -0.16, // same folder
    0.73,  // nearness
    0.41,  // same language
    -0.16, // test
    -1.72, // aside: docs, examples, fixtures
    -0.50, // log of size
    0.92,  // named in the task
    0.33,  // stem in the task
    0.16,  // log of changed together
    0.04,  // log of changes
    -0.17, // log of age
    -0.03, // log of importers
    -0.03, // test of the same stem
    -0.07, // test that imports a target
    0.89,  // test with words of the task
    2.15,  // a programming language
    0.77,  // ever changed together
    -2.70, // words of the task and changed together
    0.13,  // test that uses what targets declare
    0.36,  // log of uses what the focus declares
    0.00,  // is a target
];

/// For a likely file, once its parts are known.
pub(super) const CANDIDATES: [f64; CANDIDATE_SIGNALS] = [
    0.25,  // log of the first probability
    0.09,  // log of the sum over parts
    0.13,  // best part
    0.26,  // best part by task
    0.39,  // best three by task
    0.43,  // best log of names in the task
    0.53,  // best title by rarity
    -0.83, // best task covered by rarity
    -0.17, // best log of is the focus
    0.02,  // best log of uses of the focus
    0.18,  // best log of like the focus
    -0.12, // best title speaks of the task
    0.01,  // best title is a name in the task
    -0.04, // log of parts
    0.20,  // best score by task
    0.53,  // words of the task, share of the best
    -0.15, // words of the task, rank
    0.02,  // names of the targets, share of the best
    0.34,  // names of the targets, rank
    0.37,  // words of its path, share of the best
    0.14,  // words of its path, rank
    -0.01, // names in the task, share of the best
    -0.28, // names in the task, rank
    0.27,  // declares names in the task, share of the best
    -0.31, // declares names in the task, rank
    0.14,  // uses what targets declare, share of the best
    -0.28, // uses what targets declare, rank
    0.11,  // declares what targets use, share of the best
    0.38,  // declares what targets use, rank
    0.63,  // changed together, share of the best
    0.38,  // changed together, rank
    0.40,  // commits like the task, share of the best
    0.32,  // commits like the task, rank
    -0.16, // changes often, share of the best
    0.01,  // changes often, rank
    0.03,  // uses what the focus declares, share of the best
    0.36,  // uses what the focus declares, rank
    -0.27, // declares what the focus uses, share of the best
    -0.08, // declares what the focus uses, rank
    0.43,  // like the focus, share of the best
    0.56,  // like the focus, rank
    0.06,  // share of the task covered, share of the best
    0.36,  // share of the task covered, rank
    0.23,  // imported by a target
    0.28,  // imports a target
    0.04,  // imported by what a target imports
    -0.07, // imports what a target imports
    0.10,  // imported by what imports a target
    0.10,  // same stem
    -0.00, // same folder
    0.33,  // nearness
    0.21,  // same language
    -0.09, // test
    -1.20, // aside: docs, examples, fixtures
    -0.89, // log of size
    0.73,  // named in the task
    0.24,  // stem in the task
    0.19,  // log of changed together
    -0.02, // log of changes
    -0.10, // log of age
    -0.04, // log of importers
    -0.13, // test of the same stem
    -0.18, // test that imports a target
    0.36,  // test with words of the task
    1.70,  // a programming language
    0.32,  // ever changed together
    -1.36, // words of the task and changed together
    0.06,  // test that uses what targets declare
    0.07,  // log of uses what the focus declares
    0.00,  // is a target
];

/// For a part of a file.
pub(super) const PARTS: [f64; PART_SIGNALS] = [
    2.01,  // words of the task, share of the best anywhere
    -0.09, // share of the best here
    0.46,  // rank here
    -0.03, // names in the task
    0.39,  // names targets declare
    0.09,  // declares what targets use
    0.62,  // names of the targets
    0.55,  // like the focus
    -0.09, // share of the task covered
    0.43,  // uses of the focus
    1.07,  // title speaks of the task
    0.83,  // title is a name in the task
    0.58,  // head
    0.06,  // type
    0.36,  // loose
    0.10,  // inside
    -0.01, // block
    0.32,  // last
    0.60,  // log of lines
    -0.30, // log of names
    0.05,  // place
    0.00,  // in a test
    1.27,  // last of a test
    1.02,  // head of a test
    -0.21, // in a test by task
    -0.08, // depth
    0.37,  // log of score by task
    0.00,  // only part
    -0.52, // by task and by declared
    0.50,  // log of names in the task
    -0.06, // log of names targets declare
    0.11,  // log of declares what targets use
    -0.88, // title by rarity
    -0.32, // task covered by rarity
    -0.64, // log of is the focus
    0.13,  // log of uses of the focus
    -0.03, // log of like the focus
    -0.56, // mean of neighbours
    0.83,  // best neighbour
    0.46,  // in a test, uses of the focus
    0.21,  // function by title
];
