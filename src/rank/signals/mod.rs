//! What speaks for each file and for each part of a file, as numbers.

/// Generates a list of signals: a number each, known by its name wherever it is computed, weighed,
/// printed or learned.
///
/// A weight is in the same list as its signal, so the compiler finds a signal without a weight, and
/// a weight whose signal is gone.
macro_rules! signals {
    ($(#[$list_doc:meta])* $List:ident { $($(#[$doc:meta])* $name:ident,)* }) => {
        $(#[$list_doc])*
        #[derive(Clone, Copy, Default)]
        pub struct $List {
            $($(#[$doc])* pub $name: f64,)*
        }

        impl $List {
            /// Their names, in their order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Returns the numbers, in the order of the names.
            pub fn values(&self) -> [f64; Self::NAMES.len()] {
                [$(self.$name),*]
            }

            /// Returns what each signal adds to the score.
            pub fn weighed(&self, weights: &$List) -> impl Iterator<Item = f64> {
                let weights = weights.values().into_iter();
                self.values().into_iter().zip(weights).map(|(signal, weight)| signal * weight)
            }
        }
    };
}

mod all;
mod asked;
mod candidate;
mod file;
mod newest;
mod part;
mod scale;

pub use self::candidate::CandidateSignals;
pub use self::file::{Basis, FileSignals};
pub use self::part::{ENOUGH_COMMANDS, PartSignals};

/// The weight of each signal.
pub struct Weights {
    /// For a file.
    pub files: FileSignals,
    /// For a likely file, once its parts are known.
    pub candidates: CandidateSignals,
    /// For a likely file, what spoke for it before.
    pub candidate_files: FileSignals,
    /// For a part of a file.
    pub parts: PartSignals,
}
