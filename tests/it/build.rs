//! The four builders.

use std::collections::HashSet;
use std::fs;
use std::time::Duration;

use context_packer::builders::{
    Issue, TaskFile, Validation, Workspace, build_fix_context, build_implementation_context,
    build_issue_context, build_review_context,
};
use context_packer::tokens::Counter;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::project::{Project, words};

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

/// Runs `packer build` and reads what it prints.
fn build(project: &Project, arguments: &[&str], input: &str) -> Json {
    timed(project, arguments, input).0
}

/// The same with the time of the processor that it took.
fn timed(project: &Project, arguments: &[&str], input: &str) -> (Json, Duration) {
    let all = std::iter::once("build").chain(arguments.iter().copied());
    let output = project.run_with_input(all, input).succeeds();
    let json = output.json();
    assert_true(&json);
    (json, output.took)
}

/// Checks the figures of `_metadata` against the texts.
fn assert_true(json: &Json) {
    let metadata = &json["_metadata"];
    let number = |json: &Json| json.as_u64().unwrap();
    let (original, kept) = (
        number(&metadata["original_lines"]),
        number(&metadata["kept_lines"]),
    );
    assert!(kept <= original);
    if kept < original {
        assert_eq!(metadata["truncated"], true);
    }
    let truncated = metadata["truncated"].as_bool().unwrap();
    assert_eq!(
        truncated,
        !metadata["sections_affected"].as_array().unwrap().is_empty()
    );
    for files in ["changed_files", "source_files", "related_files"] {
        for (path, text) in json[files].as_object().into_iter().flatten() {
            let is_mark = |line: &&str| {
                line.starts_with("... [")
                    || line.ends_with("requested lines left out]")
                    || *line == "..."
                    || line.ends_with(" more lines truncated]")
            };
            let shown = text
                .as_str()
                .unwrap()
                .lines()
                .filter(|line| !is_mark(line))
                .count() as u64;
            let told = &metadata["files"][path];
            if told.is_object() {
                // A line that is cut in the middle is shown and not counted.
                let kept = number(&told["kept_lines"]);
                assert!(
                    shown == kept || truncated && shown == kept + 1,
                    "{path}: {shown} {told}\n{text}"
                );
            } else {
                assert!(
                    metadata["missing"]
                        .as_array()
                        .unwrap()
                        .contains(&json!(path)),
                    "{path}"
                );
            }
        }
    }
}

fn keys(json: &Json) -> Vec<&str> {
    json.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// A branch with a new, a changed, a renamed, a deleted, a binary and a large file.
fn branch() -> Project {
    let project = Project::new()
        .file("CLAUDE.md", "Be kind.\n")
        .file("large.txt", lines(5000))
        .file("small.rs", "fn a() {}\nfn b() {}\n")
        .file("old name.rs", lines(40))
        .file("gone.rs", "gone\n")
        .file("logo.png", b"\x89PNG\0one")
        .commit()
        .branch("base");
    for gone in ["gone.rs", "old name.rs"] {
        fs::remove_file(project.root().join(gone)).unwrap();
    }
    let large = lines(5000)
        .replace("line 2500\n", "changed\n")
        .replace("line 4000\n", "");
    project
        .file("large.txt", large)
        .file("small.rs", "fn a() {}\nfn c() {}\n")
        .file(
            "new name.rs",
            lines(40).replace("line 20\n", "line twenty\n"),
        )
        .file("logo.png", b"\x89PNG\0two")
        .file("added.rs", "fn added() {}\n")
        .commit()
}

#[test]
fn a_review_shows_what_the_branch_changed() {
    let project = branch();
    let review = build(&project, &["review", "--base", "base"], "");
    assert_eq!(
        keys(&review),
        ["diff", "changed_files", "conventions", "stats", "_metadata"]
    );
    assert_eq!(
        review["stats"],
        json!({"files_changed": 6, "insertions": 4, "deletions": 5})
    );
    assert_eq!(
        keys(&review["changed_files"]),
        ["added.rs", "large.txt", "new name.rs", "small.rs"]
    );
    assert_eq!(review["conventions"], "Be kind.\n");
    assert_eq!(review["_metadata"]["skipped_binary"], json!(["logo.png"]));
    assert_eq!(
        review["changed_files"]["small.rs"],
        "fn a() {}\nfn c() {}\n"
    );
    let diff = review["diff"].as_str().unwrap();
    assert!(
        diff.contains("rename from old name.rs\nrename to new name.rs")
            && diff.contains("deleted file mode")
    );
    insta::assert_snapshot!(review["changed_files"]["large.txt"].as_str().unwrap());
    assert_eq!(
        review["_metadata"]["files"]["large.txt"],
        json!({"original_lines": 4999, "kept_lines": 11 + 21 + 22})
    );
}

#[test]
fn a_changed_file_is_whole_below_500_lines() {
    let sizes = [499, 500, 501];
    let mut project = Project::new();
    for size in sizes {
        project = project.file(&format!("{size}.txt"), "old\n");
    }
    project = project.commit();
    for size in sizes {
        project = project.file(&format!("{size}.txt"), lines(size));
    }
    let review = build(&project, &["review", "--base", "HEAD", "--worktree"], "");
    for size in sizes {
        let told = json!({"original_lines": size, "kept_lines": size.min(499)});
        assert_eq!(review["_metadata"]["files"][format!("{size}.txt")], told);
    }
    assert_eq!(review["changed_files"]["499.txt"], lines(499));
}

#[test]
fn a_review_within_a_budget_keeps_the_changes() {
    let project = branch();
    for budget in [200, 350, 500] {
        let review = build(
            &project,
            &["review", "--base", "base", "--budget", &budget.to_string()],
            "",
        );
        let tokens = |text: &Json| text.as_str().unwrap().chars().count().div_ceil(4);
        let files = review["changed_files"].as_object().unwrap();
        let used = tokens(&review["diff"])
            + tokens(&review["conventions"])
            + files.values().map(tokens).sum::<usize>();
        assert!(
            used <= budget && used * 100 >= budget * 90,
            "{used} of {budget}"
        );
        assert!(
            files["large.txt"].as_str().unwrap().contains("changed\n"),
            "{budget}"
        );
        assert_eq!(review["_metadata"]["truncated"], true);
    }
    let all = build(
        &project,
        &["review", "--base", "base", "--budget", "520"],
        "",
    );
    assert_eq!(all, build(&project, &["review", "--base", "base"], ""));
}

#[test]
fn a_review_compares_with_the_merge_base_and_with_the_files_on_disk() {
    let project = branch();
    let repository = project.repository();
    // The base moves on; what it did since is no change of this branch.
    let base = repository
        .find_branch("base", git2::BranchType::Local)
        .unwrap();
    let at = base.get().peel_to_commit().unwrap();
    let author = at.author();
    let tree = repository
        .find_tree(repository.treebuilder(None).unwrap().write().unwrap())
        .unwrap();
    repository
        .commit(
            Some("refs/heads/base"),
            &author,
            &author,
            "Empty",
            &tree,
            &[&at],
        )
        .unwrap();
    let review =
        |arguments: &[&str]| build(&project, &[&["review", "--base"], arguments].concat(), "");
    assert_eq!(review(&["base"])["stats"]["files_changed"], 6);
    let project = Project::stage(&project);
    fs::write(project.root().join("small.rs"), "fn a() {}\n").unwrap();
    fs::write(project.root().join("unknown.rs"), "not added\n").unwrap();
    let disk = review(&["base", "--worktree"]);
    assert_eq!(disk["changed_files"]["small.rs"], "fn a() {}\n");
    assert!(disk["changed_files"]["unknown.rs"].is_null());
    project
        .run(["build", "review", "--base", "base", "--worktree"])
        .succeeds()
        .stderr_contains(
            "1 new file left out because git does not track them, such as `unknown.rs`",
        );
    assert_eq!(
        disk["stats"],
        json!({"files_changed": 6, "insertions": 3, "deletions": 5})
    );
    // Nothing changed against itself.
    let none = review(&["HEAD"]);
    assert_eq!(none["diff"], "");
    assert_eq!(
        none["stats"],
        json!({"files_changed": 0, "insertions": 0, "deletions": 0})
    );
    assert_eq!(none["_metadata"]["truncated"], false);
}

#[test]
fn a_base_that_is_none_is_a_warning_and_never_an_option() {
    let project = branch();
    for base in [
        "nope",
        "--output=x",
        "-x",
        ":/commit",
        "HEAD@{1}",
        "",
        "a\nb",
    ] {
        let argument = format!("--base={base}");
        let output = project.run(["build", "review", &argument]).succeeds();
        let review = output
            .stderr_contains("there is no branch or commit")
            .json();
        assert_eq!(review["diff"], "");
        assert_eq!(review["conventions"], "Be kind.\n");
    }
    assert!(!project.root().join("x").exists());
}

#[test]
fn git_that_cannot_tell_leaves_empty_values_and_a_warning() {
    let plain = Project::new()
        .file("tasks.md", "# Tasks\n")
        .file("a.rs", "x\n");
    let unborn = Project::new().file("tasks.md", "# Tasks\n");
    git2::Repository::init(unborn.root()).unwrap();
    let damaged = Project::new()
        .file("tasks.md", "# Tasks\n")
        .file(".git/HEAD", "garbage");
    for (project, why) in [
        (plain, "not a git repository"),
        (unborn, "no commits yet"),
        (damaged, "git repository"),
    ] {
        let run = |arguments: &[&str]| {
            let output = project.run_with_input(arguments.iter().copied(), "{\"body\": \"a.rs\"}");
            let output = output.succeeds().stderr_contains(why);
            serde_json::from_str::<Json>(&output.stdout).unwrap()
        };
        let built = run(&["build", "implementation", "--task-file", "tasks.md"]);
        assert_eq!(built["tasks"], "# Tasks\n");
        assert_eq!(built["recent_commits"], json!([]));
        assert_eq!(
            run(&["build", "review", "--base", "main"])["changed_files"],
            json!({})
        );
        assert_eq!(
            run(&["build", "issue", "--issue", "-"])["recent_changes"],
            json!([])
        );
    }
    let detached = branch();
    let repository = detached.repository();
    let head = repository.head().unwrap().peel_to_commit().unwrap().id();
    repository.set_head_detached(head).unwrap();
    let output = detached
        .run(["build", "implementation", "--task-file", "CLAUDE.md"])
        .succeeds();
    let output = output
        .stderr_contains("HEAD is detached")
        .stdout_contains("\"branch\": \"\"");
    assert!(output.stdout.contains("\"A commit\""));
}

#[test]
fn an_implementation_has_tasks_conventions_branch_and_commits() {
    let project = branch();
    let built = build(
        &project,
        &["implementation", "--task-file", "-"],
        "- [ ] one\n",
    );
    assert_eq!(
        keys(&built),
        [
            "tasks",
            "conventions",
            "branch",
            "recent_commits",
            "_metadata"
        ]
    );
    assert_eq!(built["tasks"], "- [ ] one\n");
    let commits = built["recent_commits"].as_array().unwrap();
    assert_eq!(commits.len(), 2);
    assert_eq!(keys(&commits[0]), ["hash", "message", "author", "date"]);
    assert_eq!(commits[0]["date"], "2023-11-14T22:13:20+00:00");
    assert_eq!(commits[0]["author"], "A. Tester");
    assert_eq!(commits[0]["hash"].as_str().unwrap().len(), 7);
    assert!(["main", "master"].contains(&built["branch"].as_str().unwrap()));
    assert_eq!(built["_metadata"]["original_lines"], 2);
}

#[test]
fn of_many_commits_the_last_ten_or_five_are_there() {
    let mut project = Project::new();
    for number in 1..=12 {
        project = project.file("n.txt", format!("{number}\n")).commit();
    }
    let count = |built: Json, key: &str| built[key].as_array().unwrap().len();
    let task = build(&project, &["implementation", "--task-file", "-"], "one\n");
    assert_eq!(count(task, "recent_commits"), 10);
    let issue = build(&project, &["issue", "--issue", "-"], "{\"number\": 1}");
    assert_eq!(count(issue, "recent_changes"), 5);
}

#[test]
fn the_nearest_conventions_win_and_long_ones_are_cut() {
    let project = Project::new()
        .file("CLAUDE.md", "root\n")
        .file("AGENTS.md", "not this one\n")
        .file("sub/AGENTS.md", lines(1500))
        .file("sub/deep/x", "")
        .file("style.md", "given\n")
        .commit();
    let conventions = |folder: &str, given: Option<&str>| {
        let mut workspace = Workspace::open(project.root())
            .unwrap()
            .working_folder(project.root().join(folder));
        if let Some(given) = given {
            workspace = workspace.conventions(given);
        }
        let built = build_implementation_context(TaskFile::Text("t".into()), &workspace);
        assert_true(&json!(built));
        built
    };
    assert_eq!(conventions("", None).conventions, "root\n");
    let long = conventions("sub/deep", None);
    assert!(
        long.conventions
            .ends_with("line 1000\n...\n[500 more lines truncated]\n")
    );
    assert_eq!(long.metadata.sections_affected, ["conventions"]);
    assert_eq!(long.metadata.files["sub/AGENTS.md"].kept_lines, 1000);
    assert_eq!(
        conventions("sub", Some("../style.md")).conventions,
        "given\n"
    );
    let missing = conventions("", Some("nope.md"));
    assert_eq!(missing.conventions, "root\n");
    assert_eq!(missing.metadata.missing, ["nope.md"]);
    // Above the root nothing is looked for.
    fs::write(project.outside().join("CLAUDE.md"), "CANARY").unwrap();
    fs::remove_file(project.root().join("CLAUDE.md")).unwrap();
    fs::remove_file(project.root().join("AGENTS.md")).unwrap();
    assert_eq!(conventions("", None).conventions, "");
}

#[test]
fn tasks_and_conventions_are_found_here_or_at_the_root() {
    let project = Project::new()
        .file("TASKS.md", "of the root\n")
        .file("style.md", "of the root\n")
        .file("sub/TASKS.md", "of sub\n")
        .file("sub/style.md", "of sub\n")
        .file("other/a.md", "x\n")
        .commit();
    let root = project.root().display().to_string();
    let outside = project.outside().to_owned();
    let of_root = json!(["of the root\n", "of the root\n"]);
    let built = |folder: &std::path::Path| {
        let command = "build implementation --task-file TASKS.md --conventions style.md";
        let mut packer = project.command();
        packer
            .current_dir(folder)
            .args(["-C", &root])
            .args(words(command));
        let output = packer.output().unwrap();
        let built: Json = serde_json::from_slice(&output.stdout).unwrap();
        json!([built["tasks"], built["conventions"]])
    };
    assert_eq!(built(&outside), of_root);
    assert_eq!(built(&project.root().join("other")), of_root);
    let of_sub = json!(["of sub\n", "of sub\n"]);
    assert_eq!(built(&project.root().join("sub")), of_sub);
}

#[test]
fn what_is_missing_is_empty_and_listed() {
    let project = branch();
    let built = build(&project, &["implementation", "--task-file", "nope.md"], "");
    assert_eq!(built["tasks"], "");
    assert_eq!(built["_metadata"]["missing"], json!(["nope.md"]));
    let errors = r#"{"stages": [{"name": "test", "errors": [{"file": "nope.rs", "line": 3, "message": "m"}]}]}"#;
    let built = build(
        &project,
        &[
            "fix",
            "--errors",
            "-",
            "nope.rs",
            "logo.png",
            "../x",
            "/etc/passwd",
        ],
        errors,
    );
    assert_eq!(
        built["source_files"],
        json!({"nope.rs": "", "../x": "", "/etc/passwd": ""})
    );
    assert_eq!(
        built["_metadata"]["missing"],
        json!(["nope.rs", "../x", "/etc/passwd"])
    );
    assert_eq!(built["_metadata"]["skipped_binary"], json!(["logo.png"]));
    assert_eq!(built["errors"][0]["file"], "nope.rs");
}

#[test]
fn long_lines_are_cut_and_said() {
    let project = Project::new()
        .file("tasks.md", format!("{}\nshort\n", "ä".repeat(3000)))
        .commit();
    let built = build(&project, &["implementation", "--task-file", "tasks.md"], "");
    assert_eq!(built["tasks"], format!("{}...\nshort\n", "ä".repeat(2000)));
    let metadata = &built["_metadata"];
    assert_eq!(
        (
            &metadata["truncated"],
            &metadata["kept_lines"],
            &metadata["original_lines"]
        ),
        (&json!(true), &json!(2), &json!(2))
    );
    assert_eq!(metadata["sections_affected"], json!(["tasks"]));
    let project = project.file("many.md", "x\n".repeat(50_001));
    let built = build(&project, &["implementation", "--task-file", "many.md"], "");
    assert!(
        built["tasks"]
            .as_str()
            .unwrap()
            .ends_with("x\n...\n[1 more lines truncated]\n")
    );
}

#[test]
fn three_formats_of_errors_say_the_same() {
    let project = Project::new()
        .file("src/lib.rs", lines(30))
        .file("src/a b.rs", "x\n")
        .commit();
    let stages = json!({"stages": [
        {"name": "types", "errors": [
            {"file": "./src/lib.rs", "line": 3, "column": 5, "message": "mismatched types", "severity": "error", "code": "E0308"},
            {"file": project.root().join("src/a b.rs"), "line": "1", "message": "unused", "severity": "warning", "code": null},
        ]},
        {"name": "tests", "errors": []},
    ]});
    let sarif = json!({"version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "t", "rules": [{"id": "E0308", "defaultConfiguration": {"level": "error"}}]}},
        "originalUriBaseIds": {"ROOT": {"uri": format!("file://{}/", project.root().display())}},
        "results": [
            {"ruleId": "E0308", "ruleIndex": 0, "message": {"text": "mismatched types"},
             "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/lib.rs"}, "region": {"startLine": 3}}}]},
            {"level": "warning", "message": {"text": "unused"},
             "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/a%20b.rs", "uriBaseId": "ROOT"}, "region": {"startLine": 1}}}]},
            {"level": "error", "message": {"text": "accepted"}, "suppressions": [{"kind": "inSource"}]},
            {"level": "error", "kind": "pass", "message": {"text": "passed"}},
        ],
    }]});
    let span = |file: &str, line: u32| json!({"file_name": file, "line_start": line, "is_primary": true, "label": null});
    let message = |text: &str, level: &str, code: Json, spans: Json| {
        json!({"reason": "compiler-message", "message": {"message": text, "level": level, "code": code, "spans": spans, "children": []}}).to_string()
    };
    let cargo = [
        "   Compiling something v0.1.0".to_owned(),
        json!({"reason": "compiler-artifact"}).to_string(),
        message(
            "mismatched types",
            "error",
            json!({"code": "E0308"}),
            json!([span("src/lib.rs", 3)]),
        ),
        message(
            "mismatched types",
            "error",
            json!({"code": "E0308"}),
            json!([span("src/lib.rs", 3)]),
        ),
        message(
            "unused",
            "warning",
            Json::Null,
            json!([span("src/a b.rs", 1)]),
        ),
        message(
            "aborting due to 1 previous error; 1 warning emitted",
            "error",
            Json::Null,
            json!([]),
        ),
        message(
            "For more information about this error, try `rustc --explain E0308`.",
            "failure-note",
            Json::Null,
            json!([]),
        ),
        json!({"reason": "build-finished", "success": false}).to_string(),
    ]
    .join("\n");
    // What a stage lists is what it failed with.
    let summaries = [
        "2 errors in 2 files",
        "1 error in 1 file",
        "1 error in 1 file",
    ];
    let inputs = [stages.to_string(), sarif.to_string(), cargo];
    for (input, summary) in inputs.into_iter().zip(summaries) {
        let built = build(&project, &["fix", "--errors", "-"], &input);
        assert_eq!(
            keys(&built),
            ["errors", "source_files", "error_summary", "_metadata"]
        );
        assert_eq!(
            built["errors"],
            json!([
                {"file": "src/lib.rs", "line": 3, "message": "mismatched types", "severity": "error", "code": "E0308"},
                {"file": "src/a b.rs", "line": 1, "message": "unused", "severity": "warning", "code": null},
            ]),
            "{input}"
        );
        assert_eq!(keys(&built["source_files"]), ["src/lib.rs", "src/a b.rs"]);
        assert_eq!(built["error_summary"], summary);
    }
}

#[test]
fn what_only_a_check_names_is_not_shown_if_git_ignores_it() {
    let project = Project::new()
        .file(".gitignore", ".env\n")
        .file(".env", "CANARY\n")
        .file("sub/src/a.rs", "x\n")
        .commit();
    let errors = json!({"stages": [{"errors": [
        {"file": ".env", "line": 1, "message": "m"},
        {"file": ".git/config", "line": 1, "message": "m"},
        {"file": "sub/../sub/src/a.rs", "line": 1, "message": "m"},
    ]}]});
    let input = errors.to_string();
    let output = project
        .run_with_input(["build", "fix", "--errors", "-"], &input)
        .succeeds();
    let output = output.stdout_lacks("CANARY").stdout_lacks("[core]");
    output
        .stdout_contains("\"sub/src/a.rs\": \"x\\n\"")
        .stderr_contains("`.env` is named by an error but not shown");
    // Asked for by its name it is.
    let output = project.run_with_input(["build", "fix", "--errors", "-", ".env"], &input);
    output.succeeds().stdout_contains("CANARY");
}

#[test]
fn a_build_that_failed_without_a_place_is_a_warning() {
    let failed = r#"{"reason": "build-finished", "success": false}"#;
    let output = Project::new().run_with_input(["build", "fix", "--errors", "-"], failed);
    output
        .succeeds()
        .stdout_contains("No errors")
        .stderr_contains("the build failed, but no message says where");
}

#[test]
fn a_stage_that_lists_nothing_is_read_by_its_output() {
    let project = Project::new().file("src/a.c", lines(9)).commit();
    let fix = |stages: Json| {
        let input = json!({"stages": stages}).to_string();
        let arguments = ["build", "fix", "--errors", "-"];
        let output = project.run_with_input(arguments, &input).succeeds();
        (output.json(), output.stderr.clone())
    };
    let output = "make: it begins\nsrc/a.c:3:9: error: no `x`\n";
    let failed =
        |output: &str| json!({"name": "types", "passed": false, "errors": [], "output": output});
    let (built, told) = fix(json!([failed(output)]));
    assert_eq!(built["errors"][0]["message"], "no `x`");
    assert_eq!(built["error_summary"], "1 error in 1 file");
    assert_eq!(told, "");
    let unread = "the stage `types` failed, but neither errors nor output say where";
    let (built, told) = fix(json!([failed("Killed.")]));
    assert_eq!(
        built["error_summary"],
        "No errors known, but the checks failed"
    );
    assert!(told.contains(unread), "{told}");
    let (_, told) = fix(json!([{"name": "types", "passed": false}]));
    assert!(told.contains(unread), "{told}");
    let passed = json!({"name": "types", "passed": true, "errors": [], "output": output});
    let (built, told) = fix(json!([passed, {"name": "lint", "output": output}]));
    assert_eq!(
        (&built["error_summary"], told.as_str()),
        (&"No errors".into(), "")
    );
    let (_, told) = fix(json!(["types", passed, 3]));
    assert!(told.contains("2 stages left out: not an object"), "{told}");
    for run in [
        json!({"success": false, "stages": [{"name": "types", "errors": []}]}),
        json!({"passed": "false", "stages": []}),
    ] {
        let arguments = ["build", "fix", "--errors", "-"];
        let output = project.run_with_input(arguments, &run.to_string());
        let output = output.succeeds().stderr_contains("no message says where");
        assert_eq!(
            output.json()["error_summary"],
            "No errors known, but the checks failed"
        );
    }
}

#[test]
fn a_stage_fails_however_it_says_so() {
    let project = Project::new()
        .file("src/a.c", lines(9))
        .file("src/b.c", lines(9))
        .commit();
    let fix = |stages: Json| {
        let input = json!({"stages": stages}).to_string();
        let arguments = ["build", "fix", "--errors", "-"];
        let output = project.run_with_input(arguments, &input).succeeds();
        (output.json(), output.stderr.clone())
    };
    for stage in [
        json!({"name": "t", "passed": false, "output": "src/a.c:3: warning: unused"}),
        json!({"name": "t", "passed": "false", "output": "src/a.c:3: warning: unused"}),
        json!({"name": "t", "success": false, "errors": "src/a.c:3: warning: unused"}),
        json!({"name": "t", "passed": false, "errors": ["src/a.c:3: warning: unused"]}),
    ] {
        let (built, told) = fix(json!([stage]));
        assert_eq!(
            built["error_summary"],
            "No errors known, but the checks failed"
        );
        assert_eq!(built["errors"][0]["severity"], "warning");
        assert!(told.contains("the stage `t` failed"), "{told}");
    }
    let (built, told) = fix(json!([{"passed": false, "errors": "src/a.c:3:5: error: bad"}]));
    assert_eq!(
        (&built["errors"][0]["message"], told.as_str()),
        (&"bad".into(), "")
    );
}

#[test]
fn what_one_stage_lists_changes_nothing_of_what_another_prints() {
    let project = Project::new()
        .file("src/a.c", lines(9))
        .file("src/b.c", lines(9))
        .commit();
    let listed = json!({"name": "lint", "errors": [
        {"file": "src/a.c", "line": 1, "message": "m", "severity": "warning"},
        {"file": "b.c", "line": 1, "message": "m"},
    ]});
    let output = "b.c:3: error: no\nb.c:4: warning: unused\nb.c:5: warning: unused\n";
    let printed = json!({"name": "types", "passed": false, "output": output});
    let input = json!({"stages": [listed, printed]}).to_string();
    let built = build(&project, &["fix", "--errors", "-"], &input);
    assert_eq!(built["error_summary"], "3 errors in 3 files");
    let files = built["errors"].as_array().unwrap().iter();
    let files: Vec<_> = files.map(|error| error["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["src/a.c", "b.c", "src/b.c", "src/b.c", "src/b.c"]);
}

#[test]
fn what_a_stage_lists_is_kept_whatever_its_keys() {
    let project = Project::new().file("src/a.c", lines(9)).commit();
    let listed = |error: Json| {
        let input = json!({"stages": [{"name": "types", "errors": [error]}]}).to_string();
        let arguments = ["build", "fix", "--errors", "-"];
        let output = project.run_with_input(arguments, &input).succeeds();
        let error = output.json()["errors"][0].clone();
        let parts = [&error["file"], &error["line"], &error["message"]];
        (json!(parts), output.stderr.clone())
    };
    let whole = json!(["src/a.c", 3, "no"]);
    for error in [
        json!("src/a.c:3:9: error: no"),
        json!({"path": "src/a.c", "line_number": 3, "msg": "no"}),
        json!({"file_path": "src/a.c", "line": "3", "text": "no"}),
        json!({"filename": "src/a.c", "file": null, "line": 3, "message": "no"}),
    ] {
        assert_eq!(
            listed(error.clone()),
            (whole.clone(), String::new()),
            "{error}"
        );
    }
    let (error, told) = listed(json!("It does not link."));
    assert_eq!(
        (error, told),
        (json!([null, null, "It does not link."]), String::new())
    );
    let (error, told) = listed(json!({"where": "src/a.c", "what": "no"}));
    assert_eq!(
        error,
        json!([null, null, r#"{"where":"src/a.c","what":"no"}"#])
    );
    let wanted = "1 error kept as written: neither a file nor a message";
    assert!(told.contains(wanted), "{told}");
}

#[test]
fn many_errors_mentions_and_changes_cost_little() {
    let project = Project::new().file("a.rs", lines(60_000)).commit();
    let errors: Vec<Json> = (1..30_000)
        .map(|n| json!({"file": "a.rs", "line": n, "message": format!("m{n}")}))
        .collect();
    let stages = json!({"stages": [{"errors": errors}]}).to_string();
    let (_, of_fix) = timed(&project, &["fix", "--errors", "-"], &stages);
    let body = "a.rs:1-60000 src/none.rs:3 Word ".repeat(3000);
    let body = json!({"body": body}).to_string();
    let (_, of_issue) = timed(&project, &["issue", "--issue", "-"], &body);
    let project = project.branch("base");
    let project = (0..2000)
        .fold(project, |project, n| {
            project.file(&format!("d/{n}.rs"), "x\n")
        })
        .commit();
    let (review, of_review) = timed(&project, &["review", "--base", "base"], "");
    assert_eq!(review["changed_files"].as_object().unwrap().len(), 2000);
    // Unoptimised; each was half a minute and more.
    let took = of_fix + of_issue + of_review;
    assert!(took.as_secs() < 10, "{took:?}");
}

#[test]
fn a_large_text_is_compared_as_text() {
    let project = Project::new()
        .file("big.txt", lines(120_000))
        .commit()
        .branch("base");
    let changed = lines(120_000).replace("line 60000\n", "changed\n");
    let project = project.file("big.txt", changed).commit();
    let review = build(&project, &["review", "--base", "base"], "");
    assert_eq!(
        review["stats"],
        json!({"files_changed": 1, "insertions": 1, "deletions": 1})
    );
    assert!(
        review["changed_files"]["big.txt"]
            .as_str()
            .unwrap()
            .contains("changed\n")
    );
}

#[test]
fn a_file_that_is_shown_twice_is_told_once() {
    let project = Project::new()
        .file("CLAUDE.md", lines(1500))
        .commit()
        .branch("base");
    let project = project
        .file("CLAUDE.md", lines(1500).replace("line 1400\n", "x\n"))
        .commit();
    let review = project
        .run(["build", "review", "--base", "base"])
        .succeeds()
        .json();
    assert_eq!(
        review["_metadata"]["files"]["CLAUDE.md"]["kept_lines"],
        1000
    );
    assert_eq!(
        review["_metadata"]["kept_lines"],
        1000 + 11 + 22 + review["diff"].as_str().unwrap().lines().count()
    );
}

#[test]
fn paths_from_another_machine_are_matched_by_their_end() {
    let project = Project::new()
        .file("src/lib.rs", "x\n")
        .file("lib.rs", "y\n")
        .commit();
    let file = |path: &str| {
        let errors = json!({"stages": [{"errors": [{"file": path, "line": 1, "message": "m"}]}]});
        build(&project, &["fix", "--errors", "-"], &errors.to_string())["errors"][0]["file"].clone()
    };
    assert_eq!(file("/home/runner/work/p/p/src/lib.rs"), "src/lib.rs");
    assert_eq!(file("/usr/lib.rs"), "/usr/lib.rs");
    assert_eq!(file("../src/lib.rs"), "../src/lib.rs");
}

#[test]
fn a_path_of_windows_is_found_in_every_format() {
    let project = Project::new()
        .file("src/a.rs", "x\n")
        .file("src/b.rs", "x\n")
        .file("own/src\\b.rs", "x\n")
        .commit();
    let file = |input: &Json| {
        let built = build(&project, &["fix", "--errors", "-"], &input.to_string());
        built["errors"][0]["file"].clone()
    };
    let listed = |path: &str| {
        let error = json!({"file": path, "line": 1, "message": "m"});
        json!({"stages": [{"errors": [error]}]})
    };
    for path in [
        "src\\a.rs",
        ".\\src\\a.rs",
        "C:\\work\\src\\a.rs",
        "C:/work/src/a.rs",
    ] {
        let span = json!({"file_name": path, "line_start": 1, "is_primary": true});
        let message = json!({"message": "m", "level": "error", "spans": [span], "children": []});
        let place = json!({"physicalLocation": {"artifactLocation": {"uri": path}}});
        let result = json!({"level": "error", "message": {"text": "m"}, "locations": [place]});
        for input in [
            listed(path),
            json!({"reason": "compiler-message", "message": message}),
            json!([{"filePath": path, "messages": [{"line": 1, "message": "m", "severity": 2}]}]),
            json!({"runs": [{"results": [result]}]}),
        ] {
            assert_eq!(file(&input), "src/a.rs", "{input}");
        }
    }
    // A name may have such a sign, too, and what does not exist is told as it is written.
    let own = if cfg!(windows) {
        "own/src/b.rs"
    } else {
        "own/src\\b.rs"
    };
    assert_eq!(file(&listed("own/src\\b.rs")), own);
    assert_eq!(file(&listed("src\\none.rs")), "src\\none.rs");
}

#[test]
fn a_path_that_is_too_long_for_a_file_costs_no_time() {
    let project = Project::new().file("src/lib.rs", "x\n").commit();
    for start in ["/", ""] {
        let path = format!("{start}{}src/lib.rs", "a/".repeat(100_000));
        let errors = json!({"stages": [{"errors": [{"file": path, "line": 1, "message": "m"}]}]});
        let begin = std::time::Instant::now();
        let fix = build(&project, &["fix", "--errors", "-"], &errors.to_string());
        assert!(begin.elapsed().as_secs() < 10);
        let found = if start.is_empty() {
            Json::Null
        } else {
            "src/lib.rs".into()
        };
        assert_eq!(fix["errors"][0]["file"], found);
    }
}

#[test]
fn real_output_of_compilers_and_linters_is_read() {
    let fixture = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(name);
        fs::read_to_string(path).unwrap()
    };
    let cargo = Validation::parse(&fixture("cargo-check.json")).unwrap();
    let ruff = Validation::parse(&fixture("ruff.sarif")).unwrap();
    let found = json!([cargo.errors, ruff.errors]);
    insta::assert_snapshot!(format!("{found:#}"));
}

#[test]
fn the_summary_counts_errors_and_files() {
    let project = Project::new();
    let workspace = Workspace::open(project.root()).unwrap();
    let summary = |files: &[&str]| {
        let errors: Vec<Json> = files
            .iter()
            .enumerate()
            .map(|(n, file)| json!({"file": file, "line": n + 1, "message": "m"}))
            .collect();
        let validation =
            Validation::parse(&json!({"stages": [{"errors": errors}]}).to_string()).unwrap();
        build_fix_context::<&str>(&validation, &[], &workspace)
            .error_summary
            .clone()
    };
    assert_eq!(summary(&[]), "No errors");
    assert_eq!(summary(&["a"]), "1 error in 1 file");
    assert_eq!(summary(&["a", "./a", "a"]), "3 errors in 1 file");
    assert_eq!(summary(&["a", "b", "a"]), "3 errors in 2 files");
    assert!(Validation::parse("").unwrap().errors.is_empty());
    for wrong in ["{}", "nothing known", "[1]", "{\"stages\": 1}"] {
        assert!(Validation::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn lines_around_every_error_survive() {
    let project = Project::new()
        .file("big.py", lines(60_000))
        .file("other.py", lines(700))
        .commit();
    let at = [1, 30, 55_000, 60_000, 70_000];
    let errors: Vec<Json> = at
        .iter()
        .map(|line| json!({"file": "big.py", "line": line, "message": "m"}))
        .collect();
    let input = json!({"stages": [{"errors": errors}]}).to_string();
    let built = build(
        &project,
        &["fix", "--errors", "-", "big.py", "other.py"],
        &input,
    );
    let big = built["source_files"]["big.py"].as_str().unwrap();
    for line in (1..=11)
        .chain(20..=40)
        .chain(54_990..=55_010)
        .chain(59_990..=60_000)
    {
        assert!(big.contains(&format!("line {line}\n")), "{line}");
    }
    assert_eq!(
        built["_metadata"]["files"]["big.py"]["kept_lines"],
        11 + 21 + 21 + 11
    );
    let other = built["source_files"]["other.py"].as_str().unwrap();
    assert!(other.ends_with("line 499\n...\n[201 more lines truncated]\n"));
    assert_eq!(built["errors"].as_array().unwrap().len(), 5);
}

/// A bracket that nobody closes is reported on the line behind the last one.
#[test]
fn an_error_behind_the_end_of_a_file_shows_its_end() {
    let project = Project::new().file("big.ts", lines(700)).commit();
    let kept = |line: usize, more: &[&str]| {
        let error = json!({"file": "big.ts", "line": line, "message": "'}' expected."});
        let input = json!({"stages": [{"errors": [error]}]}).to_string();
        let arguments = ["fix", "--errors", "-", "big.ts"];
        let built = build(&project, &[&arguments, more].concat(), &input);
        assert_eq!(built["errors"][0]["line"], line);
        built["source_files"]["big.ts"].as_str().unwrap().to_owned()
    };
    let end: String = (690..=700).map(|line| format!("line {line}\n")).collect();
    for line in [701, 710] {
        let text = format!("line 1\n... [688 lines skipped] ...\n{end}");
        assert_eq!(kept(line, &[]), text, "{line}");
    }
    assert!(
        kept(701, &["--context-lines", "0"]).ends_with("... [698 lines skipped] ...\nline 700\n")
    );
    assert!(kept(711, &[]).ends_with("line 499\n...\n[201 more lines truncated]\n"));
}

/// What a worker needs of a file with an error is what lies around it, unless the file is
/// short or the caller wants more.
#[test]
fn a_file_with_an_error_is_whole_only_if_it_is_short() {
    let project = Project::new()
        .file("short.py", lines(99))
        .file("long.py", lines(300))
        .file("other.py", lines(300))
        .commit();
    let error = |file: &str| json!({"file": file, "line": 50, "message": "m"});
    let errors = [error("short.py"), error("long.py")];
    let input = json!({"stages": [{"errors": errors}]}).to_string();
    let kept = |more: &[&str]| {
        let files = ["fix", "--errors", "-", "short.py", "long.py", "other.py"];
        let all: Vec<&str> = files.iter().chain(more).copied().collect();
        let built = build(&project, &all, &input);
        let kept = |file: &str| built["_metadata"]["files"][file]["kept_lines"].clone();
        ["short.py", "long.py", "other.py"].map(|file| kept(file).as_u64().unwrap())
    };
    // Its first and last line, too, where it is less than a tenth.
    assert_eq!(kept(&[]), [99, 23, 300]);
    assert_eq!(kept(&["--max-lines", "300"]), [99, 300, 300]);
    assert_eq!(kept(&["--max-lines", "98"]), [21, 23, 98]);
    // Where less than a tenth is left, the end is there too.
    let built = build(
        &project,
        &["fix", "--errors", "-", "--max-lines", "20", "other.py"],
        &input,
    );
    assert_eq!(built["_metadata"]["severe"], true);
    let other = built["source_files"]["other.py"].as_str().unwrap();
    assert!(
        other.ends_with("line 19\n... [280 lines skipped] ...\nline 300\n"),
        "{other}"
    );
}

#[test]
fn errors_that_differ_in_their_column_alone_are_all_there() {
    let project = Project::new().file("a.py", lines(20)).commit();
    let error =
        |line, column| json!({"file": "a.py", "line": line, "column": column, "message": "m"});
    let errors = [error(3, 1), error(3, 9), error(0, 0)];
    let input = json!({"stages": [{"name": "lint", "errors": errors}]}).to_string();
    let built = build(&project, &["fix", "--errors", "-"], &input);
    assert_eq!(built["errors"].as_array().unwrap().len(), 3);
    assert_eq!(built["errors"][2]["line"], 0);
    assert_eq!(built["error_summary"], "3 errors in 1 file");
}

#[test]
fn an_error_of_one_file_under_several_paths_is_told_once() {
    let project = Project::new().file("src/a.py", lines(9)).commit();
    let whole = project.root().join("src/a.py");
    let printed = format!(
        "src/a.py:3:4: x\n./src/a.py:3:4: x\n{}:3:4: x\nsrc/a.py:3:5: x\n",
        whole.display()
    );
    let built = build(&project, &["fix", "--errors", "-"], &printed);
    assert_eq!(built["errors"].as_array().unwrap().len(), 2);
    assert_eq!(built["error_summary"], "2 errors in 1 file");
}

/// Counts what is shown of files with lines of all lengths, whatever the budget.
#[test]
fn figures_are_those_of_what_comes_out_in_any_budget() {
    let line = |n: usize| format!("{n}:{};\n", "x".repeat(n * 37 % 90));
    let numbered: String = (1..=900).map(line).collect();
    let project = Project::new()
        .file("a.py", &numbered)
        .file("b.py", &numbered)
        .file("c.py", format!("{}\n", "y".repeat(20_000)))
        .commit();
    let workspace = Workspace::open(project.root()).unwrap();
    let errors = [5, 40, 41, 800].map(|line| json!({"file": "a.py", "line": line, "message": "m"}));
    let input = json!({"stages": [{"errors": errors}]}).to_string();
    let validation = Validation::parse(&input).unwrap();
    let all: HashSet<&str> = numbered.lines().collect();
    for budget in (0..400).step_by(7).chain([20, 1000, 4000]) {
        let built = build_fix_context(&validation, &["a.py", "b.py", "c.py"], &workspace);
        // Twice, since what was cut may be cut again.
        let built = built
            .fit(budget * 3, Counter::Chars)
            .fit(budget, Counter::Chars);
        let mut severe = false;
        for (path, text) in &built.source_files.0 {
            let kept = text.lines().filter(|line| all.contains(line)).count();
            let told = built.metadata.files[path];
            assert_eq!(told.kept_lines, kept, "{budget} {path}\n{text}");
            let is_mark = |line: &&str| line.contains("skipped") || line.contains("truncated");
            for mark in text.lines().filter(is_mark) {
                let is_whole = mark.ends_with(" lines skipped] ...")
                    || mark.ends_with(" more lines truncated]");
                assert!(is_whole, "{budget} {path}: {mark}");
            }
            let own = text.lines().filter(|line| !is_mark(line) && *line != "...");
            let shown: usize = own.map(|line| line.chars().count() + 1).sum();
            let whole = if path == "c.py" {
                20_001
            } else {
                numbered.len()
            };
            severe |= shown * 10 < whole;
        }
        assert_eq!(built.metadata.severe, severe, "{budget}");
    }
}

#[test]
fn an_issue_brings_the_files_that_it_names() {
    let project = Project::new()
        .file("src/a.rs", lines(40))
        .file("src/deep/parser.rs", lines(900))
        .file("docs/my file.md", "spaces\n")
        .file("Makefile", "all:\n")
        .file(".gitignore", ".env\n")
        .file(".env", "TOKEN=1\n")
        .file("x/twin.rs", "")
        .file("y/twin.rs", "")
        .commit();
    fs::write(project.outside().join("secret.txt"), "CANARY").unwrap();
    let body = "It breaks in [the parser](src/deep/parser.rs#L400-L410), see `./src/a.rs:12` and (Makefile).\n\
                Also \"docs/my file.md\", parser.rs:800, twin.rs, src/, missing.rs, .env, .git/config and ../secret.txt";
    let issue = json!({"number": 7, "title": "Crash", "body": body, "labels": ["bug", {"name": "p1"}],
        "state": "OPEN", "assignees": [], "url": "https://example.org/7"});
    let built = build(&project, &["issue", "--issue", "-"], &issue.to_string());
    assert_eq!(
        keys(&built),
        ["issue", "related_files", "recent_changes", "_metadata"]
    );
    assert_eq!(
        keys(&built["issue"]),
        ["number", "title", "body", "labels", "state", "url"]
    );
    let told = json!({"number": 7, "title": "Crash", "body": body, "labels": ["bug", "p1"],
        "state": "OPEN", "url": "https://example.org/7"});
    assert_eq!(built["issue"], told);
    assert_eq!(
        keys(&built["related_files"]),
        [
            "src/deep/parser.rs",
            "src/a.rs",
            "Makefile",
            "docs/my file.md"
        ]
    );
    let parser = built["related_files"]["src/deep/parser.rs"]
        .as_str()
        .unwrap();
    for line in [390, 400, 410, 420, 790, 800, 810] {
        assert!(parser.contains(&format!("line {line}\n")), "{line}");
    }
    assert!(!parser.contains("line 389\n") && !parser.contains("line 500\n"));
    assert_eq!(built["recent_changes"].as_array().unwrap().len(), 1);
    let output = project.run_with_input(["build", "issue", "--issue", "-"], &issue.to_string());
    output.stderr_contains("`.env` is named by the issue but not shown");
}

#[test]
fn a_path_in_an_issue_is_found_beside_any_sign() {
    let project = Project::new()
        .file("src/a.py", "x\n")
        .file("src/c.rs", "x\n")
        .file("src/a+b.py", "x\n")
        .file("src/b.py", "x\n")
        .file("v1", "x\n")
        .file("nTraceback", "x\n")
        .commit();
    let related = |body: &str| {
        let issue = json!({"title": "t", "body": body}).to_string();
        let built = build(&project, &["issue", "--issue", "-"], &issue);
        keys(&built["related_files"])
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let before = ["@", "#", "$", "%", "&", "+", "^", "•", "➜", "!"];
    for sign in before {
        assert_eq!(
            related(&format!("see {sign}src/a.py")),
            ["src/a.py"],
            "{sign}"
        );
    }
    for sign in [
        "—the parser",
        "–12",
        "=1",
        "=",
        "&",
        "%",
        "+",
        "$",
        "^",
        "@v1",
        "\\",
        "\\nTraceback",
        "!see",
        "&quot;",
    ] {
        assert_eq!(
            related(&format!("src/a.py{sign} is")),
            ["src/a.py"],
            "{sign}"
        );
    }
    for sign in ["=>", "+", "&"] {
        let body = format!("src/a.py{sign}src/c.rs");
        assert_eq!(related(&body), ["src/a.py", "src/c.rs"], "{sign}");
    }
    // A sign in a name is none beside it, and an address is no path.
    assert_eq!(related("src/a+b.py"), ["src/a+b.py"]);
    assert!(related("https://example.org/?file=src/a.py").is_empty());
    assert!(related("me@v1 and nTraceback\\\\n").is_empty());
}

#[test]
fn a_path_in_an_issue_from_another_machine_is_found_by_its_end() {
    let project = Project::new()
        .file("src/app/db.py", lines(900))
        .file("docs/index.html", "x\n")
        .file("json/decoder.py", "x\n")
        .file("adapters/poll.h", "x\n")
        .file("app/twin.py", "x\n")
        .file("src/app/twin.py", "x\n")
        .commit();
    let related = |body: &str| {
        let issue = json!({"title": "t", "body": body}).to_string();
        build(&project, &["issue", "--issue", "-"], &issue)["related_files"].clone()
    };
    for body in [
        "  File \"/home/alice/work/shop/src/app/db.py\", line 700, in main",
        "it is /app/src/app/db.py:700:3",
        "shop/src/app/db.py:700",
        "file=/app/src/app/db.py:700",
    ] {
        let files = related(body);
        assert_eq!(keys(&files), ["src/app/db.py"], "{body}");
        let text = files["src/app/db.py"].as_str().unwrap();
        assert!(text.contains("line 690\n") && !text.contains("line 500\n"));
    }
    for body in [
        "hiredis-1.2.0/adapters/poll.h",
        "my.project/adapters/poll.h",
        "next.js/adapters/poll.h:1",
    ] {
        assert_eq!(keys(&related(body)), ["adapters/poll.h"], "{body}");
    }
    for body in [
        "at f (file:///home/alice/shop/src/app/db.py:700:2)",
        "file:///src/app/db.py:700",
        "webpack:///./src/app/db.py:700",
        "webpack://shop/./src/app/db.py:700",
        "webpack-internal:///./src/app/db.py:700:1",
        "(http://localhost:3000/src/app/db.py:700:2)",
        "http://localhost:5173/src/app/db.py?t=17:700:2",
        "https://127.0.0.1/src/app/db.py:700",
        "at http://[::1]:3000/src/app/db.py:700:2",
    ] {
        let files = related(body);
        assert_eq!(keys(&files), ["src/app/db.py"], "{body}");
        let text = files["src/app/db.py"].as_str().unwrap();
        assert!(text.contains("line 690\n"), "{body}");
    }
    for body in [
        "http://localhost.example.org/docs/index.html",
        "http://localhost:x/docs/index.html",
        "ftp://localhost/docs/index.html",
        "https://example.org/docs/index.html",
        "example.org/docs/index.html",
        "127.0.0.1/docs/index.html",
        "//example.org/docs/index.html",
        "www.example.org/docs/index.html",
        "localhost:8000/docs/index.html",
        "/usr/lib/python3.12/json/decoder.py",
        "/srv/shop/app/twin.py",
        "/srv/shop/db.py",
    ] {
        assert_eq!(keys(&related(body)), [""; 0], "{body}");
    }
}

#[test]
fn an_issue_without_paths_or_fields_is_complete_all_the_same() {
    let project = Project::new().file("a.rs", "x\n").commit();
    let built = build(
        &project,
        &["issue", "--issue", "-"],
        r#"{"title": "t", "body": null}"#,
    );
    assert_eq!(built["related_files"], json!({}));
    assert_eq!(
        built["issue"],
        json!({"number": 0, "title": "t", "body": "", "labels": [], "state": "", "url": ""})
    );
    for wrong in ["[]", "{", "1"] {
        let output = project
            .run_with_input(["build", "issue", "--issue", "-"], wrong)
            .fails(1);
        output
            .stderr_contains("cannot use the issue")
            .stderr_contains("gh issue view");
    }
    let many: String = (0..15).map(|n| format!("f{n}.rs ")).collect();
    let project = (0..15).fold(project, |project, n| {
        project.file(&format!("f{n}.rs"), "x\n")
    });
    let issue = json!({"body": many}).to_string();
    let built = build(&project, &["issue", "--issue", "-"], &issue);
    assert_eq!(built["related_files"].as_object().unwrap().len(), 10);
    let output = project.run_with_input(["build", "issue", "--issue", "-"], &issue);
    output.stderr_contains("5 more files named by the issue not shown");
}

#[test]
fn an_issue_is_read_in_an_event_and_an_empty_one_is_told() {
    let project = Project::new().file("a.rs", "x\n").commit();
    let read = |issue: &Json| {
        let arguments = ["build", "issue", "--issue", "-"];
        let output = project.run_with_input(arguments, &issue.to_string());
        let output = output.succeeds();
        (output.json(), output.stderr.clone())
    };
    let inner = json!({"number": 7, "title": "t", "body": "a.rs", "labels": [{"name": "bug"}],
        "url": "https://api.example.org/7", "html_url": "https://example.org/7"});
    for event in [
        inner.clone(),
        json!({"action": "opened", "issue": inner}),
        json!({"action": "opened", "number": 7, "pull_request": inner}),
    ] {
        let (built, told) = read(&event);
        assert_eq!(built["issue"]["number"], 7, "{event}");
        assert_eq!(built["issue"]["labels"], json!(["bug"]));
        assert_eq!(built["issue"]["url"], "https://example.org/7");
        assert_eq!(
            (keys(&built["related_files"]), told),
            (vec!["a.rs"], String::new())
        );
    }
    for labels in [
        json!("bug"),
        json!(["bug"]),
        json!({"nodes": [{"name": "bug"}]}),
    ] {
        let (built, _) = read(&json!({"title": "t", "labels": labels}));
        assert_eq!(built["issue"]["labels"], json!(["bug"]), "{labels}");
    }
    for empty in [
        json!({}),
        json!({"title": ["x"]}),
        json!({"body": {"a": 1}}),
    ] {
        let (_, told) = read(&empty);
        assert!(
            told.contains("neither `title` nor `body` is a text"),
            "{empty}: {told}"
        );
    }
    // Of a pull request that is listed as an issue, this says only where it is.
    let (built, _) = read(&json!({"title": "t", "pull_request": {"title": "u"}}));
    assert_eq!(built["issue"]["title"], "t");
}

#[test]
fn a_result_can_be_rendered_by_the_template_in_the_docs() {
    let template =
        crate::readme::blocks(&crate::readme::read("docs/builders.md"), "jinja").remove(0);
    let project = Project::new()
        .file("src/lib.rs", "fn a() -> u32 {\n    \"x\"\n}\n")
        .file("prompts/fix.j2", template)
        .role("r", "");
    let errors = r#"{"stages": [{"errors": [{"file": "src/lib.rs", "line": 2, "message": "mismatched types"}]}]}"#;
    let built = project
        .run_with_input(["build", "fix", "--errors", "-"], errors)
        .succeeds()
        .stdout;
    let command = "render fix.j2 --prompts-dir prompts --allow-template fix.j2 --role r \
                   --task 'Mend it.' --data fix=@- --strict";
    let output = project
        .run_with_input(words(command), &built)
        .succeeds()
        .says_nothing();
    insta::assert_snapshot!(output.stdout);
    let request = json!({"template": "fix.j2", "role": "r", "task": "Mend it.", "data": {"fix": serde_json::from_str::<Json>(&built).unwrap()}});
    let command = "render --prompts-dir prompts --allow-template fix.j2 --request -";
    let same = project
        .run_with_input(words(command), &request.to_string())
        .succeeds();
    assert_eq!(same.stdout, output.stdout);
    let arguments = ["pack", "--role", "r", "--data", "fix=nope"];
    project
        .run(arguments)
        .fails(1)
        .stderr_contains("the data `fix` is not JSON");
}

/// A template has all of it twice, so it has less room than what is read once.
#[test]
fn data_that_is_too_much_is_refused_before_there_is_no_memory_left() {
    let many = format!("[{}0]", "{\"a\":[{}]},".repeat(20_000));
    let project = Project::new().role("r", "").file("many.json", &many);
    let command = "prompt --role r --task x --data a=@many.json --data b=@many.json";
    project
        .run(words(command))
        .fails(1)
        .stderr_contains("the data `a` is too large: pass fewer values")
        .stderr_contains("its values take more than 16 MiB");
    let most = |key: &str| format!("{{\"role\":\"r\",\"task\":\"x\",\"{key}\":{{\"a\":{many}}}}}");
    let command = "prompt --request -";
    project
        .run_with_input(words(command), &most("data"))
        .fails(1)
        .stderr_contains("the data is too large")
        .stderr_contains("takes more than 16 MiB");
    let twice = format!("{{\"a\":{many},{}", &most("data")[1..]);
    project
        .run_with_input(words(command), &twice)
        .fails(1)
        .stderr_contains("its values take more than 24 MiB");
}

#[cfg(unix)]
#[test]
fn builders_read_nothing_through_links_that_they_would_not_read_directly() {
    let project = Project::new()
        .file(".gitignore", ".env\n")
        .file(".env", "CANARY\n")
        .link(".env", "CLAUDE.md")
        .link("../secret.txt", "out.rs")
        .commit();
    fs::write(project.outside().join("secret.txt"), "CANARY").unwrap();
    let project = project.branch("base");
    let project = project
        .link("../secret.txt", "new.rs")
        .file("a.rs", "x\n")
        .commit();
    let errors = r#"{"stages": [{"errors": [{"file": "out.rs", "line": 1, "message": "m"}, {"file": "CLAUDE.md", "line": 1, "message": "m"}]}]}"#;
    for (arguments, input) in [
        (vec!["build", "review", "--base", "base"], ""),
        (vec!["build", "review", "--base", "base", "--worktree"], ""),
        (vec!["build", "fix", "--errors", "-"], errors),
        (
            vec!["build", "issue", "--issue", "-"],
            r#"{"body": "out.rs new.rs CLAUDE.md .env"}"#,
        ),
        (vec!["build", "implementation", "--task-file", "a.rs"], ""),
    ] {
        let output = project.run_with_input(arguments, input).succeeds();
        output.stdout_lacks("CANARY");
    }
}

#[test]
fn files_that_are_not_there_are_counted_after_the_first_hundred() {
    let project = Project::new().file("a.c", "int a;\n");
    let errors: String = (0..250)
        .map(|at| format!("gone{at}.c:1: error: no\n"))
        .collect();
    let output = project.run_with_input(["build", "fix", "--errors", "-"], &errors);
    let warned = output.stderr.matches("cannot read `gone").count();
    assert_eq!(warned, 100);
    assert!(output.stderr.contains("cannot read 150 more files"));
    let built: Json = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(built["_metadata"]["missing"].as_array().unwrap().len(), 250);
}

#[test]
fn what_a_program_raised_is_found_by_the_end_of_its_path() {
    let project = Project::new()
        .file("src/main/a/b/C.java", "class C {}\n")
        .file("pkg/x_test.go", "package x\n")
        .file("one/same.py", "1\n")
        .file("two/same.py", "2\n")
        .file("one/a.ts", "1\n")
        .file("two/a.ts", "1\n")
        .file("src/b.tsx", "1\n")
        .file("one/c.js", "1\n")
        .file("one/c.ts", "1\n")
        .commit();
    let files = |input: &str| {
        let built = build(&project, &["fix", "--errors", "-"], input);
        let files = built["source_files"].as_object().unwrap().keys();
        files.cloned().collect::<Vec<_>>()
    };
    let stack =
        "a.b.OddException: no\n\tat java.util.List.of(List.java:1)\n\tat a.b.C.f(C.java:1)\n";
    assert_eq!(files(stack), ["src/main/a/b/C.java"]);
    assert_eq!(files("    x_test.go:1: got 1, want 2\n"), ["pkg/x_test.go"]);
    assert_eq!(files("same.py:1: error: no\n"), ["same.py"]);
    assert_eq!(
        files("/x/dist/one/a.js:1:2: no\n"),
        ["/x/dist/one/a.js", "one/a.ts"]
    );
    assert_eq!(
        files("/x/dist/b.js:1:2: no\n"),
        ["/x/dist/b.js", "src/b.tsx"]
    );
    assert_eq!(files("dist/a.js:1:2: no\n"), ["dist/a.js"]);
    assert_eq!(
        files("node_modules/x/b.js:1:2: no\n"),
        ["node_modules/x/b.js"]
    );
    assert_eq!(files("/x/one/c.js:1:2: no\n"), ["one/c.js"]);
    // Stages say which files they mean.
    let stages = r#"{"stages": [{"name": "t", "errors": [{"file": "x_test.go", "line": 1, "message": "no"}]}]}"#;
    assert_eq!(files(stages), ["x_test.go"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text as errors and as an issue: an error or a result, never a panic.
    #[test]
    fn any_input_is_read_or_refused(
        text in "(\\PC|\n|\\{\"stages\": \\[|\\{\"runs\": \\[|\\{\"reason\": \"compiler-message\", \"message\": \\{|\"errors\": \\[|\\]|\\}|\"line\": -?[0-9]{1,20}|src/a.rs[:#]L?[0-9]{1,20}-?){0,30}",
    ) {
        let project = Project::new().file("src/a.rs", "x\n");
        let workspace = Workspace::open(project.root()).unwrap();
        if let Ok(validation) = Validation::parse(&text) {
            assert_true(&json!(build_fix_context(&validation, &["src/a.rs"], &workspace)));
        }
        let issue = Issue { body: text.clone(), ..Issue::default() };
        assert_true(&json!(build_issue_context(&issue, &workspace)));
        if let Ok(issue) = Issue::parse(&text) {
            assert_true(&json!(build_issue_context(&issue, &workspace)));
        }
        assert_true(&json!(build_review_context(&workspace, &text, false)));
    }

    /// Whatever the sizes and the budget: the texts fit, figures are true, and the
    /// first error's line is there as long as anything is.
    #[test]
    fn a_fix_fits_its_budget(
        sizes in prop::collection::vec(0usize..1500, 1..4), at in prop::collection::vec(1usize..1600, 1..5), budget in 0usize..4000,
    ) {
        let mut project = Project::new();
        let mut errors = Vec::new();
        for (n, size) in sizes.iter().enumerate() {
            project = project.file(&format!("f{n}.rs"), lines(*size));
            errors.extend(at.iter().map(|line| json!({"file": format!("f{n}.rs"), "line": line, "message": "m"})));
        }
        let validation = Validation::parse(&json!({"stages": [{"errors": errors}]}).to_string()).unwrap();
        let workspace = Workspace::open(project.root()).unwrap();
        let whole = build_fix_context::<&str>(&validation, &[], &workspace);
        assert_true(&json!(whole));
        let tokens = |files: &context_packer::builders::Files| -> usize {
            files.0.iter().map(|(_, text)| text.chars().count().div_ceil(4)).sum()
        };
        let before = tokens(&whole.source_files);
        let fitted = whole.clone().fit(budget, Counter::Chars);
        assert_true(&json!(fitted));
        prop_assert!(tokens(&fitted.source_files) <= budget);
        if before <= budget {
            prop_assert_eq!(json!(fitted), json!(whole));
        }
    }
}

#[test]
fn a_fix_of_lines_of_all_lengths_uses_its_budget() {
    let line = |n: usize| format!("{n}:{}\n\n", "x".repeat(50 + n * 377 % 950));
    let text = (1..=60).map(line).collect::<String>() + "end\n";
    let project = Project::new().file("a.md", &text).file("b.md", &text);
    let workspace = Workspace::open(project.root()).unwrap();
    for at in [vec![51], vec![1], vec![120], vec![31, 33, 90]] {
        let error = |line: &usize| json!({"file": "a.md", "line": line, "message": "m"});
        let errors: Vec<Json> = at.iter().map(error).collect();
        let input = json!({"stages": [{"errors": errors}]}).to_string();
        let validation = Validation::parse(&input).unwrap();
        for files in [&["a.md"][..], &["a.md", "b.md"]] {
            let tokens = |files: &context_packer::builders::Files| -> usize {
                let texts = files.0.iter().map(|(_, text)| text.chars().count());
                texts.map(|chars| chars.div_ceil(4)).sum()
            };
            let whole = build_fix_context(&validation, files, &workspace);
            for budget in (100..tokens(&whole.source_files)).step_by(50) {
                let fitted = whole.clone().fit(budget, Counter::Chars);
                assert_true(&json!(fitted));
                let used = tokens(&fitted.source_files);
                let is_used = used <= budget && used * 100 >= budget * 95;
                assert!(is_used, "{at:?} {files:?} {budget}: {used}");
                // What was cut may be cut again.
                assert_true(&json!(fitted.fit(budget / 2, Counter::Chars)));
            }
        }
    }
}

#[test]
fn how_many_lines_and_how_many_files_are_shown_can_be_said() {
    let project = Project::new()
        .file("a.rs", lines(900))
        .file("b.rs", lines(3))
        .file("c.rs", lines(3));
    let errors = json!({"stages": [{"name": "types", "errors": [
        {"file": "a.rs", "line": 450, "message": "no"},
    ]}]})
    .to_string();
    let fix = |lines: &str| {
        let arguments = ["fix", "--errors", "-", "--context-lines", lines];
        let built = build(&project, &arguments, &errors);
        built["source_files"]["a.rs"].as_str().unwrap().to_owned()
    };
    let text = fix("2");
    assert!(
        text.contains("line 448\n") && text.contains("line 452\n"),
        "{text}"
    );
    assert!(
        !text.contains("line 447\n") && !text.contains("line 453\n"),
        "{text}"
    );
    assert!(fix("30").contains("line 420\n"));
    let issue = json!({"body": "See a.rs:450, b.rs and c.rs."}).to_string();
    let related = |arguments: &[&str]| {
        let arguments = [&["issue", "--issue", "-"], arguments].concat();
        build(&project, &arguments, &issue)["related_files"].clone()
    };
    assert_eq!(related(&[]).as_object().unwrap().len(), 3);
    let few = related(&["--max-related", "1", "--context-lines", "1"]);
    assert_eq!(few.as_object().unwrap().len(), 1);
    assert!(few["a.rs"].as_str().unwrap().contains("line 449\n"));
    assert!(
        !few["a.rs"].as_str().unwrap().contains("line 448\n"),
        "{few}"
    );
    project
        .run_with_input(
            ["build", "issue", "--issue", "-", "--max-related", "1"],
            &issue,
        )
        .stderr_contains("2 more files named by the issue not shown: the limit is 1");
}

/// Of a minified file little is shown, and no more of it is held.
#[test]
fn many_files_of_one_long_line_take_little_memory() {
    let name = |number: usize| format!("f{number}.min.js");
    let small = (0..100).fold(Project::new(), |project, number| {
        project.file(&name(number), "small\n")
    });
    let long = "x".repeat(400_000);
    let project = (0..100).fold(small.commit(), |project, number| {
        project.file(&name(number), &long)
    });
    let review = build(&project, &["review", "--base", "HEAD", "--worktree"], "");
    let files = review["changed_files"].as_object().unwrap();
    assert_eq!(files.len(), 100);
    assert!(
        files
            .values()
            .all(|text| text.as_str().unwrap().len() < 2010)
    );
    let errors: Vec<Json> = (0..100)
        .map(|number| json!({"file": name(number), "line": 1, "message": "m"}))
        .collect();
    let errors = json!({"stages": [{"name": "t", "errors": errors}]}).to_string();
    let fix = build(&project, &["fix", "--errors", "-"], &errors);
    assert_eq!(fix["source_files"].as_object().unwrap().len(), 100);
}

#[test]
fn a_task_file_that_is_binary_is_told_as_such() {
    let project = Project::new().file("t.md", b"\0\0").commit();
    let built = build(&project, &["implementation", "--task-file", "t.md"], "");
    assert_eq!(built["tasks"], "");
    assert_eq!(built["_metadata"]["skipped_binary"], json!(["t.md"]));
    assert_eq!(built["_metadata"]["missing"], json!([]));
}
