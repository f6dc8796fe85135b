//! Which files are packed, and what stands in place of those that are not.

use std::fs;
use std::thread;

use crate::cache::SETTLED;
use crate::project::{Json, Output, Project, words};

/// The paths of a section, as packed for a role with this `context`.
fn paths(project: &Project, section: &str, more: &[&str]) -> Vec<String> {
    let arguments = ["pack", "--role", "r", "--budget", "4000000"];
    let report = project.json(arguments.into_iter().chain(more.iter().copied()));
    let sections = report["sections"].as_array().unwrap();
    let Some(section) = sections.iter().find(|s| s["key"] == section) else {
        return Vec::new();
    };
    let pieces = section["pieces"].as_array().unwrap();
    pieces
        .iter()
        .filter_map(|p| p["path"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn patterns_are_paths_folders_names_or_anchored_globs() {
    let project = Project::new()
        .file("a.rs", "x")
        .file("src/b.rs", "x")
        .file("src/deep/c.rs", "x")
        .file("docs/d.md", "x")
        .file("docs/sub/e.md", "x")
        .file("app/[id]/page.tsx", "x")
        .file("app/i/page.tsx", "x")
        .file(".hidden.rs", "x");
    let packed = |include: &str| {
        let role =
            format!("name: r\ndescription: d\nsystem_prompt: p\ncontext:\n  include: {include}\n");
        fs::create_dir_all(project.root().join(".packer/roles")).unwrap();
        fs::write(project.root().join(".packer/roles/r.yaml"), role).unwrap();
        paths(&project, "files", &[])
    };
    assert_eq!(packed("[a.rs]"), ["a.rs"]);
    assert_eq!(
        packed("['*.rs']"),
        [".hidden.rs", "a.rs", "src/b.rs", "src/deep/c.rs"]
    );
    assert_eq!(packed("['src/*.rs']"), ["src/b.rs"]);
    assert_eq!(packed("['src/**/*.rs']"), ["src/b.rs", "src/deep/c.rs"]);
    assert_eq!(packed("[src]"), ["src/b.rs", "src/deep/c.rs"]);
    assert_eq!(
        packed("[src, ./src/, src//deep]"),
        ["src/b.rs", "src/deep/c.rs"]
    );
    assert_eq!(
        packed("[docs/, 'a.*']"),
        ["a.rs", "docs/d.md", "docs/sub/e.md"]
    );
    assert_eq!(packed("['app/[id]/page.tsx']"), ["app/[id]/page.tsx"]);
    assert_eq!(packed("['app/[id]']"), ["app/[id]/page.tsx"]);
    assert_eq!(packed("['app/[id]/']"), ["app/[id]/page.tsx"]);
    let without = packed("[app]\n  exclude: ['app/[id]']");
    assert_eq!(without, ["app/i/page.tsx"]);
    assert_eq!(packed("['app/{i,j}/*']"), ["app/i/page.tsx"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_called_like_a_pattern_takes_nothing_from_it() {
    let project = Project::new()
        .file("a.pem", "x")
        .file("*.pem", "x")
        .file("b.rs", "x")
        .role(
            "r",
            "context: {include: ['*'], exclude: ['*.pem', .packer]}",
        );
    assert_eq!(paths(&project, "files", &[]), ["b.rs"]);
}

#[test]
fn a_wildcard_counts_characters_in_every_list() {
    let project = Project::new()
        .file("a.py", "x")
        .file("é.py", "x")
        .file("ü.md", "x")
        .file("src/日/b.rs", "x")
        .role(
            "r",
            "context:\n  include: ['?.py', '*[é]*', 'src/?/*']\n  \
             exclude: ['[!é].py']\n  always_include: ['[t-ü].md']",
        );
    assert_eq!(paths(&project, "files", &[]), ["src/日/b.rs", "é.py"]);
    assert_eq!(paths(&project, "always_include", &[]), ["ü.md"]);
    let targets = paths(&project, "target_file", &["--target", "[à-ý].py"]);
    assert_eq!(targets, ["é.py"]);
}

#[test]
fn an_empty_choice_matches_wherever_it_stands() {
    let project = Project::new()
        .file("src/a.py", "x")
        .file("src/deep/a.py", "x")
        .file("src/x.test.py", "x")
        .file("src/x.tests.py", "x")
        .file("src/secret/k.py", "x")
        .file("src/secrets/k.py", "x")
        .role(
            "r",
            "context:\n  include: ['src{,/*}/*.py']\n  \
             exclude: ['src/secret{,s}', '*.test{,s}.py']",
        );
    assert_eq!(paths(&project, "files", &[]), ["src/a.py", "src/deep/a.py"]);
    let target = "src{,/deep}/a.py";
    let targets = paths(&project, "target_file", &["--target", target]);
    assert_eq!(targets, ["src/a.py", "src/deep/a.py"]);
}

#[test]
fn globs_honour_ignore_files_and_exact_paths_do_not() {
    let project = Project::new()
        .file(".gitignore", "*.log\n/build/\n")
        .file("a.log", "x")
        .file("build/out.txt", "x")
        .file("b.txt", "x")
        .role("r", "context: {include: ['*.log', '*.txt', a.log, build]}");
    // The operator's role takes them, one that the repository brings does not.
    let operators = project.outside().join("roles");
    fs::create_dir(&operators).unwrap();
    let own = project.root().join(".packer/roles/r.yaml");
    fs::copy(own, operators.join("r.yaml")).unwrap();
    assert_eq!(
        paths(&project, "files", &["--roles-dir", "../roles"]),
        ["a.log", "b.txt", "build/out.txt"]
    );
    assert_eq!(paths(&project, "files", &[]), ["b.txt"]);
    let output = project.run(["pack", "--role", "r"]).succeeds();
    for path in ["a.log", "build"] {
        output
            .stderr
            .contains(&format!("cannot read `{path}`: git ignores it"))
            .then_some(())
            .unwrap();
    }
}

#[test]
fn exclude_wins_over_include_but_not_over_targets_and_always_include() {
    let project = Project::new()
        .file("src/a.rs", "x")
        .file("src/gen/b.rs", "x")
        .file("src/gen/c.rs", "x")
        .file("src/gen/d.rs", "x")
        .role("r", "context: {include: ['**/*.rs', src/gen/b.rs], exclude: [src/gen], always_include: [src/gen/c.rs]}");
    assert_eq!(paths(&project, "files", &[]), ["src/a.rs"]);
    assert_eq!(paths(&project, "always_include", &[]), ["src/gen/c.rs"]);
    assert_eq!(
        paths(&project, "target_file", &["--target", "src/gen/d.rs"]),
        ["src/gen/d.rs"]
    );
}

#[test]
fn a_file_that_the_role_names_is_whole_before_any_guess() {
    let rules = "Stars are drawn with `draw_star`.\n".repeat(40);
    let code = "def draw_star():\n    return 'a star'\n\n\n".repeat(40);
    let project = Project::new()
        .file("docs/stars.md", &rules)
        .file("src/star.py", &code)
        .file("src/stars.py", code.replace("draw_star", "draw_stars"))
        .file("src/sky.py", "from star import draw_star\n")
        .role(
            "named",
            "context: {include: [$TARGET_IMPORTS, docs/stars.md], related: true}",
        )
        .role(
            "found",
            "context: {include: [$TARGET_IMPORTS, docs/*.md], related: true}",
        );
    let shown = |role, budget| {
        let request = [
            "--role",
            role,
            "--target",
            "src/sky.py",
            "--task",
            "Draw a star",
        ];
        let report = project.json([&["pack", "--budget", budget][..], &request].concat());
        let sections = report["sections"].as_array().unwrap().clone();
        let of = |key: &str| {
            let mut found = sections.iter().filter(|it| it["key"] == key);
            found
                .next()
                .map_or("", |it| it["status"].as_str().unwrap())
                .to_owned()
        };
        [of("files"), of("related")]
    };
    assert_eq!(shown("named", "2000"), ["kept", "shrunk"]);
    assert_ne!(shown("found", "2000")[0], "kept");
}

#[test]
fn what_a_pattern_cannot_do_is_said() {
    let project = Project::new().file("a.rs", "x").role(
        "r",
        "context: {include: [/etc/passwd, ../x, $NOPE, 'no*thing', none.rs, a.rs]}",
    );
    let output = project.run(["pack", "--role", "r"]).succeeds();
    insta::assert_snapshot!(output.stderr);
    let project = project.role("bad", "context:\n  include:\n    - 'src/[a-'\n");
    let output = project.run(["pack", "--role", "bad"]).fails(1);
    insta::assert_snapshot!(output.stderr);
}

#[test]
fn a_pattern_that_looks_like_a_flag_is_a_pattern() {
    let project = Project::new()
        .file("--help", "x")
        .role("r", "context: {include: ['--help', '-*']}");
    assert_eq!(paths(&project, "files", &[]), ["--help"]);
}

#[test]
fn a_file_is_packed_once_in_the_section_of_highest_priority() {
    let project = Project::new()
        .file("a.rs", "unique a")
        .file("b.rs", "unique b")
        .role(
            "r",
            "context: {include: ['*.rs', $CHANGED_FILES, $TARGET], always_include: [a.rs]}",
        );
    project.stage();
    let output = project.run(words(
        "pack --role r --target a.rs --target b.rs --target b.rs",
    ));
    let prompt = output.succeeds().stdout;
    assert_eq!(prompt.matches("unique a").count(), 1);
    assert_eq!(prompt.matches("unique b").count(), 1);
    assert!(
        prompt.contains("## Target Files\n\n### a.rs\n\n[See under Required Context]\n\n### b.rs")
    );
}

#[test]
fn markers_stand_in_place_of_what_cannot_be_read() {
    let large = "x".repeat(1024 * 1024 + 1);
    let project = Project::new()
        .file("binary.bin", b"\0\x01\x02")
        .file("large.txt", &large)
        .file("large2.txt", &large)
        .file("ok.txt", "fine\n")
        .role("r", "context: {include: ['*.txt', '*.bin'], always_include: [large.txt, gone.txt], token_budget: 100000}");
    let output = project.run(words("pack --role r --target binary.bin --target new.rs"));
    let output = output
        .succeeds()
        .stderr_contains("warning: cannot read `new.rs`: no such file")
        .stderr_contains("gone.txt");
    insta::assert_snapshot!("markers", output.stdout);
}

#[test]
fn names_that_roles_have_used_for_long_stand_for_files() {
    let order = |names: &str| -> Vec<Json> {
        let fields = format!("context: {{include: [a.md], priority_order: [{names}]}}");
        let project = Project::new()
            .file("a.md", "a\n")
            .file("b.rs", "b\n")
            .role("r", &fields);
        let report = project.json(words("pack --role r --target b.rs"));
        let sections = report["sections"].as_array().unwrap();
        sections.iter().map(|one| one["key"].clone()).collect()
    };
    for name in ["standards", "docs", "readme", "files"] {
        let names = format!("system_prompt, task_description, {name}");
        assert_eq!(order(&names), ["files", "target_file"], "{name}");
    }
    assert_eq!(order("task_description, tree"), ["target_file", "files"]);
}

#[test]
fn a_target_may_go_up_as_long_as_it_stays_inside() {
    let project = Project::new()
        .file("README.md", "the readme\n")
        .file("src/a.rs", "fn a() {}\n");
    let absolute = project.root().join("src/../README.md");
    for target in [
        "src/../README.md",
        "./src/./../README.md",
        absolute.to_str().unwrap(),
    ] {
        let output = project.run(["pack", "--role", "implementer", "--target", target]);
        output
            .succeeds()
            .stdout_contains("### README.md\n\n```markdown\nthe readme");
    }
    let output = project.run(["pack", "--role", "implementer", "--target", "src/../../x"]);
    output
        .fails(1)
        .stderr_contains("its `..` leads out of the repository");
}

#[test]
fn always_include_has_a_limit_of_its_own() {
    let mib = "y\n".repeat(500 * 1024);
    let mut project = Project::new().role(
        "r",
        "context: {always_include: ['*.txt'], token_budget: 4000000}",
    );
    for index in 0..4 {
        project = project.file(&format!("{index}.txt"), &mib);
    }
    let output = project.run(["pack", "--role", "r"]).succeeds();
    output
        .stdout_contains("### 2.txt\n\n[File left out: 1024000 bytes, over the limit of 2097152 bytes for all files of `always_include` together]")
        .stdout_lacks("exceeds size limit")
        .stderr_contains("`3.txt` is left out: all files of `always_include` together may have \
                          2097152 bytes");
}

#[test]
fn all_files_together_have_a_limit() {
    let mib = "y\n".repeat(500 * 1024);
    let mut project =
        Project::new().role("r", "context: {include: ['*.txt'], token_budget: 4000000}");
    for index in 0..12 {
        project = project.file(&format!("{index:02}.txt"), &mib);
    }
    let output = project.run(["pack", "--role", "r"]).succeeds();
    output.stdout_contains("[Skipped 0 files over 1024 KiB, 2 files over the total limit]");
}

#[test]
fn exclude_holds_for_every_section_but_targets_and_always_include() {
    let project = Project::new()
        .role("r", "context: {include: [$CHANGED_FILES, $TARGET_IMPORTS], related: true, exclude: ['*.pem', vendor]}")
        .file("secret.pem", "KEY")
        .file("src/lib.rs", "mod vendored;\n")
        .file("vendor/lib.rs", "VENDORED")
        .commit()
        .file("secret.pem", "OTHER KEY");
    project.stage();
    let output = project.run(words(
        "pack --role r --target src/lib.rs --task vendor/lib.rs",
    ));
    output
        .succeeds()
        .stdout_lacks("KEY")
        .stdout_lacks("VENDORED");
}

#[test]
fn an_empty_target_is_not_the_whole_repository() {
    let project = Project::new().file("a.rs", "x").role("r", "");
    project
        .run(["pack", "--role", "r", "--target", ""])
        .fails(1)
        .stderr_contains("it is empty");
    project
        .run(["pack", "--role", "r", "--target", "."])
        .succeeds()
        .stdout_contains("### a.rs");
}

#[test]
fn extra_sections_are_named_fenced_and_in_order() {
    let project = Project::new().role("r", "context: {git_diff: true}");
    let output = project.run(words(
        "pack --role r --extra 'test_output=```\nfailed' --extra empty= --extra git_diff=+mine",
    ));
    let output = output.succeeds().says_nothing();
    assert_eq!(
        output.stdout,
        "## Git Diff (Staged)\n\n```diff\n+mine\n```\n\n## Test Output\n\n````\n```\nfailed\n````"
    );
    for (extra, why) in [
        ("files=x", "built-in"),
        ("a\nb=x", "one line"),
        ("=x", "no name"),
    ] {
        project
            .run(["pack", "--role", "r", "--extra", extra])
            .fails(1)
            .stderr_contains(why);
    }
    project
        .run(["pack", "--role", "r", "--extra", "nothing"])
        .fails(2)
        .stderr_contains("no `=`");
}

#[test]
fn the_tree_is_drawn_to_its_depth() {
    let project = Project::new()
        .file(".gitignore", "target\n")
        .file("Cargo.toml", "")
        .file("src/lib.rs", "")
        .file("src/a/b/c.rs", "")
        .file("src/a/d.rs", "")
        .file("target/x", "")
        .role("r", "context: {tree: {depth: 2}, exclude: [.packer]}");
    let output = project.run(["pack", "--role", "r"]).succeeds();
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn a_task_about_versions_is_shown_the_settings_that_have_them() {
    let project = Project::new()
        .role("r", "context: {include: [$RELATED]}")
        .file("src/python.py", "def python():\n    support()\n\n".repeat(300))
        .file(
            ".github/workflows/test.yml",
            "on: push\njobs:\n  test:\n    strategy:\n      matrix:\n        python: ['3.12', '3.13']\n",
        )
        .file("app.gemspec", "Gem.add 'rake', '~> 13.0'\n")
        .commit();
    let shown = |task: &str| {
        let args = ["pack", "--role", "r", "--budget", "1500", "--task", task];
        project.run(args).succeeds().stdout
    };
    assert!(shown("Support Python 3.14").contains("python: ['3.12', '3.13']"));
    assert!(shown("Bump rake to 13.2").contains("'~> 13.0'"));
    assert!(!shown("Python supports too much").contains("3.13"));
}

#[test]
fn imports_and_related_files_carry_their_reasons() {
    let project = Project::new()
        .role(
            "r",
            "context: {include: [$TARGET, $TARGET_IMPORTS, $RELATED]}",
        )
        .file("src/lib.rs", "mod parser;\nmod gone;\n")
        .file("src/parser.rs", "//! Parses.\n")
        .file("tests/parser.rs", "// tests\n")
        .file("other.rs", "// other\n")
        .commit();
    let report = project.json(words(
        "pack --role r --target src/lib.rs --task 'Mind other.rs'",
    ));
    let note = |report: &Json, path: &str| {
        let sections = report["sections"].as_array().unwrap().iter();
        let mut pieces = sections.flat_map(|section| section["pieces"].as_array().unwrap());
        let piece = pieces.find(|piece| piece["path"] == path);
        piece.map(|piece| piece["note"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(
        note(&report, "src/parser.rs").unwrap(),
        "imported by src/lib.rs"
    );
    let named = note(&report, "other.rs").unwrap();
    assert!(named.contains("named in the task"), "{named}");
    let report = project.json(["pack", "--role", "r", "--target", "src/parser.rs"]);
    let same = note(&report, "tests/parser.rs").unwrap();
    assert!(same.contains("same name as src/parser.rs"), "{same}");
    let importer = note(&report, "src/lib.rs").unwrap();
    assert!(importer.contains("imports src/parser.rs"), "{importer}");
    assert_eq!(note(&report, "other.rs"), None);
}

#[test]
fn a_request_spec_has_the_name_of_its_controller() {
    let project = Project::new()
        .role("r", "context: {include: [$TARGET, $RELATED]}")
        .file("app/controllers/users_controller.rb", "class Users\nend\n")
        .file("spec/requests/users_spec.rb", "it { ask }\n")
        .commit();
    let report = project.json(words(
        "pack --role r --target app/controllers/users_controller.rb",
    ));
    let why = report["sections"].as_array().unwrap().iter().rev();
    let why = why
        .map(|section| section["pieces"][0]["note"].to_string())
        .next();
    let expected = "\"same name as app/controllers/users_controller.rb\"";
    assert_eq!(why.as_deref(), Some(expected));
}

#[test]
fn a_file_that_is_the_same_as_one_above_is_not_shown_again() {
    let header = "int pump_water(int depth);\n".repeat(20);
    let project = Project::new()
        .role(
            "r",
            "context: {token_budget: 4000, include: [$TARGET, $RELATED]}",
        )
        .file("src/pump.h", &header)
        .file("client/pump.h", &header)
        .commit();
    let shown = project.run(words("pack --role r --target src/pump.h --task pump_water"));
    let shown = shown.succeeds().stdout;
    assert_eq!(shown.matches(&header).count(), 1, "{shown}");
    let remark = "### client/pump.h\n\n[The same as `src/pump.h`]";
    assert!(shown.contains(remark), "{shown}");
}

/// The newest entries of the changelog, what checks a change, and what a document says of it:
/// but nothing that a program makes, and no licence.
#[test]
fn what_changes_beside_the_source_is_related_to_it() {
    let entries = |version: &str| format!("## {version}\n\n{}\n", "- Something else.\n".repeat(40));
    let log = entries("Unreleased") + &entries("1.1.0") + &entries("1.0.0");
    let project = Project::new()
        .role(
            "r",
            "context: {include: [$TARGET, $RELATED], conventions: true}",
        )
        .file("src/pump.rs", "pub fn pump_water() {}\n")
        .file("CHANGELOG.md", log)
        .file("docs/pump.md", "# The pump\n\nCall `pump_water`.\n")
        .file("Makefile", "test:\n\tcargo test pump\n")
        .file("CONTRIBUTING.md", "Tell of the pump in pump_water.\n")
        .file("Cargo.lock", "# pump_water\n")
        .file("LICENSE.md", "pump_water is free.\n")
        .file("site.min.css", ".pump_water {}\n")
        .commit();
    let command = [
        "pack",
        "--role",
        "r",
        "--target",
        "src/pump.rs",
        "--task",
        "Let pump_water stop",
    ];
    let report = project.json([&command[..], &["--budget", "3000"]].concat());
    let sections = report["sections"].as_array().unwrap();
    let of = |key: &str| -> Vec<&str> {
        let section = sections
            .iter()
            .find(|section| section["key"] == key)
            .unwrap();
        let pieces = section["pieces"].as_array().unwrap().iter();
        let mut paths: Vec<&str> = pieces
            .map(|piece| piece["path"].as_str().unwrap())
            .collect();
        paths.sort_unstable();
        paths
    };
    assert_eq!(of("related"), ["CHANGELOG.md", "Makefile", "docs/pump.md"]);
    // What a section of its own asks for is no guess.
    assert_eq!(of("conventions"), ["CONTRIBUTING.md"]);
    let prompt = project
        .run([&command[..], &["--budget", "1500"]].concat())
        .succeeds();
    prompt
        .stdout_contains("## Unreleased")
        .stdout_lacks("## 1.0.0");
}

/// Two files and two commits, the second of which changed one of forty steps that are alike,
/// and what the steps were before.
fn changed_lately(step: usize) -> (Project, String) {
    let steps = source(40);
    let own = format!("pub fn step_{step}() {{\n");
    let changed = steps.replace(&own, &format!("{own}    lately();\n"));
    let project = Project::new()
        .role("r", "context: {include: [$TARGET, $RELATED]}")
        .file("src/a.rs", "use crate::b;\n\nfn all() { b::step() }\n")
        .file("src/b.rs", &steps)
        .commit()
        .file("src/b.rs", changed)
        .commit();
    (project, steps)
}

/// A prompt with room for some of the steps.
fn some_steps(project: &Project, more: &[&str]) -> Output {
    let role = ["pack", "--role", "r", "--target", "src/a.rs"];
    let task = ["--task", "Do a step twice", "--budget", "1300"];
    project.run([&role[..], &task, more].concat()).succeeds()
}

/// Of parts that are alike, the one that the last commit changed is the likeliest.
#[test]
#[cfg_attr(not(feature = "lang-rust"), ignore = "needs the grammar of Rust")]
fn what_was_changed_lately_comes_before_what_is_like_it() {
    for (step, next) in [(7, 8), (31, 2)] {
        let (project, _) = changed_lately(step);
        // What is not about to change is kept.
        thread::sleep(SETTLED);
        let prompt = some_steps(&project, &["--no-cache"])
            .stdout_contains("    lately();\n    work();\n    work();\n")
            .stdout_lacks(&format!("step_{next}() {{\n    work();\n    work();\n"));
        // What is kept says the same.
        assert_eq!(some_steps(&project, &[]).stdout, prompt.stdout);
        assert_eq!(some_steps(&project, &[]).stdout, prompt.stdout);
    }
}

/// A text of the past that was not there is looked for again.
#[test]
#[cfg_attr(not(feature = "lang-rust"), ignore = "needs the grammar of Rust")]
fn what_could_not_be_read_of_the_past_is_not_remembered() {
    let both = [true, false].map(|is_text| {
        let (project, before) = changed_lately(31);
        let id = if is_text {
            git2::Oid::hash_object(git2::ObjectType::Blob, before.as_bytes()).unwrap()
        } else {
            let repository = project.repository();
            repository.revparse_single("HEAD~1").unwrap().id()
        };
        (project, id.to_string())
    });
    thread::sleep(SETTLED);
    for (project, id) in both {
        let (folder, name) = id.split_at(2);
        let object = project.root().join(".git/objects").join(folder).join(name);
        let aside = project.outside().join("object");
        fs::rename(&object, &aside).unwrap();
        some_steps(&project, &[]).stdout_lacks("lately();");
        fs::rename(&aside, &object).unwrap();
        let whole = some_steps(&project, &["--no-cache"]).stdout_contains("lately();");
        assert_eq!(some_steps(&project, &[]).stdout, whole.stdout);
        assert_eq!(some_steps(&project, &[]).stdout, whole.stdout);
    }
}

#[test]
fn imports_that_lead_nowhere_are_told_even_where_none_leads_anywhere() {
    let project = Project::new()
        .role("r", "context: {include: [$TARGET, $TARGET_IMPORTS]}")
        .file("a.ts", "import './b';\nimport 'c';\n");
    let command = ["pack", "--role", "r", "--target", "a.ts", "--explain"];
    project.run(command).succeeds().stderr_contains(
        "1 import leads out of this repository, 1 to nothing in it: ./b; asked by",
    );
}

/// A target is whole before any guess. Long conventions leave room for related files, and
/// take what these do not need.
#[test]
fn a_target_comes_first_and_what_related_files_leave_goes_to_conventions() {
    let mut target = String::new();
    for number in 0..60 {
        target += &format!("fn step_{number}() {{\n    apple({number});\n}}\n\n");
    }
    let project = Project::new()
        .role(
            "r",
            "context: {include: [$TARGET, $RELATED], conventions: true}",
        )
        .file("src/a.rs", &target)
        .file("src/b.rs", "pub fn apple(n: u8) {}\n")
        .file("CONTRIBUTING.md", "Write tests.\n".repeat(60))
        .commit();
    let pack = |budget: &str| {
        project.json([
            "pack",
            "--role",
            "r",
            "--target",
            "src/a.rs",
            "--task",
            "Rename apple",
            "--budget",
            budget,
        ])
    };
    let forms = |report: &Json| -> Vec<(String, String)> {
        let sections = report["sections"].as_array().unwrap().iter();
        let pieces = sections.flat_map(|section| section["pieces"].as_array().unwrap());
        let text = |value: &Json| value.as_str().unwrap().to_owned();
        pieces
            .map(|piece| (text(&piece["path"]), text(&piece["form"])))
            .collect()
    };
    let all = [
        ("src/a.rs", "full"),
        ("src/b.rs", "full"),
        ("CONTRIBUTING.md", "full"),
    ];
    for (path, form) in all {
        // With the thousand tokens that are left for a template.
        let whole = pack("2500");
        assert!(
            forms(&whole).contains(&(path.into(), form.into())),
            "{whole}"
        );
    }
    let tight = pack("1500");
    for (path, form) in [("src/a.rs", "excerpt"), ("src/b.rs", "full")] {
        assert!(
            forms(&tight).contains(&(path.into(), form.into())),
            "{tight}"
        );
    }
    let between = ["full", "full", "excerpt"];
    let budgets = (1600..2400).step_by(20);
    let all: Vec<Vec<String>> = budgets
        .map(|budget| forms(&pack(&budget.to_string())))
        .map(|forms| forms.into_iter().map(|(_, form)| form).collect())
        .collect();
    assert!(all.iter().any(|forms| *forms == between), "{all:?}");
}

/// Source with so many documented functions.
fn source(functions: usize) -> String {
    let mut text = String::from("use std::fmt;\n\n");
    for number in 0..functions {
        let body = "    work();\n".repeat(30);
        text += &format!("/// Does step {number}.\npub fn step_{number}() {{\n{body}}}\n\n");
    }
    text
}

#[test]
#[cfg_attr(not(feature = "lang-rust"), ignore = "needs the grammar of Rust")]
fn source_that_does_not_fit_is_shown_as_its_outline() {
    let project = Project::new()
        .role("r", "context: {include: [src/a.rs, src/b.rs]}")
        .file("src/a.rs", source(40))
        .file("src/b.rs", source(40))
        .commit();
    let report = |budget: &str, style: &str| {
        project.json(["pack", "--role", "r", "--budget", budget, "--style", style])
    };
    for style in ["markdown", "xml"] {
        let fits = |report: &Json| {
            let prompt = report["prompt"].as_str().unwrap();
            prompt.contains("[outline: 80 of 1,362 lines]")
        };
        let budgets = (1400..1700).step_by(10).map(|budget| budget.to_string());
        let mut reports = budgets.map(|budget| report(&budget, style));
        let tight = reports.find(fits).unwrap();
        let section = &tight["sections"][0];
        assert_eq!(section["status"], "shrunk");
        let prompt = tight["prompt"].as_str().unwrap();
        assert_eq!(section["pieces"][0]["form"], "outline", "{prompt}");
        assert!(prompt.contains("[outline: 80 of 1,362 lines]"), "{prompt}");
        assert!(
            prompt.contains("/// Does step 39.\npub fn step_39() {\n"),
            "{prompt}"
        );
    }
    // What is left over shows the first lines of the first file whole.
    let prompt = report("2600", "markdown")["prompt"].to_string();
    assert!(
        prompt.contains("more in outline]") && prompt.contains(" only these]"),
        "{prompt}"
    );
    assert!(prompt.contains("- src/b.rs [name only"), "{prompt}");
    // What follows is named until the first file is whole.
    let half = report("4100", "markdown");
    let forms: Vec<&str> = half["sections"][0]["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| piece["form"].as_str().unwrap())
        .collect();
    assert_eq!(forms, ["excerpt", "name"]);
}

#[test]
#[cfg_attr(not(feature = "lang-rust"), ignore = "needs the grammar of Rust")]
fn a_target_that_is_too_large_is_shown_in_parts_with_the_outline_of_the_rest() {
    let project = Project::new()
        .role("r", "context: {include: [$TARGET, $RELATED]}")
        .file("src/a.rs", source(60))
        .file("src/b.rs", "pub fn work() {}\n")
        .commit();
    let report = project.json(words(
        "pack --role r --target src/a.rs --task 'Fix step_30' --budget 2600",
    ));
    let prompt = report["prompt"].as_str().unwrap();
    let section = &report["sections"][0];
    assert_eq!(section["pieces"][0]["form"], "excerpt", "{prompt}");
    assert!(
        prompt.contains("pub fn step_30() {\n    work();\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains(" only these]\n") && prompt.contains("[… from line "),
        "{prompt}"
    );
}

#[test]
#[cfg_attr(not(feature = "lang-rust"), ignore = "needs the grammar of Rust")]
fn the_map_shows_what_most_depends_on_and_shrinks_by_rank() {
    let user = |number: usize| {
        format!(
            "use crate::store::OpenStore;\npub fn job_{number}(store: &OpenStore) {{\n    store.take_item();\n}}\n"
        )
    };
    let mut project = Project::new()
        .role("r", "context: {include: [$REPO_MAP]}")
        .file(
            "src/store.rs",
            "/// Holds items.\npub struct OpenStore {\n    pub size: usize,\n}\nimpl OpenStore {\n    \
             /// Takes one.\n    pub fn take_item(&self) {\n        self.size\n    }\n    \
             pub fn unused_thing(&self) {}\n}\n",
        )
        .file("src/main.rs", "fn main() {\n    job_1();\n}\n")
        .file("tests/it.rs", "fn helper_of_tests() {}\nfn b() { helper_of_tests(); }\n");
    for number in 1..5 {
        project = project.file(&format!("src/job_{number}.rs"), user(number));
    }
    let project = project.commit();
    let output = project.run(["pack", "--role", "r"]).succeeds();
    insta::assert_snapshot!(output.stdout);
    let report = project.json(["pack", "--role", "r", "--budget", "1060"]);
    let prompt = report["prompt"].as_str().unwrap();
    assert_eq!(report["sections"][0]["status"], "shrunk");
    assert!(
        prompt.contains("[outline: ") && prompt.contains("struct OpenStore"),
        "{prompt}"
    );
    assert!(!prompt.contains("job_1"), "{prompt}");
    // Neither a path nor what a declaration lies in is left alone.
    for budget in (1005..1200).step_by(5) {
        let report = project.json(["pack", "--role", "r", "--budget", &budget.to_string()]);
        let prompt = report["prompt"].as_str().unwrap();
        for (alone, with) in [
            ("store.rs (", "struct OpenStore"),
            ("impl OpenStore", "fn take_item"),
            ("job_1.rs (", "fn job_1"),
        ] {
            assert_eq!(prompt.contains(alone), prompt.contains(with), "{prompt}");
        }
    }
    // What was brought replaces it, and a target is not in it.
    let brought = project.run(["pack", "--role", "r", "--extra", "repo_map=mine"]);
    brought.stdout_contains("## Repository Map\n\n```\nmine\n```");
    let target = project
        .run(["pack", "--role", "r", "--target", "src/store.rs"])
        .succeeds();
    assert!(
        !target.stdout.contains("src/store.rs (11 lines)"),
        "{}",
        target.stdout
    );
}

#[test]
#[cfg(unix)]
fn a_file_is_shown_under_its_own_path_though_a_link_to_it_comes_first() {
    let project = Project::new()
        .file("src/a.py", "x = 1\n")
        .link("src/a.py", "link.py")
        .role("r", "context: {include: ['**/*.py', 'src/a.py']}");
    for run in [
        &["pack", "--role", "r"][..],
        &["dump", "--style", "markdown"],
    ] {
        let output = project.run(run.iter().copied()).succeeds();
        let shown = output.stdout.contains("# src/a.py") && !output.stdout.contains("# link.py");
        assert!(shown, "{}", output.stdout);
    }
}
