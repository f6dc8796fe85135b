//! What `docs/conformance.md` says of the seeds, and the rules of theirs that had no test.

use std::collections::BTreeSet;

use context_packer::builders::MAX_RELATED;
use context_packer::context_dir::{CONTEXT_BUDGET, CONTEXT_DIR, CONTEXT_FILES};
use context_packer::shorten::{CONTEXT_LINES, DEFAULT_FIT_BUDGET};
use context_packer::tokens::estimate_tokens;
use serde_json::json;

use crate::hardening::tests;
use crate::project::{Json, Project};

/// The rules of the five documents: what their numbers begin with, how many there are, and
/// how many figures a number has at least.
const RULES: [(&str, usize, usize); 14] = [
    ("X-", 21, 1),
    ("A-", 17, 1),
    ("L-", 37, 1),
    ("US1.", 3, 1),
    ("US2.", 3, 1),
    ("US3.", 3, 1),
    ("US4.", 3, 1),
    ("US5.", 3, 1),
    ("EC-", 5, 1),
    ("CL-", 5, 1),
    ("FR-", 15, 3),
    ("KE-", 5, 1),
    ("SC-", 7, 3),
    ("P-", 49, 1),
];

/// The cells of each rule's row.
fn rows() -> Vec<[&'static str; 3]> {
    let page = include_str!("../../docs/conformance.md");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        <[&str; 3]>::try_from(cells).unwrap_or_else(|cells| panic!("three cells: {cells:?}"))
    });
    let is_head = |cells: &[&str; 3]| cells[0] == "rule" || cells[0].starts_with("---");
    cells.filter(|cells| !is_head(cells)).collect()
}

/// The tests that a cell names.
fn named(cell: &str) -> Vec<&str> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains("::")).collect()
}

#[test]
fn every_rule_has_its_row() {
    let rules = RULES.iter().flat_map(|(begins, count, figures)| {
        (1..=*count).map(move |number| format!("{begins}{number:0figures$}"))
    });
    let mut missing: BTreeSet<String> = rules.collect();
    for [rule, says, _] in rows() {
        assert!(
            missing.remove(rule),
            "`{rule}` is told twice, or is no rule"
        );
        assert!(says.len() > 10, "{rule}: {says}");
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_row_names_tests_that_exist_or_says_why_there_is_none() {
    let known = tests();
    for [rule, _, shown] in rows() {
        let names = named(shown);
        for name in &names {
            let is_known = known.iter().any(|known| known == name);
            assert!(is_known, "{rule}: there is no test `{name}`");
        }
        let has_reason = ["Another rule: ", "No test: "]
            .iter()
            .any(|begins| shown.starts_with(begins) && shown.len() > 50);
        let is_list = shown
            .split(", ")
            .all(|name| name.starts_with('`') && name.ends_with('`'));
        assert!(
            has_reason || is_list && !names.is_empty(),
            "{rule}: {shown}"
        );
    }
}

#[test]
fn defaults_are_those_of_the_documents() {
    assert_eq!((CONTEXT_BUDGET, CONTEXT_DIR), (8000, ".context"));
    assert_eq!(DEFAULT_FIT_BUDGET, 32_000);
    assert_eq!((CONTEXT_LINES, MAX_RELATED), (10, 10));
    let order = [
        "CONSTITUTION",
        "TASKS",
        "DECISIONS",
        "CONVENTIONS",
        "ARCHITECTURE",
        "GLOSSARY",
        "LEARNINGS",
        "DEPENDENCIES",
        "DRIFT",
        "AGENT_PLAYBOOK",
    ];
    assert_eq!(CONTEXT_FILES.map(|(name, _)| name), order);
}

#[test]
fn an_estimate_is_a_quarter_of_the_characters() {
    for (text, tokens) in [("", 0), ("abc", 0), ("größte", 1), ("abcdefgh", 2)] {
        assert_eq!(estimate_tokens(text), tokens, "{text}");
    }
}

/// What a builder prints.
fn build(project: &Project, arguments: &[&str], input: &str) -> Json {
    let all = std::iter::once("build").chain(arguments.iter().copied());
    project.run_with_input(all, input).succeeds().json()
}

fn keys(json: &Json) -> BTreeSet<&str> {
    json.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn each_builder_has_its_keys_and_no_others() {
    let project = Project::new()
        .file("TASKS.md", "- [ ] Greet.\n")
        .file("CLAUDE.md", "Be brief.\n")
        .file("src/a.rs", "fn a() {}\n")
        .commit();
    let error = json!({"file": "src/a.rs", "line": 1, "message": "no"});
    let stages = json!({"stages": [{"name": "types", "errors": [error]}]}).to_string();
    let issue = json!({"number": 1, "body": "See src/a.rs."}).to_string();
    for (arguments, input, expected) in [
        (
            vec!["implementation", "--task-file", "TASKS.md"],
            "",
            ["tasks", "conventions", "branch", "recent_commits"].as_slice(),
        ),
        (
            vec!["review", "--base", "HEAD"],
            "",
            &["diff", "changed_files", "conventions", "stats"],
        ),
        (
            vec!["fix", "--errors", "-"],
            &stages,
            &["errors", "source_files", "error_summary"],
        ),
        (
            vec!["issue", "--issue", "-"],
            &issue,
            &["issue", "related_files", "recent_changes"],
        ),
    ] {
        let built = build(&project, &arguments, input);
        let expected: BTreeSet<&str> = expected.iter().copied().chain(["_metadata"]).collect();
        assert_eq!(keys(&built), expected, "{arguments:?}");
        let told = keys(&built["_metadata"]);
        for field in [
            "truncated",
            "original_lines",
            "kept_lines",
            "sections_affected",
        ] {
            assert!(told.contains(field), "{field} of {arguments:?}");
        }
    }
    let review = build(&project, &["review", "--base", "HEAD"], "");
    assert_eq!(review["diff"], "");
    let zero = json!({"files_changed": 0, "insertions": 0, "deletions": 0});
    assert_eq!(review["stats"], zero);
}

#[test]
fn a_builder_takes_less_than_its_files() {
    let text: String = (0..3000)
        .map(|at| format!("let line_{at} = {at};\n"))
        .collect();
    let project = Project::new().file("src/a.rs", &text);
    let errors =
        [40, 900, 2500].map(|line| json!({"file": "src/a.rs", "line": line, "message": "no"}));
    let stages = json!({"stages": [{"name": "types", "errors": errors}]}).to_string();
    let built = build(&project, &["fix", "--errors", "-"], &stages);
    let shown = built["source_files"]["src/a.rs"].as_str().unwrap();
    for line in [39, 899, 2499] {
        assert!(shown.contains(&format!("let line_{line} =")), "{line}");
    }
    assert!(
        shown.len() * 5 < text.len() * 3,
        "{} of {}",
        shown.len(),
        text.len()
    );
}
