//! Asks repomix, an external packer, which files the globs match.
//!
//! It runs in a temporary folder with an empty configuration and takes the repository as an
//! argument. repomix and npm look for configuration and programs where they run, and a repository
//! could name some. Nothing is written into the repository. Only the list of files is taken from
//! its output, and packer reads the files: repomix trims texts, and silently leaves out what is not
//! UTF-8. packer also applies the ignore rules: repomix reads them without regard to case, through
//! links, and from folders above the repository. If anything goes wrong, packer packs the files
//! itself; it never fails.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::{MAX_FILE, MAX_TOTAL};
use crate::repo::command::{Run, find_program, installed_version, path_and_home, run};
use crate::repo::{Found, Repo, RepoPath, Visitor, read_regular_file, scratch_folder};
use crate::role::pattern::Globs;
use crate::settings::Engine;

/// The version of repomix that is used: the newest that the tests pass with and that runs on
/// Node.js 20.
pub(super) const PIN: &str = "1.14.0";

/// It is ended after this time.
const TIME: Duration = Duration::from_secs(60);

/// Its output is read up to this many bytes.
const MAX_OUTPUT: u64 = 20 * 1024 * 1024;

/// The most ignored folders that are passed to it; it enters any others in vain.
const MAX_IGNORED: usize = 500;

/// The most bytes that are kept of its messages.
const MAX_CHATTER: usize = 1024 * 1024;

/// How to start repomix.
pub(super) struct Program {
    run: Run,
}

/// Finds the program for an engine; `Ok(None)` if packer itself is to pack. npx may download, so it
/// is started only if the caller, and not just a role, asks for repomix.
///
/// # Errors
///
/// A message that says why the requested repomix is not available.
pub(super) fn find(
    engine: Engine,
    by_caller: bool,
    repo: &Repo,
) -> Result<Option<Program>, String> {
    if engine == Engine::Native {
        return Ok(None);
    }
    let prepare = |program, arguments: &[String]| Program {
        run: Run {
            program,
            arguments: arguments.iter().map(OsString::from).collect(),
            folder: PathBuf::new(),
            environment: Vec::new(),
            time: TIME,
            output: MAX_CHATTER,
        },
    };
    let installed = find_program("repomix", repo);
    let version = installed.as_deref().and_then(installed_version);
    if let Some(program) = installed.filter(|_| version.as_deref() == Some(PIN)) {
        return Ok(Some(prepare(program, &[])));
    }
    if engine == Engine::Auto {
        return Ok(None);
    }
    match find_program("npx", repo).filter(|_| by_caller) {
        Some(npx) => Ok(Some(prepare(
            npx,
            &["--yes".into(), format!("repomix@{PIN}")],
        ))),
        None => {
            let there = version.map_or_else(
                || "it is not installed".to_owned(),
                |version| format!("version {version} is installed"),
            );
            let npx = if by_caller {
                "there is no npx to fetch it"
            } else {
                "a role cannot have it fetched, only `--engine repomix` can"
            };
            Err(format!("version {PIN} is needed, {there}, and {npx}"))
        }
    }
}

/// Whether repomix can be asked for this glob. Its lists are separated by commas, and most other
/// signs mean something else to it: `!`, `(`, `[`, `{`, even `?`.
pub(super) fn can_pass(glob: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "*/._-".contains(c);
    !glob.is_empty() && glob.chars().all(plain) && !glob.contains("***")
}

/// Whether repomix could list this file: its `**` does not cross a line break.
pub(super) fn can_list(path: &RepoPath) -> bool {
    !path.as_str().contains(['\n', '\r', '\u{2028}', '\u{2029}'])
}

/// Checks that repomix can be used for this repository, and finds the ignored folders that it
/// should skip.
///
/// # Errors
///
/// A message that says why not: it would obey a `.repomixignore`, which nothing turns off, and it
/// reads every file whole and counts its tokens, which takes it a minute for files that packer
/// would not pack anyway.
pub(super) fn survey(repo: &Repo, globs: &Globs) -> Result<Vec<String>, String> {
    let mut survey = Survey {
        repo,
        globs,
        ignored: Vec::new(),
        total: 0,
        configured: false,
    };
    if survey.enter(&RepoPath::root()) {
        repo.walk(&RepoPath::root(), &mut survey);
    }
    if survey.configured {
        return Err("a `.repomixignore` would decide what it lists".into());
    }
    if survey.total > MAX_TOTAL {
        let mib = MAX_TOTAL / (1024 * 1024);
        return Err(format!("the globs match more than {mib} MiB"));
    }
    Ok(survey.ignored)
}

struct Survey<'a> {
    repo: &'a Repo,
    globs: &'a Globs,
    ignored: Vec<String>,
    total: u64,
    configured: bool,
}

impl Visitor for Survey<'_> {
    fn enter(&mut self, folder: &RepoPath) -> bool {
        let rules = self
            .repo
            .root()
            .join(folder.entry(".repomixignore").as_str());
        self.configured |= rules.symlink_metadata().is_ok();
        !self.configured && self.total <= MAX_TOTAL
    }

    fn found(&mut self, found: Found) {
        if !found.link && self.globs.is_match(found.path.as_str()) {
            self.total += self.repo.size(&found.path).unwrap_or_default();
        }
    }

    fn ignored(&mut self, folder: &RepoPath) {
        let folder = folder.as_str();
        if self.ignored.len() < MAX_IGNORED && can_pass(folder) && !folder.contains('*') {
            self.ignored.push(folder.to_owned());
        }
    }
}

impl Program {
    /// Lists what the globs match and `exclude` does not.
    ///
    /// # Errors
    ///
    /// Says in one line what went wrong.
    pub(super) fn list(
        mut self,
        repo: &Repo,
        globs: &[&str],
        exclude: &[&str],
    ) -> Result<HashSet<RepoPath>, String> {
        let scratch = scratch_folder()?;
        let output = scratch.path().join("packed.xml");
        let configuration = scratch.path().join("repomix.config.json");
        // npm takes the nearest folder with a `package.json` for its project.
        let project = scratch.path().join("package.json");
        let settings = format!(r#"{{"input": {{"maxFileSize": {MAX_FILE}}}}}"#);
        for (file, text) in [(&configuration, settings.as_str()), (&project, "{}")] {
            crate::repo::write_whole(file, text).map_err(|e| e.to_string())?;
        }
        let mut arguments: Vec<OsString> = [
            "--style",
            "xml",
            "--parsable-style",
            "--no-file-summary",
            "--no-directory-structure",
            "--no-default-patterns",
            "--no-gitignore",
            "--no-dot-ignore",
            "--no-git-sort-by-changes",
            "--no-security-check",
            "--quiet",
        ]
        .map(OsString::from)
        .to_vec();
        arguments.extend(["--config".into(), configuration.into_os_string()]);
        arguments.extend(["--output".into(), output.clone().into_os_string()]);
        arguments.push(format!("--include={}", globs.join(",")).into());
        let ignore = [&["**/.git"], exclude].concat();
        arguments.push(format!("--ignore={}", ignore.join(",")).into());
        arguments.push(repo.root().into());
        self.run.arguments.append(&mut arguments);
        scratch.path().clone_into(&mut self.run.folder);
        self.run.environment = path_and_home(scratch.path());
        let ran = run(&self.run)?;
        if !ran.status.success() {
            return Err(format!("it failed: {}", complaint(&ran.stderr)));
        }
        let file = read_regular_file(&output, MAX_OUTPUT)
            .map_err(|_| "it left no readable output of an acceptable size".to_owned())?;
        parse(&file.text)
    }
}

/// Returns the beginning of a program's error output.
fn complaint(stderr: &[u8]) -> String {
    const LONGEST: usize = 200;
    let text = String::from_utf8_lossy(stderr);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let first: String = first
        .unwrap_or("without a word")
        .chars()
        .take(LONGEST)
        .collect();
    crate::show::quoted(&first).into_owned()
}

/// Takes the paths of the `<file path="…">` elements. With `--parsable-style` a text cannot contain
/// a `<` of its own, so only repomix can have written a tag.
fn parse(xml: &str) -> Result<HashSet<RepoPath>, String> {
    let unexpected = |what: &str| format!("its output cannot be read: {what}");
    if !xml.trim_end().ends_with("</repomix>") {
        return Err(unexpected("its end is missing"));
    }
    let mut files = HashSet::new();
    let mut rest = xml;
    while let Some(at) = rest.find("<file path=\"") {
        rest = &rest[at + "<file path=\"".len()..];
        let (path, after) = rest
            .split_once("\">")
            .ok_or_else(|| unexpected("a tag is open"))?;
        let end = after
            .find('<')
            .ok_or_else(|| unexpected("an element is open"))?;
        if !after[end..].starts_with("</file>") {
            return Err(unexpected("an element stands inside a file"));
        }
        let path = unescape(path).ok_or_else(|| unexpected("an unknown entity"))?;
        files.insert(RepoPath::parse(&path).map_err(|why| unexpected(&why.to_string()))?);
        rest = &after[end..];
    }
    Ok(files)
}

/// Resolves XML entities; `None` for one that XML does not have.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        plain.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';')?;
        plain.push(match entity {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        });
        rest = after;
    }
    plain.push_str(rest);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_name_files() {
        let xml = "<repomix><files>Intro<file path=\"a&amp;b.rs\">if a &lt; b {&#10;}</file>\
                   <file path=\"c.rs\"></file></files></repomix>";
        let path = |text| RepoPath::parse(text).unwrap();
        assert_eq!(
            parse(xml),
            Ok(HashSet::from([path("a&b.rs"), path("c.rs")]))
        );
    }

    #[test]
    fn damaged_output_is_refused() {
        for xml in [
            "<repomix><file path=\"a\">x</file>",
            "<repomix><file path=\"a\">x<b></file></repomix>",
            "<repomix><file path=\"../a\">x</file></repomix>",
            "<repomix><file path=\"a&nope;\">x</file></repomix>",
        ] {
            assert!(parse(xml).is_err(), "{xml}");
        }
    }

    #[test]
    fn a_glob_that_could_mean_something_else_is_not_passed_on() {
        for glob in [
            "**/*.rs",
            "src/**",
            "docs/*/a-b_c.md",
            ".github/**/*.yml",
            "é*",
        ] {
            assert!(can_pass(glob), "{glob}");
        }
        for glob in [
            "a,b*", "a\nb*", "[ab]*", "{a,b}*", "{a}*", "!a*", "a?", "(a)*", "a\\*", "a b*", "***",
            "",
        ] {
            assert!(!can_pass(glob), "{glob}");
        }
    }

    #[cfg(unix)]
    mod unruly {
        use std::time::Instant;

        use super::*;

        /// Runs a script in place of repomix for at most a second. The file `ids` beside it lists
        /// the processes that it started; none of them is left.
        fn list(script: &str) -> Result<HashSet<RepoPath>, String> {
            let folder = tempfile::tempdir().unwrap();
            let ids = folder.path().join("ids");
            let repo = Repo::open(folder.path()).unwrap();
            let start = format!(
                "ids='{}'; echo $$ >> \"$ids\"; \
                 while [ $# -gt 0 ]; do [ \"$1\" = --output ] && out=$2; shift; done\n",
                ids.display()
            );
            let program = Program {
                run: Run {
                    program: "/bin/sh".into(),
                    arguments: ["-c".into(), (start + script).into(), "repomix".into()].into(),
                    folder: PathBuf::new(),
                    environment: Vec::new(),
                    time: Duration::from_secs(1),
                    output: MAX_CHATTER,
                },
            };
            let started = Instant::now();
            let listed = program.list(&repo, &["**/*.rs"], &[]);
            let took = started.elapsed();
            assert!(took < Duration::from_secs(10), "{script}: {took:?}");
            let ids = std::fs::read_to_string(ids).unwrap();
            for id in ids.lines() {
                let ended = || !is_running(id.parse().unwrap());
                while !ended() {
                    assert!(started.elapsed() < Duration::from_secs(20), "{script}");
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
            listed
        }

        fn is_running(id: i32) -> bool {
            let id = rustix::process::Pid::from_raw(id).unwrap();
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()));
            // A process that nobody has asked about yet is a zombie.
            rustix::process::test_kill_process(id).is_ok()
                && !stat.is_ok_and(|stat| stat.contains(") Z "))
        }

        #[test]
        fn a_program_without_end_is_ended_with_all_it_started() {
            for script in [
                "sleep 60",
                "trap '' TERM INT HUP; sleep 60 & echo $! >> \"$ids\"; while :; do sleep 60; done",
                "while :; do echo flood >&2; done",
                "while :; do echo flood >> \"$out\"; done",
                "(trap '' HUP; sleep 60) & echo $! >> \"$ids\"; wait",
            ] {
                let why = list(script).unwrap_err();
                assert!(why.contains("took longer than 1 s"), "{script}: {why}");
            }
        }

        #[test]
        fn a_child_that_holds_the_pipes_is_neither_waited_for_nor_left() {
            let started = Instant::now();
            let script = "sleep 60 & echo $! >> \"$ids\"; echo '<repomix></repomix>' > \"$out\"";
            assert_eq!(list(script), Ok(HashSet::new()));
            assert!(started.elapsed() < Duration::from_secs(1));
        }

        #[test]
        fn an_output_that_is_no_file_is_not_waited_for() {
            let why = list("mkfifo \"$out\"").unwrap_err();
            assert!(why.contains("no readable output"), "{why}");
        }

        #[test]
        fn a_long_complaint_is_cut() {
            let why = list("while [ ${#a} -lt 9000 ]; do a=x$a; done; echo $a >&2; exit 1");
            assert_eq!(why.unwrap_err().len(), "it failed: ".len() + 200);
        }
    }
}
