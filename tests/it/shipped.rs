//! The roles and templates that ship: they load, they fit together, they read well.

use crate::project::Project;

#[test]
fn every_shipped_role_and_template_checks() {
    let project = Project::new();
    project
        .run(["roles", "check"])
        .succeeds()
        .stdout_contains("3 roles checked: 0 errors, 0 warnings");
    project
        .run(["templates", "check"])
        .succeeds()
        .stdout_contains("5 templates checked: 0 errors, 0 warnings");
}

#[test]
fn every_shipped_role_has_its_template() {
    let project = Project::new().file("a.rs", "fn a() {}\n").commit();
    for (role, template, words) in [
        ("planner", "planning.j2", "# How to plan"),
        ("implementer", "implement.j2", "# How to work"),
        ("reviewer", "review_strict.j2", "# How to review"),
    ] {
        let report = project.json(["prompt", "--role", role, "--task", "Do it"]);
        assert_eq!(report["template"], template);
        assert_eq!(report["flow"], "template");
        let prompt = report["prompt"].as_str().unwrap();
        assert!(prompt.contains(words) && prompt.contains("Do it"));
        assert!(!prompt.contains("\n\n\n"), "{role} leaves holes:\n{prompt}");
        assert!(prompt.contains("# Your answer"));
    }
}

#[test]
fn a_role_without_a_template_takes_the_whole_prompt_flow() {
    let project = Project::new().role("own", "");
    let report = project.json(["prompt", "--role", "own", "--task", "Do it"]);
    assert_eq!(report["flow"], "whole");
    assert_eq!(report["prompt"], "You test.\n\n## Task\n\nDo it");
}
