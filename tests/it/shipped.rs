//! The roles and templates that ship: they load, they fit together, they read well.

use context_packer::tokens::Tokenizer;
use context_packer::{Request, Roles};
use serde_json::json;

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

/// The most tokens of what the program itself writes in a prompt.
const MOST_WORDS: usize = 450;

#[test]
#[cfg_attr(not(feature = "exact-tokens"), ignore = "needs an exact tokenizer")]
fn the_words_of_a_shipped_prompt_take_little_room() {
    let project = Project::new().file("a.rs", "fn a() {}\n");
    let packer = project.packer();
    // Two sentences, so that the line before the context says that there is more.
    let mut request = Request::new("Do. It.");
    request.targets = vec!["a.rs".into()];
    for (role, template) in [
        ("planner", "planning.j2"),
        ("implementer", "implement.j2"),
        ("reviewer", "review_strict.j2"),
    ] {
        let role = Roles::built_in().load(role).unwrap();
        let context = [("context".to_owned(), json!("c"))];
        let prompt = packer
            .render_prompt(template, &role, &request, context)
            .unwrap();
        let tokens = Tokenizer::O200k.counter().unwrap().count(&prompt.text);
        assert!(tokens <= MOST_WORDS, "{template}: {tokens} tokens");
    }
}
