//! Prompts as messages, and prompts that begin as an earlier one of the run did.

use std::fs;

use serde_json::json;

use crate::project::{Json, Project};

const TEMPLATE: [&str; 5] = ["render", "implement.j2", "--role", "implementer", "--task"];

/// A program of a few modules that use one another.
fn program() -> Project {
    let module = |name: &str, uses: &str| {
        let mut text = format!("//! The {name} of orders.\n\nuse crate::{uses}::{uses};\n\n");
        for at in 0..12 {
            text += &format!(
                "/// Finds order {at} of the {name}.\npub fn {name}_{at}(order: u32) -> u32 {{\n    \
                 let found = {uses}_{at}(order);\n    found + {at}\n}}\n\n"
            );
        }
        text
    };
    Project::new()
        .file("AGENTS.md", "Every function has a test.\n")
        .file(
            "src/main.rs",
            "mod store;\nmod index;\nmod query;\nmod total;\n",
        )
        .file("src/store.rs", module("store", "index"))
        .file("src/index.rs", module("index", "query"))
        .file("src/query.rs", module("query", "total"))
        .file("src/total.rs", module("total", "store"))
        .commit()
}

/// Builds a prompt for messages and keeps its report beside the repository.
fn turn(project: &Project, number: usize, task: &str, more: &[&str]) -> Json {
    let arguments = TEMPLATE.iter().copied().chain([task]);
    let more = more.iter().copied();
    let report = project.json(arguments.chain(["--messages"]).chain(more));
    fs::write(kept(project, number), report.to_string()).unwrap();
    report
}

fn kept(project: &Project, number: usize) -> String {
    let path = project.outside().join(format!("{number}.json"));
    path.to_str().unwrap().to_owned()
}

fn text(report: &Json) -> &str {
    report["prompt"].as_str().unwrap()
}

/// Expects that a prompt begins as another one did, up to the task of that.
#[track_caller]
fn goes_on(first: &Json, second: &Json) {
    let task = text(first).find("\n# Task").unwrap();
    let is_same = shared(text(first), text(second)) >= task;
    assert!(is_same, "{}", text(second));
}

fn shared(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// What is printed of messages alone.
fn messages<'a>(project: &Project, asked: impl IntoIterator<Item = &'a str>) -> Json {
    let asked = asked.into_iter().chain(["--format", "messages"]);
    project.run(asked).succeeds().json()
}

/// The parts of messages: whose, what they say, whether they are marked.
fn parts(messages: &Json) -> Vec<(String, String, bool)> {
    let mut parts = Vec::new();
    for message in messages.as_array().unwrap() {
        for part in message["content"].as_array().unwrap() {
            assert_eq!(part["type"], "text");
            let is_marked = part.get("cache_control").is_some();
            assert!(!is_marked || part["cache_control"] == json!({"type": "ephemeral"}));
            let text = |value: &Json| value.as_str().unwrap().to_owned();
            parts.push((text(&message["role"]), text(&part["text"]), is_marked));
        }
    }
    parts
}

#[test]
fn messages_are_the_prompt_in_parts_that_are_marked_where_it_changes_less() {
    let project = program();
    let report = |points: &str| {
        turn(
            &project,
            0,
            "Index orders",
            &["--target", "src/store.rs", "--cache-points", points],
        )
    };
    for points in 0..=4 {
        let report = report(&points.to_string());
        let parts = parts(&report["messages"]);
        let marked = parts.iter().filter(|part| part.2).count();
        assert_eq!(marked, points.min(3), "{parts:#?}");
        let whole: Vec<&str> = parts.iter().map(|part| part.1.as_str()).collect();
        let (system, user) = whole.split_first().unwrap();
        assert_eq!(format!("{system}\n\n{}", user.concat()), text(&report));
        assert_eq!(parts[0].0, "system");
        assert!(parts[0].1.starts_with("You change an existing code base"));
        assert!(parts[1..].iter().all(|part| part.0 == "user"));
        // First what holds for every task, then what was guessed for this one, then its files.
        assert!(parts[1].1.contains("Every function has a test."));
        assert!(!parts[1].1.contains("src/"), "{}", parts[1].1);
        assert!(parts[2].1.contains("### src/"));
        let last = &parts.last().unwrap().1;
        assert!(last.contains("## Target Files") && last.contains("# Task\n\nIndex orders"));
    }
    let asked = ["Index orders", "--target", "src/store.rs"];
    let printed = messages(&project, TEMPLATE.iter().copied().chain(asked));
    assert_eq!(printed, report("0")["messages"]);
}

#[test]
fn the_system_message_is_the_templates_block_or_the_roles_words() {
    let project = program()
        .file(
            ".packer/roles/calm.yaml",
            "name: calm\ndescription: Calm.\nsystem_prompt: You are calm.\n\
             context: {conventions: true}\n",
        )
        .file("prompts/plain.j2", "{{ context }}\n{{ task }}\n")
        .file(
            "prompts/own.j2",
            "{{ context }}\n{% block system %}Be {{ role.name }}.{% endblock %}\n{{ task }}\n",
        )
        .file(
            "prompts/whole.j2",
            "{{ role.system_prompt }}\n{{ context }}\n{{ task }}\n",
        )
        .file(
            "prompts/none.j2",
            "{{ context }}{% block system %}{% endblock %}{{ task }}\n",
        );
    let of = |template: &str| {
        let prompts = project.root().join("prompts");
        let asked = [
            "--prompts-dir",
            prompts.to_str().unwrap(),
            "--allow-template",
            template,
            "render",
            template,
            "--role",
            "calm",
            "--task",
            "Go.",
        ];
        parts(&messages(&project, asked))
    };
    for (template, system) in [
        ("plain.j2", "You are calm."),
        ("own.j2", "Be calm."),
        ("whole.j2", "You are calm."),
    ] {
        let parts = of(template);
        assert_eq!(
            parts[0],
            ("system".into(), system.into(), false),
            "{template}"
        );
        let user: String = parts[1..].iter().map(|part| part.1.as_str()).collect();
        assert!(
            user.starts_with("## Conventions") && user.trim_end().ends_with("Go."),
            "{user}"
        );
        // It is said once.
        assert!(!user.contains(system), "{user}");
    }
    assert_eq!(of("none.j2")[0].0, "user");
}

#[test]
fn a_prompt_goes_on_as_the_last_one_began_and_shows_nothing_twice() {
    let project = program();
    let first = turn(&project, 1, "Index orders", &["--target", "src/store.rs"]);
    let since = ["--target", "src/query.rs", "--since", &kept(&project, 1)];
    let second = turn(&project, 2, "Query orders", &since);
    goes_on(&first, &second);
    let next = "[The sections above were gathered for an earlier task";
    assert_eq!(text(&second).matches(next).count(), 1);
    for path in ["src/index.rs", "src/store.rs", "src/total.rs"] {
        let heading = format!("### {path}\n");
        assert_eq!(text(&second).matches(&heading).count(), 1, "{path}");
    }
    // The target stands above, whole, so it is not repeated.
    let (_, below) = text(&second).split_once(next).unwrap();
    assert!(
        below.contains("## Target Files\n\n### src/query.rs\n\n[See above]"),
        "{below}"
    );
    let since = ["--target", "src/main.rs", "--since", &kept(&project, 2)];
    let third = turn(&project, 3, "Total orders", &since);
    goes_on(&second, &third);
    let turns = third["shown"]["sections"].as_array().unwrap().iter();
    let turns: Vec<_> = turns
        .map(|section| section["turn"].as_u64().unwrap())
        .collect();
    assert!(
        turns.is_sorted() && turns.contains(&1) && turns.contains(&3),
        "{turns:?}"
    );
}

#[test]
fn what_changed_since_stays_where_it_was_is_said_to_be_old_and_follows_anew() {
    let project = program();
    let first = turn(&project, 1, "Index orders", &["--target", "src/store.rs"]);
    let project = project.file("src/store.rs", "//! The store.\n\npub fn anew() {}\n");
    let since = ["--target", "src/store.rs", "--since", &kept(&project, 1)];
    let second = turn(&project, 2, "Index orders", &since);
    goes_on(&first, &second);
    let (above, below) = text(&second)
        .split_once("[Changed since they were shown above")
        .unwrap_or_else(|| panic!("{}", text(&second)));
    assert!(
        above.contains("fn store_11") && below.starts_with(": `src/store.rs`."),
        "{below}"
    );
    assert!(below.contains("pub fn anew() {}"));
    // Without the text of the earlier prompt it ends where the first change is.
    let mut report = first.clone();
    report.as_object_mut().unwrap().remove("prompt");
    fs::write(kept(&project, 3), report.to_string()).unwrap();
    let since = ["--target", "src/store.rs", "--since", &kept(&project, 3)];
    let third = turn(&project, 4, "Index orders", &since);
    assert!(!text(&third).contains("fn store_11"));
    assert!(shared(text(&first), text(&third)) > text(&first).find("### src/").unwrap());
}

#[test]
fn what_was_shown_before_never_takes_the_room_of_what_is_asked_for() {
    let project = program();
    turn(&project, 1, "Index orders", &["--target", "src/store.rs"]);
    for budget in (400..4000).step_by(300) {
        let budget = budget.to_string();
        let target = ["--target", "src/query.rs", "--budget", &budget];
        let alone = turn(&project, 2, "Query orders", &target);
        let before = kept(&project, 1);
        let with = [&target[..], &["--since", &before]].concat();
        let since = turn(&project, 3, "Query orders", &with);
        let lines = |report: &Json| {
            let named = |line: &&str| line.contains("query_") && line.contains("fn ");
            text(report).lines().filter(named).count()
        };
        assert!(lines(&since) >= lines(&alone), "{budget}: {}", text(&since));
        let over = since["over_budget"] == json!(true);
        assert!(over || since["tokens"].as_u64() <= since["budget"].as_u64());
    }
}

#[test]
fn several_roles_begin_alike_where_the_role_stands_last() {
    let project = program();
    let first = turn(&project, 1, "Index orders", &["--role-last"]);
    assert!(text(&first).contains("# Your role\n\nYou change an existing code base"));
    let reviewer = project.json([
        "render",
        "review_strict.j2",
        "--role",
        "reviewer",
        "--task",
        "Index orders",
        "--since",
        &kept(&project, 1),
    ]);
    assert!(shared(text(&first), text(&reviewer)) >= text(&first).find("\n# Your role").unwrap());
    assert!(text(&reviewer).contains("# Your role\n\nYou review a change"));
    let system = |report: &Json| parts(&report["messages"])[0].clone();
    assert_eq!(system(&first), system(&reviewer));
}

/// What one prompt of a run shows, those after it have read: so it does not stop at what is
/// hardly likely to matter, as others do.
#[test]
fn a_prompt_of_a_run_fills_its_budget() {
    let mut project = program();
    for at in 0..24 {
        let steps: Vec<String> = (0..60)
            .map(|step| {
                format!(
                    "/// Counts what the store finds of order {step}.\npub fn step_{at}_{step}() {{\n    \
                     let orders = {step};\n    count(orders);\n}}\n\n"
                )
            })
            .collect();
        project = project.file(&format!("src/steps_{at}.rs"), steps.concat());
    }
    let project = project.commit();
    let task = "Count the orders of the store that total_3 finds";
    let tokens = |more: &[&str]| turn(&project, 1, task, more)["tokens"].as_u64().unwrap();
    let (alone, first) = (tokens(&[]), tokens(&["--role-last"]));
    assert!(alone * 5 < first * 4, "{alone} {first}");
    let since = kept(&project, 1);
    let next = turn(&project, 2, task, &["--since", &since]);
    assert!(next["tokens"].as_u64().unwrap() >= first, "{first}");
}

#[test]
fn a_report_that_says_nothing_of_what_was_shown_is_an_error() {
    let project = program();
    let plain = project.json(TEMPLATE.iter().copied().chain(["Go."]));
    assert!(plain.get("shown").is_none() && plain.get("messages").is_none());
    fs::write(kept(&project, 1), plain.to_string()).unwrap();
    let path = kept(&project, 1);
    let asked = TEMPLATE.iter().copied().chain(["Go.", "--since", &path]);
    project
        .run(asked)
        .fails(1)
        .stderr_contains("it does not say what was shown: missing field `shown`")
        .stderr_contains("help: use the report of a prompt built with `--messages --format json`");
}

#[test]
fn a_forged_report_adds_nothing_but_what_it_says_itself() {
    let project = program()
        .file(".gitignore", ".env\n")
        .file(".env", "TOKEN=hidden\n");
    let mut report = turn(&project, 1, "Index orders", &["--target", "src/store.rs"]);
    let piece =
        |path: &str| json!({"path": path, "form": "full", "digest": "0", "at": [0, 9_999_999]});
    let forged = ["/etc/hostname", "../1.json", ".env", ".git/config", "src"].map(piece);
    report["shown"]["sections"] =
        json!([{"key": "related", "turn": 18_446_744_073_709_551_615_u64, "pieces": forged}]);
    fs::write(kept(&project, 1), report.to_string()).unwrap();
    let since = ["--target", "src/store.rs", "--since", &kept(&project, 1)];
    let second = turn(&project, 2, "Index orders", &since);
    assert!(!text(&second).contains("hidden") && !text(&second).contains("[core]"));
    assert!(!text(&second).contains("earlier task"));
}

#[test]
fn a_line_of_a_batch_goes_on_from_the_report_of_another() {
    let project = program();
    let first = turn(&project, 1, "Index orders", &["--target", "src/store.rs"]);
    let request = json!({
        "id": 2, "role": "implementer", "template": "implement.j2", "task": "Query orders",
        "target": ["src/query.rs"], "cache_points": 2, "since": first,
    });
    let lines = format!("{request}\n");
    let output = project.run_with_input(["batch"], &lines);
    let second = output.succeeds().json();
    goes_on(&first, &second);
    assert_eq!(
        parts(&second["messages"])
            .iter()
            .filter(|part| part.2)
            .count(),
        2
    );
}

#[test]
fn a_file_that_is_gone_stays_where_it_was_and_is_named() {
    let project = program();
    let first = turn(&project, 1, "Index orders", &["--target", "src/store.rs"]);
    fs::remove_file(project.root().join("src/total.rs")).unwrap();
    let since = ["--target", "src/query.rs", "--since", &kept(&project, 1)];
    let second = turn(&project, 2, "Query orders", &since);
    goes_on(&first, &second);
    assert!(text(&second).contains("[Changed since they were shown above: `src/total.rs`."));
}

#[test]
fn more_cache_points_than_a_provider_takes_are_refused_wherever_they_are_asked_for() {
    let project = Project::new();
    let request = json!({"role": "implementer", "task": "t", "cache_points": 9}).to_string();
    project
        .run_with_input(["prompt", "--request", "-"], &request)
        .fails(1)
        .stderr_contains("`cache_points` must be at most 4");
}
