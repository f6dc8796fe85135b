//! Loading, merging and checking roles.

use context_packer::{Request, Role};
use insta::assert_snapshot;

use crate::project::Project;

const BASE: &str = "name: base\ndescription: d\nsystem_prompt: p\n";

/// What `packer roles check` prints for a role file, and that it exits with 1.
fn complaint(yaml: &str) -> String {
    let project = Project::new().file("bad.yaml", yaml);
    project.run(["roles", "check", "bad.yaml"]).fails(1).stdout
}

#[test]
fn an_unknown_key_is_an_error_with_the_nearest_name() {
    assert_snapshot!(complaint(&format!(
        "{}priorty: []\ndescripton: x\n",
        BASE.replace("base", "bad")
    )));
}

#[test]
fn a_wrong_type_names_the_field_and_what_was_expected() {
    assert_snapshot!(complaint(
        "name: bad\ndescription: d\nsystem_prompt: p\ncontext:\n  token_budget: lots\n  include: README.md\n  tree: {depth: 99}\n  prune: squeeze\n  git_diff: yes\ngates: [{required: true}, 7]\n"
    ));
}

#[test]
fn a_bad_name_says_what_a_name_is() {
    assert_snapshot!(complaint(
        "name: 1st role\ndescription: d\nsystem_prompt: p\n"
    ));
}

#[test]
fn a_circle_prints_its_chain() {
    let project = Project::new()
        .file(".packer/roles/a.yaml", "name: a\nextends: b\n")
        .file(".packer/roles/b.yaml", "name: b\nextends: c\n")
        .file(".packer/roles/c.yaml", "name: c\nextends: a\n");
    let output = project
        .run(["prompt", "--role", "a", "--task", "t"])
        .fails(1);
    assert_snapshot!(output.stderr);
}

#[test]
fn a_missing_parent_lists_where_it_was_looked_for() {
    let project = Project::new().file("bad.yaml", "name: bad\nextends: implementor\n");
    let output = project.run(["roles", "check", "bad.yaml"]).fails(1);
    assert_snapshot!(output.stdout);
}

#[test]
fn bad_yaml_is_shown_where_it_breaks() {
    assert_snapshot!(complaint(
        "name: bad\ndescription: [open\nsystem_prompt: p\n"
    ));
}

#[test]
fn an_unquoted_star_is_explained() {
    assert_snapshot!(complaint("name: bad\ncontext:\n  include:\n    - *.md\n"));
}

#[test]
fn an_empty_file_says_what_a_role_needs() {
    assert_snapshot!(complaint(""));
}

#[test]
fn a_duplicate_key_names_both_lines() {
    assert_snapshot!(complaint("name: bad\ndescription: d\nname: other\n"));
}

#[test]
fn an_alias_bomb_ends_early() {
    let mut bomb = String::from("name: bad\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..10 {
        let below = format!("*a{},", level - 1).repeat(10);
        bomb += &format!("a{level}: &a{level} [{below}]\n");
    }
    assert_snapshot!(complaint(&bomb));
}

#[test]
fn a_role_that_extends_itself_is_not_suggested_to_itself() {
    let project = Project::new().file(".packer/roles/mine.yaml", "name: mine\nextends: mine\n");
    let output = project.run(["roles", "show", "mine"]).fails(1);
    output
        .stderr_contains("there is no role `mine` to extend")
        .stderr_contains("help: run `packer roles list` to see all of them");
}

#[test]
fn what_a_role_extends_counts_with_it() {
    let mut project = Project::new();
    for n in 0..3 {
        let values: String = (0..45_000).map(|value| format!("p{n}x{value}, ")).collect();
        let extends = if n < 2 {
            format!("extends: r{}\n", n + 1)
        } else {
            String::new()
        };
        let head = format!("name: r{n}\ndescription: d\nsystem_prompt: p\n{extends}");
        let role = format!("{head}context: {{include: [{values}]}}\n");
        project = project.file(&format!(".packer/roles/r{n}.yaml"), role);
    }
    project.run(["roles", "show", "r1"]).succeeds();
    let output = project.run(["prompt", "--role", "r0", "--task", "t"]);
    output
        .fails(1)
        .stderr_contains("too many values: more than 100000, counting what the role extends");
}

#[test]
fn all_roles_have_one_account() {
    let mut project = Project::new();
    let values: String = (0..1000).map(|value| format!("p{value}, ")).collect();
    for n in 100..180 {
        let head = format!("name: r{n}\ndescription: d\nsystem_prompt: p\n");
        let role = format!("{head}x-values: [{values}]\n");
        project = project.file(&format!(".packer/roles/r{n}.yaml"), role);
    }
    let listed = project.run(["roles", "list"]).succeeds();
    let unread = "the role `r179` is not read: the roles before it are too large together";
    listed.stdout_contains(unread).stdout_lacks("`r140` is not");
    let checked = project.run(["roles", "check"]).fails(1);
    checked
        .stdout_contains(unread)
        .stdout_lacks("`r140` is not");
    // By its name each is loaded as ever.
    project.run(["roles", "show", "r179"]).succeeds();
}

#[test]
fn a_tag_is_refused() {
    assert_snapshot!(complaint(
        "name: !!python/object:os.system bad\ndescription: d\n"
    ));
}

#[test]
fn what_a_role_needs_may_not_be_missing() {
    assert_snapshot!(complaint("name: bad\nsystem_prompt_additions: more\n"));
    assert_snapshot!(complaint("name: bad\ndescription: d\n"));
}

#[test]
fn every_mistake_of_a_file_is_told_in_one_run() {
    let project = Project::new().file("bad.yaml", "name: 7\nflags: x\ncontext: {budget: 1}\n");
    let found = project
        .run(["roles", "check", "bad.yaml", "--format", "json"])
        .fails(1)
        .json();
    let lines: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|d| &d["place"]["line"])
        .collect();
    assert_eq!(lines, [1, 2, 3]);
}

#[test]
fn an_unknown_setting_is_a_warning_with_the_nearest_name() {
    let project = Project::new().role("r", "context: {always_includes: [a]}");
    let output = project.run(["roles", "check"]).succeeds();
    assert_snapshot!(output.stdout);
}

#[test]
fn a_description_of_several_lines_is_told_as_that() {
    let role = "name: bad\ndescription: |\n  a\n  b\nsystem_prompt: p\n";
    let checked = Project::new()
        .file("bad.yaml", role)
        .run(["roles", "check", "bad.yaml"]);
    let said = "`description` must be text on one line, but this has several";
    checked.fails(1).stdout_contains(said);
}

#[test]
fn a_role_extends_the_next_role_of_its_own_name() {
    let project = Project::new()
        .file(
            ".packer/roles/implementer.yaml",
            "name: implementer\nextends: implementer\nsystem_prompt_additions: Use tabs.\ncontext: {token_budget: 9000, priority_order: [tree]}\n",
        )
        .file(
            "more/implementer.yaml",
            "name: implementer\nextends: implementer\nsystem_prompt_additions: No comments.\n",
        );
    let role = project.json(["--roles-dir", "more", "roles", "show", "implementer"]);
    let prompt = role["system_prompt"].as_str().unwrap();
    assert!(prompt.starts_with("You change an existing code base"));
    assert!(prompt.ends_with("Use tabs.\n\nNo comments."));
    assert_eq!(role["base_role"], "implementer");
    assert_eq!(role["context"]["token_budget"], 9000);
    assert_eq!(role["context"]["priority_order"][0], "tree");
    assert_eq!(role["context"]["git_diff"], true);
}

#[test]
fn the_base_role_is_the_name_of_the_root_and_not_that_of_its_file() {
    let project = Project::new()
        .file(
            "d/foo.yaml",
            "name: planner\ndescription: d\nsystem_prompt: p\n",
        )
        .file(
            "d/planner.yaml",
            "name: x9\ndescription: d\nsystem_prompt: p\n",
        )
        .file("d/kid.yaml", "name: kid\nextends: foo\n")
        .file("d/other.yaml", "name: other\nextends: planner\n");
    for (role, base, template) in [
        ("foo", None, Some("planning.j2")),
        ("kid", Some("planner"), Some("planning.j2")),
        ("planner", None, None),
        ("other", Some("x9"), None),
    ] {
        let asked = ["--role", role, "--task", "t"];
        let command = ["--roles-dir", "d", "prompt"];
        let report = project.json(command.into_iter().chain(asked));
        assert_eq!(report["role"]["base_role"].as_str(), base, "{role}");
        assert_eq!(report["template"].as_str(), template, "{role}");
    }
}

#[test]
fn a_role_file_in_a_roles_folder_does_not_extend_itself_twice() {
    let project = Project::new().file(
        ".packer/roles/reviewer.yaml",
        "name: reviewer\nextends: reviewer\nflags: [-x]\n",
    );
    let role = project.json(["roles", "show", ".packer/roles/reviewer.yaml"]);
    assert_eq!(role["flags"], serde_json::json!(["-x"]));
}

#[test]
fn a_chain_is_at_most_32_long() {
    let mut project = Project::new().role("r0", "");
    for index in 1..40 {
        let parent = index - 1;
        project = project.role(&format!("r{index}"), &format!("extends: r{parent}"));
    }
    project.run(["roles", "show", "r31"]).succeeds();
    project
        .run(["roles", "show", "r32"])
        .fails(1)
        .stderr_contains("more than 32 roles");
}

#[test]
fn the_places_are_searched_in_their_order() {
    let yaml = |from: &str| format!("name: r\ndescription: {from}\nsystem_prompt: p\n");
    let project = Project::new()
        .file(".supervisor/roles/r.yaml", yaml("supervisor"))
        .file(".packer/roles/r.yaml", yaml("packer"))
        .file("given/r.yaml", yaml("given"));
    let description = |arguments: &[&str]| {
        let all = arguments.iter().copied().chain(["roles", "show", "r"]);
        project.json(all)["description"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(description(&["--roles-dir", "given"]), "given");
    assert_eq!(description(&[]), "packer");
}

#[test]
fn an_inline_role_may_extend_a_built_in_one() {
    let project = Project::new().file("a.txt", "alpha");
    let request = r#"{"role": {"name": "x", "extends": "reviewer", "context": {"include": ["a.txt"]}}, "task": "t"}"#;
    let output = project
        .run_with_input(["prompt", "--request", "-"], request)
        .succeeds();
    output
        .stdout_contains("### a.txt")
        .stdout_contains("# How to review");
}

#[cfg(unix)]
#[test]
fn a_role_that_leads_out_of_the_repository_is_not_read() {
    let project = Project::new().link("/etc/passwd", ".packer/roles/evil.yaml");
    project
        .run(["roles", "show", "evil"])
        .fails(1)
        .stderr_contains("outside the repository");
}

/// Each problem of a role with its line, if it names one.
fn lines(project: &Project, role: &Role) -> Vec<(String, Option<usize>)> {
    let packer = project.packer();
    let found = packer.check_roles(std::slice::from_ref(role));
    let problems = found.into_iter();
    problems
        .map(|problem| (problem.message, problem.place.map(|place| place.line)))
        .collect()
}

#[test]
fn a_role_that_a_program_changed_blames_lines_for_what_they_say_only() {
    let project = Project::new().file("a.txt", "alpha").role(
        "r",
        "template: gone.j2\ncontext:\n  include:\n    - $LOST\n    - none/*.rs\n  priority_order: [conventions, tree]",
    );
    let role = project.load("r");
    let refused = |name: &str| {
        format!("pattern `{name}` in `context.include` is ignored: there is no such variable")
    };
    let unmatched =
        "pattern `none/*.rs` in `context.include` matches nothing in this repository".to_owned();
    let absent = |key: &str| format!("the section `{key}` can never appear");
    let before = lines(&project, &role);
    assert_eq!(before[0], (refused("$LOST"), Some(7)));
    assert_eq!(before[1], (unmatched.clone(), Some(8)));
    assert_eq!(before[2].1, Some(4), "{before:?}");
    assert_eq!(before[3], (absent("conventions"), Some(9)));

    let changed = role
        .with_include(["$NOPE", "$LOST", "other/*.rs", "none/*.rs"])
        .with_priority_order(["project_context", "conventions"])
        .with_template("lost.j2");
    let after = lines(&project, &changed);
    assert_eq!(after[0], (refused("$NOPE"), None));
    assert_eq!(after[1], (refused("$LOST"), Some(7)));
    assert_eq!(after[2], (unmatched.replace("none", "other"), None));
    assert_eq!(after[3], (unmatched, Some(8)));
    assert_eq!(after[4].1, None, "{after:?}");
    assert_eq!(after[5], (absent("project_context"), None));
    assert_eq!(after[6], (absent("conventions"), Some(9)));
    let packer = project.packer();
    let prompt = packer.pack_context(&changed, &Request::new("t")).unwrap();
    let warnings: Vec<&str> = prompt
        .warnings()
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert!(
        warnings[0].starts_with(&format!("{}: ", refused("$NOPE"))),
        "{warnings:?}"
    );
    assert!(warnings[1].contains("r.yaml:7:"), "{warnings:?}");
}

#[test]
fn what_a_program_changed_is_shown_and_told_like_what_a_file_says() {
    let project = Project::new().role("r", "context:\n  include: [a.txt]\n  token_budget: 500");
    let role = project
        .load("r")
        .with_system_prompt("You help.")
        .with_include(["b.txt", "a.txt"])
        .with_token_budget(900)
        .with_git_diff(true)
        .with_extension("x-team", "core".into());
    let shown = serde_json::to_value(&role).unwrap();
    assert_eq!(
        shown["context"]["include"],
        serde_json::json!(["b.txt", "a.txt"])
    );
    let said = role.values().into_iter();
    let said: Vec<(String, String, Option<usize>)> = said
        .filter(|value| value.file.is_some())
        .map(|value| (value.path, value.value.to_string(), value.line))
        .collect();
    let value = |path: &str, value: &str, line| (path.to_owned(), value.to_owned(), line);
    assert_eq!(
        said,
        [
            value("name", "\"r\"", Some(1)),
            value("description", "\"d\"", Some(2)),
            value("system_prompt", "\"You help.\"", None),
            value("context.include[0]", "\"b.txt\"", None),
            value("context.include[1]", "\"a.txt\"", Some(5)),
            value("context.token_budget", "900", None),
            value("context.git_diff", "true", None),
            value("x-team", "\"core\"", None),
        ]
    );
}

#[test]
fn a_chain_that_only_adds_to_a_prompt_has_none() {
    let additions = "description: d\nsystem_prompt_additions: More.\n";
    let project = Project::new()
        .file(".packer/roles/base.yaml", "name: base\ndescription: d\n")
        .file(
            ".packer/roles/r.yaml",
            format!("name: r\nextends: base\n{additions}"),
        );
    let output = project.run(["roles", "show", "r"]).fails(1);
    output.stderr_contains("`system_prompt` is missing");
    let output = project.run(["roles", "check"]).fails(1);
    output.stdout_contains("`system_prompt` is missing");
    // A prompt anywhere in the chain is enough.
    let project = project.file(
        ".packer/roles/base.yaml",
        "name: base\ndescription: d\nsystem_prompt: Base.\n",
    );
    project
        .run(["roles", "show", "r"])
        .succeeds()
        .stdout_contains("More.");
}
