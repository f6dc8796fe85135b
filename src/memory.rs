//! A bound on the memory of the whole process.
//!
//! What a repository can make this program's own code take is bounded where it is
//! read. libgit2 knows no such bounds: a commit, a tree or the base of a delta may
//! inflate to any size, and a tree may hold itself ten times over. Where an
//! allocation fails, libgit2 gives up what it does with an error, so that a bound on
//! the process is a bound on it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the program may take, in bytes, without the tables of an exact tokenizer.
/// Code and mapped files come on top.
const MEMORY: u64 = 80 * 1024 * 1024;

/// What is kept back in [`with_less`], in bytes.
const SPARE: u64 = 12 * 1024 * 1024;

/// The bound that holds, in bytes; 0 before there is one.
static BOUND: AtomicU64 = AtomicU64::new(0);

/// Whether [`with_less`] holds already.
static HAS_LESS: AtomicBool = AtomicBool::new(false);

/// Bounds the memory of this process at 80 MiB, and 80 MiB more for each exact
/// tokenizer that is used.
///
/// For a program of its own: a process that does other things too would find its own
/// allocations failing. Without it, a hostile git repository can make libgit2 take as
/// much memory as there is. Works on Linux and Android; does nothing elsewhere.
pub fn bound_memory() {
    set(MEMORY);
    BOUND.store(MEMORY, Ordering::Relaxed);
}

/// What a packer that is kept remembers takes at most about so many bytes.
const REMEMBERED: u64 = 96 * 1024 * 1024;

/// Raises the bound, if there is one, for so many packers that are kept and
/// [look again](crate::ContextPacker::look_again): by 96 MiB each.
pub fn make_room_for(packers: usize) {
    make_room(REMEMBERED * packers as u64);
}

/// Raises the bound, if there is one, by so many bytes.
pub(crate) fn make_room(bytes: u64) {
    if BOUND.load(Ordering::Relaxed) > 0 {
        set(BOUND.fetch_add(bytes, Ordering::Relaxed) + bytes);
    }
}

/// Does something with 12 MiB less, so that what fails for want of memory leaves room
/// for the rest of the work.
pub(crate) fn with_less<T>(act: impl FnOnce() -> T) -> T {
    let bound = BOUND.load(Ordering::Relaxed);
    if bound == 0 || HAS_LESS.swap(true, Ordering::Relaxed) {
        return act();
    }
    set(bound - SPARE);
    let done = act();
    set(bound);
    HAS_LESS.store(false, Ordering::Relaxed);
    done
}

/// Does something without the bound: a program that is started inherits it.
pub(crate) fn unbound<T>(act: impl FnOnce() -> T) -> T {
    let bound = BOUND.load(Ordering::Relaxed);
    if bound == 0 {
        return act();
    }
    set(u64::MAX);
    let done = act();
    set(bound);
    done
}

/// Makes every allocation beyond so many bytes fail, up to what the user allows.
fn set(bytes: u64) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Data).maximum;
        let current = match (bytes, maximum) {
            (u64::MAX, maximum) => maximum,
            (bytes, Some(maximum)) => Some(bytes.min(maximum)),
            (bytes, None) => Some(bytes),
        };
        // Where the system refuses, the bounds of each reader remain.
        let _ = setrlimit(Resource::Data, Rlimit { current, maximum });
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = bytes;
}
