//! Lines of a batch that are broken, and places where nothing can be written.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::project::Project;

const LINES: usize = 6;

fn project() -> Project {
    Project::new()
        .role("plain", "context: {}")
        .file("a.rs", "fn a() {}\n".repeat(3000))
        .commit()
}

/// The answers to lines of which one is broken.
fn answers(project: &Project, broken: Option<(usize, &str)>) -> Vec<Json> {
    let line = |at: usize| match broken {
        Some((number, text)) if number == at => text.to_owned(),
        _ => format!(r#"{{"id": {at}, "role": "plain", "flow": "files", "target": ["a.rs"]}}"#),
    };
    let lines: Vec<String> = (1..=LINES).map(line).collect();
    let output = project.run_with(["batch"], &(lines.join("\n") + "\n"), &[]);
    let answers = output.succeeds().stdout;
    let read = |line| serde_json::from_str(line).unwrap();
    answers.lines().map(read).collect()
}

#[test]
fn a_line_of_a_batch_that_is_broken_changes_no_other_answer() {
    let project = project();
    let clean = answers(&project, None);
    let nested = "[".repeat(100_000);
    let broken = [
        "{",
        "[]",
        "{}",
        r#"{"role": "plain", "flow": "files", "target": ["a.rs"#,
        r#"{"role": "nobody", "flow": "files"}"#,
        r#"{"role": "plain", "task": "\ud800"}"#,
        &nested,
    ];
    for text in broken {
        for at in 1..=LINES {
            let answers = answers(&project, Some((at, text)));
            assert_eq!(answers.len(), LINES);
            for (number, (answer, clean)) in answers.iter().zip(&clean).enumerate() {
                if number + 1 == at {
                    assert!(
                        answer["error"]["message"].is_string(),
                        "{text:.40}: {answer}"
                    );
                    assert_eq!(answer["line"], at);
                } else {
                    assert_eq!(answer, clean, "{text:.40}");
                }
            }
        }
    }
}

/// Runs `packer pack` where no file may be larger than half a block of that shell's.
fn limited(project: &Project, more: &str) -> (bool, String) {
    let packer = env!("CARGO_BIN_EXE_packer");
    let script =
        format!("ulimit -f 1; trap '' XFSZ; '{packer}' pack --role plain --target a.rs {more}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.outside())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.unwrap().file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_file_that_has_no_room_is_not_begun_and_the_old_one_stays() {
    let project = project();
    let out = project.outside().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("old.md"), "old").unwrap();
    for name in ["old.md", "new.md"] {
        let path = out.join(name);
        let (is_done, said) = limited(&project, &format!("--no-cache -o '{}'", path.display()));
        assert!(!is_done && said.contains(name), "{said}");
    }
    assert_eq!(names(&out), ["old.md"]);
    assert_eq!(fs::read_to_string(out.join("old.md")).unwrap(), "old");
}

#[test]
fn a_cache_that_has_no_room_costs_no_prompt() {
    let project = project().role("plain", "context: {related: true}");
    let (is_done, said) = limited(&project, "> /dev/null");
    assert!(is_done, "{said}");
    let cache = project.outside().join(".cache/packer");
    assert!(!cache.exists() || names(&cache).iter().all(|name| !name.starts_with('.')));
}
