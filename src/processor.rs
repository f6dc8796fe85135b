//! Processor time, which does not include what other processes do meanwhile.

use std::time::Duration;

/// Returns the processor time that this thread has taken.
#[cfg(unix)]
pub fn time_of_thread() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// Returns wall-clock time, on systems that do not report processor time.
#[cfg(not(unix))]
pub fn time_of_thread() -> Duration {
    static BEGUN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(std::time::Instant::now).elapsed()
}
