//! `packer test`: whether prompts hold what they have to.

use std::fs;

use serde_json::json;

use crate::project::Project;

fn project() -> Project {
    Project::new()
        .role("worker", "context: {conventions: true, token_budget: 3000}")
        .file("AGENTS.md", "Every function has a test.\n")
        .file("src/a.rs", "fn first() {}\n")
        .file("src/b.rs", "fn second() {}\n")
        .commit()
}

fn case(expect: &str) -> String {
    format!("request: {{role: worker, task: Do it, target: [src/a.rs]}}\nexpect: {expect}\n")
}

#[test]
fn cases_pass_and_fail_as_their_prompts_are() {
    let good = "{shows: [src/a.rs], hides: [src/b.rs], holds: [Every function], lacks: [second]}";
    let bad = "{shows: [src/b.rs, src/aa.rs], holds: [third], lacks: [first], budget: 5}";
    let project = project()
        .file(".packer/tests/good.yaml", case(good))
        .file(".packer/tests/bad.yaml", case(bad))
        .file(".packer/tests/broken.yaml", "request: {rol: worker}\n")
        .file(".packer/tests/notes.txt", "no case");
    let output = project.run(["test", "--junit", "report.xml"]).fails(1);
    let output = output
        .stderr_contains("3 cases, 2 failed")
        .stdout_contains("it does not show `src/b.rs`\n")
        .stdout_contains("it does not show `src/aa.rs`; did you mean `src/a.rs`?")
        .stdout_contains("it does not contain `third`")
        .stdout_contains("it contains `first`, on line ")
        .stdout_contains("tokens, but at most 5 are allowed")
        .stdout_contains("`request`: unknown field `rol`: did you mean `role`?");
    assert!(
        output.stdout.contains(".packer/tests/good.yaml    passed"),
        "{}",
        output.stdout
    );
    let junit = fs::read_to_string(project.root().join("report.xml")).unwrap();
    assert!(junit.contains("tests=\"3\" failures=\"2\""), "{junit}");
    let output = project.run(["test", "--format", "json", ".packer/tests/good.yaml"]);
    let told = output.succeeds().json();
    assert_eq!(told[0]["passed"], json!(true));
    assert_eq!(told[0]["budget"], json!(3000));
}

#[test]
fn a_case_fails_if_its_template_does_or_if_what_it_hides_is_called_otherwise() {
    let role = "name: broken\nextends: worker\ntemplate: broken.j2\n";
    let project = project()
        .file(".packer/roles/broken.yaml", role)
        .file(".packer/templates/broken.j2", "{{ task.nothing.more }}\n")
        .file(".packer/tests/a.yaml", "request: {role: broken, task: t}\n")
        .file(".packer/tests/b.yaml", case("{hides: [src/aa.rs]}"))
        .file(
            ".packer/tests/c.yaml",
            case("{hides: [src/b.rs, src/c.rs]}"),
        )
        .file("src/c.rs", "ignored")
        .file(".gitignore", "c.rs\n");
    project.run(["trust", "--yes"]).succeeds();
    let output = project.run(["test", "--junit", "report.xml"]).fails(1);
    output
        .stdout_contains("the template failed, so the prompt is built without it")
        .stdout_contains("there is no `src/aa.rs` to hide; did you mean `src/a.rs`?")
        .stderr_contains("3 cases, 2 failed");
    let junit = fs::read_to_string(project.root().join("report.xml")).unwrap();
    assert!(junit.contains("<system-out>the template failed"), "{junit}");
}

#[test]
fn what_has_no_room_is_told_with_what_would_make_some() {
    let project = Project::new()
        .role("worker", "context: {include: ['*.md'], token_budget: 400}")
        .file("src/a.rs", "pub fn first() -> u32 { 1 }\n".repeat(100))
        .file(
            "notes.md",
            "Greet in capital letters, always.\n".repeat(200),
        )
        .file(".packer/tests/a.yaml", case("{shows: [notes.md]}"))
        .commit();
    project
        .run(["test"])
        .fails(1)
        .stdout_contains("raise the budget, or move `files` up in the role's `priority_order`");
}

#[test]
fn a_snapshot_is_written_when_it_is_accepted_and_held_from_then_on() {
    let project = project().file(".packer/tests/whole.yaml", case("{snapshot: true}"));
    project
        .run(["test"])
        .fails(1)
        .stdout_contains("there is no `TEMP/repo/.packer/tests/whole.prompt.md` yet");
    project.run(["test", "--accept"]).succeeds();
    let kept = project.root().join(".packer/tests/whole.prompt.md");
    assert!(fs::read_to_string(&kept).unwrap().contains("fn first() {}"));
    project.run(["test"]).succeeds();
    let project = project.file("src/a.rs", "fn other() {}\n");
    project
        .run(["test"])
        .fails(1)
        .stdout_contains("; use `--accept` to update it\n")
        .stdout_contains("    - fn first() {}\n    + fn other() {}\n");
}

#[test]
fn a_case_of_the_repository_reads_no_more_than_the_repository_may() {
    let target = "request: {role: worker, task: a, target: [.env]}\nexpect: {lacks: [hidden]}\n";
    let role = "request: {role: ../outside.yaml, task: a}\n";
    let project = project()
        .file(".gitignore", ".env\n")
        .file(".env", "TOKEN=hidden\n")
        .file(".packer/tests/role.yaml", role)
        .file(".packer/tests/target.yaml", target)
        .link("../../.env", ".packer/tests/link.yaml");
    let output = project.run(["test"]).fails(1);
    assert!(!output.stdout.contains("hidden"));
    output
        .stderr_contains("3 cases, 2 failed")
        .stdout_contains("cannot read `.packer/tests/link.yaml`: ")
        .stdout_contains("warning: ")
        .stdout_contains(
            "`role` is not allowed: a case found in the repository names a role by its name",
        );
}

#[test]
fn a_case_of_the_repository_brings_no_role_and_chooses_no_engine() {
    let project = project()
        .file(
            ".packer/tests/inline.yaml",
            "request: {role: {name: own, description: d, system_prompt: s}, task: a}\n",
        )
        .file(
            ".packer/tests/engine.yaml",
            "request: {role: worker, task: a, engine: repomix}\n",
        );
    project
        .run(["test"])
        .fails(1)
        .stderr_contains("2 cases, 2 failed")
        .stdout_contains(
            "`role` is not allowed: a case found in the repository names a role by its name",
        )
        .stdout_contains("`engine` is not allowed: a case found in the repository");
    project
        .run(["test", ".packer/tests/inline.yaml"])
        .succeeds()
        .stdout_contains("passed");
}

#[test]
fn a_snapshot_that_is_a_link_is_neither_told_nor_written_over() {
    let project = project()
        .file(".gitignore", ".env\n")
        .file(".env", "TOKEN=hidden\n")
        .file(".packer/tests/whole.yaml", case("{snapshot: true}"))
        .link("../../.env", ".packer/tests/whole.prompt.md");
    for named in [&[][..], &[".packer/tests/whole.yaml"], &[".packer/tests"]] {
        for accept in [&[][..], &["--accept"]] {
            let output = project.run([&["test"], named, accept].concat()).fails(1);
            assert!(!output.stdout.contains("hidden"), "{}", output.stdout);
            output.stdout_contains(".packer/tests/whole.prompt.md`: ");
        }
    }
    let kept = fs::read_to_string(project.root().join(".env")).unwrap();
    assert_eq!(kept, "TOKEN=hidden\n");
}

#[test]
fn cases_behind_a_link_are_no_cases() {
    let project = project()
        .file("../cases/other.yaml", "TOKEN: hidden\n")
        .file("../cases/other.prompt.md", "also hidden\n")
        .link("../../cases", ".packer/tests");
    for named in [&[][..], &[".packer/tests"], &[".packer/tests/other.yaml"]] {
        let output = project.run([&["test", "--accept"], named].concat());
        let output = output.fails(1);
        let told = format!("{}{}", output.stdout, output.stderr);
        assert!(
            !told.contains("hidden") && !told.contains("TOKEN"),
            "{told}"
        );
        assert!(told.contains("leads outside"), "{told}");
    }
}

#[test]
fn a_named_case_outside_the_repository_keeps_its_snapshot_beside_it() {
    let project = project()
        .file("../mine/whole.yaml", case("{snapshot: true}"))
        .file("../secret", "hidden\n");
    let named = ["test", "../mine/whole.yaml"];
    project
        .run(named)
        .fails(1)
        .stdout_contains("use `--accept` to write it");
    project.run([&named[..], &["--accept"]].concat()).succeeds();
    project.run(named).succeeds();
    project.run(["test", "../mine"]).succeeds();
    fs::remove_file(project.outside().join("mine/whole.prompt.md")).unwrap();
    let project = project.link("../secret", "../mine/whole.prompt.md");
    let output = project.run(named).fails(1);
    assert!(!output.stdout.contains("hidden"), "{}", output.stdout);
    output.stdout_contains("it leads outside");
}

#[test]
fn a_place_without_cases_is_an_error() {
    project().run(["test"]).fails(1).stderr_contains(
        "there are no cases in `TEMP/repo/.packer/tests`: write one, or name a file",
    );
}

#[test]
fn a_folder_of_the_repository_that_is_named_asks_for_no_more() {
    let target = "request: {role: worker, task: a, target: [.env]}\nexpect: {lacks: [hidden]}\n";
    let project = project()
        .file(".gitignore", ".env\n")
        .file(".env", "TOKEN=hidden\n")
        .file(".packer/tests/target.yaml", target);
    project.run(["test", ".packer/tests"]).succeeds();
    project.run(["test", ".packer/tests/target.yaml"]).fails(1);
}

#[test]
fn a_case_is_not_in_its_own_prompt() {
    let expect = "{holds: [only in the case]}";
    let project = project()
        .role("wide", "context: {related: true, token_budget: 3000}")
        .file(
            ".packer/tests/own.yaml",
            case(expect).replace("worker", "wide"),
        )
        .commit();
    project
        .run(["test"])
        .fails(1)
        .stdout_contains("it does not contain `only in the case`");
}

#[cfg(unix)]
#[test]
fn a_folder_of_cases_may_lie_anywhere_and_nothing_in_it_is_waited_for() {
    let project = project()
        .file("root.yaml", case("{}"))
        .file("../mine/good.yaml", case("{}"));
    project
        .run(["test", "."])
        .succeeds()
        .stdout_contains("root.yaml  passed");
    let fifo = project.outside().join("mine/waits.yaml");
    let made = std::process::Command::new("mkfifo").arg(fifo).status();
    assert!(made.unwrap().success());
    project
        .run(["test", "../mine"])
        .fails(1)
        .stderr_contains("2 cases, 1 failed")
        .stdout_contains("it is not a regular file");
}

#[test]
fn a_case_that_cannot_be_tried_says_what_to_do() {
    let project = project()
        .file(".packer/templates/own.j2", "{{ task }}")
        .file(
            ".packer/tests/own.yaml",
            "request: {role: worker, task: a, template: own.j2}\n",
        );
    project.run(["test"]).fails(1).stdout_contains(
        "is not trusted on this machine; run `packer trust` to review and trust it\n",
    );
}

#[test]
fn what_differs_from_a_snapshot_is_shown_in_part_and_cannot_steer_a_terminal() {
    let project = project().file(".packer/tests/whole.yaml", case("{snapshot: true}"));
    project.run(["test", "--accept"]).succeeds();
    let hostile = format!("\u{1b}[2J{}\n", "x".repeat(200)).repeat(300);
    let project = project.file("src/a.rs", hostile);
    let output = project
        .run(["test", "--junit", "report.xml"])
        .fails(1)
        .stdout_contains("    + \\u{1b}[2Jxxx")
        .stdout_contains("x…\n    … and more\n");
    assert!(output.stdout.len() < 10_000);
    let junit = fs::read_to_string(project.root().join("report.xml")).unwrap();
    assert!(junit.contains("+ \\u{1b}[2Jxxx"), "{junit}");
    let output = project.run(["test", "--format", "json"]).fails(1);
    let told = output.json();
    assert!(
        told[0]["difference"]
            .as_str()
            .unwrap()
            .contains("- fn first")
    );
}
