//! The time of the processor, which does not count what others do meanwhile.

use std::time::Duration;

/// The time that this thread has taken.
#[cfg(unix)]
pub fn time_of_thread() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// Where no system tells it, that of the clock on the wall.
#[cfg(not(unix))]
pub fn time_of_thread() -> Duration {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed()
}
