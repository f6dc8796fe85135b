//! Defaults: what holds where neither an option nor a request says otherwise.

use serde_json::{Value as Json, json};

use crate::project::{Project, words};

const USER: &str = "../home/.config/packer/config.toml";
const OWN: &str = ".packer/config.toml";

fn project() -> Project {
    Project::new()
        .role("worker", "context: {token_budget: 3000}")
        .role(
            "other",
            "context: {token_budget: 2000}\ntemplate: planning.j2",
        )
        .file("src/a.rs", "fn first() {}\n")
        .commit()
}

fn report(project: &Project, more: &[&str]) -> Json {
    let words = ["prompt", "--task", "Do it"];
    project.json([&words[..], more].concat())
}

#[test]
fn what_nobody_says_the_defaults_say() {
    let project = project()
        .file(
            OWN,
            "role = \"worker\"\ntemplate = \"implement.j2\"\nbudget = 1500\n",
        )
        .file(USER, "budget = 1200\nmodel = \"claude-sonnet-4-5\"\n");
    let told = report(&project, &[]);
    assert_eq!(told["role"]["name"], "worker");
    assert_eq!(told["template"], "implement.j2");
    assert_eq!(told["budget"], 1500);
    assert_eq!(told["tokenizer"], "claude-3");
    // Options and requests win, and a role has its own template.
    let told = report(&project, &["--role", "other", "--budget", "1800"]);
    assert_eq!(told["template"], "planning.j2");
    assert_eq!(told["budget"], 1800);
    let told = report(&project, &["--tokenizer", "chars"]);
    assert_eq!(told["tokenizer"], "chars");
    let told = report(&project, &["--no-config", "--role", "worker"]);
    assert_eq!(
        (&told["template"], &told["budget"]),
        (&Json::Null, &json!(3000))
    );
    let line = "{\"task\": \"Do it\"}\n{\"task\": \"Do it\", \"budget\": 1900}\n";
    let output = project.run_with_input(["batch"], line).succeeds();
    let budgets: Vec<Json> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap()["budget"].clone())
        .collect();
    assert_eq!(budgets, [1500, 1900]);
    let counted = |more: &[&str]| {
        let words = [&["tokens", "src/a.rs"], more].concat();
        project.run(words).succeeds().stdout
    };
    assert_eq!(counted(&[]), counted(&["--tokenizer", "claude-3"]));
    assert_ne!(counted(&[]), counted(&["--no-config"]));
}

#[test]
fn each_default_is_shown_with_who_says_it() {
    let project = project()
        .file(OWN, "role = \"worker\"\nbudget = 1500\n")
        .file(USER, "budget = \"auto\"\nmodel = \"claude-sonnet-4-5\"\n");
    project
        .run(["config"])
        .succeeds()
        .stdout_contains("role          worker             .packer/config.toml\n")
        .stdout_contains("budget        1500               .packer/config.toml\n")
        .stdout_contains("model         claude-sonnet-4-5  TEMP/home/.config/packer/config.toml\n")
        .stdout_contains("style         -                  not set\n");
    let told = project.json(["config"]);
    let role = json!({
        "name": "role", "value": "worker", "from": ".packer/config.toml", "problem": null,
    });
    assert_eq!(told[0], role);
    project
        .run(["config", "--no-config"])
        .succeeds()
        .stdout_contains("role          -      not set");
}

#[test]
fn a_repositorys_mistake_costs_its_defaults_and_no_prompt() {
    for (text, why) in [
        ("budget = [", "line 1: "),
        ("buget = 1", "unknown field `buget`: did you mean `budget`?"),
        ("engine = \"repomix\"", "only the user can set `engine`"),
        ("model = \"gpt-4o\"", "only the user can set `model`"),
        ("strict = true", "only the user can set `strict`"),
        ("tokenizer = \"chars\"", "only the user can set `tokenizer`"),
        ("budget = \"auto\"", "`budget` cannot be `auto` here"),
        ("budget = 0", "`budget` must be from 1"),
        ("role = \"../worker.yaml\"", ""),
    ] {
        let project = project().file(OWN, text);
        let told = format!("`.packer/config.toml` is ignored: {why}");
        let output = project.run(["prompt", "--role", "worker", "--task", "Do it"]);
        output.succeeds().stderr_contains(&told);
        project.run(["config"]).fails(1).stderr_contains(&told);
        let report = report(&project, &["--role", "worker"]);
        assert!(
            report["warnings"].to_string().contains("is ignored"),
            "{text}"
        );
    }
}

#[test]
fn where_a_role_is_missing_it_is_told_that_its_default_is_passed_over() {
    let project = project().file(OWN, "role = \"worker\"\nbudgt = 4000\n");
    project
        .run(["prompt", "--task", "Do it"])
        .fails(2)
        .stderr_contains("needs a role")
        .stderr_contains("`.packer/config.toml` is ignored: ")
        .stderr_contains("did you mean `budget`?");
}

#[test]
fn a_repositorys_defaults_are_its_own_file() {
    let project = project()
        .file(".gitignore", ".env\n")
        .file(".env", "TOKEN=hidden\n")
        .link("../.env", OWN);
    let output = project.run(["config"]).fails(1);
    assert!(!output.stdout.contains("hidden") && !output.stderr.contains("hidden"));
    output.stderr_contains("it is a link");
}

#[test]
fn a_users_mistake_is_an_error() {
    let project = project().file(USER, "# mine\nbudget: 3\n");
    let output = project.run(["prompt", "--role", "worker", "--task", "Do it"]);
    output
        .fails(1)
        .stderr_contains("`TEMP/home/.config/packer/config.toml` cannot be used: line 2: ");
    project.run(["tokens", "src/a.rs"]).fails(1);
    project
        .run(["tokens", "--no-config", "src/a.rs"])
        .succeeds();
}

#[test]
fn a_case_is_tried_with_the_repositorys_defaults_and_not_with_its_readers() {
    let case = "request: {task: Do it}\nexpect: {budget: 1500}\n";
    let project = project()
        .file(OWN, "role = \"worker\"\nbudget = 1500\n")
        .file(USER, "style = \"xml\"\nbudget = 20\n")
        .file(".packer/tests/a.yaml", case);
    project.run(["test"]).succeeds().stdout_contains("1,500");
}

#[test]
fn a_default_role_or_template_that_is_not_there_costs_no_prompt() {
    let project = project()
        .file(OWN, "role = \"nosuch\"\ntemplate = \"../secret.j2\"\n")
        .file(USER, "role = \"worker\"\n");
    project
        .run(["prompt", "--task", "Do it"])
        .succeeds()
        .stderr_contains("the default role is ignored: there is no role `nosuch`")
        .stderr_contains(
            "the default template is ignored: the template `../secret.j2` is not allowed",
        );
    let project = project.file(USER, "");
    project
        .run(["prompt", "--task", "Do it"])
        .fails(1)
        .stderr_contains("there is no role `nosuch`");
}

#[test]
fn what_a_default_turns_on_a_request_turns_off() {
    let project = project()
        .file(
            OWN,
            "role = \"worker\"\nmessages = true\nrole_last = true\n",
        )
        .file(USER, "strict = true\ncache_points = 2\n");
    let messages = |more: &[&str]| !report(&project, more)["messages"].is_null();
    assert!(messages(&[]));
    assert!(!messages(&["--messages=false"]));
    // What makes messages of a prompt is not taken from the defaults alone.
    assert!(messages(&["--messages=false", "--cache-points", "1"]));
    let missing = ["prompt", "--task", "Do it", "--target", "src/none.rs"];
    project.run(missing).fails(1);
    project
        .run([&missing[..], &["--strict=false"]].concat())
        .succeeds();
    let line = "{\"task\": \"Do it\", \"target\": [\"src/none.rs\"], \"strict\": false, \
                \"messages\": false}\n";
    let output = project.run_with_input(["batch"], line).succeeds();
    let told = output.json();
    assert!(told["prompt"].is_string() && told["messages"].is_null());
    // An option turns off what a request turns on, too.
    let wanted = "{\"role\": \"worker\", \"task\": \"Do it\", \"messages\": true, \
                  \"target\": [\"src/none.rs\"], \"strict\": true}";
    let command = "prompt --no-config --request - --format json";
    project.run_with_input(words(command), wanted).fails(1);
    let off = ["--strict=false", "--messages=false"];
    let told = project
        .run_with_input(words(command).chain(off), wanted)
        .succeeds()
        .json();
    assert!(told["messages"].is_null());
    project
        .run(words(
            "prompt --task 'Do it' --format messages --messages=false",
        ))
        .fails(2)
        .stderr_contains("conflicts with `--messages=false`");
}

#[test]
fn a_default_that_leads_nowhere_is_told() {
    let project = project()
        .file(OWN, "role = \"wroker\"\n")
        .file(USER, "template = \"implemnt.j2\"\n");
    let output = project.run(["config"]).fails(1);
    output
        .stdout_contains("role          wroker       .packer/config.toml\n")
        .stderr_contains("the default `role` is ignored: ")
        .stderr_contains("did you mean `worker`?")
        .stderr_contains("the default `template` is ignored: ")
        .stderr_contains("did you mean `implement.j2`?");
    let told = project.run(["config", "--format", "json"]).fails(1).json();
    assert!(told[0]["problem"].as_str().unwrap().contains("wroker"));
    assert!(told[1]["problem"].as_str().unwrap().contains("implemnt.j2"));
    // One that nobody trusts yet cannot be used either.
    let project = project
        .file(OWN, "role = \"worker\"\ntemplate = \"own.j2\"\n")
        .file(".packer/templates/own.j2", "{{ task }}");
    project
        .run(["config"])
        .fails(1)
        .stderr_contains("is not trusted on this machine");
    project.run(["trust", "--yes"]).succeeds();
    project.run(["config"]).succeeds();
}
