//! The `.context/` directory.

use std::fs;
use std::path::{Path, PathBuf};

use context_packer::NoteKind;
use context_packer::context_dir::{
    CONTEXT_FILES, ItemStatus, LoadedContext, LoaderOptions, has_context, load_context,
    load_context_file,
};
use context_packer::tokens::Counter;
use proptest::prelude::*;

use crate::project::Project;

/// A directory as a team writes it.
fn team() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/team")
}

fn load(root_dir: PathBuf, token_budget: usize) -> LoadedContext {
    let options = LoaderOptions {
        root_dir,
        token_budget,
        ..LoaderOptions::default()
    };
    load_context(&options).unwrap()
}

#[test]
fn a_teams_directory_is_written_whole_where_it_fits() {
    let loaded = load(team(), 8000);
    assert!(!loaded.truncated && loaded.missing.is_empty() && loaded.warnings.is_empty());
    assert_eq!(loaded.token_count, Counter::Chars.count(&loaded.summary));
    insta::assert_snapshot!(loaded.summary);
}

#[test]
fn a_teams_directory_is_cut_from_the_least_important_file_on() {
    for budget in [950, 520, 240] {
        let loaded = load(team(), budget);
        assert!(loaded.truncated && loaded.token_count <= budget);
        insta::assert_snapshot!(format!("team_in_{budget}_tokens"), loaded.summary);
    }
}

#[test]
fn a_budget_of_0_is_one() {
    let loaded = load(team(), 0);
    assert!(loaded.truncated);
    assert!(
        loaded
            .summary
            .contains("A refund is never more than what was paid.")
    );
    assert!(!loaded.summary.contains("## Current Tasks"));
}

#[test]
fn a_teams_files_are_parsed() {
    let loaded = load(team(), 8000);
    let parsed: Vec<_> = loaded
        .files
        .iter()
        .map(|file| (&file.name, &file.parsed))
        .collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&parsed).unwrap());
    let names: Vec<&str> = loaded.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names[..10], CONTEXT_FILES.map(|(name, _)| name));
    assert_eq!(names[10], "onboarding");
    for file in &loaded.files {
        let text = fs::read_to_string(&file.path).unwrap();
        let named = format!(".context/{}.md", file.name);
        assert!(file.path.ends_with(&named), "{}", file.path.display());
        assert_eq!(file.token_count, Counter::Chars.count(&text), "{named}");
        assert_eq!(file.content, text, "{named}");
    }
}

#[test]
fn every_rule_of_parsing_holds() {
    let project = Project::new().file(
        "x.md",
        "---\nversion: 1.10\ndate: 2025-01-02\ntags: [a, 2]\nempty:\n---\nIntro line\n\n# The `title` #no\n\nstill intro\n\n\
         ## Blocked\n\n1. [ ] first\n2. [x] second\n\n# A later title is text\n\n\
         ## Heads\n\nprose\n\n### [x] Done #key:value `#not`\n\n**A**: 1\n- **B:** two\n- child\n  - grand\n    more of it\n\n\
         ```\n**C**: in code\n- not a child #nor-a-tag\n## no heading\n```\n\n### Open\n\n#blocked\n\n\
         ## Lists\n\n* [!] stuck\n* [-] dropped\n* [X] big\n* plain [ ] text\n\n\
         Setext\n------\n\n- [ ] under it\n",
    );
    let file = load_context_file(project.root().join("x.md")).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&file.parsed).unwrap());
    assert_eq!(
        file.parsed.sections[2].items[0].status,
        Some(ItemStatus::Blocked)
    );
}

#[test]
fn a_check_box_is_an_item_wherever_it_stands() {
    let project = Project::new().file(
        "x.md",
        "## Now\n\n- [ ] before #a\n- plain\n\n### [x] Heading\n\n- [!] below\n  - [x] nested\n- bullet\n\n\
         #### Deeper\n\n1. [x] last\n\n## Blocked\n\n### Head\n\n- [ ] waits\n",
    );
    let file = load_context_file(project.root().join("x.md")).unwrap();
    let items = |section: usize| -> Vec<(&str, Option<ItemStatus>)> {
        let items = file.parsed.sections[section].items.iter();
        items
            .map(|item| (item.title.as_str(), item.status))
            .collect()
    };
    let (todo, done, blocked) = (ItemStatus::Todo, ItemStatus::Done, ItemStatus::Blocked);
    assert_eq!(
        items(0),
        [
            ("before #a", Some(todo)),
            ("Heading", Some(done)),
            ("below", Some(blocked)),
            ("last", Some(done)),
        ]
    );
    assert_eq!(items(1), [("Head", None), ("waits", Some(blocked))]);
    let heading = &file.parsed.sections[0].items[1];
    assert_eq!(
        heading.children,
        ["[!] below", "[x] nested", "bullet", "[x] last"]
    );
}

/// Of a sign that is escaped at the beginning of a heading the escape stays, as anywhere else.
#[test]
fn a_heading_may_begin_with_an_escape() {
    let project = Project::new().file(
        "x.md",
        "---\na: 1\n---\n# \\# of cases\n\n## \\[Unreleased]\n\n### \\[x] in words\n\n\\*a\\*\n---\n",
    );
    let file = load_context_file(project.root().join("x.md")).unwrap();
    assert_eq!(file.parsed.title, "\\# of cases");
    let [first, second] = &file.parsed.sections[..] else {
        panic!("{file:?}");
    };
    assert_eq!(first.title, "\\[Unreleased]");
    assert_eq!(first.items[0].title, "\\[x] in words");
    assert_eq!(first.items[0].status, None);
    assert_eq!(second.title, "\\*a\\*");
}

#[test]
fn odd_files_give_a_result_and_a_warning() {
    let project = Project::new()
        .file(".context/TASKS.md", b"# T\xffasks\n")
        .file(".context/DRIFT.md", "---\n: [\n---\n# Drift\n")
        .file(".context/GLOSSARY.md", "")
        .file(".context/bin.md", b"a\0b")
        .file(".context/notes.txt", "not Markdown");
    let output = project.run(["context"]).succeeds();
    insta::assert_snapshot!(format!("{}----\n{}", output.stdout, output.stderr));
    let loaded = load(project.root(), 8000);
    let empty = loaded
        .files
        .iter()
        .find(|file| file.name == "GLOSSARY")
        .unwrap();
    assert_eq!(
        empty.parsed,
        context_packer::context_dir::ParsedContent::default()
    );
}

#[test]
fn the_search_goes_up_to_five_folders_and_stops_at_git() {
    let project = Project::new()
        .file(".context/TASKS.md", "# T\n")
        .file("a/b/c/d/e/f/x", "");
    let found = |path: &str| has_context(project.root().join(path));
    assert!(found("") && found("a/b/c/d/e"));
    assert!(!found("a/b/c/d/e/f"));
    fs::create_dir_all(project.root().join("a/b/.git")).unwrap();
    assert!(found("a") && !found("a/b") && !found("a/b/c"));
    // A folder with `.git` is searched itself.
    fs::create_dir_all(project.root().join("a/b/.context")).unwrap();
    assert!(found("a/b/c"));
}

#[test]
fn without_a_directory_everything_is_empty() {
    let project = Project::new()
        .file(".context", "a file is no directory")
        .commit();
    let loaded = load(project.root(), 8000);
    assert_eq!(
        (
            loaded.summary.as_str(),
            loaded.token_count,
            loaded.truncated
        ),
        ("", 0, false)
    );
    assert!(loaded.files.is_empty());
    assert_eq!(loaded.missing.len(), 10);
    assert_eq!(loaded.missing[..2], ["CONSTITUTION.md", "TASKS.md"]);
    let output = project.run(["context"]).succeeds();
    assert_eq!(output.stdout, "");
    output.stderr_contains("there is no `.context`");
    let told = loaded.warnings.iter().map(|note| note.message.as_str());
    let told: Vec<_> = told.collect();
    let none = "there is no `.context` folder with Markdown files here or in a folder above";
    assert_eq!(told, [none]);
    let options = LoaderOptions {
        root_dir: project.root().join("nowhere"),
        ..LoaderOptions::default()
    };
    assert!(load_context(&options).is_err());
    project
        .run(["context", "--context-dir", "../x"])
        .fails(1)
        .stderr_contains("`..`");
}

#[test]
fn an_empty_directory_that_ends_the_search_is_named() {
    let project = Project::new()
        .file(".context/TASKS.md", "# Tasks\n")
        .file("a/.context/notes.txt", "x\n")
        .commit();
    let loaded = load(project.root().join("a"), 8000);
    assert!(loaded.files.is_empty());
    let told = &loaded.warnings[0].message;
    let folder = project.root().join("a/.context");
    let wanted = format!("`{}` has no Markdown files", folder.display());
    assert!(
        told.contains(&wanted) && loaded.warnings.len() == 1,
        "{told}"
    );
    let output = project.run(["-C", "a", "context"]).succeeds();
    assert_eq!(output.stderr.matches("Markdown files").count(), 1);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_directory_only() {
    let project = Project::new()
        .file("real/TASKS.md", "# Tasks\n")
        .file("secret.md", "CANARY")
        .link("TASKS.md", "real/alias.md")
        .link("../secret.md", "real/out.md")
        .link("real", ".context")
        .link("../outside", "gone");
    let output = project.run(["context"]).succeeds().stdout_lacks("CANARY");
    output
        .stdout_contains("Source: .context/alias.md")
        .stderr_contains("`.context/out.md` is left out: it is a link out of the directory");
    fs::create_dir(project.outside().join("outside")).unwrap();
    fs::write(project.outside().join("outside/TASKS.md"), "CANARY").unwrap();
    let output = project.run(["context", "--context-dir", "gone"]).succeeds();
    output
        .stdout_lacks("CANARY")
        .stderr_contains("`gone` is not followed: it is a link out of its folder");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_listed_is_told() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = Project::new().file(".context/TASKS.md", "# Tasks\n");
    let folder = project.root().join(".context");
    let allow = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    allow(0);
    let may_all_the_same = fs::read_dir(&folder).is_ok();
    for command in [&["context"][..], &["pack", "--role", "planner"]] {
        let output = project.run(command.iter().copied()).succeeds();
        if !may_all_the_same {
            output.stderr_contains("cannot list the folder `.context`: permission denied");
        }
    }
    allow(0o755);
}

#[test]
fn a_priority_of_the_callers_comes_first() {
    let options = LoaderOptions {
        root_dir: team(),
        priority_order: vec!["onboarding.md".into(), "DRIFT".into()],
        token_budget: 170,
        ..LoaderOptions::default()
    };
    let loaded = load_context(&options).unwrap();
    let names: Vec<&str> = loaded.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names[..3], ["onboarding", "DRIFT", "CONSTITUTION"]);
    // What the caller names is expected, and missed first.
    let options = LoaderOptions {
        priority_order: vec!["runbook.md".into(), "TASKS".into(), "runbook".into()],
        ..options
    };
    let missed = |options: &LoaderOptions| load_context(options).unwrap().missing;
    assert_eq!(missed(&options), ["runbook.md"]);
    let nowhere = Project::new();
    let options = LoaderOptions {
        root_dir: nowhere.root(),
        ..options
    };
    let missing = missed(&options);
    assert_eq!(missing[..3], ["runbook.md", "TASKS.md", "CONSTITUTION.md"]);
    assert_eq!(missing.len(), 11);
    // The constitution is whole wherever it stands.
    assert!(
        loaded
            .summary
            .contains("A refund is never more than what was paid.")
    );
    assert!(loaded.token_count <= 170, "{}", loaded.summary);
}

#[test]
fn a_constitution_over_the_budget_is_a_warning() {
    let output = Project::new()
        .file(".context/CONSTITUTION.md", "# Rules\n\nNever.\n".repeat(40))
        .file(".context/TASKS.md", "# Tasks\n")
        .run(["context", "--budget", "50"])
        .succeeds();
    assert_eq!(output.stdout.matches("Never.").count(), 40);
    output
        .stdout_contains("# Project Context\n\n## Constitution\n\nSource: .context/CONSTITUTION.md")
        .stdout_contains("[Files left out: .context/TASKS.md]")
        .stderr_contains("over budget by")
        .stderr_contains("50 tokens have no room for .context/TASKS.md");
}

#[test]
fn of_a_file_of_very_many_lines_the_first_are_read() {
    let project = Project::new()
        .file(".context/TASKS.md", "- a\n".repeat(20_001))
        .file(".context/NOTES.md", "- b\n".repeat(20_000));
    let output = project.run(["context", "--budget", "100000"]).succeeds();
    assert_eq!(output.stdout.matches("- a\n").count(), 20_000);
    assert_eq!(output.stdout.matches("- b\n").count(), 20_000);
    let warning = "`.context/TASKS.md`: only its first 20,000 lines are read";
    assert_eq!(
        output.stderr.matches("lines").count(),
        1,
        "{}",
        output.stderr
    );
    output.stderr_contains(warning);
}

/// What is kept of a file must not be what others left of it.
#[test]
fn the_cache_keeps_no_file_for_which_there_was_no_room() {
    let mut project = Project::new().file(".context/ZULU.md", "hello zulu\n");
    for name in ["TASKS", "DECISIONS", "GLOSSARY"] {
        project = project.file(&format!(".context/{name}.md"), "- a\n".repeat(20_000));
    }
    let command = ["context", "--cache", "--budget", "200000"];
    for _ in ["first", "known"] {
        let output = project.run(command).succeeds();
        let why = "all files together have too many lines";
        output.stderr_contains(&format!("`.context/ZULU.md` is left out: {why}"));
    }
    for name in ["TASKS", "GLOSSARY"] {
        fs::remove_file(project.root().join(format!(".context/{name}.md"))).unwrap();
    }
    project
        .run(command)
        .succeeds()
        .stdout_contains("hello zulu");
}

/// The budget is hardly more, or a little less, than the constitution takes.
#[test]
fn what_stands_around_the_constitution_is_never_cut() {
    let rule = "Never lose what the caller handed in.\n\n";
    let project = Project::new()
        .file(
            ".context/CONSTITUTION.md",
            format!("# Rules\n\n{}", rule.repeat(50)),
        )
        .file(
            ".context/TASKS.md",
            "# Tasks\n\n- [ ] one thing\n".repeat(9),
        )
        .file(".context/GLOSSARY.md", "# Glossary\n\nwords\n".repeat(9));
    let takes = load(project.root(), 8000).files[0].token_count;
    for budget in takes - 10..takes + 30 {
        let loaded = load(project.root(), budget);
        let summary = &loaded.summary;
        assert_eq!(summary.matches(rule.trim()).count(), 50, "{budget}");
        let frame = "# Project Context\n\n## Constitution\n\nSource: .context/CONSTITUTION.md\n\n";
        assert!(summary.starts_with(frame), "{budget}: {summary}");
        let names = ["TASKS", "GLOSSARY"].map(|name| format!(".context/{name}.md"));
        let names_all = |text: &str| names.iter().all(|name| text.contains(name));
        let is_counted = summary.ends_with("\n[2 more files left out]\n");
        let mut warnings = loaded.warnings.iter();
        let is_told = names_all(summary) || warnings.any(|note| names_all(&note.message));
        assert!(is_counted || is_told, "{budget}");
        // Over the budget only if the constitution with its frame is.
        let (alone, _) = summary.split_once("\n\n[").unwrap_or((summary, ""));
        let least = Counter::Chars.count(alone);
        assert!(
            loaded.token_count <= budget || least > budget,
            "{budget}: {summary}"
        );
        let warns = loaded
            .warnings
            .iter()
            .any(|note| note.kind == NoteKind::OverBudget);
        assert_eq!(warns, loaded.token_count > budget, "{budget}");
    }
}

#[test]
fn a_name_of_a_file_that_is_left_out_ends_no_remark() {
    let project = Project::new()
        .file(".context/CONSTITUTION.md", "# Rules\n\nNever.\n".repeat(40))
        .file(".context/x]. Go [y.md", "# Notes\n");
    project
        .run(["context", "--budget", "50"])
        .succeeds()
        .stdout_contains("[Files left out: `.context/x]. Go [y.md`]");
    let forged = "a] Go <h1>Task</h1>";
    let project = Project::new()
        .file(".context/CONSTITUTION.md", "# Rules\n\nNever.\n")
        .file(
            ".context/z.md",
            format!("# {forged}\n{}", "\nWords.\n".repeat(40)),
        );
    for (budget, shown) in [
        ("2000", format!("\n## `{forged}`\n")),
        ("40", format!("\n[`{forged}` left out: .context/z.md, ")),
    ] {
        project
            .run(["context", "--budget", budget])
            .succeeds()
            .stdout_contains(&shown);
    }
}

#[test]
fn of_many_files_the_line_beside_the_constitution_names_the_first() {
    let rules = "Never.\n\n".repeat(40);
    let mut project = Project::new().file(".context/CONSTITUTION.md", rules);
    for number in 10..40 {
        project = project.file(&format!(".context/n{number}.md"), "# Notes\n");
    }
    let output = project.run(["context", "--budget", "50"]).succeeds();
    output
        .stdout_contains("[Files left out: .context/n10.md, .context/n11.md, ")
        .stdout_contains(".context/n19.md and 20 more]");
}

#[test]
fn short_entries_go_like_long_ones() {
    let list = |entry: &str, count: usize| -> String {
        (1..=count).map(|n| format!("{entry} {n}\n")).collect()
    };
    let dependencies = format!("# Dependencies\n\n## Crates\n\n{}", list("- serde", 60));
    let project = Project::new().file(".context/DEPENDENCIES.md", dependencies);
    let output = project.run(["context", "--budget", "150"]).succeeds();
    output
        .stdout_contains("#### Crates\n\n- serde 1\n- serde 2\n")
        .stdout_contains("\n\n[truncated]\n")
        .stdout_lacks("- serde\n")
        .stdout_lacks("- serde 60");
    let tasks = format!("# Tasks\n\n{}", list("- [ ] fix", 200));
    let project = Project::new()
        .file(".context/TASKS.md", tasks)
        .file(
            ".context/GLOSSARY.md",
            "# Words\n\n## A\n\n- a: one\n\n## B\n\n- b: two\n",
        )
        .role("r", "context: {project_context: true}");
    for budget in [100, 150, 200, 300, 400, 500, 600, 700] {
        let loaded = load(project.root(), budget);
        assert!(loaded.summary.contains("#### A\n\n") && loaded.summary.contains("- [ ] fix 1\n"));
        assert!(
            loaded.token_count * 100 >= budget * 94,
            "{} of {budget}",
            loaded.token_count
        );
        let report = project.json([
            "prompt",
            "--role",
            "r",
            "--task",
            "t",
            "--budget",
            &budget.to_string(),
        ]);
        let tokens = usize::try_from(report["tokens"].as_u64().unwrap()).unwrap();
        assert!(tokens * 100 >= budget * 90, "{tokens} of {budget}");
    }
}

/// Blocks of an important file do not stay away for a file that became one line anyway.
#[test]
fn what_a_dropped_file_leaves_free_goes_to_the_others() {
    let tasks = format!(
        "# Tasks\n\n{}",
        "- [ ] a task that takes some room\n".repeat(20)
    );
    let headings: String = (0..200)
        .map(|n| format!("## Part {n} of many\n\n"))
        .collect();
    let output = Project::new()
        .file(".context/TASKS.md", tasks)
        .file(".context/other.md", headings)
        .run(["context", "--budget", "400"])
        .succeeds();
    assert_eq!(output.stdout.matches("a task that takes").count(), 20);
    output.stdout_contains("other.md").stdout_lacks("Part 1 ");
}

/// Each entry of a list within a list on one line would hold the rest of the line.
#[test]
fn lists_within_lists_take_no_more_room_than_their_text() {
    let text = format!("# Tasks\n\n- [ ] one\n  {}end\n", "- ".repeat(3000));
    let output = Project::new()
        .file(".context/TASKS.md", text)
        .run(["context", "--format", "json"])
        .succeeds();
    assert!(output.stdout.len() < 100_000, "{}", output.stdout.len());
}

#[test]
fn the_cache_is_off_by_default_and_never_believed_blindly() {
    let project = Project::new().file(".context/TASKS.md", "# Tasks\n\n- [ ] one\n");
    let folder = project.outside().join("home/.cache/packer/context");
    let run = |arguments: &[&str]| {
        let all = ["context", "--format", "json"]
            .iter()
            .chain(arguments)
            .copied();
        project.run(all).succeeds().says_nothing().stdout
    };
    let plain = run(&[]);
    assert!(!folder.exists());
    assert_eq!(run(&["--cache"]), plain);
    let entries = || -> Vec<PathBuf> {
        fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect()
    };
    assert_eq!(entries().len(), 2);
    assert_eq!(run(&["--cache"]), plain);
    // An entry that holds is used, so it is not written again.
    let written = |entry: &PathBuf| fs::metadata(entry).unwrap().modified().unwrap();
    let before: Vec<_> = entries().iter().map(written).collect();
    assert_eq!(run(&["--cache"]), plain);
    assert_eq!(entries().iter().map(written).collect::<Vec<_>>(), before);
    for entry in entries() {
        let bytes = fs::read(&entry).unwrap();
        let changed = String::from_utf8_lossy(&bytes).replace("one", "two");
        fs::write(&entry, changed).unwrap();
    }
    assert_eq!(run(&["--cache"]), plain);
    // A change, a damaged entry and a foreign one are noticed.
    let path = project.root().join(".context/TASKS.md");
    fs::write(&path, "# Tasks\n\n- [ ] two and more\n").unwrap();
    let changed = run(&["--cache"]);
    assert!(changed.contains("two and more"));
    assert_eq!(changed, run(&[]));
    // In the summary too.
    assert_eq!(
        changed.matches("two and more").count(),
        plain.matches("one").count()
    );
    for damage in ["", "{", "{\"made_for\": \"0.0.0\", \"value\": {}}"] {
        for entry in entries() {
            fs::write(&entry, damage).unwrap();
        }
        assert_eq!(run(&["--cache"]), run(&[]));
    }
    assert_eq!(entries().len(), 2);
    // Other options make another summary.
    assert_ne!(run(&["--cache", "--budget", "12"]), plain);
}

#[test]
fn a_cache_that_cannot_be_written_is_a_warning() {
    let project = Project::new().file(".context/TASKS.md", "# Tasks\n");
    let environment = [("XDG_CACHE_HOME", "/dev/null/x")];
    let output = project
        .run_with_variables(["context", "--cache"], &environment)
        .succeeds();
    output
        .stdout_contains("## Current Tasks")
        .stderr_contains("cannot write the cache");
}

#[test]
fn a_role_shows_the_directory_and_cuts_what_is_done_first() {
    let done: String = (1..=30)
        .map(|n| format!("- [x] finished thing number {n}\n"))
        .collect();
    let project = Project::new()
        .file(".context/TASKS.md", format!("# Tasks\n\n## Done\n\n{done}\n## Now\n\n- [ ] the open one\n"))
        .file(".context/CONSTITUTION.md", "# Rules\n\nNever.\n")
        .file("src/a.rs", "fn a() {}\n")
        .role("r", "context: {project_context: true, include: [src, .context], priority_order: [project_context]}");
    let whole = project
        .run(["pack", "--role", "r"])
        .succeeds()
        .says_nothing();
    let whole = whole
        .stdout_contains(
            "## Project Context\n\n### .context/CONSTITUTION.md\n\n#### Rules\n\nNever.",
        )
        .stdout_contains("- [x] finished thing number 30");
    assert_eq!(whole.stdout.matches(".context/TASKS.md").count(), 1);
    let cut = project
        .run(["pack", "--role", "r", "--budget", "1150"])
        .succeeds();
    let cut = cut
        .stdout_contains("- [ ] the open one")
        .stdout_contains("[… lines 16-35 left out]");
    assert!(
        !cut.stdout.contains("number 30") && cut.stdout.contains("number 1\n"),
        "{}",
        cut.stdout
    );
    let report = project.json(["pack", "--role", "r", "--budget", "1150"]);
    assert_eq!(report["sections"][0]["pieces"][1]["form"], "excerpt");
    // What the role excludes stays out.
    let project = project.role(
        "r",
        "context: {project_context: true, exclude: [.context/TASKS.md]}",
    );
    project
        .run(["pack", "--role", "r"])
        .succeeds()
        .stdout_lacks("TASKS");
}

/// Parts of Markdown files, well-formed and not.
fn markdown() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        (1usize..7, "[a-z]{1,8}")
            .prop_map(|(level, word)| format!("{} {word}\n\n", "#".repeat(level))),
        "[a-z]{1,8}".prop_map(|word| format!("{word}\n===\n")),
        "[a-z ]{1,60}".prop_map(|words| format!("{words}\n\n")),
        (any::<bool>(), "[a-z ]{1,30}")
            .prop_map(|(done, words)| format!("- [{}] {words}\n", if done { 'x' } else { ' ' })),
        "20[0-9]{2}-0[1-9]-1[0-9]"
            .prop_map(|date| format!("### {date} entry\n\n**Date**: {date}\n\n")),
        (3usize..6, "(#? ?[a-z]{1,9}\n){1,6}").prop_map(|(ticks, code)| {
            let fence = "`".repeat(ticks);
            format!("{fence}rust\nBEGIN\n{code}END\n{fence}\n\n")
        }),
        "(\\PC|\n|```|~~~|<!--|---\n|> |    |\\* ){0,20}",
    ];
    prop::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

/// The texts of all fenced blocks of code, by a parser.
fn code_blocks(text: &str) -> Vec<String> {
    use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let (mut found, mut open) = (Vec::new(), None::<String>);
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => open = Some(String::new()),
            Event::End(TagEnd::CodeBlock) => found.extend(open.take()),
            Event::Text(text) => {
                if let Some(code) = &mut open {
                    code.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

/// The top-level headings of a text, by a parser.
fn headings(text: &str) -> Vec<String> {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let (mut found, mut open, mut depth) = (Vec::new(), None::<String>, 0);
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(tag) => {
                if depth == 0 && matches!(tag, Tag::Heading { .. }) {
                    open = Some(String::new());
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth -= 1;
                if depth == 0 && matches!(tag, TagEnd::Heading(_)) {
                    found.extend(open.take());
                }
            }
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                if let Some(title) = &mut open {
                    title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

/// Sections with entries of 1 to 2,000 bytes, each beginning with this.
fn entries(sign: &'static str) -> impl Strategy<Value = String> {
    let word = prop_oneof![9 => "[a-zé]{1,9}", 1 => "[a-z]{1,300}"];
    let long = prop::collection::vec(word, 1..200)
        .prop_map(|words| words.join(" ").chars().take(1900).collect::<String>());
    let entry = prop_oneof!["[a-z]{1,14}", long];
    let section = (0usize..9, prop::collection::vec(entry, 0..12));
    prop::collection::vec(section, 0..5).prop_map(move |sections| {
        let entry = |entry: &String| format!("{sign} {entry}\n\n").trim_start().to_owned();
        let section = |(number, entries): &(usize, Vec<String>)| {
            let entries: String = entries.iter().map(entry).collect();
            format!("## Section {number}\n\n{entries}")
        };
        let sections: String = sections.iter().map(section).collect();
        format!("# Title\n\n{sections}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_give_a_result(bytes in prop::collection::vec(any::<u8>(), 0..400), text in markdown()) {
        let project = Project::new()
            .file(".context/TASKS.md", &bytes)
            .file(".context/DECISIONS.md", [text.as_bytes(), &bytes].concat());
        let loaded = load(project.root(), 300);
        prop_assert!(loaded.token_count <= 300);
    }

    /// Whatever the files and the budget: the summary fits, code blocks are whole or
    /// absent, and every heading is there as long as the files are more than a line.
    #[test]
    fn a_summary_fits_and_keeps_headings_and_code_whole(
        tasks in markdown(), decisions in markdown(), other in markdown(), budget in 1usize..600,
    ) {
        let project = Project::new()
            .file(".context/TASKS.md", &tasks)
            .file(".context/DECISIONS.md", &decisions)
            .file(".context/other.md", &other);
        let loaded = load(project.root(), budget);
        prop_assert!(loaded.token_count <= budget, "{}", loaded.summary);
        prop_assert_eq!(loaded.token_count, Counter::Chars.count(&loaded.summary));
        let whole = load(project.root(), 1_000_000);
        prop_assert_eq!(loaded.truncated, loaded.summary != whole.summary);
        // A block of code in the summary is one of the whole text, as a parser sees both:
        // noise before a fence may make it part of something else.
        let all = code_blocks(&whole.summary);
        for code in code_blocks(&loaded.summary).iter().filter(|code| code.contains("BEGIN")) {
            prop_assert!(all.contains(code), "cut code {code:?} in {}", loaded.summary);
        }
        if !loaded.summary.contains("left out") && !loaded.summary.is_empty() {
            prop_assert_eq!(headings(&loaded.summary), headings(&whole.summary));
        }
    }

    /// Entries of any length: the headings of all files stay as long as they fit, and what
    /// is cut leaves at most a twentieth of the budget unused.
    #[test]
    fn entries_of_any_length_use_the_budget(
        tasks in entries("- [ ]"), terms in entries("-"), notes in entries(""), share in 0usize..1000,
    ) {
        let project = Project::new()
            .file(".context/TASKS.md", &tasks)
            .file(".context/GLOSSARY.md", &terms)
            .file(".context/notes.md", &notes);
        let whole = load(project.root(), 1_000_000);
        let bare = headings(&whole.summary).iter().map(|title| title.len() + 60).sum::<usize>() / 4;
        let bare = bare.max(400);
        let budget = bare + whole.token_count.saturating_sub(bare) * share / 1000;
        let loaded = load(project.root(), budget);
        prop_assert_eq!(headings(&loaded.summary), headings(&whole.summary));
        prop_assert!(loaded.token_count <= budget);
        if loaded.truncated {
            prop_assert!(loaded.token_count * 100 >= budget * 95, "{} of {budget}", loaded.token_count);
        }
    }
}
