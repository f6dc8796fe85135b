//! The report agrees with the text.

use context_packer::tokens::Tokenizer;
use serde_json::Value as Json;

use crate::project::Project;

/// Checks a report against its prompt and the files on disk.
pub fn agrees(report: &Json, root: &std::path::Path) {
    let prompt = report["prompt"].as_str().unwrap();
    let tokenizer: Tokenizer = report["tokenizer"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        report["tokens"].as_u64().unwrap() as usize,
        tokenizer.counter().unwrap().count(prompt)
    );
    for section in report["sections"].as_array().unwrap() {
        let pieces = section["pieces"].as_array().unwrap();
        let shown = pieces.iter().filter(|piece| piece["form"] != "omitted");
        assert!(
            shown.is_sorted_by_key(|piece| piece["form"] == "name"),
            "what is only named is written last: {section}"
        );
        for piece in pieces {
            let (Some(path), "full") = (piece["path"].as_str(), piece["form"].as_str().unwrap())
            else {
                continue;
            };
            if section["key"] == "git_diff" {
                assert!(prompt.contains(path), "{path} is not in the prompt");
                continue;
            }
            let Ok(text) = std::fs::read_to_string(root.join(path)) else {
                continue;
            };
            let text = text.trim_start_matches('\u{feff}');
            assert!(
                prompt.contains(text.trim_end_matches('\n')),
                "{path} is not whole"
            );
        }
    }
}

#[test]
fn a_report_agrees_with_its_prompt_in_every_flow_style_and_size() {
    let mut project = Project::new()
        .role("whole", "context: {include: ['src/*'], conventions: true, tree: true, git_diff: true, always_include: [rules.md]}")
        .file("rules.md", "Rules.\n".repeat(30))
        .file("CLAUDE.md", "Conventions.\n".repeat(60));
    for index in 0..20 {
        project = project.file(
            &format!("src/{index}.rs"),
            format!("fn f{index}() {{}}\n").repeat(index * 7 + 1),
        );
    }
    project.stage();
    for budget in ["60", "150", "400", "1100", "3000", "9000", "90000"] {
        for style in ["markdown", "xml"] {
            let tokenizers = ["chars", "o200k"].into_iter();
            for tokenizer in tokenizers.filter(|name| name.parse::<Tokenizer>().is_ok()) {
                for (command, role) in [
                    ("prompt", "whole"),
                    ("pack", "whole"),
                    ("prompt", "reviewer"),
                ] {
                    let report = project.json([
                        command,
                        "--role",
                        role,
                        "--task",
                        "t",
                        "--target",
                        "src/3.rs",
                        "--budget",
                        budget,
                        "--style",
                        style,
                        "--tokenizer",
                        tokenizer,
                    ]);
                    agrees(&report, &project.root());
                }
            }
        }
    }
}

#[test]
fn a_report_has_the_documented_shape() {
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .role("r", "context: {include: [a.rs, none.rs]}");
    let report = project
        .run(["pack", "--role", "r", "--format", "json"])
        .succeeds()
        .stdout;
    insta::assert_snapshot!(report);
}
