//! A progress line on the terminal while a large repository is read.

use std::io::{IsTerminal as _, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use context_packer::Progress;
use context_packer::command::show::grouped;

use super::report::say;

/// Nothing is shown before this time.
const PATIENCE: Duration = Duration::from_millis(500);

/// The shortest time between two updates of the line.
const PAUSE: Duration = Duration::from_millis(100);

/// Moves to the beginning of the line and clears it.
const ERASE: &str = "\r\x1b[K";

/// Whether a line can be overwritten: standard error must be a terminal that supports it.
pub(super) fn is_shown() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    stderr().is_terminal() && !is_dumb
}

/// Writes the progress from time to time, and nothing at the end.
pub(super) fn listener() -> impl Fn(Progress) + Send + Sync {
    let begun = Instant::now();
    let written = Mutex::new(None);
    move |progress| {
        let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = line(progress, begun.elapsed(), &mut written) {
            say(&text);
        }
    }
}

/// Returns what to write at this time, if the line was last `written` then.
fn line(progress: Progress, now: Duration, written: &mut Option<Duration>) -> Option<String> {
    let Progress { done, files } = progress;
    if done >= files {
        return written.take().map(|_| ERASE.to_owned());
    }
    let next = written.map_or(PATIENCE, |then| then + PAUSE);
    if now < next {
        return None;
    }
    *written = Some(now);
    let (done, files) = (grouped(done), grouped(files));
    Some(format!("{ERASE}{done} of {files} files read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_to_whoever_waits_and_goes_in_the_end() {
        let mut written = None;
        let mut at = |done, milliseconds| {
            let files = 90_000;
            let progress = Progress { done, files };
            line(progress, Duration::from_millis(milliseconds), &mut written)
        };
        assert_eq!(at(500, 499), None);
        let shown = Some("\r\x1b[K12,000 of 90,000 files read".to_owned());
        assert_eq!(at(12_000, 500), shown);
        assert_eq!(at(13_000, 599), None);
        assert!(at(14_000, 600).is_some());
        assert_eq!(at(90_000, 601), Some("\r\x1b[K".to_owned()));
        // Where nothing was written there is nothing to erase.
        assert_eq!(at(90_000, 700), None);
    }
}
