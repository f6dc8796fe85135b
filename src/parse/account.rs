//! How much processor time parsing takes.

use std::time::Duration;

/// The time that a text may take: this much, plus some for each byte. Real source takes less than a
/// tenth of it, even without optimisation.
const BASE: Duration = Duration::from_millis(250);
const PER_BYTE: Duration = Duration::from_micros(4);

/// The time that any harmless text takes.
const EXPECTED: Duration = Duration::from_millis(20);
const EXPECTED_PER_BYTE: Duration = Duration::from_micros(2);

/// The time that texts may take beyond that, all of a prompt together.
const TROUBLE: Duration = Duration::from_secs(4);

/// The cost of a process that ended: a new one must be started.
pub const OF_END: Duration = Duration::from_millis(100);

/// Returns the time that parsing a text of this many bytes may take.
pub fn bound(bytes: usize) -> Duration {
    BASE + PER_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// What is left of a prompt's time for texts that take longer than others.
#[derive(Debug)]
pub struct Account {
    left: Duration,
}

impl Account {
    pub fn new() -> Account {
        Account { left: TROUBLE }
    }

    /// Subtracts what a text of `bytes` took beyond what any other takes.
    pub fn charge(&mut self, bytes: usize, took: Duration) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let expected = EXPECTED + EXPECTED_PER_BYTE.saturating_mul(bytes);
        self.left = self.left.saturating_sub(took.saturating_sub(expected));
    }

    pub fn is_empty(&self) -> bool {
        self.left.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_like_others_cost_nothing_and_the_worst_only_so_much() {
        let mut account = Account::new();
        for _ in 0..100_000 {
            account.charge(8 * 1024, Duration::from_millis(8));
        }
        assert!(!account.is_empty());
        let mut texts = 0;
        while !account.is_empty() {
            account.charge(1024, bound(1024));
            texts += 1;
        }
        assert_eq!(texts, 18);
    }
}
