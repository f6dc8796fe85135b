//! What `docs/hardening.md` promises, and that the tests it names are there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::project::Project;

/// The names of all tests, as they are listed: `module::test`.
pub fn tests() -> Vec<String> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    for (folder, binary) in [
        ("src", None),
        ("tests/it", None),
        ("tests/corpus", Some("corpus")),
    ] {
        let mut files = Vec::new();
        collect(&root.join(folder), &mut files);
        for file in files {
            let module = file
                .strip_prefix(root.join(folder))
                .unwrap()
                .with_extension("");
            let parts = module.iter().map(|part| part.to_str().unwrap());
            let mut modules: Vec<String> = binary
                .into_iter()
                .chain(parts)
                .filter(|part| *part != "mod")
                .map(str::to_owned)
                .collect();
            let text = fs::read_to_string(&file).unwrap();
            let base = modules.len();
            let mut is_test = false;
            for line in text.lines() {
                let indent = line.len() - line.trim_start().len();
                let line = line.trim_start();
                if let Some(name) = line
                    .strip_prefix("mod ")
                    .and_then(|rest| rest.strip_suffix(" {"))
                {
                    modules.truncate(base + indent / 4);
                    modules.push(name.to_owned());
                } else if line == "#[test]" || line == "proptest! {" {
                    is_test = true;
                } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| is_test) {
                    let name = rest.split('(').next().unwrap();
                    names.push(format!("{}::{name}", modules.join("::")));
                }
            }
        }
    }
    names
}

#[test]
fn every_test_that_is_named_exists() {
    let page = include_str!("../../docs/hardening.md");
    let names = tests();
    let mut named = 0;
    for row in page
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("::"))
    {
        let cell = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for name in cell.split(", ").map(|name| name.trim_matches('`')) {
            named += 1;
            assert!(names.iter().any(|known| known == name), "no test `{name}`");
        }
    }
    assert!(named > 50, "{named}");
}

/// Everything below a folder, with its content.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                files.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn no_command_changes_a_repository() {
    let project = Project::new()
        .file("src/a.rs", "fn a() {}\n")
        .file(".context/TASKS.md", "# Tasks\n")
        .role(
            "r",
            "context: {include: ['**'], git_diff: true, related: true, tree: true}",
        )
        .commit()
        .file("src/a.rs", "fn b() {}\n");
    project.stage();
    let project = project.file("src/a.rs", "fn c() {}\n");
    let before = snapshot(&project.root());
    let commands: [&[&str]; 9] = [
        &[
            "render",
            "implement.j2",
            "--role",
            "implementer",
            "--task",
            "t",
            "--target",
            "src/a.rs",
        ],
        &["prompt", "--role", "r", "--task", "t"],
        &["pack", "--role", "r", "--engine", "repomix"],
        &["read", "src/a.rs"],
        &["context"],
        &["build", "review", "--base", "HEAD", "--worktree"],
        &["build", "implementation", "--task-file", "src/a.rs"],
        &["roles", "check"],
        &["templates", "check"],
    ];
    for command in commands {
        project.run(command.iter().copied());
        assert!(
            snapshot(&project.root()) == before,
            "{command:?} changed something"
        );
    }
}

#[cfg(unix)]
#[test]
fn arguments_may_be_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let project = Project::new().file("a.rs", "fn a() {}\n");
    let odd = OsStr::from_bytes(b"\xff\xfe\n\x1b[31m");
    for arguments in [
        vec![odd],
        vec![OsStr::new("read"), odd],
        vec![OsStr::new("read"), OsStr::new("--include"), odd],
        vec![
            OsStr::new("read"),
            OsStr::new("--filter"),
            odd,
            OsStr::new("a.rs"),
        ],
        vec![OsStr::new("pack"), OsStr::new("--role"), odd],
        vec![
            OsStr::new("pack"),
            OsStr::new("--role"),
            OsStr::new("planner"),
            OsStr::new("--target"),
            odd,
        ],
        vec![
            OsStr::new("render"),
            odd,
            OsStr::new("--role"),
            OsStr::new("planner"),
        ],
        vec![
            OsStr::new("prompt"),
            OsStr::new("--role"),
            OsStr::new("planner"),
            OsStr::new("--task"),
            odd,
        ],
        vec![OsStr::new("context"), OsStr::new("-C"), odd],
        vec![
            OsStr::new("build"),
            OsStr::new("review"),
            OsStr::new("--base"),
            odd,
        ],
        vec![OsStr::new("tokens"), odd],
    ] {
        let output = project.command().args(&arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0..=2)),
            "{arguments:?}: {said}"
        );
        assert!(
            !said.contains("panicked") && !said.contains('\u{1b}'),
            "{arguments:?}: {said}"
        );
    }
}
