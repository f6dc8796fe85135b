//! `packer init`: a role of one's own, with what belongs to it.

use std::fs;

use crate::project::Project;

const WRITTEN: [&str; 4] = [
    ".packer/role.schema.json",
    ".packer/case.schema.json",
    ".packer/roles/team.yaml",
    ".packer/tests/team.yaml",
];

#[test]
fn what_is_written_works_as_it_is_and_is_never_written_again() {
    let project = Project::new().file("src/a.rs", "fn a() {}\n").commit();
    let output = project.run(["init"]).succeeds();
    for path in WRITTEN {
        assert!(
            output.stderr.contains(&format!("wrote {path}\n")),
            "{}",
            output.stderr
        );
    }
    project.run(["roles", "check"]).succeeds();
    project
        .run(["test"])
        .succeeds()
        .stdout_contains("team.yaml  passed");
    let role = project.root().join(WRITTEN[2]);
    let text = fs::read_to_string(&role).unwrap();
    assert!(text.starts_with("# yaml-language-server: $schema=../role.schema.json\n"));
    assert!(text.contains("extends: implementer"));
    fs::write(&role, text + "# mine\n").unwrap();
    fs::remove_file(project.root().join(WRITTEN[3])).unwrap();
    let again = project.run(["init"]).succeeds();
    assert!(
        again.stderr.contains("kept  .packer/roles/team.yaml"),
        "{}",
        again.stderr
    );
    assert!(again.stderr.contains("wrote .packer/tests/team.yaml"));
    assert!(fs::read_to_string(&role).unwrap().ends_with("# mine\n"));
}

#[test]
fn a_role_that_is_called_as_another_extends_that() {
    let project = Project::new().commit();
    project.run(["init", "reviewer"]).succeeds();
    let shown = project.run(["roles", "show", "reviewer"]).succeeds();
    let shipped = "You review a change before it is merged";
    assert!(shown.stdout.contains(shipped), "{}", shown.stdout);
}

#[test]
fn the_case_that_is_written_is_what_its_schema_says() {
    let project = Project::new().commit();
    project
        .run(["init", "backend", "--extends", "reviewer"])
        .succeeds();
    let read = |path: &str| fs::read_to_string(project.root().join(path)).unwrap();
    let schema = serde_json::from_str(&read(".packer/case.schema.json")).unwrap();
    let case = context_packer::command::parse_yaml("case", &read(".packer/tests/backend.yaml"));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let case = case.unwrap();
    assert!(validator.is_valid(&case), "{:?}", validator.validate(&case));
    assert!(!validator.is_valid(&serde_json::json!({"request": {"rol": "a"}})));
}

#[test]
fn nothing_is_written_through_a_link_and_no_other_name_is_taken() {
    let project = Project::new().link("../outside", ".packer").commit();
    fs::create_dir(project.outside().join("outside")).unwrap();
    project.run(["init"]).fails(1).stderr_contains("is a link");
    let entries = fs::read_dir(project.outside().join("outside")).unwrap();
    assert_eq!(entries.count(), 0);
    project.run(["init", "../a"]).fails(1);
    let unknown = project.run(["init", "--extends", "implementor"]).fails(1);
    unknown.stderr_contains("did you mean `implementer`?");
}
