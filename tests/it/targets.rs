//! What a target may name: files, folders, lines, symbols, and what globs match.

use context_packer::Request;
use context_packer::parsing::Parsing;
use serde_json::json;

use crate::project::{Json, Project, words};

/// A function per five lines, each with a name of its own.
fn functions(file: &str, count: usize) -> String {
    let function =
        |at| format!("/// Says {at}.\nfn {file}_{at}() {{\n    say(\"{file} {at}\");\n}}\n\n");
    (0..count).map(function).collect()
}

const ROLE: &str = "context: {engine: native, related: true, include: [$TARGET_IMPORTS]}";

fn project() -> Project {
    Project::new()
        .file("src/a.rs", functions("a", 200))
        .file("src/b.rs", functions("b", 20))
        .file(
            "src/c.py",
            "class Config:\n    def load(self):\n        return 1\n",
        )
        .file(".gitignore", "*.key\n")
        .file("src/secret.key", "CANARY\n")
        .role("r", ROLE)
        .commit()
}

/// The report of a run with these targets and this budget.
fn report(project: &Project, targets: &[&str], budget: usize) -> Json {
    let budget = budget.to_string();
    let mut arguments = vec!["pack", "--role", "r", "--task", "Say more."];
    arguments.extend(["--budget", &budget, "--target"]);
    arguments.extend(targets);
    project.json(arguments)
}

fn prompt(report: &Json) -> &str {
    report["prompt"].as_str().unwrap()
}

fn warnings(report: &Json) -> Vec<(&str, &str)> {
    let warnings = report["warnings"].as_array().unwrap().iter();
    let told = warnings.map(|w| (w["kind"].as_str().unwrap(), w["message"].as_str().unwrap()));
    told.collect()
}

/// The files of a section.
fn files(report: &Json, key: &str) -> Vec<String> {
    let sections = report["sections"].as_array().unwrap();
    let section = sections.iter().find(|section| section["key"] == key);
    let pieces = section.map(|section| section["pieces"].as_array().unwrap());
    let paths = pieces
        .into_iter()
        .flatten()
        .map(|piece| piece["path"].as_str());
    paths
        .map(|path| path.unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn lines_that_are_asked_for_come_whole_before_anything_else() {
    let project = project();
    let lines: Vec<String> = functions("a", 200).lines().map(str::to_owned).collect();
    for budget in [1600, 1800, 2500, 6000] {
        let report = report(&project, &["src/a.rs:500-549"], budget);
        let asked = lines[499..549].join("\n");
        assert!(
            prompt(&report).contains(&asked),
            "{budget}: {}",
            prompt(&report)
        );
        assert!(report["tokens"].as_u64().unwrap() <= budget as u64 - 1000);
        assert_eq!(
            warnings(&report)
                .iter()
                .filter(|w| w.0 == "unreadable")
                .count(),
            0
        );
    }
    // The rest is offered as that of any target is.
    assert!(!prompt(&report(&project, &["src/a.rs:500-549"], 1600)).contains("a_190"));
    assert_eq!(
        prompt(&report(&project, &["src/a.rs:500-549"], 40_000)),
        prompt(&report(&project, &["src/a.rs"], 40_000)),
    );
}

#[test]
fn what_has_no_room_even_so_is_cut_at_its_end() {
    let report = report(&project(), &["src/a.rs:500-699"], 1200);
    let prompt = prompt(&report);
    assert!(
        prompt.contains("a_100()") && !prompt.contains("a_139()"),
        "{prompt}"
    );
}

#[test]
fn several_ranges_of_several_files_are_all_there() {
    let targets = [
        "src/a.rs:501-504",
        "src/b.rs:91-94",
        "src/a.rs#L801-L804",
        "src/a.rs:4:7",
    ];
    let report = report(&project(), &targets, 1600);
    for name in ["a_100()", "b_18()", "a_160()", "\"a 0\""] {
        assert!(
            prompt(&report).contains(name),
            "{name}: {}",
            prompt(&report)
        );
    }
    assert_eq!(files(&report, "target_file"), ["src/a.rs", "src/b.rs"]);
}

#[cfg(feature = "languages")]
#[test]
fn a_symbol_is_what_has_this_name() {
    let project = project();
    let target = report(&project, &["src/a.rs::a_123"], 1300);
    let prompt = prompt(&target);
    assert!(
        prompt.contains("/// Says 123.\nfn a_123() {\n    say(\"a 123\");\n}\n"),
        "{prompt}"
    );
    let pieces = &target["sections"][0]["pieces"];
    assert_eq!(pieces[0]["note"], "asked for: lines 616-619");
    for name in ["src/c.py::Config.load", "src/c.py::Config::load"] {
        let report = report(&project, &[name], 1300);
        assert!(self::prompt(&report).contains("def load"));
        assert_eq!(warnings(&report), []);
    }
}

/// No build has a grammar for these.
#[test]
fn a_symbol_is_found_by_the_words_that_declare_it() {
    let filler = "    let x = draw(1)\n".repeat(300);
    let swift = format!(
        "class Session {{\n    func other() {{\n{filler}    }}\n\n    /// Makes one.\n    func make() {{\n        done()\n    }}\n}}\n"
    );
    let elixir = format!(
        "defmodule Plug.Conn do\n  def other(conn) do\n{filler}  end\n\n  # Puts it.\n  def put(conn) do\n    done(conn)\n  end\nend\n"
    );
    let project = Project::new()
        .role("r", ROLE)
        .file("src/a.swift", swift)
        .file("src/b.ex", elixir)
        .commit();
    for (target, text) in [
        (
            "src/a.swift::Session.make",
            "    /// Makes one.\n    func make() {\n        done()\n    }\n",
        ),
        (
            "src/b.ex::put",
            "  # Puts it.\n  def put(conn) do\n    done(conn)\n  end\n",
        ),
    ] {
        let report = report(&project, &[target], 1300);
        assert!(prompt(&report).contains(text), "{}", prompt(&report));
        assert!(warnings(&report).iter().all(|(kind, _)| *kind == "cut"));
    }
}

#[cfg(feature = "languages")]
#[test]
fn what_is_not_there_is_told_with_the_nearest_name_and_the_file_is_a_target_all_the_same() {
    let project = project();
    for (target, message) in [
        (
            "src/c.py::Config.laod",
            "`src/c.py` declares no `Config.laod`: did you mean `src/c.py::Config::load`?",
        ),
        (
            ".gitignore::x",
            "`.gitignore` declares no `x`: packer finds no names in such a file; name lines \
             instead, as in `.gitignore:10-20`",
        ),
        (
            "src/c.py:2-9",
            "the target `src/c.py:2-9` ends after the end of the file, which has 3 lines: lines \
             2-3 are shown",
        ),
        (
            "src/c.py:8-9",
            "the target `src/c.py:8-9` ends after the end of the file, which has 3 lines; none of \
             these lines exist",
        ),
        (
            "src/cc.py:8-9",
            "cannot read `src/cc.py`: no such file, did you mean `src/c.py`?",
        ),
        (
            "src/*.pyy",
            "the target `src/*.pyy` matches no file that git lists or would list",
        ),
    ] {
        let report = report(&project, &[target], 3000);
        assert_eq!(warnings(&report), [("unreadable", message)]);
        let is_there = !target.contains("cc.py") && !target.contains('*');
        assert_eq!(
            prompt(&report).contains("def load") || target.starts_with('.'),
            is_there
        );
        let arguments = ["pack", "--role", "r", "--strict", "--target", target];
        project.run(arguments).fails(1).stderr_contains(message);
    }
    for (target, message) in [
        ("src/a.rs:0", "lines are counted from 1"),
        (
            "src/a.rs:9-3",
            "the last line must not come before the first",
        ),
        ("src/{a", "the glob does not parse"),
        ("../*.rs", "its `..` leads out of the repository"),
        (".git/config:1-3", "git's own folder is never read"),
    ] {
        let run = project.run(["pack", "--role", "r", "--target", target]);
        run.fails(1)
            .stderr_contains(&format!("the target `{target}` cannot be packed"))
            .stderr_contains(message);
    }
}

#[test]
fn a_glob_reaches_what_git_lists_or_would_list() {
    let project = project();
    let by_glob = |glob| files(&report(&project, &[glob], 40_000), "target_file");
    assert_eq!(by_glob("src/*.rs"), ["src/a.rs", "src/b.rs"]);
    assert_eq!(by_glob("*.{py,key}"), ["src/c.py"]);
    assert_eq!(by_glob("src/*"), ["src/a.rs", "src/b.rs", "src/c.py"]);
    let all = report(&project, &["**", ".git/*"], 40_000);
    assert!(!prompt(&all).contains("CANARY") && !prompt(&all).contains("[core]"));
    // By its name the caller may have it.
    assert!(prompt(&report(&project, &["src/secret.key"], 4000)).contains("CANARY"));
}

#[test]
fn a_glob_or_a_folder_has_a_thousand_files() {
    let mut project = Project::new().role("r", "context: {engine: native}");
    for at in 0..1002 {
        project = project.file(&format!("d/{at:04}.txt"), "x\n");
    }
    let report = report(&project, &["d/*.txt"], 200_000);
    let files = files(&report, "target_file");
    assert_eq!((files.len(), files[999].as_str()), (1000, "d/0999.txt"));
    let message = "the target `d/*.txt` matches 1,002 files; the first 1,000 count";
    assert_eq!(warnings(&report), [("skipped", message)]);
    let report = self::report(&project, &["d"], 200_000);
    assert_eq!(self::files(&report, "target_file").len(), 1000);
    let message = "the target folder `d` holds 1,002 files; the first 1,000 count";
    assert_eq!(warnings(&report), [("skipped", message)]);
}

#[test]
fn in_a_folder_what_lies_there_may_be_named_from_there() {
    let project = Project::new()
        .file("a/b.rs", "fn inner() {}\n")
        .file("a/c.rs", "fn below() {}\n")
        .file("a/d/e.rs", "fn deep() {}\n")
        .file("c.rs", "fn above() {}\n")
        .commit();
    let prompt = |target: &str| {
        let arguments = [
            "prompt",
            "--role",
            "implementer",
            "-t",
            "x",
            "--target",
            target,
        ];
        let output = project
            .command()
            .args(arguments)
            .current_dir(project.root().join("a"))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for target in [
        "b.rs",
        "./b.rs",
        "../a/b.rs",
        "a/b.rs",
        "b.rs:1",
        "b.rs::inner",
        "./*.rs",
        ".",
    ] {
        assert!(prompt(target).contains("### a/b.rs\n"), "{target}");
    }
    assert!(prompt("d/*.rs").contains("### a/d/e.rs\n"));
    // What is there from the root on comes first.
    assert!(prompt("c.rs").contains("### c.rs\n"));
    assert!(prompt("./c.rs").contains("### a/c.rs\n"));
}

#[test]
fn a_file_of_that_very_name_wins() {
    let project = project()
        .file("src/b.rs:1-2", "by name\n")
        .file("src/[ab].rs", "by sign\n")
        .file("src/b.rs::b_1", "by colons\n");
    for (target, text) in [
        ("src/b.rs:1-2", "by name"),
        ("src/[ab].rs", "by sign"),
        ("src/b.rs::b_1", "by colons"),
    ] {
        let report = report(&project, &[target], 3000);
        assert_eq!(files(&report, "target_file"), [target]);
        assert!(prompt(&report).contains(text));
    }
}

/// What each way in makes of the same targets.
#[test]
fn every_way_in_takes_the_same_targets() {
    let project = project();
    let targets = ["src/a.rs:501-504", "src/c.*"];
    let expected = report(&project, &targets, 1600);
    let expected = prompt(&expected);
    let request = json!({
        "role": "r", "task": "Say more.", "target": targets, "budget": 1600, "flow": "files",
    });
    let asked = project.run_with_input(["pack", "--request", "-"], &request.to_string());
    assert_eq!(asked.succeeds().stdout.trim_end(), expected.trim_end());
    let line = project.run_with_input(["batch"], &request.to_string());
    let answer = line.succeeds().json();
    assert_eq!(prompt(&answer), expected);
    let packer = project.packer();
    let packer = packer.with_parsing(Parsing::TrustedInProcess);
    let mut request = Request::new("Say more.").budget(1600);
    request.targets = targets.map(str::to_owned).into();
    let built = packer
        .pack_file_context(&project.load("r"), &request)
        .unwrap();
    assert_eq!(built.text, expected);
}

/// Templates tell the worker what was asked for.
#[test]
fn a_template_names_targets_as_they_were_asked_for() {
    let project = project().role("w", "template: implement.j2");
    let told = project
        .run(words(
            "prompt --role w --task Do. --target ./src/a.rs:501-504 src/*.py",
        ))
        .succeeds();
    told.stdout_contains("It is about `src/a.rs:501-504`, `src/*.py`.");
}

#[test]
fn what_many_or_long_targets_cost_is_bounded() {
    let project = project();
    let say = |fields: Json| {
        let mut request = json!({"role": "r", "task": "Say more.", "flow": "files"});
        request
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        project.run_with_input(["pack", "--request", "-"], &request.to_string())
    };
    let names = |count: usize| {
        (0..count)
            .map(|at| format!("src/{at}.rs"))
            .collect::<Vec<_>>()
    };
    let many = say(json!({"target": names(10_001)}));
    many.fails(1)
        .stderr_contains("10001 targets are too many: the limit is 10000");
    say(json!({"target": names(2000)})).succeeds();
    let wide: Vec<String> = (0..200)
        .map(|at| format!("{}{at}", "a".repeat(6000)))
        .collect();
    say(json!({"target": wide}))
        .fails(1)
        .stderr_contains("and the limit is 1048576");
    let extra: serde_json::Map<String, Json> =
        (0..1001).map(|at| (format!("k{at}"), json!("a"))).collect();
    let many = say(json!({"extra": extra}));
    many.fails(1)
        .stderr_contains("1001 extra sections are too many: the limit is 1000");
    let lines = |count: usize| "+\n".repeat(count);
    say(json!({"extra": {"k": lines(1_000_001)}}))
        .fails(1)
        .stderr_contains("`k` has 1,000,001 lines, and the limit is 1,000,000");
    say(json!({"diff": lines(1_000_001)}))
        .fails(1)
        .stderr_contains("the diff has 1,000,001 lines, and the limit is 1,000,000");
    say(json!({"extra": {"k": lines(1_000_000)}})).succeeds();
    say(json!({"diff": lines(1_000_000)})).succeeds();
    // As many ways to read one as it has signs, each with a name as long as the rest.
    let deep = say(json!({"target": [format!("src/a.rs::{}", "a::".repeat(2600))]})).succeeds();
    assert!(deep.peak < 60_000_000, "{} bytes", deep.peak);
    for sign in [":1", "a::"] {
        let long = say(json!({"target": [format!("src/a.rs:{}", sign.repeat(300_000))]}));
        long.fails(1)
            .stderr_contains("it is longer than 8192 bytes");
    }
}

#[cfg(unix)]
#[test]
fn a_target_that_leads_to_another_one_says_so() {
    let project = project()
        .file("src/one.rs", "fn one() {}\n")
        .link("one.rs", "src/two.rs");
    let report = report(&project, &["src/one.rs", "src/two.rs", "src/one.rs"], 2000);
    let prompt = prompt(&report);
    assert!(
        prompt.contains("### src/two.rs\n\n[See under src/one.rs]"),
        "{prompt}"
    );
    assert_eq!(prompt.matches("fn one").count(), 1);
    assert_eq!(prompt.matches("### src/one.rs").count(), 1);
}

#[cfg(unix)]
#[test]
fn many_targets_that_are_links_cost_little() {
    let mut project = Project::new().role("r", "context: {}");
    let mut targets = Vec::new();
    for at in 0..2500 {
        let (file, link) = (format!("{at}.txt"), format!("{at}.link"));
        project = project.file(&file, "x\n").link(&file, &link);
        targets.extend([file, link]);
    }
    targets.sort_by_key(|target| target.ends_with("link"));
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let start = std::time::Instant::now();
    let report = report(&project, &targets, 100_000);
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
    assert!(prompt(&report).contains("### 7.link\n\n[See under 7.txt]"));
}

#[test]
fn a_target_lies_as_deep_as_a_walk_goes() {
    let folders = "d/".repeat(256);
    let project = project().file(&format!("{folders}a.rs"), "fn deep() {}\n");
    let report = report(&project, &[&format!("{folders}a.rs")], 2000);
    assert!(prompt(&report).contains("fn deep"));
    let deeper = format!("{folders}d/a.rs");
    let refused = project.run(["pack", "--role", "r", "--target", &deeper]);
    refused
        .fails(1)
        .stderr_contains("it lies more than 256 folders deep");
}
