//! What the README says is true.

use std::fs;
use std::path::Path;

use crate::project::Project;

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

/// The text of the README's blocks in this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        if ticks.len() < 3 {
            continue;
        }
        let inner: Vec<&str> = lines.by_ref().take_while(|line| *line != ticks).collect();
        if line[ticks.len()..] == *language {
            blocks.push(inner.join("\n"));
        }
    }
    blocks
}

/// The commands of the README's `console` blocks, each with what it prints.
fn sessions(text: &str) -> Vec<(String, String)> {
    let mut sessions: Vec<(String, String)> = Vec::new();
    for block in blocks(text, "console") {
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => sessions.push((command.to_owned(), String::new())),
                None => {
                    let output = &mut sessions.last_mut().unwrap().1;
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    sessions
}

/// The README's example repository.
fn example() -> Project {
    Project::new()
        .file(
            "src/greet.rs",
            "pub fn greet(name: &str) -> String {\n    format!(\"Hello, {name}\")\n}\n",
        )
        .file(
            "src/main.rs",
            "mod greet;\n\nfn main() {\n    println!(\"{}\", greet::greet(\"world\"));\n}\n",
        )
        .file("CLAUDE.md", "Every public function has a test.\n")
        .commit()
}

#[test]
fn the_sessions_in_the_readme_print_what_they_say() {
    let project = example();
    let sessions = sessions(&readme());
    assert!(sessions.len() >= 3, "{sessions:?}");
    for (command, expected) in sessions {
        let arguments = shell_words(&command);
        assert_eq!(arguments[0], "packer", "{command}");
        let output = project.run(arguments[1..].iter().map(String::as_str));
        let printed = format!("{}{}", output.stderr, output.stdout);
        assert_eq!(printed.trim_end(), expected.trim_end(), "{command}");
    }
}

/// Splits at spaces that stand in no quotes.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (' ', None) => words.push(String::new()),
            (letter, _) => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_roles_and_templates_in_the_readme_work() {
    let mut project = example();
    for yaml in blocks(&readme(), "yaml") {
        project = project.file("role.yaml", &yaml);
        project
            .run(["roles", "check", "role.yaml"])
            .succeeds()
            .stdout_contains("0 errors");
    }
    for template in blocks(&readme(), "jinja") {
        project = project.file("prompts/audit.j2", &template);
        let arguments = [
            "render",
            "audit.j2",
            "--prompts-dir",
            "prompts",
            "--allow-template",
            "audit.j2",
        ];
        let more = ["--role", "role.yaml", "--task", "t", "--strict"];
        project
            .run(arguments.into_iter().chain(more))
            .succeeds()
            .stdout_contains("# Task");
    }
}

#[test]
fn limits_in_the_readme_are_those_of_the_code() {
    let readme = readme();
    for limit in ["1 MiB", "10 MiB", "2 MiB", "64 MiB", "256 KiB", "200 MiB"] {
        assert!(readme.contains(limit), "{limit}");
    }
}
