//! What the documents have their reader type works: every line of `sh` that starts `packer`
//! is run, from top to bottom, in a repository that has what it names. What stands in
//! `console` is compared with what it prints, by `readme` and `guides`. Every other line of
//! `sh` is in a table that says what tries it.

use std::path::Path;
use std::process::Command;

use crate::project::Project;
use crate::readme::{blocks, example, read};

/// Every document that has commands.
pub fn documents() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let names = std::fs::read_dir(docs).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"));
    let mut all: Vec<String> = pages.map(|name| format!("docs/{name}")).collect();
    all.extend(["README.md", "CONTRIBUTING.md"].map(str::to_owned));
    all.sort();
    all
}

/// The lines of a document's `sh`, without remarks.
fn lines(document: &str) -> Vec<String> {
    let blocks = blocks(&read(document), "sh");
    let lines = blocks.iter().map(|block| block.replace("\\\n", " "));
    let lines = lines.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    let lines = lines.filter(|line| !line.trim().is_empty());
    lines.collect()
}

fn is_of_packer(line: &str) -> bool {
    line.starts_with("packer ") || line.contains("| packer ")
}

/// The lines that start `packer`, and what they are fed by.
fn commands(document: &str) -> Vec<String> {
    let lines = lines(document);
    lines
        .iter()
        .filter(|line| is_of_packer(line))
        .map(|line| {
            line.replace("cargo check --message-format=json", "cat messages.json")
                // Nobody is there to be asked.
                .replace("packer trust ", "packer trust --yes ")
        })
        .collect()
}

/// A repository with all that the documents name.
fn repository() -> Project {
    let role = |name: &str| {
        format!(
            "name: {name}\ndescription: Audits.\nextends: reviewer\ncontext: {{git_diff: false}}\n"
        )
    };
    let message = "{\"reason\":\"compiler-message\",\"message\":{\"message\":\"expected `String`\",\
        \"level\":\"error\",\"code\":null,\"spans\":[{\"file_name\":\"src/main.rs\",\"line_start\":4,\
        \"is_primary\":true}]}}\n";
    example()
        .file("Cargo.toml", "[package]\nname = \"greet\"\n")
        .file("README.md", "# Greet\n")
        .file("notes.md", "Greet politely.\n")
        .file("messages.json", message)
        .file("src/a.rs", "pub fn a() {}\n")
        .file("src/config.rs", "pub struct Config;\n")
        .file("src/options.rs", "pub struct Options;\n")
        .file("prompts/fix.j2", "{{ task }}\n")
        .file(".packer/roles/auditor.yaml", role("auditor"))
        .file(
            ".packer/roles/security-auditor.yaml",
            role("security-auditor"),
        )
        .file(
            ".packer/tests/new-flag.yaml",
            "request: {role: auditor, task: Add a flag}\n",
        )
        .file("../home/.local/share/bash-completion/completions/x", "")
        .file("../home/.local/share/man/man1/x", "")
        .commit()
}

/// How the lines begin that start something else than `packer`, the file that tries such a
/// command, and what stands in it then.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("cargo run -- render", ".ci/whole", "grep -m1 '^cargo run'"),
    (
        "cargo test --test corpus",
        ".ci/whole",
        "cargo test --test corpus",
    ),
    ("cargo test", ".ci/quick", "grep -m1 '^cargo test'"),
    (
        "cargo check --all-targets",
        ".ci/quick",
        "cargo clippy --locked --all-targets",
    ),
    (
        "cargo build --release --example signals",
        ".ci/quick",
        "cargo clippy --locked --all-targets",
    ),
    (
        "cargo build --release",
        ".ci/python",
        "PROFILE=${PROFILE:-release}",
    ),
    (
        "cargo rustc --profile dist",
        ".ci/dist",
        "\"--profile\", \"dist\"",
    ),
    (
        "cargo install --path . --profile dist",
        ".ci/dist",
        "\"--profile\", \"dist\"",
    ),
    (
        "sh install.sh",
        ".ci/release",
        "sh \"$folder/one/install.sh\"",
    ),
    (
        "pip install context_packer",
        ".ci/release",
        "\"$folder\"/one/*.whl",
    ),
    ("pip wheel ./python", ".ci/python", "maturin\" build"),
    (
        "pip install target/wheels",
        ".ci/python",
        "\"$folder\"/wheels/*.whl",
    ),
    (".ci/", ".ci/run", ".ci/quick"),
    ("fuzz/target/*/release/context", ".ci/fuzz", "fuzz"),
    ("npx -p json-schema-to-typescript", ".ci/mcp", "json2ts"),
];

/// How the lines begin that have tests of their own below.
const TRIED_HERE: [&str; 2] = ["python3 benches/", "cargo tree "];

/// A document has its reader type nothing that nobody tries.
#[test]
fn what_starts_another_program_is_tried_elsewhere() {
    let mut used = vec![false; ELSEWHERE.len()];
    for document in documents() {
        for line in lines(&document) {
            if is_of_packer(&line) || TRIED_HERE.iter().any(|begins| line.starts_with(begins)) {
                continue;
            }
            let found = ELSEWHERE
                .iter()
                .position(|(begins, ..)| line.starts_with(begins));
            let at = found.unwrap_or_else(|| panic!("{document}: who tries `{line}`?"));
            used[at] = true;
        }
    }
    for ((begins, place, holds), used) in ELSEWHERE.iter().zip(used) {
        assert!(used, "no document says `{begins}`");
        assert!(read(place).contains(holds), "{place}: {holds}");
    }
}

/// The scripts that measure take hours, but they have the options that the documents give them.
#[test]
fn scripts_that_measure_know_their_options() {
    let mut found = 0;
    for document in documents() {
        let lines = lines(&document).into_iter();
        for line in lines.filter(|line| line.starts_with("python3 benches/")) {
            let command = line.split(" # ").next().unwrap();
            let words: Vec<&str> = command.split_whitespace().collect();
            let Ok(help) = Command::new("python3")
                .args([words[1], "--help"])
                .env("PYTHONDONTWRITEBYTECODE", "1")
                .current_dir(env!("CARGO_MANIFEST_DIR"))
                .output()
            else {
                return;
            };
            let told = String::from_utf8_lossy(&help.stdout);
            assert!(help.status.success(), "{document}: {line}");
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(told.contains(option), "{document}: {line}: {option}");
            }
            found += 1;
        }
    }
    assert!(found > 10, "only {found} were found");
}

#[cfg(unix)]
#[test]
fn what_a_library_brings_is_counted_as_it_is_said() {
    let lines = lines("docs/dependencies.md");
    assert_eq!(lines.len(), 1);
    let command = lines[0].replace("NAME", "globset");
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let count = String::from_utf8(output.stdout).unwrap();
    assert!(count.trim().parse::<u32>().unwrap() > 2, "{count}");
}

#[cfg(unix)]
#[test]
fn every_command_in_the_documents_works() {
    let program = Path::new(env!("CARGO_BIN_EXE_packer")).parent().unwrap();
    let path = format!(
        "{}:{}",
        program.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut ran = 0;
    for document in documents() {
        let project = repository();
        for command in commands(&document) {
            // It serves until it is ended, and has tests of its own.
            if command.starts_with("packer preview") {
                continue;
            }
            let output = project
                .in_repository("sh")
                .args(["-c", &command])
                .env("PATH", &path)
                .env("TASK", "Greet politely")
                .env("STEP", "Greet in capital letters")
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{document}: {command}\n{}{}",
                String::from_utf8_lossy(&output.stderr),
                String::from_utf8_lossy(&output.stdout)
            );
            ran += 1;
        }
    }
    assert!(ran > 25, "only {ran} commands were found");
}

#[test]
fn how_a_change_is_checked_is_told_whatever_the_task_speaks_of() {
    let guide = "# Circles\n\nHow circles are drawn: each circle by its pen.\n";
    let project = (0..40).fold(Project::new(), |project, number| {
        project.file(&format!("docs/circle_{number}.md"), guide)
    });
    project
        .file("src/circle.rs", "fn draw_circle() {}\n")
        .file(
            ".github/workflows/ci.yaml",
            "jobs:\n  all:\n    steps:\n      - run: rake\n",
        )
        .commit()
        .run([
            "pack",
            "--role",
            "implementer",
            "--target",
            "src/circle.rs",
            "--task",
            "Draw circles of any pen",
        ])
        .succeeds()
        .stdout_contains("- run: rake");
}

#[test]
fn what_the_task_names_by_its_path_is_shown_whatever_it_is() {
    let project = Project::new()
        .file("src/tape.rs", "fn read_tape() {}\n")
        .file(
            "examples/demo.tape",
            "Output demo.gif\nType \"hello tape\"\n",
        )
        .file("testdata/rows.csv", "name,amount\nalpha,1\n")
        .file("testdata/more.csv", "name,amount\nbeta,2\n")
        .file(".secret.tape", "hidden tape\n")
        .file("server.key", "not to be shown\n")
        .file("conf.ini", "[tape]\nspeed = 4\n")
        .file("logo.png", "\u{0}\u{1}\n")
        .commit();
    let pack = |task: &str| {
        let packed = project.run(["pack", "--role", "implementer", "--task", task]);
        packed.succeeds().stdout
    };
    let named = pack("Fix examples/demo.tape: its second line is wrong, and see rows.csv");
    assert!(named.contains("Type \"hello tape\""), "{named}");
    assert!(named.contains("alpha,1"), "{named}");
    assert!(!named.contains("beta,2"), "{named}");
    // The planner does not look into folders of data.
    let task = "Fix examples/demo.tape, and see testdata/rows.csv";
    project
        .run(["pack", "--role", "planner", "--task", task])
        .succeeds()
        .stdout_contains("hello tape")
        .stdout_lacks("alpha,1");
    assert!(pack("Fix conf.ini").contains("speed = 4"));
    project
        .run([
            "explain",
            "--role",
            "implementer",
            "--task",
            "Draw logo.png anew",
        ])
        .succeeds()
        .stdout_contains("the task names `logo.png`, but it is too large to be looked at");
    let others = pack("Fix the second line of .secret.tape, examples/other.tape, server.key");
    assert!(!others.contains("not to be shown"), "{others}");
    assert!(!others.contains("hello tape"), "{others}");
    assert!(!others.contains("hidden tape"), "{others}");
}
