//! What the documents have their reader type works: every line of `sh` that starts `packer`
//! is run, from top to bottom, in a repository that has what it names. What stands in
//! `console` is compared with what it prints, by `readme` and `guides`.

use std::path::Path;
use std::process::Command;

use crate::project::Project;
use crate::readme::{blocks, example, read};

/// Every document that has commands.
fn documents() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let names = std::fs::read_dir(docs).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"));
    let mut all: Vec<String> = pages.map(|name| format!("docs/{name}")).collect();
    all.sort();
    all.push("README.md".into());
    all
}

/// The lines that start `packer`, and what they are fed by.
fn commands(document: &str) -> Vec<String> {
    let blocks = blocks(&read(document), "sh");
    let lines = blocks.iter().map(|block| block.replace("\\\n", " "));
    let lines: Vec<String> = lines
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let starts = |line: &&String| line.starts_with("packer ") || line.contains("| packer ");
    let lines = lines.iter().filter(starts);
    lines
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
            let output = Command::new("sh")
                .args(["-c", &command])
                .current_dir(project.root())
                .env_clear()
                .env("HOME", project.outside().join("home"))
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
