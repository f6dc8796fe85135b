//! From which worth on something is shown.

/// What is worth less than this share of all that the worker needs, for each thousand
/// tokens, is not packed merely because there is room.
pub(super) const LEAST_WORTH: f64 = 0.0003;

/// What is worth less than this share for each thousand tokens is shown only where the room is
/// as large as [`ROOM`], and the less it is worth the larger. A budget is a limit: what
/// hardly helps only distracts.
///
/// That holds once everything is expected to be shown that the worker needs. Where half of it
/// is, half is enough, since what a hard task needs is worth more than the ranking knows.
const ENOUGH_WORTH: f64 = 0.0036;

/// The same where no target says what the work is about: of what is thought to be all there
/// more is missing then.
const ENOUGH_ALONE: f64 = 0.002;

/// In tokens: in twice this room a quarter of [`enough`] is enough, and so on.
pub(super) const ROOM: f64 = 25_000.0;

/// As if so much were shown at least: nothing is known of what is hardly shown.
pub(super) const LEAST_SHOWN: f64 = 0.02;

/// What a thousand tokens have to be worth once everything is expected to be shown;
/// `goes_deep` as in [`Section`](crate::section::Section::goes_deep).
pub(super) fn enough(goes_deep: bool) -> f64 {
    if goes_deep {
        ENOUGH_ALONE
    } else {
        ENOUGH_WORTH
    }
}

/// The share of all that the worker needs below which a thousand tokens are not spent on it,
/// in a prompt of `budget` tokens that shows the share `shown` of it; never less than
/// [`LEAST_WORTH`].
pub fn worth_enough(budget: usize, shown: f64, goes_deep: bool) -> f64 {
    let room = (ROOM / budget.max(1) as f64).min(1.0);
    (enough(goes_deep) * room.powi(2) * shown.max(LEAST_SHOWN)).max(LEAST_WORTH)
}
