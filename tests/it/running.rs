//! A command that stays and talks: one line in, one line out.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::project::Project;

/// An answer that takes longer does not come.
const DEADLINE: Duration = Duration::from_secs(60);

/// A running command. It is ended with the test.
pub struct Running {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Running {
    /// Starts the built command in the repository.
    pub fn start<'a>(project: &Project, arguments: impl IntoIterator<Item = &'a str>) -> Running {
        let mut child = project
            .command()
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Running {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    /// The next line that it prints.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(DEADLINE).unwrap()
    }

    /// Writes a line to it.
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    /// The most memory that it had at once so far, in bytes.
    #[cfg(target_os = "linux")]
    pub fn peak(&self) -> u64 {
        crate::project::high_water(&self.child.id().to_string())
    }

    /// Closes its input and returns its exit code.
    pub fn close(mut self) -> i32 {
        drop(self.input.take());
        self.ended()
    }

    /// Does what Ctrl-C does and returns its exit code.
    #[cfg(unix)]
    pub fn interrupt(mut self) -> i32 {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &process]).status();
        assert!(sent.unwrap().success());
        self.ended()
    }

    fn ended(&mut self) -> i32 {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            assert!(started.elapsed() < DEADLINE, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
