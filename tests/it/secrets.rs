//! Secrets: a warning with a place, never the secret.

use crate::project::Project;

/// Put together here, so that no scanner takes this file for a leak.
fn token(letter: &str) -> String {
    format!("ghp_{}", letter.repeat(36))
}

#[test]
fn everything_that_goes_into_a_prompt_is_searched() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .file("README.md", "x\n")
        .role(
            "r",
            "context: {include: ['*.rs'], git_diff: true, project_context: true}",
        )
        .commit()
        .file(
            "a.rs",
            format!("fn a() {{}}\nlet k = \"{}\";\n", token("a")),
        )
        .file("README.md", format!("x\n{}\n", token("b")))
        .file(
            ".context/TASKS.md",
            format!("# Tasks\n\n- [ ] {}\n", token("c")),
        )
        .file(
            "prompts/t.j2",
            format!(
                "{} {{{{ task }}}} {{{{ context }}}}\n{{{{ data.d.k }}}}",
                token("d")
            ),
        );
    project.stage();
    let task = format!("Use {}", token("e"));
    let data = format!(r#"d={{"k": "{}"}}"#, token("f"));
    let extra = format!("log=\n{}", token("g"));
    let output = project
        .run([
            "render",
            "t.j2",
            "--prompts-dir",
            "prompts",
            "--allow-template",
            "t.j2",
            "--role",
            "r",
            "--task",
            &task,
            "--data",
            &data,
            "--extra",
            &extra,
        ])
        .succeeds();
    let warnings: String = output
        .stderr
        .lines()
        .filter(|line| line.contains("secret"))
        .map(|line| format!("{line}\n"))
        .collect();
    for letter in ["a", "b", "c", "d", "e", "f", "g"] {
        assert!(output.stdout.contains(&token(letter)), "{letter}");
        assert!(!warnings.contains(&token(letter)), "{warnings}");
    }
    insta::assert_snapshot!(warnings);
}

#[test]
fn what_is_not_in_the_prompt_is_not_warned_of() {
    let project = Project::new()
        .file(
            "a.rs",
            format!(
                "fn a() {{}}\n{}\nlet k = \"{}\";\n",
                "// more\n".repeat(400),
                token("a")
            ),
        )
        .role("r", "context: {include: ['*.rs']}");
    let arguments = ["prompt", "--role", "r", "--task", "t"];
    project
        .run(arguments)
        .succeeds()
        .stderr_contains("line 403 of `a.rs` looks like a secret: GitHub token");
    let cut = project
        .run(arguments.into_iter().chain(["--budget", "200"]))
        .succeeds();
    cut.stdout_contains("[excerpt").says_nothing();
}

#[test]
fn a_report_has_the_place_and_the_kind() {
    let project = Project::new()
        .file(
            "a.rs",
            format!("fn a() {{}}\nlet k = \"{}\";\n", token("a")),
        )
        .role("r", "context: {include: ['*.rs']}");
    let report = project.json(["pack", "--role", "r"]);
    assert_eq!(
        report["warnings"],
        serde_json::json!([{
            "kind": "secret", "message": "line 2 of `a.rs` looks like a secret: GitHub token",
            "path": "a.rs", "line": 2,
        }])
    );
}

#[test]
fn builders_and_the_context_directory_warn_too() {
    let project = Project::new()
        .file(".context/TASKS.md", format!("# T\n\n{}\n", token("a")))
        .file("tasks.md", format!("{}\n", token("b")))
        .file("CLAUDE.md", format!("{}\n", token("c")))
        .file("a.py", format!("\n\n{}\n", token("d")))
        .commit();
    let warned = |arguments: &[&str], input: &str, source: &str| {
        let output = project
            .run_with_input(arguments.iter().copied(), input)
            .succeeds();
        output.stderr_contains(source);
    };
    warned(&["context"], "", "line 3 of `.context/TASKS.md`");
    warned(
        &["build", "implementation", "--task-file", "tasks.md"],
        "",
        "line 1 of `tasks.md`",
    );
    warned(
        &["build", "implementation", "--task-file", "tasks.md"],
        "",
        "line 1 of `CLAUDE.md`",
    );
    let errors = format!(
        r#"{{"stages": [{{"errors": [{{"file": "a.py", "line": 1, "message": "{}"}}]}}]}}"#,
        token("e")
    );
    warned(
        &["build", "fix", "--errors", "-"],
        &errors,
        "line 3 of `a.py`",
    );
    warned(
        &["build", "fix", "--errors", "-"],
        &errors,
        "line 1 of the message of an error in `a.py`",
    );
    let issue = format!(r#"{{"body": "look at a.py\n{}"}}"#, token("f"));
    warned(
        &["build", "issue", "--issue", "-"],
        &issue,
        "line 2 of the issue",
    );
}

#[test]
fn what_is_said_of_a_prompt_for_people_shows_no_secret() {
    let token = token("a");
    let role = format!("context: {{include: ['d/{token}*', '*.md'], exclude: ['e/{token}']}}");
    let project = Project::new()
        .file(&format!("d/{token}.py"), "x = 1\n")
        .file(&format!("e/{token}"), "x = 1\n")
        .file("a.md", "# A\n")
        .role("reader", &role)
        .commit();
    let output = project
        .run(["pack", "--role", "reader", "--explain"])
        .succeeds();
    assert!(!output.stderr.contains(&token), "{}", output.stderr);
    output.stderr_contains("  d/[GitHub token].py");
    let output = project.run(["explain", "--role", "reader"]).succeeds();
    assert!(!output.stdout.contains(&token), "{}", output.stdout);
}

#[test]
fn a_name_that_is_written_is_searched_too() {
    let token = token("a");
    let project = Project::new()
        .file(&format!("d/{token}.py"), "x = 1\n")
        .file(&format!("d/{token}.bin"), b"\0\x01\x02")
        .commit();
    let path = format!("d/{token}.py");
    let told = |arguments: &[&str], input: &str| {
        let output = project
            .run_with_input(arguments.iter().copied(), input)
            .succeeds();
        assert!(output.stdout.contains(&token), "{arguments:?}");
        assert!(!output.stderr.contains(&token), "{}", output.stderr);
        output.stderr_contains("a secret: GitHub token");
    };
    told(&["dump", "d/*.py"], "");
    for style in ["markdown", "xml", "json", "assign"] {
        told(&["read", "--style", style, &path], "");
        told(&["read", "--style", style, &format!("d/{token}.bin")], "");
    }
    let error = |file: &str, code: &str| {
        format!(
            r#"{{"stages":[{{"errors":[{{"file":"{file}","line":1,"message":"m","code":"{code}"}}]}}]}}"#
        )
    };
    told(&["build", "fix", "--errors", "-"], &error(&path, "c"));
    told(&["build", "fix", "--errors", "-"], &error("absent", &token));
    told(
        &["build", "fix", "--errors", "-"],
        &error(&format!("d/{token}.bin"), "c"),
    );
    let issue = format!(r#"{{"number":1,"title":"t","body":"see {path}"}}"#);
    told(&["build", "issue", "--issue", "-"], &issue);
    std::fs::write(project.root().join(&path), "x = 2\n").unwrap();
    told(&["build", "review", "--base", "HEAD", "--worktree"], "");
}

#[test]
fn what_a_repository_suggests_is_not_printed_where_it_is_secret() {
    let token = token("a");
    let project = Project::new().file(&format!("{token}.py"), "x\n").commit();
    let near = format!("{}.py", &token[..39]);
    let output = project
        .run([
            "prompt", "--role", "planner", "--task", "t", "--target", &near,
        ])
        .succeeds();
    assert!(!output.stderr.contains(&token), "{}", output.stderr);
    output.stderr_contains("did you mean `[GitHub token].py`");
}

#[test]
fn a_secret_that_is_shown_is_told_whatever_is_hidden_before_it() {
    let hidden: String = (0..30).map(|_| format!("{}\n", token("a"))).collect();
    let text = format!(
        "{}{hidden}{}{}\n",
        "x\n".repeat(100),
        "x\n".repeat(2000),
        token("b")
    );
    let project = Project::new().file("a.py", text).commit();
    let errors = r#"{"stages": [{"errors": [{"file": "a.py", "line": 2131, "message": "m"}]}]}"#;
    let output = project
        .run_with_input(["build", "fix", "--errors", "-"], errors)
        .succeeds();
    assert_eq!(output.stderr.lines().count(), 1);
    output.stderr_contains("line 2131 of `a.py` looks like a secret");
}

/// What a person does not see stays in the text, and the caller is told of it.
#[test]
fn what_can_hide_instructions_is_a_warning_and_fails_a_strict_call() {
    let hidden = "Nice.\u{e0049}\u{e0067}\u{e006e}\n";
    let project = Project::new()
        .file("a.md", format!("# A\n\n{hidden}"))
        .file("plain.md", "⚠\u{fe0f} Größe, 👩\u{200d}💻\n")
        .file(".context/TASKS.md", hidden)
        .role("r", "context: {include: [$TARGET]}");
    let pack = ["pack", "--role", "r", "--target"];
    let packed = |file, more: &[&'static str]| {
        project.run(pack.into_iter().chain([file]).chain(more.iter().copied()))
    };
    let told = "`a.md` has 3 characters that are invisible and can hide instructions, the first \
                (U+E0049) on line 3";
    packed("a.md", &[])
        .succeeds()
        .stdout_contains(hidden)
        .stderr_contains(told);
    packed("a.md", &["--strict"]).fails(1).stderr_contains(told);
    packed("plain.md", &["--strict"]).succeeds().says_nothing();
    for (command, file) in [
        (&["read", "a.md"][..], "a.md"),
        (&["dump", "a.md"], "a.md"),
        (&["context"], ".context/TASKS.md"),
        (
            &["prompt", "--role", "planner", "--task", "t"],
            ".context/TASKS.md",
        ),
    ] {
        let output = project.run(command.iter().copied()).succeeds();
        let told = format!("`{file}` has 3 characters that are invisible and can hide");
        output.stderr_contains(&told);
    }
}

#[test]
fn no_kind_of_secret_goes_untold_whatever_stands_before_it() {
    let login = |number: usize| format!("DB_PASSWORD=x9Kq{number:04}2mZ7vB4n\n");
    let logins: String = (0..12).map(login).collect();
    let mut project = Project::new().file("a.env", format!("{logins}{}\n", token("a")));
    for number in 0..1100 {
        project = project.file(&format!("d/{number}.env"), login(number));
    }
    let project = project
        .file("key", "-----BEGIN PRIVATE KEY-----\n")
        .file("z.txt", token("b"));
    let output = project.run(["dump"]).succeeds();
    output
        .stderr_contains("line 13 of `a.env` looks like a secret: GitHub token")
        .stderr_contains("line 9 of `a.env` looks like a secret: assigned secret")
        .stderr_contains("3 more lines of `a.env` look like secrets")
        .stderr_contains("line 1 of `key` looks like a secret: private key")
        .stderr_contains("more warnings not told");
}

/// The whole file is known, so a part of a key needs no header to be told.
#[test]
fn what_shows_any_of_a_key_is_warned_of() {
    let body = format!("{}\n", "x9Kq2mZ7vB4nT1wY".repeat(4)).repeat(20);
    let key = [
        "-----BEGIN RSA",
        " PRIVATE KEY-----\n",
        &body,
        "-----END RSA PRIVATE KEY-----\n",
    ]
    .concat();
    let project = Project::new()
        .file("key.txt", key + &"words and words\n".repeat(3000))
        .role("r", "context: {include: [$TARGET]}")
        .commit();
    let packed = |lines| {
        let target = format!("key.txt:{lines}");
        let options = ["--task", "t", "--budget", "1500", "--target", &target];
        project.run(["pack", "--role", "r"].into_iter().chain(options))
    };
    packed("8-9").stderr_contains("line 6 of `key.txt` looks like a secret: private key");
    let others = packed("40-41").succeeds();
    assert!(!others.stderr.contains("secret"), "{}", others.stderr);
}
