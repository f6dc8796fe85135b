//! The other side of a [`Parser`](super::Parser): parses what it is asked for, within limits on
//! memory and time for this whole process.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::account::bound;
use crate::memory::bound_worker;
use crate::repo::conversation::{frames, read_frame};
use crate::syntax::{Parsed, Wanted, parse};

/// The argument with which a program is started that must [`serve`].
pub const SUBCOMMAND: &str = "parse-worker";

/// The memory that the process may use, in bytes. The tree of the largest hand-written text takes a
/// quarter of it.
const MEMORY: u64 = 64 * 1024 * 1024;

/// How often the elapsed time is checked.
const STEP: Duration = Duration::from_millis(10);

/// The largest question: a text that a grammar accepts, with some words.
const MAX_QUESTION: usize = 1024 * 1024;

/// A question.
#[derive(Serialize, Deserialize)]
pub struct Question<'a> {
    pub language: Cow<'a, str>,
    pub text: Cow<'a, str>,
    pub wanted: Wanted,
}

/// An answer.
#[derive(Serialize, Deserialize)]
pub enum Answer {
    /// What was found, and how many microseconds of processor time that took.
    Done(u64, Parsed),
    /// It takes too long and is still running: the process must be ended.
    Late,
}

/// Parses until the input ends.
///
/// # Errors
///
/// An error if a question cannot be read, or nobody takes the answer.
pub fn serve(mut input: impl Read, output: impl Write + Send + 'static) -> io::Result<()> {
    bound_worker(MEMORY);
    system::end_with_parent();
    let watched = Arc::new(Mutex::new(Watched {
        output,
        until: None,
    }));
    let watch = Arc::clone(&watched);
    thread::Builder::new().spawn(move || watch_over(&watch))?;
    while let Some(question) = read_frame(&mut input, MAX_QUESTION)? {
        let begun = system::time_used();
        let read: Question<'_> = postcard::from_bytes(&question).map_err(io::Error::other)?;
        let most = bound(read.text.len());
        lock(&watched).until = Some(begun + most);
        system::bound_time(begun + most);
        let parsed = parse(&read.language, &read.text, read.wanted);
        let took = system::time_used().saturating_sub(begun);
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut watched = lock(&watched);
        watched.until = None;
        watched.answer(&Answer::Done(took, parsed))?;
    }
    Ok(())
}

/// Who may answer, and until when the parser has time, in processor time.
struct Watched<W> {
    output: W,
    until: Option<Duration>,
}

impl<W: Write> Watched<W> {
    fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        let answer = postcard::to_allocvec(answer).map_err(io::Error::other)?;
        self.output.write_all(&frames([&answer]))?;
        self.output.flush()
    }
}

fn lock<W>(watched: &Mutex<Watched<W>>) -> MutexGuard<'_, Watched<W>> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers, in place of the parser, that it takes too long. A scanner cannot be interrupted, so
/// whoever listens must end the process.
fn watch_over<W: Write>(watched: &Mutex<Watched<W>>) {
    loop {
        thread::sleep(STEP);
        let mut watched = lock(watched);
        if watched
            .until
            .is_some_and(|until| until <= system::time_used())
        {
            watched.until = None;
            // Where nobody listens, the bound on the process's time is the end of it.
            let _ = watched.answer(&Answer::Late);
            return;
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use std::time::Duration;

    use rustix::process::{
        Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
    };
    use rustix::time::{ClockId, clock_gettime};

    /// The time that is left for a late answer before the system ends the process.
    const SPARE: u64 = 2;

    /// Has the system end the process when it has used this much processor time.
    pub(super) fn bound_time(until: Duration) {
        let maximum = getrlimit(Resource::Cpu).maximum;
        let current = Some(until.as_secs() + SPARE);
        let _ = setrlimit(Resource::Cpu, Rlimit { current, maximum });
    }

    /// Has the system end the process together with the one that started it.
    pub(super) fn end_with_parent() {
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }

    /// Returns the processor time that this process has used.
    pub(super) fn time_used() -> Duration {
        Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
    }
}

/// On other systems, wall-clock time counts, and memory has no limit of its own.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod system {
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);

    pub(super) fn bound_time(_until: Duration) {}

    pub(super) fn end_with_parent() {}

    pub(super) fn time_used() -> Duration {
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps what is written, to be checked later.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn watched() -> (Written, Mutex<Watched<Written>>) {
        let written = Written::default();
        let output = written.clone();
        let until = Some(system::time_used());
        (written, Mutex::new(Watched { output, until }))
    }

    #[test]
    fn who_takes_too_long_is_said_to_be_late_once() {
        let (written, watched) = watched();
        watch_over(&watched);
        let written = written.0.lock().unwrap();
        let answer = read_frame(&mut written.as_slice(), 100).unwrap().unwrap();
        assert!(matches!(postcard::from_bytes(&answer), Ok(Answer::Late)));
        assert_eq!(watched.lock().unwrap().until, None);
    }
}
