//! Who may read what: every cell of the table in `docs/hardening.md`, by every way in.

use std::fs;

use context_packer::context_dir::{LoaderOptions, load_context};
use context_packer::readers::{ReadFiles, ReadOptions};
use context_packer::requests::Asker;
use context_packer::settings::FilesStyle;
use context_packer::{Request, Roles};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

#[cfg(feature = "mcp")]
use crate::mcp::Client;
#[cfg(feature = "preview")]
use crate::preview::{JSON, Page};
use crate::project::Project;

/// What stands in every file that somebody asks for.
const CANARY: &str = "CANARY";

/// The columns of the table, each with a file that lies there.
const PLACES: [(&str, &str); 10] = [
    ("tracked", "tracked.h"),
    ("new", "new.h"),
    ("ignored", "ignored.h"),
    ("in a git folder", ".git/canary.h"),
    ("link to tracked", "to-tracked.h"),
    ("link to new", "to-new.h"),
    ("link to ignored", "to-ignored.h"),
    ("link into a git folder", "to-git.h"),
    ("outside", "to-outside.h"),
    ("special", "fifo.h"),
];

const TABLE: &str = include_str!("../../docs/hardening.md");

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// What the table says for each file, for those who ask like this.
fn row(who: &str) -> Vec<(&'static str, &'static str)> {
    let head = TABLE.lines().find(|line| line.starts_with("| who asks |"));
    let columns = cells(head.unwrap());
    let names: Vec<&str> = PLACES.iter().map(|(name, _)| *name).collect();
    assert_eq!(columns[1..], names);
    let row = TABLE.lines().find(|line| {
        let cell = line
            .strip_prefix("| ")
            .and_then(|line| line.strip_prefix(who));
        cell.is_some_and(|rest| rest.starts_with([':', ' ']))
    });
    let row = cells(row.unwrap_or_else(|| panic!("no row for {who}")));
    PLACES
        .iter()
        .map(|(_, path)| *path)
        .zip(row[1..].iter().copied())
        .collect()
}

/// What stands in the file to which this path leads.
fn text_of(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap();
    format!("{CANARY} {}.", name.trim_start_matches("to-"))
}

/// A repository with a file at each place.
fn project() -> Project {
    let project = Project::new()
        .file(".gitignore", "ignored*\n")
        .file("tracked.h", text_of("tracked.h"))
        .file("main.c", "int main;\n")
        .commit()
        .file("new.h", text_of("new.h"))
        .file("ignored.h", text_of("ignored.h"))
        .file(".git/canary.h", text_of("git.h"))
        .link("tracked.h", "to-tracked.h")
        .link("new.h", "to-new.h")
        .link("ignored.h", "to-ignored.h")
        .link(".git/canary.h", "to-git.h")
        .link("../outside.h", "to-outside.h");
    fs::write(project.outside().join("outside.h"), text_of("outside.h")).unwrap();
    mknodat(
        CWD,
        project.root().join("fifo.h"),
        FileType::Fifo,
        Mode::RWXU,
        0,
    )
    .unwrap();
    fs::create_dir(project.outside().join("roles")).unwrap();
    project
}

/// Asks for every file in one way and looks whether the table is kept. `ask` returns
/// everything that anybody gets to see.
fn holds(who: &str, way: &str, mut ask: impl FnMut(&str) -> String) {
    for (path, verdict) in row(who) {
        let seen = ask(path);
        let what = format!("{who}, {way}, {path}: {verdict}\n{seen}");
        let own = text_of(&path.replace(".git/canary", "git"));
        for hidden in ["ignored.h", "git.h", "outside.h"].map(text_of) {
            assert!(hidden == own || !seen.contains(&hidden), "{what}");
        }
        match verdict {
            "show" => assert!(seen.contains(&own), "{what}"),
            "mark" | "refuse" => {
                assert!(!seen.contains(&own), "{what}");
                let name = path.rsplit('/').next().unwrap();
                assert!(seen.contains(name), "nothing is said of it: {what}");
            }
            other => panic!("{other} is no verdict"),
        }
        let is_marked = seen.contains("[Could not read file]");
        assert!(!is_marked || verdict == "mark", "{what}");
    }
}

fn shown(project: &Project, arguments: &[&str]) -> String {
    shown_with(project, arguments, "")
}

fn shown_with(project: &Project, arguments: &[&str], input: &str) -> String {
    let arguments = ["--no-cache"].iter().chain(arguments).copied();
    let output = project.run_with_input(arguments, input);
    assert!((0..=1).contains(&output.code), "{}", output.stderr);
    output.stdout + &output.stderr
}

/// A role that asks for a file in one way.
fn role(context: &str) -> String {
    format!("name: r\ndescription: d\nsystem_prompt: p\ncontext: {context}\n")
}

/// The ways in which a role names a file.
fn contexts(path: &str) -> [String; 3] {
    [
        format!("{{include: [{path}]}}"),
        format!("{{always_include: [{path}]}}"),
        format!("{{conventions: [{path}]}}"),
    ]
}

#[test]
fn the_caller_reads_what_its_options_name() {
    let project = project();
    let who = "the caller";
    for command in [
        &["pack", "--role", "implementer"][..],
        &["prompt", "--role", "implementer", "--task", "t"],
        &[
            "render",
            "implement.j2",
            "--role",
            "implementer",
            "--task",
            "t",
        ],
    ] {
        holds(who, command[0], |path| {
            let seen = shown(&project, &[command, &["--target", path]].concat());
            let is_named = path.starts_with(".git") || path == "to-outside.h";
            // What is a target has something in its place.
            assert!(seen.contains(&format!("### {path}")) != is_named, "{seen}");
            seen
        });
    }
    let order = |path: &str| json!({"role": "implementer", "task": "t", "target": [path]});
    holds(who, "request", |path| {
        let arguments = ["prompt", "--request", "-"];
        shown_with(&project, &arguments, &order(path).to_string())
    });
    holds(who, "batch", |path| {
        shown_with(&project, &["batch"], &order(path).to_string())
    });
    holds(who, "dump", |path| shown(&project, &["dump", "--", path]));
    holds(who, "build fix", |path| {
        let errors = r#"{"stages": []}"#;
        shown_with(&project, &["build", "fix", "--errors", "-", path], errors)
    });
    let packer = project.packer();
    let implementer = Roles::built_in().load("implementer").unwrap();
    holds(who, "library", |path| {
        let request = Request::new("t").target(path);
        let prompt = packer.pack_context(&implementer, &request).unwrap();
        format!("{}\n{:?}", prompt.text, prompt.warnings())
    });
    #[cfg(feature = "preview")]
    {
        let page = Page::open(&project, &["--no-cache", "--role", "implementer"]);
        holds(who, "preview", |path| {
            let choice = json!({"target": [path]}).to_string();
            page.post(&choice, JSON).body
        });
    }
}

#[test]
fn an_option_names_a_file_wherever_it_lies() {
    let project = project();
    let who = "an option that says where a file lies";
    fs::write(project.outside().join("e.json"), r#"{"stages": []}"#).unwrap();
    let extra = |path: &str| format!("notes=@{path}");
    holds(who, "read --include", |path| {
        shown(&project, &["read", "--include", path])
    });
    holds(who, "build implementation", |path| {
        if path == "fifo.h" {
            return "a pipe is read to its end: fifo.h".into();
        }
        shown(&project, &["build", "implementation", "--task-file", path])
    });
    holds(who, "build --conventions", |path| {
        let arguments = ["build", "review", "--base", "HEAD", "--conventions", path];
        shown(&project, &arguments)
    });
    holds(who, "extra", |path| {
        if path == "fifo.h" {
            return "a pipe is read to its end: fifo.h".into();
        }
        let arguments = ["prompt", "--role", "implementer", "--task", "t", "--extra"];
        shown(&project, &[&arguments[..], &[&extra(path)]].concat())
    });
}

#[test]
fn an_operator_reads_what_its_roles_name() {
    let project = project();
    let who = "a role of the operator";
    for way in 0..3 {
        holds(who, &contexts("…")[way], |path| {
            let file = project.outside().join("roles/r.yaml");
            fs::write(file, role(&contexts(path)[way])).unwrap();
            shown(
                &project,
                &["pack", "--role", "r", "--roles-dir", "../roles"],
            )
        });
        holds(who, "a role in a request", |path| {
            let context: serde_json::Value = match way {
                0 => json!({"include": [path]}),
                1 => json!({"always_include": [path]}),
                _ => json!({"conventions": [path]}),
            };
            let role =
                json!({"name": "r", "description": "d", "system_prompt": "p", "context": context});
            let order = json!({"role": role, "flow": "files"}).to_string();
            shown_with(&project, &["prompt", "--request", "-"], &order)
        });
    }
}

#[test]
fn a_model_reads_nothing_that_git_ignores() {
    let project = project();
    let who = "a model";
    holds(who, "read", |path| shown(&project, &["read", "--", path]));
    let packer = project.packer();
    let implementer = Roles::built_in().load("implementer").unwrap();
    holds(who, "library", |path| {
        let mut request = Request::new("t").target(path);
        request.asker = Asker::Model;
        let prompt = packer.pack_context(&implementer, &request).unwrap();
        format!("{}\n{:?}", prompt.text, prompt.warnings())
    });
    holds(who, "reader", |path| {
        let mut files = ReadFiles::new(project.root());
        let dir = project.root();
        files.read_requested(
            [path],
            &ReadOptions {
                dir,
                ..ReadOptions::default()
            },
        );
        files.write(FilesStyle::Markdown)
    });
    #[cfg(feature = "mcp")]
    {
        let mut client = Client::start(&project);
        for tool in ["build_prompt", "pack_context", "explain"] {
            holds(who, tool, |path| {
                let mut order = json!({"role": "implementer", "task": "t", "target": [path]});
                if tool == "explain" {
                    order["with_prompt"] = true.into();
                }
                client.call(tool, &order).to_string()
            });
        }
        holds(who, "read_files", |path| {
            client
                .call("read_files", &json!({"files": [path]}))
                .to_string()
        });
        assert_eq!(client.close(), 0);
    }
}

#[test]
fn a_repository_names_only_what_git_lists() {
    let project = project();
    let who = "what the repository says";
    for way in 0..3 {
        holds(who, &contexts("…")[way], |path| {
            let file = project.root().join(".packer/roles/r.yaml");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, role(&contexts(path)[way])).unwrap();
            shown(&project, &["pack", "--role", "r"])
        });
    }
    holds(who, "import", |path| {
        fs::write(
            project.root().join("main.c"),
            format!("#include \"{path}\"\n"),
        )
        .unwrap();
        shown(
            &project,
            &["pack", "--role", "implementer", "--target", "main.c"],
        )
    });
    fs::write(project.root().join("main.c"), "int main;\n").unwrap();
    holds(who, "errors", |path| {
        let errors = json!({"stages": [{"errors": [{"file": path, "line": 1, "message": "m"}]}]});
        shown_with(
            &project,
            &["build", "fix", "--errors", "-"],
            &errors.to_string(),
        )
    });
    holds(who, "SARIF", |path| {
        let place = json!({"physicalLocation": {"artifactLocation": {"uri": path}, "region": {"startLine": 1}}});
        let result = json!({"level": "error", "message": {"text": "m"}, "locations": [place]});
        let sarif = json!({"runs": [{"results": [result]}]});
        shown_with(
            &project,
            &["build", "fix", "--errors", "-"],
            &sarif.to_string(),
        )
    });
    holds(who, "issue", |path| {
        let issue = json!({"number": 1, "title": "t", "body": format!("see `{path}`")});
        shown_with(
            &project,
            &["build", "issue", "--issue", "-"],
            &issue.to_string(),
        )
    });
}

/// In place of its files there are those of each place, or links to them.
#[test]
fn a_context_directory_shows_only_what_git_lists() {
    for (path, verdict) in row("what the repository says") {
        let project = project().file(".gitignore", "ignored*\n.context/ignored*\n");
        fs::create_dir(project.root().join(".context")).unwrap();
        let name = path.rsplit('/').next().unwrap().replace(".h", ".md");
        let here = project.root().join(".context").join(&name);
        match path {
            "fifo.h" => mknodat(CWD, &here, FileType::Fifo, Mode::RWXU, 0).unwrap(),
            "tracked.h" | "new.h" | "ignored.h" => fs::write(&here, CANARY).unwrap(),
            link => {
                // A link out of the directory is followed nowhere, so it is the directory.
                fs::remove_dir(here.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(".", here.parent().unwrap()).unwrap();
                let target = fs::read_link(project.root().join(link));
                let target = target.unwrap_or_else(|_| link.into());
                std::os::unix::fs::symlink(target, project.root().join(&name)).unwrap();
            }
        }
        let options = LoaderOptions {
            root_dir: project.root(),
            ..LoaderOptions::default()
        };
        let loaded = load_context(&options).unwrap();
        for seen in [
            shown(
                &project,
                &["prompt", "--role", "implementer", "--task", "t"],
            ),
            shown(&project, &["context"]),
            format!("{}{:?}", loaded.summary, loaded.warnings),
        ] {
            assert_eq!(seen.contains(CANARY), verdict == "show", "{path}: {seen}");
            // What is no file is passed over there as in every folder.
            let is_told = verdict == "show" || path == "fifo.h" || seen.contains(&name);
            assert!(is_told, "{path}: {seen}");
        }
    }
}

/// A role's file is the caller's to name, and never shown through a link.
#[test]
fn a_role_file_is_no_way_to_what_a_link_hides() {
    for target in [
        "../../ignored.h",
        "../../.git/canary.h",
        "../../../outside.h",
    ] {
        let project = project().link(target, ".packer/roles/x.yaml");
        for command in [
            &["roles", "list"][..],
            &["roles", "show", "x"],
            &["roles", "check"],
            &["pack", "--role", "x"],
        ] {
            let seen = shown(&project, command);
            assert!(
                !seen.contains(CANARY) && seen.contains("x.yaml"),
                "{target}: {seen}"
            );
        }
    }
}

/// A git folder is one by any name.
#[test]
fn a_git_folder_by_another_name_is_one_too() {
    for name in [".GIT", ".git.", "git~1", "store"] {
        let project = Project::new().file("a.c", "int a;\n");
        let store = project.root().join(name);
        if name == "store" {
            fs::write(project.root().join(".git"), "gitdir: store\n").unwrap();
        }
        for folder in ["objects", "refs/heads"] {
            fs::create_dir_all(store.join(folder)).unwrap();
        }
        fs::write(store.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(store.join("config"), format!("[core]\n\t# {CANARY}\n")).unwrap();
        let config = format!("{name}/config");
        let asks = format!(
            "{{include: ['**', {config}], always_include: [{config}, {name}], conventions: [{config}], tree: true}}"
        );
        fs::write(project.outside().join("r.yaml"), role(&asks)).unwrap();
        for command in [
            &["dump"][..],
            &["dump", "-C", name],
            &["dump", "--", &config, name],
            &["read", "--", &config],
            &["read", "--include", &config],
            &["read", "--dir", name, "config"],
            &["pack", "--role", "../r.yaml"],
            &["pack", "--role", "implementer", "--target", &config],
        ] {
            let seen = shown(&project, command);
            assert!(!seen.contains(CANARY), "{command:?}: {seen}");
        }
    }
}

/// What is committed is an example, as tests of git programs have it; what is not may be
/// the user's own.
#[test]
fn a_folder_that_looks_like_gits_own_is_shown_once_it_is_committed() {
    let project = Project::new()
        .file("fixture/HEAD", "ref: refs/heads/main\n")
        .file("fixture/objects/x", "")
        .file("fixture/refs/x", "")
        .file("fixture/config", CANARY);
    assert!(!shown(&project, &["dump"]).contains(CANARY));
    let project = project.commit();
    assert!(shown(&project, &["dump"]).contains(CANARY));
    assert!(shown(&project, &["read", "fixture/config"]).contains(CANARY));
}

/// Git lists what it tracks, whatever the ignore rules say.
#[test]
fn what_git_tracks_is_listed_though_it_is_ignored() {
    let project = Project::new()
        .file("dist/a.h", CANARY)
        .role("r", "context: {always_include: [dist/a.h]}")
        .commit()
        .file(".gitignore", "dist/\n");
    assert!(shown(&project, &["pack", "--role", "r"]).contains(CANARY));
    assert!(shown(&project, &["read", "dist/a.h"]).contains(CANARY));
}

/// So do walks and globs, and what is not tracked beside it stays hidden; `.ignore` hides from
/// them what git tracks too.
#[test]
fn a_walk_finds_what_git_tracks_though_it_is_ignored() {
    let project = Project::new()
        .file("dist/deep/a.h", CANARY)
        .file("lib.o", CANARY)
        .role("r", "context: {include: ['**/*.h', '*.o']}")
        .commit()
        .file(".gitignore", "dist/\n*.o\n!b.h\n")
        .file("dist/deep/b.h", "hidden")
        .file("dist/.gitignore", "!*\n")
        .file("dist/c/d.h", "hidden")
        .file("e.o", "hidden");
    for command in [&["dump"][..], &["pack", "--role", "r"]] {
        let all = shown(&project, command);
        assert_eq!(all.matches(CANARY).count(), 2, "{all}");
        assert!(!all.contains("hidden"), "{all}");
    }
    let project = project.file(".ignore", "dist\n*.o\n");
    for command in [&["dump"][..], &["pack", "--role", "r"]] {
        assert!(!shown(&project, command).contains(CANARY));
    }
}

/// The folder is what the caller chose; what is in it is not.
#[test]
fn a_folder_in_a_work_tree_has_the_ignore_rules_of_that() {
    let project = Project::new()
        .file(".gitignore", "ignored*\ndist/\nsrc/forced.h\n")
        .file("src/ignored.h", CANARY)
        .file("dist/a.h", "shown")
        .commit();
    let repository = project.repository();
    let project = project.file("src/forced.h", "tracked all the same");
    let mut index = repository.index().unwrap();
    index
        .add_path(std::path::Path::new("src/forced.h"))
        .unwrap();
    index.write().unwrap();
    let read = |dir: &str, file: &str| shown(&project, &["read", "--dir", dir, file]);
    assert!(read("src", "ignored.h").contains("git ignores it"));
    assert!(read("src", "forced.h").contains("tracked all the same"));
    assert!(read("dist", "a.h").contains("shown"));
}

/// What git hides stays hidden, however a repository's own files say that it is not: a line
/// that only looks like an exception to git, and an ignore file that is none of git's.
#[test]
fn what_git_hides_no_ignore_file_shows() {
    for (git, other) in [
        (".env\n!{.env,other}\n", ""),
        (".[[:lower:]]nv\n", ""),
        (".env\r", ""),
        (".env\n", "!.env\n"),
        ("*\n!*.txt\n!.ignore\n", "!.env\n!*\n"),
    ] {
        let project = Project::new()
            .file("open.txt", "See `.env`.\n")
            .file(".gitignore", git)
            .file(".env", CANARY)
            .commit();
        let project = match other {
            "" => project,
            rules => project.file(".ignore", rules),
        };
        for command in [
            &["dump"][..],
            &["dump", "*"],
            &["pack", "--role", "planner", "--task", "Mend `.env`."],
            &["read", ".env"],
            &["build", "fix", "--errors", "-"],
        ] {
            let errors =
                r#"{"stages":[{"name":"a","errors":[{"file":".env","line":1,"message":"m"}]}]}"#;
            let output = project.run_with_input(command.iter().copied(), errors);
            assert!(
                !output.stdout.contains(CANARY),
                "{git:?} {other:?} {command:?}"
            );
        }
    }
}

/// Without an index nobody knows whether git lists a file that a rule ignores.
#[test]
fn a_refusal_says_that_the_index_cannot_be_read() {
    let project = Project::new()
        .file("dist/a.h", "shown")
        .commit()
        .file(".gitignore", "dist/\n");
    let ignored = "git ignores it";
    let unread = "git's index, which could say otherwise, cannot be read";
    assert!(shown(&project, &["read", "dist/a.h"]).contains("shown"));
    let project = project.file("dist/b.h", "");
    assert!(shown(&project, &["read", "dist/b.h"]).contains(ignored));
    fs::write(project.root().join(".git/index"), "DIRCxxxx").unwrap();
    assert!(shown(&project, &["read", "dist/a.h"]).contains(unread));
    fs::write(project.root().join(".git/index"), "nothing").unwrap();
    assert!(shown(&project, &["read", "dist/a.h"]).contains(unread));
    let prompt = ["prompt", "--role", "implementer", "--task", "a"];
    let output = project.run(prompt);
    output.succeeds().stderr_contains("its index is damaged");
}

/// Git sets this itself where the file system takes names for the same in any case.
#[test]
fn what_git_ignores_in_any_case_is_ignored() {
    let project = Project::new()
        .file(".gitignore", "secrets.env\n")
        .file("a.txt", "shown\n")
        .commit()
        .file("Secrets.env", "KEY=hidden\n");
    let dump = || project.run(["dump"]).succeeds();
    dump().stdout_contains("KEY=hidden");
    let config = project.root().join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}[core]\n\tignoreCase = true\n")).unwrap();
    dump().stdout_contains("shown").stdout_lacks("hidden");
    let read = project.run(["read", "Secrets.env"]);
    assert!(!read.stdout.contains("hidden"), "{}", read.stdout);
}
