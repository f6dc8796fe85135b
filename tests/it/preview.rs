//! The page that follows what is edited, and who may ask for it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::project::{Json, Project};
use crate::running::Running;

pub struct Page {
    running: Running,
    port: u16,
}

/// An answer: its status, its head and its body.
pub struct Answer {
    status: u16,
    head: String,
    pub body: String,
}

impl Answer {
    fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

impl Page {
    pub fn open(project: &Project, arguments: &[&str]) -> Page {
        let running = Running::start(project, [&["preview"], arguments].concat());
        let address = running.line();
        let port = address.strip_prefix("http://127.0.0.1:").unwrap();
        let port = port.trim_end_matches('/').parse().unwrap();
        Page { running, port }
    }

    fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(40)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str, headers: &str) -> Answer {
        let port = self.port;
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}\r\n"
        ))
    }

    pub fn post(&self, body: &str, headers: &str) -> Answer {
        let (port, length) = (self.port, body.len());
        self.send(&format!(
            "POST /explain HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }
}

pub const JSON: &str = "Content-Type: application/json\r\n";

fn project() -> Project {
    Project::new()
        .file("a.md", "The first text.\n")
        .file("b.md", "The second text.\n".repeat(100))
        .role("r", "context: {include: ['*.md'], token_budget: 2000}")
}

#[test]
fn the_page_is_served_and_guarded() {
    let project = project();
    let page = Page::open(&project, &["--role", "r"]);
    let answer = page.get("/", "");
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("The first text."));
    // What can be chosen comes with the page, and is listed nowhere else.
    for chosen in ["shrink", "xml", "cl100k"] {
        assert!(answer.body.contains(&format!("\"const\":\"{chosen}\"")));
    }
    for header in [
        "x-frame-options: deny",
        "cache-control: no-store",
        "nosniff",
    ] {
        assert!(answer.head.contains(header), "{}", answer.head);
    }
    assert_eq!(page.get("/etc/passwd", "").status, 404);
    let own = format!("Origin: http://127.0.0.1:{}\r\n", page.port);
    assert_eq!(page.get("/", &own).status, 200);
}

#[test]
fn another_page_is_refused_whatever_it_tries() {
    let project = project();
    let page = Page::open(&project, &["--role", "r"]);
    let port = page.port;
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("evil.example:{port}"),
    ] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(page.send(&request).status, 403, "{host}");
    }
    for header in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(page.get("/", header).status, 403, "{header}");
        assert_eq!(page.get("/changes?since=0", header).status, 403, "{header}");
        assert_eq!(
            page.post("{}", &format!("{JSON}{header}")).status,
            403,
            "{header}"
        );
    }
    // What a form of another page could send without asking first.
    assert_eq!(page.post("{}", "Content-Type: text/plain\r\n").status, 415);
    assert_eq!(page.get("/explain", "").status, 405);
    let large = " ".repeat(2 * 1024 * 1024);
    assert_eq!(page.post(&large, JSON).status, 413);
}

#[test]
fn a_choice_on_the_page_shows_its_effect() {
    let project = project();
    let page = Page::open(&project, &["--role", "r", "--task", "t"]);
    let small = page.post(
        r#"{"budget": 300, "task": "Another task", "target": ["a.md"]}"#,
        JSON,
    );
    assert_eq!(small.status, 200, "{}", small.body);
    let json = small.json();
    assert_eq!(json["version"], 2);
    let explanation = &json["explanation"];
    assert_eq!(explanation["budget"], 300);
    assert!(explanation["tokens"].as_u64().unwrap() <= 300);
    assert_eq!(explanation["task"], "Another task");
    assert_eq!(explanation["sections"][2]["key"], "target_file");
    let wrong = page.post(r#"{"target": ["../x"]}"#, JSON);
    assert_eq!(wrong.status, 422);
    assert!(wrong.json()["error"].as_str().unwrap().contains("../x"));
    assert_eq!(page.post(r#"{"budgt": 3}"#, JSON).status, 422);
    assert_eq!(page.post("{\"budget\": 0}", JSON).status, 422);
}

#[test]
fn a_page_that_waits_is_told_of_a_change() {
    let project = project();
    let page = Page::open(&project, &["--role", "r"]);
    let project = project.file("a.md", "Changed meanwhile.\n");
    let answer = page.get("/changes?since=1", "").json();
    assert_eq!(answer["version"], 2);
    assert!(
        answer["explanation"]
            .to_string()
            .contains("Changed meanwhile.")
    );
    // A role that breaks is told, and the page goes on once it is mended.
    let project = project.role("r", "contxt: {}");
    let answer = page.get("/changes?since=2", "").json();
    assert!(
        answer["error"].as_str().unwrap().contains("contxt"),
        "{answer}"
    );
    let _project = project.role("r", "context: {include: ['*.md'], token_budget: 777}");
    let answer = page.get("/changes?since=3", "").json();
    assert_eq!(answer["explanation"]["budget"], 777);
}

#[test]
fn a_parent_that_is_mended_is_noticed() {
    let project = project();
    let page = Page::open(&project, &["--role", "r"]);
    let project = project
        .role("other", "contxt: {}")
        .role("r", "extends: other");
    let answer = page.get("/changes?since=1", "").json();
    assert!(answer["error"].is_string(), "{answer}");
    let _project = project.role("other", "context: {token_budget: 555}");
    let mut version = answer["version"].as_u64().unwrap();
    let answer = loop {
        let answer = page.get(&format!("/changes?since={version}"), "").json();
        if answer["error"].is_null() {
            break answer;
        }
        version = answer["version"].as_u64().unwrap();
    };
    assert_eq!(answer["explanation"]["budget"], 555);
}

#[cfg(unix)]
#[test]
fn it_ends_well_while_a_page_waits() {
    let project = project();
    let page = Page::open(&project, &["--role", "r"]);
    let mut waiting = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let request = format!(
        "GET /changes?since=1 HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
        page.port
    );
    waiting.write_all(request.as_bytes()).unwrap();
    assert_eq!(page.running.interrupt(), 0);
}

#[test]
fn what_cannot_be_built_is_told_at_once() {
    project()
        .run(["preview", "--role", "nope"])
        .fails(1)
        .stderr_contains("there is no role `nope`");
}

#[test]
fn a_template_that_fails_is_told_as_plainly_as_a_role_that_does() {
    let project = project()
        .role("t", "template: implement.j2\ncontext: {include: ['*.md']}")
        .file("prompts/implement.j2", "{{ task }} {{ secions }}\n");
    let arguments = ["--role", "t", "--task", "Do.", "--prompts-dir", "prompts"];
    let page = Page::open(&project, &arguments);
    assert!(
        page.get("/", "")
            .body
            .contains("\"problem\":{\"error\":\"the template failed")
    );
    let answer = page.post(r#"{"task": "Do more."}"#, JSON).json();
    let said = answer["error"].as_str().unwrap();
    assert!(
        said.contains("the template failed") && said.contains("implement.j2:1"),
        "{said}"
    );
    // The prompt that was built without it is there all the same.
    assert_eq!(answer["explanation"]["flow"], "whole");
    let _project = project.file("prompts/implement.j2", "{{ task }} {{ context }}\n");
    let answer = page.get("/changes?since=2", "").json();
    assert_eq!(
        (&answer["error"], answer["explanation"]["flow"].as_str()),
        (&Json::Null, Some("template"))
    );
    assert!(page.get("/", "").body.contains("\"problem\":null"));
}
