//! What agents' hosts read of their own accord: `docs/conventions.md`.

use crate::project::Project;

const ROLE: &str = "context: {include: [$TARGET], conventions: true}";

/// A prompt for a target, with what `--explain` says.
fn prompt(project: &Project, target: &str, task: &str) -> (String, String) {
    let mut command = vec!["pack", "--role", "r", "--task", task, "--explain"];
    if !target.is_empty() {
        command.extend(["--target", target]);
    }
    let ran = project.run(command);
    let ran = ran.succeeds();
    (ran.stdout.clone(), ran.stderr.clone())
}

/// Where each of these texts begins, in this order.
#[track_caller]
fn in_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        let at = text[from..].find(part);
        from += at.unwrap_or_else(|| panic!("no `{part}` behind {from} in\n{text}"));
    }
}

#[test]
fn the_nearest_file_comes_first_and_those_beside_the_target_are_not_there() {
    let project = Project::new()
        .role("r", ROLE)
        .file("AGENTS.md", "At the root.\n")
        .file("CLAUDE.md", "Another host at the root.\n")
        .file("packages/AGENTS.md", "In packages.\n")
        .file("packages/api/CLAUDE.md", "In api.\n")
        .file("packages/api/AGENTS.md", "In api, first.\n")
        .file("packages/web/AGENTS.md", "In web.\n")
        .file("packages/api/src/a.py", "a = 1\n");
    let (text, why) = prompt(&project, "packages/api/src/a.py", "Do it.");
    in_order(&text, &["In api, first.", "In packages.", "At the root."]);
    assert!(
        !text.contains("In web.") && !text.contains("Another host") && !text.contains("In api.\n")
    );
    in_order(
        &why,
        &["packages/api/AGENTS.md", "for what lies in `packages/api`"],
    );
    let (text, _) = prompt(&project, "", "Do it.");
    assert!(text.contains("At the root.") && !text.contains("In packages."));
}

#[test]
fn the_document_for_people_is_read_where_agents_are_sent_there_for_the_tests() {
    let shown = |agents: &str| {
        let project = Project::new()
            .role("r", ROLE)
            .file("AGENTS.md", agents)
            .file("CONTRIBUTING.md", "# Tests\n\nRun `make check`.\n")
            .file("a.py", "a = 1\n");
        let (text, _) = prompt(&project, "a.py", "Do it.");
        assert!(text.contains(agents));
        text.contains("make check")
    };
    assert!(shown("Read [how](./CONTRIBUTING.md) first.\n"));
    assert!(!shown("CONTRIBUTING.md is for people: run `pytest`.\n"));
    assert!(!shown("Be kind.\n"));
}

#[test]
fn what_is_said_twice_is_shown_once() {
    let project = Project::new()
        .role("r", ROLE)
        .file("CLAUDE.md", "---\na: b\n---\nBe kind.\n")
        .file("web/AGENTS.md", "Be kind.\n")
        .file("web/a.js", "a\n");
    let (text, why) = prompt(&project, "web/a.js", "Do it.");
    assert_eq!(text.matches("Be kind.").count(), 1);
    assert!(
        why.contains("left out: `CLAUDE.md`: `web/AGENTS.md` says the same"),
        "{why}"
    );
    #[cfg(unix)]
    {
        let project = Project::new()
            .role("r", ROLE)
            .file("CLAUDE.md", "Be kind.\n")
            .link("CLAUDE.md", "AGENTS.md");
        assert_eq!(
            prompt(&project, "", "Do it.").0.matches("Be kind.").count(),
            1
        );
    }
}

#[test]
fn imports_are_followed_within_bounds() {
    let mut project = Project::new()
        .role("r", ROLE)
        .file(
            "CLAUDE.md",
            "Read @docs/style.md, `@docs/not.md` and @alice.\n@docs/gone.md @deep0.md\n",
        )
        .file(
            "docs/style.md",
            "Four spaces. See @../docs/more.md and @../CLAUDE.md\n",
        )
        .file(
            "docs/more.md",
            "More: @style.md @../.git/config @~/secret.md @../../outside.md\n",
        )
        .file("docs/not.md", "Not this.\n");
    for at in 0..8 {
        let text = format!("Deep {at}. @deep{}.md\n", at + 1);
        project = project.file(&format!("deep{at}.md"), text);
    }
    let (text, why) = prompt(&project.commit(), "", "Do it.");
    in_order(
        &text,
        &["Read @docs", "Four spaces.", "More: ", "Deep 0.", "Deep 4."],
    );
    assert_eq!(text.matches("Four spaces.").count(), 1);
    assert!(!text.contains("Not this.") && !text.contains("Deep 5.") && !text.contains("[core]"));
    for part in [
        "imported by `CLAUDE.md:1`",
        "imported by `docs/style.md:1`",
        "`@docs/gone.md` in `CLAUDE.md:2`: there is no such file in the repository",
        "`@~/secret.md` in `docs/more.md:1`: there is no such file",
        "`deep5.md`: `deep4.md:1` imports it, more than 5 imports deep",
    ] {
        assert!(why.contains(part), "{part} in\n{why}");
    }
    assert!(!why.contains("alice"));
}

/// An import is what the repository says: it reaches what git lists.
#[test]
fn an_import_reaches_nothing_that_git_ignores() {
    let project = Project::new()
        .role("r", ROLE)
        .file(".gitignore", "private/\n")
        .file("CLAUDE.md", "See @private/keys.md and @kept.md\n")
        .file("private/keys.md", "Password.\n")
        .file("kept.md", "Kept.\n")
        .commit();
    let (text, why) = prompt(&project, "", "Do it.");
    assert!(text.contains("Kept.") && !text.contains("Password."));
    assert!(why.contains("private/keys.md"), "{why}");
}

#[test]
fn rules_hold_for_what_their_globs_match() {
    let project = Project::new()
        .role("r", ROLE)
        .file("AGENTS.md", "At the root.\n")
        .file(
            ".cursor/rules/ts.mdc",
            "---\ndescription: TS\nglobs: *.ts, *.tsx\nalwaysApply: false\n---\nStrict mode.\n",
        )
        .file(
            ".cursor/rules/db/sql.mdc",
            "---\nglobs: db/**\n---\nNo joins.\n",
        )
        .file(
            ".cursor/rules/all.mdc",
            "---\nalwaysApply: true\n---\nShort names.\n",
        )
        .file(
            ".cursor/rules/by-hand.mdc",
            "---\ndescription:\n---\nBy hand.\n",
        )
        .file(
            ".cursor/rules/release.mdc",
            "---\ndescription: How to publish a release of the package\n---\nTag it.\n",
        )
        .file(
            "web/.cursor/rules/css.mdc",
            "---\nglobs: src/*.ts\n---\nNo inline styles.\n",
        )
        .file(
            ".github/instructions/web.instructions.md",
            "---\napplyTo: 'web/**'\n---\nKeyboard first.\n",
        )
        .file(
            ".github/instructions/go.instructions.md",
            "---\napplyTo: \"**/*.go\"\n---\nWrap errors.\n",
        )
        .file(".claude/rules/tests.md", "Test first.\n")
        .file(
            ".claude/rules/py.md",
            "---\npaths:\n  - \"**/*.py\"\n---\nType hints.\n",
        )
        .file(".clinerules/01.md", "Ask before deleting.\n")
        .file("web/src/a.ts", "a\n");
    let (text, why) = prompt(&project, "web/src/a.ts", "Publish the release");
    in_order(
        &text,
        &[
            "No inline styles.",
            "At the root.",
            "Short names.",
            "Strict mode.",
            "Keyboard first.",
            "Test first.",
            "Ask before deleting.",
            "- release (.cursor/rules/release.mdc): How to publish",
        ],
    );
    for hidden in [
        "No joins.",
        "By hand.",
        "Tag it.",
        "Wrap errors.",
        "Type hints.",
    ] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    for part in [
        "`globs: *.ts, *.tsx` matches `web/src/a.ts`",
        "`alwaysApply: true`",
        "`.cursor/rules/db/sql.mdc`: `globs: db/**` matches no target",
        "`.cursor/rules/by-hand.mdc`: it says neither globs nor when it holds",
        "`.github/instructions/go.instructions.md`: `applyTo: **/*.go` matches no target",
    ] {
        assert!(why.contains(part), "{part} in\n{why}");
    }
    let (text, why) = prompt(&project, "", "Do it.");
    assert!(!text.contains("Strict mode.") && text.contains("Short names."));
    assert!(
        why.contains("there is no target for `globs: *.ts, *.tsx`"),
        "{why}"
    );
    assert!(why.contains("`.cursor/rules/release.mdc`: its description does not fit the task"));
}

#[test]
fn each_file_of_one_host_counts_where_no_other_is_there() {
    for name in [
        "AGENTS.md",
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        "GEMINI.md",
        ".github/copilot-instructions.md",
        ".clinerules",
        ".cursorrules",
        "CONTRIBUTING.md",
    ] {
        let project = Project::new().role("r", ROLE).file(name, "Be kind.\n");
        let (text, why) = prompt(&project, "", "Do it.");
        assert!(text.contains("Be kind."), "{name}");
        assert!(why.contains(name), "{name}");
    }
}

#[test]
fn a_skill_is_described_where_it_fits_and_shown_where_it_is_asked_for() {
    let project = Project::new()
        .role("r", ROLE)
        .file(".claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: >\n  Fills in forms\n  of PDF documents.\n---\nUse the tool.\n")
        .file(".agents/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Brings the site online\n---\nPush the button.\n");
    let (text, why) = prompt(&project, "", "Fill the form in the document.");
    let line = "- pdf (.claude/skills/pdf/SKILL.md): Fills in forms of PDF documents.";
    assert!(
        text.contains(line) && !text.contains("Use the tool."),
        "{text}"
    );
    assert!(
        why.contains("`.agents/skills/deploy/SKILL.md`: its description does not fit the task")
    );
    let (text, why) = prompt(&project, "", "Then /deploy it.");
    assert!(
        text.contains("Push the button.") && !text.contains("pdf"),
        "{text}"
    );
    assert!(why.contains("the task asks for the skill `deploy`"));
}

#[test]
fn skills_lie_where_each_host_has_them() {
    for host in [".claude", ".agents", ".github", ".cursor"] {
        let path = format!("{host}/skills/pdf/SKILL.md");
        let skill =
            "---\nname: pdf\ndescription: Fills in forms of PDF documents\n---\nUse the tool.\n";
        let project = Project::new().role("r", ROLE).file(&path, skill);
        let (text, _) = prompt(&project, "", "Fill the form in the document.");
        let line = format!("- pdf ({path}): Fills in forms of PDF documents");
        assert!(text.contains(&line), "{text}");
    }
}

/// Files that a role names itself are its own choice.
#[test]
fn files_of_a_role_are_as_they_were() {
    let project = Project::new()
        .role(
            "r",
            "context: {include: [$TARGET], conventions: [gone.md, style.md, AGENTS.md]}",
        )
        .file("style.md", "Style. @more.md\n")
        .file("more.md", "More.\n")
        .file("AGENTS.md", "At the root.\n")
        .file("web/AGENTS.md", "In web.\n")
        .file(".clinerules/a.md", "Cline.\n")
        .file("web/a.ts", "a\n");
    let (text, _) = prompt(&project, "web/a.ts", "Do it.");
    in_order(&text, &["Style.", "More."]);
    assert!(
        !text.contains("In web.") && !text.contains("Cline.") && !text.contains("At the root.")
    );
}

/// A budget that has no room for all keeps what bears on the task, as of one file.
#[test]
fn many_conventions_are_cut_as_one_is() {
    let long = |word: &str| {
        let part = |at| match at {
            41 => format!("## Part {at}\n\nA frobnicated {word} is closed.\n\n"),
            _ => format!("## Part {at}\n\nWhat holds for {word} and nothing else.\n\n"),
        };
        (0..60).map(part).collect::<String>()
    };
    let project = Project::new()
        .role(
            "r",
            "context: {include: [$TARGET], conventions: true, token_budget: 1500}",
        )
        .file("AGENTS.md", long("pumps"))
        .file("web/AGENTS.md", long("valves"))
        .file("web/a.ts", "a\n");
    let (text, _) = prompt(&project, "web/a.ts", "Change what is frobnicated");
    assert!(text.contains("A frobnicated valves is closed."), "{text}");
    assert!(text.len() <= 6000);
}

#[test]
fn conventions_of_a_role_that_are_all_missing_are_told() {
    let project = Project::new()
        .role(
            "r",
            "context: {conventions: [CONTRIBUTNG.md, docs/rules.md]}",
        )
        .role("s", "context: {conventions: [gone.md, CONTRIBUTING.md]}")
        .role("t", "context: {conventions: true}")
        .file("CONTRIBUTING.md", "How to.\n")
        .commit();
    let pack = |role: &str| {
        project
            .run(["pack", "--role", role, "--task", "Do it."])
            .succeeds()
    };
    pack("r")
        .stderr_contains("none of the role's `conventions` exists: CONTRIBUTNG.md, docs/rules.md");
    for role in ["s", "t"] {
        assert_eq!(pack(role).stderr, "");
    }
    let checked = project.run(["roles", "check"]);
    let told =
        "[pattern-matches-nothing]: no file of `context.conventions` exists in this repository";
    assert_eq!(
        checked.stdout.matches(told).count(),
        1,
        "{}",
        checked.stdout
    );
    checked.stdout_contains("did you mean `CONTRIBUTING.md`?");
}
