//! A bound on the memory of the whole process.
//!
//! What a repository can make this program's own code take is bounded where it is
//! read. libgit2 knows no such bounds: an index may say anything of how much there is.
//! Where an allocation fails, libgit2 gives up what it does with an error, so that a
//! bound on the process is a bound on it.

//!
//! A process has one such bound, so it is the program's to set: nothing here does anything
//! before [`bound_memory`] was called, nor after the program has set another bound itself.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// What the program may take, in bytes. Code, with the tables in it, and mapped files come
/// on top.
const MEMORY: u64 = 80 * 1024 * 1024;

/// What is kept back in [`with_less`], in bytes.
const SPARE: u64 = 12 * 1024 * 1024;

/// The stack that all that nests was measured with, in bytes.
const STACK: usize = 8 * 1024 * 1024;

/// Where a process is allowed as much, one that parses has what it may use: that, its code, and
/// what threads set aside.
const PLENTY: u64 = 512 * 1024 * 1024;

/// What is known of each file takes about this much while a prompt is built, in bytes; for the
/// first of them there is room in any case.
const FILE: u64 = 400;
const FIRST_FILES: u64 = 50_000;

/// What a packer that is kept remembers takes at most, in bytes, roughly.
const REMEMBERED: u64 = 96 * 1024 * 1024;

static BOUND: Mutex<Bound> = Mutex::new(Bound {
    bytes: None,
    files: 0,
    with_less: 0,
    unbound: 0,
    set: None,
});

/// The bound, and who needs another one at the moment, on any thread.
#[derive(Debug)]
struct Bound {
    /// The bound, in bytes, once there is one.
    bytes: Option<u64>,
    /// What comes on top for the files of the largest repository that was listed.
    files: u64,
    with_less: usize,
    unbound: usize,
    /// What was set last.
    set: Option<Limit>,
}

/// A limit as the system has it; `None` is no limit.
type Limit = Option<u64>;

impl Bound {
    /// What has to hold now: no limit of ours where `Some(None)`.
    fn now(&self) -> Option<Limit> {
        let bytes = self.bytes? + self.files;
        Some(match (self.unbound, self.with_less) {
            (0, 0) => Some(bytes),
            (0, _) => Some(bytes.saturating_sub(SPARE)),
            _ => None,
        })
    }

    /// Has the system do what has to hold, unless somebody else has set another limit.
    fn apply(&mut self) {
        let Some(wanted) = self.now() else { return };
        if self.set.is_none_or(|set| set == system::limit()) {
            system::set(wanted);
            self.set = Some(system::limit());
        }
    }
}

/// Changes the bound, and has it hold.
fn change(change: impl FnOnce(&mut Bound)) {
    let mut bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
    change(&mut bound);
    bound.apply();
}

/// Bounds the memory of this process at 80 MiB; 8 MiB more once a template is rendered, and 400
/// bytes more for each file beyond 50,000 of a repository.
///
/// For a program of its own: a process that does other things too would find its own
/// allocations failing, with 12 MiB less on all its threads while one of them asks git.
/// Without it, no bound of the process is ever touched, and a hostile index of git
/// can make libgit2 take as much memory as there is. A bound that the process sets later
/// itself stays as it is. Works on Linux and Android; does nothing elsewhere.
pub fn bound_memory() {
    change(|bound| bound.bytes = Some(MEMORY));
}

/// Raises the bound, if there is one, for packers that are kept and
/// [look again](crate::ContextPacker::look_again): by 96 MiB each.
pub fn make_room_for(packers: usize) {
    make_room(REMEMBERED * packers as u64);
}

/// Raises the bound, if there is one, for what is known of `files` files of a repository.
pub(crate) fn make_room_for_files(files: usize) {
    let more = room_for_files(files);
    change(|bound| bound.files = bound.files.max(more));
}

fn room_for_files(files: usize) -> u64 {
    (files as u64).saturating_sub(FIRST_FILES) * FILE
}

/// Raises the bound, if there is one, by so much, which is for something that no repository
/// makes larger.
pub(crate) fn make_room(bytes: u64) {
    change(|bound| bound.bytes = bound.bytes.map(|bound| bound + bytes));
}

/// Does something with 12 MiB less, so that what fails for want of memory leaves room
/// for the rest of the work.
pub(crate) fn with_less<T>(act: impl FnOnce() -> T) -> T {
    change(|bound| bound.with_less += 1);
    let _end = AtEnd(|bound| bound.with_less -= 1);
    act()
}

/// Does something without the bound: a program that is started inherits it.
pub(crate) fn unbound<T>(act: impl FnOnce() -> T) -> T {
    change(|bound| bound.unbound += 1);
    let _end = AtEnd(|bound| bound.unbound -= 1);
    act()
}

/// Does something with a stack of 8 MiB at least, also where the user allows a process less.
///
/// For a program of its own: where it is needed, the limit of this process is raised, or else
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

/// Whether the user allows a process so little that what fails for want of memory says nothing
/// of what was to be done.
pub(crate) fn is_scarce() -> bool {
    system::allowed().is_some_and(|bytes| bytes < PLENTY)
}

/// Makes every allocation of a process that works for this one fail beyond a bound, for good.
/// Where the system cannot do that, the bound of time remains.
pub(crate) fn bound_worker(bytes: u64) {
    system::bound_for_good(bytes);
}

/// Changes the bound back, whatever happens.
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

    /// Whether the main thread has such a stack, or does now.
    pub(super) fn has_stack(bytes: u64) -> bool {
        let Rlimit { current, maximum } = getrlimit(Resource::Stack);
        if current.is_none_or(|current| current >= bytes) {
            return true;
        }
        let current = Some(bytes);
        let is_allowed = maximum.is_none_or(|maximum| maximum >= bytes);
        is_allowed && setrlimit(Resource::Stack, Rlimit { current, maximum }).is_ok()
    }

    /// How much memory a process that is started may have, if the user has set an end to it.
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
