//! The language of the tests: a repository, a role, a run, and what came out.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use context_packer::{ContextPacker, Role, Roles};
pub use serde_json::Value as Json;
use tempfile::TempDir;
use wait4::Wait4 as _;

/// A repository in a temporary folder, with an empty home beside it.
pub struct Project {
    folder: TempDir,
}

/// What a run of the command left behind.
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    /// The exit code; -1 if a signal ended it.
    pub code: i32,
    /// The most memory that the process had at once, in bytes. One that it waited for
    /// counts too where it had well over what the tests have themselves.
    pub peak: u64,
    /// The processor time of the process and of those that it waited for. What waits
    /// without working is found by [`DEADLINE`].
    pub took: Duration,
}

/// The system's two figures for the most memory of one process differ: it adds up its
/// counters of pages processor by processor, in batches, and the parent's go on changing
/// between the two. So far apart, they are of two processes.
const INEXACT: u64 = 16 * 1024 * 1024;

/// A command that takes longer hangs.
const DEADLINE: Duration = Duration::from_secs(60);

impl Project {
    pub fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("repo")).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Project { folder }
    }

    /// The repository.
    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path().join("repo")).unwrap()
    }

    /// A folder beside the repository.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(self, path: &str, text: impl AsRef<[u8]>) -> Project {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    #[cfg(unix)]
    pub fn link(self, target: &str, path: &str) -> Project {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    /// Writes `.packer/roles/NAME.yaml` with the fields that every role needs and
    /// these.
    pub fn role(self, name: &str, fields: &str) -> Project {
        let yaml = format!("name: {name}\ndescription: d\nsystem_prompt: You test.\n{fields}\n");
        self.file(&format!(".packer/roles/{name}.yaml"), yaml)
    }

    /// Makes a git repository of it and commits everything.
    pub fn commit(self) -> Project {
        let repository = git2::Repository::init(self.root()).unwrap();
        self.stage();
        let mut index = repository.index().unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let time = git2::Time::new(1_700_000_000, 0);
        let author = git2::Signature::new("A. Tester", "a@example.org", &time).unwrap();
        let parent = repository
            .head()
            .ok()
            .and_then(|head| head.peel_to_commit().ok());
        let parents: Vec<_> = parent.iter().collect();
        repository
            .commit(Some("HEAD"), &author, &author, "A commit", &tree, &parents)
            .unwrap();
        self
    }

    /// Makes a branch at HEAD, or moves it there.
    pub fn branch(self, name: &str) -> Project {
        let repository = self.repository();
        let head = repository.head().unwrap().peel_to_commit().unwrap();
        repository.branch(name, &head, true).unwrap();
        self
    }

    /// What was committed, through git's library.
    pub fn repository(&self) -> git2::Repository {
        git2::Repository::open(self.root()).unwrap()
    }

    /// Stages everything, deletions included.
    pub fn stage(&self) -> &Project {
        let repository = git2::Repository::init(self.root()).unwrap();
        let mut index = repository.index().unwrap();
        index
            .add_all(["*"], git2::IndexAddOption::DEFAULT, None)
            .unwrap();
        index.update_all(["*"], None).unwrap();
        index.write().unwrap();
        self
    }

    /// Puts a text into the index as it is: to stage a file would match the patterns of
    /// attributes.
    pub fn stage_as_it_is(&self, path: &str, text: &str) {
        let repository = git2::Repository::init(self.root()).unwrap();
        let mut index = repository.index().unwrap();
        let never = git2::IndexTime::new(0, 0);
        let entry = git2::IndexEntry {
            ctime: never,
            mtime: never,
            dev: 0,
            ino: 0,
            mode: 0o100_644,
            uid: 0,
            gid: 0,
            file_size: 0,
            id: repository.blob(text.as_bytes()).unwrap(),
            flags: 0,
            flags_extended: 0,
            path: path.into(),
        };
        index.add(&entry).unwrap();
        index.write().unwrap();
    }

    /// The built command in the repository, with nothing of who started the tests.
    pub fn command(&self) -> Command {
        self.in_repository(env!("CARGO_BIN_EXE_packer"))
    }

    /// Some program there, likewise.
    pub fn in_repository(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.folder.path().join("home"));
        command
    }

    /// Runs the built command in the repository.
    pub fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Output {
        self.ran(arguments, b"", &[])
    }

    /// The same with this on standard input.
    pub fn run_with_input<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        input: &(impl AsRef<[u8]> + ?Sized),
    ) -> Output {
        self.ran(arguments, input.as_ref(), &[])
    }

    /// The same with these variables.
    pub fn run_with_variables<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        environment: &[(&str, &str)],
    ) -> Output {
        self.ran(arguments, b"", environment)
    }

    fn ran<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
        input: &[u8],
        environment: &[(&str, &str)],
    ) -> Output {
        let arguments: Vec<&str> = arguments.into_iter().collect();
        let started = Instant::now();
        let mut child = self
            .command()
            .args(&arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input closes the pipe.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input);
        let stdout = collect(child.stdout.take().unwrap());
        let stderr = collect(child.stderr.take().unwrap());
        // The system counts for a child what its parent had when it was started.
        let inherited = high_water("self");
        let mut seen = 0;
        let used = loop {
            seen = seen.max(high_water(&child.id().to_string()));
            if let Some(used) = child.try_wait4().unwrap() {
                break used;
            }
            if started.elapsed() > DEADLINE {
                child.kill().unwrap();
                panic!("it hangs: {arguments:?}");
            }
            thread::sleep(Duration::from_millis(1));
        };
        let took = used.rusage.utime + used.rusage.stime;
        let folder = fs::canonicalize(self.folder.path()).unwrap();
        let text = |bytes| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(folder.to_str().unwrap(), "TEMP")
                .replace(self.folder.path().to_str().unwrap(), "TEMP")
        };
        Output {
            stdout: text(stdout.join().unwrap()),
            stderr: text(stderr.join().unwrap()),
            code: used.status.code().unwrap_or(-1),
            // What the child had from its parent says nothing of the child: then what was
            // seen while it ran counts, every millisecond.
            peak: if used.rusage.maxrss > inherited + INEXACT {
                used.rusage.maxrss
            } else {
                seen
            },
            took,
        }
    }

    /// Runs a command with `--format json` and reads what it prints.
    pub fn json<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Json {
        let arguments = arguments.into_iter().chain(["--format", "json"]);
        self.run(arguments).succeeds().json()
    }

    /// What builds prompts of the repository, through the library.
    pub fn packer(&self) -> ContextPacker {
        ContextPacker::open(self.root()).unwrap()
    }

    /// The repository's role of this name, likewise.
    pub fn load(&self, role: &str) -> Role {
        Roles::built_in()
            .repository(&self.root())
            .load(role)
            .unwrap()
    }
}

/// The arguments of a command as a person writes them; between `'` a text may have blanks.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split('\'').enumerate().flat_map(|(at, part)| {
        let is_quoted = at % 2 == 1;
        let parts = part.split(move |c| c == ' ' && !is_quoted);
        parts.filter(move |part| is_quoted || !part.is_empty())
    })
}

/// The most memory that a process had at once, in bytes; 0 where the system does not
/// tell.
pub fn high_water(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

impl Output {
    #[track_caller]
    pub fn succeeds(self) -> Output {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    #[track_caller]
    pub fn fails(self, code: i32) -> Output {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn stdout_contains(self, text: &str) -> Output {
        assert!(
            self.stdout.contains(text),
            "no {text:?} in:\n{}",
            self.stdout
        );
        self
    }

    #[track_caller]
    pub fn stdout_lacks(self, text: &str) -> Output {
        assert!(!self.stdout.contains(text), "{text:?} in:\n{}", self.stdout);
        self
    }

    #[track_caller]
    pub fn stderr_contains(self, text: &str) -> Output {
        assert!(
            self.stderr.contains(text),
            "no {text:?} in:\n{}",
            self.stderr
        );
        self
    }

    /// What it printed, read as JSON.
    #[track_caller]
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap()
    }

    #[track_caller]
    pub fn says_nothing(self) -> Output {
        assert_eq!(self.stderr, "");
        self
    }
}
