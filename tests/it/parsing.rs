//! Source is parsed in processes that may end, and whatever it holds a prompt comes out.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use context_packer::parsing::{PARSE_WORKER, Parsing};
use context_packer::{ContextPacker, NoteKind, Prompt, Request, Role, Roles};

use crate::project::{Json, Project, words};

const PACKER: &str = env!("CARGO_BIN_EXE_packer");

/// A role that has files ranked, cut and outlined, and the map drawn.
fn role() -> Role {
    let role = serde_json::json!({
        "name": "r", "description": "d", "system_prompt": "You test.",
        "context": {
            "include": ["$TARGET", "$REPO_MAP"], "related": true, "token_budget": 6000,
        },
    });
    Roles::built_in().load_json(&role).unwrap()
}

fn pack(packer: &ContextPacker) -> Prompt {
    let request = Request::new("Let `draw` take a colour").target("src/draw.py");
    packer.pack_context(&role(), &request).unwrap()
}

/// What was said of files that are not parsed.
fn unparsed(prompt: &Prompt) -> Vec<String> {
    let warnings = prompt.warnings().into_iter();
    let unparsed = warnings.filter(|note| note.kind == NoteKind::Unparsed);
    unparsed.map(|note| note.message.clone()).collect()
}

/// A project of some files that a grammar reads.
fn project() -> Project {
    let body = "    x = draw(x, [1, 2, 3])\n".repeat(30);
    let mut project = Project::new();
    for number in 0..40 {
        let text = format!(
            "import draw\n\n\ndef paint_{number}(x):\n{body}\n\nclass Shape{number}:\n    def draw(self):\n{}",
            body.replace("    x", "        x")
        );
        project = project.file(&format!("src/paint_{number}.py"), text);
    }
    project.file("src/draw.py", format!("def draw(x, colours):\n{body}"))
}

/// A program that is started in place of the worker, and the folder that it lies in.
fn program(project: &Project, script: &str) -> PathBuf {
    let path = project.outside().join("worker");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn packer(project: &Project, program: impl AsRef<Path>) -> ContextPacker {
    let packer = project.packer();
    packer.with_parsing(Parsing::Worker(program.as_ref().to_owned()))
}

#[test]
fn a_prompt_is_the_same_wherever_source_is_parsed() {
    let project = project();
    let packer = || project.packer();
    let inside = pack(&packer().with_parsing(Parsing::TrustedInProcess));
    let outside = pack(&packer().with_parsing(Parsing::Worker(PACKER.into())));
    assert_eq!(inside.text, outside.text);
    assert!(unparsed(&outside).is_empty());
    // Without a grammar there is no map, and nothing to be warned of.
    let never = pack(&packer());
    assert!(inside.text.contains("def paint_1(x):\n") && !never.text.contains("Repository Map"));
    assert!(unparsed(&never).is_empty());
}

#[test]
fn what_is_known_is_parsed_by_nobody() {
    let project = project();
    let started = project.outside().join("started");
    let count = || fs::read_to_string(&started).map_or(0, |text| text.lines().count());
    let script = format!(
        "echo one >>{}\nexec {PACKER} {PARSE_WORKER}",
        started.display()
    );
    let worker = program(&project, &script);
    let packer = || packer(&project, &worker).with_cache(project.outside().join("cache"));
    // What was written just now may change without being noticed.
    std::thread::sleep(Duration::from_millis(3200));
    let first = pack(&packer());
    let cores = std::thread::available_parallelism().unwrap().get();
    assert!((1..=cores.min(8)).contains(&count()), "{}", count());
    fs::remove_file(&started).unwrap();
    let second = pack(&packer());
    assert_eq!((first.text, count()), (second.text, 0));
}

#[test]
fn a_worker_may_do_anything_and_a_prompt_comes_out() {
    let project = project();
    let never = pack(&project.packer());
    for (script, why) in [
        ("exit 0", "fails"),
        ("kill -SEGV $$", "fails"),
        // An answer of two bytes that says nothing, one of none, one that breaks off.
        (
            r"printf '\002\000\000\000\000\000\000\000zz'; cat >/dev/null",
            "no parts",
        ),
        (
            r"printf '\000\000\000\000\000\000\000\000'; cat >/dev/null",
            "no parts",
        ),
        (r"printf '\002\000\000\000\000\000\000\000z'", "fails"),
        // More than there may be.
        (
            r"printf '\377\377\377\377\000\000\000\000'; cat /dev/zero",
            "no parts",
        ),
        // It is late before it is asked anything.
        (
            r"while :; do printf '\001\000\000\000\000\000\000\000\001'; sleep 0.01; done",
            "too long",
        ),
    ] {
        let prompt = pack(&packer(&project, program(&project, script)));
        let said = unparsed(&prompt);
        assert!(
            said.iter().any(|message| message.contains(why)),
            "{script}: {said:?}"
        );
        assert_eq!(prompt.text, never.text, "{script}");
    }
    let prompt = pack(&packer(&project, "/there/is/no/worker"));
    let said = unparsed(&prompt);
    assert!(
        said.iter()
            .any(|message| message.contains("could not be started")),
        "{said:?}"
    );
    assert_eq!(prompt.text, never.text);
}

/// 20 KB of it ran for 13 s, and 100 KB for ten minutes.
const HOSTILE: &str = "/*";

#[test]
fn a_text_that_cannot_be_parsed_is_remembered() {
    let project = project().file("src/draw.kt", HOSTILE.repeat(10_000));
    std::thread::sleep(Duration::from_millis(3200));
    let run = || {
        let json = project.json(words(
            "render planning.j2 --role planner --task 'Draw it' --target src/draw.kt",
        ));
        let warnings = json["warnings"].as_array().unwrap().clone();
        let unparsed = |note: &&Json| note["kind"] == "unparsed";
        let said: Vec<Json> = warnings.iter().filter(unparsed).cloned().collect();
        (said, json["prompt"].clone())
    };
    let first = run();
    assert_eq!(first.0.len(), 1, "{first:?}");
    assert_eq!(first.0[0]["path"], "src/draw.kt");
    let started = Instant::now();
    assert_eq!(run(), first);
    // The processor may be somebody else's for long, but it was not ours.
    assert!(started.elapsed() < Duration::from_secs(20));
    // Between two prompts of one process it is remembered without a cache, too.
    let count = project.outside().join("count");
    let script = format!(
        "echo one >>{}\nexec {PACKER} {PARSE_WORKER}",
        count.display()
    );
    let worker = program(&project, &script);
    let mut packer = packer(&project, worker);
    packer.look_again().unwrap();
    let first = pack(&packer);
    assert_eq!(unparsed(&first).len(), 1);
    let started = fs::read_to_string(&count).unwrap();
    packer.look_again().unwrap();
    let second = pack(&packer);
    assert_eq!(
        (unparsed(&second), &second.text),
        (unparsed(&first), &first.text)
    );
    assert_eq!(fs::read_to_string(&count).unwrap(), started);
}

#[test]
fn a_worker_ends_with_its_input() {
    let worker = Command::new(PACKER)
        .arg(PARSE_WORKER)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(worker.status.success() && worker.stdout.is_empty());
}

#[cfg(feature = "mcp")]
#[test]
fn a_model_that_names_such_a_file_does_not_stop_the_server() {
    let project = project()
        .file("src/draw.kt", HOSTILE.repeat(50_000))
        .role("r", "context: {include: [$TARGET], related: true}");
    let mut client = crate::mcp::Client::start(&project);
    let arguments = serde_json::json!({"role": "r", "task": "Draw it.", "target": ["src/draw.kt"]});
    let started = Instant::now();
    let built = client.call("build_prompt", &arguments);
    assert!(built.to_string().contains("src/draw.kt"), "{built}");
    let read = client.call("read_files", &serde_json::json!({"files": ["src/draw.py"]}));
    assert!(read.to_string().contains("colours"), "{read}");
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_eq!(client.close(), 0);
}
