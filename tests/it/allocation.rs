//! The parse worker gets no memory at its n-th request, for every n or a sample of them: a
//! prompt comes out each time, and what is not in it is said.
//!
//! `EVERY_ALLOCATION=1` tries every n, which takes some minutes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use context_packer::parsing::Parsing;
use context_packer::{NoteKind, Prompt, Request, Roles};

use crate::project::Project;

const PACKER: &str = env!("CARGO_BIN_EXE_packer");

/// How many of them are tried, spread over all.
const SAMPLE: usize = 120;

fn pack(project: &Project, worker: &str) -> Prompt {
    let role = serde_json::json!({
        "name": "r", "description": "d", "system_prompt": "You test.",
        "context": {"include": ["$TARGET", "$REPO_MAP"], "related": true, "token_budget": 500},
    });
    let role = Roles::built_in().load_json(&role).unwrap();
    let path = project.outside().join("worker");
    fs::write(&path, format!("#!/bin/sh\n{worker}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let packer = project.packer().with_parsing(Parsing::Worker(path));
    let request = Request::new("Let it take a colour").target("a.py");
    packer.pack_context(&role, &request).unwrap()
}

/// Compiles what is loaded into the worker; nothing where there is no compiler.
fn library(project: &Project) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/allocation.c");
    let library = project.outside().join("allocation.so");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .status();
    match compiled {
        Ok(status) => {
            assert!(status.success());
            Some(library)
        }
        Err(_) => None,
    }
}

#[test]
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what was tried stands in the documents"
)]
fn whichever_allocation_of_the_parse_worker_fails_a_prompt_comes_out() {
    let body = "    x = draw(x, [1, 2, 3])\n".repeat(12);
    // Without its grammar the function ends here.
    let not_indented = "    y = '''\nof the text\n'''\n";
    let project = Project::new()
        .file(
            "a.py",
            format!("def a(x):\n{body}\n\nclass B:\n    pass\n").repeat(2),
        )
        .file(
            "b.py",
            format!(
                "import a\n\n\ndef take_a_colour(x):\n{body}{not_indented}{body}\n\ndef c(x):\n{body}"
            )
            .repeat(5),
        )
        .file("c.rs", "/// Says b.\npub fn b() -> u64 {\n    1\n}\n");
    let Some(library) = library(&project) else {
        eprintln!("passed over: there is no C compiler");
        return;
    };
    let count = project.outside().join("count");
    let run = |fail_at: usize| {
        let count = count.display();
        let library = library.display();
        let script = format!(
            "FAIL_AT={fail_at} COUNT_INTO={count} LD_PRELOAD={library} exec {PACKER} \"$@\""
        );
        pack(&project, &script)
    };
    let whole = run(0);
    assert_ne!(whole.text, pack(&project, "exit 1").text);
    let made = fs::read(&count).unwrap();
    let made = usize::from_ne_bytes(made.try_into().unwrap());
    assert!(made > 100, "{made} allocations");
    let every = std::env::var_os("EVERY_ALLOCATION").is_some();
    let step = if every { 1 } else { made.div_ceil(SAMPLE) };
    let (mut same, mut said) = (0, 0);
    for fail_at in (1..=made).step_by(step) {
        let prompt = run(fail_at);
        assert!(prompt.text.contains("a.py"), "{fail_at}");
        let warnings = prompt.warnings();
        let is_said = warnings.iter().any(|note| note.kind == NoteKind::Unparsed);
        if prompt.text == whole.text {
            same += 1;
        } else {
            assert!(
                is_said,
                "at {fail_at} of {made} something is missing without a word"
            );
            said += 1;
        }
    }
    println!("{made} allocations: {same} prompts are the same, {said} lack something and say so");
}
