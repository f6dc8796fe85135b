//! What the checks of roles and templates find beyond a single file, and how they say it.

use std::fs;

use insta::assert_snapshot;

use crate::project::{Json, Project, words};
use crate::readme::read;

/// What `packer roles check` prints for the repository's roles.
fn checked(project: &Project) -> String {
    project.run(["roles", "check"]).stdout
}

/// The findings of a check, each as its rule, line and what it marks.
fn findings<'a>(project: &Project, arguments: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let arguments = arguments.into_iter().chain(["--format", "json"]);
    let output = project.run(arguments);
    let found: Vec<Json> = serde_json::from_str(&output.stdout).unwrap();
    let each = found.iter().map(|problem| {
        let place = &problem["place"];
        let number = |key: &str| usize::try_from(place[key].as_u64().unwrap_or(1)).unwrap();
        let text = place["text"].as_str().unwrap_or_default().chars();
        let width = number("end_column") - number("column");
        let skipped = number("column") - number("text_column");
        let marked: String = text.skip(skipped).take(width).collect();
        let rule = problem["rule"].as_str().unwrap();
        format!("{rule} {}: {marked}", number("line"))
    });
    each.collect()
}

fn sources() -> Project {
    Project::new()
        .file("src/main.rs", "fn main() {}\n")
        .file("src/deep/er/a.rs", "")
        .file("build/out.txt", "")
        .file(".gitignore", "build/\n*.log\n")
        .file("a.log", "")
}

#[test]
fn a_pattern_that_matches_nothing_is_told_with_what_was_meant_or_why() {
    let project = sources().role(
        "r",
        "context:
  include:
    - src/mian.rs
    - scr/**/*.rs
    - src/deep
    - '*.rs'
    - '*.py'
    - '*.log'
    - build/*.txt
    - src/deep/er/a.rs
    - $TARGET
    - .git/config
  exclude: [src/deep, nothing/here]
  always_include: [README, src/deep/er/a.rs]
",
    );
    assert_snapshot!(checked(&project));
}

#[test]
fn a_pattern_that_is_inherited_is_told_once_and_those_of_built_in_roles_never() {
    let project = sources()
        .role("a", "context: {include: [nope.rs]}")
        .role("b", "extends: a\ncontext: {include: [src]}")
        .role("c", "extends: planner\ncontext: {include: [src]}");
    assert_eq!(
        findings(&project, ["roles", "check"]),
        ["pattern-matches-nothing 4: nope.rs"]
    );
}

#[test]
fn every_pattern_that_does_not_parse_is_told() {
    let project = sources().role(
        "r",
        "context: {include: ['src/[', '../x', $NOPE, src], exclude: ['{a'], always_include: [$TARGET]}",
    );
    assert_snapshot!(checked(&project));
}

#[test]
fn keys_that_can_never_be_present_are_told() {
    let project = sources().role(
        "r",
        "context:
  include: [$TARGET]
  priority_order: [target_file, files, docs, changed_files, conventions, project_context, git_diff, tree, related, repo_map, imports, mine, task, system_prompt, always_include]
",
    );
    assert_snapshot!(checked(&project));
}

#[test]
fn keys_of_what_a_role_asks_for_are_not_told() {
    let project = sources().role(
        "r",
        "context: {include: [src, $CHANGED_FILES], conventions: true, project_context: true, priority_order: [files, changed_files, conventions, project_context]}",
    );
    assert_eq!(findings(&project, ["roles", "check"]), [""; 0]);
}

#[test]
fn an_extends_that_adds_nothing_is_told() {
    let project = Project::new()
        .role("base", "context: {token_budget: 5000}")
        .file(
            ".packer/roles/same.yaml",
            "name: same\ndescription: other\nextends: base\n",
        )
        .file(
            ".packer/roles/reviewer.yaml",
            "name: reviewer\nextends: reviewer\n",
        )
        .role("apart", "extends: base\ncontext: {token_budget: 6000}")
        .role("own", "extends: implementer\ncontext: {token_budget: 6000}")
        .role("fine", "extends: base\nflags: [-x]");
    assert_snapshot!(checked(&project));
}

#[test]
fn a_mark_covers_the_key_or_the_value() {
    let project = Project::new().file(
        "bad.yaml",
        "name: bad\ndescription: \"two\\nlines\"\nsystem_prompt: p\npriorty: 1\ncontext:\n  token_budget:   'lots'\n  tree: {depth: 99}\n  inclde: []\n  style: |\n    long\n    text\n",
    );
    assert_eq!(
        findings(&project, ["roles", "check", "bad.yaml"]),
        [
            "wrong-type 2: \"two\\nlines\"",
            "unknown-key 4: priorty",
            "wrong-type 6: 'lots'",
            "wrong-type 7: 99",
            "unknown-key 8: inclde",
            "wrong-type 10: long",
        ]
    );
}

#[test]
fn a_hostile_line_steers_nothing_and_is_shown_in_part() {
    let long = "x".repeat(1_000_000);
    let project = Project::new()
        .file(
            "long.yaml",
            format!("{{name: long, x-a: {long}, flags: 7}}"),
        )
        .file(
            "bidi.yaml",
            "name: bidi\n\"\u{202e}gpj\": 名前\n\"名前\u{202e}\": 1\n",
        );
    let output = project
        .run(["roles", "check", "long.yaml", "bidi.yaml"])
        .fails(1);
    assert!(!output.stdout.contains(['\u{202e}', '\u{1b}']));
    assert!(output.stdout.lines().all(|line| line.chars().count() < 200));
    assert_snapshot!(output.stdout);
}

#[test]
fn many_mistakes_on_a_line_of_a_megabyte_take_little_time() {
    let entries = "7, ".repeat(90_000);
    let project = Project::new().file("many.yaml", format!("{{name: many, flags: [{entries}]}}"));
    let output = project.run(["roles", "check", "many.yaml"]).fails(1);
    let output = output.stdout_contains("1,000 mistakes or more");
    assert!(output.took.as_secs() < 20, "{:?}", output.took);
}

#[test]
fn the_mistakes_of_all_files_are_told_in_one_run() {
    let project = Project::new()
        .file(".packer/roles/a.yaml", "name: a\nextends: nope\n")
        .file(".packer/roles/b.yaml", "name: b\nflags: 7\ncli: []\n")
        .file(".packer/roles/c.yaml", "name: [\n");
    assert_eq!(
        findings(&project, ["roles", "check"]),
        [
            "unknown-role 2: nope",
            "wrong-type 2: 7",
            "wrong-type 3: [",
            "invalid-yaml 2: "
        ]
    );
}

#[test]
fn colour_is_for_terminals_and_those_who_ask() {
    let project = Project::new().role("r", "flags: 7");
    assert!(!checked(&project).contains('\x1b'));
    let coloured = project.run(["roles", "check", "--color", "always"]).stdout;
    assert!(coloured.contains("\x1b["));
}

#[test]
fn sarif_is_for_editors_and_ci() {
    let project = Project::new()
        .file(
            "a b/gr\u{f6}\u{df}e.yaml",
            "name: x\nflags: 7\ncontext: {inclde: [名前]}\n",
        )
        .role("r", "extends: nope");
    let output = project.run(words(
        "roles check 'a b/gr\u{f6}\u{df}e.yaml' .packer/roles/r.yaml --format sarif",
    ));
    let sarif = output.fails(1).json();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "packer");
    assert!(driver.get("informationUri").is_none());
    let rules: Vec<&Json> = driver["rules"].as_array().unwrap().iter().collect();
    assert!(
        rules
            .iter()
            .all(|rule| rule["shortDescription"]["text"].is_string())
    );
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3, "{results:#?}");
    for result in results {
        assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
    }
    let wrong = results
        .iter()
        .find(|r| r["ruleId"] == "wrong-type")
        .unwrap();
    assert_eq!(wrong["level"], "error");
    let location = &wrong["locations"][0]["physicalLocation"];
    assert_eq!(
        location["artifactLocation"]["uri"],
        "a%20b/gr%C3%B6%C3%9Fe.yaml"
    );
    assert_eq!(
        location["region"],
        serde_json::json!({"startLine": 2, "startColumn": 8, "endColumn": 9})
    );
    let unknown = results
        .iter()
        .find(|r| r["ruleId"] == "unknown-key")
        .unwrap();
    assert_eq!(unknown["level"], "warning");
    let text = unknown["message"]["text"].as_str().unwrap();
    assert!(text.contains("help: did you mean `include`?"), "{text}");
}

#[test]
fn the_documents_list_every_rule() {
    let page = read("docs/diagnostics.md");
    let listed: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(name, meaning)| (name, meaning.trim_end_matches(" |")))
        .collect();
    let rules: Vec<(&str, &str)> = context_packer::diagnostics::Rule::all()
        .map(|rule| (rule.name(), rule.meaning()))
        .collect();
    assert_eq!(listed, rules);
}

#[test]
fn a_new_role_can_be_used_as_it_is() {
    let project = Project::new().file("src/main.rs", "fn main() {}\n");
    let output = project
        .run(words(
            "roles new auditor --extends reviewer --template review_strict.j2",
        ))
        .succeeds();
    assert_snapshot!("new_role_says", output.stderr);
    project.run(["roles", "new", "plain"]).succeeds();
    for built_in in ["planner", "implementer", "reviewer"] {
        let name = format!("my-{built_in}");
        project
            .run(["roles", "new", &name, "--extends", built_in])
            .succeeds();
    }
    project
        .run(["roles", "new", "planner", "--extends", "planner"])
        .succeeds();
    let text = |name: &str| {
        fs::read_to_string(project.root().join(format!(".packer/roles/{name}.yaml"))).unwrap()
    };
    assert_snapshot!("new_role", text("auditor"));
    assert_snapshot!("new_role_without_parent", text("plain"));
    project
        .run(["roles", "check"])
        .succeeds()
        .stdout_contains("0 errors, 0 warnings");
    project
        .run(words("prompt --role plain --task t --target src/main.rs"))
        .succeeds()
        .stdout_contains("fn main() {}");
}

#[test]
fn a_new_role_overwrites_nothing_and_needs_a_name_and_a_parent_that_are_good() {
    let project = Project::new().role("r", "").file(".packer/roles/s.yml", "");
    let fails = |arguments: &[&str]| {
        let all = ["roles", "new"]
            .into_iter()
            .chain(arguments.iter().copied());
        project.run(all).fails(1).stderr
    };
    assert_snapshot!(
        [
            fails(&["r"]),
            fails(&["s"]),
            fails(&["1st"]),
            fails(&["t", "--extends", "reviwer"]),
            fails(&["t", "--template", "implemnt.j2"]),
            fails(&["t", "-o", ".packer/roles/r.yaml"]),
        ]
        .concat()
    );
    assert!(!project.root().join(".packer/roles/t.yaml").exists());
    project
        .run(["roles", "new", "t", "-o", "-"])
        .succeeds()
        .stdout_contains("name: t");
}

#[cfg(unix)]
#[test]
fn a_new_role_is_not_written_through_a_link() {
    let project = Project::new().link("../home", ".packer");
    project
        .run(["roles", "new", "x"])
        .fails(1)
        .stderr_contains("`.packer` is a link");
    assert!(!project.outside().join("home/roles").exists());
}

#[test]
fn a_new_role_names_the_schema_that_is_there() {
    let project = Project::new().file(".packer/role.schema.json", "{}");
    project.run(["roles", "new", "x"]).succeeds();
    let text = fs::read_to_string(project.root().join(".packer/roles/x.yaml")).unwrap();
    assert!(text.starts_with("# yaml-language-server: $schema=../role.schema.json\n"));
}

#[test]
fn an_ejected_template_works() {
    let project = Project::new();
    let output = project
        .run(words(
            "templates eject implement.j2 --to my/prompts --as fix.j2",
        ))
        .succeeds();
    assert_snapshot!(output.stderr);
    project
        .run(["templates", "eject", "_base.j2", "--to", "my/prompts"])
        .succeeds();
    let render = "--prompts-dir my/prompts --allow-template fix.j2 render fix.j2";
    let more = ["--role", "implementer", "--task", "Try it", "--strict"];
    project
        .run(words(render).chain(more))
        .succeeds()
        .stdout_contains("Try it");
    project
        .run(words(
            "--prompts-dir my/prompts --allow-template fix.j2 templates check",
        ))
        .succeeds();
    project
        .run(["templates", "eject", "_base.j2", "--to", "my/prompts"])
        .fails(1)
        .stderr_contains("already exists");
    project
        .run(words("templates eject _base.j2 --to my --as ../x.j2"))
        .fails(1)
        .stderr_contains("plain file name");
}

/// What every sentence about roles forbids, and the rule that says so.
#[test]
fn every_sentence_about_roles_has_a_rule() {
    let whole = "name: bad\ndescription: d\nsystem_prompt: p\n";
    let with = |more: &str| format!("{whole}{more}\n");
    let deep = format!("x-a: {}1{}", "[".repeat(100), "]".repeat(100));
    for (yaml, expected) in [
        (with("priorty_order: []"), "unknown-key 4: priorty_order"),
        (with("context: {inclde: []}"), "unknown-key 4: inclde"),
        (with("context: {tree: {dpth: 1}}"), "unknown-key 4: dpth"),
        (with("context: {token_budget: 0}"), "wrong-type 4: 0"),
        (
            with("context: {token_budget: 4000001}"),
            "wrong-type 4: 4000001",
        ),
        (with("context: {tree: {depth: 0}}"), "wrong-type 4: 0"),
        (with("context: {tree: {depth: 21}}"), "wrong-type 4: 21"),
        (
            with("context: {related: {max_files: none}}"),
            "wrong-type 4: none",
        ),
        (with("context: {conventions: [1]}"), "wrong-type 4: 1"),
        (
            with("context: {priority_order: [git_dif]}"),
            "unknown-section 4: git_dif",
        ),
        (with("context: {style: html}"), "wrong-type 4: html"),
        (with("context: {engine: tar}"), "wrong-type 4: tar"),
        (with("context: {tokenizer: words}"), "wrong-type 4: words"),
        (with("context: {git_diff: on}"), "wrong-type 4: on"),
        (with("cli: 1"), "wrong-type 4: 1"),
        (with("config: x"), "wrong-type 4: x"),
        (
            with("gates: [{name: g, on_fail: explode}]"),
            "wrong-type 4: explode",
        ),
        (with("gates: [{required: true}]"), "missing-field 4: {"),
        (
            with("gates: [{name: g, requird: true}]"),
            "unknown-key 4: requird",
        ),
        (with("gates: [{name: g, x-own: 1}]"), "unknown-key 4: x-own"),
        (with("gates: ['']"), "missing-field 4: ''"),
        (with("gates: [{name: ' '}]"), "missing-field 4: {"),
        (
            whole.replace("description: d", "description: |\n  a\n  b"),
            "wrong-type 3: a",
        ),
        (with("template: nope.j2"), "unknown-template 4: nope.j2"),
        (
            with("system_prompt_additions: a"),
            "additions-without-extends 4: system_prompt_additions",
        ),
        (with("extends: no such"), "invalid-name 4: no such"),
        (with("extends: nope"), "unknown-role 4: nope"),
        (with("cli: a\ncli: b"), "duplicate-key 5: cli"),
        (with("cli: !!str a"), "invalid-yaml 4: !!str a"),
        (with("1: a"), "invalid-yaml 4: 1"),
        (
            with("x-a: &a {b: 1}\nconfig: {<<: *a}"),
            "invalid-yaml 5: <<",
        ),
        (with(&deep), "invalid-yaml 4: ["),
        (with("flags:\n\t- a"), "invalid-yaml 5: -"),
        (whole.replace("bad", "other"), "name-differs 1: other"),
        (whole.replace("bad", "1st"), "invalid-name 1: 1st"),
        (whole.replace("description: d\n", ""), "missing-field 1: n"),
        (whole.replace(": p", ": ' '"), "missing-field 1: n"),
    ] {
        let project = Project::new().file("bad.yaml", &yaml);
        assert_eq!(
            findings(&project, ["roles", "check", "bad.yaml"]),
            [expected],
            "{yaml}"
        );
    }
}

#[test]
fn a_chain_that_is_too_long_or_a_circle_is_told_where_it_goes_on() {
    let circle = Project::new()
        .file(".packer/roles/a.yaml", "name: a\nextends: b\n")
        .file(".packer/roles/b.yaml", "name: b\nextends: a\n");
    let found = circle.run(["roles", "check"]).fails(1);
    let found = found.stdout_contains("in a circle: a -> b -> a");
    found.stdout_contains("error[extends-circle]");
    let mut chain = Project::new().role("r0", "");
    for index in 1..34 {
        chain = chain.role(&format!("r{index}"), &format!("extends: r{}", index - 1));
    }
    let found = findings(&chain, ["roles", "check", ".packer/roles/r33.yaml"]);
    assert_eq!(found, ["chain-too-long 4: r1"]);
}

#[test]
fn a_new_role_may_have_any_name_and_a_parent_of_another_one() {
    let project = Project::new().file(
        ".packer/roles/foo.yaml",
        "name: bar\ndescription: d\nsystem_prompt: p\n",
    );
    for name in ["true", "null", "on"] {
        project
            .run(["roles", "new", name, "--extends", "foo"])
            .succeeds();
        project
            .run(["prompt", "--role", name, "--task", "t"])
            .succeeds();
    }
}

#[cfg(unix)]
#[test]
fn a_new_role_is_not_written_through_a_link_inside() {
    let project = Project::new()
        .file(".hooks/x", "")
        .link("../.hooks", ".packer/roles");
    let output = project.run(["roles", "new", "evil"]).fails(1);
    output.stderr_contains("`.packer/roles` is a link");
    assert!(!project.root().join(".hooks/evil.yaml").exists());
}

#[test]
fn what_is_wrong_in_each_way_is_told_in_one_run_with_what_was_meant() {
    let project = sources().role(
        "r",
        "extends: planner
context:
  token_budget: 20_000
  related: yes
  exclude: tests
  git_diff: 1
  style: markdwon
  include: ['src/mian.rs', '/etc/*', '[a']
  tree: !!map {depth: 2}
  always_include: [a: b
",
    );
    let output = project.run(["roles", "check"]).fails(1);
    assert_snapshot!(output.stdout);
}
