//! The change that a prompt is about: what is staged, the work tree, a branch, a diff.

use std::fs;

use serde_json::json;

use crate::project::{Json, Project, words};

const PLAIN: &str = "context: {related: false}";
const DIFF: &str = "diff --git a/src/b.rs b/src/b.rs\n--- a/src/b.rs\n+++ b/src/b.rs\n\
                    @@ -1 +1 @@\n-fn before() {}\n+fn b() { crate::a() }\n";

/// A branch with a commit on it, something staged, something changed, something new.
fn worked_on() -> Project {
    let project = Project::new()
        .role("plain", PLAIN)
        .role(
            "latest",
            "context: {include: [$CHANGED_FILES], git_diff: true, change: latest}",
        )
        .file(".gitignore", "*.log\n")
        .file("a.rs", "fn a() {}\n")
        .file("b.rs", "fn b() {}\n")
        .file("c.rs", "fn c() {}\n")
        .file("gone.rs", "fn gone() {}\n")
        .commit()
        .branch("main")
        .branch("work");
    project.repository().set_head("refs/heads/work").unwrap();
    project.file("c.rs", "fn c() { committed() }\n").commit()
}

fn dirty() -> Project {
    let project = worked_on().file("b.rs", "fn b() { staged() }\n");
    project.stage();
    fs::remove_file(project.root().join("gone.rs")).unwrap();
    project
        .file("a.rs", "fn a() { changed() }\n")
        .file("new.rs", "fn new() {}\n")
        .file("ignored.log", "secret\n")
}

fn section<'a>(report: &'a Json, key: &str) -> Option<&'a Json> {
    let sections = report["sections"].as_array().unwrap();
    sections.iter().find(|section| section["key"] == key)
}

fn paths(report: &Json, key: &str) -> Vec<String> {
    let pieces = section(report, key).map(|section| section["pieces"].as_array().unwrap());
    let pieces = pieces.into_iter().flatten();
    pieces
        .map(|piece| piece["path"].as_str().unwrap_or_default().to_owned())
        .collect()
}

fn heading(report: &Json) -> String {
    let prompt = report["prompt"].as_str().unwrap();
    let line = prompt.lines().find(|line| line.contains("Git Diff"));
    line.unwrap_or_default().to_owned()
}

#[test]
fn an_option_names_the_change_in_any_role() {
    let project = dirty();
    let pack = |options: &[&str]| {
        let base = ["pack", "--role", "plain"];
        let report = project.json(base.iter().chain(options).copied());
        (heading(&report), paths(&report, "git_diff"))
    };
    let own = |title: &str, paths: &[&str]| {
        let paths = paths.iter().map(|path| (*path).to_owned());
        (format!("## Git Diff ({title})"), paths.collect::<Vec<_>>())
    };
    assert_eq!(
        pack(&["--worktree"]),
        own("Work Tree", &["a.rs", "b.rs", "gone.rs", "new.rs"])
    );
    assert_eq!(pack(&["--base", "main"]), own("Since main", &["c.rs"]));
    assert_eq!(
        pack(&["--base", "main", "--worktree"]),
        own(
            "Since main, Work Tree",
            &["a.rs", "b.rs", "c.rs", "gone.rs", "new.rs"]
        )
    );
    let given = project.outside().join("given.diff");
    fs::write(&given, DIFF).unwrap();
    let option = format!("@{}", given.display());
    assert_eq!(pack(&["--diff", &option]), own("Given", &["src/b.rs"]));
    // Without one the role decides.
    assert_eq!(pack(&[]), (String::new(), Vec::new()));
}

#[test]
fn the_latest_change_is_what_is_nearest_to_a_commit() {
    let project = dirty();
    let latest = || {
        let report = project.json(["pack", "--role", "latest"]);
        (heading(&report), paths(&report, "changed_files"))
    };
    assert_eq!(latest().1, ["b.rs"]);
    assert_eq!(latest().0, "## Git Diff (Staged)");
    // What is staged goes back, so that it is changed only.
    let repository = project.repository();
    let head = repository.head().unwrap().peel_to_commit().unwrap();
    let reset = git2::ResetType::Mixed;
    repository.reset(head.as_object(), reset, None).unwrap();
    assert_eq!(latest().0, "## Git Diff (Work Tree)");
    assert_eq!(latest().1, ["a.rs", "b.rs", "new.rs"]);
    let mut force = git2::build::CheckoutBuilder::new();
    repository
        .checkout_head(Some(force.force().remove_untracked(true)))
        .unwrap();
    assert_eq!(latest().0, "## Git Diff (Since main)");
    assert_eq!(latest().1, ["c.rs"]);
}

#[test]
fn where_nothing_changed_a_warning_says_so_once() {
    let project = worked_on();
    let repository = project.repository();
    repository.set_head("refs/heads/main").unwrap();
    let mut force = git2::build::CheckoutBuilder::new();
    repository.checkout_head(Some(force.force())).unwrap();
    let output = project.run(["pack", "--role", "latest"]).succeeds();
    assert_eq!(
        output.stderr,
        "warning: nothing is staged, no file differs from HEAD, and HEAD is not ahead of an \
         upstream, so there are no changed files\n"
    );
    let output = project
        .run(["pack", "--role", "plain", "--worktree"])
        .succeeds();
    assert_eq!(
        output.stderr,
        "warning: no file differs from HEAD, so there is no diff\n"
    );
    project
        .run(["pack", "--role", "plain", "--base", "nope"])
        .succeeds()
        .stderr_contains("warning: no diff: there is no branch or commit `nope`");
    // What a caller names and what is none is a mistake to whoever asks for no mistakes.
    for change in [
        &["--base", "nope"][..],
        &["--base", "HEAD"],
        &["--worktree"],
        &["--diff", "no diff at all"],
    ] {
        let arguments = [&["pack", "--role", "latest", "--strict"], change].concat();
        project
            .run(arguments)
            .fails(1)
            .stderr_contains("without `--strict`, this is a warning");
    }
    project
        .run(["pack", "--role", "latest", "--strict"])
        .succeeds();
}

#[test]
fn a_file_is_no_diff_and_is_told_how_it_is_read() {
    let project = worked_on().file("x.diff", "");
    let path = project.root().join("x.diff");
    let path = path.to_str().unwrap();
    project
        .run(["pack", "--role", "latest", "--diff", path])
        .fails(2)
        .stderr_contains("x.diff` is the name of a file, not a diff: use `--diff @");
}

#[test]
fn the_branch_at_origin_comes_before_the_main_one() {
    let project = worked_on();
    let repository = project.repository();
    let head = repository.head().unwrap().target().unwrap();
    let name = "refs/remotes/origin/work";
    repository.reference(name, head, true, "").unwrap();
    let project = project.file("a.rs", "fn a() { pushed_later() }\n").commit();
    let report = project.json(["pack", "--role", "latest"]);
    assert_eq!(heading(&report), "## Git Diff (Since origin/work)");
    assert_eq!(paths(&report, "changed_files"), ["a.rs"]);
}

#[test]
fn related_files_follow_the_change_of_the_caller() {
    let project = Project::new()
        .role("r", "context: {related: true}")
        .file("src/lib.rs", "pub mod tax;\npub mod bill;\n")
        .file(
            "src/tax.rs",
            "pub fn rate_of(land: &str) -> u32 {\n    land.len() as u32\n}\n",
        )
        .file(
            "src/bill.rs",
            "pub fn total() -> u32 {\n    crate::tax::rate_of(\"x\")\n}\n",
        )
        .commit()
        .file(
            "src/tax.rs",
            "pub fn rate_of(land: &str) -> u32 {\n    land.len() as u32 + 1\n}\n",
        );
    let report = project.json(words(
        "prompt --role r --task 'Review the change.' --worktree",
    ));
    assert_eq!(paths(&report, "git_diff"), ["src/tax.rs"]);
    assert_eq!(paths(&report, "related").first().unwrap(), "src/bill.rs");
    let reason = report["prompt"].as_str().unwrap();
    assert!(reason.contains("rate_of(\"x\")"));
}

#[test]
fn a_request_chooses_as_the_options_do() {
    let project = dirty();
    let ask = |request: &Json| {
        let request = request.to_string();
        let output =
            project.run_with_input(["pack", "--request", "-", "--format", "json"], &request);
        let report = output.succeeds().json();
        (heading(&report), paths(&report, "git_diff"))
    };
    let (title, files) = ask(&json!({"role": "plain", "worktree": true}));
    assert_eq!(title, "## Git Diff (Work Tree)");
    assert_eq!(files, ["a.rs", "b.rs", "gone.rs", "new.rs"]);
    assert_eq!(ask(&json!({"role": "plain", "base": "main"})).1, ["c.rs"]);
    assert_eq!(ask(&json!({"role": "plain", "diff": DIFF})).1, ["src/b.rs"]);
    // An option is another change, not one more.
    let request = json!({"role": "plain", "diff": DIFF}).to_string();
    let output = project.run_with_input(["pack", "--request", "-", "--base", "main"], &request);
    output.succeeds().stdout_contains("Git Diff (Since main)");
}

#[test]
fn two_changes_are_refused() {
    let project = dirty();
    let output = project.run(["pack", "--role", "plain", "--diff", "x", "--base", "main"]);
    assert_eq!(output.code, 2);
    let request = json!({"role": "plain", "diff": DIFF, "worktree": true}).to_string();
    let output = project.run_with_input(["pack", "--request", "-"], &request);
    assert_eq!(output.code, 1);
    assert!(
        output
            .stderr
            .contains("`diff` and `worktree` name different changes")
    );
}

#[test]
fn batch_and_server_take_a_change() {
    let project = dirty();
    let line = json!({"role": "plain", "flow": "files", "diff": DIFF});
    let output = project
        .run_with_input(["batch"], &format!("{line}\n"))
        .succeeds();
    let report: Json = serde_json::from_str(output.stdout.trim()).unwrap();
    assert_eq!(paths(&report, "git_diff"), ["src/b.rs"]);

    let call = |id: u32, arguments: Json| {
        json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "pack_context", "arguments": arguments},
        })
    };
    let hello = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    });
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let lines = [
        hello,
        ready,
        call(1, json!({"role": "plain", "base": "main"})),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let output = project.run_with_input(["mcp"], &input).succeeds();
    output.stdout_contains("Git Diff (Since main)");
}

#[test]
fn a_diff_leads_nowhere_that_a_repository_may_not() {
    let project = Project::new()
        .role("r", "context: {include: [$CHANGED_FILES], git_diff: true}")
        .file(".gitignore", "secret.env\n")
        .file("secret.env", "TOKEN=canary\n")
        .file("a.rs", "fn a() {}\n")
        .commit();
    let names = ["../outside", "/etc/hostname", ".git/config", "secret.env"];
    let diff: String = names
        .iter()
        .map(|name| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n"))
        .collect();
    fs::write(project.outside().join("outside"), "canary").unwrap();
    let request = json!({"role": "r", "diff": diff}).to_string();
    let output = project.run_with_input(["pack", "--request", "-", "--format", "json"], &request);
    let report = output.succeeds().json();
    let prompt = report["prompt"].as_str().unwrap();
    assert!(!prompt.contains("canary") && !prompt.contains("[core]"));
    // The diff itself is the caller's, and whole.
    assert_eq!(paths(&report, "git_diff").len(), names.len());
}

#[test]
fn of_many_files_that_are_not_there_the_first_are_told() {
    let project = Project::new().role("r", "context: {include: [$CHANGED_FILES]}");
    let name = |number| format!("diff --git a/{number} b/{number}\n");
    let diff: String = (1000..1500).map(name).collect();
    let request = json!({"role": "r", "diff": diff}).to_string();
    let output = project.run_with_input(["pack", "--request", "-"], &request);
    let output = output
        .succeeds()
        .stderr_contains("cannot read `1099`: no such file")
        .stderr_contains("400 warnings like these not shown");
    assert!(!output.stderr.contains("`1100`"));
}

#[test]
fn what_is_no_diff_is_shown_as_it_is() {
    let project = worked_on();
    let output = project.run(["pack", "--role", "plain", "--diff", "only words"]);
    output.succeeds().stdout_contains("only words");
}

#[test]
fn the_built_in_reviewer_sees_what_is_not_staged() {
    let project = worked_on().file("a.rs", "fn a() { changed() }\n");
    let output = project.run(["prompt", "--role", "reviewer", "--task", "Review."]);
    output
        .succeeds()
        .stdout_contains("## Git Diff (Work Tree)")
        .stdout_contains("+fn a() { changed() }");
}

#[test]
fn a_change_that_only_deletes_is_not_nothing() {
    let project = Project::new()
        .file("gone.rs", "fn gone() {}\n")
        .role("r", "context: {include: [$CHANGED_FILES], git_diff: true}")
        .commit();
    fs::remove_file(project.root().join("gone.rs")).unwrap();
    project.stage();
    let output = project.run(["pack", "--role", "r"]).succeeds();
    output
        .stdout_contains("deleted file mode")
        .stderr_contains("warning: the change only deletes files, so there are no changed files");
}

#[test]
fn a_given_diff_that_names_no_file_is_told_whatever_the_role_shows() {
    let project = Project::new().file("a.rs", "fn a() {}\n");
    for role in ["implementer", "planner", "reviewer"] {
        let arguments = [
            "prompt",
            "--role",
            role,
            "--task",
            "t",
            "--diff",
            "fix.patch",
        ];
        let told = "the given diff names no file";
        project.run(arguments).succeeds().stderr_contains(told);
        let strict = arguments.iter().chain(&["--strict"]).copied();
        project.run(strict).fails(1).stderr_contains(told);
    }
}

/// Of many files that are alike, the reviewer sees the one that uses what is gone.
#[test]
fn what_still_uses_what_a_change_took_out_is_what_a_reviewer_sees() {
    let body = "    let mut sum = 0;\n    sum += 1;\n    sum\n".repeat(20);
    let mut project = Project::new().file("src/total.rs", "pub fn old_total() -> u64 { 0 }\n");
    for letter in 'a'..='p' {
        let call = if letter == 'k' { "old_total()" } else { "0" };
        let text =
            format!("pub fn use_{letter}() -> u64 {{\n    let mut all = {call};\n{body}}}\n");
        project = project.file(&format!("src/{letter}.rs"), text);
    }
    let project = project
        .commit()
        .file("src/total.rs", "pub fn new_total() -> u64 { 0 }\n");
    let ask = [
        "prompt",
        "--role",
        "reviewer",
        "--task",
        "Rename it",
        "--budget",
        "3000",
        "--explain",
    ];
    let output = project.run(ask).succeeds();
    let output = output.stdout_contains("let mut all = old_total();");
    let line = output.stderr.lines().find(|line| line.contains("src/k.rs"));
    assert!(
        line.unwrap().contains("uses what the change took out"),
        "{}",
        output.stderr
    );
    assert_eq!(
        output.stderr.matches("took out").count(),
        1,
        "{}",
        output.stderr
    );
}

/// A caller of a file that was deleted is told of, beside a target that was not changed.
#[test]
fn what_uses_a_file_that_is_gone_is_told() {
    let project = Project::new()
        .file("src/sums.py", "def add_all(them):\n    return sum(them)\n")
        .file("src/bill.py", "def bill(them):\n    return add_all(them)\n")
        .file(
            "src/note.py",
            "def note(them):\n    return [add_all(them)]\n",
        )
        .file("src/pens.py", "import os\n\n\ndef pens():\n    return 1\n")
        .commit()
        .file("src/pens.py", "def pens():\n    return 2\n");
    fs::remove_file(project.root().join("src/sums.py")).unwrap();
    let told = |role: &[&str]| {
        let ask = ["prompt", "--task", "Go on", "--worktree", "--explain"];
        let output = project.run(ask.into_iter().chain(role.iter().copied()));
        let stderr = output.succeeds().stderr;
        let lines = stderr.lines().filter(|line| line.contains("took out"));
        let paths = lines.filter_map(|line| line.split_whitespace().next());
        let mut paths: Vec<String> = paths.map(str::to_owned).collect();
        paths.sort();
        paths
    };
    assert_eq!(
        told(&["--role", "reviewer"]),
        ["src/bill.py", "src/note.py"]
    );
    let with_target = ["--role", "implementer", "--target", "src/note.py"];
    assert_eq!(told(&with_target), ["src/bill.py"]);
}

/// Beside a change, what a target has to do with counts by the task as it does without.
#[test]
fn a_target_that_did_not_change_has_its_own_focus() {
    let body = |name: &str, calls: [&str; 4]| {
        let calls = calls.map(|call| format!("    {call}(it)\n")).concat();
        format!("def {name}(it):\n{calls}\n\n")
    };
    let (of_bed, of_clock) = (
        ["quilt", "pillow", "sheet", "slat"],
        ["wind", "tick", "chime", "hand"],
    );
    let project = Project::new()
        .file(
            "src/note.py",
            body("bed_up", of_bed) + &body("clock_up", of_clock),
        )
        .file("src/a.py", body("first", of_bed))
        .file("src/z.py", body("last", of_clock))
        .file("src/pens.py", "def pens():\n    return 1\n")
        .commit()
        .file("src/pens.py", "def pens():\n    return 2\n");
    let first = |others: &str| {
        let ask = "prompt --role implementer --target src/note.py --task 'Mend clock_up' ";
        let report = project.json(words(&(ask.to_owned() + others)));
        paths(&report, "related").first().cloned()
    };
    assert_eq!(first("").as_deref(), Some("src/z.py"));
    assert_eq!(first("--worktree").as_deref(), Some("src/z.py"));
}

/// What a change calls no longer is not said to use it.
#[test]
fn what_declares_a_name_that_a_change_took_out_is_told_as_that() {
    let project = Project::new()
        .file("src/sums.py", "def add_all(them):\n    return sum(them)\n")
        .file("src/bill.py", "def bill(them):\n    return add_all(them)\n")
        .commit()
        .file("src/bill.py", "def bill(them):\n    return 0\n");
    let ask = [
        "prompt",
        "--role",
        "reviewer",
        "--task",
        "Go on",
        "--explain",
    ];
    let output = project.run(ask).succeeds();
    output.stderr_contains("declares what the change uses no longer");
}
