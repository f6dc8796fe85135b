//! A line on the terminal for whoever waits for a large repository to be read.

use std::io::{IsTerminal as _, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use context_packer::Progress;
use context_packer::command::show::grouped;

use super::report::say;

/// Before this nobody has waited.
const PATIENCE: Duration = Duration::from_millis(500);

/// The line is not written anew more often.
const PAUSE: Duration = Duration::from_millis(100);

/// Moves to the beginning of the line and empties it.
const ERASE: &str = "\r\x1b[K";

/// Whether a line can be written over: standard error is a terminal that knows how.
pub(super) fn is_shown() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    stderr().is_terminal() && !is_dumb
}

/// Writes how far it is from time to time, and nothing in the end.
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

/// What has to be written at this time, where a line stands that was `written` then.
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
