//! The main job, from the command to the prompt.

use serde_json::Value as Json;

use crate::project::{Project, words};

fn project() -> Project {
    Project::new()
        .file("README.md", "# A project\n")
        .file("CLAUDE.md", "Use tabs.\n")
        .file("src/lib.rs", "mod auth;\n")
        .file("src/auth.rs", "pub fn login() {}\n")
        .commit()
        .file("src/auth.rs", "pub fn login(name: &str) {}\n")
}

#[test]
fn an_implementer_gets_target_diff_conventions_and_task() {
    let project = project();
    project.stage();
    let output = project.run(words(
        "render implement.j2 --role implementer --task 'Add a password' --target src/lib.rs",
    ));
    let output = output.succeeds().says_nothing();
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn the_task_comes_from_a_file_or_standard_input() {
    let project = project().file("task.md", "From a file\n");
    let arguments = ["prompt", "--role", "planner", "--task-file"];
    let run = |file: &'static str, input| {
        project.run_with_input(arguments.into_iter().chain([file]), input)
    };
    run("task.md", "").succeeds().stdout_contains("From a file");
    run("-", "From a pipe")
        .succeeds()
        .stdout_contains("From a pipe");
    run("nope.md", "")
        .fails(1)
        .stderr_contains("cannot read `nope.md`: no such file");
}

#[test]
fn a_budget_that_only_the_template_exceeds_is_a_warning() {
    let arguments =
        "render implement.j2 --role implementer --task t --target src/lib.rs --budget 100";
    let project = project();
    let output = project.run(words(arguments)).succeeds();
    output
        .stderr_contains("over budget by")
        .stdout_contains("# How to work")
        .stdout_lacks("## Target Files\n\n");
    project
        .run(words(arguments).chain(["--strict"]))
        .fails(1)
        .stderr_contains("over budget by");
}

#[test]
fn strict_minds_targets_that_cannot_be_read() {
    let project = project();
    let prompt = "prompt --role implementer --task t --target src/new.rs";
    project
        .run(words(prompt))
        .succeeds()
        .stdout_contains("### src/new.rs\n\n[Could not read file]")
        .stderr_contains("cannot read `src/new.rs`: no such file");
    project.run(words(prompt).chain(["--strict"])).fails(1);

    let project = Project::new()
        .role("r", "context: {include: [a.rs], token_budget: 1000}")
        .file("large.c", "int a;\n".repeat(200_000))
        .file("b/data.bin", "a\0b")
        .file("b/a.c", "int b;\n");
    let strict =
        |target| project.run(words("prompt --role r --task t --strict --target").chain([target]));
    for (target, message) in [
        (
            "large.c:1-3",
            "`large.c` is over the size limit: 1400000 bytes",
        ),
        (
            "b/data.bin",
            "`b/data.bin` is a binary file; only its size is shown",
        ),
    ] {
        strict(target).fails(1).stderr_contains(message);
    }
    // What is in a folder is not what was named.
    strict("b")
        .succeeds()
        .stderr_contains("`b/data.bin` is a binary file; only its size is shown");
}

#[test]
fn a_template_that_writes_the_context_twice_stays_within_the_budget() {
    let project = Project::new()
        .file("prompts/t.j2", "{{ context }}\n{{ context }}\n{% for key in sections %}{{ sections[key] }}{% endfor %}")
        .file("a.txt", "line of text\n".repeat(2000))
        .role("r", "context: {include: [a.txt], token_budget: 1000}");
    let report = project.json(words(
        "--prompts-dir prompts --allow-template t.j2 render t.j2 --role r --task t",
    ));
    let tokens = report["tokens"].as_u64().unwrap();
    assert!((900..=1000).contains(&tokens), "{tokens}");
}

#[test]
fn sections_that_a_template_never_writes_take_nothing_from_those_it_writes() {
    let project = |template: &str| {
        Project::new()
            .file("prompts/t.j2", template)
            .file("a.txt", "line of text\n".repeat(2000))
            .role("r", "context: {include: [a.txt], token_budget: 1000}")
    };
    let options = "--prompts-dir prompts --allow-template t.j2 render t.j2 --role r --task t \
                   --target a.txt --extra 'log=FAILED one' --strict";
    let told = |report: &Json, key: &str| {
        let mut sections = report["sections"].as_array().unwrap().iter();
        let section = sections.find(|section| section["key"] == key).unwrap();
        let warnings = report["warnings"].to_string();
        let is_told = warnings.contains(&format!("`t.j2` does not print `{key}`"));
        (section["status"].as_str().unwrap().to_owned(), is_told)
    };
    for (template, log) in [
        ("{{ task }} {{ sections.log }}", ("kept", false)),
        ("{{ task }} {{ sections.log | indent }}", ("kept", false)),
        (
            "{{ task }} {% if 'FAILED' in sections.log %}{{ sections.log }}{% endif %}",
            ("kept", false),
        ),
        (
            "{{ task }} {% if 'FAILED' in sections.log %}It fails.{% endif %}",
            ("dropped", true),
        ),
        ("{{ task }}", ("dropped", true)),
    ] {
        let report = project(template).json(words(options));
        let prompt = report["prompt"].as_str().unwrap();
        let is_whole = prompt.contains("FAILED one") || prompt.contains("It fails.");
        assert_eq!(is_whole, template.contains("log"), "{template}: {prompt}");
        let log = (log.0.to_owned(), log.1);
        assert_eq!(told(&report, "log"), log, "{template}: {report}");
        let target = ("dropped".to_owned(), true);
        assert_eq!(told(&report, "target_file"), target, "{template}");
        assert!(!report["warnings"].to_string().contains("to fit the budget"));
    }
    let explained = project("{{ task }}").run(words(options).chain(["--explain"]));
    explained
        .succeeds()
        .stderr_contains("  the template does not write it; asked by the request: target\n");
    // What depends on what a section says is within the budget, too.
    let template =
        "{{ task }}{% if 'line' in sections.target_file %}{{ sections.target_file }}{% endif %}";
    let report = project(template).json(words(options));
    assert_eq!(told(&report, "target_file"), ("shrunk".to_owned(), false));
    assert!(report["tokens"].as_u64() <= Some(1000));
}

/// To the character: the context may have what the budget leaves beside 4,000 characters.
#[test]
fn files_alone_leave_a_thousand_tokens_for_a_template() {
    let project = Project::new()
        .file("a.txt", "x".repeat(400))
        .role("r", "context: {include: [a.txt], prune: drop}");
    let pack = |budget: usize| {
        let budget = budget.to_string();
        let all = ["pack", "--role", "r", "--budget", &budget];
        project.run(all).succeeds().stdout
    };
    let whole = pack(8000);
    let tokens = whole.chars().count().div_ceil(4);
    assert_eq!(pack(1000 + tokens), whole);
    for budget in [1000 + tokens - 1, 1000, 999, 1] {
        assert_eq!(pack(budget), "", "{budget}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_wherever_it_lies() {
    let make = || {
        let project = project();
        project.stage();
        project
            .run(["prompt", "--role", "reviewer", "--task", "Review"])
            .succeeds()
            .stdout
    };
    assert_eq!(make(), make());
}

#[test]
fn the_whole_prompt_flow_cuts_what_is_protected() {
    let project = Project::new()
        .file("rules.md", "A rule.\n".repeat(1000))
        .role(
            "r",
            "context: {always_include: [rules.md], token_budget: 200}",
        );
    let report = project.json(["prompt", "--role", "r", "--task", "Do it"]);
    let prompt = report["prompt"].as_str().unwrap();
    assert!(
        prompt.ends_with("\n[Context truncated due to token limit]"),
        "{prompt}"
    );
    assert!(prompt.contains("\n\n## Task\n\nDo it\n\n## Required Context\n"));
    assert_eq!(report["tokens"], 200);
    assert_eq!(report["over_budget"], true);
    assert_eq!(report["sections"][2]["pieces"][0]["form"], "excerpt");
}

/// What the budget made of each section, in their order.
fn statuses(report: &serde_json::Value) -> Vec<&str> {
    let sections = report["sections"].as_array().unwrap();
    sections
        .iter()
        .map(|s| s["status"].as_str().unwrap())
        .collect()
}

#[test]
fn drop_removes_whole_sections_from_the_end() {
    let project = Project::new()
        .file("a.txt", "a\n".repeat(100))
        .file("big.txt", "b\n".repeat(5000))
        .file("CLAUDE.md", "c\n".repeat(50))
        .role(
            "r",
            "context: {include: [big.txt], conventions: true, prune: drop, token_budget: 2000}",
        );
    let report = project.json(["pack", "--role", "r", "--target", "a.txt"]);
    assert_eq!(statuses(&report), ["kept", "dropped", "dropped"]);
    assert!(!report["prompt"].as_str().unwrap().contains("left out"));
    let report = project.json(words("pack --role r --target a.txt --prune shrink"));
    assert_eq!(statuses(&report), ["kept", "shrunk", "dropped"]);
    assert!(
        report["prompt"]
            .as_str()
            .unwrap()
            .contains("[Conventions left out: CLAUDE.md]")
    );
}

#[test]
fn options_of_every_command_win_over_request_and_role() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .role("r", "context: {include: [a.rs], tokenizer: chars}")
        .file(
            "request.json",
            r#"{"role": "r", "tokenizer": "chars", "engine": "repomix"}"#,
        );
    let options = ["--tokenizer", "calibrated", "--engine", "native"];
    for arguments in [["--request", "request.json"], ["--role", "r"]] {
        let report = project.json(["pack"].into_iter().chain(arguments).chain(options));
        assert_eq!(report["tokenizer"], "calibrated");
        assert_eq!(report["warnings"], serde_json::json!([]));
    }
}
