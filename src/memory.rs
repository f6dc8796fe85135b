//! A limit on the memory of the whole process.
//!
//! What a repository can make packer's own code use is limited where it is read. libgit2 has no
//! such limits: an index may claim any size. If an allocation fails, libgit2 gives up with an
//! error, so a limit on the process is a limit on libgit2.

//!
//! A process has only one such limit, so it is for the program to set: nothing here has an effect
//! before [`bound_memory`] was called, or after the program has set another limit itself.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// The memory that the program may use, in bytes. Code, including its tables, and mapped files come
/// on top.
const MEMORY: u64 = 80 * 1024 * 1024;

/// What is kept back in [`with_less`], in bytes.
const SPARE: u64 = 12 * 1024 * 1024;

/// The stack with which everything that nests was measured, in bytes.
const STACK: usize = 8 * 1024 * 1024;

/// If a process is allowed this much, a parsing process has what it may use: its limit, its code,
/// and what threads set aside.
const PLENTY: u64 = 512 * 1024 * 1024;

/// About how many bytes what is known of each file takes while a prompt is built. The first files
/// always have room.
const FILE: u64 = 400;
const FIRST_FILES: u64 = 50_000;

/// About how many bytes a packer that is kept remembers at most.
const REMEMBERED: u64 = 96 * 1024 * 1024;

static BOUND: Mutex<Bound> = Mutex::new(Bound {
    bytes: None,
    files: 0,
    with_less: 0,
    unbound: 0,
    set: None,
});

/// The limit, and who currently needs another one, on any thread.
#[derive(Debug)]
struct Bound {
    /// The limit, in bytes, once there is one.
    bytes: Option<u64>,
    /// What is added for the files of the largest repository that was listed.
    files: u64,
    with_less: usize,
    unbound: usize,
    /// What was set last.
    set: Option<Limit>,
}

/// A limit as the system has it; `None` is no limit.
type Limit = Option<u64>;

impl Bound {
    /// Returns what must hold now; `Some(None)` is no limit of packer's own.
    fn now(&self) -> Option<Limit> {
        let bytes = self.bytes? + self.files;
        Some(match (self.unbound, self.with_less) {
            (0, 0) => Some(bytes),
            (0, _) => Some(bytes.saturating_sub(SPARE)),
            _ => None,
        })
    }

    /// Has the system apply what must hold, unless somebody else has set another limit.
    fn apply(&mut self) {
        let Some(wanted) = self.now() else { return };
        if self.set.is_none_or(|set| set == system::limit()) {
            system::set(wanted);
            self.set = Some(system::limit());
        }
    }
}

/// Changes the limit and applies it.
fn change(change: impl FnOnce(&mut Bound)) {
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut bound);
    bound.apply();
}

/// Limits the memory of this process to 80 MiB, plus 8 MiB once a template is rendered, and 400
/// bytes for each file of a repository beyond 50,000.
///
/// This is for a program of its own: a process that also does other things would find its own
/// allocations failing, with 12 MiB less on all its threads while one of them asks git. If it is
/// not called, no limit of the process is ever changed, and a hostile git index can make libgit2
/// take all memory. A limit that the process sets later itself stays as it is. Works on Linux and
/// Android; does nothing elsewhere.
pub fn bound_memory() {
    change(|bound| bound.bytes = Some(MEMORY));
}

/// Raises the limit, if there is one, for packers that are kept and
/// [look again](crate::ContextPacker::look_again): by 96 MiB each.
pub fn make_room_for(packers: usize) {
    make_room(REMEMBERED * packers as u64);
}

/// Raises the limit, if there is one, for what is known of `files` files of a repository.
pub(crate) fn make_room_for_files(files: usize) {
    let more = room_for_files(files);
    change(|bound| bound.files = bound.files.max(more));
}

fn room_for_files(files: usize) -> u64 {
    (files as u64).saturating_sub(FIRST_FILES) * FILE
}

/// Raises the limit, if there is one, by this much, for something that no repository makes larger.
pub(crate) fn make_room(bytes: u64) {
    change(|bound| bound.bytes = bound.bytes.map(|bound| bound + bytes));
}

/// Runs something with 12 MiB less, so that a failure for lack of memory leaves room for the rest
/// of the work.
pub(crate) fn with_less<T>(act: impl FnOnce() -> T) -> T {
    change(|bound| bound.with_less += 1);
    let _end = AtEnd(|bound| bound.with_less -= 1);
    act()
}

/// Runs something without the limit, because a program that is started inherits it.
pub(crate) fn unbound<T>(act: impl FnOnce() -> T) -> T {
    change(|bound| bound.unbound += 1);
    let _end = AtEnd(|bound| bound.unbound -= 1);
    act()
}

/// Runs something with a stack of at least 8 MiB, even if the user allows a process less.
///
/// This is for a program of its own: if necessary, the limit of this process is raised, or else
/// another thread does the work. Works on Linux and Android; elsewhere the stack is as it is.
pub fn with_stack<T: Send>(act: fn() -> T) -> T {
    if system::has_stack(STACK as u64) {
        return act();
    }
    // That of another thread counts as memory.
    make_room(STACK as u64);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, act) {
            Ok(done) => done.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => act(),
        }
    })
}

/// Whether the user allows a process so little that a failure for lack of memory says nothing about
/// the work itself.
pub(crate) fn is_scarce() -> bool {
    system::allowed().is_some_and(|bytes| bytes < PLENTY)
}

/// Makes every allocation of a worker process fail beyond a limit, permanently. If the system
/// cannot do that, the limit on time remains.
pub(crate) fn bound_worker(bytes: u64) {
    system::bound_for_good(bytes);
}

/// Changes the limit back, whatever happens.
struct AtEnd(fn(&mut Bound));

impl Drop for AtEnd {
    fn drop(&mut self) {
        change(self.0);
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::Limit;

    pub(super) fn limit() -> Limit {
        getrlimit(Resource::Data).current
    }

    /// Makes every allocation beyond a limit fail, up to what the user allows.
    pub(super) fn set(wanted: Limit) {
        let maximum = getrlimit(Resource::Data).maximum;
        let current = match (wanted, maximum) {
            (Some(wanted), Some(maximum)) => Some(wanted.min(maximum)),
            (wanted, maximum) => wanted.or(maximum),
        };
        // Where the system refuses, the bounds of each reader remain.
        let _ = setrlimit(Resource::Data, Rlimit { current, maximum });
    }

    /// Whether the main thread has such a stack, or has it now.
    pub(super) fn has_stack(bytes: u64) -> bool {
        let Rlimit { current, maximum } = getrlimit(Resource::Stack);
        if current.is_none_or(|current| current >= bytes) {
            return true;
        }
        let current = Some(bytes);
        let is_allowed = maximum.is_none_or(|maximum| maximum >= bytes);
        is_allowed && setrlimit(Resource::Stack, Rlimit { current, maximum }).is_ok()
    }

    /// Returns how much memory a started process may have, if the user has set a limit.
    pub(super) fn allowed() -> Option<u64> {
        let data = getrlimit(Resource::Data).maximum;
        let all = getrlimit(Resource::As).current;
        data.into_iter().chain(all).min()
    }

    pub(super) fn bound_for_good(bytes: u64) {
        let at_most = |bound| Rlimit {
            current: Some(bound),
            maximum: Some(bound),
        };
        let _ = setrlimit(Resource::Data, at_most(bytes));
        // No file of a core that is dumped.
        let _ = setrlimit(Resource::Core, at_most(0));
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod system {
    use super::Limit;

    pub(super) fn limit() -> Limit {
        None
    }

    pub(super) fn set(_wanted: Limit) {}

    pub(super) fn has_stack(_bytes: u64) -> bool {
        true
    }

    pub(super) fn allowed() -> Option<u64> {
        None
    }

    pub(super) fn bound_for_good(_bytes: u64) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(bytes: Option<u64>, with_less: usize, unbound: usize) -> Bound {
        Bound {
            bytes,
            files: 0,
            with_less,
            unbound,
            set: None,
        }
    }

    #[test]
    fn without_a_bound_nothing_is_touched() {
        for (with_less, unbound) in [(0, 0), (1, 0), (0, 1)] {
            assert_eq!(bound(None, with_less, unbound).now(), None);
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            let before = system::limit();
            make_room(1);
            with_less(|| assert_eq!(system::limit(), before));
            unbound(|| assert_eq!(system::limit(), before));
            make_room_for_files(200_000);
            assert_eq!(system::limit(), before);
        }
    }

    #[test]
    fn whoever_needs_another_bound_gets_it_and_the_last_one_gives_it_back() {
        assert_eq!(bound(Some(MEMORY), 0, 0).now(), Some(Some(MEMORY)));
        assert_eq!(bound(Some(MEMORY), 2, 0).now(), Some(Some(MEMORY - SPARE)));
        assert_eq!(bound(Some(MEMORY), 1, 1).now(), Some(None));
        let many = Bound {
            files: 7,
            ..bound(Some(MEMORY), 1, 0)
        };
        assert_eq!(many.now(), Some(Some(MEMORY + 7 - SPARE)));
        let rooms = [0, 50_000, 50_001, 200_000].map(room_for_files);
        assert_eq!(rooms, [0, 0, 400, 60_000_000]);
    }
}
