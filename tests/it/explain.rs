//! Why a prompt is as it is.

use insta::assert_snapshot;

use crate::project::{Json, Project};

fn explain(project: &Project, arguments: &[&str]) -> Json {
    project.json(["explain"].iter().chain(arguments).copied())
}

/// The section of this key.
fn section<'a>(explanation: &'a Json, key: &str) -> &'a Json {
    let sections = explanation["sections"].as_array().unwrap();
    let found = sections.iter().find(|section| section["key"] == key);
    found.unwrap_or_else(|| panic!("no section `{key}` in {sections:#?}"))
}

/// A repository with more than its role has room for.
fn crowded() -> Project {
    let lines = |name: &str, count| format!("fn {name}() -> usize {{ 1 }}\n").repeat(count);
    Project::new()
        .file("src/main.rs", format!("mod part;\n{}", lines("first", 60)))
        .file("src/part.rs", lines("second", 90))
        .file("docs/a.md", "Some words of a document.\n".repeat(60))
        .file("docs/b.md", "Some words of another one.\n".repeat(60))
        .file("docs/old/c.md", "Gone.\n")
        .file("AGENTS.md", "Keep it short.\n".repeat(40))
        .role(
            "r",
            "context:\n  token_budget: 1200\n  include:\n    - $TARGET\n    - $TARGET_IMPORTS\n    - 'docs/**/*.md'\n  exclude: [docs/old]\n  conventions: true\n  git_diff: true\n",
        )
        .commit()
}

const OF_CROWDED: [&str; 6] = ["--role", "r", "--task", "t", "--target", "src/main.rs"];

#[test]
fn a_person_reads_what_is_in_and_what_is_out_as_a_table() {
    let project = crowded();
    let arguments = ["explain"].into_iter().chain(OF_CROWDED);
    assert_snapshot!(project.run(arguments).succeeds().stdout);
}

#[test]
fn the_parts_of_the_prompt_are_the_prompt() {
    let project = crowded();
    for extra in [
        &[][..],
        &["--style", "xml"],
        &["--template", "implement.j2"],
    ] {
        let arguments = [&OF_CROWDED[..], extra].concat();
        let explanation = explain(&project, &arguments);
        let parts = explanation["prompt"].as_array().unwrap();
        let text: String = parts.iter().map(|p| p["text"].as_str().unwrap()).collect();
        let command: &[&str] = match extra {
            ["--template", template] => &["render", template],
            _ => &["prompt"],
        };
        let without = if extra.first() == Some(&"--template") {
            &[]
        } else {
            extra
        };
        let arguments = [command, &OF_CROWDED[..], without].concat();
        let prompt = project.run(arguments).succeeds().stdout;
        assert_eq!(text.trim_end(), prompt.trim_end());
        // Every section that has tokens is found in the text.
        for (number, section) in explanation["sections"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
        {
            let is_there = section["status"] == "kept" || section["status"] == "shrunk";
            let has_part = parts.iter().any(|part| part["section"] == number);
            assert!(has_part || !is_there, "{extra:?}: {}", section["key"]);
            let pieces = section["pieces"].as_array().unwrap();
            for (place, piece) in pieces.iter().enumerate() {
                let mut parts = parts.iter();
                let has_part = parts.any(|it| it["section"] == number && it["piece"] == place);
                assert!(
                    has_part || !is_there || piece["form"] == "omitted",
                    "{piece}"
                );
            }
        }
    }
}

#[test]
fn a_section_is_whole_with_the_budget_that_is_told() {
    let project = crowded();
    let explanation = explain(&project, &OF_CROWDED);
    let mut tried = 0;
    for cut in explanation["sections"].as_array().unwrap() {
        let Some(budget) = cut["whole_at"].as_u64() else {
            continue;
        };
        tried += 1;
        let budget = budget.to_string();
        let arguments = [&OF_CROWDED[..], &["--budget", &budget]].concat();
        let larger = explain(&project, &arguments);
        let key = cut["key"].as_str().unwrap();
        assert_eq!(
            section(&larger, key)["status"],
            "kept",
            "{key} with {budget}"
        );
    }
    assert!(tried >= 2, "{explanation:#}");
}

#[test]
fn a_file_names_the_pattern_that_asks_for_it_and_what_takes_it_out() {
    let explanation = explain(&crowded(), &OF_CROWDED);
    let files = section(&explanation, "files");
    let piece = &files["pieces"][0];
    assert_eq!(piece["path"], "docs/a.md");
    let by = &piece["asked_by"][0];
    assert_eq!(by["text"], "include: docs/**/*.md");
    assert!(
        by["file"]
            .as_str()
            .unwrap()
            .ends_with(".packer/roles/r.yaml")
    );
    assert_eq!(by["line"], 9);
    let excluded = &explanation["excluded"][0];
    assert_eq!(excluded["path"], "docs/old/");
    assert_eq!(excluded["excluded_by"]["text"], "exclude: docs/old");
    assert_eq!(section(&explanation, "git_diff")["status"], "empty");
}

#[test]
fn a_question_about_a_file_is_answered() {
    let project = crowded()
        .file(".gitignore", "*.log\n")
        .file("x.log", "x\n")
        .file("alone.txt", "x\n")
        .role(
            "logs",
            "context: {include: ['*.log', '*.md'], exclude: [docs/old]}",
        );
    let asked = [
        "docs/a.md",
        "docs/old/c.md",
        "x.log",
        "alone.txt",
        "absent.rs",
        "../secret",
        "docs",
    ];
    let arguments = [&["explain"], &asked[..], &["--role", "logs"]].concat();
    assert_snapshot!(project.run(arguments).succeeds().stdout);
}

#[test]
fn each_value_of_a_role_names_the_file_that_says_it() {
    let project = Project::new()
        .role("base", "context: {token_budget: 900, include: [a.md]}")
        .file(
            ".packer/roles/child.yaml",
            "name: child\ndescription: d\nextends: base\nsystem_prompt_additions: More.\ncontext:\n  include: [b.md]\n",
        )
        .file("a.md", "a\n")
        .file("b.md", "b\n");
    let explanation = explain(&project, &["--role", "child"]);
    let values = explanation["role_values"].as_array().unwrap();
    let origin = |path: &str| {
        let value = values.iter().find(|value| value["path"] == path).unwrap();
        let file = value["file"]
            .as_str()
            .map(|file| file.rsplit('/').next().unwrap().to_owned());
        (value["value"].clone(), file, value["line"].as_u64())
    };
    let file = |name: &str| Some(format!("{name}.yaml"));
    assert_eq!(
        origin("context.token_budget"),
        (900.into(), file("base"), Some(4))
    );
    assert_eq!(
        origin("context.include[0]"),
        ("a.md".into(), file("base"), Some(4))
    );
    assert_eq!(
        origin("context.include[1]"),
        ("b.md".into(), file("child"), Some(6))
    );
    assert_eq!(
        origin("system_prompt"),
        ("You test.".into(), file("base"), Some(3))
    );
    assert_eq!(
        origin("system_prompt_additions"),
        ("More.".into(), file("child"), Some(4))
    );
    assert_eq!(origin("context.prune"), ("shrink".into(), None, None));
    let chain = explanation["role_chain"].as_array().unwrap();
    assert_eq!(chain.len(), 2);
}

#[test]
fn nothing_in_a_repository_can_end_the_data_of_the_page() {
    let hostile = "</script><script>alert(1)</script><!-- <script>\u{2028}\n";
    let project = Project::new()
        .file("x.md", hostile.repeat(3))
        .role("r", "context: {include: ['*.md']}");
    let arguments = [
        "explain",
        "--role",
        "r",
        "--task",
        hostile,
        "--html",
        "page.html",
    ];
    project.run(arguments).succeeds();
    let page = std::fs::read_to_string(project.root().join("page.html")).unwrap();
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<script>alert"));
    let start = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let data = &page[start..start + page[start..].find("</script>").unwrap()];
    let data: Json = serde_json::from_str(data).unwrap();
    assert_eq!(data["live"], false);
    assert_eq!(data["explanation"]["task"], hostile);
    let printed = arguments.map(|it| if it == "page.html" { "-" } else { it });
    let printed = project.run(printed).succeeds().stdout;
    assert!(printed.starts_with("<!doctype html>") && printed.ends_with("</html>\n"));
    assert!(!project.root().join("-").exists());
    let both = [
        &arguments[..6],
        &["-", "--format", "json", "-o", "why.json"],
    ]
    .concat();
    let printed = project.run(both).succeeds().stdout;
    assert!(printed.starts_with("<!doctype html>"));
    let why = std::fs::read_to_string(project.root().join("why.json")).unwrap();
    assert!(serde_json::from_str::<Json>(&why).is_ok());
    // Nothing is fetched from anywhere.
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "the page has an address"
    );
}

#[test]
fn what_a_section_quotes_of_another_is_its_own() {
    let project = Project::new()
        .file("a.md", "s\nhello\n".repeat(20_000))
        .file(
            ".packer/roles/r.yaml",
            "name: r\ndescription: d\nsystem_prompt: s\ncontext: {include: ['*.md'], token_budget: 100000}\n",
        );
    let explanation = explain(&project, &["--role", "r", "--task", "hello"]);
    let parts = explanation["prompt"].as_array().unwrap();
    let of = |number: u64| parts.iter().filter(move |part| part["section"] == number);
    for (number, section) in (0..).zip(explanation["sections"].as_array().unwrap()) {
        assert!(of(number).count() > 0, "{}", section["key"]);
    }
    let file = of(2).map(|part| part["text"].as_str().unwrap().len());
    assert!(file.sum::<usize>() > 160_000);
}
