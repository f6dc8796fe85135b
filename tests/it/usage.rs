//! Exit codes, help, errors, output.

use insta::assert_snapshot;

use crate::project::{Project, words};

#[test]
fn an_unknown_template_lists_the_allowed_ones() {
    let output = Project::new()
        .run(["render", "nope.j2", "--role", "implementer", "--task", "t"])
        .fails(1);
    assert_snapshot!(output.stderr);
}

#[test]
fn a_missing_role_is_wrong_usage() {
    let output = Project::new().run(["render", "implement.j2"]).fails(2);
    assert_snapshot!(output.stderr);
}

#[test]
fn a_missing_task_is_wrong_usage() {
    let output = Project::new().run(["prompt", "--role", "planner"]).fails(2);
    assert_snapshot!(output.stderr);
}

#[test]
fn a_misspelt_role_is_told_the_nearest() {
    let output = Project::new()
        .run(["prompt", "--role", "implementor", "--task", "t"])
        .fails(1);
    assert_snapshot!(output.stderr);
}

#[test]
#[cfg_attr(
    not(all(feature = "mcp", feature = "preview")),
    ignore = "lists every command"
)]
fn help_shows_examples_on_every_command() {
    let project = Project::new();
    assert_snapshot!("help", project.run(["--help"]).succeeds().stdout);
    assert_snapshot!(
        "help_render",
        project.run(["render", "--help"]).succeeds().stdout
    );
    assert_snapshot!(
        "help_batch",
        project.run(["batch", "--help"]).succeeds().stdout
    );
    for command in [
        "render",
        "prompt",
        "pack",
        "read",
        "context",
        "batch",
        "build",
        "fit",
        "truncate",
        "tokens",
        "completions",
        "man",
        "roles",
        "schema",
        "templates",
    ] {
        project
            .run([command, "--help"])
            .succeeds()
            .stdout_contains("Example");
    }
    for (family, commands) in [
        ("build", &["implementation", "review", "fix", "issue"][..]),
        ("roles", &["list", "show", "new", "schema", "check"]),
        ("templates", &["list", "show", "eject", "check"]),
    ] {
        for command in commands {
            project
                .run([family, command, "--help"])
                .succeeds()
                .stdout_contains("Example");
        }
    }
}

#[test]
fn completions_and_a_manual_page_are_printed() {
    let project = Project::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        project
            .run(["completions", shell])
            .succeeds()
            .stdout_contains("packer");
    }
    project
        .run(["man"])
        .succeeds()
        .stdout_contains(".TH packer 1")
        .stdout_contains("PACKER ROLES CHECK")
        .stdout_contains("\\-\\-target")
        .stdout_lacks("template-worker");
}

#[test]
fn an_output_file_is_written_whole_or_not_at_all() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .role("r", "context: {include: [a.rs]}");
    project
        .run(["pack", "--role", "r", "-o", "out.md"])
        .succeeds();
    let written = std::fs::read_to_string(project.root().join("out.md")).unwrap();
    assert!(written.contains("fn a() {}"));
    project
        .run(["pack", "--role", "r", "-o", "no/such/folder/out.md"])
        .fails(1)
        .stderr_contains("cannot write `no/such/folder/out.md`: no such file");
    let out = project.root().join("out.md");
    std::fs::remove_file(&out).unwrap();
    std::os::unix::fs::symlink("/dev/null", &out).unwrap();
    project
        .run(["pack", "--role", "r", "-o", "out.md"])
        .fails(1)
        .stderr_contains("not a regular file");
}

#[cfg(unix)]
#[test]
fn what_the_system_has_for_no_file_and_for_standard_output_is_written_to() {
    use std::os::unix::fs::FileTypeExt as _;
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .role("r", "context: {include: [a.rs]}");
    let pack = |output| {
        let run = project.run(["pack", "--role", "r", "-o", output]);
        run.succeeds().stdout
    };
    assert_eq!(pack("/dev/null"), "");
    let null = std::fs::metadata("/dev/null").unwrap();
    assert!(null.file_type().is_char_device());
    let printed = pack("-");
    assert!(printed.contains("fn a() {}"));
    assert_eq!(pack("/dev/stdout"), printed);
    for command in [["dump", "-o"], ["batch", "-o"]] {
        let to = |output| {
            let arguments = command.into_iter().chain([output]);
            project.run_with_input(arguments, "{}\n").succeeds().stdout
        };
        assert_eq!(to("/dev/null"), "");
        let printed = to("-");
        assert!(!printed.is_empty());
        assert_eq!(to("/dev/stdout").trim_end(), printed.trim_end());
    }
    // A pipe in the repository may wait for ever for somebody who reads.
    let made = std::process::Command::new("mkfifo")
        .arg(project.root().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    project
        .run(["pack", "--role", "r", "-o", "pipe"])
        .fails(1)
        .stderr_contains("not a regular file");
}

#[test]
fn a_request_says_all_that_options_say_and_options_win() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .file("b.rs", "fn b() {}\n")
        .file(
            "request.json",
            r#"{"template": "implement.j2", "role": "implementer", "task": "From the request",
                "target": ["a.rs"], "extra": {"hint": "Mind the gap"}, "budget": 5000,
                "format": "json", "style": "xml"}"#,
        );
    let report = project
        .run(["render", "--request", "request.json"])
        .succeeds()
        .json();
    let prompt = report["prompt"].as_str().unwrap();
    assert!(prompt.contains("From the request") && prompt.contains("<file path=\"a.rs\""));
    assert!(prompt.contains("Mind the gap"));
    assert_eq!(report["budget"], 5000);
    let arguments = "render --request request.json --target b.rs --task Mine --format text";
    project
        .run(words(arguments))
        .succeeds()
        .stdout_contains("fn b()")
        .stdout_lacks("fn a()")
        .stdout_contains("Mine");
}

#[test]
fn a_field_of_a_request_that_is_null_is_left_out() {
    let project = Project::new().file("a.rs", "fn a() {}\n").file(
        "request.json",
        r#"{"role": "implementer", "task": "t", "target": null, "extra": null, "data": null,
            "budget": null, "prune": null, "style": null, "template": null, "flow": null,
            "strict": null, "explain": null, "worktree": null, "messages": null,
            "role_last": null, "engine": null, "format": null}"#,
    );
    let asked = project.run(["prompt", "--request", "request.json"]);
    let plain = project.run(["prompt", "--role", "implementer", "--task", "t"]);
    assert_eq!(asked.succeeds().stdout, plain.succeeds().stdout);
}

#[test]
fn an_empty_task_that_is_given_is_a_task() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .file("none.txt", "")
        .file("request.json", r#"{"role": "planner", "task": ""}"#)
        .role("r", "context: {include: [a.rs]}");
    for given in [
        &["prompt", "--role", "r", "--task", ""][..],
        &["prompt", "--role", "r", "--task-file", "none.txt"],
        &["render", "planning.j2", "--request", "request.json"],
    ] {
        let built = project.run(given.iter().copied()).succeeds();
        assert!(!built.stdout.is_empty(), "{given:?}");
        built.stderr_contains("the task is empty");
    }
    project
        .run(["prompt", "--role", "r"])
        .fails(2)
        .stderr_contains("a task");
}

#[test]
fn a_request_that_cannot_be_used_says_why() {
    let project = Project::new().file("r.json", r#"{"role": "planner", "tsak": "t"}"#);
    let output = project.run(["prompt", "--request", "r.json"]).fails(1);
    assert_snapshot!(output.stderr);
}

#[test]
fn a_closed_pipe_ends_in_silence() {
    use std::process::Stdio;
    let project = Project::new().file("a.txt", "line\n".repeat(100_000));
    let project = project.role("r", "context: {include: [a.txt], token_budget: 1000000}");
    let mut child = project
        .command()
        .args(["pack", "--role", "r"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
}

#[test]
fn colour_is_for_terminals() {
    let project = Project::new();
    let arguments = ["prompt", "--role", "nope", "--task", "t"];
    assert!(!project.run(arguments).fails(1).stderr.contains('\x1b'));
    let always = arguments.into_iter().chain(["--color", "always"]);
    assert!(project.run(always).fails(1).stderr.contains('\x1b'));
}

#[test]
fn explain_is_a_table_on_standard_error() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .file("b.rs", "fn b() {}\n".repeat(400))
        .role("r", "context: {include: ['*.rs'], token_budget: 1500}");
    let output = project.run(["pack", "--role", "r", "--explain"]).succeeds();
    assert_snapshot!(output.stderr);
}

/// Such a home would be in whatever folder the command is run in.
#[test]
fn a_home_that_is_no_absolute_path_is_none() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .file(
            ".config/packer/roles/planted.yaml",
            "name: planted\ndescription: d\nsystem_prompt: p\n",
        )
        .role("r", "context: {include: [$RELATED, $REPO_MAP]}");
    for home in ["", ".", "here"] {
        let run = |arguments: &[&str]| {
            project
                .run_with_variables(arguments.iter().copied(), &[("HOME", home)])
                .succeeds()
        };
        run(&["prompt", "--role", "r", "--task", "a"]);
        assert!(!project.root().join(".cache").exists(), "{home}");
        assert!(!project.root().join("here").exists(), "{home}");
        run(&["roles", "list"]).stdout_lacks("planted");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_no_success() {
    use std::process::Stdio;
    let project = Project::new();
    for arguments in [
        &["--help"][..],
        &["help", "pack"],
        &["--version"],
        &["roles", "list"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let ran = project
            .command()
            .args(arguments)
            .stdout(Stdio::from(full))
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(1), "{arguments:?}");
        assert!(
            String::from_utf8_lossy(&ran.stderr).starts_with("error: "),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_number_as_people_write_it_is_answered_with_the_number() {
    let project = Project::new().role("r", "context: {}");
    for (arguments, number) in [
        (["pack", "--role=r", "--budget", "20_000"], "20000"),
        (["pack", "--role=r", "--budget", "20k"], "20000"),
        (["read", "a", "--max-files", "1,000"], "1000"),
        (["truncate", "a", "--max-lines", "2 000"], "2000"),
    ] {
        project
            .run(arguments)
            .fails(2)
            .stderr_contains(&format!("help: a similar value exists: '{number}'"));
    }
    project
        .run_with_input(["pack", "--request", "-"], r#"{"role": "r", "budget": "20_000"}"#)
        .fails(1)
        .stderr_contains("`budget`: invalid type: string \"20_000\", expected a whole number or `auto`; did you mean 20000?");
}

#[test]
fn what_the_budget_cuts_of_what_was_passed_is_a_warning_of_its_own_kind() {
    let project = Project::new()
        .file("a.md", "A line.\n".repeat(900))
        .role("r", "context: {}");
    let report = project.json(words("pack --role r --target a.md --budget 1200"));
    let kinds = report["warnings"].as_array().unwrap().iter();
    let kinds: Vec<_> = kinds
        .map(|warning| warning["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["cut"]);
}

#[test]
fn a_task_that_names_a_file_as_other_options_do_is_told() {
    let project = Project::new().file("issue.md", "Greet in capital letters");
    let prompt = "prompt --role implementer --task";
    let told = "the task is the text `@issue.md`: use `--task-file issue.md` to read the file";
    project
        .run(words(&format!("{prompt} @issue.md")))
        .succeeds()
        .stdout_contains("@issue.md")
        .stderr_contains(told);
    let of_nobody = project.run(words(&format!("{prompt} @nobody")));
    assert!(!of_nobody.succeeds().stderr.contains("--task-file"));
}

#[test]
fn a_number_below_zero_is_told_as_one() {
    let project = Project::new().file("a.rs", "x\n");
    for (command, option) in [
        ("truncate a.rs --max-lines -1", "max-lines"),
        ("truncate a.rs --max-lines 3 --around -3", "around"),
        (
            "truncate a.rs --max-lines 3 --context-lines -3",
            "context-lines",
        ),
        ("read --max-files -1 a.rs", "max-files"),
        ("read --max-file-size -1 a.rs", "max-file-size"),
        ("fit --budget -5", "budget"),
        ("fit --min-section-tokens -5", "min-section-tokens"),
        ("context --budget -1", "budget"),
        ("build fix --errors - --max-lines -1", "max-lines"),
        ("build fix --errors - --budget -1", "budget"),
        ("build issue --issue - --max-related -1", "max-related"),
        ("build issue --issue - --context-lines -1", "context-lines"),
        ("truncate a.rs --max-lines 3 --around -1,2", "around"),
        (
            "truncate a.rs --max-lines -99999999999999999999",
            "max-lines",
        ),
        ("pack --cache-points -1", "cache-points"),
        ("pack --cache-points -99999999999999999999", "cache-points"),
        ("pack --budget -1", "budget"),
    ] {
        let output = project.run(command.split(' ')).fails(2);
        output
            .stderr_contains("error: invalid value '-")
            .stderr_contains(&format!("for '--{option}"))
            .stderr_contains("it is below 0");
    }
}
