//! Hostile repositories, and every command on each of them: no panic, no hang, no
//! escape, no program started, and bounded memory.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "a test that cannot be set up has failed"
)]

mod asked;
mod files;
mod git;
#[cfg(feature = "languages")]
mod grammars;
mod imports;
#[path = "../it/project.rs"]
#[expect(
    dead_code,
    reason = "the other tests have it too, and use the rest of it"
)]
mod project;
mod texts;

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use git2::Repository;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::project::{Output, Project, words};

/// No command may take more memory, in bytes.
const MEMORY: u64 = 100_000_000;

/// No command may take more processor time, built without optimisation. One that waits
/// hangs after `DEADLINE`.
const TIME: Duration = Duration::from_secs(20);

/// What lies outside and must not come out.
const CANARY: &str = "CANARY";

/// Where a program could be started, it would make a file of this name.
const STARTED: &str = "STARTED";

/// A role that asks for everything.
const ROLE: &str = "\
context:
  include: ['**', $TARGET_IMPORTS, $CHANGED_FILES, src/, '*.rs']
  always_include: [always.md, src/always.rs]
  git_diff: true
  related: true
  conventions: true
  project_context: true
  tree: true
  token_budget: 200000
";

const ISSUE: &str =
    r#"{"number": 1, "title": "x", "body": "see src/a.rs:1, src/b.rs and ../secret.rs"}"#;

const ERRORS: &str = r#"{"stages": [{"name": "check", "errors": [
  {"file": "src/a.rs", "line": 1, "message": "m"}, {"file": "src/b.rs", "line": 2, "message": "m"},
  {"file": "../secret.rs", "line": 1, "message": "m"}, {"file": "/etc/passwd", "line": 1, "message": "m"}]}]}"#;

const COMMANDS: [&str; 19] = [
    "render implement.j2 --role implementer --task 'Mend a.' --target src/a.rs --target src/b.rs",
    "render review_strict.j2 --role everything --task 'Review a.' --target src/b.rs",
    "render planning.j2 --role planner --task 'Plan `src/b.rs`.' --format json",
    "prompt --role reviewer --task 'Review a.' --target src/a.rs --budget 2000",
    "pack --role everything --style xml --explain",
    "pack --role everything --engine repomix --target src",
    "read src/a.rs src/b.rs b.rs ../secret.rs src/b.rs/c .git/config --style xml",
    "read src/b.rs AGENTS.md --include ../tasks.md --filter *.rs,*.md --style json",
    "read src/b.rs --style assign",
    "dump",
    "dump --style xml src *.md **/*.rs",
    "context",
    "context --format json --budget 300",
    "build implementation --task-file ../tasks.md",
    "build review --base base",
    "build review --base HEAD --worktree",
    "build fix --errors ../errors.json",
    "build issue --issue ../issue.json",
    "roles check",
];

/// Those of them that go through all files, for what takes them some seconds each.
const WALKS: [&str; 6] = [
    "render implement.j2 --role implementer --task 'Mend a.' --target src/a.rs",
    "render planning.j2 --role planner --task 'Plan `src/b.rs`.' --format json",
    "pack --role everything --explain",
    "pack --role reviewer --worktree",
    "dump",
    "read many/** --filter *.py",
];

/// A repository with a commit on a branch `base`, staged changes and a role, before
/// anything hostile is in it.
fn plain() -> Project {
    let project = Project::new()
        .file("src/a.rs", "use crate::b;\n\nfn a() {}\n")
        .file("src/b.rs", "fn b() {}\n")
        .file("always.md", "# Always\n")
        .file("AGENTS.md", "# Conventions\n")
        .file(".context/TASKS.md", "# Tasks\n\n- [ ] one\n")
        .role("everything", ROLE)
        .commit()
        .branch("base");
    let project = project
        .file("src/a.rs", "use crate::b;\n\nfn a2() {}\n")
        .commit();
    let project = project.file("src/a.rs", "use crate::b;\n\nfn a3() {}\n");
    project.stage();
    for (name, text) in [
        ("secret.rs", CANARY),
        ("tasks.md", "# Tasks\n"),
        ("issue.json", ISSUE),
        ("errors.json", ERRORS),
    ] {
        fs::write(project.outside().join(name), text).unwrap();
    }
    project
}

/// Runs a command, and once more if it took too much memory: while another test of this process
/// makes a large text, the system may count that for a child. What a command takes by itself it
/// takes again.
fn measured(run: impl Fn() -> Output) -> Output {
    let output = run();
    if output.peak < MEMORY { output } else { run() }
}

/// Runs every command and looks at what came of it.
fn survives(name: &str, project: &Project) {
    survives_each(name, project, &COMMANDS);
}

/// Runs these commands and looks at what came of them; gives what they warn of.
fn survives_each(name: &str, project: &Project, commands: &[&str]) -> Vec<String> {
    let mut warnings = Vec::new();
    for command in commands {
        let environment = [("PACKER_CANARY", CANARY)];
        let output = measured(|| project.run_with_variables(words(command), &environment));
        let what = format!("{name}: {command}: {}", output.stderr);
        assert!(
            (0..=2).contains(&output.code),
            "{} from {what}",
            output.code
        );
        assert!(!output.stderr.contains("panicked"), "{what}");
        assert!(!output.stdout.contains(CANARY), "{what}\n{}", output.stdout);
        assert!(!output.stderr.contains(CANARY), "{what}");
        assert!(output.peak < MEMORY, "{} bytes for {what}", output.peak);
        assert!(output.took < TIME, "{:?} for {what}", output.took);
        warnings.push(output.stderr);
    }
    assert!(
        !project.outside().join(STARTED).exists(),
        "{name}: a program was started"
    );
    assert!(
        !project.root().join(STARTED).exists(),
        "{name}: a program was started"
    );
    warnings
}

/// Replaces what the commands read by something that `make` puts there.
fn replaced(make: impl Fn(&Path)) -> Project {
    let project = plain();
    for path in [
        "src/b.rs",
        "always.md",
        "AGENTS.md",
        ".context/TASKS.md",
        ".context/x.md",
        ".gitignore",
        "src/.gitignore",
        ".gitattributes",
        ".ignore",
        "Cargo.toml",
        "package.json",
        "tsconfig.json",
        "go.mod",
        ".packer/roles/other.yaml",
        "repomix.config.json",
    ] {
        let path = project.root().join(path);
        let _ = fs::remove_file(&path);
        make(&path);
    }
    project
}

/// The same with the files of git.
fn with_git_replaced(file: &str, make: impl Fn(&Path)) -> Project {
    let project = plain();
    let path = project.root().join(".git").join(file);
    if path.is_dir() {
        fs::remove_dir_all(&path).unwrap();
    } else {
        let _ = fs::remove_file(&path);
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    make(&path);
    project
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

fn sparse(path: &Path) {
    File::create(path).unwrap().set_len(3 << 30).unwrap();
}

/// Looks at what came of one command that had hostile input.
fn sane(name: &str, output: &Output) {
    let shown: String = output.stderr.chars().take(2000).collect();
    assert!(
        (0..=1).contains(&output.code) && !output.stderr.contains("panicked"),
        "{name}: {shown}"
    );
    assert!(output.peak < MEMORY, "{name}: {} bytes", output.peak);
    assert!(output.took < TIME, "{name}: {:?}", output.took);
}
