//! Lines of a batch that are broken, and places where nothing can be written.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
    let output = project.run_with_input(["batch"], &(lines.join("\n") + "\n"));
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

/// Runs the command where a shell has set limits.
fn within(limits: &str, project: &Project, arguments: &str) -> Output {
    let packer = env!("CARGO_BIN_EXE_packer");
    Command::new("sh")
        .args(["-c", &format!("{limits}; exec '{packer}' {arguments}")])
        .current_dir(project.root())
        .env_clear()
        .env("HOME", project.outside())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs `packer pack` where no file may be larger than half a block of that shell's.
fn limited(project: &Project, more: &str) -> (bool, String) {
    let arguments = format!("pack --role plain --target a.rs {more}");
    let output = within("ulimit -f 1; trap '' XFSZ", project, &arguments);
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

#[cfg(target_os = "linux")]
#[test]
fn a_small_stack_changes_no_prompt() {
    let project = project().role("plain", "context: {related: true}");
    let pack = "pack --no-cache --role plain --target a.rs";
    let whole = within("true", &project, pack);
    assert!(whole.status.success());
    for limit in ["ulimit -s 100", "ulimit -S -s 100"] {
        let output = within(limit, &project, pack);
        assert_eq!(output, whole, "{limit}");
    }
}

#[test]
fn where_few_files_may_be_open_there_is_a_prompt_or_an_error() {
    let project = project();
    for most in 5..20 {
        for arguments in [
            "pack --no-cache --role plain --target a.rs",
            "--version",
            "mcp",
        ] {
            let output = within(&format!("ulimit -n {most}"), &project, arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1)), "{most} {arguments}: {said}");
            assert!(!said.contains("panicked"), "{most} {arguments}: {said}");
        }
    }
}

#[cfg(all(unix, feature = "preview"))]
#[test]
fn where_too_few_files_may_be_open_no_page_is_shown() {
    let project = project();
    for most in 5..8 {
        let preview = "preview --role plain --task t --target a.rs";
        let output = within(&format!("ulimit -n {most}"), &project, preview);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{most}: {said}");
        assert!(said.contains("error: cannot"), "{most}: {said}");
    }
}

/// What had no memory says nothing of the text that was to be parsed, once there is more.
#[cfg(all(target_os = "linux", feature = "languages"))]
#[test]
fn what_failed_where_the_user_allows_little_memory_is_not_remembered() {
    let project = project().role("plain", "context: {include: [$TARGET, $REPO_MAP]}");
    let pack = "pack --role plain --target a.rs --explain";
    let mut failed = 0;
    // There is memory enough to run and too little to parse in a few megabytes only.
    for megabytes in (40..=200).step_by(2) {
        let limit = format!("ulimit -v {}", megabytes * 1024);
        let output = within(&limit, &project, pack);
        let said = String::from_utf8_lossy(&output.stderr);
        failed += usize::from(said.contains("too much memory"));
    }
    assert!(failed > 0);
    let output = within("true", &project, pack);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("too much memory"), "{said}");
}
