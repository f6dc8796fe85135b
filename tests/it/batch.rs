//! Many requests in one process: each prompt is the one that a run of its own would give.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use proptest::prelude::*;
use serde_json::json;

use crate::project::{Json, Project};

/// A batch that is talked to.
struct Talk {
    /// What stands for the folder of the project in what other runs say.
    folder: String,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn with(project: &Project, options: &[&str]) -> Talk {
        let mut child = project
            .command()
            .args(options)
            .arg("batch")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let folder = fs::canonicalize(project.outside()).unwrap();
        Talk {
            folder: folder.to_str().unwrap().to_owned(),
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn ask(&mut self, request: &Json) -> Json {
        writeln!(self.input.as_mut().unwrap(), "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line.replace(&self.folder, "TEMP")).unwrap()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// A report as a single run prints it.
fn without_line(mut report: Json) -> Json {
    let fields = report.as_object_mut().unwrap();
    fields.shift_remove("id");
    fields.shift_remove("line");
    report
}

/// What a run of its own says.
fn alone(project: &Project, request: &Json) -> Json {
    let command = ["prompt", "--no-cache", "--format", "json", "--request", "-"];
    let output = project.run_with_input(command, &request.to_string());
    output.succeeds().json()
}

/// The answers to a batch, line by line.
fn answers(project: &Project, input: &str) -> Vec<Json> {
    let output = project.run_with_input(["batch"], input).succeeds();
    let lines = output.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn project() -> Project {
    let mut project = Project::new();
    for (name, other) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")] {
        let text =
            format!("use crate::{other};\n\npub fn make_{name}() {{\n    make_{other}();\n}}\n");
        project = project.file(&format!("src/{name}.rs"), text);
    }
    let all = "context:\n  include: [$TARGET, $TARGET_IMPORTS, $CHANGED_FILES, $RELATED, $REPO_MAP, 'docs/*.md']\n  git_diff: true\n  conventions: true\n  tree: true\n";
    project
        .file("docs/one.md", "# One\n")
        .role("all", all)
        .role(
            "less",
            &all.replace("  tree", "  exclude: [src/d.rs]\n  tree"),
        )
        .commit()
}

fn request(role: &str, target: &str) -> Json {
    json!({"role": role, "task": "Let make_c take a name", "target": [target], "flow": "whole"})
}

#[test]
fn every_line_is_answered_in_order_with_its_id() {
    let project = project();
    let input = concat!(
        r#"{"id": "first", "role": "all", "task": "make_c", "target": ["src/a.rs"]}"#,
        "\n\n",
        r#"{"id": [2], "role": "nope", "task": "t"}"#,
        "\n{]\n[1]\n",
        r#"{"id": 3, "role": "all", "taks": "t"}"#,
        "\n",
        r#"{"id": 4, "role": "all", "task": "t", "output": "x"}"#,
        "\n",
        r#"{"id": 5, "role": "all", "task": "t", "repo": "no/such"}"#,
        "\n",
        r#"{"id": 6, "role": "no.yaml", "task": "t"}"#,
        "\n",
        r#"{"id": 7, "role": "all", "task": "t", "template": "nope.j2"}"#,
        "\n",
        r#"{"id": 8, "role": "all", "task": "t", "target": ["../x"]}"#,
        "\n",
        r#"{"id": 9, "role": "all", "task": "t", "target": ["gone"], "strict": true}"#,
        "\n",
        r#"{"role": "all", "task": "last", "format": "json", "explain": false, "output": null}"#,
    );
    let answers = answers(&project, input);
    let told: Vec<(u64, &Json, Option<&str>)> = answers
        .iter()
        .map(|answer| {
            let line = answer["line"].as_u64().unwrap();
            (line, &answer["id"], answer["error"]["kind"].as_str())
        })
        .collect();
    let null = Json::Null;
    assert_eq!(
        told,
        [
            (1, &json!("first"), None),
            (3, &json!([2]), Some("role")),
            (4, &null, Some("request")),
            (5, &null, Some("request")),
            (6, &json!(3), Some("request")),
            (7, &json!(4), Some("request")),
            (8, &json!(5), Some("repository")),
            (9, &json!(6), Some("file")),
            (10, &json!(7), Some("template")),
            (11, &json!(8), Some("request")),
            (12, &json!(9), Some("request")),
            (13, &null, None),
        ]
    );
    let message = |at: usize| answers[at]["error"]["message"].as_str().unwrap();
    assert!(
        message(4).contains("did you mean `task`?"),
        "{}",
        message(4)
    );
    assert!(answers[0]["prompt"].as_str().unwrap().contains("make_c"));
    assert!(!project.root().join("x").exists());
}

#[test]
fn the_example_of_the_documents_is_answered() {
    let document = crate::readme::read("docs/request-and-report.md");
    let input = &crate::readme::blocks(&document, "jsonl")[0];
    let project = project().file("src/greet.rs", "pub fn greet() {}\n");
    for (answer, flow) in answers(&project, input)
        .iter()
        .zip(["template", "template", "files"])
    {
        assert_eq!(answer["flow"], flow, "{answer}");
    }
}

#[test]
fn bytes_that_are_no_text_end_nothing() {
    let project = project();
    let mut talk = Talk::with(&project, &[]);
    talk.input
        .as_mut()
        .unwrap()
        .write_all(b"\xff\xfe\n")
        .unwrap();
    let mut line = String::new();
    talk.output.read_line(&mut line).unwrap();
    assert!(line.contains("not valid UTF-8"), "{line}");
    assert_eq!(talk.ask(&request("all", "src/a.rs"))["line"], 2);
}

#[test]
fn a_batch_says_what_single_runs_say() {
    let project = project();
    let mut requests = Vec::new();
    for target in ["src/a.rs", "src/d.rs", "src", "docs/one.md", "src/a.rs"] {
        for role in ["all", "less", "implementer", "planner", "reviewer"] {
            requests.push(request(role, target));
        }
    }
    let input: String = requests
        .iter()
        .map(|request| format!("{request}\n"))
        .collect();
    let answers = answers(&project, &input);
    assert_eq!(answers.len(), requests.len());
    for (answer, request) in answers.into_iter().zip(&requests) {
        assert_eq!(without_line(answer), alone(&project, request), "{request}");
    }
}

#[test]
fn several_repositories_are_told_apart() {
    let project = project();
    let other = |name: &str| {
        let folder = project.outside().join(name);
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/a.rs"), format!("fn {name}() {{}}\n")).unwrap();
        folder
    };
    let mut input = String::new();
    let names = ["one", "two", "three", "four", "five", "six", "one", "six"];
    for name in names {
        let mut request = request("implementer", "src/a.rs");
        request["repo"] = json!(other(name));
        input.push_str(&format!("{request}\n"));
    }
    for (answer, name) in answers(&project, &input).iter().zip(names) {
        let prompt = answer["prompt"].as_str().unwrap();
        assert!(prompt.contains(&format!("fn {name}()")), "{answer}");
    }
}

/// What somebody does to a repository between two requests.
#[derive(Debug, Clone)]
enum Edit {
    Write(usize, usize),
    Touch(usize),
    Delete(usize),
    Rename(usize, usize),
    Ignore(usize),
    Role(usize),
    Stage,
    Commit,
    Nothing,
}

const PATHS: [&str; 7] = [
    "src/a.rs",
    "src/b.rs",
    "src/c.rs",
    "src/new.rs",
    "docs/two.md",
    "more/e.rs",
    "CLAUDE.md",
];

const TEXTS: [&str; 4] = [
    "use crate::b;\npub fn make_c() { b::make_b(); }\n",
    "use crate::c;\npub fn make_q() { c::make_b(); }\n",
    "pub struct Named;\n\nimpl Named {\n    pub fn make_c(&self) {}\n}\n",
    "",
];

const IGNORED: [&str; 3] = ["new.rs\n", "docs/\nmore/\n", ""];

impl Edit {
    fn any() -> impl Strategy<Value = Edit> {
        prop_oneof![
            4 => (0..PATHS.len(), 0..TEXTS.len()).prop_map(|(path, text)| Edit::Write(path, text)),
            1 => (0..PATHS.len()).prop_map(Edit::Touch),
            1 => (0..PATHS.len()).prop_map(Edit::Delete),
            1 => (0..PATHS.len(), 0..PATHS.len()).prop_map(|(from, to)| Edit::Rename(from, to)),
            1 => (0..IGNORED.len()).prop_map(Edit::Ignore),
            1 => (1..4usize).prop_map(Edit::Role),
            1 => Just(Edit::Stage),
            1 => Just(Edit::Commit),
            1 => Just(Edit::Nothing),
        ]
    }

    /// Does it, as far as it can be done.
    fn apply(&self, project: Project) -> Project {
        let at = |path: usize| project.root().join(PATHS[path]);
        let write = |path: &str, text: &str| {
            let path = project.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        match *self {
            Edit::Write(path, text) => write(PATHS[path], TEXTS[text]),
            // Another text of the same size, which pretends to be as old.
            Edit::Touch(path) => {
                if let Ok(text) = fs::read_to_string(at(path)) {
                    let time = fs::metadata(at(path)).unwrap().modified().unwrap();
                    fs::write(at(path), text.replace('m', "n")).unwrap();
                    let file = fs::File::options().write(true).open(at(path)).unwrap();
                    file.set_modified(time).unwrap();
                }
            }
            Edit::Delete(path) => drop(fs::remove_file(at(path))),
            Edit::Rename(from, to) => drop(fs::rename(at(from), at(to))),
            Edit::Ignore(text) => write(".gitignore", IGNORED[text]),
            Edit::Role(most) => {
                let yaml = format!(
                    "name: less\ndescription: d\nsystem_prompt: s\ncontext:\n  include: [$TARGET, $RELATED]\n  token_budget: {most}000\n"
                );
                write(".packer/roles/less.yaml", &yaml);
            }
            Edit::Stage => drop(project.stage()),
            Edit::Commit => return project.commit(),
            Edit::Nothing => {}
        }
        project
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_report_shows_what_was_changed_before_its_request(
        edits in prop::collection::vec((Edit::any(), 0..4usize, any::<bool>()), 4..10),
        with_cache in any::<bool>(),
    ) {
        let mut project = project();
        let options: &[&str] = if with_cache { &[] } else { &["--no-cache"] };
        let mut talk = Talk::with(&project, options);
        for (edit, target, all) in edits {
            project = edit.apply(project);
            let request = request(if all { "all" } else { "less" }, PATHS[target]);
            let answer = without_line(talk.ask(&request));
            prop_assert_eq!(answer, alone(&project, &request), "{:?}", edit);
        }
    }
}

#[test]
fn a_folder_of_requests_is_told_by_its_name() {
    let project = Project::new().file("requests/a.jsonl", "{}\n");
    let output = project.run(["batch", "requests"]).fails(1);
    output.stderr_contains("cannot read the requests `requests`: it is a folder");
    let output = project.run(["batch", "absent"]).fails(1);
    output.stderr_contains("cannot read the requests `absent`: no such file\n");
}

#[test]
fn a_secret_in_a_line_is_not_in_what_is_said_of_it() {
    let token = ["ghp_", "x9Kq2mZ7vB4nT1wY8rL5pQ3sD6fG0hJ2kM4n"].concat();
    let project = Project::new()
        .file("a.rs", "fn a() {}\n")
        .role("odd", &format!("context: {{tree: {{depth: {token}}}}}"));
    let mut talk = Talk::with(&project, &[]);
    for request in [
        json!({"role": "odd", "task": "t"}),
        json!({"role": "planner", "task": "t", &*token: 1}),
        json!({"role": "planner", "task": "t", "budget": token}),
        json!({"role": token, "task": "t"}),
    ] {
        let said = talk.ask(&request).to_string();
        assert!(
            said.contains("GitHub token") && !said.contains(&token),
            "{said}"
        );
    }
}
