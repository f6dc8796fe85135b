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
pub(super) const ENOUGH_WORTH: f64 = 0.006;

/// In tokens: in twice this room a quarter of [`ENOUGH_WORTH`] is enough, and so on.
pub(super) const ROOM: f64 = 25_000.0;

/// As if so much were shown at least: nothing is known of what is hardly shown.
pub(super) const LEAST_SHOWN: f64 = 0.02;

/// The share of all that the worker needs below which a thousand tokens are not spent on it,
/// in a prompt of `budget` tokens that shows the share `shown` of it; never less than
/// [`LEAST_WORTH`].
pub fn worth_enough(budget: usize, shown: f64) -> f64 {
    let room = (ROOM / budget.max(1) as f64).min(1.0);
    (ENOUGH_WORTH * room.powi(2) * shown.max(LEAST_SHOWN)).max(LEAST_WORTH)
}
