//! The worth from which on something is shown.

/// What is worth less than this share of everything that the worker needs, for each thousand
/// tokens, is not packed only because there is room.
pub(super) const LEAST_WORTH: f64 = 0.0003;

/// What is worth less than this share for each thousand tokens is shown only if the room is at
/// least as large as [`ROOM`]; the less it is worth, the larger the room must be. A budget is a
/// limit: what hardly helps only distracts.
///
/// This applies once everything that the worker needs is expected to be shown. If half of it is,
/// half is enough, because what a hard task needs is worth more than the ranking knows.
const ENOUGH_WORTH: f64 = 0.0036;

/// The same if no target says what the work is about: more of what is thought to be everything is
/// missing then.
const ENOUGH_ALONE: f64 = 0.002;

/// In tokens: with twice this room, a quarter of [`enough`] is enough, and so on.
pub(super) const ROOM: f64 = 25_000.0;

/// At least this much is assumed to be shown: nothing is known about what is hardly shown.
pub(super) const LEAST_SHOWN: f64 = 0.02;

/// Returns what a thousand tokens must be worth once everything is expected to be shown;
/// `goes_deep` as in [`Section`](crate::section::Section::goes_deep).
pub(super) fn enough(goes_deep: bool) -> f64 {
    if goes_deep {
        ENOUGH_ALONE
    } else {
        ENOUGH_WORTH
    }
}

/// Returns the share of everything that the worker needs below which a thousand tokens are not
/// spent on it, in a prompt of `budget` tokens that shows the share `shown` of it; never less than
/// [`LEAST_WORTH`].
pub fn worth_enough(budget: usize, shown: f64, goes_deep: bool) -> f64 {
    let room = (ROOM / budget.max(1) as f64).min(1.0);
    (enough(goes_deep) * room.powi(2) * shown.max(LEAST_SHOWN)).max(LEAST_WORTH)
}
