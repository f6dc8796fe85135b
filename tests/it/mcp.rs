//! The server of the Model Context Protocol. `tests/mcp/` talks to it with clients that
//! others wrote.

use std::collections::BTreeSet;

use serde_json::json;

use crate::project::{Json, Project};
use crate::running::Running;

pub struct Client {
    server: Running,
    number: u64,
}

impl Client {
    pub fn start(project: &Project) -> Client {
        let server = Running::start(project, ["mcp"]);
        let mut client = Client { server, number: 0 };
        let hello = client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "packer");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.server.say(&ready.to_string());
        client
    }

    /// Ends it, and returns its exit code.
    pub fn close(self) -> i32 {
        self.server.close()
    }

    fn ask(&mut self, method: &str, params: &Json) -> Json {
        self.number += 1;
        let id = self.number;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.server.say(&request.to_string());
        let answer: Json = serde_json::from_str(&self.server.line()).unwrap();
        assert_eq!(answer["id"], id);
        answer
    }

    pub fn call(&mut self, tool: &str, arguments: &Json) -> Json {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }
}

fn project() -> Project {
    Project::new()
        .file("src/a.rs", "fn a() {}\n")
        .file(
            ".context/CONSTITUTION.md",
            "# Constitution\n\n- Be brief.\n",
        )
        .role("r", "context: {include: ['*.rs']}")
        .commit()
}

/// Arguments with which each tool works.
fn examples() -> [(&'static str, Json); 5] {
    let prompt = json!({"role": "r", "task": "Do it.", "target": ["src/a.rs"]});
    [
        ("build_prompt", prompt.clone()),
        ("pack_context", json!({"role": "r", "budget": 2000})),
        ("read_files", json!({"files": ["src/a.rs", "absent"]})),
        ("load_context", json!({"budget": 500})),
        (
            "explain",
            json!({"role": "r", "task": "Do it.", "files": ["src/a.rs"]}),
        ),
    ]
}

#[test]
fn every_tool_says_what_goes_in_and_out_and_keeps_to_it() {
    let project = project();
    let mut client = Client::start(&project);
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: BTreeSet<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, examples().iter().map(|(name, _)| *name).collect());
    for (name, arguments) in examples() {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{name}");
        let input = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        let output = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
        for (field, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}: {field}");
        }
        assert!(input.is_valid(&arguments), "{name}");
        let mut more = arguments.clone();
        more["tsak"] = "t".into();
        assert!(!input.is_valid(&more), "{name}");
        assert_eq!(client.call(name, &more)["isError"], true, "{name}");
        let result = client.call(name, &arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        let errors: Vec<String> = output
            .iter_errors(&result["structuredContent"])
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{name}");
    }
    assert_eq!(client.server.close(), 0);
}

#[test]
fn a_line_that_is_too_much_is_answered_and_the_next_one_is_read() {
    let project = project();
    let mut client = Client::start(&project);
    let request = |task: &str, data: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"build_prompt","arguments":{{"role":"r","task":"{task}","data":{data}}}}}}}"#
        )
    };
    let numbers = format!(r#"{{"k":[{}0]}}"#, "0,".repeat(1_000_000));
    for line in [
        request(&"x".repeat(20_000_000), "{}"),
        request("x", &numbers),
        "[".repeat(3_000_000),
    ] {
        client.server.say(&line);
        let answer: Json = serde_json::from_str(&client.server.line()).unwrap();
        assert_eq!(answer["error"]["code"], -32700);
        assert_eq!(answer["id"], Json::Null);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("4 MiB"), "{message}");
        let result = client.call("build_prompt", &examples()[0].1);
        assert_eq!(result["isError"], false, "{result}");
    }
    let large = request(&"x,".repeat(1_900_000), "{}");
    client.server.say(&large);
    let answer: Json = serde_json::from_str(&client.server.line()).unwrap();
    assert_eq!(answer["id"], 7);
    assert_eq!(client.close(), 0);
}

#[test]
fn a_prompt_is_the_one_that_the_command_prints() {
    let project = project();
    let mut client = Client::start(&project);
    let result = client.call("build_prompt", &examples()[0].1);
    let arguments = [
        "prompt", "--role", "r", "--task", "Do it.", "--target", "src/a.rs",
    ];
    let printed = project.run(arguments).succeeds().stdout;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.trim_end(), printed.trim_end());
    assert_eq!(
        result["structuredContent"]["prompt"].as_str().unwrap(),
        text
    );
    let arguments = json!({"task": "Do it.", "target": "src/a.rs"});
    let prompt = client.ask("prompts/get", &json!({"name": "r", "arguments": arguments}));
    let message = &prompt["result"]["messages"][0];
    assert_eq!(message["role"], "user");
    assert_eq!(message["content"]["text"].as_str().unwrap(), text);
    assert_eq!(prompt["result"]["_meta"], Json::Null);
}

/// A host that asks for a prompt shows its description.
#[test]
fn a_prompt_comes_with_what_its_reader_should_know() {
    let token = ["ghp_", "C3J27XDCG2LmlZGEONYlgCtjfIZ4SOcMz9CP"].concat();
    let project = project().file("src/b.rs", format!("const B: &str = \"{token}\";\n"));
    let mut client = Client::start(&project);
    let arguments = json!({"task": "Do it.", "target": "src/b.rs\nmissing.rs"});
    let prompt = client.ask("prompts/get", &json!({"name": "r", "arguments": arguments}));
    let result = &prompt["result"];
    let told = result["description"].as_str().unwrap();
    assert!(
        told.contains("GitHub token") && told.contains("`missing.rs`"),
        "{told}"
    );
    let warnings = result["_meta"]["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), told.lines().count());
    assert!(warnings.iter().any(|note| note["kind"] == "secret"));
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let project = project();
    let mut client = Client::start(&project);
    let (name, arguments) = examples()[0].clone();
    let params = json!({"name": name, "arguments": arguments});
    for id in 100..120 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        client.server.say(&call.to_string());
    }
    for _ in 100..120 {
        let answer: Json = serde_json::from_str(&client.server.line()).unwrap();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(client.server.close(), 0);
}

/// As many requests as a client can write before it reads an answer: no more are taken in than
/// there is room for, and each is answered.
#[test]
fn requests_without_end_take_no_more_memory_than_some() {
    const COUNT: usize = 100_000;
    let project = project();
    let mut client = Client::start(&project);
    let mut lines = String::new();
    for id in 0..COUNT {
        let ping = json!({"jsonrpc": "2.0", "id": 1000 + id, "method": "ping"});
        lines.push_str(&format!("{ping}\n"));
    }
    client.server.say(&lines);
    for _ in 0..COUNT {
        let answer: Json = serde_json::from_str(&client.server.line()).unwrap();
        assert!(answer["result"].is_object(), "{answer}");
    }
    #[cfg(target_os = "linux")]
    assert!(
        client.server.peak() < 64_000_000,
        "{}",
        client.server.peak()
    );
    assert_eq!(client.close(), 0);
}

#[test]
fn the_roles_are_prompts() {
    let project = project();
    let mut client = Client::start(&project);
    let listed = client.ask("prompts/list", &json!({}));
    let prompts = listed["result"]["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["implementer", "planner", "r", "reviewer"]);
    assert_eq!(prompts[0]["arguments"][0]["name"], "task");
    // A field of a host's form may be left empty.
    for arguments in [json!({}), json!({"task": " "})] {
        let asked = json!({"name": "r", "arguments": arguments});
        let error = &client.ask("prompts/get", &asked)["error"];
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().unwrap().contains("task"));
    }
}

#[test]
fn a_mistake_is_the_tools_answer_not_the_end() {
    let project = project().file("../secret.yaml", "name: s\n");
    let mut client = Client::start(&project);
    for (tool, arguments, told) in [
        (
            "build_prompt",
            json!({"role": "implementr", "task": "t"}),
            "did you mean `implementer`?",
        ),
        (
            "build_prompt",
            json!({"role": "../secret.yaml", "task": "t"}),
            "name of a role",
        ),
        ("build_prompt", json!({"task": "t"}), "missing field `role`"),
        ("build_prompt", json!({"role": "r"}), "a task is missing"),
        (
            "build_prompt",
            json!({"role": "r", "task": "t", "budget": "x"}),
            "invalid type",
        ),
        (
            "build_prompt",
            json!({"role": "r", "task": "t", "output": "x"}),
            "unknown field `output`",
        ),
        (
            "build_prompt",
            json!({"role": "r", "task": "t", "engine": "repomix"}),
            "unknown field `engine`",
        ),
        (
            "explain",
            json!({"role": "r", "task": "t", "taget": ["src/a.rs"]}),
            "unknown field `taget`: did you mean `target`?",
        ),
        (
            "build_prompt",
            json!({"role": "r", "task": "t", "template": "x.j2"}),
            "not allowed",
        ),
        (
            "pack_context",
            json!({"role": "r", "target": ["/etc/passwd"]}),
            "outside the repository",
        ),
        (
            "read_files",
            json!({"files": ["a"], "filter": "{"}),
            "does not parse",
        ),
    ] {
        let result = client.call(tool, &arguments);
        assert_eq!(result["isError"], true, "{arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(told), "{arguments}: {text}");
    }
    let unknown = client.ask("tools/call", &json!({"name": "rm", "arguments": {}}));
    assert!(unknown["error"]["message"].as_str().unwrap().contains("rm"));
    for (method, parameters, code, told) in [
        (
            "tools/call",
            json!({"name": "read_files", "arguments": ["src/a.rs"]}),
            -32602,
            "the parameters of `tools/call` are wrong: invalid type: sequence",
        ),
        ("resources/read", json!({}), -32602, "missing field `uri`"),
        ("tools/cal", json!({}), -32601, "no method `tools/cal`"),
    ] {
        let error = &client.ask(method, &parameters)["error"];
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().unwrap().contains(told), "{error}");
    }
    let result = client.call("read_files", &examples()[2].1);
    assert_eq!(result["isError"], false);
}

#[test]
fn a_model_reads_nothing_outside_the_repository() {
    let project = project();
    std::fs::write(project.outside().join("secret.txt"), "hidden").unwrap();
    #[cfg(unix)]
    let project = project.link("../secret.txt", "link.txt");
    let mut client = Client::start(&project);
    let outside = project.outside().join("secret.txt");
    let files = json!({"files": ["../secret.txt", "link.txt", outside, "src", ".git/config"]});
    let result = client.call("read_files", &files);
    assert!(!result.to_string().contains("hidden"), "{result}");
    let read = result["structuredContent"]["files"].as_array().unwrap();
    assert!(
        read.iter().all(|file| file["error"].is_string()),
        "{read:?}"
    );
}

#[test]
fn roles_and_the_last_report_are_resources() {
    let project = project();
    let mut client = Client::start(&project);
    let uris = |client: &mut Client| -> Vec<String> {
        let listed = client.ask("resources/list", &json!({}));
        let resources = listed["result"]["resources"].as_array().unwrap().clone();
        let uri = |resource: &Json| resource["uri"].as_str().unwrap().to_owned();
        resources.iter().map(uri).collect()
    };
    let before = uris(&mut client);
    assert!(before.contains(&"packer://role/r".to_owned()), "{before:?}");
    assert!(!before.contains(&"packer://report".to_owned()));
    let templates = client.ask("resources/templates/list", &json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(*template, "packer://role/{name}");

    let read = |client: &mut Client, uri: &str| client.ask("resources/read", &json!({"uri": uri}));
    let role = read(&mut client, "packer://role/r");
    let contents = &role["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "application/yaml");
    let shown = project.run(["roles", "show", "r"]).succeeds();
    let (_, yaml) = shown.stdout.split_once('\n').unwrap();
    assert_eq!(contents["text"], yaml);

    let said = "no prompt has been built yet";
    let none = read(&mut client, "packer://report");
    assert_eq!(none["error"]["message"], said);
    let built = client.call("build_prompt", &json!({"role": "r", "task": "Do it."}));
    let report = read(&mut client, "packer://report");
    let text = report["result"]["contents"][0]["text"].as_str().unwrap();
    let report: Json = serde_json::from_str(text).unwrap();
    assert_eq!(report, built["structuredContent"]);
    assert_eq!(uris(&mut client).len(), before.len() + 1);

    for (uri, said) in [
        ("packer://role/absent", "absent"),
        ("packer://role/../r.yaml", "followed by the name of a role"),
        ("packer://reprot", "did you mean `packer://report`?"),
    ] {
        let error = read(&mut client, uri)["error"]["message"].to_string();
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(client.server.close(), 0);
}

#[test]
fn no_answer_says_where_on_the_machine_the_repository_lies() {
    let project = project()
        .role("wrong", "zz: 1\ncontext: {include: ['*.rs']}")
        .role("odd", "context: {include: ['../x', '*.rs']}");
    let mut client = Client::start(&project);
    let root = project.root().canonicalize().unwrap();
    let mut answers = Vec::new();
    for role in ["r", "wrong", "odd", "absent"] {
        for tool in ["build_prompt", "pack_context", "explain"] {
            answers.push(client.call(tool, &json!({"role": role, "task": "Do it."})));
        }
        answers.push(client.ask(
            "prompts/get",
            &json!({"name": role, "arguments": {"task": "x"}}),
        ));
        let uri = format!("packer://role/{role}");
        answers.push(client.ask("resources/read", &json!({"uri": uri})));
    }
    answers.push(client.ask("resources/read", &json!({"uri": "packer://report"})));
    let told: Vec<String> = answers.iter().map(ToString::to_string).collect();
    for answer in &told {
        assert!(!answer.contains(root.to_str().unwrap()), "{answer}");
    }
    // The repository's own path is enough to find it.
    assert!(
        told[0].contains("\"source\":\".packer/roles/r.yaml\""),
        "{}",
        told[0]
    );
    assert!(
        told[5].contains("(.packer/roles/wrong.yaml:"),
        "{}",
        told[5]
    );
    assert_eq!(client.server.close(), 0);
}

#[test]
fn what_is_typed_is_completed() {
    let project = project()
        .file("src/about.rs", "")
        .file(".gitignore", "*.log\n");
    let project = project.file("src/a.log", "");
    let mut client = Client::start(&project);
    let mut complete = |of: &Json, name: &str, value: &str| {
        let argument = json!({"name": name, "value": value});
        let answer = client.ask(
            "completion/complete",
            &json!({"ref": of, "argument": argument}),
        );
        answer["result"]["completion"].clone()
    };
    let prompt = json!({"type": "ref/prompt", "name": "r"});
    let role = json!({"type": "ref/resource", "uri": "packer://role/{name}"});
    for (of, name, value, values) in [
        (&prompt, "target", "sr", vec!["src/"]),
        (&prompt, "target", "src/a", vec!["src/a.rs", "src/about.rs"]),
        (&prompt, "target", "src/a.rs\nsr", vec!["src/a.rs\nsrc/"]),
        (&prompt, "target", "../", vec![]),
        (&prompt, "target", ".git/", vec![]),
        (&prompt, "task", "Mend", vec![]),
        (&role, "name", "rev", vec!["reviewer"]),
    ] {
        let found = complete(of, name, value);
        assert_eq!(found["values"], json!(values), "{name} {value}");
        assert_eq!(found["total"], values.len(), "{name} {value}");
        assert_eq!(found["hasMore"], false, "{name} {value}");
    }
}

#[test]
fn who_asks_to_be_told_learns_how_far_a_call_is() {
    let project = project();
    let mut client = Client::start(&project);
    let request = json!({
        "jsonrpc": "2.0",
        "id": 77,
        "method": "tools/call",
        "params": {
            "name": "read_files",
            "arguments": {"files": ["src/a.rs"]},
            "_meta": {"progressToken": "t"},
        },
    });
    client.server.say(&request.to_string());
    let line = || -> Json { serde_json::from_str(&client.server.line()).unwrap() };
    let mut steps = Vec::new();
    let answer = loop {
        let said = line();
        if said["id"] == 77 {
            break said;
        }
        assert_eq!(said["method"], "notifications/progress");
        assert_eq!(said["params"]["progressToken"], "t");
        assert_eq!(said["params"]["total"], 2.0);
        steps.push(said["params"]["progress"].as_f64().unwrap());
    };
    assert_eq!(answer["result"]["isError"], false);
    assert_eq!(steps, [0.0, 1.0, 2.0]);
}

/// The two lines with which a host begins.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// What a server answers to these lines, in order, once the input has ended behind them.
fn answers(project: &Project, lines: &[&str], end: &str) -> Vec<Json> {
    let output = project.run_with_input(["mcp"], &(lines.join("\n") + end));
    assert_eq!(output.code, 0, "{}", output.stderr);
    let lines = output.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Whoever sends all that it has to say at once is answered, also where it wants to be told how
/// far a call is.
#[test]
fn a_call_is_answered_though_the_input_ends_behind_it() {
    let project = project();
    let lines = [
        INITIALIZE,
        INITIALIZED,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_files","arguments":{"files":["README.md"]},"_meta":{"progressToken":"p"}}}"#,
    ];
    for end in ["\n", ""] {
        let answers = answers(&project, &lines, end);
        let mut answers = answers.iter().filter(|answer| answer["id"] == 1);
        assert_eq!(answers.next().unwrap()["result"]["isError"], false);
    }
}

/// Where many calls wait, the last of them is answered long after the input has ended.
#[test]
fn all_that_was_asked_is_answered_before_the_server_ends() {
    // Each of these takes some hundred milliseconds.
    let text = "a line of a file that is read again and again\n".repeat(20_000);
    let project = project().file("large.txt", text);
    let call = |id| {
        let arguments = json!({"files": ["large.txt"]});
        let params = json!({"name": "read_files", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let calls: Vec<String> = (1..=40).map(call).collect();
    let lines = [INITIALIZE, INITIALIZED].into_iter();
    let lines: Vec<&str> = lines.chain(calls.iter().map(String::as_str)).collect();
    let answers = answers(&project, &lines, "\n");
    let mut ids: Vec<u64> = answers
        .iter()
        .filter_map(|answer| answer["id"].as_u64())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..=40).collect::<Vec<_>>());
}

/// A host waits for an answer to what it takes for a request.
#[test]
fn a_line_that_is_no_request_is_answered() {
    let project = project();
    let lines = [
        INITIALIZE,
        INITIALIZED,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"pack_context","arguments":{"task":"\ud800"}}}"#,
        "{bad json",
        "",
        "42",
        r#"{"jsonrpc":"2.0","method":"notifications/unknown","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"ping"}x"#,
    ];
    let answers = answers(&project, &lines, "");
    let codes: Vec<(&Json, &Json)> = answers
        .iter()
        .filter(|answer| answer["error"].is_object())
        .map(|answer| (&answer["id"], &answer["error"]["code"]))
        .collect();
    let none = Json::Null;
    let (broken, wrong) = (Json::from(-32700), Json::from(-32600));
    let expected = [
        (&Json::from(7), &broken),
        (&none, &broken),
        (&none, &wrong),
        (&none, &broken),
    ];
    assert_eq!(codes, expected, "{answers:?}");
    assert!(
        answers
            .iter()
            .any(|answer| answer["id"] == 9 && answer["result"].is_object())
    );
}

/// Whoever called a request off does not have to be waited for.
#[test]
fn a_server_ends_with_its_input_though_a_call_was_called_off() {
    let project = project();
    let mut client = Client::start(&project);
    let call = json!({"name": "build_prompt", "arguments": examples()[0].1});
    let call = json!({"jsonrpc": "2.0", "id": 40, "method": "tools/call", "params": call});
    let off = json!({"requestId": 40, "reason": "no longer wanted"});
    let off = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": off});
    client.server.say(&call.to_string());
    client.server.say(&off.to_string());
    let started = std::time::Instant::now();
    assert_eq!(client.close(), 0);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn a_secret_in_a_call_is_not_in_what_is_said_of_it() {
    let project = project();
    let mut client = Client::start(&project);
    let token = ["ghp_", "x9Kq2mZ7vB4nT1wY8rL5pQ3sD6fG0hJ2kM4n"].concat();
    let arguments = json!({"role": "r", "task": "t", &*token: 1});
    for answer in [
        client.ask("tools/call", &json!({"name": token, "arguments": {}})),
        client.ask(
            "tools/call",
            &json!({"name": "build_prompt", "arguments": arguments}),
        ),
    ] {
        let said = answer.to_string();
        assert!(
            said.contains("GitHub token") && !said.contains(&token),
            "{said}"
        );
    }
    assert_eq!(client.close(), 0);
}
