//! Runs another program within limits: no shell, no endless wait, no flood of output.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What to run, and its limits.
#[derive(Debug, Clone)]
pub struct Run {
    /// The program, as a path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder it runs in.
    pub folder: PathBuf,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// It and everything it started is ended after this time.
    pub time: Duration,
    /// It is ended when it prints more bytes than this.
    pub output: usize,
}

impl Run {
    /// Makes a run of a program that answers questions, in its own folder and without an
    /// environment.
    pub fn worker(program: &Path, subcommand: &str, time: Duration, output: usize) -> Run {
        Run {
            program: program.to_owned(),
            arguments: vec![subcommand.into()],
            folder: program.parent().unwrap_or(Path::new("/")).to_owned(),
            environment: Vec::new(),
            time,
            output,
        }
    }
}

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// The beginning of its error output.
    pub stderr: Vec<u8>,
}

/// Finds a program on the path. One inside the repository is ignored: a path with `.` in it would
/// otherwise run what somebody else wrote.
pub fn find_program(name: &str, repo: &super::Repo) -> Option<PathBuf> {
    let found = which::which(name).ok()?;
    let real = std::fs::canonicalize(&found).ok()?;
    (!real.starts_with(repo.root())).then_some(found)
}

/// Returns the version of the npm package that a program belongs to, from the package's own file:
/// no process is started to ask.
pub fn installed_version(program: &Path) -> Option<String> {
    const MAX_PACKAGE_FILE: u64 = 1024 * 1024;
    let real = std::fs::canonicalize(program).ok()?;
    let package = real
        .ancestors()
        .skip(1)
        .take(3)
        .map(|folder| folder.join("package.json"))
        .find(|file| file.is_file())?;
    let text = super::read_operator_file(&package, MAX_PACKAGE_FILE)
        .ok()?
        .text;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(json.get("version")?.as_str()?.to_owned())
}

/// Returns the environment that Node.js needs: where programs are, and a home without
/// configuration. npm's own settings are passed on, so that `npx` finds the registry and the cache
/// that the user has set.
pub fn path_and_home(home: &Path) -> Vec<(OsString, OsString)> {
    let kept = |name: &OsString| {
        let name = name.to_string_lossy().to_ascii_lowercase();
        name == "path" || name == "systemroot" || name.starts_with("npm_config_")
    };
    let mut environment: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| kept(name)).collect();
    if let Some(user) = std::env::var_os("HOME").map(PathBuf::from) {
        for (name, file) in [
            ("npm_config_cache", ".npm"),
            ("npm_config_userconfig", ".npmrc"),
        ] {
            if std::env::var_os(name).is_none() {
                environment.push((name.into(), user.join(file).into()));
            }
        }
    }
    for name in ["HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"] {
        environment.push((name.into(), home.into()));
    }
    environment
}

/// How many bytes of a program's error output are kept.
const MAX_COMPLAINT: usize = 16 * 1024;

/// How often a running program is checked.
const STEP: Duration = Duration::from_millis(2);

/// Runs a program to its end.
///
/// It runs in a process group of its own, which is ended as a whole when the time is up or too much
/// was printed.
///
/// # Errors
///
/// Says in one line what went wrong: it could not be started, took too long, or printed too much. A
/// non-zero exit status is not an error here.
pub fn run(run: &Run) -> Result<Ran, String> {
    let mut child = start(run, Stdio::null(), Stdio::piped())?;
    let stdout = collect(child.stdout.take(), run.output);
    let stderr = collect(child.stderr.take(), MAX_COMPLAINT);
    let ended = wait(&mut child, run.time, &stdout);
    end(&mut child);
    let status = ended?;
    // A grandchild in another group may hold the pipe open: it is not waited for.
    if stdout.finish(Duration::from_secs(1)).len() > run.output {
        return Err(flood(run.output));
    }
    let mut complaint = stderr.finish(Duration::from_millis(100));
    complaint.truncate(MAX_COMPLAINT);
    Ok(Ran {
        status,
        stderr: complaint,
    })
}

/// Starts a program in a process group of its own; its output is a pipe.
pub(super) fn start(run: &Run, stdin: Stdio, stderr: Stdio) -> Result<Child, String> {
    let mut command = Command::new(&run.program);
    command
        .args(&run.arguments)
        .current_dir(&run.folder)
        .env_clear()
        .envs(run.environment.iter().cloned())
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(stderr);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    crate::memory::unbound(|| command.spawn())
        .map_err(|e| format!("it could not be started: {}", super::read::reason(&e)))
}

/// Ends the program with everything in its process group. One that has ended by itself may have
/// left children behind.
pub(super) fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

pub(super) fn flood(limit: usize) -> String {
    format!("it printed more than {} MiB", limit / (1024 * 1024))
}

pub(super) fn late(time: Duration) -> String {
    format!("it took longer than {} s", time.as_secs())
}

fn wait(child: &mut Child, time: Duration, stdout: &Collector) -> Result<ExitStatus, String> {
    let end = Instant::now() + time;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(e) => return Err(format!("it was lost: {}", super::read::reason(&e))),
        }
        if stdout.is_over() {
            return Err(flood(stdout.limit));
        }
        if Instant::now() >= end {
            return Err(late(time));
        }
        thread::sleep(STEP);
    }
}

/// Reads a pipe in the background, at most one byte more than its limit.
struct Collector {
    limit: usize,
    over: mpsc::Receiver<()>,
    bytes: mpsc::Receiver<Vec<u8>>,
}

impl Collector {
    fn is_over(&self) -> bool {
        self.over.try_recv().is_ok()
    }

    fn finish(self, patience: Duration) -> Vec<u8> {
        self.bytes.recv_timeout(patience).unwrap_or_default()
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>, limit: usize) -> Collector {
    let (tell_over, over) = mpsc::channel();
    let (hand_in, bytes) = mpsc::channel();
    thread::spawn(move || {
        let mut all = Vec::new();
        let Some(mut pipe) = pipe else { return };
        let _ = pipe.by_ref().take(limit as u64 + 1).read_to_end(&mut all);
        if all.len() > limit {
            let _ = tell_over.send(());
        }
        let _ = hand_in.send(all);
        // A closed pipe would end a program that only talks much.
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    });
    Collector { limit, over, bytes }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    impl Run {
        /// Makes a run of a shell script.
        pub fn script(script: &str, time: Duration, output: usize) -> Run {
            Run {
                program: "/bin/sh".into(),
                arguments: vec!["-c".into(), script.into()],
                folder: "/".into(),
                environment: Vec::new(),
                time,
                output,
            }
        }
    }

    fn sh(script: &str, time: Duration, output: usize) -> Result<Ran, String> {
        run(&Run::script(script, time, output))
    }

    #[test]
    fn a_program_gets_nothing_of_our_input_and_environment() {
        let script = "cat >&2; echo $HOME >&2; exit 3";
        let ran = sh(script, Duration::from_secs(5), 100).unwrap();
        assert_eq!(ran.status.code(), Some(3));
        assert_eq!(ran.stderr, b"\n");
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_its_children() {
        let started = Instant::now();
        let error = sh("sleep 30 & sleep 30", Duration::from_millis(200), 100).unwrap_err();
        assert!(error.contains("longer than"), "{error}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_program_that_floods_is_ended() {
        let error = sh(
            "while :; do echo flood; done",
            Duration::from_secs(20),
            1000,
        )
        .unwrap_err();
        assert!(error.contains("printed more"), "{error}");
    }
}
