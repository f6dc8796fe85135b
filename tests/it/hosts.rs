//! What hosts of agents are given: the folder `plugin`, which they take as it is.

use crate::project::{Json, Project};
use crate::readme::{read, shell_words};

fn manifest(path: &str) -> Json {
    serde_json::from_str(&read(path)).unwrap()
}

#[test]
fn every_host_is_told_the_same() {
    let claude = manifest("plugin/.claude-plugin/plugin.json");
    let gemini = manifest("plugin/gemini-extension.json");
    for field in ["name", "version", "description"] {
        assert_eq!(claude[field], gemini[field], "{field}");
    }
    assert_eq!(claude["version"], env!("CARGO_PKG_VERSION"));
    let servers = manifest("plugin/.mcp.json")["mcpServers"].clone();
    assert_eq!(servers, gemini["mcpServers"]);
    assert_eq!(servers["packer"]["command"], "packer");
}

/// The checkout is a marketplace with the plugin in it, under the plugin's own name: some
/// hosts install nothing else.
#[test]
fn the_marketplace_has_the_plugin() {
    let market = manifest(".claude-plugin/marketplace.json");
    let plugin = manifest("plugin/.claude-plugin/plugin.json");
    assert_eq!(market["name"], "packer");
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
    assert_eq!(market["plugins"][0]["description"], plugin["description"]);
    assert_eq!(market["plugins"][0]["source"], "./plugin");
    assert_eq!(market["plugins"].as_array().unwrap().len(), 1);
}

/// The documents name the versions of the hosts that the check installs.
#[test]
fn the_hosts_that_are_named_are_those_that_were_asked() {
    let (script, page) = (read(".ci/hosts"), read("docs/mcp.md"));
    for (variable, host) in [
        ("claude", "Claude Code"),
        ("gemini", "Gemini CLI"),
        ("codex", "Codex"),
        ("copilot", "Copilot CLI"),
        ("skills", "skills-ref"),
    ] {
        let line = script
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{variable}=")));
        let told = format!("{host} {}", line.unwrap());
        assert!(page.contains(&told), "{told}");
    }
}

#[test]
fn a_skill_has_the_form_that_hosts_read() {
    let skill = read("plugin/skills/packer/SKILL.md");
    let (front, text) = skill
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .unwrap();
    let front: Json = serde_yaml::from_str(front).unwrap();
    assert_eq!(front["name"], "packer", "as its folder");
    assert!(front["description"].as_str().unwrap().len() <= 1024);
    assert!(text.lines().count() < 500);
}

/// Every command in the skill runs, as it stands there.
#[test]
fn the_commands_of_the_skill_run() {
    let project = Project::new()
        .file("src/file.rs", "pub fn what() {}\n")
        .file("task.md", "What to do\n")
        .commit()
        .branch("main");
    let skill = read("plugin/skills/packer/SKILL.md");
    let spans = skill.split('`').skip(1).step_by(2);
    let commands: Vec<&str> = spans.filter(|span| span.starts_with("packer ")).collect();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        let words = shell_words(&command.replace("FILE", "src/file.rs"));
        let arguments = words.iter().skip(1).map(String::as_str);
        project.run(arguments).succeeds();
    }
}
