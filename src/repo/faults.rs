//! What can happen to a file between two calls of the door, triggered at a call that a test
//! chooses.

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::io;
    use std::path::PathBuf;

    /// What happens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The call fails, as on a broken disk.
        Error,
        /// What it asks for is gone.
        Gone,
        /// The file was cut in half.
        Short,
        /// It grew to two megabytes.
        Grown,
        /// It was replaced by a link to another file of the user's.
        Swapped,
    }

    /// When which fault happens, in this thread.
    pub(crate) struct Plan {
        /// The number of the call, from 1.
        pub(crate) at: usize,
        pub(crate) fault: Fault,
        pub(crate) root: PathBuf,
        /// Where the link leads.
        pub(crate) secret: PathBuf,
        /// How many calls there were.
        pub(crate) seen: usize,
        /// What the call at which it happened asked for.
        pub(crate) hit: Option<String>,
    }

    thread_local! {
        static PLAN: RefCell<Option<Plan>> = const { RefCell::new(None) };
    }

    /// Runs something with a plan, and returns the plan.
    pub(crate) fn during<T>(plan: Plan, run: impl FnOnce() -> T) -> (T, Plan) {
        PLAN.set(Some(plan));
        let result = run();
        let plan = PLAN.take();
        (result, plan.expect("nobody else takes it"))
    }

    /// Every call of the door begins with this.
    pub(in super::super) fn happen(path: &str) -> io::Result<()> {
        PLAN.with_borrow_mut(|plan| {
            let Some(plan) = plan else { return Ok(()) };
            plan.seen += 1;
            if plan.seen != plan.at {
                return Ok(());
            }
            plan.hit = Some(path.to_owned());
            let file = plan.root.join(path);
            if plan.fault == Fault::Error {
                return Err(io::Error::from_raw_os_error(5));
            }
            if !file.is_file() {
                // A folder does not become shorter.
                return Err(io::ErrorKind::NotFound.into());
            }
            match plan.fault {
                Fault::Error | Fault::Gone => fs::remove_file(&file),
                Fault::Short => {
                    let bytes = fs::metadata(&file)?.len();
                    let file = fs::OpenOptions::new().write(true).open(&file)?;
                    file.set_len(bytes / 2)
                }
                Fault::Grown => fs::write(&file, ("grown ".repeat(50) + "\n").repeat(7_000)),
                Fault::Swapped => {
                    fs::remove_file(&file)?;
                    std::os::unix::fs::symlink(&plan.secret, &file)
                }
            }
        })
    }
}
