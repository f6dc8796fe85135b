//! What a prompt has room for: what was asked for comes first, and more budget never shows
//! less.

use std::collections::HashMap;

use context_packer::parsing::Parsing;
use context_packer::{ContextPacker, Request, Roles};

use crate::project::{Json, Project, words};

/// How often each line of each file is in a prompt, without the remarks of ours.
fn shown(prompt: &str) -> HashMap<String, HashMap<String, usize>> {
    let mut files: HashMap<String, HashMap<String, usize>> = HashMap::new();
    let mut path: Option<String> = None;
    let mut fence: Option<String> = None;
    for line in prompt.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            Some(open) if *open == line => fence = None,
            Some(_) if line.starts_with("[…") => {}
            Some(_) => {
                if let Some(lines) = path.as_ref().and_then(|path| files.get_mut(path)) {
                    *lines.entry(line.to_owned()).or_default() += 1;
                }
            }
            None if line.starts_with("## ") => path = None,
            None => {
                let named = line.strip_prefix("- ");
                let named = named.and_then(|name| name.split_once(" [name only"));
                let named = named.map(|(name, _)| name).or(line.strip_prefix("### "));
                if let Some(name) = named {
                    path = Some(name.to_owned());
                    files.entry(name.to_owned()).or_default();
                }
            }
        }
    }
    files
}

/// The files of this project are as good as any: what is in a prompt stays there with each
/// larger budget.
#[test]
fn more_budget_never_shows_less_of_a_file() {
    let packer = ContextPacker::open(env!("CARGO_MANIFEST_DIR")).unwrap();
    let mut packer = packer.with_parsing(Parsing::TrustedInProcess);
    // No file changes between the budgets, so each is read and parsed once.
    packer.look_again().unwrap();
    let role = |name: &str| {
        let value = serde_json::json!({
            "name": name, "description": "d", "system_prompt": "You test.",
            "context": {
                "include": ["$TARGET", "$TARGET_IMPORTS", "docs/p*.md", "src/budget/**", "$REPO_MAP"],
                "related": name == "related", "conventions": ["CONTRIBUTING.md"], "tree": true,
            },
        });
        Roles::built_in().load_json(&value).unwrap()
    };
    for name in ["related", "plain"] {
        let role = role(name);
        let mut request = Request::new("Let outlines of files take more of the budget");
        request.targets = vec!["src/truncate/mod.rs".into(), "src/format/mod.rs".into()];
        let mut before = HashMap::new();
        let budgets = (1200..4000)
            .step_by(331)
            .chain((4000..60_000).step_by(4111));
        for budget in budgets {
            request.overrides.budget = Some(budget.into());
            let now = shown(&packer.pack_context(&role, &request).unwrap().text);
            for (path, lines) in &before {
                let more: &HashMap<String, usize> = &now[path];
                let lines: &HashMap<String, usize> = lines;
                for (line, count) in lines {
                    let there = more.get(line).copied().unwrap_or(0);
                    assert!(there >= *count, "{name} {budget} {path}: {line}");
                }
            }
            before = now;
        }
    }
}

fn form(report: &Json, path: &str) -> String {
    let sections = report["sections"].as_array().unwrap().iter();
    let mut pieces = sections.flat_map(|section| section["pieces"].as_array().unwrap());
    let piece = pieces.find(|piece| piece["path"] == path).unwrap();
    piece["form"].as_str().unwrap().to_owned()
}

fn document(about: &str) -> String {
    let mut text = format!("# {about}\n\nAbout {about}.\n\n");
    for number in 0..40 {
        text += &format!("## Step {number}\n\nSay it.\n\nAnd again, at some length.\n\n");
    }
    text
}

#[test]
fn of_what_globs_match_that_is_shown_which_the_task_speaks_of() {
    let project = Project::new()
        .role("r", "context: {include: ['docs/*.md']}")
        .file("docs/api.md", document("api"))
        .file("docs/config.md", document("config"))
        .file("docs/zebra.md", document("zebra"))
        .commit();
    let pack = |budget: &str, task: &str| {
        let command = ["pack", "--role", "r", "--budget", budget, "--task", task];
        project.json(command)
    };
    let tight = pack("1350", "Explain where the config file is looked for");
    assert_ne!(form(&tight, "docs/config.md"), "name", "{tight}");
    assert_eq!(form(&tight, "docs/api.md"), "name", "{tight}");
    // Where nothing speaks for one of them they come by their paths, as they are written.
    let tight = pack("1350", "");
    assert_ne!(form(&tight, "docs/api.md"), "name", "{tight}");
    assert_eq!(form(&tight, "docs/config.md"), "name", "{tight}");
}

#[test]
fn conventions_keep_the_section_about_what_is_asked() {
    let filler = "Something that is of no use here.\n".repeat(30);
    let section = |title: &str, text: &str| format!("### {title}\n\n{text}\n{filler}\n");
    let text = [
        "# Guide\n\nA linter.\n\n## Work\n\n".to_owned(),
        section("Benchmarking", "Measure."),
        section("Editors", "Use any."),
        "### Adding a rule\n\nEach rule has a test.\n\n".to_owned(),
        section("Profiling", "Sample."),
    ];
    let project = Project::new()
        .role("r", "context: {conventions: true}")
        .file("AGENTS.md", text.concat());
    let task = "Add a rule that finds unused imports";
    let report = project.json(["pack", "--role", "r", "--budget", "1150", "--task", task]);
    let prompt = report["prompt"].as_str().unwrap();
    for kept in [
        "# Guide\n",
        "## Work\n",
        "### Adding a rule\n\nEach rule has a test.\n",
    ] {
        assert!(prompt.contains(kept), "{prompt}");
    }
    assert!(!prompt.contains("### Benchmarking"), "{prompt}");
}

/// How a change is brought to the project is nothing for whoever only makes it, unless the task
/// speaks of it; an agent's own file says what it says to the agent.
#[test]
fn what_contributors_do_beside_code_is_left_out_though_there_is_room() {
    let steps = "Then go to the page, press the button and wait for it.\n".repeat(9);
    let text = format!(
        "# Contributing\n\nWelcome.\n\n## Fork\n\nFork it on the site.\n{steps}\n\
         ## Style\n\nTwo spaces, no tabs.\n\n## Push\n\nPush to your copy.\n{steps}"
    );
    let prompt = |name: &str, task: &str| {
        let project = Project::new()
            .role("r", "context: {conventions: true}")
            .file(name, &text);
        let command = ["pack", "--role", "r", "--budget", "9000", "--task", task];
        project.run(command).succeeds()
    };
    prompt("CONTRIBUTING.md", "Mend the parser")
        .stdout_contains("## Style\n\nTwo spaces, no tabs.\n")
        .stdout_contains("[… lines 2-17 left out]")
        .stdout_lacks("Welcome.")
        .stdout_lacks("on the site")
        .stdout_lacks("your copy");
    prompt("CONTRIBUTING.md", "Say how to fork on two sites")
        .stdout_contains("## Style")
        .stdout_contains("Fork it on the site.")
        .stdout_lacks("your copy");
    prompt("AGENTS.md", "Mend the parser").stdout_contains(&text);
}

#[test]
fn a_guide_that_is_read_for_its_commands_leaves_the_agents_their_room() {
    let rule = |n: usize| format!("## Rule {n}\n\nEach name of kind {n} is a noun.\n\n");
    let rules: String = (0..60).map(rule).collect();
    let agents = format!("# Agents\n\nSee CONTRIBUTING.md.\n\n{rules}");
    let guide =
        format!("# Contributing\n\n{rules}## Help\n\nAsk.\n\n## Gates\n\nRun `make test`.\n");
    let source: String = (0..2000)
        .map(|n| format!("pub fn pump_{n}() {{\n    fill({n});\n}}\n\n"))
        .collect();
    let project = Project::new()
        .role(
            "r",
            "context: {include: [$TARGET, $RELATED], conventions: true, priority_order: [target_file, conventions]}",
        )
        .file("AGENTS.md", &agents)
        .file("src/a.rs", "pub fn fill(n: u8) {}\n")
        .file("src/b.rs", &source);
    let shown = |project: &Project, budget: &str| {
        let command = words("pack --role r --target src/a.rs --task 'Fill the pump' --budget");
        let report = project.json(command.chain([budget]));
        report["prompt"].as_str().unwrap().to_owned()
    };
    let rules_in = |prompt: &str| prompt.matches("## Rule").count();
    let alone = rules_in(&shown(&project, "6000"));
    let project = project.file("CONTRIBUTING.md", &guide);
    let prompt = shown(&project, "6000");
    assert!(prompt.contains("Run `make test`."), "{prompt}");
    assert!(
        3 * rules_in(&prompt) > 2 * alone && alone > 15,
        "{alone}: {prompt}"
    );
    let prompt = shown(&project, "90000");
    assert_eq!(rules_in(&prompt), 60, "{prompt}");
    assert!(!prompt.contains("Ask."), "{prompt}");
}

#[test]
fn targets_that_do_not_fit_share_half_of_the_room() {
    let steps = |name: &str| -> String {
        let step = |n: usize| format!("fn {name}_{n}() {{\n    work({n});\n    rest();\n}}\n\n");
        (0..80).map(step).collect()
    };
    let project = Project::new()
        .role("r", "context: {include: [$TARGET, $RELATED]}")
        .file("src/a.rs", steps("apple"))
        .file("src/b.rs", steps("berry"))
        .file("src/c.rs", "pub fn apple_7_and_berry_9() {}\n")
        .commit();
    let report = project.json(words(
        "pack --role r --target src/a.rs --target src/b.rs --task 'Rename apple_7 and berry_9' \
         --budget 1800",
    ));
    let prompt = report["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("fn apple_7()") && prompt.contains("fn berry_9()"),
        "{prompt}"
    );
    assert_eq!(form(&report, "src/c.rs"), "full", "{prompt}");
}

#[test]
fn every_file_is_searched_where_they_are_too_many_to_know_all_of_each() {
    let mut project = Project::new()
        .file("zebra/z.py", "def feed_quokka():\n    return 1\n")
        .role("r", "context: {include: [$RELATED, $REPO_MAP]}");
    for number in 0..5005 {
        let text = format!("def step_{number}():\n    return {number}\n");
        project = project.file(&format!("a/m{number}.py"), text);
    }
    let run = |task: &str, cache: &[&str]| {
        let prompt = ["prompt", "--role", "r", "--task", task];
        let run = project.run([&prompt, cache].concat()).succeeds();
        assert!(!run.stderr.contains("not searched"), "{}", run.stderr);
        run.stderr_contains("of 5,007 files were not read for the map")
            .stdout
    };
    let found = run("Feed quokkas twice", &["--no-cache"]);
    assert!(found.contains("def feed_quokka"), "{found}");
    assert!(!run("Mend step 17", &["--no-cache"]).contains("quokka"));
    // What was kept of one question answers another, and changes nothing.
    for task in ["Mend step 17", "Feed quokkas twice", "Feed quokkas twice"] {
        assert_eq!(run(task, &[]), run(task, &["--no-cache"]), "{task}");
    }
}

/// Three hundred functions that call one.
fn calls(word: &str) -> String {
    let function = |number| format!("fn {word}_{number}() {{\n    {word}({number});\n}}\n\n");
    (0..300).map(function).collect()
}

/// A prompt about one of the calls in such functions.
fn prompt_on_call_8(project: &Project, role: &str, budget: &str) -> String {
    let task = ["--task", "Let call_7 call 8", "--budget", budget];
    let args = ["prompt", "--role", role].into_iter().chain(task);
    project.run(args).succeeds().stdout
}

/// Of a new file the diff has every line, so it is not shown twice where there is no room for
/// all that changed; without the diff it is.
#[test]
fn a_new_file_that_is_in_the_diff_is_only_named_where_not_all_fits() {
    let project = Project::new()
        .file("src/long.rs", calls("call"))
        .file(
            "src/other.rs",
            "fn main() {\n    call_7();\n    fresh();\n}\n",
        )
        .role(
            "blind",
            "extends: reviewer\ncontext: {git_diff: false, related: true}",
        )
        .commit()
        .file("src/long.rs", calls("call").replace("call(7)", "call(8)"))
        .file(
            "src/fresh.rs",
            "/// Is new.\npub fn fresh() {\n    call_7();\n}\n",
        );
    project.stage();
    let prompt = |role: &str, budget: &str| prompt_on_call_8(&project, role, budget);
    let small = prompt("reviewer", "2500");
    assert!(
        small.contains("- src/fresh.rs [name only: 4 lines, all new]"),
        "{small}"
    );
    assert_eq!(small.matches("pub fn fresh()").count(), 1, "{small}");
    assert_eq!(
        prompt("reviewer", "30000")
            .matches("pub fn fresh()")
            .count(),
        2
    );
    assert_eq!(prompt("blind", "2500").matches("pub fn fresh()").count(), 1);
    // A diff that the caller brings may hold anything.
    let task = ["--task", "Let call_7 call 8", "--budget", "2500"];
    let brought = ["prompt", "--role", "reviewer", "--extra", "git_diff=none"];
    let brought = project.run(brought.into_iter().chain(task)).succeeds();
    assert!(
        brought.stdout.contains("pub fn fresh()"),
        "{}",
        brought.stdout
    );
}

/// The same of a function that is new in a file of which not all fits, and of lines around it.
#[test]
fn a_part_that_is_in_the_diff_is_not_shown_once_more_where_not_all_fits() {
    let fresh = "/// Is new.\npub fn fresh() {\n    call_7();\n    call_8();\n}\n\n";
    let (before, after) = (calls("call"), calls("ask"));
    let changed = before.replace("call(7)", "call(8)");
    let project = Project::new()
        .file("src/long.rs", format!("{before}{after}"))
        .role("blind", "extends: reviewer\ncontext: {git_diff: false}")
        .commit()
        .file("src/long.rs", format!("{changed}{fresh}{after}"));
    project.stage();
    let prompt = |role: &str, budget: &str| prompt_on_call_8(&project, role, budget);
    let count = |prompt: &str| prompt.matches("pub fn fresh()").count();
    let small = prompt("reviewer", "2500");
    assert_eq!(count(&small), 1, "{small}");
    // Of what changed, the function around it is there as well.
    assert!(small.contains("\nfn call_7() {"), "{small}");
    assert_eq!(count(&prompt("reviewer", "60000")), 2);
    assert_eq!(count(&prompt("blind", "2500")), 1);
}

/// Nobody who judges a change has to be told of a licence, but a worker may write a target anew as
/// it was shown; a short licence stays, since a remark would take as much.
#[test]
fn a_changed_file_is_shown_without_a_long_licence_unless_it_is_asked_for() {
    let words = " * Permission is hereby granted, free of charge, to any person.\n".repeat(12);
    let licence = format!("/*\n * Copyright (C) 2011 Somebody\n{words} */\n\n");
    let short = "// Copyright 2011 Somebody Else\n\n";
    let body = "int say(void)\n{\n    return 1;\n}\n";
    let project = Project::new()
        .file("src/a.c", format!("{licence}{body}"))
        .file("src/b.c", format!("{short}{body}"))
        .role("blind", "extends: reviewer\ncontext: {git_diff: false}")
        .commit()
        .file(
            "src/a.c",
            format!("{licence}{body}").replace("return 1", "return 2"),
        )
        .file(
            "src/b.c",
            format!("{short}{body}").replace("return 1", "return 2"),
        );
    project.stage();
    let prompt = |role: &str, task: &str, more: &[&str]| {
        let asked = ["prompt", "--role", role, "--task", task];
        project
            .run(asked.iter().chain(more).copied())
            .succeeds()
            .stdout
    };
    let without = prompt("reviewer", "Say more.", &[]);
    assert!(
        without.contains("[all but its licence: 4 of 20 lines]")
            && without.contains("[… lines 1-16 left out]\nint say(void)")
            && without.contains("Somebody Else"),
        "{without}"
    );
    let is_told =
        |prompt: &str| prompt.contains("2011 Somebody\n") && !prompt.contains("[… lines 1-");
    let asked = prompt("reviewer", "Mend the year of the copyright.", &[]);
    assert!(is_told(&asked), "{asked}");
    // Where no diff says what changed, it may be what changed.
    let blind = prompt("blind", "Say more.", &[]);
    assert!(is_told(&blind), "{blind}");
    let target = prompt("reviewer", "Say more.", &["--target", "src/a.c"]);
    assert!(is_told(&target), "{target}");
}

/// A plan has to know what was done lately and where things are, whatever else is likely.
#[test]
fn commits_and_the_tree_of_a_plan_come_before_guesses() {
    let mut project = Project::new();
    for number in 0..20 {
        let function = |at| format!("fn parse_{number}_{at}() {{\n    parse({at});\n}}\n\n");
        let text: String = (0..60).map(function).collect();
        project = project.file(&format!("src/parse_{number}.rs"), &text);
    }
    let changed = "fn parse_3() {}\n";
    let project = project.commit().file("src/parse_3.rs", changed).commit();
    let prompt = |budget: &str| {
        let task = [
            "--task",
            "Mend what parse does",
            "--target",
            "src/parse_3.rs",
        ];
        let args = ["prompt", "--role", "planner", "--budget", budget];
        let args = args.into_iter().chain(task);
        project.run(args).succeeds().stdout
    };
    let large = prompt("30000");
    for heading in ["## Recent Commits", "## File Tree", "## Related Files"] {
        assert!(large.contains(heading), "{heading}");
    }
    assert!(prompt("3000").contains("## Related Files"));
}

/// A minified file is one line: its beginning says more than its name.
#[test]
fn a_line_that_no_budget_has_room_for_is_cut() {
    let long = format!("let first = 1;{}", " let more = 2;".repeat(700));
    let project = Project::new()
        .file("a.min.js", format!("{long}\nlast();\n"))
        .file("b.js", "one();\n")
        .role("r", "context: {include: ['*.js']}");
    for (budget, most) in [("1500", 1500), ("3300", 2000)] {
        for named in [&["--target", "a.min.js"][..], &["--extra", "files2=a"]] {
            let run = ["pack", "--role", "r", "--budget", budget];
            let all = run.into_iter().chain(named.iter().copied());
            let output = project.run(all).succeeds();
            let line = format!("{}...\nlast();\n", &long[..most]);
            assert!(output.stdout.contains(&line), "{budget}: {}", output.stdout);
            let told = format!("`a.min.js` has a line of which only {most} characters fit");
            output.stderr_contains(&told).stdout_contains("one();");
        }
    }
    // It has room, so that it is whole; and where sections are dropped whole, so is it.
    let target = ["pack", "--role", "r", "--target", "a.min.js"];
    let with = |more: &[&'static str]| {
        project
            .run(target.iter().copied().chain(more.iter().copied()))
            .succeeds()
    };
    with(&["--budget", "4000"])
        .says_nothing()
        .stdout_contains(&long);
    let dropped = with(&["--budget", "3300", "--prune", "drop"]);
    assert!(!dropped.stdout.contains("more = 2;"), "{}", dropped.stdout);
    let report = with(&["--budget", "3300", "--format", "json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let section = &report["sections"][0];
    assert_eq!(section["status"], "shrunk");
    assert_eq!(section["pieces"][0]["form"], "excerpt");
    assert!(section["pieces"][0]["original_tokens"].as_u64() > Some(2400));
    let whole = project.run(["pack", "--role", "r", "--budget", "9000"]);
    whole.succeeds().says_nothing().stdout_contains(&long);
    // Many tokens, but no more characters than a line may have.
    let wide = Project::new().file("a.txt", "你".repeat(1900));
    let wide = wide.role("r", "context: {include: ['*.txt'], tokenizer: o200k}");
    let output = wide.run(["pack", "--role", "r", "--budget", "2500"]);
    output.succeeds().says_nothing();
}
