//! How far a template may go inside the process that renders it.

use std::sync::Once;
use std::{io, thread};

use crate::memory::make_room;

/// The most instructions that a template may execute. The shipped ones take a few hundred; this
/// many take about a tenth of a second.
#[cfg(not(fuzzing))]
pub(super) const FUEL: u64 = 2_000_000;

/// Fuzzing looks for what single instructions do, and at many templates a second.
#[cfg(fuzzing)]
pub(super) const FUEL: u64 = 5_000;

/// The deepest nesting of templates, blocks and macros.
pub(super) const RECURSION: usize = 100;

/// The stack of the rendering thread: the depth above takes less than 1 MiB.
const STACK: usize = 8 * 1024 * 1024;

/// The largest prompt, in bytes.
#[cfg(not(fuzzing))]
pub(super) const MAX_OUTPUT: usize = 16 * 1024 * 1024;

/// Smaller when fuzzing, like the number of instructions.
#[cfg(fuzzing)]
pub(super) const MAX_OUTPUT: usize = 1024 * 1024;

/// Runs something on a thread whose stack fits the limit on depth. The inner error is that it
/// panicked.
///
/// # Errors
///
/// An error if no thread can be started.
pub(super) fn on_a_large_stack<T: Send>(
    act: impl FnOnce() -> T + Send,
) -> io::Result<thread::Result<T>> {
    // The stack is not taken from the room that there is for a repository; once there was one,
    // the system keeps it for the next.
    static HAS_ROOM: Once = Once::new();
    HAS_ROOM.call_once(|| make_room(STACK as u64));
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("template".into())
            .stack_size(STACK);
        Ok(thread.spawn_scoped(scope, act)?.join())
    })
}
